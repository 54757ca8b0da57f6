#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""unknown.py PLUGIN MADE: link type 247 in a pcapng, which Wireshark opens as one it does not know.

Where a CRC shows that a packet is InfiniBand, our tree is that of the same bytes as a user link type; in
take-over mode the columns are, too. All other packets, and in the other modes what is said beside our
tree, are as without the plugin.
"""
import pathlib
import random
import sys

import ws

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1]))
import pcapng_parts as ng  # noqa: E402

FRAMES = 60  # of each capture
OTHER = 65000  # no link type


def pcapng(linktype, frames):
    out = ng.section() + ng.interface(linktype, 262144, [(ng.IF_TSRESOL, b"\x09")])
    return out + b"".join(ng.packet(0, sec * 10**9 + nsec, data, length)
                          for sec, nsec, length, data in frames)


def written(tshark, name, linktype, frames):
    path = tshark.dir / name
    path.write_bytes(pcapng(linktype, frames))
    path.chmod(0o644)
    return path


def listing(tshark, capture, *options, plugin=True):
    """Of each frame its line of the list, what is said of it, and our tree."""
    text = tshark.read(capture, "-P", "-V", *options, plugin=plugin,
                       infiniband="ibwire" if plugin else "")
    return [(part.splitlines()[0], ws.ours_out(part), ws.ours_only(part))
            for part in ws.frames_of(text)]


def takes_over(tshark, frames, origin, capture):
    options = ("-o", "ibwire.mode:takeover")
    wanted = listing(tshark, tshark.write("user.pcap", ws.INFINIBAND, frames), *options)
    have = listing(tshark, capture, *options)
    for where, want, one in zip(origin, wanted, have, strict=True):
        sure = any("CRC Status: Good" in line for line in want[2])
        if sure and (one[0], one[2]) != (want[0], want[2]):
            yield f"{where}: {one[0]} {one[2]}, not {want[0]} {want[2]}"
        if not sure and (one[2] or "UNKNOWN" not in one[0]):
            yield f"{where}: taken for InfiniBand"


def changes_nothing(tshark, origin, capture, *options):
    without = listing(tshark, capture, plugin=False)
    with_it = listing(tshark, capture, *options)
    for where, was, now in zip(origin, without, with_it, strict=True):
        if was[:2] != now[:2]:
            yield f"{where} {options}: {now[:2]}, without the plugin {was[:2]}"


def random_frames():
    random.seed(247)
    return [(i, 0, n, random.randbytes(n)) for i in range(400) for n in [random.randrange(1, 300)]]


def main():
    tshark = ws.Tshark(sys.argv[1])
    frames, origin = ws.by_linktype(sys.argv[2], FRAMES)[ws.INFINIBAND]
    capture = written(tshark, "247.pcapng", ws.INFINIBAND, frames)
    faults = list(takes_over(tshark, frames, origin, capture))
    for options in [], ["-o", "ibwire.mode:off"]:
        faults += changes_nothing(tshark, origin, capture, *options)
    known = sum(bool(ours) for _, _, ours in listing(tshark, capture))
    other, noise = written(tshark, "random.pcapng", OTHER, random_frames()), ["random"] * 400
    for mode in ("augment", "takeover", "off"):
        faults += changes_nothing(tshark, noise, other, "-o", f"ibwire.mode:{mode}")
    if known < 500 or known == len(frames):
        faults.append(f"{known} of {len(frames)} frames known")
    return ws.verdict(faults, f"{known} of {len(frames)} frames")


if __name__ == "__main__":
    sys.exit(main())
