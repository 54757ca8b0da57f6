#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_mads.py PCAP-LINT: faults planted in real captures of MADs are found at their frame, and nothing else is.

A request or response lost, a transaction ID used twice, a segment of RMPP lost, beyond the window, acknowledged too
early, a wrong first length, an ABORT. By a seed that is always the same; MADs are read by oracles/mads.py, ICRCs made by zlib.
What a capture shows without a fault (at that frame) is not counted. Recall and precision have to be 98 % in all, 90 % of
each kind.

What leaves no trace is not planted: a request whose ID an earlier one has, or the first of its client and class;
a response with less than two seconds after it in the capture, or whose ID comes again; the last segment of a transfer.
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import capture  # noqa: E402
import mads  # noqa: E402
import packet  # noqa: E402
sys.path.insert(0, str(ROOT / "tests/lib"))
import sample  # noqa: E402

CAPTURES = ["sa.pcap", "sweep.pcap", "perf.pcap", "rmpp.roce.pcap"]
SEEDS = 24
RULES = {"MAD008", "MAD009", "MAD010", "RMP006", "RMP007", "RMP009", "RMP011", "RMP013"}
ENOUGH, EACH = 0.98, 0.90
LEAST = 200
WAIT = 2 * mads.SECOND


def with_crc(data, net):
    """The frame with the ICRC of its bytes; the VCRC is nobody's matter here."""
    covered = bytearray(data[net.covered:net.end - 4])
    for at, mask in net.ones:
        covered[at - net.covered] |= mask
    covered[net.at + 4 - net.covered] = 0xff
    crc = zlib.crc32(covered, 0 if net.lids else zlib.crc32(b"\xff" * 8))
    return data[:net.end - 4] + struct.pack("<I", crc) + data[net.end:]


class Frame:
    def __init__(self, record):
        self.record, self.mad = record, mads.Mad(record)

    def changed(self, time=None, **fields):
        """The same with other bytes: tid, and of RMPP kind, status, segment, length; at another time."""
        data, record = bytearray(self.record.data), self.record
        net = packet.LINKS[record.link](record.data, 0)
        at = net.at + 20
        if "tid" in fields:
            data[at + 8:at + 16] = fields["tid"]
        for name, (where, form) in {"kind": (25, ">B"), "status": (27, ">B"), "segment": (28, ">I"),
                                    "length": (32, ">I")}.items():
            if name in fields:
                struct.pack_into(form, data, at + where, fields[name])
        return Frame(record._replace(data=with_crc(bytes(data), net), time=record.time if time is None else time))


class Talk:
    """The MADs of a capture, and what belongs together."""

    def __init__(self, path):
        self.frames = [Frame(r) for r in capture.records(path)]
        self.link = self.frames[0].record.link
        self.end = max(f.record.time for f in self.frames)
        self.by_key = collections.defaultdict(list)
        for i, frame in enumerate(self.frames):
            if frame.mad.ok and frame.mad.method in mads.ANSWERED:
                self.by_key[frame.mad.key].append(i)
        self.transactions = sorted(filter(None, map(self.transaction, self.by_key.values())))

    def transaction(self, places):
        """(request, [responses and what else of RMPP]) of an ID that is used once."""
        own = [self.frames[i].mad for i in places]
        asked = [i for i, m in zip(places, own) if not m.back and m.type == 0]
        answers = [i for i, m in zip(places, own) if m.back and m.type <= mads.DATA]
        if len(asked) != 1 or not answers or asked[0] != places[0]:
            return None
        if len(answers) > 1 and not all(self.frames[i].mad.type for i in answers):
            return None
        return asked[0], places[1:]

    def transfers(self, least):
        """Of those the ones of so many segments, in order and once each."""
        for asked, rest in self.transactions:
            data = [i for i in rest if self.frames[i].mad.back and self.frames[i].mad.type == mads.DATA]
            if len(data) >= least and [self.frames[i].mad.segment for i in data] == list(range(1, len(data) + 1)):
                yield asked, rest, data

    def who(self, i):
        mad = self.frames[i].mad
        return mad.mgmt_class, mad.src if mad.mgmt_class == mads.DIRECTED and not mad.back else mad.client


