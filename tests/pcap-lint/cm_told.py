#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""cm_told.py PCAP-LINT: what was done to the messages of the CM in real captures is told, at its frame, of its connection.

data/cm-told.csv says of each capture of faults/20* and rxe/11* what was done (pcaps/README.md, pcaps/faults/relay.csv): how
many connections end how, which messages come again. Where they come again is found here from the bytes
(oracles/cm.py): the story of that connection has to tell it at that frame, its object cm has to count it, and the
messages of all others are told once. Nothing may be told to come again that does not. What comes within a millisecond
may be the same packet captured twice, and is not told.
"""
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import cm  # noqa: E402

PCAPS = ROOT / "pcaps"
OPTIONS = ["--fail-on", "never", "--format", "json", "--progress", "never"]
# What the story says of a message that comes again, or is refused.
AGAIN = " retransmits ", " once more"
UP_TO = re.compile(r"up to frame (\d+)")
TWICE_NS = 10**6
STORED = {cm.REQ: "cm-req", cm.REP: "cm-rep", cm.RTU: "cm-rtu", cm.MRA: "cm-mra", cm.DREQ: "cm-dreq", cm.DREP: "cm-drep",
          cm.REJ: "cm-rej"}


class Sent(cm.Conversation):
    """With its messages in order."""

    def __init__(self, *args):
        super().__init__(*args)
        self.by_frame, self.again = {}, []  # (frame, kind, whether at once)

    def take(self, message, side):
        same = [time for kind, of, time in self.by_frame.values() if (kind, of) == (message.kind, side)]
        super().take(message, side)
        self.by_frame[message.frame] = message.kind, side, message.time
        if same:
            self.again.append((message.frame, message.kind, message.time - same[-1] < TWICE_NS))


def conversations(path):
    cm.Conversation, plain = Sent, cm.Conversation
    found = []

    def kept(self):
        found.append(self)
        return plain.figures(self)
    Sent.figures = kept
    try:
        cm.conversations(path)
    finally:
        cm.Conversation = plain
    return found


def read(lint, path, *args):
    run = subprocess.run([lint, *OPTIONS, *args, path], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def story(lint, path, number):
    """{frame: (event, whether it comes again)}, and of copies told in one line (their first frame, their last, their number)"""
    told, runs = {}, []
    for row in read(lint, path, "--story", str(number)):
        if row["type"] != "event":
            continue
        told[row["frame"]] = row["event"], any(word in row["text"] for word in AGAIN)
        if row["count"] > 1 and row["event"] in STORED.values():
            runs.append((row["event"], row["frame"], int(UP_TO.search(row["text"])[1]), row["count"]))
    return told, runs


def of_connection(lint, path, one, row):
    """Faults of what is said of a conversation."""
    (told, runs), where = story(lint, path, row["connection"]), f"{path.stem}: connection {row['connection']}"
    again = {frame: at_once for frame, _, at_once in one.again}
    asked = sum(kind in cm.ASKED for _, kind, _ in one.again)
    if row["retries"] != asked:
        yield f"{where}: {row['retries']} retries, {asked} messages came again"
    rejected = row["state"] == "rejected"
    for event, first, last, count in runs:
        copies = [frame for frame, kind, at_once in one.again if STORED[kind] == event and first <= frame <= last and not at_once]
        if copies[:1] + copies[-1:] != [first, last] or len(copies) != count:
            yield f"{where}: {event} {count} times in frames {first} to {last}, not {copies}"
        told.update(dict.fromkeys(copies, (event, True)))
    if bool(again) + rejected != bool(told):
        yield f"{where}: a story of {len(told)} events, {len(again)} messages came again, {row['state']}"
    for frame, (kind, _, _) in one.by_frame.items() if told else []:
        wanted = None if again.get(frame) else (STORED[kind], frame in again)
        if told.pop(frame, None) != wanted:
            yield f"{where}: frame {frame}: not {wanted}"
    for frame, event in told.items():
        if event[0] in STORED.values():
            yield f"{where}: frame {frame} is {event}"


def main():
    lint, faults, seen, asked = sys.argv[1], [], 0, 0
    with open(ROOT / "tests/data/cm-told.csv", encoding="utf-8") as lines:
        table = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    paths = {f"{path.parent.name}/{path.stem}": path
             for family in ("faults/20*.pcap", "rxe/11*.pcap") for path in sorted(PCAPS.glob(family))}
    if paths.keys() != {row["capture"] for row in table} or not paths:
        faults.append(f"the table has {[row['capture'] for row in table]}, there are {sorted(paths)}")
    for wanted in table:
        path = paths[wanted["capture"]]
        rows = [row for row in read(lint, path, "--stats") if row["type"] == "cm"]
        ends = collections.Counter(row["end"] for row in rows)
        if ends != {end: int(count) for count, _, end in (part.partition(" ") for part in wanted["ends"].split("; "))}:
            faults.append(f"{path.stem}: ends {dict(ends)}, not {wanted['ends']}")
        by_first, again = {row["first_frame"]: row for row in rows}, collections.Counter()
        for one in conversations(path):
            again.update(cm.NAMES[kind] for _, kind, _ in one.again)
            faults += of_connection(lint, path, one, by_first[one.first]) if one.first in by_first else \
                [f"{path.stem}: no connection begins at frame {one.first}"]
            seen += 1
        if again != {name: int(count) for name, _, count in (part.partition(":") for part in wanted["again"].split())}:
            faults.append(f"{path.stem}: {dict(again)} come again in the bytes, {wanted['again']} was done")
        asked += again.total()
    print(*faults, f"{len(table)} captures, {seen} connections, {asked} messages that came again, {len(faults)} faults", sep="\n")
    return 1 if faults or not asked else 0


if __name__ == "__main__":
    sys.exit(main())
