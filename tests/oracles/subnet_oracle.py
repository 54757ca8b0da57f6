#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""subnet_oracle.py PCAP-LINT MADE [CAPTURE...]: groups, neighbours and subnet managers of `--stats --format json` against the oracle.

Likewise of RANDOM random subnets, whose members are also those that they were made with. Who is a member of which group at the end of each capture of pcaps/ and of those that pcaps/make wrote to MADE, with
JoinState and frame, each resolved neighbour of IPoIB with its frames, and what the SMPs say. A difference is printed with what pcap-lint
says, then the oracle.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import random_subnets  # noqa: E402
import subnet  # noqa: E402
import sweep  # noqa: E402

KEYS = ("address", "lid", "gid", "qpn", "qpn_changes", "asked", "answered", "query", "path", "refused", "data", "back",
        "rdma_req", "rdma_rep", "rdma_rej", "state")
UNSAID = ("type", "schema", "file", "master_node", "lid_node")  # names are fabric_oracle.py's
AT_ONCE = 100  # captures a run
RANDOM = 200


def product(lint, paths):
    """{path: (members by group, resolved neighbours, [object sm])} as pcap-lint prints them."""
    found = {str(path): ({}, [], []) for path in paths}
    for i in range(0, len(paths), AT_ONCE):
        run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", *paths[i:i + AT_ONCE]],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        for line in run.stdout.splitlines():
            if line.startswith('{"type":"group"'):
                group = json.loads(line)
                if group["members"]:
                    found[group["file"]][0][group["mgid"]] = [[m["address"], m["join_state"], m["frame"]]
                                                              for m in group["members"]]
            elif line.startswith('{"type":"neighbour"'):
                one = json.loads(line)
                if one["answered"]:
                    found[one["file"]][1].append({key: one[key] for key in KEYS})
            elif line.startswith('{"type":"sm"'):
                one = json.loads(line)
                for row in one["managers"]:
                    del row["node"], row["lid_node"]
                found[one["file"]][2].append({key: one[key] for key in one if key not in UNSAID})
    return found


def unlike(path, ours, oracle):
    """Of the object sm."""
    for key in sorted({*ours, *oracle}):
        if ours.get(key) != oracle.get(key):
            yield f"{path.name}: sm {key}: {str(ours.get(key))[:300]}, the oracle {str(oracle.get(key))[:300]}"


def compare(path, ours, oracle):
    wrong = [f"{path.name}: group {mgid}: {ours[0].get(mgid)}, the oracle {oracle[0].get(mgid)}"
             for mgid in sorted({*ours[0], *oracle[0]}) if ours[0].get(mgid) != oracle[0].get(mgid)]
    mine, others = (sorted(map(json.dumps, rows)) for rows in (ours[1], oracle[1]))
    wrong += [f"{path.name}: neighbour {one}: not the oracle's" for one in mine if one not in others]
    wrong += [f"{path.name}: neighbour {one}: the oracle's only" for one in others if one not in mine]
    return wrong + list(unlike(path, *(rows[0] if rows else {} for rows in (ours[2], oracle[2]))))


def at_random(lint, directory):
    """Differences, members and neighbours of random subnets."""
    made = {}
    for seed in range(RANDOM):
        path = pathlib.Path(directory) / f"{seed}.pcap"
        data, made[path] = random_subnets.scenario(seed)
        path.write_bytes(data)
    found, differences, members, neighbours = product(lint, list(made)), [], 0, 0
    for path, truth in made.items():
        oracle = *subnet.subnet(path), []
        differences += compare(path, found[str(path)], oracle)
        said = {(mgid, address): state for mgid, rows in oracle[0].items() for address, state, _ in rows}
        differences += [f"seed {path.stem}: {key}: {said.get(key)}, made with {truth.get(key)}"
                        for key in sorted({*said, *truth}) if said.get(key) != truth.get(key)]
        members += len(truth)
        neighbours += len(oracle[1])
    print(f"{members} members and {neighbours} neighbours of {RANDOM} random subnets: {len(differences)} differences")
    return differences if members > RANDOM and neighbours > RANDOM else [*differences, "too few"]


def main(lint, made, *given):
    paths = [pathlib.Path(path) for path in given] or \
        sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *pathlib.Path(made).glob("*.pcap*")])
    found = product(lint, paths)
    members = neighbours = managed = ports = captures = 0
    differences = []
    for path in paths:
        try:
            oracle = *subnet.subnet(path), list(filter(None, [sweep.sweep(path)]))
        except capture.Skipped as why:
            print(f"{path.name}: {why}")
            continue
        differences += compare(path, found[str(path)], oracle)
        captures += 1
        members += sum(map(len, oracle[0].values()))
        neighbours += len(oracle[1])
        managed += len(oracle[2])
        ports += sum(row["ports"] for row in oracle[2])
    if not given:
        with tempfile.TemporaryDirectory() as directory:
            differences += at_random(lint, directory)
    print(*differences[:40], sep="\n", end="\n" if differences else "")
    print(f"{members} members, {neighbours} neighbours and {ports} ports of {managed} subnets in {captures} captures: "
          f"{len(differences)} differences")
    of_made = any(path.parent == pathlib.Path(made) for path in paths)
    return bool(differences or not members or (not given and not (neighbours and ports and of_made)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
