#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""builtin.py PLUGIN MADE [FRAMES]: in augment mode what the built-in dissectors say stays as it is.

tshark -P -V, the line of the list and all details, with the plugin, its own tree left out, and without
the plugin, of the first FRAMES frames (0: all) of every capture.
"""
import itertools
import sys

import ws


def main():
    tshark, made = ws.Tshark(sys.argv[1]), sys.argv[2]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    capture = tshark.write_all("all.pcapng", ws.by_linktype(made, first or None))
    both = [tshark.read(capture, "-P", "-V", plugin=plugin) for plugin in (True, False)]
    got, want = map(ws.ours_out, both)
    faults = [f"{w!r} has become {g!r}" for w, g in itertools.zip_longest(want, got) if w != g]
    ours = [len(ws.ours_only(text)) for text in both]
    if not ours[0] or ours[1]:
        faults.insert(0, f"our tree has {ours[0]} lines with the plugin and {ours[1]} without")
    return ws.verdict(faults, f"{len(want)} lines, {ours[0]} of ours") if want else 1


if __name__ == "__main__":
    sys.exit(main())
