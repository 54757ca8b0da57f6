#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_flows.py PCAP-LINT MADE [PCAP...]: every figure of --stats of connections of iWARP, worked out from the bytes alone.

Without captures those of pcaps/siw and the scenarios of iWARP in MADE. FPDUs and messages are those of tests/codec/iwarp.py, which reads
from the SYN on, up to what cannot be read; LATER has the scenarios in which the connection goes on after that, and what is there by hand.

What TCP did follows from the order in which the sender numbered its packets (IPv4 identification): one that begins below the highest
octet sent before is sent again; another one that brings octets late is reordered, one that brings none is a copy. Where packets have no
numbers, what fills a hole sooner than a round trip (SYN to the first segment of that end after it) is late, all else is sent again.
"""
import json
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/codec"))
import iwarp  # noqa: E402

FIN, SYN, RST, ACK = 1, 2, 4, 16
FAR = 1024
SENDS, WRITE, READ_RESPONSE, IMMEDIATES, ATOMIC = {3, 4, 5, 6}, 0, 2, {8, 9}, 10
QUEUES = {1: 1, 10: 1, 7: 2, 11: 3}
TAGGED = {0, 2}
WAYS = ("a_to_b", "b_to_a")
FIGURES = ("packets", "wire_bytes", "payload_bytes", "retransmitted_packets", "reordered_packets", "duplicated_packets", "icrc_bad",
           "fpdus", "crc_bad", "segments_crossed", "stall", "duration_ns", "wire_rate", "payload_rate", "goodput")
ALL_KEYS = ("service", "upper", "mtu", "setup", "state", "history", "a", "b", "first_frame", "last_frame", "doubt", "waited", "mss")
# From the fault on nothing is read here: FPDUs, payload and Sends of A that the capture was made with.
LATER = {"lint-iwp-marker-wrong": {"fpdus": 1, "payload_bytes": 64, "send": 1},
         **dict.fromkeys(("lint-iwp-hole-acked", "lint-iwp-hole-open"), {"fpdus": 4, "payload_bytes": 256, "send": 4})}
# What the relay that made a capture says of it: A sent so many segments twice, as so many were lost after the capture point.
LOST = {"23f-mpa-lost": 1, "26-crc-loss-reorder": 2}
# Without a start: followed from the fourth FPDU on, which is in a segment of its own.
MIDDLE = {"lint-iwp-mid-4": {"packets": 1, "wire_bytes": 142, "payload_bytes": 64, "fpdus": 1}}


class Segment:
    """One packet of TCP."""

    def __init__(self, number, time, wire, ip, ends, tcp, ident):
        self.number, self.time, self.wire, self.ends, self.ident = number, time, wire, ends, ident
        sport, dport, self.seq, self.ack = struct.unpack(">HHII", tcp[:12])
        self.source, self.to, self.flags = (ends[0], sport), (ends[1], dport), tcp[13]
        head = (tcp[12] >> 4) * 4
        self.data, self.mss, self.v6, self.window = tcp[head:], None, ip[0] >> 4 == 6, struct.unpack(">H", tcp[14:16])[0]
        options = tcp[20:head]
        while options and options[0]:
            size = 1 if options[0] == 1 else options[1]
            if options[0] == 2:
                self.mss, = struct.unpack(">H", options[2:4])
            options = options[size:]


def segments(path):
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    unit = 1 if struct.unpack(order + "I", data[:4])[0] == 0xa1b23c4d else 1000
    at, number = 24, 0
    while at + 16 <= len(data):
        seconds, part, n, wire = struct.unpack(order + "IIII", data[at:at + 16])
        frame, number, at = data[at + 16:at + 16 + n], number + 1, at + 16 + n
        kind, ip = struct.unpack(">H", frame[12:14])[0], frame[14:]
        when = seconds * 10**9 + part * unit
        if kind == 0x0800 and ip[9] == 6:
            tcp = ip[(ip[0] & 15) * 4:struct.unpack(">H", ip[2:4])[0]]
            yield Segment(number, when, wire, ip, (ip[12:16], ip[16:20]), tcp, struct.unpack(">H", ip[4:6])[0])
        elif kind == 0x86dd and ip[6] == 6:
            yield Segment(number, when, wire, ip, (ip[8:24], ip[24:40]), ip[40:40 + struct.unpack(">H", ip[4:6])[0]], 0)


def connections(path):
    """The segments of each connection: from a SYN with another sequence number on it is a new one."""
    found, current = [], {}
    for one in segments(path):
        key = frozenset((one.source, one.to))
        before = current.get(key)
        if before is None or (one.flags & SYN and any(
                other.source == one.source and not (other.flags & SYN and other.seq == one.seq) for other in before)):
            current[key] = before = []
            found.append(before)
        before.append(one)
    return found


def signed(n):
    return (n + (1 << 31)) % (1 << 32) - (1 << 31)


class Sender:
    """What one end sent: where each segment of data is in its stream, and what became of it."""

    def __init__(self, whole, source):
        mine = [one for one in whole if one.source == source]
        self.syn = next((one for one in mine if one.flags & SYN), None)
        first = (self.syn.seq + 1) if self.syn else mine[0].seq if mine else 0
        self.mss = self.syn.mss if self.syn else None
        self.finished = any(one.flags & FIN for one in mine)
        self.segments, self.packets = [], len(mine)
        end = 0
        for one in mine:
            at = signed((one.seq - first) & 0xffffffff)
            if one.flags & SYN or not one.data or (len(one.data) == 1 and at == end - 1 and self.has(end, at)):
                continue  # keep-alive: the octet before the next one
            self.segments.append((at, one))
            end = max(end, at + len(one.data))
        self.first = first

    def has(self, end, at):
        return end > 0 and any(begin <= at < begin + len(one.data) for begin, one in self.segments)

    def lacks(self, acks):
        """Whether octets are not there that the other end acknowledges: all before such a number."""
        there = 0
        for at, one in sorted(self.segments, key=lambda row: row[0]):
            if at > there:
                return any(signed((ack - self.first) & 0xffffffff) >= at for ack in acks)
            there = max(there, at + len(one.data))
        return False

    def numbered(self):
        """Whether packets are numbered one after the other: from each to the next one captured it is not far."""
        numbers = [one.ident for _, one in self.segments]
        return all(numbers) and all((b - a + FAR) % 65536 <= 2 * FAR for a, b in zip(numbers, numbers[1:]))

    def resent(self):
        """The frames of packets that begin below what was sent before, by their numbers."""
        order, before = [], None
        for at, one in self.segments:
            step = 0 if before is None else (one.ident - before[1] + 32768) % 65536 - 32768
            before = (0 if before is None else before[0] + step), one.ident
            order.append((before[0], at, one))
        frames, top, seen = set(), 0, set()
        for number, at, one in sorted(order, key=lambda row: (row[0], row[2].number)):
            if number not in seen and at < top:
                frames.add(one.number)
            seen.add(number)
            top = max(top, at + len(one.data))
        return frames

    def told(self, round_trip):
        """Counts of retransmitted, reordered and duplicated segments, and the longest wait for octets before."""
        counts, there, stall, waiting, since = {"retransmitted": 0, "reordered": 0, "duplicated": 0}, 0, 0, [], None
        resent = self.resent() if self.numbered() else None
        for at, one in self.segments:
            end = at + len(one.data)
            old = end <= there or self.covered(waiting, max(at, there), end)
            late = not old and (at < there or (waiting and at < max(row[1] for row in waiting)))
            if resent is None:
                kind = "reordered" if late and since is not None and one.time - since < round_trip else \
                    "retransmitted" if old or (late and round_trip) else None
            else:
                kind = "retransmitted" if one.number in resent else "duplicated" if old else "reordered" if late else None
            if kind:
                counts[kind] += 1
            waiting.append((at, end, one.time))
            moved = True
            while moved:
                moved = False
                for row in sorted(waiting):
                    if row[0] <= there < row[1]:
                        there, moved = row[1], True
                        stall = max(stall, one.time - row[2])
                waiting = [row for row in waiting if row[1] > there]
            since = None if not waiting else since if since is not None else one.time
        return counts, stall

    @staticmethod
    def covered(waiting, at, end):
        for begin, stop, _ in sorted(waiting):
            if begin <= at < stop:
                at = stop
        return at >= end


def is_right(fpdu):
    return fpdu.dv == 1 and fpdu.rv == 1 and fpdu.opcode in iwarp.OPCODES and bool(fpdu.tagged) == (fpdu.opcode in TAGGED) and (
        bool(fpdu.tagged) or fpdu.qn == QUEUES.get(fpdu.opcode, 0))


def messages(fpdus):
    """Of whole messages: each opcode that is the last of one."""
    ended = [fpdu.opcode for fpdu in fpdus if fpdu.last and fpdu.crc != "bad" and is_right(fpdu)]
    return {"send": sum(opcode in SENDS | IMMEDIATES for opcode in ended), "write": ended.count(WRITE), "read": ended.count(iwarp.READ_REQUEST),
            "atomic": ended.count(ATOMIC), "flush": 0}


def bytes_of(sender):
    direction = iwarp.Direction((sender.first - 1) & 0xffffffff)
    for at, one in sender.segments:
        direction.add((sender.first + at) & 0xffffffff, one.data, one.number)
    return direction.bytes()


def is_start(data):
    """Whether the bytes begin with an MPA frame that is whole, with the enhanced data that it announces: RFC 6581, 8."""
    if len(data) < 20 or data[:16] not in (b"MPA ID Req Frame", b"MPA ID Rep Frame"):
        return False
    flags, rev, length = struct.unpack(">BBH", data[16:20])
    return len(data) - 20 >= length <= 512 and not (rev >= 2 and flags & 0x10 and length < 4)


def text_of(address):
    import ipaddress
    return str(ipaddress.ip_address(address))


def rates(sender, wire, payload):
    """Of the segments with data: bits a second, 0 without a duration."""
    times = [one.time for _, one in sender.segments]
    took = max(times, default=0) - min(times, default=0)
    good = payload * 8 * 10**9 // took if took else 0
    return {"duration_ns": took, "wire_rate": wire * 8 * 10**9 // took if took else 0, "payload_rate": good, "goodput": good}


def flow_of(whole):
    """An object as JSON should have it; None: it is no iWARP."""
    ends = [whole[0].source, whole[0].to]
    senders = [Sender(whole, end) for end in ends]
    data = [bytes_of(sender) for sender in senders]
    begun = [is_start(one) for one, _ in data]
    frames = [iwarp.Frame(one) if ok else None for (one, _), ok in zip(data, begun)]
    keyed = [one[:9] == b"MPA ID Re" and len(one) >= 20 for one, _ in data]
    if not any(keyed):
        return None
    a = next(i for i in range(2) if keyed[i]) if not all(keyed) else 0 if data[0][0][7:10] == b"Req" else 1
    if data[a][0][7:10] == b"Rep":
        a = 1 - a
    crc = any(ok and frame.c for ok, frame in zip(begun, frames))
    syn = whole[0]
    after = next((one for one in whole[1:] if one.source == syn.source and not one.flags & SYN), None)
    round_trip = after.time - syn.time if syn.flags & SYN and after else 0
    ways, terminated = {}, False
    for name, i in zip(WAYS, (a, 1 - a)):
        counts, stall = senders[i].told(round_trip)
        fpdus, crossed = [], 0
        if begun[i]:
            stream = read(*data[i], frames[i], bool(begun[1 - i] and frames[1 - i].m), crc)
            fpdus, crossed = stream
        good = [fpdu for fpdu in fpdus if fpdu.crc != "bad"]
        terminated |= any(fpdu.opcode == iwarp.TERMINATE and is_right(fpdu) for fpdu in good)
        payload, wire = sum(len(fpdu.payload) for fpdu in good if is_right(fpdu) and fpdu.opcode in SENDS | TAGGED), sum(
            one.wire for _, one in senders[i].segments)
        ways[name] = {"packets": len(senders[i].segments), "wire_bytes": wire, "payload_bytes": payload, **rates(senders[i], wire, payload),
                      **{f"{kind}_packets": n for kind, n in counts.items()}, "icrc_bad": 0, "fpdus": len(fpdus),
                      "crc_bad": len(fpdus) - len(good), "segments_crossed": crossed, "stall": stall, "messages": messages(good)}
    rejected = any(ok and frame.reply and frame.r for ok, frame in zip(begun, frames))
    closed = any(one.flags & (FIN | RST) for one in whole)
    any_fpdu = any(way["fpdus"] for way in ways.values())
    mss = [sender.mss for sender in senders]
    return {"service": "iWARP", "upper": None, "mtu": None, "setup": "mpa", "history": None, "waited": None,
            "state": "rejected" if rejected else "failed" if terminated else "closed" if closed else
                     "established" if any_fpdu else "setup",
            "a": {"address": text_of(ends[a][0]), "qpn": None, "port": ends[a][1]},
            "b": {"address": text_of(ends[1 - a][0]), "qpn": None, "port": ends[1 - a][1]},
            "first_frame": whole[0].number, "last_frame": whole[-1].number,
            "doubt": ([] if all(sender.packets for sender in senders) else ["one-way"]) + (["capture-loss"] if any(
                senders[i].lacks([one.ack for one in whole if one.source == ends[1 - i] and one.flags & ACK]) for i in range(2)) else []),
            "mss": min(mss) if None not in mss else None, **ways}


def middle(whole, figures):
    """The flow of a connection without a SYN, of which A alone sends: one Send is whole."""
    nothing = {**dict.fromkeys(FIGURES, 0), "messages": dict.fromkeys(("send", "write", "read", "atomic", "flush"), 0)}
    first, last = whole[0], whole[-1]
    return {"service": "iWARP", "upper": None, "mtu": None, "setup": "none", "history": None, "waited": None, "state": "mid-stream",
            "a": {"address": text_of(first.source[0]), "qpn": None, "port": first.source[1]},
            "b": {"address": text_of(first.to[0]), "qpn": None, "port": first.to[1]},
            "first_frame": last.number, "last_frame": last.number, "doubt": ["mid-stream", "one-way"], "mss": None,
            "a_to_b": {**nothing, **figures, "messages": {**nothing["messages"], "send": 1}}, "b_to_a": nothing}


def read(data, ends, frame, markers, crc):
    """([FPDU], those in several segments), up to the first that cannot be read: its length, or a marker that points elsewhere."""
    fpdus, crossed, at = [], 0, frame.bytes
    while at < len(data):
        head = data[at + 4:at + 7] if markers and (at - frame.bytes) % 512 == 0 else data[at:at + 3]
        if len(head) < 3 or head[0] * 256 + head[1] < (14 if head[2] & 0x80 else 18):
            break
        fpdu = iwarp.Fpdu(data, frame.bytes, at, markers, crc)
        if not fpdu.ok or (markers and not points(data, frame.bytes, fpdu)):
            break
        fpdus.append(fpdu)
        crossed += any(at < end < at + fpdu.bytes for end in ends)
        at += fpdu.bytes
    return fpdus, crossed


def points(data, start, fpdu):
    """Whether each marker of an FPDU says how far its length field is before it: RFC 5044, 4.3."""
    for place in range(fpdu.at, fpdu.at + fpdu.bytes):
        if (place - start) % 512 == 0:
            begin = fpdu.at + 4 if (fpdu.at - start) % 512 == 0 else fpdu.at
            if struct.unpack(">H", data[place + 2:place + 4])[0] & ~3 != (place - begin if place != fpdu.at else 0):
                return False
    return True


def listed(lint, path):
    out = subprocess.run([lint, "--config", "none", "--fail-on", "never", "--progress", "never", "--stats", "--format", "json", str(path)],
                         capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in out.splitlines()]
    return [row for row in rows if row["type"] == "flow"], rows[-1]


def differences(name, want, got):
    for key in ALL_KEYS:
        if want[key] != got[key]:
            yield f"{name}: {key} is {got[key]!r}, by the bytes {want[key]!r}"
    for way in WAYS:
        for key in (*FIGURES, "messages"):
            if want[way][key] != got[way][key]:
                yield f"{name} {way}: {key} is {got[way][key]}, by the bytes {want[way][key]}"
        for key in got[way].keys() - {*FIGURES, "messages"}:
            if got[way][key] is not None:
                yield f"{name} {way}: {key} is {got[way][key]}, and has no meaning"


def of_capture(lint, path):
    """([fault], connections)"""
    want = [flow for flow in map(flow_of, connections(path)) if flow]
    got, summary = listed(lint, path)
    for flow in want[:1] if path.stem in LATER else ():
        more = LATER[path.stem]
        flow["a_to_b"]["messages"]["send"] += more["send"]
        for key in more.keys() - {"send"}:
            flow["a_to_b"][key] += more[key]
        took = flow["a_to_b"]["duration_ns"]
        flow["a_to_b"] |= dict.fromkeys(("payload_rate", "goodput"), flow["a_to_b"]["payload_bytes"] * 8 * 10**9 // took)
        flow["state"] = "established"
    if path.stem in MIDDLE:
        want.append(middle(next(iter(connections(path))), MIDDLE[path.stem]))
    faults = []
    if [flow["connection"] for flow in got] != list(range(len(got))):
        faults.append(f"{path.stem}: the numbers are {[flow['connection'] for flow in got]}")
    if summary["connections"] != len(got) or summary.get("iwarp", {}).get("connections", 0) != len(got):
        faults.append(f"{path.stem}: {len(got)} connections, by the summary {summary['connections']}")
    if summary.get("iwarp", {}).get("fpdus", 0) != sum(flow[way]["fpdus"] for flow in got for way in WAYS):
        faults.append(f"{path.stem}: FPDUs by the summary {summary.get('iwarp')}")
    if len(want) != len(got):
        return [*faults, f"{path.stem}: {len(got)} connections, by the bytes {len(want)}"], 0
    if path.stem in LOST and got[0]["a_to_b"]["retransmitted_packets"] != LOST[path.stem]:
        faults.append(f"{path.stem}: {LOST[path.stem]} segments were lost, {got[0]['a_to_b']['retransmitted_packets']} are sent again")
    for flow, other in zip(want, got):
        faults += differences(path.stem, flow, other)
    return faults, len(want)


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = [pathlib.Path(arg) for arg in sys.argv[3:]] or \
        [*sorted((ROOT / "pcaps/siw").glob("*.pcap")), *sorted(made.glob("lint-iwp-*.pcap"))]
    faults, n, seen = [], 0, set()
    for path in paths:
        found, of_it = of_capture(lint, path)
        faults, n = faults + found, n + of_it
        seen |= {key for flow in listed(lint, path)[0] for way in WAYS for key in FIGURES if flow[way][key]}
    unseen = [] if sys.argv[3:] else sorted({*FIGURES} - seen - {"icrc_bad"})
    faults += [f"no capture shows {key}" for key in unseen]
    print("\n".join([*faults[:60], f"{len(paths)} captures, {n} connections, {len(faults)} faults"]))
    return 1 if faults or not n else 0


if __name__ == "__main__":
    sys.exit(main())
