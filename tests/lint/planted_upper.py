#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_upper.py PCAP-LINT: a fault of a rule about upper layers, planted in a real capture, is found at its frame, and nothing else is.

Ten faults a kind, by a seed that is always the same, in captures of pcaps/ulp and, over iWARP, of siw: fields of messages and of private
data of the CM and of MPA are changed, times moved on, ICRCs and checksums made right. Where a fault makes several messages wrong, all have
to be found, and of its rule nothing else but what the capture shows without it. Which commands there are, tests/oracles/upper.py says. Of
ULP023 there is nothing: no real capture has SMC-R.
Recall and precision have to be 98 % in all, and 90 % of each kind.
"""
import collections
import functools
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/oracles")]
sys.dont_write_bytecode = True
import planted_iwarp as iwarp  # noqa: E402
import roce  # noqa: E402
import siw  # noqa: E402
import upper  # noqa: E402

EACH, ENOUGH, LEAST = 10, 0.98, 0.90
REQ, REP = 0x10, 0x13
PRIVATE = {REQ: 140 + 36, REP: 36}  # in a message of the CM
STARTS, GOES_ON = ("SEND_FIRST", "SEND_ONLY", "SEND_ONLY_INV"), ("SEND_MIDDLE", "SEND_LAST", "SEND_LAST_INV")
KEEP_ALIVE, LOGIN_RESPONSE = 0x18, 0x23
MAP = 4048 * 8  # bits of a congestion map in its first packet


class Capture:
    """The frames of a capture, in the making."""

    def __init__(self, name):
        self.name, self.frames = name, roce.frames(ROOT / "pcaps/ulp" / f"{name}.pcap")

    def write(self, path):
        roce.write(path, self.frames)

    def payload(self, i):
        frame = self.frames[i]
        at = frame.body + roce.EXTENSIONS.get(frame.name, 0)
        return frame.data[at:at + frame.payload]

    def put(self, i, at, data):
        """Other bytes of a payload."""
        frame, whole = self.frames[i], bytearray(self.frames[i].data[:self.frames[i].end + 4])
        at += frame.body + roce.EXTENSIONS.get(frame.name, 0)
        whole[at:at + len(data)] = data
        self.frames[i] = roce.Frame(frame.time, roce.whole(whole, frame.ip, frame.udp))

    def put_cm(self, i, at, data):
        frame, whole = self.frames[i], bytearray(self.frames[i].data[:self.frames[i].end + 4])
        at += frame.body + 8 + 24
        whole[at:at + len(data)] = data
        self.frames[i] = roce.Frame(frame.time, roce.whole(whole, frame.ip, frame.udp))

    def cm(self, attribute):
        return [i for i, frame in enumerate(self.frames) if frame.roce and frame.cm()[0] == attribute]

    def sends(self, test=lambda data: True):
        return [i for i, frame in enumerate(self.frames) if frame.roce and frame.service == roce.RC and frame.name in STARTS and test(self.payload(i))]

    def too_long(self, half, room):
        """Frames by which SENDs have more bytes than that."""
        found, total, going, psns = [], 0, None, set()
        for i, frame in enumerate(self.frames):
            if not frame.roce or frame.half != half or frame.name not in STARTS + GOES_ON or frame.psn in psns:
                continue
            psns.add(frame.psn)
            if frame.name in STARTS:
                total = 0
            elif going != frame.psn:
                continue
            total, going = total + frame.payload, (frame.psn + 1) % roce.PSNS
            if total > room:
                found.append(i)
                going = None
        return found


def words(found, rule):
    return [(rule, i + 1) for i in found]


def connect_is_for_another(rng):
    c = Capture("01-nvme")
    i = rng.choice([i for i in c.cm(REQ) if c.frames[i].cm()[1][PRIVATE[REQ] + 2]])
    qid = c.frames[i].cm()[1][PRIVATE[REQ] + 2]
    c.put_cm(i, PRIVATE[REQ] + 2, bytes([qid + rng.randrange(1, 9)]))
    return c, words([k for k in c.sends(lambda data: data[:1] == b"\x7f" and data[4] == 1 and data[42] == qid) if k > i][:1], "ULP006")


def keep_alive_is_late(rng):
    c = Capture("01d-nvme-keepalive-cut")
    asked = c.sends(lambda data: len(data) == 64 and data[0] == KEEP_ALIVE)
    i = rng.choice(asked[1:4])
    more = rng.randrange(1500, 9000) * 10**6  # they come every second, and have two
    c.frames[i:] = [frame.at(frame.time + more) for frame in c.frames[i:]]
    return c, words([i], "ULP008")


def reply_is_an_error(rng):
    c = Capture(rng.choice(["05-nfs40", "05b-nfs41", "05d-nfs3"]))
    i = rng.choice([i for i in c.sends(lambda data: data[12:16] == bytes(4) and data[32:36] == b"\0\0\0\1") if c.frames[i].name == "SEND_ONLY"])
    c.put(i, 12, b"\0\0\0\4\0\0\0\2")
    c.frames[i] = c.frames[i].changed(shorter=len(c.payload(i)) - 20)
    return c, words([i], "ULP016")


def summed(header):
    header[30:32] = bytes(2)
    struct.pack_into(">H", header, 30, roce.checksum(bytes(header)))
    return header


def datagram(rng, test=lambda data: True):
    c = Capture("04-rds")
    i = rng.choice(c.sends(lambda data: len(data) >= 48 and test(data)))
    return c, i, bytearray(c.payload(i)[:48])


def header_of_rds(rng):
    c, i, header = datagram(rng)
    which = rng.randrange(3)
    if which == 0:
        header[31] ^= rng.randrange(1, 255)
    elif which == 1:
        struct.pack_into(">I", header, 16, rng.randrange((1 << 20) + 1, 1 << 32))
    else:
        header[32] = rng.randrange(7, 256)
    c.put(i, 0, summed(header) if which else header)
    return c, words([i], "ULP019")


def stream_of_rds(rng):
    if rng.random() < 0.5:
        c, i, header = datagram(rng, lambda data: data[7])
        header[24] |= 4
        c.put(i, 0, summed(header))
    else:
        c, i, _ = datagram(rng, lambda data: data[24] & 1)
        c.put(i, 48 + rng.randrange(MAP // 8), bytes([1 << rng.randrange(8)]))
    return c, words([i], "ULP020")


def word_of_rsocket(rng):
    c = Capture(rng.choice(["06-rstream", "06c-rcopy"]))
    i = rng.choice([i for i, frame in enumerate(c.frames) if frame.roce and frame.service == roce.RC and frame.name == "WRITE_ONLY_IMM"])
    frame, whole = c.frames[i], bytearray(c.frames[i].data[:c.frames[i].end + 4])
    word, = struct.unpack_from(">I", whole, frame.body + 16)
    word = word & 0x1fffffff | rng.choice([1, 2, 3, 5]) << 29 if word >> 29 or rng.random() < 0.5 else word + rng.randrange(1, 1000)
    struct.pack_into(">I", whole, frame.body + 16, word)
    c.frames[i] = roce.Frame(frame.time, roce.whole(whole, frame.ip, frame.udp))
    return c, words([i], "ULP022")


def capsule_is_too_long(rng):
    """Identify Controller says less: of its data the name of the subsystem is at 768, IOCCSZ at 1792."""
    c, room = Capture("01-nvme"), 64 + 16 * rng.randrange(256)
    for i, frame in enumerate(c.frames):
        if frame.roce and frame.name == "WRITE_ONLY" and frame.payload == 4096 and c.payload(i)[768:771] == b"nqn":
            c.put(i, 1792, struct.pack("<I", room // 16))
    connect = c.sends(lambda data: len(data) >= 64 and data[:1] == b"\x7f" and data[4] == 1 and data[42] == 1)[0]
    too_long = c.too_long(c.frames[connect].half, room)
    return c, words([i for i in too_long if i != connect], "ULP024")  # whose controller the Connect is for, only its answer says


def unit_is_too_long(rng):
    c, rep = Capture("03-srp"), None
    rep, room = c.cm(REP)[0], rng.randrange(64, 200)
    c.put_cm(rep, PRIVATE[REP] + 16, struct.pack(">I", room))
    command = c.sends(lambda data: data[:1] == b"\2")[0]
    return c, words(c.too_long(c.frames[command].half, room), "ULP024")


def call_is_too_long(rng):
    c = Capture(rng.choice(["05-nfs40", "05b-nfs41", "05c-nfs42", "05d-nfs3"]))
    attribute, mine = rng.choice([(REP, True), (REQ, False)])
    i = c.cm(attribute)[0]
    c.put_cm(i, PRIVATE[attribute] + 7, b"\0")
    first = c.sends()[0]
    halves = {frame.half for frame in c.frames if frame.roce and frame.service == roce.RC}
    half = c.frames[first].half if mine else next(half for half in halves if half[:2] == (c.frames[first].dst, c.frames[first].src))
    return c, words(c.too_long(half, 1024), "ULP024")


def transfer_is_too_long(rng):
    c, room = Capture("08-smb-direct"), rng.randrange(100, 300)
    i = c.sends(lambda data: len(data) == 32 and data[:6] == b"\0\1" * 3)[0]
    c.put(i, 24, struct.pack("<I", room))
    first = c.sends(lambda data: len(data) == 20)[0]
    return c, words(c.too_long(c.frames[first].half, room), "ULP024")


def login_is_refused(rng):
    c = Capture("02-iser")
    i = rng.choice(c.sends(lambda data: len(data) >= 76 and data[28] & 0x3f == LOGIN_RESPONSE))
    c.put(i, 28 + 36, bytes([rng.choice([2, 3]), rng.randrange(12)]))
    return c, words([i], "ULP025")


def negotiation_is_refused(rng):
    c = Capture("08-smb-direct")
    i = c.sends(lambda data: len(data) == 32 and data[:6] == b"\0\1" * 3)[0]
    c.put(i, 12, struct.pack("<I", 0xc0000000 | rng.randrange(1, 300)))
    return c, words([i], "ULP025")


# Commands, as the oracle of them has them: tests/oracles/upper.py

ROCE = ("01-nvme", "02-iser", "03-srp", "05-nfs40", "05b-nfs41", "05c-nfs42", "05d-nfs3")
NFS = ROCE[3:]
TRANSFERS = ("WRITE_FIRST", "WRITE_ONLY", "READ_REQUEST")
ISER = 28  # bytes of its header
# Where a command has its id, and an answer.
IDS = {"NVMe-oF": (2, 12, "<H"), "SRP": (8, 8, ">Q"), "iSER": (ISER + 16, ISER + 16, ">I"), "RPC-over-RDMA": (0, 0, ">I")}


@functools.lru_cache
def read(name):
    return upper.Reader(ROOT / "pcaps/ulp" / f"{name}.pcap")


def rows(name, test=lambda row, queue: True):
    """Commands that are answered, and their connections."""
    reader = read(name)
    return [(row, reader.queues[row["number"]]) for row in reader.rows if row["end"] and test(row, reader.queues[row["number"]])]


def one_of(rng, names, test=lambda row, queue: True):
    """(Capture, command, connection)"""
    name = rng.choice([name for name in names if rows(name, test)])
    return (Capture(name), *rng.choice(rows(name, test)))


def put_id(c, frame, queue, answer, ident):
    """Another id, in RPC in both headers. Frames of the oracle count from 1."""
    at, form = IDS[queue.PROTOCOL][answer], IDS[queue.PROTOCOL][2]
    data, i = c.payload(frame - 1), frame - 1
    if queue.PROTOCOL == "RPC-over-RDMA":
        c.put(i, 0, data.replace(data[:4], struct.pack(form, ident)))
    else:
        c.put(i, at, struct.pack(form, ident))


def unused(rng, name):
    ids = {row["id"] for row in read(name).rows}
    return next(ident for ident in iter(lambda: rng.randrange(1, 1 << 16), None) if ident not in ids)


def transfer_is_elsewhere(rng):
    """With another key, or, where a key is of one piece of memory, after it."""
    c = Capture(rng.choice(ROCE))
    i = rng.choice([i for i, frame in enumerate(c.frames) if frame.roce and frame.service == roce.RC and frame.name in TRANSFERS and frame.reth[2]])
    frame, whole = c.frames[i], bytearray(c.frames[i].data[:c.frames[i].end + 4])
    address, key, _ = frame.reth
    if c.name in NFS or rng.random() < 0.5:
        struct.pack_into(">I", whole, frame.body + 8, key ^ rng.randrange(1, 1 << 32))
    else:
        struct.pack_into(">Q", whole, frame.body, address + (1 << 24))
    c.frames[i] = roce.Frame(frame.time, roce.whole(whole, frame.ip, frame.udp))
    return c, words([i], "ULP001")


def id_is_used_again(rng):
    pairs = []
    for name in ROCE:
        those = sorted(read(name).rows, key=lambda row: row["frame"])
        pairs += [(name, one, other) for one in those for other in those if one["number"] == other["number"] and one["id"] != other["id"]
                  and one["frame"] < other["frame"] and not (one["end"] and one["end"] <= other["frame"])]
    name, one, other = rng.choice(pairs)
    c = Capture(name)
    put_id(c, other["frame"], read(name).queues[one["number"]], False, one["id"])
    return c, [("ULP002", other["frame"])]


def answer_has_no_command(rng):
    c, row, queue = one_of(rng, ROCE)
    put_id(c, row["end"], queue, True, unused(rng, c.name))
    return c, [("ULP003", row["end"])]


def answer_never_comes(rng):
    """Others have come, the connection is closed, and no later command has the id."""
    c, row, queue = one_of(rng, ROCE, lambda row, queue: queue.closed and sum(
        other["number"] == row["number"] and bool(other["end"]) for other in queue_rows(queue)) > 1 and not any(
        other["number"] == row["number"] and other["id"] == row["id"] and other["frame"] > row["frame"] for other in queue_rows(queue)))
    put_id(c, row["end"], queue, True, unused(rng, c.name))
    return c, [("ULP004", row["frame"])]


def queue_rows(queue):
    return next(read(name).rows for name in ROCE if queue in read(name).queues)


def queue_is_short(rng):
    """Two entries; some answers are for no command, so commands stay open."""
    found = None
    while not found:
        c = Capture("01-nvme")
        queue = rng.choice([queue for queue in read(c.name).queues if queue.PROTOCOL == "NVMe-oF"])
        mine = sorted((row for row in read(c.name).rows if row["number"] == queue.number), key=lambda row: row["frame"])
        lost = rng.sample([row for row in mine[1:] if row["end"]], 3) if len(mine) > 5 else []
        opened = 0
        for frame, step in sorted([(row["frame"], 1) for row in mine] + [(row["end"], -1) for row in mine if row["end"] and row not in lost]):
            opened += step
            if opened > 2:
                found = frame
                break
    c.put(mine[0]["frame"] - 1, 44, struct.pack("<H", 1))
    for row in lost:
        put_id(c, row["end"], queue, True, unused(rng, c.name))
    return c, [("ULP005", found)]


def descriptor_or_capsule(rng):
    c, row, _ = one_of(rng, ("01-nvme",))
    if rng.random() < 0.5:
        c.put(row["frame"] - 1, 39, bytes([rng.choice([kind for kind in range(1, 256) if kind not in (1, 0x30, 0x40, 0x4f)])]))
        return c, [("ULP007", row["frame"])]
    i = row["end"] - 1
    c.frames[i] = c.frames[i].changed(shorter=4 * rng.randrange(1, 4))
    return c, [("ULP007", row["end"])]


def status_is_an_error(rng):
    of_scsi = ("READ", "WRITE", "INQUIRY", "TEST UNIT", "MODE", "REPORT")
    c, row, queue = one_of(rng, ROCE[:3], lambda row, queue: row["status"] == "success" and (
        queue.PROTOCOL == "NVMe-oF" or row["name"].startswith(of_scsi)))
    i = row["end"] - 1
    if queue.PROTOCOL == "NVMe-oF":
        c.put(i, 14, struct.pack("<H", rng.randrange(1, 1 << 11) << 1))
    else:
        c.put(i, 19 if queue.PROTOCOL == "SRP" else ISER + 3, bytes([rng.choice([8, 0x18, 0x28, 0x40])]))
    return c, [("ULP010", row["end"])]


def header_of_iser(rng):
    c = Capture("02-iser")
    i = rng.choice(c.sends(lambda data: len(data) >= 76 and data[0] >> 4 == 1 and data[ISER] & 0x3f not in (3, LOGIN_RESPONSE)))
    if rng.random() < 0.5:
        c.put(i, 0, bytes([c.payload(i)[0] & 15 | rng.choice([0, *range(4, 16)]) << 4]))
    else:
        c.put(i, 1 + rng.randrange(3), bytes([rng.randrange(1, 256)]))
    return c, words([i], "ULP011")


def stag_is_missing(rng):
    c = Capture("02-iser")
    i = rng.choice(c.sends(lambda data: len(data) >= 76 and data[ISER] & 0x3f == 1 and data[0] & 0x0c))
    c.put(i, 0, bytes([c.payload(i)[0] & 0xf3]))
    return c, words([i], "ULP012")


def task_is_aborted(rng):
    c, row, queue = one_of(rng, ROCE[:3], lambda row, queue: row["name"].startswith(("READ", "WRITE")) if queue.PROTOCOL != "NVMe-oF" else
                           not queue.id and row["name"] != "Connect")
    at, octet = {"NVMe-oF": (0, 8), "SRP": (0, 1), "iSER": (ISER, 2)}[queue.PROTOCOL]
    c.put(row["frame"] - 1, at, bytes([octet]))
    return c, [("ULP013", row["frame"])]


def message_of_nfs(rng):
    """Not the first, by which the connection is known."""
    c = Capture(rng.choice(NFS))
    return c, rng.choice(c.sends(lambda data: len(data) >= 36 and data[4:8] == b"\0\0\0\1" and data[12:28] == bytes(16) and data[28:32] == data[:4])[1:])


def header_of_rpc(rng):
    c, i = message_of_nfs(rng)
    at, word = rng.choice([(12, rng.randrange(5, 99)), (0, rng.randrange(1 << 32)), (24, rng.randrange(2, 99))])
    c.put(i, at, struct.pack(">I", word))
    return c, words([i], "ULP014")


def version_of_rpc(rng):
    c, i = message_of_nfs(rng)
    c.put(i, 4, struct.pack(">I", rng.choice([0, rng.randrange(2, 99)])))
    return c, words([i], "ULP014")


def no_credits(rng):
    c, i = message_of_nfs(rng)
    c.put(i, 8, bytes(4))
    return c, words([i], "ULP015")


def chunk_is_another(rng):
    """Of the write list of a reply: more than the call offers, or elsewhere."""
    found = []
    while not found:
        c = Capture(rng.choice(NFS))
        found = [row["end"] - 1 for row, _ in rows(c.name) if c.payload(row["end"] - 1)[12:24] in
                 (bytes(8) + b"\0\0\0\1", b"\0\0\0\1" + bytes(4) + b"\0\0\0\1") and any(c.payload(row["end"] - 1)[32:36])]
    i = rng.choice(found)
    key, size, place = struct.unpack_from(">IIQ", c.payload(i), 28)
    which = rng.randrange(3)
    c.put(i, 28, struct.pack(">IIQ", key ^ (which == 0) * rng.randrange(1, 1 << 32), size + (which == 1) * (1 << 24), place + (which == 2) * 8))
    return c, words([i], "ULP017")


def reply_chunk_is_another(rng):
    """Of a reply that was written to its chunk, which is all that the message has."""
    found = []
    while not found:
        c = Capture(rng.choice(NFS))
        found = [row["end"] - 1 for row, _ in rows(c.name) if c.payload(row["end"] - 1)[12:28] == b"\0\0\0\1" + bytes(8) + b"\0\0\0\1"]
    i = rng.choice(found)
    key, size, place = struct.unpack_from(">IIQ", c.payload(i), 32)
    which = rng.randrange(3)
    c.put(i, 32, struct.pack(">IIQ", key ^ (which == 0) * rng.randrange(1, 1 << 32), size + (which == 1) * (1 << 24), place + (which == 2) * 8))
    return c, words([i], "ULP017")


def header_of_smb_direct(rng):
    c = Capture(rng.choice(["08-smb-direct", "08b-smb-direct-server-dies"]))
    i = rng.choice([i for i in c.sends(lambda data: len(data) >= 24 and data[:2] != b"\0\1" and any(data[16:20])) if c.frames[i].name == "SEND_ONLY"])
    place, size = struct.unpack_from("<II", c.payload(i), 12)
    at, what = rng.choice([(0, bytes(2)), (12, struct.pack("<I", place + 4)), (16, struct.pack("<I", size + 1 + rng.randrange(1 << 20)))])
    c.put(i, at, what)
    return c, words([i], "ULP018")


def unit_of_srp(rng):
    c, row, _ = one_of(rng, ("03-srp",), lambda row, queue: row["frame"] > queue.frame)
    which, command = rng.randrange(3), row["frame"] - 1
    if which == 0:
        c.put(command, 0, bytes([rng.randrange(8, 0x40)]))
    elif which == 1:
        c.put(command, 31, b"\xfc")
    else:
        c.put(row["end"] - 1, 0, bytes([rng.randrange(0x90, 0xc0)]))
    return c, [("ULP021", row["end"] if which == 2 else row["frame"])]


# Over iWARP

MPA, SENDS, INVALIDATING = 20, (3, 4, 5, 6), (4, 6)  # octets of an MPA frame before private data; opcodes


def connection(rng, *names):
    """A connection of a capture, with the end that asks first."""
    name = rng.choice(names)
    plan = iwarp.Plan(name, rng.randrange(len(iwarp.started(name))))
    return plan, *sorted(plan.sides, key=lambda side: side.frame.reply)


def private(side):
    return MPA + 4 * bool(side.frame.enhanced)


def sends(side, opcodes=SENDS):
    return [one for one in side.fpdus if one.opcode in opcodes and not one.mo]


def connect_over_iwarp_is_for_another(rng):
    plan, host, _ = connection(rng, "01-nvme-siw")
    qid = host.data[private(host) + 2]
    host.poke(private(host) + 2, bytes([qid + rng.randrange(1, 9)]))
    return plan, [("ULP006", host.frame_of(sends(host)[0]))]


def other_key_over_iwarp(rng):
    plan, target = None, None
    while not target or not sends(target, INVALIDATING):
        plan, _, target = connection(rng, "01-nvme-siw", "05-nfs4-siw", "05d-nfs3-siw")
    fpdu = rng.choice(sends(target, INVALIDATING))
    target.of_fpdu(fpdu, 4, struct.pack(">I", rng.randrange(1 << 32)))
    return plan, [("ULP009", target.frame_of(fpdu))]


def longer(side, room):
    """Frames by which Sends have more octets than that."""
    found, total, going = [], 0, False
    for one in (one for one in side.fpdus if one.opcode in SENDS):
        total, going = (len(one.payload), True) if not one.mo else (total + len(one.payload), going)
        if going and total > room:
            found.append(side.frame_of(one))
            going = False
    return found


def call_over_iwarp_is_too_long(rng):
    found = []
    while not found:
        plan, client, server = connection(rng, "05-nfs4-siw", "05d-nfs3-siw")
        says, sender = rng.choice([(server, client), (client, server)])
        found = longer(sender, 1024)
    says.poke(private(says) + 7, b"\0")
    return plan, [("ULP024", frame) for frame in found]


def host_over_iwarp_is_refused(rng):
    plan, _, target = connection(rng, "01-nvme-siw")
    target.poke(iwarp.FLAGS, bytes([target.data[iwarp.FLAGS] | 0x20]))
    target.poke(private(target) + 2, bytes([rng.randrange(1, 10), 0]))
    plan.until(target.sent_in(target.frame.bytes - 1))
    return plan, [("ULP025", target.sent_in(target.frame.bytes - 1))]


def word_over_iwarp(rng):
    """In the byte order of the sender, which has little-endian words; the end that begins and the one that answers."""
    plan, *sides = connection(rng, "06-rstream-siw")
    side = rng.choice(sides)
    written = [(before, one) for before, one in zip(side.fpdus, side.fpdus[1:]) if one.opcode in SENDS and before.opcode == 0]
    fpdu = rng.choice(written)[1]
    word, = struct.unpack("<I", fpdu.payload)
    word = word & 0x1fffffff | rng.choice([1, 2, 3, 5]) << 29 if word >> 29 or rng.random() < 0.5 else word + rng.randrange(1, 1000)
    side.of_fpdu(fpdu, 20, struct.pack("<I", word))
    return plan, [("ULP022", side.frame_of(fpdu))]


KINDS = (transfer_is_elsewhere, id_is_used_again, answer_has_no_command, answer_never_comes, queue_is_short, descriptor_or_capsule,
         status_is_an_error, header_of_iser, stag_is_missing, task_is_aborted, header_of_rpc, version_of_rpc, no_credits, chunk_is_another,
         reply_chunk_is_another, header_of_smb_direct, unit_of_srp, connect_is_for_another, keep_alive_is_late, reply_is_an_error,
         header_of_rds, stream_of_rds, word_of_rsocket, capsule_is_too_long, unit_is_too_long, call_is_too_long, transfer_is_too_long,
         login_is_refused, negotiation_is_refused, connect_over_iwarp_is_for_another, other_key_over_iwarp, call_over_iwarp_is_too_long,
         host_over_iwarp_is_refused, word_over_iwarp)


def found_in(lint, path):
    done = subprocess.run([lint, "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json", "--progress", "never", path],
                          capture_output=True, text=True, check=True)
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return collections.Counter((line["rule"], line["frame"]) for line in lines if line["type"] == "finding" and line["rule"].startswith("ULP"))


@functools.lru_cache
def before(lint, name):
    """What the capture shows without a fault."""
    path = ROOT / "pcaps/ulp" / f"{name}.pcap"
    return found_in(lint, path if path.exists() else siw.path_of(name))


def main():
    lint, rng, sums, faults = sys.argv[1], random.Random("upper"), collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as scratch:
        for kind in KINDS:
            for n in range(EACH):
                path = pathlib.Path(scratch) / f"{kind.__name__}-{n}.pcap"
                c, planted = kind(rng)
                wanted = collections.Counter(planted)
                c.write(path)
                mine = {rule for rule, _ in wanted}
                found = found_in(lint, path) - collections.Counter({key: n for key, n in before(lint, c.name).items() if key not in wanted})
                shown = collections.Counter({key: count for key, count in found.items() if key[0] in mine})
                sums[kind.__name__] += collections.Counter(planted=wanted.total(), found=(wanted & shown).total(), more=(shown - wanted).total())
                if shown != wanted:
                    faults.append(f"{kind.__name__} {n}: missed {sorted((wanted - shown).elements())[:4]}, found in addition {sorted((shown - wanted).elements())[:4]}")
    total = sum(sums.values(), collections.Counter())
    for name, of in [*sums.items(), ("all", total)]:
        recall, precision = of["found"] / max(1, of["planted"]), of["found"] / max(1, of["found"] + of["more"])
        least = ENOUGH if name == "all" else LEAST
        print(f"{name}: {of['planted']} planted, {of['found']} found, {of['more']} in addition")
        if not of["planted"] or min(recall, precision) < least:
            faults.append(f"{name}: recall {recall:.3f}, precision {precision:.3f}")
    print("\n".join(faults))
    return len([fault for fault in faults if "recall" in fault])


if __name__ == "__main__":
    sys.exit(main())
