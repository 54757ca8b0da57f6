#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""flood.py PLUGIN FLOOD-MAKE: chosen communication IDs and QPNs make tshark with the plugin no slower.

As many packets of the same kind, from ordinary hosts and from one that wants to be slow: LIMIT times the CPU
seconds, in two passes, the least of some runs by turns.
"""
import os
import subprocess
import sys

import ws

CASES = "setups one_id reqs".split()
PACKETS = 120_000
RUNS = 3
LIMIT = 1.5


def made(tshark, case, kind):
    path = tshark.dir / f"{case}-{kind}.pcap"
    subprocess.run([sys.argv[2], case, kind, str(PACKETS), path], check=True)
    path.chmod(0o644)
    return path


def seconds(tshark, path):
    process = tshark.start("-n", "-2", "-q", "-z", "conv,ibwire", "-r", path, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    rows = process.stdout.read().count("<->")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status or not rows:
        raise SystemExit(f"{path.name}: status {status}, {rows} conversations")
    return usage.ru_utime + usage.ru_stime


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    for case in CASES:
        paths = [made(tshark, case, kind) for kind in ("friendly", "hostile")]
        runs = [[seconds(tshark, path) for path in paths] for _ in range(RUNS)]
        friendly, hostile = map(min, zip(*runs))
        print(f"{case:8}{friendly:7.2f}{hostile:7.2f}{hostile / friendly:7.2f}")
        if hostile > LIMIT * friendly:
            faults.append(f"{case}: {hostile / friendly:.2f} times the CPU seconds")
    return ws.verdict(faults, f"{len(CASES)} cases")


if __name__ == "__main__":
    sys.exit(main())
