#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rows.py PLUGIN MADE [FRAMES]: each field of tests/data/ws-rows.csv is there, has a value somewhere, and a test that names it.

The values are looked for with tshark -2 in the first FRAMES frames (0: all) of every capture.
"""
import collections
import csv
import pathlib
import sys

import ws

HERE = pathlib.Path(__file__).absolute().parent
TABLE = ws.ROOT / "tests/data/ws-rows.csv"


def table():
    """[(row, field, test)]"""
    lines = [line for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(row) for row in csv.reader(lines)]


def tests_named(rows):
    listed = (HERE / "CMakeLists.txt").read_text()
    for _, field, test in rows:
        script = HERE / f"{test}.py"
        if f"ibw_test(ws_{test} " not in listed or not script.exists():
            yield f"{field}: there is no test ws_{test}"
        elif not any(name in script.read_text() for name in (field.split(".")[-1], f'"{field.split(".")[-1].removesuffix("_in")}"')):
            yield f"{field}: {script.name} does not name it"


def seen(tshark, capture, fields):
    """{field: packets that have it}"""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, "-2", "-Y", "ibwire", "-T", "fields", "-E", "separator=/t", *args)
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
    faults += tests_named(rows)
    fields = [field for field in fields if field in known]
    capture = tshark.write_all("all.pcapng", ws.by_linktype(sys.argv[2], first or None))
    count = seen(tshark, capture, fields) if fields else {}
    faults += [f"{field}: no packet has it" for field in fields if not count[field]]
    faults += [] if rows else ["no rows"]
    said = ", ".join(f"{field} {count[field]}" for field in fields)
    return ws.verdict(faults, f"{len(rows)} fields ({said})")


if __name__ == "__main__":
    sys.exit(main())
