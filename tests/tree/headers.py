#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""headers.py [quick|rest]: every public header by itself.

Each file of include/ibwire, included alone and twice, compiles without a warning as C11 and as
C++17, C++20 and C++23, with gcc and clang, and for s390x. Then all its inline functions are compiled
out of line, freestanding, at -O1 and -O2: the object must not need a single symbol from elsewhere, not
even memcpy, so that a driver, a boot loader or an FPGA's soft core can include it. Those of the builders
(build*.h) also for machines without wide registers or unaligned access, where a compiler may call memcpy
and memset, as base.h says at its top, and nothing else. ibwire.h has to compile with IBW_NO_CODE, too,
and whatever includes build.h with IBW_BUILD_EXTERN.

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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
# Read with IBW_HDR defined, once a schema; alone they must refuse, and say why.
TEMPLATES = {"expand.h": "define IBW_HDR", "expand_table.h": "expand_table.h is for expand.h",
             "expand_declared.h": "expand_declared.h is for expand.h",
             "expand_values.h": "expand_values.h is for headers"}
WARN = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ALONE = [
    ["gcc", "-std=c11"],
    ["clang", "-std=c11"],
    ["s390x-linux-gnu-gcc", "-std=c11"],
    ["g++", "-std=c++17", "-xc++"],
    ["clang++", "-std=c++17", "-xc++"],
    ["g++", "-std=c++20", "-xc++"],
    ["g++", "-std=c++23", "-xc++"],
    ["clang++", "-std=c++20", "-xc++"],
    ["clang++", "-std=c++2b", "-xc++"],
]
FREESTANDING = [(compiler, level) for compiler in ("gcc", "clang", "s390x-linux-gnu-gcc")
                for level in ("-O1", "-O2")]
# What clang makes code for by itself, without another libc.
CROSS = [("clang", "-Os", f"--target={machine}-unknown-elf", *more)
         for machine, *more in (["x86_64", "-mno-sse"], ["i386"], ["armv7"], ["riscv32"], ["mips"],
                                ["aarch64", "-mstrict-align"])]
COMPILER_NEEDS = {"memcpy", "memset"}
QUICK = [ALONE[0], ALONE[3], ("gcc", "-O2"), ("clang", "-O2"), CROSS[0]]
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


def alone(header, compiler, include=INCLUDE, defined=()):
    """The header, twice, and nothing else."""
    text = f"#include <ibwire/{header}>\n" * 2 + "extern int ibw_not_empty;\n"
    lang = [] if "-xc++" in compiler else ["-xc"]
    done = run([*compiler, *lang, *WARN, *defined, f"-I{include}", "-fsyntax-only", "-"], text)
    return done.stderr if done.returncode or done.stderr else None


def builds(header):
    """Whether the header includes build.h, or is it."""
    return "/build.h" in run(["gcc", "-std=c11", "-xc", "-MM", f"-I{INCLUDE}", "-"],
                             f"#include <ibwire/{header}>\n").stdout


def extern(header, compiler):
    """With the builder in another file."""
    return alone(header, compiler, defined=["-DIBW_BUILD_EXTERN"])


def refuses(header, why):
    done = run(["gcc", "-std=c11", "-xc", f"-I{INCLUDE}", "-fsyntax-only", "-"],
               f"#include <ibwire/{header}>\n")
    if done.returncode == 0 or "#error" not in done.stderr or why not in done.stderr:
        return f"compiles alone, or does not say why not:\n{done.stderr}"
    return None


def no_code(compiler):
    """Declarations only, for analysers."""
    lang = [] if "-xc++" in compiler else ["-xc"]
    done = run([*compiler, *lang, *WARN, "-DIBW_NO_CODE", f"-I{INCLUDE}", "-fsyntax-only", "-"],
               "#include <ibwire/ibwire.h>\nextern int ibw_not_empty;\n")
    return done.stderr if done.returncode or done.stderr else None


def freestanding(headers, compiler, level, *target, include_dir=INCLUDE):
    """All inline functions out of line; the symbols the object does not define, if any."""
    base = ["-std=c11", "-ffreestanding", f"-I{include_dir}", "-xc", *target]
    if target:  # where no constant is known, a loop is not unrolled
        base += ["-fno-pic", "-Wno-pass-failed"]
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
    if target:
        undefined -= COMPILER_NEEDS
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


def planted(compiler, level, *target):
    """Whether a check sees what is planted; None if so. With a level it is freestanding, else alone."""
    with tempfile.TemporaryDirectory() as tmp:
        header = pathlib.Path(tmp, "ibwire/planted.h")
        header.parent.mkdir()
        text = PLANTED_CALL if level else PLANTED_ALONE
        name = "memmove" if target else "memcpy"
        header.write_text(text.replace("memcpy", name))
        found = freestanding(["planted.h"], compiler, level, *target, include_dir=tmp) if level else \
            alone("planted.h", compiler, tmp)
    want = f"needs {name}" if level else "ibw_be16"
    return None if found and want in found else f"is not found; said is {found!r}"


def jobs_of(headers, builders, alone_by, freestanding_by):
    """[(what, function, arguments)], the longest first."""
    plain = [header for header in headers if header not in TEMPLATES]
    jobs = [(f"freestanding: {' '.join(how)}", freestanding,
             ([header for header in plain if header.startswith("build") or len(how) == 2], *how))
            for how in freestanding_by]
    jobs += [(f"IBW_NO_CODE: {' '.join(compiler)}", no_code, (compiler,)) for compiler in alone_by]
    jobs += [(f"{header} alone", refuses, (header, why)) for header, why in TEMPLATES.items()]
    jobs += [(f"{header} alone: {' '.join(compiler)}", alone, (header, compiler))
             for header in plain for compiler in alone_by]
    jobs += [(f"{header} with IBW_BUILD_EXTERN: {' '.join(compiler)}", extern, (header, compiler))
             for header in builders for compiler in alone_by]
    jobs += [(f"planted: {' '.join(how)}", planted, how) for how in freestanding_by]
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
    builders = [header for header in headers if header not in TEMPLATES and builds(header)]
    if not {"build.h", "transport_view.h", "ibwire.h"} < set(builders):
        print("what includes build.h is not found")
        return 1
    wanted = list(filter(chosen, [*ALONE, *FREESTANDING, *CROSS]))
    missing = sorted({how[0] for how in wanted if not shutil.which(how[0])})
    wanted = [how for how in wanted if how[0] not in missing]
    jobs = jobs_of(headers, builders, [how for how in wanted if how in ALONE],
                   [how for how in wanted if how in FREESTANDING or how in CROSS])
    jobs = sample.rows(jobs, lambda job: job[0])
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