class Plant:
    """frames: [(number in the healthy capture or 0, Frame)]; must: (rule, numbers, one of which it has to be)"""

    def __init__(self, kind, talk, gone=(), instead=None, inserted=None, must=(), may=()):
        self.kind, self.may = kind, may
        self.frames, instead, inserted = [], instead or {}, inserted or {}
        for i, frame in enumerate(talk.frames):
            if i not in gone:
                self.frames.append((i + 1, instead.get(i, frame)))
            self.frames += [(-(i + 1), new) for new in inserted.get(i, [])]
        self.must = [(rule, set(places)) for rule, places in must]
        self.link = talk.link


def request_lost(talk, rng):
    known, fit = set(), []
    for asked, rest in talk.transactions:
        if talk.who(asked) in known:
            fit.append((asked, rest))
        known.add(talk.who(asked))
    if not fit:
        return None
    asked, rest = rng.choice(fit)
    first = next(i for i in rest if talk.frames[i].mad.back)
    return Plant("request lost", talk, {asked}, must=[("MAD008", [first + 1])], may={"MAD008"})


def response_lost(talk, rng):
    fit = [(a, r) for a, r in talk.transactions if talk.end - talk.frames[a].record.time > WAIT]
    if not fit:
        return None
    asked, rest = rng.choice(fit)
    return Plant("response lost", talk, set(rest), must=[("MAD009", [asked + 1])])


def tid_reused(talk, rng):
    """The next request comes before the answer, with the same ID."""
    fit = [(a, ra, b, rb) for (a, ra), (b, rb) in zip(talk.transactions, talk.transactions[1:])
           if talk.who(a) == talk.who(b) and len(ra) == len(rb) == 1 and talk.frames[a].mad.sqpn == talk.frames[b].mad.sqpn
           and talk.frames[a].mad.mgmt_class != mads.DIRECTED and talk.frames[a].mad.content[16:] != talk.frames[b].mad.content[16:]
           and talk.frames[a].mad.server == talk.frames[b].mad.server and talk.frames[b].record.time - talk.frames[a].record.time < mads.REUSE]
    if not fit:
        return None
    a, ra, b, rb = rng.choice(fit)
    tid, time = talk.frames[a].mad.tid, talk.frames[a].record.time
    return Plant("TID reused", talk, {b}, {rb[0]: talk.frames[rb[0]].changed(tid=tid)},
                 {a: [talk.frames[b].changed(time=time, tid=tid)]}, [("MAD010", [-(a + 1)])])


def segment_lost(talk, rng):
    fit = list(talk.transfers(3))
    if not fit:
        return None
    _, _, data = rng.choice(fit)
    n = rng.randrange(len(data) - 1)
    return Plant("segment lost", talk, {data[n]}, must=[("RMP006", [data[n + 1] + 1])], may={"RMP009"})


def acks(talk, rest, data):
    """[(place, highest segment before it, segments until the next ACK)]"""
    own = [i for i in rest if talk.frames[i].mad.type == mads.ACK]
    for i, after in zip(own, own[1:] + [len(talk.frames)]):
        before = [d for d in data if d < i]
        yield i, len(before), [d for d in data if i < d < after]


def beyond_window(talk, rng):
    fit = [(i, sent, later) for _, rest, data in talk.transfers(3) for i, sent, later in acks(talk, rest, data)
           if len(later) >= 2 and sent]
    if not fit:
        return None
    i, sent, later = rng.choice(fit)
    n = rng.randrange(1, len(later))
    return Plant("beyond the window", talk, instead={i: talk.frames[i].changed(length=sent + n)},
                 must=[("RMP007", [d + 1]) for d in later[n:]])


