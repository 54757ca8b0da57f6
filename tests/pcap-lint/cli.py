#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cli.py PCAP-LINT MADE: the contract of the command, from outside.

Options, exit statuses, config files, inputs, the shape of text and JSON. MADE holds the captures
pcaps/make writes; the others are those of pcaps/.
"""
import collections
import ctypes
import ctypes.util
import gzip
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import first_fault  # noqa: E402
import german  # noqa: E402
import pcapng_parts as ng  # noqa: E402
import terminal  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
RXE, MAD = ROOT / "pcaps/rxe", ROOT / "pcaps/mad"
HEALTHY = RXE / "01-rping-ipv4.pcap"
FLUSH = RXE / "40-k612-flush.pcap"  # 28 frames, the ICRC of 15, 19 and 21 is wrong
CORRUPT = RXE / "12g-netem-corrupt-badicrc.pcap"  # 717 frames, the ICRC of 35 is wrong
LINT, MADE = None, None

RULE = re.compile(r'^LINT_RULE\((\w+), "([^"]+)", (\w+), (\w+), "(\w+)"', re.M)
RULES = {row[0]: row for path in sorted((ROOT / "dissector/lint/rules").glob("*.def"))
         for row in RULE.findall(path.read_text())}
OPTION = re.compile(r"^PL_OPTION\(\w+, \"([\w-]+)\", (?:'(\w)'|0), \w+, (NULL|\"[^\"]+\")", re.M)
SINKS = re.findall(r"^PL_SINK\((\w+)\)", (ROOT / "dissector/pcap-lint/options/sinks.def").read_text(), re.M)
OPTIONS = OPTION.findall((ROOT / "dissector/pcap-lint/options/options.def").read_text().replace(
    "pl_format_words + 1", f'"{"|".join(SINKS)}"'))
FIELD = re.compile(r"^IBW_(?:FIELD|BYTES|ARRAY)\((\w+),", re.M)

INCIDENT_KEYS = ["type", "schema", "file", "incident", "connection", "direction", "kind", "rule", "severity", "root_psn", "operation", "response",
                 "copies", "frame", "time", "frames", "ns", "packets_resent", "bytes_resent", "naks", "rnr", "timers", "ended", "connections", "rules",
                 "doubt", "file_offset", "text"]
VERDICT_KEYS = ["type", "schema", "file", "state", "text", "sentences", "kinds", "limits"]
FINDING_KEYS = ["type", "file", "frame", "time", "rule", "name", "severity", "layer", "offset",
                "length", "flow", "connection", "service", "psn", "message", "related", "frames", "incident", "file_offset",
                "source_node", "destination_node"]
# Not of the whole file; not where findings are summed up.
FINDING_SOME = {"incident", "file_offset", "source_node", "destination_node"}
SUMMARY_KEYS = ["type", "schema", "file", "packets", "bytes", "duration", "protocols",
                "connections", "findings", "rules", "ect", "ce", "cnp", "pause", "dscp", "withheld",
                "start", "end", "version", "filter", "count", "interfaces", "incidents", "copies"]
# Where there is any.
SUMMARY_MORE = {"asked", "iwarp", "not_examined", "room"}
PACKET_KEYS = ["type", "file", "frame", "time", "caplen", "len", "outcome", "layers", "payload",
               "icrc", "vcrc"]
HIDDEN = ("rsvd", "reserved")  # fields that are there only if they are not 0
SEVERITIES = ["error", "warning", "note", "perf"]
PROTOCOLS = {"rocev1", "rocev2", "ib", "ipoib", "iwarp", "arp", "pause", "other"}
FINDING_LINE = re.compile(r"^(?P<file>.+?):(?:(?P<frame>\d+):)? (?P<severity>error|warning|note|"
                          r"perf): (?P<rule>[A-Z]{3}\d{3}) (?P<name>[a-z0-9-]+): (?P<text>.+)$")
SUMMARY_LINE = re.compile(r"^.+: \d+ packets?(, \d+ [\w ]+?)*(, no RDMA)?(, \d+ [\w ]+?)*, (>= )?\d+ (iWARP )?connections?"
                          r"(, \d+ of them iWARP)?( with \d+ FPDUs?)?(, \d+ refused)?(, \d+ without data)?: "
                          r"(no findings|\d+ errors?(, \d+ (warnings?|notes?|perf))*(, \d+ incidents?)?"
                          r"(; \d+ packets? not examined \(CAP019\))?(; memory used up: [\w, ]+ \(CAP021\))? "
                          r"\(([A-Z]{3}\d{3} \d+(, [A-Z]{3}\d{3} \d+)*; )?use --explain RULE"
                          r"(; --story \d+ tells what happened)?(; --max-per-rule 0 shows each)?\))$")
# Or with what is held back for what the capture lacks.
WITHHELD = re.compile(r": (?:no findings|\d+ errors?.*), (\d+) at note level because ([\w ]+?) \((?:(?:[A-Z]{3}\d{3} \d+(?:, |; ))*use --explain RULE; )?"
                      r"(?:--story \d+ tells what happened; )?(?:--max-per-rule 0 shows each; )?--severity note\)$")
BECAUSE = {row[0]: row[1] for row in re.findall(
    r'^TRACK_DOUBT\(\w+, "([\w-]+)",[^"]*"[^"]+",\s*[^"]*"([^"]+)"\)', (ROOT / "dissector/track/base/doubt.def").read_text(), re.M)}
LESSER = set(re.findall(r"^LINT_ON_EVENT_LESSER\((\w+)", "".join(
    path.read_text() for path in (ROOT / "dissector/lint/rules").glob("*.def")), re.M)) | {"SAQ006"}


def pcap(frames, linktype=1, snaplen=262144):
    """A pcap of (time in us, bytes) pairs."""
    out = [struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, snaplen, linktype)]
    for time, data in frames:
        out.append(struct.pack("<IIII", time // 1000000, time % 1000000, len(data), len(data)))
        out.append(data)
    return b"".join(out)


def pcapng(interfaces, packets):
    """A pcapng of (interface, time in s, bytes) triples; the time unit is 1 us."""
    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    out = [block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))]
    out += [block(1, struct.pack("<HHI", 1, 0, 262144))] * interfaces
    for iface, second, data in packets:
        time = second * 1000000
        out.append(block(6, struct.pack("<IIIII", iface, time >> 32, time & 0xffffffff, len(data),
                                        len(data)) + data))
    return b"".join(out)


def frames_of(capture):
    """[(time, bytes)] of a little-endian pcap."""
    data, at, frames = pathlib.Path(capture).read_bytes(), 24, []
    while at < len(data):
        sec, usec, caplen, _ = struct.unpack_from("<IIII", data, at)
        frames.append((sec * 1000000 + usec, data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return frames


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(self.enterContextCompat(tempfile.TemporaryDirectory()))
        self.home = self.dir / "home"
        self.home.mkdir()

    def enterContextCompat(self, context):
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def run_lint(self, *args, status=0, stdin=b"", env=None, cwd=None):
        """(stdout, stderr) as text, of a run that must end with this status."""
        run = subprocess.run([LINT, *map(os.fsencode, args)], input=stdin, capture_output=True,
                             cwd=cwd or self.dir, check=False,
                             env={"HOME": str(self.home), "TERM": "xterm", "PATH": os.environ["PATH"],
                                  **(env or {})})
        out, err = (text.decode("utf-8", "surrogateescape") for text in (run.stdout, run.stderr))
        self.assertEqual(run.returncode, status, f"{args}: {out}{err}")
        return out, err

    def lines(self, *args, **how):
        return self.run_lint(*args, **how)[0].splitlines()

    def objects(self, *args, **how):
        """The JSON lines of a run, read strictly."""
        def refuse(value):
            raise ValueError(value)
        return [json.loads(line, parse_constant=refuse)
                for line in self.lines("--format", "json", *args, **how)]

    def findings(self, *args, **how):
        return [o for o in self.objects(*args, **how) if o["type"] == "finding"]

    def summary(self, *args, **how):
        return [o for o in self.objects(*args, **how) if o["type"] == "summary"][-1]


class ExitStatus(Case):
    def test_clean(self):
        self.run_lint(HEALTHY)

    def test_findings(self):
        self.run_lint(FLUSH, status=1)
        self.run_lint(HEALTHY, FLUSH, HEALTHY, status=1)

    def test_fail_on(self):
        self.run_lint("--fail-on", "never", FLUSH)
        frames = frames_of(HEALTHY)
        capture = self.dir / "back.pcap"  # a warning, no error
        capture.write_bytes(pcap(frames[:50] + [(time - 1000000, data) for time, data in frames[50:]]))
        self.run_lint(capture)
        self.run_lint("--fail-on", "warning", capture, status=1)
        self.run_lint("--fail-on", "warning", "--severity", "error", capture, status=1)
        self.run_lint("--fail-on", "warning", "--ignore", "CAP003", capture)

    def test_unreadable(self):
        for name, reason in (("missing.pcap", "No such file"), (str(self.dir), "directory")):
            out, err = self.run_lint(name, FLUSH, status=2)
            self.assertIn(f"pcap-lint: {name}: ", err)
            self.assertIn(reason, err)
            self.assertIn(f"{FLUSH}: 28 packets", out)  # the rest goes on

    def test_not_a_capture(self):
        path = self.dir / "x"
        hello = "no pcap or pcapng: it starts with 68 65 6c 6c 6f"
        for content, why in ((b"", "empty"), (b"\0" * 100, "no pcap or pcapng: it starts with 00 00 00 00 00 00 00 00"),
                             (b"hello", hello), (pcap([])[:10], "cut within the file header, after byte 10"),
                             (gzip.compress(b"hello"), f"gzip data: {hello}")):
            path.write_bytes(content)
            self.assertEqual(self.run_lint(path, status=2), ("", f"pcap-lint: {path}: {why}\n"))

    def test_cut(self):
        path = self.dir / "cut.pcap"
        path.write_bytes(FLUSH.read_bytes()[:-1])
        found = self.findings(path, status=2)
        self.assertEqual([(f["rule"], f["frame"]) for f in found],
                         [("CRC001", 15), ("CRC001", 19), ("CRC001", 21), ("CAP001", 28)])
        self.assertEqual(self.summary(path, status=2)["packets"], 27)
        out, err = self.run_lint("--ignore", "CAP001", path, status=2)
        self.assertNotIn("CAP001", out)
        self.assertIn("cut.pcap:28: ", err)
        self.assertIn("cut.pcap:28: ", self.run_lint("--decode", path, status=2)[1])

    def test_unknown_linktype(self):
        path = self.dir / "wifi.pcap"
        path.write_bytes(pcap([(1, b"\0" * 60)] * 20, linktype=105))
        found = self.findings(path, status=2)
        self.assertEqual([f["rule"] for f in found], ["CAP006"])
        self.assertIn("105", found[0]["message"])
        self.assertEqual(self.summary(path, status=2)["protocols"], {"other": 20})


class Usage(Case):
    def refused(self, *args):
        out, err = self.run_lint(*args, status=2)
        self.assertEqual(out, "")
        self.assertRegex(err, r"^pcap-lint: .+\(see pcap-lint --help\)\n$")
        return err

    def test_no_capture(self):
        self.assertIn("no capture", self.refused())
        self.refused("--decode")
        self.refused("--list-rules", HEALTHY)
        self.refused("-", "-")

    def test_unknown(self):
        for option in ("-i", "--convert", "--story", "--written", "-x"):
            self.assertIn(option, self.refused(option, "x", HEALTHY))

    def test_nearest(self):
        """What was probably meant is said, and nothing where that is anybody's guess."""
        for args, meant in ((("--sevrity", "note"), "--severity"), (("--formt=json",), "--format"),
                            (("--max-per",), "--max-per-rule"), (("--foramt", "json"), "--format"),
                            (("--select", "icrc-bda"), "icrc-bad"), (("--ignore", "CRC01"), "CRC001"),
                            (("--explain", "CRC,CRC0001"), "CRC001")):
            self.assertIn(f"perhaps {meant}?", self.refused(*args, HEALTHY))
        for args in (("--xyzzy",), ("--select", "xyzzy"), ("--select", "Q"), ("-Z",)):
            self.assertNotIn("perhaps", self.refused(*args, HEALTHY))
        conf = self.dir / "conf"
        conf.write_text("[pcap-lint]\nserverity = note\n")
        self.assertIn("perhaps severity?", self.refused("--config", conf, HEALTHY))

    def test_empty(self):
        """A file whose name is nothing: which option is said."""
        for option in ("--config", "--read", "--output", "--repair"):
            self.assertIn(f"{option} : no file", self.refused(f"{option}=", HEALTHY))

    def test_read(self):
        """As tcpdump and tshark are told."""
        for args in (["-r", FLUSH], ["--read", FLUSH], [f"-r{FLUSH}"], [f"--read={FLUSH}"]):
            self.assertEqual(self.run_lint(*args, status=1)[0], self.run_lint(FLUSH, status=1)[0])
        both = self.run_lint(FLUSH, HEALTHY, status=1)[0]
        self.assertEqual(self.run_lint(HEALTHY, "-r", FLUSH, status=1)[0], both)
        self.assertEqual(self.run_lint("-r", FLUSH, "-r", HEALTHY, status=1)[0], both)
        self.assertEqual(self.run_lint("-r", "-", status=1, stdin=FLUSH.read_bytes())[0].count("28 packets"), 1)
        self.refused("-r", "")
        self.run_lint("-r", FLUSH, "--convert", "pcapng", "-o", "x.pcapng")
        self.assertEqual(self.summary("x.pcapng", status=1)["packets"], 28)

    def test_completion(self):
        """What bash offers, asked as it asks."""
        script = pathlib.Path(LINT).parent / "completion.bash"
        self.assertEqual(subprocess.run(["bash", "-n", script], check=False).returncode, 0)
        if shutil.which("shellcheck"):
            subprocess.run(["shellcheck", "-s", "bash", script], check=True)
            faulty = subprocess.run(["shellcheck", "-s", "bash", "-"], input=b"echo $1\n", capture_output=True, check=False)
            self.assertNotEqual(faulty.returncode, 0)  # it does look

        def offered(*words):
            text = 'source "$0"; COMP_WORDS=(pcap-lint "$@"); COMP_CWORD=$#; _pcap_lint; printf "%s\\n" "${COMPREPLY[@]}"'
            return subprocess.run(["bash", "-uc", text, script, *words], capture_output=True, text=True,
                                  check=True).stdout.split()
        self.assertEqual(sorted(offered("--")), sorted(f"--{name}" for name, _, _ in OPTIONS))
        self.assertEqual(offered("--sev"), ["--severity"])
        self.assertEqual(offered("x.pcap", "-"), [word for name, short, _ in OPTIONS
                                                  for word in ([f"-{short}"] if short else []) + [f"--{name}"]])
        self.assertEqual(offered("--severity", ""), ["error", "warning", "note", "perf"])
        self.assertEqual(offered("--fail-on", "=", "n"), ["note", "never"])
        self.assertEqual(offered("--format", "="), SINKS)
        self.assertEqual(offered("--convert", "pcap"), ["pcap", "pcapng"])
        self.assertEqual(offered("--color", "a"), ["auto", "always"])
        self.assertEqual(offered("--progress", "a"), ["auto"])
        self.assertEqual(offered("--explain", "CRC00"), [rule for rule in RULES if rule.startswith("CRC00")])
        self.assertEqual(offered("--select", "QPS,icrc-ba"), ["QPS,icrc-bad", "QPS,icrc-bad-acknowledged"])
        self.assertIn("CMS", offered("--ignore", "CM"))
        for words in (("x",), ("-o", "x"), ("-f", ""), ("",)):
            self.assertEqual(offered(*words), [])  # files, which bash knows by itself

    def test_values(self):
        for args in (("--format", "xml"), ("--severity", "fatal"), ("--fail-on", "x"),
                     ("-c", "-1"), ("-c", "1x"), ("--count", ""), ("--max-per-rule", "many"),
                     ("--color", "sometimes"), ("--progress", "always"), ("--select", "CRC001,NOPE"),
                     ("--ignore", "nope"), ("--roce-port", "65536"), ("--link-speed", "0"), ("--link-speed", "fast"),
                     ("--link-speed", "2000T"), ("--explain", "NOPE"), ("--ulp", "4420"), ("--ulp", "4420=nfs"), ("--ulp", "0=nvme"),
                     ("--ulp", "65536=srp"), ("--ulp", "0x1000000=srp"), ("--ulp", "nobody:3=rpc"), ("--ulp", ""), ("--ulp", "1=rpc,"),
                     ("--explain", "CRC,NOPE")):
            self.assertIn(args[-1].rsplit(",", 1)[-1], self.refused(*args, HEALTHY))
        self.assertIn("Missing argument", self.refused(HEALTHY, "-c"))

    def test_filter(self):
        for expression, capture, linktype in (("udp port", HEALTHY, 1), ("udp", MAD / "sa.pcap", 247)):
            out, err = self.run_lint("-f", expression, capture, status=2)
            self.assertEqual(out, "")
            self.assertIn(f'{capture}: filter "{expression}" for link type {linktype} ', err)

    def test_short_with_value(self):
        for args in (("-c", "5"), ("-c5",), ("--count=5",), ("-qvc5",), ("--count", "5")):
            out, _ = self.run_lint(*args, "--format", "json", HEALTHY)
            self.assertIn('"packets":5,' if "-qvc5" not in args else "", out)

    def test_value_like_an_option(self):
        for args in (("-o",), ("-qo",), ("--output",)):
            self.run_lint(*args, "-c5", HEALTHY, "--format", "json", cwd=self.dir)
            text = (self.dir / "-c5").read_text()
            self.assertIn('"packets":127,' if "-qo" not in args else "", text)
            (self.dir / "-c5").unlink()

    def test_help(self):
        text, err = self.run_lint("--help")
        self.assertEqual(err, "")
        self.assertTrue(text.isascii())
        for name, short, arg in OPTIONS:
            self.assertRegex(text, rf"(?m)^  {'-' + short + ', ' if short else ''}--{name}"
                                   rf"{'=' + re.escape(arg.strip(chr(34))) if arg != 'NULL' else ''} ")
        shown = re.findall(r"(?m)^  (?:-\w, )?--([\w-]+)", text)
        self.assertEqual(sorted(shown), sorted(name for name, _, _ in OPTIONS))
        self.assertEqual(self.run_lint("-h")[0], text)

    def test_explain(self):
        """In lines of 80 columns, as full as words make them."""
        text, err = self.run_lint("--explain", "all")
        self.assertEqual(err, "")
        lines = [line for line in text.splitlines() if line.startswith("  ")]
        self.assertEqual(max(map(len, lines)), 80)
        shown = re.findall(r"(?m)^(\w+) [\w-]+ \(\w+, layer ", text)
        self.assertEqual(sorted(shown), sorted(RULES))

    def test_levels_without_rules(self):
        """What no rule is of is not offered."""
        any_perf = any(rule[2] == "PERF" for rule in RULES.values())
        page = (pathlib.Path(LINT).parent / "pcap-lint.1").read_text()
        refusals = [self.refused(option, "x", HEALTHY) for option in ("--severity", "--fail-on")]
        for text in (self.run_lint("--help")[0], page, self.run_lint("--explain", "all")[0], *refusals):
            self.assertEqual("perf" in re.findall(r"[a-z]+", text), any_perf)

    def test_forgotten_transfers(self):
        """Of 40 tables begun at once 32 are remembered, and that is said."""
        data = (MADE / "lint-saq-table-dlid-0.pcap").read_bytes()
        caplen = int.from_bytes(data[32:36], "little")
        frame = data[24:40 + caplen]
        tid = frame.index(b"\x01\x03\x02") + 8  # base version, class SubnAdm, its version
        frames = [frame[:tid] + i.to_bytes(8, "big") + frame[tid + 8:] for i in range(1, 41)]
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            file.write(data[:24] + b"".join(frames))
            file.flush()
            said = "limit for RMPP transfers reached: 8 evicted"
            self.assertIn(f"note: CAP021 connections-evicted: {said}", self.run_lint(
                "--severity", "note", file.name, status=1)[0])
            err = subprocess.run([LINT, "--decode", file.name], capture_output=True, text=True, check=False).stderr
        self.assertIn(said, err)

    def test_version(self):
        ours = re.search(r"^    VERSION (\d+\.\d+\.\d+)$", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
        pcap_lib_version = ctypes.CDLL(ctypes.util.find_library("pcap")).pcap_lib_version
        pcap_lib_version.restype = ctypes.c_char_p
        version, *sandbox = self.lines("--version")  # whose words are sandbox.py's
        self.assertEqual(version, f"pcap-lint {ours}, {pcap_lib_version().decode()}")
        self.assertEqual([line.partition(": ")[0] for line in sandbox], ["sandbox"])

    def test_man_page(self):
        page = pathlib.Path(LINT).parent / "pcap-lint.1"
        text = page.read_text()
        for name, short, arg in OPTIONS:
            words = f"\\fB\\-{short}\\fR, " if short else ""
            words += "\\fB\\-\\-" + name.replace("-", "\\-") + "\\fR"
            words += f" \\fI{arg.strip(chr(34))}\\fR" if arg != "NULL" else ""
            self.assertIn(f".TP\n{words}\n", text)
        for rule in RULES:
            self.assertIn(f"\\fB{rule}\\fR", text)
        if shutil.which("groff"):
            run = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", page], check=True,
                                 capture_output=True)
            self.assertEqual(run.stderr, b"")
        if shutil.which("mandoc"):
            subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], check=True)


