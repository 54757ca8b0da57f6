#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""prefs.py PLUGIN MADE: each preference does what it says, set before a file is read and after.

Before: -o of tshark, several preferences at once. After: one sharkd for all, which, as the window does,
reads the file again when a preference was changed; nothing may be left of what was before. The thresholds of rules about a fabric:
the cases of tests/lint/thresholds.py, and what is out of their range.
"""
import pathlib
import re
import struct
import sys

import ws

sys.path.insert(0, str(ws.ROOT / "tests/lint"))
import thresholds  # noqa: E402

BAD_ICRC = "rxe/12g-netem-corrupt-badicrc.pcap"  # 679 RoCE packets, 35 with a bad ICRC
RMPP = "mad/rmpp.roce.pcap"  # frames with findings, by severity: 37 errors, 242 warnings, 5 notes
PORT = 4801

# capture, preference, [(value, filter, frames)], the first value being the default; another
# preference may come with a value
WANTED = [
    (BAD_ICRC, "mode", [("augment", "ibwire && infiniband", 679), ("takeover", "infiniband", 679),
                        ("takeover", "ibwire.bth", 679), ("off", "ibwire", 0),
                        ("off", "infiniband", 679)]),
    # What a filter asks for is there; augment.py looks at what nobody asks for.
    (BAD_ICRC, "all_fields", [("FALSE", "ibwire.bth.psn", 679), ("TRUE", "ibwire.bth.psn", 679)]),
    ("port", "roce_ports", [("", "ibwire.bth", 0), (f"{PORT}", "ibwire.bth", 125),
                            (f"1000-1002,{PORT}", "ibwire.bth", 125),
                            # 16 of them, and no more
                            (f"1000-1014,{PORT}", "ibwire.bth", 125),
                            (f"1000-1015,{PORT}", "ibwire.bth", 0), ("4800", "ibwire.bth", 0)]),
    (BAD_ICRC, "verify_icrc", [("TRUE", "ibwire.icrc.status == 0", 35),
                               ("FALSE", "ibwire.icrc.status == 0", 0),
                               ("FALSE", "ibwire.icrc.status == 2", 679),
                               ("FALSE", 'ibwire.lint.rule == "CRC001"', 0)]),
    (BAD_ICRC, "relative_psns", [("TRUE", "ibwire.bth.psn_rel", 676), ("FALSE", "ibwire.bth.psn_rel", 0),
                                 ("FALSE", "ibwire.stream", 676)]),
    # Whatever a filter asks for is there; alias.py looks at what nobody asks for.
    (BAD_ICRC, "names", [("both -o ibwire.mode:takeover", "infiniband.bth.psn && ibwire.bth.psn", 679),
                         ("ibwire -o ibwire.mode:takeover", "infiniband.bth.psn", 679),
                         ("infiniband -o ibwire.mode:takeover", "ibwire.bth.psn", 679),
                         ("infiniband", "infiniband.bth.psn", 679)]),
    (RMPP, "severity", [("warning", "ibwire.lint.severity == 2", 0),
                        ("warning", "ibwire.lint.severity == 1", 242),
                        ("note", "ibwire.lint.severity == 2", 5),
                        ("error", "ibwire.lint.severity >= 1", 0),
                        ("error", "ibwire.lint.severity == 0", 37)]),
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
    (RMPP, "rmpp_kib", [("16384", "ibwire.rmpp.reassembled.length", 43),
                        ("0", "ibwire.rmpp.reassembled.length", 0),
                        ("0", "ibwire.rmpp", 1947)]),
    (BAD_ICRC, "reassemble_kib", [("65536", "ibwire.msg.reassembled.length", 60),
                                  ("0", "ibwire.msg.reassembled.length || ibwire.msg.unassembled", 0),
                                  ("40", "ibwire.msg.reassembled.length", 5)]),
]

CRC001 = "ibwire.lint.rule == CRC001"
# Settings, and of the captures above what filters find with all of them.
TOGETHER = [
    ("", [(BAD_ICRC, "ibwire && infiniband", 679), (BAD_ICRC, "ibwire.icrc.status == 0", 35),
          (BAD_ICRC, CRC001, 35), ("port", "ibwire.bth", 0), (RMPP, "ibwire.lint.severity == 1", 242),
          (RMPP, "ibwire.lint.severity == 2", 0), (RMPP, "ibwire.rmpp.reassembled.length", 43)]),
    (f"mode:takeover names:infiniband roce_ports:{PORT} severity:note max_findings:3 rmpp_kib:0",
     [(BAD_ICRC, "infiniband", 679), (BAD_ICRC, "infiniband.bth.psn", 679), (BAD_ICRC, CRC001, 3),
      ("port", "ibwire.bth", 125), (RMPP, "ibwire.lint.severity == 2", 4),
      (RMPP, "ibwire.rmpp.reassembled.length", 0), (RMPP, "ibwire.rmpp", 1947)]),
    (f"mode:takeover names:ibwire roce_ports:1000-1002,{PORT} severity:error verify_icrc:FALSE "
     "max_findings:0",
     [(BAD_ICRC, "ibwire.bth.psn", 679), (BAD_ICRC, "ibwire.icrc.status == 2", 679),
      (BAD_ICRC, CRC001, 0), ("port", "ibwire.bth", 125), (RMPP, "ibwire.lint.severity >= 1", 0),
      (RMPP, "ibwire.lint.severity == 0", 37), (RMPP, "ibwire.rmpp.reassembled.length", 43)]),
    ("roce_ports:4800 verify_icrc:FALSE select:CRC ignore:RMP,MCG rmpp_kib:4",
     [(BAD_ICRC, "ibwire.icrc.status == 2", 679), (BAD_ICRC, CRC001, 35), ("port", "ibwire.bth", 0),
      (RMPP, "ibwire.lint.severity == 0", 0)]),
    ("mode:off", [(BAD_ICRC, "ibwire", 0), (BAD_ICRC, "infiniband", 679)]),
]


def on_port(path, port):
    """The frames of a capture with another UDP port in the place of RoCE's."""
    linktype, frames = ws.records(path)
    for sec, nsec, length, data in frames:
        if data[36:38] == struct.pack(">H", 4791):
            data = data[:36] + struct.pack(">H", port) + data[38:]
        yield sec, nsec, length, data
    assert linktype == 1


