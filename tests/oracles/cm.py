# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Conversations of the CM in a capture, worked out from its bytes alone.

Written from the definitions (the man page of pcap-lint, cm), not from the tracker. Offsets are those of facts/, from
the first byte after the common MAD header of 24 bytes. All messages begin with the Local Communication ID of their
sender, all but the REQ have that of the receiver next. By SIDR it is a Request ID, in both.
"""
import mads
import packet
import capture

COMMUNICATION = 0x07
REQ, MRA, REJ, REP, RTU, DREQ, DREP, LAP, APR = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x19, 0x1a
SIDR_REQ, SIDR_REP = 0x17, 0x18
NAMES = {REQ: "req", MRA: "mra", REJ: "rej", REP: "rep", RTU: "rtu", DREQ: "dreq", DREP: "drep", LAP: "lap", APR: "apr",
         SIDR_REQ: "sidr_req", SIDR_REP: "sidr_rep"}
FIXED = {REQ: 140, MRA: 10, REJ: 84, REP: 36, RTU: 8, DREQ: 12, DREP: 8, LAP: 64, APR: 84,
         SIDR_REQ: 16, SIDR_REP: 96}  # bytes in front of private data
ASKED = {REQ, REP, LAP, DREQ, SIDR_REQ}  # sent again for want of an answer
EXTENDED, XRC = 3, 1  # transport service types
A, B = "a", "b"
KEPT = 32  # messages of a conversation


class Message:
    """Of a conversation, or not: .kind is None."""

    def __init__(self, record):
        mad = mads.Mad(record)
        self.kind = None
        if not mad.ok or mad.mgmt_class != COMMUNICATION or len(mad.body) < 24 + FIXED.get(mad.attr, 1 << 16):
            return
        self.kind, self.frame, self.time, self.body = mad.attr, mad.frame, mad.time, mad.body[24:]
        self.src, self.dst = mad.src, mad.dst
        self.local = packet.u32(self.body, 0)
        self.remote = 0 if self.kind == REQ else packet.u32(self.body, 4)

    def told(self, side):
        """As the object cm has each message."""
        return [self.frame, self.time, NAMES[self.kind].upper(), "a_to_b" if side == A else "b_to_a"]

    @property
    def asked(self):
        """QPN, Starting PSN and service ID of a REQ."""
        return packet.u24(self.body, 32), packet.u24(self.body, 44), bytes(self.body[8:16])

    @property
    def is_xrc(self):
        return self.body[43] >> 1 & 3 == EXTENDED and self.body[51] & 7 == XRC


class Lookup:
    """By SIDR: a request ID, a service ID, and what was answered."""

    def __init__(self, message):
        self.first = self.last = message.frame
        self.ends, self.id, self.service = (message.src, message.dst), message.local, bytes(message.body[8:16])
        self.qpn = self.status = None
        self.times, self.counts, self.said, self.messages = {}, {SIDR_REQ: 0, SIDR_REP: 0}, [], []

    def take(self, message):
        side = A if message.kind == SIDR_REQ else B
        self.messages.append((message, side))
        self.said.append(message.told(side))
        self.last = message.frame
        self.times.setdefault(message.kind, message.time)
        self.counts[message.kind] += 1
        if message.kind == SIDR_REP and message.body[4] == 0:
            self.qpn = packet.u24(message.body, 8)
        elif message.kind == SIDR_REP and self.status is None:
            self.status = message.body[4]

    def figures(self):
        asked, answered = self.times[SIDR_REQ], self.times.get(SIDR_REP)
        state = "SIDR_REQ sent" if answered is None else "resolved" if self.status is None else "rejected"
        found = {name: self.counts.get(kind, 0) for kind, name in NAMES.items()}
        return found | {"a": {"address": packet.address_text(self.ends[0]), "qpn": None, "comm_id": self.id or None},
                        "b": {"address": packet.address_text(self.ends[1]), "qpn": self.qpn, "comm_id": None},
                        "service_id": f"0x{self.service.hex()}" if any(self.service) else None,
                        "first_frame": self.first, "last_frame": self.last, "retries": self.counts[SIDR_REQ] - 1,
                        "state": state, "ended_by": "b" if self.status else None, "reason": self.status,
                        "req_to_rep": answered - asked if answered is not None and answered >= asked else None,
                        "rep_to_rtu": None, "dreq_to_drep": None, "messages": self.said[:KEPT], "negotiated": None}


class Conversation:
    def __init__(self, message, client, server, client_id):
        self.first = self.last = message.frame
        self.address, self.id = {A: client, B: server}, {A: client_id, B: None}
        self.asked = message.asked if message.kind == REQ else None
        self.xrc = message.kind == REQ and message.is_xrc
        self.qpn = {A: self.asked[0] if self.asked else None, B: None}
        self.times, self.counts, self.retries, self.said, self.messages = {}, {}, 0, [], []
        self.req, self.rep = message.body if message.kind == REQ else None, None
        self.end = self.by = self.reason = None

    def may_be_server(self, server_id):
        return REP not in self.times or self.id[B] == server_id

    def take(self, message, side):
        self.messages.append((message, side))
        self.said.append(message.told(side))
        self.last = message.frame
        self.rep = message.body if message.kind == REP else self.rep
        self.times.setdefault(message.kind, message.time)
        count = self.counts.get((message.kind, side), 0)
        self.retries += count > 0 and message.kind in ASKED
        self.counts[message.kind, side] = count + 1
        if message.kind == REP:
            at = 16 if self.xrc or self.asked is None and not packet.u24(message.body, 12) else 12
            self.qpn[B] = packet.u24(message.body, at)
        if side == B:
            self.id[B] = message.local
        elif message.remote:
            self.id[B] = message.remote
        if self.end is None and message.kind in (REJ, DREQ):
            self.end, self.by = message.kind, side
            self.reason = packet.u16(message.body, 10) if message.kind == REJ else None

    @property
    def state(self):
        if self.end == REJ:
            return "rejected"
        if self.end:
            return "disconnected" if DREP in self.times else "DREQ sent"
        return "established" if RTU in self.times else "REP sent" if REP in self.times else "REQ sent"

    def step(self, first, second):
        times = self.times.get(first), self.times.get(second)
        return None if None in times or times[1] < times[0] else times[1] - times[0]

    def figures(self):
        """As the object cm has them."""
        found = {name: self.counts.get((kind, A), 0) + self.counts.get((kind, B), 0) for kind, name in NAMES.items()}
        found |= {end: {"address": packet.address_text(self.address[end]), "qpn": self.qpn[end],
                        "comm_id": self.id[end] or None} for end in (A, B)}
        found |= {"service_id": f"0x{self.asked[2].hex()}" if self.asked and any(self.asked[2]) else None}
        return found | {"first_frame": self.first, "last_frame": self.last, "retries": self.retries,
                        "state": self.state, "ended_by": self.by, "reason": self.reason,
                        "req_to_rep": self.step(REQ, REP), "rep_to_rtu": self.step(REP, RTU),
                        "dreq_to_drep": self.step(DREQ, DREP), "messages": self.said[:KEPT], "negotiated": self.negotiated()}

    def negotiated(self):
        """What REQ and REP say: of the requests of A the retries and the timeout, the first PSNs, the READs that A, and B, may have."""
        req, rep = self.req, self.rep
        depths = (min(req[39], rep[24]), min(rep[25], req[35])) if req and rep else (None, None)
        return {"retry_count": req and req[47] & 7, "rnr_retry_count": rep and rep[27] >> 5, "ack_timeout": req and req[95] >> 3,
                "starting_psn": [rep and packet.u24(rep, 20), req and packet.u24(req, 44)],
                "initiator_depth": depths[0], "responder_resources": depths[1]}


def find(known, message):
    """(the conversation of an answer, the side that sent it)"""
    if message.kind != RTU:
        one = known.get((message.dst, message.src, message.remote))
        if one and (message.kind in (REP, REJ) or one.may_be_server(message.local)):
            return one, B
    if message.kind != REP:
        one = known.get((message.src, message.dst, message.local))
        if one and (message.kind == REJ or one.may_be_server(message.remote)):
            return one, A
    return None, None


def look_up(lookups, found, message):
    """A SIDR_REQ, or a SIDR_REP whose SIDR_REQ is known."""
    asks = message.kind == SIDR_REQ
    key = (message.src, message.dst, message.local) if asks else (message.dst, message.src, message.local)
    one = lookups.get(key)
    if asks and (one is None or one.service != bytes(message.body[8:16])):
        one = lookups[key] = Lookup(message)
        found.append(one)
    if one is not None:
        one.take(message)


def found_in(path):
    """Conversations and lookups of the capture @path, by first frame."""
    known, lookups, found = {}, {}, []
    for record in capture.records(path):
        message = Message(record)
        if message.kind is None:
            continue
        if message.kind in (SIDR_REQ, SIDR_REP):
            look_up(lookups, found, message)
            continue
        if message.kind == REQ:
            key, side = (message.src, message.dst, message.local), A
            one = known.get(key)
            if one is None or one.asked != message.asked:
                one = known[key] = Conversation(message, *key)
                found.append(one)
        else:
            one, side = find(known, message)
        if one is None and message.kind == REP:
            key, side = (message.dst, message.src, message.remote), B
            one = known[key] = Conversation(message, *key)
            found.append(one)
        if one is not None:
            one.take(message, side)
    return found


def conversations(path):
    """What the objects cm say of each."""
    return [one.figures() for one in found_in(path)]
