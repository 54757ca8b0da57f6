# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""DCQCN at work: senders, a switch that marks and pauses, a receiver; a capture at a chosen point, and its truth.

After the published algorithm (Zhu et al., SIGCOMM 2015): the switch marks by the length of its queue, the receiver
sends a CNP for marked packets, one each 50 us at most, the sender cuts its rate by alpha/2, and recovers by timer and byte counter.
The truth is what senders, switch and receiver did, each noted where it was done, and not what a capture looks like.
All times are integers in ns; a seed makes the same capture everywhere.
"""
import collections
import heapq
import random
import struct

import writer

CNP_GAP = 50_000  # of the receiver
ALPHA_TIMER = 55_000
RATE_TIMER = 55_000
G = 1 / 256
FAST = 5  # steps of fast recovery
DATA_TOS, CNP_TOS = 26 << 2 | 2, 48 << 2 | 2  # DSCP 26 and 48, ECT(0)
CE = 3
WRITE_MIDDLE, WRITE_FIRST, WRITE_LAST, ACK, CNP = 0x07, 0x06, 0x08, 0x11, 0x81
MESSAGE = 16  # packets of a WRITE; its last one asks for an ACK
MTU = 1024
PRIORITY = 3
STAGGER = 30_000
START = 1735689600 * 10**9
PAUSE_MAC = bytes.fromhex("0180c2000001")
QUANTUM = 512  # bit times

Setup = collections.namedtuple("Setup", """qps link bottleneck kmin kmax pmax pacing duration additive increase_bytes
                               xoff xon lost_xon prop point vlan""", defaults=(
    2, 10**10, 4 * 10**9, 15_000, 60_000, 0.2, "qp", 6_000_000, 40 * 10**6, 150_000, 0, 0, False, 700, "receiver", False))


class Flow:
    """A queue pair that sends, its reaction point, and what it did."""

    def __init__(self, number, setup):
        self.src = writer.End("192.0.2.1", 0x100 + number, port=0xc000 + number)
        self.dst = writer.End("192.0.2.2", 0x200 + number, port=0xd000 + number)
        self.rate = self.target = float(setup.link)
        self.alpha, self.by_time, self.by_bytes, self.bytes, self.epoch = 1.0, 0, 0, 0, 0
        self.cut = False  # a CNP came: the rate is limited
        self.base = self.psn = number << 20 | 0x4d2  # which ACK is about which queue pair is seen by the PSN
        self.stretches = [[None, None, 0]]  # between CNPs: begin, end, bytes on the wire
        self.log = []  # at the sender: (time, bytes on the wire), None for a CNP

    def cnp(self, setup):
        self.target, self.rate = self.rate, max(self.rate * (1 - self.alpha / 2), setup.link / 1000)
        self.alpha = (1 - G) * self.alpha + G
        self.by_time = self.by_bytes = self.bytes = 0
        self.cut = True
        self.epoch += 1

    def increase(self, setup):
        if max(self.by_time, self.by_bytes) > FAST:
            self.target = min(self.target + setup.additive, setup.link)
        self.rate = min((self.rate + self.target) / 2, setup.link)


class Simulation:
    """Runs on construction; then captured and truth are there."""

    def __init__(self, seed=1, **options):
        self.setup = setup = Setup(**options)
        self.random = random.Random(seed)
        self.events, self.order, self.now = [], 0, 0
        self.flows = [Flow(number, setup) for number in range(setup.qps)]
        self.frames = []  # (time, bytes) at the capture point
        self.free = 0  # when the switch has sent all it has
        self.nic_free = 0  # and the sender
        self.paused = self.pausing = False
        self.paused_at = self.paused_ns = self.paused_until = 0
        self.spans = []  # (begin, end) of pauses
        self.last_cnp, self.waits = {}, {}
        self.truth = {flow.src.qpn: {"marks": 0, "packets": 0, "bytes": 0, "delays": [], "gaps": [], "cnps": 0,
                                     "first_mark": None, "last_cnp": None} for flow in self.flows}
        self.pauses = {"xoff": 0, "xon": 0}
        for number, flow in enumerate(self.flows):
            self.at(number * STAGGER, self.send, flow)
        while self.events:
            self.now, _, what, args = heapq.heappop(self.events)
            what(*args)

    def at(self, when, what, *args):
        self.order += 1
        heapq.heappush(self.events, (when, self.order, what, args))

    # What is captured

    def capture(self, point, flow, frame, back=False):
        if self.setup.point != point:
            return None
        macs = bytes.fromhex("020000000001" "020000000002" if back else "020000000002" "020000000001")
        tag = struct.pack(">HH", 0x8100, PRIORITY << 13 | 100) if self.setup.vlan else b""
        frame = macs + tag + frame[12:]
        self.frames.append((START + self.now, frame))
        return len(frame)

    # The sender

    def send(self, flow):
        setup = self.setup
        if self.now >= setup.duration:
            return
        if self.paused:
            self.at(self.paused_until if setup.lost_xon else self.now + 500, self.send, flow)
            return
        if self.now < self.nic_free:
            self.at(self.nic_free, self.send, flow)
            return
        place = (flow.psn - flow.base) % MESSAGE
        opcode = WRITE_FIRST if not place else WRITE_LAST if place == MESSAGE - 1 else WRITE_MIDDLE
        packet = {"opcode": opcode, "dqpn": flow.dst.qpn, "psn": flow.psn & 0xffffff, "payload": MTU,
                  "ackreq": int(opcode == WRITE_LAST), "dma": MESSAGE * MTU}
        frame = writer.frame("ipv4", flow.src, flow.dst, ecn=DATA_TOS, **packet)
        size = self.capture("sender", flow, frame) or len(frame) + (4 if setup.vlan else 0)
        stretch = flow.stretches[-1]
        stretch[0] = self.now if stretch[0] is None else stretch[0]
        stretch[1] = self.now
        stretch[2] += size
        flow.log.append((self.now, size))
        flow.psn += 1
        self.at(self.now + setup.prop, self.switch, flow, packet, size)
        self.nic_free = self.now + size * 8 * 10**9 // setup.link
        flow.bytes += size
        if flow.cut and flow.bytes >= setup.increase_bytes:
            flow.bytes = 0
            flow.by_bytes += 1
            flow.increase(setup)
        gap = int(size * 8 * 10**9 / flow.rate) + 1
        if flow.psn - flow.base == MESSAGE:  # all have sent a message, and its ACK was seen, before they go on together
            gap = max(gap, setup.qps * STAGGER + 20_000 - self.now)
        self.at(self.now + gap, self.send, flow)

    def react(self, flow, frame):
        """A CNP reaches the sender."""
        self.capture("sender", flow, frame, back=True)
        flow.cnp(self.setup)
        flow.log.append((self.now, None))
        flow.stretches[-1][1] = self.now
        flow.stretches.append([self.now, self.now, 0])
        self.at(self.now + ALPHA_TIMER, self.calm, flow, flow.epoch)
        self.at(self.now + RATE_TIMER, self.recover, flow, flow.epoch)

    def calm(self, flow, epoch):
        if epoch == flow.epoch and self.now < self.setup.duration:
            flow.alpha *= 1 - G
            self.at(self.now + ALPHA_TIMER, self.calm, flow, epoch)

    def recover(self, flow, epoch):
        if epoch == flow.epoch and self.now < self.setup.duration:
            flow.by_time += 1
            flow.increase(self.setup)
            self.at(self.now + RATE_TIMER, self.recover, flow, epoch)

    # The switch

    def queued(self):
        return max(0, self.free - self.now) * self.setup.bottleneck // (8 * 10**9)

    def switch(self, flow, packet, size):
        setup, queue = self.setup, self.queued()
        share = (queue - setup.kmin) / (setup.kmax - setup.kmin)
        chance = 1.0 if share >= 1 else max(0.0, share) * setup.pmax
        marked = self.random.random() < chance
        self.free = max(self.free, self.now) + size * 8 * 10**9 // setup.bottleneck
        self.at(self.free + setup.prop, self.receive, flow, packet, size, marked)
        if setup.xoff and not self.pausing and queue > setup.xoff:
            self.pausing = True
            self.at(self.now + setup.prop, self.pause, 0xffff)
            if not setup.lost_xon:
                self.at(self.now + 1_000, self.look)
        elif setup.lost_xon and self.pausing and not self.paused and queue <= setup.xoff:
            self.pausing = False

    def look(self):
        """The queue of a switch that pauses."""
        if self.queued() > self.setup.xon:
            self.at(self.now + 1_000, self.look)
            return
        self.pausing = False
        self.at(self.now + self.setup.prop, self.pause, 0)

    # Pause frames, as they reach the sender

    def pause(self, quanta):
        classes = b"".join(struct.pack(">H", quanta if i == PRIORITY else 0) for i in range(8))
        frame = PAUSE_MAC + bytes.fromhex("0200000000fe") + struct.pack(">HHH", 0x8808, 0x0101, 1 << PRIORITY)
        if self.setup.point == "sender":
            self.frames.append((START + self.now, (frame + classes).ljust(60, b"\0")))
            self.pauses["xoff" if quanta else "xon"] += 1
        lasts = quanta * QUANTUM * 10**9 // self.setup.link
        if quanta and not self.paused:
            self.paused, self.paused_at = True, self.now
        if quanta:
            self.paused_until = self.now + lasts
            self.at(self.paused_until, self.resume)
        elif self.paused:
            self.paused_until = self.now
            self.resume()

    def resume(self):
        if self.paused and self.now >= self.paused_until:
            self.paused = False
            self.paused_ns += self.now - self.paused_at
            self.spans.append((self.paused_at, self.now))

    # The receiver

    def receive(self, flow, packet, size, marked):
        setup, seen = self.setup, self.truth[flow.src.qpn]
        frame = writer.frame("ipv4", flow.src, flow.dst, ecn=DATA_TOS | CE if marked else DATA_TOS, **packet)
        self.capture("receiver", flow, frame)
        seen["packets"] += 1
        seen["bytes"] += size
        if marked:
            seen["marks"] += 1
            seen["first_mark"] = seen["first_mark"] or len(self.frames)
            self.waits.setdefault(flow.src.qpn, self.now)
            key = {"qp": flow.src.qpn, "pair": 0, "port": 0}[setup.pacing]
            if self.now - self.last_cnp.get(key, -CNP_GAP) >= CNP_GAP:
                self.last_cnp[key] = self.now
                self.at(self.now + 900, self.notify, flow)
        if packet["ackreq"]:
            self.at(self.now + 1_500, self.acknowledge, flow, packet["psn"])

    def notify(self, flow):
        """The CNP leaves: the notification point knows how long marks waited for it."""
        seen = self.truth[flow.src.qpn]
        frame = writer.frame("ipv4", flow.dst, flow.src, CNP, flow.src.qpn, 0, ecn=CNP_TOS, port=0, becn=1)
        self.capture("receiver", flow, frame, back=True)
        seen["cnps"] += 1
        seen["delays"].append(self.now - self.waits.pop(flow.src.qpn))
        if seen["last_cnp"] is not None:
            seen["gaps"].append(self.now - seen["last_cnp"])
        seen["last_cnp"] = self.now
        self.at(self.now + 2 * self.setup.prop, self.react, flow, frame)

    def acknowledge(self, flow, psn):
        frame = writer.frame("ipv4", flow.dst, flow.src, ACK, flow.src.qpn, psn, ecn=DATA_TOS,
                             msn=(psn - flow.base) // MESSAGE + 1)
        self.capture("receiver", flow, frame, back=True)
        self.at(self.now + 2 * self.setup.prop, self.capture, "sender", flow, frame, True)

    def write(self, path):
        path.write_bytes(writer.pcap(1, self.frames))


def rate(stretch):
    begin, end, count = stretch
    return count * 8 * 10**9 // (end - begin) if begin is not None and end > begin else 0
