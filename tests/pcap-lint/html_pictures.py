#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_pictures.py PCAP-LINT: pictures of a page against the packets, as tests/oracles/ read them.

The ladder of each direction that has one: between its first frame and its last every packet of the connection is in a row, packets
alike are one, with their count and PSNs; what is missing and when nothing came. The picture of the CM: each message of each
conversation, who sent it, whether it came again, in order of its time.
"""
import html
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib"), str(ROOT / "tests/pcap-lint")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import cm  # noqa: E402
import packet as P  # noqa: E402
import series  # noqa: E402

ROWS, HEAD = 26, 14
LEFT, RIGHT = 330, 770  # where A is, and B
GAP_NS, SILENCE_NS, PART = 10**6, 10**6, 20
SHOWN = 30  # conversations
LEAST_LADDERS, LEAST_ROWS, LEAST_MESSAGES = 15, 150, 80
VERBS = ((P.SENDS, "SEND"), (P.WRITES, "WRITE"), ({P.READ_REQUEST}, "READ"), (P.ATOMICS, "ATOMIC"))
WORDS = re.compile(r"(?:(\d+) × )?(.*?)(, retransmitted)?, PSN ([+-]\d+)(?: to ([+-]\d+))?\Z")
MISSING = re.compile(r"PSN ([+-]\d+)(?: to ([+-]\d+))?: not in the capture by then\Z")
LADDER = re.compile(r"The costliest incident of (A|B)'s requests.*?PSNs from (0x[0-9a-f]{6})\.( What came before is not kept\.)?</figcaption>"
                    r"<svg [^>]*: frames (\d+) to (\d+)\.\">(.*?)</svg>", re.S)
TEXT = re.compile(r'<text x="(\d+)" y="(\d+)"[^>]*>([^<]*)</text>')


class Run:
    """Packets alike: @kind is first, again, response, ack or nak."""

    def __init__(self, packet, kind, psn, missing):
        self.packets, self.kind, self.verb = [packet], kind, next((name for ops, name in VERBS if packet.op in ops), "")
        self.low = self.high = psn
        self.missing = missing

    def is_alone(self):
        asks = self.packets[0].op in P.ATOMICS | {P.READ_REQUEST, P.FLUSH}
        return self.kind == "nak" or self.kind in ("first", "again") and asks

    def takes(self, other):
        """Whether the one packet of @other goes on with it; then it has it."""
        packet = other.packets[0]
        follows = other.low >= self.high if self.kind == "ack" else other.low == self.high + 1
        if self.kind != other.kind or self.is_alone() or other.is_alone() or other.missing is not None \
                or packet.time - self.packets[-1].time > GAP_NS or not follows or self.kind != "ack" and self.verb != other.verb:
            return False
        self.packets.append(packet)
        self.high = other.high
        return True


def runs_of(direction, first, last):
    """Of the frames of a direction's requests and answers."""
    found, nexts, highest, asked = [], None, None, []
    for packet, told in direction.events:
        missing = None
        if packet.op in P.REQUESTS:
            kind = "again" if "again" in told else "first"
            psn = told[kind]
            if packet.was == "gap":
                missing = nexts
            nexts = psn + packet.span if nexts is None or packet.was == "restart" else max(nexts, psn + packet.span)
            if packet.op == P.READ_REQUEST:
                asked.append((psn, psn + packet.span))
        else:
            psn = series.figures.nearest(packet.psn, direction.base + (nexts or 0)) - direction.base
            refused = packet.op == P.ACKNOWLEDGE and packet.syndrome is not None and packet.syndrome >> 5 in (1, 3)
            kind = "nak" if refused else "ack" if packet.op == P.ACKNOWLEDGE else "response"
            if kind == "response":
                if highest is not None and psn > highest + 1 and any(a <= highest + 1 < b for a, b in asked):
                    missing = highest + 1
                highest = psn if highest is None else max(highest, psn)
        if not first <= packet.frame <= last:
            continue
        run = Run(packet, kind, psn, missing)
        if not found or not found[-1].takes(run):
            found.append(run)
    return found


