# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The lines that sum up: the timeline of --interval, the worst connections and the summary, compared with JSON.

Which host a connection waited for in vain is not in JSON: Heard works it out of the packets and of the events timeout, whose
number peer is what a sender could know of the other end when it sent again.
"""
import bisect
import pathlib
import re

import capture
import figures
import packet as P
import text_stats
import text_words as W

LINES = 20  # of a timeline
WORST = 3
QUIET = 2  # timeouts in a row without a packet of the other end, from which on it is silent
CUT_TIMEOUTS, CUT_PACKETS = 3, 8  # so many timeouts, or packets without an answer, are as by a cut link
PEER_ELSEWHERE, PEER_SILENT, PEER_CLOSED = 2, 3, 4
WHY_EARLY = 3  # all copies were answered
# Of a figure, both directions together: one, several.
AGAINST = (("nak_invalid_request", "invalid request NAK", "invalid request NAKs"),
           ("nak_remote_access", "remote access NAK", "remote access NAKs"),
           ("nak_remote_operational", "remote operational NAK", "remote operational NAKs"),
           (None, "% retransmitted", "% retransmitted"),
           ("nak_sequence", "sequence NAK", "sequence NAKs"),
           ("timeouts", "timeout", "timeouts"),
           ("rnr_nak", "RNR NAK", "RNR NAKs"),
           (text_stats.gaps, "gap", "gaps"),
           (text_stats.response_gaps, "gap in responses", "gaps in responses"),
           ("icrc_bad", "packet with a bad ICRC", "packets with a bad ICRC"))
# What may follow it, if the events are not at hand.
ENDING = re.compile(r", (no answer after the DREQ|nothing at all from|\S+ answers on other connections).*?(?= \()")
# Of a timeline's lists: what a line says of it, if it is not 0.
BINS = (("repeated_packets", "repeated"), ("ce_packets", "CE"), ("cnp_packets", "CNP"), ("pause", "pause"),
        ("open_max", "open at most"))
UNSAID_BINS = {"packets", "wire_bytes", "payload_bytes", "nak", "rnr", "timeouts", "in_flight_bytes", "paused_ns"}  # said first; or not at all
PROTOCOLS = {"rocev1": "RoCE v1", "rocev2": "RoCE v2", "ib": "InfiniBand", "ipoib": "IPoIB", "iwarp": "iWARP MPA"}
UNSAID = {"other", "arp", "pause"}
NUMBERS = ("packets", "copies", "connections", "refused", "empty", "ce", "cnp", "pause")
SEVERITIES = ("error", "warning", "note", "perf")


class Heard:
    """When packets came from an address, and how a connection ended that waited for it."""

    def __init__(self, path, events):
        self.path, self.events, self.times = pathlib.Path(path), events, None

    def of(self, address):
        """Times of its packets of connections, in order of the capture."""
        if self.times is None:
            self.times = {}
            for record in capture.records(self.path):
                packet = P.parse(record)
                if packet is not None and (packet.service != P.UD or packet.opcode == P.OPCODE_CNP):
                    self.times.setdefault(P.address_text(packet.src), []).append((packet.frame, packet.time))
        return self.times.get(address, [])

    def ending(self, flow, way):
        """What is said of the other end, if @way waited for it in vain; "": nothing."""
        sender, receiver = (flow[side] for side in text_stats.WAYS[way])
        waits = [e for e in self.events() if e["event"] == "timeout" and e["why"] != WHY_EARLY and e["half"] == flow["first_frame"] and
                 e["from"] == sender["address"] and e["to"] == receiver["qpn"]]
        heard = self.of(receiver["address"]) if waits else []
        if not flow[way]["timeouts"] or not waits or not heard:
            return ""
        last, host = waits[-1], receiver["address"]
        if last["peer"] == PEER_CLOSED:
            return f", no answer after the DREQ: the queue pair at {host} is gone"
        if last["peer"] == PEER_SILENT and heard[-1][1] <= last["time"]:
            return f", nothing at all from {host} any more"
        quiet, cut = self.quiet(waits, heard, flow, way)
        if quiet:
            return f", nothing at all from {host} for {W.time(quiet)}, then again{': as by a cut link' if cut else ''}"
        if last["peer"] == PEER_ELSEWHERE and flow[way]["requests_open"] and flow[way]["timeouts"] >= QUIET:
            return f", {host} answers on other connections: the queue pair is gone, or only its packets are lost"
        return ""

    def quiet(self, waits, heard, flow, way):
        """The longest time without a packet over two timeouts or more, from the first packet that waited for an answer to the
        first answer, and whether that was as by a cut link; 0: there is none."""
        silent = {event["frame"]: event for event in waits if event["peer"] == PEER_SILENT}
        longest, cut, since, n, begin, many = 0, False, None, 0, 0, False
        if len(silent) < QUIET:
            return 0, False
        waiting = Waiting(flow, way)
        for packet in map(P.parse, capture.records(self.path)):
            if packet is None or not waiting.is_of(packet):
                continue
            answered = waiting.answer(packet)
            event = silent.get(packet.frame)
            before = bisect.bisect(heard, (packet.frame, 0)) - 1
            if event and before >= 0:
                if heard[before] != since:
                    since, n, begin = heard[before], 0, waiting.first(packet.time)
                n, many = n + 1, waiting.packets() >= CUT_PACKETS
            if (event or answered) and n >= QUIET and packet.time - begin >= longest:
                longest, cut = packet.time - begin, n >= CUT_TIMEOUTS or many
            if answered:
                n = 0
            waiting.request(packet)
        return longest, cut


class Waiting:
    """What a direction of a connection has sent, as far as it was not answered."""

    def __init__(self, flow, way):
        sender, self.receiver = (flow[side] for side in text_stats.WAYS[way])
        self.sender, self.mtu, self.covered, self.high, self.open = sender, flow["mtu"] or 0, None, None, {}

    def is_of(self, packet):
        src, dst = P.address_text(packet.src), P.address_text(packet.dst)
        ends = {(self.sender["address"], self.receiver["address"], self.receiver["qpn"]),
                (self.receiver["address"], self.sender["address"], self.sender["qpn"])}
        return packet.service in P.SERVICES and packet.icrc != P.BAD and (src, dst, packet.dqpn) in ends

    def is_sent(self, packet):
        return packet.op in P.REQUESTS and packet.dqpn == self.receiver["qpn"] and \
            P.address_text(packet.dst) == self.receiver["address"]

    def extended(self, psn):
        return psn if self.high is None else figures.nearest(psn, self.high)

    def request(self, packet):
        if not self.is_sent(packet):
            return
        psn = self.extended(packet.psn)
        old = next((one for one in self.open.values() if one.psn <= psn < one.psn + one.span), None)
        if old:
            old.copies += 1
        elif self.covered is None or psn >= self.covered:
            span = max(1, -(-packet.length // self.mtu)) if packet.op == P.READ_REQUEST and packet.length and self.mtu else 1
            self.open[psn] = Open(psn, span, packet)
        self.high = psn if self.high is None else max(self.high, psn)

    def answer(self, packet):
        """Whether a packet answers something that was not answered before."""
        if packet.op not in P.RESPONSES | {P.ACKNOWLEDGE} or self.high is None or packet.dqpn != self.sender["qpn"] or \
                P.address_text(packet.dst) != self.sender["address"]:
            return False
        psn = self.extended(packet.psn)
        of = next((one for one in self.open.values() if one.psn <= psn < one.psn + one.span), None)
        if packet.op == P.ACKNOWLEDGE:
            below, ended = psn + (packet.syndrome < 0x20), False
        else:
            below, ended = of.psn if of else psn, bool(of) and psn == of.psn + of.span - 1 and not of.done
            if ended:
                of.done = True
        moved = below > (self.covered if self.covered is not None else min(self.open, default=below))
        if moved:
            self.covered = below
            self.open = {at: one for at, one in self.open.items() if at >= below}
        return moved or ended

    def first(self, now):
        """When the first packet that waits for an answer was sent."""
        return next((one.time for _, one in sorted(self.open.items()) if one.wants and not one.done), now)

    def packets(self):
        return sum(one.copies for one in self.open.values() if not one.done)


class Open:
    """A request without its answer."""

    def __init__(self, psn, span, packet):
        self.psn, self.span, self.time, self.copies, self.done = psn, span, packet.time, 1, False
        self.wants = packet.ackreq or packet.op not in P.SENDS | P.WRITES


def against(flow, heard):
    """What there is to say against a connection: ": 3 timeouts, ..." or nothing."""
    said = []
    for key, one, several in AGAINST:
        if callable(key):
            n = key(flow)
        else:
            n = text_stats.both(flow, key) if key else max(text_stats.resent_percent(flow[way]) for way in text_stats.WAYS)
        if n:
            said.append(f"{n} {one if n == 1 else several}")
    ends = "".join(heard.ending(flow, way) for way in text_stats.WAYS) if heard else ""
    return (": " + ", ".join(said) if said else "") + ends


def state_of(flow, cm):
    """What became of a connection."""
    if cm is None or cm["ended_by"] is None:
        return flow["state"]
    return f"failed, {cm['end']}" if flow["state"] == "failed" else cm["end"]


def worst_line(flow, cm, heard):
    words = [flow["service"], *([cm["service"]] if cm is not None and cm["service"] else []),
             W.counted(text_stats.both(flow, "packets"), "packet"), state_of(flow, cm)]
    doubt = text_stats.doubts(flow)
    return (f"{flow['file']}: worst: {W.short_end(flow['a'])} -> {W.short_end(flow['b'])}{against(flow, heard)} "
            f"({', '.join(words)}{'; doubt: ' + ', '.join(doubt) if doubt else ''})")


def is_said(flow, heard, kinds, line):
    """Whether a connection with incidents of these kinds has a line: who is gone no incident says but of retries used up."""
    if "retries" in kinds:
        return False
    if heard is None:
        return f": worst: {W.short_end(flow['a'])} -> {W.short_end(flow['b'])}:" in line and ENDING.search(line) is not None
    return any(heard.ending(flow, way) for way in text_stats.WAYS)


def worst(where, lines, flows, cms, heard, told):
    """[fault] of the lines of the worst connections, worst first, but for those of which incidents are @told."""
    by_number = {one["connection"]: one for one in reversed(cms) if one["connection"] is not None}
    flows = [flow for flow in flows if not text_stats.is_iwarp(flow)]
    for flow in [flow for flow in text_stats.worst_first(flows) if any(text_stats.badness(flow))][:WORST]:
        if flow["connection"] in told and not is_said(flow, heard, told[flow["connection"]], lines.peek()):
            continue
        want, got = worst_line(flow, by_number.get(flow["connection"]), heard), lines.peek()
        if ": worst: " not in got:
            yield f"{where}: no line of a worst connection, but {got!r}: {want!r}"
            return
        lines.next()
        if got != want and not (heard is None and ENDING.sub("", got) == want):
            yield f"{where}: {got!r}, by JSON {want!r}"
    while ": worst: " in lines.peek():
        yield f"{where}: one worst connection too many: {lines.next()!r}"


def verdict(where, lines, objects, heading):
    """[fault] of the line that says what is wrong; there is none where nothing is."""
    (one,) = objects["verdict"]
    said = ". ".join(sentence["text"] for sentence in one["sentences"])
    if one["text"] != (said or "no findings"):
        yield f"{where}: the verdict's text is {one['text']!r}, of its sentences {said!r}"
    if one["state"] != (one["sentences"][0]["state"] if one["sentences"] else "none"):
        yield f"{where}: the verdict's state is {one['state']}, of sentences {[s['state'] for s in one['sentences']]}"
    if said and lines.next() != f"{heading}: verdict: {said}":
        yield f"{where}: no line of the verdict {said!r}"


def merged(whole):
    """The lists of a timeline in intervals twice as long, until there are few enough of them; (length, first, lists)."""
    length, lists = whole["interval_ns"], {**whole["all"], **{f"commands {key}": numbers for key, numbers in whole.get("commands", {}).items()}}
    first, n = W.nanoseconds(whole["start"]) // length, whole["intervals"]
    while n > LINES:
        halves = [(first + i) // 2 - first // 2 for i in range(n)]
        sums = {}
        for key, numbers in lists.items():
            sums[key] = [0] * (halves[-1] + 1)
            for at, number in zip(halves, numbers):
                sums[key][at] = max(sums[key][at], number) if key.endswith("open_max") else sums[key][at] + number
        length, first, lists, n = length * 2, first // 2, sums, halves[-1] + 1
    return length, first, lists


def timeline(where, lines, objects, heading):
    """[fault] of the lines of all connections together."""
    whole = [one for one in objects if one["connection"] is None]
    if not whole:
        return
    length, first, lists = merged(whole[0])
    for key in set(lists) - UNSAID_BINS - {key for key, _ in BINS} - {"commands answered", "commands open_max"}:
        yield f"{where}: {key} of a timeline is not known here: BINS of text_sums.py has them"
    want = [f"{heading}: timeline of all connections, an interval of {W.time(length)} a line, from {W.utc(first * length)} on"]
    for i, packets in enumerate(lists["packets"]):
        said = [W.counted(packets, "packet"), f"{W.size(lists['wire_bytes'][i] * 8 * 10**9 // length)} bits/s",
                *(f"{lists[key][i]} {what}" for key, what in BINS if lists[key][i])]
        if lists.get("commands answered", {i: 0})[i]:
            answered = lists["commands answered"][i]
            said.append(f"{W.counted(answered, 'command')} answered ({W.size(answered * 10**9 // length)}/s)")
        if lists.get("commands open_max", {i: 0})[i]:
            said.append(f"{W.counted(lists['commands open_max'][i], 'command')} open at most")
        want.append(f"  +{W.time(i * length)}: {', '.join(said)}")
    for one in want:
        if lines.peek() != one:
            yield f"{where}: {lines.peek()!r}, by JSON {one!r}"
            if not lines.peek().startswith(one[:len("  +")]):
                return
        lines.next()


def withheld(one):
    """What is at note level for doubt; "": nothing is."""
    because = [args[6] for macro, args in W.macros("dissector/track/base/doubt.def")
               if macro == "TRACK_DOUBT" and args[1] in one["doubt"]]
    return f", {one['count']} at note level because {' and '.join(because)}" if one["count"] else ""


def sums_of(objects):
    """The summary, and how many of the connections listed were refused, or have no packet but for the CM's."""
    one, flows = objects["summary"][0], objects.get("flow", [])
    refused = [flow for flow in flows if flow["state"] == "rejected"]
    empty = [flow for flow in flows if flow not in refused and not flow["a_to_b"]["packets"] + flow["b_to_a"]["packets"]]
    return {**one, "refused": len(refused), "empty": len(empty)}


