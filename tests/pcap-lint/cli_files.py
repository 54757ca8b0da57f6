#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cli_files.py PCAP-LINT: signals, and the files that are written.

What a signal ends, when output comes out of a pipe, and that a file is there whole or as it was. Each
is seen from outside: by what is in the pipe and in the directory, after signals, a full disk, and with
names of all sorts for one file.
"""
import contextlib
import fcntl
import os
import pathlib
import re
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import unittest

import cli
import first_fault
from cli import CORRUPT, FLUSH, HEALTHY

PATIENCE = 20  # seconds for what comes at once
FRAME_15 = b":15: error: CRC001"


def records(capture):
    """(the file header, its records) of a pcap."""
    data, at, found = pathlib.Path(capture).read_bytes(), 24, []
    while at < len(data):
        end = at + 16 + struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at:end])
        at = end
    return data[:24], found


class Files(cli.Case):
    """A run whose standard input stays open."""
    def start(self, *args, interrupt=signal.SIG_DFL):
        run = subprocess.Popen([cli.LINT, *map(os.fsencode, args)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                               env={"HOME": str(self.home), "PATH": os.environ["PATH"]}, bufsize=0,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, interrupt))
        self.addCleanup(self.stop, run)
        self.wait_until(lambda: run.poll() is not None or self.status(run, "SigCgt") >> signal.SIGTERM - 1 & 1)
        return run

    def status(self, run, key):
        """A hexadecimal number of what the kernel says of it."""
        text = pathlib.Path(f"/proc/{run.pid}/status").read_text()
        return int(re.search(rf"^{key}:\s*([0-9a-f]+)", text, re.M)[1], 16)

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < end:
            time.sleep(0.01)

    def unread(self, stream):
        """Bytes in a pipe, from either end."""
        return struct.unpack("i", fcntl.ioctl(stream, termios.FIONREAD, bytes(4)))[0]

    def await_idle(self, run):
        """It has read all there is, and sleeps."""
        def is_idle():
            states = [pathlib.Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[0]
                      for _ in range(3) if not time.sleep(0.02)]
            return run.poll() is not None or (not self.unread(run.stdin) and states == ["S"] * 3)
        self.wait_until(is_idle)

    def interrupt(self, run, sig=signal.SIGINT):
        self.await_idle(run)
        run.send_signal(sig)

    def stop(self, run):
        if run.poll() is None:
            run.kill()
        run.wait(PATIENCE)
        for stream in (run.stdin, run.stdout, run.stderr):
            stream.close()

    def end(self, run):
        """Of a program that waits for what may never come."""
        if run.poll() is None:
            run.kill()
        run.communicate()

    def await_text(self, stream, what):
        """What comes until @what has come, which it has to before anything else is done."""
        text, end = b"", time.monotonic() + PATIENCE
        while what not in text:
            ready, _, _ = select.select([stream], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"{what} did not come: {text}")
            part = os.read(stream.fileno(), 65536)
            self.assertTrue(part, f"it ended without {what}: {text}")
            text += part
        return text

    def finish(self, run):
        """What comes until the end, without an end of the input."""
        try:
            out, err = run.stdout.read(), run.stderr.read()
            run.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.fail("it did not end")
        return out.decode(), err.decode()

    def fed(self, *args, packets=28):
        """A run that has read so many packets of FLUSH, and said so."""
        head, every = records(FLUSH)
        run = self.start("--max-per-rule", "0", *args, "-")
        run.stdin.write(head + b"".join(every[:packets]))
        return run

    def listing(self):
        return sorted(path.name for path in self.dir.iterdir() if path != self.home)


class Signals(Files):
    def test_end_of_input(self):
        for sig in (signal.SIGINT, signal.SIGTERM):
            run = self.fed(packets=20)
            text = self.await_text(run.stdout, FRAME_15)  # flushed before it waits
            self.interrupt(run, sig)
            out, err = self.finish(run)
            self.assertEqual(run.returncode, -sig)
            self.assertEqual(err, "")
            self.assertIn("\n-: interrupted after 20 packets, 11 RoCE v2, 1 connection: 2 errors, 0 warnings "
                          "(use --explain RULE)\n", text.decode() + out)

    def test_before_any_packet(self):
        for prepare in (b"", FLUSH.read_bytes()[:10]):
            run = self.start("-")
            run.stdin.write(prepare)
            self.interrupt(run)
            out, err = self.finish(run)
            self.assertEqual((run.returncode, out), (-signal.SIGINT, ""))
            self.assertIn("interrupted", err)

    def test_within_a_packet(self):
        """The rest that did not come is no fault of the file."""
        head, every = records(FLUSH)
        run = self.start("--max-per-rule", "0", "-")
        run.stdin.write(head + b"".join(every[:16]) + every[16][:30])
        self.await_text(run.stdout, FRAME_15)
        self.interrupt(run, signal.SIGTERM)
        out, _ = self.finish(run)
        self.assertNotIn("CAP001", out)
        self.assertIn("interrupted after 16 packets", out)

    def test_second(self):
        """The first waits for whoever reads the output, the second for nobody."""
        run = self.start("--decode", CORRUPT)
        self.wait_until(lambda: self.unread(run.stdout) >= 65536)  # the pipe is full
        self.interrupt(run)
        self.await_idle(run)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(PATIENCE), -signal.SIGTERM)

    def test_ignored(self):
        """As a shell starts what runs in the background."""
        head, every = records(FLUSH)
        run = self.start("--max-per-rule", "0", "-", interrupt=signal.SIG_IGN)
        run.stdin.write(head + b"".join(every[:20]))
        text = self.await_text(run.stdout, FRAME_15)
        self.interrupt(run)
        run.stdin.write(b"".join(every[20:]))
        run.stdin.close()
        out, _ = self.finish(run)
        self.assertEqual(run.returncode, 1)
        self.assertIn("-: 28 packets", text.decode() + out)

    def test_other_outputs(self):
        """What is written is complete, whatever the mode."""
        head, every = records(FLUSH)
        for args, said in ((("--repair", "out.pcapng"), "interrupted after 20 packets: 20 packets written"),
                           (("--convert", "pcapng", "out.pcapng"), "interrupted after 20 packets: 20 packets"),
                           (("--decode", "-o", "out"), "interrupted after 20 packets"),
                           (("--format", "json", "-o", "out"), "interrupted after 20 packets"),
                           (("-w", "out.pcapng", "--all"), "interrupted after 20 packets"),
                           (("-q", "-o", "out"), "interrupted after 20 packets")):
            with self.subTest(args):
                run = self.start(*args, "-")
                run.stdin.write(head + b"".join(every[:20]))
                self.interrupt(run)
                out, err = self.finish(run)
                self.assertEqual(run.returncode, -signal.SIGINT, err)
                self.assertIn(said, out + err)
                name, = self.listing()
                if name == "out.pcapng":
                    self.assertEqual(self.summary(name, "--fail-on", "never")["packets"], 20)
                (self.dir / name).unlink()

    def test_other_files(self):
        """There is no next capture."""
        run = self.start("--max-per-rule", "0", "-", HEALTHY)
        run.stdin.write(FLUSH.read_bytes())
        self.await_text(run.stdout, FRAME_15)
        self.interrupt(run)
        out, _ = self.finish(run)
        self.assertNotIn(HEALTHY.name, out)

    def test_fifo(self):
        """One nobody has opened for writing."""
        os.mkfifo(self.dir / "fifo")
        run = self.start("fifo")
        self.interrupt(run)
        self.assertEqual(run.wait(PATIENCE), -signal.SIGINT)
        run = self.start("fifo")
        (self.dir / "fifo").write_bytes(FLUSH.read_bytes())
        self.assertIn("28 packets", self.finish(run)[0])

    def test_each_second(self):
        """Packets that come without end: what is found is there before they end."""
        head, every = records(FLUSH)
        run = self.start("--max-per-rule", "0", "-")
        run.stdin.write(head + b"".join(every))
        healthy, end = b"".join(every[:10]) * 200, time.monotonic() + PATIENCE
        while not select.select([run.stdout], [], [], 0)[0]:
            self.assertLess(time.monotonic(), end, "nothing came")
            run.stdin.write(healthy)
        self.assertIn(FRAME_15, os.read(run.stdout.fileno(), 65536))


class Whole(Files):
    OLD = b"as it was\n"

    def outputs(self):
        """Ways to write a file: (options for the file named X, its inputs)."""
        return ((["-o", "X"], [FLUSH], 1), (["--repair", "X"], [FLUSH], 0),
                (["--convert", "pcapng", "X"], [FLUSH], 0), (["--convert", "pcapng", "-o", "X"], [FLUSH], 0),
                (["-w", "X", "--all", "-q"], [FLUSH], 1))

    def named(self, options, name):
        return [str(name) if word == "X" else word for word in options]

    def test_replaces(self):
        """Symbolic links and the mode stay; only the file is another."""
        (self.dir / "sub").mkdir()
        for options, files, status in self.outputs():
            with self.subTest(options):
                target, link, second = self.dir / "sub/target", self.dir / "link", self.dir / "sub/second"
                target.write_bytes(self.OLD)
                target.chmod(0o640)
                second.symlink_to("target")
                link.symlink_to("sub/second")
                self.run_lint(*self.named(options, link), *files, status=status)
                self.assertTrue(link.is_symlink() and second.is_symlink() and not target.is_symlink())
                self.assertEqual(target.stat().st_mode & 0o7777, 0o640)
                self.assertNotEqual(target.read_bytes(), self.OLD)
                self.assertEqual(sorted(path.name for path in (self.dir / "sub").iterdir()),
                                 ["second", "target"])
                target.unlink()  # the links lead nowhere now
                self.run_lint(*self.named(options, link), *files, status=status)
                self.assertTrue(target.is_file() and link.is_symlink())
                mask = os.umask(0)
                os.umask(mask)
                self.assertEqual(target.stat().st_mode & 0o7777, 0o666 & ~mask)
                for path in (target, link, second):
                    path.unlink()

    def test_killed(self):
        head, every = records(FLUSH)
        for options, _, _ in self.outputs():
            with self.subTest(options):
                target = self.dir / "target"
                target.write_bytes(self.OLD)
                run = self.start(*self.named(options, target), "-")
                run.stdin.write(head + b"".join(every) * 50)  # what it says of them fits the pipe
                self.await_idle(run)
                run.kill()
                run.wait(PATIENCE)
                self.assertEqual(target.read_bytes(), self.OLD)
                left = set(self.listing()) - {"target"}
                self.assertLessEqual(len(left), 1)
                for name in left:
                    self.assertRegex(name, r"^\.target\.\w{6}$")
                    (self.dir / name).unlink()

    def test_no_space(self):
        """A file may not grow beyond 4096 bytes, as if the disk were full."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        for options, _, _ in self.outputs():
            with self.subTest(options):
                target = self.dir / "target"
                target.write_bytes(self.OLD)
                run = subprocess.run([cli.LINT, "--max-per-rule", "0", *self.named(options, target), CORRUPT],
                                     capture_output=True, check=False, preexec_fn=limit)
                self.assertEqual(run.returncode, 2)
                self.assertIn(b"target: File too large", run.stderr)
                self.assertEqual(target.read_bytes(), self.OLD)
                self.assertEqual(self.listing(), ["target"])

    def test_usage_errors(self):
        target = self.dir / "target"
        for options, files, _ in self.outputs():
            for wrong in (["--nonsense"], ["-f", "udp port"], ["no.such.pcap"], ["--max-per-rule", "x"]):
                if "no.such.pcap" in wrong:
                    files = []
                for old in (self.OLD, None):
                    with self.subTest(options + wrong):
                        if old:
                            target.write_bytes(old)
                        self.run_lint(*self.named(options, target), *wrong, *files, status=2)
                        self.assertEqual(self.listing(), ["target"] if old else [])
                        if old:
                            self.assertEqual(target.read_bytes(), old)
                            target.unlink()

    def test_nothing_to_write(self):
        """A capture without a packet replaces no file; where all packets failed there is none."""
        header, every = records(FLUSH)
        inputs = {"empty": (header, [], False), "empty pcapng": (cli.pcapng(1, []), [], False),
                  "cut": (header + every[0][:30], [], True),
                  "none matches": (FLUSH.read_bytes(), ["-f", "udp port 1"], False)}
        for framing in "erf", "pcap", "pcapng":
            for form in [f"--convert={framing}", "X"], ["--convert", framing, "-o", "X"]:
                self.write_nothing(form, inputs)
        self.write_nothing(["--repair", "X"], inputs)
        ethernet = cli.pcapng(1, [(0, 0, frame) for _, frame in cli.frames_of(FLUSH)[:3]])
        for form in ["--convert=erf", "X"], ["--convert", "erf", "-o", "X"]:
            self.write_nothing(form, {"none fits": (ethernet, [], True),
                                      "none of a pcap": (FLUSH.read_bytes(), [], True)})

    def write_nothing(self, form, inputs):
        capture, target = self.dir / "in", self.dir / "out"
        for what, (data, options, failed) in inputs.items():
            capture.write_bytes(data)
            for old in self.OLD, b"", None:
                with self.subTest((form, what, old)):
                    if old is not None:
                        target.write_bytes(old)
                    inode = target.stat().st_ino if target.exists() else None
                    refused = failed or bool(old) or "erf" in "".join(form) and what in ("empty", "none matches")
                    _, err = self.run_lint(*self.named(form, target), *options, capture, status=2 if refused else 0)
                    self.assertEqual(self.listing(), ["in", *["out"] * (old is not None or not refused)])
                    if refused:
                        self.assertIn(str(capture), err)
                    if refused and old is not None:
                        self.assertEqual((target.read_bytes(), target.stat().st_ino), (old, inode))
                    target.unlink(missing_ok=True)
            capture.unlink()

    def test_not_writable(self):
        """What may not be written is not replaced, either."""
        if os.geteuid() == 0:
            def nobody():
                os.setgid(65534)
                os.setuid(65534)
        else:
            nobody = None
        self.dir.chmod(0o777)
        target = self.dir / "target"
        target.write_bytes(self.OLD)
        target.chmod(0o444)
        copy, capture = self.dir / "lint", self.dir / "x.pcap"
        copy.write_bytes(pathlib.Path(cli.LINT).read_bytes())
        copy.chmod(0o755)
        capture.write_bytes(FLUSH.read_bytes())
        run = subprocess.run([copy, "-o", target, capture], capture_output=True, check=False, preexec_fn=nobody)
        self.assertEqual((run.returncode, target.read_bytes()), (2, self.OLD))
        self.assertIn(b"Permission denied", run.stderr)

    def test_not_a_file(self):
        """Devices and FIFOs are written, not replaced; a directory is neither."""
        null = os.stat("/dev/null")
        (self.dir / "null").symlink_to("/dev/null")
        os.mkfifo(self.dir / "fifo")
        for options, files, status in self.outputs():
            with self.subTest(options):
                for name in ("/dev/null", "null"):
                    self.run_lint(*self.named(options, name), *files, status=status)
                after = os.stat("/dev/null")
                self.assertEqual((null.st_ino, null.st_rdev, null.st_mode),
                                 (after.st_ino, after.st_rdev, after.st_mode))
                reader = subprocess.Popen(["cat", self.dir / "fifo"], stdout=subprocess.PIPE)
                self.addCleanup(self.end, reader)
                self.run_lint(*self.named(options, "fifo"), *files, status=status)
                self.assertTrue(reader.communicate(timeout=PATIENCE)[0])
                self.assertTrue((self.dir / "fifo").is_fifo())
                _, err = self.run_lint(*self.named(options, "home"), *files, status=2)
                self.assertIn("home: Is a directory", err)

    def test_standard_output(self):
        """"-" and /dev/stdout, a pipe or a file that has something in it; messages go elsewhere then."""
        report = self.run_lint(FLUSH, status=1)[0]
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.assertEqual(self.run_lint("-o", name, FLUSH, status=1)[0], report)
            for options in (["--repair", name], ["--convert", "pcapng", name], ["--convert", "pcapng", "-o", name]):
                with self.subTest(options):
                    run = subprocess.run([cli.LINT, *options, FLUSH], capture_output=True, check=False)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertEqual(run.stdout[:4], b"\n\r\r\n")
                    self.assertIn(b"28 packets written", run.stderr)
                    (self.dir / "x.pcapng").write_bytes(run.stdout)
                    self.assertEqual(self.summary("x.pcapng", "--fail-on", "never")["packets"], 28)
            with (self.dir / "x").open("wb") as file:
                file.write(b"before\n")
                file.flush()
                subprocess.run([cli.LINT, "-o", name, FLUSH], stdout=file, check=False)
            self.assertEqual((self.dir / "x").read_text(), "before\n" + report)
        self.assertNotIn("-", self.listing())

    def test_socket(self):
        ours, theirs = socket.socketpair()
        with contextlib.closing(ours), contextlib.closing(theirs):
            subprocess.run([cli.LINT, "-o", "/dev/stdout", HEALTHY], stdout=theirs, check=True)
            ours.settimeout(PATIENCE)
            self.assertIn(b"no findings", ours.recv(65536))


