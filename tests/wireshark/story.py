#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""story.py PLUGIN PCAP-LINT SHIM: Tools > RDMA Story shows what pcap-lint --story tells of the selected packet's connection.

SHIM (story.c) is the window to tshark: it calls the menu item. Of a packet of each connection of a capture, in a file whose name a shell
would run: the text is pcap-lint's; a program of that name, put in its place, gets the number, the absolute path and the ports of the
preference as its arguments, and nothing else. Where there is no pcap-lint, no connection, no packet, or the file is still being read, the
text says so.

The item returns before the program ends where GLib's loop of events runs; a program that never ends is killed when the window is closed, or
the file; one that never stops printing, after 4 MiB. No more than four run at a time, and what they print is text.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import ws

CAPTURE = "faults/11-16qp-loss1.pcap"
NAME = "$(touch ran);'\"`touch ran`|& -x.pcap"
TITLE = "RDMA Story"
ARGUMENTS = "#!/bin/sh\nfor word; do printf '[%s]\\n' \"$word\"; done\n"
SILENT = "#!/bin/sh\necho 'no such thing' >&2\n"
ENDLESS = "#!/bin/sh\necho $$ >>'{0}'\necho begun\nexec /bin/sleep 300\n"
FLOOD = "#!/bin/sh\necho $$ >>'{0}'\nexec /usr/bin/yes 0123456789abcde\n"
NO_TEXT = "#!/bin/sh\nprintf 'a\\033[31mb\\001\\177\\n\\377\\tc\\n'\n"
WAITS = "pcap-lint reads the capture. The story of stream {} will be here; close this window to stop it.\n"
STOPPED = "The file was closed, or read again, before the story was told.\n"
MANY = "4 stories are being told: wait for one, or close its window.\n"
TEXT_MAX = 4 << 20


class Preloaded(ws.Tshark):
    """tshark with the shim loaded, in the place of the window."""

    def __init__(self, plugin, shim):
        super().__init__(plugin)
        self.shim, self.said, self.selected, self.path = self.dir / "shim.so", self.dir / "said", (0, ""), os.environ["PATH"]
        self.again, self.loop, self.pids = False, "nobody", self.dir / "pids"
        shutil.copy(shim, self.shim)
        self.shim.chmod(0o755)
        self.returned = self.dir / "said.returned"
        for path in (self.said, self.returned, self.pids):
            path.touch()
            path.chmod(0o666)
        self.preload = f"{self.preload} {self.shim}".strip()

    def env(self, plugins=True):
        frame, file = self.selected
        return super().env(plugins) | {"STORY_SAID": str(self.said), "STORY_FRAME": str(frame), "STORY_FILE": str(file), "STORY_VISITED": str(int(self.again)), "PATH": str(self.path), "STORY_LOOP": self.loop}

    def story(self, capture, frame, *options, file=None):
        """(title, text) of the window."""
        self.selected = frame, capture if file is None else file
        self.again = "-2" in options
        for path in (self.said, self.returned, self.pids):
            path.write_text("")
        self.read(capture, *options, "-q", "-z", "conv,ibwire")
        return window(self.said)

    def left(self):
        """The programs that were started, after tshark has ended: their number, and which still run."""
        pids = [int(pid) for pid in self.pids.read_text().split()]
        return len(pids), [pid for pid in pids if runs(pid)]


