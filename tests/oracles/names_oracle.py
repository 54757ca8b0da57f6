#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""names_oracle.py PCAP-LINT MADE [CAPTURE...]: names of nodes after LIDs, GUIDs and directed routes, in findings, tables and stories, against the bytes.

Of each capture with MADs of pcaps/ and of those that pcaps/make wrote to MADE, of RANDOM random fabrics, of EXCHANGED in which two
LIDs are, and of HOSTILE whose nodes have descriptions that some form gives a meaning to. A LID, a route or a GUID in a finding has its name if fabric.py knows one up to the frame of the finding, and no name that it never had; one that another node had
before or has later, that of then or none. Objects of --stats have the names of the end of the capture, and so have
events of --story subnet, but for LIDs that two nodes had. names_formats.py compares the forms without such keys with JSON. Not named, as the line says it otherwise:

N1  LIDs and GUIDs of "spine 1 (GUID 0x..., LID 0x...)": the name is in front.
N2  the LID of FAB010, which is of the two nodes of the line, and the one of FAB025, which is no longer of any.
N3  the routes of FAB009: both lead to the GUID of the line.
N4  routes of which a part is by LIDs, or of more than 32 hops; LIDs of groups.
"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import fabric  # noqa: E402
import names_formats  # noqa: E402
import packet  # noqa: E402
import random_fabrics  # noqa: E402
import sample  # noqa: E402
import subnet  # noqa: E402
import writer as W  # noqa: E402

AT_ONCE = 50  # captures a run
RANDOM, EXCHANGED, HOSTILE = 60, 20, 12
NAME = r"(?: \((?!priority \d|LID 0x)((?:[^()]|\([^()]*\))*?)(?:, LID 0x[0-9a-f]{4})?\))?"
LID = re.compile(r"(?<!\()(?<!, )\b[SD]?LID 0x([0-9a-f]{4})(?![0-9a-f])" + NAME)
ROUTE = re.compile(r"by route 0((?:,\d+)*)(?!,)" + NAME)
GUID = re.compile(r"\b(?:node GUID|SM|hands over to|and so is|and of) 0x([0-9a-f]{16})" + NAME)
MEMBER = re.compile(r"\bport ([0-9a-f:.]*:[0-9a-f:.]*)" + NAME + r" (?:joins|leaves) ")
UNNAMED = {("FAB010", "lid"), ("FAB025", "lid"), ("FAB009", "route")}
SA, GET, NODE_RECORD = 3, 1, 0x11
DIRECTED, PURE = 0x81, b"\xff" * 4
LEAST = {"lid": 150, "guid": 10, "route": 60, "table": 60, "story": 100, "pair": 30, **dict.fromkeys(names_formats.FORMS, 100)}  # names seen


class Known(fabric.Fabric):
    """The names at each time."""

    def __init__(self):
        super().__init__()
        self.routes = {}  # (agent, way): node
        self.ever = collections.defaultdict(set)  # what of: the nodes that were there

    def mad(self, record, d):
        super().mad(record, d)
        mad = d.body
        if mad[1] == DIRECTED and mad[3] >> 7 and packet.u16(mad, 16) == fabric.NODE_INFO and mad[7] <= 63 and \
                not packet.u16(mad, 4) & 0x7fff and mad[32:36] == PURE:
            self.routes[bytes(mad[8:12]), bytes(mad[129:129 + mad[7]])] = fabric.u64(mad[64:128], 12)
            self.ever["route", bytes(mad[8:12]), bytes(mad[129:129 + mad[7]])].add(fabric.u64(mad[64:128], 12))
        for lid, node in self.lids.items():
            self.ever["lid", lid].add(node)

    def moved(self, *what):
        return len(self.ever[what]) > 1

    def only_lid_node(self, lid):
        return None if self.moved("lid", lid) else self.lid_node(lid)

    def of_address(self, text):
        return self.only_lid_node(int(text[4:], 16)) if text.startswith("LID 0x") else super().of_address(text)

    def of_agent(self, agent, way=b""):
        moved = self.moved("route", agent, b"") or self.moved("route", agent, way)
        return None if moved else self.node_name(self.routes.get((agent, way)))

    def node_name(self, node):
        return self.guid_node(node) or f"GUID {fabric.guid(node)}" if node else None

    def route_node(self, mad, only):
        """Where the route of @mad leads to; None: not known, or, with @only, no longer to that node alone."""
        if mad is None or mad[1] != DIRECTED or mad[7] > 32:
            return None
        if mad[3] >> 7:
            place = self.places.find(mad, 0)
            return self.node_name(place[0]) if place and not (only and place[2]) else None
        if mad[32:36] != PURE:
            return None
        agent, way = bytes(mad[8:12]), bytes(mad[129:129 + mad[7]])
        return self.of_agent(agent, way) if only else self.node_name(self.routes.get((agent, way)))


