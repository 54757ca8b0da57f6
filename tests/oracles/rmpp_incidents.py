# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents of RMPP transfers in a capture, worked out from its bytes alone (mads.py reads the MADs).

Written from the definitions (the man page of pcap-lint, incident), not from the tracker. A transfer is one if a segment came while one before
it was missing, if a segment came again, if a STOP or an ABORT ended it, or if it went 40 s without a packet up to the end of the capture
though more of it was to come. It is held up while a segment is missing, and before a packet that brings one again or stops it.
"""
import capture
import mads
import packet
import text_words as W

SEGMENTS, ROOM, OPEN, WAIT = 2048, 409600, 32, 40 * mads.SECOND
HEADERS = {3: 20}  # bytes of the class's header, else an OUI's 4
FIRST, LAST = 2, 4
NAMES = {0: "normal", 1: "resources exhausted", 118: "total time too long", 119: "inconsistent last and PayloadLength",
         120: "inconsistent first and segment number", 121: "bad RMPP type", 122: "NewWindowLast too small", 123: "segment number too big",
         124: "illegal status", 125: "unsupported version", 126: "too many retries", 127: "unspecified"}


class Transfer:
    """One, packet by packet."""

    def __init__(self, mad):
        self.first, self.latest, self.time = mad, mad, mad.time
        self.state, self.segments, self.copies = "running", {}, {}  # number: data, packets
        self.end_of, self.gaps, self.again, self.missing, self.held = None, [], 0, set(), 0
        self.shown = self.root = self.kind = self.stop = None

    @property
    def highest(self):
        return max(self.segments, default=0)

    def show(self, kind, root, mad):
        if self.shown is None:
            self.shown, self.kind, self.root, self.before = mad, kind, root, len(self.copies.get(root, ()))

    def add(self, mad):
        """What the segment is: "new", "again", or what it makes of the transfer."""
        header = HEADERS.get(mad.mgmt_class, 4)
        n, last = 220 - header, bool(mad.flags & LAST)
        if not mad.segment:
            return "broken"
        if last and mad.length:
            if not header <= mad.length <= 220:
                return "broken"
            n = mad.length - header
        if mad.segment > SEGMENTS or (mad.segment - 1) * (220 - header) + n > ROOM:
            return "too big"
        if last and (self.highest >= mad.segment if self.end_of is None else self.end_of != (mad.segment, n)):
            return "broken"
        if not last and self.end_of is not None and mad.segment >= self.end_of[0]:
            return "broken"
        if last:
            self.end_of = mad.segment, n
        data = bytes(mad.body[36 + header:36 + header + n])
        if mad.segment in self.segments:
            return "again" if self.segments[mad.segment] == data else "broken"
        self.segments[mad.segment] = data
        return "new"

    def take(self, mad):
        highest, was = self.highest, None
        if mad.type == mads.DATA:
            was = self.add(mad)
        stops = mad.type in (mads.STOP, mads.ABORT)
        if (self.missing or was == "again" or stops) and mad.time > self.time:
            self.held += mad.time - self.time
        self.time, self.latest = max(self.time, mad.time), mad
        if was in ("new", "again"):
            if was == "again":
                self.again += 1
                self.show("again", mad.segment, mad)
            elif highest and mad.segment > highest + 1:
                self.gaps.append(mad)
                self.missing |= set(range(highest + 1, mad.segment))
                self.show("gap", highest + 1, mad)
            self.missing.discard(mad.segment)
            self.copies.setdefault(mad.segment, []).append(mad)
            if self.end_of and len(self.segments) == self.end_of[0]:
                self.state = "complete"
        elif stops:
            self.show("stop", highest, mad)
            self.state, self.stop = "stopped", mad
        elif mad.type != mads.ACK:
            self.state = was or "broken"

    def give_up(self, now):
        if self.state == "running" and 1 in self.copies and now - self.time > WAIT:
            self.show("unfinished", self.highest, self.latest)


class Reader:
    """All transfers of a capture."""

    def __init__(self):
        self.open, self.all, self.now = {}, [], 0  # those that go on, the one longest without a packet first

    def transfer(self, mad):
        forth = mad.mgmt_class, mad.tid, mad.src, mad.dst, mad.dqpn
        back = mad.mgmt_class, mad.tid, mad.dst, mad.src, mad.dqpn
        if forth in self.open:
            return forth
        if mad.type == mads.DATA:
            if mad.flags & (FIRST | LAST) == FIRST | LAST:
                return None
            if len(self.open) == OPEN:
                self.open.pop(next(iter(self.open))).give_up(self.now)
            self.open[forth] = Transfer(mad)
            self.all.append(self.open[forth])
            return forth
        return back if back in self.open else None

    def take(self, mad):
        key = self.transfer(mad)
        if key is None:
            return
        this = self.open.pop(key)
        this.take(mad)
        if this.state == "running":
            self.open[key] = this


def is_active(mad):
    return (mad.mgmt_class == 3 or 0x30 <= mad.mgmt_class <= 0x4f) and len(mad.body) >= 256 and mad.body[26] & 1


def transfers(path):
    reader = Reader()
    for record in capture.records(path):
        last = record.time
        mad = mads.Mad(record, damaged=True)
        if mad.ok:
            reader.now = max(reader.now, mad.time)
        if mad.ok and is_active(mad):
            reader.take(mad)
    for one in reader.open.values():
        one.give_up(max(reader.now, last))
    return sorted((one for one in reader.all if one.shown), key=lambda one: one.shown.frame)


def copies_of(one):
    """(first copy of the root, or None; the first since something is wrong, or None)"""
    copies = one.copies.get(one.root, [])
    return copies[0] if copies else None, copies[one.before] if len(copies) > one.before else None


def end_text(one):
    if one.state == "complete":
        return f"complete in frame {one.latest.frame}"
    if one.stop is None:
        return f"not complete by frame {one.latest.frame}"
    status = one.stop.body[27]
    name = f" ({NAMES[status]})" if status in NAMES else ""
    return f"{'STOP' if one.stop.type == mads.STOP else 'ABORT'} with status {status}{name} in frame {one.stop.frame}"


def text(one):
    """After what the transfer is called."""
    first, again = copies_of(one)
    said, repeats = [], one.again
    if one.kind == "gap":
        later = f"{W.time(again.time - one.shown.time)} later " if again and again.time > one.shown.time else ""
        said.append(f"segment {one.root} was missing in frame {one.shown.frame}, and " +
                    (f"came {later}in frame {again.frame}" if again else "never came"))
        if len(one.gaps) > 1:
            said.append(f"{len(one.gaps)} segments came with others missing before them")
    elif one.kind == "again":
        later = f"{W.time(again.time - first.time)} later " if again.time > first.time else ""
        said.append(f"segment {one.root} of frame {first.frame} was seen {W.counted(len(one.copies[one.root]), 'time')}, "
                    f"again {later}in frame {again.frame}")
        repeats = repeats if repeats > 1 else 0
    said += [f"{W.counted(repeats, 'segment')} repeated"] if repeats else []
    lost = f": {W.time(one.held)} without progress" if one.held else ""
    return f" from frame {one.first.frame} on: {'; '.join([*said, end_text(one)])}{lost}"


def incident_of(one):
    """What the object incident says of it; "text": how its sentence ends."""
    first, again = copies_of(one)
    since = one.shown if one.kind == "gap" else first
    noticed = min(max(again.time - since.time, 0), one.held) if again else 0
    done = one.state in ("complete", "stopped")
    data = one.first
    return {"kind": "rmpp", "direction": "a_to_b", "root_psn": None, "response": False, "copies": len(one.copies.get(one.root, ())),
            "frame": one.shown.frame,
            "frames": {"root": first and first.frame, "lost": None, "notice": again and again.frame, "nak": None,
                       "resent": again and again.frame, "end": one.latest.frame if done else None, "last": one.latest.frame},
            "ns": {"lost": one.held, "noticed": noticed, "resent": 0 if again else one.held, "repaired": one.held - noticed if again else 0},
            "packets_resent": one.again, "bytes_resent": None, "naks": 0, "rnr": 0, "timers": 0, "ended": done, "connection": None,
            "connections": [],
            "flow": f"{packet.address_text(data.src)} -> {packet.address_text(data.dst)} qp 0x{data.dqpn:06x}",
            "text": text(one), "back": data.back, "how": one.kind, "hosts": (str(data.src), str(data.dst)),
            "gaps": [gap.frame for gap in one.gaps], "stop": [one.stop.frame] if one.stop else []}


def incidents(path):
    """Those of the capture @path, in their order."""
    return [incident_of(one) for one in transfers(path)]


def sentence(proved):
    """What the verdict says of @proved, [(incident, what it is called)], after the requests; None where there are none."""
    if not proved:
        return None
    longest, name = max(proved, key=lambda pair: (pair[0]["ns"]["lost"], -pair[0]["frame"]))
    those = [one for one, _ in proved if one["hosts"] == longest["hosts"]]
    said = longest["flow"].partition(" qp ")[0] + ": "
    if len(those) > 1:
        stopped = sum(bool(one["stop"]) for one in those)
        missing = len(those) - stopped
        parts = [f"{W.counted(missing, 'transfer')} with missing segments"] if missing else []
        parts += [f"{stopped if missing else W.counted(stopped, 'transfer')} stopped"] if stopped else []
        said += f"{', '.join(parts)}; the longest, "
    lost = longest["ns"]["lost"]
    said += f"{name}{',' if len(those) > 1 else ''} {'was stopped' if longest['stop'] else 'had missing segments'}"
    said += f", {W.time(lost)} without progress" if lost else ""
    elsewhere = len(proved) - len(those)
    return said + (f"; and {W.counted(elsewhere, 'transfer')} between other hosts" if elsewhere else "")
