#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""html_tools.py PCAP-LINT [DIRECTORY]: what others say of --format html.

Of pages of captures, of several at once, of names and options that make other pages: no error of the Nu HTML checker (vnu-jar).
In Chromium, with nothing but a file to read: no violation that axe-core knows in light or dark, all folded parts open; no
request, no message of the console; without scripts as many pictures, rows and words. On paper the first page has verdict, connections over time
and the first incidents; connections in detail are open, tables of figures and findings are not. Then what the script does: it sorts, by what
a number with its unit is, too, searches, opens what a link leads to, shows what is at the pointer. Checker and axe-core have to find what is planted.

With DIRECTORY, pictures of a page in light and dark are written there, for README.md.

The tools are those that `./dev test deep` puts into build/tools; IBW_TOOLS names another directory. Where they are not,
that is a failure. Nothing is asked of a network.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/oracles"), str(ROOT / "tests/lib")]
sys.dont_write_bytecode = True

import dcqcn  # noqa: E402

LINT = os.path.abspath(sys.argv[1])
TOOLS = pathlib.Path(os.environ.get("IBW_TOOLS", ROOT / "build/tools")) / "node_modules"
VNU = TOOLS / "vnu-jar/build/dist/vnu.jar"
LOSS = "rxe/12-drop-at-receiver-write.pcap"
PAGES = {
    "loss": [LOSS], "many": ["faults/11b-16qp-read-loss.pcap"], "rnr": ["faults/06-rnr-infinite.pcap"], "cm": ["faults/20l-many-conn-loss.pcap"],
    "mads": ["mad/sweep.pcap"], "ud": ["rxe/10-mckey-ipv4.pcap"], "iwarp": ["siw/20b-netem-reorder.pcap"], "octets": ["siw/26-crc-loss-reorder.pcap"], "nothing": ["-f", "arp", LOSS],
    "commands": ["ulp/01b-nvme-loss.pcap"], "refused": ["faults/08-range-write.pcap"], "notes": ["--severity", "note", "--max-per-rule", "0", LOSS],
    "several": [LOSS, "faults/11b-16qp-read-loss.pcap", "mad/sweep.pcap"],
}
WIDTH, PAPER = 717, 1046  # of a page on A4, in pixels
NAMES = ["\u202e<b>&\"'.pcap", "</script><svg onload=x>.pcap"]
BROWSE = r"""
const fs = require('fs'), puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const [browserPath, shots, ...files] = process.argv.slice(1);
const say = (what) => console.log(JSON.stringify(what));
const open = async (browser, file, options) => {
	const page = await browser.newPage(), faults = [];
	page.on('console', (m) => faults.push('console: ' + m.text()));
	page.on('pageerror', (e) => faults.push('error: ' + e));
	page.on('request', (r) => { if (r.url().split('#')[0] !== 'file://' + file) faults.push('request: ' + r.url()); });
	await page.setViewport({ width: 1160, height: 900 });
	await page.setBypassCSP(Boolean(options.bypass));
	await page.setJavaScriptEnabled(options.script !== false);
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: options.scheme || 'light' }]);
	await page.goto('file://' + file + (options.hash || ''));
	return { page, faults };
};
const count = () => ({ pictures: document.querySelectorAll('svg').length, rows: document.querySelectorAll('tr').length,
	words: document.querySelector('main').textContent.replace(/\s+/g, ' ').replace('Search ', '').trim() });
/* On A4, as Chromium prints it. */
const printed = async (browser, file) => {
	const { page } = await open(browser, file, { script: false });
	await page.setViewport({ width: 717, height: 1046 });
	await page.emulateMediaType('print');
	const found = await page.evaluate(() => {
		const shown = (e) => Boolean(e) && e.checkVisibility() && e.getBoundingClientRect().height > 0;
		const section = document.querySelector('section'), at = (e) => e ? e.getBoundingClientRect().bottom : 0;
		const heading = (title) => Array.from(section.querySelectorAll('h2')).find((e) => e.textContent === title);
		const follows = (h, what) => h && Array.from(section.querySelectorAll(what)).find((e) => h.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING);
		const times = follows(heading('Connections over time'), 'svg');
		const incidents = heading('Incidents'), row = follows(incidents, 'tbody tr, h2'); /* or the next title, where there is none */
		const folded = Array.from(document.querySelectorAll('details:not(.worst)'));
		return { verdict: at(section.querySelector('.verdict')), times: at(times), row: at(row), wide: document.documentElement.scrollWidth,
			worst: Array.from(document.querySelectorAll('details.worst')).filter((d) => !Array.from(d.children).every((e) => e.tagName === 'DETAILS' || shown(e))).length,
			open: folded.filter((d) => Array.from(d.children).some((e) => e.tagName !== 'SUMMARY' && shown(e))).length, folded: folded.length,
			find: Array.from(document.querySelectorAll('.find')).filter(shown).length };
	});
	await page.close();
	return found;
};
const acts = async (browser, file) => {
	const { page, faults } = await open(browser, file, { hash: '#c2' });
	const done = { faults };
	done.opened = await page.evaluate(() => document.getElementById('c2').open);
	done.sorted = await page.evaluate(() => {
		const table = Array.from(document.querySelectorAll('table')).find((t) => t.caption && t.caption.textContent.startsWith('Worst first'));
		const values = () => Array.from(table.tBodies[0].rows).map((row) => Number(row.cells[4].textContent));
		const button = table.tHead.rows[0].cells[4].querySelector('button');
		button.click();
		const down = values();
		button.click();
		return [down, values(), table.tHead.rows[0].cells[4].getAttribute('aria-sort')];
	});
	await page.type('input[type=search]', 'qp 67');
	done.found = await page.evaluate(() => [document.querySelector('output').textContent,
		Array.from(document.querySelectorAll('table.s tbody tr')).filter((row) => !row.hidden && !row.closest('details')).every((row) => ['qp', '67'].every((word) => row.textContent.toLowerCase().includes(word)))]);
	const box = await (await page.$('svg[data-ns]')).boundingBox();
	await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6);
	done.tip = await page.evaluate(() => [document.getElementById('tip').hidden, document.getElementById('tip').textContent]);
	await page.evaluate(() => {
		const plot = document.querySelector('svg[data-f]');
		plot.closest('details').open = true;
		plot.scrollIntoView({ block: 'center' });
	});
	await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
	const plot = await (await page.$('svg[data-f]')).boundingBox();
	await page.mouse.move(plot.x + plot.width * 0.6, plot.y + plot.height * 0.3);
	done.place = await page.evaluate(() => document.getElementById('tip').textContent);
	done.units = await page.evaluate(() => {
		const table = Array.from(document.querySelectorAll('table')).find((t) => t.caption && t.caption.textContent.startsWith('Worst first'));
		const cells = () => Array.from(table.tBodies[0].rows).map((row) => row.cells[2]);
		cells().forEach((cell, i) => { cell.textContent = ['3', '20 ms / 1 s', '2.5 k', '', '900 us, frame 7', '1.5 s'][i] || ''; });
		table.tHead.rows[0].cells[2].querySelector('button').click();
		return cells().map((cell) => cell.textContent).filter(Boolean);
	});
	await page.close();
	return done;
};
(async () => {
	const browser = await puppeteer.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] });
	for (const file of files) {
		const { page, faults } = await open(browser, file, {});
		const withScript = await page.evaluate(count);
		await page.close();
		const bare = await open(browser, file, { script: false });
		const without = await bare.page.evaluate(count);
		await bare.page.close();
		say({ file, faults: faults.concat(bare.faults), same: JSON.stringify(withScript) === JSON.stringify(without), pictures: without.pictures });
		say({ file, printed: await printed(browser, file) });
		for (const scheme of ['light', 'dark']) {
			const { page } = await open(browser, file, { scheme, bypass: true });
			await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
			await page.evaluate(axe);
			const found = await page.evaluate(() => axe.run());
			say({ file, scheme, passes: found.passes.length,
				violations: found.violations.map((v) => `${v.id}: ${v.nodes.length}, ${v.nodes[0].html.slice(0, 200)}`) });
			await page.close();
		}
	}
	say({ file: files[1], acts: await acts(browser, files[1]) });
	for (const scheme of shots ? ['light', 'dark'] : []) {
		const { page } = await open(browser, files[0], { scheme });
		await page.evaluate(() => { document.querySelector('.find').hidden = true; });
		await page.setViewport({ width: 1160, height: 760 });
		await page.screenshot({ path: `${shots}/report-${scheme}.png` });
		await page.evaluate(() => document.querySelector('details.worst').scrollIntoView());
		await page.screenshot({ path: `${shots}/report-${scheme}-connection.png` });
		await page.close();
	}
	await browser.close();
	say({ end: true });
})().catch((e) => { console.log(JSON.stringify({ fatal: String(e) })); process.exit(1); });
"""


