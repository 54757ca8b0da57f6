#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""messages.py PCAP-LINT MADE: the messages of --decode --messages against those reassembled here, from the bytes alone.

Queue pairs (packet.py): the packets of a flow, requests and responses apart, by their PSNs, the first copy of each; a message begins with a First
or an Only packet and goes on as long as the next PSN is there. iWARP (tests/codec/iwarp.py): the FPDUs of a stream up to its first hole.
Compared are kind, frames, times, PSN or MSN, key, address, length, immediate data, payload, outcome, the frame of the answer, the
connection and the direction (by --stats), and the headers of the upper layer (by --decode). The text says what the JSON says.

Captures are cut and doubled, too: what is complete then is what it was, what is not is its beginning. And the same program over RoCE and
over iWARP has the same messages.
"""
import collections
import hashlib
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/codec"), str(ROOT / "tests/lib")]
import capture  # noqa: E402
import iwarp  # noqa: E402
import packet  # noqa: E402
import parallel  # noqa: E402
import pcapng_parts as ng  # noqa: E402
import random_iwarp  # noqa: E402
import upper_layers  # noqa: E402
import writer  # noqa: E402

KEPT, FRAMES = 65536, 65536
USED_MAX = 64 << 20
SHOWN, MESSAGES_MIN, UPPER_MIN, SAME = 30, 9000, 500, 152
ENDINGS = {".pcap", ".pcapng", ".gz"}
KEYS = ["type", "schema", "file", "message", "connection", "direction", "kind", "frame", "frames", "time", "end", "psn", "msn", "key", "address",
        "length", "immediate", "invalidate", "solicited", "outcome", "answered", "layers", "payload"]
FIRST = {packet.SEND_FIRST, packet.WRITE_FIRST, packet.READ_FIRST}
MIDDLE = {packet.SEND_MIDDLE, packet.WRITE_MIDDLE, packet.READ_MIDDLE}
LAST = {packet.SEND_LAST, packet.SEND_LAST_IMM, packet.SEND_LAST_INV, packet.WRITE_LAST, packet.WRITE_LAST_IMM, packet.READ_LAST}
WITH_IMM = {packet.SEND_LAST_IMM, packet.SEND_ONLY_IMM, packet.WRITE_LAST_IMM, packet.WRITE_ONLY_IMM}
WITH_INV = {packet.SEND_LAST_INV, packet.SEND_ONLY_INV}
REFUSALS = range(0x61, 0x65)  # NAKs but for a sequence error: IBTA vol 1, table 58
FAR = 1 << 20  # a PSN so far from those before it is another start
WHOLE_ONLY = ("12d-netem-loss5.pcap", "03c-send-rc-mtu1024.pcap", "01-nvme.pcap", "05-read-rc.pcap", "01-nvme-siw.pcap", "05d-nfs3-siw.pcap")
# Made: a PSN in a hole that was closed for want of room, a SEND in the middle of what a READ asks for: taken for repeated ones.
NOT_SHOWN = {"streams-trap-holes.pcap", "streams-figures.pcap", "streams-qps031-read-next-psn.pcap"}
MADE_IWARP = ("healthy", "marker", "pad-marker", "refused-write", "rtr", "with-atomics")


def run(lint, path, *options):
    done = subprocess.run([lint, "--decode", *options, path], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 2):
        raise AssertionError(f"{path}: status {done.returncode}: {done.stderr[-300:]}")
    return done.stdout


def rows_of(lint, path, *options):
    return [json.loads(line) for line in run(lint, path, "--format", "json", *options).splitlines() if line.startswith("{")]


def kind_of(op):
    if op in packet.SENDS:
        return "send"
    if op in packet.WRITES or op == packet.ATOMIC_WRITE:
        return "write"
    if op in packet.READS:
        return "read_response"
    return {packet.READ_REQUEST: "read_request", packet.ATOMIC_ACKNOWLEDGE: "atomic_response", packet.COMPARE_SWAP: "atomic",
            packet.FETCH_ADD: "atomic"}.get(op)


class Message:
    """Of packets in a row."""

    def __init__(self, kind, first, psn):
        self.kind, self.packets, self.psn, self.first = kind, [], psn, first
        self.answered, self.refused, self.whole = None, False, False
        self.dmalen = self.key = self.address = self.immediate = self.invalidate = None
        self.solicited = False

    def frame(self):
        return max(p.frame for p, _ in self.packets)

    def psns(self, mtu):
        return max(1, -(-self.dmalen // mtu)) if self.kind == "read_request" and mtu else len(self.packets)


def u64(data, at):
    return packet.u32(data, at) << 32 | packet.u32(data, at + 4)


def add(message, p, data):
    """The extension headers of one packet, before its payload."""
    message.packets.append((p, data))
    at, op = p.start, p.op
    if p.service == packet.UD:
        op = op or 0
        if op == packet.SEND_ONLY_IMM:
            message.immediate = packet.u32(data, p.start)
    elif op in WITH_IMM and at <= len(data):
        message.immediate = packet.u32(data, at - 4)
    elif op in WITH_INV and at <= len(data):
        message.invalidate = packet.u32(data, at - 4)
    head = at - packet.EXTENSION.get(op, 0)
    if op in (packet.WRITE_FIRST, packet.WRITE_ONLY, packet.WRITE_ONLY_IMM, packet.READ_REQUEST, packet.ATOMIC_WRITE) and at <= len(data):
        message.address, message.key, message.dmalen = u64(data, head), packet.u32(data, head + 8), packet.u32(data, head + 12)
    if op in packet.ATOMICS and at <= len(data):
        message.address, message.key = u64(data, head), packet.u32(data, head + 8)
    message.solicited |= bool(data[bth_of(p, data) + 1] >> 7)


def bth_of(p, data):
    """Where its BTH is: the headers after it are counted back."""
    size = packet.BTH + (packet.DETH if p.service == packet.UD else 0)
    if p.service == packet.XRC and p.op in packet.REQUESTS:
        size += packet.XRCETH
    if p.service in packet.OPCODES:
        size += packet.EXTENSION.get(p.op, 0)
    return p.start - size


def unwrapped(found):
    """(PSN of 64 bits, packet, data): each next to the highest so far; None between starts that are far from each other."""
    high = None
    for p, data in found:
        if high is None:
            high = (1 << 40) | p.psn
        near = (p.psn - high + (1 << 23)) % (1 << 24) - (1 << 23)
        if abs(near) > FAR:
            yield None, p, data
            high = (high & ~0xffffff) + (1 << 32) | p.psn
            near = 0
        yield high + near, p, data
        high = max(high, high + near)


def epochs(found):
    """Of each start: {PSN: its first packet}."""
    first = {}
    for psn, p, data in unwrapped(found):
        if psn is None:
            yield first
            first = {}
            continue
        first.setdefault(psn, (p, data))
    yield first


def joined(first, reads):
    """The messages of packets by PSN; @reads: PSNs that READ Requests begin at, of 24 bits, of a response."""
    open_one, expected = None, None
    for psn in sorted(first):
        p, data = first[psn]
        kind = kind_of(p.op)
        begins = p.op not in MIDDLE | LAST
        goes_on = open_one and psn == expected and kind == open_one.kind and (
            not begins or (kind == "read_response" and p.psn not in reads))
        if not goes_on:
            if open_one:
                yield open_one
            open_one = None
            if not begins or kind is None:
                continue
            open_one = Message(kind, psn, p.psn)
        add(open_one, p, data)
        expected = psn + 1
        if p.op not in FIRST | MIDDLE:
            open_one.whole = True
            yield open_one
            open_one = None
    if open_one:
        yield open_one


def ends_of(lint, path):
    """{(source, destination, queue pair): (connection, direction, queue pair the other way)} as --stats has them."""
    out = subprocess.run([lint, "--stats", "--format", "json", path], capture_output=True, text=True, check=False).stdout
    found, mtu = collections.defaultdict(list), {}
    for row in map(json.loads, out.splitlines()):
        if row["type"] != "flow" or row["service"] == "iWARP":
            continue
        a, b = row["a"], row["b"]
        found[a["address"], b["address"], b["qpn"]].append((row["connection"], "a_to_b", a["qpn"], row["first_frame"], row["last_frame"]))
        found[b["address"], a["address"], a["qpn"]].append((row["connection"], "b_to_a", b["qpn"], row["first_frame"], row["last_frame"]))
        mtu[row["connection"]] = row["mtu"]
    return found, mtu


def covers(p, message, mtu):
    """Whether the packet says that the message has come: its last PSN is before it, or is the one it acknowledges."""
    last = (message.psn + message.psns(mtu) - 1) & 0xffffff
    after = (p.psn - last + (1 << 23)) % (1 << 24) - (1 << 23)
    acks = p.op == packet.ACKNOWLEDGE and p.syndrome is not None and p.syndrome >> 5 == 0
    return after > 0 or (after == 0 and acks)


def answer(message, back, responses, mtu):
    """The frame that answers it, and whether that refuses it."""
    n = message.psns(mtu)
    for p in back:
        if p.frame <= message.packets[0][0].frame or p.op not in packet.RESPONSES | {packet.ACKNOWLEDGE}:
            continue
        inside = (p.psn - message.psn) % (1 << 24) < n
        if p.op == packet.ACKNOWLEDGE and p.syndrome in REFUSALS and inside:
            return p.frame, True
        if not message.whole or p.frame <= message.frame():
            continue
        if message.kind in ("read_request", "atomic"):
            if p.frame in responses.get(message.psn, ()):
                return p.frame, False
        elif covers(p, message, mtu) or p.frame in responses.get(message.psn, ()):
            return p.frame, False
    return None, False


def row_of(message, times):
    """What is compared of it."""
    data, rest, cut = bytearray(), False, False
    for p, octets in message.packets if message.kind not in ("read_request", "atomic", "atomic_response") else ():
        start = p.start - (8 if p.op == packet.ATOMIC_WRITE else 0)
        here = octets[start:start + p.payload]
        if not rest:
            data += here
        rest |= len(here) < p.payload
        cut = rest
    payload = sum(p.payload for p, _ in message.packets) if message.kind not in ("read_request", "atomic", "atomic_response") else 0
    outcome = "refused" if message.refused else "unfinished" if not message.whole else "cut" if cut else "complete"
    length = {"read_request": message.dmalen, "atomic": 8, "atomic_response": 8}.get(message.kind, payload)
    frames = sorted(p.frame for p, _ in message.packets)
    begin = message.packets[0][0].frame
    return {"kind": message.kind, "frames": frames[:FRAMES], "frame": frames[-1], "time": times[begin], "end": times[frames[-1]],
            "psn": message.psn, "msn": None, "key": message.key,
            "address": message.address, "length": length, "immediate": message.immediate, "invalidate": message.invalidate,
            "solicited": message.solicited, "outcome": outcome, "answered": message.answered, "payload": payload,
            "bytes": hashlib.sha256(data[:KEPT]).hexdigest()}


def of_packets(lint, path):
    """The messages of queue pairs; and how many packets are of none."""
    flows, times = collections.defaultdict(list), {}
    for record in capture.every(path):
        p = packet.parse(record)
        times[record.number] = f"{record.time // 10**9}.{record.time % 10**9:09}"
        if p is None or p.icrc == packet.BAD or p.op is None or p.opcode == packet.OPCODE_CNP:
            continue
        if p.op != packet.ATOMIC_WRITE and p.start + p.payload > record.length:  # shorter than it says: a switch trimmed it
            continue
        flows[p.service, p.src, p.dst, p.dqpn].append((p, record.data))
    known, mtus = ends_of(lint, path)
    of_flow = {}
    for (service, src, dst, qpn), found in flows.items():
        if service == packet.UD:
            if qpn > 1:
                yield from of_datagrams(found, times)
            continue
        name = packet.address_text(src), packet.address_text(dst), qpn
        of_flow[name] = service, found
    for name, (service, found) in of_flow.items():
        connections = known.get(name, [])
        for number, way, other, first, last in connections or [(None, None, None, 0, 1 << 62)]:
            mine = [(p, data) for p, data in found if first <= p.frame <= last]
            back = [p for p, _ in of_flow.get((name[1], name[0], other), (0, []))[1] if first <= p.frame <= last]
            yield from of_way(mine, back, times, (number, way), mtus.get(number) or 0, service != packet.UC)


def of_datagrams(found, times):
    for p, data in found:
        message = Message("send", 0, p.psn)
        add(message, p, data)
        message.whole = True
        shift = 4 if p.op == packet.SEND_ONLY_IMM else 0
        p.start, p.payload = p.start + shift, p.payload - shift
        yield {**row_of(message, times), "connection": None, "direction": None}


def of_way(mine, back, times, name, mtu, is_answered):
    """The messages of a way: its requests, and its responses to what the other way asks for."""
    responses = collections.defaultdict(set)
    reads = [p for p, _ in mine if p.op == packet.READ_REQUEST]
    asked = {p.psn for p in anew([p for p in back if p.op == packet.READ_REQUEST], mtu)}
    first = anew(reads, mtu)
    wanted = [(p, d) for p, d in mine if p.op in packet.REQUESTS - {packet.FLUSH} and (p.op != packet.READ_REQUEST or p in first)]
    requests = [m for first in epochs(wanted) for m in joined(first, ())]
    answers = [m for first in epochs([(p, d) for p, d in mine if p.op in packet.RESPONSES]) for m in joined(first, asked)]
    theirs = [(p, b"") for p in back if p.op in packet.RESPONSES]
    for first in epochs(theirs):
        for psn, frame in ended(first, {p.psn for p in anew(reads, mtu)}):
            responses[psn].add(frame)
    for m in requests:
        if is_answered and back:
            m.answered, m.refused = answer(m, back, responses, mtu)
    for m in requests + answers:
        if m.kind == "read_response" and m.psn not in asked and any(inside(m.psn, p, mtu) for p in back if p.op == packet.READ_REQUEST):
            continue  # the end of one that was asked for again, without its beginning
        yield {**row_of(m, times), "connection": name[0], "direction": name[1]}


def anew(reads, mtu):
    """READ Requests that do not ask again for the rest of one before them."""
    return [p for p in reads if not any(inside(p.psn, read, mtu) for read in reads if read.frame < p.frame)]


def inside(psn, read, mtu):
    return read.length is not None and mtu and 0 < (psn - read.psn) % (1 << 24) < -(-read.length // mtu)


def ended(first, reads):
    """(PSN of the first packet, frame that completes it) of responses, whose bytes do not matter."""
    begin, expected, high = None, None, 0
    for psn in sorted(first):
        p = first[psn][0]
        begins = p.op not in MIDDLE | LAST
        if begin is None or psn != expected or (begins and p.psn in reads):
            begin, high = (p.psn if begins else None), 0
        if begin is None:
            continue
        high, expected = max(high, p.frame), psn + 1
        if p.op not in FIRST | MIDDLE:
            yield begin, high
            begin = None


# iWARP: RFC 5040, 4.3; RFC 5041, 4
RDMAP = {0: "write", 1: "read_request", 2: "read_response", 3: "send", 4: "send", 5: "send", 6: "send", 7: "terminate", 8: "immediate",
         9: "immediate", 10: "atomic", 11: "atomic_response"}


def of_streams(path):
    """(ends, [messages of a direction], whether its stream has a hole) of each."""
    for pair in iwarp.connections(path):
        connection = iwarp.Begun(pair)
        for i in (i for i in range(2) if connection.frames[i].ok):
            octets, ends = connection.data[i]
            hole = any(at + len(payload) > len(octets) for at, payload, _ in pair[i].pieces)
            yield connection.ends[i], [*of_stream(connection.stream(i).fpdus, ends)], hole


def of_stream(fpdus, ends):
    open_ones = {}
    for fpdu in fpdus:
        frames = frames_of(fpdu, ends)
        slot = ("tagged", fpdu.opcode) if fpdu.tagged else fpdu.qn if fpdu.opcode in (3, 4, 5, 6) else None
        row = open_ones.pop(slot, None) or begun(fpdu, frames[-1])
        row["frames"] = sorted({*row["frames"], *frames})
        row["frame"] = frames[-1]
        if RDMAP[fpdu.opcode] not in ("read_request", "atomic", "atomic_response"):
            row["data"] += fpdu.payload
        if fpdu.last or slot is None:
            yield row
        else:
            open_ones[slot] = row


def frames_of(fpdu, ends):
    last = fpdu.at + fpdu.bytes - 1
    of = [next(frame for end, (begin, frame) in ends.items() if begin <= at < end) for at in (fpdu.at, last)]
    return sorted({*of, max(frame for begin, frame in ends.values() if begin <= last)})


def begun(fpdu, frame):
    kind = RDMAP[fpdu.opcode]
    row = {"kind": kind, "frames": [], "began": frame, "data": bytearray(), "psn": None, "msn": None if fpdu.tagged else fpdu.msn,
           "key": fpdu.stag if fpdu.tagged else None, "address": fpdu.to if fpdu.tagged else None, "immediate": None,
           "invalidate": fpdu.inval if fpdu.opcode in (4, 6) else None, "solicited": fpdu.opcode in (5, 6, 9), "sink": None, "length": None}
    p = fpdu.payload
    if kind == "read_request":
        sink, to, row["length"], row["key"], row["address"] = struct.unpack(">IQIIQ", p[:28])
        row["sink"] = sink, to
    elif kind == "immediate":
        row["immediate"], = struct.unpack(">Q", p[:8])
    elif kind == "atomic":
        row["sink"], row["key"], row["address"], row["length"] = *struct.unpack(">IIQ", p[4:20]), 8
    elif kind == "atomic_response":
        row["sink"], row["length"] = struct.unpack(">I", p[:4])[0], 8
    elif kind == "terminate":
        row["quotes"] = quoted(p)
    return row


def quoted(p):
    """(key or MSN, address or offset, opcode) of the header of DDP that a Terminate quotes, in siw's order of bits, too; None: none is."""
    hdrct = p[2] >> 5
    if hdrct == 0 and p[2] & 7:
        hdrct = int(f"{p[2] & 7:03b}"[::-1], 2)
    rest = p[4 + (2 if hdrct & 4 else 0):]
    if not hdrct & 2:
        return None
    if rest[0] & 0x80:
        return struct.unpack(">IQ", rest[2:14]) + (rest[1] & 15,)
    msn, mo = struct.unpack(">II", rest[10:18])
    if hdrct & 1 and rest[1] & 15 == 1:
        return struct.unpack(">IQ", rest[18 + 16:18 + 28]) + (1,)
    return msn, mo, rest[1] & 15


