# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random conversations of the CM between some hosts, by a simulation that has a clock: who asks whom for a connection, what is
sent again, what is sent on it, how it ends; and datagram services looked up by SIDR.

Everything is as it should be: faults are planted by planted_cm.py. Layouts are those of facts/ (see cm.py). Conversations
overlap; frames are sorted by time and numbered at the end, so what is to be found is known by the packet, not by its number.
"""
import ipaddress
import struct

import writer as W

REQ, MRA, REJ, REP, RTU, DREQ, DREP, SIDR_REQ, SIDR_REP, LAP, APR = range(0x10, 0x1b)
SEND_QP1, QKEY_QP1, UDP_QKEY = 1, 0x80010000, 0x01234567
SEND_FIRST, SEND_LAST, SEND_ONLY, ACK, NAK_SEQUENCE = 0x00, 0x02, 0x04, 0x11, 0x60
UC, MAD_SEND = 0x20, 0x03
US, MS, SECOND = 10**3, 10**6, 10**9
TCP, UDP = 0x0106, 0x0111


def exponential(code):
    """4.096 us times a power of two, in ns."""
    return 4096 << code


class Packet:
    def __init__(self, time, data):
        self.time, self.data, self.number = time, data, None


class Host:
    def __init__(self, framing, number):
        address = {"ipv4": f"192.0.2.{number}", "ipv6": f"2001:db8::{number:x}"}.get(framing, f"fe80::2:0:0:{number:x}")
        self.end = W.End(address, SEND_QP1, number if framing.startswith("ib") else 0)

    @property
    def gid(self):
        return self.end.gid if len(self.end.gid) == 16 else bytes(10) + b"\xff\xff" + self.end.gid


class World:
    """Hosts, and all packets between them."""

    def __init__(self, rng):
        self.rng, self.packets, self.used = rng, [], set()
        self.framing = rng.choice(("ipv4", "ipv6", "ib-local", "ib-global"))
        self.hosts = [Host(self.framing, n + 2) for n in range(rng.randrange(2, 5))]
        self.now = 10**18

    def unused(self, bits):
        """A number that is nobody else's."""
        while True:
            number = self.rng.randrange(0x100, 1 << bits)
            if number not in self.used:
                self.used.add(number)
                return number

    def put(self, time, *args, **fields):
        packet = Packet(time, W.frame(self.framing, *args, **fields))
        self.packets.append(packet)
        return packet

    def mad(self, time, src, dst, attribute, body, tid, method=MAD_SEND):
        header = struct.pack(">BBBBHHQHHI", 1, 7, 2, method, 0, 0, tid, attribute, 0, 0)
        return self.put(time, src.end, dst.end, W.UD_SEND_ONLY, SEND_QP1, self.rng.randrange(1 << 24),
                        body=(header + body).ljust(256, b"\0"), qkey=QKEY_QP1, sqpn=SEND_QP1)

    def capture(self):
        """All of them by time, numbered."""
        self.packets.sort(key=lambda p: p.time)
        for number, packet in enumerate(self.packets):
            packet.number = number + 1
        return W.pcap(W.LINKTYPES[self.framing], [(p.time, p.data) for p in self.packets])


class Side:
    def __init__(self, host, world):
        self.host, self.qpn, self.psn = host, world.unused(24), world.rng.randrange(1 << 24)
        self.id, self.next = world.unused(32), None


def cma_header(client, server, version=0, family=None):
    """Of RDMA CM, in front of the private data."""
    own = 4 if len(client.end.gid) == 4 else 6
    addresses = b"".join(end.gid.rjust(16, b"\0") for end in (client.end, server.end))
    return struct.pack(">BBH", version, (own if family is None else family) << 4, 0xc350) + addresses


