# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Commands of NVMe over Fabrics in a capture, by the bytes: asked, answered, with which transfers, and what is wrong with them.

NVMe base 2.0, 3.3.3 (entries of the queues), 4.1.2 (SGL descriptors), 5 (admin commands), 6 (Fabrics); the CM of IBTA vol 1, 12.6.
Every PSN of a way is remembered, as of a capture that fits into memory.
"""
import collections
import struct

import capture
from packet import BAD, RC, READ_REQUEST, SEND_FIRST, SEND_ONLY, SEND_ONLY_INV, UD, WRITE_FIRST, WRITE_ONLY, WRITE_ONLY_IMM, parse

ADMIN = {0x02: "Get Log Page", 0x06: "Identify", 0x08: "Abort", 0x09: "Set Features", 0x0a: "Get Features",
         0x0c: "Asynchronous Event Request", 0x18: "Keep Alive"}
IO = {0x00: "Flush", 0x01: "Write", 0x02: "Read", 0x05: "Compare", 0x08: "Write Zeroes", 0x0c: "Verify", 0x09: "Dataset Management"}
FABRICS = {0x00: "Property Set", 0x01: "Connect", 0x04: "Property Get", 0x08: "Disconnect"}
STATUS = {0x000: "success", 0x002: "Invalid Field in Command", 0x004: "Data Transfer Error", 0x281: "Unrecovered Read Error",
          0x285: "Compare Failure", 0x301: "Asymmetric Access Persistent Loss", 0x007: "Command Abort Requested",
          0x00b: "Invalid Namespace or Format", 0x7aa: "status type 7 code 0xaa"}
OF_FABRICS = {0x180: "Connect Incompatible Format", 0x182: "Connect Invalid Parameters", 0x184: "Connect Invalid Host"}
REQ, REP, DREQ = 0x10, 0x13, 0x15
SENDS, TRANSFERS = {SEND_FIRST, SEND_ONLY, SEND_ONLY_INV}, {WRITE_FIRST, WRITE_ONLY, WRITE_ONLY_IMM, READ_REQUEST}
AER, OTHERS, KINDS = 0x0c, None, 32
PSNS = 1 << 24

Command = collections.namedtuple("Command", "queue code id frame time bytes key address")


class Queue:
    """One connection."""

    def __init__(self, number, frame, qid, sqsize):
        self.number, self.frame, self.id, self.depth = number, frame, qid, sqsize + 1
        self.open, self.closed, self.answers, self.said = {}, None, 0, False
        self.seen, self.high = [set(), set()], [None, None]
        self.moved, self.kinds, self.most = collections.defaultdict(list), [], {}

    def kind(self, code):
        """What it is counted as: of more than 32 kinds the later ones are others."""
        if code not in self.kinds:
            self.kinds.append(code)
        return code if self.kinds.index(code) < KINDS else OTHERS

    def name(self, code):
        if code == OTHERS:
            return "others"
        opcode, kind = code
        if opcode == 0x7f:
            return FABRICS.get(kind, "opcode 0x7f")
        return (IO if self.id else ADMIN).get(opcode, f"opcode 0x{opcode:02x}")


def after(a, b):
    return (a - b + PSNS // 2) % PSNS - PSNS // 2


def is_connect(data):
    """A Connect command, record format 0, with its 1,024 bytes of data."""
    return (len(data) >= 64 and data[0] == 0x7f and data[4] == 1 and data[40:42] == b"\0\0" and data[44:46] != b"\0\0"
            and data[32:35] == b"\x00\x04\x00")


class Reader:
    def __init__(self, path):
        self.ways, self.queues, self.rows, self.findings = {}, [], [], []
        self.servers, self.last = {}, 0
        for record in capture.records(path):
            self.last = record.time
            packet = parse(record)
            if packet is None or packet.icrc == BAD:
                continue
            if packet.service == UD and packet.mad is not None and len(packet.mad) >= 64:
                self.manage(packet)
            elif packet.service == RC:
                data = record.data[packet.start:packet.start + packet.payload]
                self.packet(packet, data, record.data[packet.start - 16:packet.start])
        self.finish()

    # The CM: which queue pair of the client is whose; when a connection is closed.

    def manage(self, packet):
        mad = packet.mad
        attribute = struct.unpack_from(">H", mad, 16)[0]
        if mad[1] != 7 or attribute not in (REQ, REP, DREQ):
            return
        local, remote = struct.unpack_from(">II", mad, 24)
        if attribute == REQ:
            self.servers[packet.src, packet.dst, local] = [int.from_bytes(mad[24 + 32:24 + 35], "big"), None]
        elif attribute == REP:
            said = self.servers.get((packet.dst, packet.src, remote))
            if said:
                said[1] = int.from_bytes(mad[24 + 12:24 + 15], "big")
        else:
            for key in ((packet.src, packet.dst, local), (packet.dst, packet.src, remote)):
                if self.servers.get(key, (0, None))[1] is not None:
                    self.close(key, packet)

    def close(self, key, packet):
        way = self.ways.get((key[0], key[1], self.servers[key][1]))
        if way and way[0].closed is None:
            way[0].closed = packet

    # Messages

    def begin(self, packet, data):
        flow = packet.src, packet.dst, packet.dqpn
        qid, sqsize = struct.unpack_from("<HH", data, 42)
        queue = Queue(len(self.queues), packet.frame, qid, sqsize)
        self.queues.append(queue)
        flows = [(flow, 0)]
        for (client, server, _), (qpn, to) in self.servers.items():
            if (client, server, to) == flow:
                flows.append(((server, client, qpn), 1))
        for each, side in {key: side for key, side in flows}.items():
            before = self.ways.get(each)
            if before and before[0].closed is None:
                before[0].closed = packet
            self.ways[each] = queue, side
        return queue

    def packet(self, packet, data, reth):
        way = self.ways.get((packet.src, packet.dst, packet.dqpn))
        if packet.op in SENDS and is_connect(data) and (way is None or way[1] or way[0].closed or packet.psn not in way[0].seen[0]):
            self.message(self.begin(packet, data), 0, packet, data)
        elif way is None:
            self.adopt(packet, data)
        elif packet.op in SENDS:
            self.message(*way, packet, data)
        elif packet.op in TRANSFERS:
            self.transfer(*way, packet, reth)

    def adopt(self, packet, data):
        """The answer of the last queue that has none yet, whose CM exchange is not in the file."""
        lonely = [q for q in self.queues if sum(way[0] is q for way in self.ways.values()) == 1]
        if not lonely or packet.op not in SENDS or len(data) != 16:
            return
        queue = lonely[-1]
        (src, dst, _), = (flow for flow, way in self.ways.items() if way[0] is queue)
        _, qid, cid, _ = struct.unpack_from("<HHHH", data, 8)
        if (packet.src, packet.dst) == (dst, src) and qid == queue.id and cid in queue.open:
            self.ways[packet.src, packet.dst, packet.dqpn] = queue, 1
            self.message(queue, 1, packet, data)

    def message(self, queue, side, packet, data):
        if packet.psn not in queue.seen[side]:
            queue.seen[side].add(packet.psn)
            if side == 0:
                self.ask(queue, packet, data)
            else:
                self.answer(queue, packet, data)
        self.goes_on(queue, side, packet)

    @staticmethod
    def goes_on(queue, side, packet):
        if queue.high[side] is None or after(packet.psn, queue.high[side]) > 0:
            queue.high[side] = packet.psn

    def ask(self, queue, packet, data):
        if len(data) < 64:
            return
        kind, size, key, address = data[39] >> 4, 0, None, 0
        if kind == 4:
            address, size, key = struct.unpack_from("<Q", data, 24)[0], int.from_bytes(data[32:35], "little"), int.from_bytes(data[35:39], "little")
        elif kind == 0:
            size = struct.unpack_from("<I", data, 32)[0]
        code = (data[0], data[4] if data[0] == 0x7f else 0)
        one = Command(queue, code, struct.unpack_from("<H", data, 2)[0], packet.frame, packet.time, size, key if size else None, address)
        if one.id in queue.open:
            self.found("ULP002", packet.frame, queue)
            self.row(queue.open.pop(one.id), "replaced")
        queue.open[one.id] = one
        self.count(queue)
        if len(queue.open) > queue.depth and not queue.said:
            queue.said = True
            self.found("ULP005", packet.frame, queue)

    def answer(self, queue, packet, data):
        if len(data) != 16:
            return
        queue.answers += 1
        cid, status = struct.unpack_from("<HH", data, 12)
        one = queue.open.pop(cid, None)
        if one is None:
            self.found("ULP003", packet.frame, queue)
            return
        status = status >> 1 & 0x7ff
        if status:
            self.found("ULP010", packet.frame, queue)
        self.row(one, "answered", packet, status)

    def transfer(self, queue, side, packet, reth):
        again = queue.high[side] is not None and after(packet.psn, queue.high[side]) <= 0
        self.goes_on(queue, side, packet)
        if side == 0 or again or len(reth) < 16:
            return
        if packet.op == WRITE_ONLY_IMM:
            raise NotImplementedError
        address, key, size = struct.unpack(">QII", reth)
        owners = [one for one in queue.open.values() if one.key == key]
        if not owners:
            self.found("ULP001", packet.frame, queue)
            return
        one = max(owners, key=lambda one: one.frame)
        if not (one.address <= address and address + size <= one.address + one.bytes):
            self.found("ULP001", packet.frame, queue)
        queue.moved[one.frame].append((packet.frame, size))

    # What is listed

    def found(self, rule, frame, queue):
        self.findings.append((rule, frame, queue))

    def count(self, queue):
        of = collections.Counter(queue.kind(one.code) for one in queue.open.values())
        queue.most.update({code: max(n, queue.most.get(code, 0)) for code, n in of.items()})

    def row(self, one, outcome, packet=None, status=None):
        frames = [frame for frame, _ in one.queue.moved[one.frame]]
        self.rows.append({
            "queue": one.queue.id, "name": one.queue.name(one.code), "id": one.id, "frame": one.frame,
            "end": packet.frame if packet else None, "ns": max(0, packet.time - one.time) if packet else None,
            "status": self.words(one, status), "bytes": one.bytes, "transfers": sorted({*frames[:1], *frames[-1:]}),
            "outcome": outcome, "transferred": sum(size for _, size in one.queue.moved[one.frame]), "number": one.queue.number,
            "counted as": one.queue.name(one.queue.kind(one.code))})

    @staticmethod
    def words(one, status):
        if status is None:
            return None
        return (OF_FABRICS if one.code[0] == 0x7f and status & 0x780 == 0x180 else STATUS)[status]

    def finish(self):
        for queue in self.queues:
            for one in queue.open.values():
                if queue.closed and queue.answers and not (queue.id == 0 and one.code[0] == AER):
                    self.found("ULP004", one.frame, queue)
                self.row(one, "closed" if queue.closed else "open")
        self.findings = [(rule, frame) for rule, frame, queue in self.findings if queue.answers or rule not in ("ULP002", "ULP005")]
        self.rows.sort(key=lambda row: row["frame"])
