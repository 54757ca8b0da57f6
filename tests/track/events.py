#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""events.py EVENTS-DUMP MADE: what each tracker reports of a small conversation, by hand.

events/ROOM.txt has blocks: "[ROOM/FILE.c] CAPTURE", a file of dissector/track and a capture of MADE that pcaps/make wrote (with
streams- in its name of pcaps/streams), then words about what happens in it, then what that file reports, each line after a tab:
"EVENT FRAME (FRAMES) ?DOUBT NAME=NUMBER ..." or "none EVENT ...". Of the events of a block there are these in the capture and no others;
of the frames that caused them, of what the capture may lack and of their numbers those count that are written.
"""
import json
import pathlib
import re
import subprocess
import sys

EVENTS = pathlib.Path(__file__).resolve().parent / "events"
HEAD = re.compile(r"\[([\w/]+\.c)\] (\S+)$")
LINE = re.compile(r"([a-z-]+) (\d+)((?: \(\d+(?:,\d+)*\))?)((?: \?[a-z-]+)?)((?: \w+=\d+)*)$")


def blocks():
    """[(place, file, capture, events, kinds that are not to be there)]"""
    found = []
    for path in sorted(EVENTS.glob("*.txt")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            head = HEAD.match(line)
            if head:
                found.append((f"{path.name}:{number}", head[1], head[2], [], set()))
            elif line.startswith("\tnone "):
                found[-1][4].update(line.split()[1:])
            elif line.startswith("\t"):
                event = LINE.match(line[1:])
                if not event:
                    raise SystemExit(f"{path.name}:{number}: {line.strip()}: no event")
                numbers = {name: int(value) for name, value in (word.split("=") for word in event[5].split())}
                frames = [int(frame) for frame in event[3][2:-1].split(",")] if event[3] else None
                if event[4]:
                    numbers["doubt"] = [word for word in [event[4][2:]] if word != "none"]
                found[-1][3].append((event[1], int(event[2]), frames, numbers))
    return found


def named(pairs):
    """An event, of whose numbers some are called as what it has of every event: those are "frame of it"."""
    event = {}
    for name, value in pairs:
        event[f"{name} of it" if name in event else name] = value
    return event


def reported(dump, capture):
    out = subprocess.run([dump, str(capture), "streams"], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line, object_pairs_hook=named) for line in out.splitlines()]
    return [event for event in lines if "event" in event]


def wrong(wanted, absent, events):
    """What differs, of events that a file reports in a capture."""
    kinds = {event[0] for event in wanted} | absent
    there = sorted((event for event in events if event["event"] in kinds), key=lambda event: (event["frame"], event["event"]))
    wanted = sorted(wanted, key=lambda event: (event[1], event[0]))
    for number, event in enumerate(there):
        if number >= len(wanted):
            yield f"not said: {json.dumps(event)}"
            continue
        kind, frame, frames, numbers = wanted[number]
        is_right = (event["event"], event["frame"]) == (kind, frame) and frames in (None, event["frames"]) \
            and all(value == event.get(f"{name} of it", event.get(name)) for name, value in numbers.items())
        if not is_right:
            yield f"{kind} {frame} {frames or ''} {numbers}: it is {json.dumps(event)}"
    yield from (f"not there: {' '.join(map(str, event))}" for event in wanted[len(there):])


def main():
    dump, made = sys.argv[1], pathlib.Path(sys.argv[2])
    asked, faults, count = {}, [], 0
    for place, _, name, wanted, absent in blocks():
        if not wanted and not absent:
            faults.append(f"{place}: no events")
        if name not in asked:
            asked[name] = reported(dump, made / f"{name}.pcap")
        faults += [f"{place}: {fault}" for fault in wrong(wanted, absent, asked[name])]
        count += len(wanted)
    print(*faults, f"{count} events of {len(asked)} captures, {len(faults)} faults", sep="\n")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
