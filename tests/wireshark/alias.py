#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""alias.py PLUGIN: the built-in dissector's names in take-over mode have the values they had before.

Every name of alias.def this Wireshark knows, in real captures: where the built-in dissector has a
value, ours is the same text. And in a tree for everybody fields have the names ibwire.names says.
"""
import re
import sys

import ws

ALIAS = re.compile(r'^IW_ALIAS(?:_BETTER)?\(\w+, \w+, "([\w.]+)"\)$', re.M)
CAPTURES = ["rxe/01-rping-ipv4.pcap", "rxe/04-write-rc.pcap", "rxe/05-read-rc.pcap",
            "rxe/06-atomic-fetch-add.pcap", "rxe/08-send-ud.pcap", "mad/sweep.erf.pcap",
            "mad/rmpp.roce.pcap", "rxe/04d-rstream-write-imm.pcap", "rxe/16b-nfs4-rdma.pcap"]
FRAMES = 400  # of each
TAKEOVER = ("-o", "ibwire.mode:takeover")
NO_CM = "mad/sweep.erf.pcap"  # CM packets are shown by the built-in dissector, too
# ibwire.names: which of the two names of a field nobody asks for by name
NAMES = {"both": {"infiniband.bth.psn", "ibwire.bth.psn"}, "ibwire": {"ibwire.bth.psn"},
         "infiniband": {"infiniband.bth.psn"}}
# The built-in dissector has 8 bytes for a Q_Key of 4, and 4 for a QP of 3: other digits.
DIGITS = {"infiniband.deth.q_key", "infiniband.deth.srcqp"}


def values(tshark, capture, names, *options):
    words = [word for name in names for word in ("-e", name)]
    text = tshark.read(capture, *options, "-T", "fields", "-E", "occurrence=f",
                       "-E", "separator=|", *words)
    return [line.split("|") for line in text.splitlines()]


def named(tshark, capture):
    """Faults in what names the fields of a whole tree have."""
    for which, wanted in NAMES.items():
        text = tshark.read(capture, "-c", 9, *TAKEOVER, "-o", f"ibwire.names:{which}", "-T", "pdml")
        found = {name for name in NAMES["both"] if f'name="{name}"' in text}
        if found != wanted:
            yield f"ibwire.names:{which}: {sorted(found)}, not {sorted(wanted)}"


def main():
    tshark, faults, seen = ws.Tshark(sys.argv[1]), [], set()
    text = (ws.ROOT / "dissector/wireshark/base/alias.def").read_text()
    known = {line.split("\t")[2] for line in tshark.run("-G", "fields").splitlines()
             if line.startswith("F\t")}
    names = [name for name in dict.fromkeys(ALIAS.findall(text)) if name in known]
    merged = ws.of_captures([ws.ROOT / "pcaps" / path for path in CAPTURES], FRAMES)
    capture = tshark.write_all("all.pcapng", merged)
    before = values(tshark, capture, names, "-o", "ibwire.mode:off")
    after = values(tshark, capture, names, *TAKEOVER)
    if after != values(tshark, capture, names, *TAKEOVER, "-o", "ibwire.names:infiniband"):
        faults.append("without the names of ibwire something else")
    for where, old, new in zip(ws.origins(merged), before, after, strict=True):
        for name, was, now in zip(names, old, new, strict=True):
            if was:
                seen.add(name)
            same = int(was, 0) == int(now or "0", 0) if name in DIGITS and was else was == now
            if was and not same:
                faults.append(f"{where}: {name} was {was}, is {now!r}")
    faults += named(tshark, tshark.put(ws.ROOT / "pcaps" / NO_CM, "names.pcap"))
    faults += [f"no capture has {name}" for name in names
               if name not in seen and not re.search("grh|rdeth|rwh", name)]
    return ws.verdict(faults, f"{len(seen)} of {len(names)} names")


if __name__ == "__main__":
    sys.exit(main())
