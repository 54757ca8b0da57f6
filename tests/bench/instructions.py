#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counts the instructions of what the schema makes, with gcc and clang at -O2.

Pack, unpack and getters are straight lines of code, so what objdump lists up to the return is what
one call executes. A pack or unpack may have 1.2 times those of the hand-written one, a getter 5 with its
return; a branch in any of them is a fault, and so is a function of instructions.h that is not there.
Functions with each fault are planted, which have to be found.

Status 77 (skipped) where this is not x86_64 or a tool is not there.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = ("gcc", "clang")
RATIO = 1.2
GETTER = 5
IDLE = re.compile(r"\b(nop|endbr64|xchg\s+%ax,%ax|cs nopw|data16)")
BRANCH = re.compile(r"^(j\w+|call|loop)\b")
DECLARED = re.compile(r"^\w+ ((?:schema|hand|getter)_\w+)\(", re.M)
# Of each sort one that is as it may be and one that is not; and one that is declared only.
PLANTED = """
unsigned long getter_right(const unsigned long *p) { return *p; }
unsigned long getter_long(const unsigned long *p)
{ return p[0] ^ p[1] * 3 ^ p[2] * 5 ^ p[3] * 7; }
unsigned long schema_call(unsigned long (*f)(void)) { return f() + 1; }
unsigned long hand_sum(const unsigned long *p) { return p[0] ^ p[1] * 3; }
unsigned long schema_sum(const unsigned long *p) { return p[0] ^ p[1] * 3 ^ p[2] * 5 ^ p[3] * 7; }
"""
PLANTED_FUNCTIONS = {"getter_right", "getter_long", "schema_call", "hand_sum", "schema_sum",
                     "getter_missing"}
PLANTED_FAULTS = {"getter_long", "schema_call", "schema_sum", "getter_missing"}


def count(compiler, source):
    """{function: instructions}; a function that branches is given as a negative number."""
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([compiler, "-std=gnu11", "-O2", f"-I{HERE}", f"-I{HERE.parents[1]}/include", "-c",
                        "-xc", "-", "-o", f"{tmp}/o"], input=source, text=True, check=True)
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"{tmp}/o"], check=True,
                              capture_output=True, text=True).stdout
    counts, name = {}, None
    for line in text.splitlines():
        head = re.match(r"^[0-9a-f]+ <(\w+)>:", line)
        if head:
            name, counts[head.group(1)] = head.group(1), 0
            continue
        row = re.match(r"^\s+[0-9a-f]+:\s+(.*)", line)
        if not row or not name or IDLE.match(row.group(1)):
            continue
        counts[name] += 1
        if BRANCH.match(row.group(1)):
            counts[name] -= 1_000_000
        if row.group(1).startswith("ret"):
            name = None
    return counts


def faults(compiler, source, functions):
    """The functions that are not there, branch or have too many instructions; and a line of each."""
    counts = count(compiler, source)
    bad, lines = functions - counts.keys(), []
    for name, n in sorted(counts.items()):
        kind, _, rest = name.partition("_")
        limit = {"getter": GETTER, "schema": None, "hand": None}[kind]
        if kind == "schema" and f"hand_{rest}" in counts:
            limit = int(counts[f"hand_{rest}"] * RATIO)
        if n <= 0 or (limit is not None and n > limit):
            bad.add(name)
        lines.append(f"{compiler:6} {name:24} {n:4}" + (f"  at most {limit}" if limit else ""))
    return bad, lines


def main():
    missing = [name for name in (*COMPILERS, "objdump") if not shutil.which(name)]
    if platform.machine() != "x86_64" or missing:
        print(f"needs x86_64, {' '.join(COMPILERS)} and objdump; missing: {missing}")
        return 77
    declared = set(DECLARED.findall((HERE / "instructions.h").read_text()))
    failed = not declared
    for compiler in COMPILERS:
        bad, lines = faults(compiler, (HERE / "instructions.c").read_text(), declared)
        found, _ = faults(compiler, PLANTED, PLANTED_FUNCTIONS)
        print("\n".join(lines))
        for name in sorted(bad):
            print(f"{compiler:6} {name} IS NOT THERE, BRANCHES OR HAS TOO MANY")
        if found != PLANTED_FAULTS:
            print(f"{compiler:6} of what is planted it finds fault with {sorted(found)}")
        failed |= bool(bad) or found != PLANTED_FAULTS
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
