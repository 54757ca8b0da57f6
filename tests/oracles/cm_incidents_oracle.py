#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cm_incidents_oracle.py PCAP-LINT MADE [COUNT], or PCAP-LINT CAPTURE...: incidents of conversations of the CM against the oracle.

Each such incident in the captures of pcaps/, of those pcaps/make wrote to MADE, and of COUNT random ones: its number, kind, frames,
times and copies; which finding proves it, and which are part of it. The random ones are those of random_cm.py, of whose messages some were
lost before the capture point and some came again later. Conversations of connections that were captured twice are left out.
"""
import collections
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import cm_incidents  # noqa: E402
import managed  # noqa: E402
import over_captures  # noqa: E402
import random_cm  # noqa: E402

PROOFS = ("CMS003", "CMS009", "CMS011", "CMS004")
LEAST = {"real": 10, "made": 5, "random": 200}
LISTED = 32  # messages, of which findings prove
LOST, AGAIN = 0.1, 0.1  # of the messages


def add_rules(incident, findings):
    """The rules of the findings about its messages: how many there are, and what proves it."""
    mine = [f for f in findings if f["frame"] in incident["messages"]]
    firm = {f["rule"] for f in mine if managed.is_firm(f) and f["frame"] in incident["messages"][:LISTED]}
    managed.set_rules(incident, mine, firm, PROOFS, "CMS004")


def compare(lint, path):
    """(incidents, {}, [fault])"""
    lines = managed.lines_of(lint, path, "--stats")
    theirs, first = managed.of_kind(lines, "cm")
    findings = [f for f in lines["finding"] if f["rule"] in PROOFS]
    twice = {flow["connection"] for flow in lines["flow"] if "captured-twice" in flow["doubt"]}
    of_frame = {line["first_frame"]: line["connection"] for line in lines["cm"]}
    ours = [one for one in cm_incidents.incidents(path) if of_frame.get(one["messages"][0]) not in twice]
    faults, part = managed.differences("the CM", ours, theirs), {}
    for number, (one, line) in enumerate(zip(ours, theirs, strict=False)):
        add_rules(one, findings)
        part |= dict.fromkeys(one["messages"], line["incident"])
        connection = of_frame[one["messages"][0]]
        wanted = one | {"connection": connection, "connections": [] if connection is None else [connection]}
        if not twice:
            wanted["incident"] = first + number
        faults += managed.unlike(wanted, line, {"messages"})
    faults += managed.part_of(findings, part, lambda f: f["frame"])
    return len(ours), collections.Counter(), [f"{path.name}: {fault}" for fault in faults]


def long(world):
    """A connection with more messages than are listed: the answer to the last is after these."""
    world.now += random_cm.SECOND
    connection = random_cm.Connection(world, world.now)
    for _ in range(world.rng.randrange(20, 50)):
        connection.req()
    for _ in range(world.rng.randrange(1, 20)):
        connection.rep()
    connection.rtu()
    for _ in range(world.rng.randrange(1, 20)):
        connection.dreq(connection.a)
    if world.rng.random() < 0.5:
        connection.dreq(connection.b)
    if world.rng.random() < 0.7:
        connection.drep(connection.b)


def scenario(seed):
    """Bytes of a capture."""
    rng = random.Random(f"incidents of the CM {seed}")
    world = random_cm.World(rng)
    random_cm.healthy(world, rng.randrange(5, 40))
    for _ in range(rng.randrange(3)):
        long(world)
    kept = []
    for packet in world.packets:
        if rng.random() >= LOST:
            kept.append(packet)
        if rng.random() < AGAIN:
            kept.append(random_cm.Packet(packet.time + rng.choice((rng.randrange(1, 10**5), rng.randrange(1, 10**10))), packet.data))
    world.packets = kept
    return world.capture()


def write(scratch, count):
    for seed in range(count):
        path = scratch / f"cm-{seed}.pcap"
        path.write_bytes(scenario(seed))
        yield path


def report(kind, paths, lint):
    results = over_captures.of_each(compare, (0, collections.Counter(), []), paths, lint)
    count, _, faults = managed.summed(results, kind, LEAST)
    return over_captures.told(kind, "incidents of the CM", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
