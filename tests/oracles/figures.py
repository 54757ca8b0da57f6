# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The figures of one connection, each direction: what is defined for schema 2, worked out word by word."""
import bisect
import collections
import heapq

import measures
import packet as P

PSNS, HALF, FAR = 1 << 24, 1 << 23, 1 << 20  # a jump beyond FAR is a new beginning
HOLES = 64                                   # open ones a direction
WAITING = 64                                 # requests that wait for the MTU
MTUS = (256, 512, 1024, 2048, 4096)
KINDS = {**{op: "send" for op in (P.SEND_LAST, P.SEND_LAST_IMM, P.SEND_LAST_INV,
                                  P.SEND_ONLY, P.SEND_ONLY_IMM, P.SEND_ONLY_INV)},
         **{op: "write" for op in (P.WRITE_LAST, P.WRITE_LAST_IMM, P.WRITE_ONLY, P.WRITE_ONLY_IMM,
                                   P.ATOMIC_WRITE)},
         P.READ_REQUEST: "read", P.COMPARE_SWAP: "atomic", P.FETCH_ADD: "atomic", P.FLUSH: "flush"}
NAKS = {0x60: "nak_sequence", 0x61: "nak_invalid_request", 0x62: "nak_remote_access",
        0x63: "nak_remote_operational"}
COUNTS = ("packets", "wire_bytes", "payload_bytes", "request_packets", "response_packets", "response_gaps",
          "response_missing", "response_repeated", "response_late", "psn_missing", "gap_episodes", "psn_restarts", "repeated_packets",
          "repeated_bytes", "filled_packets", "ack_packets", *NAKS.values(), "rnr_nak", "ce_packets",
          "cnp_packets", "icrc_bad", "psn_damaged")


def is_data(packet):
    return packet.service in P.SERVICES


def is_request(packet):
    return is_data(packet) and packet.op in P.REQUESTS


def nearest(psn, to):
    """The 64-bit PSN that is @psn on the wire and lies nearest @to."""
    return to + ((psn - to + HALF) % PSNS) - HALF


