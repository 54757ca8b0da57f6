#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Counts the instructions of what the schema makes, with gcc and clang at -O2.

Pack, unpack and getters are straight lines of code, so what objdump lists up to the return is what
one call executes. A pack or unpack may have 1.2 times those of the hand-written one, a getter 5 with its
return; a branch in any of them is a fault."""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent
RATIO = 1.2
GETTER = 5
IDLE = re.compile(r"\b(nop|endbr64|xchg\s+%ax,%ax|cs nopw|data16)")
BRANCH = re.compile(r"^(j\w+|call|loop)\b")


def count(compiler):
    """{function: instructions}; a function that branches is given as a negative number."""
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([compiler, "-std=gnu11", "-O2", f"-I{TESTS.parent}/include", "-c",
                        TESTS / "instructions.c", "-o", f"{tmp}/o"], check=True)
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


def main():
    if platform.machine() != "x86_64" or not shutil.which("objdump"):
        print("needs objdump on x86_64")
        return 77
    bad = 0
    for compiler in ("gcc", "clang"):
        if not shutil.which(compiler):
            continue
        counts = count(compiler)
        for name, n in sorted(counts.items()):
            kind, _, rest = name.partition("_")
            limit = {"getter": GETTER, "schema": None, "hand": None}[kind]
            if kind == "schema" and f"hand_{rest}" in counts:
                limit = int(counts[f"hand_{rest}"] * RATIO)
            fault = n < 0 or (limit is not None and n > limit)
            bad += fault
            print(f"{compiler:6} {name:24} {n:4}" + (f"  at most {limit}" if limit else "") +
                  ("  TOO MANY" if fault else ""))
    return 1 if bad else 0


sys.exit(main())
