#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""patches.py BUILD WORK | text: what CONTRIBUTING.md says of adding things is true.

Each patch of tests/tree/patches adds a thing of one kind: a header, a packet rule, an event with a rule, a key in
JSON and a figure of --stats, a sink. All are applied to a copy of the tree in WORK; what the patches and their
tests run is built there, and the plugin, which has to take everything in by itself. None may touch more than
FILES files in addition to its captures, its line in the catalogue and what `./dev accept` writes of it; what it adds is
seen in the copy and not in BUILD, and the tests named at its top pass there. Then so do all quick tests of ROOMS: what
holds every header, rule, event and sink holds those of the patches, too.

With "text": of that only what needs no build, the tests TEXT in the copy.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATCHES = sorted((ROOT / "tests/tree/patches").glob("*.patch"))
KINDS = {"event", "header", "rule", "sink"}
FILES = 5
SKIPPED = 77  # where clang-format is of another release
# What a packet looks like, made or captured, what `./dev accept` writes of it, and the line of a rule in the catalogue.
CAPTURES = re.compile(r"^(pcaps/|tests/data/(vectors\.txt|(stream-)?rules\.csv|numbers\.csv|rule_texts\.txt)$"
                      r"|dissector/pcap-lint/command/examples\.def$|dissector/lint/rules/\w+/\w+\.md$)")
ROOMS = ["codec", "lint", "tree"]
# Tests of these that are left out here.
NOT_HERE = {"consumer": "it installs all of a build", "patches_text": "it is this one", "tests_fail": "it runs each again"}
# {test: how it is called}, of the text alone.
TEXT = {"arrows": ["arrows.py"], "english": ["english.py"], "format": ["format.sh"], "numbers": ["numbers.py"]}
PLUGIN = "dissector/wireshark/ibwire.so"
LEFT_OUT = {"build", ".git"}
OPTIONS = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DIBW_LINT=ON", "-DIBW_CHECKS=ON"]


def touched(text):
    return re.findall(r"^diff --git a/\S+ b/(\S+)$", text, re.M)


def head(text, word):
    """What is after "word:" in the lines before the diff."""
    return re.findall(rf"^{word}: (.*)$", text.partition("\ndiff --git ")[0], re.M)


def run(command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)


def shows(build, line):
    """Whether a command of "Shows: PROGRAM ARGUMENT... => TEXT" prints the text."""
    command, _, text = line.partition(" => ")
    words = command.replace("MADE", str(build / "pcaps")).split()
    return text in run([build / words[0], *words[1:]], cwd=ROOT).stdout


def apply(copy, text, *options):
    done = run(["git", "apply", "--whitespace=error", *options, "-"], cwd=copy, input=text,
               env={**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.parent)})
    return [] if done.returncode == 0 else [f"does not apply: {done.stderr.strip()}"]


def copy_tree(copy):
    def left_out(where, names):
        return (LEFT_OUT if pathlib.Path(where) == ROOT else {"__pycache__"}) & set(names)

    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT, copy, ignore=left_out)


def asked(text):
    """The names of the tests of a patch."""
    return " ".join(head(text, "Tests")).split()


def targets(build, texts):
    """What has to be built: what the patches and their tests run, the man pages, the captures, the plugin."""
    tests = json.loads(run(["ctest", "--test-dir", build, "--show-only=json-v1"]).stdout)["tests"]
    wanted = {name for text in texts for name in asked(text)}
    words = [word for test in tests if test["name"] in wanted for word in test.get("command", [])]
    shown = [build / line.split()[0] for text in texts for line in head(text, "Shows")]
    files = [path for path in [build / PLUGIN, *shown, *map(pathlib.Path, words)] if path.is_file()]
    return {"pcaps", "dissector/pcap-lint/all", "ibwire-kheader-man-page",
            *(str(path.relative_to(build)) for path in files if path.is_relative_to(build))}


def made(copy, build, wanted):
    """Configures the copy and builds what is wanted of it; what went wrong."""
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    for command in (["cmake", "-S", copy, "-B", build, *OPTIONS, *launcher],
                    ["cmake", "--build", build, "-j", os.cpu_count(), "-t", *sorted(wanted)]):
        done = run(command)
        if done.returncode:
            return [(done.stdout + done.stderr)[-3000:]]
    return []


