#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""numbers.py [--update | --anew]: what has a number keeps it, as tests/data/numbers.csv has it.

Every constant of an enum of include/ibwire (layers, opcodes, values, attributes, kinds, flags), every rule with
its name, every figure and event. Constants that only say how many there are (..._COUNT) are none. What is there
keeps its number, so what is new comes last in its enum; a rule takes no number and no name that one had. Figures
and events have no numbers: their names stay. That a change is seen is tried with some that are planted in a copy.

--update	take over what was added; refused where something changed, unless the minor version did
--anew		take over everything: for a version that nobody has yet
"""
import csv
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/data/numbers.csv"
HEAD = "# kind, name, number (of a rule: its name). Renewed by tests/tree/numbers.py --update; see CONTRIBUTING.md.\n"
# What, in which file, what for what, the words that have to be said.
PLANTS = [
    ("a layer in front", "include/ibwire/list/headers_link.def", "IBW_HEADER(erf,",
     'IBW_HEADER(planted, "Planted")\nIBW_HEADER(erf,', "ibw_layer IBW_LAYER_bth"),
    ("another value", "include/ibwire/list/values_link.def", "IBW_VALUE(lnh, LNH_LOCAL, 2,",
     "IBW_VALUE(lnh, LNH_LOCAL, 4,", "ibw_lnh IBW_LNH_LOCAL"),
    ("a value gone", "include/ibwire/list/values_link.def", 'IBW_VALUE(ip_proto, IP_PROTO_IGMP, 2, "IGMP")\n', "",
     "ibw_ip_proto IBW_IP_PROTO_IGMP"),
    ("a rule with another name", "dissector/lint/rules/bth.def", '"bth-tver"', '"bth-version"', "rule BTH001"),
    ("a number of a rule taken again", "dissector/lint/rules/bth.def", 'LINT_RULE(BTH001, "bth-tver"',
     'LINT_RULE(BTH901, "bth-tver"', "rule BTH001"),
    ("a figure gone", "dissector/track/way/figures.def", "(packets,", "(planted,", "figure packets"),
    ("an event gone", "dissector/track/base/event.def", 'TRACK_EVENT(NOT_MTU, "not-mtu"', 'TRACK_EVENT(NOT_MTU, "planted"',
     "event not-mtu"),
]


def constants(root):
    """[(enum, constant, value)] of all headers but templates."""
    headers = "".join(f"#include <ibwire/{p.name}>\n" for p in sorted((root / "include/ibwire").glob("*.h"))
                      if not p.name.startswith("expand"))
    text = subprocess.run(["gcc", "-std=c11", "-xc", f"-I{root / 'include'}", "-E", "-P", "-"], input=headers,
                          capture_output=True, text=True, check=True).stdout
    found = []
    for name, body in re.findall(r"\benum\s*(\w*)\s*\{([^{}]*)\}", re.sub(r'"(\\.|[^"\\])*"', '""', text)):
        found += [(name or "-", word) for word in re.findall(r"(?:^|,)\s*(IBW_\w+)", body)
                  if not word.endswith("_COUNT")]
    lines = "".join(f'\tprintf("%lld\\n", (long long){word});\n' for _, word in found)
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work) / "numbers"
        subprocess.run(["gcc", "-std=c11", "-w", "-xc", f"-I{root / 'include'}", "-", "-o", program], check=True,
                       input=f"#include <stdio.h>\n{headers}int main(void)\n{{\n{lines}}}\n", text=True)
        values = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    return [(enum, word, value) for (enum, word), value in zip(found, values, strict=True)]


def others(root):
    """Rules, figures and events, from their tables."""
    rows = []
    for path in sorted((root / "dissector/lint/rules").glob("*.def")):
        rows += [("rule", *match) for match in re.findall(r'^LINT_RULE\((\w+), "([^"]+)"', path.read_text(), re.M)]
    text = (root / "dissector/track/way/figures.def").read_text()
    rows += [("figure", name, "") for name in
             re.findall(r"^TRACK_(?:FIGURE|COUNT|RARE|MEASURE|NAMED|FRAME)\((?:\w+, )??(\w+),", text, re.M)]
    rows += [("figure", match[1], "") for match in re.finditer(r"^TRACK_(?:VERB|TIMES|SAMPLES)\(\w+, (\w+),", text, re.M)]
    rows += [("event", name, "") for name in
             re.findall(r'^TRACK_EVENT\(\w+,\s+"([^"]+)"', (root / "dissector/track/base/event.def").read_text(), re.M)]
    return rows


def rows_of(root):
    return constants(root) + others(root)


def version(root):
    return re.search(r"^ +VERSION (\d+\.\d+)\.\d+$", (root / "CMakeLists.txt").read_text(), re.M)[1]


def known():
    """What the list has: [(kind, name, number)], and the version it is of."""
    lines = LIST.read_text().splitlines()
    rows = [tuple(row) for row in csv.reader(line for line in lines if not line.startswith("#"))]
    return rows[1:], rows[0][2]


def faults(old, new):
    """What has changed for somebody who knows the old rows."""
    have = {(kind, name): number for kind, name, number in new}
    was = {(kind, name): number for kind, name, number in old}
    wrong = [f"{kind} {name} is {have[kind, name] if (kind, name) in have else 'gone'}, was {number or 'there'}"
             for (kind, name), number in was.items() if have.get((kind, name)) != number]
    names = {number: name for kind, name, number in old if kind == "rule"}
    wrong += [f"rule {name} has the name of {names[number]}" for (kind, name), number in have.items()
              if kind == "rule" and names.get(number, name) != name]
    if len(have) != len(new):
        wrong.append("something is there twice")
    return wrong


def write(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([("version", "", version(ROOT)), *rows])
    LIST.write_text(HEAD + out.getvalue())
    print(f"{LIST.relative_to(ROOT)}: {len(rows)} rows")


def update(rows, anew):
    wrong = []
    if not anew and LIST.exists():
        old, of = known()
        wrong = faults(old, rows) if of == version(ROOT) else []
    if wrong:
        print(*wrong[:20], "refused: raise the minor version first (CONTRIBUTING.md)", sep="\n")
        return 1
    write(rows)
    return 0


def plants(old):
    """What was planted and not found."""
    missed = []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for directory in ("include", "dissector/lint", "dissector/track"):
            shutil.copytree(ROOT / directory, work / directory)
        for what, name, good, bad, words in PLANTS:
            text = (work / name).read_text()
            if text.count(good) != 1:
                missed.append(f"{what}: {name} has {text.count(good)} times {good!r}")
                continue
            (work / name).write_text(text.replace(good, bad))
            if not any(words in line for line in faults(old, rows_of(work))):
                missed.append(f"{what}: not found")
            (work / name).write_text(text)
    return missed


def main():
    rows = rows_of(ROOT)
    if sys.argv[1:] in (["--update"], ["--anew"]):
        return update(rows, sys.argv[1:] == ["--anew"])
    old, of = known()
    wrong = faults(old, rows)
    if of != version(ROOT):
        wrong.append(f"{LIST.name} is of version {of}, this is {version(ROOT)}: --update")
    wrong += [f"{kind} {name} is not in {LIST.name}: --update"
              for kind, name, number in sorted(set(rows) - set(old)) if (kind, name) not in {r[:2] for r in old}]
    wrong += plants(old)
    for line in wrong[:20]:
        print(line)
    kinds = {kind for kind, _, _ in rows}
    print(f"{len(rows)} numbers and names, {len(PLANTS)} changes planted, {len(wrong)} faults")
    return 0 if not wrong and len(rows) > 1400 and {"ibw_layer", "rule", "figure", "event"} <= kinds else 1


if __name__ == "__main__":
    sys.exit(main())
