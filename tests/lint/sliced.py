#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sliced.py PCAP-LINT: captures cut to so many bytes a packet show nothing that they do not show whole.

What is cut off may hide a fault; it makes none. So a rule that finds nothing in a capture finds nothing
in what a snap length leaves of it, but the rules that say that packets are cut.
"""
import collections
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LENGTHS = (54, 58, 60, 64, 70, 74, 80, 96, 128)
# They say that packets are cut; at 54 to 60 bytes IPv6 has no BTH left, and the CM nothing that says who is who.
CUT = {"CAP004", "CAP005", "CAP011", "QPS001"}
# Only the CM says which halves are one: without it, each is one way, "or not captured". CAP008, which says that
# packets are there twice, compares payloads.
KNOWN = {("10-netem-dup-write.pcap", "QPS003"), ("05-rnr-finite.pcap", "QPS017"), ("06-rnr-infinite.pcap", "QPS017"),
         # Whose DREQ is cut off is still open, and waits.
         ("09-qp-destroyed.pcap", "QPS021"),
         ("31d-mirror-cm-loss-twice.pcap", "QPS002"), ("31d-mirror-cm-loss-twice.pcap", "QPS003")}
SHOWN = 30


def sliced(data, length):
    """A pcap, each packet of which has at most @length bytes."""
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    out, at = bytearray(data[:24]), 24
    struct.pack_into(order + "I", out, 16, length)
    while at < len(data):
        sec, frac, caplen, wire = struct.unpack_from(order + "IIII", data, at)
        part = data[at + 16:at + 16 + min(caplen, length)]
        out += struct.pack(order + "IIII", sec, frac, len(part), wire) + part
        at += 16 + caplen
    return bytes(out)


def findings(lint, paths):
    """{path: {rule: first line}}"""
    run = subprocess.run([lint, "--format", "json", "--severity", "note", "--fail-on", "never", *paths],
                         stdout=subprocess.PIPE, text=True, check=False)
    found = {str(path): {} for path in paths}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["type"] == "finding":
            found[row["file"]].setdefault(row["rule"], f"frame {row['frame']}: {row['rule']}: {row['message']}")
    return found


def main(lint):
    captures = sorted(path for room in ("rxe", "faults", "ulp") for path in (ROOT / "pcaps" / room).glob("*.pcap"))
    faults, rules = [], collections.Counter()
    whole = findings(lint, captures)
    with tempfile.TemporaryDirectory() as directory:
        for length in LENGTHS:
            parts = {}
            for path in captures:
                part = pathlib.Path(directory) / f"{length}-{path.name}"
                part.write_bytes(sliced(path.read_bytes(), length))
                parts[str(part)] = whole[str(path)]
            for part, found in findings(lint, parts).items():
                rules.update(found.keys())
                faults += [f"{pathlib.Path(part).name}: {line}" for rule, line in found.items()
                           if rule not in parts[part] and rule not in CUT and
                           (part.partition(f"/{length}-")[2], rule) not in KNOWN]
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{len(captures)} captures, {len(LENGTHS)} lengths: {rules['CAP004']} are cut, {len(faults)} faults")
    return bool(faults) or not captures or not rules["CAP004"] or not rules["CAP005"]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
