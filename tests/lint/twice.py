#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""twice.py PCAP-LINT MADE: what is captured at two points is told as what is captured at one.

Of every classic pcap over Ethernet, real and made, packets are put in a second time, as another point of the network
has them: as a router sends them on (TTL, MACs), in a VLAN, at another interface, or as they are, at once or up to milliseconds later; and
with some that the second point misses. The same is found at the same packets, and CAP008 says that they are there twice.
What only looks like it has no CAP008: the captures as they are, a network that duplicates one packet in ten, a sender that retransmits
all on another path.
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import pcapng_parts as ng  # noqa: E402
import sample  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format", "json", "--progress", "never"]
BATCH, MOST_FRAMES, LEAST_PACKETS = 40, 3000, 24
# Captured twice as they are: MANIFEST, pcaps/make_lint_cap.c
TWICE = {"31b-mirror-twice", "31d-mirror-cm-loss-twice", "55-merged-two-points-write", "lint-cap-copies", "lint-cap-copies-same",
         "lint-cap-copies-late", "lint-cap-copies-clock"}
PARTLY = "lint-cap-copies-few"  # seven of its packets are
# What the frames of a point have in common, and what is said of the file: the second point changes these itself.
OF_A_POINT = {"ROC028", "ROC029", "CAP003", "CAP008", "CAP009", "CAP014", "CAP022"}


class Capture:
    def __init__(self, path):
        data = path.read_bytes()
        self.path, self.records, at = path, [], 24
        nano = data[:4] == b"\x4d\x3c\xb2\xa1"
        self.linktype, = struct.unpack_from("<H", data, 20)
        while at + 16 <= len(data):
            seconds, part, n, length = struct.unpack_from("<4I", data, at)
            self.records.append((seconds * 10**9 + part * (1 if nano else 1000), data[at + 16:at + 16 + n], length))
            at += 16 + n
        self.whole = at == len(data) and all(len(body) == length for _, body, length in self.records)


def suits(path):
    return path.stat().st_size > 24 and path.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")


def network(body):
    """(where its network header begins, its ethertype); None: it has none."""
    at, kind = 14, int.from_bytes(body[12:14], "big")
    while kind in (0x8100, 0x88a8) and len(body) >= at + 4:
        kind = int.from_bytes(body[at + 2:at + 4], "big")
        at += 4
    return (at, kind) if kind in (0x0800, 0x86dd, 0x8915) and len(body) >= at + 40 else None


def routed(body):
    """As a router sends it on."""
    at, kind = network(body)
    out = bytearray(body)
    out[0:12] = bytes.fromhex("02aa00000001") + bytes.fromhex("02aa00000002")
    ttl = at + (8 if kind == 0x0800 else 7)
    out[ttl] = (out[ttl] - 1) % 256
    if kind == 0x0800:  # one less in the TTL is 0x100 more in the checksum (RFC 1141): a wrong one stays wrong
        value = int.from_bytes(out[at + 10:at + 12], "big") + 0x100
        out[at + 10:at + 12] = ((value & 0xffff) + (value >> 16)).to_bytes(2, "big")
    return bytes(out)


def tagged(body):
    return body[:12] + b"\x81\x00\x00\x07" + body[12:]


LATEST = {"routed, late": 3_000_000, "as it is": 40_000}
FEW = 32

# name: (what the second point makes of a frame, its interface, how much later it sees it in ns, share that it sees)
POINTS = {
    "routed": (routed, 0, lambda rng: 5000, 1),
    "routed, late": (routed, 0, lambda rng: rng.randrange(LATEST["routed, late"]), 1),
    "tagged": (tagged, 0, lambda rng: rng.randrange(1000, 40_000), 1),
    "interface": (bytes, 1, lambda rng: rng.randrange(20_000), 1),
    "interface, some missed": (bytes, 1, lambda rng: rng.randrange(20_000), 0.9),
    "as it is": (bytes, 0, lambda rng: rng.randrange(LATEST["as it is"]), 1),
}


def hosts(body):
    """Both, in an order that no direction has."""
    at, kind = network(body)
    src, n = (at + 12, 4) if kind == 0x0800 else (at + 8, 16)
    return tuple(sorted((body[src:src + n], body[src + n:src + 2 * n])))


def suits_late(capture, how):
    """Where copies come in any order, or look like the first ones, few packets of two hosts show nothing."""
    packets = collections.Counter(hosts(body) for _, body, _ in capture.records if network(body))
    return packets and min(packets.values()) >= FEW and capture.records[-1][0] - capture.records[0][0] >= 10 * LATEST[how]


def numbers_change(capture):
    """Whether each packet has an IPv4 identification that no other one of its sender has."""
    seen = set()
    for _, body, _ in capture.records:
        at = network(body)
        if not at or at[1] != 0x0800:
            return False
        number = body[at[0] + 12:at[0] + 16] + body[at[0] + 4:at[0] + 6]
        if number in seen:
            return False
        seen.add(number)
    return True


def write(path, rows):
    parts = [ng.section(), ng.interface(1, 0, [(ng.IF_TSRESOL, b"\x09")]), ng.interface(1, 0, [(ng.IF_TSRESOL, b"\x09")])]
    parts += [ng.packet(iface, at, body, len(body)) for at, _, _, iface, body in rows]
    path.write_bytes(b"".join(parts))


