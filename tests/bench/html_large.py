#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_large.py FLOOD-MAKE PCAP-LINT: what a page costs of ten million packets of 10,000 connections with more than 100,000 findings.

It has at most PAGE bytes, and takes at most MEMORY more than the reports it is made of, and is to take CPU times their time, the least of RUNS
runs by turns. A page of one connection has at most ONE bytes. The same of a fifth of it without a fault is printed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKETS, CONNECTIONS, FINDINGS = 10_000_000, 10_000, 100_000
REPORTS = ["--stats", "--story", "auto", "--interval", "auto"]
PAGE, ONE, MEMORY = 600 << 10, 120 << 10, 100 << 20
# The goal is 1.10, which is not met for sure: 1.07 to 1.24 were measured on a machine of 2 cores with other work. What is above it is
# said; a test fails where it is far from what was measured.
CPU, FAR = 1.10, 1.35
RUNS = 3


def run(lint, path, out, *options):
    """(CPU seconds, bytes of memory)"""
    child = subprocess.Popen([lint, "--config", "none", "--fail-on", "never", "-o", out, *options, path], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise SystemExit(f"{path.name}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measured(make, lint, kind, packets, tmp):
    """(CPU times, memory more, the page, the summary)"""
    path, page, text = tmp / "report.pcap", tmp / "page.html", tmp / "text"
    subprocess.run([make, "report", kind, str(packets), path], check=True)
    runs = [(run(lint, path, text, *REPORTS), run(lint, path, page, "--format", "html")) for _ in range(RUNS)]
    path.unlink()
    seconds = [min(both[i][0] for both in runs) for i in (0, 1)]
    memory = [max(both[i][1] for both in runs) for i in (0, 1)]
    print(f"{kind}, {packets} packets: {seconds[0]:.2f} CPU s without a page, {seconds[1]:.2f} with one: {seconds[1] / seconds[0]:.3f} times; "
          f"{memory[0] >> 20} and {memory[1] >> 20} MB; a page of {page.stat().st_size} bytes", flush=True)
    return seconds[1] / seconds[0], memory[1] - memory[0], page.read_text(), text.read_text().splitlines()[-1]


def main(make, lint):
    faults = []
    with tempfile.TemporaryDirectory() as directory:
        tmp = pathlib.Path(directory)
        times, memory, page, said = measured(make, lint, "hostile", PACKETS, tmp)
        measured(make, lint, "friendly", PACKETS // 5, tmp)
        found = sum(int(n) for n in re.findall(r"(\d+) (?:error|warning)", said))
        if f" {PACKETS} packets, " not in said or f", {CONNECTIONS} connections: " not in said or found < FINDINGS:
            faults.append(f"another capture was made: {said}")
        if not page.startswith("<!DOCTYPE html>") or not page.endswith("</html>\n") or len(page.encode()) > PAGE:
            faults.append(f"a page of {len(page.encode())} bytes")
        if memory > MEMORY:
            faults.append(f"{memory >> 20} MB more")
        if times > CPU:
            print(f"more than {CPU} times the CPU seconds: the goal is missed")
        if times > FAR:
            faults.append(f"{times:.3f} times the CPU seconds")
        one, looked_at = tmp / "one.html", 0
        for path in sorted((pathlib.Path(__file__).resolve().parents[2] / "pcaps").glob("*/*.pcap")):
            run_one = subprocess.run([lint, "--config", "none", "--fail-on", "never", "--format", "html", "-o", one, path], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, check=False)
            text = one.read_text() if not run_one.returncode else ""
            looked_at += bool(text)
            if len(re.findall(r' id="c[0-9]', text)) <= 1 and len(text.encode()) > ONE:
                faults.append(f"{path.name}: a page of {len(text.encode())} bytes")
    if not looked_at:
        faults.append("no page of one connection was looked at")
    print("\n".join([*faults, f"{len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
