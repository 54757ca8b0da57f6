#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""stats.py PCAP-LINT MADE: what --stats says of connections.

data/stats.txt, and conversations in lines "# stats: ...", have figures, states and histories worked out by hand: JSON has
the same, and every figure, verb and histogram of dissector/track/way/figures.def, and every state, is in one of its lines
at least, and not 0 there. Of every capture the objects have the keys
of schema 2 in their order, numbers by first frames, and histograms that give their percentiles; the
text has the same connections, worst first by an order worked out here, with -v every figure that is not 0
by title and counter; three lines name the worst. Findings name the connection of their packet.
"""
import collections
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIGURES_DEF = (ROOT / "dissector/track/way/figures.def").read_text()
ROWS = re.findall(r'^TRACK_(FIGURE|COUNT|RARE|VERB|TIMES)\((\w+), (.*?)"([^"]+)"(?:,\s*(NULL|"[^"]*"))?\)$',
                  FIGURES_DEF, re.M | re.S)
FIGURES = {name: (title, counter.strip('"')) for kind, name, _, title, counter in ROWS if kind in ("FIGURE", "COUNT", "RARE")}
VERBS = {middle.split(",")[0]: title for kind, _, middle, title, _ in ROWS if kind == "VERB"}
TIMES = {middle.split(",")[0]: title for kind, _, middle, title, _ in ROWS if kind == "TIMES"}
# What is measured in addition: {name: (unit, title, counter)}, twice {name: title}, {name: (unit, title)}
MEASURES = {name: (unit, title, counter.strip('"')) for name, unit, title, counter in re.findall(
    r'^TRACK_MEASURE\((\w+), ([A-Z]+),[^"]*"([^"]+)", (NULL|"[^"]*"),', FIGURES_DEF, re.M)}
NAMED = dict(re.findall(r'^TRACK_NAMED\((\w+), [^"]*"([^"]+)",', FIGURES_DEF, re.M))
FRAMES = dict(re.findall(r'^TRACK_FRAME\((\w+), m->[^"]*"([^"]+)",', FIGURES_DEF, re.M))
SAMPLES = {name: (unit, title) for name, unit, title in re.findall(
    r'^TRACK_SAMPLES\([A-Z_]+, (\w+), (\w+), "([^"]+)",', FIGURES_DEF, re.M)}
BARS = ("message_bytes", "message_time")  # the text shows how these are spread
# The keys of a direction: rows with VERB are one object.
MEASURED = re.findall(r"^TRACK_(?:(?:MEASURE|NAMED|FRAME)\(|SAMPLES\([A-Z_]+, )(\w+),", FIGURES_DEF, re.M)
KEYS = list(dict.fromkeys({"VERB": "messages", "TIMES": middle.split(",")[0]}.get(kind, name)
                          for kind, name, middle, _, _ in ROWS)) + MEASURED
SCALES = {"NS": ("ns", "us", "ms", "s"), "BYTES": ("", "k", "M", "G", "T", "P")}
# Schema 3, as it was agreed; directions may have more.
FLOW_KEYS = ["type", "schema", "file", "connection", "service", "upper", "mtu", "setup", "state", "history", "a", "b",
             "first_frame", "last_frame", "doubt", "a_to_b", "b_to_a", "waited", "incidents", "rank", "negotiated"]
WAY_KEYS = """packets wire_bytes payload_bytes messages request_packets response_packets response_gaps
    response_missing response_repeated response_late psn_missing gap_episodes psn_restarts repeated_packets repeated_bytes filled_packets
    retransmitted_packets reordered_packets duplicated_packets conflicting_packets timeouts ack_packets nak_sequence
    nak_invalid_request nak_remote_access nak_remote_operational rnr_nak ce_packets cnp_packets icrc_bad
    ack_time read_time""".split()
WAYS = ("a_to_b", "b_to_a")
FATAL = ("nak_invalid_request", "nak_remote_access", "nak_remote_operational")
DOUBTS = {"mid-stream", "one-way", "capture-dropped", "capture-loss", "sampled", "cut", "filtered", "clock", "mtu",
          "holes", "several-lids", "headers-cut", "captured-twice", "much-capture-loss"}
STATES = {"mid-stream", "setup", "established", "stalled", "closed", "rejected", "failed"}
SHOWN = 100


def run(lint, *args):
    done = subprocess.run([lint, "--fail-on", "never", "--progress", "never", *map(str, args)], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 2):  # 2: the capture is cut
        raise SystemExit(f"{args}: ends with {done.returncode}: {done.stderr}")
    return done.stdout


def listed(lint, path, *args):
    return [row for row in map(json.loads, run(lint, "--stats", "--format", "json", *args, path).splitlines())
            if row["type"] == "flow"]


def flows(lint, path, *args):
    """Those of queue pairs."""
    return [row for row in listed(lint, path, *args) if row["service"] != "iWARP"]


# By hand

def lines_by_hand():
    """The words of each line of data/stats.txt; a conversation has those of its own capture as comments."""
    text = (ROOT / "tests/data/stats.txt").read_text()
    found = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    for path in sorted((ROOT / "pcaps/streams").glob("*.txt")):
        found += [[f"streams-{path.stem}", *words.split()]
                  for words in re.findall(r"^# stats: (.*)$", path.read_text(), re.M)]
    return found


def rows():
    """(capture, connection, way, {figure: value}, whether those not named are 0, but for what is measured)"""
    for words in lines_by_hand():
        if words[2] == "is":
            continue
        rest = words[-1] == "..."
        yield (words[0], int(words[1]), words[2],
               dict(word.split("=") for word in words[3:len(words) - rest]), not rest)


def said(way):
    """{figure: value as in data/stats.txt} of a direction."""
    values = {name: str(value) for name, value in way.items() if isinstance(value, (int, str))}
    values |= {name: str(value) for name, value in way["messages"].items()}
    return values | {name: "/".join(str(way[name][key]) for key in ("count", "p50", "p99", "max"))
                     for name in [*TIMES, *SAMPLES]}


def is_nothing(value):
    return set(value) <= set("0/")


def path_of(capture, made):
    return ROOT / f"pcaps/{capture}.pcap" if "/" in capture else made / f"{capture}.pcap"


def states_by_hand(lint, made):
    """Faults of what a connection is in a word, and of its history."""
    seen = set()
    for capture, number, *want in (words for words in lines_by_hand() if words[2] == "is"):
        found = flows(lint, path_of(capture, made))
        flow = found[int(number)] if int(number) < len(found) else {}
        got = ["is", *(flow.get(key) for key in ("state", "setup", "history"))]
        if got != want:
            yield f"{capture} {number}: {got}, by hand {want}"
        seen |= set(want)
    if not STATES <= seen:
        yield f"no line by hand: {STATES - seen}"


def by_hand(lint, made):
    """(faults, lines, the figures that were not 0)"""
    faults, count, seen = [], 0, set()
    for capture, number, way, want, whole in rows():
        found = flows(lint, path_of(capture, made))
        got = said(found[number][way]) if number < len(found) else {}
        count += 1
        seen |= {name for name, value in want.items() if not is_nothing(value)}
        faults += [f"{capture} {number} {way}: {name} is {got.get(name)}, by hand {want.get(name, 0)}"
                   for name in {**want, **({key: 0 for key in got if key not in MEASURED} if whole else {})}
                   if got.get(name) != want.get(name) and not (name not in want and is_nothing(got[name]))]
    faults += [f"{name}: no line of data/stats.txt has it" for name in [*FIGURES, *VERBS, *TIMES, *MEASURED] if name not in seen]
    return faults, count, seen


# The form

def upper_end(value):
    """The end of the bucket a value is in."""
    if value < 64:
        return value
    width = 1 << (value.bit_length() - 6)
    return (value // width + 1) * width - 1


def histogram_faults(name, h):
    if list(h) != ["count", "p50", "p99", "max", "histogram"]:
        return [f"{name} has {list(h)}"]
    ends = [end for end, _ in h["histogram"]]
    values = [end for end, n in h["histogram"] for _ in range(n)]
    faults = []
    if ends != sorted(set(ends)) or any(end != upper_end(end) for end in ends):
        faults.append(f"{name}: buckets {ends}")
    if len(values) != h["count"]:
        faults.append(f"{name}: {len(values)} of {h['count']}")
    for key, n in (("p50", 50), ("p99", 99)):
        want = values[-(-n * len(values) // 100) - 1] if values else 0
        if h[key] != want:
            faults.append(f"{name}: {key} is {h[key]}, of the histogram {want}")
    if values and upper_end(h["max"]) != ends[-1]:
        faults.append(f"{name}: max {h['max']}")
    return faults


def way_faults(way):
    if list(way) != KEYS or [key for key in way if key in WAY_KEYS] != WAY_KEYS or list(way["messages"]) != list(VERBS):
        yield f"the keys are {list(way)}"
    for name in [*TIMES, *SAMPLES]:
        yield from histogram_faults(name, way[name])
    again = way["repeated_packets"] + way["filled_packets"]
    told = sum(way[f"{name}_packets"] for name in ("retransmitted", "reordered", "duplicated", "conflicting"))
    if again != told:
        yield f"{again} repeated or filled, {told} explained"


def form_faults(found):
    if [flow["connection"] for flow in found] != list(range(len(found))):
        yield "the numbers are not 0, 1 ..."
    first = [flow["first_frame"] for flow in found]
    if first != sorted(first):
        yield "the numbers are not by first frame"
    for flow in found:
        if list(flow) != FLOW_KEYS or flow["schema"] != 3:
            yield f"the keys are {list(flow)}"
        if flow["state"] not in STATES or not DOUBTS.issuperset(flow["doubt"]) or flow["service"] not in (
                "RC", "UC", "XRC") or flow["setup"] not in ("cm", "learnt", "none"):
            yield f"{flow['state']}, {flow['doubt']}, {flow['service']}, {flow['setup']}"
        for way in WAYS:
            yield from (f"connection {flow['connection']} {way}: {fault}" for fault in way_faults(flow[way]))


# The text

def both(flow, *names):
    return sum(flow[way][name] for way in WAYS for name in names)


def share(way):
    """Of requests that were sent again, in percent, as one rounds."""
    n = way["request_packets"]
    return (2 * 100 * way["retransmitted_packets"] + n) // (2 * n) if n else 0


def gaps(way):
    """A gap that is filled by what was only late is none."""
    return way["gap_episodes"] if way["psn_missing"] or way["retransmitted_packets"] else 0


def response_gaps(flow):
    """As gaps(): of READs that nobody asked for again, and that have all their responses."""
    return sum(flow[way]["response_gaps"] for way, back in (WAYS, WAYS[::-1])
               if flow[way]["response_missing"] or flow[back]["retransmitted_packets"])


def badness(flow):
    return ((flow["state"] == "failed") + both(flow, *FATAL), both(flow, "timeouts"),
            max(share(flow[way]) for way in WAYS), both(flow, "nak_sequence"), both(flow, "rnr_nak"),
            sum(gaps(flow[way]) for way in WAYS) + response_gaps(flow), both(flow, "icrc_bad"), both(flow, "packets"))


def worst_first(found):
    return sorted(found, key=lambda flow: ([-n for n in badness(flow)], flow["connection"]))


def table_faults(text, found):
    want = worst_first(found)
    lines = re.findall(r"^(\d+): (\S+|LID \S+) qp (?:0x(\w+)|\?)(?: \((\d+)\))? .*\n   <- (\S+|LID \S+) qp", text, re.M)
    got = [(int(number), address) for number, address, _, _, _ in lines]
    if got != [(flow["connection"], flow["a"]["address"]) for flow in want][:SHOWN]:
        yield f"the table has {got[:9]}, not {[flow['connection'] for flow in want[:9]]}"
    for (_, _, hexadecimal, decimal, other), flow in zip(lines, want):
        qpn = flow["a"]["qpn"]
        if (int(hexadecimal, 16) if hexadecimal else None) != qpn or decimal and int(decimal) != qpn \
                or other != flow["b"]["address"]:
            yield f"connection {flow['connection']}: {hexadecimal} ({decimal}) {other}"
    more = re.findall(r"^(\d+) more \(--max-per-rule 0 shows all\)$", text, re.M)
    if more != ([str(len(found) - SHOWN)] if len(found) > SHOWN else []):
        yield f"{more} more of {len(found)}"


def worst_faults(text, found):
    bad = [flow for flow in worst_first(found) if any(badness(flow)[:-1])][:3]
    want = [" -> ".join(f"{flow[end]['address']} qp {'?' if flow[end]['qpn'] is None else flow[end]['qpn']}"
                        for end in "ab") for flow in bad]
    got = re.findall(r"^.*: worst: (.* -> (?:LID )?\S+ qp (?:\d+|\?)): .*\)$", text, re.M)
    if got != want:
        yield f"the worst are {got}, not {want}"


def scaled(n, unit):
    """As people read it: three digits at most, of what is 1000 or more, rounded; a half upwards."""
    def of(part):
        return (2 * n * part + 1000**scale) // (2 * 1000**scale)

    scale = 0
    while unit in SCALES and of(1) >= 1000 and scale + 1 < len(SCALES[unit]):
        scale += 1
    text = f"{of(10) // 10}.{of(10) % 10}" if scale and of(10) < 100 else str(of(1))
    return f"{text} {SCALES[unit][scale]}".rstrip() if unit in SCALES else text


def verbose_faults(text, found):
    """All that is not 0 is there, by title and counter, as often as JSON has it."""
    want = collections.Counter()
    for flow in worst_first(found)[:SHOWN]:
        for way in WAYS:
            if not flow[way]["packets"] and not flow[way]["icrc_bad"]:
                continue
            want += collections.Counter(f"{flow[way][name]}  {title}{f' ({counter})' if counter != 'NULL' else ''}"
                                        for name, (title, counter) in FIGURES.items() if flow[way][name])
            want += collections.Counter(f"{n}  messages: {VERBS[name]}" for name, n in flow[way]["messages"].items() if n)
            want += collections.Counter(f"{scaled(flow[way][name], unit)}  {title}"
                                        f"{f' ({counter})' if counter != 'NULL' else ''}"
                                        for name, (unit, title, counter) in MEASURES.items() if flow[way][name])
            want += collections.Counter(f"{flow[way][name]}  {title}" for name, title in [*NAMED.items(), *FRAMES.items()]
                                        if flow[way][name])
            for name, title in [*TIMES.items(), *((name, title) for name, (_, title) in SAMPLES.items())]:
                h = flow[way][name]
                powers = collections.Counter()
                for end, n in h["histogram"] if name in TIMES or name in BARS else []:
                    powers[max(1, end.bit_length())] += n
                want += collections.Counter([f"{h['count']}  {title}: "] if h["count"] else [])
                want += collections.Counter(str(n) for n in powers.values())
    got = collections.Counter()
    for line in (line.lstrip() for line in text.partition(" commands by ")[0].splitlines() if re.match(r" .{16}\S  ", line)):
        bar = re.fullmatch(r"(\d+)  +\S+(?: \w+)? to .+?( +#*)", line)
        if bar:
            got += collections.Counter([bar[1]] if bar[1] != "0" else [])
        else:
            got[re.sub(r": p50 .*", ": ", line)] += 1
    if want != got:
        yield f"-v: {want - got} is missing, {got - want} is more"


def check(lint, path):
    """(faults, connections) of one capture."""
    found = flows(lint, path)
    text = run(lint, "--stats", "-v", path) if found else ""
    faults = [*form_faults(found), *table_faults(text, found), *worst_faults(text, found), *verbose_faults(text, found)]
    return [f"{path.name}: {fault}" for fault in faults], len(found)


# Findings and options

def finding_faults(lint, made):
    """A finding is of the connection that has its address, QPN and frame, and of the service that its CM names."""
    count = named = 0
    for path in [*made.glob("lint-*.pcap"), *made.glob("streams-*.pcap"), *(ROOT / "pcaps/rxe").glob("*.pcap"),
                 *(ROOT / "pcaps/faults").glob("*.pcap")]:
        lines = list(map(json.loads, run(lint, "--stats", "--format", "json", "--severity", "note", path).splitlines()))
        ends = {}
        for flow in lines:
            if flow["type"] != "flow":
                continue
            for sender, receiver in ("ab", "ba"):
                key = f"{flow[sender]['address']} -> {flow[receiver]['address']} qp 0x{flow[receiver]['qpn'] or 0:06x}"
                ends.setdefault(key, []).append(flow)
        services = {row["connection"]: row["service"] for row in lines if row["type"] == "cm"}
        for f in lines:
            if f["type"] != "finding" or f["connection"] is None:
                continue
            count += 1
            named += f["service"] is not None
            if f["service"] != services.get(f["connection"]):
                yield f"{path.name}:{f['frame']}: {f['rule']} is of {f['service']}, not {services.get(f['connection'])}"
            if not any(flow["connection"] == f["connection"] and flow["first_frame"] <= f["frame"]
                       and (f["frame"] <= flow["last_frame"] or f["layer"] == "file" or f["rule"].startswith("CRC"))  # not counted
                       for flow in ends.get(f["flow"], [])):
                yield f"{path.name}:{f['frame']}: {f['rule']} is of connection {f['connection']}, {f['flow']}"
    if count < 20 or not named:
        yield f"only {count} findings are of a connection, {named} of a service"


def many(path, connections):
    """A pcap of so many connections of one packet, of which connection i has i % 7 + 1 copies; without their ICRC."""
    data = (ROOT / "pcaps/rxe/04-write-rc.pcap").read_bytes()
    at = 24
    while data[at + 16 + 36:at + 16 + 38] != b"\x12\xb7" or data[at + 16 + 42] != 0x06:
        at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
    frame = data[at + 16:at + 16 + int.from_bytes(data[at + 8:at + 12], "little")]
    out = [data[:24]]
    for i in range(connections):
        for _ in range(i % 7 + 1):
            packet = frame[:47] + (0x100 + i).to_bytes(3, "big") + frame[50:-4]
            out.append(struct.pack("<IIII", 1, len(out), len(packet), len(frame)) + packet)
    path.write_bytes(b"".join(out))


def option_faults(lint, tmp):
    path = tmp / "many.pcap"
    many(path, 250)
    found = flows(lint, path)
    if len(found) != 250:
        yield f"{len(found)} connections of 250"
    yield from table_faults(run(lint, "--stats", path), found)
    everything = run(lint, "--stats", "--max-per-rule", "0", path)
    if len(re.findall(r"^\d+: ", everything, re.M)) != 250 or "more (" in everything:
        yield "--max-per-rule 0 does not show all"
    loss = ROOT / "pcaps/rxe/12d-netem-loss5.pcap"
    bare = run(lint, "--ignore", "all", "--select", "CRC001", "--format", "json", ROOT / "pcaps/rxe/40-k612-flush.pcap")
    if {row["connection"] for row in map(json.loads, bare.splitlines()) if row["type"] == "finding"} != {None}:
        yield "connections are followed though nothing wants them"
    args, _, shown = (ROOT / "README.md").read_text().partition("$ pcap-lint --stats ")[2].partition("\n")
    if run(lint, "--stats", ROOT / args).replace(f"{ROOT}/", "") != shown.partition("```")[0]:
        yield "README.md shows something else"
    none = ROOT / "pcaps/rxe/08-send-ud.pcap"
    if run(lint, "--stats", "-q", none) != run(lint, "-q", none):
        yield f"{none.name}: something is said of no connection"
    if "worst: " in run(lint, "--stats", "-q", loss) or "connection  " not in run(lint, "--stats", "-q", loss):
        yield "-q: the table alone"
    if '"flow",' in run(lint, "--format", "json", loss):
        yield "objects of type flow without --stats"
    for args, wanted in ((("-f", "src host 10.7.0.1"), True), (("-f", "udp"), False), ((), False)):
        if ("filtered" in flows(lint, loss, *args)[0]["doubt"]) != wanted:
            yield f"{args}: doubt is {flows(lint, loss, *args)[0]['doubt']}"
    config = tmp / "conf"
    config.write_text("[pcap-lint]\nstats = true\n")
    if "connection  " not in run(lint, "--config", config, loss):
        yield "stats = true in a config file"


def main():
    lint, made = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    faults, lines, seen = by_hand(lint, made)
    faults += states_by_hand(lint, made)
    captures = sorted([*(ROOT / "pcaps").rglob("*.pcap*"), *made.glob("streams-*.pcap*"), *made.glob("opcodes-*.pcap")])
    connections = 0
    for path in captures:
        found, n = check(lint, path)
        faults, connections = faults + found, connections + n
    faults += finding_faults(lint, made)
    with tempfile.TemporaryDirectory() as tmp:
        faults += option_faults(lint, pathlib.Path(tmp))
    print("\n".join(faults[:60] + [f"{lines} lines by hand with {len(seen)} figures, {connections} connections of "
                                   f"{len(captures)} captures, {len(faults)} faults"]))
    return 1 if faults or lines < 20 or len(captures) < 150 or connections < 300 else 0


if __name__ == "__main__":
    sys.exit(main())
