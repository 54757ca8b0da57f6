#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""explain.py PCAP-LINT: what --explain says of a rule is about that rule.

tests/data/rule_words.csv has words each text has to have, from a catalogue that is older than the texts.
"""
import csv
import pathlib
import re
import subprocess
import sys

WORDS = pathlib.Path(__file__).resolve().parent / "data/rule_words.csv"
HEADINGS = {"Fires when": "text", "Why": "why", "Usual cause": "cause", "What to do": "advice"}
WORD = re.compile(r"\d+(?:\.\d+)+|0x[0-9a-f]+|[\w.]*\w")


def explained(lint):
    """{(rule, text): words of it}"""
    out = subprocess.run([lint, "--explain", "all"], capture_output=True, text=True, check=True).stdout
    found = {}
    for rule, body in re.findall(r"^([A-Z]{3}\d{3}) .*\n((?:\n?(?![A-Z]{3}\d{3} ).*\n)*)", out, re.M):
        for heading, text in re.findall(r"^([A-Z][^:\n]*):\n((?:  .*\n)+)", body, re.M):
            found[rule, HEADINGS[heading]] = {word.lower() for word in WORD.findall(text)}
    return found


def main():
    texts, faults, checked = explained(sys.argv[1]), [], 0
    with open(WORDS, encoding="utf-8") as lines:
        for rule, text, words in csv.reader(line for line in lines if not line.startswith("#")):
            checked += 1
            for word in words.split():
                if word not in texts.get((rule, text), ()):
                    faults.append(f"{rule}: nothing of \"{word}\" in its {text}")
    rules = {rule for rule, _ in texts}
    faults += [f"{rule}: no {text}" for rule in rules for text in HEADINGS.values() if (rule, text) not in texts]
    print("\n".join(faults + [f"{len(rules)} rules, {checked} texts, {len(faults)} faults"]))
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
