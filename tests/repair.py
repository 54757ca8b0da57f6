#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""repair.py PCAP-LINT: pcap-lint --repair.

Healthy captures come out with the packets they had and nothing said. Of broken copies, every
length, checksum and CRC that was spoiled comes back: the packets are those from before, byte by
byte, and each repair names the field. A capture with wrong ICRCs has none left afterwards.
"""
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINT = sys.argv[1]
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


def main():
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        out, broken = tmp / "out.pcapng", tmp / "broken.pcap"
        spoiled = {}
        for name in HEALTHY:
            path = ROOT / "pcaps" / name
            head, frames = read_pcap(path)
            said = repair(path, out)
            check(f"{len(frames)} packets written, 0 of them repaired" in said, f"{name}: {said[-200:]}")
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
    print(f"{sum(spoiled.values())} packets spoiled and repaired: {spoiled}; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
