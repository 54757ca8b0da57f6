#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_subnet.py PCAP-LINT: faults planted in random subnets are found at their frame, and nothing else is.

Subnets are those of oracles/random_subnets.py, which knows nothing of ours, by a seed that is always the same: as they are,
no rule judged here may fire. In each a fault of each kind is planted at a random place. Recall and precision have to
be 98 % in all, 95 % of each kind. A fault that repeats itself by what follows (packets of a QP that is wrong) is made once.
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

import random_subnets as subnets  # noqa: E402
sys.path.insert(0, str(ROOT / "tests/lib"))
import sample  # noqa: E402

SEEDS = 40
SECOND = 10**9
RULES = {"MCG005", "MCG006", "MCG008", "MCG009", "MCG010", "MCG011", "MCG012", "MCG013", "MCG015", "MCG018", "IPO008",
         "IPO015", "IPO018", "IPO023", "IPO024", "IPO025", "IPO026", "IPO027", "IPO028", "IPO029", "MCG020"}
ENOUGH, EACH = 0.98, 0.95
INVALID, INSUFFICIENT = 0x0200, 0x0600


def a_host(net):
    return net.rng.choice(net.hosts)


def a_pair(net):
    """Two that did not look for each other yet."""
    pairs = [(a, b) for a in net.hosts for b in net.hosts if a is not b and (a, b) not in net.resolved]
    return net.rng.choice(pairs) if pairs else None


def a_state(net, has):
    """A host and a group that it is, or is not, a member of."""
    fit = [(h, g) for h in net.hosts for g in net.groups if g.mgid in net.created and bool(net.state(h, g)) == has]
    return net.rng.choice(fit) if fit else None


def new_group(net):
    return subnets.Group(f"ff12:4001:ffff::{net.rng.randrange(0x100, 0xffff):x}", 0xc100, 0x77)


def other_qkey(net):
    group = net.rng.choice([g for g in [*net.groups, net.broadcast] if g.mgid in net.created])
    return "MCG008", net.join(a_host(net), group, mask=subnets.JOIN | subnets.QKEY,
                              qkey=group.qkey ^ 1 << net.rng.randrange(31), status=INVALID)


def without_fields(net):
    missing = net.rng.choice((subnets.QKEY, subnets.TCLASS, subnets.PKEY, subnets.SL, subnets.FLOW, subnets.CREATE ^ subnets.JOIN))
    return "MCG005", net.join(a_host(net), new_group(net), mask=subnets.CREATE & ~missing, status=INSUFFICIENT)


def create_as_sender(net):
    return "MCG006", net.join(a_host(net), new_group(net), net.rng.choice((2, 4)), mask=subnets.CREATE, status=INVALID)


def half_leave(net):
    fit = a_state(net, False)
    if fit is None:
        return None
    net.join(*fit, 9)
    for _ in range(net.rng.randrange(5)):
        net.data(*net.rng.sample(net.hosts, 2))
    return "MCG013", net.leave(*fit, 1)


def leave_unjoined(net):
    fit = a_state(net, False)
    return fit and ("MCG012", net.leave(*fit, 1, status=INVALID))


def leave_twice(net):
    fit = a_state(net, True)
    if fit is None:
        return None
    state = net.state(*fit)
    net.leave(*fit, state)
    return "MCG012", net.leave(*fit, state, status=INVALID)


def arp_other_qpn(net):
    pair = a_pair(net)
    return pair and ("IPO008", net.resolve(*pair, qpn=pair[1].end.qpn ^ 1 << net.rng.randrange(24))[0])


def group_other_qkey(net):
    fit = a_state(net, True)
    return fit and ("MCG018", net.datagram(fit[0].end, fit[1].end, bytes(64), fit[1].qkey ^ 1 << net.rng.randrange(32)))


def packet_other_qkey(net):
    pair = a_pair(net)
    return pair and ("IPO015", net.resolve(*pair, qkey=subnets.BROADCAST_QKEY ^ 1 << net.rng.randrange(32))[1])


def sent_before_join(net):
    """After a leave: earlier it may have joined before the capture began."""
    fit = a_state(net, True)
    if fit is None:
        return None
    net.leave(*fit, net.state(*fit))
    net.datagram(fit[0].end, fit[1].end, bytes(64), fit[1].qkey)
    return "MCG015", net.join(*fit)


def no_query(net):
    """Nothing follows: known at the end."""
    pair = a_pair(net)
    if pair is None:
        return None
    answer, _ = net.resolve(*pair, follow=False)
    return "IPO023", answer + 1  # the end of the capture, which is the next frame


def silent(net):
    """Nobody has the address."""
    host, absent, frame = a_host(net), subnets.Host(200), None
    for _ in range(net.rng.randrange(3, 6)):
        frame = net.arp(1, host, absent, net.broadcast.end)
        net.time += SECOND
    return "IPO024", frame


def other_pkey(net):
    pair = a_pair(net)
    if pair is None:
        return None
    net.resolve(*pair)
    return "IPO025", send(net, *pair, udp(*pair), pkey=0x8001)


def qp_of_before(net):
    pair = a_pair(net)
    if pair is None:
        return None
    net.resolve(*pair, qpn=pair[1].end.qpn)  # by ARP
    frames = [send(net, *pair, udp(*pair), dqpn=pair[1].end.qpn ^ 0x4000) for _ in range(net.rng.randrange(3, 6))]
    return "IPO026", frames[0]