def is_refused(row, quotes):
    if quotes is None or row["kind"] == "terminate" or RDMAP.get(quotes[2]) != row["kind"]:
        return False
    if row["kind"] == "read_request":
        return (row["key"], row["address"]) == quotes[:2] or row["msn"] == quotes[0]
    if row["key"] is not None:
        return row["key"] == quotes[0] and 0 <= quotes[1] - row["address"] <= len(row["data"])
    return row["msn"] == quotes[0]


def iwarp_rows(streams):
    """Their answers, and who refuses what."""
    for ends, rows, hole in streams:
        others = [row for theirs, found, _ in streams if theirs == ends[::-1] for row in found]
        responses = [row for row in others if row["kind"] in ("read_response", "atomic_response")]
        refused = {}
        for end in (row for row in others if row["kind"] == "terminate"):
            fitting = [i for i, row in enumerate(rows) if row["began"] <= end["frame"] and is_refused(row, end["quotes"])]
            if fitting:
                refused[fitting[-1]] = end["frame"]
        for i, row in enumerate(rows):
            answered = None
            if row["sink"] is not None and row["kind"] in ("read_request", "atomic"):
                fits = [r for r in responses if (r["key"], r["address"]) == row["sink"] or r["sink"] == row["sink"]]
                answered = fits.pop(0) if fits else None
                if answered:
                    responses.remove(answered)
            yield ends, hole, {
                "kind": row["kind"], "frames": row["frames"], "frame": row["frame"], "psn": None, "msn": row["msn"], "key": row["key"],
                "address": row["address"], "length": len(row["data"]) if row["length"] is None else row["length"],
                "immediate": row["immediate"], "invalidate": row["invalidate"], "solicited": row["solicited"],
                "outcome": "refused" if i in refused else "complete", "answered": refused.get(i, answered and answered["frame"]),
                "payload": len(row["data"]), "bytes": hashlib.sha256(row["data"][:KEPT]).hexdigest()}


