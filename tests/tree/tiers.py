#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tiers.py BUILD NAME: tests/deep.md names the deep tests of a build, and no others; so does tests/passed.txt.

The commits they say are of this history, where there is one. choose.py is tried on builds made up here: what a
change touches, what a sample draws, and that a name nobody knows is refused. A test has its command before its
program is built.
"""
import contextlib
import io
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import built  # noqa: E402
import choose
import quality
import sample
import since
import tests_fail

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
    made_up("checked", "deep", "tools", "room=tests/tree"),
    made_up("rules", "quick", "room=tests/lint"),
    made_up("crc", "quick", "room=tests/codec"),
    made_up("other.py", "quick", "room=tests/capture"),
    made_up("format", "quick", "room=tests/tree"),
    made_up("readme", "quick", "room=tests/tree"),
]
RELEASE = pathlib.Path("/x/release")
# Tests of the text of the tree: whatever changes, they may have something to say.
TREE = ["arrows", "english", "format", "numbers", "scripts", "mutants_listed", "tiers", "patches_text", "goldens"]


def tried():
    """(what, what choose.py says, what is right)"""
    changes = {}
    choose.changed_paths = lambda since: changes[since]

    def told(paths):
        changes["then"] = paths
        return choose.changed(None, TESTS, "then")

    def deep(paths):
        with mock.patch.object(choose, "last_passed", lambda build, test: "then"):
            changes["then"] = paths
            return [test["name"] for test in choose.deep_tests(RELEASE, TESTS)]

    yield "a rule changed", told(["dissector/lint/packet/bth.c"]), ["rules", "format"]
    yield "rules, who looks at them", choose.rooms_of("dissector/lint/packet/bth.c"), ["tests/lint", "tests/pcap-lint"]
    yield "trackers, who looks", choose.rooms_of("dissector/track/stream/qp.c"), ["tests/track", "tests/lint", "tests/oracles"]
    yield "examples, who looks at them", choose.rooms_of("tests/examples/build.c"), ["tests/tree"]
    yield "always looked at", [name for name in TREE if name in choose.ALWAYS], TREE
    yield "a path that only begins like another", choose.touches(TESTS[1], ["codec2/crc32.c"]), False
    yield "a file that a test reads", choose.touches(TESTS[1], ["codec/crc32.c"]), True
    yield "the codec changed", told(["codec/crc32.c"]), ["crc", "format"]
    yield "a test's own file changed", told(["tests/lint/other.py"]), ["rules", "other.py", "format"]
    yield "a document changed", told(["README.md"]), ["format", "readme"]
    yield "what all tests share changed", told(["tests/lib/ws.py"]), ["rules", "crc", "other.py", "format", "readme"]
    yield "deep, of a rule", deep(["dissector/lint/packet/bth.c"]), ["alone", "whole"]
    yield "deep, of the codec", deep(["codec/crc32.c"]), ["vm", "whole"]
    yield "deep, where git knows nothing", deep(None), ["alone", "vm", "whole"]
    with mock.patch.object(choose, "last_passed", lambda build, test: "then"):
        yield "deep, sampled", choose.sampled(RELEASE, TESTS), ["alone"]
        parts = [choose.drawn(RELEASE, TESTS, f"{k}/8") for k in range(8)]
        yield "deep, each in one part", sorted(sum(parts, [])), ["vm", "whole"]
    yield from settled()
    yield from passing(changes)
    yield from fitting()
    yield "those that need tools", choose.tools(None, TESTS, "checked", "rules"), ["checked"]
    yield from needed()
    yield "none chosen", printed("needs", []), ""
    yield "one chosen", printed("needs", ["rules"]), "rules\n"
    yield "costs", costs(), ["asan\tkept\t7", "release\tless\t5", "release\tmore\t14", "release\tnear\t10", "release\tnew\t4",
                           "release-sample\tpart\t3"]
    yield from sampled_rows()


def settled():
    """Tests that ask about some code alone, and what of that has changed since all was checked."""
    tests = [made_up("kernel", "ci", "when=include", "when=codec/crc32.c"), made_up("rules", "quick")]
    for code, right in ([], ["kernel"]), (["dissector/lint/packet/bth.c", "codec/crc32c.c", "include2/a.h"], ["kernel"]), \
            (["include/ibwire/base.h"], []), (["codec/crc32.c"], []), (["tests/lint/kernel"], []), (None, []):
        with mock.patch.object(choose, "changed_code", lambda _, code=code: code):
            yield f"settled, with {code} changed", choose.settled(RELEASE, tests), right


def passing(changes):
    """A deep test that passed after the others is asked about since then; what has passed is noted, by build."""
    changes.update(first=["codec/crc32.c"], later=[])
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "passed.txt"
        with mock.patch.object(since, "PASSED", path), mock.patch.object(since, "last_deep", lambda: "first"):
            yield "none noted", [test["name"] for test in choose.deep_tests(RELEASE, TESTS)], ["vm", "whole"]
            with mock.patch.object(built, "tests", lambda _: TESTS), \
                    mock.patch.object(sys, "argv", ["choose.py", "passed", "/x", "later"]), \
                    mock.patch.object(sys, "stdin", io.StringIO("3.5 release vm\n1 asan whole\n2 release rules\n")):
                choose.main()
            yield "noted", since.passed(), {("asan", "whole"): "later", ("release", "vm"): "later"}
            # What is not said to read anything in particular may have read anything.
            yield "one noted", [test["name"] for test in choose.deep_tests(RELEASE, TESTS)], ["whole"]
            since.note_passed("first", [("asan", "whole")])
            yield "noted again", since.passed()["asan", "whole"], "first"


def fitting():
    """The shortest that fit, by what a part took, or else all, or else a minute."""
    costs = {("release", "all"): 80, ("release-sample", "all"): 10, ("release", "vm"): 20, ("asan", "new"): 1}
    tests = [made_up("vm"), made_up("new"), made_up("all")]
    tests[0]["properties"] += [{"name": "PROCESSORS", "value": 2}]
    names = [test["name"] for test in tests]
    with mock.patch.object(choose, "costs_listed", lambda: costs):
        for seconds, right, left in ((9, [], 3), (49, ["all"], 2), (50, ["all", "vm"], 1), (110, ["all", "vm", "new"], 0)):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                yield f"fitting into {seconds} s", choose.fitting(RELEASE, tests, str(seconds), *names), right
            yield f"not fitting into {seconds} s", said.getvalue().count("no time for"), left


def needed():
    """What ninja has to build for tests: what they are run with, or all where that is the build itself."""
    build = pathlib.Path("/x/build")
    tests = [made_up("rules", command=["/x/build/lint/pcap-lint", "/x/build/not/built", "/x/pcaps"]),
             made_up("install", command=["/x/build"]), made_up("text")]
    done = subprocess.CompletedProcess((), 0, "lint/pcap-lint: C_EXECUTABLE_LINKER\nall: phony\nC:x: phony\n")
    with mock.patch.object(subprocess, "run", lambda *_, **__: done):
        for names, right in (("rules",), ["lint/pcap-lint"]), (("install",), ["all"]), (("text",), []), \
                (("rules", "install"), ["all", "lint/pcap-lint"]):
            yield f"needed for {names}", choose.needs(build, tests, *names), right


def checked():
    """(what, which files and tests quality.py and tests_fail.py take, what is right)"""
    files = {since.ROOT / name for name in ("codec/tables.c", "dissector/track/stream/gap.c", "dissector/track/link/macs.c")}
    tests = {"gap": [f"{since.ROOT}/build/test-gap"], "alone": [f"{since.ROOT}/tests/lint/alone.py", "x"],
             "rules": [f"{since.ROOT}/tests/lint/lint_rules.py"]}

    def taken(paths):
        with mock.patch.object(since, "changed_paths", lambda _: paths), \
                mock.patch.object(since, "contents", lambda _, sources: [None] * len(sources)), \
                mock.patch.dict(os.environ, {"IBW_SAMPLE": "0/99999999"}), \
                contextlib.redirect_stdout(io.StringIO()):
            return (sorted(path.name for path in quality.chosen(files, False)), tests_fail.drawn(tests))

    sampled = next(iter(tests))  # of a handful one is left
    yield "a source", taken(["dissector/track/stream/gap.c"])[0], ["gap.c"]
    yield "what sources include", taken(["include/ibwire/base.h"])[0], ["tables.c"]
    yield "a header of the room", taken(["dissector/track/link/macs.h"])[0], ["macs.c"]
    yield "nothing", taken([]), ([], [sampled])
    yield "nobody can tell", taken(None), (["gap.c", "macs.c", "tables.c"], list(tests))
    yield "a script", taken(["tests/lint/alone.py"])[1], [sampled, "alone"]


def code():
    """Whether C code differs, of which comments are no part, and the words of strings of dissector/."""
    plain = 'int a = 1; /* one */\n#include "a.h"\nputs("x" "y");\n'
    for what, other, same in (
            ("another comment", plain.replace("one", "two"), True),
            ("a comment less", plain.replace("/* one */", "// x"), True),
            ("other words, one string more", plain.replace('"x" "y"', '"\\"/* x */ "\n\t"y" "z"'), True),
            ("another number", plain.replace("1;", "2;"), False),
            ("another header", plain.replace("a.h", "b.h"), False),
            ("a string less", plain.replace('"x" "y"', ""), False),
            ("another character", plain + "'/*' '\"' /* x */", False),
            ("another table", plain + '#define FILE "list/b.def"\n', False),
            ("a comment for a checker", plain.replace("one", "NOLINT"), False)):
        yield f"{what} is the same code", since.code_of(plain) == since.code_of(other), same
    for what, one, other, path, same in (
            ("a table", '#define FILE "list/a.def"', '#define FILE "list/b.def"', "", False),
            ("what is printed", 'p("%u of 5");', 'p("%s of 5");', "", False),
            ("words about what is printed", 'p("%u" PRIx " of %4.1f");', 'p("all %u" PRIx "%4.1f ");', "", True),
            ("the end of a directive", "#define A\nf();", "#define A f();", "", False),
            ("what continues a directive", "#define A f(); \\\n g();", "#define A f(); \\\n\tg();", "", True),
            ("a string of a header", 'F("a")', 'F("b")', "include/ibwire/schema/bth.def", False),
            ("a comment of a header", '/* a */ F("a")', 'F("a") /* b */', "include/ibwire/schema/bth.def", True)):
        yield f"{what} is the same code", since.code_of(one, path) == since.code_of(other, path), same
    yield "characters", since.code_of("""'"' /* x */ '\\'' "'" 'b'"""), ["""'"'""", """'\\''""", '""', "'b'"]
    with tempfile.TemporaryDirectory() as directory, mock.patch.object(since, "ROOT", pathlib.Path(directory)):
        root = pathlib.Path(directory)
        files = {"a.c": "a /* 1 */", "b.c": "b", "c.txt": "1", "d.c": "d", "moved.c": "the same\n" * 9}
        for name, text in files.items():
            (root / name).write_text(text)
        subprocess.run(["git", "init", "-q", directory], check=True)
        subprocess.run(["git", "-C", directory, "add", "."], check=True)
        subprocess.run(["git", "-C", directory, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"], check=True)
        for name, text in {"a.c": "a /* 2 */", "b.c": "c", "c.txt": "2", "new.c": "n"}.items():
            (root / name).write_text(text)
        (root / "d.c").unlink()
        subprocess.run(["git", "-C", directory, "mv", "moved.c", "to.c"], check=True)
        yield "code that changed", sorted(since.changed_code("HEAD")), ["b.c", "c.txt", "d.c", "moved.c", "new.c", "to.c"]


def committed(directory, files):
    """A repository in which these files are committed."""
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", directory, *words], check=True)


def moves():
    """A file that only moved is the same code: its own text, and that each #include finds the same file."""
    files = {"dissector/p/x.c": '#include <string.h>\n#include "x.h"\n#include "y.h"\n#include "q/z.h"\n' + "int x;\n" * 9,
             "dissector/p/x.h": '#include "y.h"\n' + "int of_x;\n" * 9, "dissector/p/y.h": "int y;\n" * 9 + "int last;\n",
             "dissector/q/z.h": "int z;\n" * 9, "dissector/q/y.h": "int another;\n" * 9, "tests/t.c": '#include <p/x.h>\n'}
    to = {"dissector/p/x.c": "dissector/p/room/x.c", "dissector/p/x.h": "dissector/p/room/x.h", "dissector/p/y.h": "dissector/p/base/y.h"}
    rewritten = {"dissector/p/room/x.c": ('"y.h"', '"p/base/y.h"'), "dissector/p/room/x.h": ('"y.h"', '"p/base/y.h"'),
                 "tests/t.c": ("<p/x.h>", "<p/room/x.h>")}
    both = ["dissector/p/room/x.c", "dissector/p/x.c"]
    for what, name, edit, right in (
            ("only moved", None, None, []),
            ("moved, with another number", "dissector/p/room/x.c", ("int x;", "int w;"), both),
            ("moved, with a header of libc less", "dissector/p/room/x.c", ("#include <string.h>\n", ""), both),
            ("moved, with another file of that name", "dissector/p/room/x.c", ("p/base/y.h", "q/y.h"), both),
            ("moved, with its includes in another order", "dissector/p/room/x.c",
             ('#include "x.h"\n#include "p/base/y.h"', '#include "p/base/y.h"\n#include "x.h"'), both),
            ("moved, and its header too, which differs", "dissector/p/base/y.h", ("int last;", "int v;"),
             ["dissector/p/base/y.h", "dissector/p/y.h"]),
            ("moved, and another file found first", "dissector/p/room/x.h", ('"p/base/y.h"', '"y.h"'),
             ["dissector/p/room/x.h", "dissector/p/x.h", "dissector/p/room/y.h"])):
        with tempfile.TemporaryDirectory() as made, mock.patch.object(since, "ROOT", pathlib.Path(made)):
            root = pathlib.Path(made)
            committed(root, files)
            for then, now in to.items():
                (root / now).parent.mkdir(exist_ok=True)
                subprocess.run(["git", "-C", made, "mv", then, now], check=True)
            for changed, (old, new) in [*rewritten.items(), *([(name, edit)] if name else [])]:
                text = (root / changed).read_text()
                assert old in text, (what, changed, old)
                (root / changed).write_text(text.replace(old, new))
            if "found first" in what:
                (root / "dissector/p/room/y.h").write_text("int nearer;\n")
            yield f"what was {what}", sorted(since.changed_code("HEAD")), sorted(right)
    with tempfile.TemporaryDirectory() as made, mock.patch.object(since, "ROOT", pathlib.Path(made)):
        committed(pathlib.Path(made), {"dissector/p/x.c": "int x;\n" * 9, "codec/c.c": "int c;\n" * 9, "dissector/q/q.c": ""})
        for then, now in (("dissector/p/x.c", "dissector/q/x.c"), ("codec/c.c", "codec/d.c")):
            subprocess.run(["git", "-C", made, "mv", then, now], check=True)
        yield "what moved to another directory, or is none of dissector/", sorted(since.changed_code("HEAD")), \
            ["codec/c.c", "codec/d.c", "dissector/p/x.c", "dissector/q/x.c"]


def any_moves(rounds=300):
    """Of files made up that move anywhere: the same code as long as each #include finds what it found, and only then."""
    rng = random.Random(7)
    for _ in range(rounds):
        places = [f"dissector/p/{room}{name}.h" for room in ("", "a/", "b/") for name in ("x", "y")]
        then = rng.sample(places, rng.randint(2, 4))
        now = dict(zip(then, rng.sample(places, len(then)), strict=True))
        at = "dissector/p/" + rng.choice(("", "a/", "b/", "c/")) + "f.c"
        to = "dissector/p/" + rng.choice(("", "a/", "b/", "c/")) + "f.c"

        def written(where, header):
            """Some way to name it there that finds it."""
            near = str(pathlib.PurePath(where).parent) == str(pathlib.PurePath(header).parent)
            return f'#include "{pathlib.PurePath(header).name}"' if near and rng.random() < 0.7 else \
                rng.choice((f'#include "{header.removeprefix("dissector/")}"', f"#include <{header.removeprefix('dissector/')}>"))

        one, other = rng.choice(then), rng.choice(then)
        back = {new: old for old, new in now.items()} | {to: at}
        before = since.code_then(written(at, one), at, {at, *then}, back)
        after = since.code_of(since.found_includes(written(to, now[other]), to, {to, *now.values()}.__contains__), to)
        if (before == after) != (one == other):
            yield f"{at} with {one}, now {to} with {now[other]}, where the files are {now}: the same code", before == after, one == other
    yield "rounds", rounds > 0, True


def unknown():
    """Of what git does not know all has changed."""
    yield "no revision", choose.changed_paths(None), None
    yield "a revision that is not there", choose.changed_paths("no-such-revision"), None


def sampled_rows():
    """What a sample leaves of 100 rows, and what a sample that is none does."""
    parts = []
    for part in [f"{k}/8" for k in range(8)]:
        with mock.patch.dict(os.environ, IBW_SAMPLE=part), contextlib.redirect_stdout(io.StringIO()):
            parts += [sample.rows(range(100))]
    yield "each row in one part", sorted(sum(parts, [])), list(range(100))
    with mock.patch.dict(os.environ, IBW_SAMPLE="", IBW_PART=""):
        yield "all rows without a part", sample.rows(range(100)), list(range(100))
    for word in ("8/8", "1", "x/8", "-1/8"):
        with mock.patch.dict(os.environ, IBW_SAMPLE=word):
            yield f"IBW_SAMPLE={word}", ended(sample.rows, range(100)), True


def costs():
    """What `costs` makes of results: rounded, none below a second, and what has changed little stays."""
    with tempfile.TemporaryDirectory() as directory:
        build, path = pathlib.Path(directory), pathlib.Path(directory) / "costs.txt"
        path.write_text("asan\tkept\t7\nrelease\tgone\t9\nrelease\tnear\t10\nrelease\tless\t10\nrelease\tmore\t10\n")
        cases = "".join(f'<testcase name="{name}" time="{time}" status="{status}"/>' for name, time, status in (
            ("gone", 0.4, "run"), ("near", 12.2, "run"), ("less", 5.2, "run"), ("more", 14.4, "run"), ("new", 3.6, "run"), ("not", 50, "notrun")))
        (build / "release-ci.xml").write_text(f"<testsuite>{cases}</testsuite>")
        (build / "release-sample.xml").write_text('<testsuite><testcase name="part" time="3" status="run"/></testsuite>')
        with mock.patch.object(choose, "COSTS", path), mock.patch.object(sys, "argv", ["choose.py", "costs", directory]):
            choose.main()
        return [line for line in path.read_text().splitlines() if line[:1] != "#"]


def commands():
    """A test has its command before its program is built, as a test by name is asked for then."""
    with tempfile.TemporaryDirectory() as made:
        where = pathlib.Path(made)
        (where / "below").mkdir()
        (where / "CTestTestfile.cmake").write_text('subdirs("below")\n')
        (where / "below/CTestTestfile.cmake").write_text('add_test([=[gone]=] "/x/gone" "a b;\\"c\\"")\n')
        yield "the command of what is not built", built.tests(where)[0]["command"], ["/x/gone", 'a b;"c"']


def unlike(build):
    """Tests whose command is another one by ctest, which knows what is built, than by what CMake wrote."""
    written = built.commands(build)
    return {test["name"] for test in built.tests(build)
            if list(map(os.path.normpath, test["command"])) != list(map(os.path.normpath, written[test["name"]]))}


def divided(build):
    """Tests that are not labelled sampled and nevertheless hear of a part, or the other way round."""
    for test in built.tests(build):
        hears = not {"IBW_SAMPLE=", "IBW_PART="} <= set(built.properties(test)["ENVIRONMENT"])
        if hears != ("sampled" in built.labels(test)):
            yield test["name"]


def ended(what, *words):
    try:
        what(*words)
    except SystemExit:
        return True
    return False


def printed(what, names):
    """What the program prints for these names: a line each, so that none is no line."""
    out = io.StringIO()
    with mock.patch.object(choose, what, lambda *_: names), mock.patch.object(built, "tests", lambda _: TESTS), \
            mock.patch.object(sys, "argv", ["choose.py", what, "build/release"]), contextlib.redirect_stdout(out):
        choose.main()
    return out.getvalue()


def before(commit):
    """Whether a commit is one of this history, where there is one that is whole."""
    return commit is not None and (since.git("rev-parse", "HEAD") is None or (choose.ROOT / ".git/shallow").exists()
                                   or since.git("merge-base", "--is-ancestor", commit, "HEAD") is not None)


def main():
    build, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    text = since.DEEP.read_text()
    deep = {test["name"] for test in built.tests(build) if "deep" in built.labels(test)}
    faults = [f"{test}: deep in {name}, but not in tests/deep.md" for test in sorted(deep - listed(text, name))]
    faults += [f"{test}: in tests/deep.md, but not deep in {name}" for test in sorted(listed(text, name) - deep)]
    faults += [f"{test}: in tests/passed.txt, but not deep in {name}"
               for preset, test in sorted(since.passed()) if preset == name and test not in deep]
    faults += [f"tests/deep.md or passed.txt: {commit} is no commit before this one"
               for commit in sorted({since.last_deep(), since.last_checked(), *since.passed().values()}, key=str)
               if not before(commit)]
    faults += [f"{what}: {said}, not {right}" for what, said, right in (*unknown(), *checked(), *code(), *moves(), *any_moves(), *tried(), *commands())
               if said != right]
    faults += [f"{test}: ctest and CMake have different commands for it" for test in sorted(unlike(build))]
    faults += [f"{test}: only what is SAMPLED is told a part" for test in divided(build)]
    if not ended(choose.named, None, TESTS, "alone", "rulez"):
        faults.append("a test that is not there is not refused")
    print(*faults, f"{len(deep)} deep tests in {name}, {len(faults)} faults", sep="\n")
    return 1 if faults or not deep else 0


if __name__ == "__main__":
    sys.exit(main())