def runs(pid):
    """Not if it only waits for somebody to take notice of its end."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def window(path):
    title, _, text = path.read_text(errors="surrogateescape").partition("\n")
    return title, text


def program(tshark, name, text=None, of=None):
    """A directory in which pcap-lint is a script, or a copy."""
    place = tshark.dir / name
    place.mkdir()
    if of:
        shutil.copy(of, place / "pcap-lint")
    else:
        (place / "pcap-lint").write_text(text)
    (place / "pcap-lint").chmod(0o755)
    place.chmod(0o755)
    return place


def without_waiting(tshark, capture, frame, stream, lint):
    """Faults where GLib's loop of events runs while the program does."""
    waits = (TITLE, WAITS.format(stream))

    def told(what, want, loop, returned=waits, started=0):
        tshark.loop = loop
        have = tshark.story(capture, frame, "-2"), window(tshark.returned), tshark.left()
        if have != ((TITLE, want), returned, (started, [])):
            yield f"{what}: {[str(part)[:300] for part in have]}, not {want[:300]!r}"

    want = subprocess.run([lint, "--story", stream, capture], capture_output=True, text=True, check=False).stdout
    tshark.path = tshark.dir / "real"
    yield from told("a loop", want, "us")
    tshark.path = program(tshark, "endless", ENDLESS.format(tshark.pids))
    yield from told("the window is closed", waits[1], "close", started=1)
    yield from told("the file is closed", STOPPED, "file", started=1)
    yield from told("many", STOPPED, "many", (TITLE, MANY), started=4)
    tshark.path = program(tshark, "no text", NO_TEXT)
    for loop in ("us", "nobody"):
        tshark.returned.write_text("")
        yield from told(f"no text, {loop}", "a?[31mb??\n\ufffd\tc\n", loop, waits if loop == "us" else ("", ""))
    tshark.path = program(tshark, "flood", FLOOD.format(tshark.pids))
    flood = "0123456789abcde\n" * (TEXT_MAX // 16) + "\n(more than 4 MiB: the rest is left out)\n"
    for loop in ("us", "nobody"):
        yield from told(f"flood, {loop}", flood, loop, waits if loop == "us" else ("", ""), started=1)


def main():
    tshark, lint = Preloaded(sys.argv[1], sys.argv[3]), pathlib.Path(sys.argv[2])
    capture = tshark.put(ws.ROOT / "pcaps" / CAPTURE, NAME)
    text = tshark.read(capture, "-2", "-T", "fields", "-e", "frame.number", "-e", "ibwire.stream")
    rows = [line.split("\t") for line in text.splitlines()]
    first = {}
    for frame, stream in rows:
        first.setdefault(stream, int(frame))
    none = first.pop("")
    faults, losses = [], 0

    def same(what, have, want):
        if have != (TITLE, want):
            faults.append(f"{what}: {have}, not {want}")

    tshark.path = program(tshark, "real", of=lint)
    for stream, frame in first.items():
        want = subprocess.run([lint, "--story", stream, capture], capture_output=True, text=True, check=False).stdout
        same(f"stream {stream}", tshark.story(capture, frame, "-2"), want)
        losses += "retransmit" in want
    faults += [] if losses else ["no story of a loss"]
    stream, frame = [*first.items()][3]
    tshark.path = program(tshark, "arguments", ARGUMENTS)
    same("arguments", tshark.story(capture, frame, "-2"), f"[--story]\n[{stream}]\n[{capture}]\n")
    here = os.path.relpath(capture, pathlib.Path.cwd())
    same("arguments, a relative name", tshark.story(capture, frame, "-2", file=here), f"[--story]\n[{stream}]\n[{capture}]\n")
    same("arguments, ports", tshark.story(capture, frame, "-2", "-o", "ibwire.roce_ports:4792-4793,5000"),
         f"[--roce-port]\n[4792,4793,5000]\n[--story]\n[{stream}]\n[{capture}]\n")
    same("arguments, copies as they are", tshark.story(capture, frame, "-2", "-o", "ibwire.ignore:CAP008"),
         f"[--ignore]\n[CAP008]\n[--story]\n[{stream}]\n[{capture}]\n")
    same("no file", tshark.story(capture, frame, "-2", file="/dev/null"), "The capture is not a file: pcap-lint would wait for it.\n")
    same("no connection", tshark.story(capture, none, "-2"), f"Frame {none} is not of a connection (RC, UC or XRC).\n")
    same("no packet", tshark.story(capture, 0, "-2"), "No packet is selected.\n")
    same("still reading", tshark.story(capture, frame), "The capture is still being read: its connections have no numbers yet.\n")
    tshark.path = program(tshark, "silent", SILENT)
    same("it tells nothing", tshark.story(capture, frame, "-2"), f"pcap-lint --story {stream} tells nothing:\nno such thing\n")
    tshark.path = tshark.dir
    same("not installed", tshark.story(capture, frame, "-2"),
         f"pcap-lint is not installed: it is in no directory of PATH. Of stream {stream} it would tell with:\n\npcap-lint --story {stream} FILE\n")
    tshark.path = tshark.dir
    faults += without_waiting(tshark, capture, frame, stream, lint)
    faults += [f"{path}: a shell has run the name" for path in (pathlib.Path("ran"), tshark.dir / "ran") if path.exists()]
    return ws.verdict(faults, f"{len(first)} connections")


if __name__ == "__main__":
    sys.exit(main())
