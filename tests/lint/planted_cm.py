#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_cm.py PCAP-LINT: faults planted in random conversations of the CM are found at their frame, and nothing else is.

Conversations are those of oracles/random_cm.py, which knows nothing of ours, by a seed that is always the same: as they are
(answers late but in time, MRAs, REPs and DREQs that come again, lost RTUs, crossing DREQs, alternate paths), no rule of the
CM may fire. Into each capture a fault of one kind is planted, in one conversation at random. A finding counts if its rule
and frame are those of the fault. Recall and precision have to be 98 % in all and 95 % of each kind; each rule of the CM has
to be in some kind.
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

import random_cm as cm  # noqa: E402
sys.path.insert(0, str(ROOT / "tests/lib"))
import sample  # noqa: E402

SEEDS = 40
RULES = {f"CMS{n:03}" for n in range(1, 23)}
ENOUGH, EACH = 0.98, 0.95
NO_LISTENER, TIMEOUT, STALE, CONSUMER = 8, 4, 10, 28
UNNAMED = (0, 36, 99, 0x8000)
STORM, STORM_NS = 1000, 900 * cm.MS  # REQs a second; within this


def asks(c):
    """REQs without an answer, as often as they may be sent; (rule, packet) of the copies"""
    found = [c.req()]
    for _ in range(c.tries - 1):
        c.time += c.try_ns()
        found.append(c.req())
    c.time += c.try_ns()
    return [("CMS004", p) for p in found[1:]], found[-1]


# Nothing comes back

def req_unanswered(c):
    copies, last = asks(c)
    return [*copies, ("CMS003", last)]


def req_given_up(c):
    """Its sender says so."""
    copies, last = asks(c)
    return [*copies, ("CMS003", last), ("CMS005", c.rej(c.a, TIMEOUT))]


def mra_and_nothing(c):
    first = c.req()
    c.mra(c.b, c.rng.randrange(16, 22))
    return [("CMS003", first)]


def mra_not_honoured(c):
    """It is sent again, although there is time."""
    c.req()
    c.mra(c.b, 23)
    c.time += c.try_ns()
    again = c.req()
    c.rep()
    c.rtu()
    c.talk()
    return [("CMS004", again)]


def rep_lost(c):
    copies = []
    c.req()
    for _ in range(c.rng.randrange(1, c.tries)):
        c.time += c.try_ns()
        copies.append(("CMS004", c.req()))
    c.rep()
    c.rtu()
    c.talk()
    return copies


def rtu_missing(c):
    c.req()
    for _ in range(c.rng.randrange(1, c.tries + 1)):
        last = c.rep()
        c.time += c.try_ns()
    return [("CMS009", last)]


def dreq_unanswered(c):
    c.set_up()
    c.talk()
    by = c.rng.choice((c.a, c.b))
    for _ in range(c.rng.randrange(1, c.tries + 1)):
        last = c.dreq(by)
        c.time += c.try_ns()
    return [("CMS011", last)]


# Refused

def rejected(c):
    reason = c.rng.choice((1, 3, 5, NO_LISTENER, 24, 25, CONSUMER))
    c.req()
    return [("CMS005", c.rej(c.b, reason))]


def rep_rejected(c):
    c.req()
    c.rep()
    return [("CMS005", c.rej(c.a, CONSUMER))]


def rejected_unnamed(c):
    c.req()
    rej = c.rej(c.b, c.rng.choice(UNNAMED))
    return [("CMS005", rej), ("CMS006", rej)]


def stale_loop(c):
    """It is said at the fourth."""
    rejs = []
    for _ in range(c.rng.randrange(4, 8)):
        c.req()
        rejs.append(c.rej(c.b, STALE))
        c.time += cm.SECOND
        c.a.id, c.tid = c.world.unused(32), c.world.unused(32)
    return [("CMS007", rejs[3]), *(("CMS005", rej) for rej in rejs)]


def sidr_refused(c):
    lookup = cm.Lookup(c.world, c.time)
    lookup.req()
    return [("CMS005", lookup.rep(c.rng.randrange(1, 6)))]


def sidr_qkey(c):
    lookup = cm.Lookup(c.world, c.time).run()
    return [("CMS021", lookup.datagram(cm.UDP_QKEY ^ 1 << c.rng.randrange(32)))]


