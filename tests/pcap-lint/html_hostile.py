#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_hostile.py PCAP-LINT: no text of a capture, nor its name, changes what a page of --format html is made of.

Captures with NodeDescriptions, private data of the CM, NQNs, paths of NFS and SMB and names of the SA are written anew as pcapng, with
other text where there was some, right CRCs, and text in every option and block that has any, up to 65,535 bytes of it: once
harmless, then markup, quotes, NULs, what is no UTF-8, what turns text around, addresses. The elements of a page, their order and all
attributes that are no text, style and script are the same; the text is seen, as text.
"""
import html.parser
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.dont_write_bytecode = True

import icrc  # noqa: E402
import pcapng_parts as pcapng  # noqa: E402
import roce  # noqa: E402

CAPTURES = ("mad/sweep.pcap", "mad/sa.pcap", "rxe/11d-cmtime.pcap", "ulp/01c-nvme-wrong-nqn.pcap", "ulp/02-iser.pcap",
            "ulp/05-nfs40.pcap", "ulp/08-smb-direct.pcap", "faults/20g-cm-rej-consumer.pcap")
LOSS = ROOT / "pcaps/rxe/12-drop-at-receiver-write.pcap"
LEAST = {"mad": 50, "rxe": 40, "ulp": 2, "faults": 4}  # texts replaced, of a capture from there
# Where private data is in a message of the CM, by attribute: after the addresses of RDMA CM in a REQ.
PRIVATE = {0x10: (140 + 36, 232), 0x12: (84, 232), 0x13: (36, 232)}
RUN = 8  # characters in a row that are a text
LONGEST = 65535  # bytes of an option
NAME_MAX = 255
NAMES, STATISTICS, SECRETS, CUSTOM = 4, 5, 10, 0xbad
HARMLESS = b"harmless"
HOSTILE = {
    "markup": b"<script>alert(1)</script><img src=x onerror=alert(1)><!--</title></style>",
    "quotes": b"\" onload=\"x' style='y' \\\" &quot; &#34; `",
    "references": b"&lt;b&gt;&amp;&#60;&#x3c;b>&notin;&",
    "nul": b"a\0<b>\0\"\0",
    "controls": b"\x01\x08\x0b\x1b[31m\x7f\xc2\x9b\r\n\t<i>",
    "no utf-8": b"\xff\xfe<b>\xc0\xbc\xe2\x80<\xed\xa0\x80\xf4\x90\x80\x80\xf8\"",
    "right to left": "\u202e\u2066<b>\u200f\u2028\ufeff\ufffe\U000e0041".encode(),
    "address": b"javascript:alert(1)//https://example.org/ data:text/html,<b> url(x) @import",
    "closing": b"</td></tr></table></section></main></svg></g></text>]]>--></script>",
}
STYLE = re.compile(r"<(style|script)>(.*?)</\1>", re.S)
TEXTS = {"aria-label", "data-t", "content"}  # what may be a text; the policy's is looked at with style and script


def fitted(text, n):
    return (text * (n // len(text) + 1))[:n]


def crcs(packet):
    """An InfiniBand packet with the CRCs that belong to it."""
    packet, end = bytearray(packet), (struct.unpack_from(">H", packet, 4)[0] & 0x7ff) * 4
    if packet[1] & 3 == 2:
        covered, bth = bytearray(icrc.ones(bytes(packet[:end - 4]), (0, 0xf0))), 8
    else:
        covered = bytearray(b"\xff" * 8 + icrc.ones(bytes(packet[8:end - 4]), *icrc.whole([1, 2, 3, 7], (0, 0x0f))))
        bth = 48
    covered[bth + 4] = 0xff
    packet[end - 4:end] = struct.pack("<I", zlib.crc32(covered))
    packet[end:end + 2] = icrc.crc16(bytes(packet[:end]))
    return bytes(packet)


class Texts:
    """Replaces what is text in packets."""

    def __init__(self, text, keeps_private):
        self.text, self.count, self.keeps_private = text, 0, keeps_private

    def one(self, match):
        self.count += 1
        return fitted(self.text, len(match[0]))

    def wide(self, match):
        """Of UTF-16, as SMB has its paths."""
        self.count += 1
        return fitted(bytes(b for byte in self.text for b in (byte, 0)), len(match[0]))

    def replaced(self, data, begin, end):
        body = re.sub(rb"(?:[ -~]\0){%d,}" % RUN, self.wide, data[begin:end])
        body = re.sub(rb"(?:[ -~]){%d,}" % RUN, self.one, body)
        return data[:begin] + body + data[end:]

    def private(self, frame, data):
        """Of a message of the CM that sets up no upper layer we know."""
        attribute, message = frame.cm()
        begin, end = PRIVATE.get(attribute, (0, 0))
        if begin == end or self.keeps_private:
            return data
        self.count += 1
        at = frame.data.index(message, frame.body) if message else 0
        return data[:at + begin] + fitted(self.text, end - begin) + data[at + end:]

    def ethernet(self, data, length):
        frame = roce.Frame(0, data, length)
        if not frame.roce or frame.cut or frame.body >= frame.end:
            return data
        changed = self.private(frame, self.replaced(data, frame.body, frame.end)[:frame.end + 4])
        return data if changed[:frame.end] == data[:frame.end] else roce.whole(bytearray(changed), frame.ip, frame.udp)

    def infiniband(self, data, length):
        end = (struct.unpack_from(">H", data, 4)[0] & 0x7ff) * 4
        if length != len(data) or end + 2 > len(data) or data[1] & 3 < 2:
            return data
        changed = self.replaced(data, 20 if data[1] & 3 == 2 else 60, end - 4)
        return data if changed == data else crcs(changed)


def records(path):
    """(link type, [(time in us, bytes, length)]) of a little-endian pcap"""
    data = path.read_bytes()
    unit = {b"\xd4\xc3\xb2\xa1": 1, b"\x4d\x3c\xb2\xa1": 1000}[data[:4]]
    link, at, found = struct.unpack_from("<I", data, 20)[0], 24, []
    while at < len(data):
        seconds, part, captured, length = struct.unpack_from("<4I", data, at)
        found.append((seconds * 10**6 + part // unit, data[at + 16:at + 16 + captured], length))
        at += 16 + captured
    return link, found


def names_block(text):
    """Names of addresses, and of who said them."""
    name = text[:60000].replace(b"\0", b" ") + b"\0"
    body = b""
    for kind, address in ((1, bytes((10, 7, 0, 1))), (2, bytes(15) + b"\x01")):
        body += struct.pack("<HH", kind, len(address + name)) + pcapng.padded(address + name)
    return pcapng.block(NAMES, body + bytes(4) + pcapng.options([(1, text), (2, text)]))


def written(path, text):
    """(pcapng, how many texts of packets were replaced): @text wherever one can be."""
    texts, longest = Texts(text, path.parent.name == "ulp"), fitted(text, LONGEST)
    link, packets = records(path)
    change = texts.infiniband if link == 247 else texts.ethernet
    blocks = [pcapng.section("<", [(code, longest) for code in (1, 2, 3, 4)]),
              pcapng.interface(link, pairs=[(code, longest if code != 2 else text) for code in (1, 2, 3, 12, 15)] + [(11, b"\0" + text)]),
              pcapng.interface(link, pairs=[(2, longest)]), names_block(longest), names_block(text),
              pcapng.block(CUSTOM, struct.pack("<I", 32473) + pcapng.padded(text)),
              pcapng.block(SECRETS, struct.pack("<II", 0x544c534b, len(text)) + pcapng.padded(text))]
    for number, (time, data, length) in enumerate(packets):
        comments = [(1, text), (1, longest)] if number == 3 else [(1, text)] if number < 40 else []
        blocks.append(pcapng.packet(0, time, change(data, length), length, comments))
    blocks += [pcapng.statistics(i, [(1, text), (pcapng.ISB_IFDROP, struct.pack("<Q", 7))]) for i in (0, 1)]
    return b"".join(blocks), texts.count


class Page(html.parser.HTMLParser):
    """What a page is made of, and its text."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.parts, self.said = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.parts.append((tag, *((name, None if name in TEXTS else value) for name, value in attrs)))
        self.said += [value for name, value in attrs if name in TEXTS]

    def handle_endtag(self, tag):
        self.parts.append("/" + tag)

    def handle_comment(self, data):
        self.parts.append(("comment", data))

    def handle_data(self, data):
        self.said.append(data)


