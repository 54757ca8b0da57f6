#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lines.py PLUGIN MADE: the columns of the list in take-over mode: who, to whom, what, in one line.

Who is an IP address where there is one, a GID where there is a GRH, else a LID.
"""
import pathlib
import sys

import broken
import ws

FRAMES = 100  # of each capture
LIDS, GIDS = ("LID: 1", "LID: 2"), ("GID: fe80::200:0:0:1", "GID: fe80::200:0:0:2")
IPS = "10.7.0.1", "10.7.0.2"
ROCE_V1_GIDS = ("GID: fe80::ff:fe00:1", "GID: fe80::ff:fe00:2")
SEND_FIRST = "RC SEND First QP=0x001001 PSN=0x100100 Len=256"

# capture: {frame: (source, destination, info)}
WANTED = {
    "rxe/01-rping-ipv4.pcap": {
        1: ("10.7.0.1", "10.7.0.2", "CM REQ port 7174 (TCP port space)"),
        2: ("10.7.0.2", "10.7.0.1", "CM REP"),
        6: ("10.7.0.2", "10.7.0.1", "RC RDMA READ Request QP=0x000011 PSN=0xf968e5 "
            "VA=0x000056055c4915d0 R_Key=0x00000517 Len=64"),
        7: ("10.7.0.1", "10.7.0.2", "RC RDMA READ Response Only QP=0x000011 PSN=0xf968e5 MSN=1 "
            "(ACK, no credit limit) Len=64")},
    "rxe/11b-ucmatose-rej-nolistener.pcap": {
        2: ("10.7.0.2", "10.7.0.1", "CM REJ reason 8 (invalid service ID)")},
    # The bytes of its status say 0.
    "rxe/09-udaddy-sidr.pcap": {
        3: (*IPS, "CM SIDR_REQ port 7174 (UDP port space)"),
        4: (*IPS[::-1], "CM SIDR_REP status 0 (QPN valid) port 7174 (UDP port space)")},
    "rxe/12g-netem-corrupt-badicrc.pcap": {
        20: (*IPS, "RC RDMA WRITE First QP=0x00001a PSN=0x1cc7d5 VA=0x0000561879d1a388 "
             "R_Key=0x00000d32 Len=5000 [ICRC incorrect]")},
    "mad/sweep.erf.pcap": {
        1: ("LID: 65535", "LID: 65535", "SubnMgt directed route Get NodeInfo")},
    "made/mad-ib.pcap": {
        2: (*LIDS, "Perf Get ClassPortInfo"),
        3: (*GIDS, "Perf Get ClassPortInfo")},
    "made/cm.pcap": {1: (*LIDS, "CM REQ port 4420 (TCP port space)")},
    "made/opcodes-ib-local.pcap": {1: (*LIDS, SEND_FIRST)},
    "made/opcodes-ib-global.pcap": {1: (*GIDS, SEND_FIRST)},
    "made/opcodes-erf-ib-local.pcap": {1: (*LIDS, SEND_FIRST)},
    "made/opcodes-erf-ib-global.pcap": {1: (*GIDS, SEND_FIRST)},
    "made/opcodes-roce-v1.pcap": {1: (*ROCE_V1_GIDS, SEND_FIRST)},
    "made/opcodes-roce-v1-vlan.pcap": {1: ("GID: fe80::500:1", "GID: fe80::500:2", SEND_FIRST)},
    "made/opcodes-sll-roce-v1.pcap": {1: (*ROCE_V1_GIDS, SEND_FIRST)},
    "made/ipoib-ib.pcap": {
        1: ("GID: fe80::200:0:0:1", "GID: ff12:401b:ffff::ffff:ffff",
            "Who has 192.0.2.2? Tell 192.0.2.1"),
        3: ("192.0.2.1", "192.0.2.2", "5001 → 5001 Len=20")},
    "made/raw-ib.pcap": {1: (*LIDS, "Raw Header")},
    # As much of the packet as there is, and which header it is cut in.
    "made/cut-ib-global.pcap": {
        1: ("", "", "Local Route Header [Packet size limited during capture]"),
        3: (*LIDS, "Global Route Header [Packet size limited during capture]"),
        4: (*GIDS, "Base Transport Header [Packet size limited during capture]")},
    "made/cut-roce-v1-vlan.pcap": {
        i: ("02:00:00:00:00:01", "02:00:00:00:00:02",
            "Global Route Header [Packet size limited during capture]") for i in (4, 5)},
    "made/cut-roce-v2-ipv4.pcap": {
        7: ("192.0.2.1", "192.0.2.2", "Base Transport Header [Packet size limited during capture]")},
    "broken": {
        "path": ("10.7.0.1", "10.7.0.2", "SA GetTable PathRecord (DGID, SGID, NumbPath)"),
        "rmpp-ack": ("10.7.0.1", "10.7.0.2", "SA GetTableResp RMPP ACK segment 3"),
        "rmpp-ack-other": (*IPS, "SA GetTableResp RMPP ACK segment 3"),
        "cm-get": (*IPS, "CM Get ClassPortInfo"),
        "vendor-send": (*IPS, "ibping Send attribute 0x0010"),
        "req-flow-label": ("10.7.0.1", "10.7.0.2", "CM REQ port 4420 (TCP port space)"),
        "sidr-req": ("10.7.0.1", "10.7.0.2", "CM SIDR_REQ port 4660 (UDP port space)"),
        "rej-reason": ("10.7.0.1", "10.7.0.2", "CM REJ reason 28 (consumer defined)"),
        "imm": (*IPS, "RC SEND Last with Immediate QP=0x000011 PSN=0x000007 Imm=0xabcd1234 Len=32"),
        "ieth": (*IPS, "RC SEND Last with Invalidate QP=0x000011 PSN=0x000007 R_Key=0x00005678 Len=32"),
        "opcode": (*IPS, "Opcode 0x1e QP=0x000011 PSN=0x000007 [malformed: bth]"),
        "atomic": (*IPS, "RC FetchAdd QP=0x000011 PSN=0x000007 VA=0x00007f0000001000"),
        "mad-class": (*IPS, "MAD class 0x5f"),
        "mad-method": (*IPS, "SubnMgt method 0x7e NodeInfo"),
        "mad-status": (*IPS, "Perf GetResp PortCounters status 0x000c"),
        "dr-d-bit": (*IPS, "SubnMgt directed route GetResp NodeInfo"),
        "sm-unknown": (*IPS, "SubnMgt Get attribute 0x0099"),
        "rmpp-resp-time": (*IPS, "SA GetTableResp NodeRecord segment 1"),
        "req-service-id": (*IPS, "CM REQ ServiceID=0x10000000deadbeef"),
        "credits": (*IPS, "RC Acknowledge QP=0x000011 PSN=0x000007 MSN=5 (ACK, credits 32)"),
        "rnr": ("10.7.0.1", "10.7.0.2", "RC Acknowledge QP=0x000011 PSN=0x000007 MSN=5 "
                "(RNR NAK, timer 1.28 ms)")},
}

# As by default, and the addresses of the network layer; unresolved. Between a source and a destination is
# something else, or tshark prints an arrow there. Not -T fields: from 4.4 on it has no names for From and To.
COLUMNS = {"Source": "s", "Info": "i", "Destination": "d", "PSN": "Cus:ibwire.bth.psn:0:R", "From": "uns", "No.": "m",
           "To": "und"}



def path_of(tshark, made, name):
    if name == "broken":
        return broken.capture(tshark)
    return made / name.removeprefix("made/") if name.startswith("made/") else ws.ROOT / "pcaps" / name


def main():
    tshark, made, faults = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    paths = {name: path_of(tshark, made, name) for name in WANTED}
    merged = ws.of_captures(paths.values(), FRAMES)
    text = tshark.read(tshark.write_all("all.pcapng", merged), "-o", "ibwire.mode:takeover",
                       "-o", "gui.column.format:" + ",".join(f'"{name}","%{what}"' for name, what in COLUMNS.items()),
                       "-T", "tabs", infiniband="ibwire")
    rows = {where.split(" ")[0]: dict(zip(COLUMNS, map(str.strip, line.split("\t")), strict=True))
            for where, line in zip(ws.origins(merged), text.splitlines(), strict=True)}
    for where, row in rows.items():
        ends, network = (row["Source"], row["Destination"]), (row["From"], row["To"])
        if row["PSN"] and ends != network:
            faults.append(f"{where}: the network's addresses are {network}, not {ends}")
        if "," in row["PSN"]:  # our tree is there once
            faults.append(f"{where}: PSN {row['PSN']}")
    for name, frames in WANTED.items():
        for frame, want in frames.items():
            number = frame if isinstance(frame, int) else list(broken.FRAMES).index(frame) + 1
            row = rows[f"{paths[name].name}:{number}"]
            line = row["Source"], row["Destination"], ws.SAID_OF_STREAM.sub("", row["Info"])
            if line != want:
                faults.append(f"{name}: {frame}: {line} is not {want}")
    return ws.verdict(faults, f"{sum(map(len, WANTED.values()))} lines")


if __name__ == "__main__":
    sys.exit(main())
