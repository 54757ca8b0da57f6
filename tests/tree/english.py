#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""english.py: no text of the tree has words of data/english.txt, which says what to write instead.

Comments, messages, rules, documents and names of variables are read alike. A sentence is planted for
each word, which has to be found.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/data/english.txt"
FOLDERS = (".ci", "codec", "dissector", "fuzz", "include", "pcaps", "tests")
ENDINGS = {".c", ".h", ".def", ".py", ".sh", ".md", ".txt", ".csv", ".cmake", ".patch", ".in", ""}


def words():
    """([(pattern, what to say, a sentence that has it)], pattern of what is right)."""
    wrong, right = [], []
    for line in LIST.read_text().splitlines():
        if line.startswith("= "):
            right.append(re.escape(line[2:]))
        elif line and not line.startswith("#"):
            pattern, instead, example = (word.strip() for word in line.rsplit(" | ", 2))
            wrong.append((re.compile(pattern, re.I), instead, example))
    return wrong, re.compile("|".join(right))


def texts():
    """Each text file of the project, and its lines."""
    paths = [path for path in ROOT.iterdir() if path.is_file() and not path.name.startswith("LICENSE")]
    paths += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    for path in sorted(paths):
        if path.suffix in ENDINGS and path.is_file() and path != LIST:
            try:
                yield path.relative_to(ROOT), path.read_text(encoding="utf-8").splitlines()
            except UnicodeDecodeError:
                continue


def faults(name, lines, wrong, right):
    for number, line in enumerate(lines, 1):
        text = right.sub("", line)
        for pattern, instead, _ in wrong:
            found = pattern.search(text)
            if found:
                yield f"{name}:{number}: \"{found[0]}\": {instead}"


def main():
    wrong, right = words()
    missed = [example for pattern, _, example in wrong if not list(faults("planted", [example], wrong, right))]
    said = [f"not found: {example}" for example in missed]
    read = 0
    for name, lines in texts():
        said += faults(name, lines, wrong, right)
        read += 1
    for folder in ("codec", "dissector", "include", "pcaps"):
        if not any((ROOT / folder).rglob("*.c")) and not any((ROOT / folder).rglob("*.h")):
            said.append(f"no texts in {folder}")
    print("\n".join(said) or f"{read} files, {len(wrong)} words, none of them used")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main())