def asked(finding, mad):
    """[(kind, key, name that it has)] of the words of a finding."""
    found = []
    if (finding["rule"], "lid") not in UNNAMED:
        found += [("lid", int(m[1], 16), m[2]) for m in LID.finditer(finding["message"])]
    for key, end in (("source_node", 0), ("destination_node", 1)):
        flow = re.fullmatch(r"LID 0x(\w{4}) -> LID 0x(\w{4}) qp .*", finding["flow"] or "")
        if flow:
            found.append(("lid", int(flow[end + 1], 16), finding.get(key)))
    found += [("guid", int(m[1], 16), m[2]) for m in GUID.finditer(finding["message"])]
    if (finding["rule"], "route") not in UNNAMED and mad is not None and mad[1] == DIRECTED:
        way = "".join(f",{port}" for port in mad[129:129 + mad[7]])
        found += [("route", mad, m[2]) for m in ROUTE.finditer(finding["message"]) if m[1] == way]
    return [(kind, key, name) for kind, key, name in found if kind != "lid" or 0 < key < 0xc000]


def name_of(known, kind, key, only=False):
    if kind == "route":
        return known.route_node(key, only)
    if kind == "lid":
        return known.only_lid_node(key) if only else known.lid_node(key)
    return known.guid_node(key)


def tables(known, row):
    """[(what, the name it should have, the one it has)] of an object of --stats."""
    kind = row["type"]
    if kind == "mad_client":
        agent = row["agent"]
        node = known.of_address(row["client"]) if agent is None else known.of_agent(agent.to_bytes(4, "big"))
        yield "client_node", node, row["client_node"]
    elif kind == "neighbour":
        yield "lid_node", known.lid_node(row["lid"]), row["lid_node"]
        yield "gid_node", known.of_address(row["gid"]) if row["gid"] else None, row["gid_node"]
    elif kind == "group":
        for member in row["members"]:
            yield "node", known.of_address(member["address"]), member["node"]
    elif kind == "cm":
        for end in "ab":
            yield f"{end}_node", known.of_address(row[end]["address"]), row[f"{end}_node"]
    elif kind == "pair":
        for end in ("source", "destination"):
            yield f"{end}_node", known.of_address(row[end]) if row[end] else None, row.get(f"{end}_node")


def story(known, text):
    """[(what, the name it should have, the one it has)] of an event of --story subnet."""
    for found in LID.finditer(text):
        yield f"LID 0x{found[1]}", known.only_lid_node(int(found[1], 16)), found[2]
    for found in GUID.finditer(text):
        yield f"GUID 0x{found[1]}", known.guid_node(int(found[1], 16)), found[2]
    for found in MEMBER.finditer(text):
        yield found[1], known.of_address(found[1]), found[2]


def run(lint, paths):
    """{path: [object]}"""
    found = collections.defaultdict(list)
    for i in range(0, len(paths), AT_ONCE):
        args = [lint, "--stats", "--story", "subnet", "--format", "json", "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", *paths[i:i + AT_ONCE]]
        for line in subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.splitlines():
            one = json.loads(line)
            found[one.get("file")].append(one)
    return found


