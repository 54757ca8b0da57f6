# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents of lost TCP segments of iWARP connections, from the bytes: octets that were missing and retransmitted, and octets that were
retransmitted before they were acknowledged.

Which segments are retransmitted, the numbers of their packets say, as long as they grow with the octets, else the round trip. A duplicate ACK is that of RFC 5681,
2. A hole is that below the octets which came already; the lowest one is looked at until it is filled, or until 16 segments came in vain
after the other end acknowledged it.
"""
import capture
import iwarp_flows as F
import text_words as W

CLASSIC, ETHERNET = (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\xa1\xb2\x3c\x4d"), 1
PATIENCE, BACK = 16, 8
NOTHING = {"root": None, "lost": None, "notice": None, "nak": None, "resent": None, "end": None, "last": None}


class Incident:
    """One, while it goes on."""

    def __init__(self, place, until, missing, frame, time, start):
        self.place, self.until, self.missing, self.frame, self.time, self.start = place, until, missing, frame, time, start
        self.root = self.notice = self.resent = self.end = None
        self.last, self.packets, self.octets, self.copies, self.over = frame, 0, 0, 0, None
        self.late, self.resent_at, self.resent_to = False, 0, 0

    def has_root(self, at, end):
        return at <= self.place < end

    def count(self, one):
        self.packets, self.octets, self.last = self.packets + 1, self.octets + len(one.data), one.number


class Way:
    """What one end sends, and what becomes of it."""

    def __init__(self, whole, source, round_trip):
        self.sender, self.round = F.Sender(whole, source), round_trip
        self.last_number, self.mixed, self.order = 0, False, None
        self.there = self.acked = self.since = self.late_acked = 0
        self.acked_time, self.window, self.pieces = 0, None, []
        self.begun = self.heard = self.finished = False
        self.open = self.duplicate = self.hole_time = self.lacking = None
        self.over, self.top, self.next, self.kept = 0, 0, 0, []
        self.joins = None

    def place(self, seq):
        return F.signed((seq - self.sender.first) & 0xffffffff)

    # What the other end says

    def acknowledge(self, one, window_before):
        if not self.begun:
            return
        place = self.place(one.ack)
        if self.pieces and place > self.there:
            self.late_acked = max(self.late_acked, place)
        place -= self.finished and self.fin == place - 1
        if place > self.acked:
            self.duplicate = None
            if self.open and not self.open.missing and place >= self.open.until:
                self.finish(one)
            self.acked, self.acked_time = place, one.time
        elif place == self.acked and not one.data and not one.flags & (F.SYN | F.FIN | F.RST) and one.window == window_before and \
                (self.there > self.acked or self.pieces) and not self.duplicate:
            self.duplicate = one
            self.notice()

    def notice(self):
        i, dup = self.open, self.duplicate
        if i and dup and not i.notice and self.acked == i.place and not (i.missing and dup.number < i.frame):
            i.notice = dup

    def finish(self, one):
        i, self.open = self.open, None
        i.end, i.over, i.last = one.number, max(one.time, i.start), one.number
        self.keep(i)

    def keep(self, i):
        self.kept.append(i)
        self.over, self.joins = i.over, i

    # What it sends

    def covered(self, at, end):
        for begin, stop, _ in self.pieces:
            if begin <= at < stop:
                at = stop
        return at >= end

    def send(self, one):
        at = self.place(one.seq)
        end = at + len(one.data)
        if one.flags & F.FIN:
            self.finished, self.fin = True, end
        if not one.data or (len(one.data) == 1 and at == self.there - 1):
            return
        old = end <= self.there or (at > self.there and self.covered(at, end))
        ahead = not old and at > self.there and end >= max((piece[1] for piece in self.pieces), default=0)
        fills = not old and not ahead and bool(self.pieces)
        follows = not old and not ahead and not fills
        if follows and self.there == self.acked:
            self.acked_time = one.time
        self.order = self.order_of(one)
        if self.is_resent(one, old, fills):
            if old and self.order is None:
                self.overtaken(one, at, end)
            self.again(one, at, end, fills)
        elif old or fills:
            self.overtaken(one, at, end)
        self.follow(one, follows)
        self.take(one, at, end)
        if self.open and self.open.missing:
            if self.open.has_root(at, end):
                self.open.copies += 1
                self.open.root = self.open.root or one.number
            if self.there >= self.open.until:
                if self.open.resent and self.acked < self.open.until:
                    self.finish(one)
                else:
                    self.open = None
        if self.pieces and not self.open:
            begin, _, brought = self.pieces[0]
            self.open = Incident(self.there, begin, begin - self.there, brought.number, brought.time, max(brought.time, self.over))
        self.hole_time = None if not self.pieces else self.hole_time if self.hole_time is not None else one.time

    def is_resent(self, one, old, fills):
        if not (old or fills):
            return False
        if self.order is not None:
            return self.order
        if fills and self.hole_time is not None and one.time - self.hole_time < self.round:
            return False
        return old or self.round > 0

    def order_of(self, one):
        """Whether it was sent after the last one that was; None: its number does not say."""
        step = (one.ident - self.last_number + 32768) % 65536 - 32768
        return step > 0 if one.ident and self.last_number and not self.mixed and -F.FAR <= step <= F.FAR else None

    def follow(self, one, follows):
        """Numbers count something else where data that go on have a lower one."""
        self.mixed |= bool(follows and self.last_number and self.order is not True)
        if one.ident and (not self.last_number or self.order):
            self.last_number = one.ident

    def overtaken(self, one, at, end):
        """A copy, or an original that comes late: what was taken for lost was not."""
        for i in [*([self.open] if self.open else []), *self.kept[-BACK:]]:
            if i.missing and i.resent and (i.resent.ident != one.ident or not one.ident) and at < i.resent_to and end > i.resent_at:
                i.late = True

    def again(self, one, at, end, fills):
        if at < 0:
            return
        if not self.open and self.joins and self.next <= at < self.top:
            self.joins.count(one)
            self.next = end
            return
        if not self.open:
            soon = self.order is None and not (self.acked >= at and self.round and one.time >= self.acked_time + self.round)
            if self.pieces or not self.heard or self.acked >= end or soon:
                return
            root = max(at, self.acked)
            start = min(max(self.acked_time, self.over), one.time) if self.acked >= at else one.time
            self.open = Incident(root, self.there, 0, one.number, one.time, start)
            self.open.copies = 0 if self.lacking and self.lacking[0] <= root < self.lacking[1] else 1
            self.joins = None
            self.notice()
        i = self.open
        if not i.packets:
            self.top = max([self.there, *(piece[1] for piece in self.pieces)])
        self.next = end
        i.count(one)
        if not i.missing:
            i.copies += i.has_root(at, end)
        elif not fills:
            return
        if not i.resent and at < i.until and end > i.place:
            i.resent, i.resent_at, i.resent_to = one, at, end

    def take(self, one, at, end):
        """The octets, and those after them that can be had then."""
        before = bool(self.pieces) or at > self.there
        if at > self.there:
            for begin, stop in self.new_of(at, end):
                self.pieces.append((begin, stop, one))
            self.pieces.sort(key=lambda piece: piece[:2])
            if self.late_acked >= self.pieces[0][0]:
                self.since += 1
            if self.since >= PATIENCE:
                if self.open and self.open.missing:
                    self.lacking, self.open = (self.open.place, self.open.until), None
                self.there = self.pieces[0][0]
        elif end > self.there:
            self.there = end if not self.pieces else self.there
            self.fill(at, end)
        while self.pieces and self.pieces[0][0] <= self.there:
            self.there = max(self.there, self.pieces.pop(0)[1])
            self.since = 0
        if before and not self.pieces:
            self.late_acked = self.since = 0

    def fill(self, at, end):
        while self.there < end:
            if self.pieces and self.pieces[0][0] <= self.there:
                self.there = max(self.there, self.pieces.pop(0)[1])
                self.since = 0
            else:
                self.there = min([end, *(piece[0] for piece in self.pieces[:1])])

    def new_of(self, at, end):
        for begin, stop, _ in self.pieces:
            if at < min(begin, end):
                yield at, min(begin, end)
            at = max(at, stop)
        if at < end:
            yield at, end

    def close(self, last):
        i, self.open = self.open, None
        if not i or (i.missing and (self.acked >= i.until or not (i.notice or i.packets))):
            return
        i.over = max(last, i.start)
        self.keep(i)


def of_connection(whole):
    """[(direction, source, to, whether numbers say nothing, Incident)]; None: it is no iWARP."""
    flow = F.flow_of(whole)
    if not flow:
        return None
    first = whole[0]
    after = next((one for one in whole[1:] if one.source == first.source and not one.flags & F.SYN), None)
    round_trip = after.time - first.time if first.flags & F.SYN and after else 0
    ends = [first.source, first.to]
    ways = {end: Way(whole, end, round_trip) for end in ends}
    for one in whole:
        mine, other = ways[one.source], ways[one.to]
        mine.begun = other.heard = True
        if one.flags & F.SYN:
            continue
        if one.flags & F.ACK:
            other.acknowledge(one, mine.window)
            mine.window = one.window
        mine.send(one)
    last = max(one.time for one in whole)
    found = []
    for source in ends:
        ways[source].close(last)
        name = "a_to_b" if F.text_of(source[0]) == flow["a"]["address"] and source[1] == flow["a"]["port"] else "b_to_a"
        to = ends[1] if source == ends[0] else ends[0]
        found += [(name, source, to, ways[source].mixed, i) for i in ways[source].kept if not i.late]
    return found


def end_text(i, took):
    if i.end is None:
        yield "; never complete" if i.missing else "; not acknowledged by the end"
    elif not i.missing:
        yield f"; all acknowledged in frame {i.end}"
    elif i.end != i.resent.number:
        yield f"; complete in frame {i.end}"
    if took:
        yield f"{': messages were held up for' if i.missing else ': recovery took'} {W.time(took)}{' more' if i.missing and i.start > i.time else ''}"


def text(i, took):
    said = ""
    if i.missing:
        said = f"{W.counted(i.missing, 'octet')} of the stream from octet {i.place} on {'was' if i.missing == 1 else 'were'} missing in frame {i.frame}"
        if i.resent:
            later = f"{W.time(i.resent.time - i.time)} later " if i.resent.time > i.time else ""
            said += f", and retransmitted {later}in frame {i.resent.number}"
    else:
        said = f"octet {i.place} of the stream was retransmitted in frame {i.frame}"
        if i.time > i.start:
            said += f" after {W.time(i.time - i.start)} without an acknowledgement"
    said += f"; first duplicate ACK in frame {i.notice.number}" if i.notice else ""
    said += f"; {i.packets} segments retransmitted" if i.packets > 1 else ""
    return said + "".join(end_text(i, took))


def times(i):
    lost = max(i.over - i.start, 0)
    since, noticed = i.start, 0
    if i.notice:
        noticed = min(max(i.notice.time - since, 0), lost)
        since += noticed
    resent = lost - noticed if not i.resent else min(max(i.resent.time - since, 0), lost - noticed)
    return {"lost": lost, "noticed": noticed, "resent": resent, "repaired": lost - noticed - resent if i.resent else 0}


def number(one):
    return one.number if one else None


def line(connection, name, source, to, mixed, i):
    ns = times(i)
    v6 = len(source[0]) == 16
    ends = [f"{'[' if v6 else ''}{F.text_of(end[0])}{']' if v6 else ''}:{end[1]}" for end in (source, to)]
    return {"connection": connection, "direction": name, "kind": "segment-lost", "flow": " -> ".join(ends), "root_psn": None, "place": i.place,
            "operation": None, "response": False, "copies": i.copies, "frame": i.frame,
            "frames": NOTHING | {"root": i.root, "notice": number(i.notice), "resent": number(i.resent), "end": i.end, "last": i.last},
            "ns": ns, "packets_resent": i.packets, "bytes_resent": i.octets, "naks": 0, "rnr": 0, "timers": 0, "ended": i.end is not None,
            "connections": [connection], "text": text(i, ns["lost"]), "until": i.last if i.end is not None else None, "missing": (i.place, i.until) if i.missing and not mixed else None}


def incidents(path):
    """Each as its line of JSON should be, by frame; with "until", the last frame, None: it did not end, and "missing", places, None: nothing was, or numbers do not tell late from
    retransmitted."""
    data = capture.uncompressed(path)
    if data[:4] not in CLASSIC or b"MPA ID Re" not in data or ETHERNET not in (data[20], data[23]):
        return []
    found, connection = [], 0
    for whole in F.connections(path):
        mine = of_connection(whole)
        if mine is None:
            continue
        found += [line(connection, *one) for one in mine]
        connection += 1
    return sorted(found, key=lambda one: one["frame"])
