#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""repair_made.py PCAP-LINT MADE: pcap-lint --repair on every capture pcaps/make writes.

What can be done about each rule is the last column of tests/data/rules.csv. A packet whose findings are all of rules
that are repaired has none after --repair, but for those in LEFT, each with its reason. Every other rule that a packet
fires has the reason why nothing can be done there, and does still fire. No repair makes a finding that was not there,
and repairing twice is repairing once: the second time nothing is changed, and the files are the same byte by byte.
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import parallel  # noqa: E402

LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES, CATALOGUE = ROOT / "dissector/lint/rules", ROOT / "tests/data/rules.csv"

# The packets of which even that cannot be known.
LEFT = {
    "lint-lrh-ib.pcap:29": "LNH and what follows the LRH contradict each other",
    "lint-lrh-ib.pcap:30": "LNH and what follows the LRH contradict each other",
    "raw-ib.pcap:1": "a raw packet that has no 5 words",
}
# The same of each packet that has these.
LEFT_RULES = {frozenset({"BTH009", "XTH017"}): "a payload where none may be, with the PadCnt that belongs to it"}
# What may be left of a packet with fewer bytes than its outermost length says, where no ICRC tells which is wrong.
LENGTHS = {"ROC005", "LRH003", "GRH003"}
# Why nothing can be done about the rules that have this in the column "repair".
KEPT = {
    "sender": "what the sender meant is not in the packet",
    "missing": "a header or the packet's end is not there",
    "payload": "the payload is the sender's",
    "elsewhere": "it is another packet's",
    "capture": "the capture is at fault, not a packet",
}
REPAIR = {row[0]: row[4] for row in csv.reader(
    line for line in CATALOGUE.read_text().splitlines() if not line.startswith("#"))}
REPAIRED = {rule for rule, repair in REPAIR.items() if repair == "yes"}


def run(*args):
    done = subprocess.run([LINT, *args], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{args}: status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def findings(path, packet_rules):
    """{frame: {(rule, severity)}}"""
    found = {}
    for line in run(*OPTIONS, path):
        if line["type"] == "finding" and line["rule"] in packet_rules:
            found.setdefault(line.get("frame") or 0, set()).add((line["rule"], line["severity"]))
    return found


def rules_of(found):
    return {rule for rule, _ in found}


def of_capture(path, packet_rules):
    """([fault], packets that were repaired, packets without findings by then, {rule: packets that keep it}, {what LEFT
    or LEFT_RULES has of it})"""
    faults, free, kept, left = [], 0, collections.Counter(), set()
    with tempfile.TemporaryDirectory() as tmp:
        once, twice = pathlib.Path(tmp) / "once.pcapng", pathlib.Path(tmp) / "twice.pcapng"
        said = run("--repair", once, "--format", "json", path)
        again = run("--repair", twice, "--format", "json", once)
        if any(line["changes"] for line in again):
            faults.append(f"{path.name}: repaired twice: {again[0]}")
        if [line["left"] for line in again] != [line["left"] for line in said if line["left"]]:
            faults.append(f"{path.name}: not the same packets are left")
        if once.read_bytes() != twice.read_bytes():
            faults.append(f"{path.name}: repaired twice is not repaired once")
        before, after = findings(path, packet_rules), findings(once, packet_rules)
    cut = {line["frame"] for line in said if (line["left"] or "").startswith("cut, or ")}
    for frame in sorted(before.keys() | after.keys()):
        where = f"{path.name}:{frame}"
        was, now = rules_of(before.get(frame, [])), rules_of(after.get(frame, []))
        if now - was:
            faults.append(f"{where}: new: {now - was}, was {was}")
        if frozenset(was) in LEFT_RULES:
            left.add(frozenset(was))
        elif where in LEFT:
            left.add(where)
            if not now:
                faults.append(f"{where}: in LEFT, but repaired")
        elif now & REPAIRED <= LENGTHS and frame in cut:
            left.add("cut")
        elif now & REPAIRED:
            faults.append(f"{where}: still {now & REPAIRED}, was {was}")
        free += not now
        kept.update(now - REPAIRED)
    return faults, sum(bool(line["changes"]) for line in said), free, kept, left


def main():
    faults, changed, free, kept, left = [], 0, 0, collections.Counter(), set()
    text = "".join(path.read_text() for path in RULES.glob("*.def"))
    packet_rules = set(re.findall(r"^LINT_RULE\((\w+), \S+ \w+, PACKET", text, re.M))
    # A record that cannot be had is not written, and the frames after it move up.
    paths = [path for path in sorted(MADE.glob("*.pcap*")) if not re.search("length-huge|lengths", path.name)]
    for some in parallel.each(of_capture, paths, packet_rules):
        faults, changed, free = faults + some[0], changed + some[1], free + some[2]
        kept, left = kept + some[3], left | some[4]
    faults += [f"{rule}: \"{REPAIR.get(rule)}\" in rules.csv, but a packet has it after --repair" for rule in sorted(kept)
               if REPAIR.get(rule) not in KEPT]
    faults += [f"{rule}: \"{REPAIR.get(rule)}\" in rules.csv, but no packet has it any more"
               for rule in sorted(packet_rules - kept.keys()) if REPAIR.get(rule) != "yes"]
    faults += [f"{where} is in LEFT, but there is no such finding" for where in {*LEFT, *LEFT_RULES} - left]
    for repair, reason in KEPT.items():
        print(f"not repairable, {reason}:", ", ".join(sorted(rule for rule in kept if REPAIR.get(rule) == repair)))
    for where, reason in LEFT.items():
        print(f"left: {where}: {reason}")
    for rules, reason in LEFT_RULES.items():
        print(f"left: {' '.join(sorted(rules))}: {reason}")
    print("\n".join(faults))
    print(f"{changed} packets repaired, {free} of them without findings, {len(faults)} faults")
    return 1 if faults or free < 75 else 0


if __name__ == "__main__":
    sys.exit(main())
