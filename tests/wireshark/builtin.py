#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""builtin.py PLUGIN MADE [FRAMES]: in augment mode what the built-in dissectors say stays as it is.

tshark -V with the plugin, its own tree left out, and without the plugin, of the first FRAMES frames
(0: all) of every capture; and the one-line listing.
"""
import itertools
import sys

import ws


def main():
    tshark, made, faults, compared = ws.Tshark(sys.argv[1]), sys.argv[2], [], 0
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    for linktype, (frames, _) in ws.by_linktype(made, first or None).items():
        capture = tshark.write(f"{linktype}.pcap", linktype, frames)
        for options in ([], ["-V"]):
            got = ws.ours_out(tshark.read(capture, *options))
            want = ws.ours_out(tshark.read(capture, *options, plugin=False))
            compared += len(want)
            faults += [f"{linktype}: {w!r} has become {g!r}"
                       for w, g in itertools.zip_longest(want, got) if w != g]
    return ws.verdict(faults, f"{compared} lines") if compared else 1


if __name__ == "__main__":
    sys.exit(main())
