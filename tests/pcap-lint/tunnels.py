#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tunnels.py PCAP-LINT: a capture inside a tunnel or mirror gives the findings that it gives without.

Each packet of real captures is put into each form here, written from the RFCs and drafts alone: it imports nothing of
ours, and the headers are numbers of struct.pack(). Same findings: rule, severity, frame, flow, and what is said, but
where the inner packet lost its Ethernet header those that need one; offsets moved by what is in front. So
with forms in forms, up to more than there is room for, which has to be said (CAP019). ERSPAN numbers that skip are
CAP020; those that do not, or are always 0, are not. tshark is the second opinion on what each form is.
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
import bare  # noqa: E402

LINT = sys.argv[1]
CAPTURES = ["rxe/12g-netem-corrupt-badicrc.pcap", "rxe/02-rping-ipv6.pcap", "rxe/40-k612-flush.pcap",
            "rxe/11b-ucmatose-rej-nolistener.pcap", "faults/08-badkey-write.pcap"]
FRAMES = 260  # of each
ETHERNET, NULL, PPP, LOOP, SLL, USER0 = 1, 0, 9, 108, 113, 147
MACS = bytes.fromhex("0200000000aa0200000000bb")
SRC, DST = bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2))
# Of the frame that carries it, or in need of the inner one's Ethernet header.
OUTER = {"CAP003", "CAP008", "CAP012", "CAP013", "CAP014", "CAP019"}
OF_ETHERNET = {"ROC014", "ROC015", "ROC016"}


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def ethernet(ethertype, payload):
    return MACS + struct.pack(">H", ethertype) + payload


def ipv4(protocol, payload):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, protocol, 0) + SRC + DST
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def ipv6(protocol, payload):
    return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + bytes(15) + b"\1" + bytes(15) + b"\2" + payload


def udp(port, payload):
    return struct.pack(">HHHH", 0xd000, port, 8 + len(payload), 0) + payload


def gre(protocol, payload, checksum_bit=False, key=None, seq=None):
    """RFC 2784, RFC 2890"""
    flags = checksum_bit << 15 | (key is not None) << 13 | (seq is not None) << 12
    head = struct.pack(">HH", flags, protocol) + (bytes(4) if checksum_bit else b"")
    for word in (key, seq):
        head += b"" if word is None else struct.pack(">I", word)
    return head + payload


def erspan2(frame, number, truncated=False):
    return gre(0x88be, struct.pack(">HHI", 1 << 12 | 5, 3 << 11 | truncated << 10 | 77, 9) + frame, seq=number)


def erspan3(frame, number, subheader=False):
    words = struct.pack(">HHIHH", 2 << 12 | 5, 77, 1000 * number & 0xffffffff, 0, 2 << 4 | 1 << 1 | subheader)
    return gre(0x22eb, words + (struct.pack(">II", 3 << 26, 123456) if subheader else b"") + frame, seq=number)


