#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""jobs.py PCAP-LINT MADE [EVERY]: the output does not depend on the number of threads.

Every capture, in every form of a report, is checked by one thread and by 2, 3 and 8, with chunks of a few packets (IBW_TEST_CHUNK,
a number that is drawn anew for each capture, form and number of threads), so that chunks end anywhere. Standard output, what is said on standard error and the status are
the same byte by byte; with EVERY, of each so many-th capture only. So they are of files that are joined, cut off, filtered, ended by --count, and compressed.
"""
import gzip
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import parallel
import sample

ROOT = pathlib.Path(__file__).resolve().parents[2]
THREADS = (2, 3, 8)
CHUNKS = (1, 2, 3, 7, 20, 64, 1024)
FORMS = {"text": [], "each": ["--max-per-rule", "0", "--select", "all"], "stats": ["--stats", "--story", "auto", "--interval", "auto", "-v"],
         "json": ["--format", "json", "--select", "all", "--stats", "--story", "auto", "--interval", "auto", "--series"],
         "sarif": ["--format", "sarif"], "html": ["--format", "html", "-o", "-"], "no rules": ["--ignore", "all", "--stats"],
         "count": ["--count", "37", "--format", "html", "-o", "-"], "filter": ["--filter", "udp"]}


def captures(made):
    found = [*ROOT.glob("pcaps/**/*.pcap"), *ROOT.glob("pcaps/**/*.pcapng"), *ROOT.glob("pcaps/**/*.pcap.*"), *made.glob("*.pcap"),
             *made.glob("*.pcapng")]
    return sorted(path for path in found if path.stat().st_size < 4_000_000)


def run(program, threads, chunk, args, where):
    done = subprocess.run([program, "-j", str(threads), "--progress", "never", "--severity", "note", *args], cwd=where, capture_output=True,
                          env=os.environ | {"IBW_TEST_CHUNK": str(chunk)}, check=False)
    return done.returncode, done.stdout, done.stderr


def differences(program, name, args, where, seed):
    """Each number of threads whose output is not that of one thread."""
    drawn = random.Random(f"{name} {seed}")
    alone = run(program, 1, 1024, args, where)
    if alone[0] < 0:
        return [f"{name}: ends with {alone[0]}"]
    faults = []
    for threads in THREADS:
        chunk = drawn.choice(CHUNKS)
        if run(program, threads, chunk, args, where) != alone:
            faults.append(f"IBW_TEST_CHUNK={chunk} pcap-lint -j {threads} {' '.join(args)}: not the output of -j 1")
    return faults


def check(paths, program):
    faults, n = [], 0
    for path in paths:
        for form, options in FORMS.items():
            faults += differences(program, f"{path.name} {form}", [*options, str(path)], path.parent, 1)
            n += 1
    return faults, n


def made_files(paths, where):
    """Captures cut anywhere, and compressed."""
    drawn = random.Random(5)
    for path in drawn.sample(paths, min(len(paths), 24)):
        data = path.read_bytes()
        cut = where / f"cut-{path.name}"
        cut.write_bytes(data[:drawn.randrange(24, len(data) + 1)])
        packed = where / f"{path.name}.gz"
        packed.write_bytes(gzip.compress(data))
        yield from (cut, packed)


def joined(program, paths):
    """Captures one after the other, with copies of one among them."""
    drawn, faults = random.Random(6), []
    for i in range(12):
        files = drawn.sample(paths, 3)
        files += [files[0]] * (i % 2)
        args = ["--join", "--format", "json", "--stats", *map(str, files)]
        faults += differences(program, f"join {i}", args, ROOT, 2)
    return faults


def main():
    program, made = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    every = captures(made)
    if len(every) < 300:
        raise SystemExit(f"{len(every)} captures: some are missing")
    faults, runs = [], 0
    with tempfile.TemporaryDirectory() as tmp:
        others = list(made_files(every, pathlib.Path(tmp)))
        every_nth = int(sys.argv[3]) if len(sys.argv) > 3 else 1
        rows = [*sample.rows(every[::every_nth], lambda path: path.name), *others]
        for found, n in parallel.each(check, parallel.parts(rows), program):
            faults += found
            runs += n
    faults += joined(program, every)
    print("\n".join(faults))
    print(f"{len(rows)} captures, {runs} reports, each by 1, 2, 3 and 8 threads: {len(faults)} differ")
    return faults != []


if __name__ == "__main__":
    sys.exit(main())
