#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""build_cost.py: the instructions of a UD header and of an RC ACK, and those of gcc for build.h.

build_cost.c, built by gcc at -O2, runs under callgrind, which counts. What ib_ud_header_init() and
_pack() are for in the kernel, RoCE v2 over IPv4, may take 205/198 of what it took before the builder
looked at the width of values (commit 9e54b70), an RC ACK 3 % more. A function that takes more is
planted, which has to be found.

gcc itself is counted, too: for a file that only includes build.h, and for one that calls the builder in
another file (IBW_BUILD_EXTERN), which both may take half of what they took with the headers of 9e54b70,
whose builder was inline only. An inline call may take 90 %: of the 966 million it took on 23 November 2026 218 were
for the header, and the rest for code that looks at more than it did, none of which a call may be put in place of
without more instructions for each packet. clang 14 took 292 of 635 million to include it, 287 for a call out of line and 1044 of 1257 for an
inline call.

Status 77 (skipped) where this is not x86_64, gcc is not version 12, or a tool is not there.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# By what is defined for build_cost.c; 353 and 312 are what gcc 12.2.0 made of commit 9e54b70.
LIMITS = {"COST_UD": 353 * 205 // 198, "COST_RC_ACK": int(312 * 1.03)}
PLANTED = "COST_PLANTED"
# Millions of instructions of gcc 12.2.0 for INCLUDE and CALL with the headers of commit 9e54b70, where
# the builder was inline only, and how many in a hundred of them are allowed.
INCLUDE = "#include <ibwire/build.h>\n"
CALL = INCLUDE + """size_t use(void *buf, size_t cap, const struct ibw_build *b);
size_t use(void *buf, size_t cap, const struct ibw_build *b)
{
	return ibw_build_headers(buf, cap, b);
}
"""
BEFORE = {"including build.h": (INCLUDE, [], 455, 50),
          "calling the builder out of line": (CALL, ["-DIBW_BUILD_EXTERN"], 1112, 50),
          "calling the builder inline": (CALL, [], 1112, 90)}


def total(path):
    return int(re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.M).group(1))


def count(what, tmp):
    """The instructions of cost() of build_cost.c."""
    out, program = pathlib.Path(tmp, "out"), f"{tmp}/program"
    subprocess.run(["gcc", "-std=gnu11", "-O2", f"-D{what}", f"-I{ROOT}/include", "-o", program,
                    ROOT / "tests/codec/build_cost.c"], check=True)
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}",
                    "--toggle-collect=cost", program], check=True, capture_output=True)
    return total(out)


def compiled(source, options, tmp, include=ROOT / "include"):
    """Millions of instructions of gcc's compiler proper."""
    out, path = pathlib.Path(tmp, "out"), pathlib.Path(tmp, "use.c")
    path.write_text(source)
    subprocess.run(["gcc", "-std=c11", "-O2", f"-I{include}", *options, "-S", "-o", f"{tmp}/use.s",
                    "-wrapper", f"valgrind,-q,--tool=callgrind,--callgrind-out-file={out}", path],
                   check=True, capture_output=True)
    return total(out) / 1e6


def main():
    missing = [name for name in ("gcc", "valgrind") if not shutil.which(name)]
    if platform.machine() != "x86_64" or missing:
        print(f"needs x86_64, gcc and valgrind; missing: {missing}")
        return 77
    version = subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True).stdout.strip()
    if version.isdigit() and version != "12":
        print(f"the figures are of gcc 12, this is {version}")
        return 77
    bad = 0
    with tempfile.TemporaryDirectory() as tmp:
        for what, limit in LIMITS.items():
            n = count(what, tmp)
            print(f"{what}: {n} instructions, at most {limit}")
            bad += not 100 < n <= limit
        if count(PLANTED, tmp) <= LIMITS["COST_RC_ACK"]:
            print(f"{PLANTED} is not found")
            bad += 1
        for what, (source, options, before, share) in BEFORE.items():
            n = compiled(source, options, tmp)
            print(f"{what} {n:.0f} million of gcc, {100 * n / before:.0f} % of {before}, at most {share} %")
            bad += not 20 < n <= before * share / 100
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
