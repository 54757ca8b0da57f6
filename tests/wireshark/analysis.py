#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""analysis.py PLUGIN PCAP-LINT MADE [FRAMES]: streams and what is said of their packets are pcap-lint's.

tshark -2 against pcap-lint --stats --format json, of the first FRAMES frames (0: all) of every capture:

- a stream is a connection of the same number, with as many packets each way, and the first and last of them;
- its packets name the service that its CM does, in a field and in Info, and say how their sender is known;
- its packets are counted 1, 2, 3 ...; the PSN of the first request of a way is 0, and the PSNs of others count
  from there;
- of each way and counter of COUNTERS as many packets have the mark, or at most as many: a PSN that begins another connection
  is no event, and neither is a packet that is late or sent again, where only one way is captured;
- a finding that comes of an event has the marks of that event at its frame, with its frames and numbers (events.py);
- what the Info column says of a packet, its marks say; with ibwire.stream_in_info it names the stream, and else it does not.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

import events
import ws

EXPECTED = "ibwire.analysis.restart.expected"
JUMP = 1 << 20  # PSNs further away begin anew
FIELDS = ["frame.number", "ibwire.stream", "ibwire.stream.pnum", "ibwire.stream.dir", "ibwire.bth.psn",
          "ibwire.bth.psn_rel", "ibwire.bth.opcode", EXPECTED, "ibwire.icrc.status", "ibwire.conn.service", "ibwire.conn.service_id", "ibwire.conv.how"]
INFO_COLUMN = "Info"  # no field
WITH_MARKS = [*FIELDS, *events.FIELDS, "ibwire.analysis", *(f"ibwire.analysis.{mark}" for mark in sorted(events.NO_FINDING)), *events.COMPARED,
              *(f"ibwire.analysis.{mark}" for mark in sorted(events.NOTES))]
# What ws_rows asks for.
COMPARED = ["ibwire.stream", "ibwire.stream.pnum", "ibwire.stream.dir", "ibwire.bth.psn_rel", "ibwire.conn.service",
            "ibwire.conn.service_id", "ibwire.conv.how", "ibwire.analysis", "ibwire.analysis.bad_icrc", *events.COMPARED]
# Captures whose events the file of all captures lacks: there other ones have packets of their connections.
ALONE = ("streams-qps010-nak-repeated", "streams-cms014-psn-above", "streams-qps015-rnr-early", "streams-qps018-retry-count",
         "streams-qps036-read-unanswered")
# {mark: the figures of --stats that count the same packets}
COUNTERS = {"out_of_order": ("reordered_packets",), "restart": ("psn_restarts",),
            "bad_icrc": ("icrc_bad",)}
INFO = re.compile(r"\[(Retransmission|Duplicate)(?: of (\d+))?\]")
NO_NAME = re.compile(r"^(?:SDP|IPOIB|TCP|UDP|IB) (?=\d+$)")  # a port space: Info says "port 4455" of what has no name
STREAM = re.compile(r"\[stream (\d+)\]")
LINT = ["--severity", "perf", "--select", "all", "--ignore", "CAP008", "--max-per-rule", "0", "--fail-on", "never",
        "--stats", "--format", "json"]
WAYS = {"a_to_b": "0", "b_to_a": "1"}
HOW = {"cm": "2", "learnt": "3", "none": ""}  # ibwire.conv.how
BAD = "0"  # ibwire.icrc.status
# By opcode: what answers has PSNs of the other way.
REQUESTS = {service + operation for service in (0x00, 0x20, 0xa0)
            for operation in (*range(0x0d), 0x13, 0x14, 0x16, 0x17, 0x1c, 0x1d)}


