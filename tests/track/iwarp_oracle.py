#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp_oracle.py TEST-IWARP_DUMP [PCAP...]: connections, FPDUs, messages and what ended them, by the tracker and by iwarp.py.

Without captures those of pcaps/siw. Each of them is also cut into other TCP segments, ROUNDS times: at random, some twice, some before the
one before, with other sequence numbers. What is said of the streams stays the same. TERMINATES and REJECTED say which Terminates and
rejections there are in which capture, from the notes on how they were made.
"""
import collections
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "codec"))
import iwarp  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = 10
SMALL = 4000  # bytes of a capture in which each frame is something
MESSAGES = [{3, 5}, {4, 6}, {0}, {1}, {2}, {10}, {11}, {8, 9}, {7}]
# What was injected: layer, type and code of the Terminate as siw meant it, and the frame of the message it refuses.
TERMINATES = {
    "22-term-badkey-read": (0, 1, 0, 9), "22-term-badkey-write": (1, 1, 0, 10), "22-term-range-read": (0, 1, 1, 9),
    "22-term-range-write": (1, 1, 1, 10), "22c-term-perm-write": (1, 1, 0, 9), "22d-recv-too-small": (1, 2, 2, 11),
    "22e-no-recv": (1, 2, 2, 9), "26-crc-term-badkey": (1, 1, 0, 8), "26-p2p-term-badkey": (1, 1, 0, 10),
    "26-p2pcrc-term-badkey": (1, 1, 0, 9), "26-v1-rcm": (0, 2, 7, 30),
}
REJECTED = {"23-reject-pdata": 13, "26-p2p-reject": 8, "26-p2pcrc-reject": 11, "26-v1-reject": 7}
PAD = 22  # of enum track_iwarp_fault
OF_TCP = {"iwarp-tcp", "iwarp-resent", "iwarp-late", "iwarp-held"}  # what another cut changes
CLOSES = {"iwarp-close"}  # by iwarp_story.py
MIDDLE = {"01-rping-ipv4", "12-crc-rping"}  # one connection
SILENT = {"20c-stall": 1, "26-p2p-stall": 1}  # as their names say
UNANSWERED = {"02-iser-siw": 3}  # and one more 8 s before the end of the capture would be a fourth: it ends at once


def decoded(path):
    """[(FPDUs, good, bad, unused, crossing, messages by kind)] of each direction of each connection with an MPA frame."""
    rows = []
    for connection in iwarp.begun(path):
        if not connection.any:
            continue
        for i in range(2):
            if not connection.frames[i].ok:
                rows.append((0, 0, 0, 0, 0, (0,) * len(MESSAGES)))
                continue
            stream = connection.stream(i)
            status = collections.Counter(fpdu.crc for fpdu in stream.fpdus)
            rows.append((len(stream.fpdus), status["good"], status["bad"], status["unused"], stream.crossing,
                         tuple(sum(opcode in kind for opcode in stream.messages) for kind in MESSAGES)))
    return sorted(rows)


def tracked(program, path):
    """The same as the tracker has it, its events by their names, and what bytes it did not understand."""
    rows, events, lost = [], collections.defaultdict(list), 0
    for line in subprocess.run([*program, str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if words[1] == "connection":
            numbers = [int(word) for word in words[5:16:2]]
            lost += numbers.pop()
            rows.append((*numbers, tuple(map(int, words[17:]))))
        elif words[1] == "event":
            events[words[2]].append([int(word) for word in words[3:]])
    return sorted(rows), events, lost


def checksum(data):
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def segment(frame, offset, payload, more):
    """The TCP segment of a frame over IPv4 with @payload instead, its sequence number @offset higher, flags of the end only at it."""
    ip_end = 14 + (frame[14] & 15) * 4
    tcp = bytearray(frame[ip_end:ip_end + (frame[ip_end + 12] >> 4) * 4])
    tcp[4:8] = struct.pack(">I", (struct.unpack(">I", tcp[4:8])[0] + offset) & 0xffffffff)
    if more:
        tcp[13] &= ~1
    tcp[16:18] = b"\0\0"
    pseudo = frame[26:34] + struct.pack(">HH", 6, len(tcp) + len(payload))
    tcp[16:18] = struct.pack(">H", checksum(pseudo + bytes(tcp) + payload))
    ip = bytearray(frame[14:ip_end])
    ip[2:4] = struct.pack(">H", len(ip) + len(tcp) + len(payload))
    return frame[:14] + bytes(ip) + bytes(tcp) + payload


def cut(path, seed):
    """A pcap of its frames, those with data of TCP over IPv4 cut otherwise."""
    rng, out = random.Random(seed), []
    shifts = collections.defaultdict(lambda: rng.getrandbits(32) if seed % 2 else 0)
    for frame in iwarp.frames(path):
        ip_end = 14 + (frame[14] & 15) * 4
        if frame[12:14] != b"\x08\0" or frame[23] != 6:
            continue
        ends = frame[26:30] + frame[ip_end:ip_end + 2], frame[30:34] + frame[ip_end + 2:ip_end + 4]
        moved = bytearray(frame)
        moved[ip_end + 8:ip_end + 12] = struct.pack(
            ">I", (struct.unpack(">I", frame[ip_end + 8:ip_end + 12])[0] + shifts[ends[::-1]]) & 0xffffffff)
        shift, total = shifts[ends], struct.unpack(">H", frame[16:18])[0]
        payload = frame[ip_end + (frame[ip_end + 12] >> 4) * 4:14 + total]
        moved, at, pieces = bytes(moved), 0, []
        most = rng.choice((1, 7, 100, 1000, 3000)) if len(payload) < 300 else rng.choice((40, 500, 3000))
        while at < len(payload):
            n = rng.randint(1, most)
            pieces.append(segment(moved, shift + at, payload[at:at + n], at + n < len(payload)))
            at += n
        if not payload:
            pieces.append(segment(moved, shift, b"", False))
        for i in range(len(pieces) - 1):
            if rng.random() < 0.2:
                pieces[i], pieces[i + 1] = pieces[i + 1], pieces[i]
        out += [piece for piece in pieces for _ in range(1 + (rng.random() < 0.1))]
    return written(out)


def same(rows):
    """Without how many FPDUs cross segments."""
    return sorted(row[:4] + row[5:] for row in rows)


def of_capture(program, path):
    name, want, (have, events, lost) = path.stem, decoded(path), tracked(program, path)
    if want != have:
        yield f"{name}:\n\tiwarp.py {want}\n\ttracker  {have}"
    if lost:
        yield f"{name}: {lost} bytes are in no FPDU"
    ends = [(*event[1:4], event[8]) for event in events["iwarp-terminate"]]
    if ends != ([TERMINATES[name]] if name in TERMINATES else []):
        yield f"{name}: Terminates {ends}"
    if any(event[4] != 1 for event in events["iwarp-terminate"]):
        yield f"{name}: a Terminate of siw, and its bits are said to be in order"
    if [event[1] for event in events["iwarp-rejected"]] != ([REJECTED[name]] if name in REJECTED else []):
        yield f"{name}: rejected {events['iwarp-rejected']}"
    if len(events["iwarp-unanswered"]) != UNANSWERED.get(name, 0):
        yield f"{name}: unanswered {events['iwarp-unanswered']}"
    for kind in events.keys() - {"iwarp-terminate", "iwarp-rejected", "iwarp-unanswered", "iwarp-unfinished", "iwarp-crc-off",
                                 "iwarp-fault", "iwarp-request", "iwarp-reply", "iwarp-silent", *CLOSES, *OF_TCP}:
        yield f"{name}: {kind} {events[kind]}"
    if len(events["iwarp-silent"]) != SILENT.get(name, 0):
        yield f"{name}: silent {events['iwarp-silent']}"
    frames = [frame for connection in iwarp.begun(path) for frame in connection.frames if frame.ok]
    for kind, want in (("iwarp-request", [frame for frame in frames if not frame.reply]),
                       ("iwarp-reply", [frame for frame in frames if frame.reply and not frame.r])):
        if sorted(event[1:3] for event in events[kind]) != sorted([frame.rev, len(frame.private)] for frame in want):
            yield f"{name}: {kind} {events[kind]}"
    yield from of_faults(path, events)


def of_faults(path, events):
    """Pads that siw does not clear; connections without CRCs, of all that were accepted; Read Requests that a Terminate refuses."""
    name, pads, accepted, off, refused = path.stem, 0, 0, 0, 0
    for connection in iwarp.begun(path):
        if not all(frame.ok for frame in connection.frames):
            continue
        good = not any(frame.r for frame in connection.frames)
        accepted, off = accepted + good, off + (good and not connection.crc)
        for i in range(2):
            fpdus = connection.stream(i).fpdus
            pads += any(any(fpdu.padding) for fpdu in fpdus)
            refused += name in TERMINATES and any(fpdu.opcode == 1 for fpdu in fpdus)
    have = sum(event[1] == PAD for event in events["iwarp-fault"])
    if have != pads or len(events["iwarp-fault"]) != have:
        yield f"{name}: {pads} directions with octets in a pad, {events['iwarp-fault']}"
    if [event[1:3] for event in events["iwarp-crc-off"]] != ([[off, accepted]] if off else []):
        yield f"{name}: {off} of {accepted} connections without CRCs, {events['iwarp-crc-off']}"
    if len(events["iwarp-unfinished"]) != refused or any(not event[6] for event in events["iwarp-unfinished"]):
        yield f"{name}: {refused} Read Requests refused, {events['iwarp-unfinished']}"


def of_cut(program, path, seed):
    want, before, _ = tracked(program, path)
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(cut(path, seed))
        file.flush()
        have, events, lost = tracked(program, file.name)
    if same(want) != same(have):
        yield f"{path.stem}, cut with seed {seed}:\n\tbefore {same(want)}\n\tafter  {same(have)}"
    other = {"iwarp-unanswered", "iwarp-silent", *OF_TCP}
    kinds = {kind: len(list_) for kind, list_ in before.items() if kind not in other}
    if lost or kinds != {kind: len(list_) for kind, list_ in events.items() if kind not in other}:
        yield f"{path.stem}, cut with seed {seed}: {lost} bytes lost, {dict(events)}"


def written(frames):
    header = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 0x40000, 1)
    return header + b"".join(struct.pack("<IIII", 1, i, len(frame), len(frame)) + frame for i, frame in enumerate(frames))


def of_frames(program, frames):
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(written(frames))
        file.flush()
        return tracked(program, file.name)


def count(rows):
    return sum(row[0] for row in rows)


def no_faults(events):
    return "iwarp-rejected" not in events and all(event[1] == PAD for event in events.get("iwarp-fault", []))


def of_middle(program, path):
    """Without the start-up: from four FPDUs in a row on all are found, and of those no CRC is wrong."""
    frames = list(iwarp.frames(path))
    last = max(i for i, frame in enumerate(frames) if b"MPA ID Re" in frame)
    whole, (rows, events, _) = tracked(program, path)[0], of_frames(program, frames[last + 1:])
    if not no_faults(events) or sum(row[2] for row in rows):
        yield f"{path.stem} from its middle: {dict(events)}, {rows}"
    if path.stem in MIDDLE and not count(whole) - 8 <= count(rows) <= count(whole):
        yield f"{path.stem} from its middle: {count(rows)} FPDUs of {count(whole)}"


def of_hole(program, path, seed):
    """Without one frame: some FPDUs less, and nothing wrong is said of the others."""
    frames, rng = list(iwarp.frames(path)), random.Random(seed)
    large = [i for i, frame in enumerate(frames) if len(frame) > 80 and b"MPA ID Re" not in frame]
    if not large:
        return
    out = rng.choice(large)
    whole, (rows, events, _) = tracked(program, path)[0], of_frames(program, frames[:out] + frames[out + 1:])
    if not no_faults(events) or not count(whole) - 12 - len(frames[out]) // 40 <= count(rows) <= count(whole):
        yield f"{path.stem} without frame {out + 1}: {count(rows)} FPDUs of {count(whole)}, {dict(events)}"


def of_absent(program, path, seed):
    """Without up to five frames of a small capture: no answer and no end of a message is missed that is there."""
    frames, rng = list(iwarp.frames(path)), random.Random(seed)
    out = set(rng.sample(range(len(frames)), min(rng.choice((1, 1, 2, 5)), len(frames) - 1)))
    whole, events = (of_frames(program, part)[1] for part in (frames, [frame for i, frame in enumerate(frames) if i not in out]))
    for kind in ("iwarp-unanswered", "iwarp-unfinished"):
        news = sum(not event[6] for event in events[kind]) if kind == "iwarp-unfinished" else len(events[kind]) - len(whole[kind])
        if news > 0:
            yield f"{path.stem} without frames {sorted(i + 1 for i in out)}: {kind} {events[kind]}"


def main():
    paths = [pathlib.Path(arg) for arg in sys.argv[1:] if arg.endswith(".pcap")]
    program = [arg for arg in sys.argv[1:] if not arg.endswith(".pcap")]
    faults, total = [], collections.Counter()
    for path in paths or sorted((ROOT / "pcaps/siw").glob("*.pcap")):
        faults += of_capture(program, path)
        rows, events, _ = tracked(program, path)
        total["directions"] += len(rows)
        total.update({name: sum(row[i] for row in rows) for i, name in
                      enumerate(("FPDUs", "good CRCs", "bad ones", "unused ones", "crossing segments"))})
        total["messages"] += sum(sum(row[5]) for row in rows)
        total.update({kind: len(list_) for kind, list_ in events.items()})
        if any(row[0] for row in rows):
            faults += of_middle(program, path)
            faults += [fault for seed in range(ROUNDS) for fault in of_hole(program, path, seed)]
        if path.stat().st_size < SMALL:
            faults += [fault for seed in range(2 * ROUNDS) for fault in of_absent(program, path, seed)]
        if path.stat().st_size < 130000:
            for seed in range(ROUNDS):
                faults += of_cut(program, path, seed)
            total["cut"] += ROUNDS
    print("\n".join([*faults, ", ".join(f"{n} {name}" for name, n in total.items()), f"{len(faults)} faults"]))
    return 1 if faults or not total["FPDUs"] else 0


if __name__ == "__main__":
    sys.exit(main())
