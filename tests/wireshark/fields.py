#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""fields.py PLUGIN: the fields Wireshark knows of the plugin are those of the schema.

Read from the schema files themselves: each line has a field of the right name, label, type, base and
mask, each header has one, and in addition there are only those of OURS. The expert items of rules and marks, one each, are
below ibwire.expert, so that nobody who begins to type a name is offered hundreds of them. A label of OURS can be read alone, says no unit
but the one that is shown, and what it calls a PSN is written as every PSN is.
"""
import re
import sys

import findings
import schema
import ws

OURS = re.compile(r"ibwire\.(proto|msg(\.\w+){0,2}|outcome|icrc|vcrc|icrc\.status|vcrc\.status|icrc\.bad|vcrc\.bad|"
                  r"cut|malformed|options|payload|payload_len|quoted|pad|trailer|lint(\.\w+)?|expert(\.\w+){2,3}"
                  r"|sa\.comp_mask\.\w+\.\w+|rmpp\.reassembled\.\w+|conv\.\w+|conn\.\w+"
                  r"|fpdu|mpa\.(place|frame|crc|crc\.status)|rdmap\.terminate(\.\w+)?"
                  r"|stream(\.\w+)?|ulp(\.\w+)?|incident(\.\w+)?|(ack|read|atomic|psn)\.\w+|cnp\.(for_stream|ce_frame|ce_packets|delay)|mad\.(request_in|response_in|time|retry_of)"
                  r"|bth\.psn_rel|node\.(src|dst|route)|operation|rtt_us|analysis(\.\w+){0,2})$")
UINTS = {1: "FT_UINT8", 2: "FT_UINT16", 3: "FT_UINT24", 4: "FT_UINT32", 5: "FT_UINT40",
         6: "FT_UINT48", 7: "FT_UINT56", 8: "FT_UINT64"}
BYTES = {"GID": "FT_IPv6", "IPV6": "FT_IPv6", "MAC": "FT_ETHER", "TEXT": "FT_STRINGZTRUNC"}
DECIMAL = {"ENUM_DEC", "TRAP_NUM", "DEC", "MTU", "TIME_4096NS", "TIME_RNR", "UDP_PORT", "IP_PROTO"}
UNITS = {"ibwire.rtt_us": "us"}  # a number, for columns and graphs; times have theirs in what is shown
POINTING = re.compile(r"\b(it|its|them|they|their|such|this|those|these)\b", re.I)
OF_TIME = re.compile(r"\btime\b|\bLate by\b|\bRTT\b", re.I)
VALUE = re.compile(r'^IBW_VALUE\((\w+), \w+, (\w+), "(.*)"\)$', re.M)


def base_of(kind, bits):
    if kind in DECIMAL:
        return "BASE_DEC"
    if kind == "PSN":
        return "BASE_HEX_DEC"
    if kind == "MSN":
        return "BASE_DEC_HEX"
    if kind in ("ENUM", "METHOD", "RATE") and bits < 8:
        return "BASE_DEC"
    return "BASE_HEX"


def field_of(line):
    """(type, base, mask) as tshark -G fields prints them."""
    _, size = line.place()
    if line.kind in ("LE", "LE_HEX"):
        return UINTS[size], "BASE_DEC" if line.kind == "LE" else "BASE_HEX", 0
    if line.verb == "BYTES" or size > 8:
        return BYTES.get(line.kind, "FT_BYTES"), "BASE_NONE", 0
    mask = line.mask() if line.count == 1 and line.bits != size * 8 else 0
    if line.kind == "IPV4":
        return "FT_IPv4", "BASE_NONE", mask
    if line.kind == "FLAG":
        return "FT_BOOLEAN", str(size * 8) if line.count == 1 else "BASE_NONE", mask
    return UINTS[size], base_of(line.kind, line.bits), mask


def wanted():
    """{name: (label, type, base, mask)}"""
    out, names = {}, {}
    for path in schema.LISTS.glob("values*.def"):
        for values, value, text in VALUE.findall(path.read_text()):
            names.setdefault(f"ibw_{values}_names", []).append((int(value, 0), text))
    for name, title in schema.headers().items():
        out["ibwire." + name] = title, "FT_NONE", "", 0
        for line in schema.lines(name).values():
            if line.kind in ("MASK", "WIDTH", "SPEED") and line.values in names and \
                    line.bits > 1 and line.count == 1:
                out.update(bits_wanted(name, line, names[line.values]))
            out[f"ibwire.{name}.{line.row}"] = line.label, *field_of(line)
    return out


def bits_wanted(name, line, names):
    """The single bits of a mask, each a field below the mask's."""
    _, size = line.place()
    for value, text in names:
        if value and not value & (value - 1):
            word = re.sub(r"[^a-z0-9]", "_", text.lower())
            yield (f"ibwire.{name}.{line.row}.{word}",
                   (text, "FT_BOOLEAN", str(size * 8), value << -(line.at + line.bits) % 8))


