#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tables_mutants.py BUILD [--seed N] [--table NAME]... [--update]: is a wrong row of a table noticed?

Every row of every built table is changed once (tables_file.py says how), in the file tables-dump prints.
The tests of the tables are run with that file in place of the built tables (tables_load.c), those that
take least time first, until one fails. At least 98 of 100 have to be noticed, and those that are not be
in tables_survivors.txt with the reason; --update writes that file, the reasons left to be said.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402
import tables_file  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SURVIVORS = TESTS / "tree/tables_survivors.txt"
SEED, LEAST = 1, 98  # percent
TIME = 60            # seconds a test may take
LOADER_FAILED = 3    # the status of tables_load.c

# table: the tests that hold it against something, fastest first.
CHECKS = {
    "header": ("packed", "titles", "golden"),
    "field": ("packed", "labels", "units", "components", "kinds", "print_mad", "text", "vectors", "golden"),
    "value": ("words", "text", "vectors", "golden"),
    "class": ("mad_classes", "mad_attrs", "mad_cm", "vectors", "golden"),
    "attribute": ("mad_attrs", "components", "vectors", "golden"),
    "opcode": ("opcodes",),
    "rule": ("explain", "lint_rules", "golden"),
}


def packed(rows):
    """The fields of a header follow one another from its first bit to its last."""
    at = collections.Counter()
    for row in rows:
        if row["table"] == "field":
            if int(row["at"]) != at[row["header"]]:
                return False
            at[row["header"]] += int(row["bits"]) * int(row["count"])
    return all(at[row["name"]] == int(row["bytes"]) * 8 for row in rows if row["table"] == "header")


class Tests:
    """The tests by their names, as ctest runs them, but with a pcap-lint that takes other tables."""

    def __init__(self, build):
        self.build = build / "tests"
        shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                               text=True, check=True).stdout
        lint, ours = str(build / "dissector/pcap-lint/pcap-lint"), str(self.build / "test-pcap-lint")
        self.commands = {t["name"]: [ours if word == lint else word for word in t["command"]]
                         for t in json.loads(shown)["tests"] if "command" in t}
        self.took = collections.Counter()

    def there(self, name):
        return name == "packed" or name in self.commands

    def programs(self, name):
        """What has to be built for a test: a list of targets."""
        return [path.name for path in map(pathlib.Path, self.commands.get(name, [])) if path.parent == self.build]

    def holds(self, name, rows, path):
        """Whether a test holds with the tables of the file @path, None: the built ones, which are @rows."""
        start = time.monotonic()
        try:
            if name == "packed":
                return packed(rows)
            done = subprocess.run(self.commands[name], cwd=ROOT,
                                  env={**os.environ, **({"IBW_TABLES": path} if path else {})},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME, check=False)
            said = done.stderr.decode(errors="replace")
            if done.returncode == LOADER_FAILED or (path and self.programs(name) and "IBW_TABLES:" not in said
                                                    and self.commands[name][0].startswith(str(self.build))):
                sys.exit(f"{name} does not take the tables of a file: {said}")
            return done.returncode == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            self.took[name] += time.monotonic() - start


def run(tests, rows, mutant):
    """The test that notices a mutant, None: none does."""
    wrong = [row if row is not mutant.row else {**row, **mutant.cells} for row in rows]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as out:
        out.write(tables_file.write(wrong))
        out.flush()
        for name in CHECKS[mutant.row["table"]]:
            if tests.there(name) and not tests.holds(name, wrong, out.name):
                return name
    return None


def dumped(build):
    return subprocess.run([build / "tests/tables-dump"], capture_output=True, text=True, check=True).stdout


def said(mutant):
    """field.bth.psn label: PSN as P_Key"""
    cell, now = next(iter(mutant.cells.items()))
    return f"{tables_file.name_of(mutant.row)} {mutant.word}: {mutant.row[cell]} as {now}"


def survivors_listed():
    """{mutant: reason}"""
    listed = {}
    if SURVIVORS.exists():
        for line in SURVIVORS.read_text().splitlines():
            if line and not line.startswith("#"):
                mutant, _, reason = line.partition(" -- ")
                listed[mutant] = reason
    return listed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--table", action="append", choices=sorted(CHECKS))
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    build = args.build.resolve()
    text = dumped(build)
    rows = tables_file.read(text)
    tests = Tests(build)
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as right:
        right.write(text)
        right.flush()
        for name in sorted({n for table, names in CHECKS.items() for n in names
                            if tests.there(n) and (not args.table or table in args.table)}):
            if not tests.holds(name, rows, right.name):
                sys.exit(f"{name} fails with the right tables")
    mutants = sample.rows((m for m in tables_file.Mutants(rows, args.seed).each()
                           if not args.table or m.row["table"] in args.table), said)
    print(f"seed {args.seed}, {len(mutants)} rows, each changed once", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        killers = list(pool.map(lambda m: run(tests, rows, m), mutants))
    return report(args, tests, list(zip(mutants, killers)))


def report(args, tests, results):
    by_table = collections.defaultdict(collections.Counter)
    for mutant, killer in results:
        by_table[mutant.row["table"]][killer or "survived"] += 1
    for table, counts in by_table.items():
        print(f"{table}: " + ", ".join(f"{n} {name}" for name, n in counts.most_common()))
    print("seconds: " + ", ".join(f"{name} {took:.0f}" for name, took in tests.took.most_common()))
    listed = survivors_listed()
    survivors = [said(m) for m, killer in results if not killer]
    killed = len(results) - len(survivors)
    if args.update:
        SURVIVORS.write_text(f"# What tables_mutants.py changes and no test notices, with seed {args.seed}.\n"
                             + "".join(f"{s} -- {listed.get(s, '')}\n" for s in survivors))
    faults = [f"{s}: survives, and {SURVIVORS.name} does not say why" for s in survivors if not listed.get(s)]
    if args.seed == SEED:
        noticed = {said(m) for m, killer in results if killer}
        faults += [f"{s}: in {SURVIVORS.name}, but it is noticed" for s in listed if s in noticed]
    print("\n".join(faults))
    percent = 100 * killed / len(results)
    print(f"{killed} of {len(results)} noticed, {percent:.1f} %")
    return 1 if faults or percent < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
