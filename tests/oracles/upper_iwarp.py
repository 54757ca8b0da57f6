# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What upper layers say over iWARP: messages and transfers of connections that begin with a SYN, as commands.py takes packets of RC.

FPDUs are those of iwarp_flows.py; a message is read when the FPDU that it is in is whole, and all before it. RFC 5040, 4.2 to 4.4.
"""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "codec"))

import capture  # noqa: E402
import iwarp_flows as flows  # noqa: E402
from packet import READ_FIRST, READ_ONLY, READ_REQUEST, SEND_FIRST, SEND_ONLY, WRITE_ONLY, ip_address  # noqa: E402

WRITE, READ, RESPONSE, TERMINATE = 0, 1, 2, 7
INVALIDATE = (4, 6)
CLASSIC, ETHERNET = (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\xa1\xb2\x3c\x4d"), 1


class Message:
    """A Send, or a transfer: the fields that a packet has, too. @start: what the connection began with, of its first Send alone."""

    def __init__(self, one, way, number, psn, op, data, reth=b"", fpdu=None):
        self.frame, self.time, self.op, self.psn, self.data, self.reth = one.number, one.time, op, psn, data, reth
        self.src, self.dst = ((ip_address(end[0]), end[1]) for end in way)
        self.dqpn, self.start = f"iWARP {number}", None
        self.invalidates = fpdu.inval if fpdu and fpdu.opcode in INVALIDATE else None


class Start:
    """The private data of both MPA frames, the port of who answers, the frame of the reply, and Sends.

    parts: (Message of its octets, side, MSN, is it the first part); order: whole Writes and what Sends begin with: (Message, side, MSN, bytes).
    """

    def __init__(self, frames, ends, rejection):
        self.asks = next(i for i in range(2) if not frames[i].reply)
        self.req, self.rep = (frames[i].private for i in (self.asks, 1 - self.asks))
        self.port, self.rejection, self.parts = ends[1 - self.asks][1], rejection, []
        self.order, self.replied = [], None


def direction(whole, sender, other, frame, markers, crc):
    """[(segment that made it whole, FPDU)], whether the end closed the connection after all that it sent."""
    data, ends = flows.bytes_of(sender)
    fpdus, _ = flows.read(data, ends, frame, markers, crc)
    by_number, arrived = {one.number: one for one in whole}, []
    for fpdu in fpdus:
        upto = [by_number[brought] for end, (begin, brought) in ends.items() if begin < fpdu.at + fpdu.bytes]
        arrived.append((max(upto, key=lambda one: one.number), fpdu))
    closing = any(one.flags & flows.FIN and flows.signed((one.seq + len(one.data) - sender.first) & 0xffffffff) <= len(data)
                  for one in whole if one.to == other)
    return arrived, closing


def messages_of(arrived, way, number):
    """(first FPDU, Message) of one end."""
    begun, count = {}, 0
    for one, fpdu in arrived:
        if fpdu.crc == "bad" or not flows.is_right(fpdu):
            continue
        kind = "tagged" if fpdu.tagged else fpdu.qn
        first = begun.setdefault(kind, fpdu)
        sofar = begun.get((kind, "bytes"), 0) + len(fpdu.payload)
        begun[kind, "bytes"] = sofar
        fresh = fpdu is first
        if fpdu.last:
            del begun[kind], begun[kind, "bytes"]
        count += 1
        if fpdu.opcode in flows.SENDS and fresh:
            yield fpdu, Message(one, way, number, count, SEND_ONLY if fpdu.last else SEND_FIRST, fpdu.payload, fpdu=fpdu)
        elif fpdu.opcode == READ and fresh and len(fpdu.payload) >= 28:
            size, key, address = struct.unpack_from(">IIQ", fpdu.payload, 12)
            yield fpdu, Message(one, way, number, count, READ_REQUEST, b"", struct.pack(">QII", address, key, size))
        elif fpdu.opcode == WRITE and fpdu.last:
            yield first, Message(one, way, number, count, WRITE_ONLY, first.payload, struct.pack(">QII", first.to, first.stag, sofar))
        elif fpdu.opcode == RESPONSE and fresh:
            yield fpdu, Message(one, way, number, count, READ_ONLY if fpdu.last else READ_FIRST, fpdu.payload)


def parts_of(arrived, way, number, side):
    """What Start.parts has, of one end."""
    fresh = True
    for one, fpdu in arrived:
        if fpdu.crc != "bad" and flows.is_right(fpdu) and fpdu.opcode in flows.SENDS:
            yield Message(one, way, number, 0, SEND_ONLY if fresh and fpdu.last else SEND_FIRST, fpdu.payload), side, fpdu.msn, fresh
            fresh = bool(fpdu.last)


def connection(whole, number):
    """([(Message, MSN)] as they came, whether it was closed, its Start); None: it is no iWARP, or it does not begin in the capture."""
    ends = [whole[0].source, whole[0].to]
    senders = [flows.Sender(whole, end) for end in ends]
    begun = [flows.is_start(flows.bytes_of(sender)[0]) for sender in senders]
    if not all(begun):
        return None
    frames = [flows.iwarp.Frame(flows.bytes_of(sender)[0]) for sender in senders]
    if frames[0].reply == frames[1].reply:
        return None
    crc, said, closed = any(frame.c for frame in frames), [], any(one.flags & flows.RST for one in whole)
    replies = [one for one in whole if one.data[:16] == b"MPA ID Rep Frame"]
    start = Start(frames, ends, replies[0].number if replies and any(frame.r for frame in frames) else None)
    start.replied = replies[0].number if replies else None
    for i in range(2):
        way = ends[i], ends[1 - i]
        arrived, closing = direction(whole, senders[i], ends[1 - i], frames[i], bool(frames[1 - i].m), crc)
        closed |= closing or any(fpdu.opcode == TERMINATE and fpdu.crc != "bad" and flows.is_right(fpdu) for _, fpdu in arrived)
        said.append(list(messages_of(arrived, way, number)))
        start.parts += parts_of(arrived, way, number, i != start.asks)
        start.order += [(message, int(i != start.asks), None if fpdu.tagged else fpdu.msn, int.from_bytes(message.reth[12:16], "big"))
                        for fpdu, message in said[-1] if message.op == WRITE_ONLY or fpdu.opcode in flows.SENDS]
        for fpdu, message in said[-1]:
            if i == start.asks and fpdu.opcode in flows.SENDS and fpdu.msn == 1:
                message.start = start
    for i in range(2):  # a READ response is called as the request that it answers
        asked = [message.psn for _, message in said[1 - i] if message.op == READ_REQUEST]
        answers = [message for _, message in said[i] if message.op in (READ_FIRST, READ_ONLY)]
        for message, psn in zip(answers, asked):
            message.psn = psn
    numbered = [(message, None if fpdu.tagged else fpdu.msn) for fpdu, message in said[0] + said[1]]
    start.parts.sort(key=lambda part: part[0].frame)
    return sorted(numbered, key=lambda row: row[0].frame), closed, start


def connections(path):
    """What connection() has of each in a classic capture of Ethernet."""
    data = capture.uncompressed(path)
    if data[:4] not in CLASSIC or b"MPA ID Re" not in data or ETHERNET not in (data[20], data[23]):
        return []
    found = (connection(whole, number) for number, whole in enumerate(flows.connections(path)))
    return [one for one in found if one]
