# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What the words of an incident claim, asked of the packets of its connection.

Every sentence of pcap-lint about an incident is made of phrases: "was lost before the capture point", "; 4 RNR NAKs from frame 8
on", "; answered in frame 12". Each phrase names something that is in the file, or that is not; SAYS has a row for each, and a
sentence with words of no row is a fault. No kind is worked out here (incidents.py does that): what is asked is only whether
the packets let it be true. So it can be asked of conversations in which requests conflict and PSNs jump, too.
"""
import re

import figures
import packet as P
import text_words as W

PSNS = 1 << 24
SEQUENCE, LEAST_REFUSAL, LAST_REFUSAL = 0x60, 0x61, 0x63
ACK, RNR, NAK = 0, 1, 3
TIMER_NS = 10**6
TIME = r"(?P<time>\d+(?:\.\d+)? (?:ns|us|ms|s))"


def after(psn, other):
    """How many PSNs @psn is after @other; before: less than 0."""
    return (psn - other + PSNS // 2) % PSNS - PSNS // 2


def code(packet):
    """What an AETH says: ACK, RNR, NAK; None: there is none."""
    return None if packet.syndrome is None else packet.syndrome >> 5


class Way:
    """The packets of a connection's direction that has the requests, and what answers them, in their order."""

    def __init__(self, half, other, known, seen):
        there, back = ([*one.packets] if one else [] for one in (half, other))
        damaged = [one for one in seen.values() if one.icrc == P.BAD and figures.is_request(one)]  # of whom, they may not say
        self.requests = [one for one in there if figures.is_request(one)]
        self.answers = [one for one in back if one.service in P.SERVICES and one.op not in P.REQUESTS]
        self.damaged, self.known = damaged, known
        self.at = {one.frame: one for one in sorted([*there, *back, *damaged], key=lambda one: one.frame)}
        self.times = [one.time for one in [*self.at.values(), *known.frames.values()]]

    def copies(self, psn, damaged):
        """Requests that have @psn in their range; with those that have a bad ICRC, whose PSN is as it may be."""
        found = [one for one in self.requests if 0 <= after(psn, one.psn) < (one.span or 1)]
        return sorted(found + [one for one in self.damaged if damaged and one.psn == psn], key=lambda one: one.frame)

    def runs_on(self):
        """Whether its times never go back."""
        times = [one.time for one in self.at.values()]
        return times == sorted(times)

    def covering(self, psn, read):
        """Answers that take @psn: an ACK or NAK none of a READ or an atomic."""
        return [one for one in self.answers if self.covers(one, psn, read)]

    @staticmethod
    def covers(one, psn, read):
        if read:
            return one.op in P.RESPONSES and one.psn == psn
        if one.op == P.ACKNOWLEDGE and code(one) in (RNR, NAK):
            return after(one.psn, psn) > 0
        return after(one.psn, psn) >= 0


class Claim:
    """An incident as pcap-lint tells it, and the packets."""

    def __init__(self, line, way):
        self.line, self.way, self.psn, self.frames = line, way, line["root_psn"], line["frames"]
        self.copies = way.copies(self.psn, line["kind"] == "damaged")
        self.root = way.at.get(self.frames["root"])
        self.read = self.root is not None and self.root.op == P.READ_REQUEST
        self.answers = way.covering(self.psn, self.root is not None and self.root.op in {P.READ_REQUEST, *P.ATOMICS})

    def before(self, frame):
        return [one for one in self.copies if frame is None or one.frame < frame]

    def time(self, key):
        frame = self.line["frame"] if key == "frame" else self.frames[key]
        return self.way.at[frame].time if frame in self.way.at else None

    def naks(self, kinds):
        return [one for one in self.way.answers if one.op == P.ACKNOWLEDGE and code(one) in kinds]


# What a phrase claims. Each gives what is wrong, or nothing.

