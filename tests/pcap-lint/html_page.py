#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_page.py PCAP-LINT MADE: a page of --format html is whole, asks nobody for anything, and says what JSON lines say.

Of each capture: elements are of a list and closed in order, identifiers are there once, links lead to them; no address, no
handler, no style but that of <style>; the policy has the digest of style and script, as this test works it out; nothing
is empty. Verdict, incidents, findings and connections against `--format json --stats --max-per-rule 0`. Then names that
are markup, are no UTF-8, or turn text around; several captures; limits; the same bytes for the same input.
"""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))
sys.dont_write_bytecode = True

import flow_words  # noqa: E402
import pcapng_parts  # noqa: E402

LINT, MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
LOSS = ROOT / "pcaps/rxe/12-drop-at-receiver-write.pcap"
VOID = {"meta", "input", "br"}
SHAPES = {"rect", "path", "line", "circle", "polyline"}
ELEMENTS = VOID | SHAPES | {
    "html", "head", "title", "style", "body", "main", "section", "script", "h1", "h2", "h3", "p", "a", "b", "i", "span", "code", "div",
    "dl", "dt", "dd", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption",
    "svg", "g", "text", "title"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "data-v", "data-i", "colspan", "open",
              "aria-label", "role", "viewBox", "viewbox", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "d", "points", "r", "cx", "cy",
              "text-anchor", "data-t", "data-x", "data-ns", "data-y", "data-f"}
# What says something only by what is in it.
FILLED = {"title", "h1", "h2", "h3", "p", "dt", "dd", "caption", "figcaption", "summary", "th", "code", "tbody", "dl", "ul", "li", "details",
          "figure", "table", "section", "svg", "text"}
SCRIPT_MAX, SMALL_MAX, FLOWS, FINDINGS, INCIDENTS = 12 << 10, 120 << 10, 300, 20, 100
SMALL_PART = 10
ROWS = 30
# Tables of a subnet: the object of JSON, the heading, columns and keys that have the same.
SUBNET = {
    "group": ("Multicast groups", {}), "neighbour": ("IPoIB neighbours", {}), "sm": ("Subnet management", {}), "pause": ("Pause frames", {}),
    "ports": ("UDP source ports and MTUs by hosts", {}), "node": ("Nodes", {"ports": "ports", "type": "kind"}),
    "link": ("Links, what changed most first", {"port": "port", "state": "state", "changes": "changes", "frame": "frame"}),
    "trap": ("Traps", {"trap": "trap", "what": "name", "times": "count", "first frame": "first_frame"}),
    "counter": ("Counters of ports", {"port": "port", "readings": "readings", "resets": "resets", "packets out": "packets_out"}),
    "partition": ("Partitions", {"full members": "full", "limited members": "limited"}),
}


class Node:
    def __init__(self, tag, attrs, parent):
        self.tag, self.attrs, self.parent, self.children, self.own = tag, attrs, parent, [], []

    def text(self):
        """Of the element and what is in it, in order."""
        return "".join(part if isinstance(part, str) else part.text() for part in self.own)

    def all(self, tag):
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.all(tag)

    def one(self, tag):
        return next(self.all(tag))


class Page(html.parser.HTMLParser):
    """The elements of a page; complains of what is not closed, or not of the list."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.root = self.at = Node("", {}, None)
        self.count = 0
        self.feed(text)
        self.close()
        if self.at is not self.root:
            raise AssertionError(f"<{self.at.tag}> is not closed")

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if tag not in ELEMENTS or len(set(names)) < len(names):
            raise AssertionError(f"<{tag}> {attrs}")
        bad = set(names) - ATTRIBUTES
        if bad:
            raise AssertionError(f"<{tag}>: attribute {bad}")
        node = Node(tag, dict(attrs), self.at)
        self.count += 1
        self.at.children.append(node)
        self.at.own.append(node)
        if tag not in VOID:
            self.at = node

    def handle_startendtag(self, tag, attrs):
        if tag not in SHAPES:
            raise AssertionError(f"<{tag}/>")
        self.handle_starttag(tag, attrs)
        self.at = self.at.parent

    def handle_endtag(self, tag):
        if tag != self.at.tag:
            raise AssertionError(f"</{tag}> in <{self.at.tag}>")
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.own.append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")


