#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_fabric.py PCAP-LINT: faults planted in random fabrics are found, and name what was planted; nothing else of FAB is found.

Fabrics are those of oracles/random_fabrics.py, which knows nothing of ours, by a seed that is always the same: swept, polled, with
forwarding tables and counters as they ought to be. In each, one fault of each rule FAB is planted at a random place. What is found has to
have the object in its words: GUID, port, LID, key. Recall and precision have to be 98 % in all, 90 % of each rule.
"""
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/oracles"))
sys.dont_write_bytecode = True

import random_fabrics as fabrics  # noqa: E402
import writer as W  # noqa: E402
sys.path.insert(0, str(ROOT / "tests/lib"))
import sample  # noqa: E402

SEEDS = 10
ENOUGH, EACH = 0.98, 0.90
MS, SECOND = 10**6, 10**9
SA, LFT, MFT, MCMEMBER, NODE_RECORD, INFORM = 0x03, 0x19, 0x1b, 0x38, 0x11, 0x03
STANDBY, MASTER = 2, 3
NOWHERE = 255
JOIN = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 16
REQUEST_INVALID = 0x0200


class Quiet(fabrics.Fabric):
    """A fabric with one that sweeps it, in which nothing is wrong."""

    def __init__(self, rng):
        super().__init__(rng)
        self.master, self.way, self.patch, self.silent, self.read_by = self.askers[0], {}, {}, set(), {}
        self.sweep(self.master)

    def wait(self, least, most):
        self.time += self.rng.randrange(least, most)

    def ask(self, asker, route, back, attribute, modifier, data, *, method=fabrics.GET):
        """Nothing is lost; a route that is silent has no answer."""
        tid = self.tid(asker)
        for one in (method, fabrics.RESPONSE):
            mad = self.mad(fabrics.DIRECTED, one, attribute, modifier, tid, data if one == fabrics.RESPONSE else b"")
            mad[4] = 0x80 if one == fabrics.RESPONSE else 0
            mad[7] = len(route)
            mad[32:36] = b"\xff" * 4
            mad[129:129 + len(route)] = bytes(route)
            if one == fabrics.RESPONSE:
                mad[193:193 + len(back)] = bytes(back)
            if one == fabrics.RESPONSE and tuple(route) in self.silent:
                self.time += 3 * SECOND
                return False
            self.send(fabrics.PERMISSIVE, fabrics.PERMISSIVE, mad, 0)
        return True

    def visit(self, asker, route, back, node, port):
        self.way.setdefault(node.guid, (list(route), list(back)))
        return super().visit(asker, route, back, node, port)

    def port_info(self, node, port, entered):
        data, state = super().port_info(node, port, entered)
        data = bytearray(data)
        self.patch.get((node.guid, port), lambda data: None)(data)
        return bytes(data), state

    # What does no harm

    def ports_to(self, target):
        """{switch: port} of shortest ways over links that are up."""
        ways, todo = {}, [target]
        if target.kind == fabrics.SWITCH:
            ways[target] = 0
        while todo:
            node = todo.pop(0)
            for port, (other, its) in node.cable.items():
                if other.kind == fabrics.SWITCH and other not in ways and node.state[port] == fabrics.ACTIVE:
                    ways[other] = its
                    todo.append(other)
        return ways

    def lids(self):
        return {node.lid_of(port): node for node in self.nodes for port in (node.cable if node.kind == fabrics.CA else [0])
                if node.guid in self.way}

    def tables(self, spoil=lambda table: None):
        """The forwarding tables of all switches, spoiled by @spoil: {(switch, LID): port}."""
        table = {(switch, lid): port for lid, node in self.lids().items() for switch, port in self.ports_to(node).items()}
        spoil(table)
        for block in sorted({lid // 64 for _, lid in table}):
            for switch in self.switches:
                if switch.guid in self.way:
                    data = bytes(table.get((switch, lid), NOWHERE) for lid in range(block * 64, block * 64 + 64))
                    self.ask(self.master, *self.way[switch.guid], LFT, block, data)

    def sm_info(self, asker, other, state, method=fabrics.GET, modifier=0, asking=MASTER):
        """The one asks, or tells, the other, who answers that it is @state."""
        tid = self.tid(asker)
        for kind, one, lids, says in ((method, asker, (asker.lid, other.lid), asking), (fabrics.RESPONSE, other, (other.lid, asker.lid), state)):
            data = struct.pack(">QQIB", one.guid, 0, len(self.frames), 5 << 4 | says)
            self.send(*lids, self.mad(fabrics.LID_ROUTED, kind, fabrics.SM_INFO, modifier, tid, data), 0)

    def reading(self, asker, lid, port, values, reset=0):
        """Of {name: value}; @reset: bits of counters instead."""
        data = bytearray(44)
        data[1] = port
        struct.pack_into(">H", data, 2, reset)
        tid = self.tid(asker)
        self.send(asker.lid, lid, self.mad(fabrics.PERF, fabrics.SET if reset else fabrics.GET, fabrics.COUNTERS, 0, tid, data), 1)
        for name, value in values.items():
            at, size, _ = fabrics.GROWS[name]
            data[at:at + size] = value.to_bytes(size, "big")
        self.send(lid, asker.lid, self.mad(fabrics.PERF, fabrics.RESPONSE, fabrics.COUNTERS, 0, tid, data), 1)

    def sa(self, client, server, method, attribute, record, mask, status=0, answered=True):
        tid = self.tid(client)
        response = {0x15: 0x95}.get(method, fabrics.RESPONSE)
        for kind, lids in ((method, (client.lid, server.lid)), (response, (server.lid, client.lid)))[:1 + answered]:
            mad = self.mad(SA, kind, attribute, 0, tid, b"")
            mad[2] = 2
            if kind == response:
                struct.pack_into(">H", mad, 4, status)
            struct.pack_into(">Q", mad, 48, mask)
            mad[56:56 + len(record)] = record
            self.send(*lids, mad, 1)

    def query(self, client, server, answered=True):
        """For its own NodeRecord."""
        self.sa(client, server, fabrics.GET, NODE_RECORD, struct.pack(">H", client.lid), 1, answered=answered)

    def notice(self, number, issuer, details, times, gap):
        data = struct.pack(">IHHH", 0x83000002, number, issuer.lid, 0) + details.ljust(54, b"\0")
        for _ in range(times):
            self.time += gap
            self.send(issuer.lid, self.master.lid, self.mad(fabrics.LID_ROUTED, fabrics.TRAP, fabrics.NOTICE, 0, self.tid(issuer), data), 0)

    def step(self):
        choice = self.rng.random()
        self.wait(SECOND, 8 * SECOND)
        if choice < 0.3:
            self.sweep(self.master)
        elif choice < 0.5:
            self.sm_info(self.askers[1], self.master, MASTER)
        elif choice < 0.7:
            self.query(self.rng.choice(self.hosts), self.master)
        elif choice < 0.8:
            self.tables()
        else:
            node = self.rng.choice(self.nodes)
            port = self.rng.choice(list(node.state))
            if (node.lid_of(port), port) in self.read_by or node is self.switches[0]:
                return
            self.read_by[node.lid_of(port), port] = self.askers[1]
            for _ in range(self.rng.randrange(1, 4)):
                self.reading(self.askers[1], node.lid_of(port), port, {"SymbolErrorCounter": 7, "packets_in": len(self.frames)})
                self.wait(SECOND, 4 * SECOND)

    # Who a fault may be about

    def plain_hosts(self):
        """Hosts that sweep nothing, of one port that is up and was met."""
        return [host for host in self.hosts if host not in self.askers and len(host.state) == 1 and host.cable and
                host.guid in self.way and host.state[1] == fabrics.ACTIVE]

    def set_state(self, host, state):
        other, port = host.cable[1]
        host.state[1] = other.state[port] = state
        return other, port


def guid(number):
    return f"0x{number:016x}"


def lid(number):
    return f"LID 0x{number:04x}"


def named(net, node):
    """Its description, or its GUID; "": it was not met."""
    return (node.name.decode() or f"GUID {guid(node.guid)}") if node.guid in net.way else ""


def in_brackets(net, node):
    return f" ({named(net, node)})" if named(net, node) else ""


# The kinds: what the finding has to have in its words, and which other rules may follow; None: there is no place for it.

def of_keys(net, number):
    issuer, sender = net.rng.choice(net.switches), net.rng.choice(net.hosts)
    key = net.rng.randrange(1, 1 << 15) | 0x8000
    if number == 256:
        details = struct.pack(">HHHBBHI", 0, sender.lid, 0, 1, 0, 0x15, 0)
    elif number == 259:
        details = struct.pack(">HHHHII", 0, sender.lid, issuer.lid, key, 0x48, 0x52)
    else:
        details = struct.pack(">HHHIII", 0, sender.lid, issuer.lid, key, 0x48, 0x52)
    times = net.rng.randrange(1, 20)
    net.notice(number, issuer, details, times, 100 * MS)
    times = "once" if times == 1 else f"{times} times"
    if number == 256:
        return [lid(sender.lid) + in_brackets(net, sender), times]
    ends = [f"from {lid(sender.lid)}{in_brackets(net, sender)} qp 0x000048", f"to {lid(issuer.lid)}{in_brackets(net, issuer)} qp"]
    return [*ends, f"0x{key:04x}" if number != 258 else f"0x{key:08x}", times]


def bad_mkey(net):
    return "FAB001", of_keys(net, 256)


def bad_pkey(net):
    return "FAB002", of_keys(net, net.rng.choice((257, 259)))


def bad_qkey(net):
    return "FAB003", of_keys(net, 258)


def of_port(net, number, times, gap):
    issuer, port = net.rng.choice(net.switches), net.rng.randrange(1, 6)
    net.notice(number, issuer, struct.pack(">HHB", 0, issuer.lid, port) if number < 144 else struct.pack(">HHHI", 0, issuer.lid, 0, 0),
               times, gap)
    return [lid(issuer.lid) + in_brackets(net, issuer), "once" if times == 1 else f"{times} times"] + ([f"port {port}"] if 128 < number < 144 else [])


def link_errors(net):
    return "FAB004", of_port(net, net.rng.choice((129, 130, 131)), net.rng.choice((1, 2, 100, 249)), net.rng.choice((MS, 61 * SECOND)))


def storm(net):
    return "FAB005", of_port(net, net.rng.choice((129, 130, 131)), net.rng.randrange(250, 300), net.rng.choice((MS, 59 * SECOND)))


def changes(net):
    return "FAB006", of_port(net, net.rng.choice((128, 144)), net.rng.randrange(1, 9), SECOND)


def goes_down(net, times, most):
    fit = net.plain_hosts()
    if not fit:
        return None
    host = net.rng.choice(fit)
    for _ in range(times):
        switch, port = net.set_state(host, fabrics.DOWN)
        net.sweep(net.master)
        net.wait(SECOND, most)
        net.set_state(host, fabrics.ACTIVE)
        net.sweep(net.master)
        net.wait(SECOND, most)
    return [f"GUID {guid(switch.guid)}", f"port {port} went down", "once" if times == 1 else f"{times} times"]


def flaps(net):
    said = goes_down(net, net.rng.randrange(3, 6), 25 * SECOND)
    return said and ("FAB007", said)


def down(net):
    said = goes_down(net, net.rng.choice((1, 2)), 25 * SECOND)
    return said and ("FAB008", said)


def twice_guid(net):
    fit = net.plain_hosts()
    if len(fit) < 2:
        return None
    one, other = net.rng.sample(fit, 2)
    routes = [",".join(map(str, [0, *net.way[host.guid][0]])) for host in (one, other)]
    other.guid = one.guid
    net.time += 20 * SECOND
    net.sweep(net.master)
    return "FAB009", [guid(one.guid), *[f"by route {route}" for route in routes]]


def twice_lid(net):
    fit = net.plain_hosts()
    if len(fit) < 2:
        return None
    one, other = net.rng.sample(fit, 2)
    other.lid = one.lid
    net.time += 20 * SECOND
    net.sweep(net.master)
    return "FAB010", [lid(one.lid), guid(one.guid), guid(other.guid)]


def handover(net, state):
    """From the master to the next one."""
    one, other = net.askers[:2]
    net.sm_info(one, other, state)
    net.sm_info(one, other, MASTER, fabrics.SET, 1)
    return one, other


def joined(net):
    one, other = handover(net, MASTER)
    return "FAB011", [f"SM {guid(one.guid)}", f"hands over to {guid(other.guid)}"]


def handed_over(net):
    one, other = handover(net, STANDBY)
    return "FAB012", [f"SM {guid(one.guid)}", f"hands over to {guid(other.guid)}"]


def of_before(net):
    one, other = handover(net, STANDBY)
    client = net.rng.choice([host for host in net.hosts if host not in (one, other)])
    frame = len(net.frames) - 1
    net.query(net.rng.choice(net.hosts), other)
    net.query(client, one, answered=False)
    net.wait(3 * SECOND, 4 * SECOND)
    net.query(client, other)
    return "FAB013", [f"{lid(client.lid)} -> {lid(one.lid)}", f"handed over in frame {frame}", f"master is at {lid(other.lid)}"], {"FAB012"}


def counted(net):
    """A port whose counters nobody read."""
    switch = net.switches[0]
    return switch.lid, net.rng.choice(list(switch.state))


def of_counters(net, number, port):
    return f"{lid(number)}{in_brackets(net, net.switches[0])} port {port}"


def pegged(net):
    number, port = counted(net)
    name, end = net.rng.choice((("SymbolErrorCounter", 0xffff), ("LinkDownedCounter", 0xff), ("PortXmitDiscards", 0xffff)))
    net.reading(net.askers[1], number, port, {name: end})
    return "FAB014", [of_counters(net, number, port), f"{name} {end}"]


def reset_by_other(net):
    number, port = counted(net)
    before = net.rng.randrange(10, 1000)
    net.reading(net.askers[0], number, port, {"SymbolErrorCounter": before})
    net.wait(SECOND, 9 * SECOND)
    net.reading(net.askers[1], number, port, {}, reset=0xffff)
    frame = len(net.frames) - 1
    net.wait(SECOND, 9 * SECOND)
    net.reading(net.askers[0], number, port, {"SymbolErrorCounter": 0})
    reader, resetter = (lid(asker.lid) + in_brackets(net, asker) for asker in net.askers[:2])
    return "FAB015", [of_counters(net, number, port), f"{resetter} resets", f"of {reader}:",
                      f"from {before} to 0", f"frame {frame}"]


def grows(net, most):
    number, port = counted(net)
    value = net.rng.randrange(0, 100)
    name = net.rng.choice(("SymbolErrorCounter", "LinkDownedCounter"))
    grown = net.rng.randrange(10, 60) if most > 9 else net.rng.randrange(1, 10)
    net.reading(net.askers[1], number, port, {name: value})
    net.wait(SECOND, 9 * SECOND)
    net.reading(net.askers[1], number, port, {name: value + grown})
    return [of_counters(net, number, port), f"{name} by {grown}"]


def grows_much(net):
    return "FAB019", grows(net, 60)


def grows_little(net):
    return "FAB020", grows(net, 9)


def join_refused(net, in_mgid, in_record):
    fit = net.plain_hosts()
    if not fit:
        return None
    host = net.rng.choice(fit)
    host.pkeys = [0xffff] if in_mgid == in_record else [0xffff, in_mgid, in_record]
    net.sweep(net.master)
    mgid = struct.pack(">HHH", 0xff12, 0x401b, in_mgid) + bytes(6) + struct.pack(">I", net.rng.randrange(1, 1 << 16))
    gid = struct.pack(">QQ", 0xfe80 << 48, host.guid + 1)
    record = mgid + gid + struct.pack(">IHBBHBBIB3x", 0x0b1b, 0, 0, 0, in_record, 0, 0, 0, 1)
    net.sa(host, net.master, fabrics.SET, MCMEMBER, record, JOIN, REQUEST_INVALID)
    return host


def not_in_partition(net):
    key = net.rng.randrange(0x8002, 0x9000)
    host = join_refused(net, key, key)
    return host and ("FAB016", [f"c903:0:{host.guid + 1 & 0xffff:x}", f"0x{key:04x}"])


def other_mgid(net):
    keys = net.rng.sample(range(0x8002, 0x9000), 2)
    host = join_refused(net, *keys)
    return host and ("FAB017", [f"c903:0:{host.guid + 1 & 0xffff:x}", f"0x{keys[0]:04x} is in the MGID", f"0x{keys[1]:04x} in the record"])


def other_mkey(net):
    fit = net.plain_hosts()
    if not fit:
        return None
    host, client = net.rng.choice(fit), net.askers[1]
    key, tried = net.rng.getrandbits(63) | 1, net.rng.getrandbits(63) | 1

    def protect(data):
        struct.pack_into(">Q", data, 0, key)
        data[34] = 2 << 6
    net.patch[host.guid, 1] = protect
    net.sweep(net.master)
    mad = net.mad(fabrics.LID_ROUTED, fabrics.GET, fabrics.PORT_INFO, 0, net.tid(client), b"")
    struct.pack_into(">Q", mad, 24, tried)
    net.send(client.lid, host.lid, mad, 0)
    net.wait(3 * SECOND, 4 * SECOND)
    net.query(client, net.master)
    return "FAB018", [f"{lid(host.lid)}{in_brackets(net, host)} has another M_Key", "level 2",
                      f"{lid(client.lid)}{in_brackets(net, client)} asked", guid(tried)]


def below(net):
    fit = net.plain_hosts()
    if not fit:
        return None
    host = net.rng.choice(fit)
    switch, port = host.cable[1]
    for end in ((host.guid, 1), (switch.guid, port)):
        net.patch[end] = lambda data: data.__setitem__(31, 1)
    net.sweep(net.master)
    return "FAB021", [guid(host.guid), guid(switch.guid), "1x", "both can do 4x"]


def other_prefix(net):
    fit = net.plain_hosts()
    if not fit:
        return None
    host, prefix = net.rng.choice(fit), 0xfec0 << 48 | net.rng.randrange(1, 1 << 32)
    net.patch[host.guid, 1] = lambda data: struct.pack_into(">Q", data, 8, prefix)
    net.sweep(net.master)
    return "FAB022", [guid(host.guid), guid(0xfe80 << 48), f"becomes {guid(prefix)}"]


def to_and_fro(net):
    one, other = net.askers[:2]
    for _ in range(3):
        net.sm_info(one, other, STANDBY)
        net.sm_info(one, other, MASTER, fabrics.SET, 1)
        one, other = other, one
        net.wait(SECOND, 60 * SECOND)
    return "FAB023", [f"SM {guid(other.guid)}", f"hands over to {guid(one.guid)}"], {"FAB012"}


def unresponsive(net):
    fit = net.plain_hosts()
    if not fit:
        return None
    host = net.rng.choice(fit)
    switch, port = host.cable[1]
    route = [*net.way[switch.guid][0], port]
    net.silent.add(tuple(route))
    net.wait(2 * SECOND, 9 * SECOND)  # from the sweep before
    for _ in range(5):
        net.sweep(net.master)
        net.wait(SECOND, 9 * SECOND)
    return "FAB024", [f"by route {','.join(map(str, [0, *route]))}", f", at port {port} of {named(net, switch)}", guid(switch.guid),
                      "got no answer in 5 of"]


def lid_of_before(net):
    fit = net.plain_hosts()
    if not fit:
        return None
    host = net.rng.choice(fit)
    sender = net.rng.choice([other for other in net.hosts if other is not host])
    old, host.lid = host.lid, 0x300
    net.sweep(net.master)
    net.wait(2 * SECOND, 9 * SECOND)
    net.send(sender.lid, old, net.mad(fabrics.PERF, fabrics.GET, 1, 0, net.tid(sender), b""), 1)
    net.wait(3 * SECOND, 4 * SECOND)
    net.query(sender, net.master)
    return "FAB025", [f"{lid(sender.lid)}{in_brackets(net, sender)} sends to {lid(old)}", guid(host.guid)]


def met_switches(net):
    return [switch for switch in net.switches if switch.guid in net.way]


def nowhere(net):
    switch, number = net.rng.choice(met_switches(net)), net.rng.choice([number for number, node in net.lids().items() if node.kind == fabrics.CA])
    net.tables(lambda table: table.__setitem__((switch, number), NOWHERE))
    return "FAB026", [guid(switch.guid), f"no port for {lid(number)}{in_brackets(net, net.lids()[number])}"]


def loop(net):
    fit = [(one, port, other, its) for one in met_switches(net) for port, (other, its) in one.cable.items() if other.kind == fabrics.SWITCH]
    if not fit:
        return None
    one, port, other, its = net.rng.choice(fit)
    number = net.rng.choice([number for number, node in net.lids().items() if node.kind == fabrics.CA])

    def spoil(table):
        table[one, number], table[other, number] = port, its
    net.sweep(net.master)
    net.tables(spoil)
    return "FAB027", [lid(number), "2 switches", guid(one.guid), guid(other.guid)]


def group_down(net):
    fit = [(switch, port) for switch in met_switches(net) for port in switch.state if switch.state[port] == fabrics.DOWN and port < 16]
    if not fit:
        return None
    switch, port = net.rng.choice(fit)
    number = net.rng.randrange(32)
    data = bytearray(64)
    struct.pack_into(">H", data, 2 * number, 1 << port)
    net.ask(net.master, *net.way[switch.guid], MFT, 0, bytes(data))
    return "FAB028", [guid(switch.guid), f"port {port} is down", f"MLID 0x{0xc000 + number:04x}"]


KINDS = [bad_mkey, bad_pkey, bad_qkey, link_errors, storm, changes, flaps, down, twice_guid, twice_lid, joined, handed_over, of_before,
         pegged, reset_by_other, not_in_partition, other_mgid, other_mkey, grows_much, grows_little, below, other_prefix, to_and_fro,
         unresponsive, lid_of_before, nowhere, loop, group_down]


def made(seed, kind):
    """(capture, (rule, words, what may follow)) of a fabric with a place for it."""
    for turn in range(20):
        net = Quiet(random.Random(f"{seed} {turn}"))
        for _ in range(net.rng.randrange(5, 15)):
            net.step()
        planted = kind(net) if kind else ("", [])
        if planted:
            net.wait(SECOND, 9 * SECOND)
            if kind is not twice_lid and kind is not twice_guid:
                net.query(net.askers[1], net.askers[1] if kind in (joined, handed_over, of_before, to_and_fro) else net.master)
            return W.pcap(247, net.frames), (*planted, set())[:3]
    raise SystemExit(f"seed {seed}: no fabric has a place for {kind.__name__}")


def found_in(lint, path):
    run = subprocess.run([lint, "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                          "--progress", "never", path], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(row["type"] == "summary" for row in rows):
        raise SystemExit(f"{path}: not read")
    return [row for row in rows if row["type"] == "finding" and row["rule"].startswith("FAB")]


def words_of(row):
    """A finding as text has it: who sent what, then the message."""
    return f"{row.get('flow')}: {row['message']}"


def main():
    lint, score, faults = sys.argv[1], collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "planted.pcap"
        for kind in [None, *KINDS]:
            name = kind.__name__ if kind else "nothing"
            for seed in sample.seeds(SEEDS):
                data, (rule, words, may) = made(seed, kind)
                path.write_bytes(data)
                found, of = found_in(lint, path), score[name]
                true = [row for row in found if row["rule"] == rule and all(word in words_of(row) for word in words)]
                false = [row for row in found if row not in true and row["rule"] not in may]
                of["planted"] += 1
                of["found"] += bool(true)
                of["true"] += len(true)
                of["false"] += len(false)
                if false or (kind and not true):
                    faults.append(f"seed {seed}: {name}: {rule} {words}, found {[(row['rule'], words_of(row)) for row in found]}"[:900])
    total = collections.Counter()
    for name, of in score.items():
        print(f"{name:16}{of['planted']:4} planted, recall {of['found']}/{of['planted']}, precision {of['true']}/{of['true'] + of['false']}")
        total += collections.Counter({"false": of["false"]}) if name == "nothing" else of
    print(f"in all: recall {total['found']}/{total['planted']}, precision {total['true']}/{total['true'] + total['false']}")

    def less(of, share):
        return of["found"] < share * of["planted"] or of["true"] < share * (of["true"] + of["false"])

    print(*faults[:20], sep="\n", end="\n" if faults else "")
    return 1 if less(total, ENOUGH) or any(less(score[kind.__name__], EACH) for kind in KINDS) else 0


sys.exit(main())
