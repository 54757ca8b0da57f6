# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What SMPs of a capture say at its end, worked out from its bytes alone: managers, nodes, ports, links, answers.

Written from the definitions (the man page of pcap-lint, OBJECTS OF --STATS), not from the tracker. Offsets are those of
facts/: hop count 7 and initial path 128 to 191 of a directed route, the attribute from 64 on: in SMInfo GUID 0, ActCount
16, Priority and SMState 20; in NodeInfo NodeType 2, NodeGUID 12; in PortInfo MasterSMLID 18, LocalPortNum 28, PortState in
the lower half of 32; in Notice IsGeneric the top bit of 0, TrapNumber 4. What the definitions leave open:

W1  An answer with a status other than 0 counts as one, and says nothing.
W2  A transaction ID is waiting from its first request to the first answer; whatever way the SMP takes.
W3  A node is known by its route, the way back (return path, 192 to 255), DrSLID and DrDLID (32 to 35) and who asks (the upper half of the transaction ID): as its
    last NodeInfo said. Who never asked for that hears of the node that others hear of, if all of these hear of one.
W4  Ports have the number in the lowest byte of the attribute modifier; of others than switches, LocalPortNum where that is 0.
W5  A manager's LID is the last that it answered from; not in the answer to a Set with HANDOVER, which says who takes over.
"""
import capture
import packet
import subnet

LID_ROUTED, DIRECTED = 0x01, 0x81
GET, SET, TRAP = 1, 2, 5
NOTICE, NODE_INFO, PORT_INFO, SM_INFO = 0x02, 0x11, 0x15, 0x20
SWITCH, MASTER, HANDOVER, LINK_STATE = 2, 3, 1, 128
SM_STATES = {0: "not active", 1: "discovering", 2: "standby", 3: "master"}
ACTIVE = 4
PORT_STATES = {1: "Down", 2: "Initialize", 3: "Armed", 4: "Active"}


def guid(data, at):
    return "0x" + bytes(data[at:at + 8]).hex()


class Sweep:
    def __init__(self):
        self.waiting, self.nodes, self.routes, self.ports, self.managers = set(), {}, {}, {}, {}
        self.doubtful, self.last = set(), {}
        self.requests = self.unanswered = self.handovers = self.link_traps = 0
        self.handover_frame = self.lid = self.handing = None

    def count(self, response, tid):
        if not response:
            self.requests += tid not in self.waiting
            self.unanswered += tid not in self.waiting
            self.waiting.add(tid)
        elif tid in self.waiting:
            self.waiting.remove(tid)
            self.unanswered -= 1

    def sm_info(self, record, lid, mad, data, set_request):
        frame, over, tid = record.number, packet.u32(mad, 20) == HANDOVER, bytes(mad[8:16])
        if any(data[:8]):
            row = self.managers.setdefault(guid(data, 0), {"guid": guid(data, 0), "first_frame": frame, "lid": None, "changes": -1,
                                                           "now": None})
            if row["now"] != data[20] & 15:
                row.update(changes=row["changes"] + 1, since=frame, now=data[20] & 15)
            row.update(priority=data[20] >> 4, state=SM_STATES.get(data[20] & 15), act_count=packet.u32(data, 16),
                       last_frame=frame, time=f"{record.time // 10**9}.{record.time % 10**9:09}")
            if not set_request and not (over and self.handing == tid) and lid not in (None, 0, 0xffff):
                row["lid"] = lid
        if set_request and over:
            self.handovers, self.handover_frame, self.handing = self.handovers + 1, frame, tid
        elif over and self.handing == tid:
            self.handing = None

    def node_info(self, node, way, agent):
        self.routes[way, agent] = node
        if self.last.get(way, (node, agent))[0] != node and self.last[way][1] != agent:
            self.doubtful.add(way)
        self.last[way] = node, agent

    def node_of(self, way, agent):
        if (way, agent) in self.routes:
            return self.routes[way, agent]
        return self.last[way][0] if way in self.last and way not in self.doubtful else None

    def port_info(self, frame, mad, data, way):
        self.lid = packet.u16(data, 18) or self.lid
        node = self.node_of(way, bytes(mad[8:12])) if way else None
        if node is None:
            return
        port = mad[23] if self.nodes[node] == SWITCH or mad[23] else data[28]
        state = data[32] & 15
        row = self.ports.setdefault((node, port), {"node": node, "port": port, "before": None, "state": None,
                                                   "changes": 0, "frame": None, "now": 0, "active": False})
        if row["now"] and row["now"] != state and (row["active"] or state < row["now"]):
            row.update(before=PORT_STATES.get(row["now"]), changes=row["changes"] + 1, frame=frame)
        row.update(now=state, state=PORT_STATES.get(state), active=row["active"] or state == ACTIVE)

    def mad(self, record, lids, mad):
        frame = record.number
        response, method, attribute, data = mad[3] >> 7, mad[3] & 0x7f, packet.u16(mad, 16), mad[64:]
        directed = mad[1] == DIRECTED
        if method == TRAP and attribute == NOTICE:
            self.link_traps += data[0] >> 7 and packet.u16(data, 4) == LINK_STATE
        if method not in (GET, SET):
            return
        if directed:
            self.count(response, mad[8:16])
        if packet.u16(mad, 4) & (0x7fff if directed else 0xffff):
            return
        way = (bytes(mad[129:129 + mad[7]]), bytes(mad[193:193 + mad[7]]), bytes(mad[32:36])) if directed and mad[7] < 64 else None
        if attribute == SM_INFO and (response or method == SET):
            self.sm_info(record, lids and lids[0], mad, data, method == SET and not response)
        elif attribute == NODE_INFO and response:
            self.nodes[guid(data, 12)] = data[2]
            if way:
                self.node_info(guid(data, 12), way, bytes(mad[8:12]))
        elif attribute == PORT_INFO and response:
            self.port_info(frame, mad, data, way)

    def row(self):
        """The object sm; None: there is none."""
        if not (self.requests or self.link_traps or self.nodes or self.handovers or self.managers):
            return None
        masters = [m for m in self.managers.values() if m["state"] == SM_STATES[MASTER]]
        last = max(masters, key=lambda m: m["last_frame"])["guid"] if masters else None
        links = [{key: row[key] for key in ("node", "port", "before", "state", "changes", "frame")}
                 for _, row in sorted(self.ports.items(), key=lambda item: (-item[1]["changes"], item[0])) if row["changes"]]
        return {"master": last, "lid": self.lid, "handovers": self.handovers, "handover_frame": self.handover_frame,
                "nodes": len(self.nodes), "switches": sum(kind == SWITCH for kind in self.nodes.values()),
                "ports": len(self.ports), "requests": self.requests, "unanswered": self.unanswered,
                "link_traps": self.link_traps, "managers": [{key: value for key, value in self.managers[m].items() if key != "now"}
                                                               for m in sorted(self.managers)],
                "links": links}


def sweep(path):
    found = Sweep()
    for record in capture.records(path):
        d = subnet.datagram(record)
        if d and subnet.is_mad(d) and len(d.body) == 256 and d.body[0] == 1 and d.body[1] in (LID_ROUTED, DIRECTED):
            found.mad(record, d.lids, d.body)
    return found.row()
