#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""zip.py ZIP WIRESHARK-VERSION OBJCOPY PROFILE PLUGIN...: plugins and the profile RDMA in a zip, which is the same whoever makes it.

Below plugins/ as Wireshark looks for them below ~/.local/lib/wireshark, without what only debuggers read; the profile as
Wireshark's window Configuration Profiles imports it, RDMA/.
"""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

EPOCH = 1980, 1, 1, 0, 0, 0  # the first a zip has
KINDS = {"ibwire.so": "epan", "ibwire_file.so": "wiretap"}
REGULAR = 0o100000
PROFILE_FILES = "colorfilters", "dfilter_buttons", "io_graphs", "preferences", "recent"


def stripped(objcopy, plugin):
    """Its bytes; a build ID depends on where it was built."""
    with tempfile.TemporaryDirectory() as where:
        out = pathlib.Path(where) / "out.so"
        subprocess.run([objcopy, "--strip-unneeded", "--remove-section=.note.gnu.build-id", plugin, out], check=True)
        return out.read_bytes()


def main():
    path, version, objcopy, profile, *plugins = sys.argv[1:]
    files = {f"RDMA/{name}": ((pathlib.Path(profile) / name).read_bytes(), 0o644) for name in PROFILE_FILES}
    for plugin in map(pathlib.Path, plugins):
        files[f"plugins/{version}/{KINDS[plugin.name]}/{plugin.name}"] = stripped(objcopy, plugin), 0o755
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name, (data, mode) in sorted(files.items()):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type, info.create_system, info.external_attr = zipfile.ZIP_DEFLATED, 3, (REGULAR | mode) << 16
            out.writestr(info, data)
    print(path)


if __name__ == "__main__":
    sys.exit(main())
