# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What a sentence of the verdict about connections claims, asked of the packets.

As claims.py for incidents: a sentence is made of phrases, and each names ends, numbers, times or PSNs that the packets have, or have
not. Which end was it, did it send these requests, is there a NAK that refuses them, was the packet sent so often without an answer?
SAYS has a row for each phrase; a sentence with words of no row is a fault. tests/pcap-lint/verdict.py asks for the same numbers in
the lines of the incidents. Sentences about findings of rules are asked there.
"""
import re

import claims
import packet as P
import text_words as W

STATES = {"dead", "refused", "not-ready", "lost", "slow"}
REFUSALS = {"NAK invalid request": 0x61, "NAK remote access error": 0x62, "NAK remote operational error": 0x63}
VERBS = (("RDMA READ", {P.READ_REQUEST}), ("RDMA WRITE", P.WRITES), ("SEND", P.SENDS), ("FetchAdd", {P.FETCH_ADD}), ("CmpSwap", {P.COMPARE_SWAP}))
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
TIME = r"(\d+(?:\.\d+)?) (ns|us|ms|s)"
AGAIN = ("repeated", "filled")


class Direction:
    """The requests of one direction, and what answers them."""

    def __init__(self, number, half, other, known, seen):
        self.number, self.half, self.other, self.known = number, half, other, known
        self.way = claims.Way(half, other, known, seen)
        one = half or other
        src, dst = (one.src, one.dst) if half else (one.dst, one.src)
        self.src, self.dst = P.address_text(src), P.address_text(dst)
        self.qpns = (other.qpn if other else None, half.qpn if half else None)

    def again(self):
        return sum(one.was in AGAIN for one in self.way.requests)

    def naks(self, kind):
        return [one for one in self.way.answers if one.op == P.ACKNOWLEDGE and claims.code(one) == kind]

    def refusals(self):
        return [one for one in self.way.answers if one.op == P.ACKNOWLEDGE and one.syndrome in REFUSALS.values()]

    def lasted(self):
        """From its connection's first packet to the last, of the CM, too."""
        times = [*self.known.frames.values(), *(one for half in (self.half, self.other) if half for one in half.packets)]
        times = [one.time for one in times]
        return max(times) - min(times)

    def waited(self):
        """From each NAK to the next copy of what it asks for."""
        total = 0
        for nak in self.naks(claims.NAK):
            copies = [one.time for one in self.way.copies(nak.psn, False) if one.frame > nak.frame]
            total += max(0, copies[0] - nak.time) if copies else 0
        return total


class Sentence:
    """What a verdict says, and the directions it is of."""

    def __init__(self, line, directions):
        self.line, self.all, self.of = line, directions, []

    def name(self, src, dst, several):
        """The ends are named: those of which directions they are."""
        def is_end(end, address, qpn):
            return end in (address, f"{address} qp {'?' if qpn is None else qpn}")
        self.of = [one for one in self.all if is_end(src, one.src, one.qpns[0]) and is_end(dst, one.dst, one.qpns[1])]
        if several:
            self.of = [one for one in self.of if one.number in self.line["connections"]] if len(self.line["connections"]) < 8 else self.of
        return bool(self.of)

    def most(self, function):
        return sum(function(one) for one in self.of)


def nanoseconds(value, unit):
    """The least and the most that is said so."""
    digits = len(value.partition(".")[2])
    one = UNITS[unit] / 10**digits
    return float(value) * UNITS[unit] - one / 2, float(value) * UNITS[unit] + one / 2


# What a phrase claims. Each gives what is wrong, or nothing.

def ends(sentence, said):
    if not sentence.name(said["a"], said["b"], said["n"]):
        yield "no requests go that way, or nothing answers them"
        return
    if not any(one.way.requests or one.way.answers for one in sentence.of):
        yield "there are no packets that way"
    between = {one.number for one in sentence.all if {one.src, one.dst} == {said["a"], said["b"]}} if said["n"] else ()
    if said["n"] and not int(said["n"]) <= int(said["all"]) <= max(len(between), int(said["n"])):
        yield f"there are {len(between)} connections between them"


def died(sentence, said):
    psn = int(said["psn"], 16)
    for one in sentence.of:
        copies = one.way.copies(psn, False)
        after = one.way.covering(psn, copies[-1].op in {P.READ_REQUEST, *P.ATOMICS}) if copies else []
        if len(copies) >= int(said["n"]) and not any(0 < answer.time - copies[-1].time < 10**9 for answer in after):
            return
    yield "it was not sent so often, or was answered"


