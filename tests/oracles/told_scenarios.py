# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""told_scenarios.py DIR: conversations in which one fault follows another of its kind, told from both sides: KIND-SIDE.pcap.

A story has a sentence for one event of a kind and one for several in a row; here are those that neither captures of real
networks nor random conversations show. The sender of the fault is A in one capture and B in the other: A is whoever sent first.
"""
import pathlib
import sys

import packet as P
import told_iwarp
import writer as W

US, MS = 1000, 10**6
START = 10**18
TIMES, CROWD = 5, 130
SEQUENCE, RNR, UNLIMITED = 0x60, 0x2e, 0x1f
REFUSED = 0x62  # a remote access error
REQ, MRA, REJ, REP, RTU, DREQ, DREP = 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16
IDS = (0x101, 0x202)
DEPTH, TIMEOUT = 2, 20


def agreed(attribute, mad):
    """REQ and REP with what both ends ask for: READs outstanding; 4 s for a message of the CM to be answered, 7 retries."""
    mad = bytearray(mad)
    if attribute == REQ:
        mad[24 + 35] = mad[24 + 39] = DEPTH
        mad[24 + 43] |= TIMEOUT << 3
        mad[24 + 47] = TIMEOUT << 3 | 7
    elif attribute == REP:
        mad[24 + 24] = mad[24 + 25] = DEPTH
    return bytes(mad)


class Scene:
    """Two ends of an RC connection, the one that does wrong (@bad) and the other."""

    def __init__(self, bad, mtu=1024):
        self.bad, self.good, self.mtu = bad, 1 - bad, mtu
        self.ends = W.End("192.0.2.1", 0x1011), W.End("192.0.2.2", 0x2022)
        self.now, self.frames, self.psns = START, [], [100, 5000]
        self.msns = [0, 0]

    def put(self, side, op, psn, size=0, after=10 * US, **fields):
        self.now += after
        src, dst = self.ends[side], self.ends[1 - side]
        self.frames.append((self.now, W.frame("ipv4", src, dst, op, fields.pop("dqpn", dst.qpn), psn % 2**24, size, **fields)))

    def next(self, side, n=1):
        """The next PSN of requests of a side."""
        self.psns[side] += n
        return self.psns[side] - n

    def send(self, side, size=64, op=P.SEND_ONLY, psn=None, **fields):
        psn = self.next(side) if psn is None else psn
        self.put(side, op, psn, size, ackreq=1, **fields)
        return psn

    def answer(self, side, psn, syndrome=UNLIMITED, after=10 * US, msn=None):
        """The MSN counts each request answered, if it is not another one."""
        self.msns[side] += syndrome == UNLIMITED
        self.put(side, P.ACKNOWLEDGE, psn, syndrome=syndrome, after=after, msn=self.msns[side] if msn is None else msn)

    def talk(self, n=2):
        """A sends first: requests of both sides, each with its ACK."""
        for _ in range(n):
            for side in (0, 1):
                self.answer(1 - side, self.send(side))

    def cm(self, side, attribute, after=10 * US, ids=None, **fields):
        self.now += after
        local, remote = ids or (IDS[side], IDS[1 - side])
        body = agreed(attribute, W.cm(attribute, local, remote, service="RC", **fields))
        self.frames.append((self.now, W.frame("ipv4", self.ends[side], self.ends[1 - side], W.UD_SEND_ONLY, 1, 0, body=body)))

    def connect(self, rtu=True, mtu=None, agreed_qpn=None):
        """REQ and REP, each with the PSN at which the other one begins."""
        self.cm(0, REQ, qpn=self.ends[0].qpn, psn=self.psns[1], mtu=mtu or self.mtu)
        self.cm(1, REP, qpn=agreed_qpn or self.ends[1].qpn, psn=self.psns[0])
        if rtu:
            self.cm(0, RTU)


def conflict(s):
    s.connect()
    s.talk()
    for size in (1, 8, 8, 8, 8):
        psn = s.next(s.bad)
        s.put(s.bad, P.SEND_ONLY, psn, 32)
        s.put(s.bad, P.SEND_ONLY, psn, size, after=2 * MS)


def in_read(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        psn = s.next(s.bad, 4)
        s.put(s.bad, P.READ_REQUEST, psn, dma=4 * s.mtu)
        s.send(s.bad, psn=psn + 1)


def nak_wrong(s):
    s.connect()
    s.talk()
    for i in range(TIMES):
        s.answer(s.bad, s.psns[s.good] + 40 + i, SEQUENCE)
    s.now += 5 * MS
    s.talk()


def nak_repeated(s):
    s.connect()
    s.talk()
    lost = s.next(s.good)
    s.send(s.good)
    for _ in range(TIMES):
        s.answer(s.bad, lost, SEQUENCE)
    s.send(s.good, psn=lost)


def nak_unanswered(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        lost = s.next(s.good)
        s.send(s.good)
        s.answer(s.bad, lost, SEQUENCE)
        s.send(s.good, after=300 * MS)


def nak_fatal(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.answer(s.bad, s.send(s.good), REFUSED)


def after_fatal(s):
    s.connect()
    s.talk()
    s.answer(s.good, s.send(s.bad), REFUSED)
    for _ in range(TIMES):
        s.put(s.bad, P.SEND_ONLY, s.next(s.bad), 64, after=2 * MS)


def rnr_early(s):
    s.connect()
    s.talk()
    psn = s.send(s.bad)
    s.answer(s.good, psn, 0x20 | 14)
    for _ in range(TIMES):
        s.send(s.bad, psn=psn, after=100 * US)
    s.answer(s.good, psn)


def timeout(s):
    s.connect()
    s.talk()
    psn = s.send(s.bad)
    for _ in range(TIMES):
        s.send(s.bad, psn=psn, after=5 * MS)


def ack_unsent(s):
    s.connect()
    s.talk()
    for i in range(TIMES):
        s.answer(s.bad, s.psns[s.good] + 40 + 10 * i, msn=2)
        s.put(s.good, P.SEND_ONLY, s.next(s.good), 64, after=2 * MS)


def ack_missing(s):
    s.connect()
    s.talk(4)
    for _ in range(TIMES):
        s.send(s.bad)
        s.answer(s.good, s.send(s.bad, after=80 * MS))


def msn_wrong(s):
    s.connect()
    s.talk()
    for msn in (90, 80, 70, 60, 50):
        s.answer(s.bad, s.send(s.good), msn=msn)


def op_sequence(s):
    s.connect()
    s.talk()
    for op in (P.SEND_MIDDLE, P.SEND_ONLY) * 3:
        s.put(s.bad, op, s.next(s.bad), s.mtu)


def not_mtu(s):
    s.connect()
    s.talk()
    for size in (s.mtu, 1, 8, 8, 8, 8):
        s.send(s.bad, size, P.SEND_FIRST)
        s.answer(s.good, s.send(s.bad, 8, P.SEND_LAST))


def last_length(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.send(s.bad, s.mtu, P.SEND_FIRST)
        s.answer(s.good, s.send(s.bad, 0, P.SEND_LAST))


def write_length(s):
    s.connect()
    s.talk()
    for size in (1, 8, 8, 8, 8):
        s.answer(s.good, s.send(s.bad, size, P.WRITE_ONLY, dma=16))


def read_length(s):
    s.connect()
    s.talk()
    for size in (1, 8, 8, 8, 8):
        psn = s.next(s.good)
        s.put(s.good, P.READ_REQUEST, psn, dma=100)
        s.msns[s.bad] += 1
        s.put(s.bad, P.READ_ONLY, psn, size, msn=s.msns[s.bad])


def capture_loss(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.send(s.bad)
        s.answer(s.good, s.next(s.bad, 3) + 2)


def before_rtu(s):
    s.connect(rtu=False)
    for _ in range(TIMES):
        s.answer(s.good, s.send(s.bad))
    s.cm(0, RTU)
    s.talk()


def after_drep(s):
    s.connect()
    s.talk()
    s.cm(0, DREQ, qpn=s.ends[1].qpn)
    s.cm(1, DREP)
    s.now += 5000 * MS
    for _ in range(TIMES):
        s.send(s.bad, after=100 * MS)


def wrong_start(s):
    s.connect()
    start = s.next(s.bad, 2)
    psn = s.send(s.bad)
    s.answer(s.good, start, SEQUENCE)
    for _ in range(TIMES):
        s.send(s.bad, psn=psn, after=67 * MS)


def wrong_qpn(s):
    s.ends[1].qpn = 0x120000
    s.connect(agreed_qpn=0x12)
    for psn in [s.next(0)] * TIMES:
        s.send(0, psn=psn, after=67 * MS)


def over_mtu(s):
    s.connect(mtu=s.mtu // 2)
    s.talk()
    for _ in range(TIMES):
        s.put(s.bad, P.SEND_FIRST, s.next(s.bad), s.mtu)
        s.answer(s.good, s.send(s.bad, 8, P.SEND_LAST))


def over_depth(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        asked = [s.next(s.bad) for _ in range(DEPTH + 1)]
        for psn in asked:
            s.put(s.bad, P.READ_REQUEST, psn, dma=100)
        for psn in asked:
            s.msns[s.good] += 1
            s.put(s.good, P.READ_ONLY, psn, 100, msn=s.msns[s.good])


def cm_again(s):
    """Each message of the CM three times, as no answer comes."""
    def again(side, attribute, **fields):
        for _ in range(3):
            s.cm(side, attribute, after=500 * MS, **fields)
    again(0, REQ, qpn=s.ends[0].qpn, psn=s.psns[1], mtu=s.mtu)
    again(1, MRA)
    again(1, REP, qpn=s.ends[1].qpn, psn=s.psns[0])
    again(0, MRA)
    again(0, RTU)
    s.talk()


def cm_end(s):
    """The same of the messages that end a connection."""
    s.connect()
    s.talk()
    for side, attribute in ((s.bad, DREQ), (s.good, DREP)):
        for _ in range(3):
            s.cm(side, attribute, after=500 * MS, qpn=s.ends[s.good].qpn)


def cm_rej(s):
    s.connect(rtu=False)
    for _ in range(TIMES):
        s.cm(s.bad, REJ, after=500 * MS)


def cm_wrong_id(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.cm(s.bad, DREQ, qpn=s.ends[s.good].qpn, ids=(IDS[s.bad], 0x999), after=MS)


def cm_given_up(s):
    s.connect()
    s.talk()
    for _ in range(2):
        s.cm(s.bad, DREQ, qpn=s.ends[s.good].qpn)
        s.now += 400_000 * MS
        s.talk()


def never_answered(s):
    """Another connection of the same hosts is answered meanwhile, and for seconds after."""
    s.connect()
    for _ in range(TIMES if s.bad else 1):
        s.send(s.bad)
    s.ends = W.End("192.0.2.1", 0x3011), W.End("192.0.2.2", 0x4022)
    for _ in range(3):
        s.now += 1000 * MS
        s.talk()


def go_on_elsewhere(s):
    """The capture goes on, with another connection."""
    s.ends = W.End("192.0.2.5", 0x3011), W.End("192.0.2.6", 0x4022)
    s.now += 1000 * MS
    s.talk()


def gave_up(s):
    """B's DREQ follows, A is silent."""
    s.connect()
    s.talk()
    psn = s.send(s.bad)
    for _ in range(7):
        s.send(s.bad, psn=psn, after=67 * MS)
    if s.bad:
        s.cm(s.bad, DREQ, after=68 * MS, qpn=s.ends[s.good].qpn)
    go_on_elsewhere(s)


