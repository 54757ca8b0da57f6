#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The arrows between directories go one way.

include <- codec <- dissector/track <- dissector/lint <- { dissector/pcap-lint, dissector/wireshark }
and codec <- dissector/capture <- dissector/pcap-lint; fuzz, pcaps and tests use all. ROOMS has the rooms of a directory, each
of which uses only rooms above it; what is in none of them uses all. The README.md of the directory has the same rooms, in
that order. A quoted include
is a file of the same directory, or one written from a directory below ("lint/flow.h"); the library
is <ibwire/...>. What include/ and codec/ may take from elsewhere is listed here, name by name.

With --self-test: plants one forbidden line of each sort, and from each room to each that it may not use, in a copy and
sees it found.
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)
FREESTANDING = {"stddef.h", "stdint.h", "stdbool.h", "limits.h"}

# directory: {its room: the rooms it may use}; its README.md says what is in each.
ROOMS = {"dissector/track": {
    "base": (),
    "view": ("base",),
    "cm": ("base", "view"),
    "way": ("base", "view", "cm"),
    "link": ("base", "view", "cm", "way"),
    "incident": ("base", "way"),
    "measure": ("base", "view", "way", "link", "incident"),
    "stream": ("base", "view", "way", "link", "incident", "measure"),
    "conn": ("base", "view", "cm", "way", "link", "stream"),
    "fabric": ("base", "view"),
    "mgmt": ("base", "view", "cm", "way", "incident", "stream", "conn", "fabric"),
    "tcp": ("base",),
    "ulp": ("base", "view", "cm", "way", "stream", "conn", "tcp"),
    "message": ("base", "view", "way", "ulp"),
    "iwarp": ("base", "way", "incident", "measure", "conn", "tcp", "ulp", "message"),
}, "dissector/lint": {
    "rules": (),
    "base": ("rules",),
    "found": ("rules", "base"),
    "packet": ("rules", "base", "found"),
    "mgmt": ("rules", "base", "found", "packet"),
    "upper": ("rules", "base"),
    "events": ("rules", "base", "found", "packet", "mgmt", "upper"),
}, "dissector/pcap-lint": {
    "options": (),
    "base": ("options",),
    "report": ("options", "base"),
    "incidents": ("options", "base", "report"),
    "verdict": ("options", "base", "report", "incidents"),
    "story": ("options", "base", "report"),
    "rewrite": ("options", "base", "report", "incidents"),
    "findings": ("options", "base", "report", "incidents", "verdict", "story", "rewrite"),
    "sinks": ("options", "base", "report", "incidents", "verdict", "story", "findings"),
    "sinks/html": ("options", "base", "report", "incidents", "verdict", "story", "sinks"),
    "decode": ("options", "base", "report"),
    "run": ("options", "base", "report", "story", "rewrite", "findings", "sinks", "sinks/html", "decode"),
    "command": ("options", "base", "report", "rewrite", "findings", "run"),
}, "dissector/wireshark": {
    "base": (),
    "packet": ("base",),
    "marks": ("base", "packet"),
    "tree": ("base", "packet", "marks"),
    "windows": ("base", "packet", "marks", "tree"),
    "dissect": ("base", "packet", "marks", "tree", "windows"),
}}


def rooms_of(directory):
    return tuple(f"{directory}/{room}" for room in ROOMS[directory])


def with_rooms(directory, *others):
    """The rows of MAY of a directory and its rooms; all may use @others."""
    rooms = {f"{directory}/{room}": (("include/ibwire", *others, *(f"{directory}/{other}" for other in uses)), None)
             for room, uses in ROOMS[directory].items()}
    return {**rooms, directory: (("include/ibwire", *others, *rooms), None)}


TRACK = ("dissector/track", *rooms_of("dissector/track"))
LINT = ("dissector/lint", *rooms_of("dissector/lint"))


