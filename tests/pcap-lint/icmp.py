#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""icmp.py PCAP-LINT MADE: what --decode shows of an ICMP error and of the RoCE packet that it quotes.

MADE holds lint-icmp-*.pcap. Of each of their packets there are all beginnings, as a snap length leaves them and as
a tap does that has cut the packet. What is to be shown is worked out here, from the bytes and RFC 792, 1191 and 4443.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ETH, ICMP, UDP, BTH = 14, 8, 8, 12
ROCE_PORT = 4791
# IP version: the size of its header, its protocol number of ICMP, the types that say why a packet was dropped, the
# type and code (None: any) that have an MTU, and what that is.
VERSIONS = {4: (20, 1, (3, 11, 12), (3, 4), lambda p: struct.unpack_from(">H", p, 6)[0]),
            6: (40, 58, (1, 2, 3, 4), (2, None), lambda p: struct.unpack_from(">I", p, 4)[0])}
ETHERTYPES = {0x0800: 4, 0x86dd: 6}


def packets(path):
    """The bytes of each packet of a pcap."""
    data, at = path.read_bytes(), 24
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    while at < len(data):
        n = struct.unpack_from(order + "I", data, at + 8)[0]
        yield data[at + 16:at + 16 + n]
        at += 16 + n


def protocol_of(version, ip):
    return ip[9] if version == 4 else ip[6]


def quoted_layers(version, p, at):
    """[(name, offset, length)] of the RoCE v2 packet that p has from @at on; none: it is not one."""
    size = VERSIONS[version][0]
    udp = p[at + size:]
    if len(udp) < UDP or protocol_of(version, p[at:]) != 17 or struct.unpack_from(">H", udp, 2)[0] != ROCE_PORT:
        return []
    if version == 4 and struct.unpack_from(">H", p, at + 6)[0] & 0x1fff:
        return []  # the rest of a packet
    out = [(f"ipv{version}", at, size), ("udp", at + size, UDP)]
    if len(udp) >= UDP + BTH:
        out.append(("bth", at + size + UDP, BTH))
    return out


def expected(p):
    """(version, offset, type, code, mtu or None, layers) of an error that is to be shown, else None."""
    version = ETHERTYPES.get(struct.unpack_from(">H", p, 12)[0]) if len(p) >= ETH else None
    if not version:
        return None
    size, protocol, types, with_mtu, mtu_of = VERSIONS[version]
    at = ETH + size
    if len(p) < at + ICMP or protocol_of(version, p[ETH:]) != protocol or p[at] not in types:
        return None
    layers = quoted_layers(version, p, at + ICMP)
    if not layers:
        return None
    has_mtu = p[at] == with_mtu[0] and with_mtu[1] in (None, p[at + 1])
    return version, at, p[at], p[at + 1], mtu_of(p[at:]) if has_mtu else None, layers


def beginnings(whole):
    """A pcap of all of them, twice, and each with what is captured."""
    out = bytearray(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    parts = []
    for p in whole:
        for n in range(len(p) + 1):
            for wire in (len(p), n):
                out += struct.pack("<IIII", len(parts), 0, n, wire) + p[:n]
                parts.append(p[:n])
    return bytes(out), parts


def shown(packet):
    """The same as expected(), of a packet as JSON."""
    icmp = packet.get("icmp")
    if icmp is None:
        return None
    assert icmp["length"] == ICMP and icmp["reason"] and icmp["quoted"]["outcome"] in ("ok", "cut")
    return (icmp["version"], icmp["offset"], icmp["type"], icmp["code"], icmp.get("mtu"),
            [(x["name"], x["offset"], x["length"]) for x in icmp["quoted"]["layers"]])


def shown_in_text(listing):
    """The same, of a packet as text."""
    found = re.search(r"^  icmp(v6)?: offset (\d+), length 8, \w.*\n    type: (\d+)\n    code: (\d+)\n(?:    mtu: (\d+)\n)?"
                      r"  quoted: (?:ok|cut)\n((?:.*\n)*)", listing, re.M)
    if not found:
        return None
    v6, at, kind, code, mtu, rest = found.groups()
    layers = re.findall(r"^  (\w+): offset (\d+), length (\d+), ", rest, re.M)
    return (6 if v6 else 4, int(at), int(kind), int(code), int(mtu) if mtu else None,
            [(name, int(off), int(n)) for name, off, n in layers])


def decoded(lint, path, *args):
    run = subprocess.run([lint, "--decode", *args, path], stdout=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 0, run.returncode
    return run.stdout


def check(lint, made, tmp):
    """How many packets there were, and with how many errors of each version that quote RoCE."""
    captures = sorted(made.glob("lint-icmp-*.pcap"))
    assert len(captures) == 3, captures
    data, parts = beginnings([p for capture in captures for p in packets(capture)])
    path = pathlib.Path(tmp) / "beginnings.pcap"
    path.write_bytes(data)
    rows = [json.loads(line) for line in decoded(lint, path, "--format", "json").splitlines()]
    texts = re.split(rf"(?m)^(?={re.escape(str(path))}:\d+: )", decoded(lint, path))[1:]
    wanted = [expected(p) for p in parts]
    assert len(rows) == len(texts) == len(parts), (len(rows), len(texts), len(parts))
    bad = [(i + 1, w, s, t) for i, (w, s, t) in enumerate(zip(wanted, map(shown, rows), map(shown_in_text, texts)))
           if not w == s == t]
    for frame, want, *got in bad[:10]:
        print(f"frame {frame}: {want} expected, {got[0]} as JSON, {got[1]} as text")
    counts = [sum(w is not None and w[0] == version for w in wanted) for version in VERSIONS]
    mtus = {w[4] for w in wanted if w} - {None}
    assert mtus == {1280, 1500, 9000}, mtus
    print(f"{len(parts)} packets, {counts[0]} ICMP and {counts[1]} ICMPv6 errors that quote RoCE, {len(bad)} wrong")
    return not bad and min(counts) > 500


def main():
    with tempfile.TemporaryDirectory() as tmp:
        return 0 if check(sys.argv[1], pathlib.Path(sys.argv[2]), tmp) else 1


if __name__ == "__main__":
    sys.exit(main())
