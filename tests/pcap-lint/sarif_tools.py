#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sarif_tools.py PCAP-LINT MADE: what others say of --format sarif.

Of captures that are not compressed, of some with other options, of several at once, of files that are cut and of names
with whatever a URI gives a meaning to: the schema of OASIS, as Microsoft's jest-sarif has it, with ajv, formats of URIs
included; and no error or warning of Microsoft's validator, which knows the text of the standard, too. (It wants a region of
each result, which a compressed file has not.) Both have to find what is planted.

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
LINT, MADE = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
TOOLS = pathlib.Path(os.environ.get("IBW_TOOLS", ROOT / "build/tools")) / "node_modules"
SCHEMA = TOOLS / "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
MULTITOOL = TOOLS / "@microsoft/sarif-multitool-linux"
COMPRESSED = {".gz", ".zst", ".lz4", ".xz", ".bz2"}
OTHER = [["--severity", "error"], ["--max-per-rule", "1", "--severity", "note"], ["-q", "--ignore", "QPS"], ["--ignore", "all"]]
NAMES = ["a b%25#é.pcap", "c:d", "\u202e", "<&>\"'", "?query", "~", "new\nline"]
# As jest-sarif has it, but with the draft's own schema loaded: a line a file that is not valid.
AJV = """
const fs = require('fs'), Ajv = require('ajv');
const ajv = new Ajv({ schemaId: 'auto', validateSchema: false, allErrors: true });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json'));
const valid = ajv.compile(JSON.parse(fs.readFileSync(process.argv[1])));
let n = 0;
for (const file of process.argv.slice(2)) {
    n++;
    if (!valid(JSON.parse(fs.readFileSync(file))))
        console.log(`${file}: ${JSON.stringify(valid.errors).slice(0, 500)}`);
}
console.log(`${n} read`);
"""


def missing():
    """What is needed and not there."""
    if not shutil.which("node"):
        yield "node"
    for path in SCHEMA, TOOLS / "ajv/package.json", MULTITOOL / "Sarif.Multitool":
        if not path.is_file():
            yield str(path)


def by_schema(files):
    """What is not valid."""
    done = subprocess.run(["node", "-e", AJV, SCHEMA, *files], capture_output=True, text=True, check=False,
                          env={**os.environ, "NODE_PATH": str(TOOLS)})
    *faults, last = done.stdout.splitlines() or [""]
    return faults if last == f"{len(files)} read" else [f"ajv: {done.stdout[-500:]} {done.stderr[-1000:]}"]


def by_validator(files, work):
    """Errors and warnings."""
    program = work / "multitool"
    if not program.is_dir():
        shutil.copytree(MULTITOOL, program)
        (program / "Sarif.Multitool").chmod(0o755)
    done = subprocess.run([program / "Sarif.Multitool", "validate", *files, "--level", "Error;Warning", "--log", "ForceOverwrite",
                           "-o", work / "out.sarif"], capture_output=True, text=True, check=False,
                          env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    faults = [line for line in done.stdout.splitlines() if re.search(r"\): (error|warning) ", line)]
    if f"{len(files)} files scanned" not in done.stdout or not faults and "Analysis completed successfully" not in done.stdout:
        faults.append(f"validate: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    return faults


def logs(work):
    """A log of each: [path]"""
    made = sorted(MADE.glob("*.pcap*"))
    if not made:
        raise SystemExit(f"{MADE}: no captures")
    captures = [*sorted(ROOT.glob("pcaps/*/*.pcap*")), *made[::7], *(path for path in made if path.name.startswith("lint-cap"))]
    captures = [path for path in captures if path.suffix not in COMPRESSED]
    runs = [["--severity", "note", path] for path in captures]
    runs += [[*OTHER[i % len(OTHER)], path] for i, path in enumerate(captures[::5])]
    runs += [captures[:6], ["--join", *captures[:3]]]
    for i, name in enumerate(NAMES):
        path = work / name
        path.write_bytes(captures[i * len(captures) // len(NAMES)].read_bytes()[:-3])
        runs.append([path])
    found = []
    for i, words in enumerate(runs):
        done = subprocess.run([LINT, "--config", "none", "--format", "sarif", *words], capture_output=True, check=False)
        found.append(work / f"{i:04}-{pathlib.Path(words[-1]).stem if i < len(captures) else 'other'}.sarif")
        found[-1].write_bytes(done.stdout)
    return found, len(captures)


def planted(path, work):
    """A log with a fault that both know, and one that only the validator does."""
    for name in "version", "reference":
        log = json.loads(path.read_bytes())
        if name == "version":
            log["version"] = "2.1"
        else:
            log["runs"][0]["results"][0]["ruleIndex"] = 99999
        (work / f"planted-{name}.sarif").write_text(json.dumps(log))
        yield name, work / f"planted-{name}.sarif"


def main():
    absent = list(missing())
    if absent:
        print(*(f"not there: {what}" for what in absent), "./dev test sarif_tools gets it from npm", sep="\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="ibwire-sarif-tools-") as where:
        work = pathlib.Path(where)
        files, captures = logs(work)
        empty = [path.name for path in files if not path.stat().st_size]
        faults = [f"{name}: nothing is written" for name in empty]
        faults += [] if empty else by_schema(files) + by_validator(files, work)
        results = 0 if empty else sum(len(run["results"]) for path in files for run in json.loads(path.read_bytes())["runs"])
        full = next((path for path in files if not empty and json.loads(path.read_bytes())["runs"][0]["results"]), None)
        for name, path in planted(full, work) if full else ():
            if name == "version" and not by_schema([path]):
                faults.append("the schema does not see a version that is none")
            if not by_validator([path], work):
                faults.append(f"the validator does not see the planted {name}")
    if captures < 150 or results < 3000:
        faults.append("too little was looked at")
    print(*(fault[:1000] for fault in faults[:40]), f"{len(files)} logs of {captures} captures, {results} results, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