def put_twice(capture, how):
    """[(time, index of the record, whether it is a copy, interface, bytes)] as the file has them"""
    make, iface, later, share = POINTS[how]
    rng, rows = random.Random(capture.path.name + how), []
    for i, (at, body, _) in enumerate(capture.records):
        rows.append((at, i, 0, 0, body))
        if network(body) and rng.random() < share:
            rows.append((at + later(rng), i, 1, iface, make(body)))
    return sorted(rows, key=lambda row: row[:3])


def with_copies(capture, how, path):
    """Writes it; {frame before: frame now}"""
    rows = put_twice(capture, how)
    write(path, rows)
    return {row[1] + 1: now for now, row in enumerate(rows, 1) if row[2] == 0}


def duplicated(capture, path):
    """One in ten is there again at once, as a network makes it."""
    rng, rows = random.Random(capture.path.name), []
    for i, (at, body, _) in enumerate(capture.records):
        rows.append((at, i, 0, 0, body))
        if rng.random() < 0.1:
            rows.append((at + 2000, i, 1, 0, body))
    rows.sort(key=lambda row: row[:3])
    write(path, rows)
    return len(rows) - len(capture.records)


def is_request(body):
    """Whether a sender sends the packet again: a request of RC or XRC."""
    at, kind = network(body)
    bth = at + (28 if kind == 0x0800 else 48)
    if kind == 0x8915 or len(body) < bth + 12 or body[bth - 6:bth - 4] != b"\x12\xb7":
        return False
    return body[bth] >> 5 in (0, 5) and body[bth] & 31 in (*range(13), 19, 20, 22, 23)


def moved(capture, path):
    """In its middle requests are sent again by a timer, on another path, which all take from then on."""
    rows, half = [], len(capture.records) // 2
    frames = [(at, body) for at, body, _ in capture.records if network(body)]
    half = len(frames) // 2
    again = [body for _, body in frames[max(0, half - 20):half] if is_request(body)]
    for i, (at, body) in enumerate(frames):
        rows.append((at, i, 0, 0, body) if i < half else (at + 9_000_000, i, 0, 0, routed(body)))
    rows += [(frames[half - 1][0] + 8_000_000 + n, half - 1, 1 + n, 0, routed(body)) for n, body in enumerate(again)]
    rows.sort(key=lambda row: row[:3])
    write(path, rows)
    return len(again)


def read(lint, paths):
    """{path: [row of a finding]}"""
    out = {}
    for at in range(0, len(paths), BATCH):
        run = subprocess.run([lint, *OPTIONS, *map(str, paths[at:at + BATCH])], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 2):
            raise SystemExit(f"{lint}: status {run.returncode}: {run.stderr}")
        for row in map(json.loads, run.stdout.splitlines()):
            if row["type"] == "finding":
                out.setdefault(pathlib.Path(row["file"]), []).append(row)
            elif row["type"] == "summary":
                out.setdefault(pathlib.Path(row["file"]), [])
    return out


def counted(rows, now):
    """Findings by rule, level and frame."""
    return collections.Counter((row["rule"], row["severity"], now.get(row["frame"], row["frame"])) for row in rows
                               if row["rule"] not in OF_A_POINT)


def differ(capture, how, before, after, now):
    name = capture.path.name
    was, found = counted(before, now), counted(after, {})
    for key in sorted(set(was) | set(found), key=str):
        if was[key] != found[key]:
            yield f"{name}, {how}: {key[1]} {key[0]} at frame {key[2]}: {was[key]} at one point, {found[key]} at two"


def says_twice(rows):
    return any(row["rule"] == "CAP008" for row in rows)


def main(lint, made):
    real, own = {*ROOT.glob("pcaps/**/*.pcap")}, {*pathlib.Path(made).glob("*.pcap")}
    if not real or not own:
        print(f"no captures in pcaps or in {made}")
        return 1
    captures = [Capture(path) for path in sorted(real | own) if suits(path)]
    captures = [c for c in captures if c.whole and c.linktype == 1 and LEAST_PACKETS <= len(c.records) <= MOST_FRAMES]
    before, faults, asked = read(lint, [c.path for c in captures]), [], collections.Counter()
    for c in captures:
        if says_twice(before[c.path]) != (c.path.stem in TWICE):
            faults.append(f"{c.path.name}: CAP008 {'missing' if c.path.stem in TWICE else 'false'}")
    captures = sample.rows([c for c in captures if not says_twice(before[c.path]) and c.path.stem != PARTLY], lambda c: c.path.name)
    with tempfile.TemporaryDirectory() as tmp:
        todo = []
        for number, c in enumerate(captures):
            for how in POINTS:
                if how in LATEST and not suits_late(c, how) or how == "as it is" and not numbers_change(c):
                    continue
                path = pathlib.Path(tmp) / f"{number}-{len(todo)}.pcapng"
                todo.append((c, how, path, with_copies(c, how, path)))
            for how, make in (("duplicated", duplicated), ("moved", moved)):
                path = pathlib.Path(tmp) / f"{number}-{len(todo)}.pcapng"
                if make(c, path):
                    todo.append((c, how, path, None))
        after = read(lint, [path for _, _, path, _ in todo])
        for c, how, path, now in todo:
            asked[how] += 1
            if now is None:
                if says_twice(after[path]):
                    faults.append(f"{c.path.name}, {how}: CAP008, though it was captured once")
            elif not says_twice(after[path]):
                asked["not told"] += 1
            else:
                faults += differ(c, how, before[c.path], after[path], now)
                asked["told"] += 1
    print("\n".join(faults[:200] + [f"{len(captures)} captures: {dict(asked)}: {len(faults)} faults"]))
    return 1 if faults or asked["told"] < 4 * asked["not told"] or not asked["moved"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
