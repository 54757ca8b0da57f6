#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""explain.py PCAP-LINT TABLES-DUMP [--update]: what --explain says of a rule is about that rule.

From a catalogue that is older than the rules: tests/data/rules.csv and stream-rules.csv, what each is called, how
severe it is and what it needs to see (which nothing prints but tables-dump); rule_words.csv, words its texts have to have.
rule_texts.txt has what each says, word by word, as it was last read next to the rule. --update writes it: read what
changes next to what the rule fires on. It writes the pages dissector/lint/rules/GROUP/RULE.md, too, which have all that
--explain says: SARIF leads to them.
"""
import csv
import pathlib
import re
import subprocess
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tables_file  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SILENCE = ROOT / "dissector/lint/base/silence.def"
PAGES = ROOT / "dissector/lint/rules"
THRESHOLDS = re.findall(r'TRACK_THRESHOLD\(\w+, "([\w-]+)"', (ROOT / "dissector/track/base/thresholds.def").read_text())
ROW = re.compile(r"^(?:LINT_SILENCE|BY_LENGTH)\((\w+\d), (\w+)[,)]", re.M)

DATA = ROOT / "tests/data"
SILENCED = "Not said of a packet that has"
HEADINGS = {"Fires when": "text", "Why": "why", "Usual cause": "cause", "What to do": "advice"}
TEXTS = DATA / "rule_texts.txt"
HEAD = """# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What --explain says of each rule, word by word. The advice was read next to what the rule fires on, why, and its usual
# cause on 26 November 2026. explain.py --update writes what has changed since: read it so before you commit it. Advice
# that belongs to another rule, or to another end of the connection, is worse than none.
"""
PAGE = """<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
<!-- pcap-lint --explain {0}. Written by ./dev accept explain. -->

# {0} {1}

{2}
"""
WORD = re.compile(r"\d+(?:\.\d+)+|0x[0-9a-f]+|[\w.]*\w")


def rows_of(name):
    """The rows of a file, comments left out."""
    with open(DATA / name, encoding="utf-8") as lines:
        return list(csv.reader(line for line in lines if not line.startswith("#")))


def explained(lint):
    """({rule: (name, severity)}, {(rule, text): it}, {(rule, one that silences it)})"""
    out = subprocess.run([lint, "--explain", "all"], capture_output=True, text=True, check=True).stdout
    heads, found, silent = {}, {}, set()
    for rule, name, level, layer, body in re.findall(
            r"^([A-Z]{3}\d{3}) (\S+) \((\w+), layer (\w+).*\n((?:\n?(?![A-Z]{3}\d{3} ).*\n)*)", out, re.M):
        heads[rule] = name, level
        found[rule, "layer"] = layer
        for heading, text in re.findall(r"^([A-Z][^:\n]*):\n((?:  .*\n)+)", body, re.M):
            if heading == SILENCED:
                silent |= {(rule, by) for by in re.findall(r"\b[A-Z]{3}\d{3}\b", text)}
            elif heading in HEADINGS:
                found[rule, HEADINGS[heading]] = " ".join(text.split())
    return heads, found, silent


def markdown(title, lines):
    """A paragraph of --explain; what has columns stays as it is."""
    if title.startswith("Where, in the "):
        return [f"{title}:", "", "```text", *(line[2:].rstrip() for line in lines), "```"]
    if title.startswith("Thresholds "):
        text = re.sub(rf"\n(?!(?:{'|'.join(THRESHOLDS)}) \d)", " ", "\n".join(line.strip() for line in lines))
        return [f"**{title}:**", "", *(f"- {line}" for line in text.split("\n"))]
    text = re.sub(r"([*<\[`])", r"\\\1", " ".join(line.strip() for line in lines))
    return [f"**{title}:** {text}"]


def pages(lint):
    """{page: what it says}"""
    out = subprocess.run([lint, "--explain", "all"], capture_output=True, text=True, check=True).stdout
    found = {}
    for rule in out.rstrip("\n").split("\n\n\n"):
        head, *paragraphs = rule.split("\n\n")
        ident, name, more = re.match(r"([A-Z]{3}\d{3}) (\S+) \((.*)\)$", head).groups()
        lines = [PAGE.format(ident, name, more)]
        for paragraph in paragraphs:
            title, *body = paragraph.split("\n")
            lines += [*markdown(title.removesuffix(":"), body), ""]
        found[PAGES / ident[:3].lower() / f"{ident}.md"] = "\n".join(lines)
    return found


def on_pages(lint, update):
    """How the pages differ from what is said."""
    wanted = pages(lint)
    for path, text in wanted.items():
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        if not path.is_file() or path.read_text() != text:
            yield f"{path.relative_to(ROOT)}: not what --explain says (./dev accept explain)"
    for path in set(PAGES.rglob("*.md")) - set(wanted):
        yield f"{path.relative_to(ROOT)}: of no rules"


def as_read(texts, update):
    """How the texts differ from what was read."""
    if update:
        TEXTS.write_text(HEAD + "".join(
            ("\n" if text == "layer" else "") +
            textwrap.fill(f"{rule} {text}: {said}", 114, subsequent_indent="    ", break_on_hyphens=False) + "\n"
            for (rule, text), said in texts.items()))
    read = {(rule, text): " ".join(said.split()) for rule, text, said in
            re.findall(r"^([A-Z]{3}\d{3}) (\w+): (.*\n(?:    .*\n)*)", TEXTS.read_text(), re.M)}
    for rule, text in sorted(texts.keys() | read.keys()):
        now = texts.get((rule, text))
        if now != read.get((rule, text)):
            of = [other for (other, kind), said in read.items() if kind == text != "layer" and said == now]
            yield f"{rule}: its {text} is \"{now}\"{f' (that of {of[0]})' if of else ''}; read was \"{read.get((rule, text))}\""


def main():
    heads, texts, silent = explained(sys.argv[1])
    had = {key: {word.lower() for word in WORD.findall(text)} for key, text in texts.items()}
    dump = subprocess.run([sys.argv[2]], capture_output=True, text=True, check=True).stdout
    scopes = {row["id"]: row["scope"].lower() for row in tables_file.read(dump) if row["table"] == "rule"}
    catalogue = {rule: (name, level, scope) for rule, name, level, scope, *_ in
                 [*(row for row in rows_of("stream-rules.csv") if row[0] in scopes), *rows_of("rules.csv")]}
    faults = []
    for rule in sorted(catalogue.keys() | scopes.keys()):
        ours = (*heads.get(rule, ()), scopes.get(rule))
        if ours != catalogue.get(rule):
            faults.append(f"{rule}: {ours}, the catalogue has {catalogue.get(rule)}")
    words = rows_of("rule_words.csv")
    faults += [f"{rule}: nothing of \"{word}\" in its {text}" for rule, text, said in words
               for word in said.split() if word not in had.get((rule, text), ())]
    faults += [f"{rule}: no {text}" for rule in heads for text in HEADINGS.values()
               if (rule, text) not in texts]
    faults += as_read(texts, "--update" in sys.argv)
    faults += on_pages(sys.argv[1], "--update" in sys.argv)
    rows = set(ROW.findall(SILENCE.read_text()))
    faults += [f"{rule}, silenced by {by}: in silence.def or --explain only" for rule, by in sorted(rows ^ silent)]
    print("\n".join(faults + [f"{len(heads)} rules, {len(words)} texts, {len(faults)} faults"]))
    return 1 if faults or not words or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
