# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""roce.py - RoCE v2 packets in a pcap, read and made by a few lines that share nothing with the library.

For planted.py and impaired.py: Ethernet with or without VLAN tags, IPv4 and IPv6, what the BTH says, AETH and
RETH; packets with another PSN, opcode or length, right lengths and ICRC again (annex A17, by zlib).
"""
import struct
import zlib

# IBTA vol 1, table 38: the five low bits of the opcode.
NAMES = ["SEND_FIRST", "SEND_MIDDLE", "SEND_LAST", "SEND_LAST_IMM", "SEND_ONLY", "SEND_ONLY_IMM",
         "WRITE_FIRST", "WRITE_MIDDLE", "WRITE_LAST", "WRITE_LAST_IMM", "WRITE_ONLY", "WRITE_ONLY_IMM",
         "READ_REQUEST", "READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE", "READ_RESPONSE_LAST",
         "READ_RESPONSE_ONLY", "ACK", "ATOMIC_ACK", "COMPARE_SWAP", "FETCH_ADD", "RESERVED",
         "SEND_LAST_INV", "SEND_ONLY_INV"]
RC, UC = 0, 1
PSNS = 1 << 24
ACK, NAK_SEQ, NAK_INV, NAK_ACCESS, NAK_OP, RNR = 0x1f, 0x60, 0x61, 0x62, 0x63, 0x20
# Extension headers, in bytes, by the name: IBTA vol 1, 9.3 to 9.8
EXTENSIONS = {"WRITE_FIRST": 16, "WRITE_ONLY": 16, "WRITE_ONLY_IMM": 20, "READ_REQUEST": 16,
              "READ_RESPONSE_FIRST": 4, "READ_RESPONSE_LAST": 4, "READ_RESPONSE_ONLY": 4, "ACK": 4,
              "ATOMIC_ACK": 12, "COMPARE_SWAP": 28, "FETCH_ADD": 28, "SEND_LAST_IMM": 4,
              "SEND_ONLY_IMM": 4, "WRITE_LAST_IMM": 4, "SEND_LAST_INV": 4, "SEND_ONLY_INV": 4}


def after(a, b):
    """How far PSN @a is after @b on the circle; before it: negative."""
    return (a - b + PSNS // 2) % PSNS - PSNS // 2


class Frame:
    """A frame of a capture; of RoCE v2 what its headers say."""

    def __init__(self, time, data, length=None):
        self.time, self.data, self.length = time, bytes(data), length or len(data)
        self.roce, self.cut = False, self.length > len(self.data)
        self.read()

    def read(self):
        at, data = 12, self.data
        while data[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
            at += 4
        self.ip = at + 2
        if data[at:at + 2] == b"\x08\x00" and data[at + 11:at + 12] == b"\x11":
            self.udp = self.ip + 20
            self.src, self.dst = data[self.ip + 12:self.ip + 16], data[self.ip + 16:self.ip + 20]
        elif data[at:at + 2] == b"\x86\xdd" and data[at + 8:at + 9] == b"\x11":
            self.udp = self.ip + 40
            self.src, self.dst = data[self.ip + 8:self.ip + 24], data[self.ip + 24:self.ip + 40]
        else:
            return
        self.sport, dport, udp_len = struct.unpack_from(">HHH", data, self.udp)
        if dport != 4791:
            return
        self.roce, self.bth, self.end = True, self.udp + 8, self.udp + udp_len - 4
        self.opcode, flags = data[self.bth], data[self.bth + 1]
        self.service, number = self.opcode >> 5, self.opcode & 0x1f
        self.name = NAMES[number] if number < len(NAMES) else ""
        self.dqpn, last = struct.unpack_from(">II", data, self.bth + 4)
        self.dqpn &= 0xffffff
        self.ackreq, self.psn = last >> 31, last & 0xffffff
        self.body = self.bth + 12
        self.payload = self.end - self.body - EXTENSIONS.get(self.name, 0) - (flags >> 4 & 3)
        self.is_request = self.service in (RC, UC) and number not in range(13, 19)
        self.is_response = self.service == RC and number in range(13, 19)

    @property
    def aeth(self):
        """(syndrome, MSN) of an ACK, a READ response or an atomic's answer."""
        word, = struct.unpack_from(">I", self.data, self.body)
        return word >> 24, word & 0xffffff

    @property
    def reth(self):
        """(virtual address, R_Key, length)"""
        return struct.unpack_from(">QII", self.data, self.body)

    @property
    def half(self):
        return self.src, self.dst, self.dqpn

    def cm(self):
        """(attribute, message) of a packet to QP1 from a CM."""
        if not self.roce or self.opcode != 0x64 or self.dqpn != 1 or self.data[self.body + 9] != 7:
            return None, b""
        mad = self.body + 8
        return struct.unpack_from(">H", self.data, mad + 16)[0], self.data[mad + 24:]

    def at(self, time):
        """The same at another time."""
        return Frame(time, self.data, self.length)

    def changed(self, time=None, **what):
        """Another packet of the same sort: opcode, psn, ackreq, syndrome, msn; shorter by so many bytes of payload."""
        data = bytearray(self.data[:self.end + 4])
        cut = what.get("shorter", 0)
        if cut:
            del data[self.end - cut:self.end]
        if "opcode" in what:
            data[self.bth] = what["opcode"]
        ackreq, psn = what.get("ackreq", self.ackreq), what.get("psn", self.psn) % PSNS
        struct.pack_into(">I", data, self.bth + 8, ackreq << 31 | psn)
        if "syndrome" in what or "msn" in what:
            syndrome, msn = self.aeth
            word = what.get("syndrome", syndrome) << 24 | what.get("msn", msn) % PSNS
            struct.pack_into(">I", data, self.body, word)
        return Frame(self.time if time is None else time, whole(data, self.ip, self.udp))

    def ack(self, time, psn, syndrome, msn):
        """An ACK or NAK by the sender of this one."""
        data = bytearray(self.data[:self.body]) + struct.pack(">I", syndrome << 24 | msn % PSNS) + bytes(4)
        data[self.bth] = self.service << 5 | NAMES.index("ACK")
        data[self.bth + 1] &= 0x40  # MigReq
        struct.pack_into(">I", data, self.bth + 8, psn % PSNS)
        return Frame(time, whole(data, self.ip, self.udp))

    def read_again(self, time, psn, skip):
        """A READ request that goes on after so many bytes."""
        va, rkey, length = self.reth
        data = bytearray(self.data[:self.end + 4])
        struct.pack_into(">I", data, self.bth + 8, self.ackreq << 31 | psn % PSNS)
        struct.pack_into(">QII", data, self.body, va + skip, rkey, length - skip)
        return Frame(time, whole(data, self.ip, self.udp))


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def icrc(data, ip, udp):
    """Annex A17: the fields that may change on the way count as ones."""
    masked = bytearray(b"\xff" * 8 + data[ip:-4])
    ipv4 = udp - ip == 20
    for place in (1, 8, 10, 11) if ipv4 else (1, 2, 3, 7):
        masked[8 + place] = 0xff
    if not ipv4:
        masked[8] |= 0x0f
    for place in (6, 7, 12):
        masked[8 + udp - ip + place] = 0xff
    return struct.pack("<I", zlib.crc32(masked))


