# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""schema.py - the lines of the schema files: what the fields of a header are and where they lie.

The places in them tests/codec/facts.c holds against what other projects say.
"""
import dataclasses
import functools
import re

import ws

SCHEMA = ws.ROOT / "include/ibwire/schema"
LISTS = ws.ROOT / "include/ibwire/list"
LINE = re.compile(r"^IBW_(FIELD|BYTES|ARRAY|RSVD)\((.*)\)$", re.M)
HEADER = re.compile(r'^IBW_HEADER\((\w+), "(.*)"\)$', re.M)


@dataclasses.dataclass
class Line:
    verb: str
    row: str
    label: str
    kind: str
    at: int  # bits
    bits: int
    count: int
    values: str  # the list of their names; for reserved bits: anything

    def place(self, element=0):
        """(first byte, bytes) of the field, or an element of it."""
        at = self.at + element * self.bits
        return at // 8, (at + self.bits - 1) // 8 - at // 8 + 1

    def mask(self):
        """Its bits in the bytes it lies in."""
        return ((1 << self.bits) - 1) << -(self.at + self.bits) % 8


def line_of(verb, inside):
    words = [word.strip() for word in re.findall(r'\s*("[^"]*"|[^,]+)', inside)]
    if verb == "RSVD":
        at, bits = int(words[0]), int(words[1])
        return Line(verb, f"rsvd{words[0]}", "Reserved", "HEX", at, bits, 1, "")
    count = int(words[3]) if verb == "ARRAY" else 1
    kind = words[4] if verb == "ARRAY" else words[3]
    return Line(verb, words[0], words[-1].strip('"'), kind, int(words[1]), int(words[2]), count,
                words[-2])


@functools.cache
def lines(header):
    """{name of the field: Line}"""
    found = LINE.findall((SCHEMA / f"{header}.def").read_text())
    return {line.row: line for line in (line_of(*words) for words in found)}


@functools.cache
def size(header):
    """Bytes of the fixed part."""
    return max(line.at + line.bits * line.count for line in lines(header).values()) // 8


def headers():
    """{name: title}"""
    return {name: title for path in sorted(LISTS.glob("headers*.def"))
            for name, title in HEADER.findall(path.read_text())}
