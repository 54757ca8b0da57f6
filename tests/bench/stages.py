#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""stages.py CAPTURE-BENCH PCAP-LINT [--update | --print]: the instructions that a packet costs, by stage, against a table.

Two captures of capture-bench (1 KB RDMA WRITEs, frames of the size of an ACK), each with no rules, by default and with
everything. callgrind counts the instructions of every source file; what is inlined from a header counts for the file
around it. Each capture is made twice, of which one is longer: a packet's cost is the difference, without start and end.

stages.csv has the figures of one compiler with certain libraries and a certain processor, which its first line names.
Where they are the same, no stage, and not their sum, may cost more than GROWTH times its figure plus SLACK
instructions. With others the figures are printed and nothing is compared, likewise with --print. --update writes the table.

Status 77 (skipped) where valgrind is not there.
"""
import csv
import io
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_suffix(".csv")
README = pathlib.Path(__file__).resolve().parents[2] / "README.md"
GROWTH, SLACK = 1.05, 4
KINDS = {"acks": (500_000, 2_000_000), "write": (4_000_000, 16_000_000)}  # bytes of the shorter and the longer capture
OPTIONS = {"no rules": ["--ignore", "all"], "default": [],
           "everything": ["--select", "all", "--stats", "--story", "auto", "--interval", "auto"]}
# The first one that fits: directories and files under dissector/ and codec/.
STAGES = (("reader", "dissector/capture/"),
          ("loop and totals", "dissector/pcap-lint/"),
          ("ICRC", "codec/packet_crc codec/icrc codec/crc libisal"),
          ("walk", "codec/ include/"),
          ("rules", "dissector/lint/"),
          ("view and context", "dissector/track/view/ dissector/track/first_pass dissector/track/known dissector/track/track"),
          ("tables", "dissector/track/base/table"),
          ("connections", "dissector/track/conn/"),
          ("queue pairs", "dissector/track/stream/ dissector/track/way/"),
          ("measures", "dissector/track/measure/ dissector/track/base/histogram"),
          ("incidents", "dissector/track/incident/"),
          ("other trackers", "dissector/"),
          ("libraries", ""))
NAMES = [name for name, _ in STAGES]
SUM = "all"


def stage_of(path):
    for name, starts in STAGES:
        if not starts or any(f"/{start}" in path for start in starts.split()):
            return name
    raise AssertionError(path)


def by_file(text):
    """{source file: instructions of its own} of what callgrind wrote: valgrind's manual, "Callgrind Format"."""
    names, objects, counts = {}, {}, {}
    home = here = library = None
    is_call = False
    for line in text.splitlines():
        place = re.match(r"(fl|fi|fe)=\((\d+)\)(?: (.*))?$", line)
        owner = re.match(r"ob=\((\d+)\)(?: (.*))?$", line)
        if owner:
            if owner[2] is not None:
                objects[owner[1]] = owner[2]
            library = objects[owner[1]]
        elif place:
            if place[3] is not None:
                names[place[2]] = place[3]
            path = names[place[2]]
            if path == "???":  # a library without line numbers
                path = f"/{library.rpartition('/')[2]}"
            if place[1] == "fl":
                home = path
            here = home if path.endswith(".h") or path.endswith(".def") else path
        elif re.match(r"calls=", line):
            is_call = True
        elif re.match(r"[+\-*\d]\S* \d+$", line):
            if not is_call:
                counts[here] = counts.get(here, 0) + int(line.split()[1])
            is_call = False
        else:
            named = re.match(r"c(fi|fl|fe|ob)=\((\d+)\) (.*)$", line)
            if named:
                (objects if named[1] == "ob" else names)[named[2]] = named[3]
    return counts


def cost(program, options, path, out):
    """{stage: instructions} of a run."""
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, "-j", "1", "--fail-on", "never", *options,
                    path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sums = dict.fromkeys(NAMES, 0)
    text = out.read_text()
    for path, n in by_file(text).items():
        sums[stage_of(path)] += n
    total = int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1])
    if sum(sums.values()) != total:
        raise SystemExit(f"{out}: {sum(sums.values())} instructions in files, {total} in all")
    return sums


