#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""timeline.py PCAP-LINT MADE: what --interval prints, number by number, against what tests/oracles/ work out.

Of each capture of pcaps/ and of MADE, once with intervals that fit and once with some of 300 us: every number of
every connection's interval is counted again from the packets as the oracle reads them; what is of all connections is
their sum, or the most of them. Intervals begin and end where the connection does, are as long in all objects, are no more than are
kept, and would be more if they were half as long. Captures with a packet and a pause frame in each interval have as many as
are kept, in JSON and as text, and one less, and one more: then two are one. How long priorities are paused is worked out of the pause
frames, with a link speed and without; timeouts are those of the flow, each where its packet comes again after a silence.
"""
import collections
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import dcqcn  # noqa: E402
import figures  # noqa: E402
import measures  # noqa: E402
import packet as P  # noqa: E402
import parallel  # noqa: E402
import pairing  # noqa: E402
import pauses  # noqa: E402
import sample  # noqa: E402
import writer  # noqa: E402

WAYS = ("a_to_b", "b_to_a")
LISTS = ("packets", "wire_bytes", "payload_bytes", "repeated_packets", "ce_packets", "cnp_packets", "open_max", "nak", "rnr", "timeouts",
         "in_flight_bytes")
MOST = ("open_max", "in_flight_bytes")  # all others are sums
OF_ALL = [*LISTS[:7], "pause", *LISTS[7:], "paused_ns"]
NAK, RNR, NAKS = 3, 1, 5  # the upper three bits of a syndrome; codes of NAKs
SHORTEST_NS = 10**5  # no timer is shorter
KEPT = {"auto": 200, "300us": 10_000}
LINES = 20  # of text
FIRST_NS = {"auto": 10**3, "300us": 300_000}


def product(lint, interval, paths, *options, types=("timeline",)):
    """{path: [timeline]}, or objects of other types"""
    run = subprocess.run([lint, "--interval", interval, "--format", "json", "--ignore", "all", "--select", "CAP008", "--fail-on", "never", "-q", *options, *paths],
                         stdout=subprocess.PIPE, text=True, check=False)
    found = collections.defaultdict(list)
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row["type"] in types:
            found[row["file"]].append(row)
    return found


def connections(path):
    tracker, _ = pairing.followed([p for p in map(P.parse, capture.records(path)) if p])
    return tracker.flows()


def answers(packet, kind):
    """1 if it is a NAK, an RNR NAK"""
    return int(figures.is_data(packet) and packet.op == P.ACKNOWLEDGE and packet.syndrome is not None
               and packet.syndrome >> 5 == kind and (kind != NAK or packet.syndrome & 31 < NAKS))


def moments(flow):
    """(time, side, {figure: number}, [(packets, bytes) open of each side]) of each packet."""
    figures.directions(flow, pauses.Pauses())  # says which come again
    merged = sorted(((p, side) for side, half in enumerate((flow.to_b, flow.to_a)) if half for p in half.packets),
                    key=lambda event: event[0].frame)
    ways = measures.Way(figures.Times), measures.Way(figures.Times)
    for packet, side in merged:
        if figures.is_request(packet):
            ways[side].request(packet)
        elif figures.is_data(packet):
            ways[1 - side].answer(packet, ways[side])
        has_payload = packet.op in P.REQUESTS | P.READS and figures.is_data(packet)
        yield packet.time, side, {
            "packets": 1, "wire_bytes": packet.wire, "payload_bytes": packet.payload if has_payload else 0,
            "repeated_packets": int(figures.is_request(packet) and packet.was == "repeated"), "ce_packets": int(packet.ecn),
            "cnp_packets": int(not figures.is_data(packet)), **({"request": 1} if figures.is_request(packet) else {}), "nak": answers(packet, NAK), "rnr": answers(packet, RNR)}, [
                (len(opened), sum(request.payload for request in opened)) for opened in (way.opened() for way in ways)]


def expected(told, interval):
    """{number of the interval: [{list: number}] of both sides} of the moments of a connection"""
    bins = collections.defaultdict(lambda: [dict.fromkeys(LISTS, 0) for _ in WAYS])
    for time, side, counts, opened in told:
        both = bins[time // interval]
        for name, count in counts.items():
            if name in LISTS:
                both[side][name] += count
        for way, count in zip(both, opened):
            for name, number in zip(MOST, count):
                way[name] = max(way[name], number)
    return bins


def of_connection(path, row, told):
    """(numbers, [fault])"""
    interval, bins = row["interval_ns"], expected(told, row["interval_ns"])
    seconds, _, rest = row["start"].partition(".")
    first = (int(seconds) * 10**9 + int(rest)) // interval
    if row["intervals"] != max(bins) - min(bins) + 1 or first != min(bins):
        return 0, [f"{path}: connection {row['connection']}: {row['intervals']} intervals from {first} on, not from {min(bins)} "
                   f"to {max(bins)}"]
    nothing, count, faults = [dict.fromkeys(LISTS, 0) for _ in WAYS], 0, []
    for side, way in enumerate(WAYS):
        if tuple(row[way]) != LISTS:
            faults.append(f"{path}: the lists are {list(row[way])}")
        for name in LISTS:
            if name == "timeouts":  # timed_out() has them
                continue
            want = [bins.get(first + i, nothing)[side][name] for i in range(row["intervals"])]
            count += len(want)
            if row[way][name] != want:
                faults.append(f"{path}: connection {row['connection']}: {way} {name} {row[way][name]}, not {want}")
    return count, faults


def of_all(path, whole, rows, interval):
    """[fault]: all together."""
    if whole["connection"] is not None or list(whole["all"]) != OF_ALL:
        yield f"{path}: the first object is {whole}"
        return
    length, n = whole["interval_ns"], whole["intervals"]
    if {row["interval_ns"] for row in rows} - {length}:
        yield f"{path}: intervals are not of one length"
    if n > KEPT[interval] or length > FIRST_NS[interval] and 2 * n + 2 <= KEPT[interval] // 2:
        yield f"{path}: {n} intervals of {length} ns"

    def begin(row):
        seconds, _, rest = row["start"].partition(".")
        return (int(seconds) * 10**9 + int(rest)) // length
    for name in LISTS:
        sums = [0] * n
        for row in rows:
            for way in WAYS:
                for i, number in enumerate(row[way][name]):
                    at = begin(row) - begin(whole) + i
                    sums[at] = max(sums[at], number) if name in MOST else sums[at] + number
        if sums != whole["all"][name]:
            yield f"{path}: {name} of all {whole['all'][name]}, not {sums}"


def begin_ns(row):
    seconds, _, rest = row["start"].partition(".")
    return int(seconds) * 10**9 + int(rest)


def timed_out(path, rows, told):
    """(timeouts, [fault]): each in the interval of its mark of --series, whose packet came again after a silence; as many as in the flow."""
    flows, marks, count, faults = {}, {}, 0, []
    times_of = {record.number: record.time for record in capture.records(path)}
    for row in rows:
        if row["type"] == "flow" and "a_to_b" in row:
            flows[row["connection"]] = row
        elif row["type"] == "series":
            marks[row["connection"], row["direction"]] = [frame for _, frame, kind, _ in row["marks"] if kind == "timer"], bool(row["more"])
    for row in rows:
        if row["type"] != "timeline" or row["connection"] is None:
            continue
        requests = [[(time, counts["repeated_packets"]) for time, side, counts, _ in told[row["connection"]] if side == way and
                     "request" in counts] for way in (0, 1)]
        for side, way in enumerate(WAYS):
            of_way, left_out = marks.get((row["connection"], way), ([], 0))
            times = [times_of[frame] for frame in of_way]
            want = collections.Counter((time - begin_ns(row)) // row["interval_ns"] for time in times)
            got = row[way]["timeouts"]
            count += sum(got)
            if sum(got) != flows[row["connection"]][way]["timeouts"]:
                faults.append(f"{path.name}: connection {row['connection']}: {sum(got)} timeouts, {flows[row['connection']][way]['timeouts']} in the flow")
            if any(got[i] < n or got[i] > n and not left_out for i, n in enumerate([want[i] for i in range(len(got))])):
                faults.append(f"{path.name}: connection {row['connection']}: {way} timeouts {got}, marks at {want}")
            for time in times:
                before = [t for t, _ in requests[side] if t < time]
                if (time, 1) not in requests[side] or before and time - before[-1] < SHORTEST_NS:
                    faults.append(f"{path.name}: connection {row['connection']}: {way}: no timeout at {time}")
    return count, faults


def together(times):
    """Times as pieces that are apart."""
    found = []
    for begin, end in sorted(times):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((begin, end))
    return found


def paused_in(whole, times):
    """paused_ns of @whole, if priorities are paused at @times."""
    length, first, apart = whole["interval_ns"], begin_ns(whole), together(times)
    return [sum(max(0, min(end, at + length) - max(begin, at)) for begin, end in apart)
            for at in range(first, first + whole["intervals"] * length, length)]


def of_pauses(path, whole):
    """(ns, [fault]): from XOFF to XON, as the frames have it; the speed of the link is not known."""
    seen = pauses.Pauses()
    for record in capture.records(path):
        seen.feed(record)
    want = paused_in(whole, [time for times in seen.times for time in times])
    got = whole["all"]["paused_ns"]
    return sum(want), [] if got == want else [f"{path.name}: paused_ns {got}, not {want}"]


def of_captures(paths, lint):
    """(numbers, timelines, timeouts, ns paused, [fault]) of some captures."""
    numbers, captures, timeouts, ns, faults = 0, 0, 0, 0, []
    timed = product(lint, "300us", paths, "--series", "--stats", types=("timeline", "series", "flow"))
    found = {interval: product(lint, interval, paths) for interval in KEPT}
    for path in paths:
        try:
            flows = connections(path)
        except capture.Skipped:
            continue
        told = {i: list(moments(flow)) for i, flow in enumerate(flows)
                if any(half and half.packets for half in (flow.to_a, flow.to_b))}
        for interval in KEPT:
            whole, *rows = found[interval].get(str(path), [None])
            captures += bool(whole)
            if [row["connection"] for row in rows] != [*told]:
                faults.append(f"{path}: timelines of {[row['connection'] for row in rows]}, connections are {[*told]}")
                continue
            for row in rows:
                count, wrong = of_connection(path.name, row, told[row["connection"]])
                numbers, faults = numbers + count, faults + wrong
            if whole:
                faults += of_all(path.name, whole, rows, interval)
                paused, wrong = of_pauses(path, whole)
                ns, faults = ns + paused, faults + wrong
        count, wrong = timed_out(path, timed[str(path)], told)
        timeouts, faults = timeouts + count, faults + wrong
    return numbers, captures, timeouts, ns, faults


def paused(lint):
    """(frames, [fault]): of a simulated switch that pauses, each frame of it in the interval of its time."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "paused.pcap"
        sim = dcqcn.Simulation(1, point="sender", xoff=40_000, xon=20_000)
        sim.write(path)
        (whole, *_), = product(lint, "300us", [path]).values()
    frames = collections.Counter(time // whole["interval_ns"] for time, data in sim.frames if data[12:14] == b"\x88\x08")
    seconds, _, rest = whole["start"].partition(".")
    first = (int(seconds) * 10**9 + int(rest)) // whole["interval_ns"]
    want = [frames[first + i] for i in range(whole["intervals"])]
    seen = pauses.Pauses()
    for number, (time, data) in enumerate(sim.frames, 1):
        seen.feed(capture.Record(number, time, 1, data, len(data)))
    ns = paused_in(whole, [time for times in seen.times for time in times])
    faults = [] if whole["all"]["pause"] == want else [f"pause {whole['all']['pause']}, not {want}"]
    if whole["all"]["paused_ns"] != ns or not any(ns):
        faults.append(f"paused_ns {whole['all']['paused_ns']}, not {ns}")
    return sum(want), faults


def quanta(lint, interval):
    """[fault]: of senders that pause priorities at random, for so many quanta of a link of 10 Gbit/s: 512 bits each."""
    rng = random.Random(len(interval))
    now, frames, last, times = 10**18, [], {}, []
    for _ in range(3000):
        now += rng.choice((200, 5000, 60_000, 3_000_000))
        sender, which = rng.randrange(3), rng.choice((8, 16, 24, 0x81, 0xff, None))
        asked = [rng.choice((0, 0, 1, 20, 1000, 0xffff)) for _ in range(8)]
        if which is None:
            body, named = struct.pack(">HH", 1, asked[0]), dict.fromkeys(range(8), asked[0])
        else:
            body, named = struct.pack(">HH8H", 0x101, which, *asked), {i: asked[i] for i in range(8) if which >> i & 1}
        frames.append((now, (bytes.fromhex("0180c2000001") + bytes((2, 0, 0, 0, 0, sender)) + b"\x88\x08" + body).ljust(60, b"\0")))
        for priority, n in named.items():
            begin, end = last.get((sender, priority), (now, now))
            times.append((begin, min(end, now)))
            last[sender, priority] = now, now + n * 512 // 10
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "quanta.pcap"
        path.write_bytes(writer.pcap(1, frames))
        (whole, *_), = product(lint, interval, [path], "--link-speed", "10G").values()
    want = paused_in(whole, [*times, *last.values()])
    if whole["all"]["paused_ns"] != want or not any(0 < ns < whole["interval_ns"] for ns in want):
        yield f"{interval}: paused for quanta: {whole['all']['paused_ns']}, not {want}"


def regular(path, n, ns):
    """In each of @n times of @ns, the first an even one, a SEND and a pause frame."""
    ends = writer.End("192.0.2.1", 0x11), writer.End("192.0.2.2", 0x12)
    pause = (bytes.fromhex("0180c2000001") + writer.MACS[6:] + bytes.fromhex("880800010000")).ljust(60, b"\0")
    path.write_bytes(writer.pcap(1, [row for i in range(n) for row in (
        (10**18 + i * ns, writer.frame("ipv4", *ends, P.UC << 5 | P.SEND_ONLY, ends[1].qpn, i, 64)),
        (10**18 + i * ns + ns // 10, pause))]))


def borders(lint):
    """(intervals, [fault])"""
    count, faults = 0, []
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "regular.pcap"
        for interval, most in (("auto", KEPT["auto"]), ("1ms", KEPT["300us"]), ("text", LINES)):
            for n in (most - 1, most, most + 1):
                regular(path, n, FIRST_NS.get(interval, 10**6))
                want = [1] * n if n <= most else [2] * (n // 2) + [1] * (n % 2)
                if interval == "text":
                    run = subprocess.run([lint, "--interval", "1ms", "--ignore", "all", "--select", "CAP008", "--fail-on", "never", "-q", path],
                                         stdout=subprocess.PIPE, text=True, check=False)
                    rows = re.findall(r"^  \+[^:]*: (\d+) packets?,.*?(?:, (\d+) pause)?$", run.stdout, re.M)
                    got = [[int(number or 0) for number in numbers] for numbers in zip(*rows)]
                else:
                    (whole, *_), = product(lint, interval, [path]).values()
                    got = [whole["all"]["packets"], whole["all"]["pause"]]
                if got != [want, want]:
                    faults.append(f"{n} intervals, {interval}: packets and pause frames are {got}, not {want} each")
                count += len(want)
    return count, faults


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *made.glob("streams-*.pcap*"), *made.glob("lint-*.pcap*")])
    if not list(made.glob("*.pcap")):
        print(f"no captures in {made}")
        return True
    captures = 0
    frames, faults = paused(lint)
    numbers, wrong = borders(lint)
    faults += wrong
    timeouts = ns = 0
    for some_numbers, some_captures, some_timeouts, some_ns, some in parallel.each(of_captures, parallel.parts(sample.rows(paths, lambda path: path.name)), lint):
        numbers, captures, faults = numbers + some_numbers, captures + some_captures, faults + some
        timeouts, ns = timeouts + some_timeouts, ns + some_ns
    for interval in (*KEPT, "5ms"):
        faults += quanta(lint, interval)
    print("\n".join(fault[:600] for fault in faults[:40]))
    print(f"{numbers} numbers of {captures} timelines, {frames} pause frames, {timeouts} timeouts, {ns} ns paused, {len(faults)} faults")
    return bool(faults) or not all((numbers, frames) + ((timeouts, ns) if sample.whole() else ()))


if __name__ == "__main__":
    sys.exit(main())
