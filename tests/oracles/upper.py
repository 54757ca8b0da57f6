# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""SRP, iSER, RPC over RDMA with NFS, and SMB Direct, by the bytes: their requests and answers, as commands.py joins them.

T10 SRP r16a, 5 and 6 (information units and descriptors), Linux' srp.h for immediate data; RFC 7145, 9 (iSER headers), RFC 7143, 11
(PDUs); SPC-4, 4.5 (sense data); RFC 8166, 4 (chunks), RFC 5531, 9 (calls and replies), RFC 1813 and 8881, 16 (results of NFS);
MS-SMBD, 2.2, MS-SMB2, 2.2.1. Only the first packet of a message is looked at.
"""
import struct

import commands
import upper_iwarp
from commands import ANSWERER, CALLER, Answer, Queue, Request
from nvme import Nvme
from packet import SEND_FIRST, SEND_ONLY, WRITE_FIRST, WRITE_ONLY
from upper_names import (ISCSI, ISCSI_LOGIN, ISCSI_LOGOUT, ISCSI_RESPONSE, ISCSI_TASK, NFS3, NFS4, NFS_STATUS, RPC_ACCEPT,
                         RPC_PROGRAM, SCSI, SCSI_STATUS, SENSE_KEY, SMB2, SRP_RSP_CODE)

MOVED = ("Target moved temporarily", "Target moved permanently")
SUCCESS, CHECK_CONDITION = "success", 0x02


def scsi_status(status, sense):
    """In words; @sense: the sense data, as far as they are there."""
    words = SCSI_STATUS.get(status, f"status 0x{status:02x}")
    if status != CHECK_CONDITION:
        return words
    if len(sense) >= 14 and sense[0] & 0x7f in (0x70, 0x71):
        key, asc, ascq = sense[2], sense[12], sense[13]
    elif len(sense) >= 4 and sense[0] & 0x7f in (0x72, 0x73):
        key, asc, ascq = sense[1:4]
    else:
        return words
    return f"{words}: {SENSE_KEY.get(key & 15, f'sense key 0x{key & 15:x}')}, asc 0x{asc:02x} ascq 0x{ascq:02x}"


def told(ident, words):
    return Answer(ident, words, words != SUCCESS)


class Srp(Queue):
    PROTOCOL, FROM_CM = "SRP", True
    TSK_MGMT, CMD, RSP = 0x01, 0x02, 0xc1
    NONE, DIRECT, INDIRECT, IMMEDIATE = range(4)

    @classmethod
    def descriptors(cls, data):
        """(bytes moved, offers, length of the unit) of a command, as far as they are in the packet; the length is None, where it is not."""
        at, after, total, offers = 48 + (data[31] & 0xfc), 0, 0, []
        for form, count in ((data[5] >> 4, data[6]), (data[5] & 15, data[7])):
            size = {cls.NONE: 0, cls.DIRECT: 16, cls.INDIRECT: 20, cls.IMMEDIATE: 4}.get(form)
            if size is None or at + size > len(data):
                return total, offers, None
            if form in (cls.DIRECT, cls.INDIRECT):
                offers.append(struct.unpack_from(">QII", data, at))
                total += offers[-1][2] if form == cls.DIRECT else struct.unpack_from(">I", data, at + 16)[0]
            elif form == cls.IMMEDIATE:
                after, = struct.unpack_from(">I", data, at)
                total += after
            at += size
            for _ in range(count if form == cls.INDIRECT else 0):
                if at + 16 > len(data):
                    return total, offers, None
                offers.append(struct.unpack_from(">QII", data, at))
                at += 16
        return total, offers, at + after

    @classmethod
    def begins(cls, op, data):
        if op != SEND_ONLY or len(data) < 48 or data[0] != cls.CMD or data[1] >= 8 or any(data[2:5]) or data[32] not in SCSI:
            return False
        size, immediate = cls.descriptors(data)[2], cls.IMMEDIATE in (data[5] >> 4, data[5] & 15)
        return size is not None and (len(data) >= size if immediate else len(data) == size)

    def requests(self, op, data):
        if len(data) < 48:
            return []
        tag, = struct.unpack_from(">Q", data, 8)
        if data[0] == self.TSK_MGMT:
            return [Request("SRP_TSK_MGMT", tag)]
        if data[0] != self.CMD:
            return []
        total, offers, _ = self.descriptors(data)
        return [Request(data[32], tag, total, tuple((key, address, size) for address, key, size in offers if size))]

    def answers_in(self, op, data):
        if len(data) < 36 or data[0] != self.RSP:
            return []
        tag, = struct.unpack_from(">Q", data, 8)
        sense, response = struct.unpack_from(">II", data, 28)
        if not data[18] & 1:
            response = 0
        one = self.open.get(tag)
        if one and one.code == "SRP_TSK_MGMT":
            code = data[39] if response >= 4 and len(data) >= 40 else 0
            return [told(tag, SRP_RSP_CODE.get(code, f"response code 0x{code:02x}"))]
        sense = data[36 + response:36 + response + sense] if data[18] & 2 else b""
        return [told(tag, scsi_status(data[19], sense))]

    def name(self, code):
        return code if isinstance(code, str) else SCSI.get(code, f"opcode 0x{code:02x}")


class Iser(Queue):
    PROTOCOL = "iSER"
    HEADER, BHS, WSV, RSV = 28, 48, 0x08, 0x04
    NOP_OUT, COMMAND, TASK, LOGIN, TEXT, DATA_OUT, LOGOUT = range(7)
    ANSWERS = 0x20  # and the number of the request
    NO_TAG = 0xffffffff

    @classmethod
    def begins(cls, op, data):
        return op in (SEND_ONLY, SEND_FIRST) and cls.pdu(data)[0] == cls.LOGIN

    @classmethod
    def pdu(cls, data):
        """(opcode, BHS, data segment as far as it is there)"""
        if len(data) < cls.HEADER + cls.BHS or data[0] >> 4 != 1:
            return None, b"", b""
        bhs = data[cls.HEADER:cls.HEADER + cls.BHS]
        at = cls.HEADER + cls.BHS + 4 * bhs[4]
        return bhs[0] & 0x3f, bhs, data[at:at + int.from_bytes(bhs[5:8], "big")]

    def requests(self, op, data):
        opcode, bhs, segment = self.pdu(data)
        if opcode not in ISCSI:
            return []
        tag, size = struct.unpack_from(">II", bhs, 16)
        if opcode == self.NOP_OUT and tag == self.NO_TAG:
            return []
        if opcode == self.LOGIN and self.target is None:
            for pair in segment.split(b"\0"):
                if pair.startswith(b"TargetName="):
                    self.target = pair.partition(b"=")[2].decode("latin-1")
                    break
        if opcode != self.COMMAND:
            return [Request(("iSCSI", opcode), tag)]
        flags, write, at, read, to = struct.unpack_from(">BxxxIQIQ", data)
        offers = ([(write, at, size)] if flags & self.WSV else []) + ([(read, to, size)] if flags & self.RSV else [])
        return [Request(bhs[32], tag, size, tuple(offers) if size else ())]

    @staticmethod
    def response(names, bhs):
        return names.get(bhs[2], f"response 0x{bhs[2]:02x}")

    def failed(self, one, answer):
        """A login that is sent elsewhere is not refused."""
        return "ULP025" if one.code == ("iSCSI", self.LOGIN) and answer.status not in MOVED else "ULP010"

    def answers_in(self, op, data):
        opcode, bhs, segment = self.pdu(data)
        if opcode is None or opcode - self.ANSWERS not in ISCSI:
            return []
        tag, request = struct.unpack_from(">I", bhs, 16)[0], opcode - self.ANSWERS
        if request == self.NOP_OUT and tag == self.NO_TAG:
            return []
        if request == self.COMMAND:
            size = int.from_bytes(segment[:2], "big")
            return [told(tag, self.response(ISCSI_RESPONSE, bhs) if bhs[2] else scsi_status(bhs[3], segment[2:2 + size]))]
        words = SUCCESS
        if request == self.LOGIN:
            code = bhs[36] << 8 | bhs[37]
            words = ISCSI_LOGIN.get(code, f"status 0x{code:04x}")
        elif request in (self.TASK, self.LOGOUT) and bhs[2]:
            words = self.response(ISCSI_TASK if request == self.TASK else ISCSI_LOGOUT, bhs)
        return [told(tag, words)]

    def name(self, code):
        return ISCSI[code[1]] if isinstance(code, tuple) else SCSI.get(code, f"opcode 0x{code:02x}")


class Short(Exception):
    """What is to be read is not in the packet."""


class Xdr:
    """RFC 4506: words and what is made of them."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def word(self):
        if self.at + 4 > len(self.data):
            raise Short
        self.at += 4
        return int.from_bytes(self.data[self.at - 4:self.at], "big")

    def skip(self, size):
        if self.at + size > len(self.data):
            raise Short
        self.at += size

    def opaque(self):
        self.skip(self.word() + 3 & ~3)

    def segment(self):
        key, size = self.word(), self.word()
        return key, self.word() << 32 | self.word(), size

    def chunk(self):
        return [self.segment() for _ in range(self.word())]


