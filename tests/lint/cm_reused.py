#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cm_reused.py PCAP-LINT: a queue pair that two connections use in turn, whichever messages of the CM were captured.

Of REQ, REP, DREQ and DREP of both connections each subset is taken out; the second one begins below the PSNs of the first, among
them, with the same, with the next, a few, a hundred or many beyond; the queue pair is the client's, the server's, or both are; the
second REQ comes from the other side, too. All packets of the connections are there. In the second one a request is lost after the
capture point and asked for, which is true and stays said. As long as one message shows that the first connection is over or the
second begins, what is said of the second by what the first had is false. The oracle of the connections agrees.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import packet as P  # noqa: E402
import sample  # noqa: E402
import streams_oracle  # noqa: E402
import writer as W  # noqa: E402

PSNS = 1 << 24
MESSAGES = ("REQ1", "REP1", "DREQ1", "DREP1", "REQ2", "REP2", "DREQ2", "DREP2")
ENDED, BEGUN = {"DREQ1", "DREP1"}, {"REQ2", "REP2"}
# The QPNs of A and of B, of both connections.
SHAPES = {"A's": ((0x11, 0x22), (0x11, 0x33)), "B's": ((0x11, 0x22), (0x44, 0x22)), "both": ((0x11, 0x22), (0x11, 0x22))}
FIRST = (PSNS - 3, 5000)  # PSNs to B and to A
COUNT = 6
STARTS = {"below": -50, "among": 3, "same": 0, "next": COUNT, "above": COUNT + 4, "hundred": COUNT + 100, "far": 3000000}
OPTIONS = ["--stats", "--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format", "json", "--progress", "never"]
BY_ANSWER = {"QPS009", "QPS019", "QPS020", "QPS024", "CMS014"}
BY_PSN = {"QPS002", "QPS005", "QPS006", "CAP017", "psn_missing"}
BATCH = 400
ORACLE = 8  # each so many


class Talk:
    """The packets of both connections: (name of the message of the CM, time, bytes)."""

    def __init__(self, shape, other_asks, start):
        self.packets, self.time = [], 10**18
        for number, qpns in enumerate(SHAPES[shape]):
            self.ends = [W.End(f"192.0.2.{side + 1}", qpn, port=0xc000 + qpn) for side, qpn in enumerate(qpns)]
            starts = [(first + (STARTS[start] if number else 0)) % PSNS for first in FIRST]
            self.connection(number, 1 if number and other_asks else 0, starts)
            self.time += 3 * 10**8

    def put(self, op, side, psn, size=0, **fields):
        self.time += 20000
        there = self.ends[1 - side]
        self.packets.append((None, self.time, W.frame("ipv4", self.ends[side], there, op, there.qpn, psn % PSNS, size, **fields)))

    def message(self, kind, name, side, ids, **fields):
        self.time += 100000
        body = W.cm(kind, *ids, service="RC", **fields)
        self.packets.append((name, self.time, W.frame("ipv4", self.ends[side], self.ends[1 - side], W.UD_SEND_ONLY, 1, 0, body=body)))

    def connection(self, number, client, starts):
        local, remote, server = 100 + 10 * number, 105 + 10 * number, 1 - client
        self.message(0x10, f"REQ{number + 1}", client, (local, 0), qpn=self.ends[client].qpn, mtu=1024, psn=starts[server])
        self.message(0x13, f"REP{number + 1}", server, (remote, local), qpn=self.ends[server].qpn, psn=starts[client])
        self.message(0x14, f"RTU{number + 1}", client, (local, remote))
        for at in range(COUNT):
            for side in (0, 1):
                psn = starts[side] + at
                self.put(P.SEND_ONLY, side, psn, 64, ackreq=1)
                if number and at == 2 and side == 0:  # that is lost
                    self.put(P.SEND_ONLY, side, psn + 1, 64, ackreq=1)
                    self.put(P.ACKNOWLEDGE, 1, psn, syndrome=0x60, msn=at)
                    self.put(P.SEND_ONLY, side, psn, 64, ackreq=1)
                self.put(P.ACKNOWLEDGE, 1 - side, psn, msn=at + 1)
        self.message(0x15, f"DREQ{number + 1}", client, (local, remote), qpn=self.ends[server].qpn)
        self.message(0x16, f"DREP{number + 1}", server, (remote, local))


