#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""text_report.py PCAP-LINT MADE EVENTS-DUMP TABLES-DUMP [--all]: every text report, read, and compared with JSON.

Of every capture, real and made, and of random conversations: some, or with --all 200. Each is reported on twice, in brief and
at length, so that every kind of report is read: findings one by one, with -v, and by cause; --stats, with and without -v; tables
of the CM, of MADs, of a subnet; --interval; --story; the worst connections; the summary. Others are joined, or have more rows
than a table shows. A line that no reader knows is a fault, as is a column, a key or a figure.

What is said in JSON by the same words is not compared with itself: sentences are told again of the events (text_story.py), and
each form of a sentence has a scenario in data/story_forms.txt that shows it; --update writes that file.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import random_scenarios  # noqa: E402
import sample  # noqa: E402
import text_findings  # noqa: E402
import text_forms  # noqa: E402
import text_incidents  # noqa: E402
import text_lines  # noqa: E402
import text_stats  # noqa: E402
import text_story  # noqa: E402
import text_sums  # noqa: E402
import text_tables  # noqa: E402

COMMON = ["--config", "none", "--progress", "never", "--fail-on", "never"]
RANDOM, SOME = 200, 20
FEW = 3  # findings of a rule and flow before they are summed up
SHOWN = 40
KINDS = ("finding", "flow", "waited", "cm", "mad_client", "mad_attribute", "upper", "command", "timeline", "story", "event", "group", "neighbour", "sm",
         "sa", "pause", "ports", "incident", "verdict", "summary")


class Tools:
    """The programs, and what one of them said already."""

    def __init__(self, lint, dump, tables):
        self.lint, self.dump = lint, dump
        printed = subprocess.run([tables], capture_output=True, text=True, check=False).stdout
        self.told, self.rules = text_story.Told(printed), text_findings.Rules(printed)
        self.found, self.compared = {}, dict.fromkeys(KINDS, 0)

    def run(self, *words):
        return subprocess.run([self.lint, *COMMON, *words], capture_output=True, text=True, check=False).stdout

    def reports(self, paths, *options):
        """[{type: objects}] of each capture, in order: the last one is the summary. What begins in a file has a place."""
        reports, objects, order = [], {}, {str(path): n for n, path in enumerate(paths)}
        for line in self.run("--format", "json", *options, *paths).splitlines():
            one = json.loads(line)
            if "first_frame" in one:
                one["place"] = order[one["file"]], one["first_frame"]
            objects.setdefault(one["type"], []).append(one)
            if one["type"] == "summary":
                reports.append(objects)
                objects = {}
        for objects in reports:
            for kind, rows in objects.items():
                self.compared[kind] = self.compared.get(kind, 0) + len(rows)
        return reports

    def events(self, path):
        """What the trackers find out in a capture."""
        if path not in self.found:
            said = subprocess.run([self.dump, path, "streams"], capture_output=True, text=True, check=False).stdout
            self.found[path] = [event for event in map(json.loads, said.splitlines()) if "event" in event]
        return self.found[path]


