# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""When each priority was paused: written from the definition of `pause` in the man page, "FIGURES OF --STATS".

IEEE 802.3 annex 31B and 802.1Qbb. Without the speed of the link: from an XOFF to its XON; of an XOFF that comes again
nobody knows how long the first one lasted.
"""
import struct

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
