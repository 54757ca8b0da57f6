#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""impaired.py PCAP-LINT: what was done to the impaired captures is reported, and nothing else.

data/impaired.txt says of each which rule has to be reported, at which frame first and on which direction of which
connection. Where a frame is of a kind that a few lines can tell from the bytes alone (a gap, a repeated request,
a NAK ...), it is worked out here again, and may not be another; nor may the rule be reported at a frame that is
not of that kind. It is a warning or an error, whatever else the capture lacks. Every other finding at level error or warning, in any real capture, needs a line of that file.
A rule that is not written yet is listed. The captures with a filter in front yield nothing about what it left out.
"""
import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import roce  # noqa: E402
import streams

ROOT = pathlib.Path(__file__).resolve().parents[2]
PCAPS = ROOT / "pcaps"
FAMILIES = ("rxe", "faults", "ulp", "siw", "linux")
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
EXPLAINED = 27  # lines at most
NAKS = {roce.NAK_SEQ: "QPS008", roce.NAK_INV: "QPS012", roce.NAK_ACCESS: "QPS012", roce.NAK_OP: "QPS012"}
# Rules whose frames are exactly known from the bytes; of others more than one reading is right.
TOLD = {"CRC001", "CAP004", "QPS002", "QPS003", "QPS008", "QPS012", "QPS014", "QPS033"}
FILTERED = ("rxe/04-write-rc", "udp[19] & 1 = 0")  # of RoCE v2 over IPv4: even PSNs


class Requests:
    """What one direction asked for: the PSNs so far, and which are missing."""

    def __init__(self, mtu):
        self.mtu, self.next, self.missing, self.seen, self.reads = mtu, None, set(), {}, []

    def goes_on(self, frame):
        """Whether a READ asks for the rest of an earlier one."""
        va, rkey, length = frame.reth
        return any(0 < (done := roce.after(frame.psn, psn) * self.mtu) and va == before[0] + done and rkey == before[1]
                   and length + done == before[2] for psn, before in self.reads)

    def kind(self, frame):
        """The rule that this packet shows, if any."""
        psns, same = 1, (frame.opcode, frame.payload)
        if frame.name == "READ_REQUEST":
            psns, same = max(1, -(-frame.reth[2] // self.mtu)), (frame.opcode, frame.reth[2])
        self.next = frame.psn if self.next is None else self.next
        ahead = roce.after(frame.psn, self.next)
        rule = None
        if frame.name == "READ_REQUEST":
            again = ahead < 0 and self.goes_on(frame)
            self.reads.append((frame.psn, frame.reth))
        else:
            again = False
        if ahead > 0:
            rule = "QPS033" if frame.service == roce.UC else "QPS002"
            self.missing |= {(self.next + i) % roce.PSNS for i in range(ahead)}
        elif ahead < 0 and frame.psn in self.missing:
            self.missing.remove(frame.psn)
        elif self.seen.get(frame.psn) == same or again:
            rule = "QPS003"
        self.seen.setdefault(frame.psn, same)
        if ahead + psns > 0:
            self.next = (frame.psn + psns) % roce.PSNS
        return rule


def mtus(frames):
    """{half: payload of the FIRST and MIDDLE packets, of either direction}"""
    full = collections.defaultdict(int)
    for frame in frames:
        if frame.roce and frame.service in (roce.RC, roce.UC) and frame.name.endswith(("FIRST", "MIDDLE")):
            full[frame.half] = max(full[frame.half], frame.payload)
    both = roce.pairs(frames)
    return {half: full[half] or full[both.get(half)] or 4096 for half in {*both, *full}}


def events(frames):
    """{(rule, half): [frames]} as far as the bytes tell."""
    out, requests, rnr, mtu = collections.defaultdict(list), {}, {}, mtus(frames)
    for number, frame in enumerate(frames, 1):
        if not frame.roce:
            continue
        if frame.cut:
            out["CAP004", frame.half].append(number)
        if not frame.cut and not roce.icrc_good(frame):
            out["CRC001", frame.half].append(number)
        elif frame.service in (roce.RC, roce.UC) and frame.is_request:
            asked = requests.setdefault(frame.half, Requests(mtu.get(frame.half, 4096)))
            rule = asked.kind(frame)
            if rule:
                out[rule, frame.half].append(number)
        elif frame.name == "ACK" and frame.service == roce.RC:
            syndrome = frame.aeth[0]
            if syndrome >> 5 == 1:
                rnr[frame.half] = frame.psn
                out["QPS014", frame.half].append(number)
            elif syndrome in NAKS and not (syndrome == roce.NAK_SEQ and rnr.get(frame.half) == frame.psn):
                out[NAKS[syndrome], frame.half].append(number)
            elif syndrome >> 5 == 0:
                rnr.pop(frame.half, None)
    return out


class Capture:
    """A block of data/impaired.txt."""

    def __init__(self, name):
        self.name, self.must, self.may = name, [], set()


def table():
    """({capture: Capture}, [(rule, pattern, frames or None)])"""
    captures, explained, one = {}, [], None
    for number, line in enumerate((ROOT / "tests/data/impaired.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("= "):
            _, rule, pattern, frames, reason = line.split(maxsplit=4)
            assert reason, number
            explained.append((rule, pattern, None if frames == "*" else {int(n) for n in frames.split(",")}))
        elif line[0] != "\t":
            one = Capture(line.partition(":")[0])
            captures[one.name] = one
        elif line.startswith("\tmay "):
            one.may |= set(line.split()[1:])
        else:
            rule, frames, *ends = line.split()
            half = tuple(end for end in ends if end != ">")
            one.must.append((rule, {int(n) for n in frames.split("/")}, half))
    return captures, explained


def address(data):
    return ".".join(map(str, data)) if len(data) == 4 else ":".join(re.findall("....", data.hex()))


def named(half):
    """As the table and pcap-lint have it."""
    return half and (address(half[0]), address(half[1]), f"{half[2]:#x}")


def flow(half):
    return f"{half[0]} -> {half[1]} qp 0x{int(half[2], 16):06x}"


def table_faults(capture, told):
    """Where the table is not what the bytes say; of what was reordered it leaves out the first of them."""
    reordered = any(rule == "QPS006" for rule, _, _ in capture.must)
    for rule, frames, half in capture.must:
        if rule in TOLD:
            mine = [at for (name, of), at in told.items() if name == rule and named(of) == half]
            if not mine or not frames & set(mine[0] if reordered else mine[0][:1]):
                yield f"{capture.name}: the table has {rule} at {sorted(frames)}, the bytes {mine}"


def sent(finding, frames, both):
    """The direction of the packet that shows it, and whether it names that, or the other one, as its flow."""
    number = finding["frame"]
    if not number or not frames or not frames[number - 1].roce:
        return None, True
    half = frames[number - 1].half
    back = both.get(half)
    return named(half), finding["flow"] in {flow(named(half)), flow(named(back)) if back else ""}


def judge(capture, frames, findings, explained, known):
    """(faults, rules that are not written yet, findings that are expected)."""
    told = events(frames)
    faults, later, wanted = list(table_faults(capture, told)), set(), 0
    both = roce.pairs(frames)
    halves = {id(f): sent(f, frames, both) for f in findings}
    for rule, first, half in capture.must:
        if rule not in known:
            later.add(rule)
            continue
        wanted += 1
        mine = sorted(f["frame"] or 0 for f in findings if f["rule"] == rule
                      and (rule[:3] == "CAP" or f["severity"] in ("error", "warning"))
                      and (first == {0} or halves[id(f)] == (half, True)))
        if not mine or first != {0} and mine[0] not in first:
            faults.append(f"{capture.name}: {rule} first at {mine[:1]}, not at {sorted(first)}")
    rules = {(rule, half or None) for rule, _, half in capture.must}
    right = {rule: {n for (name, _), at in told.items() if name == rule for n in at} for rule in TOLD}
    for f in findings:
        if f["severity"] not in ("error", "warning"):
            continue
        rule, frame = f["rule"], f["frame"] or 0
        if any(rule == name and fnmatch.fnmatch(capture.name, pattern) and (at is None or frame in at)
               for name, pattern, at in explained):
            continue
        if rule in TOLD and frame not in right[rule]:
            faults.append(f"{capture.name}:{frame}: {rule}, but this packet is no such thing")
        elif not ((rule, halves[id(f)][0]) in rules or (rule, None) in rules or rule == "CRC001" and
                  any(rule == name for name, _ in rules) or rule in capture.may):
            faults.append(f"{capture.name}:{frame}: {rule} is not in the table: {f['message']}")
    return faults, later, wanted


def read(lint, *args):
    run = subprocess.run([lint, *OPTIONS, *args], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def of_all(lint, paths):
    """{path: [findings]}"""
    out = {}
    for row in read(lint, *paths):
        if row["type"] == "summary":
            out.setdefault(row["file"], [])
        elif row["type"] == "finding":
            out.setdefault(row["file"], []).append(row)
    return out


def filtered(lint):
    """What a filter left out is not missing."""
    name, expression = FILTERED
    rows = read(lint, "--filter", expression, PCAPS / f"{name}.pcap")
    faults = [f"{name} with a filter: {row['rule']} at frame {row['frame']}" for row in rows
              if row["type"] == "finding" and row["severity"] in ("error", "warning")]
    return faults + ([] if rows[-1]["type"] == "summary" else [f"{name} with a filter: no summary"])


def main():
    lint = sys.argv[1]
    captures, explained = table()
    paths = sorted(path for family in FAMILIES for path in (PCAPS / family).glob("*.pcap"))
    found, known = of_all(lint, paths), streams.known_rules()
    faults, later, wanted, used = [], set(), 0, set()
    for path in paths:
        name = f"{path.parent.name}/{path.stem}"
        frames = roce.frames(path) if path.parent.name in ("rxe", "faults", "ulp") else []
        if str(path) not in found:
            faults.append(f"{name}: was not read")
            continue
        more, not_yet, count = judge(captures.get(name, Capture(name)), frames, found[str(path)], explained, known)
        faults += more
        later |= not_yet
        wanted += count
        used.add(name)
    faults += [f"{name}: there is no such capture" for name in captures.keys() - used]
    if len(explained) > EXPLAINED:
        faults.append(f"{len(explained)} lines explain findings")
    rules = known | streams.catalogue()
    faults += [f"{rule}: there is no such rule" for one in captures.values()
               for rule in [*(r for r, _, _ in one.must), *one.may] if rule not in rules]
    faults += filtered(lint)
    if later:
        print(f"rules not written yet: {' '.join(sorted(later))}")
    total = sum(len(one.must) for one in captures.values())
    print("\n".join(faults + [f"{len(captures)} impaired captures of {len(paths)}, {wanted} of {total} reports"
                              f" asked for, {len(explained)} explained, {len(faults)} faults"]))
    return 1 if faults or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