def failing(copy, build, tests):
    """{test that does not pass: what it said}"""
    found = {}
    for test in tests:
        done = run(["ctest", "--test-dir", build, "-R", f"^{test}$", "--output-on-failure"], cwd=copy)
        if done.returncode or "100% tests passed, 0 tests failed out of 1" not in done.stdout \
                or "Skipped" in done.stdout:
            found[test] = (done.stdout + done.stderr)[-2000:]
    return found


def rooms_failing(copy, build):
    """Of the quick tests of ROOMS: {test that does not pass: what it said}; how many there are."""
    tests = {room: [test for test in built.tests(build / "tests" / room, "-L", "quick") if test["name"] not in NOT_HERE]
             for room in ROOMS}
    wanted = {built.stamp(target) for room in ROOMS for test in tests[room] for target in built.targets(build, test)}
    wanted.discard("all")  # of tiers, which reads the list of the tests and no more
    if not wanted or not all(tests.values()):
        return {"ctest": "no tests of a room"}, 0
    done = run(["cmake", "--build", build, "-j", os.cpu_count(), "-t", *sorted(wanted)])
    if done.returncode:
        return {"the build": (done.stdout + done.stderr)[-3000:]}, 0
    found = {}
    for room in ROOMS:
        names = "|".join(test["name"] for test in tests[room])
        done = run(["ctest", "--test-dir", build / "tests" / room, "-R", f"^({names})$", "-j", os.cpu_count()], cwd=copy)
        if f"100% tests passed, 0 tests failed out of {len(tests[room])}" not in done.stdout:
            listed = done.stdout.partition("following tests FAILED")[2]
            failed = re.findall(r"^\s*\d+ - (\w+) \((?!Skipped)", listed, re.M)
            found |= failing(copy, build, failed) or {room: done.stdout[-2000:]}
    return found, sum(map(len, tests.values()))


def text_faults(texts):
    """What the tests of the text say of a copy with all patches."""
    with tempfile.TemporaryDirectory() as work:
        copy = pathlib.Path(work).resolve() / "src"
        copy_tree(copy)
        for name, text in texts.items():
            yield from (f"{name}: {fault}" for fault in apply(copy, text))
        for test, words in TEXT.items():
            done = run([copy / "tests/tree" / words[0], *words[1:]], cwd=copy)
            if done.returncode not in (0, SKIPPED):
                yield f"{test} fails with all patches\n{(done.stdout + done.stderr)[-2000:]}"


def faults_before(name, text, build):
    files = [path for path in touched(text) if not CAPTURES.match(path)]
    if len(files) > FILES:
        yield f"{name}: touches {len(files)} files in addition to its captures: {' '.join(files)}"
    if not head(text, "Shows") or not head(text, "Tests"):
        yield f"{name}: does not say what it shows, or which tests it has"
    for line in head(text, "Shows"):
        if not (build / line.split()[0]).exists():
            yield f"{name}: not built: {build / line.split()[0]}"
        elif shows(build, line):
            yield f"{name}: seen without it, too: {line}"


def faults_after(name, text, copy, copy_build):
    yield from (f"{name}: not seen: {line}" for line in head(text, "Shows") if not shows(copy_build, line))
    for test, said in failing(copy, copy_build, asked(text)).items():
        yield f"{name}: {test} fails\n{said}"


def main():
    texts, rooms = {path.stem: path.read_text() for path in PATCHES}, 0
    faults = [f"no patch adds a thing of the kind {kind}" for kind in sorted(KINDS - texts.keys())]
    if sys.argv[1:] == ["text"]:
        faults += text_faults(texts)
        print("\n".join(faults + [f"{len(texts)} patches, {len(TEXT)} tests of the text, {len(faults)} faults"]))
        return 1 if faults else 0
    build, work = (pathlib.Path(arg).resolve() for arg in sys.argv[1:])
    copy, copy_build = work / "src", work / "build"
    for name, text in texts.items():
        faults += faults_before(name, text, build)
    if not faults:
        copy_tree(copy)
        for name, text in texts.items():
            faults += [f"{name}: {fault}" for fault in apply(copy, text)]
    if not faults:
        faults += made(copy, copy_build, targets(build, texts.values()))
    if not faults:
        for name, text in texts.items():
            faults += faults_after(name, text, copy, copy_build)
        failed, rooms = rooms_failing(copy, copy_build)
        faults += [f"{test} fails with all patches\n{said}" for test, said in failed.items()]
    print("\n".join(faults + [f"{len(texts)} patches, {rooms} tests of {', '.join(ROOMS)}, {len(faults)} faults"]))
    return 1 if faults or not rooms else 0


if __name__ == "__main__":
    sys.exit(main())
