# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ulp_messages.py - the messages that RC SENDs over RoCE v2 carry, and which end of the connection sent each.

Reads the bytes of a capture, and imports nothing: headers of fixed places, IPv4, no VLAN. Who connected is who sent the CM's REQ,
which has its queue pair; the REP has that of the other end.
"""
import dataclasses
import struct

FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM, LAST_INV, ONLY_INV = 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x16, 0x17
ENDS = {LAST, LAST_IMM, LAST_INV, ONLY, ONLY_IMM, ONLY_INV}
BEGINS = {FIRST, ONLY, ONLY_IMM, ONLY_INV}
UD_SEND = 0x64
CM_REQ, CM_REP = 0x10, 0x13


@dataclasses.dataclass
class Message:
    frame: int  # of its last packet
    packets: int
    data: bytes
    initiator: bool  # from the end that connected
    qp: tuple  # the receiver's address and QPN


def frames(path):
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, number = 24, 0
    while at + 16 <= len(data):
        captured = struct.unpack_from(order + "I", data, at + 8)[0]
        number += 1
        yield number, data[at + 16:at + 16 + captured]
        at += 16 + captured


def packets(path):
    """(frame, source, destination, BTH and what follows, without the ICRC)"""
    for number, frame in frames(path):
        if frame[12:14] != b"\x08\x00" or frame[23] != 17:
            continue
        udp = 14 + (frame[14] & 15) * 4
        if int.from_bytes(frame[udp + 2:udp + 4], "big") == 4791:
            end = 14 + int.from_bytes(frame[16:18], "big")
            yield number, frame[26:30], frame[30:34], frame[udp + 8:end - 4]


def ends_of(path):
    """({queue pairs of who connected}, {those of who was connected to}), each with its address"""
    asked, answered = set(), set()
    for _, source, _, bth in packets(path):
        mad = bth[20:]
        if bth[0] != UD_SEND or len(mad) < 256 or mad[1] != 7:
            continue
        attribute = int.from_bytes(mad[16:18], "big")
        if attribute == CM_REQ:
            asked.add((source, int.from_bytes(mad[24 + 32:24 + 35], "big")))
        elif attribute == CM_REP:
            answered.add((source, int.from_bytes(mad[24 + 12:24 + 15], "big")))
    return asked, answered


def messages(path):
    asked, answered = ends_of(path)
    open_ones, expected = {}, {}
    for number, _, destination, bth in packets(path):
        opcode, pad = bth[0], bth[1] >> 4 & 3
        qp = (destination, int.from_bytes(bth[5:8], "big"))
        psn = int.from_bytes(bth[9:12], "big")
        if opcode not in ENDS | {FIRST, MIDDLE} or qp not in asked | answered or qp in asked & answered:
            continue
        if opcode in BEGINS:
            open_ones[qp] = (b"", 0)
        elif expected.get(qp) != psn:
            open_ones.pop(qp, None)
        if qp not in open_ones:
            continue
        start = 12 + (4 if opcode in (LAST_IMM, ONLY_IMM, LAST_INV, ONLY_INV) else 0)
        data, count = open_ones[qp]
        open_ones[qp] = (data + bth[start:len(bth) - pad], count + 1)
        expected[qp] = psn + 1 & 0xffffff
        if opcode in ENDS:
            data, count = open_ones.pop(qp)
            yield Message(number, count, data, qp in answered, qp)
