#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cost.py PLUGIN CAPTURE-BENCH: what the plugin costs tshark: instructions, by callgrind, and memory.

The instructions of a packet are those of MANY packets less those of FEW. With one line a packet the plugin may cost 15 %
of what tshark takes without it, with two passes 40 %. What it keeps of a packet is a record of RECORD bytes, and
MESSAGE bytes of each message; the trackers have their own limit, as messages reassembled have.
"""
import concurrent.futures
import os
import re
import shutil
import struct
import subprocess
import sys

import ws

FEW, MANY = 200, 8200
NOISE = 0.01  # from run to run, as hashes have random seeds
RUNS = {("write", "one line"): ([], 1.15), ("acks", "one line"): ([], 1.15), ("write", "two passes"): (["-2"], 1.40)}
PACKETS = 300_000
REASSEMBLE_KIB = 64 * 1024  # ibwire.reassemble_kib
RECORD, MESSAGE = 24, 48  # bytes: stream.c, msg.c
# RC: SEND and WRITE Last and Only, atomics, READ Requests
ENDS = {2, 3, 4, 5, 8, 9, 10, 11, 12, 19, 20, 22, 23}
TRACKERS_KIB = 6 * 1024  # of the few queue pairs of that capture: tables and queues, most of them of fixed size


def instructions(tshark, path, words, plugin, packets):
    process = tshark.start("--tool=callgrind", "--callgrind-out-file=/dev/null", tshark.program, "-n", "-c", packets, *words,
                           "-r", path, plugin=plugin, program="valgrind", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           text=True)
    return int(re.search(r"Collected : (\d+)", process.communicate()[1])[1])


def capture(tshark, bench, kind, packets):
    """One of @packets packets at least, and how many."""
    path = tshark.dir / f"{kind}-{packets}.pcap"
    size = packets * (1200 if kind == "write" else 100)
    count = int(subprocess.run([bench, kind, path, str(size)], capture_output=True, text=True, check=True).stdout)
    path.chmod(0o644)
    return path, count


def a_packet(pool, tshark, path, words, plugin):
    """Thousands of instructions."""
    few, many = [pool.submit(instructions, tshark, path, words, plugin, n) for n in (FEW, MANY)]
    return lambda: (many.result() - few.result()) / (MANY - FEW) / 1000


def instruction_faults(tshark, bench):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        asked = {}
        for (kind, what), (words, limit) in RUNS.items():
            path, _ = capture(tshark, bench, kind, 2 * MANY)
            asked[kind, what] = [a_packet(pool, tshark, path, words, plugin) for plugin in (False, True)]
        for (kind, what), (words, limit) in RUNS.items():
            alone, ours = (ask() for ask in asked[kind, what])
            print(f"{kind}, {what}: {alone:.1f} thousand instructions, {ours:.1f} with the plugin: {ours / alone:.3f}")
            if not 1 < ours / alone <= limit + NOISE:
                yield f"{kind}, {what}: {ours / alone:.3f}, at most {limit}, and more than 1"


def peak(tshark, path, words, plugin):
    """KiB."""
    process = tshark.start("-n", *words, "-r", path, plugin=plugin, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise SystemExit(f"tshark: status {status}")
    return usage.ru_maxrss


def messages(path):
    """Packets that end a message, by their opcode. The file is not read as a whole: a process's peak is its parent's at least."""
    count = 0
    with path.open("rb") as file:
        file.seek(24)
        while head := file.read(16):
            frame = file.read(struct.unpack_from("<I", head, 8)[0])
            count += (frame[42] & 0x1f) in ENDS
    return count


def memory_faults(tshark, bench):
    for kind in ("write", "acks"):
        path, count = capture(tshark, bench, kind, PACKETS)
        limit = TRACKERS_KIB + (count * RECORD + messages(path) * MESSAGE) / 1024
        for words, kib in ([], REASSEMBLE_KIB), (["-2"], REASSEMBLE_KIB), ([], 0):
            alone = peak(tshark, path, words, False)
            ours = peak(tshark, path, [*words, "-o", f"ibwire.reassemble_kib:{kib}"], True)
            what = f"{kind}, {' '.join(words) or 'one pass'}, {kib} KiB: {count} packets, {alone} KiB, {ours} with the plugin"
            print(f"{what}; {limit + kib:.0f} more are allowed")
            if not 0 < ours - alone <= limit + kib:
                yield f"{what}: more than {limit + kib:.0f} more, or not more"


def main():
    if not shutil.which("valgrind"):
        print("no valgrind")
        return ws.SKIPPED
    tshark, bench = ws.Tshark(sys.argv[1]), sys.argv[2]
    if "ibwire.so" not in tshark.run("-G", "plugins"):
        return ws.verdict(["tshark does not load the plugin"], "nothing measured")
    return ws.verdict([*memory_faults(tshark, bench), *instruction_faults(tshark, bench)], "instructions and memory")


if __name__ == "__main__":
    sys.exit(main())
