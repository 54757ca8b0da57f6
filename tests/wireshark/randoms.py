#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""randoms.py PLUGIN PCAP-LINT [COUNT [FIRST]]: of random conversations every packet that --stats counts carries its mark.

COUNT captures (200) of tests/oracles/random_scenarios.py from seed FIRST on, whose figures streams_oracle holds, and half as many in which
queue pairs are used again:

- each by itself, as the window reads it: each direction of each connection has as many marks as --stats counts (sums.py);
- all of them one after the other, with tshark: the same, and on a single pass no packet has another mark.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).absolute().parents[2]
sys.path.insert(1, str(ROOT / "tests/oracles"))  # after ours, where an incidents.py is, too
import analysis  # noqa: E402
import random_scenarios  # noqa: E402
import sums  # noqa: E402
import ws  # noqa: E402

FIELDS = [field for field in sums.FIELDS if field != "frame.number"]
STREAM, NAMED = FIELDS.index("ibwire.stream"), ("ibwire.stream.dir", "ibwire.aeth.syndrome")
NONE = {"timeout"}  # they are over too soon
PAUSE = 3600  # seconds from one capture to the next
USER0 = '"User 0 (DLT=147)","infiniband","0","","0",""\n'  # of Wireshark's preferences


def flows_of(lint, paths):
    """{path: its connections} of --stats"""
    run = subprocess.run([lint, "--stats", "--format", "json", *paths], capture_output=True, text=True, check=False)
    found = {str(path): [] for path in paths}
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"flow"'):
            flow = json.loads(line)
            found[flow["file"]].append(flow)
    return found


def names_of(tshark):
    """{field: {name: number}} of NAMED, of which a column has the name."""
    names = {field: {} for field in NAMED}
    for line in tshark.run("-G", "values").splitlines():
        cells = line.split("\t")
        if cells[0] == "V" and cells[1] in NAMED:
            names[cells[1]][cells[3]] = str(int(cells[2], 0))
    return names


def packets_of(sharkd, capture, names):
    """{frame: {field: text}} of packets of a connection."""
    sharkd.ask({"method": "load", "params": {"file": str(capture)}})
    columns = {f"column{i}": f"{field}:0" for i, field in enumerate(FIELDS)}
    rows = json.loads(sharkd.ask({"method": "frames", "params": columns}))["result"]
    return {row["num"]: {field: names[field][text] if text and field in NAMED else text
                         for field, text in zip(FIELDS, row["c"], strict=True)} for row in rows if row["c"][STREAM]}


def one_by_one(tshark, lint, paths, compared):
    """{figures: how many packets} of each capture by itself."""
    said, faults = collections.Counter(), compared.faults
    flows, names = flows_of(lint, paths), names_of(tshark)
    config = tshark.dir / "home/.config/wireshark/user_dlts"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(USER0)
    for path in [tshark.dir / "home", *(tshark.dir / "home").rglob("*")]:
        path.chmod(0o777)
    with tshark.sharkd_running() as sharkd:
        for path in paths:
            compared.faults = []
            said.update(sums.sums(flows[str(path)], packets_of(sharkd, tshark.put(path), names), compared))
            faults += [f"{path.name}: {fault}" for fault in compared.faults]
    compared.faults = faults
    return said


def in_a_row(paths):
    """{link type: (frames, [where each is from])} of all, each after the one before."""
    merged, begin = {}, 0
    for path in paths:
        linktype, frames = ws.records(path)
        first = frames[0][0] if frames else 0
        into, origin = merged.setdefault(linktype, ([], []))
        into += [(begin + sec - first, *rest) for sec, *rest in frames]
        origin += [f"{path.name}:{i}" for i in range(1, len(frames) + 1)]
        begin += PAUSE
    return merged


def together(tshark, lint, paths, compared):
    """{figures: how many packets} of all of them."""
    merged = in_a_row(paths)
    as_is = tshark.write_all("as-is.pcapng", merged, as_is=True)
    capture = tshark.write_all("all.pcapng", merged)
    frames, once = (analysis.of_plugin(tshark, capture, sums.FIELDS, passes=passes) for passes in (2, 1))
    said = sums.sums(flows_of(lint, [as_is])[str(as_is)], frames, compared)
    sums.passed(frames, compared)
    at_once = sums.single_pass(frames, once, compared)
    return said, at_once


def main():
    tshark, lint = ws.Tshark(sys.argv[1]), sys.argv[2]
    count, first = ([int(word) for word in sys.argv[3:]] + [200, 0][len(sys.argv) - 3:])[:2]
    compared = ws.Compared()
    with tempfile.TemporaryDirectory() as place:
        paths = [path for of, n in ((random_scenarios.scenario, count), (random_scenarios.ends, count // 2))
                 for path in random_scenarios.write(pathlib.Path(place), n, first, of)]
        said = one_by_one(tshark, lint, paths, compared)
        row, at_once = together(tshark, lint, paths, compared)
    compared.all_of([*said, *row, "single pass"])
    compared.faults += [f"no packet: {name}" for name in said if not said[name] and name not in NONE]
    return ws.verdict(compared.faults, f"{len(paths)} captures: " +
                      ", ".join(f"{name} {n}" for name, n in said.items()) + "; in a row (single pass): " +
                      ", ".join(f"{name} {n} ({at_once[name]})" for name, n in row.items()))


if __name__ == "__main__":
    sys.exit(main())
