#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""No number of a schema file can be off by one and compile.

Every integer of every line of include/ibwire/schema/*.def is raised and lowered by one, one number
at a time, and each of these wrong schemas has to be refused by gcc and by clang with an error that
names the schema file. Many are compiled at once, each as a header of its own; between any two
is a right one, which must get no error, so that no error is counted for the wrong file.

Usage: mutate.py [HEADER...]
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import sample  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "include/ibwire/schema"
COMPILERS = [["gcc", "-fmax-errors=0"], ["clang", "-ferror-limit=0"]]
RIGHT = 'IBW_FIELD(a, 0, 8, HEX, NULL, "A")\nIBW_END(8)\n'
BATCH = 150  # wrong schemas a compilation
SHOWN = 50
LINE = re.compile(r"^IBW_\w+\(.*\)\s*(/\*.*\*/)?\s*$")
NUMBER = re.compile(r"(?<![\w\"])(?:0x[0-9a-fA-F]+|\d+)(?![\w\"])")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/')

Mutant = collections.namedtuple("Mutant", "header line was now text")


def numbers(line):
    """Where the integers of a schema line are, outside strings and comments."""
    bare = STRING.sub(lambda m: "~" * len(m.group()), line)
    return list(NUMBER.finditer(bare))


def mutants(path):
    lines = path.read_text().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if not LINE.match(line):
            if line.startswith("IBW_"):
                sys.exit(f"{path}:{number}: not a line this test understands")
            continue
        for match in numbers(line):
            was = int(match.group(), 0)
            for now in (was - 1, was + 1):
                wrong = line[:match.start()] + str(now) + line[match.end():]
                text = "".join(lines[:number - 1] + [wrong] + lines[number:])
                yield Mutant(path.stem, number, match.group(), now, text)


def compile_batch(compiler, batch):
    """The mutants of a batch that were not refused, as text; and how many named the very line."""
    with tempfile.TemporaryDirectory() as tmp:
        schema = pathlib.Path(tmp, "schema")
        schema.mkdir()
        source = ["#include <ibwire/ibwire.h>\n"]
        for i, m in enumerate(batch):
            (schema / f"mutant{i}.def").write_text(m.text)
            (schema / f"right{i}.def").write_text(RIGHT)
            for kind in ("mutant", "right"):
                source.append(f"#define IBW_HDR {kind}{i}\n#include <ibwire/expand.h>\n")
        done = subprocess.run([*compiler, "-std=c11", "-fsyntax-only", "-xc", "-w", "-DIBW_ASSERT_SCHEMA",
                               "-DIBW_NO_CODE", f"-I{ROOT}/include", f"-I{tmp}", "-"], input="".join(source),
                              capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    named = collections.defaultdict(set)
    for match in re.finditer(r"schema/(mutant|right)(\d+)\.def:(\d+)", done.stderr):
        named[match.group(1), int(match.group(2))].add(int(match.group(3)))
    wrong, exact = [], 0
    for i, m in enumerate(batch):
        where = f"{compiler[0]}: {m.header}.def:{m.line}: {m.was} as {m.now}"
        if ("mutant", i) not in named:
            wrong.append(f"{where}: not refused")
        if ("right", i) in named:
            wrong.append(f"{where}: the right schema after it gets errors, too")
        exact += m.line in named["mutant", i]
    return wrong, exact


def main():
    paths = [SCHEMA / f"{name}.def" for name in sys.argv[1:]] or sorted(SCHEMA.glob("*.def"))
    found = sample.rows((m for path in paths for m in mutants(path)), lambda m: f"{m.header}:{m.line}: {m.was} {m.now}")
    batches = [found[i:i + BATCH] for i in range(0, len(found), BATCH)]
    compilers = [c for c in COMPILERS if shutil.which(c[0])]
    jobs = [(c, b) for b in batches for c in compilers]
    wrong, exact = [], collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (compiler, _), result in zip(jobs, pool.map(lambda job: compile_batch(*job), jobs)):
            wrong += result[0]
            exact[compiler[0]] += result[1]
            if len(wrong) > SHOWN:  # the compiler, or the assertions: no need to hear of all
                pool.shutdown(cancel_futures=True)
                break
    print("\n".join(wrong[:SHOWN]))
    for compiler in compilers:
        print(f"{compiler[0]}: the changed line itself is named for {exact[compiler[0]]}, "
              "another line of its file for the rest")
    print(f"{len(paths)} schema files, {len(found)} wrong numbers, "
          f"{len(wrong)} not as they should be")
    if wrong or not found or not compilers:
        return 1
    return 0 if len(compilers) == len(COMPILERS) else 77


if __name__ == "__main__":
    sys.exit(main())
