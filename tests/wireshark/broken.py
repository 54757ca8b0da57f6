# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""broken.py: packets the built-in dissector is known to get wrong, written byte by byte.

RoCE v2 over IPv4 with a right ICRC, made without the library under test.
"""
import struct
import zlib

GID_A, GID_B = (bytes.fromhex("fe80000000000000 00000000000000" + n) for n in ("0a", "0b"))


def icrc(ip, udp, rest):
    """Over the packet with the fields that routers change as ones: IBTA vol 1, A17.3.2."""
    ip, udp = bytearray(ip), bytearray(udp)
    ip[1] = ip[8] = ip[10] = ip[11] = udp[6] = udp[7] = 0xff
    rest = rest[:4] + b"\xff" + rest[5:]
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(ip) + bytes(udp) + rest))


def packet(opcode, headers, payload, pad=0, qpn=0x11, bth4=0):
    """An Ethernet frame."""
    rest = struct.pack(">BBHII", opcode, 0x40 | pad << 4, 0xffff, bth4 << 24 | qpn, 7)
    rest += headers + payload + bytes(pad)
    udp = struct.pack(">HHHH", 49152, 4791, 8 + len(rest) + 4, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 2, 20 + 8 + len(rest) + 4, 1, 0x4000, 64, 17, 0)
    ip += bytes((10, 7, 0, 1, 10, 7, 0, 2))
    total = sum(struct.unpack(">10H", ip))
    ip = ip[:10] + struct.pack(">H", ~(total + (total >> 16)) & 0xffff) + ip[12:]
    return bytes(12) + b"\x08\x00" + ip + udp + rest + icrc(ip, udp, rest)


def mad(mgmt_class, method, attribute, body, version=1, status=0, modifier=0, at=24, cut=256):
    """A MAD of 256 bytes with @body at byte @at."""
    smp = mgmt_class in (0x01, 0x81)
    header = struct.pack(">BBBBHHQHHI", 1, mgmt_class, version, method, status, 0, 0x1234,
                         attribute, 0, modifier)
    data = (header.ljust(at, b"\0") + body).ljust(256, b"\0")[:cut]
    qpn = 0 if smp else 1
    return packet(0x64, struct.pack(">II", 0 if smp else 0x80010000, qpn), data, qpn=qpn)


def smp(method, attribute, body, modifier=0):
    return mad(0x01, method, attribute, body, modifier=modifier, at=64)


def rmpp(kind, flags, data1, data2, resp_time=0, status=0):
    return struct.pack(">BBBBII", 1, kind, resp_time << 3 | flags, status, data1, data2)


def sa(method, attribute, record, mask=0, offset=0, header=bytes(12), status=0):
    body = header + struct.pack(">QHHQ", 0, offset, 0, mask) + record
    return mad(0x03, method, attribute, body, version=2, status=status)


def cm(attribute, *fields):
    """CM message: (offset, bytes) each."""
    body = bytearray(232)
    for at, data in fields:
        body[at:at + len(data)] = data
    return mad(0x07, 0x03, attribute, bytes(body), version=2)


def notice(trap, details, issuer=GID_A):
    """Generic, type 4 (info), producer 1 (CA)."""
    return struct.pack(">BBHHHH", 0x84, 0, 1, trap, 4, 0) + details.ljust(54, b"\0") + issuer


def path_record():
    record = bytearray(64)
    record[0:8] = bytes.fromhex("1000000000001122")  # ServiceID
    record[8:24], record[24:40] = GID_B, GID_A
    record[40:44] = struct.pack(">HH", 5, 4)
    record[48:54] = struct.pack(">BBHH", 0, 0x81, 0xffff, 0x0123)  # NumbPath, P_Key, QoSClass, SL
    record[54:57] = bytes((0x84, 0x83, 0x92))
    return bytes(record)


def port_info():
    info = bytearray(64)
    info[60:64] = bytes((0x00, 0x02, 0x31, 0x03))  # CapabilityMask2, extended speeds
    return bytes(info)


def service_record():
    return struct.pack(">Q", 0x1122) + GID_A + struct.pack(">HHI", 0xffff, 0, 60) + bytes(16) + \
        b"storage".ljust(64, b"\0") + bytes(64)


# name: the frame
FRAMES = {
    "becn": packet(0x04, b"", bytes(64), bth4=0x40),
    "pad": packet(0x04, b"", bytes(range(65)), pad=3),
    "imm": packet(0x03, struct.pack(">I", 0xabcd1234), bytes(32)),
    "ieth": packet(0x16, struct.pack(">I", 0x5678), bytes(32)),
    "short-send": packet(0x04, b"", bytes(12)),
    "rnr": packet(0x11, struct.pack(">I", 0x2e << 24 | 5), b""),
    "credits": packet(0x11, struct.pack(">I", 0x0a << 24 | 5), b""),
    "opcode": packet(0x1e, b"", bytes(8)),
    "atomic": packet(0x14, struct.pack(">QIQQ", 0x7f0000001000, 0x42, 1, 0), b""),
    "mad-class": mad(0x5f, 0x01, 0x11, b""),
    "mad-method": smp(0x7e, 0x11, b""),
    "short-mad": mad(0x03, 0x01, 0x35, bytes(100), cut=124),
    "mad-status": mad(0x04, 0x81, 0x12, b"", status=0x000c),
    "dr-d-bit": mad(0x81, 0x81, 0x11, b"", status=0x8000, at=64),
    "sm-unknown": smp(0x01, 0x0099, b""),
    "port-info": smp(0x81, 0x15, port_info()),
    "sl-to-vl": smp(0x81, 0x17, bytes(range(0x01, 0x81, 0x11))),
    "pkey-table": smp(0x81, 0x16, struct.pack(">32H", *range(0x8001, 0x8021))),
    "lft": smp(0x81, 0x19, bytes(range(64)), modifier=2),
    "mft": smp(0x81, 0x1b, struct.pack(">32H", *range(32)), modifier=1 << 28 | 1 << 12 | 3),
    # The last LIDs there are: blocks above 255, which are not 8 bits, and the last ports.
    "lft-last": smp(0x81, 0x19, bytes(range(64)), modifier=767),
    "mft-256": smp(0x81, 0x1b, struct.pack(">32H", *range(32)), modifier=256),
    "mft-last": smp(0x81, 0x1b, struct.pack(">32H", *range(32)), modifier=15 << 28 | 511),
    "trap-259": smp(0x05, 0x02, notice(259, struct.pack(">HHH", 4, 0, 0xffff))),
    "issuer": sa(0x06, 0x02, notice(64, bytes(6) + GID_B)),
    "path": sa(0x12, 0x35, path_record(), mask=0x100c, offset=8, header=rmpp(1, 7, 1, 84)),
    "multipath": sa(0x14, 0x3a, bytes(15) + bytes((1, 1)) + bytes(7) + GID_A + GID_B,
                    header=rmpp(1, 7, 1, 20 + 56)),
    "table": sa(0x92, 0x35, 3 * path_record()[:64], offset=8, header=rmpp(1, 7, 1, 20 + 3 * 64)),
    "node-record": sa(0x81, 0x11, struct.pack(">HH", 5, 0) + bytes(40) + b"a node"),
    "mcmember": sa(0x01, 0x38, GID_A + GID_B + bytes(16) + bytes((0x05,))),
    "service": sa(0x81, 0x31, service_record()),
    "hierarchy-rec": sa(0x81, 0x3c, bytes(72)),
    "lft-rec": sa(0x92, 0x15, struct.pack(">HHI", 5, 7, 0) + bytes(range(64)), offset=9,
                  header=rmpp(1, 7, 1, 20 + 72)),
    "mft-rec": sa(0x92, 0x17, struct.pack(">HHI", 5, 2 << 12 | 4, 0) + bytes(range(64)), offset=9,
                  header=rmpp(1, 7, 1, 20 + 72)),
    "lft-rec-last": sa(0x92, 0x15, struct.pack(">HHI", 5, 767, 0) + bytes(range(64)), offset=9,
                       header=rmpp(1, 7, 1, 20 + 72)),
    "mft-rec-last": sa(0x92, 0x17, struct.pack(">HHI", 5, 15 << 12 | 511, 0) + bytes(range(64)), offset=9,
                       header=rmpp(1, 7, 1, 20 + 72)),
    "rmpp-ack": sa(0x92, 0x11, b"", header=rmpp(2, 1, 3, 64)),
    "rmpp-ack-other": sa(0x92, 0x0099, bytes(range(64)), header=rmpp(2, 1, 3, 64)),
    "rmpp-resp-time": sa(0x92, 0x11, bytes(108), offset=14,
                         header=rmpp(1, 3, 1, 148, resp_time=0x1f)),
    "xmit-wait": mad(0x04, 0x81, 0x12, bytes(40) + struct.pack(">I", 0x1234567), at=64),
    "perf-other": mad(0x04, 0x01, 0x15, b"", at=64),
    "cm-get": mad(0x07, 0x01, 0x01, b"", version=2),
    "vendor-send": mad(0x32, 0x03, 0x10, b""),
    "vendor": mad(0x32, 0x01, 0x10, bytes(12) + bytes((0, 0, 0x14, 0x05))),
    "congestion": mad(0x21, 0x01, 0x11, b"", version=2),
    "devmgt": mad(0x06, 0x01, 0x11, b""),
    "req-flow-label": cm(0x10, (8, struct.pack(">Q", 0x1061144)), (88, b"\xab\xcd\xe0\x0f")),
    "req-service-id": cm(0x10, (8, struct.pack(">Q", 0x10000000deadbeef))),
    "req-alternate": cm(0x10, (8, struct.pack(">Q", 0x1061144)), (96, struct.pack(">HH", 3, 4)),
                        (100, GID_A + GID_B)),
    "rej-reason": cm(0x12, (8, bytes((0x40, 0x00, 0x00, 0x1c)))),
    "mra": cm(0x11, (0, struct.pack(">II", 0xaaaa, 0xbbbb)), (8, bytes((0x40, 0x90)))),
    "sidr-req": cm(0x17, (0, struct.pack(">IHHQ", 0xaaaa, 0xffff, 0, 0x1111234))),
    "sidr-rep": cm(0x18, (0, struct.pack(">IIIQI", 0xaaaa, 0, 0x123 << 8, 0x1111234, 0x01234567))),
    "lap": cm(0x19, (0, struct.pack(">II", 0xaaaa, 0xbbbb))),
    "apr": cm(0x1a, (0, struct.pack(">IIBB", 0xaaaa, 0xbbbb, 0, 3))),
    "sap": cm(0x1b, (0, struct.pack(">II", 0xaaaa, 0xbbbb))),
}


def capture(tshark):
    """Of all of them, in their order."""
    rows = [(i, 0, len(frame), frame) for i, frame in enumerate(FRAMES.values())]
    return tshark.write("broken.pcap", 1, rows)
