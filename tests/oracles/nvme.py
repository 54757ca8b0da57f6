# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""NVMe over Fabrics, by the bytes.

NVMe base 2.0, 3.3.3 (entries of the queues), 4.1.2 (SGL descriptors), 5 (admin commands), 6 (Fabrics).
"""
import struct

from commands import ANSWERER, CALLER, Answer, Queue, Request
from packet import READ_FIRST, READ_ONLY, READ_REQUEST

ADMIN = {0x02: "Get Log Page", 0x06: "Identify", 0x08: "Abort", 0x09: "Set Features", 0x0a: "Get Features",
         0x0c: "Asynchronous Event Request", 0x18: "Keep Alive"}
IO = {0x00: "Flush", 0x01: "Write", 0x02: "Read", 0x05: "Compare", 0x08: "Write Zeroes", 0x0c: "Verify", 0x09: "Dataset Management"}
FABRICS = {0x00: "Property Set", 0x01: "Connect", 0x04: "Property Get", 0x08: "Disconnect"}
STATUS = {0x000: "success", 0x002: "Invalid Field in Command", 0x004: "Data Transfer Error", 0x281: "Unrecovered Read Error",
          0x285: "Compare Failure", 0x301: "Asymmetric Access Persistent Loss", 0x007: "Command Abort Requested",
          0x00b: "Invalid Namespace or Format", 0x7aa: "status type 7 code 0xaa"}
OF_FABRICS = {0x180: "Connect Incompatible Format", 0x182: "Connect Invalid Parameters", 0x184: "Connect Invalid Host"}
KEYED, IN_CAPSULE = 4, 0  # types of SGL descriptors
AER, CONNECT, OF_FABRIC = 0x0c, 0x01, 0x7f
SET_FEATURES, KEEP_ALIVE_TIMER = 0x09, 0x0f
SUBNQN, NQN = 256, 256  # of the data of a Connect


class Nvme(Queue):
    PROTOCOL, AGAIN = "NVMe-oF", True
    QID = None  # that the CM says, where another command comes first than a Connect

    def __init__(self, number, packet, data):
        super().__init__(number, packet, data)
        if self.QID is not None:
            self.id, self.connect, self.read, self.kato, self.changed = self.QID, (None, None), None, 0, set()
            return
        self.id, sqsize = struct.unpack_from("<HH", data, 42)
        self.depth = sqsize + 1
        self.connect = *struct.unpack_from("<Q", data, 24), int.from_bytes(data[35:39], "little")
        self.kato, self.changed, self.accepted = int.from_bytes(data[48:52], "little"), set(), False  # Keep Alive Timeout, cids that change it
        self.read = None  # the PSN at which the data of the Connect are read
        if data[39] >> 4 == IN_CAPSULE:
            self.named(data[64:])

    @staticmethod
    def begins(op, data):
        """A Connect command, record format 0, with its 1,024 bytes of data."""
        return (len(data) >= 64 and data[0] == OF_FABRIC and data[4] == CONNECT and data[40:42] == b"\0\0" and data[44:46] != b"\0\0"
                and data[32:35] == b"\x00\x04\x00")

    def requests(self, op, data):
        if len(data) < 64:
            return []
        kind, size, offers = data[39] >> 4, 0, ()
        if kind == KEYED:
            address, = struct.unpack_from("<Q", data, 24)
            size, key = (int.from_bytes(data[at:end], "little") for at, end in ((32, 35), (35, 39)))
            offers = ((key, address, size),) if size else ()
        elif kind == IN_CAPSULE:
            size = struct.unpack_from("<I", data, 32)[0]
        code = (data[0], data[4] if data[0] == OF_FABRIC else 0)
        if data[0] == SET_FEATURES and data[40] == KEEP_ALIVE_TIMER:
            self.changed.add(struct.unpack_from("<H", data, 2)[0])
        return [Request(code, struct.unpack_from("<H", data, 2)[0], size, offers)]

    def answers_in(self, op, data):
        if len(data) != 16:
            return []
        cid, status = struct.unpack_from("<HH", data, 12)
        one, status = self.open.get(cid), status >> 1 & 0x7ff
        of_fabrics = one and one.code[0] == OF_FABRIC and status & 0x780 == 0x180
        return [Answer(cid, (OF_FABRICS if of_fabrics else STATUS)[status] if one else None, status != 0)]

    def is_answered_by(self, op, data):
        return super().is_answered_by(op, data) and struct.unpack_from("<H", data, 10)[0] == self.id

    def name(self, code):
        opcode, kind = code
        if opcode == OF_FABRIC:
            return FABRICS.get(kind, "opcode 0x7f")
        return (IO if self.id else ADMIN).get(opcode, f"opcode 0x{opcode:02x}")

    def waits(self, code):
        return self.id == 0 and code[0] == AER

    def heard(self, side, packet, data, reth):
        """The name of the subsystem, where the data of the Connect are read."""
        if side == ANSWERER and packet.op == READ_REQUEST and len(reth) == 16 and self.read is None:
            address, key, _ = struct.unpack(">QII", reth)
            if (key, address) == (self.connect[1], self.connect[0]):
                self.read = packet.psn
        elif side == CALLER and packet.op in (READ_FIRST, READ_ONLY) and packet.psn == self.read:
            self.named(data)

    def named(self, data):
        if len(data) >= SUBNQN + NQN and self.subsystem is None:
            self.subsystem = data[SUBNQN:SUBNQN + NQN].split(b"\0")[0].decode("latin-1") or None
