#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""install.py PLUGIN BUILD: the plugin is installed for an account that has nothing yet, and loads there.

`cmake --install BUILD --component wireshark-user` with an empty home directory makes all directories; tshark finds
the plugin there, and the profile RDMA, whose colouring rules tell packets apart and whose columns are there. The
plugin needs no library that a machine with Wireshark may be without.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

import ws

LIBRARIES = {"libwireshark", "libwiretap", "libwsutil", "libglib-2.0", "libc"}
CAPTURE = "rxe/12g-netem-corrupt-badicrc.pcap"  # 679 RoCE packets, 35 with a bad ICRC; 38 frames of TCP
COLOURS = {"RDMA bad CRC": 35, "RDMA NAK": 21, "RDMA retransmission": 258, "RDMA": 679 - 35 - 21 - 258, "": 38}
COLUMNS = "28 1.081605000 10.7.0.1 → 10.7.0.2 0 0 RC RDMA WRITE Middle 1024 RRoCE"


def needed(so):
    text = subprocess.run(["readelf", "-d", so], capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r"\(NEEDED\).*\[(.*?)\.so", text))
    if not found:
        yield f"no library in {text}"
    yield from (f"the plugin needs {name}" for name in sorted(found - LIBRARIES))


def run(tshark, home, *args):
    """tshark of the account that owns @home."""
    command = [tshark.program, *map(str, args)]
    if os.geteuid() == 0:
        command = ["setpriv", f"--reuid={ws.NOBODY}", f"--regid={ws.NOBODY}", "--clear-groups", *command]
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if run.returncode or run.stderr:
        raise SystemExit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr[-4000:]}")
    return run.stdout


def open_up(home):
    """What root has made is to be read by nobody."""
    for path in [home, *home.rglob("*")]:
        path.chmod(0o755)


def main():
    tshark, build = ws.Tshark(sys.argv[1]), sys.argv[2]
    faults = list(needed(sys.argv[1]))
    home = tshark.dir / "fresh"
    home.mkdir()
    subprocess.run(["cmake", "--install", build, "--component", "wireshark-user"], check=True,
                   env=os.environ | {"HOME": str(home)}, stdout=subprocess.DEVNULL)
    open_up(home)
    if not re.search(rf"^ibwire\.so.*{re.escape(str(home))}", run(tshark, home, "-G", "plugins"), re.M):
        faults.append(f"{sorted(map(str, home.rglob('*')))}: tshark does not load the plugin")
    names = run(tshark, home, "-n", "-C", "RDMA", "--color", "-r", tshark.put(ws.ROOT / "pcaps" / CAPTURE),
                "-T", "fields", "-e", "frame.coloring_rule.name").splitlines()
    count = collections.Counter(re.sub(r"\x1b.*?m", "", name) for name in names)
    faults += [f"{name}: {count[name]} frames, not {n}" for name, n in COLOURS.items() if count[name] != n]
    lines = run(tshark, home, "-n", "-C", "RDMA", "-r", tshark.dir / pathlib.Path(CAPTURE).name).splitlines()
    if not any(" ".join(line.split()).startswith(COLUMNS) for line in lines):
        faults.append(f"{lines[:20]}: no line begins with {COLUMNS}")
    return ws.verdict(faults, f"{len(names)} frames")


if __name__ == "__main__":
    sys.exit(main())
