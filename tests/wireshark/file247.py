#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""file247.py PLUGIN FILE-PLUGIN MADE: with the second plugin Wireshark opens link type 247 itself.

Of each such capture it shows what it shows of the same packets as a user link type; in either byte
order and resolution, read once, twice and out of order; cut and damaged files are said to be. Without
the plugin none of them can be opened; with it all others still can.
"""
import shutil
import struct
import subprocess
import sys

import erf
import ws


def install(tshark, so):
    directory = tshark.so.parent.parent / "wiretap"
    directory.mkdir()
    shutil.copy(so, directory / "ibwire_file.so")
    (directory / "ibwire_file.so").chmod(0o755)


def variants(frames):
    """(name, the file, is it in microseconds)"""
    for order in "<>":
        for magic, ns in ((0xa1b2c3d4, 1000), (0xa1b23c4d, 1)):
            data = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, ws.INFINIBAND)
            for sec, nsec, length, packet in frames:
                data += struct.pack(order + "IIII", sec, nsec // ns, len(packet), length) + packet
            yield f"{'little' if order == '<' else 'big'}-{ns}", data, ns


def times(tshark, capture, *options):
    text = tshark.read(capture, *options, "-T", "fields", "-e", "frame.time_epoch", "-e",
                       "frame.cap_len", "-e", "frame.len", "-e", "infiniband.bth.psn",
                       "-e", "frame.protocols")
    return [line.split("\t") for line in text.splitlines()]


def check_variants(tshark, frames):
    for name, data, ns in variants(frames):
        path = tshark.dir / f"{name}.pcap"
        path.write_bytes(data)
        path.chmod(0o644)
        for options in ([], ["-2"], ["-2", "-R", "frame.number"]):
            have = times(tshark, path, *options)
            want = [[f"{sec}.{nsec // ns * ns:09d}", str(len(packet)), str(length)]
                    for sec, nsec, length, packet in frames]
            for i, (row, expected) in enumerate(zip(have, want, strict=True), 1):
                if [row[0].ljust(len(expected[0]), "0"), *row[1:3]] != expected:
                    yield f"{name}:{i} {options}: {row}, not {expected}"
                if "infiniband" not in row[4]:
                    yield f"{name}:{i} {options}: {row[4]}"


def complaint(tshark, name, data, plugin=True):
    path = tshark.dir / name
    path.write_bytes(data)
    path.chmod(0o644)
    process = tshark.start("-n", "-r", path, plugin=plugin, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    out, err = process.communicate()
    return len(out.splitlines()), err


def check_damaged(tshark, data):
    record = struct.unpack_from("<I", data, 32)[0] + 16
    huge = data[:24] + data[24:24 + record] + struct.pack("<IIII", 0, 0, 262145, 262145)
    for name, damaged, shown, text in (
            ("cut.pcap", data[:24 + record + 20], 1, "cut short"),
            ("cut-header.pcap", data[:24 + record + 7], 1, "cut short"),
            ("huge.pcap", huge + bytes(262145), 1, "262145 captured bytes"),
            ("only-head.pcap", data[:24], 0, ""),
            ("half-head.pcap", data[:23], 0, "")):
        lines, err = complaint(tshark, name, damaged)
        if lines != shown or text not in err:
            yield f"{name}: {lines} packets, {err}"
    _, err = complaint(tshark, "without.pcap", data, plugin=False)
    if "network type 247 unknown or unsupported" not in err:
        yield f"without the plugin: {err}"


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    install(tshark, sys.argv[2])
    listed = tshark.run("-G", "plugins")
    faults += [f"{so} is not a {kind}: {listed}" for so, kind in
               (("ibwire.so", "dissector"), ("ibwire_file.so", "file type"))
               if not any(so in line and kind in line for line in listed.splitlines())]
    paths = list(erf.infiniband(sys.argv[3]))
    merged = ws.of_captures(paths, erf.FRAMES)
    as_is = tshark.write("as-is.pcap", ws.INFINIBAND, merged[ws.INFINIBAND][0], as_is=True)
    faults += erf.compare(tshark, merged, as_is)
    for path in paths:
        if path.name in ("sa.pcap", "cut-ib-local.pcap"):
            faults += check_variants(tshark, ws.records(path)[1][:40])
            faults += check_damaged(tshark, path.read_bytes())
    taken = times(tshark, as_is, "-o", "ibwire.mode:takeover")
    faults += [f"take-over mode: {row}" for row in taken if row[4].split(":")[0] != "ibwire"]
    other = tshark.read(tshark.put(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap"), "-c", "3")
    if len(other.splitlines()) != 3:
        faults.append(f"an Ethernet capture: {other}")
    return ws.verdict(faults, f"{len(paths)} captures")


if __name__ == "__main__":
    sys.exit(main())
