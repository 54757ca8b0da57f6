#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""repair.py PCAP-LINT MADE: pcap-lint --repair.

Healthy captures come out with the packets they had and nothing said. Of broken copies, every
length, checksum and CRC that was spoiled comes back: the packets are those from before, byte by
byte, and each repair names the field. A capture with wrong ICRCs has none left afterwards.

So with the packets pcaps/make writes to MADE, of every opcode in every framing: each of their
length fields, wherever it is, with any value; PadCnt, pad, checksums, ICRC, VCRC and FCS.
"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
from text_words import counted  # noqa: E402

LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
HEALTHY = ["rxe/01-rping-ipv4.pcap", "rxe/02-rping-ipv6.pcap", "rxe/13-vlan5-rping.pcap",
           "rxe/03f-send-rc-lat-1byte.pcap", "rxe/06-atomic-fetch-add.pcap", "mad/sa.pcap",
           "mad/rmpp.roce.pcap", "mad/sweep.erf.pcap"]
failures = []


def check(ok, what):
    if not ok:
        failures.append(what)
        print("FAILED:", what)


def read_pcap(path):
    """(file header, [(record header, frame)])"""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, frames = 24, []
    while at < len(data):
        n = struct.unpack(order + "I", data[at + 8:at + 12])[0]
        frames.append((data[at:at + 16], bytearray(data[at + 16:at + 16 + n])))
        at += 16 + n
    return data[:24], frames


def read_pcapng(path):
    data, at, frames = path.read_bytes(), 0, []
    while at < len(data):
        kind, total = struct.unpack("=II", data[at:at + 8])
        if kind == 6:
            n = struct.unpack("=I", data[at + 20:at + 24])[0]
            frames.append(data[at + 28:at + 28 + n])
        at += total
    return frames


def repair(path, out, *options):
    done = subprocess.run([LINT, "--repair", out, *options, path], capture_output=True, text=True)
    check(done.returncode == 0 and not done.stderr, f"{path}: {done.returncode} {done.stderr}")
    return done.stdout


def spoil(frame, linktype, i):
    """Makes something wrong that can be known from the rest; its field, or None."""
    if linktype == 247:
        fields = {"lrh.vcrc": len(frame) - 1, "bth.icrc": len(frame) - 5}
    elif linktype == 1 and frame[12:14] in (b"\x08\x00", b"\x86\xdd"):
        v4 = frame[12:14] == b"\x08\x00"
        udp = 34 if v4 else 54
        if frame[23 if v4 else 20] != 17 or frame[udp + 2:udp + 4] != b"\x12\xb7":
            return None
        end = udp + struct.unpack(">H", frame[udp + 4:udp + 6])[0]
        # More than there is in one of two lengths; the other is still right.
        fields = {"udp.length": udp + 4, "bth.icrc": end - 2}
        if v4:
            fields["ipv4.checksum"] = 25
    else:
        return None
    field = sorted(fields)[i % len(fields)]
    frame[fields[field]] ^= 0x40
    return field


# Of each header what can be told from the rest of the packet: field, byte, bytes, bits.
FIELDS = {
    "lrh": [("pktlen", 4, 2, 0x07ff)],
    "grh": [("paylen", 4, 2, 0xffff)],
    "ipv4": [("total_len", 2, 2, 0xffff), ("checksum", 10, 2, 0xffff)],
    "ipv6": [("paylen", 4, 2, 0xffff)],
    "udp": [("length", 4, 2, 0xffff)],
    "bth": [("padcnt", 1, 1, 0x30)],
}


def targets(packet, linktype, length):
    """[(field, byte, bytes, mask)] of a decoded packet: which bits may be spoiled."""
    tunnel = sum(layer["name"] == "eth" for layer in packet["layers"]) > 1
    out = []
    for layer in packet["layers"]:
        tunnel = tunnel and layer["name"] != "vxlan"
        for field, at, n, mask in FIELDS.get(layer["name"], []):
            # No CRC speaks for the lengths of a tunnel.
            if not (tunnel and field != "checksum"):
                out.append((f"{layer['name']}.{field}", layer["offset"] + at, n, mask))
    icrc = packet["payload"]["offset"] + packet["payload"]["length"] if "payload" in packet else \
        packet["layers"][-1]["offset"] + packet["layers"][-1]["length"]
    padcnt = packet["layers"][[layer["name"] for layer in packet["layers"]].index("bth")]
    padcnt = padcnt["fields"]["padcnt"]
    if padcnt:
        out.append(("bth.pad", icrc, padcnt, (1 << 8 * padcnt) - 1))
    icrc += padcnt
    out.append(("bth.icrc", icrc, 4, 0xffffffff))
    if packet["vcrc"]["status"] == "good":
        out.append(("lrh.vcrc", icrc + 4, 2, 0xffff))
    elif linktype == 197:
        out.append(("eth.fcs", length - 4, 4, 0xffffffff))
    return out


