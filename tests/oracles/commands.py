# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Commands of upper layers in a capture, by the bytes: asked, answered, with which transfers, and what is wrong with them.

What all protocols have in common: a queue is a connection, found by the content of a message; the CM of IBTA vol 1, 12.6 says
which queue pairs belong to it and when it ends. Every PSN of a way is remembered, as of a capture that fits into memory.
"""
import collections
import struct

import capture
import upper_iwarp
from packet import (BAD, EXTENSION, RC, READ_REQUEST, REQUESTS, SEND_FIRST, SEND_ONLY, SEND_ONLY_INV, UD, WRITE_FIRST, WRITE_ONLY,
                    WRITE_ONLY_IMM, parse)

REQ, REP, DREQ = 0x10, 0x13, 0x15
RDMA_CM = bytes.fromhex("000000000106")  # service ids of TCP ports
SENDS, TRANSFERS = {SEND_FIRST, SEND_ONLY, SEND_ONLY_INV}, {WRITE_FIRST, WRITE_ONLY, WRITE_ONLY_IMM, READ_REQUEST}
CALLER, ANSWERER = 0, 1
KINDS, OTHERS = 32, None
PSNS = 1 << 24

# What a request says: what it is counted as, its id, bytes it wants moved, and memory it offers: (key, address, bytes).
Request = collections.namedtuple("Request", "code id bytes offers", defaults=(0, ()))
# What an answer says: of which id, in which words, and whether they are an error.
Answer = collections.namedtuple("Answer", "id status error")


class Command:
    """A request and what became of it."""

    def __init__(self, queue, request, packet):
        self.queue, self.frame, self.time, self.moved = queue, packet.frame, packet.time, []
        self.code, self.id, self.bytes, self.offers = request


def invalidated(packet, extension):
    """The key that a Send invalidates; None: it has none."""
    if isinstance(packet, upper_iwarp.Message):
        return packet.invalidates
    return int.from_bytes(extension[:4], "big") if packet.op == SEND_ONLY_INV else None


def after(a, b):
    return (a - b + PSNS // 2) % PSNS - PSNS // 2


class Queue:
    """One connection; a protocol is a subclass."""
    PROTOCOL = None
    AGAIN = False  # what begins one may do so while the one before is open
    JUDGED = True  # RDMA READs and WRITEs are held against what commands offer
    FROM_CM = False  # its beginning is in the CM: commands that were asked before the capture may be answered in it

    def __init__(self, number, packet, data):
        self.number, self.frame, self.id, self.depth = number, packet.frame, None, None
        self.open, self.closed, self.answers, self.said, self.whole = {}, None, 0, False, True
        self.seen, self.high = [set(), set()], [None, None]
        self.asked = {}  # PSN of each request packet of the caller: whether its answers take PSNs, too
        self.kinds, self.most, self.flow = [], {}, (packet.src, packet.dst, packet.dqpn)
        self.subsystem = self.target = None

    @staticmethod
    def begins(op, data):
        """Whether this message is the first of a connection."""
        raise NotImplementedError

    def requests(self, op, data):
        """[Request] in a message of the caller."""
        raise NotImplementedError

    def answers_in(self, op, data):
        """[Answer] in a message of the answerer, of commands that are open and of those that are not."""
        raise NotImplementedError

    def is_answered_by(self, op, data):
        """Whether a message of a way that nothing else is known of answers an open command."""
        return any(answer.id in self.open for answer in self.answers_in(op, data))

    def name(self, code):
        raise NotImplementedError

    def failed(self, one, answer):
        """The rule that says that a command failed."""
        return "ULP010"

    def waits(self, code):
        """Whether such a command is answered only when something happens."""
        return False

    def took(self, side, data):
        """A message that was looked at, for what it says of those after it."""

    def heard(self, side, packet, data, reth):
        """Every packet of the connection, for what else is to be known of it."""

    def kind(self, code):
        """What it is counted as: of more than 32 kinds the later ones are others."""
        if code not in self.kinds:
            self.kinds.append(code)
        return code if self.kinds.index(code) < KINDS else OTHERS

    def counted_as(self, code):
        kind = self.kind(code)
        return "others" if kind == OTHERS else self.name(kind)

    def goes_on(self, side, psn):
        if self.high[side] is None or after(psn, self.high[side]) > 0:
            self.high[side] = psn

    def lacks_requests(self):
        """Whether the capture has no packet of a PSN between two of the caller; after a READ Request that is not known."""
        first = next(iter(self.asked), 0)
        psns = sorted(self.asked, key=lambda psn: after(psn, first))
        return any(after(psn, before) > 1 and not self.asked[before] for before, psn in zip(psns, psns[1:], strict=False))

    def owners(self, key):
        """[(command, address, bytes)] of what is offered under a key now."""
        return {(one, address, size) for one in self.open.values() for at, address, size in one.offers if at == key}


class Reader:
    """All queues of a capture, of the protocols that a subclass lists."""
    PROTOCOLS = ()

    def __init__(self, path):
        self.ways, self.queues, self.rows, self.findings = {}, [], [], []
        self.servers, self.private, self.last = {}, {}, None
        for record in capture.records(path):
            packet, self.last = parse(record), record
            if packet is None or packet.icrc == BAD:
                continue
            if packet.service == UD and packet.mad is not None and len(packet.mad) >= 64:
                self.manage(packet)
            elif packet.service == RC:
                reth = packet.start - EXTENSION.get(packet.op, 0)
                self.packet(packet, record.data[packet.start:packet.start + packet.payload], record.data[reth:reth + 16])
        for said, closed, _ in upper_iwarp.connections(path):
            self.stream(said, closed)
        self.finish()

    def stream(self, said, closed):
        """A connection of iWARP: both ways are known at once."""
        queue = None
        for message, msn in said:
            protocol = self.begins((queue, CALLER) if queue else None, message, message.data) if message.op in SENDS else None
            if protocol:
                queue = self.begin(protocol, message, message.data)
                queue.whole |= msn == 1
                self.ways[message.dst, message.src, message.dqpn] = queue, ANSWERER
            if queue:
                self.take(*self.ways[message.src, message.dst, message.dqpn], message, message.data, message.reth)
        if queue and closed:
            queue.closed = said[-1][0]

    # The CM: which queue pair of the client is whose, and the PSN that a server expects first; when a connection is closed.

    def manage(self, packet):
        mad = packet.mad
        attribute = struct.unpack_from(">H", mad, 16)[0]
        if mad[1] != 7 or attribute not in (REQ, REP, DREQ):
            return
        local, remote = struct.unpack_from(">II", mad, 24)
        if attribute == REQ:
            self.private[packet.src, packet.dst, local] = mad[24 + 140 + 36:] if mad[32:38] == RDMA_CM else b"", mad[38:40]
            self.servers[packet.src, packet.dst, local] = [int.from_bytes(mad[24 + 32:24 + 35], "big"), None, None]
        elif attribute == REP:
            said = self.servers.get((packet.dst, packet.src, remote))
            if said:
                said[1:] = int.from_bytes(mad[24 + 12:24 + 15], "big"), int.from_bytes(mad[24 + 20:24 + 23], "big")
        else:
            for key in ((packet.src, packet.dst, local), (packet.dst, packet.src, remote)):
                if self.servers.get(key, (0, None))[1] is not None:
                    self.close(key, packet)

    def close(self, key, packet):
        way = self.ways.get((key[0], key[1], self.servers[key][1]))
        if way and way[0].closed is None:
            way[0].closed = packet

    # Messages

    def begin(self, protocol, packet, data):
        queue = protocol(len(self.queues), packet, data)
        self.queues.append(queue)
        flows, starts = [(queue.flow, CALLER)], []
        for (client, server, _), (qpn, to, psn) in self.servers.items():
            if (client, server, to) == queue.flow:
                flows.append(((server, client, qpn), ANSWERER))
                starts.append(psn)
        queue.whole = not protocol.FROM_CM or packet.psn in starts[-1:]
        for each, side in {key: side for key, side in flows}.items():
            before = self.ways.get(each)
            if before and before[0].closed is None:
                before[0].closed = packet
            self.ways[each] = queue, side
        return queue

    def begins(self, way, packet, data):
        """The protocol whose first message this is, where a queue may begin."""
        free = way is None or way[0].closed is not None
        for protocol in self.PROTOCOLS:
            if protocol.begins(packet.op, data):
                again = protocol.AGAIN and not free and (way[1] == ANSWERER or packet.psn not in way[0].seen[CALLER])
                return protocol if free or again else None
        return None

    def packet(self, packet, data, reth):
        way = self.ways.get((packet.src, packet.dst, packet.dqpn))
        protocol = self.begins(way, packet, data) if packet.op in SENDS else None
        if protocol:
            way = self.begin(protocol, packet, data), CALLER
        elif way is None:
            way = self.adopt(packet, data)
        if way is not None:
            self.take(*way, packet, data, reth)

    def take(self, queue, side, packet, data, reth):
        queue.heard(side, packet, data, reth)
        if side == CALLER and packet.op in REQUESTS and not isinstance(packet, upper_iwarp.Message):
            queue.asked[packet.psn] = packet.op == READ_REQUEST
        if packet.op in SENDS:
            self.message(queue, side, packet, data, invalidated(packet, reth))
        elif packet.op in TRANSFERS:
            self.transfer(queue, side, packet, reth)

    def adopt(self, packet, data):
        """The way back of the last queue that has none yet, whose CM exchange is not in the file, if an open command is answered."""
        lonely = [q for q in self.queues if sum(way[0] is q for way in self.ways.values()) == 1]
        if not lonely or packet.op not in SENDS:
            return None
        queue = lonely[-1]
        (src, dst, _), = (flow for flow, way in self.ways.items() if way[0] is queue)
        if (packet.src, packet.dst) != (dst, src) or not queue.is_answered_by(packet.op, data):
            return None
        self.ways[packet.src, packet.dst, packet.dqpn] = queue, ANSWERER
        return queue, ANSWERER

    def message(self, queue, side, packet, data, key):
        if packet.psn not in queue.seen[side]:
            queue.seen[side].add(packet.psn)
            if side == CALLER:
                for request in queue.requests(packet.op, data):
                    self.ask(Command(queue, request, packet))
            else:
                for answer in queue.answers_in(packet.op, data):
                    self.answer(queue, packet, answer, key)
            queue.took(side, data)
        queue.goes_on(side, packet.psn)

    def ask(self, one):
        queue = one.queue
        if one.id in queue.open:
            self.found("ULP002", one.frame, queue)
            self.row(queue.open.pop(one.id), "replaced")
        queue.open[one.id] = one
        of = collections.Counter(queue.kind(each.code) for each in queue.open.values())
        queue.most.update({code: max(n, queue.most.get(code, 0)) for code, n in of.items()})
        if queue.depth and len(queue.open) > queue.depth and not queue.said:
            queue.said = True
            self.found("ULP005", one.frame, queue)

    def answer(self, queue, packet, answer, key):
        queue.answers += 1
        one = queue.open.pop(answer.id, None)
        if one is None:
            if queue.whole:
                self.found("ULP003", packet.frame, queue, True)
            return
        if answer.error:
            self.found(queue.failed(one, answer), packet.frame, queue)
        if key is not None and key not in (offered for offered, _, _ in one.offers):
            self.found("ULP009", packet.frame, queue)
        self.row(one, "answered", packet, answer)

    def transfer(self, queue, side, packet, reth):
        again = queue.high[side] is not None and after(packet.psn, queue.high[side]) <= 0
        queue.goes_on(side, packet.psn)
        if side == CALLER or again or len(reth) < 16 or not queue.JUDGED:
            return
        address, key, size = struct.unpack(">QII", reth)
        owners = queue.owners(key)
        if size == 0 or len(owners) > 1:  # no bytes touch no memory, and their key is not looked at
            return
        for one, start, offered in owners:
            one.moved.append((packet.frame, size))
            if start <= address and address + size <= start + offered:
                return
        if queue.whole:
            self.found("ULP001", packet.frame, queue, not owners)

    # What is listed

    def found(self, rule, frame, queue, missed=False):
        """@missed: no command is known for it, of those that the capture has."""
        self.findings.append((rule, frame, queue, missed))

    def row(self, one, outcome, packet=None, answer=None):
        queue, frames = one.queue, [frame for frame, _ in one.moved]
        self.rows.append({
            "protocol": queue.PROTOCOL, "queue": queue.id, "name": queue.name(one.code), "id": one.id, "frame": one.frame,
            "end": packet.frame if packet else None, "time": one.time, "ns": max(0, packet.time - one.time) if packet else None,
            "status": answer.status if answer else None, "bytes": one.bytes, "transfers": sorted({*frames[:1], *frames[-1:]}),
            "outcome": outcome, "transferred": sum(size for _, size in one.moved), "number": queue.number,
            "opcode": one.code[0] if isinstance(one.code, tuple) else None, "counted as": queue.counted_as(one.code), "error": bool(answer and answer.error)})

    def finish(self):
        for queue in self.queues:
            for one in queue.open.values():
                if queue.closed and queue.answers and not queue.waits(one.code):
                    self.found("ULP004", one.frame, queue)
                self.row(one, "closed" if queue.closed else "open")
        self.findings = [(rule, frame) for rule, frame, queue, missed in self.findings
                         if (queue.answers or rule not in ("ULP002", "ULP005")) and not (missed and queue.lacks_requests())]
        self.rows.sort(key=lambda row: (row["frame"], row["id"]))
