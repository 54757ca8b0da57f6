#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""reports.py PCAP-LINT: what is said of the captures of pcaps/reports, each built after a public bug report.

tests/data/reports.txt says what a good engineer wants to read of them, written from the reports and from what is in
the packets, never from output: findings that have to be there, at their frame and level, with words that their message
has to have; rules and words that must not be there. Findings are those of a run without options.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "pcaps/reports"
TABLE = ROOT / "tests/data/reports.txt"
THERE = re.compile(r"(\S+) (\d+|-) (error|warning|note|perf) ([A-Z]{3}\d{3}): (.+)")
NOT_THERE = re.compile(r"(\S+) ! (?:([A-Z]{3}\d{3})|\"(.+)\")")
WORST = re.compile(r"(\S+) worst(!?): (.+)")
COUNTS = re.compile(r"(\S+) = (\d+) errors?, (\d+) warnings?, (\d+) connections?")


def found_in(lint, path):
    """(findings, summary) of a run that shows all of them, at the level that is the default."""
    run = subprocess.run([lint, "--format", "json", "--max-per-rule", "0", "--fail-on", "never", "--progress", "never",
                          path], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return [line for line in lines if line["type"] == "finding"], \
        next(line for line in lines if line["type"] == "summary")


def worst_of(lint, path):
    """The lines about the worst connections of a run without options."""
    run = subprocess.run([lint, "--fail-on", "never", "--progress", "never", path], capture_output=True, text=True,
                         check=True)
    return "\n".join(line for line in run.stdout.splitlines() if ": worst: " in line)


def fault(line, findings, summary, worst):
    """What is wrong of a line of the table, or None."""
    if said := WORST.fullmatch(line):
        _, absent, words = said.groups()
        wrong = [word for word in words.split(" ... ") if (word in worst) == bool(absent)]
        return f"{line}\n\tsaid: {worst}" if wrong else None
    if there := THERE.fullmatch(line):
        _, frame, level, rule, words = there.groups()
        at = [f for f in findings if f["rule"] == rule and f["frame"] == (None if frame == "-" else int(frame))]
        missing = [word for word in words.split(" ... ") if not any(word in f["message"] for f in at)]
        if not at or missing or not any(f["severity"] == level for f in at):
            return f"{line}\n\tsaid there: {[(f['severity'], f['message']) for f in at]}"
        return None
    if absent := NOT_THERE.fullmatch(line):
        _, rule, words = absent.groups()
        said = [f for f in findings if f["rule"] == rule or words and words in f["message"]]
        return f"{line}\n\tsaid: {said[0]['frame']}: {said[0]['rule']}: {said[0]['message']}" if said else None
    if counts := COUNTS.fullmatch(line):
        found = summary["findings"]
        have = tuple(map(str, (found["error"], found["warning"], summary["connections"])))
        return None if have == counts.groups()[1:] else f"{line}\n\tsaid: {have}"
    return f"{line}: not understood"


def main():
    lines = collections.defaultdict(list)
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            lines[line.split()[0]].append(line)
    captures = {path.name: path for path in sorted(CAPTURES.glob("*.pcap*"))}
    faults = [f"{name}: no such capture" for name in lines.keys() - captures.keys()]
    count = 0
    for name in captures.keys() & lines.keys():
        findings, summary = found_in(sys.argv[1], captures[name])
        count += len(lines[name])
        worst = worst_of(sys.argv[1], captures[name])
        faults += filter(None, (fault(line, findings, summary, worst) for line in lines[name]))
    print(*faults, f"{count} lines about {len(captures)} captures, {len(faults)} faults", sep="\n")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
