#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ends.py PCAP-LINT LOUD MADE: where a packet ends, for the rules and for --repair; rules that silence others.

On every capture, real and made, and on made ones with one length of each packet spoiled here: where --repair
changes a length and leaves the ICRC as it is, no rule says that the ICRC is wrong.

LOUD is pcap-lint without dissector/lint/base/silence.def. Of each row there is a packet of which LOUD says both
rules, and pcap-lint the silencing one alone; they differ in nothing else.
"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINT, LOUD, MADE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
ROW = re.compile(r"^(?:LINT_SILENCE|BY_LENGTH)\((\w+), (\w+)[,)]", re.M)
ROWS = set(ROW.findall((ROOT / "dissector/lint/base/silence.def").read_text())) - {("silent", "by")}
# Byte, bytes and bits of the length of each header.
LENGTHS = {"lrh": (4, 2, 0x07ff), "grh": (4, 2, 0xffff), "ipv4": (2, 2, 0xffff), "ipv6": (4, 2, 0xffff),
           "udp": (4, 2, 0xffff)}
ICRC_RULES = {"CRC001", "CRC002", "CRC003", "CRC004", "CRC005", "CRC006", "CRC012", "CRC013"}
faults = []


def run(*args):
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{args}: status {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def findings(program, path):
    """{frame: {rule}}"""
    found = {}
    for line in run(program, *OPTIONS, path):
        if line["type"] == "finding":
            found.setdefault(line["frame"], set()).add(line["rule"])
    return found


def compare(path, tmp, seen):
    """Returns how many lengths --repair changed by the ICRC's witness."""
    quiet, loud, witnessed = findings(LINT, path), findings(LOUD, path), 0
    for frame in loud:
        have, said = quiet.get(frame, set()), loud[frame]
        rows = {(silent, by) for silent, by in ROWS if by in have and silent in said and silent not in have}
        seen.update(rows)
        missing = said - have - {silent for silent, _ in rows}
        if missing or have - said:
            faults.append(f"{path.name}:{frame}: {sorted(said)} without silence.def, {sorted(have)} with it")
    for line in run(LINT, "--repair", tmp / "out.pcapng", "--format", "json", path):
        if line["type"] != "repair":
            continue
        changed = {f"{c['layer']}.{c['field']}" for c in line["changes"]}
        if changed & {"lrh.pktlen", "grh.paylen", "ipv4.total_len", "ipv6.paylen", "udp.length"} and "bth.icrc" not in changed:
            witnessed += 1
            wrong = quiet.get(line["frame"], set()) & ICRC_RULES
            if wrong:
                faults.append(f"{path.name}:{line['frame']}: {wrong}, but --repair changes {changed} alone")
    return witnessed


def frames_of(data):
    at = 24
    while at < len(data):
        caplen, = struct.unpack("<I", data[at + 8:at + 12])
        yield data[at:at + 16], bytearray(data[at + 16:at + 16 + caplen])
        at += 16 + caplen


def spoiled(path, tmp):
    """The capture with a length of each packet changed, by a little or to whatever it may be."""
    rng, data, out = random.Random(path.name), path.read_bytes(), tmp / f"spoiled-{path.name}"
    packets = [line for line in run(LINT, "--decode", "--format", "json", path) if line["type"] == "packet"]
    with out.open("wb") as file:
        file.write(data[:24])
        for packet, (record, frame) in zip(packets, frames_of(data), strict=True):
            places = [(layer["offset"] + LENGTHS[layer["name"]][0], *LENGTHS[layer["name"]][1:])
                      for layer in packet["layers"] if layer["name"] in LENGTHS]
            if "vxlan" not in {layer["name"] for layer in packet["layers"]}:
                at, n, mask = rng.choice(places)
                value = int.from_bytes(frame[at:at + n], "big")
                length = rng.choice((value ^ (1 << rng.randrange(3)), value - 4, value + 4, rng.getrandbits(11)))
                frame[at:at + n] = (value & ~mask | length & mask).to_bytes(n, "big")
            file.write(record + frame)
    return out


def main():
    real = sorted(ROOT.glob("pcaps/*/*.pcap*"))
    made = sorted(path for path in MADE.glob("*.pcap*") if path.suffix in (".pcap", ".pcapng"))
    seen, witnessed = set(), 0
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        for path in real + made:
            compare(path, tmp, seen)
        for path in sorted(MADE.glob("opcodes-*.pcap")):
            witnessed += compare(spoiled(path, tmp), tmp, seen)
    faults[:0] = [f"silence.def: {row}: nothing shows it" for row in sorted(ROWS - seen)]
    print("\n".join(faults[:40]))
    print(f"{len(real)} + {len(made)} captures, {witnessed} wrong lengths witnessed, {len(seen)} of {len(ROWS)} rows seen, "
          f"{len(faults)} faults")
    return 1 if faults or not real or witnessed < 1000 or not ROWS else 0


if __name__ == "__main__":
    sys.exit(main())
