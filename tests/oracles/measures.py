# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What --stats measures of one direction in addition: written from the definitions of its man page, "FIGURES OF --STATS"."""
import bisect
import ipaddress

import packet as P
import waited as W

DONE_KEPT = 32  # requests that are done, whose copies are looked at
SEQUENCE_NAK = 0x60
FIRST = {P.SEND_FIRST, P.WRITE_FIRST}
ONLY = {P.SEND_ONLY, P.SEND_ONLY_IMM, P.SEND_ONLY_INV, P.WRITE_ONLY, P.WRITE_ONLY_IMM}
LAST = {P.SEND_LAST, P.SEND_LAST_IMM, P.SEND_LAST_INV, P.WRITE_LAST, P.WRITE_LAST_IMM}
ALONE = P.ATOMICS | {P.READ_REQUEST, P.FLUSH, P.ATOMIC_WRITE}
IMMEDIATE = {P.SEND_LAST_IMM, P.SEND_ONLY_IMM, P.WRITE_LAST_IMM, P.WRITE_ONLY_IMM}
INVALIDATE = {P.SEND_LAST_INV, P.SEND_ONLY_INV}
# IBTA vol 1, tables 45 (RNR NAK timer, here in units of 10 us) and 46 (credit count)
RNR_10US = (65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
            4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152)
CREDITS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
           6144, 8192, 12288, 16384, 24576, 32768)
COUNTS = """idle_max_ns packet_max sport_changes dscp_changes hop_limit_changes messages_begun messages_immediate
    messages_invalidate messages_answered ackreq_packets repeated_answered repeat_episodes copies_max filled_bytes
    gap_max fill_distance_max ack_pure ack_repeated ack_unsolicited credits_none credits_zero ack_ambiguous busy_ns
    stall_max_ns slowest_first_frame slowest_last_frame vlan_changes version_changes ce_first_frame cnp_about
    cnp_first_frame cnp_without_ce fecn_packets becn_packets""".split()
LISTS = """message_bytes message_time send_time write_time atomic_time flush_time read_first_time rtt ack_psns credits
    nak_delay nak_reaction repeat_time fill_time rnr_asked rnr_waited in_flight_packets in_flight_bytes
    reads_open ce_cnp_delay cnp_gap cnp_rate cnp_recovery""".split()
FIRST_ROAD = ("roce_version", "sport", "dscp", "hop_limit", "vlan", "pcp", "gid_kind")
CONGESTION = ("ce_per_million", "ce_per_1000_cnp", "rate_before_cnp", "rate_between_cnp", "rate_after_cnp")
ALL = {*COUNTS, *LISTS, *FIRST_ROAD, *CONGESTION, "duration_ns", "wire_rate", "payload_rate", "goodput", "requests_open"}


def gid_kind(packet):
    """Of the sender."""
    if isinstance(packet.src, int):
        return "lid"
    address = ipaddress.IPv6Address(packet.src)
    if packet.form is None:
        return "ib-default" if address in ipaddress.ip_network("fe80::/64") else "ib-prefix"
    if address.ipv4_mapped:
        return "ipv4-mapped"
    if address.is_link_local:
        return "link-local"
    return "unique-local" if address in ipaddress.ip_network("fc00::/7") else "global"


class Request:
    """A new request packet, and what became of it."""

    def __init__(self, packet):
        self.psn, self.end, self.op = packet.ext, packet.ext + packet.span, packet.op
        self.payload, self.length = packet.payload, packet.length or 0
        self.frame, self.time, self.last, self.copies = packet.frame, packet.time, packet.time, 1
        self.ackreq, self.open, self.touched, self.begun = packet.ackreq, False, False, False
        self.uc = packet.service == P.UC

    def has(self, psn):
        return self.psn <= psn < self.end

    def is_data(self):
        return self.op in P.SENDS | P.WRITES


class Message:
    """A SEND or WRITE whose packets come one after the other."""

    def __init__(self):
        self.expected = self.packets = None

    def take(self, request):
        """The packets of the message that @request completes, or None."""
        kind = request.op in P.SENDS
        if request.op in FIRST | ONLY:
            self.packets = [request]
        elif self.expected == (request.psn, kind):
            self.packets.append(request)
        else:
            self.expected = None
            return None
        complete = request.op in LAST | ONLY
        self.expected = None if complete else (request.psn + 1, kind)
        return self.packets if complete else None