def browser():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def missing():
    """What is needed and not there."""
    yield from (name for name in ("node", "java") if not shutil.which(name))
    if not browser():
        yield "chromium"
    yield from (str(path) for path in (VNU, TOOLS / "axe-core/axe.min.js", TOOLS / "puppeteer-core/package.json") if not path.is_file())


def page(path, args, cwd):
    with open(path, "wb") as out:
        done = subprocess.run([LINT, "--config", "none", "--format", "html", *args], stdout=out, stderr=subprocess.PIPE, cwd=cwd, check=False)
    if done.returncode > 1:
        raise AssertionError(f"{args}: ends with {done.returncode}: {done.stderr[-500:]}")
    return path


def pages(work):
    made = [page(work / f"{name}.html", args, ROOT / "pcaps") for name, args in PAGES.items()]
    dcqcn.Simulation(3, point="sender", qps=2, xoff=40_000, xon=20_000).write(work / "congestion.pcap")
    made.append(page(work / "congestion.html", ["congestion.pcap"], work))
    for i, name in enumerate(NAMES):
        (work / name.replace("/", "\u2044")).write_bytes((ROOT / "pcaps" / LOSS).read_bytes())
        made.append(page(work / f"name{i}.html", ["--", name.replace("/", "\u2044")], work))
    return made


