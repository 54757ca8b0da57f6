#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kheader_print.py KHEADER...: what ibwire-kheader prints around its code: pictures, names, enums, help.

Where the picture of a header has each field, and how many bytes the header is, is compared with what
other sources say in tests/facts; that its rows are whole, its cells named once and in the order of the
structure, with the picture itself. That the code does what it should is for tests/codec/kheader.c.
"""
import collections
import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ROOT / "include" / "ibwire" / "list"
OPTIONS = ROOT / "codec" / "kheader_options.def"
# A header of each family that can be of no other: where IBTA vol 1 or the annex or manual puts it.
KNOWN = {"link": ["eth", "ipv4", "lrh", "grh", "bth", "deth", "cnp"],  # chapters 7 to 9, annex A17
         "mad": ["mad", "rmpp", "class_port_info"],  # chapter 13
         "sm": ["node_info", "port_info", "sm_info"],  # chapter 14
         "sa": ["path_rec", "mcmember_rec", "service_rec"],  # chapter 15
         "cm": ["cm_req", "cm_rep", "cm_dreq"],  # chapter 12
         "perf": ["port_counters", "port_counters_ext"],  # chapter 16.1
         "cc": ["cong_info", "cong_log_ca", "ca_cong_setting"],  # annex A10
         "devmgt": ["iou_info", "ioc_profile"],  # chapter 16.3
         "vendor": ["mlnx_general_info"],
         "iwarp": ["mpa_start", "ddp_tagged", "rdmap"],  # RFC 5044, 5041, 5040
         "ulp": ["nvme_command", "nvme_completion"]}  # NVMe base 2.0, 3.3.3
HEAD = re.compile(r"/\*\n \* ([^\n]+): (\d+) bytes\n \*\n((?: \*[^\n]*\n)+) \*/\n"
                  r"#define (\w+)_BYTES (\d+)\n\n"
                  r"struct (\w+)_wire \{\n\tu8 b\[(\w+)_BYTES\];\n\};\n\nstruct (\w+) \{\n(.*?)\};\n", re.S)
RULER = [" *  0                   1                   2                   3",
         " *  " + " ".join(str(i % 10) for i in range(32))]

wrong = []


def check(ok, *what):
    if not ok:
        wrong.append(" ".join(map(str, what)))


def run(*args):
    return subprocess.run([*sys.argv[1:], *args], capture_output=True, text=True)


class Picture:
    """A header as it was printed: {field: (first bit, bits)}, from its picture alone."""

    def __init__(self, match, places):
        self.title, self.bytes = match[1], int(match[2])
        self.name, self.places = match[6], places
        self.members = re.findall(r"\tu(\d+) (\w+)(?:\[(\d+)\])?;", match[9])
        check(match[2] == match[5], self.name, "has two sizes")
        check(match[4] == match[7] == self.name.upper() and self.name == match[8], self.name,
              "has two names")
        self.fields, self.reserved = {}, []
        self.read(match[3].splitlines())

    def length(self, name):
        """The bits of a field that has rows left out: of its member, or else as others say."""
        for bits, member, count in self.members:
            if member == name and bits == "8" and count:
                return 8 * int(count)
        return self.places[name][1] if name in self.places else None

    def skipped_reserved(self, rows, at, order, total):
        """The bits of reserved rows left out before @rows, by where others put the next field."""
        end, until = (total + 31) // 32 * 32, len(rows)
        if order:
            end = self.places.get(order[0], (0,))[0] // 32 * 32
            until = next((i for i, row in enumerate(rows) if order[0] in row), 0)
        check(" * ..." not in rows[:until], self.name, f"leaves out rows twice from bit {at}")
        return end - 32 * sum(row.startswith(" * |") for row in rows[:until]) - at

    def read(self, lines):
        check(lines[:2] == RULER, self.name, "has no ruler")
        total, at, order, last = self.bytes * 8, 0, [m[1] for m in self.members], (None, 0)
        lines = lines[2:]
        drawn = 32 * sum(line.startswith(" * |") for line in lines)
        left_out = sum(line == " * ..." for line in lines)
        for i, line in enumerate(lines):
            if line == " * ...":
                # As many rows as lie wholly inside the field: all but its first and its last.
                bits = self.length(last[0]) if last[0] else None
                if left_out == 1:
                    skipped = (total + 31) // 32 * 32 - drawn
                elif bits:
                    skipped = ((last[1] + bits) // 32 - 1) * 32 - at
                else:
                    skipped = self.skipped_reserved(lines[i + 1:], at, order, total)
                at += skipped
                check(skipped > 0, self.name, f"leaves out no rows at bit {at}")
            elif line.startswith(" * +"):
                width = min(32, total - at) if at < total else (total - 1) % 32 + 1
                check(line == " * +" + "-+" * width, self.name, f"has no whole rule at bit {at}")
            else:
                at, last = self.row(line[3:], at, total, order, last)
                check(i and lines[i - 1].startswith(" * +"), self.name, f"has no rule at bit {at}")
        check(at == total, self.name, f"has a picture of {at} bits, not {total}")
        check(not order, self.name, "has no picture of", *order)

    def row(self, line, at, total, order, last):
        """The cells of one row; where the next starts, and the field it may go on with."""
        check(line[0] == line[-1] == "|", self.name, f"has an open row at bit {at}")
        start = at
        for cell in line[1:-1].split("|"):
            text, bits = cell.strip(), (len(cell) + 1) // 2
            check(len(cell) % 2, self.name, f"has half a bit at bit {at}")
            if text and (not order or order[0][:len(text)] != text or
                         len(text) < min(len(order[0]), 2 * bits - 1)):
                check(False, self.name, f"has a cell {text!r} at bit {at}, not", *order[:1])
            elif text:
                gap = len(cell) - len(text)
                check(cell == " " * (gap // 2) + text + " " * (gap - gap // 2), self.name,
                      f"has {text} out of the middle")
                last = (order.pop(0), at)
                self.fields[last[0]] = (at, bits)
            elif at == start and last[0] and self.goes_on(last, at):
                self.fields[last[0]] = (last[1], at + bits - last[1])
                check(last[1] > at - 32 or not self.goes_on(last, at + 63), self.name,
                      f"has a row inside {last[0]}")
            else:
                last = (None, at)
            at += bits
        check(at == min(start + 32, total), self.name, f"has a row of {at - start} bits at {start}")
        return at, last

    def goes_on(self, last, at):
        """Whether a blank cell that starts a row is more of the field before it."""
        if sum(self.fields[last[0]]) != at and self.length(last[0]) is None:
            return False
        bits = self.length(last[0])
        if bits is None:
            bits = next((int(b) * int(n or 1) for b, m, n in self.members if m == last[0]), 0)
        return min(last[1] + bits, self.bytes * 8) > at


def facts():
    """({header: {field: {(bit, bits)}}}, {header: {bytes}}): rows of others that are whole fields."""
    rows = collections.defaultdict(list)
    for path in sorted((ROOT / "tests/facts" / "fields").glob("*.csv")):
        with open(path, encoding="utf-8") as file:
            for row in csv.reader(line for line in file if not line.startswith("#")):
                rows[row[0], row[1]].append((row[2], int(row[3]), int(row[4])))
    fields = collections.defaultdict(lambda: collections.defaultdict(set))
    sizes = collections.defaultdict(set)
    for path in sorted((ROOT / "tests/facts" / "map").glob("*.txt")):
        header, of, shift = None, [], 0
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split("#")[0].split()
            if words[:1] == ["="]:
                header, of = words[1], rows[words[2], words[3]]
                shift = int(words[4][1:]) if len(words) > 4 else 0
                continue
            if "=" not in words or words[0] == "-":
                continue
            theirs, ours = words[:words.index("=")], words[words.index("=") + 1:]
            parts = []
            for word in theirs:
                name, _, place = word.partition("@")
                parts += [(a, n) for f, a, n in of if f == name and place in ("", str(a))]
            if len(ours) != 1 or not parts:
                continue
            at, bits = min(parts)[0] + shift, sum(n for _, n in parts)
            if ours == ["(header)"]:
                sizes[header].add((at + bits) // 8)
            else:
                fields[header][ours[0]].add((at, bits))
    return fields, sizes


def pictures():
    fields, sizes = facts()
    headers = {}
    for match in HEAD.finditer(run("--prefix", "", "all").stdout):
        known = {name: max(places)
                 for name, places in fields[match[6]].items() if not name.startswith("rsvd")}
        headers[match[6]] = Picture(match, known)
    compared = 0
    for name, picture in headers.items():
        for size in sizes[name]:
            check(picture.bytes == size, name, f"is {picture.bytes} bytes, by others {size}")
        for field, places in fields[name].items():
            if field.startswith("rsvd") and field not in picture.fields:
                continue
            for place in places:
                compared += 1
                check(picture.fields.get(field) == place, f"{name}.{field} is drawn at",
                      picture.fields.get(field), "and by others at", place)
    return headers, compared


def families(headers):
    """--list, and each family by itself: the headers of its list, in that order, each once."""
    listed = collections.defaultdict(list)
    for line in run("--list").stdout.splitlines():
        match = re.fullmatch(r"@(\w+) +(\w+) +(\S.*)", line)
        check(match, "--list has the line", line)
        if match:
            listed[match[1]].append((match[2], match[3]))
    for path in LISTS.glob("headers_*.def"):
        family = path.stem.removeprefix("headers_")
        want = re.findall(r'^IBW_HEADER\((\w+), "(.*)"\)', path.read_text(), re.M)
        check(want and listed[family] == want, f"--list has not the headers of @{family}")
    check(set(listed) == set(KNOWN), "--list has the families", *sorted(listed))
    for family, known in KNOWN.items():
        text = run(f"@{family}").stdout
        names = re.findall(r"^struct ibw_(\w+)_wire \{", text, re.M)
        check(names and names == [name for name, _ in listed[family]], f"@{family} prints", *names)
        check(set(known) <= set(names), f"@{family} is without one of", *known)
        titles = [(m[6].removeprefix("ibw_"), m[1]) for m in HEAD.finditer(text)]
        check(titles == listed[family], f"@{family} has other titles than --list")
        check_frame(text, f"IBW_{family.upper()}_H")
    check(sum(map(len, listed.values())) == len(headers), "all is not all that is listed")


KERNEL = ["#include <linux/string.h>", "#include <linux/types.h>"]  # the same in each version of Linux


def check_frame(text, guard, includes=KERNEL):
    lines = text.splitlines() or [""]
    check(len(lines) > 6 and lines[0] == "/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */" and
          lines[2:6] == [f"#ifndef {guard}", f"#define {guard}", "", includes[0]] and
          lines[-1] == f"#endif /* {guard} */", guard, "is no guard of the file")
    check([line for line in lines if line.startswith("#include")] == includes, guard, "includes",
          *[line for line in lines if line.startswith("#include")])
    check(max(len(line.expandtabs(8)) for line in lines) <= 100, guard, "has a line above 100")


def asked(args, names, guard, includes=KERNEL, prefix="ibw_"):
    done = run(*args)
    check(done.returncode == 0 and not done.stderr, *args, "ends with", done.returncode, done.stderr)
    have = re.findall(r"^struct (\w+)_wire \{", done.stdout, re.M)
    check(have == [prefix + name for name in names], *args, "prints", *have)
    check_frame(done.stdout, guard, includes)


def names_of_prefix():
    """Of every name the prefix is the same: with an underscore, and in capitals for constants."""
    text = run("--prefix", "rxe", "bth").stdout
    for word in ("struct rxe_bth_wire {", "struct rxe_bth {", "#define RXE_BTH_BYTES 12", "enum rxe_opcode {",
                 "\tRXE_OP_RC_SEND_FIRST = 0x00,", " rxe_bth_psn(const struct rxe_bth_wire *w)",
                 " *rxe_bth_view(const void *buf, size_t len)", "u32 rxe_get_be24(const u8 *p)"):
        check(word in text, "--prefix rxe has not", word)
    check(not re.search(r"rxe(?!_)|RXE(?!_)|ibw_|IBW_", text.split("\n", 2)[2]), "--prefix rxe has other names")


def enums():
    """Each once, those of the fields of what is asked for and no others; all of them with "all"."""
    def of(*args):
        return re.findall(r"^enum ibw_(\w+) \{", run(*args).stdout, re.M)

    check(of("bth") == ["opcode"], "bth has the enums", *of("bth"))
    check(of("eth", "vlan") == ["ethertype"], "eth and vlan have the enums", *of("eth", "vlan"))
    check(of("reth") == [], "reth has the enums", *of("reth"))
    lists = re.findall(r"^IBW_VALUES\((\w+)\)", "".join(p.read_text() for p in sorted(LISTS.glob("values_*.def"))), re.M)
    check(sorted(of("all")) == sorted([*lists, "opcode", "mad_class"]) and len(lists) > 40,
          "all has not all enums, or one twice")


def choices():
    """What is asked for in other ways: several, twice, in another order, with other names."""
    asked(["reth", "bth"], ["bth", "reth"], "IBW_RETH_BTH_H")
    asked(["bth", "bth"], ["bth"], "IBW_BTH_BTH_H")
    asked(["@mad", "mad"], re.findall(r"_(\w+)_wire \{", run("@mad").stdout), "IBW_MAD_MAD_H")
    for words in (["--prefix", "my"], ["--prefix", "my_"], ["--prefix=my"]):
        asked([*words, "deth"], ["deth"], "MY_DETH_H", prefix="my_")
    asked(["deth", "--prefix", "X9"], ["deth"], "X9_DETH_H", prefix="X9_")
    asked(["--prefix", "", "deth"], ["deth"], "DETH_H", prefix="")
    names_of_prefix()
    asked(["--include", "a.h", "--include", "<b.h>", "deth"], ["deth"], "IBW_DETH_H",
          ['#include "a.h"', "#include <b.h>"])
    asked([word for i in range(8) for word in ("--include", f"{i}.h")] + ["deth"], ["deth"],
          "IBW_DETH_H", [f'#include "{i}.h"' for i in range(8)])


def refused(args, *words):
    done = run(*args)
    lines = done.stderr.splitlines()
    check(done.returncode == 2 and not done.stdout, *args, "ends with", done.returncode)
    check(lines and lines[0].startswith("ibwire-kheader: ") and
          all(word in lines[0] for word in words), *args, "says", *lines[:1])
    check(lines[1:] == ["usage: ibwire-kheader [OPTION]... NAME...|@FAMILY...|all; see --help"],
          *args, "has the usage", *lines[1:])


def usage():
    refused([], "no header named")
    refused(["--prefix", "x_"], "no header named")
    refused(["--colour", "red", "bth"], "--colour")
    refused(["--pre", "red", "bth"], "--pre")
    refused(["bth", "--prefix"], "needs an argument", "--prefix")
    refused(["--list=all"], "takes no argument", "--list=all")
    for prefix in ("9x", "a-b", "a b", "\u00e4", "-"):
        refused(["--prefix", prefix, "bth"], prefix)
    check(run("--prefix", "a" * 32, "bth").returncode == 0, "a prefix of 32 letters is refused")
    refused(["--prefix", "a" * 33, "bth"], "too long")
    refused(["bht"], "bht", "--list")
    refused(["bth", "@linc"], "@linc")
    refused(["bth", "@"], "@")
    refused([word for i in range(9) for word in ("--include", f"{i}.h")] + ["bth"], "--include")


def helps():
    """--help and the man page have the options of kheader_options.def, --version the project's."""
    rows = re.findall(r'^KH_OPTION\(\w+, "(\w+)", (NULL|"\w+"),\n\t  "([^"]+)",', OPTIONS.read_text(), re.M)
    check(len(rows) >= 5, "kheader_options.def has", len(rows), "options")
    done, page = run("--help"), pathlib.Path(sys.argv[-1]).with_name("ibwire-kheader.1").read_text()
    check(done.returncode == 0 and not done.stderr, "--help ends with", done.returncode)
    lines = done.stdout.splitlines()
    check(lines[:1] == ["usage: ibwire-kheader [OPTION]... NAME...|@FAMILY...|all"], "--help begins with", *lines[:1])
    check(max(map(len, lines), default=0) <= 100, "--help has a line above 100")
    for name, arg, text in rows:
        words = f"--{name}" + ("" if arg == "NULL" else " " + arg.strip('"'))
        check(f"  {words:<18}{text}" in lines, "--help has no line of", words)
        check(f".TP\n\\fB\\-\\-{name}\\fR" in page, "the man page is without", words)
        check(arg != "NULL" or run(f"--{name}").stdout, words, "prints nothing")
    version = re.search(r"^ +VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    check(run("--version").stdout == f"ibwire-kheader {version}\n", "--version says", run("--version").stdout)
    check(f'"ibwire {version}"' in page, "the man page is of another version")
    if shutil.which("groff"):
        with tempfile.NamedTemporaryFile("w", suffix=".1") as file:
            file.write(page)
            file.flush()
            done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-z", file.name], capture_output=True, text=True)
        check(done.returncode == 0 and not done.stderr, "groff says", done.stderr)


def main():
    headers, compared = pictures()
    families(headers)
    choices()
    enums()
    usage()
    helps()
    for what in wrong[:20]:
        print(what)
    print(f"{len(headers)} pictures, {compared} places of others in them, {len(wrong)} faults")
    return 0 if not wrong and len(headers) > 200 and compared > 1000 else 1


if __name__ == "__main__":
    sys.exit(main())
