#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""said.py PCAP-LINT MADE: what is said in text of every capture, real and made, is words for a person.

    W1  One of a thing is said as one, several as several: no "1 packets", "16 copys", "2 packet".
    W2  A time has the unit that fits: no "70901000 ns", no "(ns)".
    W3  A PSN is 0x and six digits.
    W4  No list of fields and numbers ("Copies so far 2, The other end ..."): of each event that rules use there is a sentence in
        event.def, or it says why the line of the finding is enough (TRACK_SAID); then all numbers of the event are in it, but for
        the PSN and the QP, which the line begins with, and what the reason is about.
    W5  No sentence has a place that nothing was put into, or an end that is cut.

What is run: findings, -v, by cause and one by one; --stats with and without -v; --interval; --story of the worst and the first; and,
for W1, what --repair and --convert say of each capture, of its first packet alone, and of one that was cut.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
import text_words as W  # noqa: E402

DEF = "dissector/track/base/event.def"
COMMON = ["--config", "none", "--progress", "never", "--fail-on", "never", "--color", "never"]
RUNS = (["-v", "--severity", "perf", "--story", "auto", "--stats"],
        ["-v", "--severity", "perf", "--max-per-rule", "3", "--story", "0", "--interval", "auto"],
        ["--stats", "-v", "--ignore", "all"])
SHOWN = 30
REWRITTEN = 6  # of so many captures one, as each takes six runs
FAULTS = 3  # of one kind in one capture

# What is counted in sentences: events' places, and what reports count.
COUNTED = {macro_word for _, args in W.macros(DEF) for text in args for macro_word in re.findall(r"#([A-Za-z ]+)\}", text)}
NOUNS = sorted({word.split(" ")[-1] for word in COUNTED} |
               set("packet byte request response connection flow error warning note file record answer segment READ WRITE NAK ACK CNP "
                   "PSN QP QPN REQ REP DREQ time message timeout retry copy capture gap event direction host MAD trap port group "
                   "member XOFF XON query path client server".split()))
ALONE = [noun for noun in NOUNS if noun != "CNP"]  # of the summary: "12 CE, 12 CNP"
PLURALS = [W.counted(2, noun)[2:] if not noun.endswith("y") or noun[-2] in "aeiou" else noun[:-1] + "ies" for noun in NOUNS]
NUMBER = r"(?<![\w.,:/#x-])%s(?![\w.:/-])"
ONE = re.compile(NUMBER % "1" + rf" (?:[a-zA-Z-]+ )?(?:{'|'.join(PLURALS)})\b")
# "READ 2 packet": of a number that is none ("frame 2 packet", "priority 3 pause") the words before say so.
SEVERAL = re.compile(r"(?<!\bnumber )(?<!\bframe )(?<!\bretry )(?<!\bsession )(?<!\bcopy )" + NUMBER % "(?:0|[2-9]|[1-9][0-9]+)" + rf" (?:{'|'.join(ALONE)})\b(?! (?:NAK|with|of|responses))")
RULES = (
    ("one of several", ONE),
    ("several of one", SEVERAL),
    ("no plural", re.compile(r"\b[a-z]*(?:[^aeiou\W]ys|xs|chs|shs)\b")),
    ("nanoseconds", re.compile(r"\(ns\)|\b\d{4,}(?:\.\d+)? (?:ns|us|ms)\b|\b\d{5,}(?:\.\d+)? s\b(?!  from|: | a line)")),
    ("a PSN", re.compile(r"\bPSNs? (?!0x[0-9a-f]{6}\b)(?:0x[0-9a-f]*|\d+\b(?! (?:follows|of)\b))|\bpsn (?!0x[0-9a-f]{6}\b)0x", re.I)),
    ("a place", re.compile(r"[{}]|\[\]|, ,|: ;|\(\)|[,;]$|(?<!:):$")),
)
# Lines that are no sentences: tables of --stats, their figures; ways and what they are asked for.
TABLE = re.compile(r"^ {4,}\S.* {3,}|^ {10,}|^\d+: .* {3,}|^ {3}<- ")


