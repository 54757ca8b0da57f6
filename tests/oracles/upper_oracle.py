#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""upper_oracle.py PCAP-LINT MADE [COUNT] | PCAP-LINT FILE.pcap...: commands of upper layers, worked out a second time.

NVMe over Fabrics, SRP, iSER, RPC over RDMA with NFS, SMB Direct. Of every capture, and of COUNT random conversations of each
protocol: each line "command" and "upper" of --stats, key by key, and which frames the rules ULP speak of. What clients and
servers of the real captures did is written down by hand.
"""
import collections
import math
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import over_captures  # noqa: E402
import product  # noqa: E402
import random_upper  # noqa: E402
import upper  # noqa: E402
import upper_rules  # noqa: E402
from packet import address_text  # noqa: E402

OPTIONS = ["--stats", "--max-per-rule", "0", "--severity", "note"]
RULES = {"ULP001", "ULP002", "ULP003", "ULP004", "ULP005", "ULP006", "ULP008", "ULP009", "ULP010", "ULP016", "ULP019", "ULP020", "ULP022",
         "ULP024", "ULP025"}
# So many commands at least, of each protocol.
LEAST = {"real": {"NVMe-oF": 220, "SRP": 23, "iSER": 27, "RPC-over-RDMA": 320, "SMB Direct": 20},
         "made": {"NVMe-oF": 40, "SRP": 8, "iSER": 10, "RPC-over-RDMA": 10, "SMB Direct": 9},
         "random": dict.fromkeys(("NVMe-oF", "SRP", "iSER", "RPC-over-RDMA", "SMB Direct"), 450)}


def nfs(version, *names):
    return [(1, {"name": f"NFS{version} {name}", "status": "success"}) for name in names]


MOUNTED = nfs(4, "NULL", "READDIR", "COMMIT", "SETATTR")
MOVED_AWAY = [(1, {"name": "NFS4 LOOKUP", "status": "NOENT"}), *nfs(4, "RENAME", "REMOVE")]
SESSION = [(2, {"name": "NFS4 EXCHANGE_ID", "status": "success"}), *nfs(4, "CREATE_SESSION", "DESTROY_SESSION", "DESTROY_CLIENTID")]
COPIED = [*[(1, {"name": "NFS4 WRITE", "bytes": size, "status": "success"}) for size in (16384, 13616, 0)],
          (2, {"name": "NFS4 READ", "bytes": 16384, "status": "success"})]
BLOCKS = [(1, {"name": "READ(10)", "bytes": 24576, "transferred": 24576, "status": "success"}), (1, {"name": "WRITE(10)", "bytes": 20480}),
          (2, {"name": "WRITE(10)", "bytes": 4096, "transferred": 0}), (0, {"name": "WRITE(10)", "status": None}),
          (1, {"name": "MAINTENANCE IN", "status": "CHECK CONDITION: ILLEGAL REQUEST, asc 0x20 ascq 0x00"})]
OF_NFS3 = [*nfs(3, "NULL", "READDIRPLUS", "COMMIT", "RENAME", "REMOVE"), (2, {"name": "NFS3 LOOKUP", "status": "NOENT"}),
           (4, {"name": "NFS3 READ", "bytes": 8192}), (3, {"name": "NFS3 WRITE", "bytes": 8192, "transferred": 8192}),
           (1, {"name": "NFS3 WRITE", "bytes": 5424}), (1, {"name": "NFS3 WRITE", "bytes": 0})]
SMB_LOGIN = [(1, {"name": "Negotiate Protocol", "status": "success"}), (1, {"name": "Session Setup", "status": "NT status 0xc0000016"}),
             (1, {"name": "Session Setup", "status": "success"})]
# What was done there, as the MANIFEST of the captures has it: exactly so many commands with these values.
BY_HAND = {
    "01c-nvme-wrong-nqn.pcap": [(1, {"queue": 0, "name": "Connect", "frame": 4, "status": "Connect Invalid Parameters", "ms": 5})],
    "01b-nvme-loss.pcap": [(1, {"queue": 0, "name": "Identify", "frame": 80, "status": "success", "ms": 2359})],
    "02-iser.pcap": [*BLOCKS, (1, {"name": "Login Request", "status": "success"}), (2, {"name": "READ(10)", "bytes": 512}),
                     (1, {"name": "Logout Request", "status": "success"}), (27, {"outcome": "answered"})],
    "03-srp.pcap": [*BLOCKS, (1, {"name": "WRITE(10)", "transferred": 20480}), (23, {"outcome": "answered"})],
    "05-nfs40.pcap": [*MOUNTED, *MOVED_AWAY[1:], *COPIED, (7, {"name": "NFS4 OPEN", "status": "GRACE"}),  # the server is just up
                      (4, {"name": "NFS4 OPEN", "status": "success"}), (2, {"name": "NFS4 LOOKUP", "status": "NOENT"}),
                      (48, {"outcome": "answered"})],
    "05b-nfs41.pcap": [*MOUNTED, *MOVED_AWAY, *COPIED, *SESSION, (39, {"outcome": "answered"})],
    "05c-nfs42.pcap": [*MOUNTED, *MOVED_AWAY, *COPIED, *SESSION, (39, {"outcome": "answered"})],
    "05d-nfs3.pcap": [*OF_NFS3, (45, {"outcome": "answered"})],
    "05e-nfs41-loss.pcap": [*MOUNTED, *SESSION, (1, {"name": "NFS4 LOOKUP", "status": "NOENT", "ms": 2239}),  # its answer was lost
                            (2, {"name": "NFS4 WRITE", "bytes": 8192}), (1, {"name": "NFS4 WRITE", "bytes": 3616}),
                            (33, {"outcome": "answered"})],
    "05-nfs4-siw.pcap": [*MOUNTED, *MOVED_AWAY[1:], *COPIED, *SESSION, (2, {"name": "NFS4 LOOKUP", "status": "NOENT"}),
                         (39, {"outcome": "answered"})],
    "05d-nfs3-siw.pcap": [*OF_NFS3, (44, {"outcome": "answered"})],
    "08-smb-direct.pcap": [*SMB_LOGIN, (2, {"name": "Tree Connect", "status": "NT status 0xc00000cc"}),
                           (1, {"name": "Session Logoff", "status": "success"}), (6, {"outcome": "answered"})],
    "08b-smb-direct-server-dies.pcap": [*SMB_LOGIN, (2, {"name": "Tree Connect", "status": "success"}),
                                        (2, {"name": "Create", "outcome": "closed"}), (5, {"outcome": "answered"}),
                                        (9, {"outcome": "closed", "status": None})],
}
# What each line "upper" has there.
NAMED = {"01b-nvme-loss.pcap": {"subsystem": "nqn.2026-11.rig:disk", "target": None},
         "01c-nvme-wrong-nqn.pcap": {"subsystem": "nqn.2026-11.rig:nobody", "target": None},
         "02-iser.pcap": {"subsystem": None, "target": "iqn.2026-11.rig:t"}}


def bucket(ns):
    if ns < 64:
        return ns
    width = 1 << ns.bit_length() - 6
    return (ns // width + 1) * width - 1


def percentile(times, thousandths):
    return bucket(sorted(times)[math.ceil(len(times) * thousandths / 1000) - 1]) if times else 0


def operations(ours):
    """(queue, name, frames of the slowest, figures) of the rows of the oracle, queue by queue."""
    rows = collections.defaultdict(list)
    for row in ours.rows:
        rows[row["number"], row["counted as"]].append(row)
    for (number, name), those in sorted(rows.items(), key=lambda item: ours.queues[item[0][0]].frame):
        queue, done = ours.queues[number], [row for row in those if row["outcome"] == "answered"]
        times = [row["ns"] for row in done]
        most = {"others" if code is None else queue.name(code): n for code, n in queue.most.items()}
        yield queue, name, [row["frame"] for row in done if row["ns"] == max(times)] or [None], {
            "protocol": queue.PROTOCOL, "evidence": ["content"], "queue": queue.id, "operation": name, "count": len(those),
            "errors": sum(row["error"] for row in those), "bytes": sum(row["bytes"] for row in those),
            "open": sum(row["outcome"] in ("open", "closed") for row in those), "open_max": most[name],
            "time": {"count": len(times), "p50": percentile(times, 500), "p99": percentile(times, 990), "p999": percentile(times, 999),
                     "max": max(times, default=0)},
            "subsystem": queue.subsystem, "target": queue.target}


def differences(what, line, want):
    """Each key that the line has otherwise, and those that nobody knows."""
    faults = [f"{what}: {key}: {line.get(key)}, the oracle {value}" for key, value in want.items() if line.get(key, "absent") != value]
    return faults + [f"{what}: {key} is not known here" for key in line.keys() - want.keys() - {"type", "schema", "file", "connection"}]


def compare_operations(ours, lines, connections):
    """Their lines come queue by queue, as those began."""
    theirs, faults = collections.defaultdict(list), []
    for line in lines:
        theirs[line["protocol"], line["queue"], line["operation"]].append(line)
    for queue, name, slowest, want in operations(ours):
        mine = theirs[queue.PROTOCOL, queue.id, name]
        if not mine:
            faults.append(f"{queue.PROTOCOL} of frame {queue.frame}: no {name}")
            continue
        line = mine.pop(0)
        frame = line["time"].pop("frame", None)
        if frame not in slowest:
            faults.append(f"{name}: slowest in frame {frame}, should be one of {slowest}")
        faults += differences(f"{name} of {queue.PROTOCOL}, frame {queue.frame}", line, want)
        faults += connections.fault(line, queue, queue.frame)
    faults += [f"{name} of {protocol}, queue {queue}: {len(rest)} more" for (protocol, queue, name), rest in theirs.items() if rest]
    return faults


class Connections:
    """Whose packets those of a connection are, by the lines of flows."""

    def __init__(self, flows):
        self.flows = {flow["connection"]: flow for flow in flows if flow.get("service") in ("RC", "iWARP") and "a" in flow}

    @staticmethod
    def is_of(flow, queue, frame):
        src, dst, qpn = queue.flow
        if flow["first_frame"] > frame or flow["last_frame"] < frame:
            return False
        if flow["service"] == "iWARP":
            ends = sorted((flow[end]["address"], flow[end]["port"]) for end in "ab")
            return isinstance(src, tuple) and ends == sorted((address_text(address), port) for address, port in (src, dst))
        ends = [(flow[end]["address"], flow[end]["qpn"]) for end in "ab"]
        return (address_text(dst), qpn) in ends and address_text(src) in [address for address, _ in ends]

    def fault(self, line, queue, frame):
        flow = self.flows.get(line["connection"])
        if flow is None and not any(self.is_of(each, queue, frame) for each in self.flows.values()):
            return []
        return [] if flow and self.is_of(flow, queue, frame) else [f"frame {frame}: of connection {line['connection']}"]


def fits(row, want):
    return all((row["ns"] or 0) // 10**6 == value if key == "ms" else row.get(key) == value for key, value in want.items())


def by_hand(name, commands, operations):
    for count, want in BY_HAND.get(name, []):
        found = sum(fits(line, want) for line in commands)
        if found != count:
            yield f"{found} commands with {want}, should be {count}"
    for line in operations:
        if not fits(line, NAMED.get(name, {})):
            yield f"{line['operation']}: subsystem {line['subsystem']}, target {line['target']}"


def compare(lint, path):
    (lines, _), ours = product.lines(lint, path, OPTIONS, (0, 1, 2)), upper.Reader(path)
    connections, faults = Connections(lines["flow"]), []
    theirs = sorted(lines["command"], key=lambda line: (line["frame"], line["id"]))
    if len(theirs) != len(ours.rows):
        faults.append(f"{len(theirs)} commands, the oracle has {len(ours.rows)}")
    for line, row in zip(theirs, ours.rows, strict=False):
        want = {key: value for key, value in row.items() if key not in ("number", "opcode", "counted as", "error")}
        want["time"] = f"{row['time'] // 10**9}.{row['time'] % 10**9:09}"
        faults += differences(f"command of frame {row['frame']}", line, want)
        faults += connections.fault(line, ours.queues[row["number"]], row["frame"])
    faults += compare_operations(ours, lines["upper"], connections)
    found = collections.Counter((f["rule"], f["frame"]) for f in lines["finding"] if f["rule"] in RULES)
    wanted = collections.Counter(ours.findings + upper_rules.late(ours) + upper_rules.Rules(path).found)
    if found != wanted:
        faults.append(f"found, not by the oracle: {sorted((found - wanted).elements())}; not found: {sorted((wanted - found).elements())}")
    faults += by_hand(path.name, theirs, lines["upper"])
    return collections.Counter(row["protocol"] for row in ours.rows), len(ours.findings), [f"{path.name}: {fault}" for fault in faults]


def write(scratch, count):
    for protocol in random_upper.TALKS:
        for seed in range(count):
            path = scratch / f"{protocol}-{seed}.pcap"
            path.write_bytes(random_upper.scenario(protocol, seed))
            yield path


def report(kind, paths, lint):
    counts, found, faults = collections.Counter(), 0, []
    for count, findings, wrong in over_captures.of_each(compare, (collections.Counter(), 0, []), paths, lint):
        counts += count
        found += findings
        faults += wrong
    faults += [f"{counts[protocol]} commands of {protocol}, {least} at least" for protocol, least in LEAST.get(kind, {}).items()
               if counts[protocol] < least]
    if kind == "real":
        faults += [f"{name}: there is no such capture" for name in (BY_HAND.keys() | NAMED.keys()) - {path.name for path in paths}]
    figures = ", ".join(f"{n} {protocol}" for protocol, n in sorted(counts.items()))
    return over_captures.told(kind, f"commands ({figures}), {found} findings", counts.total(), len(paths), faults)


if __name__ == "__main__":
    sys.exit(over_captures.each_kind(report, write, *sys.argv[1:]))