def made(tmp):
    """Every opcode in every framing, one field of each packet spoiled; {field: packets}."""
    rng, spoiled = random.Random(4), {}
    broken, out = tmp / "broken.pcap", tmp / "out.pcapng"
    for path in sorted(MADE.glob("opcodes-*.pcap")):
        head, frames = read_pcap(path)
        linktype = struct.unpack("<I", head[20:24])[0]
        done = subprocess.run([LINT, "--decode", "--format", "json", path], capture_output=True,
                              text=True, check=True)
        packets = [json.loads(line) for line in done.stdout.splitlines()]
        packets = [packet for packet in packets if packet["type"] == "packet"]
        check(len(packets) == len(frames), f"{path.name}: not all decoded")
        for turn in range(4):
            want, bad = {}, []
            for (record, frame), packet in zip(frames, packets):
                fields = targets(packet, linktype, len(frame))
                field, at, n, mask = fields[(packet["frame"] + turn * 3) % len(fields)]
                frame, flip, value = bytearray(frame), 0, 0
                # With less than its header an IPv4 packet is none, and not RDMA.
                while not flip or (field == "ipv4.total_len" and value < 20):
                    flip = rng.getrandbits(8 * n) & mask
                    value = int.from_bytes(frame[at:at + n], "big") ^ flip
                frame[at:at + n] = value.to_bytes(n, "big")
                want[packet["frame"]] = field
                bad.append((record, bytes(frame)))
                spoiled[field] = spoiled.get(field, 0) + 1
            broken.write_bytes(head + b"".join(r + f for r, f in bad))
            said = repair(broken, out, "--format", "json")
            named = {line["frame"]: {f"{c['layer']}.{c['field']}" for c in line["changes"]}
                     for line in map(json.loads, said.splitlines())}
            for number, ((_, good), got) in enumerate(zip(frames, read_pcapng(out)), 1):
                check(bytes(good) == got, f"{path.name}:{number}: {want[number]}: not as before, turn {turn}")
                check(want[number] in named.get(number, ()),
                      f"{path.name}:{number}: {want[number]} not named: {named.get(number)}")
    return spoiled


