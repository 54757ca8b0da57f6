#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""borders.py: each number that dissector/track and dissector/lint decide by has cases, listed in data/borders.csv.

A number is a #define that is worked out from numbers alone, or a decimal number from 3 on that something is compared with
or that scales what is compared. A row has its file, the number (by its name, if it has one) and its kind:

    border  what is found changes there: a case just below, one at it and one just above
    near    cases only come near, or leave one out; the last column says why
    open    no case is known, the last column says what of; there may be no more of them than there are
    size    a bound of memory or of a text, which changes no finding before it is reached
    code    of a standard, or of how something is written

A case is PATH or PATH:WORDS, words that the file has; a number without a row, a row without a number, and a case that
is not there are faults. As a check of the check, numbers are planted that have no row.
"""
import collections
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tests/data/borders.csv"
FOLDERS = ("dissector/track", "dissector/lint")
COLUMNS = ["file", "number", "kind", "below", "at", "above", "why"]
KINDS = {"border", "near", "open", "size", "code"}
OPEN = 0  # rows of that kind at most: a new number has cases
LEAST = 150  # numbers that there are at least
DEFINE = re.compile(r"^#define (\w+)[ \t]+(\S.*)$", re.M)
NUMBER = r"(?:0x[0-9a-fA-F]+|[0-9]+)[uUlL]*"
# What a number is worked out from: numbers, names of others, signs, casts, UINT64_C(), sizeof()
WORKED_OUT = re.compile(rf"^(?:{NUMBER}|[A-Z_][A-Z0-9_]*|uint(?:32|64)_t|UINT64_C|sizeof|struct \w+(?:\[\d+\])?|[-+*/()<> ])+$")
COMPARES = re.compile(r"[^<>-](?:<=|>=|==|!=|<|>)[^<>=]|\b(?:MAX|MIN)\(")
COMPARED = re.compile(r"(?:<=|>=|==|!=|[^<-]<|[^->]>) *(?:\([a-z0-9_ ]+\) ?)?(\d+)[uUlL]*\b(?! *(?:<<|\)? *[\w(]))")
SCALES = re.compile(r"(?<![\w.])(\d+)[uUlL]* \* |[\w)\]] [*/] (\d+)[uUlL]*\b|\b(?:MAX|MIN)\([^;]*, (\d+)[uUlL]*\)")
PLANTED = """
#define PLANTED_NS (5u * 1000)
static bool planted(uint64_t a, uint64_t b)
{
	return a > 17 && 7 * a < b;
}
"""
PLANTED_NUMBERS = {"PLANTED_NS", "17", "7"}


def plain(text):
    """Without comments, texts and continued lines."""
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return text.replace("\\\n", " ")


def numbers(text):
    """Names and numbers of a source text."""
    text = plain(text)
    found = {name for name, value in DEFINE.findall(text)
             if re.search(r"\d", value) and WORKED_OUT.match(value.strip()) and not name.endswith("_H")}
    for statement in re.split(r"[;{}\n](?=\s*\n|\s*[\w#])|;", re.sub(r"^#.*$", "", text, flags=re.M)):
        if not COMPARES.search(statement) or "_Static_assert" in statement:
            continue
        statement = re.sub(r"_AT_? [/%] 8", "", statement)
        for match in [*COMPARED.finditer(statement), *SCALES.finditer(statement)]:
            number = next(group for group in match.groups() if group)
            if int(number) >= 3:
                found.add(number)
    return found


def sources():
    """{(file, number)}"""
    return {(str(path.relative_to(ROOT)), number) for folder in FOLDERS
            for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".c", ".h", ".def")
            for number in numbers(path.read_text())}


def case_fault(case):
    path, _, words = case.partition(":")
    if not (ROOT / path).is_file():
        return f"there is no {path}"
    return None if words in (ROOT / path).read_text() else f"{path} does not have {words}"


def row_faults(row):
    cases = [row[column] for column in ("below", "at", "above")]
    if row["kind"] not in KINDS:
        yield f"the kind {row['kind']}"
    if row["kind"] == "border" and not all(cases):
        yield "a border without three cases"
    if row["kind"] == "near" and not (any(cases) and row["why"]):
        yield "near, without a case and a reason"
    if row["kind"] in ("open", "size", "code") and (any(cases) or not row["why"]):
        yield f"a {row['kind']} has a reason, and no cases"
    yield from filter(None, (case_fault(case) for case in cases if case))


def main():
    with TABLE.open(encoding="utf-8") as file:
        reader = csv.DictReader((line for line in file if not line.startswith("#")), strict=True)
        rows = list(reader)
    faults = [] if reader.fieldnames == COLUMNS else [f"the columns are {reader.fieldnames}"]
    counts = collections.Counter((row["file"], row["number"]) for row in rows)
    there = sources()
    faults += [f"{file}: {number} has no row" for file, number in sorted(there - set(counts))]
    faults += [f"{file}: there is no {number} any more" for file, number in sorted(set(counts) - there)]
    faults += [f"{file}: {number} has {n} rows" for (file, number), n in counts.items() if n > 1]
    faults += [f"{row['file']}: {row['number']}: {fault}" for row in rows for fault in row_faults(row)]
    if numbers(PLANTED) != PLANTED_NUMBERS:
        faults.append(f"of what was planted, {sorted(numbers(PLANTED))} were found")
    if len(there) < LEAST:
        faults.append(f"{len(there)} numbers only")
    kinds = collections.Counter(row["kind"] for row in rows)
    if kinds["open"] > OPEN:
        faults.append(f"{kinds['open']} numbers have no case, {OPEN} had none")
    print("\n".join(faults +
                    [", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) + f", {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
