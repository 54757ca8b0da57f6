# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Incidents of congestion from the bytes: the directions of connections whose packets were marked CE, or that CNPs are about.

Connections are those of pairing.py. A CNP within 10 us of a NAK of its sender is sent for the loss, and shows no congestion.
"""
import capture
import packet as P
import pairing
import text_words as W

TOGETHER, SEQUENCE_NAK = 10_000, 0x60
NONE = "no CNP known to be about them"  # where no finding says that none came at all
FRAMES = ("root", "lost", "notice", "nak", "resent", "end", "last")


class Way:
    """What is seen of a direction."""

    def __init__(self):
        self.marks, self.acks, self.cnps, self.bare, self.nak, self.packets = [], 0, [], None, None, 0

    def sent(self, packet):
        self.packets += 1
        if packet.ecn and packet.service != P.CNP:
            self.marks.append(packet)
            self.acks += packet.op == P.ACKNOWLEDGE

    def notified(self, packet):
        self.cnps.append(packet)
        if not self.marks and not self.bare and not (self.nak is not None and abs(packet.time - self.nak) <= TOGETHER):
            self.bare = packet

    def refused(self, packet):
        self.nak = packet.time
        if self.bare and abs(self.bare.time - packet.time) <= TOGETHER:
            self.bare = None


def span(packets):
    first, last = packets[0], packets[-1]
    if first is last:
        return f" in frame {first.frame}"
    took = f", in {W.time(last.time - first.time)}" if last.time > first.time else ""
    return f" from frame {first.frame} to frame {last.frame}{took}"


def text(way):
    said = ""
    if way.marks:
        said = f"{W.counted(len(way.marks), 'ACK' if way.acks == len(way.marks) else 'packet')} marked CE{span(way.marks)}; "
    if not way.cnps:
        return f"{said}{NONE}"
    said += f"{W.counted(len(way.cnps), 'CNP')} for this queue pair{span(way.cnps)}"
    return said if way.marks else f"{said}; none of its packets was marked CE"


def line(number, name, way):
    first = min((one for one in (way.bare, *way.marks[:1]) if one), key=lambda one: one.frame)
    last = max((*way.marks[-1:], *way.cnps[-1:]), key=lambda one: one.frame)
    frames = dict.fromkeys(FRAMES) | {"root": first.frame, "notice": way.cnps[0].frame if way.cnps else None, "last": last.frame}
    return {"connection": number, "direction": name, "kind": "congestion", "root_psn": None, "operation": None, "response": False, "copies": 0,
            "frame": first.frame, "frames": frames, "ns": dict.fromkeys(("lost", "noticed", "resent", "repaired"), 0), "packets_resent": 0,
            "bytes_resent": None, "naks": 0, "rnr": 0, "timers": 0, "ended": True, "marks": len(way.marks), "cnps": len(way.cnps),
            "connections": [number], "text": text(way), "rule": "CNG004" if not way.cnps else "CNG003" if way.bare else "CNG005",
            "known": {("CNG004", way.marks[0].frame if way.marks else None), ("CNG003", way.bare.frame if way.bare else None)}}


def of_flow(number, flow):
    merged = sorted(((p, side) for side, half in enumerate((flow.to_b, flow.to_a)) if half for p in half.packets if p.icrc != P.BAD),
                    key=lambda event: event[0].frame)
    ways = Way(), Way()
    for packet, side in merged:
        ways[side].sent(packet)
        if packet.service == P.CNP:
            ways[1 - side].notified(packet)
        elif packet.op == P.ACKNOWLEDGE and packet.syndrome == SEQUENCE_NAK:
            ways[1 - side].refused(packet)
    for way, name in zip(ways, ("a_to_b", "b_to_a")):
        if way.packets and (way.marks or way.bare):
            yield line(number, name, way)


def incidents(path):
    """Each as its line of JSON should be, by frame; with "known", the rules and frames of findings about it."""
    packets = [found for found in map(P.parse, capture.records(path)) if found]
    tracker, _ = pairing.followed(packets)
    found = [one for number, flow in enumerate(tracker.flows()) for one in of_flow(number, flow)]
    return sorted(found, key=lambda one: one["frame"])
