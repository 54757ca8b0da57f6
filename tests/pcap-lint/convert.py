#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""convert.py PCAP-LINT MADE: pcap-lint --convert.

Every capture of InfiniBand packets, in either byte order and resolution, becomes one of ERF records
and comes back the same byte by byte. Every capture of any kind becomes a pcapng: packet by packet
the same, as pcap-lint and Wireshark read it, too; a pcap comes back from it the same byte by byte.
The records and blocks are read here, number by number. What cannot be converted is left out and named.
"""
import contextlib
import functools
import gzip
import itertools
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracles"))
import bare  # noqa: E402
import first_fault  # noqa: E402
import pcapng_parts as ng  # noqa: E402
import sample  # noqa: E402
from text_words import counted  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINT = pathlib.Path(sys.argv[1]).absolute()
ETHERNET, ERF, INFINIBAND = 1, 197, 247
MAGICS = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        if len(failures) <= 50:
            print("FAILED:", what)
        if first_fault.only():
            raise SystemExit(1)
    return ok


def order_of(data):
    return "<" if struct.unpack_from("<I", data)[0] in MAGICS else ">"


def linktype_of(data):
    return head_of(data)[6] & 0xffff


def head_of(data):
    """magic, major, minor, zone, accuracy, snap length, link type"""
    return struct.unpack_from(order_of(data) + "IHHiIII", data)


def each_record(data):
    """(seconds, nanoseconds, length, bytes)"""
    order, at = order_of(data), 24
    scale = MAGICS[head_of(data)[0]]
    while at < len(data):
        sec, sub, caplen, length = struct.unpack_from(order + "IIII", data, at)
        yield sec, sub * scale, length, data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def records(data):
    return list(each_record(data))


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
    check(not err and out.endswith(f": {counted(len(packets), 'packet')} written, 0 left out\n"), f"{name}: {out}{err}")
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
    check(err == f"pcap-lint: {tmp / 'in.pcap'}: link type 1 (EN10MB): only InfiniBand packets (247) are put "
                 "into ERF records\n", f"Ethernet: {err}")

    long = [packets[0], (1, 0, 65521, bytes(65521)), (1, 0, 65536, bytes(20)), packets[1]]
    out, said, err = convert(tmp, "erf", pcap(INFINIBAND, long), status=2)
    check([r[3][16:16 + len(p[3])] for p, r in zip(packets, records(out))] ==
          [p[3] for p in packets[:2]] and len(records(out)) == 2, "too long: what else is there is not written")
    name = tmp / "in.pcap"
    check(err == "".join(f"pcap-lint: {name}:{frame}: {length} bytes are too many for an ERF record\n"
                         for frame, length in ((2, 65521), (3, 65536))), f"too long: {err}")
    check(said == f"{name}: 2 packets written, 2 left out\n", f"too long: {said}")

    ethernet = struct.pack("<QBBHHH", 0, 2, 4, 24, 0, 6) + bytes(8)
    unending = struct.pack("<QBBHHH", 0, 0x95, 4, 24, 0, 6) + b"\x80" + bytes(7)
    bad = [(1, 0, len(d), d) for d in (ethernet, unending, bytes(15))]
    out, said, err = convert(tmp, "pcap", pcap(ERF, bad), status=2)
    check(out is None and said == "", f"no InfiniBand record: {said}")
    texts = ["an ERF record of type 2 (Ethernet), no InfiniBand packet",
             *(f"the headers of an ERF record do not end within {n} bytes" for n in (24, 15))]
    left = "".join(f"pcap-lint: {name}:{i}: {text}\n" for i, text in enumerate(texts, 1))
    check(err == f"{left}pcap-lint: {tmp / 'out.pcap'}: not written, as no packet of {name} could be\n", f"no record: {err}")

    cut = pcap(INFINIBAND, packets[:2])[:-1]
    out, _, err = convert(tmp, "erf", cut, status=2)
    check(len(records(out)) == 1 and "in.pcap:2: " in err, f"a cut file: {err}")

    for options, text in ((["--convert"], "Missing argument"), (["--convert", "erf"], "no capture"),
                          (["--convert=erf", "-c", "1", "x"], "no file to write"),
                          (["--convert", "sgi", "x", "y"], "none of erf, pcap, pcapng"),
                          (["--convert=erf", "x"], "no capture"), (["--convert=erf", "x", "y", "z"], "one capture")):
        done = subprocess.run([LINT, *options], capture_output=True, text=True, check=False, cwd=tmp)
        check(done.returncode == 2 and text in done.stderr, f"{options}: {done.stderr}")
    (tmp / "in.pcap").write_bytes(cut)
    done = subprocess.run([LINT, "--convert=erf", "in.pcap", "in.pcap"], capture_output=True, text=True,
                          check=False, cwd=tmp)
    check("is one of the captures" in done.stderr and (tmp / "in.pcap").read_bytes() == cut,
          f"onto itself: {done.stderr}")


def output_option(tmp, packets):
    """The file may be that of -o; with two words it is not, and -o is where the summary goes."""
    data = pcap(INFINIBAND, packets)
    want, said, _ = convert(tmp, "erf", data)
    source, out, text = tmp / "in.pcap", tmp / "o.pcap", tmp / "o.txt"
    source.write_bytes(data)
    for words in (["--convert", "erf", "-o", out, source], ["--convert", "erf", source, "-o", out],
                  ["-o", out, "--convert=erf", source], [f"--output={out}", source, "--convert", "erf"],
                  ["--convert", "erf", out, "-o", text, source]):
        out.unlink(missing_ok=True)
        done = subprocess.run([LINT, *words], capture_output=True, text=True, check=False)
        check(done.returncode == 0 and out.read_bytes() == want, f"{words}: {done.stderr}")
        check((text.read_text() if text in words else done.stdout) == said, f"{words}: {done.stdout}")
    done = subprocess.run([LINT, "--convert", "erf", "-o", source, source], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and source.read_bytes() == data, "-o is the capture")


def options(tmp, packets):
    data = pcap(INFINIBAND, packets)
    out, said, _ = convert(tmp, "erf", data, "-c", "3")
    check(len(records(out)) == 3 and "3 packets written" in said, "-c 3")
    out, said, _ = convert(tmp, "erf", data, "-q")
    check(len(records(out)) == len(packets) and said == "", "-q")
    _, said, err = convert(tmp, "erf", pcap(INFINIBAND, [*packets[:1], *[(1, 0, 65536, bytes(9))] * 30]),
                           status=2)
    check(err.count("\n") == 10 and "30 left out" in said, f"30 messages: {err}")


# ---- pcapng ----


def ns_of(record):
    return record[0] * 10**9 + record[1]


def check_interface(name, data, interface):
    """The interface of a pcap."""
    head = head_of(data)
    want = {ng.IF_TSRESOL: b"\x06" if MAGICS[head[0]] == 1000 else b"\x09"}
    if head[6] & 1 << 26 and head[6] >> 28:
        want[ng.IF_FCSLEN] = bytes([(head[6] >> 28) * 16])
    check((interface.linktype, interface.snaplen) == (head[6] & 0xffff, head[5]), f"{name}: {interface}")
    check(interface.options == want and interface.statistics is None, f"{name}: {interface}")


def check_packets(name, interfaces, packets, expected):
    """@expected: [(interface, nanoseconds, length, bytes)]"""
    check(len(packets) == len(expected), f"{name}: {len(packets)} of {len(expected)} packets")
    for i, (packet, want) in enumerate(zip(packets, expected), 1):
        time = None if packet.ticks is None else interfaces[packet.iface].nanoseconds(packet.ticks)
        check((packet.iface, time, packet.length, packet.data) == want,
              f"{name}:{i}: {packet.iface} {time} {packet.length} {packet.data[:20]}, not {want}")


def decoded(path, *what):
    """What pcap-lint says of it, whatever the file is called, where its records are, and what it says of its interfaces."""
    done = subprocess.run([LINT, *what, "--format", "json", path], check=False, capture_output=True,
                          text=True)
    name = str(path)
    return [re.sub(r',"file_offset":\d+|,"interfaces":\[.*?\]', "", line.replace(name, "FILE")) for line in done.stdout.splitlines()]


def same_for_lint(tmp, name):
    for what in (["--decode", "-v"], ["--severity", "perf", "--max-per-rule", "0"]):
        ours, theirs = (decoded(tmp / path, *what) for path in ("out.pcap", "in.pcap"))
        check(ours == theirs, f"{name}: read differently, {what}")


@functools.cache
def wireshark():
    return bare.Wireshark()


def by_editcap(tmp, path, form):
    """(status, records) of the pcap Wireshark makes of it; in those of ERF it changes something."""
    target = tmp / "theirs.pcap"
    target.unlink(missing_ok=True)
    status, _, _ = wireshark().done("editcap", "-F", form, path, target)
    return status, target.read_bytes()[24:]


def same_for_wireshark(tmp, name, data):
    """Wireshark's library finds in the pcapng what it finds in the pcap. True: all of it was read."""
    if not bare.found("editcap") or linktype_of(data) == INFINIBAND:
        return False
    form = "pcap" if MAGICS[head_of(data)[0]] == 1000 else "nsecpcap"
    ours, theirs = (by_editcap(tmp, tmp / path, form) for path in ("out.pcap", "in.pcap"))
    check(ours == theirs, f"{name}: not what Wireshark reads")
    return ours[0] == 0


