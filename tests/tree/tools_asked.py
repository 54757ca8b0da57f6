# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tools_asked.py: which tools (compilers, checkers, tshark) a script of ours asks for, by its code.

What a comment, a docstring or a path says ("pcaps/make", "/dev/null") asks for nothing. In Python a string asks
whose first word is a tool, or that consists of tools; of a module of ours that a script imports, what the script
uses of it counts, and what that uses. In shell any word asks.
"""
import ast
import functools
import pathlib
import re

TOOLS = frozenset(
    "gcc cc clang g++ clang++ s390x-linux-gnu-gcc objdump nm tshark sharkd clang-format clang-tidy abidw abidiff"
    " cppcheck shellcheck perl make sparse cmake ninja pkg-config qemu-system-x86_64 valgrind".split())
BY_NAME = TOOLS | {"./dev"}  # dev asks for what it needs
COMMENT = re.compile(r"(?:^|(?<=[\s;]))#.*$", re.M)
WORD = re.compile(r"(?<![\w./$+\\-])(?:\./)?[A-Za-z][\w+-]*(?![\w./=+-])")


def of_shell(text):
    return {word for word in WORD.findall(COMMENT.sub("", text)) if word in BY_NAME}


def of_string(text):
    words = text.split()
    return {word for word in (words if BY_NAME.issuperset(words) else words[:1]) if word in BY_NAME}


def asked(statement):
    """What the strings of a statement ask for; one that stands alone is a docstring."""
    alone = {id(node.value) for node in ast.walk(statement) if isinstance(node, ast.Expr)}
    return set().union(*(of_string(node.value) for node in ast.walk(statement) if isinstance(node, ast.Constant)
                         and isinstance(node.value, str) and id(node) not in alone))


def names_of(statement):
    """What a statement of a module defines; nothing: it is run by whoever imports the module."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, ast.Assign):
        return {node.id for target in statement.targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return set()


def is_main(statement):
    return isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test)


class File:
    """A file of ours: what each of its statements asks for, and which names it needs, of which file."""

    def __init__(self, path):
        self.path = path
        tree = ast.parse(path.read_text())
        self.modules, self.given = {}, {}  # {name here: a file}, {name here: (a file, name there)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.modules |= {name.asname or name.name: self.ours(name.name) for name in node.names}
            elif isinstance(node, ast.ImportFrom) and self.ours(node.module):
                self.given |= {name.asname or name.name: (self.ours(node.module), name.name) for name in node.names}
        self.modules = {name: file for name, file in self.modules.items() if file}
        self.statements = [(names_of(s), is_main(s), set(self.needs(s)), asked(s)) for s in tree.body]

    def ours(self, module):
        near = [self.path.parent, *sorted(self.path.parents[1].glob("*/"))]
        return next((where / f"{module}.py" for where in near if (where / f"{module}.py").exists()), None)

    def needs(self, statement):
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.modules:
                yield self.modules[node.value.id], node.attr
            elif isinstance(node, ast.Name):
                yield self.given.get(node.id, (self.path, node.id))
            elif isinstance(node, ast.alias) and self.ours(node.name):
                yield self.ours(node.name), None


@functools.cache
def file_of(path):
    return File(path)


def of_script(path):
    """The tools that a script asks for."""
    path = pathlib.Path(path).resolve()
    if path.suffix != ".py":
        return of_shell(path.read_text())
    tools, done, left = set(), set(), []
    for _, _, needs, asks in file_of(path).statements:
        tools |= asks
        left += needs
    while left:
        file, name = left.pop()
        if (file, name) in done or file == path:
            continue
        done.add((file, name))
        for defined, main, needs, asks in file_of(file).statements:
            if not main and (name in defined or name is None and not defined):
                tools |= asks
                left += needs
    return tools