def with_udp_checksum(frame):
    """An IPv4 frame of Ethernet with the UDP checksum it may have in place of 0: RFC 768."""
    udp = bytearray(frame[34:])
    pseudo = frame[26:34] + struct.pack(">BBH", 0, 17, len(udp))
    data = pseudo + udp + b"\0" * (len(udp) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    udp[6:8] = struct.pack(">H", (total ^ 0xffff) or 0xffff)
    return frame[:34] + bytes(udp)


def damaged(tmp):
    """Whatever is wrong: what comes out is right, as far as it goes, and stays as it is."""
    rng, packets = random.Random(5), 0
    broken, out, again = tmp / "broken.pcap", tmp / "out.pcapng", tmp / "again.pcapng"
    for path in sorted(MADE.glob("opcodes-*.pcap")):
        head, frames = read_pcap(path)
        records = []
        for record, frame in frames * 5:
            frame, n = bytearray(frame), len(frame)
            for _ in range(rng.randrange(1, 6)):
                frame[min(rng.randrange(n), rng.randrange(120)) % n] = rng.choice((0, 255, rng.randrange(256)))
            caplen = rng.randrange(n + 1) if rng.random() < 0.2 else n
            records.append(record[:8] + struct.pack("<II", caplen, n) + frame[:caplen])
        broken.write_bytes(head + b"".join(records))
        repair(broken, out)
        said = repair(out, again)
        check("0 of them repaired" in said and out.read_bytes() == again.read_bytes(),
              f"{path.name}, damaged: repaired twice: {said[:200]}")
        packets += len(records)
    return packets


def checksums_and_fcs(tmp):
    """A UDP checksum that is not 0 and the FCS a file says it has follow the ICRC."""
    head, frames = read_pcap(MADE / "opcodes-roce-v2-ipv4.pcap")
    good, bad = [], []
    for record, frame in frames:
        frame = with_udp_checksum(bytes(frame))
        frame += struct.pack("<I", zlib.crc32(frame))
        good.append(frame)
        record = record[:8] + struct.pack("<II", len(frame), len(frame))
        frame = bytearray(frame)
        frame[-6] ^= 1  # of the ICRC
        bad.append(record + frame)
    # The FCS of a pcap: a bit that says so, and 16-bit words of it.
    path, out = tmp / "fcs.pcap", tmp / "out.pcapng"
    path.write_bytes(head[:20] + struct.pack("<I", 1 | 1 << 26 | 2 << 28) + b"".join(bad))
    said = repair(path, out, "--format", "json")
    check(read_pcapng(out) == good, "UDP checksums and FCSs: not as before")
    # The wrong ones were of the wrong packets, or of these: only the latter are right already.
    check(len(said.splitlines()) == len(good), "UDP checksums and FCSs: not all named")
    again = repair(out, tmp / "again.pcapng", "--format", "json")
    check(not again and (tmp / "again.pcapng").read_bytes() == out.read_bytes(),
          "FCSs are not known of any more, or wrong")
    # Of a frame whose FCS is said, one that is wrong alone is put right.
    data = bytearray(out.read_bytes())
    at = data.index(good[0]) + len(good[0]) - 1
    data[at] ^= 0x80
    path.write_bytes(data)
    said = repair(path, out)
    check("repaired eth.fcs 0x" in said and read_pcapng(out) == good, "FCS alone: " + said[:200])


def cut(tmp):
    """What is cut stays as it is, and is said to be."""
    path, out = MADE / "cut-ib-global.pcap", tmp / "out.pcapng"
    _, frames = read_pcap(path)
    said = repair(path, out)
    check(read_pcapng(out) == [bytes(f) for _, f in frames], "cut packets changed")
    left = len(re.findall(r":\d+: not repaired: cut, \d+ of \d+ bytes captured\n", said))
    check(f"{counted(len(frames), 'packet')} written, 0 of them repaired, {left} left as {'it is' if left == 1 else 'they are'}" in said and
          left > 0.9 * len(frames), "cut packets: " + said[-200:])


def unreadable(tmp):
    """What a header says that ends all reading: the number is said as it is read."""
    path, out = tmp / "version.pcap", tmp / "out.pcapng"
    head, frames = read_pcap(MADE / "lint-grh.pcap")
    header, frame = next((h, bytearray(f)) for h, f in frames if f[12:14] == b"\x89\x15")
    frame[14] = 0xc0 | frame[14] & 0x0f
    path.write_bytes(head + header + frame)
    said = repair(path, out)
    check(f"{path}:1: not repaired: grh.ipver is 12: what follows is not to be known\n" in said, f"GRH version: {said}")


def cut_after_its_end(tmp):
    """What was repaired, and what of the record cannot be, in one line: a checksum, and a trailer that was not captured."""
    path, out = tmp / "trailer.pcap", tmp / "out.pcapng"
    head, frames = read_pcap(ROOT / "pcaps/rxe/01-rping-ipv4.pcap")
    frame = next(bytearray(f) for _, f in frames if f[36:38] == b"\x12\xb7" and f[42] == 0x11)
    was, n = int.from_bytes(frame[24:26], "big"), len(frame)
    frame[24] ^= 0xff
    path.write_bytes(head + struct.pack("<IIII", 1, 0, n, n + 4) + frame)
    said = repair(path, out)
    check(said.startswith(f"{path}:1: repaired ipv4.checksum 0x{was ^ 0xff00:04x} -> 0x{was:04x}; "
                          f"cut, {n} of {n + 4} bytes captured\n"), f"both: {said}")


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        out, broken = tmp / "out.pcapng", tmp / "broken.pcap"
        spoiled = {}
        for name in HEALTHY:
            path = ROOT / "pcaps" / name
            head, frames = read_pcap(path)
            said = repair(path, out)
            check(f"{counted(len(frames), 'packet')} written, 0 of them repaired" in said, f"{name}: {said[-200:]}")
            check(read_pcapng(out) == [bytes(f) for _, f in frames], f"{name} changed")
            linktype = struct.unpack("<I", head[20:24])[0]
            good = [bytes(f) for _, f in frames]
            want = {}
            for i, (_, frame) in enumerate(frames):
                field = spoil(frame, linktype, i)
                if field:
                    want[i + 1] = field
                    spoiled[field] = spoiled.get(field, 0) + 1
            if not want:
                continue
            broken.write_bytes(head + b"".join(h + f for h, f in frames))
            said = repair(broken, out)
            check(read_pcapng(out) == good, f"{name}: not as before")
            lines = dict(re.findall(r":(\d+): repaired (\S+) ", said))
            # A flipped bit in the ICRC of an IB packet spoils its VCRC too; the ICRC is named first.
            check({int(k): v for k, v in lines.items()} == want, f"{name}: not named as spoiled")
        check(len(spoiled) == 4 and min(spoiled.values()) > 50, f"too little spoiled: {spoiled}")

        of_made = made(tmp)
        check(len(of_made) == 11 and min(of_made.values()) > 100, f"too little spoiled: {of_made}")

        print(damaged(tmp), "packets damaged at random, repaired twice")
        checksums_and_fcs(tmp)
        cut(tmp)
        unreadable(tmp)
        cut_after_its_end(tmp)
        path = ROOT / "pcaps/rxe/12g-netem-corrupt-badicrc.pcap"
        said = repair(path, out, "--format", "json")
        check(len(said.splitlines()) >= 35, "12g: fewer repairs than wrong ICRCs")
        after = subprocess.run([LINT, "--ignore", "all", "--select", "CRC,ROC,LRH,GRH003", out],
                               capture_output=True, text=True)
        check("CRC" not in after.stdout, f"12g after repair: {after.stdout[:300]}")

        done = subprocess.run([LINT, "--repair", path, path], capture_output=True, text=True)
        check(done.returncode == 2, "the input as output was not refused")
        done = subprocess.run([LINT, "--repair", "/nowhere/x", path], capture_output=True, text=True)
        check(done.returncode == 2 and "/nowhere/x" in done.stderr, "an output that cannot be")
    print(f"{sum(of_made.values())} made packets spoiled and repaired: {of_made}")
    print(f"{sum(spoiled.values())} packets spoiled and repaired: {spoiled}; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
