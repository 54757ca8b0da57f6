#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""quoted.py PLUGIN MADE: an ICMP error shows the RoCE v2 packet that it quotes, in each mode, as far as it goes.

Of each packet of MADE/lint-icmp-*.pcap all beginnings, as tests/pcap-lint/icmp.py has them for --decode, which works out from
the bytes and RFC 792 and 4443 what there is to be shown. In take-over mode the built-in dissector, which takes the
end of what is quoted for an ICRC, has no part in it; a tree is there once.
"""
import pathlib
import re
import struct
import sys

import ws

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pcap-lint"))
import icmp  # noqa: E402

FIELDS = ("ibwire.quoted", "ibwire.bth.opcode", "ibwire.bth.dqpn", "ibwire.bth.psn", "ibwire.lint.message")
CRC = "infiniband.invariant.crc"  # the built-in dissector's
MODES = {"augment": (), "all fields": ("-o", "ibwire.all_fields:TRUE"), "take-over": ("-o", "ibwire.mode:takeover")}
TREE = "RDMA wire formats"


def bth_of(p, layers):
    """Opcode, destination QP and PSN, as tshark writes them; empty without a BTH."""
    for name, off, _ in layers:
        if name == "bth":
            words = struct.unpack_from(">III", p, off)
            return [f"0x{words[0] >> 24:02x}", f"0x{words[1] & 0xffffff:06x}", f"0x{words[2] & 0xffffff:06x}"]
    return [""] * 3


def fields(tshark, capture, parts, *options):
    """Faults of what -T fields says."""
    text = tshark.read(capture, *options, "-T", "fields", *(f"-e{field}" for field in (*FIELDS, CRC)))
    for number, (p, line) in enumerate(zip(parts, text.split("\n")[:-1], strict=True), 1):
        want, (reason, *bth, said, crc) = icmp.expected(p), line.split("\t")
        if not want:
            if reason:
                yield f"packet {number}: quoted: {reason}"
            continue
        if f"says {reason} (ICMP" not in said or not reason:
            yield f"packet {number}: {reason!r}, but {said!r}"
        if bth != bth_of(p, want[-1]):
            yield f"packet {number}: {bth}, not {bth_of(p, want[-1])}"
        if options == MODES["take-over"] and crc:
            yield f"packet {number}: the built-in dissector finds an ICRC {crc}"


def trees(tshark, capture, parts, *options):
    """Faults of what -V says of whole packets: what the built-in dissector has is there once."""
    shown = 0
    texts = ws.frames_of(tshark.read(capture, "-P", "-V", *options))
    for number, (p, text) in enumerate(zip(parts, texts, strict=True), 1):
        lines = [line.strip() for line in text.splitlines()]
        want = icmp.expected(p)
        if not want:
            continue
        if lines.count(TREE) != 1 or "Quoted by an ICMP error: " not in text:
            yield f"packet {number}: {lines.count(TREE)} trees"
        has_bth = any(name == "bth" for name, *_ in want[-1])
        times = sum("Forward Explicit Congestion Notification" in line for line in lines)
        if times != has_bth:
            yield f"packet {number}: {times} times FECN, which only ours has"
        times = sum(word in line for line in lines for word in ("Destination Queue Pair:", "Destination QP:"))
        if times != has_bth * (2 if options == MODES["all fields"] else 1):
            yield f"packet {number}: {times} times the QP"
        shown += 1
    if not shown:
        yield "none is quoted"


def places(tshark, capture, whole):
    """Faults of which bytes an item stands for."""
    text = tshark.read(capture, "-T", "pdml", *MODES["take-over"])
    for number, (p, packet) in enumerate(zip(whole, text.split("<packet>")[1:], strict=True), 1):
        want = icmp.expected(p)
        found = [int(pos) for pos in re.findall(r'<field name="ibwire\.bth\.opcode"[^>]* pos="(\d+)"', packet)]
        wanted = [off for name, off, _ in want[-1] if name == "bth"] if want else []
        if want and found != wanted:
            yield f"packet {number}: the BTH is at {found}, not {wanted}"


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    captures = sorted(pathlib.Path(sys.argv[2]).glob("lint-icmp-*.pcap"))
    whole = [p for capture in captures for p in icmp.packets(capture)]
    data, parts = icmp.beginnings(whole)
    path = tshark.dir / "beginnings.pcap"
    path.write_bytes(data)
    path.chmod(0o644)
    capture = tshark.write("whole.pcap", 1, [(0, 0, len(p), p) for p in whole])
    for mode, options in MODES.items():
        faults += [f"{mode}: {fault}" for fault in fields(tshark, path, parts, *options)]
        faults += [f"{mode}: {fault}" for fault in trees(tshark, capture, whole, *options)]
    faults += places(tshark, capture, whole)
    errors = sum(icmp.expected(p) is not None for p in parts)
    if errors < 500:
        faults.append("too few")
    return ws.verdict(faults, f"{errors} of {len(parts)} packets")


if __name__ == "__main__":
    sys.exit(main())
