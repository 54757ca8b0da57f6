#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""choose.py WHAT BUILD [WORD...]: which tests of a build `./dev test` runs, a name a line.

named NAME...   those that are called so; status 1 and what is near, if one is not
needs NAME...   what ninja has to build for them
drawn K/N       deep tests that `./dev test ci` runs whole, because they cannot be divided: of those whose
                READS have changed since they passed (tests/passed.txt, or else tests/deep.md) the K-th of N
                parts, by their names
fitting SECONDS NAME...  of these the shortest, by tests/costs.txt, that take no more seconds of a core together
settled         tests that ask about the code of some paths alone (WHEN of ibw_test.cmake), of which nothing has changed
                since all was checked (tests/deep.md)
sampled         deep tests that take a sample by themselves (tests/lib/sample.py), if their READS have changed
changed REV     what the change since a revision touches: the quick tests of its rooms and of the rooms that
                look at these, the tests whose own files it changes, and those of the text of the tree
tools NAME...   those of them that need tools of npm, which `./dev test ci` does not have
accepts         tests that write what they compare with, if asked to
accept NAME     asks that test
files REV       the C files that it changes, or whose header it changes, for clang-tidy and cppcheck

choose.py costs DIRECTORY   writes tests/costs.txt from the results of all builds in it
choose.py passed DIRECTORY COMMIT   notes in tests/passed.txt the deep tests of standard input, "SECONDS BUILD NAME" a line

A revision that git does not know, or no git, means that all has changed.
"""
import difflib
import pathlib
import subprocess
import sys
import xml.etree.ElementTree
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built
from since import changed_code, changed_paths, last_checked, last_passed, note_passed, sources_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
COSTS = ROOT / "tests/costs.txt"
UNKNOWN = 60  # seconds of a test that is not in it
COSTS_HEAD = """# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Seconds that a test of a build took: `./dev accept costs` writes this after a run. The longest start first.
# BUILD-sample is what a test took in the part that `./dev test ci` runs of it.
"""
# {part of the tree: the rooms of tests that look at it}; the first that a path begins with
ROOMS = {
    "include/": ["codec", "tree"],
    "codec/": ["codec"],
    "fuzz/": ["fuzz"],
    "pcaps/": ["track", "lint", "oracles"],
    "dissector/capture/": ["capture", "pcap-lint"],
    "dissector/track/": ["track", "lint", "oracles"],
    "dissector/lint/": ["lint", "pcap-lint"],
    "dissector/pcap-lint/": ["pcap-lint", "lint", "oracles"],
    "dissector/wireshark/": ["wireshark"],
    "tests/data/": ["lint", "pcap-lint", "tree", "wireshark"],
    "tests/facts/": ["codec"],
    "tests/examples/": ["tree"],
}
# Whatever changes, the text of the tree is looked at.
ALWAYS = {"arrows", "english", "format", "numbers", "scripts", "mutants_listed", "tiers", "patches_text", "goldens"}
DOCUMENTS = {"readme", "explain", "english", "examples"}


def labelled(test, what):
    """The paths that its labels WHAT=PATH name."""
    return [label.removeprefix(f"{what}=") for label in built.labels(test) if label.startswith(f"{what}=")]


def any_below(paths, places):
    return any(path == at or path.startswith(f"{at}/") for path in paths for at in places)


def is_script(test, paths):
    """Whether one of the paths is a file that it is called with."""
    return any(word.endswith(f"/{path}") for word in test["command"] for path in paths)


def touches(test, paths):
    """Whether a test reads one of the paths, by its labels."""
    reads = labelled(test, "reads")
    return paths is None or not reads or any_below(paths, reads)


def deep_tests(build, tests):
    """The deep tests for which something has changed since they passed, and for which all is there."""
    changes = {}
    for test in tests:
        commit = last_passed(build.name, test["name"])
        if "deep" in built.labels(test) and "tools" not in built.labels(test):
            if commit not in changes:
                changes[commit] = changed_paths(commit)
            if touches(test, changes[commit]):
                yield test


def drawn(build, tests, part):
    at, of = map(int, part.split("/"))
    return [test["name"] for test in deep_tests(build, tests) if "sampled" not in built.labels(test)
            and zlib.crc32(f"{build.name} {test['name']}".encode()) % of == at]


def fitting(build, tests, seconds, *names):
    """What is left out is said on standard error, which dev shows."""
    costs, left, chosen = costs_listed(), float(seconds), []
    cores = {test["name"]: int(built.properties(test).get("PROCESSORS", 1)) for test in tests}

    def cost_of(name):
        return cores[name] * costs.get((f"{build.name}-sample", name), costs.get((build.name, name), UNKNOWN))

    for cost, name in sorted((cost_of(name), name) for name in names):
        left -= cost
        if left >= 0:
            chosen.append(name)
        else:
            print(f"	no time for {name} of {build.name}, {cost:g} s", file=sys.stderr)
    return chosen


def settled(_, tests):
    """Where nobody can tell what has changed, none is."""
    asking = {test["name"]: test for test in tests if labelled(test, "when")}
    code = changed_code(last_checked()) if asking else None
    if code is None:
        return []
    return [name for name, test in asking.items()
            if not is_script(test, code) and not any_below(code, labelled(test, "when"))]


def sampled(build, tests):
    return [test["name"] for test in deep_tests(build, tests) if "sampled" in built.labels(test)]


def rooms_of(path):
    for start, rooms in ROOMS.items():
        if path.startswith(start):
            return [room if room == "fuzz" else f"tests/{room}" for room in rooms]
    return []


def changed(_, tests, since):
    paths = changed_paths(since)
    if paths is None:
        raise SystemExit(f"git does not know {since}")
    rooms = {room for path in paths for room in rooms_of(path)}
    everything = any(path.startswith("tests/lib/") or path.endswith("ibw_test.cmake") for path in paths)
    names = []
    for test in tests:
        labels = built.labels(test)
        room = next((label[5:] for label in labels if label.startswith("room=")), None)
        own = is_script(test, paths)
        source = any(pathlib.PurePath(path).stem == test["name"] and path.startswith(f"{room}/") for path in paths)
        # A room's own files: what its tests share.
        shared = any(path.startswith(f"{room}/") and path.endswith((".py", ".h")) for path in paths) and "quick" in labels
        if own or source or test["name"] in ALWAYS or "quick" in labels and (everything or room in rooms or shared) \
                or test["name"] in DOCUMENTS and any(path.endswith(".md") for path in paths) \
                or test["name"] == "dev" and any(path in ("dev", ".ci/run") for path in paths):
            names.append(test["name"])
    return names


def files(_, __, since):
    return sources_of(changed_paths(since) or [])


def named(_, tests, *names):
    known = [test["name"] for test in tests]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.5)
            print(f"no test {name}" + (f"; near: {' '.join(near)}" if near else ""), file=sys.stderr)
            raise SystemExit(1)
    return names


def needs(build, tests, *names):
    done = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    known = {line.rpartition(": ")[0] for line in done.stdout.splitlines()}
    wanted = {built.stamp(target) for test in tests if test["name"] in names for target in built.targets(build, test)}
    return sorted(wanted & (known | {"all"}))


def tools(_, tests, *names):
    return [test["name"] for test in tests if test["name"] in names and "tools" in built.labels(test)]


def accepts(_, tests):
    return [test["name"] for test in tests if "accepts" in built.labels(test)]


def accept(_, tests, name):
    command = next(test["command"] for test in tests if test["name"] == name)
    raise SystemExit(subprocess.run([*command, "--update"], cwd=ROOT, check=False).returncode)


def measured(build):
    """{(preset, test): seconds} of the last results; those of a part are PRESET-sample's."""
    found = {}
    for path in sorted(build.glob("*-*.xml"), key=lambda p: p.stat().st_mtime):
        preset, _, run = path.stem.partition("-")
        preset += "-sample" if run == "sample" else ""
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            if case.get("status") == "run":
                found[preset, case.get("name")] = float(case.get("time"))
    return found


