#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cc_oracle.py PCAP-LINT: the figures of congestion against a simulation of DCQCN, which knows what it did.

Senders, a switch that marks, a receiver (oracles/dcqcn.py), captured at the receiver, where marks and CNPs are seen, and
at the sender, where rates are. Each figure has to equal what the simulation noted where it happened; what the capture
point cannot see has to be null or empty. Each queue pair has PSNs of its own, and its first ACK comes before its first CNP:
else nothing says which direction a CNP is about. Pause is simulated and not compared yet.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import dcqcn  # noqa: E402
from figures import Times  # noqa: E402

PACING = ("qp", "pair")
SEEDS = range(1, 6)
ROW = 64  # packets of which a rate is taken


def histogram(values):
    times = Times()
    for value in values:
        times.add(value)
    return times.figures()


def rate_of(row, now):
    """From the first (time, bytes) until now, of the bytes after it."""
    return dcqcn.rate([row[0][0], now, sum(size for _, size in row[1:])])


def recoveries(log):
    """How long after a CNP 64 packets in a row have 90 % of the rate of those before it."""
    row, rate, slowed = [], 0, None
    for time, size in log:
        if size is None:
            if not slowed and (rate or len(row) > 1):
                slowed = rate or rate_of(row, time), time
            row = []
            continue
        row.append((time, size))
        if len(row) == ROW:
            rate, row = rate_of(row, time), row[-1:]
            if slowed and rate >= slowed[0] - slowed[0] // 10:
                yield time - slowed[1]
                slowed = None


def at_receiver(sim, flow):
    """{figure: value} of the data's direction, captured where it is received."""
    seen = sim.truth[flow.src.qpn]
    return {"packets": seen["packets"], "wire_bytes": seen["bytes"], "ce_packets": seen["marks"],
            "ce_per_million": seen["marks"] * 10**6 // seen["packets"], "ce_first_frame": seen["first_mark"] or 0,
            "cnp_about": seen["cnps"], "cnp_without_ce": 0, "ce_cnp_delay": histogram(seen["delays"]),
            "ce_per_1000_cnp": seen["marks"] * 1000 // seen["cnps"] if seen["cnps"] and seen["marks"] else None,
            "cnp_gap": histogram(seen["gaps"]), "dscp": 26, "roce_version": 2, "sport": flow.src.port}


def at_sender(sim, flow):
    """The same where it is sent, before the switch that marks."""
    seen, stretches = sim.truth[flow.src.qpn], flow.stretches
    middle = stretches[1:-1]
    whole = [middle[0][0], middle[-1][1], sum(count for _, _, count in middle)] if middle else [0, 0, 0]
    rates = [dcqcn.rate(stretches[0]), dcqcn.rate(whole), dcqcn.rate(stretches[-1])]
    if not seen["cnps"]:
        rates = [None, None, None]
    return {"ce_packets": 0, "ce_per_million": 0, "ce_first_frame": 0, "cnp_about": seen["cnps"],
            "cnp_without_ce": seen["cnps"], "ce_cnp_delay": histogram([]), "ce_per_1000_cnp": None,
            "rate_before_cnp": rates[0], "rate_between_cnp": rates[1], "rate_after_cnp": rates[2],
            "cnp_rate": histogram(map(dcqcn.rate, middle)), "cnp_recovery": histogram(recoveries(flow.log)),
            "pcp": 3 if sim.setup.vlan else None}


def flows(lint, path):
    run = subprocess.run([lint, "--stats", "--format", "json", "--fail-on", "never", path], stdout=subprocess.PIPE,
                         text=True, check=True)
    return [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "flow"]


def ways(found):
    """{QPN of the sender: the direction of its data}"""
    return {flow[end]["qpn"]: flow[way] for flow in found
            for end, way in (("a", "a_to_b"), ("b", "b_to_a")) if flow[way]["messages"]["write"]}


def compare(lint, directory, seed, point, expected, **options):
    """(figures, [difference])"""
    sim = dcqcn.Simulation(seed, point=point, **options)
    path = pathlib.Path(directory) / "dcqcn.pcap"
    sim.write(path)
    found, count, wrong = ways(flows(lint, path)), 0, []
    for flow in sim.flows:
        got = found.get(flow.src.qpn, {})
        for name, value in expected(sim, flow).items():
            count += 1
            if got.get(name, "none") != value:
                wrong.append(f"seed {seed}, {options}, at the {point}, qp {flow.src.qpn}: {name} is {got.get(name)}, "
                             f"the simulation did {value}")
    return count, wrong


def main(lint):
    figures, wrong = 0, []
    with tempfile.TemporaryDirectory() as directory:
        for seed in SEEDS:
            for pacing in PACING:
                for point, expected in (("receiver", at_receiver), ("sender", at_sender)):
                    count, faults = compare(lint, directory, seed, point, expected, pacing=pacing, qps=1 + seed,
                                            vlan=seed % 2 == 1)
                    figures, wrong = figures + count, wrong + faults
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(f"{figures} figures of DCQCN: {len(wrong)} differences")
    return bool(wrong) or figures < 500


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