def run(*args, status=(0, 1), **how):
    done = subprocess.run([LINT, "--config", "none", *args], capture_output=True, check=False, **how)
    if done.returncode not in status:
        raise AssertionError(f"{args}: ends with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def made(*args, **how):
    return run("--format", "html", *args, **how).decode()


def lines(capture, *args):
    return list(map(json.loads, run("--format", "json", "--stats", "--max-per-rule", "0", *args, capture, status=(0, 1, 2)).splitlines()))


def of_type(some, kind):
    return [line for line in some if line["type"] == kind]


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def numbers(text):
    """The numbers of a text, hexadecimal ones too."""
    return [int(word, 0) for word in re.findall(r"\b(?:0x[0-9a-f]+|[0-9]+)\b", text)]


class Html(unittest.TestCase):
    def parse(self, text):
        """The page, if it is whole."""
        page = Page(text)
        self.assertTrue(text.startswith("<!DOCTYPE html>\n"))
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
        self.policy(page.root, text)
        self.links(page.root)
        self.filled(page.root)
        return page

    def policy(self, root, text):
        """What the page may load is nothing; what it may run is what is in it."""
        style, script = (text.split(f"<{tag}>")[1].split(f"</{tag}>")[0] for tag in ("style", "script"))
        self.assertEqual((text.count("<style>"), text.count("<script>")), (1, 1))
        metas = [meta.attrs for meta in root.all("meta") if meta.attrs.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual([meta["content"] for meta in metas],
                         [f"default-src 'none'; style-src {digest(style)}; script-src {digest(script)}; base-uri 'none'; form-action 'none'"])
        self.assertLessEqual(len(script), SCRIPT_MAX)
        for what in (style, script):
            self.assertNotRegex(what, r"https?:|//[a-z]|url\(|@import|innerHTML|eval|</")
        self.assertLess(text.index("Content-Security-Policy"), 200 + text.index("<head>"))

    def links(self, root):
        names = [node.attrs["id"] for tag in ELEMENTS for node in root.all(tag) if "id" in node.attrs]
        self.assertEqual(len(names), len(set(names)))
        for link in root.all("a"):
            self.assertIn(link.attrs["href"].removeprefix("#"), names)

    def filled(self, root):
        for tag in FILLED:
            for node in root.all(tag):
                self.assertTrue(node.text().strip() or node.children, f"<{tag}> is empty")
        for tag in ("tbody", "ul", "dl"):
            for node in root.all(tag):
                self.assertTrue(node.children, f"<{tag}> is empty")
        for table in root.all("table"):
            heads = len(table.one("thead").one("tr").children)
            for row in table.one("tbody").children:
                self.assertEqual(sum(int(cell.attrs.get("colspan", 1)) for cell in row.children), heads)
        for svg in root.all("svg"):
            self.assertEqual(svg.attrs.get("role"), "img")
            self.assertTrue(svg.attrs.get("aria-label"))
        for svg in root.all("svg"):
            for node in (n for tag in SHAPES | {"text"} for n in svg.all(tag)):
                for key in ("x", "y", "x1", "x2", "y1", "y2", "width", "height"):
                    self.assertRegex(node.attrs.get(key, "0"), r"\A-?[0-9]+(\.[0-9])?\Z")

    def section(self, page, title):
        """The table under that heading; None: there is no such heading."""
        for section in page.root.all("section"):
            parts = section.children
            for i, node in enumerate(parts):
                if node.tag == "h2" and node.text() == title:
                    tables = []
                    for other in parts[i + 1:]:
                        if other.tag == "h2":
                            break
                        tables += other.all("table")
                    return tables
        return None

    def rows(self, page, title):
        tables = self.section(page, title)
        return [row.children for row in tables[0].one("tbody").children] if tables else []

    def check_verdict(self, page, said):
        text = next(p for p in page.root.all("p") if p.attrs.get("class") == "verdict").text()
        if said["sentences"]:
            self.assertEqual(text, said["text"][0].upper() + said["text"][1:] + ".")
        else:
            self.assertRegex(text, r"\A(No errors or warnings|No packets|Nothing to check: none of [0-9]+ packets? is RDMA.*)\.\Z")

    def check_incidents(self, page, incidents, conversations):
        """Each of a row is in JSON, with the same numbers; the rows are all of them."""
        hosts = {frame: (one["a"]["address"], one["b"]["address"]) for one in conversations for frame, *_ in one["messages"]}
        rows = self.rows(page, "Incidents")
        firm = {i["incident"]: i for i in incidents if i["severity"] in ("error", "warning")}
        most = max((i["ns"]["lost"] for i in firm.values()), default=0)
        groups = {}
        for i in firm.values():
            small = not most or i["ns"]["lost"] < most // SMALL_PART
            side = re.sub(r":[0-9]+\b(?= ->|$)", "", i["flow"]) if i["kind"] == "segment-lost" else i["flow"].partition(" qp ")[0] if i["kind"] in ("mad", "rmpp") else hosts.get(i["frames"]["root"]) if i["kind"] == "cm" else (i["connection"], i["direction"])
            groups.setdefault((side, i["kind"], i["rule"]) if small else i["incident"], []).append(i)
        self.assertEqual(len(rows), min(len(groups), INCIDENTS))
        costs = []
        for row in rows:
            first = firm[int(row[0].parent.attrs["data-i"])]
            of = next(some for some in groups.values() if first in some)
            for cell, key in zip(row[5:9], ("lost", "noticed", "resent", "repaired")):
                self.assertEqual(int(cell.attrs["data-v"]), sum(i["ns"][key] for i in of))
            costs.append(int(row[5].attrs["data-v"]))
            self.assertEqual(row[1].text(), str(first["frame"]))
            if first["kind"] == "mad":
                self.assertEqual(row[2].text(), flow_words.named(first).rpartition(" qp ")[0].replace("->", "→"))
            self.assertEqual(row[4].text(), f"{first['severity']} {first['rule']}")
            if len(of) > 1:
                self.assertTrue(row[3].text().startswith(f"{len(of)} "))
                self.assertEqual(numbers(row[3].text().split(": frames ", 1)[1]), sorted(i["frame"] for i in of)[:12])
            else:
                self.assertEqual(row[3].text(), first["text"])
        self.assertEqual(costs, sorted(costs, reverse=True))

    def check_findings(self, page, found, summary):
        shown = {}
        for finding in found:
            if finding["severity"] in ("error", "warning"):
                shown[finding["rule"]] = shown.get(finding["rule"], 0) + 1
        said = {}
        for details in page.root.all("details"):
            rule = re.match(r"(?:error|warning|note|perf) ([A-Z]{3}[0-9]{3}) \S+: ([0-9]+)", details.one("summary").text())
            if not rule:
                continue
            said[rule[1]] = int(rule[2])
            rows = details.one("tbody").children
            self.assertEqual(len(rows), min(FINDINGS, said[rule[1]]))
            texts = {(str(f["frame"] or ""), flow_words.named(f) or "", f["message"]) for f in found if f["rule"] == rule[1]}
            for row in rows:
                self.assertIn(tuple(cell.text() for cell in row.children), texts)
            more = [p.text() for p in details.all("p") if p.attrs["class"] == "more"]
            self.assertEqual(len(more), said[rule[1]] > FINDINGS)
            if more:
                self.assertEqual(int(more[0].split()[0]), said[rule[1]] - FINDINGS)
        self.assertEqual(said, shown)
        self.assertLessEqual(sum(said.values()), sum(summary["findings"].values()))

    def check_flows(self, page, flows):
        rows = self.rows(page, "All connections")
        self.assertEqual(len(rows), min(len(flows), FLOWS))
        tables = self.section(page, "All connections")
        heads = [th.text() for th in tables[0].one("thead").all("th")] if tables else []
        keys = {"packets": ["packets"], "bytes": ["wire_bytes"], "retransmitted": ["retransmitted_packets"], "RNR NAKs": ["rnr_nak"],
                "timeouts": ["timeouts"], "CE": ["ce_packets"], "CNPs": ["cnp_packets"],
                "NAKs": ["nak_sequence", "nak_invalid_request", "nak_remote_access", "nak_remote_operational"]}
        for row in rows:
            flow = flows[int(row[0].text())]
            self.assertEqual(row[2].text(), flow["service"])
            for cell, head in zip(row, heads):
                if head in keys:
                    value = cell.attrs.get("data-v", cell.text())
                    want = sum(flow[way][key] or 0 for way in ("a_to_b", "b_to_a") for key in keys[head])
                    self.assertEqual(int(value), want, head)

    def check_pairs(self, page, summary, flows):
        """Each packet with a BTH is of a pair."""
        rows = self.rows(page, "Who sends to whom")
        if not rows:
            return
        self.assertTrue(len(rows) > 2 or not flows)
        packets = sum(int(row[3].text()) for row in rows)
        packets += sum(int(p.text().split()[0]) for p in page.root.all("p") if p.text().endswith("of other pairs."))
        ours = sum(summary["protocols"].get(name, 0) for name in ("rocev1", "rocev2", "ib", "ipoib"))
        self.assertLessEqual(packets, ours)
        self.assertGreater(2 * packets, ours)

    def check_table(self, page, title, objects, columns):
        """The first rows of a table are the objects, as far as those columns are concerned; the others are counted."""
        tables = self.section(page, title)
        self.assertEqual(bool(tables), bool(objects), title)
        if not objects:
            return
        rows, heads = tables[0].one("tbody").children, [th.text() for th in tables[0].one("thead").all("th")]
        self.assertEqual(len(rows), min(len(objects), ROWS), title)
        for row, one in zip(rows, objects):
            cells = {head: cell.text() for head, cell in zip(heads, row.children)}
            for head, key in columns.items():
                self.assertIn(cells.get(head, ""), ("", "0") if one[key] in (0, None) else (str(one[key]),), (title, head))
        after = page.root.one("main").text().partition(title)[2]
        self.assertEqual(f"{len(objects) - ROWS} more: " in after, len(objects) > ROWS, title)

    def check_commands(self, page, operations):
        """A table of each upper layer, its slowest operation first."""
        for protocol in {one["protocol"] for one in operations}:
            title = f"{protocol} commands by {'queue and ' if protocol == 'NVMe-oF' else ''}operation, slowest first"
            some = sorted((one for one in operations if one["protocol"] == protocol), key=lambda one: -one["time"]["max"])
            self.check_table(page, title, some, {"connection": "connection", "operation": "operation", "commands": "count", "failed": "errors",
                                                 "not answered": "open", "open at most": "open_max"})
        self.assertEqual(sum(h2.text().endswith("operation, slowest first") for h2 in page.root.all("h2")), len({one["protocol"] for one in operations}))

    def check_subnet(self, page, some, capture):
        for kind, (title, columns) in SUBNET.items():
            self.check_table(page, title, of_type(some, kind), columns)
        told = lines(capture, "--story", "subnet")
        rows = self.rows(page, "What happened in the subnet")
        self.assertEqual([(row[1].text(), row[2].text()) for row in rows], [(str(one["frame"]), one["text"]) for one in of_type(told, "event")])
        more = of_type(told, "story")[0]["more"]
        self.assertEqual(bool(re.search(rf"\b{more} more events? that matters? less\.", page.root.text())), bool(more))

    def check(self, capture):
        text = made(capture, status=(0, 1, 2))
        page = self.parse(text)
        some = lines(capture)
        summary = of_type(some, "summary")[0]
        flows = {flow["connection"]: flow for flow in of_type(some, "flow")}
        self.check_verdict(page, of_type(some, "verdict")[0])
        self.check_incidents(page, of_type(some, "incident"), of_type(some, "cm"))
        self.check_findings(page, of_type(some, "finding"), summary)
        self.check_flows(page, flows)
        self.check_pairs(page, summary, flows)
        self.check_commands(page, of_type(some, "upper"))
        self.check_subnet(page, some, capture)
        self.seen |= {line["type"] for line in some} | {one["protocol"] for one in of_type(some, "upper")}
        if len(flows) <= 1:
            self.assertLessEqual(len(text), SMALL_MAX)
        return text

    def test_captures(self):
        captures = [path for where in ("faults", "rxe", "ulp", "siw", "mad") for path in sorted((ROOT / "pcaps" / where).glob("*.pcap*"))]
        of_make = sorted(MADE.glob("streams-*.pcap*"))[::8] + sorted(MADE.glob("lint-*.pcap"))[::4]
        self.assertGreater(min(len(captures), len(of_make)), 40)
        captures += of_make
        self.seen = set()
        for path in captures:
            with self.subTest(path.name):
                self.check(str(path))
        self.assertLessEqual(set(SUBNET) | {"NVMe-oF", "iSER", "SRP", "RPC-over-RDMA"}, self.seen)

    def test_iwarp(self):
        """A connection of iWARP that began before the capture is RDMA, though no packet says so alone."""
        data, at = (ROOT / "pcaps/siw/03-send.pcap").read_bytes(), 24
        for _ in range(25):
            at += 16 + int.from_bytes(data[at + 8:at + 12], "little")
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where, "mid.pcap")
            path.write_bytes(data[:24] + data[at:])
            summary = of_type(lines(path), "summary")[0]
            page = self.parse(made(path))
            self.assertNotIn("no RDMA", run(path).decode())
        self.assertEqual((summary["protocols"].get("iwarp", 0), summary["iwarp"]["connections"]), (0, 2))
        self.assertEqual(next(p for p in page.root.all("p") if p.attrs.get("class") == "verdict").text(), "No errors or warnings.")
        tiles = {div.one("dt").text(): div.one("dd").text() for div in page.root.all("div") if list(div.all("dt"))}
        self.assertEqual(tiles["iWARP FPDUs"], str(summary["iwarp"]["fpdus"]))

    def test_print(self):
        """On paper verdict, connections over time and incidents come first; connections in detail are opened, and nothing else is."""
        text = made(ROOT / "pcaps/faults/11b-16qp-read-loss.pcap")
        page = self.parse(text)
        section = page.root.one("section")
        self.assertEqual([node.text() for node in section.children if node.tag == "h2"][:2], ["Connections over time", "Incidents"])
        self.assertEqual([node.tag for node in section.children[:section.children.index(section.one("h2"))]], ["h1", "p", "dl"])
        details = list(section.all("details"))
        worst = [node for node in details if node.attrs.get("class") == "worst"]
        self.assertEqual(["open" in node.attrs for node in details], [node is worst[0] for node in details])
        self.assertTrue(all(any(inner.one("summary").text() == "All figures" for inner in node.all("details")) for node in worst))
        paper = text.split("@media print{")[1].split("</style>")[0]
        opened = [rule for rule in re.findall(r"([^{}]+)\{([^{}]*)\}", paper) if "details" in rule[0] or "content-visibility" in rule[1]]
        self.assertEqual(opened, [("details.worst::details-content", "content-visibility:visible;display:block")])
        self.assertRegex(paper, r"tr,figure\{break-inside:avoid\}")
        self.assertRegex(paper, r"\.find\{display:none\}")

    def test_same_bytes(self):
        self.assertEqual(made(LOSS), made(LOSS))
        with tempfile.TemporaryDirectory() as where:
            out = pathlib.Path(where, "page.html")
            run("--format", "html", "-o", str(out), str(LOSS))
            self.assertEqual(out.read_text(), made(LOSS))

    def test_names(self):
        """A name is text, whatever is in it; none makes an element more or less."""
        names = ["plain.pcap", "<script>alert(1)</script>.pcap", "\" onload=\"x' &amp; <!-- .pcap", "a\u202eb\u0001\u009b\n\u2028.pcap", "-o.pcap",
                 "</title></style></script><svg onload=x>.pcap", "x\ufeff\ufffe\ufdd0y.pcap", b"\xff\xfe<b>.pcap", "\u00e9" * 100 + ".pcap",
                 "javascript:alert(1)", "%3Cb%3E&#60;b>.pcap"]
        counts = set()
        with tempfile.TemporaryDirectory() as where:
            for name in names:
                path = os.path.join(os.fsencode(where), name if isinstance(name, bytes) else name.replace("/", "\u2044").encode())
                shutil.copy(LOSS, path)
                text = made("--", os.path.basename(path), cwd=where)
                counts.add(self.parse(text).count)
        self.assertEqual(len(counts), 1)

    def test_interfaces(self):
        """The name of an interface is text, too."""
        counts, frame = set(), bytes.fromhex("ffffffffffff0200000000010806") + bytes(46)
        with tempfile.TemporaryDirectory() as where:
            path = pathlib.Path(where, "x.pcapng")
            for name in "eth0", "<img src=x onerror=alert(1)>", "\"><script>", "\u202ea\u2028", "&lt;", "x" * 60:
                path.write_bytes(pcapng_parts.section() + pcapng_parts.interface(1, pairs=[(2, name.encode())]) + pcapng_parts.packet(0, 1, frame))
                page = self.parse(made(str(path)))
                counts.add(page.count)
                cells = [td.text() for td in page.root.all("td")]
                self.assertTrue(any(cell.startswith(name[:4].replace("\u202e", "?")) or "?" in cell for cell in cells), cells)
        self.assertEqual(len(counts), 1)

    def test_escapes(self):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(os.fsencode(where), "a\u202e\u0007<".encode() + b"\xff.pcap")
            shutil.copy(LOSS, path)
            heading = self.parse(made(path)).root.one("h1").text()
        self.assertTrue(heading.endswith("/a\\u{202e}\\u{7}<\\x{ff}.pcap"), heading)

    def test_several(self):
        some = [str(ROOT / "pcaps" / name) for name in ("rxe/01-rping-ipv4.pcap", "rxe/12-drop-at-receiver-write.pcap", "faults/11b-16qp-read-loss.pcap")]
        page = self.parse(made(*some))
        rows = page.root.one("main").one("table").one("tbody").children
        self.assertEqual([row.children[0].text() for row in rows], some)
        verdicts = [p.text() for p in page.root.all("p") if p.attrs.get("class") == "verdict"]
        self.assertEqual([row.children[1].text() for row in rows], verdicts)
        self.assertEqual(len(list(page.root.all("section"))), len(some))
        joined = self.parse(made("--join", some[0], some[1]))
        self.assertEqual(len(list(joined.root.all("section"))), 1)
        self.parse(made("--join", *some))

    def test_options(self):
        self.parse(made("-q", LOSS))
        self.parse(made("--severity", "note", "--max-per-rule", "3", LOSS))
        self.parse(made("--severity", "error", LOSS))
        self.parse(made("--qp", "20", "--host", "10.7.0.1", LOSS))
        self.parse(made("--ignore", "all", LOSS))
        self.parse(made("-f", "udp", "-c", "100", LOSS))
        whole = self.parse(made("--max-per-rule", "0", LOSS))
        self.assertFalse([p for p in whole.root.all("p") if re.match("[0-9]+ more: ", p.text())])

    def test_unread(self):
        with tempfile.TemporaryDirectory() as where:
            cut = pathlib.Path(where, "cut.pcap")
            cut.write_bytes(LOSS.read_bytes()[:5000])
            page = self.parse(made(str(cut), status=(2,)))
            self.assertIn("Some of the capture could not be read.", page.root.text())
            self.parse(made(str(cut) + "-is-not-there", status=(2,)))

    def test_usage(self):
        done = subprocess.run([LINT, "--format", "html", "--decode", str(LOSS)], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"--format html is for checking", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
