#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""quality.py {clang-tidy|cppcheck} BUILD: run the checker over every C file BUILD compiles.

What is left out of the checks stands, with its reason, in .clang-tidy and below for cppcheck. A
file that had no finding is looked at again only if it, its headers, the options or the checker have
changed: BUILD/quality holds a mark for each such state. A file with a mistake is planted, which has
to be found. Status 77 if the checker is not there.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
    # About cppcheck, not about us.
    "--suppress=missingIncludeSystem", "--suppress=unmatchedSuppression",
    # The members of a value struct are for whoever includes it.
    "--suppress=unusedStructMember",
    # cppcheck 2.10 does not know mmap(..., MAP_ANONYMOUS, -1, 0).
    "--suppress=invalidFunctionArg:*/tests/guard.h",
]
# The inline code of all headers is looked at in one file that includes them. To look at it again in
# each of the others would take half an hour.
ALL_CODE = "codec/tables.c"

# Which ETHs a UD packet has clang-tidy cannot know, and so takes the values of the others for used.
LEFT_OUT = {ROOT / "tests/kernel/example.c"}

PLANTED = """int planted(const int *p);
int planted(const int *p)
{
	int a[2] = { 0, 1 };

	return p ? a[2] : *p;
}
"""


def commands(build):
    """file: the words of its compile command, for every file of ours."""
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build) and path not in LEFT_OUT:
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


def arguments(tool, build, path, words):
    """The command that looks at one file."""
    if tool == "clang-tidy":
        return [*CLANG_TIDY, "-p", str(build), str(path)]
    keep = [word for word in words if word.startswith(("-I", "-D"))]
    if path != ROOT / ALL_CODE:
        keep.append("-DIBW_NO_CODE")
    return [*CPPCHECK, *keep, str(path)]


def check(version, build, args, words, files):
    """What the checker found in one file, or None."""
    mark = None
    if files:
        parts = [version, content(ROOT / ".clang-tidy"), " ".join([*args, *words]).encode()]
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


def finds_planted(tool, build):
    """Whether the checker, with our settings, finds fault with a file and names it."""
    path = build / "quality/planted.c"
    path.parent.mkdir(exist_ok=True)
    path.write_text(PLANTED)
    args = [*CLANG_TIDY, str(path), "--", "-std=c11"] if tool == "clang-tidy" else [*CPPCHECK, str(path)]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    return done.returncode != 0 and f"{path}:6:" in done.stdout + done.stderr


def main():
    tool, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which(tool):
        print(f"{tool} is not there")
        return 77
    if not finds_planted(tool, build):
        print(f"{tool} does not find what is planted")
        return 1
    version = subprocess.run([tool, "--version"], capture_output=True).stdout
    files, compiled = commands(build), dependencies(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, version, build, arguments(tool, build, path, words), words,
                            compiled.get(words[words.index("-o") + 1]))
                for path, words in sorted(files.items())]
    found = [job for job in jobs if job.result()]
    print(f"{tool}: {len(files)} files, {len(found)} with findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
