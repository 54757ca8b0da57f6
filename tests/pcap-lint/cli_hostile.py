#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cli_hostile.py PCAP-LINT MADE: names, configuration and captures that somebody else chose.

Configuration that came with a capture, text that would turn a terminal around, and little input that
asks for much. The zstd frames are written here by RFC 8878, the xz header by its specification.
"""
import bz2
import gzip
import json
import lzma
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time
import unittest
import zlib

import cli
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import first_fault  # noqa: E402
import pcapng_parts as ng  # noqa: E402
import sample  # noqa: E402
from cli import FLUSH, HEALTHY

MIB = 1 << 20
BLOCK = 128 << 10  # the most a block of zstd has
# What a terminal would obey, or show in a place other than it is in.
HOSTILE = ["\x1b]0;x\x07", "\x9b31m", "\x07", "\x7f", "\u061c", "\u200e", "\u200f", "\u202a", "\u202e",
           "\u2066", "\u2069", "\u2028", "\u2029", "\ufeff"]
NAME = "a" + "".join(HOSTILE) + "gr\u00fc\u00df"
RAW = b"latin \x9b31m"  # no UTF-8


def zstd(parts, window_log=17):
    """A frame of zstd: bytes, and (byte, how often) pairs."""
    out = [b"\x28\xb5\x2f\xfd\x00", bytes([(window_log - 10) << 3])]

    def block(kind, size, data):
        out.append(struct.pack("<I", size << 3 | kind << 1)[:3] + data)
    for part in parts:
        if isinstance(part, bytes):
            for at in range(0, len(part), BLOCK):
                block(0, len(part[at:at + BLOCK]), part[at:at + BLOCK])
        else:
            byte, left = part
            while left:
                block(1, min(left, BLOCK), bytes([byte]))
                left -= min(left, BLOCK)
    return b"".join(out) + b"\x01\0\0"


def inflated(size):
    """The parts of a pcapng with blocks of zeros that nobody knows."""
    length = struct.pack("<I", 16 * MIB)
    block = [struct.pack("<I", 0x0bad) + length, (0, 16 * MIB - 12), length]
    return [cli.pcapng(1, [])] + block * (size // (16 * MIB))


class Hostile(cli.Case):
    def shown(self, text):
        """No control and no turn in what came out."""
        for c in HOSTILE:
            self.assertNotIn(c, text)
        for c in text:
            self.assertFalse(c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or 0xdc80 <= ord(c) < 0xdca0),
                             ascii(text))


class BesideConfig(Hostile):
    def setUp(self):
        super().setUp()
        self.capture = self.dir / "a/x.pcap"
        self.capture.parent.mkdir()
        shutil.copy(FLUSH, self.capture)
        self.nearby = self.capture.parent / ".pcap-lint.conf"

    def ignored(self, why):
        """It has no effect, and why is said once, unless nobody wants to know."""
        _, err = self.run_lint(self.capture, self.capture, status=1)
        self.assertEqual(err, f"pcap-lint: not read: {self.nearby}: {why}\n")
        self.assertEqual(self.run_lint("-q", self.capture, status=1)[1], "")
        self.assertEqual(self.run_lint("--config", "none", self.capture, status=1)[1], "")

    def test_effect(self):
        self.nearby.write_text("[pcap-lint]\nignore = CRC\ncount = 20\n")
        said = f"pcap-lint: {self.nearby} says: ignore = CRC, count = 20 (--config none: not to read it)\n"
        self.assertEqual(self.run_lint(self.capture, self.capture)[1], said)
        self.assertEqual(self.run_lint("--join", self.capture, self.capture)[1], said)
        self.assertEqual(self.run_lint("-q", self.capture)[1], "")
        self.assertEqual(self.run_lint("--config", self.nearby, self.capture)[1], "")  # named: no surprise
        self.nearby.write_text("[pcap-lint]\nignore = CRC\nquiet = true\n")  # does not hide itself
        self.assertIn("ignore = CRC", self.run_lint(self.capture)[1])
        self.nearby.write_text("[pcap-lint]\n")
        self.assertEqual(self.run_lint(self.capture, status=1)[1], "")

    def test_none(self):
        for path in (self.nearby, self.home / ".pcap-lint.conf"):
            path.write_text("[pcap-lint]\nignore = CRC\n")
            self.run_lint(self.capture)
            self.run_lint("--config", "none", self.capture, status=1)
        (self.dir / "none").write_text("[pcap-lint]\nignore = CRC\n")
        self.run_lint("--config", "none", self.capture, status=1)
        self.run_lint("--config", "./none", self.capture)

    def test_strangers(self):
        self.nearby.write_text("[pcap-lint]\nignore = CRC\n")
        if os.geteuid():
            self.skipTest("only root can make a stranger's file")
        os.chown(self.nearby, 65534, 65534)
        self.ignored("it belongs to another user")
        (self.home / ".pcap-lint.conf").write_text("[pcap-lint]\nignore = CRC\n")
        self.run_lint(self.capture)  # as if it were not there
        os.chown(self.home / ".pcap-lint.conf", 65534, 65534)
        self.run_lint(self.capture, status=1)

    def test_irregular(self):
        os.mkfifo(self.nearby)
        self.ignored("it is not a regular file")
        self.nearby.unlink()
        self.nearby.mkdir()
        self.ignored("it is not a regular file")
        self.nearby.rmdir()
        (self.dir / "other").write_text("[pcap-lint]\nignore = CRC\n")
        self.nearby.symlink_to(self.dir / "other")
        self.ignored("it is not a regular file")
        (self.home / ".pcap-lint.conf").symlink_to(self.dir / "other")  # where the user may have put it
        self.run_lint(self.capture)

    def test_large(self):
        text = "[pcap-lint]\nignore = CRC\n"
        self.nearby.write_text(text + "#" * (65536 - len(text)))
        self.run_lint(self.capture)
        self.nearby.write_text(text + "#" * (65537 - len(text)))
        self.ignored("it is larger than 64 KiB")


class Terminal(Hostile):
    def messages(self, *args, status=2):
        out, err = self.run_lint(*args, status=status)
        self.shown(out)
        self.shown(err)
        return out + err

    def test_names(self):
        for name in (os.fsencode(NAME), RAW):
            path = os.fsencode(self.dir) + b"/" + name
            shutil.copy(FLUSH, path)
            out = self.messages(path, status=1)
            self.assertEqual(len(out.splitlines()), 4)
            self.messages("--decode", "-c", "1", path, status=0)
            self.messages("--stats", "-v", path, status=1)
            self.messages("--join", path, FLUSH, status=1)
            self.messages("--repair", "/dev/null", path, status=0)
            self.messages("-o", path, path)
            self.messages("--repair", self.dir / "no" / NAME, path)
            self.messages(path + b".missing")
            for how in (["--decode"], [], ["--repair", "/dev/null"]):
                text = subprocess.run([cli.LINT, "--format", "json", *how, path], capture_output=True,
                                      check=False).stdout.decode()
                self.shown(text)
                if name != RAW:
                    self.assertEqual({json.loads(line)["file"] for line in text.splitlines()},
                                     {os.fsdecode(path)})
        self.assertIn("gr\u00fc\u00df", self.messages(self.dir / NAME, status=1))

    def test_options(self):
        for args in ((f"--{NAME}",), ("-f", NAME, HEALTHY), ("--select", NAME), ("-c", NAME), ("--explain", NAME),
                     ("--config", NAME), ("--format", NAME), ("--convert", NAME, HEALTHY), (f"-{NAME}",)):
            with self.subTest(args):
                self.messages(*args)

    def test_config(self):
        path = self.dir / "conf"
        for text in (f"[{NAME}]\n", f"[pcap-lint]\n{NAME}=1\n", f"[pcap-lint]\ncount={NAME}\n", NAME):
            path.write_text(text)
            self.messages("--config", path, HEALTHY)
        shutil.copy(HEALTHY, self.dir / "x.pcap")
        (self.dir / ".pcap-lint.conf").write_text(f"[pcap-lint]\nfilter=udp or {NAME}\n")
        self.messages(self.dir / "x.pcap")

    def test_interface(self):
        """The name of an interface that lost packets."""
        data = ng.section() + ng.interface(1, 0, [(2, NAME[:20].encode())]) + ng.block(
            5, struct.pack("<III", 0, 0, 0) + ng.options([(5, struct.pack("<Q", 3))]))
        (self.dir / "x.pcapng").write_bytes(data)
        self.assertIn("3 in the interface", self.messages("--severity", "note", self.dir / "x.pcapng", status=0))

    def test_progress(self):
        frame = cli.frames_of(HEALTHY)[40][1]
        for name in (os.fsencode(NAME), RAW, ("\u00fc" * 60).encode()):
            path = os.fsencode(self.dir) + b"/" + name
            pathlib.Path(os.fsdecode(path)).write_bytes(cli.pcap([(i, frame) for i in range(40000)]))
            shown = cli.Output.on_terminal(self, cwd=self.dir, capture=name)
            self.assertIn("packets", shown)
            self.shown(shown.replace("\033[K", "").replace("\r", ""))


class Bounds(Hostile):
    def write(self, data, name="x"):
        path = self.dir / name
        path.write_bytes(data)
        return path

    def test_formats(self):
        plain = cli.frames_of(HEALTHY)
        data = HEALTHY.read_bytes()
        half = len(data) // 2
        for name, packed in (("xz", lzma.compress(data)), ("bz2", bz2.compress(data)), ("zst", zstd([data])),
                             ("xz streams", lzma.compress(data[:half]) + bytes(8) + lzma.compress(data[half:])),
                             ("bz2 streams", bz2.compress(data[:half]) + bz2.compress(data[half:]))):
            with self.subTest(name):
                self.assertEqual(self.summary(self.write(packed))["packets"], len(plain))
                for stop in (12, len(packed) // 3, len(packed) - 1):
                    _, err = self.run_lint(self.write(packed[:stop]), "--fail-on", "never", status=2)
                spoiled = bytearray(packed)
                spoiled[len(packed) // 2] ^= 1
                if name != "zst":  # which has no checksum here
                    out, err = self.run_lint(self.write(spoiled), "--fail-on", "never", status=2)
                    self.assertRegex(out + err, "(xz|bzip2) data is (damaged|cut)")

    def test_bombs(self):
        bomb = self.write(zstd(inflated(1200 * MIB)))
        self.assertLess(bomb.stat().st_size, MIB)
        start = time.monotonic()
        _, err = self.run_lint(bomb, status=2)
        self.assertIn("1000 times as much decompressed (--max-size sets a limit instead)", err)
        self.assertLess(time.monotonic() - start, 60)
        self.run_lint("--max-size", "0", bomb)
        self.run_lint("--max-size", "2G", bomb)
        _, err = self.run_lint("--max-size", "1100M", bomb, status=2)
        self.assertIn("more than 1153433600 bytes decompressed", err)
        self.run_lint(self.write(zstd(inflated(1000 * MIB))))  # that much may be

    def test_max_size(self):
        data = FLUSH.read_bytes()
        for packed in (gzip.compress(data), bz2.compress(data), lzma.compress(data), zstd([data])):
            path = self.write(packed)
            self.run_lint("--max-size", str(len(data)), path, status=1)
            self.run_lint("--max-size", str(len(data) - 1), path, status=2)
        self.run_lint("--max-size", "1", FLUSH, status=1)  # nothing is decompressed
        for value in ("", "x", "-1", "1E", "K", "1KK", "9999999T"):
            self.run_lint("--max-size", value, FLUSH, status=2)
        help_text = self.run_lint("--help")[0]
        self.assertIn("default 256G, and 1000 times its size", help_text)

    def test_max_memory(self):
        for value in ("", "x", "-1", "1023K", "9999999T"):
            _, err = self.run_lint("--max-memory", value, FLUSH, status=2)
            self.assertIn("max-memory", err)
        self.assertEqual(self.run_lint("--max-memory", "1M", FLUSH, status=1)[0],
                         self.run_lint(FLUSH, status=1)[0])
        self.assertRegex(self.run_lint("--help")[0], r"\n  --max-memory=BYTES +Memory limit for connection state \(default 1G\)\n")

    def memory(self, path, status=0):
        """The most that was resident, in bytes."""
        run = subprocess.Popen([cli.LINT, "-j", "1", "--max-size", "0", path], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
        err = run.stderr.read()
        run.stderr.close()
        _, code, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(code)
        self.assertEqual(run.returncode, status, err)
        return usage.ru_maxrss << 10, err.decode()

    def test_windows(self):
        """What README.md says of memory: 14 MB, and the window of a compressed file, up to 128 MiB."""
        sanitized = b"__asan_init" in pathlib.Path(cli.LINT).read_bytes()
        wide, _ = self.memory(self.write(zstd(inflated(512 * MIB), 27)))
        if not sanitized:
            self.assertLess(wide, 160 * MIB)
        _, err = self.memory(self.write(zstd(inflated(16 * MIB), 28)), 2)
        self.assertIn("the zstd data is damaged", err)
        for dictionary, status in ((30, 0), (31, 2), (40, 2)):  # 128 MiB, 192 MiB, 4 GiB
            packed = bytearray(lzma.compress(HEALTHY.read_bytes(), check=lzma.CHECK_CRC32))
            end = 12 + (packed[12] + 1) * 4  # of the block header, where its CRC is
            self.assertEqual(packed[14:16], b"\x21\x01")  # LZMA2, one byte of properties
            packed[16] = dictionary
            packed[end - 4:end] = struct.pack("<I", zlib.crc32(packed[12:end - 4]))
            used, err = self.memory(self.write(packed), status)
            if not sanitized:
                self.assertLess(used, 160 * MIB)
            if status:
                self.assertIn("more than 128 MiB of memory", err)

    def test_ports(self):
        """64 of them, however they are given."""
        for n in (64, 65):
            ports = [str(4000 + i) for i in range(n)]
            for args in (["--roce-port", ",".join(ports)], [w for p in ports for w in ("--roce-port", p)]):
                _, err = self.run_lint(*args, HEALTHY, status=2 if n > 64 else 0)
                self.assertEqual("more than 64 ports" in err, n > 64)
            conf = self.dir / "conf"
            conf.write_text("[pcap-lint]\nroce-port = " + ",".join(ports[1:]) + "\n")
            _, err = self.run_lint("--config", conf, "--roce-port", ports[0], HEALTHY, status=2 if n > 64 else 0)
            self.assertEqual("more than 64 ports" in err, n > 64)

    def test_decoded_transfers(self):
        """The segments of a transfer are listed once, at its first layer."""
        listed = 0
        self.assertTrue(list(cli.MADE.glob("lint-saq*.pcap")))
        for capture in sorted([*(cli.ROOT / "pcaps/mad").glob("*.pcap"), *cli.MADE.glob("lint-saq*.pcap")]):
            run = subprocess.run([cli.LINT, "--decode", "--format", "json", capture], capture_output=True,
                                 check=False)
            for packet in map(json.loads, run.stdout.splitlines()):
                frames = [layer["frames"] for layer in packet["layers"] if "frames" in layer]
                if frames:
                    self.assertTrue(frames[0])
                    self.assertFalse(any(frames[1:]), frames)
                    listed += len(frames) > 1
        self.assertGreater(listed, 0)


class Times(Hostile):
    """Times that 64 bits of nanoseconds since 1970 cannot hold."""
    def test_kept(self):
        interfaces = [(6, -2_000_000_000), (9, 0), (6, 20_000_000_000), (0x80 | 40, 0), (12, 5)]
        data = ng.section() + b"".join(
            ng.interface(1, 0, [(ng.IF_TSRESOL, bytes([resolution])), (14, struct.pack("<q", offset))])
            for resolution, offset in interfaces)
        stamps = [(i, stamp) for i in range(len(interfaces))
                  for stamp in (0, 1, 1_500_000_000_123_456, (1 << 63) + 7, (1 << 64) - 1)]
        frame = cli.frames_of(FLUSH)[14][1]
        data += b"".join(ng.packet(i, stamp, frame) for i, stamp in stamps)
        path = self.dir / "x.pcapng"
        path.write_bytes(data)
        for args in (["--repair", "y.pcapng"], ["--convert", "pcapng", "y.pcapng"]):
            self.run_lint(*args, path)
            self.assertEqual(self.times((self.dir / "y.pcapng").read_bytes()), self.times(data), args)
        out, err = self.run_lint("--convert", "pcap", "y.pcap", path, "--max-per-rule", "0", status=2)
        self.assertIn("before 1970 is too early for a pcap", err)
        self.assertIn("is too late for a pcap", err)

    def times(self, data):
        """(resolution, offset, stamp) of each packet, from the bytes."""
        at, interfaces, found = 0, [], []
        while at < len(data):
            kind, length = struct.unpack_from("<II", data, at)
            body = data[at + 8:at + length - 4]
            if kind == 1:
                options, place = {}, 8
                while place + 4 <= len(body):
                    code, size = struct.unpack_from("<HH", body, place)
                    options[code] = body[place + 4:place + 4 + size]
                    place += 4 + (size + 3) // 4 * 4
                interfaces.append((options.get(9, b"\6"), options.get(14, bytes(8))))
            elif kind == 6:
                number, high, low = struct.unpack_from("<III", body)
                found.append((*interfaces[number], high << 32 | low))
            at += length
        self.assertTrue(found)
        return found

    def test_cut_is_said(self):
        """Of each packet that was cut, whatever is in it."""
        frames = cli.frames_of(FLUSH)
        for keep in (10, 14, 20, 34, 41, 42, 50, 60):
            out = [cli.pcap([])]
            for when, frame in frames:
                part = frame[:keep]
                out.append(struct.pack("<IIII", when // 10**6, when % 10**6, len(part), len(frame)) + part)
            path = self.dir / "cut.pcap"
            path.write_bytes(b"".join(out))
            cut = [i for i, (_, frame) in enumerate(frames, 1) if len(frame) > keep]
            said = self.run_lint("--repair", "y.pcapng", path)[0]
            for number in cut:
                length = len(frames[number - 1][1])
                self.assertIn(f"cut.pcap:{number}: not repaired: cut, {keep} of {length} bytes captured", said)
            lefts = [json.loads(line) for line in
                     self.run_lint("--repair", "y.pcapng", "--format", "json", path)[0].splitlines()]
            self.assertEqual([line["frame"] for line in lefts if line["left"].startswith("cut")], cut)


if __name__ == "__main__":
    cli.LINT, cli.MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    every = [f"{kind.__name__}.{name}" for kind in Hostile.__subclasses__()
             for name in unittest.defaultTestLoader.getTestCaseNames(kind)]
    unittest.main(argv=sys.argv[:1] + (sys.argv[3:] or sample.rows(every)), failfast=first_fault.only())
