#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""profile.py PLUGIN PROFILE MADE [FRAMES]: what the profile RDMA says, Wireshark understands, and packets have it.

tshark -C RDMA -2 of the first FRAMES frames of every capture:

- each filter of a colouring rule, a button and a graph (of one stream: of any) matches packets, but not all;
- each colouring rule colours packets, those before it do not take them all;
- the columns are those of COLUMNS, in that order, and none is empty on every line;
- each has a width;
- colours are those of COLOURS, and what is written can be read (W3C: contrast of 4.5 to 1 at least);
- of captures of four directories, and of congestion, each packet has the colour that its bytes, findings and marks give it, and each
  button that is about the bytes finds as many packets as these do;
- of the same packets ibwire.operation is what Info begins with (take-over mode), without the service, and ibwire.rtt_us the time to the
  answer in microseconds.
"""
import collections
import itertools
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import capture as C  # noqa: E402
import packet as P  # noqa: E402
import ws  # noqa: E402

FILES = {"colorfilters", "dfilter_buttons", "io_graphs", "preferences", "recent"}
UNIT = {"SUM(Y Field)": "SUM(%s)%s", "MAX(Y Field)": "MAX(%s)%s", "Packets": "%s%s"}  # of -z io,stat
# {rule: (background, what is written)}; red is what is broken, orange what is refused, dark what was lost and sent again.
COLOURS = {"RDMA bad CRC": ("ff5f5f", "000000"), "RDMA error": ("ffa4a4", "000000"), "RDMA NAK": ("ffd280", "000000"),
           "RDMA retransmission": ("2f2f2f", "ffa500"), "RDMA gap": ("2f2f2f", "ffff80"), "RDMA warning": ("ffedb0", "000000"),
           "RDMA congestion": ("f5dcff", "000000"), "RDMA connection": ("deffde", "000000"),
           "RDMA management": ("fafad2", "000000"), "RDMA": ("e4efff", "000000")}
CONTRAST = 4.5
COLUMNS = {"No.": "%m", "Time": "%t", "Source": "%s", "Destination": "%d", "Stream": "ibwire.stream", "PSN": "ibwire.bth.psn_rel",
           "Operation": "ibwire.operation", "Message": "ibwire.reth.dmalen", "Payload": "ibwire.payload_len",
           "RTT (us)": "ibwire.rtt_us", "Protocol": "%p", "Info": "%i"}
ERROR, WARNING = "0", "1"  # ibwire.lint.severity
AGAIN = "retransmission", "response_repeated", "duplicate", "out_of_order", "response_late"
LOST = "psn_gap", "response_gap", "capture_loss", "timeout"
MARKS = (*AGAIN, *LOST)
SAID = ["frame.coloring_rule.name", "ibwire.lint.severity", *(f"ibwire.analysis.{mark}" for mark in MARKS)]
CM = 7  # a management class
TOOK = "ibwire.ack.ack_rtt", "ibwire.read.time", "ibwire.atomic.time", "ibwire.mad.time"
OPERATION = re.compile(rf"^(?:{ws.MARK})*(?:(?:RC|UC|UD|RD|XRC|DC) )?(?:RDMA )?(.*?)(?: QP=|$)")
ROW = re.compile(r'"((?:[^"\\]|\\.)*)"')


def rows_of(path):
    """Of a file of lines of texts in quotation marks."""
    return [ROW.findall(line) for line in path.read_text().splitlines() if line.startswith('"')]


def coloring_rules(profile):
    """[(name, filter)]"""
    lines = (profile / "colorfilters").read_text().splitlines()
    return [tuple(line.split("@")[1:3]) for line in lines if line.startswith("@")]


def filters(profile):
    """{where: what -z io,stat counts}"""
    out = {f"colour {name}": text for name, text in coloring_rules(profile)}
    for enabled, label, text, _ in rows_of(profile / "dfilter_buttons"):
        out[f"button {label}"] = text
        if enabled != "TRUE":
            raise SystemExit(f"button {label}: off")
    for _, name, text, _, _, unit, field, _, _ in rows_of(profile / "io_graphs"):
        out[f"graph {name}"] = UNIT[unit] % (field, text.replace("ibwire.stream == 0 && ", ""))
    return out


def columns(profile):
    """[title]"""
    text = (profile / "preferences").read_text().split("gui.column.format:")[1]
    return ROW.findall(text)[::2]


def totals(text):
    """Of each filter of -z io,stat with an interval for the whole file: what it counts first."""
    line, = re.findall(r"^\|.*<>.*\|$", text, re.M)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    return [int(re.match(r"\d+", cell)[0]) for cell in cells[1:] if cell]


def luminance(colour):
    """As W3C has it (WCAG 2, relative luminance)."""
    parts = [int(colour[at:at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def looks(profile):
    """Faults of the colours, and of the fields of the columns."""
    found = re.findall(r"^@([^@]+)@[^@]+@\[(\d+),(\d+),(\d+)\]\[(\d+),(\d+),(\d+)\]$", (profile / "colorfilters").read_text(), re.M)
    have = {name: tuple("".join(f"{int(part) >> 8:02x}" for part in parts[at:at + 3]) for at in (0, 3)) for name, *parts in found}
    yield from (f"colours of {name}: {have.get(name)}, not {COLOURS.get(name)}" for name in have.keys() | COLOURS
                if have.get(name) != COLOURS.get(name))
    if list(have) != list(COLOURS):
        yield f"the first colouring rule counts, so their order is {list(COLOURS)}, not {list(have)}"
    for name, pair in have.items():
        dark, light = sorted(map(luminance, pair))
        if (light + 0.05) / (dark + 0.05) < CONTRAST:
            yield f"{name}: a contrast of {(light + 0.05) / (dark + 0.05):.1f} only"
    cells = ROW.findall((profile / "preferences").read_text().split("gui.column.format:")[1])
    shown = {title: re.sub(r"^%Cus:([^:]+):0:R$", r"\1", what) for title, what in zip(cells[::2], cells[1::2], strict=True)}
    if list(shown.items()) != list(COLUMNS.items()):
        yield f"columns {shown}, not {COLUMNS}"


def of_bytes(packet, name, managed):
    """What a packet is by its bytes: {kind}; in a capture of @managed each datagram is of a manager."""
    if packet is None:
        return set()
    kinds = {"RDMA"}
    kinds |= {"Bad CRC"} if packet.icrc == P.BAD else set()
    kinds |= {"NAK"} if packet.syndrome is not None and packet.syndrome & 0x20 else set()
    kinds |= {"Congestion"} if packet.opcode == P.OPCODE_CNP or packet.ecn else set()
    kinds |= {"marked"} if packet.fecn or packet.becn else set()
    kinds |= {"MAD"} if packet.mad is not None or packet.service == P.UD and name in managed else set()
    return kinds | ({"CM"} if packet.mad and packet.mad[1] == CM else set())


def colour_of(kinds, severities, marks):
    """The rule that comes first of those that a packet is for."""
    if "RDMA" not in kinds and not severities and not any(marks):
        return ""
    again, lost = any(marks[:len(AGAIN)]), any(marks[len(AGAIN):])
    return next(name for name, fits in (
        ("RDMA bad CRC", "Bad CRC" in kinds), ("RDMA error", ERROR in severities), ("RDMA NAK", "NAK" in kinds),
        ("RDMA retransmission", again), ("RDMA gap", lost), ("RDMA warning", WARNING in severities),
        ("RDMA congestion", kinds & {"Congestion", "marked"}), ("RDMA connection", "CM" in kinds),
        ("RDMA management", "MAD" in kinds), ("RDMA", True)) if fits)


def by_bytes(tshark, profile, made):
    """Faults of the colour of each packet, and of what the buttons find."""
    real = [path for room in ("faults", "mad", "rxe", "ulp") for path in sorted((ws.ROOT / "pcaps" / room).glob("*.pcap"))]
    merged = ws.of_captures([*real, *sorted(pathlib.Path(made).glob("streams-cng*.pcap"))], 200)
    managed = {path.name for path in (ws.ROOT / "pcaps/mad").glob("*.pcap")}
    capture, found, kinds = tshark.write_all("bytes.pcapng", merged), collections.Counter(), []
    for linktype, (frames, origin) in merged.items():
        for (sec, nsec, length, data), where in zip(frames, origin, strict=True):
            packet = P.parse(C.Record(len(kinds) + 1, sec * 10**9 + nsec, linktype, data, length))
            kinds.append((where, of_bytes(packet, where.partition(":")[0], managed)))
    args = [arg for field in SAID for arg in ("-e", field)]
    text = tshark.read(capture, "-C", profile.name, "-2", "--color", "-T", "fields", "-E", "separator=/t", *args)
    lines = [re.sub(r"\x1b\[[\d;]*[a-zA-Z]", "", line).split("\t") for line in text.splitlines()]
    for (where, kind), (have, severities, *marks) in zip(kinds, lines, strict=True):
        want = colour_of(kind, severities.split(",") if severities else [], marks)
        found.update({want})
        if have != want:
            yield f"{where}: the colour of {have or 'no rule'}, not of {want or 'none'}"
    yield from (f"no packet for {name}" for name in COLOURS if not found[name])
    buttons = {label: text for _, label, text, _ in rows_of(profile / "dfilter_buttons")}
    about = ("NAK", "Congestion", "CM", "MAD", "Bad CRC")
    text = tshark.read(capture, "-2", "-q", "-z", "io,stat,0" + "".join(f",{buttons[label]}" for label in about))
    for label, n in zip(about, totals(text)[::2], strict=True):
        want = sum(label in kind for _, kind in kinds)
        if n != want or not want:
            yield f"button {label}: {n} packets, not {want}"


def of_columns(tshark, made):
    """Faults of the fields that are there for columns."""
    real = [path for room in ("faults", "mad") for path in sorted((ws.ROOT / "pcaps" / room).glob("*.pcap"))]
    capture = tshark.write_all("columns.pcapng", ws.of_captures([*real, *sorted(pathlib.Path(made).glob("opcodes-*.pcap"))], 60))
    args, n = [arg for field in ("frame.number", "ibwire.mad", "ibwire.operation", "ibwire.rtt_us", *TOOK) for arg in ("-e", field)], [0, 0, 0]
    infos = tshark.infos(capture, "-2", "-o", "ibwire.mode:takeover", infiniband="ibwire")
    text = tshark.read(capture, "-2", "-o", "ibwire.mode:takeover", "-Y", "ibwire.bth && (ibwire.operation || ibwire.rtt_us)", "-T", "fields",
                       "-E", "separator=/t", "-E", "occurrence=f", *args)
    for line in text.splitlines():
        number, mad, operation, took, *times = line.split("\t")
        info = infos[int(number)]
        said = OPERATION.match(info)[1]
        n[0] += not mad
        n[1] += bool(mad)
        if not (re.sub(rf"^(?:{ws.MARK})*", "", info).startswith(operation) if mad else said == operation):
            yield f"frame {number}: operation {operation}, Info {info}"
        want = next((ws.ns(time) for time in times if time), None)
        if (round(float(took) * 1000) if took else None) != want and not (want and abs(float(took or 0) * 1000 / want - 1) < 1e-5):
            yield f"frame {number}: {took} us, not {want} ns"
        n[2] += bool(took)
    if not all(n):
        yield f"columns: operations, MADs, times: {n}"


def matches(tshark, capture, profile, packets):
    """Faults of the filters."""
    wanted = filters(profile)
    counts = "".join(f",{re.sub('^(SUM|MAX)', 'COUNT', text)}" for text in wanted.values())
    text = tshark.read(capture, "-C", profile.name, "-2", "-q", "-z", f"io,stat,0{counts}")
    have, at = totals(text), 0
    for where, what in wanted.items():
        n = have[at]
        at += 1 if what.startswith(("SUM(", "MAX(")) else 2  # packets and bytes
        if not 0 < n < packets:
            yield f"{where}: {n} of {packets}"
    if at != len(have):
        yield f"{len(have)} numbers for {len(wanted)} filters"


def colours(tshark, capture, profile):
    """Faults of the colouring rules."""
    names = tshark.read(capture, "-C", profile.name, "-2", "--color", "-T", "fields", "-e",
                        "frame.coloring_rule.name").splitlines()
    count = collections.Counter(re.sub(r"\x1b.*?m", "", name) for name in names)
    for name, _ in coloring_rules(profile):
        if not count[name]:
            yield f"{name}: colours nothing"


def lines(tshark, capture, profile):
    """Faults of the columns."""
    titles = columns(profile)
    text = tshark.read(capture, "-C", profile.name, "-2", "-T", "tabs")
    said = [[cell for cell in line.split("\t") if cell != "→"] for line in text.splitlines()]
    for line in said:
        if len(line) != len(titles):
            yield f"{len(line)} columns: {line}"
            return
    for i, title in enumerate(titles):
        if not any(line[i].strip() for line in said):
            yield f"column {title}: empty"


def main():
    tshark, profile, made = ws.Tshark(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 40
    home = tshark.dir / "home/.config/wireshark/profiles" / profile.name
    shutil.copytree(profile, home)
    for path in [tshark.dir / "home", *(tshark.dir / "home").rglob("*")]:
        path.chmod(0o777)
    merged = ws.by_linktype(made, first or None)
    capture = tshark.write_all("all.pcapng", merged)
    packets = sum(len(frames) for frames, _ in merged.values())
    text = (profile / "recent").read_text().split("column.width:")[1]
    widths = re.findall(r"(%[^,]+), \d+", text)
    wanted = [re.sub(r"^(%Cus:.*?):.*", r"\1", row) for row in ROW.findall(
        (profile / "preferences").read_text().split("gui.column.format:")[1])[1::2]]
    faults = [f"{a}: no width, but {b}" for a, b in itertools.zip_longest(wanted, widths) if a != b]
    faults += [f"{name}: another file" for name in {path.name for path in profile.iterdir()} ^ FILES]
    faults += looks(profile)
    faults += matches(tshark, capture, profile, packets)
    faults += by_bytes(tshark, profile, made)
    faults += of_columns(tshark, made)
    faults += colours(tshark, capture, profile)
    faults += lines(tshark, capture, profile)
    return ws.verdict(faults, f"{packets} packets, {len(filters(profile))} filters, {len(columns(profile))} columns")


if __name__ == "__main__":
    sys.exit(main())
