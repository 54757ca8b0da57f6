#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rows.py PLUGIN MADE [FRAMES]: each field of tests/data/ws-rows.csv is there, has a value somewhere, and a test that compares it.

All fields that the plugin has of a connection's analysis are in the table. A test's list COMPARED, which the test itself holds to, has
the whole names. The values are looked for with tshark -2 in the first FRAMES frames (0: all) of every capture.
"""
import collections
import csv
import importlib
import pathlib
import re
import sys

import analysis
import ws

HERE = pathlib.Path(__file__).absolute().parent
TABLE = ws.ROOT / "tests/data/ws-rows.csv"
OURS = re.compile(r"ibwire\.(?:stream|incident|analysis|ack|read|atomic|msg|conn|cnp|conv|psn)(?:\.|$)")
ASKED = ["ibwire.conv.src", "ibwire.conv.dst", "ibwire.conv.end"]  # which are there for filters
NOT_LISTED = {"ibwire.cnp", "ibwire.cnp.rsvd",  # a header
              "ibwire.analysis.incomplete"}  # of files with more events than are kept: limits.py


def table():
    """[(row, field, test)]"""
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(row) for row in csv.reader(lines)]


def tests_named(rows):
    """A test has exactly those fields in its list COMPARED that the table says."""
    listed, of = (HERE / "CMakeLists.txt").read_text(), collections.defaultdict(set)
    for _, field, test in rows:
        of[test].add(field)
    for test, fields in of.items():
        if f"ibw_test(ws_{test} " not in listed or not (HERE / f"{test}.py").exists():
            yield f"there is no test ws_{test}"
            continue
        sys.path.insert(0, str(HERE))  # before tests/oracles, which has an incidents.py, too
        compared = set(importlib.import_module(test).COMPARED)
        yield from (f"{field}: ws_{test} does not compare it" for field in sorted(fields - compared))
        yield from (f"{field}: ws_{test} compares it, {TABLE.name} does not say so" for field in sorted(compared - fields))


def seen(tshark, capture, fields):
    """{field: packets that have it}"""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, "-2", "-Y", " || ".join(["ibwire", *ASKED]), "-T", "fields", "-E", "separator=/t", *args)
    count = collections.Counter()
    for line in text.splitlines():
        count.update(field for field, value in zip(fields, line.split("\t"), strict=True) if value)
    return count


def main():
    tshark, rows = ws.Tshark(sys.argv[1]), table()
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    known = {line.split("\t")[2] for line in tshark.run("-G", "fields").splitlines() if line.startswith("F\t")}
    fields = [field for _, field, _ in rows]
    faults = [f"{field}: there is no such field" for field in fields if field not in known]
    faults += [f"{field}: twice" for field, n in collections.Counter(fields).items() if n > 1]
    faults += [f"{field}: not in {TABLE.name}" for field in sorted(known - set(fields) - NOT_LISTED) if OURS.match(field)]
    faults += tests_named(rows)
    fields = [field for field in fields if field in known]
    capture = tshark.write_all("all.pcapng", ws.by_linktype(sys.argv[2], first or None))
    captures = [capture, *(tshark.put(pathlib.Path(sys.argv[2]) / f"{name}.pcap") for name in (*analysis.ALONE, "lint-cap-copies"))] if fields else []
    count = sum((seen(tshark, capture, fields) for capture in captures), collections.Counter())
    faults += [f"{field}: no packet has it" for field in fields if not count[field]]
    faults += [] if rows else ["no rows"]
    said = ", ".join(f"{field} {count[field]}" for field in fields)
    return ws.verdict(faults, f"{len(rows)} fields ({said})")


if __name__ == "__main__":
    sys.exit(main())
