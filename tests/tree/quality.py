#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""quality.py {clang-tidy|cppcheck} BUILD [--deep | --whole] [FILE...]: run the checker over the C files that BUILD compiles.

Without --deep it looks at the files of the product that have changed since it was looked at whole (tests/deep.md; again
with --whole), and clang's analyzer gives up a function after fewer steps; with --deep it follows all of the product as far as it goes, and
looks at everything else: tests, captures, fuzz targets, or at a sample of that (tests/lib/sample.py). With FILEs it
looks at these only: the product as without --deep, others as with it. What is left out of the checks is, with its
reason, in .clang-tidy and below for cppcheck.

A file that had no finding is looked at again only if it, its headers, the options or the checker have changed:
$IBW_CACHE (~/.cache/ibwire) holds a mark for each such state, whatever the directory that it was built in. In each
way to look at a file, mistakes are planted, which have to be found. Status 77 if the checker is not there.
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
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402
import since  # noqa: E402

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
# than that, either (a NULL for a header ends them). It gives up a function after fewer steps there, for in a row
# of hundreds of CHECK()s each doubles the paths; and everywhere without --deep, which is a third of the work.
OTHER_CHECKS = "-bugprone-*,-cert-*,-performance-*,-portability-*,-readability-*"
FEWER_STEPS = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000")]
LOOKS = {
    "all": FEWER_STEPS,
    "all_deep": [],
    "paths": [f"--checks={OTHER_CHECKS}", *FEWER_STEPS],
    "paths_deep": [f"--checks={OTHER_CHECKS}"],
    "text": ["--checks=-clang-analyzer-*"],
    "declared": FEWER_STEPS,
}
DECLARES = {"text", "declared"}
PRODUCT = ("codec/", "dissector/")
DAYS = 90  # that a mark is kept without being asked for

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
    """file: the words of its compile command, for every file of ours, which clang-tidy finds in commands_of() BUILD."""
    entries = json.loads((build / "compile_commands.json").read_text())
    files = {}
    for entry in entries:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        words = without_precompiled(shlex.split(entry["command"]))
        entry["command"] = shlex.join(words)
        if path.is_relative_to(ROOT) and not path.is_relative_to(build):
            files.setdefault(path, words)
    where = commands_of(build)
    where.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=where, delete=False) as file:  # another checker may read it now
        json.dump(entries, file)
    os.replace(file.name, where / "compile_commands.json")
    return files


def commands_of(build):
    return build / "quality"


def without_precompiled(words):
    """No checker reads the headers that gcc precompiled; whoever needs them includes them as well."""
    at = [i for i, word in enumerate(words) if word.endswith("/cmake_pch.h") and words[i - 1] == "-include"]
    return [word for i, word in enumerate(words) if i not in at and i + 1 not in at and word != "-fpch-preprocess"]


def dependencies(build):
    """object: the files it was compiled from, as ninja knows them; none, if it does not, or one has changed since."""
    done = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True)
    files, current = {}, []
    for line in done.stdout.splitlines():
        if line.startswith(" "):
            current.append(normal(os.path.join(build, line.strip())))
        elif ": #deps" in line:
            current = files.setdefault(line.split(": #deps")[0], [])
    return {name: sources for name, sources in files.items() if (build / name).exists()
            and not any(changed(source) > changed(build / name) for source in sources)}


@functools.cache
def normal(name):
    return pathlib.Path(os.path.normpath(name))


@functools.cache
def changed(path):
    """When a file was written; one that is gone may have been at any time."""
    try:
        return os.stat(path).st_mtime_ns
    except FileNotFoundError:
        return float("inf")


@functools.cache
def content(path):
    """A digest of a file."""
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""


def looks(tool, path, deep, asked):
    """How a file is looked at, or one that was @asked for by its name."""
    name = str(path.relative_to(ROOT))
    product = name.startswith(PRODUCT)
    deep = deep or asked and (not product or name in OWN_EXPANSION)
    if tool == "cppcheck":
        return [] if product == deep else ["all"] if name == ALL_CODE else ["text"]
    if name in OWN_EXPANSION:
        return ["all_deep"] if deep else []
    if not product:
        return ["declared"] if deep else []
    if name == ALL_CODE:
        return ["all_deep"] if deep else ["all"]
    return ["paths_deep"] if deep else ["paths", "text"]


def chosen(files, deep, whole=False):
    """The files that a run looks at of those that it could."""
    if deep:
        return set(sample.rows(sorted(files), lambda path: str(path.relative_to(ROOT))))
    paths = None if whole else since.changed_code(since.last_checked())
    if paths is None:
        return files
    sources = since.sources_of(paths)
    if any(path.startswith("include/") for path in paths):
        sources.append(ALL_CODE)
    return files & {ROOT / source for source in sources}


def marks():
    """The directory of the marks; None, if there can be none."""
    try:
        where = pathlib.Path(os.environ.get("IBW_CACHE") or "~/.cache/ibwire").expanduser() / "quality"
        where.mkdir(parents=True, exist_ok=True)
        for mark in where.iterdir():
            if mark.stat().st_mtime < time.time() - DAYS * 86400:
                mark.unlink()
        return where
    except (OSError, RuntimeError):  # nowhere to write, no home
        return None