def gave_up_rnr(s):
    """The other end lets it have no RNR NAK."""
    s.connect()
    s.talk()
    s.answer(s.good, s.send(s.bad), RNR)
    if s.good:
        s.cm(s.bad, DREQ, after=68 * MS, qpn=s.ends[s.good].qpn)
    go_on_elsewhere(s)


def unreached(s):
    psns = s.next(s.bad), s.next(s.bad)
    for _ in range(4):
        for psn, qpn in zip(psns, (0x2022, 0x3033)):
            s.send(s.bad, psn=psn, dqpn=qpn, after=33 * MS)


def reordered(s):
    """At the time of the one that overtook it, as a coarse clock has it."""
    s.connect()
    s.talk()
    for _ in range(TIMES):
        late = s.next(s.bad)
        last = s.send(s.bad)
        s.send(s.bad, psn=late, after=0)
        s.msns[s.good] += 1
        s.answer(s.good, last)


def acked_before(s):
    """ACKs of what was acknowledged long before."""
    s.connect()
    s.talk(4)
    for msn in [s.msns[s.bad]] * TIMES:
        s.answer(s.bad, s.psns[s.good] - 3, after=5 * MS, msn=msn)


def sent_long_before(s):
    """So long that it is forgotten."""
    s.connect()
    first = s.psns[s.bad]
    s.talk(300)
    for msn in [s.msns[s.good]] * TIMES:
        s.send(s.bad, psn=first)
        s.answer(s.good, s.psns[s.bad] - 1, msn=msn)


