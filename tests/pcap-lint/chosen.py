#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""chosen.py PCAP-LINT MADE EACH: --qp and --host report what a run without them reports of the same connections.

Of every EACH-th capture with connections, some are asked for by either queue pair, with and without its address, decimal and
with 0x, and by one host and both. Then the lines of flows, conversations, intervals and findings are those of the whole
run that are theirs, by the addresses and queue pairs in them; the summary counts the whole capture; the
packets that --decode prints are those whose addresses and queue pair are a direction of theirs. A story of the
name of a queue pair is that of its number.
"""
import collections
import dataclasses
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))

import parallel  # noqa: E402
import sample  # noqa: E402

LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
WHOLE = ["--stats", "--interval", "10ms", "--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format",
         "json", "--progress", "never"]
FLOW = re.compile(r"(.+) -> (.+) qp 0x([0-9a-f]{6})")
TCP = re.compile(r"\[?([^]]+?)\]?:\d+ -> \[?([^]]+?)\]?:\d+")  # of iWARP
# Of a queue pair that several connections write to, or one by several services, packets do not say which of them they are of.
SHARED = {"streams-bth004-services.pcap", "streams-qps039-psn-of-old-session.pcap", "13-psn-of-the-session-before.pcap"}
CONNECTIONS = 3  # of a capture that are asked for


def lines(path, *options):
    run = subprocess.run([LINT, *options, path], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 2):
        raise SystemExit(f"{path} {options}: status {run.returncode}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def ends(flow):
    return {(flow[end]["address"], flow[end]["qpn"]) for end in "ab"}


def ways(flow):
    """(from, to, queue pair of the receiver) of both directions, as far as they are known."""
    a, b = flow["a"], flow["b"]
    return {(one["address"], other["address"], other["qpn"]) for one, other in ((a, b), (b, a)) if other["qpn"] is not None}


@dataclasses.dataclass(frozen=True)
class Name:
    """What is asked for: hosts, or a queue pair wherever it is, or at an address."""
    option: str
    value: str
    hosts: frozenset = frozenset()
    address: str = ""
    qpn: int = -1

    def has(self, flow):
        if self.hosts:
            return self.hosts <= {flow[end]["address"] for end in "ab"}
        return any(self.at(address, qpn) for address, qpn in ends(flow))

    def at(self, address, qpn):
        return qpn == self.qpn and self.address in ("", address)

    def goes(self, way, both):
        """Whether a packet that goes this way is of these connections, or to that queue pair."""
        return self.hosts <= set(way[:2]) if self.hosts else way in both or self.at(*way[1:])


def is_of(row, wanted, name):
    """Whether a line of the whole run is of what is asked for."""
    numbers = {flow["connection"] for flow in wanted}
    if row["type"] in ("flow", "timeline"):
        return row["connection"] in numbers
    if row["type"] == "finding":
        found, tcp = FLOW.fullmatch(row["flow"] or ""), TCP.fullmatch(row["flow"] or "")
        if tcp:
            return bool(name.hosts) and name.hosts <= {tcp[1], tcp[2]}
        if not found:
            return row["frame"] is None or row["rule"] in FILES
        way = found[1], found[2], int(found[3], 16)
        return name.goes(way, set().union(*map(ways, wanted)))
    return False


FILES = {rule for path in (ROOT / "dissector/lint/rules").glob("*.def")
         for rule in re.findall(r'^LINT_RULE\((\w+), "[\w-]+", \w+, FILE,', path.read_text(), re.M)}
COMPARED = "flow", "timeline", "finding"


def key(row):
    """What is the same with less in the report. What waits for the end knows its connection by then."""
    late = {"finding": ("connection", "service"), "flow": ("rank",), "summary": ("asked", "incidents")}.get(row["type"], ())  # among fewer
    return json.dumps({name: value for name, value in row.items() if name not in late}, sort_keys=True)


def compare(path, name, whole, have, wanted):
    where = f"{path.name}: {name.option} {name.value}"
    want = collections.Counter(key(row) for row in whole if row["type"] in COMPARED and is_of(row, wanted, name))
    said = collections.Counter(key(row) for row in have if row["type"] in COMPARED)
    for row, count in ((want - said).items()):
        yield f"{where}: missing {count} times: {row[:400]}"
    for row, count in ((said - want).items()):
        yield f"{where}: more {count} times: {row[:400]}"
    summaries = [[key(row) for row in rows if row["type"] == "summary"] for rows in (whole, have)]
    if summaries[0] != summaries[1]:
        yield f"{where}: summary {summaries[1]}, not {summaries[0]}"
    asked = have[-1].get("asked", {}).get("connections")
    if asked != len(wanted):
        yield f"{where}: {asked} connections asked for, not {len(wanted)}"


def names(flow):
    """Those that a connection has."""
    for address, qpn in sorted(ends(flow), key=str):
        if qpn is not None:
            yield Name("--qp", f"{qpn:#x}", qpn=qpn)
            yield Name("--qp", f"{address}:{qpn}" if address.startswith("LID") else f"[{address}]:{qpn}", address=address, qpn=qpn)
    a, b = flow["a"]["address"], flow["b"]["address"]
    yield Name("--host", a, frozenset({a}))
    yield Name("--host", f"{b},{a}", frozenset({a, b}))


def decoded(path, packets, wanted, name):
    """Packets that --decode prints, against those of the connections."""
    have = {row["frame"] for row in lines(path, "--decode", "--format", "json", name.option, name.value) if row["type"] == "packet"}
    both = {(*way, flow["service"]) for flow in wanted for way in ways(flow)}
    ours = {way[:3] for way in both}
    want = {frame for frame, way, service in packets
            if name.goes(way, {way} if (*way, service) in both or service in ("CNP", "vendor") and way in ours else ())}
    if have != want:
        yield f"{path.name}: {name.option} {name.value}: --decode prints {sorted(have - want)[:9]}, not {sorted(want - have)[:9]}"


NETS = {"ipv4": ("src", "dst"), "ipv6": ("src", "dst"), "grh": ("sgid", "dgid")}
SERVICES = {0: "RC", 1: "UC", 4: "CNP", 5: "XRC", 6: "vendor", 7: "vendor"}


def packets_of(path):
    """[(frame, (from, to, queue pair), service)]; addresses are those of the header before the BTH."""
    out = []
    for row in lines(path, "--decode", "--format", "json"):
        before, bth = {}, None
        for layer in row.get("layers", ()):
            if layer["name"] == "bth":
                bth = layer["fields"]
                break
            before[layer["name"]] = layer
        if row["type"] != "packet" or bth is None:
            continue
        net = max((name for name in before if name in NETS), key=lambda name: before[name]["offset"], default=None)
        if net:
            way = tuple(before[net]["fields"][name].removeprefix("::ffff:") for name in NETS[net])
        else:
            way = tuple(f"LID {before['lrh']['fields'][name]:#06x}" for name in ("slid", "dlid"))
        out.append((row["frame"], (*way, bth["dqpn"]), SERVICES.get(bth["opcode"] >> 5)))
    return out


def tried(path):
    """(faults, comparisons)"""
    whole = lines(path, *WHOLE)
    flows = [row for row in whole if row["type"] == "flow"]
    if not flows or not whole[-1]["type"] == "summary":
        return [], 0
    faults, n, packets = [], 0, packets_of(path)
    for flow in flows[::max(1, len(flows) // CONNECTIONS)][:CONNECTIONS]:
        for i, name in enumerate(names(flow)):
            wanted = [one for one in flows if name.has(one)]
            faults += compare(path, name, whole, lines(path, *WHOLE, name.option, name.value), wanted)
            if i % 2:
                faults += decoded(path, packets, wanted, name)
            n += 1
    first, qpn = flows[0], next((qpn for _, qpn in ends(flows[0]) if qpn is not None), None)
    if qpn is not None and sum(any(qpn == one for _, one in ends(flow)) for flow in flows) == 1:
        told = [[key(row) for row in lines(path, "--story", word, "--fail-on", "never", "--format", "json") if row["type"] in ("story", "event")]
                for word in (f"{qpn:#x}", str(first["connection"]))]
        if told[0] != told[1]:
            faults.append(f"{path.name}: --story {qpn:#x} is not that of connection {first['connection']}")
    return faults, n


def refused():
    """Names that are none, and what cannot be read twice."""
    capture = ROOT / "pcaps/rxe/01-rping-ipv4.pcap"
    for words in ("--qp", ""), ("--qp", "0x1000000"), ("--qp", "nobody:3"), ("--qp", "1,,2"), ("--host", "10.1"), \
            ("--host", "10.1.0.1,10.1.0.2,10.1.0.3"), ("--host", ""), ("--story", "0x"), ("--story", "10.1.0.1"):
        run = subprocess.run([LINT, *words, capture], capture_output=True, text=True, check=False)
        if run.returncode != 2 or run.stdout or words[0][2:] not in run.stderr:
            yield f"{words}: status {run.returncode}: {run.stdout}{run.stderr}"
    with capture.open("rb") as stdin:
        run = subprocess.run([LINT, "--decode", "--qp", "1", "-"], stdin=stdin, capture_output=True, text=True, check=False)
    if run.returncode != 2 or run.stdout or "read twice" not in run.stderr:
        yield f"--decode --qp of standard input: status {run.returncode}: {run.stderr}"


def texts():
    """What people read: the last line, of whom a timeline is, and a story of none."""
    capture = "pcaps/rxe/01-rping-ipv4.pcap"
    flow = next(row for row in lines(capture, *WHOLE) if row["type"] == "flow")
    a, b = flow["a"], flow["b"]
    whole, shown = "127 packets, 125 RoCE v2, 1 connection", f"{capture}: 127 packets, 125 RoCE v2, 1 connection (shown: those of "
    names = [(["--qp", f"{a['qpn']}"], f"queue pair 0x{a['qpn']:06x}, 1 connection"),
             (["--qp", f"{a['address']}:{a['qpn']:#x},99"], f"queue pair {a['address']}:0x{a['qpn']:06x} or 0x000063, 1 connection"),
             (["--host", b["address"], "--host", "fe80::1"], f"host {b['address']} or fe80::1, 1 connection"),
             (["--host", "LID 5"], "host LID 0x0005, 0 connections"),
             (["--qp", f"{b['qpn']}", "--host", f"{a['address']},{b['address']}"],
              f"queue pair 0x{b['qpn']:06x}, host {a['address']} with {b['address']}, 1 connection")]
    for words, want in names:
        said = text(*words, capture)
        if said != [f"{shown}{want}): no findings"]:
            yield f"{words}: {said}, not {shown}{want}): no findings ({whole})"
    lossy = "pcaps/faults/11b-16qp-read-loss.pcap"
    for words, verdict, more in ((), "4 of 8 connections: ", "likewise on 2 more of 8 connections between these hosts (frames 93, 331)"), \
            (("--qp", "64,66"), "2 of 2 connections shown: ", "likewise on 1 more of 2 connections shown between these hosts (frame 93)"):
        said = text(*words, lossy)
        if verdict not in said[0] or not said[1].endswith(more):
            yield f"{words}: {said[:2]}, not {verdict} and {more}"
    said = text("--interval", "1s", "--qp", f"{a['qpn']}", "--quiet", capture)
    if len(said) < 2 or f"{capture}: timeline of connection 0, an interval of " not in said[0]:
        yield f"--interval: {said}"
    said = text("--story", "auto", "--host", "10.9.9.9", "--quiet", capture)
    if said != [f"{capture}: story: there is nothing to tell: the capture has no connection that is asked for"]:
        yield f"--story of nobody: {said}"
    counted = [text("--count-rules", *words, "pcaps/rxe/12g-netem-corrupt-badicrc.pcap") for words in ((), ("--qp", "0x1a"), ("--qp", "5"))]
    if not counted[0] or counted[1] != [line for line in counted[0] if "CAP" not in line] or counted[2]:
        yield f"--count-rules: {counted}"


def text(*words):
    run = subprocess.run([LINT, "--fail-on", "never", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.splitlines()


def main():
    paths = [path for directory in (ROOT / "pcaps", MADE) for path in sorted(directory.rglob("*.pcap*"))
             if path.is_file() and path.name not in SHARED and path.stat().st_size < 3_000_000]
    if not any(MADE.glob("*.pcap")):
        raise SystemExit(f"{MADE}: no captures")
    faults, n = [*refused(), *texts()], 0
    for more, count in parallel.each(tried, sample.rows(paths[::int(sys.argv[3])], lambda path: path.name)):
        faults += more
        n += count
    print(*faults[:60], f"{n} reports of a part: {len(faults)} faults", sep="\n")
    return 1 if faults or not n else 0


if __name__ == "__main__":
    sys.exit(main())