def ours(row):
    """What is compared of a line of JSON."""
    have = {key: row[key] for key in ("kind", "frames", "frame", "time", "end", "psn", "msn", "key", "address", "length", "immediate", "invalidate",
                                      "solicited", "outcome", "answered", "connection", "direction")}
    for key in ("address", "immediate"):
        if isinstance(have[key], str):
            have[key] = int(have[key], 16)
    have["payload"] = row["payload"]["length"]
    have["bytes"] = hashlib.sha256(bytes.fromhex(row["payload"]["bytes"])).hexdigest()
    return have


def frozen(row, without=()):
    return json.dumps({k: v for k, v in row.items() if k not in without}, sort_keys=True)


def differences(name, have, want, without=()):
    have, want = (collections.Counter(frozen(row, without) for row in rows) for rows in (have, want))
    yield from (f"{name}: not by the bytes: {row}" for row in sorted((have - want).elements()))
    yield from (f"{name}: by the bytes, too: {row}" for row in sorted((want - have).elements()))


def of_form(name, rows):
    """The keys, in their order; numbers and the order of what is complete."""
    last = 0
    for i, row in enumerate(rows):
        if [*row] != KEYS or row["message"] != i:
            yield f"{name}: message {row.get('message')}, not {i}, or keys {[*row]}"
        if row["outcome"] in ("complete", "cut"):
            if row["frame"] < last:
                yield f"{name}: message {i} of frame {row['frame']} after one of frame {last}"
            last = row["frame"]


