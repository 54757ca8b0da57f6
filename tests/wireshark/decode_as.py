#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""decode_as.py PLUGIN MADE: what the user says by Decode As holds, whatever the mode, and as it changes.

By -d of tshark, for each mode; and, as the window saves it, in a file that sharkd reads, while
preferences are changed and the capture is read again.
"""
import json
import pathlib
import struct
import sys

import prefs
import ws

OURS, BUILTIN, NOBODY = {"RoCE v2", "RoCE v1"}, {"RRoCE", "RoCE"}, {"UDP", "0x88b5"}
NAMES = {id(OURS): "ibwire", id(BUILTIN): "the built-in", id(NOBODY): "nobody"}
MODES = ["augment", "takeover", "off"]
AS_MODE = [BUILTIN, OURS, BUILTIN]
CLAIMED = ["-o", f"ibwire.roce_ports:{prefs.PORT}"]

# capture, what is said, who dissects it in augment and in take-over mode, and with the mode off
WANTED = [
    ("4791", [], AS_MODE),
    ("4791", ["-d", "udp.port==4791,ibwire"], [OURS] * 3),
    ("4791", ["-d", "udp.port==4791,infiniband"], [BUILTIN] * 3),
    ("4801", [], [NOBODY] * 3),
    ("4801", ["-d", "udp.port==4801,ibwire"], [OURS] * 3),
    ("4801", ["-d", "udp.port==4801,infiniband"], [BUILTIN] * 3),
    ("4801", CLAIMED, [NOBODY, OURS, NOBODY]),
    ("4801", [*CLAIMED, "-d", "udp.port==4801,ibwire"], [OURS] * 3),
    ("4801", [*CLAIMED, "-d", "udp.port==4801,infiniband"], [BUILTIN] * 3),
    ("8915", [], AS_MODE),
    ("8915", ["-d", "ethertype==0x8915,ibwire"], [OURS] * 3),
    ("8915", ["-d", "ethertype==0x8915,infiniband"], [BUILTIN] * 3),
    ("88b5", [], [NOBODY] * 3),
    ("88b5", ["-d", "ethertype==0x88b5,ibwire"], [OURS] * 3),
    ("88b5", ["-d", "ethertype==0x88b5,infiniband"], [BUILTIN] * 3),
]

# The line of the file, and preferences one after the other: who then. "IB" is the built-in.
MODES_TWICE = [("ibwire.mode", mode) for mode in ["takeover", "off", "augment"] * 2]
SAVED = [
    ("4791", "", [(MODES_TWICE[i], [OURS, BUILTIN, BUILTIN][i % 3]) for i in range(6)]),
    ("4791", "udp.port,4791,(none),ibwire", [(setting, OURS) for setting in MODES_TWICE]),
    ("4791", "udp.port,4791,(none),IB", [(setting, BUILTIN) for setting in MODES_TWICE]),
    ("4801", "udp.port,4801,(none),IB", [(("ibwire.mode", "takeover"), BUILTIN),
                                         (("ibwire.roce_ports", "4801"), BUILTIN),
                                         (("ibwire.roce_ports", ""), BUILTIN)]),
    ("4801", "udp.port,4801,(none),ibwire", [(setting, OURS) for setting in MODES_TWICE]),
    ("88b5", "ethertype,34997,(none),ibwire", [(setting, OURS) for setting in MODES_TWICE]),
    ("8915", "ethertype,35093,(none),ibwire", [(setting, OURS) for setting in MODES_TWICE]),
    ("8915", "ethertype,35093,(none),IB", [(setting, BUILTIN) for setting in MODES_TWICE]),
]


def captures(tshark, made):
    """{what they are on: capture}, of RDMA packets alone, none of which an upper layer takes."""
    _, v2 = ws.records(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap")
    _, v1 = ws.records(made / "opcodes-roce-v1.pcap")
    moved = list(prefs.on_port(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap"))
    other = [(*head, data[:12] + struct.pack(">H", 0x88b5) + data[14:]) for *head, data in v1]
    return {name: tshark.write(f"{name}.pcap", 1,
                               [row for row in rows if row[3][12:14] != b"\x08\x06"][:20])
            for name, rows in (("4791", v2), ("4801", moved), ("8915", v1), ("88b5", other))}


def fault(where, protocols, want):
    if not protocols or not protocols <= want:
        yield f"{where}: {' '.join(sorted(protocols)) or 'nothing'}, not {NAMES[id(want)]}"


def by_option(tshark, files):
    for name, said, wanted in WANTED:
        for mode, want in zip(MODES, wanted, strict=True):
            text = tshark.read(files[name], "-o", f"ibwire.mode:{mode}", *said, "-T", "fields",
                               "-e", "_ws.col.Protocol")
            yield from fault(f"{name} {mode} {' '.join(said)}", set(text.split("\n")) - {""}, want)


def by_file(tshark, files):
    directory = tshark.dir / "home/.config/wireshark"
    directory.mkdir(parents=True)
    for path in directory.parent, directory:
        path.chmod(0o755)
    for name, line, steps in SAVED:
        (directory / "decode_as_entries").write_text(line and f"decode_as_entry: {line}\n")
        with tshark.sharkd_running() as sharkd:
            for (preference, value), want in steps:
                sharkd.ask({"method": "setconf", "params": {"name": preference, "value": value}})
                sharkd.ask({"method": "load", "params": {"file": str(files[name])}})
                frames = json.loads(sharkd.ask({"method": "frames", "params": {}}))["result"]
                yield from fault(f"{name} {line}, {preference} changed to {value}",
                                 {frame["c"][4] for frame in frames}, want)


def main():
    tshark = ws.Tshark(sys.argv[1])
    files = captures(tshark, pathlib.Path(sys.argv[2]))
    faults = [*by_option(tshark, files), *by_file(tshark, files)]
    return ws.verdict(faults, f"{len(WANTED) * len(MODES)} choices, {len(SAVED)} sessions")


if __name__ == "__main__":
    sys.exit(main())
