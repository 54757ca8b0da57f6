#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""segment_incidents_oracle.py PCAP-LINT MADE [COUNT], or PCAP-LINT CAPTURE...: incidents of lost TCP segments of iWARP against the oracle.

Each such incident in the captures of pcaps/, of those pcaps/make wrote to MADE, and of COUNT random ones: its number, connection, place, frames,
times, copies and its sentence; whether a finding proves it, and which is part of it. Of random connections (random_segments.py) it is known what
became of each segment: octets that an incident calls missing were lost before the capture point. By hand: what is just none, and what is one.
"""
import collections
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import managed  # noqa: E402
import over_captures  # noqa: E402
import random_segments  # noqa: E402
import segment_incidents  # noqa: E402

RULE = "IWP029"
INNER = {"until", "missing"}
LEAST = {"real": 5, "made": 2, "random": 200}
ENDLESS = 1 << 64
HAND = "by-hand-"

# {name: (what becomes of the copies of segments, [(frame, sentence)])}
BY_HAND = {
    "nothing": ({}, []),
    "late": ({9: ("late",)}, []),
    "doubled": ({9: ("doubled",)}, []),
    "lost-before": ({9: ("before",)}, [
        (15, "256 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 250 us later in frame 32; first "
         "duplicate ACK in frame 26: messages were held up for 250 us"),
    ]),
    "lost-after": ({9: ("after",)}, [
        (33, "octet 2324 of the stream was retransmitted in frame 33 after 156 us without an acknowledgement; first duplicate ACK in "
         "frame 27; all acknowledged in frame 34: recovery took 256 us"),
    ]),
    "twice": ({9: ("before", "before")}, [
        (15, "256 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 210 ms later in frame 32; first "
         "duplicate ACK in frame 26; 2 segments retransmitted: messages were held up for 210 ms"),
    ]),
    "after-twice": ({9: ("after", "after")}, [
        (33, "octet 2324 of the stream was retransmitted in frame 33 after 156 us without an acknowledgement; first duplicate ACK in "
         "frame 27; 3 segments retransmitted; all acknowledged in frame 36: recovery took 210 ms"),
    ]),
    "two": ({9: ("before",), 11: ("before",)}, [
        (15, "256 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 253 us later in frame 30; first "
         "duplicate ACK in frame 25: messages were held up for 253 us"),
        (26, "256 octets of the stream from octet 2836 on were missing in frame 26, and retransmitted 283 us later in frame 32: "
         "messages were held up for 140 us more"),
    ]),
    "row": ({9: ("before",), 10: ("before",)}, [
        (15, "512 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 250 us later in frame 30; first "
         "duplicate ACK in frame 25; 2 segments retransmitted; complete in frame 32: messages were held up for 390 us"),
    ]),
    "tail": ({13: ("after",)}, [
        (33, "octet 3348 of the stream was retransmitted in frame 33 after 210 ms without an acknowledgement; all acknowledged in "
         "frame 34: recovery took 210 ms"),
    ]),
    "tail-before": ({13: ("before",)}, []),
    "mixed": ({9: ("before",), 11: ("after",)}, [
        (15, "256 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 253 us later in frame 31; first "
         "duplicate ACK in frame 26; 2 segments retransmitted: messages were held up for 253 us"),
    ]),
    "before-after": ({9: ("before", "after")}, [
        (15, "256 octets of the stream from octet 2324 on were missing in frame 15, and retransmitted 250 us later in frame 32; first "
         "duplicate ACK in frame 26: messages were held up for 250 us"),
        (33, "octet 2324 of the stream was retransmitted in frame 33 after 210 ms without an acknowledgement; first duplicate ACK in "
         "frame 26; 2 segments retransmitted; all acknowledged in frame 35: recovery took 210 ms"),
    ]),
}


def owner(ours, finding):
    """The first one of its direction that goes on at its frame."""
    mine = sorted((ENDLESS if one["until"] is None else one["until"], n) for n, one in enumerate(ours) if one["flow"] == finding["flow"])
    n = next((n for until, n in mine if until >= finding["frame"]), None)
    return n if n is not None and ours[n]["frame"] <= finding["frame"] else None


def untrue(path, ours):
    """[fault]: what was not lost where an incident says it was missing; of random connections."""
    truth = path.with_suffix(".json")
    if not truth.exists():
        return []
    lost = json.loads(truth.read_text())
    return [f"nothing was lost before the capture point: {one['text']}" for one in ours
            if one["missing"] and not any(one["missing"][0] <= place < one["missing"][1] for place in lost)]


def compare(lint, path):
    """(incidents, {how: incidents}, [fault])"""
    lines = managed.lines_of(lint, path)
    theirs, first = managed.of_kind(lines, "segment-lost")
    ours = segment_incidents.incidents(path)
    findings = [f for f in lines["finding"] if f["rule"] == RULE]
    firm = {f["flow"] for f in findings if managed.is_firm(f)}
    parts = collections.Counter(owner(ours, f) for f in findings)
    faults, part = untrue(path, ours) + managed.differences("segments", ours, theirs), {}
    for number, (one, line) in enumerate(zip(ours, theirs, strict=False)):
        one |= {"incident": first + number, "rule": RULE, "severity": "warning" if one["flow"] in firm else "note",
                "rules": {RULE: parts[number]} if parts[number] else {}}
        faults += managed.unlike(one, line, INNER)
    for f in findings:
        n = owner(ours, f)
        part |= {} if n is None else {(f["flow"], f["frame"]): first + n}
    faults += managed.part_of(findings, part, lambda f: (f["flow"], f["frame"]))
    if path.stem.startswith(HAND):
        got = [(line["frame"], line["text"]) for line in theirs]
        want = BY_HAND[path.stem.removeprefix(HAND)][1]
        faults += [f"{got}, by hand {want}"] if got != want else []
    how = collections.Counter("missing" if "missing" in one["text"] else "acknowledged" if one["ended"] else "open" for one in ours)
    return len(ours), how, [f"{path.name}: {fault}" for fault in faults]


def write(scratch, count):
    for name, (drops, _) in BY_HAND.items():
        path = scratch / f"{HAND}{name}.pcap"
        path.write_bytes(random_segments.by_hand(random.Random("hand"), drops))
        yield path
    for seed in range(count):
        path = scratch / f"segments-{seed}.pcap"
        data, before = random_segments.scenario(random.Random(f"segments {seed}"))
        path.write_bytes(data)
        if before is not None:
            path.with_suffix(".json").write_text(json.dumps(sorted(before)))
        yield path


def report(kind, paths, lint):
    results = over_captures.of_each(compare, (0, collections.Counter(), []), paths, lint)
    count, how, faults = managed.summed(results, kind, LEAST)
    if kind == "random" and how.keys() != {"missing", "acknowledged", "open"}:
        faults.append(f"they are {sorted(how)}")
    return over_captures.told(kind, "incidents of segments", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
