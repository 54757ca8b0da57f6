# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The incidents of every connection of a capture, by nothing but its bytes: one cause, not its traces.

Written from the definitions of CLI.md ("kind of an incident") and the rules below. A Way is the requests of one
direction: which PSNs are missing, covered, sent again. An Incident is what happened from one cause to its end.

Where the definition leaves something open, what is taken here:
"""
# I1  A gap's root is the first missing PSN that no ACK covered before; one that is all covered is no event.
# I2  A missing response: each READ response that comes while a lower PSN of a READ is not covered, not only the first.
# I3  NAK codes 1 to 3 refuse; reserved ones only cover. What a NAK says about a covered PSN is no event.
# I4  Doubled and late responses are no incidents of their own.
# I5  Low begins at the first request; a NAK or a request below it that nothing covered lowers it.
# I6  A timer looks at the last resend of the open incident, or of the one whose resends still join.
#     A silence is 1 ms long; of a READ, once one of its way has a response, 10 ms: a later response makes a requester ask for a missing one; where
#     no answer was captured, 50 ms: a NAK may have asked for it.
# I7  After the end of an incident resends raise its numbers, no more. One that was dropped has none.
# I8  Root first sent: captured when it opens. A READ that has the root in its range is a copy of it.
# I9  An incident is late if an original of its root comes from its opening on, whenever: sent before the packet that showed the gap.
# I10 A run of resends that begins above low skips from low on; a new request skips what the run before it did not reach.
# I11 Spurious: a timer, and each copy of the root got one answer of its own, before any later request was answered. Of more answers
#     than copies some are to other requests that came again: an ACK of what is sent again has the PSN of the last one received.
# I12 UC: a gap is closed at once; a late packet makes it late and is none of its own.
# I13 A PSN restart ends what is open at the last packet before it.
# I15 What was captured after the last copy of a PSN that a NAK or RNR NAK asks for then came while that was missing. Where a PSN that is not
#     covered is sent again without a NAK nobody knows whether what came after it came while that was missing. What is received was
#     in order: nothing before it was missing when its last copy came, and if one is captured late, it only was here.
# I16 Retries are used up, too, where another PSN from the root on was sent so often: what the run began with is not in the file.
# I18 A request other than the one that had its PSN is not sent again, and no event.
# I17 Resends after the end join only what somebody reacted to: of a packet that was late and no more there is no go-back-N.
# I19 A READ that is sent again asks for the first PSN of its range that is not covered.
# I20 What fills a hole that nobody asked for is late if it comes sooner than half a round trip after the packet that showed the hole, or was
#     sent before that by its identification, unless the sender may make that of the PSN. It is sent again if it was sent after that and comes a
#     round trip later, or if the next request repeats what follows it, no later after it than it came after the packet that showed the hole.
#     Else nobody knows: it is no event.
# I21 A sender that leaves the identification as it was, of two requests that it sent again, makes it of the PSN: no equal one is a copy.
# I14 What covered a PSN below the first request of the file first may be before the file.
import bisect
import pathlib

import capture
import figures
import packet as P
import pairing
import pauses
from figures import FAR, nearest

MS = 10**6
DOUBLED_NS, IDLE_NS, LATE_NS, UNHEARD_NS = 10_000, MS, 10 * MS, 50 * MS
COPIES = 8  # of a request before the queue pair fails, where no REQ says it
ENDLESS = 7
IDS = 4096  # identifications that are further apart tell no order
SEQUENCE, REFUSALS = 0x60, (0x61, 0x62, 0x63)
KEPT = 2  # requests sent again with the identification that they had
NEAR = 64  # PSNs: of what a requester sends again at once
DOUBLED, LATE, RESENT, NEW, UNSURE = "doubled", "late", "resent", "new", "unsure"
ACK, RNR, NAK = 0, 1, 3


def ahead(one, other):
    """How much higher identification @one is than @other; None: too far apart to tell."""
    difference = (one - other + 32768) % 65536 - 32768
    return difference if abs(difference) <= IDS else None


class Copy:
    """One captured packet of a request."""
    __slots__ = ("frame", "time", "id", "what", "was", "asks", "missing", "doubtful", "original")

    def __init__(self, packet, identification, was, missing):
        """@missing: PSNs before it that were missing when it came."""
        self.frame, self.time, self.id, self.was, self.missing = packet.frame, packet.time, identification, was, missing
        self.what, self.doubtful, self.original = (packet.op, packet.payload, packet.length), False, False
        self.asks = packet.ackreq

    def counts(self):
        return self.was in (NEW, RESENT)


class Incident:
    """From the packet that opens it to its end."""

    def __init__(self, way, packet, root, covered):
        self.way, self.root, self.covered, self.stretch = way, root, covered, way.stretch
        self.frame, self.time, self.advanced = packet.frame, packet.time, way.advanced
        self.last = packet.frame  # that belongs to it
        self.answered = way.covered_at(root, packet.time) if covered else None
        self.since = way.ended.at if way.ended else way.began
        self.notice = self.resent = self.end = self.at = self.kind = None
        self.naks, self.rnr, self.missing, self.gap, self.timers = [], [], set(), False, 0
        self.refused = self.dropped = self.by_itself = False
        self.high = None  # highest PSN sent when the first resend began
        self.packets = self.bytes = self.answers = 0
        self.copies, self.ns, self.cost = [], (0, 0, 0, 0), None

    def lower(self, psn):
        if psn < self.root and not self.covered:
            self.root, self.resent = psn, None

    def noticed(self, packet):
        self.notice = self.notice or packet

    def times(self, until):
        """(lost, noticed, resent, repaired)."""
        way, root = self.way, self.root
        if self.covered:
            start = max(self.answered, self.since)
        else:
            sent = [c.time for c in way.copies_of(root) if c.frame <= self.frame]
            start = sent[0] if sent else self.time
            if self.advanced is not None:
                start = max(start, self.advanced)
        end = max(until, start)
        seen = end if self.refused else min(max(self.notice.time, start), end)
        again = min(max(self.resent.time, seen), end) if self.resent else end
        return end - start, seen - start, again - seen, end - again

    def line(self):
        first, way = self.copies, self.way
        lost = None
        if self.kind == "lost-after":
            asked = next(f for psn, f, _ in self.naks if psn == self.root)
            lost = [c.frame for c in first if c.frame < asked and (c.was != LATE or c.original)][-1]
        return {"src": P.address_text(way.src), "dst": P.address_text(way.dst), "qpn": way.qpn, "way": way.side,
                "kind": self.kind, "root_psn": self.root & 0xffffff, "copies": len(first), "frame": self.frame,
                "frames": {"root": first[0].frame if first else None, "lost": lost,
                           "notice": self.notice and self.notice.frame,
                           "nak": min((frame for _, frame, _ in self.naks + self.rnr), default=None),
                           "resent": self.resent and self.resent.frame, "end": self.end and self.end.frame, "last": self.last},
                "operation": first[0].what[0] if first else None,
                "ns": dict(zip(("lost", "noticed", "resent", "repaired"), self.ns)),
                "packets_resent": self.packets, "bytes_resent": self.bytes, "naks": len(self.naks),
                "rnr": len(self.rnr), "timers": self.timers, "ended": self.end is not None}


class Way:
    """The requests of one direction, what answers them, and its incidents."""

    def __init__(self, half, other, side, known):
        self.src, self.dst, self.qpn = (half.src, half.dst, half.qpn) if half else (other.dst, other.src, None)
        self.side, self.known, self.uc = side, known, False
        requests = [p for p in half.packets if figures.is_request(p)] if half else []
        self.asks = bool(requests)
        self.blind = not any(is_answer(p) for p in other.packets) if other else True
        self.following = {one.frame: after for one, after in zip(requests, requests[1:])}
        self.fastest, self.renumbers, self.kept = None, False, 0
        self.last_request = max((p.time for p in requests), default=None)
        self.incidents, self.ids, self.id, self.identified = [], None, None, False
        self.stretch = 0
        self.restart(None)

    def restart(self, psn):
        self.stretch += 1
        self.low = self.first = self.expected = psn
        self.upto, self.single, self.own, self.others = None, {}, figures.Ranges(), figures.Ranges()
        self.acked, self.advanced = ([], []), None  # PSNs that answers covered up to, and when
        self.copies, self.reads, self.holes, self.gaps, self.named, self.skips = {}, [], figures.Ranges(), [], set(), []
        self.open = self.tail = None
        self.asked, self.going, self.unasked, self.top = None, None, 0, None
        self.watched, self.ended, self.began = [], None, 0

    # What is covered

    def is_covered(self, psn):
        if self.low is not None and psn < self.low or psn in self.single:
            return True
        return self.upto is not None and psn <= self.upto and psn not in self.own

    def covered_at(self, psn, otherwise):
        if psn < self.first:
            return otherwise
        if psn in self.single:
            return self.single[psn]
        at = bisect.bisect_left(self.acked[0], psn)
        return self.acked[1][at] if at < len(self.acked[1]) else otherwise

    def cover(self, upto, time):
        if self.low is None or upto > self.expected + FAR:
            return
        if self.upto is None or upto > self.upto:
            self.upto = upto
            self.acked[0].append(upto)
            self.acked[1].append(time)
        self.advance(time)

    def uncovered(self, psn):
        """The lowest PSN from @psn on that is not covered."""
        while self.is_covered(psn):
            if psn < self.low:
                psn = self.low
            elif self.upto is not None and psn <= self.upto and psn not in self.own:
                at = bisect.bisect_right(self.own.low, psn)
                psn = min([self.upto + 1, *self.own.low[at:at + 1]])
            else:
                psn += 1
        return psn

    def advance(self, time):
        low = self.low
        self.low = self.uncovered(low) if low in self.single or self.upto is not None and low <= self.upto else low
        if self.low != low:
            self.advanced = time

    def copies_of(self, psn):
        found = list(self.copies.get(psn, ()))
        found += [copy for low, high, copy in self.reads if low < psn <= high]
        return sorted(found, key=lambda copy: copy.frame)

    def missing_below(self, psn):
        """One PSN of each hole, and those that a NAK asked for. Of a hole nothing is covered alone."""
        holes = [min(high, psn - 1) for low, high in zip(self.holes.low, self.holes.high) if low < psn]
        return {one for one in (*holes, *self.named) if one < psn and not self.is_covered(one)}

    def was_missing(self, psn, copy):
        """PSNs before @psn that its receiver had not, for all that is known, when @copy came: not those that were only captured late."""
        here = {one for one in copy.missing if any(c.was == LATE for c in self.copies_of(one))}
        return copy.missing - here, {one for one in here if not any(
            found and found[-1].frame < copy.frame for found in map(self.copies_of, range(one + 1, psn)))}

    def gap(self, psn):
        """Of the gap that once had @psn: identification of the packet that showed it, what was asked for by then."""
        return next((rest for low, high, *rest in reversed(self.gaps) if low <= psn < high), None)

    # Incidents

    def begin(self, packet, root, covered=False):
        self.open, self.tail = Incident(self, packet, root, covered), None
        return self.open

    def event(self, packet, root):
        """Of something that is not covered: opens or joins."""
        self.tail = None
        if self.open:
            self.open.lower(root)
            return self.open
        return self.begin(packet, root)

    def alone(self, packet, kind, root):
        """An incident that is closed at once."""
        one = Incident(self, packet, root, False)
        one.kind, one.end, one.ns, one.copies = kind, packet, (0, 0, 0, 0), self.copies_of(root)
        self.incidents.append(one)
        return one

    def close(self, packet, until):
        """@packet ends it, or it is not answered until @until."""
        one, self.open = self.open, None
        one.end = packet
        one.at = until
        one.copies = self.copies_of(one.root)
        one.kind = self.kind(one)
        if one.kind is None:
            return
        if one.notice or one.refused:
            one.ns = one.times(until)
        self.incidents.append(one)
        if packet is not None:
            one.last = packet.frame
        if packet is not None and not one.refused:
            self.tail, self.ended = one if one.notice else None, one
            if one.kind == "no-answer" and one.by_itself:
                self.watched.append(one)

    def kind(self, one):
        root, copies = one.root, one.copies
        if one.refused:
            return "refused"
        if one.end is None and self.gave_up(one):
            return "retries"
        if one.rnr:
            return "rnr"
        if root in self.originals(one):
            return "late"
        if not one.notice:
            return None
        if one.covered:
            return "answer-lost"
        asked = next((frame for psn, frame, _ in one.naks if psn == root), None)
        again = one.resent.frame if one.resent else None
        sent = [c for c in copies if c.counts() or c.original]
        earlier = [c for c in sent if c.frame < (asked or again or c.frame + 1)]
        first = [c for c in earlier if c.frame < (again or c.frame + 1)]
        if not first and self.gap(root):
            return "lost-before"
        known = [self.was_missing(root, c) for c in earlier]
        surely = bool(earlier) and all(there for there, _ in known)
        if surely or asked is not None and earlier and all(
                there or here or c.doubtful for (there, here), c in zip(known, earlier)):
            skipped = [f for low, high, f in self.skips if low <= root < high and f > earlier[-1].frame]
            return "resend-lost-before" if skipped else "discarded"
        if earlier and asked is not None:
            return "lost-after"
        if root in one.missing or self.partly(one):
            return "response-missing"
        return "no-answer"

    def originals(self, one):
        return {psn for psn in [one.root] if self.late_responses.get(psn, 0) >= one.frame or any(
            c.original and c.frame >= one.frame for c in one.copies)}

    def is_original(self, psn, copy):
        gap = self.gap(psn)
        if gap is None:
            return False
        opener = gap[0]
        if opener is None or copy.id is None or not self.identified:
            return True
        distance = ahead(copy.id, opener)
        return distance is None or distance < 0

    def is_overtaken(self, psn, copy):
        """By the identifications it was sent after another copy: it is a resend."""
        before = [c.id for c in self.copies.get(psn, ()) if c.id is not None]
        return self.identified and copy.id is not None and bool(before) and (ahead(copy.id, max(before, key=lambda one: ahead(one, copy.id) or 0)) or 0) > 0

    def partly(self, one):
        """Another response of the READ of the root was captured before the opening."""
        asked = [(low, high) for low, high, copy in self.reads if low <= one.root <= high and copy.frame < one.frame]
        return bool(asked) and any(asked[-1][0] <= psn <= asked[-1][1] and frame < one.frame
                                   for psn, frame in self.responses.items())

    def gave_up(self, one):
        """Retries used up."""
        copies, known = [c.time for c in one.copies if c.counts()], self.known
        may = known.retries
        times = None
        if one.rnr:
            may = known.rnr_retries[self.side]
            if may is not None and may != ENDLESS and len(one.rnr) >= may + 1:
                times = [time for _, _, time in one.rnr]
        else:
            most = max((found for psn, found in self.copies.items() if psn >= one.root and not self.is_covered(psn)),
                       key=lambda found: sum(c.counts() for c in found), default=[])
            found = most if sum(c.counts() for c in most) > len(copies) else one.copies
            copies = [c.time for c in found if c.counts()]
            if len(copies) >= (COPIES if may is None else may + 1) and not any(
                    frame > found[-1].frame for _, frame, _ in one.naks):
                times = copies
        return times is not None and self.is_over(times)

    def is_over(self, times):
        """No more comes after the last of @times: the connection is closed, or silent for long enough."""
        known, last = self.known, times[-1]
        closed = known.dreq.time if known.dreq else None
        if closed is not None and closed >= last and known.dreq_by == self.side:
            return True
        if closed is not None and closed < last and (any(time >= last for time in known.dreps) or
                                                     any(time < times[0] for time in known.dreps)):
            return True
        if len(times) < 2 or self.last_request is None:
            return False
        until = closed if closed is not None and closed > last else known.last_time
        return until - max(last, self.last_request) > 2 * (last - times[-2])

    # Requests

    def identify(self, identification):
        if identification is None:
            return
        if self.ids is None:
            self.ids = identification
        self.identified |= identification != self.ids

    def request(self, packet, identification, idle):
        psn, time, last = packet.ext, packet.time, packet.ext + packet.span - 1
        if packet.was in ("first", "restart"):
            self.restart(psn)
            self.late_responses, self.responses, self.jumps = {}, {}, []
            self.expected = psn
        if self.uc:
            self.uc_request(packet, identification)
            return
        if packet.was == "repeated" and self.is_other(packet):
            self.sent(identification)
            return
        was, timer = NEW, False
        if packet.was in ("repeated", "filled"):
            least = UNHEARD_NS if self.blind else LATE_NS if packet.op == P.READ_REQUEST and self.top is not None else IDLE_NS
            timer = self.asked is None and (self.going is None or psn <= self.going) and idle >= least
            was = self.classify(packet, identification, timer)
        if was == RESENT and packet.was == "repeated" and self.is_overtaken(psn, Copy(packet, identification, was, set())):
            self.renumbers = True
        if self.low > psn and psn < self.first and (self.upto is None or psn > self.upto) and was != DOUBLED:
            self.low = self.first = psn
        covered, unasked, wanted = self.is_covered(psn), self.is_unasked(packet, timer), self.wanted(psn, last)
        root = self.new(packet, identification) if packet.was == "gap" else None
        copy = Copy(packet, identification, was, self.missing_below(psn))
        copy.original = was == LATE and (unasked or self.is_original(psn, copy))
        if was == LATE and self.is_overtaken(psn, copy):
            was = copy.was = RESENT
        self.copies.setdefault(psn, []).append(copy)
        if packet.op == P.READ_REQUEST:
            self.reads.append((psn, last, copy))
        if root is not None:
            self.event(packet, root).gap = True
        if was == NEW:
            self.ends_run(packet)
        if was != DOUBLED:
            self.named = {one for one in self.named if not psn <= one <= last}
        self.owns(packet, last)
        if was == RESENT:
            self.again(packet, covered, timer, last, wanted)
        elif was == DOUBLED and not self.open:
            self.alone(packet, DOUBLED, psn)
        elif was == LATE and not self.open:
            self.late(packet, copy)
        self.holes.remove(psn, last)
        self.expected = max(self.expected, last + 1)
        self.sent(identification)

    def ends_run(self, packet):
        """What is new follows what is sent again: what that did not reach was skipped."""
        if self.going is not None and self.going + 1 < self.expected:
            self.skips.append((self.going + 1, self.expected, packet.frame))
        self.going = None

    def is_other(self, packet):
        """Another request that has the PSN of one before it, or one in a READ's range: it is not that one, sent again."""
        if packet.op == P.READ_REQUEST:
            return False
        copies = self.copies.get(packet.ext)
        if copies:
            return all(copy.what != (packet.op, packet.payload, packet.length) for copy in copies)
        return any(low < packet.ext <= high for low, high, _ in self.reads)

    def sent(self, identification):
        """The highest identification."""
        if self.id is None or identification is not None and (ahead(identification, self.id) or IDS) > 0:
            self.id = identification

    def owns(self, packet, last):
        psn = packet.ext
        if packet.op == P.READ_REQUEST:
            self.own.add(psn, last)
            if psn < self.expected:
                for low, high in zip(self.others.low, self.others.high):
                    if low <= last and psn <= high:
                        self.own.remove(low, high)
        elif packet.op in P.ATOMICS:
            self.own.add(psn, psn)
        elif packet.was != "repeated":
            self.others.add(psn, psn)

    def new(self, packet, identification):
        """A request beyond the expected PSN: the root of the gap."""
        self.gaps.append((self.expected, packet.ext, identification, self.unasked, packet.time))
        self.holes.add(self.expected, packet.ext - 1)
        root = self.uncovered(self.expected)
        return root if root < packet.ext else None

    def classify(self, packet, identification, timer):
        psn, copies = packet.ext, self.copies.get(packet.ext, ())
        if self.identified and identification is not None:
            if any(c.id == identification for c in copies):
                if self.kept < KEPT and not self.is_repeated(packet, copies):
                    return DOUBLED
                self.kept += 1
                return RESENT
            if self.is_unasked(packet, timer) and not self.blind:
                return self.unasked_fill(packet, identification)
            distance = ahead(identification, self.id)
            if distance is not None:
                return LATE if distance < 0 else RESENT
        if self.is_unasked(packet, timer) and not self.blind:
            return self.unasked_fill(packet, None)
        what = packet.op, packet.payload, packet.length
        equal = [packet.time - c.time for c in copies if c.what == what]
        if equal and 0 <= equal[-1] <= DOUBLED_NS:
            return DOUBLED
        in_run = timer or self.asked is not None and psn in self.named or self.going is not None and psn == self.going + 1
        if equal and self.known.fastest is not None and 0 <= equal[-1] <= self.known.fastest and not in_run:
            return DOUBLED
        return LATE if self.is_unasked(packet, timer) else RESENT

    def is_unasked(self, packet, timer):
        """It fills a hole that nobody asked for since it is there."""
        return packet.was == "filled" and not timer and (self.gap(packet.ext) or [None, None])[1] == self.unasked

    def is_repeated(self, packet, copies):
        """It was asked for, goes on with what is sent again, or comes too late for what the network doubled: I21."""
        psn = packet.ext
        return (self.asked is not None and psn in self.named or self.going is not None and psn == self.going + 1 or
                packet.time - copies[-1].time > UNHEARD_NS)

    def unasked_fill(self, packet, identification):
        """I20"""
        gap = self.gap(packet.ext)
        if gap is None:
            return LATE
        opener, _, shown = gap
        delay, distance = packet.time - shown, None
        if self.fastest is not None and delay < self.fastest // 2:
            return LATE
        if identification is not None and opener is not None:
            distance = ahead(identification, opener)
        if distance and distance < 0 and (self.renumbers or not self.may_be_of_psn(packet, identification)):
            return LATE
        if distance and distance > 0 and self.fastest is not None and delay >= self.fastest:
            return RESENT
        after = self.following.get(packet.frame)
        if after and after.was == "repeated" and 0 <= after.ext - packet.ext - packet.span < NEAR and after.time - packet.time <= delay:
            return RESENT
        return UNSURE

    def may_be_of_psn(self, packet, identification):
        """It is as far from that of the request with the highest PSN as the PSN is."""
        highest = max(self.copies)
        known = [c.id for c in self.copies[highest] if c.id is not None]
        return bool(known) and (max(known, key=lambda one: ahead(one, known[0]) or 0) - identification - highest + packet.ext) % 65536 == 0

    def late(self, packet, copy):
        """While no incident is open."""
        if copy.original:
            self.relabel(packet, packet.ext)
        self.alone(packet, LATE, packet.ext)

    def relabel(self, packet, psn):
        """An original comes after the end of the incident."""
        one = self.ended
        if one and one.root == psn and packet.time <= one.at + max(LATE_NS, 2 * (self.known.slowest or 0)) \
                and one.kind not in ("refused", "retries", "rnr"):
            one.kind = "late"

    def wanted(self, psn, last):
        """What a request of these PSNs asks for: the first that is not covered, if there is one."""
        return next((one for one in range(psn, last + 1) if not self.is_covered(one)), psn)

    def again(self, packet, covered, timer, last, wanted):
        """A request that was sent again."""
        psn = packet.ext
        goes_on = self.going is not None and psn > self.going and not timer
        start = self.going + 1 if goes_on else self.low
        if max(start, self.low) < psn:
            self.skips.append((max(start, self.low), psn, packet.frame))
        self.unasked += 1
        if not covered and self.asked is None:
            self.doubt(psn)
        one = self.open
        tail = self.tail
        if one is None and tail and not timer and psn >= tail.root:
            if tail.high is None:
                tail.high = self.expected - 1
            if psn <= tail.high:
                one = tail
        if one is None:
            is_over = covered and wanted == psn
            root = psn if is_over or self.blind else min(self.low, wanted)
            one = self.begin(packet, root, is_over and not self.blind)
            one.by_itself = self.asked is None
        elif one is self.open and not (covered and wanted == psn):
            one.lower(wanted)
        if not goes_on or self.asked is None or self.asked > self.going or psn <= self.asked:
            self.asked = None
        self.going = last
        one.packets += 1
        one.bytes += packet.payload
        one.last = packet.frame
        if one is self.open:
            one.timers += timer
            one.noticed(packet)
            if one.high is None:
                one.high = self.expected - 1
            if psn <= one.root <= last and one.resent is None:
                one.resent = packet

    def uc_request(self, packet, identification):
        psn = packet.ext
        copy = Copy(packet, identification, NEW, set())
        if packet.was == "gap":
            one = self.alone(packet, "uc-gap", self.expected)
            self.gaps.append((self.expected, psn, one, None))
        elif packet.was == "filled" and self.gap(psn):
            self.gap(psn)[0].kind = LATE
        elif packet.was == "repeated" and self.classify(packet, identification, False) == DOUBLED:
            self.alone(packet, DOUBLED, psn)
        self.copies.setdefault(psn, []).append(copy)
        self.expected = max(self.expected, psn + packet.span)
        self.sent(identification)

    # Answers

    def answer(self, packet, identification):
        kind = None
        if packet.op == P.ACKNOWLEDGE:
            if packet.syndrome is None or packet.syndrome >> 5 not in (ACK, RNR, NAK):
                return
            kind = packet.syndrome >> 5
        if self.low is None:
            if self.asks:
                return
            self.restart(packet.psn + (kind not in (RNR, NAK)))
            self.late_responses, self.responses, self.jumps = {}, {}, []
        psn = nearest(packet.psn, self.expected)
        if not self.asks:
            self.expected = max(self.expected, psn + 1)
        if (kind in (RNR, NAK)) and psn < self.low and psn < self.first and self.upto is None:
            self.low = self.first = psn
        if kind == ACK:
            self.round_trip(packet, psn, self.known)
            self.cover(psn, packet.time)
        elif kind in (RNR, NAK):
            self.cover(psn - 1, packet.time)
        else:
            self.respond(packet, psn, identification)
        if self.open and (self.open.covered or self.low > self.open.root):
            self.close(packet, packet.time)
        if kind in (None, ACK):
            self.exact(psn)
        if kind in (RNR, NAK) and not self.is_covered(psn):
            self.refuse(packet, psn, kind)
        elif kind is None and packet.op in P.READS:
            self.gap_of_responses(packet, psn)

    def round_trip(self, packet, psn, known):
        copies = self.copies.get(psn, ())
        if len(copies) == 1 and copies[0].what[0] in P.SENDS | P.WRITES and not self.is_covered(psn):
            took = packet.time - copies[0].time
            known.slowest = took if known.slowest is None else max(known.slowest, took)
            known.fastest = took if known.fastest is None else min(known.fastest, took)
            if copies[0].asks:
                self.fastest = took if self.fastest is None else min(self.fastest, took)

    def exact(self, psn):
        """An answer for just this PSN, for timers that were too short."""
        left = []
        for one in self.watched:
            copies = [c for c in self.copies_of(one.root) if c.counts()]
            if psn == one.root:
                one.answers += 1
                if one.answers == len(copies):
                    one.kind, one.cost, one.ns = "spurious", one.ns, (0, 0, 0, 0)
                elif one.answers > len(copies):
                    one.kind, one.ns = "no-answer", one.cost
                    continue
            later = self.copies.get(psn, ())
            if psn > one.root and later and later[0].frame > copies[-1].frame:
                continue
            left.append(one)
        self.watched = left

    def respond(self, packet, psn, identification):
        began = next((low for low, high, _ in reversed(self.reads) if low <= psn <= high), psn)
        if not self.asks:
            self.cover(psn, packet.time)
            return
        if self.top is not None and psn < self.top:
            self.below(packet, psn, identification)
        elif self.top is not None and psn > self.top + 1:
            self.jumps.append((self.top + 1, psn, identification))
        self.top = psn if self.top is None else max(self.top, psn)
        self.responses.setdefault(psn, packet.frame)
        self.cover(began - 1, packet.time)
        self.single.setdefault(psn, packet.time)
        self.advance(packet.time)

    def below(self, packet, psn, identification):
        """A response after a later one: late if its READ was not sent again, or if it was sent before the later one."""
        if not self.is_covered(psn) and any(low <= psn <= high for low, high, _ in self.reads) and sum(low <= psn <= high and copy.counts() for low, high, copy in self.reads) <= 1:
            self.late_responses[psn] = packet.frame
            return
        shown = next((one for low, high, one in reversed(self.jumps) if low <= psn < high), None)
        if shown is None or identification is None or (ahead(identification, shown) or 0) >= 0:
            return
        self.late_responses[psn] = packet.frame
        if self.is_covered(psn) and not self.open:
            self.relabel(packet, psn)

    def gap_of_responses(self, packet, psn):
        if psn not in self.own:
            return
        missing = self.low
        while missing < psn and not any(low <= missing <= high for low, high, _ in self.reads):
            missing = self.uncovered(missing + 1)
        if missing < psn:
            self.event(packet, missing).missing.add(missing)

    def refuse(self, packet, psn, kind):
        if kind == NAK and packet.syndrome not in (SEQUENCE, *REFUSALS):
            return
        one = self.event(packet, psn)
        one.noticed(packet)
        (one.naks if kind == NAK else one.rnr).append((psn, packet.frame, packet.time))
        if packet.syndrome in REFUSALS:
            one.refused, one.root = True, psn
            self.close(packet, packet.time)
            return
        self.discard(psn)
        self.named.add(psn)
        self.asked, self.unasked = psn, self.unasked + 1

    def discard(self, psn):
        """A NAK or RNR NAK asks for @psn: it was missing when what came after its last copy came."""
        last = max((copy.frame for copy in self.copies_of(psn)), default=0)
        for later, copies in self.copies.items():
            for copy in copies if later > psn else ():
                if copy.frame >= last:
                    copy.missing.add(psn)

    def doubt(self, psn):
        """@psn is sent again, nobody asked for it: it may have been missing when what is sent after it came."""
        for later, copies in self.copies.items():
            for copy in copies if later > psn else ():
                copy.doubtful = True

    def over(self, time):
        """The end of the connection, of the capture, or of the PSNs."""
        if self.open:
            self.close(None, time)
        self.tail = None


