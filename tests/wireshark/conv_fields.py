#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""conv_fields.py PLUGIN SHIM: the fields that filters on a row of Conversations and Endpoints ask for.

"A -> B" of the window asks for a source and a destination, which tshark and sharkd never do. So what the
plugin has for each is taken on the way to Wireshark, by SHIM (conv_fields.c), which tshark is run with. So is
the title in the window of preferences; those of the tabs are above the tables that tshark prints, those of
the menu sharkd says. The filter of a packet's conversation, which the menu of a packet has, is its stream.
"""
import json
import shutil
import sys

import ws

# By the names the plugin's README has for them; a queue pair is part of the address.
FIELDS = {"src_address": "ibwire.conv.src", "dst_address": "ibwire.conv.dst",
          "any_address": "ibwire.conv.end", "src_port": "INVALID", "dst_port": "INVALID",
          "any_port": "INVALID"}
WANTED = {(table, *row) for table in ("conversation", "endpoint") for row in FIELDS.items()} | \
    {("preferences", "title", "RDMA")}
TITLES = "RDMA Conversations", "RDMA Endpoints"
MENU = {"Conversation List/RDMA", "Endpoint/RDMA", "RDMA/Findings", "RDMA/Opcodes, MADs and CRCs"}


class Preloaded(ws.Tshark):
    """tshark with the shim loaded, which writes to ->said."""

    def __init__(self, plugin, shim):
        super().__init__(plugin)
        self.shim, self.said = self.dir / "shim.so", self.dir / "said"
        shutil.copy(shim, self.shim)
        self.shim.chmod(0o755)
        self.said.touch()
        self.said.chmod(0o666)
        self.preload = f"{self.preload} {self.shim}".strip()

    def env(self, plugin):
        return super().env(plugin) | {"CONV_FIELDS": str(self.said)}


def main():
    tshark = Preloaded(*sys.argv[1:3])
    capture = tshark.put(ws.ROOT / "pcaps/rxe/01-rping-ipv4.pcap")
    text = tshark.read(capture, "-q", "-z", "conv,ibwire", "-z", "endpoints,ibwire")
    have = {tuple(line.split(maxsplit=2)) for line in tshark.said.read_text().splitlines()}
    filters = {int(row[1]): row[2] for row in have if row[0] == "packet"}
    have = {row for row in have if row[0] != "packet"}
    faults = [f"{' '.join(row)}: the plugin has not" for row in sorted(WANTED - have)]
    faults += [f"{' '.join(row)}: the plugin has" for row in sorted(have - WANTED)]
    faults += [f"no table {title}" for title in TITLES if title not in text.splitlines()]
    with tshark.sharkd_running() as sharkd:
        said = json.loads(sharkd.ask({"method": "info"}))["result"]
    have = {row["name"] for rows in said.values() if isinstance(rows, list) for row in rows if "name" in row}
    faults += [f"no {name} in the menu" for name in MENU - have]
    streams = tshark.read(capture, "-Y", "ibwire.stream", "-T", "fields", "-e", "frame.number", "-e", "ibwire.stream")
    want = {int(frame): f"ibwire.stream == {stream}" for frame, stream in map(str.split, streams.splitlines())}
    faults += [f"frame {frame}: {filters.get(frame)}, not {want.get(frame)}" for frame in {*want, *filters}
               if filters.get(frame) != want.get(frame)] + [f"{want}" for _ in range(not want)]
    return ws.verdict(faults, f"{len(WANTED)} filters, {len(want)} packets")


if __name__ == "__main__":
    sys.exit(main())
