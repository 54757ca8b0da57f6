#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""marks.py PLUGIN MADE [FRAMES]: each mark is as tests/data/ws-marks.csv has it, and each event one expert item.

tshark -2 of the first FRAMES frames (0: all) of the captures of pcaps/faults and pcaps/streams, in both modes, with
the severity that is the default one, the lowest and the highest:

- a mark has its words and its expert item, of its severity and group, where no finding about its event is shown, and else none;
- the Info column says those marks that it is to say, and no others;
- of each event one of its marks has one, but BAD_ICRC, and DOUBLED, which says more of a duplicate;
- -z expert counts the same, with a tree and without, and the protocol is ours.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "lib"))
import pdml  # noqa: E402
import sample  # noqa: E402
import ws  # noqa: E402

MARK = re.compile(r"^IW_(?:MARK|NOTE)\((\w+), ([A-Z_]+),", re.M)
RULE = re.compile(r"^LINT_ON_EVENT(?:_\w+)?\((\w+), (\w+),", re.M)
WAYS = [("augment", "warning"), ("augment", "error"), ("augment", "perf"), ("takeover", "warning"), ("takeover", "error")]
# Expert items of these are there if only errors are shown as findings, or the captures show nothing.
LOOKED_FOR = {"retransmission", "duplicate", "out_of_order", "psn_gap", "nak", "rnr", "timeout", "capture_loss", "restart"}
SECTION = re.compile(r"^(Error|Warn|Note|Chat)s \((\d+)\)$")
FINDING = re.compile(r"[A-Z]{3}\d{3} ")
LINE = re.compile(r"^ +(\d+) +(\w+) +RDMA  (.*)$")


def marks_known():
    """{mark: (event, its expert item or None)}; there are those of analysis.def."""
    out = {row.mark: (row.event, pdml.Expert(f"ibwire.expert.mark.{row.mark}", row.severity, row.group, row.words)
                      if row.severity else None) for row in ws.MARKS}
    there = MARK.findall((ws.ROOT / "dissector/wireshark/marks/analysis.def").read_text())
    if sorted(there) != sorted((row.mark, row.event) for row in ws.MARKS):
        raise SystemExit(f"analysis.def has other marks than ws-marks.csv: "
                         f"{set(there) ^ {(row.mark, row.event) for row in ws.MARKS}}")
    return out


def events_of_rules():
    """{rule: events it is about}"""
    out = collections.defaultdict(set)
    for path in (ws.ROOT / "dissector/lint/rules").glob("*.def"):
        for rule, event in RULE.findall(path.read_text()):
            out[rule].add(event)
    return out


MARKS, RULES = marks_known(), events_of_rules()
WORDS = {row.mark: row.words for row in ws.MARKS}
INFOS = {row.mark: row.info for row in ws.MARKS if row.info}
FIRST = re.compile(rf"(?:{ws.MARK})*")
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
        if not re.fullmatch(re.escape(WORDS[mark]) + r"(?:: True)?", field.get("showname", field.get("show"))):
            yield f"{mark}: {field.get('showname', field.get('show'))}, not {WORDS[mark]}"
        events[event, mark] += 1
        told[event] += bool(want)
        of_marks[mark, "all"] += 1
        of_marks[mark, "items"] += bool(found)
        if found != (None if event in said else want):
            yield f"{mark}: {found}, not {want}, findings are about {said}"
    for event, mark in events:
        if event not in ("BAD_ICRC", "DOUBLED") and told[event] < events[event, mark]:
            yield f"{mark}: no mark of {event} has an expert item"


def in_info(tshark, capture, marks, *options):
    """Faults of the Info column: @marks are those of each frame."""
    for frame, info in tshark.infos(capture, "-2", *options).items():
        first = FIRST.match(info)[0]
        have = sorted(known for words in re.findall(r"\[([^]]+)\]", first) for known in {*INFOS.values()}
                      if re.fullmatch(known, re.sub(r" of \d+$", "", words)))
        want = sorted(INFOS[mark] for mark in marks[frame] if mark in INFOS)
        if have != want:
            yield f"{options} frame {frame}: Info begins {first}, which is {have}, not {want}"


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
    items, marks = collections.Counter(), collections.defaultdict(list)
    for number, protos in pdml.packets(tshark, capture, "-2", *options):
        marks[number] = [name for proto in protos for field in proto.iter("field")
                         if (name := field.get("name").removeprefix("ibwire.analysis.")) in MARKS]
        for fault in compare(protos, items, of_marks):
            yield f"{options} frame {number}: {fault}"
    if {"ibwire.mode:augment", "ibwire.severity:warning"} <= {*options}:
        yield from in_info(tshark, capture, marks, *options)
    for how in (["-q"], ["-V"]):
        have = listed(tshark.read(capture, "-2", *options, *how, "-z", "expert"))
        for row in sorted(set(have) | set(items)):
            if have[row] != items[row]:
                yield f"{options} -z expert {how}: {row}: {have[row]}, not {items[row]}"


def main():
    tshark, faults, counts = ws.Tshark(sys.argv[1]), [], {}
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    paths = sorted((ws.ROOT / "pcaps/faults").glob("*.pcap")) + sorted(pathlib.Path(sys.argv[2]).glob("streams-*.pcap"))
    if not any(path.name.startswith("streams-") for path in paths):
        return ws.verdict([f"no captures in {sys.argv[2]}"], "")
    paths = sample.rows(paths, lambda path: path.name)
    capture = tshark.write_all("marks.pcapng", ws.of_captures(paths, first or None))
    for way in WAYS:
        counts[way] = collections.Counter()
        faults += check(tshark, capture, counts[way], "-o", f"ibwire.mode:{way[0]}", "-o", f"ibwire.severity:{way[1]}")
        if way[1] == "error" and sample.whole():
            faults += [f"{way}: no expert item {mark}" for mark in sorted(LOOKED_FOR) if not counts[way][mark, "items"]]
    count = counts["augment", "warning"]
    said = ", ".join(f"{mark} {n} ({count[mark, 'items']})" for (mark, kind), n in sorted(count.items()) if kind == "all")
    return ws.verdict(faults, f"marks (expert items): {said}")


if __name__ == "__main__":
    sys.exit(main())
