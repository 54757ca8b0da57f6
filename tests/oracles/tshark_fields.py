#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""tshark_fields.py PCAP-LINT [--all|--written PROGRAM]: each field tshark and the schema both know has the same value.

Where tshark has a name for the value, ours has to say the same.

tshark_fields.txt says which fields those are, and where tshark is known to be wrong. Compared are all
values of a field in a packet, in order. Without --all, so many packets of each capture as take less
than a minute. With --written, of the packets that PROGRAM writes instead.
"""
import collections
import ipaddress
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bare  # noqa: E402
import sample  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = ROOT / "include/ibwire/schema"
INFINIBAND, USER0 = 247, 147
# They would take payload bytes for theirs, and hide what follows after an error of their own.
GUESSERS = ("smc smb_direct rpcordma nvme-rdma lnet iser infiniband.eoib infiniband_sdp fcoib"
            " drbd").split()
OPTIONS = ["-n", "-o", 'uat:user_dlts:"User 0 (DLT=147)","infiniband","0","","0",""',
           *(word for name in GUESSERS for word in ("--disable-protocol", name)),
           "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;", "-E", "separator=|",
           "-e", "frame.number"]
# Packets of each capture without --all; those not named: 60.
SAMPLE = {"mad/sweep.pcap": 1000, "mad/sa.pcap": 1500, "mad/perf.pcap": 700,
          "mad/rmpp.roce.pcap": 300}
SHOWN = 30
# Shown as bytes and once more as a number.
TWICE = ("infiniband.immdt", "infiniband.ieth")


def table():
    """({tshark's name: [(layer, field, slice)]}, {tshark's name: reason}): what to compare."""
    both, wrong = {}, {}
    for line in (HERE / "tshark_fields.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, rest = re.split(r"\s*=\s*", line.removeprefix("!").strip(), maxsplit=1)
        ours, _, reason = rest.partition(" : ")
        both[name] = [re.fullmatch(r"(\w+)\.([\w+]+)(?:\[(\d)::2\])?", word).groups()
                      for word in ours.split()]
        if line.startswith("!"):
            assert reason, line
            wrong[name] = reason
    return both, wrong


def widths():
    """{(layer, field): bits of the field, or of one element}"""
    out = {}
    for path in SCHEMA.glob("*.def"):
        for name, bits, kind in re.findall(r"IBW_(?:FIELD|BYTES|ARRAY)\((\w+),\s*\d+,\s*(\d+),"
                                           r"\s*(\w+)", path.read_text()):
            out[path.stem, name] = None if kind == "TEXT" else int(bits)
    return out


def types(tshark):
    """{tshark's name: its type}"""
    rows = (line.split("\t") for line in tshark.text("-G", "fields").splitlines() if line.startswith("F\t"))
    return {row[2]: row[3] for row in rows}


def value_names(tshark, both, wrong):
    """{(layer, field): {number: what tshark calls it}}, of the fields it has names for"""
    out = collections.defaultdict(dict)
    for line in tshark.text("-G", "values").splitlines():
        row = line.split("\t")
        if row[0] != "V" or row[1] not in both or row[1] in wrong:
            continue
        for layer, field, _ in both[row[1]]:
            out[layer, field.split("+")[-1]][int(row[2], 0)] = row[3]
    return out


def printed_names(text, wanted):
    """{(layer, field, number): the name in brackets, or ""} of what pcap-lint --decode prints"""
    out, layer = {}, None
    for line in text.splitlines():
        if found := re.match(r"  (\w+): offset ", line):
            layer = found[1]
        elif found := re.match(r"    (\w+): (0x[0-9a-f]+|\d+)(?: \((.*)\))?$", line):
            if (layer, found[1]) in wanted:
                out[layer, found[1], int(found[2], 0)] = found[3] or ""
    return out


def meaning(name):
    """What is left of a name without the ways in which they are written."""
    name = re.sub(r".*\((RC|UC|RD|UD|XRC)\) - ", r"\1 ", name.strip())  # the transport in full
    name = re.sub(r"Extended Reliable Connection ", "XRC ", name)
    name = re.sub(r" - Unknown Error Code.*", "", name)
    return re.sub(r"[^a-z0-9]", "", name.lower())


def compare_names(names, printed, tally):
    """Names that contradict each other."""
    faults = []
    for (layer, field, value), ours in sorted(printed.items()):
        theirs = names[layer, field].get(value)
        if field == "method" and ours.endswith("Resp"):
            theirs = names[layer, field].get(value | 0x80)  # theirs has the R bit in it
        if theirs is None or not ours and re.search("Reserved|Unknown", theirs):
            continue
        tally["names"] += 1
        if meaning(theirs) != meaning(ours):
            faults.append(f"{layer}.{field} {value}: tshark says {theirs!r}, ours {ours!r}")
    return faults


def number(value, bits):
    """One of our values as an integer."""
    if isinstance(value, int):
        return value
    if bits is None:  # text
        return int.from_bytes(value.encode(), "big")
    if value.startswith("0x"):
        return int(value, 16)
    if bits in (32, 128):
        try:
            return int(ipaddress.ip_address(value))
        except ValueError:
            pass
    return int(value.replace(":", ""), 16)


def their_values(text, kind, bits):
    """The values of a field in a packet, as integers; text as it is."""
    if kind.startswith("FT_STRING"):
        return [text]
    out = []
    for word in text.split(";"):
        if kind == "FT_BYTES" and None in bits:
            out.append(int.from_bytes(bytes.fromhex(word.replace(":", "")).rstrip(b"\0"), "big"))
        elif kind == "FT_BYTES":
            out.append(int(word.replace(":", ""), 16))
        elif kind in ("FT_IPv4", "FT_IPv6"):
            out.append(int(ipaddress.ip_address(word)))
        elif word in ("True", "False"):
            out.append(int(word == "True"))
        else:
            out.append(int(word, 0))
    return out


def our_values(layers, wanted, kind, bits):
    """The same of the decoded packet; an array is one number where tshark shows bytes."""
    out = []
    for layer in layers:
        for name, field, part in wanted:
            if layer["name"] != name:
                continue
            high, _, low = field.rpartition("+")
            value = layer["fields"][low]
            if high:
                value += layer["fields"][high] << bits[name, low]
                field = low
            if not isinstance(value, list):
                if kind.startswith("FT_STRING"):
                    out.append(value)
                else:
                    out.append(number(value, bits[name, field]))
                continue
            values = [number(v, bits[name, field]) for v in value]
            if part is not None:
                values = values[int(part)::2]
            if kind == "FT_BYTES":
                width = bits[name, field]
                values = [sum(v << width * i for i, v in enumerate(reversed(values)))]
            out += values
    return out


def excuse(packet, layers, theirs, ours):
    """Why tshark may show something else in this packet; None: no reason."""
    mad = next((layer["fields"] for layer in layers if layer["name"] == "mad"), None)
    rmpp = next((layer["fields"] for layer in layers if layer["name"] == "rmpp"), None)
    if packet["outcome"] != "ok":
        return "the packet is cut or contradicts itself"
    if rmpp and rmpp["flags"] & 1 and rmpp["type"] > 4:
        return "after an undefined RMPP type the SA header is looked for elsewhere"
    if rmpp and rmpp["flags"] & 1 and not ours:
        if rmpp["type"] != 1:
            return "ACK, STOP and ABORT are taken for records"
        if rmpp["flags"] & 6 != 6 and (rmpp["data1"] > 1 or not rmpp["flags"] & 4):
            return "a segment is taken for whole records"
    if mad and mad["mgmt_class"] == 3 and mad["method"] in (0x12, 0x13, 0x14) and mad["r"]:
        if not ours:
            return "a table without a whole record is shown as one"
        if theirs == ours[:len(theirs)]:
            return "the first record only"
    return None


def compare(lint, path, count, tables, tmp, tally, names):
    """Differences without a reason, of one capture."""
    tshark, both, wrong, kinds, bits = tables
    faults = []
    limit = ["-c", str(count)] if count else []
    run = subprocess.run([lint, "--decode", "--format", "json", *limit, path],
                         capture_output=True, text=True, check=True)
    ours = {packet["frame"]: packet for packet in map(json.loads, run.stdout.splitlines())
            if packet["type"] == "packet"}
    run = subprocess.run([lint, "--decode", *limit, path], capture_output=True, text=True, check=True)
    faults += compare_names(names, printed_names(run.stdout, names), tally)
    data = bytearray(path.read_bytes())
    if struct.unpack_from("<I", data, 20)[0] == INFINIBAND:
        struct.pack_into("<I", data, 20, USER0)
    copy = pathlib.Path(tmp) / "copy.pcap"
    copy.write_bytes(data)
    names = [name for name in both if name in kinds]
    words = [word for name in names for word in ("-e", name)]
    for line in tshark.text("-r", copy, *limit, *OPTIONS, *words).splitlines():
        frame, *texts = line.split("|")
        packet = ours.pop(int(frame))
        layers = [layer for layer in packet["layers"] if "frames" not in layer]
        for name, text in zip(names, texts):
            if text == "":
                continue
            theirs = their_values(text, kinds[name],
                                  [bits.get(ours[:2], 0) for ours in both[name]])
            mine = our_values(layers, both[name], kinds[name], bits)
            if name in TWICE and theirs[::2] == theirs[1::2]:
                theirs = theirs[::2]
            tally["compared"] += len(theirs)
            if theirs == mine:
                tally["same", name] += 1
            elif name in wrong:
                tally["wrong", name] += 1
            elif reason := excuse(packet, layers, theirs, mine):
                tally["excused", reason] += 1
            else:
                where = f"{shown(path)}:{frame}: {name}"
                faults.append(f"{where}: {text[:60]}, ours {mine[:12]}")
    if ours:
        faults.append(f"{shown(path)}: {len(ours)} packets tshark did not read")
    return faults


def shown(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name


def written(program, tmp):
    """The capture that @program writes."""
    path = pathlib.Path(tmp) / "written.pcap"
    subprocess.run([program, path], check=True, stdout=subprocess.DEVNULL)
    return [path]


def captures():
    paths = [path for family in ("mad", "rxe") for path in (ROOT / "pcaps" / family).glob("*.pcap")]
    return sorted(path for path in paths if not path.name.endswith(".erf.pcap"))


def main():
    tshark = bare.Wireshark()
    lint, deep = sys.argv[1], "--all" in sys.argv
    program = sys.argv[sys.argv.index("--written") + 1] if "--written" in sys.argv else None
    both, wrong = table()
    kinds, bits, names = types(tshark), widths(), value_names(tshark, both, wrong)
    faults = [f"{name}: no field {layer}.{word}" for name, ours in both.items()
              for layer, field, _ in ours for word in field.split("+") if (layer, word) not in bits]
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as tmp:
        paths = written(program, tmp) if program else sample.rows(captures(), lambda path: path.name) if deep else captures()
        for path in paths if not faults else []:
            count = SAMPLE.get(f"{path.parent.name}/{path.name}", 60)
            faults += compare(lint, path, None if deep or program else count, (tshark, both, wrong, kinds, bits), tmp,
                              tally, names)
    if deep and sample.part()[1] == 1 and tshark.version == "4.0":
        faults += [f"{name}: tshark is right, but the list says: {reason}"
                   for name, reason in wrong.items()
                   if tally["same", name] and not tally["wrong", name]
                   and "0 in all captures" not in reason]
    for key, value in sorted(tally.items(), key=str):
        if key[0] == "excused":
            print(f"{value} fields: {key[1]}")
        elif key[0] == "wrong":
            print(f"{value} packets: {key[1]}: {wrong[key[1]]}")
    seen = sum(1 for name in both if tally["same", name])
    print("\n".join(faults[:SHOWN]))
    print(f"{tally['names']} names of {len(names)} fields")
    print(f"{tally['compared']} values of {seen} fields, {len(both) - seen} fields in no packet,"
          f" {len(faults)} faults")
    return 1 if faults or not tally["compared"] or names and not tally["names"] else 0


if __name__ == "__main__":
    sys.exit(main())