def measured(bench, program):
    """{(kind, options, stage): instructions a packet}"""
    figures = {}
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        for kind, sizes in KINDS.items():
            paths = [tmp / f"{kind}-{size}.pcap" for size in sizes]
            packets = [int(subprocess.run([bench, kind, path, str(size)], check=True, capture_output=True, text=True).stdout)
                       for path, size in zip(paths, sizes)]
            for name, options in OPTIONS.items():
                short, long = (cost(program, options, path, tmp / "out") for path in paths)
                of = {stage: (long[stage] - short[stage]) / (packets[1] - packets[0]) for stage in NAMES}
                of[SUM] = sum(of.values())
                figures |= {(kind, name, stage): n for stage, n in of.items()}
    return figures


def first_line(words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[0]


def fingerprint(program):
    """What the figures depend on: the compiler, as the program names it, libraries, and what the processor can do."""
    comment = subprocess.run(["readelf", "-p", ".comment", program], check=True, capture_output=True, text=True).stdout
    compiler = re.findall(r"\]\s+(.*)$", comment, re.M)
    glib = first_line(["pkg-config", "--modversion", "glib-2.0"])
    flags = re.search(r"^flags\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    has = [flag for flag in ("avx2", "bmi2", "erms", "fsrm", "pclmulqdq", "vpclmulqdq", "avx512vl") if flags and flag in flags[1].split()]
    return "; ".join([*compiler, f"glibc {platform.libc_ver()[1]}", f"GLib {glib}", first_line(["valgrind", "--version"]),
                      platform.machine(), " ".join(has)])


def table(figures, made_by):
    out = io.StringIO()
    out.write(f"# {made_by}\n")
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["capture", "options", "stage", "instructions"])
    rows.writerows([*key, round(n)] for key, n in figures.items())
    return out.getvalue()


def faults_of(figures, before):
    """Stages that cost more than before, and rows of only one of the two."""
    faults = [f"{', '.join(key)}: only one of the run and {TABLE.name} has it" for key in figures.keys() ^ before.keys()]
    for key in figures.keys() & before.keys():
        if figures[key] > before[key] * GROWTH + SLACK:
            faults.append(f"{', '.join(key)}: {figures[key]:.0f} instructions a packet, {before[key]:.0f} before")
    return sorted(faults)


def readme_faults(before):
    """README says what the table says, to the ten."""
    costs = [f"{round(before[kind, options, SUM], -1):,.0f}" for options in ("default", "everything") for kind in ("write", "acks")]
    said = " ".join(README.read_text().split())
    right = "A packet costs {} instructions (1 KB) or {} (ACK size), with all rules, `--stats`, `--story` and `--interval` {} or {}".format(*costs)
    return [] if right in said else [f"README.md does not say: {right}"]


def planted(figures):
    """What a change of the figures is not noticed."""
    key = (*next(iter(figures))[:2], "walk")
    return [f"not noticed: {what}" for what, other in (("a stage that costs more", figures | {key: figures[key] * 0.9 - SLACK}),
                                                       ("a row that is gone", {k: n for k, n in figures.items() if k != key}),
                                                       ("a row that is new", figures | {("acks", "default", "stage"): 1}))
            if not faults_of(figures, other)]


def show(figures):
    columns = [(kind, options) for kind in KINDS for options in OPTIONS]
    print(f"{'instructions a packet':20}" + "".join(f"{f'{kind}, {options}':>20}" for kind, options in columns))
    for stage in [*NAMES, SUM]:
        print(f"{stage:20}" + "".join(f"{round(figures[*column, stage]):20}" for column in columns))


def main():
    bench, program = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    if not shutil.which("valgrind"):
        print("valgrind is not there")
        return 77
    figures, made_by = measured(bench, program), fingerprint(program)
    show(figures)
    if "--update" in sys.argv:
        TABLE.write_text(table(figures, made_by))
        return 0
    if "--print" in sys.argv:
        return 0
    lines = TABLE.read_text().splitlines()
    before = {(row["capture"], row["options"], row["stage"]): float(row["instructions"]) for row in csv.DictReader(lines[1:])}
    faults = readme_faults(before)
    if lines[0] == f"# {made_by}":
        faults += faults_of(figures, before) + planted(figures)
    else:
        print(f"not compared: these figures are of {made_by}, those of {TABLE.name} of {lines[0][2:]}")
    print("\n".join(faults))
    return faults != []


if __name__ == "__main__":
    sys.exit(main())
