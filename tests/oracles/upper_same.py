#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper_same.py PCAP-LINT PCAPS: the same program over RoCE and over iWARP gives the same commands, with the same answers and transfers.

What may differ is written down here: the order of commands of different threads, a call that one run made and the other did not, and the size of
a directory's listing. Keys, addresses, ids and times are others, of course.
"""
import collections
import json
import pathlib
import subprocess
import sys

OPTIONS = ["--config", "none", "--progress", "never", "--format", "json", "--stats"]
KEYS = ("connection", "protocol", "queue", "name", "status", "bytes", "outcome", "transferred")
# The captures of a pair, how many commands the first one has at least, and what only one of them has: (which, name, status, transferred), how often.
PAIRS = (
    ("ulp/01-nvme.pcap", "siw/01-nvme-siw.pcap", 62, {}),
    ("ulp/05b-nfs41.pcap", "siw/05-nfs4-siw.pcap", 39,
     {(0, "NFS4 READDIR", "success", 2456): 1, (1, "NFS4 READDIR", "success", 2260): 1,
      (0, "NFS4 GETATTR", "success", 0): 1, (1, "NFS4 LOOKUP", "NOENT", 0): 1}),
    ("ulp/05d-nfs3.pcap", "siw/05d-nfs3-siw.pcap", 45,
     {(0, "NFS3 READDIRPLUS", "success", 2260): 1, (1, "NFS3 READDIRPLUS", "success", 2116): 1,
      (0, "NFSACL procedure 1", "success", 184): 1}),
)


def commands(lint, path):
    """What was asked, how it was answered, and with how much data."""
    done = subprocess.run([lint, *OPTIONS, path], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{path}: ends with {done.returncode}: {done.stderr}")
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"type":"command"')]
    return collections.Counter(tuple(row[key] for key in KEYS) for row in rows)


def compare(lint, folder, pair):
    first, second, least, differ = pair
    ours = [commands(lint, folder / name) for name in (first, second)]
    if sum(ours[0].values()) < least:
        yield f"{first}: {sum(ours[0].values())} commands, {least} at least"
    only = collections.Counter()
    for side in (0, 1):
        for row, n in (ours[side] - ours[1 - side]).items():
            only[side, row[KEYS.index("name")], row[KEYS.index("status")], row[KEYS.index("transferred")]] += n
    for row in sorted(only.keys() | differ.keys(), key=str):
        if only[row] != differ.get(row, 0):
            yield f"{pair[row[0]]}: {only[row]} times alone {row[1:]}, {differ.get(row, 0)} times as written here"


def main(lint, pcaps):
    folder, faults = pathlib.Path(pcaps), []
    for pair in PAIRS:
        faults += compare(lint, folder, pair)
    print(*faults, f"{len(PAIRS)} programs over RoCE and iWARP, {len(faults)} faults", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
