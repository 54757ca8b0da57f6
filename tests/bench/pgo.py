#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pgo.py BUILD [CMAKE-OPTION...]: builds pcap-lint optimised by a profile, in that directory: for packagers.

It is built with counters, reads the captures of pcaps/ and two of capture-bench, by default and with all reports, and
is built again by what it did. Ends with the instructions that a packet costs, by stage.
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = ([], ["--select", "all", "--stats", "--story", "auto", "--interval", "auto"],
        ["--severity", "note", "--format", "json", "--decode"])
LARGE = 20_000_000  # bytes
CODES = (0, 1)  # nothing found, something found


def build(directory, step, options, *targets):
    subprocess.run(["cmake", "--preset", "release", "-B", directory, f"-DIBW_PGO={step}", *options], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", directory, "--target", *targets], check=True)


def train(directory):
    lint, bench = directory / "dissector/pcap-lint/pcap-lint", directory / "tests/capture-bench"
    with tempfile.TemporaryDirectory() as tmp:
        large = [pathlib.Path(tmp) / f"{kind}.pcap" for kind in ("acks", "write")]
        for path in large:
            subprocess.run([bench, path.stem, path, str(LARGE)], check=True, stdout=subprocess.DEVNULL)
        small = sorted(path for path in ROOT.glob("pcaps/*/*") if ".pcap" in path.name or path.suffix == ".erf")
        for options in RUNS:
            files = small if "--decode" in options else small + large
            done = subprocess.run([lint, *options, *files], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if done.returncode not in CODES:
                raise SystemExit(f"pcap-lint {' '.join(options)}: status {done.returncode}")


def main():
    directory, options = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    build(directory, "train", options, "pcap-lint", "capture-bench")
    train(directory)
    build(directory, "use", options, "pcap-lint", "capture-bench")
    subprocess.run([ROOT / "tests/bench/stages.py", directory / "tests/capture-bench",
                    directory / "dissector/pcap-lint/pcap-lint", "--print"], check=True)


main()
