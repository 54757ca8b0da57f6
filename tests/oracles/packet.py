# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""One frame understood: who sends what to which queue pair, and whether its ICRC is right.

Finds its way from the link layer to the Base Transport Header by itself. Where a packet ends is
what its own lengths say (LRH, GRH, IPv6, IPv4 and UDP), never how long the frame is.
"""
import ipaddress
import zlib

GOOD, BAD, ABSENT, UNVERIFIABLE = "good", "bad", "absent", "unverifiable"

RC, UC, UD, CNP, XRC = 0, 1, 3, 4, 5  # the upper three bits of an opcode
SERVICES = {RC: "RC", UC: "UC", XRC: "XRC"}
OPCODE_CNP = 0x81

# The lower five bits, RC, UC and XRC alike.
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, SEND_ONLY_IMM = range(0x00, 0x06)
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, WRITE_ONLY, WRITE_ONLY_IMM = range(0x06, 0x0c)
READ_REQUEST, READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY = range(0x0c, 0x11)
ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, COMPARE_SWAP, FETCH_ADD = range(0x11, 0x15)
SEND_LAST_INV, SEND_ONLY_INV, FLUSH, ATOMIC_WRITE = 0x16, 0x17, 0x1c, 0x1d

SENDS = {*range(SEND_FIRST, WRITE_FIRST), SEND_LAST_INV, SEND_ONLY_INV}
WRITES = set(range(WRITE_FIRST, READ_REQUEST))
ATOMICS = {COMPARE_SWAP, FETCH_ADD}
READS = {READ_FIRST, READ_MIDDLE, READ_LAST, READ_ONLY}
REQUESTS = SENDS | WRITES | ATOMICS | {READ_REQUEST, FLUSH, ATOMIC_WRITE}
RESPONSES = READS | {ATOMIC_ACKNOWLEDGE}
OPCODES = {RC: REQUESTS | RESPONSES | {ACKNOWLEDGE}, UC: (SENDS | WRITES) - {SEND_LAST_INV, SEND_ONLY_INV}}
OPCODES[XRC] = OPCODES[RC]
FULL = {SEND_FIRST, SEND_MIDDLE, WRITE_FIRST, WRITE_MIDDLE, READ_FIRST, READ_MIDDLE}  # one MTU each

# Bytes of the headers after the BTH (IBTA vol 1, 9.3; annexes A14 for XRC, A19 for FLUSH and ATOMIC WRITE).
BTH, RETH, AETH, XRCETH, DETH, CNP_RESERVED = 12, 16, 4, 4, 8, 16
EXTENSION = {WRITE_FIRST: RETH, WRITE_ONLY: RETH, WRITE_ONLY_IMM: RETH + 4, READ_REQUEST: RETH,
             SEND_LAST_IMM: 4, SEND_ONLY_IMM: 4, WRITE_LAST_IMM: 4, SEND_LAST_INV: 4, SEND_ONLY_INV: 4,
             READ_FIRST: AETH, READ_LAST: AETH, READ_ONLY: AETH, ACKNOWLEDGE: AETH,
             ATOMIC_ACKNOWLEDGE: AETH + 8, COMPARE_SWAP: 28, FETCH_ADD: 28,
             FLUSH: 4 + RETH, ATOMIC_WRITE: RETH + 8}

UNSEEN = -1  # no Ethernet header
ETHERTYPES_VLAN = {0x8100, 0x88a8, 0x9100}
IPV4, IPV6, ROCE_V1 = 0x0800, 0x86dd, 0x8915
PORT_ROCE, PORT_VXLAN = 4791, 4789
NEXT_GRE, NEXT_UDP, NEXT_FRAGMENT, NEXT_OPTIONS = 47, 17, 44, {0, 43, 60}


class Packet:
    """What the figures need of one packet of the transport."""
    __slots__ = ("frame", "time", "wire", "src", "dst", "lids", "port", "ecn", "service", "opcode", "op",
                 "dqpn", "psn", "ackreq", "payload", "icrc", "syndrome", "length", "mad",
                 "span", "ext", "was", "dscp", "hops", "tag", "form", "macs", "paused", "fecn", "becn", "anew", "start")


class Network:
    """What is between link and transport: ends, and where the transport is."""
    __slots__ = ("src", "dst", "lids", "port", "ecn", "dscp", "hops", "at", "end", "covered", "ones", "fragment",
                 "more", "tag", "form", "macs")

    def __init__(self, src, dst, ecn, at, end, covered, ones):
        self.src, self.dst, self.ecn, self.at, self.end = src, dst, ecn, at, end
        self.covered, self.ones = covered, ones  # first byte under the ICRC; (byte, mask) taken as ones
        self.lids, self.port, self.dscp, self.hops = None, None, 0, 0
        self.tag, self.form, self.macs = UNSEEN, None, None
        self.fragment = self.more = False  # its ICRC is out of reach; the rest is in other fragments


def ip_address(data):
    """The 16 bytes of an IPv4 or IPv6 address or GID: an IPv4 address is the GID it is mapped to."""
    return bytes(data) if len(data) == 16 else bytes(10) + b"\xff\xff" + bytes(data)


def address_text(address):
    """As the linter writes it."""
    if isinstance(address, int):
        return f"LID 0x{address:04x}"
    ipv6 = ipaddress.IPv6Address(address)
    return str(ipv6.ipv4_mapped or ipv6)


def u16(data, at):
    return data[at] << 8 | data[at + 1]


def u24(data, at):
    return data[at] << 16 | data[at + 1] << 8 | data[at + 2]


def u32(data, at):
    return u24(data, at) << 8 | data[at + 3]


def udp(data, at, net):
    """The UDP header at @at inside @net: RoCE v2, VXLAN with a frame in it, or nothing of ours."""
    if at + 8 > len(data):
        return None
    port, size = u16(data, at + 2), u16(data, at + 4)
    if port == PORT_VXLAN:
        inner = ethernet(data, at + 16)
        if inner and net.more:  # the first fragment of what carries it holds only its beginning
            inner.fragment = inner.more = True
        return inner
    if port != PORT_ROCE:
        return None
    net.port, net.at = u16(data, at), at + 8
    if size >= 8 and not net.fragment:
        net.end = min(net.end, at + size)
    net.ones += [(at + 6, 0xff), (at + 7, 0xff)]
    return net


def erspan(data, at):
    """GRE with a sequence number (RFC 2890) and the 8 bytes of ERSPAN type II in front of a frame; no other tunnel."""
    return ethernet(data, at + 16) if data[at:at + 4] == b"\x10\x00\x88\xbe" else None


def ipv4(data, at):
    if at + 20 > len(data) or data[at] >> 4 != 4:
        return None
    size = (data[at] & 15) * 4
    if data[at + 9] == NEXT_GRE:
        return erspan(data, at + size)
    if data[at + 9] != NEXT_UDP or size < 20 or u16(data, at + 6) & 0x1fff:  # a later fragment has no BTH
        return None
    net = Network(ip_address(data[at + 12:at + 16]), ip_address(data[at + 16:at + 20]), data[at + 1] & 3,
                  0, at + u16(data, at + 2), at, [(at + i, 0xff) for i in (1, 8, 10, 11)])
    net.fragment = net.more = bool(u16(data, at + 6) & 0x2000)
    net.dscp, net.hops, net.form = data[at + 1] >> 2, data[at + 8], "v2 over IPv4"
    return udp(data, at + size, net)


def grh(data, at):
    """An IPv6 header with UDP in it, or the GRH with the transport itself."""
    if at + 40 > len(data):
        return None
    net = Network(ip_address(data[at + 8:at + 24]), ip_address(data[at + 24:at + 40]), data[at + 1] >> 4 & 3,
                  at + 40, at + 40 + u16(data, at + 4), at,
                  [(at, 0x0f)] + [(at + i, 0xff) for i in (1, 2, 3, 7)])
    net.dscp, net.hops = (u16(data, at) >> 4 & 0xff) >> 2, data[at + 7]
    return net


def ipv6(data, at):
    net = grh(data, at)
    if net is None or data[at] >> 4 != 6:
        return None
    following, at = data[at + 6], at + 40
    while following in NEXT_OPTIONS | {NEXT_FRAGMENT} and at + 8 <= len(data):
        net.fragment = True  # nothing says which of these headers' bytes the ICRC covers
        if following == NEXT_FRAGMENT and u16(data, at + 2) & 0xfff8:
            return None
        net.more |= following == NEXT_FRAGMENT and bool(data[at + 3] & 1)
        size = 8 if following == NEXT_FRAGMENT else (data[at + 1] + 1) * 8
        following, at = data[at], at + size
    net.form = "v2 over IPv6"
    return udp(data, at, net) if following == NEXT_UDP else None


def roce_v1(data, at):
    net = grh(data, at) if at < len(data) and data[at] >> 4 == 6 else None
    if net:
        net.form = "v1"
    return net


def infiniband(data, at):
    """A packet of an InfiniBand link: LRH, with or without GRH."""
    if at + 8 > len(data):
        return None
    lnh, dlid, slid = data[at + 1] & 3, u16(data, at + 2), u16(data, at + 6)
    end = at + (u16(data, at + 4) & 0x7ff) * 4
    if lnh == 2:
        net = Network(slid, dlid, 0, at + 8, end, at, [(at, 0xf0)])
    elif lnh == 3:
        net = grh(data, at + 8)
        if net is None:
            return None
        net.covered, net.end = at, end
        net.ones += [(at + i, 0xff) for i in range(8)]
    else:
        return None
    net.lids = slid, dlid
    return net


def network(data, at, ethertype):
    return {IPV4: ipv4, IPV6: ipv6, ROCE_V1: roce_v1}.get(ethertype, lambda *_: None)(data, at)


def ethernet(data, at):
    macs, at = (data[at + 6:at + 12], data[at:at + 6]), at + 12
    tag = u16(data, at + 2) if at + 4 <= len(data) and u16(data, at) in ETHERTYPES_VLAN else None
    while at + 2 <= len(data) and u16(data, at) in ETHERTYPES_VLAN:
        at += 4
    net = network(data, at + 2, u16(data, at)) if at + 2 <= len(data) else None
    if net and net.tag == UNSEEN:  # of a frame in a tunnel: its own
        net.tag, net.macs = tag, macs
    return net


def ip(data, at):
    return {4: ipv4, 6: ipv6}.get(data[at] >> 4, lambda *_: None)(data, at) if at < len(data) else None


def sll(data, at):
    return network(data, at + 16, u16(data, at + 14)) if at + 16 <= len(data) else None


def sll2(data, at):
    return network(data, at + 20, u16(data, at)) if at + 20 <= len(data) else None


def erf(data, at):
    """Endace's records: types of Ethernet have two bytes before the frame; 21 is InfiniBand."""
    kind, at = data[at + 8] if at + 16 <= len(data) else 0, at + 16
    more = kind
    while more & 0x80 and at + 8 <= len(data):
        more, at = data[at], at + 8
    if kind & 0x7f in (2, 11, 16, 20):
        return ethernet(data, at + 2)
    return infiniband(data, at) if kind & 0x7f == 21 else None


