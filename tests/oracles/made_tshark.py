#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""made_tshark.py MADE: tshark reads the opcodes-*.pcap of pcaps/make as they were meant.

The BTH of every opcode in every framing, and the extension headers, payload, ICRC and VCRC of those
tshark can decode. What it cannot is listed in UNABLE, opcode by opcode; for tshark 4.0 the list must
not be longer than needed.
"""
import pathlib
import re
import struct
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bare  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPCODES = ROOT / "include/ibwire/list/opcodes.def"
INFINIBAND, USER0 = 247, 147
# They would take our payload bytes for theirs, and hide the CRCs after an error of their own.
GUESSERS = ("smc smb_direct rpcordma nvme-rdma lnet iser infiniband.eoib infiniband_sdp fcoib"
            " drbd").split()
OPTIONS = ["-n", "-o", 'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""',
           *(word for name in GUESSERS for word in ("--disable-protocol", name)),
           "-T", "fields", "-E", "occurrence=f", "-E", "separator=|"]

UNABLE = {
    **{code: "RD is taken for a manufacturer's transport (DC) with a longer BTH"
       for code in (*range(0x40, 0x56), 0x5c, 0x5d)},
    **{code: "FLUSH and ATOMIC WRITE are not known" for code in (0x1c, 0x1d, 0xbc, 0xbd)},
    **{code: "XRC has names and no headers" for code in (*range(0xa0, 0xb5), 0xb6, 0xb7)},
    0x81: "0x80 is taken for the CNP",
}
# RoCE v1 ends for tshark where the frame ends: it takes the FCS for the ICRC.
NO_ICRC = "opcodes-erf-eth-roce-v1.pcap"

BTH = {"opcode": None, "se": 0, "m": 1, "padcnt": None, "tver": 0, "p_key": 0xffff, "destqp": None,
       "a": None, "psn": None}
# What mk_start() puts into each extension header.
HEADERS = {
    "DETH": {"deth.q_key": 0x11111111, "deth.srcqp": None},
    "RETH": {"reth.va": 0x7f0012340000, "reth.r_key": 0x12345, "reth.dmalen": None},
    "ATOMICETH": {"reth.va": 0x7f0012345678, "reth.r_key": 0x12345,
                  "atomiceth.swapdt": 0x1122334455667788, "atomiceth.cmpdt": None},
    "AETH": {"aeth.syndrome": 0x1f, "aeth.msn": 7},
    "ATOMICACKETH": {"atomicacketh.origremdt": 0x0123456789abcdef},
    "IMMDT": {"immdt": 0xcafe0001},
    "IETH": {"ieth": 0x12345},
    "RDETH": {"rdeth.eecnxt": 0x31},
    # It has no fields for these.
    "XRCETH": {}, "FETH": {}, "ATOMICWRITE": {}, "CNP": {},
}
BYTES = {"immdt", "ieth"}  # tshark shows these as hex bytes
FIELDS = sorted({"bth." + name for name in BTH} | {name for h in HEADERS.values() for name in h} |
                {"invariant.crc", "variant.crc"})


class Opcode:
    def __init__(self, line):
        code, self.name, _, self.service, eths, self.position, self.role, self.payload = line
        self.code = int(code, 16)
        self.eths = [] if eths == "0" else re.findall(r"IBW_ETH_(\w+)", eths)


def opcodes():
    text = OPCODES.read_text()
    rows = re.findall(r"^IBW_OPCODE\((.*)\)$", text, re.M)
    rows = [Opcode([part.strip() for part in row.split(",")]) for row in rows]
    return sorted(rows, key=lambda op: op.code)


def payload_of(op, number):
    """Any length; but the last packet of a message has something."""
    some = number % 7 or (7 if op.position == "LAST" else 0)
    return {"MTU": 256, "SOME": some, "NONE": 0}[op.payload]


def bth_of(op, number):
    """{field: value} of the BTH of the @number-th frame of a file."""
    payload = payload_of(op, number)
    acked = op.service in ("RC", "RD", "XRC") and op.role == "REQUEST" and \
        op.position in ("LAST", "ONLY")
    cnp = op.service == "CNP"
    bth = dict(BTH, opcode=op.code, m=0 if cnp else 1, padcnt=-payload & 3, a=int(acked),
               destqp=0x1000 + number, psn=0 if cnp else 0x100000 + number * 0x100)
    return {"bth." + name: value for name, value in bth.items()}


def rest_of(op, number, frame, ib, fcs):
    """{field: value} of what follows the BTH, up to the CRCs."""
    payload = payload_of(op, number)
    rest = {}
    for eth in op.eths:
        rest.update(HEADERS[eth])
    if "DETH" in op.eths:
        rest["deth.srcqp"] = 0x2000 + number
    if "RETH" in op.eths:
        rest["reth.dmalen"] = payload * (3 if op.position == "FIRST" else 1)
        if op.payload == "NONE":
            rest["reth.dmalen"] = 8 if "ATOMICWRITE" in op.eths else 4096
    if "ATOMICETH" in op.eths:
        rest["atomiceth.cmpdt"] = 0x99aabbccddeeff00 if op.code & 0x1f == 0x13 else 0
    end = len(frame) - (2 if ib else 4 if fcs else 0)
    rest["invariant.crc"], = struct.unpack_from(">I", frame, end - 4)
    if ib:
        rest["variant.crc"], = struct.unpack_from(">H", frame, end)
    return rest


def number_of(field, text):
    if text == "":
        return None
    if field in BYTES:
        return int(text.replace(":", ""), 16)
    return {"True": 1, "False": 0}.get(text) if text in ("True", "False") else int(text, 0)


def records(path):
    """(link type, [(record header, bytes)]) of a little-endian pcap."""
    data, at, out = path.read_bytes(), 24, []
    while at < len(data):
        caplen, = struct.unpack_from("<I", data, at + 8)
        out.append((data[at:at + 16], data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return struct.unpack_from("<I", data, 20)[0], data[:20], out


def by_linktype(made):
    """{link type: [(file, number, record header, frame)]}: one run of tshark for each."""
    files = {}
    for path in sorted(made.glob("opcodes-*.pcap")):
        linktype, head, frames = records(path)
        rows = files.setdefault(linktype, (head, []))[1]
        rows += [(path, number, *frame) for number, frame in enumerate(frames, 1)]
    return files


def decode(tshark, linktype, head, rows, tmp):
    """[{field: value}] of each frame, by tshark."""
    path = pathlib.Path(tmp) / f"{linktype}.pcap"
    # tshark does not know link type 247; user link types can be told what they are.
    body = b"".join(header + frame for _, _, header, frame in rows)
    path.write_bytes(head + struct.pack("<I", USER0 if linktype == INFINIBAND else linktype) + body)
    words = [word for field in FIELDS for word in ("-e", "infiniband." + field)]
    text = tshark.text("-r", path, *OPTIONS, *words)
    return [{field: number_of(field, text) for field, text in zip(FIELDS, line.split("|"))}
            for line in text.splitlines()]


def main():
    tshark = bare.Wireshark()
    made, table = pathlib.Path(sys.argv[1]), opcodes()
    faults, compared, able = [], 0, set(UNABLE)
    with tempfile.TemporaryDirectory() as tmp:
        for linktype, (head, rows) in by_linktype(made).items():
            found = decode(tshark, linktype, head, rows, tmp)
            if len(found) != len(rows):
                faults.append(f"link type {linktype}: {len(rows)} frames, tshark read {len(found)}")
            for (path, number, _, frame), got in zip(rows, found):
                op, ib = table[number - 1], "ib-" in path.name
                want = bth_of(op, number)
                rest = rest_of(op, number, frame, ib, "erf-eth" in path.name)
                if path.name == NO_ICRC:
                    del rest["invariant.crc"]
                if op.code in UNABLE:
                    able -= {op.code} if any(got[f] != v for f, v in rest.items()) else set()
                else:
                    want |= rest
                compared += len(want)
                faults += [f"{path.name}:{number}: {op.name}: {field} is {got[field]}, not {value}"
                           for field, value in want.items() if got[field] != value]
    if tshark.version == "4.0":
        faults += [f"0x{code:02x}: tshark can, but the list says: {UNABLE[code]}"
                   for code in sorted(able)]
    print("\n".join(faults + [f"{compared} fields, {len(faults)} faults"]))
    return 1 if faults or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