def left_aside(one):
    """What was not examined, or not followed for want of memory; "": nothing."""
    said, room = "", one.get("room", {})
    if "not_examined" in one:
        said = f"; {W.counted(one['not_examined']['packets'], 'packet')} not examined (CAP019)"
    parts = [f"{W.counted(room[key], what)} {how}" for key, what, how in (
        ("evicted", "connection", "evicted"), ("unfollowed", "direction", "of connections not followed")) if room.get(key)]
    if room.get("forgotten"):
        parts.append(f"{room['forgotten']} {'entry' if room['forgotten'] == 1 else 'entries'} of tables evicted")
    return said + (f"; memory used up: {', '.join(parts)} (CAP021)" if parts else "")


def connections_of(one):
    """3 connections, 2 of them iWARP with 182 FPDUs"""
    iwarp = one.get("iwarp", {"connections": 0, "fpdus": 0})
    only = iwarp["connections"] and iwarp["connections"] == one["connections"]
    said = [W.counted(one["connections"], "iWARP connection" if only else "connection")]
    if iwarp["connections"] and not only:
        said.append(f"{iwarp['connections']} of them iWARP")
    if iwarp["fpdus"]:
        said[-1] += f" with {W.counted(iwarp['fpdus'], 'FPDU')}"
    return said