class Inputs(Case):
    def compressed(self, name):
        path = self.dir / name
        if name.endswith(".gz"):
            path.write_bytes(gzip.compress(FLUSH.read_bytes()))
            return path
        tool = {"zst": "zstd", "lz4": "lz4"}[name.rsplit(".", 1)[1]]
        if not shutil.which(tool):
            self.skipTest(f"no {tool}")
        path.write_bytes(subprocess.run([tool, "-q", "-c", FLUSH], capture_output=True,
                                        check=True).stdout)
        return path

    def test_compressed(self):
        want = self.run_lint("-v", FLUSH, status=1)[0].replace(str(FLUSH), "X")
        for name in ("a.pcap.gz", "b.zst", "c.lz4"):
            with self.subTest(name):
                path = self.compressed(name).rename(self.dir / "plain.pcap")
                self.assertEqual(self.run_lint("-v", path, status=1)[0].replace(str(path), "X"), want)

    def test_stdin(self):
        """Through a pipe the verdict is told last."""
        verdict, *findings, summary = self.run_lint(FLUSH, status=1)[0].replace(str(FLUSH), "-").splitlines(keepends=True)
        want = "".join([*findings, verdict, summary])
        self.assertEqual(self.run_lint("-", status=1, stdin=FLUSH.read_bytes())[0], want)
        self.assertEqual(
            self.run_lint("-", status=1, stdin=gzip.compress(FLUSH.read_bytes()))[0], want)
        with open(FLUSH, "rb") as file:
            said = subprocess.run([LINT, "-"], stdin=file, capture_output=True, text=True, check=False).stdout
        self.assertEqual(said, "".join([verdict, *findings, summary]))

    def test_several(self):
        each = [self.run_lint(c, status=s)[0] for c, s in ((HEALTHY, 0), (FLUSH, 1), (CORRUPT, 1))]
        total = "3 captures: 872 packets, 817 RoCE v2, 3 connections: 39 errors, 298 warnings (use --explain RULE)\n"
        self.assertEqual(self.run_lint(HEALTHY, FLUSH, CORRUPT, status=1)[0], "".join(each) + total)
        self.assertEqual(self.run_lint("-q", HEALTHY, HEALTHY)[0], "")
        self.assertEqual([o["type"] for o in self.objects(HEALTHY, HEALTHY)], ["verdict", "summary"] * 2)
        self.assertNotIn("captures:", self.run_lint("--join", HEALTHY, HEALTHY, "--fail-on", "never")[0])

    def test_dashes(self):
        (self.dir / "-c5").write_bytes(HEALTHY.read_bytes())
        self.assertEqual(self.summary("--", "-c5")["packets"], 127)

    def test_frames(self):
        """Frame numbers count the whole file, whatever is left out."""
        flush = "udp[8] = 0x1c"
        self.assertEqual(self.summary("-f", flush, FLUSH, status=1)["packets"], 3)
        for args, frames in (((), [15, 19, 21]), (("-c", "19"), [15, 19]), (("-f", flush), [15, 19, 21]),
                             (("-f", flush, "-c", "2"), [15, 19]), (("-f", "udp[8] = 0x11"), [])):
            with self.subTest(args):
                found = self.findings(*args, FLUSH, status=1 if frames else 0)
                self.assertEqual([f["frame"] for f in found], frames)
        self.assertEqual(self.summary("-c", "0", HEALTHY)["packets"], 127)
        self.assertEqual(self.summary("-c", "128", HEALTHY)["packets"], 127)

    def test_roce_port(self):
        frames = frames_of(HEALTHY)
        moved = [(t, f[:36] + struct.pack(">H", 4000) + f[38:] if f[36:38] == b"\x12\xb7" else f)
                 for t, f in frames]
        path = self.dir / "moved.pcap"
        path.write_bytes(pcap(moved))
        self.assertNotIn("rocev2", self.summary(path)["protocols"])
        for args in (("--roce-port", "4000"), ("--roce-port", "1", "--roce-port", "4000"),
                     ("--roce-port=1,4000",)):
            self.assertEqual(self.summary(*args, path, status=1)["protocols"]["rocev2"], 125)

    def test_link_speed(self):
        """An XOFF of 65535 quanta, 512 bit times each, without an XON; 1 s later the next one, of 100."""
        frames = [(i * 10**6, bytes.fromhex("0180c2000001 020000000001 8808 0101 0008 000000000000")
                   + struct.pack(">H", quanta) + bytes(34)) for i, quanta in enumerate((65535, 100))]
        plain, said = self.dir / "pause.pcap", self.dir / "pause.pcapng"
        plain.write_bytes(pcap(frames))
        speed = (ng.IF_SPEED, struct.pack("<Q", 10**10))
        said.write_bytes(ng.section() + ng.interface(1, pairs=[speed]) +
                         b"".join(ng.packet(0, time, data) for time, data in frames))
        unknown = "sent 2 XOFFs, 0 XONs on priority 3: paused for an unknown time"
        known = "sent 2 XOFFs, 0 XONs on priority 3: paused {}"
        for args, message in (((plain,), unknown), (("--link-speed", "100G", plain), known.format("335.5 us")),
                              (("--link-speed", "100000000000", said), known.format("335.5 us")),
                              ((said,), known.format("3.355 ms"))):
            found = [o["message"] for o in self.findings("--severity", "note", *args) if o["rule"] == "CNG012"]
            self.assertEqual(found, [f"02:00:00:00:00:01 {message}"], args)

    def test_connections(self):
        for name, n in (("01-rping-ipv4", 1), ("02-rping-ipv6", 1), ("11-ucmatose-ok", 3),
                        ("03h-send-rc-rdmacm", 2), ("08-send-ud", 0), ("07-send-uc", 1)):
            self.assertEqual(self.summary(RXE / f"{name}.pcap")["connections"], n, name)