def cases():
    """(name, what is left of the messages, (shape, whether the other side asks, start), packets)"""
    for shape in SHAPES:
        for other_asks in (False, True):
            for start in STARTS:
                packets = Talk(shape, other_asks, start).packets
                for bits in range(1 << len(MESSAGES)):
                    left = {message for i, message in enumerate(MESSAGES) if bits >> i & 1}
                    kept = [(time, data) for name, time, data in packets if name is None or name in left or name[:3] == "RTU"]
                    yield f"{shape[0]}{int(other_asks)}-{start}-{bits:03}", left, (shape, other_asks, start), kept


def allowed(left, how):
    """What nobody can know, and is said."""
    shape, other_asks, start = how
    if not left & (ENDED | BEGUN):
        return BY_ANSWER | BY_PSN | {"again", "CMS012"}
    out = set()
    if start == "next" and not BEGUN <= left:  # goes on after the DREP
        out.add("CMS012")
    if start in ("among", "same") and not {"REQ1", "REP1", "DREP1"} <= left and not BEGUN <= left:
        out.add("again")  # sent again after a pause
    asks = "B's" if other_asks else "A's"
    given = {asks: "REQ2" in left, "B's" if asks == "A's" else "A's": "REP2" in left, "both": bool(left & BEGUN)}[shape]
    if not left & ENDED and not given and ({"REQ1", "REP1"} <= left or "REP2" not in left):
        out |= BY_PSN  # as far as the CM says it is open, or the REQ is not answered yet
    return out


def read(lint, paths):
    """{path: [(rule or figure, frame, message)]}"""
    found = {path: [] for path in paths}
    for at in range(0, len(paths), BATCH):
        run = subprocess.run([lint, *OPTIONS, *paths[at:at + BATCH]], capture_output=True, text=True, check=False)
        for row in map(json.loads, run.stdout.splitlines()):
            if row["type"] == "finding":
                found[row["file"]].append((row["rule"], row["frame"], row["message"]))
            elif row["type"] == "flow":
                missing = row["a_to_b"]["psn_missing"] + row["b_to_a"]["psn_missing"]
                found[row["file"]] += [("psn_missing", 0, str(missing))] if missing else []
    return found


def judge(name, left, how, found):
    """[fault]"""
    rules = collections.Counter(rule for rule, _, _ in found)
    if not rules["QPS008"]:
        yield f"{name}: nothing is said of the NAK"
    said = {rule for rule in rules if rule in BY_ANSWER | BY_PSN | {"CMS012"}}
    if rules["QPS003"] > 2:  # what the NAK asks for, and what followed it
        said.add("again")
    for rule in sorted(said - allowed(left, how)):
        why = next((f"frame {frame}: {message}" for what, frame, message in found if what == rule), "of before")
        yield f"{name}, with {' '.join(sorted(left)) or 'nothing'}: {rule}: {why}"


def main(lint):
    rows = sample.rows(cases(), lambda row: row[0])
    with tempfile.TemporaryDirectory() as tmp:
        paths = [pathlib.Path(tmp) / f"{name}.pcap" for name, *_ in rows]
        for path, (*_, packets) in zip(paths, rows):
            path.write_bytes(W.pcap(1, packets))
        found = read(lint, [str(path) for path in paths])
        faults = [fault for path, (name, left, how, _) in zip(paths, rows) for fault in judge(name, left, how, found[str(path)])]
        compared = streams_oracle.of_captures(paths[::ORACLE], lint)
    faults += [line for _, wrong in compared for line in wrong]
    print("\n".join([*faults[:60], f"{len(rows)} captures, {len(compared)} of them by the oracle: {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
