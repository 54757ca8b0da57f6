#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tests_fail.py BUILD [--sample K/N] [--times] [TEST...]: every test of BUILD fails when there is nothing to be tested.

Each script is run with stand-ins for what it asks: with true and with false in place of every program
of the build it is given (a file that is no plugin in place of the plugin); with an empty directory in
place of each it is given; with compilers, checkers and tshark that do nothing and succeed, or fail; in
a tree whose captures are gone, and in one where all but tests/ is gone. Each program is run in a tree
of empty directories. One that still passes, or skips where tests/skips.txt does not let it, proves
nothing and is a fault, which ends the runs of that script. What passes for good reason is below.

--sample, or IBW_SAMPLE (tests/lib/sample.py): only a part of the tests, by their names, and those whose own files have
changed since this test passed whole (tests/passed.txt). --times: the seconds of each run. What it says of a fault ends with the command that repeats it.
tests_fail.py --self-test: this program itself, with tests of its own.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402
import since  # noqa: E402
import tools_asked

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT = 300
SKIPPED = 77
# {(test, how): why it may pass, and is not run}
GOOD = {
    ("arrows_self", "captures"): "it brings its own tree",
    ("arrows_self", "sources"): "it brings its own tree",
    ("planted_cm", "sources"): "it makes its captures by itself",
    ("cm_reused", "sources"): "it makes its captures by itself",
    ("planted_fabric", "sources"): "it makes its captures by itself",
    ("planted_subnet", "sources"): "it makes its captures by itself",
    ("healthy_sweeps", "sources"): "it makes its captures by itself",
    ("healthy_sweeps_large", "sources"): "it makes its captures by itself",
    ("stages", "captures"): "it makes its captures by itself",
    ("stages", "sources"): "it makes its captures by itself",
    ("build_random", "sources"): "it asks the program and tests/facts",
    ("build_random_many", "sources"): "it asks the program and tests/facts",
    ("cc_oracle", "sources"): "it asks the program only",
    ("checkpatch", "sources"): "it looks at what the program prints and at tests/codec/kernel",
    ("consumer", "sources"): "it looks at what is installed from the build",
    ("crc_alone", "nothing"): "it makes its data by itself",
    ("plain_mutated", "nothing"): "it makes its frames by itself",
    ("plain_mutated_all", "nothing"): "it makes its frames by itself",
    ("dev", "captures"): "it looks at dev only",
    ("dev", "sources"): "it runs dev, which stays",
    ("dev", "tools true"): "it brings stand-ins for tools",
    ("dev", "tools false"): "it brings stand-ins for tools",
    ("tests_fail_self", "tools true"): "it brings its own tests, and stand-ins for tools",
    ("tests_fail_self", "tools false"): "it brings its own tests, and stand-ins for tools",
    ("tests_fail_self", "captures"): "it brings its own tests",
    ("tests_fail_self", "sources"): "it brings its own tests",
    ("format", "sources"): "it looks at tests, too, which stay",
    ("kernel_example", "sources"): "it asks the program only",
    ("kheader_print", "sources"): "it asks the program and tests/facts",
    ("scripts", "captures"): "it looks at scripts only",
    ("scripts", "sources"): "it looks at tests, too, which stay",
    ("tshark_random", "captures"): "its packets are random",
}
# Tests whose directory is one to write to.
SCRATCH = {"checkpatch", "kernel", "kernel_vm", "ws_checkers"}
LEFT_OUT = {"tests_fail": "this one"}
NAMES_SOURCES = re.compile(r"\b(codec|dissector|fuzz|include|pcaps|ROOT|(?<!/)dev)\b")
PATH_LITERAL = re.compile(r'"(?:pcaps|tests|fuzz|include|dissector)/')


def tests_of(build):
    """[(name, command)] of all tests of a build."""
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                          capture_output=True, text=True).stdout
    return [(test["name"], test["command"]) for test in json.loads(text)["tests"]
            if test["name"] not in LEFT_OUT]


def is_script(command):
    return command[0].endswith((".py", ".sh"))


