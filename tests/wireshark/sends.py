#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sends.py PLUGIN: in take-over mode a SEND of several packets reaches SMB Direct as a whole.

What it says then is what it says of the same message in one packet. Messages with a packet missing, cut by the
capture, beyond the memory or of another service do not; copies, packets with a wrong ICRC and those of other queue
pairs do not disturb. A packet that is of no message says why. Of services that nobody names no packet of a message that is lost in part
gets to an upper layer, which would take it for the rest of another one.
"""
import re
import struct
import sys
import zlib

import upper
import ws

ETHERNET = 1
TAKEOVER = "-o", "ibwire.mode:takeover"
FIRST, MIDDLE, LAST, LAST_IMMEDIATE, ONLY, LAST_INVALIDATE = 0, 1, 2, 3, 4, 0x16
SMB_DIRECT, RDS = 0x1060000 + 5445, 0x1060000 + 18634
QP = upper.SERVER_QP


def smb_direct(n):
    """An echo of SMB2, and @n bytes after it."""
    smb2 = b"\xfeSMB" + struct.pack("<HHIHHIIQ", 64, 0, 0, 13, 1, 0, 0, 5) + bytes(32)
    smb2 += struct.pack("<HH", 4, 0) + bytes(n)
    return struct.pack("<HHHHIIII", 1, 1, 0, 0, 0, 24, len(smb2), 0) + smb2


def sealed(frame):
    """With the right ICRC: IBTA vol 1, A17.9."""
    masked = bytearray(b"\xff" * 8 + frame[14:-4])
    for at in (9, 16, 18, 19, 34, 35, 40):  # TOS, TTL, checksums of IP and UDP, byte 4 of the BTH
        masked[at] = 0xff
    return frame[:-4] + struct.pack("<I", zlib.crc32(masked))


def send(opcode, psn, payload, qp=QP):
    extra = bytes(4) if opcode in (LAST_IMMEDIATE, LAST_INVALIDATE) else b""
    return sealed(upper.rocev2(True, opcode, qp, psn & 0xffffff, extra + payload))


def message(data, psn=100, qp=QP, last=LAST, size=32):
    """In packets of @size bytes."""
    parts = [data[at:at + size] for at in range(0, len(data), size)]
    opcodes = [FIRST] + [MIDDLE] * (len(parts) - 2) + [last]
    return [send(opcode, psn + i, part, qp) for i, (opcode, part) in enumerate(zip(opcodes, parts, strict=True))]


def bad(frame):
    return frame[:-4] + bytes(4)


def connection(service):
    return [sealed(frame) for frame in (upper.cm_req(service, b""), upper.cm_rep(b""), upper.cm(True, 0x0014, bytes(8)))]


def cases():
    """(name, frames, options, the frames that have SMB2)"""
    echo, long = smb_direct(0), smb_direct(3000)
    first, middle, last = message(echo)
    yield "three packets", [first, middle, last], (), [3]
    yield "SMB Direct says CM", [*connection(SMB_DIRECT), first, middle, last], (), [6]
    yield "RDS says CM", [*connection(RDS), first, middle, last], (), []
    yield "a copy", [first, middle, middle, first, middle, last, last], (), [6]
    yield "a copy of the last but one", [first, middle, middle, last], (), [4]
    yield "one missing", [first, last], (), []
    yield "one missing, sent again", [first, last, middle, last], (), [3]
    yield "one missing, then the next", [first, last, *message(echo, 103)], (), [5]
    yield "the first missing", [middle, last], (), []
    yield "one damaged, sent again", [first, bad(middle), middle, last], (), [4]
    yield "one damaged", [first, bad(middle), last], (), []
    yield "damaged, not looked at", [first, bad(middle), last], ("-o", "ibwire.verify_icrc:FALSE"), [3]
    yield "two at a time", [frame for two in zip(message(echo), message(echo, 7, 0x77)) for frame in two], (), [5, 6]
    yield "PSN 0 in it", message(echo, 0xfffffe), (), [3]
    yield "immediate data", message(echo, last=LAST_IMMEDIATE), (), [3]
    yield "invalidate", message(echo, last=LAST_INVALIDATE), (), [3]
    yield "two packets", message(echo, size=60), (), [2]
    yield "more than the memory", message(long, size=1024), ("-o", "ibwire.reassemble_kib:1"), []
    yield "less than the memory", message(long, size=1024), ("-o", "ibwire.reassemble_kib:16"), [4]
    yield "one after the other", message(echo) + message(echo, 103), (), [3, 6]


def frames_of(tshark, capture, what, *options):
    return [int(n) for n in tshark.read(capture, *TAKEOVER, *options, "-Y", what, "-T", "fields", "-e",
                                        "frame.number").split()]


def smb2_of(tshark, capture):
    """What is said of SMB2, without where it is."""
    text = tshark.read(capture, *TAKEOVER, "-2", "-Y", "smb2", "-T", "pdml")
    return re.findall(r'<field name="(smb2?[._][^"]*)".* show="([^"]*)"', text)


def reasons():
    """(name, packets, options, {frame: ibwire.msg.unassembled})"""
    repeated, damaged, lacking, cut, no_memory, uneven = range(2, 8)
    first, middle, last = message(smb_direct(0))
    yield "a copy", packets([first, middle, middle, last]), (), {3: repeated}
    yield "one damaged", packets([first, bad(middle), last]), (), {1: lacking, 2: damaged, 3: lacking}
    yield "one damaged, sent again", packets([first, bad(middle), middle, last]), (), {2: damaged}
    yield "one missing", packets([first, last]), (), {1: lacking, 2: lacking}
    yield "one cut", packets([first, middle, last], 70), (), dict.fromkeys((1, 2, 3), cut)
    yield "beyond the memory", packets(message(smb_direct(3000), size=1024)), ("-o", "ibwire.reassemble_kib:2"), \
        dict.fromkeys((1, 2, 3, 4), no_memory)
    yield "one shorter", packets([first, send(MIDDLE, 101, bytes(16)), last]), (), dict.fromkeys((1, 2, 3), uneven)
    yield "the last longer", packets([first, send(LAST, 101, bytes(64))]), (), dict.fromkeys((1, 2), uneven)


def reasons_of(tshark, capture, *options):
    text = tshark.read(capture, *TAKEOVER, "-2", *options, "-T", "fields", "-e", "frame.number", "-e", "ibwire.msg.unassembled",
                       "-e", "smb2", "-e", "ibwire.msg.fragments", "-Y", "ibwire.msg.unassembled")
    rows = (line.rstrip("\n").split("\t") for line in text.splitlines())
    return {int(number): f"{why}, and whole" if any(whole) else int(why) for number, why, *whole in rows}


def packets(frames, cut=None):
    return [(i, 0, len(frame), frame[:cut] if i == 1 else frame) for i, frame in enumerate(frames)]


STRAYS = ("faults/10f-old-dup-send", "faults/53-sampled-1of8", "rxe/12d-netem-loss5")


def strays(tshark):
    """Real SENDs of which packets are missing, doubled or late: RPC-over-RDMA, which asks for a Last without its First, gets none."""
    for name in STRAYS:
        for more in ((), ("-2",)):
            found = frames_of(tshark, tshark.put(ws.ROOT / f"pcaps/{name}.pcap"), "_ws.malformed || rpcordma", *TAKEOVER, *more)
            if found:
                yield f"{name} {' '.join(more)}: malformed, or RPC over RDMA: {found[:5]}"


def main():
    tshark, faults, n = ws.Tshark(sys.argv[1]), [], 0
    faults += strays(tshark)
    for n, (name, frames, options, want) in enumerate(cases(), 1):
        capture = tshark.write(f"{n}.pcap", ETHERNET, packets(frames))
        for more in ((), ("-2",)):
            found = frames_of(tshark, capture, "smb2", *options, *more)
            if found != want:
                faults.append(f"{name} {' '.join(more)}: SMB2 in {found}, not {want}")
    whole = tshark.write("whole.pcap", ETHERNET, packets([send(ONLY, 1, smb_direct(0))]))
    three = tshark.write("three.pcap", ETHERNET, packets(message(smb_direct(0))))
    if not smb2_of(tshark, whole) or smb2_of(tshark, whole) != smb2_of(tshark, three):
        faults.append(f"in three packets {smb2_of(tshark, three)}, in one {smb2_of(tshark, whole)}")
    for what, want in (("ibwire.msg.reassembled.in == 3", [1, 2]), ("ibwire.msg.fragment == 2", [3]),
                       ("ibwire.msg.reassembled.length == 92", [3]), ("data", [1, 2])):
        found = frames_of(tshark, three, what, "-2")
        if found != want:
            faults.append(f"{what}: frames {found}, not {want}")
    first, middle, last = message(smb_direct(0))
    twice = tshark.write("twice.pcap", ETHERNET, packets([first, middle, middle, last]))
    if frames_of(tshark, twice, "ibwire.msg.reassembled.length == 92", "-2") != [4]:
        faults.append("a copy of a packet is reassembled with it")
    if frames_of(tshark, three, "ibwire.msg.reassembled.length", "-2", "-o", "ibwire.reassemble_kib:0"):
        faults.append("reassembled, where there is no memory for it")
    for name, capture, options, want in reasons():
        n += 1
        found = reasons_of(tshark, tshark.write(f"{n}.pcap", ETHERNET, capture), *options)
        if found != want:
            faults.append(f"{name}: ibwire.msg.unassembled {found}, not {want}")
    return ws.verdict(faults, f"{n} captures")


if __name__ == "__main__":
    sys.exit(main())
