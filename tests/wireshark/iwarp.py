#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""iwarp.py PLUGIN PCAP-LINT MADE [DIRECTORY...]: iWARP in the plugin is what pcap-lint has of it.

Of each capture of pcaps/siw, of some captures of iWARP in MADE, and of those in DIRECTORY: the FPDUs of each frame, with their places in
the stream, the state of their CRCs, the frames that they come in, and each header with its fields and where its bytes are, as
pcap-lint --decode has them; the messages as --decode --messages, by connection, direction, kind, length and last frame; Terminates,
read as their senders mean them; the connection of each frame, by its number in --stats; findings. On a single pass and with -2.
In take-over mode, of those of TAKEN, the same, and the segments are dissected by nobody else; messages of services go to their upper layers, whole, each
once, as many as pcap-lint finds. Conversations have the ends of iWARP, and as many frames.
"""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import findings  # noqa: E402
import pdml  # noqa: E402
import sample  # noqa: E402
import upper_layers  # noqa: E402
import ws  # noqa: E402

FPDU, PLACE, STATUS, CRC, FRAME = "ibwire.fpdu", "ibwire.mpa.place", "ibwire.mpa.crc.status", "ibwire.mpa.crc", "ibwire.mpa.frame"
TERMINATE = "ibwire.rdmap.terminate"
REQUEST, REPLY, REJECT = STARTS = [f"ibwire.conn.mpa_{name}_in" for name in ("request", "reply", "reject")]
COMPARED = STARTS  # what ws_rows asks for
TAKE_OVER = "-o", "ibwire.mode:takeover"
BUILTIN = {"iwarp_mpa", "iwarp_ddp_rdmap", "nvme-tcp", "rpc.tcp"}
# {field of Wireshark, one of each message: the layers that such messages begin with, as pcap-lint has them}
UPPER = {"rpcordma.xid": ("rpcrdma_hdr",)}
STATES = ["absent", "good", "bad", "unused", "unverifiable"]
BEGINS = ("mpa", "mpa_start")
KINDS = {0: "write", 1: "read_request", 2: "read_response", 7: "terminate", 8: "immediate", 9: "immediate", 10: "atomic",
         11: "atomic_response"}
ANSWERS = ("read_response", "atomic_response")
WAYS = {0: "a_to_b", 1: "b_to_a"}
TAKEN = ("01-nvme-siw", "02-iser-siw", "05-nfs4-siw", "05d-nfs3-siw", "22-term-badkey-read", "26-crc-loss-reorder")
OCTETS = ("key", "ulp")
NVME = ("nvme-rdma.cmd.qid", "nvme.cmd.opc", "nvme.fabrics.cmd.opc", "nvme.fabrics.cmd.connect.qid")
MADE = ("healthy", "marker", "marker-wrong", "pad-marker", "crc", "crc-of-one", "refused-write", "refused-as-siw", "rtr", "late", "mo",
        "msn", "length", "mid-3", "lost", "opcode-tagged", "with-atomics")


def as_number(value):
    """Of JSON, or of PDML; octets stay what they are."""
    if value in ("True", "False"):
        return int(value == "True")
    try:
        return int(value, 0) if isinstance(value, str) else int(value)
    except ValueError:
        return value


def said(lint, capture, *options):
    run = subprocess.run([lint, *options, "--format", "json", capture], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 2):
        raise SystemExit(f"{lint} {options} {capture}: status {run.returncode}\n{run.stderr[-4000:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


class Fpdu:
    """One, as either has it: (what is said of all of it, [(header, offset, {field: value})])"""

    def __init__(self, place, status, crc, frames, layers):
        self.all = place, status, crc, frames
        self.layers = layers
        self.opcode = next((fields["opcode"] for name, _, fields in layers if name == "rdmap"), None)
        self.message = self.terminate = self.key = None

    def data(self):
        """Octets of its payload."""
        length = self.layers[0][2]["ulpdu_length"]
        return length - (14 if self.layers[1][0] == "ddp_tagged" else 18)


def fpdus_of_lint(lint, capture):
    """{frame: [Fpdu]}"""
    out = collections.defaultdict(list)
    for packet in said(lint, capture, "--decode"):
        if packet["type"] != "packet":
            continue
        found, keys = [], []
        for layer in packet["layers"]:
            fields = {name: as_number(value) for name, value in layer["fields"].items() if name not in OCTETS}
            if layer["name"] in BEGINS:
                crc = layer.get("crc", {"status": "absent"})
                found.append((layer["place"], crc["status"], as_number(crc.get("found")) if "found" in crc else None,
                              layer.get("frames"), []))
                keys.append(layer["fields"].get("key"))
            if found and not upper_layers.is_upper(layer):  # those are Wireshark's own to show
                found[-1][-1].append((layer["name"], layer["offset"], fields))
        if found:
            out[packet["frame"]] = [Fpdu(*one) for one in found]
        for fpdu, key in zip(out.get(packet["frame"], ()), keys):
            fpdu.key = key
    return out


def children(item, name):
    return [field for field in item if field.get("name") == name]


def show_of(item, name):
    found = children(item, name)
    return as_number(found[0].get("show")) if found else None


def layer_of(item):
    fields = {}
    for field in item:
        name = field.get("name", "").rpartition(".")[2]
        fields[name] = as_number(field.get("show"))
    return item.get("name")[len("ibwire."):], int(item.get("pos")), fields


def fpdu_of(item, headers):
    frames = [as_number(field.get("show")) for field in children(item, FRAME)] or None
    layers = [layer_of(field) for field in item if field.get("name") in headers]
    fpdu = Fpdu(show_of(item, PLACE), STATES[show_of(item, STATUS)], show_of(item, CRC), frames, layers)
    message, terminate = children(item, "ibwire.msg"), children(item, TERMINATE)
    fpdu.message = {field.get("name"): as_number(field.get("show")) for field in message[0].iter("field")} if message else None
    fpdu.terminate = {field.get("name"): field.get("show") for field in terminate[0].iter("field")} if terminate else None
    return fpdu


def of_plugin(tshark, capture, headers, *options):
    """({frame: [Fpdu]}, {frame: (stream, direction)}, {stream: {field: frame of an MPA frame}})"""
    fpdus, streams, starts = collections.defaultdict(list), {}, {}
    for number, protos in pdml.packets(tshark, capture, "-Y", "ibwire", *options):
        for proto in protos:
            if children(proto, "ibwire.stream"):
                streams[number] = show_of(proto, "ibwire.stream"), show_of(proto, "ibwire.stream.dir")
                starts[streams[number][0]] = {name: show_of(proto, name) for name in STARTS}
            fpdus[number] += [fpdu_of(item, headers) for item in children(proto, FPDU)]
    return {number: some for number, some in fpdus.items() if some}, streams, starts


def same_fpdu(compared, where, have, want):
    compared.same("FPDU", where, have.all, want.all)
    compared.same("headers", where, [name for name, _, _ in have.layers], [name for name, _, _ in want.layers])
    for (name, at, fields), (_, offset, wanted) in zip(have.layers, want.layers):
        if want.all[3] is None and not (name in ("rdmap",) and at == 0):
            compared.same("offset", f"{where} {name}", at, offset)
        for field, value in wanted.items():
            if isinstance(value, int):
                compared.same("field", f"{where} {name}.{field}", fields.get(field), value)


def messages_of_lint(lint, capture):
    """Counter of (connection, direction, kind, length, last frame) of those that are whole."""
    rows = [row for row in said(lint, capture, "--decode", "--messages") if row["type"] == "message" and row["psn"] is None]
    return collections.Counter((row["connection"], row["direction"], row["kind"], row["length"], row["frame"]) for row in rows
                               if row["outcome"] != "unfinished")


def kind_of(fpdu):
    return KINDS.get(fpdu.opcode, "send")


def length_of(fpdu):
    kind, message = kind_of(fpdu), fpdu.message
    if kind in ANSWERS:
        return 8 if kind == "atomic_response" else message["ibwire.msg.off"] + fpdu.data()
    return message["ibwire.msg.len"]


def messages_of_plugin(fpdus, streams):
    """The same, of what is shown with -2, when the last frame of each is known."""
    out = collections.Counter()
    for frame, some in fpdus.items():
        for fpdu in some:
            if fpdu.opcode is None:
                continue
            stream, way = streams[frame]
            if fpdu.terminate is not None:
                out[stream, WAYS[way], "terminate", fpdu.data(), frame] += 1
            elif fpdu.message and ends(fpdu):
                out[stream, WAYS[way], kind_of(fpdu), length_of(fpdu), frame] += 1
    return out


def ends(fpdu):
    """Whether it is the last one of its message."""
    return fpdu.layers[1][2]["l"]


def terminates(compared, name, fpdus, findings_of):
    """Each is what the finding about it says."""
    for frame, some in fpdus.items():
        for fpdu in some:
            if fpdu.terminate is None:
                continue
            texts = [found["message"] for found in findings_of if found["frame"] == frame and "Terminate: " in found["message"]]
            text = fpdu.terminate[TERMINATE]
            compared.same("Terminate", f"{name}:{frame}", any(one.startswith(f"Terminate: {text};") for one in texts), True)
            literal = fpdu.terminate.get(f"{TERMINATE}.literal")
            if literal and literal != text:
                compared.same("literal Terminate", f"{name}:{frame}", any(f"it would say {literal}" in one for one in texts), True)
            refused = fpdu.terminate.get(f"{TERMINATE}.refused_in")
            compared.same("refused", f"{name}:{frame}", any(f" of frame {refused}" in one for one in texts), refused is not None)


def connections(lint, capture):
    """[(number, first frame, last frame, {fpdus of a, of b})]"""
    return [row for row in said(lint, capture, "--stats", "--severity", "perf", "--fail-on", "never", "--ignore", "CAP008")
            if row["type"] == "flow" and row["service"] == "iWARP"]


def starts_of(fpdus, frames):
    """Of the connection with these frames: {field: the frame of an MPA frame}"""
    out = dict.fromkeys(STARTS)
    for frame in sorted(frames):
        for fpdu in fpdus[frame]:
            start = fpdu.layers[0][2] if fpdu.layers[0][0] == "mpa_start" else None
            if start:
                out[REQUEST if fpdu.key == "MPA ID Req Frame" else REJECT if start["r"] else REPLY] = frame
    return out


def one(tshark, lint, path, headers, compared, totals):
    capture, name = tshark.dir / path.name, path.stem
    capture.write_bytes(path.read_bytes())
    capture.chmod(0o644)
    want = fpdus_of_lint(lint, path)
    have, streams, starts = of_plugin(tshark, capture, headers, "-2")
    compared.same("frames with FPDUs", name, sorted(have), sorted(want))
    for frame in have.keys() & want.keys():
        compared.same("number of FPDUs", f"{name}:{frame}", len(have[frame]), len(want[frame]))
        for i, pair in enumerate(zip(have[frame], want[frame])):
            same_fpdu(compared, f"{name}:{frame}.{i}", *pair)
    compared.same("messages", name, messages_of_plugin(have, streams) - messages_of_lint(lint, path), collections.Counter())
    compared.same("messages, all", name, messages_of_lint(lint, path) - messages_of_plugin(have, streams), collections.Counter())
    flows = connections(lint, path)
    rows = [row for row in said(lint, path, "--stats", "--severity", "perf", "--fail-on", "never") if row["type"] == "finding"]
    terminates(compared, name, have, rows)
    for flow in flows:
        frames = [frame for frame, (stream, _) in streams.items() if stream == flow["connection"]]
        compared.same("first and last frame", f"{name} {flow['connection']}", (min(frames, default=0), max(frames, default=0)),
                      (flow["first_frame"], flow["last_frame"]))
        for way, key in WAYS.items():
            n = sum(fpdu.opcode is not None for frame in frames if streams[frame] == (flow["connection"], way)
                    for fpdu in have.get(frame, ()))
            compared.same("FPDUs of a direction", f"{name} {flow['connection']} {key}", n, flow[key]["fpdus"])
        compared.same("MPA frames", f"{name} {flow['connection']}", starts.get(flow["connection"]),
                      starts_of(want, {frame for frame in frames if frame in want}))
    single, numbers, _ = of_plugin(tshark, capture, headers)
    compared.same("single pass", name, {frame: [fpdu.all for fpdu in some] for frame, some in single.items()},
                  {frame: [fpdu.all for fpdu in some] for frame, some in have.items()})
    compared.same("streams of a single pass", name, {frame: numbers.get(frame) for frame in have},
                  {frame: streams.get(frame) for frame in have})
    conversations(tshark, capture, name, streams, compared)
    if name in TAKEN or path.parent.name not in ("siw", "pcaps"):
        for options in (TAKE_OVER, (*TAKE_OVER, "-2")):
            taken, numbers, _ = of_plugin(tshark, capture, headers, *options)
            compared.same("take-over mode", f"{name} {options}", {frame: [fpdu.all for fpdu in some] for frame, some in taken.items()},
                          {frame: [fpdu.all for fpdu in some] for frame, some in have.items()})
        upper(tshark, lint, path, have, compared)
    for some in have.values():
        for fpdu in some:
            totals[fpdu.all[1] if fpdu.opcode is not None else "frames"] += 1
            totals["Terminates"] += fpdu.terminate is not None
            totals["of several segments"] += fpdu.all[3] is not None


def upper(tshark, lint, path, have, compared):
    """In take-over mode: whose the segments are, and the messages of upper layers."""
    capture, name = tshark.dir / path.name, path.stem
    rows = [row for row in said(lint, path, "--decode", "--messages") if row["type"] == "message"]
    first = [row["layers"][0]["name"] for row in rows if row["layers"] and row["kind"] == "send"]
    for options in ([], ["-2"]):
        text = tshark.read(capture, *TAKE_OVER, *options, "-Y", "ibwire.fpdu", "-T", "fields", "-e", "frame.number", "-e", "frame.protocols")
        protocols = {int(number): layers.split(":") for number, layers in (line.split("\t") for line in text.splitlines())}
        compared.same("frames taken over", f"{name} {options}", sorted(protocols), sorted(have))
        others = sorted({layer for layers in protocols.values() for layer in layers} & BUILTIN)
        compared.same("dissected by others", f"{name} {options}", others, [])
        fields = [arg for field in UPPER for arg in ("-e", field)]
        text = tshark.read(capture, *TAKE_OVER, *options, "-Y", "ibwire.fpdu", "-T", "fields", "-E", "occurrence=a", *fields)
        seen = collections.Counter()
        for line in text.splitlines():
            seen.update({field: len(cell.split(",")) for field, cell in zip(UPPER, line.split("\t")) if cell})
        for field, layers in UPPER.items():
            want = sum(layer in layers for layer in first)
            compared.same(f"{field}" if want else "no upper layer", f"{name} {options}", seen[field], want)


def commands(tshark, path, *options):
    """What NVMe commands a capture has, by queue, in take-over mode: how many of each, and completions."""
    shutil.copy(path, tshark.dir / path.name)
    text = tshark.read(tshark.dir / path.name, *TAKE_OVER, *options, "-T", "fields", "-E", "occurrence=a", *(arg for field in NVME for arg in ("-e", field)))
    return collections.Counter(line for line in text.splitlines() if line.strip())


def queues(tshark, compared):
    """The same program over iWARP and RoCE: I/O commands are not read as admin commands."""
    for options in ([], ["-2"]):
        over_iwarp, over_roce = (commands(tshark, ws.ROOT / path, *options) for path in ("pcaps/siw/01-nvme-siw.pcap", "pcaps/ulp/01-nvme.pcap"))
        compared.same("commands by queue", f"NVMe {options}", sorted(over_iwarp.items()), sorted(over_roce.items()))
        if len({line.split("\t")[0] for line in over_roce}) < 2:
            compared.faults.append(f"{over_roce}: one queue only")


def conversations(tshark, capture, name, streams, compared):
    text = tshark.read(capture, "-2", "-q", "-z", "conv,ibwire")
    rows = re.findall(r"^(\S+ port \d+) +<-> (\S+ port \d+) +(\d+) \S+ \S+ +(\d+) ", text, re.M)
    compared.same("conversations", name, sorted(int(a) + int(b) for _, _, a, b in rows),
                  sorted(collections.Counter(stream for stream, _ in streams.values()).values()))


def findings_of(tshark, lint, path):
    """Those of the whole capture."""
    linktype, frames = ws.records(path)
    capture = tshark.dir / path.name
    wanted = findings.found_by_lint(lint, path, [(linktype, row[3]) for row in frames])
    origin = [f"{path.name}:{i + 1}" for i in range(len(frames))]
    yield from findings.compare(tshark, capture, wanted, origin, (["-2", "-o", "ibwire.ignore:CAP008"],))


def main():
    tshark, lint, made, *more = ws.Tshark(sys.argv[1]), *sys.argv[2:]
    headers = {f"ibwire.{name}" for name in ("mpa", "mpa_start", "mpa_enhanced", "ddp_tagged", "ddp_untagged", "rdmap", "rdmap_invalidate",
                                             "rdmap_read_req", "rdmap_terminate", "rdmap_terminated", "rdmap_atomic_req",
                                             "rdmap_atomic_resp", "rdmap_immediate")}
    real = sorted((ws.ROOT / "pcaps/siw").glob("*.pcap"))
    for directory in more:
        real += sorted(pathlib.Path(directory).glob("*.pcap"))
    written = [pathlib.Path(made) / f"lint-iwp-{name}.pcap" for name in MADE]
    compared, of_real, of_written = ws.Compared(), collections.Counter(), collections.Counter()
    for path in sample.rows(real, lambda path: path.name):
        one(tshark, lint, path, headers, compared, of_real)
        compared.faults += findings_of(tshark, lint, path)
    for path in written:
        one(tshark, lint, path, headers, compared, of_written)
    queues(tshark, compared)
    if sample.whole():
        compared.all_of(["commands by queue", "FPDU", "offset", "field", "messages", "Terminate", "literal Terminate", "FPDUs of a direction"])
    kinds = of_real["good"] and of_real["unused"] and of_real["of several segments"] and of_written["bad"]
    if sample.whole() and not kinds:
        compared.faults.append(f"not all kinds: {of_real}, {of_written}")
    figures = ", ".join(f"{n} {what}" for what, n in sorted(of_real.items()))
    return ws.verdict(compared.faults, f"{len(real)} captures: {figures}; {len(written)} written: {sum(compared.n.values())} compared")


if __name__ == "__main__":
    sys.exit(main())
