#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""servers.py PCAP-LINT MADE: --format github and junit, as the servers read them.

Workflow commands are taken apart as GitHub's runner does it (ActionCommand.cs), the XML by Python's. Of each capture, with
--max-per-rule 0 every finding is an annotation, or a line of the test of its rule, with the words that JSON has; without it
a cause is one, and they add up. A test fails where a finding of its rule is at or above --fail-on, as the exit status does.
Then names of files with whatever such formats give a meaning to, files that cannot be read to their end, --join, limits.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.dont_write_bytecode = True

import first_fault  # noqa: E402
import flow_words  # noqa: E402

LINT, MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
FLUSH = ROOT / "pcaps/rxe/40-k612-flush.pcap"
OF_MAKE = sorted(MADE.glob("*.pcap*"))[::9]
NAMED = [ROOT / "pcaps/mad/perf.pcap", ROOT / "pcaps/mad/sweep.pcap"]  # nodes of them have descriptions
CAPTURES = list(dict.fromkeys([FLUSH, *NAMED, *sorted(ROOT.glob("pcaps/*/*.pcap*"))[::7], *OF_MAKE]))
LEVELS = {"error": "error", "warning": "warning", "note": "notice", "perf": "notice"}
SEVERITIES = ["error", "warning", "note", "perf"]
LINES, INCIDENTS = 20, 10
NAMES = {}
TRACES = set(re.findall(r"^PL_(?:CM_|MAD_|RMPP_|CC_|TCP_)?TRACE\((\w+),", (ROOT / "dissector/pcap-lint/incidents/verdict.def").read_text(), re.M))


