#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""peers.py PLUGIN: from which queue pair a packet comes whose CM messages went by other addresses.

A REQ names the LIDs and the GIDs of the connection it asks for (IBTA vol 1, 12.6.5), which need not be those
of the ports the managers talk over, and both queue pairs of a connection may be of any number. Written byte
by byte, with right CRCs.
"""
import ipaddress
import struct
import sys
import zlib

import ws
import icrc  # by way of ws

ETHERNET = 1
RC_SEND_ONLY, UC_SEND_ONLY, UD_SEND_ONLY = 0x04, 0x24, 0x64
REQ, REP = 0x10, 0x13
GSI_QKEY = 0x80010000


def gid(text):
    return ipaddress.IPv6Address(text).packed


def bth(opcode, qpn):
    return struct.pack(">BBHII", opcode, 0x40, 0xffff, qpn, 7)


def ib(src, dst, opcode, qpn, after, gids=None):
    """A packet of link type 247 between LIDs; @gids: with a GRH between these, too."""
    rest = bth(opcode, qpn) + after
    grh = b""
    if gids:
        grh = struct.pack(">IHBB", 6 << 28, len(rest) + 4, 27, 64) + gids[0] + gids[1]
    words = (8 + len(grh) + len(rest) + 4) // 4
    lrh = struct.pack(">BBHHH", 0, 3 if gids else 2, dst, words, src)
    masked = icrc.ones(lrh, (0, 0xf0))
    if gids:  # routers change the LRH
        masked = b"\xff" * 8 + icrc.ones(grh, (0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff))
    packet = lrh + grh + rest
    packet += struct.pack("<I", zlib.crc32(masked + icrc.ones(rest, (4, 0xff))))
    return packet + icrc.crc16(packet)


def roce(src, dst, opcode, qpn, after):
    """A frame of Ethernet with RoCE v2 between IPv4 addresses."""
    rest = bth(opcode, qpn) + after
    udp = struct.pack(">HHHH", 49152, 4791, 8 + len(rest) + 4, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 2, 20 + 8 + len(rest) + 4, 1, 0x4000, 64, 17, 0)
    ip += ipaddress.IPv4Address(src).packed + ipaddress.IPv4Address(dst).packed
    total = sum(struct.unpack(">10H", ip))
    ip = ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xffff) + ip[12:]
    masked = icrc.ones(ip, (1, 255), (8, 255), (10, 255), (11, 255)) + icrc.ones(udp, (6, 255), (7, 255))
    crc = zlib.crc32(b"\xff" * 8 + masked + icrc.ones(rest, (4, 0xff)))
    return bytes(12) + b"\x08\x00" + ip + udp + rest + struct.pack("<I", crc)


def mad(attribute, *fields):
    """What follows the BTH of a CM message on QP 1; in it (offset, bytes) each, the rest counted through."""
    body = bytearray(range(1, 233))
    for at, data in fields:
        body[at:at + len(data)] = data
    header = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x1234, attribute, 0, 0)
    return struct.pack(">II", GSI_QKEY, 1) + header + bytes(body)


def request(comm_id, qpn, lids, gids, other_lids=(0x71, 0x72), other_gids=("fe80::71", "fe80::72")):
    """A REQ from QP @qpn: primary path, then the alternate one."""
    return mad(REQ, (0, struct.pack(">I", comm_id)), (8, struct.pack(">Q", 0x1060000 + 4420)),
               (28, struct.pack(">I", 0x5a5a5a)), (32, qpn.to_bytes(3, "big")),
               (52, struct.pack(">HH", *lids)), (56, gid(gids[0]) + gid(gids[1])),
               (96, struct.pack(">HH", *other_lids)), (100, gid(other_gids[0]) + gid(other_gids[1])))


def reply(comm_id, remote_comm_id, qpn):
    return mad(REP, (0, struct.pack(">II", comm_id, remote_comm_id)), (12, qpn.to_bytes(3, "big")))


def of_ib():
    """[(packet, the QP it comes from and the frame that told, or None)]: managers on LIDs 1 and 2."""
    gids = "fe80::31", "fe80::32"
    a, b = map(gid, gids)
    yield ib(1, 2, UD_SEND_ONLY, 1, request(0xaaaa, 0x111, (0x31, 0x32), gids)), None
    yield ib(0x31, 0x32, RC_SEND_ONLY, 0x222, bytes(16)), None
    # An answer to a REQ that was not captured, and one from somebody else, tell nothing.
    yield ib(2, 1, UD_SEND_ONLY, 1, reply(0xbbbb, 0xaaab, 0x223)), None
    yield ib(9, 1, UD_SEND_ONLY, 1, reply(0xbbbb, 0xaaaa, 0x224)), None
    yield ib(2, 1, UD_SEND_ONLY, 1, reply(0xbbbb, 0xaaaa, 0x222)), None
    yield ib(0x31, 0x32, RC_SEND_ONLY, 0x222, bytes(16)), (0x111, 5)
    yield ib(0x32, 0x31, RC_SEND_ONLY, 0x111, bytes(16)), (0x222, 5)
    yield ib(0x31, 0x32, UC_SEND_ONLY, 0x222, bytes(16)), (0x111, 5)
    # By the managers' ports, and by GIDs, whatever the LIDs.
    yield ib(1, 2, RC_SEND_ONLY, 0x222, bytes(16)), (0x111, 5)
    yield ib(2, 1, RC_SEND_ONLY, 0x111, bytes(16)), (0x222, 5)
    yield ib(0x41, 0x42, RC_SEND_ONLY, 0x222, bytes(16), (a, b)), (0x111, 5)
    yield ib(0x42, 0x41, RC_SEND_ONLY, 0x111, bytes(16), (b, a)), (0x222, 5)
    # Not of the connection: another QP, another port at either end, turned around.
    yield ib(0x31, 0x32, RC_SEND_ONLY, 0x223, bytes(16)), None
    yield ib(0x31, 0x32, RC_SEND_ONLY, 0x224, bytes(16)), None
    yield ib(0x31, 0x33, RC_SEND_ONLY, 0x222, bytes(16)), None
    yield ib(0x33, 0x32, RC_SEND_ONLY, 0x222, bytes(16)), None
    yield ib(0x32, 0x31, RC_SEND_ONLY, 0x222, bytes(16)), None
    yield ib(0x31, 0x32, RC_SEND_ONLY, 0x222, bytes(16), (b, a)), None


# Frame 2 comes before the REP that tells, which is known when every frame was seen.
LATER = {2: 0x111}


def of_roce(first):
    """The same of managers on 10.7.0.1 and .2, the packets of the connection on 10.8.0.1 and .2."""
    gids = "::ffff:10.8.0.1", "::ffff:10.8.0.2"
    yield roce("10.7.0.1", "10.7.0.2", UD_SEND_ONLY, 1, request(0xcccc, 0x333, (0, 0), gids)), None
    yield roce("10.7.0.2", "10.7.0.1", UD_SEND_ONLY, 1, reply(0xdddd, 0xcccc, 0x444)), None
    yield roce("10.8.0.1", "10.8.0.2", RC_SEND_ONLY, 0x444, bytes(16)), (0x333, first + 1)
    yield roce("10.8.0.2", "10.8.0.1", RC_SEND_ONLY, 0x333, bytes(16)), (0x444, first + 1)
    yield roce("10.7.0.1", "10.7.0.2", RC_SEND_ONLY, 0x444, bytes(16)), (0x333, first + 1)
    yield roce("10.7.0.2", "10.7.0.1", RC_SEND_ONLY, 0x333, bytes(16)), (0x444, first + 1)
    yield roce("10.8.0.1", "10.8.0.2", RC_SEND_ONLY, 0x333, bytes(16)), None
    yield roce("10.8.0.1", "10.8.0.3", RC_SEND_ONLY, 0x444, bytes(16)), None
    # The QPs again, in another connection of the same ports: from then on.
    yield roce("10.7.0.1", "10.7.0.2", UD_SEND_ONLY, 1, request(0xeeee, 0x335, (0, 0), gids)), None
    yield roce("10.8.0.1", "10.8.0.2", RC_SEND_ONLY, 0x444, bytes(16)), (0x333, first + 1)
    yield roce("10.7.0.2", "10.7.0.1", UD_SEND_ONLY, 1, reply(0xffff, 0xeeee, 0x444)), None
    yield roce("10.8.0.1", "10.8.0.2", RC_SEND_ONLY, 0x444, bytes(16)), (0x335, first + 10)
    yield roce("10.8.0.2", "10.8.0.1", RC_SEND_ONLY, 0x335, bytes(16)), (0x444, first + 10)


def main():
    tshark = ws.Tshark(sys.argv[1])
    native = list(of_ib())
    ethernet = list(of_roce(len(native) + 1))
    merged = {linktype: ([(i, 0, len(data), data) for i, (data, _) in enumerate(rows)], [])
              for linktype, rows in ((ws.INFINIBAND, native), (ETHERNET, ethernet))}
    capture = tshark.write_all("peers.pcapng", merged)
    want = [f"0x{said[0]:06x}\t{said[1]}" if said else "\t" for _, said in native + ethernet]
    faults = []
    after = [f"0x{LATER[i]:06x}\t" if i in LATER else row for i, row in enumerate(want, 1)]
    for options, rows in (([], want), (["-2"], after), (["-o", "ibwire.mode:takeover"], want)):
        for infiniband in ("ibwire", "infiniband"):
            text = tshark.read(capture, "-T", "fields", "-e", "ibwire.conv.sqpn", "-e", "ibwire.conv.setup",
                               *options, infiniband=infiniband)
            have = text.splitlines()
            faults += [f"{options} {infiniband}: frame {i}: source QP and REP are {h!r}, not {w!r}"
                       for i, (h, w) in enumerate(zip(have, rows, strict=True), 1) if h != w]
        bad = tshark.read(capture, *options, "-Y", "ibwire.icrc.status != 1 || ibwire.vcrc.status == 0")
        faults += [f"{options}: bad CRC: {line}" for line in bad.splitlines()]
    return ws.verdict(faults, f"{len(want)} packets")


if __name__ == "__main__":
    sys.exit(main())
