#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fpdu_oracle.py TEST-FPDU_STREAMS [PCAP...]: the streams of captures of iWARP by the library and by iwarp.py, line by line.

Without captures those of pcaps/siw, of which FOUND says how much there is in each. TEST-FPDU_STREAMS may be a command.
"""
import collections
import pathlib
import struct
import subprocess
import sys
import tempfile

import iwarp

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ["connections", "fpdus", "good", "bad", "unused", "crossing", "Send", "Send with Invalidate", "RDMA Write",
           "RDMA Read Request", "RDMA Read Response", "Terminate"]
# What is in each capture of pcaps/siw, in the order of COLUMNS.
FOUND = {
    "01-nvme-siw": [3, 249, 0, 0, 249, 54, 91, 31, 26, 4, 4, 0],
    "01-rping-ipv4": [1, 70, 0, 0, 70, 0, 40, 0, 10, 10, 10, 0],
    "02-iser-siw": [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "03-send": [2, 182, 0, 0, 182, 0, 62, 0, 0, 0, 0, 0],
    "04-write": [2, 112, 0, 0, 112, 21, 32, 0, 20, 0, 0, 0],
    "05-nfs4-siw": [1, 134, 0, 0, 134, 6, 67, 11, 11, 2, 2, 0],
    "05-read": [2, 132, 0, 0, 132, 42, 32, 0, 0, 20, 20, 0],
    "05d-nfs3-siw": [1, 153, 0, 0, 153, 4, 79, 9, 20, 4, 4, 0],
    "09-reject-nolistener": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "12-crc-rping": [1, 70, 70, 0, 0, 0, 40, 0, 10, 10, 10, 0],
    "20b-netem-reorder": [1, 138, 0, 0, 138, 40, 24, 0, 6, 6, 6, 0],
    "20c-stall": [1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0],
    "22-term-badkey-read": [1, 3, 0, 0, 3, 0, 0, 0, 1, 1, 0, 1],
    "22-term-badkey-write": [1, 3, 0, 0, 3, 0, 0, 0, 2, 0, 0, 1],
    "22-term-range-read": [1, 3, 0, 0, 3, 0, 0, 0, 1, 1, 0, 1],
    "22-term-range-write": [1, 3, 0, 0, 3, 0, 0, 0, 2, 0, 0, 1],
    "22b-term-perm-read": [1, 3, 0, 0, 3, 0, 1, 0, 0, 1, 1, 0],
    "22c-term-perm-write": [1, 3, 0, 0, 3, 0, 1, 0, 1, 0, 0, 1],
    "22d-recv-too-small": [1, 4, 0, 0, 4, 0, 3, 0, 0, 0, 0, 1],
    "22e-no-recv": [1, 2, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1],
    "23-reject-pdata": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "23e-tcp-reset": [1, 26, 0, 0, 26, 0, 0, 0, 13, 0, 0, 0],
    "23f-mpa-lost": [1, 2, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0],
    "23g-accept-late": [1, 2, 0, 0, 2, 0, 2, 0, 0, 0, 0, 0],
    "24b-read-loss": [2, 112, 0, 0, 112, 17, 32, 0, 0, 10, 10, 0],
    "26-crc-loss-reorder": [1, 60, 60, 0, 0, 0, 0, 0, 4, 0, 0, 0],
    "26-crc-term-badkey": [1, 2, 2, 0, 0, 0, 0, 0, 1, 0, 0, 1],
    "26-p2p-rcm": [1, 33, 0, 0, 33, 1, 2, 0, 4, 3, 3, 0],
    "26-p2p-stall": [1, 2, 0, 0, 2, 0, 1, 0, 1, 0, 0, 0],
    "26-v1-rcm": [1, 17, 0, 0, 17, 0, 0, 0, 3, 1, 0, 1],
    "26-v1-reject": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}


def streams_of(path):
    """(bytes, ends of segments, frame, markers, whether the CRC is in use) of each direction that begins with a frame."""
    for connection in iwarp.begun(path):
        for i in range(2):
            if connection.frames[0].ok and connection.frames[i].ok:
                yield (*connection.data[i], connection.frames[i], connection.markers(i), connection.crc)


def said_by(program, streams):
    with tempfile.NamedTemporaryFile() as file:
        for data, _, _, markers, crc in streams:
            file.write(struct.pack(">IBB", len(data), markers, crc) + data)
        file.flush()
        return subprocess.run([*program, file.name], capture_output=True, text=True, check=True).stdout.splitlines()


def counts(streams, decoded):
    names = collections.Counter(iwarp.OPCODES[opcode] for one in decoded for opcode in one.messages)
    crc = collections.Counter(fpdu.crc for one in decoded for fpdu in one.fpdus)
    row = [sum(not frame.reply for _, _, frame, _, _ in streams), sum(len(one.fpdus) for one in decoded),
           *(crc[state] for state in ("good", "bad", "unused")), sum(one.crossing for one in decoded)]
    return row + [names[name] for name in COLUMNS[len(row):]]


def main():
    paths = [pathlib.Path(arg) for arg in sys.argv[1:] if arg.endswith(".pcap")]
    program = [arg for arg in sys.argv[1:] if not arg.endswith(".pcap")]
    given = bool(paths)
    paths = paths or sorted((ROOT / "pcaps/siw").glob("*.pcap"))
    faults, total = [], [0] * len(COLUMNS)
    for path in paths:
        streams = list(streams_of(path))
        decoded = [iwarp.Stream(*one) for one in streams]
        want, got = [line for one in decoded for line in one.lines], said_by(program, streams)
        row = counts(streams, decoded)
        total = [a + b for a, b in zip(total, row, strict=True)]
        print(f'    "{path.stem}": {row},')
        if given:
            for one in decoded:
                for line in one.terminates:
                    print(line)
        elif FOUND.get(path.stem) != row:
            faults.append(f"{path.stem}: has {row}, not {FOUND.get(path.stem)} as written here")
        for mine, theirs in zip(want, got):
            if mine != theirs:
                faults.append(f"{path.stem}:\n\tiwarp.py {mine}\n\tlibrary  {theirs}")
                break
        if len(want) != len(got):
            faults.append(f"{path.stem}: {len(want)} lines, the library has {len(got)}")
    if not given and set(FOUND) != {path.stem for path in paths}:
        faults.append("pcaps/siw has other captures than FOUND")
    print("\n".join([*faults, ", ".join(f"{n} {name}" for n, name in zip(total, COLUMNS)), f"{len(faults)} faults"]))
    return 1 if faults or not total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