def unreached(net):
    pair = a_pair(net)
    if pair is None:
        return None
    frames = []
    for _ in range(net.rng.randrange(3, 5)):
        frames.append(net.resolve(*pair, follow=False)[0])
        net.time += SECOND
    return "IPO027", frames[0]


def two_ports(net):
    """A third host has the address of the second one, too."""
    pair = a_pair(net)
    third = [host for host in net.hosts if pair and host not in pair]
    if not third:
        return None
    other = subnets.Host(200)
    other.end, other.ipv4 = net.rng.choice(third).end, pair[1].ipv4
    net.resolve(*pair)
    net.arp(1, *pair, net.broadcast.end)
    net.arp(2, pair[1], pair[0], pair[0].end)
    frame = net.arp(2, other, pair[0], pair[0].end)
    net.data(pair[0], other)
    return "IPO028", frame


def no_reply(net):
    pair, frame = a_pair(net), None
    if pair is None:
        return None
    net.resolve(*pair, qpn=pair[1].end.qpn)  # by ARP
    for _ in range(net.rng.randrange(3, 6)):
        frame = send(net, *pair, ip(*pair, 1, bytes((8, 0, 0xf7, 0xff, 0, 0, 0, 0))))
        net.time += SECOND
    return "IPO029", frame


def mlid_replaced(net):
    fit = a_state(net, True)
    if fit is None:
        return None
    host, group = fit
    old = group.end
    net.join(host, group, net.state(host, group))
    group.end = subnets.W.End(group.mgid, old.qpn, old.lid + 0x100)
    net.join(host, group, net.state(host, group))
    net.time += 2 * SECOND
    return "MCG020", net.datagram(host.end, old, bytes(64), group.qkey)


def ip(host, other, protocol, body):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 1, 0x4000, 64, protocol, 0) + host.ipv4 + other.ipv4
    return struct.pack(">HH", 0x0800, 0) + head[:10] + struct.pack(">H", subnets.W.checksum(head)) + head[12:] + body


def udp(host, other):
    return ip(host, other, 17, struct.pack(">HHHH", 5000, 5000, 8, 0))


def send(net, host, other, body, dqpn=None, pkey=0xffff):
    return net.add(subnets.W.frame("ib-local", host.end, other.end, subnets.W.UD_SEND_ONLY, other.end.qpn if dqpn is None else dqpn,
                                   net.rng.randrange(1 << 24), body=body, qkey=subnets.BROADCAST_QKEY, sqpn=host.end.qpn, pkey=pkey))


LAST = (no_query, qp_of_before, unreached, no_reply)  # nothing follows
KINDS = [other_qkey, without_fields, create_as_sender, half_leave, leave_unjoined, leave_twice, arp_other_qpn, group_other_qkey,
         packet_other_qkey, sent_before_join, no_query, silent, other_pkey, qp_of_before, unreached, two_ports, no_reply,
         mlid_replaced]


def made(seed, kind):
    """(capture, (rule, frame) of what was planted; None: nothing)"""
    net = subnets.Subnet(random.Random(seed))
    net.start()
    steps = net.rng.randrange(20, 60)
    place, planted = random.Random(f"{seed} {kind.__name__ if kind else None}").randrange(10, steps), None
    for i in range(steps):
        if kind and planted is None and i >= place:
            planted = kind(net)
            if kind in LAST:
                break
        net.step()
    return net.capture(), planted


def found_in(lint, path):
    run = subprocess.run([lint, "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                          "--progress", "never", path], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(row["type"] == "summary" for row in rows):
        raise SystemExit(f"{path}: not read")
    return {(row["rule"], row["frame"]) for row in rows if row["type"] == "finding" and row["rule"] in RULES}


def main():
    lint, score, faults = sys.argv[1], collections.defaultdict(collections.Counter), []
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "planted.pcap"
        for kind in [None, *KINDS]:
            name = kind.__name__ if kind else "nothing"
            for seed in sample.seeds(SEEDS):
                data, planted = made(seed, kind)
                if kind and not planted:
                    continue
                path.write_bytes(data)
                found, of = found_in(lint, path), score[name]
                true = {one for one in found if planted and one[0] == planted[0] and planted[1] == one[1]}
                of["planted"] += 1
                of["found"] += bool(true)
                of["true"] += len(true)
                of["false"] += len(found - true)
                if found != true or (planted and not true):
                    faults.append(f"seed {seed}: {name}: {planted}, found {sorted(found)}")
    total = collections.Counter()
    for name, of in score.items():
        print(f"{name:20}{of['planted']:5} planted, recall {of['found']}/{of['planted']}, "
              f"precision {of['true']}/{of['true'] + of['false']}")
        if name == "nothing":
            total["false"] += of["false"]
        else:
            total += of
    print(f"in all: recall {total['found']}/{total['planted']}, precision {total['true']}/{total['true'] + total['false']}")

    def below(of, share):
        return of["found"] < share * of["planted"] or of["true"] < share * (of["true"] + of["false"])

    print(*faults[:20], sep="\n", end="\n" if faults else "")
    return 1 if below(total, ENOUGH) or any(below(score[kind.__name__], EACH) or score[kind.__name__]["planted"] < len(sample.seeds(SEEDS)) // 4
                                            for kind in KINDS) else 0


sys.exit(main())
