#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""inflight.py PLUGIN PCAP-LINT MADE [FRAMES]: what is in flight with each request is what the bytes and pcap-lint say.

tshark -2 of the first FRAMES frames (0: all) of every capture:

- of each request the packets, bytes and READs in flight with it are those that tests/oracles work out from the
  definition of "open", from nothing but the bytes;
- of each direction the most packets are open_max of pcap-lint --interval, and the most of each that a later answer
  lowers is the max of in_flight_packets, in_flight_bytes and reads_open;
- READs and atomics name what REQ and REP agree on: the less of one's initiator depth and the other's responder
  resources, by the CM's fields in the same capture; those with which as many are in flight are marked;
- on a single pass a request has what it has with -2, if it has it by then.
"""
import collections
import json
import pathlib
import subprocess
import sys

import ws

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import measures as M  # noqa: E402
import packet as P  # noqa: E402
import streams  # noqa: E402

WHAT = ("packets", "bytes", "reads")
SAMPLES = {"packets": "in_flight_packets", "bytes": "in_flight_bytes", "reads": "reads_open"}
FIELDS = ["frame.number", "ibwire.stream", "ibwire.stream.dir", "ibwire.bth.opcode",
          "ibwire.analysis.packets_in_flight", "ibwire.analysis.bytes_in_flight", "ibwire.analysis.reads_in_flight",
          "ibwire.analysis.read_depth", "ibwire.conn.req_in",
          "ibwire.conn.rep_in", "ibwire.analysis.reads_full", "ibwire.analysis.over_depth.reads_in_flight", "ibwire.analysis.over_depth.depth"]
DEPTHS = ["frame.number", "ibwire.cm_req.resp_res", "ibwire.cm_req.init_depth", "ibwire.cm_rep.resp_res",
          "ibwire.cm_rep.init_depth"]
COMPARED = [*FIELDS[4:7], "ibwire.analysis.read_depth", "ibwire.analysis.reads_full"]  # what ws_rows asks for
CONDITION = "ibwire.stream && ibwire.bth"
LINT = ["--ignore", "all", "--stats", "--interval", "auto", "--format", "json"]
WAYS = {"0": "a_to_b", "1": "b_to_a"}
READ, WAITING = 0x0c, {0x0c, 0x13, 0x14}  # READ Request; with atomics
UC = 0x20
COUNTED = ("packets", "payload_bytes", "request_packets", "response_packets", "ack_packets", "repeated_packets",
           "filled_packets", "psn_restarts")
NEEDED = (*SAMPLES.values(), "open_max", *COMPARED, "over depth", "single pass", "full")


class Oracle(M.Way):
    """Of one direction: notes what is open after each request."""
    noted = {}

    def request(self, packet):
        super().request(packet)
        opened = self.opened()
        self.noted[packet.frame] = {"packets": len(opened), "bytes": sum(r.payload for r in opened),
                                    "reads": sum(r.op in P.ATOMICS | {P.READ_REQUEST} for r in opened)}


def oracle(capture, flows):
    """
    {frame of a request: what is in flight with it}, and the connections that have the packets of those of @flows: in
    a file of many captures one address is many hosts', and not all connections are told apart alike.
    """
    M.Way, theirs = Oracle, {flow["first_frame"]: flow for flow in flows}
    same = {str(ours["connection"]) for flow in streams.flows(pathlib.Path(capture))
            for ours in [theirs.get(flow["first_frame"])]
            if ours and all(ours[way][name] == flow[way][name] for way in WAYS.values() for name in COUNTED)}
    return Oracle.noted, same


def rows_of(tshark, capture, condition, fields, *options):
    """{frame: {field: text}}"""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, *options, "-Y", condition, "-T", "fields", "-E", "separator=/t", *args)
    rows = (dict(zip(fields, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def number(row, what):
    """None: it has none."""
    text = row[f"ibwire.analysis.{what}_in_flight"]
    return int(text) if text else None


def operation(row):
    return int(row["ibwire.bth.opcode"], 0) & 0x1f


def by_bytes(rows, noted, same, compared):
    for frame, row in rows.items():
        if row["ibwire.stream"] not in same:
            compared.n["of no connection of the oracle"] += 1
        elif int(row["ibwire.bth.opcode"], 0) & 0xe0 == UC:
            compared.same("UC", f"frame {frame}", [number(row, what) for what in WHAT], [None] * 3)
        for what in WHAT if row["ibwire.stream"] in same and int(row["ibwire.bth.opcode"], 0) & 0xe0 != UC else ():
            want = noted.get(frame, {}).get(what)
            if what == "bytes" and operation(row) == READ:
                want = None
            compared.same(f"ibwire.analysis.{what}_in_flight", f"frame {frame}", number(row, what), want)


def is_lowered(values, packets, flow):
    """Whether an answer came while most was in flight; @packets: of the frames that @values are of."""
    return values[-1] < max(values) or flow["requests_open"] < packets[-1]


def by_lint(rows, said, compared):
    ways, most = collections.defaultdict(list), collections.Counter()
    for row in rows.values():
        if number(row, "packets") is not None:
            ways[int(row["ibwire.stream"]), WAYS[row["ibwire.stream.dir"]]].append(row)
    for line in said:
        for way in WAYS.values() if line["type"] == "timeline" and line["connection"] is not None else ():
            most[line["connection"], way] = max(line[way]["open_max"], default=0)
    for flow in (line for line in said if line["type"] == "flow" and line["service"] != "iWARP"):
        for way in WAYS.values():
            key = flow["connection"], way
            compared.same("open_max", key, max((number(row, "packets") for row in ways[key]), default=0), most[key])
            for what, samples in SAMPLES.items():
                having = [row for row in ways[key] if number(row, what) is not None]
                values, packets = ([number(row, of) for row in having] for of in (what, "packets"))
                limit = flow[way][samples]["max"]
                if values and not flow[way]["psn_restarts"] and is_lowered(values, packets, flow[way]):
                    compared.same(samples, key, max(values), limit)
                else:
                    compared.same(f"{samples} at most", key, max(values, default=0) >= limit, True)


def by_cm(rows, messages, compared):
    """What REQ and REP say, each as often as it was sent."""
    def value(frame, name):
        return int(messages[int(frame)][f"ibwire.{name}"].split(",")[0])
    for frame, row in rows.items():
        over = row["ibwire.analysis.over_depth.reads_in_flight"]
        if over:
            have = row["ibwire.analysis.read_depth"], row["ibwire.analysis.reads_in_flight"]
            compared.same("over depth", f"frame {frame}", have, (row["ibwire.analysis.over_depth.depth"], over))
        depth, reads = (row[f"ibwire.analysis.{name}"] for name in ("read_depth", "reads_in_flight"))
        compared.same("ibwire.analysis.reads_full" if depth else "no depth, full", f"frame {frame}",
                      bool(row["ibwire.analysis.reads_full"]), bool(depth and reads) and int(reads) >= int(depth))
        compared.n["full"] += bool(row["ibwire.analysis.reads_full"])
        req, rep = row["ibwire.conn.req_in"], row["ibwire.conn.rep_in"]
        if operation(row) not in WAITING or int(row["ibwire.bth.opcode"], 0) & 0xe0 == UC:
            compared.same("no depth", f"frame {frame}", row["ibwire.analysis.read_depth"], "")
        elif req and rep:
            to, back = ("cm_req", "cm_rep") if row["ibwire.stream.dir"] == "0" else ("cm_rep", "cm_req")
            asks, gives = (value(req if of == "cm_req" else rep, f"{of}.{name}")
                           for of, name in ((to, "init_depth"), (back, "resp_res")))
            compared.same("ibwire.analysis.read_depth", f"frame {frame}", row["ibwire.analysis.read_depth"], str(min(asks, gives)))


def single_pass(once, rows, compared):
    for frame, row in once.items():
        for what in WHAT:
            have, want = number(row, what), number(rows[frame], what)
            if have is None:
                compared.n["not yet known"] += want is not None
            else:
                compared.same("single pass", f"frame {frame} {what}", have, want)


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    as_is, capture = tshark.write_all("as-is.pcapng", merged, as_is=True), tshark.write_all("all.pcapng", merged)
    run = subprocess.run([lint, *LINT, as_is], capture_output=True, text=True, check=False)
    said, compared = [json.loads(line) for line in run.stdout.splitlines()], ws.Compared()
    rows = rows_of(tshark, capture, CONDITION, FIELDS, "-2")
    by_bytes(rows, *oracle(as_is, [line for line in said if line["type"] == "flow" and line["service"] != "iWARP"]), compared)
    by_lint(rows, said, compared)
    by_cm(rows, rows_of(tshark, capture, "ibwire.cm_req || ibwire.cm_rep", DEPTHS), compared)
    single_pass(rows_of(tshark, capture, CONDITION, FIELDS), rows, compared)
    compared.same("few not compared", "oracle", 3 * compared.n["of no connection of the oracle"] < len(rows), True)
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    return ws.verdict(compared.faults, f"{compared.n.total()} figures ({said})") if all(compared.n[kind] for kind in NEEDED) else 1


if __name__ == "__main__":
    sys.exit(main())
