#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""incidents.py PLUGIN PCAP-LINT MADE: incidents of packets, and -z ibwire,incidents, are those of pcap-lint --format json.

Of all frames of pcaps/faults, pcaps/rxe, pcaps/siw and MADE's streams-*.pcap in one file, and of each of ALONE by itself, in both modes: with -2 a packet has the
incidents that name its frame, and no other, each with its number, kind, root PSN, times and packets sent again, and the other frames
that it names; in a single pass no packet has one. The window's table (sharkd) has a line for each, each time it is opened; with a
filter (tshark) those of the packets that it leaves; in a single pass, and of a file without RDMA, none.
"""
import json
import pathlib
import re
import subprocess
import sys

import pdml
import ws

LINT = ["--ignore", "CAP008", "--fail-on", "never", "--format", "json"]
ALONE = ("faults/12-uc-write-loss", "faults/10e-swap-write", "faults/11b-16qp-read-loss", "rxe/12-drop-at-receiver-write", "mad/perf",
         "siw/24b-read-loss", "siw/26-crc-loss-reorder")
FIELD = "ibwire.incident"
# {field: what JSON has}
FRAMES = {f"{FIELD}.{name}": key for name, key in {
    "root_in": "root", "lost_in": "lost", "noticed_in": "notice", "nak_in": "nak", "resent_in": "resent", "ended_in": "end",
    "last_in": "last"}.items()}
SHOWN = f"{FIELD}.shown_in"
TIMES = {f"{FIELD}.{name}": key for name, key in {"time": "lost", "noticed": "noticed", "resent": "resent",
                                                  "repaired": "repaired"}.items()}
KIND, PSN, RESENT = (f"{FIELD}.{name}" for name in ("kind", "root_psn", "packets_resent"))
# What ws_rows asks for.
COMPARED = [FIELD, KIND, PSN, SHOWN, *FRAMES, *TIMES, RESENT]
HEAD_OF_TABLE = ["incident", "stream", "kind", "root PSN", "frame", "lost ms", "resent"]


def of_lint(lint, capture):
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    return [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "incident"]


def frames_of(row):
    return {SHOWN: row["frame"]} | {field: row["frames"][key] for field, key in FRAMES.items()}


def packets_of(row):
    return set(frames_of(row).values()) - {None}


def line_of(row):
    """Of the table."""
    return row["incident"], row["connection"], row["kind"], row["root_psn"], row["frame"], row["ns"]["lost"], row["packets_resent"]


def items_of(row, frame):
    """Of its packet @frame: {field: value}"""
    psn = {} if row["root_psn"] is None else {PSN: row["root_psn"]}
    return {FIELD: row["incident"], KIND: row["kind"], RESENT: row["packets_resent"]} | psn | \
           {field: row["ns"][key] for field, key in TIMES.items()} | \
           {field: other for field, other in frames_of(row).items() if other not in (None, frame)}


def value_of(field):
    name, text = field.get("name"), field.get("show")
    return text if name == KIND else ws.ns(text) if name in TIMES else int(text, 0)


def of_plugin(tshark, capture, *options):
    """{frame: [the same]}"""
    packets = {}
    for frame, trees in pdml.packets(tshark, capture, "-2", *options, "-Y", FIELD):
        found = [item for tree in trees for item in tree.iter("field") if item.get("name") == FIELD]
        packets[frame] = [{item.get("name"): value_of(item) for item in top.iter("field")} for top in found]
    return packets


def of_packets(tshark, capture, rows, compared, *options):
    want = {}
    for row in rows:
        for frame in packets_of(row):
            want.setdefault(frame, []).append(items_of(row, frame))
    have = of_plugin(tshark, capture, *options)
    compared.same("packets", capture.name, sorted(have), sorted(want))
    for frame, items in want.items():
        where = f"{capture.name} frame {frame} {' '.join(options)}"
        ours = have.get(frame, [])
        compared.same("incidents of a packet", where, [item[FIELD] for item in ours], [item[FIELD] for item in items])
        for a, b in zip(ours, items, strict=False):
            for field in COMPARED:
                if field in a or field in b:
                    compared.same(field, where, a.get(field), b.get(field))
            compared.same("other fields", where, sorted(set(a) - set(COMPARED)), [])


def number(cell):
    return int(cell) if cell.strip() else None


def psn_of(cell):
    return int(re.fullmatch(r"0x([0-9a-f]{6})", cell)[1], 16) if cell.strip() else None


def read_line(cells):
    return int(cells[0]), number(cells[1]), cells[2], psn_of(cells[3]), int(cells[4]), round(float(cells[5]) * 1e6), int(cells[6])


def table_of(sharkd):
    """The window's."""
    tap = json.loads(sharkd.ask({"method": "tap", "params": {"tap0": "nstat:ibwire,incidents"}}))["result"]["taps"][0]
    if [field["c"] for field in tap["fields"]] != HEAD_OF_TABLE:
        raise SystemExit(f"titles: {tap['fields']}")
    return [read_line(row) for row in tap["tables"][0]["i"]]


