#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tiers.py BUILD NAME: tests/deep.md names the deep tests of a build, and no others.

The commit it says is of this history, where there is one. choose.py is tried on builds made up here: what a
change touches, what a sample draws, and that a name nobody knows is refused.
"""
import contextlib
import io
import pathlib
import re
import subprocess
import sys
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built  # noqa: E402
import choose

ROW = re.compile(r"^\| (`[^|]*`) \| ([a-z0-9 ]+) \| [^|]+ \|$", re.M)


def listed(text, name):
    return {test for tests, builds in ROW.findall(text) if name in builds.split() for test in re.findall(r"`(\w+)`", tests)}


def made_up(name, *labels, command=()):
    return {"name": name, "command": ["/x/tests/lint/" + name, *command],
            "properties": [{"name": "LABELS", "value": list(labels)}]}


TESTS = [
    made_up("alone", "deep", "sampled", "room=tests/lint", "reads=dissector/lint"),
    made_up("vm", "deep", "room=tests/codec", "reads=codec"),
    made_up("whole", "deep", "room=tests/tree"),
    made_up("rules", "quick", "room=tests/lint"),
    made_up("crc", "quick", "room=tests/codec"),
    made_up("other.py", "quick", "room=tests/capture"),
    made_up("format", "quick", "room=tests/tree"),
    made_up("readme", "quick", "room=tests/tree"),
]


def tried():
    """(what, what choose.py says, what is right)"""
    changes = {}
    choose.changed_paths = lambda since: changes[since]

    def told(paths):
        changes["then"] = paths
        return choose.changed(None, TESTS, "then")

    def deep(paths):
        changes.update(dict.fromkeys([choose.LAST.search(choose.DEEP.read_text())[1], None], paths))
        return [test["name"] for test in choose.deep_tests(TESTS)]

    yield "a rule changed", told(["dissector/lint/bth.c"]), ["rules", "format"]
    yield "the codec changed", told(["codec/crc32.c"]), ["crc", "format"]
    yield "a test's own file changed", told(["tests/lint/other.py"]), ["rules", "other.py", "format"]
    yield "a document changed", told(["README.md"]), ["format", "readme"]
    yield "what all tests share changed", told(["tests/lib/ws.py"]), ["rules", "crc", "other.py", "format", "readme"]
    yield "deep, of a rule", deep(["dissector/lint/bth.c"]), ["alone", "whole"]
    yield "deep, of the codec", deep(["codec/crc32.c"]), ["vm", "whole"]
    yield "deep, where git knows nothing", deep(None), ["alone", "vm", "whole"]
    yield "deep, sampled", choose.sampled(None, TESTS), ["alone"]
    parts = [choose.drawn(pathlib.Path("release"), TESTS, f"{k}/8") for k in range(8)]
    yield "deep, each in one part", sorted(sum(parts, [])), ["vm", "whole"]
    yield "none chosen", printed("needs", []), ""
    yield "one chosen", printed("needs", ["rules"]), "rules\n"


def printed(what, names):
    """What the program prints for these names: a line each, so that none is no line."""
    out = io.StringIO()
    with mock.patch.object(choose, what, lambda *_: names), mock.patch.object(built, "tests", lambda _: TESTS), \
            mock.patch.object(sys, "argv", ["choose.py", what, "build/release"]), contextlib.redirect_stdout(out):
        choose.main()
    return out.getvalue()


def refused():
    try:
        choose.named(None, TESTS, "alone", "rulez")
    except SystemExit:
        return True
    return False


def main():
    build, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    text = choose.DEEP.read_text()
    deep = {test["name"] for test in built.tests(build) if "deep" in built.labels(test)}
    faults = [f"{test}: deep in {name}, but not in tests/deep.md" for test in sorted(deep - listed(text, name))]
    faults += [f"{test}: in tests/deep.md, but not deep in {name}" for test in sorted(listed(text, name) - deep)]
    last = choose.LAST.search(text)
    if not last:
        faults.append("tests/deep.md does not say at which commit all passed")
    elif choose.git("rev-parse", "HEAD") and not (choose.ROOT / ".git/shallow").exists() and subprocess.run(
            ["git", "-C", choose.ROOT, "merge-base", "--is-ancestor", last[1], "HEAD"], check=False,
            stderr=subprocess.DEVNULL).returncode:
        faults.append(f"tests/deep.md: {last[1]} is no commit before this one")
    faults += [f"{what}: {said}, not {right}" for what, said, right in tried() if said != right]
    if not refused():
        faults.append("a test that is not there is not refused")
    print(*faults, f"{len(deep)} deep tests in {name}, {len(faults)} faults", sep="\n")
    return 1 if faults or not deep else 0


if __name__ == "__main__":
    sys.exit(main())
