#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper_told.py PCAP-LINT MADE: commands of upper layers where they are told of: --story, --decode and --interval, from the bytes.

By the commands of upper.py, which shares nothing with the program: which of them are unusual in the story of their connection and in what
words; which request each answer of --decode has, and which command each RDMA READ and WRITE; and how many are answered, and open at most,
in each interval of a timeline. Real captures, made ones and random ones of each protocol; of two real ones the sentence is here.
"""
import collections
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import capture  # noqa: E402
import over_captures  # noqa: E402
import product  # noqa: E402
import text_words as W  # noqa: E402
import upper  # noqa: E402
import upper_iwarp  # noqa: E402
import upper_oracle  # noqa: E402
from packet import READ_REQUEST, parse  # noqa: E402
from upper_names import NFS_STATUS  # noqa: E402

SLOW_NS, SLOW_TIMES, SLOW_OF, TOLD = 10**7, 20, 4, 5
ORDER = ("unanswered", "failed", "slow")
ID_WORD = {"NVMe-oF": "cid", "SRP": "tag", "iSER": "ITT", "RPC-over-RDMA": "XID", "SMB Direct": "message ID"}
ANSWER = {"NVMe-oF": "completion", "RPC-over-RDMA": "reply"}
DECIMAL = ("NVMe-oF", "SMB Direct")
# NVMe: the transfer, an abort, the medium, the path; SCSI: medium, hardware, aborted; NFS: I/O, a handle that is no more, the server.
SUFFERS = {"NVMe-oF": ("Data Transfer Error", "Command Abort Requested", "Unrecovered Read Error", "Asymmetric Access Persistent Loss"),
           "RPC-over-RDMA": ("IO", "STALE", "SERVERFAULT")}
OF_SCSI = ("MEDIUM ERROR", "HARDWARE ERROR", "ABORTED COMMAND", "TASK ABORTED", "Target Failure")
PDUS = {"NOP-Out", "Task Management Request", "Login Request", "Text Request", "Logout Request"}  # no SCSI commands
REFUSED = {"NVMe-oF": ("Connect",), "iSER": ("Login Request",), "SMB Direct": ("Session Setup", "Tree Connect")}
SENTENCES = {
    "01b-nvme-loss.pcap": {80: "the Identify with cid 4104 (0x1008) of the admin queue had its data after 1.33 ms (frame 83) and its completion "
                               "after 2.36 s (frame 85); half of them took at most "},
    "01c-nvme-wrong-nqn.pcap": {4: "the Connect with cid 0 of the admin queue failed after "},
}


def lines_of(lint, path, *options):
    return product.lines(lint, path, ["--fail-on", "never", *options], (0, 2))[0]


# Stories

def suffers(row):
    name, status, protocol = row["name"], row["status"], row["protocol"]
    if not row["error"]:
        return False
    if name in REFUSED.get(protocol, ()):
        return not status.startswith("Target moved")
    if protocol == "SRP" or protocol == "iSER":
        return any(words in status for words in OF_SCSI) or protocol == "iSER" and name not in PDUS and status.startswith("response 0x")
    of_rpc = protocol == "RPC-over-RDMA" and status not in NFS_STATUS.values() and not status.startswith("status 0x")
    return status in SUFFERS.get(protocol, ()) or of_rpc


def medians(ours, waits):
    times = collections.defaultdict(list)
    for row in ours.rows:
        if row["outcome"] == "answered" and id(row) not in waits:
            times[row["number"]].append(row["ns"])
    return {number: sorted(those)[(len(those) - 1) // 2] for number, those in times.items() if len(those) >= SLOW_OF}


def waiting(ours):
    """Commands that wait for something to happen."""
    return {id(row) for row in ours.rows if row["queue"] == 0 and row["name"] == "Asynchronous Event Request" or
            row["protocol"] == "SMB Direct" and row["name"] == "Notify"}


def why(row, queue, median, waits):
    if id(row) in waits:
        return None
    if row["outcome"] == "closed":
        return "unanswered" if queue.answers else None
    if row["outcome"] == "answered" and suffers(row):
        return "failed"
    slow = row["outcome"] == "answered" and median is not None and row["ns"] >= max(SLOW_NS, SLOW_TIMES * median)
    return "slow" if slow else None


def sentence(row, queue, reason, median, packets):
    protocol, ident = row["protocol"], row["id"]
    text = f"the {row['name']} with {ID_WORD[protocol]} {ident if protocol in DECIMAL else hex(ident)}"
    if protocol == "NVMe-oF":
        text += f" ({ident:#x})" * (ident > 9) + (f" of queue {row['queue']}" if row["queue"] else " of the admin queue")
    answer = ANSWER.get(protocol, "response")
    if reason == "unanswered":
        closed = queue.closed
        if isinstance(queue.flow[1], tuple):  # the oracle knows that iWARP was closed, not when
            return f"{text} has no {answer} in the capture; the connection was closed "
        return f"{text} has no {answer} in the capture; the connection was closed {W.took(max(0, closed.time - row['time']))} later " \
            f"(frame {closed.frame})"
    if reason == "failed":
        return f"{text} failed after {W.took(row['ns'])} (frame {row['end']}): {row['status']}"
    text += " had"
    if row["transfers"] and row["transfers"][-1] <= row["end"]:
        time, read = packets[row["transfers"][-1]]
        text += f" its data{' asked for' if read else ''} after {W.took(max(0, time - row['time']))} (frame {row['transfers'][-1]}) and"
    return f"{text} its {answer} after {W.took(row['ns'])} (frame {row['end']}); half of them took at most {W.took(median)}"


def stories(lint, path, ours, where, packets):
    """[fault] of the story of each connection, and how many commands are unusual."""
    waits = waiting(ours)
    middle, found = medians(ours, waits), collections.defaultdict(list)
    for row in ours.rows:
        reason = why(row, ours.queues[row["number"]], middle.get(row["number"]), waits)
        connection = where.get((row["frame"], row["id"]))
        if reason and connection is not None:
            found[connection].append((reason, row))
    faults = []
    for connection in sorted({number for number in where.values() if number is not None}):
        of_it = sorted(found[connection], key=lambda one: (ORDER.index(one[0]), -upper_time(ours, one)))
        of_it, rest = of_it[:TOLD], of_it[TOLD:]
        want = [{"frame": row["frame"], "why": reason,
                 "text": sentence(row, ours.queues[row["number"]], reason, middle.get(row["number"]), packets)}
                for reason, row in sorted(of_it, key=lambda one: (one[1]["frame"], one[1]["id"]))]
        (about,) = lines_of(lint, path, "--story", str(connection))["story"]
        same = len(about["commands"]) == len(want) and all(fits(*pair) for pair in zip(*(sorted(those, key=lambda one: (one["frame"], one["text"]))
                                                                                        for those in (about["commands"], want))))
        if not same and not tied(about, want, of_it, rest):
            faults.append(f"connection {connection}: {about['commands']}, should be {want}")
        if about["more_commands"] != len(rest):
            faults.append(f"connection {connection}: {about['more_commands']} more, should be {len(rest)}")
        for frame, text in SENTENCES.get(path.name, {}).items():
            if connection == where.get((frame, 4104 if frame == 80 else 0)) and not any(
                    one["frame"] == frame and one["text"].startswith(text) for one in about["commands"]):
                faults.append(f"frame {frame}: {text!r} is not told: {about['commands']}")
    (about,) = lines_of(lint, path, "--story", "auto")["story"]
    if not about["faulty"] and any(found.values()) and not found[about["connection"]]:
        faults.append(f"the story of {about['connection']}, though commands of {sorted(found)} are unusual")
    return faults, sum(len(those) for those in found.values())


def fits(one, want):
    text = one["text"][:len(want["text"])] if want["text"].endswith("closed ") else one["text"]
    return {**one, "text": text} == want


def upper_time(ours, one):
    """How long it took, or was open."""
    _, row = one
    return row["ns"] if row["ns"] is not None else ours.last - row["time"]


def tied(about, want, told, rest):
    """Of commands that took as long, either may be told."""
    return bool(rest) and [one["why"] for one in about["commands"]].count("unanswered") == [one["why"] for one in want].count("unanswered") \
        and len(about["commands"]) == len(want) and told[-1][1]["ns"] == rest[0][1]["ns"]


# Packets

def decoded(lint, path, ours):
    """[fault] of the answers and transfers of --decode, and how many there are."""
    faults, by_end, of_frame, n = [], collections.defaultdict(list), {}, 0
    moved = collections.defaultdict(list)
    for row in ours.rows:
        of_frame[row["frame"], row["id"]] = row
        if row["outcome"] == "answered":
            by_end[row["end"]].append({"frame": row["frame"], "name": row["name"], "ns": row["ns"]})
    for packet in lines_of(lint, path, "--decode")["packet"]:
        requests = [layer["request"] for layer in packet["layers"] if "request" in layer]
        if sorted(requests, key=str) != sorted(by_end.get(packet["frame"], []), key=str):
            faults.append(f"frame {packet['frame']}: answers {requests}, should be {by_end.get(packet['frame'], [])}")
        n += len(requests)
        for layer in packet["layers"]:
            if "command" in layer:
                one = layer["command"]
                moved[one["frame"], one["id"], one["name"], one["queue"]].append(packet["frame"])
    for (frame, ident, name, queue), frames in moved.items():
        row, n = of_frame.get((frame, ident)), n + len(frames)
        if row is None or (row["name"], row["queue"]) != (name, queue) or row["transfers"] != sorted({frames[0], frames[-1]}):
            faults.append(f"frame {frame}: {name} has transfers in {frames}, the oracle {row}")
    faults += [f"frame {row['frame']}: transfers in {row['transfers']} are not told" for row in of_frame.values()
               if row["transfers"] and (row["frame"], row["id"], row["name"], row["queue"]) not in moved]
    return faults, n


# Intervals

def changes(ours, where, connection):
    """(frame, time, is it asked, is it answered) of the commands of a connection, None: of all."""
    waits = waiting(ours)
    for row in ours.rows:
        queue = ours.queues[row["number"]]
        if id(row) in waits or isinstance(queue.flow[1], tuple):
            continue
        if connection is not None and where.get((row["frame"], row["id"])) != connection:
            continue
        yield row["frame"], 1, row["time"], False
        if row["outcome"] == "answered":
            yield row["end"], 0, row["time"] + row["ns"], True
        elif row["outcome"] == "closed":
            yield queue.closed.frame, 0, queue.closed.time, False
        elif row["outcome"] == "replaced":
            after = min(other["frame"] for other in ours.rows
                        if other["number"] == row["number"] and other["id"] == row["id"] and other["frame"] > row["frame"])
            yield after, 0, next(other["time"] for other in ours.rows if other["frame"] == after), False


def intervals(lint, path, ours, where):
    """[fault] of the commands in each timeline, and how many numbers there are."""
    faults, n = [], 0
    for interval in ("auto", "1ms"):
        for line in lines_of(lint, path, "--interval", interval)["timeline"]:
            seconds, _, rest = line["start"].partition(".")
            first = (int(seconds) * 10**9 + int(rest)) // line["interval_ns"]
            found = sorted(changes(ours, where, line["connection"]))
            answered, most, now, at = [0] * line["intervals"], [0] * line["intervals"], 0, 0
            for _, asked, time, answers in found:
                number = min(max(time // line["interval_ns"] - first, 0), line["intervals"] - 1)
                while at < number:
                    at += 1
                    most[at] = now
                now += 1 if asked else -1
                most[number] = max(most[number], now)
                answered[number] += answers
            for rest in range(at + 1, line["intervals"]):
                most[rest] = now
            want = {"answered": answered, "open_max": most} if found else None
            n += 2 * line["intervals"] * bool(found)
            if line.get("commands") != want:
                faults.append(f"--interval {interval}, connection {line['connection']}: {line.get('commands')}, should be {want}")
    return faults, n


def compare(lint, path):
    ours = upper.Reader(path)
    if not ours.rows:
        return collections.Counter(), 0, []
    records = list(capture.records(path))
    ours.last = records[-1].time
    packets = {}
    for record in records:
        packet = parse(record)
        packets[record.number] = record.time, packet is not None and getattr(packet, "op", None) == READ_REQUEST
    for said, _, _ in upper_iwarp.connections(path):
        for message, _ in said:
            time, read = packets[message.frame]
            packets[message.frame] = time, read or message.op == READ_REQUEST
    where = {(line["frame"], line["id"]): line["connection"] for line in lines_of(lint, path, "--stats")["command"]}
    told, stand_out = stories(lint, path, ours, where, packets)
    shown, layers = decoded(lint, path, ours)
    timed, numbers = intervals(lint, path, ours, where)
    counts = collections.Counter({"unusual commands": stand_out, "answers and transfers": layers, "numbers of intervals": numbers})
    return counts, 0, [f"{path.name}: {fault}" for fault in told + shown + timed]


def report(kind, paths, lint):
    counts, faults = collections.Counter(), []
    for count, _, wrong in over_captures.of_each(compare, (collections.Counter(), 0, []), paths, lint):
        counts += count
        faults += wrong
    faults += [f"no {what}" for what in ("unusual commands", "answers and transfers", "numbers of intervals")
               if kind != "given" and not counts[what]]
    return over_captures.told(kind, ", ".join(f"{n} {what}" for what, n in sorted(counts.items())), counts.total(), len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, upper_oracle.write, *sys.argv[1:], *["6"] * (len(sys.argv) == 3)))
