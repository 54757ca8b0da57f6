# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Which findings are part of which incident, and which incidents have one cause, worked out from the other keys of JSON.

A finding of a rule that tells traces of incidents is part of the incident of its connection that went on at its frame: of the
way of the requests that it is about, else of the other one; if none did, of the one that it belongs to by what was in the way, whose
first copy came before; else the same is asked of its related frames. Of several the one that began last.
"""
import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = set("QPS002 QPS003 QPS006 QPS008 QPS010 QPS011 QPS012 QPS014 QPS015 QPS016 QPS017 QPS018 QPS021 QPS033 QPS034 QPS035 QPS037".split())
# Part of incidents of conversations, of MADs, of transfers, of congestion, and of iWARP: cm_, mad_, rmpp_, congestion_ and segment_incidents_oracle.py
OF_MANAGERS = {"CMS003", "CMS004", "CMS009", "CMS011", "MAD009", "MAD014", "RMP006", "RMP013", "CNG003", "CNG004", "IWP029"}
MANAGED = {"cm", "mad", "rmpp", "congestion", "segment-lost"}
OF_CONNECTIONS = {"congestion", "segment-lost"}  # of those; a conversation of the CM may have set up nothing
RELATED, LIKE, STEPS, NS = 8, 31, 256, 10**9
WAYS = ("a_to_b", "b_to_a")
EVENTS = (ROOT / "dissector/track/base/event.def").read_text()
IDS = {name: of for of, name in re.findall(r'^TRACK_EVENT\((\w+), "([\w-]+)"', EVENTS, re.M)}
BY_ANSWERS = set(re.findall(r"^TRACK_UNTRUE\((\w+), ANSWERS", EVENTS, re.M))
FLOW = re.compile(r"(.+) -> (.+) qp 0x([0-9a-f]+)")


def way_of(finding, flow):
    """The way of the requests; None: the addresses and queue pairs of both are the same."""
    src, dst, qpn = FLOW.fullmatch(finding["flow"]).groups()
    ends = [(flow[one]["address"], flow[other]["address"], flow[other]["qpn"]) for one, other in (("a", "b"), ("b", "a"))]
    ways = [way for way, end in zip(WAYS, ends) if end[:2] == (src, dst) and end[2] in (None, int(qpn, 16))]
    if len(ways) != 1:
        return None
    answers = "event" in finding and IDS[finding["event"]["name"]] in BY_ANSWERS
    return WAYS[1 - WAYS.index(ways[0])] if answers else ways[0]


def last_of(one):
    return one["frames"]["last"] if one["ended"] else float("inf")


def last_begun(incidents, frame, begins):
    """Of those that @frame is within the one that began last; but if that is over, the one that goes on longest."""
    begun = sorted((begins(one), one["incident"], one) for one in incidents if begins(one) <= frame)
    if not begun:
        return None
    found = begun[-1][2]
    if last_of(found) < frame:
        found = max((one for *_, one in reversed(begun)), key=last_of)
    return found if last_of(found) >= frame else None


def shown(one):
    return one["frame"]


def first(one):
    return min(one["frames"]["root"] or one["frame"], one["frame"])


def part_of(finding, way, incidents):
    """The number of its incident; None: of none."""
    for frame in [finding["frame"], *finding["related"][:RELATED]]:
        for of in (way, *(other for other in WAYS if other != way)):
            mine = [one for one in incidents if one["direction"] == of]
            found = last_begun(mine, frame, shown) or last_begun(mine, frame, first)
            if found:
                return found["incident"]
    return None


def hosts(one, flows):
    a, b = ("a", "b") if one["direction"] == "a_to_b" else ("b", "a")
    return flows[one["connection"]][a]["address"], flows[one["connection"]][b]["address"]


def alike(one, incidents, flows, times):
    """Connections whose incidents have the same cause, as far as anybody can tell; whether all of them are looked at."""
    found = [other["connection"] for other in incidents
             if other["kind"] == one["kind"] and (other["severity"] == "note") == (one["severity"] == "note") and
             hosts(other, flows) == hosts(one, flows) and abs(times[other["frame"]] - times[one["frame"]]) <= NS]
    like = {*found} - {one["connection"]}
    return like, len(like) < LIKE // 2 and len(found) <= STEPS


def of_findings(findings, flows, of_connection):
    """[fault], and counts what is part of what."""
    counts = collections.defaultdict(collections.Counter)
    faults = []
    for finding in findings:
        connection, number = finding["connection"], finding["incident"]
        traces = finding["rule"] in TRACES and connection in flows and finding["flow"]
        way = way_of(finding, flows[connection]) if traces else None
        wanted = part_of(finding, way, of_connection[connection]) if traces else None
        if number is not None:
            counts[number][finding["rule"]] += 1
        if finding["rule"] not in OF_MANAGERS and number != wanted and (way or not traces):
            faults.append(f"{finding['rule']} of frame {finding['frame']} is part of incident {number}, should be of {wanted}")
    return faults, counts


def faults(lines, times):
    """[fault] of what --stats --severity perf --max-per-rule 0 says; @times of frames."""
    flows = {line["connection"]: line for line in lines if line["type"] == "flow"}
    incidents = [line for line in lines if line["type"] == "incident"]
    of_connection = collections.defaultdict(list)
    for one in incidents:
        if one["kind"] not in MANAGED:
            of_connection[one["connection"]].append(one)
    found, counts = of_findings([line for line in lines if line["type"] == "finding"], flows, of_connection)
    for one in incidents:
        if one["rules"] != counts[one["incident"]]:
            found.append(f"incident {one['incident']} has {one['rules']}, its findings are {dict(counts[one['incident']])}")
        if one["kind"] in MANAGED:
            continue
        like, whole = alike(one, incidents, flows, times)
        mine, *others = one["connections"]
        if mine != one["connection"] or len(set(others)) != len(others) or (set(others) != like if whole else not set(others) <= like):
            found.append(f"incident {one['incident']} is told with {one['connections']}, should be with {sorted(like)}")
    told = collections.Counter(one["connection"] if one["kind"] not in MANAGED - OF_CONNECTIONS else "managers" for one in incidents if one["severity"] != "note")
    for number, flow in flows.items():
        if flow["incidents"] != told[number]:
            found.append(f"connection {number} has {flow['incidents']} incidents, should have {told[number]}")
    if sorted(flow["rank"] for flow in flows.values()) != [*range(1, len(flows) + 1)]:
        found.append(f"ranks are {[flow['rank'] for flow in flows.values()]}")
    if lines[-1]["incidents"] != sum(told.values()):
        found.append(f"the summary counts {lines[-1]['incidents']} incidents, there are {sum(told.values())}")
    return found
