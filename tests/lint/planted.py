#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted.py PCAP-LINT MADE [KIND...]: faults planted in healthy captures are found, and nothing else is.

From each healthy capture variants are made, by a seed that is always the same: a packet is dropped, doubled,
swapped, changed, an answer is inserted, a direction is gone. Each variant knows what a reader of the rules'
definitions expects: which rule at which frame, and which others may follow from it on. From what pcap-lint
finds come recall (planted and found) and precision (found and planted), kind by kind; in all they have to be
99 %, and 90 % of each kind; of a sample's kinds, those with enough of it. A kind is judged when pcap-lint has a rule
for it; the others are named. What is lowered to a note, and says why it may be untrue, claims nothing: it is neither
found nor false.

What leaves no trace is not planted:
- a request dropped by the sniffer, if no later request and no later answer shows that it was sent;
- a READ response dropped: no rule is about it as long as nobody asks again;
- an ACK dropped that a later one covers within eight round trips, or at the end of the capture;
- two requests swapped before three round trips were seen, or further apart than a round trip;
- a NAK for a wrong PSN, or an ACK of nothing, with less than 2 ms of its connection after it;
- a sample that leaves fewer than ten requests of a connection, or half of them.
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import planted_causes  # noqa: E402
import roce  # noqa: E402
import sample  # noqa: E402
import streams  # noqa: E402
from planting import MS, Edit, Plant, Talk, plain  # noqa: E402

PCAPS = pathlib.Path(__file__).resolve().parents[2] / "pcaps"
HEALTHY = ["rxe/02b-write-ipv6", "rxe/03-send-rc-mtu256", "rxe/03c-send-rc-mtu1024",
           "rxe/03f-send-rc-lat-1byte", "rxe/04-write-rc", "rxe/04b-write-rc-lat",
           "rxe/04d-rstream-write-imm", "rxe/05-read-rc", "rxe/06-atomic-fetch-add", "rxe/07-send-uc",
           "rxe/13-vlan5-rping", "rxe/20-rc-pingpong", "rxe/40-k612-psn-wrap", "rxe/40-k612-uc-imm",
           "faults/30c-two-points-delay-atA", "faults/30c-two-points-delay-atB",
           "faults/31-mirror-single", "ulp/01-nvme", "ulp/05b-nfs41", "ulp/06-rstream"]
CONVERSATIONS = ["cm-all-verbs", "eight-connections", "xrc"]
SEEDS = 3
RULES = {"CAP010", "CAP017", "CAP018", "CAP022", "CRC001", "CMS010", "CMS012", "CMS014", "CMS015", "ROC027", "ROC029"}
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
ENOUGH, EACH = 0.99, 0.90
LEAST = 20  # of a kind in a sample: one miss of three says nothing
DREQ = 0x15
SAID = ", or not captured", ", or captured twice"  # doubt, at the end of a message


# The kinds: each gives a Plant, or None where there is no place for it.

def dropped(talk, rng):
    """The sniffer loses a request; an answer covers it."""
    fit = [i for i, j in zip(talk.requests[1:], talk.requests[2:])
           if talk.service == roce.RC and plain(talk.frames[i]) and talk.covered[i] and talk.covered[j]]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.gone.add(i)
    return Plant("dropped by the sniffer", edit, [("CAP017", range(talk.covered[i], len(talk.frames)))])


def lost(talk, rng, after=False):
    """A request is lost before the capture point, or @after it; a NAK asks for it, and it is resent."""
    fit = [(i, j) for i, j in talk.neighbors() if talk.msn(talk.frames[i].psn, i) is not None]
    if not fit:
        return None
    i, j = rng.choice(fit)
    first, second = talk.frames[i], talk.frames[j]
    edit = Edit(talk.frames)
    if not after:
        edit.gone.add(i)
    said = edit.insert(j, talk.frames[talk.answers[0]].ack(0, first.psn, roce.NAK_SEQ, talk.msn(first.psn, i)))
    again = edit.insert(j, first), edit.insert(j, second)
    must = [("QPS008", [said]), ("QPS003", [again[1]])]
    must += [("QPS003", [again[0]])] if after else [("QPS002", [j])]
    return Plant(f"lost {'after' if after else 'before'} the capture point", edit, must)


def lost_behind(talk, rng):
    return lost(talk, rng, after=True)


