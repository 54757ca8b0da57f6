#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_octets.py PCAP-LINT: pictures of iWARP connections on a page against the TCP segments, as tests/codec/iwarp.py reads them.

Of the rows of connections over time: in which intervals a connection has segments with data, how dark they are, whether any was sent again
or held others up. Of each stream of each connection in detail that has a picture: the least and the greatest octet of each column, whatever it is drawn as;
how far the line of acknowledgements comes. The sentence of the picture has the numbers
of JSON lines; a capture in which segments come again, late or twice has them drawn as such. A stream of more than 2 GB has its octets where they are; one of which a segment
is not in the capture says where.
"""
import html
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/codec")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import iwarp  # noqa: E402

LEFT, LANES, COLUMNS, FIRST_NS = 70, 464, 1024, 1000
LEAST = 12  # segments of a picture
PICTURE = re.compile(r"<figure><figcaption>Octets over time, stream of (A|B).*?</figure>", re.S)
DETAIL = re.compile(r'<details class="worst" id="c(\d+)".*?A is (\S+) port (\d+), B is (\S+) port (\d+)\.</p>(.*?)<summary>All figures', re.S)
PICTURES, DRAWN = 20, {"new": 500, "again": 10, "response": 5}
SENT = (("packets", r"(\d+) segments with data"), ("retransmitted_packets", r"(\d+) of them retransmitted"), ("reordered_packets", r"(\d+) late"),
        ("duplicated_packets", r"(\d+) twice"))
ROW = re.compile(r'<g data-t="(\S+) port (\d+) → (\S+) port (\d+): (\d+) segments?, (\d+) retransmitted">(.*?)</g>', re.S)
ROWS, BINS, LEVELS = 40, 200, 4
LARGE, SEGMENT, UNIT = 9 << 28, 65480, 2  # octets, of a segment, and those of a unit in which so many are told
MPA = b"MPA ID Req Frame" + bytes((0x40, 1, 0, 0))


def run(lint, *options):
    done = subprocess.run([lint, "--config", "none", "--fail-on", "never", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.decode()


def address(data):
    return ".".join(map(str, data)) if len(data) == 4 else None


def acks(path):
    """(frame, ends, acknowledgement number) of the TCP segments over IPv4 that have one."""
    for number, frame in enumerate(iwarp.frames(path), 1):
        ip = frame[14:]
        if frame[12:14] != b"\x08\0" or ip[9] != 6:
            continue
        tcp = ip[(ip[0] & 15) * 4:]
        if tcp[13] & 16:
            sport, dport, _, ack = struct.unpack(">HHII", tcp[:12])
            yield number, ((ip[12:16], sport), (ip[16:20], dport)), ack


class Picture:
    """What is drawn: {class: {lane: (greatest y, least y)}} in tenths, and the y of the end of the line."""

    def __init__(self, text):
        self.label = html.unescape(re.search(r'aria-label="([^"]*)"', text)[1])
        self.begin, self.end = map(int, re.search(r'data-ns="(-?\d+) (-?\d+)"', text).groups())
        self.low, self.high = map(int, re.search(r'data-y="10 260 (-?\d+) (-?\d+) octet"', text).groups())
        frames = re.search(r'data-f="([^"]*)"', text)[1].split(",")
        self.frames, at = {}, 0
        for lane, more in enumerate(frames):
            if more:
                at += int(more)
                self.frames[lane] = at
        self.drawn = {}
        for kind, path in re.findall(r'<path class="s-(new|again|response)" d="([^"]*)"', text):
            self.drawn[kind] = {(int(x) - LEFT - 1) // 2: (tenths(y), tenths(y) + tenths(v)) for x, y, v in re.findall(r"M(\d+) ([-\d.]+)v([-\d.]+)", path)}
        ack = re.search(r'<path class="s-ack" d="([^"]*)"', text)
        self.ack = tenths(re.findall(r"(?:M\d+ |V)([-\d.]+)", ack[1])[-1]) if ack else None

    def y(self, octet, unit):
        up, span = octet // unit - self.low // unit, max(self.high // unit - self.low // unit, 1)
        return 2600 - up * 2500 // span


def tenths(text):
    whole, _, part = text.partition(".")
    sign = -1 if text.startswith("-") else 1
    return int(whole) * 10 + sign * int(part or 0)


def lanes(picture, pieces, start_ns):
    """{lane: (least octet, greatest octet)} of the segments."""
    interval = FIRST_NS
    while (picture.end - picture.begin) // interval > COLUMNS:
        interval *= 2
    n, first = (picture.end - picture.begin) // interval, (picture.begin + start_ns) // interval
    found = {}
    for time, low, high in pieces:
        lane = (time // interval - first) * LANES // n
        before = found.get(lane, (low, high))
        found[lane] = min(before[0], low), max(before[1], high)
    return found


def compare(where, picture, pieces, start_ns, acked, unit=1):
    """[fault]"""
    want = {lane: (picture.y(low, unit) + 10, picture.y(high, unit) - 10) for lane, (low, high) in lanes(picture, pieces, start_ns).items()}
    got = {}
    for spans in picture.drawn.values():
        for lane, (bottom, top) in spans.items():
            before = got.get(lane, (bottom, top))
            got[lane] = max(before[0], bottom), min(before[1], top)
    if got != want:
        wrong = sorted(lane for lane in got.keys() | want.keys() if got.get(lane) != want.get(lane))
        yield f"{where}: {len(wrong)} of {len(want)} columns, {[(lane, got.get(lane), want.get(lane)) for lane in wrong[:3]]}"
    if acked is not None and picture.ack != picture.y(acked - 1, unit):
        yield f"{where}: acknowledged up to {picture.ack}, not {picture.y(acked - 1, unit)}"


def level_of(n, most):
    """How dark: above an eighth, a quarter, a half of the most."""
    return (1 if n <= most // 8 else 2 if n <= most // 4 else 3 if n <= most // 2 else 4) if n else 0


def strokes(path, n, left, right):
    """{interval} of a path: strokes that go on from the end of the one before."""
    at, found = 0, set()
    for more, to in re.findall(r"[Mm]([-\d.]+) [-\d.]+h([\d.]+)", path):
        at += tenths(more)
        first, at = at, at + tenths(to)
        first, last = (round((x - 10 * left) * n / (10 * (right - left))) for x in (first, at))
        found |= set(range(first, max(last, first + 1)))
    return found


def segments_of(streams, key, interval_of):
    """{interval: segments with data} of both directions."""
    found = {}
    for stream in filter(None, (streams.get(key), streams.get(key[::-1]))):
        for at, payload, frame in stream.pieces:
            if payload and at + len(payload) > 0:
                i = interval_of(frame)
                found[i] = found.get(i, 0) + 1
    return found


def rows(path, page, streams, times, told, of_rows):
    """[fault] of the rows of a page."""
    figure = re.search(r"<h2>Connections over time</h2>\n<figure>.*?</figure>", page, re.S)
    flows = [line for line in told if line["type"] == "flow"]
    with_data = [flow for flow in flows if flow["a_to_b"]["packets"] + flow["b_to_a"]["packets"]]
    if not figure:
        return [f"{path.name}: no connections over time"] if with_data else []
    begin, end = map(int, re.search(r'data-ns="(-?\d+) (-?\d+)"', figure[0]).groups())
    left, right = map(int, re.search(r'data-x="(\d+) (\d+)"', figure[0]).groups())
    shown, faults, start = ROW.findall(figure[0]), [], min(times.values())
    interval = FIRST_NS
    while (end - begin) // interval > BINS:
        interval *= 2
    n = (end - begin) // interval
    if (end - begin) % interval or len(shown) != min(len(with_data), ROWS):
        faults.append(f"{path.name}: {len(shown)} rows of {len(with_data)} connections, {end - begin} ns in intervals of {interval}")
    counts = [segments_of(streams, ((a, int(a_port)), (b, int(b_port))), lambda frame: (times[frame] - start - begin) // interval)
              for a, a_port, b, b_port, *_ in shown]
    most = max((max(count.values(), default=0) for count in counts), default=0)
    for (*_, segments, again, drawn), count in zip(shown, counts):
        number = int(re.search(r">(\d+): ", drawn)[1])
        flow = next(flow for flow in with_data if flow["connection"] == number)
        where = f"{path.name}: row of connection {number}"
        for name, said in (("packets", segments), ("retransmitted_packets", again)):
            if flow["a_to_b"][name] + flow["b_to_a"][name] != int(said):
                faults.append(f"{where}: {said} {name}")
        for level in range(1, LEVELS + 1):
            dark = re.search(rf'<path class="r-b{level - 1}" d="([^"]*)"', drawn)
            got, want = strokes(dark[1], n, left, right) if dark else set(), {i for i, of in count.items() if level_of(of, most) == level}
            if got != want:
                faults.append(f"{where}: level {level} at {sorted(got)[:9]}, not {sorted(want)[:9]}")
        halted = [line for line in told if line["type"] == "incident" and line["connection"] == number and line["ns"]["lost"] and line["severity"] != "note"]
        for kind, want in (("r-again", int(again)), ("f-halt", halted)):
            if bool(want) != (f'class="{kind}"' in drawn):
                faults.append(f"{where}: {kind} is {'not ' if want else ''}drawn")
            of_rows[kind] += bool(want)
    return faults


def of_capture(lint, path, drawn, of_rows):
    """(pictures, [fault])"""
    page, faults, n = run(lint, "--format", "html", path), [], 0
    times = {record.number: record.time for record in capture.records(path)}
    start_ns = min(times.values())
    told_of = list(map(json.loads, run(lint, "--format", "json", "--stats", path).splitlines()))
    flows = {row["connection"]: row for row in told_of if row["type"] == "flow"}
    streams = {}
    for pair in iwarp.connections(path):
        for direction in filter(None, pair):
            streams[tuple((address(end), port) for end, port in direction.ends)] = direction
    faults += rows(path, page, streams, times, told_of, of_rows)
    told = list(acks(path))
    for number, *ends, parts in DETAIL.findall(page):
        a, b = (ends[0], int(ends[1])), (ends[2], int(ends[3]))
        shown = {match[1]: Picture(match[0]) for match in PICTURE.finditer(parts)}
        for side, key, way in (("A", (a, b), "a_to_b"), ("B", (b, a), "b_to_a")):
            where, flow = f"{path.name}: connection {number} {way}", flows[int(number)][way]
            if (side in shown) != (flow["packets"] >= LEAST):
                faults.append(f"{where}: {flow['packets']} segments, {'a' if side in shown else 'no'} picture")
            if side not in shown or key not in streams:
                continue
            picture, stream = shown[side], streams[key]
            for name, words in SENT:
                said = re.search(words, picture.label)
                if int(said[1] if said else 0) != flow[name]:
                    faults.append(f"{where}: {picture.label!r}, {name} is {flow[name]}")
            for kind, name in (("again", "retransmitted_packets"), ("new", "packets")):
                if bool(flow[name]) != (kind in picture.drawn):
                    faults.append(f"{where}: {kind} is {'' if kind in picture.drawn else 'not '}drawn")
            for kind, spans in picture.drawn.items():
                drawn[kind] += len(spans)
            acked = [(ack - stream.first) & 0xffffffff for _, (source, to), ack in told if (address(to[0]), to[1]) == key[0] and (address(source[0]), source[1]) == key[1]]
            sent = max(at + len(payload) for at, payload, _ in stream.pieces)
            acked = max((min(n, sent) for n in acked if n < 1 << 31), default=0)
            pieces = [(times[frame], at, at + len(payload) - 1) for at, payload, frame in stream.pieces if at + len(payload) > 0 and not is_probe(at, payload, stream)]
            faults += compare(where, picture, pieces, start_ns, acked or None)
            n += 1
    return n, faults


def is_probe(at, payload, stream):
    """A keep-alive: an octet that was sent long before."""
    return len(payload) == 1 and any(start <= at < start + len(data) for start, data, _ in stream.pieces if len(data) > 1)


def frame_of(source, to, seq, ack, flags, payload, number):
    tcp = struct.pack(">HHIIBBHHH", source[1], to[1], seq & 0xffffffff, ack & 0xffffffff, 0x50, flags, 0xffff, 0, 0)
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), number & 0xffff, 0x4000, 64, 6, 0, bytes(map(int, source[0].split("."))), bytes(map(int, to[0].split("."))))
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~((total & 0xffff) + (total >> 16)) & 0xffff) + ip[12:]
    return bytes.fromhex("0200000000020200000000010800") + ip + tcp + payload


def large(lint):
    """[fault] of a stream whose octets no 31 bits count: of each segment little was captured."""
    a, b, faults, pieces, at, number = ("192.0.2.1", 40000), ("192.0.2.2", 20049), [], [], len(MPA), 3
    first = [(a, b, 99, 0, 2, b""), (b, a, 0, 100, 18, b""), (a, b, 100, 1, 16, MPA)]
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "large.pcap"
        with open(path, "wb") as out:
            def write(packet, length):
                out.write(struct.pack("<IIII", 1000, number, len(packet), length) + packet)
            out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
            for packet in first:
                write(frame_of(*packet, number), 54 + len(packet[5]))
            pieces.append((1000 * 10**9 + number * 1000, 0, len(MPA) - 1))
            while at < LARGE:
                number += 1
                write(frame_of(a, b, 100 + at, 1, 16, bytes(SEGMENT), number)[:100], 54 + SEGMENT)
                pieces.append((1000 * 10**9 + number * 1000, at, at + SEGMENT - 1))
                at += SEGMENT
            number += 1
            write(frame_of(b, a, 1, 100 + at, 16, b"", number), 54)
        page = run(lint, "--format", "html", path)
        match = PICTURE.search(page)
        if not match:
            return ["a large stream has no picture"]
        picture = Picture(match[0])
        if picture.high != (at - 1) // UNIT * UNIT:
            faults.append(f"a large stream ends at {picture.high}, not {at - 1}")
        faults += compare("a large stream", picture, pieces, pieces[0][0], at, UNIT)
    return faults


def cut(lint):
    """[fault] of a capture without a segment that the other end acknowledges: it is marked where it is missing."""
    path, frame = ROOT / "pcaps/siw/04-write.pcap", None
    stream = max((d for pair in iwarp.connections(path) for d in filter(None, pair)), key=lambda d: len(d.pieces))
    at, payload, frame = stream.pieces[len(stream.pieces) // 2]
    data, out, place, number = path.read_bytes(), bytearray(), 24, 0
    out += data[:24]
    while place < len(data):
        n, number = struct.unpack_from("<I", data, place + 8)[0] + 16, number + 1
        if number != frame:
            out += data[place:place + n]
        place += n
    with tempfile.TemporaryDirectory() as directory:
        other = pathlib.Path(directory) / "cut.pcap"
        other.write_bytes(out)
        page = run(lint, "--format", "html", other)
    marks = re.findall(r'<path class="m-absent" data-t="run of octets that is not in the capture, frame \d+, octet \+(\d+)"', page)
    return [] if [int(mark) for mark in marks] == [at] else [f"{len(payload)} octets from {at} on are not in the capture, marked are {marks}"]


def main():
    lint, drawn, of_rows = os.path.abspath(sys.argv[1]), dict.fromkeys(DRAWN, 0), dict.fromkeys(("r-again", "f-halt"), 0)
    pictures, faults = 0, large(lint) + cut(lint)
    for path in sorted((ROOT / "pcaps/siw").glob("*.pcap")):
        n, wrong = of_capture(lint, path, drawn, of_rows)
        pictures, faults = pictures + n, faults + wrong
    print("\n".join(fault[:500] for fault in faults[:40]))
    print(f"{pictures} pictures, columns {drawn}, rows {of_rows}, {len(faults)} faults")
    return bool(faults) or pictures < PICTURES or any(drawn[kind] < least for kind, least in DRAWN.items()) or not all(of_rows.values())


if __name__ == "__main__":
    sys.exit(main())