# directory: (directories of ours it may use, what it may use of others; None: anything)
MAY = {
    "include/ibwire": ((), FREESTANDING),
    "codec": (("include/ibwire",), FREESTANDING),
    "dissector/capture": (("include/ibwire",), None),
    **with_rooms("dissector/track"),
    **with_rooms("dissector/lint", *TRACK),
    **with_rooms("dissector/pcap-lint", "dissector/capture", *TRACK, *LINT),
    **with_rooms("dissector/wireshark", *TRACK, *LINT),
    "fuzz": (None, None),
    "pcaps": (None, None),
    "tests": (None, None),
}
# file: what it alone may take, and why
NEXT_TOS = {
    "include/ibwire/base.h": {"linux/types.h", "linux/stddef.h"},  # tells kernel from libc
    "codec/crc32.c": {"isa-l/crc.h"},  # optional: IBW_ISAL
    "codec/crc32c.c": {"isa-l/crc.h"},  # the same
    "codec/crc_fold.h": {"smmintrin.h", "wmmintrin.h"},  # the compiler's own
}
# Programs that live in codec/ and print: they are not part of the library.
PROGRAMS = {"codec/kheader.c", "codec/kheader_code.c", "codec/kheader_man.c",
            "codec/kheader_picture.c", "codec/kheader_reference.c", "codec/kheader_tags.c", "codec/kheader_values.c", "codec/man.c", "codec/man_roff.c",
            "codec/man_roff.h", "codec/man_schema.c"}
# Files that are made when they are needed.
GENERATED = {"headers_ibwire.h", "printed_all.h"}  # tests/codec/kernel: every header of include/ibwire
# These libraries may not know who calls them.
CALLERS = re.compile(r"^(epan|wiretap|wsutil|pcap)\b")
FOREIGN = {**dict.fromkeys((*TRACK, *LINT), CALLERS),
           "dissector/capture": re.compile(r"^(epan|wiretap|wsutil)\b")}


def home(path):
    """The entry of MAY a file (relative to the root) falls under."""
    return max((d for d in MAY if path.startswith(d + "/")), key=len, default=None)


def check_file(root, path):
    ours, others = MAY[home(path)]
    text = (root / path).read_text(errors="replace")
    for match in INCLUDE.finditer(text):
        mark, name = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        where = f"{path}:{line}: {match.group(0).strip()}"
        if ".." in name.split("/"):
            yield f"{where}: climbs out of its directory"
            continue
        target = None
        if mark == '"' and (root / path).parent.joinpath(name).exists():
            target = str(pathlib.PurePath(path).parent / name)
        elif name.startswith("ibwire/"):
            target = "include/" + name
        else:
            for base in ("", "dissector/", "codec/", *(["tests/lib/"] if home(path) == "tests" else [])):
                if home(base + name) and (root / (base + name)).exists():
                    target = base + name
                    break
        if target is None:
            if mark == '"' and name not in GENERATED:
                yield f"{where}: no such file of ours"
            elif mark == '<' and others is not None and name not in others | NEXT_TOS.get(path, set()) \
                    and path not in PROGRAMS:
                yield f"{where}: {home(path)} may not use this"
            elif FOREIGN.get(home(path)) and FOREIGN[home(path)].match(name):
                yield f"{where}: {home(path)} may not use this"
            continue
        if not (root / target).exists():
            yield f"{where}: no such file"
        if home(target) != home(path) and ours is not None and home(target) not in ours:
            yield f"{where}: {home(path)} may not use {home(target)}"


def check_rooms(root):
    """Each room uses rooms above it, and the README.md of its directory has them in this order."""
    for directory, rooms in ROOMS.items():
        names = list(rooms)
        for at, (room, uses) in enumerate(rooms.items()):
            yield from (f"{directory}/{room} uses {other}, which is not above it" for other in uses if other not in names[:at])
        map_of = root / directory / "README.md"
        told = re.findall(r"^\| `([\w/]+)/` \|", map_of.read_text(), re.M) if map_of.exists() else []
        if told != names:
            yield f"{directory}/README.md has the rooms {told}, not {names}"
        there = {str(path.relative_to(root / directory).parent) for path in (root / directory).rglob("*.c")} - {"."}
        yield from (f"{directory}/{room} is no room" for room in sorted(there - set(names)))


