# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Findings as text: each in a line, with -v what is below it, and one line per cause; compared with the objects finding of JSON.

A cause is what a message says without what differs from packet to packet: what the packet is ("RC SEND Only: "), words with a
digit, the units after them, the s of a plural, and what is in parentheses. Findings of one rule and severity are one line if
their cause is the same; the one of the lowest frame is shown, after how many they are, and of how many connections and flows.
"""
import collections
import re

import text_incidents
import text_words as W

OPERATIONS = ("RC ", "UC ", "UD ", "RD ", "XRC ", "CNP")
UNITS = {"ns", "us", "ms", "s", "k", "M", "G"}
SEVERITIES = ("error", "warning", "note", "perf")
NAMED = re.compile(r"frame (\d+)")  # a frame in a message
MORE = re.compile(r"(\d+) more(?:, up to frame (\d+))?")
RELATED = 8  # frames named at most
ALL_TRACES = text_incidents.TRACES | text_incidents.OF_CM.keys() | text_incidents.OF_MADS
CAUSES = 10  # that have a line of their own, unless with -v; up to half of them where there are incidents of MADs
LOOKED_AT = 10000  # findings of a rule whose words are; those after them are one line
# Flows of several services, and addresses of IP and of a GRH, may have one text in JSON, and be two: so in captures with all of
# them, and where each packet has the fault, CNPs, too.
SAME_TEXT = {"lint-framings.pcap", "lint-framings-ib.pcap", "CRC001", "CRC009"}
FLOWS = re.compile(r" (of|and) \d+ (connections?|(other )?flows?)")
FLOW = re.compile(r"(.*) -> (.*) qp 0x([0-9a-f]+)")
PORTS = re.compile(r"\[?(.*?)\]?:\d+ -> \[?(.*?)\]?:\d+")  # of iWARP


class Rules:
    """Of tables-dump: what a rule is about, and what it says."""

    def __init__(self, tables):
        self.rows, self.order = {}, []
        for line in tables.splitlines():
            words = line.split("\t")
            if words[0] == "rule":
                self.order.append(words[1])
                self.rows[words[1]] = dict(zip(("name", "severity", "scope", "layer", "text", "why", "cause", "advice"), words[2:]))


def head(one):
    frame = "" if one["frame"] is None else f"{one['frame']}:"
    return f"{one['file']}:{frame} {one['severity']}: {one['rule']} {one['name']}: "


def named(one, ends):
    """The ends of a flow with the names of their nodes."""
    match = re.fullmatch(r"(.*) -> (.*)( qp 0x[0-9a-f]{6}.*)", ends)
    if not match or not {"source_node", "destination_node"} & one.keys():
        return ends
    src, dst = (f" ({one[key]})" if key in one else "" for key in ("source_node", "destination_node"))
    return f"{match[1]}{src} -> {match[2]}{dst}{match[3]}"


def about(one, ends):
    """The ends, what the connection is for, and the PSN."""
    if one["flow"] is None:
        return ""
    ends = named(one, ends)
    service = f" [{one['service']}]" if one["service"] else ""
    return ends + service + (f" psn 0x{one['psn']:06x}" if one["psn"] is not None else "") + ": "


def since(one, begin):
    """How long after the first packet."""
    ns = W.nanoseconds(one["time"]) - begin()
    return f"{'-' if ns < 0 else '+'}{abs(ns) // 10**9}.{abs(ns) % 10**9 // 1000:06} s"


def ends_of(flow):
    """The addresses of a flow in text."""
    return (FLOW.fullmatch(flow) or PORTS.fullmatch(flow)).groups()[:2] if flow else ("", "")


def because(one, rules, told, scenario):
    """What shows a finding, and the frames it names. Where its line says all of an event there is only what that does not name."""
    if "event" not in one:
        return rules.rows[one["rule"]]["text"], NAMED.findall(one["message"])
    event = one["event"] | {"event": one["event"]["name"], "frames": one["related"]}
    if event["event"] in told.said:
        return "", NAMED.findall(one["message"])
    text, named = told.finding(event, ends_of(one["flow"]), scenario)
    return text, list(map(str, named))


def context(one, rules, told, explained, where, begin):
    """What -v adds: lines, the last of which is said once a rule."""
    rule = rules.rows[one["rule"]]
    if one["time"] is not None:
        yield f"    time     {W.utc(W.nanoseconds(one['time']))} ({since(one, begin)})"
    if one["length"]:
        yield f"    bytes    {one['offset']} to {one['offset'] + one['length'] - 1}, layer {one['layer']}"
    text, named = because(one, rules, told, (where, "auto"))
    others = [str(frame) for frame in one["related"] if str(frame) not in named]
    frames = f"frame{'s' if len(others) > 1 else ''} {', '.join(others)}"
    if text:
        yield f"    because  {text}" + (f" (see {frames})" if others else "")
    elif others:
        yield f"    see      {frames}"
    if one["rule"] not in explained:
        explained.add(one["rule"])
        for title, key in (("effect", "why"), ("cause", "cause"), ("do", "advice")):
            yield f"    {title:8} {rule[key]}"


def in_order(findings, lines):
    """@findings as text has them: those that JSON has last, with the number of their incident, are between the others."""
    waited = {id(one) for one in findings if "incident" in one and one["rule"] in ALL_TRACES}
    traces = collections.deque(one for one in findings if id(one) in waited)
    others = collections.deque(one for one in findings if id(one) not in waited)
    while traces and others:
        yield (traces if lines.peek().startswith(head(traces[0])) else others).popleft()
    yield from [*traces, *others]


def each(where, lines, findings, rules, told, verbose, begin=None):
    """[fault] of a line a finding."""
    explained = set()
    for one in in_order(findings, lines):
        more = MORE.fullmatch(one["message"]) if not one["length"] else None
        want = [head(one) + about(one | {"service": None} if more else one, one["flow"]) + one["message"]]
        if verbose and not more:
            want += context(one, rules, told, explained, where, begin)
        for text in want:
            got = lines.next()
            if got != text and not (len(one["related"]) == RELATED and got == text[:-1] + " ...)"):
                yield f"{where}: {got!r}, by JSON {text!r}"
                return


def left(where, lines, file):
    """[fault]: what no object is for."""
    line = re.compile(re.escape(file) + r":(\d+:)? (error|warning|note|perf): |    (time|bytes|because|see|effect|cause|do) ")
    unread = []
    while line.match(lines.peek()):
        unread.append(lines.next())
    if unread:
        yield f"{where}: {len(unread)} lines of findings that JSON has not, or not here: {unread[0]!r}"


def cause(message):
    """What two findings have in common that are one line."""
    if message.startswith(OPERATIONS) and ": " in message:
        message = message.partition(": ")[2]
    words, depth, number = [], 0, False
    for word in re.findall(r"[ ,;:()]|[^ ,;:()]+", message):
        if word in " ,;:()":
            depth = max(0, depth + (word == "(") - (word == ")"))
        elif not depth and not (number and word in UNITS):
            number = re.search("[0-9]", word) is not None
            words.append("#" if number else word[:-1] if len(word) > 1 and word.endswith("s") else word)
    return " ".join(words)


class Ends:
    """Which connection a flow is of."""

    def __init__(self, flows):
        self.ways, self.last = {}, {}
        for flow in flows:
            for way, one, other in (("a_to_b", "a", "b"), ("b_to_a", "b", "a")):
                key = flow[one]["address"], flow[other]["address"], flow[other]["qpn"]
                seen = flow[way]["packets"] or flow[way]["icrc_bad"]
                self.ways.setdefault(key, []).append((flow["connection"], f"{W.end(flow[one])} -> {W.end(flow[other])}"))
                self.last[key] = flow["connection"] if seen else None

    def of(self, text):
        """[(connection, both ends)] that a flow may be of; the last one is that of none, its QP in decimal, too."""
        if not FLOW.fullmatch(text):  # iWARP: from port to port
            return [(None, text)]
        src, dst, qpn = FLOW.fullmatch(text).groups()
        return [*self.ways.get((src, dst, int(qpn, 16)), []), (None, f"{text} ({int(qpn, 16)})")]


    def latest(self, text):
        """The connection that a flow is of at the end of the capture; None: of none, as its last one has no packet of it."""
        if not FLOW.fullmatch(text):
            return None
        src, dst, qpn = FLOW.fullmatch(text).groups()
        return self.last.get((src, dst, int(qpn, 16)))


class Group:
    """@flows: of each whether a finding on it names a connection. A datagram may have the ends of one, and is of none."""

    def __init__(self, bare):
        self.first, self.count, self.last, self.flows, self.bare = None, 0, 0, {}, bare

    def add(self, one):
        more = MORE.fullmatch(one["message"]) if not one["length"] else None
        frame = one["frame"] or 0
        if self.first is None or frame < (self.first["frame"] or 0):
            self.first = one | {"psn": None, "related": []} if self.bare else one
        self.count += int(more[1]) if more else 1
        self.last = max(self.last, int(more[2] or frame) if more else frame)
        if one["flow"] is not None:
            self.flows[one["flow"]] = self.flows.get(one["flow"], False) or one["connection"] is not None


def groups_of(findings, rules):
    """Worst first: by severity, then how many they are, then by frame."""
    groups, looked_at = {}, {}
    for one in findings:
        n = looked_at[one["rule"]] = looked_at.get(one["rule"], 0) + 1
        bare = n > LOOKED_AT or not one["length"] and MORE.fullmatch(one["message"]) is not None
        key = one["rule"], one["severity"], None if bare else cause(one["message"])
        groups.setdefault(key, Group(bare)).add(one)
    return sorted(groups.values(), key=lambda group: (
        SEVERITIES.index(group.first["severity"]), -group.count, group.first["frame"] or 0, rules.order.index(group.first["rule"]),
        "" if group.bare else group.first["message"]))


def of_how_many(group, ends, known):
    """" of 2 connections and 1 other flow". @known: only of what names a connection it is one."""
    ways = [ends.latest(text) if connected or not known else None for text, connected in group.flows.items()]
    connections, others = len(set(ways) - {None}), ways.count(None)
    said = [W.counted(connections, "connection")] if connections else []
    said += [W.counted(others, "other flow" if connections else "flow")] if others else []
    return f" of {' and '.join(said)}" if said else ""


def how_many(group, ends, rules):
    """What may be said before the first of several."""
    if group.count == 1:
        return [""]
    of_packets = rules.rows[group.first["rule"]]["scope"] != "FILE"
    upto = f" up to frame {group.last}" if group.last > (group.first["frame"] or 0) else ""
    first = ", first at " if group.first["time"] is not None else ", first: "
    return [(f"on {group.count} packets" if of_packets else f"{group.count} times") + of_how_many(group, ends, known) + upto + first
            for known in (False, True)]


def lines_of(group, ends, rules):
    """What the line of a group may be."""
    one = group.first
    time = f"{W.utc(W.nanoseconds(one['time']))}: " if one["time"] is not None else ""
    message = "more of them, counted without telling causes apart" if group.bare else one["message"]
    both = [about(one, text) for _, text in ends.of(one["flow"])] if one["flow"] is not None else [""]
    return [head(one) + many + time + text + message for many in how_many(group, ends, rules) for text in both]


def grouped(where, lines, findings, flows, rules, told, verbose, begin, most):
    """[fault] of a line per cause; what is below it with -v is of the first one."""
    ends, explained, groups = Ends(flows), set(), groups_of(findings, rules)
    for group in groups if verbose else groups[:most]:
        want, got = lines_of(group, ends, rules), lines.next()
        if {where, group.first["rule"]} & SAME_TEXT:
            want, got = ([FLOWS.sub("", text) for text in texts] for texts in (want, [got]))
            got, = got
        if got not in want:
            yield f"{where}: {got!r}, by JSON {want[0]!r}"
            return
        for text in context(group.first, rules, told, explained, where, begin) if verbose and not group.bare else ():
            got = lines.next()
            if got != text and not (len(group.first["related"]) == RELATED and got == text[:-1] + " ...)"):
                yield f"{where}: {got!r}, by JSON {text!r}"
                return


def causes(where, lines, findings, rules, verbose, heading, most_shown):
    """[fault] of the line about findings of further causes."""
    n = {}
    for group in [] if verbose else groups_of(findings, rules)[most_shown:]:
        n[group.first["rule"]] = n.get(group.first["rule"], 0) + group.count
    most = sorted(n, key=lambda rule: (-n[rule], rules.order.index(rule)))
    want = f"{heading}: more findings: {', '.join(f'{rule} {n[rule]}' for rule in most)} (-v shows their causes)"
    if n and lines.next() != want:
        yield f"{where}: no line {want!r}"


def count(findings):
    """({(rule, flow): findings}, {(rule, flow): those with a line of their own})"""
    counts, single = {}, {}
    for one in findings:
        key, more = (one["rule"], one["flow"]), not one["length"] and MORE.fullmatch(one["message"])
        counts[key] = counts.get(key, 0) + (int(more[1]) if more else 1)
        single[key] = single.get(key, 0) + (not more)
    return counts, single


def sums(where, findings, all_of_them, few):
    """[fault] of the lines "N more": with the few that are shown, all there are of a rule and flow."""
    (counts, single), (whole, _) = count(findings), count(all_of_them)
    for key in {**counts, **whole}:
        if counts.get(key) != whole.get(key) or single[key] > few and not {where, key[0]} & SAME_TEXT:
            yield f"{where}: {key[0]} of {key[1]}: {counts.get(key)} with {single.get(key)} lines of their own, of {whole.get(key)}"