def ended_before(sentence, _):
    if not any(one.known.dreq and one.known.dreps for one in sentence.of):
        yield "there is no DREQ with a DREP"


def retries_are(sentence, said):
    if not any(one.known.retries == int(said["n"]) for one in sentence.of):
        yield f"the REQs say {[one.known.retries for one in sentence.of]}"


def rnr_died(sentence, said):
    psn = int(said["psn"], 16)
    there = max((sum(nak.psn == psn for nak in one.naks(claims.RNR)) for one in sentence.of), default=0)
    if int(said["n"]) > max(len(one.naks(claims.RNR)) for one in sentence.of) or not there:
        yield f"{there} RNR NAKs are about it"
    if said["b"] not in {one.dst for one in sentence.of}:
        yield "the other end has the receives"


def refused(sentence, said):
    if not sentence.name(said["a"], said["b"], said["m"]):
        yield "no requests go that way"
        return
    psn, code = int(said["psn"], 16), REFUSALS.get(said["error"])
    naks = [(one, nak) for one in sentence.of for nak in one.way.answers
            if nak.op == P.ACKNOWLEDGE and nak.psn == psn and claims.code(nak) == claims.NAK and nak.syndrome != claims.SEQUENCE]
    if not any(code in (None, nak.syndrome) for _, nak in naks):
        yield "no NAK refuses that PSN so"
    ops = {copy.op for one, _ in naks for copy in one.way.copies(psn, False)}
    verb = next((verbs for word, verbs in VERBS if word in (said["op"] or "")), None)
    if verb and not ops & verb:
        yield f"the requests of that PSN are {ops}"
    if said["m"] and int(said["m"]) > sum(bool(one.refusals()) for one in sentence.all):
        yield "there are not so many refusals"


def not_ready(sentence, said):
    if not sentence.name(said["a"], said["b"], said["n"]):
        yield "no requests go that way"
    elif not 0 < int(said["rnr"]) <= sentence.most(lambda one: len(one.naks(claims.RNR))):
        yield "there are not so many RNR NAKs"


def lost_after(sentence, said):
    if int(said["n"]) > sentence.most(lambda one: len(one.naks(claims.NAK))):
        yield "there are not so many NAKs"


def missing(sentence, said):
    """Gaps, and PSNs that only come after others."""
    if int(said["n"]) > sentence.most(lambda one: sum(p.was in ("gap", *AGAIN) for p in one.way.requests) + len(one.naks(claims.NAK))):
        yield "there are not so many gaps, resends and NAKs"


def reads(sentence, said):
    if int(said["n"]) > sentence.most(lambda one: sum(p.op == P.READ_REQUEST for p in one.way.requests)):
        yield "there are not so many READs"


def again(sentence, said):
    if int(said["n"]) > sentence.most(Direction.again):
        yield "there are not so many requests that came again"


def out_of_order(sentence, said):
    if int(said["n"]) > sentence.most(lambda one: one.again() + sum(p.op in P.READS for p in one.way.answers)):
        yield "there are not so many"


def gaps(sentence, said):
    if int(said["n"]) > sentence.most(lambda one: sum(p.was == "gap" for p in one.way.requests)):
        yield "there are not so many gaps"


def damaged(sentence, said):
    if int(said["n"]) > sentence.most(lambda one: len(one.way.damaged)):
        yield "there are not so many damaged packets"


