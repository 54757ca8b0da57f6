#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rule_examples.py PCAP-LINT MADE TABLES-DUMP MAKE [--update]: the example of each rule is what is really found.

For each rule the first finding in the captures that pcaps/make writes to MADE, those of its own group before
others, and last those that change with each new rule; its message, and which bits of its header are at fault: the bytes of the finding, or, where the rule
names a field that lies in them, the field. examples.def has to have just that; --update writes it. --explain shows it: the message, and a "^" under each of the bits.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import streams
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tables_file  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEF = ROOT / "dissector/pcap-lint/command/examples.def"
LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
# It has the cases of all rules, in each framing.
OF_ALL = {"lint-framings.pcap"}
CALL = re.compile(r'\b(?:LINT_)?AT\w*\(([^"]*?LINT_([A-Z]{3}\d{3})[^"]*)"')
HEAD = """/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * examples.def - what --explain shows of each rule: a finding in a capture that pcaps/make writes, and the bits of
 * its header that it is about; of 0 bits: of no header. Written by tests/lint/rule_examples.py --update.
 *
 * PL_EXAMPLE(rule, layer, first bit, bits, "message")
 */
"""


def lines_of(*args):
    """The JSON lines of pcap-lint. A capture that is cut ends with status 2."""
    done = subprocess.run([LINT, *OPTIONS, *args], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        raise SystemExit(f"{args[-1]}: pcap-lint ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def named_fields():
    """{rule: names in the calls that report it}: that of the field is one of them."""
    names = collections.defaultdict(set)
    for path in sorted((ROOT / "dissector/lint").rglob("*.c")):
        for args, rule in CALL.findall(path.read_text()):
            names[rule] |= set(re.findall(r"\w+", args))
    return names


def found(captures):
    """{rule: (capture, finding)}"""
    first = {}
    for path in captures:
        for line in lines_of(path):
            if line["type"] != "finding":
                continue
            rule = line["rule"]
            rank = (path.name in OF_ALL, not path.name.startswith(f"lint-{rule[:3].lower()}"), not line["length"],
                    path.name, line["frame"] or 0)
            if rule not in first or rank < first[rule][0]:
                first[rule] = rank, path, line
    return {rule: (path, line) for rule, (_, path, line) in first.items()}


def bits_of(path, line, fields, names):
    """(layer, first bit, bits) at fault."""
    layer, from_, length = line["layer"], line["offset"], line["length"]
    if not length or not line["frame"] or layer not in fields:
        return layer, 0, 0
    packet = next(p for p in lines_of("--decode", path) if p["type"] == "packet" and p["frame"] == line["frame"])
    for part in packet["layers"]:
        at, end = 8 * (from_ - part["offset"]), 8 * (from_ + length - part["offset"])
        if part["name"] != layer or at < 0 or at >= 8 * part["length"]:
            continue
        size = max(a + n for _, a, n in fields[layer])
        end = min(end, size)
        if at >= size:
            continue
        for name, a, n in fields[layer]:
            if name in names and a < end and a + n > at:
                return layer, a, n
        return (layer, at, end - at) if end - at < size else (layer, 0, 0)  # the whole header: nowhere in it
    return layer, 0, 0


def shown(rows):
    """What is wrong with the examples of --explain: each has the message of its row, and marks as many bits."""
    out = subprocess.run([LINT, "--explain", "all"], capture_output=True, text=True, check=True).stdout
    texts = {text[:6]: text for text in re.split(r"^(?=[A-Z]{3}\d{3} )", out, flags=re.M) if text}
    for row in rows:
        rule, layer, _, bits, message = re.fullmatch(r'PL_EXAMPLE\((\w+), (\w+), (\d+), (\d+), (".*")\)\n', row).groups()
        example = texts[rule].partition("\nExample:\n")[2]
        marks = re.findall(r"^ *(\^+)$", example, re.M)
        if " ".join(example.split("\n\n")[0].split()) != " ".join(json.loads(message).split()):
            yield f"{rule}: --explain has another message"
        if sum((len(mark) + 1) // 2 for mark in marks) != int(bits):
            yield f"{rule}: --explain marks other than {bits} bits of {layer}"


def main():
    dump = tables_file.read(subprocess.run([sys.argv[3]], capture_output=True, text=True, check=True).stdout)
    fields, rules = collections.defaultdict(list), [row["id"] for row in dump if row["table"] == "rule"]
    for row in dump:
        if row["table"] == "field":
            fields[row["header"]].append((row["name"], int(row["at"]), int(row["bits"]) * int(row["count"])))
    names, rows = named_fields(), []
    with tempfile.TemporaryDirectory() as long:
        subprocess.run([sys.argv[4], "-s", long, streams.LONG], check=True)
        examples = found(sorted([*MADE.glob("lint-*.pcap*"), *MADE.glob("streams-*.pcap*"), *pathlib.Path(long).glob("*.pcap")]))
        for rule in rules:
            if rule in examples:
                layer, at, bits = bits_of(*examples[rule], fields, names[rule])
                rows.append(f'PL_EXAMPLE({rule}, {layer}, {at}, {bits}, {json.dumps(examples[rule][1]["message"])})\n')
    text = HEAD + "".join(rows)
    if "--update" in sys.argv:
        DEF.write_text(text)
    was = DEF.read_text().splitlines()
    faults = [f"not found any more: {line}" for line in was if line not in text.splitlines()]
    faults += [f"found: {line}" for line in text.splitlines() if line not in was]
    faults += [f"{rule}: no capture of {MADE} has it" for rule in rules if rule not in examples]
    faults += shown(rows)
    marked = sum(", 0, 0, " not in row for row in rows)
    print("\n".join(faults + [f"{len(rows)} examples, {marked} with bits of a header, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
