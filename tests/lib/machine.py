# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""machine.py - this machine, changed for one process: what is written below a place is gone with it.

Only root can have that, by a mount namespace and overlayfs; elsewhere a test skips.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED, INSIDE = 77, "IBW_INSIDE"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def mount(*args):
    run = subprocess.run(["mount", *map(str, args)], check=False, capture_output=True, text=True)
    if run.returncode:
        skip(f"mount {' '.join(map(str, args))}: {run.stderr.strip()}")


def enter():
    """
    Goes on in a mount namespace of our own, and returns there an empty directory in memory. Outside, the script is
    run again, and ends here with the status of that.
    """
    if os.geteuid() != 0:
        skip("only root can mount")
    if INSIDE not in os.environ:
        with tempfile.TemporaryDirectory(prefix="ibwire-machine-") as tmp:
            os.chmod(tmp, 0o755)
            run = subprocess.run(["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv], check=False,
                                 env=os.environ | {INSIDE: tmp})
        sys.exit(run.returncode)
    scratch = pathlib.Path(os.environ.pop(INSIDE))
    mount("-t", "tmpfs", "-o", "mode=755", "tmpfs", scratch)
    return scratch


def overlay(path, scratch, at=None):
    """From now on what is written below @path, or seen of it below @at, is in @scratch and not there."""
    work = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    for name in ("upper", "work"):
        (work / name).mkdir(mode=0o755)
    (work / "upper").chmod(os.stat(path).st_mode & 0o7777)
    mount("-t", "overlay", "-o", f"lowerdir={path},upperdir={work}/upper,workdir={work}/work", "overlay", at or path)
