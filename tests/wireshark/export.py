#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""export.py PLUGIN: each message of a known service is exported once, and the exported file shows its PDUs.

As many as the messages that msg.py finds by the bytes: those of the connections that a CM exchange began, all of whose
packets are there, and their READ Requests. The PDUs are those of the capture, one after the other. Of packets
that are cut, what is missing of a message is missing of what is exported, and it does not look whole.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import msg  # noqa: E402
import packet as P  # noqa: E402
import whole  # noqa: E402
import ws  # noqa: E402

TAP = "RDMA messages"
CASES = {"01-nvme": ["nvme.cmd.opc", "nvme.cqe.cid"], "01b-nvme-loss": ["nvme.cmd.opc", "nvme.cqe.cid"],
         "02-iser": ["iscsi.opcode"], "05e-nfs41-loss": ["rpcordma.xid"], "08-smb-direct": ["smb2.cmd"]}
CUT, ICRC = 20, 4  # bytes off the end of each packet; payloads of 01-nvme have no padding
ALONE = {P.SEND_ONLY, P.SEND_ONLY_IMM, P.SEND_ONLY_INV, P.WRITE_ONLY, P.WRITE_ONLY_IMM, P.READ_ONLY}


def messages(tshark, path, merged):
    """How many there are by the bytes."""
    _, streams = msg.of_plugin(tshark, path, "-2")
    found, every = msg.messages(msg.read(merged), streams), whole.packets(merged)
    seen, n = set(), len(whole.wanted(found, every))
    for number, (packet, message, *_) in found.items():
        key = message, packet.psn, packet.op == P.READ_REQUEST
        single = packet.op in ALONE and packet.payload and (packet.op != P.READ_ONLY or (packet.psn - message.psn) % msg.PSNS == 0)
        if key not in seen and (single or packet.op == P.READ_REQUEST):
            n += 1
        seen.add(key)
    return n


def values(tshark, path, fields, *options):
    args = [arg for field in fields for arg in ("-e", field)]
    text = tshark.read(path, *options, "-Y", " || ".join(fields), "-T", "fields", *args)
    return collections.Counter(text.splitlines())


def export(tshark, name, fields):
    capture = ws.ROOT / f"pcaps/ulp/{name}.pcap"
    path, out = tshark.put(capture), tshark.dir / "home" / f"{name}.pcapng"
    tshark.run("-n", "-r", path, "-o", "ibwire.mode:takeover", "-U", TAP, "-w", out)
    want = messages(tshark, path, ws.of_captures([capture]))
    have = len(tshark.read(out, "-T", "fields", "-e", "frame.number").split())
    print(f"{name}: {want} messages, {have} exported")
    if have != want:
        yield f"{name}: {have} messages exported, of {want}"
    theirs = values(tshark, path, fields, "-o", "ibwire.mode:takeover")
    mine = values(tshark, out, fields)
    if not theirs or mine != theirs:
        yield f"{name}: lost {dict(theirs - mine)}, more {dict(mine - theirs)}"


def cut(tshark, name):
    """Faults of what is exported of a capture whose packets are cut: only messages of one packet are."""
    linktype, frames = ws.records(ws.ROOT / f"pcaps/ulp/{name}.pcap")
    path = tshark.write("cut.pcap", linktype, [(sec, nsec, length, data[:-CUT]) for sec, nsec, length, data in frames])
    out = tshark.dir / "home/cut.pcap"
    tshark.run("-n", "-r", path, "-o", "ibwire.mode:takeover", "-U", TAP, "-F", "pcap", "-w", out)
    missing = collections.Counter(length - len(data) for _, _, length, data in ws.records(out)[1])
    print(f"{name}, each packet cut by {CUT}: {sum(missing.values())} exported")
    if list(missing) != [CUT - ICRC]:
        yield f"{name}, each packet cut by {CUT}: bytes missing of what is exported, not {CUT - ICRC}: {dict(missing)}"


def main():
    tshark = ws.Tshark(sys.argv[1])
    faults = list(cut(tshark, "01-nvme"))
    for name, fields in CASES.items():
        faults += export(tshark, name, fields)
    return ws.verdict(faults, f"{len(CASES)} captures")


if __name__ == "__main__":
    sys.exit(main())
