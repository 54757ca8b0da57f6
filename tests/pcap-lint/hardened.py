#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""hardened.py BUILD BINARY...: pcap-lint and the plugins are built as what reads the captures of strangers should be.

Read from each binary: no address of it is fixed (a program is a PIE), relocations are done before it runs and cannot be
written to afterwards, the stack is not executable, no text is relocated, and it calls what stack protector and FORTIFY
call when they find something. From BUILD's compile_commands.json: each of the sources was compiled so.
"""
import json
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ET_DYN, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 3, 2, 3, 0x6474e551, 0x6474e552
DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_TEXTREL, DT_FLAGS, DT_FLAGS_1, PT_LOAD = 5, 6, 10, 22, 30, 0x6ffffffb, 1
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE, PF_X = 4, 8, 1, 0x08000000, 1
GENERATORS = re.compile(r"/(kheader\w*|man\w*|completion)\.c$")  # they run at build time, on our own tables


class Elf:
    """A 64-bit ELF file of this machine's byte order."""
    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        if self.data[:5] != b"\x7fELF\x02":
            raise SystemExit(f"{path}: no 64-bit ELF file")
        self.order = "<" if self.data[5] == 1 else ">"
        self.type, = self.read("H", 16)
        at, = self.read("Q", 32)
        size, count = self.read("HH", 54)
        # (type, flags, offset, address, bytes)
        self.parts = [tuple(self.read("IIQQQQ", at + i * size)[j] for j in (0, 1, 2, 3, 5)) for i in range(count)]
        self.dynamic = self.tags()

    def read(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)

    def part(self, kind):
        return next((part for part in self.parts if part[0] == kind), None)

    def tags(self):
        part = self.part(PT_DYNAMIC)
        return dict(self.read("QQ", part[2] + at) for at in range(0, part[4], 16)) if part else {}

    def place(self, address):
        """Where in the file what is loaded at that address is."""
        return next(offset + address - start for kind, _, offset, start, size in self.parts
                    if kind == PT_LOAD and start <= address < start + size)

    def undefined(self):
        """The names it takes from libraries; the table of names is after that of symbols."""
        names, at = self.place(self.dynamic[DT_STRTAB]), self.place(self.dynamic[DT_SYMTAB])
        found = set()
        for symbol in range(at, names, 24):
            name, _, _, section, _, _ = self.read("IBBHQQ", symbol)
            if name and not section:
                found.add(self.data[names + name:self.data.index(0, names + name)].decode())
        return found


def faults(path):
    elf = Elf(path)
    flags, flags_1 = elf.dynamic.get(DT_FLAGS, 0), elf.dynamic.get(DT_FLAGS_1, 0)
    stack, wanted = elf.part(PT_GNU_STACK), elf.undefined()
    for name, ok in (("position-independent", elf.type == ET_DYN and (flags_1 & DF_1_PIE or not elf.part(PT_INTERP))),
                     ("RELRO", elf.part(PT_GNU_RELRO)),
                     ("BIND_NOW", flags & DF_BIND_NOW or flags_1 & DF_1_NOW),
                     ("a stack that is not executable", stack and not stack[1] & PF_X),
                     ("text without relocations", not flags & DF_TEXTREL and DT_TEXTREL not in elf.dynamic),
                     ("the stack protector", "__stack_chk_fail" in wanted),
                     ("FORTIFY", any(re.fullmatch(r"__\w+_chk", name) for name in wanted))):
        if not ok:
            yield f"{path}: without {name}"


def compiled(build):
    """What is missing where a source of the product is compiled."""
    seen = 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(ROOT) or source.relative_to(ROOT).parts[0] not in ("codec", "dissector") \
                or GENERATORS.search(entry["file"]) or not re.search(" -o (codec|dissector)/", entry["command"]):
            continue
        seen += 1
        words = entry["command"].split()
        for word in ("-fstack-protector-strong", "-D_FORTIFY_SOURCE=[23]", "-fPI[CE]"):
            if not any(re.fullmatch(word, has) for has in words):
                yield f"{source.relative_to(ROOT)}: compiled without {word}"
    if not seen:
        yield f"{build}: no source of the product"


def main():
    build, *binaries = map(pathlib.Path, sys.argv[1:])
    found = [*compiled(build), *(fault for path in binaries for fault in faults(path))]
    print("\n".join(found) or f"{len(binaries)} binaries: hardened")
    return not binaries or bool(found)


sys.exit(main())
