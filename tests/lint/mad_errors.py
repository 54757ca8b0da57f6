#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mad_errors.py PCAP-LINT: the errors in pcaps/mad are those of data/mad-errors.txt, no more and no less.

The captures are of real management traffic. What is wrong in them is known frame by frame, each
with its reason; a rule that fires on another frame, or no longer on one of these, is at fault.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["--severity", "error", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]


def listed(path):
    """{(capture, frame, rule)} of the list; every line has a reason."""
    errors = set()
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            continue
        capture, frame, rule = re.fullmatch(r"(\S+) (\d+) ([A-Z]{3}\d{3}) \S.*", line).groups()
        errors.add((capture, int(frame), rule))
    return errors


def found(lint, capture):
    run = subprocess.run([lint, *OPTIONS, capture], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(line["type"] == "summary" and line["packets"] for line in lines):
        raise SystemExit(f"{capture}: no packets; {run.stderr}")
    return {(capture.name, line.get("frame") or 0, line["rule"]): line["message"]
            for line in lines if line["type"] == "finding" and line["severity"] == "error"}


def main():
    wanted, errors = listed(ROOT / "tests/data/mad-errors.txt"), {}
    captures = sorted((ROOT / "pcaps/mad").glob("*.pcap*"))
    for capture in captures:
        errors.update(found(sys.argv[1], capture))
    for key in sorted(errors.keys() - wanted):
        print("not in the list:", *key, errors[key])
    for key in sorted(wanted - errors.keys()):
        print("not found:", *key)
    print(f"{len(captures)} captures, {len(wanted)} errors listed, {len(errors)} found")
    return 0 if captures and wanted == errors.keys() else 1


if __name__ == "__main__":
    sys.exit(main())
