#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""msg.py PLUGIN MADE [FRAMES]: ibwire.msg and all below it is what the bytes say; so is what READs and atomics lack, the next PSN, and the length and
the READ in the Info column.

Messages are found once more, from the bytes of the first FRAMES frames (0: all) of every capture; of the plugin
only ibwire.stream and .dir are taken, which analysis.py tests; of connections that several captures have packets of
nothing is compared. With tshark -2 each figure of each packet is
compared; on a single pass what is there is the same, and nothing names a later frame.

- A packet sent again is of the message it repeats; a MIDDLE or LAST of another PSN goes on with the next lower PSN
  that was sent, if that is open and of the same verb; all else begins a message.
- A READ, an atomic or a FLUSH is one message with its responses; it is completed by the last of them, a SEND or
  WRITE by the first packet that answers its last PSN.
- What is missing of a READ or an atomic is what it asks for without what different responses brought; its requests and its last
  response say so, and the response LAST that completes a READ has in Info how much came and how long it took.
- The next PSN counts from the first request of the direction; of a READ of more than 256 bytes it is compared only where a
  packet shows the path MTU.
"""
import bisect
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import capture as C  # noqa: E402
import packet as P  # noqa: E402
import ws  # noqa: E402

FIELDS = ["number", "op", "first_in", "last_in", "packets", "len", "off", "va", "time", "completed_in", "latency"]
NAMES = {name: "ibwire.msg" + ("" if name == "number" else f".{name}") for name in FIELDS}
OTHERS = {"read_missing": "ibwire.read.len_missing", "atomic_missing": "ibwire.atomic.len_missing",
          "next": "ibwire.psn.next"}
COMPARED = [*NAMES.values(), *OTHERS.values()]  # what ws_rows asks for
INFO = "Info"
READ_DONE = re.compile(rf"\[({ws.READ})\]")
LENGTH = re.compile(r"QP=0x[0-9a-f]{6} ?(?:Len=(\d+))?$")
FRAMES = ("first_in", "last_in", "completed_in")
SEND, WRITE, READ, ATOMIC, FLUSH = range(5)
VERBS = {**dict.fromkeys(P.SENDS, SEND), **dict.fromkeys(P.WRITES | {P.ATOMIC_WRITE}, WRITE), P.READ_REQUEST: READ,
         **dict.fromkeys(P.ATOMICS, ATOMIC), P.FLUSH: FLUSH}
MIDDLES = {P.SEND_MIDDLE, P.WRITE_MIDDLE}
LASTS = {P.SEND_LAST, P.SEND_LAST_IMM, P.SEND_LAST_INV, P.WRITE_LAST, P.WRITE_LAST_IMM}
OPEN = {P.SEND_FIRST, P.WRITE_FIRST} | MIDDLES
ASKS = {P.WRITE_FIRST, P.WRITE_ONLY, P.WRITE_ONLY_IMM, P.READ_REQUEST, P.FLUSH, P.ATOMIC_WRITE} | P.ATOMICS
JUMP, PSNS = 1 << 20, 1 << 24
UNSURE = -1
FORGOTTEN = 20  # repeated packets of which nobody knows the message any more
KEPT = 64


def near(psn, to):
    return to + ((psn - to + PSNS // 2) % PSNS) - PSNS // 2


class Message:
    def __init__(self, number, packet, psn, va, length):
        self.number, self.psn, self.verb, self.va, self.asked = number, psn, VERBS[packet.op], va, length
        self.first = self.last = packet
        self.headless, self.ended, self.completed = packet.op in MIDDLES | LASTS, False, None
        self.repeated, self.whole, self.untimed = False, False, set()
        self.sent, self.high, self.answered = {}, None, {}
        self.responded = self.verb >= READ or packet.op == P.ATOMIC_WRITE

    def add(self, packet, psn):
        self.sent[psn] = packet.payload
        if not self.responded:
            self.last = packet
            if packet.op not in OPEN:
                self.ended, self.high = True, psn

    def respond(self, packet, psn):
        if self.repeated:  # which copy it answers is not known
            self.untimed.add(packet)
        if psn not in self.answered:
            self.answered[psn] = packet.payload
            self.last = packet
        if packet.op in (P.READ_FIRST, P.READ_MIDDLE):
            return
        self.ended = True
        if not self.whole:  # else it is a repeated one
            self.completed = packet
        self.whole = self.whole or len(self.answered) == max(self.answered) - self.psn + 1

    def packets(self):
        return len(self.answered if self.responded else self.sent)

    def brought(self):
        """Bytes; of an atomic they are in a header."""
        return 8 * bool(self.answered) if self.verb == ATOMIC else sum(self.answered.values())

    def length(self):
        if self.asked is not None:
            return self.asked
        whole = self.ended and not self.headless and len(self.sent) == self.high - self.psn + 1
        return sum(self.sent.values()) if whole else None


class Direction:
    """Requests of a direction."""

    def __init__(self):
        self.expected, self.messages = None, 0
        self.of, self.op, self.psns, self.covered, self.open = {}, {}, [], 0, []

    def extend(self, psn):
        if self.expected is None:
            return near(psn, self.expected_by_answers)
        return near(psn, self.expected)

    expected_by_answers = PSNS

    def request(self, packet, span, va, length):
        """Its message; None: not known."""
        if self.expected is None:
            psn = self.extend(packet.psn)
            self.expected, self.covered = psn, min(self.covered, psn)
        psn = self.extend(packet.psn)
        if psn in self.of:
            self.of[psn].repeated = True
            return self.of[psn]
        if abs(psn - self.expected) > JUMP:
            self.of, self.op, self.psns, self.covered, self.open = {}, {}, [], 0, []
            self.expected = psn
        at = bisect.bisect_left(self.psns, psn)
        before = self.psns[at - 1] if at else None
        message = self.of.get(before)
        if packet.op not in MIDDLES | LASTS or message is None or self.op[before] not in OPEN or \
                message.verb != VERBS[packet.op]:
            self.messages += 1
            message = Message(self.messages, packet, psn, va, length)
        message.add(packet, psn)
        for one in range(psn, psn + span):
            self.of.setdefault(one, message)
        self.psns.insert(at, psn)
        self.op[psn] = packet.op
        if message.ended and not message.responded and psn >= self.covered:
            self.open.append(message)
        self.expected = max(self.expected, psn + span)
        return message

    def cover(self, upto, packet):
        if upto <= self.covered:
            return
        self.covered = upto
        for message in self.open:
            if message.high < upto:
                message.completed = packet
        self.open = [message for message in self.open if message.high >= upto]

    def answer(self, packet):
        """The message of a response."""
        psn = self.extend(packet.psn)
        if packet.op == P.ACKNOWLEDGE:
            kind = None if packet.syndrome is None else packet.syndrome >> 5
            if kind is not None:
                self.cover(psn + (kind == 0), packet)
            return None
        message = self.of.get(psn)
        self.cover(message.psn if message and message.responded else psn, packet)
        if message is None or not message.responded or \
                (packet.op == P.ATOMIC_ACKNOWLEDGE) != (message.verb == ATOMIC):
            return None
        message.respond(packet, psn)
        return message


def asked(data, packet, at):
    """(address, bytes) of the RETH or ATOMICETH; None: it has none, or it was cut off."""
    if packet.op not in ASKS:
        return None, None
    at += P.BTH + (P.XRCETH if packet.service == P.XRC else 0) + (4 if packet.op == P.FLUSH else 0)
    if at + 16 + (12 if packet.op in P.ATOMICS else 0) > len(data):
        return None, None
    return int.from_bytes(data[at:at + 8], "big"), 8 if packet.op in P.ATOMICS else P.u32(data, at + 12)


def read(merged):
    """{frame: (packet, address, bytes)} of RC and UC packets whose ICRC is not bad."""
    found, number = {}, 0
    for linktype, (frames, _) in merged.items():
        for sec, nsec, length, data in frames:
            number += 1
            record = C.Record(number, sec * 10**9 + nsec, linktype, data, length)
            packet = P.parse(record)
            if packet and packet.service in P.OPCODES and packet.op is not None and packet.icrc != P.BAD:
                found[number] = packet, *asked(data, packet, P.LINKS[linktype](data, 0).at)
    return found


def guesses(packets, streams):
    """{stream: MTU} by which a READ Request reaches to the next request."""
    found, waiting = {}, {}
    for number, (packet, _, length) in packets.items():
        if number not in streams or packet.op not in P.REQUESTS:
            continue
        stream, way = streams[number]
        psn, asked_for = waiting.pop((stream, way), (0, 0))
        for mtu in (256, 512, 1024, 2048, 4096) if asked_for else ():
            if -(-asked_for // mtu) == (packet.psn - psn) % PSNS:
                found.setdefault(stream, mtu)
        if packet.op == P.READ_REQUEST and (length or 0) > 256:
            waiting[stream, way] = packet.psn, length
    return found


def messages(packets, streams):
    """{frame: (packet, its message)}"""
    mtus, directions, found = {}, collections.defaultdict(Direction), {}
    for number, (packet, _, _) in packets.items():
        if number in streams and packet.op in P.FULL and packet.payload:
            mtus.setdefault(streams[number][0], packet.payload)
    seen, bases = dict(mtus), {}
    mtus = {**guesses(packets, streams), **mtus}
    for number, (packet, va, length) in packets.items():
        if number not in streams:
            continue
        stream, way = streams[number]
        mtu = mtus.get(stream)
        if packet.op in P.REQUESTS:
            span = max(1, -(-length // mtu)) if packet.op == P.READ_REQUEST and mtu and length else 1
            base = bases.setdefault((stream, way), packet.psn)
            message = directions[stream, way].request(packet, span, va, length)
            sure = packet.op != P.READ_REQUEST or length is not None and (length <= 256 or stream in seen)
            following = (packet.psn + span - base) % PSNS if sure else UNSURE
        else:
            message, following = directions[stream, 1 - way].answer(packet), None
        if message:
            found[number] = packet, message, mtu, following
    return found


def off_of(packet, message, mtu):
    direction_psn = (packet.psn - message.psn) % PSNS
    if message.headless or message.verb > READ:
        return None
    if packet.op in OPEN | {P.READ_FIRST, P.READ_MIDDLE} or direction_psn:
        return direction_psn * mtu if mtu else None
    return 0


def read_of(packet, message):
    """What Info says of a READ that the response @packet completes."""
    if message.verb != READ or message.completed is not packet or packet.op != P.READ_LAST or message.asked is None:
        return None
    came, ns = message.brought(), packet.time - message.first.time
    said = f"READ: {len(message.answered)} packets, {min(came, message.asked)}"
    said += f" of {message.asked} bytes" if came < message.asked else " bytes"
    if packet in message.untimed or ns < 0:
        return said
    for power, unit in ((9, "s"), (6, "ms"), (3, "us"), (0, "ns")):
        if ns >= 10**power or not power:
            tenth = f".{ns // 10**(power - 1) % 10}" if power and ns < 10**(power + 1) else ""
            return f"{said} in {ns // 10**power}{tenth} {unit}"
    return None


def missing_of(packet, message, verb):
    missing = (message.asked or 0) - message.brought()
    shown = packet.op in P.REQUESTS or message.last is packet
    return missing if message.verb == verb and missing > 0 and shown else None


def row_of(packet, message, mtu, following):
    ended = message.ended
    off = off_of(packet, message, mtu)
    length = message.length()
    if length is None and packet.op in LASTS:
        off = None
    at = 0 if message.verb > READ else off
    times = {name: end.time - message.first.time
             if end and end not in message.untimed and end.time >= message.first.time else None
             for name, end in (("time", message.last if ended else None), ("latency", message.completed))}
    return {"read_missing": missing_of(packet, message, READ), "atomic_missing": missing_of(packet, message, ATOMIC),
            "next": following, INFO: read_of(packet, message), "number": message.number, "op": message.verb, "first_in": message.first.frame,
            "last_in": message.last.frame if ended else None, "packets": message.packets() if ended else None,
            "len": length, "off": off,
            "va": message.va + at if message.va is not None and at is not None else None,
            "completed_in": message.completed and message.completed.frame, **times}


def value(name, text):
    if not text:
        return None
    if name in ("time", "latency"):
        return ws.ns(text)
    return int(text, 0)


def of_plugin(tshark, path, *options):
    """({frame: figures}, {frame: (stream, way)})"""
    names = ["frame.number", "ibwire.stream", "ibwire.stream.dir", *COMPARED]
    args = [arg for name in names for arg in ("-e", name)]
    text = tshark.read(path, *options, "-Y", "ibwire.stream && ibwire.bth", "-T", "fields", "-E", "separator=/t", *args)
    infos = tshark.infos(path, *options, "-Y", "ibwire.stream && ibwire.bth")
    rows, streams = {}, {}
    for line in text.splitlines():
        number, stream, way, *figures = line.split("\t")
        streams[int(number)] = int(stream), int(way)
        rows[int(number)] = {name: value(name, one) for name, one in zip([*FIELDS, *OTHERS], figures, strict=True)}
        rows[int(number)][INFO] = infos[int(number)]
    return rows, streams


def compare(rows, found, where, n):
    forgotten = 0
    for number, have in rows.items():
        if number not in found:
            if have["number"] is not None:
                yield f"{where[number - 1]}: frame {number} has a message: {have}"
            continue
        want = row_of(*found[number])
        if have["number"] is None:
            forgotten += 1
            continue
        done = READ_DONE.search(have[INFO])
        have = have | {INFO: done and done[1]}
        for name in want:
            if want[name] == UNSURE:
                n["READs of unknown MTU"] += 1
                continue
            n[name] += have[name] is not None
            if have[name] != want[name]:
                yield f"{where[number - 1]}: frame {number}: {name} {have[name]}, not {want[name]}"
    n["forgotten"] = forgotten
    if forgotten > FORGOTTEN:
        yield f"{forgotten} packets without a message"


def lengths(rows, packets, where, n):
    """Where Info ends with the queue pair it has the length."""
    for number, have in rows.items():
        said = LENGTH.search(ws.SAID_OF_STREAM.sub("", have[INFO]).removesuffix(ws.BAD_ICRC))
        if not said or number not in packets:
            continue
        packet, _, length = packets[number]
        want = packet.payload if length is None or packet.op in P.ATOMICS else length
        n["lengths"] += 1
        if int(said[1] or 0) != want:
            yield f"{where[number - 1]}: frame {number}: Info {have[INFO]!r}, not Len={want}"


def single_pass(once, rows, n):
    for number, have in once.items():
        if number not in rows:
            continue
        for name, one in have.items():
            n["single pass"] += one is not None and name != INFO
            if name in FRAMES and one is not None and one > number:
                yield f"single pass, frame {number}: {name} {one}"
            if name in ("number", "op", "first_in", "off", "va", "next") and one not in (None, rows[number][name]):
                yield f"single pass, frame {number}: {name} {one}, not {rows[number][name]}"


def main():
    tshark, made = ws.Tshark(sys.argv[1]), sys.argv[2]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    merged = ws.by_linktype(made, first or None)
    path = tshark.write_all("all.pcapng", merged)
    rows, streams = of_plugin(tshark, path, "-2")
    origins, where = ws.origins(merged), collections.defaultdict(set)
    for number, (stream, _) in streams.items():
        where[stream].add(origins[number - 1].split(":")[0])
    streams = {number: key for number, key in streams.items() if len(where[key[0]]) == 1}
    rows = {number: row for number, row in rows.items() if number in streams}
    packets, n = read(merged), collections.Counter()
    found = messages(packets, streams)
    faults = list(compare(rows, found, origins, n))
    faults += lengths(rows, packets, origins, n)
    faults += single_pass(of_plugin(tshark, path)[0], rows, n)
    faults += [f"no {name}" for name in [*FIELDS, *OTHERS, INFO, "lengths"] if not n[name]]
    said = ", ".join(f"{name} {count}" for name, count in n.items())
    return ws.verdict(faults, f"{n.total() - n['forgotten']} figures ({said})")


if __name__ == "__main__":
    sys.exit(main())
