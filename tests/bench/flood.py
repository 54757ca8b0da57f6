#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""flood.py FLOOD-MAKE PCAP-LINT: what is sent to make pcap-lint slow costs little more than as much
ordinary traffic, and FIT connections fit. Of a million as many are followed, and the summary says that there are more.

Case random compares a thousand QPs with so many that each connection comes VISITS times, a request and its ACK:
those that come and go have tables that grow, so RANDOM times the instructions. The same with a million QPs is timed, and printed.

Cases marks, resends and pauses are run with all reports, for what those measure and remember; of resends and pauses
each packet is an event, and of macs each sixteenth: REPORTED times the instructions. Of gaps each packet is an
incident, of which more come than are kept: LIMIT all the same, what is said at the end included, and AT_MOST memory.

flood-make makes each case twice, as many packets of the same kind; pcap-lint may execute LIMIT times
the instructions for the hostile one (callgrind counts them, so other work on the machine does not matter).
CPU seconds and memory are printed, too.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKETS = 70_000  # more than any table but those of connections has room for
# As many transactions wait, and there is room for 65,536; two packets a group; there is room for 131,072 hosts of groups.
MORE = {"queries": 200_000, "groups": 200_000, "senders": 150_000, "neighbours": 100_000, "gaps": 1_000_000}
SAID = {"reqs": "CM conversations", "queries": "MAD transactions, clients and attributes", "tids": "RMPP transfers",
        "groups": "multicast groups, members and joins", "senders": "multicast groups, members and joins",
        "neighbours": "IPoIB neighbours"}  # of what is forgotten
CASES = ("qpns few_qpns ports acks gids one_host findings tids reqs one_id setups queries groups senders neighbours random "
         "marks resends pauses trims macs gaps").split()
# One direction only, CNPs with DSCP 0, storms of pause frames, frames that are too short, PSNs that are missing.
FAULTY = {"few_qpns", "marks", "resends", "pauses", "trims", "gaps"}
REPORTS = ["--stats", "--story", "auto", "--interval", "auto"]
LIMIT = 1.5
RANDOM = 2.5
REPORTED = 2.5
LIMITS = {"random": RANDOM, "resends": REPORTED, "pauses": REPORTED, "macs": REPORTED}
AT_MOST = {"gaps": 64 << 20}  # bytes of memory
QPS = 1_000_000
VISITS = 10  # as in flood_make.c
CONNECTIONS, FIT = 1_000_000, 450_000
MEMORY = 1 << 30
LESS = 64 << 20  # and 20 MB that pcap-lint takes for a capture of one connection
ALONE = 20 << 20
FRIENDLY, HOSTILE = "friendly", "hostile"


def made(case, kind, packets, tmp):
    path = pathlib.Path(tmp) / f"{case}-{kind}.pcap"
    subprocess.run([sys.argv[1], case, kind, str(packets), path], check=True)
    return path