def titles():
    """What a list of fields would begin with: the titles of numbers of events."""
    return re.compile("|".join(rf"\b{re.escape(args[5])} (?:0x)?[0-9a-f]" for name, args in W.macros(DEF)
                               if name == "TRACK_NUMBER" and " " in args[5] and len(args[5]) > 12 and args[3] != "UDP_PORT"))


def said():
    """[fault] of W4: events of rules without a sentence."""
    rows = W.macros(DEF)
    sentence = {args[0] for name, args in rows if name in ("TRACK_TELL", "TRACK_SAY")}
    enough = {args[0]: args[1] for name, args in rows if name == "TRACK_SAID"}
    numbers = collections.defaultdict(list)
    for name, args in rows:
        if name == "TRACK_NUMBER":
            numbers[args[0]].append(args[2])
    used = collections.defaultdict(str)
    for path in sorted((ROOT / "dissector/lint/rules").glob("*.def")):
        for name, args in W.macros(path.relative_to(ROOT)):
            if name.startswith("LINT_ON_EVENT"):
                used[args[1]] += " ".join(args[2:])
    for event, words in used.items():
        if (event in sentence) == (event in enough):
            yield f"{event}: a sentence, or why there is none (TRACK_TELL, TRACK_SAY, TRACK_SAID): one of them"
        if event not in enough or enough[event] != "all of its numbers are in the line":
            continue
        for number in numbers[event]:
            if number not in ("psn", "dqpn") and not re.search(rf"{event}_{number}\b|\b[A-Z_]+\({event}\)", words):
                yield f"{event}: the line does not say {number}, and there is no sentence"
    for event in enough:
        if event not in used:
            yield f"{event}: no rule uses it"


def faults_of(text, fields):
    """[(kind, line)]"""
    for line in text.splitlines():
        line = re.sub(r"\brejected: \d+ ", "rejected: ", line)  # the reason has its name
        if TABLE.search(line):
            continue
        words = line.partition(": ")[2] if not line.startswith(" ") else line
        for kind, pattern in RULES:
            match = pattern.search(words)
            if match:
                yield kind, f"{match[0]!r} in {line!r}"
        if fields.search(words):
            yield "fields", line


def rewritten(lint, captures):
    """What is said, errors too, by the modes that write packets; files are called by numbers, which are no words."""
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        for i, path in enumerate(captures):
            data = path.read_bytes()
            for name, content, count in ((f"{i}.whole", data, ()), (f"{i}.first", data, ("-c", "1")), (f"{i}.cut", data[:-1], ())):
                (tmp / name).write_bytes(content)
                for mode in (("--repair", "out"), ("--convert", "pcapng", "out"), ("-w", "out")):
                    run = subprocess.run([lint, *COMMON[:4], *count, *mode, name], cwd=tmp, capture_output=True, text=True, check=False)
                    yield run.stdout + re.sub("^pcap-lint: ", "", run.stderr, flags=re.M)


def main():
    lint, made = sys.argv[1:3]
    real, made = [*(ROOT / "pcaps").glob("*/*.pcap*")], [*pathlib.Path(made).glob("*.pcap*")]
    captures = sorted(real + made)
    faults, fields, lines = list(said()), titles(), 0
    for options in RUNS:
        seen = collections.Counter()
        text = subprocess.run([lint, *COMMON, *options, *captures], capture_output=True, text=True, check=False).stdout
        lines += text.count("\n")
        for kind, fault in faults_of(text, fields):
            seen[kind] += 1
            if seen[kind] <= FAULTS:
                faults.append(f"{kind}: {fault[:400]}")
    seen = collections.Counter()
    for text in rewritten(lint, captures[::REWRITTEN]):
        lines += text.count("\n")
        for kind, fault in faults_of(text, fields):
            seen[kind] += kind == "one of several" or kind == "several of one"
            if seen[kind] <= FAULTS and seen[kind]:
                faults.append(f"{kind}: {fault[:400]}")
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{len(captures)} captures, {lines} lines: {len(faults)} faults")
    return bool(faults or not real or not made or not lines)


if __name__ == "__main__":
    sys.exit(main())
