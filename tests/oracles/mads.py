# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""MAD transactions and RMPP transfers of a capture, worked out from its bytes alone.

Written from the definitions (the man page of pcap-lint, FIGURES OF --STATS), not from the tracker. Offsets are
those of facts/: the common header is 24 bytes (class 1, method 3, status 4, TID 8, attribute 16, modifier 20),
RMPP 24 to 35 (type 25, flags in the lower 3 bits of 26, segment 28, length 32), in SubnAdm (0x03) and vendor
classes with an OUI (0x30 to 0x4f); a directed-route SMP has its hop pointer in 6, its hop count in 7 and its
initial path in 128 to 191.
"""
import collections

import capture
import packet

GET, SET, REPORT, TRAP, REPRESS = 0x01, 0x02, 0x06, 0x05, 0x07
ANSWERED = {GET, SET, REPORT, 0x12, 0x13, 0x14, 0x15}  # GetTable, GetTraceTable, GetMulti, Delete
DIRECTED = 0x81
DATA, ACK, STOP, ABORT = 1, 2, 3, 4
SECOND = 10**9
LATE, REUSE = 2 * SECOND, 60 * SECOND
LMC = 0x7f
AGENTS = 64
KNOWN = {0x01, 0x81, *range(0x03, 0x2f + 1), *range(0x30, 0x4f + 1)}  # management classes that are defined


class Mad:
    """One MAD, and where it comes from."""

    def __init__(self, record, damaged=False):
        """@damaged: one with a bad ICRC, too."""
        self.ok = False
        net = packet.LINKS[record.link](record.data, 0) if record.link in packet.LINKS else None
        data = record.data
        if net is None or net.at + 20 > len(data) or data[net.at] >> 5 != packet.UD:
            return
        at = net.at
        self.dqpn, self.sqpn = packet.u24(data, at + 5), packet.u24(data, at + 17)
        body = data[at + 20:min(net.end - 4 - (data[at + 1] >> 4 & 3), len(data))]
        if min(self.dqpn, self.sqpn) > 1 or (self.dqpn > 1 and (len(body) != 256 or body[0] != 1)):
            return
        if len(body) < 24 or body[0] != 1 or body[1] not in KNOWN or (not damaged and packet.icrc(data, net) == packet.BAD):
            return
        self.ok, self.frame, self.time, self.body = True, record.number, record.time, body
        self.src, self.dst = net.src, net.dst
        self.mgmt_class, self.back, self.method = body[1], body[3] >> 7, body[3] & 0x7f
        self.status = packet.u16(body, 4) & (0x7fff if self.mgmt_class == DIRECTED else 0xffff)
        self.tid, self.attr = bytes(body[8:16]), packet.u16(body, 16)
        self.hop = body[6] if self.mgmt_class == DIRECTED else 0
        self.type = self.segment = self.flags = self.length = 0
        if (self.mgmt_class == 3 or 0x30 <= self.mgmt_class <= 0x4f) and len(body) >= 36 and body[26] & 1:
            self.type, self.flags = body[25], body[26] & 7
            self.segment, self.length = packet.u32(body, 28), packet.u32(body, 32)

    @property
    def client(self):
        return self.dst if self.back else self.src

    @property
    def server(self):
        return self.src if self.back else self.dst

    @property
    def key(self):
        if self.mgmt_class == DIRECTED:
            way = bytes(self.body[129:129 + min(self.body[7], 63)])
            return DIRECTED, self.tid, way, self.dqpn if self.back else self.sqpn
        return self.mgmt_class, self.tid, self.client, self.dqpn if self.back else self.sqpn

    @property
    def content(self):
        """What a copy has in common with the first one."""
        return bytes(self.body[:4]) + bytes(self.body[8:192 if self.mgmt_class == DIRECTED else 256])


class Transaction:
    def __init__(self, mad):
        self.mad, self.content, self.time, self.last = mad, mad.content, mad.time, mad.time
        self.state = "waiting"  # begun, answered, stopped


class Counts:
    """Of all clients together, and of each (client, class, agent): by directed routes the first 64 agents, and all others."""

    def __init__(self):
        self.of, self.agents = collections.defaultdict(collections.Counter), set()

    def meet(self, mad, transaction):
        """Each MAD, whether it counts or not."""
        agent = int.from_bytes(mad.tid[:4], "big") if mad.mgmt_class == DIRECTED else None
        client = transaction.mad.src if transaction and mad.back else mad.client
        if agent is not None and len(self.agents) < AGENTS:
            self.agents.add((client, agent))

    def add(self, mad, what, transaction=None):
        who = transaction.mad if transaction else mad
        agent = int.from_bytes(mad.tid[:4], "big") if mad.mgmt_class == DIRECTED else None
        client = who.client if not transaction or who.mgmt_class != DIRECTED else who.src
        self.of[client, who.mgmt_class, agent if (client, agent) in self.agents else None][what] += 1


def same_server(asked, answers):
    if isinstance(asked, int) and isinstance(answers, int):
        return not (asked ^ answers) & ~LMC
    return asked == answers


def respond(counts, transaction, mad):
    last = mad.type != DATA or bool(mad.flags & 4)
    if transaction.state == "waiting":
        counts.add(mad, "answered", transaction)
        if mad.status & 1:
            counts.add(mad, "busy", transaction)
        if mad.status & ~1:
            counts.add(mad, "errors", transaction)
        if mad.time - transaction.last >= LATE:
            counts.add(mad, "late", transaction)
        transaction.state = "answered" if last else "begun"
    elif mad.type == DATA:
        if transaction.state == "begun" and last:
            transaction.state = "answered"
    elif transaction.state != "stopped" and mad.mgmt_class != DIRECTED:
        counts.add(mad, "repeated_responses", transaction)


def ask(counts, known, mad):
    old = known.get(mad.key)
    waits = old is not None and old.state == "waiting"
    if old is not None and mad.mgmt_class == DIRECTED and old.content == mad.content and old.mad.hop != mad.hop:
        return
    if waits and old.content == mad.content:
        counts.add(mad, "retries")
        old.last = mad.time
        return
    if waits and mad.time < old.last + REUSE:
        counts.add(mad, "reused_tids")
    known[mad.key] = Transaction(mad)
    counts.add(mad, "requests")


class Transfer:
    def __init__(self):
        self.segments, self.last = {}, 0


def transfer(open_transfers, mad):
    """True: it completes one of several segments."""
    if not mad.type:
        return False
    ends = (mad.src, mad.dst) if mad.type == DATA else (mad.dst, mad.src)
    key = (mad.mgmt_class, mad.tid, *ends)
    if mad.type in (STOP, ABORT):
        for one in (key, (mad.mgmt_class, mad.tid, mad.src, mad.dst)):
            open_transfers.pop(one, None)
        return False
    if mad.type != DATA:
        return False
    if key not in open_transfers and mad.flags & 6 == 6:
        return False
    this = open_transfers.setdefault(key, Transfer())
    if not mad.segment:
        open_transfers.pop(key)
        return False
    this.segments[mad.segment] = True
    if mad.flags & 4:
        this.last = mad.segment
    if this.last and len(this.segments) == this.last:
        open_transfers.pop(key)
        return True
    return False


def counts(path):
    """{(client, class, agent): {figure: number}} of the capture @path."""
    known, open_transfers, found = {}, {}, Counts()
    for record in capture.records(path):
        mad = Mad(record)
        if not mad.ok:
            continue
        if mad.back and mad.method not in ANSWERED:
            continue
        transaction = known.get(mad.key)
        found.meet(mad, transaction)
        if transaction is not None and mad.back and mad.type <= DATA and mad.mgmt_class != DIRECTED and \
                not same_server(transaction.mad.server, mad.server):
            transaction = None
        if mad.method in ANSWERED and transfer(open_transfers, mad):
            found.add(mad, "transfers", transaction)
        if mad.type > DATA:
            if mad.type in (STOP, ABORT) and transaction is not None and transaction.state == "waiting":
                transaction.state = "stopped"
                found.add(mad, "stopped", transaction)
        elif mad.back:
            if transaction is not None:
                respond(found, transaction, mad)
            elif mad.segment <= 1:
                found.add(mad, "unasked_responses")
        elif mad.method in (TRAP, REPRESS):
            found.add(mad, "traps" if mad.method == TRAP else "represses")
        elif mad.method in ANSWERED and mad.segment <= 1:
            ask(found, known, mad)
    for of in found.of.values():
        of["unanswered"] = of["requests"] - of["answered"] - of["stopped"]
    return {(packet.address_text(client), mgmt_class, agent): {k: v for k, v in of.items() if v}
            for (client, mgmt_class, agent), of in found.of.items()}