# IDs, numbers

def wrong_id(c):
    """A message with it, and the same without it."""
    wrong, which = c.world.unused(32), c.rng.choice((cm.REP, cm.RTU, cm.DREQ, cm.DREP))
    found = []

    def twice(attribute, send, *args):
        if attribute == which:
            found.append(("CMS008", send(*args, remote=wrong)))
        send(*args)
    c.req()
    twice(cm.REP, c.rep)
    twice(cm.RTU, c.rtu)
    c.talk()
    by = c.rng.choice((c.a, c.b))
    twice(cm.DREQ, c.dreq, by)
    twice(cm.DREP, c.drep, c.other(by))
    return found


def first_psn(c):
    """Before the one that was agreed."""
    c.set_up_without_data()
    side = c.rng.choice((c.a, c.b))
    side.next -= c.rng.randrange(1, 1 << 22)
    return [("CMS014", c.send(side))]


def first_psn_above(c):
    """After it: that one is asked for, and never comes."""
    c.service = "RC"
    c.set_up_without_data()
    side, expected = c.a, c.a.next
    side.next += c.rng.randrange(1, 1000)
    first = None
    for _ in range(c.rng.randrange(1, 4)):
        c.soon()
        sent = c.packet(side, cm.SEND_ONLY, side.next, 64, ackreq=1)
        first = first or sent
        c.soon()
        c.packet(c.b, cm.ACK, expected, syndrome=cm.NAK_SEQUENCE)
        c.time += 50 * cm.MS
    return [("CMS014", first)]


def other_qpn(c):
    """In the wrong byte order."""
    c.set_up_without_data()
    side = c.rng.choice((c.a, c.b))
    swapped = int.from_bytes(c.other(side).qpn.to_bytes(3, "big"), "little")
    return [("CMS014", c.send(side, qpn=swapped))] if swapped != c.other(side).qpn else None


def over_mtu(c):
    c.mtu = c.rng.randrange(1, 5)
    c.set_up()
    c.soon()
    first = c.packet(c.a, cm.SEND_FIRST, c.a.next, 256 << c.mtu)
    c.soon()
    c.packet(c.a, cm.SEND_LAST, c.a.next + 1, 8, ackreq=1)
    return [("CMS015", first)]


# Too early, too late, too much

def before_rtu(c):
    c.asked()
    early = c.send(c.rng.choice((c.a, c.b)))
    c.rtu()
    c.talk()
    return [("CMS010", early)]


def after_drep(c):
    c.run_to_drep()
    c.time += 150 * cm.MS
    return [("CMS012", c.send(c.rng.choice((c.a, c.b))))]


