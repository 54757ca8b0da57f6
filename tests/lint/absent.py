#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""absent.py PCAP-LINT MADE: what is in a capture stays true, whatever else is taken out of it.

event.def says of each event what a capture may lack that makes it untrue. Of every classic pcap, real and made, packets are
taken out (a filter, one direction, what came first, single packets), or their ends, or the statistics say that one
was lost. A finding that none of these can make untrue is at the same packet, as severe as before, as long as
its own packets are there. And of what is only not there, where the file shows why, nothing is said at level error or warning:
of captures without findings, one way of them, with a filter in front, without a packet that
is acknowledged, or without one that the statistics count.
"""
import collections
import dataclasses
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import pcapng_parts as ng  # noqa: E402
import sample  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPTIONS = ["--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--format", "json", "--progress", "never"]
RDMA = "udp port 4791"
MOST_FRAMES = 3000
SINGLES = 4  # packets of a capture that are taken out, each by itself
BATCH = 40  # captures a call
LEVELS = {"error": 0, "warning": 1, "note": 2, "perf": 3}
VALUE = re.compile(r"^TRACK_VALUE\(\w+, (\w+), (\d+),", re.M)
STATEMENT = re.compile(r"^TRACK_UNTRUE\((\w+), (\w+), (.*)\)$", re.M)
EVENT = re.compile(r'^TRACK_EVENT\((\w+), "([\w-]+)"', re.M)
RULE = re.compile(r'^LINT_RULE\((\w+), "[\w-]+", (\w+), (\w+),', re.M)
# What else makes an event than the frames it names: all packets that it counts, or what it is compared with.
COUNTS = {"cm-stale-loop", "cm-storm", "sa-storm", "sa-slow", "server-busy", "icrc-constant", "icrc-rewritten", "icrc-address",
          "icrc-twin", "icrc-accepted", "ce-all", "cnp-interval", "paused", "pause-storm", "path-repeated", "ack-each", "mtu-small",
          "sampled", "one-way", "sport-shared", "dscp-zero", "not-ect", "mirror-gap", "capture-loss", "trap-repeated",
          "join-failed", "retries", "over-depth", "never-asked", "not-mtu", "last-length", "over-mtu", "psn-restart", "psn-wrap",
          "vl-changed", "pcp-differs", "services-mixed", "sport-changed", "dscp-changed", "dscps-differ", "llgid-routed",
          "versions-both", "versions-split", "address-macs", "families-differ", "version-one-sided", "pkeys-limited",
          "migreq-differs", "mid-stream", "bad-icrc", "wrong-qpn", "neighbour-other-qkey", "neighbour-refuses",
          "group-other-qkey", "mlid-shared", "join-refused", "join-misfit", "group-left", "cm-req", "cm-rej", "before-rtu",
          "never-answered", "message-stopped", "gave-up", "gave-up-rnr", "unreached", "cm-given-up", "request-unanswered", "guid-twice",
          "join-cause", "prefix-changed", "sm-to-and-fro", "lid-of-before", "iwarp-tcp"}


def cases(name, by):
    """[(condition of an event's numbers, what could make it untrue)]: the first that holds."""
    out = []
    while " ? " in by:
        when, _, rest = by.partition(" ? ")
        yes, _, by = rest.partition(" : ")
        out.append((compile(re.sub(r"N\(\w+, (\w+)\)", r"n['\1']", when), name, "eval"), set(yes.split(" | "))))
    return [*out, (compile("True", name, "eval"), set(by.split(" | ")))]


def statements():
    """{event: cases of what could make it untrue}"""
    text = (ROOT / "dissector/track/base/event.def").read_text()
    names, out = dict(EVENT.findall(text)), {}
    for name, _, by in STATEMENT.findall(text):
        if name not in names:
            continue  # of the comment
        out[names[name]] = cases(name, by)
    assert len(out) == len(names)
    return out


UNTRUE = statements()
VALUES = {f"TRACK_{name}": int(number) for name, number in VALUE.findall((ROOT / "dissector/track/base/event.def").read_text())}
RULES = {rule: (LEVELS[level.lower()], scope) for path in (ROOT / "dissector/lint/rules").glob("*.def")
         for rule, level, scope in RULE.findall(path.read_text())}
# CAP016 stands for the first three, if enough frames are like this one; ROC029 takes enough of them, too.
NAMED = {"IPO001", "IPO002", "IPO003", "IPO028"}
SLICED = {"LRH003", "ROC005", "GRH003", "ROC029"}
PACKETS = {"REQUEST", "RESPONSE"}


@dataclasses.dataclass(frozen=True)
class Finding:
    rule: str
    frame: int
    level: int
    own: frozenset
    event: str
    untrue: frozenset
    psn: int
    message: str

    def __str__(self):
        return f"{self.rule} at frame {self.frame} ({sorted(self.untrue)}): {self.message}"


def finding_of(row):
    event, untrue = row.get("event"), frozenset()
    if event:
        untrue = frozenset(next(by for when, by in UNTRUE[event["name"]] if eval(when, VALUES, {"n": event}))) - {"NOTHING"}
    return Finding(row["rule"], row["frame"], LEVELS[row["severity"]], frozenset({row["frame"], *row["related"]}),
                   event and event["name"], untrue, row["psn"], row["message"])


def read(lint, paths, *options):
    """{path: [Finding]} of findings about packets."""
    out = {}
    for at in range(0, len(paths), BATCH):
        some = [str(path) for path in paths[at:at + BATCH]]
        run = subprocess.run([lint, *OPTIONS, *options, *some], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 2):
            raise SystemExit(f"{lint}: status {run.returncode}: {run.stderr}")
        for row in map(json.loads, run.stdout.splitlines()):
            if row["type"] == "summary":
                out.setdefault(pathlib.Path(row["file"]), [])
            elif row["type"] == "finding" and row["frame"] and RULES[row["rule"]][1] != "FILE":
                out.setdefault(pathlib.Path(row["file"]), []).append(finding_of(row))
    return out


def joined(lint, paths):
    """Captures of whose connections both directions are known, as far as they have them: an ACK is of a request there."""
    out = set(paths)
    for at in range(0, len(paths), BATCH):
        run = subprocess.run([lint, "--stats", "--ignore", "all", "--fail-on", "never", "--format", "json",
                              *map(str, paths[at:at + BATCH])], capture_output=True, text=True, check=False)
        for row in map(json.loads, run.stdout.splitlines()):
            if row["type"] == "flow" and row["service"] != "iWARP" and None in (row["a"]["qpn"], row["b"]["qpn"]):
                out.discard(pathlib.Path(row["file"]))
    return out


class Packet:
    """What --decode says of a frame, as far as it is asked for here."""

    def __init__(self, row):
        layers = {layer["name"]: layer["fields"] for layer in row["layers"]}
        self.rdma = "bth" in layers
        self.bad = row.get("icrc", {}).get("status") == "bad"
        self.ends = max((layer["offset"] + layer["length"] for layer in row["layers"]), default=0)
        self.src = self.dst = self.psn = self.opcode = None
        self.stream = self.answer = self.acks = False
        if not self.rdma:
            return
        bth = layers["bth"]
        net = next((layers[name] for name in ("ipv4", "ipv6") if name in layers), None)
        self.opcode, self.psn, self.dqpn = bth["opcode"], bth["psn"], bth["dqpn"]
        if net:
            self.src, self.dst = net["src"], net["dst"]
        elif "lrh" in layers:
            self.src, self.dst = layers["lrh"]["slid"], layers["lrh"]["dlid"]
        service, operation = self.opcode >> 5, self.opcode & 0x1f
        self.stream = service in (0, 1, 5)
        self.answer = self.stream and 13 <= operation <= 18
        self.acks = self.opcode == 0x11 and layers.get("aeth", {}).get("syndrome", 0x60) < 0x20


def decoded(lint, paths):
    """{path: [Packet]}"""
    out = {path: [] for path in paths}
    for at in range(0, len(paths), BATCH):
        some = [str(path) for path in paths[at:at + BATCH]]
        with subprocess.Popen([lint, "--decode", "--format", "json", *some], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as run:
            for row in map(json.loads, run.stdout):
                if row["type"] == "packet":
                    out[pathlib.Path(row["file"])].append(Packet(row))
    return out


class Capture:
    """A little-endian pcap: its records."""

    def __init__(self, path):
        data = path.read_bytes()
        self.path, self.head, self.records, at = path, data[:24], [], 24
        while at + 16 <= len(data):
            n, = struct.unpack_from("<I", data, at + 8)
            self.records.append((data[at:at + 16], data[at + 16:at + 16 + n]))
            at += 16 + n
        self.whole = at == len(data) and all(len(body) == struct.unpack_from("<I", head, 8)[0] for head, body in self.records)

    def write(self, path, keep):
        path.write_bytes(self.head + b"".join(head + body for i, (head, body) in enumerate(self.records) if i in keep))

    def write_cut(self, path, lengths):
        with path.open("wb") as out:
            out.write(self.head)
            for (head, body), n in zip(self.records, lengths):
                out.write(head[:8] + struct.pack("<I", min(n, len(body))) + head[12:] + body[:n])

    def write_counted(self, path, keep, dropped):
        linktype, = struct.unpack_from("<H", self.head, 20)
        nano = self.head[:4] == b"\x4d\x3c\xb2\xa1"
        parts = [ng.section(), ng.interface(linktype, 0, [(ng.IF_TSRESOL, b"\x09")])]
        for i, (head, body) in enumerate(self.records):
            seconds, part, _, length = struct.unpack("<4I", head)
            if i in keep:
                parts.append(ng.packet(0, seconds * 10**9 + part * (1 if nano else 1000), body, length))
        parts.append(ng.statistics(0, [(ng.ISB_IFDROP, struct.pack("<Q", dropped))]))
        path.write_bytes(b"".join(parts))


@dataclasses.dataclass
class Variant:
    """A capture with something taken out."""
    capture: Capture
    how: str
    path: pathlib.Path
    keep: list  # frames, from 0
    options: tuple = ()
    begins: bool = True
    counted: bool = False  # the statistics explain a packet that is missing
    answered: bool = False  # an ACK shows the packet that is missing
    quiet: bool = False  # nothing new at level error or warning

    def moved(self):
        """{frame before: frame now}, from 1; a filter leaves them as they were."""
        return {old + 1: new + 1 for new, old in enumerate(self.keep)} if not self.options else {n + 1: n + 1 for n in self.keep}


def loses(variant, packets):
    """The kinds of evidence that are taken out."""
    gone = set(range(len(packets))) - set(variant.keep)
    out = (set() if variant.begins else {"START"}) | (PACKETS if variant.counted else set())
    for i in gone:
        packet = packets[i]
        if packet.rdma and not packet.stream:
            out |= {"REQUEST", "RESPONSE", "ROUND_TRIP", "START"}
        elif packet.rdma:
            out |= {"RESPONSE", "ROUND_TRIP"} if packet.answer else {"REQUEST"}
    return gone, out


def is_known(finding, gone, packets):
    """Whether all is there that says which upper layer a connection has, and what its commands are: what was sent on it before."""
    here = packets[finding.frame - 1]
    ends = {here.src, here.dst}
    return not any(i < finding.frame - 1 and {packets[i].src, packets[i].dst} == ends for i in gone if packets[i].rdma)


def is_own(finding, gone, packets):
    """Whether something that the finding rests on is taken out."""
    if not gone:
        return False
    if any(frame - 1 in gone for frame in finding.own):
        return True
    # A gap says of all that are in it whether they are damaged, and names the first.
    if finding.event in COUNTS or finding.event == "psn-gap" and any(packets[i].bad for i in gone):
        return True
    here = packets[finding.frame - 1]
    ends, psns = {here.src, here.dst}, {finding.psn}
    if finding.event == "psn-gap":  # the request before it shows where it begins
        psns.add((finding.psn - 1) % 2**24)
    return any(packets[i].psn in psns and {packets[i].src, packets[i].dst} == ends for i in gone if packets[i].rdma)


def stay(variant, packets, before, after):
    """(findings that had to stay, faults)"""
    gone, lost = loses(variant, packets)
    moved, have, asked, faults = variant.moved(), collections.Counter(), 0, []
    for finding in after:
        have[finding.rule, finding.frame, finding.level] += 1
    for finding in before:
        if finding.level > LEVELS["warning"] or finding.untrue & lost or is_own(finding, gone, packets):
            continue
        if variant.how == "cut" and finding.rule[:3] != "QPS" or gone and finding.rule in SLICED:
            continue
        if finding.rule[:3] == "IWP" and not variant.begins:  # TCP is iWARP by its start, or by four FPDUs that fit
            continue
        if finding.rule[:3] == "ULP" and not is_known(finding, gone, packets):
            continue
        # What ARP named before it is IPoIB; two answers to one question say more than a second one, which may be of a port that took over.
        if finding.rule in NAMED and any(i < finding.frame - 1 for i in gone):
            continue
        asked += 1
        if not any(have[finding.rule, moved[finding.frame], level] for level in range(finding.level + 1)):
            faults.append(f"{variant.capture.path.name}, {variant.how}: gone or lower: {finding}")
    return asked, faults


def quiet(variant, before, after):
    """Faults: what is only not there."""
    moved = variant.moved()
    known = {(finding.rule, moved.get(finding.frame)) for finding in before if finding.level <= LEVELS["warning"]}
    for finding in after:
        level, _ = RULES[finding.rule]
        if finding.level > min(level, LEVELS["warning"]) or (finding.rule, finding.frame) in known or finding.rule[:3] == "CAP":
            continue
        # Sent again is sent again; of why the finding says both.
        if finding.rule not in SLICED and (finding.untrue & PACKETS or "not captured" not in finding.message):
            yield f"{variant.capture.path.name}, {variant.how}: of what is not there: {finding}"


def acknowledged(packets):
    """Requests in the middle of their direction that a later ACK covers, and that are there once."""
    halves, seen = collections.defaultdict(list), collections.Counter()
    for i, packet in enumerate(packets):
        if packet.rdma and packet.stream and not packet.answer and packet.opcode != 0x0c:
            halves[packet.src, packet.dst, packet.dqpn].append(i)
            seen[packet.src, packet.dst, packet.dqpn, packet.psn] += 1
    for (src, dst, dqpn), at in halves.items():
        answers = [i for i, packet in enumerate(packets) if packet.acks and (packet.src, packet.dst) == (dst, src)]
        for i in at[1:-1]:
            if seen[src, dst, dqpn, packets[i].psn] == 1 and answers and answers[-1] > at[-1] and packets[i].opcode >> 5 == 0:
                yield i


def variants(capture, packets, before, tmp, is_joined):
    """Each with its file written."""
    rng = random.Random(capture.path.name)
    every, number = list(range(len(packets))), 0
    healthy = not [finding for finding in before if finding.level <= LEVELS["warning"] or finding.untrue & PACKETS]

    def path(suffix=".pcap"):
        nonlocal number
        number += 1
        return tmp / f"{capture.path.parent.name}-{capture.path.stem}-{number}{suffix}"

    def without(how, keep, **more):
        to = path()
        capture.write(to, set(keep))
        return Variant(capture, how, to, keep, **more)

    rdma = [i for i in every if packets[i].rdma]
    hosts = sorted({packets[i].src for i in rdma if packets[i].src is not None}, key=str)
    if len(rdma) < len(every):
        yield without("only RDMA", rdma)
    for host in hosts[:2]:
        keep = [i for i in every if not packets[i].rdma or packets[i].src == host]
        if len(keep) < len(every):
            yield without(f"only what {host} sends", keep, quiet=healthy)
    late = every[len(every) * 3 // 10:]
    yield without("the last 70 %", late, begins=False, quiet=healthy)
    for i in sorted(rng.sample(rdma, min(SINGLES, len(rdma)))):
        yield without(f"without frame {i + 1}", [n for n in every if n != i])
    to = path(".pcapng")
    capture.write_counted(to, set(every), 1)
    yield Variant(capture, "one counted as lost", to, every, counted=True)
    if not any(packet.bad for packet in packets):
        to = path()
        capture.write_cut(to, [packet.ends if packet.rdma else 65535 for packet in packets])
        yield Variant(capture, "cut", to, every)
    if not healthy:
        return
    for i in sorted(rng.sample(rdma, min(SINGLES, len(rdma)))):
        to = path(".pcapng")
        keep = [n for n in every if n != i]
        capture.write_counted(to, set(keep), 1)
        yield Variant(capture, f"frame {i + 1} counted as lost", to, keep, counted=True, quiet=True)
    for i in list(acknowledged(packets))[:SINGLES] if is_joined else []:
        yield without(f"without frame {i + 1}, which is acknowledged", [n for n in every if n != i], quiet=True,
                      answered=True)


def filtered(lint, capture, packets, before):
    """The capture with a filter in front: the packets that it leaves out are not missing."""
    hosts = sorted({packet.src for packet in packets if packet.rdma and isinstance(packet.src, str)})
    for host in hosts:
        options = "-f", f"src host {host}"
        run = subprocess.run([lint, "--decode", "--format", "json", *options, capture.path], capture_output=True, text=True, check=False)
        keep = [json.loads(row)["frame"] - 1 for row in run.stdout.splitlines() if '"type":"packet"' in row[:20]]
        yield Variant(capture, " ".join(options), capture.path, keep, options,
                      quiet=not [finding for finding in before if finding.level <= LEVELS["warning"]])


def suits(path):
    return path.stat().st_size > 24 and path.read_bytes()[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")


def judge(variant, packets, before, after, faults, counts):
    asked, more = stay(variant, packets, before, after)
    faults += more
    counts["stayed"] += asked
    if variant.quiet:
        counts["quiet"] += 1
        faults += quiet(variant, before, after)


def main(lint, made):
    real, own = {*ROOT.glob("pcaps/**/*.pcap")}, {*pathlib.Path(made).glob("*.pcap")}
    if not real or not own:
        print(f"no captures in pcaps or in {made}")
        return 1
    every = [path for path in sorted(real | own) if suits(path)]
    captures = {path: Capture(path) for path in every}
    every = [path for path in every if captures[path].whole and 0 < len(captures[path].records) <= MOST_FRAMES]
    packets, before = decoded(lint, every), read(lint, every)
    every = [path for path in every if len(packets[path]) == len(captures[path].records) and path in before]
    # Filters are tried on each that has a fault, and on one in eight of the others, so that a sample has none that the whole run has not.
    sent = [path for path in every if any(packet.rdma for packet in packets[path])]
    faulty = {path for path in sent if any(finding.level <= LEVELS["warning"] for finding in before[path])}
    to_filter = faulty | {*[path for path in sent if path not in faulty][::8]}
    paths = sample.rows(every, lambda path: path.name)
    faults, counts, both = [], collections.Counter(), joined(lint, paths)
    with tempfile.TemporaryDirectory() as tmp:
        todo = []
        for path in paths:
            todo += variants(captures[path], packets[path], before[path], pathlib.Path(tmp), path in both)
        after = read(lint, [variant.path for variant in todo])
        alone = {v.path for v in todo if v.answered} - joined(lint, [v.path for v in todo if v.answered])
        for variant in todo:
            path = variant.capture.path
            variant.quiet = variant.quiet and variant.path not in alone
            judge(variant, packets[path], before[path], after.get(variant.path, []), faults, counts)
    counts["variants"] = len(todo)
    for path in paths:
        for variant in filtered(lint, captures[path], packets[path], before[path]) if path in to_filter else []:
            after = read(lint, [path], *variant.options).get(path, [])
            judge(variant, packets[path], before[path], after, faults, counts)
            counts["filters"] += 1
    print("\n".join(faults[:200] + [f"{len(paths)} captures, {counts['variants']} with something taken out, {counts['filters']} filtered: "
                                    f"{counts['stayed']} findings that stay, {counts['quiet']} times nothing new, "
                                    f"{len(faults)} faults"]))
    return 1 if faults or not counts["stayed"] or not counts["quiet"] else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
