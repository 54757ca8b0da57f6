#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""memory.py PLUGIN CAPTURE-BENCH: what the plugin keeps of a million packets, by the most memory tshark has with it and without.

Records of the sizes that stream.c and msg.c state: 24 bytes a frame, 48 a message; and what the plugin itself takes. Messages reassembled take
no more than ibwire.reassemble_kib, and where that is 0, nothing.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import packet as P  # noqa: E402
import ws  # noqa: E402

PACKETS = 1_000_000
FRAME, MESSAGE = 24, 48
ENDS = {P.SEND_ONLY, P.WRITE_LAST, P.WRITE_ONLY, P.READ_REQUEST}  # of a message that capture-bench makes
OPCODE = 14 + 20 + 8             # of a packet of capture-bench, after Ethernet, IPv4 and UDP
KIB = 32 * 1024                  # of ibwire.reassemble_kib
# {kind: (bytes of a little over that many, [(options, ibwire.reassemble_kib, KiB of messages)])}; of acks each is one packet
CASES = {"acks": (84_400_000, [([], KIB, 0)]), "write": (1_042_500_000, [([], 0, 0), (["-2"], KIB, KIB)])}
OWN = 6 << 20                    # code, tables, trackers of 64 connections, the last block of each kind of record
NOTHING = "infiniband.bth.opcode == 99"  # what tshark does not dissect takes no memory


def made(tshark, kind):
    """The capture, how many packets, and what the records of them may take."""
    path = tshark.dir / f"{kind}.pcap"
    subprocess.run([sys.argv[2], kind, path, str(CASES[kind][0])], check=True, stdout=subprocess.DEVNULL)
    path.chmod(0o644)
    packets = messages = 0
    with path.open("rb", buffering=1 << 20) as capture:
        capture.read(24)
        while head := capture.read(16):
            data = capture.read(int.from_bytes(head[8:12], "little"))
            packets += 1
            messages += data[OPCODE] in ENDS
    return path, packets, FRAME * packets + MESSAGE * messages


def peak(tshark, path, *options, plugin=True):
    """The most memory, bytes."""
    process = tshark.start("-n", "-Y", NOTHING, *options, "-r", path, plugin=plugin)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"{path.name}: status {status}")
    return usage.ru_maxrss * 1024


def main():
    tshark, faults, n = ws.Tshark(sys.argv[1]), [], 0
    for kind, (_, runs) in CASES.items():
        path, packets, records = made(tshark, kind)
        for options, kib, most in runs:
            n += 1
            more = peak(tshark, path, *options, "-o", f"ibwire.reassemble_kib:{kib}") - peak(tshark, path, *options, plugin=False)
            line = f"{kind} {' '.join(options)}: {packets} packets, {more} bytes more with the plugin; records {records}, " \
                   f"reassembled {kib} KiB"
            print(line)
            if packets < PACKETS or not records - OWN < more < records + OWN + most * 1024:
                faults.append(line)
        path.unlink()
    return ws.verdict(faults, f"{n} runs")


if __name__ == "__main__":
    sys.exit(main())
