#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""zip.py PLUGIN: the zip of plugin and profile is the same each time it is made, and what is in it loads.

The plugin below plugins/ of a home directory, where Wireshark looks for it, and the profile RDMA where the window imports
it to. The same with a plugin that was built elsewhere: another build ID and other debug information make no difference.
"""
import os
import shutil
import subprocess
import sys
import zipfile

import install
import ws

ZIP = ws.ROOT / "dissector/wireshark/zip.py"
PROFILE = ws.ROOT / "dissector/wireshark/profile/RDMA"
CAPTURE = "rxe/12g-netem-corrupt-badicrc.pcap"


def made(tshark, name, plugin, **env):
    path = tshark.dir / name
    subprocess.run([ZIP, path, tshark.version, "objcopy", PROFILE, plugin], check=True, env=os.environ | env, stdout=subprocess.DEVNULL)
    return path


def elsewhere(tshark, plugin):
    """The plugin with another build ID."""
    path = tshark.dir / "other/ibwire.so"
    path.parent.mkdir()
    note = path.with_suffix(".note")
    subprocess.run(["objcopy", f"--dump-section=.note.gnu.build-id={note}", plugin, path], check=True)
    data = bytearray(note.read_bytes())
    data[-1] ^= 0xff
    note.write_bytes(data)
    subprocess.run(["objcopy", f"--update-section=.note.gnu.build-id={note}", path], check=True)
    return path


def main():
    tshark, faults, plugin = ws.Tshark(sys.argv[1]), [], sys.argv[1]
    first = made(tshark, "a.zip", plugin)
    for name, other in (("again", made(tshark, "b.zip", plugin, TZ="Asia/Tokyo")), ("elsewhere", made(tshark, "c.zip", elsewhere(tshark, plugin)))):
        if first.read_bytes() != other.read_bytes():
            faults.append(f"made {name} it is another one")
    home = tshark.dir / "home-of-zip"
    with zipfile.ZipFile(first) as opened:
        names = opened.namelist()
        opened.extractall(home / "zip")
    (home / ".local/lib").mkdir(parents=True)
    (home / ".config/wireshark/profiles").mkdir(parents=True)
    shutil.copytree(home / "zip/plugins", home / ".local/lib/wireshark/plugins")
    shutil.copytree(home / "zip/RDMA", home / ".config/wireshark/profiles/RDMA")
    for path in [home, *home.rglob("*")]:
        path.chmod(0o755)
    env = tshark.environment() | {"HOME": str(home)}
    faults += install.loads(tshark, env, home / ".local/lib/wireshark")
    capture = tshark.put(ws.ROOT / "pcaps" / CAPTURE)
    line = " ".join(install.run(tshark, env, "-n", "-C", "RDMA", "-r", capture, "-Y", "frame.number == 28").split())
    if not line.startswith(install.COLUMNS):
        faults.append(f"in the profile frame 28 is {line}")
    return ws.verdict(faults, f"{len(names)} files of {first.stat().st_size} bytes")


if __name__ == "__main__":
    sys.exit(main())
