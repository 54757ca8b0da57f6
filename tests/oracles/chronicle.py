# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What happens in a subnet, in order of time, worked out from the bytes alone: managers, handovers, links, traps, sweeps, joins.

Written from the man page (--story). What it leaves open:

C1  A manager says what it is with each SMInfo that answers, but for the answer to a HANDOVER, which says who takes over; told is the first, and each
    other state. A handover is of the frame of its Set.
C2  A link comes up at Active, if its state was known before, and goes down from Active, or since, to Initialize or Down; port 0 has none.
C3  Sweeps are answers with NodeInfo by directed route to one asker, less than a second apart. While one goes on, what it does is not the last thing
    that happened.
C4  A port joins that was no member, and leaves with an answer that leaves it none, whether it was seen to join or not.
C5  What is alike and follows the last one is part of that: links that go up, or down; a trap of one LID; joins; leaves.
"""
import fabric
import packet
import subnet
from sweep import GET, HANDOVER, SET, SM_INFO

ORDER = ("handover", "manager", "link-down", "link-up", "trap", "sweep", "group-leave", "group-join")
ALONE = {"handover", "manager", "sweep"}
LINES, SECOND = 18, 10**9


class Chronicle(fabric.Fabric):
    def __init__(self):
        super().__init__()
        self.told, self.groups, self.managers, self.set, self.sweeping = [], subnet.Groups(), {}, None, None
        self.up = set()
        self.record = None

    def tell(self, kind, what=None, frame=None, time=None):
        last = self.told[-1] if self.told else None
        if last and kind not in ALONE and (last["event"], last["what"]) == (kind, what):
            last["count"] += 1
            return
        self.told.append({"event": kind, "what": what, "frame": frame or self.record.number,
                          "time": self.record.time if time is None else time, "count": 1})

    def node_info(self, frame, mad, data):
        super().node_info(frame, mad, data)
        agent = bytes(mad[8:12])
        if self.sweeping and self.sweeping["agent"] == agent and self.record.time < self.sweeping["last"] + SECOND:
            self.sweeping["row"]["count"] += 1
        else:
            self.tell("sweep")
            self.sweeping = {"agent": agent, "row": self.told[-1]}
        self.sweeping["last"] = self.record.time

    def port_info(self, frame, mad, data, node):
        number = mad[23] or (0 if self.nodes[node]["kind"] == fabric.SWITCH else data[28])
        state, before = data[32] & 15, self.ports.get((node, number), {"state": 0})["state"]
        end = node, number
        if number and state == fabric.ACTIVE and before and end not in self.up:
            self.tell("link-up")
        elif number and end in self.up and 0 < state <= fabric.INITIALIZE:
            self.tell("link-down")
        if state == fabric.ACTIVE:
            self.up.add(end)
        elif 0 < state <= fabric.INITIALIZE:
            self.up.discard(end)
        super().port_info(frame, mad, data, node)

    def trap(self, record, mad):
        number, issuer = packet.u16(mad[64:], 4), packet.u16(mad[64:], 6)
        before = sum(len(row["times"]) for row in self.traps.values())
        super().trap(record, mad)
        if sum(len(row["times"]) for row in self.traps.values()) > before:
            self.tell("trap", (number, issuer))

    def sm_info(self, mad):
        response, over, guid = mad[3] >> 7, packet.u32(mad, 20) == HANDOVER, bytes(mad[64:72])
        if packet.u16(mad, 4) & (0x7fff if mad[1] == fabric.DIRECTED else 0xffff):
            return
        if not response:
            if mad[3] == SET and over and (self.set is None or self.set[0] != mad[8:16]):
                self.set = bytes(mad[8:16]), self.record.number, self.record.time
        elif not any(guid):
            return
        elif over and self.set and self.set[0] == mad[8:16]:
            self.tell("handover", None, *self.set[1:])
            self.set = None
        else:
            if self.managers.get(guid) != mad[84] & 15:
                self.tell("manager")
            self.managers[guid] = mad[84] & 15

    def member(self, d):
        before = {key: state for key, (state, _) in self.groups.state.items()}
        self.groups.mad(d, d.body)
        for key, (state, frame) in self.groups.state.items():
            if frame == self.record.number and not state:
                self.tell("group-leave")
            elif frame == self.record.number and not before.get(key):
                self.tell("group-join")

    def mad(self, record, d):
        self.record, mad = record, d.body
        if mad[1] == subnet.SA:
            if packet.u16(mad, 16) == subnet.MCMEMBER:
                self.member(d)
        elif mad[1] in (1, fabric.DIRECTED) and packet.u16(mad, 16) == SM_INFO and mad[3] & 0x7f in (GET, SET):
            self.sm_info(mad)
        else:
            super().mad(record, d)

    def chosen(self):
        """Those that are told, and how many are not."""
        told = sorted(range(len(self.told)), key=lambda i: (ORDER.index(self.told[i]["event"]), i))[:LINES]
        return [{key: self.told[i][key] for key in ("event", "frame", "count")} for i in sorted(told)], len(self.told) - len(told)