class Report:
    """One text report of one capture, or of several that are one."""

    def __init__(self, tools, lines, objects, options, asked=None):
        self.tools, self.lines, self.objects, self.asked = tools, lines, objects, asked
        self.verbose, self.whole = "-v" in options, "0" in options[options.index("--max-per-rule"):][1:2] \
            if "--max-per-rule" in options else False
        self.severity = options[options.index("--severity") + 1] if "--severity" in options else "warning"
        self.file = objects["summary"][0]["file"]
        self.heading, self.where = self.file, pathlib.Path(self.file).name
        self.heard = text_sums.Heard(self.file, lambda: tools.events(self.file))
        self.incidents = text_incidents.Incidents(objects, self.severity)
        self.gone = self.folded()
        gone = set(map(id, self.gone))
        self.left = [one for one in objects.get("finding", []) if id(one) not in gone]
        self.began = None

    def begin_of(self, flow):
        """When a connection begins."""
        return next(one.time for one in capture.records(pathlib.Path(self.file)) if one.number == flow["first_frame"])

    def first_time(self):
        """Of the first packet."""
        if self.began is None:
            self.began = next(one.time for one in capture.records(pathlib.Path(self.file)) if one.time)
        return self.began

    def folded(self):
        """[finding] that have no line, as they are part of an incident; with -v there is none."""
        return [one for one in self.objects.get("finding", []) if one["flow"] is not None and
                self.incidents.folds(one, one["connection"])] if not self.whole and not self.verbose else []

    def findings(self):
        """[fault]"""
        tools = self.tools
        if self.whole:
            yield from text_findings.each(self.where, self.lines, self.objects.get("finding", []), tools.rules, tools.told,
                                          self.verbose, self.first_time)
        else:
            yield from text_sums.verdict(self.where, self.lines, self.objects, self.heading)
            yield from text_incidents.told(self.where, self.lines, self.incidents, tools.rules, self.verbose)
            most = text_findings.CAUSES - min(sum(one["kind"] in ("mad", "rmpp", "segment-lost") for one in self.incidents.told), text_findings.CAUSES // 2)
            yield from text_findings.grouped(self.where, self.lines, self.left, self.objects.get("flow", []), tools.rules,
                                             tools.told, self.verbose, self.first_time, most)
            yield from text_findings.causes(self.where, self.lines, self.left, tools.rules, self.verbose, self.heading, most)
            yield from text_incidents.captured(self.where, self.lines, self.incidents, self.heading)
        yield from text_findings.left(self.where, self.lines, self.file)

    def is_summed(self):
        """Whether a line stands for several findings."""
        return not self.whole and (bool(self.gone) or any(group.count > 1
                                                          for group in text_findings.groups_of(self.left, self.tools.rules)))

    def faults(self):
        """All that is wrong with it."""
        objects, lines, where, heading = self.objects, self.lines, self.where, self.heading
        flows, cms = objects.get("flow", []), objects.get("cm", [])
        wrong = list(self.findings())
        wrong += text_stats.connections(where, lines, flows, heading, self.verbose, self.whole)
        wrong += text_stats.waited(where, lines, objects.get("waited", []), heading)
        wrong += text_tables.cm(where, lines, cms, heading, self.whole)
        wrong += text_tables.mads(where, lines, objects, heading, self.whole)
        wrong += text_tables.upper(where, lines, objects.get("upper", []), heading, self.whole)
        wrong += text_sums.timeline(where, lines, objects.get("timeline", []), heading)
        if self.asked is not None:
            wrong += text_story.story(where, lines, objects, self.tools.told, self.heard, self.asked, heading, self.begin_of)
        wrong += text_sums.worst(where, lines, flows, cms, self.heard,
                                 {} if self.verbose or self.whole else self.incidents.connections())
        wrong += text_tables.subnet(where, lines, objects, heading, self.verbose, self.whole)
        if self.whole:
            wrong += text_sums.verdict(where, lines, objects, heading)
        told = [] if self.whole else self.incidents.told
        wrong += text_sums.summary(where, lines, objects, heading, self.severity, self.is_summed(), told, self.gone, self.tools.rules)
        if wrong:
            self.skip()
        return wrong

    def skip(self):
        """To the end of what is said of this capture, after a fault."""
        summary = re.compile(re.escape(self.heading) + r": \d+ packets?, .*: (no findings.*|\d+ error.*use --explain RULE.*\))")
        while self.lines.left() and not summary.fullmatch(self.lines.lines[self.lines.at - 1]):
            self.lines.next()


class Joined(Report):
    """Of several captures that are one: their events are not known here, so endings and stories are as in JSON."""

    def __init__(self, tools, lines, objects, options, files):
        super().__init__(tools, lines, objects, options)
        self.heading = f"{self.file} and {files - 1} more"
        self.heard = None


def by_capture(tools, paths, options, asked):
    """[fault] of one run over all of them."""
    listed = [*options, "--story", str(asked)]
    lines = text_lines.Lines(tools.run(*listed, *paths))
    each = [] if "--max-per-rule" in options else ["--max-per-rule", "0"]
    reports = tools.reports(paths, *listed, *each)
    faults = []
    for objects in reports:
        faults += Report(tools, lines, objects, options, asked).faults()
    faults += text_sums.total("all captures", lines, [text_sums.sums_of(objects) for objects in reports],
                              options[options.index("--severity") + 1] if "--severity" in options else "warning")
    return faults + [f"after all captures: {line!r}" for line in lines.lines[lines.at:]]


def joined(tools, paths, *options):
    """[fault] of captures that are one: the second of them and later ones are named with their frames."""
    options = ["--join", "--ignore", "all", *options]
    lines = text_lines.Lines(tools.run(*options, *paths))
    faults = []
    for objects in tools.reports(paths, *options):
        faults += Joined(tools, lines, objects, options, len(paths)).faults()
    return faults + [f"after all captures: {line!r}" for line in lines.lines[lines.at:]] + ([] if lines.at else ["no report"])


def summed_up(tools, paths):
    """[fault] of findings of which the first few are shown: how many more there are."""
    options = ["--max-per-rule", str(FEW), "--severity", "perf"]
    lines, faults = text_lines.Lines(tools.run("-q", *options, *paths)), []
    reports, all_of_them = (tools.reports(paths, "--severity", "perf", "--max-per-rule", n) for n in (str(FEW), "0"))
    for objects, whole in zip(reports, all_of_them):
        findings = objects.get("finding", [])
        where = pathlib.Path(objects["summary"][0]["file"]).name
        faults += text_findings.each(where, lines, findings, tools.rules, tools.told, False)
        faults += text_findings.left(where, lines, objects["summary"][0]["file"])
        faults += text_findings.sums(where, findings, whole.get("finding", []), FEW)
    return faults + [f"findings summed up: {line!r} is not in JSON" for line in lines.lines[lines.at:][:SHOWN]]


def main():
    lint, made, dump, tables = sys.argv[1:5]
    tools = Tools(lint, dump, tables)
    captures = sample.rows(sorted([*(ROOT / "pcaps").glob("*/*.pcap*"), *pathlib.Path(made).glob("*.pcap*")]), lambda path: path.name)
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        drawn = random_scenarios.write(place, RANDOM if "--all" in sys.argv else SOME)
        forms = text_forms.Forms(tools.told, place, len(drawn), [*captures, *drawn])
        paths = [str(path) for path in [*captures, *drawn, *forms.captures]]
        faults = by_capture(tools, paths, ["--stats", "--interval", "1ms"], "auto")
        faults += by_capture(tools, paths, ["--stats", "-v", "--interval", "auto", "--max-per-rule", "0", "--severity", "perf"], 0)
        for number, some in sorted(forms.asked.items()):
            faults += by_capture(tools, [str(path) for path in dict.fromkeys(some)], ["--stats", "--ignore", "all"], number)
        faults += joined(tools, [str(path) for path in drawn[:SOME]], "--stats", "--interval", "10ms")
        faults += joined(tools, [str(path) for path in drawn[:SOME]], "--stats", "-v")
        subnets = [path for path in paths if re.search(r"/(mad/|lint-(mcast|neigh|fabric)-.*|pause)", path)]
        faults += joined(tools, subnets, "--stats", "-v")
        faults += summed_up(tools, paths)
        if "--update" in sys.argv:
            forms.update()
        faults += forms.faults() if sample.whole() else []
    print(*[fault[:700] for fault in faults[:SHOWN]], sep="\n", end="\n" if faults else "")
    missing = [kind for kind in KINDS if not tools.compared[kind]] if sample.whole() else []
    counts = ", ".join(f"{tools.compared[kind]} {kind}" for kind in KINDS)
    print(f"{len(paths)} captures: {counts}; {len(tools.told.seen)} forms of sentences: {len(faults)} faults" +
          (f"; there is no {', '.join(missing)}" if missing else ""))
    return bool(faults or missing or not captures)


if __name__ == "__main__":
    sys.exit(main())
