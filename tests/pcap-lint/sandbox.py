#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sandbox.py PCAP-LINT PROBE: Landlock and seccomp take from pcap-lint what it does not need, and nothing else.

What the kernel has is asked here, and compared with --version. PROBE is preloaded and tries, from inside pcap-lint,
what one that was taken over by a capture might: see sandbox_probe.c. All kinds of inputs and outputs work, where both
are on, and where the kernel, as far as pcap-lint can see, has none of them.
"""
import bz2
import ctypes
import errno
import gzip
import lzma
import os
import pathlib
import platform
import struct
import subprocess
import sys
import unittest

import cli
from cli import FLUSH, HEALTHY

PROBE = None
CREATE_RULESET, SECCOMP = 444, {"x86_64": 317, "aarch64": 277, "riscv64": 277, "s390x": 348, "ppc64le": 358}
PR_SET_NO_NEW_PRIVS, PR_GET_SECCOMP, PR_SET_SECCOMP = 38, 21, 22
LD_NR, JEQ, ALLOW, NOSYS = 0x20, 0x15, (6, 0, 0, 0x7fff0000), (6, 0, 0, 0x50000 | errno.ENOSYS)
LIBC = ctypes.CDLL(None, use_errno=True)
LANDLOCK = max(0, LIBC.syscall(CREATE_RULESET, None, 0, 1))  # the ABI
HAS_SECCOMP = LIBC.prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 and platform.machine() in SECCOMP
SUMMARY = "28 packets"


def kernel_without(*calls):
    """For a child: these system calls are not known."""
    rows = [(LD_NR, 0, 0, 0), *[(JEQ, len(calls) - i, 0, call) for i, call in enumerate(calls)], ALLOW, NOSYS]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))

    class Program(ctypes.Structure):
        _fields_ = [("n", ctypes.c_ushort), ("rows", ctypes.c_void_p)]
    program = Program(len(rows), ctypes.addressof(code))

    def forget():
        LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if LIBC.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
    forget.code = code
    return forget


class Sandbox(cli.Case):
    def probed(self, *attempts, args=("--version",), status=0):
        """{attempt: "done" or the error}"""
        _, err = self.run_lint(*args, status=status, env={"LD_PRELOAD": PROBE, "PROBE": "\n".join(attempts)})
        said = dict(line.rsplit(": ", 1) for line in err.splitlines())
        self.assertEqual(set(said), set(attempts), err)
        return {what: result if result == "done" else errno.errorcode[int(result)] for what, result in said.items()}

    def held(self, expected, have, **how):
        """What is refused where the kernel has it, and would work where it has not."""
        for attempt, error in self.probed(*expected, **how).items():
            with self.subTest(attempt):
                self.assertEqual(error, expected[attempt] if have else "done")

    def allowed(self, *attempts, **how):
        self.assertEqual(self.probed(*attempts, **how), dict.fromkeys(attempts, "done"))

    def prepared(self):
        for name in "in.pcap", "sub/other", "out/old":
            path = self.dir / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(FLUSH.read_bytes())

    def test_version(self):
        landlock = f"Landlock ABI {LANDLOCK}" if LANDLOCK else "no Landlock"
        seccomp = "seccomp" if HAS_SECCOMP else "no seccomp"
        self.assertEqual(self.lines("--version")[1:], [f"sandbox: {landlock}, {seccomp}"])

    def test_files(self):
        """Captures and config files are read, and what is in the directories of outputs is written; nothing else."""
        self.prepared()
        args = ["-o", "out/report", "in.pcap"]
        self.allowed("read in.pcap", "make out/new", "remove out/new", "write out/old", "read /etc/ld.so.cache",
                     args=args, status=1)
        self.held({"read sub/other": "EACCES", "write in.pcap": "EACCES", "write sub/other": "EACCES",
                   "read /etc/passwd": "EACCES", "make sub/new": "EACCES", "make new": "EACCES", "list sub": "EACCES",
                   "list out": "EACCES", "read out/old": "EACCES"}, LANDLOCK, args=args, status=1)
        if LANDLOCK:
            self.held({"remove in.pcap": "EACCES", "mkdir out/directory": "EACCES", "link out/link": "EACCES",
                       "remove sub/other": "EACCES"}, LANDLOCK, args=args, status=1)

    def test_each_output(self):
        """Each is in its own directory; without one there is none to write in."""
        self.prepared()
        for args in (["--repair", "out/x", "in.pcap"], ["--convert", "pcapng", "out/x", "in.pcap"],
                     ["--convert", "pcapng", "in.pcap", "-o", "out/x"], ["-w", "out/x", "--fail-on", "never", "in.pcap"]):
            with self.subTest(args):
                self.allowed("make out/new", "remove out/new", args=args)
                self.held({"write sub/other": "EACCES", "write in.pcap": "EACCES"}, LANDLOCK, args=args)
        self.held({"write out/old": "EACCES", "write sub/other": "EACCES"}, LANDLOCK)

    def test_others(self):
        """No program is started or traced, no other gets a signal, and a socket is there for a filter only."""
        self.held({"execute /bin/true": "EPERM", "trace": "EPERM", "socket": "EPERM"}, HAS_SECCOMP)
        self.held({"signal": "EPERM"}, LANDLOCK >= 6)
        self.prepared()
        self.held({"socket": "EPERM"}, HAS_SECCOMP, args=["in.pcap"], status=1)
        self.allowed("socket", args=["-f", "udp", "in.pcap"], status=1)
        self.held({"execute /bin/true": "EPERM"}, HAS_SECCOMP, args=["-f", "udp", "in.pcap"], status=1)

    def everything(self, run):
        """All kinds of inputs and outputs; @run(ARGS, ...) is (stdout, stderr) of one that ends as it should."""
        self.prepared()
        capture, data = self.dir / "in.pcap", FLUSH.read_bytes()
        capture.chmod(0o600)
        (self.dir / "out/old").chmod(0o600)
        self.assertIn(SUMMARY, run("in.pcap")[0])
        self.assertIn(SUMMARY, run("-", stdin=data)[0])
        self.assertIn(SUMMARY, run("/dev/stdin", stdin=data)[0])
        for pack in gzip.compress, bz2.compress, lzma.compress:
            (self.dir / "packed").write_bytes(pack(data))
            self.assertIn(SUMMARY, run("packed")[0])
        self.assertIn("28 captured twice", run("--join", "in.pcap", "sub/other")[0])
        (self.dir / "soft").symlink_to("sub/other")
        self.assertIn(f"soft: {SUMMARY}", run("in.pcap", "soft")[0])
        self.assertIn("is a directory", run("sub", status=2)[1])
        self.assertIn("No such file", run("missing.pcap", status=2)[1])
        self.written(run)
        self.assertIn(SUMMARY, run("-f", "not host localhost and not port ssh", "in.pcap")[0])
        self.configured(run)

    def written(self, run):
        (self.dir / "link").symlink_to("out/old")
        for args, status in ((["-o", "link", "in.pcap"], 1), (["--repair", "link", "in.pcap"], 0),
                             (["--convert", "pcapng", "link", "in.pcap"], 0), (["-w", "link", "in.pcap"], 1),
                             (["-o", "out/new", "in.pcap"], 1)):
            run(*args, status=status)
            self.assertEqual((self.dir / "out/old").stat().st_mode & 0o777, 0o600)
            self.assertEqual(sorted(os.listdir(self.dir / "out")), ["new", "old"] if "out/new" in args else ["old"])
        self.assertIn(SUMMARY, (self.dir / "out/new").read_text())
        self.assertIn(SUMMARY, run("-o", "/dev/stdout", "in.pcap")[0])
        run("-o", "/dev/null", "in.pcap")
        os.mkfifo(self.dir / "fifo")
        reader = subprocess.Popen(["cat", self.dir / "fifo"], stdout=subprocess.PIPE)
        run("-o", "fifo", "in.pcap")
        self.assertIn(SUMMARY, reader.communicate(timeout=20)[0].decode())
        writer = subprocess.Popen(["cp", FLUSH, self.dir / "fifo"])
        self.assertIn(SUMMARY, run("fifo")[0])
        writer.wait(20)

    def configured(self, run):
        """Config files: next to the second capture, at home, named."""
        (self.dir / "sub/.pcap-lint.conf").write_text("[pcap-lint]\nignore = CRC\nfilter = not host localhost\n")
        self.assertIn("ignore = CRC", run("in.pcap", "sub/other")[1])
        (self.home / ".pcap-lint.conf").write_text("[pcap-lint]\ncount = 3\n")
        self.assertIn("in.pcap: 3 packets", run(HEALTHY, "in.pcap", status=0)[0])
        (self.home / "named").write_text("[pcap-lint]\nignore = CRC\n")
        run("--config", self.home / "named", "in.pcap", "sub/other", status=0)

    def test_everything(self):
        self.everything(lambda *args, status=1, stdin=b"": self.run_lint(*args, status=status, stdin=stdin))

    def test_absent(self):
        """The kernel has none of them, or one."""
        if not HAS_SECCOMP:
            self.skipTest("no other way to hide a system call")
        calls = {"no Landlock, seccomp": [CREATE_RULESET], "no seccomp": [SECCOMP[platform.machine()]],
                 "no Landlock, no seccomp": [CREATE_RULESET, SECCOMP[platform.machine()]]}
        for said, hidden in calls.items():
            forget = kernel_without(*hidden)

            def run(*args, status=1, stdin=b"", forget=forget):
                done = subprocess.run([cli.LINT, *map(os.fsencode, args)], input=stdin, capture_output=True,
                                      check=False, cwd=self.dir, env={"HOME": str(self.home)}, preexec_fn=forget)
                self.assertEqual(done.returncode, status, done.stderr)
                return done.stdout.decode(), done.stderr.decode()
            with self.subTest(said):
                out, err = run("--version", status=0)
                self.assertIn(said + "\n", out)
                self.assertEqual(err, "")
        self.everything(run)


if __name__ == "__main__":
    cli.LINT, PROBE = os.path.abspath(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve())
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