def write_in_parts(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.send(s.bad, s.mtu, P.WRITE_FIRST, dma=s.mtu + 16)
        s.answer(s.good, s.send(s.bad, 8, P.WRITE_LAST))


def response_late(s):
    """At the time of the one that overtook it, as a coarse clock has it."""
    s.connect()
    s.talk()
    for _ in range(TIMES):
        psn = s.next(s.good, 4)
        s.put(s.good, P.READ_REQUEST, psn, dma=4 * s.mtu)
        s.msns[s.bad] += 1
        for op, at, after in ((P.READ_FIRST, 0, 10 * US), (P.READ_MIDDLE, 2, US), (P.READ_MIDDLE, 1, 0), (P.READ_LAST, 3, US)):
            s.put(s.bad, op, psn + at, s.mtu, after, msn=s.msns[s.bad])


def read_unanswered(s):
    """A READ is passed by the ACK of the SEND after it, and never asked for again."""
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.put(s.good, P.READ_REQUEST, s.next(s.good), dma=100)
        s.msns[s.bad] += 1
        s.answer(s.bad, s.send(s.good))


def restart(s):
    s.talk()
    for _ in range(TIMES):
        s.next(s.bad, 3 * 10**6)
        s.send(s.bad, after=5 * MS)


def icrc_accepted(s):
    s.connect()
    s.talk()
    for _ in range(TIMES):
        s.answer(s.good, s.send(s.bad, bad=True))
    s.talk()


def retries(s):
    """The same NAK each time, until all of them were sent eight times."""
    s.connect()
    s.talk()
    asked = [s.send(s.bad) for _ in range(TIMES)]
    for _ in range(8):
        s.answer(s.good, asked[0], SEQUENCE)
        for psn in asked:
            s.send(s.bad, psn=psn)


def retries_at_once(s):
    """As if captured more than once: of what comes again at once only how often it was sent is told."""
    s.connect()
    s.talk()
    s.answer(s.good, s.send(s.bad, 8, P.WRITE_ONLY, dma=16))
    for _ in range(10 * TIMES):
        psn = s.send(s.bad)
        s.send(s.bad, psn=psn, after=US)
        s.answer(s.good, psn)
    for _ in range(TIMES):
        psn = s.next(s.bad)
        for _ in range(9):
            s.put(s.bad, P.READ_REQUEST, psn, after=200 * US, dma=100)


def crowd():
    """130 ports that pause their neighbours, and as many clients of MADs, each with its own attribute: tables show fewer."""
    frames, server = [], W.End("198.51.100.1", 1)
    for i in range(CROWD):
        pause = bytes.fromhex("0180c2000001 0200000000") + bytes([i]) + bytes.fromhex("8808 0101 0001 ffff")
        frames.append((START + i * US, pause.ljust(60, b"\0")))
        query = bytes((1, 3, 2, 1)) + bytes(4) + (i + 1).to_bytes(8, "big") + (0x100 + i).to_bytes(2, "big") + bytes(238)
        frames.append((START + i * US + 1, W.frame("ipv4", W.End(f"192.0.2.{i + 1}", 1), server, W.UD_SEND_ONLY, 1, i, body=query)))
    return W.pcap(1, frames)


KINDS = (conflict, in_read, nak_wrong, nak_repeated, nak_unanswered, nak_fatal, after_fatal, rnr_early, timeout, ack_unsent,
         ack_missing, msn_wrong, op_sequence, not_mtu, last_length, write_length, read_length, capture_loss, before_rtu,
         after_drep, wrong_start, wrong_qpn, over_mtu, over_depth, cm_again, cm_end, cm_rej, cm_wrong_id, cm_given_up,
         never_answered, gave_up, gave_up_rnr, unreached, reordered, acked_before,
         sent_long_before, write_in_parts, response_late, read_unanswered, restart, icrc_accepted, retries,
         retries_at_once)


def write(directory):
    """The captures, by their names."""
    paths = []
    for kind in KINDS:
        for side, name in enumerate("ab"):
            scene = Scene(side)
            kind(scene)
            paths.append(directory / f"{kind.__name__.replace('_', '-')}-{name}.pcap")
            paths[-1].write_bytes(W.pcap(1, scene.frames))
    paths += told_iwarp.write(directory)
    paths.append(directory / "crowd.pcap")
    paths[-1].write_bytes(crowd())
    return paths


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