def ack_ahead(talk, rng):
    fit = [(i, sent) for _, rest, data in talk.transfers(3) for i, sent, later in acks(talk, rest, data)
           if later and sent]
    if not fit:
        return None
    i, sent = rng.choice(fit)
    return Plant("ACK of what was not sent", talk, instead={i: talk.frames[i].changed(segment=sent + 1)},
                 must=[("RMP009", [i + 1])])


def wrong_length(talk, rng):
    fit = [data for _, _, data in talk.transfers(2) if talk.frames[data[0]].mad.length]
    if not fit:
        return None
    data = rng.choice(fit)
    said = talk.frames[data[0]].mad.length + rng.choice([-20, -1, 1, 20, 220])
    return Plant("wrong first length", talk, instead={data[0]: talk.frames[data[0]].changed(length=said)},
                 must=[("RMP011", [data[-1] + 1])])


def aborted(talk, rng):
    """The client ends a transfer by an ABORT in the place of an ACK."""
    fit = [(i, rest) for _, rest, data in talk.transfers(3) for i, _, later in acks(talk, rest, data) if later]
    if not fit:
        return None
    i, rest = rng.choice(fit)
    status = rng.choice(range(118, 128))
    return Plant("aborted", talk, {k for k in rest if k > i},
                 {i: talk.frames[i].changed(kind=mads.ABORT, status=status, segment=0, length=0)},
                 must=[("RMP013", [i + 1])])


KINDS = [request_lost, response_lost, tid_reused, segment_lost, beyond_window, ack_ahead, wrong_length, aborted]


def write(path, link, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, link))
        for frame in frames:
            record = frame.record
            out.write(struct.pack("<IIII", record.time // mads.SECOND, record.time % mads.SECOND,
                                  len(record.data), record.length) + record.data)


def found_in(lint, path, numbers):
    """{(rule, number in the healthy capture)} of the rules judged here."""
    run = subprocess.run([lint, "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                          "--progress", "never", path], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(row["type"] == "summary" for row in rows):
        raise SystemExit(f"{path}: not read")
    return {(row["rule"], numbers[row["frame"] - 1]) for row in rows
            if row["type"] == "finding" and row["rule"] in RULES and row["frame"]}


def main():
    lint, score, faults = sys.argv[1], collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "planted.pcap"
        for name in CAPTURES:
            talk = Talk(ROOT / "pcaps/mad" / name)
            write(path, talk.link, talk.frames)
            healthy = found_in(lint, path, range(1, len(talk.frames) + 1))
            for kind in KINDS:
                for seed in sample.seeds(SEEDS):
                    plant = kind(talk, random.Random(f"{name} {kind.__name__} {seed}"))
                    if plant is None:
                        break
                    write(path, plant.link, [frame for _, frame in plant.frames])
                    found = found_in(lint, path, [number for number, _ in plant.frames]) - healthy
                    of = score[plant.kind]
                    of["planted"] += 1
                    for rule, places in plant.must:
                        hit = any((rule, place) in found for place in places)
                        of["judged"] += 1
                        of["found"] += hit
                        if not hit:
                            faults.append(f"{name}: {plant.kind}: {rule} not found at {sorted(places)}")
                    for rule, place in sorted(found):
                        fits = rule in plant.may or any(rule == r and place in p for r, p in plant.must)
                        of["true" if fits else "false"] += 1
                        if not fits:
                            faults.append(f"{name}: {plant.kind} (at {sorted(plant.must[0][1])}): {rule} at {place}")
    total = sum(score.values(), collections.Counter())
    for kind, of in [*sorted(score.items()), ("in all", total)]:
        print(f"{kind:28}{of['planted']:5} planted, recall {of['found']}/{of['judged']}, "
              f"precision {of['true']}/{of['true'] + of['false']}")

    def below(of, share):
        return of["found"] < share * of["judged"] or of["true"] < share * (of["true"] + of["false"])

    print("\n".join(faults[:20]))
    return 1 if below(total, ENOUGH) or any(below(of, EACH) for of in score.values()) or len(score) < len(KINDS) or \
        total["planted"] < sample.count(LEAST) else 0


sys.exit(main())
