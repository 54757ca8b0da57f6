# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a C file can be changed to that compiles and is wrong, one place at a time."""
import collections
import re

# file: relative to the root; at, end: the characters replaced by now.
Change = collections.namedtuple("Change", "path operator at end now")

IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
                     r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
NUMBER = re.compile(r"(?<![\w.])(0x[0-9a-fA-F]+|\d+)([uUlL]*)(?![\w.])")
RELATION = re.compile(r"(?<=\s)(<=|>=|==|!=|<|>)(?=\s)")
OTHER_RELATION = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = re.compile(r"&&|\|\|")
SIGN = re.compile(r"(?<=[\w)\]] )[+-](?= [\w(*&])")
BITS = re.compile(r"(?<=[\w)\]] )(?:<<|>>|[&|])(?= [\w(~])")
OTHER_BITS = {"<<": ">>", ">>": "<<", "&": "|", "|": "&"}
CONDITION = re.compile(r"\b(?:if|while) \(")
STATEMENT = re.compile(r"(?<=[;{}:)\n])\n\t+(?!return|break|continue|goto|case|default|if|for|while|do|else|static|const"
                       r"|struct|uint|int|bool|char|size_t|unsigned|enum|switch)([\w*][^;{}]*?[\w)\]+-]);(?=\n)")
CALL = re.compile(r"\b(?!if\b|for\b|while\b|switch\b|return\b|sizeof\b)\w+\(")
TRUTH = re.compile(r"(?<=return )(?:true|false)(?=;)")
ACCESSOR = re.compile(r"\bibw_(\w+)\((?=\w)")
SIMPLE = re.compile(r"[\w.>*&\[\]-]+")


def bare(text):
    """The text with comments, strings and directives as blanks, so that places stay."""
    return IGNORED.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(text, at):
    """Where the bracket that opens at @at closes; -1: it does not."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    return -1


def arguments(text, at):
    """[(start, end)] of the arguments of the call whose bracket opens at @at."""
    end, depth, start, found = closing(text, at), 0, at + 1, []
    for i in range(at + 1, end):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if text[i] == "," and depth == 0:
            found.append((start, i))
            start = i + 1
    return found + [(start, end)] if end > at + 1 else []


def numbers(code):
    for m in NUMBER.finditer(code):
        if re.match(r"0\d", m.group(1)):
            continue  # octal: a file's permissions
        number = int(m.group(1), 0)
        for now in (number + 1, number - 1):
            if now >= 0:
                yield m.start(), m.end(), (hex(now) if "x" in m.group(1) else str(now)) + m.group(2)


def relations(code):
    for m in RELATION.finditer(code):
        yield m.start(), m.end(), OTHER_RELATION[m.group()]


def logic(code):
    for m in LOGIC.finditer(code):
        yield m.start(), m.end(), "||" if m.group() == "&&" else "&&"


def signs(code):
    for m in SIGN.finditer(code):
        yield m.start(), m.end(), "-" if m.group() == "+" else "+"


def bits(code):
    for m in BITS.finditer(code):
        yield m.start(), m.end(), OTHER_BITS[m.group()]


def conditions(code):
    for m in CONDITION.finditer(code):
        end = closing(code, m.end() - 1)
        yield m.end(), end, ""


def statements(code):
    for m in STATEMENT.finditer(code):
        if not re.match(r"\w+ \*?\w+( =|$|\[)", m.group(1)):  # not a declaration
            yield m.start(1), m.end(1), ""


def swaps(code):
    for m in CALL.finditer(code):
        if code.rfind("\n", 0, m.start()) == m.start() - 1:
            continue  # a definition
        found = arguments(code, m.end() - 1)
        for (a, b), (c, d) in zip(found, found[1:]):
            one, two = code[a:b].strip(), code[c:d].strip()
            if one != two and SIMPLE.fullmatch(one) and SIMPLE.fullmatch(two):
                yield a, d, code[a:b].replace(one, two) + code[b:c] + code[c:d].replace(two, one)


def truths(code):
    for m in TRUTH.finditer(code):
        yield m.start(), m.end(), "false" if m.group() == "true" else "true"


class Accessors:
    """The getters of the schema, by header and width."""

    def __init__(self, schema):
        self.like = collections.defaultdict(list)  # (header, bits): fields
        self.of = {}                               # "bth_psn": (header, field, bits)
        for path in sorted(schema.glob("*.def")):
            for name, width in re.findall(r"^IBW_FIELD\((\w+),\s*\d+,\s*(\d+)", path.read_text(), re.M):
                size = next(s for s in (1, 8, 16, 32, 64) if int(width) <= s)
                self.like[path.stem, size].append(name)
                self.of[f"{path.stem}_{name}"] = (path.stem, name, size)

    def __call__(self, code):
        for m in ACCESSOR.finditer(code):
            if m.group(1) not in self.of:
                continue
            header, field, size = self.of[m.group(1)]
            for other in self.like[header, size]:
                if other != field:
                    yield m.start(1), m.end(1), f"{header}_{other}"


def changes(path, text, accessors):
    """{operator: [Change]} of a file."""
    code = bare(text)
    operators = {"number": numbers, "relation": relations, "logic": logic, "sign": signs, "bits": bits,
                 "condition": conditions, "statement": statements, "swap": swaps, "truth": truths,
                 "accessor": accessors}
    found = {}
    for name, operator in operators.items():
        found[name] = []
        for at, end, now in operator(code):
            if name == "condition":
                now = f"!({text[at:end]})"  # with its strings
            found[name].append(Change(path, name, at, end, now))
    return found
