#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""titles.py TABLES-DUMP: the title of a header says in words what its name says in short.

The name is what tests/facts/map/ gives the structures of others to. Each part of it is the initials of
words of the title, an abbreviation of one of them (its first letter, then others in order), or is
below. A title that is another header's is found out by that, unless the two are called alike.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import tables_file  # noqa: E402

# What a part of a name means where no rule says so: words of which the title has to have one.
MEANS = {
    "ari": "Reject Information", "arp": "Address Resolution Protocol", "atomicacketh": "Atomic Acknowledge Extended",
    "atomiceth": "Atomic Extended", "bsdh": "Base Sockets Direct Header", "ca": "CA|Channel Adapter",
    "cm": "CM|Reject Information|Private Data", "cm6": "IPv6", "cma": "RDMA CM", "dr": "Directed Route",
    "entry": "Entry|Event", "groups": "GroupInfo", "hdr": "Header|fixed part", "hwaddr": "Hardware Address",
    "ipoib": "IPoIB|over InfiniBand", "linkpkt": "Link Packet", "lladdr": "Link-layer Address",
    "mad": "Management Datagram", "mlnx": "Mellanox", "more": "Additional",
    "nd": "Neighbor|Router Advertisement|Redirect|over InfiniBand", "notice": "Notice|Trap",
    "pfc": "Priority-based Flow Control", "private": "CM Private Data", "raw": "Data Details", "rec": "Record",
    "redirect": "Redirect", "rmpp": "Reliable Multi-Packet", "router": "Router", "rpcrdma": "RPC over RDMA",
    "rwh": "Raw Header", "sdp": "SDP|Sockets Direct", "send": "Request or Response", "sl2vl": "SLtoVL",
    "sll": "Linux Cooked Capture v1", "sll2": "Linux Cooked Capture v2",
    "smp": "Subnet Management|Directed Route|Mellanox", "snmp": "SNMP|CommunityInfo|PduInfo",
    "erspan2": "ERSPAN Type II", "erspan3": "ERSPAN Type III",
    "geneve": "Generic Network Virtualization Encapsulation", "gpe": "Generic Protocol Extension",
    "gtp": "GTP", "u": "User Plane", "itag": "Service Instance Tag", "tag": "Metadata", "snap": "Subnetwork Access Protocol",
    "ppp": "Point-to-Point Protocol|PPP", "pppoe": "PPP over Ethernet",
    "start": "Request or Reply Frame",
    "aer": "Asynchronous Event", "cdb": "Command Descriptor Block", "cred": "Credit", "imm": "Immediate Data", "tsk": "Task", "i": "Initiator", "t": "Target",
    "6": "6 Bytes", "10": "10 Bytes", "12": "12 Bytes", "16": "16 Bytes",
    "tm": "Task Management", "ctrl": "Control|Ctrl", "snack": "SNACK", "async": "Asynchronous", "r2t": "Ready to Transfer", "nopout": "NOP-Out", "nopin": "NOP-In", "in": "Data-In", "out": "Data-Out",
    "versions": "Supported Versions", "rpc": "RPC", "auth": "Authentication",
    "ext": "Extension|Extended",
    "nvmf": "NVMe Fabrics", "cdw": "Command Dwords", "rw": "Read or Write",
    "vlan": "Virtual LAN", "vxlan": "Virtual eXtensible LAN|VXLAN", "xrceth": "XRC Extended",
}
# Parts that tell structures of one title apart.
SAME_TITLE = {"req", "rep", "rej"}
NUMBERED = re.compile(r"(?:cm_private|reserved)_\d+")


def words_of(title):
    """Its words, those of CamelCase apart."""
    return re.findall(r"[A-Z]+s?(?![a-z])|[A-Z][a-z]*|[a-z]+|\d+", title)


def abbreviates(part, word):
    rest = iter(word)
    return word.startswith(part[0]) and all(c in rest for c in part)


def said(part, title):
    """Whether a title has what a part of a name means."""
    if part in MEANS:
        return any(text in title for text in MEANS[part].split("|"))
    words = [word.lower() for word in words_of(title)]
    whole = re.sub(r"[^a-z0-9]", "", title.lower())
    return any(abbreviates(part, word) for word in words) or part in "".join(w[0] for w in words) \
        or (part in whole and len(part) > 2)


def main():
    text = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    rows = [row for row in tables_file.read(text) if row["table"] == "header"]
    faults = []
    for row in rows:
        name, title = row["name"], row["title"]
        parts = NUMBERED.sub(lambda m: m.group().rsplit("_", 1)[0], name).split("_")
        missing = [part for part in parts if not said(part, title)
                   and not (part in SAME_TITLE and "Private Data" in title)]
        if missing:
            faults.append(f"{name}: \"{title}\" says nothing of {', '.join(missing)}")
    print("\n".join(faults + [f"{len(rows)} titles, {len(faults)} faults"]))
    return 1 if faults or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
