# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""events.py - what Wireshark shows of a packet's events, below ibwire.analysis, against pcap-lint and the packets: for analysis.py.

Each finding that comes of an event has the marks of that event at its frame, with the same frames and numbers. Times
between two packets of the capture, and what an AETH says, are worked out from the packets once more.
"""
import collections
import pathlib
import re
import sys

import ws

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import measures  # noqa: E402

PREFIX = "ibwire.analysis."
ROW = re.compile(r"^IW_MARK(_FRAME|_NUMBER)?\((\w+), (\w+)(?=, )", re.M)
NOTE = re.compile(r"^IW_NOTE\((\w+), ", re.M)
NO_FINDING = {"bad_icrc", "response_passed"}
NAK, RNR, DUPLICATES, READ_REQUEST = 1, 2, (5, 7), 0x0c
HALF = 1 << 23  # of all PSNs: what is further is before
# {mark: the event}; that of others has the mark's name
EVENTS = {**dict.fromkeys(("retransmission", "spurious", "go_back_n", "dup_read_request", "duplicate", "rnr_waited"), "resent"),
          "out_of_order": "reordered", "restart": "psn-restart", "nak": "nak-sequence"}
# {mark: when an event has it}; others always
WHEN = {"retransmission": lambda e: e["cause"] not in DUPLICATES, "duplicate": lambda e: e["cause"] in DUPLICATES,
        "spurious": lambda e: e["spurious"], "go_back_n": lambda e: e["cause"] == NAK,
        "rnr_waited": lambda e: e["cause"] == RNR, "dup_read_request": lambda e: e["opcode"] & 0x1f == READ_REQUEST}
# {field, or the last word of it: number of the event}; that of others has the same name
NUMBERS = {"rto": "ns", "time": "ns", "wait": "ns", "first": "psn", "missing": "count", "code": "syndrome", "answer": "why",
           "reads_in_flight": "outstanding", "psn_kept.first": "first"}
TIMES = {"ns", "asked", "slowest"}
# {a time: the packet it is from, or to}
SINCE = {"nak.time": "nak.resent_in", "psn_gap.time": "psn_gap.filled_in", "out_of_order.time": "out_of_order.overtaken_by",
         "response_gap.time": "response_gap.asked_in", "response_late.time": "response_late.overtaken_by",
         "rnr_early.time": "rnr_early.nak", "retries.time": "retries.of",
         "gave_up.time": "gave_up.of", "gave_up_rnr.time": "gave_up_rnr.of"}
REFUSED = "nak.of", "nak_fatal.of", "rnr.of"
UNREAD = "response_gap", "read_unanswered"  # of a READ or an atomic, at a later packet of the responder
ATOMICS = 0x13, 0x14
# Of a packet's note, which no event has: the one that follows what the NAK asks for.
SENT_AGAIN = {"retransmission", "spurious", "go_back_n", "dup_read_request", "rnr_waited"}
OF_NOTES = {f"{PREFIX}nak.after"}
READS = *(f"{mark}.of" for mark in UNREAD), "response_gap.first"
SINCE_COPY = ("retransmission.rto", "duplicate.time", "rnr_waited.time")
FIELDS = ["frame.time_epoch", "ibwire.aeth.syndrome"]  # in addition to those of marks and analysis.FIELDS


LIST = (ws.ROOT / "dissector/wireshark/marks/analysis.def").read_text()
NOTES = set(NOTE.findall(LIST))  # of packets that no event is about: sums.py


def marks():
    """{mark: {field of it: whether it is a frame}}"""
    found = {}
    for kind, mark, name in ROW.findall(LIST):
        if not kind and name.isupper():
            found[mark] = {}
        elif kind and mark in found:
            found[mark][f"{PREFIX}{mark}.{name}"] = kind == "_FRAME"
    return found


MARKS = marks()
COMPARED = [field for mark in MARKS if mark not in NO_FINDING for field in (PREFIX + mark, *MARKS[mark])]


def marks_of(finding):
    event = finding["event"]
    return [mark for mark in MARKS if EVENTS.get(mark, mark.replace("_", "-")) == event["name"] and
            (mark not in WHEN or WHEN[mark](event))]


def frame_of(finding, name):
    """Another frame of the event: the last one after it, or the first one before it. None: there is none."""
    at, others = finding["frame"], finding["related"]
    found = [frame for frame in others if frame > at][-1:] if name.endswith("_in") else [frame for frame in others[:1] if frame < at]
    return found[0] if found else None


def number_of(field):
    name = field.rsplit(".", 1)[1]
    return NUMBERS.get(field.removeprefix(PREFIX), NUMBERS.get(name, name))


def wanted(findings, field, is_frame):
    """The values that @findings say the field has, each so often."""
    values = collections.Counter(frame_of(row, field.rsplit(".", 1)[1]) if is_frame else row["event"][number_of(field)] for row in findings)
    del values[None]
    return values


def shown(text, field, is_frame):
    """Its values in a packet."""
    is_time = not is_frame and number_of(field) in TIMES
    return collections.Counter(ws.ns(one) if is_time else int(one, 0) for one in text.split(",") if one)


def by_mark(findings):
    """{(frame, mark): findings}; two rules may be about one event."""
    found = collections.defaultdict(dict)
    for row in findings:
        for mark in marks_of(row):
            found[row["frame"], mark][repr((row["event"], row["related"]))] = row
    return {key: list(rows.values()) for key, rows in found.items()}


def by_findings(findings, frames, compared):
    """A finding may have been withdrawn, which its mark is not: where there are as many of both they are the same."""
    nothing = collections.defaultdict(str)
    for (frame, mark), rows in by_mark(findings).items():
        where, row = f"frame {frame}", frames.get(frame, nothing)
        if mark in SENT_AGAIN and row[PREFIX + "out_of_order"]:  # of the two it is one
            continue
        n = len(row[PREFIX + mark].split(",")) if row[PREFIX + mark] else 0
        compared.same(PREFIX + mark, where, n >= len(rows), True)
        for field, is_frame in MARKS[mark].items():
            if field in OF_NOTES:
                continue
            want, have = wanted(rows, field, is_frame), shown(row[field], field, is_frame)
            if have or want:
                compared.same(field, where, have if n <= len(rows) else have & want, want)
    for frame, row in frames.items():
        compared.same("ibwire.analysis", f"frame {frame}", bool(row["ibwire.analysis"]), any(row[PREFIX + mark] for mark in (*MARKS, *NOTES)))


def by_packets(frames, is_request, compared):
    """Times of packets that were sent again are since the last one with the PSN; a READ may begin anew amid its PSNs."""
    sent = {}
    for frame, row in frames.items():
        where, at = f"frame {frame}", ws.ns(row["frame.time_epoch"])
        key = row["ibwire.stream"], row["ibwire.stream.dir"], row["ibwire.bth.psn"]
        for time, other in SINCE.items():
            told, other = row[PREFIX + time], row[PREFIX + other]
            if told and other and "," not in told:
                compared.same(f"{time} of packets", where, ws.ns(told), abs(ws.ns(frames[int(other)]["frame.time_epoch"]) - at))
        for time in SINCE_COPY:
            if row[PREFIX + time] and key in sent:
                compared.same(f"{time} of packets", where, ws.ns(row[PREFIX + time]), at - sent[key])
        if row["ibwire.icrc.status"] != "0" and is_request(row):
            sent[key] = at
        for of in REFUSED:
            if row[PREFIX + of]:
                request = frames[int(row[PREFIX + of])]
                further = int(row["ibwire.bth.psn"], 0) - int(request["ibwire.bth.psn"], 0) & 0xffffff
                compared.same(f"{of} of packets", where, is_request(request) and request["ibwire.stream.dir"] != row["ibwire.stream.dir"] and
                              (not further or int(request["ibwire.bth.opcode"], 0) & 0x1f == READ_REQUEST), True)
        for mark in UNREAD:
            for of in filter(None, row[f"{PREFIX}{mark}.of"].split(",")):
                request = frames[int(of)]
                asks = int(request["ibwire.bth.opcode"], 0) & 0x1f in (READ_REQUEST, *ATOMICS)
                further = int(row["ibwire.bth.psn"], 0) - int(request["ibwire.bth.psn"], 0) & 0xffffff
                compared.same(f"{mark}.of of packets", where, asks and request["ibwire.stream.dir"] != row["ibwire.stream.dir"] and
                              0 < further < HALF, True)
        if row[PREFIX + "response_gap"] and "," not in row[PREFIX + "response_gap"]:
            end = int(row[PREFIX + "response_gap.first"], 0) + int(row[PREFIX + "response_gap.missing"])
            compared.same("response_gap.first of packets", where, int(row["ibwire.bth.psn"], 0) - end & 0xffffff < HALF, True)
        if row[PREFIX + "rnr.wait"]:
            timer = int(row["ibwire.aeth.syndrome"], 0) & 0x1f
            compared.same("rnr.wait of packets", where, ws.ns(row[PREFIX + "rnr.wait"]), measures.RNR_10US[timer] * 10**4)
        if row[PREFIX + "nak.after"]:
            after = frames[int(row[PREFIX + "nak.after"])]
            further = int(after["ibwire.bth.psn"], 0) - int(row["ibwire.bth.psn"], 0) & 0xffffff
            compared.same(PREFIX + "nak.after", where, is_request(after) and after["ibwire.stream.dir"] != row["ibwire.stream.dir"] and
                          0 < further < HALF, True)
        if row[PREFIX + "nak_fatal.code"]:
            compared.same("nak_fatal.code of packets", where, int(row[PREFIX + "nak_fatal.code"]), int(row["ibwire.aeth.syndrome"], 0))
