#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""erf.py PLUGIN PCAP-LINT MADE: what pcap-lint --convert erf writes, Wireshark opens.

Of each capture of link type 247, the converted one shows the same packets, at the same times and of
the same lengths, with the same fields of the built-in dissector as the bytes handed to Wireshark as a
user link type.
"""
import subprocess
import sys
import xml.etree.ElementTree

import ws

FRAMES = 150  # of each capture
ABOUT = ("frame.time_epoch", "frame.len", "frame.cap_len")


def tree(packet):
    """Every (name, value, text) of the built-in dissector, in order."""
    return [(f.get("name"), f.get("value"), f.get("showname") or f.get("show"))
            for proto in packet.findall("proto[@name='infiniband']") for f in proto.iter("field")]


def packets(tshark, capture):
    """[[(name, value, text)]] of the time, the lengths and the packet, one list a packet."""
    text = tshark.read(capture, "-o", "ibwire.mode:off", "-T", "pdml", "-J", "frame infiniband")
    for packet in xml.etree.ElementTree.fromstring(text).iter("packet"):
        about = [(f.get("name"), f.get("show"), "")
                 for f in packet.findall("proto[@name='frame']/field") if f.get("name") in ABOUT]
        yield about + tree(packet)


def compare(tshark, merged, other):
    """Faults of a file that is to have the packets of @merged, the captures of link type 247."""
    seen = set()
    frames, origin = merged[ws.INFINIBAND]
    user = tshark.write("user.pcap", ws.INFINIBAND, frames)
    pairs = zip(origin, packets(tshark, user), packets(tshark, other), strict=True)
    for where, want, have in pairs:
        if any(name.startswith("infiniband.") for name, _, _ in have):
            seen.add(where.split(":")[0])
        if want != have:
            first = next((pair for pair in zip(want, have) if pair[0] != pair[1]), "their number")
            yield f"{where}: differs in {first}"
    yield from (f"{name}: no packet has fields of InfiniBand"
                for name in {where.split(":")[0] for where in origin} - seen)
    if len(seen) < 10:
        yield f"only {len(seen)} captures of link type 247"


def infiniband(made):
    """The captures of link type 247."""
    for path in ws.captures(made):
        data = path.read_bytes()
        if len(data) > 24 and data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") and \
                ws.records(path)[0] == ws.INFINIBAND:
            yield path


def main():
    tshark = ws.Tshark(sys.argv[1])
    merged = ws.of_captures(infiniband(sys.argv[3]), FRAMES)
    frames, origin = merged[ws.INFINIBAND]
    as_is = tshark.write("as-is.pcap", ws.INFINIBAND, frames, as_is=True)
    erf = tshark.dir / "erf.pcap"
    subprocess.run([sys.argv[2], "-q", "--convert", "erf", erf, as_is], check=True)
    erf.chmod(0o644)
    return ws.verdict(list(compare(tshark, merged, erf)), f"{len(origin)} packets")


if __name__ == "__main__":
    sys.exit(main())
