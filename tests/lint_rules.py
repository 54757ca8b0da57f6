#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lint_rules.py PCAP-LINT DIR: each rule fires where it must, and only there.

DIR holds the captures pcaps/make writes. Beside each lint-*.pcap stands a lint-*.expect with lines
"FRAME RULE" (fires), "FRAME !RULE" (does not) and "FRAME +RULE" (may fire too); frame 0 is the file
as a whole. Besides, no frame may have a finding of level error that is not listed for it, and every
rule of dissector/lint/rules has a frame that fires it and one that does not.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
RULE = re.compile(r"^LINT_RULE\((\w+),", re.M)


def expectations(path):
    """{(frame, rule): mark} of an .expect file."""
    wanted = {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        frame, mark, rule = re.fullmatch(r"(\d+) ([!+]?)(\w+)", line).groups()
        wanted[int(frame), rule] = mark
    return wanted


def findings(lint, capture):
    """[(frame, rule, severity, message)] of a capture. A file that is cut ends with status 2."""
    run = subprocess.run([lint, *OPTIONS, capture], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 2):
        raise SystemExit(f"{capture}: pcap-lint ended with {run.returncode}: {run.stderr}")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(line["type"] == "summary" for line in lines):
        raise SystemExit(f"{capture}: no summary; {run.stderr}")
    return [(line.get("frame") or 0, line["rule"], line["severity"], line["message"])
            for line in lines if line["type"] == "finding"]


def check(lint, capture, wanted):
    found = findings(lint, capture)
    fired = {(frame, rule) for frame, rule, _, _ in found}
    for (frame, rule), mark in wanted.items():
        if mark == "" and (frame, rule) not in fired:
            yield f"{capture.name}:{frame}: {rule} does not fire"
        if mark == "!" and (frame, rule) in fired:
            yield f"{capture.name}:{frame}: {rule} fires"
    for frame, rule, severity, message in found:
        if severity == "error" and (frame, rule) not in wanted:
            yield f"{capture.name}:{frame}: {rule} fires too: {message}"


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    faults, checked, fires, misses = [], 0, set(), set()
    for path in sorted(made.glob("lint-*.expect")):
        wanted = expectations(path)
        capture = next(p for p in made.glob(path.stem + ".pcap*"))
        faults += check(lint, capture, wanted)
        checked += len(wanted)
        fires |= {rule for (_, rule), mark in wanted.items() if mark == ""}
        misses |= {rule for (_, rule), mark in wanted.items() if mark == "!"}
    rules = {rule for path in (ROOT / "dissector/lint/rules").glob("*.def")
             for rule in RULE.findall(path.read_text())}
    faults += [f"{rule}: no capture fires it" for rule in sorted(rules - fires)]
    faults += [f"{rule}: no capture comes near it without firing" for rule in sorted(rules - misses)]
    faults += [f"{rule}: a capture is about it, but there is no such rule"
               for rule in sorted((fires | misses) - rules)]
    print("\n".join(faults + [f"{len(rules)} rules, {checked} expectations, {len(faults)} faults"]))
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
