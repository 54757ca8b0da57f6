# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pdml.py - what tshark -T pdml says: packets one by one, places, expert items.

Severities and groups are as Wireshark's developer's guide numbers them (epan/proto.h).
"""
import dataclasses
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree

import ws

SEVERITIES = {0x200000: "Chat", 0x400000: "Note", 0x600000: "Warn", 0x800000: "Error"}
GROUPS = {0x01000000: "Checksum", 0x02000000: "Sequence", 0x03000000: "Response", 0x05000000: "Undecoded",
          0x06000000: "Reassemble", 0x07000000: "Malformed", 0x09000000: "Protocol",
          0x0d000000: "Assumption"}


@dataclasses.dataclass
class Expert:
    name: str
    severity: str
    group: str
    message: str


def texts(tshark, capture, *options, layers="ibwire icmp icmpv6", infiniband="infiniband"):
    """Of each packet its element, with these layers, as text: newer Wiresharks have what ICMP quotes within it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = tshark.start("-n", "-o", ws.USER0 % infiniband, "-r", capture, *tshark.of(capture, options), "-T", "pdml",
                               "-J", layers, stdout=subprocess.PIPE, stderr=errors, text=True)
        lines = []
        for line in process.stdout:
            if line.startswith("<packet>"):
                lines.clear()
            lines.append(line)
            if line.startswith("</packet>"):
                yield "".join(lines)
        status = process.wait()
        process.stdout.close()
        errors.seek(0)
        text = errors.read()
        if status or ws.FATAL.search(text):
            raise SystemExit(f"tshark {options}: status {status}\n{text[-4000:]}")


def parsed(text):
    """The number of a packet and [tree of the plugin]."""
    element = ElementTree.fromstring(text)
    number = element.find("proto[@name='geninfo']/field[@name='num']").get("show")
    return int(number), element.findall(".//proto[@name='ibwire']")


def packets(*how):
    return map(parsed, texts(*how))


def place(item):
    return int(item.get("pos")), int(item.get("size"))


def expert(item):
    """The expert info of an item, None if it has none."""
    info = item.find("field[@name='_ws.expert']")
    if info is None:
        return None
    show = {field.get("name"): field.get("show") for field in info}
    return Expert(info[0].get("name"), SEVERITIES.get(int(show["_ws.expert.severity"])),
                  GROUPS.get(int(show["_ws.expert.group"])), show["_ws.expert.message"])
