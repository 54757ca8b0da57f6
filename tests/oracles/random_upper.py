# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random conversations of upper layers: commands, answers, failures, transfers, retransmissions, ids used again, fragments.

Written from the layouts, as packets of writer.py; what is read of them is in nvme.py and upper.py.
"""
import random
import struct

import packet
import random_iwarp
import writer

PSNS = 1 << 24
REQ, REP, DREQ = 0x10, 0x13, 0x15
OFTEN_RIGHT = [0] * 8


class Talk:
    """A connection: who asks and who answers, and what each sends next."""
    MTUS = (1024,)

    def __init__(self, rng, number, framing):
        self.rng, self.framing, self.frames, self.number = rng, framing, [], number
        hosts = ("2001:db8::1", "2001:db8::2") if framing == "ipv6" else ("192.0.2.1", "192.0.2.2")
        self.ends = [writer.End(host, 0x100 * (side + 1) + number, port=0xc000 + 0x100 * side + number)
                     for side, host in enumerate(hosts)]
        self.psn = [rng.choice([0, 5, PSNS - 3]), rng.randrange(PSNS)]
        self.mtu = rng.choice(self.MTUS)
        self.offered, self.wire, self.start, self.key, self.open, self.late = (), None, None, 0x1000 * number, {}, rng.random() < 0.2

    # Packets

    def packet(self, side, op, body=b"", **fields):
        src, dst = self.ends[side], self.ends[not side]
        packed = [self.framing, src, dst, op, dst.qpn, self.psn[side]]
        frame = writer.frame(*packed, body=body, ackreq=1, **fields)
        if self.rng.random() < 0.03:
            self.frames.append((1000, writer.frame(*packed, body=body, ackreq=1, bad=True, **fields)))
        self.frames.append((self.rng.choice([1, 10, 1000]) * 1000, frame))
        if self.rng.random() < 0.08:
            self.frames.append((20_000_000, frame))
        self.psn[side] = (self.psn[side] + 1) % PSNS
        if op != packet.READ_REQUEST:
            self.frames.append((2000, writer.frame(self.framing, dst, src, packet.ACKNOWLEDGE, src.qpn, (self.psn[side] - 1) % PSNS)))

    def send(self, side, body):
        """A message, in as many packets as it needs; an answer may invalidate a key of its command."""
        opcodes, fields = (packet.SEND_FIRST, packet.SEND_MIDDLE, packet.SEND_LAST, packet.SEND_ONLY), {}
        if side and self.offered and self.rng.random() < 0.5:
            opcodes = (*opcodes[:2], packet.SEND_LAST_INV, packet.SEND_ONLY_INV)
            fields = {"invalidate": self.offered[0][0]}
        self.message_of(side, body, opcodes, **fields)

    def write(self, body, address, key):
        self.message_of(1, body, (packet.WRITE_FIRST, packet.WRITE_MIDDLE, packet.WRITE_LAST, packet.WRITE_ONLY),
                        va=address, rkey=key, dma=len(body))

    def read(self, address, key, size):
        if self.wire:
            self.wire.read(1, address, key, size)
        else:
            self.packet(1, packet.READ_REQUEST, va=address, rkey=key, dma=size)

    def message_of(self, side, body, opcodes, **fields):
        first, middle, last, only = opcodes
        if self.wire:
            self.wire.message(side, body, only, **fields)
            return
        if len(body) <= self.mtu:
            self.packet(side, only, body, **fields)
            return
        end = (len(body) - 1) // self.mtu * self.mtu
        self.packet(side, first, body[:self.mtu], **fields)
        for at in range(self.mtu, end, self.mtu):
            self.packet(side, middle, body[at:at + self.mtu], **fields)
        self.packet(side, last, body[end:], **fields)

    def manage(self, attribute):
        client, server = self.ends
        side, comm = attribute == REP, 0x20 + self.number
        local, remote = (comm + 0x1000, comm) if side else (comm, 0 if attribute == REQ else comm + 0x1000)
        body = writer.cm(attribute, local, remote, qpn=self.ends[not side if attribute == DREQ else side].qpn, service="RC",
                         mtu=self.mtu, psn=self.start[0 if side else 1])  # what the other one is to begin with
        src, dst = (server, client) if side else (client, server)
        self.frames.append((5000, writer.frame(self.framing, src, dst, writer.UD_SEND_ONLY, 1, comm % 1000, body=body)))

    # Memory

    def memory(self, size):
        """A new range; now and then under a key that another has."""
        if self.rng.random() > 0.05:
            self.key += 1
        return self.key, self.rng.randrange(1 << 40), size

    def move(self, offer, head=b""):
        """An RDMA READ or WRITE of what is offered, which one time in ten goes astray."""
        key, address, size = offer
        wrong = self.rng.random() < 0.1
        size, at = (size + 1, address) if wrong and self.rng.random() < 0.5 else (size, address - wrong)
        key += wrong and self.rng.random() < 0.3 and 0x10000000
        if head:
            self.write(head, at, key)
        elif size <= 8 * self.mtu and self.rng.random() < 0.5:
            self.write(bytes(size), at, key)
        else:
            self.read(at, key, min(size, 256))

    # What happens

    def ident(self):
        return self.rng.randrange(6 if self.rng.random() < 0.2 else 1 << 12) + 1

    def begin(self):
        """What comes before the commands."""

    def ask(self):
        """A command, which self.open has then: {id: (offers, what else the answer needs)}."""
        raise NotImplementedError

    def answer(self, ident):
        raise NotImplementedError

    def other(self):
        """What is neither a command nor its answer."""

    def some(self):
        for _ in range(self.rng.randrange(1, 6)):
            self.ask()
        if self.rng.random() < 0.3:
            self.other()
        for ident in self.rng.sample(sorted(self.open), k=len(self.open)):
            if ident not in self.open:  # answered with another one
                continue
            for offer in self.open[ident][0]:
                if offer[2] and self.rng.random() < 0.7:
                    self.move(offer)
            if self.rng.random() < 0.8:
                self.offered = self.open[ident][0]
                self.answer(ident)
                self.offered = ()
        if self.rng.random() < 0.1:
            self.write(b"", 0, 0)
        if self.rng.random() < 0.1:
            self.open[5000] = ((), None)  # asked by nobody
            self.answer(5000)

    def whole(self, managed, closed):
        self.start = [*self.psn]
        if self.framing == "iwarp":
            self.wire = random_iwarp.Wire(self.rng, self.ends, self.frames, self.mtu)
            self.wire.begin()
        elif managed:
            self.manage(REQ)
            self.manage(REP)
        if self.late and not self.wire:  # the capture began later
            self.psn[0] = (self.psn[0] + 7) % PSNS
        self.begin()
        for _ in range(self.rng.randrange(6)):
            self.some()
        if self.wire and closed:
            self.wire.end()
        elif managed and closed:
            self.manage(DREQ)
            if self.rng.random() < 0.2 and self.open:
                self.answer(min(self.open))


class NvmeTalk(Talk):
    def __init__(self, rng, number, framing):
        super().__init__(rng, number, framing)
        self.qid, self.depth = number % 3, rng.choice([1, 3, 8, 31])

    def capsule(self, opcode, cid, size, kind=4, fabrics=0, cdw10=bytes(24)):
        offer = self.memory(size)
        sgl = struct.pack("<Q", offer[1]) + size.to_bytes(3, "little") + offer[0].to_bytes(4, "little") + bytes([kind << 4]) \
            if kind == 4 and size else struct.pack("<QI", 0, size) + bytes(3) + b"\x01" if size else bytes(16)
        body = bytes([opcode, 0x40]) + struct.pack("<H", cid) + bytes([fabrics]) + bytes(19) + sgl + cdw10
        if kind == 0:
            body += bytes(size)
        self.open[cid] = ((offer,) if kind == 4 else (), None)
        self.send(0, body)

    def answer(self, ident, status=None):
        self.open.pop(ident, None)
        status = self.rng.choice([*OFTEN_RIGHT, 0x002, 0x004, 0x281, 0x285, 0x007, 0x00b]) if status is None else status
        self.send(1, bytes(8) + struct.pack("<HHHH", 0, self.qid, ident, status << 1))

    def begin(self):
        self.capsule(0x7f, 0, 1024, fabrics=1, cdw10=struct.pack("<HHHHI", 0, self.qid, self.depth, 0, 0) + bytes(12))
        if self.rng.random() < 0.9:
            self.answer(0, self.rng.choice([0] * 6 + [0x182, 0x184]))

    def ask(self):
        opcode = self.rng.choice([0, 1, 2, 9, 0x3f] if self.qid else [2, 6, 9, 0x0c, 0x18, 0x3f])
        self.capsule(opcode, self.ident(), self.rng.choice([0, 512, 64]), kind=self.rng.choice([4, 4, 0]))

    def other(self):
        """Forty operations that nobody has a name for."""
        if not self.qid or self.rng.random() < 0.7:
            return
        for opcode in range(0xc0, 0xe8):
            self.capsule(opcode, opcode, 0)
            if self.rng.random() < 0.5:
                self.answer(opcode)


def sense_data(rng):
    key, asc, ascq = rng.randrange(16), rng.randrange(256), rng.randrange(256)
    fixed = bytes([rng.choice([0x70, 0x71, 0xf0]), 0, key | rng.choice([0, 0x20]), 0, 0, 0, 0, 10, 0, 0, 0, 0, asc, ascq, 0, 0, 0, 0])
    described = bytes([rng.choice([0x72, 0x73]), key, asc, ascq, 0, 0, 0, 0])
    return rng.choice([b"", fixed, fixed, described, described, fixed[:8], bytes(18)])


OPCODES = [0x00, 0x12, 0x28, 0x2a, 0x88, 0x8a, 0xa0, 0xa3, 0x9e]
STATUSES = [*OFTEN_RIGHT, 2, 2, 2, 2, 8, 0x18, 0x28, 0x40, 0x99]


class SrpTalk(Talk):
    MTUS = (256, 1024, 4096)
    RESPONSE = 36

    def descriptor(self, form):
        """(bytes, how many in the unit, offers, bytes of immediate data)"""
        size = self.rng.choice([36, 512, 4096, 70000])
        if form == 0:
            return b"", 0, (), 0
        if form == 3:
            return struct.pack(">I", 100), 0, (), 100
        if form == 1:
            key, address, _ = offer = self.memory(size)
            return struct.pack(">QII", address, key, size), 0, (offer,), 0
        offers = [self.memory(size) for _ in range(self.rng.choice([1, 2, 3, 7]))]
        table = self.memory(16 * len(offers))
        listed = [struct.pack(">QII", address, key, size) for key, address, size in (table, *offers)]
        return listed[0] + struct.pack(">I", size * len(offers)) + b"".join(listed[1:]), len(offers), (table, *offers), 0

    def ask(self, plain=False):
        tag = self.ident() << self.rng.choice([0, 0, 56 - 12])
        if not plain and self.rng.random() < 0.06:
            self.open[tag] = ((), "task")
            self.send(0, struct.pack(">BB6xQ4xQ2xBxQ8x", 1, 0, tag, 0, 1, tag))
            return
        out, into = self.rng.choice([(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (3, 0), (1, 1), (1, 2), (2, 2)])
        more = self.rng.choice([0, 0, 4, 16])
        first, second = self.descriptor(out), self.descriptor(into)
        opcode = self.rng.choice(OPCODES if plain or self.rng.random() < 0.8 else [0x9f, 0x77, 0xfe, *range(0xc0, 0xe6)])
        body = struct.pack(">BBxxxBBBQ4xQxBxB", 2, self.rng.choice([0, 1, 3]), out << 4 | into, first[1], second[1], tag, 0, 0, more)
        body += bytes([opcode]) + bytes(15) + bytes(more) + first[0] + second[0] + bytes(first[3])
        self.open[tag] = (first[2] + second[2], "command")
        self.send(0, body)

    def begin(self):
        self.ask(plain=True)

    def answer(self, ident):
        _, kind = self.open.pop(ident)
        if kind == "task":
            code = self.rng.choice([*OFTEN_RIGHT, 2, 4, 5, 9])
            response = self.rng.choice([b"", bytes([0, 0, 0, code])])
            self.send(1, self.unit(ident, 0, b"", response))
        else:
            status = self.rng.choice(STATUSES)
            self.send(1, self.unit(ident, status, sense_data(self.rng) if status == 2 else b"", self.rng.choice([b"", b"", bytes(4)])))

    def unit(self, ident, status, sense, response):
        flags = (1 if response else 0) | (2 if sense else 0)
        return struct.pack(">BBxxIQ2xBBIIII", 0xc1, 0, 1, ident, flags, status, 0, 0, len(sense), len(response)) + response + sense

    def other(self):
        kind = self.rng.choice([0x81, 0x82, 0x03, 0x80, 0x41])
        size = 48 if kind == 0x82 else 16
        self.send(0 if kind in (0x03, 0x41) else 1, (bytes([kind]) + bytes(7) + struct.pack(">Q", self.ident()) + bytes(32))[:size])


class IserTalk(Talk):
    MTUS = (256, 1024, 4096)
    LOGIN, TEXT = 3, 4

    def pdu(self, side, opcode, tag, bhs=b"", segment=b"", offers=(0, 0, 0, 0), flags=0, more=b""):
        """@bhs: (place, bytes) to write over the zeros of a basic header segment."""
        head = bytearray(48)
        head[0], head[4], head[5:8] = opcode, len(more) // 4, len(segment).to_bytes(3, "big")
        head[16:20] = struct.pack(">I", tag)
        for at, data in bhs:
            head[at:at + len(data)] = data
        padded = segment + bytes(-len(segment) % 4)
        self.send(side, struct.pack(">BxxxIQIQ", 0x10 | flags, *offers) + head + more + padded)

    def login(self, tag, text, status=0):
        self.pdu(0, 0x43, tag, [(1, b"\x87")], b"".join(pair.encode() + b"\0" for pair in text))
        if self.rng.random() < 0.95:
            self.pdu(1, 0x23, tag, [(36, struct.pack(">H", status))], b"TargetPortalGroupTag=1\0")

    def begin(self):
        name = self.rng.choice([["TargetName=iqn.2026-11.rig:disk"], ["TargetName=iqn.2026-11.rig:other"], ["SessionType=Discovery"], []])
        if self.rng.random() < 0.15:
            name = ["X-" + "y" * 250 + "=1", *name]
        self.login(0, ["InitiatorName=iqn.2026-11.rig:init", *name])
        while self.rng.random() < 0.4:
            self.login(0, ["HeaderDigest=None", *self.rng.choice([[], ["TargetName=iqn.2026-11.rig:second"]])],
                       self.rng.choice([0, 0, 0, 0x101, 0x201, 0x203, 0x299, 0x302]))

    def ask(self):
        tag, kind = self.ident(), self.rng.random()
        if kind < 0.2:
            opcode = self.rng.choice([0, 0, 2, 4, 6])
            self.open[tag] = ((), opcode)
            self.pdu(0, opcode | self.rng.choice([0, 0x40]), tag, segment=b"SendTargets=All\0" if opcode == self.TEXT else b"")
            return
        size, flags = self.rng.choice([0, 36, 512, 4096]), self.rng.choice([0, 4, 4, 8, 8, 12])
        write, read = self.memory(size), self.memory(size)
        offers = tuple(offer for offer, bit in ((write, 8), (read, 4)) if flags & bit and size)
        opcode = self.rng.choice(OPCODES if self.rng.random() < 0.8 else [0x9f, 0x77, 0xfe])
        self.open[tag] = (offers, 1)
        more = self.rng.choice([b"", b"", struct.pack(">HBB4x", 5, 2, 0)])
        self.pdu(0, 1, tag, [(1, b"\x80"), (20, struct.pack(">I", size)), (32, bytes([opcode]))], bytes(self.rng.choice([0, 0, 50, 512])),
                 (write[0], write[1], read[0], read[1]), flags, more)

    def answer(self, ident):
        kind = self.open.pop(ident)[1]
        if kind in (None, 1):
            status, response = self.rng.choice(STATUSES), self.rng.choice([0] * 9 + [1, 0x80])
            sense = sense_data(self.rng) if status == 2 else b""
            self.pdu(1, 0x21, ident, [(2, bytes([response, status]))], struct.pack(">H", len(sense)) + sense if sense else b"")
        else:
            self.pdu(1, 0x20 | kind, ident, [(2, bytes([self.rng.choice([0, 0, 0, 0, 1, 2, 3, 5, 9, 255])]))] if kind in (2, 6) else [])

    def other(self):
        none = 0xffffffff
        side, opcode = self.rng.choice([(0, 0), (1, 0x20), (0, 5), (0, 0x10), (1, 0x31), (1, 0x32), (1, 0x3f)])
        self.pdu(side, opcode, self.ident() if opcode in (5, 0x10, 0x31) else none)


def opaque(data):
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def words(*numbers):
    return struct.pack(f">{len(numbers)}I", *numbers)


class RpcTalk(Talk):
    MTUS = (256, 1024, 4096)
    NFS, NFSACL = 100003, 100227
    STATUSES = [*OFTEN_RIGHT, 2, 13, 70, 10004, 10008, 10013, 3, 77]

    def message(self, side, xid, kind, lists, body=b""):
        self.send(side, words(xid, 1, 32, kind) + lists + body)

    def segment(self, offer):
        return words(offer[0], offer[2], offer[1] >> 32, offer[1] & 0xffffffff)

    def lists(self, reads=(), writes=(), reply=()):
        """The three lists; @reads: (position, offer)."""
        out = b"".join(words(1, position) + self.segment(offer) for position, offer in reads) + words(0)
        for chunk in writes:
            out += words(1, len(chunk)) + b"".join(map(self.segment, chunk))
        out += words(0)
        return out + (words(1, len(reply)) + b"".join(map(self.segment, reply)) if reply else words(0))

    def call(self, xid, program, version, procedure, arguments=b""):
        credential = self.rng.choice([words(0, 0), words(1) + opaque(words(7) + opaque(b"host.rig") + words(0, 0, 1, 0))])
        return words(xid, 0, 2, program, version, procedure) + credential + words(0, 0) + arguments

    def compound(self):
        tag = opaque(b"x" * self.rng.choice([0] * 12 + [5, 300, 1100]))
        before = [(53, bytes(32)), (24, b""), (22, opaque(bytes(self.rng.choice([8, 28, 5])))), (32, b""), (31, b""), (23, b"")]
        steps = self.rng.sample(before, k=self.rng.choice([0, 1, 1, 2, 2, 3]))
        if self.rng.random() < 0.9:
            steps += [(self.rng.choice([3, 9, 10, 15, 18, 25, 38, 42, 43, 59, 68, 75]), bytes(16)), (9, words(1, 0))]
        return tag + words(self.rng.randrange(3), len(steps)) + b"".join(words(op) + rest for op, rest in steps)

    def begin(self):
        xid, version = self.ident(), self.rng.choice([3, 4])
        self.open[xid] = ((), (self.NFS, version, 0), None)
        self.message(0, xid, 0, self.lists(), self.call(xid, self.NFS, version, 0))
        if self.rng.random() < 0.9:
            self.answer(xid)

    def ask(self):
        rng, xid = self.rng, self.ident()
        sizes = [1, 52, 4096, 16384]
        reads = [(rng.choice([120, 200]), self.memory(rng.choice(sizes))) for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        writes = [[self.memory(rng.choice(sizes)) for _ in range(rng.choice([1, 1, 2]))] for _ in range(rng.choice([0, 0, 0, 1, 2]))]
        reply = [self.memory(rng.choice([52, 7000])) for _ in range(rng.choice([0, 0, 1, 2]))]
        long = rng.random() < 0.05
        if long:
            reads.insert(0, (0, self.memory(3000)))
        offers = tuple([offer for _, offer in reads] + [offer for chunk in writes for offer in chunk] + reply)
        which = rng.choice([(self.NFS, 3, rng.choice([0, 1, 3, 6, 7, 21, 77])), *[(self.NFS, 4, 1)] * 3, (self.NFS, 4, 0),
                            (self.NFSACL, 3, 1), (100005, 3, 1), (400122, 1, 6)])
        arguments = bytes(20)
        if which == (self.NFS, 4, 1):
            arguments = self.compound()
        self.open[xid] = (offers, None if long else which, reply[0] if reply else None)
        lists = self.lists(reads, writes, reply)
        self.message(0, xid, 1 if long else 0, lists, b"" if long else self.call(xid, *which, arguments))

    def reply(self, xid):
        """The RPC reply, however it gets there."""
        kind = self.rng.random()
        if kind < 0.04:
            return words(xid, 1, 1, 1, 1)
        verifier = words(0) + opaque(bytes(self.rng.choice([0] * 9 + [240, 400])))
        accepted = 0 if kind < 0.9 else self.rng.choice([1, 2, 3, 4, 5, 9])
        return words(xid, 1, 0) + verifier + words(accepted) + (words(self.rng.choice(self.STATUSES)) + bytes(24) if not accepted else b"")

    def answer(self, ident):
        _, _, chunk = (*self.open.pop(ident), None)[:3]
        kind = self.rng.random()
        if chunk and kind < 0.7:
            if self.rng.random() < 0.9:
                self.move(chunk, head=self.reply(ident)[:self.rng.choice([1000, 1000, 1000, 20, 4])])
            self.message(1, ident, 1, self.lists(reply=[chunk]))
        elif kind > 0.95:
            code = self.rng.choice([1, 2])
            self.send(1, words(ident, 1, 32, 4, code) + (words(1, 1) if code == 1 else b""))
        else:
            self.message(1, ident, 0, self.lists(), self.reply(ident))

    def other(self):
        """A call in the backward direction, and its reply."""
        xid = self.ident()
        self.message(1, xid, 0, self.lists(), self.call(xid, 0x40000000, 1, self.rng.choice([0, 1]), bytes(12)))
        self.message(0, xid, 0, self.lists(), words(xid, 1, 0, 0, 0, 0))


class SmbTalk(Talk):
    MTUS = (1024, 4096)
    RESPONSE, CANCEL, PENDING = 1, 12, 0x103

    def transfer(self, side, body, rest=0):
        self.send(side, struct.pack("<HHHHIII", 10, 1, 0, 0, rest, 24 if body else 0, len(body)) + (bytes(4) + body if body else b""))

    def message(self, side, body):
        """A message of SMB, now and then in fragments: those that go on with it may look like the beginning of another."""
        if self.rng.random() > 0.15 or len(body) < 300:
            self.transfer(side, body)
            return
        at = self.rng.choice([64, 128, 200])
        self.transfer(side, body[:at], len(body) - at)
        if self.rng.random() < 0.3:
            self.transfer(side, b"")
        self.transfer(side, body[at:])

    def header(self, command, ident, flags=0, status=0, following=0):
        return b"\xfeSMB" + struct.pack("<HHIHHIIQIIQ16x", 64, 0, status, command, 1, flags, following, ident, 0, 0, 0)

    def chain(self, parts):
        """Headers with bodies one after the other: [(command, id, flags, status)]"""
        out = b""
        for i, (command, ident, flags, status) in enumerate(parts):
            body = bytes(self.rng.choice([8, 16, 40, 320]))
            following = 64 + len(body) if i + 1 < len(parts) else 0
            out += self.header(command, ident, flags, status, following) + body
        return out

    def begin(self):
        self.send(0, struct.pack("<HHHHIII", 0x100, 0x100, 0, 255, 1364, 8192, 1 << 20))
        self.send(1, struct.pack("<HHHHHHIIIII", 0x100, 0x100, 0x100, 0, 255, 255, 0, 1 << 20, 1364, 8192, 1 << 20))

    def ask(self):
        parts = []
        for _ in range(self.rng.choice([1, 1, 1, 2, 3])):
            ident, command = self.ident(), self.rng.choice([0, 1, 3, 5, 6, 8, 9, 11, 12, 14, 15, 16, 18, 0x33])
            parts.append((command, ident, self.rng.choice([0, 4]), 0))
            if command != self.CANCEL:
                self.open[ident] = ((), command)
        self.message(0, self.chain(parts))

    def answer(self, ident):
        parts = []
        for each in [ident, *self.rng.sample(sorted(self.open), k=len(self.open))[:self.rng.choice([0, 0, 1, 2])]]:
            if each in self.open:
                command = self.open.pop(each)[1] or 0
                status = self.rng.choice([*OFTEN_RIGHT, 0xc0000016, 0xc00000cc, 0xc0000022, 0x80000006, self.PENDING])
                if status == self.PENDING:
                    self.open[each] = ((), command)
                parts.append((command, each, self.RESPONSE, status))
        if parts:
            self.message(1, self.chain(parts))

    def other(self):
        kind = self.rng.random()
        if kind < 0.4:
            self.transfer(self.rng.choice([0, 1]), b"")
        elif kind < 0.7:
            self.transfer(1, self.header(18, 0xffffffffffffffff, self.RESPONSE) + bytes(24))
        elif kind < 0.85:
            self.transfer(0, b"\xfdSMB" + bytes(60))
        else:
            self.write(bytes(64), 0x1000, 0x77)

    def some(self):
        super().some()
        self.open = {ident: what for ident, what in self.open.items() if self.rng.random() < 0.9}


TALKS = {"NVMe": NvmeTalk, "SRP": SrpTalk, "iSER": IserTalk, "RPC": RpcTalk, "SMB": SmbTalk}


def merged(rng, one, other):
    """The packets of two connections at a time."""
    one, other, out = [*one], [*other], []
    while one and other:
        out.append((one if rng.random() < len(one) / (len(one) + len(other)) else other).pop(0))
    return out + one + other


def scenario(protocol, seed):
    """The capture: one connection after the other, or two at a time; sometimes one has the queue pairs of one that was closed."""
    rng = random.Random(f"{protocol} {seed}")
    framing, before, frames = rng.choice(["ipv4", "ipv6", "iwarp"]), None, []
    for number in range(1, rng.randrange(2, 5)):
        kind = TALKS[protocol if rng.random() < 0.8 else rng.choice(sorted(TALKS))]
        talk, managed, closed = kind(rng, number, framing), framing == "iwarp" or rng.random() < 0.8, rng.random() < 0.7
        anew = before and before[2] is kind is NvmeTalk and not before[0].wire  # a Connect begins anew by itself
        again = before and (before[1] or anew) and rng.random() < 0.4
        if again:
            talk.ends = before[0].ends
            if not before[1]:  # else they could be taken for retransmissions
                talk.psn = [(psn + 100) % PSNS for psn in before[0].psn]
        talk.whole(managed, closed)
        if managed and before and before[3] and not again and rng.random() < 0.3:
            frames = frames[:-len(before[0].frames)] + merged(rng, before[0].frames, talk.frames)
            before = None
        else:
            frames += talk.frames
            before = talk, managed and closed, kind, managed
    time, timed = 10**18, []
    for step, data in frames:
        time += step
        timed.append((time, data))
    return writer.pcap(writer.LINKTYPES["ipv4"], timed)
