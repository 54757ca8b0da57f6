# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""since.py - what of the tree has changed since a revision, and since all deep tests passed (tests/deep.md).

None stands for "nobody can tell": there is no git, or it does not know the revision. All has changed, then.
"""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEEP = ROOT / "tests/deep.md"
LAST = re.compile(r"^Last passed: commit ([0-9a-f]{7,40})\b", re.M)
CHECKED = re.compile(r"^Last checked: commit ([0-9a-f]{7,40})\b", re.M)


def git(*words):
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def last_deep():
    """The commit that all deep tests passed at, or None."""
    return commit_of(LAST)


def last_checked():
    """The commit at which clang-tidy and cppcheck found nothing in any file of the product, or None."""
    return commit_of(CHECKED)


def commit_of(line):
    found = line.search(DEEP.read_text()) if DEEP.exists() else None
    return found and found[1]


def changed_paths(since):
    """What differs from a revision, with what git does not know yet."""
    differ = git("diff", "--name-only", since, "--") if since else None
    if differ is None:
        return None
    return differ.split() + (git("ls-files", "-o", "--exclude-standard") or "").split()


def sources_of(changed):
    """The C files of a change; of a header, those of its directory that include it, as all would be too much."""
    paths = [path for path in changed if (ROOT / path).exists()]
    sources = {path for path in paths if path.endswith(".c")}
    for header in (path for path in paths if path.endswith((".h", ".def"))):
        name = pathlib.PurePath(header).name
        sources |= {str(file.relative_to(ROOT)) for file in (ROOT / header).parent.glob("*.c")
                    if f"{name}\"" in file.read_text(errors="replace")}
    return sorted(sources)
