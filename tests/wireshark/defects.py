#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""defects.py PLUGIN MADE: what the built-in dissector of Wireshark shows wrong or not at all, right.

One line a defect: capture, frames (a display filter), field of ours, values it must have there. In
augment and in take-over mode; nothing of it may be called malformed.
"""
import pathlib
import sys

import ws

DEFECTS = [
    # 0x81 is the CNP; Wireshark has 0x80 in its table, and no BECN.
    ("opcodes-roce-v2-ipv4.pcap", "ibwire.bth.opcode == 0x81", "ibwire.cnp", 1),
    # XRC has names there, no headers.
    ("opcodes-roce-v2-ipv4.pcap", "ibwire.bth.opcode >= 0xa0 && ibwire.bth.opcode <= 0xac", "ibwire.xrceth", None),
    # RD is taken for a vendor's transport with a longer BTH.
    ("opcodes-roce-v2-ipv4.pcap", "ibwire.bth.opcode >= 0x40 && ibwire.bth.opcode <= 0x55",
     "ibwire.rdeth", 22),
    # FLUSH and ATOMIC WRITE are unknown to 4.0.
    ("opcodes-roce-v2-ipv4.pcap", "ibwire.bth.opcode in {0x1c, 0x1d}", "ibwire.reth.rkey", 2),
    # The FCS is no ICRC.
    ("opcodes-erf-eth-roce-v1.pcap", "ibwire.bth", "ibwire.icrc.status == 1", None),
    # A link packet has no SLID to be read past its end.
    ("linkpkt.erf.pcap", "frame", "ibwire.linkpkt", 32),
    # A packet cut by the capture is cut.
    ("cut-roce-v2-ipv4.pcap", "ibwire.bth && ibwire.outcome == 1", "ibwire.cut", None),
]


def frames(tshark, capture, mode, condition):
    text = tshark.read(capture, "-o", f"ibwire.mode:{mode}", "-Y", condition, "-T", "fields", "-e",
                       "frame.number")
    return set(text.split())


def main():
    tshark, made, faults = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    for name, where, field, count in DEFECTS:
        capture = tshark.put(made / name)
        for mode in ("augment", "takeover"):
            want = frames(tshark, capture, mode, where)
            have = frames(tshark, capture, mode, f"({where}) && ({field})")
            if not want or have != want or count not in (None, len(have)):
                faults.append(f"{name} ({mode}): {where}: {len(want)} frames, {field} in {len(have)}")
        bad = frames(tshark, capture, "takeover", f"({where}) && _ws.malformed")
        if bad:
            faults.append(f"{name}: {where}: frames {sorted(bad)} are malformed in take-over mode")
    return ws.verdict(faults, f"{len(DEFECTS)} defects")


if __name__ == "__main__":
    sys.exit(main())
