#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""quality.py {clang-tidy|cppcheck} BUILD: run the checker over every C file BUILD compiles.

What is left out of the checks is, with its reason, in .clang-tidy and below for cppcheck. A
file that had no finding is looked at again only if it, its headers, the options or the checker have
changed: BUILD/quality holds a mark for each such state. In each way to look at a file, mistakes are
planted, which have to be found. Status 77 if the checker is not there.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLANG_TIDY = [
    "clang-tidy", "--quiet",
    # Options of gcc in the compile commands that clang does not know are not the question here.
    "--extra-arg=-Wno-ignored-optimization-argument", "--extra-arg=-Wno-unknown-warning-option",
]
CPPCHECK = [
    "cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability",
    "--error-exitcode=1", "--inline-suppr", "--max-configs=1", "--library=gnu", "--library=posix",
    # The headers refuse a compiler that does not tell the byte order.
    "-D__BYTE_ORDER__=1234", "-D__ORDER_LITTLE_ENDIAN__=1234",
    # What it defines by itself where no -D is given.
    "-D__cppcheck__=1",
    # About cppcheck, not about us.
    "--suppress=missingIncludeSystem", "--suppress=unmatchedSuppression",
    # The members of a value struct are for whoever includes it.
    "--suppress=unusedStructMember",
    # cppcheck 2.10 does not know mmap(..., MAP_ANONYMOUS, -1, 0).
    "--suppress=invalidFunctionArg:*/tests/lib/guard.h",
]
# The inline code of all headers is looked at in one file that includes them. To look at it again in
# each of the others would take half an hour.
ALL_CODE = "codec/tables.c"
# These have an IBW_EXPAND_ALSO, or a schema, of their own.
OWN_EXPANSION = {"tests/lib/codecs.c", "tests/codec/kheader.c", "tests/codec/shapes.c"}
DECLARED = ROOT / "include/ibwire/expand_declared.h"
# What a file is looked at with. "paths" are what clang's analyzer follows through the functions of
# headers; all other checks look at one expression or statement after the other, and need only know
# what a header declares: a tenth of the work. Of programs that do not ship, the analyzer knows no more
# than that, either (a NULL for a header ends them), and gives up a function after fewer steps: in a row
# of hundreds of CHECK()s each doubles the paths.
OTHER_CHECKS = "-bugprone-*,-cert-*,-performance-*,-portability-*,-readability-*"
LOOKS = {
    "all": [],
    "paths": [f"--checks={OTHER_CHECKS}"],
    "text": ["--checks=-clang-analyzer-*"],
    "declared": [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config",
                                                    "-Xclang", "max-nodes=50000")],
}
DECLARES = {"text", "declared"}
PRODUCT = ("codec/", "dissector/")

NULL_HEADER = "Null pointer passed"
# {what has to be said: the mistake}
BY_PATHS = {
    "clang-analyzer-core.uninitialized.UndefReturn": """int beyond(const int *p)
{
	int a[2] = { 0, 1 };

	return p ? a[2] : 0;
}
""",
    "clang-analyzer-core.NullDereference": """int null(const int *p)
{
	return p ? 0 : *p;
}
""",
    NULL_HEADER: """uint32_t too_few(const uint8_t *p, size_t left)
{
	return ibw_grh_flow_label(ibw_grh_view(p, left));
}
""",
    "clang-analyzer-core.DivideZero": "int zero(int a) { return a == 0 ? 1 / a : a; }",
    "clang-analyzer-deadcode.DeadStores": "int dead(int a) { int b = a; b = a + 1; return a; }",
    "clang-analyzer-unix.Malloc": "int leak(void) { char *p = malloc(9); return p ? *p = 1 : 0; }",
}
BY_TEXT = {
    "bugprone-sizeof-expression": "size_t size(struct ibw_bth **p) { return sizeof(*p); }",
    "bugprone-suspicious-string-compare": """int same(const char *a, const char *b)
{
	if (strcmp(a, b))
		return 0;
	return 1;
}
""",
    "bugprone-implicit-widening-of-multiplication-result": "size_t wide(int a) { return a * a; }",
    "bugprone-narrowing-conversions": "int narrow(double a) { int b = 1; b += a; return b; }",
    "cert-err34-c": "int number(const char *p) { return atoi(p); }",
    "performance-no-int-to-ptr": "void *pointer(uintptr_t p) { return (void *)p; }",
    "readability-misleading-indentation": """int indent(int a)
{
	if (a)
		a = 1;
		a++;
	return a;
}
""",
}
# In the inline code of a header, which only the look at everything reads.
IN_HEADER = {"bugprone-integer-division": "double in_header(int a) { return a / 2; }"}
CPPCHECK_PLANTED = {
    "arrayIndexOutOfBounds": BY_PATHS["clang-analyzer-core.uninitialized.UndefReturn"],
}


