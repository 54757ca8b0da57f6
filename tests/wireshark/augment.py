#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""augment.py PLUGIN MADE [FRAMES]: next to the built-in dissector there is only what it has not, or has wrong.

Of the first FRAMES frames (0: all) of every capture, the tree as it is by default and with ibwire.all_fields. What is
left out by default is in the built-in dissector's tree, with the same value. What is there by default is not
there a second time. Of Ethernet, IP and what is above them there is none. From Wireshark 4.4 on the tree of what an ICMP error quotes is
in that of the error.
"""
import ipaddress
import re
import sys
import xml.etree.ElementTree as ElementTree

import pdml
import ws

ALIAS = re.compile(r'^IW_ALIAS\((\w+), (\w+), "([\w.]+)"\)$', re.M)
ALL = "-o", "ibwire.all_fields:TRUE"
# What is no field of a packet, and what Wireshark calls data, or hands on.
NOT_FIELDS = {"ibwire." + name for name in ("proto", "outcome", "payload", "payload_len", "ulp.data")}
OTHERS = re.compile(r"ibwire\.(eth|vlan|ipv4|ipv6|udp|sll|sll2|erf|icmpv6|nd|dhcp)")  # have their own dissectors


def aliases():
    """{our name: [the built-in dissector's]}"""
    out = {}
    for header, field, name in ALIAS.findall((ws.ROOT / "dissector/wireshark/base/alias.def").read_text()):
        out.setdefault(f"ibwire.{header}.{field}", []).append(name)
    return out


def number(show):
    """Comparable: theirs may have other digits."""
    if show in ("True", "False"):
        return int(show == "True")
    try:
        return int(show, 0)
    except ValueError:
        pass
    try:
        return int(ipaddress.ip_address(show))
    except ValueError:
        return show


def fields_of(element, prefix):
    """{name: [values]} of the fields below the trees of a protocol that show."""
    out = {}
    for field in element.iter("field"):
        if field.get("name", "").startswith(prefix) and field.get("hide") != "yes":
            out.setdefault(field.get("name"), []).append(number(field.get("show")))
    return out


# RC and UC up to IBTA 1.3, and UD; of the others the built-in dissector has no name, or a wrong one. Wireshark
# 4.4 knows FLUSH and ATOMIC WRITE of RC.
NAMED = {*range(0x00, 0x18), *range(0x20, 0x2c), 0x64, 0x65}
NAMED_4_4 = {0x1c, 0x1d}


def says_more(name, values):
    """The built-in dissector does not say what is multicast, nor how all opcodes are called."""
    return name == "ibwire.bth.opcode" and not NAMED.issuperset(values) or \
        name == "ibwire.bth.dqpn" and 0xffffff in values or \
        name.endswith("gid") and any(value >> 120 == 0xff for value in values)


def compare(names, whole, element):
    """Faults of a frame: @whole are all fields of ours."""
    ours, theirs = fields_of(element, "ibwire."), fields_of(element, "infiniband.")
    # Where it finds an SA header after an RMPP header of no known type, is none.
    unread = "ibwire.sa." if set(theirs.get("infiniband.rmpp.rmpptype", [])) - set(range(5)) else "no such"
    # Of RD, as which it reads DC, it takes a DETH for 16 bytes: with that the RETH of DC is where it looks.
    by_chance = "ibwire.reth." if any(name.startswith("ibwire.dceth.") for name in ours) else "no such"
    for name, values in ours.items():
        again = [theirs[alias] for alias in names.get(name, []) if alias in theirs and not name.startswith(unread)]
        # Of a packet that was cut, or contradicts itself, the built-in dissector may have nothing right.
        if values in again and not says_more(name, values) and "ibwire.outcome" not in ours and \
                not name.startswith(by_chance):
            yield f"{name} is there, and {names[name]} {again}"
        if OTHERS.match(name):
            yield f"{name} is there"
    for name in whole.keys() - ours.keys() - NOT_FIELDS:
        if name.count(".") == 1 or OTHERS.match(name):  # a header
            continue
        found = [theirs[alias] for alias in names.get(name, []) if alias in theirs]
        if not any(set(whole[name]) <= set(values) for values in found):
            yield f"{name} {whole[name]} is not there, and of {names.get(name)} {found}"


def main():
    tshark, faults, count = ws.Tshark(sys.argv[1]), [], [0, 0]
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 25
    if tuple(map(int, tshark.version.split("."))) >= (4, 4):
        NAMED.update(NAMED_4_4)
    merged, names = ws.by_linktype(sys.argv[2], first or None), aliases()
    capture = tshark.write_all("all.pcapng", merged)
    for where, whole, text in zip(ws.origins(merged), pdml.texts(tshark, capture, *ALL),
                                  pdml.texts(tshark, capture, layers="ibwire infiniband icmp icmpv6"), strict=True):
        whole = fields_of(ElementTree.fromstring(whole), "ibwire.")
        element = ElementTree.fromstring(text)
        count[0] += len(whole)
        count[1] += len(fields_of(element, "ibwire."))
        faults += [f"{where}: {fault}" for fault in compare(names, whole, element)]
    if not 0 < count[1] < count[0]:
        faults.append("by default there is as much as with all fields")
    return ws.verdict(faults, f"{count[1]} of {count[0]} fields")


if __name__ == "__main__":
    sys.exit(main())
