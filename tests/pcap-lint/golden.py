#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""golden.py PCAP-LINT MADE [--update] [NAME...]: pcap-lint's output, character by character.

Each line of golden.list is a test: a name, a capture (of pcaps/, or, as made/..., of those
pcaps/make writes into MADE) and options. What the command prints, and the status it ends with, must
be what is in golden/NAME.txt. --update writes these files: look at the difference before you commit.
"""
import difflib
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
DIFF_LINES = 20


def tests():
    """[(name, capture, options)] of golden.list."""
    rows = [shlex.split(line, comments=True)
            for line in (HERE / "golden.list").read_text().splitlines()]
    rows = [(row[0], row[1], row[2:]) for row in rows if row]
    names = [name for name, _, _ in rows]
    if len(set(names)) < len(names):
        raise SystemExit("golden.list: a name twice")
    return rows


def output(lint, where, capture, options):
    """What a run prints and how it ends; file names in it are as in golden.list."""
    run = subprocess.run([lint, *options, capture], cwd=where, capture_output=True, check=False,
                         env={"HOME": where, "PATH": os.environ["PATH"]})
    return run.stdout + run.stderr + f"exit status {run.returncode}\n".encode()


def compare(name, got):
    """Whether it is as it was; if not, says where."""
    path = GOLDEN / f"{name}.txt"
    want = path.read_bytes() if path.exists() else b""
    if got == want:
        return True
    diff = list(difflib.unified_diff(*(text.decode(errors="replace").splitlines()
                                       for text in (want, got)),
                                     f"golden/{name}.txt", "now", lineterm="", n=1))
    print("\n".join(line[:300] for line in diff[:DIFF_LINES]))
    if len(diff) > DIFF_LINES:
        print(f"... and {len(diff) - DIFF_LINES} more lines")
    return False


def main():
    args = [arg for arg in sys.argv[1:] if arg != "--update"]
    update = "--update" in sys.argv
    lint, made, only = os.path.abspath(args[0]), pathlib.Path(args[1]).resolve(), args[2:]
    rows = tests()
    chosen = [row for row in rows if not only or row[0] in only]
    failed = 0
    with tempfile.TemporaryDirectory() as where:
        for directory in [*(HERE.parents[1] / "pcaps").iterdir(), made]:
            if directory.is_dir():
                os.symlink(directory, f"{where}/{'made' if directory == made else directory.name}")
        for name, capture, options in chosen:
            got = output(lint, where, capture, options)
            if update:
                (GOLDEN / f"{name}.txt").write_bytes(got)
            else:
                failed += not compare(name, got)
    if not only:
        for path in sorted(set(GOLDEN.glob("*")) - {GOLDEN / f"{name}.txt" for name, _, _ in rows}):
            print(f"{path.relative_to(HERE)}: not in golden.list")
            failed += 1
    print(f"{len(chosen)} tests, {failed} failed" if not update else f"{len(chosen)} written")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
