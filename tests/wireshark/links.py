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
  do the packets of each connection that it knows by the CM, and of no other; the time from REQ to RTU is that of
  oracles/cm.py and of pcap-lint, and the client is who has the address, or the queue pair, of the client there;
- a CNP names the last of the packets of the other direction that were marked since the CNP before, says how many those are,
  and how long after the first of them it came: by the bytes, as --stats has it (ce_cnp_delay), and as a simulation of
  DCQCN noted it;
- on a single pass answers have what they have with -2, but for a few whose connection was not known yet, and requests
  name nothing.
"""
import collections
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import capture as C  # noqa: E402
import cm as CM_ORACLE  # noqa: E402
import dcqcn  # noqa: E402
import packet as P  # noqa: E402
import ws  # noqa: E402

BACK = {"ack.acks_in": "ack.acked_in", "read.request_in": "read.response_last_in",
        "atomic.request_in": "atomic.response_in"}
TIMES = {"ack.acks_in": "ack.ack_rtt", "read.request_in": "read.time", "atomic.request_in": "atomic.time"}
FIELDS = ["frame.number", "frame.time_epoch", "ibwire.stream", "ibwire.stream.dir", "ibwire.bth.ackreq",
          "ibwire.bth.psn", "ibwire.bth.opcode",
          *(f"ibwire.{name}" for pair in (BACK.items(), TIMES.items()) for row in pair for name in row),
          "ibwire.ack.acked", "ibwire.read.response_first_in", "ibwire.analysis.timeout"]
MADS = ["frame.number", "frame.time_epoch", "ibwire.mad.mgmt_class", "ibwire.mad.attr_id", "ibwire.mad.request_in",
        "ibwire.mad.response_in", "ibwire.mad.time", "ibwire.mad.retry_of", "ibwire.mad.tid"]
CM = ("req", "rep", "rtu", "rej", "dreq", "drep")
CONN = ["frame.number", "ibwire.stream", "ibwire.mad.attr_id", *(f"ibwire.conn.{name}_in" for name in CM),
        "ibwire.conn.setup_time", "ibwire.conn.role"]
CNP = ["frame.number", "ibwire.stream", "ibwire.stream.dir", "ibwire.bth.opcode", "ibwire.cnp.for_stream", "ibwire.cnp.ce_frame",
       "ibwire.cnp.ce_packets", "ibwire.cnp.delay"]
LINT = ["--ignore", "all", "--stats", "--format", "json"]
ATTRIBUTES = {0x10: "req", 0x12: "rej", 0x13: "rep", 0x14: "rtu", 0x15: "dreq", 0x16: "drep"}
LAST_RESPONSES = {0x0f, 0x10}
ANSWERS = {*range(0x0d, 0x13)}
FLUSH = 0x1c
TRUE = "1", "True"  # since 4.2
WAYS = {"0": "a_to_b", "1": "b_to_a"}
# What ws_rows asks for.
COMPARED = sorted({f"ibwire.{name}" for name in (*BACK, *BACK.values(), *TIMES.values(), "ack.acked", "read.response_first_in")} |
                  {*MADS[4:8], *CONN[3:], *CNP[4:]})
CLIENT, SERVER = "0", "1"


def rows_of(tshark, capture, condition, fields, *options):
    """{frame: {field: text}}"""
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(capture, *options, "-Y", condition, "-T", "fields", "-E", "separator=/t", *args)
    rows = (dict(zip(fields, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def took(rows, request, answer):
    return ws.ns(rows[answer]["frame.time_epoch"]) - ws.ns(rows[request]["frame.time_epoch"])


def answers(number, row, rows, compared):
    """What a request names comes later, and names it, or of an ACK one that is not before it in order of PSNs."""
    for back in ("ack.acked_in", "read.response_first_in", "read.response_last_in", "atomic.response_in"):
        if not row[f"ibwire.{back}"]:
            continue
        answer = int(row[f"ibwire.{back}"])
        forward = "ack.acks_in" if back == "ack.acked_in" else f"{back.split('.')[0]}.request_in"
        named = rows.get(answer, {}).get(f"ibwire.{forward}", "")
        if back == "ack.acked_in" and named:
            further = int(rows[int(named)]["ibwire.bth.psn"], 0) - int(row["ibwire.bth.psn"], 0) & 0xffffff
            compared.same(f"ibwire.{back}", f"frame {number}", (answer > number, further < 1 << 23), (True, True))
        elif back != "ack.acked_in":
            compared.same(f"ibwire.{back}", f"frame {number}", (answer > number, named), (True, str(number)))


def both_ways(rows, alone, compared):
    of = {forward: collections.defaultdict(list) for forward in BACK}
    for number, row in rows.items():
        for forward, back in BACK.items():
            if row[f"ibwire.{back}"]:
                of[forward][int(row[f"ibwire.{back}"])].append(number)
    for number, row in rows.items():
        if row["ibwire.stream"] in alone:
            answers(number, row, rows, compared)
        for forward, back in BACK.items():
            other = row[f"ibwire.{forward}"]
            if not other:
                continue
            request = int(other)
            where, time = f"frame {number}", row[f"ibwire.{TIMES[forward]}"]
            if time:
                compared.same(f"ibwire.{TIMES[forward]}", where, ws.ns(time), took(rows, request, number))
            if forward == "ack.acks_in":
                compared.same(f"ibwire.{forward}", where, request in of[forward][number], True)
                if row["ibwire.stream"] in alone:
                    compared.same("ibwire.ack.acked", where, row["ibwire.ack.acked"], str(len(of[forward][number])))
                continue
            if int(rows[request]["ibwire.bth.opcode"], 0) & 0x1f == FLUSH:
                compared.same("FLUSH", where, rows[request]["ibwire.ack.acked_in"], str(number))
                continue
            last = int(rows[request][f"ibwire.{back}"] or 0)
            first = int(rows[request]["ibwire.read.response_first_in"] or last)
            compared.same(f"ibwire.{forward}", where, first <= number <= last, True)


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
            if answer and (row["ibwire.bth.ackreq"] in TRUE if name == "ack_time" else
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
            compared.same("ibwire.mad.time", f"frame {number}", ws.ns(row["ibwire.mad.time"]),
                          took(rows, int(row["ibwire.mad.request_in"]), number))
        of = int(row["ibwire.mad.retry_of"] or 0)
        if of:
            same = ("ibwire.mad.mgmt_class", "ibwire.mad.attr_id", "ibwire.mad.tid")
            compared.same("ibwire.mad.retry_of", f"frame {number}", (of < number, *(rows.get(of, {}).get(name) for name in same)),
                          (True, *(row[name] for name in same)))
        if row["ibwire.mad.response_in"]:
            response = rows[int(row["ibwire.mad.response_in"])]
            compared.same("ibwire.mad.request_in", f"frame {number}", response["ibwire.mad.request_in"], str(number))
            answered[key] += 1
            longest[key] = max(longest[key], ws.ns(response["ibwire.mad.time"] or "0"))
    for row in attributes:
        key = row["class"], row["attribute"]
        compared.same("ibwire.mad.response_in", key, answered[key], row["answered"])
        compared.same("MADs retried", key, retries[key], row["retries"])
        if row["response_time"]["count"] == row["answered"]:
            compared.same("MADs' longest time", key, longest[key], row["response_time"]["max"])


def setup_of(row):
    """From REQ to RTU."""
    steps = row["req_to_rep"], row["rep_to_rtu"]
    return None if None in steps else sum(steps)


def sides(row, said, packet, where, compared):
    """The time, and who sends the packet."""
    have = row["ibwire.conn.setup_time"]
    compared.same("ibwire.conn.setup_time", where, ws.ns(have) if have else None, setup_of(said))
    a, b = said["a"], said["b"]
    if a["address"] != b["address"]:
        client = P.address_text(packet.src) == a["address"]
    elif packet.service != P.UD and a["qpn"] != b["qpn"]:
        client = packet.dqpn == b["qpn"]
    else:
        return
    compared.same("ibwire.conn.role", where, row["ibwire.conn.role"], CLIENT if client else SERVER)


def times_of_cm(rows, told, packets, alone, compared):
    """@told: {first frame: conversation} of the oracle."""
    for number, row in rows.items():
        frames = {number, *(int(row[f"ibwire.conn.{name}_in"] or 0) for name in CM)}
        for first in told.keys() & frames:
            if number in packets and (not row["ibwire.stream"] or row["ibwire.stream"] in alone):
                sides(row, told[first], packets[number], f"frame {number}", compared)
    for row in told.values():
        compared.n["conversations set up"] += setup_of(row) is not None


def congestion(rows, flows, packets, compared):
    """Marks since the CNP before, of each way; and the figures of --stats."""
    marks, delays = collections.defaultdict(list), collections.defaultdict(list)
    for number, row in rows.items():
        packet = packets.get(number)
        if not packet or packet.icrc == P.BAD or not row["ibwire.stream"]:
            continue
        key, about = ((row["ibwire.stream"], way) for way in (WAYS[row["ibwire.stream.dir"]],
                                                             WAYS["1" if row["ibwire.stream.dir"] == "0" else "0"]))
        if packet.service != P.CNP:
            marks[key] += [packet] if packet.ecn else []
            continue
        answered = marks.pop(about, [])
        ns_since = packet.time - answered[0].time if answered else None
        wanted = {"for_stream": row["ibwire.stream"], "ce_frame": str(answered[-1].frame) if answered else "",
                  "ce_packets": str(len(answered) or "")}
        for name, want in wanted.items():
            compared.same(f"ibwire.cnp.{name}", f"frame {number}", row[f"ibwire.cnp.{name}"], want)
        have = row["ibwire.cnp.delay"]
        if answered and ns_since >= 0:
            compared.same("ibwire.cnp.delay", f"frame {number}", ws.ns(have or "-1"), ns_since)
            delays[about].append(ws.ns(have))
        else:
            compared.same("no cnp.delay", f"frame {number}", have, "")
    for flow in flows:
        for way in WAYS.values():
            said, have = flow[way]["ce_cnp_delay"], delays[str(flow["connection"]), way]
            if said["count"] or have:
                compared.same("ce_cnp_delay count", f"{flow['connection']} {way}", len(have), said["count"])
                compared.same("ce_cnp_delay max", f"{flow['connection']} {way}", max(have, default=0), said["max"])


def simulated(tshark, lint, compared):
    """What the CNPs to a queue pair say is what its receiver did."""
    for seed, pacing in ((1, "qp"), (2, "pair")):
        sim, path = dcqcn.Simulation(seed, point="receiver", pacing=pacing, qps=3), tshark.dir / f"dcqcn-{pacing}.pcap"
        sim.write(path)
        path.chmod(0o644)
        rows = rows_of(tshark, path, "ibwire.stream && ibwire.bth", [*CNP, "ibwire.bth.dqpn"], "-2")
        congestion(rows, of_lint(lint, path)["flow"], packets_of(path), compared)
        for flow in sim.flows:
            have = [row["ibwire.cnp.delay"] for row in rows.values()
                    if int(row["ibwire.bth.dqpn"], 0) == flow.src.qpn and row["ibwire.cnp.for_stream"]]
            compared.same("simulated delays", f"{pacing} qp {flow.src.qpn}", sum(map(ws.ns, have)),
                          sum(sim.truth[flow.src.qpn]["delays"]))
            compared.same("simulated CNPs", f"{pacing} qp {flow.src.qpn}", len(have), sim.truth[flow.src.qpn]["cnps"])


def of_lint(lint, path):
    """{type: objects} of --stats."""
    run = subprocess.run([lint, *LINT, path], capture_output=True, text=True, check=False)
    said = collections.defaultdict(list)
    for row in map(json.loads, run.stdout.splitlines()):
        if row["type"] != "flow" or row["service"] != "iWARP":
            said[row["type"]].append(row)
    return said


def packets_of(path):
    """{frame: packet} of a capture, by the bytes."""
    parsed = ((record.number, P.parse(record)) for record in C.records(path))
    return {number: packet for number, packet in parsed if packet}


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
                compared.same(f"ibwire.conn.{name}_in", f"{row['first_frame']} {name}", of[row["first_frame"]][name], row[name])
    streams = {int(key) for counter in of.values() for key in counter if key.isdigit()}
    compared.same("connections of the CM", "all", sorted(streams),
                  [flow["connection"] for flow in sorted(flows, key=lambda flow: flow["connection"])
                   if flow["setup"] == "cm" and sum(flow[way]["packets"] for way in WAYS.values())])


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    as_is = tshark.write_all("as-is.pcapng", merged, as_is=True)
    said = of_lint(lint, as_is)
    flows, attributes, cms = said["flow"], said["mad_attribute"], said["cm"]
    capture, compared = tshark.write_all("all.pcapng", merged), ws.Compared()
    rows = rows_of(tshark, capture, "ibwire.stream && ibwire.bth", FIELDS, "-2")
    alone, where = collections.defaultdict(set), [name.split(":")[0] for name in ws.origins(merged)]
    for number, row in rows.items():
        alone[row["ibwire.stream"]].add(where[number - 1])
    alone = {stream for stream, captures in alone.items() if len(captures) == 1}
    both_ways(rows, alone, compared)
    figures(rows, flows, alone, compared)
    single_pass(rows_of(tshark, capture, "ibwire.stream && ibwire.bth", FIELDS), rows, compared)
    packets = packets_of(as_is)
    of_cm = rows_of(tshark, capture, " || ".join(CONN[3:]), CONN, "-2")
    conversations(of_cm, cms, flows, compared)
    told = {row["first_frame"]: row for row in CM_ORACLE.conversations(as_is)}
    for row in cms:
        compared.same("setup time, --stats", row["first_frame"], setup_of(row), setup_of(told[row["first_frame"]]))
    times_of_cm(of_cm, told, packets, alone, compared)
    congestion(rows_of(tshark, capture, "ibwire.stream && ibwire.bth", CNP, "-2"), flows, packets, compared)
    mads(rows_of(tshark, capture, "ibwire.mad", MADS, "-2"), attributes, compared)
    simulated(tshark, lint, compared)
    # The only pair of two hosts is joined at the end, if it has fewer than three answers.
    compared.same("few not yet known", "single pass", compared.n["not yet known"] < 60, True)
    said = ", ".join(f"{kind} {n}" for kind, n in sorted(compared.n.items()))
    compared.all_of([*COMPARED, "ce_cnp_delay max", "conversations set up"])
    return ws.verdict(compared.faults, f"{len(flows)} connections, {compared.n.total()} figures ({said})") \
        if flows and attributes and cms else 1


if __name__ == "__main__":
    sys.exit(main())