def by_pcapng(tmp, name, data):
    """A whole pcap there and back; whether Wireshark had a look at it."""
    order, packets = order_of(data), records(data)
    out, said, err = convert(tmp, "pcapng", data)
    check(not err and said.endswith(f": {counted(len(packets), 'packet')} written, 0 left out\n"),
          f"{name}: {said}{err}")
    interfaces, converted = ng.read(out)
    if check(len(interfaces) == 1, f"{name}: {interfaces}"):
        check_interface(name, data, interfaces[0])
    check_packets(name, interfaces, converted, [(0, ns_of(p), p[2], p[3]) for p in packets])
    same_for_lint(tmp, name)
    seen = same_for_wireshark(tmp, name, data)
    check(convert(tmp, "pcapng", out)[0] == out, f"{name}: a pcapng does not stay what it is")
    back, said, err = convert(tmp, "erf" if linktype_of(data) == ERF else "pcap", out)
    if order == ">":
        head = struct.pack("<IHHiIII", *head_of(data))
        check(back[:24] == head and records(back) == packets, f"{name}: not the same in this byte order")
    else:
        check(back == data and not err, f"{name}: does not come back from a pcapng: {said}{err}")
    return seen


# Captures that are cut, or have lengths that cannot be: what of them can be had.
DAMAGED = {"lint-cap-length-huge.pcap": 1, "lint-cap-lengths.pcap": 2, "lint-cap-truncated-header.pcap": 1,
           "lint-cap-truncated.pcap": 1}


