#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pause_oracle.py PCAP-LINT MADE: objects `pause` of `--stats --format json` against the oracle and a simulated switch.

Each sender and priority of the captures of pcaps/, of those that pcaps/make wrote to MADE, and of 200 random ones, against the
frames; and of a switch that pauses its sender against what that switch did: with XONs, and by quanta and --link-speed without.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import dcqcn  # noqa: E402
import first_fault  # noqa: E402
import pauses  # noqa: E402
import random_scenarios  # noqa: E402

RANDOM = 200
ENOUGH = 500  # figures


def product(lint, paths, *options):
    """{path: {(sender, priority): figures}}"""
    run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", "--max-per-rule", "0", *options, *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    found = {str(path): {} for path in paths}
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"pause"'):
            one = json.loads(line)
            key = one["sender"], pauses.ALL if one["priority"] is None else one["priority"]
            found[one["file"]][key] = {name: one[name] for name in ("xoff", "xon", "paused_ns", "unknown", "first_frame")}
    return found


def compare(path, ours, oracle):
    return [f"{path.name}: {key}: {ours.get(key)}, the oracle {oracle.get(key)}" for key in sorted({*ours, *oracle})
            if ours.get(key) != oracle.get(key)]


def simulated(lint, directory, seed):
    """[difference]"""
    for lost_xon in (False, True):
        sim = dcqcn.Simulation(seed, point="sender", qps=1, bottleneck=2 * 10**9, xoff=30_000, xon=10_000, lost_xon=lost_xon)
        path = pathlib.Path(directory) / "paused.pcap"
        sim.write(path)
        last = sim.frames[-1][0] - dcqcn.START
        paused = sum(max(0, min(end, last) - begin) for begin, end in sim.spans)
        found = product(lint, [path], *(("--link-speed", "10G") if lost_xon else ()))[str(path)]
        (ours,) = found.values() if len(found) == 1 else ({},)
        want = {**sim.pauses, "paused_ns": paused, "unknown": 0}
        if {name: ours.get(name) for name in want} != want:
            yield f"seed {seed}, lost XONs {lost_xon}: {found}, the switch {want}"


def main(lint, made):
    with tempfile.TemporaryDirectory() as directory:
        kinds = [sorted((ROOT / "pcaps").glob("*/*.pcap")), sorted(pathlib.Path(made).glob("*.pcap"))]
        if not all(kinds):
            print("no captures in pcaps or in", made)
            return True
        wrong, figures = [], 0
        for seed in range(1, 6):
            wrong += simulated(lint, directory, seed)
            figures += 8
            if first_fault.ends(wrong):
                print(wrong[0])
                return True
        kinds.append(random_scenarios.write(pathlib.Path(directory), RANDOM))
        paths = [path for kind in kinds for path in kind]
        found = product(lint, paths)
        for path in paths:
            seen = pauses.Pauses()
            try:
                for record in capture.records(path):
                    seen.feed(record)
            except capture.Skipped:
                continue
            wrong += compare(path, found[str(path)], seen.objects())
            figures += 5 * len(seen.counts)
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(f"{figures} figures of pauses: {len(wrong)} differences")
    return bool(wrong) or figures < ENOUGH


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