class Connection:
    """@time is when the next message is sent. Messages return their packet."""

    def __init__(self, world, time, client=None, server=None, **fields):
        rng = self.rng = world.rng
        self.world, self.time = world, time
        if client is None:
            client, server = rng.sample(world.hosts, 2)
        self.a, self.b = Side(client, world), Side(server, world)
        self.service = fields.get("service", rng.choice(("RC", "RC", "RC", "UC", "XRC")))
        self.mtu = fields.get("mtu", rng.randrange(1, 6))
        self.retry, self.rnr = fields.get("retry", rng.randrange(1, 8)), fields.get("rnr", rng.randrange(1, 8))
        self.rep_rnr = fields.get("rep_rnr", 7)
        self.path = fields.get("path", rng.randrange(14, 20))  # local ACK timeout: two packet life times and some
        self.wait, self.tries = rng.randrange(16, 20), rng.randrange(2, 6)  # CM response timeouts; the first and its copies
        self.service_id = fields.get("service_id", TCP << 16 | rng.choice((4420, 20049, 7174, 18515)))
        self.cma = fields.get("cma", {})
        self.tid = world.unused(32)
        self.a.next, self.b.next = self.b.psn, self.a.psn

    def try_ns(self):
        return exponential(self.wait) + exponential(self.path)

    def soon(self):
        """Within the time for an answer."""
        self.time += self.rng.randrange(20, 2000) * US

    def other(self, side):
        return self.b if side is self.a else self.a

    def message(self, side, attribute, body, **fields):
        self.soon()
        ids = struct.pack(">II", side.id, fields.get("remote", self.other(side).id))
        if attribute == REQ:
            ids = struct.pack(">II", side.id, 0)
        tid = self.tid if attribute in (REQ, REP) else self.tid + attribute
        return self.world.mad(self.time, side.host, self.other(side).host, attribute, ids + body, tid,
                              fields.get("method", MAD_SEND))

    def req(self):
        body = bytearray(132)  # from the service ID, byte 8, on

        def put(at, form, *numbers):
            struct.pack_into(form, body, at - 8, *numbers)
        kind, extended = {"RC": (0, 0), "UC": (1, 0), "XRC": (3, 1)}[self.service]
        put(8, ">Q", self.service_id)
        put(32, ">I", self.a.qpn << 8 | 4)
        put(36, ">I", 4)
        put(40, ">I", self.wait << 3 | kind << 1)
        put(44, ">I", self.a.psn << 8 | self.wait << 3 | self.retry)
        put(48, ">HBB", 0xffff, self.mtu << 4 | self.rnr, self.tries - 1 << 4 | extended)
        put(52, ">HH", self.a.host.end.lid or 0xffff, self.b.host.end.lid or 0xffff)
        body[48:80] = self.a.host.gid + self.b.host.gid
        put(92, ">BBBB", 0, 64, 8, self.path << 3)
        return self.message(self.a, REQ, bytes(body) + cma_header(self.a.host, self.b.host, **self.cma))

    def rep(self, **fields):
        qpns = (0, self.b.qpn) if self.service == "XRC" else (self.b.qpn, 0)
        body = struct.pack(">IIIIBBBB", 0, qpns[0] << 8, qpns[1] << 8, self.b.psn << 8, 4, 4, 0, self.rep_rnr << 5)
        return self.message(self.b, REP, body, **fields)

    def rtu(self, **fields):
        return self.message(self.a, RTU, b"", **fields)

    def mra(self, side, code, **fields):
        of = 0 if side is self.b else 1  # what it is about: REQ, REP
        return self.message(side, MRA, struct.pack(">BB", of << 6, code << 3), **fields)

    def rej(self, side, reason, **fields):
        of = 0 if side is self.b else 1
        return self.message(side, REJ, struct.pack(">BBH", of << 6, 0, reason), **fields)

    def dreq(self, side, **fields):
        return self.message(side, DREQ, struct.pack(">I", self.other(side).qpn << 8), **fields)

    def drep(self, side, **fields):
        return self.message(side, DREP, b"", **fields)

    def lap(self):
        return self.message(self.a, LAP, struct.pack(">II", 0, self.b.qpn << 8 | self.wait << 3))

    def apr(self, status=0):
        return self.message(self.b, APR, struct.pack(">BB", 0, status))

    # Data

    def packet(self, side, opcode, psn, payload=0, *, qpn=None, **fields):
        base = {"RC": 0, "UC": UC, "XRC": 0xa0}[self.service]
        dst = self.other(side)
        return self.world.put(self.time, side.host.end, dst.host.end, base | opcode, dst.qpn if qpn is None else qpn,
                              psn & 0xffffff, payload, **fields)

    def send(self, side, payload=None, *, qpn=None):
        """A message of one packet, and its ACK."""
        self.soon()
        most = 128 << self.mtu if 1 <= self.mtu <= 5 else 256
        sent = self.packet(side, SEND_ONLY, side.next, self.rng.randrange(most) if payload is None else payload, qpn=qpn,
                           ackreq=1)
        if self.service != "UC" and qpn is None:
            self.soon()
            self.packet(self.other(side), ACK, side.next)
        side.next += 1
        return sent

    def talk(self):
        for _ in range(self.rng.randrange(1, 6)):
            self.send(self.rng.choice((self.a, self.a, self.b)))

    # Courses of it

    def asked(self):
        """The REQ, answered at once or after an MRA; a REP that was lost after the capture point comes again."""
        self.req()
        if self.rng.random() < 0.2:
            code = self.rng.randrange(self.wait, 22)
            self.mra(self.b, code)
            self.time += self.rng.randrange(exponential(code))
        self.rep()
        if self.rng.random() < 0.2:
            self.time += self.try_ns()
            self.rep()

    def set_up(self):
        """Lost RTUs are made up for by data."""
        self.asked()
        if self.rng.random() < 0.9:
            self.rtu()
        else:
            self.send(self.a)

    def set_up_without_data(self):
        self.asked()
        self.rtu()

    def close(self):
        first = self.rng.choice((self.a, self.b))
        self.dreq(first)
        if self.rng.random() < 0.2:
            self.time += self.try_ns()
            self.dreq(first)
        if self.rng.random() < 0.1:
            self.dreq(self.other(first))
        self.drep(self.other(first))

    def run_to_drep(self):
        self.set_up()
        self.talk()
        self.close()

    def run(self):
        """From its begin to its end."""
        self.set_up()
        self.talk()
        if self.rng.random() < 0.1:
            self.lap()
            self.apr(self.rng.choice((0, 0, 1, 6)))
            self.talk()
        if self.rng.random() < 0.8:
            self.close()
        return self


