#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""track_events.py EVENTS-DUMP MADE: the trackers find out what the conversations say, and nothing else.

Works out of each pcaps/streams/*.txt, as streams.py reads it, which halves begin and end, which two are
one connection and by what, what the CM says, and what was sent again though its answer was captured; and
out of the bytes of a real capture which RMPP transfers begin and complete. Then compares, event by event, with what the trackers say of the captures.
"""
import collections
import json
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "pcap-lint"))
import rmpp_pcap  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
import streams  # noqa: E402

MID, ONE_WAY, CLOCK = "mid-stream", "one-way", "clock"
HEAD = {"half", "frame", "time", "frames", "doubt", "event"}
EVIDENCE = {"CM": 1, "port": 2, "ACKs": 3, "only": 4}
SECOND = 10**9
TIMEOUT, AT_END, BROKEN = 1, 2, 3  # why something is given up
# Of the REQs that pcaps/make makes: CM response timeout and, for twice the packet life time, ACK timeout
CM_TRIES, CM_TIMEOUT, CM_MRA = 16, 4096 << 20, 4096 << 20
CM_STATES = {"REQ": 1, "REP": 2, "DREQ": 4}  # of who waits for an answer to that
CM_OVER = 5  # disconnected, rejected
CM_ANSWERS = {"REQ": {"REP", "REJ"}, "REP": {"RTU", "REJ", "DREQ"}, "DREQ": {"DREP", "DREQ"}}
WITH_RESPONSE = {"READ_REQUEST", "COMPARE_SWAP", "FETCH_ADD", "FLUSH"}
TIMER, DUPLICATES = 4, (5, 7)  # causes; of what nobody sent again
UNSAID = ("service_id", "service_timeout", "data")  # by the text


def no_half(line):
    """Not of a QP with a connection: the CM, UD, CNPs, pause frames, and what has a wrong ICRC."""
    return "corrupt" in line.flags or line.verb in streams.MESSAGES or line.verb in ("CNP", "PFC") or line.service == streams.SERVICES["UD"]


class Half:
    """One direction to one QP: what a reader of the packets alone would note."""

    def __init__(self, number, key, qp, sport, known):
        self.number, self.key, self.qp, self.sport, self.known = number, key, qp, sport, known
        self.peer, self.requests, self.requested_at = None, [], 0
        self.points, self.last, self.means, self.meant_by, self.unclear = 0, None, None, None, False
        self.reach, self.kinds, self.fits, self.fitted, self.against = None, set(), 0, None, False  # of answers to it

    def ahead(self, psn):
        """Unwrapped: the PSN nearest to the last request."""
        base = self.requests[-1] if self.requests else psn
        return base + (psn - base + 2**23) % 2**24 - 2**23

    def asked_for(self, psn):
        return bool(self.requests) and min(self.requests) <= self.ahead(psn) <= max(self.requests)


class Reader:
    """Goes through the captured lines of a conversation and says what happens."""

    def __init__(self, scenario):
        self.scenario, self.events, self.halves = scenario, [], {}
        self.begun = collections.Counter()  # halves, by their hosts and service
        self.senders, self.calls = {}, {}  # the CM: {flow: sender's QP}, {comm id and ends: a REQ}
        self.frame, self.now, self.tick = 0, streams.FIRST - streams.STEP, 0
        self.time = self.newest = 0  # of the frame, and the highest so far
        self.two_way = False  # a CM message was answered
        self.talks = {}  # {client, server and connection: what was said so far}

    def say(self, event, half=None, frames=(), doubt=(), **numbers):
        frames = [f for f in dict.fromkeys(frames) if f != self.frame]
        doubt = {*doubt, CLOCK} if self.time < self.newest else doubt
        self.events.append({"event": event, "frame": self.frame, "time": self.time,
                            "half": half.number if half else 0, "doubt": sorted(doubt),
                            "frames": frames, **numbers})

    def doubt(self, half):
        return set() if half.known else {MID}

    def read(self):
        for line in self.scenario.lines:
            self.now += line.after
            if not line.captured:
                continue
            self.frame += 1
            self.time = self.now + self.scenario.ahead(line)
            self.newest = max(self.time, self.newest)
            if self.time >= self.tick:
                self.tick = self.time + SECOND
                for talk in self.talks.values():
                    self.give_up(talk)
            if line.verb in streams.MESSAGES:
                self.said(line)
                self.message(line)
            elif not no_half(line):
                self.packet(line)
        for half in list(self.halves.values()):
            self.only(half)
        for talk in self.talks.values():
            self.give_up(talk, AT_END)
        return self.events

    # The CM

    def said(self, line):
        """A message, by its conversation."""
        connection = line.numbers.get("conn", 0)
        ends = (line.sender["number"], line.receiver["number"], connection)
        if line.verb != "REQ" and ends not in self.talks:
            ends = (ends[1], ends[0], connection)
        if line.verb == "REQ":
            path = 4096 << line.numbers.get("timeout", 18)
            self.talks.setdefault(ends, {"frames": [], "said": [], "client": line.sender, "asks": None,
                                         "try": CM_TIMEOUT + path, "reqs": []})
        talk = self.talks.get(ends)
        if talk:
            self.give_up(talk)
        ids = [(connection << 16) + end["comm"] for end in (line.sender, line.receiver)]
        meant, right = talk, ids[1]
        if line.numbers.get("remote", right) != right:
            talk, ids[1] = None, line.numbers["remote"]
        qpn = line.numbers.get("qpn", line.sender["qp"])
        if talk and line.verb == "REQ":
            talk["reqs"].append(self.time)
            copies = {"copies": len(talk["reqs"]), "ns": max(0, self.time - [self.time, *talk["reqs"]][-2])}
        detail = {"REQ": {"qpn": qpn, **(copies if line.verb == "REQ" else {})}, "REP": {"qpn": qpn},
                  "REJ": {"reason": line.numbers.get("reason")}, "DREQ": {"qpn": line.receiver["qp"]}}
        self.say(f"cm-{line.verb.lower()}", None, talk["frames"][:1] + talk["frames"][-1:] if talk else [],
                 () if talk else {MID}, local_comm_id=0 if line.verb == "REJ" else ids[0],
                 **({} if line.verb == "REQ" else {"remote_comm_id": ids[1]}),
                 before=self.state(talk), **detail.get(line.verb, {}))
        if meant and not talk and self.state(meant) < CM_OVER:
            self.say("cm-wrong-id", None, meant["frames"][:1], local_comm_id=ids[0], remote_comm_id=ids[1], meant=right)
        if talk:
            talk["frames"].append(self.frame)
            talk["said"].append((line.sender is talk["client"], line.verb))
            talk.setdefault("id", ids[0])
            self.two_way |= len({client for client, _ in talk["said"]}) == 2
            self.wait(talk, line)

    def wait(self, talk, line):
        """For what the two wait now."""
        client, asks = line.sender is talk["client"], talk["asks"]
        heard = {verb for by, verb in talk["said"] if by != client}
        if line.verb in CM_ANSWERS and not heard & CM_ANSWERS[line.verb]:
            copies = talk["said"].count((client, line.verb))
            left = max(CM_TRIES - copies + 1, 1)
            talk["asks"] = {"verb": line.verb, "by": client, "copies": copies, "since": self.time,
                            "for": left * talk["try"], "left": left, "frame": self.frame, "time": self.time,
                            "doubt": {CLOCK} if self.time < self.newest else set()}
        elif line.verb == "MRA":
            if asks and asks["by"] != client:
                asks.update({"since": self.time, "for": asks["left"] * talk["try"] + CM_MRA})
        elif line.verb in ("REJ", "DREQ", "DREP") or (line.verb == "RTU" and asks and asks["verb"] == "REP"):
            talk["asks"] = None

    @staticmethod
    def state(talk):
        """Its number in event.def."""
        said = {verb for _, verb in talk["said"]} if talk else ()
        order = [("REJ", 6), ("DREP", 5), ("DREQ", 4), ("RTU", 3), ("REP", 2), ("REQ", 1)]
        return next((number for verb, number in order if verb in said), 0)

    def give_up(self, talk, otherwise=None):
        """What has waited for too long, or whatever waits."""
        asks = talk["asks"]
        why = TIMEOUT if asks and self.time - asks["since"] > asks["for"] else otherwise
        if not asks or not why:
            return
        talk["asks"] = None
        self.say("cm-given-up", None, talk["frames"][:1] if talk["frames"][0] != asks["frame"] else (), (),
                 local_comm_id=talk["id"], why=why, before=CM_STATES[asks["verb"]], copies=asks["copies"],
                 ns=asks["for"])
        self.events[-1].update(frame=asks["frame"], time=asks["time"], doubt=sorted(
            asks["doubt"] | (set() if self.two_way else {ONE_WAY})))

    def message(self, line):
        client, server = ({**line.sender, "qp": line.numbers.get("qpn", line.sender["qp"])},
                          line.receiver)
        connection = line.numbers.get("conn", 0)
        if line.verb == "REQ":
            call = (client["number"], server["number"], connection)
            if call not in self.calls:
                self.calls[call] = self.frame
                self.put_to_use(server, client, self.frame)
        elif line.verb == "REP":
            call = (server["number"], client["number"], connection)
            if call not in self.calls:
                return
            flows = {(client["address"], server["address"], server["qp"]): client["qp"],
                     (server["address"], client["address"], client["qp"]): server["qp"]}
            if any(self.senders.get(flow) != (sender, call) for flow, sender in flows.items()):
                self.senders.update({flow: (sender, call) for flow, sender in flows.items()})
                self.put_to_use(server, client, self.calls[call])

    def put_to_use(self, sender, receiver, since):
        """Packets to the receiver's QP are of a new connection from the REQ on."""
        for key, half in sorted(self.halves.items(), key=lambda item: item[0][3]):
            if key[:3] != (sender["address"], receiver["address"], receiver["qp"]):
                continue
            if half.number < since:
                alone = not half.peer and not any(self.facing(half))
                self.say("half-ended", half, [half.number],
                         self.doubt(half) | ({ONE_WAY} if alone else set()), dqpn=half.qp)
                del self.halves[key]
            else:
                half.known = key[:3] in self.senders
                self.by_cm(half)

    # Packets

    def packet(self, line):
        source, destination = (str(line.numbers.get(lid, end["address"])) for lid, end in
                               (("slid", line.sender), ("dlid", line.receiver)))
        key = (source, destination, line.receiver["qp"], line.service)
        half = self.halves.get(key)
        psn = line.numbers["psn"]
        if not half:
            sport = streams.sport_of(self.scenario, line) if "v2" in line.framing else None
            half = Half(self.frame, key, key[2], sport, key[:3] in self.senders)
            self.halves[key] = half
            self.begun[source, destination, line.service] += 1
            self.say("half-begun", half, doubt=self.doubt(half), dqpn=half.qp, psn=psn)
            if not self.by_cm(half):
                self.by_port(half)
        if half.peer:
            return
        if line.operation == "ACK":
            self.by_acks(half, psn)
        if streams.OPERATIONS.get(line.operation, 17) in range(13, 19):
            self.by_answer(half, line)
        else:
            half.requests.append(half.ahead(psn))
            half.requested_at = self.time
            self.asks(half, line)

    def facing(self, half):
        """Unpaired halves the other way."""
        src, dst, _, service = half.key
        return [h for h in self.halves.values() if h is not half and not h.peer
                and (h.key[0], h.key[1], h.key[3]) == (dst, src, service)]

    def pair(self, half, other, evidence):
        half.peer, other.peer = other, half
        self.say("paired", half, sorted((half.number, other.number)), self.doubt(half),
                 evidence=EVIDENCE[evidence], dqpn=half.qp, back=other.qp, back_half=other.number)
        return True

    def by_cm(self, half):
        """Decides, if the CM names the sender: True."""
        sender = self.senders.get(half.key[:3])
        if not sender:
            return False
        for other in self.facing(half):
            if other.qp == sender[0]:
                return self.pair(half, other, "CM")
        return True

    def by_port(self, half):
        """Of three halves one way with the same port it is not made of their QPNs."""
        facing = [h for h in self.facing(half) if half.sport and h.sport == half.sport]
        alike = [h for h in self.halves.values() if not h.peer and h.sport == half.sport
                 and (*h.key[:2], h.key[3]) == (*half.key[:2], half.key[3])]
        found = [h for h in facing if not h.known and hashed(h.qp, half.qp) == half.sport]
        if len(found) == 1 and max(len(facing), len(alike)) < 3:
            self.pair(half, found[0], "port")

    @staticmethod
    def asks(half, line):
        """What may be answered: no READ takes more PSNs than with an MTU of 256."""
        verb = line.operation
        kind = "READ" if verb in ("READ_REQUEST", "FLUSH", "ATOMIC_WRITE") else \
            "ATOMIC" if verb in ("COMPARE_SWAP", "FETCH_ADD") else "other"
        most = max(1, -(-line.numbers.get("len", 0) // 256)) if verb == "READ_REQUEST" else 1
        half.kinds.add(kind)
        half.reach = max(half.reach or 0, half.requests[-1] + most - 1)

    def alone(self, half):
        """The one that may answer, where the two hosts have had no other one each way."""
        src, dst, _, service = half.key
        facing = self.facing(half)
        if half.peer or half.known or src == dst or len(facing) != 1 or facing[0].known \
                or (self.begun[src, dst, service], self.begun[dst, src, service]) != (1, 1):
            return None
        return facing[0]

    def by_answer(self, half, line):
        """Of any kind; three that fit are enough."""
        other = self.alone(half)
        if not other or not other.requests:
            return
        psn = other.ahead(line.numbers["psn"])
        if psn < min(other.requests):
            other.against |= other.fits > 0
            return
        wants = next((kind for kind in ("READ", "ATOMIC") if line.operation.startswith(kind)), None)
        other.against |= psn > other.reach or wants is not None and wants not in other.kinds
        if abs(self.time - other.requested_at) <= SECOND and (other.fitted is None or psn > other.fitted):
            other.fits, other.fitted = other.fits + 1, psn
            if other.fits >= 3:
                self.only(half)

    def only(self, half):
        other = self.alone(half)
        if other and half.fits + other.fits and not (half.against or other.against or half.unclear or other.unclear):
            self.pair(half, other, "only")

    def by_acks(self, half, psn):
        if half.known or half.unclear:
            return
        facing = [h for h in self.facing(half) if not h.known]
        asked = [h for h in facing if h.asked_for(psn)]
        if half.means in facing and half.means not in asked:
            half.unclear = True
        newer = half.last is None or 0 < (psn - half.last) % 2**24 < 2**23
        if len(asked) != 1 or not newer or abs(self.time - asked[0].requested_at) > SECOND:
            return
        other, half.last, half.points = asked[0], psn, half.points + 1
        half.means, other.meant_by = half.means or other, other.meant_by or half
        if half.means is not other or other.meant_by is not half or half.unclear or other.unclear \
                or other.means not in (None, half) or half.meant_by not in (None, other):
            half.unclear = other.unclear = True
        elif half.points == 3:
            self.pair(half, other, "ACKs")


def hashed(a, b):
    """The UDP source port of two QPs; kernel: rdma_calc_flow_label()."""
    product = a * b
    product ^= product >> 20
    product ^= product >> 40
    label = product & 0xfffff
    return 0xc000 | (label & 0x3fff) ^ (label >> 14)


def differences(name, want, got, kinds):
    got = [{k: v for k, v in e.items() if k not in UNSAID} for e in got if e["event"] in kinds]
    faults = [f"{name}: {g or 'nothing'}, not {w or 'anything'}"
              for w, g in zip(want + [None] * len(got), got + [None] * len(want))
              if w != g and (w or g)]
    return faults[:5]


def events(dump, capture, *words):
    """What the trackers say; the last line is no event."""
    done = subprocess.run([dump, capture, *words], capture_output=True, text=True, check=True)
    *found, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert last == {"lost": 0}, last
    for event in found:
        event["doubt"].sort()
        event.pop("from", None)
        event.pop("to", None)
    return found


CONNECTIONS = {"half-begun", "paired", "half-ended", "half-evicted", "cm-given-up", "cm-wrong-id",
               *(f"cm-{verb.lower()}" for verb in streams.MESSAGES)}
TRANSFERS = {"transfer-begun", "transfer-complete", "transfer-stopped", "transfer-given-up"}


def was_answered(scenario, at):
    """Whether answers to all of line @at, which comes again, were captured before it."""
    again = scenario.lines[at]
    psn, n = again.numbers["psn"], scenario.psns(again)
    answers = [line for line in scenario.lines[:at] if line.captured and "corrupt" not in line.flags
               and line.sender is again.receiver and line.receiver is again.sender]
    upto = [line.numbers["psn"] - (line.operation != "ACK") for line in answers
            if line.operation == "ACK" or line.operation.startswith(("NAK", "READ_RESPONSE", "ATOMIC"))]
    responses = {line.numbers["psn"] for line in answers
                 if line.operation.startswith(("READ_RESPONSE", "ATOMIC"))}
    if again.operation in WITH_RESPONSE:
        return {(psn + i) % 2**24 for i in range(n)} <= responses
    return any((last - psn) % 2**24 < 2**23 for last in upto)


def was_early(scenario, at):
    """Whether each copy of line @at has an answer of its own, though none had one by then."""
    again = scenario.lines[at]
    last = (again.numbers["psn"] + scenario.psns(again) - 1) % 2**24
    there = [(i, line) for i, line in enumerate(scenario.lines) if line.captured and "corrupt" not in line.flags]
    copies = [i for i, line in there if line.sender is again.sender and line.operation == again.operation
              and line.numbers.get("psn") == again.numbers["psn"]]
    answers = [i for i, line in there if line.sender is again.receiver and line.receiver is again.sender
               and line.numbers.get("psn") == last and line.operation.startswith(("ACK", "READ_RESPONSE", "ATOMIC"))]
    return len(copies) == len(answers) > 1 and answers[0] > at


def is_spurious(scenario, event, at):
    return event["cause"] not in DUPLICATES and was_answered(scenario, at) or event["cause"] == TIMER and was_early(scenario, at)


def spurious(name, scenario, found):
    """(faults, how many) of what was sent again."""
    at = [i for i, line in enumerate(scenario.lines) if line.captured]
    again = [event for event in found if event["event"] == "resent"]
    want = [is_spurious(scenario, event, at[event["frame"] - 1]) for event in again]
    return [f"{name}: frame {event['frame']}: spurious {event['spurious']}, not {int(is_so)}"
            for event, is_so in zip(again, want) if event["spurious"] != is_so], \
        collections.Counter("spurious" if is_so else "resent, and not spurious" for is_so in want) + \
        collections.Counter("early" for event, is_so in zip(again, want) if is_so and not was_answered(
            scenario, at[event["frame"] - 1]))


def conversations(dump, made):
    faults, counts = [], collections.Counter()
    for path in sorted(streams.STREAMS.glob("*.txt")):
        scenario = streams.Scenario(path)
        want = Reader(scenario).read()
        counts.update(e["event"] for e in want)
        counts.update(f"by {e['evidence']}" for e in want if e["event"] == "paired")
        capture = scenario.capture(made, path.stem)
        faults += differences(path.stem, want, events(dump, capture), CONNECTIONS)
        wrong, more = spurious(path.stem, scenario, events(dump, capture, "streams"))
        faults += wrong
        counts += more
    for kind in CONNECTIONS - {"half-evicted"} | {"by 1", "by 2", "by 3", "by 4", "spurious", "early"}:
        if not counts[kind]:
            faults.append(f"no conversation has {kind}")
    return faults, counts


def records(data):
    """(times in ns, frames) of a little-endian pcap of microseconds or nanoseconds."""
    unit = 1000 if data[:4] == b"\xd4\xc3\xb2\xa1" else 1
    at, when, frames = 24, [], []
    while at < len(data):
        seconds, part, captured, _ = struct.unpack_from("<4I", data, at)
        when.append(seconds * SECOND + part * unit)
        frames.append(data[at + 16:at + 16 + captured])
        at += 16 + captured
    return when, frames


def transfers(when, frames):
    """The events of the RMPP transfers of SA, in file order."""
    running, out = {}, []

    def say(event, number, begun, tid, segments, doubt=(), **more):
        out.append({"event": event, "frame": number, "time": when[number - 1], "half": 0,
                    "doubt": list(doubt),
                    "frames": [begun] if begun != number else [], "tid": int.from_bytes(tid, "big"),
                    "mgmt_class": rmpp_pcap.SA, **segments, **more})

    for number, frame in enumerate(frames, 1):
        ends, mad = rmpp_pcap.mad_of(frame) or (None, None)
        if not mad or not mad[26] & rmpp_pcap.ACTIVE:
            continue
        tid, kind, flags = mad[8:16], mad[25], mad[26]
        segment, length = (int.from_bytes(mad[at:at + 4], "big") for at in (28, 32))
        key, back = (ends, tid), (ends[16:] + ends[:16], tid)
        if kind != rmpp_pcap.DATA:
            which = key if key in running else back
            if kind in (3, 4) and which in running:
                begun, seen, *_ = running.pop(which)
                say("transfer-stopped", number, begun, tid, {"segments": len(seen)}, status=mad[27])
            elif which in running:
                running[which][3] = True
            continue
        both = rmpp_pcap.FIRST | rmpp_pcap.LAST
        if key not in running:
            if flags & both == both:
                continue
            running[key] = [number, {}, None, False]
            say("transfer-begun", number, number, tid, {"segment": segment})
        begun, seen, *_ = running[key]
        if not segment:  # they count from 1
            del running[key]
            say("transfer-given-up", number, begun, tid, {"segments": len(seen)}, why=BROKEN)
            continue
        seen[segment] = True
        if flags & rmpp_pcap.LAST:
            running[key][2] = (segment, length)
        last = running[key][2]
        if last and set(range(1, last[0] + 1)) <= set(seen):
            del running[key]
            full = rmpp_pcap.SEGMENT
            rest = min(max(last[1] - rmpp_pcap.SA_HEADER, 0), full)
            say("transfer-complete", number, begun, tid, {"segments": last[0]},
                bytes=(last[0] - 1) * full + rest)
    for (_, tid), (begun, seen, _, answered) in running.items():
        say("transfer-given-up", len(frames), begun, tid, {"segments": len(seen)},
            doubt=[] if answered else [ONE_WAY], why=AT_END)
    return out


def reassembly(dump):
    capture = rmpp_pcap.CAPTURE
    want = transfers(*records(capture.read_bytes()))
    counts = collections.Counter(e["event"] for e in want)
    faults = differences(capture.name, want, events(dump, capture), TRANSFERS)
    if not counts["transfer-complete"]:
        faults.append(f"{capture.name}: no transfer completes")
    return faults, counts


def doubts(dump, made):
    """What the caller knows is said of every event."""
    found = events(dump, made / "streams-one-way.pcap", "filtered")
    if not found or not all("filtered" in event["doubt"] for event in found):
        return ["the caller's doubt is not in every event"]
    return []


def main():
    dump, made = sys.argv[1], pathlib.Path(sys.argv[2])
    faults, counts = conversations(dump, made)
    more, of_transfers = reassembly(dump)
    faults += more + doubts(dump, made)
    counts.update(of_transfers)
    print("\n".join(faults + [", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())),
                              f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
