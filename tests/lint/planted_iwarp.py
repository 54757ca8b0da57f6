#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_iwarp.py PCAP-LINT: a fault of each rule of iWARP, planted in real captures of siw, is found, and nothing else is.

Ten faults a rule, by a seed that is always the same, in connections of pcaps/siw whose start was captured: octets of a stream are changed,
FPDUs and markers put in, segments left out or sent again, TCP checksums and CRCs made right. iWARP is read by tests/codec/iwarp.py. What a
capture shows without a fault is not counted. Recall (planted and found, at their frame) and precision (found and planted, or following from
it by what the plan says) have to be 98 % in all, and 90 % of each rule.
"""
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import json

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/codec"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True
import iwarp  # noqa: E402
import siw  # noqa: E402

CAPTURES = ("01-rping-ipv4", "12-crc-rping", "26-p2p-rcm", "01-nvme-siw", "05-nfs4-siw", "05d-nfs3-siw", "03-send", "04-write", "05-read")
P2P, CRC = ("26-p2p-rcm", "26-p2p-stall"), ("12-crc-rping", "26-crc-loss-reorder")
EACH, ENOUGH, LEAST = 10, 0.98, 0.90
FIN, SYN, RST, ACK = 1, 2, 4, 16
FLAGS, REV, LENGTH, IRD, ORD = 16, 17, 18, 20, 22  # octets of an MPA frame
WRITE, READ, RESPONSE, SEND, TERMINATE = 0, 1, 2, 3, 7
NUMBER = re.compile(r"\d+")


def checksum(data):
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


class Packet:
    """A frame of Ethernet; of TCP over IPv4 with its parts."""

    def __init__(self, time, data):
        self.time, self.data, self.tcp = time, data, None
        if data[12:14] == b"\x08\x00" and data[23] == 6:
            head = 14 + (data[14] & 15) * 4
            self.ip, self.tcp = data[14:head], data[head:14 + struct.unpack(">H", data[16:18])[0]]
            ports = struct.unpack(">HH", self.tcp[:4])
            self.source, self.to = (self.ip[12:16], ports[0]), (self.ip[16:20], ports[1])
            self.seq, self.ack = struct.unpack(">II", self.tcp[4:12])
            self.flags, self.options, self.payload = self.tcp[13], self.tcp[20:(self.tcp[12] >> 4) * 4], self.tcp[(self.tcp[12] >> 4) * 4:]

    def built(self, seq=None, ack=None, payload=None, flags=None, options=None, ident=None, time=None):
        """The same with other parts, and right checksums."""
        options, payload = self.options if options is None else options, self.payload if payload is None else payload
        tcp = self.tcp[:4] + struct.pack(">II", self.seq if seq is None else seq, self.ack if ack is None else ack)
        tcp += bytes([(20 + len(options)) // 4 << 4, self.flags if flags is None else flags]) + self.tcp[14:16] + bytes(2) + self.tcp[18:20]
        tcp += options + payload
        total = checksum(self.ip[12:20] + struct.pack(">HH", 6, len(tcp)) + tcp)
        tcp = tcp[:16] + struct.pack(">H", total) + tcp[18:]
        ip = self.ip[:2] + struct.pack(">H", len(self.ip) + len(tcp)) + (self.ip[4:6] if ident is None else struct.pack(">H", ident)) + self.ip[6:10]
        ip += bytes(2) + self.ip[12:]
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        return Packet(self.time if time is None else time, self.data[:14] + ip + tcp)


def packets(path):
    data = path.read_bytes()
    unit, at = 1 if struct.unpack("<I", data[:4])[0] == 0xa1b23c4d else 1000, 24
    while at + 16 <= len(data):
        seconds, part, n, _ = struct.unpack("<IIII", data[at:at + 16])
        yield Packet(seconds * 10**9 + part * unit, data[at + 16:at + 16 + n])
        at += 16 + n


class Side:
    """What an end of a connection sends, and how it is changed."""

    def __init__(self, begun, i):
        self.source, self.data, self.ends = begun.ends[i][0], bytearray(begun.data[i][0]), begun.data[i][1]
        self.frame, self.begun, self.i = begun.frames[i], begun, i
        self.fpdus = begun.stream(i).fpdus
        self.crc, self.put = begun.crc, {}

    def sent_in(self, place):
        """The frame with which all octets up to @place are there."""
        return max(frame for begin, frame in self.ends.values() if begin <= place)

    def frame_of(self, fpdu):
        return self.sent_in(fpdu.at + fpdu.bytes - 1)

    def poke(self, at, octets):
        self.data[at:at + len(octets)] = octets

    def of_fpdu(self, fpdu, at, octets, crc=True):
        """Octets of an FPDU from its @at on, and its CRC."""
        self.poke(fpdu.at + at, octets)
        if self.crc and crc:
            end = fpdu.at + fpdu.bytes - 4
            self.poke(end, struct.pack("<I", iwarp.crc32c(bytes(self.data[fpdu.at:end]))))

    def insert(self, place, octets):
        self.put[place] = self.put.get(place, b"") + octets

    def place(self, at):
        """Where octet @at is with what was put in; an octet that something was put before: that."""
        end = len(self.data)
        return at + sum(len(octets) for place, octets in self.put.items() if place < at or at > end)

    def changed(self):
        out, at = b"", 0
        for place, octets in sorted(self.put.items()):
            out, at = out + bytes(self.data[at:place]) + octets, place
        return out + bytes(self.data[at:])


def started(name, known={}):
    """The connections of a capture whose start is in it."""
    if name not in known:
        known[name] = [one for one in iwarp.begun(siw.path_of(name)) if all(frame.ok for frame in one.frames)]
    return known[name]


class Plan:
    """A capture, a connection of it, and what is planted: the packets, and {rule: frames} that are expected."""

    def __init__(self, name, which):
        self.name, self.packets = name, list(packets(siw.path_of(name)))
        self.sides = [Side(started(name)[which], i) for i in range(2)]
        self.first = {side.source: self.isn(side) for side in self.sides}
        self.kept, self.also, self.expected, self.follow = set(range(len(self.packets))), {}, {}, set()
        self.numbers, self.ids = {}, (None, 0)

    def isn(self, side):
        return next(one.seq + 1 for one in self.packets if self.mine(one) and one.flags & SYN and one.source == side.source)

    def mine(self, one):
        return one.tcp and {one.source, one.to} == {side.source for side in self.sides}

    def expect(self, rule, frame, follow=()):
        self.expected[rule] = frame
        self.follow |= set(follow)

    def renumber(self, side, after):
        """Packets of an end after this frame have the next number: one more is sent before them."""
        self.ids = side.source, after

    def until(self, frame):
        """The capture ends with this frame."""
        self.kept = {i for i in self.kept if i < frame}

    def after(self, frame, one):
        """Another packet after this frame."""
        self.also.setdefault(frame, []).append(one)

    def last(self, side):
        """The last packet of an end that is still there."""
        return next(self.packets[i] for i in sorted(self.kept, reverse=True) if self.mine(self.packets[i]) and self.packets[i].source == side.source)

    def ident(self, i):
        one = self.packets[i]
        number = struct.unpack(">H", one.ip[4:6])[0] if one.tcp else None
        return (number + 1) % 65536 if self.mine(one) and one.source == self.ids[0] and i >= self.ids[1] else number

    def moved(self, i):
        """A packet with what was changed in its octets and numbers."""
        one = self.packets[i]
        if not self.mine(one) or one.flags & SYN:
            return one
        side, other = self.sides if self.sides[0].source == one.source else self.sides[::-1]
        at, acked = (one.seq - self.first[one.source]) & 0xffffffff, (one.ack - self.first[one.to]) & 0xffffffff
        if at >= 1 << 31:  # a keep-alive of the first octet
            return one
        begin, end = side.place(at), side.place(at + len(one.payload))
        if one.flags & FIN and at + len(one.payload) == len(side.data):
            end = len(side.changed())
        return one.built(seq=(self.first[one.source] + begin) & 0xffffffff, ack=(self.first[one.to] + other.place(acked)) & 0xffffffff, ident=self.ident(i),
                         payload=side.changed()[begin:end] if one.payload or one.flags & FIN else b"")

    def write(self, path):
        """The capture; its frames are numbered anew."""
        out = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 0x40000, 1)]
        for i in range(len(self.packets)):
            for packet in ([self.moved(i)] if i in self.kept else []) + self.also.get(i + 1, []):
                if i in self.kept:
                    self.numbers.setdefault(i + 1, len(out))
                self.numbers[id(packet)] = len(out)
                out.append(struct.pack("<IIII", packet.time // 10**9, packet.time % 10**9, len(packet.data), len(packet.data)) + packet.data)
        path.write_bytes(b"".join(out))


# ---- What is planted: each returns None if a connection has no place for it ----

def any_side(plan, rng):
    return rng.choice(plan.sides)


def of_start(plan, rng, side=None):
    side = side or any_side(plan, rng)
    return side, side.sent_in(side.frame.bytes - 1)


def pick(rng, fpdus):
    return rng.choice(fpdus) if fpdus else None


def iwp001(plan, rng):
    side, frame = of_start(plan, rng)
    for at in rng.sample(range(16), rng.randint(1, 3)):
        side.poke(at, bytes([side.data[at] ^ rng.randint(1, 255)]))
    plan.expect("IWP001", frame)


def iwp002(plan, rng):
    side, frame = of_start(plan, rng)
    side.poke(REV, bytes([rng.randint(3, 255)]))
    plan.expect("IWP002", frame)


def iwp003(plan, rng):
    side, frame = of_start(plan, rng)
    side.poke(FLAGS, bytes([side.data[FLAGS] | rng.choice((1, 2, 4, 8) if side.frame.reply else (1, 2, 4, 8, 0x20))]))
    plan.expect("IWP003", frame)


def iwp004(plan, rng):
    side, frame = of_start(plan, rng)
    side.poke(LENGTH, struct.pack(">H", rng.randint(513, 65535)))
    plan.expect("IWP004", frame)


def iwp005(plan, rng):
    side, frame = of_start(plan, rng)
    if side.frame.rev < 2:
        return
    side.poke(FLAGS, bytes([side.data[FLAGS] | 0x10]) + bytes([2]) + struct.pack(">H", rng.randint(0, 3)))
    plan.expect("IWP005", frame)


def ready(plan, rng, kinds):
    """Both ends want the message that says the initiator is ready; the reply wants one of these @kinds."""
    request, reply = sorted(plan.sides, key=lambda side: side.frame.reply)
    if not request.frame.enhanced or not reply.frame.enhanced or not request.fpdus or \
            (reply.fpdus and reply.frame_of(reply.fpdus[0]) < request.frame_of(request.fpdus[0])):
        return None
    ird, ord_ = struct.unpack(">HH", reply.data[IRD:IRD + 4])
    reply.poke(IRD, struct.pack(">HH", ird & 0x3fff | 0x8000 | (0x4000 if "send" in kinds else 0),
                                ord_ & 0x3fff | (0x8000 if "write" in kinds else 0) | (0x4000 if "read" in kinds else 0)))
    request.poke(IRD, struct.pack(">H", struct.unpack(">H", request.data[IRD:IRD + 2])[0] | 0x8000))
    return request


def iwp006(plan, rng):
    request = ready(plan, rng, rng.choice((("send",), ("read",), ("send", "read"))))
    if request:
        plan.expect("IWP006", request.frame_of(request.fpdus[0]))


def built(side, body):
    """An FPDU."""
    octets = struct.pack(">H", len(body)) + body + bytes(-(len(body) + 2) % 4)
    return octets + struct.pack("<I", iwarp.crc32c(octets) if side.crc else 0)


def iwp007(plan, rng):
    request = ready(plan, rng, ("write",))
    if not request:
        return
    first = request.fpdus[0]
    if first.opcode == WRITE and not first.payload:
        request.of_fpdu(first, 4, bytes(4))
        plan.expect("IWP007", request.frame_of(first))
        return
    request.insert(first.at, built(request, struct.pack(">BBIQ", 0xc1, 0x40 | WRITE, 0, 0)))
    plan.expect("IWP007", request.sent_in(first.at))


def iwp008(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, side.fpdus)
    if not side.crc or not fpdu:
        return
    at = rng.randrange(2, fpdu.bytes)
    side.of_fpdu(fpdu, at, bytes([side.data[fpdu.at + at] ^ 1 << rng.randrange(8)]), crc=False)
    plan.expect("IWP008", side.frame_of(fpdu))


def iwp009(plan, rng):
    for side in plan.sides:
        side.poke(FLAGS, bytes([side.data[FLAGS] & ~0x40]))
    reply = next(side for side in plan.sides if side.frame.reply)
    plan.expect("IWP009", reply.sent_in(reply.frame.bytes - 1))


def iwp010(plan, rng):
    """With markers, as the other end asks for, of which one is wrong."""
    side = any_side(plan, rng)
    other = next(one for one in plan.sides if one is not side)
    start, markers, shift = side.frame.bytes, [], 0
    for fpdu in side.fpdus:
        begin, at, size = fpdu.at - start + shift, 0, fpdu.bytes
        pieces, place = [], begin
        while at < size or place % 512 == 0 and at == 0:
            if place % 512 == 0:
                pieces.append((fpdu.at + at, place))
                place += 4
                shift += 4
            step = min(size - at, 512 - place % 512)
            at, place = at + step, place + step
        markers += [(at_old, place, begin + 4 if pieces[0][1] == begin else begin, fpdu) for at_old, place in pieces]
    if len(markers) < 2 or side.crc:
        return
    wrong = rng.randrange(len(markers))
    for n, (at, place, begin, fpdu) in enumerate(markers):
        pointer = 0 if place < begin else place - begin
        side.insert(at, struct.pack(">HH", 0, pointer ^ (4 << rng.randrange(8) if n == wrong else 0)))
    other.poke(FLAGS, bytes([other.data[FLAGS] | 0x80]))
    plan.expect("IWP010", side.frame_of(markers[wrong][3]), ["IWP030"])


def iwp011(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, [one for one in side.fpdus if one.pad])
    if not fpdu or any(any(one.padding) for one in side.fpdus):
        return
    at = fpdu.bytes - 4 - rng.randint(1, fpdu.pad)
    side.of_fpdu(fpdu, at, bytes([rng.randint(1, 255)]))
    plan.expect("IWP011", side.frame_of(fpdu))


def iwp012(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, side.fpdus)
    if not fpdu:
        return
    side.of_fpdu(fpdu, 0, struct.pack(">H", rng.randrange(14 if fpdu.tagged else 18)))
    plan.expect("IWP012", side.sent_in(fpdu.at + 19))


def header(plan, rng, rule, at, change, fpdus=None):
    """An octet of the header of an FPDU is changed."""
    side = any_side(plan, rng)
    fpdu = pick(rng, [one for one in side.fpdus if fpdus is None or fpdus(one)])
    if not fpdu:
        return
    side.of_fpdu(fpdu, at, bytes([change(side.data[fpdu.at + at])]))
    plan.expect(rule, side.frame_of(fpdu))


def iwp013(plan, rng):
    if rng.random() < 0.5:
        header(plan, rng, "IWP013", 2, lambda octet: octet & 0xfc | rng.choice((0, 2, 3)))
    else:
        header(plan, rng, "IWP013", 3, lambda octet: octet & 0x3f | rng.choice((0, 0x80, 0xc0)))


def iwp014(plan, rng):
    if rng.random() < 0.5:
        header(plan, rng, "IWP014", 2, lambda octet: octet | rng.choice((4, 8, 16, 32)))
    else:
        header(plan, rng, "IWP014", 3, lambda octet: octet | rng.choice((16, 32)))


def iwp015(plan, rng):
    header(plan, rng, "IWP015", 11, lambda octet: octet ^ rng.randint(4, 255), lambda one: not one.tagged)


def iwp016(plan, rng):
    header(plan, rng, "IWP016", 15, lambda octet: octet ^ rng.randint(1, 255), lambda one: not one.tagged)


def iwp017(plan, rng):
    header(plan, rng, "IWP017", 19, lambda octet: octet ^ rng.randint(1, 255) if octet else rng.randint(1, 255), lambda one: not one.tagged)


def iwp018(plan, rng):
    header(plan, rng, "IWP018", 3, lambda octet: octet & 0xf0 | rng.randint(12, 15))


def terminate(side):
    return built(side, struct.pack(">BBIIII", 0x41, 0x40 | TERMINATE, 0, 2, 1, 0) + struct.pack(">BBH", 0x20, 2, 0))


def carrier(plan, side, place):
    """The frame that what is put in at @place comes with: the next one with data, or the FIN."""
    if place < len(side.data):
        return side.sent_in(place)
    return next((i + 1 for i, one in enumerate(plan.packets) if plan.mine(one) and one.source == side.source and one.flags & FIN), None)


def iwp019(plan, rng):
    side = any_side(plan, rng)
    frame = carrier(plan, side, len(side.data))
    if frame is None:
        return
    side.insert(len(side.data), terminate(side))
    plan.expect("IWP019", frame)


def iwp020(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, side.fpdus)
    if not fpdu:
        return
    side.insert(fpdu.at, terminate(side))
    plan.expect("IWP020", side.frame_of(fpdu), ["IWP019"])


def iwp021(plan, rng):
    side = any_side(plan, rng)
    other = next(one for one in plan.sides if one is not side)
    fpdu = pick(rng, [one for one, before in zip(side.fpdus[1:], side.fpdus) if before.last])
    if not fpdu or any(one.opcode == READ for one in other.fpdus):
        return
    side.insert(fpdu.at, built(side, struct.pack(">BBIQ", 0xc1, 0x40 | RESPONSE, rng.randrange(1 << 32), 0x1000) + bytes(rng.randrange(64))))
    plan.expect("IWP021", side.sent_in(fpdu.at))


def iwp022(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, [one for one, before in zip(side.fpdus[1:], side.fpdus) if one.opcode == RESPONSE and one.last and before.last])
    if not fpdu:
        return
    at = rng.choice((*range(4, 8), *range(8, 16)))
    side.of_fpdu(fpdu, at, bytes([side.data[fpdu.at + at] ^ rng.randint(1, 255)]))
    plan.expect("IWP022", side.frame_of(fpdu))


def iwp023(plan, rng):
    side = any_side(plan, rng)
    fpdu = pick(rng, [one for one, before in zip(side.fpdus[1:], side.fpdus) if one.tagged and not before.last and before.opcode == one.opcode])
    if not fpdu:
        return
    at = rng.randrange(4, 16)
    side.of_fpdu(fpdu, at, bytes([side.data[fpdu.at + at] ^ rng.randint(1, 255)]))
    plan.expect("IWP023", side.frame_of(fpdu))


def iwp024(plan, rng):
    side = any_side(plan, rng)
    other = next(one for one in plan.sides if one is not side)
    reads = [one for one in side.fpdus if one.opcode == READ]
    if not reads or not other.frame.enhanced:
        return
    other.poke(IRD, struct.pack(">H", struct.unpack(">H", other.data[IRD:IRD + 2])[0] & 0xc000))
    plan.expect("IWP024", side.frame_of(reads[0]))


def iwp025(plan, rng):
    reply = next(side for side in plan.sides if side.frame.reply)
    reply.poke(FLAGS, bytes([reply.data[FLAGS] | 0x20]))
    frame = reply.sent_in(reply.frame.bytes - 1)
    plan.until(frame)
    plan.expect("IWP025", frame)


def iwp026(plan, rng):
    request, reply = sorted(plan.sides, key=lambda side: side.frame.reply)
    plan.until(reply.sent_in(0) - 1)
    one = plan.last(request)
    plan.after(reply.sent_in(0) - 1, one.built(seq=(plan.first[request.source] + request.frame.bytes) & 0xffffffff, payload=b"", flags=FIN | ACK,
                                               time=one.time + rng.randint(1, 10**10)))
    plan.expect("IWP026", request.sent_in(request.frame.bytes - 1))


def iwp027(plan, rng):
    """A RST within a message."""
    side = any_side(plan, rng)
    fpdu = pick(rng, [one for one in side.fpdus if not one.last])
    if not fpdu or side.data[fpdu.at + fpdu.bytes:] == b"":
        return
    frame = side.frame_of(fpdu)
    plan.until(frame)
    one, end = plan.packets[frame - 1], max(end for end, (_, number) in side.ends.items() if number <= frame)
    rst = one.built(seq=(plan.first[side.source] + end) & 0xffffffff, payload=b"", flags=RST | ACK)
    plan.after(frame, rst)
    plan.expect("IWP027", rst)


def iwp028(plan, rng):
    """A segment is not in the capture, nor another one with its octets."""
    side = any_side(plan, rng)
    there = [(end, begin, frame) for end, (begin, frame) in side.ends.items() if side.frame.bytes <= begin]
    if len(there) < 24:
        return
    end, begin, _ = rng.choice(there[:-20])
    for i, one in enumerate(plan.packets):
        at = (one.seq - plan.first[side.source]) & 0xffffffff if plan.mine(one) and one.source == side.source else 0
        if plan.mine(one) and one.source == side.source and one.payload and at < end and begin < at + len(one.payload):
            plan.kept.discard(i)
    plan.expect("IWP028", None)


def iwp029(plan, rng):
    """A segment comes again, in a packet with a later number."""
    side = any_side(plan, rng)
    mine = [i for i, one in enumerate(plan.packets) if plan.mine(one) and one.source == side.source and one.payload]
    if len(mine) < 2:
        return
    which = rng.randrange(len(mine) - 1)
    one, later = plan.packets[mine[which]], plan.packets[mine[which + 1]]
    again = one.built(ident=struct.unpack(">H", later.ip[4:6])[0] + 1 & 0xffff, time=later.time)
    plan.renumber(side, mine[which + 1] + 1)
    plan.after(mine[which + 1] + 1, again)
    plan.expect("IWP029", again)


def iwp030(plan, rng):
    side = any_side(plan, rng)
    most = max((one.length for one in side.fpdus), default=0)
    other = next(one for one in plan.sides if one is not side)
    if most < 200:
        return
    for i, one in enumerate(plan.packets):
        if plan.mine(one) and one.source == other.source and one.flags & SYN:
            plan.packets[i] = one.built(options=one.options[:2] + struct.pack(">H", most // 2 + 40) + one.options[4:])
    plan.expect("IWP030", None)


RULES = {f"IWP{n:03}": globals()[f"iwp{n:03}"] for n in range(1, 31)}
WHERE = {"IWP006": (*P2P, *CAPTURES), "IWP007": (*P2P, *CAPTURES), "IWP008": CRC, "IWP009": CRC}


def plans(rule, rng):
    """Ten plans of a rule."""
    found = []
    for _ in range(60 * EACH):
        name = rng.choice(WHERE.get(rule, CAPTURES))
        plan = Plan(name, rng.randrange(len(started(name))))
        RULES[rule](plan, rng)
        if plan.expected:
            found.append(plan)
            if len(found) == EACH:
                break
    return found


def findings(lint, paths):
    """{path: [(rule, frame, message)]} of the rules of iWARP."""
    out, found = subprocess.run([lint, "--config", "none", "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                                 "--progress", "never", *map(str, paths)], capture_output=True, text=True, check=True).stdout, {}
    for row in map(json.loads, out.splitlines()):
        if row["type"] == "finding" and row["rule"].startswith("IWP"):
            found.setdefault(pathlib.Path(row["file"]).name, []).append((row["rule"], row["frame"], row["message"]))
    return found


def main(lint):
    planted = {rule: plans(rule, random.Random(rule)) for rule in RULES}
    with tempfile.TemporaryDirectory() as directory:
        place, faults = pathlib.Path(directory), []
        paths = {f"{rule}-{n}.pcap": plan for rule, list_ in planted.items() for n, plan in enumerate(list_)}
        for name, plan in paths.items():
            plan.write(place / name)
        found = findings(lint, [place / name for name in paths])
        healthy = findings(lint, sorted({ROOT / f"pcaps/siw/{plan.name}.pcap" for plan in paths.values()}))
        hit, wrong, said = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0)
        for name, plan in paths.items():
            rule = name[:6]
            where = plan.expected[rule]
            frame = plan.numbers.get(id(where) if isinstance(where, Packet) else where)
            before = {(one, NUMBER.sub("", message)) for one, _, message in healthy.get(f"{plan.name}.pcap", [])}
            mine = [one for one in found.get(name, []) if one[0] == rule and (frame is None or one[1] == frame)]
            others = [one for one in found.get(name, []) if one not in mine and one[0] not in plan.follow and
                      (one[0], NUMBER.sub("", one[2])) not in before and
                      (one[0] not in ("IWP009", "IWP029") or one[0] not in {rule for rule, _ in before})]
            hit[rule] += bool(mine)
            said[rule] += bool(mine) + len(others)
            wrong[rule] += len(others)
            if not mine:
                faults.append(f"{name} ({plan.name}): nothing at frame {frame}: {found.get(name)}")
            faults += [f"{name} ({plan.name}): {rule} planted at frame {frame}, and found: {one}" for one in others]
    print("\n".join(faults[:60]))
    enough = True
    for rule, list_ in planted.items():
        recall, precision = hit[rule] / max(len(list_), 1), 1 - wrong[rule] / max(said[rule], 1)
        enough &= len(list_) == EACH and recall >= LEAST and precision >= LEAST
        print(f"{rule}: {len(list_)} planted, recall {recall:.1%}, precision {precision:.1%}")
    total, all_said = sum(map(len, planted.values())), sum(said.values())
    recall, precision = sum(hit.values()) / total, 1 - sum(wrong.values()) / max(all_said, 1)
    print(f"{total} planted: recall {recall:.1%}, precision {precision:.1%}")
    return not (enough and recall >= ENOUGH and precision >= ENOUGH)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
