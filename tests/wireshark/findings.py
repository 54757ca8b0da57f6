#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""findings.py PLUGIN PCAP-LINT MADE [FRAMES]: what pcap-lint finds of a frame is an expert item there.

The same rules with the same severity and message, of the first FRAMES frames (0: all) of every
capture, in augment and in take-over mode. Read twice, as in the window of Wireshark, so that what
is only known at the end of the file is there; and once, when every rule about a single packet is.
"""
import json
import re
import subprocess
import sys
from collections import Counter

import ws

SEVERITIES = ["error", "warning", "note", "perf"]
# What only the reader of the file can know, which here is Wireshark.
READERS = {"CAP001", "CAP002", "CAP006", "CAP009"}
RULE = re.compile(r"^LINT_RULE\((\w+), [\w-]+, \w+, (\w+),", re.M)
LINT = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
        "--format", "json"]
OPTIONS = ["-o", "ibwire.severity:perf", "-o", "ibwire.select:all", "-T", "fields",
           "-E", "separator=\t", "-E", "aggregator=\x1f", "-Y", "ibwire.lint.rule",
           "-e", "frame.number", "-e", "ibwire.lint.rule", "-e", "ibwire.lint.severity",
           "-e", "ibwire.lint.message"]


def found_by_lint(lint, capture):
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    rows = map(json.loads, run.stdout.splitlines())
    return Counter((row["frame"], row["rule"], row["severity"], row["message"])
                   for row in rows if row["type"] == "finding" and row.get("frame") and
                   row["rule"] not in READERS)


def packet_rules():
    """The rules that need one packet only."""
    rows = [row for path in (ws.ROOT / "dissector/lint/rules").glob("*.def")
            for row in RULE.findall(path.read_text())]
    return {rule for rule, scope in rows if scope == "PACKET"}


def found_by_plugin(tshark, capture, *options):
    rows = []
    text = tshark.read(capture, *OPTIONS, *options)
    for line in text.splitlines():
        frame, *columns = line.split("\t")
        for rule, severity, message in zip(*(c.split("\x1f") for c in columns), strict=True):
            rows.append((int(frame), rule, SEVERITIES[int(severity)], message))
    return Counter(rows)


def main():
    tshark, lint, made, faults, compared = ws.Tshark(sys.argv[1]), *sys.argv[2:4], [], 0
    first, single = int(sys.argv[4]) if len(sys.argv) > 4 else 100, packet_rules()
    for linktype, (frames, origin) in ws.by_linktype(made, first or None).items():
        capture = tshark.write(f"{linktype}.pcap", linktype, frames)
        as_is = tshark.write(f"{linktype}-as-is.pcap", linktype, frames, as_is=True)
        want = found_by_lint(lint, as_is)
        compared += want.total()
        for options in (["-2"], ["-2", "-o", "ibwire.mode:takeover"], []):
            have = found_by_plugin(tshark, capture, *options)
            rest = Counter({row: n for row, n in want.items() if options or row[1] in single})
            faults += [f"{options}: {origin[row[0] - 1]} has no {row[1:]}" for row in rest - have]
            faults += [f"{options}: {origin[row[0] - 1]} has {row[1:]} too" for row in have - want]
    return ws.verdict(faults, f"{compared} findings") if compared else 1


if __name__ == "__main__":
    sys.exit(main())
