# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The file tables-dump prints, as rows, and what can be wrong in a row.

A row is a dictionary of texts by the names of its cells, with "table" for its table. A mutant is one word
of the row's line in the sources changed. That can be more than one cell of the file: the headers after an
opcode are also the number of their bytes.
"""
import collections
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include/ibwire"

# What a row is called by.
NAMED_BY = {"header": ("name",), "field": ("header", "name"), "value": ("list", "constant"),
            "class": ("text",), "attribute": ("attrs", "text"), "opcode": ("code",), "rule": ("id",)}
RESERVED = "1"  # the flags of reserved bits
# Kinds somebody might write for one another.
KINDS = [("DEC", "HEX", "TIME_4096NS"), ("ENUM", "ENUM_DEC", "MASK"), ("QPN", "EECN", "PSN", "MSN"),
         ("LID", "P_KEY", "UDP_PORT", "HEX", "DEC"), ("GUID", "PREFIX", "M_KEY", "VA", "SERVICE_ID", "HEX"),
         ("Q_KEY", "R_KEY", "HEX", "DEC"), ("GID", "DATA"), ("MTU", "RATE", "WIDTH", "SPEED", "DEC"),
         ("TIME_RNR", "TIME_4096NS", "DEC"), ("TEXT", "DATA", "ZERO", "LE"), ("FLAG", "DEC")]

# The line that is mutated, by its word and what that makes of the row: {cell: text}.
Mutant = collections.namedtuple("Mutant", "row word cells")


def read(text):
    rows, cells = [], ()
    for line in text.splitlines():
        words = line.split("\t")
        if line.startswith("# "):
            cells = words[1:]
        else:
            rows.append(dict(zip(cells, words[1:]), table=words[0]))
    return rows


def write(rows):
    """The text of a file with these rows."""
    lines, table = [], None
    for row in rows:
        cells = [name for name in row if name != "table"]
        if row["table"] != table:
            table = row["table"]
            lines.append("\t".join([f"# {table}", *cells]))
        lines.append("\t".join([table, *(row[name] for name in cells)]))
    return "\n".join(lines) + "\n"


def name_of(row):
    return ".".join([row["table"], *(row[cell] for cell in NAMED_BY[row["table"]])])


def bits_called(path, prefix):
    """{NAME: number} of the "prefixNAME = 1 << n" of a header."""
    found = re.findall(rf"\b{prefix}(\w+) = 1 << (\d+)", (INCLUDE / path).read_text())
    return {name: 1 << int(bit) for name, bit in found}


class Mutants:
    """Makes a mutant of each row."""

    def __init__(self, rows, seed):
        self.rows, self.seed = rows, seed
        self.of = collections.defaultdict(list)  # table: rows
        for row in rows:
            self.of[row["table"]].append(row)
        self.bytes = {row["name"]: int(row["bytes"]) for row in self.of["header"]}
        self.kinds = {name: int(bits) for name, bits in re.findall(
            r"^IBW_KIND\((\w+),\s*(\d+)\)", (INCLUDE / "list/kinds.def").read_text(), re.M)}
        self.methods = bits_called("mad.h", "IBW_M_")
        self.eths = bits_called("transport.h", "IBW_ETH_")
        self.opf = bits_called("transport.h", "IBW_OPF_")

    def each(self):
        for row in self.rows:
            yield self.one(row)

    def one(self, row):
        """The mutant of a row: which, is drawn by its name, so that it stays when rows are added."""
        rng = random.Random(f"{self.seed} {name_of(row)}")
        made = [(word, cells) for word, cells in getattr(self, row["table"])(row, rng)
                if any(row[cell] != now for cell, now in cells.items())]
        word, cells = rng.choice(made)
        return Mutant(row, word, cells)

    def other(self, row, cell, rng, like=()):
        """What another row of the table has in a cell, of those alike in the cells @like if there is one."""
        all_of = [r for r in self.of[row["table"]] if r[cell] not in (row[cell], "-", "Reserved")]
        alike = [r for r in all_of if all(r[c] == row[c] for c in like)]
        return rng.choice(alike or all_of)[cell]

    @staticmethod
    def near(text, rng, step=1):
        number = int(text) + rng.choice((-step, step))
        return str(number if number >= 0 else step)

    def header(self, row, rng):
        yield "title", {"title": self.other(row, "title", rng)}
        yield "bytes", {"bytes": self.near(row["bytes"], rng)}

    def field(self, row, rng):
        for cell in ("at", "bits"):
            yield cell, {cell: self.near(row[cell], rng)}
        if row["count"] != "1":
            yield "count", {"count": self.near(row["count"], rng)}
        if row["comp"] != "-1":
            yield "comp", {"comp": self.near(row["comp"], rng)}
        if row["flags"] == RESERVED:
            return
        for _ in range(4):  # the compiler sees a wrong place, but nobody a wrong word: it is tried more often
            yield "label", {"label": self.other(row, "label", rng, ("header",))}
        bits = int(row["bits"]) * int(row["count"])
        like = [k for group in KINDS if row["kind"] in group for k in group
                if k != row["kind"] and self.kinds[k] in (0, bits)]
        for _ in range(2 if like else 0):
            yield "kind", {"kind": rng.choice(like)}
        for _ in range(2 if row["names"] != "-" else 0):
            yield "names", {"names": self.other(row, "names", rng)}

    def value(self, row, rng):
        yield "value", {"value": self.near(row["value"], rng)}
        yield "text", {"text": self.other(row, "text", rng, ("list",))}

    def layers(self, row, rng, cells):
        for cell in cells:
            others = [name for name, size in self.bytes.items()
                      if name != row[cell] and size == self.bytes.get(row[cell])]
            if row[cell] != "-":
                yield cell, {cell: rng.choice(others or sorted(self.bytes))}

    def klass(self, row, rng):
        yield "text", {"text": self.other(row, "text", rng)}
        for cell in ("first", "last"):
            yield cell, {cell: self.near(row[cell], rng)}
        yield "version", {"version": self.near(row["version"], rng)}
        yield "attrs", {"attrs": self.other(row, "attrs", rng)}
        yield from self.layers(row, rng, ("layer1", "layer2"))
        for cell in ("off", "len"):
            yield cell, {cell: self.near(row[cell], rng, 4)}

    def attribute(self, row, rng):
        yield "text", {"text": self.other(row, "text", rng, ("attrs",))}
        number = int(row["id"], 16)
        for now in (number ^ 1, number + 2):
            yield "id", {"id": f"0x{now:04x}"}
        for name in ("GET", "SET", rng.choice(sorted(self.methods))):
            yield "methods", {"methods": f"0x{int(row['methods'], 16) ^ self.methods[name]:04x}"}
        yield from self.layers(row, rng, ("layer1", "layer2", "layer3"))

    def opcode(self, row, rng):
        yield "text", {"text": self.other(row, "text", rng)}
        eth = rng.choice(sorted(self.eths))
        eths = int(row["eths"], 16) ^ self.eths[eth]
        size = sum(self.bytes[name.lower()] for name, bit in self.eths.items() if eths & bit)
        yield "eths", {"eths": f"0x{eths:04x}", "eths_bytes": str(size)}
        flags = int(row["flags"], 16)
        for word, names in (("position", ("FIRST", "MIDDLE", "LAST", "ONLY")),
                            ("role", ("REQUEST", "RESPONSE")), ("payload", ("MTU", "SOME", "NONE"))):
            mask = sum(self.opf.get(name, 0) for name in names)
            now = rng.choice([n for n in names if self.opf.get(n, 0) != flags & mask])
            yield word, {"flags": f"0x{flags & ~mask | self.opf.get(now, 0):04x}"}

    def rule(self, row, rng):
        for cell in ("name", "text", "why", "cause", "advice"):
            yield cell, {cell: self.other(row, cell, rng)}
        for cell in ("severity", "scope", "layer"):
            yield cell, {cell: self.other(row, cell, rng)}


setattr(Mutants, "class", Mutants.klass)
