#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""coverage.py SOURCE BUILD [--files]: what the seeds of the fuzz targets reach of codec, linter and command.

Builds the programs that replay inputs with clang's coverage in BUILD, replays the seeds (and nothing that a long run
found), and fails where a room has fewer of its lines or branches run than FLOORS says. The rooms are
what is linked into those programs; generators of man pages and headers, which run at build time, are not.
--files: each file, the least covered last.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

FLAGS = "-O1 -fprofile-instr-generate -fcoverage-mapping"
# Per cent of lines and of branches.
FLOORS = {"codec": (90, 85), "dissector/lint": (90, 85), "dissector/pcap-lint": (90, 85), "dissector/wireshark": (80, 72)}
OF = {"dissector/wireshark": "epan"}  # rooms that only one target asks about, which may not be there
FAULTS = "planted"  # those end on purpose


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: ended with {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def build(source, where):
    """The replaying programs, by target."""
    run("cmake", "-S", source, "-B", where, "-G", "Ninja", "-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_C_FLAGS={FLAGS}", "-DIBW_TESTS=OFF")
    names = [path.stem for path in sorted((source / "fuzz").glob("*.c"))
             if "LLVMFuzzerTestOneInput(const" in path.read_text() and path.stem != FAULTS]
    there = run("cmake", "--build", where, "-t", "help")
    names = [name for name in names if name not in OF.values() or f"replay-{name}" in there]
    run("cmake", "--build", where, "-j", os.cpu_count(), "-t", "fuzz-seeds", *(f"replay-{name}" for name in names))
    return {name: where / "fuzz" / f"replay-{name}" for name in names}


def replay(programs, where):
    """The profile of all, and how many inputs there were."""
    profiles, inputs = [], 0
    for name, program in programs.items():
        profiles.append(where / f"{name}.profraw")
        said = run(program, where / "fuzz" / "seeds" / name, cwd=where,
                   env=os.environ | {"LLVM_PROFILE_FILE": str(profiles[-1])})
        inputs += int(said.split()[-2])
    run("llvm-profdata", "merge", "-o", where / "profile", *profiles)
    return where / "profile", inputs


def covered(source, programs, profile):
    """[(file, (lines, of all), (branches, of all))]"""
    objects = [word for program in programs.values() for word in ("-object", program)][1:]
    done = subprocess.run([str(word) for word in ("llvm-cov", "export", "-summary-only", f"-instr-profile={profile}",
                                                  *objects)], capture_output=True, text=True, check=True)
    for file in json.loads(done.stdout)["data"][0]["files"]:
        path, figures = pathlib.Path(file["filename"]), file["summary"]
        if path.is_relative_to(source):
            yield (str(path.relative_to(source)),
                   *((figures[what]["covered"], figures[what]["count"]) for what in ("lines", "branches")))


def per_cent(part, whole):
    return 100 * part / whole if whole else 0


def main():
    source, where = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    programs = build(source, where)
    profile, inputs = replay(programs, where)
    rows = list(covered(source, programs, profile))
    if "--files" in sys.argv:
        for path, lines, branches in sorted(rows, key=lambda row: row[2][1] - row[2][0]):
            print(f"{path:48} {lines[1] - lines[0]:5} lines, {branches[1] - branches[0]:5} branches are left, "
                  f"{per_cent(*lines):5.1f} {per_cent(*branches):5.1f}")
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for path, lines, branches in rows:
        for room in FLOORS:
            if path.startswith(f"{room}/"):
                sums[room] = [a + b for a, b in zip(sums[room], (*lines, *branches), strict=True)]
    faults = 0
    for room, floors in FLOORS.items():
        if OF.get(room) not in (None, *programs):
            continue
        sides = per_cent(*sums[room][:2]), per_cent(*sums[room][2:])
        low = any(side < floor for side, floor in zip(sides, floors, strict=True))
        faults += low
        print(f"{room}: {sides[0]:.1f} % of {sums[room][1]} lines, {sides[1]:.1f} % of {sums[room][3]} branches"
              + (f": less than {floors[0]} and {floors[1]}" if low else ""))
    print(f"{inputs} inputs of {len(programs)} targets")
    return 1 if faults or not inputs else 0


if __name__ == "__main__":
    sys.exit(main())
