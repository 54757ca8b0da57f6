#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""two_points.py PLUGIN MADE [CAPTURES]: what is captured at two points is told as what is captured at one.

Captures with packets put in a second time, as tests/lint/twice.py makes them: with -2 those, and no others, have the mark copy, with the
frame of the packet that came first (or of one that equals it); all others have the connection, the marks and the findings that they have in the capture as it was, from its
first packet on. So many CAPTURES, at equal distances (0: all).
"""
import collections
import pathlib
import sys

import ws

sys.path.insert(0, str(ws.ROOT / "tests/lint"))
import sample  # noqa: E402
import twice  # noqa: E402

MOST_FRAMES = 1500
PARTLY = "as it is"  # directions with few equal packets may be left
ICRC_BYTES = 4
HOW = ("routed", "tagged", "interface", PARTLY)
PREFIX = "ibwire.analysis."
MARKS = [PREFIX + row.mark for row in ws.MARKS if row.mark != "copy"]
COPY, FIRST = PREFIX + "copy", PREFIX + "copy.first"
FIELDS = ["frame.number", COPY, FIRST, "ibwire.stream", "ibwire.lint.rule", "ibwire.lint.severity", *MARKS]
COMPARED = [COPY, FIRST]  # for ws_rows
Said = collections.namedtuple("Said", "copy first stream findings marks")


def said_of(tshark, path, *options):
    """[Said] of each frame."""
    args = [arg for field in FIELDS for arg in ("-e", field)]
    out = []
    for line in tshark.read(path, "-2", "-o", "ibwire.severity:note", *options, "-T", "fields", *args).splitlines():
        _, copy, first, stream, rules, severities, *marks = line.split("\t")
        found = zip(rules.split(","), severities.split(","))
        out.append(Said(bool(copy), first, stream, sorted(row for row in found if row[0] not in twice.OF_A_POINT), marks))
    return out


def is_roce(body):
    """Whether the plugin knows the packet again: the RoCE v1 and v2 of an Ethernet frame."""
    found = twice.network(body)
    if not found:
        return False
    at, kind = found
    bth = at + (28 if kind == 0x0800 else 48)
    return kind == 0x8915 or len(body) > bth and body[bth - 6:bth - 4] == b"\x12\xb7"


def compare(tshark, capture, how, before, asked, options):
    """What is wrong of one capture with copies."""
    rows, path = twice.put_twice(capture, how), tshark.dir / "copies.pcapng"
    twice.write(path, rows)
    path.chmod(0o644)
    origin = {frame: capture.records[i][1] for frame, (_, i, copy, _, _) in enumerate(rows, 1) if not copy}
    firsts = {i: frame for frame, (_, i, copy, _, _) in enumerate(rows, 1) if not copy}
    name, after = f"{capture.path.name}, {how}", said_of(tshark, path, *options)
    if not any(said.copy for said in after):
        asked["not told"] += 1
        return
    asked["told"] += 1
    for frame, (said, (_, i, copy, _, _)) in enumerate(zip(after, rows, strict=True), 1):
        body = capture.records[i][1]
        if copy or said.copy:
            of, known = int(said.first or 0), is_roce(body) and how != PARTLY
            right = copy and 0 < of < frame and origin.get(of, b"")[:-ICRC_BYTES] == body[:-ICRC_BYTES] if said.copy else not known
            if not right:
                yield f"{name}: frame {frame} is said to be a copy of {said.first or None}, and is one of {copy and firsts[i]}"
            continue
        was, now = before[i], said
        differ = [(field, a, b) for field, a, b in zip(("stream", "findings", *MARKS), (was.stream, was.findings, *was.marks),
                                                       (now.stream, now.findings, *now.marks)) if a != b]
        if differ:
            yield f"{name}: frame {frame}, before frame {i + 1}: {differ}"


def captures(made, most):
    real, own = {*ws.ROOT.glob("pcaps/**/*.pcap")}, {*pathlib.Path(made).glob("*.pcap")}
    if not own:
        raise SystemExit(f"{made}: no captures")
    found = [twice.Capture(path) for path in sorted(real | own) if twice.suits(path)]
    found = [c for c in found if c.whole and c.linktype == 1 and twice.LEAST_PACKETS <= len(c.records) <= MOST_FRAMES
             and c.path.stem not in {*twice.TWICE, twice.PARTLY} and any(is_roce(body) for _, body, _ in c.records)]
    return sample.rows(found[::-(-len(found) // most) if most else 1], lambda c: c.path.name)


def main():
    tshark, faults, asked = ws.Tshark(sys.argv[1]), [], collections.Counter()
    for n, capture in enumerate(captures(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)):
        options = ("-o", "ibwire.mode:takeover") if n % 4 == 3 else ()
        how = HOW[n % len(HOW)] if twice.numbers_change(capture) else HOW[n % (len(HOW) - 1)]
        before = said_of(tshark, tshark.put(capture.path), *options)
        faults += compare(tshark, capture, how, before, asked, options)
    faults += [f"{asked}: too few"] * (asked["told"] < 4 * asked["not told"] or not asked["told"])
    return ws.verdict(faults, f"{dict(asked)}")


if __name__ == "__main__":
    sys.exit(main())
