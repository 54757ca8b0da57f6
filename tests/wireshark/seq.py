#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""seq.py PLUGIN: -z flow,ibwire draws each RDMA packet, from whom to whom, and says what it is.

Of captures with losses, refusals, the CM and MADs, with -2: an arrow a packet with a BTH, in the order of the file, from the
address and queue pair that its fields have to those; the text has the operation, what a NAK says and the marks of the
Info column (take-over mode), and the relative PSN and number of the message of the fields; the comment the connection and the queue
pairs. In take-over mode the diagram is the same, in the window (sharkd) the texts are, and in a single pass the ends. The list
of packets stays what it is, and so do the other taps of Wireshark next to it, before and after.
"""
import json
import re
import sys

import ws

CAPTURES = ("03d-nak-loss", "03-readresp-loss", "05-rnr-finite", "08-badkey-write", "10c-netem-reorder-write",
            "20-cm-req-lost", "20g-cm-rej-consumer", "12-uc-write-loss", "13-ud-loss", "31b-mirror-twice")
FIELDS = ["frame.number", "ip.src", "ip.dst", "ibwire.stream", "ibwire.conv.sqpn", "ibwire.deth.sqpn",
          "ibwire.bth.dqpn", "ibwire.bth.psn_rel", "ibwire.msg", "ibwire.mad.mgmt_class"]
TAP = "flow,ibwire,network"
NEXT_TO = ("flow,any,network", "conv,ibwire", "follow,ibwire,raw,0")
TAKE_OVER = ("-o", "ibwire.mode:takeover")
NODE = 20  # characters a column, the first is 10
TEXT = re.compile(r"\|(.*?)(?: PSN \+(\d+))?(?: message (\d+))?((?: \[[^]]*\])*)$")
NOT_SHOWN = re.compile(rf" \[(?:{ws.SERVICE}|{ws.READ})\]")


def arrows(text):
    """([address], [(from, to, text, comment)]): ends are numbers of the addresses, with a port."""
    lines = text.splitlines()
    head = [line for line in lines if "|" in line][:2]
    names = [name for pair in zip(*(re.findall(r"\d+\.\d+\.\d+\.\d+", line) for line in head), strict=False)
             for name in pair]
    found = []
    for above, below in zip(lines[2::2], lines[3::2], strict=False):
        ports = re.findall(r"\((\d+)\)", below)
        left = (below.index("(") - 11) // NODE
        ends = [(left, int(ports[0])), (left + 1, int(ports[1]))]
        if "<-" in below:
            ends.reverse()
        found.append((*ends, above[above.index("|", 10) + 1:].split("|")[0].strip(), above.rsplit("|", 1)[1]))
    return names, found


def rows_of(tshark, capture):
    args = [arg for field in FIELDS for arg in ("-e", field)]
    those = "-2", *TAKE_OVER, "-Y", "ibwire.bth && !ibwire.quoted"
    text, infos = tshark.read(capture, *those, "-T", "fields", "-E", "separator=/t", *args), tshark.infos(capture, *those)
    rows = (dict(zip(FIELDS, line.split("\t"), strict=True)) for line in text.splitlines())
    return [row | {"Info": infos[int(row["frame.number"])]} for row in rows]


def qpn(text):
    return int(text, 0) if text else 0


def want_of(row):
    """(from, to, text, comment): what the arrow of a packet ought to be."""
    info = NOT_SHOWN.sub("", row["Info"])
    first = re.match(r"(?:\[[^]]*\] )*", info)[0]  # in the arrow they are last
    info = info.removeprefix(first)
    marks = "".join(re.findall(r" \[[^]]*\]", info)) + "".join(f" {mark}" for mark in re.findall(r"\[[^]]*\]", first))
    if row["ibwire.mad.mgmt_class"]:
        text = None
    else:
        text = re.sub(r"^\S+ (RDMA )?", "", info.split(" QP=")[0])
        nak = re.search(r" \((?:RNR )?NAK.*?\)", info)
        text += nak[0] if nak else ""
    source = row["ibwire.conv.sqpn"] or row["ibwire.deth.sqpn"]
    stream = f"stream {row['ibwire.stream']}, " if row["ibwire.stream"] else ""
    sender = f"0x{qpn(source):06x}" if source else "?"
    comment = f"{stream}qp {sender} -> 0x{qpn(row['ibwire.bth.dqpn']):06x}"
    return (row["ip.src"], qpn(source)), (row["ip.dst"], qpn(row["ibwire.bth.dqpn"])), text, comment, marks


def compare(where, names, arrow, row):
    source, target, text, said = arrow
    want = want_of(row)
    have = (names[source[0]], source[1]), (names[target[0]], target[1])
    comment, _, rest = said.partition(": ")
    match = TEXT.match("|" + rest)
    psn, message = (match[2] or "", match[3] or "")
    if have != want[:2]:
        yield f"{where}: {have}, not {want[:2]}"
    if comment != want[3] or match[4] != want[4]:
        yield f"{where}: {said}, not {want[3]} and {want[4]}"
    if match[1] != want[2] if want[2] else not row["Info"].startswith(match[1]):
        yield f"{where}: {match[1]}, not {want[2] or row['Info']}"
    if (psn, message) != (row["ibwire.bth.psn_rel"], row["ibwire.msg"]):
        yield f"{where}: PSN {psn}, message {message}, not {row['ibwire.bth.psn_rel']}, {row['ibwire.msg']}"
    if not rest.startswith(text) or not text:
        yield f"{where}: {text} is not how {rest} begins"


def check(tshark, name, n):
    capture = tshark.put(ws.ROOT / f"pcaps/faults/{name}.pcap")
    drawn, rows = tshark.read(capture, "-q", "-2", "-z", TAP), rows_of(tshark, capture)
    names, found = arrows(drawn)
    n["arrows"] = n.get("arrows", 0) + len(found)
    if len(found) != len(rows):
        yield f"{name}: {len(found)} arrows, not {len(rows)}"
    for arrow, row in zip(found, rows, strict=False):
        yield from compare(f"{name}, frame {row['frame.number']}", names, arrow, row)
        for kind, has in (("NAKs", "NAK" in arrow[3]), ("marks", "[" in arrow[3]), ("MADs", ": CM " in arrow[3])):
            n[kind] = n.get(kind, 0) + has
    if tshark.read(capture, "-q", "-2", *TAKE_OVER, "-z", TAP) != drawn:
        yield f"{name}: another diagram in take-over mode"
    listed = tshark.read(capture)
    if not (both := tshark.read(capture, "-z", TAP)).startswith(listed):
        yield f"{name}: another list of packets next to a diagram"
    elif (single := arrows(both[len(listed):])[0]) != names:
        yield f"{name}: ends in a single pass: {single}, not {names}"
    answers = tshark.sharkd({"method": "load", "params": {"file": str(capture)}},
                            {"method": "tap", "params": {"tap0": "seqa:ibwire"}})
    window = [flow["c"] for flow in json.loads(answers[1])["result"]["taps"][0]["flows"]]
    if window != [arrow[3] for arrow in found]:
        yield f"{name}: other texts in the window: {window[:3]}"


def next_to(tshark, name):
    """Other taps, which look at the same packets: what they say alone they say next to the diagram."""
    capture = tshark.put(ws.ROOT / f"pcaps/faults/{name}.pcap")
    drawn = tshark.read(capture, "-q", "-2", "-z", TAP)
    for other in NEXT_TO:
        alone = tshark.read(capture, "-q", "-2", "-z", other)
        for taps in ((TAP, other), (other, TAP)):
            both = tshark.read(capture, "-q", "-2", *(word for tap in taps for word in ("-z", tap)))
            if both not in (drawn + alone, alone + drawn):
                lost = set((drawn + alone).splitlines()) - set(both.splitlines())
                yield f"{name}: {' and '.join(taps)}: not as alone: {sorted(lost)[:3]}"


def main():
    tshark, n = ws.Tshark(sys.argv[1]), {}
    faults = [fault for name in CAPTURES for fault in check(tshark, name, n)]
    faults += next_to(tshark, "20-cm-req-lost")
    faults += [f"no {kind}" for kind in ("arrows", "NAKs", "marks", "MADs") if not n.get(kind)]
    return ws.verdict(faults, f"{len(CAPTURES)} captures: {', '.join(f'{kind} {one}' for kind, one in n.items())}")


if __name__ == "__main__":
    sys.exit(main())
