#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""nvme_oracle.py PCAP-LINT MADE [COUNT] | PCAP-LINT FILE.pcap...: commands of NVMe over Fabrics, worked out a second time.

Of every capture, and of COUNT random conversations: each line "command" and "upper" of --stats, key by key, and which frames
the rules ULP speak of. What nvme clients of two real captures did is written down by hand.
"""
import collections
import json
import math
import pathlib
import random
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import capture  # noqa: E402
import nvme  # noqa: E402
import over_captures  # noqa: E402
import packet  # noqa: E402
import parallel  # noqa: E402
import writer  # noqa: E402

OPTIONS = ["--config", "none", "--progress", "never", "--format", "json", "--stats", "--max-per-rule", "0", "--severity", "note"]
LEAST = {"real": 150, "made": 25, "random": 600}
# What was done there: MANIFEST of the captures. (queue, name, frame, status, ms)
BY_HAND = {"01c-nvme-wrong-nqn.pcap": [(0, "Connect", 4, "Connect Invalid Parameters", 5)],
           "01b-nvme-loss.pcap": [(0, "Identify", 80, "success", 2359)]}


def product(lint, path):
    done = subprocess.run([lint, *OPTIONS, path], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"{path}: ends with {done.returncode}: {done.stderr}")
    lines = collections.defaultdict(list)
    for text in done.stdout.splitlines():
        row = json.loads(text)
        lines[row["type"]].append(row)
    return lines


def bucket(ns):
    if ns < 64:
        return ns
    width = 1 << ns.bit_length() - 6
    return (ns // width + 1) * width - 1


def percentile(times, thousandths):
    return bucket(sorted(times)[math.ceil(len(times) * thousandths / 1000) - 1]) if times else 0


def operations(ours):
    """{(queue, name): figures} of the rows of the oracle."""
    rows = collections.defaultdict(list)
    for row in ours.rows:
        rows[row["number"], row["counted as"]].append(row)
    for (number, name), those in rows.items():
        queue = ours.queues[number]
        times = [row["ns"] for row in those if row["outcome"] == "answered"]
        most = {queue.name(code): n for code, n in queue.most.items()}
        slowest = [row["frame"] for row in those if row["outcome"] == "answered" and row["ns"] == max(times)]
        yield number, name, slowest, {
            "queue": queue.id, "count": len(those), "errors": sum(row["status"] not in (None, "success") for row in those),
            "bytes": sum(row["bytes"] for row in those), "open": sum(row["outcome"] in ("open", "closed") for row in those),
            "open_max": most[name], "time": {"count": len(times), "p50": percentile(times, 500), "p99": percentile(times, 990),
                                             "p999": percentile(times, 999), "max": max(times, default=0)}}


def compare_operations(ours, lines):
    """Their lines come queue by queue, as those began."""
    theirs, faults = collections.defaultdict(list), []
    for line in lines:
        theirs[line["queue"], line["operation"]].append(line)
    for _, name, slowest, want in operations(ours):
        mine = theirs[want["queue"], name]
        line = mine.pop(0) if mine else {}
        frame = line.get("time", {}).pop("frame", None)
        if (slowest or [None]) != [None] and frame not in slowest:
            faults.append(f"{name}: slowest in frame {frame}, should be one of {slowest}")
        faults += [f"{name} of queue {want['queue']}: {key}: {line.get(key)}, the oracle {value}"
                   for key, value in want.items() if line.get(key) != value]
    faults += [f"{name} of queue {queue}: {len(rest)} more" for (queue, name), rest in theirs.items() if rest]
    return faults


def compare(lint, path):
    lines, ours = product(lint, path), nvme.Reader(path)
    theirs, faults = lines["command"], []
    if len(theirs) != len(ours.rows):
        faults.append(f"{len(theirs)} commands, the oracle has {len(ours.rows)}")
    for line, want in zip(theirs, ours.rows, strict=False):
        faults += [f"command of frame {want['frame']}: {key}: {line.get(key)}, the oracle {value}"
                   for key, value in want.items() if key not in ("number", "counted as") and line.get(key) != value]
    faults += compare_operations(ours, lines["upper"])
    found = sorted((f["rule"], f["frame"]) for f in lines["finding"] if f["rule"].startswith("ULP"))
    if found != sorted(ours.findings):
        faults.append(f"{found}, the oracle {sorted(ours.findings)}")
    for queue, name, frame, status, ms in BY_HAND.get(path.name, []):
        if not any((row["queue"], row["name"], row["frame"], row["status"], (row["ns"] or 0) // 10**6) == (queue, name, frame, status, ms)
                   for row in theirs):
            faults.append(f"no {name} of queue {queue} in frame {frame} with {status} after {ms} ms")
    return len(ours.rows), len(ours.findings), [f"{path.name}: {fault}" for fault in faults]


def of_captures(paths, lint):
    results = []
    for path in paths:
        try:
            results.append(compare(lint, path))
        except capture.Skipped:
            results.append((0, 0, []))
    return results


# Random conversations

class Talk:
    """A queue: who asks and who answers, and what each sends next."""

    def __init__(self, rng, number, framing):
        self.rng, self.framing, self.frames = rng, framing, []
        self.ends = [writer.End(f"192.0.2.{side + 1}", 0x100 * (side + 1) + number, lid=side + 1) for side in (0, 1)]
        self.psn = [rng.choice([0, 5, (1 << 24) - 3]), rng.randrange(1 << 24)]
        self.qid, self.depth, self.open, self.key = number % 3, rng.choice([1, 3, 8, 31]), {}, 0x1000 * number

    def send(self, side, op, body=b"", again=True, **fields):
        src, dst = self.ends[side], self.ends[not side]
        frame = writer.frame(self.framing, src, dst, op, dst.qpn, self.psn[side], body=body, ackreq=1, **fields)
        self.frames.append((self.rng.choice([1, 10, 1000]) * 1000, frame))
        if again and self.rng.random() < 0.08:
            self.frames.append((20_000_000, frame))
        self.psn[side] = (self.psn[side] + 1) % (1 << 24)
        if op != packet.READ_REQUEST:
            self.frames.append((2000, writer.frame(self.framing, dst, src, packet.ACKNOWLEDGE, src.qpn, (self.psn[side] - 1) % (1 << 24))))

    def capsule(self, opcode, cid, size, kind=4, fabrics=0, cdw10=bytes(24)):
        self.key += 1
        address = self.rng.randrange(1 << 40)
        sgl = struct.pack("<Q", address) + size.to_bytes(3, "little") + self.key.to_bytes(4, "little") + bytes([kind << 4]) \
            if kind == 4 and size else struct.pack("<QI", 0, size) + bytes(3) + b"\x01" if size else bytes(16)
        body = bytes([opcode, 0x40]) + struct.pack("<H", cid) + bytes([fabrics]) + bytes(19) + sgl + cdw10
        if kind == 0:
            body += bytes(size)
        if cid in self.open and self.open[cid][0] == self.key:
            raise AssertionError("keys are new ones")
        self.open[cid] = (self.key, address, size if kind == 4 else 0)
        self.send(0, packet.SEND_ONLY, body)

    def answer(self, cid, status=0):
        self.open.pop(cid, None)
        body = bytes(8) + struct.pack("<HHHH", 0, self.qid, cid, status << 1)
        self.send(1, self.rng.choice([packet.SEND_ONLY, packet.SEND_ONLY_INV]), body)

    def connect(self):
        self.capsule(0x7f, 0, 1024, fabrics=1, cdw10=struct.pack("<HHHHI", 0, self.qid, self.depth, 0, 0) + bytes(12))

    def move(self, cid):
        """An RDMA READ or WRITE, which one time in ten goes astray."""
        key, address, size = self.open[cid]
        wrong = self.rng.random() < 0.1
        size, at = (size + 1, address) if wrong and self.rng.random() < 0.5 else (size, address - wrong)
        key += wrong and self.rng.random() < 0.3 and 0x10000000
        if self.rng.random() < 0.5:
            self.send(1, packet.WRITE_ONLY, bytes(min(size, 64)), va=at, rkey=key, dma=size)
        else:
            self.send(1, packet.READ_REQUEST, va=at, rkey=key, dma=min(size, 256))

    def many(self):
        """Forty operations that nobody has a name for."""
        for opcode in range(0xc0, 0xe8):
            self.capsule(opcode, opcode, 0)
            if self.rng.random() < 0.5:
                self.answer(opcode)

    def some(self):
        for _ in range(self.rng.randrange(1, 6)):
            cid = self.rng.randrange(6 if self.rng.random() < 0.2 else 4096)
            opcode = self.rng.choice([0, 1, 2, 9, 0x3f] if self.qid else [2, 6, 9, 0x0c, 0x18, 0x3f])
            self.capsule(opcode, cid, self.rng.choice([0, 512, 64]), kind=self.rng.choice([4, 4, 0]))
        for cid in self.rng.sample(sorted(self.open), k=len(self.open)):
            if self.open[cid][2] and self.rng.random() < 0.7:
                self.move(cid)
            if self.rng.random() < 0.8:
                self.answer(cid, self.rng.choice([0] * 8 + [0x002, 0x004, 0x281, 0x285, 0x007, 0x00b]))
        if self.rng.random() < 0.1:
            self.answer(5000)


def of_the_cm(talk, attribute, comm):
    client, server = talk.ends
    side = attribute == 0x13
    local, remote = (comm + 0x1000, comm) if side else (comm, 0 if attribute == 0x10 else comm + 0x1000)
    body = writer.cm(attribute, local, remote, qpn=talk.ends[not side if attribute == 0x15 else side].qpn, service="RC", mtu=1024)
    src, dst = (server, client) if side else (client, server)
    talk.frames.append((5000, writer.frame(talk.framing, src, dst, writer.UD_SEND_ONLY, 1, comm % 1000, body=body)))


def scenario(rng):
    """One queue after the other; sometimes the second one has the queue pairs of the first."""
    framing, frames, time = rng.choice(["ipv4", "ipv6"]), [], 10**18
    before = None
    for number in range(1, rng.randrange(2, 5)):
        talk = Talk(rng, number, framing)
        if before and rng.random() < 0.3:
            talk.ends = before.ends
        managed = rng.random() < 0.8
        if managed:
            of_the_cm(talk, 0x10, 0x20 + number)
            of_the_cm(talk, 0x13, 0x20 + number)
        talk.connect()
        if rng.random() < 0.9:
            talk.answer(0, rng.choice([0] * 6 + [0x182, 0x184]))
        for _ in range(rng.randrange(6)):
            talk.some()
        if talk.qid and rng.random() < 0.1:
            talk.many()
        if managed and rng.random() < 0.7:
            of_the_cm(talk, 0x15, 0x20 + number)
        frames += talk.frames
        before = talk
    timed = []
    for step, data in frames:
        time += step
        timed.append((time, data))
    return writer.pcap(writer.LINKTYPES[framing], timed)


def write(scratch, count):
    for seed in range(count):
        path = scratch / f"nvme-{seed}.pcap"
        path.write_bytes(scenario(random.Random(f"NVMe {seed}")))
        yield path


def report(kind, paths, lint):
    count, found, faults = 0, 0, []
    for results in parallel.each(of_captures, parallel.parts(paths), lint):
        for n, findings, wrong in results:
            count += n
            found += findings
            faults += wrong
    if kind in LEAST and count < LEAST[kind]:
        faults.append(f"{count} commands, {LEAST[kind]} at least")
    if kind == "real":
        faults += [f"{name}: there is no such capture" for name in BY_HAND.keys() - {path.name for path in paths}]
    return over_captures.told(kind, f"commands, {found} findings", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