def parts(told, gone, rules):
    """What is part of incidents, most first; and whose story tells it. "": there are none."""
    n = {}
    for finding in gone:
        n[finding["rule"]] = n.get(finding["rule"], 0) + 1
    most = sorted(n, key=lambda rule: (-n[rule], rules.order.index(rule)))
    return "".join(f"{rule} {n[rule]}{', ' if rule != most[-1] else '; '}" for rule in most), \
        next((f"; --story {one['connection']} tells what happened" for one in told if one["connection"] is not None), "")


def summary_line(one, severity, summed, told=(), gone=(), rules=None):
    """After the name: "11 packets, 11 RoCE v2, 1 connection: 0 errors, ..."."""
    said = [W.counted(one["packets"], "packet")]
    protocols = [f"{n} {PROTOCOLS[key]}" for key, n in one["protocols"].items() if key in PROTOCOLS]
    elsewhere = one["rules"].get("ROC001", 0)
    said += protocols or ([f"{elsewhere} RoCE v2 at another port"] if elsewhere else [] if "iwarp" in one else ["no RDMA"])
    said += [f"{one[key]} {what}" for key, what in (("ce", "CE"), ("cnp", "CNP"), ("pause", "pause")) if one[key]]
    if set(one["dscp"]) - {"0"}:
        said += [f"{n} DSCP {dscp}" for dscp, n in one["dscp"].items()]
    said += [f"{one['copies']} captured twice"] if one["copies"] else []
    said += connections_of(one)
    said += [f"{one[key]} {what}" for key, what in (("refused", "refused"), ("empty", "without data")) if one[key]]
    counts = one["findings"]
    shown = SEVERITIES[:SEVERITIES.index(severity) + 1]
    held = withheld(one["withheld"]) if "note" not in shown else ""
    aside = left_aside(one)
    if not any(counts[name] for name in shown) and not aside:
        return f"{', '.join(said)}: no findings{held}{' (--severity note)' if held else ''}"
    found = [W.counted(counts[name], name) for name in shown[:2]] + \
        [W.counted(counts[name], name) if name == "note" else f"{counts[name]} {name}" for name in shown[2:] if counts[name]]
    found += [W.counted(len(told), "incident")] if told else []
    each = "; --max-per-rule 0 shows each" if summed else ""
    of_incidents, story = parts(told, gone, rules)
    return (f"{', '.join(said)}: {', '.join(found)}{aside}{held} ({of_incidents}use --explain RULE{story}{each}"
            f"{'; --severity note' if held else ''})")


