# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Rules about upper layers that need no commands, by the bytes: what the CM's private data announce, and what SENDs and WRITEs are.

IBTA vol 1, 12.6 and A11 (CM, RDMA CM), NVMe over Fabrics 1.1, 7.3.6.4, T10 SRP, 6, RFC 8797, 4.1, MS-SMBD, 2.2, Linux' net/rds and
rdma-core's docs/rsocket. Each packet of a connection is looked at once, by its PSN.
"""
import struct

import capture
import upper_iwarp
from nvme import Nvme
from packet import (BAD, RC, SEND_FIRST, SEND_LAST, SEND_LAST_IMM, SEND_LAST_INV, SEND_MIDDLE, SEND_ONLY, SEND_ONLY_INV, UD,
                    WRITE_FIRST, WRITE_LAST_IMM, WRITE_ONLY_IMM, parse)
from upper import Rpc, SmbDirect, Srp, is_capsule, is_nvme

REQ, REJ, REP = 0x10, 0x12, 0x13
PRIVATE = {REQ: 24 + 140, REJ: 24 + 84, REP: 24 + 36}  # in a MAD
CLIENT, SERVER = 0, 1
NVME, RDS, RDS_ANY = (4420, 8009), (18634, 16385), 16385  # that of both IPv4 and IPv6
CONSUMER = 28
STARTS, GOES_ON = {SEND_FIRST, SEND_ONLY, SEND_ONLY_INV}, {SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_LAST_INV}
EXTENSIONS = {1: 4, 2: 4, 3: 8, 5: 2, 6: 4}  # of RDS
MAP = 4096 * 8  # ports of a fragment of a congestion map


class Side:
    """What one end sends: PSNs seen, the SEND that goes on, the last message of RDS."""

    def __init__(self):
        self.seen, self.next, self.bytes, self.room = set(), None, 0, None
        self.last, self.sequence, self.maps = None, None, 0
        self.written = None  # (PSN, bytes, MTU) of the first packet of a WRITE


class Connection:
    """A REQ and its REP: whose, where PSNs begin, private data."""

    def __init__(self, mad):
        self.port = int.from_bytes(mad[38:40], "big") if mad[32:38] == bytes.fromhex("000000000106") else None
        self.v6 = self.port == RDS_ANY and mad[PRIVATE[REQ] + 1] >> 4 == 6
        self.req = mad[PRIVATE[REQ] + (36 if self.port is not None else 0):256]
        self.client, self.rep, self.refused = int.from_bytes(mad[56:59], "big"), None, set()
        self.sides, self.kind = (Side(), Side()), None
        self.start = [None, int.from_bytes(mad[68:71], "big")]  # of what the server sends

    def accept(self, mad):
        self.server, self.rep = int.from_bytes(mad[36:39], "big"), mad[PRIVATE[REP]:256]
        self.start[CLIENT] = int.from_bytes(mad[44:47], "big")
        at = 32 if self.v6 else 8  # after the addresses of both ends
        if self.port in RDS and all(3 <= data[at] <= 4 for data in (self.req, self.rep)):
            self.kind = "RDS"
            for side in self.sides:
                side.room = None if any(any(data[at + 6:at + 8]) for data in (self.req, self.rep)) else 48 + 4096
        elif is_rsocket(self.req, 1) and is_rsocket(self.rep, 1):
            self.kind = "rsocket"

    def begun(self, data):
        """Who has room for how much, if the first message is of the upper layer that says so."""
        client, server = self.sides
        if Rpc.begins(SEND_ONLY, data):
            client.room, server.room = rpc_room(self.rep), rpc_room(self.req)
        elif self.rep[:1] == b"\xc0" and Srp.begins(SEND_ONLY, data):
            client.room, server.room = struct.unpack(">II", self.rep[16:24])


class Mpa(Connection):
    """A connection of iWARP, with what the private data of MPA say."""

    def __init__(self, start):
        self.port, self.req, self.rep, self.sides, self.kind = start.port, start.req, start.rep, (Side(), Side()), None


def is_rsocket(data, version=None):
    if len(data) < 40:
        return False
    areas = [struct.unpack(">QII", data[at:at + 16]) for at in (8, 24)]
    return (version in (None, data[0]) and data[0] and data[1] <= 3 and data[2:4] != bytes(2) and not any(data[4:7]) and not any(data[40:])
            and all(all(area) for area in areas))


def rpc_room(data):
    return (data[7] + 1) * 1024 if data[:5] == bytes.fromhex("f6ab0e1801") else None


def ones(header):
    total = sum(struct.unpack(">24H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def late(reader):
    """[("ULP008", frame)]: where nothing went on between two hosts for longer than the Keep Alive Timeout of their last admin queue."""
    found, pairs = [], {}
    for queue in reader.queues:
        if queue.PROTOCOL == Nvme.PROTOCOL:
            pairs.setdefault(tuple(end[0] if isinstance(end, tuple) else end for end in queue.flow[:2]), []).append(queue)
    for queues in pairs.values():
        found += late_of(queues, [row for row in reader.rows if reader.queues[row["number"]] in queues], reader.last)
    return found


def late_of(queues, rows, last):
    """Steps in the order of the frames: a command is sent (1), is answered or loses its id (0), a queue is closed (2), the capture ends (3)."""
    numbers, steps = {queue.number: queue for queue in queues}, []
    for row in rows:
        queue = numbers[row["number"]]
        steps.append((row["frame"], 1, row["time"], queue, row))
        over = [other["frame"] for other in rows if other["number"] == row["number"] and other["id"] == row["id"] and other["frame"] > row["frame"]]
        if row["end"]:
            steps.append((row["end"], 0, row["time"] + row["ns"], queue, row))
        elif over and row["outcome"] == "replaced":
            steps.append((min(over), 0, row["time"], queue, row))
    steps += [(queue.closed.frame, 2, queue.closed.time, queue, None) for queue in queues if queue.closed]
    steps.append((last.number + 1, 3, last.time, None, None))
    found, said, opened, busy, admin = [], set(), [], (0, 0), None
    for frame, kind, time, queue, row in sorted(steps, key=lambda step: step[:2]):
        goes_on = admin and admin.closed is None or admin and admin.closed.frame >= frame
        asked = kind == 1 or kind == 2 and queue is admin or kind == 3
        if asked and goes_on and admin.kato and admin.accepted and admin not in said and not opened and time - busy[0] > admin.kato * 10**6:
            said.add(admin)
            found.append(("ULP008", min(frame, last.number)))
        if kind == 2:
            opened = [other for other in opened if other["number"] != queue.number]
        if kind > 1:
            continue
        if kind == 1 and not queue.id and queue.kato and row["name"] == "Connect" and (admin is None or admin.number < queue.number):
            admin = queue
        busy = time, frame
        if kind == 0:
            opened = [other for other in opened if other is not row]
            queue.accepted = True
        elif not queue.waits((row["opcode"], 0)) and (queue.closed is None or queue.closed.frame > frame):
            opened.append(row)
        if kind == 1 and not queue.id and row["id"] in queue.changed and row["name"] == "Set Features":
            queue.kato = 0
    return found


class Rules:
    """[(rule, frame)] of a capture."""

    def __init__(self, path):
        self.by_id, self.ways, self.found = {}, {}, []
        for record in capture.records(path):
            packet = parse(record)
            if packet is None or packet.icrc == BAD:
                continue
            if packet.service == UD and packet.mad is not None and len(packet.mad) >= 256 and packet.mad[1] == 7:
                self.manage(packet)
            elif packet.service == RC and (packet.src, packet.dst, packet.dqpn) in self.ways:
                data = record.data[packet.start:packet.start + packet.payload]
                self.packet(*self.ways[packet.src, packet.dst, packet.dqpn], packet, data, record.data[packet.start - 20:packet.start])

        for _, _, start in upper_iwarp.connections(path):
            self.stream(start)

    def stream(self, start):
        """iWARP: each part of a Send comes once, in order."""
        if start.rejection and start.port in NVME and start.rep[:2] == b"\0\0" and any(start.rep[2:4]):
            self.found.append(("ULP025", start.rejection))
        one = Mpa(start)
        if is_rsocket(start.req, 1) and is_rsocket(start.rep) and start.rep[0] != 1 and not start.rejection:
            self.found.append(("ULP022", start.replied))
        elif is_rsocket(start.req, 1) and is_rsocket(start.rep, 1) and not start.rejection:
            self.words(start)
        for packet, at, msn, fresh in start.parts:
            side, data = one.sides[at], packet.data
            if fresh and at == CLIENT and msn == 1:
                one.begun(data)
                self.first(one, packet, data)
            if fresh:
                self.negotiation(one, at, packet, data)
                side.bytes, side.next = 0, True
            if side.next:
                side.bytes += len(data)
            if side.next and side.room and side.bytes > side.room:
                self.say("ULP024", packet)
                side.next = None

    def say(self, rule, packet):
        self.found.append((rule, packet.frame))

    # The CM

    def manage(self, packet):
        mad = packet.mad
        attribute, (local, remote) = int.from_bytes(mad[16:18], "big"), struct.unpack(">II", mad[24:32])
        if attribute == REQ:
            if (packet.src, packet.dst, local) not in self.by_id:
                self.by_id[packet.src, packet.dst, local] = Connection(mad)
            return
        one = self.by_id.get((packet.dst, packet.src, remote))
        if one is None:
            return
        if attribute == REP and one.rep is None:
            one.accept(mad)
            if is_rsocket(one.req, 1) and is_rsocket(one.rep) and one.rep[0] != 1:
                self.say("ULP022", packet)
            self.ways[packet.dst, packet.src, one.server] = one, CLIENT
            self.ways[packet.src, packet.dst, one.client] = one, SERVER
        elif attribute == REJ and mad not in one.refused:
            one.refused.add(mad)
            if self.is_refused(one, int.from_bytes(mad[34:36], "big"), mad[PRIVATE[REJ]:256]):
                self.say("ULP025", packet)

    @staticmethod
    def is_refused(one, reason, data):
        if data[0] == 0xc2 and data[4:6] == b"\0\1":
            return True
        if reason != CONSUMER:
            return False
        return one.port in NVME and any(data[2:4]) or one.port in RDS and data[:4] in (b"\0\0\0\1", b"\1\0\0\0")

    # Messages

    def packet(self, one, at, packet, data, before):
        side = one.sides[at]
        fresh = packet.psn not in side.seen
        side.seen.add(packet.psn)
        if not fresh:
            return
        if packet.op in STARTS:
            if at == CLIENT and packet.psn == one.start[CLIENT]:
                one.begun(data)
                self.first(one, packet, data)
            self.negotiation(one, at, packet, data)
            self.rds(one, side, packet, data, one.start[at] - 1 if side.last is None else side.last)
            side.bytes = 0
        if packet.op in STARTS or packet.op in GOES_ON and packet.psn == side.next:
            self.length(one, side, packet, len(data))
        if packet.op in STARTS or side.last is not None and packet.psn == (side.last + 1) % 2**24:
            side.last = packet.psn
        if one.kind == "rsocket":
            self.written(side, packet, before)

    def first(self, one, packet, data):
        if one.port is None or not is_nvme(one.req, one.port.to_bytes(2, "big")) or not is_capsule(data):
            return
        is_connect = data[0] == 0x7f and data[4] == 1
        if not is_connect or Nvme.begins(SEND_ONLY, data) and data[42:44] != one.req[2:4]:
            self.say("ULP006", packet)

    def negotiation(self, one, at, packet, data):
        if at == CLIENT and SmbDirect.begins(packet.op, data):
            one.sides[SERVER].room, = struct.unpack("<I", data[12:16])
            one.kind = "SMB Direct"
        elif at == SERVER and one.kind == "SMB Direct" and len(data) == 32 and data[:6] == b"\0\1" * 3:
            status, _, _, room = struct.unpack("<IIII", data[12:28])
            if status:
                self.say("ULP025", packet)
            else:
                one.sides[CLIENT].room = room

    def length(self, one, side, packet, size):
        side.bytes += size
        side.next = None if packet.op not in (SEND_FIRST, SEND_MIDDLE) else (packet.psn + 1) % 2**24
        if side.room and side.bytes > side.room:
            self.say("ULP019" if one.kind == "RDS" else "ULP024", packet)
            side.next = None

    def words(self, start):
        """rsockets: what each end wrote, then a Send of 4 octets. Which Write a word is of shows where no Send is missing between them."""
        written, sent = [None, None], [0, 0]
        for message, at, msn, size in start.order:
            if msn is None:
                written[at] = size
                continue
            data, said = message.data, (start.req, start.rep)[at]
            word = int.from_bytes(data, "big" if said[1] & 1 else "little")
            if len(data) == 4 and message.op == SEND_ONLY:
                other = word and written[at] is not None and msn == sent[at] + 1 and word >> 29 == 0 and word != written[at]
                if word >> 29 not in (0, 4, 6, 7) or other:
                    self.say("ULP022", message)
            written[at], sent[at] = None, msn

    # RDS

    def rds(self, one, side, packet, data, last):
        if one.kind != "RDS" or len(data) < 48:
            return
        contiguous = packet.psn == (last + 1) % 2**24
        sequence, _, size = struct.unpack(">QQI", data[:20])
        if data[30:32] != bytes(2) and ones(data[:48]) != 0xffff:
            self.say("ULP019", packet)
            return
        if size > 1 << 20:
            self.say("ULP019", packet)
        self.extensions(packet, data[32:48])
        if data[24] & 1:
            self.map(side, packet, data, contiguous and size == 2 * MAP // 8)
            return
        side.maps = 0
        if not sequence:
            return
        if data[24] & 4 or contiguous and side.sequence and sequence not in (side.sequence, side.sequence + 1):
            self.say("ULP020", packet)
        side.sequence = sequence

    def extensions(self, packet, area):
        at = 0
        while at < 16 and area[at]:
            if area[at] not in EXTENSIONS:
                if area[at] != 4:
                    self.say("ULP019", packet)
                return
            at += 1 + EXTENSIONS[area[at]]

    def map(self, side, packet, data, known):
        if not known or side.maps is None:
            side.maps = None
            return
        side.maps += 1
        if any(data[48:]):
            self.say("ULP020", packet)

    # rsockets

    def written(self, side, packet, before):
        if packet.op == WRITE_FIRST:
            side.written = packet.psn, int.from_bytes(before[16:20], "big"), packet.payload
            return
        if packet.op == WRITE_ONLY_IMM:
            carried = packet.payload
        elif packet.op == WRITE_LAST_IMM:
            psn, size, mtu = side.written or (None, 0, 1)
            whole = psn is not None and -(-size // mtu) == (packet.psn - psn) % 2**24 + 1 > 1
            carried = size if whole else None
        else:
            return
        word = int.from_bytes(before[16:20], "big")
        if word >> 29 not in (0, 4, 6, 7) or word >> 29 == 0 and carried is not None and word != carried:
            self.say("ULP022", packet)
