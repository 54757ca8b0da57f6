#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""prefs.py PLUGIN MADE: each preference does what it says, set before a file is read and after.

Before: -o of tshark. After: one sharkd, which, as the window does, reads the file again when a
preference was changed; nothing may be left of what was before.
"""
import json
import pathlib
import struct
import sys

import ws

BAD_ICRC = "rxe/12g-netem-corrupt-badicrc.pcap"  # 679 RoCE packets, 35 with a bad ICRC
PORT = 4801

# capture, preference, [(value, filter, frames)], the first value being the default; another
# preference may come with a value
WANTED = [
    (BAD_ICRC, "mode", [("augment", "ibwire && infiniband", 679), ("takeover", "infiniband", 0),
                        ("takeover", "ibwire.bth", 679), ("off", "ibwire", 0),
                        ("off", "infiniband", 679)]),
    ("port", "roce_ports", [("", "ibwire.bth", 0), (f"{PORT}", "ibwire.bth", 125),
                            (f"1000-1002,{PORT}", "ibwire.bth", 125), ("4800", "ibwire.bth", 0)]),
    (BAD_ICRC, "verify_icrc", [("TRUE", "ibwire.icrc.status == 0", 35),
                               ("FALSE", "ibwire.icrc.status == 0", 0),
                               ("FALSE", "ibwire.icrc.status == 2", 679),
                               ("FALSE", 'ibwire.lint.rule == "CRC001"', 0)]),
    # Whatever a filter asks for is there; alias.py looks at what nobody asks for.
    (BAD_ICRC, "names", [("both -o ibwire.mode:takeover", "infiniband.bth.psn && ibwire.bth.psn", 679),
                         ("ibwire -o ibwire.mode:takeover", "infiniband.bth.psn", 679),
                         ("infiniband -o ibwire.mode:takeover", "ibwire.bth.psn", 679),
                         ("infiniband", "infiniband.bth.psn", 679)]),
    ("lint-bth.pcap", "severity", [("warning", "ibwire.lint.severity == 2", 0),
                                   ("note", "ibwire.lint.severity == 2", 6),
                                   ("error", "ibwire.lint.severity >= 1", 0),
                                   ("error", "ibwire.lint.severity == 0", 21)]),
    # Every rule is on, but without the ICRC those about it are not, if nobody asks for them.
    (BAD_ICRC, "select", [("", "ibwire.lint.rule == CRC001", 35),
                          (" -o ibwire.verify_icrc:FALSE", "ibwire.lint.rule == CRC001", 0),
                          ("CRC -o ibwire.verify_icrc:FALSE", "ibwire.lint.rule == CRC001", 35)]),
    (BAD_ICRC, "ignore", [("", "ibwire.lint.rule == CRC001", 35),
                          ("icrc-bad", "ibwire.lint.rule == CRC001", 0),
                          ("BTH,CRC", "ibwire.lint.rule == CRC001", 0)]),
    (BAD_ICRC, "max_findings", [("100000", "ibwire.lint.rule == CRC001", 35),
                                ("3", "ibwire.lint.rule == CRC001", 3),
                                ("0", "ibwire.lint.rule == CRC001", 35)]),
    ("mad/rmpp.roce.pcap", "rmpp_kib", [("16384", "ibwire.rmpp.reassembled.length", 43),
                                        ("0", "ibwire.rmpp.reassembled.length", 0),
                                        ("0", "ibwire.rmpp", 1947)]),
]


def on_port(path):
    """The frames of a capture with another UDP port in the place of RoCE's."""
    linktype, frames = ws.records(path)
    for sec, nsec, length, data in frames:
        if data[36:38] == struct.pack(">H", 4791):
            data = data[:36] + struct.pack(">H", PORT) + data[38:]
        yield sec, nsec, length, data
    assert linktype == 1


def capture_of(tshark, made, name):
    if name == "port":
        return tshark.write("port.pcap", 1, on_port(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap"))
    if "/" in name:
        return tshark.put(ws.ROOT / "pcaps" / name, name.replace("/", "-"))
    return tshark.put(made / name)


def before(tshark, capture, preference, values):
    for value, condition, frames in values:
        text = tshark.read(capture, "-2", *f"-o ibwire.{preference}:{value}".split(), "-Y",
                           condition)
        if len(text.splitlines()) != frames:
            yield f"{preference}:{value}: {condition}: {text.count(chr(10))} frames, not {frames}"


def after(tshark, capture, preference, values):
    """One sharkd keeps what a filter found, so each filter is written in another way."""
    requests = []
    for i, (value, condition, _) in enumerate(values):
        for setting in f"ibwire.{preference}:{value}".split(" -o "):
            name, _, to = setting.partition(":")
            requests.append({"method": "setconf", "params": {"name": name, "value": to}})
        requests += [{"method": "load", "params": {"file": str(capture)}},
                     {"method": "frames", "params": {"filter": " " * i + condition}}]
    answers = [answer for request, answer in zip(requests, tshark.sharkd(*requests), strict=True)
               if request["method"] == "frames"]
    for (value, condition, frames), answer in zip(values, answers, strict=True):
        found = len(json.loads(answer)["result"])
        if found != frames:
            yield f"{preference} changed to {value}: {condition}: {found} frames, not {frames}"


def main():
    tshark, made, faults = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), []
    # With the address sanitizer tshark 4.0 does not come back from listing them.
    text = "" if tshark.preload else tshark.run("-G", "currentprefs")
    listed = {line.split(":")[0].removeprefix("#").removeprefix("ibwire.")
              for line in text.splitlines() if line.startswith(("#ibwire.", "ibwire."))}
    faults += [f"{name} has no test" for name in listed - {row[1] for row in WANTED}]
    for name, preference, values in WANTED:
        capture = capture_of(tshark, made, name)
        faults += before(tshark, capture, preference, values)
        faults += after(tshark, capture, preference, values)
    return ws.verdict(faults, f"{len(WANTED)} preferences")


if __name__ == "__main__":
    sys.exit(main())