def summary(where, lines, objects, heading, severity, summed, told, gone, rules):
    one = sums_of(objects)
    if one["connections"] != len(objects.get("flow", [])):
        yield f"{where}: {one['connections']} connections, and {len(objects.get('flow', []))} are listed"
    for key in set(one["protocols"]) - set(PROTOCOLS) - UNSAID:
        yield f"{where}: protocol {key} is not known here: PROTOCOLS of text_sums.py has them"
    want, got = f"{heading}: {summary_line(one, severity, summed, told, gone, rules)}", lines.next()
    if got != want:
        yield f"{where}: {got!r}, by JSON {want!r}"


def total(where, lines, summaries, severity):
    """[fault] of the last line, of several captures: the sums of what their summaries say."""
    if len(summaries) < 2:
        return
    sums = {**dict.fromkeys(NUMBERS, 0), "protocols": {}, "rules": {}, "dscp": {}, "findings": dict.fromkeys(SEVERITIES, 0),
            "withheld": {"count": sum(one["withheld"]["count"] for one in summaries),
                         "doubt": {name for one in summaries for name in one["withheld"]["doubt"]}}}
    for one in summaries:
        for key in NUMBERS:
            sums[key] += one[key]
        for key in ("protocols", "rules", "findings", "dscp"):
            for name, n in one[key].items():
                sums[key][name] = sums[key].get(name, 0) + n
    for key in ("not_examined", "room"):
        kept = [one[key] for one in summaries if key in one]
        if kept:
            sums[key] = {name: sum(one[name] for one in kept) for name in kept[0]}
    if any("iwarp" in one for one in summaries):
        sums["iwarp"] = {key: sum(one.get("iwarp", {key: 0})[key] for one in summaries) for key in ("connections", "fpdus")}
    sums["dscp"] = {key: sums["dscp"][key] for key in sorted(sums["dscp"], key=int)}
    sums["protocols"] = {key: sums["protocols"][key] for key in (*PROTOCOLS, *UNSAID) if key in sums["protocols"]}
    want, got = f"{len(summaries)} captures: {summary_line(sums, severity, False)}", lines.next()
    if got != want:
        yield f"{where}: {got!r}, by JSON {want!r}"
