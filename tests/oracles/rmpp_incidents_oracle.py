#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rmpp_incidents_oracle.py PCAP-LINT MADE [COUNT], or PCAP-LINT CAPTURE...: incidents of RMPP transfers against the oracle.

Each such incident in the captures of pcaps/, of those pcaps/make wrote to MADE, and of COUNT random ones: its number, kind, frames,
times, copies and its sentence; which finding proves it, and which are part of it; what the verdict says of those that are proved. The random
ones are those of random_rmpp.py. By hand: what is just none, and what is just one.
"""
import collections
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import managed  # noqa: E402
import over_captures  # noqa: E402
import random_mads as R  # noqa: E402
import random_rmpp  # noqa: E402
import rmpp_incidents  # noqa: E402

PROOFS = {"RMP013": "stop", "RMP006": "gaps"}  # the frames that findings of them have
INNER = {"text", "back", "how", "hosts", "gaps", "stop"}
KINDS = {"gap", "again", "stop", "unfinished"}
LEAST = {"made": 2, "random": 300}
CALLED = "SubnAdm GetTableResp(PathRecord)"


def wait(ns):
    return lambda this: setattr(this, "now", this.now + ns)


def stop(kind, status):
    return lambda this: this.stop(kind, status)


# (what happens, options) -> (frame, level, sentence after the name), or None
BY_HAND = {
    "whole": ((1, 2, 3, 4, 5, 6), {}, None),
    "no-begin": ((3, 4, 5, 6), {}, None),
    "open": ((1, 2, 3), {"tail": 40 * R.SECOND}, None),
    "unfinished": ((1, 2, 3), {"tail": 40 * R.SECOND + 1}, (3, "note", " from frame 1 on: not complete by frame 3")),
    "unfinished-without-begin": ((2, 3), {"tail": 41 * R.SECOND}, None),
    "late": ((1, 3, 2, 4, 5, 6), {}, (
        2, "warning", " from frame 1 on: segment 2 was missing in frame 2, and came 1.0 ms later in frame 3; complete in frame 6: "
        "1.0 ms without progress")),
    "lost": ((1, 2, 4, 5, wait(R.SECOND), 3, 4, 5, 6), {}, (
        3, "warning", " from frame 1 on: segment 3 was missing in frame 3, and came 1.0 s later in frame 5; 2 segments repeated; "
        "complete in frame 8: 1.0 s without progress")),
    "never": ((1, 2, 4), {}, (
        3, "warning", " from frame 1 on: segment 3 was missing in frame 3, and never came; not complete by frame 3")),
    "again": ((1, 2, wait(400 * R.MS), 1, 2, 3, 4, 5, 6), {}, (
        3, "note", " from frame 1 on: segment 1 of frame 1 was seen 2 times, again 402 ms later in frame 3; 2 segments repeated; complete in "
        "frame 8: 402 ms without progress")),
    "aborted": ((1, 2, wait(R.SECOND), stop(R.ABORT, 118)), {}, (
        3, "warning", " from frame 1 on: ABORT with status 118 (total time too long) in frame 3: 1.0 s without progress")),
    "stopped-after-end": ((1, 2, 3, 4, 5, 6, stop(R.STOP, 1)), {}, None),
}


def add_rules(one, findings):
    """The rules of the findings about it: how many there are, and what proves it, the first gap or the end."""
    mine = [f for f in findings if f["frame"] in one[PROOFS[f["rule"]]]]
    firm = {f["rule"] for f in mine if managed.is_firm(f) and f["frame"] in one[PROOFS[f["rule"]]][:1]}
    managed.set_rules(one, mine, firm, PROOFS, "RMP006")


IN_WORDS = re.compile(r"^management requests: [^;]*? \([A-Z]{3}\d{3} [\w-]+, \d+\)")


def sentences(ours, theirs, verdicts):
    """[what is wrong] with what the verdict says of those that are proved."""
    want = rmpp_incidents.sentence([(one, line["operation"]) for one, line in zip(ours, theirs, strict=False) if one["severity"] == "warning"])
    for verdict in verdicts:
        states = [one["state"] for one in verdict["sentences"]]
        said = next((one["text"] for one in verdict["sentences"] if one["state"] == "mad"), None)
        # What a rule finds is said in its own words, which may be about transfers.
        if want is None and said is not None and "ransfer" in IN_WORDS.sub("", said):
            yield f"no transfer was held up, and the verdict says {said!r}"
        if want is not None and said is None and (len(states) < 3 or {"malformed", "other"} & {*states}):
            yield f"the verdict does not say {want!r}"
        if want is not None and said is not None and f", {want}; " not in said and f"; {want}; " not in said:
            yield f"the verdict says {said!r}, and not {want!r}"


def compare(lint, path):
    """(incidents, {how: incidents}, [fault])"""
    lines = managed.lines_of(lint, path)
    theirs, first = managed.of_kind(lines, "rmpp")
    ours = rmpp_incidents.incidents(path)
    findings = [f for f in lines["finding"] if f["rule"] in PROOFS]
    faults, part = managed.differences("transfers", ours, theirs), {}
    for number, (one, line) in enumerate(zip(ours, theirs, strict=False)):
        add_rules(one, findings)
        for rule, frames in PROOFS.items():
            part |= {(rule, frame): line["incident"] for frame in one[frames]}
        one["incident"] = first + number
        faults += managed.unlike(one, line, INNER)
        if line["text"] != line["operation"] + one["text"] or ("Resp(" in line["operation"]) != bool(one["back"]):
            faults.append(f"{line['text']!r}, should end {one['text']!r}")
    faults += managed.part_of(findings, part, lambda f: (f["rule"], f["frame"]))
    faults += sentences(ours, theirs, lines["verdict"])
    if path.stem in BY_HAND:
        got = [(line["frame"], line["severity"], line["text"].removeprefix(CALLED)) for line in theirs]
        want = [BY_HAND[path.stem][2]] if BY_HAND[path.stem][2] else []
        faults += [f"{got}, by hand {want}"] if got != want else []
    return len(ours), collections.Counter(one["how"] for one in ours), [f"{path.name}: {fault}" for fault in faults]


def write(scratch, count):
    for name, (acts, options, _) in BY_HAND.items():
        path = scratch / f"{name}.pcap"
        path.write_bytes(random_rmpp.by_hand(random.Random(name), acts, **options))
        yield path
    for seed in range(count):
        path = scratch / f"rmpp-{seed}.pcap"
        path.write_bytes(random_rmpp.scenario(random.Random(f"incidents of transfers {seed}")))
        yield path


def report(kind, paths, lint):
    results = over_captures.of_each(compare, (0, collections.Counter(), []), paths, lint)
    count, how, faults = managed.summed(results, kind, LEAST)
    if kind == "random" and how.keys() != KINDS:
        faults.append(f"they show by {sorted(how)}, and not by all of {sorted(KINDS)}")
    return over_captures.told(kind, "incidents of transfers", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