def geneve(protocol, payload, options=b""):
    return udp(6081, struct.pack(">BBHI", len(options) // 4, 0, protocol, 0x00abcd00) + options + payload)


def vxlan(port, frame, flags=8, following=0):
    return udp(port, struct.pack(">BBBBI", flags, 0, 0, following, 0x00001200) + frame)


def mpls(payload, *labels):
    stack = (struct.pack(">I", label << 12 | (i + 1 == len(labels)) << 8 | 64) for i, label in enumerate(labels))
    return b"".join(stack) + payload


def pppoe(ip, protocol=0x0021):
    return struct.pack(">BBHHH", 0x11, 0, 9, 2 + len(ip), protocol) + ip


def gtp_u(ip, flags=0x30, options=b""):
    """3GPP TS 29.281, 5.1: the length is of what follows the first 8 bytes."""
    return udp(2152, struct.pack(">BBHI", flags, 0xff, len(options) + len(ip), 0x1234) + options + ip)


def snap(frame):
    """RFC 1042: the length of LLC, SNAP and what follows, where the type was."""
    return frame[:12] + struct.pack(">H", len(frame) - 6) + b"\xaa\xaa\3\0\0\0" + frame[12:]


def ppp_of(ip):
    return 0x0021 if ip[0] >> 4 == 4 else 0x0057


def type_of(ip):
    return 0x0800 if ip[0] >> 4 == 4 else 0x86dd


def in_ip(protocol, payload):
    return ethernet(0x0800, ipv4(protocol, payload))


def tags(frame, *types):
    """802.1ad and 802.1Q tags between the MACs and the ethertype."""
    return frame[:12] + b"".join(struct.pack(">HH", kind, 100 + i) for i, kind in enumerate(types)) + frame[12:]


# Name: (whether the inner packet has its Ethernet header, link type, (frame, IP packet, its number) -> frame)
FORMS = {
    "ERSPAN I": (True, ETHERNET, lambda f, ip, n: in_ip(47, gre(0x88be, f))),
    "ERSPAN II": (True, ETHERNET, lambda f, ip, n: in_ip(47, erspan2(f, n))),
    "ERSPAN III": (True, ETHERNET, lambda f, ip, n: in_ip(47, erspan3(f, n))),
    "ERSPAN III with a subheader": (True, ETHERNET, lambda f, ip, n: in_ip(47, erspan3(f, n, True))),
    "GRE with Ethernet": (True, ETHERNET, lambda f, ip, n: in_ip(47, gre(0x6558, f))),
    "GRE with Ethernet over IPv6": (True, ETHERNET, lambda f, ip, n: ethernet(0x86dd, ipv6(47, gre(0x6558, f, True)))),
    "NVGRE": (True, ETHERNET, lambda f, ip, n: in_ip(47, gre(0x6558, f, key=0x00123401))),
    "GRE with IP": (False, ETHERNET, lambda f, ip, n: in_ip(47, gre(type_of(ip), ip, True, 1, n))),
    "Geneve": (True, ETHERNET, lambda f, ip, n: in_ip(17, geneve(0x6558, f))),
    "Geneve with an option": (True, ETHERNET, lambda f, ip, n: in_ip(17, geneve(0x6558, f, b"\1\2\3\1abcd"))),
    "Geneve with IP": (False, ETHERNET, lambda f, ip, n: in_ip(17, geneve(type_of(ip), ip))),
    "VXLAN": (True, ETHERNET, lambda f, ip, n: in_ip(17, vxlan(4789, f))),
    "VXLAN on 8472": (True, ETHERNET, lambda f, ip, n: in_ip(17, vxlan(8472, f))),
    "VXLAN-GPE with Ethernet": (True, ETHERNET, lambda f, ip, n: in_ip(17, vxlan(4790, f, 12, 3))),
    "VXLAN-GPE with IP": (False, ETHERNET,
                          lambda f, ip, n: in_ip(17, vxlan(4790, ip, 12, 1 if ip[0] >> 4 == 4 else 2))),
    "MPLS": (False, ETHERNET, lambda f, ip, n: ethernet(0x8847, mpls(ip, 16, 17))),
    "MPLS with Ethernet": (True, ETHERNET, lambda f, ip, n: ethernet(0x8847, mpls(bytes(4) + f, 16))),
    "MPLS with Ethernet, no control word": (True, ETHERNET, lambda f, ip, n: ethernet(0x8847, mpls(f, 16))),
    "MPLS in IP": (False, ETHERNET, lambda f, ip, n: in_ip(137, mpls(ip, 16))),
    "IP in IPv4": (False, ETHERNET, lambda f, ip, n: in_ip(4 if ip[0] >> 4 == 4 else 41, ip)),
    "IP in IPv6": (False, ETHERNET, lambda f, ip, n: ethernet(0x86dd, ipv6(4 if ip[0] >> 4 == 4 else 41, ip))),
    "PPPoE": (False, ETHERNET, lambda f, ip, n: ethernet(0x8864, pppoe(ip, ppp_of(ip)))),
    "802.1ad": (True, ETHERNET, lambda f, ip, n: tags(f, 0x88a8, 0x8100)),
    "four tags": (True, ETHERNET, lambda f, ip, n: tags(f, 0x88a8, 0x88a8, 0x9100, 0x8100)),
    "GTP-U": (False, ETHERNET, lambda f, ip, n: in_ip(17, gtp_u(ip))),
    "GTP-U with a number": (False, ETHERNET, lambda f, ip, n: in_ip(17, gtp_u(ip, 0x32, struct.pack(">HBB", n & 0xffff, 0, 0)))),
    "GTP-U with two extensions": (False, ETHERNET, lambda f, ip, n: in_ip(17, gtp_u(
        ip, 0x34, bytes((0, 0, 0, 0x85, 1, 0x10, 9, 0x32, 2)) + bytes(7)))),
    "802.1ah": (True, ETHERNET, lambda f, ip, n: ethernet(0x88e7, struct.pack(">I", 3 << 29 | 0x123456) + f)),
    "802.1ah in 802.1ad": (True, ETHERNET, lambda f, ip, n: tags(ethernet(0x88e7, bytes((0, 0, 0, 9)) + f), 0x88a8)),
    "Cisco metadata": (True, ETHERNET, lambda f, ip, n: f[:12] + struct.pack(">HBBHH", 0x8909, 1, 1, 1, 77) + f[12:]),
    "LLC and SNAP": (True, ETHERNET, lambda f, ip, n: snap(f) if len(f) < 1514 else f),
    "LLC and SNAP in 802.1Q": (True, ETHERNET, lambda f, ip, n: tags(snap(f), 0x8100) if len(f) < 1514 else tags(f, 0x8100)),
    "LLC and SNAP in SLL": (False, SLL, lambda f, ip, n: struct.pack(">HHH8sH", 0, 1, 6, bytes(8), 4) +
                            b"\xaa\xaa\3\0\0\0" + struct.pack(">H", type_of(ip)) + ip),
    "NULL": (False, NULL, lambda f, ip, n: struct.pack("<I", 2 if ip[0] >> 4 == 4 else 30) + ip),
    "NULL, big endian": (False, NULL, lambda f, ip, n: struct.pack(">I", 2 if ip[0] >> 4 == 4 else 10) + ip),
    "LOOP": (False, LOOP, lambda f, ip, n: struct.pack(">I", 2 if ip[0] >> 4 == 4 else 24) + ip),
    "PPP": (False, PPP, lambda f, ip, n: struct.pack(">H", ppp_of(ip)) + ip),
    "PPP in HDLC": (False, PPP, lambda f, ip, n: struct.pack(">HH", 0xff03, ppp_of(ip)) + ip),
    "USER0": (True, USER0, lambda f, ip, n: f),
    "ERSPAN II in VXLAN": (True, ETHERNET, lambda f, ip, n: in_ip(17, vxlan(4789, in_ip(47, erspan2(f, n))))),
    "IP in GRE in MPLS in 802.1Q": (False, ETHERNET, lambda f, ip, n: tags(
        ethernet(0x8847, mpls(ipv4(47, gre(type_of(ip), ip)), 16)), 0x8100)),
}
# Name: (frame, what is said of it)
UNSEEN = {
    "ESP": (in_ip(50, b"\1" * 64), "ESP"),
    "ESP in UDP": (in_ip(17, udp(4500, b"\1" * 64)), "ESP"),
    "AH": (in_ip(51, bytes(64)), "IPsec AH"),
    "MACsec": (ethernet(0x88e5, bytes(64)), "MACsec"),
    "GTP-U of nothing": (in_ip(17, udp(2152, b"\x30\xff" + bytes(62))), "GTP-U around something other than IP"),
    "GTP-U whose extension has no end": (in_ip(17, gtp_u(bytes(20), 0x34, bytes((0, 0, 0, 0x85)))), "GTP-U around something other than IP"),
    "GTP-U that asks for an answer": (in_ip(17, udp(2152, b"\x32\x01" + bytes(62))), None),
    "Cisco metadata of two options": (ethernet(0x8909, bytes((1, 2, 0, 1, 0, 9, 0, 2, 0, 9, 8, 0)) + bytes(20)), "Cisco metadata of more than a tag"),
    "SNAP of a company": (snap(ethernet(0x0800, bytes(40)))[:17] + b"\0\0\x0c" + bytes(40), None),
    "PPTP": (in_ip(47, b"\x30\x01\x88\x0b" + bytes(60)), "GRE of a version or protocol of its own"),
    "VXLAN-GPE with NSH": (in_ip(17, vxlan(4790, bytes(60), 12, 4)), "VXLAN-GPE with neither Ethernet nor IP"),
    "Geneve of another kind": (in_ip(17, geneve(0x1234, bytes(60))), "Geneve with neither Ethernet nor IP"),
    "MPLS with something else": (ethernet(0x8847, mpls(b"\x10" * 60, 16)), "MPLS with neither IP nor Ethernet"),
    "five tags": (tags(ethernet(0x0800, ipv4(17, udp(9, bytes(20)))), *[0x88a8] * 5), "tunnels or tags nested too deep"),
    "IKE": (in_ip(17, udp(4500, bytes(64))), None),
    "another use of 8472": (in_ip(17, udp(8472, b"\1" * 64)), None),
}
# What tshark leaves aside unless it is told to: Linux's port of VXLAN, and frames after labels.
NOT_SECOND = {"VXLAN on 8472", "MPLS with Ethernet", "MPLS with Ethernet, no control word"}
faults = []


def frames_of(path):
    data = path.read_bytes()
    order = "<" if data[0] in (0xd4, 0x4d) else ">"
    at = 24
    while at < len(data):
        seconds, fraction, caplen, length = struct.unpack_from(order + "IIII", data, at)
        yield (seconds, fraction), data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def ip_of(frame):
    """The IP packet of an Ethernet frame; None: it has none."""
    return frame[14:] if frame[12:14] in (b"\x08\x00", b"\x86\xdd") else None


def write(path, linktype, packets):
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, linktype))
        for (seconds, fraction), frame in packets:
            file.write(struct.pack("<IIII", seconds, fraction, len(frame), len(frame)) + frame)