LINE = re.compile(r"^(?P<file>.*?):(?P<frame>\d+): message (?P<message>\d+)(?: at (?P<time>\d+\.\d+)(?: to (?P<end>\d+\.\d+))?)?, "
                  r"(?:connection (?P<connection>\d+) (?P<direction>a to b|b to a), )?(?P<flow>.*?): (?P<kind>[a-z_]+)"
                  r"(?:, psn (?P<psn>\d+))?(?:, msn (?P<msn>\d+))?(?:, key (?P<key>0x\w+), address (?P<address>0x\w+))?"
                  r"(?:, immediate (?P<immediate>0x\w+))?(?:, invalidates (?P<invalidate>0x\w+))?(?P<solicited>, solicited)?"
                  r", (?P<length>\d+) bytes?(?: in (?:(?P<many>\d+) )?frames? (?P<frames>[\d .]+))?: (?P<outcome>[a-z]+)"
                  r"(?:,? (?:answered )?by frame (?P<answered>\d+))?$")


def in_text(lint, path, rows):
    """The text has the same, but the payload, line by line."""
    out = run(lint, path, "--messages", "-v")
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    dumped = "".join(line.split()[1] for line in out.splitlines() if re.match(r"    0x\w+ \w+$", line))
    if dumped != "".join(row["payload"]["bytes"] for row in rows):
        yield f"{path.name}: the payloads in the text are others"
    if len(lines) != len(rows):
        yield f"{path.name}: {len(lines)} messages in the text, {len(rows)} as JSON"
    for line, row in zip(lines, rows):
        match = LINE.match(line)
        if not match:
            yield f"{path.name}: {line}"
            continue
        said = match.groupdict()
        want = {key: row[key] for key in ("frame", "message", "connection", "psn", "msn", "length", "answered", "key", "address", "immediate",
                                          "invalidate")}
        have = {key: int(said[key], 0) if said[key] is not None else None for key in want}
        for key in ("address", "immediate"):
            want[key] = int(want[key], 16) if isinstance(want[key], str) else want[key]
        frames = [int(f) for f in (said["frames"] or "").replace("...", "").split()]
        listed = row["frames"] if len(row["frames"]) <= 16 else row["frames"][:16] + row["frames"][-1:]
        if have != want or frames != listed or said["kind"] != row["kind"] or said["outcome"] != row["outcome"] or \
                bool(said["solicited"]) != row["solicited"] or (said["direction"] or "").replace(" ", "_") != (row["direction"] or "") or \
                said["time"] != row["time"] or (said["end"] or said["time"]) != row["end"]:
            yield f"{path.name}: text and JSON differ: {line}"


