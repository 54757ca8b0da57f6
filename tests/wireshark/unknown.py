#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""unknown.py PLUGIN MADE: link type 247 in a pcapng, which Wireshark opens as one it does not know.

Where a CRC shows that a packet is InfiniBand, our tree is that of the same bytes as a user link type; in
take-over mode the columns are, too. All other packets, and in the other modes what is said next to our
tree, are as without the plugin.
"""
import random
import re
import sys

import findings
import ws

FRAMES = 60  # of each capture
OTHER = 65000  # no link type
# What the packets of a connection say of each other: here some of them are not known to be any.
OF_STREAM = re.compile(r"(?<=^RDMA), stream \d+"
                       r"|^    \[(Not reassembled|Reassembled in): .*\n"
                       r"|^    \[(Analysis|Connection|Flight)\]\n(        .*\n)*", re.M)
OF_SEVERAL = ",".join(sorted(rule for rule, said in findings.RULES.items() if said.scope != "PACKET"))


def listing(tshark, capture, *options, plugin=True):
    """Of each frame its line of the list, what is said of it, and our tree."""
    text = tshark.read(capture, "-P", "-V", *(["-o", f"ibwire.ignore:{OF_SEVERAL}"] if plugin else []), *options,
                       plugin=plugin, infiniband="ibwire" if plugin else "")
    return [(ws.without_said(part.splitlines()[0]), ws.ours_out(part), ws.ours_only(part))
            for part in ws.frames_of(OF_STREAM.sub("", text))]


def takes_over(wanted, have, origin):
    for where, want, one in zip(origin, wanted, have, strict=True):
        sure = any("CRC Status: Good" in line for line in want[2])
        if sure and (one[0], one[2]) != (want[0], want[2]):
            yield f"{where}: {one[0]} {one[2]}, not {want[0]} {want[2]}"
        if not sure and (one[2] or "UNKNOWN" not in one[0]):
            yield f"{where}: taken for InfiniBand"


def changes_nothing(without, with_it, origin):
    for where, was, now in zip(origin, without, with_it, strict=True):
        now = now[0].removesuffix(ws.BAD_ICRC), [
            ws.without_said(line).removesuffix(ws.BAD_ICRC) for line in now[1]]
        if was[:2] != now[:2]:
            yield f"{where}: {now[:2]}, without the plugin {was[:2]}"


def random_frames():
    random.seed(247)
    return [(i, 0, n, random.randbytes(n)) for i in range(400) for n in [random.randrange(1, 300)]]


def main():
    tshark = ws.Tshark(sys.argv[1])
    ours = {ws.INFINIBAND: ws.by_linktype(sys.argv[2], FRAMES)[ws.INFINIBAND]}
    noise = random_frames()
    merged = ours | {OTHER: (noise, [f"random:{i + 1}" for i in range(len(noise))])}
    capture, origin = tshark.write_all("247.pcapng", merged, as_is=True), ws.origins(merged)
    takeover = ["-o", "ibwire.mode:takeover"]
    user = listing(tshark, tshark.write_all("user.pcapng", ours), *takeover)
    without, taken, augment, off = (
        listing(tshark, capture, plugin=False), listing(tshark, capture, *takeover),
        listing(tshark, capture), listing(tshark, capture, "-o", "ibwire.mode:off"))
    n = len(user)
    faults = list(takes_over(user, taken[:n], origin[:n]))
    faults += changes_nothing(without[n:], taken[n:], origin[n:])
    faults += changes_nothing(without, augment, origin)
    faults += changes_nothing(without, off, origin)
    known = sum(bool(tree) for _, _, tree in augment)
    faults += [f"{where}: has a tree of ours" for where, (_, _, tree) in zip(origin, off) if tree]
    if known < 500 or known == n:
        faults.append(f"{known} of {n} frames known")
    return ws.verdict(faults, f"{known} of {n} frames")


if __name__ == "__main__":
    sys.exit(main())
