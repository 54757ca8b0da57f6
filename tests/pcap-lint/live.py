#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""live.py PCAP-LINT: packets that come through a pipe as they are captured.

Their times are made those of this minute; then incidents and errors have to come out as they close, each once, the verdict after all
of them. What a program reads from an old file says the same as the file, at its end. After a signal the pipe is read on until its writer
closes it, a second at most.
"""
import json
import os
import struct
import subprocess
import sys
import time
import unittest

import cli
import cli_files
import first_fault

LOSS = cli.RXE / "12-drop-at-receiver-write.pcap"   # 34 incidents
BADKEY = cli.ROOT / "pcaps/faults/08-badkey-write.pcap"
BEFORE = 1175  # packets of LOSS: each incident is over by then, and its resends have come
SOON = 3       # seconds: findings wait for one
REST_S = 1     # of a pipe, after a signal


def shifted(capture, begin):
    """(header, records) whose first one was captured at @begin, in seconds."""
    head, found = cli_files.records(capture)
    order = "<" if head[0] in (0xd4, 0x4d) else ">"
    more = begin - struct.unpack_from(order + "I", found[0])[0]
    return head, [struct.pack(order + "I", struct.unpack_from(order + "I", record)[0] + more) + record[4:] for record in found]


class Live(cli_files.Files):
    def read_until(self, run, words, seconds=cli_files.PATIENCE):
        """What came out by the time that @words did."""
        out, end = b"", time.monotonic() + seconds
        while words not in out and time.monotonic() < end:
            if self.unread(run.stdout):
                out += os.read(run.stdout.fileno(), 1 << 16)
            else:
                time.sleep(0.02)
        self.assertIn(words, out)
        return out

    def rest(self, run):
        """What comes until it ends, once there is no more input."""
        out, err = run.communicate(timeout=cli_files.PATIENCE)
        self.assertEqual(err, b"")
        return out

    def keep_coming(self, run, head, records):
        """A packet now and then, until incidents were told."""
        run.stdin.write(head + b"".join(records[:BEFORE]))
        return self.later(run, records[BEFORE:])

    def later(self, run, records):
        time.sleep(SOON / 2)
        run.stdin.write(records[0])
        return records[1:]

    def test_incidents(self):
        head, records = shifted(LOSS, int(time.time()))
        run = self.start("-")
        left = self.keep_coming(run, head, records)
        out = self.read_until(run, b":990: warning: QPS008 nak-seq-error: ")
        self.assertNotIn(b"verdict", out)
        run.stdin.write(b"".join(left))
        lines = (out + self.rest(run)).decode().splitlines()
        self.assertRegex(lines[-2], r"^-: verdict: 10\.7\.0\.1 qp 21 -> 10\.7\.0\.2 qp 20: at least 27 requests lost after the capture point, .*")
        self.assertRegex(lines[-1], r"^-: 1268 packets, .*: 0 errors, 694 warnings, 34 incidents ")
        told = lines[:-2]
        self.assertEqual(len(told), len(set(told)))
        _, *whole, _ = subprocess.run([cli.LINT, "-v", "--format", "json", LOSS], stdout=subprocess.PIPE, text=True,
                                          check=False).stdout.splitlines()
        texts = [line["text"] for line in map(json.loads, whole) if line["type"] == "incident"]
        singly = [line for line in told if any(text in line for text in texts)]
        self.assertGreater(len(singly), 20)
        rest = [line for line in told if line not in singly]
        self.assertLessEqual(len(rest), 1)
        self.assertTrue(all(" more requests lost " in line or " more request lost" in line for line in rest), rest)

    def test_one_by_one(self):
        """With findings one by one incidents come with the last ones: the same lines as of the file, each as often."""
        head, records = shifted(LOSS, int(time.time()))
        path = self.dir / "x.pcap"
        path.write_bytes(head + b"".join(records))
        whole = subprocess.run([cli.LINT, "--max-per-rule", "3", path], stdout=subprocess.PIPE, text=True, check=False).stdout
        run = self.start("--max-per-rule", "3", "-")
        left = self.keep_coming(run, head, records)
        time.sleep(SOON)
        run.stdin.write(b"".join(left))
        self.assertEqual(sorted(self.rest(run).decode().splitlines()), sorted(whole.replace(str(path), "-").splitlines()))

    def test_json(self):
        head, records = shifted(LOSS, int(time.time()))
        run = self.start("--format", "json", "--max-per-rule", "0", "-")
        left = self.keep_coming(run, head, records)
        out = self.read_until(run, b'"incident","schema"')
        run.stdin.write(b"".join(left))
        rows = [json.loads(line) for line in (out + self.rest(run)).decode().splitlines()]
        incidents = [row["incident"] for row in rows if row["type"] == "incident"]
        self.assertEqual(sorted(incidents), [*range(34)])
        self.assertEqual([row["type"] for row in rows[-2:]], ["verdict", "summary"])
        self.assertEqual(rows[-1]["incidents"], 34)
        findings = [row for row in rows if row["type"] == "finding"]
        self.assertEqual(len(findings), 694)
        self.assertFalse(any("incident" in row for row in findings))  # by then it is not known
        self.assertFalse(any("rules" in row for row in rows if row["type"] == "incident"))

    def test_errors(self):
        """A refusal, and what is no trace of an incident: the first of a cause at once, and again only with the others."""
        head, records = shifted(BADKEY, int(time.time()))
        run = self.start("-")
        run.stdin.write(head + b"".join(records[:-1]))
        left = self.later(run, [records[-1]] * 2)
        out = self.read_until(run, b":7: error: QPS012 nak-fatal: ")
        self.assertEqual(len(left), 1)
        self.assertEqual((out + self.rest(run)).count(b"QPS012 nak-fatal"), 1)
        head, records = shifted(cli.FLUSH, int(time.time()))
        run = self.start("-")
        run.stdin.write(head + b"".join(records[:15]))
        out = self.read_until(run, b":15: error: CRC001 icrc-bad: ")
        run.stdin.write(records[15])
        out += self.rest(run)
        self.assertEqual(out.count(b"CRC001 icrc-bad"), 2)  # and in the verdict
        run = self.start("-")
        run.stdin.write(head + b"".join(records))
        out = self.rest(run)
        self.assertIn(b"CRC001 icrc-bad: on 3 packets", out)

    def test_old_file(self):
        """Through a pipe nothing else is said than of the file, only in another order."""
        for capture in (LOSS, BADKEY, cli.HEALTHY, cli.FLUSH, cli.ROOT / "pcaps/faults/11b-16qp-read-loss.pcap"):
            whole = subprocess.run([cli.LINT, capture], stdout=subprocess.PIPE, text=True, check=False).stdout
            run = self.start("-")
            run.stdin.write(capture.read_bytes())
            lines = self.rest(run).decode().splitlines()
            self.assertEqual(sorted(lines), sorted(whole.replace(str(capture), "-").splitlines()))
            self.assertRegex(lines[-1], "^-: \\d+ packets")
            if "verdict" in whole:
                self.assertRegex(lines[-2], "^-: verdict: ")

    def test_rest_of_a_pipe(self):
        """What its writer had for us when the signal came."""
        head, records = cli_files.records(cli.HEALTHY)
        run = self.start("-")
        run.stdin.write(head + b"".join(records[:20]))
        self.interrupt(run)
        time.sleep(REST_S / 4)
        run.stdin.write(b"".join(records[20:]))
        out = self.rest(run)
        self.assertIn(f"-: {len(records)} packets, ".encode(), out)
        self.assertNotIn(b"interrupted", out)
        self.assertEqual(run.returncode, -cli_files.signal.SIGINT)

    def test_endless_pipe(self):
        """A writer that goes on is not waited for."""
        head, records = cli_files.records(cli.HEALTHY)
        run = self.start("-")
        run.stdin.write(head + b"".join(records[:20]))
        self.interrupt(run)
        begin = time.monotonic()
        try:
            while run.poll() is None and time.monotonic() < begin + cli_files.PATIENCE:
                run.stdin.write(records[20])
                time.sleep(REST_S / 20)
        except BrokenPipeError:
            pass
        self.assertLess(time.monotonic() - begin, REST_S + 4)
        self.assertIn(b"interrupted after ", run.communicate(timeout=cli_files.PATIENCE)[0])


if __name__ == "__main__":
    cli.LINT = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], failfast=first_fault.only())
