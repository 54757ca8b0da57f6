#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""story.py PCAP-LINT MADE: --story auto tells first what was done to a capture, and nothing where nothing was.

data/story.csv says what was done to each capture of pcaps/faults; it is what story_table.py makes of README.md and
relay.csv. The first fault told has to be about a packet that the relay touched on that connection, the first of
those that leave a trace: a request that was lost cannot be skipped; an ACK that a later one covers, a response
or a packet that was held back or came twice can. A sender that gets no answer goes back to the first request that
was not acknowledged; so much earlier the PSN told may be. In all captures, real and made, a story has at most 32
lines, text and JSON say the same, and a connection that is asked for by its number is told as the worst one is.
Of a conversation of pcaps/streams in which a line shows a fault (=> rule), the first fault told is of that frame or one
before it; where nothing was lost, dropped or spoiled and no line shows anything, there is nothing to tell.
"""
import csv
import io
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import roce  # noqa: E402
import story_table
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
import streams  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PCAPS = ROOT / "pcaps"
OPTIONS = ["--ignore", "all", "--fail-on", "never", "--progress", "never", "--config", "none"]
LINES = 32
CLIENT = "10.7.0.1"
WINDOW = 192  # PSNs that a sender may have outstanding in these captures
# Rules about no fault of a connection: where it begins, that PSNs wrap, advice; what no event says.
NO_FAULTS = {"QPS001", "QPS007", "QPS022", "QPS023"}
MAY_BE = {"?QPS021"}  # of a request whose ACK did not come: where the capture has enough ACKs to compare with
EXACT = {"psn-gap", "nak-sequence", "reordered"}


def run(lint, *args):
    out = subprocess.run([lint, *OPTIONS, *args], capture_output=True, text=True, check=False)
    assert out.returncode in (0, 2), out.stderr  # 2: some made captures cannot be read to their end
    return out.stdout


def of_all(lint, paths):
    """{path: (story, [events], {number: flow})}"""
    out = {}
    for line in run(lint, "--story", "auto", "--stats", "--format", "json", "-q", *paths).splitlines():
        row = json.loads(line)
        if row["type"] in ("story", "event", "flow"):
            story = out.setdefault(row["file"], [None, [], {}])
            if row["type"] == "story":
                story[0] = row
            elif row["type"] == "event":
                story[1].append(row)
            else:
                story[2][row["connection"]] = row
    return out


def is_context(events, i):
    """A message of the CM that comes for the first time."""
    return events[i]["event"].startswith("cm-") and events[i]["event"] not in ("cm-rej", "cm-wrong-id", "cm-given-up") \
        and not any(e["event"] == events[i]["event"] and e["direction"] == events[i]["direction"] for e in events[:i])


def first_fault(events):
    return next((e for i, e in enumerate(events) if not is_context(events, i)), None)


def psn_fits(event, action, packet, psn):
    """Whether what is told may come from what was done to the packet of this PSN."""
    back = (psn - event["psn"]) % 2**24
    if event["event"] == "ack-missing":  # of the end of the message that was lost
        return min(back, 2**24 - back) < WINDOW
    if event["event"] in EXACT and action != "copies" and story_table.kind_of(packet) == "request":
        return back == 0
    return back < WINDOW


def begins(path):
    """{destination QP: PSN of the first request captured}"""
    out = {}
    for frame in roce.frames(pathlib.Path(path)):
        if frame.roce and frame.service in (roce.RC, roce.UC) and frame.is_request:
            out.setdefault(frame.half[2], frame.psn)
    return out


def judge(path, event, flow, rows):
    """What is wrong with the first fault told; None: nothing."""
    told = {name for row in rows for name in row["events"].split()}
    if event["event"] not in told:
        return f"{event['event']} is told, not one of {' '.join(sorted(told))}"
    if not any(row["done"] for row in rows) or event["psn"] is None:
        return None
    client = "a" if flow["a"]["address"] == CLIENT else "b"
    server = "b" if client == "a" else "a"
    qpns = {"A-B": flow[server]["qpn"], "B-A": flow[client]["qpn"]}
    mine = [word.split(":") for row in rows for word in row["done"].split()
            if row["qp"] and int(row["qp"], 16) == qpns[word.split(":")[1]]]
    first = begins(path)
    for action, direction, packet, psn in mine:
        if story_table.kind_of(packet) == "request" and roce.after(int(psn), first[qpns[direction]]) < 0:
            continue  # nothing that was captured shows it
        if psn_fits(event, action, packet, int(psn)):
            return None
        if (action, story_table.kind_of(packet)) == ("drop", "request"):
            return f"PSN {event['psn']} is told, {packet} with PSN {psn} was lost before"
    return f"PSN {event['psn']} is told, which nothing was done to"


def table():
    """{capture: [row]}"""
    text = "".join(line for line in story_table.TABLE.read_text(encoding="ascii").splitlines(True)
                   if not line.startswith("#"))
    out = {}
    for row in csv.DictReader(io.StringIO(text)):
        out.setdefault(row["capture"], []).append(row)
    return out


def of_line(line):
    """(source, destination, QPN there); a message of the CM is about both directions of its connection."""
    return line.sender["address"], line.receiver["address"], line.receiver.get("qp")


def of_flow(flow):
    """What of_line() says of a connection's packets."""
    a, b = flow["a"], flow["b"]
    return {(a["address"], b["address"], b["qpn"]), (b["address"], a["address"], a["qpn"])}