def lost_response(talk, rng):
    """All that answers a READ is lost; the READ is sent again after 70 ms, and answered."""
    fit = []
    for i, j in zip(talk.requests[1:], talk.requests[2:]):
        own = [k for k in talk.answers if i < k < j and talk.frames[k].name.startswith("READ_RESPONSE")]
        if talk.frames[i].name == "READ_REQUEST" and own and talk.frames[own[-1]].name.endswith(("LAST", "ONLY")) \
                and not [k for k in talk.answers if i < k < j and k not in own] and talk.shortest(i):
            fit.append((i, own))
    if not fit:
        return None
    i, own = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.gone |= set(own)
    again = edit.insert(i, talk.frames[i], 70 * MS)
    for k in own:
        edit.insert(i, talk.frames[k])
    return Plant("READ response lost", edit, [("QPS017", [again]), ("QPS003", [again])], {"QPS021"})


def timed_out(talk, rng):
    """A request gets no answer for 70 ms and is sent again."""
    fit = [i for i in talk.requests[1:] if talk.service == roce.RC and plain(talk.frames[i])
           and talk.frames[i].ackreq and talk.covered[i] and talk.shortest(i)
           and talk.shortest(i) < MS * 5]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    again = edit.insert(i, talk.frames[i], 70 * MS)
    return Plant("resent after a timeout", edit, [("QPS017", [again]), ("QPS003", [again])], {"QPS021"})


def doubled(talk, rng):
    """A request arrives twice."""
    fit = [i for i in talk.requests[1:-1] if talk.service == roce.RC and plain(talk.frames[i])]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    again = edit.insert(i, talk.frames[i])
    return Plant("doubled", edit, [("QPS003", [again])])


def swapped(talk, rng):
    fit = [(i, j) for i, j in talk.neighbors()
           if talk.frames[j].time - talk.frames[i].time < talk.shortest(i)]
    if not fit:
        return None
    i, j = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead = {i: talk.frames[j].at(talk.frames[i].time), j: talk.frames[i].at(talk.frames[j].time)}
    return Plant("swapped", edit, [("QPS006", [j])])


def far_psn(talk, rng):
    """A request with a PSN that is far from the others'."""
    fit = [i for i in talk.requests[2:-2] if talk.service == roce.RC and plain(talk.frames[i])]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[i] = talk.frames[i].changed(psn=talk.frames[i].psn + 3 * 2**20)
    return Plant("far PSN", edit, [("QPS005", [i])],
                 {"QPS002", "QPS005", "CAP017", "QPS020", "QPS019"})  # coming back is another start


def used_psn(talk, rng):
    """A request with the PSN of the one before, which is another one."""
    fit = [(i, j) for i, j in talk.neighbors()
           if (talk.frames[i].opcode, talk.frames[i].payload) != (talk.frames[j].opcode, talk.frames[j].payload)]
    if not fit:
        return None
    i, j = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[j] = talk.frames[j].changed(psn=talk.frames[i].psn)
    # Its answer is for a PSN that no request has any more.
    return Plant("used PSN", edit, [("QPS004", [j])], {"QPS002", "CAP017", "QPS019", "QPS024", "QPS025", "QPS029"})


def wrong_opcode(talk, rng):
    """A FIRST becomes a MIDDLE, a LAST an ONLY."""
    fit = [j for i, j in zip(talk.requests, talk.requests[1:])
           if roce.after(talk.frames[j].psn, talk.frames[i].psn) == 1 and plain(talk.frames[i])
           and talk.frames[j].name in ("SEND_FIRST", "SEND_LAST")]
    if not fit:
        return None
    j = rng.choice(fit)
    edit = Edit(talk.frames)
    other = {"SEND_FIRST": "SEND_MIDDLE", "SEND_LAST": "SEND_ONLY"}[talk.frames[j].name]
    edit.instead[j] = talk.frames[j].changed(opcode=talk.service << 5 | roce.NAMES.index(other))
    return Plant("wrong opcode", edit, [("QPS025", [j])], {"QPS024", "QPS025", "QPS027"})


