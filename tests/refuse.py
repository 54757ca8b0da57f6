#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Schemas that must not compile.

Each file of tests/refuse is a schema with one mistake, and says on the wrong line what the compiler
is to say: /* refused: TEXT */. gcc and clang, as C and (without "in C") as C++, must refuse it, with
that text, and name that line of that file. accepted.def is the control.

Status 77 (skipped) if a compiler is not there and all else is well.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFUSE = ROOT / "tests/refuse"
COMPILERS = [["gcc", "-std=c11", "-xc"], ["clang", "-std=c11", "-xc"],
             ["g++", "-std=c++17", "-xc++"], ["clang++", "-std=c++17", "-xc++"]]
MARK = re.compile(r"/\* refused(?: in C)?: (.*?) \*/")
CONTROL = "accepted"


def compile_schema(compiler, name, include):
    text = f"#include <ibwire/ibwire.h>\n#define IBW_HDR {name}\n#include <ibwire/expand.h>\n"
    return subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-pedantic",
                           f"-I{ROOT}/include", f"-I{include}", "-"], input=text,
                          capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def fault(compiler, path, include):
    """What is wrong with how the compiler takes the schema, None if nothing."""
    if (ROOT / "include/ibwire/schema" / path.name).exists():
        return "has the name of a real header, which would be read in its place"
    lines = path.read_text().splitlines()
    marks = [(n, m.group(1)) for n, line in enumerate(lines, 1) for m in MARK.finditer(line)]
    done = compile_schema(compiler, path.stem, include)
    if path.stem == CONTROL:
        return f"refused\n{done.stderr}" if done.returncode or done.stderr or marks else None
    if len(marks) != 1:
        return f"{len(marks)} lines marked as refused, not one"
    number, want = marks[0]
    if done.returncode == 0:
        return None if "refused in C:" in path.read_text() and "-xc++" in compiler else "compiles"
    if want not in done.stderr:
        return f"does not say {want!r}\n{done.stderr}"
    if f"{path.name}:{number}:" not in done.stderr:
        return f"does not name line {number}\n{done.stderr}"
    return None


def main():
    schemas = sorted(REFUSE.glob("*.def"))
    if CONTROL not in [p.stem for p in schemas]:
        print(f"{CONTROL}.def is not there")
        return 1
    missing = [c[0] for c in COMPILERS if not shutil.which(c[0])]
    jobs = [(c, p) for c in COMPILERS if c[0] not in missing for p in schemas]
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        # expand.h looks for schema/NAME.def, in the end along the include path.
        os.symlink(REFUSE, os.path.join(tmp, "schema"))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (c, p), what in zip(jobs, pool.map(lambda j: fault(*j, tmp), jobs)):
                if what:
                    bad += 1
                    print(f"{p.name}: {c[0]}: {what[:2000]}")
    print(f"{len(schemas)} schemas, {len(jobs)} compilations, {bad} failed")
    if bad or not jobs:
        return 1
    if missing:
        print("not there: " + " ".join(missing))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