def page_of(lint, directory, files, *options):
    """Of {name: bytes}, in that order."""
    for name, data in files.items():
        with open(os.path.join(os.fsencode(directory), name), "wb") as out:
            out.write(data)
    run = subprocess.run([lint, "--config", "none", "--format", "html", "--severity", "note", *options, "--", *files], cwd=directory,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    for name in files:
        os.unlink(os.path.join(os.fsencode(directory), name))
    if run.returncode not in (0, 1):
        raise SystemExit(f"{list(files)}: ends with {run.returncode}: {run.stderr[:300]}")
    return run.stdout.decode()


def differences(case, page, harmless):
    """[fault] of a page against that of the same capture with harmless text."""
    if STYLE.findall(page) != STYLE.findall(harmless) or len(STYLE.findall(page)) != 2:
        yield f"{case}: style or script are others"
    policy = re.findall(r'<meta http-equiv="Content-Security-Policy" content="[^"]*">', harmless)
    if len(policy) != 1 or page.count(policy[0]) != 1:
        yield f"{case}: the policy is another one"
    parts, want = Page(page).parts, Page(harmless).parts
    if len(parts) != len(want):
        yield f"{case}: {len(parts)} tags, not {len(want)}"
    for got, wanted in zip(parts, want):
        if got != wanted:
            yield f"{case}: {got} instead of {wanted}"
            return
    hidden = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\ufdd0]", page)
    if hidden:
        yield f"{case}: a character that nobody sees, {hidden[0]!r}"


