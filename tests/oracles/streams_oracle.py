#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""streams_oracle.py PCAP-LINT MADE [CAPTURE...]: `--stats --format json` against the oracle, figure by figure.

Every connection, direction and exact figure of schema 2, in the captures of pcaps/, those
pcaps/make wrote to MADE, and 200 random conversations; or in the given ones only. Of 100 more, in which
queue pairs are used again with all that was open, all that is counted is compared: how long a request of an
earlier life was open is not defined for PSNs that two lives have. A difference is printed with what pcap-lint
says, then the oracle.
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
import first_fault  # noqa: E402
import parallel  # noqa: E402
import random_scenarios  # noqa: E402
import streams  # noqa: E402
from figures import COUNTS  # noqa: E402

SCENARIOS, ENDS = 200, 100
SHOWN = 40  # differences printed a kind of captures
WAYS = ("a_to_b", "b_to_a")
# How the tool explains what comes below the expected PSN: only their sum is exact.
EXPLAINED = ("retransmitted_packets", "reordered_packets", "duplicated_packets", "conflicting_packets")
CAUSES = tuple(f"resent_{cause}" for cause in ("nak", "rnr", "timeout", "read", "other"))


def product(lint, paths):
    """{path: flow objects} as pcap-lint prints them."""
    run = subprocess.run([lint, "--stats", "--format", "json", *paths],
                         stdout=subprocess.PIPE, text=True, check=False)
    found = {str(path): [] for path in paths}
    for line in run.stdout.splitlines():
        if line.startswith('{"type":"flow"'):
            flow = json.loads(line)
            if flow["service"] != "iWARP":  # iwarp_flows.py
                found[flow["file"]].append(flow)
    return found


def leaves(value, name=""):
    """{place: number, word or histogram} of an object."""
    if not isinstance(value, dict):
        return {name: value}
    return {place: leaf for key, inner in value.items()
            for place, leaf in leaves(inner, f"{name}.{key}" if name else key).items()}


def compare(path, ours, oracle, only=None):
    """(number of figures, [difference]) of one connection: of all, or @only those. What is in doubt is pcap-lint's word here."""
    oracle = dict(oracle)
    below_paused = dict(zip(WAYS, oracle.pop("below_paused")))
    oracle |= {"waited": oracle["waited"].figures(oracle["service"], ours["doubt"])}
    got = leaves(ours)
    figures = {place: value for place, value in leaves(oracle).items()
               if only is None or place.rpartition(".")[2] in only}
    missing = object()
    wrong = [f"{path}: connection {oracle['connection']}: {place}: {got.get(place, 'none')}, "
             f"the oracle {value}" for place, value in figures.items() if got.get(place, missing) != value]
    for way in WAYS:
        wrong += [f"{path}: connection {oracle['connection']}: {way}: {fault}" for fault in
                  paused(ours[way], below_paused[way], oracle[way]["repeated_packets"] + oracle[way]["filled_packets"])]
        causes = sum(ours[way][key] for key in CAUSES)
        if causes != ours[way]["retransmitted_packets"]:
            wrong.append(f"{path}: connection {oracle['connection']}: {way}: {causes} packets were sent again for a "
                         f"reason, {ours[way]['retransmitted_packets']} in all")
        below = oracle[way]["repeated_packets"] + oracle[way]["filled_packets"]
        explained = sum(ours[way].get(key, 0) for key in EXPLAINED)
        if explained != below:
            wrong.append(f"{path}: connection {oracle['connection']}: {way}: {explained} resent, reordered, "
                         f"duplicated and conflicting; repeated and filled are {below}")
    return len(figures) + 3 * len(WAYS), wrong


def paused(ours, below_paused, below):
    """[fault]: of @below packets, repeated or filled, @below_paused came during a pause; so many of those that were sent again did."""
    resent, found = ours["retransmitted_packets"], ours["retransmitted_paused"]
    if not max(0, resent - (below - below_paused)) <= found <= min(resent, below_paused):
        yield f"{found} of {resent} were sent again during a pause; of {below}, {below_paused} came then"
    if found != sum(ours[f"{cause}_paused"] for cause in CAUSES):
        yield f"{found} were sent again during a pause, by cause other ones"
    for key in (*CAUSES, "timeouts"):
        if not ours[f"{key}_paused"] <= min(ours[key], below_paused):
            yield f"{key}_paused is {ours[f'{key}_paused']} of {ours[key]}"


# {(scenario, figure): what is known of it}; it has to differ still.
KNOWN = {}


def compare_capture(path, ours, oracle, only=None):
    """(figures, [difference]): no two connections have the same first frame."""
    figures, wrong = 0, []
    mine = {flow["first_frame"]: flow for flow in ours}
    for other in oracle:
        one = mine.pop(other["first_frame"], None)
        if one is None:
            wrong.append(f"{path.name}: {name(other)}: none, the oracle has it")
            continue
        count, found = compare(path.name, one, other, only)
        figures += count
        wrong += found
    wrong += [f"{path.name}: {name(one)}: one, the oracle has none" for one in mine.values()]
    return figures, wrong


def of_captures(paths, lint):
    """[(connections and figures compared, [difference]) or (why not, None)] of some captures."""
    found, results = product(lint, paths), []
    for path in paths:
        try:
            oracle = streams.flows(path)
        except capture.Skipped as why:
            results.append((f"{path.name}: {why}", None))
            continue
        only = COUNTS if path.name.startswith("ends-") else None
        figures, wrong = compare_capture(path, found[str(path)], oracle, only)
        for (capture_name, figure), why in KNOWN.items():
            if capture_name == path.name:
                left = [line for line in wrong if f": {figure}: " not in line]
                wrong = left if len(left) < len(wrong) else [*wrong, f"{path.name}: {figure} is equal now: {why}"]
        results.append(((len(oracle), figures), wrong))
    return results


def name(flow):
    ends = (f"{flow[end]['address']} qp {flow[end]['qpn']}" for end in "ab")
    return f"connection {flow['connection']} ({' - '.join(ends)}, from frame {flow['first_frame']})"


def main(lint, made, *given):
    with tempfile.TemporaryDirectory() as directory:
        kinds = {"given": [pathlib.Path(path) for path in given]} if given else {
            "real": sorted((ROOT / "pcaps").glob("*/*.pcap*")), "made": sorted(pathlib.Path(made).glob("*.pcap*")),
            "random": None, "ends": None}
        if [] in kinds.values():
            print("no captures in pcaps or in", made)
            return True
        failed = False
        for kind, paths in kinds.items():
            if kind == "random":
                paths = random_scenarios.write(pathlib.Path(directory), SCENARIOS)
            elif kind == "ends":
                paths = random_scenarios.write(pathlib.Path(directory), ENDS, of=random_scenarios.ends)
            captures = connections = figures = 0
            differences = []
            for result, wrong in itertools.chain(*parallel.each(of_captures, parallel.parts(paths), lint)):
                if wrong is None:
                    print(result)
                    continue
                captures, connections, figures = captures + 1, connections + result[0], figures + result[1]
                differences += wrong
                if first_fault.ends(differences):
                    break
            print(*differences[:SHOWN], sep="\n", end="\n" if differences else "")
            print(f"{kind}: {figures} figures of {connections} connections in {captures} captures: "
                  f"{len(differences)} differences")
            failed |= bool(differences) or not figures
            if first_fault.ends(failed):
                break
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
