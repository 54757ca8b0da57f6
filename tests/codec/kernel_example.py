#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""kernel_example.py PROGRAM... | --console FILE: the driver of README.md sends what it was told to.

PROGRAM runs tests/codec/kernel/example.c in user space; FILE is the console of a kernel that ran it. Each
line says what the function was given and what it wrote, which must be what tests/lib/encoder.py makes of
it, byte for byte, and nothing after it.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import encoder  # noqa: E402

LINE = re.compile(r"example:((?: \w+=[0-9a-f]+)+)")
BYTES = {"dmac": 6, "smac": 6, "sgid": 16, "dgid": 16, "buf": 96}
NO_VLAN = 4096
FILL = 0xa5  # what the buffer held before
V4_MAPPED = bytes(10) + b"\xff\xff"  # RFC 4291, 2.5.5.2


def cases_of(text):
    for match in LINE.finditer(text):
        case = dict(word.split("=") for word in match[1].split())
        yield {name: bytes.fromhex(v) if name in BYTES else int(v, 16)
               for name, v in case.items()}


def source_port(flow_label):
    """Linux 6.12 include/rdma/ib_verbs.h, rdma_flow_label_to_udp_sport()"""
    return flow_label & 0x3fff ^ (flow_label & 0xfc000) >> 14 | 0xc000


def number(data):
    return int.from_bytes(data, "big")


def values_of(case):
    """{header: {field: value}}: a MAD from QP1, the traffic class in both of its parts."""
    tos = {"dscp": case["traffic_class"] >> 2, "ecn": case["traffic_class"] & 3}
    return {
        "eth": {"dst": number(case["dmac"]), "src": number(case["smac"])},
        "vlan0": {"pcp": case["sl"], "dei": 0, "vid": case["vlan"]},
        "ipv4": {**tos, "id": 0, "df": 1, "ttl": case["hop_limit"],
                 "src": number(case["sgid"][12:]), "dst": number(case["dgid"][12:])},
        "ipv6": {**tos, "flow": case["flow_label"], "hop": case["hop_limit"],
                 "src": number(case["sgid"]), "dst": number(case["dgid"])},
        "udp": {"sport": source_port(case["flow_label"]), "dport": 4791},
        "bth": {"opcode": 0x65 if case["with_immediate"] else 0x64, "se": case["solicited"],
                "migreq": 0, "tver": 0, "pkey": 0xffff, "fecn": 0, "becn": 0, "qpn": case["qpn"],
                "ackreq": 0, "psn": case["psn"]},
        "DETH": {"qkey": case["qkey"], "sqpn": 1},
        "IMMDT": {"data": case["immediate"]},
    }


def is_v4(case):
    return case["dgid"][:12] == V4_MAPPED


def one_is_v4(case):
    return is_v4(case) != (case["sgid"][:12] == V4_MAPPED)


def expected(case):
    """What the function returns, and the buffer."""
    nothing = bytes([FILL]) * BYTES["buf"]
    # QP0 is of InfiniBand links; 4096 bytes are the largest MTU: IBTA vol 1, 14.2, 9.2.
    if case["qpn"] == 0 or case["payload"] > 4096 or one_is_v4(case):
        return 0, nothing
    values = values_of(case)
    data = encoder.packet("ipv4" if is_v4(case) else "ipv6", int(case["vlan"] != NO_VLAN),
                          ["DETH", "IMMDT"] if case["with_immediate"] else ["DETH"],
                          case["payload"], lambda header, field, bits: values[header][field])
    if case["cap"] < len(data):
        return len(data), nothing
    return len(data), data + nothing[len(data):]


def difference(case, want):
    """Which header, if the lengths are equal, differs first."""
    have, n = case["buf"], want[0]
    if case["returned"] != n:
        return f"returned {case['returned']}, not {n}"
    at = next(i for i, (a, b) in enumerate(zip(have, want[1])) if a != b)
    if at >= n or case["cap"] < n:
        return f"byte {at} was written, which is no byte of a header"
    names = ["eth"] + ["vlan"] * (case["vlan"] != NO_VLAN) + ["ipv4" if is_v4(case) else "ipv6",
                                                               "udp", "bth", "DETH", "IMMDT"]
    start = 0
    for name in names:
        bit = 0
        for field, bits in encoder.bits_of(name):
            if start * 8 + bit + bits > at * 8 and \
                    field_of(have, start, bit, bits) != field_of(want[1], start, bit, bits):
                return (f"{name}.{field} is {field_of(have, start, bit, bits):#x}, not"
                        f" {field_of(want[1], start, bit, bits):#x}")
            bit += bits
        start += encoder.size([name])
    return "not equal"


def field_of(data, start, at, bits):
    return number(data[start:]) >> (len(data) - start) * 8 - at - bits & (1 << bits) - 1


def kinds_of(case, want):
    """What a set of cases has to have some of."""
    family = "IPv4" if is_v4(case) else "IPv6"
    yield f"{family}, VLAN {case['vlan'] != NO_VLAN}, immediate {case['with_immediate']}"
    yield f"{family}, ECN {case['traffic_class'] & 3}"
    yield f"solicited {case['solicited']}"
    yield f"pad {-case['payload'] % 4}"
    if want[0] == 0:
        yield "no route" if one_is_v4(case) else "refused"
    elif want[0] > case["cap"]:
        yield "no room"


KINDS = 8 + 8 + 2 + 4 + 3


def main():
    if sys.argv[1] == "--console":
        text = pathlib.Path(sys.argv[2]).read_text(errors="replace")
    else:
        text = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout
    cases, wrong, kinds = 0, 0, set()
    for case in cases_of(text):
        want = expected(case)
        cases += 1
        kinds.update(kinds_of(case, want))
        if (case["returned"], case["buf"]) == want:
            continue
        wrong += 1
        if wrong <= 10:
            print(f"case {cases}: {difference(case, want)}")
            print("\tgot ", case["buf"].hex())
            print("\twant", want[1].hex())
    print(f"{cases} packets of the driver, {wrong} unlike the encoder's; {len(kinds)} of {KINDS} kinds")
    return 0 if cases == 256 and not wrong and len(kinds) == KINDS else 1


if __name__ == "__main__":
    sys.exit(main())
