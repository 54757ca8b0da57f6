#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""connections.py PCAP-LINT: the number of connections of every real RoCE capture.

Counted here from the bytes alone: directions to a QP (halves), those of one connection joined by
the QPNs of REQ and REP (IBTA vol 1, 12.6.5, 12.6.8), else by Linux's UDP source port (ib_verbs.h
of 6.12: rdma_calc_flow_label(), rdma_flow_label_to_udp_sport()). What neither joins is joined with
its only counterpart of the same hosts and service; the test fails where there is more than one.
"""
import json
import pathlib
import struct
import subprocess
import sys
import zlib

RXE = pathlib.Path(__file__).resolve().parents[2] / "pcaps" / "rxe"
SERVICES = {0: "RC", 1: "UC", 2: "RD", 5: "XRC"}


def frames(path):
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at < len(data):
        caplen, = struct.unpack(order + "I", data[at + 8:at + 12])
        yield data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def roce(frame):
    """IP header and what it carries, to the end of the ICRC; None: no RoCE v2."""
    at = 12
    while frame[at:at + 2] == b"\x81\x00":
        at += 4
    kind, ip = frame[at:at + 2], frame[at + 2:]
    if kind == b"\x08\x00" and ip[9:10] == b"\x11":
        head, ip = 20, ip[:int.from_bytes(ip[2:4], "big")]
    elif kind == b"\x86\xdd" and ip[6:7] == b"\x11":
        head, ip = 40, ip[:40 + int.from_bytes(ip[4:6], "big")]
    else:
        return None
    return (head, ip) if ip[head + 2:head + 4] == b"\x12\xb7" else None


def icrc_good(head, ip):
    """Annex A17: the fields that may change on the way count as ones."""
    masked = bytearray(b"\xff" * 8 + ip[:-4])
    places = (1, 8, 10, 11) if head == 20 else (1, 2, 3, 7)
    for i in places + (head + 6, head + 7, head + 8 + 4):
        masked[8 + i] = 0xff
    if head == 40:
        masked[8] |= 0x0f
    return zlib.crc32(masked).to_bytes(4, "little") == ip[-4:]


def linux_port(a, b):
    v = a * b
    v ^= v >> 20
    v ^= v >> 40
    v &= 0xfffff
    return 0xc000 | ((v & 0x3fff) ^ v >> 14)


def count(path):
    """Connections, and by what they were joined."""
    halves, requests, joined, empty = {}, {}, {}, {}
    for head, ip in filter(None, map(roce, frames(path))):
        if not icrc_good(head, ip):
            continue
        src, dst = (ip[12:16], ip[16:20]) if head == 20 else (ip[8:24], ip[24:40])
        bth = ip[head + 8:]
        dqpn = int.from_bytes(bth[5:8], "big")
        if bth[0] >> 5 in SERVICES:
            half = (src, dst, bth[0] >> 5, dqpn)
            halves.setdefault(half, int.from_bytes(ip[head:head + 2], "big"))
        elif bth[0] == 0x64 and dqpn == 1 and bth[21] == 7:
            cm = bth[20 + 24:]
            kind = int.from_bytes(bth[36:38], "big")
            if kind == 0x10:
                requests[src, dst, cm[:4]] = int.from_bytes(cm[32:35], "big")
                empty[src, dst, cm[:4], requests[src, dst, cm[:4]]] = {(dst, src, requests[src, dst, cm[:4]])}
            elif kind == 0x13 and (dst, src, cm[4:8]) in requests:
                client, server = requests[dst, src, cm[4:8]], int.from_bytes(cm[12:15], "big")
                joined[dst, src, server] = client
                joined[src, dst, client] = server
                empty[dst, src, cm[4:8], client] = {(src, dst, client), (dst, src, server)}
    used = {(src, dst, qp) for src, dst, _, qp in halves}
    n = {"cm": 0, "port": 0, "only": 0, "empty": sum(not ends & used for ends in empty.values())}
    while halves:
        (src, dst, service, qp), port = halves.popitem()
        others = [h for h in halves if h[:3] == (dst, src, service)]
        by_cm = [h for h in others if h[3] == joined.get((src, dst, qp))]
        by_port = [h for h in others if halves[h] == port == linux_port(h[3], qp)]
        found, how = (by_cm, "cm") if by_cm else (by_port, "port") if by_port else (others, "only")
        if len(found) > 1:
            raise SystemExit(f"{path.name}: {len(found)} halves may answer QP {qp:#x}: {how}")
        for half in found:
            del halves[half]
        n[how] += 1
    return n


def main():
    total, bad = {"cm": 0, "port": 0, "only": 0, "empty": 0}, 0
    for path in sorted(RXE.glob("*.pcap")):
        want = count(path)
        out = subprocess.run([sys.argv[1], "--format", "json", "--fail-on", "never", path],
                             stdout=subprocess.PIPE, check=True).stdout
        got = json.loads(out.splitlines()[-1])["connections"]
        if got != sum(want.values()):
            print(f"{path.name}: {got} connections, by its bytes {want}")
            bad += 1
        for how in total:
            total[how] += want[how]
    print(f"connections joined by: {total}")
    return bad > 0 or not total["cm"] or not total["port"]


sys.exit(main())
