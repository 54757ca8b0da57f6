#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""public_iwarp.py PCAP-LINT: what is found of the public captures of iWARP in tests/data/public-iwarp.txt is what is listed there."""
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).resolve().parents[1] / "data/public-iwarp.txt"
RUN = re.compile(r"<([0-9a-f]{2})\*(\d+)>")


def captures():
    """({name: [frame]}, {name: {(rule, frame, severity): how many}})"""
    frames, wanted, name = {}, {}, None
    for line in LIST.read_text(encoding="ascii").splitlines():
        words = line.split()
        if not words or words[0] == "#" or words[0].startswith("#"):
            continue
        if words[0] == "capture":
            name = words[1]
            frames[name], wanted[name] = [], collections.Counter()
        elif words[0] == "=":
            wanted[name][words[1], int(words[2]), words[3]] += 1
        else:
            seconds, micros = map(int, words[0].split("."))
            data = bytes.fromhex(RUN.sub(lambda match: match[1] * int(match[2]), words[1]))
            frames[name].append(struct.pack("<IIII", seconds, micros, len(data), len(data)) + data)
    return frames, wanted


def main(lint):
    frames, wanted = captures()
    with tempfile.TemporaryDirectory() as directory:
        paths = {name: pathlib.Path(directory) / f"{name}.pcap" for name in frames}
        for name, path in paths.items():
            path.write_bytes(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1) + b"".join(frames[name]))
        out = subprocess.run([lint, "--config", "none", "--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                              "--progress", "never", *paths.values()], capture_output=True, text=True, check=True).stdout
    found, connections = {name: collections.Counter() for name in frames}, 0
    for row in map(json.loads, out.splitlines()):
        if row["type"] == "finding" and (row["rule"].startswith("IWP") or row["severity"] in ("error", "warning")):
            found[pathlib.Path(row["file"]).stem][row["rule"], row["frame"], row["severity"]] += 1
        elif row["type"] == "summary":
            connections += row.get("iwarp", {}).get("connections", 0)
    faults = [f"{name}: found {dict(found[name] - want)}, not found {dict(want - found[name])}" for name, want in wanted.items() if found[name] != want]
    if connections != len(frames):
        faults.append(f"{connections} connections of iWARP in {len(frames)} captures")
    print("\n".join([*faults, f"{len(frames)} captures, {sum(map(len, frames.values()))} frames, {sum(sum(want.values()) for want in wanted.values())} "
                     f"findings listed, {len(faults)} faults"]))
    return bool(faults) or not frames


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
