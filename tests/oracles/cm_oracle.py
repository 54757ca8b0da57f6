#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cm_oracle.py PCAP-LINT MADE [CAPTURE...]: the cm objects of --stats against the oracle.

Every conversation of the CM in the captures of pcaps/ and of those pcaps/make wrote to MADE: both ends, service ID,
messages one by one and of each kind, retries, how long each step took, who ended it and why; and what its connection has as
negotiated.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import cm  # noqa: E402

ENDINGS = {".pcap", ".pcapng", ".gz", ".zst", ".lz4"}
NOT_COMPARED = {"type", "schema", "file", "connection", "transport", "service", "end"}
LEAST = 100, 100  # conversations in the captures of pcaps/ and of MADE


def product(lint, path):
    run = subprocess.run([lint, "--stats", "--format", "json", "--fail-on", "never", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(('{"type":"cm"', '{"type":"flow"'))]
    flows = {line["connection"]: line["negotiated"] for line in lines if line["type"] == "flow"}
    rows = [line | {"negotiated": flows.get(line["connection"])} for line in lines if line["type"] == "cm"]
    return [{k: v for k, v in row.items() if k not in NOT_COMPARED} for row in rows]


def by_frame(rows):
    return {row["first_frame"]: row for row in rows}


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = [pathlib.Path(p) for p in sys.argv[3:]] or sorted(
        p for top in (ROOT / "pcaps", made) for p in top.rglob("*") if p.suffix in ENDINGS and p.is_file())
    faults, figures, found = [], 0, [0, 0]
    for path in paths:
        try:
            oracle = by_frame(cm.conversations(path))
        except capture.Skipped:
            continue
        ours = by_frame(product(lint, path))
        for frame in sorted(oracle.keys() | ours.keys()):
            a, b = ours.get(frame, {}), oracle.get(frame, {})
            faults += [f"{path.name}: conversation of frame {frame}: {key}: {a.get(key)}, the oracle {b.get(key)}"
                       for key in sorted(a.keys() | b.keys()) if a.get(key) != b.get(key)]
            figures += len(b)
        found[made in path.parents] += len(oracle)
    if not sys.argv[3:] and any(n < least for n, least in zip(found, LEAST)):
        faults.append(f"{found} conversations, {LEAST} at least")
    print("\n".join(faults + [f"{len(paths)} captures, {found} conversations, {figures} figures, {len(faults)} faults"]))
    return 1 if faults or not figures else 0


sys.exit(main())
