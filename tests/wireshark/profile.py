#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""profile.py PLUGIN PROFILE MADE [FRAMES]: what the profile RDMA says, Wireshark understands, and packets have it.

tshark -C RDMA -2 of the first FRAMES frames of every capture:

- each filter of a colouring rule, a button and a graph (of one stream: of any) matches packets, but not all;
- each colouring rule colours packets, those before it do not take them all;
- the columns are those of the file, in its order, and none is empty on every line;
- each has a width.
"""
import collections
import itertools
import pathlib
import re
import shutil
import sys

import ws

FILES = {"colorfilters", "dfilter_buttons", "io_graphs", "preferences", "recent"}
UNIT = {"SUM(Y Field)": "SUM(%s)%s", "MAX(Y Field)": "MAX(%s)%s", "Packets": "%s%s"}  # of -z io,stat
ROW = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows_of(path):
    """Of a file of lines of texts in quotation marks."""
    return [ROW.findall(line) for line in path.read_text().splitlines() if line.startswith('"')]


def coloring_rules(profile):
    """[(name, filter)]"""
    lines = (profile / "colorfilters").read_text().splitlines()
    return [tuple(line.split("@")[1:3]) for line in lines if line.startswith("@")]


def filters(profile):
    """{where: what -z io,stat counts}"""
    out = {f"colour {name}": text for name, text in coloring_rules(profile)}
    for enabled, label, text, _ in rows_of(profile / "dfilter_buttons"):
        out[f"button {label}"] = text
        if enabled != "TRUE":
            raise SystemExit(f"button {label}: off")
    for _, name, text, _, _, unit, field, _, _ in rows_of(profile / "io_graphs"):
        out[f"graph {name}"] = UNIT[unit] % (field, text.replace("ibwire.stream == 0 && ", ""))
    return out


def columns(profile):
    """[title]"""
    text = (profile / "preferences").read_text().split("gui.column.format:")[1]
    return ROW.findall(text)[::2]


def totals(text):
    """Of each filter of -z io,stat with an interval for the whole file: what it counts first."""
    line, = re.findall(r"^\|.*<>.*\|$", text, re.M)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    return [int(re.match(r"\d+", cell)[0]) for cell in cells[1:] if cell]


def matches(tshark, capture, profile, packets):
    """Faults of the filters."""
    wanted = filters(profile)
    counts = "".join(f",{re.sub('^(SUM|MAX)', 'COUNT', text)}" for text in wanted.values())
    text = tshark.read(capture, "-C", profile.name, "-2", "-q", "-z", f"io,stat,0{counts}")
    have, at = totals(text), 0
    for where, what in wanted.items():
        n = have[at]
        at += 1 if what.startswith(("SUM(", "MAX(")) else 2  # packets and bytes
        if not 0 < n < packets:
            yield f"{where}: {n} of {packets}"
    if at != len(have):
        yield f"{len(have)} numbers for {len(wanted)} filters"


def colours(tshark, capture, profile):
    """Faults of the colouring rules."""
    names = tshark.read(capture, "-C", profile.name, "-2", "--color", "-T", "fields", "-e",
                        "frame.coloring_rule.name").splitlines()
    count = collections.Counter(re.sub(r"\x1b.*?m", "", name) for name in names)
    for name, _ in coloring_rules(profile):
        if not count[name]:
            yield f"{name}: colours nothing"


def lines(tshark, capture, profile):
    """Faults of the columns."""
    titles = columns(profile)
    text = tshark.read(capture, "-C", profile.name, "-2", "-T", "tabs")
    said = [[cell for cell in line.split("\t") if cell != "→"] for line in text.splitlines()]
    for line in said:
        if len(line) != len(titles):
            yield f"{len(line)} columns: {line}"
            return
    for i, title in enumerate(titles):
        if not any(line[i].strip() for line in said):
            yield f"column {title}: empty"


def main():
    tshark, profile, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    home = tshark.dir / "home/.config/wireshark/profiles" / profile.name
    shutil.copytree(profile, home)
    for path in [tshark.dir / "home", *(tshark.dir / "home").rglob("*")]:
        path.chmod(0o777)
    merged = ws.by_linktype(made, first or None)
    capture = tshark.write_all("all.pcapng", merged)
    packets = sum(len(frames) for frames, _ in merged.values())
    text = (profile / "recent").read_text().split("column.width:")[1]
    widths = re.findall(r"(%[^,]+), \d+", text)
    wanted = [re.sub(r"^(%Cus:.*?):.*", r"\1", row) for row in ROW.findall(
        (profile / "preferences").read_text().split("gui.column.format:")[1])[1::2]]
    faults = [f"{a}: no width, but {b}" for a, b in itertools.zip_longest(wanted, widths) if a != b]
    faults += [f"{name}: another file" for name in {path.name for path in profile.iterdir()} ^ FILES]
    faults += matches(tshark, capture, profile, packets)
    faults += colours(tshark, capture, profile)
    faults += lines(tshark, capture, profile)
    return ws.verdict(faults, f"{packets} packets, {len(filters(profile))} filters, {len(columns(profile))} columns")


if __name__ == "__main__":
    sys.exit(main())
