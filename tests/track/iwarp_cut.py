#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_cut.py WAYS MADE PROGRAM...: iwarp_cut.c over the captures of pcaps/siw and the scenarios of iWARP in MADE."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONNECTIONS = 110  # at least


def main(ways, made, *program):
    paths = [*sorted((ROOT / "pcaps/siw").glob("*.pcap")), *sorted(pathlib.Path(made).glob("lint-iwp-*.pcap"))]
    done = subprocess.run([*program, ways, *map(str, paths)], capture_output=True, text=True, check=False)
    print(done.stdout[-4000:], done.stderr[-1000:], sep="", end="")
    last = done.stdout.splitlines()[-1:] or [""]
    return done.returncode or not last[0].split()[:1] or int(last[0].split()[0]) < CONNECTIONS or f" in {ways} ways" not in last[0]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
