# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Stories, told a second time: of the events of the trackers, as events-dump has them, and of the sentences of event.def.

What is told of a connection, and in how many lines, was written from README.md and the comments of story.h and story.c:

    S1  Of a connection its earliest 256 events are kept, in order of frames. Told are those from the first fault on; if that
        is about a message of the CM, from the beginning; REQ, REP and DREQ always.
    S2  No fault is: a message of the CM that comes for the first time, nor MPA request, reply, FIN and RST of iWARP; an end of the capture; what findings would be less
        sure of, as the capture lacks what could make it untrue, but for packets that it has twice or lost and counted, and
        too many holes; a gap where the sender has several LIDs, or where the capture lost packets, and from neither end more than twice as
        many are missing; and what comes again within 1 ms without a cause that was captured, where packets were captured twice.
    S3  Several events in a row of one kind, sender and, if packets were sent again, cause are one line, but the first fault,
        which has a line of its own, and messages of the CM, unless each was sent before. Of what is sent again after a timeout
        the timeout is told, and how many packets, which are its round: all that are sent again by the timer before anything but
        what follows a fault is told. A round is no line with another timeout.
    S4  There are 18 lines at most. What would need another one, and all after it, is counted.
"""
import collections
import re

import text_stats
import text_sums
import text_words as W

LINES, KEPT, COPY_NS = 18, 256, 10**6
DEF = "dissector/track/base/event.def"
FRAME = {"cm-req", "cm-rep", "cm-dreq", "iwarp-request", "iwarp-reply", "iwarp-close"}  # told whatever the first fault is
TERMINATES = "tests/facts/iwarp_terminate.csv"
BY_TIMEOUT = 4  # cause of what is sent again
FATAL = ("nak_invalid_request", "nak_remote_access", "nak_remote_operational")
REASONS = {1, 2, 4}  # causes of what is sent again: a NAK, an RNR NAK, a timeout
CAME_DAMAGED = 1  # what is missing is there with a bad ICRC, all of it
TIMED_OUT = 1  # why a conversation of the CM is given up
TIMES_LOST = 2  # what the capture is known to have lost may explain so many times as much
PLACE = re.compile(r"\{([^}]*)\}")
DIGITS = {"PSN": 6, "QPN": 6, "R_KEY": 8, "TID": 16, "LID": 4, "HEX": 1}  # of numbers in hexadecimal


def meanings():
    """{(layer, error type, error code, None: any other): what a Terminate says in the words of the RFCs}"""
    out = {}
    for line in (W.ROOT / TERMINATES).read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            layer, etype, code, *names = line.split("|")[:6]
            said = names[:2] if names[2] == names[1] else names
            out[int(layer), int(etype), None if code == "ALL" else int(code)] = ", ".join(said)
    return out


class Told:
    """The sentences of event.def, and which forms of them were seen where."""

    def __init__(self, tables):
        """@tables: what tables-dump prints."""
        self.texts, self.roles, self.numbers, self.seen = {}, {}, {}, {}
        self.said = {}  # events of which the line of a finding says all
        self.meanings = meanings()
        self.nameless = {}  # sentences that name a frame where there is none
        values, names = {}, {}
        for line in tables.splitlines():
            words = line.split("\t")
            if words[0] == "value":
                values.setdefault(f"ibw_{words[1]}_names", {})[int(words[3])] = words[4]
            elif words[0] == "class":
                known = values.setdefault("ibw_mad_class_names", {})
                for number in range(int(words[2], 0), int(words[3], 0) + 1):
                    known.setdefault(number, words[1])
            elif words[0] == "opcode":
                values.setdefault("ibw_opcode_names", {})[int(words[1], 16)] = words[2]
        for macro, args in W.macros(DEF):
            if macro == "TRACK_VALUE":
                values.setdefault(f"track_{args[0]}_names", {})[int(args[2])] = args[3]
            elif macro == "TRACK_EVENT":
                names[args[0]] = args[1]
                self.numbers[args[1]] = {}
            elif macro == "TRACK_TELL":
                self.roles[names[args[0]]], self.texts[names[args[0]]] = args[1], args[2:]
            elif macro == "TRACK_SAY":
                self.texts[names[args[0]]] = args[1:]
            elif macro == "TRACK_SAID":
                self.said[names[args[0]]] = args[1]
        for macro, args in W.macros(DEF):
            if macro == "TRACK_NUMBER":
                self.numbers[names[args[0]]][args[2]] = (args[3], values.get(args[4], {}) if args[4] != "NULL" else None, args[5])

    def forms(self):
        """All that has to be seen: each sentence from both sides, what is between [] and without it, one thing and several."""
        for event, texts in self.texts.items():
            for many, text in enumerate(texts):
                which = f"{event} {('one', 'many')[many]}"
                for side in "AB" if event in self.roles and ("{a}" in text or "{b}" in text) else "-":
                    yield f"{which} {side}"
                for part in re.findall(r"\[(.*?)\]", text):
                    yield f"{which} [{part}]"
                    yield f"{which} without [{part}]"
                for name in PLACE.findall(text):
                    if "#" in name:
                        yield f"{which} 1 {name.partition('#')[2]}"
                        yield f"{which} several {name.partition('#')[2]}s"

    def number(self, event, name):
        """(how it is said, whether it is missing)"""
        kind, names, title = self.numbers[event["event"]][name]
        n = event[name]
        if names and n in names:
            return names[n], not names[n]
        missing = n == 0 and kind != "PSN"
        if title.endswith("(ns)"):
            return W.took(n), missing
        digits = DIGITS.get(kind, 1 if names else 0)
        return f"0x{n:0{digits}x}" if digits else str(n), missing

    def place(self, name, line, side):
        """(what stands for {name}, whether it is missing)"""
        event = line["event"]
        if name in ("a", "b"):
            return side["ab".index(name)], False
        if name == "n":
            return str(line["n"]), False
        if name == "last":
            return str(line["last"]), False
        if name.isdigit():
            at = int(name) - 1 if name != "0" else len(event["frames"]) - 1
            known = 0 <= at < len(event["frames"])
            return str(event["frames"][at]) if known else "", not known
        if name[0] in "?>":
            return "", (line["n"] if name == ">n" else event[name[1:]]) <= "?>".index(name[0])
        if name == "meaning":
            key = event["layer"], event["etype"], event["code"]
            return self.meanings.get(key) or self.meanings[*key[:2], None], False
        if name == "more":
            return f"{W.counted(line['more'], 'more packet')}, up to frame {line['upto']}", not line["more"]
        name, _, word = name.partition("#")
        text, missing = self.number(event, name)
        return text + (f" {word}{'' if event[name] == 1 else 's'}" if word else ""), missing

    def names_of(self, name, line):
        """The frames that a place of a sentence names."""
        event = line["event"]
        if name in ("last", "more"):
            return [line["last" if name == "last" else "upto"]]
        if name.isdigit():
            return event["frames"][int(name) - 1 if name != "0" else -1:][:1]
        return [event[name]] if self.numbers[event["event"]].get(name, ("", None, ""))[2].startswith("Frame ") else []

    def finding(self, event, ends, scenario):
        """What -v says of the event of a finding, between @ends, their addresses; and the frames it names."""
        again = self.roles.get(event["event"]) == "CM" and event.get("copies", 1) > 1
        line = {"event": event, "n": 1, "last": 0, "again": again, "more": 0, "upto": 0, "named": []}
        return self.sentence(line, ends, scenario), line["named"]

    def sentence(self, line, ends, scenario):
        """@ends: how the sender and the other end are called; the forms of a sentence are those of what A and B send."""
        event, many = line["event"], line["n"] > 1 or line["again"]
        template, which = self.texts[event["event"]][many], f"{event['event']} {('one', 'many')[many]}"
        side = ends[0] if event["event"] in self.roles else "-"
        forms = {f"{which} {side if '{a}' in template or '{b}' in template else '-'}"} if side in "AB-" else set()

        def part(text, optional):
            missing, named = [], []

            def one(match):
                said, gone = self.place(match[1], line, ends)
                missing.append(gone)
                named.extend(self.names_of(match[1], line))
                if match[1].isdigit() and gone and not optional:
                    self.nameless.setdefault(which, scenario)
                if "#" in match[1]:
                    name, _, word = match[1].partition("#")
                    forms.add(f"{which} 1 {word}" if event[name] == 1 else f"{which} several {word}s")
                return said
            said = PLACE.sub(one, text)
            if not (optional and any(missing)):
                line.setdefault("named", []).extend(named)
            return said, any(missing)

        out = ""
        for piece in re.split(r"(\[.*?\])", template):
            optional = piece.startswith("[")
            said, missing = part(piece.strip("[]"), optional)
            if optional:
                forms.add(f"{which} {'without ' if missing else ''}{piece}")
            out += "" if missing and optional else said
        for form in forms if side in "AB-" else ():
            self.seen.setdefault(form, set()).add(scenario)
        return out


def key(event):
    """A connection is known by its first frame, that of the REQ if it has one."""
    return event["half"] or (event["frames"] or [event["frame"]])[0]


class Connection:
    """The events of one connection and what is made of them: @events are those of its first frame, by key()."""

    def __init__(self, told, flow, events):
        self.told, self.flow, self.doubt = told, flow, set(flow["doubt"])
        self.begins_later = any(e["event"] == "mid-stream" and e["half"] == flow["first_frame"] for e in events)
        mine = sorted((e for e in events if e["event"] in told.roles), key=lambda e: e["frame"])
        self.events, self.left_out = mine[:KEPT], mine[KEPT:]
        self.lines, self.more = [], []
        self.more_missing = not text_stats.is_iwarp(flow) and any(flow[way]["psn_missing"] > TIMES_LOST * self.lost(mine, way) for way in text_stats.WAYS)
        first = next((i for i in range(len(self.events)) if self.is_fault(i)), None)
        if first is not None:
            self.tell(first)

    def lost(self, events, way):
        """How many requests of a direction the capture lost."""
        sender = "AB"[list(text_stats.WAYS).index(way)]
        return sum(e["count"] for e in events if e["event"] == "capture-loss" and self.side(e) == sender)

    def role(self, i):
        return self.told.roles[self.events[i]["event"]]

    def copies(self, i):
        """Which copy of a message of the CM an event is; 0: the same packet, captured twice."""
        event, copies = self.events[i], 1
        if text_stats.is_iwarp(self.flow):
            return 1
        for before in self.events[:i]:
            if before["event"] == event["event"] and before["local_comm_id"] == event["local_comm_id"]:
                if event["time"] - before["time"] < COPY_NS:
                    return 0
                copies += 1
        return copies

    def is_untold(self, event):
        """S2: of what is no fault, that which is not told at all."""
        if "captured-twice" in self.doubt and event["event"] == "resent" and event["cause"] not in REASONS and \
                event["ns"] < COPY_NS:
            return True
        doubts = set(event["doubt"])
        if event["half"]:
            doubts |= self.doubt if self.begins_later else self.doubt - {"mid-stream"}
        if W.may_be_untrue(event, doubts - {"captured-twice", "holes"}):
            return True
        return event["event"] == "psn-gap" and event["came"] != CAME_DAMAGED and ("several-lids" in self.doubt or "capture-loss" in self.doubt and not self.more_missing)

    def is_fault(self, i):
        """S2"""
        event = self.events[i]
        if self.is_untold(event):
            return False
        if event["event"] == "cm-given-up":
            return event["why"] == TIMED_OUT
        return self.copies(i) > 1 if self.role(i) == "CM" else self.role(i) == "FAULT"

    def tell(self, first):
        """S1, S3, S4"""
        of_cm = self.role(first) == "CM"
        for i, event in enumerate(self.events):
            if i < first and not of_cm and event["event"] not in FRAME or self.is_untold(event):
                continue
            copies = self.copies(i) if self.role(i) == "CM" else 1
            last = self.lines[-1] if self.lines else None
            if not copies or last and event["event"] == "resent" and last["event"]["event"] == "timeout" and \
                    last["last"] == event["frame"]:
                continue
            again, turn = self.role(i) == "CM" and copies > 1, self.round_of(event)
            if turn:
                turn.update(more=turn["more"] + 1, upto=event["frame"])
                last.update(at=max(last["at"], event["time"]))
            elif last and not self.more and not last["more"] and alike(last["event"], event) and \
                    (last["again"] and again if self.role(i) == "CM" else last["event"] is not self.events[first]):
                last.update(n=last["n"] + 1, last=event["frame"], at=max(last["at"], event["time"]))
            elif len(self.lines) == LINES:
                self.more.append(event)
            else:
                after = max(0, event["time"] - last["at"]) if last else None
                self.lines.append({"event": event, "n": 1, "last": event["frame"], "at": event["time"], "after": after, "again": again,
                                   "more": 0, "upto": 0})
        self.more += self.left_out

    def round_of(self, event):
        """S3: the line of the timeout after which a packet is sent again as others before it."""
        if event["event"] == "resent" and event["cause"] == BY_TIMEOUT and not self.more:
            for line in reversed(self.lines):
                one = line["event"]
                if one["event"] == "timeout" and (one["from"], one["to"]) == (event["from"], event["to"]):
                    return line if line["n"] == 1 else None
                if self.told.roles[one["event"]] != "AFTER":
                    break
        return None

    def side(self, event):
        """Who is {a}: the sender."""
        a, b = self.flow["a"], self.flow["b"]
        if text_stats.is_iwarp(self.flow):
            return "A" if (event["from"], event["to"]) == (a["address"], b["port"]) else "B"
        if a["address"] == b["address"]:
            return "A" if event["to"] == b["qpn"] else "B"
        return "A" if event["from"] == a["address"] else "B"

    def ends(self, event):
        return "AB" if self.side(event) == "A" else "BA"


def alike(one, other):
    """S3"""
    return all(one[name] == other[name] for name in ("event", "from", "to")) and \
        (one["event"] != "resent" or (one["cause"], one["why"]) == (other["cause"], other["why"]))


def chosen(story, flows, faulty, asked, heard):
    """Why this connection."""
    n = W.counted(len(flows), "connection")
    if asked != "auto":
        why = "the one asked for"
    elif len(flows) == 1:
        why = "the only connection"
    else:
        why = f"the only one with a fault, of {n}" if faulty == 1 else f"the worst of {faulty} with a fault, of {n}"
    return why + (against_iwarp(story.flow) if text_stats.is_iwarp(story.flow) else text_sums.against(story.flow, heard))


def against_iwarp(flow):
    percent, bad = max(text_stats.resent_percent(flow[way]) for way in text_stats.WAYS), text_stats.both(flow, "crc_bad")
    said = ["a Terminate"] * (flow["state"] == "failed") + [f"{percent} % retransmitted"] * (percent > 0)
    said += [f"{W.counted(bad, 'FPDU')} with a wrong CRC"] * (bad > 0)
    return ": " + ", ".join(said) if said else ""


def nothing(story, flows, asked, commands):
    """Why there is nothing to tell."""
    if commands:
        return "there is nothing to tell of its packets"
    begin = "there is nothing to tell: "
    if not flows:
        return begin + "the capture has no connection of RC, UC, XRC or iWARP"
    if story is None and asked != "auto":
        return f"{begin}there is no such connection; the capture has {W.counted(len(flows), 'connection')}, numbered from 0"
    about = flows if story is None else [story.flow]
    text = begin + "nothing is known to be missing, retransmitted, refused or wrong "
    if asked != "auto":
        text += f"in its {W.counted(text_stats.both(story.flow, 'packets'), 'packet')}"
    else:
        text += "on the one connection" if len(flows) == 1 else f"on any of {W.counted(len(flows), 'connection')}"
    twice = sum(text_stats.both(flow, "duplicated_packets") for flow in about if not text_stats.is_iwarp(flow))
    if twice:
        text += f"; {'1 request is' if twice == 1 else f'{twice} requests are'} in it twice at once: " \
            "captured twice, or duplicated by the network"
    hidden = [f"{args[1]}: {args[2]}" for macro, args in W.macros("dissector/track/base/doubt.def")
              if macro == "TRACK_DOUBT" and any(args[1] in flow["doubt"] for flow in about)]
    return text + (f" (doubt: {'; '.join(hidden)})" if hidden else "")


def in_all(flow):
    """What it came to."""
    said = of_tcp(flow) if text_stats.is_iwarp(flow) else of_queue_pairs(flow)
    return [f"  in all: {'; '.join(said)}"] if said else []


def of_tcp(flow):
    said = []
    for way, sender in (("a_to_b", "A"), ("b_to_a", "B")):
        resent, stall = flow[way]["retransmitted_packets"], flow[way]["stall"]
        said += [f"{sender} retransmitted {W.counted(resent, 'segment')}"] * (resent > 0)
        said += [f"messages of {sender} were held up for at most {W.took(stall)} by octets that came late"] * (stall > 0)
    return said


def of_queue_pairs(flow):
    said = []
    for way, (sender, other) in (("a_to_b", "AB"), ("b_to_a", "BA")):
        one = flow[way]
        if one["repeated_packets"]:
            size = W.size(one["repeated_bytes"])
            text = f"{sender} retransmitted {W.counted(one['repeated_packets'], 'packet')} " \
                f"({size} {'byte' if size == '1' else 'bytes'} of payload)"
            if one["repeated_answered"]:
                text += f", {one['repeated_answered']} of which {other} had answered before"
            said.append(text)
    stall = max(flow[way]["stall_max_ns"] or 0 for way in text_stats.WAYS)
    if stall:
        said.append(f"at most {W.took(stall)} without a packet while a request waited for its response")
    return said


def of_commands(about, objects):
    """Unusual commands: what is said of them upper_story.py compares with the bytes."""
    of_it = [one for one in objects.get("command", []) if one["connection"] == about["connection"]]
    if about["commands"]:
        alone = len(about["commands"]) + about["more_commands"] == 1
        yield f"  of {W.counted(len(of_it), 'command')}, {'one is' if alone else 'some are'} unusual"
    for one in about["commands"]:
        yield f"  frame {one['frame']}: {one['text']}"
    if about["more_commands"]:
        yield f"  and so on: {W.counted(about['more_commands'], 'more command')} (--stats --format json has all)"


def lines_of(story, sentences, cm, commands):
    """The lines below the first."""
    flow = story.flow
    if story.lines[0]["event"]["frame"] != flow["first_frame"]:
        yield f"  frame {flow['first_frame']}: it begins"
    for line, sentence in zip(story.lines, sentences):
        later = f", {W.took(line['after'])} later" if line["after"] else ""
        yield f"  frame {line['event']['frame']}{later}: {sentence}"
    if story.more:
        last = max(event["frame"] for event in story.more)
        yield f"  and so on: {W.counted(len(story.more), 'more event')}, up to frame {last}"
    yield from in_all(flow)
    yield from commands
    doubt = text_stats.doubts(flow)
    yield f"  last frame {flow['last_frame']}: {text_sums.state_of(flow, cm)}{how_it_ended(flow, cm)}" + \
        (f" (doubt: {', '.join(doubt)})" if doubt else "")


def how_it_ended(flow, cm):
    """What its state does not say."""
    if text_stats.is_iwarp(flow):
        return {"failed": "; a Terminate ended it", "closed": "", "rejected": ""}.get(flow["state"], "; its end is not in the capture")
    if flow["state"] == "failed":
        fatal = any(flow[way][name] for way in text_stats.WAYS for name in FATAL)
        return "; a NAK ended it" if fatal else "; its retries were used up"
    return "" if cm and cm["ended_by"] else "; its end is not in the capture"


def compare(where, lines, want):
    for one in want:
        got = lines.peek()
        if got != one:
            yield f"{where}: {got!r}, by the events {one!r}"
            break
        lines.next()
    while lines.peek().startswith("  ") and ": " in lines.peek():
        yield f"{where}: one line too many: {lines.next()!r}"


def objects_differ(where, said, told, story, sentences):
    """[fault] of JSON: the object of the story and those of its events."""
    if (told["events"], told["more"]) != (len(story.lines), len(story.more)):
        yield f"{where}: JSON has {told['events']} events and {told['more']} more, not {len(story.lines)} and {len(story.more)}"
    for one, line, sentence in zip(said, story.lines, sentences):
        event = line["event"]
        want = {"frame": event["frame"], "event": event["event"], "psn": event.get("psn"), "count": line["n"] + line["more"],
                "ns": line["after"], "cause": event["frames"], "text": sentence,
                "direction": "a_to_b" if story.side(event) == "A" else "b_to_a"}
        for name, value in want.items():
            if one[name] != value:
                yield f"{where}: {name} of the event in frame {event['frame']} is {one[name]!r} in JSON, not {value!r}"


def story(where, lines, objects, told, heard, asked, heading, begin_of):
    """[fault] of the story of a capture: what is told, in text and in JSON, and of which connection."""
    (about,) = objects["story"]
    flows = objects.get("flow", [])
    events = heard.events() if flows else []
    by_key = collections.defaultdict(list)
    for event in events:
        if event["event"] in told.roles or event["event"] == "mid-stream":
            by_key[key(event)].append(event)
    all_of_them = {flow["connection"]: Connection(told, flow, by_key[flow["first_frame"]]) for flow in flows}
    faulty = [one.flow for one in all_of_them.values() if one.lines]
    if asked == "auto":
        number = text_stats.worst_first(faulty)[0]["connection"] if faulty else about["connection"] if about["commands"] else None
    else:
        number = asked if asked in all_of_them else None
    it, commands = all_of_them.get(number), [*of_commands(about, objects)]
    if (about["connection"], about["connections"], about["faulty"]) != (number, len(flows), len(faulty)):
        yield f"{where}: JSON tells of connection {about['connection']}, one of {about['faulty']} faulty ones of " \
            f"{about['connections']}, not of {number}, {len(faulty)} and {len(flows)}"
    who = f" of connection {number}: {it.flow['service']} between A, {W.end(it.flow['a'])}, and B, {W.end(it.flow['b'])}" \
        if it else ""
    if it is None or not it.lines:
        text = nothing(it, flows, asked, commands)
        want = [f"{heading}: story{who}: {text}", *commands]
    else:
        it.lines[0]["after"] = max(0, it.lines[0]["event"]["time"] - begin_of(it.flow))
        sentences = [told.sentence(line, it.ends(line["event"]), (where, asked)) for line in it.lines]
        text = chosen(it, flows, len(faulty), asked, heard)
        cm = next((one for one in objects.get("cm", []) if one["connection"] == number), None)
        want = [f"{heading}: story{who}", f"  it is {text}", *lines_of(it, sentences, cm, commands)]
        yield from objects_differ(where, objects.get("event", []), about, it, sentences)
    if about["text"] != text:
        yield f"{where}: JSON says {about['text']!r}, by the events it is {text!r}"
    yield from compare(where, lines, want)
