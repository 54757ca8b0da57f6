# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The records of a capture file: pcap and pcapng by their published formats, nothing else used.

Numbers are Wireshark's: from 1, over the whole file, each packet block of a pcapng one.
"""
import bz2
import collections
import gzip
import lzma
import shutil
import struct
import subprocess

import copies

# One captured frame: its number, time in ns since the epoch, LINKTYPE_, bytes, length on the wire, and interface.
Record = collections.namedtuple("Record", "number time link data length interface", defaults=(0,))

MAGIC = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}  # ns a unit of the second half of a time
LONGEST = 262144  # no link type has longer records; a longer one is a damaged length
SECTION, INTERFACE, OLD_PACKET, SIMPLE, ENHANCED = 0x0a0d0d0a, 1, 2, 3, 6


class Skipped(Exception):
    """A file that cannot be read here, with the reason."""


def uncompressed(path):
    """The bytes of @path, whatever it is compressed with."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        return gzip.decompress(data)
    if data[:3] == b"BZh":
        return bz2.decompress(data)
    if data[:6] == b"\xfd7zXZ\0":
        return lzma.decompress(data)
    for magic, tool in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x04\x22\x4d\x18", "lz4")):
        if data[:4] == magic:
            if shutil.which(tool) is None:
                raise Skipped(f"no {tool} to read it with")
            return subprocess.run([tool, "-dc", path], check=True, stdout=subprocess.PIPE).stdout
    return data


def pcap(data, order, unit):
    """Of a classic pcap; what follows a record that is cut or has an impossible length is no frame."""
    snaplen, link = struct.unpack_from(order + "II", data, 16)
    at, number = 24, 0
    while at + 16 <= len(data):
        seconds, fraction, caplen, length = struct.unpack_from(order + "IIII", data, at)
        if caplen > max(LONGEST, snaplen) or at + 16 + caplen > len(data):
            return
        number += 1
        yield Record(number, seconds * 10**9 + fraction * unit, link & 0xffff,
                     data[at + 16:at + 16 + caplen], length)
        at += 16 + caplen


def options(data, at, end, order):
    """The options of a block: {code: value}."""
    found = {}
    while at + 4 <= end:
        code, size = struct.unpack_from(order + "HH", data, at)
        if code == 0:
            break
        found[code] = data[at + 4:at + 4 + size]
        at += 4 + (size + 3 & ~3)
    return found


def interface(data, at, end, order):
    """(link type, snap length, units a second, seconds added to each time) of an interface block."""
    link, _, snaplen = struct.unpack_from(order + "HHI", data, at)
    found = options(data, at + 8, end, order)
    unit = found.get(9, b"\x06")[0]
    per_second = 2 ** (unit & 0x7f) if unit & 0x80 else 10 ** unit
    offset, = struct.unpack(order + "q", found.get(14, bytes(8))[:8])
    return link, snaplen, per_second, offset


def pcapng(data):
    """Of a pcapng: any byte order a section, any unit of time an interface."""
    order, interfaces = "<", []
    at, number = 0, 0
    while at + 12 <= len(data):
        kind, = struct.unpack_from(order + "I", data, at)
        if kind == SECTION:
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        size, = struct.unpack_from(order + "I", data, at + 4)
        body, end = at + 8, at + size - 4
        if size < 12 or size % 4 or at + size > len(data):
            return
        at += size
        if kind == INTERFACE:
            interfaces.append(interface(data, body, end, order))
        if kind not in (ENHANCED, SIMPLE, OLD_PACKET):
            continue
        if kind == SIMPLE:
            which, high, low = 0, 0, 0
            length, = struct.unpack_from(order + "I", data, body)
            caplen, body = min(length, interfaces[0][1] or length, end - body - 4), body + 4
        else:
            form = "IIIII" if kind == ENHANCED else "HHIIII"
            fields = struct.unpack_from(order + form, data, body)
            which, (high, low, caplen, length) = fields[0], fields[-4:]
            body += 20
        if which >= len(interfaces) or body + caplen > end:
            return
        link, _, per_second, offset = interfaces[which]
        time = (high << 32 | low) * 10**9 // per_second + offset * 10**9
        number += 1
        yield Record(number, time, link, data[body:body + caplen], length, which)


def records(path):
    """The records of the capture @path, in the order of the file, without those that are copies (copies.py)."""
    return iter(copies.split(every(path))[0]) if copies.are_told(path) else every(path)


def every(path):
    """All of them."""
    data = uncompressed(path)
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return pcapng(data)
    for order in "<>":
        unit = MAGIC.get(struct.unpack(order + "I", data[:4])[0]) if len(data) >= 24 else None
        if unit:
            return pcap(data, order, unit)
    raise Skipped("neither pcap nor pcapng")
