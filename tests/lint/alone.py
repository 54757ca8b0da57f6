#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""alone.py PCAP-LINT MADE: a rule finds by itself what it finds among all others.

Trackers run only if a rule that is on needs them: without one about streams, connections are not
followed, and findings have no number of one. Each rule about events is switched on alone, for all
captures; its findings must be those of the run with every rule, but for that number.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^LINT_ON_EVENT\w*\((\w+),", re.M)
# About events of other trackers than the streams.
WITHOUT_STREAMS = ("BTH007", "CAP020", "CRC011", "LRH013", "MCG016", "ROC028", "SAQ019")
# Silent of what the other says, or its connections are those that the other finds: tried with it.
ASIDE = {"ROC004": "QPS039", "ROC021": "ROC029"}
TWICE = "CAP008"  # without it copies are checked as any other packet
LONG = {"QPS022"}  # fires in pcaps/streams/long only, which test streams makes


def by_rule(lint, paths, *rules):
    """{rule: ([finding without its connection], {connection})}."""
    run = subprocess.run([lint, "--format", "json", "--severity", "perf", "--max-per-rule", "0",
                          "--fail-on", "never", *rules, *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = collections.defaultdict(lambda: ([], set()))
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"finding"'):
            finding = json.loads(line)
            findings, connections = found[finding["rule"]]
            connections.add(finding.pop("connection"))
            finding.pop("service")  # of the connection
            findings.append(json.dumps(finding, sort_keys=True))
    return found


def main(lint, made):
    paths = sorted([*ROOT.glob("pcaps/**/*.pcap*"), *pathlib.Path(made).glob("*.pcap*")])
    if not any(path.is_relative_to(made) for path in paths):
        print(f"no captures in {made}")
        return True
    rules = sorted({rule for path in ROOT.glob("dissector/lint/rules/*.def") for rule in ROW.findall(path.read_text())})
    every = by_rule(lint, paths, "--select", "all")
    wrong, compared = [], 0
    for rule in sample.rows(rules):
        chosen = [rule, TWICE, *filter(None, [ASIDE.get(rule)])]
        alone = by_rule(lint, paths, "--ignore", "all", "--select", ",".join(chosen))
        others = sorted(set(alone) - set(chosen))
        (mine, connections), (expected, _) = alone[rule], every[rule]
        compared += len(expected)
        if sorted(mine) != sorted(expected):
            different = sorted(set(mine) ^ set(expected)) or ["the same ones, more or fewer times"]
            wrong.append(f"{rule} alone finds {len(mine)}, among all rules {len(expected)}; {different[0]}")
        if others:
            wrong.append(f"{rule} alone: {', '.join(others)} as well")
        if not expected and rule not in LONG:
            wrong.append(f"{rule} finds nothing in all captures")
        if rule in WITHOUT_STREAMS and connections != {None}:
            wrong.append(f"{rule} alone follows connections: {connections}")
    print("\n".join(wrong) or f"{len(rules)} rules, {compared} findings in {len(paths)} captures")
    return bool(wrong) or not compared


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