def rows_of(runs):
    """As they are shown: (frames, answer?, again?, count, PSNs), ("missing", PSNs), ("silence",), ("left out", how many)."""
    rows, before = [], None
    whole = runs[-1].packets[-1].time - runs[0].packets[0].time
    for run in runs:
        if before is not None and run.packets[0].time - before >= max(SILENCE_NS, whole // PART):
            rows.append(("silence",))
        if run.missing is not None and run.missing < run.low:
            rows.append(("missing", run.missing, run.low - 1))
        rows.append((run.packets[0].frame, run.packets[-1].frame, run.kind, len(run.packets), run.low, run.high))
        before = run.packets[-1].time
    if len(rows) > ROWS:
        rows[HEAD:HEAD + len(rows) - (ROWS - 1)] = [("left out", len(rows) - (ROWS - 1))]
    return rows


def shown_rows(svg):
    """The same of a picture."""
    at = {}
    for x, y, text in TEXT.findall(svg):
        if int(y) > 20:
            at.setdefault((int(y) - 24) // 20, []).append((int(x), html.unescape(text)))
    found = []
    for _, texts in sorted(at.items()):
        frames = next((text for x, text in texts if x == 96), None)
        words = next(text for x, text in texts if x == (LEFT + RIGHT) // 2)
        missing, left_out = MISSING.match(words), re.match(r"… (\d+) rows left out\Z", words)
        if frames is None:
            found.append(("missing", int(missing[1]), int(missing[2] or missing[1])) if missing else
                         ("left out", int(left_out[1])) if left_out else ("silence",))
            continue
        numbers = [int(n) for n in re.findall(r"\d+", frames)]
        count, what, again, low, high = WORDS.match(words).groups()
        kind = "ack" if what == "ACK" else "nak" if "NAK" in what or "RNR" in what else \
            "response" if what == "response" or "Response" in what or what.endswith("Acknowledge") else "again" if again else "first"
        found.append((numbers[0], numbers[-1], kind, int(count or 1), int(low), int(high or low)))
    return found


def page_of(lint, path):
    run = subprocess.run([lint, "--config", "none", "--format", "html", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return run.stdout.decode()


def ladders(path, page):
    """(pictures, rows, [fault])"""
    flows, pictures, rows, faults = None, 0, 0, []
    for match in LADDER.finditer(page):
        if flows is None:
            flows = [series.directions(flow) for flow in series.connections(path)]
        number = int(re.findall(r'<details class="worst" id="c(\d+)"', page[:match.start()])[-1])
        side, base, _, first, last, svg = match.groups()
        direction = flows[number]["AB".index(side)]
        where = f"{path.name}: connection {number}, {side}'s requests"
        if direction.base is None or direction.base % (1 << 24) != int(base, 16):
            faults.append(f"{where}: PSNs from {base}, not {direction.base}")
            continue
        want = rows_of(runs_of(direction, int(first), int(last)))
        got = shown_rows(svg)
        pictures, rows = pictures + 1, rows + len(got)
        if got != want:
            at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
            faults.append(f"{where}: row {at} is {got[at:at + 1]}, not {want[at:at + 1]}; {len(got)} rows, not {len(want)}")
        arrows = re.findall(rf'<path class="a-(\w+)" d="M({LEFT}|{RIGHT}) ', svg)
        ends = [(kind in ("new", "again")) == (side == "A") for kind, _ in arrows]
        if [int(x) == LEFT for _, x in arrows] != ends:
            faults.append(f"{where}: arrows begin at the wrong side")
    return pictures, rows, faults


def messages(path, page, rows):
    """(messages, [fault]) of the conversations that JSON lists, @rows."""
    picture = re.search(r'<svg [^>]*aria-label="Connection management, (.*?)</svg>', page, re.S)
    if not rows:
        return 0, [f"{path.name}: a picture of no conversation"] if picture else []
    if not picture:
        return 0, [f"{path.name}: no picture of {len(rows)} conversations"]
    marks = re.findall(r'data-t="frame (\d+): (\w+) from ([^",]*)(, again)?"', picture[1])
    got = [(int(frame), kind, address, bool(again)) for frame, kind, address, again in marks]
    heard, want = {one["first_frame"]: one for one in cm.conversations(path)}, []
    for one in (heard[row["first_frame"]] for row in rows[:SHOWN]):
        seen = set()
        for frame, _, name, way in one["messages"]:
            want.append((frame, name, one[way[0]]["address"], (name, way) in seen))
            seen.add((name, way))
    if got != want:
        at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        return len(got), [f"{path.name}: message {at} is {got[at:at + 1]}, not {want[at:at + 1]}; {len(got)}, not {len(want)}"]
    ys = [(int(y) - 3) // 22 for y in re.findall(r'<path class="f-(?:new|again)" d="M[-0-9.]+ (\d+)l5', picture[1])]
    if ys != sorted(ys):
        return len(got), [f"{path.name}: rows are out of order"]
    return len(got), []


def conversations(lint, path):
    """Of JSON, as they come: worst first."""
    run = subprocess.run([lint, "--config", "none", "--stats", "--format", "json", "--ignore", "all", "-q", path], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True, check=False)
    return [json.loads(line) for line in run.stdout.splitlines() if line.startswith('{"type":"cm"')]


def main():
    lint = os.path.abspath(sys.argv[1])
    counts, faults = [0, 0, 0], []
    for path in sorted([*(ROOT / "pcaps/faults").glob("*.pcap"), *(ROOT / "pcaps/rxe").glob("*.pcap")]):
        try:
            next(iter(capture.records(path)), None)
        except capture.Skipped:
            continue
        page = page_of(lint, path)
        pictures, rows, wrong = ladders(path, page)
        sent, more = messages(path, page, conversations(lint, path))
        counts = [a + b for a, b in zip(counts, (pictures, rows, sent))]
        faults += wrong + more
    print("\n".join(fault[:500] for fault in faults[:40]))
    print(f"{counts[0]} ladders of {counts[1]} rows, {counts[2]} messages of the CM, {len(faults)} faults")
    return bool(faults) or any(n < least for n, least in zip(counts, (LEAST_LADDERS, LEAST_ROWS, LEAST_MESSAGES)))


if __name__ == "__main__":
    sys.exit(main())
