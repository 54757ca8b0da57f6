#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""readme.py PCAP-LINT [PLUGIN]: what README.md and the man page show is what is printed today.

A block of README.md that begins with "$ COMMAND" holds all that the command prints; a finding that is
alone is a line of what its capture gives. The keys that pcap-lint(1) lists of each JSON object are those
of the objects, in that order, and its link types those that are read. The C examples are tests/tree/consumer.sh's. With PLUGIN: the tshark commands.
"""
import difflib
import json
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
FINDING = re.compile(r"(pcaps/\S+?):\d+: \w+: \w+ ")
# What man.c says in words of a list of keys, and where the object has them.
OBJECTS = {"finding": ["pcaps/rxe/40-k612-flush.pcap"],
           "flow": ["--stats", "pcaps/rxe/04-write-rc.pcap"],
           "story": ["--story", "auto", "pcaps/faults/05-rnr-finite.pcap"],
           "event": ["--story", "auto", "pcaps/faults/05-rnr-finite.pcap"],
           "incident": ["pcaps/faults/06-rnr-infinite.pcap"],
           "verdict": ["pcaps/faults/06-rnr-infinite.pcap"],
           "upper": ["--stats", "pcaps/ulp/01-nvme.pcap"],
           "command": ["--stats", "pcaps/ulp/01-nvme.pcap"],
           "summary": ["pcaps/rxe/40-k612-flush.pcap"],
           "packet": ["--decode", "pcaps/rxe/04-write-rc.pcap"]}
IWARP, MPA = "pcaps/siw/01-rping-ipv4.pcap", [4, 6]
SOMETIMES = {"error", "icmp"}  # of a packet that is malformed, and of one that is an ICMP error
LINK_TYPES = 300


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def blocks():
    """The lines of each block of README.md."""
    return [text.splitlines()[1:] for text in README.read_text().split("```")[1::2]]


def differences(what, shown, printed):
    return [f"{what}: {line}" for line in difflib.unified_diff(shown, printed, "README.md", "now", lineterm="", n=0)][:12]


def commands(lint):
    """[(command as it is shown, what it prints)] of the blocks that are about pcap-lint."""
    for shown in blocks():
        if not shown or not shown[0].startswith("$ "):
            continue
        words = shlex.split(shown[0][2:])
        if words[:2] == ["./dev", "lint"]:
            words = ["pcap-lint", *words[2:]]
        if words[0] == "pcap-lint":
            yield shown[0], shown[1:], run(lint, "--config", "none", *words[1:]).splitlines()


def findings(lint):
    """[(line, whether it is printed)] of the findings that stand alone."""
    for shown in blocks():
        for line in shown if shown and FINDING.match(shown[0]) else ():
            path = FINDING.match(line)[1]
            yield line, line in run(lint, "--config", "none", path).splitlines()


def listed(page, name):
    """The keys that the man page lists of an object: the words up to what they mean."""
    text = re.search(rf"(?m)^\.B {name}\n(.*)$", page)[1].replace("\\", "")
    text = text[max(0, text.find("schema, ")):]
    text = re.sub(r"\([^()]*\)", "", text.partition(". Each direction" if name == "flow" else ". ")[0])
    return [key for key in re.findall(r"[a-z_]+", text.replace(" and ", ", "))]


def keys(lint):
    """[(object, keys of the man page, keys that it has)]"""
    page = (pathlib.Path(lint).parent / "pcap-lint.1").read_text()
    for name, args in OBJECTS.items():
        rows = [json.loads(line) for line in run(lint, "--config", "none", "--format", "json", *args).splitlines()]
        row = next((row for row in rows if row["type"] == name), {})
        yield name, [key for key in listed(page, name) if key not in SOMETIMES], list(row)[1:]


def link_types(lint):
    """({link types of the man page}, {those a file may have})"""
    page = (pathlib.Path(lint).parent / "pcap-lint.1").read_text()
    sentence = re.search(r"Link types: (.*?)\. ", page)[1]
    shown = {int(number) for group in re.findall(r"\(([\d, ]+)\)", sentence) for number in group.split(", ")}
    with tempfile.TemporaryDirectory() as tmp:
        for i in range(LINK_TYPES):
            pcap = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, i) + struct.pack("<IIII", 0, 0, 4, 4) + bytes(4)
            (pathlib.Path(tmp) / str(i)).write_bytes(pcap)
        out = run(lint, "--config", "none", "--format", "json", *(f"{tmp}/{i}" for i in range(LINK_TYPES)))
    rows = [json.loads(line) for line in out.splitlines()]
    unknown = {int(pathlib.Path(row["file"]).name) for row in rows if row.get("rule") == "CAP006"}
    return shown, {int(pathlib.Path(row["file"]).name) for row in rows} - unknown


def iwarp(lint):
    """What README says of iWARP is true of a connection: --decode shows two frames of MPA, and FPDUs."""
    rows = [json.loads(line) for line in
            run(lint, "--config", "none", "--decode", "--format", "json", IWARP).splitlines()]
    known = [row["frame"] for row in rows if row["outcome"] == "ok"]
    words = " ".join((ROOT / "README.md").read_text().split())
    if known[:2] != MPA:
        yield f"{IWARP}: MPA is recognised in frames {known[:2]}, not {MPA}"
    fpdus = [row["frame"] for row in rows if any(layer["name"] == "mpa" for layer in row["layers"])]
    if ("pcap-lint shows each FPDU in the packet that completes it (`--decode`)" in words) != (known == MPA + fpdus != MPA):
        yield f"{IWARP}: {len(known)} of {len(rows)} frames are decoded, which is not what README says"


def check_lint(lint):
    faults, n = [], {"commands": 0, "findings": 0, "keys": 0, "link types": 0}
    for command, shown, printed in commands(lint):
        n["commands"] += 1
        faults += differences(command, shown, printed)
    for line, there in findings(lint):
        n["findings"] += 1
        faults += [] if there else [f"not printed: {line[:150]}"]
    for name, want, have in keys(lint):
        n["keys"] += len(have)
        faults += [] if want == have else [f"{name}: pcap-lint(1) has {want}, the object {have}"]
    shown, known = link_types(lint)
    n["link types"] = len(known)
    faults += [] if shown == known else [f"link types: pcap-lint(1) has {sorted(shown)}, read are {sorted(known)}"]
    faults += iwarp(lint)
    if n["commands"] < 2 or n["findings"] < 4 or n["keys"] < 50:
        faults.append("too little was compared")
    return faults, n


def check_tshark(plugin):
    sys.path.insert(0, str(ROOT / "tests/wireshark"))
    import ws  # pylint: disable=import-outside-toplevel
    faults, n = [], 0
    tshark = ws.Tshark(plugin)
    for shown in blocks():
        if shown and shown[0].startswith("$ tshark "):
            n += 1
            printed = tshark.run(*(ROOT / word if word.startswith("pcaps/") else word
                                   for word in shlex.split(shown[0][2:])[1:]))
            faults += differences(shown[0], shown[1:], printed.splitlines())
    return faults if n else ["no tshark command"], {"commands": n}


def main():
    os.environ["HOME"] = "/nonexistent"  # no options of whoever runs this
    faults, n = check_tshark(sys.argv[2]) if len(sys.argv) > 2 else check_lint(os.path.abspath(sys.argv[1]))
    print("\n".join([*faults, ", ".join(f"{count} {what}" for what, count in n.items()) + f", {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
