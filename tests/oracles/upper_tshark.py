#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper_tshark.py PCAP-LINT MADE: what CM messages and IPoIB carry, as tshark's dissectors read it.

The values of cm.pcap and ipoib-upper.pcap, packet by packet: those of NVMe over Fabrics and SDP in private
data, of neighbor discovery and of DHCP. iSER, NFS, RDS and SRP tshark shows as bytes there.
"""
import ipaddress
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bare  # noqa: E402

USER0 = 147
OPTIONS = ["-n", "-o", 'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""', "-T", "fields",
           "-E", "occurrence=f", "-E", "separator=|", "-e", "frame.number"]
# (tshark's prefix, our layer, {our field: its})
TABLE = {
    "cm.pcap": [
        ("nvme-rdma.cm.req", "nvme_cm_req", "recfmt qid hrqsize hsqsize cntlid"),
        ("nvme-rdma.cm.rsp", "nvme_cm_rep", "recfmt crqsize"),
        ("nvme-rdma.cm.rej", "nvme_cm_rej", "recfmt sts=status"),
        ("infiniband_sdp.bsdh", "sdp_bsdh", "mid flags bufs len mseq mseq_ack=mseqack"),
        ("infiniband_sdp.hh", "sdp_hello",
         "major=majv minor=minv ip_version=ipv cap max_adverts=maxadverts des_rem_rcv_sz=desremrcvsz"
         " local_rcv_sz=localrcvsz src_port=localport src=src_ip dst=dst_ip"),
    ],
    "ipoib-upper.pcap": [
        ("icmpv6", "icmpv6", "type code checksum"),
        ("icmpv6.nd.ns", "nd_neighbor", "target=target_address"),
        ("icmpv6.nd.na", "nd_neighbor",
         "router=flag.r solicited=flag.s override=flag.o target=target_address"),
        ("icmpv6.nd.ra", "nd_router",
         "hop_limit=cur_hop_limit managed=flag.m other=flag.o lifetime=router_lifetime"
         " reachable=reachable_time retrans=retrans_timer"),
        ("icmpv6.nd.rd", "nd_redirect", "target=target_address"),
        ("icmpv6.rd.na", "nd_redirect", "dst=destination_address"),
        ("icmpv6.opt", "nd_option", "type length"),
        ("icmpv6.opt", "nd_lladdr", "type length"),
        ("dhcp", "dhcp",
         "op=type htype=hw.type hlen=hw.len hops xid=id secs broadcast=flags.bc ciaddr=ip.client"
         " yiaddr=ip.your siaddr=ip.server giaddr=ip.relay cookie"),
        ("dhcp.option", "dhcp_type", "type=dhcp"),
    ],
}
VALUES = {"cm.pcap": 36, "ipoib-upper.pcap": 50}  # so many are compared


def number(text):
    text = str(text)
    try:
        return int(text, 0)
    except ValueError:
        return int(ipaddress.ip_address(text))


def tsharks(tshark, path, names):
    """[{name: value}] of every packet"""
    with tempfile.NamedTemporaryFile(suffix=".pcap") as copy:
        data = bytearray(path.read_bytes())
        struct.pack_into("<I", data, 20, USER0)
        copy.write(data)
        copy.flush()
        text = tshark.text("-r", copy.name, *OPTIONS, *(word for name in names for word in ("-e", name)))
    rows = (line.split("|")[1:] for line in text.splitlines())
    return [{name: value for name, value in zip(names, row) if value} for row in rows]


def compare(lint, tshark, path, rows):
    """Returns (values compared, [fault])."""
    pairs = [(layer, *(word.split("=") if "=" in word else (word, word)), prefix)
             for prefix, layer, words in rows for word in words.split()]
    names = sorted({f"{prefix}.{theirs}" for _, _, theirs, prefix in pairs})
    run = subprocess.run([lint, "--decode", "--format", "json", path], capture_output=True, text=True,
                         check=True)
    count, faults = 0, []
    for packet, theirs in zip(map(json.loads, run.stdout.splitlines()), tsharks(tshark, path, names)):
        ours = {}
        for layer in packet["layers"]:
            ours.setdefault(layer["name"], layer["fields"])
        for layer, field, name, prefix in pairs:
            value = theirs.get(f"{prefix}.{name}")
            if value is None or layer not in ours:
                continue
            count += 1
            if number(value) != number(ours[layer][field]):
                faults.append(f"{path.name}:{packet['frame']}: {layer}.{field} is"
                              f" {ours[layer][field]}, {prefix}.{name} {value}")
        for layer, _, name, prefix in pairs:
            if f"{prefix}.{name}" in theirs and prefix.startswith(("nvme", "infiniband_sdp.hh")) \
                    and layer not in ours:
                faults.append(f"{path.name}:{packet['frame']}: no {layer}, but {prefix}.{name}")
    return count, faults


def main():
    tshark, faults = bare.Wireshark(), []
    for name, rows in TABLE.items():
        count, wrong = compare(sys.argv[1], tshark, pathlib.Path(sys.argv[2]) / name, rows)
        print(f"{name}: {count} values")
        faults += wrong
        if count != VALUES[name]:
            faults.append(f"{name}: {count} values, not {VALUES[name]}")
    print("\n".join([*faults, f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
