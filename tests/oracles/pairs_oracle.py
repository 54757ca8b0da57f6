#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pairs_oracle.py PCAP-LINT MADE: objects `pair` of `--stats --format json` against the packets, as the oracle reads them.

Every packet with a BTH of each capture of pcaps/ and of MADE, of connections, datagrams and MADs, by source, destination and
service; and of captures written here with 1,023 to 1,026 pairs, and so many that nobody counts them.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import packet as P  # noqa: E402
import parallel  # noqa: E402
import writer  # noqa: E402

SERVICES = ("RC", "UC", "RD", "UD", "CNP", "XRC", "reserved", "reserved")
KEPT, COUNTED = 1024, 65536  # told apart; of the others
ENOUGH = {"RC": 100, "UC": 10, "UD": 100, "CNP": 5, "XRC": 5}  # pairs, of all captures
KEYS = ["type", "schema", "file", "source", "destination", "service", "packets", "bytes", "more"]
NAMES = {"source_node", "destination_node"}  # names_oracle.py compares them


def ends(net):
    """The texts of both addresses: an IPv4 address that is written as a GID is one where both are."""
    mapped = [isinstance(a, int) or a[:12] == bytes(10) + b"\xff\xff" for a in (net.src, net.dst)]
    if all(mapped):
        return P.address_text(net.src), P.address_text(net.dst)
    return tuple(f"::ffff:{P.address_text(a)}" if is_mapped else P.address_text(a)
                 for a, is_mapped in zip((net.src, net.dst), mapped, strict=True))


def counted(path):
    """{(source, destination, service): [packets, bytes]}"""
    found = collections.defaultdict(lambda: [0, 0])
    for record in capture.records(path):
        link = P.LINKS.get(record.link)
        net = link(record.data, 0) if link else None
        if net is None:
            continue
        end = net.end if net.end > net.at else len(record.data)  # a length of less than its header says nothing
        if net.at + P.BTH > min(end, len(record.data)):
            continue
        one = found[(*ends(net), SERVICES[record.data[net.at] >> 5])]
        one[0] += 1
        one[1] += max(record.length, len(record.data))
    return found


def product(lint, paths, *options):
    """{path: [pair]}"""
    run = subprocess.run([lint, "--stats", "--format", "json", "--ignore", "all", "--select", "CAP008", "-q", *options, *paths],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    rows = collections.defaultdict(list)
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"pair"'):
            row = json.loads(line)
            rows[row["file"]].append(row)
    return rows


def differences(name, rows, want):
    """[fault] of the objects of one capture"""
    if any([key for key in row if key not in NAMES] != KEYS for row in rows):
        yield f"{name}: the keys are {list(rows[0])}"
        return
    named = [row for row in rows if row["source"] is not None]
    got = {(row["source"], row["destination"], row["service"]): [row["packets"], row["bytes"]] for row in named}
    if len(got) != len(named) or [row["packets"] for row in named] != sorted((row["packets"] for row in named), reverse=True):
        yield f"{name}: a pair is there twice, or they are not in order of their packets"
    if len(named) != min(len(want), KEPT):
        yield f"{name}: {len(named)} pairs of {len(want)}"
    for key in sorted(got):
        if got[key] != want.get(key):
            yield f"{name}: {key}: {got[key]} packets and bytes, not {want.get(key)}"
    more = min(len(want) - len(named), COUNTED)
    total = [sum(some) for some in zip(*want.values())]
    rest = [n - sum(row[i] for row in named) for n, i in zip(total, ("packets", "bytes"))]
    others = [[row["packets"], row["bytes"], row["more"], row["destination"], row["service"]] for row in rows if row["source"] is None]
    if others != ([[*rest, more, None, None]] if more else []) or any(row["more"] for row in named):
        yield f"{name}: of others {others}, not {rest} of {more}"


def of_captures(paths, lint):
    """({service: pairs}, [fault]) of some captures"""
    found, faults, services = product(lint, paths), [], collections.Counter()
    for path in paths:
        try:
            want = counted(path)
        except capture.Skipped:
            continue
        services += collections.Counter(service for _, _, service in want)
        faults += differences(path.name, found.get(str(path), []), want)
    return services, faults


def written(lint):
    """[fault] of captures with so many pairs, those of few packets last."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory) / "pairs.pcap"
        for n in (KEPT - 1, KEPT, KEPT + 1, KEPT + 2, KEPT + COUNTED + 1):
            to = writer.End("192.0.2.2", 2)
            sources = [writer.End(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}", 1) for i in range(n)]
            senders = [*sources, *sources[:40], *sources[-3:], sources[7]]
            path.write_bytes(writer.pcap(1, [(10**18 + i, writer.frame("ipv4", one, to, writer.UD_SEND_ONLY, 2, i & 0xffffff, i % 9 * 4))
                                             for i, one in enumerate(senders)]))
            yield from differences(f"{n} pairs", product(lint, [path]).get(str(path), []), counted(path))
        if product(lint, [path], "--host", "10.0.0.1"):
            yield "pairs though a host is asked for"


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    kinds = [sorted((ROOT / "pcaps").glob("*/*.pcap*")), sorted(made.glob("*.pcap*"))]
    if not all(kinds):
        print("no captures in pcaps or in", made)
        return True
    faults, services = list(written(lint)), collections.Counter()
    for some, wrong in parallel.each(of_captures, parallel.parts([path for kind in kinds for path in kind]), lint):
        services, faults = services + some, faults + wrong
    print("\n".join(fault[:400] for fault in faults[:40]))
    print(f"pairs: {dict(services)}, {len(faults)} faults")
    return bool(faults) or any(services[name] < least for name, least in ENOUGH.items())


if __name__ == "__main__":
    sys.exit(main())
