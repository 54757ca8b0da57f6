# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""ws.py - tshark with the plugin, and captures for it: what the tests of the Wireshark plugin share.

tests/lib/bare.py runs it, where we are root as nobody. It cannot open link type 247, so captures
of that type are handed to it as user link type 147, which USER0 declares to be InfiniBand.
"""
import collections
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "lib"))
import bare  # noqa: E402
import pcapng_parts as ng  # noqa: E402

ROOT = pathlib.Path(__file__).absolute().parents[2]
# "NFS 20049": what a connection is for, which the Info column of its packets says. Holds it: analysis.py
SERVICE = "(?:(?:{}|port) \\d+|IPoIB connected mode)".format("|".join(re.findall(
    r'^TRACK_CM_SERVICE\(.*"([^"]+)"\)', (ROOT / "dissector/track/cm/cm_services.def").read_text(), re.M)))
# What it says of marks, and of a READ its last response: marks.py and links.py hold that.
Mark = collections.namedtuple("Mark", "mark event group severity words info")
MARKS = [Mark(*line.split("|")) for line in (ROOT / "tests/data/ws-marks.csv").read_text().splitlines() if line[:1] not in "#"]
# What it says of each FPDU that is whole with a segment of iWARP: iwarp.py holds that.
OPCODES = re.findall(r'^IBW_VALUE\(rdmap_opcode, \w+, \w+, "([^"]+)"\)$',
                     (ROOT / "include/ibwire/list/values_iwarp.def").read_text(), re.M)
FPDU = rf"(?:MPA (?:request|reply|reject)|(?:{'|'.join(sorted(OPCODES, reverse=True))}|unknown RDMAP opcode)(?: \d+|: [^\]]+)?)"
FPDUS = rf"{FPDU}(?:, {FPDU})*(?: and \d+ more)?|CRC incorrect"
READ = r"READ: \d+ packets, \d+(?: of \d+)? bytes(?: in [\d.]+ [num]?s)?"
BAD_ICRC = " [ICRC incorrect]"
# All of that, and the length, which it says in augment mode where the built-in dissector has said no more than the QP.
MARK = rf"\[(?:{'|'.join(sorted({row.info for row in MARKS if row.info}, reverse=True))})(?: of \d+)?\] "  # before all else
SAID_OF_STREAM = re.compile(rf"(?:{MARK})+|( ?\[(?:{SERVICE}|{READ}|{FPDUS})\])+$")
LENGTH = re.compile(rf"(?<=QP=0x[0-9a-f]{{6}} )Len=\d+ ?(?=({re.escape(BAD_ICRC.strip())})?$)")
INFINIBAND, LINKTYPE_USER0, ERF = 247, 147, 197
USER0 = 'uat:user_dlts:"User 0 (DLT=147)","%s","0","","0",""'
SKIPPED = bare.SKIPPED
# As a sanitizer says it, or Wireshark itself. RPC-over-RDMA asserts on a second pass without us, too.
FATAL = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:"
                   r"|Dissector bug(:|, protocol (?!RPCoRDMA))")

LIST_LINE = re.compile(r" *\d+ +-?\d+\.\d+ ")  # of tshark -P: number and time


class Tshark(bare.Wireshark):
    """tshark with the plugin @so in a directory of its own; the directory is for captures, too."""
    privileges = ()

    def __init__(self, so):
        super().__init__()
        (self.dir / "with" / self.version / "epan").mkdir(parents=True)
        self.so = self.dir / "with" / self.version / "epan/ibwire.so"
        shutil.copy(so, self.so)
        self.so.chmod(0o755)
        self.preload = sanitizer(self.so)
        self.leaks = False
        self.merged = set()

    def env(self, plugins=True):
        """@plugins: ours, or none, or those of a folder."""
        env = self.environment(self.dir / "with" if plugins is True else plugins)
        if self.preload:
            env |= {"LD_PRELOAD": self.preload, "ASAN_OPTIONS": f"detect_leaks={self.leaks:d}",
                    "UBSAN_OPTIONS": "print_stacktrace=1"}
        return env

    def of(self, capture, args, plugin=True):
        """
        @args for @capture. In a file of many captures what is a packet of one may be there again, as one of another: no point of a network saw
        it twice.
        """
        ignored = any("ibwire.ignore:" in str(arg) for arg in args)
        return [*args, "-o", "ibwire.ignore:CAP008"] if plugin and capture in self.merged and not ignored else args

    def start(self, *args, plugin=True, program=None, **how):
        """A running tshark, or another @program of Wireshark."""
        return self.start_with(self.env(plugin), [program or self.program, *map(str, args)], **how)

    def run(self, *args, plugin=True):
        """What tshark prints. Any complaint of its own ends the test."""
        process = self.start(*args, plugin=plugin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, errors="replace")
        out, err = process.communicate()
        if process.returncode != 0 or FATAL.search(err) or (args[0] != "-G" and FATAL.search(out)):
            raise SystemExit(f"tshark {' '.join(map(str, args))}: status {process.returncode}\n"
                             f"{err[-4000:]}")
        return out

    def read(self, capture, *args, plugin=True, infiniband="infiniband"):
        """What it prints of @capture; @infiniband dissects link type 147."""
        args = self.of(capture, args, plugin)
        return self.run("-n", "-o", USER0 % infiniband, "-r", capture, *args, plugin=plugin)

    def infos(self, capture, *args, infiniband="infiniband"):
        """{frame: what the Info column says}; since 4.2 a field _ws.col.info lacks what comes after the built-in dissectors."""
        text = self.read(capture, *args, "-T", "tabs", "-o", 'gui.column.format:"No.","%m","Info","%i"', infiniband=infiniband)
        lines = (line.strip().split("\t") for line in text.splitlines())
        return {int(number): info[0] if info else "" for number, *info in lines}

    def sharkd_running(self, plugin=True):
        return Sharkd(self, plugin)

    def sharkd(self, *requests):
        """What sharkd, which does what the window does, answers: one line of JSON a request."""
        with self.sharkd_running() as sharkd:
            return [sharkd.ask(request) for request in requests]

    def put(self, path, name=None):
        """A copy of a capture that tshark can open, readable for nobody."""
        return self.write(name or path.name, *records(path))

    def write(self, name, linktype, frames, as_is=False):
        """The capture @name; one that is not for tshark keeps its link type (@as_is)."""
        path = self.dir / name
        if linktype == INFINIBAND and not as_is:
            linktype = LINKTYPE_USER0
        with path.open("wb") as out:
            out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, linktype))
            for sec, nsec, length, data in frames:
                out.write(struct.pack("<IIII", sec, nsec, len(data), length) + data)
        path.chmod(0o644)
        return path

    def write_all(self, name, merged, as_is=False):
        """
        One pcapng of what by_linktype() returns, an interface for each link type: tshark takes longer to
        start than to read all captures.
        """
        head, blocks = ng.section(), []
        for iface, (linktype, (frames, _)) in enumerate(merged.items()):
            if linktype == INFINIBAND and not as_is:
                linktype = LINKTYPE_USER0
            head += ng.interface(linktype, 262144, [(ng.IF_TSRESOL, b"\x09")])
            blocks += [ng.packet(iface, sec * 10**9 + nsec, data, length)
                       for sec, nsec, length, data in frames]
        path = self.dir / name
        path.write_bytes(head + b"".join(blocks))
        path.chmod(0o644)
        self.merged.add(path)
        return path


class Sharkd:
    """A running sharkd."""

    def __init__(self, tshark, plugin):
        self.log = tempfile.TemporaryFile("w+")
        self.merged = tshark.merged if plugin else ()
        self.process = tshark.start("-", program=bare.found("sharkd"), plugin=plugin, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=self.log, text=True, errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.process.stdout.close()
        self.log.close()

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def errors(self):
        self.log.seek(0)
        return self.log.read()

    def ask(self, request):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, **request}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer or '"error"' in answer or FATAL.search(self.errors()):
            raise SystemExit(f"sharkd: {request}: {answer[:2000]}\n{self.errors()[-4000:]}")
        return answer

    def set(self, preference, value):
        self.ask({"method": "setconf", "params": {"name": preference, "value": value}})

    def load(self, capture, condition=""):
        """Reads a file; returns its frames for which the display filter @condition holds."""
        if self.merged:
            self.set("ibwire.ignore", "CAP008" if capture in self.merged else "")
        self.ask({"method": "load", "params": {"file": str(capture)}})
        return self.frames(condition)

    def frames(self, condition=""):
        params = {"filter": condition} if condition else {}
        return json.loads(self.ask({"method": "frames", "params": params}))["result"]

    def resident(self):
        """KiB of memory."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def sanitizer(so):
    """The library that has to be loaded before anything else, if @so was built with it."""
    text = subprocess.run(["ldd", so], capture_output=True, text=True, check=False).stdout
    found = re.search(r"libasan\S* => (\S+)", text)
    return found[1] if found else ""