def short_middle(talk, rng):
    """A FIRST or MIDDLE that does not fill the path MTU."""
    fit = [i for i in talk.requests if talk.frames[i].name.endswith(("FIRST", "MIDDLE"))][1:]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[i] = talk.frames[i].changed(shorter=4 * rng.randrange(1, 30))
    return Plant("short FIRST or MIDDLE", edit, [("QPS026", [i])], {"QPS028", "QPS029"})


def short_last(talk, rng):
    """The end of a WRITE of several packets is too short."""
    fit = [i for i in talk.requests if talk.frames[i].name.startswith("WRITE_LAST") and talk.frames[i].payload > 8]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[i] = talk.frames[i].changed(shorter=4)
    return Plant("short WRITE", edit, [("QPS029", [i])])


def short_response(talk, rng):
    """The end of a READ response is too short."""
    fit = [k for k in talk.answers if talk.frames[k].name in ("READ_RESPONSE_LAST", "READ_RESPONSE_ONLY")
           and talk.frames[k].payload > 8]
    if not fit:
        return None
    k = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[k] = talk.frames[k].changed(shorter=4)
    return Plant("short READ response", edit, [("QPS030", [k])])


def no_last_ack(talk, rng):
    """From some request on nothing is answered any more, while other frames still come. Who ends its connection does not wait."""
    waiting = [i for i in talk.requests if talk.frames[i].ackreq and talk.covered[i]]
    if talk.service != roce.RC or len(talk.round_trips) < 4 or not waiting:
        return None
    i = rng.choice(waiting[-3:])
    if talk.frames[-1].time - talk.frames[i].time < 64 * talk.longest():
        return None
    if any(f.cm()[0] == DREQ and (f.src, f.dst) == talk.half[:2] for f in talk.frames[i:]):
        return None
    edit = Edit(talk.frames)
    edit.gone = {k for k in talk.answers if k > i}
    left = [n for n in waiting if talk.covered[n] > i]
    return Plant("no ACK any more", edit, [("QPS021", left)], {"QPS021"})


def answered(talk, rng, syndrome, wait=0):
    """(Edit, request, place) of a NAK for some request after it; None: nowhere."""
    fit = [i for i in talk.requests[1:] if talk.service == roce.RC and talk.covered[i]
           and talk.msn(talk.frames[i].psn, i) is not None and plain(talk.frames[i])
           and talk.frames[-1].time - talk.frames[i].time > wait]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    msn = talk.msn(talk.frames[i].psn, i)
    return edit, i, edit.insert(i, talk.frames[talk.answers[0]].ack(0, talk.frames[i].psn, syndrome, msn))


def fatal_nak(talk, rng):
    """A NAK that ends the connection; whatever is sent after it is new traffic after a fatal NAK."""
    done = answered(talk, rng, rng.choice([roce.NAK_INV, roce.NAK_ACCESS, roce.NAK_OP]))
    if not done:
        return None
    edit, i, nak = done
    edit.gone |= {k for k in talk.answers if k > i}
    sure = talk.frames[i].time + max(2 * MS, 8 * talk.longest())
    late = any(talk.frames[j].time > sure for j in talk.requests)
    after = [j for j in talk.requests if talk.frames[j].time > talk.frames[i].time + MS]
    must = [("QPS012", [nak])] + ([("QPS013", after)] if late else [])
    return Plant("fatal NAK" + (", then traffic" if late else ""), edit, must, {"QPS013", "QPS017", "QPS021"})


def rnr(talk, rng):
    """No receive: RNR NAK, and the request again after the time asked for (10 us)."""
    done = answered(talk, rng, roce.RNR | 1)
    if not done:
        return None
    edit, i, nak = done
    following = [j for j in talk.requests if j > i]
    if following and talk.covered[i] > following[0]:
        return None  # others were on their way: they would have to be resent as well
    again = edit.insert(i, talk.frames[i])
    return Plant("RNR NAK", edit, [("QPS014", [nak]), ("QPS003", [again])])


def wrong_nak(talk, rng):
    """A sequence NAK for what was acknowledged long ago."""
    fit = [k for k in talk.answers[3:] if talk.service == roce.RC and talk.frames[k].name == "ACK"
           and talk.goes_on(k, 2 * MS)]
    if not fit:
        return None
    k = rng.choice(fit)
    psn = talk.frames[k].psn - 1
    before = talk.msn(psn, k)
    if before is None:
        return None
    edit = Edit(talk.frames)
    nak = edit.insert(k, talk.frames[k].ack(0, psn, roce.NAK_SEQ, talk.frames[k].aeth[1]))
    return Plant("wrong NAK PSN", edit, [("QPS009", [nak])], {"QPS008", "QPS011"})


