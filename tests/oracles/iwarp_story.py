#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_story.py PCAP-LINT: what --story tells of each connection of pcaps/siw, against the bytes of the capture alone.

By iwarp.py and iwarp_flows.py, which share nothing with the program, a connection has a story if and only if it has one of these: a
segment that is sent again, or late; octets that waited for others; a Terminate; a reply that rejects; a request without a reply though
the connection ended, or 2 s passed; a first Send that TCP acknowledges and nothing follows for 2 s; octets of a pad that are not 0; an end
within a message. Its lines begin with the request and the reply, and have the first FIN of each end, or the RST; each segment that is
sent again or late is counted in one line; the longest wait is told; a Terminate has the words that siw meant.
"""
import json
import pathlib
import re
import subprocess
import sys

import iwarp_flows as F
import text_words as W

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAIT_NS = 2 * 10**9
KINDS = ("iwarp-request", "iwarp-reply", "iwarp-rejected", "iwarp-close", "iwarp-resent", "iwarp-late", "iwarp-held", "iwarp-terminate",
         "iwarp-unanswered", "iwarp-silent", "iwarp-unfinished", "iwarp-fault")
HELD = re.compile(r"held up for ([0-9.]+ \w+)")
# What was done: the words of the Terminate.
MEANT = {"22-term-badkey-read": "Invalid STag", "22-term-badkey-write": "Invalid STag", "22-term-range-read": "Base or bounds violation",
         "22-term-range-write": "Base or bounds violation", "22c-term-perm-write": "Invalid STag", "22d-recv-too-small": "no buffer available",
         "22e-no-recv": "no buffer available", "26-crc-term-badkey": "Invalid STag",
         "26-v1-rcm": "Catastrophic error, localized to RDMAP Stream"}


class End:
    """One end of a connection: its stream, and what of it a story tells."""

    def __init__(self, whole, source):
        self.sender = F.Sender(whole, source)
        self.mine = [one for one in whole if one.source == source]
        self.data, self.ends = F.bytes_of(self.sender)
        self.frame = F.iwarp.Frame(self.data) if F.is_start(self.data) else None
        self.frames = []

    def read(self, other, crc):
        if self.frame:
            self.frames, _ = F.read(self.data, self.ends, self.frame, bool(other.frame and other.frame.m), crc)

    def sent_in(self, place):
        """The frame that brought an octet of the stream."""
        return next(frame for end, (begin, frame) in self.ends.items() if begin <= place < end)

    def close(self):
        return [next(one.number for one in self.mine if one.flags & flag) for flag in (F.FIN, F.RST) if any(one.flags & flag for one in self.mine)]


class Told:
    """By the bytes: {event: [(direction, frame or None, how many)]}"""

    def __init__(self, whole):
        ends = [whole[0].source, whole[0].to]
        self.ways = [End(whole, end) for end in ends]
        if not any(way.frame for way in self.ways):
            raise ValueError("no iWARP")
        if self.ways[0].frame is None or self.ways[0].frame.reply:
            self.ways.reverse()
        crc = any(way.frame and way.frame.c for way in self.ways)
        for one, other in zip(self.ways, reversed(self.ways)):
            one.read(other, crc)
        after = next((one for one in whole[1:] if one.source == whole[0].source and not one.flags & F.SYN), None)
        self.round = after.time - whole[0].time if after else 0
        self.events, self.stall = {kind: [] for kind in KINDS}, 0
        for i, way in enumerate(self.ways):
            self.of_way(way, self.ways[1 - i], ("a_to_b", "b_to_a")[i], whole)

    def of_way(self, way, other, name, whole):
        frame, events = way.frame, self.events
        if frame:
            kind = "request" if not frame.reply else "rejected" if frame.r else "reply"
            events[f"iwarp-{kind}"].append((name, way.sent_in(frame.bytes - 1), 1))
            closed = [one for one in whole if one.flags & (F.FIN | F.RST)]
            last = whole[-1].time
            if not frame.reply and not other.data and (closed or last - whole[0].time >= WAIT_NS):
                events["iwarp-unanswered"].append((name, way.sent_in(0), 1))
            self.silent(way, other, name, closed)
        counts, stall = way.sender.told(self.round)
        events["iwarp-resent"] += [(name, None, counts["retransmitted"])] * (counts["retransmitted"] > 0)
        events["iwarp-late"] += [(name, None, counts["reordered"])] * (counts["reordered"] > 0)
        events["iwarp-held"] += [(name, None, 1)] * (stall > 0)
        self.stall = max(self.stall, stall)
        events["iwarp-close"] += [(name, number, 1) for number in way.close()]
        for fpdu in way.frames:
            if fpdu.opcode == F.iwarp.TERMINATE:
                events["iwarp-terminate"].append((name, way.sent_in(fpdu.at + fpdu.bytes - 1), 1))
        pads = [fpdu for fpdu in way.frames if any(fpdu.padding)]
        events["iwarp-fault"] += [(name, way.sent_in(fpdu.at + fpdu.bytes - 1), 1) for fpdu in pads[:1]]
        reads = sum(fpdu.opcode == F.iwarp.READ_REQUEST for fpdu in way.frames)
        answers = sum(fpdu.opcode == F.READ_RESPONSE and fpdu.last for fpdu in other.frames)
        if reads > answers and way.close():
            events["iwarp-unfinished"].append((name, whole[-1].number, 1))

    def silent(self, way, other, name, closed):
        """The first Send of A, and not an FPDU of B, until the connection is closed 2 s after TCP acknowledged it."""
        sends = [fpdu for fpdu in way.frames if fpdu.opcode in F.SENDS and fpdu.last]
        if way.frame.reply or other.frames or not other.frame or other.frame.r or len(sends) != 1 or not closed:
            return
        end = (way.sender.first + len(way.data)) & 0xffffffff
        acked = next((one.time for one in other.mine if one.flags & F.ACK and one.ack == end), None)
        if acked is not None and closed[0].time - acked >= WAIT_NS:
            self.events["iwarp-silent"].append((name, way.sent_in(sends[0].at + sends[0].bytes - 1), 1))

    def is_faulty(self):
        return any(self.events[kind] for kind in KINDS if kind not in ("iwarp-request", "iwarp-reply", "iwarp-close"))


def stories(lint, paths, asked):
    """{path: (story, [events])}"""
    out = subprocess.run([lint, "--config", "none", "--fail-on", "never", "--progress", "never", "--ignore", "all", "-q", "--story", asked,
                          "--format", "json", *map(str, paths)], capture_output=True, text=True, check=True).stdout
    told = {}
    for row in map(json.loads, out.splitlines()):
        if row["type"] == "story":
            told[pathlib.Path(row["file"])] = row, []
        elif row["type"] == "event":
            told[pathlib.Path(row["file"])][1].append(row)
    return told


def differences(name, want, events):
    """[fault] of one story."""
    for kind in KINDS:
        got, counted = [event for event in events if event["event"] == kind], {}
        for event in got:
            counted[event["direction"]] = counted.get(event["direction"], 0) + event["count"]
        wanted = {}
        for way, _, n in want.events[kind]:
            wanted[way] = wanted.get(way, 0) + n
        if kind != "iwarp-held" and counted != wanted:
            yield f"{name}: {kind} {counted}, by the bytes {wanted}"
        if kind == "iwarp-held" and counted.keys() != wanted.keys():
            yield f"{name}: {kind} of {set(counted)}, by the bytes of {set(wanted)}"
        frames = {(way, frame) for way, frame, _ in want.events[kind] if frame is not None}
        if frames and {(event["direction"], event["frame"]) for event in got} != frames:
            yield f"{name}: {kind} in {[event['frame'] for event in got]}, by the bytes in {sorted(frames)}"
    for event in events:
        if event["event"] == "iwarp-resent" and not any(event["frame"] in way.sender.resent() for way in want.ways if way.sender.numbered()):
            yield f"{name}: frame {event['frame']} is no retransmission"
    if want.stall and W.took(want.stall) not in {HELD.search(event["text"])[1] for event in events if event["event"] == "iwarp-held"}:
        yield f"{name}: no line says {W.took(want.stall)}"
    if name in MEANT and not any(MEANT[name] in event["text"] for event in events if event["event"] == "iwarp-terminate"):
        yield f"{name}: no line says {MEANT[name]}"


def main(lint):
    paths = sorted((ROOT / "pcaps/siw").glob("*.pcap"))
    wanted, faults, compared = {}, [], 0
    for path in paths:
        wanted[path] = []
        for whole in F.connections(path):
            try:
                wanted[path].append(Told(whole))
            except ValueError:
                pass
    for path, (story, _) in stories(lint, paths, "auto").items():
        faulty = sum(one.is_faulty() for one in wanted[path])
        if (story["connections"], story["faulty"]) != (len(wanted[path]), faulty):
            faults.append(f"{path.stem}: {story['faulty']} faulty ones of {story['connections']}, by the bytes {faulty} of {len(wanted[path])}")
    for number in range(max(map(len, wanted.values()))):
        for path, (story, events) in stories(lint, [path for path in paths if len(wanted[path]) > number], str(number)).items():
            want = wanted[path][number]
            compared += len(events)
            if bool(events) != want.is_faulty():
                faults.append(f"{path.stem}: {len(events)} lines of connection {number}, by the bytes {want.events}")
            elif events and not story["more"]:
                faults += differences(path.stem, want, events)
    print("\n".join([*faults[:60], f"{len(paths)} captures, {sum(map(len, wanted.values()))} connections, {compared} lines: {len(faults)} faults"]))
    return bool(faults) or compared < 100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
