#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bench_wireshark.py BUILD [BYTES]: tshark with the plugin and without it, in the same run.

Augment mode against tshark alone, both with one line a packet; take-over mode against tshark
alone, both with the same fields: by the built-in dissector's names, by ours, and by the former where
each field is in the tree under both, as is the default. The figure is the least CPU time of ROUNDS, by turns;
and, because a machine others work on cannot tell some hundredths, the instructions a packet takes by
callgrind: those of MANY packets less those of FEW.
"""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "wireshark"))
import ws  # noqa: E402

ROUNDS = 3
FEW, MANY = 200, 1200
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


@functools.cache
def instructions(tshark, plugin, *words):
    """Thousands of instructions a packet."""
    def run(packets):
        process = tshark.start("--tool=callgrind", "--callgrind-out-file=/dev/null", tshark.program,
                               "-n", "-c", packets, *words, plugin=plugin, program="valgrind",
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        text = process.communicate()[1]
        return int(re.search(r"Collected : (\d+)", text)[1])

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        few, many = pool.map(run, (FEW, MANY))
    return (many - few) / (MANY - FEW) / 1000


def measure(tshark, path):
    for what, (alone, ours) in MODES.items():
        runs = [(tshark, False, [*alone, "-r", path]), (tshark, True, [*ours, "-r", path])]
        rounds = [[seconds(*run) for run in runs] for _ in range(ROUNDS)]
        rows = [tuple(min(column) for column in zip(*rounds))]
        if shutil.which("valgrind"):
            rows.append(tuple(instructions(tshark, plugin, *words) for _, plugin, words in runs))
        figures = [(was, now, now / was) for was, now in rows]
        print(f"{what:27}" + "".join(f"{was:9.2f}{now:9.2f}{ratio:7.2f}" for was, now, ratio in figures),
              flush=True)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    size = sys.argv[2] if len(sys.argv) > 2 else str(BYTES)
    tshark = ws.Tshark(build / "dissector/wireshark/ibwire.so")
    for kind in ("write", "acks"):
        path = tshark.dir / f"{kind}.pcap"
        packets = subprocess.run([build / "tests/capture-bench", kind, path, size],
                                 capture_output=True, text=True, check=True).stdout.strip()
        print(f"\n{kind}: {packets} packets\n{'':27}{'CPU s':>9}{'ibwire':>9}{'ratio':>7}"
              f"{'1000 I':>9}{'ibwire':>9}{'ratio':>7}")
        measure(tshark, path)


main()