def ghost_ack(talk, rng):
    """An ACK for what nobody has sent."""
    fit = [k for k in talk.answers if talk.service == roce.RC and talk.frames[k].name == "ACK"
           and talk.goes_on(k, 2 * MS)]
    if not fit:
        return None
    k = rng.choice(fit)
    edit = Edit(talk.frames)
    ghost = edit.insert(k, talk.frames[k].changed(psn=talk.frames[k].psn + 5000))
    return Plant("ACK of nothing", edit, [("QPS019", [ghost])], {"QPS020"})


def old_ack(talk, rng):
    """An ACK that is older than the one before, long after it, and nobody repeated a request."""
    acks = [k for k in talk.answers if talk.frames[k].name == "ACK"]
    fit = [(a, b) for a, b in zip(acks, acks[2:]) if roce.after(talk.frames[b].psn, talk.frames[a].psn) > 0]
    if not fit or talk.service != roce.RC:
        return None
    a, b = rng.choice(fit)
    edit = Edit(talk.frames)
    again = edit.insert(b, talk.frames[a], 5 * talk.longest() + MS)
    return Plant("old ACK", edit, [("QPS020", [again])], {"QPS021"})


def wrong_msn(talk, rng):
    """An MSN that falls, or that counts more than was begun."""
    fit = [(a, b) for a, b in zip(talk.answers, talk.answers[1:])
           if talk.service == roce.RC and talk.has_aeth(a) and talk.has_aeth(b)
           and roce.after(talk.frames[b].psn, talk.frames[a].psn) > 0]
    if not fit:
        return None
    a, b = rng.choice(fit)
    edit = Edit(talk.frames)
    msn = talk.frames[a].aeth[1] + rng.choice([-1, 100])
    edit.instead[b] = talk.frames[b].changed(msn=msn)
    return Plant("wrong MSN", edit, [("QPS024", [b])], {"QPS024"})


def one_way(talk, rng):
    """One direction is gone."""
    gone = rng.choice([talk.back, talk.half])
    rest = [f for f in talk.frames if f.roce and f.service == roce.RC
            and f.half == (talk.half if gone == talk.back else talk.back)]
    if talk.service != roce.RC or len(rest) < 100:
        return None
    edit = Edit(talk.frames)
    edit.gone = {i for i, f in enumerate(talk.frames) if f.roce and f.half == gone}
    return Plant("one direction gone", edit, [("CAP010", [-1])], {"QPS001"})


def left_of_each(talk, edit):
    """Whether a sample leaves ten requests of each connection that had them, less than half, all over the file."""
    halves = collections.defaultdict(list)
    for i, frame in enumerate(talk.frames):
        if frame.roce and frame.service == roce.RC and frame.is_request:
            halves[frame.half].append(i)
    for all_of in halves.values():
        left = [i for i in all_of if i not in edit.gone]
        if len(left) < 10 or not all(plain(talk.frames[i]) for i in all_of):
            return False
        span = roce.after(talk.frames[left[-1]].psn, talk.frames[left[0]].psn) + 1
        if 2 * (span - len(left)) <= span:
            return False
    return True


def sampled(talk, rng):
    """One frame in N."""
    every, edit = rng.randrange(4, 9), Edit(talk.frames)
    first = rng.randrange(every)
    edit.gone = {i for i in range(len(talk.frames)) if i % every != first}
    if talk.service != roce.RC or not left_of_each(talk, edit):
        return None
    return Plant("sampled", edit, [("CAP018", [-1])], {"CAP017", "QPS001"})


def half_lost(talk, rng, silent=False):
    """The sniffer loses half of all frames; @silent: the last answers are among them."""
    edit = Edit(talk.frames)
    edit.gone = {i for i in range(len(talk.frames)) if rng.random() < 0.5}
    left = [i for i in talk.requests if i not in edit.gone]
    if talk.service != roce.RC or len(left) < 20 or not all(plain(talk.frames[i]) for i in talk.requests):
        return None
    if silent:
        last = next((i for i in reversed(left) if talk.frames[i].ackreq and talk.covered[i]
                     and talk.frames[-1].time - talk.frames[i].time > 64 * talk.longest()), None)
        if last is None:
            return None
        edit.gone = (edit.gone | {k for k in talk.answers if k > last}) - {last, len(talk.frames) - 1}
    return Plant("half lost by the sniffer" + (", the last answers, too" if silent else ""), edit,
                 [("CAP017 CAP018", [-1])], {"CAP017", "CAP018", "QPS001"})


