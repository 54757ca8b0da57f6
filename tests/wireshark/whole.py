#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""whole.py PLUGIN MADE FRAMES: messages of several packets are reassembled, and upper layers see them once.

The bytes: of the first FRAMES frames of every capture (0: all), each message that msg.py finds in them, all of whose
packets are there, is reassembled from those frames, with the bytes that they have, each packet once. What else is
reassembled, of connections one way of which is not known, has a FIRST, a LAST and all PSNs between. Other packets say
that their PSN came before, or that packets are missing.

The upper layers: of each capture of pcaps/ulp, in take-over mode with two passes, what the built-in dissector shows
without the plugin is there, in the same frame, in that which has the whole message, or in that which a repeated
packet repeats; nothing is there twice, and nothing is malformed that is not without the plugin. Each SEND that msg.py finds, of
a service that has an upper layer, is handed over once: tests/data/ws-messages.csv says how many.
"""
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "oracles"))
import capture as C  # noqa: E402
import msg  # noqa: E402
import packet as P  # noqa: E402
import ws  # noqa: E402

TAKEOVER = "-2", "-o", "ibwire.mode:takeover"
COMPARED = FRAGMENTS, FRAGMENT, COUNT, LENGTH, DATA, IN, WHY = [f"ibwire.msg.{name}" for name in (
    "fragments", "fragment", "fragment.count", "reassembled.length", "data", "reassembled.in", "unassembled")]
OF = "ibwire.analysis.retransmission.of"
REPEATED, LACKING = 2, 4  # ibwire.msg.unassembled
MORE = 3  # messages that msg.py does not find: their FIRST comes late, or who asked for them is not known
STREAM, SERVICE, PROTOCOLS = ("ibwire.stream", "ibwire.stream.dir"), "ibwire.conn.service", "frame.protocols"
TABLE = [tuple(line.split(",")) for line in (ws.ROOT / "tests/data/ws-messages.csv").read_text().splitlines() if line[:1] != "#"]
# What upper layers say of their PDUs.
PDUS = ["nvme.cmd.opc", "nvme.cmd.cid", "nvme.cqe.cid", "nvme.cqe.status", "iscsi.opcode", "iscsi.initiatortasktag",
        "iscsi.cmdsn", "scsi_sbc.opcode", "rpc.xid", "rpc.msgtyp", "nfs.opcode", "nfs.procedure_v3", "smb2.cmd",
        "smb2.msg_id", "smb_direct.data_length"]
MALFORMED = "_ws.malformed"
MIDDLES = {P.SEND_FIRST: {P.SEND_MIDDLE}, P.WRITE_FIRST: {P.WRITE_MIDDLE},
           P.READ_FIRST: {P.READ_FIRST, P.READ_MIDDLE}}  # a READ may be asked for again from its middle on
ENDS = {(begin, end) for begin, ends in ((P.SEND_FIRST, (P.SEND_LAST, P.SEND_LAST_IMM, P.SEND_LAST_INV)),
                                         (P.WRITE_FIRST, (P.WRITE_LAST, P.WRITE_LAST_IMM)),
                                         (P.READ_FIRST, (P.READ_LAST, P.READ_ONLY))) for end in ends}
CONTINUED = {P.SEND_MIDDLE, P.WRITE_MIDDLE, P.READ_MIDDLE} | {end for _, end in ENDS}


def rows(tshark, path, names, *options, plugin=True):
    """{frame: {name: [values]}} of what is there."""
    args = [arg for name in ["frame.number", *names] for arg in ("-e", name)]
    text = tshark.read(path, *options, "-T", "fields", "-E", "separator=/t", *args, plugin=plugin)
    found = {}
    for line in text.splitlines():
        number, *cells = line.split("\t")
        found[int(number)] = {name: cell.split(",") for name, cell in zip(names, cells, strict=True) if cell}
    return found


def payload_of(data, packet, at):
    """The bytes; None: not all were captured."""
    at += P.BTH + (P.XRCETH if packet.service == P.XRC else 0) + P.EXTENSION.get(packet.op, 0)
    return data[at:at + packet.payload] if at + packet.payload <= len(data) else None


def packets(merged):
    """{frame: (PSN, opcode, bytes)} of packets whose ICRC is not bad."""
    found, number = {}, 0
    for linktype, (frames, _) in merged.items():
        for _, _, length, data in frames:
            number += 1
            packet = P.parse(C.Record(number, 0, linktype, data, length))
            if packet and packet.op is not None and packet.icrc != P.BAD:
                at = P.LINKS[linktype](data, 0).at
                found[number] = packet.psn, packet.op, payload_of(data, packet, at)
    return found


def is_message(parts):
    """Whether these PSNs and opcodes are those of one message."""
    (_, begin, _), (_, end, _) = parts[0], parts[-1]
    return (begin, end) in ENDS and all((b[0] - a[0]) % msg.PSNS == 1 for a, b in zip(parts, parts[1:])) and \
        all(part[1] in MIDDLES[begin] for part in parts[1:-1])


def wanted(found, every):
    """{frames: bytes} of the messages of several packets that are whole."""
    messages, whole = {}, {}
    for number, (packet, message, *_) in found.items():
        if every[number][1] in MIDDLES or every[number][1] in CONTINUED:
            psn = (packet.psn - message.psn) % msg.PSNS
            messages.setdefault(message, {}).setdefault(psn, number)
    for message, frames in messages.items():
        frames = tuple(frames[psn] for psn in sorted(frames))
        parts = [every[frame] for frame in frames]
        if not is_message(parts) or any(part[2] is None for part in parts):
            continue
        data = b"".join(part[2] for part in parts)
        if message.verb != msg.READ or len(data) == message.asked:
            whole[frames] = data
    return whole


def reasons(have, streams, every, origins, n):
    """Why packets are of no message: the PSN came before, or packets are missing."""
    came = set()
    for number in sorted(streams.keys() & every.keys()):
        psn, op, _ = every[number]
        key = streams[number], op in P.REQUESTS, psn
        want = REPEATED if key in came else LACKING
        came.add(key)
        why = have.get(number, {}).get(WHY)
        n[f"unassembled {want}"] += why is not None
        if why and why != [str(want)]:
            yield f"{origins[number - 1]}: frame {number}: {WHY} {why}, not {want}"


def compare_bytes(tshark, merged, n):
    path = tshark.write_all("all.pcapng", merged)
    _, streams = msg.of_plugin(tshark, path, "-2")
    origins, where = ws.origins(merged), collections.defaultdict(set)
    for number, (stream, _) in streams.items():
        where[stream].add(origins[number - 1].split(":")[0])
    streams = {number: key for number, key in streams.items() if len(where[key[0]]) == 1}
    every = packets(merged)
    want = wanted(msg.messages(msg.read(merged), streams), every)
    have = rows(tshark, path, COMPARED, "-2")
    n.update(name for number, row in have.items() if number in streams for name in row)
    for number, row in have.items():
        if number not in streams or FRAGMENT not in row:
            continue
        frames = tuple(map(int, row[FRAGMENT]))
        n["reassembled"] += 1
        n["more"] += frames not in want
        data = want.pop(frames, None) or b"".join(every[frame][2] or b"" for frame in frames)
        n["bytes"] += len(data)
        if not is_message([every[frame] for frame in frames]) or len({streams[frame] for frame in frames}) != 1:
            yield f"{origins[number - 1]}: frame {number}: {frames} are no message"
        if row.get(COUNT) != [str(len(frames))] or FRAGMENTS not in row:
            yield f"{origins[number - 1]}: frame {number}: {row.get(COUNT)} fragments, not {len(frames)}"
        if row[DATA][0].replace(":", "") != data.hex() or row[LENGTH] != [str(len(data))]:
            yield f"{origins[number - 1]}: frame {number}: {row[LENGTH]} bytes, not the {len(data)} of {frames}"
        for one in frames:
            if one != number and have[one].get(IN) != [str(number)]:
                yield f"{origins[one - 1]}: frame {one}: reassembled in {have[one].get(IN)}, not {number}"
    for frames in want:
        yield f"{origins[frames[0] - 1]}: frames {frames} are not reassembled"
    if n["more"] > MORE:
        yield f"{n['more']} messages that msg.py does not find"
    yield from reasons(have, streams, every, origins, n)


def pdus(row):
    return [(name, value) for name in PDUS for value in row.get(name, ())]


def place_of(number, mine):
    """The frame that has what the built-in dissector shows in frame @number."""
    row = mine[number]
    of = row.get(OF)
    if not pdus(row) and of and int(of[0]) != number:
        return place_of(int(of[0]), mine)
    return int(row[IN][0]) if IN in row else number


def sends(capture, mine):
    """{(stream, way, number): (service, how often it is handed over)} of SENDs of connections whose service is known."""
    linktype, frames = ws.records(capture)
    streams = {number: tuple(int(row[name][0]) for name in STREAM) for number, row in mine.items() if STREAM[0] in row}
    services = {streams[number][0]: row[SERVICE][0] for number, row in mine.items() if SERVICE in row and number in streams}
    found = {}
    for number, (packet, message, *_) in msg.messages(msg.read({linktype: (frames, None)}), streams).items():
        stream, way = streams[number]
        if stream in services and message.verb == msg.SEND and packet.payload:
            upper = (mine[number][PROTOCOLS][0] + ":").rpartition("ibwire:")[2].rstrip(":")  # nothing: the plugin shows it
            times = found.get((stream, way, message.number), (None, 0))[1]
            found[stream, way, message.number] = services[stream], times + (upper not in ("", "data"))
    return found


def handed_over(capture, mine, n):
    """As many as tests/data/ws-messages.csv says, none of them twice."""
    messages, handed = collections.Counter(), collections.Counter()
    for key, (service, times) in sends(capture, mine).items():
        messages[service] += 1
        handed[service] += times > 0
        if times > 1:
            yield f"{capture.name}: message {key} is handed over {times} times"
    have = {(capture.name, service, str(messages[service]), str(handed[service])) for service in messages}
    n["SENDs handed over"] += handed.total()
    want = {row for row in TABLE if row[0] == capture.name}
    yield from (f"SENDs handed over: {','.join(row)} is not in ws-messages.csv" for row in sorted(have - want))
    yield from (f"SENDs handed over: not {','.join(row)}" for row in sorted(want - have))


def upper_layers(tshark, capture, n):
    path = tshark.put(capture)
    theirs = rows(tshark, path, [*PDUS, MALFORMED], "-2", plugin=False)
    mine = rows(tshark, path, [*PDUS, MALFORMED, IN, OF, FRAGMENT, *STREAM, SERVICE, PROTOCOLS], *TAKEOVER)
    yield from handed_over(capture, mine, n)
    count = collections.Counter()
    for number, row in theirs.items():
        missing = collections.Counter(pdus(row)) - collections.Counter(pdus(mine[place_of(number, mine)]))
        if missing:
            yield f"{capture.name}: frame {number}: {dict(missing)} are missing"
        if MALFORMED in mine[number] and MALFORMED not in row:
            yield f"{capture.name}: frame {number} is malformed"
        count["built-in"] += bool(pdus(row))
        count["here"] += bool(pdus(mine[number]))
        count["reassembled"] += FRAGMENT in mine[number]
        count["repeated"] += OF in mine[number]
        if OF in mine[number] and pdus(mine[number]):
            yield f"{capture.name}: frame {number} repeats {mine[number][OF]}, and is handed over, too"
    print(f"{capture.name}: " + ", ".join(f"{name} {count[name]}" for name in
                                           ("built-in", "here", "reassembled", "repeated")))
    n.update(count)


def main():
    tshark, n = ws.Tshark(sys.argv[1]), collections.Counter()
    faults = list(compare_bytes(tshark, ws.by_linktype(sys.argv[2], int(sys.argv[3]) or None), n))
    names = set(line.split("\t")[2] for line in tshark.run("-G", "fields").splitlines() if line.startswith("F"))
    PDUS[:] = [name for name in PDUS if name in names]
    for capture in sorted((ws.ROOT / "pcaps/ulp").glob("*.pcap")):
        faults += upper_layers(tshark, capture, n)
    faults += [f"no {name}" for name in (*COMPARED, "SENDs handed over", f"unassembled {REPEATED}", f"unassembled {LACKING}") if not n[name]]
    return ws.verdict(faults, ", ".join(f"{name} {count}" for name, count in n.items()))


if __name__ == "__main__":
    sys.exit(main())
