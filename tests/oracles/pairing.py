# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which packets are one connection: the CM's messages, halves, and the evidence that joins two of them.

A half is what one host sends to one queue pair of another, from one set-up of that queue pair to the
next. Evidence, the strongest first: the CM; UDP source ports; which requests the responses answer.
"""
import collections
import itertools

from packet import (ACKNOWLEDGE, BAD, CNP, READ_REQUEST, REQUESTS, RESPONSES, SERVICES, UD, UC, XRC, RC,
                    u16, u24, u32)

CM_CLASS, SEND_METHOD = 0x07, 0x03
REQ, MRA, REJ, REP, RTU, DREQ, DREP, LAP, APR = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x19, 0x1a
MULTICAST_QPN = 0xffffff
PSNS = 1 << 24
SMALLEST_MTU = 256
EVIDENCE = 3  # responses that fit one half only


class Half:
    """Packets from @src to queue pair @qpn at @dst."""

    def __init__(self, src, dst, qpn):
        self.src, self.dst, self.qpn = src, dst, qpn
        self.packets, self.bad, self.flow, self.service = [], 0, None, None

    def ports(self):
        return {p.port for p in self.packets if p.port is not None}


class Flow:
    """One connection: ends a and b, the half to each, and what the CM said of it."""

    def __init__(self, a, b):
        self.a, self.b, self.to_a, self.to_b = a, b, None, None
        self.a_qpn = self.b_qpn = self.mtu = self.service = None
        self.setup, self.cm_frames = "none", []

    def frames(self):
        return self.cm_frames + [p.frame for half in (self.to_a, self.to_b) if half for p in half.packets]


class Ends:
    """Addresses that are names of one port: a LID and the GIDs behind it."""

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
        """From a packet with LRH and GRH within one subnet, and from the paths of a REQ."""
        if packet.icrc == BAD or packet.lids is None:
            return
        if not isinstance(packet.src, int) and packet.src[:8] == packet.dst[:8]:
            self.same(packet.lids[0], packet.src)
            self.same(packet.lids[1], packet.dst)
        if is_cm(packet) and attribute(packet) == REQ:
            local, remote = u16(packet.mad, 24 + 52), u16(packet.mad, 24 + 54)
            self.same(local, bytes(packet.mad[24 + 56:24 + 72]))
            self.same(remote, bytes(packet.mad[24 + 72:24 + 88]))


def is_cm(packet):
    return (packet.service == UD and packet.mad is not None and packet.mad[1] == CM_CLASS
            and packet.mad[3] & 0x7f == SEND_METHOD)


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
        self.halves = []    # all there have been
        self.cm_flows = []
        self.requests = {}  # (sender, Local Comm ID, Local QPN) of a REQ: its flow
        self.comm_ids = {}  # (end, its communication id): the latest flow

    def half(self, src, dst, qpn, flow=None):
        """A new half; its packets come from now on, those before belong to the one before."""
        half = Half(src, dst, qpn)
        half.flow = flow
        self.halves.append(half)
        self.current[self.ends.root(src), self.ends.root(dst), qpn] = half
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
                half.bad += 1
            return
        if half is None:
            half = self.half(packet.src, packet.dst, packet.dqpn)
        half.packets.append(packet)
        if half.service is None and packet.service != CNP:
            half.service = packet.service

    def cm(self, packet):
        kind, mad = attribute(packet), packet.mad
        local, remote = u32(mad, 24), u32(mad, 28)
        src, dst = self.ends.root(packet.src), self.ends.root(packet.dst)
        if kind == REQ:
            flow = self.req(packet, src, local)
        elif kind == REP:
            flow = self.rep(packet, src, dst, local, remote)
        elif kind in (MRA, REJ, RTU, DREQ, DREP, LAP, APR):
            flow = self.comm_ids.get((dst, remote)) or (local and self.comm_ids.get((src, local)))
        else:
            return
        if not flow or {src, dst} != {self.ends.root(flow.a), self.ends.root(flow.b)}:
            return
        if kind in (MRA, REJ) and local:
            self.comm_ids[src, local] = flow
        flow.cm_frames.append(packet.frame)

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
        flow = self.requests.get((src, local, qpn))
        if flow is None:
            flow = self.begin(packet.src, packet.dst)
            flow.a_qpn, flow.service = qpn, service
            mtu = mad[24 + 50] >> 4
            flow.mtu = 128 << mtu if 1 <= mtu <= 5 else None
            flow.to_a = self.half(packet.dst, packet.src, qpn, flow)
            self.requests[src, local, qpn] = flow
            self.comm_ids[src, local] = flow
        return flow

    def rep(self, packet, src, dst, local, remote):
        flow = self.comm_ids.get((dst, remote))
        if flow is None:
            flow = self.begin(packet.dst, packet.src)
            self.comm_ids[dst, remote] = flow
        if flow.b_qpn is None and dst == self.ends.root(flow.a) and src == self.ends.root(flow.b):
            qpn, context = u24(packet.mad, 24 + 12), u24(packet.mad, 24 + 16)
            flow.b_qpn = context if flow.service == XRC or not qpn else qpn
            flow.to_b = self.half(packet.dst, packet.src, flow.b_qpn, flow)
            self.comm_ids[src, local] = flow
        return flow

    def unpaired(self):
        """Halves with a service and no other half, by host pair: {(src, dst): [half]}."""
        pairs = collections.defaultdict(list)
        for half in self.halves:
            if half.flow is None and half.service is None:
                continue  # nothing but CNPs: of no connection that is known
            if half.flow is None or None in (half.flow.to_a, half.flow.to_b):
                pairs[self.ends.root(half.src), self.ends.root(half.dst)].append(half)
        return pairs

    def join(self, one, other):
        """Two halves are one connection."""
        one, other = sorted((one, other), key=lambda half: (half.flow is None, half.packets[0].frame))
        flow = one.flow
        if flow is None:
            flow = Flow(one.src, one.dst)
            flow.setup, flow.to_b, flow.b_qpn = "learnt", one, one.qpn
        if other.flow:  # a REQ and a REP that did not name each other
            flow.cm_frames += other.flow.cm_frames
            flow.mtu, flow.service = flow.mtu or other.flow.mtu, flow.service or other.flow.service
            self.cm_flows.remove(other.flow)
        if flow.to_a is None:
            flow.to_a, flow.a_qpn = other, other.qpn
        else:
            flow.to_b, flow.b_qpn = other, other.qpn
        one.flow = other.flow = flow

    def mates(self, fits):
        """Joins each two unpaired halves that @fits(host pair's halves there, back) gives, and no other."""
        pairs, done = self.unpaired(), set()
        for (src, dst), there in pairs.items():
            back = pairs.get((dst, src), [])
            if (dst, src) in done:
                continue
            done.add((src, dst))
            found = fits(there, back)
            count = collections.Counter(id(half) for pair in found for half in pair)
            for one, other in found:
                if count[id(one)] == count[id(other)] == 1:
                    self.join(one, other)

    def flows(self):
        """All connections, by first frame."""
        self.mates(by_port)
        self.mates(by_response)
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


def compatible(one, other):
    return None in (one.service, other.service) or one.service == other.service


def by_port(there, back):
    """Pairs with one UDP source port both ways, made of the two QPNs."""
    return [(one, other) for one, other in couples(there, back) if compatible(one, other)
            and qpn_port(one.qpn, other.qpn) in one.ports() & other.ports()]


def couples(there, back):
    """Each half there with each back, once; of one host with itself both are the same halves."""
    if there is back:
        return itertools.combinations(there, 2)
    return itertools.product(there, back)


class Window:
    """The PSNs of the requests of a half so far."""

    def __init__(self):
        self.first = self.highest = None

    def request(self, packet):
        span = max(1, -(-(packet.length or 0) // SMALLEST_MTU)) if packet.op == READ_REQUEST else 1
        if self.first is None:
            self.first = self.highest = packet.psn
        offset = packet.psn + span - 1 - self.highest & PSNS - 1
        if offset < PSNS // 2:
            self.highest = packet.psn + span - 1 & PSNS - 1

    def has(self, psn):
        return self.first is not None and (psn - self.first & PSNS - 1) <= (self.highest - self.first & PSNS - 1)


def by_response(there, back):
    """Pairs whose responses fit the other's requests three times, and never another's only."""
    windows = {id(half): Window() for half in (*there, *back)}
    points, against = collections.Counter(), set()
    events = sorted(((p.frame, p, half) for half in {*there, *back} for p in half.packets), key=lambda e: e[0])
    sides = {**{id(half): back for half in there}, **{id(half): there for half in back}}
    for _, packet, half in events:
        if packet.service not in SERVICES:
            continue
        if packet.op in REQUESTS:
            windows[id(half)].request(packet)
        elif packet.op in RESPONSES or packet.op == ACKNOWLEDGE:
            candidates = [other for other in sides[id(half)]
                          if other is not half and compatible(half, other)]
            fitting = [other for other in candidates if windows[id(other)].has(packet.psn)]
            if len(fitting) == 1:
                points[frozenset((id(half), id(fitting[0])))] += 1
            if fitting:
                against.update(frozenset((id(half), id(o))) for o in candidates if o not in fitting)
    return [(one, other) for one, other in couples(there, back)
            if points[frozenset((id(one), id(other)))] >= EVIDENCE
            and frozenset((id(one), id(other))) not in against]
