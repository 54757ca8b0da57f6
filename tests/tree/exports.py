#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""exports.py LIBIBWIRE_SO: the shared library exports what include/ibwire declares, no more, no less.

A declaration outside the "#pragma GCC visibility push(default)" of its header is not exported; a
function that other files of codec/ share is, if its header has such a pragma by mistake. Data is declared
outside and not exported: who links it keeps its size. Each table has a function instead (codec/lookup.c).
"""
import pathlib
import re
import subprocess
import sys

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def declared():
    """Names of functions and objects declared, not defined, at file scope: two sets."""
    text = "".join(f"#include <ibwire/{p.name}>\n" for p in sorted(INCLUDE.glob("ibwire/*.h"))
                   if not p.name.startswith("expand"))
    text = subprocess.run(["gcc", "-std=c11", "-xc", f"-I{INCLUDE}", "-E", "-P", "-"], input=text,
                          capture_output=True, text=True, check=True).stdout
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    flat, depth = [], 0
    for char in text:
        depth += char == "{"
        if depth == 0:
            flat.append(char)
        if char == "}":
            depth -= 1
            if depth == 0:
                flat.append(";")
    functions, objects = set(), set()
    for statement in "".join(flat).split(";"):
        if re.search(r"\b(static|typedef|_Static_assert)\b", statement):
            continue
        match = re.search(r"\b(ibw_\w+)\s*\(", statement)
        if match:
            functions.add(match.group(1))
            continue
        match = re.search(r"\bextern\b.*\b(ibw_\w+)\s*(\[|$)", statement, re.S)
        if match:
            objects.add(match.group(1))
    return functions, objects


def exported(library):
    """{name: letter of nm}"""
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    return {line.split()[2].split("@")[0]: line.split()[1] for line in out.splitlines()
            if line.split()[1] != "A"}


def main():
    (want, objects), have = declared(), exported(sys.argv[1])
    data = {name for name, letter in have.items() if letter != "T"}
    for name in sorted(want - set(have)):
        print(f"declared, but not exported: {name}")
    for name in sorted(set(have) - want - data):
        print(f"exported, but not declared: {name}")
    for name in sorted(data):
        print(f"data, exported: {name}")
    print(f"{len(want)} declared, {len(have)} exported, {len(objects)} tables in the static library only")
    return 0 if objects and want and want == set(have) else 1


if __name__ == "__main__":
    sys.exit(main())
