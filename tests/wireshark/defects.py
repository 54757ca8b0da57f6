#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""defects.py PLUGIN MADE: what the built-in dissector shows wrong or not at all, right.

One row a defect: frames, what the built-in dissector says of them (so that it is noticed when that
changes), what the plugin says. Looked for in what tshark -P -V prints of the frame: the built-in
with the mode off, ours in augment mode (our tree alone) and in take-over mode; nothing may be
called malformed there.
"""
import pathlib
import re
import sys

import broken
import ws

FRAMES = 400  # of each capture

# name of the frame in broken.py, or (capture, what our tree has in the frames that are meant);
# built-in: [expression], "!" in front: must not be there; ours: [expression].
# A last member is the first version of Wireshark in which the built-in says something else.
DEFECTS = [
    # Headers
    ("becn", ["!(?i)becn|Backward"], ["1.. .... = Backward Explicit Congestion Notification: Set"]),
    ("pad", [r"Data \(68 bytes\)"], [r"Payload Length: 65\]", "Pad: 000000"]),
    ("imm", ["IMMDT"], ["Immediate Data: 0xabcd1234"]),
    ("ieth", ["RKey: 00005678"], ["Remote Key: 0x00005678"]),
    ("short-send", ["Malformed Packet: RPCoRDMA"], [r"Payload Length: 12\]"]),
    ("credits", ["!credits 32"], ["Syndrome: .*32"]),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: CNP"), ["Unknown|Vendor"],
     ["Congestion Notification"]),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: XRC"), ["Unknown OpCode|Vendor"], ["XRC"]),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: XRC SEND Only \("), ["!XRCETH"],
     ["XRC Shared Receive Queue"]),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: RD (SEND|RDMA|ATOMIC|Ack|Atomic|RESYNC)"),
     ["DC |RESERVED|Unknown OpCode|Invalid Packet Length"], ["Reliable Datagram Extended"]),
    (("vectors-dc.pcap", r"OpCode: DC RDMA WRITE Only \("), [], ["RDMA Extended Transport Header"]),
    (("vectors-dc.pcap", r"OpCode: DC Connect \("), [], [r"OpCode: DC Connect \(0x55\)"]),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: RC FLUSH"), ["Unknown OpCode|Vendor"],
     ["FLUSH Extended Transport Header"], "4.4"),
    (("opcodes-roce-v2-ipv4.pcap", r"OpCode: RC ATOMIC WRITE"), ["Unknown OpCode|Vendor"],
     ["RDMA Extended Transport Header"], "4.4"),
    (("opcodes-roce-v2-ipv4.pcap", r"RDMA(?:, stream \d+)?, UC RDMA WRITE First, PSN"), ["FirstQP="],
     ["UC RDMA WRITE First"]),
    (("opcodes-erf-eth-roce-v1.pcap", r"RDMA(?:, stream \d+)?, RC SEND Only, PSN"), ["RC Send Only"],
     [r"Invariant CRC Status: Good", "Trailer: "]),  # not the FCS
    (("linkpkt.erf.pcap", "Flow Control Total Blocks Sent: 291"), ["Malformed Packet"],
     ["Flow Control Total Blocks Sent: 291", r"Variant CRC Status: Good"]),
    (("cut-roce-v2-ipv4.pcap", r"Outcome: cut\W[^\0]*\n    Payload: "),
     ["Malformed Packet|Invalid Packet Length|Packet size limited"],
     [r"Outcome: cut\]?: \d+ of \d+ bytes are there"]),
    *((("cut-" + name, r"Outcome: cut\W"), [], [r"Outcome: cut\]?: \d+ of \d+ bytes are there"])
      for name in ("ib-local.pcap", "ib-global.pcap", "roce-v1-vlan.pcap",
                   "roce-v2-ipv4.pcap", "roce-v2-ipv6.pcap")),
    (("lint-grh.pcap", "GRH002 grh-nxthdr: .*0x00"), ["!Base Transport Header|Invariant CRC"],
     ["Base Transport Header", r"Payload Length: 16\]", r"Invariant CRC Status: Good",
      "GRH002 grh-nxthdr"]),
    # IPoIB
    (("ipoib-ib.pcap", "Destination QP: .*0xffffff"), ["!(?i)(queue pair|gid): .*multicast"],
     ["Destination GID: ff12:.*multicast, link-local, IPoIB IPv[46]\\)",
      "Destination QP: multicast .0xffffff"]),
    (("ipoib.pcap", "Operation: request"),
     ["Sender hardware address: 80000048fe80", "!Sender (QPN|GID)"],
     [r"Sender Flags: 0x80 \(RC\)", "Sender QPN: 0x000048", "Sender GID: fe80::200:0:0:1"]),
    (("ipoib-ib.pcap", "Operation: reply"),
     ["Sender hardware address: 80000049fe80", "!Sender (QPN|GID)"],
     ["Sender QPN: 0x000049", "Sender GID: fe80::200:0:0:2", "Target QPN: 0x000048"]),
    (("lint-ipo-ipoib.pcap", r"Type: .*\(?0x88b5"), [r"!(?i)data \(|payload"],
     ["Payload: 0000", r"Payload Length: 40\]", "IPO002 ipoib-ethertype"]),
    # CRCs
    (("12g-netem-corrupt-badicrc.pcap", "ICRC 0x"), ["!(?i)incorrect|bad"],
     ["incorrect, should be", "CRC001 icrc-bad"]),
    (("raw-ib.pcap", "Internet Protocol Version 6"), [r"(?s)Variant CRC: .*Variant CRC: "],
     [r"Variant CRC Status: Good", r"!(?s)Variant CRC: 0x.*Variant CRC: 0x"]),
    ("node-record", ["!Invariant CRC"], [r"Invariant CRC Status: Good"]),
    # Management
    ("short-mad", ["!MAD Header"], ["Subnet Administration"]),
    ("mad-status", ["Status: 0x000c\n"], ["method/attribute combination not supported"]),
    ("dr-d-bit", [r"D \(Direction Bit\): 0x0\n"], ["1... .... = Direction .*: Set"]),
    ("sm-unknown", [r"SubnGet\(bManagement Attribute!\)"], ["Attribute ID: 0x0099"]),
    ("port-info", ["!(?i)CapabilityMask2|LinkSpeedExt"], ["Capability Mask 2: 0x0002",
                                                       "Link Speed Extended Active: .*3",
                                                       "Link Speed Extended Supported: .*1"]),
    ("sl-to-vl", [r"SL\(x\)toVL: 0x1\(1\)\n.*SL\(x\)toVL: 0x1\(1\)"],
     [r"\[1\] .*: .*1\b.*\n.*\[2\] .*: .*1\b.*\n.*\[3\] .*: .*2\b"]),
    ("pkey-table", [r"P_KeyBase: 0x0001\(1\)"], [r"\[0\] .*0x8001", r"\[1\] .*0x8002", r"\[31\] .*0x8020"]),
    # Which LIDs a block of a forwarding table is about, its number says, which is elsewhere.
    ("lft", [r"Port: 0x00\(0\)\n +Port: 0x01\(1\)", "!(?i)LIDs"],
     [r"LinearForwardingTable, LIDs 0x0080 to 0x00bf\n +\[0\] Port: 0\n +\[1\] Port: 1\n"]),
    ("mft", [r"PortMask: 0x0000\(0\)\n +PortMask: 0x0001\(1\)", "!(?i)LIDs"],
     ["MulticastForwardingTable, LIDs 0xc060 to 0xc07f, ports 16 to 31\n"]),
    ("lft-rec", ["!(?i)LIDs"], ["LinearForwardingTable, LIDs 0x01c0 to 0x01ff\n"]),
    ("mft-rec", ["!(?i)LIDs"], ["MulticastForwardingTable, LIDs 0xc080 to 0xc09f, ports 32 to 47\n"]),
    # The last unicast LID is 0xbfff; a block of multicast LIDs has 9 bits, a position 4: IBTA vol 1, 14.2.5.12
    ("lft-last", ["!(?i)LIDs"], ["LinearForwardingTable, LIDs 0xbfc0 to 0xbfff\n"]),
    ("mft-256", ["!(?i)LIDs"], ["MulticastForwardingTable, LIDs 0xe000 to 0xe01f, ports 0 to 15\n"]),
    ("mft-last", ["!(?i)LIDs"], ["MulticastForwardingTable, LIDs 0xffe0 to 0xffff, ports 240 to 255\n"]),
    ("lft-rec-last", ["!(?i)LIDs"], ["LinearForwardingTable, LIDs 0xbfc0 to 0xbfff\n"]),
    ("mft-rec-last", ["!(?i)LIDs"],
     ["MulticastForwardingTable, LIDs 0xffe0 to 0xffff, ports 240 to 255\n"]),
    (("rmpp.roce.pcap", "Reassembled Length[^\0]*LinearForwardingTableRecord\n"), ["!(?i)LIDs"],
     ["LinearForwardingTable, LIDs 0x0000 to 0x003f\n"]),
    ("trap-259", ["Trying to fetch an IPv6 address with length 2", "Malformed Packet"],
     [r"bad P_Key.*\(259\)|\(259\)"]),
    ("issuer", ["!Issuer ?GID"], ["Issuer GID: fe80::a"]),
    ("path", ["!ServiceID", "!(?i)QoS", r"MTU: 0x04\n"],
     ["Service ID: 0x1000000000001122", "QoS Class: 18", r"MTU: 2048 B",
      r"Component Mask: .*\(Destination GID, Source GID, Number of Paths\)"]),
    ("multipath", ["!fe80::a", "!fe80::b"], ["fe80::a", "fe80::b"]),
    ("table", ["!(?s)DGID: .*DGID: "], [r"(?s)(    PathRecord\n.*){3}"]),
    ("service", ["ServiceName: 73746f72616765"], ["Service Name: storage"]),
    ("mcmember", [r"JoinState: 0x5\n"], [r"Join State: 0x5 \(FullMember, SendOnlyNonMember\)"]),
    ("hierarchy-rec", [r"SubnAdmGetResp\(bAdministration Attribute!\)"], ["HierarchyInfo"]),
    ("rmpp-ack", ["NodeString: "], ["Segment.*: 3", "!    NodeInfo"]),
    # An ACK carries nothing, whatever it is an ACK of: IBTA vol 1, 13.6.2.3
    ("rmpp-ack-other", [], ["Segment.*: 3", r"!Payload: |\[Payload Length"]),
    ("rmpp-resp-time", ["R Resp Time: 0xf", r"RMPP Flags: Unknown \(0xb\)"],
     [r"1111 1... = Response Time: .*\(31\)", r"\.011 = RMPP Flags: 0x3"]),
    (("rmpp.roce.pcap", "Reassembled Length"), ["!(?i)reassembled"], ["Segment: \\d+"]),
    (("lint-rmp-table-unpadded.pcap", "Reassembled Length"), [r"!(?s)LinkRecord\n.*LinkRecord\n"],
     [r"(    LinkRecord\n(     .*\n)*){51}"]),
    ("xmit-wait", ["!(?i)XmitWait"], [r"PortXmitWait.*: 19088743"]),
    ("perf-other", ["Unknown Attribute"], ["PortRcvErrorDetails"]),
    ("congestion", ["APP .Unknown Attribute"], ["Congestion"]),
    ("vendor", ["VENDOR .Unknown Attribute"], ["(?i)OUI"]),
    ("devmgt", ["DEV_MGT .Unknown Attribute"], ["(?i)I/?O ?Controller"]),
    # Communication management
    ("req-flow-label", ["LID: 0 +→|LID: \\d+ → ", "Primary Flow Label: 0x00abc",
                        "Primary Packet Rate: 0x(2b|0f)"],
     ["Primary Flow Label: 0xabcde", r"Primary Packet Rate: .*\(?(0x0f|15)\)?", "4420"]),
    ("req-alternate", ["LID: 0 +→|LID: \\d+ → ",
                       "Alternate Local Port GID: fe80000000000000000000000000000a"],
     ["Alternate Local Port GID: fe80::a", "Alternate Remote Port GID: fe80::b"]),
    ("rej-reason", ["Reason: 0x001c\n"], [r"Reason: consumer defined \(28\)"]),
    ("mra", ["Dissector Not Implemented"], ["Service Timeout: "]),
    ("sidr-req", ["Dissector Not Implemented"],
     [r"Service ID: 0x0000000001111234 \(RDMA_CM UDP port 4660\)"]),
    ("sidr-rep", ["Dissector Not Implemented"], ["QPN: 0x000123", "Q_Key: 0x01234567"]),
    ("lap", ["Dissector Not Implemented"], ["Remote Communication ID: 0x0000bbbb"]),
    ("apr", ["Dissector Not Implemented"], ["AP Status: "]),
    ("sap", ["Unknown CM Attribute"], ["CM SAP or SPR"]),
]


def faults_of(text, expressions):
    for expression in expressions:
        wanted = not expression.startswith("!")
        if bool(re.search(expression.removeprefix("!"), text)) != wanted:
            yield expression


class Listing:
    """What each of the three says of the frames of all captures."""

    def __init__(self, tshark, merged):
        self.origin, self.said = ws.origins(merged), {}
        capture = tshark.write_all("all.pcapng", merged)
        for mode in ("off", "augment", "takeover"):
            text = tshark.read(capture, "-P", "-V", "-o", f"ibwire.mode:{mode}",
                               infiniband="ibwire" if mode == "takeover" else "infiniband")
            self.said[mode] = ws.frames_of(text)
        self.whole = ["\n".join(ws.ours_only(text)) for text in self.said["takeover"]]
        self.said["augment"] = ["\n".join(ws.ours_only(text)) for text in self.said["augment"]]

    def find(self, name, expression):
        """The frames of a capture of whose whole tree the expression holds."""
        return [i for i, (where, text) in enumerate(zip(self.origin, self.whole, strict=True))
                if where.split(":")[0] == name and re.search(expression, text)]

    def check(self, which, builtin, ours, same):
        for i in which:
            if same:
                yield from (f"{self.origin[i]}: built-in: {fault}"
                            for fault in faults_of(self.said["off"][i], builtin))
            # What a later built-in dissector has right, augment mode leaves to it: augment.py.
            for mode in ("augment", "takeover") if same else ("takeover",):
                text = self.said[mode][i]
                yield from (f"{self.origin[i]}: {mode}: {fault}" for fault in faults_of(text, ours)
                            if mode == "augment" or not fault.startswith("!"))
                if "Malformed Packet" in text:
                    yield f"{self.origin[i]}: {mode}: malformed"


def path_of(name, made):
    real = sorted((ws.ROOT / "pcaps").glob(f"*/{name}"))
    return real[0] if real else made / name


def main():
    tshark, made, faults = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    version = tuple(map(int, tshark.version.split(".")))
    names, paths = list(broken.FRAMES), [broken.capture(tshark)]
    paths += [path_of(name, made) for name in dict.fromkeys(
        where[0] for where, *_ in DEFECTS if not isinstance(where, str))]
    listing = Listing(tshark, ws.of_captures(paths, FRAMES))
    for where, builtin, ours, *until in DEFECTS:
        which = [listing.origin.index(f"broken.pcap:{names.index(where) + 1} (1)")] \
            if isinstance(where, str) else listing.find(*where)
        same = not until or version < tuple(map(int, until[0].split(".")))
        if not which:
            faults.append(f"{where[0]} has no {where[1]}")
        faults += [f"{where}: {fault}" for fault in listing.check(which, builtin, ours, same)]
    return ws.verdict(faults, f"{len(DEFECTS)} defects")


if __name__ == "__main__":
    sys.exit(main())
