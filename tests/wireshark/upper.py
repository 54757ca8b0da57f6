#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper.py PLUGIN MADE FRAMES: in take-over mode whatever was dissected above InfiniBand is dissected still.

Of the first FRAMES frames of every capture, the protocols above the built-in dissector are found above ours:
NFS over RDMA, IP over IPoIB, and, from packets made here, NVMe-oF, iSER and SMB Direct; those that
work with what the dissector below tells them say the same, field for field. Packet by packet: of messages
reassembled see whole.py. And the entries of
Wireshark's tables stay ours after its preferences change.
"""
import struct
import sys
import xml.etree.ElementTree as ElementTree

import pdml
import ws

ETHERNET = 1
# EoIB is of the built-in dissector's file, and takes payloads of no bytes for its own.
BUILTIN = {"infiniband", "infiniband_link", "infiniband.eoib", "ipoib", "ibwire"}
UPPER = {"rpcordma", "rpc", "nfs", "nvme-rdma", "iser", "iscsi", "smb_direct", "smb2"}
# What stands for "nobody knew it", and what only hands on to the type's dissector.
NOBODYS = {"data", "_ws.malformed", "_ws.short", "ethertype"}
# A raw header with nothing after it: the built-in dissector has IP read the VCRC.
EMPTY = {"raw-ib.pcap:1"}
# Messages of RDS look like RPC over RDMA; that they are not, the CM exchange says.
RDS = ("04-rds.pcap:", "streams-ulp019-rds")
# A Send of two segments, which the built-in dissector reassembles, and ours with ibwire.reassemble_kib 0 does not.
SEGMENTS = "lint-ulp-iwarp-send-"
MUST_SEE = {"nfs", "rpc", "rpcordma", "nvme-rdma", "iser", "iscsi", "smb_direct", "smb2", "arp",
            "ip", "ipv6"}
TAKEOVER = ["-o", "ibwire.mode:takeover", "-o", "ibwire.reassemble_kib:0"]
CLIENT, SERVER, CLIENT_QP, SERVER_QP = "\x0a\x07\x00\x01", "\x0a\x07\x00\x02", 0x11, 0x17


def rocev2(to_server, opcode, qpn, psn, behind_bth):
    """An Ethernet frame; its ICRC is zero, which no upper layer minds."""
    bth = struct.pack(">BBHII", opcode, 0x40, 0xffff, qpn, psn)
    udp_len = 8 + len(bth) + len(behind_bth) + 4
    src, dst = (CLIENT, SERVER) if to_server else (SERVER, CLIENT)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + udp_len, 1, 0x4000, 64, 17, 0)
    ip += src.encode("latin-1") + dst.encode("latin-1")
    udp = struct.pack(">HHHH", 49152, 4791, udp_len, 0)
    return bytes(12) + b"\x08\x00" + ip + udp + bth + behind_bth + bytes(4)


def cm(to_server, attribute, body):
    mad = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x1234, attribute, 0, 0)
    deth = struct.pack(">II", 0x80010000, 1)
    return rocev2(to_server, 0x64, 1, 0, deth + mad + body.ljust(232, b"\0"))


def cm_req(service_id, private):
    body = bytearray(232)
    struct.pack_into(">I", body, 0, 0xaaaa)           # local communication id
    struct.pack_into(">Q", body, 8, service_id)
    struct.pack_into(">I", body, 32, CLIENT_QP << 8)  # local QPN
    gid = bytes(10) + b"\xff\xff"
    body[56:72] = gid + CLIENT.encode("latin-1")
    body[72:88] = gid + SERVER.encode("latin-1")
    ip_cm = struct.pack(">BBH", 0, 0x40, 49152) + bytes(12) + CLIENT.encode("latin-1") + \
        bytes(12) + SERVER.encode("latin-1")
    body[140:140 + 36 + len(private)] = ip_cm + private
    return cm(True, 0x0010, bytes(body))


def cm_rep(private):
    body = bytearray(232)
    struct.pack_into(">II", body, 0, 0xbbbb, 0xaaaa)
    struct.pack_into(">I", body, 12, SERVER_QP << 8)
    body[36:36 + len(private)] = private
    return cm(False, 0x0013, bytes(body))


def connection(port, private, messages):
    """CM exchange for a TCP port of RDMA CM, and SENDs of (to the server, payload)."""
    frames = [cm_req(0x1060000 + port, private), cm_rep(private), cm(True, 0x0014, bytes(8))]
    return frames + [rocev2(to_server, 4, SERVER_QP if to_server else CLIENT_QP, 100 + i, payload)
                     for i, (to_server, payload) in enumerate(messages)]


def made_here():
    """{name: frames} of upper layers no capture is at hand of."""
    connect = bytes([0x7f, 0x40, 0, 0, 1]) + bytes(59)  # fabrics command, capsule of 64 bytes
    login = bytes([0x43, 0x87]) + bytes(46)             # iSCSI login request
    iser = bytes([0x10]) + bytes(27) + login
    negotiate = struct.pack("<HHHHIII", 0x100, 0x100, 0, 255, 1364, 8192, 1048576)
    smb2 = b"\xfeSMB" + struct.pack("<HHIHHIIQ", 64, 0, 0, 3, 1, 0, 0, 5) + bytes(32)  # an echo
    smb2 += struct.pack("<HH", 4, 0)
    parts = [struct.pack("<HHHHIIII", 1, 1, 0, 0, len(smb2) - at - len(part), 24, len(part), 0) +
             part for at, part in ((0, smb2[:40]), (40, smb2[40:]))]
    return {"nvme": connection(4420, struct.pack("<HHHHI", 0, 0, 32, 31, 0).ljust(32, b"\0"),
                               [(True, connect), (False, bytes(16))]),
            "iser": connection(3260, b"\x80\0\0\0", [(True, iser)]),
            "smb_direct": [rocev2(True, 4, SERVER_QP, 7 + i, payload)
                           for i, payload in enumerate([negotiate, *parts])]}


def protocols(tshark, capture, *options, infiniband="infiniband"):
    text = tshark.read(capture, *options, "-T", "fields", "-e", "frame.protocols",
                       infiniband=infiniband)
    return [line.split(":") for line in text.splitlines()]


def above(names):
    """Those after the last of InfiniBand itself; None: it is not in there."""
    last = max((i for i, name in enumerate(names) if name in BUILTIN), default=None)
    if last is None:
        return None
    # RPC over RDMA reads 16 bytes before it asks whether they are there, and is malformed then.
    return set() if names[last + 1:] == ["rpcordma"] else set(names[last + 1:]) - NOBODYS


def said(tshark, capture, *options, infiniband="infiniband"):
    """Of each frame what the upper layers say: which work with what the dissector below tells them."""
    texts = pdml.texts(tshark, capture, *options, layers=" ".join(sorted(UPPER)), infiniband=infiniband)
    for text in texts:
        yield [ElementTree.tostring(proto).strip() for proto in ElementTree.fromstring(text)
               if proto.get("name") in UPPER and len(proto) > 1]


def compare(tshark, capture, origin, seen):
    before = protocols(tshark, capture, "-o", "ibwire.mode:off")
    # What a user link type holds, the user says.
    after = protocols(tshark, capture, *TAKEOVER, infiniband="ibwire")
    for where, old, new in zip(origin, before, after, strict=True):
        want, have = above(old), above(new)
        # Of a frame without a byte Wireshark names no protocol, unless one of them threw.
        if want is None or new == [""]:
            continue
        seen |= want
        if "ibwire" not in new:
            yield f"{where}: {':'.join(new)} is not ours"
        elif want - have and where.split(" ")[0] not in EMPTY:
            yield f"{where}: {':'.join(old)} has become {':'.join(new)}"


def compare_said(tshark, capture, origin):
    before = said(tshark, capture, "-o", "ibwire.mode:off")
    after = said(tshark, capture, *TAKEOVER, infiniband="ibwire")
    for where, old, new in zip(origin, before, after, strict=True):
        lost = [text for text in old if text not in new]
        if lost and not where.startswith((*RDS, SEGMENTS)):
            yield f"{where}: {lost[0][:3000]} has become {[text[:3000] for text in new]}"


def ours(tshark, capture, *options):
    return any("ibwire" in names for names in protocols(tshark, capture, *options))


def tables(tshark, capture):
    """Who owns UDP port 4791 after what the user may do."""
    takeover = ["-o", "ibwire.mode:takeover"]
    for want, options in [
            (True, takeover),
            (False, []),
            (False, ["-o", "ibwire.mode:off"]),
            (True, [*takeover, "-o", "infiniband.try_heuristic_first:TRUE"]),
            (True, ["-o", "infiniband.try_heuristic_first:TRUE", *takeover])]:
        if ours(tshark, capture, *options) != want:
            yield f"{' '.join(options)}: port 4791 is {'not ' if want else ''}ours"


def main():
    tshark, faults, seen = ws.Tshark(sys.argv[1]), [], set()
    merged = ws.by_linktype(sys.argv[2], int(sys.argv[3]))
    faults += compare(tshark, tshark.write_all("all.pcapng", merged), ws.origins(merged), seen)
    faults += compare_said(tshark, tshark.dir / "all.pcapng", ws.origins(merged))
    # Connections of their own: between the same addresses, by the same QPs.
    for name, data in made_here().items():
        frames = [(i, 0, len(frame), frame) for i, frame in enumerate(data)]
        capture = tshark.write(f"{name}.pcap", ETHERNET, frames)
        origin = [f"{name}:{i + 1}" for i in range(len(data))]
        faults += [*compare(tshark, capture, origin, seen), *compare_said(tshark, capture, origin)]
    faults += tables(tshark, capture)
    faults += [f"no frame has {name}" for name in sorted(MUST_SEE - seen)]
    return ws.verdict(faults, f"{' '.join(sorted(seen))}")


if __name__ == "__main__":
    sys.exit(main())