class Aliases(Files):
    """One file has many names."""
    def setUp(self):
        super().setUp()
        (self.dir / "sub").mkdir()
        self.capture = self.dir / "x.pcap"
        self.capture.write_bytes(FLUSH.read_bytes())
        os.link(self.capture, self.dir / "hard")
        (self.dir / "soft").symlink_to("sub/../x.pcap")
        self.before = FLUSH.read_bytes()

    def refused(self, *args, why, **how):
        _, err = self.run_lint(*args, status=2, **how)
        self.assertIn(why, err)
        self.assertEqual(self.capture.read_bytes(), self.before)

    def test_input(self):
        for name in ("x.pcap", "hard", "soft", "sub/../x.pcap", self.capture):
            for options in (["-o"], ["--repair"], ["-w"], ["--convert", "pcapng"], ["--convert", "pcapng", "-o"]):
                with self.subTest((options, name)):
                    self.refused(*options, name, self.capture, why="one of the captures")
            with self.subTest(name), (self.dir / name).open("rb") as file:
                run = subprocess.run([cli.LINT, "-o", name, "-"], cwd=self.dir, stdin=file, capture_output=True,
                                     check=False)
                self.assertEqual(run.returncode, 2)
        with self.capture.open("ab") as file:
            run = subprocess.run([cli.LINT, self.capture], stdout=file, stderr=subprocess.PIPE, check=False)
            self.assertEqual(run.returncode, 2)
        self.assertEqual(self.capture.read_bytes(), self.before)

    def test_config(self):
        for config in ("conf", ".pcap-lint.conf"):
            path = self.dir / config
            path.write_text("[pcap-lint]\nseverity = note\n")
            (self.dir / "link").symlink_to(path)
            for name in (path, "link"):
                args = ["--config", path] if config == "conf" else []
                self.refused(*args, "-o", name, FLUSH if args else self.capture, why="config file")
                self.refused(*args, "-o", name, FLUSH, *([] if args else [self.capture]), why="config file")
            self.assertEqual(path.read_text(), "[pcap-lint]\nseverity = note\n")
            (self.dir / "link").unlink()

    def test_two_outputs(self):
        (self.dir / "out").write_bytes(b"old")
        (self.dir / "link").symlink_to("out")
        (self.dir / "absent-link").symlink_to("absent")
        os.link(self.dir / "out", self.dir / "same")
        for one, other in (("out", "out"), ("out", "link"), ("out", "same"), ("out", "sub/../out"),
                           ("absent", "absent"), ("absent", "absent-link"), ("absent", "sub/../absent"),
                           ("-", "-"), ("-", "/dev/stdout")):
            for options in (["--repair", one], ["-w", one], ["--convert", "pcapng", one]):
                with self.subTest((options, other)):
                    self.refused(*options, "-o", other, self.capture, why="two outputs onto one file")
        with (self.dir / "out").open("ab") as file:
            run = subprocess.run([cli.LINT, "--repair", self.dir / "link", self.capture], stdout=file,
                                 stderr=subprocess.PIPE, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"two outputs", run.stderr)
        self.assertEqual((self.dir / "out").read_bytes(), b"old")
        self.run_lint("--repair", "/dev/null", "-o", "/dev/null", self.capture)  # which anybody may share


