#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""convert.py PCAP-LINT MADE: pcap-lint --convert.

Every capture of InfiniBand packets, in either byte order and resolution, becomes one of ERF records
and comes back the same byte by byte. The records are read here, number by number. What cannot be
converted is left out and named. What of a pcapng is said of interfaces stays true in another one.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import pcapng_parts as ng

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINT = pathlib.Path(sys.argv[1]).absolute()
ETHERNET, ERF, INFINIBAND = 1, 197, 247
MAGICS = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        if len(failures) <= 50:
            print("FAILED:", what)
    return ok


def order_of(data):
    return "<" if struct.unpack_from("<I", data)[0] in MAGICS else ">"


def head_of(data):
    """magic, major, minor, zone, accuracy, snap length, link type"""
    return struct.unpack_from(order_of(data) + "IHHiIII", data)


def records(data):
    """[(seconds, nanoseconds, length, bytes)]"""
    order, at, out = order_of(data), 24, []
    scale = MAGICS[head_of(data)[0]]
    while at < len(data):
        sec, sub, caplen, length = struct.unpack_from(order + "IIII", data, at)
        out.append((sec, sub * scale, length, data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return out


def pcap(linktype, packets, order="<", magic=0xa1b23c4d, snaplen=65535):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, linktype)
    for sec, nsec, length, data in packets:
        out += struct.pack(order + "IIII", sec, nsec // MAGICS[magic], len(data), length) + data
    return out


def convert(tmp, framing, data, *options, status=0):
    """(what was written or None, standard output, standard error)"""
    source, target = tmp / "in.pcap", tmp / "out.pcap"
    source.write_bytes(data)
    target.unlink(missing_ok=True)
    done = subprocess.run([LINT, "--convert", framing, target, *options, source], check=False,
                          capture_output=True, text=True)
    check(done.returncode == status, f"{framing}: status {done.returncode}: {done.stderr}")
    return target.read_bytes() if target.exists() else None, done.stdout, done.stderr


def check_record(where, packet, record):
    """The ERF record of one packet."""
    sec, nsec, length, data = packet
    rsec, rnsec, rlength, erf = record
    fraction, seconds, kind, flags, rlen, lost, wlen = struct.unpack_from("<II", erf) + \
        struct.unpack_from(">BBHHH", erf, 8)
    whole = len(data) == length
    padding = -len(data) % 8 if whole else 0
    check((rsec, rnsec, seconds) == (sec, nsec, sec), f"{where}: seconds {rsec} {seconds}, {sec}")
    check(round(fraction * 1000000000 / 2**32) == nsec, f"{where}: fraction {fraction:#x}, {nsec} ns")
    check((kind, flags, lost) == (21, 4, 0), f"{where}: type {kind}, flags {flags}, lost {lost}")
    check(wlen == length, f"{where}: wire length {wlen} of {length}")
    check(rlen == len(erf) == 16 + len(data) + padding, f"{where}: record length {rlen}")
    check(not whole or (rlen % 8 == 0 and rlength == rlen), f"{where}: {rlen} of {rlength}")
    check(whole or rlength > rlen, f"{where}: cut, but {rlen} of {rlength}")
    check(erf[16:] == data + bytes(padding), f"{where}: not its packet")


def there_and_back(tmp, name, data):
    erf, out, err = convert(tmp, "erf", data)
    packets, converted = records(data), records(erf)
    check(not err and out.endswith(f": {len(packets)} packets written, 0 left out\n"), f"{name}: {out}{err}")
    check(head_of(erf)[0] == head_of(data)[0] and head_of(erf)[6] == ERF, f"{name}: {head_of(erf)}")
    if check(len(converted) == len(packets), f"{name}: {len(converted)} of {len(packets)} packets"):
        for i, (packet, record) in enumerate(zip(packets, converted), 1):
            check_record(f"{name}:{i}", packet, record)
    check(max((len(r[3]) for r in converted), default=0) <= head_of(erf)[5] or
          max(len(p[3]) for p in packets) > head_of(data)[5], f"{name}: snap length")
    back, out, err = convert(tmp, "pcap", erf)
    check(back == data and not err, f"{name}: does not come back: {out}{err}")
    again, _, _ = convert(tmp, "erf", erf)
    check(again == erf, f"{name}: ERF records do not stay what they are")
    return len(packets)


def infiniband(made):
    for path in [*sorted((ROOT / "pcaps").glob("*/*.pcap")), *sorted(pathlib.Path(made).glob("*.pcap"))]:
        data = path.read_bytes()
        magic = struct.unpack_from("<I", data)[0] if len(data) >= 24 else 0
        if magic in MAGICS and head_of(data)[6] == INFINIBAND:
            yield path.name, data


def variants(tmp, packets):
    """Byte orders, resolutions, every length to 40, each also cut; edges of time and length."""
    made = [(i, 1000 * i, i, bytes(range(i))) for i in range(1, 41)]
    made += [(i, 999999000, i + 8, bytes(range(i))) for i in range(1, 41)]
    made += [(0, 0, 0, b""), (0xffffffff, 0, 290, bytes(290)), (1, 0, 65512, bytes(65512))]
    n = 0
    for order in "<>":
        for magic in MAGICS:
            for snaplen in (0, 64, 65535, 262144):
                n += there_and_back(tmp, f"{order}{magic:x} {snaplen}",
                                    pcap(INFINIBAND, made + packets, order, magic, snaplen))
    fine = [(5, nsec, 8, bytes(8)) for nsec in (0, 1, 2, 499999999, 500000001, 999999998, 999999999)]
    n += there_and_back(tmp, "nanoseconds", pcap(INFINIBAND, fine))
    n += there_and_back(tmp, "empty", pcap(INFINIBAND, []))
    return n


def refused(tmp, packets):
    out, _, err = convert(tmp, "erf", pcap(ETHERNET, packets), status=2)
    check(out is None, "an Ethernet capture: something was written")
    check(re.search(r"in\.pcap: link type 1 \(EN10MB\): only InfiniBand", err), f"Ethernet: {err}")

    long = [packets[0], (1, 0, 65521, bytes(65521)), (1, 0, 65536, bytes(20)), packets[1]]
    out, said, err = convert(tmp, "erf", pcap(INFINIBAND, long), status=2)
    check([r[3][16:16 + len(p[3])] for p, r in zip(packets, records(out))] ==
          [p[3] for p in packets[:2]] and len(records(out)) == 2, "too long: what else is there is not written")
    check(re.search(r"in\.pcap:2: 65521 bytes are too many.*\n.*in\.pcap:3: 65536 bytes", err),
          f"too long: {err}")
    check("2 packets written, 2 left out" in said, f"too long: {said}")

    ethernet = struct.pack("<QBBHHH", 0, 2, 4, 24, 0, 6) + bytes(8)
    unending = struct.pack("<QBBHHH", 0, 0x95, 4, 24, 0, 6) + b"\x80" + bytes(7)
    bad = [(1, 0, len(d), d) for d in (ethernet, unending, bytes(15))]
    out, said, err = convert(tmp, "pcap", pcap(ERF, bad), status=2)
    check(records(out) == [] and "3 left out" in said, f"no InfiniBand record: {said}")
    for i, text in enumerate((r"an ERF record of type 2 \(Ethernet\)", "headers of an ERF record do not end "
                              "within 24", "headers of an ERF record do not end within 15"), 1):
        check(re.search(rf"in\.pcap:{i}: (the |){text}", err), f"record {i}: {err}")

    cut = pcap(INFINIBAND, packets[:2])[:-1]
    out, _, err = convert(tmp, "erf", cut, status=2)
    check(len(records(out)) == 1 and "in.pcap:2: " in err, f"a cut file: {err}")

    for options, text in ((["--convert"], "Missing argument"), (["--convert", "erf"], "a format and a file"),
                          (["--convert", "sgi", "x", "y"], "none of erf, pcap"),
                          (["--convert=erf", "x"], "no capture"), (["--convert=erf", "x", "y", "z"], "one capture")):
        done = subprocess.run([LINT, *options], capture_output=True, text=True, check=False, cwd=tmp)
        check(done.returncode == 2 and text in done.stderr, f"{options}: {done.stderr}")
    (tmp / "in.pcap").write_bytes(cut)
    done = subprocess.run([LINT, "--convert=erf", "in.pcap", "in.pcap"], capture_output=True, text=True,
                          check=False, cwd=tmp)
    check("is one of the captures" in done.stderr and (tmp / "in.pcap").read_bytes() == cut,
          f"onto itself: {done.stderr}")


def options(tmp, packets):
    data = pcap(INFINIBAND, packets)
    out, said, _ = convert(tmp, "erf", data, "-c", "3")
    check(len(records(out)) == 3 and "3 packets written" in said, "-c 3")
    out, said, _ = convert(tmp, "erf", data, "-q")
    check(len(records(out)) == len(packets) and said == "", "-q")
    _, said, err = convert(tmp, "erf", pcap(INFINIBAND, [(1, 0, 65536, bytes(9))] * 30), status=2)
    check(err.count("\n") == 10 and "30 left out" in said, f"30 messages: {err}")


# ---- pcapng ----


def frames(n):
    """Of different lengths."""
    return [bytes([i]) * (i + 14) for i in range(1, n + 1)]


def sections(order):
    """(pcapng, [interface], [packet]) of two sections, the second in byte order @order."""
    f = frames(9)
    name, drops = "ib\u00e9 0".encode(), struct.pack(order + "Q", 3)
    data = ng.section(pairs=[(ng.COMMENT, b"a comment")])
    data += ng.interface(ETHERNET, 20, [(ng.IF_NAME, b"eth0"), (ng.IF_FCSLEN, b"\x20")])
    data += ng.interface(INFINIBAND, 0, [(ng.IF_TSRESOL, b"\x09"), (ng.COMMENT, b"another")])
    data += ng.packet(1, 1700000000123456789, f[0])
    data += ng.packet(0, 1700000000123456, f[1], 999, [(ng.COMMENT, b"of a packet")])
    data += ng.block(4, bytes(4)) + ng.simple(f[7][:20], 22) + ng.old_packet(0, 5, 1700000000123457, f[2])
    data += ng.interface(ERF, 0xffffffff, [(ng.IF_NAME, name),
                                           (ng.IF_TSOFFSET, struct.pack("<q", 1700000000))])
    data += ng.packet(2, 77, f[3]) + ng.old_packet(1, 6, 1700000000123456790, f[6])
    data += ng.statistics(1, [(ng.ISB_IFDROP, struct.pack("<Q", 2**40))])
    data += ng.section(order) + ng.interface(113, 65535, [], order)
    data += ng.packet(0, 1700000000123458, f[4], None,
                      [(ng.EPB_FLAGS, struct.pack(order + "I", 2 << 5)), (ng.EPB_DROPCOUNT, drops)], order)
    data += ng.interface(ETHERNET, 0, [], order) + ng.simple(f[5], None, order)
    interfaces = [
        ng.Interface(ETHERNET, 20, {ng.IF_NAME: b"eth0", ng.IF_TSRESOL: b"\6", ng.IF_FCSLEN: b" "}, 0),
        ng.Interface(INFINIBAND, 0, {ng.IF_TSRESOL: b"\x09"}, 0,
                     {ng.ISB_IFRECV: bytes(8), ng.ISB_IFDROP: struct.pack("<Q", 2**40),
                      ng.ISB_OSDROP: bytes(8)}),
        ng.Interface(ERF, 0xffffffff, {ng.IF_NAME: name, ng.IF_TSRESOL: b"\6"}, 4),
        ng.Interface(113, 65535, {ng.IF_TSRESOL: b"\6"}, 6),
        ng.Interface(ETHERNET, 0, {ng.IF_TSRESOL: b"\6"}, 7),
    ]
    fcs = {ng.EPB_FLAGS: struct.pack("<I", 4 << 5)}
    packets = [
        ng.Packet(1, 1700000000123456789, len(f[0]), f[0]), ng.Packet(0, 1700000000123456, 999, f[1], fcs),
        ng.Packet(0, None, 22, f[7][:20]),
        ng.Packet(0, 1700000000123457, len(f[2]), f[2], fcs | {ng.EPB_DROPCOUNT: struct.pack("<Q", 5)}),
        ng.Packet(2, 1700000000000077, len(f[3]), f[3]),
        ng.Packet(1, 1700000000123456790, len(f[6]), f[6], {ng.EPB_DROPCOUNT: struct.pack("<Q", 6)}),
        ng.Packet(3, 1700000000123458, len(f[4]), f[4],
                  {ng.EPB_FLAGS: struct.pack("<I", 2 << 5), ng.EPB_DROPCOUNT: struct.pack("<Q", 3)}),
        ng.Packet(3, 0, len(f[5]), f[5]),  # no time: only interface 0 can say that
    ]
    return data, interfaces, packets


def check_parts(name, data, want):
    for what, ours, theirs in zip(("interface", "packet"), ng.read(data), want):
        check(len(ours) == len(theirs), f"{name}: {len(ours)} of {len(theirs)} {what}s")
        for a, b in zip(ours, theirs):
            check(a == b, f"{name}: {what} {a}, not {b}")


def repaired(tmp):
    """Packets may grow there, so that nothing is said of a snap length."""
    for order in "<>":
        data, interfaces, packets = sections(order)
        for interface in interfaces:
            interface.snaplen = 0
        packets[2].ticks, packets[2].options = 0, packets[1].options
        (tmp / "in.pcap").write_bytes(data)
        subprocess.run([LINT, "--repair", tmp / "out.pcap", "-q", tmp / "in.pcap"], check=True,
                       capture_output=True)
        check_parts(f"{order}: repaired", (tmp / "out.pcap").read_bytes(), (interfaces, packets))


def pcap_of_pcapng(tmp):
    """What a pcap says once for all packets, of interfaces that say it each for itself."""
    us, ns = [(ng.IF_TSRESOL, b"\x06")], [(ng.IF_TSRESOL, b"\x09")]
    first = ng.section() + ng.interface(ETHERNET, 64, us)
    one, two = ng.packet(0, 5000001, bytes(20)), ng.packet(1, 5000002003, bytes(21))
    three = ng.packet(1, 5000003000, bytes(22))
    want = [(5, 1000, 20, bytes(20)), (5, 2003, 21, bytes(21)), (5, 3000, 22, bytes(22))]
    for pairs, snaplen, magic in ((us, 64, 0xa1b2c3d4), (ns, 100, 0xa1b23c4d), (ns, 0, 0xa1b23c4d)):
        second = ng.interface(ETHERNET, snaplen, ns) if pairs == ns else b""
        out, _, _ = convert(tmp, "pcap", first + second + one)
        check(out == pcap(ETHERNET, want[:1], magic=magic, snaplen=snaplen), f"a pcap of {snaplen} {pairs}")
    out, _, _ = convert(tmp, "pcap", first + ng.interface(ETHERNET, 64, ns) + one + two + three)
    check(out == pcap(ETHERNET, want, snaplen=64), "nanoseconds beside microseconds")
    out, _, err = convert(tmp, "pcap", first + one + ng.interface(ETHERNET, 64, ns) + two + three, status=2)
    check(out == pcap(ETHERNET, [want[0], want[2]], magic=0xa1b2c3d4, snaplen=64) and
          "in.pcap:2: a time of 5.000002003 s has nanoseconds, and the pcap microseconds" in err,
          f"nanoseconds behind microseconds: {err}")
    out, _, _ = convert(tmp, "pcap", ng.section() + ng.interface(INFINIBAND, 64, ns))
    check(out == pcap(INFINIBAND, [], snaplen=64), "no packets")
    out, _, _ = convert(tmp, "pcap", first + ng.interface(ETHERNET, 32, us) + one)
    check(out == pcap(ETHERNET, want[:1], magic=0xa1b2c3d4, snaplen=64), "a smaller snap length")
    out, _, _ = convert(tmp, "pcap", ng.section())
    check(out == pcap(INFINIBAND, [], snaplen=0), "no interfaces")

    four = [*us, (ng.IF_FCSLEN, b"\x20")]
    both = ng.section() + ng.interface(ETHERNET, 64, four)
    fcs = pcap(ETHERNET | 1 << 26 | 2 << 28, want[:1], magic=0xa1b2c3d4, snaplen=64)
    check(convert(tmp, "pcap", both + one)[0] == fcs, "an FCS of 4 bytes")
    none = pcap(ETHERNET, want[:1], magic=0xa1b2c3d4, snaplen=64)
    check(convert(tmp, "pcap", both + ng.interface(ETHERNET, 64, us) + one)[0] == none, "two kinds of FCS")
    out, _, _ = convert(tmp, "erf", ng.section() + ng.interface(INFINIBAND, 64, four) + one)
    check(head_of(out)[6] == ERF, "an FCS that is within ERF records")
    odd = ng.section() + ng.interface(ETHERNET, 64, [*us, (ng.IF_FCSLEN, b"\x18")])
    check(convert(tmp, "pcap", odd + one)[0] == none, "an FCS of 3 bytes")
    two = ng.packet(0, 5000001, bytes(20), None, [(ng.EPB_FLAGS, struct.pack("<I", 2 << 5))])
    out, _, _ = convert(tmp, "pcap", both + two + one)
    check(out == pcap(ETHERNET, want[:1] * 2, magic=0xa1b2c3d4, snaplen=64), "a packet with another FCS")
    later = ng.interface(ETHERNET, 64, us) + ng.packet(1, 7, bytes(9))
    out, _, err = convert(tmp, "pcap", both + one + later, status=2)
    check(out == fcs and "in.pcap:2: an FCS of 0 bytes, and the pcap says they have 4" in err, f"FCS: {err}")


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        tmp, names, some = pathlib.Path(name), [], []
        for name, data in infiniband(sys.argv[2]):
            count += there_and_back(tmp, name, data)
            names.append(name)
            some = some or records(data)[:20]
        check({"sa.pcap", "perf.pcap", "sweep.pcap", "cut-ib-global.pcap"} <= set(names), f"only {names}")
        count += variants(tmp, some)
        refused(tmp, some)
        options(tmp, some)
        repaired(tmp)
        pcap_of_pcapng(tmp)
    print(f"{len(names)} captures, {count} packets there and back, {len(failures)} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