def run(path, *options):
    """(CPU seconds, bytes of memory, (packets, of RDMA, connections, errors and warnings, none at all)) of pcap-lint."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([sys.argv[2], "-j", "1", "--fail-on", "never", *options, path], stdout=out,
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"{path.name}: status {status}")
        out.seek(max(0, out.tell() - 400))
        words = out.read().decode().splitlines()[-1]
    count = re.search(r"(\d+) packets, (\d+) (?:RoCE v2|InfiniBand), (?:[^:]*, )?((?:>= )?\d+) connections?(?:, \d+ (?:refused|without data))*: (.*)", words)
    if not count:
        raise SystemExit(f"{path.name}: no summary: {words}")
    *counts, said = count.groups()
    found = sum(int(n) for n in re.findall(r"(\d+) (?:error|warning)", said))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, (*counts, found, said.startswith("no findings"))


def options_of(case):
    return REPORTS if case in ("marks", "resends", "pauses") else []


def instructions(path, *options):
    out = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}.out", sys.argv[2],
                          "-j", "1", "--fail-on", "never", *options, path], check=True, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True).stderr
    return int(re.search(r"Collected : (\d+)", out)[1])


def says_forgotten(path, what):
    """Whether CAP021 says that there was no room for all."""
    out = subprocess.run([sys.argv[2], "--fail-on", "never", "--severity", "note", "--max-per-rule", "0",
                          path], check=True, capture_output=True, text=True).stdout
    return bool(re.search(rf"CAP021 .*limit for {what} reached: \d+ evicted", out))


def case_finds(case, findings):
    """Whether so many errors and warnings are what it has."""
    return findings == PACKETS if case == "findings" else case in FAULTY or not findings


def compare(case, tmp):
    """How many faults."""
    made_of = MORE.get(case, PACKETS)
    paths = [made(case, kind, made_of, tmp) for kind in (FRIENDLY, HOSTILE)]
    cost = [instructions(path, *options_of(case)) / made_of for path in paths]
    seconds, memory, counts = zip(*(run(path, *options_of(case)) for path in paths))
    forgotten = [case in SAID and says_forgotten(path, SAID[case]) for path in paths]
    for path in paths:
        path.unlink()
    print(f"{case:12}{cost[0]:9.0f}{cost[1]:9.0f}{cost[1] / cost[0]:7.2f}{seconds[0]:9.2f}{seconds[1]:9.2f}"
          f"{memory[0] >> 20:6}{memory[1] >> 20:6}", flush=True)
    limit = LIMITS.get(case, LIMIT)
    roce_of = made_of // 2 if case == "pauses" else made_of
    faults = [f"{cost[1] / cost[0]:.2f} times the instructions"] if cost[1] > limit * cost[0] else []
    if memory[1] > AT_MOST.get(case, MEMORY):
        faults.append(f"{memory[1] >> 20} MB")
    if forgotten != [False, case in SAID]:
        faults.append(f"CAP021: {forgotten}")
    for packets, roce, _, findings, _ in counts:
        if int(packets) != made_of or int(roce) != roce_of:
            faults.append(f"{packets} packets, {roce} RoCE v2; {made_of} were made")
        if not case_finds(case, findings):
            faults.append(f"findings: {findings}")
    for fault in faults:
        print(f"{case}: {fault}")
    return len(faults)


def at_random(tmp):
    """A million QPs against a thousand, with room for all and for a quarter, by the clock: printed only."""
    paths = [made("random", kind, VISITS * QPS, tmp) for kind in (FRIENDLY, HOSTILE)]
    for memory in (MEMORY, MEMORY // 4):
        seconds = [min(run(path, "--max-memory", str(memory))[0] for _ in range(3)) for path in paths]
        print(f"{QPS} QPs in random order in {memory >> 20} MB: {seconds[1]:.2f} CPU s, a thousand {seconds[0]:.2f}: "
              f"{seconds[1] / seconds[0]:.2f} times", flush=True)
    for path in paths:
        path.unlink()


def connections(case, packets, kind, tmp):
    """How many faults: those that fit are counted to the last one; of more it is said that there are more."""
    faults = 0
    for n in (FIT, CONNECTIONS):
        path = made(case, kind, packets * n, tmp)
        seconds, memory, (_, _, count, *_) = run(path)
        path.unlink()
        print(f"{n} connections of {packets} packets, {kind}: {seconds:.2f} CPU s, {memory >> 20} MB, {count}")
        right = count == str(n) if n == FIT else count.startswith(">= ") and FIT <= int(count[3:]) < n
        if not right or memory > MEMORY:
            print(f"{count} connections, {MEMORY >> 20} MB at most")
            faults += 1
    return faults


def less(case, packets, options, tmp):
    """As many in less: --max-memory holds, and what there was no room for is said."""
    path = made(case, FRIENDLY, packets, tmp)
    seconds, memory, (_, _, count, _, none) = run(path, "--max-memory", str(LESS), "--severity", "note", *options)
    path.unlink()
    print(f"{packets} packets of {case}, {' '.join(options)} --max-memory {LESS >> 20}M: {count} connections, {seconds:.2f} CPU s, {memory >> 20} MB")
    if memory > LESS + ALONE or not count.startswith(">= ") or none:
        print(f"{(LESS + ALONE) >> 20} MB at most, and CAP021")
        return 1
    return 0


def main():
    print(f"{'instructions':12}{FRIENDLY:>9}{HOSTILE:>9}{'ratio':>7}{'CPU s':>9}{HOSTILE:>9}{'MB':>6}{'':>6}")
    with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = sum(pool.map(compare, CASES, [tmp] * len(CASES)))
        faults += sum(connections(case, packets, kind, tmp) for case, packets in (("connections", 1), ("pairs", 4))
                      for kind in (FRIENDLY, HOSTILE))
        faults += less("pairs", 4 * CONNECTIONS, [], tmp)
        faults += less("connections", 2 * CONNECTIONS // 10, REPORTS, tmp)
        at_random(tmp)
    return faults > 0


sys.exit(main())