def commands(build):
    """file: the words of its compile command, for every file of ours."""
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            files.setdefault(path, shlex.split(entry["command"]))
    return files


def dependencies(build):
    """object: the files it was compiled from, as ninja knows them; none, if it does not."""
    done = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True)
    files, current = {}, []
    for line in done.stdout.splitlines():
        if line.startswith(" "):
            current.append(build / line.strip())
        elif ": #deps" in line:
            current = files.setdefault(line.split(": #deps")[0], [])
    return files


@functools.cache
def content(path):
    """A digest of a file."""
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""


def looks(tool, path):
    """How a file is looked at."""
    name = str(path.relative_to(ROOT))
    if tool == "cppcheck":
        return ["all"] if name == ALL_CODE else ["text"]
    if name == ALL_CODE or name in OWN_EXPANSION:
        return ["all"]
    return ["paths", "text"] if name.startswith(PRODUCT) else ["declared"]


def clang_tidy(look):
    return [*CLANG_TIDY, *LOOKS[look], *(["--extra-arg=-DIBW_NO_CODE"] if look in DECLARES else [])]


def arguments(tool, build, look, path, words):
    """The command that looks at one file."""
    if tool == "clang-tidy":
        return [*clang_tidy(look), "-p", str(build), str(path)]
    keep = [word for word in words if word.startswith(("-I", "-D"))]
    if look != "all":
        keep.append("-DIBW_NO_CODE")
    return [*CPPCHECK, *keep, str(path)]


def check(version, build, args, words, files):
    """What the checker found in one file, or None."""
    mark = None
    if files:
        parts = [version, content(ROOT / ".clang-tidy"), content(DECLARED), " ".join([*args, *words]).encode()]
        state = hashlib.sha256(b"\0".join([*parts, *map(content, files)])).hexdigest()
        mark = build / "quality" / args[0] / state
        if mark.exists():
            return None
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        found = done.stdout + "".join(line for line in done.stderr.splitlines(keepends=True)
                                      if "generated" not in line)
        print(found, flush=True)
        return found
    if mark:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return None


def planted(tool, build, look):
    """What is planted, and not found by one look."""
    where = build / "quality"
    header = where / "include/ibwire/planted.h"
    path = where / f"planted-{look}.c"
    header.parent.mkdir(parents=True, exist_ok=True)
    if tool == "cppcheck":
        path.write_text("\n".join(CPPCHECK_PLANTED.values()))
        args, wanted = [*CPPCHECK, "--template={id}", str(path)], CPPCHECK_PLANTED
    else:
        header.write_text("static inline " + "\n".join(IN_HEADER.values()))
        wanted = {**(BY_PATHS if look != "text" else {}), **(BY_TEXT if look != "paths" else {})}
        path.write_text("".join(f"#include <{name}>\n" for name in (
            "stdlib.h", "string.h", "ibwire/ibwire.h", "ibwire/planted.h")) + "\n".join(wanted.values()))
        wanted = {**wanted, **(IN_HEADER if look == "all" else {})}
        args = [*clang_tidy(look), str(path), "--", "-std=c11", f"-I{ROOT}/include", f"-I{where}/include"]
        if look == "declared":
            del wanted[NULL_HEADER]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    return [what for what in wanted if done.returncode == 0 or what not in done.stdout + done.stderr]


def main():
    tool, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which(tool):
        print(f"{tool} is not there")
        return 77
    version = subprocess.run([tool, "--version"], capture_output=True).stdout
    files, compiled = commands(build), dependencies(build)
    todo = [(look, path) for path in files for look in looks(tool, path)]
    missed = [f"{look}: {what}" for look in sorted({look for look, _ in todo})
              for what in planted(tool, build, look)]
    if missed:
        print(f"{tool} does not find what is planted:", *missed, sep="\n")
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, version, build, arguments(tool, build, look, path, files[path]), files[path],
                            compiled.get(files[path][files[path].index("-o") + 1]))
                for look, path in sorted(todo, key=lambda job: -job[1].stat().st_size)]
    found = [job for job in jobs if job.result()]
    print(f"{tool}: {len(files)} files, {len(found)} with findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
