#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""random_scenarios.py DIR [COUNT [FIRST]]: captures of invented conversations, scenario-NUMBER.pcap and ends-NUMBER.pcap, by seed.

Some of what happens is likely, some only legal, some neither: what is counted is defined for all of
it. Packets are lost before and after the capture, come twice, late, marked or damaged; senders go
back, ask again for the rest of a READ, begin anew; the capture may miss a beginning, a direction,
most packets, the ends of them. Of the second kind are queue pairs that are used again.
"""
import pathlib
import random
import struct
import sys

import packet as P
import writer as W

PSNS = 1 << 24
MTUS = (256, 512, 1024, 2048, 4096)
SEND = {"first": P.SEND_FIRST, "middle": P.SEND_MIDDLE,
        "last": (P.SEND_LAST, P.SEND_LAST_IMM, P.SEND_LAST_INV),
        "only": (P.SEND_ONLY, P.SEND_ONLY_IMM, P.SEND_ONLY_INV)}
WRITE = {"first": P.WRITE_FIRST, "middle": P.WRITE_MIDDLE, "last": (P.WRITE_LAST, P.WRITE_LAST_IMM),
         "only": (P.WRITE_ONLY, P.WRITE_ONLY_IMM)}
ACK, SEQUENCE, RNR = 0x1f, 0x60, 0x2e
FATAL = (0x61, 0x62, 0x63)
TRANSPORT = {"RC": P.RC, "UC": P.UC, "XRC": P.XRC}
PORT_CNP = 0  # as of real cards
ETHERNET, INFINIBAND = ("ipv4", "ipv6", "roce-v1"), ("ib-local", "ib-global")


class Request:
    """A request packet: @span PSNs from @psn on."""

    def __init__(self, op, psn, size=0, span=1, **fields):
        self.op, self.psn, self.size, self.span, self.fields = op, psn, size, span, fields


class Path:
    """How packets of one connection look, and where the captured ones go."""

    def __init__(self, rng, service, ends, framings, events):
        self.rng, self.service, self.ends, self.framings, self.events = rng, service, ends, framings, events

    def put(self, time, side, op, psn, size=0, **fields):
        src, dst = self.ends[side], self.ends[1 - side]
        opcode = op if op == P.OPCODE_CNP else TRANSPORT[self.service] << 5 | op
        port = PORT_CNP if op == P.OPCODE_CNP else src.port
        self.events.append((time, W.frame(self.framings[side], src, dst, opcode, dst.qpn, psn % PSNS, size,
                                          port=port, **fields)))

    def message(self, time, side, attribute, local, remote, sure=False, **fields):
        src, dst = self.ends[side], self.ends[1 - side]
        body = W.cm(attribute, local, remote, service=self.service, **fields)
        for copy in range(2 if self.rng.random() < 0.2 else 1):
            if self.rng.random() < 0.9 or sure:
                self.events.append((time + copy * 10**7, W.frame(
                    self.framings[side], src, dst, W.UD_SEND_ONLY, 1, 0, body=body)))


class Sender:
    """One direction of a connection: requests there, responses back."""

    def __init__(self, rng, path, side, mtu, psn, style):
        self.rng, self.path, self.side, self.mtu, self.style = rng, path, side, mtu, style
        self.fates, self.window = fates(rng, style), 120 if style == "burst" else 17
        self.psn, self.time = psn, 10**6
        self.history = []

    def messages(self, count):
        """Requests of @count messages."""
        requests = []
        for _ in range(count):
            kind = self.rng.choices(("send", "write", "read", "atomic", "flush", "atomic_write"),
                                    (30, 30, 2 if self.style == "holes" else 25, 8, 3, 4))[0]
            if self.path.service == "UC" and kind not in ("send", "write"):
                kind = "write"
            requests += self.message(kind)
        return requests

    def request(self, op, size=0, span=1, **fields):
        request = Request(op, self.psn, size, span, **fields)
        self.psn += span
        return request

    def message(self, kind):
        rng, mtu = self.rng, self.mtu
        if kind == "read":
            dma = rng.choice((0, 1, 8, 256, 257, mtu, mtu + 1, rng.randrange(6 * mtu), rng.randrange(64 * mtu)))
            return [self.request(P.READ_REQUEST, 0, max(1, -(-dma // mtu)), dma=dma)]
        if kind == "atomic":
            return [self.request(rng.choice((P.COMPARE_SWAP, P.FETCH_ADD)))]
        if kind == "flush":
            return [self.request(P.FLUSH)]
        if kind == "atomic_write":
            return [self.request(P.ATOMIC_WRITE)]
        ops = SEND if kind == "send" else WRITE
        size = rng.choice((0, rng.randrange(1, mtu + 1), rng.randrange(1, mtu + 1), rng.randrange(5 * mtu)))
        if self.style != "plain":
            size = min(size, mtu, 64)
        last = rng.randrange(2 if self.path.service == "UC" else 3) % len(ops["last"])
        if size <= mtu:
            return [self.request(ops["only"][last], size, ackreq=rng.random() < 0.8, dma=size)]
        parts = [ops["first"]] + [ops["middle"]] * (-(-size // mtu) - 2) + [ops["last"][last]]
        rest = size - mtu * (len(parts) - 1)
        return [self.request(op, mtu if op != parts[-1] else rest, dma=size,
                             ackreq=rng.random() < (0.8 if op == parts[-1] else 0.1)) for op in parts]

    def fate(self):
        return self.rng.choices(*self.fates)[0]

    def emit(self, request):
        """Sends one request: the times it arrives at, none if it is lost."""
        self.time += self.rng.randrange(100, 3000)
        self.history.append(request)
        return self.travel(self.time, self.side, request.op, request.psn, request.size, **request.fields)

    def travel(self, time, side, op, psn, size=0, **fields):
        """One packet on its way past the capture point."""
        fate, marked = self.fate(), {}
        if fate == "lost":
            return []
        if fate == "bad":
            self.path.put(time, side, op, psn, size, bad=True, **fields)
            return []
        if fate == "marked":
            marked = self.rng.choice(({"ecn": 3}, {"fecn": 1}))
        if fate == "late":
            time += self.rng.randrange(1000, 20000)
        if fate != "unseen":
            self.path.put(time, side, op, psn, size, **fields, **marked)
        if fate == "marked" and self.rng.random() < 0.5:
            self.path.put(time + 500, 1 - side, P.OPCODE_CNP, 0, becn=1)
        if fate == "twice":
            again = time + self.rng.randrange(1, 5000)
            self.path.put(again, side, op, psn, size, **fields)
            return [time, again]
        return [] if fate == "dropped" else [time]

    def run(self, requests):
        """Sends @requests, goes back for what is refused or not answered, and gives up after a while."""
        tries, waiting = 0, list(requests)
        self.expected = waiting[0].psn if waiting else 0
        while waiting and tries < 4 * len(requests):
            window = waiting[:self.rng.randrange(1, self.window)]
            tries += len(window)
            arrivals = sorted(((at, n, request) for n, request in enumerate(window) for at in self.emit(request)),
                              key=lambda arrival: arrival[:2])
            if self.path.service == "UC":
                waiting = waiting[len(window):]
                continue
            again = self.answer(arrivals, window)
            waiting = ([] if self.style == "holes" else again) + waiting[len(window):]
            if self.rng.random() < 0.04 and self.history:
                self.emit(self.rng.choice(self.history))
            if self.rng.random() < 0.02:
                self.begin_anew(waiting)
        return waiting

    def begin_anew(self, waiting):
        """All PSNs from here on are others: near the bound of what is a new beginning, or anywhere."""
        jump = self.rng.choice((2**20 - 40, 2**20 + 1, 2**20 + 40, -2**20 - 40, 2**22, self.rng.randrange(PSNS)))
        for request in waiting:
            request.psn += jump
        self.psn += jump
        self.expected += jump

    def answer(self, arrivals, window):
        """What the responder makes of @arrivals; the requests of @window that have to be sent again."""
        refused, answered = False, set()
        for at, n, request in arrivals:
            at += self.rng.randrange(1000, 9000)
            self.time = max(self.time, at)
            if request.psn == self.expected and not refused:
                chance = self.rng.random()
                if chance < 0.03:
                    self.acknowledge(at, self.expected, RNR if chance < 0.025 else self.rng.choice(FATAL))
                    refused = True
                    continue
                self.expected += request.span
                answered |= self.respond(at, n, request)
            elif request.psn > self.expected:
                if not refused or self.rng.random() < 0.1:
                    self.acknowledge(at, self.expected, SEQUENCE)
                refused = True
            elif request.psn < self.expected:
                answered |= self.respond(at, n, request)
        # an answer answers all before it, but no READ or atomic; some that have none are not waited for
        upto = max(answered, default=-1)
        return [rest for n, request in enumerate(window) if n not in answered
                and not (n < upto and request.op in P.SENDS | P.WRITES)
                and not (request.psn < self.expected and self.rng.random() < 0.6) for rest in self.rest(request)]

    def rest(self, request):
        """A READ may be asked for from its middle on."""
        if request.op == P.READ_REQUEST and request.span > 1 and self.rng.random() < 0.5:
            done = self.rng.randrange(1, request.span)
            return [Request(request.op, request.psn + done, 0, request.span - done,
                            dma=request.fields["dma"] - done * self.mtu)]
        return [request]

    def acknowledge(self, at, psn, syndrome):
        return self.travel(at, 1 - self.side, P.ACKNOWLEDGE, psn, syndrome=syndrome)

    def respond(self, at, n, request):
        """The answer to a request that is in order, or came before. {@n} if it arrives whole."""
        back = 1 - self.side
        if request.op in P.ATOMICS:
            return {n} if self.travel(at, back, P.ATOMIC_ACKNOWLEDGE, request.psn) else set()
        if request.op in (P.FLUSH, P.ATOMIC_WRITE):
            return {n} if self.travel(at, back, P.READ_ONLY, request.psn) else set()
        if request.op == P.READ_REQUEST:
            return {n} if self.read(at, request) else set()
        if not request.fields.get("ackreq") and self.rng.random() < 0.9:
            return set()
        return {n} if self.acknowledge(at, self.expected - 1, ACK) else set()

    def read(self, at, request):
        if self.style != "plain" and request.span > 1:
            return True  # nothing that tells the MTU is captured
        dma, count, whole = request.fields["dma"], request.span, True
        shown = range(count) if count < 20 else sorted(self.rng.sample(range(count), 6))
        for part in shown:
            at += self.rng.randrange(100, 2000)
            first, last = part == 0 and self.rng.random() < 0.9, part == count - 1
            op = {(1, 1): P.READ_ONLY, (1, 0): P.READ_FIRST, (0, 0): P.READ_MIDDLE, (0, 1): P.READ_LAST}[first, last]
            size = dma - part * self.mtu if last else self.mtu
            whole &= bool(self.travel(at, 1 - self.side, op, request.psn + part, size))
        self.time = max(self.time, at)
        return whole


def fates(rng, style):
    """What befalls packets, and how often: calm, lossy, or so that there are very many holes."""
    names = ("fine", "lost", "dropped", "unseen", "twice", "late", "bad", "marked")
    if style == "holes":
        return names, (50, 0, 0, 50, 1, 0, 0, 0)
    often = rng.choice(((100, 0, 0, 0, 0, 0, 0, 2), (85, 3, 3, 2, 2, 2, 2, 2), (85, 0, 6, 0, 3, 3, 0, 0),
                        (60, 10, 10, 5, 5, 5, 5, 5), (50, 0, 0, 50, 2, 1, 0, 0)))
    return names, often


def conversation(rng, events, service, ends, framings, begin, number, again, anew=False):
    """A connection from @begin on; returns when it is over. @anew: of a queue pair that the CM says nothing of."""
    mtu, path = rng.choice(MTUS), Path(rng, service, ends, framings, [])
    psns = [rng.randrange(PSNS) if anew else rng.choice((0, 5, PSNS - 3, PSNS - 40, rng.randrange(PSNS))) for _ in range(2)]
    local, remote, after = 4096 + number * 2, 8192 + number * 2 + 1, 0
    if again or not anew and rng.random() < 0.4:
        path.message(0, 0, 0x10, local, 0, sure=again, qpn=ends[0].qpn, mtu=mtu, psn=psns[1])
        path.message(10**5, 1, 0x13, remote, local, qpn=ends[1].qpn, psn=psns[0])
        path.message(2 * 10**5, 0, 0x14, local, remote)
        after = 10**7
    style = rng.choices(("plain", "small", "burst", "holes"), (7, 1, 1, 1))[0]
    senders = [Sender(rng, path, side, mtu, psns[side], style) for side in (0, 1)]
    for side, sender in enumerate(senders):
        sender.time += after
        if side == 0 or rng.random() < 0.4:
            sender.run(sender.messages(rng.randrange(1, 40) if style in ("plain", "small")
                                       else rng.randrange(64, 400)))
            for request in rng.sample(sender.history, len(sender.history) // 4) if style == "holes" else ():
                sender.emit(request)
    over = max(sender.time for sender in senders) + 10**6
    if after and rng.random() < 0.8:
        path.message(over, 0, 0x15, local, remote, qpn=ends[1].qpn)
        path.message(over + 10**5, 1, 0x16, remote, local)
    events += [(begin + time, data) for time, data in path.events]
    return begin + over + 2 * 10**7


def hosts(rng, family):
    """Two ports: addresses by framing."""
    number = rng.randrange(1, 200)
    addresses = {framing: [f"192.0.2.{number}", f"192.0.2.{number + 50}"] if framing == "ipv4"
                 else [f"fe80::{number:x}:1", f"fe80::{number:x}:2"] for framing in family}
    return addresses, (number, number + 300)


def pair_port(one, other):
    label = one * other
    label = (label ^ label >> 20 ^ (label ^ label >> 20) >> 40) & 0xfffff
    return (label & 0x3fff ^ label >> 14) | 0xc000


def connections(rng, family):
    """The events of a few connections of two hosts."""
    events = []
    addresses, lids = hosts(rng, family)
    framing = rng.choice(family)
    framings = (framing, framing)
    if rng.random() < 0.1 and "ipv6" in family:  # one way so, the other way so
        framings = ("ipv6", "roce-v1")
    together, equal = rng.random() < 0.5, rng.random() < 0.4
    begin, number, used = 10**18, 0, set()
    state = rng.getrandbits(32)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        qpns = [rng.choice((rng.randrange(2, 100), rng.randrange(2, PSNS - 1))) for _ in range(2)]
        while used & set(enumerate(qpns)):
            qpns = [qpn + 1 for qpn in qpns]
        used |= set(enumerate(qpns))
        ports = [pair_port(*qpns)] * 2 if rng.random() < 0.5 else [0xc000 + qpn % 16384 for qpn in qpns]
        ends = [W.End("" if f == "ib-local" else addresses[f][side], qpns[side], lids[side], ports[side])
                for side, f in enumerate(framings)]
        service = rng.choices(("RC", "UC", "XRC"), (7, 2, 2))[0]
        over = begin
        for again in range(2 if rng.random() < 0.2 else 1):  # the same QPNs, by a new REQ
            of_it = random.Random(state) if equal else rng
            over = conversation(of_it, events, service, ends, framings, over, number, again > 0)
            number += 1
        begin = begin if together else over
        begin += rng.randrange(10**4)
    return events


def captured(rng, events):
    """What a capture of @events has; rarely all of it in order."""
    events.sort(key=lambda event: event[0])
    choice = rng.random()
    if choice < 0.15:
        events = events[rng.randrange(len(events) // 2 + 1):]
    elif choice < 0.22:
        source = events[0][1][26:30] if len(events[0][1]) > 30 else b""
        events = [event for event in events if event[1][26:30] == source]
    elif choice < 0.27:
        events = [event for event in events if rng.random() < 0.15]
    if rng.random() < 0.15:  # two queues of one tap
        for _ in range(len(events) // 20):
            at = rng.randrange(len(events) - 1) if len(events) > 1 else 0
            events[at:at + 2] = events[at:at + 2][::-1]
    return events


def paused(rng, frames):
    """With pause frames of two senders: of a priority, of all, some without an end."""
    frames = list(frames)
    for at in sorted(rng.sample(range(1, len(frames)), min(len(frames) - 1, rng.randrange(1, 12))), reverse=True):
        latest = max(time for time, _ in frames[:at])
        quanta = rng.choice((0, 0, 0xffff, 0xffff, 0x100))
        mask = rng.choice((0, 1, 1, 1, 3, 8))
        data = struct.pack(">HH", 1, quanta)
        if mask:
            data = struct.pack(">HH8H", 0x0101, mask, *(quanta if mask >> i & 1 else 0 for i in range(8)))
        sender = b"\2\0\0\0\0" + bytes([0xfe + rng.randrange(4) // 3])
        frame = bytes.fromhex("0180c2000001") + sender + b"\x88\x08" + data
        frames.insert(at, (latest + rng.randrange(2000), frame.ljust(60, b"\0")))
    return frames


def scenario(seed):
    """The bytes of the capture number @seed."""
    rng = random.Random(seed)
    family = ETHERNET if rng.random() < 0.7 else INFINIBAND
    frames = captured(rng, connections(rng, family))
    snaplen = rng.choice((60, 66, 96)) if rng.random() < 0.05 else 262144
    of_pauses = random.Random(-seed - 1)
    if family == ETHERNET and of_pauses.random() < 0.4:
        frames = paused(of_pauses, frames)
    return W.pcap(W.LINKTYPES[family[0]], frames, snaplen)


def lives(rng, path_of, begin):
    """The events of one pair of queue pairs that is used several times, without a message of the CM:
    each life may break off somewhere, with what was open then."""
    events = []
    for number in range(rng.randrange(2, 5)):
        life = []
        over = conversation(rng, life, *path_of, begin, number, False, anew=True)
        life.sort(key=lambda event: event[0])
        if rng.random() < 0.8:
            life = life[:rng.randrange(1, len(life) + 1)] if life else life
            over = life[-1][0] + rng.choice((1, 10**3, 10**6, 10**8)) if life else over
        events += life
        begin = over
    return events


def ends(seed):
    """The bytes of the capture number @seed of connections that end and begin: queue pairs used again, times of a coarse clock,
    a capture cut at both ends."""
    rng = random.Random(f"ends {seed}")
    family = ETHERNET if rng.random() < 0.7 else INFINIBAND
    addresses, lids = hosts(rng, family)
    framing, events = rng.choice(family), []
    for number in range(rng.choice((1, 1, 2, 3))):
        qpns = [50 * number + rng.randrange(2, 50) for _ in range(2)]
        both = [W.End("" if framing == "ib-local" else addresses[framing][side], qpns[side], lids[side], pair_port(*qpns))
                for side in range(2)]
        events += lives(rng, (rng.choice(("RC", "RC", "XRC", "UC")), both, (framing, framing)), 10**18 + rng.randrange(10**4))
    unit = rng.choice((1, 10**3, 10**4, 10**6))
    events = sorted(((time // unit * unit, data) for time, data in events), key=lambda event: event[0])
    if rng.random() < 0.5:
        events = events[rng.randrange(len(events) // 4 + 1):len(events) - rng.randrange(len(events) // 4 + 1)]
    return W.pcap(W.LINKTYPES[framing], events)


def write(directory, count, first=0, of=scenario):
    """@count captures of a kind, by the seeds from @first on."""
    paths = []
    for seed in range(first, first + count):
        paths.append(directory / f"{of.__name__}-{seed:04}.pcap")
        paths[-1].write_bytes(of(seed))
    return paths


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[2:]] + [200, 0][len(sys.argv) - 2:]
    for kind in (scenario, ends):
        write(pathlib.Path(sys.argv[1]), given[0], first=given[1], of=kind)