class Bench:
    """The stand-ins, and trees where something is gone, all in one temporary directory."""

    def __init__(self, tmp, build):
        self.tmp, self.build = tmp, build
        self.empty, self.plugin = tmp / "empty", tmp / "plugin.so"
        self.empty.mkdir()
        self.plugin.write_bytes(b"no plugin\n")
        self.log = tmp / "log"
        self.log.mkdir()
        for status, name in enumerate(("true", "false")):
            (tmp / name).mkdir()
            for tool in tools_asked.TOOLS:
                path = tmp / name / tool
                path.write_text(f'#!/bin/sh\n: >"$STAND_IN_LOG"\nexit {status}\n')
                path.chmod(0o755)
        self.captures = self.copy("captures", {"pcaps"})
        self.sources = self.copy("sources", {"codec", "dissector", "fuzz", "include", "pcaps"})
        self.nothing = self.copy("nothing", {"codec", "dissector", "fuzz", "include", "pcaps", "tests"})

    def copy(self, name, gone):
        """A copy of the tree, in which the directories of @gone hold no files."""
        tree = self.tmp / name
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"],
                               capture_output=True, text=True, check=False).stdout.splitlines()
        if not files:  # no git here
            files = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*")
                     if p.is_file() and p.relative_to(ROOT).parts[0] not in ("build", ".git")]
        for file in files:
            to = tree / file
            to.parent.mkdir(parents=True, exist_ok=True)
            stays = file.split("/")[0] not in gone or "fuzz" in gone and file.startswith("fuzz/") \
                and file.endswith((".py", ".sh"))
            if stays and (ROOT / file).exists():
                shutil.copy(ROOT / file, to)
        return tree

    def run(self, command, cwd=ROOT, path=None, log=None):
        """(status, output); a test that does not end has the status "never ends"."""
        env = dict(os.environ, LC_ALL="C.UTF-8")
        env.pop("IBW_SAMPLE", None)
        env.pop("IBW_PART", None)
        env["IBW_FIRST_FAULT"] = "1"
        if path:
            env |= {"PATH": f"{path}:{env['PATH']}", "STAND_IN_LOG": str(log)}
        kept = {"WIRESHARK_TOOLS": self.build / "tests/ws_checkers/tools",
                "CHECKPATCH": self.build / "tests/checkpatch/scripts/checkpatch.pl"}
        env |= {name: str(file) for name, file in kept.items() if file.exists()}
        process = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                                   start_new_session=True)
        try:
            out = process.communicate(timeout=TIMEOUT)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "never ends", ""
        return process.returncode, out

    def stand_in(self, word, name):
        """What takes the place of an argument, if it is a program of the build."""
        path = pathlib.Path(word)
        if not path.is_absolute() or not path.is_file() or not path.is_relative_to(self.build) \
                or not os.access(path, os.X_OK):
            return word
        return str(self.plugin) if ".so" in path.name else shutil.which(name)

    def scratch(self, test, how, word):
        """A directory to write to, if the argument is one."""
        if test not in SCRATCH or not pathlib.Path(word).is_relative_to(self.build / "tests"):
            return word
        path = self.tmp / "scratch" / f"{test}-{how}"
        path.mkdir(parents=True, exist_ok=True)
        return str(path)

    def without_directories(self, test, words):
        if test in SCRATCH:
            return words
        return [str(self.empty) if pathlib.Path(word).is_absolute() and pathlib.Path(word).is_dir()
                and pathlib.Path(word).is_relative_to(self.build) else word for word in words]


def moved(words, tree):
    """The command with what it has of our tree taken from another."""
    return [str(tree / pathlib.Path(word).relative_to(ROOT))
            if word.startswith(f"{ROOT}/") and not word.startswith(f"{ROOT}/build/") else word
            for word in words]


def script_runs(bench, test, words):
    """(how, what run() is to be called with, whether passing is a fault) for each way to run a script."""
    script, rest = words[0], words[1:]
    text = pathlib.Path(script).read_text()
    for name in ("true", "false"):
        asked = [bench.stand_in(word, name) for word in rest]
        if asked != rest:
            yield f"programs {name}", {"command": [script, *asked]}, True
    asked = bench.without_directories(test, rest)
    if asked != rest:
        yield "empty directory", {"command": [script, *asked]}, True
    for name in ("true", "false") if tools_asked.of_script(script) else ():
        log = bench.log / f"{test}-{name}"
        yield f"tools {name}", {"command": words, "path": bench.tmp / name, "log": log}, log
    without = [script, *asked]
    if re.search(r"\bpcaps\b", text):
        yield "captures", {"command": moved(without, bench.captures), "cwd": bench.captures}, True
    if NAMES_SOURCES.search(text):
        yield "sources", {"command": moved(without, bench.sources), "cwd": bench.sources}, True


def program_runs(bench, test, words):
    """Likewise of a program: one that reads files of the tree has to miss them."""
    source = next((ROOT / "tests").glob(f"*/{test}.c"), None)
    reads = not source or PATH_LITERAL.search(source.read_text()) or words[1:]
    asked = [words[0], *moved(bench.without_directories(test, words[1:]), bench.nothing)]
    yield "nothing", {"command": asked, "cwd": bench.nothing}, bool(reads)


def fault(bench, test, words, allowed):
    """({how: seconds}, what is wrong with a test or None); its runs end with the first fault."""
    took = {}
    for how, args, wrong in (script_runs if is_script(words) else program_runs)(bench, test, words):
        if (test, how) in GOOD:
            continue
        args["command"] = [bench.scratch(test, how.replace(" ", "-"), w) for w in args["command"]]
        start = time.monotonic()
        status, out = bench.run(**args)
        took[how] = time.monotonic() - start
        if isinstance(wrong, pathlib.Path):
            wrong = wrong.exists()  # it did ask the tool
        if wrong and (status in (0, "never ends") or status == SKIPPED and test not in allowed):
            return took, (f"{test}: {how}: { {0: 'passes', SKIPPED: 'skips'}.get(status, status)}:\n{out[-500:]}\n"
                          f"again: tests/tree/tests_fail.py {bench.build} {test}")
    return took, None


