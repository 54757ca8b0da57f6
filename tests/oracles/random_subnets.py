# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random subnets: who joins and leaves, who asks for whom and what follows, with who is a member at the end.

On an InfiniBand link hosts join by the SA and find each other by ARP and neighbor discovery; on Ethernet they join by IGMP
and MLD. Everything is as it should be: faults are planted by planted_subnet.py. Layouts are those of facts/ (see
subnet.py), of RFC 4391, 2236, 3376, 2710 and 3810.
"""
import ipaddress
import random
import struct

import packet
import writer as W

SET, GET, DELETE = 0x02, 0x01, 0x15
GET_RESPONSE, DELETE_RESPONSE = 0x81, 0x95
MCMEMBER, PATH = 0x38, 0x35
MGID, PORT_GID, QKEY, TCLASS, PKEY, SL, FLOW, JOIN_STATE = (1 << bit for bit in (0, 1, 2, 6, 7, 12, 13, 16))
JOIN = MGID | PORT_GID | JOIN_STATE
CREATE = JOIN | QKEY | TCLASS | PKEY | SL | FLOW
BROADCAST, BROADCAST_QKEY = "ff12:401b:ffff::ffff:ffff", 0x0b1b
SEND_QP1, QKEY_QP1, QP_MULTICAST = 1, 0x80010000, 0xffffff
US = 1000


class Group:
    def __init__(self, mgid, mlid, qkey):
        self.mgid, self.end, self.qkey = mgid, W.End(mgid, QP_MULTICAST, mlid), qkey


class Host:
    def __init__(self, number):
        self.end = W.End(f"fe80::200:0:0:{number:x}", 0x48 + number, 3 + number)
        self.ipv4 = ipaddress.ip_address(f"192.0.2.{number}").packed
        self.ipv6 = ipaddress.ip_address(f"fe80::5054:0:0:{number:x}").packed


class Subnet:
    """The frames so far; numbers of frames are counted from 1."""

    def __init__(self, rng):
        self.rng, self.time, self.tid, self.frames = rng, 10**18, 0x5_0000_0000, []
        self.hosts = [Host(n + 1) for n in range(rng.randrange(2, 6))]
        self.sa = W.End("fe80::200:0:0:ff", 1, 1)
        self.broadcast = Group(BROADCAST, 0xc000, BROADCAST_QKEY)
        self.groups = [Group(f"ff12:4001:ffff::{n + 16:x}", 0xc001 + n, 0x1234567) for n in range(rng.randrange(1, 5))]
        self.created, self.members, self.resolved = set(), {}, set()

    def add(self, data):
        self.time += self.rng.randrange(5, 500) * US
        self.frames.append((self.time, data))
        return len(self.frames)

    def datagram(self, src, dst, body, qkey, dqpn=None, sqpn=None):
        framing = "ib-global" if dst.lid >= 0xc000 else "ib-local"
        return self.add(W.frame(framing, src, dst, W.UD_SEND_ONLY, dst.qpn if dqpn is None else dqpn,
                                self.rng.randrange(1 << 24), body=body, qkey=qkey, sqpn=src.qpn if sqpn is None else sqpn))

    def sa_mad(self, src, dst, method, attribute, record, mask=0, status=0):
        mad = bytearray(256)
        mad[:4] = bytes((1, 3, 2, method))
        struct.pack_into(">HHQH", mad, 4, status, 0, self.tid, attribute)
        struct.pack_into(">HHQ", mad, 44, 0, 0, mask)
        mad[56:56 + len(record)] = record
        return self.datagram(src, dst, bytes(mad), QKEY_QP1, SEND_QP1, SEND_QP1)

    def ask_sa(self, host, method, attribute, asked, mask, answer, status=0):
        """The frame of the answer."""
        self.tid += 1
        self.sa_mad(host.end, self.sa, method, attribute, asked, mask)
        return self.sa_mad(self.sa, host.end, DELETE_RESPONSE if method == DELETE else GET_RESPONSE, attribute, answer, mask,
                           status)

    @staticmethod
    def asked(group, host, state, mask, qkey):
        """A record that has nothing but what is in the mask."""
        if not mask & PKEY:
            return group.end.gid + host.end.gid + struct.pack(">I12xB3x", qkey, state)
        return group.end.gid + host.end.gid + struct.pack(">IHBBHBBIB3x", qkey, 0, 0, 0, 0xffff, 0, 0, 0, state)

    @staticmethod
    def record(group, host, state, qkey):
        return group.end.gid + host.end.gid + struct.pack(">IHBBHBBIB3x", qkey, group.end.lid, 0x84, 0, 0xffff, 0x83, 0x92, 0,
                                                          0x20 | state)

    def join(self, host, group, state=1, *, mask=None, qkey=None, status=0):
        """Masks and Q_Key as they ought to be, if none are given."""
        if mask is None:
            mask = JOIN if group.mgid in self.created and self.rng.random() < 0.5 else CREATE
        asked = self.asked(group, host, state, mask, (group.qkey if qkey is None else qkey) if mask & QKEY else 0)
        frame = self.ask_sa(host, SET, MCMEMBER, asked, mask, self.record(group, host, state, group.qkey), status)
        if not status:
            self.created.add(group.mgid)
            self.change(group.mgid, host.end.gid, set_=state)
        return frame

    def leave(self, host, group, state, status=0):
        record = self.asked(group, host, state, JOIN, 0)
        frame = self.ask_sa(host, DELETE, MCMEMBER, record, JOIN, record, status)
        if not status:
            self.change(group.mgid, host.end.gid, clear=state)
        return frame

    def change(self, mgid, address, set_=0, clear=0):
        key = packet.address_text(ipaddress.ip_address(mgid).packed), packet.address_text(address)
        self.members[key] = (self.members.get(key, 0) | set_) & ~clear

    def state(self, host, group):
        return self.members.get((packet.address_text(group.end.gid), packet.address_text(host.end.gid)), 0)

    # IPoIB

    @staticmethod
    def hardware(host, qpn=None):
        return struct.pack(">I", host.end.qpn if qpn is None else qpn) + host.end.gid

    def arp(self, operation, host, other, dst, qpn=None):
        body = struct.pack(">HHHHBBH", 0x0806, 0, 0x20, 0x0800, 20, 4, operation) + self.hardware(host, qpn) + host.ipv4
        body += (self.hardware(other) if operation == 2 else bytes(20)) + other.ipv4
        return self.datagram(host.end, dst, body, BROADCAST_QKEY)

    def discovery(self, kind, host, other, dst):
        target, option = (other.ipv6, 1) if kind == 135 else (host.ipv6, 2)
        message = struct.pack(">BBHI", kind, 0, 0, 0x60000000 if kind == 136 else 0) + target
        message += bytes((option, 3, 0, 0)) + self.hardware(host)
        head = struct.pack(">IHBB", 6 << 28, len(message), 58, 255) + host.ipv6 + other.ipv6
        pseudo = host.ipv6 + other.ipv6 + struct.pack(">II", len(message), 58)
        message = message[:2] + struct.pack(">H", W.checksum(pseudo + message)) + message[4:]
        return self.datagram(host.end, dst, struct.pack(">HH", packet.IPV6, 0) + head + message, BROADCAST_QKEY)

    def resolve(self, host, other, *, qpn=None, follow=True, qkey=BROADCAST_QKEY):
        """The frames of the answer and of the first packet."""
        again = self.rng.choice((1, 1, 2))  # how often it asks
        if self.rng.random() < 0.5 or qpn is not None:
            for _ in range(again):
                self.arp(1, host, other, self.broadcast.end)
            answer = self.arp(2, other, host, host.end, qpn)
        else:
            for _ in range(again):
                self.discovery(135, host, other, self.broadcast.end)
            answer = self.discovery(136, other, host, host.end)
        self.resolved.add((host, other))
        if not follow:
            return answer, None
        path = bytes(8) + other.end.gid + host.end.gid + struct.pack(">HHIBBHHBBB9x", other.end.lid, host.end.lid, 0, 0, 0x80,
                                                                    0xffff, 0, 0x84, 0x83, 0x92)
        self.ask_sa(host, GET, PATH, bytes(8) + other.end.gid + host.end.gid + bytes(24), 0x0c, path)
        return answer, self.data(host, other, qkey)

    def data(self, host, other, qkey=BROADCAST_QKEY):
        ip = struct.pack(">BBHHHBBH", 0x45, 0, 28, 1, 0x4000, 64, 17, 0) + host.ipv4 + other.ipv4
        ip = ip[:10] + struct.pack(">H", W.checksum(ip)) + ip[12:] + struct.pack(">HHHH", 5000, 5000, 8, 0)
        return self.datagram(host.end, other.end, struct.pack(">HH", packet.IPV4, 0) + ip, qkey)

    def start(self):
        for host in self.hosts:
            self.join(host, self.broadcast)

    def step(self):
        """Something that hosts do."""
        host, group, choice = self.rng.choice(self.hosts), self.rng.choice(self.groups), self.rng.random()
        state = self.state(host, group)
        if choice < 0.4:
            if not state & 1:
                self.join(host, group, self.rng.choice((1, 1, 9)) if group.mgid in self.created else 1)
            elif group.qkey and choice < 0.2:
                self.datagram(host.end, group.end, bytes(self.rng.randrange(4, 200)), group.qkey)
        elif choice < 0.5 and state:
            self.leave(host, group, state)
        elif choice < 0.6 and state:
            self.some_of(host, group, state)
        elif choice < 0.9:
            other = self.rng.choice([h for h in self.hosts if h is not host])
            if (host, other) in self.resolved:
                self.data(host, other)
            else:
                self.resolve(host, other)
        elif choice < 0.95 and state:
            self.join(host, group, state)  # asked for again

    def some_of(self, host, group, state):
        """Another membership in addition, or one of several given up; FullMember alone is a fault of its own."""
        if state in (1, 9):
            self.join(host, group, self.rng.choice((2, 4)))
        else:
            self.leave(host, group, state & 6)

    def capture(self):
        self.time += 3 * 10**9
        self.datagram(self.hosts[0].end, self.broadcast.end, bytes.fromhex("86dd0000") + bytes(40), BROADCAST_QKEY)
        return W.pcap(247, self.frames)


class Hosts:
    """Members by IGMP and MLD."""

    def __init__(self, rng):
        self.rng, self.time, self.frames, self.members = rng, 10**18, [], {}
        self.hosts = [Host(n + 1) for n in range(rng.randrange(1, 6))]
        self.ipv4 = [ipaddress.ip_address(f"239.1.2.{n}").packed for n in range(1, 5)]
        self.ipv6 = [ipaddress.ip_address(f"ff0e::{n}").packed for n in range(1, 5)]

    def add(self, ethertype, data):
        self.time += self.rng.randrange(5, 500) * US
        data = b"\1\0\x5e\0\0\1\2\0\0\0\0\1" + struct.pack(">H", ethertype) + data
        self.frames.append((self.time, data + bytes(max(0, 60 - len(data)))))

    def igmp(self, host, message):
        alert = self.rng.choice((b"", b"\x94\4\0\0"))
        message = message[:2] + struct.pack(">H", W.checksum(message)) + message[4:]
        head = struct.pack(">BBHHHBBH", 0x45 + len(alert) // 4, 0, 20 + len(alert) + len(message), 1, 0, 1, 2, 0)
        head += host.ipv4 + b"\xe0\0\0\x16" + alert
        self.add(packet.IPV4, head[:10] + struct.pack(">H", W.checksum(head)) + head[12:] + message)

    def mld(self, host, message):
        source, dst = host.ipv6, ipaddress.ip_address("ff02::16").packed
        message = message[:2] + struct.pack(">H", W.checksum(source + dst + struct.pack(">II", len(message), 58) + message)) + \
            message[4:]
        options = b"\x3a\0\5\2\0\0\1\0"
        self.add(packet.IPV6, struct.pack(">IHBB", 6 << 28, 8 + len(message), 0, 1) + source + dst + options + message)

    def records(self, groups, address):
        """Group records of version 3 of IGMP or 2 of MLD, and who is a member by them: {group: bool}."""
        data, said = b"", {}
        for group in groups:
            kind, sources, more = self.rng.randrange(1, 7), self.rng.choice((0, 0, 1, 3)), self.rng.choice((0, 0, 2))
            data += struct.pack(">BBH", kind, more, sources) + group + address * sources + bytes(4 * more)
            if kind in (2, 4) or (sources and kind in (1, 3, 5)):
                said[group] = True
            elif kind in (1, 3):
                said[group] = False
        return data, said

    def step(self):
        host, v4, new = self.rng.choice(self.hosts), self.rng.random() < 0.5, self.rng.random() < 0.5
        groups, address = (self.ipv4, host.ipv4) if v4 else (self.ipv6, host.ipv6)
        send = self.igmp if v4 else self.mld
        if new:
            chosen = self.rng.sample(groups, self.rng.randrange(1, 4))
            data, said = self.records(chosen, address)
            send(host, struct.pack(">BBHHH", 0x22 if v4 else 143, 0, 0, 0, len(chosen)) + data)
        else:
            group, joins = self.rng.choice(groups), self.rng.random() < 0.6
            said = {group: joins}
            if v4:
                send(host, struct.pack(">BBH", 0x16 if joins else 0x17, 0, 0) + group)
            else:
                send(host, struct.pack(">BBHHH", 131 if joins else 132, 0, 0, 0, 0) + group)
        for group, joins in said.items():
            self.members[self.text(group), self.text(address)] = int(joins)

    @staticmethod
    def text(address):
        return packet.address_text(address if len(address) == 16 else bytes(10) + b"\xff\xff" + address)

    def start(self):
        pass

    def capture(self):
        return W.pcap(1, self.frames)


def scenario(seed):
    """(bytes, {(group, address): JoinState}) of the capture number @seed."""
    rng = random.Random(seed)
    subnet = (Subnet if rng.random() < 0.6 else Hosts)(rng)
    subnet.start()
    for _ in range(rng.randrange(5, 80)):
        subnet.step()
    return subnet.capture(), {key: state for key, state in subnet.members.items() if state}
