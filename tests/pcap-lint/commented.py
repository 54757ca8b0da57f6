#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""commented.py PCAP-LINT MADE: the capture with comments, pcap-lint -w.

Of captures of pcaps/ and of MADE: the packets that are written are those that the JSON report names, at their times, byte by
byte; each finding is a comment of its packet, each incident one of each of its packets, and each frame that a comment names is
the packet that it says it was; what is read from a pipe becomes the same file; written again, with all packets or those that were chosen, it stays the same.
Of a pcapng of many blocks, in either byte order, all that is no packet is as it was, options and comments too. What is
damaged, cut, too much or asked for wrongly is written as far as it goes, or refused.
"""
import gzip
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/lib"), str(ROOT / "tests/oracles")]
sys.dont_write_bytecode = True

import first_fault  # noqa: E402
import pcapng_parts as ng  # noqa: E402

LINT, MADE = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).absolute()
FLUSH = ROOT / "pcaps/rxe/40-k612-flush.pcap"
FAULTS = ROOT / "pcaps/faults"
LOSS = FAULTS / "03d-nak-loss.pcap"
CAPTURES = [FLUSH, LOSS, *sorted(FAULTS.glob("*.pcap"))[::3], *sorted((ROOT / "pcaps/ulp").glob("*.pcap*"))[::4],
            *sorted(MADE.glob("lint-*.pcap*"))[::12]]
MAGICS = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}
NOT_COPIED, CUSTOM, NAMES, SECRETS, JOURNAL = 0x40000bad, 0xbad, 4, 10, 9
PART = b"pcap-lint -w: packets with findings"
WAS = re.compile(r"(?:frame )?\b(\d+)(?:, was (\d+)| \(was (\d+)\))")
MAX = 32


def run(*args, status=None, **how):
    done = subprocess.run([LINT, *map(str, args)], capture_output=True, check=False, **how)
    if status is not None and done.returncode != status:
        raise AssertionError(f"{args}: status {done.returncode}: {done.stderr.decode()}")
    return done


def pcap_packets(data):
    """[(nanoseconds, length, bytes)] of a pcap, up to where it is cut."""
    order = "<" if struct.unpack_from("<I", data)[0] in MAGICS else ">"
    unit, at, out = MAGICS[struct.unpack_from(order + "I", data)[0]], 24, []
    while at + 16 <= len(data):
        sec, sub, caplen, length = struct.unpack_from(order + "IIII", data, at)
        if at + 16 + caplen > len(data):
            break
        out.append((sec * 10**9 + sub * unit, length, data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return out


def written(data):
    """[(nanoseconds or None, length, bytes, [comment])] of a pcapng."""
    interfaces, out = [], []
    for kind, order, body, _ in ng.blocks(data):
        at = ng.options_at(kind, order, body)
        pairs = [] if at is None else ng.pairs_of(body[at:], order)
        if kind == ng.SECTION:
            interfaces = []
        elif kind == ng.INTERFACE:
            interfaces.append(dict(pairs).get(ng.IF_TSRESOL, b"\x06")[0])
        elif kind in (ng.PACKET, ng.OLD_PACKET):
            iface, high, low, caplen, length = struct.unpack_from(order + ("IIIII" if kind == ng.PACKET else "HxxIIII"), body)
            ns = (high << 32 | low) * 10**9 // 10**interfaces[iface]
            out.append((ns, length, body[20:20 + caplen], [v.decode() for code, v in pairs if code == ng.COMMENT]))
        elif kind == ng.SIMPLE:
            out.append((None, struct.unpack_from(order + "I", body)[0], body[4:], []))
    return out


def report(path, *options):
    """The JSON report, of findings and of incidents that a warning or an error proves: what -w is held to."""
    text = run("--format", "json", "--max-per-rule", "0", *options, path).stdout.decode()
    rows = list(map(json.loads, text.splitlines()))
    return [row for row in rows if row["type"] == "finding"], [row for row in rows if row["type"] == "incident" and row["severity"] != "note"]


def findings(path, *options):
    return report(path, *options)[0]


def parts_of_conversation(incident):
    """Of one of the CM: what the sentence says of each frame."""
    words = {}
    for part in incident["text"].split("; "):
        of = re.search(r"^\w+ of frame (\d+)", part)
        again = re.search(r", again .*in frame (\d+)$", part)
        answer = re.search(r"^\w+(?: .*)? in frame (\d+)$", part) if not of else None
        for frame, what in ((of, "the message"), (again, "the message again"), (answer, "its answer")):
            if frame and int(frame[1]) != incident["frame"]:
                words.setdefault(int(frame[1]), what)
    if incident["frames"]["last"] != incident["frame"]:
        words.setdefault(incident["frames"]["last"], "the last of its messages")
    return words


def parts_of_mads(incident):
    """Of requests of MADs: those of its root, and up to where an answer was looked for, as its sentence has it."""
    frames, words = incident["frames"], {}
    until = re.search(r"; no answer to it by frame (\d+)", incident["text"])
    named = ((frames["root"], "the request"), (frames["notice"], "the request again"),
             (frames["end"], "its end" if "; stopped " in incident["text"] else "its answer"),
             (until and int(until[1]), "the packet up to which it had no answer"), (frames["last"], "its last packet"))
    for frame, what in named:
        if frame and frame != incident["frame"]:
            words.setdefault(frame, what)
    return words


def parts_of_transfer(incident):
    """{frame: what it is} of a transfer of RMPP: its sentence says with which frame it begins."""
    frames, words = incident["frames"], {}
    begin = re.search(r" from frame (\d+) on: ", incident["text"])
    stopped = re.search(r" with status .* in frame", incident["text"])
    named = ((frames["root"], "the segment"), (frames["resent"], "the segment, after that"), (int(begin[1]), "the first segment of the transfer"),
             (frames["end"], "the packet that stops it" if stopped else "the segment that completes it"), (frames["last"], "its last packet"))
    for frame, what in named:
        if frame and frame != incident["frame"]:
            words.setdefault(frame, what)
    return words


def parts_of_congestion(incident):
    """As its sentence has them."""
    words = {incident["frame"]: None}
    for at, what in (("marked CE", "packet marked CE"), ("for this queue pair", "CNP")):
        said = re.search(rf"{at} (?:in frame (\d+)|from frame (\d+) to frame (\d+))", incident["text"])
        words |= {int(frame): f"the {which} {what}" for which, frame in (("first", said and (said[1] or said[2])), ("last", said and said[3]))
                  if frame and int(frame) not in words}
    order = ("the first packet marked CE", "the first CNP", "the last packet marked CE", "the last CNP")
    return {incident["frame"]: None} | dict(sorted(((f, w) for f, w in words.items() if w), key=lambda row: order.index(row[1])))


def parts_of_segments(incident):
    """Of lost segments of iWARP: whether octets were missing, or not acknowledged, the sentence says."""
    frames, words = incident["frames"], {incident["frame"]: None}
    ended = "the segment that completes it" if "missing" in incident["text"] else "the acknowledgement of all"
    for key, what in (("notice", "the first duplicate ACK"), ("resent", "the first retransmission"), ("root", "the first octet that was missing"),
                      ("end", ended), ("last", "its last packet")):
        if frames[key]:
            words.setdefault(frames[key], what)
    return words


def parts(incident):
    """{frame of an incident: what it is}; the one that shows it first."""
    found = {incident["frame"]: None}
    if incident["kind"] == "cm":
        return found | parts_of_conversation(incident)
    if incident["kind"] == "mad":
        return found | parts_of_mads(incident)
    if incident["kind"] == "rmpp":
        return found | parts_of_transfer(incident)
    if incident["kind"] == "segment-lost":
        return parts_of_segments(incident)
    if incident["kind"] == "congestion":
        return parts_of_congestion(incident)
    named = {"lost": "the copy that was lost", "root": "the request, or its first copy", "nak": "the RNR NAK" if incident["rnr"] else "the NAK",
             "notice": "the first retransmission", "resent": "the request again", "end": "its end", "last": "its last retransmission"}
    for key, what in named.items():
        if incident["frames"][key]:
            found.setdefault(incident["frames"][key], what)
    return found


def begin_with(rows, incidents):
    """The first words of all comments."""
    return [row["rule"] for row in rows if row["frame"]] + ["incident" for incident in incidents for _ in parts(incident)]


def chosen_by(rows, incidents):
    """The frames that are written."""
    return {f for row in rows for f in [row["frame"], *row["related"]] if f} | {f for incident in incidents for f in parts(incident)}


def in_original(comment):
    """A comment with the frame numbers of the whole capture: "frame 12, was 990" is "frame 990"."""
    return WAS.sub(lambda m: m[0].split(m[1])[0] + (m[2] or m[3]), comment).replace(" (of the original)", "")


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.tmp = tempfile.TemporaryDirectory(prefix="ibwire-commented-")
        self.dir = pathlib.Path(self.tmp.name)
        self.out = self.dir / "out.pcapng"

    def tearDown(self):
        self.tmp.cleanup()

    def write(self, path, *options, **how):
        """What is written of a capture."""
        run("-w", self.out, *options, path, **how)
        return self.out.read_bytes()

    def in_file(self, data, name="in.pcapng"):
        (self.dir / name).write_bytes(data)
        return self.dir / name


class Captures(Case):
    """Real and made captures."""
    def expect(self, path, rows, incidents, found, packets):
        """The frame of each packet that was written, after it was seen to be that."""
        chosen = {f for f in chosen_by(rows, incidents) if f <= len(packets)}
        few = all(len(row["related"]) < 8 for row in rows)  # of more the report does not name them
        at, frames = 0, []
        for ns, length, data, _ in found:
            while at < len(packets) and (packets[at] != (ns, length, data) or (few and at + 1 not in chosen)):
                at += 1
            at += 1
            self.assertLessEqual(at, len(packets), f"{path}: a packet that the capture does not have, or not there")
            frames.append(at)
        if few:
            self.assertEqual(sorted(chosen), frames, path)
        self.assertLessEqual(chosen, set(frames), path)
        return frames

    def of_incident(self, incident, frame, comment):
        """One comment of it."""
        others = parts(incident)
        what = others.pop(frame)
        if what:
            self.assertEqual(comment, f"incident {incident['incident']}: {what}; see frame {incident['frame']}")
            return
        start = f"incident {incident['incident']}: "
        text, _, rest = comment.removeprefix(start).partition("; related: ")
        self.assertTrue(comment.startswith(start), comment)
        if incident["kind"] == "cm":
            self.assertIn(f"{incident['operation']} of frame {incident['frames']['root']}", text)
        elif incident["kind"] == "mad":
            self.assertRegex(text, rf"{re.escape(incident['operation'])}.* of frame {incident['frames']['root']}")
        elif incident["kind"] == "rmpp":
            self.assertTrue(text.startswith(f"{incident['operation']} from frame "), text)
        elif incident["kind"] == "congestion":
            self.assertIn("CNP", text)
        elif incident["kind"] == "segment-lost":
            self.assertIn(f"octet {incident['place']} ", text)
        elif incident["kind"] == "refused":
            self.assertIn("refused in frame", text)
        else:
            self.assertIn(f"psn 0x{incident['root_psn']:06x}", text)
            self.assertEqual("without progress" in text, bool(incident["ns"]["lost"]), comment)
            self.assertEqual("never answered" in text, not incident["ended"], comment)
        self.assertLessEqual({int(n) for n in re.findall(r"frame (\d+)", text)}, {frame, *others}, comment)
        self.assertEqual([int(n) for n in re.findall(r"frame (\d+)", rest)], list(others), comment)

    @staticmethod
    def matched(rows, comments):
        """[(row, its comment)]: findings of one frame are told in one order and written in another one."""
        left = list(comments)
        for row in sorted(rows, key=lambda row: row["type"] == "incident") if left else []:
            start = f"{row['rule']} {row['name']} " if row["type"] != "incident" else "incident "
            mine = next((comment for comment in left if comment.startswith(start) and (
                row["type"] == "incident" or in_original(comment).startswith(f"{start}({row['severity']}): {row['message']}"))), left[0])
            left.remove(mine)
            yield row, mine

    def compare(self, path, rows, incidents, found, frames):
        """Each finding is at its frame, each incident at its frames, word by word, with the numbers of frames looked up."""
        wanted = {}
        for row in rows:
            wanted.setdefault(row["frame"], []).append(row)
        for incident in incidents:
            for frame in parts(incident):
                wanted.setdefault(frame, []).append(incident)
        for frame, (*_, comments) in zip(frames, found):
            rows_of = wanted.get(frame, [])
            self.assertEqual(len(comments), min(len(rows_of), MAX), f"{path}:{frame}")
            for row, comment in self.matched(rows_of, comments if len(rows_of) <= MAX else []):
                for now, *was in WAS.findall(comment):
                    self.assertEqual(frames[int(now) - 1], int(was[0] or was[1]), f"{path}:{frame}: {comment}")
                if row["type"] == "incident":
                    self.of_incident(row, frame, in_original(comment))
                    continue
                start = f"{row['rule']} {row['name']} ({row['severity']}): {row['message']}"
                self.assertTrue(in_original(comment).startswith(start), f"{path}:{frame}: {comment}, should be {start}")
                rest = in_original(comment)[len(start):]
                self.assertEqual([int(n) for n in re.findall(r"frame (\d+)", rest)], row["related"][:8], f"{path}:{frame}: {comment}")

    def test_all(self):
        comments = named = told = 0
        self.assertGreater(len(CAPTURES), 40)
        for path in CAPTURES:
            with self.subTest(path.name):
                if path.suffix != ".pcap":
                    continue
                packets, of = pcap_packets(path.read_bytes()), report(path)
                data = self.write(path)
                found = written(data)
                self.compare(path, *of, found, self.expect(path, *of, found, packets))
                told += len(of[1])
                comments += sum(len(c) for *_, c in found)
                named += sum(len(WAS.findall(c)) for *_, of in found for c in of)
                self.assertEqual(data, self.write(self.in_file(data)), "written again")
                self.assertEqual(data, self.write("-", input=path.read_bytes()), "of a pipe")
        self.assertGreater(comments, 300)
        self.assertGreater(named, 100)
        self.assertGreater(told, 40)

    def test_everything(self):
        """--all: each packet, each frame as it was."""
        for path in CAPTURES[::3]:
            if path.suffix != ".pcap":
                continue
            with self.subTest(path.name):
                data, packets = self.write(path, "--all"), pcap_packets(path.read_bytes())
                found = written(data)
                rows, incidents = report(path)
                if not any(row["rule"] in ("CAP001", "CAP002") for row in rows):
                    self.assertEqual([p[:3] for p in found], packets)
                self.compare(path, rows, incidents, found, list(range(1, len(found) + 1)))
                self.assertNotIn(PART, data)
                self.assertEqual(data, self.write(self.in_file(data), "--all"))

    def test_report(self):
        """The report is the same with -w, but for the line about what was written."""
        for path in CAPTURES[::4]:
            for options in ([], ["--severity", "note", "-v"], ["--max-per-rule", "2"], ["--count-rules"], ["--format", "json", "--stats"],
                            ["--format", "sarif"], ["--qp", "17,18,24"]):
                with self.subTest((path.name, options)):
                    lines = [line for line in run("-w", self.out, *options, path).stdout.splitlines() if b" written, with " not in line]
                    self.assertEqual(lines, run(*options, path).stdout.splitlines())

    def test_options(self):
        """What is asked for decides what has comments."""
        for options in (["--severity", "error"], ["--severity", "note"], ["--ignore", "QPS003"], ["--qp", "24"], ["--qp", "1"],
                        ["--host", "10.7.0.1"], ["--count", "100"], ["--ignore", "all"]):
            with self.subTest(options):
                of, packets = report(LOSS, *options), pcap_packets(LOSS.read_bytes())
                found = written(self.write(LOSS, *options))
                self.compare(LOSS, *of, found, self.expect(LOSS, *of, found, packets))

    def test_context(self):
        """N packets around each, once."""
        packets = pcap_packets(LOSS.read_bytes())
        chosen = chosen_by(*report(LOSS))
        for n in (1, 2, 7, 1000):
            with self.subTest(n):
                wanted = [i for i in range(1, len(packets) + 1) if any(abs(i - f) <= n for f in chosen)]
                data = self.write(LOSS, "--context", n)
                self.assertEqual([p[:3] for p in written(data)], [packets[i - 1] for i in wanted])
                self.compare(LOSS, *report(LOSS), written(data), wanted)
                self.assertEqual(data, self.write("-", "--context", n, input=LOSS.read_bytes()))

    def test_filter(self):
        """What a filter leaves out is not there, and counts for no context."""
        packets = pcap_packets(LOSS.read_bytes())
        kept = [i for i, (_, _, data) in enumerate(packets, 1) if data[12:14] == b"\x08\0" and data[26:30] == bytes([10, 7, 0, 1])]
        of = report(LOSS, "-f", "src host 10.7.0.1")
        chosen = chosen_by(*of)
        for options, n in ([], 0), (["--context", "2"], 2), (["--all"], len(packets)):
            with self.subTest(options):
                wanted = [f for at, f in enumerate(kept) if any(abs(at - kept.index(c)) <= n for c in chosen)]
                data = self.write(LOSS, "-f", "src host 10.7.0.1", *options)
                self.assertEqual([p[:3] for p in written(data)], [packets[i - 1] for i in wanted])
                self.compare(LOSS, *of, written(data), wanted)
                self.assertEqual(data, self.write("-", "-f", "src host 10.7.0.1", *options, input=LOSS.read_bytes()))

    def test_packed(self):
        """A compressed capture becomes what it is without."""
        data = self.write(LOSS)
        path = self.in_file(gzip.compress(LOSS.read_bytes()), "in.pcap.gz")
        self.assertEqual(data, self.write(path))
        self.assertEqual(data, self.write("-", input=path.read_bytes()))

    def test_erf(self):
        """Records of ERF are packets as others are."""
        run("--convert", "erf", self.dir / "in.pcap", next(iter(sorted(MADE.glob("lint-lrh*.pcap")))), status=0)
        path = self.dir / "in.pcap"
        of, packets = report(path), pcap_packets(path.read_bytes())
        found = written(self.write(path))
        self.assertTrue(of[0])
        self.compare(path, *of, found, self.expect(path, *of, found, packets))

    def test_orders(self):
        """The byte order and the resolution of a pcap stay."""
        head, packets = FLUSH.read_bytes()[:24], pcap_packets(FLUSH.read_bytes())
        linktype = struct.unpack_from("<I", head, 20)[0]
        for order in "<", ">":
            for magic, unit in MAGICS.items():
                data = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, linktype)
                for ns, length, packet in packets:
                    data += struct.pack(order + "IIII", ns // 10**9, ns % 10**9 // unit, len(packet), length) + packet
                found = self.write(self.in_file(data), "--all")
                self.assertEqual({o for _, o, _, _ in ng.blocks(found)}, {order})
                self.assertEqual([p[:3] for p in written(found)], pcap_packets(data))
                self.assertEqual(sum(len(p[3]) for p in written(found)), 3)


def bad_packets():
    """Packets with a bad ICRC, one with more than one finding."""
    return [packet for _, _, packet in pcap_packets(FLUSH.read_bytes())]


def many_blocks(order, first_comments=()):
    """A pcapng of two sections with all there is."""
    frames = bad_packets()
    names = struct.pack(order + "HH", 1, 9) + b"\x0a\x07\0\1host\0\0\0\0" + bytes(4)
    custom = struct.pack(order + "I", 32473) + b"data"
    out = ng.section(order, [(2, b"hardware"), (3, b"os"), (4, b"application"), (ng.COMMENT, b"mine"), (ng.COMMENT, b"and mine")])
    out += ng.interface(1, 0, [(ng.IF_NAME, b"rdma0"), (3, b"described"), (ng.IF_TSRESOL, b"\x09"), (ng.IF_SPEED, struct.pack(order + "Q", 10**11)),
                               (2988, struct.pack(order + "I", 32473) + b"odd"), (12, b"Linux")], order)
    out += ng.block(NAMES, names, order) + ng.block(SECRETS, struct.pack(order + "II", 0x544c534b, 4) + b"key\n", order)
    out += ng.interface(1, 65535, [], order)
    for i, frame in enumerate(frames):
        pairs = [(ng.EPB_FLAGS, struct.pack(order + "I", 1)), (3, b"\x02hash"), (5, struct.pack(order + "Q", i))]
        pairs += [(ng.COMMENT, b"before %d" % i), (2989, struct.pack(order + "I", 32473) + b"odd")]
        pairs += [(ng.COMMENT, c) for c in first_comments]
        out += ng.packet(i % 2, 1000 * (i + 1), frame, pairs=pairs if i % 3 else (), order=order)
        if i == 7:
            out += ng.block(CUSTOM, custom, order) + ng.block(NOT_COPIED, custom, order)
            out += ng.block(JOURNAL, ng.padded(b"__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE=x\n"), order) + ng.block(0x12345, b"what", order)
    out += ng.statistics(0, [(ng.ISB_IFRECV, struct.pack(order + "Q", 5)), (ng.COMMENT, b"counted")], order)
    out += ng.section(order) + ng.interface(1, 0, [(ng.IF_TSRESOL, b"\x06")], order)
    for i, frame in enumerate([*frames[:4], *[frame for frame in frames if frame[42:43] == b"\x1c"]]):  # of more it would be said that they were captured twice
        out += ng.simple(frame, order=order) if i % 2 else ng.old_packet(0, 0, 10**15 + i, frame, order=order)
    return out


class Blocks(Case):
    """A pcapng of many blocks."""
    def same_but_comments(self, before, after, kind, order):
        """The comments that were added to a block."""
        at = ng.options_at(kind, order, before)
        self.assertEqual(before[:at], after[:at])
        was, now = ng.pairs_of(before[at:], order), ng.pairs_of(after[at:], order)
        self.assertEqual(was, now[:len(was)])
        self.assertLessEqual({code for code, _ in now[len(was):]}, {ng.COMMENT})
        return [value for _, value in now[len(was):]]

    def test_all(self):
        for order in "<", ">":
            data = many_blocks(order)
            found = self.write(self.in_file(data), "--all")
            before = [b for b in ng.blocks(data) if b[0] != NOT_COPIED]
            after = list(ng.blocks(found))
            self.assertEqual(len(before), len(after))
            added = 0
            for (kind, _, was, raw), (now_kind, now_order, now, now_raw) in zip(before, after):
                self.assertEqual(now_order, order)
                if kind == ng.SIMPLE and now_kind == ng.PACKET:
                    iface, high, low, caplen, length = struct.unpack_from(order + "IIIII", now)
                    self.assertEqual((iface, high, low, length, now[20:20 + caplen]), (0, 0, 0, len(was[4:4 + caplen]), was[4:4 + caplen]))
                    added += len(ng.pairs_of(now[20 + caplen + -caplen % 4:], order))
                elif kind in (ng.PACKET, ng.OLD_PACKET):
                    self.assertEqual(kind, now_kind)
                    added += len(self.same_but_comments(was, now, kind, order))
                else:
                    self.assertEqual(raw, now_raw)
            self.assertGreaterEqual(added, 6)
            self.assertEqual(found, self.write(self.in_file(found), "--all"))
            self.assertEqual(found, self.write("-", "--all", input=data))

    def test_part(self):
        """The blocks around the packets that are left; those that Wireshark takes for frames go."""
        for order in "<", ">":
            data = many_blocks(order)
            found = self.write(self.in_file(data))
            packets = (ng.PACKET, ng.OLD_PACKET, ng.SIMPLE)
            before = [b for b in ng.blocks(data) if b[0] not in (NOT_COPIED, CUSTOM, JOURNAL, *packets)]
            after = [b for b in ng.blocks(found) if b[0] not in packets]
            self.assertEqual([b[0] for b in before], [b[0] for b in after])
            for (kind, _, was, raw), (_, _, now, now_raw) in zip(before, after):
                if kind != ng.SECTION:
                    self.assertEqual(raw, now_raw)
                    continue
                comment, = self.same_but_comments(was, now, kind, order)
                self.assertTrue(comment.startswith(PART))
            comments = [c for *_, of in written(found) for c in of if not c.startswith("before")]
            self.assertEqual(sorted(c.split()[0] for c in comments), sorted(begin_with(*report(self.in_file(data)))))
            self.assertEqual(sum(c.startswith("CRC001 icrc-bad (error): ") for c in comments), 6)
            self.assertEqual(found, self.write(self.in_file(found)))
            self.assertEqual(found, self.write("-", input=data))
            self.assertEqual(found, self.write("-", input=found))

    def test_section_length(self):
        """That of a section which grows is not said."""
        head = ng.section()
        data = head[:16] + struct.pack("<q", 12345) + head[24:] + many_blocks("<")[len(ng.blocks(many_blocks("<")).__next__()[3]):]
        found = self.write(self.in_file(data), "--all")
        self.assertEqual(found[16:24], b"\xff" * 8)

    def test_many_comments(self):
        """32 at most; what was there stays, and the last says how many there are more."""
        for n, wanted in ((0, 1), (30, 1), (31, 1), (32, 0), (40, 0)):
            with self.subTest(n):
                comments = [b"mine %d" % i for i in range(n)]
                frame = bad_packets()[14]
                data = ng.section() + ng.interface(1) + ng.packet(0, 1, frame, pairs=[(ng.COMMENT, c) for c in comments])
                (_, _, _, now), = written(self.write(self.in_file(data)))
                self.assertEqual(now[:n], [c.decode() for c in comments])
                self.assertEqual(len(now) - n, wanted)

    def test_no_room(self):
        """Where one is left and there are two findings, it counts them."""
        frame = bytearray(bad_packets()[14])
        frame[42 + 4] |= 0x3f  # reserved bits of the BTH
        data = ng.section() + ng.interface(1)
        both = findings(self.in_file(data + ng.packet(0, 1, bytes(frame))))
        self.assertEqual(len(both), 2)
        for n, said in ((31, ["2 more findings"]), (30, [both[0]["rule"], both[1]["rule"]])):
            pairs = [(ng.COMMENT, b"mine")] * n
            found = self.write(self.in_file(data + ng.packet(0, 1, bytes(frame), pairs=pairs)))
            (_, _, _, comments), = written(found)
            self.assertEqual([c if "more" in c else c.split()[0] for c in comments[n:]], said)
            again = [b for b in ng.blocks(found) if b[0] != ng.SECTION]
            whole = ng.section() + b"".join(raw for *_, raw in again)  # not known as a part any more
            self.assertEqual(written(self.write(self.in_file(whole))), written(found))

    def test_long(self):
        """The longest comment that there can be, and a packet as long as a block can be."""
        frame, comment = bad_packets()[14], "\u00e9".encode() * 32767 + b"x"
        data = ng.section() + ng.interface(1) + ng.packet(0, 1, frame, pairs=[(ng.COMMENT, comment)])
        (_, _, _, now), = written(self.write(self.in_file(data)))
        self.assertEqual(now[0].encode(), comment)
        self.assertEqual(len(now), 2)
        room = 2**20 - len(ng.packet(0, 1, frame)) - 8
        pairs = [(2988, bytes(65532)) for _ in range(room // 65536)] + [(2988, bytes(room % 65536 - 4))]
        data = ng.section() + ng.interface(1) + ng.packet(0, 1, frame, pairs=pairs)
        (_, _, got, now), = written(self.write(self.in_file(data)))
        self.assertEqual((got, now), (frame, []))

    def test_bad_options(self):
        """What is no option is left out, what is before it is kept."""
        frame = bad_packets()[14]
        bad = struct.pack("<HH", 2, 4000) + bytes(8)
        interface = ng.interface(1, 0, [(ng.IF_NAME, b"rdma0")])
        interface = ng.block(ng.INTERFACE, interface[8:-8] + bad)
        head = struct.pack("<IIIII", 0, 0, 1, len(frame), len(frame)) + ng.padded(frame) + ng.option(ng.COMMENT, b"mine") + bad
        for options in [], ["--all"]:
            found = self.write(self.in_file(ng.section() + interface + ng.block(ng.PACKET, head)), *options)
            (_, _, got, comments), = written(found)
            self.assertEqual(got, frame)
            self.assertEqual([c.split()[0] for c in comments], ["mine", "CAP002", "CAP002", "CRC001"])
            self.assertEqual(found, self.write("-", *options, input=ng.section() + interface + ng.block(ng.PACKET, head)))

    def test_large_block(self):
        """One that is too large to be held is left out, and that is said."""
        data = ng.section() + ng.interface(1) + ng.block(0x12345, bytes(2**21)) + ng.packet(0, 1, bad_packets()[14])
        for options in ([self.in_file(data)], ["-"]):
            done = run("-w", self.out, *options, input=data)
            self.assertIn(b"a block of type 0x00012345 and 2097164 bytes is too large to be copied", done.stderr)
            self.assertEqual(len(written(self.out.read_bytes())), 1)

    def test_similar(self):
        """A comment that only looks like one of ours keeps none away."""
        frame = bad_packets()[14]
        for comment, more in ((b"CRC001 icrc-bad: mine", 1), (b"CRC001 icrc-bad (error): mine", 0), (b"CRC001", 1), (b"", 1), (b"3 more findings", 0),
                              (b"3 more findings of mine", 1), (b"XYZ001 icrc-bad (error): mine", 1), (b"1 more finding", 0), (b"more findings", 1),
                              (b"\xff\xfe\0", 1), (b"CRC002 vcrc-bad (error): other", 1)):
            data = ng.section() + ng.interface(1) + ng.packet(0, 1, frame, pairs=[(ng.COMMENT, comment)])
            found = self.write(self.in_file(data))
            self.assertEqual(found.count(b"CRC001 icrc-bad (error): RC"), more, comment)


class Pipe(Case):
    """What is read once, and is too much to be held."""
    def test_long(self):
        """A finding about a packet that is gone is on the one that shows it; there are 32 of them, and it says how many more."""
        packets = pcap_packets(LOSS.read_bytes())
        filler = bytes(12) + b"\x88\xb5" + bytes(50)
        head = LOSS.read_bytes()[:24]
        unit = MAGICS[struct.unpack_from("<I", head)[0]]
        many, last = [], packets[-1][0]
        many = packets + [(last + (i + 1) * 1000, 64, filler) for i in range(70000)]
        data = head + b"".join(struct.pack("<IIII", ns // 10**9, ns % 10**9 // unit, len(p), length) + p for ns, length, p in many)
        rows, incidents = report(self.in_file(data, "in.pcap"))
        lost = [row for row in rows if row["frame"] <= len(packets)]
        self.assertGreater(len(lost), 10)
        of_file, of_pipe = written(self.write(self.dir / "in.pcap")), written(self.write("-", input=data))
        self.assertEqual(sorted(c.split()[0] for *_, of in of_file for c in of), sorted(begin_with(rows, incidents)))
        comments = [c for *_, of in of_pipe for c in of]
        self.assertLessEqual({p[:3] for p in of_pipe}, {p for p in many})
        self.assertEqual(len(comments), min(len(rows) + len(incidents), MAX))
        self.assertTrue(all(re.search(r"^incident \d+: .*; see frame \d+ of the original$", c) for c in comments[len(rows):][:len(incidents)]), comments)
        late = [c for c in comments if re.match(r"\w+ [\w-]+ \(\w+\): frame \d+ of the original: ", c)]
        self.assertGreater(len(late), 10)


class Files(Case):
    def test_standard_output(self):
        """The packets there, the report elsewhere."""
        done = run("-w", "-", FLUSH)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(written(done.stdout)), 3)
        self.assertIn(b"3 of 28 packets written, with 3 comments", done.stderr)

    def test_refused(self):
        path = self.in_file(FLUSH.read_bytes(), "in.pcap")
        (self.dir / "old").write_bytes(b"old")
        for args, why in ((["-w", self.out, path, FLUSH], "one capture"), (["-w", self.out, "--join", path, FLUSH], "one capture"),
                          (["-w", self.out, "--join", path], "one capture"),
                          (["--all", path], "--all is for -w"), (["--context", "3", path], "--context is for -w"), (["-w", path, path], "one of the captures"),
                          (["-w", self.out, "--decode", path], "-w is for checking"), (["-w", self.out, "--repair", self.dir / "x", path], "-w is for checking"),
                          (["-w", self.out, "-o", self.out, path], "two outputs onto one file"), (["-w", "", path], "no file"),
                          (["-w", self.out, "--context", "1001", path], "0 to 1000"), (["-w", self.dir / "no/x", path], "No such file"),
                          (["-w", self.dir, path], "Is a directory"), (["-w", "/dev/full", path], "No space left"),
                          (["-w", self.dir / "old", "nothing.pcap"], "nothing.pcap"), (["-w", self.dir / "old", "-f", "udp and (", path], "filter")):
            with self.subTest(args):
                self.assertIn(why, run(*args, status=2).stderr.decode())
                self.assertEqual(path.read_bytes(), FLUSH.read_bytes())
                self.assertEqual((self.dir / "old").read_bytes(), b"old")
                self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["in.pcap", "old"])

    def test_cut(self):
        """What could be read; of a capture without a packet, nothing."""
        data, packets = FLUSH.read_bytes(), pcap_packets(FLUSH.read_bytes())
        for cut in (1, 70, 600):
            path = self.in_file(data[:-cut], "in.pcap")
            for source in (path, "-"):
                done = run("-w", self.out, "--all", source, input=data[:-cut], status=2)
                self.assertIn(b"CAP001", done.stdout)
                found = written(self.out.read_bytes())
                self.assertEqual([p[:3] for p in found], packets[:len(found)])
                self.assertEqual(len(found), len(pcap_packets(data[:-cut])))
        self.out.write_bytes(b"old")
        for source in (self.in_file(data[:30], "in.pcap"), "-"):
            self.assertIn(b"not written", run("-w", self.out, source, input=data[:30], status=2).stderr)
            self.assertEqual(self.out.read_bytes(), b"old")

    def test_nothing_found(self):
        """That is an answer, too: a capture without packets takes the place of an old one."""
        for path in (ROOT / "pcaps/rxe/04-write-rc.pcap", self.in_file(FLUSH.read_bytes()[:24], "in.pcap")):
            self.out.write_bytes(b"old")
            self.assertEqual(written(self.write(path, "--ignore", "all")), [])
            self.assertEqual(next(ng.blocks(self.out.read_bytes()))[0], ng.SECTION)

    def test_same_report(self):
        """The report of a file is the one without -w, also where its end was reached before it was known what it has twice."""
        paths = [*sorted((ROOT / "pcaps/faults").glob("*.pcap")), *sorted(MADE.glob("lint-cap-copies*.pcap"))]
        self.assertGreater(len(paths), 20)
        for path in paths:
            options = "--severity", "note", "--max-per-rule", "0", "--format", "json", path
            plain, written_too = run(*options), run("-w", self.out, *options)
            self.assertEqual((plain.returncode, plain.stdout), (written_too.returncode, written_too.stdout), path)

    def test_fifo(self):
        """Another that can be read once."""
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        wanted = self.write(LOSS)
        with subprocess.Popen(["cp", LOSS, fifo]):
            self.assertEqual(self.write(fifo), wanted)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], failfast=first_fault.only())
