#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""every_part.py BUILD: each part of a divided test passes, whichever the commit of a `./dev test ci` draws.

A test that asks for something only few of its rows have passes whole and fails in the part without them. Those of the tiers quick
and ci are tried with each IBW_PART, the deep ones of tests/lint with each IBW_SAMPLE, as dev divides them.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.dont_write_bytecode = True

import built  # noqa: E402
import parallel  # noqa: E402

DEEP_OF = "room=tests/lint"
SHOWN = 3000


def number(name):
    """The number that dev gives to a name."""
    return int(re.search(rf"^{name}=(\d+)", (ROOT / "dev").read_text(), re.M)[1])


def divided(build):
    """[(test, variable, parts)] of a build."""
    for test in built.tests(build):
        labels = built.labels(test)
        if "sampled" not in labels:
            continue
        if "deep" not in labels:
            yield test["name"], "IBW_PART", number("larger_parts")
        elif DEEP_OF in labels:
            yield test["name"], "IBW_SAMPLE", number("parts")


def attempt(part):
    """None, or what a part of a test says that fails."""
    build, name, variable, at, parts = part
    env = {key: value for key, value in os.environ.items() if key not in ("IBW_PART", "IBW_SAMPLE")}
    run = subprocess.run(["ctest", "--test-dir", build, "-R", f"^{name}$", "--no-tests=error", "--output-on-failure"],
                         env=env | {variable: f"{at}/{parts}"}, check=False, capture_output=True, text=True)
    return f"{variable}={at}/{parts} of {name}:\n{run.stdout[-SHOWN:]}" if run.returncode else None


def main():
    build, only = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    tried = [(build, name, variable, at, parts) for name, variable, parts in divided(build)
             if not only or name in only for at in range(parts)]
    faults = [fault for fault in parallel.each(attempt, tried) if fault]
    print("\n".join([*faults, f"{len(tried)} parts, {len(faults)} of them failed"]))
    return 1 if faults or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