class Selection(Case):
    def test_select(self):
        every = {f["rule"] for f in self.findings("--severity", "perf", CORRUPT, status=1)}
        self.assertGreater(len(every), 1)
        self.assertIn("CRC001", every)
        for args, want in (
                (("--ignore", "all"), set()), (("--ignore", "CRC001"), every - {"CRC001"}),
                (("--ignore", "all", "--select", "crc001"), {"CRC001"}),
                (("--ignore", "all", "--select", "icrc-bad"), {"CRC001"}),
                (("--ignore", "all", "--select", "CRC"), {r for r in every if r.startswith("CRC")}),
                (("--select", "CRC001", "--ignore", "all"), set()),
                (("--ignore", "CRC,ROC", "--select", "CRC001"),
                 {r for r in every if r[:3] not in ("CRC", "ROC")} | {"CRC001"})):
            with self.subTest(args):
                found = self.findings(*args, "--severity", "perf", "--fail-on", "never", CORRUPT)
                self.assertEqual({f["rule"] for f in found}, want)

    def test_severity(self):
        capture = MADE / "lint-bth.pcap"
        rank = SEVERITIES.index
        every = self.findings("--select", "all", "--severity", "perf", "--fail-on", "never", capture)
        levels = {f["severity"] for f in every}
        self.assertGreaterEqual(levels, {"error", "warning", "note"})
        for level in SEVERITIES:
            found = self.findings("--select", "all", "--severity", level, "--fail-on", "never", capture)
            self.assertEqual(found, [f for f in every if rank(f["severity"]) <= rank(level)])
        default = self.findings("--fail-on", "never", capture)
        self.assertEqual(default, [f for f in every if rank(f["severity"]) <= rank("warning")])

    def test_perf(self):
        """Its rules are off, unless their level is asked for."""
        perf, seen = {rule[0] for rule in RULES.values() if rule[2] == "PERF"}, set()
        for capture in sorted(MADE.glob("lint-*.pcap")):
            status = self.status_of(capture)
            found = self.findings("--severity", "note", "--fail-on", "never", capture, status=status)
            self.assertFalse({f["rule"] for f in found} & perf)
            asked = self.findings("--severity", "perf", "--fail-on", "never", capture, status=status)
            every = self.findings("--severity", "perf", "--select", "all", "--fail-on", "never", capture, status=status)
            self.assertEqual({f["rule"] for f in asked} & perf, {f["rule"] for f in every} & perf)
            seen |= {f["rule"] for f in asked} & perf
        self.assertTrue(seen)

    def status_of(self, capture):
        return subprocess.run([LINT, "--fail-on", "never", capture], capture_output=True,
                              check=False).returncode

    def test_max_per_rule(self):
        every = self.findings("--max-per-rule", "0", CORRUPT, status=1)
        self.assertEqual(len([f for f in every if f["rule"] == "CRC001"]), 35)
        for most in (1, 3, 10, 100):
            found = self.findings("--max-per-rule", str(most), CORRUPT, status=1)
            by_pair = {}
            for f in every:
                by_pair.setdefault((f["rule"], f["flow"]), []).append(f)
            single = [f for f in found if not re.fullmatch(r"\d+ more(, up to frame \d+)?", f["message"])]
            sums = [f for f in found if f not in single]
            self.assertEqual(single, [f for f in every if by_pair[f["rule"], f["flow"]].index(f) < most])
            self.assertEqual(found, single + sums)  # sums come last
            self.assertEqual(len(sums), sum(len(fs) > most for fs in by_pair.values()))
            for s in sums:
                held = by_pair[s["rule"], s["flow"]][most:]
                self.assertEqual(int(s["message"].split()[0]), len(held))
                self.assertEqual((s["frame"], s["time"]), (held[0]["frame"], held[0]["time"]))
                self.assertEqual(s["frames"], sorted({held[0]["frame"], held[-1]["frame"]}))
            summary = self.summary("--max-per-rule", str(most), CORRUPT, status=1)
            self.assertEqual(sum(summary["findings"][level] for level in ("error", "warning")), len(every))
            self.assertEqual(summary["rules"]["CRC001"], 35)


