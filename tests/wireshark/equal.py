#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""equal.py PLUGIN PCAP-LINT MADE [FRAMES]: the plugin says field for field what pcap-lint says.

tshark -T pdml against pcap-lint --decode --format json, of the first FRAMES frames (0: all) of every
capture: the same layers at the same places, each with the same fields and values, where the schema
says that they lie, the same payload, CRC verdicts and outcome, and as expert items what is wrong with
these, where no rule says it. Headers of upper layers are left out: ulp_trees.py compares them. In augment and in take-over mode, on one pass and on two. CM packets besides backwards: what
comes after a packet says nothing of it.
"""
import json
import ipaddress
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import broken  # noqa: E402
import pdml  # noqa: E402
import schema  # noqa: E402
import upper_layers  # noqa: E402
import ws  # noqa: E402

NOT_LAYERS = {"ibwire." + name for name in ("proto", "outcome", "cut", "malformed", "options", "payload",
                                           "payload_len", "pad", "icrc", "vcrc", "trailer", "stream", "msg",
                                           "incident", "analysis")}
STATUS = {0: "bad", 1: "good", 2: "unverifiable", 3: "absent"}
OUTCOMES = ["ok", "cut", "malformed", "other"]
TAKE_OVER = ["-o", "ibwire.mode:takeover"]
# All fields; and no rule, whose findings stand for what these items say.
ALL = ["-o", "ibwire.all_fields:TRUE", "-o", "ibwire.ignore:all"]
# What is before these is left to other dissectors.
TAKEN_OVER = ("lrh", "linkpkt", "grh", "bth", "ipoib_area")
CRC_BYTES = {"icrc": 4, "vcrc": 2}


def wire_bytes(said):
    """What was on the wire: a card that cuts a record says so in its header alone."""
    head = next((layer for layer in said["layers"] if layer["name"] == "erf"), None)
    inside = next((layer["offset"] for layer in said["layers"] if not layer["name"].startswith("erf")), None)
    if said["len"] > said["caplen"] or not head or inside is None:
        return said["len"]
    return inside + head["fields"]["wlen"]



def number(text):
    return {"True": 1, "False": 0}.get(text) if text in ("True", "False") else int(text, 0)


def same(value, field):
    """Whether a value of the JSON is that of a pdml field."""
    show, raw = field.get("show"), field.get("value", "")
    if isinstance(value, int):
        return number(show) == value
    if value.startswith("0x") and show.startswith("0x"):
        return int(value, 0) == int(show, 0)
    if ":" in show and value == show:
        return True
    try:
        return ipaddress.ip_address(value) == ipaddress.ip_address(show)
    except ValueError:
        return value in (show, show.replace(":", ""), raw) or \
            (value.startswith("0x") and int(value, 0) == int(show, 0))


def layers_of(proto):
    upper = {field for item in proto.iter("field") if item.get("name") == "ibwire.ulp" for field in item.iter("field")}
    return [field for field in proto.iter("field")
            if field not in upper and field.get("name", "").startswith("ibwire.") and
            field.get("name").count(".") == 1 and field.get("size") is not None and
            field.get("name") not in NOT_LAYERS]


class Frame:
    """What pcap-lint says of a frame, and where Wireshark has its bytes."""

    def __init__(self, said, linktype, data):
        self.said, self.data = said, data
        self.tree_at, self.right = 0, None
        # Wireshark takes the header of an ERF record off.
        self.head = ws.erf_header(data) if linktype == ws.ERF else 0

    def at(self, offset):
        return offset if offset < self.head else offset - self.head


def compare_places(name, row, at, children):
    """Differences in where the items of a field are; its header begins at @at."""
    line = schema.lines(name)[row]
    for i, child in enumerate(children):
        off, size = line.place(i)
        wanted = at + off, size
        yield from (f"{field.get('name')} is at {pdml.place(field)}, not {wanted}"
                    for field in child.iter("field") if pdml.place(field) != wanted)


def compare_aliases(field):
    """The built-in dissector's name of a field is where ours is, which follows it."""
    for child, after in zip(field, [*field[1:], None]):
        if child.get("name").startswith("infiniband.") and \
                (after is None or pdml.place(child) != pdml.place(after)):
            yield f"{child.get('name')} is at {pdml.place(child)}, ours is not"


def compare_options(layer, at, children):
    """What a header has beyond its fixed part."""
    fixed = schema.size(layer["name"])
    wanted = [(at + fixed, layer["length"] - fixed)] if layer["length"] > fixed else []
    if [pdml.place(child) for child in children] != wanted:
        yield f"options of {layer['name']}: {[pdml.place(child) for child in children]}, not {wanted}"


