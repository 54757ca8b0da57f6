#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""draw.py SEED: lines of the sources that somebody is to change by hand, to see whether a test notices.

Of the trackers 15, of what prints pcap-lint's text 10, of dev 5: lines that decide, work out or print something,
files in order. mutants.md has the results. A line that no change has an effect on is replaced by the next of --more.
"""
import argparse
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = re.compile(r"_text|_tell|_say|_worst|story|^(?:columns|fold|group|line|notes|plain|report|tell|verdict|wrap)")
GROUPS = {
    "dissector/track": (15, lambda path: path.suffix == ".c"),
    "dissector/pcap-lint": (10, lambda path: path.suffix == ".c" and TEXT.search(path.stem) and "json" not in path.stem),
    "dev": (5, lambda path: True),
}
# A statement that a change makes do something else: a condition, an assignment, a call, a result.
C = re.compile(r"\b(?:if|for|while) \(|\breturn [^;]|[^=!<>]=[^=]|&&|\|\||^\t+\w+\(|\? ")
SHELL = re.compile(r"^\s*(?![#\s]|local \w|echo \"|cmd_\w+\(\)|then$|else$|fi$|done$|esac$|[{}]).*\w.*[|&=$(\[]")


def lines(path):
    pattern = C if path.suffix == ".c" else SHELL
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        inside = path.suffix != ".c" or line.startswith("\t") and not re.match(r"\t+(?:/?\*|//|\{ )", line)
        if inside and pattern.search(line):
            yield f"{path.relative_to(ROOT)}:{number}: {line.strip()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("--more", action="store_true", help="twice as many, the first half as without it")
    args = parser.parse_args()
    for group, (count, wanted) in GROUPS.items():
        at = ROOT / group
        files = sorted(path for path in at.rglob("*") if path.is_file() and wanted(path)) if at.is_dir() else [at]
        found = [line for path in files for line in lines(path)]
        drawn = random.Random(f"{args.seed} {group}").sample(found, 2 * count)
        print(f"{group}: {len(found)} lines")
        print("\n".join(drawn if args.more else drawn[:count]))


if __name__ == "__main__":
    main()
