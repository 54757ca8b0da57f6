#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mad_errors.py PCAP-LINT: the errors and warnings in pcaps/mad are those of data/mad-errors.txt, no more and no less.

The captures are of real management traffic. What is wrong in them is known frame by frame, each
with its reason; a rule that fires on another frame, or no longer on one of these, is at fault. Warnings are
listed by rule with their number in each capture; what a few bytes show is counted here again.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture as captured  # noqa: E402
import mads  # noqa: E402

OPTIONS = ["--severity", "warning", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]


COUNTED = {  # what the bytes of one MAD show: responses with a status (other than busy, redirected), ABORT and STOP, SM_Keys, empty masks
    "MAD011": lambda mad: mad.back and mad.status & ~3 and mad.method != mads.TRAP,
    "RMP013": lambda mad: mad.type in (mads.STOP, mads.ABORT) and mad.body[27],
    "SAQ003": lambda mad: mad.mgmt_class == 3 and not mad.back and any(mad.body[36:44])}


def listed(path):
    """({(capture, frame, rule)}, {(capture, rule): number}) of the list; every line has a reason."""
    errors, warnings = set(), {}
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        if line.startswith("= "):
            rule, numbers = re.fullmatch(r"= ([A-Z]{3}\d{3}) ((?:\S+:\d+ )+)\S.*", line).groups()
            for part in numbers.split():
                capture, _, number = part.rpartition(":")
                warnings[capture, rule] = int(number)
            continue
        capture, frame, rule = re.fullmatch(r"(\S+) (\d+) ([A-Z]{3}\d{3}) \S.*", line).groups()
        errors.add((capture, int(frame), rule))
    return errors, warnings


def found(lint, capture):
    """({(capture, frame, rule): message} of errors, {(capture, rule): number} of warnings)"""
    run = subprocess.run([lint, *OPTIONS, capture], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(line["type"] == "summary" and line["packets"] for line in lines):
        raise SystemExit(f"{capture}: no packets; {run.stderr}")
    findings = [line for line in lines if line["type"] == "finding"]
    return ({(capture.name, line.get("frame") or 0, line["rule"]): line["message"]
             for line in findings if line["severity"] == "error"},
            collections.Counter((capture.name, line["rule"]) for line in findings if line["severity"] == "warning"))


def counted(capture):
    """{(capture, rule): number}, by the bytes"""
    numbers = collections.Counter()
    for record in captured.records(capture):
        mad = mads.Mad(record)
        numbers.update((capture.name, rule) for rule, shows in COUNTED.items() if mad.ok and shows(mad))
    return numbers


def main():
    (wanted, wanted_warnings), errors, warnings = listed(ROOT / "tests/data/mad-errors.txt"), {}, {}
    captures, bytes_show = sorted((ROOT / "pcaps/mad").glob("*.pcap*")), {}
    for capture in captures:
        more = found(sys.argv[1], capture)
        errors.update(more[0])
        warnings.update(more[1])
        bytes_show.update(counted(capture))
    for key in sorted(errors.keys() - wanted):
        print("not in the list:", *key, errors[key])
    for key in sorted(wanted - errors.keys()):
        print("not found:", *key)
    differ = {key for key in warnings.keys() | wanted_warnings.keys() if warnings.get(key) != wanted_warnings.get(key)}
    for key in sorted(differ):
        print(*key, f"{warnings.get(key, 0)} warnings, {wanted_warnings.get(key, 0)} listed")
    shown = {key for key in warnings.keys() | bytes_show.keys()
             if key[1] in COUNTED and warnings.get(key) != bytes_show.get(key)}
    for key in sorted(shown):
        print(*key, f"{warnings.get(key, 0)} warnings, {bytes_show.get(key, 0)} by the bytes")
    print(f"{len(captures)} captures, {len(wanted)} errors listed, {len(errors)} found; {sum(warnings.values())} warnings,"
          f" {sum(bytes_show.values())} of them counted by the bytes")
    return 0 if captures and wanted == errors.keys() and not differ and not shown and bytes_show else 1


if __name__ == "__main__":
    sys.exit(main())
