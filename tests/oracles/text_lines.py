# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The text of a run of pcap-lint, line after line, and the tables in it, by the places of their columns.

A table has its titles in one line, two blanks or more between them. What begins where a title begins is in its column,
if that is one of words; what ends where it ends, if that is one of numbers. So every cell has a column, or there is a fault.
"""
import re

MORE = re.compile(r"(\d+) more \(--max-per-rule 0 shows all\)")
SHOWN = 100  # rows of a table, unless all are asked for
WORD = re.compile(r"\S+(?: \S+)*")


class Lines:
    """Where a reader is."""

    def __init__(self, text):
        self.lines, self.at = text.splitlines(), 0

    def peek(self):
        """The next line; "": none."""
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def next(self):
        self.at += 1
        return self.lines[self.at - 1] if self.at <= len(self.lines) else ""

    def take(self, start):
        """The next line, if it begins so; None: another one does."""
        return self.next() if self.peek().startswith(start) else None

    def is_next(self, line):
        """Whether it is just that; then it is read."""
        found = self.peek() == line
        self.at += found
        return found

    def left(self):
        return self.at < len(self.lines)


class Table:
    """Titles in a line, and what is in the lines below them. @numbers are the titles of those that end below one another."""

    def __init__(self, line, numbers=()):
        self.columns = [(match[0], match.start(), match.end()) for match in WORD.finditer(line)]
        self.titles = [title for title, _, _ in self.columns]
        self.numbers, self.first = numbers, set()

    def row(self, line):
        """{title: cell}, blanks in a row made one; None: a word is in no column."""
        cells, before = {}, ""
        for match in WORD.finditer(line):
            title = next((title for title, begin, end in self.columns
                          if (match.end() == end if title in self.numbers else match.start() == begin)), None)
            if title is None and not before and match[0].isdigit():
                before = match[0] + " "  # of a number and its share, which has a column of its own in there
            elif title is None or title in cells:
                return None
            else:
                cells[title], before = before + match[0], ""
        return None if before else cells


def differences(where, got, want):
    """[fault] of a row: {title: text}; what is empty may be left out."""
    for title in {**want, **got}:
        if got.get(title, "") != want.get(title, ""):
            yield f"{where}: {title} is {got.get(title) or 'empty'!r}, by JSON {want.get(title) or 'empty'!r}"


def unknown(where, titles, known, table):
    """[fault] of the titles of a table: those that nobody told this reader of, and their order."""
    strange = [title for title in titles if title not in known]
    for title in strange:
        yield f"{where}: no column {title!r} is known here: {table} of tests/oracles has them, with the key in JSON"
    known = [title for title in known if title in titles]
    if not strange and titles != known:
        yield f"{where}: the columns are {titles}, not {known}"


def rest(where, lines, n, whole):
    """(how many rows of @n are shown, [fault]): the line below a table that says how many are not."""
    shown = n if whole else min(n, SHOWN)
    match = MORE.fullmatch(lines.peek())
    if not match:
        return [] if shown == n else [f"{where}: {n - shown} more are not mentioned: {lines.peek()!r}"]
    lines.next()
    return [] if int(match[1]) == n - shown else [f"{where}: {match[1]} more, by JSON {n - shown}"]


def table(where, lines, heading, columns, numbers, want, whole, fault_of):
    """[fault] of a table of one line a row, which is there if @want, [{title: text}] of all rows, has any."""
    if not want:
        if lines.is_next(heading):
            yield f"{where}: there is a table, and JSON has nothing for it"
        return
    if not lines.is_next(heading):
        yield f"{where}: there is no table, for {len(want)} rows: {lines.peek()!r}"
        return
    read = Table(lines.next(), numbers)
    yield from unknown(where, read.titles, columns, fault_of)
    shown = want if whole else want[:SHOWN]
    filled = {title for row in shown for title in row if row[title]}
    for title in set(read.titles) - filled:
        yield f"{where}: nothing of JSON is in column {title!r}"
    for number, row in enumerate(shown):
        got = read.row(lines.next())
        if got is None:
            yield f"{where}: row {number}: a cell is in no column: {lines.lines[lines.at - 1]!r}"
        else:
            yield from differences(f"{where}: row {number}", got, row)
    yield from rest(where, lines, len(want), whole)
