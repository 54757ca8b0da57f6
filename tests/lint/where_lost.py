#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""where_lost.py PCAP-LINT: what is said of where a packet was lost, or doubled, is what was done to it.

Of captures of pcaps/faults and pcaps/ulp relay.csv says it: what A sent, and the relay lost, is in a capture at A and not in one
at B. Of invented conversations it is known for each copy of each packet: a requester that goes back after a NAK and a
timer, a receiver that discards what is not in order, packets lost, damaged, doubled and held back before and after the capture
point, with Identifications of IPv4 that change and that do not. A sentence that claims more than happened is a fault; of each there
have to be some. Where packets overtake each other, and are lost, too, or all have one Identification, a few are told wrong: nothing
in the capture shows it.
"""
import collections
import csv
import heapq
import itertools
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("lib", "oracles")]
import roce  # noqa: E402
import packet as P  # noqa: E402
import writer as W  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format",
           "json", "--progress", "never"]
RUNS, FILES_AT_ONCE = 400, 50
MIXED = 20  # faults of runs in which packets overtake each other and that cannot be told, of more than 1,000 claims
CLIENT = "10.7.0.1"
ONE_WAY = "one way: "
US, MS = 1000, 10**6
# What a sentence claims of a PSN, the first that it has; "unknown" claims nothing.
RULES = {"QPS002", "QPS003", "QPS006", "QPS008"}
CLAIMS = {"when it was retransmitted": "resend", "lost before": "before", "lost after the capture point": "after", "discarded": "discarded",
          "late, not lost": "late", "at an unknown point": "unknown", "not known": "unknown",
          "the network duplicated it": "doubled", "its sender retransmitted it": "sent",
          "retransmitted, or duplicated": "unknown"}
NEEDED = {"before", "after", "resend", "discarded", "late", "doubled", "sent", ONE_WAY + "before", ONE_WAY + "doubled"}


def claims(lint, paths):
    """{name of a file: [(frame, rule, PSN, how many, claim)]}; "2 before": 2 of them, the others are in the file."""
    said = subprocess.run([lint, *OPTIONS, *paths], check=True, capture_output=True, text=True).stdout
    out = collections.defaultdict(list)
    for line in map(json.loads, said.splitlines()):
        if line["type"] != "finding" or line["rule"] not in RULES:
            continue
        text = line["text"] if "text" in line else line["message"]
        claim = next((claim for words, claim in CLAIMS.items() if words in text), None)
        psn = re.search(r"PSN 0x([0-9a-f]+)", text)
        gap = re.match(r"(\d+) PSNs? missing from 0x([0-9a-f]+) on", text)
        part = re.search(r"(\d+) w(?:as|ere) lost before the capture point", text)
        number, count = (int(gap[2], 16), int(gap[1])) if gap else (int(psn[1], 16) if psn else line["psn"], 1)
        if claim:
            out[pathlib.Path(line["file"]).stem].append(
                (line["frame"], line["rule"], number, count, f"{part[1]} before" if part else claim))
    return out


# Real captures

def packets(path):
    """{frame: (from A, opcode, QP, PSN, Identification, time in ns)} of RoCE v2 over IPv4."""
    data, at, number, out = path.read_bytes(), 24, 0, {}
    while at < len(data):
        seconds, part, length, _ = struct.unpack_from("<IIII", data, at)
        frame, at, number = data[at + 16:at + 16 + length], at + 16 + length, number + 1
        if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7":
            out[number] = (".".join(map(str, frame[26:30])) == CLIENT, frame[42], int.from_bytes(frame[47:50], "big"),
                           int.from_bytes(frame[51:54], "big"), int.from_bytes(frame[18:20], "big"), seconds * 10**9 + part * 1000)
    return out


def relayed():
    """{capture: {(direction, QP, PSN): [action]}} of request packets."""
    out = collections.defaultdict(lambda: collections.defaultdict(list))
    for family in ("faults", "ulp"):
        text = (ROOT / f"pcaps/{family}/relay.csv").read_text(encoding="ascii")
        for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
            if row["psn"] and row["qp"] and row["packet"].startswith("RC_") and not re.search("ACK|RESP", row["packet"]):
                out[f"{family}/{row['capture']}"][row["direction"], int(row["qp"], 16), int(row["psn"])].append(row["action"])
    out["faults/30-two-points-write-atB"] = out["faults/30-two-points-write-atA"]
    out["faults/30b-two-points-read-atB"] = out["faults/30b-two-points-read-atA"]
    return out


AT_B = {"10e-swap-write", "10f-old-dup-send", "12-uc-write-loss", "12b-uc-send-loss", "13-ud-loss", "30-two-points-write-atB",
        "30b-two-points-read-atB"}


def real_faults(lint, counts):
    """Each claim of a capture that a relay was after, or before."""
    done, faults = relayed(), []
    names = sorted(name for name in done if (ROOT / f"pcaps/{name}.pcap").exists())
    said = claims(lint, [str(ROOT / f"pcaps/{name}.pcap") for name in names])
    for name in names:
        there = packets(ROOT / f"pcaps/{name}.pcap")
        for frame, rule, psn, count, claim in said[pathlib.Path(name).name]:
            fault = real_fault(pathlib.Path(name).name in AT_B, there, done[name], frame, rule, psn, count, claim)
            counts[claim] += 1
            if fault:
                faults.append(f"{name} frame {frame}: {rule} says {claim} of PSN {psn:#x}: {fault}")
    return faults


def real_fault(at_b, there, done, frame, rule, psn, count, claim):
    from_a, opcode, qp, *_ = there[frame]
    if rule == "QPS008":  # an answer: the requests are the others'
        from_a = not from_a
        qp = next((q for a, op, q, number, *_ in there.values() if a == from_a and number == psn and op != 0x11), None) or \
            next(q for a, op, q, *_ in there.values() if a == from_a and op < 0x0d)
    after = from_a != at_b  # the relay is after the capture point for what its own side sends
    acts = [act for number in range(psn, psn + count) for act in done["A-B" if from_a else "B-A", qp, number % 2**24]]
    copies = [n for n, (a, op, q, number, *_) in there.items() if n < frame and a == from_a and q == qp and number == psn and op < 0x0d]
    drops = acts.count("drop")
    if claim == "after":
        return None if after and drops else "the relay did not drop it after this point"
    if "before" in claim:
        return None if not after and drops and not copies else "the relay did not drop it before the capture point"
    if claim == "resend":
        return None if not after and drops and copies else "the relay dropped no copy of it before the capture point"
    if claim == "discarded":
        return None if copies else "it was not captured before"
    if claim == "late":
        return "the relay dropped it" if drops else None
    if claim == "doubled":
        same = [n for n in copies if there[n][4] == there[frame][4]]
        return None if same and (at_b is False or "copies" in acts or "hold" in acts) else "nobody doubled it"
    if claim == "sent":
        return "it has the Identification of the copy before" if there[copies[-1]][4] == there[frame][4] else None
    return None


# Invented ones

class Run:
    """A requester, a receiver, and a way between them with a capture point on it."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.changes = self.rng.random() < 0.7  # the Identification
        self.first = self.rng.choice((100, 2**24 - 30, self.rng.randrange(2**24)))
        self.total = self.rng.randrange(40, 160)
        often = self.rng.choice((0.01, 0.04, 0.1))
        kinds = self.rng.choice((("lose1",), ("lose2",), ("lose1", "lose2"), ("double1",), ("double2", "double1", "lose1"), ("hold1",),
                                 ("hold1", "lose1", "lose2"), ("lose1", "lose2", "double1", "hold1", "nak"), ("nak", "lose1"),
                                 ("nak", "lose2"), ("ack", "lose1", "lose2"), ("damage1",),
                                 ("damage1", "lose1"), ("damage1", "lose2"), ("damage1", "nak")))
        self.odds = {kind: often for kind in kinds}
        self.now, self.queue, self.count, self.frames = 10**18, [], 0, []
        self.ends = W.End("192.0.2.1", 0x11), W.End("192.0.2.2", 0x22)
        self.identification = [self.rng.randrange(2**16), self.rng.randrange(2**16)]
        self.next, self.high, self.acked, self.window = 0, 0, 0, self.rng.randrange(4, 24)
        self.expected, self.nak_sent, self.since_ack, self.timer = 0, False, 0, 0
        self.copies = collections.defaultdict(list)  # {PSN: [copy]}: what became of each that was sent
        self.back_lost = 0

    def odd(self, kind):
        return self.rng.random() < self.odds.get(kind, 0)

    def at(self, after, what, *args):
        self.count += 1
        heapq.heappush(self.queue, (self.now + after, self.count, what, args))

    def run(self):
        self.at(0, self.send)
        while self.queue:
            self.now, _, what, args = heapq.heappop(self.queue)
            what(*args)
        return self

    # The requester

    def send(self):
        if self.acked == self.total:
            return
        if self.next < min(self.total, self.acked + self.window):
            self.emit(self.next)
            self.next += 1
            self.high = max(self.high, self.next)
            self.timer = self.now
        elif self.now > self.timer + 12 * MS:
            self.next, self.timer = self.acked, self.now
        self.at(self.rng.choice((2, 3, 5, 40)) * US if self.next < self.acked + self.window else 300 * US, self.send)

    def emit(self, psn):
        copy = {"psn": psn, "frames": [], "fates": [], "again": psn < self.high, "sent": self.now}
        self.copies[psn].append(copy)
        self.identification[0] += self.changes
        identification = self.identification[0]
        for _ in range(1 + self.odd("double1")):
            if self.odd("lose1"):
                copy["fates"].append("before")
                continue
            late = self.rng.randrange(10, 40) * US if self.odd("hold1") and self.acked else 0
            self.at(5 * US + late, self.pass_by, copy, identification)

    def pass_by(self, copy, identification):
        self.capture(0, P.SEND_ONLY, copy["psn"], identification, 64, ackreq=1)
        copy["frames"].append(len(self.frames))
        if self.odd("damage1"):
            self.damage()
            copy["fates"].append("damaged")
            return
        for _ in range(1 + self.odd("double2")):
            if self.odd("lose2"):
                copy["fates"].append("after")
                continue
            self.at(20 * US, self.arrive, copy)

    def damage(self):
        """One bit of the last frame: of an address, the queue pair, the payload or the ICRC."""
        now, data, born = self.frames[-1]
        byte = self.rng.choice((*range(26, 34), 47, 48, 49, 60, len(data) - 1))
        data = data[:byte] + bytes([data[byte] ^ 1 << self.rng.randrange(8)]) + data[byte + 1:]
        self.frames[-1] = now, data, born

    def answered(self, psn, nak):
        if psn > self.acked:
            self.acked, self.timer = psn, self.now
            self.next = max(self.next, self.acked)
        if nak and psn == self.acked:
            self.next = psn

    # The receiver

    def arrive(self, copy):
        if copy["psn"] == self.expected:
            copy["fates"].append("received")
            self.expected += 1
            self.nak_sent = False
            self.since_ack += 1
            if self.since_ack >= 4 or self.expected == self.total or self.rng.random() < 0.3:
                self.answer(self.expected - 1, 0x1f)
        elif copy["psn"] < self.expected:
            copy["fates"].append("twice")
            self.answer(self.expected - 1, 0x1f)
        else:
            copy["fates"].append("discarded")
            if not self.nak_sent:
                self.nak_sent = True
                self.answer(self.expected, 0x60)

    def answer(self, psn, syndrome):
        self.since_ack = 0
        self.at(20 * US, self.pass_back, psn, syndrome, self.now, self.expected)

    def pass_back(self, psn, syndrome, born, done):
        if self.odd("nak" if syndrome == 0x60 else "ack"):
            return
        self.identification[1] += 1
        self.capture(1, P.ACKNOWLEDGE, psn, self.identification[1], 0, syndrome=syndrome, msn=done)
        self.frames[-1] = self.frames[-1][:2] + (born,)
        self.at(5 * US, self.answered, psn if syndrome == 0x60 else psn + 1, syndrome == 0x60)

    def capture(self, side, op, psn, identification, size, **fields):
        src, dst = self.ends[side], self.ends[1 - side]
        self.frames.append((self.now, W.frame("ipv4", src, dst, op, dst.qpn, (self.first + psn) % 2**24, size,
                                              identification=identification % 2**16, **fields), None))

    # What is said of it

    def is_mixed(self):
        """Packets overtake each other, and others are lost or no Identification tells them from what is sent again."""
        return "hold1" in self.odds and ("lose1" in self.odds or not self.changes)

    def fault(self, frame, rule, psn, count, claim):
        psn = (psn - self.first + 2**23) % 2**24 - 2**23
        if rule == "QPS008":
            return self.fault_of_nak(frame, psn, claim)
        if rule == "QPS002":
            lost = sum(any("before" in copy["fates"] for copy in self.copies[number])
                       and not any(f < frame for copy in self.copies[number] for f in copy["frames"])
                       for number in range(psn, psn + count))
            wanted = count if claim == "before" else int(claim.split()[0]) if "before" in claim else 0
            return None if lost >= wanted else f"{lost} of them were lost before the capture point"
        copy = next(copy for copy in self.copies[psn] if frame in copy["frames"])
        if claim == "doubled" and copy["frames"][0] == frame:
            return "it was sent again"
        if claim == "sent" and copy["frames"][0] != frame:
            return "the network doubled it"
        return None

    def fault_of_nak(self, frame, psn, claim):
        born = self.frames[frame - 1][2]
        copies = [copy for copy in self.copies[psn] if copy["sent"] < born]
        seen = [copy for copy in copies if any(f < frame for f in copy["frames"])]
        fates = {fate for copy in seen for fate in copy["fates"]}
        true = {"before": not seen and any("before" in copy["fates"] for copy in copies),
                "after": bool(seen) and "after" in fates,
                "resend": any(copy["again"] and "before" in copy["fates"] for copy in copies),
                "discarded": bool({"discarded", "after"} & fates),
                "late": not any({"before", "after", "damaged"} & set(copy["fates"]) for copy in copies if not copy["again"])}
        return None if true.get(claim, True) else f"of its copies became {[copy['fates'] for copy in copies]}"


