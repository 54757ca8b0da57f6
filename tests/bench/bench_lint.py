#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bench_lint.py BUILD [BYTES]: pcap-lint and its neighbours on the same captures, in the same run.

Two captures are made (and removed): a 1 KB RDMA WRITE stream, and ACK-size frames. Each program reads
each of them ROUNDS times, by turns; the figure is the least CPU time (user and system) of its rounds,
because others share the machine. Memory is the most of any round. pcap-lint has one thread in these rows. Then, by
turns as well, the least wall time with one thread and with as many as there are cores, up to 8, and of as many programs
with one thread each: what the machine can do at once (cores that share a clock, a cache or a host do less)."""
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
BYTES = 250_000_000


def start(words):
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def at_once(words, n):
    """Wall seconds of @n of this command that run at the same time."""
    begin = time.monotonic()
    for child in [start(words) for _ in range(n)]:
        child.wait()
    return time.monotonic() - begin


def run(words):
    """CPU seconds, peak memory in MB and wall seconds of a command."""
    begin = time.monotonic()
    child = start(words)
    _, status, usage = os.wait4(child.pid, 0)
    if status and words[0] not in ("tshark",):
        raise SystemExit(f"bench: {' '.join(words)}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, time.monotonic() - begin


def programs(build, path):
    lint = [str(build / "dissector/pcap-lint/pcap-lint"), "-j", "1", "--fail-on", "never"]
    loop = str(build / "tests/capture-bench")
    rows = [("libpcap loop", [loop, "loop", path]),
            ("pcap-lint", [*lint, path]),
            ("pcap-lint, all rules", [*lint, "--select", "all", path]),
            ("pcap-lint, everything", [*lint, "--select", "all", "--stats", "--story", "auto", "--interval", "auto", path]),
            ("pcap-lint, no rules", [*lint, "--ignore", "all", path])]
    for name, words in (("capinfos -c", ["capinfos", "-c", path]),
                        ("tcpdump -w", ["tcpdump", "-r", path, "-w", "/dev/null"]),
                        ("tshark", ["tshark", "-n", "-r", path])):
        if shutil.which(words[0]):
            rows.append((name, words))
    return rows


def measure(build, kind, path, size):
    packets = int(subprocess.run([build / "tests/capture-bench", kind, path, str(size)],
                                 capture_output=True, text=True, check=True).stdout)
    size = os.path.getsize(path)
    rows = programs(build, path)
    cpu, memory = {}, {}
    for _ in range(ROUNDS):
        for name, words in rows:
            if name == "tshark" and name in cpu:
                continue
            seconds, peak, _ = run(words)
            cpu[name] = min(seconds, cpu.get(name, seconds))
            memory[name] = max(peak, memory.get(name, 0))
    print(f"\n{kind}: {packets} packets, {size / 1e6:.0f} MB")
    print(f"{'':22}{'CPU s':>8}{'Mpps':>8}{'GB/s':>8}{'MB':>7}{'of the loop':>13}{'x tshark':>10}")
    for name, _ in rows:
        of_loop = cpu["libpcap loop"] / cpu[name]
        tshark = f"{cpu['tshark'] / cpu[name]:10.0f}" if "tshark" in cpu else ""
        print(f"{name:22}{cpu[name]:8.2f}{packets / cpu[name] / 1e6:8.2f}{size / cpu[name] / 1e9:8.2f}"
              f"{memory[name]:7.0f}{of_loop:12.0%} {tshark}")


def threads(build, path):
    """Wall and CPU time of one thread and of several."""
    lint, most = build / "dissector/pcap-lint/pcap-lint", min(os.cpu_count(), 8)
    best, several = {}, float("inf")
    for _ in range(3 * ROUNDS):
        several = min(several, at_once([lint, "-j", "1", "--fail-on", "never", path], most))
        for n in (1, most):
            cpu, _, wall = run([lint, "-j", str(n), "--fail-on", "never", path])
            before = best.get(n, (wall, cpu))
            best[n] = min(wall, before[0]), min(cpu, before[1])
    (wall, cpu), (walls, cpus) = best[1], best[most]
    print(f"-j {most}: {wall:.2f} s with one thread, {walls:.2f} s, {wall / walls:.2f} times as fast; CPU {cpus / cpu:.2f} times")
    print(f"{most} at once with one thread each: {several:.2f} s, {most * wall / several:.2f} times as much in that time")


def cpu_name():
    for line in open("/proc/cpuinfo", encoding="ascii", errors="replace"):
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    size = int(sys.argv[2]) if len(sys.argv) > 2 else BYTES
    print(f"{cpu_name()}, {os.cpu_count()} CPUs, Linux {platform.release()}, "
          f"load {os.getloadavg()[0]:.1f}; least CPU time of {ROUNDS} rounds, tshark 1")
    with tempfile.TemporaryDirectory(dir=build) as directory:
        for kind in ("write", "acks"):
            path = f"{directory}/{kind}.pcap"
            measure(build, kind, path, size)
            threads(build, path)
            os.unlink(path)


main()
