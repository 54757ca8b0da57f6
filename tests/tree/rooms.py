#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rooms.py BUILD [--whole]: what the objects of a build show that includes do not.

A function of one directory uses another's only where arrows.py lets it include the other's headers, and no
files of two directories use each other in a circle, over however many others. On the packet path
(codec/, capture/, track/, lint/) nothing is called through a pointer: sources are compiled once more,
without the optimisations that hide such calls; with --whole all of them, else those that have changed since
continuous integration last passed (tests/deep.md). Planted circles and calls have to be found.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile

import arrows

sys.path.insert(0, str(arrows.ROOT / "tests/lib"))
import since  # noqa: E402

ROOT = arrows.ROOT
PATH = ("codec", "dissector/capture", *arrows.TRACK, *arrows.LINT)
# What a packet does not pass: source and function, and what it is called for.
NEXT_TOS = {
    "dissector/lint/base/finding.c: lint_is_wanted": "a finding",
    "dissector/lint/base/finding.c: lint_hand_over": "a finding somebody wants",
    "dissector/lint/base/finding.c: lint_found_more": "findings that were held",
    "dissector/track/message/segments.c: is_wanted": "a segment of iWARP, for --decode --messages",
    "dissector/capture/decoder.c: capture_decoder_find": "a file",
    "dissector/capture/input.c: goes_on": "a read of a file",
    "dissector/capture/input.c: rewind_window": "a window of a file",
    "dissector/capture/input.c: start": "a file",
    "dissector/capture/input.c: decode": "a block of a compressed file",
    "dissector/capture/input.c: capture_input_close": "a file",
}
# Calls stay calls, and a switch is no table of addresses.
PLAIN = ["-S", "-O0", "-fno-lto", "-fno-jump-tables", "-fno-optimize-sibling-calls", "-w", "-o", "-"]
INDIRECT = {"x86_64": r"\s+call\w*\s+\*", "aarch64": r"\s+blr\s"}
PLANTED = """
extern int (*handler)(int);
int direct(int a);
int planted_call(int a) { return handler(a) + 1; }
int planted_tail(int a) { return handler(a); }
int planted_direct(int a) { return direct(a); }
int planted_switch(int a) { switch (a) { case 0: return direct(1); case 1: return direct(5);
case 2: return direct(4); case 3: return direct(9); case 4: return direct(7); case 5: return direct(2); }
return 0; }
"""


def room_of(path):
    """The directory of ours a source is in; None: it is a program or a test."""
    room = arrows.home(path)
    return None if room in (None, "fuzz", "pcaps", "tests") or path in arrows.PROGRAMS else room


def compiled(build):
    """{source: its command} of the libraries, the command and the plugin, each once."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(entry["file"], ROOT)
        if not path.startswith("..") and room_of(path) and path not in found:
            found[path] = entry
    return found


def object_of(entry):
    words = shlex.split(entry["command"])
    return str(pathlib.Path(entry["directory"]) / words[words.index("-o") + 1])


def symbols(objects):
    """({source: names it defines}, {source: names it uses})"""
    defines, uses = {}, {}
    for source, path in objects.items():
        lines = subprocess.run(["nm", "-P", "-g", path], capture_output=True, text=True, check=True).stdout
        rows = [line.split()[:2] for line in lines.splitlines()]
        defines[source] = {name for name, kind in rows if kind not in "Uw"}
        uses[source] = {name for name, kind in rows if kind == "U"}
    return defines, uses


def edges_of(defines, uses):
    """{source: the sources whose names it uses}"""
    home = {name: source for source, names in defines.items() for name in names}
    return {source: {home[name] for name in names if name in home and home[name] != source}
            for source, names in uses.items()}


def circles(edges):
    """Sets of sources each of which leads to each other (Tarjan, without recursion)."""
    order, low, stack, on, found = {}, {}, [], set(), []
    for root in edges:
        work = [] if root in order else [(root, iter(sorted(edges[root])))]
        while work:
            node, rest = work[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                on.add(node)
            for to in rest:
                if to not in order:
                    work.append((to, iter(sorted(edges.get(to, ())))))
                    break
                if to in on:
                    low[node] = min(low[node], order[to])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    at = stack.index(node)
                    found.append(set(stack[at:]))
                    on -= found[-1]
                    del stack[at:]
    return [c for c in found if len(c) > 1]


def may_use(room):
    """What the headers of include/ declare, codec/ defines."""
    ours = arrows.MAY[room][0]
    return {room, *ours} | ({"codec"} if "include/ibwire" in ours else set())


def wrong_edges(edges):
    for source, others in sorted(edges.items()):
        room = room_of(source)
        for other in sorted(others):
            if room_of(other) not in may_use(room):
                yield f"{source} uses what {other} defines: an arrow from {room} to {room_of(other)}"
    for circle in circles(edges):
        if len({room_of(source) for source in circle}) > 1:
            yield "a circle: " + ", ".join(sorted(circle))


def through_pointers(command, directory):
    """[(function, line of assembly)] of a source's calls through pointers."""
    out = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout
    name, found = None, []
    for line in out.splitlines():
        head = re.match(r"(\w[\w.]*):", line)
        if head and not line.startswith(".L"):
            name = head.group(1).split(".")[0]
        elif re.match(INDIRECT[platform.machine()], line):
            found.append((name, line.strip()))
    return found