def is_answer(packet):
    return figures.is_data(packet) and packet.op in P.RESPONSES | {P.ACKNOWLEDGE}


class Known:
    """What the CM said of a connection, and where the file ends."""

    def __init__(self, flow, mads, last_time, ends):
        self.retries, self.rnr_retries, self.last_time = None, [None, None], last_time
        self.dreq, self.dreq_by, self.dreps = None, None, []
        self.slowest = self.fastest = None  # round trip of either direction
        self.frames = {frame: mads[frame] for frame in flow.cm_frames}
        for frame in sorted(self.frames):
            mad, kind = mads[frame].mad, pairing.attribute(mads[frame])
            if kind == pairing.REQ:
                self.retries = mad[24 + 47] & 7
                self.rnr_retries[1] = mad[24 + 50] & 7
            elif kind == pairing.REP:
                self.rnr_retries[0] = mad[24 + 27] >> 5
            elif kind == pairing.DREQ and self.dreq is None:
                self.dreq = mads[frame]
                self.dreq_by = 0 if ends.root(mads[frame].src) == ends.root(flow.a) else 1
            elif kind == pairing.DREP:
                self.dreps.append(mads[frame].time)


def of_flow(flow, identifications, mads, last_time, paused, ends, sides=None):
    halves = flow.to_b, flow.to_a
    figures.directions(flow, paused)
    known = Known(flow, mads, last_time, ends)
    if sides is not None:
        sides.extend((halves[side], halves[1 - side], known) for side in (0, 1))
    ways = [Way(half, halves[1 - side], side, known) if half or halves[1 - side] else None
            for side, half in enumerate(halves)]
    ways = [way for way in ways if way]
    events = [(p, side) for side, half in enumerate(halves) if half for p in half.packets]
    events += [(p, None) for p in known.frames.values()]
    events.sort(key=lambda event: event[0].frame)
    previous = None
    for packet, side in events:
        if side is None:
            if packet is known.dreq:
                for way in ways:
                    way.over(packet.time)
            previous = previous if previous is not None else packet.time
            continue
        there, back = ways[side], ways[1 - side]
        identification = identifications.get(packet.frame)
        there.identify(identification)
        there.previous = previous if previous is not None else packet.time
        if figures.is_request(packet):
            there.uc = packet.service == P.UC
            if packet.was == "restart":
                there.over(previous)
            there.request(packet, identification, packet.time - there.previous)
        else:
            there.sent(identification)
            if is_answer(packet):
                back.answer(packet, identification if there.identified else None)
        previous = packet.time
    if events:
        end = max(p.time for p, _ in events)
        for way in ways:
            way.over(end)
    return [one for way in ways for one in way.incidents]


