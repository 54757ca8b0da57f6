#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Every public header by itself.

Each file of include/ibwire, included alone and twice, compiles without a warning as C11 and as
C++17, with gcc and clang, and for s390x. Then all its inline functions are compiled out of line,
freestanding, at -O1 and -O2: the object must not need a single symbol from elsewhere, not even
memcpy, so that a driver, a boot loader or an FPGA's soft core can include it.

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
INCLUDE = ROOT / "include"
# Read with IBW_HDR defined, once a schema; alone they must refuse, and say why.
TEMPLATES = {"expand.h": "define IBW_HDR", "expand_table.h": "expand_table.h is for expand.h"}
WARN = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ALONE = [
    ["gcc", "-std=c11"],
    ["clang", "-std=c11"],
    ["s390x-linux-gnu-gcc", "-std=c11"],
    ["g++", "-std=c++17", "-xc++"],
    ["clang++", "-std=c++17", "-xc++"],
]
FREESTANDING = ["gcc", "clang", "s390x-linux-gnu-gcc"]
INLINE = re.compile(r"static inline (?:__attribute__\(\(always_inline\)\))?[^;{}()]*?\b(\w+)\s*\(")


def run(args, text=""):
    return subprocess.run(args, input=text, capture_output=True, text=True)


def alone(header, compiler):
    """The header, twice, and nothing else."""
    text = f"#include <ibwire/{header}>\n" * 2 + "extern int ibw_not_empty;\n"
    lang = [] if "-xc++" in compiler else ["-xc"]
    done = run([*compiler, *lang, *WARN, f"-I{INCLUDE}", "-fsyntax-only", "-"], text)
    return done.stderr if done.returncode or done.stderr else None


def refuses(header, why):
    done = run(["gcc", "-std=c11", "-xc", f"-I{INCLUDE}", "-fsyntax-only", "-"],
               f"#include <ibwire/{header}>\n")
    if done.returncode == 0 or "#error" not in done.stderr or why not in done.stderr:
        return f"compiles alone, or does not say why not:\n{done.stderr}"
    return None


def freestanding(headers, compiler, level):
    """All inline functions out of line; the symbols the object does not define, if any."""
    base = ["-std=c11", "-ffreestanding", f"-I{INCLUDE}", "-xc"]
    include = "".join(f"#include <ibwire/{header}>\n" for header in headers)
    done = run([compiler, *base, "-E", "-P", "-"], include)
    if done.returncode:
        return done.stderr
    names = sorted(set(INLINE.findall(done.stdout)))
    uses = "".join(f"\t(void (*)(void)){name},\n" for name in names)
    text = f"{include}void (*const ibw_use_all[])(void) = {{\n{uses}}};\n"
    tools = compiler.removesuffix("gcc") if "-" in compiler else ""
    with tempfile.TemporaryDirectory() as tmp:
        obj = os.path.join(tmp, "all.o")
        done = run([compiler, *base, level, "-nostdlib", "-ffunction-sections", "-c", "-o", obj, "-"],
                   text)
        if done.returncode:
            return done.stderr
        symbols = run([tools + "nm", obj]).stdout.splitlines()
        places = run([tools + "objdump", "-r", obj]).stdout
    undefined = {line.split()[-1] for line in symbols if " U " in line}
    if undefined:
        # Which function needs which.
        found, section = [], ""
        for line in places.splitlines():
            section = line[line.find("["):] if line.startswith("RELOCATION") else section
            found += [f"{section} needs {name}" for name in undefined
                      if re.search(rf"\b{re.escape(name)}\b(?![.\w])", line)]
        return "\n".join(sorted(set(found)) or sorted(undefined))
    defined = sum(bool(re.search(r" [tT] ", line)) for line in symbols)
    if not names or defined < len(names):
        return f"only {defined} of {len(names)} inline functions were compiled"
    return None


def main():
    headers = sorted(p.name for p in INCLUDE.glob("ibwire/*.h"))
    if "ibwire.h" not in headers:
        print("include/ibwire/ibwire.h is not there")
        return 1
    missing = sorted({c[0] for c in ALONE if not shutil.which(c[0])})
    jobs = []
    for header in headers:
        if header in TEMPLATES:
            jobs.append((f"{header} alone", refuses, (header, TEMPLATES[header])))
            continue
        for compiler in ALONE:
            if compiler[0] not in missing:
                jobs.append((f"{header} alone: {' '.join(compiler)}", alone, (header, compiler)))
    for compiler in FREESTANDING:
        for level in ("-O1", "-O2"):
            if compiler not in missing:
                jobs.insert(0, (f"freestanding: {compiler} {level}", freestanding,
                                ([h for h in headers if h not in TEMPLATES], compiler, level)))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (what, _, _), result in zip(jobs, pool.map(lambda job: job[1](*job[2]), jobs)):
            if result is not None:
                bad += 1
                print(f"{what}\n{result[:2000]}\n")
    print(f"{len(headers)} headers, {len(jobs)} compilations, {bad} failed")
    if bad:
        return 1
    if missing:
        print("not there: " + " ".join(missing))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
