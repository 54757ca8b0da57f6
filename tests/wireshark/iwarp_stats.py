#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_stats.py PLUGIN PCAP-LINT MADE: -z ibwire,flows and -z ibwire,srt say of iWARP what pcap-lint does.

Of each capture of pcaps/siw and of those of iWARP in MADE, with -2 and in a single pass: each line of -z ibwire,flows is that of pcap-lint --stats,
and the messages of -z ibwire,srt are the READs and atomics that pcap-lint --decode --messages has answers to. Captures without iWARP have no
column of it, and TCP that is none has no line.
"""
import pathlib
import shutil
import sys

import flows
import iwarp
import srt
import ws

TAPS = ("-q", "-z", "ibwire,flows", "-z", "ibwire,srt")
TCP_ALONE = ("09-reject-nolistener", "lint-iwp-mid-3")
WITHOUT = ("congestion", "fragments", "arp", "lint-cap-no-rdma")


def compare(tshark, lint, path, compared):
    """How many lines and times of iWARP it has."""
    capture = tshark.dir / path.name
    shutil.copyfile(path, capture)
    want = flows.of_lint(lint, path)
    answered = srt.of_iwarp(lint, path)
    messages = {verb: srt.figures(times) for verb, times in answered.items()}
    n = sum(line[2] == flows.IWARP for line in want)
    for options in ([], ["-2"]):
        text = tshark.read(capture, *TAPS, *options)
        compared.same("line", f"{path.name} {options}", flows.of_text(text), want)
        if n:
            compared.same("times", f"{path.name} {options}", srt.tables(text)[0].get(srt.TABLES[0], {}), messages)
    return n, {verb: len(times) for verb, times in answered.items()}


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    paths = sorted((ws.ROOT / "pcaps/siw").glob("*.pcap")) + [made / f"lint-iwp-{name}.pcap" for name in iwarp.MADE]
    compared, lines, times = ws.Compared(), 0, dict.fromkeys(srt.ANSWERED.values(), 0)
    for path in paths:
        n, answered = compare(tshark, lint, path, compared)
        lines += n
        for verb, calls in answered.items():
            times[verb] += calls
        compared.same("has iWARP", path.name, n > 0, path.stem not in TCP_ALONE)
    for name in WITHOUT:
        n, answered = compare(tshark, lint, made / f"{name}.pcap", compared)
        compared.same("has none", name, (n, answered), (0, {}))
    compared.same("READs and atomics", "all", min(times["READ"], times["atomic"]) > 3, True)
    return ws.verdict(compared.faults, f"{len(paths)} captures: {lines} lines, {times}; {len(WITHOUT)} without iWARP")


if __name__ == "__main__":
    sys.exit(main())