class Closed(Files):
    """Descriptors nobody opened: a message went into the capture that was written as number 2."""
    def run_closed(self, closed, *args):
        words = " ".join(f"{fd}{'<' if fd == 0 else '>'}&-" for fd in closed)
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {words}', cli.LINT, *map(str, args)],
                              cwd=self.dir, capture_output=True, check=False)

    def test_outputs(self):
        for closed in ([0], [1], [2], [0, 1], [1, 2], [0, 1, 2]):
            with self.subTest(closed):
                self.run_closed(closed, "--repair", "x.pcapng", "-o", "said", FLUSH)
                self.assertEqual(self.summary("x.pcapng", "--fail-on", "never")["packets"], 28)
                self.assertIn("28 packets written", (self.dir / "said").read_text())
                cut = self.dir / "cut.pcap"  # there is something to say of it on standard error
                cut.write_bytes(FLUSH.read_bytes()[:-1])
                self.run_closed(closed, "--repair", "y.pcapng", "-q", "-o", "said", cut)
                self.assertEqual(self.summary("y.pcapng", "--fail-on", "never")["packets"], 27)

    def test_said(self):
        run = self.run_closed([1], HEALTHY)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"standard output: Bad file descriptor", run.stderr)
        run = self.run_closed([0], "-")
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"standard input: ", run.stderr)


if __name__ == "__main__":
    cli.LINT = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], failfast=first_fault.only())
