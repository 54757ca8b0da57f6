# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The headers of SRP and RDS in a message, and the word of an rsocket, by the bytes: which there are, where, and the value of each field.

Which header follows which is written here: T10 SRP r16a, 5 and 6; Linux' net/rds/rds.h; rdma-core, docs/rsocket. Where a field is in its
header others say: tests/facts/fields, whose names tests/facts/map gives ours to, and for parts of a byte BITS.
"""
import csv
import pathlib
import struct

FACTS = pathlib.Path(__file__).resolve().parents[1] / "facts"
# (bit, width) of what the facts have only as a whole byte. T10 SRP r16a, 5.6, 6.8 and 6.9; Linux' rds.h: RDS_FLAG_*
BITS = {
    "srp_cmd": {"out_fmt": (40, 4), "in_fmt": (44, 4), "add_cdb_len": (248, 6)},
    "srp_rsp": {name: (146 + i, 1) for i, name in enumerate(("diunder", "diover", "dounder", "doover", "snsvalid", "rspvalid"))},
    "rds_hdr": {"retransmitted": (197, 1), "ack_required": (198, 1), "cong_bitmap": (199, 1)},
    "srp_rsp_data": {"code": (24, 8)},
    "rsocket_word": {"op": (0, 3), "value": (3, 29)},
}
IUS = {0x00: "srp_login_req", 0x01: "srp_tsk_mgmt", 0x02: "srp_cmd", 0x03: "srp_i_logout", 0x80: "srp_t_logout", 0x81: "srp_cred_req",
       0x82: "srp_aer_req", 0x41: "srp_cred_rsp", 0x42: "srp_aer_rsp", 0xc0: "srp_login_rsp", 0xc1: "srp_rsp", 0xc2: "srp_login_rej"}
DIRECT, INDIRECT, IMMEDIATE = 1, 2, 3
EXTENSIONS = {1: ("rds_ext_version", 4), 2: ("rds_ext_rdma", 4), 3: ("rds_ext_rdma_dest", 8), 5: (None, 2), 6: (None, 4)}
RDS_HEADER, EXTENSIONS_AT = 48, 32


def facts(name):
    """{structure: {field: (bit, width)}}"""
    out = {}
    with open(FACTS / f"fields/{name}.csv", newline="", encoding="utf-8") as file:
        for row in csv.reader(line for line in file if line[:1] != "#"):
            out.setdefault((row[0], row[1]), {})[row[2]] = int(row[3]), int(row[4])
    return out


def places(name):
    """{our header: {our field: (bit, width)}} of what is one field of theirs, and starts where ours does."""
    out, theirs, fields, header = {}, facts(name), {}, None
    for line in (FACTS / f"map/{name}.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["="]:
            header, fields = words[1], theirs[words[2], words[3]] if len(words) == 4 else {}
        elif len(words) == 3 and words[1] == "=" and words[0] in fields and not words[2].startswith(("(", "rsvd")):
            out.setdefault(header, {}).setdefault(words[2], fields[words[0]])
    return out


PLACES = {**places("srp"), **places("rds"), "rsocket_word": {}, "srp_rsp_data": {}}
for _header, _bits in BITS.items():
    PLACES[_header] |= _bits


def value(data, at, bit, width):
    number = int.from_bytes(data[at + bit // 8:at + (bit + width + 7) // 8], "big")
    return number >> -(bit + width) % 8 & (1 << width) - 1


def header(name, data, at):
    """(name, offset, {field: number})"""
    return name, at, {field: value(data, at, *place) for field, place in PLACES[name].items()}


def of_srp(data):
    found = [header(IUS[data[0]], data, 0)]
    if data[0] != 0x02:
        response, = struct.unpack_from(">I", data, 32) if data[0] == 0xc1 else (0,)
        return found + [header("srp_rsp_data", data, 36) for _ in range(response >= 4 and data[18] & 1)]
    at = 48 + (data[31] & 0xfc)
    for form, count in ((data[5] >> 4, data[6]), (data[5] & 15, data[7])):
        if form == DIRECT:
            found.append(header("srp_direct", data, at))
            at += 16
        elif form == IMMEDIATE:
            found.append(header("srp_imm", data, at))
            at += 4
        elif form == INDIRECT:
            found.append(header("srp_indirect", data, at))
            found += [header("srp_direct", data, at + 20 + 16 * i) for i in range(count)]
            at += 20 + 16 * count
    return found


def of_rds(data):
    found, at = [header("rds_hdr", data, 0)], EXTENSIONS_AT
    while at < RDS_HEADER and data[at] in EXTENSIONS and at + EXTENSIONS[data[at]][1] < RDS_HEADER:
        name, size = EXTENSIONS[data[at]]
        found += [header(name, data, at + 1)] if name else []
        at += 1 + size
    return found


def of_word(data):
    return [header("rsocket_word", data, 0)]
