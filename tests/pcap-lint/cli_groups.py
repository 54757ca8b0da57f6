#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cli_groups.py PCAP-LINT MADE: one line per cause, held against all findings, one by one, in JSON."""
import collections
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import zlib

import cli
from cli import CORRUPT, FLUSH, HEALTHY

GROUP_LINE = re.compile(
    r"^(?P<file>.+?):(?:(?P<frame>\d+):)? (?P<severity>\w+): (?P<rule>[A-Z]{3}\d{3}) [a-z0-9-]+: "
    r"(?:(?:on )?(?P<count>\d+) (?:packets|times)(?: of (?:(?P<connections>\d+) connections?)?(?: and )?"
    r"(?:(?P<flows>\d+) (?:other )?flows?)?)?(?: up to frame (?P<last>\d+))?, first(?: at|:) )?"
    r"(?:(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})Z: )?(?P<text>.*)$")

# Both ends, their queue pairs in decimal.
INCIDENT_LINE = re.compile(r"^.+?:\d+: (error|warning): [A-Z]{3}\d{3} [a-z0-9-]+: (.+ qp (\d+|\?) -> .+ qp (\d+|\?)( \[[^]]+\])?: |(.+ -> .+: )?\d+ more )")


class Groups(cli.Case):
    """One line per cause, held against the findings one by one, in JSON."""
    def run_any(self, *args):
        return subprocess.run([cli.LINT, *map(str, args)], capture_output=True, text=True, check=False).stdout

    def test_all(self):
        self.assertTrue(list(cli.MADE.glob("streams-*.pcap")))
        several = 0
        for capture in [*sorted(cli.RXE.glob("*.pcap")), *sorted((cli.ROOT / "pcaps/faults").glob("*.pcap")),
                        *sorted(cli.MADE.glob("streams-*.pcap"))]:
            each = [json.loads(line) for line in self.run_any(
                "--format", "json", "--max-per-rule", "0", "--severity", "note", capture).splitlines()]
            each = [f for f in each if f["type"] == "finding"]
            lines = [line for line in self.run_any("--severity", "note", "-v", capture).splitlines()  # also those of incidents
                     if not line.startswith("    ") and not INCIDENT_LINE.match(line) and
                     (not line.startswith(f"{capture}: ") or cli.FINDING_LINE.match(line))]
            groups = [GROUP_LINE.match(line) for line in lines]
            counts, order = collections.Counter(), []
            for line, group in zip(lines, groups):
                self.assertTrue(group, line)
                n = int(group["count"] or 1)
                counts[group["rule"], group["severity"]] += n
                several += n > 1
                order.append((cli.SEVERITIES.index(group["severity"]), -n))
                of_rule = [f for f in each if (f["rule"], f["severity"]) == (group["rule"], group["severity"])]
                first = [f for f in of_rule if f["frame"] == (int(group["frame"]) if group["frame"] else None)]
                self.assertTrue(first, line)
                if "counted without" not in line:
                    self.assertIn(True, [group["text"].endswith(f["message"]) for f in first], line)
                flows = {f["flow"] for f in of_rule if f["flow"]}
                said = int(group["connections"] or 0) + int(group["flows"] or 0)
                self.assertLessEqual(said, len(flows), line)
                if group["last"]:
                    self.assertIn(int(group["last"]), [f["frame"] for f in of_rule])
                if group["time"] and first[0]["time"]:
                    seconds, ns = first[0]["time"].split(".")
                    when = datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc)
                    self.assertEqual(group["time"], f"{when:%Y-%m-%dT%H:%M:%S}.{ns[:6]}", line)
            self.assertEqual(counts, collections.Counter((f["rule"], f["severity"]) for f in each), capture)
            self.assertEqual(order, sorted(order), capture)  # worst first
        self.assertGreater(several, 50)

    def test_flush(self):
        verdict, line, *_ = self.lines(FLUSH, status=1)
        self.assertEqual(verdict, f"{FLUSH}: verdict: malformed packets: the ICRC is wrong (CRC001 icrc-bad, 3)")
        self.assertIn(f"{FLUSH}:15: error: CRC001 icrc-bad: on 3 packets of 1 connection up to frame 21, first at "
                      "2026-11-21T09:58:34.012161Z: 10.7.0.1 qp 0x18 (24) -> 10.7.0.2 qp 0x18 (24) psn 0xfffff4: ",
                      line)

    def test_many(self):
        """One fault on 500 queue pairs of two hosts, 5,000 packets: one line."""
        frame = bytearray(next(f for _, f in cli.frames_of(HEALTHY) if f[36:38] == b"\x12\xb7" and f[42] == 4))
        frames = []
        for i in range(5000):
            frame[47:50] = (1000 + i % 500).to_bytes(3, "big")
            frame[51:54] = (i // 500).to_bytes(3, "big")
            frame[-4:] = zlib.crc32(bytes(frame[6:-4])).to_bytes(4, "little")  # of the wrong bytes
            frames.append((i, bytes(frame)))
        path = self.dir / "many.pcap"
        path.write_bytes(cli.pcap(frames))
        lines = [line for line in self.lines(path, status=1) if ": CRC001 " in line and ": verdict: " not in line]
        self.assertEqual(len(lines), 1)
        self.assertIn(f"{path}:1: error: CRC001 icrc-bad: on 5000 packets of 500 flows up to frame 5000, first: "
                      "10.7.0.1 -> 10.7.0.2 qp 0x0003e8 (1000) psn 0x000000: RC SEND Only: ICRC 0x", lines[0])

    def test_count_rules(self):
        each = [json.loads(line) for path in (FLUSH, CORRUPT) for line in self.run_any(
            "--format", "json", "--max-per-rule", "0", path).splitlines()]
        want = collections.Counter(f["rule"] for f in each if f["type"] == "finding")
        rows = [line.split() for line in self.lines("--count-rules", FLUSH, CORRUPT, status=1)]
        self.assertEqual([(row[2], int(row[0])) for row in rows], want.most_common())
        self.assertEqual([row[1:2] + row[3:] for row in rows],
                         [[cli.RULES[row[2]][2].lower(), cli.RULES[row[2]][1]] for row in rows])
        self.assertEqual(self.run_lint("--count-rules", HEALTHY)[0], "")
        self.assertIn("--count-rules is text", self.run_lint("--count-rules", "--format", "json", FLUSH, status=2)[1])


if __name__ == "__main__":
    cli.LINT, cli.MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
