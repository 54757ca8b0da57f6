#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_decode.py PCAP-LINT MADE: the FPDUs of --decode, as JSON and as text, against tests/codec/iwarp.py.

Of the captures of pcaps/siw and of scenarios of iWARP in MADE, with markers, too: each FPDU is shown once, in the first packet with which all
octets of the stream up to its last one are there, with its place, its headers field by field, what there is of its CRC, and, if it is not all
in that packet, the frames of its first and its last octet. The offset of each layer is where its bytes are in the packet.
Immediate Data and atomics, which those do not have, are in a connection that is written here.
"""
import collections
import ipaddress
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/codec"))
import iwarp  # noqa: E402
import random_iwarp  # noqa: E402
import writer  # noqa: E402

MADE = ("healthy", "marker", "pad-marker", "crc", "refused-write", "refused-as-siw", "rtr", "late", "with-atomics")
SHOWN = 20
READ_REQUEST, TERMINATE, INVALIDATES = 1, 7, {4, 6}
# RFC 7306, 5.1, 5.2 and 7.1: opcode, what its header has
ATOMIC_REQUEST, ATOMIC_RESPONSE, IMMEDIATE, IMMEDIATE_SE = 10, 11, 8, 9
LONGER = {
    ATOMIC_REQUEST: (">IIIQQQQQ", ("aopcode", "request_id", "remote_stag", "remote_to", "add_swap_data", "add_swap_mask", "compare_data",
                                   "compare_mask")),
    ATOMIC_RESPONSE: (">IQ", ("original_request_id", "original_remote_data")),
    IMMEDIATE: (">Q", ("data",)), IMMEDIATE_SE: (">Q", ("data",)),
}
READ = ("sink_stag", "sink_to", "read_size", "src_stag", "src_to")
FPDUS_MIN = 1500


def packed(address):
    return ipaddress.ip_address(address).packed


def number(value):
    return int(value, 0) if isinstance(value, str) else int(value)


def frame_of(ends, at):
    """The frame that brought octet @at."""
    return next(frame for end, (begin, frame) in ends.items() if begin <= at < end)


def wanted(path):
    """{(address, port) of the sender and of the receiver: [(place, frame it is shown in, frames, headers, CRC)]}"""
    known = collections.defaultdict(list)
    for connection in iwarp.begun(path):
        for i in (i for i in range(2) if connection.frames[i].ok):
            for fpdu in connection.stream(i).fpdus:
                known[connection.ends[i]].append(row(fpdu, connection.data[i], connection.crc))
    return known


def row(fpdu, data, crc):
    octets, ends = data
    last = fpdu.at + fpdu.bytes - 1
    shown = max(frame for begin, frame in ends.values() if begin <= last)
    frames = sorted({frame_of(ends, fpdu.at), frame_of(ends, last), shown})
    head = {"ulpdu_length": fpdu.length, "t": fpdu.tagged, "l": fpdu.last, "dv": fpdu.dv, "rv": fpdu.rv, "opcode": fpdu.opcode}
    head |= {"stag": fpdu.stag, "to": fpdu.to} if fpdu.tagged else {"qn": fpdu.qn, "msn": fpdu.msn, "mo": fpdu.mo}
    if fpdu.opcode in INVALIDATES:
        head["inval_stag"] = fpdu.inval
    if fpdu.opcode == READ_REQUEST:
        head |= zip(READ, struct.unpack(">IQIIQ", fpdu.payload[:28]))
    if fpdu.opcode in LONGER:
        form, names = LONGER[fpdu.opcode]
        head |= zip(names, struct.unpack(form, fpdu.payload[:struct.calcsize(form)]))
    found = f"0x{struct.unpack('<I', octets[last - 3:last + 1])[0]:08x}"
    return fpdu.at, shown, frames, head, (fpdu.crc if crc else "unused", found), fpdu.opcode == TERMINATE


def groups(packet):
    """Its FPDUs: [(mpa layer, [layers after it])]"""
    found = []
    for layer in packet["layers"]:
        if layer["name"] == "mpa":
            found.append((layer, []))
        elif layer["name"].startswith(("ddp_", "rdmap")) and found:
            found[-1][1].append(layer)
    return found


def decoded(lint, path):
    """The same as --decode has it, and [what is wrong]."""
    out = subprocess.run([lint, "--decode", "--format", "json", path], capture_output=True, text=True, check=True).stdout
    rows, faults, bytes_of = collections.defaultdict(list), [], list(iwarp.frames(path))
    for packet in map(json.loads, out.splitlines()):
        if packet["type"] != "packet":
            continue
        layers = {layer["name"]: layer["fields"] for layer in packet["layers"]}
        for mpa, others in groups(packet):
            ip = layers.get("ipv4") or layers["ipv6"]
            ends = (packed(ip["src"]), layers["tcp"]["sport"]), (packed(ip["dst"]), layers["tcp"]["dport"])
            names = [layer["name"] for layer in others]
            head = {**mpa["fields"]}
            for layer in others[:2 + ("rdmap_invalidate" in names)]:
                head |= {key: number(value) for key, value in layer["fields"].items() if key != "ulp"}
            if "rdmap_read_req" in names and "rdmap_terminate" not in names:
                head |= {key: number(value) for key, value in others[names.index("rdmap_read_req")]["fields"].items()}
            for layer in others[2:]:
                if layer["name"] in ("rdmap_atomic_req", "rdmap_atomic_resp", "rdmap_immediate"):
                    head |= {key: number(value) for key, value in layer["fields"].items()}
            frames = mpa.get("frames", [packet["frame"]])
            if frames[-1] != packet["frame"] or frames != sorted(set(frames)):
                faults.append(f"{packet['frame']}: frames {frames}")
            if "frames" not in mpa:
                raw = bytes_of[packet["frame"] - 1]
                if raw[mpa["offset"]:mpa["offset"] + 2] != struct.pack(">H", head["ulpdu_length"]):
                    faults.append(f"{packet['frame']}: no length at offset {mpa['offset']}")
            rows[ends].append((mpa["place"], packet["frame"], sorted(frames), head, (mpa["crc"]["status"], mpa["crc"]["found"]),
                               "rdmap_terminate" in names))
    return rows, faults


def of_capture(lint, path):
    want, (have, faults) = wanted(path), decoded(lint, path)
    yield from (f"{path.stem}:{fault}" for fault in faults)
    for ends in want.keys() | have.keys():
        ours, theirs = have.get(ends, []), want.get(ends, [])
        for one, other in zip(ours, theirs):
            if one != other:
                yield f"{path.stem}: {one}\n\tby iwarp.py {other}"
        if len(ours) != len(theirs):
            yield f"{path.stem}: {len(ours)} FPDUs of {ends}, by iwarp.py {len(theirs)}"


def in_text(lint, path, fpdus):
    """The text has as many, with their CRCs."""
    out = subprocess.run([lint, "--decode", path], capture_output=True, text=True, check=True).stdout
    lines = [line for line in out.splitlines() if line.startswith("  FPDU at octet ")]
    if len(lines) != fpdus or out.count("\n  mpa: offset ") != fpdus or not all(", CRC " in line for line in lines):
        yield f"{path.stem}: {len(lines)} FPDUs in the text, {fpdus} as JSON"


def write_longer(path):
    """Each of the longer headers, of both ends, and a Send after them."""
    rng, frames = random.Random(7306), []
    wire = random_iwarp.Wire(rng, [writer.End("192.0.2.1", 0, port=40000), writer.End("192.0.2.2", 0, port=20049)], frames, 1024)
    wire.begin()
    for side in (0, 1, 0):
        wire.reads[side] += 1
        for opcode, queue, sender in ((ATOMIC_REQUEST, 1, side), (ATOMIC_RESPONSE, 3, not side)):
            values = [rng.randrange(2), *(rng.randrange(1 << 32) for _ in LONGER[opcode][1][1:])]
            wire.stream(sender, random_iwarp.untagged(opcode, queue, wire.reads[side], 0, True, struct.pack(LONGER[opcode][0], *values)))
        for opcode in (IMMEDIATE, IMMEDIATE_SE, random_iwarp.SEND):
            wire.sends[side] += 1
            wire.stream(side, random_iwarp.untagged(opcode, 0, wire.sends[side], 0, True, struct.pack(">Q", rng.randrange(1 << 64))))
    times = [10**18 + 1000 * i for i in range(len(frames))]
    path.write_bytes(writer.pcap(1, [(time, data) for time, (_, data) in zip(times, frames)]))


def main(lint, made):
    with tempfile.TemporaryDirectory() as tmp:
        longer = pathlib.Path(tmp) / "longer.pcap"
        write_longer(longer)
        return captures(lint, made, longer)


def captures(lint, made, longer):
    paths = [longer] + sorted((ROOT / "pcaps/siw").glob("*.pcap")) + [pathlib.Path(made) / f"lint-iwp-{name}.pcap" for name in MADE]
    faults, total = [], 0
    for path in paths:
        faults += of_capture(lint, path)
        count = sum(map(len, wanted(path).values()))
        total += count
        faults += in_text(lint, path, count)
    opcodes = {row[3]["opcode"] for rows in wanted(longer).values() for row in rows}
    if not opcodes >= LONGER.keys():
        faults.append(f"written are {sorted(opcodes)}")
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{len(paths)} captures, {total} FPDUs: {len(faults)} faults")
    return bool(faults) or total < FPDUS_MIN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
