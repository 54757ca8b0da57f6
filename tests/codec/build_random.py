#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""build_random.py COUNT PROGRAM...: random descriptions, built by us and by tests/lib/encoder.py.

PROGRAM is tests/codec/build_random.c. Every framing (and the transport headers alone), every opcode, payloads
that it takes and that it does not, IPoIB, special QPs, groups, and values too wide for their field, in
headers that are there and in those that are not, in a structure that held 0, 0xff or 0xa5. What is built
has to be equal byte for byte; what is refused has to be refused, for a reason that holds. Which headers,
payload and position an opcode has are those of tests/facts/opcodes.csv; nothing is taken from include/.
"""
import collections
import csv
import pathlib
import random
import struct
import subprocess
import sys

import build_poison
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import encoder  # noqa: E402
import sample  # noqa: E402

# enum ibw_icrc_kind and enum ibw_build_error, by what their comments say.
KINDS = {1: "ib-local", 2: "ib-global", 3: "roce-v1", 4: "ipv4", 5: "ipv6"}
ERRORS = ["", "kind", "link", "opcode", "no-payload", "mtu", "long", "cnp", "qp-service", "qp0",
          "multicast", "ipoib", "", "wide", "empty-last"]
MTUS = [256, 512, 1024, 2048, 4096]
UD, CNP_SERVICE, SERVICES = 0x60, 0x80, 0xe0
QP0, QP1, MULTICAST = 0, 1, 0xffffff
# What follows from the rest: encoder.packet().
DERIVED = {"eth.type", "vlan.type", "lrh.lnh", "lrh.pktlen", "grh.ipver", "grh.paylen", "grh.nxthdr",
           "ipv4.version", "ipv4.ihl", "ipv4.length", "ipv4.mf", "ipv4.offset", "ipv4.protocol",
           "ipv4.checksum", "ipv6.version", "ipv6.length", "ipv6.next", "udp.length", "udp.checksum",
           "bth.pad"}
# The order of build_random.c; a VLAN tag stands for two.
ORDER = ["eth", "vlan0", "vlan1", "lrh", "grh", "ipv4", "ipv6", "udp", "bth", "RDETH", "DETH", "RETH",
         "ATOMICETH", "AETH", "ATOMICACKETH", "IMMDT", "IETH", "XRCETH", "FETH", "ATOMICWRITE",
         "ipoib"]
FIELDS = [(name, field, bits) for name in ORDER for field, bits in encoder.bits_of(name.rstrip("01"))
          if field != "-" and f"{name.rstrip('01')}.{field}" not in DERIVED]
MEMBER = [(bits, next(c for c in (8, 16, 32, 64) if bits <= c)) if bits <= 64 else (bits, bits)
          for _, _, bits in FIELDS]
NARROW = [i for i, (bits, member) in enumerate(MEMBER) if bits < member and bits != 48]
MACS = [i for i, (bits, _) in enumerate(MEMBER) if bits == 48]
LONG = [i for i, (bits, _) in enumerate(MEMBER) if bits == 128]
PLAIN = [i for i, (bits, _) in enumerate(MEMBER) if bits not in (48, 128)]
AT = {f"{name}.{field}": i for i, (name, field, _) in enumerate(FIELDS)}
ROW = struct.Struct(f">{7 + len(FIELDS) + len(LONG)}Q")
BATCH = 5000


def payloads():
    """{opcode: "none", "mtu", "last" or "some"}: which payload it takes, by the facts."""
    says = collections.defaultdict(dict)
    with open(build_poison.FACTS, encoding="ascii") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            if row[5] != "-":
                says[int(row[1], 0)].setdefault("payload", row[5])
            if row[7] != "-":
                says[int(row[1], 0)].setdefault("position", row[7])
    return says


def payload_kind(opcode, says):
    if opcode == build_poison.CNP or opcode in build_poison.ATOMIC_WRITES:
        return "none"  # the 8 bytes of an ATOMIC WRITE are its header here
    if says[opcode].get("payload", "no") == "no":
        return "none"
    return {"FIRST": "mtu", "MIDDLE": "mtu", "LAST": "last"}.get(says[opcode].get("position"), "some")


class Case:
    """One description: how it is to be built, and a value a field."""

    def __init__(self, rnd, chains, takes):
        self.transport = rnd.random() < 0.1
        self.kind = rnd.choice([0, 6, 255]) if rnd.random() < 0.02 else rnd.randint(1, 5)
        ib = self.kind in (1, 2)
        self.eth = rnd.random() < (0.02 if ib else 0.8)
        self.vlans = rnd.choice([0, 0, 1, 2]) if self.eth and not ib else 0
        if rnd.random() < 0.02:
            self.vlans = rnd.choice([1, 2, 3, 255])
        opcode = rnd.choice(list(takes)) if rnd.random() < 0.95 else rnd.randrange(256)
        if rnd.random() < 0.1:
            opcode = rnd.choice([0x64, 0x65])
        self.ipoib = rnd.random() < (0.4 if ib and opcode & SERVICES == UD else 0.01)
        self.payload = self.choose_payload(rnd, takes.get(opcode, "some"))
        if self.ipoib and rnd.random() < 0.1:
            self.payload = rnd.randint(4090, 4097)
        self.poison = rnd.choice([0, 0xff, 0xa5])
        self.values = [rnd.getrandbits(bits) for bits, _ in MEMBER]
        self.values[AT["bth.opcode"]] = opcode
        self.values[AT["bth.psn"]] = rnd.getrandbits(32)
        if rnd.random() < (0.3 if opcode & SERVICES == UD else 0.03):
            self.values[AT["bth.qpn"]] = rnd.choice([QP0, QP1, MULTICAST, MULTICAST])
        if rnd.random() < 0.5:
            for name, bits, prefix in (("grh.dgid", 120, 0xff), ("ipv6.dst", 120, 0xff),
                                       ("ipv4.dst", 28, 0xe)):
                self.values[AT[name]] = prefix << bits | rnd.getrandbits(bits)
        if rnd.random() < 0.25:
            after = [i for i in NARROW if FIELDS[i][0] in chains.get(opcode, ())]
            i = rnd.choice(after or NARROW) if rnd.random() < 0.5 else rnd.choice(NARROW)
            bits, member = MEMBER[i]
            self.values[i] |= 1 << rnd.randrange(bits, member)
        self.opcode = opcode

    @staticmethod
    def choose_payload(rnd, takes):
        if rnd.random() < 0.04:
            takes = rnd.choice(["none", "mtu", "last", "long"])
        return {"none": 0, "mtu": rnd.choice(MTUS), "last": rnd.randint(1, 4096),
                "some": rnd.choice([0, rnd.randint(0, 8), rnd.randint(0, 4096)]),
                "long": rnd.choice([4093, 4097, rnd.getrandbits(32)])}[takes]

    def row(self):
        v = self.values
        words = [self.transport, self.kind, self.vlans, self.eth, self.ipoib, self.payload, self.poison]
        words += [v[i] for i in MACS] + [v[i] for i in PLAIN]
        for i in LONG:
            words += [v[i] >> 64, v[i] & (1 << 64) - 1]
        return ROW.pack(*words)

    def framing(self):
        if self.transport:
            return "transport"
        return KINDS.get(self.kind, "none") + (f"+eth{self.vlans}" if self.eth else "")


def in_front(case):
    """The headers in front of the BTH."""
    names = ["eth", "vlan0", "vlan1"][:1 + case.vlans] if case.eth else []
    return names + {1: ["lrh"], 2: ["lrh", "grh"], 3: ["grh"], 4: ["ipv4", "udp"],
                    5: ["ipv6", "udp"]}[case.kind]


def to_group(case):
    if case.kind in (2, 3):
        return case.values[AT["grh.dgid"]] >> 120 == 0xff
    if case.kind == 4:
        return case.values[AT["ipv4.dst"]] >> 28 == 0xe
    return case.kind == 5 and case.values[AT["ipv6.dst"]] >> 120 == 0xff


def payload_reasons(case, takes):
    n = case.payload
    if n > 4096:
        yield "long"
    if takes == "none" and n:
        yield "no-payload"
    if takes == "mtu" and n not in MTUS:
        yield "mtu"
    if takes == "last" and not n:
        yield "empty-last"


def framing_reasons(case):
    service, qpn = case.opcode & SERVICES, case.values[AT["bth.qpn"]]
    ib = case.kind in (1, 2)
    if case.vlans > 2 or case.vlans and not case.eth or ib and case.eth:
        yield "link"
    if case.opcode == build_poison.CNP and case.kind in (1, 2, 3):
        yield "cnp"
    if case.ipoib and (not ib or service != UD):
        yield "ipoib"
    if case.ipoib and case.payload > 4096 - 4:
        yield "long"
    if qpn in (QP0, QP1, MULTICAST) and service not in (UD, CNP_SERVICE):
        yield "qp-service"
    if service == UD and qpn == QP0 and case.kind != 1:
        yield "qp0"
    if service == UD and qpn == MULTICAST and not to_group(case):
        yield "multicast"


def reasons(case, chains, takes):
    """Why there is no such packet."""
    if case.kind not in KINDS and not case.transport:
        return {"kind"}
    found = set() if case.transport else set(framing_reasons(case))
    if case.transport and case.ipoib:
        found.add("ipoib")
    if case.opcode in chains:
        found.update(payload_reasons(case, takes[case.opcode]))
    else:
        found.add("opcode")
    there = {"bth", *chains.get(case.opcode, ()), *([] if case.transport else in_front(case))}
    if any(case.values[i] >> MEMBER[i][0] and FIELDS[i][0] in there for i in NARROW
           if i != AT["bth.psn"]):
        found.add("wide")
    return found


def encoded(case, chains):
    names = chains[case.opcode] + ["ipoib"] * case.ipoib

    def value(header, field, bits):
        if case.transport and header in ("ipv6", "udp"):
            return 0  # cut off
        v = case.values[AT[f"{header}.{field}"]]
        return v & (1 << bits) - 1 if field == "psn" else v

    if case.transport:
        return encoder.packet("ipv6", None, names, case.payload, value)[encoder.size(["ipv6", "udp"]):]
    return encoder.packet(KINDS[case.kind], case.vlans if case.eth else None, names, case.payload, value)


def fault(case, error, have, chains, takes):
    """What is wrong with what was built, None if nothing; and why it was to be refused."""
    why = reasons(case, chains, takes)
    if bool(why) != (not have):
        return f"built {have.hex() or 'nothing'}, though {sorted(why) or 'nothing'} is against it", why
    if not case.transport and (ERRORS[error] not in why if why else error):
        return f"error {ERRORS[error]}, and not one of {sorted(why)}", why
    if have and have != (want := encoded(case, chains)):
        return f"built {have.hex()}, not {want.hex()}", why
    return None, why


def answers(program, cases):
    data = subprocess.run(program, input=b"".join(case.row() for case in cases), check=True,
                          capture_output=True).stdout
    at = 0
    for _ in cases:
        error, n = struct.unpack_from(">HH", data, at)
        yield error, data[at + 4:at + 4 + n]
        at += 4 + n


def main():
    rnd, count, wrong = random.Random(13 + sample.part()[0]), sample.count(int(sys.argv[1])), 0
    chains, says = build_poison.opcodes(), payloads()
    takes = {opcode: payload_kind(opcode, says) for opcode in chains}
    built, refused, opcodes = collections.Counter(), collections.Counter(), collections.Counter()
    for _ in range(0, count, BATCH):
        cases = [Case(rnd, chains, takes) for _ in range(min(BATCH, count))]
        for case, (error, have) in zip(cases, answers(sys.argv[2:], cases), strict=True):
            said, why = fault(case, error, have, chains, takes)
            refused.update(why)
            if have:
                built[case.framing()] += 1
                opcodes[case.opcode] += 1
            if said:
                wrong += 1
                if wrong <= 10:
                    print(f"{case.framing()}, opcode 0x{case.opcode:02x}, payload {case.payload},",
                          f"ipoib {case.ipoib}, poison {case.poison:#x}: {said}")
    print("built:", ", ".join(f"{n} {name}" for name, n in sorted(built.items())))
    print("an opcode:", ", ".join(f"{code:#04x} {n}" for code, n in sorted(opcodes.items())))
    print("refused for:", ", ".join(f"{n} {name}" for name, n in sorted(refused.items())))
    print(f"{count} descriptions, {sum(built.values())} built, {wrong} wrong")
    whole = opcodes.keys() == chains.keys() and refused.keys() == set(ERRORS) - {""} and len(built) == 15
    if not whole or sum(built.values()) < count / 2:
        print("not every framing, opcode and reason was tried, or too little was built")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
