#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""conv.py PLUGIN MADE: conversations and endpoints have an address and a QP at each end.

The sender's QP is that of the DETH, or what the CM exchange said; where neither was captured, the
address stands alone. The filter each row offers shows the frames it counts. In each mode.
"""
import json
import pathlib
import re
import sys

import ws

ROW = re.compile(r"^(.*?) +<-> (.*?) +(\d+) \S+ \S+ +(\d+) \S+ \S+ +(\d+) ", re.M)
# Bytes are "5566" or, from 4.6 on, "5566 bytes" and "11 kB".
ENDPOINT = re.compile(r"^(\S.*? qp \w+|[\d.]+) +(\d+) +\d+(?: \w+)? +(\d+) +\d+(?: \w+)? +(\d+)"
                      r" +\d+(?: \w+)? *$", re.M)

# capture: {(end, end): (frames to the left, frames to the right)}, whichever end comes first
WANTED = {
    # rdma_cm: REQ and REP say both QPs, which happen to be equal
    "rxe/01-rping-ipv4.pcap": {("10.7.0.1 qp 0x000011", "10.7.0.2 qp 0x000011"): (60, 60),
                               ("10.7.0.1 qp 0x000001", "10.7.0.2 qp 0x000001"): (2, 3)},
    "rxe/02-rping-ipv6.pcap": {("fd07::1 qp 0x000013", "fd07::2 qp 0x000013"): (60, 60),
                               ("fd07::1 qp 0x000001", "fd07::2 qp 0x000001"): (2, 3)},
    # two connections, each of different QPs
    "rxe/03h-send-rc-rdmacm.pcap": {("10.7.0.1 qp 0x000039", "10.7.0.2 qp 0x000036"): (20, 40),
                                    ("10.7.0.1 qp 0x000038", "10.7.0.2 qp 0x000035"): (22, 22),
                                    ("10.7.0.1 qp 0x000001", "10.7.0.2 qp 0x000001"): (4, 6)},
    # QPs exchanged over TCP: two one-way rows
    "rxe/20-rc-pingpong.pcap": {("10.7.0.1", "10.7.0.2 qp 0x00002e"): (0, 120),
                                ("10.7.0.2", "10.7.0.1 qp 0x000031"): (0, 120)},
}


def conversations(text):
    return {tuple(sorted(row[:2])): tuple(sorted((int(row[2]), int(row[3]))))
            for row in ROW.findall(text)}


def tables(tshark):
    for name, want in WANTED.items():
        capture = tshark.put(ws.ROOT / "pcaps" / name, name.replace("/", "-"))
        want = {tuple(sorted(ends)): tuple(sorted(n)) for ends, n in want.items()}
        for options in ([], ["-2"], ["-o", "ibwire.mode:takeover"]):
            text = tshark.read(capture, "-q", "-z", "conv,ibwire", "-z", "endpoints,ibwire",
                               *options)
            have = conversations(text)
            if have != want:
                yield f"{name} {options}: {have} is {want}"
            ends = {end for pair in want for end in pair}
            points = {row[0]: int(row[2]) + int(row[3]) for row in ENDPOINT.findall(text)}
            if set(points) != ends:
                yield f"{name} {options}: endpoints {sorted(points)} are {sorted(ends)}"
            for end in ends:
                frames = sum(sum(n) for pair, n in want.items() if end in pair)
                if points.get(end) != frames:
                    yield f"{name} {options}: {end} has {points.get(end)} frames, not {frames}"


def filters(tshark, path):
    """The filter of each row of the table, as the window has it, finds its frames."""
    load = {"method": "load", "params": {"file": str(tshark.put(path))}}
    rows = tshark.sharkd(load, {"method": "tap", "params": {"tap0": "conv:ibwire"}})
    rows = json.loads(rows[-1])["result"]["taps"][0]["convs"]
    found = tshark.sharkd(load, *({"method": "frames", "params": {"filter": row["filter"]}}
                                  for row in rows))
    for row, answer in zip(rows, found[1:], strict=True):
        count = len(json.loads(answer)["result"])
        if count != row["txf"] + row["rxf"]:
            yield f"{path.name}: {row['filter']} finds {count}, not {row['txf'] + row['rxf']}"
    if not rows:
        yield f"{path.name} has no conversations"


def source(tshark):
    """The QP a frame of a connection comes from, and the frame that told it."""
    capture = tshark.put(ws.ROOT / "pcaps/rxe/03h-send-rc-rdmacm.pcap")
    text = tshark.read(capture, "-Y", "ibwire.conv.sqpn", "-T", "fields", "-e", "frame.number",
                       "-e", "ibwire.conv.setup")
    rows = [list(map(int, line.split())) for line in text.splitlines()]
    if not rows or any(setup >= frame for frame, setup in rows):
        yield "a source QP was known before its REP"


def main():
    tshark, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2])
    faults = [*tables(tshark), *source(tshark)]
    for name in ("01-rping-ipv4", "20-rc-pingpong", "20-ud-pingpong"):
        faults += filters(tshark, ws.ROOT / f"pcaps/rxe/{name}.pcap")
    for name in ("opcodes-erf-ib-global", "opcodes-erf-ib-local"):
        faults += filters(tshark, made / f"{name}.pcap")
    return ws.verdict(faults, f"{len(WANTED)} tables")


if __name__ == "__main__":
    sys.exit(main())
