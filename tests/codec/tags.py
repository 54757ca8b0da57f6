#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tags.py KHEADER: every name that expand.h makes is found by its tag, at the line it is made of.

The names are those of the preprocessor: all functions it makes of ibwire.h out of a schema file, which its line
markers tell, and the structures. The tags are looked up as editors do it, by bisection in a sorted file; the line of
a field is the one of the schema file that has its name.
"""
import bisect
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "include/ibwire/schema"
OF_HEADER = ("", "_wire", "_view", "_view_mut", "_unpack", "_pack", "_rsvd_set", "_BITS", "_BYTES")


def made():
    """{(name, schema file, kind of tag)} of the functions and structures that the preprocessor makes."""
    text = subprocess.run(["gcc", "-E", "-P", f"-I{ROOT / 'include'}", "-include", "ibwire/ibwire.h", "-xc",
                           "/dev/null"], capture_output=True, text=True, check=True).stdout
    headers = set(re.findall(r"\bibw_(\w+)_view\(const void", text)) & {p.stem for p in SCHEMA.glob("*.def")}
    found = {(f"ibw_{h}{end}", h, kind) for h in headers
             for end, kind in (("", "s"), ("_wire", "s"), ("_view", "f"), ("_view_mut", "f"))}
    for name, header in re.findall(r"\b(ibw_\w+)\((?:struct ibw_\w+ ?\* ?v, )?(?:const )?struct ibw_(\w+)_wire ?\* ?w"
                                   r"[^)]*\)\s*\{", text):
        if header in headers and name.startswith(f"ibw_{header}_"):
            found.add((name, header, "f"))
    return found


class Tags:
    def __init__(self, text):
        self.lines = [line for line in text.splitlines() if not line.startswith("!")]
        self.names = [line.split("\t")[0] for line in self.lines]

    def find(self, name, kind):
        """(file, line), or None; a structure may be called as a function is."""
        for i in range(bisect.bisect_left(self.names, name), bisect.bisect_right(self.names, name)):
            _, path, line, is_kind = self.lines[i].split("\t")
            if is_kind == kind:
                return pathlib.Path(path), int(line.removesuffix(';"'))
        return None


def wrong_of(name, header, tag):
    if not tag:
        return f"{name}: no tag"
    path, number = tag
    if path != SCHEMA / f"{header}.def" or not path.exists():
        return f"{name}: in {path}"
    rest = name.removeprefix(f"ibw_{header}")
    line = path.read_text().splitlines()[number - 1]
    if rest in OF_HEADER:
        return "" if number == 2 else f"{name}: at {line}"
    field = re.match(r"IBW_(?:FIELD|BYTES|ARRAY)\((\w+)\s*,", line)
    if not field or rest not in (f"_{field[1]}", f"_set_{field[1]}"):
        return f"{name}: at {line}"
    return ""


def main():
    text = subprocess.run([sys.argv[1], "--tags", SCHEMA], capture_output=True, text=True, check=True).stdout
    tags, names = Tags(text), made()
    wrong = [fault for name, header, kind in sorted(names) if (fault := wrong_of(name, header, tags.find(name, kind)))]
    if tags.names != sorted(tags.names) or len(tags.lines) != len(set(tags.lines)):
        wrong.append("the tags are not in order, or not once")
    if not text.startswith("!_TAG_FILE_FORMAT\t2\t"):
        wrong.append("no header line")
    if len(names) < 3500:
        wrong.append(f"{len(names)} names only")
    print("\n".join(wrong + [f"{len(names)} names, {len(tags.names)} tags, {len(wrong)} faults"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