def components(want, have):
    """Faults of the bits of component masks: which stand for a line of the schema each."""
    for name, rows in have.items():
        found = re.fullmatch(r"ibwire\.sa\.comp_mask\.(\w+\.\w+)", name)
        line = want.get("ibwire." + found[1]) if found else None
        if found and (not line or rows[0][:3] != (line[0], "FT_BOOLEAN", "64") or not rows[0][3]):
            yield f"{name}: is {rows}, the schema says {line}"
    # IBTA vol 1, 15.2.5.16
    for row, mask in {"service_id": 0x3, "dgid": 0x4, "numb_path": 0x1000, "pkey": 0x2000,
                      "mtu": 0x20000, "preference": 0x400000}.items():
        rows = have.get(f"ibwire.sa.comp_mask.path_rec.{row}", [])
        if not rows or not rows[0][3] & mask:
            yield f"the bit of {row} is {rows}, not {mask:#x}"


def known(tshark):
    """{name: (label, type, base, mask)} as Wireshark has them."""
    out = {}
    for line in tshark.run("-G", "fields").splitlines():
        cells = line.split("\t")
        if cells[0] == "F" and cells[2].startswith("ibwire."):
            base = cells[5]
            if cells[3] not in ("FT_BOOLEAN",) and not cells[3].startswith("FT_UINT"):
                base = "" if cells[3] == "FT_NONE" else "BASE_NONE"
            mask = int(cells[6], 0) if len(cells) > 6 and cells[6] else 0
            out.setdefault(cells[2], []).append((cells[1], cells[3], base, mask))
    return out


def blurbs(tshark):
    """What lists of fields say of each."""
    for line in tshark.run("-G", "fields").splitlines():
        cells = line.split("\t")
        if cells[0] == "F" and cells[4] == "ibwire" and (len(cells) < 8 or not cells[7].strip()):
            yield f"{cells[2]}: there is no word of it"


def experts(have):
    """Faults of the expert items: the window Expert Information has a line for each."""
    want = {f"ibwire.expert.rule.{rule.lower()}": (f"{rule} {row.name}: {row.text}", "FT_NONE", "", 0)
            for rule, row in findings.rules().items()}
    want |= {f"ibwire.expert.mark.{mark.mark}": (mark.words, "FT_NONE", "", 0) for mark in ws.MARKS if mark.severity}
    for name, row in want.items():
        if have.get(name) != [row]:
            yield f"{name}: is {have.get(name)}, not {row}"
    for name, rows in have.items():
        of_rule = want.get(name.removesuffix(".lesser"))
        if name.startswith("ibwire.expert.") and rows != [of_rule]:
            yield f"{name}: {rows}, of no rule or mark"
        elif not name.startswith("ibwire.expert.rule.") and re.search(r"\.[a-z]{3}\d{3}(\.|$)", name):
            yield f"{name}: a name for a rule"


def labels(tshark, schema_names):
    """Faults of labels that are not of the schema: each is read without the others, as a column has it, and says what Wireshark shows."""
    n = 0
    for line in tshark.run("-G", "fields").splitlines():
        if not line.startswith("F\t"):
            continue
        _, label, name, type_, *_ = cells = line.split("\t")
        if not name.startswith("ibwire.") or name in schema_names or name.startswith(("ibwire.expert.", "ibwire.sa.comp_mask.")):
            continue
        n += 1
        unit = re.search(r"\((\w+)\)", label)
        if (unit and unit[1]) != UNITS.get(name):
            yield f"{name}: {label}, which Wireshark shows in a unit of its own"
        if type_ != "FT_NONE" and POINTING.search(label):
            yield f"{name}: {label}, of what?"
        if (type_ == "FT_RELATIVE_TIME") != bool(OF_TIME.search(label)) and name not in UNITS:
            yield f"{name}: {label} is {type_}"
        shown = type_, cells[5]
        if re.search(r"\bPSN\b", label) and type_ not in ("FT_NONE", "FT_FRAMENUM") and \
                shown != (("FT_UINT24", "BASE_DEC") if "elative" in label else ("FT_UINT24", "BASE_HEX_DEC")):
            yield f"{name}: {label} is shown as {shown}"
        if re.search(r"\bPSNs\b", label) and type_.startswith("FT_UINT") and shown[1] != "BASE_DEC":
            yield f"{name}: {label} is no count: {shown}"
    if n < 150:
        yield f"{n} labels"


def names(tshark):
    """How tabs and preferences call the protocol, and filters."""
    rows = [line.split("\t") for line in tshark.run("-G", "protocols").splitlines()]
    found = [row[:3] for row in rows if row[2] == "ibwire"]
    if found != [["RDMA wire formats", "RDMA", "ibwire"]]:
        yield f"the protocol is {found}"


def main():
    tshark = ws.Tshark(sys.argv[1])
    faults, want, have = [*blurbs(tshark), *names(tshark)], wanted(), known(tshark)
    for name, row in want.items():
        if have.get(name, []) != [row]:
            faults.append(f"{name}: is {have.get(name)}, the schema says {row}")
    faults += [f"{name}: not in the schema" for name in have if name not in want and
               not OURS.match(name)]
    faults += [*components(want, have), *experts(have), *labels(tshark, want)]
    faults += [f"{name}: registered {len(rows)} times" for name, rows in have.items()
               if len(rows) > 1]
    faults += [f"{name}: not a name Wireshark likes" for name in have
               if not re.fullmatch(r"[a-z0-9_.]+", name)]
    return ws.verdict(faults, f"{len(want)} fields of {len(have)}") if want else 1


if __name__ == "__main__":
    sys.exit(main())
