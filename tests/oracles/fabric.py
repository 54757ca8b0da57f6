# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Nodes, links, traps, counters and partitions of a fabric, worked out from the bytes of a capture alone.

Written from the definitions (the man page of pcap-lint, OBJECTS OF --STATS), not from the tracker. Offsets are those of facts/.
Nodes by their routes are those of sweep.py. What the definitions leave open:

F1  The ports of a cable are the last one of the route of a NodeInfo, of the node that the route has before, and LocalPortNum of the one
    that answers. It is not known whose the first port is if other nodes answered by that route before, for whom the asker hears.
F2  A cable is there if the last NodeInfo through either of its ends came through both.
F3  Ports of a switch have the number in the attribute modifier, those of others, too, unless it is 0: then LocalPortNum.
F4  A LID is that of port 0 of a switch. Whose it is says the last PortInfo with it.
F5  A trap whose hop pointer is not that of the first of its row is the same one, further on its way.
F7  A port GUID is of the node whose NodeInfo has it, the last one that says something new of its place.
F6  A Set(PortCounters) resets what CounterSelect names and the Set has as 0, once it is answered; the answer has no values.
"""
import functools
import ipaddress

import capture
import packet
import subnet

LID_ROUTED, DIRECTED, PERF = 0x01, 0x81, 4
NODE_DESC, NODE_INFO, PORT_INFO, PKEY_TABLE, PORT_COUNTERS = 0x10, 0x11, 0x15, 0x16, 0x12
NODE_TYPES = {1: "channel adapter", 2: "switch", 3: "router"}
SWITCH = 2
PORT_STATES = {1: "Down", 2: "Initialize", 3: "Armed", 4: "Active"}
INITIALIZE, ACTIVE = 2, 4
WIDTHS = ((8, "12x"), (4, "8x"), (2, "4x"), (16, "2x"), (1, "1x"))
SPEEDS = ("SDR 2.5 Gb/s", "DDR 5 Gb/s", "QDR 10 Gb/s")
EXTENDED = ("FDR 14.0625 Gb/s", "EDR 25.78125 Gb/s", "HDR 53.125 Gb/s", "NDR 106.25 Gb/s")
XDR = "XDR 212.5 Gb/s"
TRAPS = {128: "link state changed", 129: "local link integrity threshold reached",
         130: "excessive buffer overrun threshold reached", 131: "flow control update watchdog timer expired",
         144: "capability mask or other local change", 256: "bad M_Key", 257: "bad P_Key", 258: "bad Q_Key",
         259: "bad P_Key at a switch port"}
RUN = 60 * 10**9
SHOWN, WIDTH = 40, 48  # bytes of a description in a sentence, and characters that they are written as
# Name, byte, bytes (half a byte: which of the two), bit of CounterSelect.
ERRORS = (("SymbolErrorCounter", 4, 2, 0), ("LinkErrorRecoveryCounter", 6, 1, 1), ("LinkDownedCounter", 7, 1, 2),
          ("PortRcvErrors", 8, 2, 3), ("PortRcvRemotePhysicalErrors", 10, 2, 4), ("PortRcvSwitchRelayErrors", 12, 2, 5),
          ("PortXmitDiscards", 14, 2, 6), ("PortXmitConstraintErrors", 16, 1, 7), ("PortRcvConstraintErrors", 17, 1, 8),
          ("LocalLinkIntegrityErrors", 19, "high", 9), ("ExcessiveBufferOverrunErrors", 19, "low", 10),
          ("QP1Dropped", 20, 2, None), ("VL15Dropped", 22, 2, 11))
DATA = (("bytes_out", 24, 4, 12), ("bytes_in", 28, 4, 13), ("packets_out", 32, 4, 14), ("packets_in", 36, 4, 15), ("wait", 40, 4, 16))
COUNTERS = ERRORS + DATA


def guid(number):
    return f"0x{number:016x}"


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "big")


def described(data):
    """A NodeDescription; None: it has none."""
    if not data or not data[0]:
        return None
    text = bytes(data).split(b"\0")[0].rstrip(b" ")
    return "".join("\\\\" if c == 0x5c else chr(c) if 0x20 <= c < 0x7f else f"\\x{c:02x}" for c in text)


@functools.lru_cache(maxsize=4096)
def shortened(data):
    """In a sentence: as many whole bytes as there is room for."""
    text = data.split(b"\0")[0].rstrip(b" ")
    return next(words for n in range(SHOWN, -1, -1) if len(words := described(text[:n]) or "") <= WIDTH) or None


def counters_of(data):
    return [data[at] >> 4 if size == "high" else data[at] & 15 if size == "low" else int.from_bytes(data[at:at + size], "big")
            for _, at, size, _ in COUNTERS]


def speed_of(data):
    """Active, of PortInfo."""
    active, extended, more = data[35] >> 4 & 7, data[62] >> 4, data[56] >> 5 & 3
    if more & 1:
        return XDR
    if extended:
        return EXTENDED[extended.bit_length() - 1]
    return SPEEDS[active.bit_length() - 1] if active else None


class Places:
    """Who answers by a route."""

    def __init__(self):
        self.own, self.any, self.doubtful, self.moved, self.of_port = {}, {}, set(), set(), {}

    @staticmethod
    def way(mad, hops):
        return bytes(mad[129:129 + hops]), bytes(mad[193:193 + hops]), bytes(mad[32:36])

    def learn(self, mad, node, spot):
        way, agent = self.way(mad, mad[7]), bytes(mad[8:12])
        before = self.own.get((way, agent))
        if before is None or (before[0], before[1][0]) != (node, spot[0]):
            self.of_port[spot[0]] = node
        if way in self.any and self.any[way][0] != node:
            self.moved.add(way)
            if self.any[way][2] != agent:
                self.doubtful.add(way)
        if (way, agent) in self.own and self.own[way, agent][0] != node:
            self.moved.add((way, agent))
        self.own[way, agent] = self.any[way] = node, spot, agent

    def find(self, mad, back):
        """(node GUID, spot, whether another one was there); None: not known."""
        if mad[7] < back or mad[7] > 63:
            return None
        way, agent = self.way(mad, mad[7] - back), bytes(mad[8:12])
        if (way, agent) in self.own:
            return *self.own[way, agent][:2], (way, agent) in self.moved
        if way in self.any and way not in self.doubtful:
            return *self.any[way][:2], way in self.moved
        return None


class Fabric:
    def __init__(self):
        self.places, self.nodes, self.ports, self.last, self.lids = Places(), {}, {}, {}, {}
        self.traps, self.counters, self.pkeys = {}, {}, {}

    # Nodes and links

    def node_info(self, frame, mad, data):
        node, port = u64(data, 12), data[36]
        self.nodes.setdefault(node, {"desc": b""}).update(frame=frame, kind=data[2], ports=data[3])
        if mad[7] <= 63:
            self.places.learn(mad, node, (u64(data, 20), port))
        parent = self.places.find(mad, 1)
        if parent and not parent[2]:
            here, there = (node, port), (parent[0], mad[128 + mad[7]])
            self.last[here], self.last[there] = there, here

    def cable(self, end):
        other = self.last.get(end)
        return other if other and self.last.get(other) == end else None

    def port_info(self, frame, mad, data, node):
        number = mad[23]
        switch = self.nodes[node]["kind"] == SWITCH
        if not switch and not number:
            number = data[28]
        port = self.ports.setdefault((node, number), {"state": 0, "before": 0, "changes": 0, "frame": None, "up": False, "lid": 0})
        state = data[32] & 15
        if port["state"] and port["state"] != state and (port["up"] or state < port["state"]):
            port.update(before=port["state"], changes=port["changes"] + 1, frame=frame)
        port.update(state=state, up=port["up"] or state == ACTIVE, width=data[31], speed=speed_of(data))
        lid = packet.u16(data, 16)
        if 0 < lid < 0xc000 and not (switch and number):
            port["lid"], self.lids[lid] = lid, node

    def pkey_table(self, frame, mad, data, place):
        node, (port_guid, _), _ = place
        if self.nodes[node]["kind"] != SWITCH:
            self.pkeys[port_guid, packet.u16(mad, 22)] = node, frame, [packet.u16(data, 2 * i) for i in range(32)]

    def directed(self, frame, mad):
        attribute, data = packet.u16(mad, 16), mad[64:128]
        if not mad[3] >> 7 or packet.u16(mad, 4) & 0x7fff or mad[7] > 63:
            return
        if attribute == NODE_INFO:
            self.node_info(frame, mad, data)
            return
        place = self.places.find(mad, 0)
        if place is None:
            return
        if attribute == NODE_DESC:
            self.nodes[place[0]]["desc"] = bytes(data)
        elif attribute == PORT_INFO:
            self.port_info(frame, mad, data, place[0])
        elif attribute == PKEY_TABLE:
            self.pkey_table(frame, mad, data, place)

    # Traps and counters

    def trap(self, record, mad):
        data = mad[64:]
        number, issuer = packet.u16(data, 4), packet.u16(data, 6)
        if not data[0] >> 7 or number not in TRAPS:
            return
        details = bytes(data[10:64])
        hop = mad[6] if mad[1] == DIRECTED else 0
        row = self.traps.setdefault((number, issuer, details[:4 if number == 144 else 24]),
                                    {"hop": hop, "details": details, "times": [], "frames": []})
        if row["hop"] == hop:
            row["times"].append(record.time)
            row["frames"].append(record.number)

    def performance(self, record, d, mad):
        response, method, data = mad[3] >> 7, mad[3] & 0x7f, mad[64:]
        if packet.u16(mad, 16) != PORT_COUNTERS or packet.u16(mad, 4) or not d.lids or not d.lids[0]:
            return
        if not response and method != 2:
            return
        key = d.lids[0 if response else 1], data[1]
        row = self.counters.setdefault(key, {"values": None, "base": None, "grown": [0] * len(COUNTERS), "frames": [], "times": [],
                                             "resets": 0, "set": None, "chosen": set()})
        values = counters_of(data)
        if not response:
            select = packet.u16(data, 2) | data[18] << 16
            row["set"] = d.lids[0], bytes(mad[8:16])
            row["chosen"] = {i for i, (_, _, _, bit) in enumerate(COUNTERS)
                             if bit is not None and select >> bit & 1 and not values[i]}
        elif row["set"] == (d.lids[1], bytes(mad[8:16])):
            row["resets"] += bool(row["chosen"])
            if row["base"]:
                row["base"] = [0 if i in row["chosen"] else value for i, value in enumerate(row["base"])]
            row["chosen"] = set()
        else:
            if row["base"]:
                row["grown"] = [grown + (new if new < old else new - old)
                                for grown, old, new in zip(row["grown"], row["base"], values)]
            row["values"], row["base"] = values, list(values)
            row["frames"].append(record.number)
            row["times"].append(record.time)

    def mad(self, record, d):
        mad = d.body
        if mad[1] == PERF:
            self.performance(record, d, mad)
        elif not mad[3] >> 7 and mad[3] & 0x7f == 5:
            if packet.u16(mad, 16) == 2:
                self.trap(record, mad)
        elif mad[1] == DIRECTED:
            self.directed(record.number, mad)

    # Rows

    def name(self, node):
        return described(self.nodes[node]["desc"]) if node in self.nodes else None

    def guid_node(self, number):
        """Of a node or a port: its name in findings and tables, the description; None: there is none."""
        node = number if number in self.nodes else self.places.of_port.get(number)
        return shortened(self.nodes[node]["desc"]) if node in self.nodes else None

    def lid_node(self, lid):
        """The same of a LID that a port of the node still has; without a description its GUID."""
        node = self.lids.get(lid)
        if node is None or all(port["lid"] != lid for (of, _), port in self.ports.items() if of == node):
            return None
        return self.guid_node(node) or f"GUID {guid(node)}"

    def of_address(self, text):
        """The name of what has an address, as tables write it."""
        if text.startswith("LID 0x"):
            return self.lid_node(int(text[4:], 16))
        return self.guid_node(int.from_bytes(ipaddress.IPv6Address(text).packed[8:], "big")) if ":" in text else None

    def named(self, sm):
        """The object sm of sweep.py with the names of nodes."""
        for row, guids in [(sm, "master"), *((manager, "guid") for manager in sm["managers"])]:
            node = self.guid_node(int(row[guids], 16)) if row[guids] else None
            row["master_node" if row is sm else "node"] = node
            row["lid_node"] = self.lid_node(row["lid"]) if row["lid"] else None
        return sm

    def of_lid(self, lid):
        return self.name(self.lids[lid]) if lid in self.lids else None

    def node_rows(self):
        cables = {}
        for end in sorted(self.last):
            if self.cable(end):
                cables.setdefault(end[0], []).append((end[1], *self.cable(end)))
        return [{"guid": guid(node), "description": self.name(node), "kind": NODE_TYPES.get(row["kind"]),
                 "lids": [port["lid"] for key, port in sorted(self.ports.items()) if key[0] == node and port["lid"]],
                 "ports": row["ports"], "frame": row["frame"],
                 "cabled_to": [{"port": port, "node": guid(peer), "description": self.name(peer), "peer_port": peer_port}
                               for port, peer, peer_port in cables.get(node, [])]} for node, row in sorted(self.nodes.items())]

    def link_rows(self):
        rows = []
        for end in sorted({*self.ports, *(end for end in self.last if self.cable(end))}):
            port, peer = self.ports.get(end, {"state": 0, "before": 0, "changes": 0, "frame": None}), self.cable(end)
            state = port["state"]
            if not (port["changes"] or (end[1] and (peer or state >= INITIALIZE))):
                continue
            up = state >= INITIALIZE
            rows.append({"node": guid(end[0]), "description": self.name(end[0]), "port": end[1], "state": PORT_STATES.get(state),
                         "width": next((name for bit, name in WIDTHS if port["width"] & bit), None) if up else None,
                         "speed": port["speed"] if up else None, "peer": guid(peer[0]) if peer else None,
                         "peer_description": self.name(peer[0]) if peer else None, "peer_port": peer[1] if peer else None,
                         "changes": port["changes"], "before": PORT_STATES.get(port["before"]), "frame": port["frame"]})
        return sorted(rows, key=lambda row: (-row["changes"], row["node"], row["port"]))

    def trap_rows(self):
        rows = []
        for (number, issuer, _), row in self.traps.items():
            data, times = row["details"], row["times"]
            keys = number > 256
            at = 8 if number == 259 else 10  # of SL
            lid = packet.u16(data, 2) if number in (129, 130, 131, 256, 257, 258, 259) else issuer
            run = longest = 0
            for i, time in enumerate(times):
                run = run + 1 if i and 0 <= time - times[i - 1] < RUN else 1
                longest = max(longest, run)
            rows.append({"trap": number, "name": TRAPS[number], "issuer": issuer, "issuer_description": self.of_lid(issuer), "lid": lid,
                         "description": self.of_lid(lid), "port": data[4] or None if number in (129, 130, 131) else None,
                         "key": int.from_bytes(data[6:at], "big") if keys else None,
                         "qpn": packet.u24(data, at + 1) if keys else None, "to_lid": packet.u16(data, 4) if keys else None,
                         "to_qpn": packet.u24(data, at + 5) if keys else None, "count": len(times), "run": longest,
                         "ns": max(0, times[-1] - times[0]) if len(times) > 1 else None, "first_frame": row["frames"][0],
                         "last_frame": row["frames"][-1], "to_node": self.lid_node(packet.u16(data, 4)) if keys else None})
        return rows

    def counter_rows(self):
        rows = []
        for (lid, port), row in sorted(self.counters.items()):
            if row["values"] is None:
                continue
            many = len(row["frames"]) > 1
            data = {name: row["grown"][len(ERRORS) + i] * (4 if name.startswith("bytes") else 1) if many else None
                    for i, (name, *_) in enumerate(DATA)}
            errors = [{"name": name, "value": row["values"][i], "grown": row["grown"][i]} for i, (name, *_) in enumerate(ERRORS)
                      if row["values"][i] or row["grown"][i]]
            rows.append({"lid": lid, "description": self.of_lid(lid), "port": port, "readings": len(row["frames"]),
                         "resets": row["resets"], "ns": max(0, row["times"][-1] - row["times"][0]) if many else None, "errors": errors, **data,
                         "first_frame": row["frames"][0], "last_frame": row["frames"][-1]})
        return rows

    def partition_rows(self):
        members = {}
        for (port_guid, _), (node, frame, pkeys) in self.pkeys.items():
            for pkey in pkeys:
                if pkey & 0x7fff:
                    members.setdefault(pkey | 0x8000, []).append((port_guid, -pkey, node, frame))
        return [{"pkey": pkey, "full": sum(-key >= 0x8000 for _, key, _, _ in rows),
                 "limited": sum(-key < 0x8000 for _, key, _, _ in rows),
                 "members": [{"pkey": -key, "port_guid": guid(port_guid), "node": guid(node), "description": self.name(node),
                              "frame": frame} for port_guid, key, node, frame in sorted(rows)]}
                for pkey, rows in sorted(members.items())]

    def rows(self):
        return {"node": self.node_rows(), "link": self.link_rows(), "trap": self.trap_rows(), "counter": self.counter_rows(),
                "partition": self.partition_rows()}


def known(path):
    """What the capture @path says at its end."""
    found = Fabric()
    for record in capture.records(path):
        d = subnet.datagram(record)
        if d and subnet.is_mad(d) and len(d.body) == 256 and d.body[0] == 1 and d.body[1] in (LID_ROUTED, DIRECTED, PERF):
            found.mad(record, d)
    return found
