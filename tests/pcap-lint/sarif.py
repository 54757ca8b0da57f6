#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sarif.py PCAP-LINT MADE: --format sarif is SARIF 2.1.0, and says what JSON lines say.

Of each capture every result against the incident or the finding of `--format json --max-per-rule 0`: rule, level, message,
frames, connection; what is left out are traces of incidents. The bytes that a location names are the record of that frame, looked for in the file by a reader of this
test's own, and the digest is that of the file. Objects have the members that the standard (OASIS, 2020) gives them, and
those it requires. Fingerprints: the same for a capture under another name and for one that is cut at the front; others
for another packet. Then limits, --join, files that cannot be read, names that a URI cannot have as they are.
"""
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.dont_write_bytecode = True

import flow_words  # noqa: E402

LINT, MADE = os.path.abspath(sys.argv[1]), sys.argv[2]
PACKETS, LOSS = pathlib.Path(MADE, "lint-grh.pcap"), ROOT / "pcaps/faults/03d-nak-loss.pcap"
MOST = 5000
LEVELS = {"error": "error", "warning": "warning", "note": "note", "perf": "note"}
# {object: (members it has to have, members it may have next to them)}: SARIF 2.1.0, section 3; of what is used here.
OBJECTS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool"}, {"results", "artifacts", "invocations", "columnKind", "properties"}),
    "tool": ({"driver"}, set()),
    "driver": ({"name"}, {"version", "semanticVersion", "informationUri", "rules"}),
    "rule": ({"id"}, {"name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration", "properties"}),
    "defaultConfiguration": (set(), {"level", "enabled"}),
    "text": ({"text"}, set()),
    "help": ({"text"}, {"markdown"}),
    "result": ({"message"}, {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "occurrenceCount",
                             "partialFingerprints", "properties"}),
    "location": (set(), {"id", "physicalLocation", "logicalLocations", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region"}),
    "artifactLocation": ({"uri"}, {"index"}),
    "region": ({"byteOffset", "byteLength"}, set()),
    "logicalLocation": ({"fullyQualifiedName", "kind"}, {"name"}),
    "artifact": ({"location"}, {"roles", "length", "hashes"}),
    "invocation": ({"executionSuccessful"}, set()),
}
# Frame 37 is part of an incident that nothing proves; SARIF and text, which look among those that are told, count it for that of a related frame.
LISTED = {"streams-measures.pcap"}
URI = re.compile(r"(?:file:///)?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")


def run(*args, status=None, cwd=None):
    done = subprocess.run([LINT, "--config", "none", *map(str, args)], capture_output=True, check=False, cwd=cwd)
    if done.returncode not in ((0, 1) if status is None else (status,)):
        raise AssertionError(f"{args}: ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def log(*args, **how):
    return json.loads(run("--format", "sarif", *args, **how)[0])


def found(*args):
    """The findings in JSON."""
    lines = map(json.loads, run("--format", "json", "--max-per-rule", "0", *args)[0].splitlines())
    return [line for line in lines if line["type"] == "finding"]


def said(*args):
    """The findings in JSON, and the incidents that a warning or an error proves."""
    lines = list(map(json.loads, subprocess.run([LINT, "--config", "none", "--format", "json", "--max-per-rule", "0", *map(str, args)], check=False,
                                                capture_output=True).stdout.splitlines()))
    return [line for line in lines if line["type"] == "finding"], [line for line in lines if line["type"] == "incident" and line["severity"] != "note"]


def records(path):
    """[(offset, length)] of the packets of a file, by the formats' own lengths; None of one that is compressed."""
    data = path.read_bytes()
    if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\xa1\xb2\x3c\x4d", b"\x34\xcd\xb2\xa1"):
        order, head = ("<" if data[0] in (0xd4, 0x4d, 0x34) else ">"), 24 if data[:2] == b"\x34\xcd" else 16
        at, some = 24, []
        while at + head <= len(data):
            size = head + struct.unpack_from(f"{order}I", data, at + 8)[0]
            if at + size > len(data):
                break
            some.append((at, size))
            at += size
        return some
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return None
    at, some, order = 0, [], "<"
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if size < 12 or at + size > len(data):
            break
        if kind in (2, 3, 6):
            some.append((at, size))
        at += size
    return some


