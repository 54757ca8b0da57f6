# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The packets of a connection of iWARP, for random_upper.py: TCP over IPv4, MPA without CRC and markers, DDP and RDMAP.

RFC 5040, 4 and 5041, 3 (headers), 5044, 4 and 7 (FPDUs, start-up).
"""
import struct

import packet
import writer

FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16
WRITE, READ, RESPONSE, SEND, SEND_INV = 0, 1, 2, 3, 4
TCP, FPDU_VERSIONS = 6, (1, 1 << 6)  # of DDP and RDMAP, in their bytes
OPCODES = {packet.SEND_ONLY: SEND, packet.SEND_ONLY_INV: SEND_INV, packet.WRITE_ONLY: WRITE}


def fpdu(ulpdu):
    return struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(len(ulpdu) + 2) % 4) + bytes(4)


def untagged(opcode, queue, msn, offset, last, payload, invalidate=0):
    ddp, rdmap = FPDU_VERSIONS
    return fpdu(struct.pack(">BBIIII", ddp | last << 6, rdmap | opcode, invalidate, queue, msn, offset) + payload)


def tagged(opcode, stag, to, last, payload):
    ddp, rdmap = FPDU_VERSIONS
    return fpdu(struct.pack(">BBIQ", 0x80 | ddp | last << 6, rdmap | opcode, stag, to) + payload)


class Wire:
    """Both ways of one connection; frames go to @frames: (ns after the one before, bytes)."""

    def __init__(self, rng, ends, frames, mtu):
        self.rng, self.ends, self.frames, self.mtu = rng, ends, frames, mtu
        self.seq, self.ident = [rng.randrange(1 << 32) for _ in ends], [rng.randrange(1, 1000) for _ in ends]
        self.sends, self.reads = [0, 0], [0, 0]

    def segment(self, side, data=b"", flags=PUSH | ACK):
        src, dst = self.ends[side], self.ends[not side]
        tcp = struct.pack(">HHIIBBHHH", src.port, dst.port, self.seq[side], self.seq[not side] if flags & ACK else 0, 5 << 4, flags,
                          0xffff, 0, 0) + data
        pseudo = src.gid + dst.gid + struct.pack(">HH", TCP, len(tcp))
        tcp = tcp[:16] + struct.pack(">H", writer.checksum(pseudo + tcp + bytes(len(tcp) % 2))) + tcp[18:]
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), self.ident[side], 0x4000, 64, TCP, 0) + src.gid + dst.gid
        head = head[:10] + struct.pack(">H", writer.checksum(head)) + head[12:]
        self.ident[side] += 1
        frame = writer.MACS + b"\x08\x00" + head + tcp
        self.frames.append((self.rng.choice([1, 10, 1000]) * 1000, frame))
        if data and self.rng.random() < 0.08:
            self.frames.append((20_000_000, frame))
        self.seq[side] = (self.seq[side] + len(data) + bool(flags & (SYN | FIN))) % (1 << 32)

    def stream(self, side, data):
        """Octets, in one segment or in two."""
        at = self.rng.randrange(1, len(data)) if self.rng.random() < 0.15 else len(data)
        for part in (data[:at], data[at:]):
            if part:
                self.segment(side, part)

    def begin(self):
        self.segment(0, flags=SYN)
        self.segment(1, flags=SYN | ACK)
        self.segment(0, flags=ACK)
        for side, key in enumerate((b"MPA ID Req Frame", b"MPA ID Rep Frame")):
            self.segment(side, key + struct.pack(">BBH", 0, 1, 0))

    def end(self):
        if self.rng.random() < 0.2:
            self.segment(0, flags=RST | ACK)
            return
        for side in (0, 1):
            self.segment(side, flags=FIN | ACK)
        self.segment(0, flags=ACK)

    def message(self, side, body, only, va=0, rkey=0, dma=0, invalidate=0):
        """@only: the opcode of RC that it would have, in one packet."""
        opcode = OPCODES[only]
        self.sends[side] += opcode != WRITE
        parts = [(at, body[at:at + self.mtu]) for at in range(0, len(body), self.mtu)] or [(0, b"")]
        for at, part in parts:
            last = at == parts[-1][0]
            self.stream(side, tagged(WRITE, rkey, va + at, last, part) if opcode == WRITE
                        else untagged(opcode, 0, self.sends[side], at, last, part, invalidate))

    def read(self, side, va, rkey, dma):
        """A Read Request, and the response of the other end."""
        self.reads[side] += 1
        self.stream(side, untagged(READ, 1, self.reads[side], 0, True, struct.pack(">IQIIQ", 0x5000, 0x1000, dma, rkey, va)))
        self.stream(not side, tagged(RESPONSE, 0x5000, 0x1000, True, bytes(dma)))
