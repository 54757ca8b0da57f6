# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents of conversations of the CM in a capture, worked out from its bytes alone (cm.py has the conversations).

Written from the definitions (the man page of pcap-lint, incident), not from the tracker. A conversation is an incident if a message
that waits for an answer came more than once, or waited in vain: until all copies that Max CM Retries allows would have been
answered. The REQ says how long that takes: twice the packet life time (of which its Local ACK Timeout is a bound) and the CM
Response Timeout of who is to answer. Frames and times are those of the first 32 messages.
"""
import capture
import cm
import packet

ANSWERS = {cm.REQ: {cm.REP, cm.REJ}, cm.REP: {cm.RTU, cm.REJ, cm.DREQ}, cm.LAP: {cm.APR, cm.REJ}, cm.DREQ: {cm.DREP, cm.DREQ},
           cm.SIDR_REQ: {cm.SIDR_REP}}
ORDER = (cm.REQ, cm.MRA, cm.REJ, cm.REP, cm.RTU, cm.DREQ, cm.DREP, cm.LAP, cm.APR, cm.SIDR_REQ, cm.SIDR_REP)
TIMEOUT = 4  # the reason of a REJ: its sender gave up itself
NOT_FOLLOWED = {cm.LAP, cm.APR}
OTHER = {cm.A: cm.B, cm.B: cm.A}


def exponential(code):
    return 4096 << (code & 31)


class Waiting:
    """Which messages of a conversation that begins with its REQ waited in vain."""

    def __init__(self, one, data):
        req, self.one, self.data = one.req, one, data
        path = exponential(req[95] >> 3)
        self.try_ns = {cm.A: exponential(req[47] >> 3) + path, cm.B: exponential(req[43] >> 3) + path}
        self.tries = (req[51] >> 4) + 1
        self.kind = self.side = None  # of what waits
        self.since = self.wait = self.copies = 0  # without @wait nothing does
        self.seen = {cm.A: set(), cm.B: set()}
        self.vain = set()

    def budget(self):
        left = self.tries - self.copies + 1 if self.copies < self.tries else 1
        return left * self.try_ns[OTHER[self.side]]

    def give_up(self):
        rep = self.kind == cm.REP and any(time <= self.since + self.wait for time in self.data.get(self.one.qpn[cm.B], ()))
        if self.wait and not rep:
            self.vain.add((self.kind, self.side))
        self.wait = 0

    def until(self, time):
        if self.wait and time > self.since + self.wait:
            self.give_up()

    def ask(self, message, side, again):
        if self.seen[OTHER[side]] & ANSWERS[message.kind]:
            if message.kind == cm.DREQ:
                self.wait = 0
            return
        self.copies = self.copies + 1 if again and self.kind == message.kind else 1
        self.kind, self.side, self.since = message.kind, side, message.time
        self.wait = self.budget()

    def take(self, message, side):
        if message.kind in NOT_FOLLOWED:
            self.seen[side].add(message.kind)
            return
        self.until(message.time)
        again = message.kind in self.seen[side]
        self.seen[side].add(message.kind)
        if message.kind in (cm.REQ, cm.REP, cm.DREQ):
            self.ask(message, side, again)
        elif message.kind == cm.MRA:
            if self.wait and side != self.side:
                self.since, self.wait = message.time, self.budget() + exponential(message.body[9] >> 3)
        elif message.kind == cm.REJ:
            if side == self.side and packet.u16(message.body, 10) == TIMEOUT:
                self.give_up()
            self.wait = 0
        elif message.kind == cm.DREP or self.kind == cm.REP:
            self.wait = 0


class Asked:
    """A message of one side that waits for an answer."""

    def __init__(self, message, side):
        self.kind, self.side = message.kind, side
        self.copies, self.answer = [], None

    def end(self, last):
        return max(self.answer.time if self.answer else last, self.copies[0].time)


def asked_of(one):
    """Those of a conversation, in the order of their first copies."""
    found = []
    for message, side in one.messages[:cm.KEPT]:
        for asked in found:
            answers = side != asked.side and message.kind in ANSWERS[asked.kind]
            if answers and (asked.answer is None or asked.answer.frame < asked.copies[-1].frame):
                asked.answer = message
        if message.kind not in ANSWERS:
            continue
        mine = next((asked for asked in found if (asked.kind, asked.side) == (message.kind, side)), None)
        if mine is None:
            mine = Asked(message, side)
            found.append(mine)
        mine.copies.append(message)
    for asked in found:
        if asked.answer is None:
            asked.answer = unlisted(one, asked)
    return found


class Unlisted:
    """An answer after the first 32 messages: its frame is not said, its time is that of the first of its kind, or the end."""

    def __init__(self, one, asked, answer):
        mine = any(message.kind == answer.kind and (side == asked.side or n < cm.KEPT) for n, (message, side) in enumerate(one.messages))
        self.frame = None
        self.time = one.messages[-1][0].time if mine else next(m.time for m, _ in one.messages if m.kind == answer.kind)


def unlisted(one, asked):
    later = [message for message, side in one.messages[cm.KEPT:] if side != asked.side and message.kind in ANSWERS[asked.kind]]
    return Unlisted(one, asked, min(later, key=lambda message: ORDER.index(message.kind))) if later else None


def count_of(one, asked):
    return one.counts[asked.kind] if isinstance(one, cm.Lookup) else one.counts[asked.kind, asked.side]


def incident_of(one, vain):
    """What the object incident says of a conversation; None: there is none."""
    wrong = [asked for asked in asked_of(one) if count_of(one, asked) > 1 or (asked.kind, asked.side) in vain]
    if not wrong:
        return None
    last = one.messages[-1][0].time
    root = max(wrong, key=lambda asked: (asked.answer is None, asked.end(last) - asked.copies[0].time, -wrong.index(asked)))
    lost = until = 0
    for asked in wrong:
        end = asked.end(last)
        if end > until:
            lost += end - max(asked.copies[0].time, until)
            until = end
    shown = [asked.copies[min(1, len(asked.copies) - 1)].frame for asked in wrong]
    again = root.copies[1] if len(root.copies) > 1 else None
    noticed = min(max(again.time - root.copies[0].time, 0), lost) if again else 0
    ended = root.answer is not None
    return {"kind": "cm", "direction": "a_to_b" if root.side == cm.A else "b_to_a", "root_psn": None,
            "operation": cm.NAMES[root.kind].upper(), "response": False, "copies": count_of(one, root), "frame": min(shown),
            "frames": {"root": root.copies[0].frame, "lost": None, "notice": again and again.frame, "nak": None,
                       "resent": again and again.frame, "end": root.answer.frame if ended else None,
                       "last": max(message.frame for asked in wrong for message in (*asked.copies, asked.answer)
                                 if message and message.frame)},
            "ns": {"lost": lost, "noticed": noticed, "resent": 0 if again else lost, "repaired": lost - noticed if again else 0},
            "packets_resent": sum(count_of(one, asked) - 1 for asked in wrong), "bytes_resent": None, "naks": 0, "rnr": 0, "timers": 0,
            "ended": ended}


def data_of(path):
    """{queue pair: times of packets to it}, and the time of the last packet"""
    found, last = {}, 0
    for record in capture.records(path):
        last = record.time
        net = packet.LINKS[record.link](record.data, 0) if record.link in packet.LINKS else None
        if net is not None and net.at + 12 <= len(record.data):
            found.setdefault(packet.u24(record.data, net.at + 5), []).append(record.time)
    return found, last


def incidents(path):
    """Those of the capture @path, in their order, each with the frames of all messages of its conversation: "messages"."""
    data, last = data_of(path)
    found = []
    for one in cm.found_in(path):
        vain = set()
        if not isinstance(one, cm.Lookup) and one.req is not None:
            waiting = Waiting(one, data)
            for message, side in one.messages:
                waiting.take(message, side)
            waiting.until(last)
            vain = waiting.vain
        incident = incident_of(one, vain)
        if incident:
            found.append(incident | {"messages": [message.frame for message, _ in one.messages]})
    return found