def shown(layers, off):
    return [{key: layer[key] for key in ("name", "offset", "length", "fields")} | {"offset": layer["offset"] - off}
            for layer in layers if upper_layers.is_upper(layer)]


def in_packets(lint, path, rows, counts):
    """Headers of an upper layer that --decode shows in the first packet of a message are the first ones of the message."""
    packets = {row["frame"]: row for row in rows_of(lint, path) if row["type"] == "packet"}
    for row in rows:
        if row["kind"] != "send" or row["psn"] is None:
            continue
        layers = packets[row["frames"][0]]["layers"]
        if any(layer["name"] == "mad" for layer in layers):
            continue
        off = next((layer["offset"] for layer in layers if upper_layers.is_upper(layer)), 0)
        want, have = shown(layers, off), shown(row["layers"], 0)
        counts["upper"] += len(have)
        if have[:len(want)] != want or (len(row["frames"]) == 1 and len(have) != len(want)):
            yield f"{path.name}: message {row['message']} of frame {row['frame']}: layers {have}, by --decode {want}"


def fpdus_of(packet_row):
    """The layers of each FPDU that begins a Send: its headers, and what it carries."""
    layers = packet_row["layers"]
    starts = [i for i, layer in enumerate(layers) if layer["name"] == "mpa"] + [len(layers)]
    for i, end in zip(starts, starts[1:], strict=False):
        ddp = layers[i + 1]
        if ddp["name"] == "ddp_untagged" and not int(ddp["fields"]["qn"]) and not int(ddp["fields"]["mo"]):
            yield layers[i:end]


