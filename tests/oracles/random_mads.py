# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random requests of MADs, of the SA and of performance management, and what becomes of them: answered, in one MAD or in segments of
RMPP, once more, late, by somebody else, stopped, or not at all; repeated, or with a transaction ID that another one has.

Layouts are those of facts/ (see mads.py). Frames are sorted by time and numbered at the end.
"""
import struct

import writer as W

GET, SET, TABLE, DELETE = 0x01, 0x02, 0x12, 0x15
SA, PERF, VENDOR = 0x03, 0x04, 0x32
DATA, STOP, ABORT = 1, 3, 4
ACTIVE, FIRST, LAST = 1, 2, 4
SEND_QP1, QKEY_QP1 = 1, 0x80010000
US, MS, SECOND = 10**3, 10**6, 10**9
WAITS = (1 * MS, 300 * MS, SECOND, 2 * SECOND - 1, 2 * SECOND, 3 * SECOND, 31 * SECOND)


class World:
    """Hosts, and all packets between them."""

    def __init__(self, rng):
        self.rng, self.frames, self.tid = rng, [], 0x7_0000_0000
        self.framing = rng.choice(("ib-local", "ib-local", "ib-global", "ipv4"))
        address = {"ipv4": "192.0.2.{}", "ib-local": "fe80::2:0:0:{}", "ib-global": "fe80::2:0:0:{}"}[self.framing]
        self.hosts = [W.End(address.format(n + 2), SEND_QP1, 8 * (n + 1)) for n in range(rng.randrange(2, 5))]
        self.now = 10**18

    def put(self, time, src, dst, header, rmpp=b"", body=b""):
        mad = (header + rmpp + body).ljust(256, b"\0")
        data = W.frame(self.framing, src, dst, W.UD_SEND_ONLY, SEND_QP1, self.rng.randrange(1 << 24), body=mad, qkey=QKEY_QP1,
                       sqpn=SEND_QP1)
        self.frames.append((time, len(self.frames), data))

    def capture(self):
        self.frames.sort()
        return W.pcap(W.LINKTYPES[self.framing], [(time, data) for time, _, data in self.frames])


class Request:
    def __init__(self, world, time, hosts, tid):
        self.world, self.time, self.tid = world, time, tid
        self.client, self.server = hosts
        self.mgmt_class, self.methods, self.attr = world.rng.choice((
            (SA, (GET, SET, TABLE, DELETE), 0x35), (SA, (GET, TABLE), 0x11), (PERF, (GET, SET), 0x12), (VENDOR, (GET, SET), 0x20)))
        self.method = world.rng.choice(self.methods)
        self.number = world.rng.randrange(1 << 16)
        self.last = time

    def header(self, method, status=0):
        return struct.pack(">BBBBHHQHHI", 1, self.mgmt_class, 2, method, status, 0, self.tid, self.attr, 0, 0)

    def body(self):
        rmpp = b"" if self.mgmt_class == PERF else bytes(12)
        return rmpp, struct.pack(">20xI", self.number)

    def ask(self, time):
        self.world.put(time, self.client, self.server, self.header(self.method), *self.body())
        self.last = time

    def answer(self, time, server=None, status=0):
        method = 0x80 | (GET if self.method == SET else self.method)
        self.world.put(time, server or self.server, self.client, self.header(method, status), *self.body())

    def segments(self, time, n):
        for i in range(1, n + 1):
            flags = ACTIVE | (FIRST if i == 1 else 0) | (LAST if i == n else 0)
            rmpp = struct.pack(">BBBBII", 1, DATA, flags, 0, i, 0)
            self.world.put(time + i * MS, self.server, self.client, self.header(0x80 | self.method), rmpp, bytes(24))

    def stop(self, time, kind):
        rmpp = struct.pack(">BBBBII", 1, kind, ACTIVE, 0, 0, 0)
        self.world.put(time, self.client, self.server, self.header(self.method), rmpp)


def outcome(world, request):
    rng = world.rng
    time = request.last + rng.choice(WAITS) + rng.choice((0, 0, rng.randrange(50 * MS)))
    choice = rng.randrange(14)
    if choice < 3:
        return  # none
    if choice == 3:
        others = [host for host in world.hosts if host not in (request.client, request.server)]
        if others:
            request.answer(time, others[0])
    elif choice == 4 and request.mgmt_class != PERF:
        request.stop(time, rng.choice((STOP, ABORT)))
    elif choice in (5, 6) and request.mgmt_class != PERF:
        request.segments(time, rng.randrange(1, 5))
    else:
        request.answer(time, status=rng.choice((0, 0, 0, 1, 0x0c)))
        if rng.random() < 0.3:
            request.answer(time + rng.randrange(1, 10**9))


def one(world, time, hosts, tid):
    rng = world.rng
    request = Request(world, time, hosts, tid)
    request.ask(time)
    while rng.random() < 0.35:
        request.ask(request.last + rng.choice((rng.randrange(1, 100 * US), 100 * MS, SECOND, 2 * SECOND, 31 * SECOND)))
    outcome(world, request)
    return request


def scenario(rng):
    """Bytes of a capture: requests by themselves, and several at a time from one host to another."""
    world = World(rng)
    for _ in range(rng.randrange(4, 25)):
        world.now += rng.choice((10 * MS, 300 * MS, SECOND, 5 * SECOND, 40 * SECOND))
        hosts = rng.sample(world.hosts, 2)
        for _ in range(rng.choice((1, 1, 1, 4, 12))):
            world.now += rng.choice((0, MS, 200 * MS))
            world.tid += rng.random() < 0.9
            one(world, world.now, hosts, world.tid)
    return world.capture()
