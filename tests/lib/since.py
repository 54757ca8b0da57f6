# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""since.py - what of the tree has changed since a revision, and since deep tests passed (tests/deep.md, tests/passed.txt).

None stands for "nobody can tell": there is no git, or it does not know the revision. All has changed, then.
"""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEEP = ROOT / "tests/deep.md"
PASSED = ROOT / "tests/passed.txt"
PASSED_HEAD = """# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Deep tests that have passed, whole, after the commit in deep.md that all passed at: build, test, commit.
# `./dev test deep NAME...` writes this.
"""
LAST = re.compile(r"^Last passed: commit ([0-9a-f]{7,40})\b", re.M)
CHECKED = re.compile(r"^Last checked: commit ([0-9a-f]{7,40})\b", re.M)


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def last_deep():
    """The commit that all deep tests passed at, or None."""
    return commit_of(LAST)


def passed():
    """{(build, test): commit} of PASSED."""
    lines = PASSED.read_text().splitlines() if PASSED.exists() else []
    return {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines if not line.startswith("#")}


def last_passed(build, test):
    """The commit that a deep test of a build passed at, whole, or None."""
    return passed().get((build, test)) or last_deep()


def note_passed(commit, tests):
    """These (build, test) have passed at a commit."""
    now = passed() | dict.fromkeys(tests, commit)
    PASSED.write_text(PASSED_HEAD + "".join(f"{build}\t{test}\t{at}\n" for (build, test), at in sorted(now.items())))


def last_checked():
    """The commit at which clang-tidy and cppcheck found nothing in any file of the product, or None."""
    return commit_of(CHECKED)


def commit_of(line):
    found = line.search(DEEP.read_text()) if DEEP.exists() else None
    return found and found[1]


def changed_paths(since):
    """What differs from a revision, with what git does not know yet."""
    differ = git("diff", "--no-renames", "--name-only", since, "--") if since else None
    if differ is None:
        return None
    return differ.split() + (git("ls-files", "-o", "--exclude-standard") or "").split()


def changed_code(since):
    """What differs from a revision, without C files in which only comments, or of dissector/ only words, do.

    Nor is a file of dissector/ that moved within its directory, and is the same code there: an #include counts by the file
    that it finds, which may have moved, too.
    """
    paths = changed_paths(since)
    if paths is None:
        return None
    moves = moved(since)
    there = set((git("ls-tree", "-r", "--name-only", since) or "").split("\n"))
    sources = [path for path in paths if path.endswith((".c", ".h", ".def")) and (ROOT / path).exists()]
    same = set()
    for path, before in zip(sources, contents(since, [moves.get(path, path) for path in sources])):
        then = moves.get(path, path)
        if before is not None and code_then(before, then, there, moves) == \
                code_of(found_includes((ROOT / path).read_text(errors="replace"), path, is_file), path):
            same |= {path, then}
    return [path for path in paths if path not in same]


def moved(since):
    """{path: where it was} of files that moved within a directory of dissector/."""
    lines = (git("diff", "-M40%", "-l0", "--diff-filter=R", "--name-status", since, "--") or "").splitlines()
    pairs = [line.split("\t")[1:] for line in lines]
    return {now: then for then, now in pairs if now.startswith("dissector/") and now.split("/")[:2] == then.split("/")[:2]}


def is_file(path):
    return (ROOT / path).is_file()


def code_then(text, path, there, moves):
    """The code of a file as it was, among the files @there, its includes by where those are now."""
    now = {then: path for path, then in moves.items()}
    return code_of(found_includes(text, path, there.__contains__, now), now.get(path, path))


INCLUDED = re.compile(r'^([ \t]*#[ \t]*include[ \t]+)(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
BELOW = ("", "dissector/", "codec/", "include/", "tests/lib/")


def found_includes(text, path, exists, now=None):
    """A text in which each #include of a file of ours names it from the root, as @now has it."""
    def by_path(include):
        name = include[2] or include[3]
        own = [str(pathlib.PurePath(path).parent / name)] if include[2] else []
        for found in [*own, *(below + name for below in BELOW)]:
            if exists(found):
                return f'{include[1]}"{(now or {}).get(found, found)}"'
        return include[0]

    return INCLUDED.sub(by_path, text)


# A comment or a literal, whichever begins first.
TOLD = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# Compilers, checkers and tests read these.
ASKED = re.compile(r"NOLINT|cppcheck-suppress|fall.?through|refused:", re.I)
CONVERSION = re.compile(r"%[-+#0-9.*lhjzt]*[a-zA-Z%]")
# Their strings are C themselves, or tables that are compiled.
STRINGS_COUNT = ("include/", "codec/")


def code_of(text, path=""):
    """The words of C code. Of a string of dissector/ only what printf() reads counts, and a file that it names."""
    def left(found):
        word = found[0]
        if word[0] == "/":
            return word if ASKED.search(word) else " "
        if word[0] == "'" or path.startswith(STRINGS_COUNT) or word.endswith(('.h"', '.def"')):
            return word
        return '"' + "".join(CONVERSION.findall(word)) + '"'

    plain = TOLD.sub(left, text)
    ended = DIRECTIVE.sub(lambda found: found[0] + " \0", plain)  # a line of its own is what makes it one
    if not path.startswith(STRINGS_COUNT):
        ended = re.sub(r'"\s+"', "", ended)  # in how many pieces it is
    return ended.split()


def contents(revision, paths):
    """What each file held then; None, if it was not there."""
    asked = "".join(f"{revision}:{path}\n" for path in paths)
    done = subprocess.run(["git", "-C", ROOT, "cat-file", "--batch"], input=asked.encode(), capture_output=True, check=False)
    rest = done.stdout
    for _ in paths:
        head, _, rest = rest.partition(b"\n")
        if not head or head.endswith(b" missing"):
            yield None
            continue
        size = int(head.split()[-1])
        yield rest[:size].decode(errors="replace")
        rest = rest[size + 1:]


def sources_of(changed):
    """The C files of a change; of a header, those of its directory that include it, as all would be too much."""
    paths = [path for path in changed if (ROOT / path).exists()]
    sources = {path for path in paths if path.endswith(".c")}
    for header in (path for path in paths if path.endswith((".h", ".def"))):
        name = pathlib.PurePath(header).name
        sources |= {str(file.relative_to(ROOT)) for file in (ROOT / header).parent.glob("*.c")
                    if f"{name}\"" in file.read_text(errors="replace")}
    return sorted(sources)
