#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mad_incidents_oracle.py PCAP-LINT MADE [COUNT], or PCAP-LINT CAPTURE...: incidents of requests of MADs against the oracle.

Each such incident in the captures of pcaps/, of those pcaps/make wrote to MADE, and of COUNT random ones: its number, kind, frames,
times, copies and what its sentence says; which finding proves it, and which are part of it; what the verdict says of all that are proved. The random ones are those of random_mads.py.
By hand: some of lint-transact-*, in which answers come just in time and just too late, and two requests are just one cause and just not.
"""
import collections
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import fabric  # noqa: E402
import mad_incidents  # noqa: E402
import managed  # noqa: E402
import over_captures  # noqa: E402
import packet  # noqa: E402
import random_mads  # noqa: E402

PROOFS = {"MAD009": "copied", "MAD014": "answered"}  # the frames that findings of them have
INNER = {"text", "method", "outcome", "requests", "asked", *PROOFS.values()}
NAMES = {"MAD009": "mad-no-response", "MAD014": "mad-response-late", "RMP006": "rmpp-seg-gap", "RMP013": "rmpp-abort"}  # of the state
NAMED = 3  # rules in a sentence
LEAST = {"real": 40, "made": 15, "random": 400}

AGAIN = "of frame 3 was seen 2 times, again 1.0 s later in frame 4; "
NONE = "no answer to it was captured"
# Incidents of each: (frame, level, the rest of the sentence)
BY_HAND = {
    "lint-transact-unanswered.pcap": [(4, "warning", AGAIN + NONE)],
    "lint-transact-in-time.pcap": [(4, "note", AGAIN + "answered 3.0 s after the first copy and 2.0 s after the last one in frame 5")],
    "lint-transact-late.pcap": [(4, "warning", AGAIN + "answered 3.0 s after the first copy and 2.0 s after the last one in frame 5")],
    "lint-transact-too-late.pcap": [(3, "warning", "of frame 3; answered 31 s later in frame 6")],
    "lint-transact-one-way.pcap": [(1, "note", f"of frame 1; {NONE}")],
    "lint-transact-reuses-at.pcap": [(4, "warning", AGAIN + "no answer to it by frame 5")],
    "lint-transact-stopped.pcap": [],
    "lint-transact-together.pcap": [(3, "warning", f"of frame 3; {NONE}; no answer to 1 more request either, up to frame 4")],
    "lint-transact-apart.pcap": [(3, "warning", f"of frame 3; {NONE}"), (4, "warning", f"of frame 4; {NONE}")],
}


def add_rules(incident, findings):
    """The rules of the findings about its requests: how many there are, and what proves it."""
    mine = [f for f in findings if f["frame"] in incident[PROOFS[f["rule"]]]]
    managed.set_rules(incident, mine, {f["rule"] for f in mine if managed.is_firm(f)}, PROOFS, "MAD009")


def words(one, line):
    """[what is wrong with its sentence]"""
    if re.fullmatch(rf"\S.* {one['method']}\(.+\)", line["operation"]) is None:
        yield f"operation: {line['operation']}, the method is {one['method']}"
    if not line["text"].startswith(line["operation"]) or not line["text"].endswith(one["text"]):
        yield f"{line['text']!r}, should end {one['text']!r}"


def rules_text(firm):
    order = sorted(firm, key=lambda rule: (-firm[rule], rule))
    said = ", ".join(f"{rule} {NAMES[rule]} ({firm[rule]})" for rule in order[:NAMED])
    more = sum(firm[rule] for rule in order[NAMED:])
    return said + (f" and {more} of other rules" if more else "")


def names_of(path):
    """What addresses are called at the end of @path: with the names of fabric.py."""
    found = fabric.known(path)

    def named(end):
        text = packet.address_text(end)
        name = found.of_address(text)
        return f"{text} ({name})" if name else text
    return named


def verdict(ours, theirs, lines, line, named):
    """[what is wrong] with what the verdict says of those that are proved; of transfers rmpp_incidents_oracle asks."""
    proved = [(one, said["text"].partition(f" of frame {said['frames']['root']}")[0]) for one, said in zip(ours, theirs, strict=False)
              if one["severity"] == "warning"]
    said = [one for one in line["sentences"] if one["state"] == "mad"]
    want, numbers = mad_incidents.sentence(proved, named)
    firm = collections.Counter(f["rule"] for f in lines["finding"] if f["rule"] in NAMES and managed.is_firm(f))
    transfers = any(one["kind"] == "rmpp" and one["severity"] == "warning" for one in lines["incident"])
    if want is None and (transfers or firm):
        return []
    if want is None:
        return [f"nothing is wrong, and the verdict says {said}"] if said else []
    if not said:
        return [] if len(line["sentences"]) == 3 and not {"malformed", "other"} & {one["state"] for one in line["sentences"]} else [
            f"the verdict has no {want!r}"]
    text = said[0]["text"]
    if transfers:
        return [] if text.startswith(f"management requests{want}; ") and text.endswith(f"; {rules_text(firm)}") else [f"the verdict: {text!r}, not {want!r}"]
    want += "; " + rules_text(firm)
    numbers["findings"] = firm.total()
    return [f"the verdict: {said[0]}, should be {want!r}, {numbers}"] if (
        text != "management requests" + want or said[0]["numbers"] != numbers) else []


def compare(lint, path):
    """(incidents, {outcome: incidents}, [fault])"""
    lines = managed.lines_of(lint, path)
    theirs, first = managed.of_kind(lines, "mad")
    ours = mad_incidents.incidents(path)
    findings = [f for f in lines["finding"] if f["rule"] in PROOFS]
    faults, part = managed.differences("MADs", ours, theirs), {}
    for number, (one, line) in enumerate(zip(ours, theirs, strict=False)):
        add_rules(one, findings)
        for rule, frames in PROOFS.items():
            part |= {(rule, frame): line["incident"] for frame in one[frames]}
        one["incident"] = first + number
        faults += managed.unlike(one, line, INNER)
        faults += [f"incident of frame {one['frame']}: {fault}" for fault in words(one, line)]
    faults += managed.part_of(findings, part, lambda f: (f["rule"], f["frame"]))
    for line in lines["verdict"]:
        faults += verdict(ours, theirs, lines, line, names_of(path))
    if path.name in BY_HAND:
        got = [(line["frame"], line["severity"], line["text"].partition(") ")[2]) for line in theirs]
        faults += [f"{got}, by hand {BY_HAND[path.name]}"] if got != BY_HAND[path.name] else []
    return len(ours), collections.Counter(one["outcome"] for one in ours), [f"{path.name}: {fault}" for fault in faults]


def write(scratch, count):
    for seed in range(count):
        path = scratch / f"mads-{seed}.pcap"
        path.write_bytes(random_mads.scenario(random.Random(f"incidents of MADs {seed}")))
        yield path


def report(kind, paths, lint):
    results = over_captures.of_each(compare, (0, collections.Counter(), []), paths, lint)
    count, outcomes, faults = managed.summed(results, kind, LEAST)
    if kind == "random" and len(outcomes) < 4:
        faults.append(f"of {len(outcomes)} outcomes, not of all 4")
    if kind == "made":
        faults += [f"{name}: there is no such capture" for name in BY_HAND.keys() - {path.name for path in paths}]
    return over_captures.told(kind, "incidents of MADs", count, len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
