#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""incidents_oracle.py PCAP-LINT MADE [COUNT], or [PCAP-LINT] CAPTURE...: incidents, worked out from the bytes of each capture.

The `"type":"incident"` lines of pcap-lint are compared with incidents.py, field by field, and which findings are part of them
with parts.py; every word of their sentences is asked of the packets (claims.py): captures of pcaps/, those that pcaps/make
wrote to MADE, or the given ones. A difference is printed with what pcap-lint says, then the oracle. Without PCAP-LINT the
incidents are printed. The verdict's sentences are, too (verdict_claims.py). What holds of
every line whatever happened (sound()) is asked in all, and in COUNT random conversations: there whole incidents are not compared, as
requests conflict, PSNs jump and identifications are made. Of COUNT simulated conversations (random_losses.py), in which nothing is
odd but packets are lost, overtaken or doubled, it is known what became of each packet: nothing may be said that was not so.

Not compared, and why:
- cut-* and lint-* of MADE: single packets, no conversations;
- connections that were captured twice: pcap-lint gives no incidents of them, the oracle leaves no copies out;
- where pcap-lint says less or more of a cause than the bytes of one connection tell: LESS, and frames.lost of these;
- the time until a resend that was answered, where the root is not the first PSN of its READ: pcap-lint takes the READ's first
  response, so up to READ_NS more;
- EXCEPTIONS, each of which has to differ still.
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import claims  # noqa: E402
import figures  # noqa: E402
import first_fault  # noqa: E402
import packet as P  # noqa: E402
import parallel  # noqa: E402
import parts  # noqa: E402
import random_losses  # noqa: E402
import random_scenarios  # noqa: E402
import verdict_claims  # noqa: E402
from incidents import REFUSALS, incidents  # noqa: E402

SCENARIOS = 20
SHOWN = 40
PSNS = 1 << 24
READ_NS = 10**6
# Kinds of incidents that are not worked out here; all others are.
OTHERS = {"lost-between", "segment-lost", "congestion", "cm", "mad", "rmpp"}
WAYS = ("a_to_b", "b_to_a")
MISSING = {"lost-before", "resend-lost-before", "discarded", "lost-after", "no-answer"}
# {kind of pcap-lint: kinds of the oracle that it may stand for}
LESS = {
    "lost": MISSING,            # it says only where that is certain: not after a hole, nor of a direction that is not captured
    "damaged": MISSING,         # a copy with a wrong ICRC is in the file: for the oracle it is no packet of the connection
    "trimmed": {"lost-after"},  # a switch cut it: the oracle does not look at lengths
}
# Of these the lost copy may be in the file.
LOST = {"lost-after", "damaged", "trimmed"}
# {(capture, connection): ({frames that open them}, why)}
EXCEPTIONS = {
    ("losses-0167.pcap", 0): ({172}, "over once its response has come; the oracle waits for that of the atomic before it, too"),
    ("streams-borders.pcap", 5): ({54, 57}, "doubled by the time, which is what is held there: the identifications say sent again"),
    ("streams-late-one-way.pcap", 0): ({2}, "late over several paths, as the scenario says; here the identifications tell too little"),
    ("streams-cap017-capture-loss.pcap", 3): ({22}, "late after the ACK that passed it: QPS006 says it, no incident does"),
    ("streams-cap022-several-paths.pcap", 3): ({41}, "late over several paths, as the scenario says; here it comes so soon after the NAK that it answers it"),
    ("streams-qps009-nak-wrong-psn.pcap", 2): ({22}, "the NAK asks for the next PSN: whether it was sent before is not in the file"),
}

# What pcap-lint gets wrong in random conversations: words of a fault, until it is mended.
OPEN = ()


def flat(line):
    """What is compared of an incident, named."""
    return {"kind": line["kind"], "root_psn": line["root_psn"], "ended": line["ended"],
            **{f"frames.{key}": value for key, value in line["frames"].items()},
            **{f"ns.{key}": value for key, value in line["ns"].items()}, "packets_resent": line["packets_resent"]}


def product(lint, path):
    """(incidents, connections that were captured twice, all lines)"""
    run = subprocess.run([lint, "--format", "json", "--stats", "--severity", "perf", "--max-per-rule", "0", str(path)],
                         stdout=subprocess.PIPE, text=True, check=False)
    kinds = tuple(f'{{"type":"{kind}"' for kind in ("incident", "flow", "finding", "verdict", "summary"))
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith(kinds)]
    return ([line for line in lines if line["type"] == "incident" and line["kind"] not in OTHERS],
            {line["connection"] for line in lines if line["type"] == "flow" and "captured-twice" in line["doubt"]}, lines)


def is_inside_read(line, seen):
    root = seen.get(line["frames"]["root"])
    return root is not None and root.op == P.READ_REQUEST and root.psn != line["root_psn"]


