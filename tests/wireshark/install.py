#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""install.py PLUGIN BUILD: the plugin is installed for one account or for all, and loads there.

`cmake --install BUILD --component wireshark-user` with an empty home directory makes all directories; tshark finds
the plugin there, and the profile RDMA, whose colouring rules tell packets apart and whose columns are there. With
`--component wireshark` both are in the folders where Wireshark looks, here below a root of their own, and tshark
loads the plugin from there. The plugin needs no library that a machine with Wireshark may be without.
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
# Of requests with a good ICRC 257 have the PSN of one before, 17 one that was passed before, and 15 are more than one PSN further than any before;
# the one of frame 535 asks for an ACK, and 69 ms later there is none. That is certain once the whole file was read.
COLOURS = {"RDMA bad CRC": 35, "RDMA NAK": 21, "RDMA retransmission": 257 + 17, "RDMA gap": 15, "RDMA warning": 1,
           "RDMA": 679 - 35 - 21 - 257 - 17 - 15 - 1, "": 38}
COLUMNS = "28 1.081605000 10.7.0.1 → 10.7.0.2 0 0 WRITE Middle 1024 RRoCE"


def needed(so):
    text = subprocess.run(["readelf", "-d", so], capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r"\(NEEDED\).*\[(.*?)\.so", text))
    if not found:
        yield f"no library in {text}"
    yield from (f"the plugin needs {name}" for name in sorted(found - LIBRARIES))


def run(tshark, env, *args):
    """tshark with an environment; it has nothing to complain of."""
    process = tshark.start_with(env, [tshark.program, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)
    out, err = process.communicate()
    if process.returncode or err:
        raise SystemExit(f"{args}: status {process.returncode}\n{err[-4000:]}")
    return out


def install(build, component, top, **env):
    """Installs a component below @top, where nobody may read."""
    top.mkdir()
    subprocess.run(["cmake", "--install", build, "--component", component], check=True, env=os.environ | env,
                   stdout=subprocess.DEVNULL)
    for path in [top, *top.rglob("*")]:
        path.chmod(0o755)


def loads(tshark, env, below):
    """The one plugin tshark loads is the one below a directory."""
    listed = re.findall(r"^ibwire\.so\s.*$", run(tshark, env, "-G", "plugins"), re.M)
    if len(listed) != 1 or not listed[0].endswith(f"{below}/plugins/{tshark.version}/epan/ibwire.so"):
        yield f"tshark lists {listed}, not the plugin below {below}: {sorted(map(str, below.rglob('*.so')))}"


def for_everybody(tshark, build):
    """Faults of what is installed for all accounts."""
    top, profile = tshark.dir / "everybody", ws.ROOT / "dissector/wireshark/profile/RDMA"
    install(build, "wireshark", top, DESTDIR=str(top))
    folder = subprocess.run(["pkg-config", "--variable=plugindir", "wireshark"], check=True, capture_output=True, text=True).stdout
    plugins = top / pathlib.Path(folder.strip()).relative_to("/").parent
    yield from loads(tshark, tshark.environment() | {"WIRESHARK_PLUGIN_DIR": str(plugins)}, plugins.parent)
    there = top / tshark.folder.relative_to("/") / "profiles/RDMA"
    for path in profile.iterdir():
        if not (there / path.name).exists() or (there / path.name).read_bytes() != path.read_bytes():
            yield f"{there / path.name}: not the {path.name} of the profile"


def main():
    tshark, build = ws.Tshark(sys.argv[1]), sys.argv[2]
    faults = list(needed(sys.argv[1]))
    home = tshark.dir / "fresh"
    install(build, "wireshark-user", home, HOME=str(home))
    env = tshark.environment() | {"HOME": str(home)}
    faults += loads(tshark, env, home / ".local/lib/wireshark")
    faults += for_everybody(tshark, build)
    names = run(tshark, env, "-n", "-2", "-C", "RDMA", "--color", "-r", tshark.put(ws.ROOT / "pcaps" / CAPTURE),
                "-T", "fields", "-e", "frame.coloring_rule.name").splitlines()
    count = collections.Counter(re.sub(r"\x1b.*?m", "", name) for name in names)
    faults += [f"{name}: {count[name]} frames, not {n}" for name, n in COLOURS.items() if count[name] != n]
    lines = run(tshark, env, "-n", "-C", "RDMA", "-r", tshark.dir / pathlib.Path(CAPTURE).name).splitlines()
    if not any(" ".join(line.split()).startswith(COLUMNS) for line in lines):
        faults.append(f"{lines[:20]}: no line begins with {COLUMNS}")
    return ws.verdict(faults, f"{len(names)} frames")


if __name__ == "__main__":
    sys.exit(main())
