#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lines.py PLUGIN: the columns of the list in take-over mode: who, to whom, what, in one line."""
import sys

import broken
import ws

# capture: {frame: (source, destination, info)}
WANTED = {
    "rxe/01-rping-ipv4.pcap": {
        1: ("10.7.0.1", "10.7.0.2", "CM REQ port 7174 (TCP port space)"),
        2: ("10.7.0.2", "10.7.0.1", "CM REP"),
        6: ("10.7.0.2", "10.7.0.1", "RC RDMA READ Request QP=0x000011 PSN=16345317 "
            "VA=0x000056055c4915d0 R_Key=0x00000517 Len=64"),
        7: ("10.7.0.1", "10.7.0.2", "RC RDMA READ Response Only QP=0x000011 PSN=16345317 MSN=1 "
            "(ACK, no credit limit)")},
    "rxe/11b-ucmatose-rej-nolistener.pcap": {
        2: ("10.7.0.2", "10.7.0.1", "CM REJ reason 8 (invalid service ID)")},
    "broken": {
        "path": ("10.7.0.1", "10.7.0.2", "SA GetTable PathRecord (DGID, SGID, NumbPath)"),
        "rmpp-ack": ("10.7.0.1", "10.7.0.2", "SA GetTableResp RMPP ACK segment 3"),
        "rej-reason": ("10.7.0.1", "10.7.0.2", "CM REJ reason 28 (consumer defined)"),
        "rnr": ("10.7.0.1", "10.7.0.2", "RC Acknowledge QP=0x000011 PSN=7 MSN=5 "
                "(RNR NAK, timer 1.28 ms)")},
}


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    for name, frames in WANTED.items():
        capture = broken.capture(tshark) if name == "broken" else \
            tshark.put(ws.ROOT / "pcaps" / name, name.replace("/", "-"))
        text = tshark.read(capture, "-o", "ibwire.mode:takeover", "-T", "fields",
                           "-e", "_ws.col.Source", "-e", "_ws.col.Destination",
                           "-e", "_ws.col.Info")
        rows = [tuple(line.split("\t")) for line in text.splitlines()]
        for frame, want in frames.items():
            i = frame - 1 if isinstance(frame, int) else list(broken.FRAMES).index(frame)
            if rows[i] != want:
                faults.append(f"{name}: {frame}: {rows[i]} is not {want}")
    return ws.verdict(faults, f"{sum(map(len, WANTED.values()))} lines")


if __name__ == "__main__":
    sys.exit(main())
