#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cost.py PLUGIN CAPTURE-BENCH: what the plugin costs tshark in instructions, by callgrind; memory.py has what it costs in memory.

The instructions of a packet are those of MANY packets less those of FEW. With one line a packet the plugin may cost 15 %
of what tshark takes without it, with two passes 40 %.
"""
import concurrent.futures
import re
import shutil
import subprocess
import sys

import ws

FEW, MANY = 200, 8200
NOISE = 0.01  # from run to run, as hashes have random seeds
RUNS = {("write", "one line"): ([], 1.15), ("acks", "one line"): ([], 1.15), ("write", "two passes"): (["-2"], 1.40)}


def instructions(tshark, path, words, plugin, packets):
    process = tshark.start("--tool=callgrind", "--callgrind-out-file=/dev/null", tshark.program, "-n", "-c", packets, *words,
                           "-r", path, plugin=plugin, program="valgrind", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           text=True)
    return int(re.search(r"Collected : (\d+)", process.communicate()[1])[1])


def capture(tshark, bench, kind, packets):
    """One of @packets packets at least."""
    path = tshark.dir / f"{kind}-{packets}.pcap"
    size = packets * (1200 if kind == "write" else 100)
    subprocess.run([bench, kind, path, str(size)], check=True, stdout=subprocess.DEVNULL)
    path.chmod(0o644)
    return path


def a_packet(pool, tshark, path, words, plugin):
    """Thousands of instructions."""
    few, many = [pool.submit(instructions, tshark, path, words, plugin, n) for n in (FEW, MANY)]
    return lambda: (many.result() - few.result()) / (MANY - FEW) / 1000


def instruction_faults(tshark, bench):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        asked = {}
        for (kind, what), (words, limit) in RUNS.items():
            path = capture(tshark, bench, kind, 2 * MANY)
            asked[kind, what] = [a_packet(pool, tshark, path, words, plugin) for plugin in (False, True)]
        for (kind, what), (words, limit) in RUNS.items():
            alone, ours = (ask() for ask in asked[kind, what])
            print(f"{kind}, {what}: {alone:.1f} thousand instructions, {ours:.1f} with the plugin: {ours / alone:.3f}")
            if not 1 < ours / alone <= limit + NOISE:
                yield f"{kind}, {what}: {ours / alone:.3f}, at most {limit}, and more than 1"


def main():
    if not shutil.which("valgrind"):
        print("no valgrind")
        return ws.SKIPPED
    tshark, bench = ws.Tshark(sys.argv[1]), sys.argv[2]
    if "ibwire.so" not in tshark.run("-G", "plugins"):
        return ws.verdict(["tshark does not load the plugin"], "nothing measured")
    return ws.verdict(list(instruction_faults(tshark, bench)), f"{len(RUNS)} runs")


if __name__ == "__main__":
    sys.exit(main())
