#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""waited.py PCAP-LINT: who waited, against simulated connections that know it.

Each of them is a requester and a responder with delays of their own, and does one thing for most of its time; what it
waited for is noted by the simulation, step by step, before a capture of it is written. The shares that pcap-lint
prints may differ from that by 2 % of the connection's time. In all captures of pcaps/, what a connection waited
for adds up to its time, and 01-cut (recovery), 06 and 12j (RNR) have the largest share where it has to be.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import dcqcn  # noqa: E402
import packet as P  # noqa: E402
import writer as W  # noqa: E402

US, MS = 10**3, 10**6
MTU = 1024
CNP, NAK, RNR, ACK = 0x81, 0x60, 0x20 | 14, 0x1f
START = 1735689600 * 10**9
SHARE = 0.02
# (capture, causes, the one that has most of the time but the application's)
REAL = [("faults/01-cut-write", "recovery"), ("faults/01b-cut-read", "recovery"), ("faults/01c-linkdown-send", "recovery"),
        ("faults/06-rnr-infinite", "rnr"), ("rxe/12j-rnr", "rnr")]


class Connection:
    """A conversation, written step by step: each step takes a time that somebody waits for."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.a, self.b = W.End("192.0.2.1", 0x11), W.End("192.0.2.2", 0x22)
        self.now, self.psn, self.frames, self.truth = START, 100, [], {}

    def passes(self, ns, cause):
        if self.frames:
            self.truth[cause] = self.truth.get(cause, 0) + ns
        self.now += ns

    def send(self, opcode, psn, payload=0, lost=False, **fields):
        if not lost:
            self.frames.append((self.now, W.frame("ipv4", self.a, self.b, opcode, self.b.qpn, psn, payload, **fields)))

    def answer(self, opcode, psn, payload=0, lost=False, **fields):
        if not lost:
            self.frames.append((self.now, W.frame("ipv4", self.b, self.a, opcode, self.a.qpn, psn, payload, **fields)))

    def about(self, ns):
        return self.random.randint(ns * 9 // 10, ns * 11 // 10)

    # What a connection does

    def think(self, ns):
        self.passes(self.about(ns), "application")

    def write(self, ns, cause="ack"):
        """A WRITE of one packet, acknowledged."""
        self.send(P.WRITE_ONLY, self.psn, MTU, ackreq=1, dma=MTU)
        self.passes(self.about(ns), cause)
        self.answer(P.ACKNOWLEDGE, self.psn, syndrome=ACK)
        self.psn += 1

    def read(self, ns, packets=8):
        self.send(P.READ_REQUEST, self.psn, dma=packets * MTU)
        for i in range(packets):
            self.passes(self.about(ns // packets), "read")
            kind = P.READ_ONLY if packets == 1 else (P.READ_FIRST if i == 0 else P.READ_LAST if i == packets - 1 else P.READ_MIDDLE)
            self.answer(kind, self.psn + i, MTU, syndrome=ACK)
        self.psn += packets

    def timeout(self, ns):
        """The request does not arrive, and nothing says so."""
        self.send(P.WRITE_ONLY, self.psn, MTU, ackreq=1, dma=MTU)
        self.passes(self.about(ns), "recovery")
        self.write(10 * US, "recovery")

    def lost(self, ns, more=20):
        """The first of several packets does not arrive; the responder asks for it, and it takes @ns until it comes."""
        for i in range(more):
            self.send(P.WRITE_ONLY, self.psn + i, MTU, ackreq=1, dma=MTU)
            self.passes(US, "ack")
        self.passes(self.about(5 * US), "ack")
        self.answer(P.ACKNOWLEDGE, self.psn, syndrome=NAK)
        self.passes(self.about(ns), "recovery")
        for i in range(more):
            self.send(P.WRITE_ONLY, self.psn + i, MTU, ackreq=1, dma=MTU)
            self.passes(US, "recovery")
        self.passes(self.about(5 * US), "recovery")
        self.psn += more
        self.answer(P.ACKNOWLEDGE, self.psn - 1, syndrome=ACK)

    def not_ready(self, ns):
        """No receive request is posted; packets after the refused one are dropped, and a NAK says so."""
        for i in range(3):
            self.send(P.SEND_ONLY, self.psn + i, MTU, ackreq=1)
            self.passes(US, "ack")
        self.answer(P.ACKNOWLEDGE, self.psn, syndrome=RNR)
        self.passes(US, "rnr")
        self.answer(P.ACKNOWLEDGE, self.psn, syndrome=NAK)
        self.passes(self.about(ns), "rnr")
        for i in range(3):
            self.send(P.SEND_ONLY, self.psn + i, MTU, ackreq=1)
            self.passes(US, "ack")
        self.passes(self.about(5 * US), "ack")
        self.psn += 3
        self.answer(P.ACKNOWLEDGE, self.psn - 1, syndrome=ACK)

    def paced(self, packets, gap, cause):
        """A long message, a packet each @gap."""
        for i in range(packets):
            kind = P.WRITE_FIRST if i == 0 else P.WRITE_LAST if i == packets - 1 else 0x07
            self.send(kind, self.psn + i, MTU, ackreq=i == packets - 1, dma=packets * MTU)
            self.passes(gap, cause)
        self.psn += packets
        self.answer(P.ACKNOWLEDGE, self.psn - 1, syndrome=ACK)

    def notified(self):
        self.answer(CNP, 0, port=0, becn=1)


def slowed(c):
    """Full rate, then a third of it after a CNP, full rate again. ACKs before that tell which end the CNP is for."""
    for _ in range(4):
        c.write(5 * US)
    c.paced(256, US, "ack")
    c.notified()
    for _ in range(3):
        c.paced(256, 3 * US, "cnp")
    c.paced(65, US, "cnp")  # 64 packets show that it is over
    c.paced(100, US, "ack")


# What each does most of the time.
KINDS = {
    "application": lambda c: (c.think(900 * US), c.write(50 * US)),
    "ack": lambda c: (c.think(20 * US), c.write(500 * US), c.read(40 * US)),
    "read": lambda c: (c.think(20 * US), c.write(20 * US), c.read(800 * US)),
    "read, one packet": lambda c: (c.think(30 * US), c.read(400 * US, 1), c.write(20 * US)),
    "recovery, timeouts": lambda c: (c.think(MS), c.write(50 * US), c.timeout(8 * MS)),
    "recovery, NAKs": lambda c: (c.think(100 * US), c.write(20 * US), c.lost(2 * MS)),
    "rnr": lambda c: (c.think(100 * US), c.write(20 * US), c.not_ready(1300 * US)),
    "cnp": lambda c: slowed(c) if not c.truth else c.paced(100, US, "ack"),
    "recovery, READs between": lambda c: (c.read(300 * US), c.timeout(3 * MS), c.read(300 * US)),
    "application, all others": lambda c: (c.think(5 * MS), c.write(300 * US), c.read(400 * US), c.lost(300 * US),
                                          c.not_ready(400 * US), c.timeout(600 * US)),
}


def flows(lint, path, *options):
    run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", "--fail-on", "never", *options, path],
                         stdout=subprocess.PIPE, text=True, check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    of_queue_pairs = [row for row in rows if row["type"] == "flow" and row["service"] != "iWARP"]
    return of_queue_pairs, next(row for row in rows if row["type"] == "waited")


def simulated(lint, directory, kind, seed):
    c = Connection(seed)
    for _ in range(20):
        KINDS[kind](c)
    path = pathlib.Path(directory) / "waited.pcap"
    path.write_bytes(W.pcap(1, c.frames))
    (flow,), _ = flows(lint, path)
    time = c.frames[-1][0] - c.frames[0][0]
    got = {key.removesuffix("_ns"): ns for key, ns in flow["waited"].items()}
    most = max(got, key=got.get)
    if most != kind.partition(",")[0]:
        yield f"{kind}: {most} has the largest share"
    if sum(got.values()) != time:
        yield f"{kind}: {sum(got.values())} ns are told of {time}"
    for cause, ns in got.items():
        if abs(ns - c.truth.get(cause, 0)) > SHARE * time:
            yield f"{kind}: {cause} {ns} ns, the simulation {c.truth.get(cause, 0)}, of {time}"


def congested(lint, directory, seed):
    """DCQCN captured at the sender: what is paced is the time from its first CNP until its rate is back, and it never is."""
    sim = dcqcn.Simulation(seed, point="sender", qps=2)
    path = pathlib.Path(directory) / "dcqcn.pcap"
    sim.write(path)
    for flow in flows(lint, path)[0]:
        got = flow["waited"]
        if sum(got.values()) and max(got, key=got.get) != "cnp_ns":
            yield f"dcqcn, seed {seed}: {got}"


def held(lint, directory, seed):
    """A switch that pauses its sender most of the time; it is captured at the sender, with VLAN tags and by DSCP."""
    for lost_xon in (False, True):
        sim = dcqcn.Simulation(seed, point="sender", qps=1, kmin=10**9, kmax=2 * 10**9, bottleneck=2 * 10**9, xoff=30_000, xon=10_000,
                               vlan=bool(seed % 2), lost_xon=lost_xon)
        path = pathlib.Path(directory) / "paused.pcap"
        sim.write(path)
        for flow in flows(lint, path, *(("--link-speed", "10G") if lost_xon else ()))[0]:
            got, time = flow["waited"], sum(flow["waited"].values())
            last = sim.frames[flow["last_frame"] - 1][0] - dcqcn.START
            paused = sum(max(0, min(end, last) - begin) for begin, end in sim.spans)
            if paused < time / 2 or max(got, key=got.get) != "pause_ns" or abs(got["pause_ns"] - paused) > SHARE * time:
                yield f"paused, seed {seed}, lost XONs {lost_xon}: {got} of {time}, the simulation {paused}"


def real(lint, path):
    """(connections, [fault]): what was waited for adds up to the time from the first packet to the latest."""
    found, total = flows(lint, path)
    faults, sums = [], {}
    for flow in found:
        told = sum(flow["waited"].values())
        for key, ns in flow["waited"].items():
            sums[key] = sums.get(key, 0) + ns
        longest = max(flow[way]["duration_ns"] for way in ("a_to_b", "b_to_a"))
        if told < longest and "clock" not in flow["doubt"]:
            faults.append(f"{path}: connection {flow['connection']}: {told} ns of at least {longest}")
    if found and any(total[key] != ns for key, ns in sums.items()):
        faults.append(f"{path}: {total} is not the sum")
    for name, cause in REAL:
        if str(path).endswith(f"{name}.pcap"):
            shares = {key: ns for key, ns in total.items() if key.endswith("_ns") and key != "application_ns"}
            if max(shares, key=shares.get) != f"{cause}_ns" or shares["unknown_ns"] > sum(shares.values()) / 20:
                faults.append(f"{path}: {shares}")
    return len(found), faults


def main():
    lint, faults, connections = sys.argv[1], [], 0
    with tempfile.TemporaryDirectory() as directory:
        for number, kind in enumerate(KINDS):
            faults += simulated(lint, directory, kind, number)
        for seed in range(1, 4):
            faults += congested(lint, directory, seed)
            faults += held(lint, directory, seed)
    names = [path for path in sorted((ROOT / "pcaps").glob("*/*.pcap")) if path.stat().st_size]
    for path in names:
        n, wrong = real(lint, path)
        connections, faults = connections + n, faults + wrong
    missing = [name for name, _ in REAL if not (ROOT / "pcaps" / f"{name}.pcap").exists()]
    faults += [f"{name} is not there" for name in missing]
    print(f"{len(KINDS)} simulated connections, {connections} of {len(names)} captures, {len(faults)} faults")
    print("\n".join(faults))
    return bool(faults) or not connections


if __name__ == "__main__":
    sys.exit(main())
