#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""repair_ends.py PCAP-LINT MADE: pcap-lint --repair where little says how long a packet is, or what it is.

Bytes that belong to nothing follow the packet, and of two lengths one is wrong: the other speaks, or the
VCRC does. GRHs that are one by LNH only, and BTHs that look like a GRH. IPv4 options with a UDP checksum. The
packets are known before they are spoiled; their CRCs are computed here.
"""
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import icrc  # noqa: E402
from repair import LINT, MADE, check, failures, read_pcap, read_pcapng, repair

UD_SEND_ONLY, LIKE_A_GRH = 0x64, 0x001b00
GRH_ONES = (0, 0x0f), (1, 0xff), (2, 0xff), (3, 0xff), (7, 0xff)


def frames_of(name):
    head, frames = read_pcap(MADE / f"opcodes-{name}.pcap")
    return head, [bytes(frame) for _, frame in frames]


def pcap(head, frames):
    return head + b"".join(struct.pack("<IIII", i, 0, len(f), len(f)) + f for i, f in enumerate(frames))


def with_crcs(packet, flip=0):
    """An InfiniBand packet with the ICRC it should have, or with bits of it flipped, and a VCRC for that."""
    lnh, lrh, rest = packet[1] & 3, packet[:8], packet[8:-6]
    if lnh == 3:
        covered = b"\xff" * 8 + icrc.ones(rest, *GRH_ONES, (44, 0xff))
    else:
        covered = icrc.ones(lrh, (0, 0xf0)) + icrc.ones(rest, (4, 0xff))
    packet = packet[:-6] + struct.pack("<I", zlib.crc32(covered) ^ flip)
    return packet + icrc.crc16(packet)


def compare(tmp, name, head, bad, good):
    """Of each bad frame comes the good one; returns what was said of each."""
    path, out = tmp / "bad.pcap", tmp / "out.pcapng"
    path.write_bytes(pcap(head, bad))
    said = repair(path, out).splitlines()
    for i, (have, want, was) in enumerate(zip(read_pcapng(out), good, bad, strict=True), 1):
        check(have == want, f"{name}: packet {i}: {was.hex()} has become\n{have.hex()}, not\n{want.hex()}")
    return said


def lengths(tmp):
    """One of two lengths is wrong, and the end of the frame is not that of the packet."""
    rng, spoiled = random.Random(6), 0
    for name, places in (("roce-v2-ipv4", (16, 38)), ("roce-v2-ipv6", (18, 58)), ("ib-global", (4, 12))):
        head, frames = frames_of(name)
        bad, good = [], []
        for i, frame in enumerate(frames):
            trailer = bytes(range(0xa0, 0xa0 + 1 + i % 24))
            at = places[i // 24 % 2]
            right, most = int.from_bytes(frame[at:at + 2], "big"), 1 << (11 if at == 4 else 16)
            # Less than the headers makes it another packet, or none.
            wrong = rng.randrange(right + 1, most) if i % 2 else rng.randrange(right * 3 // 4, right)
            bad.append(frame[:at] + wrong.to_bytes(2, "big") + frame[at + 2:] + trailer)
            good.append(frame + trailer)
        said = compare(tmp, f"lengths, {name}", head, bad, good)
        check(f"{len(bad)} packets written, {len(bad)} of them repaired, 0 left" in said[-1],
              f"lengths, {name}: {said[-1]}")
        spoiled += len(bad)
    return spoiled


def vcrcs(tmp):
    """The ICRC is the sender's fault, and the VCRC is right all the same."""
    for name in "ib-local", "ib-global":
        head, frames = frames_of(name)
        check([with_crcs(frame) for frame in frames] == frames, f"{name}: CRCs computed here")
        trailers = [bytes(range(0xb0, 0xb0 + i % 13)) for i in range(len(frames))]
        bad = [with_crcs(frame, 0xff00ff00) + trailer for frame, trailer in zip(frames, trailers)]
        compare(tmp, f"VCRC, {name}", head, bad, [frame + t for frame, t in zip(frames, trailers)])