def in_fpdus(lint, path, rows, counts):
    """The same of iWARP: headers of an upper layer in an FPDU are those of the message that begins in it."""
    mine, found = [row for row in rows if row["kind"] == "send" and row["msn"] is not None], 0
    for packet_row in (row for row in rows_of(lint, path) if row["type"] == "packet"):
        for layers in fpdus_of(packet_row):
            off = next((layer["offset"] for layer in layers if upper_layers.is_upper(layer)), 0)
            want, ddp = shown(layers, off), layers[1]["fields"]
            of = [shown(row["layers"], 0) for row in mine if row["msn"] == int(ddp["msn"]) and packet_row["frame"] in row["frames"]]
            counts["upper over iWARP"] += len(want)
            found += bool(want)
            if not any(have[:len(want)] == want and (len(have) == len(want) or not ddp["l"]) for have in of):
                yield f"{path.name}: frame {packet_row['frame']}, MSN {ddp['msn']}: layers {want}, of the message {of}"
    if found != sum(bool(shown(row["layers"], 0)) for row in mine):
        yield f"{path.name}: {found} FPDUs have headers of an upper layer, messages more or fewer"


def of_capture(lint, path):
    counts, faults = collections.Counter(), []
    try:
        want = [*of_packets(lint, path)]
    except capture.Skipped:
        return counts, faults
    rows = [row for row in rows_of(lint, path, "--messages") if row["type"] == "message"]
    faults += of_form(path.name, rows)
    queue_pairs = [row for row in rows if row["psn"] is not None]
    faults += differences(path.name, map(ours, queue_pairs), want)
    counts.update(row["outcome"] for row in rows)
    counts["messages"] = len(rows)
    faults += in_text(lint, path, rows)
    faults += in_packets(lint, path, rows, counts)
    if path.parent.name == "siw" or path.name.startswith("lint-iwp"):
        faults += in_fpdus(lint, path, rows, counts)
        faults += of_iwarp(path, [row for row in rows if row["psn"] is None], counts)
    return counts, faults


def of_iwarp(path, rows, counts):
    """By connection and direction the oracle does not know: only what is on the wire."""
    without = ("time", "end", "connection", "direction")
    want = [*iwarp_rows([*of_streams(path)])]
    have = [ours(row) for row in rows]
    counts["iwarp"] += len(have)
    if not any(hole for _, hole, _ in want):
        yield from differences(path.name, have, (row for _, _, row in want), without)
        return
    loose = (*without, "answered", "outcome")
    have = collections.Counter(frozen(row, loose) for row in have)
    for _, _, row in want:
        if have[frozen(row, loose)] == 0:
            yield f"{path.name}: by the bytes, too: {row}"
        have[frozen(row, loose)] -= 1


def content(row):
    """What a message is, whatever frames it came in."""
    return tuple(row[key] for key in ("kind", "psn", "msn", "key", "address", "length", "immediate", "invalidate", "solicited")) + (row["payload"]["bytes"],)


def edited(path, edit, out):
    """A copy of a pcap, of whose records edit(index, record) makes several or none."""
    records = list(capture.every(path))
    out.write_bytes(writer.pcap(records[0].link, [(r.time, r.data) for i, record in enumerate(records) for r in edit(i, record)]))


