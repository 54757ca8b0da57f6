#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""conns.py PLUGIN MADE [FRAMES]: what each packet of a connection says of all of it is what the bytes say.

tshark -2 of the first FRAMES frames (0: all) of every capture:

- ibwire.conn.completeness has the bits of the messages of the CM that oracles/cm.py finds in the conversation, and that of data if there is a
  packet for one of its queue pairs; of a connection without a message of the CM that of data only; the tree says the same in words;
- ibwire.analysis.initial_rtt is the time from a request to the first ACK or response about it, by PSNs, of the connection's two
  directions whichever is answered first, the same on all packets; connections whose PSNs up to there do not ascend are left out;
- on a single pass a packet has what was captured up to it, and the initial RTT from that answer on.
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import capture as C  # noqa: E402
import cm as CM  # noqa: E402
import packet as P  # noqa: E402
import ws  # noqa: E402

DONE, RTT = "ibwire.conn.completeness", "ibwire.analysis.initial_rtt"
COMPARED = [DONE, RTT]  # what ws_rows asks for
BITS = {"req": 1, "rep": 2, "rtu": 4, "dreq": 16, "drep": 32, "rej": 64}
NAMES = {1: "REQ", 2: "REP", 4: "RTU", 8: "data", 16: "DREQ", 32: "DREP", 64: "REJ"}
DATA, WHOLE = 8, 1 | 2 | 4 | 16 | 32
FIELDS = ["frame.number", "ibwire.stream", "ibwire.stream.dir", DONE, RTT, *(f"ibwire.conn.{name}_in" for name in BITS)]
HALF, POSITIVE = 1 << 23, 0
NEEDED = (*COMPARED, "words", "single pass", "connections with data", "connections without", "no CM")


