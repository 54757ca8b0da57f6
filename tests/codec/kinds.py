#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kinds.py TABLES-DUMP: fields of one name are printed alike, whichever header they are in.

A field is of the kind most fields of its name have, or of the one tests/data/kinds.txt says for it. Says
nothing of a name that only one header has: units.c holds those against others that have a unit.
"""
import collections
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tables_file  # noqa: E402

APART = pathlib.Path(__file__).resolve().parents[1] / "data/kinds.txt"


def main():
    text = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    fields = [row for row in tables_file.read(text)
              if row["table"] == "field" and row["flags"] != tables_file.RESERVED]
    apart = dict(line.split() for line in APART.read_text().splitlines() if not line.startswith("#"))
    kinds = collections.defaultdict(collections.Counter)
    for row in fields:
        if f"{row['header']}.{row['name']}" not in apart:
            kinds[row["name"]][row["kind"]] += 1
    faults, shared = [], 0
    for row in fields:
        name = f"{row['header']}.{row['name']}"
        usual = kinds[row["name"]].most_common(1)[0][0] if kinds[row["name"]] else None
        shared += name in apart or sum(kinds[row["name"]].values()) > 1
        if row["kind"] != apart.get(name, usual):
            faults.append(f"{name} is {row['kind']}, not {apart.get(name, usual)} as others of its name"
                          " or as data/kinds.txt has it")
        if name in apart and apart[name] == usual:
            faults.append(f"{name}: in data/kinds.txt, but as the others are")
    print("\n".join(faults + [f"{len(fields)} fields, {shared} with a name others have, {len(faults)} faults"]))
    return 1 if faults or not shared else 0


if __name__ == "__main__":
    sys.exit(main())
