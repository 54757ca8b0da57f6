#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mads_oracle.py PCAP-LINT MADE [CAPTURE...]: the mad_client objects of --stats against the oracle.

Every MAD client and class of the captures of pcaps/ and of those pcaps/make wrote to MADE: requests, copies,
answered or not, stopped, busy, errors, late, responses again or unasked, TIDs reused, transfers, traps.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import mads  # noqa: E402

ENDINGS = {".pcap", ".pcapng", ".gz", ".zst", ".lz4"}
NOT_COUNTED = {"type", "schema", "file", "client", "class", "class_name", "first_frame", "last_frame",
               "response_time", "client_node", "agent"}
LEAST = 3000, 1000  # requests in the captures of pcaps/ and of MADE; they have 8,995 and 2,002


def product(lint, path):
    run = subprocess.run([lint, "--stats", "--format", "json", "--fail-on", "never", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{"type":"mad_client"')]
    return {(row["client"], row["class"], row["agent"]): {k: v for k, v in row.items() if k not in NOT_COUNTED and v}
            for row in rows}


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = [pathlib.Path(p) for p in sys.argv[3:]] or sorted(
        p for top in (ROOT / "pcaps", made) for p in top.rglob("*") if p.suffix in ENDINGS and p.is_file())
    faults, figures, requests = [], 0, [0, 0]
    for path in paths:
        try:
            oracle = mads.counts(path)
        except capture.Skipped:
            continue
        ours = product(lint, path)
        for who in sorted(oracle.keys() | ours.keys(), key=str):
            a, b = ours.get(who, {}), oracle.get(who, {})
            faults += [f"{path.name}: {who[0]} class 0x{who[1]:02x} agent {who[2]}: {key}: {a.get(key, 0)}, the oracle {b.get(key, 0)}"
                       for key in sorted(a.keys() | b.keys()) if a.get(key, 0) != b.get(key, 0)]
            figures += len(b)
            requests[made in path.parents] += b.get("requests", 0)
    if not sys.argv[3:] and any(n < least for n, least in zip(requests, LEAST)):
        faults.append(f"{requests} requests, {LEAST} at least")
    print("\n".join(faults + [f"{len(paths)} captures, {figures} figures, {sum(requests)} requests, {len(faults)} faults"]))
    return 1 if faults or not figures else 0


sys.exit(main())
