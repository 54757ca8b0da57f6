#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""verdict.py PCAP-LINT MADE [COUNT]: what the verdict of each capture says, and what proves it.

In all captures, of pcaps/ and those that pcaps/make wrote to MADE, and in COUNT random conversations:
- each number of a sentence is what the incidents, the directions they are on, and the findings at level warning or error of the
  same run give, and each number in its text is one of these;
- a sentence about connections names one that has incidents of its state, whose rule is found at level warning or error, and the
  two ends as the packets went.
What the first sentence has to be about is in data/first_sentence.txt, written from what was done to the captures. Of the other real
ones, data/impaired.txt says which are healthy, and which rules may be found in those: nothing died, was refused or lost there.
"""
import collections
import fnmatch
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/oracles")]
sys.dont_write_bytecode = True

import first_fault  # noqa: E402
import parallel  # noqa: E402
import random_scenarios  # noqa: E402

SCENARIOS = 20
OPTIONS = ["--format", "json", "--stats", "--severity", "note", "--max-per-rule", "0", "--fail-on", "never", "--progress", "never"]
SHOWN = 60
FAMILIES = ("rxe", "faults", "ulp", "siw", "linux")  # of data/impaired.txt
OTHER_END = {"a_to_b": ("a", "b"), "b_to_a": ("b", "a")}
STATES = {
    "dead": {"retries"}, "refused": {"refused"}, "not-ready": {"rnr"}, "slow": {"spurious", "doubled", "late"},
    "lost": {"lost-before", "resend-lost-before", "discarded", "lost-after", "damaged", "trimmed", "lost", "response-missing",
             "answer-lost", "no-answer", "uc-gap"},
}
ORDER = ["dead", "refused", "not-ready", "lost", "slow", "commands", "congested", "cm", "mad", "malformed", "other"]
# Which end a sentence names first: the one that sends the requests, or the one that answers.
ANSWERS_FIRST = {"refused", "not-ready"}
UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
TIME = re.compile(r"\b(\d+(?:\.\d+)?) (ns|us|ms|s)\b")
PERCENT = re.compile(r"\((\d+) %\)")
RULE = re.compile(r"\b[A-Z]{3}\d{3}\b")
PSN = re.compile(r"PSN 0x([0-9a-f]{6})")
NUMBER = re.compile(r"(?<![\w.:])\d+(?![\w.:]*\w)")
CONNECTIONS = re.compile(r"\b(\d+) of (\d+) connections?")
# How many incidents of a kind there are, in words; each is said of some capture.
KINDS = {
    "lost-before": re.compile(r"(\d+) requests? lost before the capture point"),
    "resend-lost-before": re.compile(r"(\d+) retransmissions? lost before the capture point"),
    "lost-after": re.compile(r"(\d+) requests? lost after the capture point"),
    "damaged": re.compile(r"(\d+) requests? lost to damage"),
    "discarded": re.compile(r"(\d+) requests? lost, or discarded"),
    "trimmed": re.compile(r"(\d+) requests? trimmed"),
    "lost": re.compile(r"(\d+) requests? lost or delayed"),
    "response-missing": re.compile(r"(\d+) READs? with missing responses"),
    "answer-lost": re.compile(r"(\d+) answers? lost"),
    "answer-lost unasked": re.compile(r"(\d+) requests? retransmitted although answered"),
    "no-answer unasked": re.compile(r"(\d+) requests? retransmitted, reason not known"),
    "no-answer": re.compile(r"(\d+) requests? not answered in time"),
    "spurious": re.compile(r"(\d+) needless retransmissions?"),
    "doubled": re.compile(r"(\d+) requests? duplicated"),
    "late": re.compile(r"(\d+) packets? out of order"),
    "uc-gap": re.compile(r"(\d+) gaps? in the PSNs"),
}
CM = re.compile(r"connection management, (?P<a>.+?) -> (?P<b>.+?): messages of (?P<n>\d+) of (?P<all>\d+) connections? were repeated"
                r"(?:, up to (?P<open>[\d.]+ \w+) to open)?(?:, up to (?P<close>[\d.]+ \w+) to close)?; ")
PROTOCOLS = {"NVMe": "NVMe-oF", "SRP": "SRP", "iSER": "iSER", "RPC": "RPC-over-RDMA", "SMB Direct": "SMB Direct"}
COMMANDS = re.compile(rf"commands, (?P<a>.+?) -> (?P<b>.+?): (?:(?P<failed>\d+) of (?P<all>\d+) (?P<noun>{'|'.join(PROTOCOLS)}) commands? failed, "
                      r"(?:the first )?(?P<first>[^:]+): (?P<status>[^;]+?)(?=; |, \d+ not answered))?(?:, )?"
                      rf"(?:(?P<unanswered>\d+)(?: of (?P<all2>\d+) (?P<noun2>{'|'.join(PROTOCOLS)}) commands?)? not answered before the connection was "
                      r"closed, (?:the first )?(?P<open>[^;]+))?; ")
REJECTED = re.compile(r"connection management, (?P<a>.+?) -> (?P<b>.+?): (?P<n>\d+) of (?P<all>\d+) connections? rejected(?P<first>, the first)?"
                      r"(?: \((?P<service>[^)]+)\))? with (?:reason|status) (?P<reason>\d+)(?:, (?P<words>[^;:]+))?(?:: (?P<upper>[^;]+))?; ")
TERMINATE = re.compile(r"(?P<a>\S+) port \d+ refused (?P<what>.+), of (?P<b>\S+) port \d+: (?P<why>.+?); that ends the connection"
                       r"(?:; and (?P<more>\d+) more directions?)?; ")
HELD_UP = re.compile(r"(?P<a>\S+) port \d+ -> (?P<b>\S+) port \d+: (?P<what>.+?)(?:; and (?P<more>\d+) more directions?)?; IWP029")
IWARP = {"refused": "IWP019", "slow": "IWP029"}
MANAGED = ("cm", "mad", "rmpp", "congestion", "segment-lost")
CM_WAITS = ("CMS003", "CMS004", "CMS009", "CMS011")
# What pcap-lint gets wrong, words of a fault each, until it is mended.
OPEN = ()
LIKEWISE = re.compile(r"; and (\d+) more directions?")


class Run:
    """What pcap-lint printed of one capture."""

    def __init__(self, lint, path):
        run = subprocess.run([lint, *OPTIONS, str(path)], stdout=subprocess.PIPE, text=True, check=False)
        lines = collections.defaultdict(list)
        for line in run.stdout.splitlines():
            one = json.loads(line)
            lines[one["type"]].append(one)
        self.verdicts, self.incidents = lines["verdict"], lines["incident"]
        self.flows = {flow["connection"]: flow for flow in lines["flow"]}
        self.cm, self.commands, self.findings = lines["cm"], lines["command"], lines["finding"]
        firm = [one for one in lines["finding"] if one["severity"] in ("warning", "error")]
        self.firm = collections.Counter(one["rule"] for one in firm)
        self.of_connections = {(one["connection"], one["rule"]) for one in firm}
        self.of_incidents = {one["incident"] for one in firm}
        self.of_flows = {(one["flow"], one["rule"]) for one in firm}
        self.duration = sum(round(one["duration"] * 1e9) for one in lines["summary"])

    def is_proved(self, one):
        """By a finding of its connection, of the rule that it names; of a conversation of the CM, and of MADs, of that; of iWARP, of its direction."""
        if one["kind"] == "segment-lost":
            return (one["flow"], one["rule"]) in self.of_flows
        if one["kind"] in MANAGED:
            return one["incident"] in self.of_incidents
        return (one["connection"], one["rule"]) in self.of_connections

    def sides(self):
        """{(connection, direction): its incidents that a finding proves}"""
        found = {}
        for one in self.incidents:
            if one["kind"] not in MANAGED and self.is_proved(one):
                found.setdefault((one["connection"], one["direction"]), []).append(one)
        return found


def is_unasked(one):
    """Sent again, and neither a timer nor a NAK is known to be the reason."""
    return one["kind"] in ("answer-lost", "no-answer") and one["rule"] == "QPS003"


def state_of(one):
    return "slow" if is_unasked(one) else next(state for state, kinds in STATES.items() if one["kind"] in kinds)


class Side:
    """A direction of a connection: what is said of it in one sentence. What is slow where something is lost is said with that."""

    def __init__(self, run, connection, way, incidents, state):
        flow = run.flows[connection]
        src, dst = OTHER_END[way]
        self.connection, self.way, self.flow = connection, way, flow
        self.src, self.dst = flow[src], flow[dst]
        states = {state_of(one) for one in incidents}
        here = {"lost": {"lost", "slow"}, "slow": {"slow"} - {"slow" for other in states if other == "lost"}}.get(state, {state})
        self.incidents = [one for one in incidents if state_of(one) in here] if state in states else []
        self.figures = flow[way]
        self.ns = sum(one["ns"]["lost"] for one in self.incidents)

    def hosts(self):
        return self.src["address"], self.dst["address"]


def end_text(end, with_qp):
    return end["address"] + (f" qp {'?' if end['qpn'] is None else end['qpn']}" if with_qp else "")


def names(side, state, text, alone):
    """Whether the two ends are named, each in its place."""
    src, dst = end_text(side.src, alone), end_text(side.dst, alone)
    if state == "refused":
        return text.startswith(f"{dst} refused ") and f" of {src}" in text
    if state == "not-ready":
        return text.startswith(f"{dst} had no receive posted for {src}")
    return re.match(re.escape(f"{src} -> {dst}") + r"(?![\w?])", text) is not None


def is_time(value, unit, times):
    """Whether a time, rounded to the digits that are shown, is one of these."""
    digits = len(value.partition(".")[2])
    shown, scale = int(value.replace(".", "")), UNITS[unit]
    return any((2 * ns * 10**digits + scale) // (2 * scale) == shown for ns in times)


def percent(part, whole):
    return (part * 100 + whole // 2) // whole if whole else 0


def of_connections(run, sentence):
    """[what is wrong] with a sentence about connections."""
    state, text, numbers = sentence["state"], sentence["text"], sentence["numbers"]
    everything = [Side(run, *place, incidents, state) for place, incidents in sorted(run.sides().items())]
    candidates = [side for side in everything if side.incidents]
    if not candidates:
        return ["no connection has such an incident that a finding proves"]
    listed = [side for side in candidates if side.connection in sentence["connections"]]
    if {side.connection for side in listed} != set(sentence["connections"]) or not listed:
        return [f"of the connections {sentence['connections']} some have no such incident"]
    several = re.search(r"\d+ of \d+ connections?", text)
    named = [side for side in listed if names(side, state, text, several is None)]
    if not named:
        return ["it names other ends than the requests have, or the wrong way round"]
    group = [side for side in candidates if side.hosts() == named[0].hosts()]
    if several is None and len(group) > 1 or several and len(group) == 1:
        return [f"{len(group)} directions between these hosts have such incidents"]
    costliest = max(group, key=lambda side: side.ns)
    wrong = [f"{key} is {numbers.get(key, 0)}, by the other lines {want}" for key, want in expected(group, state).items()
             if numbers.get(key, 0) != want]
    least, most = (max(of(one["ns"]["lost"] for one in side.incidents) for side in group) for of in (max, sum))
    if state in ("dead", "refused"):
        least = most = 0
    if not least <= numbers.get("ns", 0) <= most:  # what goes on at once counts once: tests/oracles/verdict_claims.py
        wrong.append(f"ns is {numbers.get('ns', 0)}, by the other lines {least} to {most}")
    if not numbers.get("ns", 0) <= numbers.get("of_ns", run.duration) + 1000 or numbers.get("of_ns", 0) > run.duration + 1000:
        wrong.append(f"{numbers.get('ns')} ns of {numbers.get('of_ns')}, and the file has {run.duration}")
    return [*wrong, *in_text(run, sentence, group, candidates, costliest)]


def expected(group, state):
    """The numbers of a sentence about these directions."""
    want = {"incidents": sum(len(side.incidents) for side in group)}
    if state in ("dead", "refused"):
        return {**want, "resent": 0, "requests": 0}
    resent = sum(one["packets_resent"] for side in group for one in side.incidents)
    requests = sum(side.figures["request_packets"] for side in group)
    return {**want, "resent": resent, "requests": requests if resent else 0}


def causes(text, group):
    """Words of a cause that an incident has to have."""
    spurious = [one for side in group for one in side.incidents if one["kind"] == "spurious"]
    if "the timer is shorter" in text and not all(one["timers"] for one in spurious):
        yield f"no timer sent {[one['frame'] for one in spurious if not one['timers']]} again"


def of_ended(run, dead, text):
    """Whether it says that the connection had ended before the request that was not answered, and it had."""
    told = int(PSN.search(text)[1], 16)
    first = min((one for one in dead if one["root_psn"] == told), key=lambda one: one["frame"])
    dreps = [message[0] for one in run.cm if one["connection"] == first["connection"] for message in one["messages"] if message[2] == "DREP"]
    ended = bool(dreps) and dreps[0] < first["frames"]["root"]
    if (", after DREQ and DREP had ended the connection" in text) != ended:
        yield f"the request is of frame {first['frames']['root']}, and the DREPs are of {dreps}"


def in_text(run, sentence, group, candidates, costliest):
    """Numbers, times and PSNs of the text that nothing gives."""
    state, text, numbers = sentence["state"], sentence["text"], sentence["numbers"]
    yield from causes(text, group)
    ends = {end_text(end, qp) for side in group for end in (side.src, side.dst) for qp in (True, False)}
    for end in sorted(ends, key=len, reverse=True):
        text = text.replace(end, "@")
    of_state = [one for side in group for one in side.incidents if state_of(one) == state]
    waited = sum(one["ns"]["resent"] for one in costliest.incidents if one["naks"] and one["frames"]["resent"] and state_of(one) == "lost")
    for value, unit in TIME.findall(text):
        if not is_time(value, unit, [numbers.get("ns", -1), numbers.get("of_ns", -1), waited]):
            yield f"{value} {unit} is no time of it"
    for value in PERCENT.findall(text):
        if int(value) != percent(numbers.get("resent", 0), numbers.get("requests", 0)):
            yield f"{value} % is no percentage of it"
    for psn in PSN.findall(text):
        if int(psn, 16) not in {one["root_psn"] for one in of_state}:
            yield f"PSN 0x{psn} is of no such incident"
    hosts = set(group[0].hosts())
    between = [flow for flow in run.flows.values() if {flow["a"]["address"], flow["b"]["address"]} == hosts]
    for part, whole in CONNECTIONS.findall(text):
        if int(part) != len(group) or int(whole) not in (len(between), len(group)):
            yield f"{part} of {whole} connections: {len(group)} of {len(between)}"
    for more in LIKEWISE.findall(text):
        if int(more) != len(candidates) - len(group):
            yield f"likewise {more} directions: {len(candidates) - len(group)}"
    for pattern in (TIME, PERCENT, PSN, CONNECTIONS, LIKEWISE):
        text = pattern.sub("@", text)
    kinds = collections.Counter(one["kind"] + " unasked" * is_unasked(one) for side in group for one in side.incidents)
    if state in ("lost", "slow"):
        for kind, words in KINDS.items():
            told = sum(int(n) for n in words.findall(text))
            if told != kinds[kind]:
                yield f"{told} of kind {kind}, and there are {kinds[kind]}"
    right = {*numbers.values(), *kinds.values(), sum(one["rnr"] for side in group for one in side.incidents)}
    right |= {one[key] for one in of_state for key in ("copies", "rnr")} if state == "dead" else set()
    if state == "dead" and not any(one["rnr"] for one in of_state):
        yield from of_ended(run, of_state, sentence["text"])
    retries = re.search(r"sent (\d+) times? .* allows (\d+) retr", text)
    if retries:
        if int(retries[1]) <= int(retries[2]):
            yield f"died with {retries[1]} copies, and {retries[2]} retries are allowed"
        right.add(int(retries[2]))
    yield from (f"{number} is no number of it" for number in NUMBER.findall(text) if int(number) not in right)


def is_repeated(run, one):
    """Whether a message of a conversation came more than once, and that was not captured twice."""
    return one["retries"] and "captured-twice" not in run.flows.get(one["connection"], {"doubt": []})["doubt"]


def of_rejected(run, sentence):
    """[what is wrong] with what is said of rejected connections: by the conversations, and by what the finding of the first one says."""
    said, numbers = REJECTED.match(sentence["text"]), sentence["numbers"]
    rejected = sorted((one for one in run.cm if one["state"] == "rejected"), key=lambda one: one["first_frame"])
    between = [one for one in run.cm if (one["a"]["address"], one["b"]["address"]) == (said["a"], said["b"])]
    those = [one for one in between if one["state"] == "rejected"]
    want = {"rejected": len(those), "connections": len(between)}
    wrong = [f"{numbers}, the conversations have {want}"] if {key: numbers.get(key, 0) for key in want} != want else []
    if (int(said["n"]), int(said["all"])) != (len(those), len(between)) or bool(said["first"]) != (len(those) > 1):
        wrong.append(f"{said[0]}: {want}")
    if not rejected or rejected[0] not in those or (rejected[0]["service"], rejected[0]["reason"]) != (said["service"], int(said["reason"])):
        return [*wrong, f"{said[0]}: the first one is {rejected[:1]}"]
    told = [f["message"] for f in run.findings if f["rule"] == "CMS005" and rejected[0]["first_frame"] <= f["frame"] <= rejected[0]["last_frame"]]
    if said["words"] and not any(said["words"] in text for text in told):
        wrong.append(f"{said['words']!r} is in no finding: {told}")
    if not any((said["upper"] or "") in text and ("refused: " in text) == bool(said["upper"]) or "SIDR" in text for text in told):
        wrong.append(f"{said['upper']!r}, the finding has {told}")
    return wrong


def of_conversations(run, sentence):
    """[what is wrong] with what is said of the CM between two hosts: by the conversations, and by what their connections lack."""
    said = CM.match(sentence["text"])
    numbers = {key: sentence["numbers"].get(key, 0) for key in ("repeated", "connections", "open_ns", "close_ns")}
    retried = [one for one in run.cm if is_repeated(run, one)]
    if REJECTED.match(sentence["text"]):
        return of_rejected(run, sentence)
    if not said:
        may = retried and any(run.firm[rule] for rule in CM_WAITS)
        return ["nothing is said of messages that came more than once"] if may else ["it has numbers without words"] if any(numbers.values()) else []
    between = [one for one in run.cm if (one["a"]["address"], one["b"]["address"]) == (said["a"], said["b"])]
    again = [one for one in between if is_repeated(run, one)]
    want = {"repeated": len(again), "connections": len(between),
            **{key: max((one[step] or 0 for one in again), default=0) for key, step in (("open_ns", "req_to_rep"), ("close_ns", "dreq_to_drep"))}}
    wrong = [f"{numbers}, the conversations have {want}"] if numbers != want else []
    if (int(said["n"]), int(said["all"])) != (numbers["repeated"], numbers["connections"]):
        wrong.append(f"{said['n']} of {said['all']}")
    for key, name in (("open_ns", "open"), ("close_ns", "close")):
        if bool(said[name]) != bool(numbers[key]) or said[name] and not is_time(*said[name].split(), [numbers[key]]):
            wrong.append(f"{said[name]} to {name}, {numbers[key]} ns")
    most = max((one["retries"] for one in retried), default=0)
    return wrong + ([] if any(one["retries"] == most for one in again) else ["of other hosts more came more than once"])


ALSO = {"ULP010": ("ULP016", "ULP025")}  # what says that a command failed, too: an RDMA_ERROR, a login


def of_commands(run, sentence):
    """[what is wrong] with what is said of commands between two hosts: by the commands, and by the findings that are about them."""
    said, numbers = COMMANDS.match(sentence["text"]), sentence["numbers"]
    about = {rule: {f["frame"] for f in run.findings if f["rule"] in (rule, *ALSO.get(rule, ())) and f["severity"] == "warning"}
             for rule in ("ULP004", "ULP010")}
    told = [one for one in run.commands if one["end"] in about["ULP010"] or one["outcome"] == "closed" and one["frame"] in about["ULP004"]]
    if not said:
        return ["nothing is said of commands that failed"] if told else []
    protocol = PROTOCOLS[said["noun"] or said["noun2"]]
    between = [one for one in run.commands if one["protocol"] == protocol
               and [run.flows[one["connection"]][end]["address"] for end in "ab"] in ([said["a"], said["b"]], [said["b"], said["a"]])]
    failed = [one for one in between if one["end"] in about["ULP010"] and one["outcome"] == "answered"]
    failed.sort(key=lambda one: one["end"])
    closed = [one for one in between if one["outcome"] == "closed" and one["frame"] in about["ULP004"]]
    want = {key: n for key, n in (("commands", len(between)), ("failed", len(failed)), ("unanswered", len(closed))) if n}
    wrong = [f"{numbers}, the commands have {want}"] if {key: numbers[key] for key in want.keys() & numbers.keys()} != want else []
    of = {"failed": said["failed"], "unanswered": said["unanswered"], "commands": said["all"] or said["all2"]}
    wrong += [f"{key}: {n}" for key, n in of.items() if int(n or 0) != want.get(key, 0)]
    for which, those in (("first", failed), ("open", closed)):
        names = [one["name"] + {None: "", 0: " of the admin queue"}.get(one["queue"], f" of queue {one['queue']}") for one in those]
        if said[which] and said[which] != names[0]:
            wrong.append(f"{said[which]} is not the first of {names}")
    if said["status"] and said["status"] != failed[0]["status"]:
        wrong.append(f"{said['status']} is not the status of the first")
    return wrong


def is_iwarp(sentence):
    return sentence["state"] in IWARP and "findings" in sentence["numbers"]


def longest(text):
    """The longest time in it, in ns."""
    return max((float(n) * UNITS[unit] for n, unit in TIME.findall(text)), default=0)


def of_tcp(run, sentence):
    """[what is wrong] with what is said of a direction over TCP: it is what a finding has, the one with the longest time."""
    said = HELD_UP.match(sentence["text"])
    told = [f["message"] for f in run.findings if f["rule"] == "IWP029" and f["severity"] == "warning"]
    if not said:
        return ["it does not say what TCP did"]
    wrong = [] if said["what"] in told and longest(said["what"]) == max(map(longest, told)) else [f"the findings have {told}"]
    if int(said["more"] or 0) != len(told) - 1:
        wrong.append(f"{said['more']} more, and there are {len(told)}")
    return wrong


def of_congestion(run, sentence):
    """[what is wrong] with what is said of marks and CNPs: it is what all incidents of them have."""
    mine = [one for one in run.incidents if one["kind"] == "congestion"]
    marks, cnps, n = sum(one["marks"] for one in mine), sum(one["cnps"] for one in mine), len({one["connection"] for one in mine})
    words = f"congestion, {n} connection{'s' if n > 1 else ''}: " + (f"{marks} packet{'s' if marks > 1 else ''} marked CE, " if marks else "")
    words += f"{cnps} CNP{'s' if cnps > 1 else ''}; " if cnps else "no CNP known to be about them; "
    want = {"connections": n, "marks": marks, "cnps": cnps}
    wrong = [] if sentence["text"].startswith(words if mine else "congestion: ") else [f"it should begin {words!r}"]
    return wrong + [f"{key}: {sentence['numbers'].get(key, 0)}, should be {value}" for key, value in want.items()
                    if sentence["numbers"].get(key, 0) != value]


def of_terminates(run, sentence):
    """[what is wrong] with what is said of a message that an end of iWARP refuses: by the findings, which name the same message and reason."""
    said = TERMINATE.match(sentence["text"])
    if not said:
        return ["it does not say what is refused"]
    told = [f["message"] for f in run.findings if f["rule"] == "IWP019"]
    wrong = [] if told and said["why"] in told[0] and (said["what"] == "a message" or f"refused is the {said['what']}" in told[0]) else [
        f"the first finding has {told[:1]}"]
    if int(said["more"] or 0) != len(told) - 1:
        wrong.append(f"{said['more']} more, and there are {len(told)}")
    return wrong


def texts():
    """{rule: when it fires}, as somebody has read it."""
    found = {}
    for block in (ROOT / "tests/data/rule_texts.txt").read_text().split("\n\n"):
        said = re.search(r"^(\w+) text: (.*(?:\n    .*)*)", block, re.M)
        if said:
            found[said[1]] = re.sub(r"\n    ", " ", said[2])
    return found


TEXTS = texts()


def in_words(run, sentence):
    """[what is wrong] with how a sentence of nothing but findings says what was found."""
    first = RULE.search(sentence["text"])[0]
    begins = {"malformed": "malformed packets: ", "other": "" if sentence is run.verdicts[0]["sentences"][0] else "also found: "}
    want = f"{begins[sentence['state']]}{TEXTS[first]} ({first} "
    return [] if sentence["text"].startswith(want) else [f"it does not begin with {want!r}"]


def of_rules(run, sentence):
    """[what is wrong] with a sentence about findings."""
    text = sentence["text"]
    said = RULE.findall(text)
    if not said:
        return ["no rule is named"]
    wrong = [f"{rule}: {run.firm[rule]} findings, and it is named" for rule in said if not run.firm[rule]]
    for rule in said:
        count = next(filter(None, (re.search(form, text) for form in (
            rf"(\d+) [\w-]+ \({rule}\)", rf"{rule} [\w-]+ \((\d+)\)", rf"\({rule} [\w-]+, (\d+)\)"))), None)
        if not count or int(count[1]) != run.firm[rule]:
            wrong.append(f"{rule}: {count[1] if count else 'no number'}, and {run.firm[rule]} are found")
    more = re.search(r" and (\d+) of other rules", text)
    if sentence["numbers"].get("findings") != sum(run.firm[rule] for rule in said) + (int(more[1]) if more else 0):
        wrong.append(f"{sentence['numbers']}: the rules that are named have {sum(run.firm[rule] for rule in said)}")
    if more and int(more[1]) > sum(run.firm.values()) - sum(run.firm[rule] for rule in said):
        wrong.append(f"{more[1]} of other rules: there are not so many")
    if sentence["state"] in ("malformed", "other"):
        wrong += in_words(run, sentence)
    if sentence["state"] == "cm":
        wrong += of_conversations(run, sentence)
    if sentence["state"] == "commands":
        wrong += of_commands(run, sentence)
    if is_iwarp(sentence):
        wrong += of_terminates(run, sentence) if sentence["state"] == "refused" else of_tcp(run, sentence)
    if sentence["state"] == "congested":
        wrong += of_congestion(run, sentence)
    prefix = {**IWARP, "congested": "CNG", "cm": ("CMS", "ULP025"), "mad": ("MAD", "RMP"), "commands": "ULP"}.get(sentence["state"], "")
    return wrong + [f"{rule} is of another state" for rule in said if not rule.startswith(prefix)]


def of_run(run):
    """[what is wrong] with the verdict of a capture."""
    if len(run.verdicts) != 1:
        return [f"{len(run.verdicts)} verdicts"]
    verdict = run.verdicts[0]
    sentences = verdict["sentences"]
    wrong = []
    states = [sentence["state"] for sentence in sentences]
    if verdict["state"] != (states[0] if states else "none"):
        wrong.append(f"state {verdict['state']}, the sentences have {states}")
    # Of queue pairs and of iWARP something may be refused, or slow.
    if states != sorted(states, key=ORDER.index) or len(states) > 3 or any(states.count(state) > 1 + (state in IWARP) for state in states):
        wrong.append(f"sentences {states}: not worst first, or too many")
    if sentences and verdict["text"] != ". ".join(sentence["text"] for sentence in sentences):
        wrong.append("the text is not that of the sentences")
    if not sentences and run.firm:
        wrong.append(f"nothing is said of {dict(run.firm)}")
    counts = dict(collections.Counter(one["kind"] for one in run.incidents))
    wrong += [f"incident {one['incident']}: {one['severity']}, and {one['rule']} is {'' if run.is_proved(one) else 'not '}found"
              for one in run.incidents if (one["severity"] != "note") != run.is_proved(one)]
    if verdict["kinds"] != counts:
        wrong.append(f"kinds {verdict['kinds']}: the incidents are {counts}")
    for sentence in sentences:
        faults = of_connections(run, sentence) if sentence["state"] in STATES and not is_iwarp(sentence) else of_rules(run, sentence)
        wrong += [f"{sentence['state']}: {fault}: {sentence['text']}" for fault in faults]
    return wrong


def of_captures(paths, lint):
    """[(path, (state, text) of the verdict, sentences, [what is wrong])]"""
    results = []
    for path in paths:
        run = Run(lint, path)
        verdict = run.verdicts[0] if run.verdicts else {"state": "no verdict", "text": "", "sentences": []}
        results.append((path, verdict["state"], verdict["text"], len(verdict["sentences"]),
                        [f"{path.name}: {fault}" for fault in of_run(run)]))
    return results


def unsaid(texts):
    """Kinds that no verdict has in words: then KINDS, or the captures, are out of date."""
    return [f"no verdict says {words.pattern}" for words in KINDS.values() if not any(words.search(text) for text in texts)]


def mended(faults):
    """@faults without those that are known; and what of these is no more."""
    left = [fault for fault in faults if not any(known in fault for known in OPEN)]
    return left + [f"no fault has '{known}' now: take it out of OPEN" for known in OPEN if not any(known in fault for fault in faults)]


def table():
    """{capture: (state, first words)}, {capture: (state, why)} of data/first_sentence.txt"""
    want, but = {}, {}
    for line in (ROOT / "tests/data/first_sentence.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            words = line.split(None, 3 if line.startswith("!") else 2)
            if words[0] == "!":
                but[words[1]] = words[2], words[3]
            else:
                want[words[0]] = words[1], words[2] if len(words) > 2 else ""
    return want, but


def healthy():
    """(captures that something was done to, {pattern of captures: states that what is found there may give}) of data/impaired.txt"""
    done, found = set(), {}
    for line in (ROOT / "tests/data/impaired.txt").read_text().splitlines():
        if line.startswith("= "):
            _, rule, pattern, *_ = line.split()
            state = {"CMS": {"cm"}, "QPS": {"slow"}, "ULP": {"commands"}}.get(rule[:3], {"other", "malformed"})
            state = {"slow"} if rule == IWARP["slow"] else {"cm"} if rule == "ULP025" else state
            found[pattern] = found.get(pattern, set()) | state
        elif line[:1] not in ("", "#", "\t"):
            done.add(line.partition(":")[0])
    return done, found


def of_healthy(said, named):
    done, found = healthy()
    for name, (state, text) in said.items():
        if name in done or name in named or name.partition("/")[0] not in FAMILIES:
            continue
        may = {"none"}.union(*(states for pattern, states in found.items() if fnmatch.fnmatch(name, pattern)))
        if state not in may:
            yield f"{name} is healthy, and it is {state}: {text}"


def listed(said):
    """What is wrong by the table: @said is {capture: (state, text)}."""
    want, but = table()
    yield from of_healthy(said, want)
    for name in sorted(said.keys() - want.keys()):
        if name.startswith("faults/"):
            yield f"{name} is not in data/first_sentence.txt"
    for name, (state, ends) in want.items():
        if name not in said:
            yield f"{name}: no such capture"
            continue
        is_so = said[name][0] == state and said[name][1].startswith(ends)
        if name in but:
            if is_so or said[name][0] != but[name][0]:
                yield f"{name}: {said[name][0]}, and an exception says it is {but[name][0]}: {but[name][1]}"
        elif not is_so:
            yield f"{name}: {said[name][0]}: {said[name][1]}, and it is {state} {ends}"


def of_random(lint, number):
    """(sentences, [what is wrong]) in that many random conversations, half of them of connections that end and begin."""
    count, faults = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        paths = [path for of in (random_scenarios.scenario, random_scenarios.ends)
                 for path in random_scenarios.write(pathlib.Path(scratch), number // 2, of=of)]
        for *_, sentences, wrong in itertools.chain(*parallel.each(of_captures, parallel.parts(paths), lint)):
            count, faults = count + sentences, faults + wrong
    return count, faults


def main(lint, made, number=SCENARIOS):
    real, written = sorted((ROOT / "pcaps").glob("*/*.pcap*")), sorted(pathlib.Path(made).glob("*.pcap*"))
    written = [path for path in written if path.suffix != ".expect"]
    if not real or not written:
        print("no captures in pcaps or in", made)
        return True
    said, texts, faults, count = {}, [], [], 0
    for path, state, text, sentences, wrong in itertools.chain(*parallel.each(of_captures, parallel.parts(real + written), lint)):
        count += sentences
        faults += wrong
        texts.append(text)
        if path.is_relative_to(ROOT / "pcaps"):
            said[f"{path.parent.name}/{path.name.partition('.')[0]}"] = state, text
        if first_fault.ends(faults):
            break
    if not first_fault.ends(faults):
        more, random = of_random(lint, int(number))
        count += more
        faults = [*mended(faults), *listed(said), *unsaid(texts), *random]
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{len(real) + len(written)} captures, {count} sentences: {len(faults)} faults")
    return bool(faults) or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