class Lookup:
    """By SIDR."""

    def __init__(self, world, time):
        self.world, self.time, self.rng = world, time, world.rng
        self.client, self.server = world.rng.sample(world.hosts, 2)
        self.id, self.qpn, self.own = world.unused(32), world.unused(24), world.unused(24)
        self.service_id = UDP << 16 | 7174

    def soon(self):
        self.time += self.rng.randrange(20, 2000) * US

    def req(self):
        self.soon()
        body = struct.pack(">IHHQ", self.id, 0xffff, 0, self.service_id)
        return self.world.mad(self.time, self.client, self.server, SIDR_REQ, body + cma_header(self.client, self.server), self.id)

    def rep(self, status=0):
        self.soon()
        known = (self.qpn, UDP_QKEY) if not status else (0, 0)
        body = struct.pack(">IBBHIQI", self.id, status, 0, 0, known[0] << 8, self.service_id, known[1])
        return self.world.mad(self.time, self.server, self.client, SIDR_REP, body, self.id)

    def datagram(self, qkey=UDP_QKEY):
        self.soon()
        return self.world.put(self.time, self.client.end, self.server.end, W.UD_SEND_ONLY, self.qpn, self.rng.randrange(1 << 24),
                              body=bytes(64), qkey=qkey, sqpn=self.own)

    def run(self):
        for _ in range(self.rng.choice((1, 1, 2))):
            self.req()
        for _ in range(self.rng.choice((1, 1, 2))):
            self.rep()
        for _ in range(self.rng.randrange(4)):
            self.datagram()
        return self


def healthy(world, count):
    """So many connections and some lookups, one begun every now and then."""
    for _ in range(count):
        world.now += world.rng.randrange(1, 2000) * MS
        (Lookup if world.rng.random() < 0.2 else Connection)(world, world.now).run()


def last(world):
    """A connection after all others had their time."""
    world.now = max([world.now, *(p.time for p in world.packets)]) + 600 * SECOND
    connection = Connection(world, world.now)
    connection.req()
    connection.rep()
    connection.rtu()
    connection.talk()
