# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What an oracle of incidents is asked about: given captures, or those of pcaps/, those pcaps/make wrote, and random ones."""
import functools
import pathlib
import tempfile

import capture
import parallel

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENDINGS = {".pcap", ".pcapng", ".gz", ".zst", ".lz4"}
COUNT, SHOWN = 40, 40


def told(kind, what, count, captures, faults):
    """Prints the faults; whether there are any."""
    print(*faults[:SHOWN], sep="\n", end="\n" if faults else "")
    print(f"{kind}: {count} {what} in {captures} captures: {len(faults)} differences")
    return bool(faults)


def compared(compare, nothing, paths, lint):
    """compare(lint, path) of each; @nothing for a capture that the oracle does not read."""
    results = []
    for path in paths:
        try:
            results.append(compare(lint, path))
        except capture.Skipped:
            results.append(nothing)
    return results


def of_each(compare, nothing, paths, lint):
    """What compare(lint, path) says of each, on all cores."""
    for results in parallel.each(functools.partial(compared, compare, nothing), parallel.parts(paths), lint):
        yield from results


def each_kind(report, write, lint, *given):
    """Whether report(kind, paths, lint) has found anything; write(directory, count) makes random captures."""
    if ".pcap" in given[0]:
        return report("given", [pathlib.Path(name) for name in given], lint)
    failed = False
    for kind, top in (("real", ROOT / "pcaps"), ("made", pathlib.Path(given[0]))):
        failed |= report(kind, sorted(p for p in top.rglob("*") if p.suffix in ENDINGS and p.is_file()), lint)
    with tempfile.TemporaryDirectory() as scratch:
        paths = [*write(pathlib.Path(scratch), int(given[1]) if len(given) > 1 else COUNT)]
        return report("random", paths, lint) or failed
