# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Packets and captures written from nothing but the layouts: for the oracle's own test and random conversations.

Each packet is built twice, the second time with ones where routers may change it: that is what the
ICRC covers (IBTA vol 1, 7.8.1; annexes A16 and A17 for RoCE).
"""
import ipaddress
import struct
import zlib

from packet import (ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, ATOMIC_WRITE, ATOMICS, FLUSH, OPCODE_CNP, READ_FIRST,
                    READ_LAST, READ_ONLY, READ_REQUEST, REQUESTS, SEND_LAST_IMM, SEND_LAST_INV, SEND_ONLY_IMM,
                    SEND_ONLY_INV, WRITE_FIRST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM, XRC)

FRAMINGS = ("ipv4", "ipv6", "roce-v1", "ib-local", "ib-global")
LINKTYPES = {"ipv4": 1, "ipv6": 1, "roce-v1": 1, "ib-local": 247, "ib-global": 247}
UD_SEND_ONLY = 0x64
EIGHT_ONES = b"\xff" * 8
MACS = bytes.fromhex("020000000002" "020000000001")


class End:
    """A queue pair: where it is and its number. @lid: on an InfiniBand link."""

    def __init__(self, address, qpn, lid=0, port=0xc001):
        self.gid = ipaddress.ip_address(address).packed if address else b""
        self.qpn, self.lid, self.port = qpn, lid, port


def bth(opcode, dqpn, psn, pad=0, ackreq=0, fecn=0, becn=0, pkey=0xffff):
    return struct.pack(">BBHBBHI", opcode, 0x40 | pad << 4, pkey, fecn << 7 | becn << 6,
                       dqpn >> 16, dqpn & 0xffff, ackreq << 31 | psn)


def extension(op, fields):
    """The headers after the BTH (and XRCETH) of an RC, UC or XRC opcode."""
    reth = struct.pack(">QII", fields.get("va", 0x1000), fields.get("rkey", 0x77), fields.get("dma", 0))
    aeth = struct.pack(">I", fields.get("syndrome", 0x1f) << 24 | fields.get("msn", 1))
    return {WRITE_FIRST: reth, WRITE_ONLY: reth, WRITE_ONLY_IMM: reth + bytes(4), READ_REQUEST: reth,
            ATOMIC_WRITE: reth + bytes(8), FLUSH: bytes(4) + reth, READ_FIRST: aeth, READ_LAST: aeth, READ_ONLY: aeth,
            ACKNOWLEDGE: aeth, ATOMIC_ACKNOWLEDGE: aeth + bytes(8),
            **{op: bytes(28) for op in ATOMICS},
            **{op: bytes(4) for op in (SEND_LAST_IMM, SEND_ONLY_IMM, WRITE_LAST_IMM)},
            **{op: struct.pack(">I", fields.get("invalidate", 0)) for op in (SEND_LAST_INV, SEND_ONLY_INV)}}.get(op, b"")


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def ipv4(src, dst, size, ecn, identification=1):
    def header(tos, ttl, check):
        return struct.pack(">BBHHHBBH", 0x45, tos, 20 + size, identification, 0x4000, ttl, 17, check) + src + dst
    return header(ecn, 64, checksum(header(ecn, 64, 0))), header(0xff, 0xff, 0xffff)


def ipv6(src, dst, size, ecn, following):
    rest = struct.pack(">HB", size, following)
    src, dst = (bytes(10) + b"\xff\xff" + gid if len(gid) == 4 else gid for gid in (src, dst))
    return (struct.pack(">I", 6 << 28 | ecn << 20) + rest + b"\x40" + src + dst,
            struct.pack(">I", 0x6fffffff) + rest + b"\xff" + src + dst)


def frame(framing, src, dst, opcode, dqpn, psn, payload=0, *, ecn=0, port=None, bad=False, body=None, **fields):
    """A frame from @src to @dst. @payload: bytes of it; @body: these. @bad: the ICRC is wrong."""
    data = bytes(payload) if body is None else body
    pad = -len(data) % 4
    if opcode == OPCODE_CNP:
        after = bytes(16)
    elif opcode == UD_SEND_ONLY:
        after = struct.pack(">II", fields.get("qkey", 0x80010000), fields.get("sqpn", 1))
    else:
        after = bytes(4) if opcode >> 5 == XRC and opcode & 0x1f in REQUESTS else b""
        after += extension(opcode & 0x1f, fields)
    head = bth(opcode, dqpn, psn, pad, fields.get("ackreq", 0), fields.get("fecn", 0), fields.get("becn", 0),
               fields.get("pkey", 0xffff))
    rest = after + data + bytes(pad)
    masked = head[:4] + b"\xff" + head[5:] + rest
    size = len(head) + len(rest) + 4
    link, real, ones = network(framing, src, dst, size, ecn, src.port if port is None else port, fields.get("identification", 1))
    crc = zlib.crc32(ones + masked) ^ (0x80 if bad else 0)
    whole = link + real + head + rest + struct.pack("<I", crc)
    return whole + bytes(2) if LINKTYPES[framing] == 247 else whole  # VCRC: nobody here looks at it


def network(framing, src, dst, size, ecn, port, identification):
    """(link layer, headers up to the BTH, the same as the ICRC takes them)."""
    if framing.startswith("ib"):
        grh, grh_ones = ipv6(src.gid, dst.gid, size, ecn, 0x1b) if framing == "ib-global" else (b"", b"")
        words = (8 + len(grh) + size) // 4
        lrh = struct.pack(">BBHHH", 0, 3 if grh else 2, dst.lid, words, src.lid)
        return b"", lrh + grh, EIGHT_ONES + grh_ones if grh else b"\xf0" + lrh[1:]
    if framing == "roce-v1":
        grh, grh_ones = ipv6(src.gid, dst.gid, size, ecn, 0x1b)
        return MACS + b"\x89\x15", grh, EIGHT_ONES + grh_ones
    udp = struct.pack(">HHH", port, 4791, 8 + size)
    if framing == "ipv4":
        real, ones = ipv4(src.gid, dst.gid, 8 + size, ecn, identification)
        return MACS + b"\x08\x00", real + udp + bytes(2), EIGHT_ONES + ones + udp + b"\xff\xff"
    real, ones = ipv6(src.gid, dst.gid, 8 + size, ecn, 17)
    return MACS + b"\x86\xdd", real + udp + bytes(2), EIGHT_ONES + ones + udp + b"\xff\xff"


def cm(attribute, local, remote, **fields):
    """A message of the communication manager: 256 bytes. Places: CM message base at byte 24."""
    mad = bytearray(256)
    mad[:4] = bytes((1, 7, 2, 3))
    mad[8:16] = struct.pack(">Q", local << 32 | remote)
    mad[16:18] = struct.pack(">H", attribute)
    mad[24:32] = struct.pack(">II", local, remote)

    def qpn(at, number):
        mad[24 + at:24 + at + 3] = struct.pack(">I", number)[1:]
    if attribute == 0x10:
        mad[28:32] = bytes(4)
        qpn(32, fields["qpn"])
        qpn(44, fields.get("psn", 0))
        kind, extended = {"RC": (0, 0), "UC": (1, 0), "XRC": (3, 1)}[fields["service"]]
        mad[24 + 43] |= kind << 1
        mad[24 + 50] = fields["mtu"].bit_length() - 8 << 4
        mad[24 + 51] = extended
        mad[24 + 47] |= fields.get("retries", 0)
        mad[24 + 50] |= fields.get("rnr_retries", 0)
    elif attribute == 0x13:
        qpn(16 if fields["service"] == "XRC" else 12, fields["qpn"])
        qpn(20, fields.get("psn", 0))
        mad[24 + 27] |= fields.get("rnr_retries", 0) << 5
    elif attribute == 0x15:
        qpn(8, fields["qpn"])
    return bytes(mad)


def pcap(linktype, frames, snaplen=262144):
    """A capture in nanoseconds of (time, bytes)."""
    parts = [struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, snaplen, linktype)]
    for time, data in frames:
        seconds, rest = divmod(time, 10**9)
        kept = data[:snaplen]
        parts.append(struct.pack("<IIII", seconds, rest, len(kept), len(data)) + kept)
    return b"".join(parts)
