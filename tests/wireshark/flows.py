#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""flows.py PLUGIN PCAP-LINT MADE [FRAMES]: -z ibwire,flows says of connections what pcap-lint --stats does.

Of the first FRAMES frames (0: all) of every capture but those of ERF, with -2 and in a single pass: as many lines, in the order of
their numbers, and each number of a line is the one of pcap-lint.
"""
import json
import subprocess
import sys

import ws

LINT = ["--ignore", "all", "--stats", "--format", "json"]
NAKS = ("nak_sequence", "nak_invalid_request", "nak_remote_access", "nak_remote_operational")


def percentile(name):
    """A bucket of a histogram ends after its largest value."""
    return lambda way: min(way["ack_time"][name], way["ack_time"]["max"])


# {title: what a way of pcap-lint's has}; thousandths have a point
FIGURES = {"packets": lambda way: way["packets"], "bytes": lambda way: way["wire_bytes"],
           "missing": lambda way: way["psn_missing"], "resent": lambda way: way["retransmitted_packets"],
           "NAK": lambda way: sum(way[name] for name in NAKS), "RNR": lambda way: way["rnr_nak"],
           "timeouts": lambda way: way["timeouts"], "CE": lambda way: way["ce_packets"],
           "CE %": lambda way: way["ce_per_million"] // 10, "CNP": lambda way: way["cnp_about"], "RTT p50 us": percentile("p50"),
           "RTT p99 us": percentile("p99"), "kbit/s": lambda way: way["wire_rate"],
           "good kbit/s": lambda way: way["goodput"]}
HEAD = ["stream", "sender", "state", *FIGURES]


def of_lint(lint, capture):
    """[(connection, way, service, state, figures)]"""
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    flows = [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "flow"]
    return [(flow["connection"], way, flow["service"], flow["state"],
             [figure(flow[key]) for figure in FIGURES.values()])
            for flow in sorted(flows, key=lambda flow: flow["connection"])
            for way, key in (("a", "a_to_b"), ("b", "b_to_a"))]


def of_plugin(tshark, capture, *options):
    """The same."""
    lines = tshark.read(capture, "-q", "-z", "ibwire,flows", *options).splitlines()
    at = lines.index("=== RDMA connections ===") + 1
    if lines[at].split() != " ".join(HEAD).split():
        raise SystemExit(f"titles: {lines[at]}")
    out = []
    for line in filter(None, lines[at + 1:]):
        head, figures = line[:75].split(), line[75:].split()
        out.append((int(head[0]), head[1], head[-2], head[-1],
                    [0 if text == "-" else int(text.replace(".", "")) for text in figures]))
    return out


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    del merged[ws.ERF]  # a record says how long its packet was, too: Wireshark takes that
    want = of_lint(lint, tshark.write_all("as-is.pcapng", merged, as_is=True))
    capture, faults = tshark.write_all("all.pcapng", merged), []
    for options in ([], ["-2"]):
        have = of_plugin(tshark, capture, *options)
        faults += [f"{options}: {len(have)} lines, not {len(want)}" for _ in range(len(have) != len(want))]
        faults += [f"{options}: {a}, not {b}" for a, b in zip(have, want, strict=False) if a != b]
    set_ = [sum(1 for row in want if row[4][i]) for i in range(len(FIGURES))]
    faults += [f"{title}: never more than 0" for title, n in zip(FIGURES, set_, strict=True) if not n]
    return ws.verdict(faults, f"{len(want)} lines of {len(FIGURES)} figures")


if __name__ == "__main__":
    sys.exit(main())