def check(build, tests, allowed):
    """[(test, {how: seconds}, what is wrong or None)]"""
    with tempfile.TemporaryDirectory(prefix="ibwire-fail-") as tmp:
        os.chmod(tmp, 0o755)
        bench = Bench(pathlib.Path(tmp), build)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda t: fault(bench, *t, allowed), tests)
            return [(name, *result) for (name, _), result in zip(tests, results)]


PASSES = '#!/usr/bin/env python3\n"""Asks make, gcc."""\nimport subprocess, sys\n'
PROGRAMS = ["programs true", "programs false"]
TOO = [*PROGRAMS, "tools true", "tools false"]
# {script: (its text, the runs it gets, whether they find a fault)}; each is given a program.
OWN = {
    "passes.py": (PASSES, PROGRAMS[:1], True),
    "fails.py": (f"{PASSES}# gcc\nmake = '/dev/null make/gcc no make'\nsys.exit(1)\n", PROGRAMS, False),
    "asks.py": (f"{PASSES}subprocess.run(['gcc'])\nsys.exit(1)\n", TOO, False),
    "passes_by_tool.py": (f"{PASSES}sys.exit(subprocess.run('gcc').returncode or sys.argv[1][-8:] != '/program')\n",
                          TOO[:3], True),
    "helper.py": (f"{PASSES}TOOLS = 'clang gcc'\ndef no():\n    'make'\n\ndef asks():\n    return TOOLS\n", [], False),
    "by_module.py": ("#!/usr/bin/env python3\nimport sys, helper\nhelper.asks()\nsys.exit(1)\n", TOO, False),
    "by_nothing.py": ("#!/usr/bin/env python3\nimport sys, helper\nhelper.no()\nsys.exit(1)\n", PROGRAMS, False),
    "says.sh": ("#!/bin/sh\n# gcc\nmake=tool/make >/dev/null\nexit 1 # gcc\n", PROGRAMS, False),
    "asks.sh": ("#!/bin/sh\nif ! gcc; then make; fi\nexit 1\n", TOO, False),
}


def self_test():
    """What is wrong with the runs that the scripts of OWN get, all of them."""
    found = []
    with tempfile.TemporaryDirectory(prefix="ibwire-fail-self-") as tmp:
        room, program = pathlib.Path(tmp, "tests/room"), pathlib.Path(tmp, "build/program")
        for path, text in [(program, "#!/bin/sh\n"), *((room / name, own[0]) for name, own in OWN.items())]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755)
        tests = [(name, [str(room / name), str(program)]) for name, own in OWN.items() if own[1]]
        for name, took, wrong in check(program.parent, tests, set()):
            if [*took] != OWN[name][1] or bool(wrong) != OWN[name][2]:
                found.append(f"{name}: {', '.join(took)}: {wrong}")
    print("\n".join([*found, f"{len(tests)} tests of its own, {len(found)} faults"]))
    return 1 if found else 0


def own_files(name, command):
    """The files of a test that say what it does."""
    return {str(pathlib.Path(word).relative_to(ROOT)) for word in command if word.startswith(f"{ROOT}/tests/")} \
        | {str(path.relative_to(ROOT)) for path in (ROOT / "tests").glob(f"*/{name}.c")}


def drawn(there):
    """The names of a sample; all of them without one."""
    changed = since.changed_paths(since.last_passed("release", "tests_fail"))
    if changed is None:
        return list(there)
    part = set(sample.rows(there))
    return [name for name, command in there.items() if name in part or own_files(name, command) & set(changed)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("only", nargs="*")
    parser.add_argument("--sample", metavar="K/N")
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    args = parser.parse_intermixed_args()
    if args.self_test:
        return self_test()
    if args.sample:
        os.environ["IBW_SAMPLE"] = args.sample
    there = dict(tests_of(args.build.resolve()))
    tests = [(name, there[name]) for name in (args.only or drawn(there))]
    allowed = {line.split("\t")[1] for line in (ROOT / "tests/skips.txt").read_text().splitlines()
               if line and not line.startswith("#")}
    results = check(args.build.resolve(), tests, allowed)
    runs = [(seconds, name, how) for name, took, _ in results for how, seconds in took.items()]
    for seconds, name, how in sorted(runs, reverse=True) if args.times else ():
        print(f"{seconds:8.1f} {name}: {how}")
    found = [wrong for _, _, wrong in results if wrong]
    found += [f"{name}: may pass, but there is no such test" for name, _ in GOOD if name not in there]
    print("\n".join(found + [f"{len(tests)} tests, {len(runs)} runs with nothing to test, {len(found)} faults"]))
    return 1 if found or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
