#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""oracle_cases.py MADE: the oracle of the connections' figures against figures worked out on paper.

Tiny conversations, written below packet by packet with the figures their definitions give; some of
the conversations of pcaps/streams, as pcaps/make wrote them to MADE; and the opcodes and NAKs of real
captures as tshark counted them.
"""
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import copies  # noqa: E402
import measures  # noqa: E402
import packet as P  # noqa: E402
import pairing  # noqa: E402
import streams  # noqa: E402
import writer as W  # noqa: E402

# QPNs 0x11 and 0x12: 17 * 18 = 306, less than 2^14, so the port both ways is 0xc000 + 306. 19 * 20 = 380.
ENDS = {"A": W.End("192.0.2.1", 0x11, 1, 0xc000 + 306), "B": W.End("192.0.2.2", 0x12, 2, 0xc000 + 306),
        "C": W.End("192.0.2.1", 0x13, 1, 0xc000 + 380), "D": W.End("192.0.2.2", 0x14, 2, 0xc000 + 380),
        # the same without a port that says so
        "E": W.End("192.0.2.1", 0x21, 1, 0xc001), "F": W.End("192.0.2.2", 0x22, 2, 0xc002),
        "G": W.End("192.0.2.1", 0x23, 1, 0xc003), "H": W.End("192.0.2.2", 0x24, 2, 0xc004)}
# Two QPNs and the port: flow labels 0x132, 0xfff1e and 0x61fa, by the functions of Linux 6.12 (ib_verbs.h).
PORTS = ((0x11, 0x12, 0xc132), (0xffffff, 0xffffff, 0xff21), (0x1234, 0xabcdef, 0xe1fb))
CM = {"REQ": 0x10, "MRA": 0x11, "REJ": 0x12, "REP": 0x13, "RTU": 0x14, "DREQ": 0x15, "DREP": 0x16}
WORDS = {"ackreq": 1, "fecn": 1, "ecn": 3, "bad": True}
SERVICES = {"": P.RC, "UC": P.UC, "XRC": P.XRC}

# TIME_US A>B OPCODE PSN [LENGTH] [WORD...]: a READ_REQUEST's length is its DMALen.
# "none": counts in none.
# Of CM messages: LOCAL-ID REMOTE-ID [QPN] [MTU]. Then the connections: "a, b: service mtu setup first-last",
# and the figures of each direction that are not 0.
CASES = {
    "lost before the capture": ("""
        0 A>B WRITE_FIRST 5 1024
        1 A>B WRITE_MIDDLE 7 1024
        2 A>B WRITE_LAST 8 100 ackreq
        5 B>A ACKNOWLEDGE 6 syndrome=0x60
        50 A>B WRITE_MIDDLE 6 1024
        51 A>B WRITE_MIDDLE 7 1024
        52 A>B WRITE_LAST 8 100 ackreq
        55 B>A ACKNOWLEDGE 8
        60 A>B SEND_ONLY 9 16 ackreq
        63 B>A ACKNOWLEDGE 9""", [("11-12 RC 1024 learnt 1-10", {
            "packets": 7, "request_packets": 7, "payload_bytes": 4 * 1024 + 216,
            "gap_episodes": 1, "filled_packets": 1, "repeated_packets": 2, "repeated_bytes": 1124,
            "messages": {"send": 1, "write": 1}, "ack_time": [3000]},
            {"packets": 3, "ack_packets": 3, "nak_sequence": 1})]),
    "lost after the capture": ("""
        0 A>B SEND_ONLY 5 10 ackreq
        9 A>B SEND_ONLY 5 10 ackreq
        10 B>A ACKNOWLEDGE 5""", [("11-12 RC null learnt 1-3", {
            "packets": 2, "request_packets": 2, "payload_bytes": 20, "repeated_packets": 1, "repeated_bytes": 10,
            "messages": {"send": 1}}, {"packets": 1, "ack_packets": 1})]),
    "a READ's answer lost, asked for again from its middle": ("""
        0 A>B READ_REQUEST 5 4096
        4 B>A READ_FIRST 5 1024
        5 B>A READ_MIDDLE 7 1024
        6 B>A READ_LAST 8 1024
        10 A>B READ_REQUEST 6 3072
        14 B>A READ_MIDDLE 6 1024
        15 B>A READ_MIDDLE 7 1024
        16 B>A READ_LAST 8 1024""", [("11-12 RC 1024 learnt 1-8", {
            "packets": 2, "request_packets": 2, "repeated_packets": 1, "messages": {"read": 1},
            "read_time": [6000]},  # PSN 8 first came before anybody asked again
            {"packets": 6, "response_packets": 6, "payload_bytes": 6 * 1024, "response_gaps": 1, "response_repeated": 2,
             "response_late": 1})]),
    "a READ's answer stays away": ("""
        0 A>B READ_REQUEST 5 2048
        1 A>B READ_REQUEST 7 2048
        2 A>B READ_REQUEST 9 8
        4 B>A READ_FIRST 5 1024
        5 B>A READ_LAST 8 1024
        6 B>A READ_ONLY 9 8""", [("11-12 RC 1024 learnt 1-6", {
            "packets": 3, "request_packets": 3, "messages": {"read": 3}, "read_time": [4000, 4000]},
            {"packets": 3, "response_packets": 3, "payload_bytes": 2056, "response_gaps": 1,
             "response_missing": 2})]),  # 6 and 7; 8 is beyond 6, which was asked for
    "an answer that is not there was to a SEND, or is to the second READ that asks": ("""
        0 A>B READ_REQUEST 5 8
        1 A>B SEND_ONLY 6 8
        2 A>B READ_REQUEST 7 2048
        4 B>A READ_ONLY 5 8
        5 B>A READ_FIRST 7 1024
        6 A>B READ_REQUEST 8 1024
        9 B>A READ_LAST 8 1024
        10 A>B READ_REQUEST 9 1024
        15 B>A READ_ONLY 9 1024
        16 A>B READ_REQUEST 9 1024
        17 B>A READ_ONLY 9 1024""", [("11-12 RC 1024 learnt 1-11", {
            "packets": 6, "request_packets": 6, "payload_bytes": 8, "messages": {"read": 3, "send": 1},
            "repeated_packets": 2, "read_time": [4000, 5000]},
            {"packets": 5, "response_packets": 5, "payload_bytes": 4 * 1024 + 8, "response_repeated": 1})]),
    "the PSN wraps, within a READ too": ("""
        0 A>B SEND_ONLY 0xfffffd 4 ackreq
        2 B>A ACKNOWLEDGE 0xfffffd
        3 A>B READ_REQUEST 0xfffffe 4096
        5 B>A READ_FIRST 0xfffffe 1024
        6 B>A READ_MIDDLE 0xffffff 1024
        7 B>A READ_MIDDLE 0 1024
        8 B>A READ_LAST 1 1024
        9 A>B SEND_ONLY 2 4 ackreq
        10 A>B SEND_ONLY 4 4
        11 B>A ACKNOWLEDGE 2
        12 A>B SEND_ONLY 0xfffffd 4 ackreq""", [("11-12 RC 1024 learnt 1-11", {
            "packets": 5, "request_packets": 5, "payload_bytes": 16, "gap_episodes": 1, "psn_missing": 1,
            "repeated_packets": 1, "repeated_bytes": 4, "messages": {"send": 3, "read": 1},
            "ack_time": [2000, 2000], "read_time": [5000]},
            {"packets": 6, "ack_packets": 2, "response_packets": 4, "payload_bytes": 4096})]),
    "restarts: 2^20 + 1 beyond, 2^20 + 1 below; 2^20 is a gap": ("""
        0 A>B SEND_ONLY 5 4
        1 A>B SEND_ONLY 7 4
        2 A>B SEND_ONLY 1048585 4
        3 A>B SEND_ONLY 2097162 4
        4 A>B SEND_ONLY 2097164 4
        5 A>B SEND_ONLY 1048587 4
        6 A>B SEND_ONLY 2097162 4
        7 B>A ACKNOWLEDGE 5""", [("11-12 RC null learnt 1-8", {
            # expected 8, 1048585 is 1048577 beyond: 1. Expected 1048586, 2097162 is 2^20 beyond: a gap.
            # Expected 2097165, 1048587 is 1048578 below and not occupied: 2. 2097162 is 2^20 - 2 + 1 beyond.
            "packets": 7, "request_packets": 7, "payload_bytes": 28, "psn_restarts": 2, "gap_episodes": 4,
            "psn_missing": 1 + (2**20 + 1) + (2097162 - 1048587 - 1),
            "messages": {"send": 7}}, {"packets": 1, "ack_packets": 1})]),
    "before the first one captured": ("""
        0 A>B SEND_ONLY 100 4
        1 A>B SEND_ONLY 98 4
        2 A>B SEND_ONLY 98 4
        3 A>B SEND_ONLY 99 4
        4 A>B SEND_ONLY 95 4
        5 B>A ACKNOWLEDGE 100""", [("11-12 RC null learnt 1-6", {  # 96 and 97 are missing for nobody
            "packets": 5, "request_packets": 5, "payload_bytes": 20, "filled_packets": 3, "repeated_packets": 1,
            "repeated_bytes": 4, "messages": {"send": 4}}, {"packets": 1, "ack_packets": 1})]),
    "66 holes: the two lowest are closed, a packet in one is a repeat": ("\n".join(
        [f"{n} A>B SEND_ONLY {2 * n} 4" for n in range(67)] +
        ["70 A>B SEND_ONLY 1 4", "71 A>B SEND_ONLY 3 4", "72 A>B SEND_ONLY 5 4", "73 B>A ACKNOWLEDGE 9"]),
        [("11-12 RC null learnt 1-71", {
            "packets": 70, "request_packets": 70, "payload_bytes": 280, "gap_episodes": 66, "psn_missing": 65,
            "repeated_packets": 2, "repeated_bytes": 8, "filled_packets": 1, "messages": {"send": 68}},
            {"packets": 1, "ack_packets": 1})]),
    "a hole filled in its middle is two": ("\n".join(
        ["0 A>B SEND_ONLY 0 4", "1 A>B SEND_ONLY 4 4"] + [f"{n} A>B SEND_ONLY {2 * n} 4" for n in range(3, 66)] +
        ["70 A>B SEND_ONLY 2 4", "71 A>B SEND_ONLY 1 4", "72 A>B SEND_ONLY 3 4", "73 B>A ACKNOWLEDGE 9"]),
        [("11-12 RC null learnt 1-69", {  # 1-3, 5, 7, ... 129: 64 holes; then 1, 3, 5 ...: 65, and 1 is closed
            "packets": 68, "request_packets": 68, "payload_bytes": 272, "gap_episodes": 64,
            "psn_missing": 63 + 1, "repeated_packets": 1, "repeated_bytes": 4, "filled_packets": 2,
            "messages": {"send": 67}}, {"packets": 1, "ack_packets": 1})]),
    "a READ before the MTU is known: the next request says how far": ("""
        0 A>B READ_REQUEST 5 4000
        1 A>B SEND_ONLY 13 4
        2 A>B SEND_ONLY 14 4
        3 A>B READ_REQUEST 15 4000
        4 A>B SEND_ONLY 18 4
        5 B>A ACKNOWLEDGE 18""", [("11-12 RC null learnt 1-6", {
            # 8 = ceil(4000 / 512); 3 is none of 16, 8, 4, 2, 1, so 15 takes one and 16, 17 are missing
            "packets": 5, "request_packets": 5, "payload_bytes": 12, "gap_episodes": 1, "psn_missing": 2,
            "messages": {"send": 3, "read": 2}}, {"packets": 1, "ack_packets": 1})]),
    "... and a response ONLY, and then a FIRST": ("""
        0 A>B READ_REQUEST 5 1000
        1 A>B READ_REQUEST 6 1000
        2 B>A READ_ONLY 5 1000
        3 A>B SEND_FIRST 8 512
        4 A>B SEND_LAST 9 4 ackreq
        5 B>A READ_FIRST 6 512
        6 B>A READ_LAST 7 488
        7 B>A ACKNOWLEDGE 9""", [("11-12 RC 512 learnt 1-8", {
            "packets": 4, "request_packets": 4, "payload_bytes": 516, "messages": {"send": 1, "read": 2},
            "read_time": [2000, 5000], "ack_time": [3000]},
            {"packets": 4, "response_packets": 3, "ack_packets": 1, "payload_bytes": 2000})]),
    "... and 64 that wait": ("\n".join(
        ["0 A>B READ_REQUEST 0 1024"] + [f"{n} A>B SEND_ONLY {n + 1} 0" for n in range(1, 63)] +
        ["70 A>B READ_REQUEST 64 1024", "71 A>B SEND_ONLY 68 0", "72 A>B WRITE_FIRST 69 256",
         "73 B>A ACKNOWLEDGE 64"]), [("11-12 RC 256 learnt 1-67", {
            "packets": 66, "request_packets": 66, "payload_bytes": 256,
            # 2 = ceil(1024 / 512) when 64 wait; the second READ waits on, for 4 = ceil(1024 / 256): no gap
            "messages": {"send": 63, "read": 2}}, {"packets": 1, "ack_packets": 1})]),
    "bad ICRCs, marks, CNPs": ("""
        0 A>B SEND_ONLY 4 8 bad
        1 A>B SEND_ONLY 5 8 ecn
        2 B>A CNP 0 none
        3 A>B SEND_ONLY 6 8 bad
        3 B>A ACKNOWLEDGE 4 bad
        3 B>A ACKNOWLEDGE 4
        3 B>A CNP 0
        4 A>B SEND_ONLY 6 8 fecn ackreq
        5 A>B SEND_ONLY 7 8 fecn ecn
        6 A>B SEND_ONLY 8 8 ecn=1
        6 B>A ACKNOWLEDGE 5 bad
        7 B>A ACKNOWLEDGE 7 ecn""", [("11-12 RC null learnt 2-12", {
            "packets": 4, "request_packets": 4, "payload_bytes": 32, "icrc_bad": 1, "ce_packets": 3,
            "messages": {"send": 4}, "ack_time": [3000]},
            {"packets": 3, "ack_packets": 2, "cnp_packets": 1, "icrc_bad": 1, "ce_packets": 1})]),
    "what covers what": ("""
        0 A>B SEND_ONLY 1 8 ackreq
        1 A>B SEND_ONLY 2 8 ackreq
        2 A>B SEND_ONLY 3 8
        3 A>B SEND_ONLY 4 8 ackreq
        4 A>B READ_REQUEST 5 8
        5 A>B FETCH_ADD 6
        6 A>B WRITE_ONLY 7 8 ackreq
        7 A>B SEND_ONLY 8 8 ackreq
        10 B>A ACKNOWLEDGE 2 syndrome=0x2e
        20 B>A READ_ONLY 5 8
        30 B>A ATOMIC_ACKNOWLEDGE 6
        40 B>A ACKNOWLEDGE 8 syndrome=0x63
        50 B>A ACKNOWLEDGE 8 syndrome=0x40
        60 B>A ACKNOWLEDGE 8 syndrome=0x1f""", [("11-12 RC null learnt 1-14", {
            "packets": 8, "request_packets": 8, "payload_bytes": 48,
            "messages": {"send": 5, "write": 1, "read": 1, "atomic": 1},
            "ack_time": [10000, 17000, 19000, 34000, 53000], "read_time": [16000]},
            {"packets": 6, "ack_packets": 4, "response_packets": 2, "payload_bytes": 8,
             "rnr_nak": 1, "nak_remote_operational": 1})]),
    "UC has no answers, XRC's have no XRCETH": ("""
        0 A>B XRC:SEND_FIRST 1 1024
        1 A>B XRC:SEND_LAST 2 5 ackreq
        2 B>A XRC:ACKNOWLEDGE 2
        3 C>D UC:WRITE_FIRST 1 2048
        4 C>D UC:WRITE_LAST 3 7""", [("11-12 XRC 1024 learnt 1-3", {
            "packets": 2, "request_packets": 2, "payload_bytes": 1029, "messages": {"send": 1},
            "ack_time": [1000]}, {"packets": 1, "ack_packets": 1}),
            ("?-14 UC 2048 none 4-5", {
                "packets": 2, "request_packets": 2, "payload_bytes": 2055, "gap_episodes": 1, "psn_missing": 1,
                "messages": {"write": 1}}, {})]),
    "the CM: a QPN again, a REQ refused, a REP without REQ": ("""
        0 A>B REQ 100 0 0x11 512
        1 B>A REP 200 100 0x12
        2 A>B RTU 100 200
        3 A>B SEND_ONLY 5 4 ackreq
        4 B>A ACKNOWLEDGE 5
        5 A>B REQ 101 0 0x11 2048
        6 A>B SEND_ONLY 6 4
        7 B>A REP 201 101 0x12
        8 A>B SEND_ONLY 5 4
        9 A>B REQ 100 0 0x11 512
        10 C>D REQ 102 0 0x13 256
        11 D>C REJ 0 102
        12 H>G REP 900 800 0x24
        13 G>H SEND_ONLY 5 4 bad
        14 G>H SEND_ONLY 5 4
        15 C>D REQ 102 0 0x33 256""", [
            ("11-12 RC 512 cm 1-10", {"packets": 2, "request_packets": 2, "payload_bytes": 8,
                                      "messages": {"send": 2}, "ack_time": [1000]},
             {"packets": 1, "ack_packets": 1}),
            ("11-12 RC 2048 cm 6-9", {"packets": 1, "request_packets": 1, "payload_bytes": 4,
                                      "messages": {"send": 1}}, {}),
            ("13-? RC 256 cm 11-12", {}, {}),
            ("?-24 RC null cm 13-15", {"packets": 1, "request_packets": 1, "payload_bytes": 4,
                                       "messages": {"send": 1}}, {}),
            ("33-? RC 256 cm 16-16", {}, {})]),
    "ACKs tell two connections apart, three times": ("""
        0 E>F SEND_ONLY 0 4
        1 G>H SEND_ONLY 5 4
        2 F>E ACKNOWLEDGE 0
        3 H>G ACKNOWLEDGE 5
        4 E>F SEND_ONLY 1 4
        5 F>E ACKNOWLEDGE 1
        6 G>H SEND_ONLY 6 4
        7 H>G ACKNOWLEDGE 6
        8 F>E ACKNOWLEDGE 1
        9 H>G ACKNOWLEDGE 7 syndrome=0x60
        10 E>F SEND_ONLY 2 4
        11 F>E ACKNOWLEDGE 2""", [
            ("21-22 RC null learnt 1-12", {"packets": 3, "request_packets": 3, "payload_bytes": 12,
                                           "messages": {"send": 3}}, {"packets": 4, "ack_packets": 4}),
            ("?-24 RC null none 2-7", {"packets": 2, "request_packets": 2, "payload_bytes": 8,
                                       "messages": {"send": 2}}, {}),
            ("?-23 RC null none 4-10", {"packets": 3, "ack_packets": 3, "nak_sequence": 1}, {})]),
    "ACKs that fit two connections, or come late, tell nothing": ("""
        0 E>F SEND_ONLY 0 4
        1 G>H SEND_ONLY 0 4
        2 F>E ACKNOWLEDGE 0
        3 E>F SEND_ONLY 1 4
        4 G>H SEND_ONLY 1 4
        5 F>E ACKNOWLEDGE 1
        6 E>F SEND_ONLY 2 4
        7 G>H SEND_ONLY 2 4
        8 F>E ACKNOWLEDGE 2
        9 E>F SEND_ONLY 3 4
        10 F>E ACKNOWLEDGE 3
        11 E>F SEND_ONLY 4 4
        12 F>E ACKNOWLEDGE 4
        12 F>E ACKNOWLEDGE 4
        13 E>F SEND_ONLY 5 4
        1000014 F>E ACKNOWLEDGE 5""", [
            ("?-22 RC null none 1-15", {"packets": 6, "request_packets": 6, "payload_bytes": 24,
                                        "messages": {"send": 6}}, {}),
            ("?-24 RC null none 2-8", {"packets": 3, "request_packets": 3, "payload_bytes": 12,
                                       "messages": {"send": 3}}, {}),
            ("?-21 RC null none 3-16", {"packets": 7, "ack_packets": 7}, {})]),
}


def frame(line, framing):
    """(time in ns, bytes) of a line of a conversation."""
    time, ends, name, *words = line.split()
    src, dst = (ENDS[end] for end in ends.split(">"))
    number = [int(word, 0) for word in words if word[0].isdigit()]
    if name in CM:
        local, remote, *rest = number
        fields = {"service": "RC", **dict(zip(("qpn", "mtu"), rest))}
        data = W.frame(framing, src, dst, W.UD_SEND_ONLY, 1, 0, body=W.cm(CM[name], local, remote, **fields))
        return int(time) * 1000, data
    fields = {word: WORDS[word] for word in words if word in WORDS}
    fields.update((key, int(value, 0)) for key, value in (word.split("=") for word in words if "=" in word))
    service, _, op = name.rpartition(":")
    psn, length = (number + [0])[:2]
    opcode = P.OPCODE_CNP if op == "CNP" else SERVICES[service] << 5 | getattr(P, op)
    if op == "READ_REQUEST":
        fields["dma"], length = length, 0
    return int(time) * 1000, W.frame(framing, src, dst, opcode, dst.qpn, psn, length, **fields)


def upper_ns(value):
    """The bucket of schema 2, by search: 32 of equal width in each power of two from 64 on."""
    if value < 64:
        return value
    low = 64
    while 2 * low <= value:
        low *= 2
    return next(low + k * low // 32 - 1 for k in range(1, 33) if value < low + k * low // 32)


def times(values):
    values = sorted(values)
    uppers = [upper_ns(value) for value in values]
    def at(percent):
        return uppers[-(-percent * len(values) // 100) - 1] if values else 0
    return {"count": len(values), "p50": at(50), "p99": at(99), "max": max(values, default=0),
            "histogram": [[upper, uppers.count(upper)] for upper in sorted(set(uppers))]}


def differences(got, expected):
    """What of a direction is not as expected; what is not named has to be 0, but for what measures.py works out."""
    messages = dict.fromkeys(got["messages"], 0) | expected.get("messages", {})
    wanted = {key: 0 for key in got if key not in measures.ALL} | expected
    wanted.update(messages=messages, wire_bytes=got["wire_bytes"],
                  **{key: times(expected.get(key, ())) for key in ("ack_time", "read_time")})
    return [f"{key} {got.get(key)}, not {value}" for key, value in wanted.items() if got.get(key) != value]


def title(flow):
    a, b = (f"{flow[end]['qpn']:x}" if flow[end]["qpn"] is not None else "?" for end in "ab")
    mtu = "null" if flow["mtu"] is None else flow["mtu"]
    return f"{a}-{b} {flow['service']} {mtu} {flow['setup']} {flow['first_frame']}-{flow['last_frame']}"


def compare(name, flows, expected):
    wrong = []
    for number, (flow, (head, there, back)) in enumerate(zip(flows, expected)):
        if title(flow) != head or flow["connection"] != number:
            wrong.append(f"{name}: {title(flow)}, not {head}")
        for key, wanted in (("a_to_b", there), ("b_to_a", back)):
            wrong += [f"{name}: {head}: {key}: {what}" for what in differences(flow[key], wanted)]
    if len(flows) != len(expected):
        wrong.append(f"{name}: {len(flows)} connections, not {len(expected)}")
    return wrong


def written(framing, directory):
    """The cases in one framing. Ports are what pairs most of them: others have them not."""
    wrong = []
    for name, (text, expected) in CASES.items():
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        path = directory / "case.pcap"
        frames = [frame(line, framing) for line in lines]
        path.write_bytes(W.pcap(W.LINKTYPES[framing], frames))
        flows = streams.flows(path)
        wrong += compare(f"{name} ({framing})", flows, expected)
        wire = sum(len(data) for line, (_, data) in zip(lines, frames)
                   if line.split()[2] not in CM and not {"bad", "none"} & set(line.split()))
        if wire != sum(flow[way]["wire_bytes"] for flow in flows for way in ("a_to_b", "b_to_a")):
            wrong.append(f"{name} ({framing}): wire_bytes")
    return wrong


def send(count, size, **more):
    return {"packets": count, "request_packets": count, "payload_bytes": size, **more}


# Of pcaps/streams, in other words than there. Of two hosts with one queue pair each the first answer that fits joins both ways.
MADE = {
    "loss-nak": [
        ("11-12 RC 1024 learnt 1-10", send(7, 4 * 1024 + 216, gap_episodes=1, repeated_packets=2, repeated_bytes=1124,
                                           filled_packets=1, messages={"send": 1, "write": 1}, ack_time=[3000]),
         {"packets": 3, "ack_packets": 3, "nak_sequence": 1})],
    "loss-read": [
        ("11-12 RC 1024 learnt 1-8", send(2, 0, repeated_packets=1, messages={"read": 1}, read_time=[7000]),
         {"packets": 6, "response_packets": 6, "payload_bytes": 6144, "response_gaps": 1, "response_repeated": 2,
          "response_late": 1})],
    "psn-wrap": [
        ("11-12 RC 1024 learnt 1-11", send(8, 5 * 1024 + 36, gap_episodes=1, repeated_packets=2, repeated_bytes=1034,
                                           filled_packets=1, messages={"send": 1, "write": 1}, ack_time=[3000]),
         {"packets": 3, "ack_packets": 3, "nak_sequence": 1})],
    "read-wrap": [
        ("11-12 RC 1024 learnt 1-7", send(2, 16, messages={"send": 1, "read": 1}, ack_time=[8000], read_time=[8000]),
         {"packets": 5, "response_packets": 4, "ack_packets": 1, "payload_bytes": 4000})],
    "rnr": [
        ("11-12 RC null learnt 1-9", send(5, 320, repeated_packets=2, repeated_bytes=128, messages={"send": 3},
                                          ack_time=[4000]),
         {"packets": 4, "ack_packets": 4, "nak_sequence": 1, "rnr_nak": 1})],
    "credits": [("11-12 RC null learnt 1-7", send(3, 48, messages={"send": 3}, ack_time=[4000, 4000, 4000]),
                 {"packets": 4, "ack_packets": 4})],
    "port": [("11-12 RC null learnt 1-4", send(1, 16, messages={"send": 1}, ack_time=[6000]),
              {"packets": 1, "ack_packets": 1}),
             ("13-14 RC null learnt 2-3", send(1, 32, messages={"send": 1}, ack_time=[4000]),
              {"packets": 1, "ack_packets": 1})],
    "uc": [("11-12 UC 1024 cm 1-12", send(
        6, 1024 + 1024 + 100 + 1024 + 100 + 5, gap_episodes=1, psn_missing=1,
        messages={"send": 1, "write": 2}), send(1, 16, messages={"send": 1}))],
    "xrc": [("11-12 XRC 2048 cm 1-12", send(
        5, 64 + 2048 + 100 + 64, messages={"send": 2, "write": 1, "read": 1}, read_time=[4000],
        ack_time=[4000, 4000, 4000]), {"packets": 4, "ack_packets": 3, "response_packets": 1,
                                       "payload_bytes": 100})],
}
COUNTS = ROOT / "tests/data/stream-counts.txt"
KEYS = {"NAK_SEQ": "nak_sequence", "NAK_INV": "nak_invalid_request", "NAK_ACCESS": "nak_remote_access",
        "NAK_OP": "nak_remote_operational", "NAK_RNR": "rnr_nak", "RC_ACK": "ack_packets"}


def key_of(word):
    if word in KEYS:
        return KEYS[word]
    return "response_packets" if "READ_RESP" in word or word == "RC_ATOMIC_ACK" else "request_packets"


def counted():
    """(what is not as tshark counted it, number of captures)."""
    wrong, captures = [], 0
    for line in COUNTS.read_text().splitlines():
        if line.startswith("#"):
            continue
        name, *words = line.split()
        expected = dict.fromkeys([*KEYS.values(), "request_packets", "response_packets"], 0)
        for word, number in (word.split(":") for word in words):
            expected[key_of(word)] += int(number)
        if copies.are_told(ROOT / "pcaps" / name):
            continue  # tshark counts copies
        flows = streams.flows(ROOT / "pcaps" / name)
        captures += 1
        for key, number in expected.items():
            got = sum(flow[way][key] for flow in flows for way in ("a_to_b", "b_to_a"))
            if got != number:
                wrong.append(f"{name}: {key} {got}, tshark {number}")
    return wrong, captures


def main(made):
    wrong = []
    with tempfile.TemporaryDirectory() as directory:
        wrong += written("ipv4", pathlib.Path(directory)) + written("ipv6", pathlib.Path(directory))
    wrong += [f"port of {one:x} and {other:x}" for one, other, port in PORTS
              if pairing.qpn_port(one, other) != port]
    for name, expected in MADE.items():
        wrong += compare(name, streams.flows(made / f"streams-{name}.pcap"), expected)
    different, captures = counted()
    wrong += different
    print("\n".join(wrong) if wrong else f"{len(CASES)} cases, twice; {len(MADE)} conversations; "
          f"packets of {captures} captures as tshark counts them")
    return bool(wrong) or not captures


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
