#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""corrupt.py PLUGIN MADE ROUNDS: damaged captures in both modes, read twice with all details.

Each round changes bytes of frames of one link type at one of several rates, from a seed that is the
round's number, and cuts some; tshark must end without a complaint of a sanitizer, a failed assertion or
exception of ours, or a crash. One tshark reads many rounds, because it takes longer to start than to
read one. The captures hold every family, which is checked first.
"""
import random
import re
import sys

import ws
sys.path.insert(0, str(ws.ROOT / "tests/lib"))
import sample  # noqa: E402

RATES = (0.002, 0.01, 0.03, 0.1)
FRAMES = 60  # of a round
TOGETHER = 40  # rounds that one tshark reads
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
    """{link type: (frames, [])}, of every capture the first."""
    return {linktype: ([frame for frame in frames if len(frame[3]) > whole(linktype, frame[3])], [])
            for linktype, (frames, _) in ws.by_linktype(made, 30).items()}


def absent(tshark, merged):
    """The families that no frame is of."""
    found = set()
    layers = [f"ibwire.{name}" for name in FAMILIES[4:]]
    text = tshark.read(tshark.write_all("whole.pcapng", merged), "-T", "fields", "-e", "ibwire.proto",
                       *(word for layer in layers for word in ("-e", layer)))
    for line in text.splitlines():
        proto, *cells = line.split("\t")
        found |= {name for name, cell in zip(FAMILIES[4:], cells) if cell}
        found |= {FAMILIES[int(proto) - 1]} if proto in ("1", "2", "3", "4") else set()
    return [f"no frame has {name}" for name in FAMILIES if name not in found]


def damage_of(merged, rounds):
    """What these rounds make of the frames, of each round one link type."""
    damage, linktypes = {}, sorted(merged)
    for i in rounds:
        linktype, rng = linktypes[i % len(linktypes)], random.Random(i)
        frames, _ = merged[linktype]
        frames = rng.sample(frames, min(FRAMES, len(frames)))
        into, _ = damage.setdefault(linktype, ([], []))
        into += damaged(linktype, frames, RATES[i // len(linktypes) % len(RATES)], rng)
    return damage


def main():
    tshark, rounds = ws.Tshark(sys.argv[1]), sample.seeds(int(sys.argv[3]))
    merged = pool(sys.argv[2])
    faults = absent(tshark, merged)
    for first in range(0, len(rounds), TOGETHER):
        some = rounds[first:first + TOGETHER]
        capture = tshark.write_all("damaged.pcapng", damage_of(merged, some))
        for mode in MODES:
            where = f"rounds {some[0]} to {some[-1]} ({mode})"
            try:
                text = tshark.read(capture, "-2", "-V", "-o", f"ibwire.mode:{mode}",
                                   infiniband="ibwire" if mode == "takeover" else "infiniband")
                if COMPLAINT.search(text):
                    faults.append(f"{where}: {COMPLAINT.search(text)[0]}")
            except SystemExit as stop:
                faults.append(f"{where}: {stop}")
    return ws.verdict(faults, f"{len(rounds)} rounds of {len(merged)} link types in {len(MODES)} modes")


if __name__ == "__main__":
    sys.exit(main())
