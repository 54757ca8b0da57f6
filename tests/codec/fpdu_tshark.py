#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fpdu_tshark.py [PCAP...]: each field of FPDUs by iwarp.py, with which fpdu_oracle.py compares the library, and by tshark 4.0.

Of the FPDUs that lie in one TCP segment whole, of segments that hold nothing else: where FPDUs cross segments tshark 4.0 starts anew
in each segment, and loses its way. Where it finds other lengths, or none, that is counted; lengths it finds are those of the stream. Without captures those of pcaps/siw.
"""
import pathlib
import sys

import iwarp

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
import bare  # noqa: E402

# tshark's field, what it is here, and which FPDUs have it.
FIELDS = [
    ("iwarp_mpa.ulpdulength", lambda f: f.length, lambda f: True),
    ("iwarp_ddp.tagged_flag", lambda f: f.tagged, lambda f: True),
    ("iwarp_ddp.last_flag", lambda f: f.last, lambda f: True),
    ("iwarp_ddp.dv", lambda f: f.dv, lambda f: True),
    ("iwarp_rdma.version", lambda f: f.rv, lambda f: True),
    ("iwarp_rdma.opcode", lambda f: f.opcode, lambda f: True),
    ("iwarp_ddp.stag", lambda f: f.stag, lambda f: f.tagged),
    ("iwarp_ddp.tagged_offset", lambda f: f.to, lambda f: f.tagged),
    ("iwarp_ddp.qn", lambda f: f.qn, lambda f: not f.tagged),
    ("iwarp_ddp.msn", lambda f: f.msn, lambda f: not f.tagged),
    ("iwarp_ddp.mo", lambda f: f.mo, lambda f: not f.tagged),
    ("iwarp_rdma.inval_stag", lambda f: f.inval, lambda f: f.opcode in (4, 6)),
    ("iwarp_rdma.sinkstag", lambda f: number(f.payload[0:4]), lambda f: f.opcode == iwarp.READ_REQUEST),
    ("iwarp_rdma.sinkto", lambda f: number(f.payload[4:12]), lambda f: f.opcode == iwarp.READ_REQUEST),
    ("iwarp_rdma.rdmardsz", lambda f: number(f.payload[12:16]), lambda f: f.opcode == iwarp.READ_REQUEST),
    ("iwarp_rdma.srcstag", lambda f: number(f.payload[16:20]), lambda f: f.opcode == iwarp.READ_REQUEST),
    ("iwarp_rdma.srcto", lambda f: number(f.payload[20:28]), lambda f: f.opcode == iwarp.READ_REQUEST),
]


def number(data):
    return int.from_bytes(data, "big")


def shown(tshark, path):
    """{frame: [values by field]}"""
    fields = [arg for name, _, _ in FIELDS for arg in ("-e", name)]
    text = tshark.text("-r", path,
                       "-Y", "iwarp_mpa.ulpdulength", "-T", "fields", "-e", "frame.number", *fields)
    rows = {}
    for line in text.splitlines():
        first, *columns = line.split("\t")
        rows[int(first)] = [[int(value, 0) for value in column.split(",") if value] for column in columns]
    return rows


def by_frame(path):
    """{frame: FPDUs of its segment}, of segments of which whole FPDUs are all there is."""
    found = {}
    for connection in iwarp.begun(path):
        for i in range(2):
            if not connection.frames[0].ok or not connection.frames[i].ok:
                continue
            stream, (_, ends) = connection.stream(i), connection.data[i]
            begins = {fpdu.at for fpdu in stream.fpdus}
            for end, (begin, number_of_frame) in ends.items():
                inside = [fpdu for fpdu in stream.fpdus if begin <= fpdu.at and fpdu.at + fpdu.bytes <= end]
                if begin in begins and inside and inside[-1].at + inside[-1].bytes == end:
                    found[number_of_frame] = inside
    return found


def main():
    paths = [pathlib.Path(arg) for arg in sys.argv[1:]] or sorted((ROOT / "pcaps/siw").glob("*.pcap"))
    tshark, faults, compared, lost, fpdus = bare.Wireshark(), [], 0, 0, 0
    if tshark.version != "4.0":
        print(f"written for tshark 4.0, this is {tshark.version}")
        return bare.SKIPPED
    for path in paths:
        rows = shown(tshark, path)
        for frame, inside in by_frame(path).items():
            row = rows.get(frame)
            if not row or row[0] != [fpdu.length for fpdu in inside]:
                lost += 1
                continue
            fpdus += len(inside)
            for (name, value, has), theirs in zip(FIELDS, row, strict=True):
                ours = [value(fpdu) for fpdu in inside if has(fpdu)]
                compared += len(ours)
                if ours != theirs:
                    faults.append(f"{path.stem}:{frame}: {name} is {theirs}, here {ours}")
    print("\n".join([*faults[:20], f"{fpdus} FPDUs, {compared} fields compared, {lost} segments that tshark finds other FPDUs in, or none, "
                     f"{len(faults)} differ"]))
    return 1 if faults or lost > fpdus or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
