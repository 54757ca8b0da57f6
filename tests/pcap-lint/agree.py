#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""agree.py PCAP-LINT MADE: what the linter says of a packet, --decode shows of it.

Of every capture, real and made: the layer of each finding is one that --decode shows for its frame,
or that of its error. Where headers have all of the bytes at fault, the layer is one of those;
bytes in no header (a CRC, payload) or in several do not begin before their layer does. That the
plugin shows what --decode shows is ws_equal's, and that it has the same findings ws_findings'.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))

import first_fault  # noqa: E402
import parallel  # noqa: E402
import sample  # noqa: E402

LINT, MADE = sys.argv[1], pathlib.Path(sys.argv[2])
CHECK = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never"]
ENDINGS = {".pcap", ".pcapng", ".gz", ".zst", ".lz4", ".erf"}


def captures():
    found = []
    for directory in (ROOT / "pcaps", MADE):
        here = [p for p in directory.rglob("*") if p.suffix in ENDINGS and p.is_file()]
        if not here:
            raise SystemExit(f"{directory}: no captures")
        found += here
    return sorted(found)


def lines(path, *options):
    run = subprocess.run([LINT, *options, "--format", "json", "--progress", "never", path],
                         capture_output=True, text=True, check=False)
    if run.returncode not in (0, 2):  # 2: the file is cut, or of an unknown link type
        raise SystemExit(f"{path}: pcap-lint ended with {run.returncode}: {run.stderr}")
    return [json.loads(line) for line in run.stdout.splitlines()]


OF_STREAMS = "IWP"
OF_TCP = ("mpa", "mpa_start", "mpa_enhanced", "mpa_marker", "ddp_tagged", "ddp_untagged", "rdmap", "rdmap_read_req", "rdmap_terminate")


def disagreement(finding, packet):
    """Why the finding does not fit what is shown of its packet; None: it does."""
    layer, start, end = (finding["layer"], finding["offset"],
                         finding["offset"] + finding["length"])
    if start == end and layer in (one["name"] for one in packet["layers"] if "frames" in one):
        return None  # in records that were reassembled: no bytes of this frame
    shown = [(one["name"], one["offset"], one["offset"] + one["length"])
             for one in packet["layers"] if "frames" not in one]
    error = packet.get("error", {}).get("layer")
    if finding["rule"].startswith(OF_STREAMS) and layer in OF_TCP:  # --decode shows segments, and no FPDUs of their stream
        payload = max(to for name, _, to in shown if name == "tcp") if "tcp" in (name for name, _, _ in shown) else packet["caplen"]
        return None if payload <= start <= end <= packet["caplen"] or start == end else f"bytes {start} to {end} are no payload of TCP"
    own = [at for name, at, _ in shown if name == layer]
    if not own and layer != error and packet["outcome"] != "cut":
        return f"layer {layer} is not shown, only {' '.join(name for name, _, _ in shown)}"
    if start == end:
        return None
    if end > packet["caplen"]:
        return f"bytes {start} to {end} of {packet['caplen']}"
    around = [name for name, at, to in shown if at <= start and end <= to]
    if around and layer not in around:
        return f"bytes {start} to {end} are of {' '.join(around)}, not of {layer}"
    if own and start < min(own):
        return f"bytes {start} to {end} are before layer {layer}"
    return None


def of_capture(path):
    """(frames, findings checked, [fault])"""
    faults, checked = [], 0
    packets = {row["frame"]: row for row in lines(path, "--decode") if row["type"] == "packet"}
    for row in lines(path, *CHECK):
        if row["type"] != "finding" or not row["frame"] or row["layer"] == "file":
            continue
        checked += 1
        packet = packets.get(row["frame"])
        why = disagreement(row, packet) if packet else "no such frame is shown"
        if why:
            faults.append(f"{path.name}:{row['frame']}: {row['rule']}: {why}")
    return len(packets), checked, faults


def main():
    faults, checked, frames = [], 0, 0
    for some_frames, some_checked, some in parallel.each(of_capture, sample.rows(captures(), lambda path: path.name)):
        frames, checked, faults = frames + some_frames, checked + some_checked, faults + some
        if first_fault.ends(faults):
            break
    print("\n".join(faults + [f"{checked} findings of {frames} frames, {len(faults)} faults"]))
    return 1 if faults or checked < (1000 if sample.part() == (0, 1) else 1) else 0


if __name__ == "__main__":
    sys.exit(main())
