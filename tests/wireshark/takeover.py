#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""takeover.py PLUGIN MADE: in take-over mode filters of people go on working, and payloads are whose they are.

Each name of the built-in dissector finds as many frames as before. Which upper layer a payload is given to, the
service of the CM exchange says before its looks: RDS is nobody's. What nobody takes is data. What others add to
Info is after a blank. Where the built-in dissector reads beyond the end of a packet, the columns are right.
"""
import pathlib
import re
import struct
import sys

import sends
import upper
import ws

TAKEOVER = "-o", "ibwire.mode:takeover"
CAPTURES = ["rxe/01-rping-ipv4.pcap", "rxe/06-atomic-fetch-add.pcap", "rxe/05-read-rc.pcap",
            "rxe/09-udaddy-sidr.pcap", "mad/sweep.erf.pcap", "mad/rmpp.roce.pcap"]
MADE = ["ipoib-ib.pcap"]
FRAMES = 120  # of each
SERVICES = {"04-rds": {"data"}, "01-nvme": {"nvme-rdma"}, "02-iser": {"iser"}, "05-nfs40": {"rpcordma"},
            "08-smb-direct": {"smb_direct"}}
UPPER = {"rpcordma", "nvme-rdma", "iser", "smb_direct", "smc", "lnet", "infiniband_sdp", "fcoib"}

TCP_SPACE, UDP_SPACE, OTHER_PORT = 0x0106, 0x0111, 7777
# Upper layers by the ports that IANA and Linux have for them; of RDS Wireshark has none.
PORTS = {445: "smb_direct", 5445: "smb_direct", 3260: "iser", 4420: "nvme-rdma", 8009: "nvme-rdma", 20049: "rpcordma",
         16385: None, 18634: None}
NVME_PRIVATE = struct.pack("<HHHHI", 0, 0, 32, 31, 0).ljust(32, b"\0")
MESSAGES = {
    "nvme-rdma": bytes([0x7f, 0x40, 0, 0, 1]) + bytes(59),  # a fabrics command
    "iser": bytes([0x10]) + bytes(27) + bytes([0x43, 0x87]) + bytes(46),  # a login request
    "smb_direct": sends.smb_direct(0),
    "rpcordma": struct.pack(">7I", 5, 1, 32, 0, 0, 0, 0) + struct.pack(">10I", 5, 0, 2, 100003, 3, 0, 0, 0, 0, 0),
}


def counts(tshark, capture, names, *options, infiniband="infiniband"):
    """{name: frames that have it}"""
    out = {}
    for i in range(0, len(names), 100):
        some = names[i:i + 100]
        text = tshark.read(capture, "-q", "-z", "io,stat,0," + ",".join(some), *options, infiniband=infiniband)
        row = next(line for line in text.splitlines() if "<>" in line)
        out |= dict(zip(some, map(int, row.split("|")[2:-1:2]), strict=True))
    return out


def names(tshark, made):
    """Each name of the built-in dissector finds what it found."""
    known = [line.split("\t") for line in tshark.run("-G", "fields").splitlines()]
    every = sorted({"infiniband"} | {cells[2] for cells in known
                                     if cells[0] == "F" and cells[4] == "infiniband"})
    merged = ws.of_captures([*(ws.ROOT / "pcaps" / path for path in CAPTURES),
                             *(pathlib.Path(made) / path for path in MADE)], FRAMES)
    capture = tshark.write_all("names.pcapng", merged)
    was = counts(tshark, capture, every, "-o", "ibwire.mode:off")
    now = counts(tshark, capture, every, *TAKEOVER, infiniband="ibwire")
    if sum(map(bool, was.values())) < 150:
        yield f"only {sum(map(bool, was.values()))} names are in the captures"
    yield from (f"{name}: {now[name]} frames, not {was[name]}" for name in every if now[name] != was[name])
    # Once, not by the built-in dissector and by us.
    text = tshark.read(capture, *TAKEOVER, "-Y", "infiniband.invariant.crc && infiniband.bth.psn"
                       " && !(ibwire.mad.mgmt_class == 7)", "-T", "fields", "-e",
                       "infiniband.bth.psn", infiniband="ibwire")
    if "," in text or not text:
        yield "infiniband.bth.psn is there twice"


def services(tshark):
    """Whose the payloads are."""
    for name, want in SERVICES.items():
        capture = tshark.put(ws.ROOT / f"pcaps/ulp/{name}.pcap")
        # What is on ours; below the CM the built-in dissector has private data.
        found = [set(names[names.index("ibwire") + 1:]) for names in upper.protocols(tshark, capture, *TAKEOVER)
                 if "ibwire" in names and "infiniband" not in names]
        seen = set().union(*found)
        if not want <= seen or seen & UPPER != want - {"data"}:
            yield f"{name}: {sorted(seen)}, not {sorted(want)}"


def connection(n, service, message):
    """A CM exchange for a service ID, and a SEND that is @message, between hosts number @n."""
    frames = [upper.cm_req(service, NVME_PRIVATE), upper.cm_rep(NVME_PRIVATE), upper.cm(True, 0x0014, bytes(8)),
              upper.rocev2(True, sends.ONLY, upper.SERVER_QP, 100, message)]
    for host in upper.CLIENT, upper.SERVER:
        at = host.encode("latin-1")
        frames = [frame.replace(at, at[:2] + bytes((n, at[3]))) for frame in frames]
    return map(sends.sealed, frames)


def ports(tshark):
    """Of a service that is known a message is its own upper layer's or nobody's; of others whose it looks like."""
    cases = [(space, port, whose) for space in (TCP_SPACE, UDP_SPACE) for port in (*PORTS, OTHER_PORT)
             for whose in MESSAGES]
    frames = [frame for n, (space, port, whose) in enumerate(cases, 1)
              for frame in connection(n, space << 16 | port, MESSAGES[whose])]
    capture = tshark.write("ports.pcap", 1, [(i, 0, len(frame), frame) for i, frame in enumerate(frames)])
    rows = {mode: [set(names) & UPPER for names in upper.protocols(tshark, capture, "-o", f"ibwire.mode:{mode}")][3::4]
            for mode in ("off", "takeover")}
    for (space, port, whose), off, found in zip(cases, rows["off"], rows["takeover"], strict=True):
        known = space == TCP_SPACE and port in PORTS
        if not known:
            want = off
        elif PORTS[port] == "nvme-rdma":  # it takes all of a connection that it knows by the REQ
            want = off & {"nvme-rdma"}
        else:
            want = {whose} & {PORTS[port]}
        if found != want:
            yield f"port space 0x{space:x}, port {port}, a message of {whose}: {sorted(found)}, not {sorted(want)}"
    if {whose for row in rows["off"] for whose in row} < set(MESSAGES):
        yield f"without us only {rows['off']}"


def infos(tshark):
    """A bar has room on both sides."""
    text = tshark.read(tshark.put(ws.ROOT / "pcaps/ulp/01-nvme.pcap"), *TAKEOVER, "-Y", 'nvme-rdma', "-T", "fields",
                       "-e", "_ws.col.Info")
    if len(re.findall(r"^RC SEND Only .* PSN=0x[0-9a-f]{6} Len=\d+ \| NVMeOF", text, re.M)) < 20:
        yield f"Info of NVMe over Fabrics: {text[:400]}"


def columns(tshark, made):
    """Of RD packets, which the built-in dissector finds malformed, when it is asked for a field."""
    capture = tshark.put(pathlib.Path(made) / "opcodes-roce-v2-ipv4.pcap")
    thrown = tshark.read(capture, "-o", "ibwire.mode:off", "-Y", "_ws.malformed", "-T", "fields", "-e", "frame.number")
    both = [tshark.read(capture, *TAKEOVER, "-Y", f"{asked} || frame", "-T", "fields", "-e", "_ws.col.Source", "-e",
                        "_ws.col.Protocol", "-e", "_ws.col.Info", "-e", "_ws.malformed").splitlines()
            for asked in ("ibwire.bth", "infiniband.bth.reserved7")]
    if len(thrown.split()) < 4 or not both[0]:
        yield f"the built-in dissector finds {thrown.split()} malformed"
    yield from (f"columns: {row}, not {want}" for want, row in zip(*both, strict=True) if row != want)


def main():
    tshark = ws.Tshark(sys.argv[1])
    faults = [*names(tshark, sys.argv[2]), *services(tshark), *ports(tshark), *infos(tshark),
              *columns(tshark, sys.argv[2])]
    return ws.verdict(faults, f"{len(CAPTURES)} captures, {len(SERVICES)} services")


if __name__ == "__main__":
    sys.exit(main())