def retransmitted(sentence, said):
    n, of = int(said["n"]), int(said["of"])
    if n > sentence.most(Direction.again):
        yield f"{sentence.most(Direction.again)} came again"
    if len(sentence.line["connections"]) < 8 and of != sentence.most(lambda one: len(one.way.requests)):
        yield f"there are {sentence.most(lambda one: len(one.way.requests))} requests"
    if int(said["p"]) != (n * 100 + of // 2) // of:
        yield "the percentage is another one"


def no_progress(sentence, said):
    lasted = max(one.lasted() for one in sentence.of)
    least, _ = nanoseconds(said[1], said[2])
    if least > lasted:
        yield f"it lasted {W.time(lasted)}"
    if said[3]:
        low, high = nanoseconds(said[3], said[4])
        if high < nanoseconds(said[1], said[2])[0] or low > lasted:
            yield f"it lasted {W.time(lasted)}"


def reacted(sentence, said):
    least, _ = nanoseconds(said[1], said[2])
    waited = max(one.waited() for one in sentence.of)
    if least > waited:
        yield f"from the NAKs to what they ask for it took {W.time(waited)}"


def more(sentence, said):
    if int(said["n"]) > len(sentence.all) - len(sentence.of):
        yield "there are no more"


def nothing(_sentence, _said):
    return ()


WHO = r"(?P<a>.+?) -> (?P<b>.+?)(?:, (?P<n>\d+) of (?P<all>\d+) connections?(?: shown)?)?"
MAYBE = r"(?: \(or [^)]+\))?(?:, (?=\d|at least))?"
SAYS = [(re.compile(words), ask) for words, ask in (
    (r"^(?P<b>.+?) refused (?:(?P<op>[A-Z][\w ]+?), )?PSN 0x(?P<psn>[0-9a-f]{6}), of (?P<a>.+?): (?P<error>[^,;]+)(?:, [^;]+)?"
     r"(?:; that ends the connection|; requests were refused on (?P<m>\d+) of \d+ connections?(?: shown)?)?(?=$|; and)", refused),
    (r"^(?P<b>.+?) had no receive posted for (?P<a>.+?)(?: on (?P<n>\d+) of (?P<all>\d+) connections?(?: shown)?)?: (?P<rnr>\d+) RNR NAKs?", not_ready),
    (rf"^{WHO}(?=: | died|, died)", ends),
    (r": ", nothing),
    (r",? died: (?:on one of them, )?PSN 0x(?P<psn>[0-9a-f]{6}) was sent (?P<n>\d+) times? without an answer", died),
    (r",? died: (?:on one of them, )?PSN 0x(?P<psn>[0-9a-f]{6}) got (?P<n>\d+) RNR NAKs?, as (?P<b>.+?) had no receive posted", rnr_died),
    (r", after DREQ and DREP had ended the connection", ended_before),
    (r", and the REQ allows (?P<n>\d+) retr(?:y|ies)", retries_are),
    (r"at least (?P<n>\d+) requests? lost after the capture point" + MAYBE, lost_after),
    (r"at least (?P<n>\d+) requests? lost before the capture point" + MAYBE, missing),
    (r"(?P<n>\d+) retransmissions? lost before the capture point" + MAYBE, missing),
    (r"(?P<n>\d+) requests? lost, or discarded because an earlier one was missing" + MAYBE, missing),
    (r"(?P<n>\d+) requests? lost or delayed at an unknown point" + MAYBE, missing),
    (r"(?P<n>\d+) requests? trimmed before the capture point, or lost after it" + MAYBE, lost_after),
    (r"(?P<n>\d+) requests? lost to damage \(bad ICRC\)" + MAYBE, damaged),
    (r"(?P<n>\d+) READs? with missing responses" + MAYBE, reads),
    (r"(?P<n>\d+) answers? lost after the capture point, discarded, or too late" + MAYBE, again),
    (r"(?P<n>\d+) needless retransmissions?: every copy was answered" + MAYBE, again),
    (r"(?P<n>\d+) requests? not answered in time" + MAYBE, again),
    (r"(?P<n>\d+) requests? retransmitted (?:although answered|, reason not known)" + MAYBE, again),
    (r"(?P<n>\d+) requests? retransmitted, reason not known" + MAYBE, again),
    (r"(?P<n>\d+) requests? duplicated" + MAYBE, again),
    (r"(?P<n>\d+) packets? out of order" + MAYBE, out_of_order),
    (r"(?P<n>\d+) gaps? in the PSNs" + MAYBE, gaps),
    (r"; (?P<n>\d+) of (?P<of>\d+) requests? retransmitted \((?P<p>\d+) %\)", retransmitted),
    (rf", (?:no progress for|one of them without progress for) {TIME}(?: of {TIME})?", no_progress),
    (rf"; {TIME} of that passed between NAKs and the retransmissions", reacted),
    (r"; and (?P<n>\d+) more directions?$", more),
)]


def of_sentence(line, directions):
    return claims.asked(SAYS, Sentence(line, directions), line["text"], lambda sentence: not sentence.of)


def faults(lines, sides, seen):
    """What is wrong with the verdict of a capture."""
    directions = [Direction(number, *way, seen) for number, ways in sides.items() for way in ways if way[0] or way[1]]
    for line in lines:
        for sentence in line["sentences"] if line["type"] == "verdict" else ():
            if sentence["state"] in STATES and "findings" not in sentence["numbers"]:
                yield from (f"verdict: {fault}: {sentence['text']}" for fault in of_sentence(sentence, directions))
