# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planting.py - what planted faults are made of: one direction of a connection in a capture, a capture in the making, and what is expected of it."""
import collections

import roce

US, MS = 10**3, 10**6
MOVE = 200 * US  # what comes later moves on by this for each packet inserted


class Talk:
    """One direction's requests in a capture, and what answers them."""

    def __init__(self, frames, half, back):
        self.frames, self.half, self.back = frames, half, back
        mine = [i for i, f in enumerate(frames) if f.roce and f.service in (roce.RC, roce.UC)]
        self.requests = [i for i in mine if frames[i].half == half and frames[i].is_request]
        self.answers = [i for i in mine if frames[i].half == back and frames[i].is_response]
        self.service = frames[self.requests[0]].service
        self.covered = {i: self.covering(i) for i in self.requests}
        waits = [(i, self.covered[i]) for i in self.requests if frames[i].ackreq and self.covered[i]]
        self.round_trips = [(k, frames[k].time - frames[i].time) for i, k in waits]

    def covering(self, i):
        """The first answer that acknowledges the request."""
        return next((k for k in self.answers if k > i and
                     roce.after(self.frames[k].psn, self.frames[i].psn) >= 0), None)

    def longest(self):
        return max(time for _, time in self.round_trips)

    def shortest(self, before):
        """Of at least three round trips until then."""
        known = [time for k, time in self.round_trips if k < before]
        return min(known) if len(known) >= 3 else 0

    def has_aeth(self, k):
        return self.frames[k].name != "READ_RESPONSE_MIDDLE"

    def goes_on(self, k, time):
        """Whether there are packets of the connection for so long after that frame."""
        return self.frames[max(self.requests[-1], self.answers[-1])].time - self.frames[k].time > time

    def msn(self, psn, before):
        """Messages received up to the PSN before @psn; None: no answer says how many there were."""
        for k in reversed([k for k in self.answers if k < before and self.has_aeth(k)]):
            known = self.frames[k]
            if roce.after(psn, known.psn) > 0:
                ended = [i for i in self.requests if 0 < roce.after(self.frames[i].psn, known.psn)
                         and roce.after(psn, self.frames[i].psn) > 0
                         and not self.frames[i].name.endswith(("FIRST", "MIDDLE"))]
                return known.aeth[1] + len(ended)
        return None

    def neighbors(self):
        """Requests (i, j) of which j follows i before anything acknowledges i."""
        for i, j in zip(self.requests[1:], self.requests[2:]):
            if self.covered[i] and self.covered[i] > j and plain(self.frames[i]) and plain(self.frames[j]) \
                    and roce.after(self.frames[j].psn, self.frames[i].psn) == 1:
                yield i, j


def plain(frame):
    """Occupies its own PSN alone, and is answered by ACKs."""
    return frame.name.startswith(("SEND", "WRITE"))


class Edit:
    """A capture in the making: what to leave out, put in place of, and insert after a frame."""

    def __init__(self, frames):
        self.frames, self.gone, self.instead, self.inserted = frames, set(), {}, collections.defaultdict(list)
        self.pauses = {}

    def insert(self, i, frame, pause=MOVE):
        """After frame @i and what was inserted there before; what follows comes so much later."""
        self.inserted[i].append((frame, pause))
        return i, len(self.inserted[i])

    def build(self):
        """(frames, {place: number of the frame}); a place is an index, or what insert() gave."""
        out, where, later = [], {}, 0
        for i, frame in enumerate(self.frames):
            if i not in self.gone:
                frame = self.instead.get(i, frame)
                out.append(frame.at(frame.time + later))
                where[i] = len(out)
            for n, (new, pause) in enumerate(self.inserted[i], 1):
                later += pause
                out.append(new.at(self.frames[i].time + later))
                where[i, n] = len(out)
        return out, where


class Plant:
    """A variant: its frames, what has to be found (rules, at one of these frames), what may be."""

    def __init__(self, kind, edit, must, may=()):
        self.kind, self.may = kind, set(may)
        self.frames, where = edit.build()
        self.must = [(set(rules.split()), {where.get(place, 0) for place in places})
                     for rules, places in must]
        self.first = min((f for _, frames in self.must for f in frames), default=0)

    def allows(self, rule, frame):
        return any(rule in rules and (not frame or not max(frames) or frame in frames)
                   for rules, frames in self.must) or rule in self.may and (not frame or frame >= self.first or rule in EARLY)


# Said of the request that waited, when that is known.
EARLY = {"QPS021"}