class Header:
    """A header of RPC over RDMA, version 1: its lists, of those types that have them."""
    MSG, NOMSG, ERROR = 0, 1, 4

    def __init__(self, xdr):
        self.xid, self.version, self.credits, self.type = (xdr.word() for _ in range(4))
        self.reads, self.writes, self.reply = [], [], []
        if self.version != 1 or self.type not in (self.MSG, self.NOMSG):
            return
        while xdr.word():
            self.reads.append((xdr.word(), xdr.segment()))
        while xdr.word():
            self.writes += xdr.chunk()
        if xdr.word():
            self.reply = xdr.chunk()


class Rpc(Queue):
    PROTOCOL, FROM_CM = "RPC-over-RDMA", True
    CALL, REPLY, NFS, COMPOUND = 0, 1, 100003, 1
    PUTFH, PUTPUBFH, PUTROOTFH, RESTOREFH, SAVEFH, SEQUENCE = 22, 23, 24, 31, 32, 53
    ERRORS = {1: "RDMA_ERROR: version", 2: "RDMA_ERROR: chunk"}

    def __init__(self, number, packet, data):
        super().__init__(number, packet, data)
        self.chunks, self.replies = {}, {}  # by XID: where a long reply is to begin, and what it says

    @classmethod
    def begins(cls, op, data):
        try:
            header, call = cls.call(data)
        except Short:
            return False
        return header.credits > 0 and call is not None and call[0] == header.xid

    @classmethod
    def call(cls, data):
        """(Header, (XID, program, version, procedure, the rest)); no call: (Header, None)."""
        xdr = Xdr(data)
        header = Header(xdr)
        if header.version != 1 or header.type != Header.MSG:
            return header, None
        xid = xdr.word()
        if (xdr.word(), xdr.word()) != (cls.CALL, 2):
            return header, None
        return header, (xid, xdr.word(), xdr.word(), xdr.word(), xdr)

    def requests(self, op, data):
        try:
            header, call = self.call(data)
        except Short:
            return []
        if header.type == Header.NOMSG and header.version == 1 and any(position == 0 for position, _ in header.reads):
            code = "call in a chunk"
        elif call:
            _, program, version, procedure, rest = call
            of_compound = (program, version, procedure) == (self.NFS, 4, self.COMPOUND)
            code = program, version, procedure, self.operation(rest) if of_compound else None
        else:
            return []
        moved = [segment for position, segment in header.reads if position] + header.writes
        offers = [segment for _, segment in header.reads] + header.writes + header.reply
        self.chunks[header.xid] = header.reply[:1]
        self.replies.pop(header.xid, None)
        return [Request(code, header.xid, sum(size for _, _, size in moved), tuple(offer for offer in offers if offer[2]))]

    def operation(self, xdr):
        """The operation that a COMPOUND is named after; None: none can be read."""
        last = None
        try:
            for _ in range(2):  # credential and verifier
                xdr.word()
                xdr.opaque()
            xdr.opaque()
            xdr.word()
            for _ in range(xdr.word()):
                last = xdr.word()
                if last == self.PUTFH:
                    xdr.opaque()
                elif last == self.SEQUENCE:
                    xdr.skip(16 + 4 * 4)
                elif last not in (self.PUTPUBFH, self.PUTROOTFH, self.RESTOREFH, self.SAVEFH):
                    break
        except Short:
            pass
        return last

    def answers_in(self, op, data):
        xdr = Xdr(data)
        try:
            header = Header(xdr)
            if header.version != 1:
                return []
            if header.type == Header.NOMSG:
                words = self.replies.get(header.xid)
                return [told(header.xid, words) if words else Answer(header.xid, "reply in a chunk", False)]
            if header.type == Header.ERROR:
                words = self.ERRORS.get(xdr.word())
                if words == self.ERRORS[1]:
                    words += ", {} to {} are supported".format(xdr.word(), xdr.word())
                return [told(header.xid, words)] if words else []
            if header.type != Header.MSG or (xdr.word(), xdr.word()) != (header.xid, self.REPLY):
                return []
        except Short:
            return []
        try:
            return [told(header.xid, self.status(self.open.get(header.xid), xdr))]
        except Short:
            return [told(header.xid, SUCCESS)]

    def failed(self, one, answer):
        return "ULP016" if answer.status.startswith("RDMA_ERROR") else "ULP010"

    def heard(self, side, packet, data, reth):
        """A reply that is written to the chunk for it: what an inline one would say."""
        if side == CALLER or packet.op not in (WRITE_FIRST, WRITE_ONLY):
            return
        address, key, _ = struct.unpack(">QII", reth)
        xdr, owners = Xdr(data), self.owners(key)
        for one, _, _ in owners if len(owners) == 1 else ():
            try:
                begins = [(key, address)] == [(at, start) for at, start, _ in self.chunks[one.id]]
                if begins and (xdr.word(), xdr.word()) == (one.id, self.REPLY):
                    self.replies[one.id] = self.status(one, xdr)
            except Short:
                pass

    def status(self, one, xdr):
        """What a reply says; Short: it is not there."""
        if xdr.word():
            return "call denied"
        xdr.word()
        xdr.opaque()
        accepted = xdr.word()
        if accepted:
            return RPC_ACCEPT.get(accepted, f"accept status 0x{accepted:02x}")
        if one is None or one.code == "call in a chunk" or one.code[0] != self.NFS or one.code[1] not in (3, 4) or one.code[2] == 0:
            return SUCCESS
        status = xdr.word()
        return NFS_STATUS.get(status, f"status 0x{status:04x}")

    def name(self, code):
        if code == "call in a chunk":
            return code
        program, version, procedure, operation = code
        if program == self.NFS and version == 3:
            return f"NFS3 {NFS3.get(procedure, f'procedure {procedure}')}"
        if program == self.NFS and version == 4:
            if procedure == self.COMPOUND:
                return f"NFS4 {NFS4.get(operation, 'COMPOUND' if operation is None else f'operation {operation}')}"
            return f"NFS4 {'procedure %u' % procedure if procedure else 'NULL'}"
        return f"{RPC_PROGRAM.get(program, f'program {program}')} procedure {procedure}"


