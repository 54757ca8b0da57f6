#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""made_lint.py PCAP-LINT MADE: the opcodes-*.pcap of pcaps/make are complete and healthy.

Each framing has a file with one packet of each opcode of list/opcodes.def, no other and none twice,
by pcap-lint's own reading. None has a finding, whatever the severity; of the files as a whole
only what is true of them is said. (That tshark agrees is made_tshark.py's, that every packet-scoped
rule has a packet that fires it lint_rules.py's.)
"""
import json
import pathlib
import re
import subprocess
import sys

import streams

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
# Each with a VLAN where there is Ethernet, once with two.
FRAMINGS = ("ib-local ib-global roce-v1 roce-v1-vlan roce-v2-ipv4 roce-v2-ipv4-vlan"
            " roce-v2-ipv4-qinq roce-v2-ipv6 roce-v2-ipv6-vlan").split()
# An FCS in the records of capture cards; IPv6 without a UDP checksum, as RoCE v2 sends it.
TRUE_OF_FILES = {"CAP012", "ROC007"}


def read(*args):
    done = subprocess.run([LINT, *args], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    text = (ROOT / "include/ibwire/list/opcodes.def").read_text()
    table = sorted(int(code, 16) for code in re.findall(r"^IBW_OPCODE\((0x\w+),", text, re.M))
    files = {path.stem.removeprefix("opcodes-"): path for path in MADE.glob("opcodes-*.pcap")}
    faults = [f"no file of {name}" for name in FRAMINGS if name not in files]
    packets = 0
    for name, path in sorted(files.items()):
        rows = [row for row in read("--decode", "--format", "json", path) if row["type"] == "packet"]
        opcodes = [layer["fields"]["opcode"] for row in rows for layer in row["layers"]
                   if layer["name"] == "bth"]
        if opcodes != table:
            faults.append(f"{name}: opcodes {sorted(set(table) ^ set(opcodes))}, {len(rows)} packets")
        packets += len(rows)
        faults += [f"{name}: {row.get('frame')}: {row['rule']}: {row['message']}"
                   for row in read(*OPTIONS, path)
                   if row["type"] == "finding" and row["rule"] not in TRUE_OF_FILES | streams.of_connections()]
    print("\n".join(faults + [f"{packets} packets of {len(table)} opcodes in {len(files)} framings,"
                              f" {len(faults)} faults"]))
    return 1 if faults or not packets else 0


if __name__ == "__main__":
    sys.exit(main())
