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

MANY, MANY_MADE = 18, 6  # captures of pcaps/, and made ones


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
    rules = sorted(commented.begin_with(*commented.report(path)))
    if sorted(c.split()[0] for of in frames for c in of if c.split()[0] in rules) != rules:
        faults.append(f"{path.name}: tshark does not have {rules}")
    count = re.search(r"Number of packets:\s+(\d+)", ws.text("-c", "-M", out, program="capinfos"))
    if not count or int(count[1]) != len(found):
        faults.append(f"{path.name}: capinfos counts {count and count[1]} packets, not {len(found)}")
    return sum(map(len, frames))


def numbers(ws, path, faults):
    """With blocks among them that Wireshark takes for frames, the numbers of comments are Wireshark's, before and after."""
    out = ws.dir / "out.pcapng"
    commented.run("-w", out, "--all", path)
    rows, incidents = commented.report(path)
    before = [f"{row['frame']} {row['rule']}" for row in rows if row["frame"]]
    before += [f"{frame} incident" for incident in incidents for frame in commented.parts(incident)]
    rows = json.loads(ws.text("-r", path, "-T", "json", "-e", "frame.number", "-e", "frame.protocols"))
    gone = [number for number, row in enumerate(rows, 1) if row["_source"]["layers"]["frame.protocols"] == ["data"]][1]  # the second custom block
    found = [f"{number + (number >= gone)} {c.split()[0]}" for number, comments in enumerate(frames_of(ws, out), 1)
             for c in comments if not c.startswith("before")]
    if sorted(found) != sorted(before) or len(found) < 6:
        faults.append(f"{path.name}: comments {found}, findings {before}")


def main():
    ws, faults, n = bare.Wireshark(), [], 0
    with_findings = [p for p in commented.CAPTURES if p.suffix == ".pcap" and commented.findings(p)]
    made = [p for p in with_findings if p.parent == commented.MADE][:MANY_MADE]
    captures = [p for p in with_findings if p.parent != commented.MADE][:MANY] + made
    for order in "<", ">":
        captures.append(ws.dir / f"{'little' if order == '<' else 'big'}.pcapng")
        captures[-1].write_bytes(commented.many_blocks(order))
    if len(captures) < MANY + 2 or not made:
        faults.append(f"{len(captures)} captures with findings, {len(made)} of them made")
    for path in captures:
        n += compare(ws, path, faults)
    for path in captures[-2:]:
        numbers(ws, path, faults)
    if n < 200:
        faults.append(f"{n} comments")
    print(f"{len(captures)} captures, {n} comments")
    for fault in faults:
        print("FAILED:", fault[:1000])
    return bool(faults)


sys.exit(main())
