#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""malformed.py PLUGIN MADE: in take-over mode those frames are _ws.malformed that tests/data/malformed.csv lists, and no others.

Each row says why; REASONS sees that in the bytes of the frame. All captures are read, in two passes: those of pcaps/ulp and the NFS ones of
pcaps/siw one by one, as their messages are reassembled, also in one pass and on another UDP port, the others as one file. In augment mode the
same frames are malformed as without the plugin.
"""
import concurrent.futures
import csv
import os
import pathlib
import struct
import sys

import ws

TABLE = ws.ROOT / "tests/data/malformed.csv"
TAKEOVER = ["-o", "ibwire.mode:takeover"]
PORT = 4801


def places(data, ethertype):
    """Where a header may begin that this type announces."""
    at = data.find(ethertype)
    while at >= 0:
        yield at + len(ethertype)
        at = data.find(ethertype, at + 1)


def ips(data):
    """(where it begins, bytes it says it has, protocol, where its payload begins)"""
    for at in places(data, b"\x08\x00"):
        if at + 20 <= len(data) and data[at] == 0x45:
            yield at, struct.unpack_from(">H", data, at + 2)[0], data[at + 9], at + 20
    for at in places(data, b"\x86\xdd"):
        if at + 40 <= len(data) and data[at] >> 4 == 6:
            yield at, 40 + struct.unpack_from(">H", data, at + 4)[0], data[at + 6], at + 40


def ip_length(data, _):
    """IP says it has more bytes than the frame."""
    return any(at + n > len(data) for at, n, *_ in ips(data))


def udp_length(data, _):
    """UDP says it has less than its header, or more than IP has for it."""
    lengths = [(struct.unpack_from(">H", data, off + 4)[0], at + n - off) for at, n, proto, off in ips(data) if proto == 17]
    return any(n < 8 or n > room for n, room in lengths)


def record_length(data, length):
    """The frame had fewer bytes than were captured of it."""
    return length < len(data)


def grh_short(data, _):
    """RoCE v1 with less than a GRH and a BTH."""
    return any(len(data) - at < 40 + 12 for at in places(data, b"\x89\x15"))


def nd_option(data, _):
    """An option of neighbour discovery has no length, or more than there is."""
    for at, n, proto, off in ips(data.replace(b"\x86\xdd\0\0", b"\0\0\x86\xdd")):
        option = off + 24
        while proto == 58 and data[off] in (0x87, 0x88) and option + 1 < min(at + n, len(data)):
            if data[option + 1] == 0 or option + 8 * data[option + 1] > at + n:
                return True
            option += 8 * data[option + 1]
    return False


def named_type(data, _):
    """The type of IPoIB is that of LLDP or of a VLAN, and what follows was made up."""
    return any(data.count(kind + b"\0\0") for kind in (b"\x88\xcc", b"\x81\0"))


def arp_length(data, _):
    """ARP of IPoIB is shorter than its addresses."""
    return any(len(data) - at < 8 + 2 * (data[at + 4] + data[at + 5]) for at in places(data, b"\x08\x06\0\0"))


def dhcp_options(data, _):
    """The options of DHCP do not end."""
    at = data.find(b"\x63\x82\x53\x63")
    if at < 0:
        return False
    at += 4
    while at < len(data) and data[at] != 255:
        at += 1 if data[at] == 0 else 2 + (data[at + 1] if at + 1 < len(data) else 0)
    return at >= len(data)


def smb_size(data, _):
    """A body of SMB2 that says it has no bytes."""
    return any(data[at + 60:at + 62] == b"\0\0" for at in places(data, b"\xfeSMB"))


def nfs_results(data, _):
    """A reply that succeeded has no results but the status."""
    rpc = data[54:-4]
    at = rpc.find(rpc[:4] + b"\0\0\0\1" + bytes(4), 16)
    return at > 0 and len(rpc) - at - 24 <= 4


def spnego_hints(data, _):
    """Hints, a sequence, where RFC 4178 has the octets of mechListMIC."""
    return b"\xa3\x2a\x30\x28\xa0\x26\x1b\x24not_defined_in_RFC4178@please_ignore" in data


REASONS = {check.__name__.replace("_", "-"): check for check in (ip_length, udp_length, record_length, grh_short, nd_option, named_type, arp_length,
                                                                 dhcp_options, smb_size, nfs_results, spnego_hints)}


def table():
    """{(capture, frame): reason}"""
    out = {}
    for row in csv.DictReader(line for line in TABLE.read_text(encoding="ascii").splitlines() if line[:1] != "#"):
        for part in row["frames"].split():
            first, _, last = part.partition("-")
            out.update({(row["capture"], frame): row["reason"] for frame in range(int(first), int(last or first) + 1)})
    return out


def malformed(tshark, capture, *options, **how):
    text = tshark.read(capture, *options, "-Y", "_ws.malformed", "-T", "fields", "-e", "frame.number", **how)
    return [int(number) for number in text.split()]


def alone(path):
    """Its messages are reassembled from many packets."""
    return path.parent.name == "ulp" or path.name in ("05-nfs4-siw.pcap", "05d-nfs3-siw.pcap")


def on_port(frames):
    """The frames with another port in the place of RoCE's; their ICRC, which covers it, is wrong then."""
    for sec, nsec, length, data in frames:
        if data[12:14] == b"\x08\x00" and data[23:24] == b"\x11" and data[36:38] == struct.pack(">H", 4791):
            data = data[:36] + struct.pack(">H", PORT) + data[38:]
        yield sec, nsec, length, data


