#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fault_kinds.py PCAP-LINT MADE: ten kinds of fault are told apart in words.

Each in a conversation of pcaps/streams that was written from what defines the kind, and in real captures, where the
fault was made on purpose (pcaps/README.md). What pcap-lint says has the words of the kind, and of no other one.

Host B is at fault in each capture: of the two, it is the one that is named. For how long nothing came from it, and
which PSNs were lost, the bytes of the capture say.
"""
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What is said of a kind, and where. A capture without "/" is in MADE. B: the address of host B; QUIET: for how long
# nothing came from it; LOST: the PSN of one of its sequence NAKs, and where that request was lost.
KINDS = {
    "bad R_Key": ("that R_Key was never accepted on this connection", "streams-kind-bad-rkey faults/08-badkey-write"
                  " faults/08-badkey-read faults/08-badkey-fadd"),
    "bad range": ("that R_Key was accepted with another range", "streams-kind-bad-range faults/08-range-write"
                  " faults/08-range-read"),
    "no access right": ("probably no access right", "streams-kind-no-access-right"),
    "no receive posted": ("RNR NAK", "streams-kind-no-receive faults/05-rnr-finite"),
    "receive too small": ("the receive buffer is probably too small", "streams-kind-receive-too-small faults/07-recv-too-small"),
    "QP gone": ("B answers on other connections: the queue pair is gone, or only its packets are lost|the queue pair at B is gone",
                "streams-kind-qp-gone faults/09b-server-killed"),
    "peer gone": ("nothing at all from B any more", "streams-kind-peer-gone faults/04-retry-exceeded"),
    "link cut": ("nothing at all from B for QUIET, then again: as by a cut link", "streams-kind-link-cut-seen"
                 " faults/01-cut-write faults/01b-cut-read faults/01c-linkdown-send"),
    "loss on the path": ("sequence NAK for LOST the capture point", "streams-kind-path-loss faults/03d-nak-loss"
                         " rxe/12d-netem-loss5"),
    "corruption": ("one flipped bit explains it", "streams-kind-corruption rxe/12g-netem-corrupt-badicrc"),
}
ACKNOWLEDGE, NAK_SEQUENCE, READ_REQUEST = 0x11, 0x60, 0x0c
READ_NS = 10**7  # responses that came are not looked at one by one here: a READ of which some are missing waits a little less
READ_GOES_ON, ANSWERS = {0x0d, 0x0e}, {0x0d, 0x0e, 0x0f, 0x10, ACKNOWLEDGE}
# Corruption is loss on the path, too, which NAKs say; after an RNR NAK and on a way that lost packets both go on.
TOO = {"corruption": {"loss on the path"}, "no receive posted": {"loss on the path"}}


def said(lint, path):
    """Each finding by itself, also those that are part of an incident."""
    return subprocess.run([lint, "--max-per-rule", "0", "--fail-on", "never", "--progress", "never", path], check=True,
                          capture_output=True, text=True).stdout


def packets(path):
    """[(time in ns, source, opcode, PSN, syndrome, AckReq)] of the RoCE v2 packets over IPv4."""
    data, at = path.read_bytes(), 24
    while at < len(data):
        seconds, fraction, caplen, _ = struct.unpack_from("<IIII", data, at)
        frame, at = data[at + 16:at + 16 + caplen], at + 16 + caplen
        if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[36:38] == b"\x12\xb7":
            ns = seconds * 10**9 + fraction * (1 if data[:4] == b"\x4d\x3c\xb2\xa1" else 1000)
            yield ns, ".".join(map(str, frame[26:30])), frame[42], int.from_bytes(frame[51:54], "big"), frame[54], \
                frame[50] >> 7


def quiet_for(path, b):
    """The longest time from the first packet that waited for an answer of B to its next packet, as people read it."""
    waiting, longest = {}, 0  # PSN -> when it was sent first
    for ns, source, opcode, psn, syndrome, ackreq in packets(path):
        if source != b:
            if ackreq or opcode == READ_REQUEST:
                waiting.setdefault(psn, ns)
            continue
        if waiting and opcode in ANSWERS:
            longest = max(longest, ns - min(waiting.values()))
            done = psn - (opcode == ACKNOWLEDGE and syndrome >= NAK_SEQUENCE)
            below = [one for one in waiting if one <= done]
            if opcode in READ_GOES_ON and below:
                below.remove(max(below))
            for one in below:
                del waiting[one]
    return "|".join({as_read(longest), as_read(longest - READ_NS)})


def as_read(ns):
    tenths, ms = (ns + 10**8 // 2) // 10**8, (ns + 10**6 // 2) // 10**6
    return f"{tenths / 10} s" if ms >= 1000 else f"{ms} ms"


def lost(path, b):
    """Of B's sequence NAKs: what they ask for passed the capture point before, or did not."""
    seen, said_of = set(), set()
    for _, source, opcode, psn, syndrome, _ in packets(path):
        if source != b:
            seen.add(psn)
        elif opcode == ACKNOWLEDGE and syndrome == NAK_SEQUENCE:
            said_of.add(f"PSN 0x{psn:06x}: lost {'after' if psn in seen else 'before'}")
    return "|".join(sorted(said_of)) or "no NAK"


def pattern(words, path, b):
    for name, value in (("QUIET", quiet_for), ("LOST", lost)):
        if name in words:
            words = words.replace(name, f"({value(path, b)})")
    return re.sub(r"\bB\b", re.escape(b), words)


def main(lint, made):
    faults, count = [], 0
    for kind, (_, captures) in KINDS.items():
        for capture in captures.split():
            path = ROOT / f"pcaps/{capture}.pcap" if "/" in capture else pathlib.Path(made) / f"{capture}.pcap"
            text, b = said(lint, path), "10.7.0.2" if "/" in capture else "192.0.2.2"
            found = {other for other, (words, _) in KINDS.items() if re.search(pattern(words, path, b), text)}
            count += 1
            if kind not in found or found - {kind} - TOO.get(kind, set()):
                faults.append(f"{capture}: {kind} is taken for {', '.join(sorted(found)) or 'nothing'}")
    print("\n".join([*faults, f"{len(KINDS)} kinds in {count} captures, {len(faults)} faults"]))
    return 1 if faults or len(KINDS) != 10 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
