#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""jobs_tsan.py SOURCE MADE: ThreadSanitizer sees no race of two threads in pcap-lint.

pcap-lint is built with it, in a directory of its own, and checks every sixth capture by three threads, with chunks of a few packets.
A planted race, a counter that two threads change, has to be seen.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEEN = 66
RACE = """#include <pthread.h>
static int n;
static void *add(void *p) { for (int i = 0; i < 1000; i++) n++; return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }
"""


def planted(tmp):
    """Whether the sanitizer is there, and works."""
    (tmp / "race.c").write_text(RACE)
    if subprocess.run(["gcc", "-g", "-fsanitize=thread", "-o", tmp / "race", tmp / "race.c"], capture_output=True, check=False).returncode:
        return None
    done = subprocess.run([tmp / "race"], capture_output=True, text=True, check=False, env=os.environ | {"TSAN_OPTIONS": f"exitcode={SEEN}"})
    return done.returncode == SEEN and "data race" in done.stderr


def build(source, where):
    flags = "-g -O1 -fsanitize=thread"
    subprocess.run(["cmake", "-S", source, "-B", where, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={flags}", "-DIBW_WIRESHARK=OFF",
                    "-DIBW_LTO=OFF", "-DIBW_TESTS=OFF", "-DIBW_HARDEN=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", where, "pcap-lint"], check=True, stdout=subprocess.DEVNULL)
    return where / "dissector/pcap-lint/pcap-lint"


def main():
    source, made = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        works = planted(tmp)
        if works is None:
            print("no ThreadSanitizer")
            return 77
        program = build(source, tmp / "build")
        paths = sorted([*ROOT.glob("pcaps/**/*.pcap*"), *made.glob("*.pcap*")])[::6]
        env = os.environ | {"TSAN_OPTIONS": f"exitcode={SEEN} halt_on_error=1", "IBW_TEST_CHUNK": "5"}
        faults = [] if works else ["a planted race is not seen"]
        for path in paths:
            done = subprocess.run([program, "-j", "3", "--fail-on", "never", "--format", "json", "--stats", "--story", "auto", "--interval", "auto", path],
                                  capture_output=True, text=True, env=env, errors="replace", check=False)
            if done.returncode == SEEN or "ThreadSanitizer" in done.stderr:
                faults.append(f"{path.name}: {done.stderr[:3000]}")
    print("\n".join(faults))
    print(f"{len(paths)} captures by three threads: {len(faults)} with races")
    return faults != []


if __name__ == "__main__":
    sys.exit(main())
