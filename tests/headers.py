#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""headers.py [quick|rest]: every public header by itself.

Each file of include/ibwire, included alone and twice, compiles without a warning as C11 and as
C++17, with gcc and clang, and for s390x. Then all its inline functions are compiled out of line,
freestanding, at -O1 and -O2: the object must not need a single symbol from elsewhere, not even
memcpy, so that a driver, a boot loader or an FPGA's soft core can include it.

quick is one C and one C++ compiler, and gcc and clang at -O2; rest is what quick leaves out; without
either all is done. Each time a header with a mistake of each sort is planted, and has to be found.

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
FREESTANDING = [(compiler, level) for compiler in ("gcc", "clang", "s390x-linux-gnu-gcc")
                for level in ("-O1", "-O2")]
QUICK = [ALONE[0], ALONE[3], ("gcc", "-O2"), ("clang", "-O2")]
# What a check has to say of a header with this in it.
PLANTED_ALONE = "struct ibw_planted { ibw_be16 needs_an_include; };\n"
PLANTED_CALL = """void *memcpy(void *, const void *, unsigned long);
static inline void ibw_planted(void *to, const void *from, unsigned long n)
{
	memcpy(to, from, n);
}
"""
INLINE = re.compile(r"static inline (?:__attribute__\(\(always_inline\)\))?[^;{}()]*?\b(\w+)\s*\(")


def run(args, text=""):
    return subprocess.run(args, input=text, capture_output=True, text=True)


def alone(header, compiler, include=INCLUDE):
    """The header, twice, and nothing else."""
    text = f"#include <ibwire/{header}>\n" * 2 + "extern int ibw_not_empty;\n"
    lang = [] if "-xc++" in compiler else ["-xc"]
    done = run([*compiler, *lang, *WARN, f"-I{include}", "-fsyntax-only", "-"], text)
    return done.stderr if done.returncode or done.stderr else None


def refuses(header, why):
    done = run(["gcc", "-std=c11", "-xc", f"-I{INCLUDE}", "-fsyntax-only", "-"],
               f"#include <ibwire/{header}>\n")
    if done.returncode == 0 or "#error" not in done.stderr or why not in done.stderr:
        return f"compiles alone, or does not say why not:\n{done.stderr}"
    return None


def freestanding(headers, compiler, level, include_dir=INCLUDE):
    """All inline functions out of line; the symbols the object does not define, if any."""
    base = ["-std=c11", "-ffreestanding", f"-I{include_dir}", "-xc"]
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


def planted(compiler, level):
    """Whether a check sees what is planted; None if so. With a level it is freestanding, else alone."""
    with tempfile.TemporaryDirectory() as tmp:
        header = pathlib.Path(tmp, "ibwire/planted.h")
        header.parent.mkdir()
        header.write_text(PLANTED_CALL if level else PLANTED_ALONE)
        found = freestanding(["planted.h"], compiler, level, tmp) if level else \
            alone("planted.h", compiler, tmp)
    want = "needs memcpy" if level else "ibw_be16"
    return None if found and want in found else f"is not found; said is {found!r}"


def jobs_of(headers, alone_by, freestanding_by):
    """[(what, function, arguments)], the longest first."""
    plain = [header for header in headers if header not in TEMPLATES]
    jobs = [(f"freestanding: {compiler} {level}", freestanding, (plain, compiler, level))
            for compiler, level in freestanding_by]
    jobs += [(f"{header} alone", refuses, (header, why)) for header, why in TEMPLATES.items()]
    jobs += [(f"{header} alone: {' '.join(compiler)}", alone, (header, compiler))
             for header in plain for compiler in alone_by]
    jobs += [(f"planted: {compiler} {level}", planted, (compiler, level))
             for compiler, level in freestanding_by]
    jobs += [(f"planted: {' '.join(compiler)}", planted, (compiler, None)) for compiler in alone_by]
    return jobs


def main():
    part = sys.argv[1] if len(sys.argv) > 1 else "all"
    chosen = {"all": lambda how: True, "quick": lambda how: how in QUICK,
              "rest": lambda how: how not in QUICK}[part]
    headers = sorted(p.name for p in INCLUDE.glob("ibwire/*.h"))
    if not {"ibwire.h", *TEMPLATES} < set(headers):
        print("include/ibwire/ibwire.h is not there, or one of expand*.h")
        return 1
    wanted = list(filter(chosen, [*ALONE, *FREESTANDING]))
    missing = sorted({how[0] for how in wanted if not shutil.which(how[0])})
    wanted = [how for how in wanted if how[0] not in missing]
    jobs = jobs_of(headers, [how for how in wanted if how in ALONE],
                   [how for how in wanted if how in FREESTANDING])
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (what, _, _), result in zip(jobs, pool.map(lambda job: job[1](*job[2]), jobs)):
            if result is not None:
                bad += 1
                print(f"{what}\n{result[:2000]}\n")
    print(f"{len(headers)} headers, {len(jobs)} compilations, {bad} failed")
    if bad or not wanted:
        return 1
    if missing:
        print("not there: " + " ".join(missing))
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
