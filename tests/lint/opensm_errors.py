#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""opensm_errors.py PCAP-LINT MADE: what opensm logs as an error is found in the packets, or there is a reason why not.

tests/data/opensm-errors.csv has every code of opensm once. Those with a rule are shown in a capture: there the rule has a finding with these
words (parts of it, with " ... " between them).
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/data/opensm-errors.csv"
CODES, KINDS = 657, 25  # of opensm; kinds that have to be found


def rows():
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(line for line in lines if not line.startswith("#")))


def found(lint, paths):
    """{path: [(rule, message)]}"""
    run = subprocess.run([lint, "--config", "none", "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--progress", "never",
                          "--format", "json", *sorted(paths)], capture_output=True, text=True, check=True)
    said = collections.defaultdict(list)
    for row in map(json.loads, run.stdout.splitlines()):
        if row["type"] == "finding":
            said[row["file"]].append((row["rule"], row["message"]))
    return said


def says(message, words):
    """Whether all parts are in it, in this order."""
    at = 0
    for part in words.split(" ... "):
        at = message.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def main(lint, made):
    faults, kinds = [], 0
    table = rows()
    paths = {row[3]: str(pathlib.Path(made) / row[3][5:] if row[3].startswith("made/") else ROOT / "pcaps" / row[3])
             for row in table if row[2]}
    said = found(lint, paths.values())
    codes = collections.Counter(code for row in table for code in row[0].split())
    faults += [f"{code} is there {n} times" for code, n in codes.items() if n > 1]
    if len(codes) != CODES:
        faults.append(f"{len(codes)} codes, opensm has {CODES}")
    for of, what, rule, capture, words in table:
        if not what or not words or bool(rule) != bool(capture):
            faults.append(f"{of}: a column is missing")
        elif rule and not any(one == rule and says(message, words) for one, message in said[paths[capture]]):
            faults.append(f"{of} ({what}): {capture} has no {rule} with {words!r}")
        else:
            kinds += bool(rule)
    print(f"{len(codes)} codes; {kinds} kinds are found, {sum(not row[2] for row in table)} have a reason why not")
    print(*faults, sep="\n", end="\n" if faults else "")
    return bool(faults) or kinds < KINDS


sys.exit(main(*sys.argv[1:]))
