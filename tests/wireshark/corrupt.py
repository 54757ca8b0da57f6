#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""corrupt.py PLUGIN MADE ROUNDS: damaged captures in both modes, read twice with all details.

Each round changes bytes of every frame at another rate, from a seed that is the round's number, and
cuts some; tshark must end without a complaint of a sanitizer, a failed assertion of ours or a crash.
"""
import random
import sys

import ws

RATES = (0.002, 0.01, 0.03, 0.1)


def damaged(frames, rate, rng):
    for sec, nsec, length, data in frames:
        data = bytearray(data)
        for _ in range(int(len(data) * rate) + 1):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.1:
            data = data[:rng.randrange(26, max(27, len(data)))]
        yield sec, nsec, length, bytes(data)


def main():
    tshark, rounds, faults = ws.Tshark(sys.argv[1]), int(sys.argv[3]), []
    merged = {linktype: [frame for frame in frames if len(frame[3]) > 40]
              for linktype, (frames, _) in ws.by_linktype(sys.argv[2], 30).items()
              if linktype != ws.ERF}
    for i in range(rounds):
        rng = random.Random(i)
        linktype = sorted(merged)[i % len(merged)]
        frames = rng.sample(merged[linktype], min(60, len(merged[linktype])))
        capture = tshark.write("damaged.pcap", linktype, damaged(frames, RATES[i % 4], rng))
        mode = ("augment", "takeover")[i // len(merged) % 2]
        try:
            tshark.read(capture, "-2", "-V", "-o", f"ibwire.mode:{mode}")
        except SystemExit as stop:
            faults.append(f"round {i} ({mode}): {stop}")
    return ws.verdict(faults, f"{rounds} rounds")


if __name__ == "__main__":
    sys.exit(main())