def costs_listed():
    """{(build, test): seconds} of COSTS."""
    return {tuple(line.split("\t")[:2]): float(line.split("\t")[2])
            for line in COSTS.read_text().splitlines() if not line.startswith("#")}


def note(directory, commit):
    """The deep tests that have just passed, of all that were run."""
    ran = [line.split()[1:3] for line in sys.stdin]
    deep = {name: {test["name"] for test in built.tests(directory / name) if "deep" in built.labels(test)}
            for name in {name for name, _ in ran}}
    note_passed(commit, [(name, test) for name, test in ran if test in deep[name]])


def write_costs(build):
    """Tests of a second and more; what has changed by less than a third stays as it was."""
    old = costs_listed()
    new = dict(old)
    for test, seconds in measured(build).items():
        new.pop(test, None)
        if seconds >= 1:
            was = old.get(test, 0)
            new[test] = was if was * 2 / 3 < seconds < was * 4 / 3 else round(seconds)
    COSTS.write_text(COSTS_HEAD + "".join(f"{preset}\t{name}\t{seconds:g}\n"
                                          for (preset, name), seconds in sorted(new.items())))


def main():
    what, build, *words = sys.argv[1:]
    build = pathlib.Path(build).resolve()
    if what == "costs":
        write_costs(build)
        return
    if what == "passed":
        note(build, *words)
        return
    chosen = {"named": named, "needs": needs, "drawn": drawn, "fitting": fitting, "sampled": sampled, "settled": settled, "changed": changed,
              "files": files, "tools": tools, "accepts": accepts, "accept": accept}[what](build, built.tests(build), *words)
    for name in chosen:  # of none nothing is printed, not an empty line, which would be a name
        print(name)


if __name__ == "__main__":
    main()
