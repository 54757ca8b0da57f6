# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""parallel.py: one test on two cores. Register it with PROCESSORS 2 (parallel.WORKERS)."""
import concurrent.futures

WORKERS = 2
PARTS = 16  # so that no core waits long for the last of them


def parts(items):
    """The items in up to PARTS lists, dealt out one by one: neighbours are alike, and take as long."""
    items = list(items)
    return [items[i::PARTS] for i in range(min(PARTS, len(items)))]


def each(function, items, *args):
    """function(item, *args) of every item, in their order, by processes; function is one of a module's."""
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
        yield from pool.map(function, items, *([arg] * len(items) for arg in args))