def differences(ours, oracle, seen):
    """[difference] of two tellings of one incident."""
    mine, theirs = flat(ours), flat(oracle)
    left_out = set()
    if theirs["kind"] in LESS.get(mine["kind"], ()):
        left_out = {"kind", "frames.lost"}
    if mine["kind"] == theirs["kind"] == "answer-lost" and is_inside_read(oracle, seen):
        more = mine["ns.lost"] - theirs["ns.lost"]
        if 0 <= more <= READ_NS and more == mine["ns.noticed"] - theirs["ns.noticed"]:
            left_out = {"ns.lost", "ns.noticed"}
    return [f"{field}: {mine[field]}, the oracle {value}" for field, value in theirs.items()
            if field not in left_out and mine[field] != value]


def compare(name, ours, oracle, seen):
    """[difference]: told apart by connection, direction, and the packet that opens them."""
    mine, found = {}, []
    for line in ours:
        mine.setdefault((line["connection"], line["direction"], line["frame"]), []).append(line)
    for line in oracle:
        place = line["connection"], WAYS[line["way"]], line["frame"]
        alike = mine.get(place)
        wrong = differences(alike.pop(0), line, seen) if alike else [f"none, the oracle has {told(line)}"]
        found += [(place, text) for text in wrong]
    found += [(place, f"{line['kind']} root 0x{line['root_psn']:06x}, the oracle has none")
              for place, left in mine.items() for line in left]
    for (of, connection), (frames, why) in EXCEPTIONS.items():
        if of != name:
            continue
        differ = {place[2] for place, _ in found if place[0] == connection and place[2] in frames}
        found = [(place, text) for place, text in found if place[0] != connection or place[2] not in frames]
        found += [((connection, "any way", frame), f"no difference now: {why}") for frame in sorted(frames - differ)]
    return [f"{name}: connection {place[0]} {place[1]} frame {place[2]}: {text}" for place, text in found]


def has(packet, psn):
    """Whether it is a request of this PSN."""
    return figures.is_request(packet) and (psn - packet.psn) % PSNS < getattr(packet, "span", 1)  # none of what is damaged


def sound(line, seen):
    """What is wrong with a line by itself, and by the packets that it names."""
    times, psn, kind = line["ns"], line["root_psn"], line["kind"]
    frames = {key: seen.get(value) for key, value in line["frames"].items()}
    if times["lost"] != times["noticed"] + times["resent"] + times["repaired"] or min(times.values()) < 0:
        yield f"{times} do not add up"
    for key, frame in {"frame": line["frame"], **line["frames"]}.items():
        if frame is not None and frame not in seen:
            yield f"{key} {frame} is no packet"
            return
    if frames["lost"] and kind not in LOST:
        yield f"it names a lost copy, {line['frames']['lost']}, and is {kind}"
    for key in ("root", "resent", *(["lost"] if kind in LOST else ())):
        if frames[key] and not has(frames[key], psn):
            yield f"{key} {line['frames'][key]} is no request of PSN 0x{psn:06x}"
    if kind in LOST and frames["lost"] and (frames["lost"].icrc == P.BAD) != (kind == "damaged"):
        yield f"{kind}, and the ICRC of {line['frames']['lost']} is {frames['lost'].icrc}"
    if (frames["end"] is not None) != line["ended"]:
        yield f"ended is {line['ended']}, its end {line['frames']['end']}"
    notice = frames["notice"]
    if notice and not figures.is_request(notice) and (notice.op != P.ACKNOWLEDGE or notice.syndrome >> 5 not in (1, 3)):
        yield f"noticed in {line['frames']['notice']}, which is no NAK and no request"
    if kind == "refused" and (not frames["end"] or frames["end"].syndrome not in REFUSALS or frames["end"].psn != psn):
        yield f"refused in {line['frames']['end']}, which does not refuse PSN 0x{psn:06x}"
    asked = next((frame for frame, packet in seen.items() if frame >= line["frame"] and packet.psn == psn and packet.op == P.ACKNOWLEDGE
                  and packet.syndrome is not None and packet.syndrome >> 5 == 3), None) if frames["lost"] else None
    if kind == "lost-after" and asked and line["frames"]["lost"] >= asked:
        yield f"lost in {line['frames']['lost']}, after the NAK of {asked}"
    order = [line["frames"][key] for key in ("notice", "resent", "end") if line["frames"][key] is not None]
    if line["frame"] > min(order, default=line["frame"]):
        yield f"it opens after {min(order)}"
    if kind not in ("late", "doubled") and frames["end"] and line["frames"]["end"] < max(order):
        yield f"it ends before {max(order)}"
    if frames["end"] and kind != "answer-lost":
        began = min(packet.time for packet in (frames["root"], seen[line["frame"]]) if packet)
        if times["lost"] > max(0, frames["end"].time - began):
            yield f"{times['lost']} ns lost in {frames['end'].time - began}"