def loopback(data, at):
    """NULL and LOOP: four bytes of address family in either byte order."""
    return ip(data, at + 4)


def ppp(data, at):
    at += 2 if data[at:at + 2] == b"\xff\x03" else 0
    return ip(data, at + 2) if data[at:at + 2] in (b"\x00\x21", b"\x00\x57") else None


LINKS = {1: ethernet, 113: sll, 276: sll2, 101: ip, 228: ip, 229: ip, 247: infiniband, 197: erf,
         0: loopback, 108: loopback, 9: ppp}


def icrc(data, net):
    """The verdict on the ICRC at the end of @net: zlib's CRC-32 over all but what routers may change."""
    if net.end > len(data):  # cut by the capture, or before it: a tap may lower the record's length as well
        return UNVERIFIABLE
    covered = bytearray(data[net.covered:net.end - 4])
    for at, mask in net.ones:
        covered[at - net.covered] |= mask
    covered[net.at + 4 - net.covered] = 0xff
    seed = 0 if net.lids else zlib.crc32(b"\xff" * 8)  # RoCE: as if an LRH of ones was before it
    crc = zlib.crc32(covered, seed)
    return GOOD if crc == int.from_bytes(data[net.end - 4:net.end], "little") else BAD


def headers(data, packet, at, captured):
    """Bytes from the BTH to the payload; what is in them, as far as it is captured."""
    size = BTH
    if packet.service == UD:
        size += DETH
        if packet.dqpn == 1:
            packet.mad = data[at + size:min(captured, at + size + 256)]
    elif packet.opcode == OPCODE_CNP:
        size += CNP_RESERVED
    if packet.service not in OPCODES:
        return size
    if packet.service == XRC and packet.op in REQUESTS:
        size += XRCETH
    after, size = at + size, size + EXTENSION.get(packet.op, 0)
    if at + size <= captured:
        if packet.op in RESPONSES | {ACKNOWLEDGE} and packet.op != READ_MIDDLE:
            packet.syndrome = data[after]
        elif packet.op == READ_REQUEST:
            packet.length = u32(data, after + 12)
    return size


