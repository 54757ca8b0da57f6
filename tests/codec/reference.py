#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""reference.py PAGES: the reference has every header and every field, where the schema says it is.

The schema is read here, line by line: places, widths, kinds, labels and the comment above. Every header is on one
page, in the family whose list has it; every kind that is named is explained, and no row has a cell too many.
"""
import pathlib
import re
import sys

LISTS = pathlib.Path(__file__).resolve().parents[2] / "include/ibwire/list"
MEANINGS = {(header, field): f": {text}" for header, field, text in
            re.findall(r'^IBW_MEANING\((\w+), (\w+), "(.*)"\)$', "".join(path.read_text() for path in LISTS.glob("meanings*.def")), re.M)}
LINE = re.compile(r"IBW_(FIELD|BYTES|ARRAY|RSVD)\(\s*(.*)\)\s*(?:/\*.*)?$")


def schema(name):
    """[(field, "first to last", kind, label)] of a header, and what its comment begins with."""
    text = (LISTS.parent / "schema" / f"{name}.def").read_text()
    fields = []
    for line in text.splitlines():
        if not (match := LINE.match(line)):
            continue
        label = re.search(r'"(.*)"$', match[2])
        words = [word.strip() for word in re.sub(r'"(.*)"$', "", match[2]).split(",")]
        if match[1] == "RSVD":
            at, bits = map(int, words[:2])
            fields.append(("(reserved)", f"{at} to {at + bits - 1}", "sent as 0", ""))
            continue
        at, bits = int(words[1]), int(words[2]) * (int(words[3]) if match[1] == "ARRAY" else 1)
        kind = words[4 if match[1] == "ARRAY" else 3]
        fields.append((words[0], f"{at} to {at + bits - 1}", kind, label[1]))
    return fields, re.search(r"\n/\*[\s*]*([^\n]*)", text)[1].removesuffix(" */")


def wrong_of(name, text, kinds):
    fields, source = schema(name)
    rows = [[cell.strip() for cell in row[1:-1].split("|")] for row in re.findall(r"^\|.*\|$", text, re.M)][2:]
    if source not in text:
        yield f"{name}: not from where: {source}"
    if text.count("```") != 2 or "+-+" not in text:
        yield f"{name}: no picture"
    if len(rows) != len(fields):
        yield f"{name}: {len(rows)} rows, {len(fields)} fields"
    for row, (field, bits, kind, label) in zip(rows, fields):
        meaning = label + MEANINGS.get((name, field), "")
        if len(row) != 5 or row[:2] != [field, bits] or row[2].split(", ")[-1] != kind or row[3] != meaning:
            yield f"{name}: {field}, {bits}, {kind}, {label} is {row}"
        if kind != "sent as 0" and not kinds.get(kind):
            yield f"{name}: {kind} is not explained"


def main():
    pages, wrong, headers = pathlib.Path(sys.argv[1]), [], 0
    for path in sorted(LISTS.glob("headers_*.def")):
        page = pages / f"{path.stem.removeprefix('headers_')}.md"
        if not page.exists():
            wrong.append(f"{page.name}: no such page")
            continue
        _, *parts = re.split(r"^## (\S+)\n", page.read_text(), flags=re.M)
        parts = dict(zip(parts[::2], parts[1::2]))
        kinds = dict(re.findall(r"^\| (\w+) \| (.*) \|$", parts.pop("Kinds", ""), re.M))
        names = re.findall(r"^IBW_HEADER\((\w+),", path.read_text(), re.M)
        if list(parts) != names:
            wrong.append(f"{page.name}: other headers than {path.name}")
        for name in set(names) & set(parts):
            headers += 1
            wrong += wrong_of(name, parts[name], kinds)
    if headers < 200:
        wrong.append(f"{headers} headers only")
    print("\n".join(wrong + [f"{headers} headers, {len(wrong)} faults"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
