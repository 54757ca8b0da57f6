# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The flows that findings have in github, junit, sarif and html, against those of JSON with the names of their nodes.

Each form is read as its readers do. What JSON calls nodes is compared with the bytes by names_oracle.py. A description is whatever
a capture says: hostile() has those that mean something in one of the forms.
"""
import collections
import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lib"))

import flow_words  # noqa: E402
import random_fabrics  # noqa: E402
import writer as W  # noqa: E402

OPTIONS = ["--config", "none", "--severity", "perf", "--max-per-rule", "0", "--fail-on", "never"]
HOSTILE = (b"%0A::error::no%25", b"<b>&amp;\"'</b><td>", b"a\r\nb\x1b[31m\xc3\xa9", b"]]></failure>", b"\\u0022,}\"", b"::warning file=x::",
           b"\xe9" * 64, "\u673a\u623f\u4e00\u7684\u8ba1\u7b97\u8282\u70b9\u670d\u52a1\u5668\u53f7\u516b".encode(), b"\\" * 64)
SA, GET, NODE_RECORD = 3, 1, 0x11
PAIRS = "Who sends to whom"


class Page(html.parser.HTMLParser):
    """rows: [rule, cell...] of the tables of findings; pairs: [cell...] of who sends to whom."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.rule, self.cell, self.heading = [], None, False, ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag == "h2":
            self.heading = ""
        elif tag == "table":
            label = dict(attrs).get("aria-label") or ""
            self.rule = label if re.fullmatch("[A-Z]{3}[0-9]{3}", label) else PAIRS if self.heading == PAIRS else None
        elif tag == "tr" and self.rule:
            self.rows.append([self.rule])
        elif tag == "td" and self.rule:
            self.cell = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag == "table":
            self.rule = None
        elif tag in ("td", "h2"):
            self.cell = False

    def handle_data(self, data):
        if self.cell:
            self.rows[-1][-1] += data
        elif not self.heading:
            self.heading = data


def github(text):
    for line in text.split("\n")[:-1]:
        head, _, message = line[2:].partition("::")
        rule = re.search(r",title=(\w+)", head)
        message = message.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        at = re.match(r"frame (\d+): ", message)
        if at:
            yield rule[1], int(at[1]), message[at.end():]


def junit(text):
    for test in xml.etree.ElementTree.fromstring(text).iter("testcase"):
        for line in (test[0].text.splitlines() if len(test) else []):
            at = re.match(r".*?:(\d+): (?:error|warning|note|perf): ", line)
            if at:
                yield test.get("name").split()[0], int(at[1]), line[at.end():]


def flow_of(location):
    """As people read it; the fullyQualifiedName, by which programs know it, has no names."""
    return location.get("name", location["fullyQualifiedName"])


def sarif(text):
    for result in json.loads(text)["runs"][0]["results"]:
        names = {name["kind"]: name for name in result["locations"][0].get("logicalLocations", [])}
        if len(names) == 2 and "incident" not in result["properties"]:
            message = result["message"]["text"]
            yield result["ruleId"], int(names["packet"]["name"][6:]), f"{flow_of(names['connection'])}: {message}"


def page(text):
    for cells in Page(text).rows:
        if cells[0] != PAIRS and len(cells) == 4 and cells[1] and cells[2]:
            yield cells[0], int(cells[1]), f"{cells[2]}: {cells[3]}"


FORMS = {"github": github, "junit": junit, "sarif": sarif, "html": page}


def compare_pairs(text, of_address, seen):
    """[fault]: each end of a pair has the name of its node, as of_address() knows it."""
    for cells in Page(text).rows:
        for end in cells[1:3] if cells[0] == PAIRS else ():
            address, _, name = end.partition(" (")
            seen["pair"] += name != ""
            if (of_address(address) or "") != name[:-1]:
                yield f"the page says {end} of a pair, the oracle {of_address(address)}"


