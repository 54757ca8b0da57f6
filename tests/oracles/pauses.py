# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""When each priority was paused: written from the definitions in the man page, "FIGURES OF --STATS": `pause`, and what comes during one.

IEEE 802.3 annex 31B and 802.1Qbb. Without the speed of the link: from an XOFF to its XON; of an XOFF that comes again
nobody knows how long the first one lasted.
"""
import struct

import packet as P

PRIORITIES = range(8)
MAC_CONTROL, GLOBAL, BY_PRIORITY = 0x8808, 1, 0x0101
ALL = len(PRIORITIES)  # what a global pause is counted as


def asked(data):
    """(sender, {priority: quanta}) of a pause frame; None: it is another frame."""
    if len(data) < 18 or data[12:14] != MAC_CONTROL.to_bytes(2, "big"):
        return None
    opcode, value = struct.unpack(">HH", data[14:18])
    if opcode == GLOBAL:
        return data[6:12], dict.fromkeys(PRIORITIES, value)
    if opcode != BY_PRIORITY or len(data) < 34:
        return None
    quanta = struct.unpack(">8H", data[18:34])
    return data[6:12], {i: quanta[i] for i in PRIORITIES if value >> i & 1}


class Pauses:
    """Takes all records of a capture."""

    def __init__(self):
        self.times = [[] for _ in PRIORITIES]  # (begin, end)
        self.senders = [set() for _ in PRIORITIES]
        self.begin, self.latest = [0] * len(PRIORITIES), 0
        self.counts = {}

    def feed(self, record):
        found = asked(record.data) if record.link == 1 else None
        if not found:
            return
        self.count(record, *found)
        self.latest = max(self.latest, record.time)
        for priority, quanta in found[1].items():
            self.pause(priority, found[0], quanta)

    def count(self, record, sender, quanta):
        which = [ALL] if record.data[14:16] == GLOBAL.to_bytes(2, "big") else list(quanta)
        for priority in which:
            one = self.counts.setdefault((sender.hex(":"), priority), {
                "xoff": 0, "xon": 0, "paused_ns": 0, "unknown": 0, "first_frame": record.number, "since": None})
            one["xoff" if quanta[priority % ALL] else "xon"] += 1
            if one["since"] is not None:
                if quanta[priority % ALL]:
                    one["unknown"] += 1
                else:
                    one["paused_ns"] += max(0, record.time - one["since"])
            one["since"] = record.time if quanta[priority % ALL] else None

    def objects(self):
        """{(sender, priority): figures} at the end of the capture."""
        return {key: {**{name: n for name, n in one.items() if name != "since"},
                      "unknown": one["unknown"] + (one["since"] is not None)} for key, one in self.counts.items()}

    def pause(self, priority, sender, quanta):
        senders = self.senders[priority]
        if quanta:
            if not senders - {sender}:
                self.begin[priority] = self.latest
            senders.add(sender)
        elif sender in senders:
            senders.discard(sender)
            if not senders:
                self.times[priority].append((self.begin[priority], self.latest))

    def between(self, priority, begin, end):
        return sum(max(0, min(end, over) - max(begin, since)) for since, over in self.times[priority])


class Links:
    """Which packets come while their link is paused, or up to 1 ms later."""
    AFTER, SPEED, QUANTUM = 10**6, 10**10, 512

    def __init__(self):
        self.now, self.begun = 0, False
        self.until, self.shown, self.common = {}, set(), {}  # {(interface, sender): {class: when}}, of these senders, {interface: addresses}

    def feed(self, record):
        found = asked(record.data) if record.link == 1 else None
        if not found:
            return
        self.begun, self.now = True, max(self.now, record.time)
        sender, quanta = found
        if record.data[14:16] == GLOBAL.to_bytes(2, "big"):
            quanta = {ALL: quanta[0]}
        if not quanta:
            return
        until = self.until.setdefault((record.interface, sender), {})
        for one, value in quanta.items():
            if value:
                until[one] = self.now + value * self.QUANTUM * 10**9 // self.SPEED
            elif one in until:
                until[one] = min(until[one], self.now)

    def is_paused(self, packet, interface):
        """In the order of the capture; of services that have no pauses it says False."""
        if not self.begun or packet.macs is None or (packet.service not in P.SERVICES and packet.service != P.CNP):
            return False
        self.now = max(self.now, packet.time)
        ours = {key for key in self.until if key[0] == interface and key[1] in packet.macs}
        self.shown |= ours
        self.common[interface] = self.common.get(interface, set(packet.macs)) & set(packet.macs)
        if self.common[interface]:
            ours |= {key for key in self.until if key[0] == interface and key not in self.shown}
        classes = {one for key in ours for one, end in self.until[key].items() if self.now <= end + self.AFTER}
        return bool(classes) if packet.tag is None else bool(classes & {packet.tag >> 13, ALL})
