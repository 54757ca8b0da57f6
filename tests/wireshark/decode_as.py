#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""decode_as.py PLUGIN MADE: what the user says by Decode As holds, whatever the mode, and as it changes.

By -d of tshark, for each mode; and, as the window saves it, in a file that sharkd reads, while
preferences are changed and the capture is read again.
"""
import pathlib
import struct
import sys

import prefs
import ws

FRAMES = 20
OURS, BUILTIN, NOBODY = {"RoCE v2", "RoCE v1"}, {"RRoCE", "RoCE"}, {"UDP", "0x88b5"}
NAMES = {id(OURS): "ibwire", id(BUILTIN): "the built-in", id(NOBODY): "nobody"}
MODES = ["augment", "takeover", "off"]
CLAIMED = 4802  # by ibwire.roce_ports

# table and value, and who dissects the packets there in each mode, as long as nobody says otherwise
PLACES = {
    ("udp.port", 4791): [BUILTIN, OURS, BUILTIN],
    ("udp.port", prefs.PORT): [NOBODY] * 3,
    ("udp.port", CLAIMED): [NOBODY, OURS, NOBODY],
    ("ethertype", 0x8915): [BUILTIN, OURS, BUILTIN],
    ("ethertype", 0x88b5): [NOBODY] * 3,
}
# What the user says of all of them, by the name -d and the file have for it; who then.
SAID = {("", ""): None, ("ibwire", "RDMA"): OURS, ("infiniband", "IB"): BUILTIN}

# Preferences one after the other, the place in MODES they lead to, and who has prefs.PORT by then.
STEPS = [("ibwire.mode", mode, MODES.index(mode), NOBODY) for mode in ["takeover", "off", "augment"] * 2]
STEPS += [("ibwire.mode", "takeover", 1, NOBODY),
          ("ibwire.roce_ports", f"{prefs.PORT},{CLAIMED}", 1, OURS),
          ("ibwire.roce_ports", f"{CLAIMED}", 1, NOBODY)]


def capture_of(tshark, made):
    """RDMA packets alone, none of which an upper layer takes; FRAMES on each place, one after the other."""
    rping = ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap"
    _, v2 = ws.records(rping)
    _, v1 = ws.records(made / "opcodes-roce-v1.pcap")
    other = [(*head, data[:12] + struct.pack(">H", 0x88b5) + data[14:]) for *head, data in v1]
    groups = [v2, prefs.on_port(rping, prefs.PORT), prefs.on_port(rping, CLAIMED), v1, other]
    return tshark.write("places.pcap", 1, [row for rows in groups for row in
                                           [row for row in rows if row[3][12:14] != b"\x08\x06"][:FRAMES]])


def faults_of(where, protocols, wanted):
    """@protocols: of each frame of the capture; @wanted: of each place."""
    if len(protocols) != FRAMES * len(PLACES):
        yield f"{where}: {len(protocols)} frames"
    for i, (place, want) in enumerate(zip(PLACES, wanted, strict=True)):
        found = set(protocols[i * FRAMES:(i + 1) * FRAMES])
        if not found <= want:
            yield f"{where}: {place[0]} {place[1]}: {' '.join(sorted(found))}, not {NAMES[id(want)]}"


def by_option(tshark, capture):
    for (name, _), who in SAID.items():
        said = [word for table, value in PLACES if name for word in ("-d", f"{table}=={value},{name}")]
        for i, mode in enumerate(MODES):
            text = tshark.read(capture, "-o", f"ibwire.mode:{mode}", "-o", f"ibwire.roce_ports:{CLAIMED}",
                               *said, "-T", "fields", "-e", "_ws.col.Protocol")
            yield from faults_of(f"-d {name}, {mode}", text.splitlines(),
                                 [who or modes[i] for modes in PLACES.values()])


def by_file(tshark, capture):
    directory = tshark.dir / "home/.config/wireshark"
    directory.mkdir(parents=True)
    for path in directory.parent, directory:
        path.chmod(0o755)
    for (_, name), who in SAID.items():
        (directory / "decode_as_entries").write_text(
            "".join(f"decode_as_entry: {table},{value},(none),{name}\n" for table, value in PLACES if name))
        with tshark.sharkd_running() as sharkd:
            sharkd.set("ibwire.roce_ports", f"{CLAIMED}")
            for preference, value, mode, at_port in STEPS:
                sharkd.set(preference, value)
                frames = sharkd.load(capture)
                wanted = {place: who or modes[mode] for place, modes in PLACES.items()}
                wanted["udp.port", prefs.PORT] = who or at_port
                yield from faults_of(f"file {name}, {preference} changed to {value}",
                                     [frame["c"][4] for frame in frames], wanted.values())


def main():
    tshark = ws.Tshark(sys.argv[1])
    capture = capture_of(tshark, pathlib.Path(sys.argv[2]))
    faults = [*by_option(tshark, capture), *by_file(tshark, capture)]
    return ws.verdict(faults, f"{len(PLACES) * len(SAID) * (len(MODES) + len(STEPS))} choices")


if __name__ == "__main__":
    sys.exit(main())