def shown(text):
    """As text of a page is shown: what was no character of it, and what nobody sees, in words."""
    return re.sub("[^ -~]", "?", text)


def check(lint, directory, path):
    """(pages, [fault]) of one capture."""
    data, count = written(path, HARMLESS)
    harmless, pages, faults = page_of(lint, directory, {b"harmless.pcapng": data}), 1, []
    if count < LEAST.get(path.parent.name, 0):
        faults.append(f"{path.name}: only {count} texts were replaced")
    if any(word not in " ".join(Page(harmless).said) for word in ("interface 0 harmless", "interface 1 harmless")):
        faults.append(f"{path.name}: the interfaces have no name")
    for what, text in HOSTILE.items():
        data, again = written(path, text)
        if again != count:
            faults.append(f"{path.name}: {what}: {again} texts, not {count}")
        page = page_of(lint, directory, {b"harmless.pcapng": data})
        faults += differences(f"{path.name}: {what}", page, harmless)
        first = re.match("[ -~]*", text.decode("latin-1"))[0][:20]
        if not any(first in said for said in Page(page).said):
            faults.append(f"{path.name}: {what}: {first!r} is not on the page")
        pages += 1
    print(f"{path.name}: {count} texts of packets")
    return pages, faults


def check_names(lint, directory):
    """The same of the name of the file, as long as one may be."""
    data = LOSS.read_bytes()
    harmless = page_of(lint, directory, {b"harmless.pcap": data})
    for what, text in HOSTILE.items():
        for n in (len(text), NAME_MAX):
            name = fitted(text.replace(b"/", "\u2044".encode()).replace(b"\0", b"0"), n)
            page = page_of(lint, directory, {name: data})
            yield from differences(f"a file named {what}", page, harmless)
            first = re.match("[ -~]*", name.decode("latin-1"))[0][:20]
            if sum(first in said for said in Page(page).said) < 3:
                yield f"a file named {what}: {first!r} is not on the page"


def check_several(lint, directory):
    """Of several captures, of files that are one capture, and of a filter."""
    data, at, starts = LOSS.read_bytes(), 24, []
    while at < len(data):
        starts.append(at)
        at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
    for at, *options in ((starts[700],), (starts[700], "--join"), (starts[989], "--join"), (starts[999], "--join")):
        parts = data[:at], data[:24] + data[at:]
        harmless = page_of(lint, directory, {b"harmless-1": parts[0], b"harmless-2": parts[1]}, *options)
        for what, text in HOSTILE.items():
            name = text.replace(b"/", "\u2044".encode()).replace(b"\0", b"0")
            page = page_of(lint, directory, {name + b"1": parts[0], name + b"2": parts[1]}, *options)
            yield from differences(f"files named {what} {options}", page, harmless)
    harmless = page_of(lint, directory, {b"x": data}, "-f", "less 9000")
    yield from differences("a filter", page_of(lint, directory, {b"x": data}, "-f", "len<9000 and len>0"), harmless)


LAST = 2**64 - 1
WHEN = {"at the end of time": lambda i, n: LAST - (n - i), "one at the end of time": lambda i, n: LAST if i == n // 2 else 10**18 + 1000 * i,
        "over all of it": lambda i, n: i * (LAST // (n - 1)), "at its beginning": lambda i, n: 0}


def check_times(lint, directory):
    """Times as late as a file can have them: a page is written, with a row of each connection, and no memory beyond (asan)."""
    names, faults = ("rxe/04-write-rc", "siw/26-p2p-stall", "siw/03-send"), []
    of_roce, *siw = ([body for _, body, _ in records(ROOT / f"pcaps/{name}.pcap")[1]] for name in names)
    for what, frames in (("RoCE", of_roce), ("iWARP", sum(siw, [])), ("both", sum(siw, of_roce))):
        for when, time in WHEN.items():
            blocks = [pcapng.section(), pcapng.interface(1, 0, [(pcapng.IF_TSRESOL, b"\x09")])]
            blocks += [pcapng.packet(0, time(i, len(frames)), body, len(body)) for i, body in enumerate(frames)]
            for options in ([], ["--interval", "1ns"]):
                page = page_of(lint, directory, {b"times": b"".join(blocks)}, *options)
                if "Connections over time" not in page:
                    faults.append(f"{what} {when} {options}: no picture")
    return faults


def main():
    lint = os.path.abspath(sys.argv[1])
    pages, faults = 0, []
    with tempfile.TemporaryDirectory() as directory:
        for name in CAPTURES:
            some, wrong = check(lint, directory, ROOT / "pcaps" / name)
            pages, faults = pages + some, faults + wrong
        faults += check_names(lint, directory)
        faults += check_several(lint, directory)
        faults += check_times(lint, directory)
    print("\n".join(fault[:400] for fault in faults[:40]))
    print(f"{pages} pages of captures, {len(faults)} faults")
    return bool(faults) or pages < len(CAPTURES) * len(HOSTILE)


if __name__ == "__main__":
    sys.exit(main())