def of_lint(lint, capture):
    """(flows, {connection: its service and ID}, findings)"""
    run = subprocess.run([lint, *LINT, capture], capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return ([row for row in rows if row["type"] == "flow" and row["service"] != "iWARP"],
            {row["connection"]: (row["service"], row["service_id"]) for row in rows
             if row["type"] == "cm" and row["service"]},
            [row for row in rows if row["type"] == "finding" and row.get("event") and row["frame"]])


def of_plugin(tshark, capture, fields, *options, passes=2):
    """{frame: {field: text}} of packets that are of a stream."""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, *["-2"] * (passes == 2), *options, "-Y", "ibwire.stream && ibwire.bth", "-T", "fields", "-E", "separator=/t", *args)
    rows = (dict(zip(fields, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def is_request(row):
    return int(row["ibwire.bth.opcode"], 0) in REQUESTS


def counts(mark, row):
    """Whether the figure counts the mark of a packet, too: not where only the MSN shows that the PSNs begin anew."""
    if not row[f"ibwire.analysis.{mark}"]:
        return False
    return mark != "restart" or JUMP < (int(row["ibwire.bth.psn"], 0) - int(row[EXPECTED], 0)) % (1 << 24) < (1 << 24) - JUMP


def packets_of(flow, way, rows, compared):
    """One way of a connection."""
    where, said = f"connection {flow['connection']} {way}", flow[way]
    ours = [row for row in rows if row["ibwire.stream.dir"] == WAYS[way]]
    compared.same("ibwire.stream.dir", where, len(ours), said["packets"] + said["icrc_bad"])
    for mark, figures in COUNTERS.items():
        have, count = sum(counts(mark, row) for row in ours), sum(said[figure] for figure in figures)
        is_untold = mark == "restart" or mark == "out_of_order" and "one-way" in flow["doubt"]
        compared.same(f"ibwire.analysis.{mark}", where, have, min(have, count) if is_untold else count)
    good = [row for row in ours if row["ibwire.icrc.status"] != BAD and is_request(row)]
    if good:
        first = int(good[0]["ibwire.bth.psn"], 0)
        for row in good:
            compared.same("ibwire.bth.psn_rel", f"{where} frame {row['frame.number']}", row["ibwire.bth.psn_rel"],
                          str((int(row["ibwire.bth.psn"], 0) - first) & 0xffffff))


def streams(flows, services, frames, compared):
    by_stream = collections.defaultdict(list)
    for row in frames.values():
        by_stream[int(row["ibwire.stream"])].append(row)
    for flow in flows:
        rows = by_stream.pop(flow["connection"], [])
        for way in WAYS:
            packets_of(flow, way, rows, compared)
        compared.same("ibwire.stream.pnum", f"connection {flow['connection']}",
                      [int(row["ibwire.stream.pnum"]) for row in rows], list(range(1, len(rows) + 1)))
        for row in rows:
            service, service_id = services.get(flow["connection"], ("", ""))
            compared.same("ibwire.conn.service", f"frame {row['frame.number']}", row["ibwire.conn.service"], service)
            if row["ibwire.conv.how"]:  # of one of the two ends it may not be known
                compared.same("ibwire.conv.how", f"frame {row['frame.number']}", row["ibwire.conv.how"],
                              HOW[flow["setup"]])
            if service:
                compared.same("ibwire.conn.service_id", f"frame {row['frame.number']}", row["ibwire.conn.service_id"], service_id)
            compared.same("services in Info", f"frame {row['frame.number']}",
                          f"[{NO_NAME.sub('port ', service)}]" in row[INFO_COLUMN], bool(service))
    compared.same("ibwire.stream", "all", sorted(by_stream), [])


def info(frames, compared):
    for number, row in frames.items():
        said = dict(INFO.findall(row[INFO_COLUMN]))
        for mark in ("retransmission", "duplicate"):
            of = row[f"ibwire.analysis.{mark}.of"]
            if row[f"ibwire.analysis.{mark}"]:
                compared.same("Info", f"frame {number}", said.get(mark.capitalize()), of.split(",")[0])


def stream_in_info(tshark, capture, frames, compared):
    wanted = tshark.infos(capture, "-2", "-o", "ibwire.stream_in_info:TRUE", "-Y", "ibwire.stream && ibwire.bth")
    for number, row in frames.items():
        said = STREAM.findall(wanted[number])
        compared.same("stream in Info", f"frame {number}", (said, STREAM.findall(row[INFO_COLUMN])),
                      ([row["ibwire.stream"]], []))


def of_one_capture(frames, origins):
    """Packets of connections that are of one capture: time goes on."""
    captures = collections.defaultdict(set)
    for frame, row in frames.items():
        captures[row["ibwire.stream"]].add(origins[frame - 1].split(":")[0])
    return {frame: row for frame, row in frames.items() if len(captures[row["ibwire.stream"]]) == 1}


def of_marks(tshark, lint, path, compared):
    """Of a capture by itself."""
    frames = of_plugin(tshark, tshark.put(path), WITH_MARKS)
    events.by_findings(of_lint(lint, path)[2], frames, compared)
    events.by_packets(frames, is_request, compared)


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    flows, services, found = of_lint(lint, tshark.write_all("as-is.pcapng", merged, as_is=True))
    capture = tshark.write_all("all.pcapng", merged)
    frames = of_plugin(tshark, capture, WITH_MARKS)
    for number, said in tshark.infos(capture, "-2", "-Y", "ibwire.stream && ibwire.bth").items():
        frames[number][INFO_COLUMN] = said
    compared = ws.Compared()
    streams(flows, services, frames, compared)
    events.by_findings(found, frames, compared)
    events.by_packets(of_one_capture(frames, ws.origins(merged)), is_request, compared)
    for name in ALONE:
        of_marks(tshark, lint, pathlib.Path(made) / f"{name}.pcap", compared)
    info(frames, compared)
    stream_in_info(tshark, capture, frames, compared)
    by_packets = *events.SINCE, *events.SINCE_COPY, *events.REFUSED, *events.READS
    compared.all_of([*COMPARED, "Info", *(f"{field} of packets" for field in by_packets)])
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    return ws.verdict(compared.faults, f"{len(flows)} connections, {compared.n.total()} figures ({said})") \
        if flows and found and services else 1


if __name__ == "__main__":
    sys.exit(main())
