#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Seeds for the fuzz targets, from captures.

seed.py OUT FILE.pcap...: writes OUT/walk (packets behind the two bytes walk.c reads) and OUT/headers
(every stretch of a packet behind the two bytes roundtrip.c and twin.c read) and OUT/capture (small
capture files as they are) and OUT/streams (the packets of a capture behind the five bytes streams.c reads); and what
needs no capture: OUT/build (descriptions) and OUT/rmpp (transfers in some orders), OUT/options
(command lines). Then
fuzz-TARGET -merge=1 keeps what adds coverage: that is what is committed under fuzz/corpus."""
import hashlib
import pathlib
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The order of linktypes[] in walk.c.
LINKTYPES = [1, 247, 197, 242, 113, 276, 101, 228, 229]
STREAM_LINKTYPES = [1, 247, 197, 101]  # the same of streams.c
STREAM = 4000  # bytes
PER_FILE = 60  # packets: the rest of a capture repeats them


def packets(path):
    data = path.read_bytes()
    if len(data) < 24 or data[:4] not in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1"):
        return
    linktype, at = struct.unpack_from("<I", data, 20)[0], 24
    while at + 16 <= len(data):
        caplen, length = struct.unpack_from("<II", data, at + 8)
        yield linktype, data[at + 16:at + 16 + caplen], length
        at += 16 + caplen


def write(directory, name, data):
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}-{hashlib.sha1(data).hexdigest()[:8]}").write_bytes(data)


def stream(path):
    """What streams.c reads, a microsecond apart: as many packets as there is room for."""
    out = b""
    for linktype, data, length in packets(path):
        lost = max(0, min(length - len(data), 255))
        if linktype not in STREAM_LINKTYPES or len(out) + len(data) > STREAM:
            break
        out += struct.pack(">BBBH", STREAM_LINKTYPES.index(linktype) | 0x80, lost, 10, len(data)) + data
    return out


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
    yield "ack", b"".join(m + segment(1, way=1, kind=3) for m in whole)
    yield "abort", b"".join(whole[:3]) + segment(0, way=1, kind=4)
    yield "oui", b"".join(segment(n, n == 3, kind=1 | 2 << 3) for n in (2, 3, 1))
    yield "two", b"".join(segment(n, n == 4, tid=tid) for n in (1, 3, 2, 4) for tid in (1, 2))
    yield "many", b"".join(segment(n, tid=tid) for n in (1, 2) for tid in range(40))


def command_lines():
    """What options.c reads: every option there is, on the command line and in a config file."""
    values = {"N": "5", "LIST": "CRC,bth-pkey-invalid", "RULE": "CRC001", "FILE": "x", "EXPR": "udp", "BYTES": "64M",
              "LINKTYPE": "1", "erf|pcap|pcapng [FILE]": "erf\ny"}
    table = (ROOT / "dissector/pcap-lint/options.def").read_text(encoding="ascii")
    row = re.compile(r'^PL_OPTION\(\w+, "([a-z0-9-]+)", (?:\'(.)\'|0), (\w+), (NULL|"([^"]+)"|\S+),$', re.M)
    for name, short, scope, arg, word in row.findall(table):
        value = None if arg == "NULL" else values.get(word, word.split("|")[0] or "json")
        yield name, f"--{name}\n{value}\nx" if value else f"--{name}\nx"
        if short:
            yield f"{name}-short", f"-{short}{value or ''}\nx"
        if scope != "MODE":
            yield f"{name}-config", f"x\n\n[pcap-lint]\n{name} = {value or 'true'}\n"
    yield "wrong", "--colour=always\nx"
    yield "wrong-config", "x\n\n[pcap-lint]\nignore = CRC01\ncuont = 3\n"


def main():
    out = pathlib.Path(sys.argv[1])
    for name, text in command_lines():
        write(out / "options", name, text.encode())
    for name, data in descriptions():
        write(out / "build", name, data)
    for name, data in transfers():
        write(out / "rmpp", name, data)
    for path in map(pathlib.Path, sys.argv[2:]):
        if path.stat().st_size < 4000:
            write(out / "capture", path.stem, path.read_bytes())
        if conversation := stream(path):
            write(out / "streams", path.stem, conversation)
        for i, (linktype, data, length) in enumerate(packets(path)):
            if linktype not in LINKTYPES or i == PER_FILE:
                break
            prefix = bytes([LINKTYPES.index(linktype), max(0, min(length - len(data), 255))])
            write(out / "walk", path.stem, prefix + data[:600])
            write(out / "headers", path.stem, bytes([i % 128, 0]) + data[-300:])


main()