class SmbDirect(Queue):
    PROTOCOL, JUDGED = "SMB Direct", False
    HEADER, MAGIC, SMB2_HEADER = 20, b"\xfeSMB", 64
    RESPONSE, CANCEL, NOTIFY = 1, 12, 15
    PENDING, MORE_PROCESSING, ERRORS = 0x103, 0xc0000016, 0xc0000000
    UNASKED = 0xffffffffffffffff  # of a notification that an oplock or a lease is broken

    def __init__(self, number, packet, data):
        super().__init__(number, packet, data)
        self.rest = [0, 0]  # bytes of the message that further transfers bring

    @classmethod
    def begins(cls, op, data):
        if len(data) != 20 or op != SEND_ONLY:
            return False
        lowest, highest, reserved, credits = struct.unpack_from("<4H", data)
        return (lowest, highest, reserved) == (0x100, 0x100, 0) and credits > 0

    @classmethod
    def headers(cls, op, data):
        """(status, command, flags, MessageId) of the SMB2 headers of a transfer; of one whose data end after it, none."""
        if len(data) < cls.HEADER + 4:
            return
        at, size = struct.unpack_from("<II", data, 12)
        if at + size > len(data) and op != SEND_FIRST:
            return
        end = min(len(data), at + size)
        while at + cls.SMB2_HEADER <= end and data[at:at + 4] == cls.MAGIC:
            status, command, _, flags, following, ident = struct.unpack_from("<IHHIIQ", data, at + 8)
            yield status, command, flags, ident
            if not following:
                return
            at += following

    def begun(self, side, op, data):
        """The same, if the transfer begins a message."""
        return [] if self.rest[side] else [*self.headers(op, data)]

    def took(self, side, data):
        """How much of a message is to come; transfers without data, and negotiation, say nothing of that."""
        negotiation = self.begins(SEND_ONLY, data) or len(data) == 32 and data[:6] == b"\0\1" * 3
        if len(data) > self.HEADER and not negotiation and data[16:20] != bytes(4):
            self.rest[side], = struct.unpack_from("<I", data, 8)

    def requests(self, op, data):
        found = self.begun(CALLER, op, data)
        return [Request(command, ident) for _, command, flags, ident in found if not flags & self.RESPONSE and command != self.CANCEL]

    def answers_in(self, op, data):
        found = self.begun(ANSWERER, op, data)
        return [Answer(ident, f"NT status 0x{status:08x}" if status else SUCCESS, status >= self.ERRORS and status != self.MORE_PROCESSING)
                for status, _, flags, ident in found if flags & self.RESPONSE and status != self.PENDING and ident != self.UNASKED]

    def name(self, code):
        return SMB2.get(code, f"command {code}")

    def waits(self, code):
        return code == self.NOTIFY


