#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sums.py PLUGIN PCAP-LINT MADE [FRAMES]: every packet that --stats counts as repeated, late, ahead or refusing carries its mark.

Of the first FRAMES frames (0: all) of every capture, in one file, each direction of each connection:

- as many packets have a mark as pcap-lint --stats counts (SUMS), with -2; none on a connection whose headers are cut off, of
  which nothing is sure;
- on a single pass, as while it captures, a packet has no other marks, and most of those: some packets wait until later ones
  show whose they are, and of some only later ones tell whether they were late or sent again;
- what the marks say of other packets (PLACES) is so: which was before, how many are missing.
"""
import collections
import pathlib
import sys

import analysis
import ws

PREFIX = "ibwire.analysis."
# {figures: the marks that count the same packets}
SUMS = {("retransmitted_packets",): ("retransmission",), ("duplicated_packets",): ("duplicate",),
        ("reordered_packets",): ("out_of_order",), ("conflicting_packets",): ("conflict", "in_read"),
        ("gap_episodes",): ("ahead",), ("timeouts",): ("timeout",), ("response_repeated", "response_late"): ("response_repeated", "response_late"), ("response_gaps",): ("response_ahead",), ("nak_sequence",): ("nak",),
        ("nak_invalid_request", "nak_remote_access", "nak_remote_operational"): ("nak_fatal",), ("rnr_nak",): ("rnr",)}
MARKS = [mark for marks in SUMS.values() for mark in marks] + ["ack_repeated"]
PLACES = ["ahead.missing", "response_ahead.of", "response_ahead.missing", "response_repeated.asked_in", "ack_repeated.before"]
COMPARED = [f"{PREFIX}{name}" for name in ("ahead", "response_ahead", "response_repeated", "ack_repeated", "captured_twice", "no_credit", "response_passed", *PLACES)] + ["ibwire.ack.credits"]  # for ws_rows
FIELDS = ["frame.number", "ibwire.stream", "ibwire.stream.dir", "ibwire.bth.psn", "ibwire.bth.opcode", "ibwire.aeth.syndrome",
          "ibwire.icrc.status", "ibwire.ack.credits", "frame.time_epoch", PREFIX + "captured_twice", PREFIX + "duplicate.of", PREFIX + "no_credit", PREFIX + "response_passed", PREFIX + "response_late.overtaken_by", *(PREFIX + name for name in (*MARKS, *PLACES))]
PASSED = "streams-qps036-read-unanswered.pcap"  # in the file of all captures other ones have packets of its connections
HEADERS_CUT = "headers-cut"
KNOWN_NAKS = range(0x61, 0x64)  # --stats has no figure of others but 0x60
ACK, READ_REQUEST, ATOMICS, HALF = 0x11, 0x0c, (0x13, 0x14), 1 << 23
TWICE_NS = 5_000_000  # of resend.c


def counted(frames):
    """{(connection, direction): packets by mark}"""
    out = collections.defaultdict(collections.Counter)
    for row in frames.values():
        out[int(row["ibwire.stream"]), row["ibwire.stream.dir"]].update(
            mark for mark in MARKS if row[PREFIX + mark] and (mark != "nak_fatal" or int(row["ibwire.aeth.syndrome"], 0) in KNOWN_NAKS)
            and (mark != "response_late" or not row[PREFIX + "response_passed"]))  # late among answers, not among responses
    return out


def sums(flows, frames, compared):
    have, said = counted(frames), collections.Counter()
    for flow in flows:
        for way, direction in analysis.WAYS.items():
            marks = have[flow["connection"], direction]
            for figures, of in SUMS.items():
                want = 0 if HEADERS_CUT in flow["doubt"] else sum(flow[way][figure] for figure in figures)
                n, name = sum(marks[mark] for mark in of), " or ".join(of)
                if HEADERS_CUT in flow["doubt"]:  # as soon as that is known
                    n = max(0, n - sum(flow[way][figure] for figure in figures))
                said[name] += want
                compared.same(name, f"connection {flow['connection']} {way}", n, want)
    return said


def single_pass(frames, once, compared):
    """{mark: packets that have it then}"""
    at_once = collections.Counter()
    for number, row in frames.items():
        for mark in MARKS:
            if once[number][PREFIX + mark]:
                at_once[mark] += 1
                compared.same("single pass", f"frame {number} {mark}", bool(row[PREFIX + mark]), True)
    return at_once


def since(psn, before):
    """PSNs from @before to @psn."""
    return psn - before & 0xffffff


def places(frames, compared):
    """What marks say of other packets, of connections whose PSNs do not begin anew."""
    ack, high = {}, {}
    for number, row in frames.items():
        where, way, psn = f"frame {number}", (row["ibwire.stream"], row["ibwire.stream.dir"]), int(row["ibwire.bth.psn"], 0)
        opcode, good, shown = int(row["ibwire.bth.opcode"], 0), row["ibwire.icrc.status"] != analysis.BAD, bool(row["ibwire.aeth.syndrome"])
        if good and opcode & 0x1f == ACK and shown and int(row["ibwire.aeth.syndrome"], 0) >> 5 == 0:
            if row[PREFIX + "ack_repeated"]:
                compared.same(PREFIX + "ack_repeated.before", where, int(row[PREFIX + "ack_repeated.before"]), ack[way][1])
            compared.same(PREFIX + "ack_repeated", where, bool(row[PREFIX + "ack_repeated"]), ack.get(way, (None,))[0] == psn)
            if way not in ack or since(psn, ack[way][0]) < HALF:
                ack[way] = psn, number
        if row[PREFIX + "ahead"]:
            missing, seen = int(row[PREFIX + "ahead.missing"]), since(psn, high[way][0])
            is_read = high[way][1] & 0x1f == READ_REQUEST  # takes more than one, maybe
            compared.same(PREFIX + "ahead.missing", where, missing, min(missing, seen - 1) if is_read else seen - 1)
        for mark in ("response_ahead.of", "response_repeated.asked_in"):
            if row[PREFIX + mark]:
                request = frames[int(row[PREFIX + mark])]
                compared.same(PREFIX + mark, where, int(request["ibwire.bth.opcode"], 0) & 0x1f in (READ_REQUEST, *ATOMICS) and
                              request["ibwire.stream.dir"] != way[1] and since(psn, int(request["ibwire.bth.psn"], 0)) < HALF, True)
        if good and (analysis.is_request(row) or opcode & 0x1f != ACK):
            key = way if analysis.is_request(row) else (*way, "responses")
            if row[PREFIX + "response_ahead"]:
                compared.same(PREFIX + "response_ahead.missing", where, int(row[PREFIX + "response_ahead.missing"]),
                              since(psn, high[key][0]) - 1)
            if key not in high or since(psn, high[key][0]) < HALF:
                high[key] = psn, opcode


# IBTA vol 1, 9.7.7.2.4: what the five bits of a credit count stand for; 31 is none
CREDITS = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
           16384, 24576, 32768]


def credits_of(frames, compared):
    """Of each ACK and response with an AETH."""
    for number, row in frames.items():
        syndrome = int(row["ibwire.aeth.syndrome"] or "0xff", 0)
        want = str(CREDITS[syndrome]) if syndrome < len(CREDITS) else ""
        compared.same("ibwire.ack.credits", f"frame {number}", row["ibwire.ack.credits"], want)
        compared.n["credits"] += bool(want)
        compared.same(PREFIX + "no_credit", f"frame {number}", bool(row[PREFIX + "no_credit"]), want == "0")
        compared.n["no credit"] += want == "0"


def twice(frames, compared):
    """Of duplicates those that come within TWICE_NS of the copy before, the last one with that PSN."""
    last = {}
    for number, row in frames.items():
        if not analysis.is_request(row) or row["ibwire.icrc.status"] == analysis.BAD:
            continue
        key = row["ibwire.stream"], row["ibwire.stream.dir"], row["ibwire.bth.psn"]
        time, before = ws.ns(row["frame.time_epoch"]), last.get(key)
        if row[PREFIX + "duplicate"] and row[PREFIX + "duplicate.of"] and before:
            compared.same(PREFIX + "captured_twice", f"frame {number}", bool(row[PREFIX + "captured_twice"]), time < before + TWICE_NS)
        elif row[PREFIX + "captured_twice"]:
            compared.same("twice, a duplicate", f"frame {number}", bool(row[PREFIX + "duplicate"]), True)
        last[key] = max(time, before or 0)


def passed(frames, compared):
    """What overtook a response that is late among answers, but not among responses."""
    for number, row in frames.items():
        if row[PREFIX + "response_passed"]:
            first = frames[int(row[PREFIX + "response_late.overtaken_by"].split(",")[0])]
            compared.same(PREFIX + "response_passed", f"frame {number}", int(first["ibwire.bth.opcode"], 0) & 0x1f, ACK)


def steady(frames, restarted):
    """Without those connections whose PSNs begin anew, or whose headers are cut."""
    return {number: row for number, row in frames.items() if int(row["ibwire.stream"]) not in restarted}


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    merged = ws.by_linktype(made, first or None)
    flows, _, _ = analysis.of_lint(lint, tshark.write_all("as-is.pcapng", merged, as_is=True))
    capture = tshark.write_all("all.pcapng", merged)
    frames, once = analysis.of_plugin(tshark, capture, FIELDS), analysis.of_plugin(tshark, capture, FIELDS, passes=1)
    compared = ws.Compared()
    said = sums(flows, frames, compared)
    passed(frames, compared)
    path = pathlib.Path(made) / PASSED
    alone = analysis.of_plugin(tshark, tshark.put(path), FIELDS)
    sums(analysis.of_lint(lint, path)[0], alone, compared)
    passed(alone, compared)
    credits_of(frames, compared)
    at_once = single_pass(frames, once, compared)
    restarted = {flow["connection"] for flow in flows if HEADERS_CUT in flow["doubt"] or any(flow[way]["psn_restarts"] for way in analysis.WAYS)}
    twice(analysis.of_one_capture(frames, ws.origins(merged)), compared)
    places(analysis.of_one_capture(steady(frames, restarted), ws.origins(merged)), compared)
    for mark in ("ahead", "response_ahead", "response_repeated"):  # the sums hold these
        compared.n[PREFIX + mark] += sum(bool(row[PREFIX + mark]) for row in frames.values())
    compared.all_of([*COMPARED, *said, "single pass", "credits", "no credit"])
    compared.faults += [f"{mark} {at_once[mark]} on a single pass" for name, n in said.items() for mark in name.split(" or ")
                        if name == mark and 2 * at_once[mark] < n]
    return ws.verdict(compared.faults, ", ".join(f"{name} {n} ({at_once[name]})" for name, n in said.items())) if all(said.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
