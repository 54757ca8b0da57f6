#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""taps.py PLUGIN MADE: -z ibwire,lint and -z ibwire,tree count what is in captures, in each mode.

12g-netem-corrupt-badicrc.pcap has 679 RoCE packets, 35 of them with a bad ICRC. 03h-send-rc-rdmacm.pcap has
114, 10 of them of the CM; tests/wireshark/conv.py counts them by their bytes. In the menu Statistics, what was
found of packets and of the file as a whole: lint-cap-times-coarse.pcap has 11 equal times, which no packet is at fault of.
In the list of expert items a rule has one line, and the protocol is ours.
"""
import json
import pathlib
import re
import sys

import findings
import ws

CAPTURES = [ws.ROOT / f"pcaps/rxe/{name}.pcap" for name in ("12g-netem-corrupt-badicrc",
                                                            "03h-send-rc-rdmacm")]
# {(node, below which; "" for none): count}
WANTED = {("Opcodes", ""): 679 + 114, ("RC RDMA WRITE Middle", "Opcodes"): 356,
          ("RC Acknowledge", "Opcodes"): 87 + 42, ("UD SEND Only", "Opcodes"): 10, ("MAD classes", ""): 10,
          ("ComMgt", "MAD classes"): 10, ("ICRC", ""): 679 + 114, ("good", "ICRC"): 644 + 114,
          ("bad", "ICRC"): 35}


# {rule: findings} of 12g. Of packets with a good ICRC: requests with the PSN of one before (QPS003); requests more than one PSN
# further than any before (QPS002); NAKs (QPS008), and what two of them ask for comes later than 50 ms (QPS011; what frame 413 asks
# for comes at once in frame 414, damaged, and whole after 69 ms); the request of frame 535 asks for an ACK, and 69 ms later
# there is none (QPS021). Which of them a timer sent again (QPS017) the bytes do not say.
OF_PACKETS = {"CRC001": 35, "ROC010": 1, "QPS002": 15, "QPS003": 257, "QPS008": 21, "QPS011": 2, "QPS021": 1}
NOT_COUNTED = "QPS017"


def node_of(rule):
    said = findings.RULES[rule]
    return f"{rule} {said.name} ({said.severity}): {said.text}", "Of packets"


# {(node, below which): count}
FINDINGS = {node_of(rule): count for rule, count in OF_PACKETS.items()} | {("Of the file", ""): 0}
COARSE = {("Of the file", ""): 1,
          ("CAP014 ts-resolution-coarse (note): 11 of 200 records (5.5 %) have the time of the record before", "Of the file"): 1}
EXPERT = re.compile(r"^ +(\d+) +(\w+) +(\w+)  (CRC001 icrc-bad: .*)$", re.M)


def tree_of(nodes, above=""):
    """{(node, below which): count} of a tree as sharkd says it."""
    out = {}
    for node in nodes:
        out[node["name"], above] = node["count"]
        out |= tree_of(node.get("sub", []), node["name"])
    return out


def window(tshark, made):
    """What the menu shows."""
    with tshark.sharkd_running() as sharkd:
        for path, want in ((CAPTURES[0], FINDINGS), (pathlib.Path(made) / "lint-cap-times-coarse.pcap", COARSE)):
            sharkd.ask({"method": "setconf", "params": {"name": "ibwire.severity", "value": "note" if want is COARSE else "warning"}})
            sharkd.load(tshark.put(path))
            for _ in range(2):  # opened again, it counts from 0
                answer = json.loads(sharkd.ask({"method": "tap", "params": {"tap0": "stat:ibwire_findings"}}))
                have = tree_of(answer["result"]["taps"][0]["stats"])
                total = sum(count for (_, above), count in have.items() if above == "Of packets")
                if have.pop(("Of packets", ""), None) != total:
                    yield f"{path.name}: the findings of packets are not {total}"
                have.pop(node_of(NOT_COUNTED), None)
                if have != want:
                    yield f"{path.name}: {have}, not {want}"


def expert(tshark):
    """-z expert, with a tree and without."""
    for options in ([], ["-V"], ["-o", "ibwire.mode:takeover"]):
        text = tshark.read(tshark.put(CAPTURES[0]), *options, *([] if "-V" in options else ["-q"]), "-z", "expert")
        found = EXPERT.findall(text)
        if [row[:3] for row in found] != [("35", "Checksum", "RDMA")]:
            yield f"-z expert {options}: {found[:3]}"


def nodes(text):
    """{(node, below which): count}"""
    out, above = {}, ""
    for indent, name, count in re.findall(r"^( ?)(\w[\w ]*?) +(\d+) ", text, re.M):
        out[name, above if indent else ""] = int(count)
        above = above if indent else name
    return out


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    capture = tshark.write_all("captures.pcapng", ws.of_captures(CAPTURES))
    for options in ([], ["-2"], ["-o", "ibwire.mode:takeover"]):
        text = tshark.read(capture, "-q", "-z", "ibwire,lint", "-z", "ibwire,tree", *options)
        have = nodes(text)
        faults += [f"{options}: {name} is {have.get(name)}, not {count}"
                   for name, count in WANTED.items() if have.get(name) != count]
        found = re.search(r"^CRC001 +error +(\d+)  icrc-bad$", text, re.M)
        if not found or int(found[1]) != 35:
            faults.append(f"{options}: CRC001 is not there 35 times:\n{text}")
        if "CAP008" in text:
            faults.append(f"{options}: CAP008")
    text = tshark.read(tshark.put(pathlib.Path(sys.argv[2]) / "lint-cap-times-coarse.pcap"), "-q", "-z", "ibwire,lint", "-o", "ibwire.severity:note")
    if not re.search(r"^note: CAP014 ts-resolution-coarse: 11 of 200 records", text, re.M):
        faults.append(f"-z ibwire,lint does not say what is about the file:\n{text}")
    faults += [*window(tshark, sys.argv[2]), *expert(tshark)]
    return ws.verdict(faults, f"{len(WANTED)} counts")


if __name__ == "__main__":
    sys.exit(main())
