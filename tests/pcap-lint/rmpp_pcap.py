#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""rmpp_pcap.py PCAP-LINT: tables reassembled from RMPP segments, against a concatenation made here.

Every field of every record that pcap-lint shows as coming from several frames is read again from the
concatenation; as the capture is, with segments doubled, swapped and lost, and with the last record of
a table without the padding after it.
"""
import collections
import ipaddress
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAPTURE = ROOT / "pcaps/mad/rmpp.roce.pcap"
SA, DATA, ACTIVE, FIRST, LAST = 3, 1, 1, 2, 4
SEGMENT, SA_HEADER = 200, 20
PADDING = {0x11: 4, 0x38: 4}  # after a NodeRecord, an MCMemberRecord


def schema():
    """{layer: {field: (first bit, bits, elements, kind)}}"""
    out = {}
    for path in (ROOT / "include/ibwire/schema").glob("*.def"):
        rows = re.findall(r"IBW_(FIELD|BYTES|ARRAY)\((\w+),\s*(\d+),\s*(\d+),\s*(\w+)",
                          path.read_text())
        out[path.stem] = {name: (int(at), int(bits), int(x) if what == "ARRAY" else 1, x)
                          for what, name, at, bits, x in rows}
    return out


def mad_of(frame):
    """(ends, the 256 bytes) of a RoCE v2 frame over IPv6 that holds an SA MAD; None: another."""
    if frame[12:14] != b"\x86\xdd" or frame[20] != 17 or frame[56:58] != b"\x12\xb7":
        return None
    mad = frame[82:338]
    return (frame[22:54], mad) if len(mad) == 256 and mad[1] == SA else None


def tables(frames):
    """{frame number of the last segment: (stride, all bytes)} of the transfers that are whole."""
    running, out = {}, {}
    for number, frame in enumerate(frames, 1):
        ends, mad = mad_of(frame) or (None, None)
        if not mad or not mad[26] & ACTIVE:
            continue
        tid, kind, flags = mad[8:16], mad[25], mad[26]
        segment, payload = struct.unpack_from(">II", mad, 28)
        key, back = (ends, tid), (ends[16:] + ends[:16], tid)
        if kind != DATA:
            if kind in (3, 4):
                running.pop(key, None)
                running.pop(back, None)
            continue
        if key not in running and flags & FIRST and flags & LAST:
            continue
        t = running.setdefault(key, {"parts": {}, "frames": {}, "last": None, "stride": None})
        t["stride"] = t["stride"] or struct.unpack_from(">H", mad, 44)[0] * 8
        size = SEGMENT
        if flags & LAST:
            size, t["last"] = payload - SA_HEADER, segment
        t["parts"][segment] = mad[56:56 + size]
        t["frames"].setdefault(segment, number)
        if t["last"] and set(t["parts"]) == set(range(1, t["last"] + 1)):
            out[number] = (t["stride"], b"".join(t["parts"][i] for i in sorted(t["parts"])), sorted(t["frames"].values()))
            del running[key]
    return out


def value(data, bit, bits):
    return int.from_bytes(data, "big") >> (len(data) * 8 - bit - bits) & ((1 << bits) - 1)


def number(shown, kind, bits):
    if isinstance(shown, int):
        return shown
    if kind == "TEXT":
        return int.from_bytes(shown.encode().ljust(bits // 8, b"\0"), "big")
    if shown.startswith("0x"):
        return int(shown, 16)
    if kind in ("GID", "IPV6"):
        return int(ipaddress.ip_address(shown))
    return int(shown.replace(":", ""), 16)


def check_packet(where, layers, table, described, count):
    """Faults of one packet: its layers from several frames, and the table they must show."""
    stride, data, frames = table
    faults, ends = [], set()
    if [layer["frames"] for layer in layers] != [frames, *[[]] * (len(layers) - 1)]:
        faults.append(f"{where}: of the frames {layers[0]['frames']}, not {frames}")
    for layer in layers:
        at, name = layer["offset"], layer["name"]
        part = data[at:at + layer["length"]]
        ends.add(at // stride)
        for field, shown in layer["fields"].items():
            if field not in described[name]:
                continue
            first, bits, elements, kind = described[name][field]
            for i, v in enumerate(shown if isinstance(shown, list) else [shown]):
                want = value(part, first + i * bits, bits)
                if kind == "TEXT":  # what follows the first NUL is not shown
                    text = want.to_bytes(bits // 8, "big").split(b"\0")[0]
                    want = int.from_bytes(text.ljust(bits // 8, b"\0"), "big")
                count["values"] += 1
                if number(v, kind, bits) != want:
                    faults.append(f"{where}: {name}.{field} at {at}: {v}, not 0x{want:x}")
            if elements > 1 and len(shown) != elements:
                faults.append(f"{where}: {name}.{field}: {len(shown)} elements of {elements}")
    records = -(-len(data) // stride)
    if ends != set(range(records)):
        faults.append(f"{where}: {len(ends)} records of {records}")
    count["records"] += len(ends)
    return faults


def run(lint, what, head, records, described):
    """Faults of one variant of the capture."""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(head + b"".join(h + f for h, f in records))
        file.flush()
        out = subprocess.run([lint, "--decode", "--format", "json", file.name],
                             capture_output=True, text=True, check=True).stdout
    want = tables([frame for _, frame in records])
    faults, count = [], collections.Counter()
    for packet in map(json.loads, out.splitlines()):
        layers = [layer for layer in packet.get("layers", ()) if "frames" in layer]
        table = want.pop(packet.get("frame"), None)
        where = f"{what}: frame {packet.get('frame')}"
        if bool(layers) != bool(table):
            faults.append(f"{where}: {len(layers)} layers, and a table is {table is not None}")
        elif table:
            count["tables"] += 1
            faults += check_packet(where, layers, table, described, count)
    faults += [f"{what}: frame {frame}: not read" for frame in want]
    print(f"{what}: {count['tables']} tables, {count['records']} records, {count['values']} values")
    return faults, count["tables"]


def unpadded(frame):
    """The frame, or if a table ends in it that has padding, one that ends before the last."""
    mad = (mad_of(frame) or (None, bytes(256)))[1]
    pad = PADDING.get(int.from_bytes(mad[16:18], "big"), 0)
    if not pad or mad[25] != DATA or not mad[26] & ACTIVE or not mad[26] & LAST:
        return frame
    length = struct.unpack_from(">I", frame, 82 + 32)[0] - pad
    return frame[:82 + 32] + struct.pack(">I", length) + frame[82 + 36:]


def main():
    lint, described = sys.argv[1], schema()
    data, at, records = CAPTURE.read_bytes(), 24, []
    while at < len(data):
        size, = struct.unpack_from("<I", data, at + 8)
        records.append((data[at:at + 16], data[at + 16:at + 16 + size]))
        at += 16 + size
    middle = [i for i, (_, frame) in enumerate(records)
              if (mad := mad_of(frame)) and mad[1][25] == DATA and mad[1][26] == ACTIVE]
    doubled = [r for i, r in enumerate(records) for r in [r] * (2 if i in middle[::3] else 1)]
    swapped = list(records)
    for i in middle[::5]:
        if i + 1 in middle and mad_of(records[i][1])[0] == mad_of(records[i + 1][1])[0]:
            swapped[i], swapped[i + 1] = records[i + 1], records[i]
    without = [(head, unpadded(frame)) for head, frame in records]
    lost = [r for i, r in enumerate(records) if i != middle[len(middle) // 2]]
    faults, whole = run(lint, "as captured", data[:24], records, described)
    for what, variant, fewer in (("doubled", doubled, 0), ("swapped", swapped, 0),
                                 ("unpadded", without, 0), ("one lost", lost, 1)):
        more, n = run(lint, what, data[:24], variant, described)
        faults += more
        if n != whole - fewer:
            faults.append(f"{what}: {n} tables of {whole}")
    if records in (swapped, without) or not whole:
        faults.append("nothing was tested")
    print("\n".join([*faults[:30], f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