def capture_of(tshark, name):
    if name == "port":
        return tshark.write("port.pcap", 1, on_port(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap", PORT))
    return tshark.put(ws.ROOT / "pcaps" / name, name.replace("/", "-"))


def count_of(tshark, capture, conditions, settings):
    """How many frames each filter finds on the second pass, all in one run."""
    words = [word for setting in settings.split() for word in ("-o", f"ibwire.{setting}")]
    text = tshark.read(capture, "-2", "-q", "-z", "io,stat,0," + ",".join(conditions), *words)
    row = next(line for line in text.splitlines() if "<>" in line)
    return [int(cell) for cell in row.split("|")[2:-1:2]]


def before(tshark, files):
    """All captures are one, in which the frames of each have their numbers."""
    frames, ranges = [], {}
    for name, path in files.items():
        rows = ws.records(path)[1]
        ranges[name] = f"frame.number in {{{len(frames) + 1} .. {len(frames) + len(rows)}}}"
        frames += rows
    capture = tshark.write("together.pcap", 1, frames)
    for settings, checks in TOGETHER:
        conditions = [f"({condition}) && {ranges[name]}" for name, condition, _ in checks]
        found = count_of(tshark, capture, conditions, settings)
        for (name, condition, frames), n in zip(checks, found, strict=True):
            if n != frames:
                yield f"{settings}: {name}: {condition}: {n} frames, not {frames}"


def settings_of(preference, value):
    """{preference: value}; another one may come with the value."""
    return dict(setting.split(":", 1) for setting in f"ibwire.{preference}:{value}".split(" -o "))


def after(sharkd, capture, preference, values, n):
    """One sharkd keeps what a filter found, so each filter, number @n on, is written in another way."""
    for i, (value, condition, frames) in enumerate(values):
        for name, to in settings_of(preference, value).items():
            sharkd.set(name, to)
        found = len(sharkd.load(capture, " " * (n + i) + condition))
        if found != frames:
            yield f"{preference} changed to {value}: {condition}: {found} frames, not {frames}"
    # As they were.
    for value, _, _ in values:
        for name in settings_of(preference, value):
            sharkd.set(name, DEFAULTS[name])


# Out of its range is the nearest value in it; no more sweeps without an answer than there are.
NEAREST = [("flapping", "flap-downs=9", "FAB008"), ("flapping", "flap-downs=1", "FAB007"), ("flapping", "flap-time=0", "FAB008"),
           ("traps-250", "storm-traps=0", "FAB005"), ("unresponsive", "missed-sweeps=8", ""), ("to-and-fro", "handover-time=0", "")]


def of_fabric(tshark, made):
    """Faults of thresholds: the rules that fire, of each case in which something is set."""
    rules = {rule for row in thresholds.rows().values() for rule in row[7].split(",")}
    for name, option, want in thresholds.CASES + NEAREST:
        if not option:
            continue
        path = pathlib.Path(made) / f"lint-fab-{name}.pcap"
        capture = tshark.dir / path.name
        capture = capture if capture.exists() else tshark.put(path)
        words = [word for setting in option.replace("-", "_").replace("=", ":").split(",") for word in ("-o", f"ibwire.{setting}")]
        text = tshark.read(capture, "-2", "-q", "-z", "ibwire,lint", *words)
        found = {*re.findall(r"\b[A-Z]{3}\d{3}\b", text)} & rules
        if found != ({want} if want else set()):
            yield f"{name} {option}: {sorted(found)}, not {want}"


ELSEWHERE = {"stream_in_info"}  # analysis.py: no filter finds what Info says
DEFAULTS = {f"ibwire.{preference}": values[0][0].split(" -o ")[0] for _, preference, values in WANTED}


def main():
    tshark, faults, n = ws.Tshark(sys.argv[1]), [], 0
    # With the address sanitizer tshark 4.0 does not come back from listing them.
    text = "" if tshark.preload else tshark.run("-G", "currentprefs")
    listed = {line.split(":")[0].removeprefix("#").removeprefix("ibwire.")
              for line in text.splitlines() if line.startswith(("#ibwire.", "ibwire."))}
    of_rules = {name.replace("-", "_") for name in thresholds.rows()}
    faults += [f"{name} has no test" for name in listed - {row[1] for row in WANTED} - of_rules - ELSEWHERE]
    faults += [f"there is no preference {name}" for name in of_rules - listed if listed]
    faults += of_fabric(tshark, sys.argv[2])
    files = {name: capture_of(tshark, name) for name, _, _ in WANTED}
    faults += before(tshark, files)
    with tshark.sharkd_running() as sharkd:
        for name, preference, values in WANTED:
            faults += after(sharkd, files[name], preference, values, n)
            n += len(values)
    return ws.verdict(faults, f"{len(WANTED)} preferences")


if __name__ == "__main__":
    sys.exit(main())
