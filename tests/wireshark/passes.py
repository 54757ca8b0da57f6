#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""passes.py PLUGIN MADE: what the first pass understood is there on later ones, once.

Who sent a packet that is inside another one, both of connections: RoCE v2 over IPoIB of connected mode. Findings
that are known at the end of a file, by its .expect: in tshark -2 and in sharkd, which reads it twice; and counted
once, where there is one pass only.
"""
import collections
import json
import pathlib
import re
import struct
import sys

import peers
import ws

ETHERNET = 1
IPOIB_CM = 0x1000000000000048  # RFC 4755, 3
LISTENER = 0x1060000 + 4420
TAKEOVER = ("-o", "ibwire.mode:takeover")
ALL = ("-o", "ibwire.severity:note", "-o", "ibwire.select:all")
# Captures, and what is found of each at its end.
AT_END = {"lint-cap-time-back": "CAP003", "lint-cap-fcs": "CAP012", "lint-cap-drops-erf": "CAP007",
          "lint-roc-no-checksum": "ROC007"}


def set_up(network, service_id, comm_id, client, server):
    """A REQ and its REP between hosts .1 and .2, of QPs @client and @server."""
    a, b = f"{network}.1", f"{network}.2"
    gids = b"".join(peers.gid(f"::ffff:{host}") for host in (a, b))
    yield peers.roce(a, b, peers.UD_SEND_ONLY, 1, peers.mad(
        peers.REQ, (0, struct.pack(">I", comm_id)), (8, struct.pack(">Q", service_id)),
        (32, client.to_bytes(3, "big")), (56, gids)))
    yield peers.roce(b, a, peers.UD_SEND_ONLY, 1, peers.reply(comm_id + 1, comm_id, server))


def over_ipoib(src, dst, qpn, frame):
    """What is in @frame, sent to an IPoIB connection's QP: RFC 4391, 6."""
    return peers.roce(src, dst, peers.RC_SEND_ONLY, qpn, b"\x08\x00\x00\x00" + frame[14:])


def nested():
    """[(frame, QPs it comes from, frames of their REPs)]"""
    for frame in [*set_up("10.7.0", IPOIB_CM, 0xaaaa, 0x111, 0x222),
                  *set_up("10.9.0", LISTENER, 0xcccc, 0x333, 0x444)]:
        yield frame, "", ""
    inner = peers.roce("10.9.0.1", "10.9.0.2", peers.RC_SEND_ONLY, 0x444, bytes(16))
    yield inner, "0x000333", "4"
    yield over_ipoib("10.7.0.1", "10.7.0.2", 0x222, inner), "0x000111,0x000333", "2,4"
    inner = peers.roce("10.9.0.2", "10.9.0.1", peers.RC_SEND_ONLY, 0x333, bytes(16))
    yield over_ipoib("10.7.0.2", "10.7.0.1", 0x111, inner), "0x000222,0x000444", "2,4"
    inner = peers.roce("10.9.0.2", "10.9.0.1", peers.RC_SEND_ONLY, 0x334, bytes(16))
    yield over_ipoib("10.7.0.2", "10.7.0.1", 0x111, inner), "0x000222", "2"
    # Nobody knows of the outer one.
    inner = peers.roce("10.9.0.2", "10.9.0.1", peers.RC_SEND_ONLY, 0x333, bytes(16))
    yield inner, "0x000444", "4"


def senders(tshark):
    rows = list(nested())
    capture = tshark.write("nested.pcap", ETHERNET, [(i, 0, len(data), data) for i, (data, *_) in enumerate(rows)])
    want = ["\t".join(said) for _, *said in rows]
    for options in ([], ["-2"]):
        have = tshark.read(capture, *TAKEOVER, *options, "-T", "fields", "-e", "ibwire.conv.sqpn", "-e",
                           "ibwire.conv.setup").splitlines()
        for i, (h, w) in enumerate(zip(have, want, strict=True), 1):
            if h != w:
                yield f"{options}: frame {i}: senders and REPs are {h!r}, not {w!r}"


def expected(path, rule):
    """{frame: 1} of those with findings of @rule."""
    rows = (line.split() for line in path.with_suffix(".expect").read_text().splitlines())
    return collections.Counter(int(row[0]) for row in rows if row[1:2] == [rule])


def of_tshark(tshark, capture, rule, *options):
    text = tshark.read(capture, *ALL, *options, "-2", "-Y", "ibwire.lint.rule", "-T", "fields", "-e", "frame.number",
                       "-e", "ibwire.lint.rule")
    rows = (line.split("\t") for line in text.splitlines())
    return collections.Counter(int(number) for number, rules in rows for found in rules.split(",") if found == rule)


def labels(tree):
    """The text of each item of sharkd's tree."""
    for node in tree:
        yield node.get("l", "")
        yield from labels(node.get("n", []))


def of_sharkd(sharkd, capture, rule):
    """The same of each frame's tree, read from the file anew."""
    item, found = re.compile(rf"Expert Info \(.*?\): {rule} "), collections.Counter()
    for frame in sharkd.load(capture, "ibwire.lint.rule"):
        answer = sharkd.ask({"method": "frame", "params": {"frame": frame["num"], "proto": True}})
        found[frame["num"]] += sum(bool(item.match(label)) for label in labels(json.loads(answer)["result"]["tree"]))
    return +found


def count(tshark, capture, rule, *options):
    """How many findings -z ibwire,lint counts."""
    text = tshark.read(capture, *ALL, *options, "-q", "-z", "ibwire,lint")
    found = re.search(rf"^{rule} +\w+ +(\d+)  ", text, re.M)
    return int(found[1]) if found else 0


def at_end(tshark, made):
    for name, rule in AT_END.items():
        path = made / f"{name}.pcap"
        capture, want = tshark.put(path), expected(path, rule)
        have = {"tshark -2": of_tshark(tshark, capture, rule),
                "tshark -2, take-over": of_tshark(tshark, capture, rule, *TAKEOVER)}
        with tshark.sharkd_running() as sharkd:
            sharkd.set("ibwire.severity", "note")
            sharkd.set("ibwire.select", "all")
            for turn in ("sharkd", "sharkd, once more"):
                have[turn] = of_sharkd(sharkd, capture, rule)
        yield from (f"{name}: {rule} in {who} is in {dict(found)}, not {dict(want)}" for who, found in have.items()
                    if found != want)
        counted = [count(tshark, capture, rule, *options) for options in ([], ["-2"])]
        if counted != [want.total()] * 2 or not want:
            yield f"{name}: -z counts {counted} of {rule} in one pass and two, not {want.total()}"


def main():
    tshark, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2])
    return ws.verdict([*senders(tshark), *at_end(tshark, made)], f"{len(AT_END)} files, packets in packets")


if __name__ == "__main__":
    sys.exit(main())
