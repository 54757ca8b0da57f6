# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents as text: the costliest each in a line, the others of a rule in one; compared with the objects incident of JSON.

Findings that are part of an incident have no line. Which are is worked out here a second time: of a rule that tells traces of
incidents, on its connection, from the first packet of what was in the way, or the one that opens it, to the last that belongs to it.
"""
import itertools
import re

import text_words as W

OF_CONNECTION, OF_CAPTURE, AT_LENGTH = 3, 8, 300  # lines, with -v the last
TRACES = {"QPS002", "QPS003", "QPS006", "QPS008", "QPS010", "QPS011", "QPS012", "QPS014", "QPS015", "QPS016", "QPS017", "QPS018",
          "QPS021", "QPS033", "QPS034", "QPS035", "QPS037"}
OF_MADS = {"MAD009", "MAD014", "RMP006", "RMP013", "CNG003", "CNG004", "IWP029"}  # which they are of, JSON says: mad_, rmpp_, congestion_, segment_incidents_oracle.py
# Of conversations of the CM; what waited in vain, where they are found.
OF_CM = {"CMS003": "REQ", "CMS004": None, "CMS009": "REP", "CMS011": "DREQ"}
ANSWERS = {"REQ": {"REP", "REJ"}, "REP": {"RTU", "REJ", "DREQ"}, "LAP": {"APR", "REJ"}, "DREQ": {"DREP", "DREQ"}, "SIDR_REQ": {"SIDR_REP"}}
LIKE = 10**9  # ns
NAMED_LIKE = 4  # frames of those that a line stands for
SEVERITIES = ("error", "warning", "note", "perf")
RELATED = 8  # frames of a finding that are looked at
WAYS = {"a_to_b": ("a", "b"), "b_to_a": ("b", "a")}
KINDS = ("refused", "retries", "rnr", "lost-before", "resend-lost-before", "discarded", "lost-after", "damaged", "trimmed", "lost",
         "response-missing", "answer-lost", "spurious", "no-answer", "doubled", "late", "uc-gap", "cm", "mad", "rmpp", "congestion", "segment-lost")
OF_FLOWS = ("mad", "rmpp", "segment-lost")
MANAGED = ("cm", "congestion", *OF_FLOWS)  # of managers: of hosts, not of directions of connections
# What was done to the request, and several in a row. What else it may be, where the capture may lack packets: of which side.
ONE = {"refused": "was refused", "retries": "was never answered", "rnr": "found no receive posted",
       "lost-before": "was lost before the capture point", "resend-lost-before": "had its retransmission lost before the capture point",
       "discarded": "was lost, or discarded because an earlier one was missing", "lost-after": "was lost after the capture point",
       "damaged": "was lost to damage (bad ICRC)", "trimmed": "was trimmed before the capture point, or lost after it",
       "lost": "was lost or delayed at an unknown point", "response-missing": "is missing responses",
       "answer-lost": "had its answer lost after the capture point, discarded, or too late",
       "spurious": "was retransmitted needlessly: every copy was answered", "no-answer": "was not answered in time",
       "doubled": "was duplicated", "late": "was out of order", "uc-gap": "is missing"}
# What may make an incident another one.
LIMITS = {"one-way", "capture-dropped", "capture-loss", "sampled", "filtered", "clock", "holes", "much-capture-loss"}
UNASKED = {"answer-lost": "was retransmitted although answered", "no-answer": "was retransmitted, reason not known"}
ELSE = {"lost-before": ("REQUEST", " (or not captured)"), "resend-lost-before": ("REQUEST", " (or not captured)"),
        "uc-gap": ("REQUEST", " (or not captured)"), "lost-after": ("REQUEST", " (or discarded there)"),
        "response-missing": ("RESPONSE", " (or not captured)"),
        "no-answer": ("RESPONSE", " (or the answers were not captured)")}


def several(kind, n):
    """What a number of them are called."""
    row = next(args for name, args in W.macros("dissector/track/incident/incident.def") if name == "TRACK_INCIDENT" and args[1] == kind)
    return row[2 if n == 1 else 3]


def is_unasked(one):
    return one["rule"] == "QPS003" and one["kind"] in UNASKED


def is_told(one, severity):
    """Of those with a level of a rule: what nothing proves is a note."""
    return one["severity"] in ("error", "warning") and SEVERITIES.index(one["severity"]) <= SEVERITIES.index(severity)


def worst_first(one):
    return SEVERITIES.index(one["severity"]), -one["ns"]["lost"], one["frame"], one["incident"]


def moment(one):
    """Its time in ns; without times all are of one moment."""
    return int(one["time"].replace(".", "")) if one["time"] else 0


def lacks(doubts, what):
    """Whether the capture may lack such packets of what requests show."""
    rows = [args for name, args in W.macros("dissector/track/base/doubt.def") if name == "TRACK_DOUBT" and args[1] in doubts]
    may = {word for args in rows for word in args[3].split(" | ")}
    return what in may


class Incidents:
    """Those of one capture that are told."""

    def __init__(self, objects, severity):
        self.findings = objects.get("finding", [])
        self.flows = {flow["connection"]: flow for flow in objects.get("flow", [])}
        self.services = {one["connection"]: one["service"] for one in reversed(objects.get("cm", []))}
        self.conversations = {frame: one for one in objects.get("cm", []) for frame, *_ in one["messages"]}
        self.all = objects.get("incident", [])
        self.told = sorted((one for one in self.all if is_told(one, severity)), key=worst_first)

    def conversation(self, one):
        return self.conversations[one["frames"]["root"]]

    def is_cm(self, finding):
        """Whether it is about a conversation that is told."""
        of = self.conversations.get(finding["frame"])
        return of is not None and any(one["kind"] == "cm" and self.conversation(one) is of for one in self.told)

    def span(self, one):
        frames = one["frames"]
        return min(frames["root"] or one["frame"], one["frame"]), frames["last"] if one["ended"] else float("inf")

    def has(self, connection, frame):
        mine = (one for one in self.told if one["connection"] == connection and one["kind"] not in MANAGED)
        return any(low <= frame <= high for low, high in map(self.span, mine))

    def folds(self, finding, connection):
        """Whether it is part of one."""
        if finding["rule"] in OF_CM:
            return self.is_cm(finding)
        if finding["rule"] in OF_MADS:
            return any(one["incident"] == finding["incident"] for one in self.told)
        return finding["rule"] in TRACES and connection is not None and finding["frame"] is not None and any(
            self.has(connection, frame) for frame in [finding["frame"], *finding["related"][:RELATED]])

    def alike(self, one):
        """Those of the same kind between the same hosts within a second: of each other connection the nearest, those before it first."""
        def cause(other):
            ends = WAYS[other["direction"]]
            return other["kind"], other["severity"] == "note", *(self.flows[other["connection"]][end]["address"] for end in ends)

        chain = sorted((other for other in self.all if other["kind"] not in MANAGED and cause(other) == cause(one)),
                       key=lambda other: (other["frame"], other["incident"]))
        at, of = chain.index(one), {one["connection"]}
        for part in (chain[:at][::-1], chain[at + 1:]):
            for other in itertools.takewhile(lambda other: abs(moment(other) - moment(one)) <= LIKE, part):
                if other["connection"] not in of:
                    of.add(other["connection"])
                    yield other

    def refusals(self, one):
        """What the finding says that shows it, if JSON has it: a pattern."""
        found = [finding["message"] for finding in self.findings if finding["rule"] == "QPS012" and
                 finding["frame"] == one["frames"]["end"] and finding["connection"] == one["connection"]]
        return re.escape(found[0]) if found else ".+"

    def connections(self):
        """{connection: kinds of those that are told of it}"""
        found = {}
        for one in (one for one in self.told if one["kind"] not in MANAGED):
            found.setdefault(one["connection"], set()).add(one["kind"])
        return found


def side(known, one):
    src, dst = (known.flows[one["connection"]][end] for end in WAYS[one["direction"]])
    service = known.services.get(one["connection"])
    return f"{W.short_end(src)} -> {W.short_end(dst)}{f' [{service}]' if service else ''}: "


def ends(one):
    """The address and the port of each end."""
    return [end.rpartition(":")[::2] for end in one["flow"].split(" -> ")]


def hosts(known, one):
    if one["kind"] == "congestion":
        return tuple(known.flows[one["connection"]][end]["address"] for end in WAYS[one["direction"]])
    if one["kind"] == "segment-lost":
        return tuple(address.strip("[]") for address, _ in ends(one))
    if one["kind"] in OF_FLOWS:
        return tuple(one["flow"].partition(" qp ")[0].split(" -> "))
    of = known.conversation(one)
    return of["a"]["address"], of["b"]["address"]


def named_hosts(known, one):
    """With the names of their nodes, of MADs."""
    names = (f" ({one[key]})" if key in one else "" for key in ("source_node", "destination_node"))
    return " -> ".join(host + name for host, name in zip(hosts(known, one), names))


def managed_side(known, one):
    if one["kind"] == "congestion":
        return side(known, one)
    if one["kind"] == "segment-lost":
        return " -> ".join(f"{address.strip('[]')} port {port}" for address, port in ends(one)) + ": "
    if one["kind"] in OF_FLOWS:
        return f"{named_hosts(known, one)}: "
    of = known.conversation(one)
    called = [f"{end['address']} qp {'?' if end['qpn'] is None else end['qpn']}" for end in (of["a"], of["b"])]
    service = f" [{of['service']}]" if of["service"] else ""
    return f"{' -> '.join(called)}{service}: "


def asked_of(of):
    """[[name, direction, copies, answer]] of messages that wait for an answer; copies and answer are (frame, ns, name)."""
    found = []
    for frame, ns, name, way in of["messages"]:
        for one in found:
            if way != one[1] and name in ANSWERS[one[0]] and (one[3] is None or one[3][0] < one[2][-1][0]):
                one[3] = frame, ns, name
        mine = next((one for one in found if one[:2] == [name, way]), None)
        if name in ANSWERS and mine is None:
            mine = [name, way, [], None]
            found.append(mine)
        if name in ANSWERS:
            mine[2].append((frame, ns, name))
    return found


def asked_text(name, copies, answer):
    first = copies[0]
    said = f"{name} of frame {first[0]}"
    if len(copies) > 1:
        later = f"{W.time(copies[1][1] - first[1])} later " if copies[1][1] > first[1] else ""
        said += f" was seen {W.counted(len(copies), 'time')}, again {later}in frame {copies[1][0]}"
    if answer is None:
        return f"{said}; no answer to it was captured"
    after = f" {W.time(answer[1] - first[1])} after the {'first ' if len(copies) > 1 else ''}{name}" if answer[1] > first[1] else ""
    return f"{said}; {answer[2]}{after} in frame {answer[0]}"


def conversation(known, one):
    """A pattern of its line, after the ends: what waited in vain may be known by findings of a level that JSON has not."""
    vain, said = {OF_CM.get(rule) for rule in one["rules"]}, ""
    for name, _, copies, answer in asked_of(known.conversation(one)):
        part = f"{re.escape(asked_text(name, copies, answer))}(?:; |$)"
        if len(copies) > 1 or name in vain:
            said += part
        elif name in OF_CM.values():
            said += f"(?:{part})?"
    return said


def mads(one):
    """A pattern of its line, after the hosts: what the requests are about, and how many there are, JSON has in its sentence only."""
    frames = one["frames"]
    said = rf"{re.escape(one['operation'])}( .+)? of frame {frames['root']}"
    if frames["notice"]:
        later = f"{re.escape(W.time(one['ns']['noticed']))} later " if one["ns"]["noticed"] else ""
        said += f" was seen {W.counted(one['copies'], 'time')}, again {later}in frame {frames['notice']}"
    if one["ended"]:
        said += rf"; (answered|stopped) (\S+ \S+ (after the first copy (and \S+ \S+ after the last one )?|later ))?in frame {frames['end']}"
    else:
        said += r"; no answer to it (was captured|by frame \d+)"
    more = r"(was|were) (answered late|stopped|seen more than once)"
    return said + rf"(; (no answer to \d+ more requests? either|\d+ more requests? {more}), up to frame {frames['last']})?"


def as_told(one):
    """A pattern of its line, after the hosts: rmpp_incidents_oracle.py and segment_incidents_oracle.py work it out."""
    return re.escape(one["text"])


def head(one, frame):
    return f"{one['file']}:{frame}: {one['severity']}: {one['rule']} {{}}: "


def what(known, one):
    kind = one["kind"]
    if is_unasked(one):
        if kind == "no-answer" and one["frames"]["resent"] is None:
            return "had no answer yet when later ones were retransmitted, reason not known"
        return UNASKED[kind]
    absent, words = ELSE.get(kind, (None, ""))
    if kind == "late" and one["response"]:
        return "got a response out of order"
    return ONE[kind] + (words if absent and lacks(known.flows[one["connection"]]["doubt"], absent) else "")


def naks(one):
    n, nak = one["rnr"] + one["naks"], one["frames"]["nak"]
    said = [W.counted(one[key], what) for key, what in (("rnr", "RNR NAK"), ("naks", "NAK")) if one[key]]
    if not n:
        return ""
    if n > 1:
        return f"; {' and '.join(said)} from frame {nak} on"
    return f"; {'1 RNR NAK' if one['rnr'] else 'NAK'} in frame {nak}"


def resent(one):
    frames, said = one["frames"], ""
    again = ((frames["root"] or 0) < (frames["nak"] or 0) or frames["root"] == frames["resent"] or one["ns"]["noticed"]
             or one["kind"] == "late")  # else it came first after the NAK
    if frames["nak"] and frames["nak"] == frames["notice"] and (frames["resent"] or 0) > frames["nak"] and again:
        said = f", retransmitted {W.time(one['ns']['resent'])} later (frame {frames['resent']})"
    elif frames["resent"]:
        by_timer = " by timer" if one["timers"] and " by timer" in one["text"] else ""  # claims.py asks whether it was
        said = f"; retransmitted{by_timer} in frame {frames['resent']}"
    return said + (f"; {W.counted(one['packets_resent'], 'packet')} retransmitted" if one["packets_resent"] > 1 else "")


def end(one):
    if one["ended"] and one["frames"]["end"] > one["frame"]:
        said = f"; answered in frame {one['frames']['end']}"
    else:
        said = "; never answered" if not one["ended"] and one["kind"] != "retries" else ""
    return said + (f": {W.time(one['ns']['lost'])} without progress" if one["ns"]["lost"] else "")


UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
REFUSED = r" in frame {}: {}"
RETRIES = r"; sent {}(, and the REQ allows \d+ (retry|retries))?(, no answer after the DREQ.*?|, nothing at all from .*?|, \S+ answers on other.*?)?"


def pattern(known, one):
    """A regular expression of its line, after the name of its rule: exact, but for what JSON has not."""
    of = {"cm": lambda one: conversation(known, one), "mad": mads, "rmpp": as_told, "congestion": as_told, "segment-lost": as_told}
    if one["kind"] in MANAGED:
        return re.escape(managed_side(known, one)) + of[one["kind"]](one)
    frame = one["frames"]["lost"] or one["frames"]["root"]
    said = side(known, one) + (one["operation"] + " " if one["operation"] else "") + f"psn 0x{one['root_psn']:06x}"
    said += f" (frame {frame})" if frame and frame < one["frame"] else ""
    said = re.escape(f"{said} {what(known, one)}")
    if one["kind"] == "refused":
        return said + REFUSED.format(one["frames"]["end"], known.refusals(one))
    if one["kind"] == "retries" and not one["rnr"]:
        said += RETRIES.format(W.counted(one["copies"], "time"))
    return said + re.escape(naks(one) + resent(one) + end(one))


def side_key(known, one):
    if one["kind"] == "segment-lost":
        return one["flow"]
    if one["kind"] == "congestion":
        return one["connection"], one["direction"]
    return hosts(known, one) if one["kind"] in MANAGED else (one["connection"], one["direction"])


def together(times):
    """A time as long as the longest of these at least, as all of them at most: what goes on at once counts once (verdict_claims.py)."""
    if len(times) == 1:
        return re.escape(W.time(times[0]))
    return rf"(?P<from_{max(times)}_to_{sum(times)}>[\d.]+ (?:ns|us|ms|s))"


def is_between(name, said):
    """Whether a time that is said is one of those that together() allows."""
    least, most = (int(word) for word in name.split("_")[1::2])
    value, unit = said.split()
    half = UNITS[unit] * 10 ** -len(value.partition(".")[2]) / 2
    return least - half <= float(value) * UNITS[unit] <= most + half


def rest(known, group):
    """The line about all of a rule that have none of their own."""
    first = min(group, key=lambda one: one["frame"])
    is_managed = first["kind"] in MANAGED
    sides = {side_key(known, one) for one in group}
    n, last = len(group), max(one["frame"] for one in group)
    if is_managed and len(sides) == 1:
        said = f"{named_hosts(known, first)}: " if n > 1 and first["kind"] != "congestion" else managed_side(known, first)
    else:
        said = side(known, first) if len(sides) == 1 else ""
    kinds = [one["kind"] for one in group if not is_unasked(one)]
    parts = [(kinds.count(kind), several(kind, kinds.count(kind))) for kind in KINDS if kind in kinds]
    unasked = n - len(kinds)
    parts += [(unasked, "request retransmitted" if unasked == 1 else "requests retransmitted")] if unasked else []
    said += ", ".join(f"{count} {'' if at else 'more '}{words}" for at, (count, words) in enumerate(parts))
    said += f" in {W.counted(len(sides), 'direction')}" if len(sides) > 1 else ""
    said += f", up to frame {last}" if n > 1 else ""
    packets = 0 if is_managed else sum(one["packets_resent"] for one in group)
    said += f"; {W.counted(packets, 'packet')} retransmitted" if packets else ""
    times = [one["ns"]["lost"] for one in group]
    if max(times) and is_managed:
        said += f": the longest took {W.time(max(times))}"
    elif max(times):
        said += ": "
        took = re.escape(f"the longest took {W.time(max(times))}") if len(sides) > 1 else together(times)
        return head(first, first["frame"]), re.escape(said) + took + " without progress"
    return head(first, first["frame"]), re.escape(said)


def between(known, one):
    """Connections between its hosts."""
    def pair(flow):
        return {flow[end]["address"] for end in ("a", "b")}

    return sum(pair(flow) == pair(known.flows[one["connection"]]) for flow in known.flows.values())


def likewise(known, one, others):
    """The end of its line, if that stands for others, too."""
    frames = [str(frame) for frame in sorted(other["frame"] for other in others)]
    named = ", ".join(frames[:NAMED_LIKE]) + (", ..." if len(frames) > NAMED_LIKE else "")
    return re.escape(f"; likewise on {len(frames)} more of {W.counted(between(known, one), 'connection')} between these hosts "
                     f"(frame{'s' if len(frames) > 1 else ''} {named})") if frames else ""


def lines(known, verbose):
    """[(head, pattern of what follows)] of all lines."""
    shown, out, groups, told = {}, [], {}, set()
    numbered = {one["incident"]: one for one in known.told}
    for one in known.told:
        if one["incident"] in told:
            continue
        told.add(one["incident"])
        key = side_key(known, one)
        lines_of = shown.get(key, 0)
        if len(out) < AT_LENGTH if verbose else len(out) < OF_CAPTURE and lines_of < OF_CONNECTION:
            shown[key] = lines_of + 1
            others = [] if verbose or one["kind"] in MANAGED else [
                other for other in known.alike(one) if other["incident"] in numbered and other["incident"] not in told]
            told |= {other["incident"] for other in others}
            out.append((head(one, one["frame"]), pattern(known, one) + likewise(known, one, others)))
        else:
            groups.setdefault(one["rule"], []).append(one)  # the costliest first
    return out + [rest(known, group) for group in groups.values()]


def captured(where, read, known, heading):
    """[fault] of the line about what the capture lacks of connections with incidents; there is none where that may change nothing."""
    doubts = {doubt for one in known.told for doubt in one["doubt"]} & LIMITS
    rows = [args for name, args in W.macros("dissector/track/base/doubt.def") if name == "TRACK_DOUBT" and args[1] in doubts]
    if rows and read.next() != f"{heading}: captured: {'; '.join(args[6] for args in rows)}":
        yield f"{where}: no line that it was captured with {sorted(doubts)}"


def told(where, read, known, rules, verbose):
    """[fault] of the lines of incidents."""
    for begin, after in lines(known, verbose):
        got = read.next()
        rule = re.search(r" ([A-Z]{3}\d{3}) \{\}", begin)[1]
        begin = begin.replace("{}", rules.rows[rule]["name"])
        said = re.fullmatch(after, got[len(begin):]) if got.startswith(begin) else None
        if not said or not all(is_between(*one) for one in said.groupdict().items()):
            yield f"{where}: {got!r}, by JSON {begin + after!r}"
            return