def check(root):
    files = [p for d in MAY for p in (root / d).rglob("*") if p.suffix in (".c", ".h", ".def")]
    names = sorted({str(p.relative_to(root)) for p in files} )
    names = [n for n in names if not n.startswith("tests/tree/refuse/")]
    return len(names), [*check_rooms(root), *(fault for name in names for fault in check_file(root, name))]


def wrong_arrows():
    """{file: a line} of each room to each other room of its directory, and to what is in none, that it may not use."""
    for directory, rooms in ROOMS.items():
        below = directory.removeprefix("dissector/")
        for room, uses in rooms.items():
            for other in (*(other for other in rooms if other not in (room, *uses)), None):
                header = f"{below}/{other}/planted.h" if other else f"{below}/planted.h"
                yield f"{directory}/{room}/planted_{(other or 'none').replace('/', '_')}.c", f'#include "{header}"'


def self_test():
    planted = {
        "include/ibwire/bits.h": "#include <string.h>",
        "codec/planted.c": "#include <stdio.h>",
        "codec/planted2.c": "#include <glib.h>",
        "codec/planted3.c": '#include "lint/planted.h"',
        "dissector/capture/planted.c": '#include "lint/planted.h"',
        "dissector/track/planted.c": '#include "lint/planted.h"',
        "dissector/track/planted2.c": "#include <epan/packet.h>",
        "dissector/track/tcp/planted.c": '#include "track/iwarp/iwarp.h"',
        "dissector/track/way/planted.c": '#include "track/stream/stream.h"',
        "dissector/track/base/planted.c": '#include "track/track.h"',
        "dissector/track/iwarp/planted.c": "#include <epan/packet.h>",
        "dissector/lint/planted.c": "#include <epan/packet.h>",
        "dissector/lint/packet/planted.c": '#include "lint/mgmt/mad.h"',
        "dissector/lint/base/planted.c": '#include "lint/lint.h"',
        "dissector/lint/events/planted.c": "#include <epan/packet.h>",
        "dissector/lint/planted2.c": '#include "pcap-lint/planted.h"',
        "dissector/pcap-lint/planted.c": '#include "wireshark/planted.h"',
        "dissector/pcap-lint/planted2.c": '#include "../lint/planted.h"',
        "dissector/wireshark/planted.c": '#include "codec/planted.h"',
        "dissector/wireshark/planted2.c": "#include <ibwire/not_there.h>",
        "dissector/wireshark/planted/planted.c": "int nowhere;",
        **dict(wrong_arrows()),
    }
    with tempfile.TemporaryDirectory() as tmp:
        copy = pathlib.Path(tmp)
        for name in [n for n in MAY if not any(n.startswith(d + "/") for d in MAY)]:
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns(
                "*.pcap*", "*.erf", "corpus"))
        for name in ("capture", "lint", "pcap-lint", "track", "wireshark"):
            (copy / "dissector" / name / "planted.h").write_text("")
        for directory, rooms in ROOMS.items():
            for room in rooms:
                (copy / directory / room / "planted.h").write_text("")
        (copy / "dissector/wireshark/planted").mkdir()
        (copy / "codec/planted.h").write_text("")
        for name, line in planted.items():
            with open(copy / name, "a") as f:
                f.write(line + "\n")
        found = "\n".join(check(copy)[1])
    missed = [f"{n}: {line}" for n, line in planted.items() if f"{n}:" not in found]
    missed = [one for one in missed if one != "dissector/wireshark/planted/planted.c: int nowhere;"
              or "dissector/wireshark/planted is no room" not in found]
    print("\n".join(f"planted, not found: {m}" for m in missed) or f"{len(planted)} planted, all found")
    return 1 if missed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    count, faults = check(ROOT)
    print("\n".join(faults + [f"{count} files, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