def transport(data, net, packet):
    """Reads the BTH and what follows into @packet. False: it is of no service that is looked at."""
    at, end = net.at, net.end
    if at + BTH > min(end, len(data)):
        return False
    packet.opcode = data[at]
    packet.service, packet.op = data[at] >> 5, data[at] & 0x1f
    packet.dqpn, packet.psn = u24(data, at + 5), u24(data, at + 9)
    packet.ackreq = data[at + 8] >> 7
    packet.fecn, packet.becn = bool(data[at + 4] >> 7), bool(data[at + 4] >> 6 & 1)
    packet.ecn = net.ecn == 3 or packet.fecn
    packet.syndrome = packet.length = packet.mad = None
    if packet.service not in (RC, UC, XRC, UD) and packet.opcode != OPCODE_CNP:
        return False
    if packet.service in OPCODES and packet.op not in OPCODES[packet.service]:
        packet.op = None  # reserved
    size = headers(data, packet, at, min(end, len(data)))
    packet.start = at + size
    rest = end - at - size
    packet.icrc = UNVERIFIABLE if net.fragment else ABSENT if rest < 4 else icrc(data, net)
    packet.payload = max(0, rest - (data[at + 1] >> 4 & 3) - (0 if net.more else 4))
    if packet.op == ATOMIC_WRITE and packet.service in OPCODES:
        packet.payload = 8
    return True


def parse(record):
    """The packet in @record, or None: not RDMA, a later fragment, or too short to say."""
    link = LINKS.get(record.link)
    net = link(record.data, 0) if link else None
    if net is None:
        return None
    packet = Packet()
    if not transport(record.data, net, packet):
        return None
    packet.frame, packet.time, packet.wire = record.number, record.time, max(record.length, len(record.data))
    packet.src, packet.dst, packet.lids, packet.port = net.src, net.dst, net.lids, net.port
    packet.dscp, packet.hops = net.dscp, net.hops
    packet.macs, packet.paused = net.macs, False
    packet.tag, packet.form = None if net.tag == UNSEEN else net.tag, net.form
    return packet
