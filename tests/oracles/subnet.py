# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Who is a member of which multicast group, and which IPoIB neighbours are resolved, from the bytes alone.

Written from the definitions in the man page (OBJECTS OF --STATS) and from the specifications; imports the other
oracles only. What the definitions leave open:

S1  A MAD is UD to QP 0 or 1, or from QP 0 or 1 with 256 bytes and base version 1.
S2  A request of the SA is known by both ends (GIDs of a GRH or of RoCE, else LIDs) and transaction id; the answer
    with the ends changed and the same id ends it. A later request with the same key takes its place.
S3  A join counts if its answer has status 0 and one record: MGID, PortGID and JoinState are those of the answer, and
    the JoinState asked for is set, too. A leave takes the bits that it asked for; all
    of them, if its answer has JoinState 0.
S4  Reports of IGMP and MLD: a record with mode EXCLUDE, or INCLUDE of a source, joins; INCLUDE of none leaves.
    MLD from the address :: does not count. Local groups (224.0.0.0/24, ff_1::, ff_2::) are not looked at.
S5  Neighbours are pairs of GID and LID of who asks. An answer to a multicast LID is none.
S6  A packet comes from a neighbour if its LIDs and source QP are those of an answer, or else its LIDs and source address.
S7  A REQ of the RDMA CM is for the neighbour with its primary remote GID; REP and REJ belong to it by its communication ID.
"""

import capture
import packet

SA, CM, MCMEMBER, PATH = 3, 7, 0x38, 0x35
GET, SET, GET_TABLE, DELETE = 1, 2, 0x12, 0x15
MULTICAST_LID = 0xc000
PORT_SPACES = (0x0001, 0x0002, 0x0106, 0x0111, 0x013f)  # of the RDMA CM
RECORDS = {MCMEMBER: 52, PATH: 64}
ETHERTYPE_ARP = 0x0806
MAPPED = bytes(10) + b"\xff\xff"


class Datagram:
    """A UD packet without bit errors."""

    def __init__(self, record, net):
        data, at = record.data, net.at
        end = min(net.end - 4, len(data))
        self.frame, self.lids = record.number, net.lids
        self.ends = net.src, net.dst
        self.group = net.dst if isinstance(net.dst, bytes) else None
        self.dqpn, self.sqpn = packet.u24(data, at + 5), packet.u24(data, at + 17)
        extra = 4 if data[at] == 0x65 else 0
        pad = data[at + 1] >> 4 & 3
        start = at + 20 + extra
        self.body = data[start:min(end, net.end - 4 - pad)]
        self.length = net.end - 4 - pad - start


def datagram(record):
    link = packet.LINKS.get(record.link)
    net = link(record.data, 0) if link else None
    if net is None or net.at + 20 > min(net.end, len(record.data)) or record.data[net.at] not in (0x64, 0x65):
        return None
    one = packet.Packet()
    if not packet.transport(record.data, net, one) or one.icrc == packet.BAD:
        return None
    return Datagram(record, net)


def is_mad(d):
    return d.dqpn <= 1 or (d.sqpn <= 1 and d.length == 256 and len(d.body) == 256 and d.body[0] == 1)


def records(mad):
    """The records of an SA MAD that is not one of several segments."""
    size = RECORDS[packet.u16(mad, 16)]
    response, method = mad[3] >> 7, mad[3] & 0x7f
    if not (response and method == GET_TABLE):
        return [mad[56:56 + size]] if len(mad) >= 56 + size else []
    kind, flags, stride = mad[25], mad[26] & 7, packet.u16(mad, 44) * 8
    if not flags & 1:
        return []
    if kind != 1 or flags & 6 != 6:
        return []
    length = min(packet.u32(mad, 32) - 20, len(mad) - 56)
    if not stride:
        stride = length if size <= length < 2 * size else size
    return [mad[at:at + size] for at in range(56, 56 + length - size + 1, stride)] if stride >= size else []


class Groups:
    """Members by group."""

    def __init__(self):
        self.asked, self.state = {}, {}

    def mad(self, d, mad):
        response, method, status = mad[3] >> 7, mad[3] & 0x7f, packet.u16(mad, 4)
        tid = mad[8:16]
        found = records(mad)
        if not response:
            if found and method in (SET, DELETE):
                self.asked[d.ends, tid] = method, found[0][48] & 15
            return
        query = self.asked.pop((d.ends[::-1], tid), None)
        if query is None or status or len(found) != 1:
            return
        key = found[0][:16], found[0][16:32]
        state, _ = self.state.get(key, (0, 0))
        if query[0] == SET:
            state |= query[1] | found[0][48] & 15
        else:
            state &= ~query[1] if found[0][48] & 15 else 0
        self.state[key] = state, d.frame

    def host(self, group, host, joins, frame):
        key = address(group), address(host)
        if joins or key in self.state:
            self.state[key] = int(joins), frame

    def reports(self, frame, host, message, size):
        """The records of IGMPv3 and MLDv2."""
        count, at = packet.u16(message, 6), 8
        for _ in range(count):
            if at + 4 + size > len(message):
                return
            kind, more, sources = message[at], message[at + 1], packet.u16(message, at + 2)
            group = message[at + 4:at + 4 + size]
            if kind in (2, 4) or (kind in (1, 3, 5) and sources):
                self.host(group, host, True, frame)
            elif kind in (1, 3):
                self.host(group, host, False, frame)
            at += 4 + size * (1 + sources) + 4 * more

    def igmp(self, frame, host, message):
        if message[0] in (0x12, 0x16, 0x17):
            self.host(message[4:8], host, message[0] != 0x17, frame)
        elif message[0] == 0x22:
            self.reports(frame, host, message, 4)

    def mld(self, frame, host, message):
        if host == bytes(16):
            return
        if message[0] in (131, 132) and len(message) >= 24:
            self.host(message[8:24], host, message[0] == 131, frame)
        elif message[0] == 143:
            self.reports(frame, host, message, 16)

    def members(self):
        """{MGID: [[address, JoinState, frame]]} of groups with members."""
        found = {}
        for (mgid, port), (state, frame) in sorted(self.state.items()):
            if state and not local(mgid):
                found.setdefault(packet.address_text(mgid), []).append([packet.address_text(port), state, frame])
        return found


def address(data):
    return bytes(data) if len(data) == 16 else MAPPED + bytes(data)


def local(group):
    """Of IGMP and MLD: the SA's have a signature, or flags, in byte 1 and a P_Key."""
    if group[:12] == MAPPED:
        return group[12:15] == b"\xe0\0\0"
    return group[0] == 0xff and group[1] >> 4 == 0 and group[1] & 15 <= 2


