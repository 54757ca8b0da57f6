#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""at_borders.py MAKE PCAP-LINT EVENTS-DUMP: what is found just below a number that trackers decide by, at it, and just above.

Each case is a conversation (pcaps/README.md) with one number in it, tried at three values. What is expected follows from what
the number is for, as the comment at it says. data/borders.csv names the cases.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RMPP = ROOT / "pcaps/mad/rmpp.roce.pcap"
OPTIONS = ["--severity", "note", "--select", "all", "--max-per-rule", "0", "--fail-on", "never", "--stats",
           "--progress", "never", "--config", "none"]
HEAD = """framing roce-v2-ipv4
mtu 1024
sport pair
A 192.0.2.1 qp 0x11 psn 5
B 192.0.2.2 qp 0x12 psn 900

"""
FIRST = "A>B SEND_ONLY psn 5 len 64\nB>A ACK psn 5 @+10us\n"
LEAST = 22  # cases
FIRST_S = 1735689600
TIMEOUT = 1  # TRACK_GIVEN_UP_TIMEOUT


def rule(name, words=""):
    return lambda lines: any(one["rule"] == name and words in one["message"] for one in lines["finding"])


def in_doubt(word):
    return lambda lines: any(word in one["doubt"] for one in lines["flow"])


def in_worst(words):
    return lambda lines: words in lines["text"]


def connections(lines):
    return lines["summary"][0]["connections"]


def with_acks(requests, acks, gaps):
    """@requests, the time between them in ns, of which the first @acks have an ACK of their own right after them."""
    return "".join(f"A>B SEND_ONLY psn {5 + i} len 16 @+{gaps[i] - 1}ns\n" + f"B>A {'ACK' if i < acks else 'CNP'} " * (i < acks)
                   + f"psn {5 + i} @+1ns\n" * (i < acks) for i in range(requests))


def each_acked(n):
    return with_acks(n, n, [300] * n)


def mostly_acked(acks):
    """Of 40 requests nine tenths are 36."""
    return with_acks(40, acks, [300] * 40)


def one_a_microsecond(last_ns):
    """32 requests, 30 us and @last_ns from the first to the last one."""
    return with_acks(32, 32, [300, *[1000] * 30, last_ns])


def rnr_waited(ns):
    return (FIRST + "A>B SEND_ONLY psn 6 len 64 dropped\nB>A NAK_RNR psn 6 timer 14 @+10us\n"
            f"A>B SEND_ONLY psn 6 len 64 @+{ns}ns\nB>A ACK psn 6 @+10us\n")


def after_fatal(ns):
    """An answer takes 300 us."""
    return ("A>B SEND_ONLY psn 5 len 64\nB>A ACK psn 5 @+300us\nA>B WRITE_ONLY psn 6 len 64 dropped\nB>A NAK_ACCESS psn 6 @+300us\n"
            f"A>B SEND_ONLY psn 7 len 64 noackreq @+{ns}ns\n")


def nak_not_answered(ns):
    """An answer takes 10 ms."""
    return ("A>B SEND_ONLY psn 5 len 64\nB>A ACK psn 5 @+10ms\nA>B SEND_ONLY psn 6 len 64 dropped\nA>B SEND_ONLY psn 7 len 64 @+1us\n"
            f"B>A NAK_SEQ psn 6 @+10ms\nA>B SEND_ONLY psn 6 len 64 @+{ns}ns\nA>B SEND_ONLY psn 7 len 64 @+1us\nB>A ACK psn 7 @+10ms\n")


def ack_back(ns):
    """PSN 6 came a second time; what was acknowledged before that may be said again for 1 ms."""
    return (FIRST + "A>B SEND_ONLY psn 6 len 64 dropped\nA>B SEND_ONLY psn 6 len 64 @+2ms\nB>A ACK psn 6 @+10us\n"
            f"B>A ACK psn 5 @+{ns - 10000}ns\n")


def answered_again(ns):
    """The request was answered, and comes again so long after it."""
    return FIRST + f"A>B SEND_ONLY psn 5 len 64 @+{ns - 10000}ns\nB>A ACK psn 5 @+10us\n"


def psns_back(ahead):
    """One packet has a PSN from far away; the next one is @ahead of where the PSNs were."""
    return (FIRST + "A>B SEND_ONLY psn 0x700005 len 64\nB>A ACK psn 0x700005 @+10us\n"
            f"A>B SEND_ONLY psn {6 + ahead} len 64\nB>A ACK psn {6 + ahead} @+10us\n")


def cnp_after_nak(ns):
    return (FIRST + "A>B SEND_ONLY psn 6 len 64 lost\nA>B SEND_ONLY psn 7 len 64 dropped @+1us\nB>A NAK_SEQ psn 6 @+10us\n"
            f"B>A CNP @+{ns}ns\nA>B SEND_ONLY psn 6 len 64 @+20us\nA>B SEND_ONLY psn 7 len 64 @+1us\nB>A ACK psn 7 @+10us\n")