def compare(lint, path, objects, seen):
    """[fault]"""
    findings = [one for one in objects if one["type"] == "finding"]
    mads, faults = {}, []
    for record in capture.records(path):
        d = subnet.datagram(record)
        if d and subnet.is_mad(d) and len(d.body) == 256 and d.body[0] == 1:
            mads[record.number] = (record, d)
    if not mads:
        return []
    wanted = [(one["frame"] or 0, one, *what) for one in findings
              for what in asked(one, bytes(mads[one["frame"]][1].body) if one["frame"] in mads else None)]
    wanted.sort(key=lambda row: row[0])
    known, names, at = Known(), collections.defaultdict(set), 0
    keys = {(kind, key) for _, _, kind, key, _ in wanted}
    by_then = []
    for frame, (record, d) in sorted(mads.items()):
        while at < len(wanted) and wanted[at][0] < frame:
            by_then.append(name_of(known, *wanted[at][2:4]))
            at += 1
        if d.body[1] in (0x01, DIRECTED, 4):
            known.mad(record, d)
            if d.body[1] == DIRECTED and d.body[3] >> 7 and packet.u16(d.body, 16) in (fabric.NODE_INFO, fabric.NODE_DESC, fabric.PORT_INFO):
                for kind, key in keys:
                    names[kind, key].add(name_of(known, kind, key))
    by_then += [name_of(known, *row[2:4]) for row in wanted[at:]]
    for (frame, one, kind, key, name), then in zip(wanted, by_then):
        seen[kind] += name is not None
        what = f"route {list(key[129:129 + key[7]])}" if kind == "route" else f"{kind} {key:#x}"
        at_end = name_of(known, kind, key, only=True)
        if name is None and then is not None and at_end is not None:
            faults.append(f"frame {frame}: {one['rule']}: {what} is {then} by then: {one['flow']}: {one['message']}")
        elif name is not None and (name not in names[kind, key] or (at_end is None and name != then)):
            faults.append(f"frame {frame}: {one['rule']}: {what} is called {name}, it was {then} by then, and ever {names[kind, key]}: {one['message']}")
    for row in objects:
        told = row["type"] == "event"
        for what, want, got in story(known, row["text"]) if told else tables(known, row):
            seen["story" if told else "table"] += got is not None
            if want != got:
                faults.append(f"{row['type']} {what}: {got}, the oracle {want}")
    if not path.name.startswith("random-") or path.stem.endswith("0"):  # some are enough
        faults += names_formats.compare(lint, path, objects, known.of_address, seen)
    return [f"{path.name}: {fault}"[:700] for fault in faults]


def exchanged(seed):
    """Two hosts, if there are, exchange their LIDs after a request that nobody answers, which is told at the end."""
    made = random_fabrics.Fabric(random.Random(seed))
    asker = made.askers[0]
    made.sweep(asker)
    hosts = [host for host in made.hosts if host is not asker and host.cable and len(host.state) == 1][:2]
    made.send(asker.lid, hosts[0].lid if hosts else 1, made.mad(SA, GET, NODE_RECORD, 0, made.tid(asker), b""), 1)
    made.time += 200 * 10**9
    if len(hosts) == 2:
        hosts[0].lid, hosts[1].lid = hosts[1].lid, hosts[0].lid
    made.sweep(asker)
    return W.pcap(247, made.frames)


def main(lint, made, *given):
    paths = [pathlib.Path(path) for path in given] or \
        sample.rows(sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *pathlib.Path(made).glob("*.pcap*")]), lambda path: path.name)
    seen, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory() as directory:
        for seed in () if given else sample.seeds(RANDOM):
            paths.append(pathlib.Path(directory) / f"random-{seed}.pcap")
            paths[-1].write_bytes(random_fabrics.scenario(seed)[0])
        for seed in () if given else sample.seeds(EXCHANGED):
            paths.append(pathlib.Path(directory) / f"exchanged-{seed}.pcap")
            paths[-1].write_bytes(exchanged(seed))
        for seed in range(0 if given else HOSTILE):
            paths.append(pathlib.Path(directory) / f"hostile-{seed}.pcap")
            paths[-1].write_bytes(names_formats.hostile(seed))
        found = run(lint, list(map(str, paths)))
        faults += names_formats.compare_far(lint, pathlib.Path(directory) / "far.pcap")
        for path in paths:
            try:
                faults += compare(lint, path, found[str(path)], seen)
            except capture.Skipped:
                continue
    if not given and sample.whole():
        faults += [f"{seen[kind]} names of kind {kind}, {least} at least" for kind, least in LEAST.items() if seen[kind] < least]
    print(*faults[:40], sep="\n", end="\n" if faults else "")
    print(f"{dict(seen)} names in {len(paths)} captures: {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