def rows_of(tshark, capture, *options):
    """{frame: {field: text}}"""
    args = [arg for field in FIELDS for arg in ("-e", field)]
    text = tshark.read(capture, *options, "-Y", f"{DONE} || (ibwire.stream && ibwire.bth)", "-T", "fields", "-E", "separator=/t", *args)
    rows = (dict(zip(FIELDS, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def after(psn, other):
    """How far @psn is after @other, negative: before."""
    return (psn - other + HALF) % (2 * HALF) - HALF


class Unclear(Exception):
    """It takes more than PSNs to say what is answered."""


class Way:
    """Requests of a direction that no answer was about yet, in ascending order."""

    def __init__(self):
        self.highest, self.open = None, []

    def request(self, packet):
        if packet.op in (P.FLUSH, P.ATOMIC_WRITE) or (self.highest is not None and after(packet.psn, self.highest) <= 0):
            raise Unclear
        self.highest = packet.psn
        self.open.append(packet)

    def covered(self, psn):
        """Those up to @psn that an ACK may be about: nothing is known of those that wait for responses."""
        found = [packet for packet in self.open if after(psn, packet.psn) >= 0]
        if any(packet.op in P.ATOMICS | {P.READ_REQUEST} for packet in found):
            raise Unclear
        self.open = self.open[len(found):]
        return found

    def answered(self, packet):
        """The request that the ACK or response @packet is about; None: it is a NAK, or an ACK of what was acknowledged or not seen."""
        if packet.op == P.ACKNOWLEDGE:
            refuses = packet.syndrome >> 5 != POSITIVE
            found = self.covered((packet.psn - refuses) % (2 * HALF))
            return found[-1] if found and not refuses else None
        asked = [one for one in self.open if after(packet.psn, one.psn) >= 0]
        kinds = P.ATOMICS if packet.op == P.ATOMIC_ACKNOWLEDGE else {P.READ_REQUEST}
        if not asked or asked[-1].op not in kinds:
            raise Unclear
        return asked[-1]


def first_answer(packets):
    """(frame, ns) of [(direction, packet)] of a connection; None: there is none."""
    ways = collections.defaultdict(Way)
    for way, packet in packets:
        if packet.icrc == P.BAD or packet.op is None or packet.service not in P.SERVICES:
            continue
        if packet.op in P.REQUESTS:
            ways[way].request(packet)
            continue
        if packet.op == P.ACKNOWLEDGE and packet.syndrome is None:
            raise Unclear
        request = ways["1" if way == "0" else "0"].answered(packet)
        if request:
            if request.time > packet.time:
                raise Unclear
            return packet.frame, packet.time - request.time
    return None


def round_trips(rows, once, packets, alone, compared):
    of = collections.defaultdict(list)
    for number, row in rows.items():
        if row["ibwire.stream"]:
            of[row["ibwire.stream"]].append((row["ibwire.stream.dir"], number))
    for stream, frames in of.items():
        have = {rows[number][RTT] for _, number in frames}
        compared.same("one RTT", f"stream {stream}", len(have), 1)
        if stream not in alone:
            continue
        try:
            want = first_answer([(way, packets[number]) for way, number in frames if number in packets])
        except Unclear:
            compared.n["connections left out"] += 1
            continue
        text = have.pop()
        compared.same(RTT, f"stream {stream}", ws.ns(text) if text else None, want and want[1])
        for _, number in frames if want else []:
            said = once[number][RTT]
            if number < want[0]:
                compared.same("single pass", f"frame {number}", said, "")
            elif once[number]["ibwire.stream"] and said:
                compared.same("single pass", f"frame {number}", said, text)
            else:
                compared.n["not yet known"] += 1


def first_of(row, number, told):
    """The conversation of the oracle that a packet names, by its first message; None: none."""
    frames = {number, *(int(row[f"ibwire.conn.{name}_in"] or 0) for name in BITS)}
    return next((told[frame] for frame in sorted(frames) if frame in told), None)


def ends_of(packets, where):
    """{(capture, address, queue pair): frames of packets for it}"""
    found = collections.defaultdict(list)
    for number, packet in packets.items():
        if packet.service in P.SERVICES:
            found[where[number - 1], P.address_text(packet.dst), packet.dqpn].append(number)
    return found


def has_data(one, ends, where, uses):
    """Whether there is a packet for an end of the conversation; None: another one is about such a queue pair, or what it is."""
    keys = [(where[one["first_frame"] - 1], one[end]["address"], one[end]["qpn"]) for end in "ab"]
    if any(uses[key] > 1 or key[2] is None for key in keys):
        return None
    return any(number > one["first_frame"] for key in keys for number in ends.get(key, []))


def completeness(rows, told, packets, where, alone, compared):
    ends, uses = ends_of(packets, where), collections.Counter()
    for one in told.values():
        uses.update((where[one["first_frame"] - 1], one[end]["address"], one[end]["qpn"]) for end in "ab")
    foreign = {one["first_frame"] for number, row in rows.items() for one in [first_of(row, number, told)]
               if one and where[number - 1] != where[one["first_frame"] - 1]}  # of another capture with the same addresses
    for number, row in rows.items():
        if row["ibwire.stream"] and row["ibwire.stream"] not in alone:
            continue
        one = first_of(row, number, told)
        have = int(row[DONE] or 0)
        if one is None:
            compared.same("no CM", f"frame {number}", have, DATA)
            continue
        want = sum(bit for name, bit in BITS.items() if one[name])
        data = bool(row["ibwire.stream"]) or has_data(one, ends, where, uses)
        compared.same(DONE, f"frame {number}", have & ~DATA, want)
        if data is not None and one["first_frame"] not in foreign:
            compared.same("connections with data" if data else "connections without", f"frame {number}", bool(have & DATA), data)


def words(tshark, capture, rows, compared):
    """The tree's: "Completeness: Incomplete: REQ, REP, RTU, data (15)"."""
    text = tshark.read(capture, "-2", "-Y", DONE, "-O", "ibwire", "-V")
    said = re.findall(r"^ *\[Completeness: (.*) \((\d+)\)\]$", text, re.M)
    compared.same("words", "how many", len(said), len([row for row in rows.values() if row[DONE]]))
    for line, number in set(said):
        bits = int(number)
        named = ", ".join(name for bit, name in NAMES.items() if bits & bit)
        compared.same("words", number, line, f"{'Complete' if bits & WHOLE == WHOLE else 'Incomplete'}: {named}")


def single_pass(once, rows, told, compared):
    """Of the messages of the CM those up to the packet."""
    for number, row in once.items():
        one = first_of(rows[number], number, told)
        have, final = int(row[DONE] or 0), int(rows[number][DONE] or 0)
        compared.same("single pass", f"frame {number} {have}", have & ~final, 0)
        if one and number == one["first_frame"]:
            compared.same("single pass", f"frame {number}, the first", have, final & -final)


def main():
    tshark, made = ws.Tshark(sys.argv[1]), sys.argv[2]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 400
    merged = ws.by_linktype(made, first or None)
    as_is, capture = tshark.write_all("as-is.pcapng", merged, as_is=True), tshark.write_all("all.pcapng", merged)
    where, compared = [name.split(":")[0] for name in ws.origins(merged)], ws.Compared()
    rows, once = rows_of(tshark, capture, "-2"), rows_of(tshark, capture)
    of = collections.defaultdict(set)
    for number, row in rows.items():
        of[row["ibwire.stream"]].add(where[number - 1])
    alone = {stream for stream, captures in of.items() if len(captures) == 1}
    parsed = ((record.number, P.parse(record)) for record in C.records(as_is))
    packets = {number: packet for number, packet in parsed if packet}
    told = {one["first_frame"]: one for one in CM.conversations(as_is)}
    completeness(rows, told, packets, where, alone, compared)
    round_trips(rows, once, packets, alone, compared)
    single_pass(once, rows, told, compared)
    words(tshark, tshark.write_all("few.pcapng", ws.by_linktype(made, 40)), rows_of(
        tshark, tshark.dir / "few.pcapng", "-2"), compared)
    compared.same("few left out", "connections", 4 * compared.n["connections left out"] < compared.n[RTT], True)
    compared.all_of(NEEDED)
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    return ws.verdict(compared.faults, f"{compared.n.total()} figures ({said})")


if __name__ == "__main__":
    sys.exit(main())
