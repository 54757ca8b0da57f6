#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""brief.py PCAP-LINT MADE: what a reader of the default text sees first, and how much there is to read.

- of no capture of pcaps/ more than LINES lines, of one with a fault of a network or a host at the median MEDIAN; each is one line in
  a pipe, "FILE[:FRAME]: ...";
- the verdict, if there is one, is the first line of a capture and the summary the last;
- on a terminal the same words in the same order, in lines of its width, at most 100 columns, those that go on indented;
- of captures made to have as many incidents and causes as possible, too, no more than MOST lines.
"""
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import first_fault  # noqa: E402
import terminal  # noqa: E402

LINES, MEDIAN, MOST = 14, 8, 32
SIX = {"pcaps/rxe/12-drop-at-receiver-write.pcap": 6}  # 694 findings of 34 losses
FAULTY = ("faults", "reports")
WIDTHS = {40: 40, 80: 80, 100: 100, 200: 100, 0: 80}  # of a terminal; a width of 0 says nothing
COLOR = re.compile(r"\033\[[0-9;]*m")
LINE = re.compile(r".+?(:\d+)?: \S.*")


def piped(lint, path, *options):
    done = subprocess.run([lint, "--fail-on", "never", *options, path], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout


def on_terminal(lint, path, columns, *options):
    """What is printed to a terminal of so many columns."""
    words = [lint, "--progress", "never", "--fail-on", "never", *options, path]
    return terminal.shown(words, stdout=True, columns=columns, cwd=ROOT).replace("\r\n", "\n")


def joined(lines, indent):
    """Lines that go on are one again."""
    whole = []
    for line in lines:
        if whole and line.startswith(indent):
            whole[-1] += " " + line[len(indent):]
        else:
            whole.append(line)
    return whole


def wrapped(lint, path, faults):
    """How many lines went on."""
    plain, n = piped(lint, path).splitlines(), 0
    for columns, most in WIDTHS.items():
        lines = COLOR.sub("", on_terminal(lint, path, columns)).splitlines()
        n += len(lines) - len(plain)
        if joined(lines, "    ") != plain:
            faults.append(f"{path}: with {columns} columns it says something else: {lines}")
        for line in lines:
            words = line.strip().split(" ")
            if len(line) > most and len(words) > 1:
                faults.append(f"{path}: with {columns} columns a line of {len(line)}: {line!r}")
    return n


def text(lint, path, faults):
    """How many lines it has."""
    lines = piped(lint, path).splitlines()
    for line in lines:
        if not line.startswith(str(path)) or not LINE.fullmatch(line):
            faults.append(f"{path}: {line!r}")
    verdicts = [i for i, line in enumerate(lines) if line.startswith(f"{path}: verdict: ")]
    if verdicts not in ([], [0]):
        faults.append(f"{path}: lines {verdicts} are verdicts")
    if not re.match(re.escape(str(path)) + r": \d+ packets?, ", "".join(lines[-1:])):
        faults.append(f"{path}: it ends with {lines[-1:]}")
    return len(lines)


def main():
    lint, made = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
    real = [path.relative_to(ROOT) for path in sorted((ROOT / "pcaps").glob("*/*.pcap*"))]
    faults, broken, longest = [], 0, 0
    n = {path: text(lint, path, faults) for path in real}
    faults += [f"{path}: {lines} lines" for path, lines in n.items() if lines > SIX.get(str(path), LINES)]
    faulty = [lines for path, lines in n.items() if path.parent.name in FAULTY]
    if not faulty or statistics.median(faulty) > MEDIAN:
        faults.append(f"{faulty} lines of faulty captures")
    of_make = sorted(made.glob("*.pcap"))
    for path in of_make:
        lines = text(lint, path, faults)
        longest = max(longest, lines)
        if lines > MOST:
            faults.append(f"{path}: {lines} lines")
        if first_fault.ends(faults):
            break
    for path in [path for path in real if path.parent.name in FAULTY][::8]:
        broken += wrapped(lint, path, faults)
    if not of_make or not broken or longest <= LINES // 2:
        faults.append(f"{len(of_make)} made captures, the longest of {longest} lines, {broken} lines were broken")
    print(f"{len(real)} captures of pcaps, at most {max(n.values())} lines, {len(of_make)} made ones, at most {longest}; "
          f"{broken} lines broken: {len(faults)} faults")
    for fault in faults[:20]:
        print(fault[:600])
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