class Rules(Case):
    def test_list(self):
        rows = [line.split(None, 3) for line in self.lines("--list-rules")]
        self.assertEqual([(r[0], r[2], r[1].upper()) for r in rows],
                         [(r[0], r[1], r[2]) for r in sorted(RULES.values(), key=self.order)])
        for row in rows:
            self.assertTrue(row[3])

    def order(self, rule):
        groups = re.findall(r'"(\w+)\.def"', (ROOT / "dissector/lint/rules/rules.def").read_text())
        return groups.index(rule[0][:3].lower()), rule[0]

    def test_explain(self):
        for rule, (_, name, severity, _, layer) in RULES.items():
            text = self.run_lint("--explain", rule)[0]
            self.assertTrue(text.startswith(f"{rule} {name} ({severity.lower()}, layer {layer}"), text)
            self.assertEqual(re.findall(r"(?m)^(?!Not said of|Where, in the |Thresholds )(\w.*):$", text),
                             ["Fires when", "Why", "Usual cause", "What to do", "Example"])
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(self.run_lint("--explain", name)[0], text)

    def test_explain_group(self):
        text = self.run_lint("--explain", "crc")[0]
        self.assertEqual(re.findall(r"(?m)^([A-Z]{3}\d{3}) ", text),
                         [r for r in RULES if r.startswith("CRC")])