def state(version, build, args, words, files):
    """A digest of all that a finding can come from, by paths that are the same in every clone."""
    def named(text):
        return text.replace(str(build), "BUILD").replace(str(ROOT), "ROOT").encode()

    parts = [version, content(ROOT / ".clang-tidy"), content(DECLARED), *map(named, [*args, "", *words])]
    parts += [part for file in files for part in (named(str(file)), content(file))]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).hexdigest()


def clang_tidy(look):
    return [*CLANG_TIDY, *LOOKS[look], *(["--extra-arg=-DIBW_NO_CODE"] if look in DECLARES else [])]


def arguments(tool, build, look, path, words):
    """The command that looks at one file."""
    if tool == "clang-tidy":
        return [*clang_tidy(look), "-p", str(commands_of(build)), str(path)]
    keep = [word for word in words if word.startswith(("-I", "-D"))]
    if look != "all":
        keep.append("-DIBW_NO_CODE")
    return [*CPPCHECK, *keep, str(path)]


def check(mark, args):
    """What the checker found in one file, or None; the mark says that it found nothing."""
    try:
        if mark and mark.exists():
            mark.touch()
            return None
    except OSError:
        pass
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        found = done.stdout + "".join(line for line in done.stderr.splitlines(keepends=True)
                                      if "generated" not in line)
        print(found, flush=True)
        return found or f"status {done.returncode}"
    try:
        if mark:
            mark.touch()
    except OSError:
        pass
    return None


def planted(tool, where, look):
    """What is planted in the directory @where, and not found by one look."""
    header = where / "include/ibwire/planted.h"
    path = where / f"planted-{look}.c"
    header.parent.mkdir(parents=True, exist_ok=True)
    if tool == "cppcheck":
        path.write_text("\n".join(CPPCHECK_PLANTED.values()))
        args, wanted = [*CPPCHECK, "--template={id}", str(path)], CPPCHECK_PLANTED
    else:
        everything = look.startswith("all")
        header.write_text("static inline " + "\n".join(IN_HEADER.values()))
        wanted = {**(BY_PATHS if look != "text" else {}), **(BY_TEXT if not look.startswith("paths") else {})}
        path.write_text("".join(f"#include <{name}>\n" for name in (
            "stdlib.h", "string.h", "ibwire/ibwire.h", "ibwire/planted.h")) + "\n".join(wanted.values()))
        wanted = {**wanted, **(IN_HEADER if everything else {})}
        args = [*clang_tidy(look), f"--config-file={ROOT}/.clang-tidy", str(path), "--", "-std=c11",
                f"-I{ROOT}/include", f"-I{where}/include"]
        if look == "declared":
            del wanted[NULL_HEADER]
    done = subprocess.run(args, capture_output=True, text=True, cwd=ROOT)
    return [what for what in wanted if done.returncode == 0 or what not in done.stdout + done.stderr]


def main():
    tool, build, rest = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    deep, asked = "--deep" in rest, {pathlib.Path(word).resolve() for word in rest if not word.startswith("--")}
    if not shutil.which(tool):
        print(f"{tool} is not there")
        return 77
    version = subprocess.run([tool, "--version"], capture_output=True).stdout
    files, compiled, where = commands(build), dependencies(build), marks()
    jobs = []  # (size, mark, command)
    if not all(path.exists() for path in asked):
        print("no such file:", *sorted(str(path) for path in asked if not path.exists()))
        return 1
    for path in sorted(asked - files.keys()):
        print(f"{path}: this build does not compile it")
    ways = {path: looks(tool, path, deep, path in asked) for path in (asked & files.keys() or files)}
    ways = {path: some for path, some in ways.items() if some}
    for path in ways if asked else chosen(ways.keys(), deep, "--whole" in rest):
        for look in ways[path]:
            words = files[path]
            args, sources = arguments(tool, build, look, path, words), compiled.get(words[words.index("-o") + 1])
            mark = where / state(version, build, args, words, sources) if where and sources else None
            jobs.append((path.stat().st_size, mark, args))
    with tempfile.TemporaryDirectory(prefix="ibwire-quality-") as tmp, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        every = sorted({look for some in ways.values() for look in some})
        missed = [f"{look}: {what}" for look, some in zip(every, pool.map(
            lambda look: planted(tool, pathlib.Path(tmp), look), every)) for what in some]
        if missed:
            print(f"{tool} does not find what is planted:", *missed, sep="\n")
            return 1
        marked = sum(mark is not None and mark.exists() for _, mark, _ in jobs)
        found = [one for one in pool.map(lambda job: check(*job[1:]), sorted(jobs, key=lambda job: -job[0])) if one]
    print(f"{tool}: {len(jobs)} looks, {marked} of them before, {len(found)} with findings")
    return 1 if found or not (ways or asked) else 0


if __name__ == "__main__":
    sys.exit(main())