def is_capsule(data):
    return len(data) >= 64 and data[1] >> 6 == 1 and data[1] & 63 <= 2 and data[39] in (0, 1, 0x30, 0x40, 0x4f)


def is_nvme(private, port):
    """Private data of a REQ to a port of NVMe, record format 0, with the sizes of both queues."""
    return (int.from_bytes(port, "big") in (4420, 8009) and len(private) >= 32 and private[:2] == bytes(2)
            and bytes(2) not in (private[4:6], private[6:8]) and not any(private[10:32]))


def unconnected(private):
    """A queue of NVMe that begins with a command other than a Connect."""
    return type("Unconnected", (Nvme,), {"QID": int.from_bytes(private[2:4], "little")})


class Reader(commands.Reader):
    PROTOCOLS = (Nvme, Srp, Iser, Rpc, SmbDirect)

    def begins(self, way, packet, data):
        """Where the REQ says that a queue of NVMe begins, any command does."""
        found = super().begins(way, packet, data)
        if found or way is not None or not is_capsule(data):
            return found
        start = getattr(packet, "start", None)
        if isinstance(packet, upper_iwarp.Message):
            return unconnected(start.req) if start and is_nvme(start.req, start.port.to_bytes(2, "big")) else None
        for key, (qpn, to, psn) in self.servers.items():
            private, port = self.private[key]
            if (*key[:2], to, psn) == (packet.src, packet.dst, packet.dqpn, packet.psn) and is_nvme(private, port):
                return unconnected(private)
        return None