def damaged(tmp, path):
    data = path.read_bytes()
    want = list(itertools.islice(each_record(data), DAMAGED[path.name]))
    out, said, err = convert(tmp, "pcapng", data, status=2)
    interfaces, packets = ng.read(out)
    check_packets(path.name, interfaces, packets,
                  [(0, ns_of(p), max(p[2], len(p[3])), p[3]) for p in want])
    check("in.pcap:2: " in err and said == f"{tmp / 'in.pcap'}: {counted(len(want), 'packet')} written, 0 left out\n",
          f"{path.name}: {said}{err}")


def all_pcaps(tmp, made):
    """Every pcap of the tree and of pcaps/make; (how many, how many for Wireshark)"""
    count, seen, met = 0, 0, set()
    paths = [*sorted((ROOT / "pcaps").glob("*/*.pcap")), *sorted(pathlib.Path(made).glob("*.pcap"))]
    paths = sample.rows(paths, lambda path: path.name)
    for path in paths:
        if path.name in DAMAGED:
            damaged(tmp, path)
            met.add(path.name)
            continue
        data = path.read_bytes()
        seen += by_pcapng(tmp, path.name, data)
        count += 1
    check(met == set(DAMAGED) & {path.name for path in paths} and count > sample.count(90), f"{count} captures and {met}")
    return count, seen


