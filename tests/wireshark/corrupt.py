#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""corrupt.py PLUGIN MADE ROUNDS: damaged captures in both modes, read twice with all details.

Each round changes bytes of frames of one link type at another rate, from a seed that is the round's
number, and cuts some; tshark must end without a complaint of a sanitizer, a failed assertion or
exception of ours, or a crash. One tshark reads several rounds, because it takes longer to start than to
read one. The captures hold every family, which is checked first.
"""
import random
import re
import sys

import ws

RATES = (0.002, 0.01, 0.03, 0.1)
FRAMES = 60  # of a round
TOGETHER = 10  # rounds that one tshark reads, at most
MODES = ("augment", "takeover")
FAMILIES = ["rocev1", "rocev2", "ib", "ipoib", "mad", "smp_dr", "sa", "rmpp", "cm_req", "arp",
            "linkpkt", "cnp", "xrceth", "rdeth", "immdt"]
COMPLAINT = re.compile(r"(Dissector bug|exception)[^\n]*(ibwire|RDMA wire formats)", re.I)


def whole(linktype, data):
    """How many bytes stay as they are."""
    return ws.erf_header(data) if linktype == ws.ERF else 0


def damaged(linktype, frames, rate, rng):
    for sec, nsec, length, data in frames:
        data, keep = bytearray(data), whole(linktype, data)
        for _ in range(int(len(data) * rate) + 1):
            data[rng.randrange(keep, len(data))] = rng.randrange(256)
        if rng.random() < 0.1:
            data = data[:rng.randrange(keep, len(data))]
        yield sec, nsec, length, bytes(data)


def pool(made):
    """{link type: frames}, of every capture the first."""
    return {linktype: [frame for frame in frames if len(frame[3]) > whole(linktype, frame[3])]
            for linktype, (frames, _) in ws.by_linktype(made, 30).items()}


def absent(tshark, merged):
    """The families that no frame is of."""
    found = set()
    for linktype, frames in merged.items():
        capture = tshark.write("whole.pcap", linktype, frames)
        layers = [f"ibwire.{name}" for name in FAMILIES[4:]]
        text = tshark.read(capture, "-T", "fields", "-e", "ibwire.proto",
                           *(word for layer in layers for word in ("-e", layer)))
        for line in text.splitlines():
            proto, *cells = line.split("\t")
            found |= {name for name, cell in zip(FAMILIES[4:], cells) if cell}
            found |= {FAMILIES[int(proto) - 1]} if proto in ("1", "2", "3", "4") else set()
    return [f"no frame has {name}" for name in FAMILIES if name not in found]


def damage_of(merged, linktype, rounds):
    """What these rounds make of the frames of a link type."""
    for i in rounds:
        rng = random.Random(i)
        frames = rng.sample(merged[linktype], min(FRAMES, len(merged[linktype])))
        yield from damaged(linktype, frames, RATES[i % len(RATES)], rng)


def main():
    tshark, rounds = ws.Tshark(sys.argv[1]), int(sys.argv[3])
    merged = pool(sys.argv[2])
    faults = absent(tshark, merged)
    step = min(TOGETHER, max(1, rounds // (2 * len(merged))))
    for number, first in enumerate(range(0, rounds, step)):
        linktype, last = sorted(merged)[number % len(merged)], min(first + step, rounds) - 1
        capture = tshark.write("damaged.pcap", linktype,
                               damage_of(merged, linktype, range(first, last + 1)))
        for mode in MODES:
            where = f"rounds {first} to {last} ({mode}, link type {linktype})"
            try:
                text = tshark.read(capture, "-2", "-V", "-o", f"ibwire.mode:{mode}",
                                   infiniband="ibwire" if mode == "takeover" else "infiniband")
                if COMPLAINT.search(text):
                    faults.append(f"{where}: {COMPLAINT.search(text)[0]}")
            except SystemExit as stop:
                faults.append(f"{where}: {stop}")
    return ws.verdict(faults, f"{rounds} rounds of {len(merged)} link types in {len(MODES)} modes")


if __name__ == "__main__":
    sys.exit(main())
