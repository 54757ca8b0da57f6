#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cm_room.py FLOOD-MAKE PCAP-LINT: that CM conversations reached their limit is said.

With as many as there is room for (TRACK_CM_MAX of dissector/track/cm/cm.h) nothing is, with more how many made
room: by CAP021 in a check, on standard error in --decode.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MORE = 3


def said(mode, conversations, tmp):
    path = pathlib.Path(tmp) / "reqs.pcap"
    subprocess.run([sys.argv[1], "reqs", "hostile", str(conversations), path], check=True)
    run = subprocess.run([sys.argv[2], *mode, "--progress", "never", path], capture_output=True, text=True,
                         check=True)
    said = [line for line in run.stdout.splitlines(True) if " CAP021 " in line]
    return ("".join(said) + run.stderr).replace(str(path), "FILE")


def main():
    header = (ROOT / "dissector/track/cm/cm.h").read_text()
    room = int(re.search(r"#define TRACK_CM_MAX (\d+)", header)[1])
    faults = 0
    with tempfile.TemporaryDirectory() as tmp:
        for mode, head in ((["--severity", "note"], "FILE: note: CAP021 connections-evicted: "),
                           (["--decode"], "pcap-lint: FILE: ")):
            for more in 0, MORE:
                text = f"{head}limit for CM conversations reached: {more} evicted\n"
                have, want = said(mode, room + more, tmp), text if more else ""
                if have != want:
                    faults += 1
                    print(f"{mode}: {room + more} conversations: {have!r}, not {want!r}")
    return faults > 0


sys.exit(main())
