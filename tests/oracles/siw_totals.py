#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""siw_totals.py PCAP-LINT TEST-IWARP_DUMP: what is in all 61 captures of two siw ports, counted from the bytes, by the tracker and by pcap-lint.

The captures of pcaps/siw, and those of tests/data/siw.tar.xz, which nothing else reads. TOTALS were counted by another program from the same
captures. The rows of tests/data/siw.csv are those of iwarp.py, one per capture; --write writes them.
"""
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "tests/codec"), str(ROOT / "tests/track"), str(ROOT / "tests/lib")]
import iwarp  # noqa: E402
import iwarp_flows  # noqa: E402
import iwarp_oracle  # noqa: E402
import siw  # noqa: E402

ROWS = ROOT / "tests/data/siw.csv"
KINDS = {"send": {3, 5}, "send_invalidate": {4, 6}, "write": {0}, "read_request": {1}, "read_response": {2}, "terminate": {7}}
TOTALS = {"captures": 61, "connections": 74, "fpdus": 4341, "crc_good": 488, "crc_bad": 0, "crc_unused": 3853, "crossing": 316,
          "send": 872, "send_invalidate": 51, "write": 646, "read_request": 124, "read_response": 121, "terminate": 11,
          "rejected": 4, "without_reply": 5}


def counted(path):
    """By the bytes."""
    row = collections.Counter(dict.fromkeys(TOTALS, 0), captures=1)
    for connection in iwarp.begun(path):
        if not connection.any:
            continue
        frames = [frame for frame in connection.frames if frame.ok]
        row["connections"] += 1
        row["rejected"] += any(frame.reply and frame.r for frame in frames)
        row["without_reply"] += not any(frame.reply for frame in frames)
        for stream in (connection.stream(i) for i in range(2) if connection.frames[i].ok):
            row["fpdus"] += len(stream.fpdus)
            row["crossing"] += stream.crossing
            row.update(f"crc_{fpdu.crc}" for fpdu in stream.fpdus)
            row.update(kind for opcode in stream.messages for kind, opcodes in KINDS.items() if opcode in opcodes)
    return row


def lines(lint, *args):
    out = subprocess.run([lint, "--config", "none", "--fail-on", "never", "--progress", "never", "--format", "json", *map(str, args)],
                         capture_output=True, text=True, check=True).stdout
    return map(json.loads, out.splitlines())


def told(lint, path):
    """By pcap-lint: FPDUs with their CRCs, and whole messages, refused ones too."""
    row = collections.Counter(dict.fromkeys(("fpdus", "crc_good", "crc_bad", "crc_unused", *KINDS), 0))
    for line in lines(lint, "--decode", path):
        for layer in line["layers"] if line["type"] == "packet" else ():
            if layer["name"] == "mpa":
                row["fpdus"] += 1
                row[f"crc_{layer['crc']['status']}"] += 1
    for line in lines(lint, "--decode", "--messages", path):
        if line["type"] == "message" and line["outcome"] in ("complete", "refused"):
            row["send_invalidate" if line["invalidate"] is not None else line["kind"]] += 1
    return row


def of_middle(lint, name, begins, goes_on):
    """Without the MPA frames nobody knows whether CRCs are used until one is right, or three are 0: by direction, what --decode says of each."""
    frames = list(iwarp.frames(siw.path_of(name)))
    last = max(i for i, frame in enumerate(frames) if b"MPA ID Re" in frame)
    ways = collections.defaultdict(list)
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(iwarp_oracle.written(frames[last + 1:]))
        file.flush()
        for line in lines(lint, "--decode", file.name):
            layers = line["layers"] if line["type"] == "packet" else ()
            port = next((layer["fields"]["sport"] for layer in layers if layer["name"] == "tcp"), None)
            ways[port] += [layer["crc"]["status"] for layer in layers if layer["name"] == "mpa"]
    return [f"{name} from its middle, port {port}: {said}" for port, said in ways.items()
            if not said or said != (begins + [goes_on] * len(said))[:len(said)] or len(said) < 20]


def of_tracker(program, path):
    rows, events, _ = iwarp_oracle.tracked([program], path)
    return {"fpdus": sum(one[0] for one in rows), "crossing": sum(one[4] for one in rows), "rejected": len(events["iwarp-rejected"])}


def main():
    lint, dump, write = sys.argv[1], sys.argv[2], sys.argv[3:] == ["--write"]
    faults, total, rows = [], collections.Counter(), {}
    for path in sorted([*siw.own(), *siw.more()], key=lambda path: path.stem):
        row = rows[path.stem] = counted(path)
        total.update(row)
        for who, other in (("pcap-lint", told(lint, path)), ("the tracker", of_tracker(dump, path))):
            faults += [f"{path.stem}: {key} is {other[key]} by {who}, {row[key]} by the bytes" for key in other if other[key] != row[key]]
        if path in siw.more():
            faults += [*iwarp_oracle.of_capture([dump], path), *iwarp_flows.of_capture(lint, path)[0]]
    faults += of_middle(lint, "01-rping-ipv4", ["unverifiable"] * 3, "unused") + of_middle(lint, "12-crc-rping", [], "good")
    if write:
        with ROWS.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([["capture", *list(TOTALS)[1:]], *([name, *[row[key] for key in list(TOTALS)[1:]]] for name, row in rows.items())])
    for line in csv.DictReader(ROWS.read_text(encoding="utf-8").splitlines()):
        row = rows.pop(line["capture"], None)
        if not row or any(int(line[key]) != row[key] for key in list(TOTALS)[1:]):
            faults.append(f"{line['capture']}: {line} in siw.csv, by the bytes {dict(row or {})}")
    faults += [f"{name}: not in siw.csv" for name in rows]
    faults += [f"{key}: {total[key]} in all, and there are {n}" for key, n in TOTALS.items() if total[key] != n]
    print("\n".join([*faults[:60], ", ".join(f"{total[key]} {key}" for key in TOTALS), f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
