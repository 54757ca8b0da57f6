#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""build_tshark.py TEST-BUILD_LINT: tshark agrees with the lengths the builder writes.

The program writes packets of every framing and opcode. Each length tshark shows must be what is
counted in the frame, each IPv4 checksum good, the BTH where it was put, the ICRC the bytes that
are its place, and nothing malformed (services tshark 4.0 cannot decode: BTH and below only).
"""
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bare  # noqa: E402

INFINIBAND, USER0 = 247, 147
FIELDS = ["frame.len", "infiniband.lrh.pktlen", "infiniband.grh.paylen", "ip.len",
          "ip.checksum.status", "ipv6.plen", "udp.length", "infiniband.bth.opcode",
          "infiniband.bth.padcnt", "infiniband.bth.destqp", "infiniband.bth.psn",
          "infiniband.invariant.crc", "_ws.malformed"]
# They would take our payload bytes for theirs.
GUESSERS = ("smc smb_direct rpcordma nvme-rdma lnet iser infiniband.eoib infiniband_sdp fcoib"
            " drbd").split()
OPTIONS = ["-n", "-o", "ip.check_checksum:TRUE",
           "-o", 'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""',
           *(word for name in GUESSERS for word in ("--disable-protocol", name)),
           "-T", "fields", "-E", "occurrence=f", "-E", "separator=|",
           *(word for field in FIELDS for word in ("-e", field))]
DECODED = {0x00, 0x20, 0x60}  # RC, UC, UD; but not FLUSH and ATOMIC WRITE
UNKNOWN = {0x1c, 0x1d}


def frames_of(data):
    at = 24
    while at < len(data):
        n = struct.unpack_from("=I", data, at + 8)[0]
        yield data[at + 16:at + 16 + n]
        at += 16 + n


def expected(name, frame):
    """{field: value} by counting."""
    link = 14 + 4 * ("vlan" in name) + 8 * ("qinq" in name) if name.startswith("roce") else 0
    ib = name.startswith("ib-")
    end = len(frame) - (2 if ib else 0)
    want, at = {"frame.len": len(frame)}, link
    if ib:
        want["infiniband.lrh.pktlen"] = (end - at) // 4
        at += 8
    if name == "ib-global" or name.startswith("roce-v1"):
        want["infiniband.grh.paylen"] = end - at - 40
        at += 40
    if "ipv4" in name:
        want.update({"ip.len": end - at, "ip.checksum.status": 1, "udp.length": end - at - 20})
        at += 28
    if "ipv6" in name:
        want.update({"ipv6.plen": end - at - 40, "udp.length": end - at - 40})
        at += 48
    bth = frame[at:at + 12]
    want.update({"infiniband.bth.opcode": bth[0], "infiniband.bth.padcnt": bth[1] >> 4 & 3,
                 "infiniband.bth.destqp": int.from_bytes(bth[5:8], "big"),
                 "infiniband.bth.psn": int.from_bytes(bth[9:12], "big")})
    if bth[0] & 0xe0 in DECODED and bth[0] not in UNKNOWN:
        want.update({"infiniband.invariant.crc": int.from_bytes(frame[end - 4:end], "big"),
                     "_ws.malformed": None})
    return want


def main():
    tshark = bare.Wireshark()
    frames, wrong = 0, 0
    with tempfile.TemporaryDirectory() as tmp:
        subprocess.run([sys.argv[1], tmp], check=True, stdout=subprocess.DEVNULL)
        for path in sorted(pathlib.Path(tmp).glob("built-*.pcap")):
            data = bytearray(path.read_bytes())
            if struct.unpack_from("=I", data, 20)[0] == INFINIBAND:
                struct.pack_into("=I", data, 20, USER0)
                path.write_bytes(data)
            name = path.stem.removeprefix("built-")
            rows = tshark.text(*OPTIONS, "-r", path).splitlines()
            all_frames = list(frames_of(bytes(data)))
            if len(rows) != len(all_frames):
                print(f"{name}: {len(all_frames)} frames, {len(rows)} lines of tshark")
                wrong += 1
            for number, (row, frame) in enumerate(zip(rows, all_frames), 1):
                have = dict(zip(FIELDS, row.split("|")))
                for field, value in expected(name, frame).items():
                    shown = int(have[field], 0) if have[field] else None
                    if shown != value:
                        wrong += 1
                        if wrong <= 20:
                            print(f"{name}:{number}: {field} {have[field]!r}, not {value}")
            frames += len(rows)
    print(f"{frames} frames, {wrong} differences")
    return 1 if wrong or frames < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
