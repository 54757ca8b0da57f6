#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""series.py PCAP-LINT MADE: what --series prints, number by number, against the packets as tests/oracles/ read them.

Of each capture of pcaps/ and of MADE, every direction with requests: which columns there are, and of each its first frame, packets,
bytes, the least and the greatest PSN sent first, sent again and answered, and up to where all was answered. Columns are no more
than are kept, and would be more if they were half as long. NAKs, RNR NAKs, refusals, gaps and CNPs are marked where they are; of more
marks than are kept the others are counted in their columns.

Left out are connections that were captured twice, whose copies are taken away later, and those whose path MTU nobody knows. With
little memory there are fewer columns, and the same in them.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import figures  # noqa: E402
import packet as P  # noqa: E402
import pairing  # noqa: E402
import parallel  # noqa: E402
import pauses  # noqa: E402
import writer  # noqa: E402

WAYS = ("a_to_b", "b_to_a")
KEPT, LESS, FIRST_NS, MARKS = 1024, 128, 1000, 256
BUSY = 24, 300  # connections, and packets of each, whose columns do not fit in little memory
LISTS = ("first_frame", "packets", "wire_bytes", "first_low", "first_high", "again_low", "again_high", "response_low",
         "response_high", "covered")
UNCHECKED = ("timer", "ce", "cm")
KEYS = ["type", "schema", "file", "connection", "direction", "start", "interval_ns", "psn", "columns", "marks", "more"]
SHOWN = 20


def product(lint, paths, *options):
    """{path: ([series], {connection: doubt})}"""
    run = subprocess.run([lint, *options, "--series", "--stats", "--format", "json", "--ignore", "all", "--fail-on", "never", "-q", *map(str, paths)],
                         stdout=subprocess.PIPE, text=True, check=False)
    found = {str(path): ([], {}) for path in paths}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["type"] == "series":
            found[row["file"]][0].append(row)
        elif row["type"] == "flow":
            found[row["file"]][1][row["connection"]] = row["doubt"]
    return found


def connections(path):
    tracker, _ = pairing.followed([p for p in map(P.parse, capture.records(path)) if p])
    return tracker.flows()