def as_edited(lint, path, scratch):
    """Doubled, it has the same messages; with packets taken out, those that are complete are among them, and others begin like one of them."""
    whole = [row for row in rows_of(lint, path, "--messages") if row["type"] == "message"]
    out = scratch / path.name
    edited(path, lambda i, record: [record, record], out)
    doubled = [row for row in rows_of(lint, out, "--messages") if row["type"] == "message"]
    if collections.Counter(map(content, doubled)) != collections.Counter(map(content, whole)):
        yield f"{path.name}: other messages with each packet twice: {len(doubled)}, not {len(whole)}"
    known = collections.Counter(map(content, whole))
    for step in (7, 31):
        edited(path, lambda i, record, step=step: [] if i % step == step - 1 else [record], out)
        less = [row for row in rows_of(lint, out, "--messages") if row["type"] == "message"]
        complete = [row for row in less if row["outcome"] == "complete"]
        if collections.Counter(map(content, complete)) - known:
            yield f"{path.name}: without each {step}th packet some are complete that are none"
        for row in less:
            begin = row["payload"]["bytes"]
            if row["outcome"] == "unfinished" and not any(
                    other["kind"] == row["kind"] and (other["psn"], other["msn"]) == (row["psn"], row["msn"]) and
                    other["payload"]["bytes"].startswith(begin) for other in whole):
                yield f"{path.name}: without each {step}th packet message {row['message']} is the beginning of none"


def packets_of(many):
    """Frames of a way: (operation, queue pair, PSN, bytes, RETH)."""
    a, b = writer.End("192.0.2.1", 1), writer.End("192.0.2.2", 2)
    return [(10**18 + 1000 * i, writer.frame("ipv4", a, b, op, qpn, psn, size, **fields)) for i, (op, qpn, psn, size, fields) in enumerate(many)]


def limited(lint, path):
    """The messages, what is said on standard error, and the most memory that was used, in bytes."""
    done = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys\n"
                           "done = subprocess.run(sys.argv[1:], capture_output=True, text=True)\n"
                           "print(done.stderr, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, file=sys.stderr)\n"
                           "print(done.stdout, end='')\nsys.exit(done.returncode)",
                           lint, "--decode", "--messages", "--format", "json", "--max-memory", "1M", path], capture_output=True, text=True, check=True)
    *said, used = done.stderr.split()
    return [json.loads(line) for line in done.stdout.splitlines()], " ".join(said), int(used)


def hostile(lint, scratch):
    """WRITEs that promise 2 GiB each and do not go on; holes and copies; messages that nobody answers: bounded, and said."""
    claims = [(packet.WRITE_FIRST, 16 + i, 0, 1024, {"dma": 1 << 31}) for i in range(4000)]
    holes = [(packet.WRITE_FIRST, 16, 0, 1024, {"dma": 1 << 31})]
    holes += [(packet.WRITE_MIDDLE, 16, psn, 1024, {}) for i in range(1500) for psn in (2 * i + 2, 2 * i + 2)]
    sends = [(packet.SEND_ONLY, 16, i, 2048, {}) for i in range(3000)]
    long = [(packet.WRITE_FIRST, 16, 0, 4096, {"dma": 1 << 22})] + [(packet.WRITE_MIDDLE, 16, i, 4096, {}) for i in range(1, 1023)]
    long += [(packet.WRITE_LAST, 16, 1023, 4096, {})]
    for name, many, want, words in (("claims", claims, {"unfinished": 4000}, "messages reached"), ("holes", holes, {"unfinished": 1}, "missing: 1500"),
                                    ("sends", sends, {"complete": 3000}, ""), ("long", long, {"complete": 1}, "")):
        path = scratch / f"{name}.pcap"
        path.write_bytes(writer.pcap(1, packets_of(many)))
        rows, said, used = limited(lint, path)
        have = dict(collections.Counter(row["outcome"] for row in rows))
        if have != want or words not in said or bool(words) != bool(said) or used > USED_MAX:
            yield f"{name}: {have}, {used} bytes, said: {said}"
        if name == "long" and (rows[0]["length"] != 1 << 22 or len(rows[0]["payload"]["bytes"]) != 2 * KEPT or len(rows[0]["frames"]) != 1024):
            yield f"long: {rows[0]['length']} bytes in {len(rows[0]['frames'])} frames"


def without_time(lint, scratch):
    """A packet without a time (simple packet block): only messages of its own have none, not those that are printed with it or after it."""
    frames = [data for _, data in packets_of([(packet.SEND_FIRST, 16, 0, 1024, {}), (packet.SEND_ONLY, 17, 5, 64, {}), (packet.SEND_FIRST, 18, 0, 1024, {}),
                                              (packet.SEND_LAST, 18, 1, 64, {})])]
    path = scratch / "timeless.pcapng"
    path.write_bytes(ng.section() + ng.interface(1) + ng.packet(0, 10**15, frames[0]) + ng.simple(frames[1]) + ng.packet(0, 10**15 + 7, frames[2]) +
                     ng.simple(frames[3]))
    want = {16: ("1000000000.000000000",) * 2, 17: (None, None), 18: ("1000000000.000007000", None)}
    rows = rows_of(lint, path, "--messages")
    if {row["frame"]: (row["time"], row["end"]) for row in rows} != {1: want[16], 2: want[17], 4: want[18]}:
        yield f"without a time: {[(row['frame'], row['time'], row['end']) for row in rows]}"
    text = [line.split(", ")[0] for line in run(lint, path, "--messages").splitlines()]
    if [re.sub(r"^.*message \d+", "", line) for line in sorted(text)] != [" at 1000000000.000000000", "", " at 1000000000.000007000"]:
        yield f"without a time, in text: {text}"


