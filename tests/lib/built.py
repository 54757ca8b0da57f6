# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""built.py - the tests of a build, and what has to be built for one of them."""
import json
import pathlib
import re
import shlex
import subprocess

# What a test looks at next to what it is run with: cli has the man page from next to pcap-lint.
NEXT_TO = {"codec/ibwire-kheader": ["codec/ibwire-kheader.1"],
           "dissector/pcap-lint/pcap-lint": ["dissector/pcap-lint/pcap-lint.1"]}
# What writes a directory of files that a test is run with.
STAMPS = {"codec/man3": "codec/man3.stamp", "codec/reference": "reference", "fuzz/found": "fuzz/found.stamp",
          "fuzz/seeds": "fuzz/seeds.stamp", "pcaps": "pcaps/pcaps.stamp"}


def commands(where):
    """{test: its command} of a directory of a build and those below it, as CMake wrote them."""
    text, found = (pathlib.Path(where) / "CTestTestfile.cmake").read_text(), {}
    for name, words in re.findall(r"^add_test\(\[=\[(.+?)\]=\] (.*)\)$", text, re.M):
        found[name] = shlex.split(words)
    for below in re.findall(r'^subdirs\("(.*)"\)$', text, re.M):
        found |= commands(pathlib.Path(where) / below)
    return found


def tests(build, *options):
    """[{name, command, properties}] of a configured build, as ctest has them.

    Of a test whose program is not built yet ctest tells no command; CMake does.
    """
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *options],
                           capture_output=True, text=True, check=True).stdout
    known = commands(build)
    return [{"command": known[test["name"]], **test} for test in json.loads(shown)["tests"]]


def properties(test):
    return {p["name"]: p["value"] for p in test.get("properties", [])}


def labels(test):
    return properties(test).get("LABELS", [])


def stamp(target):
    """What ninja calls a target that is a directory, or lies in one that is written at once."""
    return next((made for name, made in STAMPS.items() if target == name or target.startswith(f"{name}/")), target)


def next_to(target):
    """What a test needs next to a target that it is run with."""
    library = re.match(r"(.+\.so)\.[\d.]+$", target)  # by that name, and by its soname, it is loaded
    return NEXT_TO.get(target, []) + ([library[1]] if library else [])


def targets(build, test):
    """What ninja has to build for a test: the files and directories of the build it is run with."""
    words = [pathlib.Path(word) for word in test["command"]]
    if build in words:
        return ["all"]
    given = [str(path.relative_to(build)) for path in words if build in path.parents]
    return given + [more for target in given for more in next_to(target)]
