# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""managed.py - what oracles of incidents that are about datagrams of managers have in common: conversations of the CM, requests of MADs,
transfers of RMPP; and of marks and CNPs, and of segments of iWARP. Each compares its own list, made from the bytes, with the incident lines of pcap-lint."""
import collections

import product

KINDS = ("cm", "mad", "rmpp", "congestion", "segment-lost")  # in the order of their numbers, after those of connections


def lines_of(lint, path, *options):
    """{type: lines of JSON}, whatever their level"""
    return product.lines(lint, path, ["--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", *options], {0, 2})[0]


def of_kind(lines, kind):
    """(its incident lines, the number that the first of them has)"""
    before = {*KINDS[KINDS.index(kind):]}
    first = 1 + max((line["incident"] for line in lines["incident"] if line["kind"] not in before), default=-1)
    return [line for line in lines["incident"] if line["kind"] == kind], first


def is_firm(line):
    return line["severity"] in ("error", "warning")


def set_rules(one, mine, firm, proofs, own):
    """The rules of the findings about it, @mine: how many there are; of those that are @firm the first of @proofs proves it."""
    counts = collections.Counter(f["rule"] for f in mine)
    one["rules"] = {rule: counts[rule] for rule in proofs if counts[rule]}
    one["rule"] = next((rule for rule in proofs if rule in firm), own)
    one["severity"] = "warning" if firm else "note"


def differences(called, ours, theirs):
    """[fault]: how many there are"""
    if len(ours) == len(theirs):
        return []
    return [f"{len(theirs)} incidents of {called}: frames {[line['frame'] for line in theirs]}, the oracle has "
            f"{len(ours)}: {[one['frame'] for one in ours]}"]


def unlike(one, line, inner):
    """[fault]: what an incident line says otherwise"""
    return [f"incident of frame {one['frame']}: {key}: {line[key]}, the oracle {value}" for key, value in one.items()
            if key not in inner and line[key] != value]


def part_of(findings, part, key):
    """[fault]: findings that are not part of the incident which @part has for their @key."""
    return [f"{f['rule']} of frame {f['frame']} is part of {f['incident']}, should be of {part.get(key(f))}"
            for f in findings if f["incident"] != part.get(key(f))]


def summed(results, kind, least):
    """(incidents, {what: incidents}, [fault]) of all captures of a kind of which there are @least incidents at least."""
    count, of, faults = 0, collections.Counter(), []
    for n, these, wrong in results:
        count += n
        of += these
        faults += wrong
    if kind in least and count < least[kind]:
        faults.append(f"{count} incidents, {least[kind]} at least")
    return count, of, faults
