#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""join.py PCAP-LINT MADE: a capture in several files is the capture it was.

Each capture is written as three files, cut at records chosen at random, and checked with --join: the same
findings, sums, connections with their figures, and summary as of the whole one, where frame N of file F is the frame it was there. A
frame of another file is "F:N". Captures whose findings need more than one packet are among them.
"""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RXE = ROOT / "pcaps/rxe"
OPTIONS = ["--severity", "note", "--fail-on", "never", "--progress", "never"]
SEED = 11
COPIES = 12
OF_OBJECTS = {"neighbour": ("asked", "answered", "query", "path", "refused", "req", "data", "back", "rdma_req", "rdma_rep", "rdma_rej"), "sm": ("handover_frame",), "command": ("end",)}
LISTS = {"group": ("members",), "sm": ("managers", "links"), "partition": ("members",)}
FRAMES_OF_A_LIST = ("frame", "first_frame", "last_frame", "since")
OF_WAYS = ("slowest_first_frame", "slowest_last_frame", "ce_first_frame", "cnp_first_frame")  # frames of a direction
FRAMES = re.compile(r"\b(frames? )((?:\S+:)?\d+(?:(?:, | and | to )(?:\S+:)?\d+)*)")


def captures(made):
    """Little-endian pcaps of one interface."""
    found = [*sorted(RXE.glob("*.pcap")), *sorted(made.glob("lint-*.pcap")), *sorted(made.glob("streams-*.pcap"))]
    return [path for path in found if path.read_bytes()[:2] in (b"\xd4\xc3", b"\x4d\x3c")]


def records(data):
    """Where each record begins, and the end; of a file that is cut, None."""
    at, starts = 24, []
    while at + 16 <= len(data):
        starts.append(at)
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
    return [*starts, at] if at == len(data) else None


def split(data, starts, cuts):
    """Three files, and how many frames are before each."""
    bounds = [0, *cuts, len(starts) - 1]
    return [(data[:24] + data[starts[a]:starts[b]], a) for a, b in zip(bounds, bounds[1:])]


def run(lint, where, *args):
    done = subprocess.run([lint, *OPTIONS, *args], cwd=where, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{args}: ends with {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def summed(summary):
    """Interfaces that several files have, as one."""
    found = {}
    for one in summary["interfaces"]:
        key = one["name"], one["link_type"], one["snaplen"], one["dropped"]
        found[key] = found.get(key, 0) + one["packets"]
    return dict(summary, interfaces=found)


class Map:
    """What is said of the parts, as it would be said of the whole capture."""

    def __init__(self, before):
        self.before = before  # {file: frames before it}

    def number(self, file, frame):
        """Of a frame as it is written: 7, or "FILE:7" if it is in another file."""
        if isinstance(frame, int):
            return frame + self.before[file]
        other, _, n = frame.rpartition(":")
        if other == file:
            raise ValueError(f"{frame} is named as of another file")
        return int(n) + self.before[other]

    def text(self, file, text):
        """A message: its frames."""
        def one(word):
            return str(self.number(file, int(word[0]) if word[0].isdigit() else word[0]))
        return FRAMES.sub(lambda m: m[1] + re.sub(r"(?:[^\s,:]+:)?\d+", one, m[2]), text)

    def row(self, row):
        if row["type"] == "summary":
            return summed(dict(row, file="whole"))
        new, file = dict(row, file="whole"), row["file"]
        for key in ("frame", "first_frame", "last_frame"):
            if row.get(key) is not None:
                new[key] = self.number(file, row[key])
        for key in OF_OBJECTS.get(row["type"], ()):
            if row[key] is not None:
                new[key] = self.number(file, row[key])
        for key in LISTS.get(row["type"], ()):
            new[key] = [dict(one, **{name: self.number(file, one[name]) for name in FRAMES_OF_A_LIST if name in one})
                        for one in row[key]]
        new.pop("file_offset", None)  # its place in one file or the other
        if row["type"] == "cm":
            new["messages"] = [[self.number(file, frame), *rest] for frame, *rest in row["messages"]]
        if row["type"] == "incident":
            new["frames"] = {key: frame and self.number(file, frame) for key, frame in row["frames"].items()}
            new["text"] = self.text(file, row["text"])
            return new
        if row["type"] == "upper":
            new["time"] = dict(row["time"], frame=row["time"]["frame"] and self.number(file, row["time"]["frame"]))
        for key in ("related", "frames", *(("transfers",) if row["type"] == "command" else ())):
            if key in row:
                new[key] = [self.number(file, frame) for frame in row[key]]
        for way in ("a_to_b", "b_to_a"):
            if way in row:
                new[way] = dict(row[way], **{key: self.number(file, row[way][key])
                                             for key in OF_WAYS if row[way][key]})  # 0: none; null: of iWARP
        if "message" in row:
            new["message"] = self.text(file, row["message"])
        return new


def differences(whole, parts):
    for a, b in zip(whole, parts):
        if a != b:
            keys = [key for key in a if a[key] != b.get(key)]
            yield f"{[a.get(key) for key in keys]}, joined {[b.get(key) for key in keys]} ({' '.join(keys)})"
    if len(whole) != len(parts):
        yield f"{len(whole)} lines, joined {len(parts)}"


def compare(lint, path, tmp, chance):
    """(faults, findings, findings that name another file)"""
    data = path.read_bytes()
    starts = records(data)
    if not starts or len(starts) < 4:
        return [], 0, 0
    within = range(1, len(starts) - 1)
    if "copies" not in path.name:
        return compare_cut(lint, path, tmp, chance, sorted(chance.sample(within, 2)))
    # What is captured twice may be known in the next file only, or in the one after: of the second one nothing is there, too.
    last = min(20, len(starts) - 2)
    rows = [compare_cut(lint, path, tmp, chance, sorted(chance.choices(range(1, last + 1), k=2))) for _ in range(COPIES)]
    return [fault for faults, _, _ in rows for fault in faults], sum(n for _, n, _ in rows), sum(n for _, _, n in rows)


def compare_cut(lint, path, tmp, chance, cuts):
    data = path.read_bytes()
    starts = records(data)
    names, before = ("a.pcap", "b.pcap", "c.pcap"), {}
    for name, (part, n) in zip(names, split(data, starts, cuts)):
        (tmp / name).write_bytes(part)
        before[name] = n
    (tmp / "whole").write_bytes(data)
    more = ["--stats", "--format", "json", "--max-per-rule", str(chance.choice((0, 1, 10)))]
    if chance.random() < 0.3:
        more += ["-c", str(chance.randrange(1, len(starts)))]
    whole = [Map({"whole": 0}).row(json.loads(line)) for line in run(lint, tmp, *more, "whole")]
    raw = run(lint, tmp, "--join", *more, *names)
    faults = [f"{path.name}, cut after {cuts}: {fault}"
              for fault in differences(whole, [Map(before).row(json.loads(line)) for line in raw])]
    return faults, sum(row["type"] == "finding" for row in whole), sum(bool(re.search(r"[abc]\.pcap:\d", line)) for line in raw)


def text_faults(lint, tmp):
    """The text of one capture that is known: three findings, in the second and the third file."""
    data = (RXE / "40-k612-flush.pcap").read_bytes()
    for name, (part, _) in zip(("a", "b", "c"), split(data, records(data), (10, 19))):
        (tmp / name).write_bytes(part)
    only = ("--ignore", "all", "--select", "CRC001")
    said, grouped, *_ = run(lint, tmp, "--join", *only, "a", "b", "c")
    head, why = "error: CRC001 icrc-bad: ", "the headers from the BTH on are covered twice, a known fault of Linux rxe's FLUSH"
    first = f"psn 0xfffff4: RC FLUSH: ICRC 0xb79de1bc, should be 0x494540fa: {why}"
    if said != "a and 2 more: verdict: malformed packets: the ICRC is wrong (CRC001 icrc-bad, 3)":
        yield f"the verdict: {said}"
    if grouped != (f"b:5: {head}on 3 packets of 1 flow up to frame c:2, first at 2026-11-21T09:58:34.012161Z: "
                   f"10.7.0.1 -> 10.7.0.2 qp 0x000018 (24) {first}"):
        yield f"one line per cause: {grouped}"
    only += ("--max-per-rule", "0")
    lines = run(lint, tmp, "--join", *only, "a", "b", "c")
    flow = "10.7.0.1 -> 10.7.0.2 qp 0x000018"
    want = [f"b:5: {head}{flow} {first}",
            f"b:9: {head}{flow} psn 0xfffff6: RC FLUSH: ICRC 0xf16c5762, should be 0x04959e5a: {why}",
            f"c:2: {head}{flow} psn 0xfffff7: RC FLUSH: ICRC 0xb8c37a89, should be 0xb699c9ba: {why}",
            "a and 2 more: verdict: malformed packets: the ICRC is wrong (CRC001 icrc-bad, 3)",
            "a and 2 more: 28 packets, 13 RoCE v2, 1 connection: 3 errors, 0 warnings (use --explain RULE)"]
    if lines != want:
        yield f"the text is\n{os.linesep.join(lines)}"
    for args, status in (((), 1), (("-c", "14"), 0), (("-c", "15"), 1)):
        done = subprocess.run([lint, "--join", *only, *args, "a", "b", "c"], cwd=tmp, capture_output=True, check=False)
        if done.returncode != status:
            yield f"{args}: ends with {done.returncode}, not {status}"
    done = subprocess.run([lint, "--join", *only, "a", "none", "c"], cwd=tmp, capture_output=True, text=True, check=False)
    if done.returncode != 2 or "none: " not in done.stderr or "a and 1 more: 19 packets" not in done.stdout:
        yield f"without a file: {done.returncode}, {done.stderr}{done.stdout}"
    done = subprocess.run([lint, "--join", "--decode", "a", "b"], cwd=tmp, capture_output=True, text=True, check=False)
    if done.returncode != 2 or "--join is for checking" not in done.stderr:
        yield f"with --decode: {done.returncode}, {done.stderr}"


def main():
    lint, made = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    chance, faults, findings, elsewhere, count = random.Random(SEED), [], 0, 0, 0
    with tempfile.TemporaryDirectory() as tmp:
        faults += text_faults(lint, pathlib.Path(tmp))
        for path in captures(made):
            found, n, other = compare(lint, path, pathlib.Path(tmp), chance)
            faults += found
            findings, elsewhere, count = findings + n, elsewhere + other, count + 1
    print("\n".join(faults[:50] + [f"{count} captures, {findings} findings, {elsewhere} of them of two files, "
                                   f"{len(faults)} faults"]))
    return 1 if faults or count < 50 or findings < 500 or not elsewhere else 0


if __name__ == "__main__":
    sys.exit(main())
