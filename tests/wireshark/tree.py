#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tree.py PLUGIN MADE: what the tree of the plugin is called, and in what order it says what it says, with -2.

Of the first frames of captures of faults, of upper layers and of MADs, in both modes:

- it is called by what the packet is: stream, operation, PSN and length, as its fields have them; of a MAD what Info says of it;
- findings come first, then [Analysis] and incidents, then headers; after these [Connection], [Flight] and the message, each once at most;
- each field of a group is in its own: PLACES; the text of a finding is there once;
- no label says "(ns)", and no subtree is empty; a PSN is written as findings and Info have it, "0x000015".
"""
import collections
import pathlib
import re
import sys

import pdml
import ws

PATHS = ("faults/0*", "faults/1*", "mad/*", "rxe/1*")
TITLE = re.compile(r"RDMA(?:, stream (\d+))?, (.+?)(?:, PSN (0x[0-9a-f]{6}))?(?:, Len (\d+))?$")
GROUPS = "Connection", "Flight"
# A PSN that is not written "0x000015". Relative ones count from 0.
OTHER_PSN = re.compile(r"(?<!elative )\bPSN\W{1,2}(?!0x[0-9a-f]{6}\b)(?:0x)?[0-9a-f]*\d")
# {where: what of it is only there}
PLACES = {"Connection": re.compile(r"ibwire\.(stream|conn)(\.|$)|ibwire\.conv\.sqpn$|ibwire\.analysis\.initial_rtt$"),
          "Flight": re.compile(r"ibwire\.(ack|read|atomic|cnp\.for_stream|psn)(\.|$)|ibwire\.bth\.psn_rel$|"
                               r"ibwire\.analysis\.(\w+_in_flight|read_depth|reads_full|no_credit)$"),
          "ibwire.msg": re.compile(r"ibwire\.msg\.(op|first_in|last_in|packets|len|off|va|time|completed_in|latency)$")}
FIRST = "ibwire.lint", "ibwire.analysis", "ibwire.incident"


def text_of(field):
    return (field.get("showname") or field.get("show") or "").strip("[]")


def name_of(item):
    """Of a subtree without a field: its title."""
    return item.get("name") or text_of(item)


def value(fields, name):
    return next((field.get("show") for field in fields if field.get("name") == name), None)


def title(proto, info):
    """Faults of the root."""
    fields, found = list(proto.iter("field")), TITLE.match(proto.get("showname"))
    if not found:
        yield f"called {proto.get('showname')}"
        return
    if found[1] != value(fields, "ibwire.stream"):
        yield f"called {found[0]}, but of stream {value(fields, 'ibwire.stream')}"
    if value(fields, "ibwire.mad.mgmt_class") is not None:
        if not re.sub(rf"^(?:{ws.MARK})*", "", info).startswith(found[2]):
            yield f"called {found[0]}, Info {info}"
        return
    opcode = next((text_of(field) for field in fields if field.get("name") == "ibwire.bth.opcode"), "")
    if opcode and found[2] not in opcode:
        yield f"called {found[0]}, of {opcode}"
    length = value(fields, "ibwire.reth.dmalen") or value(fields, "ibwire.payload_len") or "0"
    psn = value(fields, "ibwire.bth.psn")
    if psn and value(fields, "ibwire.cnp") is None and (found[3], found[4] or "0") != (f"0x{int(psn, 0):06x}", length):
        yield f"called {found[0]}, with PSN {psn}, {length} bytes"


def order(proto, n):
    """Faults of what comes when, and of where it is."""
    names = [name_of(item) for item in proto if item.get("hide") != "yes"]
    first = [FIRST.index(name) for name in names if name in FIRST]
    if first != sorted(first) or any(name in FIRST for name in names[len(first):]):
        yield f"what is first: {names}"
    last = [name for name in names if name in PLACES]
    if last != sorted(set(last), key=[*PLACES].index):
        yield f"groups: {names}"
    if "ibwire.bth" in names and last and names.index("ibwire.bth") > names.index(last[0]):
        yield f"headers after groups: {names}"
    for item in proto:
        where = name_of(item)
        n[where] += where in PLACES or where in FIRST
        if where in GROUPS and not any(child.get("hide") != "yes" for child in item):
            yield f"{where} is empty"
        for field in item.iter("field"):
            if field is item or where == "ibwire.analysis":
                continue
            place = next((group for group, names in PLACES.items() if names.match(field.get("name") or "")), None)
            if place and where != place:
                yield f"{field.get('name')}: in {where}, not in {place}"
            if "(ns)" in text_of(field):
                yield f"label: {text_of(field)}"
            if OTHER_PSN.search(text_of(field)):
                yield f"a PSN: {text_of(field)}"


def of_findings(proto):
    """Faults of texts that are there more than once where somebody looks."""
    for item in (item for item in proto if item.get("name") == "ibwire.lint"):
        message = value([*item], "ibwire.lint.message")
        shown = [text_of(field) for field in item.iter("field") if field.get("hide") != "yes" and not (field.get("name") or "").startswith("_ws")]
        if sum(message in text for text in shown) != 1:
            yield f"{message}: {shown}"


def main():
    tshark, made, faults, n = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), [], collections.Counter()
    paths = [path for names in PATHS for path in sorted((ws.ROOT / "pcaps").glob(f"{names}.pcap"))]
    paths += sorted(made.glob("streams-cng*.pcap"))[:4]
    if not any(path.parent == made for path in paths):
        return ws.verdict([f"no captures in {made}"], "")
    capture = tshark.write_all("trees.pcapng", ws.of_captures(paths, 60))
    infos = tshark.infos(capture, "-2", "-o", "ibwire.mode:takeover", infiniband="ibwire")
    for mode in ("augment", "takeover"):
        for number, protos in pdml.packets(tshark, capture, "-2", "-o", f"ibwire.mode:{mode}", "-o", "ibwire.all_fields:true"):
            faults += [f"frame {number}: Info: {infos[number]}" for _ in OTHER_PSN.findall(infos[number])]
            for proto in protos[:1] if any(field.get("name") == "ibwire.bth" for field in (protos[0] if protos else ())) else []:
                n[mode] += 1
                faults += [f"{mode} frame {number}: {fault}" for fault in (*title(proto, infos[number]), *order(proto, n), *of_findings(proto))]
    faults += [f"no {what}" for what in (*PLACES, *FIRST, "augment", "takeover") if not n[what]]
    return ws.verdict(faults, ", ".join(f"{what} {count}" for what, count in sorted(n.items()) if count))


if __name__ == "__main__":
    sys.exit(main())
