# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""product.py: what pcap-lint says of a capture, as JSON."""
import collections
import json
import subprocess

OPTIONS = ["--config", "none", "--progress", "never", "--format", "json"]


def lines(lint, path, options, ends):
    """({type: [object]}, standard error); @ends: the exit statuses that are right."""
    done = subprocess.run([lint, *OPTIONS, *options, path], capture_output=True, text=True, check=False)
    if done.returncode not in ends:
        raise SystemExit(f"{path} {options}: ends with {done.returncode}: {done.stderr}")
    found = collections.defaultdict(list)
    for text in done.stdout.splitlines():
        row = json.loads(text)
        found[row["type"]].append(row)
    return found, done.stderr