def at_two_points(lint, scratch):
    """What a router forwards is captured before and after it: each datagram is one message, unless nobody is to tell copies."""
    for name in ("rxe/08-send-ud.pcap", "rxe/03c-send-rc-mtu1024.pcap"):
        path, out = ROOT / "pcaps" / name, scratch / "twice.pcap"
        edited(path, lambda i, record: [record, record._replace(data=forwarded(record.data))], out)
        whole, twice, each = ([content(row) for row in rows_of(lint, one, "--messages", *options) if row["type"] == "message"]
                              for one, options in ((path, ()), (out, ()), (out, ("--ignore", "CAP008"))))
        if twice != whole:
            yield f"{name} at two points: {len(twice)} messages, not {len(whole)}"
        datagrams = sum(row[1] is not None for row in whole) if "ud" in name else 0
        if len(each) != len(whole) + datagrams:
            yield f"{name} at two points, without CAP008: {len(each)} messages, not {len(whole)} and {datagrams}"


def forwarded(data):
    """One hop later: another MAC address, a lower TTL, the checksum made right."""
    if data[12:14] != b"\x08\x00":
        return data
    header = bytearray(data[14:34])
    header[8] -= 1
    header[10:12] = bytes(2)
    header[10:12] = struct.pack(">H", writer.checksum(bytes(header)))
    return bytes(6) + b"\x02" + data[7:14] + bytes(header) + data[34:]


def headless(lint, scratch):
    """Segments of iWARP whose message began before a hole are counted, where their host is asked for."""
    frames = []
    wire = random_iwarp.Wire(random.Random(5040), [writer.End("192.0.2.1", 0, port=40000), writer.End("192.0.2.2", 0, port=7471)], frames, 1000)
    wire.begin()
    before = len(frames)
    for size in (8000, 500, 500, 500):
        wire.message(0, bytes(size), packet.SEND_ONLY)
    path = scratch / "headless.pcap"
    path.write_bytes(writer.pcap(1, [(10**18 + 1000 * i, data) for i, (_, data) in enumerate(frames) if i != before]))
    for options, count in (((), True), (("--host", "192.0.2.2"), True), (("--host", "192.0.2.3"), False)):
        done = subprocess.run([lint, "--decode", "--messages", *options, path], capture_output=True, text=True, check=True)
        if ("are missing: " in done.stderr) != count or bool(done.stdout) != count:
            yield f"headless {options}: {done.stderr}"


def same_program(lint):
    """NVMe over Fabrics, over rxe and over siw."""
    sequences = []
    for path in ("ulp/01-nvme.pcap", "siw/01-nvme-siw.pcap"):
        found = collections.defaultdict(list)
        for row in rows_of(lint, ROOT / "pcaps" / path, "--messages"):
            if row["kind"] != "read_response":
                found[row["connection"], row["direction"]].append((row["kind"], row["length"]))
        sequences.append(found)
    count = sum(map(len, sequences[0].values()))
    if sequences[0] != sequences[1] or count != SAME:
        yield f"NVMe over rxe and siw: other messages, {count} and {sum(map(len, sequences[1].values()))}"


def compared(paths, lint):
    """What is counted and wrong of each capture."""
    return [of_capture(lint, path) for path in paths]


def main(lint, *given):
    paths = [pathlib.Path(name) for name in given if ".pcap" in name]
    if not paths:
        paths = sorted(p for p in (ROOT / "pcaps").rglob("*") if p.suffix in ENDINGS and p.is_file())
        made = pathlib.Path(given[0])
        paths += [made / f"lint-iwp-{name}.pcap" for name in MADE_IWARP]
        paths += sorted(path for path in made.glob("streams-*.pcap") if path.name not in NOT_SHOWN)
    counts, faults = collections.Counter(), []
    for results in parallel.each(compared, parallel.parts(paths), lint):
        for found, wrong in results:
            counts += found
            faults += wrong
    if ".pcap" not in given[0]:
        with tempfile.TemporaryDirectory() as scratch:
            for path in (p for p in paths if p.name in WHOLE_ONLY):
                faults += as_edited(lint, path, pathlib.Path(scratch))
            for kind in (hostile, without_time, at_two_points, headless):
                faults += kind(lint, pathlib.Path(scratch))
        faults += same_program(lint)
        if counts["messages"] < MESSAGES_MIN or counts["upper"] < UPPER_MIN or counts["upper over iWARP"] < UPPER_MIN:
            faults.append(f"too few: {dict(counts)}")
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{len(paths)} captures, {dict(counts)}: {len(faults)} differences")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
