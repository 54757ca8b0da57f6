#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Schemas, and uses of them, that must not compile.

Each file of tests/tree/refuse is a schema with one mistake, and says on the wrong line what the compiler
is to say: /* refused: TEXT */. gcc and clang, as C and (without "in C") as C++, must refuse it, with
that text, in an error that names that line of that file.

A compiler reads them all at once, each as a header of its own. After each is accepted.def once
more, the control, which must get no error and no warning: so none is counted for the wrong file.
A .c file is a use that is wrong: compiled as C, alone, with warnings as errors.

codec/tables.c has to refuse what these are refused for: it asserts every header.

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

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFUSE = ROOT / "tests/tree/refuse"
COMPILERS = [["gcc", "-std=c11", "-xc", "-fmax-errors=0"],
             ["clang", "-std=c11", "-xc", "-ferror-limit=0"],
             ["g++", "-std=c++17", "-xc++", "-fmax-errors=0"],
             ["clang++", "-std=c++17", "-xc++", "-ferror-limit=0"]]
MARK = re.compile(r"/\* refused(?: in C)?: (.*?) \*/")
# The line an error starts with; notes, include chains and quoted source come before and after it.
ERROR = re.compile(r"^[^ ].*?:\d+:(?:\d+:)? (?:fatal )?error: ", re.M)
CHAIN = re.compile(r"(?:^(?:In file included from|  +from) .*\n)+", re.M)
CONTROL = "accepted"


def errors(text):
    """Each error of a compiler, with the include chain before it and the notes after it."""
    starts = []
    for match in ERROR.finditer(text):
        chain = [c for c in CHAIN.finditer(text, 0, match.start()) if c.end() == match.start()]
        starts.append(chain[0].start() if chain else match.start())
    return [text[a:b] for a, b in zip(starts, starts[1:] + [len(text)])]


def compile_all(compiler, paths, tmp):
    """What a compiler says of all schemas and of the control after each of them."""
    schema = pathlib.Path(tmp, "schema")
    source = ["#include <ibwire/ibwire.h>\n"]
    for path in paths:
        # Without the mark, which a compiler would quote with the line.
        (schema / path.name).write_text(MARK.sub("", path.read_text()))
        shutil.copy(REFUSE / f"{CONTROL}.def", schema / f"{CONTROL}_{path.stem}.def")
        source += [f"#define IBW_HDR {name}\n#include <ibwire/expand.h>\n"
                   for name in (path.stem, f"{CONTROL}_{path.stem}")]
    return subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-pedantic",
                           "-DIBW_ASSERT_SCHEMA", f"-I{ROOT}/include", f"-I{tmp}", "-"], input="".join(source),
                          capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def fault(compiler, path, said):
    """What is wrong with how the compiler takes the schema, None if nothing."""
    if (ROOT / "include/ibwire/schema" / path.name).exists():
        return "has the name of a real header, which would be read in its place"
    lines = path.read_text().splitlines()
    marks = [(n, m.group(1)) for n, line in enumerate(lines, 1) for m in MARK.finditer(line)]
    if f"/{CONTROL}_{path.name}:" in said:
        return "the control after it gets errors or warnings, too"
    if path.stem == CONTROL:
        return f"refused\n{said}" if f"/{path.name}:" in said or marks else None
    if len(marks) != 1:
        return f"{len(marks)} lines marked as refused, not one"
    number, want = marks[0]
    ours = [error for error in errors(said) if f"/{path.name}:" in error]
    if not ours:
        return None if "refused in C:" in path.read_text() and "-xc++" in compiler else "compiles"
    ours = [error for error in ours if want in error] or ours
    if want not in ours[0]:
        return f"does not say {want!r}\n{''.join(ours)}"
    if not any(f"/{path.name}:{number}:" in error for error in ours):
        return f"does not name line {number} where it says so\n{''.join(ours)}"
    return None


def compile_use(compiler, path):
    """What a compiler says of a use of the headers, warnings as errors."""
    return subprocess.run([*compiler, "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Werror",
                           f"-I{ROOT}/include", path], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stderr


def faults(compiler, paths, uses):
    with tempfile.TemporaryDirectory() as tmp:
        # expand.h looks for schema/NAME.def, in the end along the include path.
        os.mkdir(os.path.join(tmp, "schema"))
        done = compile_all(compiler, paths, tmp)
    if done.returncode == 0:
        return [(None, f"{compiler[0]}: all compile")]
    said = {path: done.stderr for path in paths}
    if "-xc" in compiler:
        said.update({path: compile_use(compiler, path) for path in uses})
    return [(path, f"{compiler[0]}: {what}") for path, text in said.items()
            if (what := fault(compiler, path, text))]


def not_asserted():
    """The headers of which codec/tables.c asserts nothing."""
    text = subprocess.run(["gcc", "-std=c11", f"-I{ROOT}/include", "-E", "-P",
                           ROOT / "codec/tables.c"], capture_output=True, text=True).stdout
    headers = set(re.findall(r"struct ibw_(\w+)_wire \{", text))
    asserted = set(re.findall(r"_Static_assert\(ibw_(\w+)_BITS == ", text))
    return sorted(headers - asserted) if len(headers) > 200 else ["all"]


def main():
    schemas, uses = sorted(REFUSE.glob("*.def")), sorted(REFUSE.glob("*.c"))
    if CONTROL not in [p.stem for p in schemas]:
        print(f"{CONTROL}.def is not there")
        return 1
    compilers = [c for c in COMPILERS if shutil.which(c[0])]
    bad = len(not_asserted())
    if bad:
        print("codec/tables.c does not assert:", *not_asserted())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda c: faults(c, schemas, uses), compilers):
            for path, what in found:
                bad += 1
                print(f"{path.name if path else 'refuse'}: {what[:2000]}")
    print(f"{len(schemas)} schemas, {len(uses)} uses, {len(compilers)} compilers, {bad} failed")
    if bad or not compilers or len(schemas) < 2:
        return 1
    missing = [c[0] for c in COMPILERS if c not in compilers]
    if missing:
        print("not there: " + " ".join(missing))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