def claimed(line, sides, seen):
    """What is wrong with the words of a line."""
    ways = sides.get(line["connection"], ())
    if ways:
        yield from claims.faults(line, claims.Way(*ways[WAYS.index(line["direction"])], seen))
    else:
        yield "the oracle has no such connection"


def happened(name, simulated, ours, lines):
    """What is wrong with incidents of a capture of random_losses.py, by what became of its packets."""
    flows = {line["connection"]: line for line in lines if line["type"] == "flow"}
    for line in ours:
        a, b = ("a", "b") if line["direction"] == WAYS[0] else ("b", "a")
        flow = flows[line["connection"]]
        for fault in simulated.wrong(line, flow[a]["address"], flow[b]["qpn"]):
            yield f"{name}: connection {line['connection']} {line['direction']} frame {line['frame']}: {line['kind']}: {fault}"


def told(line):
    frames = " ".join(f"{key} {'-' if value is None else value}" for key, value in line["frames"].items())
    times = " ".join(f"{value / 1e6:.3f}" for value in line["ns"].values())
    qpn = "-" if line["qpn"] is None else line["qpn"]
    return (f"{line['src']} -> {line['dst']} qp {qpn}: {line['kind']} psn 0x{line['root_psn']:06x} "
            f"copies {line['copies']} frame {line['frame']} ({frames}) ms {times} resent {line['packets_resent']} "
            f"({line['bytes_resent']}) naks {line['naks']} rnr {line['rnr']} timers {line['timers']}"
            f"{'' if line['ended'] else ' not ended'}")


def of_captures(paths, lint, whole):
    """[(name, incidents, [difference])] of some captures, or [(why not, None, None)]; without @whole only what always holds."""
    results = []
    for path in paths:
        seen, sides, wrong = {}, {}, []
        try:
            oracle = incidents(path, seen, sides)
        except capture.Skipped as why:
            results.append((f"{path.name}: {why}", None, None))
            continue
        if lint:
            ours, twice, lines = product(lint, path)
            wrong = [f"{path.name}: connection {line['connection']} {line['direction']} frame {line['frame']}: {line['kind']}: {fault}"
                     for line in ours for fault in (*sound(line, seen), *claimed(line, sides, seen))]
            if whole:
                wrong += [f"{path.name}: {fault}" for fault in verdict_claims.faults(lines, sides, seen)]
            wrong += [f"{path.name}: {fault}" for fault in parts.faults(lines, {frame: packet.time for frame, packet in seen.items()})]
            compared = whole
            if path.name.startswith("losses-"):
                simulated = random_losses.Simulated(int(path.stem.partition("-")[2]))
                wrong += happened(path.name, simulated, ours, lines)
                compared = simulated.counts_ids
            oracle = [line for line in oracle if line["connection"] not in twice]
            if compared:
                wrong += compare(path.name, ours, oracle, seen)
            else:
                oracle = ours
        results.append((path.name, oracle, wrong))
    return results


def mended(faults):
    """@faults without those that are known; and what of these is no more."""
    left = [fault for fault in faults if not any(known in fault for known in OPEN)]
    return left + [f"no fault has '{known}' now: take it out of OPEN" for known in OPEN if not any(known in fault for fault in faults)]


def report(kind, paths, lint, whole=True):
    """Whether anything is wrong, or nothing was compared."""
    count = files = 0
    differ = []
    for name, oracle, wrong in itertools.chain(*parallel.each(of_captures, parallel.parts(paths), lint, whole)):
        if oracle is None:
            print(name)
            continue
        files, count = files + 1, count + len(oracle)
        differ += wrong
        if not lint:
            print(*(f"{name}: {told(line)}" for line in oracle), sep="\n", end="\n" if oracle else "")
        if first_fault.ends(differ):
            break
    if not whole:
        differ = mended(differ)
    print(*differ[:SHOWN], sep="\n", end="\n" if differ else "")
    print(f"{kind}: {count} incidents in {files} captures: {len(differ)} differences")
    return bool(differ) or not files or bool(lint) and kind != "given" and not count


def main(*given):
    given = list(given)
    lint = None
    if given and ".pcap" not in pathlib.Path(given[0]).name:
        lint = given.pop(0)
    if not lint or ".pcap" in "".join(given[:1]):
        return report("given", [pathlib.Path(name) for name in given], lint)
    made = [path for path in sorted(pathlib.Path(given[0]).glob("*.pcap*"))
            if path.suffix != ".expect" and not path.name.startswith(("cut-", "lint-"))]
    failed = report("real", sorted((ROOT / "pcaps").glob("*/*.pcap*")), lint)
    failed |= not first_fault.ends(failed) and report("made", made, lint)
    if first_fault.ends(failed):
        return failed
    with tempfile.TemporaryDirectory() as scratch:
        number = int(given[1]) if len(given) > 1 else SCENARIOS
        for kind, of in (("simulated", random_losses), ("random", random_scenarios)):
            failed |= not first_fault.ends(failed) and report(kind, of.write(pathlib.Path(scratch), number), lint, whole=of is random_losses)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
