# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""encoder.py: the headers of packets from their values, by nothing of ours.

Written from the sources named at each header, for tests that hold the builders against it; it must
never take anything from include/ or codec/. Fields are those of the sources, in wire order, with
their widths in bits; "-" is reserved and 0.
"""

import functools

HEADERS = {
    # IEEE 802.3, 3.2; 802.1Q, 9.6
    "eth": "dst:48 src:48 type:16",
    "vlan": "pcp:3 dei:1 vid:12 type:16",
    # IBTA vol 1, 7.7; Linux 6.12 drivers/infiniband/core/ud_header.c:48
    "lrh": "vl:4 lver:4 sl:4 -:2 lnh:2 dlid:16 -:5 pktlen:11 slid:16",
    # IBTA vol 1, 8.3; Linux 6.12 drivers/infiniband/core/ud_header.c
    "grh": "ipver:4 tclass:8 flow:20 paylen:16 nxthdr:8 hop:8 sgid:128 dgid:128",
    # RFC 791, 3.1; RFC 2474, 3; RFC 3168, 5
    "ipv4": "version:4 ihl:4 dscp:6 ecn:2 length:16 id:16 -:1 df:1 mf:1 offset:13 ttl:8"
            " protocol:8 checksum:16 src:32 dst:32",
    # RFC 8200, 3; RFC 2474, 3; RFC 3168, 5
    "ipv6": "version:4 dscp:6 ecn:2 flow:20 length:16 next:8 hop:8 src:128 dst:128",
    # RFC 768
    "udp": "sport:16 dport:16 length:16 checksum:16",
    # IBTA vol 1, 9.2; annex A17.9.1 for FECN and BECN; Linux 6.12 rxe_hdr.h
    "bth": "opcode:8 se:1 migreq:1 pad:2 tver:4 pkey:16 fecn:1 becn:1 -:6 qpn:24 ackreq:1 -:7"
           " psn:24",
    # IBTA vol 1, 9.3; Linux 6.12 rxe_hdr.h
    "RDETH": "-:8 een:24",
    "DETH": "qkey:32 -:8 sqpn:24",
    "RETH": "va:64 rkey:32 length:32",
    "ATOMICETH": "va:64 rkey:32 swap:64 compare:64",
    "AETH": "syndrome:8 msn:24",
    "ATOMICACKETH": "orig:64",
    "IMMDT": "data:32",
    "IETH": "rkey:32",
    # IBTA annex A14; XRC series for rxe, linux-rdma, 29 July 2021
    "XRCETH": "-:8 srq:24",
    # IBTA annex A19; Linux 6.12 rxe_hdr.h, FETH_PLT_MASK and FETH_SEL_MASK
    "FETH": "-:26 sel:2 plt:4",
    # The 8 bytes to write: IBTA annex A19; Linux 6.12 rxe_req.c, atomic_write
    "ATOMICWRITE": "data:64",
    # All 16 bytes reserved: IBTA annex A17.9.3
    "CNP": "-:128",
    # RFC 4391, 6
    "ipoib": "type:16 -:16",
}

ETHERTYPES = {"ipv4": 0x0800, "ipv6": 0x86dd, "v1": 0x8915}
VLAN, QINQ = 0x8100, 0x88a8


@functools.cache
def bits_of(name):
    """[(field, bits)] of a header, in wire order."""
    return [(field, int(bits)) for field, bits in
            (word.split(":") for word in HEADERS[name].split())]


def header(name, value):
    """The bytes of a header; value(field, bits) is asked for each that is not reserved."""
    number, width = 0, 0
    for field, bits in bits_of(name):
        v = 0 if field == "-" else value(field, bits)
        if v >> bits:
            raise ValueError(f"{name}.{field}: {v:#x} has more than {bits} bits")
        number, width = number << bits | v, width + bits
    return number.to_bytes(width // 8, "big")


def size(names):
    return sum(bits for name in names for _, bits in bits_of(name)) // 8


def checksum(data):
    """RFC 1071"""
    total = sum(int.from_bytes(data[i:i + 2], "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def packet(kind, vlans, names, payload, value):
    """All headers of a packet in front of its payload.

    kind: "ib-local", "ib-global", "roce-v1", "ipv4", "ipv6", which is what precedes the BTH;
    vlans: how many, None without Ethernet; names: the headers after the BTH; payload: bytes.
    value(header, field, bits) is asked for what does not follow from these; a VLAN tag is the
    header vlan0 or vlan1.
    """
    pad = -payload % 4
    # From the BTH to the ICRC, that included: what lengths count.
    rest = size(["bth", *names]) + payload + pad + 4
    out = b""

    def put(name, known, called=None):
        nonlocal out
        out += header(name, lambda field, bits:
                      known[field] if field in known else value(called or name, field, bits))

    if vlans is not None:
        inner = ETHERTYPES.get(kind, ETHERTYPES["v1"])
        types = [[], [VLAN], [QINQ, VLAN]][vlans] + [inner]
        put("eth", {"type": types[0]})
        for i in range(vlans):
            put("vlan", {"type": types[i + 1]}, f"vlan{i}")
    if kind.startswith("ib"):
        before = size(["lrh", "grh"] if kind == "ib-global" else ["lrh"])
        put("lrh", {"lnh": 3 if kind == "ib-global" else 2, "pktlen": (before + rest) // 4})
    if kind in ("ib-global", "roce-v1"):
        put("grh", {"ipver": 6, "paylen": rest, "nxthdr": 0x1b})
    if kind == "ipv4":
        at = len(out)
        put("ipv4", {"version": 4, "ihl": 5, "length": 28 + rest, "mf": 0, "offset": 0,
                     "protocol": 17, "checksum": 0})
        out = out[:at + 10] + checksum(out[at:]).to_bytes(2, "big") + out[at + 12:]
    if kind == "ipv6":
        put("ipv6", {"version": 6, "length": 8 + rest, "next": 17})
    if kind in ("ipv4", "ipv6"):
        put("udp", {"length": 8 + rest, "checksum": 0})
    put("bth", {"pad": pad})
    for name in names:
        put(name, {})
    return out
