#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""same_build.py BUILD REFERENCE: what one build makes and says is what the other does, byte by byte.

The captures pcaps/make has written are compared, what ibwire-kheader prints, and for every capture,
real and made, what pcap-lint finds in every format, counts, decodes, converts, repairs and comments. So what a test has
shown of the reference holds for the other, which need not be shown it again: against tshark, for example.

With sanitizers an eighth of the captures is written: starting such a program takes ten times as
long, and each format is asked for here with all captures at once. Other compilers write every one.

Status 77 (skipped) if the reference has not been built.
"""
import concurrent.futures
import filecmp
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINT, KHEADER, MADE = "dissector/pcap-lint/pcap-lint", "codec/ibwire-kheader", "pcaps"
CAPTURES = ("*.pcap", "*.pcapng")
ALL = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--progress", "never"]
# With every capture at once.
RUNS = [[*ALL, "--format", "json"], [*ALL, "--verbose"], ["--progress", "never"],
        ["--decode"], ["--decode", "--format", "json"], ["--stats", "--format", "json"], ["--stats", "-v"],
        *[["--progress", "never", "--format", form] for form in ("html", "github", "junit")]]
# With one after the other, as each writes a file.
WRITE = [["--repair"], ["--write"], ["--convert=erf"], ["--convert=pcap"], ["--convert=pcapng"]]


def run(program, args, out):
    """The exit status; standard output goes to the file @out, and what is said follows it."""
    with open(out, "wb") as file:
        done = subprocess.run([program, *map(str, args)], stdout=file, stderr=subprocess.PIPE,
                              env={"PATH": os.environ["PATH"], "HOME": str(out.parent)})
        file.write(done.stderr)
    return done.returncode


def wrote(lint, how, capture, out):
    """What writing a file came to: the status, and the file, if there is one."""
    written = out.with_suffix(".written")
    written.unlink(missing_ok=True)
    status = run(lint, [f"{how[0]}={written}", capture] if how in (["--repair"], ["--write"])
                 else [*how, capture, "-o", written], out)
    text = out.read_bytes().replace(str(written).encode(), b"FILE")
    return status, text, written.read_bytes() if written.exists() else None


def faults_of_run(builds, args, tmp, name):
    """A run of both builds, which must not differ; 77 and signals would be no answer."""
    outs = [tmp / f"{name}.{i}" for i in range(2)]
    status = [run(build, args, out) for build, out in zip(builds, outs)]
    what = " ".join(map(str, args))[:100]
    if status[0] not in (0, 1, 2):
        yield f"{what}: status {status[0]}: {outs[0].read_bytes()[-1000:].decode(errors='replace')}"
    elif status[0] != status[1]:
        yield f"{what}: status {status[0]}, of the reference {status[1]}"
    elif not filecmp.cmp(*outs, shallow=False):
        with outs[0].open("rb") as ours, outs[1].open("rb") as theirs:
            pair = next(((n, a, b) for n, (a, b) in enumerate(zip(ours, theirs), 1) if a != b),
                        ("end", b"", b""))
        yield f"{what}: line {pair[0]}:\n{pair[1][:300]}\n{pair[2][:300]}"
    elif outs[0].stat().st_size < 1000:
        yield f"{what}: hardly any output, so nothing was compared"
    for out in outs:
        out.unlink()


def faults_of_write(builds, how, capture, tmp):
    got = [wrote(build, how, capture, tmp / f"{capture.name}{how[0]}.{i}")
           for i, build in enumerate(builds)]
    if got[0] != got[1] or got[0][0] not in (0, 1, 2):
        yield f"{' '.join(how)} {capture.name}: status {got[0][0]} and {got[1][0]}, or other bytes"


def sanitized(build):
    """Whether @build has sanitizers in it."""
    return re.search(r"^IBW_SANITIZE:[A-Z]+=(?!OFF$)", (build / "CMakeCache.txt").read_text(), re.M) is not None


def main():
    ours, theirs = (pathlib.Path(arg).resolve() for arg in sys.argv[1:3])
    if not (theirs / LINT).exists():
        print(f"{theirs} has not been built")
        return 77
    names = [sorted(p.name for kind in (*CAPTURES, "*.expect") for p in (build / MADE).glob(kind))
             for build in (ours, theirs)]
    made = sorted(set(names[0]) | set(names[1]))
    faults = [f"made: {name} differs" for name in
              sum(filecmp.cmpfiles(ours / MADE, theirs / MADE, made, shallow=False)[1:], [])]
    captures = sorted(p for kind in CAPTURES for where in (ROOT / "pcaps", ours / MADE)
                      for p in where.rglob(kind))
    written = captures[::8] if sanitized(ours) else captures
    lints, kheaders = [[build / tool for build in (ours, theirs)] for tool in (LINT, KHEADER)]
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tmp = pathlib.Path(name)
        jobs = [pool.submit(lambda *a: list(faults_of_run(*a)), lints, [*args, *captures], tmp, i)
                for i, args in enumerate(RUNS)]
        jobs.append(pool.submit(lambda *a: list(faults_of_run(*a)), lints,
                                ["--progress", "never", "--format", "sarif", *captures[::16]], tmp, "sarif"))
        jobs.append(pool.submit(lambda *a: list(faults_of_run(*a)), kheaders, ["all"], tmp, "all"))
        jobs += [pool.submit(lambda *a: list(faults_of_write(*a)), lints, how, capture, tmp)
                 for capture in written for how in WRITE]
        for job in jobs:
            faults += job.result()
    print("\n".join(faults[:50]))
    print(f"{len(made)} made files, {len(captures)} captures, {len(written)} of them written, {len(jobs)} runs, {len(faults)} differ")
    return 1 if faults or not made or not captures else 0


if __name__ == "__main__":
    sys.exit(main())
