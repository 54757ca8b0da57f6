#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""comma.py PLUGIN MADE: where a comma is the decimal point, the plugin says what it says elsewhere.

Its tree, what it prints at the end of a file, and the Info column of captures with losses, late answers and findings about the
file, in German and in no language. Numbers that Wireshark itself prints have a comma, which shows that
it does speak German.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1] / "lib"))
import german  # noqa: E402
import ws  # noqa: E402

CAPTURES = ("faults/05-rnr-finite", "faults/10c-netem-reorder-write", "made/lint-cap-time", "made/lint-cap-times-coarse",
            "made/streams-qps017")
ALL = ("-o", "ibwire.severity:perf", "-o", "ibwire.select:all")
ASKED = {"tree": ("-2", "-V", *ALL), "list": ("-2", "-o", "ibwire.mode:takeover"),
         "end": ("-2", "-q", "-z", "ibwire,lint", "-z", "ibwire,srt", "-z", "ibwire,flows", *ALL)}
NUMBER = re.compile(r"\d\.\d+ (?:[num]?s|%)")  # of a finding, a mark, a READ


class Tshark(ws.Tshark):
    language = {}

    def env(self, plugins=True):
        return super().env(plugins) | self.language


def both(tshark, spoken, capture, *options):
    for tshark.language in ({}, spoken):
        yield tshark.read(capture, *options)
    tshark.language = {}


def main():
    tshark, made = Tshark(sys.argv[1]), pathlib.Path(sys.argv[2])
    (tshark.dir / "locale").mkdir()
    spoken, faults, numbers = german.locale(tshark.dir / "locale"), [], 0
    for path in (tshark.dir / "locale").rglob("*"):
        path.chmod(path.stat().st_mode | 0o055)
    for path in sorted(path for name in CAPTURES for path in (
            made.glob(f"{name.removeprefix('made/')}*.pcap") if name.startswith("made/") else [ws.ROOT / f"pcaps/{name}.pcap"])):
        capture = tshark.put(path)
        for what, options in ASKED.items():
            plain, german_one = both(tshark, spoken, capture, *options)
            if what == "tree":
                plain, german_one = ("\n".join(ws.ours_only(text)) for text in (plain, german_one))
            numbers += len(NUMBER.findall(plain))
            faults += [f"{path.name}: {what}: {theirs.strip()}, not {ours.strip()}"
                       for ours, theirs in zip(plain.splitlines(), german_one.splitlines(), strict=False) if ours != theirs]
            if len(plain.splitlines()) != len(german_one.splitlines()):
                faults.append(f"{path.name}: {what}: more or fewer lines")
    _, own = both(tshark, spoken, tshark.put(ws.ROOT / f"pcaps/{CAPTURES[0]}.pcap"), "-q", "-z", "conv,ibwire")
    commas = len(re.findall(r"\d,\d{4}", own))
    faults += [] if commas else ["Wireshark itself prints no comma, so it speaks no German"]
    faults += [] if numbers > 100 else [f"only {numbers} numbers with a point"]
    faults += [] if any(made.glob("*.pcap")) else [f"no captures in {made}"]
    return ws.verdict(faults, f"{numbers} numbers with a point, {commas} of Wireshark with a comma")


if __name__ == "__main__":
    sys.exit(main())
