# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp.py: a second decoder of iWARP, by RFCs 5040, 5041, 5044, 6581 and 7306 alone.

It reads the frames of a pcap, puts the bytes of each TCP direction in order (the first copy of a byte counts, a hole ends what
is looked at), and takes MPA, DDP and RDMAP apart. Nothing of it is of the library. Opcodes and Terminates are called as in tests/facts.
"""
import pathlib
import struct
import zlib

FACTS = pathlib.Path(__file__).resolve().parents[1] / "facts"
OPCODES = {int(row[0]): row[1] for row in (line.split("|") for line in
           (FACTS / "iwarp_opcodes.csv").read_text().splitlines()) if row[0].isdigit()}
TERMINATES = {(int(row[0]), int(row[1]), row[2]): row[3:6] for row in (line.split("|") for line in
              (FACTS / "iwarp_terminate.csv").read_text().splitlines()) if row[0].isdigit()}
READ_REQUEST, READ_RESPONSE, TERMINATE = 1, 2, 7


def crc32c_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82f63b78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc32c_table()


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def frames(path):
    """The packets of a pcap of Ethernet frames."""
    data = pathlib.Path(path).read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        n, = struct.unpack(order + "I", data[at + 8:at + 12])
        yield data[at + 16:at + 16 + n]
        at += 16 + n


def segments(path):
    """(frame, source, destination, sequence number, flags, payload) of the TCP segments over IPv4 and IPv6."""
    for number, frame in enumerate(frames(path), 1):
        kind, ip = struct.unpack(">H", frame[12:14])[0], frame[14:]
        if kind == 0x0800 and ip[9] == 6:
            head = (ip[0] & 15) * 4
            tcp = ip[head:struct.unpack(">H", ip[2:4])[0]]
            ends = ip[12:16], ip[16:20]
        elif kind == 0x86dd and ip[6] == 6:
            tcp = ip[40:40 + struct.unpack(">H", ip[4:6])[0]]
            ends = ip[8:24], ip[24:40]
        else:
            continue
        sport, dport, seq = struct.unpack(">HHI", tcp[:8])
        yield number, (ends[0], sport), (ends[1], dport), seq, tcp[13], tcp[(tcp[12] >> 4) * 4:]


class Direction:
    """The bytes of one end of a connection, from its SYN on; ends: its address and port, and the other's."""

    def __init__(self, isn, ends=None):
        self.first, self.pieces, self.ends = (isn + 1) & 0xffffffff, [], ends

    def add(self, seq, payload, frame):
        if payload:
            at = (seq - self.first) & 0xffffffff
            self.pieces.append((at - (1 << 32) if at >= 1 << 31 else at, payload, frame))

    def bytes(self):
        """What is there without a hole, and which frame brought what of it: (bytes, {end: (begin, frame)})."""
        data, ends = bytearray(), {}
        waiting, grown = list(self.pieces), True
        while waiting and grown:
            later, grown = [], False
            for at, payload, frame in waiting:
                if at <= len(data) < at + len(payload):
                    begin = len(data)
                    data += payload[begin - at:]
                    ends[len(data)] = begin, frame
                    grown = True
                elif at > len(data):
                    later.append((at, payload, frame))
            waiting = later
        return bytes(data), ends


def connections(path):
    """Pairs of directions, that of the SYN first; of those whose SYNs are there."""
    found, current = [], {}
    for frame, source, to, seq, flags, payload in segments(path):
        if flags & 2:
            again = (source, to) in current and current[source, to].first == (seq + 1) & 0xffffffff
            if not flags & 16 and not again:
                current[source, to] = Direction(seq, (source, to))
                found.append([current[source, to], None])
                current.pop((to, source), None)
            elif flags & 16 and (source, to) not in current and (to, source) in current:
                current[source, to] = Direction(seq, (source, to))
                for pair in found:
                    if pair[0] is current[to, source]:
                        pair[1] = current[source, to]
            continue
        if (source, to) in current:
            current[source, to].add(seq, payload, frame)
    return found


class Frame:
    """A request or reply frame at the beginning of a direction; ok: whether it is one."""

    def __init__(self, data):
        self.ok = len(data) >= 20 and data[:16] in (b"MPA ID Req Frame", b"MPA ID Rep Frame")
        if not self.ok:
            return
        flags, self.rev, self.pd_length = struct.unpack(">BBH", data[16:20])
        self.reply = data[:16] == b"MPA ID Rep Frame"
        self.m, self.c, self.r, self.s = (flags >> shift & 1 for shift in (7, 6, 5, 4))
        self.bytes = 20 + self.pd_length
        private = data[20:self.bytes]
        self.ok = len(private) == self.pd_length <= 512
        self.enhanced = ""
        if self.ok and self.rev >= 2 and self.s:
            ird, ord_ = struct.unpack(">HH", private[:4])
            self.enhanced = (f" a {ird >> 15} b {ird >> 14 & 1} c {ord_ >> 15} d {ord_ >> 14 & 1}"
                             f" ird {ird & 0x3fff} ord {ord_ & 0x3fff}")
            private = private[4:]
        self.private = private

    def line(self):
        return (f"frame {'reply' if self.reply else 'request'} m {self.m} c {self.c} r {self.r} s {self.s} rev {self.rev}"
                f" pd_length {self.pd_length}{self.enhanced} private {len(self.private)} {zlib.crc32(self.private):08x}")


