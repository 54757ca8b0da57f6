#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""builtin.py PLUGIN MADE [FRAMES]: in augment mode what the built-in dissectors say stays as it is.

tshark -P -V, the line of the list and all details, with the plugin, its own tree left out, and without
the plugin, of the first FRAMES frames (0: all) of every capture. But the line of a packet with a bad ICRC says
so, and only that. In the hierarchy of protocols the plugin is nowhere, and where there is no RDMA, it has no tree.
"""
import itertools
import re
import sys

import ws


BAD = "[ICRC incorrect]"
COUNTED = re.compile(r"^( *\S+ +frames:\d+ bytes:\d+)$", re.M)


def hierarchy(tshark, capture):
    """Faults in what -z io,phs counts."""
    both = [COUNTED.findall(tshark.read(capture, "-q", "-z", "io,phs", plugin=plugin))
            for plugin in (True, False)]
    if not both[1]:
        yield "io,phs has no lines"
    yield from (f"io,phs: {line} is not in both" for line in sorted(set(both[0]) ^ set(both[1])))


def said_of_crcs(lines):
    """The lines without what is said of a bad ICRC and of connections, and how often that was of an ICRC."""
    lines = [ws.without_said(line) for line in lines]
    return [line.removesuffix(BAD).removesuffix(" ") if line.endswith(BAD) else line.removesuffix(" ")
            for line in lines], sum(line.endswith(BAD) for line in lines)


def not_rdma(tshark, capture):
    """Frames that have a tree of ours, but nothing of RDMA, and nothing that a rule found; of iWARP those of its streams do: iwarp.py."""
    said = tshark.read(capture, "-Y", "ibwire && !ibwire.lint && (arp || (tcp && !ibwire.stream) || icmpv6 || eth.type == 0x8808)"
                       " && !infiniband && !ipoib")
    return [f"a tree of ours: {line}" for line in said.splitlines()]


def main():
    tshark, made = ws.Tshark(sys.argv[1]), sys.argv[2]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    capture = tshark.write_all("all.pcapng", ws.by_linktype(made, first or None))
    both = [tshark.read(capture, "-P", "-V", plugin=plugin) for plugin in (True, False)]
    (got, bad), (want, _) = (said_of_crcs(ws.ours_out(text)) for text in both)
    faults = [f"{w!r} has become {g!r}" for w, g in itertools.zip_longest(want, got) if w != g]
    ours = [len(ws.ours_only(text)) for text in both]
    if not ours[0] or ours[1]:
        faults.insert(0, f"our tree has {ours[0]} lines with the plugin and {ours[1]} without")
    wrong = len(tshark.read(capture, "-Y", "ibwire.icrc.status == 0", "-T", "fields", "-e",
                            "frame.number").split())
    if not bad or bad != wrong:
        faults.append(f"{bad} lines say that the ICRC is bad, {wrong} are")
    faults += [*hierarchy(tshark, capture), *not_rdma(tshark, capture)]
    return ws.verdict(faults, f"{len(want)} lines, {ours[0]} of ours") if want else 1


if __name__ == "__main__":
    sys.exit(main())