def conversation(path, story, events, flow):
    """What is wrong with the story of a conversation: of the connection that is told, or of all if none is."""
    scenario = streams.Scenario(streams.STREAMS / (path.stem.removeprefix("streams-") + ".txt"))
    captured = [line for line in scenario.lines if line.captured]
    shown = [number for number, line in enumerate(captured, 1) for rule in line.rules
             if rule.strip("?").startswith(("QPS", "CMS")) and rule.strip("?") not in NO_FAULTS and rule not in MAY_BE
             and (flow is None or of_line(line) in of_flow(flow))]
    touched = any(line.flags & {"lost", "dropped", "unseen", "corrupt"} or line.rules for line in scenario.lines)
    event = first_fault(events)
    if shown and not event:
        yield f"{path}: nothing is told of frame {shown[0]}: {story['text']}"
    elif shown and event["frame"] > min(shown):
        yield f"{path}: told first is frame {event['frame']}, not {min(shown)}: {event['text']}"
    elif not touched and not scenario.rules and event:
        yield f"{path}: nothing is wrong, and a story is told: {event['text']}"


def text_faults(path, text, events, commands):
    """A story as text: its lines, and those of its events."""
    lines = text.splitlines()
    if len(lines) > LINES:
        yield f"{path}: {len(lines)} lines"
    told = [line.partition(": ")[2] for line in lines if line.startswith("  frame ")]
    told = [line for line in told if line != "it begins"]
    said = [one["text"] for one in [*events, *commands]]
    if told != said:
        yield f"{path}: text and JSON differ: {told} {said}"


def texts(lint, paths):
    """{path: lines} of all, in one run"""
    out, at = {}, None
    for line in run(lint, "--story", "auto", *paths).splitlines():
        if ": story" in line:
            at = line.partition(": story")[0]
            out[at] = ""
        if at and (line.startswith((at + ": story", "  "))):
            out[at] += line + "\n"
    return out


def number_faults(lint, path, story, flows):
    """The same by its number; a number that no connection has."""
    number = story["connection"]
    if number is not None:
        told = run(lint, "--story", str(number), "--format", "json", "-q", path).splitlines()
        other = [json.loads(line) for line in told]
        if other[0]["connection"] != number or len(other) != 1 + story["events"]:
            yield f"{path}: --story {number} is another story"
    text = run(lint, "--story", str(len(flows)), "-q", path)
    if "nothing to tell" not in text:
        yield f"{path}: a connection that is not there: {text}"


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    faults = []
    committed = table()
    fresh = [dict(zip(story_table.COLUMNS, row)) for row in story_table.table()[1:]]
    if fresh != [row for rows in committed.values() for row in rows]:
        faults.append("data/story.csv is not what story_table.py makes of README.md and relay.csv")
    paths = sorted(str(p) for p in [*PCAPS.glob("*/*.pcap"), *made.glob("**/*.pcap")])
    stories, as_text = of_all(lint, paths), texts(lint, paths)
    told = nothing = talks = 0
    for path in paths:
        if path not in stories:
            faults.append(f"{path}: no story")
            continue
        story, events, flows = stories[path]
        if [e["frame"] for e in events] != sorted(e["frame"] for e in events):
            faults.append(f"{path}: not in order of frames")
        if story["events"] != len(events) or not events and "nothing to tell" not in story["text"]:
            faults.append(f"{path}: {story}")
        faults += text_faults(path, as_text.get(path, ""), events, story["commands"])
        if "nothing is known" in story["text"]:
            which = "the one connection" if len(flows) == 1 else f"any of {len(flows)} connections"
            if f": nothing is known to be missing, retransmitted, refused or wrong on {which}" not in story["text"]:
                faults.append(f"{path}: not on {which}: {story['text']}")
        name = pathlib.Path(path)
        if name.stem.startswith("streams-") and (streams.STREAMS / f"{name.stem[8:]}.txt").exists():
            talks += 1
            faults += conversation(name, story, events, flows.get(story["connection"]))
        rows = committed.get(pathlib.Path(path).stem) if "/faults/" in path else None
        if rows is None:
            continue
        faults += number_faults(lint, path, story, flows)
        event = first_fault(events)
        why = rows[0]["events"].partition("why:")[2]
        if why or not any(row["events"] for row in rows):
            nothing += 1
            if why not in story["text"]:
                faults.append(f"{path}: {why} is not said: {story['text']}")
            if event:
                faults.append(f"{path}: nothing was done, and a story is told: {event['text']}")
        elif not event:
            faults.append(f"{path}: nothing is told: {story['text']}")
        else:
            told += 1
            wrong = judge(path, event, flows[story["connection"]], rows)
            if wrong:
                faults.append(f"{path}:{event['frame']}: {wrong}")
    print(f"{len(paths)} captures; of pcaps/faults {told} tell what was done, {nothing} that there is nothing; "
          f"{talks} conversations")
    print("\n".join(faults))
    sys.exit(bool(faults) or told + nothing != len(committed) or talks < 100)


if __name__ == "__main__":
    main()
