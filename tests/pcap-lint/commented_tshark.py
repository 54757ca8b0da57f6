#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""commented_tshark.py PCAP-LINT MADE: what pcap-lint -w writes, as Wireshark reads it.

tshark has each comment on its frame, and no other; capinfos counts the packets. Of captures of pcaps/, and of a pcapng of many blocks in either byte order.
"""
import json
import re
import sys

import commented
import bare  # commented.py knows where it is


def frames_of(ws, path):
    """The comments of each frame as tshark has them."""
    rows = json.loads(ws.text("-r", path, "-T", "json", "-e", "frame.number", "-e", "frame.comment"))
    return [row["_source"]["layers"].get("frame.comment", []) for row in rows]


def compare(ws, path, faults):
    """How many comments a capture has."""
    out = ws.dir / "out.pcapng"
    commented.run("-w", out, path)
    out.chmod(0o644)
    found = commented.written(out.read_bytes())
    comments, frames = [c for *_, c in found], frames_of(ws, out)
    if frames != comments:
        faults.append(f"{path.name}: tshark has {frames}, the file {comments}")
    rows = commented.findings(path)
    rules = sorted(row["rule"] for row in rows if row["frame"])
    if sorted(c.split()[0] for of in frames for c in of if c.split()[0] in rules) != rules:
        faults.append(f"{path.name}: tshark does not have {rules}")
    count = re.search(r"Number of packets:\s+(\d+)", ws.text("-c", "-M", out, program="capinfos"))
    if not count or int(count[1]) != len(found):
        faults.append(f"{path.name}: capinfos counts {count and count[1]} packets, not {len(found)}")
    return sum(map(len, frames))


def main():
    ws, faults, n = bare.Wireshark(), [], 0
    captures = [p for p in commented.CAPTURES if p.suffix == ".pcap" and commented.findings(p)][:24]
    for order in "<", ">":
        captures.append(ws.dir / f"{'little' if order == '<' else 'big'}.pcapng")
        captures[-1].write_bytes(commented.many_blocks(order))
    if len(captures) < 22:
        faults.append(f"{len(captures)} captures with findings")
    for path in captures:
        n += compare(ws, path, faults)
    if n < 200:
        faults.append(f"{n} comments")
    print(f"{len(captures)} captures, {n} comments")
    for fault in faults:
        print("FAILED:", fault[:1000])
    return bool(faults)


sys.exit(main())
