#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lint_rules.py PCAP-LINT DIR: each rule fires where it must, as bad as it is, and only there.

DIR holds the captures pcaps/make writes. Next to each lint-*.pcap is a lint-*.expect with lines
"FRAME RULE LAYER OFFSET LENGTH" (fires, about these bytes; "~RULE": one step less severe than the rule
is) and "FRAME !RULE LAYER" (does not, though the packet has that layer); frame 0 is the file as a
whole. The bytes are those the maker of the packet made wrong. How severe each rule is say data/rules.csv and stream-rules.csv.

There may be no other finding, but about what the packets of a connection do together (streams.py). Every
rule of dissector/lint/rules has a frame that fires it and one that does not; that of a rule about events may
be in a conversation (pcaps/streams, which streams.py compares).
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

import streams

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEVELS = ["error", "warning", "note", "perf"]
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never"]
# True of a file as a whole, and said at a frame of it: expected where a capture is about them. LRH013: the cases
# of a group are packets of one path, each on the VL it is about. MCG016: all answers of group MCG have one MLID.
# CAP021: each case of group RMP begins a transfer, in each framing: more than are remembered.
OF_FILES = {"CAP012", "CAP021", "LRH013", "MCG016", "ROC007"}
RULE = re.compile(r'^LINT_RULE\((\w+), "([^"]+)", (\w+), (\w+),', re.M)
LINE = re.compile(r"(\d+) (?:(~?)(\w+) (\w+) (\d+) (\d+)|!(\w+)(?: (\w+))?)")
WRITTEN, SOME_WRITTEN = ({row.split(",")[0]: tuple(row.split(",")[:4])
                          for row in (ROOT / "tests/data" / name).read_text().splitlines() if not row.startswith("#")}
                         for name in ("rules.csv", "stream-rules.csv"))
CATALOGUE = {**SOME_WRITTEN, **WRITTEN}
RULES_MIN = 313  # 297 as it was drawn up, BTH017, CAP016 to 021, CRC011, QPS038, ROC025 to ROC029, XTH017, XTH018

IP = {"ipv4", "ipv6", "grh"}
# Which record it is about depends on the query: --explain names the header before it.
OF_RECORDS = {"SAQ007": "sa"}
Finding = collections.namedtuple("Finding", "frame rule severity layer offset length")


def expectations(path):
    """([Finding that must be], [(frame, rule, layer) that must not]) of an .expect file."""
    fires, misses = [], []
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        frame, milder, rule, layer, offset, length, missed, reached = LINE.fullmatch(line).groups()
        if missed:
            misses.append((int(frame), missed, reached))
            continue
        level = LEVELS[LEVELS.index(CATALOGUE[rule][2]) + bool(milder)]
        fires.append(Finding(int(frame), rule, level, layer, int(offset), int(length)))
    return fires, misses


