#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""build_poison.py PROGRAM...: no header holds anything of the struct it was built from but its fields.

PROGRAM is that of build_poison.c. Each header it prints has to be what tests/lib/encoder.py makes of the
same values: the poison in the members the opcode and the framing use, cut to the width of the field;
0 in all that is reserved; what is derived, derived. Which headers an opcode has is that of
tests/facts/opcodes.csv.
"""
import collections
import csv
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import encoder  # noqa: E402

FACTS = pathlib.Path(__file__).resolve().parents[1] / "facts" / "opcodes.csv"
SOURCES = ["linux-6.12-rxe", "linux-patch-xrc", "linux-patch-flush", "wireshark-4.4.18"]
CNP, XRC_ATOMIC_WRITE, ATOMIC_WRITES = 0x81, 0xbd, {0x1d, 0x5d, 0xbd}
# Requests of RD that the facts give no DETH, which every other request of RD has: list/opcodes.def.
RD_WITHOUT_DETH = 0x5c, 0x5d
QPN = 0x123456
# What ibw_build_defaults() says it sets.
DEFAULTS = {"grh.hop": 64, "ipv4.df": 1, "ipv4.ttl": 64, "ipv6.hop": 64, "udp.sport": 0xc000,
            "udp.dport": 4791, "bth.migreq": 1, "bth.pkey": 0xffff}
# What ib_ud_header_init() of Linux sets, in addition to lengths: drivers/infiniband/core/ud_header.c.
UD = {"udp.dport": 4791, "bth.qpn": 1}
# The address handle and the group of build_poison.c. PSN, SE and MigReq are the caller's.
IPOIB = {"lrh.vl": 6, "lrh.lver": 0, "lrh.sl": 9, "lrh.dlid": 0x1c1d, "lrh.slid": 0x0a0b,
         "grh.tclass": 0x6a, "grh.flow": 0x54321, "grh.hop": 33,
         "grh.sgid": int("11" * 16, 16), "grh.dgid": int("22" * 16, 16),
         "bth.opcode": 0x64, "bth.tver": 0, "bth.pkey": 0x8765, "bth.fecn": 0, "bth.becn": 0,
         "bth.qpn": 0x48, "bth.ackreq": 0, "DETH.qkey": 0x0badcafe, "DETH.sqpn": 0x49,
         "ipoib.type": 0x86dd}
GROUP = {**IPOIB, "lrh.vl": 0, "lrh.dlid": 0xc0de, "grh.dgid": int("ff" + "33" * 15, 16),
         "bth.qpn": 0xffffff}


def opcodes():
    """{opcode: [header]} by the facts."""
    says = collections.defaultdict(dict)
    with open(FACTS, encoding="ascii") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            if row[3] != "-":
                says[int(row[1], 0)][row[0]] = [] if row[3] == "none" else row[3].split("+")
    chains = {code: by[next(source for source in SOURCES if source in by)]
              for code, by in says.items()}
    chains[CNP] = ["CNP"]  # facts: 28 bytes with the BTH
    chains[XRC_ATOMIC_WRITE] = ["XRCETH", "RETH"]  # named by one source, as that of RC
    for code in ATOMIC_WRITES:  # their 8 bytes, which rxe calls payload
        chains[code] = chains[code] + ["ATOMICWRITE"]
    for code in RD_WITHOUT_DETH:
        chains[code].insert(chains[code].index("RDETH") + 1, "DETH")
    return chains


def kind_of(framing):
    return next(kind for kind in ("ib-local", "ib-global", "roce-v1", "ipv4", "ipv6")
                if kind in framing)


def expected(chains, form, framing, vlans, opcode, payload, poison):
    """The headers, or None where there can be no such packet."""
    known = {"plain": {}, "defaults": DEFAULTS, "ud": UD, "ipoib": IPOIB, "ipoib-group": GROUP}[form]
    kind = kind_of(framing)
    names = chains.get(opcode)
    if names is None or (opcode == CNP and kind not in ("ipv4", "ipv6")):
        return None

    def value(header, field, bits):
        name = f"{header}.{field}"
        if name in known:
            return known[name]
        if name == "bth.opcode":
            return opcode
        if name == "bth.qpn":
            return QPN
        filled = int.from_bytes(bytes([poison]) * 16, "big")
        return 0 if form == "ud" else filled & (1 << bits) - 1

    return encoder.packet(kind, vlans if framing.startswith("roce") else None,
                          names + ["ipoib"] * form.startswith("ipoib"), payload, value)


def where(have, want, names):
    """The header that differs first."""
    if len(have) != len(want):
        return f"{len(have)} bytes, not {len(want)}"
    at = next(i for i, (a, b) in enumerate(zip(have, want)) if a != b)
    return f"byte {at} ({len(want) - at} from the end; headers after the BTH: {'+'.join(names)})"


def main():
    lines = subprocess.run(sys.argv[1:], capture_output=True, text=True, check=True).stdout
    chains, wrong, forms = opcodes(), 0, collections.Counter()
    for line in lines.splitlines():
        form, framing, vlans, opcode, payload, poison, headers = line.split()
        want = expected(chains, form, framing, int(vlans), int(opcode, 16), int(payload),
                        int(poison, 16))
        have = None if headers == "none" else bytes.fromhex(headers)
        forms[form] += have is not None
        if have == want:
            continue
        wrong += 1
        if wrong > 10:
            continue
        print(f"{form} of {poison}, {framing}, opcode 0x{opcode}, payload {payload}:",
              "built, or not, though it should not, or should" if have is None or want is None
              else where(have, want, chains[int(opcode, 16)]))
        print("\tgot ", have and have.hex())
        print("\twant", want and want.hex())
    print(", ".join(f"{n} {form}" for form, n in sorted(forms.items())), f"headers, {wrong} wrong")
    per_poison = 12 * len(chains) - 5  # framings, but the CNP is of RoCE v2's seven
    whole = forms == {"plain": 2 * per_poison, "defaults": 2 * per_poison, "ud": 2 * 2 * 10,
                      "ipoib": 2 * 2, "ipoib-group": 2}
    if not whole:
        print("not all forms were built")
    return 0 if whole and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