def records(path):
    """(link type, [(seconds, nanoseconds, length, bytes)]) of a pcap, of either byte order."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    magic, = struct.unpack_from(order + "I", data)
    scale = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[magic]
    linktype = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
    frames, at = [], 24
    while at + 16 <= len(data):
        sec, sub, caplen, length = struct.unpack_from(order + "IIII", data, at)
        if at + 16 + caplen > len(data) or caplen > 262144:
            break
        frames.append((sec, sub * scale, length, data[at + 16:at + 16 + caplen]))
        at += 16 + caplen
    return linktype, frames


def erf_header(data):
    """How long the header of an ERF record is; one cut or damaged makes tshark refuse the file."""
    at = 8
    while at < len(data) and data[at] & 0x80:  # an extension header follows
        at += 8
    return at + 8 + (2 if len(data) > 8 and data[8] & 0x7f in (2, 11, 16, 20) else 0)


def captures(made):
    """Every pcap of the tree and of pcaps/make."""
    real = sorted((ROOT / "pcaps").glob("*/*.pcap"))
    written = sorted(pathlib.Path(made).glob("*.pcap"))
    if not real or not written:
        raise SystemExit(f"no captures in {ROOT / 'pcaps'} or in {made}")
    return real + written


def of_captures(paths, first=None):
    """{link type: (frames, [where each is from])}, of each capture the @first frames."""
    merged = {}
    for path in paths:
        linktype, frames = records(path)
        if linktype == ERF:
            frames = [frame for frame in frames if len(frame[3]) >= erf_header(frame[3])]
        into, origin = merged.setdefault(linktype, ([], []))
        into += frames[:first]
        origin += [f"{path.name}:{i}" for i in range(1, len(frames[:first]) + 1)]
    return merged


def by_linktype(made, first=None):
    """The same of every capture."""
    return of_captures(captures(made), first)


def origins(merged):
    """Where each frame of write_all() is from."""
    return [f"{where} ({linktype})" for linktype, (_, origin) in merged.items() for where in origin]


def frames_of(text):
    """What tshark -P -V says of each frame, its line of the list first."""
    return re.split(f"(?m)^(?={LIST_LINE.pattern})", text)[1:]


def lines_of(text, ours):
    """Of the detailed listing of tshark the tree of the plugin, or the rest; without empty lines."""
    out, inside = [], False
    for line in text.splitlines():
        if line and (not line.startswith(" ") or LIST_LINE.match(line)):
            inside = line.startswith(("RDMA wire formats", "RDMA, "))
        if line and inside == ours:
            out.append(line)
    return out


def without_said(line):
    """The line without what the plugin has the Info column say, but for a wrong ICRC."""
    return LENGTH.sub("", SAID_OF_STREAM.sub("", line))


def ours_out(text):
    return lines_of(text, False)


def ours_only(text):
    return lines_of(text, True)


def ns(text):
    """Of seconds with up to nine digits after the point, as fields of times have them."""
    seconds, _, part = text.partition(".")
    return int(seconds) * 10**9 + int(part.ljust(9, "0"))


class Compared:
    """How many figures of each kind were compared, and which differ."""

    def __init__(self):
        self.n, self.faults = collections.Counter(), []

    def same(self, kind, where, have, want):
        self.n[kind] += 1
        if have != want:
            self.faults.append(f"{where}: {kind}: {have}, not {want}")

    def all_of(self, kinds):
        """Each was compared at least once."""
        self.faults += [f"{kind}: nothing to compare" for kind in kinds if not self.n[kind]]


def verdict(faults, said):
    """The end of a test: prints and returns the exit status."""
    print("\n".join(faults[:50] + [f"{said}, {len(faults)} faults"]))
    return 1 if faults else 0
