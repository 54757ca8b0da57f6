#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""findings.py PLUGIN PCAP-LINT MADE [FRAMES]: what pcap-lint finds of a frame is an expert item there.

The same rules in the same order, with the same severity and message, at the same bytes, and as Wireshark
counts: with its severity and group. Of the first FRAMES frames (0: all) of every capture, in augment and
in take-over mode. Read twice, as in the window of Wireshark, so that what is only known at the end
of the file is there; and once, when every rule about a single packet is.
"""
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pdml
import ws
from ws import ng

ETHERNET, CLOCKS = 1, "lint-cap-time-two-clocks.pcapng"
SEVERITIES = ["error", "warning", "note", "perf"]
# As the plugin's README says.
EXPERT_SEVERITY = {"error": "Error", "warning": "Warn", "note": "Note", "perf": "Chat"}
EXPERT_GROUP = {"CRC": "Checksum", "QPS": "Sequence", "CMS": "Sequence", "RMP": "Reassemble", "CAP": "Assumption"}
RESPONSES = {"QPS008", "QPS012", "QPS014", "CMS005", "MAD011"}  # a NAK, an RNR NAK, a REJ, the status of a MAD
OTHER_GROUPS = "Protocol"
# What only the reader of the file can know, which here is Wireshark.
READERS = {"CAP001", "CAP002", "CAP006", "CAP009"}
RULE = re.compile(r'^LINT_RULE\((\w+), "([\w-]+)", (\w+), (\w+), "\w+",\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', re.M)
LINT = ["--severity", "perf", "--select", "all", "--ignore", "CAP008", "--max-per-rule", "0", "--fail-on", "never",
        "--format", "json"]
ENDED = 0, 2  # all was read; some of it was damaged
OPTIONS = ["-o", "ibwire.severity:perf", "-o", "ibwire.select:all", "-Y", "ibwire.lint.rule"]


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    name: str
    severity: str
    message: str
    place: tuple

    def below(self, tree_at):
        """As pdml has it: what begins before its parent it counts from there (print.c)."""
        at, length = self.place
        return dataclasses.replace(self, place=(at if at >= tree_at else at + tree_at, length))


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    severity: str
    scope: str
    text: str


def words_of(text):
    """What the string literals of C say together."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"')


def rules():
    """{id: Rule}"""
    return {found[0]: Rule(found[1], found[2].lower(), found[3], words_of(found[4]))
            for path in (ws.ROOT / "dissector/lint/rules").glob("*.def")
            for found in RULE.findall(path.read_text())}


def place_of(row, linktype, data):
    """Where the bytes of a finding are: not more of them than were captured."""
    head = ws.erf_header(data) if linktype == ws.ERF else 0
    end = head if row["offset"] < head else len(data)
    at, length = row["offset"], min(row["length"], end - row["offset"])
    if length < 0:
        at = length = 0
    elif at >= head:
        at -= head
    return at, length


def found_by_lint(lint, capture, rows):
    """[[Finding]] of each frame. The plugin says CRC001 of each packet, where pcap-lint has CRC011 say it of all."""
    out, alone = said_by_lint(lint, capture, rows), said_by_lint(lint, capture, rows, "--ignore", "CRC011")
    for frame, every in zip(out, alone, strict=True):
        frame[:] = [row for row in frame if row.rule != "CRC001"]
        at = next((i for i, row in enumerate(frame) if row.rule == "CRC009" or RULES[row.rule].scope != "PACKET"), len(frame))
        frame[at:at] = [row for row in every if row.rule == "CRC001"]
    return out


def said_by_lint(lint, capture, rows, *options):
    run = subprocess.run([lint, *LINT, *options, capture], capture_output=True, text=True, check=False)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    if run.returncode not in ENDED or not said or said[-1]["type"] != "summary":
        raise SystemExit(f"{lint}: status {run.returncode}, not to its end\n{run.stderr[-4000:]}")
    out = [[] for _ in rows]
    for found in said:
        if found["type"] == "finding" and found.get("frame") and found["rule"] not in READERS:
            out[found["frame"] - 1].append(Finding(
                found["rule"], found["name"], found["severity"], found["message"],
                place_of(found, *rows[found["frame"] - 1])))
    return out


