# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""bare.py - Wireshark's programs for all tests: as they were released, and nothing of this machine.

A plugin in the folder for everybody, somebody's preferences and profiles, init.lua, libraries on a path and a
locale are not seen: the test `isolated` plants all of these. Of Wireshark's own folder there are only its lists of names
and numbers. Wireshark lets root choose no folders, so where we are root it runs as nobody, who may read
and write what root may (ANYWHERE).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOBODY = 65534
SKIPPED = 77
DATA = ("diameter", "dtds", "enterprises.tsv", "manuf", "radius", "services", "tpncp", "wka")
ANYWHERE = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]


def found(name="tshark"):
    """tshark, or another program of Wireshark next to it; None where it is not."""
    tshark = shutil.which(os.environ.get("IBW_TSHARK", "tshark"))
    return tshark if name == "tshark" or not tshark else shutil.which(str(pathlib.Path(tshark).with_name(name)))


class Wireshark:
    """Wireshark's programs without any plugin, in an account that has nothing yet; a directory for captures."""
    privileges = ANYWHERE

    def __init__(self):
        self.program = found()
        if not self.program:
            print("no tshark")
            sys.exit(SKIPPED)
        self.tmp = tempfile.TemporaryDirectory(prefix="ibwire-ws-")
        self.dir = pathlib.Path(self.tmp.name)
        self.dir.chmod(0o755)
        for name, mode in ("without", 0o755), ("names", 0o755), ("home", 0o777):
            (self.dir / name).mkdir()
            (self.dir / name).chmod(mode)
        self.folder = pathlib.Path(self.program).resolve().parents[1] / "share/wireshark"
        for name in DATA:
            if (self.folder / name).exists():
                (self.dir / "names" / name).symlink_to(self.folder / name)
        self.version = re.search(r"(\d+\.\d+)\.\d+", self.text("--version"))[1]

    def environment(self, plugins=None):
        """All of it; @plugins is their folder."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.dir / "home"), "LC_ALL": "C.UTF-8",
                "WIRESHARK_PLUGIN_DIR": str(plugins or self.dir / "without"),
                "WIRESHARK_EXTCAP_DIR": str(self.dir / "without"), "WIRESHARK_DATA_DIR": str(self.dir / "names")}

    def start_with(self, env, command, **how):
        """A running program with just this environment."""
        if os.geteuid() != 0:
            return subprocess.Popen(command, env=env, **how)
        # setpriv comes first, so that what env preloads is not loaded into it.
        return subprocess.Popen(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *self.privileges,
                                 "env", "-i", *(f"{k}={v}" for k, v in env.items()), *command], **how)

    def done(self, program, *args):
        """(status, what it prints, what it complains of)"""
        process = self.start_with(self.environment(), [found(program), *map(str, args)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, errors="replace")
        out, err = process.communicate()
        return process.returncode, out, err

    def text(self, *args, program="tshark"):
        """What it prints; a failure of it ends the test."""
        status, out, err = self.done(program, *args)
        if status != 0:
            raise SystemExit(f"{program} {' '.join(map(str, args))}: status {status}\n{err[-4000:]}")
        return out