def headers(tmp):
    """What is a GRH and what is not says LNH, unless all that follows speaks against it."""
    head, frames = frames_of("ib-global")
    good = []
    for i, frame in enumerate(frames):
        frame = bytearray(frame)
        at, value = ((8, 4 << 4 | frame[8] & 15), (14, 0x3b))[i % 2]  # IPVer, NxtHdr
        frame[at] = value
        good.append(with_crcs(bytes(frame)))
    said = compare(tmp, "odd GRH", head, [with_crcs(frame, 1) for frame in good], good)
    check(" 0 left as they are" in said[-1], f"odd GRH: {said[-1]}")
    # The first nibble of the BTH is 6, and where a GRH has NxtHdr is 0x1b: but no length fits.
    good = [like_a_grh(words) for words in range(5, 64)]
    said = compare(tmp, "looks like a GRH", head, [with_crcs(packet, 1) for packet in good], good)
    check(f"{len(good)} of them repaired, 0 left" in said[-1], f"looks like a GRH: {said[-1]}")
    # With so many bytes it does: who knows?
    either = [with_crcs(like_a_grh(4), 1)]
    said = compare(tmp, "a GRH or a BTH", head, either, either)
    check("lrh.lnh and what follows the LRH do not fit" in said[0], f"a GRH or a BTH: {said}")


def like_a_grh(words):
    """A UD packet without a GRH, to a QP that makes its BTH look like one; so many words of payload."""
    packet = struct.pack(">BBHHH", 0, 2, 1, 8 // 4 + 5 + words + 1, 2)
    packet += struct.pack(">BBHII", UD_SEND_ONLY, 0x40, 0xffff, LIKE_A_GRH, 7) + struct.pack(">II", 0x1234, 5)
    return with_crcs(packet + bytes(range(4 * words)) + bytes(6))


def options(tmp):
    """A UDP checksum and an ICRC that are right stay, after IPv4 options, too."""
    head, frames = frames_of("roce-v2-ipv4")
    good, wrong, none = [], [], []
    for i, frame in enumerate(frames):
        n = 4 * (1 + i % 10)
        ip = bytearray(frame[14:34] + b"\x01" * n + frame[34:-4])
        ip[0], ip[10:12] = 0x40 | (20 + n) // 4, b"\0\0"
        ip[2:4] = (len(ip) + 4).to_bytes(2, "big")
        ip[10:12] = checksum(ip[:20 + n]).to_bytes(2, "big")
        udp = 20 + n
        covered = b"\xff" * 8 + icrc.ones(ip, *((at, 0xff) for at in (1, 8, 10, 11, udp + 6, udp + 7, udp + 12)))
        ip += struct.pack("<I", zlib.crc32(covered))
        pseudo = ip[12:20] + struct.pack(">BBH", 0, 17, len(ip) - udp)
        ip[udp + 6:udp + 8] = b"\0\0"
        ip[udp + 6:udp + 8] = (checksum(pseudo + ip[udp:]) or 0xffff).to_bytes(2, "big")
        good.append(frame[:14] + bytes(ip))
        ip[udp + 6] ^= 0x55
        wrong.append(frame[:14] + bytes(ip))
        ip[udp + 6:udp + 8] = b"\0\0"
        none.append(frame[:14] + bytes(ip))
    said = compare(tmp, "options", head, good, good)
    check(len(said) == 1 and " 0 of them repaired, 0 left" in said[0], f"options: {said[:2]}")
    # One that is wrong is taken out.
    said = compare(tmp, "options, wrong checksum", head, wrong, none)
    check(f"{len(none)} of them repaired" in said[-1], f"options, wrong checksum: {said[-1]}")


def checksum(data):
    """RFC 1071"""
    data = bytes(data) + b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def inputs(tmp):
    for path, options_of, why in ((tmp / "missing.pcap", [], "No such file"),
                                  (MADE / "opcodes-ib-local.pcap", ["-f", "udp"], "link type 247")):
        done = subprocess.run([LINT, "--repair", tmp / "x.pcapng", *options_of, path], capture_output=True,
                              text=True, check=False)
        check(done.returncode == 2 and why in done.stderr and not (tmp / "x.pcapng").exists(),
              f"{path.name}: {done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        spoiled = lengths(tmp)
        vcrcs(tmp)
        headers(tmp)
        options(tmp)
        inputs(tmp)
    print(f"{spoiled} packets with a wrong length, {len(failures)} failures")
    return 1 if failures or not spoiled else 0


if __name__ == "__main__":
    sys.exit(main())