def of_one(tshark, path, want):
    """Faults of a capture that is read by itself."""
    faults, (linktype, frames) = [], ws.records(path)
    capture = tshark.write(path.name, linktype, frames)
    other = tshark.write("other-" + path.name, linktype, on_port(frames))
    on_other = [*TAKEOVER, "-o", f"ibwire.roce_ports:{PORT}", "-o", "ibwire.verify_icrc:FALSE"]
    for what, file, options in (("two passes", capture, [*TAKEOVER, "-2"]), ("one pass", capture, TAKEOVER),
                                ("another port", other, [*on_other, "-2"])):
        have = malformed(tshark, file, *options)
        if have != want:
            faults.append(f"{path.name}, {what}: malformed are {have}, not {want}")
    have, most = (malformed(tshark, capture, "-2", plugin=plugin) for plugin in (True, False))
    if have != most:
        faults.append(f"{path.name}, augment: malformed are {have}, not {most}")
    return faults


def of_all(tshark, paths, listed):
    """Faults of those that are read as one."""
    merged = ws.of_captures(paths)
    origins = [(where.rpartition(".pcap:")[0], int(where.rpartition(":")[2].split(" ")[0])) for where in ws.origins(merged)]
    capture = tshark.write_all("all.pcapng", merged)
    runs = {"takeover": {"infiniband": "ibwire"}, "augment": {}, "without": {"plugin": False}}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = {what: pool.submit(malformed, tshark, capture, "-2", *(TAKEOVER if what == "takeover" else []), **how)
                 for what, how in runs.items()}
    found = {what: {origins[number - 1] for number in one.result()} for what, one in found.items()}
    for name, frame in sorted(found["takeover"] - listed):
        yield f"{name} frame {frame}: malformed, and not listed"
    for name, frame in sorted(listed - found["takeover"]):
        yield f"{name} frame {frame}: listed, and not malformed"
    for name, frame in sorted(found["augment"] ^ found["without"]):
        yield f"{name} frame {frame}: malformed only {'with' if (name, frame) in found['augment'] else 'without'} the plugin in augment mode"


def unseen(paths, listed):
    """Rows whose reason the bytes do not show."""
    by_name = {path.stem: path for path in paths}
    for (name, frame), reason in listed.items():
        if name not in by_name:
            yield f"{name}: no such capture"
            continue
        _, _, length, data = ws.records(by_name[name])[1][frame - 1]
        if not REASONS[reason](data, length):
            yield f"{name} frame {frame}: {reason} is not to be seen in {data.hex()}"


def main():
    tshark, listed, paths = ws.Tshark(sys.argv[1]), table(), ws.captures(sys.argv[2])
    faults = [*unseen(paths, listed)]
    faults += [f"no row with the reason {reason}" for reason in REASONS if reason not in listed.values()]
    single = [path for path in paths if alone(path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wants = [sorted(frame for name, frame in listed if name == path.stem) for path in single]
        for of_capture in pool.map(lambda path, want: of_one(tshark, path, want), single, wants):
            faults += of_capture
    names = {path.stem for path in single}
    faults += of_all(tshark, [path for path in paths if path not in single], {row for row in listed if row[0] not in names})
    return ws.verdict(faults, f"{len(paths)} captures, {len(listed)} frames are malformed")


if __name__ == "__main__":
    sys.exit(main())