def storm(c):
    """The connections that were asked for are made; some were a second before."""
    server, begin, reqs = c.b.host, c.time, []
    clients = [host for host in c.world.hosts if host is not server]
    times = [begin - c.rng.randrange(300, 900) * cm.MS for _ in range(5)]
    for n in range(STORM + c.rng.randrange(2, 100)):
        times.append(begin + n * STORM_NS // (STORM + 100))
    for time in times:
        one = cm.Connection(c.world, time, c.rng.choice(clients), server, service="RC")
        if time >= begin:
            reqs.append(one.req())
            one.rep()
            one.rtu()
        else:
            one.run()
    c.world.now += 3 * cm.SECOND
    reqs.sort(key=lambda p: p.time)
    return [("CMS022", reqs[STORM])]


# Single packets

def of_fields(rule, **choices):
    """@choices: of each name some values, one of which is taken"""
    def plant(c):
        fields = {name: c.rng.choice(values) for name, values in choices.items()}
        one = cm.Connection(c.world, c.time, service="RC", **fields)
        if fields.get("cma", {}).get("family") == 6 and len(one.a.host.end.gid) != 4:
            return None  # it is one
        req, rep = one.req(), one.rep()
        one.rtu()
        return [(rule, rep if "rep_rnr" in fields else req)]
    return plant


def not_sent(c):
    c.set_up()
    return [("CMS001", c.mra(c.b, 16, method=c.rng.choice((1, 2, 0x81, 6))))]


def no_message(c):
    c.set_up()
    return [("CMS002", c.message(c.a, c.rng.randrange(0x20, 0x100), b""))]


KINDS = {
    "REQ unanswered": req_unanswered, "REQ given up by its sender": req_given_up, "REQ, MRA, nothing": mra_and_nothing,
    "MRA not honoured": mra_not_honoured, "REP lost": rep_lost, "RTU missing": rtu_missing, "DREQ unanswered": dreq_unanswered,
    "REQ rejected": rejected, "REP rejected": rep_rejected, "reason without a name": rejected_unnamed,
    "stale, again and again": stale_loop, "SIDR refused": sidr_refused, "SIDR, another Q_Key": sidr_qkey,
    "wrong remote ID": wrong_id, "first PSN too low": first_psn, "first PSN too high": first_psn_above,
    "QPN in another byte order": other_qpn, "beyond the MTU": over_mtu, "data before the RTU": before_rtu,
    "data after the DREP": after_drep, "storm": storm, "method": not_sent, "no such message": no_message,
    "MTU code": of_fields("CMS013", mtu=[0, *range(6, 16)]), "no retries": of_fields("CMS016", retry=[0]),
    "no RNR retries": of_fields("CMS016", rnr=[0]), "no RNR retries, REP": of_fields("CMS016", rep_rnr=[0]),
    "ACK timeout": of_fields("CMS017", path=[*range(8), *range(23, 32)]),
    "version of RDMA CM": of_fields("CMS018", cma=[{"version": n} for n in (1, 0x10, 0x80)]),
    "family of RDMA CM": of_fields("CMS019", cma=[{"family": n} for n in (0, 5, 6)]),
    "port space": of_fields("CMS020", service_id=[0x4853, 0x01074853, 0x01104853]),
}
FEWER = {"storm": 4}  # seeds, of thousands of packets each


def made(seed, name):
    """(capture, {(rule, frame)} of what was planted; None: nothing)"""
    world = cm.World(random.Random(f"{seed} {name}"))
    steps = world.rng.randrange(3, 8)
    place, planted = world.rng.randrange(steps), None
    for i in range(steps):
        if name and i == place:
            world.now += cm.SECOND
            planted = KINDS[name](cm.Connection(world, world.now))
        cm.healthy(world, world.rng.randrange(1, 4))
    cm.last(world)
    data = world.capture()
    return data, planted and {(rule, packet.number) for rule, packet in planted}


def found_in(lint, path):
    run = subprocess.run([lint, "--select", "CMS", "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never", "--format", "json",
                          "--progress", "never", path], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    if not any(row["type"] == "summary" for row in rows):
        raise SystemExit(f"{path}: not read")
    return {(row["rule"], row["frame"]) for row in rows if row["type"] == "finding" and row["rule"] in RULES}


def main():
    lint, score, faults, rules = sys.argv[1], collections.defaultdict(collections.Counter), [], set()
    with tempfile.TemporaryDirectory() as tmp:
        path = pathlib.Path(tmp) / "planted.pcap"
        for name in [None, *KINDS]:
            for seed in sample.seeds(FEWER.get(name, SEEDS)):
                data, planted = made(seed, name)
                if name and not planted:
                    continue
                path.write_bytes(data)
                found, of, must = found_in(lint, path), score[name or "nothing"], planted or set()
                rules |= {rule for rule, _ in must}
                of.update(captures=1, planted=len(must), found=len(found & must), true=len(found & must),
                          false=len(found - must))
                if found != must:
                    faults.append(f"{name}, seed {seed}: missing {sorted(must - found)}, false {sorted(found - must)}")
    total = sum(score.values(), collections.Counter())
    for name, of in [*score.items(), ("in all", total)]:
        print(f"{name:28}{of['captures']:5} captures, recall {of['found']}/{of['planted']}, "
              f"precision {of['true']}/{of['true'] + of['false']}")

    def below(of, share):
        return of["found"] < share * of["planted"] or of["true"] < share * (of["true"] + of["false"])

    print(*faults[:20], *(f"{rule}: never planted" for rule in sorted(RULES - rules)), sep="\n", end="\n" if faults else "")
    return 1 if below(total, ENOUGH) or rules != RULES or any(
        below(score[name], EACH) or score[name]["captures"] < len(sample.seeds(FEWER.get(name, SEEDS))) // 4 for name in KINDS) else 0


sys.exit(main())
