# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random iWARP connections over TCP that loses, delays and doubles segments, with what became of each: a sender, a network with a capture
point in its middle, and a receiver that acknowledges each segment at once.

The sender retransmits the first segment that is not acknowledged after three duplicate ACKs, the next one with each partial ACK (RFC 6582), and
from there on upwards when its timer expires. RFC 5044, 4 and 7 (FPDUs, start-up), RFC 5040 and 5041 (headers) by random_iwarp.py.
"""
import heapq
import ipaddress
import struct

import random_iwarp as R
import writer

US, MS = 10**3, 10**6
TIMER, BEFORE, AFTER, BACK = 210 * MS, 20 * US, 60 * US, 40 * US  # to the capture point, from there, and back to it
KEYS = (b"MPA ID Req Frame", b"MPA ID Rep Frame")
A, B = 0, 1


class Scenario:
    """One connection: A sends, B acknowledges."""

    def __init__(self, rng, drops=None):
        """@drops: {number of a segment: what becomes of its copies}, else by chance."""
        self.rng, self.drops = rng, drops
        self.v6 = drops is None and rng.random() < 0.15
        self.numbers = not self.v6 and (drops is not None or rng.random() < 0.85)
        self.syn = drops is not None or rng.random() < 0.9
        self.mss = rng.choice([128, 512, 1024]) if drops is None else 256
        self.addresses = [ipaddress.ip_address(text).packed for text in (("fd00::1", "fd00::2") if self.v6 else ("10.9.0.1", "10.9.0.2"))]
        self.ports, self.first, self.ident = (rng.randrange(1024, 60000), 7471), [rng.randrange(1 << 32) for _ in range(2)], [rng.randrange(1, 60000) for _ in range(2)]
        self.frames, self.serial = [], 0
        self.lost_before, self.lost_after = set(), set()
        self.rates = [0 if rng.random() < 0.3 else rng.choice([0.02, 0.05, 0.12]) for _ in range(6)]

    # Packets

    def frame(self, side, at, data, flags, ack):
        src, dst = self.addresses[side], self.addresses[not side]
        tcp = struct.pack(">HHIIBBHHH", self.ports[side], self.ports[not side], (self.first[side] + at) % 2**32,
                          (self.first[not side] + ack) % 2**32 if flags & R.ACK else 0, 5 << 4, flags, 0x8000, 0, 0) + data
        pseudo = src + dst + (struct.pack(">IHBB", len(tcp), 0, 0, R.TCP) if self.v6 else struct.pack(">HH", R.TCP, len(tcp)))
        tcp = tcp[:16] + struct.pack(">H", writer.checksum(pseudo + tcp + bytes(len(tcp) % 2))) + tcp[18:]
        if self.v6:
            return writer.MACS + b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, len(tcp), R.TCP, 64) + src + dst + tcp
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), self.ident[side] % 65536 if self.numbers else 0, 0x4000, 64, R.TCP, 0) + src + dst
        self.ident[side] += 1
        return writer.MACS + b"\x08\x00" + head[:10] + struct.pack(">H", writer.checksum(head)) + head[12:] + tcp

    def push(self, when, what, *args):
        self.serial += 1
        heapq.heappush(self.queue, (when, self.serial, what, args))

    def captured(self, when, data):
        self.frames.append((when, len(self.frames), data))

    # The network

    def fate(self, number, copy):
        """(before the capture point: lost, delay, doubled; after it: lost)"""
        if self.drops is not None:
            said = self.drops.get(number, ())
            what = said[copy] if copy < len(said) else ""
            return what == "before", 300 * US if what == "late" else 0, what == "doubled", what == "after"
        before, after, late, doubled = (self.rng.random() < rate for rate in self.rates[:4])
        return before, self.rng.choice([5, 200, 900]) * US if late else 0, doubled, after

    def transmit(self, when, number):
        at, data = self.segments[number]
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        before, delay, doubled, after = self.fate(number, copy)
        packet = self.frame(A, at, data, R.ACK | R.PUSH, self.b_sent)
        if before:
            self.lost_before.add(at)
            return
        for extra in (0, 30 * US) if doubled else (0,):
            self.push(when + BEFORE + delay + extra, self.captured, packet)
        if after:
            self.lost_after.add(at)
        else:
            self.push(when + BEFORE + delay + AFTER, self.arrive, number)

    def arrive(self, when, number):
        at, data = self.segments[number]
        self.got[at] = at + len(data)
        while self.expected in self.got:
            self.expected = self.got[self.expected]
        before, after = (self.rng.random() < rate and self.drops is None for rate in self.rates[4:])
        packet = self.frame(B, self.b_sent, b"", R.ACK, self.expected)
        if not before:
            self.push(when + BACK, self.captured, packet)
            if not after:
                self.push(when + BACK + BEFORE, self.acked, self.expected)

    # The sender

    def number_of(self, at):
        return next((n for n, (begin, data) in enumerate(self.segments) if begin <= at < begin + len(data)), len(self.segments))

    def acked(self, when, ack):
        if ack > self.una:
            self.una, self.dups = ack, 0
            self.push(when + TIMER, self.expire, ack)
            if ack < self.recover:
                self.transmit(when, self.number_of(ack))
            else:
                self.recover = 0
        elif ack == self.una and self.una < self.sent_to:
            self.dups += 1
            if self.dups == 3 and not self.recover:
                self.recover = self.sent_to
                self.transmit(when, self.number_of(ack))
        self.send(when)

    def expire(self, when, una):
        if self.una != una or self.una >= self.sent_to or self.tries > 4:
            return
        self.tries += 1
        self.recover = self.dups = 0
        first = self.number_of(self.una)
        for n in range(first, min(self.next, first + self.rng.choice([1, 2, 4]))):
            self.transmit(when + (n - first) * US, n)
        self.push(when + 2 * TIMER, self.expire, una)

    def send(self, when):
        while self.next < len(self.segments) and self.next < self.number_of(self.una) + self.window:
            at, data = self.segments[self.next]
            self.transmit(when + self.gap, self.next)
            self.gap += 3 * US
            self.next, self.sent_to = self.next + 1, at + len(data)
        self.gap = 0

    def stream(self, count):
        data, msn = b"", 0
        for _ in range(count):
            msn += 1
            data += R.untagged(R.SEND, 0, msn, 0, True, bytes(self.rng.randrange(256) for _ in range(self.rng.choice([16, 64, 200, 400]))))
        return data

    def run(self, count=40):
        self.queue, self.got, self.copies, now = [], {}, {}, 10**18
        start = [key + struct.pack(">BBH", 0, 1, 0) for key in KEYS]
        if self.syn:
            for side, flags in ((A, R.SYN), (B, R.SYN | R.ACK), (A, R.ACK)):
                self.captured(now, self.frame(side, -1 if flags & R.SYN else 0, b"", flags, 0))
                now += 100 * US
        self.captured(now, self.frame(A, 0, start[A], R.ACK | R.PUSH, 0))
        self.captured(now + 100 * US, self.frame(B, 0, start[B], R.ACK | R.PUSH, len(start[A])))
        now += 300 * US
        data, begin = self.stream(count), len(start[A])
        self.segments = [(begin + at, data[at:at + self.mss]) for at in range(0, len(data), self.mss)]
        self.b_sent, self.una, self.expected, self.sent_to = len(start[B]), begin, begin, begin
        self.next = self.dups = self.recover = self.tries = self.gap = 0
        self.window = self.rng.choice([2, 6, 12, 30]) if self.drops is None else 12
        self.send(now)
        self.push(now + TIMER, self.expire, begin)
        stop = now + self.rng.choice([400, 3000]) * MS if self.drops is None else now + 10**10
        while self.queue and self.queue[0][0] < stop:
            when, _, what, args = heapq.heappop(self.queue)
            what(when, *args)
            now = max(now, when)
        if self.rng.random() < 0.7 and self.una >= self.sent_to:
            self.captured(now + MS, self.frame(A, self.sent_to, b"", R.FIN | R.ACK, self.b_sent))
        return writer.pcap(1, [(when, data) for when, _, data in sorted(self.frames)])


def scenario(rng):
    """(capture, places of segments that were lost before the capture point; None: late ones look alike)"""
    one = Scenario(rng)
    data = one.run(rng.choice([5, 20, 60]))
    return data, one.lost_before if one.numbers else None


def by_hand(rng, drops):
    return Scenario(rng, drops).run(16)
