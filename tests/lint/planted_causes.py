# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""planted_causes.py - kinds of planted.py in which several things look alike, and the capture shows which one it was: damaged or lost, an answer
lost or a request, a response late or missing, several paths or one packet late; and how a connection ends."""
import struct

import roce
from planting import MS, US, Edit, Plant, plain

READS = ("READ_RESPONSE_ONLY", "READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE", "READ_RESPONSE_LAST")


def spoiled(frame):
    """The same packet with one bit of its payload turned: its ICRC is wrong."""
    data = bytearray(frame.data)
    data[-8] ^= 1
    return roce.Frame(frame.time, data, frame.length)


def renumbered(frame, last, more):
    """The same packet sent again: its IPv4 identification is so many after that of @last."""
    if frame.data[frame.ip] >> 4 != 4:
        return frame
    data = bytearray(frame.data[:frame.end + 4])
    identification, = struct.unpack_from(">H", last.data, last.ip + 4)
    struct.pack_into(">H", data, frame.ip + 4, identification + more & 0xffff)
    return roce.Frame(frame.time, roce.whole(data, frame.ip, frame.udp))


def damaged(talk, rng):
    """A request arrives with a wrong ICRC; its receiver discards it, asks for it, and gets it."""
    fit = [(i, j) for i, j in talk.neighbors() if talk.msn(talk.frames[i].psn, i) is not None
           and not talk.frames[i].cut and talk.frames[i].payload >= 8]
    if not fit:
        return None
    i, j = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead[i] = spoiled(talk.frames[i])
    nak = edit.insert(j, talk.frames[talk.answers[0]].ack(0, talk.frames[i].psn, roce.NAK_SEQ, talk.msn(talk.frames[i].psn, i)))
    again = edit.insert(j, talk.frames[i]), edit.insert(j, talk.frames[j])
    return Plant("damaged", edit, [("CRC001", [i]), ("QPS002", [j]), ("QPS008", [nak]), ("QPS003", [again[1]])], {"QPS003"})


def answer_lost(talk, rng):
    """The answer to a request is captured, and lost after that: the request is sent again by its timer, and answered again."""
    fit = [i for i in talk.requests[1:] if talk.service == roce.RC and plain(talk.frames[i]) and talk.frames[i].ackreq
           and talk.covered[i] and talk.frames[talk.covered[i]].psn == talk.frames[i].psn and talk.shortest(i)
           and talk.shortest(i) < 5 * MS and not any(i < k < talk.covered[i] for k in talk.requests)]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    again = edit.insert(talk.covered[i], talk.frames[i], 70 * MS)
    edit.insert(talk.covered[i], talk.frames[talk.covered[i]])
    return Plant("answer lost", edit, [("QPS017", [again]), ("QPS003", [again])])


def of_reads(talk):
    """[(request, its responses)] of READs of three responses at least, which nothing else answers in between."""
    for i, j in zip(talk.requests[1:], [*talk.requests[2:], len(talk.frames)]):
        own = [k for k in talk.answers if i < k < j]
        if talk.frames[i].name == "READ_REQUEST" and len(own) >= 3 and all(talk.frames[k].name in READS for k in own) \
                and talk.frames[own[0]].psn == talk.frames[i].psn and talk.frames[own[-1]].name.endswith("LAST") and talk.shortest(i):
            yield i, own


def response_missing(talk, rng):
    """One response of several is lost; the READ is sent again after 70 ms, and answered."""
    fit = list(of_reads(talk))
    if not fit:
        return None
    i, own = rng.choice(fit)
    gone = rng.randrange(len(own) - 1)
    edit = Edit(talk.frames)
    edit.gone.add(own[gone])
    again = edit.insert(own[-1], talk.frames[i], 70 * MS)
    for n, k in enumerate(own, 1):
        edit.insert(own[-1], renumbered(talk.frames[k], talk.frames[own[-1]], n), 2 * US)
    return Plant("READ response missing", edit, [("QPS034", [own[gone + 1]]), ("QPS003", [again])], {"QPS017", "QPS021"})


def response_late(talk, rng):
    """Two responses of a READ are swapped."""
    fit = [(own[n], own[n + 1]) for _, own in of_reads(talk) for n in range(len(own) - 1)]
    if not fit:
        return None
    a, b = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.instead = {a: talk.frames[b].at(talk.frames[a].time), b: talk.frames[a].at(talk.frames[b].time)}
    return Plant("READ response late", edit, [("QPS035", [b])])


def several_paths(talk, rng):
    """Three pairs of requests at least are swapped, and nobody asks for one again."""
    fit, last, soon = [], -1, min((time for _, time in talk.round_trips), default=0) // 2
    for i, j in talk.neighbors():
        if i > last and talk.frames[j].time - talk.frames[i].time < soon:
            fit.append((i, j))
            last = j
    if len(fit) < 3:
        return None
    edit = Edit(talk.frames)
    for i, j in rng.sample(fit, rng.randrange(3, min(len(fit), 8) + 1)):
        edit.instead |= {i: talk.frames[j].at(talk.frames[i].time), j: talk.frames[i].at(talk.frames[j].time)}
    return Plant("several paths", edit, [("CAP022", [-1])])


def gave_up(talk, rng):
    """A request is sent eight times, the timer doubles as it does, and nothing answers; the capture goes on for as long."""
    fit = [i for i in talk.requests[3:] if talk.service == roce.RC and plain(talk.frames[i]) and talk.frames[i].ackreq
           and talk.covered[i] and len([n for n, _ in talk.round_trips if n < i]) >= 3
           and not any(i < k < talk.covered[i] for k in talk.requests)]
    if not fit:
        return None
    i = rng.choice(fit)
    edit = Edit(talk.frames)
    edit.gone = set(range(i + 1, len(talk.frames)))
    again = [edit.insert(i, talk.frames[i], 70 * MS) for _ in range(7)]
    edit.insert(i, roce.Frame(0, talk.frames[i].data[:12] + b"\x08\x06" + bytes(46)), 300 * MS)  # of something else
    return Plant("retries used up", edit, [("QPS017", again[:1]), ("QPS003", again[:1]), ("QPS037", again[6:])],
                 {"QPS003", "QPS017", "QPS018", "QPS021"})


KINDS = [damaged, answer_lost, response_missing, response_late, several_paths, gave_up]