def incidents(path, seen=None, sides=None):
    """The incidents of all connections of the capture @path, in the order in which they opened.

    Its packets by frame go into @seen; into @sides, by connection: (the Half there, the one back, Known) of each direction."""
    packets, identifications, mads, paused, links = [], {}, {}, pauses.Pauses(), pauses.Links()
    last_time = 0
    for record in capture.records(pathlib.Path(path)):
        paused.feed(record)
        links.feed(record)
        last_time = max(last_time, record.time)
        found = P.parse(record)
        if found is None:
            continue
        found.paused = links.is_paused(found, record.interface)
        packets.append(found)
        network = P.LINKS[record.link](record.data, 0)
        if network.form == "v2 over IPv4":
            identifications[found.frame] = P.u16(record.data, network.covered + 4)
        if found.service == P.UD and found.mad:
            mads[found.frame] = found
    if seen is not None:
        seen |= {p.frame: p for p in packets}
    tracker, ends = pairing.followed(packets)
    result = []
    for number, flow in enumerate(tracker.flows()):
        ways = []
        for one in of_flow(flow, identifications, mads, last_time, paused, ends, ways):
            result.append({"connection": number, **one.line()})
        if sides is not None:
            sides[number] = ways
    return sorted(result, key=lambda line: (line["frame"], line["connection"], line["way"]))
