#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper_named.py PCAP-LINT PCAPS MADE: --ulp, which names the upper layer of a connection whose beginning is not in the capture.

Captures are cut after parts of their packets. With the name, the commands of what is left are those that the oracle has of the whole
capture: every one that the program lists, key by key, and nearly every one that there is. With a name that is not right nothing is said
of the connection, and standard error names a frame; what a connection shows by itself goes before a name. Which queue pair a name is of is tried with one of the captures that pcaps/make wrote to MADE.
"""
import collections
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import capture  # noqa: E402
import parallel  # noqa: E402
import product  # noqa: E402
import upper  # noqa: E402

NAMES = {"NVMe-oF": "nvme", "iSER": "iser", "SRP": "srp", "RPC-over-RDMA": "rpc", "SMB Direct": "smb"}
PARTS = 3  # of a capture, of which the first ones are cut off
KEYS = ("queue", "name", "id", "ns", "status", "bytes", "transferred", "outcome")
# Of the commands that begin in what is left so many are listed at least: of each protocol by the hundred.
LEAST = {"NVMe-oF": 90, "iSER": 100, "SRP": 90, "RPC-over-RDMA": 90, "SMB Direct": 100}
HEADER = 24


def run(lint, path, *options):
    return product.lines(lint, path, ["--stats", "--max-per-rule", "0", *options], (0, 1))


def records(data):
    """[(header, bytes, byte order)] of a classic pcap."""
    order = "little" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else "big"
    at = HEADER
    while at < len(data):
        size = int.from_bytes(data[at + 8:at + 12], order)
        yield data[at:at + 16], data[at + 16:at + 16 + size], order
        at += 16 + size


def written(path, scratch, name, data, packets):
    made = scratch / f"{path.stem}-{name}.pcap"
    made.write_bytes(data[:HEADER] + b"".join(packets))
    return made


def cut(path, scratch, frames):
    """The capture without its first frames."""
    data = capture.uncompressed(path)
    return written(path, scratch, frames, data, [header + packet for header, packet, _ in records(data)][frames:])


def snapped(path, scratch, most):
    """The capture with at most so many bytes of each frame."""
    data = capture.uncompressed(path)
    return written(path, scratch, most, data, [header[:8] + len(packet[:most]).to_bytes(4, order) + header[12:] + packet[:most]
                                               for header, packet, order in records(data)])


def cut_packets(lint, path, scratch, ours, protocol):
    """What is cut contradicts nothing."""
    for most in (64, 80, 110):
        _, err = run(lint, snapped(path, scratch, most), *all_options(ours, 0, NAMES[protocol]))
        if "given up" in err:
            yield f"{path.name} with {most} bytes a frame: {err!r}"


def names_of(ours, frames, name):
    """The options that name each queue, by where its commands go to."""
    for queue in ours.queues:
        src, dst, qpn = queue.flow
        if isinstance(dst, tuple):
            yield "--ulp", f"{dst[1]}={name}"
        else:
            yield "--ulp", f"{qpn:#x}={name}"


def all_options(ours, frames, name):
    return [word for pair in dict.fromkeys(names_of(ours, frames, name)) for word in pair]


def right(lint, path, scratch, ours, protocol, frames):
    """(commands that are there, listed, faults) of what is left, with the right name."""
    made, faults = cut(path, scratch, frames), []
    rows, err = run(lint, made, *all_options(ours, frames, NAMES[protocol]))
    want = {(row["frame"] - frames, row["id"]): row for row in ours.rows if row["frame"] > frames}
    listed = 0
    for line in rows["command"]:
        row = want.get((line["frame"], line["id"]))
        if row is None:
            faults += [f"frame {line['frame']}: {line['name']}, which nobody asks for"] * (not is_late(line, ours))
            continue
        if line["end"] is None and row["end"] is not None:
            continue  # its answer came before it was known whose answers those are
        differ = [key for key in KEYS if line[key] != row[key] and (key, line[key], row[key]) != ("outcome", "open", "closed")]
        if differ and set(differ) <= {"ns", "status", "transferred"} and early(line, rows["command"], 12 if of_tcp(ours, row) else 3):
            continue  # FPDUs are found some octets after the beginning; transfers came before it was known whose they are
        faults += [f"frame {line['frame']}: {key} {line[key]}, should be {row[key]}" for key in differ]
        listed += not differ
    if {line["protocol"] for line in rows["upper"]} - {protocol}:
        faults.append("another upper layer")
    whole = {(f["rule"], f["frame"] + frames) for f in rows["finding"] if f["rule"].startswith("ULP")}
    faults += [f"{rule} of frame {frame} is not in the whole capture" for rule, frame in whole - set(ours.findings) - known(lint, path)]
    return len(want), listed, [f"{path.name} without {frames} frames: {fault}" for fault in faults]


def of_tcp(ours, row):
    return isinstance(ours.queues[row["number"]].flow[1], tuple)


def is_late(line, ours):
    """Of iWARP, asked before FPDUs were found in the octets after the cut: known by its id alone."""
    return any(row["id"] == line["id"] and row["name"] == line["name"] and of_tcp(ours, row) for row in ours.rows)


def early(line, lines, n):
    return line in [one for one in lines if one["connection"] == line["connection"]][:n]


def known(lint, path):
    return {(f["rule"], f["frame"]) for f in run(lint, path)[0]["finding"]}


def wrong(lint, path, scratch, ours, protocol, frames):
    """Nothing of the connection under each wrong name, and a message that names a frame."""
    made = cut(path, scratch, frames)
    without = {(f["rule"], f["frame"]) for f in run(lint, made, "--severity", "note")[0]["finding"]}
    shown = {line["protocol"] for line in run(lint, made)[0]["upper"]}
    for other, name in NAMES.items():
        if other == protocol:
            continue
        rows, err = run(lint, made, "--severity", "note", *all_options(ours, frames, name))
        what = f"{path.name} without {frames} frames as {name}"
        if {line["protocol"] for line in rows["upper"] + rows["command"]} != shown:
            yield f"{what}: {sorted({line['protocol'] for line in rows['upper']})} is reported"
        if {(f["rule"], f["frame"]) for f in rows["finding"]} != without:
            yield f"{what}: other findings"
        if "--ulp" not in err:
            yield f"{what}: nothing is said of it: {err!r}"


def compare(lint, path):
    ours, faults = upper.Reader(path), []
    there, listed = 0, 0
    protocols = {queue.PROTOCOL for queue in ours.queues}
    if len(protocols) != 1:
        return None, 0, 0, 0, []
    protocol, = protocols
    last, n = max(row["frame"] for row in ours.rows), 0
    with tempfile.TemporaryDirectory() as name:
        for frames in (last * part // PARTS for part in range(1, PARTS)):
            a, b, wrongs = right(lint, path, pathlib.Path(name), ours, protocol, frames)
            there, listed, n = there + a, listed + b, n + 1
            faults += wrongs
        faults += wrong(lint, path, pathlib.Path(name), ours, protocol, last // PARTS)
        faults += wrong(lint, path, pathlib.Path(name), ours, protocol, 0)
        faults += cut_packets(lint, path, pathlib.Path(name), ours, protocol)
    return protocol, there, listed, n, faults


# What is named in streams-ulp-named -> (id, queue, outcome) of each command: by hand, from its lines.
BY_HAND = {
    "0x12": [(1, 3, "open"), (2, 3, "answered")],
    "192.0.2.2:0x12": [(1, 3, "open"), (2, 3, "answered")],
    "192.0.2.1:0x12": [],
    "192.0.2.1:0x15": [(3, 4, "answered")],
    "192.0.2.2:0x15": [],
}


def by_hand(lint, made):
    for name, want in BY_HAND.items():
        rows, _ = run(lint, made / "streams-ulp-named.pcap", "--ulp", f"{name}=nvme")
        there = [(line["id"], line["queue"], line["outcome"]) for line in rows["command"]]
        if there != want:
            yield f"--ulp {name}=nvme: {there}, should be {want}"


def some(paths, lint):
    return [compare(lint, path) for path in paths]


def main(lint, pcaps, made):
    top = pathlib.Path(pcaps)
    paths = sorted(path for path in [*(top / "ulp").glob("0*.pcap"), *(top / "siw").glob("*.pcap")] if upper.Reader(path).rows)
    there, listed, faults, n = collections.Counter(), collections.Counter(), [], 0
    for results in parallel.each(some, parallel.parts(paths), lint):
        for protocol, a, b, cuts, wrongs in results:
            there[protocol] += a
            listed[protocol] += b
            n += cuts
            faults += wrongs
    faults += by_hand(lint, pathlib.Path(made))
    for protocol, least in LEAST.items():
        if not there[protocol] or listed[protocol] * 100 < least * there[protocol]:
            faults.append(f"{protocol}: {listed[protocol]} of {there[protocol]} commands")
    figures = ", ".join(f"{listed[protocol]} of {there[protocol]} {protocol}" for protocol in NAMES)
    print(*faults[:40], f"{n} cut captures: {figures}: {len(faults)} faults", sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
