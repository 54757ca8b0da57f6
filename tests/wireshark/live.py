#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""live.py PLUGIN: what tshark says of packets while it captures them is what it says with -2 of the file it wrote, but for LATER.

In a network of its own (unshare -n, as root) the frames of CAPTURES are sent into one end of a veth pair, the gaps between them at
most GAP; tshark -l -i captures at the other one, prints rows and writes a file, which tshark -2 reads:

- rows are printed while packets are still being sent;
- each row has the same text, but for marks; what marks it has it has with -2, too; of those that it lacks each is of LATER, and how often is printed;
- NAKs, RNR NAKs and timeouts are there at once, and so are nine of ten retransmissions.
"""
import collections
import os
import pathlib
import re
import socket
import subprocess
import sys
import threading
import time

import ws

CAPTURES = ("faults/0[1-8]*", "faults/1[0-2]*", "faults/20[a-e]*", "rxe/12*", "mad/perf*")
FRAMES, GAP, HERE, THERE = 150, 0.02, "ibwa", "ibwb"
COLUMNS = 'gui.column.format:"No.","%m","Info","%i"'
# What only later packets show: where something is missing, and why, who sends, what a message is for, which READ is complete.
LATER = re.compile(rf"\d+ PSNs? missing|\d+ READ responses? missing|ACKed, not captured|PSN restart|Spurious|Retransmission(?: of \d+)?"
                   rf"|Out of order|Duplicate(?: of \d+)?|RNR NAK, .*|Sequence NAK of \d+|{ws.READ}|{ws.SERVICE}")
SOONER = "RNR NAK", "Retransmission", "Sequence NAK"  # of marks that say more later
# What was so then: a READ whose last response has come, and others come after it.
THEN = re.compile(r"READ: \d+ packets, \d+ of \d+ bytes(?: in [\d.]+ [num]?s)?")
NOT_OURS = "[Dissector bug, protocol RPCoRDMA"  # on a second pass, without us, too
AT_ONCE = "Sequence NAK", "RNR NAK", "Timeout", "NAK"
MARK = re.compile(rf"\[([^\]]+)\]")


class Capturing(ws.Tshark):
    privileges = ("--inh-caps=+net_raw,+net_admin", "--ambient-caps=+net_raw,+net_admin")


def network():
    """The pair; nobody but us sends."""
    for command in (f"link add {HERE} mtu 9600 type veth peer name {THERE} mtu 9600", *(f"link set {end} up" for end in (HERE, THERE))):
        for end in (HERE, THERE):
            silent = pathlib.Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6")
            if silent.exists():
                silent.write_text("1")
        subprocess.run(["ip", *command.split()], check=True)


def frames():
    """[(seconds to wait, bytes)]"""
    out = []
    for path in sorted({path for names in CAPTURES for path in (ws.ROOT / "pcaps").glob(f"{names}.pcap")}):
        linktype, records = ws.records(path)
        before = None
        for sec, nsec, length, data in records[:FRAMES] if linktype == 1 else []:
            now = sec + nsec / 1e9
            if len(data) == length >= 14:
                out.append((min(max(now - before, 0), GAP) if before else GAP, data))
                before = now
    return out


def split(info):
    """(the text, its marks)"""
    marks = [mark for mark in MARK.findall(info) if re.fullmatch(ws.MARK.strip(), f"[{mark}]") or LATER.fullmatch(mark)]
    return re.sub(r" +", " ", "".join(part for part in re.split(r"(\[[^\]]+\])", info) if part[1:-1] not in marks)).strip(), marks


def rows_of(lines):
    parts = (line.strip().split("\t") for line in lines)
    return {int(number): info[0] if info else "" for number, *info in parts}


def send(sent, rows):
    """Sends all; returns how many rows were there before the last frame was sent: within a minute half of them."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as out:
        out.bind((HERE, 0))
        for wait, data in sent[:-1]:
            time.sleep(wait)
            out.send(data)
        deadline = time.monotonic() + 60
        while len(rows) < len(sent) // 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        early = len(rows)
        out.send(sent[-1][1])
    return early


def capture(tshark, path, sent):
    """(lines of tshark, how many before the end)"""
    process = tshark.start("-n", "-l", "-i", THERE, "-c", len(sent), "-P", "-w", path, "-T", "tabs", "-o", COLUMNS,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    while "Capturing on" not in process.stderr.readline():
        if process.poll() is not None:
            raise SystemExit("tshark does not capture")
    time.sleep(2)
    lines, said = [], []
    threads = [threading.Thread(target=lines.extend, args=(process.stdout,)), threading.Thread(target=said.extend, args=(process.stderr,))]
    for thread in threads:
        thread.start()
    early = send(sent, lines)
    status = process.wait(timeout=120)
    for thread in threads:
        thread.join()
    if status or ws.FATAL.search("".join(said)):
        raise SystemExit(f"tshark: {status}\n{''.join(said)[-2000:]}")
    return lines, early


def compare(live, whole, compared, later):
    for number, want in whole.items():
        (text, marks), (then, all_) = split(live.get(number, "")), split(want)
        if NOT_OURS not in want:
            compared.same("text", f"frame {number}", text, then)
        missing = collections.Counter(all_) - collections.Counter(marks)
        sooner = [mark for mark in collections.Counter(marks) - collections.Counter(all_)
                  if not THEN.fullmatch(mark) and not any(mark.startswith(word) and any(one.startswith(word) for one in missing) for word in SOONER)]
        compared.same("marks at once", f"frame {number}", sooner, [])
        for mark in missing:
            compared.same("later", f"frame {number}: {mark}", bool(LATER.fullmatch(mark)), True)
            later[re.sub(r"\d+", "N", mark)] += 1
        for word in AT_ONCE:
            has = [any(re.match(rf"{word}(,| of|$)", mark) for mark in of) for of in (marks, all_)]
            if has[1]:
                compared.same(word, f"frame {number}", *has)


def main():
    if os.geteuid() != 0:
        print("a veth pair needs root")
        return ws.SKIPPED
    if os.environ.get("IBW_LIVE") != "1":
        return subprocess.run(["unshare", "-n", sys.executable, *sys.argv], env=os.environ | {"IBW_LIVE": "1"}, check=False).returncode
    network()
    tshark, sent, compared, later = Capturing(sys.argv[1]), frames(), ws.Compared(), collections.Counter()
    if len(sent) < 500:
        return ws.verdict([f"{len(sent)} frames to send"], "")
    folder = tshark.dir / "live"
    folder.mkdir()
    folder.chmod(0o777)
    lines, early = capture(tshark, folder / "live.pcapng", sent)
    live, whole = rows_of(filter(None, lines)), tshark.infos(folder / "live.pcapng", "-2")
    compared.same("rows", "frames", (len(live), len(whole)), (len(sent), len(sent)))
    compared.same("while it captures", "half of the rows", early * 2 >= len(sent) - 1, True)
    compare(live, whole, compared, later)
    again = [sum("[Retransmission" in info for info in rows.values()) for rows in (live, whole)]
    compared.same("retransmissions", f"at once {again}", 10 * again[0] >= 9 * again[1] > 0, True)
    compared.all_of(("text", "later", "Sequence NAK", "RNR NAK"))
    same = sum(live.get(number) == info for number, info in whole.items())
    return ws.verdict(compared.faults, f"{len(whole)} rows, {same} the same at once, {early} printed before the end; "
                                       f"later: {', '.join(f'[{mark}] {n}' for mark, n in sorted(later.items()))}")


if __name__ == "__main__":
    sys.exit(main())