class Fpdu:
    """The FPDU at @at of a direction whose first FPDU is at @start; ok: whether it is whole."""

    def __init__(self, data, start, at, markers, crc_in_use):
        self.at, self.ok, self.markers = at, False, 0
        plain, place = bytearray(), at
        need = 2
        while len(plain) < need:
            if markers and (place - start) % 512 == 0:
                place += 4
                self.markers += 1
            if place >= len(data):
                return
            plain.append(data[place])
            place += 1
            if len(plain) == 2:
                self.length = struct.unpack(">H", plain)[0]
                self.pad = -(2 + self.length) % 4
                need = 2 + self.length + self.pad + 4
                if not markers:
                    if at + need > len(data):
                        return
                    plain, place = data[at:at + need], at + need
        self.bytes, self.ulpdu, self.ok = place - at, bytes(plain[2:2 + self.length]), True
        self.padding = bytes(plain[2 + self.length:2 + self.length + self.pad])
        self.crc = "unused"
        if crc_in_use:
            found, = struct.unpack("<I", data[place - 4:place])
            self.crc = "good" if crc32c(data[at:place - 4]) == found else "bad"
        u = self.ulpdu
        self.tagged, self.last, self.dv = u[0] >> 7, u[0] >> 6 & 1, u[0] & 3
        self.rv, self.opcode = u[1] >> 6, u[1] & 15
        if self.tagged:
            self.stag, self.to = struct.unpack(">IQ", u[2:14])
            self.payload = u[14:]
        else:
            self.inval, self.qn, self.msn, self.mo = struct.unpack(">IIII", u[2:18])
            self.payload = u[18:]

    def line(self):
        head = (f"fpdu {self.at} bytes {self.bytes} ulpdu {self.length} pad {self.pad} markers {self.markers} crc {self.crc}"
                f" dv {self.dv} rv {self.rv} opcode {self.opcode} last {self.last} ")
        head += f"stag {self.stag:08x} to {self.to:016x}" if self.tagged else \
            f"inval {self.inval:08x} qn {self.qn} msn {self.msn} mo {self.mo}"
        return f"{head} payload {len(self.payload)} {zlib.crc32(self.payload):08x}"


def terminate_line(payload):
    """Its meaning; the order of bits that siw of Linux has is taken for what it is."""
    layer, etype, code, hdrct = payload[0] >> 4, payload[0] & 15, payload[1], payload[2] >> 5
    swapped = hdrct == 0 and payload[2] & 7 != 0
    if swapped:
        layer, etype = etype, layer
        hdrct = int(f"{payload[2] & 7:03b}"[::-1], 2)
    rest, length, ddp, read = payload[4:], -1, -1, -1
    if hdrct & 4:
        length, = struct.unpack(">H", rest[:2])
        rest = rest[2:]
    if hdrct & 2:
        ddp = rest[0]
        rest = rest[14 if ddp & 0x80 else 18:]
    if hdrct & 1:
        read, = struct.unpack(">I", rest[12:16])
    names = TERMINATES.get((layer, etype, "ALL")) or TERMINATES.get((layer, etype, str(code)), ["?"] * 3)
    return (f"terminate {layer} {etype} {code} swapped {int(swapped)} cut 0 length {length} ddp {ddp} read {read}: "
            + "; ".join(names))


class Stream:
    """One direction: its lines as test-fpdu_streams has them, its FPDUs, and the messages that are whole."""

    def __init__(self, data, ends, frame, markers, crc_in_use):
        self.lines, self.fpdus, self.messages, self.terminates, self.crossing = [frame.line()], [], [], [], 0
        at, sofar, n = frame.bytes, 0, 0
        while True:
            fpdu = Fpdu(data, frame.bytes, at, markers, crc_in_use)
            if not fpdu.ok:
                break
            self.fpdus.append(fpdu)
            self.lines.append(fpdu.line())
            self.crossing += any(at < end < at + fpdu.bytes for end in ends)
            if fpdu.opcode == TERMINATE:
                self.terminates.append(terminate_line(fpdu.payload))
                self.lines.append(self.terminates[-1])
            sofar, n = sofar + len(fpdu.payload), n + 1
            if fpdu.last:
                self.messages.append(fpdu.opcode)
                self.lines.append(f"message {fpdu.opcode} bytes {sofar} segments {n}")
                sofar = n = 0
            at += fpdu.bytes
        self.lines.append(f"end cut {len(data) - at} left")


class Begun:
    """What the two ends of a connection begin with: their bytes, with the frames that brought them, and the MPA frames."""

    def __init__(self, pair):
        self.ends = pair[0].ends, pair[0].ends[::-1]
        self.data = [direction.bytes() if direction else (b"", {}) for direction in pair]
        self.frames = [Frame(octets) for octets, _ in self.data]
        self.any = any(frame.ok for frame in self.frames)
        self.crc = any(frame.ok and frame.c for frame in self.frames)

    def markers(self, i):
        return bool(self.frames[1 - i].ok and self.frames[1 - i].m)

    def stream(self, i):
        """Of a direction that has a frame."""
        return Stream(*self.data[i], self.frames[i], self.markers(i), self.crc)


def begun(path):
    return map(Begun, connections(path))
