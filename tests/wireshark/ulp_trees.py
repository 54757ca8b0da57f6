#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ulp_trees.py PLUGIN PCAP-LINT MADE: the trees of upper layers.

Of each capture of pcaps/ulp, of those of upper layers over iWARP, and of made ones, in both modes, with -2 and on a single pass:

- the headers of each message are those of pcap-lint --decode --messages: which, where, and each field with its value, in the frame that
  completes the message, and in no other;
- those of SRP, RDS and rsockets are what tests/oracles/upper_fields.py reads of the bytes;
- the commands, their answers and the RDMA READs and WRITEs for them are those of tests/oracles/upper.py: each packet names the frames of the
  others, the answer also its status and how long it took;
- in take-over mode the columns say what a message of an upper layer without a dissector of Wireshark's is, and nobody else gets it; headers
  that Wireshark's dissector shows are hidden, but found by a filter.

Captures without upper layers have none of this.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/oracles")]
import capture as C  # noqa: E402
import equal  # noqa: E402
import packet as P  # noqa: E402
import pdml  # noqa: E402
import sample  # noqa: E402
import upper  # noqa: E402
import upper_fields  # noqa: E402
import upper_layers  # noqa: E402
import ws  # noqa: E402

COMPARED = ULP, COMMAND, OPERATION, ID, QUEUE, REQUEST, RESPONSE, DATA, COUNT, BYTES, TIME, STATUS, FAILED, REST = [
    f"ibwire.ulp{name}" for name in ("", ".command", ".operation", ".id", ".queue", ".request_in", ".response_in", ".data_in", ".data_count",
                                     ".data_bytes", ".time", ".status", ".failed", ".data")]
TAKE_OVER = ["-o", "ibwire.mode:takeover"]
MODES = {"augment": ["-2"], "augment, a single pass": [], "take-over": [*TAKE_OVER, "-2"], "take-over, a single pass": TAKE_OVER}
IWARP = ("01-nvme-siw", "02-iser-siw", "05-nfs4-siw", "05d-nfs3-siw")
WITH = ("04d-rstream-write-imm", "16b-nfs4-rdma")  # in rooms without
WITHOUT = ("rxe", "faults", "mad", "linux", "reports-ib")
OF_BYTES = {"03-srp": upper_fields.of_srp, "04-rds": upper_fields.of_rds, "06-rstream": upper_fields.of_word,
            "06b-riostream": upper_fields.of_word, "06c-rcopy": upper_fields.of_word, "06d-rstream-loss": upper_fields.of_word}
FILTERS = {"NVMe": "nvme-rdma", "iSER": "iser", "RPC": "rpcordma", "SMB Direct": "smb_direct"}
PROTOCOLS = {1: "NVMe", 2: "iSER", 3: "SRP", 4: "RPC", 5: "SMB Direct", 6: "RDS", 7: "rsocket"}
OURS = {"SRP", "RDS", "rsocket"}
LISTED = 64
# So many at least, of all captures.
LEAST = {"headers": 2000, "fields": 15000, "commands": 500, "SRP": 40, "RDS": 20, "rsocket": 150, "fields by the bytes": 1500, "data": 200}
INFOS = {
    "03-srp": [r"READ\(10\), tag 0x[0-9a-f]+, 24576 bytes", r"READ\(10\), tag 0x[0-9a-f]+: success",
               r"MAINTENANCE IN, tag 0x[0-9a-f]+: CHECK CONDITION: ILLEGAL REQUEST, asc 0x20 ascq 0x00",
               r"RC RDMA WRITE Only .*\[data of READ\(10\), tag 0x[0-9a-f]+\]"],
    "04-rds": [r"\d+ -> \d+, sequence number \d+, 9000 bytes", r"\d+ -> \d+, sequence number \d+, 64 bytes", "congestion map"],
    "06-rstream": [r"data, 2048 bytes", r"credit and SGL, \d+", r"control, disconnect"],
}


