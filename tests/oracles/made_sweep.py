# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The first sweep of a healthy fat tree of any size, as opensm makes it: every link asked by NodeInfo, every port by PortInfo, LIDs
and forwarding tables set, every link brought to Armed and Active.

Each MAD is two frames, request and answer, by directed route. Layouts are those of random_fabrics.py; times and GUIDs are
invented. Nothing is wrong: whatever a linter finds in it is a false finding.
"""
import collections
import struct
import zlib

GET, SET, RESPONSE = 0x01, 0x02, 0x81
NODE_DESC, NODE_INFO, SWITCH_INFO, PORT_INFO, PKEY_TABLE, LFT, MFT = 0x10, 0x11, 0x12, 0x15, 0x16, 0x19, 0x1b
CA, SWITCH = 1, 2
INIT, ARMED, ACTIVE = 2, 3, 4
PORTS = 36
SM_LID, TID = 1, 0x1234 << 32
# nodes: (pods, leaves a pod, spines a pod, cores); the other nodes are hosts.
TREES = {38: (1, 4, 2, 0), 321: (1, 24, 9, 0), 2116: (6, 18, 18, 54), 4220: (12, 18, 18, 108)}


def vcrc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xd008 if crc & 1 else 0)
        table.append(crc)
    return table


VCRC = vcrc_table()


def vcrc(data):
    """IBTA vol 1, 7.8.2: x^16 + x^12 + x^3 + x + 1, first bit first, all ones at the beginning."""
    crc = 0xffff
    for byte in data:
        crc = crc >> 8 ^ VCRC[(crc ^ byte) & 0xff]
    return struct.pack("<H", crc ^ 0xffff)


class Node:
    def __init__(self, number, kind, name):
        self.guid, self.kind, self.name, self.lid = (0x0002c903 << 32) + number * 16, kind, name, number
        self.ports = PORTS if kind == SWITCH else 1
        self.cable, self.state = {}, INIT
        self.route = self.back = self.entered = None

    def plug(self, other):
        mine, its = (next(p for p in range(1, n.ports + 1) if p not in n.cable) for n in (self, other))
        self.cable[mine], other.cable[its] = (other, its), (self, mine)


class Sweep:
    """frames: [(time, bytes)] of a tree of so many @nodes, a key of TREES."""

    def __init__(self, nodes, with_vcrc=True):
        self.frames, self.time, self.tid, self.psn, self.with_vcrc = [], 10**18, TID, 0, with_vcrc
        self.nodes = self.tree(nodes)
        self.first = next(node for node in self.nodes if node.kind == CA)
        self.run()

    @staticmethod
    def tree(count):
        pods, leaves, spines, cores = TREES[count]
        numbers = iter(range(1, count + 1))
        hosts = count - pods * (leaves + spines) - cores
        per_leaf, rest = divmod(hosts, pods * leaves)
        ca = [Node(next(numbers), CA, f"host {n}") for n in range(hosts)]
        core = [Node(next(numbers), SWITCH, f"core {n}") for n in range(cores)]
        nodes, todo = [*ca, *core], iter(ca)
        for pod in range(pods):
            leaf = [Node(next(numbers), SWITCH, f"leaf {pod}.{n}") for n in range(leaves)]
            spine = [Node(next(numbers), SWITCH, f"spine {pod}.{n}") for n in range(spines)]
            nodes += [*leaf, *spine]
            for n, one in enumerate(leaf):
                for _ in range(per_leaf + (pod * leaves + n < rest)):
                    one.plug(next(todo))
                for other in spine:
                    one.plug(other)
            for n, one in enumerate(spine):
                for up in range(cores // spines * PORTS // pods // 1 if cores else 0):
                    if len(one.cable) < PORTS:
                        one.plug(core[(n * (cores // spines) + up % (cores // spines))])
        return nodes

    def add(self, mad):
        bth = struct.pack(">BBHII", 0x64, 0x40, 0xffff, 0, self.psn & 0xffffff)
        deth = bytes(8)
        lrh = struct.pack(">BBHHH", 0xf0, 2, 0xffff, (8 + 12 + 8 + 256 + 4) // 4, 0xffff)
        crc = zlib.crc32(lrh + bth[:4] + b"\xff" + bth[5:] + deth + mad)
        data = lrh + bth + deth + mad + struct.pack("<I", crc)
        self.psn += 1
        self.time += 5000
        self.frames.append((self.time, data + (vcrc(data) if self.with_vcrc else bytes(2))))

    def ask(self, node, attribute, modifier, answer, method=GET, asked=b"", route=None, back=None):
        route, back = (node.route, node.back) if route is None else (route, back)
        self.tid += 1
        for one in (method, RESPONSE):
            mad = bytearray(256)
            mad[:4] = bytes((1, 0x81, 1, one))
            mad[4] = 0x80 if one == RESPONSE else 0
            mad[6:8] = bytes((0, len(route))) if one != RESPONSE else bytes((0, len(route)))
            struct.pack_into(">QHHI", mad, 8, self.tid, attribute, 0, modifier)
            mad[32:36] = b"\xff" * 4
            data = answer if one == RESPONSE else asked
            mad[64:64 + len(data)] = data
            mad[129:129 + len(route)] = bytes(route)
            if one == RESPONSE:
                mad[193:193 + len(back)] = bytes(back)
            self.add(bytes(mad))

    @staticmethod
    def node_info(node, port):
        return struct.pack(">BBBBQQQHHIB3s", 1, 1, node.kind, node.ports, node.guid, node.guid,
                           node.guid + (port if node.kind == CA else 0), 32, 0x1011, 0xa1, port, b"\0\2\xc9")

    @staticmethod
    def port_info(node, port, entered, state=None, lid=None):
        data = bytearray(64)
        up = port in node.cable
        has_lid = node.kind == CA or not port
        struct.pack_into(">QQHHI", data, 0, 0, 0xfe80 << 48 if has_lid else 0, (node.lid if lid is None else lid) if has_lid else 0,
                         SM_LID if has_lid and lid is None else 0, 0x02514868 if has_lid else 0)
        data[28], data[29:32] = entered, bytes((3, 3, 2 if up or not port else 2))
        data[32] = 7 << 4 | ((state or node.state) if up or not port else 1)
        data[33] = (5 if up or not port else 2) << 4 | 2
        data[35] = 4 << 4 | 7
        data[36], data[37] = 5 << 4, 4 << 4
        data[41], data[43] = 5, 4 << 4
        return bytes(data)

    def discover(self):
        """Breadth first; every link of a switch is asked, those that lead back, too."""
        start = self.first
        start.route, start.back, start.entered = [], [], 1
        self.ask(start, NODE_INFO, 0, self.node_info(start, 1))
        self.look(start)
        todo = collections.deque([start])
        while todo:
            node = todo.popleft()
            for port, (other, its) in sorted(node.cable.items()):
                if port == node.entered and node is not start:
                    continue
                route, back = [*node.route, port], [*node.back, its]
                self.ask(other, NODE_INFO, 0, self.node_info(other, its), route=route, back=back)
                if other.route is not None:
                    continue
                other.route, other.back, other.entered = route, back, its
                self.look(other)
                if other.kind == SWITCH:
                    todo.append(other)

    def look(self, node):
        self.ask(node, NODE_DESC, 0, node.name.encode().ljust(64, b"\0"))
        if node.kind == SWITCH:
            self.ask(node, SWITCH_INFO, 0, struct.pack(">HHHHBBBBHH", 49152, 0, 16384, 0, 0, 255, 0, 0x90, 0, 32))
        for port in range(node.ports + 1) if node.kind == SWITCH else [1]:
            self.ask(node, PORT_INFO, port, self.port_info(node, port, node.entered, lid=0))
        if node.kind == CA:
            self.ask(node, PKEY_TABLE, 0, struct.pack(">32H", 0xffff, *[0] * 31))

    def ways(self, switch):
        """{other switch: ports of shortest ways} to a switch."""
        distance, todo = {switch: 0}, collections.deque([switch])
        while todo:
            node = todo.popleft()
            for other, _ in node.cable.values():
                if other not in distance and other.kind == SWITCH:
                    distance[other] = distance[node] + 1
                    todo.append(other)
        return {node: [port for port, (other, _) in sorted(node.cable.items()) if distance.get(other) == far - 1]
                for node, far in distance.items() if far}

    def tables(self):
        """{switch: port of each LID}, ways spread by LID."""
        blocks = len(self.nodes) // 64 + 1
        table = {node: bytearray(b"\xff" * 64 * blocks) for node in self.nodes if node.kind == SWITCH}
        for switch in table:
            own = [(port, other) for port, (other, _) in switch.cable.items() if other.kind == CA]
            for port, lid in [(0, switch.lid), *((port, other.lid) for port, other in own)]:
                table[switch][lid] = port
            for other, ports in self.ways(switch).items():
                for lid in (switch.lid, *(host.lid for _, host in own)):
                    table[other][lid] = ports[lid % len(ports)]
        return table

    def configure(self):
        for node in self.nodes:
            port = 0 if node.kind == SWITCH else 1
            info = self.port_info(node, port, node.entered)
            self.ask(node, PORT_INFO, port, info, SET, info)
        for switch, ports in self.tables().items():
            for block in range(len(ports) // 64):
                data = bytes(ports[block * 64:block * 64 + 64])
                self.ask(switch, LFT, block, data, SET, data)
        for state in (ARMED, ACTIVE):
            for node in self.nodes:
                node.state = state
            for node in self.nodes:
                for port in sorted(node.cable):
                    info = self.port_info(node, port, node.entered)
                    self.ask(node, PORT_INFO, port, info, SET, info)

    def run(self):
        self.discover()
        self.configure()