class Neighbours:
    """From ARP or neighbor discovery to the first packet."""

    def __init__(self):
        self.asked, self.rows, self.by_qp, self.by_address, self.reqs = {}, {}, {}, {}, {}

    def ask(self, frame, sender, target):
        self.asked[sender, target] = frame

    def answer(self, d, sender, target, hardware):
        lid = d.lids[1]
        if lid >= MULTICAST_LID:
            return
        key = hardware[4:20], lid
        qpn = packet.u24(hardware, 1)
        self.by_qp[lid, d.lids[0], qpn] = key
        self.by_address[lid, d.lids[0], address(target)] = key
        if key in self.rows:
            row = self.rows[key]
            row["qpn_changes"] += row["qpn"] != qpn
            row["qpn"] = qpn
            return
        self.rows[key] = {"address": packet.address_text(target), "lid": lid, "gid": packet.address_text(key[0]),
                          "qpn": qpn, "qpn_changes": 0, "asked": self.asked.get((sender, target)),
                          "answered": d.frame, "query": None, "path": None, "refused": None, "data": None, "back": None,
                          "rdma_req": None, "rdma_rep": None, "rdma_rej": None}

    def path(self, d, mad):
        found = records(mad)
        if not found:
            return
        response, status = mad[3] >> 7, packet.u16(mad, 4)
        row = self.rows.get((found[0][8:24], d.lids[response]))
        if row is None:
            return
        if not response:
            row["query"] = row["query"] or d.frame
        elif row["query"] and not row["path"]:
            row["refused" if status else "path"] = d.frame

    def cm(self, d, mad):
        """REQ, REP and REJ."""
        attribute, body = packet.u16(mad, 16), mad[24:]
        if attribute == 0x10 and len(body) >= 140:
            row = self.rows.get((bytes(body[72:88]), d.lids[0]))
            if row and packet.u16(body, 8) == packet.u16(body, 10) == 0 and packet.u16(body, 12) in PORT_SPACES:
                row["rdma_req"] = row["rdma_req"] or d.frame
                self.reqs[d.lids, bytes(body[:4])] = row
        elif attribute in (0x12, 0x13) and len(body) >= 8:
            row = self.reqs.get((d.lids[::-1], bytes(body[4:8])))
            if row and attribute == 0x13:
                row["rdma_rep"] = row["rdma_rep"] or d.frame
            elif row:
                row["rdma_rej"] = d.frame

    def arp(self, d, body):
        if len(body) < 56 or body[:6] != b"\x00\x20\x08\x00\x14\x04":
            return
        kind = packet.u16(body, 6)
        spa, tpa = address(body[28:32]), address(body[52:56])
        if kind == 1:
            self.ask(d.frame, spa, tpa)
        elif kind == 2:
            self.answer(d, tpa, spa, body[8:28])

    def discovery(self, d, body):
        if len(body) < 64 or body[6] != 58 or body[40] not in (135, 136):
            return
        target, at, hardware = body[48:64], 64, None
        while at + 8 <= len(body) and body[at + 1]:
            if body[at] == 2 and body[at + 1] == 3 and at + 24 <= len(body):
                hardware = body[at + 4:at + 24]
            at += body[at + 1] * 8
        if body[40] == 135:
            self.ask(d.frame, bytes(body[8:24]), bytes(target))
        elif hardware:
            self.answer(d, bytes(body[24:40]), bytes(target), hardware)

    def ipoib(self, d):
        kind, body = packet.u16(d.body, 0), d.body[4:]
        if kind == ETHERTYPE_ARP:
            self.arp(d, body)
        elif kind == packet.IPV6:
            self.discovery(d, body)
        if d.dqpn != 0xffffff:
            row = self.rows.get(self.by_qp.get((d.lids[0], d.lids[1], d.dqpn)))
            if row:
                row["data"] = row["data"] or d.frame
            self.back(d, kind, body)

    def back(self, d, kind, body):
        ends, source = (d.lids[1], d.lids[0]), None
        if kind == packet.IPV4 and len(body) >= 20:
            source = address(body[12:16])
        elif kind == packet.IPV6 and len(body) >= 40:
            source = bytes(body[8:24])
        row = self.rows.get(self.by_qp.get((*ends, d.sqpn)) or self.by_address.get((*ends, source)))
        if row and row["data"]:
            row["back"] = row["back"] or d.frame

    def listed(self):
        for row in self.rows.values():
            row["state"] = state(row)
        return list(self.rows.values())


