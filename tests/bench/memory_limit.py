#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""memory_limit.py FLOOD-MAKE PCAP-LINT: --max-memory is true of all that is remembered, not of connections alone.

Every capture of flood-make that is to fill a table, each by itself and all of them as one capture, with all reports:
pcap-lint takes no more than it does for a capture of two packets, the limit, and what allocator and pages round up to.
Without the limit one of them takes several times as much.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

CASES = ("qpns few_qpns ports acks gids one_host findings tids reqs one_id setups connections random pairs queries "
         "groups senders neighbours marks resends pauses gaps").split()
PACKETS = 60_000
REPORTS = ["--stats", "--story", "auto", "--interval", "auto"]
LIMITS = [1 << 20, 16 << 20]
ROUNDED = 8 << 20
BEYOND = 3  # times what the smaller limit lets it take


def made(case, packets, tmp):
    path = pathlib.Path(tmp) / f"{case}-{packets}.pcap"
    subprocess.run([sys.argv[1], case, "hostile", str(packets), path], check=True)
    return path


def taken(*words):
    """Bytes at most, of a run that ends well."""
    child = subprocess.Popen([sys.argv[2], "-j", "1", "--fail-on", "never", *map(str, words)], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise SystemExit(f"{words}: status {status}")
    return usage.ru_maxrss * 1024


def main():
    faults = []
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        paths = dict(zip(CASES, pool.map(lambda case: made(case, PACKETS, tmp), CASES)))
        alone = taken(*REPORTS, made("pairs", 2, tmp))
        runs = {case: [path] for case, path in paths.items()} | {"all": ["--join", *paths.values()]}
        runs |= {"decode": ["--decode", "--quiet", paths["reqs"]]}

        def measure(name):
            reports = [] if name == "decode" else REPORTS
            return [taken(*reports, "--max-memory", limit, *runs[name]) for limit in LIMITS[:1 + (name == "all")]]
        for name, have in zip(runs, pool.map(measure, runs)):
            print(f"{name:12}", *(f"{n >> 10:8} KB" for n in have), flush=True)
            faults += [f"{name}: {n >> 10} KB with --max-memory {limit >> 20}M, not {(alone + limit + ROUNDED) >> 10}"
                       for n, limit in zip(have, LIMITS) if n > alone + limit + ROUNDED]
        most = taken(*REPORTS, *runs["reqs"])
        print(f"alone {alone >> 10} KB, reqs without a limit {most >> 10} KB")
        if most < BEYOND * (alone + LIMITS[0] + ROUNDED):
            faults.append("without a limit it takes as little: nothing is shown")
    print("\n".join(faults))
    return faults != []


sys.exit(main())
