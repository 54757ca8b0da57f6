#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""never_again.py PCAP-LINT MADE [CAPTURE...]: what is said not to have been sent again is not in the capture again, good or damaged.

Of every capture, real and made, each finding that says so is held against the bytes: no later packet of that direction has the
PSN of a request, whatever its ICRC, up to where the PSNs start anew; and the capture goes on as long as the slowest thing that was
sent again there took, or a second where nothing was, unless the connection was closed.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import over_captures  # noqa: E402
import packet as P  # noqa: E402
import sample  # noqa: E402
from pairing import DREP, DREQ, attribute, is_cm, signed  # noqa: E402

OPTIONS = ["--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format", "json", "--progress", "never"]
SAID = re.compile(r"never retransmitted|not retransmitted|no whole copy came")
FOR = re.compile(r"was not retransmitted for ([\d.]+) (ns|us|ms|s)")
GAP = re.compile(r"(\d+) PSNs? missing from 0x(\w+)")
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
SECOND, FAR = 10**9, 1 << 20


def claims(lint, path):
    """[finding] of @path that say it."""
    run = subprocess.run([lint, *OPTIONS, path], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{"type":"finding"') and "retransmitted" in line]
    return [row for row in rows if SAID.search(row["message"])]


def requests(packets, flow):
    """Those of a direction, damaged ones, too."""
    return [p for p in packets if (p.src, p.dst, p.dqpn) == flow and p.op in P.REQUESTS and p.service in P.SERVICES]


def slowest(mine, answers):
    """How long the slowest thing took that was sent again: into a gap, or for a NAK."""
    highest, missing, asked, took = None, {}, {}, [0]
    for p in sorted(mine + answers, key=lambda p: p.frame):
        if p.icrc == P.BAD:
            continue
        if p.op == P.ACKNOWLEDGE:
            if p.syndrome == 0x60:
                asked[p.psn] = p.time
            continue
        took += [p.time - times.pop(p.psn) for times in (missing, asked) if p.psn in times]
        ahead = 1 if highest is None else signed(p.psn - highest)
        if 1 < ahead <= FAR:
            missing.update(((highest + i) % (1 << 24), p.time) for i in range(1, min(ahead, 4096)))
        highest = p.psn if highest is None or ahead > 0 else highest
    return max(took)


def until(mine, at):
    """The frame at which the PSNs start anew after @at: far away, or the CM says so."""
    before = None
    for p in mine:
        if before is not None and p.frame > at and abs(signed(p.psn - before)) > FAR:
            return p.frame
        before = p.psn if p.icrc != P.BAD else before
    return 1 << 62


def place(row, packets):
    """(packet, directions it may be about, first PSN, PSNs) of a finding."""
    at = next(p for p in packets if p.frame == row["frame"])
    gap = GAP.search(row["message"])
    if gap:
        return at, {(at.src, at.dst, at.dqpn)}, int(gap[2], 16), int(gap[1])
    # The finding is of the NAK, which does not name the queue pair that sends.
    return at, {(p.src, p.dst, p.dqpn) for p in packets if (p.src, p.dst, p.psn) == (at.dst, at.src, at.psn) and p.op in P.REQUESTS}, at.psn, 1


def answered(back, low, frame):
    """The frame that answers @low after @frame: an ACK, or a NAK for a later PSN."""
    return next((p.frame for p in back if p.frame > frame and p.syndrome is not None and signed(p.psn - low) >= (p.syndrome >> 5 != 0)), frame)


def faults_of(row, packets, last):
    """[fault] of a finding."""
    at, flows, low, count = place(row, packets)
    said, limit = row["message"], FOR.search(row["message"])
    for flow in flows:
        mine = requests(packets, flow)
        back = [p for p in packets if (p.src, p.dst) == (flow[1], flow[0]) and p.op == P.ACKNOWLEDGE and p.service in P.SERVICES]
        end = answered(back, low, at.frame) if "by then" in said else until(mine, at.frame)
        upto = at.time + float(limit[1]) * UNITS[limit[2]] * 0.98 if limit else last + 1
        for p in mine:
            if at.frame < p.frame < end and p.time < upto and (p.psn - low) % (1 << 24) < count and \
                    (p.icrc != P.BAD or "no whole copy" not in said):
                yield f"{said}: frame {p.frame}, {p.icrc}"
                break
        closed = any(p.service == P.UD and p.icrc != P.BAD and is_cm(p) and attribute(p) in (DREQ, DREP) and p.frame > at.frame
                     and {p.src, p.dst} == {*flow[:2]} for p in packets)
        took = slowest(mine, back) or SECOND
        if not limit and not closed and "by then" not in said and last - at.time < took:
            yield f"{said}: the capture goes on for {last - at.time} ns, {took} it takes"


def check(lint, path):
    """(claims, [fault])"""
    rows = claims(lint, path)
    if not rows:
        return 0, []
    records = list(capture.records(path))
    packets, last = [p for p in map(P.parse, records) if p is not None], max(record.time for record in records)
    return len(rows), [f"{path.name}: frame {row['frame']} {row['rule']}: {fault}" for row in rows for fault in faults_of(row, packets, last)]


def report(kind, paths, lint):
    count, faults = 0, []
    paths = sample.rows(paths, lambda path: path.name)
    for found, wrong in over_captures.of_each(check, (0, []), paths, lint):
        count += found
        faults += wrong
    return over_captures.told(kind, "claims", count, len(paths), faults), count


def main(lint, *given):
    if ".pcap" in given[0]:
        return report("given", [pathlib.Path(name) for name in given], lint)[0]
    made = [path for path in pathlib.Path(given[0]).glob("*.pcap*") if path.suffix in over_captures.ENDINGS]
    real = [path for path in ROOT.glob("pcaps/*/*.pcap*") if path.suffix in over_captures.ENDINGS]
    if not made or not real:
        print(f"no captures in pcaps or in {given[0]}")
        return 1
    failed, count = report("real and made", sorted(real) + sorted(made), lint)
    return failed or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
