#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""examples.py LIBIBWIRE_SO: the programs of tests/examples compile and print what they say.

Each is compiled with gcc and all warnings against include/ only; the few that say "with the library" in their
first comment are linked with it, all others with nothing. What it prints is to be what is in
its first comment after "Prints:". README.md names each of them, and no other.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import first_fault  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tests/examples"
COMPILE = ["gcc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
           f"-I{ROOT / 'include'}"]


def promised(text):
    """What the first comment says is printed; a line of it begins with a tab."""
    comment = text.split("*/")[1] if text.startswith("/* SPDX") else text.split("*/")[0]
    return "".join(f"{line}\n" for line in
                   re.findall(r"^ \*\t(.*)$", comment.split("Prints:", 1)[-1], re.M))


def fault(path, library, tmp):
    """What is wrong with an example; None: nothing."""
    text = path.read_text()
    want = promised(text)
    if not want:
        return "does not say what it prints"
    program = os.path.join(tmp, path.stem)
    link = [library, f"-Wl,-rpath,{os.path.dirname(library)}"] if "with the library" in text else []
    done = subprocess.run([*COMPILE, "-o", program, str(path), *link], capture_output=True, text=True)
    if done.returncode or not os.path.exists(program):
        return f"does not compile:\n{done.stderr[:2000]}"
    done = subprocess.run([program], capture_output=True, text=True, timeout=10)
    if done.returncode or done.stdout != want:
        return f"ended with {done.returncode} and printed\n{done.stdout}in place of\n{want}"
    return None


def main():
    paths = sorted(EXAMPLES.glob("*.c"))
    named = set(re.findall(r"tests/examples/(\w+\.c)", (ROOT / "README.md").read_text()))
    faults = [f"{name}: in README.md or in tests/examples only"
              for name in sorted(named ^ {path.name for path in paths})]
    with tempfile.TemporaryDirectory() as tmp:
        for path in paths:
            said = fault(path, os.path.abspath(sys.argv[1]), tmp)
            faults += [f"{path.name}: {said}"] if said else []
            if first_fault.ends(faults):
                break
    print("\n".join(faults + [f"{len(paths)} examples, {len(faults)} faults"]))
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
