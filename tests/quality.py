#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""quality.py {clang-tidy|cppcheck} BUILD: run the checker over every C file BUILD compiles.

What is left out of the checks stands, with its reason, in .clang-tidy and below for cppcheck. A
file that had no finding is looked at again only if it, its headers, the options or the checker have
changed: BUILD/quality holds a mark for each such state. Status 77 if the checker is not there.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CPPCHECK = [
    "cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability",
    "--error-exitcode=1", "--inline-suppr", "--max-configs=1", "--library=gnu", "--library=posix",
    # The headers refuse a compiler that does not tell the byte order.
    "-D__BYTE_ORDER__=1234", "-D__ORDER_LITTLE_ENDIAN__=1234",
    # About cppcheck, not about us.
    "--suppress=missingIncludeSystem", "--suppress=unmatchedSuppression",
    # The members of a value struct are for whoever includes it.
    "--suppress=unusedStructMember",
    # cppcheck 2.10 cannot paste __LINE__, with which expand.h makes names; it then gives that file up.
    "--suppress=preprocessorErrorDirective:*/include/ibwire/base.h",
    # cppcheck 2.10 does not know mmap(..., MAP_ANONYMOUS, -1, 0).
    "--suppress=invalidFunctionArg:*/tests/guard.h",
]


def commands(build):
    """file: the words of its compile command, for every file of ours."""
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            files.setdefault(path, shlex.split(entry["command"]))
    return files


def state(version, words, path):
    """A digest of all the outcome can depend on."""
    out = words.index("-o")
    expand = words[:out] + words[out + 2:]
    expand = [word for word in expand if word != "-c" and not word.startswith("-M")]
    expand = [word for word in expand if not word.endswith(".o.d") and not word.endswith(".o")]
    done = subprocess.run([*expand, "-E", "-C"], capture_output=True)
    if done.returncode:
        return None
    config = (ROOT / ".clang-tidy").read_bytes() + pathlib.Path(__file__).read_bytes()
    return hashlib.sha256(b"\0".join([version, config, str(path).encode(), " ".join(words).encode(),
                                      done.stdout])).hexdigest()


def check(tool, version, build, path, words):
    """What the checker found in one file, or None."""
    digest = state(version, words, path)
    mark = build / "quality" / tool / str(digest)
    if digest and mark.exists():
        return None
    if tool == "clang-tidy":
        # Warning options of gcc that clang does not know are not the question here.
        args = ["clang-tidy", "--quiet", "-p", str(build),
                # gcc's own, in the compile commands of the release build
                "--extra-arg=-Wno-ignored-optimization-argument",
                "--extra-arg=-Wno-unknown-warning-option", str(path)]
    else:
        keep = [word for word in words if word.startswith(("-I", "-D"))]
        args = [*CPPCHECK, *keep, str(path)]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        return done.stdout + "".join(line for line in done.stderr.splitlines(keepends=True)
                                     if "generated" not in line)
    if digest:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return None


def main():
    tool, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if not shutil.which(tool):
        print(f"{tool} is not there")
        return 77
    version = subprocess.run([tool, "--version"], capture_output=True).stdout
    files = commands(build)
    # Programs that only tests and fuzzing run are left to compilers and sanitizers.
    files = {path: words for path, words in files.items()
             if path.relative_to(ROOT).parts[0] not in ("tests", "fuzz")}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(filter(None, pool.map(lambda item: check(tool, version, build, *item),
                                           sorted(files.items()))))
    print("\n".join(found))
    print(f"{tool}: {len(files)} files, {len(found)} with findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
