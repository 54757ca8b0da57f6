#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""conv.py PLUGIN MADE: conversations and endpoints have an address and a QP at each end.

The sender's QP is that of the DETH, or what the CM exchange said; where neither was captured, the
address stands alone, until every frame was seen (-2): then the answers of a connection tell. The filter each row offers shows the frames it counts. In each mode.
"""
import ipaddress
import json
import pathlib
import re
import sys

import ws

RC_WRITE_ONLY_IMM, UC = 0x0b, 0x20
ROCE, UD_SEND_ONLY, CM_CLASS, REQ, REP = b"\x12\xb7", 0x64, 7, 0x10, 0x13
LENGTH = 5  # its column, as Wireshark has them
EARLY, OTHER_QP = 30, 0x77
MANY = 10  # conversations, in the captures of the filters
ROW = re.compile(r"^(.*?) +<-> (.*?) +(\d+) \S+ \S+ +(\d+) \S+ \S+ +(\d+) ", re.M)
# Bytes are "5566" or, from 4.6 on, "5566 bytes" and "11 kB".
ENDPOINT = re.compile(r"^(\S.*? qp \w+|[\d.]+) +(\d+) +\d+(?: \w+)? +(\d+) +\d+(?: \w+)? +(\d+)"
                      r" +\d+(?: \w+)? *$", re.M)

# {(end, end): (frames to the left, frames to the right)}, whichever end comes first, of the captures
WANTED = {
    # 01-rping-ipv4; rdma_cm: REQ and REP say both QPs, which happen to be equal
    ("10.7.0.1 qp 0x000011", "10.7.0.2 qp 0x000011"): (60, 60),
    # 02-rping-ipv6
    ("fd07::1 qp 0x000013", "fd07::2 qp 0x000013"): (60, 60),
    ("fd07::1 qp 0x000001", "fd07::2 qp 0x000001"): (2, 3),
    # 03h-send-rc-rdmacm: two connections, each of different QPs
    ("10.7.0.1 qp 0x000039", "10.7.0.2 qp 0x000036"): (20, 40),
    ("10.7.0.1 qp 0x000038", "10.7.0.2 qp 0x000035"): (22, 22),
    # 20-rc-pingpong: QPs exchanged over TCP: two one-way rows
    ("10.7.0.1", "10.7.0.2 qp 0x00002e"): (0, 120),
    ("10.7.0.2", "10.7.0.1 qp 0x000031"): (0, 120),
    # The MADs of all: 2 and 3 of 01-rping-ipv4, 4 and 6 of 03h-send-rc-rdmacm
    ("10.7.0.1 qp 0x000001", "10.7.0.2 qp 0x000001"): (6, 9),
}
ONE_WAY = {"10.7.0.1": (120, 0), "10.7.0.2 qp 0x00002e": (0, 120)}
# With -2: whom the pingpong's and the early packets come from, which their answers tell
PAIRED = {("10.7.0.1", "10.7.0.2", 0x2e): 0x31, ("10.7.0.2", "10.7.0.1", 0x31): 0x2e,
          ("10.7.0.1", "10.7.0.2", 0x11): 0x11, ("10.7.0.2", "10.7.0.1", 0x11): 0x11}
CAPTURES = ["rxe/01-rping-ipv4.pcap", "rxe/02-rping-ipv6.pcap", "rxe/03h-send-rc-rdmacm.pcap",
            "rxe/20-rc-pingpong.pcap"]
OF_FRAMES, OF_ROWS = ["ibwire.conv.src", "ibwire.conv.dst", "ibwire.conv.sqpn", "ibwire.conv.setup"], "ibwire.conv.end"
COMPARED = [*OF_FRAMES, OF_ROWS]  # what ws_rows asks for
OPTIONS = ([], ["-2"], ["-o", "ibwire.mode:takeover"])


def conversations(text):
    return {tuple(sorted(row[:2])): tuple(sorted((int(row[2]), int(row[3]))))
            for row in ROW.findall(text)}


def joined(rows):
    """The rows of one direction whose senders are paired, as one of both directions."""
    out = {}
    for (a, b), (left, right) in rows.items():
        if " qp " in a:
            out[a, b] = left, right
            continue
        address, qpn = b.split(" qp ")
        a = end_of(a, PAIRED[a, address, int(qpn, 16)])
        if (b, a) in out:
            out[b, a] = right, *out[b, a][1:]
        else:
            out[a, b] = left, right
    return out


def tables(tshark, capture):
    for options in OPTIONS:
        wanted, one_way = (joined(WANTED), {}) if "-2" in options else (WANTED, ONE_WAY)
        want = {tuple(sorted(ends)): tuple(sorted(n)) for ends, n in wanted.items()}
        ends = {end for pair in want for end in pair}
        text = tshark.read(capture, "-q", "-z", "conv,ibwire", "-z", "endpoints,ibwire", *options)
        have = conversations(text)
        if have != want:
            yield f"{options}: {have} is {want}"
        sides = {row[0]: (int(row[2]), int(row[3])) for row in ENDPOINT.findall(text)}
        points = {end: sent + received for end, (sent, received) in sides.items()}
        # Only senders have an unknown QP, and then the receiver sends nothing under its own.
        yield from (f"{options}: {end} sent and received {sides.get(end)}, not {want_sides}"
                    for end, want_sides in one_way.items() if sides.get(end) != want_sides)
        if set(points) != ends:
            yield f"{options}: endpoints {sorted(points)} are {sorted(ends)}"
        for end in ends:
            frames = sum(sum(n) for pair, n in want.items() if end in pair)
            if points.get(end) != frames:
                yield f"{options}: {end} has {points.get(end)} frames, not {frames}"


def filters(tshark, capture):
    """
    The filter of each row of the table, as the window has it, finds its frames and their bytes; those of one
    end as the source are those it sent.
    """
    with tshark.sharkd_running() as sharkd:
        sharkd.load(capture)
        answer = sharkd.ask({"method": "tap", "params": {"tap0": "conv:RDMA"}})
        rows = json.loads(answer)["result"]["taps"][0]["convs"]
        for row in rows:
            if OF_ROWS not in row["filter"]:
                yield f"{row['filter']} has no {OF_ROWS}"
            found = sharkd.frames(row["filter"])
            want = row["txf"] + row["rxf"], row["txb"] + row["rxb"]
            have = len(found), sum(int(frame["c"][LENGTH]) for frame in found)
            if have != want:
                yield f"{row['filter']} finds {have} frames and bytes, not {want}"
            sent = len(sharkd.frames(f'{row["filter"]} && ibwire.conv.src == "{row["saddr"]}"'))
            # The other end may be the same.
            if sent != row["txf"] and row["saddr"] != row["daddr"]:
                yield f"{row['filter']}: {row['saddr']} sent {sent}, not {row['txf']}"
    if len(rows) < MANY:
        yield f"{len(rows)} conversations"


def from_other_qp(data):
    """A frame of IPv4, a REQ with another QP; and RC is UC, where UC has the opcode."""
    packet = Packet.of(data)
    if packet and data[42] <= RC_WRITE_ONLY_IMM:
        return data[:42] + bytes([data[42] | UC]) + data[43:]
    if not packet or packet.attribute != REQ:
        return data
    at = 42 + 20 + 24 + 32
    return data[:at] + OTHER_QP.to_bytes(3, "big") + data[at + 3:]


def end_of(address, qpn):
    text = str(ipaddress.ip_address(address))
    return text if qpn is None else f"{text} qp 0x{qpn:06x}"


def later(row):
    """What sources() wants of a frame once every frame was seen."""
    src, dst, sqpn, setup = row
    if " qp " in src:
        return row
    address, qpn = dst.split(" qp ")
    sqpn = PAIRED[src, address, int(qpn, 16)]
    return end_of(src, sqpn), dst, f"0x{sqpn:06x}", setup


AS_IT_IS = "-o", "ibwire.ignore:CAP008"  # packets are there again, in another place


def sources(tshark, captures):
    """
    The ends of each frame, and the frame that told the QP it comes from: known after the REP and not
    before. Worked out from what the CM messages of Linux, which rdma_cm sends on QP 1, say in their bytes.
    """
    frames = ws.of_captures(captures)[1][0]
    # Some before the connection they belong to; and at the end the first capture again, but from another QP.
    first = ws.records(captures[0])[1]
    frames = first[-EARLY:] + frames + [(*head, from_other_qp(data)) for *head, data in first]
    capture = tshark.write("sources.pcap", 1, frames)
    known = {}  # (source and destination address, destination QP): (source QP, number of the REP)
    requests, wanted = {}, {}
    for number, (*_, data) in enumerate(frames, 1):
        packet = Packet.of(data)
        if not packet:
            continue
        if packet.attribute == REQ:
            requests[packet.src, packet.comm_ids[0]] = packet.cm_qpn
        elif packet.attribute == REP and (packet.dst, packet.comm_ids[1]) in requests:
            client = requests[packet.dst, packet.comm_ids[1]]
            known[packet.dst, packet.src, packet.cm_qpn] = client, number
            known[packet.src, packet.dst, client] = packet.cm_qpn, number
        qpn, setup = (packet.sqpn, None) if packet.sqpn is not None else \
            known.get((packet.src, packet.dst, packet.qpn), (None, None))
        wanted[number] = (end_of(packet.src, qpn), end_of(packet.dst, packet.qpn),
                          f"0x{qpn:06x}" if setup else "", str(setup or ""))
    fields = "frame.number", *OF_FRAMES
    for options in OPTIONS:
        want = {i: later(row) for i, row in wanted.items()} if "-2" in options else wanted
        text = tshark.read(capture, "-Y", "ibwire.conv.src && ibwire.conv.dst && ibwire.bth", "-T", "fields",
                           *(word for field in fields for word in ("-e", field)), *AS_IT_IS, *options)
        have = {int(row[0]): tuple(row[1:]) for row in (line.split("\t") for line in text.splitlines())}
        yield from (f"{options}: frame {i}: ends, source QP and REP are {have.get(i)}, not {want.get(i)}"
                    for i in sorted(have.keys() | want.keys()) if have.get(i) != want.get(i))
    if sum(bool(row[3]) for row in wanted.values()) < 200 or len({row[2] for row in wanted.values()}) < 6:
        yield f"{len(wanted)} frames of connections"


class Packet:
    """What of a frame of Ethernet and RoCE v2 is needed here; IBTA vol 1, 12.6.5 and 12.6.8."""

    def __init__(self, src, dst, bth):
        self.src, self.dst, self.qpn = src, dst, int.from_bytes(bth[5:8], "big")
        self.attribute = self.cm_qpn = self.comm_ids = self.sqpn = None
        if bth[0] == UD_SEND_ONLY:
            self.sqpn = int.from_bytes(bth[17:20], "big")
        mad = bth[20:]
        if bth[0] == UD_SEND_ONLY and self.qpn == 1 and mad[1] == CM_CLASS:
            self.attribute, body = int.from_bytes(mad[16:18], "big"), mad[24:]
            self.comm_ids = body[:4], body[4:8]
            at = {REQ: 32, REP: 12}.get(self.attribute, 0)
            self.cm_qpn = int.from_bytes(body[at:at + 3], "big")

    @classmethod
    def of(cls, data):
        kind = data[12:14]
        if kind == b"\x08\x00" and data[23] == 17 and data[36:38] == ROCE:
            return cls(data[26:30], data[30:34], data[42:])
        if kind == b"\x86\xdd" and data[20] == 17 and data[56:58] == ROCE:
            return cls(data[22:38], data[38:54], data[62:])
        return None


def main():
    tshark, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2])
    captures = [ws.ROOT / "pcaps" / name for name in CAPTURES]
    capture = tshark.write_all("captures.pcapng", ws.of_captures(captures))
    others = [ws.ROOT / "pcaps/rxe/20-ud-pingpong.pcap", made / "opcodes-erf-ib-global.pcap",
              made / "opcodes-erf-ib-local.pcap"]
    mixed = tshark.write_all("mixed.pcapng", ws.of_captures([*captures, *others]))
    faults = [*tables(tshark, capture), *filters(tshark, mixed), *sources(tshark, captures)]
    return ws.verdict(faults, f"{len(WANTED)} conversations")


if __name__ == "__main__":
    sys.exit(main())
