#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_svg.py PCAP-LINT [--update]: the pictures of five captures, one of iWARP, one of a simulated switch that pauses, character by character.

Of each page of --format html the text of its pictures, svg/NAME.txt. --update writes these files: open the page and look at the
pictures before you commit.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PCAPS = HERE.parents[1] / "pcaps"
sys.path[:0] = [str(HERE.parent / "oracles"), str(HERE.parent / "lib")]
sys.dont_write_bytecode = True

import dcqcn  # noqa: E402

CAPTURES = ("rxe/12-drop-at-receiver-write.pcap", "faults/11b-16qp-read-loss.pcap", "faults/06-rnr-infinite.pcap", "siw/20b-netem-reorder.pcap")
DIFF_LINES = 20


def pictures(lint, path):
    page = subprocess.run([lint, "--config", "none", "--format", "html", str(path)], capture_output=True, check=True).stdout.decode()
    return "\n".join(re.findall(r"<svg .*?</svg>", page, re.S)) + "\n"


def drawn(lint):
    """[(name, pictures)]"""
    for name in CAPTURES:
        yield pathlib.Path(name).stem, pictures(lint, PCAPS / name)
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "congestion.pcap"
        dcqcn.Simulation(3, point="sender", qps=2, xoff=40_000, xon=20_000).write(path)
        yield path.stem, pictures(lint, path)


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--update"]
    count = faults = 0
    for name, got in drawn(os.path.abspath(args[0])):
        path = HERE / "svg" / f"{name}.txt"
        count += 1
        if "--update" in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(got)
            continue
        want = path.read_text() if path.exists() else ""
        if got != want or "<svg" not in got:
            faults += 1
            diff = difflib.unified_diff(want.splitlines(), got.splitlines(), path.name, "now", lineterm="", n=1)
            print("\n".join(line[:300] for line in list(diff)[:DIFF_LINES]))
    print(f"{count} captures, {faults} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