def half_lost_silent(talk, rng):
    return half_lost(talk, rng, silent=True)


def uc_lost(talk, rng):
    """A packet of a UC message is lost."""
    fit = [(i, j) for i, j in zip(talk.requests[1:], talk.requests[2:]) if talk.service == roce.UC]
    if not fit:
        return None
    i, j = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.gone.add(i)
    return Plant("lost of UC", edit, [("QPS033", [j])], {"QPS002"})


def mac_zero(talk, rng):
    """A driver leaves its MAC out, or that of the receiver, of some packets or of all."""
    at, first = rng.choice([0, 6]), rng.randrange(3)
    fit = [i for i, f in enumerate(talk.frames) if f.roce and f.half == talk.half and f.data[:12] != bytes(12)][first:]
    edit = Edit(talk.frames)
    for i in fit:
        data = bytearray(talk.frames[i].data)
        data[at:at + 6] = bytes(6)
        edit.instead[i] = roce.Frame(talk.frames[i].time, data, talk.frames[i].length)
    return Plant("MAC of zeros", edit, [("ROC027", fit[:1])]) if len(fit) >= 3 else None


def trimmed(talk, rng):
    """A congested switch sends the first bytes of some packets on, in another class."""
    keep, dscp = rng.choice([96, 128, 200]), rng.choice([1, 25, 63])
    fit = [i for i in talk.requests[1:-1] if len(talk.frames[i].data) > keep and not talk.frames[i].cut]
    if len(fit) < 3:
        return None
    edit, chosen = Edit(talk.frames), sorted(rng.sample(fit, rng.randrange(3, min(len(fit), 9) + 1)))
    for i in chosen:
        data, ip = bytearray(talk.frames[i].data), talk.frames[i].ip
        if data[ip] >> 4 == 4:
            data[ip + 1] = dscp << 2 | data[ip + 1] & 3
            data[ip + 10:ip + 12] = bytes(2)
            struct.pack_into(">H", data, ip + 10, roce.checksum(data[ip:talk.frames[i].udp]))
        else:
            word, = struct.unpack_from(">H", data, ip)
            struct.pack_into(">H", data, ip, word & 0xf03f | dscp << 6)
        edit.instead[i] = roce.Frame(talk.frames[i].time, data[:keep])
    return Plant("trimmed", edit, [("ROC029", chosen[:1])])


KINDS = [dropped, lost, lost_behind, lost_response, timed_out, doubled, swapped, far_psn, used_psn, wrong_opcode,
         short_middle, short_last, short_response, no_last_ack, fatal_nak, rnr, wrong_nak, ghost_ack,
         old_ack, wrong_msn, one_way, sampled, half_lost, half_lost_silent, uc_lost, mac_zero, trimmed, *planted_causes.KINDS]


def talks(frames):
    """Each direction that sends enough requests to plant something in."""
    both = roce.pairs(frames)
    for half in sorted({f.half for f in frames if f.roce and f.service in (roce.RC, roce.UC) and f.is_request}):
        talk = Talk(frames, half, both.get(half))
        answered_well = talk.answers and talk.round_trips
        if len(talk.requests) >= 6 and (talk.service == roce.UC or answered_well):
            yield talk


def bases(made):
    paths = [PCAPS / f"{name}.pcap" for name in HEALTHY]
    paths += [made / f"streams-{name}.pcap" for name in CONVERSATIONS]
    return {path: roce.frames(path) for path in paths}


def plants(frames, name):
    """All variants of a capture."""
    of_halves = sorted(talks(frames), key=lambda t: -len(t.requests))[:3]
    for kind in KINDS:
        for seed in range(SEEDS):
            rng = random.Random(f"{name} {kind.__name__} {seed}")
            if of_halves:
                plant = kind(of_halves[seed % len(of_halves)], rng)
                if plant:
                    yield plant


