#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""by_hand.py PLUGIN: frames of pcaps/faults and pcaps/reports have the marks that tests/data/marks-by-hand.csv says by hand.

tshark reads each capture in one pass and in two. With two, a frame has the marks that its row names, and no other of those that the table
compares at every frame; with one pass, the same but for those that take a later packet, and perhaps less up to SETTLES frames after the first
one of the other end: answers show which two directions are one connection. Where the file has packets twice, only two passes
count: which point of the capture a packet is from takes a few of them. A row may say what the plugin says instead, wrongly: that is compared, too. What a reason quotes of the relay ("psn", in small letters) is in
relay.csv.
"""
import concurrent.futures
import csv
import os
import pathlib
import re
import sys

import ws

TABLE = ws.ROOT / "tests/data/marks-by-hand.csv"
# A frame whose row does not name these has none of them.
ALWAYS = {"retransmission", "duplicate", "out_of_order", "psn_gap", "response_gap", "response_late", "response_repeated", "nak",
          "nak_fatal", "rnr", "timeout", "copy", "conflict", "capture_loss", "restart"}
# What only a later packet shows.
LATER = {"psn_gap", "response_gap", "capture_loss", "spurious", "go_back_n", "rnr_waited", "dup_read_request", "retries", "gave_up",
         "gave_up_rnr", "psn_kept"}
SETTLES = 12
# Its mark takes the second copy, in a later frame: which of the two was late.
SECOND = {("faults/10e-swap-write", 52)}
LEAST = {"retransmission": 300, "none": 200, "timeout": 50, "response_repeated": 50, "nak": 40, "ack_repeated": 20, "duplicate": 20, "psn_gap": 20,
         "out_of_order": 15, "response_gap": 10, "copy": 10, "nak_fatal": 8, "rnr": 8, "response_late": 3, "capture_loss": 1}
KNOWN = {row.mark for row in ws.MARKS}
OF_RELAY = re.compile(r"\bpsn (\d+)(?: (?:and|to) (\d+))?")


def frames_of(text):
    """"8-10,12": 8, 9, 10, 12."""
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def table():
    """{capture: {frame: (marks, marks of the plugin, why)}}"""
    out = {}
    for row in csv.DictReader(line for line in TABLE.read_text(encoding="ascii").splitlines() if line[:1] != "#"):
        marks = set(row["marks"].split())
        instead = set(row["instead"].split()) if row["instead"] else marks
        if not marks | instead <= KNOWN or not row["why"] or (row["instead"] and instead == marks):
            raise SystemExit(f"{row}: no such mark, or no reason")
        of_capture = out.setdefault(row["capture"], {})
        for frame in frames_of(row["frames"]):
            if frame in of_capture:
                raise SystemExit(f"{row['capture']}: two rows of frame {frame}")
            of_capture[frame] = marks, instead, row["why"]
    return out


def relayed():
    """{capture: PSNs}; the captures of one run at two points have the same."""
    out = {}
    text = (ws.ROOT / "pcaps/faults/relay.csv").read_text(encoding="ascii")
    for row in csv.DictReader(line for line in text.splitlines() if line[:1] != "#"):
        out.setdefault(row["capture"].removesuffix("-atA"), set()).add(int(row["psn"] or -1))
    return out


def unproved(rows):
    """What a reason says of the relay, and the relay does not."""
    known = relayed()
    known["54-snaplen96"] = known["03-readresp-loss"]
    known["31d-mirror-cm-loss-twice"] = known["31c-mirror-cm-single"]
    for capture, frames in rows.items():
        psns = known.get(pathlib.PurePath(capture).name.removesuffix("-atB").removesuffix("-atA"), set())
        for frame, (*_, why) in frames.items():
            for psn in (n for said in OF_RELAY.findall(why) for n in said if n):
                if int(psn) not in psns:
                    yield f"{capture} frame {frame}: relay.csv has no PSN {psn}"


def path_of(capture):
    found = [*ws.ROOT.glob(f"pcaps/{capture}.pcap*")]
    if len(found) != 1:
        raise SystemExit(f"{capture}: {found}")
    return found[0]


def marks_of(tshark, capture, compared, *options):
    """{frame: marks}, and the first frame that is of a connection and not from where the first of those is."""
    fields = [word for mark in compared for word in ("-e", f"ibwire.analysis.{mark}")]
    text = tshark.read(capture, *options, "-T", "fields", "-e", "frame.number", "-e", "eth.src", "-e", "ibwire.stream", *fields)
    rows = [line.split("\t") for line in text.splitlines()]
    senders = [(int(number), source) for number, source, stream, *_ in rows if stream]
    back = next((number for number, source in senders if source != senders[0][1]), len(rows) + 1)
    return {int(number): {mark for mark, value in zip(compared, values, strict=True) if value} for number, _, _, *values in rows}, back


def check(tshark, name, rows):
    """Faults of one capture."""
    path = path_of(name)
    capture = tshark.dir / (name.replace("/", "-") + path.suffix)
    capture.write_bytes(path.read_bytes())
    capture.chmod(0o644)
    compared = sorted(ALWAYS.union(*(marks | instead for marks, instead, _ in rows.values())))
    twice = any("copy" in marks for marks, *_ in rows.values())
    faults = []
    for passes, options in (("two passes", ["-2"]), *([] if twice else [("one pass", [])])):
        found, back = marks_of(tshark, capture, compared, *options)
        for frame, (marks, instead, why) in rows.items():
            have = found[frame] & (ALWAYS | marks | instead)
            later = set() if options else LATER
            if have | later != instead | later and not (
                    not options and (frame <= back + SETTLES or (name, frame) in SECOND) and have <= instead):
                faults.append(f"{name} frame {frame}, {passes}: {' '.join(sorted(have)) or 'no mark'}, not {' '.join(sorted(instead)) or 'none'}: "
                              f"{why}{'' if instead == marks else ' (the plugin was wrong about it)'}")
    return faults


def main():
    tshark, rows = ws.Tshark(sys.argv[1]), table()
    faults = [*unproved(rows)]
    counts = {mark: 0 for mark in LEAST}
    for frames in rows.values():
        for marks, *_ in frames.values():
            for mark in marks or {"none"}:
                counts[mark] = counts.get(mark, 0) + 1
    faults += [f"{mark}: {counts[mark]} frames, at least {n} are wanted" for mark, n in LEAST.items() if counts[mark] < n]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for of_capture in pool.map(lambda row: check(tshark, *row), rows.items()):
            faults += of_capture
    return ws.verdict(faults, f"{sum(map(len, rows.values()))} frames of {len(rows)} captures")


if __name__ == "__main__":
    sys.exit(main())
