#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""lint_messages.py PCAP-LINT MADE: each finding says what is in the packet.

For every finding in the lint-*.pcap of pcaps/make, data/messages.txt has what it must say, letter by
letter, with the numbers worked out here: from the bytes at the place the finding names (which
lint_rules.py holds against what the maker made wrong), from fields as --decode shows them (which
facts and tshark_fields hold against others), by zlib and by sums of our own. Each line of that file
has to be of use. Of conversations, a comment in pcaps/streams says what a finding says: "# says: FRAME RULE: TEXT".
"""
import collections
import functools
import ipaddress
import pathlib
import re
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import icrc  # noqa: E402
import streams
from lint_rules import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ROOT / "include/ibwire/list"
OPTIONS = ["--severity", "perf", "--select", "all", "--max-per-rule", "0", "--fail-on", "never"]
LINE = re.compile(r"(\w{6})(?: (lint-\S+)| \[(.*?)\])?: (.*)")
# Codes of ICMP errors: RFC 792; RFC 1122, 3.2.2.1; RFC 1812, 5.2.7.1; RFC 4443, 3.1
UNREACHABLE = {0: "network unreachable", 1: "host unreachable", 2: "protocol unreachable", 3: "port unreachable",
               4: "fragmentation needed", 5: "source route failed", 6: "network unknown", 7: "host unknown",
               9: "network administratively prohibited", 10: "host administratively prohibited",
               11: "network unreachable for this TOS", 12: "host unreachable for this TOS",
               13: "administratively prohibited"}
UNREACHABLE_V6 = {0: "no route to the destination", 1: "administratively prohibited",
                  2: "beyond the scope of the source address", 3: "address unreachable", 4: "port unreachable",
                  5: "source address failed policy", 6: "reject route"}
Text = collections.namedtuple("Text", "number rule capture when template")

# Bytes of headers: IBTA vol 1, 7.7, 8.3, 9.2, A17 (16 reserved bytes of a CNP); RFC 768, 8200
SIZES = {"lrh": 8, "grh": 40, "bth": 12, "reth": 16, "cnp": 16, "udp": 8, "ipv6": 40}
# IBTA vol 1, 13.4.5
METHODS = {1: "Get", 2: "Set", 3: "Send", 5: "Trap", 6: "Report", 7: "TrapRepress", 0x12: "GetTable",
           0x13: "GetTraceTable", 0x14: "GetMulti", 0x15: "Delete"}
# Bytes of records: IBTA vol 1, 15.2.5
RECORDS = {"LinkRecord": 6, "NodeRecord": 4 + 40 + 64, "GuidInfoRecord": 8 + 64}


def texts():
    made = []
    lines = (ROOT / "tests/data/messages.txt").read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#"):
            rule, capture, when, template = LINE.fullmatch(line).groups()
            made.append(Text(number, rule, capture, when and compile(when, line, "eval"),
                             compile(f"f'''{template}'''", line, "eval")))
    return made


@functools.cache
def opcodes():
    """{opcode: text}"""
    rows = re.findall(r'^IBW_OPCODE\((0x\w+), \w+, "([^"]+)"', (LISTS / "opcodes.def").read_text(), re.M)
    return {int(code, 16): text for code, text in rows}


@functools.cache
def opcodes_dc():
    """The same of the DC transport."""
    rows = re.findall(r'^IBW_DC_OPCODE\((0x\w+), "([^"]+)"', (LISTS / "opcodes_dc.def").read_text(), re.M)
    return {int(code, 16): text for code, text in rows}


@functools.cache
def header_bytes():
    """{opcode: bytes with the BTH}, as others have them"""
    rows = (line.split(",") for line in (ROOT / "tests/facts/opcodes.csv").read_text().splitlines()
            if not line.startswith("#"))
    return {int(row[1], 16): int(row[4]) for row in rows if row[4].isdigit()}


@functools.cache
def classes():
    """[(first, last, text, family of attributes)]"""
    return [(int(first, 16), int(last, 16), text, family) for first, last, text, family in re.findall(
        r'^IBW_MAD_CLASS\((0x\w+), (0x\w+), \w+, "([^"]+)",.* (\w+)\)$',
        (LISTS / "mad_classes.def").read_text(), re.M)]


@functools.cache
def attributes():
    """{(family, id): text}"""
    return {(family, int(number, 16)): text for path in LISTS.glob("attrs_*.def") for family, number, text in
            re.findall(r'^IBW_MAD_ATTR\((\w+), (0x\w+), \w+, "([^"]+)"', path.read_text(), re.M)}


def class_text(number):
    return next((text for first, last, text, _ in classes() if first <= number <= last),
                f"class 0x{number:02x}")


def internet_sum(data):
    """RFC 1071"""
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


class Layer:
    """A header as --decode shows it; a number that is hexadecimal there is one here."""

    def __init__(self, row):
        self.offset, self.length = row["offset"], row["length"]
        for name, value in row["fields"].items():
            is_hex = isinstance(value, str) and re.fullmatch("0x[0-9a-f]+", value)
            setattr(self, name, int(value, 16) if is_hex else value)


class Packet:
    """A finding and its packet: the words of messages.txt, by the methods and names here."""

    def __init__(self, row, frame, finding):
        self.rows, self.frame = row["layers"], frame
        self.at, self.n, self.said = finding["offset"] or 0, finding["length"] or 0, finding["message"]
        self.caplen, self.wire = len(frame), row["len"]
        if self.has("erf"):
            self.wire = self["erf"].wlen
        self.ib = self.has("lrh")
        self.net = next((r["name"] for r in self.rows[::-1] if r["name"] in ("ipv4", "ipv6", "grh")), None)
        self.roce = self.has("eth")
        self.sizes, self.opcodes, self.classes = SIZES, opcodes(), class_text
        self.vcrc_at = self["lrh"].offset + self["lrh"].pktlen * 4 if self.has("lrh") else 0

    def __getitem__(self, name):
        layers = [row for row in self.rows if row["name"] == name]
        if layers:
            around = [r for r in layers if r["offset"] <= self.at < r["offset"] + r["length"]]
            return Layer((around or layers)[-1])
        if name in vars(self) or name in vars(Packet):
            return getattr(self, name)
        raise KeyError(name)

    def has(self, name):
        return any(row["name"] == name for row in self.rows)

    # ---- Bytes ----

    def data(self, count):
        return self.frame[self.at:self.at + count] if count > 0 else self.frame[self.at + count:self.at]

    def u8(self, i):
        return self.frame[self.at + i]

    def u16(self, i):
        return self.u8(i) << 8 | self.u8(i + 1)

    def u24(self, i):
        return self.u16(i) << 8 | self.u8(i + 2)

    @property
    def first(self):
        return next(i for i, byte in enumerate(self.data(self.n)) if byte)

    # ---- Lengths ----

    @functools.cached_property
    def ip(self):
        """The innermost IP header or GRH."""
        return Layer(next(row for row in self.rows[::-1] if row["name"] == self.net))

    @property
    def ip_payload(self):
        if self.net == "ipv4":
            return self.ip.total_len - self.ip.ihl * 4
        return self.ip.paylen - (self["udp"].offset - self.ip.offset - 40)

    @property
    def icrc_at(self):
        if self.has("lrh"):
            return self.vcrc_at - 4
        if self.has("udp"):
            return min(self["udp"].offset + min(self["udp"].length, self.ip_payload), self.wire) - 4
        return self.ip.offset + 40 + self.ip.paylen - 4

    @property
    def left(self):
        return self.icrc_at - self["bth"].offset - self.headers

    @property
    def headers(self):
        opcode = self["bth"].opcode
        if not self.has("dceth"):
            return header_bytes()[opcode]
        # 20 bytes more than the same of RC; a Connect has a header of 16.
        return 20 + (12 + 16 if opcode == 0x55 else header_bytes()[opcode & 0x1f])

    @property
    def wire_body(self):
        return self.icrc_at - self["bth"].padcnt - self["ipoib"].offset - 4

    @property
    def next_header(self):
        """After the last one that is there."""
        last = Layer(self.rows[-1])
        following = {"lrh": "bth", "eth": "grh", "vlan": "grh", "ipv4": "udp", "ipv6": "udp", "grh": "bth", "udp": "bth"}
        name = self.rows[-1]["name"]
        if name == "bth":
            return "cnp" if last.opcode == 0x81 else "reth"
        if name == "lrh":
            return {1: "ipv6", 2: "bth", 3: "grh"}[last.lnh]
        return following[name]

    # ---- Words ----

    @property
    def op(self):
        return (opcodes_dc() if self.has("dceth") else opcodes())[self["bth"].opcode]

    @property
    def method(self):
        number = self["mad"].method
        return METHODS.get(number, f"method 0x{number:02x}")

    @property
    def attr(self):
        mad = self["mad"]
        family = next((f for a, b, _, f in classes() if a <= mad.mgmt_class <= b), None)
        return attributes().get((family, mad.attr_id), f"attribute 0x{mad.attr_id:04x}")

    @property
    def what(self):
        mad = self["mad"]
        return f"{class_text(mad.mgmt_class)} {self.method}{'Resp' if mad.r else ''}({self.attr})"

    @property
    def about(self):
        """The way of a directed route, and what the SA is asked for: IBTA vol 1, 14.2.1.2, 15.2.5."""
        mad = self["mad"]
        at, mask, record = mad.offset, 0, mad.offset + 56
        if mad.mgmt_class == 0x81:
            ports = self.frame[at + 129:at + 129 + min(self.frame[at + 7], 63)]
            more = ",..." if len(ports) > 32 else ""
            port = mad.attr_mod & 0xff if mad.attr_id == 0x15 else 0
            return f" by route {','.join(map(str, [0, *ports[:32]]))}{more}" + (f", port {port}" if port else "")
        if mad.mgmt_class == 0x01 and mad.attr_id == 0x15 and mad.attr_mod & 0xff:
            return f" of port {mad.attr_mod & 0xff}"
        if mad.mgmt_class != 3:
            return ""
        mask, = struct.unpack_from(">Q", self.frame, at + 48)
        gids = [ipaddress.IPv6Address(self.frame[record + i:record + i + 16]) for i in (0, 8, 16)]
        pkey = f" with P_Key 0x{self.frame[record + 50:record + 52].hex()}"
        if mad.attr_id == 0x35 and mask & 4:
            return f" for the path to {gids[1]}{pkey if mask & 1 << 13 and any(self.frame[record + 50:record + 52]) else ''}"
        if mad.attr_id == 0x35 and mask & 16:
            return f" for the path to LID 0x{self.frame[record + 40:record + 42].hex()}"
        if mad.attr_id == 0x38 and mask & 1:
            return (f" of port {gids[2]}" if mask & 2 else "") + f" for group {gids[0]}"
        return f" for LID 0x{self.frame[record:record + 2].hex()}" if mad.attr_id in (0x11, 0x12) and mask & 1 else ""

    @property
    def record(self):
        return self["sa"].offset + 20

    @property
    def record_bytes(self):
        return RECORDS[self.attr]

    @property
    def port(self):
        return self["cm_req"].service_id & 0xffff

    @property
    def reject_reasons(self):
        """IBTA vol 1, 12.6.7.2"""
        return {4: "timeout", 8: "invalid service ID", 10: "stale connection",
                12: "primary remote port GID rejected", 13: "primary remote port LID rejected",
                28: "consumer defined", 99: "no name"}

    @property
    def reject_info(self):
        """The additional information, 2 bytes after the reason."""
        info = self.frame[self.at + 2:self.at + 18]
        return {4: f": CA GUID 0x{info[:8].hex()}", 12: f": acceptable GID {ipaddress.IPv6Address(info)}",
                13: f": acceptable LID 0x{info[:2].hex()}"}.get(self.u16(0), "")

    # ---- Addresses ----

    @property
    def gid_whose(self):
        """The source's is 16 bytes before the end of the GRH or IPv6 header, the destination's at it."""
        return "source" if self.at < self.ip.offset + 24 else "destination"

    @property
    def gid_mac(self):
        """RFC 4291, appendix A"""
        gid = self.data(16)
        return ":".join(f"{b:02x}" for b in (gid[8] ^ 2, *gid[9:11], *gid[13:16]))

    @property
    def ip_low23(self):
        """RFC 1112, 6.4"""
        a, b, c = (int(word) for word in self.ip.dst.split(".")[1:])
        return f"{a & 0x7f:02x}:{b:02x}:{c:02x}"

    @property
    def ip_low32(self):
        """RFC 2464, 7"""
        return self.frame[self.ip.offset + 36:self.ip.offset + 40].hex(":")

    @property
    def group(self):
        """What an MGID ends in: 28 bits of an IPv4 address, 32 of those of IPv6 here. RFC 4391, 4"""
        ip = self["ipoib"].offset + 4
        end = struct.unpack_from(">I", self.frame, ip + (16 if self["ipoib"].type == 0x800 else 36))[0]
        end &= 0xfffffff if self["ipoib"].type == 0x800 else 0xffffffff
        return f"{end >> 16:04x}:{end & 0xffff:04x}"

    @property
    def arp_whose(self):
        """The sender's address is before the target's in the 56 bytes: RFC 4391, 9.1.1"""
        return "sender's" if self.at < self["arp_ipoib"].offset + 8 + 24 else "target's"

    # ---- ICMP ----

    @property
    def icmp_says(self):
        kind, code, v6 = self.u8(0), self.u8(1), self.net == "ipv6"
        if kind == (1 if v6 else 3):
            return (UNREACHABLE_V6 if v6 else UNREACHABLE).get(code, "destination unreachable")
        if kind == (3 if v6 else 11):
            return "time of reassembly exceeded" if code == 1 else f"{'hop limit' if v6 else 'TTL'} exceeded"
        return {(2, True): "packet too big", (4, True): "parameter problem", (12, False): "parameter problem"}[kind, v6]

    @property
    def icmp_mtu(self):
        """RFC 1191, 4; RFC 4443, 3.2"""
        if self.net == "ipv6":
            return f", MTU {self.u16(4) << 16 | self.u16(6)}" if self.u8(0) == 2 else ""
        return f", MTU {self.u16(6)}" if self.data(2) == b"\3\4" else ""

    @property
    def quoted(self):
        """What follows the 8 bytes of an ICMP error: IP, UDP, BTH, of the latter as much as there is."""
        data, size, at = self.frame[self.at + 8:], 4 if self.net == "ipv4" else 16, 12 if self.net == "ipv4" else 8
        src, dst = (ipaddress.ip_address(bytes(data[at + i * size:at + (i + 1) * size])) for i in (0, 1))
        there = (self.ip.total_len - 20 if size == 4 else self.ip.paylen) - 8
        bth = data[at + 2 * size + 8:there]
        if len(bth) < 12:
            port = int.from_bytes(data[at + 2 * size:at + 2 * size + 2], "big")
            return f"{src} -> {dst}, UDP source port {port} (its BTH is not quoted)"
        return f"{src} -> {dst} qp 0x{bth[5:8].hex()} psn 0x{bth[9:12].hex()} ({opcodes()[bth[0]]})"

    # ---- Sums ----

    @property
    def ip_sum(self):
        head = self.frame[self.ip.offset:self.ip.offset + self.ip.ihl * 4]
        return internet_sum(head[:10] + b"\0\0" + head[12:])

    @property
    def udp_sum(self):
        udp, ip = self["udp"], self.ip
        size, at = (4, ip.offset + 12) if self.net == "ipv4" else (16, ip.offset + 8)
        body = self.frame[udp.offset:udp.offset + udp.length]
        return internet_sum(self.frame[at:at + 2 * size] + struct.pack(">HH", 17, udp.length)
                            + body[:6] + b"\0\0" + body[8:]) or 0xffff

    @property
    def vcrc_right(self):
        first = self["lrh"].offset if self.has("lrh") else self.rows[-1]["offset"]
        return icrc.crc16(self.frame[first:self.at]).hex()

    # ---- ICRC ----

    def masked(self):
        """{what is taken as ones: [(byte of the frame, bits)]}: IBTA vol 1, 7.8.1, and annexes A16, A17"""
        places = {"BTH byte 4": [(self["bth"].offset + 4, 0xff)]}
        if self.has("udp"):
            places["UDP checksum"] = [(self["udp"].offset + i, 0xff) for i in (6, 7)]
        at = self.ip.offset if self.net else None
        if self.net == "ipv4":
            return places | {"IPv4 TOS": [(at + 1, 0xff)], "IPv4 TTL": [(at + 8, 0xff)],
                             "IPv4 header checksum": [(at + 10, 0xff), (at + 11, 0xff)]}
        if self.net:
            name = "GRH" if self.net == "grh" else "IPv6"
            places |= {f"{name} traffic class": [(at, 0x0f), (at + 1, 0xf0)],
                       f"{name} flow label": [(at + 1, 0x0f), (at + 2, 0xff), (at + 3, 0xff)],
                       f"{name} hop limit": [(at + 7, 0xff)]}
        if self.has("lrh"):
            at = self["lrh"].offset
            places |= {"LRH": [(at + i, 0xff) for i in range(8)]} if self.net else {"LRH VL": [(at, 0xf0)]}
        return places

    def covered(self, sent=(), zeros=(), end=None, flip=None):
        """What an ICRC is made of; @sent and @zeros: what is not taken as ones."""
        frame = bytearray(self.frame)
        if flip:
            frame[flip[0]] ^= flip[1]
        for name, places in self.masked().items():
            for at, bits in places if name not in sent else ():
                frame[at] = frame[at] & ~bits if name in zeros else frame[at] | bits
        first = self["lrh"].offset if self.has("lrh") else self.ip.offset
        front, before = "8 bytes in place of an LRH", b""
        if not self.has("lrh") and front not in sent:
            before = b"\0" * 8 if front in zeros else b"\xff" * 8
        return before + bytes(frame[first:self.icrc_at if end is None else end - 4])

    @staticmethod
    def of(data):
        """As hexadecimal digits in the order of the wire."""
        return "0x" + struct.pack("<I", zlib.crc32(data)).hex()

    def icrc(self, *how, **more):
        return self.of(self.covered(*how, **more))

    def ends_at(self, end):
        return self.icrc(end=end) == "0x" + self.frame[end - 4:end].hex()

    @property
    def icrc_sent(self):
        return "0x" + self.frame[self.icrc_at:self.icrc_at + 4].hex()

    @functools.cached_property
    def icrc_right(self):
        return self.icrc()

    @property
    def icrc_behind(self):
        return self.ends_at(self.at + 4)

    @property
    def from_bth(self):
        return self.frame[self["bth"].offset:self.icrc_at]

    @property
    def icrc_of_bth(self):
        return self.of(icrc.ones(self.from_bth, (4, 0xff)))

    @property
    def icrc_twice(self):
        return self.of(self.covered() + self.from_bth)

    @property
    def flipped(self):
        if self.at >= self.icrc_at:
            return self.frame[self.at] ^ bytes.fromhex(self.icrc()[2:])[self.at - self.icrc_at]
        return next(bit for bit in (1 << i for i in range(8))
                    if self.icrc(flip=(self.at, bit)) == self.icrc_sent)

    @property
    def owner(self):
        """What the byte belongs to: a field is said by its place in the BTH, IBTA vol 1, 9.2"""
        bth = self["bth"].offset
        if self.at >= self.icrc_at:
            return "the ICRC itself"
        if self.at < bth + 12:
            return {(1, 0x40): "bth.migreq", (10, 1): "bth.psn"}[self.at - bth, self.flipped]
        if self.at >= self.icrc_at - self["bth"].padcnt:
            return "the pad"
        return f"payload byte {self.at - bth - self.headers}"

    def told(self):
        """(as sent, as zeros) by the message, if an ICRC made so is what was sent."""
        said = self.said.split(": ", 2)[-1]
        sent, zeros = [], []
        for part in said.split("; "):
            names = part.split(": ")[-1].split(", ")
            (zeros if part.startswith("made with zeros") else sent).extend(names)
        if self.icrc(sent, zeros) != self.icrc_sent:
            return "another", "others"
        return ", ".join(sent), ", ".join(zeros)

    @functools.cached_property
    def as_sent(self):
        return self.told()[0]

    @functools.cached_property
    def as_zeros(self):
        return self.told()[1]


def frames(path):
    """The frames of a pcap of pcaps/make, also of one that ends within one."""
    data, at = path.read_bytes(), 24
    while at + 16 <= len(data):
        caplen, = struct.unpack_from("<I", data, at + 8)
        yield data[at + 16:at + 16 + caplen]
        at += 16 + caplen


def wanted(capture, finding, packet, lines):
    """(line, what the finding has to say)"""
    for line in lines.get(finding["rule"], ()):
        if line.capture:
            if line.capture == capture:
                return line, eval(line.template)
        elif packet and (line.when is None or eval(line.when, {}, packet)):
            return line, eval(line.template, {}, packet)
    return None, "nothing: no line of messages.txt fits"


def zero_macs(rows):
    """RoCE packets whose frame, the one in a tunnel, has a source MAC of zeros and another destination."""
    count = 0
    for row in rows:
        frame = [layer["fields"] for layer in row["layers"] if layer["name"] == "eth"][-1:]
        roce = any(layer["name"] == "bth" for layer in row["layers"])
        count += roce and any(eth["src"] == "00:00:00:00:00:00" != eth["dst"] for eth in frame)
    return count


def zero_checksums(rows):
    """RoCE v2 packets over IPv6 without a UDP checksum."""
    count = 0
    for row in rows:
        names = [layer["name"] for layer in row["layers"] if layer["name"] in ("ipv4", "ipv6", "udp")]
        udp = [layer["fields"] for layer in row["layers"] if layer["name"] == "udp"]
        count += names[-2:] == ["ipv6", "udp"] and udp[-1]["dport"] == 4791 and not udp[-1]["checksum"]
    return count


def check(lint, capture, lines, used):
    """[(frame, rule, said, wanted)] of a capture where the two are not the same, and how many were compared."""
    rows = [row for row in run(lint, "--decode", capture) if row["type"] == "packet"]
    findings = [row for row in run(lint, *OPTIONS, capture)
                if row["type"] == "finding" and row["rule"] not in streams.of_connections()]
    raw = list(frames(capture)) if capture.suffix == ".pcap" else []
    faults, zero, macs = [], zero_checksums(rows), zero_macs(rows)
    for finding in findings:
        number, packet = finding["frame"], None
        if number and number <= len(rows) and number <= len(raw):
            packet = Packet(rows[number - 1], raw[number - 1], finding)
            packet.zero_checksums, packet.zero_macs = zero, macs
        try:
            line, text = wanted(capture.name, finding, packet, lines)
        except (AttributeError, IndexError, KeyError, NameError, StopIteration, struct.error) as error:
            line, text = None, f"something else: {error!r}"
        used.add(line)
        if text != finding["message"]:
            faults.append((number, finding["rule"], finding["message"], text))
    return faults, len(findings)


def conversations(lint, made):
    """(how many comments there are, [fault])"""
    count, faults = 0, []
    for path in sorted(streams.STREAMS.glob("*.txt")):
        said = re.findall(r"^# says: (\d+) (\w+): (.*)$", path.read_text(), re.M)
        if not said:
            continue
        found = collections.defaultdict(list)
        for row in run(lint, *OPTIONS, made / f"streams-{path.stem}.pcap"):
            if row["type"] == "finding":
                found[row["frame"], row["rule"]].append(row["message"])
        faults += [f"{path.name}:{frame}: {rule} says\n    {found[int(frame), rule]}\nmust say\n    {text}"
                   for frame, rule, text in said if found[int(frame), rule] != [text]]
        count += len(said)
    return count, faults


def main():
    lint, made = sys.argv[1], pathlib.Path(sys.argv[2])
    lines, used, count, faults = collections.defaultdict(list), set(), 0, []
    for line in texts():
        lines[line.rule].append(line)
    for capture in sorted(p for p in made.glob("lint-*") if p.suffix in (".pcap", ".pcapng")):
        wrong, compared = check(lint, capture, lines, used)
        faults += [f"{capture.name}:{frame}: {rule} says\n    {said}\nmust say\n    {text}"
                   for frame, rule, said, text in wrong]
        count += compared
    compared, wrong = conversations(lint, made)
    faults += wrong if compared else ["no conversation says what a finding says"]
    count += compared
    faults += [f"messages.txt:{line.number}: {line.rule}: no finding is about it"
               for of_rule in lines.values() for line in of_rule if line not in used]
    print("\n".join(faults + [f"{count} findings, {len(faults)} faults"]))
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
