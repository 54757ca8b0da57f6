# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random RMPP transfers, and what becomes of them: segments lost before the capture point, repeated, late, damaged in their contents;
ACKs, STOPs and ABORTs; more transfers at a time than are remembered; ones that end in silence.

Layouts are those of facts/ (see mads.py). Frames are sorted by time and numbered at the end.
"""
import struct

import random_mads as R

ACK = 2
RESPONSES = ((R.SA, 0x92, 0x35, 20), (R.SA, 0x92, 0x11, 20), (R.SA, 0x14, 0x35, 20), (R.VENDOR, 0x81, 0x20, 4))


class Transfer:
    """One from host to host, of so many segments."""

    def __init__(self, world, hosts, tid, n, of=None):
        self.world, self.tid, self.n = world, tid, n
        self.sender, self.receiver = hosts
        self.mgmt_class, self.method, self.attr, self.header = of or world.rng.choice(RESPONSES)
        self.now = world.now

    def put(self, kind, segment=0, length=0, flags=0, status=0, back=False, fill=None):
        ends = (self.receiver, self.sender) if back else (self.sender, self.receiver)
        header = struct.pack(">BBBBHHQHHI", 1, self.mgmt_class, 2, self.method ^ (0x80 if back else 0), 0, 0, self.tid, self.attr, 0, 0)
        rmpp = struct.pack(">BBBBII", 1, kind, R.ACTIVE | flags, status, segment, length)
        body = bytes(self.header) + bytes([segment & 0xff if fill is None else fill]) * (220 - self.header)
        self.world.put(self.now, *ends, header, rmpp, body if kind == R.DATA else bytes(220))

    def data(self, segment, after=R.MS, **more):
        self.now += after
        flags = (R.FIRST if segment == 1 else 0) | (R.LAST if segment == self.n else 0)
        self.put(R.DATA, segment, 220 if segment == self.n else 0, flags, **more)

    def ack(self, segment, after=R.MS):
        self.now += after
        self.put(ACK, segment, segment + 64, back=True)

    def stop(self, kind, status, after=R.MS, back=True):
        self.now += after
        self.put(kind, 0, 0, 0, status, back)


def plan(rng, n):
    """The numbers of the segments, as they come."""
    numbers = list(range(1, n + 1))
    for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
        at = rng.randrange(len(numbers)) if numbers else 0
        choice = rng.randrange(5)
        if choice == 0 and numbers:
            lost = numbers.pop(at)
            if rng.random() < 0.7:
                numbers.insert(min(len(numbers), at + rng.randrange(1, 6)), lost)
        elif choice == 1 and numbers:
            numbers[at:at] = numbers[max(0, at - rng.randrange(1, 5)):at]  # from there again
        elif choice == 2 and numbers:
            numbers.insert(at, numbers[at])
        elif choice == 3:
            del numbers[at:]
        else:
            del numbers[:rng.randrange(3)]
    return numbers


def one(world, hosts, tid):
    rng = world.rng
    this = Transfer(world, hosts, tid, rng.randrange(2, 14))
    for segment in plan(rng, this.n):
        after = rng.choice((0, R.US, R.MS, R.MS, 100 * R.MS, 2 * R.SECOND)) if rng.random() < 0.98 else 41 * R.SECOND
        this.data(segment, after, fill=rng.choice((None, 1)) if rng.random() < 0.02 else None)
        if rng.random() < 0.3:
            this.ack(segment, rng.choice((R.US, R.MS)))
        if rng.random() < 0.02:
            this.stop(rng.choice((R.STOP, R.ABORT)), rng.choice((1, 118, 126, 127, 200)), rng.choice((0, R.SECOND)), rng.random() < 0.5)
    if rng.random() < 0.1:
        this.stop(R.ABORT, 126)
    return this


def scenario(rng):
    """Bytes of a capture: some by themselves, some at once, now and then more than are remembered."""
    world = R.World(rng)
    for _ in range(rng.randrange(2, 9)):
        world.now += rng.choice((R.MS, R.SECOND, 30 * R.SECOND, 50 * R.SECOND))
        hosts = rng.sample(world.hosts, 2)
        for _ in range(rng.choice((1, 1, 3, 8, 36))):
            world.now += rng.choice((0, R.US, R.MS))
            world.tid += rng.random() < 0.95
            one(world, hosts, world.tid)
    return world.capture()


def by_hand(rng, acts, n=6, tail=0):
    """A capture of one transfer: a segment number, or what to do, each a millisecond after the one before; @tail: a packet that long after."""
    world = R.World(rng)
    this = Transfer(world, world.hosts[:2], 0x77, n, RESPONSES[0])
    for act in acts:
        this.data(act) if isinstance(act, int) else act(this)
    if tail:
        world.put(this.now + tail, *world.hosts[:2], struct.pack(">BBBBHHQHHI", 1, R.PERF, 1, R.GET, 0, 0, 0x99, 0x12, 0, 0))
    return world.capture()
