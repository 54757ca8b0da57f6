#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Seeds for the fuzz targets, from captures.

seed.py OUT FILE.pcap...: writes OUT/walk (packets behind the two bytes walk.c reads) and OUT/headers
(every stretch of a packet behind the two bytes roundtrip.c and twin.c read) and OUT/capture (small
capture files as they are) and OUT/streams (the packets of a capture behind the five bytes streams.c reads). Then
fuzz-TARGET -merge=1 keeps what adds coverage: that is what is committed under fuzz/corpus."""
import hashlib
import pathlib
import struct
import sys

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


def main():
    out = pathlib.Path(sys.argv[1])
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
