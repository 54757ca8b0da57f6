#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""track_tests.py BUILD: every file of dissector/track that keeps state has a test of what it keeps.

That is a file that writes to what it is given. Its test is a block of tests/track/events (events.py there compares it), or a test of
BUILD that tests/data/track_tests.csv names; or that says why there is nothing to ask. Planted: a file without any of these, a block and
a row of no such file, a test that there is not.
"""
import csv
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACK = ROOT / "dissector/track"
TABLE = ROOT / "tests/data/track_tests.csv"
EVENTS = ROOT / "tests/track/events"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# An assignment through a pointer, or to a member of an element: of what is longer there than the call.
PLACE = r"\w+(?:->|\[[^\]\n]*\]\.)[\w.>\[\]-]*"
WRITES = re.compile(rf"\b{PLACE}\s*(?:=(?!=)|[-+|&^]=|<<=|>>=|\+\+|--)|(?:\+\+|--){PLACE}")
BLOCK = re.compile(r"^\[([\w/]+\.c)\] ", re.M)


def keeps_state(text):
    return bool(WRITES.search(COMMENT.sub("", text)))


def rows():
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {row["file"]: (row["test"], row["why"]) for row in csv.DictReader(lines)}


def faults_of(files, blocks, table, tests):
    """@files: {name: text}; @blocks: names of those with events; @table: {name: (test, why)}; @tests: those of the build."""
    for name, text in sorted(files.items()):
        if keeps_state(text) and name not in blocks and name not in table:
            yield f"{name} keeps state, and no test asks about it: a block in tests/track/events, or a row in {TABLE.name}"
    yield from (f"{name} is no file of dissector/track" for name in sorted((blocks | table.keys()) - files.keys()))
    for name, (test, why) in sorted(table.items()):
        if name in blocks:
            yield f"{name} has a block in tests/track/events, and needs no row"
        if test == "-" and not why:
            yield f"{name} has no test, and nothing says why"
        if test != "-" and test not in tests:
            yield f"{name}: there is no test {test}"


def planted():
    """What is not found, planted."""
    state, none = "void f(struct x *x) { x->n++; }", "/* x->n = 1 */ int f(const struct x *x) { return x->n == 1; }"
    for text, right in ((state, True), (none, False), ("x->a[i].b = 1;", True), ("a[i].b |= 1;", True), ("--x->n;", True), ("n = x->n;", False)):
        if keeps_state(text) != right:
            yield f"planted: {text}: {'no ' if right else ''}state"
    files = {"a.c": state, "b.c": none, "c.c": state, "d.c": state}
    said = "\n".join(faults_of(files, {"c.c", "gone.c"}, {"d.c": ("none", ""), "old.c": ("t", ""), "c.c": ("-", "")}, {"t"}))
    for what in ("a.c keeps state", "gone.c is no file", "old.c is no file", "no test none", "c.c has a block", "c.c has no test"):
        if what not in said:
            yield f"planted, not found: {what}"
    yield from ("b.c keeps none" for _ in [0] if "b.c keeps" in said)


def main():
    files = {str(path.relative_to(TRACK)): path.read_text() for path in TRACK.rglob("*.c")}
    blocks = {name for path in EVENTS.glob("*.txt") for name in BLOCK.findall(path.read_text())}
    table = rows()
    tests = {test["name"] for test in built.tests(pathlib.Path(sys.argv[1]).resolve())}
    faults = [*planted(), *faults_of(files, blocks, table, tests)]
    with_state = sum(map(keeps_state, files.values()))
    print(*faults, f"{len(files)} files, {with_state} of them with state, {len(blocks)} with events, "
                   f"{sum(test != '-' for test, _ in table.values())} with a test, {len(faults)} faults", sep="\n")
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