def checked(files):
    """The errors that the checker finds."""
    done = subprocess.run(["java", "-jar", str(VNU), "--errors-only", "--stdout", *map(str, files)], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() or ([] if done.returncode == 0 else [f"vnu ends with {done.returncode}: {done.stderr[-500:]}"])


def browsed(files, shots=""):
    done = subprocess.run(["node", "-e", BROWSE, browser(), shots, *map(str, files)], capture_output=True, text=True, check=False,
                          env={**os.environ, "NODE_PATH": str(TOOLS)})
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if not found or "end" not in found[-1]:
        raise AssertionError(f"the browser: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    return found[:-1]


def faults_of(found):
    for row in found:
        name = pathlib.Path(row["file"]).name
        yield from (f"{name}: {fault}" for fault in row.get("faults", []))
        yield from (f"{name}, {row['scheme']}: {fault}" for fault in row.get("violations", []))
        if row.get("same") is False:
            yield f"{name}: without scripts it says something else"
        if row.get("passes") == 0:
            yield f"{name}: axe-core looked at nothing"
        if "printed" in row:
            yield from (f"{name}, printed: {fault}" for fault in printed(row["printed"]))
        if "acts" in row:
            yield from (f"{name}: {fault}" for fault in acts(row["acts"]))


def printed(page):
    if not 0 < page["verdict"] <= PAPER or page["times"] > PAPER or page["row"] > PAPER:
        yield f"the first page ends at {PAPER}: {page}"
    if page["worst"] or page["open"] or page["find"] or page["wide"] > WIDTH:
        yield f"{page['worst']} connections are folded, {page['open']} of {page['folded']} other parts are not, {page['find']} fields, {page['wide']} wide"


def acts(done):
    down, up, way = done["sorted"]
    if done["faults"] or not done["opened"]:
        yield f"#c2 does not open connection 2: {done['faults']}"
    if down != sorted(down, reverse=True) or up != sorted(up) or way != "ascending" or len(set(up)) < 2:
        yield f"sorted {down}, {up}, {way}"
    words, all_fit = done["found"]
    if not all_fit or not words[0].isdigit() or words.startswith("0 "):
        yield f"search finds {words}, {all_fit}"
    if done["units"] != ["1.5 s", "20 ms / 1 s", "900 us, frame 7", "2.5 k", "3"]:
        yield f"what has units is sorted {done['units']}"
    if done["tip"][0] or not re.fullmatch(r"\+[0-9.]+ [mun]?s(  .*)?", done["tip"][1]):
        yield f"the pointer shows {done['tip']}"
    if not re.search(r"^\+[0-9.]+ [mun]?s  (frame [1-9][0-9]*  PSN [+-][0-9]+|.*, frame [1-9][0-9]*.*)$", done["place"]):
        yield f"in a picture of PSNs the pointer shows {done['place']}"


def main():
    absent = list(missing())
    if absent:
        print(*(f"not there: {what}" for what in absent), "./dev test html_tools gets it", sep="\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="ibwire-html-tools-") as where:
        work = pathlib.Path(where)
        files = pages(work)
        faults = checked(files)
        found = browsed(files, sys.argv[2] if len(sys.argv) > 2 else "")
        faults += list(faults_of(found))
        pictures = sum(row.get("pictures", 0) for row in found)
        text = files[1].read_text()
        planted = work / "planted.html"
        planted.write_text(text.replace("<h2>Incidents</h2>", "<h2>Incidents</h3><img src=x.png>", 1))
        if not checked([planted]):
            faults.append("the checker does not see an element that is not closed")
        if not any("img" in fault or "image" in fault for fault in faults_of(browsed([planted, files[1]]))):
            faults.append("axe-core does not see an image without words, or the browser no request")
    if pictures < 20:
        faults.append(f"{pictures} pictures")
    print(*(fault[:600] for fault in faults[:40]), f"{len(files)} pages, {pictures} pictures, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
