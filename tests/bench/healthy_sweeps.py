#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""healthy_sweeps.py PCAP-LINT NODES NODES...: the first sweep of healthy fat trees of so many nodes, made by oracles/made_sweep.py.

Nothing is found in any of them, at any level; --stats has every node, cable and port; memory stays below MEMORY; and instructions, which
callgrind counts, grow by no more than EACH for each MAD from one size to the next (not counted beyond COUNTED nodes).
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import made_sweep  # noqa: E402
import writer  # noqa: E402

MEMORY = 48_000_000  # bytes, with --stats
EACH = 6200  # instructions of a MAD, 5,200 to 5,400 with LTO
COUNTED = 2116
# A process keeps the peak of the one that it was forked from, so a small one starts it.
PEAK = """import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
sys.exit(status)"""
QUIET = ["-j", "1", "--config", "none", "--progress", "never", "--fail-on", "never", "--format", "json"]


def run(lint, *words):
    out = subprocess.run([lint, *QUIET, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def peak(lint, *words):
    """Bytes of memory at most."""
    return int(subprocess.run([sys.executable, "-S", "-c", PEAK, lint, *QUIET, *map(str, words)], stdout=subprocess.PIPE, text=True,
                              check=True).stdout)


def instructions(lint, path):
    out = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}.out", lint, "-j", "1", "--config", "none", "--progress",
                          "never", "--stats", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", out.stderr)[1])


def unlike(sweep, rows):
    """What --stats says of the tree that is not so."""
    nodes = {row["guid"]: row for row in rows if row["type"] == "node"}
    want = {f"0x{node.guid:016x}": node for node in sweep.nodes}
    if nodes.keys() != want.keys():
        yield f"{len(nodes)} nodes, not {len(want)}"
        return
    for guid, node in want.items():
        cables = [(port, f"0x{other.guid:016x}", its) for port, (other, its) in sorted(node.cable.items())]
        said = sorted((one["port"], one["node"], one["peer_port"]) for one in nodes[guid]["cabled_to"])
        if nodes[guid]["description"] != node.name or said != cables:
            yield f"{nodes[guid]}, not {node.name} {cables}"
            return
    states = {row["state"] for row in rows if row["type"] == "link" and row["peer"]}
    if states != {"Active"}:
        yield f"links are {states}"


def main(lint, *counts):
    faults, before = [], None
    with tempfile.TemporaryDirectory() as tmp:
        for count in map(int, counts):
            sweep = made_sweep.Sweep(count)
            path = pathlib.Path(tmp) / f"{count}.pcap"
            path.write_bytes(writer.pcap(247, sweep.frames))
            found, rows = run(lint, "--severity", "perf", "--select", "all", path), run(lint, "--stats", path)
            memory = peak(lint, "--stats", path)
            mads = len(sweep.frames)
            faults += [f"{count} nodes: {row}" for row in found if row["type"] in ("finding", "incident")][:5]
            faults += [f"{count} nodes: {row}" for row in rows if row["type"] == "summary" and row["packets"] != mads]
            faults += [] if rows else [f"{count} nodes: nothing printed"]
            faults += [f"{count} nodes: {why}" for why in unlike(sweep, rows)]
            line = f"{count} nodes, {mads} MADs: {memory} bytes"
            if memory > MEMORY:
                faults.append(f"{count} nodes: {memory} bytes of memory, more than {MEMORY}")
            if count <= COUNTED:
                now = instructions(lint, path)
                each = (now - before[0]) / (mads - before[1]) if before else 0
                line += f", {now} instructions, {each:.0f} each" if before else f", {now} instructions"
                before = now, mads
                if each > EACH:
                    faults.append(f"{count} nodes: {each:.0f} instructions a MAD, more than {EACH}")
            print(line, flush=True)
    print(*faults, sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
