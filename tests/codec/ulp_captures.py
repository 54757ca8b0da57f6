#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ulp_captures.py ULP-DUMP...: each message of the captures in pcaps/ulp, as the library walks it, and as others do.

Which headers are where, and what is data, is worked out here from the bytes, by the documents; every message of these captures is
whole. The values are held against those of tshark 4.0, for messages of one packet: where it shows nothing, that is counted. It has nothing
for SRP and RDS.
"""
import collections
import json
import pathlib
import subprocess
import sys

import ulp_messages

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
import bare  # noqa: E402

NVME, ISER, SRP, RPC, SMB, RDS = 1, 2, 3, 4, 5, 6
CAPTURES = {"01": NVME, "02": ISER, "03": SRP, "04": RDS, "05": RPC, "08": SMB}
LEAST = {NVME: 300, ISER: 50, SRP: 40, RPC: 300, SMB: 20, RDS: 25}  # messages, so that a test of nothing fails


def big(data, at, size=4):
    return int.from_bytes(data[at:at + size], "big")


def little(data, at, size=4):
    return int.from_bytes(data[at:at + size], "little")


def nvme(m, io):
    d = m.data
    if not m.initiator:
        return [("nvme_completion", 0)], (16, len(d) - 16)
    fabrics = d[0] == 0x7f
    found = [("nvmf_command" if fabrics else "nvme_command", 0)]
    if fabrics and d[4] in (0, 4):
        return found + [("nvmf_property_set" if d[4] == 0 else "nvmf_property_get", 24)], (0, 0)
    kind, where = d[39] >> 4, d[39] & 15
    found.append(("nvme_sgl_keyed" if kind == 4 else "nvme_sgl", 24))
    if fabrics:
        found.append(("nvmf_connect" if d[4] == 1 else "nvmf_auth" if d[4] in (5, 6) else "nvme_cdw", 40))
    else:
        found.append(("nvme_rw" if io and d[0] in (1, 2, 4, 5, 8, 12, 0x7d) else "nvme_cdw", 40))
    if kind == 0 and where == 1:
        if fabrics:
            return found + [("nvmf_connect_data", 64 + little(d, 24, 8))], (0, 0)
        return found, (64 + little(d, 24, 8), little(d, 32))
    return found, (64, len(d) - 64)


def cdb(data, at):
    group = data[at]
    name = {0x08: "6", 0x0a: "6", 0x28: "10", 0x2a: "10", 0x2f: "10", 0x35: "10", 0x41: "10", 0x88: "16", 0x8a: "16", 0x91: "16",
            0x93: "16"}.get(group)
    return (f"scsi_rw_{name}" if name else "scsi_cdb", at)


PDUS = {0: "nopout", 1: "scsi_req", 2: "tm", 3: "login_req", 4: "text", 6: "logout", 0x20: "nopin", 0x21: "scsi_rsp", 0x22: "tm_rsp",
        0x23: "login_rsp", 0x24: "text_rsp", 0x26: "logout_rsp", 0x32: "async", 0x3f: "reject"}


def iser(m, _):
    d = m.data
    opcode, off, size = d[28] & 63, 76 + 4 * d[32], big(d, 33, 3)
    found = [("iser_ctrl", 0), (f"iscsi_{PDUS[opcode]}", 28)]
    if opcode == 1:
        found.append(cdb(d, 60))
    if opcode == 0x21 and size >= 20:
        found.append(("scsi_sense" if d[off + 2] & 0x7e == 0x70 else "scsi_sense_desc", off + 2))
    return found, (off, size)


def srp(m, _):
    d = m.data
    if d[0] == 2:
        found, at, imm = [("srp_cmd", 0), cdb(d, 32)], 48 + (d[31] & 0xfc), None
        for form, count in (d[5] >> 4, d[6]), (d[5] & 15, d[7]):
            for name, size in {1: [("srp_direct", 16)], 2: [("srp_indirect", 20)] + count * [("srp_direct", 16)],
                               3: [("srp_imm", 4)]}.get(form, []):
                found.append((name, at))
                imm = big(d, at) if form == 3 else imm
                at += size
        return found, (at, len(d) - at) if imm is None else (len(d) - imm, imm)
    if d[0] == 0xc1:
        found, at = [("srp_rsp", 0)], 36
        if d[18] & 1:
            found.append(("srp_rsp_data", at))
            at += big(d, 32)
        if d[18] & 2:
            found.append(("scsi_sense" if d[at] & 0x7e == 0x70 else "scsi_sense_desc", at))
            at += big(d, 28)
        return found, (at, len(d) - at)
    name, size = {1: ("srp_tsk_mgmt", 48), 3: ("srp_i_logout", 16), 0x80: ("srp_t_logout", 16), 0x81: ("srp_cred_req", 16),
                  0x41: ("srp_cred_rsp", 16)}[d[0]]
    return [(name, 0)], (size, len(d) - size)


def rpc(m, _):
    d, found, at = m.data, [("rpcrdma_hdr", 0)], 16
    kind = big(d, 12)
    while big(d, at):
        found.append(("rpcrdma_read", at))
        at += 24
    at += 4
    for name, many in ("rpcrdma_write", True), ("rpcrdma_reply", False):
        while big(d, at):
            count = big(d, at + 4)
            found.append((name, at))
            found += [("rpcrdma_segment", at + 8 + 16 * i) for i in range(count)]
            at += 8 + 16 * count
            if not many:
                at -= 4
                break
        at += 4
    if kind == 1:
        return found, (at, len(d) - at)
    call = big(d, at + 4) == 0
    found.append(("rpc_call" if call else "rpc_reply", at))
    at += 24 if call else 12
    for _ in range(2 if call else 1):
        found.append(("rpc_auth", at))
        at += 8 + (big(d, at + 4) + 3) // 4 * 4
    if not call:
        found.append(("rpc_accepted", at))
        at += 4
    return found, (at, len(d) - at)


def smb(m, first):
    d = m.data
    if first:
        return [("smb_direct_req" if m.initiator else "smb_direct_resp", 0)], (0, 0)
    off, size = little(d, 12), little(d, 16)
    found = [("smb_direct_data", 0)]
    at = off
    while size and d[at:at + 4] == b"\xfeSMB":
        found.append(("smb2_hdr", at))
        at += little(d, at + 20) or len(d)
    return found, (off, size) if size else (0, 0)


def rds(m, _):
    found = [("rds_hdr", 0)]
    at = 32
    while m.data[at] in (1, 2, 3, 5, 6):
        size, name = {1: (4, "rds_ext_version"), 2: (4, "rds_ext_rdma"), 3: (8, "rds_ext_rdma_dest"), 5: (2, None),
                      6: (4, None)}[m.data[at]]
        if name:
            found.append((name, at + 1))
        at += 1 + size
    return found, (48, len(m.data) - 48)


WORKED_OUT = {NVME: nvme, ISER: iser, SRP: srp, RPC: rpc, SMB: smb, RDS: rds}

# tshark's field, our layer and field. LE fields of ours are numbers in JSON.
FIELDS = {
    NVME: {"nvme.cmd.opc": "nvme_command.opcode", "nvme.cmd.psdt": "nvme_command.psdt", "nvme.cmd.fuse_op": "nvme_command.fuse",
           "nvme.cmd.cid": "nvme_command.cid", "nvme.cmd.nsid": "nvme_command.nsid", "nvme.cmd.mptr": "nvme_command.mptr",
           "nvme.cmd.sgl1.addr": "nvme_sgl*.addr", "nvme.cmd.sgl1.len": "nvme_sgl*.length", "nvme.cmd.sgl1.key": "nvme_sgl_keyed.key",
           "nvme.cmd.sgl.type": "nvme_sgl*.type", "nvme.cmd.sgl.subtype": "nvme_sgl*.subtype", "nvme.cmd.slba": "nvme_rw.slba",
           "nvme.cmd.fua": "nvme_rw.fua", "nvme.cmd.lr": "nvme_rw.lr", "nvme.fabrics.cmd.cid": "nvmf_command.cid",
           "nvme.fabrics.cmd.fctype": "nvmf_command.fctype", "nvme.fabrics.cmd.connect.recfmt": "nvmf_connect.recfmt",
           "nvme.fabrics.cmd.connect.qid": "nvmf_connect.qid", "nvme.fabrics.cmd.connect.sqsize": "nvmf_connect.sqsize",
           "nvme.fabrics.cmd.connect.kato": "nvmf_connect.kato", "nvme.fabrics.cmd.connect.data.subnqn": "nvmf_connect_data.subnqn",
           "nvme.fabrics.cmd.connect.data.hostnqn": "nvmf_connect_data.hostnqn",
           "nvme.fabrics.cmd.connect.data.cntrlid": "nvmf_connect_data.cntlid",
           "nvme.fabrics.cmd.prop_get_set.offset": "nvmf_property_*.offset", "nvme.cqe.sqhd": "nvme_completion.sqhd",
           "nvme.cqe.sqid": "nvme_completion.sqid", "nvme.cqe.cid": "nvme_completion.cid",
           "nvme.cqe.status.sct": "nvme_completion.sct", "nvme.cqe.status.crd": "nvme_completion.crd",
           "nvme.cqe.status.m": "nvme_completion.more", "nvme.cqe.status.dnr": "nvme_completion.dnr",
           "nvme.cqe.status.sc": "nvme_completion.sc+sc_h"},
    ISER: {"iser.write_stag": "iser_ctrl.write_stag", "iser.read_stag": "iser_ctrl.read_stag", "iser.write_base_offset": "iser_ctrl.write_va",
           "iser.read_base_offset": "iser_ctrl.read_va", "iscsi.opcode": "iscsi_*.opcode", "iscsi.initiatortasktag": "iscsi_*.itt",
           "iscsi.cmdsn": "iscsi_*.cmdsn", "iscsi.statsn": "iscsi_*.statsn", "iscsi.expstatsn": "iscsi_*.exp_statsn",
           "iscsi.expcmdsn": "iscsi_*.exp_cmdsn", "iscsi.maxcmdsn": "iscsi_*.max_cmdsn", "iscsi.datasegmentlength": "iscsi_*.dlength",
           "iscsi.totalahslength": "iscsi_*.hlength", "iscsi.scsicommand.expecteddatatransferlength": "iscsi_scsi_req.data_length",
           "iscsi.scsicommand.R": "iscsi_scsi_req.read", "iscsi.scsicommand.W": "iscsi_scsi_req.write",
           "iscsi.scsicommand.F": "iscsi_scsi_req.final", "iscsi.scsicommand.attr": "iscsi_scsi_req.attr",
           "iscsi.scsiresponse.status": "iscsi_scsi_rsp.status", "iscsi.scsiresponse.residualcount": "iscsi_scsi_rsp.residual",
           "iscsi.scsiresponse.U": "iscsi_scsi_rsp.under", "iscsi.scsiresponse.O": "iscsi_scsi_rsp.over",
           "iscsi.scsiresponse.response": "iscsi_scsi_rsp.response", "iscsi.login.csg": "iscsi_login_*.csg",
           "iscsi.login.nsg": "iscsi_login_*.nsg", "iscsi.login.T": "iscsi_login_*.transit", "iscsi.tsih": "iscsi_login_*.tsih",
           "iscsi.logout.reason": "iscsi_logout.reason", "iscsi.logout.response": "iscsi_logout_rsp.response",
           "scsi_sbc.opcode": "scsi_*.opcode", "scsi_sbc.rdwr10.lba": "scsi_rw_10.lba", "scsi_sbc.rdwr10.xferlen": "scsi_rw_10.blocks"},
    RPC: {"rpcordma.xid": "rpcrdma_hdr.xid", "rpcordma.version": "rpcrdma_hdr.vers", "rpcordma.flow_control": "rpcrdma_hdr.credit",
          "rpcordma.msg_type": "rpcrdma_hdr.type", "rpcordma.position": "rpcrdma_read.position", "rpc.msgtyp": "rpc_*.type",
          "rpcordma.rdma_handle": "rpcrdma_*.handle", "rpcordma.rdma_length": "rpcrdma_*.length",
          "rpcordma.rdma_offset": "rpcrdma_*.offset", "rpcordma.segment_count": "rpcrdma_*.count",
          "rpc.version": "rpc_call.rpcvers", "rpc.state_accept": "rpc_accepted.stat", "rpc.replystat": "rpc_reply.stat",
          "rpc.auth.flavor": "rpc_auth.flavor", "rpc.auth.length": "rpc_auth.body_len"},
    SMB: {"smb_direct.version.min": "smb_direct_*.min_version", "smb_direct.version.max": "smb_direct_*.max_version",
          "smb_direct.version.negotiated": "smb_direct_resp.version", "smb_direct.credits.requested": "smb_direct_*.credits_requested",
          "smb_direct.credits.granted": "smb_direct_*.credits_granted", "smb_direct.status": "smb_direct_resp.status",
          "smb_direct.max_read_write_size": "smb_direct_resp.max_readwrite",
          "smb_direct.preferred_send_size": "smb_direct_*.preferred_send", "smb_direct.max_receive_size": "smb_direct_*.max_receive",
          "smb_direct.max_fragmented_size": "smb_direct_*.max_fragmented", "smb_direct.data_offset": "smb_direct_data.data_offset",
          "smb_direct.data_length": "smb_direct_data.data_length", "smb_direct.remaining_length": "smb_direct_data.remaining",
          "smb_direct.flags.response_requested": "smb_direct_data.response_requested", "smb2.cmd": "smb2_hdr.command",
          "smb2.nt_status": "smb2_hdr.status", "smb2.msg_id": "smb2_hdr.message_id", "smb2.sesid": "smb2_hdr.session_id",
          "smb2.tid": "smb2_hdr.tree_id", "smb2.credit.charge": "smb2_hdr.credit_charge"},
}


def ours(name, layers):
    """Its values, in the order of the layers."""
    layer, field = name.split(".")
    found = []
    for one in layers:
        if one["layer"] == layer or layer.endswith("*") and one["layer"].startswith(layer[:-1]):
            if field == "sc+sc_h":
                found.append(one["fields"]["sc"] | one["fields"]["sc_h"] << 7)
            elif field in one["fields"]:
                value = one["fields"][field]
                found.append(int(value, 16) if isinstance(value, str) and value.startswith("0x") else value)
    return found


def theirs(text):
    return [value if ":" in value or "nqn." in value else int(value, 0) for value in text.split(",") if value]


def shown(tshark, path, fields):
    """{frame: [text by field]}"""
    args = [arg for name in fields for arg in ("-e", name)]
    text = tshark.text("-r", path, "-o", "rpc.desegment_rpc_over_tcp:FALSE", "-T", "fields", "-e", "frame.number", *args)
    return {int(line.split("\t")[0]): line.split("\t")[1:] for line in text.splitlines()}


def walked(program, ulp, found):
    """What the library says of each message."""
    lines = []
    for m, flags in found:
        lines.append(f"{ulp} {flags} {m.data.hex()}\n")
    done = subprocess.run([*program], input="".join(lines), capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    tshark, faults, counts = bare.Wireshark(), 0, collections.Counter()
    for path in sorted((ROOT / "pcaps/ulp").glob("*.pcap")):
        ulp = CAPTURES.get(path.name[:2])
        if ulp is None:
            continue
        found, state, seen = [], {}, set()
        for m in ulp_messages.messages(path):
            if ulp == NVME and m.initiator and m.data[0] == 0x7f and m.data[4] == 1:
                state[m.qp] = little(m.data, 42, 2) != 0
            more = m.qp not in seen if ulp == SMB else state.get(m.qp, False)
            seen.add(m.qp)
            found.append((m, more))
        lines = walked(sys.argv[1:], ulp, [(m, m.initiator | (ulp == NVME and more) << 1) for m, more in found])
        if len(lines) != len(found):
            print(f"{path.name}: {len(lines)} of {len(found)} messages were walked")
            faults += 1
        rows = shown(tshark, path, FIELDS[ulp]) if ulp in FIELDS else {}
        for (m, more), line in zip(found, lines):
            counts[ulp] += 1
            layers, data = WORKED_OUT[ulp](m, more)
            got = [(one["layer"], one["off"]) for one in line["layers"]], tuple(line["data"])
            if line["outcome"] != "ok" or got[0] != layers or got[1][1] != data[1] or data[1] and got[1] != data:
                print(f"{path.name}: frame {m.frame}: {line['outcome']}, {got}, not {(layers, data)}")
                faults += 1
            if m.packets > 1 or m.frame not in rows:
                continue
            for (name, field), text in zip(FIELDS[ulp].items(), rows[m.frame]):
                values = ours(field, line["layers"])
                if not text or not values:
                    counts["not shown"] += bool(values)
                    continue
                counts["compared"] += 1
                # A reply with chunks is shown twice: as it is, and reassembled with them.
                if theirs(text) not in (values, 2 * values if name.startswith("rpc.") else values):
                    print(f"{path.name}: frame {m.frame}: {name} is {text}, {field} {values}")
                    faults += 1
    for ulp, least in LEAST.items():
        if counts[ulp] < least:
            print(f"only {counts[ulp]} messages of {ulp}")
            faults += 1
    print(f"{sum(counts[ulp] for ulp in LEAST)} messages ({', '.join(str(counts[ulp]) for ulp in LEAST)}), "
          f"{counts['compared']} values compared with tshark's, {counts['not shown']} that it does not show, {faults} faults")
    return bool(faults) or counts["compared"] < 1000


if __name__ == "__main__":
    sys.exit(main())
