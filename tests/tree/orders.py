#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""orders.py BUILD: README's commands in every order, as root and as a user with sudo; the tests pass after each.

`./dev lint`, `./dev wireshark` and tests of what these two change, in a root of its own that is this machine's, but for what
is written there: what `./dev wireshark` installs is gone with it. For the user a package is missing, which a stand-in
for sudo and apt-get has to bring.
"""
import itertools
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import machine  # noqa: E402

TESTS = "^(ws_install|ws_readme|readme)$"
USER, HOME = 65533, "/home/ibwire-orders"
BYPASS = "+dac_override,+fowner,+chown"  # the tree is another's
PACKAGE = "tshark"
SUDO = '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n'
APT = '#!/bin/sh\necho "$*" >>/apt.log\ncase "$*" in install*) cp /status /var/lib/dpkg/status ;; esac\n'


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Root:
    """This machine, to be written to."""

    def __init__(self, scratch, name, user):
        self.top, self.user = scratch / name, user
        self.top.mkdir()
        machine.overlay("/", scratch, self.top)
        for name in ("proc", "dev", "sys"):
            machine.mount("--rbind", f"/{name}", self.top / name)
        machine.mount("-t", "tmpfs", "-o", "mode=1777", "tmpfs", self.top / "tmp")
        if user:
            (self.top / HOME[1:]).mkdir(parents=True)
            os.chown(self.top / HOME[1:], USER, USER)
            program(self.top / "usr/local/bin/sudo", SUDO)
            program(self.top / "usr/local/bin/apt-get", APT)
            status = self.top / "var/lib/dpkg/status"
            whole = status.read_text()
            (self.top / "status").write_text(whole)
            installed = f"Package: {PACKAGE}\nStatus: install ok installed\n"
            status.write_text(whole.replace(installed, installed.replace("install ok installed", "deinstall ok config-files")))
            if status.read_text() == whole:
                raise SystemExit(f"{PACKAGE} is not installed, or dpkg says so in other words")

    def run(self, tree, *words):
        """(status, output) of a command in @tree."""
        as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", f"--inh-caps={BYPASS}",
                   f"--ambient-caps={BYPASS}"] if self.user else []
        env = {"PATH": f"/usr/local/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": HOME if self.user else "/root"}
        run = subprocess.run(["chroot", self.top, *as_user, "env", "-i", *(f"{k}={v}" for k, v in env.items()), "sh", "-c",
                              'cd "$0" && exec "$@"', tree, *words], check=False, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return run.returncode, run.stdout

    def brought(self):
        log = self.top / "apt.log"
        return log.exists() and f" {PACKAGE}" in log.read_text()


def commands(build):
    """{what: (command, its exit status, what it says)}"""
    return {"lint": (["./dev", "lint"], 0, "CRC001"),
            "wireshark": (["./dev", "wireshark"], 0, "ibwire.so"),
            "test": (["ctest", "--test-dir", build, "-R", TESTS, "--no-tests=error", "--output-on-failure"], 0,
                     "100% tests passed, 0 tests failed out of 3")}


def follow(root, build, order):
    """Faults of the commands, one after the other."""
    tree, done = build.parents[1], []
    for what in order:
        words, status, says = commands(build)[what]
        done.append(what)
        have, out = root.run(tree, *words)
        if have != status or says not in out:
            yield f"{'a user' if root.user else 'root'}: {', '.join(done)}: status {have}, not {status} and {says}:\n{out[-3000:]}"
            return
    if root.user and not root.brought():
        yield f"a user: {', '.join(done)}: {PACKAGE} was missing, and sudo was not asked for it"


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (build / "CMakeCache.txt").exists():
        raise SystemExit(f"{build} is no build")
    if build.parts[-2:] != ("build", "release"):
        machine.skip("dev builds in build/release, which this is not")
    scratch, faults = machine.enter(), []
    orders = [(False, order) for order in itertools.permutations(("lint", "wireshark", "test"))]
    orders += [(True, ("lint", "wireshark", "test", "test")), (True, ("wireshark", "test", "lint", "wireshark", "test"))]
    for number, (user, order) in enumerate(orders):
        faults += follow(Root(scratch, f"root{number}", user), build, order)
    print("\n".join([*faults, f"{len(orders)} orders, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