def root_is(claim, said):
    if int(said["psn"], 16) != claim.psn:
        yield "the PSN is another one"
    if said["frame"]:
        one = claim.way.at.get(int(said["frame"]))
        if one is None or one not in claim.copies and one not in claim.way.damaged:
            yield "that frame is no copy of the request"


def lost_before(claim, _):
    seen = [one for one in claim.before(claim.frames["resent"]) if one.frame < claim.line["frame"]]
    # An earlier use of the PSN is none of it.
    if seen and claim.time("frame") - seen[-1].time < 10**9 and not any(after(one.psn, claim.psn) < 0 and one.frame > seen[-1].frame
                                                                      for one in claim.way.requests if one.frame < claim.line["frame"]):
        yield f"frame {seen[-1].frame} is a copy"


def resend_lost_before(claim, _):
    if not claim.before(claim.frames["resent"]):
        yield "no earlier copy is in the file"


def lost_after(claim, _):
    lost, nak = claim.way.at.get(claim.frames["lost"]), [one for one in claim.naks((NAK,)) if one.psn == claim.psn]
    if lost is None or lost not in claim.copies:
        yield "the copy that was lost is not in the file"
    elif not any(one.frame > lost.frame for one in nak):
        yield "no NAK asks for it after that"


def discarded(claim, _):
    if not claim.before(claim.frames["resent"]):
        yield "no copy was captured"


def lacks_responses(claim, _):
    if claim.root is not None and not claim.read:
        yield "it is no READ"
    early = [one for one in claim.answers if claim.root and claim.root.frame < one.frame < (claim.frames["notice"] or one.frame)]
    if claim.read and early:
        yield f"frame {early[0].frame} is the response"


def answered_before(claim, _):
    """A resend although an answer is in the file."""
    again = claim.frames["resent"] or claim.frames["notice"]
    if not any(one.frame < again for one in claim.answers):
        yield "no answer was captured before the resend"
    if not any(one.frame >= again for one in claim.copies):
        yield "no resend was captured"


def every_copy_answered(claim, _):
    copies = [one for one in claim.copies if one.frame <= (claim.frames["last"] or one.frame)]
    answers = [one for one in claim.answers if copies and one.frame > copies[0].frame]
    if len(copies) < 2 or len(answers) < len(copies):
        yield f"{len(copies)} copies and {len(answers)} answers were captured"


def no_answer_before(claim, _):
    notice = claim.frames["notice"]
    began = claim.root.frame if claim.root else claim.line["frame"]
    early = [one for one in claim.answers if began < one.frame < notice] if notice else []
    if early:
        yield f"frame {early[0].frame} answers it before frame {notice}"


def doubled(claim, _):
    if len(claim.copies) < 2 and "holes" not in claim.line["doubt"]:
        yield "there is one copy"


def late(claim, _):
    if not claim.line["response"] and not claim.copies:
        yield "it never came"


def is_missing(claim, _):
    if [one for one in claim.before(claim.line["frame"]) if claim.time("frame") - one.time < 10**9 and one.psn == claim.psn]:
        yield "it was captured"


def not_ready(claim, _):
    if not claim.naks((RNR,)):
        yield "there is no RNR NAK"


def refused(claim, said):
    nak = claim.way.at.get(int(said["frame"]))
    if nak is None or nak.psn != claim.psn or nak.syndrome is None or nak.syndrome >> 5 != NAK or nak.syndrome == SEQUENCE:
        yield "that frame refuses nothing of it"


def never_answered(claim, _):
    last = max((one.frame for one in claim.copies if one.frame <= (claim.frames["last"] or one.frame)), default=claim.line["frame"])
    until = [one for one in claim.answers if one.frame > last]
    if until and claim.line["kind"] == "retries" and claim.way.at[last].time + 10**9 > until[0].time:
        yield f"frame {until[0].frame} answers it"
    if claim.frames["end"] is not None:
        yield "it has an end"