def cnp_before_nak(ns):
    return (FIRST + "A>B SEND_ONLY psn 6 len 64 lost\nA>B SEND_ONLY psn 7 len 64 dropped @+1us\nB>A CNP @+10us\n"
            f"B>A NAK_SEQ psn 6 @+{ns}ns\nA>B SEND_ONLY psn 6 len 64 @+20us\nA>B SEND_ONLY psn 7 len 64 @+1us\nB>A ACK psn 7 @+10us\n")


def every_third(n):
    """Of 3 * @n requests each third is in the capture."""
    return "".join(f"A>B SEND_ONLY psn {5 + 3 * i} len 64 noackreq\n" for i in range(n))


def three_gaps(n):
    """@n requests in the capture, and three times 20 are not."""
    psns = [i + 20 * min(i // 3, 3) for i in range(n)]
    return "".join(f"A>B SEND_ONLY psn {5 + psn} len 64 noackreq\n" for psn in psns)


def gap_at_the_end(ns):
    """A hole, and the capture ends so long after it."""
    return FIRST + f"A>B SEND_ONLY psn 6 len 64 lost\nA>B SEND_ONLY psn 7 len 64\nA>B SEND_ONLY psn 8 len 64 @+{ns}ns\n"


def answered_after(ns):
    """The only two of two hosts: the answer comes so long after the request."""
    return f"A>B SEND_ONLY psn 5 len 64\nB>A ACK psn 5 @+{ns}ns\n"


def reads_wait(n):
    """@n READ Requests, of which each takes four PSNs of 1024 bytes, before the first response shows the MTU."""
    return ("".join(f"A>B READ_REQUEST psn {5 + 4 * i} len 4096 @+1us\n" for i in range(n))
            + "B>A READ_RESPONSE_FIRST psn 5 @+10us\nB>A READ_RESPONSE_MIDDLE psn 6\nB>A READ_RESPONSE_MIDDLE psn 7\n"
            "B>A READ_RESPONSE_LAST psn 8 len 1024\n")


def quiet(timeouts):
    """Nothing comes for so many timeouts, then an answer does."""
    return (FIRST + "A>B SEND_ONLY psn 6 len 64 dropped\n" + "A>B SEND_ONLY psn 6 len 64 dropped @+66ms\n" * timeouts
            + "B>A ACK psn 6 @+10us\n")


def captured_twice(n):
    """Of @n packets three are there a second time, as another capture point sees them."""
    return "".join(f"A>B SEND_ONLY psn {5 + i} len 64 ttl 64 noackreq\n"
                   + f"A>B SEND_ONLY psn {5 + i} len 64 ttl 63 noackreq @+3us\n" * (i < 3) for i in range(n - 3))


def after_cnp(gaps):
    """Packets, the last 64 of them 900 ns apart; a CNP; packets with @gaps between them."""
    lines = [f"A>B SEND_ONLY psn {6 + i} len 1024 noackreq @+{gap}ns\n" for i, gap in enumerate([900] * 126 + gaps)]
    return FIRST + "".join([*lines[:126], "B>A CNP @+1ns\n", *lines[126:]])


def rate_of_64(packets):
    """A rate is one of 64 packets."""
    return after_cnp([900] * packets)


def nine_tenths(ns):
    """64 packets in so long: 63 us are nine tenths of the rate."""
    return after_cnp([1000] * 63 + [ns - 62000])


def recoveries(lines):
    return sum(flow[way]["cnp_recovery"]["count"] for flow in lines["flow"] for way in ("a_to_b", "b_to_a"))


def without_icrc(_):
    return "".join(f"A>B SEND_ONLY psn {5 + i} len 64 noackreq\n" for i in range(14))


def zero_icrcs(path, n):
    """The ICRCs of the first @n packets are 0."""
    data = bytearray(path.read_bytes())
    at = 24
    for _ in range(n):
        length, = struct.unpack_from("<I", data, at + 8)
        at += 16 + length
        data[at - 4:at] = bytes(4)
    path.write_bytes(data)


def begun_transfer(ns):
    """The first segment of a table, and so much later a packet of another kind."""
    frames, data, at = [], RMPP.read_bytes(), 24
    while at < len(data):
        length, = struct.unpack_from("<I", data, at + 8)
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    first = next(frame for frame in frames if frame[107:109] == b"\1\3")  # RMPP: DATA, active and first
    other = next(frame for frame in frames if frame[107:109] == b"\0\0")
    times = ((FIRST_S, 0), (FIRST_S + ns // 10**9, ns % 10**9))
    return data[:24] + b"".join(struct.pack("<IIII", *time, len(frame), len(frame)) + frame for time, frame in zip(times, (first, other)))


def given_up(dump, path):
    """Whether a transfer was given up before the capture ended."""
    events = [json.loads(line) for line in subprocess.run([dump, path], capture_output=True, text=True, check=True).stdout.splitlines()]
    return any(one.get("event") == "transfer-given-up" and one["why"] == TIMEOUT for one in events)


def sampled(lines):
    """Of each 9, 10, 11... and of 60 PSNs more."""
    requests = [flow["a_to_b"]["request_packets"] for flow in lines["flow"]]
    return rule("CAP018", f"60 of {60 + sum(requests)} PSNs of 1 direction")(lines)


# (conversation, what is looked for, value just below, at the number, just above, what each gives)
CASES = [
    (each_acked, rule("QPS023"), (31, 32, 33), (False, True, True)),
    (mostly_acked, rule("QPS023"), (35, 36, 37), (False, True, True)),
    (one_a_microsecond, rule("QPS023"), (1999, 2000, 2001), (True, False, False)),
    (rnr_waited, rule("QPS015"), (19999, 20000, 20001), (False, False, True)),
    (after_fatal, rule("QPS013"), (1199999, 1200000, 1200001), (False, False, True)),
    (nak_not_answered, rule("QPS011"), (79999999, 80000000, 80000001), (False, True, True)),
    (ack_back, rule("QPS020"), (999999, 1000000, 1000001), (False, False, True)),
    (answered_again, rule("QPS017"), (9999999, 10000000, 10000001), (False, True, True)),
    (psns_back, rule("QPS005", "0x700006 was expected"), (63, 64, 65), (False, True, True)),
    (cnp_after_nak, rule("CNG003"), (9999, 10000, 10001), (False, False, True)),
    (cnp_before_nak, rule("CNG003"), (9999, 10000, 10001), (False, False, True)),
    (every_third, rule("CAP018", " PSNs of 1 direction are not in the capture"), (9, 10, 11), (False, True, True)),
    (three_gaps, sampled, (11, 12, 13), (True, True, False)),
    (gap_at_the_end, rule("QPS002", "never retransmitted"), (999999999, 1000000000, 1000000001), (False, True, True)),
    (answered_after, connections, (999999999, 1000000000, 1000000001), (1, 1, 2)),
    (reads_wait, in_doubt("mtu"), (63, 64, 65), (False, True, True)),
    (quiet, in_worst("nothing at all from 192.0.2.2 for"), (1, 2, 3), (False, True, True)),
    (captured_twice, in_doubt("captured-twice"), (11, 12, 13), (True, True, False)),
    (captured_twice, in_doubt("captured-twice"), (9, 10, 11), (False, True, True)),
    (rate_of_64, recoveries, (63, 64, 65), (0, 1, 1)),
    (nine_tenths, recoveries, (62999, 63000, 63001), (1, 1, 0)),
    (without_icrc, rule("CRC007"), (10, 11, 12), (False, True, True)),
]


def lines_of(lint, path):
    lines = {kind: [] for kind in ("finding", "flow", "summary")}
    for line in subprocess.run([lint, "--format", "json", *OPTIONS, path], capture_output=True, text=True, check=True).stdout.splitlines():
        one = json.loads(line)
        lines.setdefault(one["type"], []).append(one)
    lines["text"] = subprocess.run([lint, *OPTIONS, path], capture_output=True, text=True, check=True).stdout
    return lines


def conversations(make, lint, tmp):
    for conversation, _, values, _ in CASES:
        for value in values:
            head = HEAD.replace("sport pair\n", "") if conversation is answered_after else HEAD  # no port says what belongs together
            (tmp / f"{conversation.__name__}-{value}.txt").write_text(head + conversation(value))
    subprocess.run([make, "-s", tmp, tmp], check=True)
    for conversation, found, values, wanted in CASES:
        for value, want in zip(values, wanted):
            path = tmp / f"streams-{conversation.__name__}-{value}.pcap"
            if conversation is without_icrc:
                zero_icrcs(path, value)
            got = found(lines_of(lint, path))
            if got != want:
                yield f"{conversation.__name__}({value}): {got}, wanted {want}"


def transfers(dump, tmp):
    path = tmp / "transfer.pcap"
    for ns, want in ((40 * 10**9 - 1, False), (40 * 10**9, False), (40 * 10**9 + 1, True)):
        path.write_bytes(begun_transfer(ns))
        if given_up(dump, path) != want:
            yield f"a transfer that stands still for {ns} ns: given up {not want}, wanted {want}"


def main(make, lint, dump):
    with tempfile.TemporaryDirectory() as tmp:
        faults = [*conversations(make, lint, pathlib.Path(tmp)), *transfers(dump, pathlib.Path(tmp))]
    print("\n".join([*faults, f"{len(CASES) + 1} numbers, {len(faults)} faults"]))
    return bool(faults) or len(CASES) < LEAST


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