def pcap_variants(tmp):
    """Byte orders, resolutions, snap lengths, every length, cut and whole; FCS; the edges of time."""
    made = [(i, 1000 * i, i + i % 3, bytes(range(i))) for i in range(41)]
    made += [(0, 0, 0, b""), (0xffffffff, 999999000, 262144, bytes(262144)), (1, 0, 0xffffffff, b"")]
    for order in "<>":
        for magic in MAGICS:
            for snaplen in (0, 64, 262144, 0xffffffff):
                by_pcapng(tmp, f"{order}{magic:x} {snaplen}", pcap(INFINIBAND, made, order, magic, snaplen))
    fine = [(5, nsec, 20, bytes(20)) for nsec in (0, 1, 2, 499999999, 500000001, 999999998, 999999999)]
    by_pcapng(tmp, "nanoseconds", pcap(ETHERNET, fine))
    by_pcapng(tmp, "empty", pcap(ETHERNET, []))
    for units in (1, 2, 7, 8, 15):
        by_pcapng(tmp, f"FCS of {units}", pcap(ETHERNET | 1 << 26 | units << 28, made[20:]))
    kuznetsov = struct.pack("<IHHiIII", 0xa1b2cd34, 2, 4, 0, 0, 65535, ETHERNET) + \
        struct.pack("<IIIIIHBB", 7, 8, 20, 30, 1, 2, 3, 0) + bytes(20)
    out, _, _ = convert(tmp, "pcapng", kuznetsov)
    check_packets("Kuznetsov's", *ng.read(out), [(0, 7000008000, 30, bytes(20))])
    check(convert(tmp, "pcap", out)[0] == pcap(ETHERNET, [(7, 8000, 30, bytes(20))], magic=0xa1b2c3d4),
          "Kuznetsov's comes back as something else")
    out, _, _ = convert(tmp, "pcapng", pcap(ETHERNET, fine))
    check(convert(tmp, "pcapng", gzip.compress(pcap(ETHERNET, fine)))[0] == out, "compressed")


# Of each resolution: ticks, and nanoseconds as they come out.
RESOLUTIONS = [
    (0, 1700000000, 1700000000 * 10**9), (3, 1700000000123, 1700000000123 * 10**6),
    (6, 1700000000123456, 1700000000123456 * 10**3), (9, 1700000000123456789, 1700000000123456789),
    (0x80, 5, 5 * 10**9), (0x80 | 9, 5 * 512 + 511, 5998046875), (0x80 | 10, 5 * 1024 + 1023, 5999023437),
    (0x80 | 32, (5 << 32) + 1, 5 * 10**9), (12, 5123456789012, 5123456789),
]


def frames(n):
    """Of different lengths."""
    return [bytes([i]) * (i + 14) for i in range(1, n + 1)]


def resolutions(tmp):
    """No time is rounded: resolutions and ticks stay what they are."""
    data, f = ng.section(), frames(len(RESOLUTIONS))
    for resolution, _, _ in RESOLUTIONS:
        data += ng.interface(ETHERNET, 0, [(ng.IF_TSRESOL, bytes([resolution]))])
    for i, (_, ticks, _) in enumerate(RESOLUTIONS):
        data += ng.packet(i, ticks, f[i])
    interfaces, packets = ng.read(convert(tmp, "pcapng", data)[0])
    check_packets("resolutions", interfaces, packets,
                  [(i, ns, len(f[i]), f[i]) for i, (_, _, ns) in enumerate(RESOLUTIONS)])
    for interface, packet, (resolution, ticks, _) in zip(interfaces, packets, RESOLUTIONS):
        check(interface.options == {ng.IF_TSRESOL: bytes([resolution])} and packet.ticks == ticks,
              f"resolution {resolution:#x}: {interface} {packet}")
    same_for_lint(tmp, "resolutions")


