# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a connection waited for: written from the definitions of the man page, "FIGURES OF --STATS", keys of waited."""
import packet as P

CAUSES = ("recovery", "rnr", "pause", "cnp", "read", "ack", "application", "unknown")
SEQUENCE_NAK = 0x60
COPY_NS, BLOCK = 10_000, 64
HIDES = {"one-way", "capture-loss", "sampled"}
UNFINISHED = {op for op in P.SENDS | P.WRITES if op & 0x1f in (0, 1, 6, 7)}  # FIRST and MIDDLE


def rate(count, begin, end):
    return count * 8 * 10**9 // (end - begin) if end > begin else 0


class Side:
    """What is known of the requests of one direction, next to measures.Way."""

    def __init__(self, way):
        self.way, self.until, self.rnr_until, self.within = way, 0, 0, False
        self.progress = {"read": 0, "ack": 0, "application": 0}
        self.missing = set()  # PSNs that a READ asked for, and no response has carried
        self.wanted = range(0)  # of those, asked for again
        self.high = 0  # the highest PSN of a response
        self.rate = self.before = self.slowed = 0
        self.block = []  # (time, bytes) of packets in a row

    def recovers(self):
        return self.until > self.way.done and bool(self.way.opened()) or any(psn in self.missing for psn in self.wanted)

    def cause(self):
        opened = self.way.opened()
        if self.recovers():
            return "recovery"
        if self.way.rnr:
            return "rnr"
        if self.before and (opened or self.within):
            return "cnp"
        if any(r.op in P.ATOMICS | {P.READ_REQUEST} for r in opened):
            return "read"
        return "ack" if opened else "application"

    def sent(self, packet):
        self.block.append((packet.time, packet.wire))
        if len(self.block) < BLOCK:
            return
        now = self.block_rate(packet.time)
        self.block = self.block[-1:]
        if now:
            self.rate = now
            if now >= self.before - self.before // 10:
                if self.before:
                    self.way.lists["cnp_recovery"].add(packet.time - self.slowed)
                self.before = 0

    def block_rate(self, now):
        return rate(sum(size for _, size in self.block[1:]), self.block[0][0], now) if self.block else 0

    def notified(self, now):
        if not self.before:
            self.before, self.slowed = self.rate or self.block_rate(now), now
        self.block = []


class Waited:
    """The time of a connection, by cause."""

    def __init__(self, ways, pauses):
        self.pauses, self.priority = pauses, None
        self.ns = dict.fromkeys(CAUSES, 0)
        self.sides = [Side(way) for way in ways]
        self.last = None

    def passed(self, packet, side):
        """Before the packet is looked at."""
        for one in self.sides:
            if not one.way.opened():
                one.until = 0
        if packet.payload:
            self.priority = packet.dscp >> 3 if packet.tag is None else packet.tag >> 13
        if self.last is not None and packet.time > self.last:
            known = [one.cause() for one in self.sides if one.way.begun]
            cause, time = min(known, key=CAUSES.index, default="unknown"), packet.time - self.last
            paused = self.pauses.between(self.priority, self.last, packet.time) if self.is_held(cause, packet) else 0
            self.ns["pause"] += paused
            self.ns[cause] += time - paused
        self.last = packet.time if self.last is None else max(self.last, packet.time)
        if packet.service != P.CNP:
            self.sides[side].sent(packet)

    def is_held(self, cause, packet):
        """Whether a pause may be what it waited for."""
        if cause in ("recovery", "rnr", "unknown") or self.priority is None:
            return False
        return cause != "application" or any(one.within for one in self.sides) or \
            (packet.service in P.SERVICES and packet.op in P.REQUESTS)

    def progress(self, one):
        one.progress = {key: self.ns[key] for key in ("read", "ack", "application")}

    def request(self, packet, side):
        """Before measures.py takes it."""
        one = self.sides[side]
        if packet.was in ("first", "restart"):
            one.until = one.rnr_until = 0
            one.missing, one.wanted, one.high = set(), range(0), 0
            self.progress(one)
        elif packet.was == "gap":
            one.until = max(one.until, packet.ext + packet.span)
        elif packet.was == "repeated":
            self.repeated(packet, one)
        if packet.op == P.READ_REQUEST and packet.was != "repeated":
            one.missing.update(range(packet.ext, packet.ext + packet.span))
        one.within = packet.op in UNFINISHED

    def repeated(self, packet, one):
        way, psn = one.way, packet.ext
        asked = range(psn, psn + packet.span)
        if packet.op == P.READ_REQUEST and any(other in one.missing and other < one.high for other in asked):
            self.missing_again(asked, one)
            return
        if psn < way.done:
            return
        if way.rnr and way.rnr[0] == psn:
            one.rnr_until = way.expected
            return
        first = way.find(psn)
        copy = first is not None and first.psn == psn and 0 <= packet.time - first.last <= COPY_NS
        if psn < one.rnr_until or one.recovers() or copy:
            return
        one.until = way.expected
        self.lost(one, "read", "ack")

    def lost(self, one, *keys):
        """What was waited since the last progress was time lost."""
        for key in keys:
            before = min(one.progress[key], self.ns[key])
            self.ns["recovery"] += self.ns[key] - before
            self.ns[key] = one.progress[key] = before

    def missing_again(self, asked, one):
        """A READ that lacks a response, and has a later one."""
        if not one.recovers():
            one.wanted = asked
            self.lost(one, "read", "ack", "application")
        elif one.wanted:
            one.wanted = range(min(one.wanted.start, asked.start), max(one.wanted.stop, asked.stop))
        else:
            one.wanted = asked

    def answered(self, packet, side, done):
        """@packet answers requests of @side, of which all below @done was done before."""
        one = self.sides[side]
        way = one.way
        if not way.begun:
            return
        psn = (packet.psn - way.expected + (1 << 23)) % (1 << 24) - (1 << 23) + way.expected
        if packet.op in P.RESPONSES:
            one.missing.discard(psn)
            one.high = max(one.high, psn)
        if packet.op != P.ACKNOWLEDGE or way.done > done:
            self.progress(one)
        if packet.op == P.ACKNOWLEDGE and packet.syndrome == SEQUENCE_NAK and psn >= done \
                and not (way.rnr and way.rnr[0] == psn):
            one.until = max(one.until, way.expected)

    def figures(self, service, doubt):
        """@doubt: of the connection, as pcap-lint has it; doubts have tests of their own."""
        if service == P.SERVICES[P.UC] or HIDES & set(doubt):
            return {f"{cause}_ns": sum(self.ns.values()) if cause == "unknown" else 0 for cause in CAUSES}
        return {f"{cause}_ns": ns for cause, ns in self.ns.items()}