def compare_layer(frame, layer, field):
    """Differences between a layer of the JSON and one of the pdml."""
    name = "ibwire." + layer["name"]
    if field.get("name") != name:
        yield f"{field.get('name')} is {name}"
        return
    # Several frames have become a data source of its own.
    at = layer["offset"] if "frames" in layer else frame.at(layer["offset"])
    # What begins before its parent, tshark counts from there (print.c: proto_tree_write_node_pdml).
    wanted = at if at >= frame.tree_at else at + frame.tree_at, layer["length"]
    if pdml.place(field) != wanted:
        yield f"{name} is at {pdml.place(field)}, not {wanted}"
    rows = {}
    for child in field.findall("field"):
        rows.setdefault(child.get("name"), []).append(child)
    yield from compare_options(layer, at, rows.pop("ibwire.options", []))
    yield from compare_aliases(field)
    for row, value in layer["fields"].items():
        values = value if isinstance(value, list) else [value]
        children = rows.pop(f"{name}.{row}", [])
        shows = [child.get("show") for child in children]
        if len(values) != len(children) or not all(map(same, values, children)):
            yield f"{name}.{row}: {shows} is {value}"
        yield from compare_places(layer["name"], row, at, children)
    yield from (f"{row} is not in the JSON" for row in rows if not row.startswith("infiniband."))


def field_in(proto, name):
    return next((f for f in proto.iter("field") if f.get("name") == "ibwire." + name), None)


def compare_expert(item, name, wanted):
    """@wanted: severity, group and message of what has to be said below @item; None: nothing is."""
    found = None if item is None else pdml.expert(item)
    want = wanted and pdml.Expert("ibwire." + name, *wanted)
    if found != want:
        yield f"expert item {found}, not {want}"


def compare_crc(frame, proto, name):
    crc, status, item = frame.said[name], field_in(proto, name + ".status"), field_in(proto, name)
    shown = STATUS[int(status.get("show"))] if status is not None else "absent"
    if shown != crc["status"]:
        yield f"{name} {shown} is {crc['status']}"
        return
    bad = None
    if "found" in crc:
        # pcap-lint has the number that was computed with, whose least significant byte comes first.
        found, computed = (bytes.fromhex(crc[key][2:])[::-1] for key in ("found", "computed"))
        at, size = pdml.place(item)
        at += frame.head
        if item.get("show") != f"0x{found.hex()}" or size != CRC_BYTES[name] or \
                frame.data[at:at + size] != found:
            yield f"{name}: {item.get('show')} at {pdml.place(item)} is {crc['found']}"
        if shown == "bad":
            kind = {"icrc": "invariant", "vcrc": "variant"}[name]
            bad = "Error", "Checksum", f"Bad {kind} CRC [should be 0x{computed.hex()}]"
    yield from compare_expert(item, f"{name}.bad", bad)


def compare_outcome(frame, proto):
    item, said = field_in(proto, "outcome"), frame.said
    outcome, error = OUTCOMES[int(item.get("show"))], said.get("error")
    if outcome != said["outcome"]:
        yield f"outcome {outcome} is {said['outcome']}"
    wanted, text = None, ""
    if outcome == "cut":
        wanted = "Chat", "Undecoded", "Packet cut by the capture"
        text = f"{said['caplen']} of {wire_bytes(said)} bytes are there"
    elif outcome == "malformed":
        where = f"{error['layer']}.{error['field']}" if error["field"] else error["layer"]
        wanted = "Error", "Malformed", "Packet contradicts itself"
        text = f"{where} at offset {error['offset']}: needed {error['needed']}, had {error['had']}"
    if not item.get("showname").endswith(text):
        yield f"{item.get('showname')} does not say {text}"
    yield from compare_expert(item, outcome, wanted)


