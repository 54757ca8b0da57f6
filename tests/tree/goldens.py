#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""goldens.py: a golden file changes with what proves the change, or its commit says which.

Goldens are written by golden.py --update, so what they hold is right only as far as somebody looked. Of each commit
after SINCE: a file of tests/pcap-lint/golden that it changes is the work of another capture (the conversation, what
makes the capture, the options in golden.list) or of another oracle (tests/oracles, tests/data), which the commit
changes too; or a paragraph of its message that says "golden" has the name, or a pattern with a "*" after the first
word ("decode-*").
A tree without that history (an archive, a shallow clone) has nothing to be looked at.
"""
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SINCE = "d8ed30b85c5e1f4dba3852e69379d739d91e2171"
# Took goldens of another commit out by mistake, with what they are of; 01c5ba25, two commits later, has all of it back.
UNDONE = {"1d61a6ef43036e896983dacef89993077047d9a6"}
LIST, GOLDEN = "tests/pcap-lint/golden.list", "tests/pcap-lint/golden/"
ORACLES = ("tests/oracles/", "tests/data/")
WORD, ABOUT = re.compile(r"[\w*-]+"), re.compile(r"\bgoldens?\b", re.I)


def git(tree, *args):
    """What git prints; None if it cannot."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", tree, *args], capture_output=True, text=True,
                          check=False, env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tree.parent)})
    return done.stdout if done.returncode == 0 else None


def makers(tree, capture):
    """The patterns of the files that a capture of golden.list comes from."""
    if not capture.startswith("made/"):
        return [f"pcaps/{capture}"]
    name = capture.removeprefix("made/").split(".")[0]
    if name.startswith("streams-"):
        conversations = (tree / "pcaps/streams").rglob(name.removeprefix("streams-") + ".txt")
        return [str(path.relative_to(tree)) for path in conversations]
    return ["pcaps/make*.[ch]"]


def rows(text):
    """{golden: (its line, its capture)}"""
    lines = [line for line in (text or "").splitlines() if line.split()[1:] and line[0] != "#"]
    return {line.split()[0]: (line, line.split()[1]) for line in lines}


def named(golden, message):
    """Whether a paragraph about goldens has its name: "flush" alone may be about something else."""
    words = [word for part in message.split("\n\n") if ABOUT.search(part) for word in WORD.findall(part)]
    return any(word == golden or "-*" in word and fnmatch.fnmatchcase(golden, word) for word in words)


def commit_faults(tree, commit):
    changed = git(tree, "diff-tree", "-r", "--no-renames", "--no-commit-id", "--name-status", commit).splitlines()
    files, head = [line.split("\t")[1] for line in changed], f"M\t{GOLDEN}"
    goldens = [line.removeprefix(head).removesuffix(".txt") for line in changed if line.startswith(head)]
    if not goldens or any(file.startswith(ORACLES) for file in files):
        return
    message, now = git(tree, "log", "-1", "--format=%B", commit), rows(git(tree, "show", f"{commit}:{LIST}"))
    before = rows(git(tree, "show", f"{commit}^:{LIST}"))
    for golden in goldens:
        patterns = makers(tree, now[golden][1]) if golden in now else []
        proven = now.get(golden) != before.get(golden) or any(fnmatch.fnmatch(f, p) for f in files for p in patterns)
        if not proven and not named(golden, message):
            yield (f"{commit[:7]} {message.splitlines()[0]}: golden {golden} changes; neither its capture nor an oracle"
                   " does, and it is not named")


def history_faults(tree, since):
    """(commits, faults) after a commit; None without that history."""
    if (git(tree, "rev-parse", "--is-shallow-repository") or "").strip() != "false" \
            or git(tree, "merge-base", "--is-ancestor", since, "HEAD") is None:
        return None
    commits = git(tree, "rev-list", "--no-merges", f"{since}..HEAD").split()
    return len(commits), [fault for commit in commits if commit not in UNDONE for fault in commit_faults(tree, commit)]


# A history of our own: what has to be found in it.

LINES = "one rxe/one.pcap\ntwo made/streams-two.pcap --stats\nthree-more made/vectors.pcap\n"
COMMITS = [  # (subject, files that change, the golden it has to find)
    ("Make one longer", [f"{GOLDEN}one.txt"], "one"),
    ("Make one longer again: golden one", [f"{GOLDEN}one.txt"], None),
    ("Mend oneness", [f"{GOLDEN}one.txt"], "one"),
    ("Another capture", [f"{GOLDEN}one.txt", "pcaps/rxe/one.pcap"], None),
    ("The capture of another golden", [f"{GOLDEN}one.txt", "pcaps/streams/two.txt"], "one"),
    ("Another conversation", [f"{GOLDEN}two.txt", "pcaps/streams/two.txt"], None),
    ("Another maker", [f"{GOLDEN}three-more.txt", "pcaps/make_vectors.c"], None),
    ("An oracle that knows better", [f"{GOLDEN}two.txt", "tests/oracles/two.py"], None),
    ("Golden three-*", [f"{GOLDEN}three-more.txt"], None),
    ("Golden *", [f"{GOLDEN}three-more.txt"], "three-more"),
    ("Other options", [f"{GOLDEN}two.txt", LIST], None),
    ("A test of the product only", ["dissector/x.c"], None),
]


def planted(tmp):
    """How what is found in that history differs from what has to be, and in a tree without one."""
    def write(file, text):
        (tmp / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp / file).write_text(text)

    def commit(subject):
        git(tmp, "add", "-A")
        git(tmp, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-qm", subject)
        return (git(tmp, "rev-parse", "HEAD") or "").strip()

    if history_faults(tmp, SINCE) is not None:
        yield "a directory without history has some"
    git(tmp, "init", "-q")
    files = sorted({file for _, files, _ in COMMITS for file in files} - {LIST})
    for file in files:
        write(file, "0\n")
    write(LIST, LINES)
    since = commit("The first")
    want = []
    for n, (subject, changed, golden) in enumerate(COMMITS):
        for file in changed:
            write(file, LINES.replace("--stats", "--stats -v") if file == LIST else f"{n + 1}\n")
        sha = commit(subject)
        want += [(sha[:7], golden)] if golden else []
    count, found = history_faults(tmp, since) or (0, [])
    got = [(fault[:7], re.search(r": golden (\S+) changes;", fault)[1]) for fault in found]
    if sorted(got) != sorted(want) or count != len(COMMITS):
        yield f"of {count} planted commits, not {len(COMMITS)}: {sorted(got)}, not {sorted(want)}"
    if history_faults(tmp, SINCE) is not None:
        yield "a history without the commit has it"


def main():
    lines = rows((ROOT / LIST).read_text())
    faults = [f"{golden}: no {pattern} for {capture}" for golden, (_, capture) in lines.items()
              for pattern in makers(ROOT, capture) or ["conversation"] if not list(ROOT.glob(pattern))]
    with tempfile.TemporaryDirectory() as tmp:
        faults += planted(pathlib.Path(tmp).resolve())
    looked = history_faults(ROOT, SINCE)
    count, found = looked or (0, [])
    faults += found
    print("\n".join(faults + [f"{len(lines)} goldens, {count} commits" + ("" if looked else ": no such history here")
                              + f", {len(faults)} faults"]))
    return 1 if faults or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
