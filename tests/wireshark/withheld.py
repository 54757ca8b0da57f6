#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""withheld.py PLUGIN PCAP-LINT MADE: what a capture lacks makes the same of a finding here as in pcap-lint.

The captures of tests/lint/absent.py with something taken out: one direction, the beginning, single packets, the ends
of packets. Of each capture one of these, by its name; read twice, every finding has the rule, the frame, the severity
and the words that pcap-lint has. What only the statistics of a file say, Wireshark tells no plugin.
"""
import collections
import pathlib
import shutil
import sys
import tempfile
import zlib

import findings as F
import ws

sys.path.insert(0, str(ws.ROOT / "tests/lint"))
import absent  # noqa: E402
import sample  # noqa: E402

RAW = (247).to_bytes(2, "little")  # which tshark does not read without a plugin for files: ws_file247


def is_torn(path):
    """Whether tshark refuses the file, for an ERF record that is shorter than its header."""
    linktype, frames = ws.records(path)
    return linktype == ws.ERF and any(len(frame[3]) < ws.erf_header(frame[3]) for frame in frames)


def variants(lint, made, tmp):
    """One variant of each capture that has some, written."""
    own = {*pathlib.Path(made).glob("*.pcap")}
    if not own:
        raise SystemExit(f"{made}: no captures")
    paths = sorted({*ws.ROOT.glob("pcaps/**/*.pcap"), *own})
    paths = sample.rows([path for path in paths if absent.suits(path)], lambda path: path.name)
    captures = {path: absent.Capture(path) for path in paths}
    paths = [path for path in paths if captures[path].head[20:22] != RAW and not is_torn(path)]
    paths = [path for path in paths if captures[path].whole and 0 < len(captures[path].records) <= absent.MOST_FRAMES]
    packets = absent.decoded(lint, paths)
    for path in paths:
        if len(packets[path]) != len(captures[path].records):
            continue
        kinds = {kind(variant): variant for variant in absent.variants(captures[path], packets[path], [], tmp, False)
                 if not variant.counted and variant.keep}
        if kinds:
            yield kinds[sorted(kinds)[zlib.crc32(path.name.encode()) % len(kinds)]]


def kind(variant):
    """What was taken out, without which."""
    return " ".join(variant.how.split()[:2])


def said(tshark, path, faults, where, number):
    """{frame: [(rule, severity, message)]} as the plugin has it."""
    origin = [f"{where}:{i + 1}" for i in range(number)]
    return {i + 1: [(f.rule, f.severity, f.message) for f in F.in_order(found)]
            for i, (_, found) in enumerate(F.found_by_plugin(tshark, path, faults, origin, "-2")) if found}


def main():
    tshark, lint, made = ws.Tshark(sys.argv[1]), *sys.argv[2:4]
    faults, n = [], collections.Counter()
    with tempfile.TemporaryDirectory() as tmp:
        for variant in variants(lint, made, pathlib.Path(tmp)):
            where = f"{variant.capture.path.name}, {variant.how}"
            rows = [(0, bytes(0xffff))] * len(variant.keep)
            wanted = {i + 1: [(f.rule, f.severity, f.message) for f in F.in_order(found)]
                      for i, found in enumerate(F.found_by_lint(lint, variant.path, rows)) if found}
            capture = tshark.dir / "variant.pcap"
            shutil.copy(variant.path, capture)
            capture.chmod(0o644)
            have = said(tshark, capture, faults, where, len(variant.keep))
            n[kind(variant)] += 1
            n["findings"] += sum(map(len, wanted.values()))
            faults += [f"{where}: frame {frame}: {have.get(frame)}, not {wanted.get(frame)}"
                       for frame in sorted(wanted.keys() | have.keys()) if wanted.get(frame) != have.get(frame)]
    return ws.verdict(faults, ", ".join(f"{how} {count}" for how, count in n.items())) if n["findings"] else 1


if __name__ == "__main__":
    sys.exit(main())
