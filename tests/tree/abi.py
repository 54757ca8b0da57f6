#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""abi.py LIBIBWIRE_SO [--update | --anew]: the shared library still is what programs were linked with.

Compared, by abidiff, with tests/data/libibwire.abi: every exported function, and every type of include/ibwire
that those take or give. Functions may be added, nothing else may change. That a change is seen is tried with
three planted in a copy: a member in the middle of a structure, an enum renumbered, a function removed.

--update	take over what was added; refused where something changed, unless the version did
--anew		take over everything: for a version that nobody has yet
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = ROOT / "tests/data/libibwire.abi"
ABIDW = ["abidw", "--drop-private-types", "--exported-interfaces-only", "--no-corpus-path", "--no-show-locs",
         "--no-comp-dir-path", "--no-architecture"]
# What, in which file, what for what, the word the report must have.
PLANTS = [
    ("a member in the middle of a structure", "include/ibwire/packet.h",
     "\tuint32_t computed;", "\tuint32_t planted;\n\tuint32_t computed;",
     "'uint32_t planted'"),
    ("an enum renumbered", "include/ibwire/packet.h", "\tIBW_CUT,       /*", "\tIBW_PLANTED,\n\tIBW_CUT,       /*",
     "ibw_outcome::IBW_CUT"),
    ("a function removed", "codec/lookup.c", "const char *ibw_outcome_text(", "static const char *ibw_planted(",
     "ibw_outcome_text"),
]
# A copy is not built as the library is; that its name is missing is no finding.
CFLAGS = ["-std=c11", "-g", "-O0", "-fPIC", "-fvisibility=hidden", "-Wno-missing-prototypes"]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def describe(library, include, out):
    """The interface of a library, as a file of libabigail's."""
    run(*ABIDW, "--headers-dir", include, "--out-file", out, library, check=True)
    text = out.read_text()
    # Which machine's libraries it needs is not our interface.
    text = re.sub(r"  <elf-needed>.*?</elf-needed>\n", "", text, flags=re.S)
    if "<class-decl" not in text or "<function-decl" not in text:
        sys.exit(f"{library}: no debugging information, or nothing exported")
    out.write_text(text)
    return out


def differences(old, new):
    """What abidiff says of functions gone and types changed; "" if there is nothing."""
    done = run("abidiff", "--no-added-syms", old, new)
    if done.returncode & 3:
        sys.exit(f"abidiff: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout if done.returncode else ""


def version(pattern, text):
    match = re.search(pattern, text, re.M)
    return match[1] if match else None


def versions(library, base):
    """{where: the version that is said to be compatible}; they have to be one."""
    cmake = version(r"^ +VERSION (\d+\.\d+)\.\d+$", (ROOT / "CMakeLists.txt").read_text())
    soname = run("objdump", "-p", library).stdout
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    nearby = pathlib.Path(library).parent
    page, pc = (nearby / "ibwire.7").read_text(), (nearby / "ibwire.pc").read_text()
    package = (nearby / "ibwireConfigVersion.cmake").read_text()
    return {"CMakeLists.txt": cmake,
            "the soname": version(r"^ +SONAME +libibwire\.so\.(\S+)$", soname),
            "codec/libibwire.map": version(r"^IBWIRE_(\S+) \{$", (ROOT / "codec/libibwire.map").read_text()),
            "CONTRIBUTING.md, soname": version(r"`libibwire\.so\.([\d.]+)`", contributing),
            "CONTRIBUTING.md, symbols": version(r"`IBWIRE_([\d.]+)`", contributing),
            "CONTRIBUTING.md, CMake": version(r"`find_package\(ibwire ([\d.]+)\)`", contributing),
            "the man page, soname": version(r"libibwire\.so\.([\d.]+)\)", page),
            "the man page, symbols": version(r"\(IBWIRE_([\d.]+)\)", page),
            "the man page, CMake": version(r"find_package\(ibwire ([\d.]+)\)", page),
            "the man page, pkg-config": version(r'"ibwire >= ([\d.]+), ibwire < 0', page),
            "ibwire.pc": version(r"^Version: (\d+\.\d+)\.\d+$", pc),
            "ibwire.pc, its comment": version(r"ibwire >= ([\d.]+),", pc),
            "the CMake package": version(r'^set\(PACKAGE_VERSION "(\d+\.\d+)\.\d+"\)$', package),
            "tests/data/libibwire.abi": version(r"version='IBWIRE_([\d.]+)'", base)}


def build(tree):
    """The library of a copy."""
    map_file = tree / "codec/libibwire.map"
    sources = sorted(p for p in (tree / "codec").glob("*.c") if not p.name.startswith("kheader"))
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda p: run("gcc", *CFLAGS, f"-I{tree / 'include'}", "-c", p, "-o",
                                           tree / f"{p.stem}.o"), sources):
            if done.returncode:
                sys.exit(done.stderr)
    library = tree / "libibwire.so"
    run("gcc", "-shared", "-Wl,-soname,libibwire.so." + version(r"^IBWIRE_(\S+) \{$", map_file.read_text()),
        f"-Wl,--version-script={map_file}", *sorted(tree.glob("*.o")), "-o", library, check=True)
    return library


def plant(number, work):
    """Whether one change, made in a copy, is found; what is wrong otherwise."""
    what, name, old, new, word = PLANTS[number]
    tree = work / f"plant{number}"
    for directory in ("include", "codec"):
        shutil.copytree(ROOT / directory, tree / directory)
    text = (tree / name).read_text()
    if text.count(old) != 1:
        return f"{what}: {name} has {text.count(old)} times {old!r}"
    (tree / name).write_text(text.replace(old, new))
    said = differences(BASE, describe(build(tree), tree / "include", tree / "abi"))
    return None if word in said else f"{what}: not found; abidiff says: {said or 'nothing'}"


def update(old, new, anew):
    said = BASE.exists() and differences(old, new)
    base = version(r"version='IBWIRE_([\d.]+)'", BASE.read_text()) if BASE.exists() else None
    same = base == version(r"version='IBWIRE_([\d.]+)'", new.read_text())
    if said and same and not anew:
        print(said)
        print("refused: a program linked before would break. Raise the minor version first (CONTRIBUTING.md)")
        return 1
    shutil.copy(new, BASE)
    print(f"{BASE.relative_to(ROOT)}: {BASE.stat().st_size} bytes")
    return 0


def main():
    library, *how = sys.argv[1:]
    if shutil.which("abidw") is None or shutil.which("abidiff") is None:
        print("skipped: no abidw or abidiff (abigail-tools)")
        return 77
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        new = describe(library, ROOT / "include", work / "abi")
        if how in (["--update"], ["--anew"]):
            return update(BASE, new, how == ["--anew"])
        wrong = []
        said = versions(library, BASE.read_text())
        if len(set(said.values())) != 1 or None in said.values():
            wrong.append(f"compatible versions differ: {said}")
        found = differences(BASE, new)
        if found:
            wrong.append(f"{found}\nnot what programs were linked with; see \"What stays compatible\" in "
                         "CONTRIBUTING.md, and --update")
        wrong += filter(None, (plant(number, work) for number in range(len(PLANTS))))
        for line in wrong:
            print(line)
        functions = new.read_text().count("<function-decl ")
        print(f"{functions} functions, {len(PLANTS)} changes planted, {len(wrong)} faults")
        return 0 if functions > 50 and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
