#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""srt.py PLUGIN PCAP-LINT MADE [FRAMES]: -z ibwire,srt has the times of the fields, and those of pcap-lint.

Of the first FRAMES frames (0: all) of every capture, with -2: calls, shortest, longest, mean and sum of each row are
those of ibwire.msg.latency by operation, a message counted once, of ibwire.ack.ack_rtt by the operation of the packet
acknowledged, of ibwire.mad.time by what the Info column calls the request, segments of one answer counted once; READs and atomics of iWARP
have the times that pcap-lint --decode --messages has. -z srt,ibwire prints
the same, and so does the window (sharkd). Of connections of one capture without repeated PSNs each operation has as many times as
pcap-lint --stats, and the same longest one. A single pass has nearly the same.
"""
import collections
import json
import re
import subprocess
import sys

import ws

FIELDS = ["frame.number", "_ws.col.Info", "ibwire.stream", "ibwire.msg.op", "ibwire.msg.first_in",
          "ibwire.msg.latency", "ibwire.ack.acks_in", "ibwire.ack.ack_rtt", "ibwire.mad.request_in",
          "ibwire.mad.time", "ibwire.rmpp.flags", "ibwire.rmpp.type", "ibwire.rmpp.data1"]
TABLES = ("Message, to the end", "Packet, to its ACK", "MAD, to its answer")
VERBS = ("SEND", "WRITE", "READ", "atomic", "FLUSH")
MESSAGES = ["--decode", "--messages", "--format", "json"]
ANSWERED = {"read_request": "READ", "atomic": "atomic"}
LINT = ["--ignore", "all", "--stats", "--format", "json"]
ROW = re.compile(r" *(\d+)  (.+?) +(\d+) +" + r" +".join([r"(\d+\.\d{6})"] * 4) + "$")
TAKE_OVER = ("-o", "ibwire.mode:takeover")
ACTIVE, LAST, DATA = 1, 4, 1
FEW = 30


def tables(text):
    """[{table: {row: (calls, shortest, longest, mean, sum in us)}}], one a -z."""
    found, table = [], None
    for line in text.splitlines():
        if line == "RDMA SRT Statistics:":
            found.append({})
        elif line.startswith("Index  "):
            table = found[-1].setdefault(line[7:29].strip(), {})
        elif match := ROW.match(line):
            table[match[2]] = (int(match[3]), *(int(one.replace(".", "")) for one in match.groups()[3:]))
    return found


def figures(times):
    """As a row has them: rounded as Wireshark does."""
    mean = sum(times) // len(times)
    return len(times), *((n + 500) // 1000 for n in (min(times), max(times), mean, sum(times)))


def rows_of(tshark, capture):
    args = [arg for field in FIELDS for arg in ("-e", field)]
    # Those of iWARP: of_iwarp()
    text = tshark.read(capture, "-2", *TAKE_OVER, "-Y", "ibwire && !ibwire.fpdu", "-T", "fields", "-E", "separator=/t", *args,
                       infiniband="ibwire")
    rows = (dict(zip(FIELDS, line.split("\t"), strict=True)) for line in text.splitlines())
    return {int(row["frame.number"]): row for row in rows}


def is_part(row):
    """One of several segments, but not the last."""
    flags, kind, number = (int(row[f"ibwire.rmpp.{name}"].split(",")[0] or "0", 0) for name in ("flags", "type", "data1"))
    return bool(flags & ACTIVE and kind == DATA and number and not flags & LAST)


def kind_of(info, kinds):
    """The row that a MAD is of, whose request has this in the Info column."""
    return max((kind for kind in kinds if f"{info} ".startswith(f"{kind} ")), key=len, default=info)


def of_iwarp(lint, capture):
    """{verb: [ns] of READs and atomics that were answered}: from the first byte of the request to the last byte of the answer."""
    run = subprocess.run([lint, *MESSAGES, capture], capture_output=True, text=True, check=False)
    rows = [row for row in map(json.loads, run.stdout.splitlines()) if row["type"] == "message" and row["psn"] is None]
    ends = {(row["connection"], row["frame"]): nanoseconds(row["end"]) for row in rows if row["kind"].endswith("_response")}
    times = collections.defaultdict(list)
    for row in rows:
        if row["kind"] in ANSWERED and row["answered"] is not None and row["outcome"] != "refused":  # a Terminate answers, too
            times[ANSWERED[row["kind"]]].append(ends[row["connection"], row["answered"]] - nanoseconds(row["time"]))
    return times


def nanoseconds(text):
    seconds, rest = text.split(".")
    return int(seconds) * 10**9 + int(rest)


def of_fields(rows, kinds, iwarp):
    """What the tables ought to be."""
    messages, acks, mads = ({}, collections.defaultdict(list), collections.defaultdict(list))
    for number, row in rows.items():
        if row["ibwire.msg.latency"]:
            messages[row["ibwire.msg.first_in"]] = row
        if row["ibwire.ack.ack_rtt"]:
            acks[rows[int(row["ibwire.ack.acks_in"])]["ibwire.msg.op"]].append(ws.ns(row["ibwire.ack.ack_rtt"]))
        if row["ibwire.mad.time"] and not is_part(row):
            request = rows[int(row["ibwire.mad.request_in"])]
            mads[kind_of(request["_ws.col.Info"], kinds)].append(ws.ns(row["ibwire.mad.time"]))
    by_verb = collections.defaultdict(list)
    for row in messages.values():
        by_verb[VERBS[int(row["ibwire.msg.op"])]].append(ws.ns(row["ibwire.msg.latency"]))
    for verb, times in iwarp.items():
        by_verb[verb] += times
    return dict(zip(TABLES, ({verb: figures(times) for verb, times in by_verb.items()},
                             {VERBS[int(key)]: figures(times) for key, times in acks.items()},
                             {key: figures(times) for key, times in mads.items()}), strict=True))


def clean(rows, flows, where):
    """Numbers of connections with packets of one capture, of which nothing was sent again."""
    captures = collections.defaultdict(set)
    for number, row in rows.items():
        captures[row["ibwire.stream"]].add(where[number - 1])
    return [flow["connection"] for flow in flows if len(captures[str(flow["connection"])]) == 1 and
            not any(flow[way][name] for way in ("a_to_b", "b_to_a")
                    for name in ("repeated_packets", "timeouts", "psn_restarts", "duplicated_packets"))]


def of_lint(flows, streams):
    """{verb: (calls, longest)}"""
    found = {}
    for verb in VERBS:
        times = [flow[way][f"{verb.lower()}_time"] for flow in flows if flow["connection"] in streams
                 for way in ("a_to_b", "b_to_a")]
        if calls := sum(time["count"] for time in times):
            found[verb] = calls, (max(time["max"] for time in times) + 500) // 1000
    return found


def single_pass(once, rows):
    """Of a few messages not all came, and a few ACKs are those of connections that are not known before the end."""
    for table in TABLES:
        for row, want in rows[table].items():
            have = once[table].get(row, (0,))
            few = table in TABLES[:2]
            if have != want and not (few and want[0] - FEW < have[0] < want[0]):
                yield f"single pass: {table} {row}: {have}, not {want}"


def of_window(tshark, capture):
    """The same tables, as sharkd has them."""
    with tshark.sharkd_running() as sharkd:
        sharkd.load(capture)
        answer = sharkd.ask({"method": "tap", "params": {"tap0": "srt:ibwire"}})
    found = {}
    for table in json.loads(answer)["result"]["taps"][0]["tables"]:
        found[table["c"]] = {row["n"]: row["num"] for row in table["r"]}
    return found


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 400
    merged = ws.by_linktype(made, first or None)
    run = subprocess.run([lint, *LINT, tshark.write_all("as-is.pcapng", merged, as_is=True)], capture_output=True,
                         text=True, check=False)
    said = [json.loads(line) for line in run.stdout.splitlines()]
    flows = [row for row in said if row["type"] == "flow" and row["service"] != "iWARP"]
    capture = tshark.write_all("all.pcapng", merged)
    rows = rows_of(tshark, capture)
    streams = clean(rows, flows, [name.split(":")[0] for name in ws.origins(merged)])
    some = f"ibwire.stream in {{{', '.join(map(str, streams))}}}"
    taps = [arg for tap in ("srt,ibwire", "ibwire,srt", f"ibwire,srt,{some}") for arg in ("-z", tap)]
    faults, n = [], 0
    *have, other = tables(tshark.read(capture, "-q", "-2", *taps))  # -z srt,ibwire comes last
    iwarp = of_iwarp(lint, tshark.dir / "as-is.pcapng")
    want = of_fields(rows, have[0][TABLES[2]], iwarp)
    faults += ["no READ of iWARP" for _ in range(not iwarp)]
    for table in TABLES:
        n += len(want[table])
        faults += [f"{table} {row}: {have[0].get(table, {}).get(row)}, not {want[table].get(row)}"
                   for row in {**have[0].get(table, {}), **want[table]}
                   if have[0].get(table, {}).get(row) != want[table].get(row)]
        faults += [f"{table}: no rows" for _ in range(not want[table])]
    faults += [f"-z srt,ibwire: {other}, not {have[0]}" for _ in range(other != have[0])]
    of_few = {verb: (row[0], row[2]) for verb, row in have[1][TABLES[0]].items()}
    said = of_lint(flows, streams)
    faults += [f"pcap-lint: {verb} {said.get(verb)}, not {of_few.get(verb)}" for verb in VERBS
               if said.get(verb) != of_few.get(verb)]
    once = tables(tshark.read(capture, "-q", *taps[2:4]))[0]
    faults += list(single_pass(once, have[0]))
    del merged[ws.INFINIBAND]  # which sharkd does not know
    capture = tshark.write_all("window.pcapng", merged)
    calls = {table: {row: one[0] for row, one in rows.items()} for table, rows in
             tables(tshark.read(capture, "-q", "-2", "-z", "ibwire,srt"))[0].items()}
    window = of_window(tshark, capture)
    faults += [f"window: {window}, not {calls}" for _ in range(window != calls)]
    return ws.verdict(faults, f"{n} rows, {sum(row[0] for table in want.values() for row in table.values())} times; "
                              f"of pcap-lint {len(streams)} connections, {said}")


if __name__ == "__main__":
    sys.exit(main())