def run(path, *options):
    done = subprocess.run([LINT, "--format", "json", "--severity", "perf", "--select", "all", "--max-per-rule", "0",
                           "--fail-on", "never", *options, path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{path}: {done.stderr}")
    *found, summary = (json.loads(line) for line in done.stdout.splitlines())
    return [line for line in found if line["type"] in ("finding", "packet")], summary


def findings(path, moved, has_ethernet, *options):
    """[(rule, severity, frame, flow, layer, offset, text)] and the protocols."""
    found, summary = run(path, *options)
    out = []
    for line in found:
        if line["rule"] in OUTER or (not has_ethernet and line["rule"] in OF_ETHERNET):
            continue
        at = line["offset"] - moved if line["length"] else 0
        text = re.sub(r"\bbyte (\d+) \(", lambda byte: f"byte {int(byte[1]) - moved} (", line["message"])
        out.append((line["rule"], line["severity"], line["frame"], line["flow"], line["layer"], at, text))
    return sorted(out, key=str), summary


def compare(tmp, name, packets, form):
    """Puts the packets of a capture into @form."""
    has_ethernet, linktype, wrap = FORMS[form]
    plain, wrapped = tmp / "plain.pcap", tmp / "wrapped.pcap"
    write(plain, ETHERNET, packets)
    write(wrapped, linktype, [(time, wrap(frame, ip_of(frame), n)) for n, (time, frame) in enumerate(packets)])
    first = packets[0][1]
    inner = first if has_ethernet else ip_of(first)
    moved = wrap(first, ip_of(first), 0).rindex(inner[14:] if has_ethernet else inner) - 14
    options = ("--user0", "1") if linktype == USER0 else ()
    want, plain_sums = findings(plain, 0, has_ethernet)
    have, sums = findings(wrapped, moved, has_ethernet, *options)
    for line in want:
        if line not in have:
            faults.append(f"{name} in {form}: lost: {line}")
    for line in have:
        if line not in want:
            faults.append(f"{name} in {form}: new: {line}")
    for key in ("rocev2", "rocev1"):
        if sums["protocols"].get(key, 0) != plain_sums["protocols"].get(key, 0):
            faults.append(f"{name} in {form}: {sums['protocols']}, not {plain_sums['protocols']}")
    return len(want)


def unseen(tmp):
    for name, (frame, said) in UNSEEN.items():
        write(tmp / "unseen.pcap", ETHERNET, [((1, n), frame) for n in range(3)])
        found, _ = run(tmp / "unseen.pcap")
        texts = [line["message"] for line in found if line["rule"] == "CAP019"]
        want = [f"3 packets are {said}: not decoded"] if said else []
        if texts != want:
            faults.append(f"{name}: {texts}, not {want}")
        if want and any(line["rule"] == "CAP011" for line in found):
            faults.append(f"{name}: CAP011, though it may be RDMA")


def deep(tmp, frame):
    """With more and more GRE around it: read, or said not to be; never silence."""
    seen = []
    for depth in range(1, 12):
        frame = in_ip(47, gre(0x6558, frame))
        write(tmp / "deep.pcap", ETHERNET, [((1, 0), frame)])
        found, summary = run(tmp / "deep.pcap")
        texts = [line["message"] for line in found if line["rule"] == "CAP019"]
        seen.append("rocev2" in summary["protocols"])
        if seen[-1] == bool(texts) or any("nested too deep" not in text for text in texts):
            faults.append(f"GRE {depth} deep: {summary['protocols']}, {texts}")
    if not seen[2] or seen[-1]:
        faults.append(f"GRE in GRE is read: {seen}")


def sequence(tmp, frame):
    """[numbers], how many are missing"""
    for numbers, missing in (([1, 2, 3, 4], 0), ([1, 2, 5, 6, 8], 3), ([0, 0, 0, 0], 0), ([0xffffffff, 0, 1], 0),
                             ([0xfffffffe, 1], 2), ([5, 4, 6, 7], 0)):
        for wrap in (erspan2, erspan3):
            write(tmp / "gap.pcap", ETHERNET,
                  [((1, i), in_ip(47, wrap(frame, number))) for i, number in enumerate(numbers)])
            found, _ = run(tmp / "gap.pcap")
            texts = [line["message"] for line in found if line["rule"] == "CAP020"]
            said = sum(int(re.match(r"missing before this one: (\d+) packets? of", text)[1]) for text in texts)
            if said != missing:
                faults.append(f"{wrap.__name__} {numbers}: {texts}, {missing} are missing")


def second_opinion(tmp, packets):
    """tshark, where it is, finds the same PSNs in each form."""
    tshark = bare.found()

    def psns(path):
        run = subprocess.run([tshark, "-n", "-r", path, "-T", "fields", "-e", "infiniband.bth.psn"], capture_output=True, text=True,
                             check=False)
        return run.stdout.split("\n")[:-1]

    if not tshark:
        print("no tshark")
        return
    forms = [form for form, (_, linktype, _) in FORMS.items() if linktype == ETHERNET and form not in NOT_SECOND]
    write(tmp / "plain.pcap", ETHERNET, packets)
    want = psns(tmp / "plain.pcap")
    if len(want) != len(packets) or not any(want):
        faults.append(f"tshark: {want}")
    write(tmp / "forms.pcap", ETHERNET, [(time, FORMS[form][2](frame, ip_of(frame), n))
                                         for form in forms for n, (time, frame) in enumerate(packets)])
    have = psns(tmp / "forms.pcap")
    for i, form in enumerate(forms):
        part = have[i * len(packets):(i + 1) * len(packets)]
        if part != want:
            faults.append(f"tshark: {form}: {part}, not {want}")


def main():
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        for capture in CAPTURES:
            packets = [packet for packet in frames_of(ROOT / "pcaps" / capture) if ip_of(packet[1])][:FRAMES]
            if not packets:
                raise SystemExit(f"{capture}: no packets")
            for form in FORMS:
                checked += compare(tmp, capture, packets, form)
        unseen(tmp)
        second_opinion(tmp, packets[:8])
        deep(tmp, packets[0][1])
        sequence(tmp, packets[0][1])
    print("\n".join(faults[:40]))
    print(f"{len(CAPTURES)} captures in {len(FORMS)} forms, {checked} findings, {len(UNSEEN)} not decoded, "
          f"{len(faults)} faults")
    return 1 if faults or checked < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