def finding_of(item, faults):
    """The Finding that an item stands for; @faults gets what Wireshark was told wrong of it."""
    if item.get("name") != "ibwire.lint":
        return None
    show = {field.get("name"): field.get("show") for field in item}
    rule, name, message = (show["ibwire.lint." + word] for word in ("rule", "name", "message"))
    severity = SEVERITIES[int(show["ibwire.lint.severity"])]
    group = EXPERT_GROUP.get(rule[:3], OTHER_GROUPS) if rule not in RESPONSES else "Response"
    # The same words for all findings of a rule, so that a list of them has one line.
    want = pdml.Expert(f"ibwire.expert.rule.{rule.lower()}" + ".lesser" * (severity != RULES[rule].severity),
                       EXPERT_SEVERITY[severity], group, f"{rule} {name}: {RULES[rule].text}")
    if pdml.expert(item) != want:
        faults.append(f"{pdml.expert(item)}, not {want}")
    if item.get("show") != f"{rule} {name}: {message}":
        faults.append(f"the text is {item.get('show')}")
    return Finding(rule, name, severity, message, pdml.place(item))


def own_items(protos):
    """Expert items that say again what a rule says, and findings that are not first in their tree."""
    names = {field[0].get("name") for proto in protos for field in proto.iter("field")
             if field.get("name") == "_ws.expert"}
    yield from (f"{name} is next to a finding" for name in names if not name.startswith("ibwire.expert."))
    for proto in protos:
        places = [i for i, item in enumerate(proto) if item.get("name") == "ibwire.lint"]
        if places != list(range(len(places))):
            yield f"findings are items {places}"


def found_by_plugin(tshark, capture, faults, origin, *options):
    """[(where our tree begins, [Finding])] of each frame."""
    out = [(0, []) for _ in origin]
    for number, protos in pdml.packets(tshark, capture, *OPTIONS, *options):
        wrong = []
        found = [finding_of(item, wrong) for proto in protos for item in proto]
        wrong += own_items(protos) if any(found) else []
        faults += [f"{origin[number - 1]} {options}: {fault}" for fault in wrong]
        out[number - 1] = int(protos[0].get("pos")), [finding for finding in found if finding]
    return out


RULES = rules()


def in_order(found):
    """Those of one packet as they come, then those of streams by their rules: pcap-lint says some of these after all others."""
    return sorted(found, key=lambda one: (one.rule, one.message) if RULES[one.rule].scope == "STREAM" else ("", ""))


def compare(tshark, capture, wanted, origin, ways):
    """Faults of what the plugin finds of a capture."""
    for options in ways:
        faults = []
        found = found_by_plugin(tshark, capture, faults, origin, *options)
        yield from faults
        for where, want, (tree_at, have) in zip(origin, wanted, found, strict=True):
            want = [row.below(tree_at) for row in want]
            if not options:
                want, have = ([row for row in some if RULES[row.rule].scope == "PACKET"]
                              for some in (want, have))
            if in_order(want) != in_order(have):
                yield f"{where} {options}: {have}, not {want}"


def interfaces(tshark, lint, made):
    """A capture of two interfaces, whose clocks differ: what would be wrong of one is not of two."""
    path = pathlib.Path(made) / CLOCKS
    capture = tshark.dir / CLOCKS
    shutil.copy(path, capture)
    capture.chmod(0o644)
    _, packets = ng.read(path.read_bytes())
    wanted = found_by_lint(lint, path, [(ETHERNET, packet.data) for packet in packets])
    origin = [f"{CLOCKS}:{i + 1}" for i in range(len(packets))]
    yield from compare(tshark, capture, wanted, origin, (["-2"],))


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 100
    merged = ws.by_linktype(made, first or None)
    rows = [(linktype, row[3]) for linktype, (frames, _) in merged.items() for row in frames]
    wanted = found_by_lint(lint, tshark.write_all("as-is.pcapng", merged, as_is=True), rows)
    faults = list(compare(tshark, tshark.write_all("all.pcapng", merged), wanted, ws.origins(merged),
                          (["-2"], ["-2", "-o", "ibwire.mode:takeover"], [])))
    faults += interfaces(tshark, lint, made)
    return ws.verdict(faults, f"{sum(map(len, wanted))} findings") if any(wanted) else 1


if __name__ == "__main__":
    sys.exit(main())
