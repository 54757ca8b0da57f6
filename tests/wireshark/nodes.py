#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""nodes.py PLUGIN: ibwire.node.src, .dst and .route of each MAD of a sweep, in one pass and in two.

Whose LID it is and where a route leads is read from the bytes here, of the frames up to each one: NodeInfo,
NodeDescription and PortInfo that answer by directed route. By who asks (the upper half of the transaction ID), the route and the way
back; of a request the route alone; else what anybody was told there, unless they were told different things.
"""
import struct
import sys

import ws

CAPTURES = ["mad/sweep.pcap", "reports-ib/09-port-flaps.pcap", "reports-ib/10-duplicate-guid.pcap",
            "reports-ib/18-subnet-manager-and-monitor.pcap"]
MAD, SEND = 28, 290  # where it begins after LRH, BTH and DETH; bytes of such a packet
DIRECTED, NODE_DESC, NODE_INFO, PORT_INFO, SWITCH = 0x81, 0x10, 0x11, 0x15, 2


class Nodes:
    def __init__(self):
        self.way, self.anybody, self.route, self.kind, self.name, self.lid = {}, {}, {}, {}, {}, {}

    def place(self, agent, route, back):
        """GUID at the end of a route, by an answer that came @back."""
        if (agent, route, back) in self.way:
            return self.way[agent, route, back]
        told = self.anybody.get((route, back))
        return told[0] if told and not told[2] else None

    def text(self, guid):
        return "" if not guid else self.name.get(guid) or f"GUID 0x{guid:016x}"

    def learn(self, m, agent, route, back):
        attribute, modifier = struct.unpack_from(">H2xI", m, 16)
        data = m[64:128]
        if attribute == NODE_INFO:
            guid, = struct.unpack_from(">Q", data, 12)
            told = self.anybody.get((route, back))
            doubtful = bool(told and (told[2] or (told[0] != guid and told[1] != agent)))
            self.anybody[route, back] = guid, agent, doubtful
            self.way[agent, route, back] = self.route[agent, route] = guid
            self.kind[guid] = data[2]
            return
        guid = self.place(agent, route, back)
        if guid and attribute == NODE_DESC:
            self.name[guid] = data.split(b"\0")[0].decode("ascii", "replace").rstrip(" ")[:40]
        lid, = struct.unpack_from(">H", data, 16)
        if guid and attribute == PORT_INFO and 0 < lid < 0xc000 and not (self.kind[guid] == SWITCH and modifier & 0xff):
            self.lid[lid] = guid

    def mad(self, data):
        """(source, destination, node of the route) of the frame."""
        m = data[MAD:MAD + 256]
        route = node = None
        if m[1] == DIRECTED:
            hops, response = m[7], m[3] & 0x80
            agent, route, back = struct.unpack_from(">I", m, 8)[0], m[129:129 + hops], m[193:193 + hops]
            if response and not struct.unpack_from(">H", m, 4)[0] & 0x7fff:
                self.learn(m, agent, route, back)
            node = self.place(agent, route, back) if response else self.route.get((agent, route))
        dst, src = struct.unpack_from(">H2xH", data, 2)
        return *(self.text(self.lid.get(lid)) for lid in (src, dst)), self.text(node)


def main(plugin):
    tshark, faults, named = ws.Tshark(plugin), [], 0
    for capture in CAPTURES:
        path = ws.ROOT / "pcaps" / capture
        linktype, frames = ws.records(path)
        nodes, put = Nodes(), tshark.put(path)
        want = [nodes.mad(data) if len(data) == SEND and data[MAD] == 1 else ("", "", "") for *_, data in frames]
        for passes in ([], ["-2"]):
            fields = [word for name in ("src", "dst", "route") for word in ("-e", f"ibwire.node.{name}")]
            lines = tshark.read(put, *passes, "-T", "fields", "-E", "separator=|", *fields, infiniband="ibwire").splitlines()
            for number, (line, wanted) in enumerate(zip(lines, want, strict=True), 1):
                if line != "|".join(wanted):
                    faults.append(f"{capture}:{number} {passes}: {line}, not {'|'.join(wanted)}")
        named += sum(map(any, want))
    print(f"{named} MADs with a node that is known, {len(faults)} faults")
    print(*faults[:20], sep="\n", end="\n" if faults else "")
    return bool(faults) or named < 1000


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
