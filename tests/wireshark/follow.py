#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""follow.py PLUGIN MADE: -z follow,ibwire shows what the packets carried, each PSN once.

Of every capture of pcaps/faults and pcaps/ulp, with -2: what was sent in each direction is read from the bytes: payloads of SENDs,
WRITEs and the responses to captured READs whose ICRC is not bad, of each PSN the first copy, in the order of the PSNs.
Only which connection a packet is of, and who sends, is the plugin's (ibwire.stream, .dir: analysis.py). Followed bytes
are those, in pieces that begin and end with a packet; where nothing is missing or came again, a piece is a message. Where the PSNs of
both directions' requests carry bytes the same way, those of each are in order. The ends are the addresses and queue pairs
of the packets; the filter by two ends, and the window (sharkd), show the same. So do connections of iWARP, of pcaps/siw and MADE, by the messages
of their streams.
"""
import base64
import collections
import ipaddress
import json
import pathlib
import re
import sys

sys.path[:0] = [str(pathlib.Path(__file__).absolute().parents[1] / room) for room in ("oracles", "codec", "lib")]
import capture as C  # noqa: E402
import iwarp  # noqa: E402
import packet as P  # noqa: E402
import sample  # noqa: E402
import ws  # noqa: E402

FIELDS = ["frame.number", "ibwire.stream", "ibwire.stream.dir"]
STREAMS = 20  # of a capture
MADE, TAKEN = ("healthy", "marker", "pad-marker", "late"), ("01-nvme-siw", "05-nfs4-siw", "26-p2p-rcm")  # of iWARP; in take-over mode
PSNS, JUMP = 1 << 24, 1 << 16
BEGINS = {P.SEND_FIRST, P.SEND_ONLY, P.SEND_ONLY_IMM, P.SEND_ONLY_INV, P.WRITE_FIRST, P.WRITE_ONLY,
          P.WRITE_ONLY_IMM, P.READ_FIRST, P.READ_ONLY}
SECTION = re.compile(r"Follow: ibwire,raw\nFilter: ([^\n]+)\nNode 0: ([\da-f.:]*):(\d+)\nNode 1: ([\da-f.:]*):(\d+)\n((?:\t?[0-9a-f]*\n)*)=")


class Half:
    """Requests of one direction of a connection, and the responses to them."""

    def __init__(self):
        self.last, self.kept, self.reads, self.again = None, {}, {}, False

    def extend(self, psn):
        if self.last is None:
            self.last = psn
        near = self.last + (psn - self.last + PSNS // 2) % PSNS - PSNS // 2
        if abs(near - self.last) > JUMP:  # another beginning: after all that was
            near = (max(self.kept, default=0) // PSNS + 2) * PSNS + psn
        self.last = near
        return near

    def add(self, packet, way, data, mtu):
        psn = self.extend(packet.psn)
        if packet.op == P.READ_REQUEST:
            self.again |= psn in self.reads
            for one in range(psn, psn + max(1, -(-(packet.length or 0) // mtu))):
                self.reads[one] = True
        elif packet.op in P.READS and psn not in self.reads:
            return
        elif data:
            self.again |= psn in self.kept
            self.kept.setdefault(psn, (way, data, packet))

    def of(self, way):
        return [self.kept[psn][1:] for psn in sorted(self.kept) if self.kept[psn][0] == way]

    def is_smooth(self):
        psns = sorted({*self.kept, *self.reads})
        return not self.again and psns == list(range(psns[0], psns[0] + len(psns)))


def read(path):
    """{frame: (packet, its payload)}"""
    found = {}
    linktype, frames = ws.records(path)
    for number, (sec, nsec, length, data) in enumerate(frames, 1):
        packet = P.parse(C.Record(number, sec * 10**9 + nsec, linktype, data, length))
        if packet and packet.service in P.OPCODES and packet.op is not None and packet.icrc != P.BAD:
            net = P.LINKS[linktype](data, 0)
            at = net.at + P.headers(data, packet, net.at, len(data))
            carries = packet.op in P.SENDS | P.WRITES | P.READS
            found[number] = packet, data[at:at + packet.payload] if carries else b""
    return found


def halves(packets, streams):
    """{(stream, way of the requests): Half}"""
    mtus, found = collections.defaultdict(lambda: 256), collections.defaultdict(Half)
    for number, (packet, _) in packets.items():
        if number in streams and packet.op in P.FULL:
            mtus[streams[number][0]] = packet.payload
    for number, (packet, data) in packets.items():
        if number in streams and packet.op in P.SENDS | P.WRITES | P.READS | {P.READ_REQUEST}:
            stream, way = streams[number]
            found[stream, 1 - way if packet.op in P.READS else way].add(packet, way, data, mtus[stream])
    return found


def sections(text):
    """{filter: (a, b, [(way, bytes)])}; an end is an address and a queue pair."""
    found = {}
    for match in SECTION.finditer(text):
        pieces = [(int(line.startswith("\t")), bytes.fromhex(line.strip())) for line in match[6].splitlines()]
        found[match[1]] = (match[2], int(match[3])), (match[4], int(match[5])), pieces
    return found


def merged(have, parts):
    """Whether the pieces @have are those of two sequences of bytes, each in order."""
    at = {(0, 0)}
    for piece in have:
        at = {(a + len(piece) * (i == 0), b + len(piece) * (i == 1)) for a, b in at
              for i, one in enumerate((a, b)) if parts[i][one:one + len(piece)] == piece}
    return (len(parts[0]), len(parts[1])) in at


def compare(where, stream, found, pieces, n):
    for way in (0, 1):
        parts = [b"".join(data for data, _ in found[stream, asked].of(way)) for asked in (0, 1)]
        have = [piece for one, piece in pieces if one == way]
        n["bytes"] += sum(map(len, parts))
        n["pieces"] += len(have)
        if all(parts):
            n["both ways"] += 1
            if not merged(have, parts):
                yield f"{where}: stream {stream}, way {way}: {sum(map(len, have))} bytes are no mixture of " \
                      f"{len(parts[0])} and {len(parts[1])}"
        elif b"".join(have) != (want := b"".join(parts)):
            yield f"{where}: stream {stream}, way {way}: {sum(map(len, have))} bytes, not {len(want)} ones, or others"
    both = [found[stream, asked] for asked in (0, 1) if found[stream, asked].kept]
    if not both or not all(half.is_smooth() for half in both):
        n["not smooth"] += bool(both)
        return
    want = sum(packet.op in BEGINS for half in both for way in (0, 1) for _, packet in half.of(way))
    n["smooth"] += 1
    if len(pieces) != want:
        yield f"{where}: stream {stream}: {len(pieces)} pieces, not {want}"


def ends(streams, packets, stream):
    """a and b: where the packets of each direction go to, and what sends them; of a queue pair that nothing goes to, None."""
    found = {way: packets[number][0] for number, (one, way) in streams.items() if one == stream and number in packets}
    hosts = [found[0].src, found[0].dst] if 0 in found else [found[1].dst, found[1].src]
    return tuple((P.address_text(host), found[way].dqpn if way in found else None) for host, way in zip(hosts, (1, 0), strict=True))


def check(tshark, path, n):
    capture, packets, where = tshark.put(path), read(path), path.name
    args = [arg for field in FIELDS for arg in ("-e", field)]
    taps = [arg for stream in range(STREAMS) for arg in ("-z", f"follow,ibwire,raw,{stream}")]
    text = tshark.read(capture, "-2", "-Y", "ibwire.stream", "-T", "fields", *args, *taps)
    rows = [line.split("\t") for line in text.split("\n===")[0].splitlines() if line]
    streams = {int(number): (int(stream), int(way)) for number, stream, way in rows}
    found, shown = halves(packets, streams), sections(text)
    for stream in range(STREAMS):
        a, b, pieces = shown[f"ibwire.stream == {stream}"]
        yield from compare(where, stream, found, pieces, n)
        for have, want in zip((a, b), ends(streams, packets, stream) if pieces else (), strict=False):
            n["ends"] += 1
            if have != (want[0], have[1] if want[1] is None else want[1]):
                yield f"{where}: stream {stream}: an end is {have}, not {want}"
        n["streams"] += bool(pieces)


def other_ways(tshark, path, port):
    """Followed by stream: by the two ends; in the window."""
    capture = tshark.put(path)
    head = tshark.read(capture, "-q", "-2", "-z", "follow,ibwire,raw,0")
    a, b, pieces = sections(head)["ibwire.stream == 0"]
    nodes = re.findall(r"Node \d: (\S+)", head)
    by_ends = tshark.read(capture, "-q", "-2", "-z", f"follow,ibwire,raw,{','.join(nodes)}")
    if [*sections(by_ends).values()] != [(a, b, pieces)] or not pieces:
        yield f"by ends: {by_ends[:400]}"
    answers = tshark.sharkd({"method": "load", "params": {"file": str(capture)}},
                            {"method": "follow", "params": {"follow": "RDMA", "filter": "ibwire.stream == 0"}})
    window = json.loads(answers[1])["result"]
    shown = [(int(bool(one.get("s"))), base64.b64decode(one["d"])) for one in window["payloads"]]
    if shown != pieces or [(window[who + "host"], window[who + "port"]) for who in "cs"] != \
            [(host, port.format(number)) for host, number in (a, b)]:
        yield f"window: {len(shown)} pieces, not {len(pieces)}, or others; ends " \
              f"{[window[word] for word in ('chost', 'cport', 'shost', 'sport')]}"


# iWARP, by tests/codec/iwarp.py, which shares nothing with the plugin: a piece is a message, in the order of the stream of its sender.

CARRIES = {0, 2, 3, 4, 5, 6, 8, 9}  # opcodes of RDMAP with data: RFC 5040, 4.3; RFC 7306, 4


def of_stream(stream):
    """[octets] of the messages of a direction that carry any."""
    pieces, last = [], None
    for fpdu in stream.fpdus:
        if fpdu.opcode in CARRIES and fpdu.payload:
            key = fpdu.opcode, None if fpdu.tagged else fpdu.msn
            if last != key:
                pieces.append(b"")
            pieces[-1] += fpdu.payload
            last = None if fpdu.last else key
        elif fpdu.opcode in CARRIES:
            last = None
    return pieces


def check_iwarp(tshark, path, n, *options):
    capture, wanted = tshark.put(path), [one for one in iwarp.begun(path) if one.any]
    taps = [arg for stream in range(len(wanted)) for arg in ("-z", f"follow,ibwire,raw,{stream}")]
    shown = sections(tshark.read(capture, "-q", "-2", *options, *taps))
    for stream, one in enumerate(wanted):
        a, b, pieces = shown[f"ibwire.stream == {stream}"]
        asks = next((i for i in range(2) if one.frames[i].ok and not one.frames[i].reply), 0)
        for way, i in enumerate((asks, 1 - asks)):
            want, have = of_stream(one.stream(i)) if one.frames[i].ok else [], [piece for of, piece in pieces if of == way]
            n["pieces of iWARP"] += len(have)
            if have != want:
                yield f"{path.name} {options}: stream {stream}, way {way}: {len(have)} pieces, {sum(map(len, have))} bytes, " \
                      f"not {len(want)}, {sum(map(len, want))}"
        ends = [(str(ipaddress.ip_address(address)), port) for address, port in (one.ends[i][0] for i in (asks, 1 - asks))]
        if pieces and [a, b] != ends:
            yield f"{path.name}: stream {stream}: ends {a}, {b}, not {ends}"


def main():
    tshark, n = ws.Tshark(sys.argv[1]), collections.Counter()
    captures = [path for name in ("faults", "ulp") for path in sorted((ws.ROOT / "pcaps" / name).glob("*.pcap"))]
    captures = sample.rows(captures, lambda path: path.name)
    faults = [fault for path in captures for fault in check(tshark, path, n)]
    faults += other_ways(tshark, ws.ROOT / "pcaps/ulp/06d-rstream-loss.pcap", "qp 0x{:06x}")
    of_iwarp = sorted((ws.ROOT / "pcaps/siw").glob("*.pcap")) + [pathlib.Path(sys.argv[2]) / f"lint-iwp-{name}.pcap" for name in MADE]
    faults += [fault for path in sample.rows(of_iwarp, lambda path: path.name) for fault in check_iwarp(tshark, path, n)]
    faults += [fault for name in TAKEN for fault in check_iwarp(tshark, ws.ROOT / f"pcaps/siw/{name}.pcap", n, "-o", "ibwire.mode:takeover")]
    faults += other_ways(tshark, ws.ROOT / "pcaps/siw/01-rping-ipv4.pcap", "port {}")
    faults += [f"no {kind}" for kind in ("bytes", "ends", "both ways", "smooth", "not smooth", "pieces of iWARP") if sample.whole() and not n[kind]]
    return ws.verdict(faults, f"{len(captures)} captures: {', '.join(f'{kind} {one}' for kind, one in n.items())}")


if __name__ == "__main__":
    sys.exit(main())
