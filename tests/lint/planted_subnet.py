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
RULES = {"MCG005", "MCG006", "MCG008", "MCG009", "MCG010", "MCG011", "MCG012", "MCG013", "MCG015", "MCG018", "IPO008",
         "IPO015", "IPO018", "IPO023"}
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


KINDS = [other_qkey, without_fields, create_as_sender, half_leave, leave_unjoined, leave_twice, arp_other_qpn, group_other_qkey,
         packet_other_qkey, sent_before_join, no_query]


def made(seed, kind):
    """(capture, (rule, frame) of what was planted; None: nothing)"""
    net = subnets.Subnet(random.Random(seed))
    net.start()
    steps = net.rng.randrange(20, 60)
    place, planted = random.Random(f"{seed} {kind.__name__ if kind else None}").randrange(10, steps), None
    for i in range(steps):
        if kind and planted is None and i >= place:
            planted = kind(net)
            if kind is no_query:
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
