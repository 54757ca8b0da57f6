#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""mutants.py [named [WORD]|listed|tables|DIR|FILE]... [OPTION...]: are faults in the sources noticed?

Plants one fault at a time in a copy of the tree, builds it and runs the quick tests until one fails:
those first that took least time when nothing was wrong, and only those that use something the fault
has changed.

DIR or FILE  30 places each (--count), drawn by --seed, changed as mutants_c.py says; without
             any: codec, dissector/lint, dissector/pcap-lint, dissector/wireshark
             --without REGEX leaves tests out, to be quicker; --only REGEX tries again
             those of the places drawn in whose line of the last result it is found
named        the faults of mutants_named.txt; with a word, those whose title contains it
listed       nothing is planted: whether each fault of mutants_named.txt still fits the sources
tables       60 of what tables_mutants.py changes in the built tables, here in the sources

The copy and the result, a line a mutant, are in build/mutants. What became of each is in its
results.json: the next run asks the test first that noticed it before. What needs no test since it changes
nothing a user sees is in mutants_equal.txt with its reason. The figures of the last run for all
are in mutants.md.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built  # noqa: E402
import mutants_c
import tables_source

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/mutants"
COPY, BUILD = WORK / "src", WORK / "build"
DIRS = ["codec", "dissector/lint", "dissector/pcap-lint", "dissector/wireshark"]
# They hold the text of the sources against something, which any change would show.
TEXT = {"arrows", "arrows_self", "dev", "exports", "format", "headers", "instructions", "refuse", "scripts",
        "tables_mutants", "ws_checkers"}
LEAST = 90  # percent of a directory
OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -Werror=int-conversion "
           "-Werror=incompatible-pointer-types -Werror=aggressive-loop-optimizations", "-DIBW_LINT=ON",
           "-DIBW_WIRESHARK=ON", "-DIBW_ISAL=ON"]

Mutant = collections.namedtuple("Mutant", "title edits")  # edits: {path: text}
Result = collections.namedtuple("Result", "verdict by seconds")


