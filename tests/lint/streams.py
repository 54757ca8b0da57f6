#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""streams.py MAKE PCAP-LINT MADE: the captures of the conversations say what the conversations say.

Reads pcaps/streams/*.txt once more, by itself, and holds each line that is captured against what
pcap-lint --decode finds in that frame of MADE/streams-*.pcap: opcode, sender, receiver, QPN, PSN,
length, time, and the numbers the line gives. Lines that are lost or unseen have no frame. The rules
find what "=>" says, and nothing else; the .expect says the same. A rule of data/stream-rules.csv that is not
written yet is listed as such. Then MAKE is given a conversation in
each framing, and texts with one mistake each, of which it has to name file, line and word. Where there
is tshark, it reads opcode, PSN and QPN
of the Ethernet ones as well.
"""
import copy
import functools
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
import upper_layers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
STREAMS = ROOT / "pcaps/streams"
LONG = ROOT / "pcaps/streams/long"  # too long to be walked by every test
RULES = ROOT / "dissector/lint/rules"
CATALOGUE = ROOT / "tests/data/stream-rules.csv"
FEW = 500  # frames of those that are decoded
SCENARIOS = 102  # at least
FIRST, STEP = 1735689600 * 10**9, 10_000
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never",
           "--format", "json", "--progress", "never"]
TRUE_OF_FILES = {"CAP012", "ROC007"}  # an FCS, IPv6 without a UDP checksum
UNIT = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}

# IBTA vol 1, table 38, and A14 for XRC: the five bits of the operation, the three of the service.
SERVICES = {"UC": 0x20, "UD": 0x60, "XRC": 0xa0}
OPERATIONS = {
    "SEND_FIRST": 0, "SEND_MIDDLE": 1, "SEND_LAST": 2, "SEND_LAST_WITH_IMMEDIATE": 3, "SEND_ONLY": 4,
    "SEND_ONLY_WITH_IMMEDIATE": 5, "WRITE_FIRST": 6, "WRITE_MIDDLE": 7, "WRITE_LAST": 8,
    "WRITE_LAST_WITH_IMMEDIATE": 9, "WRITE_ONLY": 10, "WRITE_ONLY_WITH_IMMEDIATE": 11,
    "READ_REQUEST": 12, "READ_RESPONSE_FIRST": 13, "READ_RESPONSE_MIDDLE": 14,
    "READ_RESPONSE_LAST": 15, "READ_RESPONSE_ONLY": 16, "ACK": 17, "ATOMIC_ACKNOWLEDGE": 18,
    "COMPARE_SWAP": 19, "FETCH_ADD": 20, "FLUSH": 28, "SEND_LAST_WITH_INVALIDATE": 22, "SEND_ONLY_WITH_INVALIDATE": 23,
}
# Of NVMe over Fabrics: what a SEND carries, and how many bytes that are.
UPPERS = {"NVME_CONNECT": 64, "NVME_COMMAND": 64, "NVME_CQE": 16}
NAKS = {"ACK": 0x1f, "NAK_RNR": 0x20, "NAK_SEQ": 0x60, "NAK_INV": 0x61, "NAK_ACCESS": 0x62,
        "NAK_OP": 0x63}
# IBTA vol 1, 16.7.2: attribute ID, and what it is called by --decode.
MESSAGES = {"REQ": (0x10, "cm_req"), "MRA": (0x11, "cm_mra"), "REJ": (0x12, "cm_rej"),
            "REP": (0x13, "cm_rep"), "RTU": (0x14, "cm_rtu"), "DREQ": (0x15, "cm_dreq"),
            "DREP": (0x16, "cm_drep")}
# Where their private data begin, those of a REQ after the header of the RDMA CM: IBTA vol 1, 12.6 and A11.
PRIVATE = {"REQ": 24 + 140 + 36, "REP": 24 + 36, "REJ": 24 + 84}
ADDRESSES = {"src", "dst", "sgid", "dgid", "primary_local_gid", "primary_remote_gid"}
TRANSPORTS = {(): (0, 0), ("uc",): (1, 0), ("xrc",): (3, 1)}
# {word of the text: field of --decode}
PLACES = {"imm": "immdt.data", "id": "ipv4.id", "va": "reth.va atomiceth.va", "pkey": "bth.pkey",
          "rkey": "reth.rkey atomiceth.rkey ieth.rkey",
          "swap": "atomiceth.swap", "compare": "atomiceth.compare", "orig": "atomicacketh.orig",
          "msn": "aeth.msn", "qkey": "deth.qkey", "srq": "xrceth.xrcsrq",
          "service": "cm_req.service_id", "reason": "cm_rej.reason", "dma": "reth.dmalen",
          "initdepth": "cm_req.init_depth cm_rep.init_depth", "retry": "cm_req.retry_count",
          "resources": "cm_req.resp_res cm_rep.resp_res", "timeout": "cm_req.primary_ack_timeout",
          "rnr": "cm_req.rnr_retry_count cm_rep.rnr_retry_count"}
MTUS = (256, 512, 1024, 2048, 4096)
FLAGS = {"ackreq": ("bth.ackreq", 1), "noackreq": ("bth.ackreq", 0), "se": ("bth.se", 1),
         "fecn": ("bth.fecn", 1), "becn": ("bth.becn", 1), "nomig": ("bth.migreq", 0)}


class Line:
    """A line "A>B VERB word number ...", its numbers, flags, time and rules."""

    def __init__(self, text, ends, framing, mtu=1024):
        text, _, rules = text.partition("=>")
        self.framing = framing
        words = text.split()
        sender, receiver = words[0].split(">")
        self.sender, self.receiver, self.verb = ends[sender], ends[receiver], words[1]
        self.rules, self.numbers, self.flags, self.after = rules.split(), {}, set(), STEP
        self.bytes = None
        rest = iter(words[2:])
        for word in rest:
            if word.startswith("@+"):
                count, unit = re.fullmatch(r"@\+(\d+)(\w+)", word).groups()
                self.after = int(count) * UNIT[unit]
            elif word in {"lost", "dropped", "unseen", "uc", "xrc", "ce", "corrupt", *FLAGS}:
                self.flags.add(word)
            elif word == "as":
                self.framing = next(rest)
            elif word == "bytes":
                self.bytes = bytes.fromhex(next(rest))
            else:
                self.numbers[word] = int(next(rest), 0)
        self.private, self.bytes = (self.bytes, None) if self.verb in MESSAGES else (None, self.bytes)
        if self.bytes is not None:
            if self.verb.endswith(("FIRST", "MIDDLE")):  # more of the message follows: the packet is full
                self.bytes = self.bytes.ljust(mtu, b"\0")
            self.numbers["len"] = len(self.bytes)
        self.captured = not self.flags & {"lost", "unseen"}
        service, _, rest = self.verb.partition("_")
        self.operation = "SEND_ONLY" if self.verb in UPPERS else rest if service in SERVICES else self.verb
        self.service = SERVICES.get(service, 0)

    @property
    def ends_message(self):
        """A request, and its last packet."""
        return (self.operation in OPERATIONS and OPERATIONS[self.operation] not in range(13, 19)
                and not self.operation.endswith(("FIRST", "MIDDLE")))


class Scenario:
    """A .txt file: framing, MTU, ends and lines."""

    def __init__(self, path):
        self.mtu, self.pair, self.ends, self.lines, self.framing = 1024, False, {}, [], ""
        self.clocks, self.rules, hosts = [], [], []
        for text in path.read_text().splitlines():
            words = text.partition("#")[0].split()
            if not words:
                continue
            if words[0] == "framing":
                self.framing = words[1]
            elif words[0] == "mtu":
                self.mtu = int(words[1])
            elif words[0] == "sport":
                self.pair = words[1] == "pair"
            elif words[0] == "interface":
                ahead = re.fullmatch(r"@([+-]\d+)(\w+)", words[1]).groups() if words[1:] else (0, "ns")
                self.clocks.append(int(ahead[0]) * UNIT[ahead[1]])
            elif words[0] == "capture":
                self.rules += words[2:]
            elif ">" in words[0]:
                self.repeat(Line(" ".join(words), self.ends, self.framing, self.mtu))
            else:
                end = dict(zip(words[2::2], (int(n, 0) for n in words[3::2])))
                hosts += [words[1]] if words[1] not in hosts else []
                number = len(self.ends) + 1
                self.ends[words[0]] = {"psn": 0, "msn": 0, "address": words[1], "number": number,
                                       "comm": 0x1000 + number, "lid": hosts.index(words[1]) + 1, **end}

    def repeat(self, line):
        """The line as often as it says, each time with the next PSN; what it fires is the last one's."""
        for more in range(line.numbers.get("times", 1) - 1):
            one = copy.copy(line)
            one.numbers = {**line.numbers, "psn": (line.numbers["psn"] + more) % 2**24}
            one.rules = []
            self.lines.append(one)
        if "times" in line.numbers:
            line.numbers["psn"] = (line.numbers["psn"] + line.numbers["times"] - 1) % 2**24
        self.lines.append(line)

    def marks(self):
        """All that "=>" says."""
        return self.rules + [rule for line in self.lines for rule in line.rules]

    def ahead(self, line):
        """How far the clock of the interface that saw it is ahead."""
        return self.clocks[line.numbers.get("via", 0)] if self.clocks else 0

    def capture(self, made, stem):
        """The file it becomes."""
        return made / f"streams-{stem}.{'pcapng' if self.clocks else 'pcap'}"

    def psns(self, line):
        """How many PSNs it takes."""
        if line.operation != "READ_REQUEST":
            return 1
        return max(1, -(-line.numbers["len"] // self.mtu))

    def msn(self, response, before):
        """Distinct messages received up to the PSN of a response (a NAK: up to the one before)."""
        upto = response.numbers["psn"] - response.operation.startswith("NAK")
        seen = set()
        for line in before:
            if (line.sender is response.receiver and line.receiver is response.sender
                    and line.ends_message):
                last = line.numbers["psn"] + self.psns(line) - 1
                if (upto - last) % 2**24 < 2**23:
                    seen.add(last % 2**24)
        return response.sender["msn"] + len(seen)

    def message_len(self, at):
        """The payload of a message that begins at line @at, each PSN once."""
        first, total, psn = self.lines[at], 0, self.lines[at].numbers["psn"]
        for line in self.lines[at:]:
            if line.sender is not first.sender or line.receiver is not first.receiver:
                continue
            if line.numbers.get("psn") == psn and (line is first or "FIRST" not in line.operation):
                total += line.numbers.get("len", self.mtu)
                psn = (psn + 1) % 2**24
                if "LAST" in line.operation:
                    return total
        raise SystemExit("a message without an end")


def gid_of(address):
    """Of an IPv4 address, as RoCE v2 has it: A17.4.5.2"""
    return ipaddress.ip_address(f"::ffff:{address}") if address.version == 4 else address


def ends_of(line):
    """The addresses of a packet as --decode shows them: source and destination."""
    lids = {f"lrh.{name}": line.numbers.get(name, end["lid"])
            for name, end in (("slid", line.sender), ("dlid", line.receiver))}
    addresses = [end["address"] for end in (line.sender, line.receiver)]
    if "ib-local" in line.framing:
        return {f"lrh.{name}": line.numbers.get(name, int(address))
                for name, address in zip(("slid", "dlid"), addresses)}
    source, destination = map(ipaddress.ip_address, addresses)
    if "ib-global" in line.framing or "v1" in line.framing:
        source, destination = map(gid_of, (source, destination))
        return ({} if "v1" in line.framing else lids) | {"grh.sgid": source, "grh.dgid": destination}
    layer = "ipv4" if source.version == 4 else "ipv6"
    return {f"{layer}.src": source, f"{layer}.dst": destination}


def sport_of(scenario, line):
    """The UDP source port: of the sender's QPN, of both (kernel: rdma_calc_flow_label), or said."""
    a, b = line.sender["qp"], line.receiver["qp"]
    if line.verb in MESSAGES:
        return 0xc001
    if "sport" in line.numbers:
        return line.numbers["sport"]
    if "sport" in line.sender:
        return line.sender["sport"]
    if not scenario.pair:
        return 0xc000 + a % 0x4000
    product = a * b
    product ^= product >> 20
    product ^= product >> 40
    label = product & 0xfffff
    return 0xc000 | (label & 0x3fff) ^ (label >> 14)


def named_in_req(scenario, line):
    """The ends as a REQ has them in itself: GIDs (RoCE v2: of the IP addresses) and RDMA CM's addresses."""
    addresses = [end["address"] for end in (line.sender, line.receiver)]
    if "ib-local" in scenario.framing:
        return {"cm_req.primary_local_lid": int(addresses[0]), "cm_req.primary_remote_lid": int(addresses[1])}
    ips = [ipaddress.ip_address(address) for address in addresses]
    gids = [gid_of(ip) for ip in ips]
    want = {"cm_req.primary_local_gid": gids[0], "cm_req.primary_remote_gid": gids[1]}
    if "v2" in scenario.framing:
        cma = f"cma_ipv{ips[0].version}"
        want |= {"cma_hdr.ip_version": ips[0].version, f"{cma}.src": ips[0], f"{cma}.dst": ips[1]}
    return want


def wanted_cm(scenario, line):
    attr, layer = MESSAGES[line.verb]
    connection = line.numbers.get("conn", 0) << 16
    ids = [connection + end["comm"] for end in (line.sender, line.receiver)]
    want = {"bth.opcode": 0x64, "bth.dqpn": 1, "deth.sqpn": 1, "mad.attr_id": attr}
    want[f"{layer}.local_comm_id"] = 0 if line.verb == "REJ" else ids[0]
    if line.verb != "REQ":
        want[f"{layer}.remote_comm_id"] = line.numbers.get("remote", ids[1])
    if line.verb in ("REQ", "REP"):
        # The other end starts at what it is told here; IBTA vol 1, 12.7.21
        want[f"{layer}.starting_psn"] = line.numbers.get("psn", line.receiver["psn"])
        target = "local_eecn" if line.verb == "REP" and "xrc" in line.flags else "local_qpn"
        want[f"{layer}.{target}"] = line.numbers.get("qpn", line.sender["qp"])
    if line.verb == "REQ":
        transport = TRANSPORTS[tuple(line.flags & {"uc", "xrc"})]
        want["cm_req.transport"], want["cm_req.ext_transport"] = transport
        want["cm_req.path_mtu"] = MTUS.index(line.numbers.get("pathmtu", scenario.mtu)) + 1
        want |= named_in_req(scenario, line)
    if line.verb == "DREQ":
        want["cm_dreq.remote_qpn"] = line.receiver["qp"]
    return want


def wanted_transport(scenario, at):
    line = scenario.lines[at]
    cnp = line.verb == "CNP"
    operation = "ACK" if line.operation in NAKS else line.operation
    want = {"bth.opcode": 0x81 if cnp else line.service | OPERATIONS[operation],
            "bth.dqpn": line.receiver["qp"], "bth.psn": 0 if cnp else line.numbers["psn"]}
    carries = line.operation.startswith(("SEND", "WRITE", "READ_RESPONSE"))
    want["payload"] = UPPERS.get(line.verb, line.numbers.get("len", scenario.mtu)) if carries else 0
    if line.operation == "READ_REQUEST" or line.operation.startswith("WRITE_ONLY"):
        if "dma" not in line.numbers:
            want["reth.dmalen"] = line.numbers["len"]
    elif line.operation == "WRITE_FIRST" and "dma" not in line.numbers:
        want["reth.dmalen"] = scenario.message_len(at)
    if line.service == SERVICES["UD"]:
        want["deth.sqpn"] = line.sender["qp"]
    if line.operation in NAKS:
        want["aeth.syndrome"] = line.numbers.get("credits", NAKS[line.operation])
        want["aeth.syndrome"] += line.numbers.get("timer", 0)
    if line.operation in NAKS or line.operation in ("READ_RESPONSE_LAST", "READ_RESPONSE_ONLY",
                                                    "READ_RESPONSE_FIRST", "ATOMIC_ACKNOWLEDGE"):
        want["aeth.msn"] = scenario.msn(line, scenario.lines[:at])
    return want


def path_of(line):
    """What it says of the IP header."""
    tos = line.numbers.get("tos", 0)
    return ({"ttl": line.numbers["ttl"]} if "ttl" in line.numbers else {}) | \
        ({"dscp": tos >> 2, "ecn": tos & 3} if "tos" in line.numbers else {})


def wanted_pfc(line):
    """IEEE 802.1Qbb: 16 bits of classes, and quanta of each."""
    priority, quanta = line.numbers["priority"], line.numbers["quanta"]
    return {"eth.dst": "01:80:c2:00:00:01", "eth.src": f"02:00:00:00:00:{line.sender['lid']:02x}", "pfc.opcode": 0x101,
            "pfc.enable": 1 << priority, "pfc.quanta": [quanta if i == priority else 0 for i in range(8)]}


def wanted(scenario, at, time):
    """{field: value} of the frame of that line."""
    line = scenario.lines[at]
    if line.verb == "PFC":
        return {"time": time + scenario.ahead(line), **wanted_pfc(line)}
    want = wanted_cm(scenario, line) if line.verb in MESSAGES else wanted_transport(scenario, at)
    want |= {"time": time + scenario.ahead(line), "icrc": "bad" if "corrupt" in line.flags else "good", **ends_of(line)}
    if "ipv4" in line.framing:
        want |= {f"ipv4.{name}": value for name, value in path_of(line).items()}
    if "v2" in line.framing:
        want["udp.sport"] = sport_of(scenario, line)
    for word, number in line.numbers.items():
        for place in PLACES.get(word, "").split():
            if place.partition(".")[0] in layers_of(line):
                want[place] = number
    for flag in line.flags & set(FLAGS):
        want.update([FLAGS[flag]])
    if "ce" in line.flags:
        want["ipv4.ecn"] = 3
    return want


def payload_of(line):
    """The capsule of a message of NVMe over Fabrics: NVMe base 2.0, 3.3.3, 4.1.2 and 6.3; None: the line is none."""
    n = line.numbers
    if line.verb == "NVME_CQE":
        return struct.pack("<8xHHHH", 0, n.get("qid", 0), n.get("cid", 0), n.get("status", 0) << 1)
    if line.bytes is not None:
        return line.bytes
    if line.verb not in UPPERS:
        return None
    connect = line.verb == "NVME_CONNECT"
    size, sgl = n.get("dma", 1024 if connect else 0), bytes(16)
    if size:
        sgl = struct.pack("<QI", n.get("va", 0x100000), size)[:11] + struct.pack("<I", n.get("rkey", 0x77)) + b"\x40"
    opcode, kind = (0x7f, 1) if connect else (n.get("op", 2), n.get("fctype", 0 if n.get("op") == 0x7f else 1))
    tail = struct.pack("<HHHHI", 0, n.get("qid", 0), n.get("sqsize", 31), 0, n.get("kato", 0)) if connect else b""
    return struct.pack("<BBHI16x", opcode, 0x40, n.get("cid", 0), kind) + sgl + tail.ljust(24, b"\0")


def frame_of(capture, frame):
    """The bytes of a frame of a pcap."""
    data, at = capture.read_bytes(), 24
    for _ in range(frame - 1):
        at += 16 + struct.unpack_from("<I", data, at + 8)[0]
    return data[at + 16:at + 16 + struct.unpack_from("<I", data, at + 8)[0]]


def body_of(capture, frame, packet):
    """The bytes of a payload."""
    return frame_of(capture, frame)[packet["payload at"]:][:packet["payload"]]


def private_of(capture, frame, line):
    """As much of the private data of a message of the CM as the line gives, in the 256 bytes before the ICRC."""
    mad = frame_of(capture, frame)[:-4][-256:]
    return mad[PRIVATE[line.verb]:][:len(line.private)]


def layers_of(line):
    """The layers among PLACES that the packet has, by its name."""
    has = {MESSAGES[line.verb][1]} if line.verb in MESSAGES else {"aeth", "bth", "deth", "immdt", "xrceth"}
    if line.operation in ("FETCH_ADD", "COMPARE_SWAP"):
        has.add("atomiceth")
    elif line.operation == "ATOMIC_ACKNOWLEDGE":
        has.add("atomicacketh")
    elif line.operation.endswith("INVALIDATE"):
        has.add("ieth")
    elif line.verb in UPPERS:
        pass  # they are in the capsule: payload_of()
    else:
        has.add("reth")
    return has


def found(packet):
    """The same of a packet as --decode shows it; of repeated layers (VXLAN) the last."""
    seconds, _, ns = packet["time"].partition(".")
    carried = upper_layers.without(packet).get("payload") or {"offset": 0, "length": 0}
    values = {"time": int(seconds) * 10**9 + int(ns), "icrc": packet["icrc"]["status"], "payload": carried["length"],
              "payload at": carried["offset"]}
    for layer in packet["layers"]:
        for name, value in layer["fields"].items():
            if name in ADDRESSES and layer["name"] != "eth":
                value = ipaddress.ip_address(value)
            elif isinstance(value, str) and value.startswith("0x"):
                value = int(value, 16)
            values[f"{layer['name']}.{name}"] = value
    return values


def read(lint, *args):
    done = subprocess.run([lint, *args], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare(lint, path, made, first=sys.maxsize):
    """(faults, values compared, rules that are not written yet) of one conversation; the values of so many frames."""
    scenario = Scenario(path)
    capture = scenario.capture(made, path.stem)
    packets = [found(p) for p in read(lint, "--decode", "--format", "json", "-c", str(first), capture)
               if p["type"] == "packet"]
    faults, count, frame, time, rules = [], 0, 0, FIRST - STEP, {(0, rule) for rule in scenario.rules}
    for at, line in enumerate(scenario.lines):
        time += line.after
        if not line.captured:
            continue
        frame += 1
        rules |= {(frame, rule) for rule in line.rules}
        if frame > first:
            continue
        got = packets[frame - 1] if frame <= len(packets) else {}
        want = wanted(scenario, at, time)
        if payload_of(line) is not None and payload_of(line) != body_of(capture, frame, got):
            faults.append(f"{capture.name}:{frame}: the message is {body_of(capture, frame, got).hex()}")
        if line.private is not None and private_of(capture, frame, line) != line.private:
            faults.append(f"{capture.name}:{frame}: the private data are {private_of(capture, frame, line).hex()}")
        count += len(want)
        faults += [f"{capture.name}:{frame}: {field} is {got.get(field)}, not {value}"
                   for field, value in want.items() if got.get(field) != value]
    rows = read(lint, *OPTIONS, capture)
    if frame != rows[-1]["packets"] or min(frame, first) != len(packets):
        faults.append(f"{capture.name}: {len(packets)} of {rows[-1]['packets']} frames, not of {frame}")
    expect = capture.with_suffix(".expect").read_text().splitlines()
    if sorted(expect) != sorted(f"{number} {rule}" for number, rule in rules):
        faults.append(f"{capture.name}: its .expect has {expect}")
    asked = {(frame, rule.lstrip("?!")) for frame, rule in rules}
    fired = {(f["frame"] or 0, f["rule"]) for f in rows if f["type"] == "finding" and f["rule"] not in TRUE_OF_FILES
             and (not is_withheld(f) or (f["frame"] or 0, f["rule"]) in asked)}
    new_faults, later = judge(capture.name, rules, fired)
    return faults + new_faults, count, later


def judge(name, marks, fired):
    """What fires against what "=>" says: (faults, rules that are not written yet)."""
    faults = [f"{name}:{frame}: there is no rule {rule}" for frame, rule in sorted(marks)
              if rule.lstrip("!?") not in known_rules() | catalogue()]
    later = {rule for _, rule in marks if rule.lstrip("!?") not in known_rules() and rule[0] not in "!?"}
    must = {(frame, rule) for frame, rule in marks if rule in known_rules()}
    may = {(frame, rule[1:]) for frame, rule in marks if rule.startswith("?")}
    # What is said of the capture may be found at any frame of it.
    anywhere = {rule for frame, rule in must | may if not frame}
    must = {(frame, rule) for frame, rule in must if frame or rule not in {r for _, r in fired}}
    faults += [f"{name}:{frame}: {rule} does not fire" for frame, rule in sorted(must - fired)]
    faults += [f"{name}:{frame}: {rule} fires" for frame, rule in sorted(fired - must - may)
               if rule not in anywhere]
    return faults, later


@functools.cache
def levels():
    """{rule: its level}"""
    return dict(re.findall(r'^LINT_RULE\((\w+), "[\w-]+", (\w+),', "".join(p.read_text() for p in RULES.glob("*.def")), re.M))


def is_withheld(finding):
    """At note level for what the capture lacks: nothing that anybody is told."""
    return finding["severity"] == "note" and levels()[finding["rule"]] == "WARNING"


@functools.cache
def known_rules():
    """Those that pcap-lint has."""
    return set(re.findall(r"^LINT_RULE\((\w+),", "".join(p.read_text() for p in RULES.glob("*.def")), re.M))


@functools.cache
def of_connections():
    """Rules about what the packets of a connection do together: what packets that were made each for itself
    do in a file is nobody's intention, so conversations judge them."""
    return {rule for rule in catalogue() if rule.startswith("QPS")} | {
        "CAP017", "CAP018", "CMS003", "CMS004", "CMS008", "CMS009", "CMS010", "CMS011", "CMS012", "CMS014", "CMS015",
        "ROC004", "ROC021", "ROC025"}


@functools.cache
def catalogue():
    """All rules about more than one packet, written or not."""
    return {line.partition(",")[0] for line in CATALOGUE.read_text().splitlines() if line[:1] not in "#"}


def by_tshark(made):
    """tshark's opcode, QPN and PSN of all Ethernet frames against the texts; (faults, values)."""
    want, body, head = [], b"", b""
    for path in sorted(STREAMS.glob("*.txt")):
        scenario = Scenario(path)
        if scenario.framing.startswith("ib-") or scenario.clocks:
            continue
        data = (made / f"streams-{path.stem}.pcap").read_bytes()
        assert struct.unpack_from("<I", data, 20)[0] == 1, path
        head, body = data[:24], body + data[24:]
        for at, line in enumerate(scenario.lines):
            if line.captured and line.verb != "PFC":
                fields = wanted(scenario, at, 0)
                want.append((path.stem, fields["bth.opcode"], fields["bth.dqpn"], fields.get("bth.psn", 0)))
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(head + body)
        file.flush()
        fields = [word for name in ("opcode", "destqp", "psn") for word in ("-e", f"infiniband.bth.{name}")]
        text = bare.Wireshark().text("-r", file.name, "-Y", "infiniband", "-T", "fields", "-E", "occurrence=l", *fields)
    got = [tuple(int(word, 0) for word in line.split()) for line in text.splitlines()]
    faults = [f"tshark: {name}: {is_now}, not {must}" for (name, *must), is_now in zip(want, got)
              if tuple(must) != is_now]
    if len(got) != len(want):
        faults.append(f"tshark: {len(got)} frames, not {len(want)}")
    return faults, 3 * len(want)


# One conversation in each framing of pcaps/make.
FRAMINGS = re.findall(r'^\tF\(\w+, "([\w-]+)"', (ROOT / "pcaps/make.h").read_text(), re.M)
CONVERSATION = """framing {}
mtu 512
A {} qp 0x11 psn 5
B {} qp 0x12 psn 900
A>B REQ
B>A REP @+1us
A>B RTU @+1ns
A>B WRITE_FIRST psn 5 @+1ms
A>B WRITE_MIDDLE psn 6 lost @+1s
A>B WRITE_LAST psn 7 len 3 dropped => QPS002
B>A NAK_SEQ psn 6 => QPS008
"""


def in_each_framing(make, lint):
    faults, count = [] if len(FRAMINGS) >= 23 else ["make.h: framings are missing"], 0
    with tempfile.TemporaryDirectory() as tmp:
        tmp = pathlib.Path(tmp)
        for framing in FRAMINGS:
            vlan = framing.endswith("vlan")
            ends = (["4", "9"] if "ib-local" in framing else
                    [f"fe80::500:{n}" if vlan else f"fe80::ff:fe00:{n}" for n in (1, 2)]
                    if "v1" in framing or "ib-global" in framing else
                    ["192.0.2.7", "192.0.2.9"] if "ipv4" in framing else ["2001:db8::7", "2001:db8::9"])
            (tmp / f"{framing}.txt").write_text(CONVERSATION.format(framing, *ends))
        subprocess.run([*make, "-s", tmp, tmp], check=True)
        for path in sorted(tmp.glob("*.txt")):
            found_faults, values, _ = compare(lint, path, tmp)
            faults += found_faults
            count += values
    return faults, count


HEAD = "framing roce-v2-ipv4\nA 192.0.2.1 qp 0x11\nB 192.0.2.2 qp 0x12\n"
# (what follows HEAD, the word that is named); the mistake is in the last line.
REFUSED = [
    ("A>B SEND_ONLY psn 5 bytes 0", "0"), ("A>B SEND_ONLY psn 5 bytes 0g", "0g"), ("A>B SEND_ONLY psn 5 len 1 bytes 00", "bytes"),
    ("A>B ACK psn 5 bytes 00", "bytes"), ("A>B SEND_ONLY psn 5 bytes 00 len 1", "len"), ("A>B SEND_ONLY psn 5 bytes", "bytes"),
    ("A>B SEND_ONLY psn 5 len 1 colour 3", "colour"), ("A>B SEND_FIRTS psn 5", "SEND_FIRTS"),
    ("A>B RDMA_WRITE_ONLY psn 5 len 1", "RDMA_WRITE_ONLY"), ("A>B RC_SEND_ONLY psn 5 len 1", "RC_SEND_ONLY"),
    ("A>C SEND_ONLY psn 5 len 1", "A>C"), ("A>A SEND_ONLY psn 5 len 1", "A>A"), ("A>B", "A>B"),
    ("A>B SEND_ONLY psn", "psn"), ("A>B SEND_ONLY psn x len 1", "x"),
    ("A>B SEND_ONLY psn 010 len 1", "010"), ("A>B SEND_ONLY psn -1 len 1", "-1"),
    ("A>B SEND_ONLY psn 0x len 1", "0x"), ("A>B SEND_ONLY psn 5k len 1", "5k"),
    ("A>B SEND_ONLY psn 0x1000000 len 1", "0x1000000"),
    ("A>B READ_REQUEST psn 5 va 18446744073709551616", "18446744073709551616"),
    ("A>B SEND_ONLY psn 5 psn 6 len 1", "psn"), ("A>B SEND_ONLY len 1", "SEND_ONLY"),
    ("A>B SEND_ONLY psn 5", "SEND_ONLY"), ("A>B SEND_ONLY psn 5 len 1025", "SEND_ONLY"),
    ("A>B SEND_ONLY psn 5 len 1 imm 7", "imm"), ("A>B SEND_ONLY psn 5 len 1 uc", "uc"),
    ("A>B SEND_ONLY psn 5 len 1 lost lost", "lost"),
    ("A>B SEND_ONLY psn 5 len 1 lost dropped", "SEND_ONLY"),
    ("A>B SEND_ONLY psn 5 len 1 @3us", "@3us"), ("A>B SEND_ONLY psn 5 len 1 @+3", "@+3"),
    ("A>B SEND_ONLY psn 5 len 1 @+3min", "@+3min"), ("A>B SEND_ONLY psn 5 len 1 @+us", "@+us"),
    ("A>B SEND_ONLY psn 5 len 1 @+4294967296s", "@+4294967296s"),
    ("A>B SEND_ONLY psn 5 len 1 =>", "=>"), ("A>B SEND_ONLY psn 5 len 1 => QPS8", "QPS8"),
    ("A>B SEND_ONLY psn 5 len 1 lost => QPS008", "=>"),
    ("A>B WRITE_FIRST psn 5", "dma"), ("A>B NAK_RNR psn 5", "NAK_RNR"), ("A>B NAK_SEQ psn 5 timer 3", "timer"),
    ("A>B ACK psn 5 credits 32", "32"), ("A>B REQ len 5", "len"), ("A>B RTU psn 5", "psn"),
    ("A>B CNP psn 5", "psn"), ("C 192.0.2.300 qp 3", "192.0.2.300"), ("C 192.0.2.3", "192.0.2.3"),
    ("A 192.0.2.3 qp 3", "A"), ("C 192.0.2.1 qp 0x11", "0x11"), ("C 192.0.2.3 qp 1", "1"),
    ("C 192.0.2.3 qp 3 lid 4", "lid"), ("framing roce-v2-ipv6", "roce-v2-ipv6"), ("mtu 1000", "1000"),
    ("mtu 1024 2048", "2048"), ("sport mine", "mine"), ("speed 3", "speed"), ("A>B SEND_ONLY " + " " * 500, ""),
    ("mtu 1024", ""),
    ("A>B SEND_ONLY psn 5 len 1 via 1", "SEND_ONLY"), ("A>B SEND_ONLY psn 5 len 1 slid 4", "slid"),
    ("A>B SEND_ONLY psn 5 len 1 as roce-v3", "roce-v3"),
    ("A>B SEND_ONLY psn 5 len 1 as ib-local", "ib-local"),
    ("A>B SEND_ONLY psn 5 len 1 times 0", "SEND_ONLY"), ("A>B SEND_ONLY psn 5 len 1 times 65535\nA>B SEND_ONLY psn 5 len 1 times 2000", "SEND_ONLY"),
    ("A>B SEND_ONLY psn 5 len 1 => ~QPS008", "~QPS008"), ("A>B REQ pathmtu 1000", "REQ"),
    ("A>B RTU retry 3", "retry"), ("A>B RTU corrupt", "corrupt"), ("interface 5ms", "5ms"),
    ("interface @5ms", "@5ms"), ("interface\n" * 8 + "interface", "interface"), ("capture", "capture"),
    ("A>B PFC priority 8 quanta 1", "8"), ("A>B PFC priority 3", "PFC"), ("A>B PFC priority 3 quanta 1 psn 5", "psn"),
    ("A>B SEND_ONLY psn 5 len 1 priority 3", "priority"), ("capture CAP018", "CAP018"), ("capture => CAP18", "CAP18"), ("C 192.0.2.3 qp 3 comm 0x10000", "0x10000"),
]
REFUSED_WHOLE = [("framing roce-v3\n", 1, "roce-v3"), ("\nA 192.0.2.1 qp 3\n", 2, "A"),
                 ("framing ib-local\nA 0xc000 qp 3\n", 2, "0xc000"),
                 ("framing ib-local\nA 4 qp 3\nB 9 qp 3\nA>B PFC priority 3 quanta 1\n", 4, "PFC"), ("framing roce-v1\nA 4 qp 3\n", 2, "4"),
                 ("", 0, ""), (HEAD + "A>B SEND_ONLY psn 5 len 1", 4, "")]


def refusals(make):
    """Each text with a mistake is refused, by its file, line and word; (faults, how many)."""
    cases = [(HEAD + text + "\n", 4 + text.count("\n"), word) for text, word in REFUSED] + REFUSED_WHOLE
    faults = []
    with tempfile.TemporaryDirectory() as tmp:
        streams, out = pathlib.Path(tmp) / "streams", pathlib.Path(tmp) / "out"
        streams.mkdir()
        out.mkdir()
        for text, line, word in cases:
            path = streams / "bad.txt"
            path.write_text(text)
            done = subprocess.run([*make, "-s", out, streams], capture_output=True, text=True, check=False)
            if done.returncode != 1 or not done.stderr.startswith(f'make: {path}:{line}: "{word}": '):
                faults.append(f"{text!r}: ended with {done.returncode}: {done.stderr!r}")
            for written in out.iterdir():
                faults.append(f"{text!r}: {written.name} was written")
                written.unlink()
    return faults, len(cases)


def main():
    *make, lint, made = sys.argv[1:]
    made, paths = pathlib.Path(made), sorted(STREAMS.glob("*.txt"))
    faults, values, later = [], 0, set()
    for path in paths:
        found_faults, count, rules = compare(lint, path, made)
        faults += found_faults
        values += count
        later |= rules
    with tempfile.TemporaryDirectory() as tmp:
        tmp, long = pathlib.Path(tmp), sorted(LONG.glob("*.txt"))
        subprocess.run([*make, "-s", tmp, LONG], check=True)
        for path in long:
            found_faults, count, rules = compare(lint, path, tmp, FEW)
            faults += found_faults
            values += count
            later |= rules
    names = {f"streams-{path.stem}" for path in paths}
    faults += [f"{p.name}: of no conversation" for p in made.glob("streams-*.pcap*") if p.stem not in names]
    if len(paths) < SCENARIOS:
        faults.append(f"only {len(paths)} conversations")
    for found_faults, count in [in_each_framing(make, lint)] + \
            ([by_tshark(made)] if bare.found() else []):
        faults += found_faults
        values += count
    refused_faults, refused = refusals(make)
    faults += refused_faults
    if later:
        print(f"rules not written yet: {' '.join(sorted(later))}")
    print("\n".join(faults + [f"{len(paths) + len(long)} conversations, {values} values, {refused} mistakes,"
                              f" {len(faults)} faults"]))
    return 1 if faults or not values else 0


if __name__ == "__main__":
    sys.exit(main())
