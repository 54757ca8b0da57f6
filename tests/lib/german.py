# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""german.py - a locale with a comma in its numbers, and words with umlauts, made for a test; without it the test fails."""
import os
import subprocess


def locale(directory):
    """The environment in which it is de_DE.UTF-8, made in @directory."""
    subprocess.run(["localedef", "--no-archive", "-i", "de_DE", "-f", "UTF-8", directory / "de_DE.UTF-8"], check=True,
                   capture_output=True)
    env = {"LOCPATH": str(directory), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"}
    point = subprocess.run(["locale", "decimal_point"], env=os.environ | env, check=True, capture_output=True, text=True).stdout
    if point != ",\n":
        raise SystemExit(f"no German locale could be made: the decimal point is {point}")
    return env