class Config(Case):
    def setUp(self):
        super().setUp()
        self.capture = self.dir / "a/x.pcap"
        self.capture.parent.mkdir()
        shutil.copy(FLUSH, self.capture)

    def nearby(self, text):
        (self.capture.parent / ".pcap-lint.conf").write_text(text)

    def at_home(self, text):
        (self.home / ".pcap-lint.conf").write_text(text)

    def test_places(self):
        off = "[pcap-lint]\nignore = CRC\n"
        self.run_lint(self.capture, status=1)
        self.at_home(off)
        self.run_lint(self.capture)
        self.run_lint("-", stdin=FLUSH.read_bytes())
        self.run_lint("--config", "/dev/null", self.capture, status=1)
        self.nearby("[pcap-lint]\n")  # the one next to the capture counts, not the one at home
        self.run_lint(self.capture, status=1)
        self.nearby(off)
        self.run_lint(self.capture)
        self.run_lint("x.pcap", cwd=self.capture.parent)
        self.run_lint(FLUSH, self.capture)  # the first by the file at home
        (self.home / ".pcap-lint.conf").unlink()
        self.run_lint(FLUSH, self.capture, status=1)  # each by its own
        (self.dir / "other").write_text("[pcap-lint]\ncount = 14\n")
        self.run_lint("--config", self.dir / "other", self.capture)
        self.run_lint("--config", self.dir / "none", self.capture, status=2)

    def test_precedence(self):
        self.nearby("[pcap-lint]\ncount = 15\nseverity = error\nformat = json\nquiet = true\n"
                    "fail-on = never\nmax-per-rule=0\n# a comment\nignore = all\nselect = CRC\n")
        self.assertEqual([json.loads(line)["frame"] for line in self.lines(self.capture)], [15])
        self.assertEqual([json.loads(line)["frame"] for line in self.lines("-c", "19", self.capture)],
                         [15, 19])
        text = self.run_lint("--format", "text", self.capture)[0]
        said = "error: CRC001 icrc-bad: 10.7.0.1 -> 10.7.0.2 qp 0x000018 psn 0xfffff4: RC FLUSH: ICRC 0xb79de1bc, should be "
        self.assertTrue(text.startswith(f"{self.capture}:15: {said}0x494540fa: "), text)
        self.run_lint("--fail-on", "error", self.capture, status=1)
        self.assertEqual(self.run_lint("--ignore", "all", self.capture)[0], "")

    def test_wrong(self):
        for text, word in (("[pcap-lint]\nfoo = 1\n", "foo: no such option"),
                           ("[pcap-lint]\nc = 1\n", "c: no such option"),
                           ("[pcap-lint]\ncount = x\n", "count = x: not a number"),
                           ("[pcap-lint]\nquiet = maybe\n", "quiet = maybe: neither"),
                           ("[pcap-lint]\noutput = y\n", "command line only"),
                           ("[pcap-lint]\ndecode = true\n", "command line only"),
                           ("[lint]\ncount = 1\n", "[lint]"), ("count = 1\n", "group"),
                           ("[pcap-lint]\nselect = NOPE\n", "NOPE")):
            with self.subTest(text):
                self.nearby(text)
                out, err = self.run_lint(self.capture, status=2)
                self.assertEqual(out, "")
                self.assertIn(".pcap-lint.conf: ", err)
                self.assertIn(word, err)
                out, err = self.run_lint(FLUSH, self.capture, status=2)  # the others are checked
                self.assertIn(f"{FLUSH}: 28 packets", out)