def is_claim(row):
    """Whether a finding says that something is so: all but what is withheld for a doubt that it names."""
    return not (streams.is_withheld(row) and row["message"].endswith(SAID))


def found_in(lint, paths):
    """{path: {(rule, frame)}} that the rules judged here claim; each capture has to have been read."""
    out = {}
    for at in range(0, len(paths), 50):
        run = subprocess.run([lint, *OPTIONS, *paths[at:at + 50]], capture_output=True, text=True, check=True)
        rows = [json.loads(line) for line in run.stdout.splitlines()]
        for row in rows:
            if row["type"] == "summary":
                out.setdefault(row["file"], set())
            elif row["type"] == "finding" and (row["rule"] in RULES or row["rule"].startswith("QPS")) and is_claim(row):
                out.setdefault(row["file"], set()).add((row["rule"], row["frame"] or 0))
    missing = [path for path in paths if str(path) not in out]
    if missing:
        raise SystemExit(f"{len(missing)} captures were not read, {missing[0]} the first")
    return out


class Score:
    def __init__(self):
        self.planted = self.judged = self.found = self.true = self.false = 0
        self.examples = []

    def __str__(self):
        recall = f"{self.found}/{self.judged}" if self.judged else "-"
        return f"{self.planted:5} planted, recall {recall}, precision {self.true}/{self.true + self.false}"

    def add(self, other):
        for name in ("planted", "judged", "found", "true", "false"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def below(self, share, least=0):
        """Whether recall or precision is less than @share; never with fewer than @least judged."""
        return self.judged >= least and \
            (self.found < share * self.judged or self.true < share * (self.true + self.false))


def judge(score, name, plant, found, healthy, known):
    """Adds one variant."""
    score.planted += 1
    for rules, frames in plant.must:
        if not rules & known:
            continue
        score.judged += 1
        # 0: of the capture as a whole, wherever that is said.
        hit = any(rule in rules and (frame in frames or 0 in frames) for rule, frame in found)
        score.found += hit
        if not hit:
            score.examples.append(f"{name}: {' or '.join(sorted(rules))} not found at {sorted(frames)[:3]}")
    for rule, frame in sorted(found):
        if rule in healthy or rule == "QPS017" and "QPS003" in healthy:  # it repeats requests by itself
            continue
        fits = plant.allows(rule, frame)
        score.true += fits
        score.false += not fits
        if not fits:
            score.examples.append(f"{name}: {rule} at frame {frame}")


def main():
    lint, made, only = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    known, scores = streams.known_rules(), collections.defaultdict(Score)
    with tempfile.TemporaryDirectory() as tmp:
        todo, tmp = [], pathlib.Path(tmp)
        for base, frames in bases(made).items():
            roce.write(tmp / base.name, frames)
            for plant in plants(frames, base.stem):
                path = tmp / f"{len(todo)}-{base.stem}.pcap"
                roce.write(path, plant.frames)
                plant.frames = None
                todo.append((base, path, plant))
        todo = sample.rows(todo, lambda row: f"{row[1].name} {row[2].kind}")
        found = found_in(lint, [tmp / base.name for base in bases(made)] + [path for _, path, _ in todo])
        for base, path, plant in todo:
            healthy = {rule for rule, _ in found[str(tmp / base.name)]}
            judge(scores[plant.kind], path.name, plant, found[str(path)], healthy, known)
    total, least = Score(), LEAST if sample.part()[1] > 1 else 0
    faults = []
    for kind, score in sorted(scores.items()):
        print(f"{kind:30} {score}")
        total.add(score)
        faults += score.examples[:3 if not only else None] if score.below(1) and not only or kind in only else []
        if score.below(EACH, least):
            faults.append(f"{kind}: less than {EACH:.0%}")
    if total.below(ENOUGH):
        faults.append(f"in all less than {ENOUGH:.0%}")
    later = sorted(kind for kind, score in scores.items() if not score.judged)
    print("\n".join(faults))
    if later:
        print(f"not judged, for there is no such rule yet: {', '.join(later)}")
    print(f"{'in all':30} {total}")
    below = total.below(ENOUGH) or any(score.below(EACH, least) for score in scores.values())
    return 1 if below or total.planted < sample.count(500) else 0


if __name__ == "__main__":
    sys.exit(main())