def printed(tshark, capture, filter_, *options):
    """The same, as tshark prints it."""
    lines = tshark.read(capture, "-q", *options, "-z", f"ibwire,incidents{filter_}").splitlines()
    rows = ([cell.strip() for cell in line.split("|")] for line in lines[lines.index("Incidents") + 1:-1])
    return [read_line(row) for row in rows if len(row) > 1]


def of_table(tshark, capture, rows, compared):
    empty = tshark.write("empty.pcap", 1, [(0, 0, 60, bytes(60))])
    want = [line_of(row) for row in rows]
    left = set().union(*(packets_of(row) for row in rows if row["kind"] == rows[0]["kind"]))
    some = [line_of(row) for row in rows if left & packets_of(row)]
    tables = [("printed", printed(tshark, capture, "", "-2"), want),
              ("filter", printed(tshark, capture, f",{KIND} == \"{rows[0]['kind']}\"", "-2"), some),
              ("single pass", printed(tshark, capture, ""), [])]
    with tshark.sharkd_running() as sharkd:
        for what, path, lines in (("window", capture, want), ("window, again", None, want), ("no RDMA", empty, []),
                                  ("window, back", capture, want)):
            if path:
                sharkd.load(path)
            tables.append((what, table_of(sharkd), lines))
    for what, have, lines in tables:  # they are in the order of the first packets that are seen again
        compared.same(what, "lines", len(have), len(lines))
        for a, b in zip(sorted(have), sorted(lines), strict=False):
            compared.same(what, f"incident {b[0]}", a, b)
    if len(some) in (0, len(want)):
        compared.faults.append("filter: it leaves none, or all")


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    rooms = [sorted(room.glob(names)) for room, names in ((ws.ROOT / "pcaps/faults", "*.pcap"), (ws.ROOT / "pcaps/rxe", "*.pcap"),
                                                          (ws.ROOT / "pcaps/siw", "*.pcap"),
                                                          (made, "streams-*.pcap"))]
    if not all(rooms):
        raise SystemExit("no captures")
    paths = sum(rooms, [])
    merged, compared = ws.of_captures(paths), ws.Compared()
    rows = of_lint(lint, tshark.write_all("as-is.pcapng", merged, as_is=True))
    if not rows:
        raise SystemExit("pcap-lint has no incident")
    capture = tshark.write_all("all.pcapng", merged)
    of_packets(tshark, capture, rows, compared)
    single = tshark.read(capture, "-Y", FIELD, "-T", "fields", "-e", "frame.number").split()
    compared.same("single pass", "packets", single, [])
    merged.pop(ws.INFINIBAND, None)  # which sharkd does not know
    capture = tshark.write_all("window.pcapng", merged)
    of_table(tshark, capture, of_lint(lint, capture), compared)
    for name in ALONE:
        path = ws.ROOT / "pcaps" / f"{name}.pcap"
        alone = of_lint(lint, path)
        compared.same("alone", f"{name}: incidents", bool(alone), True)
        for options in ([], ["-o", "ibwire.mode:takeover"]):
            of_packets(tshark, tshark.put(path), alone, compared, *options)
    compared.all_of([*COMPARED, "printed", "filter", "window", "window, again", "window, back"])
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    return ws.verdict(compared.faults, f"{len(rows)} incidents, {compared.n.total()} figures ({said})")


if __name__ == "__main__":
    sys.exit(main())