def compare(lint, path, objects, of_address, seen):
    """[fault]: each finding that a form shows has the words of one of JSON. No nodes, no names."""
    wanted = collections.defaultdict(set)
    for one in objects:
        if one["type"] == "finding" and one["flow"] and one["frame"]:
            wanted[one["rule"], one["frame"]].add(f"{flow_words.named(one)}: {one['message']}".rstrip("."))
    if not wanted or not any(one["type"] == "node" for one in objects):
        return []
    faults = []
    for form, read in FORMS.items():
        text = subprocess.run([lint, *OPTIONS, "-q", "--format", form, path], capture_output=True, check=False).stdout.decode()
        if form == "html":
            faults += compare_pairs(text, of_address, seen)
        told = {(rule, frame, words.rstrip(".")) for rule, frame, words in read(text)}
        for rule, frame, words in told:
            if (rule, frame) in wanted and words not in wanted[rule, frame]:
                faults.append(f"frame {frame}: {rule}: {form} says {words}, JSON {wanted[rule, frame]}"[:900])
        named = {key for key, of in wanted.items() if any(re.match(r"LID 0x\w{4} \(|.*-> LID 0x\w{4} \(", words) for words in of)}
        seen[form] += len(named & {(rule, frame) for rule, frame, _ in told})
        if form == "github" and set(wanted) - {(rule, frame) for rule, frame, _ in told}:
            faults.append(f"github lacks {sorted(set(wanted) - {(rule, frame) for rule, frame, _ in told})[:9]}")
    return faults


def hostile(seed):
    """A fabric whose nodes are called by what the forms give a meaning to, and a request that nobody answers."""
    made = random_fabrics.Fabric(random.Random(seed))
    for i, node in enumerate([*made.hosts, *made.switches]):
        node.name = HOSTILE[(seed + i) % len(HOSTILE)]
    asker = made.askers[0]
    made.sweep(asker)
    for host in made.hosts:
        if host is not asker and host.cable and len(host.state) == 1:
            made.send(asker.lid, host.lid, made.mad(SA, GET, NODE_RECORD, 0, made.tid(asker), b""), 1)
    made.time += 200 * 10**9
    made.sweep(asker)
    return W.pcap(247, made.frames)


def far():
    """A node 32 hops away answers once, and then no sweep: its route and the two names at the end of it are longer than there is room for."""
    made = random_fabrics.Fabric(random.Random(0))
    asker, route, back = made.askers[0], list(range(200, 232)), [255] * 32
    near, gone = (random_fabrics.Node(number, random_fabrics.SWITCH, 8, number) for number in (0x900, 0x901))
    near.name = gone.name = b"\xe9" * 64
    made.sweep(asker)
    for node, hops in (near, 31), (gone, 32):
        made.visit(asker, route[:hops], back[:hops], node, 255)
        made.ask(asker, route[:hops], back[:hops], random_fabrics.NODE_DESC, 0, node.name)
        made.ask(asker, route[:hops], back[:hops], random_fabrics.PORT_INFO, 0, made.port_info(node, 0, 255)[0])
    for _ in range(9):
        made.time += 10**10
        made.sweep(asker)
        mad = made.mad(random_fabrics.DIRECTED, GET, random_fabrics.NODE_INFO, 0, made.tid(asker), b"")
        mad[7], mad[32:36], mad[129:161] = 32, b"\xff" * 4, bytes(route)
        made.send(random_fabrics.PERMISSIVE, random_fabrics.PERMISSIVE, mad, 0)
    return W.pcap(247, made.frames)


def compare_far(lint, path):
    """[fault]: the finding about it has the whole name of the node before it."""
    path.write_bytes(far())
    run = subprocess.run([lint, *OPTIONS, "--format", "json", path], stdout=subprocess.PIPE, text=True, check=False).stdout
    told = [one["message"] for one in map(json.loads, run.splitlines()) if one["type"] == "finding" and one["rule"] == "FAB024"]
    want = r"NodeInfo by route 0(,\d+){32}, at port 231 of (\\xe9){12} \(GUID 0x0002c90300009000, LID 0x0900\), got no answer in \d+ of \d+ sweeps.*"
    return [] if len(told) == 1 and re.fullmatch(want, told[0]) else [f"of a node 32 hops away: {told}"]
