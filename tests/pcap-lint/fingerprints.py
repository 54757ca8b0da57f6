#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fingerprints.py PCAP-LINT MADE: partialFingerprints of --format sarif stay what they are, in all captures.

Each capture is read again under another name, a day later, and CUTS times without its first packets, so many as are drawn. finding/v1 of
all results is the same under the other name, and of none a day later; cause/v1 is the same in both. Of a capture that is cut, what is said
of a packet has both fingerprints of what is said of it in the whole one: results are paired by rule and packet, for which a cut file has
other numbers, and where as many are of one rule and one packet, their fingerprints are the same; cause/v1 only if the upper layer is in both. No two results
of a capture have the same finding/v1.
"""
import collections
import gzip
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))

import first_fault  # noqa: E402
import sample  # noqa: E402

CUTS = 3
DAY = 86400
NAMES = ("finding/v1", "cause/v1")
ORDERS = {b"\xd4\xc3\xb2\xa1": "<", b"\x4d\x3c\xb2\xa1": "<", b"\x34\xcd\xb2\xa1": "<",
          b"\xa1\xb2\xc3\xd4": ">", b"\xa1\xb2\x3c\x4d": ">", b"\xa1\xb2\xcd\x34": ">"}
PACKETS = (2, 3, 6)  # blocks of pcapng that are packets


def pieces(data):
    """[(is it a packet, octets)] of a file; None of a form that is not known here, or of one that is not whole."""
    order, some = ORDERS.get(data[:4]), []
    if order:
        head, at = 24 if data[:4] in (b"\x34\xcd\xb2\xa1", b"\xa1\xb2\xcd\x34") else 16, 24
        some.append((False, data[:24]))
        while at + head <= len(data):
            size = head + struct.unpack_from(f"{order}I", data, at + 8)[0]
            some.append((True, data[at:at + size]))
            at += size
        return some if at == len(data) else None
    if data[:4] != b"\x0a\x0d\x0d\x0a":
        return None
    at = 0
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if size < 12:
            return None
        some.append((kind in PACKETS, data[at:at + size]))
        at += size
    return some if at == len(data) else None


def without(some, n):
    """The file without its first @n packets."""
    kept, seen = [], 0
    for is_packet, octets in some:
        seen += is_packet
        if not is_packet or seen > n:
            kept.append(octets)
    return b"".join(kept)


def later(some):
    """A classic capture a day later; None of others, or where seconds do not fit."""
    order = ORDERS.get(some[0][1][:4])
    if not order:
        return None
    kept = []
    for is_packet, octets in some:
        if is_packet:
            seconds = struct.unpack_from(f"{order}I", octets)[0] + DAY
            if not DAY < seconds < 1 << 31:
                return None
            octets = struct.pack(f"{order}I", seconds) + octets[4:]
        kept.append(octets)
    return b"".join(kept)


def results(lint, path):
    done = subprocess.run([lint, "--config", "none", "--format", "sarif", "--severity", "note", "--fail-on", "never", path], capture_output=True,
                          check=False)
    if done.returncode:
        return None
    run, = json.loads(done.stdout)["runs"]
    return run["results"] if not run["properties"]["resultsLeftOut"] else None


def of_all(some, name):
    return collections.Counter(result["partialFingerprints"][name] for result in some)


def by_packet(some, before):
    """{(rule, kind, packet): [result]}: packets are numbered as in the whole capture."""
    found = collections.defaultdict(list)
    for result in some:
        names = [one["fullyQualifiedName"] for one in result["locations"][0].get("logicalLocations", []) if one["kind"] == "packet"]
        frame = int(names[0].rpartition(":")[2]) + before if names else 0
        found[result["ruleId"], result["properties"].get("kind"), frame].append(result)
    return found


def services(some):
    """Upper layers, which only the CM says: cause/v1 has them, and a file without its messages does not."""
    return collections.Counter(result["properties"]["service"] for result in some)


def of_cut(whole, cut, n):
    """(pairs compared, [fault])"""
    first, second = by_packet(whole, 0), by_packet(cut, n)
    pairs, faults = 0, []
    for key in sorted(second.keys() & first.keys(), key=str):
        if len(first[key]) != len(second[key]):
            continue
        pairs += len(first[key])
        for name in NAMES:
            if name == "cause/v1" and services(first[key]) != services(second[key]):
                continue
            if of_all(first[key], name) != of_all(second[key], name):
                one, other = ({"message": some[0]["message"]["text"], **some[0]["properties"]} for some in (first[key], second[key]))
                faults.append(f"{n} packets cut: {name} of {key}: " + ", ".join(f"{what} {one[what]!r}, was {other.get(what)!r}" for what in one
                                                                           if one[what] != other.get(what)))
    return pairs, faults


def checked(lint, path, some, results_of_it, tmp):
    """(pairs compared of cut ones, [fault])"""
    faults, pairs, n = [], 0, sum(is_packet for is_packet, _ in some)
    other = tmp / "another name"
    other.write_bytes(without(some, 0))
    for name in NAMES:
        if of_all(results(lint, other), name) != of_all(results_of_it, name):
            faults.append(f"another name: {name}")
    faults += [f"{n} results have one finding/v1" for n in of_all(results_of_it, "finding/v1").values() if n > 1]
    tomorrow = later(some)
    if tomorrow:
        other.write_bytes(tomorrow)
        then = results(lint, other)
        if of_all(then, "cause/v1") != of_all(results_of_it, "cause/v1"):
            faults.append("a day later: cause/v1")
        if of_all([one for one in then if one["properties"]["time"]], "finding/v1") & of_all(results_of_it, "finding/v1"):
            faults.append("a day later: finding/v1 is the same")
    draw = random.Random(path.name)
    for cut in sorted({draw.randrange(1, n) for _ in range(CUTS)} if n > 1 else ()):
        other.write_bytes(without(some, cut))
        rest = results(lint, other)
        if rest is None:
            continue
        more, wrong = of_cut(results_of_it, rest, cut)
        pairs += more
        faults += wrong
    return pairs, faults


def main(lint, made):
    captures = [*sorted(ROOT.glob("pcaps/*/*.pcap*")), *sorted(pathlib.Path(made).glob("*.pcap*"))]
    faults, pairs, looked_at = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="ibwire-fingerprints-") as directory:
        for path in sample.rows(captures, lambda path: path.name):
            data = path.read_bytes()
            some = pieces(gzip.decompress(data) if path.suffix == ".gz" else data)
            whole = results(lint, path) if some else None
            if whole is None:
                continue
            more, wrong = checked(lint, path, some, whole, pathlib.Path(directory))
            looked_at += 1
            pairs += more
            faults += [f"{path.name}: {fault}" for fault in wrong]
            if first_fault.ends(faults):
                break
    print(*faults, f"{looked_at} of {len(captures)} captures, {pairs} results of cut ones, {len(faults)} faults", sep="\n")
    return bool(faults) or not pairs


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2]))
