#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""story_table.py: what a story of each capture of pcaps/faults has to tell first, from what was done to it.

Read are pcaps/README.md (a line a capture: what was done) and pcaps/faults/relay.csv (what the relay did with
single packets), and nothing of ours that reads captures. Columns: capture; qp, the destination of what A sends on
the connection (empty: any); events that may be the first fault told, empty where there is nothing to tell, why:WORD
where WORD has to be said as well (a packet that comes twice at once may have been captured twice); done,
the relay's actions on that connection in order (action:direction:packet:psn), as far as they are known.
"""
import collections
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = ROOT / "pcaps/faults"
TABLE = ROOT / "tests/data/story.csv"
COLUMNS = ["capture", "qp", "events", "done"]
# What is told of a packet that did not arrive, arrived twice, or late.
TOLD = {("drop", "request"): "psn-gap nak-sequence timeout resent ack-missing",
        ("drop", "response"): "response-gap resent timeout",
        ("drop", "ack"): "timeout resent ack-missing",
        ("copies", "request"): "resent",
        ("hold", "request"): "reordered psn-gap nak-sequence",
        ("hold", "response"): "response-late resent timeout",
        ("drop", "REQ"): "cm-req", ("drop", "REP"): "cm-req cm-rep", ("drop", "RTU"): "cm-rep",
        ("drop", "DREQ"): "cm-dreq", ("drop", "DREP"): "cm-dreq",
        ("copies", "REQ"): "cm-mra cm-rep", ("copies", "MRA"): "cm-mra", ("copies", "REP"): "cm-rtu"}
# Of what was not done by the relay, or has no trace: the words of the README.
WORDS = [(r"^healthy|^at B: 9 UD packets|`kill -9` of A's|^the same while it sends|^`rdma link delete` at B while nothing", ""),
         (r"^B's port is down|^B destroys its QP|^`kill -9` of B's", "timeout ack-missing"),
         (r"^no receive is ever posted|^receives are posted after", "rnr"),
         (r"^receives of 64 bytes|^R_Key that does not exist|^the same in a |^the region does not allow|"
          r"^an? \w+ (at|over) the end of the region", "nak-fatal"),
         (r"^netem at A doubles 10 %", "why:twice"), (r"^netem at A doubles", "resent"),
         (r"^netem at A: `delay 3ms reorder", "reordered nak-sequence psn-gap resent"),
         (r"REJ", "cm-rej"), (r"^B's process stands still", "cm-req")]
# Of the run that a capture is of: the same, but a part of which the fault is gone.
LIKE = re.compile(r"^of ([\w-]+?) |^the same run|^(30-two-points-write-atA) and -atB")
GONE = [(re.compile("all but the first four frames"), ""), (re.compile("every eighth frame"), "why:sampled")]


def kind_of(packet):
    """request, response, ack, or the message of the CM"""
    if ":" in packet:
        return packet.partition(":")[2]
    return "ack" if packet == "RC_ACK" else "response" if "_RESP_" in packet else "request"


def captures():
    """{capture: what was done}, in order"""
    text = (ROOT / "pcaps/README.md").read_text().partition("\n## faults")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split(" | ")] for line in text.splitlines() if line.startswith("| ")]
    return {row[0].lstrip("| "): row[2] for row in rows[2:] if (FAULTS / (row[0].lstrip("| ") + ".pcap")).exists()}


def relayed():
    """{capture: [row]}"""
    out = collections.defaultdict(list)
    with open(FAULTS / "relay.csv", encoding="ascii") as file:
        lines = [line for line in file if not line.startswith("#")]
    for row in csv.DictReader(lines):
        out[row["capture"]].append(row)
    return out


def of_relay(name, rows):
    """The rows of the table for what the relay did, a connection each."""
    first, done = {}, collections.defaultdict(list)
    for row in rows:
        kind = kind_of(row["packet"])
        told = TOLD.get((row["action"], kind))
        if told is None:
            continue
        # The two ends have the same QPN in these captures but those of the CM.
        qp = "" if row["qp"] == "0x1" or kind in ("REQ", "REP", "RTU", "DREQ", "DREP", "MRA") else row["qp"]
        first.setdefault(qp, set()).update(told.split())
        done[qp].append(":".join((row["action"], row["direction"], row["packet"].partition(":")[2] or row["packet"],
                                  row["psn"])))
    return [[name, qp, " ".join(sorted(first[qp])), " ".join(done[qp])] for qp in first]


def rows_of(name, all_done, relay):
    done = all_done[name]
    like = LIKE.search(done)
    for words, why in GONE:
        if words.search(done):
            return [[name, "", why, ""]]
    if like and "," not in done[:12]:
        names = list(all_done)
        source = like.group(1) or like.group(2) or names[names.index(name) - 1]
        return [[name, *row[1:]] for row in rows_of(source, all_done, relay)]
    for words, told in WORDS:
        if re.search(words, done):
            return [[name, "", told, ""]]
    rows = of_relay(name, relay[name])
    assert rows, f"{name}: nothing is known of \"{done}\""
    return rows


def table():
    done, relay = captures(), relayed()
    return [COLUMNS] + [row for name in done for row in rows_of(name, done, relay)]


def main():
    with open(TABLE, "w", encoding="ascii", newline="") as file:
        file.write("# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause\n# Written by tests/pcap-lint/story_table.py.\n")
        csv.writer(file, lineterminator="\n").writerows(table())


if __name__ == "__main__":
    sys.exit(main())
