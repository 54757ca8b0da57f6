# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What was captured twice: of captures that are so by how they were made, the later one of two equal packets is a copy.

Equal are packets with the same bytes from the network header on but for what routers and switches change: DSCP, ECN, TTL, and
checksums, FECN and BECN. Whether a capture is so is not found out here: MANIFEST and pcaps/make_lint_cap.c say it.
"""
import collections

TWICE = {"31b-mirror-twice", "31d-mirror-cm-loss-twice", "55-merged-two-points-write", "lint-cap-copies", "lint-cap-copies-same",
         "lint-cap-copies-late", "lint-cap-copies-clock"}
IPV4, VLANS = b"\x08\x00", (b"\x81\x00", b"\x88\xa8")


def unchanging(data):
    """What of an Ethernet frame with IPv4 is as its sender made it; None: it is another one."""
    at = 12
    while data[at:at + 2] in VLANS:
        at += 4
    if data[at:at + 2] != IPV4:
        return None
    out = bytearray(data[at + 2:])
    out[1] = out[8] = out[10] = out[11] = 0
    if out[9] == 17 and len(out) > 40:
        out[26] = out[27] = out[32] = 0
    return bytes(out)


def are_told(path):
    return path.stem in TWICE


def split(records):
    """([those that are no copies], [copies])"""
    seen, kept, copies = collections.Counter(), [], []
    for record in records:
        key = unchanging(record.data)
        seen[key] += 1
        (copies if key is not None and seen[key] % 2 == 0 else kept).append(record)
    return kept, copies
