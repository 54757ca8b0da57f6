#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""thresholds.py PCAP-LINT MADE: each threshold of thresholds.def at its default, at another value, and next to both.

CASES has what pcaps/make_lint_fab*.c made, what is set, and the rules that fire then. What is refused, what a config file sets,
and what --explain says of each.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r'TRACK_THRESHOLD\((\w+), "([\w-]+)", "(\w+)", (\d+), (\d+), (\d+), "([\w,]+)",\s*"([^"]+)"\)')

# 3 times down within 300 s, two of them within a second; 250 traps in a second, the 251st 60 s less 1 ns later, or 60 s; 5 of 7 sweeps
# without an answer, and 4; handovers within 300 s.
CASES = [
    ("flapping", None, "FAB007"), ("flapping", "flap-time=300", "FAB007"), ("flapping", "flap-time=301", "FAB007"),
    ("flapping", "flap-time=299", "FAB008"), ("flapping-slowly", None, "FAB008"), ("flapping-slowly", "flap-time=301", "FAB007"),
    ("flapping", "flap-downs=3", "FAB007"), ("flapping", "flap-downs=2", "FAB007"), ("flapping", "flap-downs=4", "FAB008"),
    ("flapping", "flap-downs=8", "FAB008"), ("flapping", "flap-downs=2,flap-time=1", "FAB007"),
    ("traps-250", None, "FAB005"), ("traps-250", "storm-traps=250", "FAB005"), ("traps-250", "storm-traps=249", "FAB005"),
    ("traps-250", "storm-traps=251", "FAB004"), ("traps-249", "storm-traps=249", "FAB005"), ("traps-249", None, "FAB004"),
    ("traps-apart", None, "FAB004"), ("traps-apart", "storm-gap=60", "FAB004"), ("traps-apart", "storm-gap=61", "FAB005"),
    ("traps-apart", "storm-gap=59", "FAB004"), ("traps-251", "storm-traps=251,storm-gap=60", "FAB005"),
    ("traps-251", "storm-traps=251,storm-gap=59", "FAB004"),
    ("unresponsive", None, "FAB024"), ("unresponsive", "missed-sweeps=5", "FAB024"), ("unresponsive", "missed-sweeps=4", "FAB024"),
    ("unresponsive", "missed-sweeps=6", ""), ("unresponsive", "sweeps=16", "FAB024"),
    ("answers-at-times", None, ""), ("answers-at-times", "missed-sweeps=4", "FAB024"), ("answers-at-times", "missed-sweeps=5", ""),
    ("answers-at-times", "missed-sweeps=4,sweeps=4", ""),
    ("to-and-fro", None, "FAB023"), ("to-and-fro", "handover-time=300", "FAB023"), ("to-and-fro", "handover-time=301", "FAB023"),
    ("to-and-fro", "handover-time=299", ""), ("to-and-fro-slowly", None, ""), ("to-and-fro-slowly", "handover-time=301", "FAB023"),
]
REFUSED = {"flap-time=0": "not a number from 1 to 86400", "flap-time=86401": "not a number from 1 to 86400", "flap-time": "not a number",
           "flap-tims=3": "perhaps flap-time?", "flap-downs=1": "not a number from 2 to 8", "flap-downs=9": "not a number from 2 to 8",
           "missed-sweeps=8": "missed-sweeps (8) is more than sweeps (7)", "sweeps=4": "missed-sweeps (5) is more than sweeps (4)",
           "storm-traps=x": "not a number", "zzz=1": "no threshold is called"}


def rows():
    text = (ROOT / "dissector/track/base/thresholds.def").read_text(encoding="utf-8")
    return {match[2]: match for match in ROW.finditer(text)}


def run(*args, **how):
    return subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **how)


def fired(lint, path, *args, rules):
    out = run(lint, "--format", "json", "--severity", "note", "--fail-on", "never", "--ignore", "all", "--select", ",".join(rules), *args, path)
    return {one["rule"] for one in map(json.loads, out.stdout.splitlines()) if one["type"] == "finding"}


def main(lint, made):
    table, faults, seen = rows(), [], {}
    for name, option, want in CASES:
        path = f"{made}/lint-fab-{name}.pcap"
        names = {word.partition("=")[0] for word in option.split(",")} if option else set()
        rules = {rule for row in table.values() for rule in row[7].split(",")}
        got = fired(lint, path, *(["--threshold", option] if option else []), rules=sorted(rules))
        if got != ({want} if want else set()):
            faults.append(f"{name} {option}: {sorted(got)}, not {want}")
        for one in names:
            seen.setdefault(one, set()).add(want)
    faults += [f"{name}: its cases all say the same" for name in table if len(seen.get(name, ())) < 2]
    for option, why in REFUSED.items():
        out = run(lint, "--threshold", option, f"{made}/lint-fab-flapping.pcap")
        if out.returncode != 2 or why not in out.stderr:
            faults.append(f"{option}: exit {out.returncode}, {out.stderr!r}, not {why!r}")
    with tempfile.TemporaryDirectory() as home:
        config = pathlib.Path(home) / "set.conf"
        config.write_text("[pcap-lint]\nthreshold = flap-time=299\n", encoding="utf-8")
        got = fired(lint, f"{made}/lint-fab-flapping.pcap", "--config", str(config), rules=["FAB007", "FAB008"])
        faults += [f"by a config file: {got}"] if got != {"FAB008"} else []
    for name, row in table.items():
        for rule in row[7].split(","):
            said = " ".join(run(lint, "--explain", rule).stdout.split())
            want = f"{name} {row[4]} {row[3]} ({row[5]} to {row[6]}): {row[8]}"
            faults += [f"--explain {rule} has no {want!r}"] if want not in said else []
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(CASES)} cases of {len(table)} thresholds: {len(faults)} faults")
    return bool(faults or not table)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
