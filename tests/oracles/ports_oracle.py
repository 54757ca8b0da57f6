#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ports_oracle.py PCAP-LINT MADE: objects `ports` of `--stats --format json` against the directions of all connections.

The ports of directions are those of their `flow` objects, which streams_oracle.py holds to the bytes; here they are counted by
hosts once more, of the captures of pcaps/, of those that pcaps/make wrote to MADE, and of 200 random ones.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import random_scenarios  # noqa: E402

RANDOM = 200
ENOUGH = 50  # pairs of hosts
KEYS = ("queue_pairs", "ports", "most", "sharing", "mtu_min", "mtu_max", "packet_max")


def objects(lint, paths):
    run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", "--max-per-rule", "0", *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return map(json.loads, run.stdout.splitlines())


def counted(directions):
    """{key: value} of the (port, MTU, longest packet) of two hosts' queue pairs"""
    ports, mtus, longest = zip(*directions, strict=True)
    used, mtus = collections.Counter(ports), [mtu for mtu in mtus if mtu]
    return dict(zip(KEYS, (len(ports), len(used), max(used.values()), sum(n for n in used.values() if n > 1),
                           min(mtus, default=None), max(mtus, default=None), max(longest)), strict=True))


def main(lint, made):
    with tempfile.TemporaryDirectory() as directory:
        kinds = [sorted((ROOT / "pcaps").glob("*/*.pcap")), sorted(pathlib.Path(made).glob("*.pcap"))]
        if not all(kinds):
            print("no captures in pcaps or in", made)
            return True
        kinds.append(random_scenarios.write(pathlib.Path(directory), RANDOM))
        paths = [path for kind in kinds for path in kind]
        ours, ports = {}, collections.defaultdict(list)
        for row in objects(lint, paths):
            if row["type"] == "ports":
                ours[row["file"], row["sender"], row["receiver"]] = {key: row[key] for key in KEYS}
            elif row["type"] == "flow":
                for way, sender, receiver in (("a_to_b", "a", "b"), ("b_to_a", "b", "a")):
                    if row[way]["sport"] is not None:
                        ports[row["file"], row[sender]["address"], row[receiver]["address"]].append(
                            (row[way]["sport"], row["mtu"], row[way]["packet_max"]))
    wanted = {hosts: counted(these) for hosts, these in ports.items() if len(these) > 1}
    wrong = [f"{hosts}: {ours.get(hosts)}, counted {wanted.get(hosts)}" for hosts in sorted({*ours, *wanted})
             if ours.get(hosts) != wanted.get(hosts)]
    shared = sum(1 for found in wanted.values() if 1 < found["ports"] < found["queue_pairs"])
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    mixed = sum(1 for found in wanted.values() if found["mtu_min"] != found["mtu_max"])
    print(f"{len(wanted)} pairs of hosts, {shared} with ports that some share, {mixed} with two MTUs: {len(wrong)} differences")
    return bool(wrong) or len(wanted) < ENOUGH or not shared or not mixed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