def run(lint, *args):
    """The JSON lines. A file that is cut ends with status 2."""
    done = subprocess.run([lint, "--format", "json", "--progress", "never", *args],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{args[-1]}: pcap-lint ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def findings(lint, capture):
    """{Finding: messages}"""
    lines, found = run(lint, *OPTIONS, capture), collections.defaultdict(list)
    if not any(line["type"] == "summary" for line in lines):
        raise SystemExit(f"{capture}: no summary")
    for line in lines:
        if line["type"] == "finding" and line["rule"] not in streams.of_connections():
            found[Finding(line["frame"] or 0, line["rule"], line["severity"], line["layer"],
                          line["offset"] or 0, line["length"] or 0)].append(line["message"])
    return found


def text(finding):
    bytes_at = f"{finding.length} at {finding.offset}" if finding.length else f"at {finding.offset}"
    return f"{finding.severity} about {finding.layer}, bytes {bytes_at}"


def compare(name, fires, found):
    """What must be found against what is, the latter with its messages."""
    wanted, left = collections.Counter(fires), {f: list(texts) for f, texts in found.items()}
    for finding, count in wanted.items():
        for _ in range(count):
            if left.get(finding):
                left[finding].pop()
                continue
            # The same rule at the same frame otherwise is that finding, wrong in some respect.
            other = next((f for f, texts in left.items()
                          if texts and f[:2] == finding[:2] and f not in wanted), None)
            is_now = f"is {text(other)}: {left[other].pop()}" if other else "does not fire"
            yield f"{name}:{finding.frame}: {finding.rule} {is_now}; must be {text(finding)}"
    for finding, texts in left.items():
        for message in texts if finding.rule not in OF_FILES else []:
            yield f"{name}:{finding.frame}: {finding.rule} fires too: {text(finding)}: {message}"


def near(lint, capture, misses, found):
    """Near misses: nothing was found though the packet was read that far."""
    fired = {finding[:2] for finding in found}
    for frame, rule, _ in misses:
        if (frame, rule) in fired:
            yield f"{capture.name}:{frame}: {rule} fires"
    if not any(reached for _, _, reached in misses):
        return
    layers = {line["frame"]: {layer["name"] for layer in line["layers"]}
              for line in run(lint, "--decode", capture) if line["type"] == "packet"}
    for frame, rule, reached in misses:
        if reached and reached not in layers[frame]:
            yield (f"{capture.name}:{frame}: {rule} does not fire, but then the packet was not read up to"
                   f" {reached}: {' '.join(sorted(layers[frame]))}")


def conversations(rules):
    """(rules that fire, rules that do not) in some conversation; one not written yet is streams.py's."""
    marks = {mark for path in streams.STREAMS.rglob("*.txt") for mark in streams.Scenario(path).marks()}
    later = streams.catalogue() - rules
    return {mark for mark in marks if mark[0] not in "!?"} - later, \
        {mark[1:] for mark in marks if mark[0] == "!"} - later


def states(rules):
    """What stream-rules.csv says became of its rules, against those there are; numbers that are nowhere."""
    lines = (ROOT / "tests/data/stream-rules.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines if not line.startswith("#")]
    for rule, *_, state, subject in rows:
        if state not in ("done", "later", "withdrawn") or (state == "done") == bool(subject):
            yield f"{rule}: is \"{state}\" with \"{subject}\" in stream-rules.csv"
        if (state == "done") != (rule in rules):
            yield f"{rule}: {state} in stream-rules.csv, but {'written' if rule in rules else 'not written'}"
    unwritten = set(next(line for line in lines if line.startswith("# packet: ")).split()[2:])
    known = CATALOGUE.keys() | unwritten
    if len(known) < RULES_MIN or len(rows) != len({row[0] for row in rows}) or unwritten & CATALOGUE.keys():
        yield f"{len(known)} rules of the catalogue, or one in two places"
    for last in {group: max(rule for rule in known if rule.startswith(group))
                 for group in {rule[:3] for rule in known}}.values():
        yield from (f"{last[:3]}{number:03}: is nowhere in the catalogue" for number in range(1, int(last[3:]))
                    if f"{last[:3]}{number:03}" not in known)


def catalogue():
    """The rules there are, and how they differ from what the catalogue says."""
    rules = {row[0]: (row[0], row[1], row[2].lower(), row[3].lower())
             for path in sorted((ROOT / "dissector/lint/rules").glob("*.def"))
             for row in RULE.findall(path.read_text())}
    faults = [f"{rule}: is {row}, the catalogue has {CATALOGUE.get(rule)}"
              for rule, row in rules.items() if row != CATALOGUE.get(rule)]
    return set(rules), faults + list(states(rules)) + [f"{rule}: in the catalogue, but there is no such rule"
                                                       for rule in WRITTEN if rule not in rules]


def explained(lint, rules, layers):
    """The layer --explain gives a rule is that of some finding a case expects of it."""
    for rule in sorted(rules):
        head = subprocess.run([lint, "--explain", rule], capture_output=True, text=True,
                              check=True).stdout.splitlines()[0]
        layer = re.search(r"layer (\w+)(?:, off unless selected)?\)$", head)[1]
        if rule.startswith("ULP") and layers[rule] == {"tcp"}:
            continue  # over iWARP a finding is about the segment; those of RoCE are in conversations
        if not layers[rule] & (IP if layer == "ip" else {layer}) and OF_RECORDS.get(rule) != layer:
            yield f"{rule}: --explain says layer {layer}, its cases expect {' '.join(layers[rule])}"


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    rules, faults = catalogue()
    checked, fired, missed, layers = 0, set(), set(), collections.defaultdict(set)
    for path in sorted(made.glob("lint-*.expect")):
        fires, misses = expectations(path)
        capture = next(p for p in made.glob(path.stem + ".pcap*"))
        found = findings(lint, capture)
        faults += compare(capture.name, fires, found)
        faults += near(lint, capture, misses, found)
        checked += len(fires) + len(misses)
        fired |= {finding.rule for finding in fires}
        for finding in fires:
            layers[finding.rule].add(finding.layer)
        missed |= {rule for _, rule, _ in misses}
    faults += explained(lint, rules & fired, layers)
    in_streams, not_in_streams = conversations(rules)
    fired, missed = fired | in_streams, missed | not_in_streams
    faults += [f"{rule}: no capture fires it" for rule in sorted(rules - fired)]
    faults += [f"{rule}: no capture comes near it without firing" for rule in sorted(rules - missed)]
    faults += [f"{rule}: a capture is about it, but there is no such rule"
               for rule in sorted((fired | missed) - rules)]
    print("\n".join(faults + [f"{len(rules)} rules, {checked} expectations, {len(faults)} faults"]))
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