def captured(run, path, one_way):
    """The frames of @path, which is written: numbers of those of @run, from 1."""
    kept = [n for n, frame in enumerate(run.frames, 1) if not one_way or frame[2] is None]  # answers have a birth
    path.write_bytes(W.pcap(1, [run.frames[n - 1][:2] for n in kept]))
    return kept


def invented_faults(lint, counts):
    faults, mixed = [], []
    with tempfile.TemporaryDirectory() as directory:
        for first, way in [*((first, "") for first in range(0, RUNS, FILES_AT_ONCE)), *((first, ONE_WAY) for first in range(0, RUNS // 2, FILES_AT_ONCE))]:
            runs = {f"run-{seed}": Run(seed).run() for seed in range(first, first + FILES_AT_ONCE)}
            paths = {name: pathlib.Path(directory) / f"{name}.pcap" for name in runs}
            kept = {name: captured(run, paths[name], way == ONE_WAY) for name, run in runs.items()}
            for name, found in claims(lint, [str(path) for path in paths.values()]).items():
                for number, rule, psn, count, claim in found:
                    frame = kept[name][number - 1]
                    counts[way + claim] += 1
                    fault = runs[name].fault(frame, rule, psn, count, claim)
                    if fault:
                        (mixed if runs[name].is_mixed() and not way else faults).append(
                            f"{name} frame {frame}: {rule} says {way}{claim} of PSN {psn:#x}: {fault}")
    return faults + (mixed if len(mixed) > MIXED else [])


def main(lint):
    counts = collections.Counter()
    faults = real_faults(lint, counts)
    faults += invented_faults(lint, counts)
    faults += [f"nothing is said to be {claim}" for claim in NEEDED if not counts[claim]]
    print("\n".join([*faults[:40], f"{sum(counts.values())} claims, {len(faults)} faults: "
                     + ", ".join(f"{claim} {n}" for claim, n in sorted(counts.items()))]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
