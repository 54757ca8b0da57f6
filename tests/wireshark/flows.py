#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""flows.py PLUGIN PCAP-LINT MADE [FRAMES]: -z ibwire,flows says of connections what pcap-lint --stats does.

Of the first FRAMES frames (0: all) of every capture but those of ERF, with -2 and in a single pass: as many lines, in the order of
their numbers, and each number of a line is the one of pcap-lint. The window's table (sharkd) has the same lines of connections with
packets, and of their numbers those that need no histograms, with the first packet's time and the time that the first answer to the
sender's requests took, each time it is opened; with a filter (tshark) those of the connections that it leaves; of a file without RDMA, none.
"""
import json
import re
import subprocess
import sys

import ws

LINT = ["--ignore", "all", "--stats", "--format", "json"]
NAKS = ("nak_sequence", "nak_invalid_request", "nak_remote_access", "nak_remote_operational")


def percentile(name):
    """A bucket of a histogram ends after its largest value. iWARP has none."""
    return lambda way: min(way["ack_time"][name], way["ack_time"]["max"]) if way["ack_time"] else 0


# {title: what a way of pcap-lint's has}; thousandths have a point
FIGURES = {"packets": lambda way: way["packets"], "bytes": lambda way: way["wire_bytes"],
           "missing": lambda way: way["psn_missing"], "resent": lambda way: way["retransmitted_packets"],
           "NAK": lambda way: sum(way[name] or 0 for name in NAKS), "RNR": lambda way: way["rnr_nak"],
           "timeouts": lambda way: way["timeouts"], "CE": lambda way: way["ce_packets"],
           "CE %": lambda way: (way["ce_per_million"] or 0) // 10, "CNP": lambda way: way["cnp_about"], "RTT p50 us": percentile("p50"),
           "RTT p99 us": percentile("p99"), "kbit/s": lambda way: way["wire_rate"],
           "good kbit/s": lambda way: way["goodput"]}
# Where there are connections of iWARP, those of all connections after the others
WITH_IWARP = {"messages": lambda way: sum(way["messages"].values()), "payload": lambda way: way["payload_bytes"],
              "late": lambda way: way["reordered_packets"], "doubled": lambda way: way["duplicated_packets"],
              "FPDUs": lambda way: way.get("fpdus"), "bad FPDUs": lambda way: way.get("crc_bad"), "stall us": lambda way: way.get("stall")}
IWARP = "iWARP"
HEAD = ["stream", "sender", "state", *FIGURES]
ENDS = re.compile(r"^ *\d+ [ab] (.{48})", re.M)


def of_lint(lint, capture):
    """[(connection, way, service, state, figures)]; what has no meaning for a connection is 0."""
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    flows = [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "flow"]
    titles = {**FIGURES, **(WITH_IWARP if any(flow["service"] == IWARP for flow in flows) else {})}
    return [(flow["connection"], way, flow["service"], flow["state"],
             [figure(flow[key]) or 0 for figure in titles.values()])
            for flow in sorted(flows, key=lambda flow: flow["connection"])
            for way, key in (("a", "a_to_b"), ("b", "b_to_a"))]


def of_text(text):
    """The same, as -z ibwire,flows prints it: columns of iWARP only where there is any."""
    lines = text.splitlines()
    at = lines.index("=== RDMA connections ===") + 1
    rows = [(line[:76].split(), line[76:].split()) for line in filter(None, lines[at + 1:])]
    head = HEAD + (list(WITH_IWARP) if any(words[-2] == IWARP for words, _ in rows) else [])
    if lines[at].split() != " ".join(head).split():
        raise SystemExit(f"titles: {lines[at]}")
    return [(int(words[0]), words[1], words[-2], words[-1],
             [0 if text == "-" else int(text.replace(".", "")) for text in figures]) for words, figures in rows]


def of_plugin(tshark, capture, *options):
    return of_text(tshark.read(capture, "-q", "-z", "ibwire,flows", *options))


COUNTED = list(FIGURES)[:list(FIGURES).index("CE") + 1]
TIMED = {"first s": 10**6, "RTT us": 1000, "Mbit/s": 1000, "good Mbit/s": 1000}  # how many are 1
HEAD_OF_TABLE = ["stream", "sender", "peer", "service", "state", *("MB" if name == "bytes" else name for name in COUNTED), *TIMED]
BAD = "0"  # ibwire.icrc.status
ANSWERS = "ibwire.ack.ack_rtt", "ibwire.read.time", "ibwire.atomic.time"
LINKS = ["ibwire.stream", "ibwire.stream.dir", "frame.time_relative", "ibwire.aeth.syndrome", "ibwire.icrc.status", *ANSWERS]


def numbers(cells):
    counted = [round(float(cell) * (1e6 if name == "bytes" else 1)) for name, cell in zip(COUNTED, cells, strict=False)]
    return counted + [round(float(cell) * unit) for cell, unit in zip(cells[len(COUNTED):], TIMED.values(), strict=True)]


def times_of(tshark, capture):
    """{(connection, way): (its first packet, in us; how long the first answer to its requests took)}"""
    first, took = {}, {}
    args = [arg for field in LINKS for arg in ("-e", field)]
    for line in tshark.read(capture, "-2", "-Y", "ibwire.stream && ibwire.bth", "-T", "fields", "-E", "separator=/t", *args).splitlines():
        stream, way, time, syndrome, icrc, *answers = line.split("\t")
        key, back = ((int(stream), name) for name in ("ab" if way == "0" else "ba"))
        if icrc != BAD:
            first[key] = min(first.get(key, 1 << 62), round(float(time) * 1e6))
        if any(answers) and (not syndrome or int(syndrome, 0) >> 5 == 0):
            took.setdefault(back, ws.ns("".join(answers)))
    return {key: (first.get(key, 0), took.get(key, 0)) for key in {*first, *took}}


def began(tshark, capture, lint):
    """{connection of iWARP: the time of its first frame, in us}"""
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    flows = [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "flow" and row["service"] == IWARP]
    text = tshark.read(capture, "-T", "fields", "-e", "frame.time_relative")
    times = [round(float(line) * 1e6) for line in text.splitlines()]
    return {flow["connection"]: times[flow["first_frame"] - 1] for flow in flows}


def table_of(sharkd):
    """[(connection, service, state, figures)] of the window."""
    tap = json.loads(sharkd.ask({"method": "tap", "params": {"tap0": "nstat:ibwire,connections"}}))["result"]["taps"][0]
    if [field["c"] for field in tap["fields"]] != HEAD_OF_TABLE:
        raise SystemExit(f"titles: {tap['fields']}")
    return [(row[0], *row[1:5], numbers(row[5:])) for row in tap["tables"][0]["i"]]


def printed(tshark, capture, filter_, *options):
    """The same, as tshark prints it."""
    lines = tshark.read(capture, "-q", *options, "-z", f"ibwire,connections,{filter_}").splitlines()
    rows = ([cell.strip() for cell in line.split("|")] for line in lines[lines.index("Connections") + 1:-1])
    return [(int(row[0]), *row[1:5], numbers(row[5:-1])) for row in rows if len(row) > 1]


def wanted(tshark, capture, lint):
    """All lines of the window, as far as -z ibwire,flows and the packets say; of iWARP only when the connection began."""
    times, rates = times_of(tshark, capture), [list(FIGURES).index(name) for name in ("kbit/s", "good kbit/s")]
    since = began(tshark, capture, lint)
    ends = [end.strip() for end in ENDS.findall(tshark.read(capture, "-q", "-z", "ibwire,flows", "-2"))]
    for i, (number, way, service, state, figures) in enumerate(of_plugin(tshark, capture, "-2")):
        first, took = (since[number], 0) if service == IWARP else times.get((number, way), (0, 0))
        yield (number, ends[i], ends[i ^ 1], service, state,
               figures[:len(COUNTED)] + [first, took] + [round(figures[at] / 1000) for at in rates])


def is_same(have, want):
    """But for how the last digit of a time or a rate was rounded."""
    n = len(COUNTED)
    return have[:-1] == want[:-1] and have[-1][:n] == want[-1][:n] and \
        all(abs(a - b) <= 1 for a, b in zip(have[-1][n:], want[-1][n:], strict=True))


def window(tshark, merged, n, lint):
    capture = tshark.write_all("window.pcapng", merged)
    empty = tshark.write("empty.pcap", 1, [(0, 0, 60, bytes(60))])
    of_window = [*wanted(tshark, capture, lint)]
    busy = {row[0] for row in of_window if row[-1][COUNTED.index("packets")]}  # the CM speaks of others
    want = [row for row in of_window if row[0] in busy]
    if not any(row[-1][-1] for row in want if row[3] == IWARP):
        yield "no connection of iWARP has a rate"
    some = {row[0] for row in want if row[-1][COUNTED.index("NAK")]}
    iwarp = {row[0] for row in want if row[3] == IWARP}
    only = f"ibwire.stream in {{{','.join(map(str, some))}}}"
    tables = [("NAKs", printed(tshark, capture, only, "-2"), [row for row in want if row[0] in some]),
              ("iWARP", printed(tshark, capture, f"ibwire.stream >= {min(iwarp)}", "-2"), [row for row in want if row[0] in iwarp]),
              ("in a single pass", printed(tshark, capture, only), [])]
    with tshark.sharkd_running() as sharkd:
        for what, path, rows in (("all", capture, want), ("all, again", None, want), ("no RDMA", empty, []), ("back", capture, want)):
            if path:
                sharkd.load(path)
            tables.append((what, table_of(sharkd), rows))
    for what, have, rows in tables:
        n[what] = len(have)
        have, rows = sorted(have), sorted(rows)  # they are in the order of the first packets that are seen again
        yield from (f"window, {what}: {a}, not {b}" for a, b in zip(have, rows, strict=False) if not is_same(a, b))
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
    titles = [*FIGURES, *WITH_IWARP]
    set_ = [sum(1 for row in want if row[4][i]) for i in range(len(titles))]
    faults += [f"{title}: never more than 0" for title, n in zip(titles, set_, strict=True) if not n]
    del merged[ws.INFINIBAND]  # which sharkd does not know
    n = {}
    faults += window(tshark, merged, n, lint)
    return ws.verdict(faults, f"{len(want)} lines of {len(titles)} figures; in the window {n}")


if __name__ == "__main__":
    sys.exit(main())
