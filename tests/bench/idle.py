#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""idle.py FLOOD-MAKE PCAP-LINT [--busy]: when memory is used up, idle connections make way for those in use.

flood-make's case idle: connections that are in use fill the memory; 1,000 s later there are 1,000 new ones. Each of
those is followed from its first packet to its last, and the summary says how many idle ones made room. Nobody is
evicted where there is room for all, or where all are in use; of those that then find no room the summary says how many.
With --busy, 60,000 of them fill the memory that pcap-lint takes by default.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

NEW, PACKETS = 1000, 20  # as in flood_make.c
VISITS = 70  # of a connection in use, a request and its ACK: more than are kept of it
USED = {"friendly": 1000, "hostile": 60_000}
FIRST_QPN = 0x10000


def made(case, kind, packets, tmp):
    path = pathlib.Path(tmp) / f"{case}-{kind}.pcap"
    subprocess.run([sys.argv[1], case, kind, str(packets), path], check=True)
    return path


def idle(kind, tmp):
    return made("idle", kind, USED[kind] * 2 * VISITS + NEW * PACKETS, tmp)


def run(path, *options):
    return subprocess.run([sys.argv[2], "--fail-on", "never", *options, path], check=True, capture_output=True,
                          text=True).stdout


def said(summary, what):
    found = re.search(rf"(\d+) {what}", summary)
    return int(found[1]) if found else 0


def faults_of(name, path, used, evicted, unfollowed, *options, reports=("--stats",)):
    """@evicted, @unfollowed: whether there have to be some; without @reports only the summary is looked at."""
    text = run(path, "--format", "json", "--stats", *options) if reports else ""
    lines = [json.loads(line) for line in text.splitlines()]
    summary = run(path, *reports, *options).splitlines()[-1]
    whole = 0
    for flow in lines:
        if flow["type"] != "flow" or flow["a"]["qpn"] is None or flow["b"]["qpn"] is None:
            continue
        if min(flow["a"]["qpn"], flow["b"]["qpn"]) >= FIRST_QPN + used:
            requests = max(flow["a_to_b"]["request_packets"], flow["b_to_a"]["request_packets"])
            whole += (flow["a_to_b"]["packets"], flow["b_to_a"]["packets"], requests) == (PACKETS // 2,) * 3
    counts = said(summary, "connections? evicted"), said(summary, "directions? of connections not followed")
    print(f"{name}: {whole} of {NEW} new ones followed, {counts[0]} evicted, {counts[1]} not followed: {summary[-150:]}")
    faults = []
    if whole != NEW and not unfollowed and reports:
        faults.append(f"{whole} new connections are followed whole")
    if [n > 0 for n in counts] != [evicted, unfollowed]:
        faults.append(f"evicted and not followed: {counts}")
    if ("no findings" in summary) == (evicted or unfollowed) or ("CAP021" in summary) != (evicted or unfollowed):
        faults.append(f"summary: {summary}")
    return [f"{name}: {fault}" for fault in faults]


def main():
    with tempfile.TemporaryDirectory() as tmp:
        if "--busy" in sys.argv:
            path = idle("hostile", tmp)
            faults = faults_of("60,000, default memory", path, USED["hostile"], False, False)
            faults += faults_of("60,000, 5 KB each", path, USED["hostile"], False, False, "--max-memory", "300M", reports=())
            faults += faults_of("60,000, 480 MiB", path, USED["hostile"], True, False, "--max-memory", "480M")
        else:
            path = idle("friendly", tmp)
            faults = faults_of("12 MiB", path, USED["friendly"], True, False, "--max-memory", "12M")
            faults += faults_of("room for all", path, USED["friendly"], False, False)
            path = made("random", "hostile", 60_000, tmp)
            faults += faults_of("all in use", path, 0, False, True, "--max-memory", "4M")
    print("\n".join(faults))
    return faults != []


sys.exit(main())
