#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""chosen.py PLUGIN: by Decode As a queue pair or a service ID is of an upper layer.

Of captures of pcaps/ulp without their CM exchange, nothing or nearly nothing is known; with each queue pair chosen
the PDUs are those of the whole capture, but for the few before the two ways of a connection are known to be one.
By service ID another upper layer takes the place of that of the CM. As the window saves it, too.
"""
import collections
import sys

import ws

MODE = "-o", "ibwire.mode:takeover"
# capture, upper layer, fields of its PDUs, how many of 100 there have to be without the CM exchange
CASES = [("01-nvme", "nvme-rdma", ["nvme.cmd.opc", "nvme.cqe.cid"], 85),
         ("02-iser", "iser", ["iscsi.opcode"], 100),
         ("05-nfs40", "rpcordma", ["rpc.msgtyp", "nfs.opcode"], 98),
         ("08-smb-direct", "smb_direct", ["smb2.cmd"], 100)]
UNKNOWN = {"nvme-rdma", "iser"}  # nobody knows them without the CM exchange
ISER_QPN = 0x1b


def without_cm(frames):
    """Those not to QP 1: RoCE v2 over IPv4 without options."""
    return [frame for frame in frames if frame[3][23:24] != b"\x11" or frame[3][47:50] != b"\0\0\1"]


def counts(tshark, path, fields, *options):
    args = [arg for field in fields for arg in ("-e", field)]
    found = collections.Counter()
    for line in tshark.read(path, *MODE, *options, "-T", "fields", "-E", "separator=/t", *args).splitlines():
        found.update({field: len(cell.split(",")) for field, cell in zip(fields, line.split("\t"), strict=True) if cell})
    return found


def values(tshark, path, field):
    return sorted(set(tshark.read(path, "-Y", field, "-T", "fields", "-e", field).split()))


def choices(tshark, name, proto, fields, percent):
    linktype, frames = ws.records(ws.ROOT / f"pcaps/ulp/{name}.pcap")
    whole, bare = tshark.write("whole.pcap", linktype, frames), tshark.write("bare.pcap", linktype, without_cm(frames))
    qps = [word for qp in values(tshark, bare, "ibwire.bth.dqpn") for word in ("-d", f"ibwire.qp=={qp},{proto}")]
    service, = values(tshark, whole, "ibwire.conn.service_id")
    for passes in ((), ("-2",)):
        want, nothing = counts(tshark, whole, fields, *passes), counts(tshark, bare, fields, *passes)
        have, chosen = counts(tshark, bare, fields, *passes, *qps), counts(tshark, whole, fields, *passes, *qps)
        print(f"{name} {' '.join(passes)}: {dict(want)}, without CM {dict(nothing)}, chosen {dict(have)}")
        if not want or proto in UNKNOWN and nothing:
            yield f"{name}: {want}, without the CM exchange {nothing}"
        if chosen != want:
            yield f"{name}: chosen {chosen}, not {want}"
        yield from (f"{name}: {field}: {have[field]} without the CM exchange, of {want[field]}"
                    for field in fields if 100 * have[field] < percent * want[field])
    other = "iser" if proto != "iser" else "smb_direct"
    if counts(tshark, whole, [proto], "-Y", "!ibwire.mad", "-d", f"ibwire.service_id=={service},{other}"):
        yield f"{name}: {proto}, although {service} is {other}"
    # Of one connection: a queue pair is that of either end.
    if proto == "rpcordma" and counts(tshark, whole, [proto], "-Y", "!ibwire.mad", *qps[:1],
                                      qps[1].replace(proto, other)):
        yield f"{name}: {proto}, although {qps[1]} is {other}"
    if counts(tshark, whole, fields, "-d", f"ibwire.service_id=={service},{proto}") != counts(tshark, whole, fields):
        yield f"{name}: {service} as {proto} is not what it was"


def by_file(tshark):
    """In the window a choice is saved by the upper layer's name."""
    directory = tshark.dir / "home/.config/wireshark"
    directory.mkdir(parents=True)
    for path in directory.parent, directory:
        path.chmod(0o755)
    linktype, frames = ws.records(ws.ROOT / "pcaps/ulp/02-iser.pcap")
    bare = tshark.write("bare.pcap", linktype, without_cm(frames))
    for text, want in (("", 0), (f"decode_as_entry: ibwire.qp,{ISER_QPN},(none),iSER\n", 54)):
        (directory / "decode_as_entries").write_text(text)
        with tshark.sharkd_running() as sharkd:
            sharkd.set("ibwire.mode", "takeover")
            found = len(sharkd.load(bare, "iscsi.opcode"))
        if found != want:
            yield f"file {text!r}: {found} frames of iSCSI, not {want}"


def main():
    tshark, faults = ws.Tshark(sys.argv[1]), []
    for case in CASES:
        faults += choices(tshark, *case)
    faults += by_file(tshark)
    return ws.verdict(faults, f"{len(CASES)} upper layers")


if __name__ == "__main__":
    sys.exit(main())
