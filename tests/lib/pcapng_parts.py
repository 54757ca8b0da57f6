# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pcapng_parts.py - the blocks of a pcapng, written and read number by number (draft-ietf-opsawg-pcapng).

What is read must be well-formed: lengths in front and after, zeros as padding, options that end.
"""
import dataclasses
import struct

SECTION, INTERFACE, OLD_PACKET, SIMPLE, STATISTICS, PACKET = 0x0a0d0d0a, 1, 2, 3, 5, 6
COMMENT, IF_NAME, IF_SPEED, IF_TSRESOL, IF_FCSLEN, IF_TSOFFSET = 1, 2, 8, 9, 13, 14
EPB_FLAGS, EPB_DROPCOUNT = 2, 4
ISB_IFRECV, ISB_IFDROP, ISB_OSDROP = 4, 5, 7


@dataclasses.dataclass
class Packet:
    iface: int
    ticks: int  # None: a simple packet block
    length: int
    data: bytes
    options: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Interface:
    linktype: int
    snaplen: int
    options: dict
    first: int  # packets before it
    statistics: dict = None

    def nanoseconds(self, ticks):
        resolution, = self.options.get(IF_TSRESOL, b"\x06")
        per_second = 2**(resolution & 0x7f) if resolution & 0x80 else 10**resolution
        offset, = struct.unpack("<q", self.options.get(IF_TSOFFSET, bytes(8)))
        return ticks * 10**9 // per_second + offset * 10**9


def padded(data):
    return data + bytes(-len(data) % 4)


def option(code, value, order="<"):
    return struct.pack(order + "HH", code, len(value)) + padded(value)


def options(pairs, order="<"):
    return b"".join(option(code, value, order) for code, value in pairs) + (bytes(4) if pairs else b"")


def block(kind, body, order="<"):
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order="<", pairs=()):
    return block(SECTION, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1) + options(pairs, order), order)


def interface(linktype, snaplen=0, pairs=(), order="<"):
    return block(INTERFACE, struct.pack(order + "HHI", linktype, 0, snaplen) + options(pairs, order), order)


def packet(iface, ticks, data, length=None, pairs=(), order="<"):
    head = struct.pack(order + "IIIII", iface, ticks >> 32, ticks & 0xffffffff, len(data),
                       len(data) if length is None else length)
    return block(PACKET, head + padded(data) + options(pairs, order), order)


def old_packet(iface, drops, ticks, data, order="<"):
    head = struct.pack(order + "HHIIII", iface, drops, ticks >> 32, ticks & 0xffffffff, len(data), len(data))
    return block(OLD_PACKET, head + padded(data), order)


def simple(data, length=None, order="<"):
    head = struct.pack(order + "I", len(data) if length is None else length)
    return block(SIMPLE, head + padded(data), order)


def statistics(iface, pairs, order="<"):
    return block(STATISTICS, struct.pack(order + "III", iface, 0, 0) + options(pairs, order), order)


def blocks(data):
    """(type, order, bytes of its body, all of its bytes) of each block of a pcapng, whatever its sections are."""
    at, order = 0, "<"
    while at < len(data):
        if data[at:at + 4] == b"\n\r\r\n":
            order = {0x1a2b3c4d: "<", 0x4d3c2b1a: ">"}[struct.unpack_from("<I", data, at + 8)[0]]
        kind, length = struct.unpack_from(order + "II", data, at)
        assert length % 4 == 0 and length >= 12 and data[at + length - 4:at + length] == data[at + 4:at + 8], "lengths of a block"
        yield kind, order, data[at + 8:at + length - 4], data[at:at + length]
        at += length
    assert at == len(data), "more or less than blocks"


def pairs_of(body, order="<"):
    """[(code, value)] of options, each as often as it is there."""
    at, out = 0, []
    while at < len(body):
        code, n = struct.unpack_from(order + "HH", body, at)
        at += 4 + n + -n % 4
        assert at <= len(body) and not any(body[at - (-n % 4):at]), "an option"
        if code == 0:
            assert n == 0 and at == len(body), "the end of the options"
            return out
        out.append((code, body[at - n - (-n % 4):at - (-n % 4)]))
    assert not out, "options without an end"
    return out


def options_at(kind, order, body):
    """Where the options of a block are in its body; None: it has none."""
    if kind in (PACKET, OLD_PACKET):
        n, = struct.unpack_from(order + "I", body, 12)
        return 20 + n + -n % 4
    return {SECTION: 16, INTERFACE: 8, STATISTICS: 12}.get(kind)


def read_options(body):
    """{code: value}"""
    at, out = 0, {}
    while at < len(body):
        code, n = struct.unpack_from("<HH", body, at)
        value = body[at + 4:at + 4 + n]
        at += 4 + n + -n % 4
        assert not any(body[at - (-n % 4):at]), "padding of an option"
        if code == 0:
            assert n == 0 and at == len(body), "the end of the options"
            return out
        assert code not in out, f"option {code} twice"
        out[code] = value
    assert not out, "options without an end"
    return out


def read_packet(body):
    iface, high, low, caplen, length = struct.unpack_from("<IIIII", body)
    end = 20 + caplen + -caplen % 4
    assert end <= len(body) and not any(body[20 + caplen:end]), "padding of a packet"
    return Packet(iface, high << 32 | low, length, body[20:20 + caplen], read_options(body[end:]))


def read_simple(body, interfaces):
    length, = struct.unpack_from("<I", body)
    caplen = min(length, interfaces[0].snaplen or length)
    assert len(body) == 4 + caplen + -caplen % 4 and not any(body[4 + caplen:]), "padding of a simple packet"
    return Packet(0, None, length, body[4:4 + caplen])


def read(data):
    """([Interface], [Packet]) of a pcapng of one section, little-endian."""
    interfaces, packets, at = [], [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        after = data[at + length - 4:at + length]
        assert length % 4 == 0 and data[at + 4:at + 8] == after, "lengths of a block"
        body = data[at + 8:at + length - 4]
        assert (kind == SECTION) == (at == 0), "where the section begins"
        if kind == SECTION:
            assert body == struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1), "section header"
        elif kind == INTERFACE:
            linktype, reserved, snaplen = struct.unpack_from("<HHI", body)
            assert not reserved, "reserved bytes of an interface"
            interfaces.append(Interface(linktype, snaplen, read_options(body[8:]), len(packets)))
        elif kind == STATISTICS:
            interfaces[struct.unpack_from("<I", body)[0]].statistics = read_options(body[12:])
        elif kind == PACKET:
            packets.append(read_packet(body))
            assert packets[-1].iface < len(interfaces), "an interface not yet described"
        else:
            assert kind == SIMPLE, f"block {kind:#x}"
            packets.append(read_simple(body, interfaces))
        at += length
    assert at == len(data), "more or less than blocks"
    return interfaces, packets
