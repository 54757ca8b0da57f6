# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The flow of a finding of JSON, as forms for people write it: each end with the name of its node, if JSON has one."""


def named(row):
    flow, names = row["flow"], (row.get("source_node"), row.get("destination_node"))
    if not any(names):
        return flow
    source, _, rest = flow.partition(" -> ")
    destination, _, qp = rest.rpartition(" qp ")
    source, destination = (f"{end} ({name})" if name else end for end, name in zip((source, destination), names))
    return f"{source} -> {destination} qp {qp}"
