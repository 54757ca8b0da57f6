# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents of requests of MADs in a capture, worked out from its bytes alone (mads.py reads the MADs).

Written from the definitions (the man page of pcap-lint, incident), not from the tracker. A request is part of one if it came more than
once before its answer, if its answer came 2 s or more after its last copy, or if none came in that time. Those are one incident that are
between the same hosts, of the same class, agent and way, came to the same, and show within a second of the first of them: with the second copy, or
with the first if there is none.
"""
import capture
import mads
import packet
import text_words as W

UNANSWERED, LATE, STOPPED, REPEATED = range(4)
TOGETHER, TICK, GONE = mads.SECOND, mads.SECOND, 30 * mads.SECOND
METHODS = {0x01: "Get", 0x02: "Set", 0x06: "Report", 0x12: "GetTable", 0x13: "GetTraceTable", 0x14: "GetMulti", 0x15: "Delete"}


class Asked:
    """A request and its copies."""

    def __init__(self, mad):
        self.copies, self.answer, self.until = [mad], None, None
        self.late = self.stopped = self.given_up = False

    @property
    def first(self):
        return self.copies[0]

    @property
    def shown(self):
        return self.copies[min(1, len(self.copies) - 1)]

    @property
    def last(self):
        return max(self.copies[-1].frame, self.answer.frame if self.answer else 0)

    def waits(self, now, ns):
        return self.answer is None and now - self.copies[-1].time >= ns

    def end(self):
        return max((self.answer or self.copies[-1]).time, self.first.time)

    def took(self):
        return self.end() - self.first.time

    def outcome(self):
        if self.answer is None:
            return UNANSWERED
        if self.stopped:
            return STOPPED
        return LATE if self.late else REPEATED

    def is_wrong(self):
        return len(self.copies) > 1 or self.late or self.given_up

    def cause(self):
        way = (self.first.tid[:4], self.first.key[2]) if self.first.mgmt_class == mads.DIRECTED else (b"", b"")
        return str(self.first.src), str(self.first.dst), self.first.mgmt_class, *way, self.outcome()


class Reader:
    """All requests of a capture."""

    def __init__(self):
        self.known, self.all, self.tick, self.last = {}, [], 0, 0

    def time(self, now):
        self.last = now
        if now >= self.tick:
            self.tick = now + TICK
            self.give_up(now, GONE)

    def give_up(self, now, ns):
        for asked in self.known.values():
            asked.given_up |= asked.waits(now, ns)

    def ask(self, mad):
        old = self.known.get(mad.key)
        same = old is not None and old.first.content == mad.content
        if same and mad.mgmt_class == mads.DIRECTED and old.first.hop != mad.hop:
            return
        if same and old.answer is None:
            old.copies.append(mad)
            return
        if old is not None and old.answer is None:
            old.given_up |= old.waits(mad.time, mads.LATE)
            old.until = mad.frame
        self.known[mad.key] = Asked(mad)
        self.all.append(self.known[mad.key])

    def take(self, mad):
        if mad.back and mad.method not in mads.ANSWERED and mad.type <= mads.DATA:
            return
        asked = self.known.get(mad.key)
        if mad.type > mads.DATA:
            if mad.type in (mads.STOP, mads.ABORT) and asked is not None and asked.answer is None:
                asked.answer, asked.stopped = mad, True
        elif mad.back:
            if asked is None or asked.answer is not None or \
                    (mad.mgmt_class != mads.DIRECTED and not mads.same_server(asked.first.server, mad.server)):
                return
            asked.late = mad.time - asked.copies[-1].time >= mads.LATE
            asked.answer = mad
        elif mad.method in mads.ANSWERED and mad.segment <= 1:
            self.ask(mad)


def requests(path):
    reader = Reader()
    for record in capture.records(path):
        reader.time(record.time)
        mad = mads.Mad(record)
        if mad.ok:
            reader.take(mad)
    reader.give_up(reader.last, mads.LATE)
    return [asked for asked in reader.all if asked.is_wrong()]


def together(asked):
    """Lists of those that have one cause, each in the order of first copies."""
    groups = []
    for one in sorted(asked, key=lambda one: (one.cause(), one.shown.frame)):
        first = groups[-1][0] if groups else None
        if first and first.cause() == one.cause() and abs(one.shown.time - first.shown.time) <= TOGETHER:
            groups[-1].append(one)
        else:
            groups.append([one])
    return [sorted(group, key=lambda one: one.first.frame) for group in groups]


def answer_text(root):
    first, last, answer = root.first, root.copies[-1], root.answer
    if answer is None:
        return f"; no answer to it by frame {root.until}" if root.until else "; no answer to it was captured"
    after = ""
    if answer.time > first.time:
        after = f"{W.time(answer.time - first.time)} {'after the first copy' if len(root.copies) > 1 else 'later'} "
        if len(root.copies) > 1 and answer.time > last.time:
            after += f"and {W.time(answer.time - last.time)} after the last one "
    return f"; {'stopped' if root.stopped else 'answered'} {after}in frame {answer.frame}"


def others_text(root, n, last):
    if not n:
        return ""
    was, more = "was" if n == 1 else "were", W.counted(n, "more request")
    words = {UNANSWERED: f"no answer to {more} either", LATE: f"{more} {was} answered late", STOPPED: f"{more} {was} stopped",
             REPEATED: f"{more} {was} seen more than once"}
    return f"; {words[root.outcome()]}, up to frame {last}"


def text(root, n, last):
    """After what the request is called, and is about."""
    first = root.first
    said = f" of frame {first.frame}"
    if len(root.copies) > 1:
        again = root.copies[1]
        later = f"{W.time(again.time - first.time)} later " if again.time > first.time else ""
        said += f" was seen {W.counted(len(root.copies), 'time')}, again {later}in frame {again.frame}"
    return said + answer_text(root) + others_text(root, n, last)


def flow_text(mad):
    return f"{packet.address_text(mad.src)} -> {packet.address_text(mad.dst)} qp 0x{mad.dqpn:06x}"


def incident_of(group):
    """What the object incident says of those; "text": how its sentence ends."""
    root = max(group, key=lambda one: (one.took(), -one.first.frame))
    lost = until = 0
    for one in group:
        if one.end() > until:
            lost += one.end() - max(one.first.time, until)
            until = one.end()
    again = root.copies[1] if len(root.copies) > 1 else None
    noticed = min(max(again.time - root.first.time, 0), lost) if again else 0
    last = max(one.last for one in group)
    return {"kind": "mad", "direction": "a_to_b", "root_psn": None, "response": False, "copies": len(root.copies),
            "frame": min(one.shown.frame for one in group),
            "frames": {"root": root.first.frame, "lost": None, "notice": again and again.frame, "nak": None,
                       "resent": again and again.frame, "end": root.answer.frame if root.answer else None, "last": last},
            "ns": {"lost": lost, "noticed": noticed, "resent": 0 if again else lost, "repaired": lost - noticed if again else 0},
            "packets_resent": sum(len(one.copies) - 1 for one in group), "bytes_resent": None, "naks": 0, "rnr": 0, "timers": 0,
            "ended": root.answer is not None, "connection": None, "connections": [],
            "flow": flow_text(root.first),
            "text": text(root, len(group) - 1, last), "method": METHODS[root.first.method], "outcome": root.outcome(),
            "requests": [one.first.frame for one in group], "asked": group,
            "copied": {copy.frame for one in group for copy in one.copies if one.given_up},
            "answered": {one.answer.frame for one in group if one.answer}}


def one_text(asked, name):
    """What the verdict says of a single request."""
    answered = {UNANSWERED: "not answered", STOPPED: "stopped"}.get(asked.outcome(), "answered")
    took, copies = asked.took(), len(asked.copies)
    seen = f"seen {W.counted(copies, 'time')}{f' in {W.time(took)}' if took and asked.answer is None else ''} and " if copies > 1 else ""
    after = f" {W.time(took)} {'after the first copy' if copies > 1 else 'later'}" if asked.answer and took else ""
    return f"{name} was {seen}{answered}{after}"


def counts_text(requests):
    """What the verdict says of several requests."""
    words = {UNANSWERED: "not answered", LATE: "answered late", STOPPED: "stopped", REPEATED: "answered when repeated"}
    outcomes = [one.outcome() for one in requests]
    parts = [(outcomes.count(outcome), text) for outcome, text in words.items() if outcome in outcomes]
    said = ", ".join(f"{n if i else W.counted(n, 'request')} {text}" for i, (n, text) in enumerate(parts))
    again = sum(len(one.copies) > 1 for one in requests)
    if again == len(requests) and again > outcomes.count(REPEATED):
        return f"{said}; all were repeated"
    return said + (f"; {again} of these {len(requests)} {'was' if again == 1 else 'were'} repeated" if again > outcomes.count(REPEATED) else "")


def sentence(proved, named=packet.address_text):
    """(text, numbers) of what the verdict says of @proved, [(incident, what its root is called)]; (None, {}) where there are none. @named:
    an address with the name of its node."""
    if not proved:
        return None, {}
    def root(one):
        return max(one["asked"], key=lambda asked: (asked.took(), -asked.first.frame))
    def hosts(one):
        return str(root(one).first.src), str(root(one).first.dst)
    worst, name = max(proved, key=lambda pair: (root(pair[0]).took(), len(pair[0]["asked"]), -root(pair[0]).first.frame))
    those = [one for one, _ in proved if hosts(one) == hosts(worst)]
    requests = [asked for one in those for asked in one["asked"]]
    elsewhere = sum(len(one["asked"]) for one, _ in proved) - len(requests)
    longest = root(worst)
    said = ", {} -> {}: ".format(*(named(end) for end in (longest.first.src, longest.first.dst)))
    if len(requests) == 1:
        said += one_text(longest, name)
    else:
        waits = f", waited {'' if longest.answer else 'at least '}{W.time(longest.took())}" if longest.took() else ""
        said += f"{counts_text(requests)}; {'the longest, ' if waits else 'among them '}{name}{waits}"
    said += f"; and {W.counted(elsewhere, 'request')} between other hosts" if elsewhere else ""
    numbers = {"incidents": len(those), "requests": len(requests), "ns": longest.took(),
               "unanswered": sum(one.outcome() == UNANSWERED for one in requests), "repeated": sum(len(one.copies) > 1 for one in requests)}
    return said, {key: n for key, n in numbers.items() if n}


def incidents(path):
    """Those of the capture @path, in their order."""
    return sorted(map(incident_of, together(requests(path))), key=lambda one: one["frame"])
