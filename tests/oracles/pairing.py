# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which packets are one connection: the CM's messages, halves, and the evidence that joins two of them.

A half is what one host sends to one queue pair of another, from one set-up of that queue pair to the
next. Evidence, the strongest first: the CM; UDP source ports; which requests the responses answer.
"""
import collections

from packet import (ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, ATOMIC_WRITE, ATOMICS, BAD, CNP, FLUSH, RC, READ_REQUEST, READS,
                    REQUESTS, RESPONSES, UC, UD, XRC, u16, u24, u32)

CM_CLASS = 0x07
REQ, MRA, REJ, REP, RTU, DREQ, DREP, LAP, APR = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x19, 0x1a
FIXED = {REQ: 140, MRA: 10, REJ: 84, REP: 36, RTU: 8, DREQ: 12, DREP: 8}  # bytes before the private data
MULTICAST_QPN = 0xffffff
PSNS, FAR, REMEMBERED = 1 << 24, 1 << 20, 1 << 22
SEQUENCE_NAK = 0x60
EVIDENCE = 3           # ACKs that mean one half
WAITING = 512          # packets of a half that wait for more evidence
SMALLEST_MTU = 256
SOON = 10**9           # ns between an ACK and the latest request of that half
CANDIDATES = 32        # more halves of two hosts are too many to tell apart
OF_ONE_PORT = 2        # unpaired halves each way


def signed(difference):
    """A difference of two PSNs, from -2^23 to 2^23 - 1."""
    return (difference + PSNS // 2) % PSNS - PSNS // 2


class Window:
    """The PSNs of the requests of a half so far, and the time of the latest."""

    def __init__(self):
        self.first = self.highest = self.time = None

    def request(self, psn, time):
        self.time = time
        if self.first is None or not -REMEMBERED <= signed(psn - self.highest) <= FAR:
            self.first = self.highest = psn
        elif signed(psn - self.highest) > 0:
            self.highest = psn
            if signed(psn - self.first) > REMEMBERED:
                self.first = psn - REMEMBERED
        elif signed(psn - self.first) < 0:
            self.first = psn

    def has(self, psn):
        return self.first is not None and signed(psn - self.first) >= 0 >= signed(psn - self.highest)


class Answers:
    """What the answers to a half say of it: how many fit, whether one does not."""

    def __init__(self):
        self.fit, self.last, self.against, self.reach, self.kinds = 0, 0, False, None, set()

    def request(self, packet, window):
        """@window: with it."""
        kind = {READ_REQUEST: "read", FLUSH: "read", ATOMIC_WRITE: "read"}.get(packet.op)
        self.kinds.add("atomic" if packet.op in ATOMICS else kind)
        most = 1
        if packet.op == READ_REQUEST:
            most = FAR if packet.length is None else min(max(1, -(-packet.length // SMALLEST_MTU)), FAR)
        end = (packet.psn + most - 1) % PSNS
        if window.first == window.highest or signed(end - self.reach) > 0:
            self.reach = end

    def answer(self, packet, window):
        if window.first is None:
            return
        before = signed(packet.psn - window.first)
        if before < 0:
            self.against |= self.fit > 0 or before < -FAR
            return
        wants = {"read"} if packet.op in READS else {"atomic"} if packet.op == ATOMIC_ACKNOWLEDGE else self.kinds
        if signed(packet.psn - self.reach) > 0 or not wants & self.kinds:
            self.against = True
        elif abs(packet.time - window.time) <= SOON and (not self.fit or signed(packet.psn - self.last) > 0):
            self.fit, self.last = self.fit + (not self.against), packet.psn


class Half:
    """Packets from @src to queue pair @qpn at @dst."""

    def __init__(self, src, dst, qpn):
        self.src, self.dst, self.qpn = src, dst, qpn
        self.packets, self.bad, self.flow, self.service, self.mate = [], [], None, None, None
        self.closed, self.unsure, self.anews, self.unnamed = False, False, 0, 0  # D31
        # evidence by ACKs: what was requested, the half whose requests were acknowledged, the one that did for this
        self.window, self.means, self.meant_by, self.points, self.last, self.unclear = Window(), None, None, 0, 0, False
        self.answers = Answers()

    def ports(self):
        return {p.port for p in self.packets if p.port is not None}

    def other(self):
        """The half of the same connection; None: it is not known."""
        if self.mate is None and self.flow is not None:
            return self.flow.to_b if self.flow.to_a is self else self.flow.to_a
        return self.mate

    def paired(self):
        return self.mate is not None or self.flow is not None and None not in (self.flow.to_a, self.flow.to_b)


class Flow:
    """One connection: ends a and b, the half to each, and what the CM said of it."""

    def __init__(self, a, b):
        self.a, self.b, self.to_a, self.to_b = a, b, None, None
        self.a_qpn = self.b_qpn = self.mtu = self.service = None
        self.setup, self.cm_frames, self.ended, self.gave = "none", [], set(), set()  # whose QPN the CM said

    def frames(self):
        return self.cm_frames + [p.frame for half in (self.to_a, self.to_b) if half for p in half.packets]


class Ends:
    """Addresses that are names of one port: a LID and the GIDs after it."""

    def __init__(self):
        self.parent = {}

    def root(self, address):
        while address in self.parent:
            address = self.parent[address]
        return address

    def same(self, lid, gid):
        if not 0 < lid < 0xc000 or gid[0] == 0xff or not any(gid):
            return
        one, other = self.root(lid), self.root(gid)
        if one != other:
            self.parent[one] = other

    def learn(self, packet):
        """From the path of a REQ."""
        if packet.icrc == BAD or packet.lids is None:
            return
        if is_cm(packet) and attribute(packet) == REQ:
            local, remote = u16(packet.mad, 24 + 52), u16(packet.mad, 24 + 54)
            self.same(local, bytes(packet.mad[24 + 56:24 + 72]))
            self.same(remote, bytes(packet.mad[24 + 72:24 + 88]))


def is_cm(packet):
    return (packet.service == UD and packet.mad is not None and len(packet.mad) >= 24
            and packet.mad[1] == CM_CLASS and len(packet.mad) >= 24 + FIXED.get(attribute(packet), 232))


def attribute(packet):
    return u16(packet.mad, 16)


def qpn_port(one, other):
    """The UDP source port Linux makes of two QPNs (rdma_calc_flow_label, rdma_flow_label_to_udp_sport)."""
    label = one * other
    label ^= label >> 20
    label ^= label >> 40
    label &= 0xfffff
    return (label & 0x3fff ^ label >> 14) | 0xc000


class Tracker:
    """Takes the packets of a file in its order; flows() says what they were."""

    def __init__(self, ends):
        self.ends = ends
        self.current = {}   # (src, dst, QPN): the half its packets go to now
        self.between = collections.defaultdict(list)  # (src, dst): those of now
        self.halves = []    # all there have been
        self.cm_flows = []
        self.requests = {}  # (sender, Local Comm ID) of a REQ: what else it said, its flow
        self.comm_ids = {}  # (end, its communication id): the latest flow
        self.given = {}     # (end, the other one, QPN of the first): the flow of the latest REQ or REP that gave it
        self.anews = collections.Counter()  # {(src, dst): what may have closed a half}
        self.unnamed = collections.Counter()  # {both hosts: ends and beginnings of which nothing says which they are}

    def half(self, src, dst, qpn):
        """A new half; its packets come from now on, those before belong to the one before."""
        half = Half(src, dst, qpn)
        self.halves.append(half)
        hosts = self.ends.root(src), self.ends.root(dst)
        old = self.current.get((*hosts, qpn))
        if old:
            self.between[hosts].remove(old)
            if old.packets and old.other():
                old.other().closed = True
        half.anews = self.anews[hosts]
        self.current[*hosts, qpn] = half
        self.between[hosts].append(half)
        return half

    def feed(self, packet):
        if packet.service == UD:
            if packet.icrc != BAD and is_cm(packet):
                self.cm(packet)
            return
        if packet.dqpn in (0, 1, MULTICAST_QPN):
            return
        half = self.current.get((self.ends.root(packet.src), self.ends.root(packet.dst), packet.dqpn))
        if packet.icrc == BAD:
            if half and half.packets:
                half.bad.append(packet)
            return
        if packet.service == CNP and (half is None or not half.packets):
            return
        if half is None:
            half = self.half(packet.src, packet.dst, packet.dqpn)
        half = self.session(half, packet)
        self.look(half)
        packet.anew = self.anew(half) if packet.op in REQUESTS and packet.service != CNP else None
        half.packets.append(packet)
        if packet.service == CNP:
            return
        if half.service is None:
            half.service = packet.service
            self.by_port(half)
        if packet.op in REQUESTS:
            half.window.request(packet.psn, packet.time)
            half.answers.request(packet, half.window)
        elif packet.op in RESPONSES | {ACKNOWLEDGE}:
            if packet.op == ACKNOWLEDGE and packet.syndrome is not None and packet.syndrome >> 5 == 0:
                self.by_ack(half, packet)
            self.by_answer(half, packet)
        if len(half.packets) == WAITING:
            self.by_only(half)

    @staticmethod
    def told(half):
        return half.flow is not None and len(half.flow.gave) == 2

    def look(self, half):
        """At a packet of @half: what there was of connections that have no name."""
        hosts = frozenset({self.ends.root(half.src), self.ends.root(half.dst)})
        if not half.packets:
            self.unnamed[hosts] += half.flow is not None and half.flow.to_a is half and half.flow.gave == {REQ}
        elif half.unnamed != self.unnamed[hosts]:
            half.unsure |= not self.told(half)
        half.unnamed = self.unnamed[hosts]

    def anew(self, half):
        """Whether another connection may have begun before a request of @half: D31."""
        anews = self.anews[self.ends.root(half.src), self.ends.root(half.dst)]
        maybe = half.unsure or half.anews != anews and not half.paired() and not self.told(half)
        closed, half.closed, half.unsure, half.anews = half.closed, False, False, anews
        return "closed" if closed else "maybe" if maybe else None

    def gave(self, src, dst, qpn, flow):
        """@src gives a QPN of its own."""
        before = self.given.get((src, dst, qpn))
        self.anews[src, dst] += before is not None and before is not flow
        self.given[src, dst, qpn] = flow

    def ends_one(self, kind, packet, src, dst, flow):
        """A DREQ or DREP."""
        if flow is not None:
            if (kind, src) in flow.ended:
                return
            flow.ended.add((kind, src))
        if kind == DREP:
            if flow is None or None in (flow.a_qpn, flow.b_qpn):
                self.unnamed[frozenset({src, dst})] += 1
            for one, other, qpn in ((flow.a, flow.b, flow.b_qpn), (flow.b, flow.a, flow.a_qpn)) if flow else ():
                self.close(self.ends.root(one), self.ends.root(other), qpn)
            return
        there, back = ((flow.b_qpn, flow.a_qpn) if src == self.ends.root(flow.a) else (flow.a_qpn, flow.b_qpn)) if flow \
            else (None, None)
        half = self.close(src, dst, u24(packet.mad, 24 + 8) if there is None else there)
        mate = self.current.get((dst, src, back)) if back is not None else half.other() if half else None
        if mate:
            mate.unsure = True

    def close(self, src, dst, qpn):
        half = self.current.get((src, dst, qpn))
        if half is not None and half.packets:
            half.closed = True
        return half

    def candidates(self, half):
        """Halves the other way between the same hosts that are not paired."""
        back = self.between[self.ends.root(half.dst), self.ends.root(half.src)]
        return [other for other in back if other is not half and not other.paired()]

    def by_port(self, half):
        """The one with the same UDP source port, if that is made of the two QPNs and of few others."""
        if half.paired():
            return
        answering = [other for other in self.candidates(half) if other.ports() & half.ports()]
        alike = [other for other in self.between[self.ends.root(half.src), self.ends.root(half.dst)]
                 if not other.paired() and other.ports() & half.ports()]
        found = [other for other in answering if qpn_port(half.qpn, other.qpn) in other.ports() & half.ports()]
        if len(found) == 1 and max(len(answering), len(alike)) <= OF_ONE_PORT:
            self.join(half, found[0])

    def by_ack(self, half, packet):
        """An ACK means the one half that requested its PSN; three, each further on, join the two."""
        candidates = [other for other in self.candidates(half) if other.service in (None, half.service)]
        if half.paired() or half.unclear or len(candidates) > CANDIDATES:
            return
        meant = [other for other in candidates if other.window.has(packet.psn)]
        if half.means in candidates and half.means not in meant:
            half.unclear = True
        if (len(meant) != 1 or abs(packet.time - meant[0].window.time) > SOON
                or half.points and signed(packet.psn - half.last) <= 0):
            return
        other = meant[0]
        half.last, half.points = packet.psn, half.points + 1
        half.means, other.meant_by = half.means or other, other.meant_by or half
        if (half.means is not other or other.meant_by is not half or half.unclear or other.unclear
                or half.meant_by not in (None, other) or other.means not in (None, half)):
            half.unclear = other.unclear = True
        elif half.points == EVIDENCE:
            self.join(half, other)

    def session(self, half, packet):
        """The half of @packet, a new one if it refuses requests to a queue pair that @half does not answer: those to it begin
        with the PSN after the last one that @half's mate was sent, which has nothing open that the NAK could be about."""
        before = half.mate
        if packet.op != ACKNOWLEDGE or packet.syndrome != SEQUENCE_NAK or before is None or before.window.first is None \
                or half.flow.setup == "cm":
            return half
        end, last = (before.window.highest + 1) % PSNS, max(p.frame for p in before.packets + half.packets)
        answered = [p.psn for p in half.packets if p.op in RESPONSES or p.op == ACKNOWLEDGE and (p.syndrome or 0) >> 5 == 0]
        open_from = max(answered, key=lambda psn: signed(psn - before.window.first), default=before.window.first - 1) + 1
        found = [other for other in self.candidates(half) if other.service == half.service and other.window.first == end
                 and other.packets[0].frame > last]
        if len(found) != 1 or signed(packet.psn - open_from) >= 0 >= signed(packet.psn - end):
            return half
        hosts = self.ends.root(before.src), self.ends.root(before.dst)
        self.between[hosts].remove(before)
        del self.current[*hosts, before.qpn]
        now = self.half(packet.src, packet.dst, packet.dqpn)
        now.service = half.service
        now.packets.append(packet)
        self.join(now, found[0])
        now.packets.pop()
        return now

    def only(self, half):
        """The half the other way, if two hosts have had one each way, of this service."""
        hosts = {self.ends.root(half.src), self.ends.root(half.dst)}
        of_them = [one for one in self.halves if one.service == half.service
                   and {self.ends.root(one.src), self.ends.root(one.dst)} == hosts]
        found = [other for other in self.candidates(half) if other in of_them]
        return found[0] if len(hosts) == len(of_them) == 2 and found else None

    def by_answer(self, half, packet):
        """An answer of any kind; three of them join the only pair of two hosts."""
        other = None if half.paired() else self.only(half)
        if other:
            other.answers.answer(packet, other.window)
            if other.answers.fit >= EVIDENCE:
                self.by_only(half)

    def by_only(self, half):
        other = None if half.paired() else self.only(half)
        if other and not (half.unclear or other.unclear or half.answers.against or other.answers.against) \
                and half.answers.fit + other.answers.fit:
            self.join(half, other)

    def cm(self, packet):
        kind, mad = attribute(packet), packet.mad
        local, remote = u32(mad, 24), u32(mad, 28)
        src, dst = self.ends.root(packet.src), self.ends.root(packet.dst)
        if kind == REQ:
            flow = self.req(packet, src, local)
        elif kind == REP:
            flow = self.rep(packet, src, dst, local, remote)
        elif kind in (MRA, REJ, RTU, DREQ, DREP, LAP, APR):
            flow = self.named(src, dst, local, remote)
            if kind in (DREQ, DREP):
                self.ends_one(kind, packet, src, dst, flow)
        else:
            return
        if not flow or {src, dst} != {self.ends.root(flow.a), self.ends.root(flow.b)}:
            return
        if kind in (MRA, REJ) and local:
            self.comm_ids[src, local] = flow
        flow.cm_frames.append(packet.frame)

    def named(self, src, dst, local, remote):
        """The flow of an answer or an end: by the id of the one who sent the REQ, if it is known."""
        flows = [self.comm_ids.get((dst, remote)), local and self.comm_ids.get((src, local))]
        for flow, end in zip(flows, (dst, src)):
            if flow and self.ends.root(flow.a) == end:
                return flow
        return flows[0] or flows[1]

    def begin(self, a, b):
        flow = Flow(a, b)
        flow.setup = "cm"
        self.cm_flows.append(flow)
        return flow

    def req(self, packet, src, local):
        mad, qpn = packet.mad, u24(packet.mad, 24 + 32)
        kind, extended = mad[24 + 43] >> 1 & 3, mad[24 + 51] & 7
        service = {0: RC, 1: UC}.get(kind, XRC if kind == 3 and extended == 1 else None)
        if service is None:
            return None
        said = qpn, u24(mad, 24 + 44), bytes(mad[24 + 8:24 + 16])  # with Starting PSN and Service ID
        before, flow = self.requests.get((src, local), (None, None))
        if before != said:
            flow = self.begin(packet.src, packet.dst)
            flow.a_qpn, flow.service = qpn, service
            flow.gave.add(REQ)
            self.gave(src, self.ends.root(packet.dst), qpn, flow)
            mtu = mad[24 + 50] >> 4
            flow.mtu = 128 << mtu if 1 <= mtu <= 5 else None
            flow.to_a = self.half(packet.dst, packet.src, qpn)
            flow.to_a.flow = flow
            self.requests[src, local] = said, flow
            self.comm_ids[src, local] = flow
        return flow

    def rep(self, packet, src, dst, local, remote):
        flow = self.comm_ids.get((dst, remote))
        if flow is None:
            flow = self.begin(packet.dst, packet.src)
            self.comm_ids[dst, remote] = flow
        if flow.b_qpn is None and dst == self.ends.root(flow.a) and src == self.ends.root(flow.b):
            qpn, context = u24(packet.mad, 24 + 12), u24(packet.mad, 24 + 16)
            if flow.service is None and context and not qpn:
                flow.service = XRC
            flow.b_qpn = context if flow.service == XRC else qpn
            flow.gave.add(REP)
            self.gave(src, dst, flow.b_qpn, flow)
            half = self.current.get((dst, src, flow.b_qpn))
            self.unnamed[frozenset({src, dst})] += flow.a_qpn is None
            if flow.a_qpn is not None or half is None or half.flow or half.mate:
                half = self.half(packet.dst, packet.src, flow.b_qpn)
            if half.flow is None:
                half.flow, flow.to_b = flow, half
            self.comm_ids[src, local] = flow
        return flow

    def join(self, one, other):
        """Two halves are one connection."""
        one, other = sorted((one, other), key=lambda half: (half.flow is None, half.packets[0].frame))
        flow = one.flow
        if flow is None:
            flow = Flow(one.src, one.dst)
            flow.setup, flow.to_b, flow.b_qpn = "learnt", one, one.qpn
        one.mate, other.mate = other, one
        if other.flow:  # a REQ and a REP that did not name each other
            return
        if flow.to_a is None:
            flow.to_a, flow.a_qpn = other, other.qpn
        else:
            flow.to_b, flow.b_qpn = other, other.qpn
        one.flow = other.flow = flow

    def flows(self):
        """All connections, by first frame. Nothing more comes that speaks against the only pair of two hosts."""
        for hosts in list(self.between.values()):
            for half in hosts:
                if half.service is not None:
                    self.by_only(half)
        flows = list(self.cm_flows)
        for half in self.halves:
            if half.flow is None and half.service is not None:
                flow = half.flow = Flow(half.src, half.dst)
                flow.to_b, flow.b_qpn = half, half.qpn
            if half.flow and half.flow not in flows:
                flows.append(half.flow)
        for flow in flows:
            data = [p for half in (flow.to_a, flow.to_b) if half for p in half.packets if p.service != CNP]
            if flow.service is None:
                flow.service = min(data, key=lambda p: p.frame).service if data else RC
        return sorted(flows, key=lambda flow: min(flow.frames()))


def followed(packets):
    """(the Tracker that saw all of @packets, the Ends that it knows): who has which address is learnt first."""
    ends = Ends()
    for packet in packets:
        ends.learn(packet)
    tracker = Tracker(ends)
    for packet in packets:
        tracker.feed(packet)
    return tracker, ends