class Way:
    """One direction of a connection: its packets, its requests, and what answers those."""

    def __init__(self, times):
        self.counts = dict.fromkeys(COUNTS, 0)
        self.lists = {name: times() for name in LISTS}
        self.times, self.path, self.last = [], None, None
        self.road = None  # of the first packet
        self.bytes, self.mark, self.cnps = 0, None, []  # CNPs about it: (time, bytes on the wire before)
        self.asked, self.slowest = False, -1
        self.begun = False
        self.restart(0)

    def restart(self, psn):
        self.starts, self.requests, self.pending, self.gaps = [], {}, [], []
        self.done = self.expected = self.first = psn
        self.nak = self.rnr = self.repeat_next = None
        self.message = Message()

    def most(self, name, value):
        self.counts[name] = max(self.counts[name], value)

    # Any packet

    def passed(self, now):
        """A packet of the connection, either way."""
        if self.last is not None and now > self.last and any(r.open for r in self.requests.values()):
            self.counts["busy_ns"] += now - self.last
            self.most("stall_max_ns", now - self.last)
        self.last = now

    def count(self, packet):
        if self.times:
            self.most("idle_max_ns", packet.time - self.times[-1])
        self.times.append(packet.time)
        self.bytes += packet.wire
        self.most("packet_max", packet.wire)
        self.counts["fecn_packets"] += packet.fecn
        self.counts["becn_packets"] += packet.becn and packet.service != P.CNP
        if packet.ecn:
            self.counts["ce_first_frame"] = self.counts["ce_first_frame"] or packet.frame
            if self.mark is None and packet.service != P.CNP:
                self.mark = packet.time

    def notified(self, packet):
        """A CNP about this direction."""
        c = self.counts
        c["cnp_first_frame"] = c["cnp_first_frame"] or packet.frame
        c["cnp_about"] += 1
        if self.mark is None:
            c["cnp_without_ce"] += 1
        else:
            self.lists["ce_cnp_delay"].add(packet.time - self.mark)
        self.mark = None
        if self.cnps:
            took = packet.time - self.cnps[-1][0]
            self.lists["cnp_gap"].add(took)
            if took > 0:
                self.lists["cnp_rate"].add((self.bytes - self.cnps[-1][1]) * 8 * 10**9 // took)
        self.cnps.append((packet.time, self.bytes))

    def follow(self, packet):
        path = packet.port, packet.dscp, packet.hops, packet.tag, packet.form
        self.road = self.road or packet
        for name, now, before in zip(("sport", "dscp", "hop_limit", "vlan", "version"), path, self.path or path):
            self.counts[f"{name}_changes"] += now != before
        self.path = path

    # Requests

    def find(self, psn):
        """The request of @psn."""
        at = bisect.bisect_right(self.starts, psn) - 1
        request = self.requests[self.starts[at]] if at >= 0 else None
        return request if request and request.has(psn) else None

    def request(self, packet):
        psn, c = packet.ext, self.counts
        c["ackreq_packets"] += packet.ackreq
        if packet.was == "repeated":
            self.repeat(packet)
        else:
            self.new(packet)
        for name, mark in (("nak_reaction", self.nak), ("rnr_waited", self.rnr)):
            if mark and mark[0] == psn:
                self.lists[name].add(packet.time - mark[1])
        if self.nak and self.nak[0] == psn:
            self.nak = None
        if self.rnr and self.rnr[0] == psn:
            self.rnr = None
        self.expected = max(self.expected, psn + packet.span)

    def new(self, packet):
        psn, c = packet.ext, self.counts
        if packet.was in ("first", "restart"):
            self.restart(psn)
            self.begun = True
        elif packet.was == "gap":
            self.most("gap_max", psn - self.expected)
            self.gaps.append((self.expected, psn, packet.time))
        elif packet.was == "filled":
            c["filled_bytes"] += packet.payload
            self.most("fill_distance_max", self.expected - psn)
            for low, high, opened in self.gaps:
                if low <= psn < high:
                    self.lists["fill_time"].add(packet.time - opened)
        self.repeat_next = None
        c["messages_begun"] += packet.op in FIRST | ONLY | ALONE
        c["messages_immediate"] += packet.op in IMMEDIATE
        c["messages_invalidate"] += packet.op in INVALIDATE
        request = Request(packet)
        if packet.op == P.READ_REQUEST:
            request.touched = self.touch(psn, request.end)
        bisect.insort(self.starts, psn)
        self.requests[psn] = request
        if request.uc:
            message = self.message.take(request)
            if message:
                self.lists["message_bytes"].add(sum(part.payload for part in message))
        elif request.end > self.done:
            request.open = True
            bisect.insort(self.pending, psn)

    def touch(self, low, high):
        """A READ Request of these PSNs: whether others had some of them."""
        others = [r for r in self.requests.values() if r.op == P.READ_REQUEST and r.psn < high and low < r.end]
        for other in others:
            other.touched = True
        return bool(others)

    def repeat(self, packet):
        psn, c = packet.ext, self.counts
        c["repeated_answered"] += psn < self.done
        c["repeat_episodes"] += self.repeat_next != psn
        self.repeat_next = psn + packet.span
        if packet.op == P.READ_REQUEST:
            self.touch(psn, psn + packet.span)
        request = self.find(psn)
        if request is None:
            return
        if request.psn == psn and self.is_recent(request):
            self.most("copies_max", request.copies + 1)
            self.lists["repeat_time"].add(packet.time - request.last)
        request.copies, request.last = request.copies + 1, packet.time

    def is_recent(self, request):
        done = sum(self.requests[psn].end <= self.done for psn in self.starts[bisect.bisect_right(
            self.starts, request.psn):])
        return request.end > self.done or done < DONE_KEPT

    # Answers to requests of this direction

    def opened(self):
        return [r for r in map(self.requests.get, self.pending) if r.open]

    def answer(self, packet, sender):
        """@packet, that @sender sends, answers requests of this direction."""
        before = self.opened() if self.begun else []
        self.closed = False
        psn = (packet.psn - self.expected + (1 << 23)) % (1 << 24) - (1 << 23) + self.expected
        if packet.op == P.ACKNOWLEDGE:
            self.acknowledge(packet, psn, sender)
        elif self.begun:
            self.respond(packet, psn)
        if self.closed:
            self.lists["in_flight_packets"].add(len(before))
            self.lists["in_flight_bytes"].add(sum(r.payload for r in before))
            reads = sum(r.op in P.ATOMICS | {P.READ_REQUEST} for r in before)
            if reads:
                self.lists["reads_open"].add(reads)

    def close(self, request, answered):
        if request.open:
            request.open, self.closed = False, True
            ends = request.op in LAST | ONLY | ALONE
            self.counts["messages_answered"] += ends and (answered or request.op not in P.ATOMICS | {P.READ_REQUEST})

    def move(self, psn, packet):
        """All below @psn is done. The requests that are by that."""
        if psn <= self.done:
            return []
        over = [r for r in map(self.requests.get, self.pending) if r.psn < psn and r.end <= psn]
        for request in over:
            self.pending.remove(request.psn)
            self.close(request, False)
            if not request.is_data():
                continue
            if request.ackreq and request.copies > 1:
                self.counts["ack_ambiguous"] += 1
            message = self.message.take(request)
            if message:
                self.lists["message_bytes"].add(sum(part.payload for part in message))
                self.message_time("send_time" if request.op in P.SENDS else "write_time", message[0], packet)
        self.done = psn
        if self.nak and self.nak[0] < psn:
            self.nak = None
        if self.rnr and self.rnr[0] < psn:
            self.rnr = None
        return over

    def message_time(self, name, first, packet):
        took = packet.time - first.time
        if name:
            self.lists[name].add(took)
        self.lists["message_time"].add(took)
        if took > self.slowest:
            self.slowest = took
            self.counts["slowest_first_frame"], self.counts["slowest_last_frame"] = first.frame, packet.frame

    def acknowledge(self, packet, psn, sender):
        if packet.syndrome is None:
            return
        kind = packet.syndrome >> 5
        if kind == 0:
            self.ack(packet, psn, sender)
        elif kind in (1, 3):
            if kind == 1:
                self.lists["rnr_asked"].add(RNR_10US[packet.syndrome & 31] * 10**4)
            if self.begun:
                self.refuse(packet, psn)

    def ack(self, packet, psn, sender):
        c, code = sender.counts, packet.syndrome & 31
        c["ack_pure"] += 1
        c["credits_zero"] += code == 0
        if code == 31:
            c["credits_none"] += 1
        else:
            sender.lists["credits"].add(CREDITS[code])
        if not self.begun:
            return
        if psn < self.done:
            c["ack_repeated"] += 1
            return
        known = psn < self.expected
        if known:
            self.lists["ack_psns"].add(psn + 1 - self.done)
            request = self.find(psn)
            if request and request.psn == psn and request.copies == 1 and request.is_data() and not request.uc:
                self.lists["rtt"].add(packet.time - request.time)
        over = self.move(psn + 1, packet)
        c["ack_unsolicited"] += known and not any(r.ackreq or r.copies > 1 for r in over)

    def refuse(self, packet, psn):
        done = psn < self.done
        if packet.syndrome == SEQUENCE_NAK and not done:
            above = bisect.bisect_right(self.starts, psn)
            if above < len(self.starts):
                self.lists["nak_delay"].add(packet.time - self.requests[self.starts[above]].last)
        self.move(psn, packet)
        if done:
            return
        if packet.syndrome == SEQUENCE_NAK and not (self.nak and self.nak[0] == psn):
            self.nak = psn, packet.time
        if packet.syndrome >> 5 == 1 and not (self.rnr and self.rnr[0] == psn):
            self.rnr = psn, packet.time

    def respond(self, packet, psn):
        request = self.find(psn)
        self.move(request.psn if request else psn, packet)
        if request is None or request.uc or request.end <= self.done:
            return
        if request.op == P.READ_REQUEST and psn == request.psn and not request.begun:
            request.begun = True
            if not request.touched:
                self.lists["read_first_time"].add(packet.time - request.time)
        if psn != request.end - 1 or not request.open:
            return
        self.close(request, True)
        if request.op == P.READ_REQUEST:
            self.lists["message_bytes"].add(request.length)
            if not request.touched:
                self.message_time(None, request, packet)
        elif request.op == P.ATOMIC_WRITE:
            self.lists["message_bytes"].add(8)
            self.message_time("write_time", request, packet)
        elif not request.is_data():
            self.message_time("flush_time" if request.op == P.FLUSH else "atomic_time", request, packet)

    # All of it

    def congestion(self, counts):
        def stretch(count, begin, end):
            return count * 8 * 10**9 // (end - begin) if end > begin else 0
        marks, packets, n = counts["ce_packets"], counts["packets"], len(self.cnps)
        rates = None, None, None
        if n:
            (first, before), (last, until) = self.cnps[0], self.cnps[-1]
            rates = (stretch(before, min(self.times, default=first), first), stretch(until - before, first, last),
                     stretch(self.bytes - until, last, max(self.times, default=last)))
        return {"ce_per_million": marks * 10**6 // packets if packets else 0,
                "ce_per_1000_cnp": marks * 1000 // n if marks and n else None,
                "rate_before_cnp": rates[0], "rate_between_cnp": rates[1], "rate_after_cnp": rates[2]}

    def first_road(self):
        road = self.road
        if road is None:
            return dict.fromkeys(FIRST_ROAD)
        return {"roce_version": {"v1": 1, None: None}.get(road.form, 2), "sport": road.port, "dscp": road.dscp,
                "hop_limit": road.hops, "vlan": None if road.tag is None else road.tag & 0xfff,
                "pcp": None if road.tag is None else road.tag >> 13, "gid_kind": gid_kind(road)}

    def figures(self, counts):
        """@counts: those of figures.py."""
        duration = max(self.times) - min(self.times) if self.times else 0
        payload, repeated = counts["payload_bytes"], counts["repeated_bytes"]

        def rate(count):
            return count * 8 * 10**9 // duration if duration else 0
        return {**self.congestion(counts), **self.first_road(), "duration_ns": duration,
                "wire_rate": rate(counts["wire_bytes"]), "payload_rate": rate(payload),
                "goodput": rate(payload - repeated), "requests_open": len(self.opened()), **self.counts,
                **{name: values.figures() for name, values in self.lists.items()}}


def measure(merged, times, pauses):
    """([a to b, b to a], what was waited for) of @merged, (packet, side) in file order, that figures.py has been through."""
    ways = Way(times), Way(times)
    waited = W.Waited(ways, pauses)
    for packet, side in merged:
        way, other = ways[side], ways[1 - side]
        waited.passed(packet, side)
        way.passed(packet.time)
        other.passed(packet.time)
        way.count(packet)
        if packet.service not in P.SERVICES:
            other.notified(packet)
            waited.sides[1 - side].notified(packet.time)
            continue
        way.follow(packet)
        if packet.op in P.REQUESTS:
            waited.request(packet, side)
            way.request(packet)
        elif packet.op in P.RESPONSES | {P.ACKNOWLEDGE}:
            done = other.done
            other.answer(packet, way)
            waited.answered(packet, 1 - side, done)
    return ways, waited
