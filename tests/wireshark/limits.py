#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""limits.py PLUGIN FLOOD-MAKE: where there is no room for what the trackers find out, the plugin says so.

Of a flood of gaps, NAKs and repeats, -z ibwire,lint and an expert item name the first frame of which something is not kept;
of less of the same neither of them says anything.
"""
import re
import subprocess
import sys

import ws

FEW, MANY = 20_000, 700_000  # packets; events that are kept: 500,000
LINE = re.compile(r"^The analysis is incomplete from frame (\d+) on: no room for (\d+) events and replies$", re.M)
EXPERT = re.compile(r"^ +1 +Undecoded +RDMA  The analysis is incomplete from this packet on$", re.M)
TABLE = re.compile(r"^Warns \(\d+\)\n=+\n(?:.+\n)+", re.M)
FRAME = re.compile(r"^(\d+)$", re.M)


def read(tshark, packets):
    path = tshark.dir / f"flood-{packets}.pcap"
    subprocess.run([sys.argv[2], "resends", "hostile", str(packets), path], check=True)
    path.chmod(0o644)
    return tshark.read(path, "-n", "-2", "-Y", "ibwire.analysis.incomplete", "-T", "fields", "-e", "frame.number",
                       "-z", "ibwire,lint", "-z", "expert")


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    few, many = (read(tshark, packets) for packets in (FEW, MANY))
    faults += [f"{FEW} packets: {text}" for text in ("incomplete",) if text in few]
    line, frames = LINE.search(many), FRAME.findall(many)
    if not line or frames != [line[1]] or int(line[2]) == 0:
        faults.append(f"{MANY} packets: {line and line[0]}, expert items of frames {frames}")
    if not any(EXPERT.search(table) for table in TABLE.findall(many)):
        faults.append(f"-z expert: {TABLE.findall(many)}")
    return ws.verdict(faults, f"from frame {frames[:1]} of {MANY}: {line and line[2]} not kept")


if __name__ == "__main__":
    sys.exit(main())