class Output(Case):
    def test_file(self):
        path = self.dir / "out"
        self.assertEqual(self.run_lint("-o", path, FLUSH, status=1)[0], "")
        self.assertEqual(path.read_text(), self.run_lint(FLUSH, status=1)[0])

    def test_not_over_input(self):
        copy = self.dir / "x.pcap"
        shutil.copy(FLUSH, copy)
        os.link(copy, self.dir / "link")
        for name in (copy, self.dir / "link"):
            _, err = self.run_lint("-o", name, HEALTHY, copy, status=2)
            self.assertIn("one of the captures", err)
        self.assertEqual(copy.read_bytes(), FLUSH.read_bytes())

    def test_cannot_write(self):
        self.assertIn("No such file", self.run_lint("-o", "no/such", FLUSH, status=2)[1])
        self.assertIn("No space left", self.run_lint("-o", "/dev/full", FLUSH, status=2)[1])
        for framing in ("pcap", "pcapng"):  # a few packets are written when the file is closed
            for count in ("1", "0"):
                self.assertEqual(self.run_lint("--convert", framing, "/dev/full", "-c", count, FLUSH, status=2),
                                 ("", "pcap-lint: /dev/full: No space left on device\n"))

    def test_verbose_frames(self):
        """Where the line of a finding says all, -v adds the frames that it does not name, and no reason."""
        for name, see in (("xth016-invalidate", False), ("bth007-limited", True), ("roc004-sport", True)):
            out = self.run_lint("-v", "--max-per-rule", "0", "--severity", "note", "--fail-on", "never", MADE / f"streams-{name}.pcap")[0]
            below = out.partition(f" {name[:6].upper()} ")[2].partition("    effect ")[0].splitlines()
            self.assertEqual([line.split()[0] for line in below[1:]], ["time"] + ["see"] * see, out)

    def test_quiet_and_verbose(self):
        each_of = ("--max-per-rule", "0", FLUSH)
        text = self.lines(*each_of, status=1)
        self.assertEqual(self.lines("-q", *each_of, status=1),
                         [line for line in text[:-1] if ": worst: " not in line and ": verdict: " not in line])
        self.assertEqual(self.run_lint("-q", HEALTHY)[0], "")
        verbose = self.lines("-v", *each_of, status=1)
        self.assertEqual([line for line in verbose if not line.startswith("    ")], text)
        heads = [line.split()[0] for line in verbose if line.startswith("    ")]
        each = ["time", "bytes", "because"]
        self.assertEqual(heads, each + ["effect", "cause", "do"] + each + each)
        self.assertNotIn('"summary"', self.run_lint("-q", "--format", "json", FLUSH, status=1)[0])

    def test_color(self):
        plain = self.run_lint(FLUSH, status=1)[0]
        self.assertNotIn("\033", plain)
        color = self.run_lint("--color", "always", FLUSH, status=1)[0]
        self.assertIn("\033[1;31merror\033[0m: ", color)
        self.assertEqual(re.sub(r"\033\[[\d;]*m", "", color), plain)
        self.assertNotIn("\033", self.run_lint("--color", "always", "--format", "json", FLUSH,
                                               status=1)[0])
        for env in ({}, {"NO_COLOR": ""}, {"TERM": "linux"}):  # an empty NO_COLOR is none: no-color.org
            self.assertIn("\033[1;31m", self.on_terminal(stdout=True, env=env), env)
        for env in ({"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", self.on_terminal("--progress", "never", stdout=True, env=env), env)
        self.assertNotIn("\033[1;31m", self.on_terminal(stdout=True, env={"NO_COLOR": "1"}))
        self.assertNotIn("\033[1;31m", self.on_terminal("--color", "never", stdout=True))

    def on_terminal(self, *args, stdout=False, env=None, capture=FLUSH, cwd=None, stdin=subprocess.DEVNULL):
        """What a terminal gets to see, as standard error and perhaps standard output."""
        return terminal.shown([LINT, *args, capture], stdout=stdout, stderr=True, stdin=stdin, cwd=cwd,
                              env={"HOME": str(self.home), "TERM": "xterm", **(env or {})})

    def test_locale(self):
        """What is said is the same where a comma is the decimal point, and words have umlauts."""
        spoken = german.locale(self.dir)
        umlaut = self.dir / "M\u00fcnchen.pcap"
        umlaut.symlink_to(RXE / "12d-netem-loss5.pcap")
        count = 0
        for args in (("--stats", "-v", umlaut), ("--stats", "--format", "json", umlaut), ("--interval", "auto", umlaut),
                     ("--story", "auto", umlaut), ("--decode", "-v", FLUSH), ("--explain", "all"), ("--help",),
                     ("--fail-on", "warning", "--stats", MAD / "sweep.pcap"), ("--sevrity", "x"), ("-c", "1,5", FLUSH),
                     ("none.pcap",)):
            runs = [subprocess.run([LINT, *args], capture_output=True, cwd=self.dir, check=False,
                                   env={"HOME": str(self.home), "PATH": os.environ["PATH"], **env})
                    for env in ({"LC_ALL": "C.UTF-8"}, spoken)]
            self.assertEqual(*((run.returncode, run.stdout, run.stderr) for run in runs), args)
            count += len(re.findall(rb"\d\.\d+ (?:ms|s|%|MB/s|Gb/s|us)", runs[0].stdout))
        self.assertGreater(count, 20)  # numbers with a point

    def test_progress(self):
        frame = frames_of(HEALTHY)[40][1]
        path = self.dir / "many.pcap"
        path.write_bytes(pcap([(i, frame) for i in range(200000)]))
        size, record, ahead = path.stat().st_size, 16 + len(frame), 2**20  # as much may be read already
        shown = self.on_terminal(capture=path)
        self.assertTrue(shown.endswith("\r\033[K"), shown)  # and away again
        lines = shown.split("\033[K")[:-2]
        for i, line in enumerate(lines):
            percent, packets, name = re.fullmatch(r"\r( ?\d\d|  \d|100) % (\d+) packets? (.*)", line).groups()
            self.assertEqual((int(packets) % 16384, name), (0, str(path)))
            self.assertGreaterEqual(int(percent), 100 * (24 + int(packets) * record) // size, line)
            self.assertLessEqual(int(percent), 100 * (24 + int(packets) * record + ahead) // size, line)
            self.assertTrue(i or int(packets) == 16384, line)  # the first at once
        self.assertTrue(lines, shown)
        with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:  # how much is to come nobody knows
            shown = self.on_terminal(capture="-", stdin=cat.stdout)
            self.assertEqual(shown.split("\033[K")[0], "\r16384 packets -")
        for args in (("-q",), ("--progress", "never")):
            self.assertEqual(self.on_terminal(*args, capture=path), "")
        self.assertEqual(self.run_lint(path)[1], "")  # not on a terminal


class Shape(Case):
    def captures(self):
        return sorted([*RXE.glob("*.pcap"), *MAD.glob("*.pcap"), *MADE.glob("*.pcap*")])

    def test_text(self):
        for capture in self.captures():
            run = subprocess.run([LINT, "--severity", "perf", "--select", "all", capture],
                                 capture_output=True, text=True, check=False)
            *found, last = run.stdout.splitlines()
            self.assertRegex(last, SUMMARY_LINE)
            for line in found:
                if line.startswith((f"{capture}: worst: ", f"{capture}: verdict: ", f"{capture}: more findings: ", f"{capture}: captured: ")):
                    continue
                match = FINDING_LINE.match(line)
                self.assertTrue(match, line)
                self.assertEqual(match["file"], str(capture))
                self.assertEqual(RULES[match["rule"]][1], match["name"])

    def test_json(self):
        for capture in self.captures():
            run = subprocess.run([LINT, "--format", "json", "--severity", "perf", "--select", "all",
                                  "--max-per-rule", "0", capture],
                                 capture_output=True, check=False)
            *found, verdict, summary = map(json.loads, run.stdout.decode().splitlines())
            self.assertEqual(list(verdict), VERDICT_KEYS)
            for incident in (f for f in found if f["type"] == "incident"):
                self.assertEqual("flow" in incident, incident["kind"] in ("mad", "rmpp", "segment-lost"))  # else its connection tells
                self.assertEqual("place" in incident, incident["kind"] == "segment-lost")
                for key in ("flow", "place", "source_node", "destination_node"):
                    incident.pop(key, None)
                self.assertEqual("marks" in incident and "cnps" in incident, incident["kind"] == "congestion")
                incident.pop("marks", None)
                incident.pop("cnps", None)
                self.assertEqual([*incident, *({"file_offset"} - set(incident))], INCIDENT_KEYS if "file_offset" in incident else
                                 [*(key for key in INCIDENT_KEYS if key != "file_offset"), "file_offset"])
            found = [f for f in found if f["type"] != "incident"]
            for f in found:
                keys = [key for key in f if key != "event"]
                self.assertEqual(keys, [key for key in FINDING_KEYS if key in keys or key not in FINDING_SOME])
                self.assertIn("incident", f)
                self.assertTrue(f["layer"] == "file" or ("file_offset" in f) == (not str(capture).endswith((".gz", ".zst", ".lz4", ".xz", ".bz2"))), f)
                self.assertEqual((f["type"], f["file"]), ("finding", str(capture)))
                _, name, _, _, layer = RULES[f["rule"]]
                self.assertEqual(f["name"], name)
                # Which layer of a packet it names is agree.py's.
                self.assertEqual(f["layer"] == "file", layer == "file")
                self.assertIn(f["severity"], SEVERITIES)
                self.assertTrue(f["frame"] is None or f["frames"] == [f["frame"]])
                self.assertTrue(f["time"] is None or re.fullmatch(r"\d+\.\d{9}", f["time"]))
            self.assertEqual([key for key in summary if key not in SUMMARY_MORE], SUMMARY_KEYS)
            self.assertEqual(summary["schema"], 3)
            self.assertEqual(list(summary["findings"]), SEVERITIES)
            for level in SEVERITIES:
                self.assertEqual(summary["findings"][level], sum(f["severity"] == level for f in found))
            self.assertEqual(sum(summary["rules"].values()), len(found))
            self.assertLessEqual(set(summary["protocols"]), PROTOCOLS)
            self.assertEqual(sum(summary["protocols"].values()), summary["packets"])

    def test_withheld(self):
        """Findings at note level that are no notes are counted with the reason, as long as they are not shown."""
        seen = set()
        for capture in sorted([*(ROOT / "pcaps/faults").glob("*.pcap"), *MADE.glob("streams-*.pcap")]):
            run = subprocess.run([LINT, "--format", "json", "--severity", "note", "--max-per-rule", "0", "--fail-on", "never",
                                  capture], capture_output=True, check=True)
            *found, summary = map(json.loads, run.stdout.decode().splitlines())
            lower = [f["rule"] for f in found if f["type"] == "finding" and f["severity"] == "note" and RULES[f["rule"]][2] == "WARNING"]
            count, doubt = summary["withheld"]["count"], summary["withheld"]["doubt"]
            if not LESSER & set(lower):
                self.assertEqual(count, len(lower), capture.name)
            self.assertEqual(count > 0, doubt != [], capture.name)
            said = WITHHELD.search(self.lines(capture, "--fail-on", "never")[-1])
            self.assertEqual(int(said[1]) if said else 0, count, capture.name)
            if said:
                self.assertEqual(said[2], " and ".join(BECAUSE[name] for name in doubt), capture.name)
            self.assertFalse(WITHHELD.search(self.lines(capture, "--fail-on", "never", "--severity", "note")[-1]), capture.name)
            seen |= set(doubt)
        self.assertLessEqual({"one-way", "capture-loss", "sampled"}, seen)

    def test_congestion(self):
        """ECN, CNPs, pause and DSCP, counted from the bytes: of Ethernet and IPv4, without a tunnel."""
        seen = collections.Counter()
        for capture in (RXE / "14-tclass-106.pcap", RXE / "14b-tclass-ecn-ect0.pcap",
                        MADE / "streams-congestion.pcap", MADE / "pause.pcap"):
            want, dscp = collections.Counter(), collections.Counter()
            for _, frame in frames_of(capture):
                want["pause"] += frame[12:14] == b"\x88\x08"
                if frame[12:14] != b"\x08\x00" or frame[36:38] != b"\x12\xb7":
                    continue
                ecn = frame[15] & 3
                want["ect"] += ecn in (1, 2)
                want["ce"] += ecn == 3 or frame[46] >> 7
                want["cnp"] += frame[42] == 0x81
                dscp[str(frame[15] >> 2)] += 1
            summary = self.summary(capture, "--fail-on", "never")
            self.assertEqual({key: summary[key] for key in ("ect", "ce", "cnp", "pause")},
                             {key: want[key] for key in ("ect", "ce", "cnp", "pause")}, capture.name)
            self.assertEqual(summary["dscp"], dict(dscp), capture.name)
            text = self.lines(capture, "--fail-on", "never")[-1]
            if set(dscp) == {"0"}:
                dscp.clear()
            counts = {name: want[key] for key, name in (("ce", "CE"), ("cnp", "CNP"), ("pause", "pause")) if want[key]}
            counts |= {f"DSCP {value}": n for value, n in dscp.items()}
            said = re.findall(r"(\d+) (CE|CNP|pause|DSCP \d+)(?=,)", text)
            self.assertEqual({name: int(n) for n, name in said}, counts, text)
            seen += want
            seen["other classes"] += len(set(dscp) - {"0"})
        self.assertGreater(min(seen[key] for key in ("ect", "ce", "cnp", "pause", "other classes")), 0, seen)

    def test_not_none(self):
        """RDMA that is not decoded, or at another port, is not said to be none."""
        for capture, words in ((ROOT / "pcaps/siw/01-rping-ipv4.pcap", "2 iWARP MPA"),
                               (MADE / "lint-cap-other-port.pcap", "1 RoCE v2 at another port")):
            text = self.run_lint("--severity", "note", capture, "--fail-on", "never")[0]
            self.assertIn(words, text)
            self.assertNotIn("no RDMA", text)
            self.assertNotIn("CAP011", text)

    def test_psn(self):
        """The PSN of a finding is that of its packet."""
        by_frame = dict(enumerate((frame for _, frame in frames_of(CORRUPT)), 1))
        found = [f for f in self.findings("--max-per-rule", "0", CORRUPT, status=1) if f["rule"] == "CRC001"]
        self.assertEqual([f["psn"] for f in found],
                         [int.from_bytes(by_frame[f["frame"]][51:54], "big") for f in found])
        back = self.dir / "back.pcap"
        frames = frames_of(HEALTHY)
        back.write_bytes(pcap(frames[:50] + [(time - 1000000, data) for time, data in frames[50:]]))
        self.assertEqual([f["psn"] for f in self.findings(back)], [None])

    def test_totals(self):
        frames = frames_of(CORRUPT)
        summary = self.summary(CORRUPT, status=1)
        times = [time for time, _ in frames]
        self.assertEqual(summary["packets"], len(frames))
        self.assertEqual(summary["bytes"], sum(len(data) for _, data in frames))
        self.assertEqual(round(summary["duration"] * 1e6), max(times) - min(times))

    def test_duration(self):
        """From the earliest time to the latest, wherever in the file they are."""
        frame = frames_of(HEALTHY)[40][1]
        for seconds in ((5, 3, 9), (9, 5, 3), (3, 9, 5), (5, 9, 3)):
            path = self.dir / "times.pcap"
            path.write_bytes(pcap([(second * 1000000, frame) for second in seconds]))
            self.assertEqual(self.summary(path)["duration"], 6, seconds)

    def test_many_interfaces(self):
        """The clocks of 64 interfaces are followed, each by itself; those of others not at all."""
        frame = frames_of(HEALTHY)[40][1]
        for frames, back in (([(0, 9), (64, 5), (0, 10)], None), ([(64, 9), (0, 5)], None),
                             ([(64, 9), (64, 5)], None), ([(100, 9), (36, 5)], None),
                             ([(63, 9), (63, 5)], 2), ([(63, 9), (62, 5), (63, 8)], 3),
                             ([(0, 9), (0, 5)], 2)):
            path = self.dir / "interfaces.pcapng"
            path.write_bytes(pcapng(101, [(iface, second, frame) for iface, second in frames]))
            found = [f["frame"] for f in self.findings(path) if f["rule"] == "CAP003"]
            self.assertEqual(found, [back] if back else [], frames)

    def test_names(self):
        """File names are bytes; JSON is UTF-8 whatever they hold, a line of text one line."""
        for name, seen in ((b"bad\xff\xc3.pcap", "bad\ufffd\ufffd.pcap"),
                           ("gr\u00fc\u00df.pcap".encode(), "gr\u00fc\u00df.pcap"),
                           (b'q"\\\n\x1b\x7f.pcap', 'q"\\\n\x1b\x7f.pcap')):
            path = os.fsencode(self.dir) + b"/" + name
            shutil.copy(FLUSH, path)
            for o in self.objects(path, status=1) + self.objects("--decode", "-c1", path):
                self.assertEqual(o["file"], f"{self.dir}/{seen}")
            self.assertEqual(len(self.lines(path, status=1)), 4)
            self.assertNotRegex(self.run_lint(path, status=1)[0], "[\x1b\x7f]")


class Decode(Case):
    def test_malformed(self):
        """Where a packet is wrong: an ACK of 62 bytes whose end is taken away, and its lengths changed."""
        ack, path = bytearray(frames_of(HEALTHY)[40][1]), self.dir / "x.pcap"
        self.assertEqual((len(ack), ack[42]), (62, 0x11))

        def cut(end):
            return [*ack[:16], *(end - 14).to_bytes(2, "big"), *ack[18:38], *(end - 34).to_bytes(2, "big"), *ack[40:end]]
        for frame, layer, field, offset, needed, had, by in (
                (cut(60), "bth", None, 42, 4, 2, "ipv4"),  # the ICRC has 4 bytes
                ([*ack[:38], 0, 26, *ack[40:]], "bth", None, 42, 4, 2, "udp"),
                (cut(56), "aeth", None, 54, 4, 2, "ipv4"),
                ([*ack[:38], 0, 30, *ack[40:]], "udp", "length", 34, 30, 28, "ipv4"),
                ([*ack[:43], ack[43] | 0x30, *ack[44:]], "bth", "padcnt", 42, 3, 0, "ipv4")):
            path.write_bytes(pcap([(1, bytes(frame))]))
            self.assertEqual(self.objects("--decode", path)[0]["error"],
                             {"layer": layer, "field": field, "offset": offset, "needed": needed, "had": had})
            first = self.lines("--decode", path)[0]
            self.assertEqual(first[first.find(": malformed"):],
                             f": malformed in {layer}{f'.{field}' if field else ''} at offset {offset}, needed {needed}, had {had} by {by}")

    def test_json(self):
        fields = {path.stem: FIELD.findall(path.read_text())
                  for path in (ROOT / "include/ibwire/schema").glob("*.def")}
        outcomes, layers, captures = set(), set(), 0
        for capture in sorted([*RXE.glob("*.pcap"), *MADE.glob("*.pcap*")]):
            if capture.stat().st_size > 500000:
                continue
            run = subprocess.run([LINT, "--decode", "--format", "json", capture],
                                 capture_output=True, text=True, check=False)
            captures += 1
            for line in run.stdout.splitlines():
                p = json.loads(line)
                outcomes.add(p["outcome"])
                keys = [k for k in p if k not in ("error", "icmp")]
                self.assertEqual(keys, PACKET_KEYS)
                self.assertEqual("error" in p, p["outcome"] == "malformed")
                if "error" in p:
                    self.assertEqual(list(p["error"]), ["layer", "field", "offset", "needed", "had"])
                self.assertEqual(list(p["payload"]), ["offset", "length"])
                for name in ("icrc", "vcrc"):
                    self.assert_crc(p[name], 8 if name == "icrc" else 4)
                for layer in p["layers"]:
                    layers.add(layer["name"])
                    keys = [k for k in layer if k not in ("frames", "request", "command")]
                    of_stream = {"mpa": ["place", "crc"], "mpa_start": ["place"]}.get(layer["name"], [])
                    self.assertEqual(keys, ["name", "offset", "length", *of_stream, "fields"])
                    if "frames" not in layer:  # else the records of several packets
                        self.assertLessEqual(layer["offset"] + layer["length"], p["caplen"])
                    self.assertEqual([f for f in layer["fields"] if not f.startswith(HIDDEN)],
                                     [f for f in fields[layer["name"]]
                                      if not f.startswith(HIDDEN)])
        self.assertEqual(outcomes, {"ok", "cut", "malformed", "other"})
        self.assertGreaterEqual(layers, {
            "eth", "vlan", "sll", "sll2", "erf", "ipv4", "ipv6", "udp", "vxlan", "lrh", "grh", "bth",
            "rdeth", "deth", "xrceth", "feth", "reth", "atomiceth", "aeth", "atomicacketh", "immdt",
            "ieth", "atomicwrite", "cnp", "linkpkt", "pfc", "arp", "arp_ipoib", "ipoib"})
        self.assertGreater(captures, 30)

    def assert_crc(self, crc, digits):
        self.assertIn(crc["status"], ("good", "bad", "absent", "unverifiable"))
        if crc["status"] in ("good", "bad"):
            self.assertEqual(list(crc), ["status", "found", "computed"])
            for name in ("found", "computed"):
                self.assertRegex(crc[name], rf"^0x[0-9a-f]{{{digits}}}$")
            self.assertEqual(crc["found"] == crc["computed"], crc["status"] == "good")
        else:
            self.assertEqual(list(crc), ["status"])

    def test_bad_icrc(self):
        packets = self.objects("--decode", FLUSH)
        self.assertEqual([p["frame"] for p in packets], list(range(1, 29)))
        self.assertEqual([p["frame"] for p in packets if p["icrc"]["status"] == "bad"], [15, 19, 21])

    def test_text(self):
        """Text and JSON tell the same layers, field by field."""
        for capture in (FLUSH, MADE / "framings-us.pcap", MADE / "ipoib-ib.pcap"):
            text = self.run_lint("--decode", capture)[0]
            heads = [f"{layer['name']}: offset {layer['offset']}, length {layer['length']}, "
                     for p in self.objects("--decode", capture) for layer in p["layers"]]
            shown = [line[2:] for line in text.splitlines()
                     if re.match(r"  \w+: offset \d+, length \d+, ", line)]
            self.assertEqual([s[:len(h)] for s, h in zip(shown, heads)], heads)
            self.assertEqual(len(shown), len(heads))
            self.assertEqual([f for p in self.objects("--decode", capture) for layer in p["layers"]
                              for f in layer["fields"]],
                             re.findall(r"(?m)^    (?!more)(\w+): ", text))

    def test_payload(self):
        text = self.run_lint("--decode", "-v", "-f", "udp[8] = 4", "-c1", HEALTHY)[0]
        place = re.search(r"payload: offset (\d+), length (\d+)\n((?:    0x.*\n)+)", text)
        offset, length = int(place[1]), int(place[2])
        frame = next(f for _, f in frames_of(HEALTHY) if f[36:38] == b"\x12\xb7" and f[42] == 4)
        dumped = "".join(line.split()[1] for line in place[3].splitlines())
        self.assertEqual(bytes.fromhex(dumped), frame[offset:offset + length])


if __name__ == "__main__":
    LINT, MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], failfast=first_fault.only())