def compare_payload(frame, proto):
    """Payload, pad and trailer: the payload where the JSON has it, the others next to it."""
    payload, length, item = frame.said["payload"], field_in(proto, "payload_len"), \
        field_in(proto, "payload")
    there = max(0, min(payload["length"], len(frame.data) - payload["offset"]))
    wanted = (frame.at(payload["offset"]), there) if there else None
    have = None if item is None else pdml.place(item)
    if have != wanted:
        yield f"payload is at {have}, not {wanted}"
    if payload["length"] != (0 if length is None else int(length.get("show"))):
        yield f"payload of {length is not None and length.get('show')} is {payload['length']}"
    bth, pad = next((layer for layer in frame.said["layers"] if layer["name"] == "bth"), None), \
        field_in(proto, "pad")
    if pad is not None and (bth is None or pdml.place(pad)[1] > bth["fields"]["padcnt"] or
                            wanted and pdml.place(pad)[0] != sum(wanted)):
        yield f"pad is at {pdml.place(pad)}, the payload at {wanted}"
    trailer = field_in(proto, "trailer")
    ends = [sum(pdml.place(item)) for item in (field_in(proto, name) for name in CRC_BYTES)
            if item is not None]
    if trailer is not None and (frame.head + sum(pdml.place(trailer)) > len(frame.data) or
                                ends and pdml.place(trailer)[0] != max(ends)):
        yield f"trailer is at {pdml.place(trailer)}, the CRCs end at {ends}"


def taken_over(said):
    """The layers that are ours."""
    layers = said["layers"]
    first = next((i for i, layer in enumerate(layers) if layer["name"] in TAKEN_OVER), len(layers))
    return layers[first:]


def is_rdma(said):
    """None: it was cut before that, and only the plugin knows what would have come."""
    if any(layer["name"] in TAKEN_OVER for layer in said["layers"]):
        return True
    return None if said["outcome"] == "cut" else \
        said["outcome"] == "malformed" and said["error"]["layer"] in TAKEN_OVER


def compare(frame, protos):
    """With what the trees of the plugin say, the first of which has the fields."""
    said = frame.said
    proto = next((proto for proto in protos if field_in(proto, "outcome") is not None), None)
    if proto is None:
        if is_rdma(said):
            yield f"no tree, but the outcome is {said['outcome']}"
        return
    if is_rdma(said) is False:
        yield "a tree, but nothing of RDMA"
        return
    frame.tree_at = int(proto.get("pos"))
    yield from compare_outcome(frame, proto)
    if said["outcome"] == "other":
        return
    fields, layers = layers_of(proto), taken_over(said)
    if len(fields) != len(layers):
        yield f"{[f.get('name') for f in fields]} is {[x['name'] for x in layers]}"
    for layer, field in zip(layers, fields):
        yield from compare_layer(frame, layer, field)
    yield from compare_payload(frame, proto)
    for name in CRC_BYTES:
        yield from compare_crc(frame, proto, name)


class Reader:
    """Reads captures with both."""

    def __init__(self, tshark, lint):
        self.tshark, self.lint, self.faults, self.compared = tshark, lint, [], 0

    def said(self, merged):
        """[what pcap-lint says] of each frame."""
        capture = self.tshark.write_all("as-is.pcapng", merged, as_is=True)
        run = subprocess.run([self.lint, "--decode", "--format", "json", capture],
                             capture_output=True, text=True, check=False)
        packets = [upper_layers.without(p) for p in map(json.loads, run.stdout.splitlines()) if p["type"] == "packet"]
        rows = [(linktype, row[3]) for linktype, (frames, _) in merged.items() for row in frames]
        return [Frame(packet, *row) for packet, row in zip(packets, rows, strict=True)]

    def read(self, merged, *ways):
        """@ways: lists of options of tshark."""
        frames, capture = self.said(merged), self.tshark.write_all("all.pcapng", merged)
        for options in ways:
            over = options[:2] == TAKE_OVER
            texts = pdml.texts(self.tshark, capture, *options, *ALL,
                               infiniband="ibwire" if over else "infiniband")
            for where, frame, text in zip(ws.origins(merged), frames, texts, strict=True):
                self.compared += 1
                if text == frame.right:  # on the pass before
                    continue
                faults = list(compare(frame, pdml.parsed(text)[1]))
                self.faults += [f"{where} {' '.join(options)}: {fault}" for fault in faults]
                frame.right = None if faults else text


def main():
    made, reader = sys.argv[3], Reader(ws.Tshark(sys.argv[1]), sys.argv[2])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 25
    merged = ws.by_linktype(made, first or None)
    for linktype, (frames, origin) in ws.of_captures([broken.capture(reader.tshark)]).items():
        merged[linktype][0].extend(frames)
        merged[linktype][1].extend(origin)
    reader.read(merged, [], ["-2"], TAKE_OVER, [*TAKE_OVER, "-2"])
    linktype, frames = ws.records(pathlib.Path(made) / "cm.pcap")
    backwards = {linktype: (frames[::-1], [f"cm backwards:{i + 1}" for i in range(len(frames))])}
    reader.read(backwards, [], ["-2"])
    return ws.verdict(reader.faults, f"{reader.compared} frames") if reader.compared else 1


if __name__ == "__main__":
    sys.exit(main())
