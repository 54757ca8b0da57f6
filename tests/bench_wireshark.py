#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bench_wireshark.py BUILD [BYTES]: tshark with the plugin and without it, in the same run.

Augment mode against tshark alone, both with one line a packet; take-over mode against tshark
alone, both with the same fields: by the built-in dissector's names, by ours, and by the former where
each field is in the tree under both, as is the default. The figure is the least CPU time of ROUNDS, by turns."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parent / "wireshark"))
import ws  # noqa: E402

ROUNDS = 3
BYTES = 25_000_000
FRAME = ("frame.number", "ip.src", "ip.dst")
BUILTIN = ("infiniband.bth.opcode", "infiniband.bth.destqp", "infiniband.bth.psn",
           "infiniband.aeth.msn", "infiniband.reth.va")
OURS = ("ibwire.bth.opcode", "ibwire.bth.dqpn", "ibwire.bth.psn", "ibwire.aeth.msn",
        "ibwire.reth.va")


def fields(names):
    return ["-T", "fields", *(word for field in FRAME + names for word in ("-e", field))]


TAKEOVER = ["-o", "ibwire.mode:takeover"]

# what: what tshark alone is asked for, what with the plugin
MODES = {
    "one line a packet, augment": ([], ["-o", "ibwire.mode:augment"]),
    "-T fields, infiniband.*": (fields(BUILTIN), [*TAKEOVER, "-o", "ibwire.names:infiniband",
                                                  *fields(BUILTIN)]),
    "-T fields, ibwire.*": (fields(BUILTIN), [*TAKEOVER, "-o", "ibwire.names:ibwire",
                                              *fields(OURS)]),
    "-T fields, both names": (fields(BUILTIN), [*TAKEOVER, *fields(BUILTIN)]),
}


def seconds(tshark, plugin, words):
    """CPU seconds of tshark, and of nothing else."""
    process = tshark.start("-n", *words, plugin=plugin, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"bench: tshark {' '.join(map(str, words))}: status {status}")
    return usage.ru_utime + usage.ru_stime


def measure(tshark, what, path):
    alone, ours = ([*words, "-r", path] for words in MODES[what])
    rounds = [(seconds(tshark, False, alone), seconds(tshark, True, ours)) for _ in range(ROUNDS)]
    alone, plugin = (min(column) for column in zip(*rounds))
    print(f"{what:28}{alone:10.2f}{plugin:10.2f}{plugin / alone:9.2f}")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    size = sys.argv[2] if len(sys.argv) > 2 else str(BYTES)
    tshark = ws.Tshark(build / "dissector/wireshark/ibwire.so")
    for kind in ("write", "acks"):
        path = tshark.dir / f"{kind}.pcap"
        packets = subprocess.run([build / "tests/capture-bench", kind, path, size],
                                 capture_output=True, text=True, check=True).stdout.strip()
        print(f"\n{kind}: {packets} packets\n{'CPU s':28}{'alone':>10}{'ibwire':>10}{'ratio':>9}")
        for what in MODES:
            measure(tshark, what, path)


main()
