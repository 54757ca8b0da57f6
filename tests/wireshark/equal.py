#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""equal.py PLUGIN PCAP-LINT MADE [FRAMES]: the plugin says field for field what pcap-lint says.

tshark -T pdml against pcap-lint --decode --format json, of the first FRAMES frames (0: all) of every
capture: the same layers at the same places, each with the same fields and values, the same payload
and the same CRC verdicts. CM packets besides backwards and on a second pass: what stands behind a packet
says nothing of it.
"""
import json
import ipaddress
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import ws

NOT_LAYERS = {"ibwire." + name for name in ("proto", "outcome", "cut", "malformed", "options", "payload",
                                           "payload_len", "pad", "icrc", "vcrc", "trailer")}
STATUS = {0: "bad", 1: "good", 2: "unverifiable", 3: "absent"}
OUTCOMES = ["ok", "cut", "malformed", "other"]


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
    return [field for field in proto.iter("field")
            if field.get("name", "").startswith("ibwire.") and
            field.get("name").count(".") == 1 and field.get("size") is not None and
            field.get("name") not in NOT_LAYERS]


def compare_layer(layer, field):
    """Differences between a layer of the JSON and one of the pdml."""
    name = "ibwire." + layer["name"]
    if field.get("name") != name:
        yield f"{field.get('name')} is {name}"
        return
    if int(field.get("size")) != layer["length"]:
        yield f"{name}: {field.get('size')} bytes are {layer['length']}"
    rows = {}
    for child in field.findall("field"):
        rows.setdefault(child.get("name"), []).append(child)
    rows.pop("ibwire.options", None)
    for row, value in layer["fields"].items():
        values = value if isinstance(value, list) else [value]
        children = rows.pop(f"{name}.{row}", [])
        shows = [child.get("show") for child in children]
        if len(values) != len(children) or not all(map(same, values, children)):
            yield f"{name}.{row}: {shows} is {value}"
    for row in rows:
        yield f"{row} is not in the JSON"


def field_in(proto, name):
    return next((f for f in proto.iter("field") if f.get("name") == "ibwire." + name), None)


def compare_crc(packet, proto, name):
    crc, status = packet[name], field_in(proto, name + ".status")
    shown = STATUS[int(status.get("show"))] if status is not None else "absent"
    if shown != crc["status"]:
        yield f"{name} {shown} is {crc['status']}"
    elif "found" in crc:
        item = field_in(proto, name)
        # pcap-lint has the number that was computed with, whose least significant byte comes first.
        if bytes.fromhex(item.get("show")[2:])[::-1] != bytes.fromhex(crc["found"][2:]):
            yield f"{name}: {item.get('show')} is {crc['found']}"


def compare(packet, proto):
    if proto is None:
        if packet["outcome"] != "other":
            yield f"no tree, but the outcome is {packet['outcome']}"
        return
    outcome = OUTCOMES[int(field_in(proto, "outcome").get("show"))]
    if outcome != packet["outcome"]:
        yield f"outcome {outcome} is {packet['outcome']}"
    if outcome == "other":
        return
    fields = layers_of(proto)
    if len(fields) != len(packet["layers"]):
        yield f"{[f.get('name') for f in fields]} is {[x['name'] for x in packet['layers']]}"
    for layer, field in zip(packet["layers"], fields):
        yield from compare_layer(layer, field)
    length = field_in(proto, "payload_len")
    if length is not None and int(length.get("show")) != packet["payload"]["length"]:
        yield f"payload of {length.get('show')} is {packet['payload']['length']}"
    for name in ("icrc", "vcrc"):
        yield from compare_crc(packet, proto, name)


def protos_of(process):
    """The plugin's tree of each frame, None where there is none."""
    for _, element in ElementTree.iterparse(process.stdout, events=("end",)):
        if element.tag == "packet":
            yield next((p for p in element.iter("proto") if p.get("name") == "ibwire"), None)
            element.clear()


class Reader:
    """Reads captures with both."""

    def __init__(self, tshark, lint):
        self.tshark, self.lint, self.faults, self.compared = tshark, lint, [], 0

    def read(self, linktype, frames, origin, *options):
        capture = self.tshark.write(f"{linktype}.pcap", linktype, frames)
        as_is = self.tshark.write(f"{linktype}-as-is.pcap", linktype, frames, as_is=True)
        run = subprocess.run([self.lint, "--decode", "--format", "json", as_is],
                             capture_output=True, text=True, check=False)
        packets = [p for p in map(json.loads, run.stdout.splitlines()) if p["type"] == "packet"]
        process = self.tshark.start("-n", "-o", ws.USER0 % "infiniband", "-r", capture, *options,
                                    "-T", "pdml", stdout=subprocess.PIPE,
                                    stderr=subprocess.DEVNULL)
        protos = protos_of(process)
        for where, packet, proto in zip(origin, packets, protos, strict=True):
            self.compared += 1
            self.faults += [f"{where} ({linktype}): {fault}" for fault in compare(packet, proto)]
        if process.wait():
            self.faults.append(f"{linktype}: tshark ended with status {process.returncode}")


def main():
    made, reader = sys.argv[3], Reader(ws.Tshark(sys.argv[1]), sys.argv[2])
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 25
    for linktype, (frames, origin) in ws.by_linktype(made, first or None).items():
        reader.read(linktype, frames, origin)
    linktype, frames = ws.records(pathlib.Path(made) / "cm.pcap")
    for what, order in ("cm", frames), ("cm backwards", frames[::-1]):
        for options in [], ["-2"]:
            origin = [" ".join([f"{what}:{i + 1}", *options]) for i in range(len(order))]
            reader.read(linktype, order, origin, *options)
    return ws.verdict(reader.faults, f"{reader.compared} frames") if reader.compared else 1


if __name__ == "__main__":
    sys.exit(main())
