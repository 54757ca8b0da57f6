#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""incidents_by_hand.py PCAP-LINT: what incidents cost, worked out by hand from the frames of three captures.

Somebody read these frames, and neither pcap-lint's nor an oracle's output: where the root was first in the way, who noticed,
where it was sent again, what answered it. The times between them are those of the file. What README's table of such incidents
had before there were any is here, too: the sums and single times that two scripts found, written apart from each other.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import product  # noqa: E402

# (capture, root): frames of its beginning, notice, resend and end, and why the time begins there
BY_HAND = {
    # NAK 990 acknowledges all below the root and asks for it; 71 ms pass until 1000 sends it again, as much until ACK 1022.
    ("rxe/12-drop-at-receiver-write.pcap", 0xa3491b): (990, 990, 1000, 1022),
    # QP 67: READ Request 259 asks for 0x1ca895 to 97; 273 is the response of 96, and that of 95, which is before it, never came.
    # Response 272 is the last one in order; 373 asks again, and 374 is the response.
    ("faults/11b-16qp-read-loss.pcap", 0x1ca895): (272, 272, 373, 374),
    # NAK 207 acknowledges all below the root, which was discarded twice (189, 197); 213 sends it again, 222 acknowledges it.
    ("faults/10e-swap-write.pcap", 0x566d39): (207, 207, 213, 222),
}
# Where the notice is the resend itself: nobody asked, and the time until the resend is that until somebody noticed.
BY_TIMER = {("faults/11b-16qp-read-loss.pcap", 0x1ca895)}
# Milliseconds that incidents of more than one took, in order
TOOK = {
    "faults/02-ack-loss-send.pcap": [74.94, 69.62, 66.66],
    "faults/03c-tail-loss-write.pcap": [60.23, 5.77],
    "faults/06-rnr-infinite.pcap": [2706.93],
    "faults/11b-16qp-read-loss.pcap": [68.33, 70.16, 3.21, 65.70],
}
# Milliseconds of all incidents of a capture: lost = noticed + resent + repaired
SUMS = {"rxe/12-drop-at-receiver-write.pcap": (664, 1, 547, 116)}
MS = 10**6


def incidents_of(lint, name):
    found, _ = product.lines(lint, ROOT / "pcaps" / name, ["--severity", "note", "--max-per-rule", "0"], (0, 1))
    return found["incident"]


def by_hand(name, root, frames, incident, times):
    begin, notice, resent, end = (times[frame] for frame in frames)
    asked = resent if (name, root) in BY_TIMER else notice
    want = {"lost": end - begin, "noticed": asked - begin, "resent": resent - asked, "repaired": end - resent}
    where = {"resent": frames[2], "end": frames[3]}
    if (name, root) not in BY_TIMER:
        where["notice"] = frames[1]
    have = {frame: incident["frames"][frame] for frame in where}
    faults = [] if incident["ns"] == want else [f"{name}: root {root:#x}: {incident['ns']}, by hand {want}"]
    return faults + ([] if have == where else [f"{name}: root {root:#x}: frames {have}, by hand {where}"])


def main():
    names = sorted({name for name, _ in BY_HAND} | {*TOOK} | {*SUMS})
    of = {name: incidents_of(sys.argv[1], name) for name in names}
    faults = []
    for (name, root), frames in BY_HAND.items():
        times = {record.number: record.time for record in capture.records(ROOT / "pcaps" / name)}
        these = [i for i in of[name] if i["root_psn"] == root]
        faults += by_hand(name, root, frames, these[0], times) if len(these) == 1 else [f"{name}: {len(these)} of root {root:#x}"]
    for name, want in TOOK.items():
        have = [i["ns"]["lost"] for i in of[name] if i["ns"]["lost"] >= MS]
        if len(have) != len(want) or any(abs(ns - ms * MS) > MS / 100 for ns, ms in zip(have, want)):
            faults.append(f"{name}: {have} ns, by hand {want} ms")
    for name, want in SUMS.items():
        have = [sum(i["ns"][part] for i in of[name]) for part in ("lost", "noticed", "resent", "repaired")]
        if [round(ns / MS) for ns in have] != list(want):
            faults.append(f"{name}: {have} ns in all, by hand {want} ms")
    print(f"{len(BY_HAND)} incidents by hand, {sum(map(len, TOOK.values()))} times, {len(SUMS)} sums")
    print(*faults, sep="\n")
    return bool(faults)


sys.exit(main())