def run(*args, status=(0, 1), how="strict"):
    done = subprocess.run([LINT, "--config", "none", *args], capture_output=True, check=False)
    if done.returncode not in status:
        raise AssertionError(f"{args}: ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(errors=how)


def annotations(text):
    """[(command, properties, message)] as GitHub's runner reads them: no line may be anything else."""
    found = []
    for line in text.splitlines() if "\r" not in text else text.split("\n")[:-1]:
        if not line.startswith("::") or "::" not in line[2:]:
            raise AssertionError(f"not a command: {line}")
        head, _, message = line[2:].partition("::")
        name, _, rest = head.partition(" ")
        properties = dict(part.split("=", 1) for part in rest.split(",") if part)
        for key, value in properties.items():
            properties[key] = value.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
        found.append((name, properties, message.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")))
    return found


def suites(text):
    """The root of the XML, as far as its form is right."""
    root = xml.etree.ElementTree.fromstring(text)
    if root.tag != "testsuites" or {suite.tag for suite in root} - {"testsuite"}:
        raise AssertionError(f"{root.tag} of {[suite.tag for suite in root]}")
    for suite in root:
        tests = suite.findall("testcase")
        failures = [test for test in tests if test.find("failure") is not None]
        if {"name", "tests", "failures"} != set(suite.attrib) or (int(suite.get("tests")), int(suite.get("failures"))) \
                != (len(tests), len(failures)):
            raise AssertionError(f"{suite.attrib}: {len(tests)} tests, {len(failures)} failures")
        if len({test.get("name") for test in tests}) != len(tests) or any(test.get("classname") != suite.get("name") for test in tests):
            raise AssertionError(f"{suite.get('name')}: tests with one name, or of another class")
    return root


def findings(*args, status=(0, 1)):
    rows = map(json.loads, run("--format", "json", "--max-per-rule", "0", *args, status=status).splitlines())
    return [row for row in rows if row["type"] == "finding"]


def worst_first(path):
    """The incidents that a warning or an error proves: errors, then the costliest."""
    rows = map(json.loads, run("--format", "json", path, status=(0, 1, 2)).splitlines())
    return sorted((row for row in rows if row["type"] == "incident" and row["severity"] != "note"), key=lambda row: (
        SEVERITIES.index(row["severity"]), -row["ns"]["lost"], row["frame"], row["incident"]))


def said(row):
    """What both forms say of a finding of JSON, after where and how bad it is."""
    return (f"{flow_words.named(row)}: " if row["flow"] else "") + row["message"]


def in_order(rows, found):
    """@rows as annotations come: those that may be part of an incident, which JSON has last, are between the others."""
    traces = collections.deque(row for row in rows if row["rule"] in TRACES)
    others = collections.deque(row for row in rows if row["rule"] not in TRACES)
    for _, properties, _ in found:
        first = traces if traces and (properties["title"].split()[0], properties.get("line", "0")) == (
            traces[0]["rule"], str(traces[0]["frame"] or 0)) else others
        yield (first or traces).popleft()


class Servers(unittest.TestCase):
    def setUp(self):
        NAMES.update(line.split()[0:3:2] for line in run("--list-rules").splitlines())
        self.where = tempfile.TemporaryDirectory(prefix="ibwire-servers-")
        self.dir = pathlib.Path(self.where.name)
        self.addCleanup(self.where.cleanup)

    def test_github(self):
        n = 0
        self.assertGreater(len(OF_MAKE), 30)
        for path in CAPTURES:
            with self.subTest(path.name):
                options = ["--severity", "note", path]
                rows = findings(*options, status=(0, 1, 2))
                found = annotations(run("-q", "--format", "github", "--max-per-rule", "0", *options, status=(0, 1, 2)))
                self.assertEqual(len(found), len(rows))
                for (command, properties, message), row in zip(found, in_order(rows, found)):
                    where = {"line": str(row["frame"])} if row["frame"] else {}
                    self.assertEqual(properties, {"file": str(path), **where, "title": f"{row['rule']} {row['name']}"})
                    self.assertEqual(command, LEVELS[row["severity"]])
                    self.assertEqual(message, (f"frame {row['frame']}: " if row["frame"] else "") + said(row))
                n += len(found)
        self.assertGreater(n, 300)

    def test_causes(self):
        """One annotation an incident, the costliest first, and one a cause of what is part of none; the first of those is there with its words."""
        several = traces = over = 0
        for path in CAPTURES:
            with self.subTest(path.name):
                rows, counts = findings(path, status=(0, 1, 2)), {}
                words = {(row["rule"], row["frame"], said(row)) for row in rows}
                found = annotations(run("-q", "--format", "github", path, status=(0, 1, 2)))
                told = worst_first(path)
                if len(told) > INCIDENTS:
                    self.assertEqual((found[INCIDENTS][1]["file"], found.pop(INCIDENTS)[2]), (str(path), f"{len(told) - INCIDENTS} more incident{'s' * (len(told) > INCIDENTS + 1)}"))
                    del told[INCIDENTS:]
                    over += 1
                for (command, properties, message), incident in zip(found, told):
                    self.assertEqual((command, properties), (LEVELS[incident["severity"]], {"file": str(path), "line": str(incident["frame"]),
                                                                                            "title": f"{incident['rule']} {NAMES[incident['rule']]}"}))
                    what = f" of frame {incident['frames']['root']}" if incident["kind"] in ("cm", "mad") else \
                        f"{incident['operation']} from frame " if incident["kind"] == "rmpp" else \
                        f"octet {incident['place']} " if incident["kind"] == "segment-lost" else \
                        "marked CE" if incident["kind"] == "congestion" else \
                        f" psn 0x{incident['root_psn']:06x} "
                    self.assertIn(what, message)
                self.assertGreaterEqual(len(found), len(told))
                traces += len(told)
                for command, properties, message in found[len(told):]:
                    rule, frame = properties["title"].split()[0], int(properties.get("line", 0))
                    text, more = re.fullmatch(r"(.*?)(?: \(and (\d+) more(?:, up to frame \d+)?\))?", message, re.S).groups()
                    self.assertIn((rule, frame or None, text.removeprefix(f"frame {frame}: ")), words)
                    counts[rule] = counts.get(rule, 0) + 1 + int(more or 0)
                    several += more is not None
                for rule in {row["rule"] for row in rows}:
                    n = sum(row["rule"] == rule for row in rows)
                    self.assertTrue(counts.get(rule, 0) == n or told and rule in TRACES and counts.get(rule, 0) < n, (rule, n, counts))
        self.assertGreater(several, 10)
        self.assertGreater(traces, 10)
        self.assertGreater(over, 0)

    def test_verdict(self):
        """It is a notice, unless nothing but findings is wanted."""
        rows = map(json.loads, run("--format", "json", FLUSH).splitlines())
        text = next(row["text"] for row in rows if row["type"] == "verdict")
        self.assertEqual(annotations(run("--format", "github", FLUSH))[0], ("notice", {"file": str(FLUSH), "title": "verdict"}, text))
        self.assertEqual([p["title"] for _, p, _ in annotations(run("-q", "--format", "github", FLUSH))], ["CRC001 icrc-bad"])
        self.assertEqual(run("--format", "github", "--ignore", "all", FLUSH), "")

    def test_junit(self):
        n = 0
        rules = [line.split()[0] for line in run("--list-rules").splitlines() if line.split()[1] != "perf"]
        for fail_on in "error", "note", "never":
            for path in CAPTURES:
                with self.subTest(path.name):
                    options = ["--severity", "note", "--fail-on", fail_on, path]
                    rows = findings(*options, status=(0, 1, 2))
                    suite, = suites(run("--format", "junit", "--max-per-rule", "0", *options, status=(0, 1, 2)))
                    self.assertEqual(suite.get("name"), str(path))
                    self.assertEqual([test.get("name").split()[0] for test in suite.findall("testcase")], rules)
                    for test in suite.findall("testcase"):
                        mine = [row for row in rows if row["rule"] == test.get("name").split()[0]]
                        fails = fail_on != "never" and any(
                            SEVERITIES.index(row["severity"]) <= SEVERITIES.index(fail_on) for row in mine)
                        self.assertEqual([part.tag for part in test], ["failure" if fails else "system-out"] if mine else [])
                        lines = [f"{path}{':' + str(row['frame']) if row['frame'] else ''}: {row['severity']}: {said(row)}" for row in mine]
                        if mine:
                            more = ["..."] if len(mine) > LINES else []
                            self.assertEqual(test[0].text.splitlines(), lines[:LINES] + more)
                            self.assertEqual(test[0].get("message"), lines[0] if fails else None)
                        n += len(mine)
        self.assertGreater(n, 900)

    def test_junit_causes(self):
        """The exit status, and what fails; rules that are off are no tests."""
        for path in CAPTURES:
            done = subprocess.run([LINT, "--config", "none", "--format", "junit", path], capture_output=True, check=False)
            suite, = suites(done.stdout)
            if done.returncode < 2:
                self.assertEqual(int(suite.get("failures")) > 0, done.returncode == 1, path)
        suite, = suites(run("--format", "junit", "--ignore", "all", "--select", "CRC001,CRC002", FLUSH))
        self.assertEqual([(test.get("name"), len(test)) for test in suite], [("CRC001 icrc-bad", 1), ("CRC002 icrc-byte-swapped", 0)])
        self.assertRegex(suite[0][0].get("message"), r"^\S*: error: .* \(and 2 more, up to frame 21\)$")

    def test_names(self):
        """Whatever a file may be called."""
        names = ["a,b:c%25%0A.pcap", "new\nline.pcap", "carriage\rreturn", "::error::x", "<&>\"'.pcap", "\u202egpj.pcap", "\x1b[31m", "\ufffe\uffff",
                 "]]>", "é中", "--x", "a=b,line=7"]
        for name in [*map(os.fsencode, names), b"\xff\xfe", b"\x80"]:
            with self.subTest(name):
                path = os.fsencode(self.dir) + b"/" + name
                with open(path, "wb") as out:
                    out.write(FLUSH.read_bytes())
                text = os.fsdecode(path)
                (_, properties, _), (_, of_verdict, _) = annotations(run("--format", "github", path, how="surrogateescape"))
                self.assertEqual(properties["file"], of_verdict["file"])
                self.assertEqual(properties["file"], re.sub("[\u202e\x1b]|\udc80", "?", text))
                suite, = suites(run("--format", "junit", path))
                hidden = {"\u202e": "\\u{202e}", "\x1b": "\\u{1b}", "\n": "\\u{a}", "\r": "\\u{d}", "\ufffe": "\\u{fffe}", "\uffff": "\\u{ffff}",
                          "\udcff": "\\x{ff}", "\udcfe": "\\x{fe}", "\udc80": "\\x{80}"}
                self.assertEqual(suite.get("name"), "".join(hidden.get(c, c) for c in text))

    def test_several(self):
        """A suite a capture, in the order they were named; of those joined one, with frames by their files."""
        a, b = self.dir / "a.pcap", self.dir / "b.pcap"
        for path in a, b:
            path.write_bytes(FLUSH.read_bytes())
        self.assertEqual([suite.get("name") for suite in suites(run("--format", "junit", a, b))], [str(a), str(b)])
        suite, = suites(run("--format", "junit", "--join", "--ignore", "CAP", "--max-per-rule", "0", a, b))
        self.assertEqual(suite.get("name"), str(a))
        lines = suite.find("testcase/failure").text.splitlines()
        self.assertEqual([line.partition(": ")[0] for line in lines], [f"{path}:{frame}" for path in (a, b) for frame in (15, 19, 21)])
        found = annotations(run("-q", "--format", "github", "--join", "--ignore", "CAP", "--max-per-rule", "0", a, b))
        self.assertEqual([(p["file"], p["line"]) for _, p, _ in found], [(str(path), str(frame)) for path in (a, b) for frame in (15, 19, 21)])
        self.assertEqual(list(suites(run("--format", "junit", self.dir / "gone", status=(2,)))), [])
        self.assertEqual(run("--format", "github", self.dir / "gone", status=(2,)), "")

    def test_not_whole(self):
        """A file that is cut says so in its suite."""
        path = self.dir / "cut.pcap"
        path.write_bytes(FLUSH.read_bytes()[:-3])
        suite, = suites(run("--format", "junit", path, status=(2,)))
        self.assertEqual([test.get("name") for test in suite.iter("testcase") if test.find("failure") is not None],
                         ["CAP001 file-truncated-record", "CRC001 icrc-bad"])
        self.assertEqual(suite.find("system-err").text, "cut or damaged")
        whole, = suites(run("--format", "junit", FLUSH))
        self.assertIsNone(whole.find("system-err"))

    def test_sums(self):
        """--max-per-rule N: what is over is one more line."""
        found = annotations(run("-q", "--format", "github", "--max-per-rule", "1", FLUSH))
        self.assertEqual([p["line"] for _, p, _ in found], ["15", "19"])
        self.assertTrue(found[1][2].endswith(": 2 more, up to frame 21"), found[1])
        suite, = suites(run("--format", "junit", "--max-per-rule", "1", FLUSH))
        self.assertTrue(suite.find("testcase/failure").text.endswith(": 2 more, up to frame 21\n"))

    def test_usage(self):
        for form in "github", "junit":
            for mode in (["--decode"], ["--repair", self.dir / "out"], ["--convert", "erf", self.dir / "out"]):
                err = subprocess.run([LINT, "--format", form, *mode, FLUSH], capture_output=True, check=False, text=True)
                self.assertEqual(err.returncode, 2)
                self.assertIn(f"--format {form} is for checking", err.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], failfast=first_fault.only())
