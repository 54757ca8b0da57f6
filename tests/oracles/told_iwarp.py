# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Connections of iWARP in which one fault follows another of its kind, for told_scenarios.py: iwarp-KIND-SIDE.pcap.

The end that does wrong is A in one capture and B in the other. Packets are numbered (IPv4 identification), as Linux does it: so
a segment that is sent again is told from one that is late.
"""
import struct

import random_iwarp as R
import writer as W

US, MS, S = 1000, 10**6, 10**9
START = 10**18
PORTS = 40000, 7471


class Scene:
    def __init__(self, bad):
        self.bad, self.good, self.now, self.frames = bad, 1 - bad, START, []
        self.ends = [W.End(f"192.0.2.{i + 1}", 0, port=port) for i, port in enumerate(PORTS)]
        self.seq, self.ident, self.msn = [1000, 5000], [10, 200], [0, 0]

    def put(self, side, data=b"", flags=R.ACK, seq=None, ident=None, after=10 * US):
        """A segment, the next one or that of @seq, in a packet with the next number or with @ident."""
        src, dst, at = self.ends[side], self.ends[1 - side], self.seq[side] if seq is None else seq
        tcp = struct.pack(">HHIIBBHHH", src.port, dst.port, at, self.seq[1 - side] if flags & R.ACK else 0, 5 << 4, flags, 0xffff, 0, 0) + data
        pseudo = src.gid + dst.gid + struct.pack(">HH", R.TCP, len(tcp))
        tcp = tcp[:16] + struct.pack(">H", W.checksum(pseudo + tcp + bytes(len(tcp) % 2))) + tcp[18:]
        number = self.ident[side] if ident is None else ident
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), number, 0x4000, 64, R.TCP, 0) + src.gid + dst.gid
        head = head[:10] + struct.pack(">H", W.checksum(head)) + head[12:]
        self.now += after
        self.frames.append((self.now, W.MACS + b"\x08\x00" + head + tcp))
        self.ident[side] += ident is None
        if seq is None:
            self.seq[side] += len(data) + bool(flags & (R.SYN | R.FIN))

    def begin(self, private=0):
        self.put(0, flags=R.SYN)
        self.put(1, flags=R.SYN | R.ACK)
        self.put(0)
        self.start(0, private)
        self.start(1, private)

    def start(self, side, private=0, flags=0):
        key = (b"MPA ID Req Frame", b"MPA ID Rep Frame")[side]
        self.put(side, key + struct.pack(">BBH", flags, 1, private) + bytes(private))

    def message(self, side, size=40):
        self.msn[side] += 1
        return R.untagged(R.SEND, 0, self.msn[side], 0, True, bytes(size))

    def send(self, side, size=40):
        self.put(side, self.message(side, size))

    def talk(self):
        for side in (0, 1, 0, 1):
            self.send(side)

    def late(self, side, resent, after=5 * MS):
        """A message that comes after the one sent after it: overtaken, or sent again."""
        one, other, at, ident = self.message(side), self.message(side), self.seq[side], self.ident[side]
        self.put(side, other, seq=at + len(one), ident=ident + 1)
        self.put(side, one, seq=at, ident=ident + 2 if resent else ident, after=after)
        self.seq[side], self.ident[side] = at + len(one) + len(other), ident + 3


def terminate(s):
    """Of the other's Send, as the RFC has it: DDP, no buffer."""
    s.begin()
    s.talk()
    send = s.message(s.good)
    s.put(s.good, send)
    s.put(s.bad, R.untagged(7, 2, 1, 0, True, struct.pack(">BBH", 0x12, 2, 0xc000) + send[:20]))
    s.put(s.bad, flags=R.FIN | R.ACK)
    s.put(s.good, flags=R.FIN | R.ACK)


def terminates(s):
    s.begin()
    s.talk()
    for msn in (1, 2, 3):  # which is one fault, and is said once
        s.put(s.bad, R.untagged(7, 2, msn, 0, True, struct.pack(">BBH", 0x20, 2, 0)))
    s.put(s.bad, flags=R.RST | R.ACK)


def rejected(s):
    """With one octet of private data, or with none: the responder alone rejects."""
    for side, flags in ((0, R.SYN), (1, R.SYN | R.ACK), (0, R.ACK)):
        s.put(side, flags=flags)
    s.start(0)
    s.start(1, s.bad, 0x20)
    s.put(1, flags=R.FIN | R.ACK)
    s.put(0, flags=R.FIN | R.ACK)


