#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""icrc.py BAD-LIST MADE: the ICRC and VCRC of every packet, by zlib and by our own few lines.

A second opinion that shares nothing with the library: it finds its way to the BTH itself. The
captures of pcaps/ must have a wrong ICRC exactly where BAD-LIST says; those pcaps/make has written
to MADE under the names below must have none but where their .expect has CRC001. With --write it
prints the list instead.
"""
import pathlib
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ("faults", "mad", "reports", "reports-ib", "rxe", "ulp")
MADE = ("opcodes-*.pcap", "framings-*.pcap", "padding.pcap", "congestion.pcap", "erf.pcap",
        "mad-*.pcap", "streams-*.pcap", "ipoib-ib.pcap", "raw-ib.pcap", "vectors-*.pcap")
RAW = {"raw-ib.pcap", "vectors-ipoib.pcap"}  # nothing in them has an ICRC


def frames(path):
    """(link type, bytes, whether some are missing) of each frame of a pcap."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    linktype, = struct.unpack_from(order + "I", data, 20)
    at = 24
    while at < len(data):
        caplen, length = struct.unpack_from(order + "II", data, at + 8)
        yield linktype, data[at + 16:at + 16 + caplen], caplen < length
        at += 16 + caplen


def ones(data, *places):
    """A copy with each place (byte, mask) all ones."""
    out = bytearray(data)
    for at, mask in places:
        out[at] |= mask
    return bytes(out)


def good(covered, bth, stored):
    """Whether @stored is the CRC-32 of @covered with the BTH's fifth byte as ones."""
    crc = zlib.crc32(ones(covered, (bth + 4, 0xff)))
    return struct.pack("<I", crc) == stored


def whole(data, *masks):
    return [(at, 0xff) for at in data] + list(masks)


def icrc_ipv4(p):
    size = (p[0] & 15) * 4
    end, = struct.unpack_from(">H", p, 2)
    if end > len(p):
        return None  # cut on the way
    p = p[:end]
    masked = ones(p[:-4], *whole([1, 8, 10, 11, size + 6, size + 7]))
    return good(b"\xff" * 8 + masked, 8 + size + 8, p[-4:])


def icrc_ipv6(p):
    end, = struct.unpack_from(">H", p, 4)
    p = p[:40 + end]
    masked = ones(p[:-4], *whole([1, 2, 3, 7, 46, 47], (0, 0x0f)))
    return good(b"\xff" * 8 + masked, 8 + 48, p[-4:])


def icrc_grh(p, lrh=b"\xff" * 8):
    end, = struct.unpack_from(">H", p, 4)
    p = p[:40 + end]
    masked = ones(p[:-4], *whole([1, 2, 3, 7], (0, 0x0f)))
    return good(lrh + masked, 8 + 40, p[-4:])


def crc16(data):
    crc = 0xffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xd008 if crc & 1 else 0)
    return struct.pack("<H", crc ^ 0xffff)


def check_ib(p):
    """(ICRC, VCRC): True, False, or None where there is none."""
    lnh = p[1] & 3
    end = (struct.unpack_from(">H", p, 4)[0] & 0x7ff) * 4
    vcrc = crc16(p[:end]) == p[end:end + 2]
    if lnh < 2:
        return None, vcrc
    if lnh == 3:
        return icrc_grh(p[8:end]), vcrc
    return good(ones(p[:end - 4], (0, 0xf0)), 8, p[end - 4:end]), vcrc


def check_ip(p):
    if p[0] >> 4 == 4:
        size = (p[0] & 15) * 4
        if p[9] != 17 or struct.unpack_from(">H", p, 6)[0] & 0x3fff:
            return None, None
        port, = struct.unpack_from(">H", p, size + 2)
        if port == 4789:
            return check_eth(p[size + 16:])
        return (icrc_ipv4(p) if port == 4791 else None), None
    if p[6] != 17:
        return None, None
    return (icrc_ipv6(p) if struct.unpack_from(">H", p, 42)[0] == 4791 else None), None


def check_type(kind, p):
    while kind in (0x8100, 0x88a8):
        kind, p = struct.unpack_from(">H", p, 2)[0], p[4:]
    if kind in (0x0800, 0x86dd):
        return check_ip(p)
    return (icrc_grh(p) if kind == 0x8915 else None), None


def check_eth(p):
    return check_type(struct.unpack_from(">H", p, 12)[0], p[14:])


def check_erf(p):
    record, at = p[8], 16
    more = record & 0x80
    while more:
        more, at = p[at] & 0x80, at + 8
    return check_ib(p[at:]) if record & 0x7f == 21 else check_eth(p[at + 2:])


CHECKS = {
    1: check_eth, 101: check_ip, 228: check_ip, 229: check_ip, 242: lambda p: (None, None),
    113: lambda p: check_type(struct.unpack_from(">H", p, 14)[0], p[16:]), 197: check_erf,
    247: check_ib, 276: lambda p: check_type(struct.unpack_from(">H", p, 0)[0], p[20:]),
}


def verdicts(path):
    """(good ICRCs, frames with a bad ICRC, frames with a bad VCRC)"""
    count, icrc, vcrc = 0, [], []
    for number, (linktype, data, cut) in enumerate(frames(path), 1):
        if cut:
            continue
        of_icrc, of_vcrc = CHECKS[linktype](data)
        count += of_icrc is True
        icrc += [number] if of_icrc is False else []
        vcrc += [number] if of_vcrc is False else []
    return count, icrc, vcrc


def listed(path):
    """{capture: (good, [bad frames])}"""
    out = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, count, *bad = line.split()
            out[name] = (int(count), [int(n) for n in bad])
    return out


def spoiled(path):
    """The frames that a conversation makes wrong."""
    expect = path.with_suffix(".expect")
    rows = [line.split() for line in expect.read_text().splitlines()] if expect.exists() else []
    return [int(frame) for frame, *rules in rows if "CRC001" in rules]


def main():
    real = sorted(p for d in REAL for p in (ROOT / "pcaps" / d).glob("*.pcap"))
    found = {str(p.relative_to(ROOT / "pcaps")): verdicts(p) for p in real}
    if sys.argv[1:] == ["--write"]:
        for name, (count, icrc, _) in found.items():
            print(name, count, *icrc)
        return 0
    wanted, made = listed(pathlib.Path(sys.argv[1])), pathlib.Path(sys.argv[2])
    faults = [f"{name}: listed {wanted.get(name)}, found {(count, icrc)}"
              for name, (count, icrc, _) in found.items() if wanted.get(name) != (count, icrc)]
    faults += [f"{name}: listed, but not there" for name in wanted.keys() - found.keys()]
    faults += [f"{name}: wrong VCRC in {vcrc}" for name, (_, _, vcrc) in found.items() if vcrc]
    total = sum(count for count, _, _ in found.values())
    for pattern in MADE:
        paths = sorted(made.glob(pattern))
        if not paths:
            faults.append(f"{made}: no {pattern}")
        for path in paths:
            count, icrc, vcrc = verdicts(path)
            total += count
            if icrc != spoiled(path) or vcrc or not count and path.name not in RAW:
                faults.append(f"{path.name}: {count} good, wrong ICRC {icrc}, wrong VCRC {vcrc}")
    bad = sum(len(icrc) for _, icrc, _ in found.values())
    print("\n".join(faults + [f"{total} good, {bad} bad as listed, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
