#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""reports.py PCAP-LINT: what is said of captures of which it is known what happened.

tests/data/reports.txt is about the captures of pcaps/reports, each built after a public bug report: what a good
engineer wants to read of them; tests/data/reports-ib.txt likewise about those of pcaps/reports-ib. tests/data/verdicts.txt is about those of pcaps/faults, pcaps/rxe, pcaps/siw and pcaps/ulp: what was
done to them. Both are written from the reports, from what was done, and from what is in the packets, never from output:
findings that have to be there, at their frame and level, with words that their message has to have; rules and words that
must not be there. Findings are those of a run without options,
notes and advice those of one with --severity perf.

A line that does not hold yet begins with "later" and says why; once it holds, it has to lose that word. Of each table it is said
of how many captures all lines hold.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import parallel  # noqa: E402

TABLES = {"tests/data/reports.txt": ("pcaps/reports",), "tests/data/reports-ib.txt": ("pcaps/reports-ib",),
          "tests/data/verdicts.txt": ("pcaps/faults", "pcaps/rxe", "pcaps/siw", "pcaps/ulp")}
THERE = re.compile(r"(\S+) (\d+|-|\*) (error|warning|note|perf) ([A-Z]{3}\d{3}): (.+)")
NOT_THERE = re.compile(r"(\S+) ! (?:((?:[A-Z]{3}\d{3} ?)+)|\"(.+)\")")
NOT_TOLD = re.compile(r"(\S+) story ! \"(.+)\"")
ALL = ("tests/data/reports-ib.txt",)  # each capture has a line
QUIET = re.compile(r" (note|perf) [A-Z]{3}\d{3}: ")  # shown with --severity perf
LATER = re.compile(r"later \(([^()]+)\): (.+)")
WORST = re.compile(r"(\S+) worst(!?): (.+)")
COUNTS = re.compile(r"(\S+) =(?: (\d+) errors?,?)?(?: (\d+) warnings?,?)?(?: (\d+) connections?)?")


def run(lint, path, *options):
    done = subprocess.run([lint, "--format", "json", "--fail-on", "never", "--progress", "never", *options, path],
                          capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def found_in(lint, path, *options):
    """(findings, summary) of a run that shows all of them, at the level that is the default."""
    lines = run(lint, path, "--max-per-rule", "0", *options)
    return [line for line in lines if line["type"] == "finding"], \
        next(line for line in lines if line["type"] == "summary")


def worst_of(lint, path):
    """The lines about the worst connections, also of those with incidents."""
    done = subprocess.run([lint, "--max-per-rule", "0", "--fail-on", "never", "--progress", "never", path],
                          capture_output=True, text=True, check=True)
    return "\n".join(line for line in done.stdout.splitlines() if ": worst: " in line)


def is_at(finding, frame):
    return frame == "*" or finding["frame"] == (None if frame == "-" else int(frame))


def fault(line, findings, summary, story, worst):
    """What is wrong of a line of the table, or None."""
    if said := WORST.fullmatch(line):
        _, absent, words = said.groups()
        wrong = [word for word in words.split(" ... ") if (word in worst()) == bool(absent)]
        return f"{line}\n\tsaid: {worst()}" if wrong else None
    if there := THERE.fullmatch(line):
        _, frame, level, rule, words = there.groups()
        at = [f for f in findings if f["rule"] == rule and is_at(f, frame)]
        missing = [word for word in words.split(" ... ") if not any(word in f["message"] for f in at)]
        if not at or missing or not any(f["severity"] == level for f in at):
            return f"{line}\n\tsaid there: {[(f['severity'], f['message']) for f in at][:3]}"
        return None
    if absent := NOT_THERE.fullmatch(line):
        _, rules, words = absent.groups()
        said = [f for f in findings if rules and f["rule"] in rules.split() or words and words in f["message"]]
        return f"{line}\n\tsaid: {said[0]['frame']}: {said[0]['rule']}: {said[0]['message']}" if said else None
    if untold := NOT_TOLD.fullmatch(line):
        said = [text for text in story() if untold[2] in text]
        return f"{line}\n\ttold: {said[0]}" if said else None
    counts = COUNTS.fullmatch(line)
    if counts and any(counts.groups()[1:]):
        found = summary["findings"]
        have = tuple(map(str, (found["error"], found["warning"], summary["connections"])))
        wrong = any(want not in (None, got) for want, got in zip(counts.groups()[1:], have))
        return f"{line}\n\tsaid: {have}" if wrong else None
    return f"{line}: not understood"


def held(line, findings, summary, story, worst):
    """What is wrong of a line, or None; of one that does not hold yet, that it does."""
    later = LATER.fullmatch(line)
    wrong = fault(later[2] if later else line, findings, summary, story, worst)
    if not later or wrong and wrong.endswith(": not understood"):
        return wrong
    return None if wrong else f"{line}\n\tholds by now: take \"later\" away"


def of_captures(parts, lint):
    """[fault] of some captures, each with its lines."""
    faults = []
    for path, lines in parts:
        findings, summary = found_in(lint, path)
        told = []

        def story(path=path, told=told):
            if not told:
                told += [line.get("text") or "" for line in run(lint, path, "--story=auto")] + [""]
            return told

        def worst(path=path):
            return worst_of(lint, path)

        if any(QUIET.search(line) for line in lines):
            findings += [f for f in found_in(lint, path, "--severity", "perf")[0] if f["severity"] in ("note", "perf")]
        faults += filter(None, (held(line, findings, summary, story, worst) for line in lines))
    return faults


def rows(table):
    lines = collections.defaultdict(list)
    for line in (ROOT / table).read_text().splitlines():
        if line and not line.startswith("#"):
            later = LATER.fullmatch(line)
            lines[(later[2] if later else line).split()[0]].append(line)
    return lines


def main():
    faults, count, parts, whole = [], 0, [], []
    for table, directories in TABLES.items():
        captures = {path.name if len(directories) == 1 else f"{path.parent.name}/{path.stem}": path
                    for directory in directories for path in sorted((ROOT / directory).glob("*.pcap*"))}
        lines = rows(table)
        faults += [f"{table}: {name}: no such capture" for name in lines.keys() - captures.keys()]
        if len(directories) > 1 or table in ALL:
            faults += [f"{table}: {name}: no line" for name in captures.keys() - lines.keys()]
        parts += [(captures[name], lines[name]) for name in lines if name in captures]
        count += sum(map(len, lines.values()))
        if waiting := [name for name in lines if any(LATER.fullmatch(line) for line in lines[name])]:
            whole += [f"{table}: {len(lines) - len(waiting)} of {len(lines)} captures say all that they have to"]
    for found in parallel.each(of_captures, parallel.parts(parts), sys.argv[1]):
        faults += found
    print(*faults, *whole, f"{count} lines about {len(parts)} captures, {len(faults)} faults", sep="\n")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
