#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fault_kinds.py PCAP-LINT MADE: ten kinds of fault are told apart in words.

Each in a conversation of pcaps/streams that was written from what defines the kind, and in real captures, where the
fault was made on purpose (pcaps/README.md). What pcap-lint says has the words of the kind, and of no other one.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What is said of a kind, and where. A capture without "/" is in MADE.
KINDS = {
    "bad R_Key": ("that R_Key was never accepted on this connection", "streams-kind-bad-rkey faults/08-badkey-write"
                  " faults/08-badkey-read faults/08-badkey-fadd"),
    "bad range": ("that R_Key was accepted with another range", "streams-kind-bad-range faults/08-range-write"
                  " faults/08-range-read"),
    "no access right": ("probably no access right", "streams-kind-no-access-right"),
    "no receive posted": ("RNR NAK", "streams-kind-no-receive faults/05-rnr-finite"),
    "receive too small": ("the receive buffer is probably too small", "streams-kind-receive-too-small faults/07-recv-too-small"),
    "QP gone": (r"answers on other connections: the queue pair is gone|the queue pair at \S+ is gone",
                "streams-kind-qp-gone faults/09b-server-killed"),
    "peer gone": (r"nothing at all from \S+ any more", "streams-kind-peer-gone faults/04-retry-exceeded"),
    "link cut": (r"nothing at all from \S+ for \S+ \S+, then again", "streams-kind-link-cut-seen faults/01-cut-write"
                 " faults/01b-cut-read faults/01c-linkdown-send"),
    "loss on the path": ("sequence NAK for PSN .*: lost", "streams-kind-path-loss faults/03d-nak-loss"
                         " rxe/12d-netem-loss5"),
    "corruption": ("one flipped bit explains it", "streams-kind-corruption rxe/12g-netem-corrupt-badicrc"),
}
# Corruption is loss on the path, too, which NAKs say; after an RNR NAK and on a way that lost packets both go on.
TOO = {"corruption": {"loss on the path"}, "no receive posted": {"loss on the path"}}


def said(lint, capture, made):
    path = ROOT / f"pcaps/{capture}.pcap" if "/" in capture else made / f"{capture}.pcap"
    return subprocess.run([lint, "--fail-on", "never", "--progress", "never", path], check=True, capture_output=True,
                          text=True).stdout


def main(lint, made):
    faults, count = [], 0
    for kind, (_, captures) in KINDS.items():
        for capture in captures.split():
            text = said(lint, capture, pathlib.Path(made))
            found = {other for other, (words, _) in KINDS.items() if re.search(words, text)}
            count += 1
            if kind not in found or found - {kind} - TOO.get(kind, set()):
                faults.append(f"{capture}: {kind} is taken for {', '.join(sorted(found)) or 'nothing'}")
    print("\n".join([*faults, f"{len(KINDS)} kinds in {count} captures, {len(faults)} faults"]))
    return 1 if faults or len(KINDS) != 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