def state(row):
    if row["back"] or row["rdma_rep"]:
        return "works"
    for key, words in (("rdma_rej", "REQ rejected"), ("data", "no data back"), ("rdma_req", "REQ not answered"),
                       ("path", "no data"), ("refused", "path refused"), ("query", "no path")):
        if row[key]:
            return words
    return "no query"


def is_ipoib(d):
    """By what it looks like, or by the group that it goes to."""
    if d.lids is None or d.dqpn <= 1 or len(d.body) < 4:
        return False
    if d.group and d.group[0] == 0xff and d.group[2:4] in (b"\x40\x1b", b"\x60\x1b"):
        return True
    kind, body = packet.u16(d.body, 0), d.body[4:]
    if d.body[2:4] != b"\0\0":
        return False
    return (kind in (ETHERTYPE_ARP, 0x8035) and len(body) >= 8 and body[:2] == b"\x00\x20") \
        or (kind == packet.IPV4 and len(body) >= 20 and body[0] >> 4 == 4 and body[0] & 15 >= 5) \
        or (kind == packet.IPV6 and len(body) >= 40 and body[0] >> 4 == 6)


def report(record, groups):
    """IGMP and MLD of an Ethernet frame, or of Linux cooked capture."""
    data = record.data
    at = {1: 12, 113: 14, 276: 0}.get(record.link)
    if at is None:
        return
    while record.link == 1 and at + 2 <= len(data) and packet.u16(data, at) in packet.ETHERTYPES_VLAN:
        at += 4
    kind = packet.u16(data, at) if at + 2 <= len(data) else 0
    at = at + 20 if record.link == 276 else at + 2
    if kind == packet.IPV4 and at + 20 <= len(data) and data[at + 9] == 2 and not packet.u16(data, at + 6) & 0x3fff:
        message = data[at + (data[at] & 15) * 4:at + packet.u16(data, at + 2)]
        if len(message) >= 8:
            groups.igmp(record.number, data[at + 12:at + 16], message)
    elif kind == packet.IPV6 and at + 48 <= len(data):
        following, start, end = data[at + 6], at + 40, at + 40 + packet.u16(data, at + 4)
        if following == 0 and start + 8 <= len(data):
            following, start = data[start], start + (data[start + 1] + 1) * 8
        message = data[start:end]
        if following == 58 and len(message) >= 8:
            groups.mld(record.number, bytes(data[at + 8:at + 24]), message)


def subnet(path):
    """({MGID: members}, [neighbour]) at the end of a capture."""
    groups, neighbours = Groups(), Neighbours()
    for record in capture.records(path):
        d = datagram(record)
        if d is None:
            report(record, groups)
        elif is_mad(d):
            if len(d.body) >= 56 and d.body[1] == SA and packet.u16(d.body, 16) in RECORDS:
                if packet.u16(d.body, 16) == MCMEMBER:
                    groups.mad(d, d.body)
                elif d.lids:
                    neighbours.path(d, d.body)
            elif d.lids and len(d.body) >= 56 and d.body[1] == CM:
                neighbours.cm(d, d.body)
        elif is_ipoib(d):
            neighbours.ipoib(d)
    return groups.members(), neighbours.listed()
