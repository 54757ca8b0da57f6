#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""links.py PLUGIN PCAP-LINT MADE [FRAMES]: packets that answer and those they answer have each other's number.

tshark -2 of the first FRAMES frames (0: all) of every capture:

- an ACK names one of the requests that name it, the last in order of PSNs, and how many do;
- each response names its READ Request or atomic, which names the first and the last of them;
- times are those between the two frames;
- of each way of a connection, of one capture, without repeated PSNs and timeouts, as many requests that ask for an
  ACK, and as many READs, have been answered as pcap-lint --stats has times of, and the longest time is the same;
- of each class and attribute as many MADs have a response, and as many are retries, as pcap-lint --stats counts, and
  the longest time is the same;
- of each conversation of the CM as many messages of each kind name the others as pcap-lint --stats counts, and so
  do the packets of each connection that it knows by the CM, and of no other;
- on a single pass answers have what they have with -2, but for a few whose connection was not known yet, and requests
  name nothing.
"""
import collections
import json
import subprocess
import sys

import ws

BACK = {"ack.acks_in": "ack.acked_in", "read.request_in": "read.response_last_in",
        "atomic.request_in": "atomic.response_in"}
TIMES = {"ack.acks_in": "ack.ack_rtt", "read.request_in": "read.time", "atomic.request_in": "atomic.time"}
FIELDS = ["frame.number", "frame.time_epoch", "ibwire.stream", "ibwire.stream.dir", "ibwire.bth.ackreq",
          "ibwire.bth.psn", "ibwire.bth.opcode",
          *(f"ibwire.{name}" for pair in (BACK.items(), TIMES.items()) for row in pair for name in row),
          "ibwire.ack.acked", "ibwire.read.response_first_in", "ibwire.analysis.timeout"]
MADS = ["frame.number", "frame.time_epoch", "ibwire.mad.mgmt_class", "ibwire.mad.attr_id", "ibwire.mad.request_in",
        "ibwire.mad.response_in", "ibwire.mad.time", "ibwire.mad.retry_of"]
CM = ("req", "rep", "rtu", "rej", "dreq", "drep")
CONN = ["frame.number", "ibwire.stream", "ibwire.mad.attr_id", *(f"ibwire.conn.{name}_in" for name in CM)]
LINT = ["--ignore", "all", "--stats", "--format", "json"]
ATTRIBUTES = {0x10: "req", 0x12: "rej", 0x13: "rep", 0x14: "rtu", 0x15: "dreq", 0x16: "drep"}
LAST_RESPONSES = {0x0f, 0x10}
ANSWERS = {*range(0x0d, 0x13)}
FLUSH = 0x1c
WAYS = {"0": "a_to_b", "1": "b_to_a"}


def rows_of(tshark, capture, condition, fields, *options):
    """{frame: {field: text}}"""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, *options, "-Y", condition, "-T", "fields", "-E", "separator=/t", *args)
    rows = (dict(zip(fields, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def ns(text):
    seconds, _, part = text.partition(".")
    return int(seconds) * 10**9 + int(part.ljust(9, "0"))


def took(rows, request, answer):
    return ns(rows[answer]["frame.time_epoch"]) - ns(rows[request]["frame.time_epoch"])


class Compared:
    def __init__(self):
        self.n, self.faults = collections.Counter(), []

    def same(self, kind, where, have, want):
        self.n[kind] += 1
        if have != want:
            self.faults.append(f"{where}: {kind}: {have}, not {want}")


def both_ways(rows, alone, compared):
    of = {forward: collections.defaultdict(list) for forward in BACK}
    for number, row in rows.items():
        for forward, back in BACK.items():
            if row[f"ibwire.{back}"]:
                of[forward][int(row[f"ibwire.{back}"])].append(number)
    for number, row in rows.items():
        for forward, back in BACK.items():
            other = row[f"ibwire.{forward}"]
            if not other:
                continue
            request = int(other)
            where, time = f"frame {number}", row[f"ibwire.{TIMES[forward]}"]
            if time:
                compared.same(TIMES[forward], where, ns(time), took(rows, request, number))
            if forward == "ack.acks_in":
                compared.same(forward, where, request in of[forward][number], True)
                if row["ibwire.stream"] in alone:
                    compared.same("ack.acked", where, row["ibwire.ack.acked"], str(len(of[forward][number])))
                continue
            if int(rows[request]["ibwire.bth.opcode"], 0) & 0x1f == FLUSH:
                compared.same("FLUSH", where, rows[request]["ibwire.ack.acked_in"], str(number))
                continue
            last = int(rows[request][f"ibwire.{back}"] or 0)
            first = int(rows[request]["ibwire.read.response_first_in"] or last)
            compared.same(forward, where, first <= number <= last, True)


def figures(rows, flows, alone, compared):
    """Of ways whose requests were sent once."""
    psns = collections.Counter((row["ibwire.stream"], row["ibwire.stream.dir"], row["ibwire.bth.psn"])
                               for row in rows.values() if int(row["ibwire.bth.opcode"], 0) & 0x1f not in ANSWERS)
    alone = alone - {stream for (stream, _, _), n in psns.items() if n > 1} - \
        {row["ibwire.stream"] for row in rows.values() if row["ibwire.analysis.timeout"]}
    times = {name: collections.defaultdict(list) for name in ("ack_time", "read_time")}
    for number, row in rows.items():
        key = int(row["ibwire.stream"]), WAYS[row["ibwire.stream.dir"]]
        for name, back in (("ack_time", "ack.acked_in"), ("read_time", "read.response_last_in")):
            answer = int(row[f"ibwire.{back}"] or 0)
            if answer and (row["ibwire.bth.ackreq"] == "1" if name == "ack_time" else
                           int(rows[answer]["ibwire.bth.opcode"], 0) & 0x1f in LAST_RESPONSES):
                time = took(rows, number, answer)
                if time >= 0:
                    times[name][key].append(time)
    for flow in flows:
        if str(flow["connection"]) not in alone:
            continue
        for way in WAYS.values():
            for name, by_way in times.items():
                said, have = flow[way][name], by_way[flow["connection"], way]
                compared.same(f"{name} count", f"{flow['connection']} {way}", len(have), said["count"])
                compared.same(f"{name} max", f"{flow['connection']} {way}", max(have, default=0), said["max"])


def single_pass(once, rows, compared):
    for number, row in once.items():
        for forward, back in BACK.items():
            for name in (forward, TIMES[forward]):
                if not row[f"ibwire.{forward}"]:
                    compared.n["not yet known"] += bool(rows[number][f"ibwire.{forward}"])
                else:
                    compared.same(f"{name}, single pass", f"frame {number}", row[f"ibwire.{name}"],
                                  rows[number][f"ibwire.{name}"])
            if rows[number][f"ibwire.{back}"]:
                compared.same(f"{back}, single pass", f"frame {number}", row[f"ibwire.{back}"], "")


def mads(rows, attributes, compared):
    answered, retries, longest = collections.Counter(), collections.Counter(), collections.Counter()
    for number, row in rows.items():
        key = int(row["ibwire.mad.mgmt_class"], 0), int(row["ibwire.mad.attr_id"], 0)
        retries[key] += bool(row["ibwire.mad.retry_of"])
        if row["ibwire.mad.request_in"] and row["ibwire.mad.time"]:
            compared.same("mad.time", f"frame {number}", ns(row["ibwire.mad.time"]),
                          took(rows, int(row["ibwire.mad.request_in"]), number))
        if row["ibwire.mad.response_in"]:
            response = rows[int(row["ibwire.mad.response_in"])]
            compared.same("mad.response_in", f"frame {number}", response["ibwire.mad.request_in"], str(number))
            answered[key] += 1
            longest[key] = max(longest[key], ns(response["ibwire.mad.time"] or "0"))
    for row in attributes:
        key = row["class"], row["attribute"]
        compared.same("MADs answered", key, answered[key], row["answered"])
        compared.same("MADs retried", key, retries[key], row["retries"])
        if row["response_time"]["count"] == row["answered"]:
            compared.same("MADs' longest time", key, longest[key], row["response_time"]["max"])


def conversations(rows, cms, flows, compared):
    """All of a conversation name the same frames, but themselves: by the first message, or by what names it."""
    of, first = collections.defaultdict(collections.Counter), {row["first_frame"] for row in cms}
    for number, row in rows.items():
        frames = {int(row[f"ibwire.conn.{name}_in"]): name for name in CM if row[f"ibwire.conn.{name}_in"]}
        begins = first & {number, *frames}
        compared.same("conversations", f"frame {number}", len(begins), 1)
        key = row["ibwire.stream"] or ATTRIBUTES.get(int(row["ibwire.mad.attr_id"].split(",")[0], 0), "other")
        for begin in begins:
            of[begin][key] += 1
    for row in cms:
        for name in CM:
            if sum(bool(row[kind]) for kind in CM) > 1:
                compared.same("CM messages", f"{row['first_frame']} {name}", of[row["first_frame"]][name], row[name])
    streams = {int(key) for counter in of.values() for key in counter if key.isdigit()}
    compared.same("connections of the CM", "all", sorted(streams),
                  [flow["connection"] for flow in sorted(flows, key=lambda flow: flow["connection"])
                   if flow["setup"] == "cm" and sum(flow[way]["packets"] for way in WAYS.values())])


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    run = subprocess.run([lint, *LINT, tshark.write_all("as-is.pcapng", merged, as_is=True)], capture_output=True,
                         text=True, check=False)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    flows, attributes, cms = ([row for row in said if row["type"] == kind]
                              for kind in ("flow", "mad_attribute", "cm"))
    capture, compared = tshark.write_all("all.pcapng", merged), Compared()
    rows = rows_of(tshark, capture, "ibwire.stream", FIELDS, "-2")
    alone, where = collections.defaultdict(set), [name.split(":")[0] for name in ws.origins(merged)]
    for number, row in rows.items():
        alone[row["ibwire.stream"]].add(where[number - 1])
    alone = {stream for stream, captures in alone.items() if len(captures) == 1}
    both_ways(rows, alone, compared)
    figures(rows, flows, alone, compared)
    single_pass(rows_of(tshark, capture, "ibwire.stream", FIELDS), rows, compared)
    conversations(rows_of(tshark, capture, " || ".join(CONN[3:]), CONN, "-2"), cms, flows, compared)
    mads(rows_of(tshark, capture, "ibwire.mad", MADS, "-2"), attributes, compared)
    compared.same("few not yet known", "single pass", compared.n["not yet known"] < 20, True)
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    return ws.verdict(compared.faults, f"{len(flows)} connections, {compared.n.total()} figures ({said})") \
        if flows and attributes and cms else 1


if __name__ == "__main__":
    sys.exit(main())