class Direction:
    """Requests of one side, and what answers them, as they come: (time, frame, wire, {list: PSN})."""

    def __init__(self):
        self.next = self.base = self.covered = None
        self.events, self.marks, self.times = [], [], {}

    def request(self, packet):
        self.times[packet.frame] = packet.time
        ext = packet.psn if self.next is None else figures.nearest(packet.psn, self.next)
        if self.base is None:
            self.base = ext
        if packet.was == "restart":
            self.covered = None
        if packet.was == "gap":
            self.marks.append(("gap", packet.frame, self.next - self.base))
        after = ext + packet.span
        self.next = after if self.next is None or packet.was == "restart" else max(self.next, after)
        self.events.append((packet, {"again" if packet.was == "repeated" else "first": ext - self.base}))

    def answer(self, packet):
        if self.base is None:
            return
        self.times[packet.frame] = packet.time
        ext = figures.nearest(packet.psn, self.next)
        kind = None if packet.syndrome is None or packet.op in P.READS else packet.syndrome >> 5
        refused = packet.op == P.ACKNOWLEDGE and kind in (1, 3)
        upto = ext - refused - self.base
        if upto >= 0:
            self.covered = upto if self.covered is None else max(self.covered, upto)
        if refused:
            name = "rnr" if kind == 1 else "nak" if packet.syndrome == 0x60 else "refused"
            self.marks.append((name, packet.frame, ext - self.base))
        told = {} if packet.op == P.ACKNOWLEDGE else {"response": ext - self.base}
        if self.covered is not None:
            told["covered"] = self.covered
        self.events.append((packet, told))

    def columns(self, interval):
        """{number: {list: value}}"""
        found = {}
        for packet, told in self.events:
            c = found.setdefault(packet.time // interval, {**dict.fromkeys(LISTS), "packets": 0, "wire_bytes": 0})
            c["first_frame"] = min(c["first_frame"] or packet.frame, packet.frame)
            c["packets"] += 1
            c["wire_bytes"] += packet.wire
            for name, psn in told.items():
                if name == "covered":
                    c[name] = psn if c[name] is None else max(c[name], psn)
                    continue
                low, high = f"{name}_low", f"{name}_high"
                c[low] = psn if c[low] is None else min(c[low], psn)
                c[high] = psn if c[high] is None else max(c[high], psn)
        return found


def directions(flow):
    """Both sides of a connection; what its packets are is known by then."""
    figures.directions(flow, pauses.Pauses())
    both = Direction(), Direction()
    merged = sorted(((p, side) for side, half in enumerate((flow.to_b, flow.to_a)) if half for p in half.packets),
                    key=lambda event: event[0].frame)
    for packet, side in merged:
        if figures.is_request(packet):
            both[side].request(packet)
        elif figures.is_data(packet):
            both[1 - side].answer(packet)
        elif both[1 - side].base is not None:
            both[1 - side].marks.append(("cnp", packet.frame, None))
            both[1 - side].times[packet.frame] = packet.time
    return both


def compare(path, row, direction, kept=KEPT):
    """(numbers, [fault])"""
    seconds, _, rest = row["start"].partition(".")
    interval, place = row["interval_ns"], f"{path}: connection {row['connection']} {row['direction']}"
    first = (int(seconds) * 10**9 + int(rest)) // interval
    want = direction.columns(interval)
    faults, count = [], 0
    numbers = sorted(want)
    if [*row] != KEYS or any(len(column) != 1 + len(LISTS) for column in row["columns"]):
        return 0, [f"{place}: {[*row]}, {row['columns'][:1]}"]
    column, *lists = zip(*row["columns"])
    if [first + i for i in column] != numbers:
        return 0, [f"{place}: columns {column[:8]} from {first} on, not {numbers[:8]}"]
    half = [number * 2 + late for number in (numbers[0], numbers[-1]) for late in (0, 1)]
    if column[-1] >= kept or (kept == KEPT and interval > FIRST_NS and half[2] - half[1] + 1 < kept // 2):
        faults.append(f"{place}: {column[-1] + 1} columns of {interval} ns")
    if row["psn"] != direction.base % figures.PSNS:
        faults.append(f"{place}: PSN {row['psn']}, not {direction.base}")
    for name, got in zip(LISTS, lists):
        values = [want[number][name] for number in numbers]
        count += len(values)
        if [*got] != values:
            at = next(i for i, (a, b) in enumerate(zip(got, values)) if a != b)
            faults.append(f"{place}: {name} of column {at} is {got[at]}, not {values[at]}")
    return count, faults + marks(place, row, direction, first, kept)


def column_of(direction, frame, interval, first, kept):
    """Of a mark; one of a CNP may be before or after all columns, in which those that are not kept are the first or the last."""
    return min(max(direction.times[frame] // interval - first, 0), kept - 1)


def marks(place, row, direction, first, kept):
    """[fault]: those that are kept are the first and the last ones, the others are counted in their columns."""
    faults = []
    interval = row["interval_ns"]
    got = [(kind, frame, psn) for _, frame, kind, psn in row["marks"] if kind not in UNCHECKED]
    want = [(kind, frame, psn) for kind, frame, psn in direction.marks]
    if not row["more"] and got != want:
        faults.append(f"{place}: marks {got[:4]} ..., not {want[:4]}")
    wrong = [mark for mark in row["marks"] if mark[2] != "cm" and mark[0] != direction.times[mark[1]] // interval - first]
    if wrong:
        faults.append(f"{place}: marks in other columns: {wrong[:4]}")
    if len(row["marks"]) > MARKS or row["more"] and len(row["marks"]) < MARKS:
        faults.append(f"{place}: {len(row['marks'])} marks, and more in {row['more'][:4]}")
    gone = collections.Counter((column_of(direction, frame, interval, first, kept), kind) for kind, frame, _ in set(want) - set(got))
    more = collections.Counter({(column, kind): n for column, kind, n in row["more"] if kind not in UNCHECKED})
    if more != gone or row["more"] != sorted(row["more"], key=lambda one: one[0]):
        faults.append(f"{place}: more {[*more.items()][:4]}, not {[*gone.items()][:4]}")
    return faults


def one(path, found):
    """(numbers, directions, [fault])"""
    rows, doubts = found
    by_place = {(row["connection"], row["direction"]): row for row in rows}
    numbers, told, faults = 0, 0, []
    try:
        flows = connections(pathlib.Path(path))
    except capture.Skipped:
        return 0, 0, []
    for number, flow in enumerate(flows):
        if {"captured-twice", "mtu"} & set(doubts.get(number, ())):
            continue
        for way, direction in zip(WAYS, directions(flow)):
            row = by_place.get((number, way))
            if (row is None) != (direction.base is None):
                faults.append(f"{path}: connection {number} {way}: {'no ' if row is None else 'a '}series")
            elif row:
                count, wrong = compare(path, row, direction)
                numbers, told, faults = numbers + count, told + 1, faults + wrong
    return numbers, told, faults


def some(paths, lint):
    return [one(path, found) for path, found in product(lint, paths).items()]


def borders(lint):
    """[fault]: a SEND each microsecond, as many as there are columns, one less and one more; as many marks."""
    ends = writer.End("192.0.2.1", 0x11), writer.End("192.0.2.2", 0x12)
    faults = []
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "regular.pcap"
        for n in (KEPT - 1, KEPT, KEPT + 1):
            path.write_bytes(writer.pcap(1, [(10**18 + i * FIRST_NS, writer.frame(
                "ipv4", *ends, P.UC << 5 | P.SEND_ONLY, ends[1].qpn, i, 64)) for i in range(n)]))
            (row,), _ = product(lint, [path])[str(path)]
            want = [1] * n if n <= KEPT else [2] * (n // 2) + [1] * (n % 2)
            if [column[2] for column in row["columns"]] != want:
                faults.append(f"{n} columns: {row['columns'][:4]} ... {len(row['columns'])}")
        for n in (MARKS - 1, MARKS, MARKS + 1, 3 * MARKS):  # every second PSN is missing
            path.write_bytes(writer.pcap(1, [(10**18 + i * FIRST_NS, writer.frame(
                "ipv4", *ends, P.UC << 5 | P.SEND_ONLY, ends[1].qpn, 2 * i, 64)) for i in range(n + 1)]))
            (row,), _ = product(lint, [path])[str(path)]
            frames = list(range(2, n + 2))
            want = frames if n <= MARKS else frames[:MARKS // 2] + frames[-MARKS // 2:]
            if [frame for _, frame, _, _ in row["marks"]] != want or sum(count for *_, count in row["more"]) != n - len(want):
                faults.append(f"{n} marks: {row['marks'][-4:]}, and more: {row['more'][-4:]}")
    return faults


def little(lint):
    """(directions, [fault]): of connections by turns whose series need more than there is."""
    connected, each = BUSY
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "busy.pcap"
        path.write_bytes(writer.pcap(1, [(10**18 + i * FIRST_NS, writer.frame(
            "ipv4", writer.End("192.0.2.1", 0x100 + i % connected), writer.End("192.0.2.2", 0x200 + i % connected), P.UC << 5 | P.SEND_ONLY,
            0x200 + i % connected, i // connected, 64)) for i in range(connected * each)]))
        rows, _ = product(lint, [path], "--max-memory", "1M")[str(path)]
        both = [directions(flow) for flow in connections(path)]
    faults = [fault for row in rows for fault in compare(path.name, row, both[row["connection"]][WAYS.index(row["direction"])], LESS)[1]]
    if len(rows) != connected:
        faults.append(f"{len(rows)} series with little memory")
    return len(rows), faults


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *made.glob("streams-*.pcap*")])
    if not list(made.glob("*.pcap")):
        print(f"no captures in {made}")
        return True
    numbers = 0
    told, faults = little(lint)
    faults += borders(lint)
    for results in parallel.each(some, parallel.parts(paths), lint):
        for count, n, wrong in results:
            numbers, told, faults = numbers + count, told + n, faults + wrong
    print("\n".join(faults[:SHOWN]))
    print(f"{numbers} numbers of {told} directions, {len(faults)} faults")
    return bool(faults) or not numbers


if __name__ == "__main__":
    sys.exit(main())
