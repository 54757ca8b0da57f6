#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Seeds of the fuzz targets: seeds.py OUT DICTIONARY CAPTURES...

OUT/TARGET/CASE is written anew, from the captures in the directories CAPTURES, from the dictionary that
fuzz-dict prints, and, where neither says enough, from what is here. Each is named by what it is: a
file and a frame, a header, an option."""
import bz2
import gzip
import lzma
import pathlib
import re
import shutil
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests/pcap-lint"), str(ROOT / "tests/lib"), str(ROOT / "tests/codec")]
import pcapng_parts as pcapng  # noqa: E402
import tunnels  # noqa: E402: the forms in which a packet is wrapped
import ulp_messages  # noqa: E402

PER_FILE = 24  # packets that differ: the rest of a capture repeats them
PACKET = 600  # bytes
SMALL = 4000  # bytes of a capture, of a list of packets
LONG = 12000  # bytes of a list of packets that are of messages of several
LARGE = 128000  # bytes of a capture
WORDS = ("", "CRC", "CRC001", "crc1", "icrc-bad", "icrc-bda", "udp", "udp port 4791 and (", "auto", "0", "1", "-1", "1ms", "5parsecs",
         "all", "10.7.0.1", "qp 17", "99999999999999999999", "QPS,CRC", ",")
SPOILED = 96  # bytes of a packet that are headers
PATTERNS = {"zeros": bytes(600), "ones": b"\xff" * 600, "count": bytes(range(1, 251)) * 3}


def packets(path):
    """Link type, captured bytes and length of each packet of a pcap."""
    data = path.read_bytes()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">",
             b"\xa1\xb2\x3c\x4d": ">"}.get(data[:4])
    if len(data) < 24 or not order:
        return
    linktype, at = struct.unpack_from(order + "I", data, 20)[0] & 0xffff, 24
    while at + 16 <= len(data):
        caplen, length = struct.unpack_from(order + "II", data, at + 8)
        yield linktype, data[at + 16:at + 16 + caplen], length
        at += 16 + caplen


def different(path):
    """Number and packet of the first PER_FILE that are not of the length and the first bytes of one before."""
    seen = set()
    for number, packet in enumerate(packets(path), 1):
        linktype, data, _ = packet
        # Up to the opcode: after Ethernet, IPv4 and UDP; after LRH.
        key = len(data), data[:1], data[8:9], data[12:14], data[42:43], data[62:65], data[20:24]
        if key not in seen and len(seen) < PER_FILE:
            seen.add(key)
            yield number, packet


def lost(data, length):
    return max(0, min(length - len(data), 255))


def alone(linktype, data, length):
    """A packet as walk.c reads it."""
    return struct.pack(">HB", linktype, lost(data, length)) + data[:PACKET]


def listed(linktype, data, length):
    """A packet as packets.h reads it, a microsecond after the one before, its ICRC made right."""
    return struct.pack(">HBBBH", linktype, 1, lost(data, length), 10, len(data)) + data


def conversation(path, room=SMALL):
    """What streams.c, packets.c and, after four bytes, epan.c read: as many packets as there is room for."""
    out = b""
    for packet in packets(path):
        if len(out) + len(packet[1]) > room:
            break
        out += listed(*packet)
    return out


# How epan.c reads packets (session.h): next to the built-in dissector and in its place; with little memory, and all that it can say; all
# that is known as one upper layer.
READ_BY = {"next": (0x00, 0, 0, 0), "over": (0x81, 0, 0, 0), "next-little": (0x32, 1, 1, 0), "over-little": (0xe1, 2, 1, 0),
           "over-nvme": (0x83, 8, 0, 0x13), "over-rpc": (0xa1, 0, 0, 0x23), "over-smb": (0xc5, 0, 0xff, 0x31), "next-none": (0x5e, 0xff, 2, 0)}
UPPER = ("next", "over", "over-little", "over-nvme", "over-rpc", "over-smb")  # of captures with upper layers


def compressed(data):
    yield "gz", gzip.compress(data, mtime=0)
    yield "bz2", bz2.compress(data)
    yield "xz", lzma.compress(data)


def mads(attributes):
    """Every attribute of every class, asked for and answered, as walk.c reads them: LRH, BTH, DETH, MAD."""
    for mgmt_class, version, attribute in attributes:
        qpn = 0 if mgmt_class in (0x01, 0x81) else 1
        for method in (0x01, 0x81, 0x12, 0x92) if mgmt_class == 0x03 else (0x01, 0x03, 0x81):
            mad = struct.pack(">BBBBHHQHHI", 1, mgmt_class, version, method, 0, 0, 7, attribute, 0,
                              1) + PATTERNS["count"][:232]
            packet = struct.pack(">BBHHH", 0 if qpn else 0xf0, 2, 3, 2 + 3 + 2 + 64 + 1, 4)
            packet += struct.pack(">BBHII", 0x64, 0, 0xffff, qpn, 9)
            packet += struct.pack(">II", 0x80010000 if qpn else 0, qpn) + mad + bytes(6)
            yield f"{mgmt_class:02x}-{method:02x}-{attribute:04x}", alone(247, packet, len(packet))


def wrapped(frames):
    """Frames of Ethernet in every tunnel, and what is not decoded."""
    for name, (_, linktype, wrap) in tunnels.FORMS.items():
        for number, frame in enumerate(frames):
            data = wrap(frame, tunnels.ip_of(frame), number)
            yield f"{name} {number}".replace(" ", "-").replace(",", ""), (linktype, data, len(data))
    for name, (data, _) in tunnels.UNSEEN.items():
        yield name.replace(" ", "-"), (tunnels.ETHERNET, data, len(data))


def descriptions():
    """What build.c reads: every framing, opcodes of every service, payloads with a pad and of an MTU."""
    values = bytes(range(1, 256)) * 2
    for kind in range(1, 6):
        for opcode, payload in ((0x00, 256), (0x04, 5), (0x0a, 1024), (0x0c, 0), (0x11, 0), (0x13, 0), (0x64, 77),
                                (0x65, 0), (0x81, 0), (0x5d, 0), (0xa6, 3), (0x1c, 0), (0x49, 2)):
            more = 0 if kind < 3 else 1 | opcode % 3 << 2
            yield f"kind{kind}-{opcode:02x}", struct.pack(">BBBH", kind, more, opcode, payload) + values
        yield f"kind{kind}-wide", struct.pack(">BBBH", kind, 0x10, 0x04, 5) + values
    yield "ipoib", struct.pack(">BBBH", 1, 2, 0x64, 20) + values


def segment(seg, last=False, payload=0, tid=1, way=0, kind=1):
    """A MAD as rmpp.c reads it: DATA, unless of another kind."""
    return struct.pack(">BBBBHHB", way, tid, kind, 1 | (seg == 1) << 1 | last << 2, seg, payload, seg % 100)


def transfers():
    whole = [segment(n, n == 5, 64 if n == 5 else 0) for n in range(1, 6)]
    yield "order", b"".join(whole)
    yield "back", b"".join(reversed(whole))
    yield "twice", b"".join(m + m for m in whole)
    yield "last-again", b"".join(whole + [segment(5, True, 32)])
    yield "ack", b"".join(m + segment(1, way=1, kind=3) for m in whole)
    yield "abort", b"".join(whole[:3]) + segment(0, way=1, kind=4)
    yield "oui", b"".join(segment(n, n == 3, kind=1 | 2 << 3) for n in (2, 3, 1))
    yield "two", b"".join(segment(n, n == 4, tid=tid) for n in (1, 3, 2, 4) for tid in (1, 2))
    yield "many", b"".join(segment(n, tid=tid) for n in (1, 2) for tid in range(40))


def fpdu(ulpdu, position=None):
    """One without a CRC; with its place in a stream, with markers."""
    plain = len(ulpdu).to_bytes(2, "big") + ulpdu
    plain += bytes(-len(plain) % 4 + 4)
    out = b""
    for word in range(0, len(plain), 4):
        if position is not None and (position + len(out)) % 512 == 0:
            distance = len(out) - (position % 512 == 0 and len(out) > 0) * 4
            out += bytes(2) + distance.to_bytes(2, "big")
        out += plain[word:word + 4]
    return out


def untagged(opcode, queue, payload, last=True, offset=0):
    return (bytes([0x41 if last else 0x01, 0x40 | opcode]) + bytes(4) + queue.to_bytes(4, "big") + b"\0\0\0\1"
            + offset.to_bytes(4, "big") + payload)


def tagged(opcode, payload):
    return bytes([0xc1, 0x40 | opcode]) + b"stag" + b"\0\0\0\0offs" + payload


def iwarp_streams():
    """{case: input of mpa.c}: every opcode, messages in segments, with markers at every place, Terminates, frames."""
    ulpdus = [tagged(opcode, bytes(100)) for opcode in (0, 2)]
    ulpdus += [untagged(opcode, 0, bytes(100)) for opcode in (3, 4, 5, 6)]
    ulpdus += [untagged(3, 0, bytes(600), last=False), untagged(3, 0, bytes(33), offset=600)]
    ulpdus += [untagged(1, 1, bytes(28)), untagged(8, 0, bytes(8)), untagged(9, 0, bytes(8)), untagged(10, 1, bytes(52)),
               untagged(11, 3, bytes(12)), untagged(12, 0, b"")]
    quoted = untagged(1, 1, bytes(28))
    for head in (b"\x01\x02\xe0\0\0\x2e", b"\x10\x02\x07\0\0\x2e", b"\x11\0\xc0\0\0\x2e", b"\x20\x02\0\0"):
        ulpdus.append(untagged(7, 2, head + quoted))
    cases = {f"one-{n}": b"\0\0" + fpdu(ulpdu) for n, ulpdu in enumerate(ulpdus)}
    cases["all"] = b"\0\0" + b"".join(map(fpdu, ulpdus))
    for place in (0, 4, 488, 500, 504, 508):
        stream = b""
        for ulpdu in ulpdus:
            stream += fpdu(ulpdu, place + len(stream))
        cases[f"markers-{place}"] = bytes([1, place // 4]) + stream
    cases["too-short"] = b"\0\0" + fpdu(bytes(13))
    cases["long"] = b"\0\0" + fpdu(tagged(0, bytes(65521)))
    for name, frame in (("request", b"MPA ID Req Frame\x40\1\0\3abc"), ("reply", b"MPA ID Rep Frame\x90\2\0\4\x80\1\xc0\2"),
                        ("no-frame", b"MPA ID Rep Frame\x90\2\0\3abc")):
        cases[name] = b"\2\0" + frame + fpdu(ulpdus[0])
    return cases


def upper_input(ulp, m, parts=255, data=None):
    return bytes([ulp, m.initiator | (ulp == 1 and len(m.data) > 16) << 1, parts]) + (data or m.data)


# Bytes that say what else is in a message, by upper layer: each of them is set to every value. NVMe: opcode, type of the Fabrics
# command, type of the SGL. iSER: its opcode and that of the PDU, CDB. SRP: opcode, format of the buffer, CDB.
SAY_WHAT = {1: (0, 4, 39), 2: (0, 28, 60), 3: (0, 5, 32), 4: (), 5: (), 6: ()}


def varied_messages(ulp, m, say_what):
    """(name, input): @m cut at many places, with every value in the bytes @say_what, and with odd words."""
    for parts in range(0, 255, 16):
        yield f"cut{parts}", upper_input(ulp, m, parts)
    changes = [(at, value) for at in say_what for value in range(256)]
    for at, value in changes + [(at, value) for at in range(3, 128, 4) for value in (0, 1, 255)]:
        if at < len(m.data):
            yield f"{at}={value}", upper_input(ulp, m, 255, m.data[:at] + bytes([value]) + m.data[at + 1:])


def denied_replies():
    """(name, input): RPC replies that say no (RFC 5531, 9), which no capture has."""
    for stat in range(3):
        yield f"denied{stat}", bytes([4, 0, 255]) + struct.pack(">15I", 7, 1, 8, 0, 0, 0, 0, 7, 1, 1, stat, 2, 3, 0, 0)


def compounds():
    """(name, input): arguments of COMPOUND (RFC 8881, 16.2.3) with each operation twice, data reduced or not, whole and cut."""
    for op in range(77):
        for rest in (0, 3, 40, 97, 100):
            yield f"compound{op}-{rest}", bytes([4, 0, 255]) + struct.pack(">5I", 0, 2, 2, op, 0) + bytes(rest)


def upper_messages():
    """{case: input of upper.c}: a message of each length and beginning in pcaps/ulp, whole and cut; one of each kind varied."""
    cases = dict(denied_replies()) | dict(compounds())
    varied = set()
    for path in sorted((ROOT / "pcaps/ulp").glob("*.pcap")):
        ulp = {"01": 1, "02": 2, "03": 3, "05": 4, "08": 5, "04": 6}.get(path.name[:2])
        for m in ulp_messages.messages(path) if ulp else ():
            cases[f"{ulp}-{m.data[:1].hex()}-{m.data[28:29].hex()}-{len(m.data)}"] = upper_input(ulp, m)
            cases[f"{ulp}-{m.data[:1].hex()}-cut"] = upper_input(ulp, m, 200)
            side = f"{ulp}-{m.initiator:d}"
            kind = f"{side}-{m.data[:1].hex() if ulp in (1, 3) else m.data[28:29].hex() if ulp == 2 else len(m.data) > 200}"
            if kind not in varied:
                say_what = () if side in varied else SAY_WHAT[ulp]
                varied |= {side, kind}
                cases |= {f"{kind}-{name}": data for name, data in varied_messages(ulp, m, say_what)}
    return cases


def command_lines():
    """What options.c reads: every option there is, on the command line and in a config file."""
    values = {"N": "5", "LIST": "CRC,bth-pkey-invalid", "RULE": "CRC001", "FILE": "x", "EXPR": "udp", "BYTES": "64M",
              "LINKTYPE": "1", "erf|pcap|pcapng [FILE]": "erf\ny"}
    table = (ROOT / "dissector/pcap-lint/options/options.def").read_text(encoding="ascii")
    row = re.compile(r'^PL_OPTION\(\w+, "([a-z0-9-]+)", (?:\'(.)\'|0), (\w+), (NULL|"([^"]+)"|\S+),$', re.M)
    for name, short, scope, arg, word in row.findall(table):
        value = None if arg == "NULL" else values.get(word, word.split("|")[0] or "json")
        yield name, f"--{name}\n{value}\nx" if value else f"--{name}\nx"
        if short:
            yield f"{name}-short", f"-{short}{value or ''}\nx"
        if scope != "MODE":
            yield f"{name}-config", f"x\n\n[pcap-lint]\n{name} = {value or 'true'}\n"
        for number, wrong in enumerate(("", "bogus", "-1", "99999999999999999999", "0", "true")) if value else ():
            yield f"{name}-wrong{number}", f"--{name}={wrong}\nx"
        if scope != "MODE":
            yield f"{name}-config-wrong", f"x\n\n[pcap-lint]\n{name} = bogus\n"
            yield f"{name}-config-false", f"x\n\n[pcap-lint]\n{name} = false\n"
        else:
            yield f"{name}-config-mode", f"x\n\n[pcap-lint]\n{name} = x\n"
    for number, port in enumerate(("4791,4792,4793,4794,4795,4796,4797,4798,4799", "65536", ",", "5,")):
        yield f"ports{number}", f"--roce-port={port}\nx"
    for number, text in enumerate(("[other]\n", "[pcap-lint]\nseverty = note\n", "severity = note\n", "[pcap-lint\n",
                                   "[pcap-lint]\n" + "#" * 70000, "[pcap-lint]\n\xff = 1\n", "", "[pcap-lint]\nq = true\n",
                                   "[pcap-lint]\nx = 1\n", "[pcap-lint]\nfilter = \\q\n")):
        yield f"config{number}", f"x\n\n{text}"
    for number, words in enumerate(("--", "--\n-x", "-qv\nx", "-qc5\nx", "-c\n5\nx", "-c", "-o\nout\nx", "--count", "x\n--\ny",
                                    "--repair\nout\nx", "--read\nx", "--quiet=1\nx", "--nosuch\nx", "--convert\nerf", "-z\nx",
                                    "--convert\nerf\nout\nx", "-h", "--verison", "x\ny\nz", "-", "-o\n-\n-", "", "--q\nx",
                                    "--convert", "--convert\nerf\n-q\nx", "--convert\nerf\n-", "--convert\nerf\nx",
                                    "--convert\nerf\nx\n-o\nout", "--convert=erf \nx", "-Q\n--\nx", "--stats\n--nosuch\nx", "--severity=perf\nx", "--user0=5\nx",
                                    "--link-speed=5000000\nx", "--qp=0x22\nx", "--qp=1,10.1.0.1:0x22,[fe80::1]:3,fe80::2:4,LID 0x0005:6,lid7:8\nx",
                                    "--qp=10.1:3\nx", "--qp=0x1000000\nx", "--qp=1,,2\nx", "--qp=" + ",".join(map(str, range(40))) + "\nx",
                                    "--host=10.1.0.1\nx", "--host=10.1.0.1,fe80::1\nx", "--host=lid 5\nx", "--host=lid\nx", "--host=1,2,3\nx",
                                    "\n".join(f"--host=10.1.0.{n}" for n in range(40)) + "\nx", "--story=0x22\nx", "--story=10.1.0.1:3\nx", "--story=0x\nx", "--link-speed=1000000T\nx")):
        yield f"words{number}", words
    ports = ",".join(map(str, range(1, 41)))
    for number, text in enumerate((f"--roce-port={ports}\n--roce-port={ports}\nx",
                                   f"x\n\n[pcap-lint]\nroce-port = {ports},{ports}\n",
                                   f"--roce-port={ports}\nx\n\n[pcap-lint]\nroce-port = {ports}\n")):
        yield f"ports-more{number}", text
    yield "wrong", "--colour=always\nx"
    yield "wrong-config", "x\n\n[pcap-lint]\nignore = CRC01\ncuont = 3\n"


def pcap(linktype, records, snaplen=65535):
    """Of [(captured bytes, length)], a microsecond apart."""
    return struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, snaplen, linktype) + b"".join(
        struct.pack("<IIII", 1, number, len(data), length) + data for number, (data, length) in enumerate(records))


def odd_captures(frame):
    """Captures that a pcap has no room for, that cannot be checked or end in the middle; @frame is one of Ethernet."""
    def of(*blocks):
        return pcapng.section() + b"".join(blocks)

    def byte(code, value):
        return [(code, bytes([value]))]

    ib, ethernet = pcapng.interface(247), pcapng.interface(1)
    local = bytes.fromhex("0002000200090001") + bytes(30)
    erf = bytes(8) + struct.pack(">BBHHH", 21, 4, 16 + len(local), 0, len(local)) + local
    yield "snaplens", of(ib, pcapng.interface(247, 100), pcapng.packet(0, 1, local), pcapng.packet(1, 2, local))
    yield "snaplens-back", of(pcapng.interface(247, 100), ib, pcapng.packet(0, 1, local))
    yield "snaplen-erf", pcap(197, [(erf, len(erf))], 8)
    fcs = pcapng.interface(1, 0, byte(pcapng.IF_FCSLEN, 4))
    yield "fcs", of(fcs, ethernet, pcapng.packet(0, 1, frame))
    yield "fcs-later", of(fcs, pcapng.packet(0, 1, frame), ethernet, pcapng.packet(1, 2, frame))
    yield "fcs-odd", of(pcapng.interface(1, 0, byte(pcapng.IF_FCSLEN, 3)), pcapng.packet(0, 1, frame))
    yield "early", of(pcapng.interface(1, 0, [(pcapng.IF_TSOFFSET, struct.pack("<q", -10))]),
                      pcapng.packet(0, 1, frame))
    yield "late", of(ethernet, pcapng.packet(0, 2**33 * 10**6, frame))
    yield "fine-later", of(ethernet, pcapng.packet(0, 1, frame), pcapng.interface(1, 0, byte(pcapng.IF_TSRESOL, 9)),
                           pcapng.packet(1, 1001, frame))
    yield "kinds", of(ib, ethernet, pcapng.packet(0, 1, local), pcapng.packet(1, 2, frame), pcapng.packet(1, 3, frame))
    yield "no-interface", of()
    yield "no-time", of(ethernet, pcapng.simple(frame))
    yield "drops", of(ethernet, pcapng.interface(1, 0, [(pcapng.IF_NAME, b"eth7")]), pcapng.packet(0, 1, frame),
                      pcapng.packet(1, 2, frame, pairs=[(pcapng.EPB_DROPCOUNT, struct.pack("<Q", 5))]),
                      pcapng.statistics(0, [(pcapng.ISB_IFDROP, struct.pack("<Q", 3))]),
                      pcapng.statistics(1, [(pcapng.ISB_OSDROP, struct.pack("<Q", 3))]))
    links = range(50000, 50018)
    yield "unknown", of(*map(pcapng.interface, links), *(pcapng.packet(n, n, frame) for n in [*range(18), *range(18)]))
    yield "version", of(ethernet, pcapng.packet(0, 1, frame)) + pcapng.block(
        pcapng.SECTION, struct.pack("<IHHq", 0x1a2b3c4d, 9, 0, -1))
    yield "block", of(ethernet, pcapng.packet(0, 1, frame), pcapng.packet(7, 2, frame),
                      pcapng.packet(0, 3, frame)[:-4] + bytes(4))
    bad = frame[:46] + bytes([frame[46] | 0x3f]) + frame[47:-1] + bytes([frame[-1] ^ 1])  # reserved bits, and the ICRC
    had = [b"mine", b"CRC001 icrc-bad (error): mine", b"CRC001 icrc-bad: mine", b"CRC999 x (error): mine", b"3 more findings", b"more", b"1 more finding"]
    for n in (0, 30, 31, 32):
        yield f"comments-{n}", of(ethernet, pcapng.packet(0, 1, bad, pairs=[(pcapng.COMMENT, b"mine")] * n))
    for n, comment in enumerate(had):
        yield f"commented-{n}", of(ethernet, pcapng.packet(0, 1, frame), pcapng.packet(0, 2, bad, pairs=[(pcapng.COMMENT, comment)]))
    yield "copied", of(ethernet, *(pcapng.block(kind, bytes(8)) for kind in (4, 0xbad, 0x40000bad, 0x12345)), pcapng.packet(0, 1, bad),
                       pcapng.block(9, bytes(40)), pcapng.simple(bad), pcapng.block(0x12345, bytes(2**20)))
    yield "chosen", pcapng.section("<", [(pcapng.COMMENT, b"pcap-lint -w: packets with findings")]) + ethernet + pcapng.packet(0, 1, bad)
    whole = pcap(1, [(frame, len(frame))] * 99)
    for how, packed in compressed(whole):
        yield how, packed
        yield f"cut-{how}", packed[:-9]
        yield f"damaged-{how}", packed[:len(packed) // 2] + b"\xff" * 9 + packed[len(packed) // 2 + 9:]
    yield "cut", whole[:-9]


# What a config file next to a capture may say.
CONFIGS = {"wrong": b"[pcap-lint]\nseverity = bogus\n", "none": b"[pcap-lint]\n", "text": b"severity = note\n",
           "large": b"[pcap-lint]\n" + b"# comment\n" * 7000, "filter": b"[pcap-lint]\nfilter = udp and (\n"}


# Captures of each kind of packet that can be repaired.
SPOILED_OF = ("opcodes-roce-v2-ipv4.pcap", "opcodes-roce-v2-ipv6-vlan.pcap", "opcodes-roce-v1.pcap",
              "opcodes-ib-local.pcap", "opcodes-ib-global.pcap", "opcodes-erf-ib-global.pcap",
              "opcodes-vxlan-roce-v2-ipv4.pcap", "raw-ib.pcap")


def spoiled(path):
    """Its first packet with each byte of its headers changed; shorter and longer."""
    linktype, data, length = next(packets(path))
    records = [(data[:at] + bytes([data[at] ^ mask]) + data[at + 1:], length)
               for at in range(min(len(data), SPOILED)) for mask in (0x01, 0x04, 0x40, 0xff)]
    for more in (-8, -4, -2, -1, 1, 2, 4, 6, 8):
        changed = data[:more] if more < 0 else data + bytes(more)
        records += [(changed, len(changed)), (changed, length)]
    return pcap(linktype, records)


# Characters of two to four bytes, those no terminal gets, and what is no UTF-8.
LETTERS = ("\u00e9\u0080\u200b\u2028\u202e\u2060\u20ac\ufeff\uffff\U0001f600\U0010ffff\t\n\"\\\x7f").encode() + (
    b"\xc0\x80\xc2\xe0\x80\x80\xe2\x82\xed\xa0\x80\xf0\x80\x80\x80\xf4\x90\x80\x80\xf8\xff\xe2\x80\x8b\xef\xbb\xbf\xc2\x85a")


# Of files: what would be markup, end an attribute, or turn text around.
NAMES = (b"x", b"a<b>c", b"<script>alert(1)</script>", b"\" onload=\"x' &amp; <!-- ", b"</title></style></script><svg onload=x>",
         b"javascript:alert(1)", b"a\xe2\x80\xaeb\x01\xc2\x9b\xe2\x80\xa8", b"\xff\xfe<b>", b"x\xef\xbb\xbf\xef\xbf\xbe\xef\xb7\x90y", b"-o",
         b"%3Cb%3E&#60;b>", b"<b>" * 60)


class Seeds:
    def __init__(self, out):
        self.out, self.read = out, 0
        for directory in out.glob("*/"):
            shutil.rmtree(directory)

    def write(self, target, case, data):
        (self.out / target).mkdir(parents=True, exist_ok=True)
        (self.out / target / case).write_bytes(data)

    def captures(self, directories):
        for path in sorted(p for d in directories for p in pathlib.Path(d).rglob("*.pcap*")):
            if not path.is_file() or path.suffix not in (".pcap", ".pcapng"):
                continue
            for number, packet in different(path):
                self.write("walk", f"{path.name}-{number}", alone(*packet))
                self.write("plain", f"{path.name}-{number}", alone(*packet))
            if data := conversation(path):
                self.write("streams", path.name, data)
                self.write("packets", path.name, data)
                self.read_by(path)
            if path.stat().st_size < SMALL:
                self.files(path.name, path.read_bytes())

    def read_by(self, path):
        """Each capture in one way, one after the other; those of upper layers in more, with as many packets as a message needs."""
        upper = path.parent.name == "ulp"
        for name in UPPER if upper else [list(READ_BY)[self.read % len(READ_BY)]]:
            self.write("epan", f"{path.name}-{name}", bytes(READ_BY[name]) + conversation(path, LONG if upper else SMALL))
        self.read += 1

    def modes(self, paths):
        """
        Of captures that are not too large those of modes.def that are for EVERY one; for some, of each kind the smallest, the
        others; of captures of a subnet those for one; for each rule, and what looks like one, those about a WORD; those that
        captures are MADE for.
        """
        table = re.findall(r"^FUZZ_MODE\((\w+), (\w+),", (ROOT / "fuzz/modes.def").read_text(encoding="ascii"), re.M)
        of = {kind: [name for name, of in table if of == kind]
              for kind in ("EVERY", "SOME", "FEW", "SUBNET", "MADE", "WORD", "NOTHING")}
        kinds = {}
        for path in sorted(paths, key=lambda path: (path.stat().st_size, path)):
            data = path.read_bytes()
            if len(data) > LARGE:
                continue
            kind = path.parent.name, *path.stem.split("-")[:2]
            kinds.setdefault(kind, []).append(path)
            first = len(kinds[kind]) == 1
            names = of["EVERY"] + (of["SOME"] if first and len(kinds) % 5 == 0 else [])
            names += of["FEW"] if first and len(kinds) % 40 == 5 else []
            names += of["SUBNET"] if path.parent.name == "mad" or path.name.startswith("lint-fab-") else []
            for name in names:
                self.write("modes", f"{name}-{path.name}", name.encode() + b"\n" + data)
        rules = re.findall(r'^LINT_RULE\((\w+), "([a-z0-9-]+)"',
                           "".join(p.read_text() for p in (ROOT / "dissector/lint/rules").glob("*.def")), re.M)
        for name in of["WORD"]:
            about = [word for row in rules for word in row] if name == "explain" else []
            for word in {*about, *WORDS}:
                self.write("modes", f"{name}-{word or 'none'}".replace("/", "_"), f"{name}\n{word}".encode())
        for name in of["NOTHING"]:
            self.write("modes", name, f"{name}\n".encode())
        self.made(of["MADE"], {path.name: path for path in paths})

    def pages(self, paths):
        """A capture of each kind, under a name; names alone; what a pcapng has of names."""
        kinds = {}
        for path in sorted(paths, key=lambda path: (path.stat().st_size, path)):
            if path.stat().st_size <= LARGE:
                kinds.setdefault((path.parent.name, *path.stem.split("-")[:2]), path)
        for i, path in enumerate(kinds.values()):
            self.write("html", path.name, NAMES[i % len(NAMES)] + b"\n" + path.read_bytes())
        frame = next(packets(min(paths)))[1]
        for i, name in enumerate((*NAMES, LETTERS, b"<b>" * 9000)):
            self.write("html", f"name-{i}", name[:250] + b"\n")
            self.write("html", f"text-{i}", name)
            named = [(pcapng.COMMENT, name), (pcapng.IF_NAME, name), (3, name)]
            statistics = pcapng.statistics(0, [(pcapng.COMMENT, name), (pcapng.ISB_IFDROP, struct.pack("<Q", 7))])
            self.write("html", f"named-{i}", b"x<b>.pcapng\n" + pcapng.section("<", [(code, name) for code in (1, 2, 3, 4)]) +
                       pcapng.interface(1, pairs=named) + pcapng.packet(0, 1, frame, pairs=named[:1]) + statistics)

    def made(self, names, paths):
        """Those that are MADE for it; what has to be repaired."""
        frame = next(packets(paths["opcodes-roce-v2-ipv4.pcap"]))[1]
        for case, data in odd_captures(frame):
            for name in ("stats_json", *(name for name in names if "config" not in name)):
                self.write("modes", f"{name}-{case}", name.encode() + b"\n" + data)
        for case, data in CONFIGS.items():
            for name in (name for name in names if "config" in name):
                self.write("modes", f"{name}-{case}", name.encode() + b"\n" + data)
        for name in SPOILED_OF:
            self.write("modes", f"repair-spoiled-{name}", b"repair\n" + spoiled(paths[name]))

    def tunnels(self, path):
        frames = [data for linktype, data, _ in packets(path) if linktype == 1 and tunnels.ip_of(data)][:3]
        for case, packet in wrapped(frames):
            self.write("walk", case, alone(*packet))
            self.write("packets", case, listed(*packet))
            if case.endswith("-0"):
                for cut in range(14, min(len(packet[1]), 100), 5):
                    self.write("walk", f"{case}-{cut}", alone(packet[0], packet[1][:cut], packet[2]))
            header = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, packet[0])
            record = struct.pack("<IIII", 1, 2, packet[2], packet[2]) + packet[1]
            self.files(f"{case}.pcap", header + record)

    def files(self, name, data):
        for target in ("capture", "print", "rewrite"):
            self.write(target, name, data)
        if name.startswith("framings"):
            for how, packed in compressed(data):
                self.write("capture", f"{name}.{how}", packed)

    def dictionary(self, path):
        text = path.read_text(encoding="ascii")
        for name in re.findall(r'^header_\d+="(\w+)\\x0a"$', text, re.M):
            self.write("names", f"{name}-letters", name.encode() + b"\n" + LETTERS * 8)
            for pattern, data in PATTERNS.items():
                for target in ("roundtrip", "twin", "names"):
                    self.write(target, f"{name}-{pattern}", name.encode() + b"\n" + data)
        attributes = re.findall(r"^# mad (..) (..) (....)$", text, re.M)
        for case, data in mads([[int(n, 16) for n in row] for row in attributes]):
            self.write("walk", f"mad-{case}", data)


def main():
    seeds = Seeds(pathlib.Path(sys.argv[1]))
    for case, text in command_lines():
        seeds.write("options", case, text.encode())
    for case, data in descriptions():
        seeds.write("build", case, data)
    for case, data in transfers():
        seeds.write("rmpp", case, data)
    for case, data in iwarp_streams().items():
        seeds.write("mpa", case, data)
    for case, data in upper_messages().items():
        seeds.write("upper", case, data)
    seeds.dictionary(pathlib.Path(sys.argv[2]))
    seeds.captures(sys.argv[3:])
    seeds.modes([path for directory in sys.argv[3:] for path in pathlib.Path(directory).rglob("*.pcap*")
                 if path.suffix in (".pcap", ".pcapng")])
    seeds.pages([path for directory in sys.argv[3:] for path in pathlib.Path(directory).rglob("*.pcap*")
                 if path.suffix in (".pcap", ".pcapng")])
    seeds.tunnels(ROOT / "pcaps/rxe/01-rping-ipv4.pcap")


main()
