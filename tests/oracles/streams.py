#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""streams.py CAPTURE...: the figures of every RC, UC and XRC connection, by nothing but the bytes.

A second opinion on `pcap-lint --stats --format json`: one JSON object a connection, with the keys of
schema 2 that are exact figures. Written from the definitions, it shares nothing with the library.

capture.py   records of pcap and pcapng       pairing.py   which packets are one connection
packet.py    one frame, and its ICRC          figures.py   the figures of one connection
                                              measures.py  those measured for --stats only

Where the definitions leave something open, what is taken here:
"""
# Which packets
# D1  Every packet with a BTH of RC, UC, XRC or CNP counts unless its ICRC is bad: malformed ones with what they
#     hold, reserved opcodes in packets and bytes only. Later fragments have no BTH; RD has no connections.
# D2  Of a packet cut within its headers, what is not captured is not known: an AETH is no NAK and covers
#     nothing, a READ Request without DMALen takes one PSN. CM messages count if all before
#     their private data is captured.
# D3  A packet ends where LRH or IP and UDP say, at the latest with a frame that is not cut. Too short for an ICRC
#     after its headers: absent. Cut, a fragment or with IPv6 extension headers: unverifiable.
# D4  Of a tunnel, the packet inside. VLANs and network identifiers do not tell connections apart.
# D4a Of what was captured twice, as the capture's name says, copies count in nothing but `copies`: copies.py.
# D5  An ERF record's time and length are those of the pcap record around it. A record whose captured length is
#     beyond its original one is as long as that.
# Which connection
# D6  A half is (sender, receiver, destination QPN). Its service is the CM's, else its first packet's; RC, UC
#     and XRC opcodes to one QPN are one half. QPNs 0, 1 and 0xffffff have none.
# D7  A CNP begins no half; before the first other packet of its half it counts in none.
# D8  A LID and a GID are one end if the path of a REQ says so.
# D9  A REQ's flow takes what is sent to its QPN from the REQ on; its REP's QPN, from the REP on. A REP without REQ
#     takes the half that is there, from its first packet on, if it is in no connection; else what comes from the REP on.
#     A REP for a flow that has its other QPN changes nothing. A REQ is a repeat if Starting PSN and Service ID are the same as well.
# D10 Other CM messages are of the flow that the communication id of the REQ's sender names, else the other's, if
#     its ends are theirs. LAP and APR too; a DREQ without one is of no flow, whatever QPN it names.
#     Attributes say what a message is; its method is not looked at.
# D11 A REP without REQ gives Local QPN, or Local EECN if that is 0, and then XRC; else its packets' service, or RC.
# D12 Ports, when a half begins: both halves have one port that is the hash of both QPNs, and no other fits so.
# D13 ACKs (no NAKs), as they come: one means the half of the same service, not joined yet, whose requests so far
#     reach from or below to or above its PSN, if it is the only one, of at most 32, and requested something within
#     1 s. Three with rising PSNs join the two, if no ACK meant another half, no half but these was meant or meant
#     by one, and no ACK had a PSN outside the requests of the half that earlier ones meant.
# D13a The only pair: two hosts that have had one half each way of a service, neither named by the CM. An answer of any
#     kind, NAKs too, fits if its PSN is one that requests seen by then may take (a READ as many as with an MTU of
#     256, or FAR without its length; READ responses are of READ, FLUSH, ATOMIC WRITE), comes within 1 s of the
#     latest of them, and is beyond the last that did. Three join the two, at the end of the file, or when a half has
#     512 packets, one; not if an
#     answer had a PSN beyond the requests, or a kind that none of them asks for, or one before them after one that
#     fits (or by more than FAR); nor if D13's ACKs speak against it.
# D13b A sequence NAK to a queue pair whose half is joined, not by the CM, begins a new half of it, and ends the two before,
#     if one half that is not joined has requests from the PSN on that follows the last to its mate, all of them after the
#     last packet of the two, and the NAK's PSN is below what its mate has open, or beyond. The new one is joined to that.
# D14 Joined by D12, D13, D13a or D13b: `learnt`; if the CM named one of them, `cm`. Two flows that the CM began stay two.
# D15 An end is called by the address its CM message or first packet has.
# PSNs
# D16 MTU: of FIRST and MIDDLE packets with a payload. It may be any number. Where it is known, it says how long
#     every READ is, DMALen <= 256 or not.
# D17 When 64 requests wait, the first READ of them does no longer. An ONLY ends the wait of all READs with its
#     PSN.
# D18 The next waiting request beyond a READ is the first in order whose PSN is 1..2^23-1 beyond.
# D19 Before a hole opens, the lowest of 64 is closed, if it lies above the new one, too. A filled packet within a
#     hole makes two of it, which may close the lowest. PSNs of closed holes are occupied
#     for all but psn_missing. Runs of PSNs not occupied before the first captured request, but above another, are
#     holes, too, though nothing is missing there.
# D20 Responses and ACKs are extended to what lies nearest the expected PSN of the requests. They belong to the
#     stretch that is the latest when they come. Those before the first request cover nothing and carry nothing
#     that is asked for later, but are the highest response PSN then.
# D21 READ ranges are those asked for earlier in the file; their length is what is finally known of it. A PSN that
#     another request occupied first is not of the READ's range.
# D22 response_missing: PSNs in the union of all READ ranges of the stretch, below its highest response PSN,
#     that no response later than the READ carries. Atomics' PSNs are in no READ range.
# D29 response_repeated and response_late look at all responses of the stretch, atomics' and those that nobody asked for
#     included. Without a request they lie nearest the first; what is beyond FAR and new begins a
#     stretch, but for the highest.
# D30 psn_damaged: packets with the opcode of a request, bad ICRC, and a PSN at most 2^20 from the expected one
#     that is not occupied by then, closed holes included: those that are missing in the end. Before the first good
#     request of the direction there is no such PSN. A READ Request is damaged at its own PSN only.
# D31 A DREQ closes the half of its sender to the queue pair that is its flow's other end, or that it names if that is not
#     known; a DREP closes both. A REQ or REP that gives a QPN of a half in a pair closes the half's mate. The next request of a
#     closed half but the expected one, however many come between, begins a stretch. A DREQ may have closed the mate of what it
#     closes. A REQ or REP that gives a QPN that its sender gave in another flow may have closed any half of these two hosts,
#     that way, that is in no pair; a DREP for a flow of which not both QPNs are known, a REP without REQ, and the first packet to
#     the QPN of a REQ without REP, may have closed any half of them, both ways; none of which the CM said both QPNs. The next
#     request of such a half begins a stretch if it opens a gap or lies below all before. A stretch that begins so closes the
#     other way, unless that began one first, with which this one comes. A repeated message does none of that.
# Times
# D23 ack_time and read_time are in the direction of the requests; without any, count is 0.
# D24 Whole AETH syndromes: 0x00-0x1f ACK, 0x20-0x3f RNR, 0x60-0x7f NAK (0x60-0x63 counted); others cover nothing.
#     Those of READ responses and ATOMIC Acknowledges are not looked at.
# D25 A response's request is the latest READ whose range has its PSN; without one, the PSN is the request's own.
# D26 A PSN is sent once if one request packet begins with it before it is covered, and was no repeat; WRITE is no
#     ATOMIC WRITE. A packet that first comes after what covers it has no time.
# D27 The last response packet is the first response with the last PSN of the range after the READ. READs asked for
#     earlier touch too.
# D28 Finer times than ns are rounded down before they are subtracted.
import collections
import json
import pathlib
import sys

import capture
import copies
import figures
import packet
import pairing
import pauses


def copied(path):
    """{(sender, receiver, QPN): copies}"""
    found = map(packet.parse, copies.split(capture.every(path))[1] if copies.are_told(path) else [])
    return collections.Counter((p.src, p.dst, p.dqpn) for p in found if p)


def direction(d, copied):
    counts = dict(d.counts)
    before = {key: counts.pop(key) for key in ("packets", "wire_bytes", "payload_bytes")}
    return {**before, "messages": d.messages, **counts, "copies": copied,
            "ack_time": d.ack_time.figures(), "read_time": d.read_time.figures(), **d.measures}


def flow_object(number, flow, pauses, copied):
    (there, back), mtu, waited = figures.directions(flow, pauses)
    frames = flow.frames()
    return {"connection": number, "service": packet.SERVICES[flow.service], "mtu": mtu, "setup": flow.setup,
            "a": {"address": packet.address_text(flow.a), "qpn": flow.a_qpn},
            "b": {"address": packet.address_text(flow.b), "qpn": flow.b_qpn},
            "first_frame": min(frames), "last_frame": max(frames),
            "a_to_b": direction(there, copied[flow.a, flow.b, flow.b_qpn]),
            "b_to_a": direction(back, copied[flow.b, flow.a, flow.a_qpn]), "waited": waited,
            "below_paused": [there.below_paused, back.below_paused]}


def flows(path):
    """The objects of all connections of the capture @path, in order."""
    packets, paused, links = [], pauses.Pauses(), pauses.Links()
    for record in capture.records(path):
        paused.feed(record)
        links.feed(record)
        found = packet.parse(record)
        if found:
            found.paused = links.is_paused(found, record.interface)
            packets.append(found)
    tracker, _ = pairing.followed(packets)
    there_twice = copied(path)
    return [flow_object(number, flow, paused, there_twice) for number, flow in enumerate(tracker.flows())]


def main(paths):
    unread = 0
    for path in map(pathlib.Path, paths):
        try:
            for flow in flows(path):
                del flow["below_paused"]
                flow["waited"] = flow["waited"].figures(flow["service"], [])
                print(json.dumps({"type": "flow", "schema": 2, "file": str(path), **flow}))
        except capture.Skipped as why:
            print(f"{path}: {why}", file=sys.stderr)
            unread = 1
    return unread


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
