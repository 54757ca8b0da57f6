#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""coverage.py BUILD [--files]: what the seeds of the fuzz targets reach of codec, linter and command.

The programs counted-NAME of BUILD, which clang compiled (fuzz/coverage.cmake), replay the seeds and nothing that a
long run found. It fails where a room, with the rooms in it, has fewer of its lines or branches run than FLOORS says,
and where a file of it is in no program but for those of NOT_COUNTED.
--files: each file, the least covered last.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))

import parallel  # noqa: E402

# Per cent of lines and of branches.
FLOORS = {"codec": (90, 85), "dissector/lint": (90, 85), "dissector/pcap-lint": (90, 85), "dissector/wireshark": (80, 72)}
# Generators, which run at build time; tables and texts, which have nothing to run; what reads files for Wireshark.
NOT_COUNTED = re.compile(r"codec/(kheader|man)\w*\.c|codec/(chain|tables)\.c|dissector/pcap-lint/command/(completion|man)\.c"
                         r"|dissector/pcap-lint/sinks/html/html_(script|style)\.c|dissector/wireshark/(base/proto|file247)\.c")
OF = {"dissector/wireshark": "epan"}  # rooms that only one target asks about, which may not be there
IN_ROOM = re.compile(rf"(?:^|/)((?:{'|'.join(FLOORS)})/(?:[^/]+/)*[^/]+)$")
FAULTS = "planted"  # those end on purpose


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: ended with {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def programs_of(build):
    """The counting programs, by target."""
    names = [path.stem for path in sorted((ROOT / "fuzz").glob("*.c"))
             if "LLVMFuzzerTestOneInput(const" in path.read_text() and path.stem != FAULTS]
    programs = {name: build / "fuzz" / f"counted-{name}" for name in names}
    return {name: program for name, program in programs.items() if name not in OF.values() or program.exists()}


def replay(programs, build, where):
    """The profile of all, and how many inputs there were."""
    def one(name):
        profile = where / f"{name}.profraw"
        said = run(programs[name], build / "fuzz" / "seeds" / name, cwd=where,
                   env=os.environ | {"LLVM_PROFILE_FILE": str(profile)})
        return profile, int(said.split()[-2])

    with concurrent.futures.ThreadPoolExecutor(parallel.WORKERS) as pool:
        profiles, inputs = zip(*pool.map(one, programs), strict=True)
    run("llvm-profdata", "merge", "-o", where / "profile", *profiles)
    return where / "profile", sum(inputs)


def covered(programs, profile):
    """[(file, (lines, of all), (branches, of all))]"""
    objects = [word for program in programs.values() for word in ("-object", program)][1:]
    done = subprocess.run([str(word) for word in ("llvm-cov", "export", "-summary-only", f"-instr-profile={profile}",
                                                  *objects)], capture_output=True, text=True, check=True)
    for file in json.loads(done.stdout)["data"][0]["files"]:
        # A compiler cache may give an object of another clone: the directories above the room are that one's.
        path, figures = IN_ROOM.search(os.path.normpath(file["filename"])), file["summary"]
        if path and (ROOT / path[1]).exists():
            yield (path[1],
                   *((figures[what]["covered"], figures[what]["count"]) for what in ("lines", "branches")))


def missing(rooms, counted):
    """The files of @rooms that should be @counted and are not."""
    files = {str(path.relative_to(ROOT)) for room in rooms for path in (ROOT / room).rglob("*.c")}
    return {path for path in files - counted if not NOT_COUNTED.fullmatch(path)}


def per_cent(part, whole):
    return 100 * part / whole if whole else 0


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    programs = programs_of(build)
    with tempfile.TemporaryDirectory(prefix="ibwire-coverage-") as tmp:
        profile, inputs = replay(programs, build, pathlib.Path(tmp))
        rows = list(covered(programs, profile))
    if "--files" in sys.argv:
        for path, lines, branches in sorted(rows, key=lambda row: row[2][1] - row[2][0]):
            print(f"{path:48} {lines[1] - lines[0]:5} lines, {branches[1] - branches[0]:5} branches are left, "
                  f"{per_cent(*lines):5.1f} {per_cent(*branches):5.1f}")
    asked = [room for room in FLOORS if OF.get(room) in (None, *programs)]
    faults = 0
    for path in sorted(missing(asked, {row[0] for row in rows})):
        faults += 1
        print(f"{path}: in no counting program")
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, lines, branches in rows:
        for room in FLOORS:
            if path.startswith(f"{room}/"):
                sums[room] = [a + b for a, b in zip(sums[room], (*lines, *branches), strict=True)]
    for room in asked:
        floors = FLOORS[room]
        sides = per_cent(*sums[room][:2]), per_cent(*sums[room][2:])
        low = any(side < floor for side, floor in zip(sides, floors, strict=True))
        faults += low
        print(f"{room}: {sides[0]:.1f} % of {sums[room][1]} lines, {sides[1]:.1f} % of {sums[room][3]} branches"
              + (f": less than {floors[0]} and {floors[1]}" if low else ""))
    print(f"{inputs} inputs of {len(programs)} targets")
    return 1 if faults or not inputs else 0


if __name__ == "__main__":
    sys.exit(main())
