#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""taps.py PLUGIN: -z ibwire,lint and -z ibwire,tree count what is in captures, in each mode.

12g-netem-corrupt-badicrc.pcap has 679 RoCE packets, 35 of them with a bad ICRC. 03h-send-rc-rdmacm.pcap has
114, 10 of them of the CM; tests/wireshark/conv.py counts them by their bytes.
"""
import re
import sys

import ws

CAPTURES = [ws.ROOT / f"pcaps/rxe/{name}.pcap" for name in ("12g-netem-corrupt-badicrc",
                                                            "03h-send-rc-rdmacm")]
# {(node, below which; "" for none): count}
WANTED = {("Opcodes", ""): 679 + 114, ("RC RDMA WRITE Middle", "Opcodes"): 356,
          ("RC Acknowledge", "Opcodes"): 87 + 42, ("UD SEND Only", "Opcodes"): 10, ("MAD classes", ""): 10,
          ("ComMgt", "MAD classes"): 10, ("ICRC", ""): 679 + 114, ("good", "ICRC"): 644 + 114,
          ("bad", "ICRC"): 35}


def nodes(text):
    """{(node, below which): count}"""
    out, above = {}, ""
    for indent, name, count in re.findall(r"^( ?)(\w[\w ]*?) +(\d+) ", text, re.M):
        out[name, above if indent else ""] = int(count)
        above = above if indent else name
    return out


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    capture = tshark.write_all("captures.pcapng", ws.of_captures(CAPTURES))
    for options in ([], ["-2"], ["-o", "ibwire.mode:takeover"]):
        text = tshark.read(capture, "-q", "-z", "ibwire,lint", "-z", "ibwire,tree", *options)
        have = nodes(text)
        faults += [f"{options}: {name} is {have.get(name)}, not {count}"
                   for name, count in WANTED.items() if have.get(name) != count]
        found = re.search(r"^CRC001 +error +(\d+)  icrc-bad$", text, re.M)
        if not found or int(found[1]) != 35:
            faults.append(f"{options}: CRC001 is not there 35 times:\n{text}")
    return ws.verdict(faults, f"{len(WANTED)} counts")


if __name__ == "__main__":
    sys.exit(main())
