#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tunnels.py PLUGIN: RoCE v2 inside something that only Wireshark knows is ours in take-over mode.

The packets of captures after GRE (RFC 2784), after MPLS, and as a user link type that the user says is IP;
as they are, and over an IPv4 header with options of every length, in which is what looks like another
header. What is said of them is what is said of the packet itself.
"""
import struct
import sys

import ws

ETHERNET, USER1 = 1, 148
USER1_IS_IP = 'uat:user_dlts:"User 1 (DLT=148)","ip","0","","0",""'
FRAMES = 20  # of each capture
PORT = 4801  # no port of RoCE's, but for Decode As
FIELDS = ("ibwire.bth.opcode", "ibwire.bth.psn", "ibwire.bth.dqpn", "ibwire.payload_len",
          "ibwire.icrc.status", "_ws.col.Protocol", "_ws.col.Info")
DECODE_AS = ("-d", f"udp.port=={PORT},ibwire")
TAKEOVER = ("-o", "ibwire.mode:takeover")


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def ipv4(protocol, options, payload, src, dst):
    head = struct.pack(">BBHHHBBH", 0x40 | (20 + len(options)) // 4, 0, 20 + len(options) + len(payload), 1,
                       0x4000, 64, protocol, 0) + src + dst + options
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def behind_gre(ip):
    """As the IP version of the packet says."""
    gre = struct.pack(">HH", 0, 0x0800 if ip[0] >> 4 == 4 else 0x86dd)
    return bytes(12) + b"\x08\x00" + ipv4(47, b"", gre + ip, bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))


def behind_mpls(ip):
    """Two labels, the last one with the bit that says so: RFC 3032."""
    return bytes(12) + b"\x88\x47" + struct.pack(">II", 16 << 12 | 64, 17 << 12 | 1 << 8 | 64) + ip


def with_options(ip, words, at_20, at_11):
    """
    An IPv4 packet with options, at the end of which are bytes that may be taken for a header without any:
    one @at_20 bytes before the UDP header, its protocol 9 bytes on. No operation fills them (RFC 791).
    """
    options = bytearray(b"\x01" * (words * 4))
    if words >= 5:
        options[-20], options[-11] = at_20, at_11
    return ipv4(17, bytes(options), ip[20:], ip[12:16], ip[16:20])


def on_port(ip, port):
    head = 20 if ip[0] >> 4 == 4 else 40
    return ip[:head + 2] + struct.pack(">H", port) + ip[head + 4:]


def roce():
    """The IP packets of captures over IPv4 and IPv6."""
    for name in ("01-rping-ipv4", "02-rping-ipv6"):
        rows = [data for *_, data in ws.records(ws.ROOT / f"pcaps/rxe/{name}.pcap")[1]]
        ips = [data[14:] for data in rows if data[12:14] in (b"\x08\x00", b"\x86\xdd")]
        yield [ip for ip in ips if ip[9 if ip[0] >> 4 == 4 else 6] == 17][:FRAMES]


def said(tshark, name, linktype, packets, *options):
    """Of each packet the fields above, as one line."""
    capture = tshark.write(name, linktype, [(i, 0, len(data), data) for i, data in enumerate(packets)])
    text = tshark.read(capture, *TAKEOVER, "-o", USER1_IS_IP, *options, "-T", "fields",
                       *(word for field in FIELDS for word in ("-e", field)))
    # Connections are not followed where only Wireshark looks.
    return [ws.SAID_OF_STREAM.sub("", line) for line in text.splitlines()]


def bare(lines):
    """Without the ICRC, and what Info says of it."""
    at = FIELDS.index("ibwire.icrc.status")
    return [[cell.removesuffix(" [ICRC incorrect]") for i, cell in enumerate(line.split("\t")) if i != at] for line in lines]


def differences(how, have, want):
    for i, (h, w) in enumerate(zip(have, want, strict=True), 1):
        if h != w:
            yield f"{how}: packet {i}: {h!r}, not {w!r}"


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    v4, v6 = roce()
    both = v4 + v6
    want = said(tshark, "plain.pcap", ETHERNET, [bytes(12) + (b"\x08\x00" if ip[0] >> 4 == 4 else b"\x86\xdd") + ip
                                                 for ip in both])
    if len(want) != 2 * FRAMES or any("RoCE v2" not in line.split("\t") for line in want):
        faults.append(f"not all of {len(want)} packets are RoCE v2")
    for form in behind_gre, behind_mpls:
        faults += differences(form.__name__, said(tshark, "tunnel.pcap", ETHERNET, map(form, both)), want)
    faults += differences("as IP", said(tshark, "ip.pcap", USER1, both), want)
    # Nor is it InfiniBand from its first byte on, because there is some in it.
    nearby = tshark.read(tshark.dir / "ip.pcap", "-o", USER1_IS_IP, "-Y", "ibwire").splitlines()
    faults += [f"as IP, augment mode: {line}" for line in nearby]
    # The ICRC covers the port, and the options: it is another one, all else is the same.
    ports = [behind_gre(on_port(ip, PORT)) for ip in both]
    faults += differences("Decode As", bare(said(tshark, "port.pcap", ETHERNET, ports, *DECODE_AS)), bare(want))
    shapes = [(words, looks) for words in range(11) for looks in ((1, 1), (0x45, 6), (0x44, 17))]
    packets = [with_options(ip, words, *looks) for words, looks in shapes for ip in v4]
    for name, linktype, form in (("GRE", ETHERNET, behind_gre), ("as IP", USER1, bytes)):
        have = bare(said(tshark, "options.pcap", linktype, map(form, packets)))
        faults += differences(f"options, {name}", have, bare(want[:FRAMES]) * len(shapes))
    return ws.verdict(faults, f"{len(want)} packets, {len(shapes)} kinds of options")


if __name__ == "__main__":
    sys.exit(main())
