#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""times.py PCAP-LINT MADE: the time of a finding in JSON is that of the packet it names, or null.

The times of packets are read by oracles/capture.py. Null is for what is known at the end, of a packet whose time was not kept:
the rules below, and no others.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402

AT_ONCE = 60
NOT_KEPT = {"CAP001", "CAP002", "CAP022", "ROC012", "ROC018", "ROC024"}


def findings(lint, paths):
    """{path: [finding]}"""
    run = subprocess.run([lint, "--format", "json", "--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on",
                          "never", *paths], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = collections.defaultdict(list)
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"finding"'):
            row = json.loads(line)
            if row["frame"]:
                found[row["file"]].append(row)
    return found


def wrong(path, rows):
    try:
        times = {record.number: record.time for record in capture.every(pathlib.Path(path))}
    except capture.Skipped:
        return
    for row in rows:
        time = row["time"] and int(row["time"].replace(".", ""))
        if time is None and row["rule"] not in NOT_KEPT and times.get(row["frame"]):
            yield f"{path}:{row['frame']}: {row['rule']} has no time"
        elif time is not None and time != times.get(row["frame"]):
            yield f"{path}:{row['frame']}: {row['rule']} at {time}, its packet at {times.get(row['frame'])}"


def main():
    lint, faults, looked = sys.argv[1], [], 0
    paths = [str(path) for directory in (pathlib.Path(sys.argv[2]), ROOT / "pcaps") for path in sorted(directory.rglob("*.pcap*"))
             if path.suffix in (".pcap", ".pcapng", ".gz")]
    for i in range(0, len(paths), AT_ONCE):
        for path, rows in findings(lint, paths[i:i + AT_ONCE]).items():
            looked += len(rows)
            faults += wrong(path, rows)
    print(f"{looked} findings of {len(paths)} captures, {len(faults)} faults")
    print(*faults[:30], sep="\n")
    return 1 if faults or looked < 1000 else 0


sys.exit(main())