def whole(data, ip, udp):
    """With the lengths, the checksum and the ICRC that belong to it, and no more after it than Ethernet needs."""
    struct.pack_into(">HH", data, udp + 4, len(data) - udp, 0)
    if udp - ip == 20:
        struct.pack_into(">H", data, ip + 2, len(data) - ip)
        data[ip + 10:ip + 12] = bytes(2)
        struct.pack_into(">H", data, ip + 10, checksum(data[ip:udp]))
    else:
        struct.pack_into(">H", data, ip + 4, len(data) - udp)
    data[-4:] = icrc(data, ip, udp)
    return bytes(data) + bytes(max(0, 60 - len(data)))


def icrc_good(frame):
    data = frame.data[:frame.end + 4]
    return icrc(bytearray(data), frame.ip, frame.udp) == data[-4:]


def frames(path):
    """The frames of a little-endian pcap of Ethernet, microseconds or nanoseconds."""
    data = path.read_bytes()
    unit = {b"\xd4\xc3\xb2\xa1": 1000, b"\x4d\x3c\xb2\xa1": 1}[data[:4]]
    at, out = 24, []
    while at < len(data):
        seconds, part, captured, length = struct.unpack_from("<4I", data, at)
        out.append(Frame(seconds * 10**9 + part * unit, data[at + 16:at + 16 + captured], length))
        at += 16 + captured
    return out


def write(path, found):
    """A pcap of nanoseconds."""
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        for frame in found:
            out.write(struct.pack("<4I", frame.time // 10**9, frame.time % 10**9, len(frame.data), frame.length))
            out.write(frame.data)


def linux_port(a, b):
    """The UDP source port of two QPs; kernel 6.12, ib_verbs.h: rdma_calc_flow_label() and what follows."""
    v = a * b
    v ^= v >> 20
    v ^= v >> 40
    v &= 0xfffff
    return 0xc000 | ((v & 0x3fff) ^ v >> 14)


def pairs(found):
    """{half: the half of the other direction}: by REQ and REP, by Linux's source port, or as the only one."""
    requests, named, ports = {}, {}, {}
    for frame in found:
        kind, message = frame.cm()
        if kind == 0x10:
            requests[frame.src, frame.dst, message[:4]] = int.from_bytes(message[32:35], "big")
        elif kind == 0x13 and (frame.dst, frame.src, message[4:8]) in requests:
            client = requests[frame.dst, frame.src, message[4:8]]
            server = int.from_bytes(message[12:15], "big")
            named[frame.dst, frame.src, server] = (frame.src, frame.dst, client)
            named[frame.src, frame.dst, client] = (frame.dst, frame.src, server)
        elif frame.roce and frame.service in (RC, UC):
            ports.setdefault(frame.half, (frame.sport, frame.service))
    out = {}
    for half, (port, service) in ports.items():
        others = [h for h, (_, other) in ports.items() if h[:2] == half[1::-1] and other == service]
        by_port = [h for h in others if ports[h][0] == port == linux_port(h[2], half[2])]
        choice = [named[half]] if half in named else by_port or others
        if len(choice) == 1:
            out[half] = choice[0]
    return out
