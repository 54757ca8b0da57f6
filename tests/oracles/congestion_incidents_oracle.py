#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""congestion_incidents_oracle.py PCAP-LINT MADE [COUNT], or PCAP-LINT CAPTURE...: incidents of congestion against the oracle.

Each such incident in the captures of pcaps/, of those pcaps/make wrote to MADE, and of COUNT of simulated DCQCN (dcqcn.py): its number, frames, marks,
CNPs and its sentence; which finding proves it, and which are part of it. Of simulated ones marks and CNPs are those that the simulation did.
"""
import collections
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import congestion_incidents  # noqa: E402
import dcqcn  # noqa: E402
import managed  # noqa: E402
import over_captures  # noqa: E402

RULES = ("CNG004", "CNG003")
INNER = {"known"}
LEAST = {"made": 5, "random": 60}
TWICE = "captured-twice"


def compare(lint, path):
    """(incidents, {rule: incidents}, [fault])"""
    lines = managed.lines_of(lint, path, "--stats")
    theirs, first = managed.of_kind(lines, "congestion")
    twice = {flow["connection"] for flow in lines.get("flow", []) if TWICE in flow["doubt"]}
    ours = [one for one in congestion_incidents.incidents(path) if one["connection"] not in twice]
    findings = [f for f in lines["finding"] if f["rule"] in RULES]
    faults, part = managed.differences("congestion", ours, theirs), {}
    for number, (one, line) in enumerate(zip(ours, theirs, strict=False)):
        if not twice:
            one["incident"] = first + number
        mine = [f for f in findings if (f["rule"], f["frame"]) in one["known"]]
        managed.set_rules(one, mine, {f["rule"] for f in mine if managed.is_firm(f)}, RULES, one["rule"])
        part |= {(f["rule"], f["frame"]): line["incident"] for f in mine}
        if one["severity"] == "warning":
            one["text"] = one["text"].replace(congestion_incidents.NONE, "no CNP from their receiver")
        faults += managed.unlike(one, line, INNER)
    faults += managed.part_of([f for f in findings if f["connection"] not in twice], part, lambda f: (f["rule"], f["frame"]))
    return len(ours), collections.Counter(one["rule"] for one in ours), [f"{path.name}: {fault}" for fault in faults]


def write(scratch, count):
    for seed in range(count):
        rng = random.Random(f"congestion {seed}")
        path = scratch / f"dcqcn-{seed}.pcap"
        dcqcn.Simulation(seed, point=rng.choice(["receiver", "sender"]), qps=rng.choice([1, 2, 4]), pacing=rng.choice(["qp", "pair"]),
                         vlan=rng.random() < 0.5).write(path)
        yield path


def report(kind, paths, lint):
    results = over_captures.of_each(compare, (0, collections.Counter(), []), paths, lint)
    count, _, faults = managed.summed(results, kind, LEAST)
    return over_captures.told(kind, "incidents of congestion", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
