#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""random_losses.py DIR [COUNT [FIRST]]: captures of simulated connections that lose packets, losses-NUMBER.pcap, by seed.

Two hosts do what RC asks of them: go-back-N, NAKs, timers, RNR NAKs, READs asked for again from their middle. Between them is the
capture point; a packet may be lost before it or after it, overtaken or doubled. Unlike in random_scenarios.py nothing else is odd: so
each incident can be compared, and what became of each packet is known: simulated(), wrong().
"""
import heapq
import ipaddress
import itertools
import pathlib
import random
import sys

import packet as P
import random_scenarios
import writer as W

US, MS = 10**3, 10**6
PSNS = 1 << 24
MTU = 256
ACK, SEQUENCE, RNR, REMOTE_ACCESS = 0x1f, 0x60, 0x2e, 0x62
ANSWERED = {P.READ_REQUEST, *P.ATOMICS}
RATES = (0, 0, 0.01, 0.03, 0.08)


class Packet:
    """One that was sent: what became of it."""

    def __init__(self, time, src, qpn, op, psn):
        self.time, self.src, self.qpn, self.op, self.psn = time, src, qpn, op, psn
        self.lost = self.taken = self.late = False
        self.arrived = None

    def arrive(self, time, take, fields):
        self.arrived = self.arrived or time
        self.taken |= bool(take(time, self.op, self.psn, fields))


class Net:
    """The way between two hosts, with the capture point on it, and what comes next."""

    def __init__(self, rng, counts_ids):
        self.rng, self.events, self.number = rng, [], itertools.count()
        self.captured, self.unseen = [], []  # (time, frame, Packet), Packets that were lost before
        self.ids, self.counts_ids = [rng.randrange(65536) for _ in range(2)], counts_ids
        self.before = [rng.choice(RATES) for _ in range(2)]
        self.after = [rng.choice(RATES) for _ in range(2)]
        self.late, self.doubled = (rng.choice((0, 0, 0, 0.02)) for _ in range(2))
        self.near, self.far = (rng.randrange(1 * US, 40 * US) for _ in range(2))  # A to the capture point, from there to B
        self.seen, self.arrived = [0, 0], [0, 0]  # by side that sends

    def at(self, time, do, *what):
        heapq.heappush(self.events, (time, next(self.number), do, what))

    def run(self):
        while self.events:
            time, _, do, what = heapq.heappop(self.events)
            do(time, *what)

    def send(self, time, side, ends, take, op, psn, size=0, again=False, **fields):
        """A packet from @side; take(time, op, psn, fields) when it arrives says whether it is of use."""
        rng = self.rng
        if self.counts_ids:
            self.ids[side] = (self.ids[side] + 1) % 65536
        data = W.frame("ipv4", ends[side], ends[1 - side], op, ends[1 - side].qpn, psn % PSNS, size,
                       identification=self.ids[side], **fields)
        packet = Packet(time, ends[side].gid, ends[1 - side].qpn, op, psn)
        there = time + (self.far if side else self.near)
        if rng.random() < self.before[side]:
            self.unseen.append(packet)
            return
        if rng.random() < self.late and not again:
            there += rng.randrange(20 * US, 4 * MS if self.counts_ids else 900 * US)  # later it looks like sent by a timer
            packet.late = True
        else:
            there = self.seen[side] = max(there, self.seen[side] + 1)
        packet.lost = rng.random() < self.after[side]
        for copy in range(2 if rng.random() < self.doubled else 1):
            there += copy * rng.randrange(100, 5 * US)
            self.captured.append((there, data, packet))
            if packet.lost:
                continue
            arrives = max(there + (self.near if side else self.far), self.arrived[side] + 1)
            self.arrived[side] = arrives
            self.at(arrives, packet.arrive, take, fields)


class Request:
    """One request packet of a requester: @span PSNs from @psn on, @done of them answered."""

    def __init__(self, op, psn, span=1, size=0, **fields):
        self.op, self.psn, self.span, self.size, self.fields, self.done = op, psn, span, size, fields, 0

    @property
    def last(self):
        return self.psn + self.span - 1


def requests(rng, psn, count):
    """Those of so many messages."""
    found = []
    for _ in range(count):
        kind = rng.choices(("send", "write", "read", "atomic"), (30, 30, 30, 6))[0]
        if kind == "read":
            dma = rng.choice((8, MTU, rng.randrange(1, 6 * MTU)))
            found.append(Request(P.READ_REQUEST, psn, -(-dma // MTU), dma=dma))
        elif kind == "atomic":
            found.append(Request(P.FETCH_ADD, psn))
        else:
            first, middle, last, only = ((P.SEND_FIRST, P.SEND_MIDDLE, P.SEND_LAST, P.SEND_ONLY) if kind == "send" else
                                         (P.WRITE_FIRST, P.WRITE_MIDDLE, P.WRITE_LAST, P.WRITE_ONLY))
            size = rng.choice((16, MTU, rng.randrange(1, 5 * MTU)))
            n = -(-size // MTU)
            ops = [only] if n == 1 else [first] + [middle] * (n - 2) + [last]
            for part, op in enumerate(ops):
                is_last = part == n - 1
                found.append(Request(op, psn + part, 1, size - part * MTU if is_last else MTU, dma=size,
                                     ackreq=int(is_last and rng.random() < 0.9)))
        psn = found[-1].last + 1
    found[-1].fields["ackreq"] = 1
    return found


class Half:
    """A requester, and the responder of its requests at the other end."""

    def __init__(self, rng, net, side, ends, psn, retries):
        self.rng, self.net, self.side, self.ends, self.retries = rng, net, side, ends, retries
        self.requests = requests(rng, psn, rng.choice((4, 12, 40)))
        self.by_psn = {one.psn: n for n, one in enumerate(self.requests)}
        self.window, self.gap = rng.choice((2, 8, 24)), rng.randrange(300, 3 * US)
        self.timer, self.reacts = rng.randrange(4, 70) * MS, rng.choice((20 * US, 300 * US, 30 * MS))
        self.eager = rng.random() < 0.5  # a response that is missing is asked for at once
        self.next = self.una = 0
        self.high = psn - 1
        self.acked, self.until, self.deadline, self.tries, self.asleep, self.dead = psn - 1, 0, 0, 0, True, False
        self.again = None  # when it goes back
        # The responder
        self.expected, self.refused, self.rnr = psn, False, rng.choice((0, 0, 0, 0.03))
        self.answered_at = 0

    # Requester

    def begin(self, time):
        self.deadline = time + self.timer
        self.wake(time)
        self.net.at(self.deadline, self.expire)

    def is_over(self):
        return self.dead or self.una == len(self.requests)

    def wake(self, time):
        self.asleep = True
        if self.is_over() or self.again is not None or self.next >= min(len(self.requests), self.una + self.window):
            return
        self.asleep = False
        if self.next == self.una:
            self.deadline = time + self.timer
        one = self.requests[self.next]
        self.next += 1
        if one.op == P.READ_REQUEST:  # the rest of it
            left = one.fields["dma"] - one.done * MTU
            self.emit(time, one.op, one.psn + one.done, 0, dma=left, va=0x1000 + one.done * MTU, span=one.span - one.done)
        else:
            self.emit(time, one.op, one.psn, one.size, **one.fields)
        self.net.at(time + self.gap, self.wake)

    def emit(self, time, op, psn, size, span=1, **fields):
        self.net.send(time, self.side, self.ends, lambda at, o, p, f: self.take(at, o, p, span, f), op, psn, size,
                      again=psn <= self.high, **fields)
        self.high = max(self.high, psn + span - 1)

    def go_back(self, time, wait):
        """To the first that is not answered, after a while."""
        if self.again is not None or self.is_over():
            return
        self.again = time + wait
        self.net.at(self.again, self.resend)

    def resend(self, time):
        self.again, self.next = None, self.una
        self.deadline = time + self.timer
        if self.asleep:
            self.wake(time)

    def expire(self, time):
        if self.is_over():
            return
        if time < self.deadline or self.again is not None or self.next == self.una:
            self.net.at(max(self.deadline, time + MS), self.expire)
            return
        self.tries += 1
        if self.tries > self.retries:
            self.dead = True
            return
        self.go_back(time, 0)
        self.deadline = time + self.timer
        self.net.at(self.deadline, self.expire)

    def advance(self, time):
        """What is answered by now."""
        before = self.una
        while self.una < len(self.requests):
            one = self.requests[self.una]
            if one.done < one.span if one.op in ANSWERED else one.last > self.acked:
                break
            self.una += 1
        self.next = max(self.next, self.una)
        if self.una != before:
            self.tries, self.deadline = 0, time + self.timer
        if self.asleep:
            self.wake(time)

    def hear(self, time, op, psn, fields):
        """An answer arrives."""
        if self.is_over():
            return False
        if op != P.ACKNOWLEDGE:
            return self.response(time, psn)
        kind = fields["syndrome"] >> 5
        self.acked = max(self.acked, psn if kind == 0 else psn - 1)
        self.advance(time)
        if self.is_over():
            return True
        if kind and psn <= self.requests[self.una].last:
            if fields["syndrome"] == REMOTE_ACCESS:
                self.dead = True
                return True
            self.go_back(time, 655 * US if kind == 1 else self.reacts)
        elif kind == 0 and self.requests[self.una].last <= psn and self.eager:
            self.go_back(time, self.reacts)
        return True

    def response(self, time, psn):
        waiting = self.requests[self.una]
        n = max((at for at, one in enumerate(self.requests) if one.psn <= psn), default=0)
        one = self.requests[n]
        between = self.requests[self.una:n]
        if any(earlier.op in ANSWERED for earlier in between) or psn > one.psn + one.done:
            if self.eager:
                self.go_back(time, self.reacts)
            return False
        if psn < one.psn + one.done or one.last < waiting.psn:
            return False
        one.done += 1
        self.acked = max(self.acked, one.psn - 1)
        self.deadline = time + self.timer
        self.advance(time)
        return True

    # Responder

    def take(self, time, op, psn, span, fields):
        """A request arrives."""
        if psn > self.expected:
            if not self.refused:
                self.refused = True
                self.answer(time, P.ACKNOWLEDGE, self.expected, syndrome=SEQUENCE)
            return False
        if psn == self.expected:
            if op in (P.SEND_ONLY, P.SEND_FIRST) and self.rng.random() < self.rnr:
                self.refused = True
                self.answer(time, P.ACKNOWLEDGE, psn, syndrome=RNR)
                return False
            self.expected, self.refused = psn + span, False
        if op == P.READ_REQUEST:
            self.read(time, psn, span, fields["dma"])
        elif op in P.ATOMICS:
            self.answer(time, P.ATOMIC_ACKNOWLEDGE, psn)
        elif fields.get("ackreq") or psn + span < self.expected:
            self.answer(time, P.ACKNOWLEDGE, self.expected - 1, syndrome=ACK)
        return True

    def read(self, time, psn, span, dma):
        for part in range(span):
            op = P.READ_ONLY if span == 1 else P.READ_FIRST if part == 0 else P.READ_LAST if part == span - 1 else P.READ_MIDDLE
            self.answer(time, op, psn + part, dma - part * MTU if part == span - 1 else MTU)

    def answer(self, time, op, psn, size=0, **fields):
        self.answered_at = max(time + self.rng.randrange(US, 4 * US), self.answered_at + 300)
        self.net.at(self.answered_at, lambda at: self.net.send(at, 1 - self.side, self.ends, self.hear, op, psn, size, **fields))


def connection(rng, net, number, begin):
    """Simulates one, from its CM to its end."""
    ends = [W.End(f"192.0.2.{side + 1}", 40 + 2 * number + side, port=0xc000 + number) for side in range(2)]
    psns = [rng.choice((5, PSNS - 20, rng.randrange(PSNS))) for _ in range(2)]
    retries = rng.choice((1, 3, 7))
    halves = [Half(rng, net, 0, ends, psns[0], retries)]
    if rng.random() < 0.3:
        halves.append(Half(rng, net, 1, ends, psns[1], retries))
    with_cm = rng.random() < 0.5
    for after, side, attribute, fields in (
            (0, 0, 0x10, {"qpn": ends[0].qpn, "mtu": MTU, "psn": psns[1] % PSNS, "retries": retries, "rnr_retries": 7}),
            (200, 1, 0x13, {"qpn": ends[1].qpn, "psn": psns[0] % PSNS, "rnr_retries": 7}), (400, 0, 0x14, {})):
        if with_cm:
            message(net, begin + after * US, side, ends, attribute, number, **fields)
    for half in halves:
        net.at(begin + MS, half.begin)
    return ends, with_cm


def message(net, time, side, ends, attribute, number, **fields):
    local, remote = (2 * number + 1, 2 * number + 2) if side == 0 else (2 * number + 2, 2 * number + 1)
    body = W.cm(attribute, local, remote, service="RC", **fields)
    net.captured.append((time, W.frame("ipv4", ends[side], ends[1 - side], W.UD_SEND_ONLY, 1, 0, body=body), None))


def is_answer(one, side, psn):
    """To requests of the side, for that PSN or a later one."""
    return one.op not in P.REQUESTS and one.src != side[0] and one.qpn == side[1] ^ 1 and (one.psn - psn) % PSNS < PSNS // 2


class Simulated:
    """Number @seed: its frames, and what became of the packets."""

    def __init__(self, seed):
        rng = random.Random(f"losses {seed}")
        captured, self.unseen, begin = [], [], 10**18
        self.counts_ids = rng.random() < 0.7  # else what is sent again, late or doubled is often a guess
        for number in range(rng.choice((1, 1, 2))):
            net = Net(rng, self.counts_ids)
            ends, with_cm = connection(rng, net, number, begin)
            net.run()
            over = max((time for time, *_ in net.captured), default=begin) + 2 * 10**8
            if with_cm:
                message(net, over, 0, ends, 0x15, number, qpn=ends[1].qpn)
                message(net, over + 300 * US, 1, ends, 0x16, number)
            captured += net.captured
            self.unseen += net.unseen
            begin += rng.randrange(10 * MS)
        captured.sort(key=lambda one: one[0])
        self.frames = [one[:2] for one in captured]
        self.packets = {number: one[2] for number, one in enumerate(captured, 1)}
        self.times = {number: one[0] for number, one in enumerate(captured, 1)}

    def wrong(self, line, src, qpn):
        """What an incident of requests of @src to @qpn says that was not so."""
        kind, psn, frames = line["kind"], line["root_psn"], line["frames"]
        last = self.times[max(frame for frame in frames.values() if frame)]
        side = ipaddress.ip_address(src).packed, qpn
        missed = [one for one in self.unseen if (one.src, one.qpn) == side and one.psn % PSNS == psn and one.op in P.REQUESTS and one.time < last]
        copies = [one for one in self.packets.values() if one and (one.src, one.qpn) == side and one.psn % PSNS == psn and one.op in P.REQUESTS]
        if kind in ("lost-before", "resend-lost-before") and not missed:
            yield "no copy of that PSN was lost before the capture point"
        if kind == "lost-after" and not self.packets[frames["lost"]].lost:
            yield f"frame {frames['lost']} was not lost after the capture point"
        if kind == "discarded" and all(one.taken for one in copies):
            yield "each copy was taken"
        if kind == "answer-lost" and line["rule"] != "QPS003":  # else only that it was answered
            again = self.packets[frames["resent"] or frames["notice"]]
            if not any(one.lost or not one.taken or one.arrived > again.time for frame, one in self.packets.items() if one and is_answer(one, side, psn) and frame < line["frame"]):
                yield "each answer was there, and of use, before it was sent again"
        if kind == "late" and not line["response"] and not any(one.late for one in self.packets.values() if one):
            yield "no packet was late"


def losses(seed):
    """The bytes of that capture."""
    return W.pcap(W.LINKTYPES["ipv4"], Simulated(seed).frames)


def write(directory, count, first=0):
    return random_scenarios.write(directory, count, first, losses)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[2:]] + [200, 0][len(sys.argv) - 2:]
    write(pathlib.Path(sys.argv[1]), given[0], first=given[1])
