# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The table of --stats, what -v adds below its rows, and who waited: read, and compared with the objects flow and waited.

COLUMNS has what each column is. What -v says of a figure is its title in track/way/figures.def and the number of its key.
"""
import re

import text_lines
import text_words as W

WAYS = {"a_to_b": ("a", "b"), "b_to_a": ("b", "a")}
DEF = "dissector/track/way/figures.def"
BAR = 40  # characters of the longest bar
VERBS = (("send", "SEND"), ("write", "WRITE"), ("read", "READ"), ("atomic", "atomic"), ("flush", "FLUSH"))
NO_MEANING = "-"
NAKS = ("nak_sequence", "nak_invalid_request", "nak_remote_access", "nak_remote_operational")
FATAL = ("nak_invalid_request", "nak_remote_access", "nak_remote_operational")
IWARP = {"fpdus": "FPDUs", "crc_bad": "FPDUs with a wrong CRC", "segments_crossed": "FPDUs in more than one segment"}
WAITS = {"recovery_ns": "recovery from loss", "rnr_ns": "no receive request posted (RNR)", "pause_ns": "paused by flow control",
         "cnp_ns": "slowed down by CNPs", "read_ns": "READ responses", "ack_ns": "ACKs", "application_ns": "application",
         "unknown_ns": "not known"}


def some(n):
    return str(n) if n else ""


def messages(way):
    """117 SEND, 4 READ, 64 ACK"""
    counts = [(way["messages"][key], title) for key, title in VERBS] + \
        [(way["response_packets"], "response"), (way["ack_packets"], "ACK")]
    return ", ".join(f"{n} {title}" for n, title in counts if n)


def is_iwarp(flow):
    return flow["service"] == "iWARP"


def known(flow, way, keys, text):
    """@text of figures, of which all have a meaning; "-": none has."""
    return NO_MEANING if is_iwarp(flow) and all(flow[way][key] is None for key in keys) else text(flow[way])


def resent_percent(way):
    return W.percent(way["retransmitted_packets"], way["packets"] if "fpdus" in way else way["request_packets"])


def resent(way):
    return f"{way['retransmitted_packets']} {resent_percent(way)} %" if way["retransmitted_packets"] else ""


# Title: what is in the column, of an object flow and a direction of it.
COLUMNS = {
    "connection": lambda flow, way: f"{flow['connection']}: {W.end(flow['a'])}" if way == "a_to_b" else f"<- {W.end(flow['b'])}",
    "service": lambda flow, way: " ".join(filter(None, [flow["service"], some(flow["mtu"] or flow.get("mss"))])) if way == "a_to_b" else "",
    "state": lambda flow, way: flow["state"] if way == "a_to_b" else ", ".join(doubts(flow)),
    "packets": lambda flow, way: some(flow[way]["packets"]),
    "bytes": lambda flow, way: W.size(flow[way]["wire_bytes"]) if flow[way]["packets"] else "",
    "messages": lambda flow, way: messages(flow[way]),
    "resent": lambda flow, way: resent(flow[way]),
    "NAK": lambda flow, way: known(flow, way, NAKS, lambda one: some(sum(one[key] for key in NAKS))),
    "RNR": lambda flow, way: known(flow, way, ("rnr_nak",), lambda one: some(one["rnr_nak"])),
    "timeouts": lambda flow, way: known(flow, way, ("timeouts",), lambda one: some(one["timeouts"])),
    "ACK p50/p99": lambda flow, way: known(flow, way, ("ack_time",), lambda one: W.times(one["ack_time"])),
    "CE": lambda flow, way: known(flow, way, ("ce_packets",), lambda one: some(one["ce_packets"])),
    "CNP": lambda flow, way: known(flow, way, ("cnp_packets",), lambda one: some(one["cnp_packets"])),
    "FPDUs": lambda flow, way: some(flow[way].get("fpdus")),
    "bad CRC": lambda flow, way: some(flow[way].get("crc_bad")),
    "stall": lambda flow, way: W.time(flow[way]["stall"]) if flow[way].get("stall") else "",
    "history": lambda flow, way: NO_MEANING if flow["history"] is None else flow["history"] if way == "a_to_b" else "",
}
NUMBERS = {"packets", "bytes", "resent", "NAK", "RNR", "timeouts", "ACK p50/p99", "CE", "CNP", "FPDUs", "bad CRC", "stall"}


def doubts(flow):
    """Those that the state does not say already."""
    return [name for name in flow["doubt"] if (name, flow["state"]) != ("mid-stream", "mid-stream")]


def both(flow, key):
    """The sum of a figure; 0: it has no meaning."""
    return (flow["a_to_b"][key] or 0) + (flow["b_to_a"][key] or 0)


def gaps(flow):
    """Of requests; those that were filled by what was only late are none."""
    return sum(flow[way]["gap_episodes"] for way in WAYS
               if flow[way]["psn_missing"] or flow[way]["retransmitted_packets"])


def response_gaps(flow):
    """Of a READ that is not asked for again, and has all its responses, some were only late."""
    back = dict(zip(WAYS, reversed(list(WAYS))))
    return sum(flow[way]["response_gaps"] for way in WAYS
               if flow[way]["response_missing"] or flow[back[way]]["retransmitted_packets"])


def badness(flow):
    """What there is to say against it; of two connections the first number that differs tells which is worse."""
    return ((flow["state"] == "failed") + sum(both(flow, key) for key in FATAL), both(flow, "timeouts"),
            max(resent_percent(flow[way]) for way in WAYS), both(flow, "nak_sequence"), both(flow, "rnr_nak"),
            0 if is_iwarp(flow) else gaps(flow) + response_gaps(flow), both(flow, "crc_bad" if is_iwarp(flow) else "icrc_bad"))


def worst_first(flows):
    return sorted(flows, key=lambda flow: ([-n for n in badness(flow)], -both(flow, "packets"), flow["connection"]))


def of_unit(unit, n):
    """A cell of -v: COUNT, NS or BYTES."""
    return str(n) if unit == "COUNT" else W.time(n) if unit == "NS" else W.size(n)


def scaled(unit, n):
    return W.time(n) if unit == "NS" else W.size(n)


def bars(unit, histogram):
    """A line each power of two from the first to the last that has any."""
    counts = {}
    for upper, count in histogram["histogram"]:
        power = (upper | 1).bit_length() - 1
        counts[power] = counts.get(power, 0) + count
    for power in range(min(counts), max(counts) + 1) if counts else ():
        count = counts.get(power, 0)
        low, high = scaled(unit, 2**power if power else 0), scaled(unit, 2**(power + 1))
        yield f"{count:18}  {low:>6} to {high:>6}  {'#' * -(-count * BAR // max(counts.values()))}"


def samples(title, unit, histogram):
    """One line: how many, and the times or sizes of the half and of 99 % of them."""
    if histogram["count"]:
        p50, p99 = (scaled(unit, n) for n in W.quantiles(histogram))
        yield f"{histogram['count']:18}  {title}: p50 {p50}, p99 {p99}, max {scaled(unit, histogram['max'])}"


def line(value, title, counter="NULL"):
    return f"{value:>18}  {title}" + ("" if counter == "NULL" else f" ({counter})")


def figure(macro, args, way):
    """The lines of one row of figures.def, of one direction."""
    if macro == "TRACK_VERB":
        if way["messages"][args[1]]:
            yield line(way["messages"][args[1]], f"messages: {args[2]}")
    elif macro == "TRACK_TIMES":
        yield from samples(args[2], "NS", way[args[1]])
        yield from bars("NS", way[args[1]])
    elif macro == "TRACK_SAMPLES":
        yield from samples(args[3], args[2], way[args[1]])
        if args[0] in ("MESSAGE_BYTES", "MESSAGE_TIME"):
            yield from bars(args[2], way[args[1]])
    elif way[args[0]]:
        if macro == "TRACK_MEASURE":
            yield line(of_unit(args[1], way[args[0]]), args[3], args[4])
        elif macro in ("TRACK_NAMED", "TRACK_FRAME"):
            yield line(way[args[0]], args[2])
        else:
            yield line(way[args[0]], *args[-2:])


def details(flow):
    """What -v adds of a connection."""
    for name, (sender, receiver) in WAYS.items():
        way = flow[name]
        if not way["packets"] and not way["icrc_bad"]:
            continue
        yield f"      {W.end(flow[sender])} -> {W.end(flow[receiver])}"
        for macro, args in W.macros(DEF):
            if macro in ("TRACK_FIGURE", "TRACK_COUNT", "TRACK_RARE") and is_iwarp(flow):
                yield from [line(way[args[0]], args[-2])] if way[args[0]] else []
            elif macro != "TRACK_TERM" and not (is_iwarp(flow) and macro != "TRACK_VERB"):
                yield from figure(macro, args, way)
        if is_iwarp(flow):
            yield from (line(way[key], title) for key, title in IWARP.items() if way[key])
            yield from [line(W.time(way["stall"]), "longest wait for missing bytes")] if way["stall"] else []
    if flow["waited"] and sum(flow["waited"].values()):
        yield f"      waited: {waits(flow['waited'])}"


def waits(object_):
    """Shares of all the time."""
    total = sum(object_[key] for key in WAITS)
    return ", ".join(f"{title} {W.share(object_[key], total)}" for key, title in WAITS.items() if object_[key])


def compare_details(where, lines, flow):
    for want in details(flow):
        got = lines.peek()
        if got != want:
            yield f"{where}: connection {flow['connection']}: {got!r}, by JSON {want!r}"
            break
        lines.next()
    while lines.peek().startswith("      ") and not lines.peek().startswith("   <- "):
        lines.next()  # what is left after a fault, or was too much
        yield f"{where}: connection {flow['connection']}: one line more: {lines.lines[lines.at - 1]!r}"


def connections(where, lines, flows, heading, verbose, whole):
    """[fault] of the table."""
    if not flows:
        return
    if not lines.take(f"{heading}: connections, worst first"):
        yield f"{where}: no table of {len(flows)} connections: {lines.peek()!r}"
        return
    read = text_lines.Table(lines.next(), NUMBERS)
    yield from text_lines.unknown(where, read.titles, list(COLUMNS), "COLUMNS of text_stats.py")
    shown = worst_first(flows)[:None if whole else text_lines.SHOWN]
    filled = set()
    for flow in shown:
        for way in WAYS:
            text = lines.next()
            got, want = row(read, text), {title: cell(flow, way) for title, cell in COLUMNS.items()}
            filled |= {title for title in want if want[title] not in ("", NO_MEANING)}
            want = {title: cell for title, cell in want.items() if cell != NO_MEANING or title in read.titles}
            if got is None:
                yield f"{where}: connection {flow['connection']}, {way}: a cell is in no column: {text!r}"
            else:
                yield from text_lines.differences(f"{where}: connection {flow['connection']}, {way}", got, want)
        if verbose:
            yield from compare_details(where, lines, flow)
    for title in set(read.titles) & set(COLUMNS) - filled:
        yield f"{where}: nothing of JSON is in column {title!r}"
    yield from text_lines.rest(where, lines, len(flows), whole)


def row(read, text):
    """The way back begins below the address of the way there, which is in the same column."""
    back = re.match(r" {3}(<- \S+(?: \S+)*)", text)
    return read.row(back[1] + " " * 3 + text[back.end():] if back else text)


def waited(where, lines, objects, heading):
    """[fault] of the line "who waited", which the object waited has in ns."""
    total = sum(objects[0][key] for key in WAITS) if objects else 0
    if not total:
        return
    n = objects[0]["connections"]
    want = f"{heading}: who waited: {waits(objects[0])}, of {W.time(total)} of " + \
        ("1 connection" if n == 1 else "all connections")
    got = lines.take(f"{heading}: who waited")
    if got != want:
        yield f"{where}: {got or lines.peek()!r}, by JSON {want!r}"
    for key in set(objects[0]) - set(WAITS) - {"type", "schema", "file", "connections"}:
        yield f"{where}: {key} of the object waited is not known here: WAITS of text_stats.py has them"
