#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""reload.py PLUGIN MADE: reading files again and again takes no more memory than without the plugin.

One sharkd loads a capture again and again, and dissects each frame a second time. How much it has
grown between the first rounds and the last is compared with a sharkd without the plugin, which
grows too: sharkd 4.0 never closes a file. In each mode. If the plugin was built with the address
sanitizer: nothing is left that it allocated, of this nor of tshark with two passes.
"""
import pathlib
import re
import subprocess
import sys

import ws

ROUNDS = 30
SETTLED = 5  # what is kept for ever has been made by then
# Of 25 rounds with 400 frames each, 0.4 KiB a frame; both grow by 280 MiB, in blocks of some hundred
# KiB. What is lost for good, the sanitizer finds to the byte.
NOISE_KIB = 4000
OURS = re.compile(r"ibwire\.so|unknown module")  # it is unloaded when the leaks are listed
FILTER = {"method": "frames", "params": {"filter": "frame.protocols"}}


def capture_of(tshark, made):
    """Of all there is to remember: findings, connections, RMPP transfers."""
    frames = []
    for path in (ws.ROOT / "pcaps/rxe/12g-netem-corrupt-badicrc.pcap",
                 ws.ROOT / "pcaps/rxe/03h-send-rc-rdmacm.pcap",
                 ws.ROOT / "pcaps/mad/rmpp.roce.pcap", made / "lint-rmp.pcap"):
        frames += ws.records(path)[1][:100]
    return tshark.write("reload.pcap", 1, frames)


def load(path):
    return [{"method": "load", "params": {"file": str(path)}}, FILTER]


def set_mode(mode):
    return [{"method": "setconf", "params": {"name": "ibwire.mode", "value": mode}}] if mode else []


def grown(tshark, path, mode):
    """KiB between round SETTLED and the last."""
    with tshark.sharkd_running(plugin=bool(mode)) as sharkd:
        for request in set_mode(mode):
            sharkd.ask(request)
        sizes = []
        for _ in range(ROUNDS):
            for request in load(path):
                sharkd.ask(request)
            sizes.append(sharkd.resident())
    return sizes[-1] - sizes[SETTLED - 1]


def leaks(tshark, path):
    tshark.leaks = True
    for mode in ("augment", "takeover"):
        run = tshark.start("-n", "-2", "-V", "-o", f"ibwire.mode:{mode}", "-r", path,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        errors = [run.communicate()[1]]
        with tshark.sharkd_running() as sharkd:
            for request in set_mode(mode) + 3 * load(path):
                sharkd.ask(request)
            sharkd.close()
            errors.append(sharkd.errors())
        for text in errors:
            yield from (f"{mode}: {leak}" for leak in re.split(r"\n(?=\w+ leak of )", text)
                        if " leak of " in leak and OURS.search(leak))


def main():
    tshark, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2])
    path = capture_of(tshark, made)
    if tshark.preload:
        return ws.verdict(list(leaks(tshark, path)), "leaks")
    if not pathlib.Path("/proc/self/status").exists():
        print("no /proc, so nobody knows how large a process is")
        return ws.SKIPPED
    without = grown(tshark, path, None)
    said, faults = [f"without {without} KiB"], []
    for mode in ("augment", "takeover", "off"):
        more = grown(tshark, path, mode)
        said.append(f"{mode} {more} KiB")
        if more - without > NOISE_KIB:
            faults.append(f"{mode}: {more} KiB in {ROUNDS - SETTLED} rounds, without {without}")
    return ws.verdict(faults, ", ".join(said))


if __name__ == "__main__":
    sys.exit(main())
