#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""flows.py PLUGIN PCAP-LINT MADE [FRAMES]: -z ibwire,flows says of connections what pcap-lint --stats does.

Of the first FRAMES frames (0: all) of every capture but those of ERF, with -2 and in a single pass: as many lines, in the order of
their numbers, and each number of a line is the one of pcap-lint. The window's table (sharkd) has the same lines of connections with
packets, and of their numbers those that need no times, each time it is opened; with a filter (tshark) those of the connections that it
leaves; of a file without RDMA, none.
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
    flows = [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "flow" and row["service"] != "iWARP"]
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


COUNTED = list(FIGURES)[:list(FIGURES).index("CE") + 1]
HEAD_OF_TABLE = ["stream", "sender", "service", "state", *("MB" if name == "bytes" else name for name in COUNTED)]


def numbers(cells):
    return [round(float(cell) * (1e6 if name == "bytes" else 1)) for name, cell in zip(COUNTED, cells, strict=True)]


def table_of(sharkd):
    """[(connection, service, state, figures)] of the window."""
    tap = json.loads(sharkd.ask({"method": "tap", "params": {"tap0": "nstat:ibwire,connections"}}))["result"]["taps"][0]
    if [field["c"] for field in tap["fields"]] != HEAD_OF_TABLE:
        raise SystemExit(f"titles: {tap['fields']}")
    return [(row[0], row[2], row[3], numbers(row[4:])) for row in tap["tables"][0]["i"]]


def printed(tshark, capture, filter_, *options):
    """The same, as tshark prints it."""
    lines = tshark.read(capture, "-q", *options, "-z", f"ibwire,connections,{filter_}").splitlines()
    rows = ([cell.strip() for cell in line.split("|")] for line in lines[lines.index("Connections") + 1:-1])
    return [(int(row[0]), row[2], row[3], numbers(row[4:-1])) for row in rows if len(row) > 1]


def window(tshark, merged, n):
    capture = tshark.write_all("window.pcapng", merged)
    empty = tshark.write("empty.pcap", 1, [(0, 0, 60, bytes(60))])
    want = [(number, service, state, figures[:len(COUNTED)])
            for number, _, service, state, figures in of_plugin(tshark, capture, "-2")]
    busy = {number for number, _, _, figures in want if figures[COUNTED.index("packets")]}
    want = [row for row in want if row[0] in busy]  # the CM speaks of others
    some = {number for number, _, _, figures in want if figures[COUNTED.index("NAK")]}
    only = f"ibwire.stream in {{{','.join(map(str, some))}}}"
    tables = [("NAKs", printed(tshark, capture, only, "-2"), [row for row in want if row[0] in some]),
              ("in a single pass", printed(tshark, capture, only), [])]
    with tshark.sharkd_running() as sharkd:
        for what, path, rows in (("all", capture, want), ("all, again", None, want), ("no RDMA", empty, []), ("back", capture, want)):
            if path:
                sharkd.load(path)
            tables.append((what, table_of(sharkd), rows))
    for what, have, rows in tables:
        n[what] = len(have)
        have, rows = sorted(have), sorted(rows)  # they are in the order of the first packets that are seen again
        yield from (f"window, {what}: {a}, not {b}" for a, b in zip(have, rows, strict=False) if a != b)
        if len(have) != len(rows):
            yield f"window, {what}: {len(have)} lines, not {len(rows)}"


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
    del merged[ws.INFINIBAND]  # which sharkd does not know
    n = {}
    faults += window(tshark, merged, n)
    return ws.verdict(faults, f"{len(want)} lines of {len(FIGURES)} figures; in the window {n}")


if __name__ == "__main__":
    sys.exit(main())