def copies_are(claim, said):
    """Of a READ it counts, too, when the rest of its responses was asked for."""
    reads = [one for one in claim.way.requests if claim.read and one.op == P.READ_REQUEST
             and 0 <= after(one.psn, claim.root.psn) < claim.root.span]
    if int(said["n"]) != claim.line["copies"] or int(said["n"]) > max(len(claim.copies), len(reads)):
        yield f"{len(claim.copies)} copies were captured, {claim.line['copies']} counted"


def retries_are(claim, said):
    if claim.way.known.retries != int(said["n"]):
        yield f"the REQ says {claim.way.known.retries}"


def naks_are(claim, said):
    nak = claim.way.at.get(int(said["frame"]))
    kinds = (RNR,) * bool(said["rnr"]) + (NAK,) * bool(said["nak"] or said["one"])
    if nak is None or nak not in claim.naks(kinds):
        yield "that frame is no such NAK"
        return
    for key, kind in (("rnr", RNR), ("nak", NAK)):
        there = sum(one.frame >= nak.frame for one in claim.naks((kind,)))
        if said[key] and int(said[key]) > there:
            yield f"only {there} of them are in the file from there on"


def resent_later(claim, said):
    again, nak = claim.way.at.get(int(said["frame"])), claim.way.at.get(claim.frames["nak"])
    if again not in claim.copies:
        yield "that frame is no copy of the request"
    elif nak is None or again.frame <= nak.frame:
        yield "no NAK came before it"
    elif claim.way.runs_on() and said["time"] != W.time(again.time - nak.time):
        yield "the time between NAK and resend is another one"


def resent_in(claim, said):
    again = claim.way.at.get(int(said["frame"]))
    if again not in claim.copies:
        yield "that frame is no copy of the request"
    elif not any(one.frame < again.frame for one in claim.way.requests if after(one.psn + (one.span or 1), claim.psn) > 0):
        yield "nothing at or after that PSN was sent before"


def by_timer(claim, said):
    yield from resent_in(claim, said)
    if not claim.line["timers"]:
        yield "no timer is counted"
    run = [one for one in claim.way.requests if one.frame <= int(said["frame"])]
    while len(run) > 1 and 0 < after(run[-1].psn, run[-2].psn) and run[-1].time - run[-2].time < TIMER_NS:  # back to where it began
        run.pop()
    earlier = [one for one in claim.way.at.values() if one.frame < run[-1].frame] if run else []
    if earlier and run[-1].time - earlier[-1].time < TIMER_NS:
        yield f"nothing paused before frame {run[-1].frame}, from which on the packets were sent one after another"


def packets_resent(claim, said):
    again = sum(one.frame >= claim.line["frame"] for one in claim.way.requests)
    if int(said["n"]) > again:
        yield f"only {again} requests are there from frame {claim.line['frame']} on"


def answered_in(claim, said):
    end = claim.way.at.get(int(said["frame"]))
    reads = [one for one in claim.copies if one.op == P.READ_REQUEST]  # else another request has its PSN, too
    if end is None or end not in claim.way.answers:
        yield "that frame answers nothing of this direction"
    elif claim.root is not None and end not in claim.way.covering(claim.psn, claim.read and len(reads) == len(claim.copies)) and claim.line["kind"] not in ("answer-lost", "spurious", "late", "doubled"):
        yield "that frame does not answer it"


def took(claim, said):
    if said["time"] != W.time(claim.line["ns"]["lost"]):
        yield f"it took {claim.line['ns']['lost']} ns"
    if claim.line["ns"]["lost"] > max(claim.way.times) - min(claim.way.times):
        yield "the connection has no such time"


def no_answer_after_dreq(claim, _):
    dreq = claim.way.known.dreq
    if dreq is None:
        yield "there is no DREQ"
    elif any(one.frame > dreq.frame for one in claim.answers):
        yield "there is one"


