# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""How numbers are said in pcap-lint's text, worked out from the exact ones of its JSON; and the words of the tables in the tree.

Nothing of ours that prints is used: what a unit means and where a number is cut or rounded is written here a second
time. W1 to W5 is what a reader of the text has to know.

    W1  592 k, 4.8 k: units of 1,000. What is 1,000 or more has three digits at most before the unit, with a tenth if
        there is one digit only; rounded, a half upwards, so that 9.96 k is 10 k and 999.6 k is 1.0 M. Times likewise,
        from ns to s.
    W2  Shares: of retransmitted packets rounded to a whole percent, of waiting to a tenth; a half upwards.
    W3  Times of the day are UTC, to the microsecond, cut.
    W4  A queue pair has its number in hexadecimal and, where that is not the same, in decimal after it.
    W5  In sentences times have three digits, rounded, a half upwards; zeros at the end of a fraction are left out.
"""
import datetime
import functools
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
BYTES, TIMES = ("", "k", "M", "G", "T", "P"), ("ns", "us", "ms", "s")


def scaled(n, units):
    """W1"""
    power = next((n_units for n_units in range(len(units) - 1) if rounded(n, 1000 ** n_units) < 1000), len(units) - 1)
    unit = 1000 ** power
    tenths = rounded(n * 10, unit)
    if power and tenths < 100:
        return f"{tenths // 10}.{tenths % 10} {units[power]}"
    return f"{rounded(n, unit)} {units[power]}".rstrip()


def size(n):
    return scaled(n, BYTES)


def time(ns):
    return scaled(ns, TIMES)


def took(ns):
    """W5"""
    power = next((n for n in range(len(TIMES) - 1) if ns < 1000 ** (n + 1) - 1000 ** n // 2), len(TIMES) - 1)
    unit = 1000 ** power
    digits = 0 if not power or ns >= 100 * unit else 1 if ns >= 10 * unit else 2
    whole, part = divmod(rounded(ns * 10 ** digits, unit), 10 ** digits)
    text = f"{whole}.{part:0{digits}}".rstrip("0").rstrip(".") if digits else str(whole)
    return f"{text} {TIMES[power]}"


def rounded(part, whole):
    """part / whole, a half upwards"""
    return (2 * part + whole) // (2 * whole)


def percent(part, whole):
    """W2"""
    return rounded(part * 100, whole) if whole else 0


def share(part, whole):
    """W2"""
    tenths = rounded(part * 1000, whole)
    return f"{tenths // 10}.{tenths % 10} %"


def nanoseconds(text):
    """Of a time in JSON: seconds, a point and nine digits."""
    seconds, _, rest = text.partition(".")
    return int(seconds) * 10**9 + int(rest)


def utc(ns):
    """W3"""
    at = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ns % 10**9 // 1000:06}Z"


def counted(n, what):
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def number_of_qp(qpn):
    """W4"""
    if qpn is None:
        return "qp ?"
    return f"qp {qpn:#x} ({qpn})" if qpn > 9 else f"qp {qpn:#x}"


def end(one):
    """A connection's end, of its object in JSON."""
    if "port" in one:
        return f"{one['address']} port {one['port']}"
    return f"{one['address']} {number_of_qp(one['qpn'])}"


def short_end(one, node=None):
    return f"{one['address']}{f' ({node})' if node else ''} qp {'?' if one['qpn'] is None else one['qpn']}"


def quantiles(histogram):
    """p50 and p99 of an object in JSON: buckets have the most that is in them, which is at most the maximum."""
    return min(histogram["p50"], histogram["max"]), min(histogram["p99"], histogram["max"])


def times(histogram):
    """A cell "p50 / p99"."""
    return " / ".join(map(time, quantiles(histogram))) if histogram["count"] else ""


@functools.cache
def macros(path):
    """[(name, [argument])] of a .def file of the tree, in order; neighbouring strings are one."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"^#.*?(?<!\\)$", "", text, flags=re.M)
    found, at = [], 0
    for match in re.finditer(r"^([A-Z_]+)\(", text, re.M):
        if match.start() < at:
            continue
        words, word, depth, at = [], "", 1, match.end()
        while depth:
            quoted = re.compile(r'"((?:[^"\\]|\\.)*)"').match(text, at)
            if quoted:
                word, at = word + quoted[0], quoted.end()
                continue
            char, at = text[at], at + 1
            depth += (char == "(") - (char == ")")
            if depth == 1 and char == "," or not depth:
                words.append(word.strip())
                word = ""
            else:
                word += char
        found.append((match[1], [plain(one) for one in words]))
    return found


@functools.cache
def statements():
    """{event: (who shows it, [(condition of its numbers, what could make it untrue: the first that holds)])}"""
    rows = macros("dissector/track/base/event.def")
    names = {args[0]: args[1] for name, args in rows if name == "TRACK_EVENT"}
    out = {}
    for _, (event, shown, by) in (row for row in rows if row[0] == "TRACK_UNTRUE"):
        *some, last = by.split(" : ")
        both = [one.split(" ? ") for one in some] + [["True", last]]
        out[names[event]] = shown, [(compile(re.sub(r"N\(\w+, (\w+)\)", r"n['\1']", when), event, "eval"), frozenset(what.split(" | ")))
                                    for when, what in both]
    return out


@functools.cache
def values():
    """{name: number} that conditions may have: TRACK_GAP_OPEN."""
    return {f"TRACK_{args[1]}": int(args[2], 0) for name, args in macros("dissector/track/base/event.def") if name == "TRACK_VALUE" and
            args[2][:1].isdigit()}


@functools.cache
def lacks():
    """{doubt: what it lacks of what requests show, and of what answers show}; those of which is not known how many."""
    return {args[1]: {"REQUESTS": set(args[3].split(" | ")), "ANSWERS": set(args[4].split(" | "))}
            for name, args in macros("dissector/track/base/doubt.def") if name == "TRACK_DOUBT" and args[5] == "false"}


def may_be_untrue(event, doubts):
    """Whether one of @doubts lacks what could make an event untrue."""
    shown, both = statements()[event["event"]]
    untrue = next(what for when, what in both if eval(when, values(), {"n": event})) - {"NOTHING"}
    return any(lacks()[doubt][shown] & untrue for doubt in doubts if doubt in lacks())


def plain(word):
    """A string without its quotes; what is none as it is."""
    if not word.startswith('"'):
        return word
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', word)).replace('\\"', '"')
