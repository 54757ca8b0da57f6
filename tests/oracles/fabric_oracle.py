#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fabric_oracle.py PCAP-LINT MADE [CAPTURE...]: nodes, links, traps, counters, partitions and managers of `--stats --format json` against the oracle.

Of each capture of pcaps/ and of those that pcaps/make wrote to MADE, and of RANDOM random fabrics, of which it is also known what was
made: each difference is printed with what pcap-lint says, then the oracle.
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

import capture  # noqa: E402
import chronicle  # noqa: E402
import fabric  # noqa: E402
import random_fabrics  # noqa: E402
import subnet  # noqa: E402
import sweep  # noqa: E402

KINDS = ("node", "link", "trap", "counter", "partition", "sm")
CLASSES = (0x01, 0x81, 4)
AT_ONCE = 100  # captures a run
RANDOM = 200


def product(lint, paths):
    """{path: {kind: [row]}} as pcap-lint prints them."""
    found = {str(path): {kind: [] for kind in KINDS} for path in paths}
    for i in range(0, len(paths), AT_ONCE):
        run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", *paths[i:i + AT_ONCE]],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        for line in run.stdout.splitlines():
            kind = line[9:line.index('"', 9)]
            if kind in KINDS:
                one = json.loads(line)
                if one.pop("schema") != 3:
                    raise SystemExit(f"{line[:80]}: schema is not 3")
                found[one.pop("file")][one.pop("type")].append(one)
    return found


def oracle(path):
    """{kind: [row]} of the bytes."""
    found = fabric.Fabric()
    for record in capture.records(path):
        d = subnet.datagram(record)
        if d and subnet.is_mad(d) and len(d.body) == 256 and d.body[0] == 1 and d.body[1] in CLASSES:
            found.mad(record, d)
    managed = sweep.sweep(path)
    return {**found.rows(), "sm": [found.named(managed)] if managed else []}


def run_story(lint, paths, *args):
    return subprocess.run([lint, "--story", "subnet", "-q", "--ignore", "all", *args, *paths], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False).stdout.splitlines()


def texts(lines):
    """{file: [(frame, sentence)]} of text."""
    found, rows = {}, []
    for line in lines:
        if line.endswith(": story of the subnet"):
            rows = found[line[:line.rindex(": ")]] = []
        elif line.startswith("  frame "):
            frame, sentence = line[8:].split(": ", 1)
            rows.append((int(frame.split(",")[0]), sentence))
    return found


def stories(lint, paths):
    """{path: ([{event, frame, count}], how many more)} of --story subnet, and whether text says the same."""
    found, said = {str(path): ([], 0) for path in paths}, {}
    for i in range(0, len(paths), AT_ONCE):
        for line in run_story(lint, paths[i:i + AT_ONCE], "--format", "json"):
            one = json.loads(line)
            if one["type"] == "story":
                found[one["file"]] = [], one["more"]
            elif one["type"] == "event":
                found[one["file"]][0].append({key: one[key] for key in ("event", "frame", "count")})
                said.setdefault(one["file"], []).append((one["frame"], one["text"]))
        told = texts(run_story(lint, paths[i:i + AT_ONCE]))
        for path in map(str, paths[i:i + AT_ONCE]):
            if told.get(path, []) != said.get(path, []):
                raise SystemExit(f"{path}: text tells {told.get(path)}, JSON {said.get(path)}")
    return found


def story_of(path):
    """The same of the bytes."""
    found = chronicle.Chronicle()
    for record in capture.records(path):
        d = subnet.datagram(record)
        if d and subnet.is_mad(d) and len(d.body) == 256 and d.body[0] == 1 and d.body[1] in (*CLASSES, subnet.SA):
            found.mad(record, d)
    return found.chosen()


def compare_stories(lint, paths, told):
    """Differences; what is told is counted in @told."""
    differences = []
    for path, ours in stories(lint, paths).items():
        try:
            others = story_of(pathlib.Path(path))
        except capture.Skipped:
            continue
        for one in others[0]:
            told[one["event"]] += one["count"]
        if tuple(ours) != others:
            differences.append(f"{path}: story of {ours}, the oracle's {others}"[:900])
    return differences


def unlike(name, ours, others):
    """A line for each row and key that differs."""
    for kind in KINDS:
        if len(ours[kind]) != len(others[kind]):
            yield f"{name}: {len(ours[kind])} {kind} lines, the oracle has {len(others[kind])}"
            continue
        for i, (mine, other) in enumerate(zip(ours[kind], others[kind])):
            for key in sorted({*mine, *other}):
                if mine.get(key, "absent") != other.get(key, "absent"):
                    yield f"{name}: {kind} {i} {key}: {str(mine.get(key, 'absent'))[:200]}, the oracle " \
                          f"{str(other.get(key, 'absent'))[:200]}"


def at_random(lint, directory):
    """Differences and rows of random fabrics."""
    made, differences, rows = {}, [], dict.fromkeys(KINDS, 0)
    for seed in range(RANDOM):
        path = pathlib.Path(directory) / f"{seed}.pcap"
        data, made[path] = random_fabrics.scenario(seed)
        path.write_bytes(data)
    found = product(lint, list(made))
    for path, truth in made.items():
        said = oracle(path)
        differences += unlike(f"seed {path.stem}", found[str(path)], said)
        differences += [f"seed {path.stem}: {key}: the oracle has {value}, it was made with {truth.get(key)}"
                        for key, value in random_fabrics.known(said).items() if value != truth.get(key)]
        for kind in KINDS:
            rows[kind] += len(said[kind])
    told = collections.Counter()
    differences += compare_stories(lint, list(made), told)
    print(f"{rows}, stories of {dict(told)} in {RANDOM} random fabrics: {len(differences)} differences")
    return differences if min(rows.values()) >= RANDOM else [*differences, "too few"]


def main(lint, made, *given):
    paths = [pathlib.Path(path) for path in given] or \
        sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *pathlib.Path(made).glob("*.pcap*")])
    found, differences, rows, captures = product(lint, paths), [], dict.fromkeys(KINDS, 0), 0
    for path in paths:
        try:
            said = oracle(path)
        except capture.Skipped as why:
            print(f"{path.name}: {why}")
            continue
        captures += 1
        differences += unlike(path.name, found[str(path)], said)
        for kind in KINDS:
            rows[kind] += len(said[kind])
    told = collections.Counter()
    differences += compare_stories(lint, paths, told)
    if not given:
        with tempfile.TemporaryDirectory() as directory:
            differences += at_random(lint, directory)
    print(*differences[:40], sep="\n", end="\n" if differences else "")
    print(f"{rows}, stories of {dict(told)} in {captures} captures: {len(differences)} differences")
    return bool(differences or not captures or (not given and not (
        all(rows.values()) and set(told) == set(chronicle.ORDER) and any(pathlib.Path(made).glob("*.pcap*")))))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