def nothing_more(claim, _):
    last = max((one.frame for one in claim.copies), default=0)
    last = max(last, claim.frames["last"] or 0)  # of others that were sent again with it
    more = [one for one in claim.way.answers if one.frame > last]
    if more:
        yield f"frame {more[0].frame} is from there"


def nothing(_claim, _said):
    return ()


# (phrase, what it claims). They follow one another from the beginning of the sentence to its end.
SAYS = [(re.compile(words), ask) for words, ask in (
    (r"^(?:(?P<op>(?:RC|UC|XRC) [A-Za-z ]+?) )?psn 0x(?P<psn>[0-9a-f]{6})(?: \(frame (?P<frame>\d+)\))? ", root_is),
    (r"was lost before the capture point(?: \(or not captured\))?", lost_before),
    (r"had its retransmission lost before the capture point(?: \(or not captured\))?", resend_lost_before),
    (r"was lost after the capture point(?: \(or discarded there\))?", lost_after),
    (r"was lost, or discarded because an earlier one was missing", discarded),
    (r"was lost to damage \(bad ICRC\)", nothing),  # sound() of incidents_oracle.py looks at the ICRC
    (r"was trimmed before the capture point, or lost after it", lost_after),
    (r"was lost or delayed at an unknown point", nothing),
    (r"is missing responses(?: \(or not captured\))?", lacks_responses),
    (r"had its answer lost after the capture point, discarded, or too late", answered_before),
    (r"was retransmitted although answered", answered_before),
    (r"was retransmitted needlessly: every copy was answered", every_copy_answered),
    (r"was not answered in time(?: \(or the answers were not captured\))?", no_answer_before),
    (r"was retransmitted, reason not known(?: \(or the answers were not captured\))?", nothing),
    (r"had no answer yet when later ones were retransmitted, reason not known(?: \(or the answers were not captured\))?", nothing),
    (r"was duplicated", doubled),
    (r"was out of order|got a response out of order", late),
    (r"is missing(?: \(or not captured\))?", is_missing),
    (r"found no receive posted", not_ready),
    (r"was refused in frame (?P<frame>\d+): .*$", refused),
    (r"was never answered|; never answered", never_answered),
    (r"; sent (?P<n>\d+) times?", copies_are),
    (r", and the REQ allows (?P<n>\d+) retr(?:y|ies)", retries_are),
    (r"; (?:(?P<rnr>\d+) RNR NAKs?)?(?: and )?(?:(?P<nak>\d+) NAKs?|(?P<one>NAK))? (?:from|in) frame (?P<frame>\d+)(?: on)?", naks_are),
    (rf", retransmitted {TIME} later \(frame (?P<frame>\d+)\)", resent_later),
    (r"; retransmitted in frame (?P<frame>\d+)", resent_in),
    (r"; retransmitted by timer in frame (?P<frame>\d+)", by_timer),
    (r"; (?P<n>\d+) packets retransmitted", packets_resent),
    (r"; answered in frame (?P<frame>\d+)", answered_in),
    (rf": {TIME} without progress$", took),
    (r", no answer after the DREQ: the queue pair at \S+ is gone", no_answer_after_dreq),
    (r", \S+ answers on other connections: the queue pair is gone, or only its packets are lost", nothing),
    (r", nothing at all from (?P<peer>\S+) any more", nothing_more),
    (rf", nothing at all from \S+ for {TIME}, then again(?:: as by a cut link)?", nothing),
)]


def asked(says, claim, text, is_over=lambda _: False):
    """What is wrong with the phrases of a sentence, each by its row, up to where the claim is over."""
    at = 0
    while at < len(text):
        for words, ask in says:
            said = words.match(text, at)
            if said and said.end() > at:
                yield from (f"'{said[0].strip()}': {fault}" for fault in ask(claim, said))
                at = said.end()
                break
        else:
            yield f"no claim is known of '{text[at:]}'"
            return
        if is_over(claim):
            return


def faults(line, way):
    """What is wrong with the sentence of an incident."""
    yield from asked(SAYS, Claim(line, way), line["text"])