def said(lint, path, *options):
    run = subprocess.run([lint, *options, "--format", "json", path], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 2):
        raise SystemExit(f"{lint} {options} {path}: status {run.returncode}\n{run.stderr[-4000:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


class Tree:
    """One tree of an upper layer in a frame."""

    def __init__(self, item, number):
        self.item, self.number, self.protocol = item, number, PROTOCOLS.get(int(item.get("show")), item.get("show"))
        self.commands = [child for child in item if child.get("name") == COMMAND]
        self.headers = [child for child in item if child.get("name") not in COMPARED]

    def names(self):
        return [header.get("name")[len("ibwire."):] for header in self.headers]


def trees(tshark, path, options):
    """{frame: [Tree]}"""
    found = collections.defaultdict(list)
    for number, protos in pdml.packets(tshark, path, *options):
        for proto in protos:
            found[number] += [Tree(item, number) for item in proto.iter("field") if item.get("name") == ULP]
    return found


class Here:
    """Where the headers of a message are, to equal.compare_layer()."""
    tree_at = 0

    def __init__(self, first):
        self.base = int(first.get("pos")) if first is not None else 0

    def at(self, offset):
        return self.base + offset


def messages_of(lint, path):
    """[(frame, frames, [layer])] of messages that are complete and have headers of an upper layer."""
    found = []
    for row in said(lint, path, "--decode", "--messages"):
        if row["type"] == "message" and row["layers"] and upper_layers.is_upper(row["layers"][0]) and row["outcome"] != "unfinished":
            found.append((row["frame"], row["frames"], row["layers"]))
    return found


def headers(compared, name, have, want):
    """Each header of each message, field for field."""
    wanted = collections.defaultdict(list)
    for frame, _, layers in want:
        wanted[frame].append(layers)
    with_headers = {number: [tree for tree in some if tree.headers and tree.protocol != "rsocket"] for number, some in have.items()}
    for number in sorted(wanted.keys() | with_headers.keys()):
        mine, theirs = with_headers.get(number, []), wanted[number]
        compared.same("messages", f"{name}:{number}", [tree.names() for tree in mine], [[layer["name"] for layer in layers] for layers in theirs])
        for tree, layers in zip(mine, theirs):
            here = Here(tree.headers[0] if tree.headers else None)
            for field, layer in zip(tree.headers, layers):
                layer = {key: value for key, value in layer.items() if key != "frames"}
                compared.n["headers"] += 1
                compared.n["fields"] += len(layer["fields"])
                compared.faults += [f"{name}:{number}: {fault}" for fault in equal.compare_layer(here, layer, field)]
            compared.n[tree.protocol] += 1


def by_bytes(compared, name, path, have):
    """The headers that upper_fields.py finds: where, and their fields."""
    read = OF_BYTES[name]
    wanted = {}
    for frame, data, word, start in whole(path):
        if (word is None) == (read is not upper_fields.of_word):
            wanted[frame] = read(data if word is None else word), start
    kind = {upper_fields.of_srp: "srp_", upper_fields.of_rds: "rds_", upper_fields.of_word: "rsocket_"}[read]
    mine = {number: [header for tree in some for header in tree.headers if header.get("name").startswith(f"ibwire.{kind}")]
            for number, some in have.items()}
    mine = {number: some for number, some in mine.items() if some}
    compared.same("frames by the bytes", name, sorted(mine), sorted(wanted))
    for number in mine.keys() & wanted.keys():
        layers, start = wanted[number]
        compared.same("headers by the bytes", f"{name}:{number}", [field.get("name") for field in mine[number]],
                      [f"ibwire.{layer}" for layer, _, _ in layers])
        for field, (layer, offset, fields) in zip(mine[number], layers):
            compared.same("place by the bytes", f"{name}:{number} {layer}", int(field.get("pos")), start + offset)
            shown = {child.get("name"): child.get("show") for child in field}
            for key, value in fields.items():
                show = shown.get(f"ibwire.{layer}.{key}")
                compared.same("fields by the bytes", f"{name}:{number} {layer}.{key}", number_of(show), value)


def number_of(show):
    if show is None:
        return None
    if show in ("True", "False"):
        return int(show == "True")
    return int(show.replace(":", ""), 16) if ":" in show else int(show, 0)


def whole(path):
    """[(frame that completes it, payload, word, where the payload or the word begins)] of SENDs, and of WRITEs with immediate data."""
    seen, growing, found = set(), {}, []
    for record in C.records(path):
        packet = P.parse(record)
        if not packet or packet.icrc == P.BAD or packet.service != P.RC or packet.op not in P.SENDS | P.WRITES:
            continue
        way, imm = (packet.src, packet.dst, packet.dqpn), packet.op in (P.WRITE_ONLY_IMM, P.WRITE_LAST_IMM)
        if (way, packet.psn) in seen:
            continue
        seen.add((way, packet.psn))
        data = record.data[packet.start:packet.start + packet.payload]
        if imm:
            found.append((packet.frame, data, record.data[packet.start - 4:packet.start], packet.start - 4))
        elif packet.op in (P.SEND_ONLY, P.SEND_ONLY_INV):
            found.append((packet.frame, data, None, packet.start))
        elif packet.op == P.SEND_FIRST:
            growing[way] = packet.psn, data
        elif way in growing and packet.op in P.SENDS and (growing[way][0] + 1) % (1 << 24) == packet.psn:
            growing[way] = packet.psn, growing[way][1] + data
            if packet.op in (P.SEND_LAST, P.SEND_LAST_INV):
                found.append((packet.frame, growing.pop(way)[1], None, 0))  # in a data source of its own
    return found


class Reader(upper.Reader):
    """Keeps of each command all frames that move its data."""

    def row(self, one, outcome, packet=None, answer=None):
        super().row(one, outcome, packet, answer)
        self.rows[-1]["moved"] = [frame for frame, _ in one.moved]


def values(item, name):
    return [child.get("show") for child in item.iter("field") if child.get("name") == name]


def numbers(item, name):
    return [int(show, 0) for show in values(item, name)]


def told_of(item):
    """What a tree says of a command."""
    return {"id": numbers(item, ID)[0], "name": values(item, OPERATION)[0], "queue": numbers(item, QUEUE), "request": numbers(item, REQUEST),
            "response": numbers(item, RESPONSE), "data": numbers(item, DATA), "count": numbers(item, COUNT), "bytes": numbers(item, BYTES),
            "time": [ws.ns(show) for show in values(item, TIME)], "status": values(item, STATUS), "failed": [number_of(show) for show in values(item, FAILED)]}


def wanted_of(rows, shown_in, two_passes):
    """{frame: [what is to be said of a command]}: of it, of its data, of its answer."""
    out = collections.defaultdict(list)
    for row in rows:
        queue = [] if row["protocol"] != "NVMe-oF" or row["queue"] is None else [row["queue"]]
        moved, end = row["moved"], row["end"]
        base = {"id": row["id"], "name": row["name"], "queue": queue, "request": [], "response": [], "data": [], "count": [], "bytes": [],
                "time": [], "status": [], "failed": []}
        data = {"data": moved[:LISTED], "count": [len(moved)] * bool(moved), "bytes": [row["transferred"]] * bool(moved)}
        later = {"response": [end]} if two_passes and end else {}
        out[shown_in(row["frame"])].append({**base, **(data if two_passes else {}), **later})
        for frame in moved:
            out[shown_in(frame)].append({**base, "request": [row["frame"]], **later})
        if end:
            out[shown_in(end)].append({**base, **data, "request": [row["frame"]], "time": [row["ns"]], "status": [row["status"]],
                                       "failed": [int(row["error"])]})
    return out


def commands(compared, name, have, rows, shown_in, two_passes):
    wanted = wanted_of(rows, shown_in, two_passes)
    mine = {number: [told_of(item) for tree in some for item in tree.commands] for number, some in have.items()}
    mine = {number: some for number, some in mine.items() if some}

    def key(one):
        return sorted((field, str(value)) for field, value in one.items())

    for number in sorted(mine.keys() | wanted.keys()):
        theirs = sorted(wanted[number], key=key)
        compared.same("commands", f"{name}:{number}", sorted(mine.get(number, []), key=key), theirs)
        compared.n["data"] += sum(bool(one["request"]) and not one["time"] for one in theirs)


def shown_in_of(lint, path):
    """By the first frame of a message, that which completes it."""
    of = {}
    for row in said(lint, path, "--decode", "--messages"):
        if row["type"] == "message" and row["frames"] and row["outcome"] != "unfinished" and row["kind"] in ("send", "write"):
            of.setdefault(row["frames"][0], row["frame"])
    return lambda frame: of.get(frame, frame)


def infos(compared, tshark, path, name, have):
    """In take-over mode: columns, and who else gets a message."""
    text = tshark.read(path, *TAKE_OVER, "-2", "-T", "tabs", "-o", 'gui.column.format:"No.","%m","Protocol","%p","Info","%i"')
    lines = {int(row[0]): row[1:] for row in (line.strip().split("\t") for line in text.splitlines())}
    layers = tshark.read(path, *TAKE_OVER, "-2", "-T", "fields", "-e", "frame.number", "-e", "frame.protocols")
    protocols = {int(number): rest.split(":") for number, rest in (line.split("\t") for line in layers.splitlines())}
    for number, some in have.items():
        for tree in some:
            if tree.protocol not in OURS or not tree.headers:
                continue
            if tree.protocol == "rsocket" or "ibwire.fpdu" not in protocols[number]:
                compared.same("Protocol", f"{name}:{number}", lines[number][0], tree.protocol)
            if tree.protocol != "rsocket":
                compared.same("protocols above", f"{name}:{number}", protocols[number][-1], "ibwire")
    for pattern in INFOS.get(name, ()):
        found = sum(bool(re.search(pattern, row[-1])) for row in lines.values())
        compared.n["Info"] += found
        if not found:
            compared.faults.append(f"{name}: no Info {pattern}")


def hidden(compared, tshark, path, name, have):
    """Headers of what Wireshark shows are hidden, others are not; a filter finds both."""
    text = tshark.read(path, "-2", "-T", "fields", "-e", "frame.number", "-e", "frame.protocols")
    protocols = {int(number): rest.split(":") for number, rest in (line.split("\t") for line in text.splitlines())}
    for number, some in have.items():
        for tree in some:
            hides = {header.get("hide") == "yes" for header in tree.headers}
            if tree.headers:
                theirs = FILTERS.get(tree.protocol) in protocols[number]
                compared.same("hidden" if theirs else "shown", f"{name}:{number}", hides, {theirs})
    field = next((header.get("name") for some in have.values() for tree in some for header in tree.headers), None)
    if field:
        found = [int(line) for line in tshark.read(path, "-2", "-Y", field, "-T", "fields", "-e", "frame.number").splitlines()]
        want = sorted(number for number, some in have.items() if any(f"ibwire.{each}" == field for tree in some for each in tree.names()))
        # The private data of the CM have headers of the same upper layers.
        compared.same("found by a filter", f"{name} {field}", [number for number in found if number in have], want)


def one(tshark, lint, path, compared):
    name, rows = path.stem, Reader(path).rows
    put, messages, shown_in = tshark.put(path), messages_of(lint, path), shown_in_of(lint, path)
    for mode, options in MODES.items():
        have = trees(tshark, put, options)
        headers(compared, f"{name} ({mode})", have, messages)
        commands(compared, f"{name} ({mode})", have, rows, shown_in, "-2" in options)
        if name in OF_BYTES:
            by_bytes(compared, name, path, have)
            compared.n["rsocket"] += sum(tree.protocol == "rsocket" for some in have.values() for tree in some)
        if mode == "take-over":
            infos(compared, tshark, put, name, have)
        if mode == "augment":
            hidden(compared, tshark, put, name, have)


def without(compared, tshark, made):
    """Captures of other things."""
    paths = [path for room in WITHOUT for path in sorted((ROOT / "pcaps" / room).glob("*.pcap")) if path.stem not in WITH]
    merged = ws.of_captures(paths)
    put = tshark.write_all("without.pcapng", merged)
    for options in ([], TAKE_OVER):
        found = tshark.read(put, *options, "-Y", "ibwire.ulp", "-T", "fields", "-e", "frame.number").split()
        origins = ws.origins(merged)
        compared.same("without upper layers", str(options), [origins[int(number) - 1] for number in found][:20], [])


def main():
    tshark, lint, compared = ws.Tshark(sys.argv[1]), sys.argv[2], ws.Compared()
    real = sorted((ROOT / "pcaps/ulp").glob("*.pcap")) + [ROOT / f"pcaps/siw/{name}.pcap" for name in IWARP]
    only = sys.argv[4:]
    for path in real if only else sample.rows(real, lambda path: path.name):
        if not only or path.stem in only:
            one(tshark, lint, path, compared)
    if not only:
        without(compared, tshark, sys.argv[3])
    if not only and sample.whole():
        compared.faults += [f"{compared.n[kind]} {kind}, {least} at least" for kind, least in LEAST.items() if compared.n[kind] < least]
    return ws.verdict(compared.faults, ", ".join(f"{n} {kind}" for kind, n in sorted(compared.n.items())))


if __name__ == "__main__":
    sys.exit(main())