def resent(s):
    """One segment again, after it was acknowledged or not; later more of them."""
    s.begin()
    s.talk()
    s.put(s.good)
    at, one = s.seq[s.bad], s.message(s.bad)
    s.put(s.bad, one)
    s.put(s.bad, one, seq=at, after=210 * MS)
    s.put(s.good)
    for _ in range(3):
        s.put(s.bad, one, seq=at, after=MS)
    s.talk()


def reordered(s):
    s.begin()
    s.talk()
    for _ in range(3):
        s.late(s.bad, False)
    s.put(s.good)
    at, parts = s.seq[s.bad], [s.message(s.bad) for _ in range(4)]
    size, ident = len(parts[0]), s.ident[s.bad]
    for i in (3, 1, 2, 0):
        s.put(s.bad, parts[i], seq=at + i * size, ident=ident + i, after=MS)
    s.seq[s.bad], s.ident[s.bad] = at + 4 * size, ident + 4
    s.talk()


def held(s):
    """Twice, without numbers of packets in between that tell."""
    s.begin()
    s.talk()
    for _ in range(3):
        at, parts, ident = s.seq[s.bad], [s.message(s.bad) for _ in range(3)], s.ident[s.bad]
        size = len(parts[0])
        s.put(s.bad, parts[2], seq=at + 2 * size, ident=ident + 2)
        s.put(s.bad, parts[0][:20], seq=at, ident=ident, after=MS)
        s.put(s.bad, parts[0][20:] + parts[1], seq=at + 20, ident=ident + 1, after=MS)
        s.seq[s.bad], s.ident[s.bad] = at + 3 * size, ident + 3
    s.talk()


def octets(s):
    """One octet of a message late, and one of another sent again."""
    s.begin()
    s.talk()
    at, one, ident = s.seq[s.bad], s.message(s.bad), s.ident[s.bad]
    s.put(s.bad, one[1:], seq=at + 1, ident=ident + 1)
    s.put(s.bad, one[:1], seq=at, ident=ident, after=MS)
    s.put(s.bad, one[:1], seq=at, ident=ident + 2, after=MS)
    s.seq[s.bad], s.ident[s.bad] = at + len(one), ident + 3
    s.talk()


def faults(s):
    """An MSN too many, and twice reserved bits and a pad: each kind is said once."""
    s.begin()
    s.talk()
    s.msn[s.bad] += 1
    s.send(s.bad)
    one = bytearray(s.message(s.bad, 41))
    one[2] |= 4
    s.put(s.bad, bytes(one))
    one = bytearray(s.message(s.bad, 41))
    one[-5] = 1
    s.put(s.bad, bytes(one))
    s.talk()


def contradicts(s):
    """A Read Response with an STag that its request does not name."""
    s.begin()
    s.talk()
    s.put(s.good, R.untagged(R.READ, 1, 1, 0, True, struct.pack(">IQIIQ", 0x5000, 0x1000, 64, 7, 8)))
    s.put(s.bad, R.tagged(R.RESPONSE, 0x5001, 0x1000, True, bytes(64)))
    s.talk()


def unfinished(s):
    """Within a message, or with one or two Read Requests without an answer."""
    s.begin()
    s.talk()
    s.msn[s.bad] += 1
    s.put(s.bad, R.untagged(R.SEND, 0, s.msn[s.bad], 0, False, bytes(40)))
    s.put(s.bad, flags=R.RST | R.ACK)


def read_unanswered(s, n=1):
    s.begin()
    s.talk()
    for i in range(n):
        s.put(s.bad, R.untagged(R.READ, 1, 1 + i, 0, True, struct.pack(">IQIIQ", 0x5000, 0x1000, 64, 7, 8)))
    s.put(s.good)
    s.put(s.good, flags=R.RST | R.ACK)


def reads_unanswered(s):
    read_unanswered(s, 2)


def silent(s):
    """A Read Request that TCP acknowledges; another connection begins later."""
    s.begin()
    s.talk()
    s.put(s.bad, R.untagged(R.READ, 1, 1, 0, True, struct.pack(">IQIIQ", 0x5000, 0x1000, 64, 7, 8)))
    s.put(s.good)
    s.ends[0].port += 1
    s.put(0, flags=R.SYN, after=3 * S)


KINDS = (terminate, terminates, rejected, resent, reordered, held, octets, faults, contradicts, unfinished, read_unanswered,
         reads_unanswered, silent)


def write(directory):
    """The captures, by their names."""
    paths = []
    for kind in KINDS:
        for side, name in enumerate("ab"):
            scene = Scene(side)
            kind(scene)
            paths.append(directory / f"iwarp-{kind.__name__.replace('_', '-')}-{name}.pcap")
            paths[-1].write_bytes(W.pcap(1, scene.frames))
    return paths