def plain_command(entry):
    words = shlex.split(entry["command"])
    if "ccache" in words[0]:
        words.pop(0)
    at = words.index("-o")
    return [w for w in words[:at] + words[at + 2:] if w != "-c" and not w.startswith(("-flto", "-ffat"))] + PLAIN


def compiled_again(path, whole):
    """Those of the packet path to look for calls in: NEXT_TOS has to stay true, so its sources always."""
    paths = None if whole else since.changed_code(since.last_checked())
    if paths is None:
        return path
    again = {where.split(":")[0] for where in NEXT_TOS} | set(since.sources_of(paths))
    return {source: entry for source, entry in path.items() if source in again}


def calls(sources):
    """(faults, the functions of NEXT_TOS that do it)"""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(sources, pool.map(lambda e: through_pointers(plain_command(e), e["directory"]),
                                           sources.values())))
    lines = {f"{source}: {name}": line for source, calls_of in found.items() for name, line in calls_of}
    return [f"{where}() calls through a pointer: {line}" for where, line in sorted(lines.items())
            if where not in NEXT_TOS], NEXT_TOS.keys() & lines.keys()


def self_test():
    """What must be found, planted."""
    faults = []
    made = {"codec/a.c": {"dissector/track/b.c"}, "dissector/track/b.c": {"dissector/track/c.c"},
            "dissector/track/c.c": {"codec/a.c"}, "dissector/lint/d.c": {"dissector/lint/e.c"},
            "dissector/lint/e.c": {"dissector/lint/d.c", "codec/a.c"}}
    said = list(wrong_edges(made))
    if said != ["codec/a.c uses what dissector/track/b.c defines: an arrow from codec to dissector/track",
                "a circle: codec/a.c, dissector/track/b.c, dissector/track/c.c"]:
        faults.append(f"of the planted edges: {said}")
    wrong = {name: "/".join((directory, *([other] if other else []), "a.c")) for directory, rooms in arrows.ROOMS.items()
             for room, uses in rooms.items() for other in (*(other for other in rooms if other not in (room, *uses)), None)
             for name in [f"{directory}/{room}/b_{other}.c"]}
    said = "\n".join(wrong_edges({name: {other} for name, other in wrong.items()}))
    faults += [f"planted, not found: {name} uses what {other} defines" for name, other in wrong.items()
               if f"{name} uses what {other} defines" not in said]
    if platform.machine() in INDIRECT:
        with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
            source.write(PLANTED)
            source.flush()
            found = collections.Counter(name for name, _ in
                                        through_pointers(["cc", *PLAIN, source.name], "/"))
        if found != {"planted_call": 1, "planted_tail": 1}:
            faults.append(f"of the planted calls: {dict(found)}")
    return faults


def main():
    sources, whole = compiled(pathlib.Path(sys.argv[1]).resolve()), "--whole" in sys.argv[2:]
    edges = edges_of(*symbols({source: object_of(entry) for source, entry in sources.items()}))
    path = {source: entry for source, entry in sources.items() if room_of(source) in PATH}
    faults = self_test() + list(wrong_edges(edges))
    faults += [] if any(edges.values()) else ["nothing uses anything"]
    rooms = {room_of(source) for source in sources}
    faults += [f"nothing of {room} was compiled" for room in PATH if room not in rooms]
    again = compiled_again(path, whole)
    if not faults and platform.machine() in INDIRECT:
        wrong, besides = calls(again)
        faults += wrong + [f"{where}() does it no more" for where in sorted(NEXT_TOS.keys() - besides)]
    print("\n".join(faults + [f"{len(sources)} sources of {len(rooms)} directories, "
                              f"{sum(map(len, edges.values()))} uses of each other, "
                              f"{len(again)} of {len(path)} on the packet path compiled again, {len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
