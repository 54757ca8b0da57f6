# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""sample.py - a part of a long test's rows, drawn by the commit.

IBW_SAMPLE=K/N in the environment, which `./dev test ci` sets for deep tests, leaves those rows of a test whose name
hashes to K of N; IBW_PART=K/N, which it sets for the others, is a larger part. Which rows these are depends on their names
alone: a row that is added moves no other. Without both all rows stay, as in `./dev test`, in `./dev test deep` and, of a
test that is not SAMPLED (ibw_test.cmake), in every run.
"""
import os
import zlib


def part():
    """(K, N) of IBW_SAMPLE or of IBW_PART; (0, 1) without."""
    name = next((name for name in ("IBW_SAMPLE", "IBW_PART") if os.environ.get(name)), None)
    words = os.environ[name].split("/") if name else ("0", "1")
    if len(words) != 2 or not all(word.isdigit() for word in words) or not 0 <= int(words[0]) < int(words[1]):
        raise SystemExit(f"{name}={'/'.join(words)}: not K/N with K < N")
    return int(words[0]), int(words[1])


def whole():
    """All rows stay, so that a test may ask for what only some of them have."""
    return part()[1] == 1


def rows(items, name=str):
    """The rows that are this run's: of N parts the K-th; all of a handful, which no hash would divide."""
    items = list(items)
    at, of = part()
    drawn = [item for item in items if zlib.crc32(name(item).encode()) % of == at]
    if not drawn and items:
        drawn = [items[at % len(items)]]
    if of > 1:
        print(f"a sample, {at}/{of}: {len(drawn)} of {len(items)} rows")
    return drawn


def count(whole):
    """So many of @whole rounds of random input, at least one."""
    return max(1, whole // part()[1])


def seeds(whole):
    """The seeds of @whole rounds that are this run's, at least one."""
    at, of = part()
    return list(range(at % min(of, whole), whole, of))