def pcap(some, order="<"):
    """A capture of [(seconds, nanoseconds, bytes)], Ethernet."""
    head = struct.pack(f"{order}IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1)
    return head + b"".join(struct.pack(f"{order}IIII", s, ns, len(p), len(p)) + p for s, ns, p in some)


def packets(path):
    """[(seconds, fraction, bytes)] of a little-endian pcap."""
    data = path.read_bytes()
    return [(*struct.unpack_from("<II", data, at), data[at + 16:at + size]) for at, size in records(path)]


def fingerprints(one, name="finding/v1"):
    return sorted(result["partialFingerprints"][name] for run_ in one["runs"] for result in run_["results"])


def what_of(incident):
    """Words that it is told with."""
    if incident["kind"] == "mad":
        return f" of frame {incident['frames']['root']}"
    if incident["kind"] == "congestion":
        return "CNP"
    if incident["kind"] == "segment-lost":
        return f"octet {incident['place']} "
    if incident["kind"] == "rmpp":
        return f"{incident['operation']} from frame "
    if incident["kind"] == "cm":
        return f"{incident['operation']} of frame {incident['frames']['root']}"
    return f"psn 0x{incident['root_psn']:06x}"


class Sarif(unittest.TestCase):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory(prefix="ibwire-sarif-")
        self.dir = pathlib.Path(self.where.name)
        self.addCleanup(self.where.cleanup)

    def write(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def object(self, kind, value):
        required, allowed = OBJECTS[kind]
        self.assertEqual(required - value.keys(), set(), kind)
        self.assertEqual(value.keys() - required - allowed, set(), kind)

    @staticmethod
    def frame(result):
        """The number of its packet; 0: it is about the whole file."""
        names = [name["name"] for one in result["locations"] for name in one.get("logicalLocations", []) if name["kind"] == "packet"]
        return int(names[0].rpartition(" ")[2]) if names else 0

    def location(self, one, files):
        self.object("location", one)
        self.object("physicalLocation", one["physicalLocation"])
        place = one["physicalLocation"]["artifactLocation"]
        self.object("artifactLocation", place)
        self.assertRegex(place["uri"], URI)
        self.assertEqual(os.fsencode(urllib.parse.unquote_to_bytes(place["uri"].removeprefix("file://"))),
                         os.fsencode(str(files[place["index"]])))
        frame = None
        for name in one.get("logicalLocations", []):
            self.object("logicalLocation", name)
            self.assertIn(name["kind"], ("packet", "connection"))
            if name["kind"] == "packet":
                frame = int(name["fullyQualifiedName"].rpartition(":")[2])
                self.assertEqual(name["name"], f"frame {frame}")
        there = records(files[place["index"]])
        region = one["physicalLocation"].get("region")
        if there is None:
            self.assertIsNone(region, one)
            return frame
        self.object("region", region)
        where, size = (region["byteOffset"], region["byteLength"]), files[place["index"]].stat().st_size
        if frame is None:
            self.assertEqual(where, (0, size))
        elif frame <= len(there):
            self.assertEqual(where, there[frame - 1])
        else:  # it could not be read
            end = sum(there[-1]) if there and frame > 1 else 0
            self.assertEqual(where, (end, size - end))
        return frame

    def whole(self, one, files):
        """The form of a log, and where its results are; files: those of each run."""
        self.object("log", one)
        self.assertEqual(one["version"], "2.1.0")
        self.assertEqual(len(one["runs"]), len(files))
        for run_, mine in zip(one["runs"], files):
            self.object("run", run_)
            self.object("tool", run_["tool"])
            self.object("driver", run_["tool"]["driver"])
            rules = run_["tool"]["driver"]["rules"]
            for rule in rules:
                self.object("rule", rule)
                self.object("defaultConfiguration", rule["defaultConfiguration"])
                for key in ("shortDescription", "fullDescription", "help"):
                    self.object("help" if key == "help" else "text", rule[key])
                    self.assertRegex(rule[key]["text"], r"(?s)\S.*\.$")
                # Absolute, as the standard wants it; the page of the rule is in the tree, and the text leads there.
                self.assertEqual(rule["helpUri"], f"man:pcap-lint(1)#{rule['id']}")
                page = rule["properties"]["page"]
                self.assertTrue((ROOT / page).read_text().partition("\n# ")[2].startswith(f"{rule['id']} {rule['name']}\n"), page)
                self.assertEqual(rule["help"]["markdown"], f"{rule['help']['text']}\n\n[{rule['id']} {rule['name']}]({page})")
            self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
            for artifact, path in zip(run_["artifacts"], mine, strict=True):
                self.object("artifact", artifact)
                self.object("artifactLocation", artifact["location"])
                self.assertEqual(artifact["length"], path.stat().st_size)
                self.assertEqual(artifact["hashes"], {"sha-256": hashlib.sha256(path.read_bytes()).hexdigest()})
            for invocation in run_["invocations"]:
                self.object("invocation", invocation)
            for result in run_["results"]:
                self.object("result", result)
                self.object("text", result["message"])
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
                self.assertIn(result["level"], LEVELS.values())
                for one_fingerprint in result["partialFingerprints"].values():
                    self.assertRegex(one_fingerprint, r"^[0-9a-f]{32}$")
                for number, place in enumerate(result.get("relatedLocations", []), 1):
                    self.assertEqual(place["id"], number)
                    self.location(place, mine)

    def incidents(self, results, incidents, path):
        """A result each, where its first packet is; its other packets are related."""
        self.assertEqual([result["properties"]["incident"] for result in results], [incident["incident"] for incident in incidents])
        for result, incident in zip(results, incidents):
            self.assertEqual((result["ruleId"], result["level"]), (incident["rule"], LEVELS[incident["severity"]]))
            self.assertEqual(self.location(result["locations"][0], [path]), incident["frame"])
            related = [self.location(other, [path]) for other in result.get("relatedLocations", [])]
            frames = {frame for frame in incident["frames"].values() if frame}
            if incident["kind"] in ("cm", "mad", "rmpp", "congestion", "segment-lost"):  # all that it is told with
                frames |= {int(frame) for frame in re.findall(r" frame ([0-9]+)", incident["text"])}
            self.assertEqual(sorted(related), sorted(frames - {incident["frame"]}))
            for other in result.get("relatedLocations", []):
                self.assertRegex(other["message"]["text"], r"^(?:the|its) [a-z, ]+\.$|^the (?:RNR )?NAK\.$")
            has = {key: incident[name] for key, name in (("kind", "kind"), ("connection", "connection"), ("psn", "root_psn"), ("ended", "ended"),
                                                         ("packetsResent", "packets_resent"))}
            self.assertEqual({key: result["properties"][key] for key in has}, has)
            self.assertEqual(result["properties"]["ns"], incident["ns"]["lost"])
            self.assertIn(what_of(incident), result["message"]["text"])

    def unfolded(self, results, findings, incidents, properties):
        """(results, findings) that are part of no incident, in one order; the other findings are traces of one that is told."""
        told = {incident["incident"] for incident in incidents}
        left = sorted((finding for finding in findings if finding["incident"] not in told),
                      key=lambda finding: (finding["rule"], finding["message"].rstrip("."), finding["frame"] or 0))
        results = sorted(results, key=lambda result: (result["ruleId"], result["message"]["text"].rstrip("."), self.frame(result)))
        self.assertEqual(properties["findingsOfIncidents"], len(findings) - len(left))
        self.assertEqual(properties["incidents"], len(incidents))
        return results, left

    def test_captures(self):
        """What is said of each, in both forms."""
        some, seen = [*sorted({*sorted(ROOT.glob("pcaps/*/*.pcap*"))[::6], ROOT / "pcaps/mad/perf.pcap"}), *sorted(pathlib.Path(MADE).glob("*.pcap*"))[::9], PACKETS], 0
        of_incidents = 0
        for path in some:
            if path.name in LISTED:
                continue
            with self.subTest(path.name):
                options = ["--severity", "note", "--fail-on", "never", path]
                one = json.loads(subprocess.run([LINT, "--config", "none", "--format", "sarif", *options], check=False,
                                                capture_output=True).stdout)
                findings, incidents = said(*options)
                self.whole(one, [[path]])
                results = one["runs"][0]["results"]
                told = [result for result in results if "incident" in result["properties"]]
                results = [result for result in results if result not in told]
                self.incidents(told, incidents, path)
                results, findings = self.unfolded(results, findings, incidents, one["runs"][0]["properties"])
                self.assertEqual(len(results) + len(told), min(len(findings) + len(incidents), MOST))
                for result, finding in zip(results, findings):
                    self.assertEqual(result["ruleId"], finding["rule"])
                    self.assertEqual(result["level"], LEVELS[finding["severity"]])
                    self.assertEqual(result["message"]["text"].rstrip("."), finding["message"].rstrip("."))
                    place, = result["locations"]
                    self.assertEqual(self.location(place, [path]), finding["frame"])
                    names = [name for name in place.get("logicalLocations", []) if name["kind"] == "connection"]
                    self.assertEqual([name["fullyQualifiedName"] for name in names], [finding["flow"]] if finding["flow"] else [])
                    self.assertEqual([name.get("name", finding["flow"]) for name in names], [flow_words.named(finding)] if finding["flow"] else [])
                    self.assertNotIn(finding["flow"], [name.get("name", "") for name in names if finding["flow"]])
                    related = [self.location(other, [path]) for other in result.get("relatedLocations", [])]
                    self.assertEqual(related, finding["related"])
                    for key, value in result["properties"].items():
                        if key != "connection":  # JSON says what it is so far
                            self.assertEqual(value, finding[key], key)
                seen += len(results)
                of_incidents += len(told)
        self.assertGreater(seen, 500)
        self.assertGreater(of_incidents, 20)

    def test_fingerprints(self):
        """The name of the file and what is before the packet make no difference, another packet does."""
        own = packets(PACKETS)
        first = log("--severity", "note", PACKETS)
        self.assertEqual(len(set(fingerprints(first))), len(fingerprints(first)))
        self.assertEqual(fingerprints(log("--severity", "note", self.write("other name", PACKETS.read_bytes()))),
                         fingerprints(first))
        kept = [result["partialFingerprints"] for result in first["runs"][0]["results"]
                if self.location(result["locations"][0], [PACKETS]) not in (None, 1, 2, 3)]
        cut = log("--severity", "note", self.write("cut", PACKETS.read_bytes()[:24] + PACKETS.read_bytes()[
            records(PACKETS)[3][0]:]))
        there = set(fingerprints(cut))
        self.assertGreater(len(kept), 5)
        self.assertEqual([one for one in kept if one["finding/v1"] not in there], [])
        # Tomorrow: the same packets, a day later.
        later = log("--severity", "note", self.write("later", pcap([(s + 86400, ns, p) for s, ns, p in own])))
        self.assertEqual(set(fingerprints(later)) & set(fingerprints(first)), set())
        self.assertTrue(set(fingerprints(later, "cause/v1")) & set(fingerprints(first, "cause/v1")))

    def test_incidents(self):
        """Their fingerprints stay: read again, under another name, cut at the front; tomorrow the cause is the same."""
        head, own = LOSS.read_bytes()[:24], packets(LOSS)
        ends = [end for end, _ in records(LOSS)]
        first = [result for result in log(LOSS)["runs"][0]["results"] if "incident" in result["properties"]]
        self.assertEqual([(result["ruleId"], result["properties"]["kind"]) for result in first], [("QPS017", "no-answer"), ("QPS008", "lost-after")])

        def again(path):
            return {result["partialFingerprints"]["finding/v1"] for result in log(path)["runs"][0]["results"]}

        for path in LOSS, self.write("other name", LOSS.read_bytes()), self.write("cut", head + LOSS.read_bytes()[ends[40]:]):
            self.assertEqual({result["partialFingerprints"]["finding/v1"] for result in first} - again(path), set(), path)
        self.assertEqual(len({result["partialFingerprints"]["finding/v1"] for result in first}), 2)
        later = head + b"".join(struct.pack("<IIII", s + 86400, us, len(p), len(p)) + p for s, us, p in own)
        later = log(self.write("later", later))["runs"][0]["results"]
        for name, same in ("finding/v1", False), ("cause/v1", True):
            for result in first:
                self.assertEqual(any(other["partialFingerprints"][name] == result["partialFingerprints"][name] for other in later), same, name)

    def test_limit(self):
        """A run has 5,000 results at most, and says how many more there are; --max-per-rule sums up."""
        bad = next(p for s, ns, p in packets(PACKETS) for finding in [found(self.write("one", pcap([(s, ns, p)])))]
                   if any(one["rule"] == "GRH001" for one in finding))
        path = self.write("many", pcap([(1 + i // 1000, i % 1000 * 1000, bad) for i in range(MOST + 700)]))
        findings = found("--select", "GRH001", "--ignore", "all", "--select", "GRH001", path)
        one = log("--ignore", "all", "--select", "GRH001", path)["runs"][0]
        self.assertEqual((len(findings), len(one["results"])), (MOST + 700, MOST))
        self.assertEqual(one["properties"]["resultsLeftOut"], 700)
        self.assertEqual(one["properties"]["error"], MOST + 700)
        few = log("--ignore", "all", "--select", "GRH001", "--max-per-rule", "3", path)["runs"][0]["results"]
        self.assertEqual([result.get("occurrenceCount", 1) for result in few], [1, 1, 1, MOST + 697])

    def test_several(self):
        """A run a capture; of those joined one run with all files; of none that can be read a log without runs."""
        a, b = self.write("a b%25#é.pcap", PACKETS.read_bytes()), self.write("c:d", PACKETS.read_bytes())
        self.whole(log(a, b), [[a], [b]])
        self.whole(log("-q", a, b), [[a], [b]])
        self.whole(log("--join", a, b), [[a, b]])
        relative = log("c:d", cwd=self.dir)["runs"][0]["artifacts"][0]["location"]["uri"]
        self.assertEqual(relative, "c%3Ad")
        odd = os.fsencode(self.dir) + b"/\xff\x01\"<"
        shutil.copy(a, odd)
        done = subprocess.run([os.fsencode(LINT), b"--format", b"sarif", odd], capture_output=True, check=False)
        place = json.loads(done.stdout)["runs"][0]["artifacts"][0]["location"]["uri"]
        self.assertEqual(urllib.parse.unquote_to_bytes(place.removeprefix("file://")), odd)
        gone, err = run("--format", "sarif", self.dir / "gone", status=2)
        self.assertEqual(json.loads(gone)["runs"], [])
        self.assertIn("gone", err)

    def test_not_whole(self):
        """A file that is cut is no success; of a pipe and a compressed file there is no place or digest."""
        data = PACKETS.read_bytes()
        cut = self.write("cut", data[:-3])
        one = log(cut, status=2)["runs"][0]
        self.assertEqual(one["invocations"], [{"executionSuccessful": False}])
        self.assertIn("CAP001", [result["ruleId"] for result in one["results"]])
        self.assertEqual(log(PACKETS)["runs"][0]["invocations"], [{"executionSuccessful": True}])
        packed = self.write("packed.gz", gzip.compress(data))
        self.whole(log(packed), [[packed]])
        with open(PACKETS, "rb") as stream:
            out = subprocess.run([LINT, "--format", "sarif", "-"], stdin=stream, capture_output=True, check=False).stdout
        artifact, = json.loads(out)["runs"][0]["artifacts"]
        self.assertEqual(artifact, {"location": {"uri": "-"}, "roles": ["analysisTarget"]})

    def test_usage(self):
        """It is a form of findings."""
        for mode in (["--decode"], ["--repair", self.dir / "out"], ["--convert", "erf", self.dir / "out"]):
            self.assertIn("--format sarif", run("--format", "sarif", *mode, PACKETS, status=2)[1])
        self.assertIn("--count-rules", run("--format", "sarif", "--count-rules", PACKETS, status=2)[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