def ceil(value, by):
    return -(-value // by)


class Ranges:
    """A set of whole numbers, held as sorted runs [low, high]."""

    def __init__(self):
        self.low, self.high = [], []

    def __contains__(self, value):
        at = bisect.bisect_right(self.low, value) - 1
        return at >= 0 and value <= self.high[at]

    def __len__(self):
        return len(self.low)

    def count(self):
        return sum(high - low + 1 for low, high in zip(self.low, self.high))

    def add(self, low, high):
        first = bisect.bisect_left(self.high, low - 1)
        last = bisect.bisect_right(self.low, high + 1)
        if first < last:
            low, high = min(low, self.low[first]), max(high, self.high[last - 1])
        self.low[first:last], self.high[first:last] = [low], [high]

    def remove(self, low, high):
        first, last = bisect.bisect_left(self.high, low), bisect.bisect_right(self.low, high)
        if first >= last:
            return
        rest = [(self.low[first], low - 1), (high + 1, self.high[last - 1])]
        rest = [run for run in rest if run[0] <= run[1]]
        self.low[first:last], self.high[first:last] = [r[0] for r in rest], [r[1] for r in rest]

    def pop_lowest(self):
        return self.low.pop(0), self.high.pop(0)


class Spans:
    """How many PSNs each request takes: a READ Request needs the MTU for it, and may wait."""

    def __init__(self, mtu):
        self.mtu, self.seen, self.waiting = mtu, False, ([], [])

    def feed(self, packet, side):
        if packet.op in P.FULL and packet.payload > 0 and not self.seen:
            self.mtu, self.seen = packet.payload, True
            self.release(0)
            self.release(1)
        if packet.op == P.READ_ONLY:
            self.answered(packet.psn, self.waiting[1 - side])
        if packet.op not in P.REQUESTS:
            return
        packet.span = 1
        queue = self.waiting[side]
        if packet.op == P.READ_REQUEST and packet.length is not None:
            if self.mtu:
                packet.span = max(1, ceil(packet.length, self.mtu))
            elif packet.length > MTUS[0]:
                packet.span = None
        if packet.span is None or queue:
            queue.append(packet)
        if len(queue) == WAITING:
            queue[0].span = self.guess(queue[0], queue[1:])
            self.go_on(queue)

    def answered(self, psn, queue):
        for packet in queue:
            if packet.span is None and packet.psn == psn:
                packet.span = 1
        self.go_on(queue)

    @staticmethod
    def go_on(queue):
        while queue and queue[0].span is not None:
            queue.pop(0)

    def release(self, side):
        """None of @side waits any longer."""
        queue = self.waiting[side]
        for at, packet in enumerate(queue):
            if packet.span is None:
                packet.span = ceil(packet.length, self.mtu) if self.mtu else self.guess(packet, queue[at + 1:])
        queue.clear()

    @staticmethod
    def guess(packet, later):
        """To the PSN of the next one beyond it, if a READ with some MTU reaches just there."""
        for other in later:
            distance = (other.psn - packet.psn) % PSNS
            if 0 < distance < HALF:
                return distance if distance in {ceil(packet.length, mtu) for mtu in MTUS} else 1
        return 1


class Stretch:
    """Requests of one direction from a beginning of the PSNs to the next, and their responses."""

    def __init__(self, packet):
        self.first = self.lowest = packet.psn
        self.highest = self.first + packet.span - 1
        self.holes, self.closed = Ranges(), Ranges()
        # responses
        self.asked, self.carried, self.answered, self.came = Ranges(), set(), None, set()
        self.reads, self.last_of = [], {}
        self.others = set()  # PSNs of requests that are no READs: a READ that has one is a repeat, not executed
        # times
        self.sent, self.open, self.upto, self.single = {}, [], None, set()
        self.damaged = set()

    def occupied(self, psn):
        return self.lowest <= psn <= self.highest and psn not in self.holes

    def ask(self, low, high, first):
        """A READ's range: a PSN that another request occupied is that request's."""
        if first:
            self.asked.add(low, high)
            return
        free = [(low, min(high, self.lowest - 1)), (max(low, self.highest + 1), high)]
        free += [(max(low, a), min(high, b)) for a, b in zip(self.holes.low, self.holes.high)]
        for a, b in free:
            if a <= b:
                self.asked.add(a, b)

    def occupy(self, low, high):
        self.holes.remove(low, high)
        self.close_beyond(HOLES)
        if low > self.highest + 1:
            self.close_beyond(HOLES - 1)
            self.holes.add(self.highest + 1, low - 1)
        if high < self.lowest - 1:
            self.close_beyond(HOLES - 1)
            self.holes.add(high + 1, self.lowest - 1)
        self.lowest, self.highest = min(self.lowest, low), max(self.highest, high)

    def close_beyond(self, count):
        while len(self.holes) > count:
            self.closed.add(*self.holes.pop_lowest())

    def missing(self):
        runs = [run for ranges in (self.holes, self.closed) for run in zip(ranges.low, ranges.high)]
        return sum(max(0, high - max(low, self.first) + 1) for low, high in runs)

    def damage(self, psn):
        """D30: a request with a bad ICRC."""
        psn = nearest(psn, self.highest + 1)
        if abs(psn - self.highest - 1) <= FAR and psn >= self.first and not self.occupied(psn):
            self.damaged.add(psn)

    def missing_damaged(self):
        return sum(psn in self.holes or psn in self.closed for psn in self.damaged)

    def response_missing(self):
        if self.answered is None:
            return 0
        below = Ranges()
        for low, high in zip(self.asked.low, self.asked.high):
            if low < self.answered:
                below.add(low, min(high, self.answered - 1))
        return below.count() - sum(psn in below for psn in self.carried)


class Times:
    """Durations: a histogram of logarithmic buckets, 32 to each power of two."""

    def __init__(self):
        self.values = []

    def add(self, ns):
        if ns >= 0:
            self.values.append(ns)

    @staticmethod
    def upper(ns):
        if ns < 64:
            return ns
        width = 1 << ns.bit_length() - 1 - 5
        return (ns // width + 1) * width - 1

    def figures(self):
        buckets = sorted(collections.Counter(map(self.upper, self.values)).items())
        return {"count": len(self.values), "p50": self.percentile(buckets, 50),
                "p99": self.percentile(buckets, 99), "max": max(self.values, default=0),
                "histogram": [list(bucket) for bucket in buckets]}

    def percentile(self, buckets, percent):
        wanted, reached = ceil(percent * len(self.values), 100), 0
        for upper, count in buckets:
            reached += count
            if reached >= wanted:
                return upper
        return 0


class Direction:
    """What one end sends to the other."""

    def __init__(self):
        self.counts = dict.fromkeys(COUNTS, 0)
        self.messages = dict.fromkeys(("send", "write", "read", "atomic", "flush"), 0)
        self.stretch, self.early = None, []
        self.closed = False
        self.leads = False  # another connection began this way, and the other one has what is out of order before it
        self.below_paused = 0  # repeated and filled, during a pause
        self.ack_time, self.read_time = Times(), Times()

    def count(self, packet):
        """All that one packet says by itself."""
        c = self.counts
        c["packets"] += 1
        c["wire_bytes"] += packet.wire
        c["ce_packets"] += packet.ecn
        if not is_data(packet):
            c["cnp_packets"] += 1
            return
        if packet.op in P.REQUESTS or packet.op in P.READS:
            c["payload_bytes"] += packet.payload
        c["request_packets"] += packet.op in P.REQUESTS
        c["response_packets"] += packet.op in P.RESPONSES
        if packet.op == P.ACKNOWLEDGE:
            c["ack_packets"] += 1
            if packet.syndrome in NAKS:
                c[NAKS[packet.syndrome]] += 1
            c["rnr_nak"] += packet.syndrome is not None and packet.syndrome >> 5 == 1

    # Requests of this direction.

    def request(self, packet, order, back):
        stretch = self.stretch
        if stretch is None:
            self.begin(packet)
            for response, at in self.early:  # where they lie is known only now
                self.response(response, at, back, early=True)
            was = "first"
        else:
            packet.ext = nearest(packet.psn, stretch.highest + 1)
            was = self.anew(packet, self.classify(packet), back)
            if was == "restart":
                self.counts["psn_restarts"] += 1
                self.end(back)
                self.begin(packet)
        packet.was = was
        last = packet.ext + packet.span - 1
        if packet.op == P.READ_REQUEST:
            self.stretch.ask(packet.ext, last, was in ("first", "restart"))
            if packet.ext not in self.stretch.others:
                self.stretch.reads.append((packet.ext, last, order, packet.time))
        elif was != "repeated":
            self.stretch.others.add(packet.ext)
        self.stretch.occupy(packet.ext, last)
        if was == "repeated":
            self.counts["repeated_packets"] += 1
            self.counts["repeated_bytes"] += packet.payload
        elif packet.op in KINDS:
            self.messages[KINDS[packet.op]] += 1
        self.counts["filled_packets"] += was == "filled"
        self.counts["gap_episodes"] += was == "gap"
        self.below_paused += packet.paused and was in ("repeated", "filled")
        self.sending(packet, was == "repeated")

    def begin(self, packet):
        self.stretch, packet.ext, self.closed = Stretch(packet), packet.psn, False

    def anew(self, packet, was, back):
        """D31"""
        self.closed |= packet.anew == "closed"
        if was == "next" or not self.closed and (packet.anew is None or was == "repeated"
                                                 or was == "filled" and packet.ext >= self.stretch.lowest):
            return was
        if packet.anew is not None or self.closed:
            self.leads, back.leads = not back.leads, False
            back.closed |= self.leads and back.stretch is not None
        return "restart"

    def classify(self, packet):
        stretch, offset = self.stretch, packet.ext - self.stretch.highest - 1
        if stretch.occupied(packet.ext):
            return "repeated"
        if abs(offset) > FAR:
            return "restart"
        return "next" if offset == 0 else "gap" if offset > 0 else "filled"

    def sending(self, packet, again):
        """Notes a PSN that is sent and not covered yet."""
        s, psn = self.stretch, packet.ext
        if s.upto is not None and psn <= s.upto or psn in s.single:
            return
        if psn not in s.sent:
            s.sent[psn] = []
            heapq.heappush(s.open, psn)
        s.sent[psn] += [packet, packet] if again else [packet]

    def end(self, back):
        """Of a stretch: what is missing in it stays so."""
        if self.stretch is None:
            self.never_asked(back)
            return
        self.counts["psn_missing"] += self.stretch.missing()
        self.counts["psn_damaged"] += self.stretch.missing_damaged()
        back.counts["response_missing"] += self.stretch.response_missing()
        self.read_times()

    # Responses and acknowledgements to requests of this direction, which travel in @back.

    def response(self, packet, order, back, early=False):
        stretch = self.stretch
        if stretch is None:
            if packet.op != P.ACKNOWLEDGE:
                self.early.append((packet, order))
            return
        psn = nearest(packet.psn, stretch.highest + 1)
        if packet.op == P.ACKNOWLEDGE:
            kind = None if packet.syndrome is None else packet.syndrome >> 5
            if kind == 0:
                self.cover(psn, packet.time)
            elif kind in (1, 3):
                self.cover(psn - 1, packet.time)
            return
        if stretch.answered is not None and psn > stretch.answered + 1 and stretch.answered + 1 in stretch.asked:
            back.counts["response_gaps"] += 1
        self.back_below(psn, stretch.came, stretch.answered, back)
        stretch.answered = psn if stretch.answered is None else max(stretch.answered, psn)
        if early:
            return
        if psn in stretch.asked:
            stretch.carried.add(psn)
        stretch.last_of.setdefault(psn, []).append((order, packet.time))
        began = next((low for low, high, _, _ in reversed(stretch.reads) if low <= psn <= high), psn)
        self.cover(began - 1, packet.time)
        self.cover_one(psn, packet.time)

    @staticmethod
    def back_below(psn, came, highest, back):
        """A response: whether one had its PSN before, or a later one came before it."""
        back.counts["response_repeated"] += psn in came
        back.counts["response_late"] += psn not in came and highest is not None and psn < highest
        came.add(psn)

    def never_asked(self, back):
        """Responses of a direction without a request."""
        came, highest, expected = set(), None, None
        for packet, _ in self.early:
            psn = packet.psn if highest is None else nearest(packet.psn, self.early[0][0].psn)
            if expected is None or psn not in came and abs(psn - expected) > FAR:
                came.clear()
                expected = psn
            self.back_below(psn, came, highest, back)
            highest = psn if highest is None else max(highest, psn)
            expected = max(expected, psn + 1)

    def cover(self, upto, time):
        """PSNs up to @upto have arrived."""
        s = self.stretch
        s.upto = upto if s.upto is None else max(s.upto, upto)
        while s.open and s.open[0] <= upto:
            self.cover_one(heapq.heappop(s.open), time)

    def cover_one(self, psn, time):
        sent = self.stretch.sent.pop(psn, [])
        self.stretch.single.add(psn)
        if len(sent) == 1 and sent[0].ackreq and sent[0].op in P.SENDS | P.WRITES:
            self.ack_time.add(time - sent[0].time)

    def read_times(self):
        """From each READ Request to the packet that ends its response, if nobody asked again meanwhile."""
        reads, last_of = sorted(self.stretch.reads), self.stretch.last_of
        arrived = [next((came for came in last_of.get(high, ()) if came[0] > order), (None, None))
                   for _, high, order, _ in reads]
        alone = [when is not None for when, _ in arrived]
        for one, (_, high, order, _) in enumerate(reads):
            for other in range(one + 1, len(reads)):
                if reads[other][0] > high:
                    break
                alone[one] = alone[one] and arrived[one][0] < reads[other][2]
                alone[other] = alone[other] and arrived[other][0] < order
        for (_, time), read, one in zip(arrived, reads, alone):
            if one:
                self.read_time.add(time - read[3])


def harm(both, packet, side):
    """A packet with a bad ICRC."""
    if both[side].stretch is not None and is_request(packet):
        both[side].stretch.damage(packet.psn)


def directions(flow, pauses):
    """([a to b, b to a] as objects of schema 2, MTU, what was waited for) of a connection."""
    merged = sorted(((p, side) for side, half in enumerate((flow.to_b, flow.to_a)) if half
                     for p in (*half.packets, *half.bad)), key=lambda event: event[0].frame)
    damaged = [(packet, side) for packet, side in merged if packet.icrc == P.BAD]
    merged = [(packet, side) for packet, side in merged if packet.icrc != P.BAD]
    spans, both = Spans(flow.mtu), (Direction(), Direction())
    for packet, side in merged:
        if is_data(packet):
            spans.feed(packet, side)
    for side in (0, 1):
        spans.release(side)
    for order, (packet, side) in enumerate(merged):
        while damaged and damaged[0][0].frame < packet.frame:
            harm(both, *damaged.pop(0))
        there, back = both[side], both[1 - side]
        there.count(packet)
        if is_request(packet):
            there.request(packet, order, back)
        elif is_data(packet):
            back.response(packet, order, there)
    for packet, side in damaged:
        harm(both, packet, side)
    measured, waited = measures.measure(merged, Times, pauses)
    result = []
    for side, half in enumerate((flow.to_b, flow.to_a)):
        d = both[side]
        d.end(both[1 - side])
        d.counts["icrc_bad"] = len(half.bad) if half else 0
        d.measures = measured[side].figures(d.counts)
        result.append(d)
    return result, spans.mtu, waited