def copy_tree():
    """The files git knows, and those it would take in, as they are here."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"],
                            capture_output=True, text=True, check=True).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for path in [p for p in COPY.rglob("*") if p.is_file()]:
        if str(path.relative_to(COPY)) not in wanted and ".git" not in path.parts:
            path.unlink()
    for name in wanted:
        here, there = ROOT / name, COPY / name
        if not there.exists() or there.read_bytes() != here.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(here, there)
            shutil.copymode(here, there)


class Build:
    """The copy, of which @targets are built, and its tests."""

    def __init__(self, jobs, targets):
        self.jobs = jobs
        copy_tree()
        self.log = WORK / "build.log"
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        self.make(["cmake", "-S", COPY, "-B", BUILD, *OPTIONS, *launcher]) or sys.exit(f"see {self.log}")
        self.make(targets=targets) or sys.exit(f"see {self.log}")
        self.tests, self.seconds = self.quick_tests(), {}
        self.kept = WORK / "results.json"  # {title: [verdict, test]}
        self.results = json.loads(self.kept.read_text()) if self.kept.exists() else {}
        self.right = {}

    def make(self, command=None, targets=("all",)):
        files = [built.stamp(target) for target in targets]
        with open(self.log, "w", encoding="utf-8") as log:
            status = subprocess.run(command or ["cmake", "--build", BUILD, "-j", str(self.jobs), "-t", *files],
                                    stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                    check=False).returncode
        if "unknown target" in self.log.read_text(encoding="utf-8"):
            sys.exit(f"{' '.join(files)}: not built by that name")  # else every fault would be refused
        return status == 0

    def targets(self, name):
        """What has to be built for a test: the files and directories of the build it is run with."""
        return built.targets(BUILD, self.tests[name])

    def used(self, name):
        """{file: hash} of what a test is run with; of a whole build, its libraries and programs."""
        files = []
        for target in self.targets(name):
            path = BUILD / target
            files += [f for d in ("codec", "dissector/pcap-lint") for f in (BUILD / d).iterdir()] \
                if target == "all" else path.iterdir() if path.is_dir() else [path]
        return {f: hashlib.sha1(f.read_bytes()).digest() for f in files if f.is_file()}

    def quick_tests(self):
        return {t["name"]: t for t in built.tests(BUILD, "-L", "^quick$") if t["name"] not in TEXT}

    def run(self, name, most=None):
        """Whether a test passes (or is skipped)."""
        properties = built.properties(self.tests[name])
        start = time.monotonic()
        process = subprocess.Popen(self.tests[name]["command"], cwd=properties["WORKING_DIRECTORY"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            status = process.wait(most or float(properties.get("TIMEOUT", 300)))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = -1
        return status in (0, 77), time.monotonic() - start

    def measure(self):
        """What each test takes, and is run with, when nothing is wrong; one that fails then is left out."""
        kept = WORK / "seconds.json"
        known = json.loads(kept.read_text()) if kept.exists() else {}
        for name in list(self.tests):
            if name not in known:
                passed, known[name] = self.run(name)
                if not passed:
                    print(f"{name} fails with nothing wrong, and is left out", flush=True)
                    del known[name], self.tests[name]
        kept.write_text(json.dumps(known))
        self.seconds = known
        self.right = {name: self.used(name) for name in self.tests}

    def order(self, mutant):
        """The tests: the one that noticed it before, then as they are fast."""
        before = self.last(mutant)[1]
        return sorted(self.tests, key=lambda name: (name != before, self.seconds[name]))

    def last(self, mutant):
        return self.results.get(without_line(mutant.title), ["", ""])

    def kill(self, mutant):
        result = self.try_tests(mutant)
        self.results[without_line(mutant.title)] = [result.verdict, result.by]
        self.kept.write_text(json.dumps(self.results, indent=1))
        return result

    def try_tests(self, mutant):
        start = time.monotonic()
        texts = {path: (COPY / path).read_text() for path in mutant.edits}
        try:
            for path, text in mutant.edits.items():
                (COPY / path).write_text(text)
            same = True
            for name in self.order(mutant):
                if self.targets(name) and not self.make(targets=self.targets(name)):
                    return Result("refused", "the compiler", time.monotonic() - start)
                if self.used(name) == self.right[name]:
                    continue
                same = False
                if not self.run(name, max(60, 10 * self.seconds[name]))[0]:
                    return Result("killed", name, time.monotonic() - start)
            verdict = ("same", "no program changed") if same else ("survived", "-")
            return Result(*verdict, time.monotonic() - start)
        finally:
            for path, text in texts.items():
                (COPY / path).write_text(text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def drawn(where, seed):
    """Mutants of a directory or file without end: an operator at random, then a place."""
    accessors = mutants_c.Accessors(COPY / "include/ibwire/schema")
    path = COPY / where
    files = sorted(path.rglob("*.c")) if path.is_dir() else [path]
    places = collections.defaultdict(list)
    texts = {}
    for file in files:
        name = str(file.relative_to(COPY))
        texts[name] = file.read_text()
        for operator, found in mutants_c.changes(name, texts[name], accessors).items():
            places[operator] += found
    rng = random.Random(f"{seed} {where}")
    while any(places.values()):
        operator = rng.choice(sorted(name for name, found in places.items() if found))
        c = places[operator].pop(rng.randrange(len(places[operator])))
        places[operator] = [p for p in places[operator] if (p.path, p.at) != (c.path, c.at)]
        text = texts[c.path]
        now = text[:c.at] + c.now + text[c.end:]
        start, stop = text.rfind("\n", 0, c.at) + 1, text.find("\n", c.end)
        was, said = (" ".join(t.split()) for t in (text[start:stop], now[start:stop + len(now) - len(text)]))
        yield Mutant(f"{c.path}:{line_of(text, c.at)}: {c.operator}: {was} => {said}", {c.path: now})


def file_called(name, tree):
    """The one file whose path ends so, wherever it has moved to."""
    if (tree / name).exists():
        return name
    found = [p for p in tree.rglob(pathlib.Path(name).name) if str(p).endswith("/" + name)
             and p.relative_to(tree).parts[0] != "build"]
    return str(found[0].relative_to(tree)) if len(found) == 1 else None


def named(tree=COPY):
    """[(title, mutant, or None and what is wrong)] of mutants_named.txt, for the sources in @tree."""
    made = []
    for block in re.split(r"^\[", (HERE / "mutants_named.txt").read_text(), flags=re.M)[1:]:
        title, _, rest = block.partition("]\n")
        edits, wrong = {}, None
        for name, was, now in re.findall(r"^(?![-+#])(\S.*)\n((?:-.*\n)+)((?:\+.*\n)*)", rest, re.M):
            path = file_called(name, tree)
            text = edits.get(path) or (tree / path).read_text() if path else ""
            was, now = ("\n".join(line[1:] for line in lines.splitlines()) for lines in (was, now))
            if text.count(was) != 1:
                wrong = f"{name}: {'no such file' if not path else 'not once'}: {was.splitlines()[0].strip()}"
                break
            edits[path] = text.replace(was, now)
        made.append((title, Mutant(title, edits), wrong))
    return made


def equal_listed():
    lines = (HERE / "mutants_equal.txt").read_text().splitlines()
    return {line.partition(" -- ")[0] for line in lines if line and not line.startswith("#")}


def without_line(title):
    return re.sub(r":\d+:", ":", title, count=1)


class Log:
    def __init__(self, name):
        self.out = open(WORK / f"{name}.txt", "w", encoding="utf-8")

    def say(self, line):
        print(line, flush=True)
        print(line, file=self.out, flush=True)


def try_places(build, where, seed, count, only):
    log = Log(where.replace("/", "-"))
    equal, verdicts, left_out = equal_listed(), collections.Counter(), collections.Counter()
    log.say(f"{where}: seed {seed}")
    for mutant in drawn(where, seed):
        if sum(verdicts.values()) == count:
            break
        if without_line(mutant.title) in equal:
            left_out["equal"] += 1
            continue
        last = build.last(mutant)
        if not re.search(only, " ".join([*last, mutant.title])):
            (left_out if last[0] in ("refused", "same") else verdicts)[last[0]] += 1
            continue
        result = build.kill(mutant)
        if result.verdict in ("refused", "same"):
            left_out[result.verdict] += 1
            continue
        verdicts[result.verdict] += 1
        log.say(f"{result.verdict} {result.by} {result.seconds:.0f} s  {mutant.title}")
    total = sum(verdicts.values())
    log.say(f"{where}: {verdicts['killed']} of {total} killed; besides, not compiled {left_out['refused']}, "
            f"same programs {left_out['same']}, of no effect {left_out['equal']}")
    return total and 100 * verdicts["killed"] >= LEAST * total


def try_named(build, word):
    log, good = Log("named"), True
    for title, mutant, wrong in named():
        if word not in title:
            continue
        result = Result("not planted", wrong, 0) if wrong else build.kill(mutant)
        good &= result.verdict in ("killed", "refused")
        log.say(f"{result.verdict} {result.by} {result.seconds:.0f} s  {title}")
    return good


def listed():
    """Whether each fault of mutants_named.txt can still be planted."""
    faults = named(ROOT)
    for title, _, wrong in faults:
        if wrong:
            print(f"{title}: {wrong}")
    stale = sum(bool(wrong) for *_, wrong in faults)
    print(f"{len(faults)} faults, {stale} of them fit the sources no more")
    return 1 if stale or not faults else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("where", nargs="*", default=DIRS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int)
    parser.add_argument("--without", default="^$", help="tests to leave out, a regular expression")
    parser.add_argument("--only", default="", help="places to try again, a regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if args.where == ["listed"]:
        return listed()
    only_tables = args.where == ["tables"]  # of which no more is built than they need
    build = Build(args.jobs, tables_source.TARGETS if only_tables else ["all"])
    for name in [name for name in build.tests if re.search(args.without, name)]:
        del build.tests[name]
    if not only_tables:
        build.measure()
    good, words = True, list(args.where)
    while words:
        where = words.pop(0)
        if where == "named":
            good &= try_named(build, words.pop(0) if words else "")
        elif where == "tables":
            good &= tables_source.try_rows(build, COPY, BUILD, Log("tables"), args.seed, args.count or 60)
        elif (COPY / where).exists():
            good &= try_places(build, where.rstrip("/"), args.seed, args.count or 30, args.only)
        else:
            sys.exit(f"{where}: no such directory or file")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
