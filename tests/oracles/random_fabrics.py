# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Random fabrics: switches and hosts, two to four that sweep them, links that go down, hosts that move, partitions, traps, counters.

With what they were made with: which nodes were asked, which cables were passed, how often the state of a port was found changed, how
many traps there were of which, what counters grew by, who was in which partition. Layouts are those of facts/ (see fabric.py).
"""
import random
import struct

import writer as W

GET, SET, TRAP, RESPONSE = 0x01, 0x02, 0x05, 0x81
LID_ROUTED, DIRECTED, PERF = 0x01, 0x81, 0x04
NOTICE, NODE_DESC, NODE_INFO, PORT_INFO, PKEY_TABLE, SM_INFO, COUNTERS = 0x02, 0x10, 0x11, 0x15, 0x16, 0x20, 0x12
CA, SWITCH = 1, 2
DOWN, INIT, ARMED, ACTIVE = 1, 2, 3, 4
PERMISSIVE = 0xffff
MS = 10**6
# What a reading has: byte, bytes and greatest of the values that grow here; the bit that resets it.
GROWS = {"SymbolErrorCounter": (4, 2, 0), "LinkDownedCounter": (7, 1, 2), "PortXmitDiscards": (14, 2, 6), "bytes_out": (24, 4, 12),
         "packets_in": (36, 4, 15)}


class Node:
    def __init__(self, number, kind, ports, lid):
        self.guid, self.kind, self.lid = (0x0002c903 << 32) + number * 16, kind, lid
        self.state = {port: DOWN for port in range(1, ports + 1)}
        self.cable = {}  # port: (node, port)
        self.name = f"{'spine' if kind == SWITCH else 'host'} {number}".encode() if number % 7 else b""
        self.pkeys = [0xffff]
        self.width, self.speed = 2, (4, 0)

    def lid_of(self, port):
        return self.lid if self.kind == SWITCH else self.lid + port - 1


class Fabric:
    def __init__(self, rng):
        self.rng, self.time, self.frames, self.tids = rng, 10**18, [], {}
        self.truth = {"nodes": set(), "cables": {}, "changes": {}, "traps": {}, "grown": {}, "members": {}}
        self.seen, self.values, self.read = {}, {}, {}
        switches = [Node(n + 1, SWITCH, rng.randrange(6, 10), 0x10 + n) for n in range(rng.randrange(1, 5))]
        hosts = [Node(n + 20, CA, rng.choice((1, 1, 1, 2)), 0x100 + 4 * n) for n in range(rng.randrange(4, 9))]
        self.nodes, self.hosts, self.switches = switches + hosts, hosts, switches
        for n, switch in enumerate(switches[1:], 1):
            for _ in range(rng.choice((1, 1, 2))):
                self.plug(switch, rng.choice(switches[:n]))
        for host in hosts:
            self.plug(host, rng.choice(switches))
            if rng.random() < 0.3:
                host.pkeys.append(rng.choice((0x8001, 0x0001, 0x8023)))
        self.askers = [host for host in hosts if host.cable][:rng.randrange(2, 5)]

    def plug(self, node, other):
        ends = [next((port for port in n.state if port not in n.cable), None) for n in (node, other)]
        if None not in ends:
            self.cable(node, ends[0], other, ends[1])

    def cable(self, node, port, other, other_port):
        node.cable[port], other.cable[other_port] = (other, other_port), (node, port)
        node.state[port] = other.state[other_port] = ACTIVE

    # Packets

    def add(self, data):
        self.time += self.rng.randrange(1, 400) * 1000
        self.frames.append((self.time, data))
        return len(self.frames)

    def send(self, slid, dlid, mad, qpn):
        src, dst = W.End("", qpn, slid), W.End("", qpn, dlid)
        qkey = 0x80010000 if qpn else 0
        self.add(W.frame("ib-local", src, dst, W.UD_SEND_ONLY, qpn, self.rng.randrange(1 << 24), body=bytes(mad), qkey=qkey,
                         sqpn=qpn))

    def tid(self, asker):
        self.tids[asker.guid] = self.tids.get(asker.guid, 0) + 1
        return (asker.guid >> 4 & 0xffff) << 32 | self.tids[asker.guid]

    @staticmethod
    def mad(mgmt_class, method, attribute, modifier, tid, data):
        mad = bytearray(256)
        mad[:4] = bytes((1, mgmt_class, 1, method))
        struct.pack_into(">QHHI", mad, 8, tid, attribute, 0, modifier)
        mad[64:64 + len(data)] = data
        return mad

    def ask(self, asker, route, back, attribute, modifier, data):
        """An SMP by directed route and its answer; False: there is none."""
        tid = self.tid(asker)
        lost = self.rng.random()
        for method in (GET, RESPONSE):
            mad = self.mad(DIRECTED, method, attribute, modifier, tid, data if method == RESPONSE else b"")
            mad[4] = 0x80 if method == RESPONSE else 0
            mad[6], mad[7] = (0, len(route))
            mad[32:36] = b"\xff" * 4
            mad[129:129 + len(route)] = bytes(route)
            if method == RESPONSE:
                mad[193:193 + len(back)] = bytes(back)
            if method == RESPONSE and lost < 0.02:
                return False
            self.send(PERMISSIVE, PERMISSIVE, mad, 0)
            if method == GET and lost > 0.98:
                self.send(PERMISSIVE, PERMISSIVE, mad, 0)
        return True

    # Sweeps

    def node_info(self, node, port):
        return struct.pack(">BBBBQQQHHIB3s", 1, 1, node.kind, len(node.state), node.guid, node.guid,
                           node.guid + (port if node.kind == CA else 0), 32, 0, 0, port, b"\0\2\xc9")

    def port_info(self, node, port, entered):
        data = bytearray(64)
        state = node.state.get(port, ACTIVE)
        lid = (node.lid if not port else 0) if node.kind == SWITCH else node.lid_of(port)
        struct.pack_into(">QQHH", data, 0, 0, 0xfe80 << 48, lid, self.askers[0].lid)
        data[28], data[29:32] = entered, bytes((3, 3, node.width))
        data[32] = 7 << 4 | state
        data[35] = node.speed[0] << 4 | 7
        data[62] = node.speed[1] << 4 | 3
        if self.seen.get((node.guid, port)) not in (None, state):
            was, up = self.seen[node.guid, port], self.truth["changes"].setdefault(("up", node.guid, port), False)
            if up or state < was:
                key = node.guid, port
                self.truth["changes"][key] = self.truth["changes"].get(key, 0) + 1
        return bytes(data), state

    def ask_port(self, asker, route, back, node, port, entered):
        if node.kind == CA and port != entered:
            return
        before = dict(self.truth["changes"])
        data, state = self.port_info(node, port, entered)
        if not self.ask(asker, route, back, PORT_INFO, port, data):
            self.truth["changes"] = before
            return
        self.seen[node.guid, port] = state
        key = "up", node.guid, port
        self.truth["changes"][key] = self.truth["changes"].get(key, False) or state == ACTIVE

    def pass_cable(self, end, other):
        cables = self.truth["cables"]
        for one in (end, other):
            if one in cables and cables[one] not in (end, other):
                cables.pop(cables[one], None)
        cables[end], cables[other] = other, end

    def visit(self, asker, route, back, node, port):
        """False: no answer came."""
        if not self.ask(asker, route, back, NODE_INFO, 0, self.node_info(node, port)):
            return False
        self.truth["nodes"].add(node.guid)
        return True

    def look(self, asker, route, back, node, port):
        if self.ask(asker, route, back, NODE_DESC, 0, node.name.ljust(64, b"\0")):
            self.truth.setdefault("names", {})[node.guid] = node.name.decode("latin-1") or None
        for number in [0, *node.state] if node.kind == SWITCH else [port]:
            self.ask_port(asker, route, back, node, number, port)
        if node.kind == CA:
            pkeys = node.pkeys + [0] * (32 - len(node.pkeys))
            if self.ask(asker, route, back, PKEY_TABLE, 0, struct.pack(">32H", *pkeys)):
                self.truth["members"][node.guid + port] = sorted(node.pkeys)

    def sweep(self, asker):
        """Each link is passed by the first route there is to the switch before it."""
        port = next(iter(asker.cable))
        if not self.visit(asker, [], [], asker, port):
            return
        self.look(asker, [], [], asker, port)
        todo, done = [([], [], asker, [port])], {asker.guid}
        while todo:
            route, back, node, ports = todo.pop(0)
            for out in ports:
                if out not in node.cable or node.state[out] == DOWN or len(route) > 8:
                    continue
                other, entered = node.cable[out]
                way = route + [out], back + [entered]
                if not self.visit(asker, *way, other, entered):
                    continue
                self.pass_cable((node.guid, out), (other.guid, entered))
                if other.guid not in done:
                    done.add(other.guid)
                    self.look(asker, *way, other, entered)
                    if other.kind == SWITCH:
                        todo.append((*way, other, list(other.state)))

    # What happens

    def flap(self):
        node = self.rng.choice(self.hosts)
        for port in node.cable:
            other, other_port = node.cable[port]
            node.state[port] = other.state[other_port] = self.rng.choice((DOWN, INIT, ARMED, ACTIVE, ACTIVE))

    def move(self):
        """A host that sweeps nothing, to another port that is free."""
        fit = [host for host in self.hosts if host not in self.askers and len(host.state) == 1]
        if not fit:
            return
        host = self.rng.choice(fit)
        if 1 in host.cable:
            other, port = host.cable.pop(1)
            other.cable.pop(port)
            other.state[port] = host.state[1] = DOWN
        if self.rng.random() < 0.8:
            self.plug(host, self.rng.choice(self.switches))

    def trap(self):
        issuer, number = self.rng.choice(self.switches), self.rng.choice((128, 129, 130, 131, 144, 256, 257, 258, 259))
        details = bytearray(54)
        lid = self.rng.choice(self.hosts).lid
        struct.pack_into(">HH", details, 2, issuer.lid if number < 256 else lid, 0)
        if number in (129, 130, 131):
            details[4] = self.rng.randrange(1, 4)
        elif number > 256:
            struct.pack_into(">H", details, 4, issuer.lid)
            struct.pack_into(">I" if number < 259 else ">H", details, 6, 0x8001)
        data = struct.pack(">IHHH", 0x83000002, number, issuer.lid, 0) + bytes(details)
        for _ in range(self.rng.choice((1, 1, 3, 12))):
            self.time += self.rng.choice((MS, 10 * MS, 61000 * MS))
            self.send(issuer.lid, self.askers[0].lid, self.mad(LID_ROUTED, TRAP, NOTICE, 0, self.tid(issuer), data), 0)
            key = number, issuer.lid, bytes(details[:4 if number == 144 else 24])
            self.truth["traps"][key] = self.truth["traps"].get(key, 0) + 1

    def counters(self, asker, node, port, reset):
        lid = node.lid_of(port)
        values = self.values.setdefault((lid, port), dict.fromkeys(GROWS, 0))
        for name in values:
            grows = self.rng.choice((0, 0, 1, 5))
            values[name] = min(values[name] + grows * (1000 if name == "bytes_out" else 1), 250 if GROWS[name][1] == 1 else 1 << 15)
        mask = self.rng.choice((0xffff, 0xffff, 1, 1 << 6)) if reset else 0
        data = bytearray(44)
        data[1] = port
        if reset:
            struct.pack_into(">H", data, 2, mask)
        tid = self.tid(asker)
        asked = self.mad(PERF, SET if reset else GET, COUNTERS, 0, tid, data)
        self.send(asker.lid, lid, asked, 1)
        if not reset:
            for name, (at, size, _) in GROWS.items():
                data[at:at + size] = values[name].to_bytes(size, "big")
        self.send(lid, asker.lid, self.mad(PERF, RESPONSE, COUNTERS, 0, tid, data), 1)
        base = self.read.get((lid, port))
        if reset:
            for name, (_, _, bit) in GROWS.items():
                if mask >> bit & 1:
                    values[name] = 0
                    if base:
                        base[name] = 0
            return
        for name in values:
            if base:
                key = lid, port, name
                self.truth["grown"][key] = self.truth["grown"].get(key, 0) + values[name] - base[name]
        self.read[lid, port] = dict(values)

    def manager(self):
        """Who is master: each asks the next one, and may hand over to it."""
        asker, other = self.rng.sample(self.askers, 2)
        for method, modifier in self.rng.choice((((GET, 0),), ((GET, 0), (SET, 1)))):
            tid = self.tid(asker)
            for kind, one, lids in ((method, asker, (asker.lid, other.lid)), (RESPONSE, other, (other.lid, asker.lid))):
                state = self.rng.choice((2, 3))
                data = struct.pack(">QQIB", one.guid, 0, len(self.frames), 5 << 4 | state)
                self.send(*lids, self.mad(LID_ROUTED, kind, SM_INFO, modifier, tid, data), 0)

    def step(self):
        choice = self.rng.random()
        if choice < 0.25:
            self.sweep(self.rng.choice(self.askers))
        elif choice < 0.45:
            self.flap()
        elif choice < 0.5:
            self.move()
        elif choice < 0.65:
            self.trap()
        elif choice < 0.95:
            node = self.rng.choice(self.nodes)
            for _ in range(self.rng.randrange(1, 4)):
                self.counters(self.rng.choice(self.askers), node, self.rng.choice(list(node.state)), self.rng.random() < 0.2)
        elif len(self.askers) > 1:
            self.manager()


def known(rows):
    """Of the rows of fabric.py what random fabrics know."""
    cables = {(int(row["guid"], 16), one["port"]): (int(one["node"], 16), one["peer_port"])
              for row in rows["node"] for one in row["cabled_to"]}
    grown = {}
    for row in rows["counter"]:
        if row["readings"] > 1:
            values = {one["name"]: one["grown"] for one in row["errors"]}
            for name in GROWS:
                grown[row["lid"], row["port"], name] = values.get(name, 0) if name[0].isupper() else \
                    row[name] // (4 if name == "bytes_out" else 1)
    members = {}
    for partition in rows["partition"]:
        for one in partition["members"]:
            members.setdefault(int(one["port_guid"], 16), []).append(one["pkey"])
    return {"nodes": {int(row["guid"], 16) for row in rows["node"]}, "cables": cables, "grown": grown,
            "changes": {(int(row["node"], 16), row["port"]): row["changes"] for row in rows["link"] if row["changes"]},
            "traps": sorted(row["count"] for row in rows["trap"]), "members": {key: sorted(row) for key, row in members.items()}}


def scenario(seed):
    """(bytes, what it was made with) of the capture number @seed."""
    rng = random.Random(seed)
    fabric = Fabric(rng)
    fabric.sweep(fabric.askers[0])
    for _ in range(rng.randrange(10, 40)):
        fabric.step()
    truth = fabric.truth
    truth["changes"] = {key: count for key, count in truth["changes"].items() if key[0] != "up"}
    truth["traps"] = sorted(truth["traps"].values())
    return W.pcap(247, fabric.frames), truth
