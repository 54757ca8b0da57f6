#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""marks.py PLUGIN MADE [FRAMES]: each event of analysis.def is one expert item: of a finding about it, or of its mark.

tshark -2 of the first FRAMES frames (0: all) of the captures of pcaps/faults and pcaps/streams, in both modes, with
the severity that is the default one, the lowest and the highest:

- a mark has its expert item, of its severity and group, where no finding about its event is shown, and else none;
- of each event one of its marks has one, but BAD_ICRC;
- -z expert counts the same, with a tree and without, and the protocol is ours.
"""
import collections
import pathlib
import re
import sys

import pdml
import ws

TEXT = (ws.ROOT / "dissector/wireshark/analysis.def").read_text()
MARK = re.compile(r'^IW_MARK\((\w+), (\w+), .*?, "([^"]+)", (?:NULL|"[^"]+")\)$', re.M)
EXPERT = re.compile(r"^IW_MARK_EXPERT\((\w+), (\w+), (\w+)\)$", re.M)
RULE = re.compile(r"^LINT_ON_EVENT(?:_\w+)?\((\w+), (\w+),", re.M)
GROUPS = {"SEQUENCE": "Sequence", "RESPONSE_CODE": "Response"}
WAYS = [("augment", "warning"), ("augment", "error"), ("augment", "perf"), ("takeover", "warning"), ("takeover", "error")]
# Expert items of these are there if only errors are shown as findings, or the captures show nothing.
LOOKED_FOR = {"retransmission", "duplicate", "out_of_order", "psn_gap", "nak", "rnr", "timeout", "capture_loss", "restart"}
SECTION = re.compile(r"^(Error|Warn|Note|Chat)s \((\d+)\)$")
FINDING = re.compile(r"[A-Z]{3}\d{3} ")
LINE = re.compile(r"^ +(\d+) +(\w+) +RDMA  (.*)$")


def marks_known():
    """{mark: (event, its expert item or None)}"""
    rows = {mark: (GROUPS[group], severity.capitalize()) for mark, group, severity in EXPERT.findall(TEXT)}
    out = {mark: (event, pdml.Expert(f"ibwire.expert.mark.{mark}", rows[mark][1], rows[mark][0], label) if mark in rows else None)
           for mark, event, label in MARK.findall(TEXT)}
    if len(out) != len(re.findall(r"^IW_MARK\(\w+, [A-Z]", TEXT, re.M)) or set(rows) - set(out):
        raise SystemExit("analysis.def is not understood")
    return out


def events_of_rules():
    """{rule: events it is about}"""
    out = collections.defaultdict(set)
    for path in (ws.ROOT / "dissector/lint/rules").glob("*.def"):
        for rule, event in RULE.findall(path.read_text()):
            out[rule].add(event)
    return out


MARKS, RULES = marks_known(), events_of_rules()
LABELS = {want.message for _, want in MARKS.values() if want}


def compare(protos, items, of_marks):
    """Faults of a packet; @items counts its expert items, @of_marks its marks and their items."""
    fields = [field for proto in protos for field in proto.iter("field")]
    said = {event for field in fields if field.get("name") == "ibwire.lint.rule" for event in RULES[field.get("show")]}
    told, events = collections.Counter(), collections.Counter()
    for field in fields:
        found = pdml.expert(field)
        if found and found.name.startswith("ibwire.expert."):
            items[found.severity, found.group, found.message] += 1
        mark = field.get("name").removeprefix("ibwire.analysis.")
        if mark not in MARKS or mark == field.get("name"):
            continue
        event, want = MARKS[mark]
        events[event, mark] += 1
        told[event] += bool(want)
        of_marks[mark, "all"] += 1
        of_marks[mark, "items"] += bool(found)
        if found != (None if event in said else want):
            yield f"{mark}: {found}, not {want}, findings are about {said}"
    for event, mark in events:
        if event != "BAD_ICRC" and told[event] < events[event, mark]:
            yield f"{mark}: no mark of {event} has an expert item"


def listed(text):
    """What -z expert counts of findings and marks."""
    out, severity = collections.Counter(), None
    for line in text.splitlines():
        section, row = SECTION.match(line), LINE.match(line)
        if section:
            severity = section[1]
        elif row and (FINDING.match(row[3]) or row[3] in LABELS):
            out[severity, row[2], row[3]] += int(row[1])
    return out


def check(tshark, capture, of_marks, *options):
    """Faults in one mode and with one severity."""
    items = collections.Counter()
    for number, protos in pdml.packets(tshark, capture, "-2", *options):
        for fault in compare(protos, items, of_marks):
            yield f"{options} frame {number}: {fault}"
    for how in (["-q"], ["-V"]):
        have = listed(tshark.read(capture, "-2", *options, *how, "-z", "expert"))
        for row in sorted(set(have) | set(items)):
            if have[row] != items[row]:
                yield f"{options} -z expert {how}: {row}: {have[row]}, not {items[row]}"


def main():
    tshark, faults, counts = ws.Tshark(sys.argv[1]), [], {}
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    paths = sorted((ws.ROOT / "pcaps/faults").glob("*.pcap")) + sorted(pathlib.Path(sys.argv[2]).glob("streams-*.pcap"))
    capture = tshark.write_all("marks.pcapng", ws.of_captures(paths, first or None))
    for way in WAYS:
        counts[way] = collections.Counter()
        faults += check(tshark, capture, counts[way], "-o", f"ibwire.mode:{way[0]}", "-o", f"ibwire.severity:{way[1]}")
        if way[1] == "error":
            faults += [f"{way}: no expert item {mark}" for mark in sorted(LOOKED_FOR) if not counts[way][mark, "items"]]
    count = counts["augment", "warning"]
    said = ", ".join(f"{mark} {n} ({count[mark, 'items']})" for (mark, kind), n in sorted(count.items()) if kind == "all")
    return ws.verdict(faults, f"marks (expert items): {said}")


if __name__ == "__main__":
    sys.exit(main())
