# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The mutants of tables_mutants.py in the sources: what tables-dump prints then is what was tried without.

A word of a row (tables_file.py) is an argument of the macro that makes it: which, and how it is written,
is said here.
"""
import collections
import random
import re
import time

import tables_mutants
import tables_file  # by way of tables_mutants

LISTS = "include/ibwire/list"
RULES = "dissector/lint/rules"
# table: (files, macro, what its arguments are called)
MACROS = {
    "header": (f"{LISTS}/headers_*.def", "IBW_HEADER", "name title"),
    "value": (f"{LISTS}/values_*.def", "IBW_VALUE", "list constant value text"),
    "class": (f"{LISTS}/mad_classes.def", "IBW_MAD_CLASS",
              "first last name text version layer1 layer2 off len attrs"),
    "attribute": (f"{LISTS}/attrs_*.def", "IBW_MAD_ATTR", "attrs id name text methods layer1 layer2 layer3"),
    "opcode": (f"{LISTS}/opcodes.def", "IBW_OPCODE",
               "code name text service eths position role payload"),
    "rule": (f"{RULES}/*.def", "LINT_RULE", "id name severity scope layer text why cause advice"),
}
# What the tests of tables_mutants.py are made of.
TARGETS = ["tables-dump", "test-pcap-lint", "pcaps", *sorted({
    f"test-{name}" for names in tables_mutants.CHECKS.values() for name in names
    if any(tables_mutants.TESTS.glob(f"*/{name}.c"))})]
FIELDS = {"IBW_FIELD": "name at bits kind names label", "IBW_BYTES": "name at bits kind label",
          "IBW_ARRAY": "name at bits count kind names label", "IBW_RSVD": "at bits"}
ARGUMENT = re.compile(r'\s*((?:"(?:[^"\\]|\\.)*"\s*)+|[^",]+?)\s*(?:,|\)$)')


def calls(text, macro):
    """[[(start, end)] of the arguments] of each use of a macro."""
    for m in re.finditer(rf"^{macro}\(((?:\"(?:[^\"\\]|\\.)*\"|[^\")])*\))", text, re.M):
        yield [(m.start(1) + a.start(1), m.start(1) + a.end(1)) for a in ARGUMENT.finditer(m.group(1))]


def plain(text):
    """An argument as the row has it: without quotes and escapes."""
    if text.startswith('"'):
        return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text)).replace('\\"', '"')
    return text


def written(mutant, now, was):
    """What is written for the cell @now, where @was was."""
    if was.startswith('"'):
        return '"' + now.replace('"', '\\"') + '"'
    if mutant.word == "names":
        return f"ibw_{now}_names"
    if now == "-":
        return "none"
    return now.upper() if mutant.word == "severity" else now


def argument(mutant, was):
    """What is written for the mutated word of a macro, where @was was."""
    row, word = mutant.row, mutant.word
    if row["table"] == "opcode" and word in ("position", "role", "payload"):
        names = {"position": ("FIRST", "MIDDLE", "LAST", "ONLY"), "role": ("REQUEST", "RESPONSE"),
                 "payload": ("MTU", "SOME")}[word]
        bits = tables_file.bits_called("transport.h", "IBW_OPF_")
        flags = int(mutant.cells["flags"], 16)
        return next((name for name in names if flags & bits[name]), "NONE")
    return written(mutant, next(iter(mutant.cells.values())), was)


def is_row(row, found):
    """Whether the arguments of a macro, by their names, are those of a row."""
    for cell in {"class": ("first", "text"), "attribute": ("attrs", "text", "id")}.get(
            row["table"], tables_file.NAMED_BY[row["table"]]):
        theirs = found[cell]
        same = int(theirs, 0) == int(row[cell], 0) if cell in ("first", "id") and theirs[0] != '"' and row[
            "table"] != "rule" else plain(theirs) == row[cell]
        if not same:
            return False
    return True


def planted(root, mutant):
    """(path, its text with the mutant)"""
    row = mutant.row
    if row["table"] == "field" or mutant.word == "bytes":
        return field_planted(root, mutant)
    files, macro, names = MACROS[row["table"]]
    for path in sorted(root.glob(files)):
        text = path.read_text()
        for places in calls(text, macro):
            found = {name: text[a:b] for name, (a, b) in zip(names.split(), places)}
            if len(places) == len(names.split()) and is_row(row, found):
                a, b = places[names.split().index(mutant.word)]
                return path, text[:a] + argument(mutant, text[a:b]) + text[b:]
    return None


def field_planted(root, mutant):
    row = mutant.row
    path = root / f"include/ibwire/schema/{row.get('header', row['name'])}.def"
    text = path.read_text()
    if mutant.word == "bytes":
        bits = int(mutant.cells["bytes"]) * 8
        return path, re.sub(r"^IBW_END\(\d+\)", f"IBW_END({bits})", text, flags=re.M)
    for macro, names in FIELDS.items():
        for places in calls(text, macro):
            found = {name: text[a:b] for name, (a, b) in zip(names.split(), places)}
            if found.get("name", f"rsvd{found['at']}") == row["name"]:
                if mutant.word == "comp":
                    return component_planted(path, text, mutant, places[0][0])
                a, b = places[names.split().index(mutant.word)]
                return path, text[:a] + argument(mutant, text[a:b]) + text[b:]
    return None


def component_planted(path, text, mutant, at):
    """Components count themselves: the next line is made another one, and the one after it again as it was."""
    start = text.rfind("\n", 0, at) + 1
    end = text.index("\n", at) + 1
    was, now = int(mutant.row["comp"]), int(mutant.cells["comp"])
    count = int(mutant.row["count"]) if mutant.row["flags"] == "0" else 1
    return path, (text[:start] + f"IBW_COMP({was}, {now})\n" + text[start:end]
                  + f"IBW_COMP({now + count}, {was + count})\n" + text[end:])


def try_rows(builder, copy, build, log, seed, count):
    """Whether each of some mutants prints what was tried, and is noticed by the same test (or refused)."""
    text = tables_mutants.dumped(build)
    rows, tests = tables_file.read(text), tables_mutants.Tests(build)
    mutants = list(tables_file.Mutants(rows, tables_mutants.SEED).each())
    verdicts = collections.Counter()
    log.say(f"tables: seed {seed}, {count} of {len(mutants)} rows")
    for mutant in random.Random(seed).sample(mutants, count):
        start = time.monotonic()
        killer = tables_mutants.run(tests, rows, mutant)
        verdict = try_row(builder, copy, build, tests, mutant, rows, killer)
        verdicts[verdict if killer is None else verdict.removesuffix(f" {killer}")] += 1
        log.say(f"{verdict}  {time.monotonic() - start:.0f} s  {tables_mutants.said(mutant)}")
    log.say("; ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    return all(verdict.startswith(("same", "refused")) for verdict in verdicts)


def try_row(builder, copy, build, tests, mutant, rows, killer):
    path, text = planted(copy, mutant) or (None, None)
    if not path:
        return "not planted"
    was = path.read_text()
    path.write_text(text)
    try:
        if not builder.make(targets=["tables-dump", *tests.programs(killer)]):
            return "refused by the compiler"
        wrong = [row if row is not mutant.row else {**row, **mutant.cells} for row in rows]
        if tables_file.read(tables_mutants.dumped(build)) != wrong:
            return "another table"
        if killer and tests.holds(killer, wrong, None):
            return f"not noticed by {killer}"
        return f"same table, noticed by {killer}" if killer else "same table, not noticed"
    finally:
        path.write_text(was)