def sections(order):
    """(pcapng, [interface], [packet]) of two sections, the second in byte order @order."""
    f = frames(9)
    name, drops = "ib\u00e9 0".encode(), struct.pack(order + "Q", 3)
    offset = struct.pack("<q", 1700000000)
    data = ng.section(pairs=[(ng.COMMENT, b"a comment")])
    data += ng.interface(ETHERNET, 20, [(ng.IF_NAME, b"eth0"), (ng.IF_FCSLEN, b"\x20")])
    data += ng.interface(INFINIBAND, 0, [(ng.IF_TSRESOL, b"\x09"), (ng.COMMENT, b"another")])
    data += ng.packet(1, 1700000000123456789, f[0])
    data += ng.packet(0, 1700000000123456, f[1], 999, [(ng.COMMENT, b"of a packet")])
    data += ng.block(4, bytes(4)) + ng.simple(f[7][:20], 22) + ng.old_packet(0, 5, 1700000000123457, f[2])
    data += ng.interface(ERF, 0xffffffff, [(ng.IF_NAME, name),
                                           (ng.IF_TSOFFSET, offset)])
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
        ng.Interface(ERF, 0xffffffff, {ng.IF_NAME: name, ng.IF_TSRESOL: b"\6", ng.IF_TSOFFSET: offset}, 4),
        ng.Interface(113, 65535, {ng.IF_TSRESOL: b"\6"}, 6),
        ng.Interface(ETHERNET, 0, {ng.IF_TSRESOL: b"\6"}, 7),
    ]
    fcs = {ng.EPB_FLAGS: struct.pack("<I", 4 << 5)}
    packets = [
        ng.Packet(1, 1700000000123456789, len(f[0]), f[0]), ng.Packet(0, 1700000000123456, 999, f[1], fcs),
        ng.Packet(0, None, 22, f[7][:20]),
        ng.Packet(0, 1700000000123457, len(f[2]), f[2], fcs | {ng.EPB_DROPCOUNT: struct.pack("<Q", 5)}),
        ng.Packet(2, 77, len(f[3]), f[3]),
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


def several_interfaces(tmp):
    """Each keeps what is said of it, and the number it has over all sections."""
    for order in "<>":
        data, *want = sections(order)
        out, said, err = convert(tmp, "pcapng", data)
        check_parts(order, out, want)
        check(not err and " 8 packets written, 0 left out" in said, f"{order}: {said}{err}")
        lines = list(zip(*(decoded(tmp / path, "--decode", "-v") for path in ("in.pcap", "out.pcap"))))
        check([a == b for a, b in lines] == [True] * 7 + [False], f"read differently: {lines}")
        check(lines[7][0].replace('"time":null', '"time":"0.000000000"') == lines[7][1], f"{lines[7]}")
        check(convert(tmp, "pcapng", out)[0] == out, "several interfaces do not stay what they are")
    out, said, err = convert(tmp, "pcap", data, status=2)
    check("2 packets written, 6 left out" in said and linktype_of(out) == INFINIBAND, f"a pcap: {said}")
    check(err.count("link type 1 (EN10MB): the pcap has packets of link type 247") == 3, f"a pcap: {err}")


def made_pcapngs(tmp, made):
    """Those of pcaps/make; Wireshark reads those without link type 247 as it reads their source."""
    count = 0
    for path in sorted(pathlib.Path(made).glob("*.pcapng")):
        out, _, err = convert(tmp, "pcapng", path.read_bytes())
        interfaces, packets = ng.read(out)
        check(packets and not err, f"{path.name}: {err}")
        same_for_lint(tmp, path.name)
        count += len(interfaces) > 1
    check(count >= 3, f"only {count} pcapngs of several interfaces")


def wireshark_reads(tmp, erf):
    """All Wireshark shows of each packet and interface is what it shows of the source."""
    if not bare.found("capinfos"):
        return
    data, f = ng.section(), frames(20)
    for i, linktype in enumerate((ETHERNET, ERF, 113, 101, ETHERNET)):
        resolution = bytes([(6, 9, 3)[i % 3]])
        data += ng.interface(linktype, 100 * i, [(ng.IF_NAME, b"if%d" % i), (ng.IF_TSRESOL, resolution)])
    for i, frame in enumerate(f):
        iface = i % 5
        data += ng.packet(iface, 10**(15, 18, 12)[iface % 3] + i, erf if iface == 1 else frame,
                          500 if i % 2 else None)
    convert(tmp, "pcapng", data)
    (tmp / "in.pcap").rename(tmp / "in.pcapng")
    shown = []
    for path in (tmp / "in.pcapng", tmp / "out.pcap"):
        said = [wireshark().text(*options, path, program=program)
                for program, *options in (["capinfos", "-cEliI"], ["tshark", "-n", "-V", "-x", "-r"])]
        shown.append("".join(said).replace(str(path), "FILE").splitlines())
    check(len(shown[0]) > 1000, "Wireshark shows less than there is")
    check(len(shown[0]) == len(shown[1]), "Wireshark shows more or less of a pcapng")
    for theirs, ours in zip(*shown):
        check(ours == theirs, f"Wireshark: {ours}, not {theirs}")


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
    check(out == pcap(ETHERNET, want, snaplen=64), "nanoseconds next to microseconds")
    out, _, err = convert(tmp, "pcap", first + one + ng.interface(ETHERNET, 64, ns) + two + three, status=2)
    check(out == pcap(ETHERNET, [want[0], want[2]], magic=0xa1b2c3d4, snaplen=64) and
          "in.pcap:2: a time of 5.000002003 s has nanoseconds, and the pcap microseconds" in err,
          f"nanoseconds after microseconds: {err}")
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


def options_pcapng(tmp, packets):
    data = pcap(INFINIBAND, packets)
    out, said, _ = convert(tmp, "pcapng", data, "-c", "3")
    check(len(ng.read(out)[1]) == 3 and "3 packets written" in said, "pcapng: -c 3")
    out, said, _ = convert(tmp, "pcapng", data, "-q")
    check(len(ng.read(out)[1]) == len(packets) and said == "", "pcapng: -q")

    late = ng.section() + ng.interface(ETHERNET, 0, [(ng.IF_TSRESOL, b"\0")]) + \
        ng.packet(0, 18446744073, b"1") + ng.packet(0, 18446744074, b"2") + ng.packet(0, 1, b"3")
    out, said, err = convert(tmp, "pcapng", late)  # more nanoseconds than 64 bits hold, and kept
    check([p.ticks for p in ng.read(out)[1]] == [18446744073, 18446744074, 1] and
          "3 packets written, 0 left out" in said and not err, f"late: {said}{err}")
    out, said, err = convert(tmp, "pcap", late, status=2)
    check([p[3] for p in records(out)] == [b"3"] and "1 packet written, 2 left out" in said and err.count("\n") == 2,
          f"late in a pcap: {said}{err}")

    for target, text in ((tmp / "none" / "x", "No such file"), (tmp, "Is a directory"),
                         (pathlib.Path("/dev/full"), "No space left")):
        done = subprocess.run([LINT, "--convert", "pcapng", target, tmp / "in.pcap"], check=False,
                              capture_output=True, text=True)
        check(done.returncode == 2 and f"pcap-lint: {target}: {text}" in done.stderr,
              f"{target}: {done.stderr}")
    for framing in ("erf", "pcapng"):
        with subprocess.Popen([LINT, "--convert", framing, "/dev/full", "-"], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE) as run:
            with contextlib.suppress(BrokenPipeError):
                run.stdin.write(pcap(INFINIBAND, [(1, 0, 1000, bytes(1000))] * 20))
                run.stdin.flush()
            try:  # it does not wait for more
                check(run.wait(20) == 2 and not run.stdout.read(), f"{framing}: /dev/full")
            except subprocess.TimeoutExpired:
                run.kill()
                check(False, f"{framing}: goes on where nothing can be written")
    done = subprocess.run([LINT, "--convert", "pcapng", tmp / "out.pcap", "-"], input=data, check=False,
                          capture_output=True)
    check(done.returncode == 0 and (tmp / "out.pcap").read_bytes() == convert(tmp, "pcapng", data)[0],
          f"standard input: {done.stderr}")


def main():
    count = 0
    with tempfile.TemporaryDirectory() as name:
        tmp, names, some = pathlib.Path(name), [], []
        for _, data in itertools.islice(infiniband(sys.argv[2]), 1):
            some = records(data)[:20]
            erf, _, _ = convert(tmp, "erf", pcap(INFINIBAND, some))
            wireshark_reads(tmp, records(erf)[0][3])
        for name, data in infiniband(sys.argv[2]):
            count += there_and_back(tmp, name, data)
            names.append(name)
        check({"sa.pcap", "perf.pcap", "sweep.pcap", "cut-ib-global.pcap"} <= set(names), f"only {names}")
        count += variants(tmp, some)
        refused(tmp, some)
        options(tmp, some)
        output_option(tmp, some)
        pcaps, seen = all_pcaps(tmp, sys.argv[2])
        pcap_variants(tmp)
        resolutions(tmp)
        several_interfaces(tmp)
        repaired(tmp)
        made_pcapngs(tmp, sys.argv[2])
        pcap_of_pcapng(tmp)
        options_pcapng(tmp, some)
    print(f"{len(names)} captures, {count} packets there and back as ERF, {pcaps} captures as pcapng, "
          f"{seen} of them read by Wireshark; {len(failures)} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
