# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""The tables of --stats but the first: of the CM, of MADs, and of a subnet, read, and compared with the objects of their names.

Each table has its columns in order: the title, the key in JSON, and how what is there is written.
"""
import text_lines
import text_words as W


def plain(value):
    """A number or a word, frames of another file with its name; nothing for null."""
    return "" if value is None else str(value)


def some(value):
    return str(value) if value else ""


def hexadecimal(value):
    return "" if value is None else f"{value:#x}"


class Named:
    """What has the name of a node after it, which is under another key."""

    def __init__(self, how, by):
        self.how, self.by = how, by

    def of(self, row, key):
        return self.how(row[key]) + (f" ({row[self.by]})" if row[self.by] is not None and row[key] is not None else "")


def cell(row, key, how):
    return how.of(row, key) if isinstance(how, Named) else how(row[key])


def length(value):
    return some(len(value))


def time(value):
    return "" if value is None else W.time(value)


def wide(values):
    """LIDs, of which the first eight are shown."""
    return ", ".join([f"{value:#06x}" for value in values[:8]] + ["..."] * (len(values) > 8))


def cabled(cables):
    """The one port, else how many."""
    if len(cables) != 1:
        return some(len(cables))
    one = cables[0]
    return f"{one['node'] if one['description'] is None else one['description']} port {one['peer_port']}"


def counted(counters):
    return ", ".join(f"{one['name']} {one['value']}" + f" (+{one['grown']})" * bool(one["grown"]) for one in counters)


GROUP = (("group", "mgid", plain), ("by", "by", plain), ("of", "signature", plain), ("MLID", "mlid", hexadecimal),
         ("Q_Key", "qkey", hexadecimal), ("P_Key", "pkey", hexadecimal), ("MTU", "mtu", plain), ("Mb/s", "rate", plain),
         ("SL", "sl", plain), ("senders", "senders", some), ("members", "members", length))
MEMBER = (("group", "mgid", plain), ("member", "address", Named(plain, "node")), ("JoinState", "join_state", hexadecimal),
          ("frame", "frame", plain))
NEIGHBOUR = (("neighbour", "address", plain), ("asked by LID", "lid", Named(hexadecimal, "lid_node")), ("GID", "gid", Named(plain, "gid_node")),
             ("QP", "qpn", hexadecimal), ("changes", "qpn_changes", some), ("asked", "asked", plain),
             ("answered", "answered", plain), ("query", "query", plain), ("path", "path", plain), ("MTU", "path_mtu", plain),
             ("refused", "refused", plain), ("REQ", "req", plain), ("data", "data", plain), ("stopped at", "state", plain),
             ("back", "back", plain), ("RDMA REQ", "rdma_req", plain), ("RDMA REP", "rdma_rep", plain), ("RDMA REJ", "rdma_rej", plain))
SM = (("master", "master", Named(plain, "master_node")), ("LID", "lid", Named(hexadecimal, "lid_node")), ("handovers", "handovers", some),
      ("last", "handover_frame", plain), ("nodes", "nodes", plain), ("switches", "switches", plain), ("ports", "ports", plain),
      ("requests", "requests", plain), ("no answer", "unanswered", some), ("link traps", "link_traps", some),
      ("managers", "managers", length), ("links changed", "links", length))
MANAGER = (("manager", "guid", Named(plain, "node")), ("priority", "priority", plain), ("state", "state", plain),
           ("activity", "act_count", plain), ("first frame", "first_frame", plain), ("last frame", "last_frame", plain),
           ("LID", "lid", Named(hexadecimal, "lid_node")), ("changes", "changes", some), ("state since", "since", plain), ("at", "time", plain))
NODE = (("node", "guid", plain), ("description", "description", plain), ("type", "kind", plain), ("LIDs", "lids", wide),
        ("ports", "ports", plain), ("cabled to", "cabled_to", cabled))
LINK = (("node", "node", plain), ("description", "description", plain), ("port", "port", plain), ("state", "state", plain),
        ("width", "width", plain), ("speed", "speed", plain), ("cabled to", "peer", plain),
        ("its description", "peer_description", plain), ("its port", "peer_port", plain), ("changes", "changes", some),
        ("before", "before", plain), ("frame", "frame", plain))
TRAP = (("trap", "trap", plain), ("what", "name", plain), ("issuer", "issuer", hexadecimal),
        ("its description", "issuer_description", plain), ("about LID", "lid", hexadecimal), ("that is", "description", plain),
        ("port", "port", plain), ("key", "key", hexadecimal), ("QP", "qpn", hexadecimal), ("to LID", "to_lid", Named(hexadecimal, "to_node")),
        ("to QP", "to_qpn", hexadecimal), ("times", "count", plain), ("in a row", "run", plain), ("within", "ns", time),
        ("first frame", "first_frame", plain), ("last frame", "last_frame", plain))
COUNTER = (("LID", "lid", hexadecimal), ("description", "description", plain), ("port", "port", plain),
           ("readings", "readings", plain), ("resets", "resets", some), ("within", "ns", time), ("errors", "errors", counted),
           ("bytes out", "bytes_out", plain), ("bytes in", "bytes_in", plain), ("packets out", "packets_out", plain),
           ("packets in", "packets_in", plain), ("ticks waited", "wait", plain), ("first frame", "first_frame", plain),
           ("last frame", "last_frame", plain))
PARTITION = (("P_Key", "pkey", hexadecimal), ("full members", "full", plain), ("limited members", "limited", plain),
             ("members", "members", length))
IN_PARTITION = (("P_Key", "pkey", hexadecimal), ("port", "port_guid", plain), ("node", "node", plain),
                ("description", "description", plain), ("frame", "frame", plain))
SA = (("paths", "path_queries", plain), ("cached", "path_cached", plain), ("%", "path_cached_percent", plain))
PAUSE = (("sender", "sender", plain), ("priority", "priority", plain), ("XOFF", "xoff", plain), ("XON", "xon", plain),
         ("paused", "paused_ns", time), ("time unknown", "unknown", some), ("first frame", "first_frame", plain))
PORTS = (("sender", "sender", plain), ("receiver", "receiver", plain), ("queue pairs", "queue_pairs", plain),
         ("ports", "ports", plain), ("on one port", "most", plain), ("share a port", "sharing", some),
         ("smallest MTU", "mtu_min", plain), ("largest MTU", "mtu_max", plain), ("longest packet", "packet_max", plain))
# What JSON has and these tables do not.
UNSAID = {"type", "schema", "file", "place", "interface", "frame"}

MADS = (("requests", "requests"), ("retries", "retries"), ("answered", "answered"), ("no answer", "unanswered"),
        ("stopped", "stopped"), ("busy", "busy"), ("errors", "errors"), ("late", "late"), ("repeated", "repeated_responses"),
        ("unasked", "unasked_responses"), ("TID reused", "reused_tids"), ("transfers", "transfers"), ("traps", "traps"),
        ("represses", "represses"))
MESSAGES = (("req", "REQ"), ("mra", "MRA"), ("rej", "REJ"), ("rep", "REP"), ("rtu", "RTU"), ("dreq", "DREQ"),
            ("drep", "DREP"), ("lap", "LAP"), ("apr", "APR"), ("sidr_req", "SIDR_REQ"), ("sidr_rep", "SIDR_REP"))
STEPS = (("REP after", "req_to_rep"), ("RTU after", "rep_to_rtu"), ("DREP after", "dreq_to_drep"))
HEALTHY = {"established", "disconnected", "resolved"}
SUBN_ADM = 3  # the class of queries of the SA


def subnet(where, lines, objects, heading, verbose, whole):
    """[fault] of the tables of objects.def."""
    groups, managed, partitions = (objects.get(kind, []) for kind in ("group", "sm", "partition"))
    tables = [("multicast groups", GROUP, groups),
              ("members of multicast groups", MEMBER, [one for group in groups for one in group["members"]] if verbose else []),
              ("IPoIB neighbours", NEIGHBOUR, objects.get("neighbour", [])), ("subnet management", SM, managed),
              ("subnet managers", MANAGER, [one for sm in managed for one in sm["managers"]]),
              ("nodes", NODE, objects.get("node", [])), ("links, what changed most first", LINK, objects.get("link", [])),
              ("traps", TRAP, objects.get("trap", [])), ("counters of ports", COUNTER, objects.get("counter", [])),
              ("partitions", PARTITION, partitions),
              ("members of partitions", IN_PARTITION,
               [one for partition in partitions for one in partition["members"]] if verbose else []),
              ("paths asked for", SA, objects.get("sa", [])), ("pause frames", PAUSE, objects.get("pause", [])),
              ("UDP source ports and MTUs by hosts", PORTS, objects.get("ports", []))]
    for title, columns, rows in tables:
        said = {key for _, key, _ in columns} | {how.by for _, _, how in columns if isinstance(how, Named)}
        for key in {key for row in rows[:1] for key in row} - said - UNSAID:
            yield f"{where}: {title}: key {key} is not known here: text_tables.py of tests/oracles has them"
        want = [{name: cell(row, key, how) for name, key, how in columns} for row in rows]
        yield from text_lines.table(f"{where}: {title}", lines, f"{heading}: {title}", [name for name, _, _ in columns], (),
                                    want, whole, f"{title} of text_tables.py")


def cm_row(one):
    messages = ", ".join(f"{one[key]} {title}" if one[key] > 1 else title for key, title in MESSAGES if one[key])
    return {"client (A)": W.short_end(one["a"], one["a_node"]), "server (B)": W.short_end(one["b"], one["b_node"]),
            "service": one["service"] or one["service_id"] or "", "messages": messages, "retries": some(one["retries"]),
            **{title: time(one[key]) for title, key in STEPS}, "end": one["end"]}


def cm(where, lines, rows, heading, whole):
    """[fault] of the conversations of the CM, worst first: those that did not go well, then by retries."""
    said = {key for key, _ in MESSAGES} | {key for _, key in STEPS} | UNSAID | {
        "connection", "transport", "service_id", "service", "a", "b", "first_frame", "last_frame", "state", "end", "ended_by",
        "reason", "retries", "messages", "a_node", "b_node"}
    for key in {key for row in rows[:1] for key in row} - said:
        yield f"{where}: cm: key {key} is not known here: text_tables.py of tests/oracles has them"
    order = sorted(rows, key=lambda one: (one["state"] in HEALTHY, -one["retries"], one["place"]))
    columns = ["client (A)", "server (B)", "service", "messages", "retries", *(title for title, _ in STEPS), "end"]
    yield from text_lines.table(f"{where}: CM", lines, f"{heading}: connections of the CM, worst first", columns,
                                {"retries", *(title for title, _ in STEPS)}, [cm_row(one) for one in order], whole,
                                "cm_row of text_tables.py")


def mad_row(one, client):
    name = one["class_name"] or f"class 0x{one['class']:02x}"
    who = one | {"client": f"{one['client']} agent 0x{one['agent']:08x}"} if client and one["agent"] is not None else one
    what = {"client": Named(plain, "client_node").of(who, "client"), "class": name} if client else \
        {"class": name, "attribute": one["attribute_name"] or f"attribute 0x{one['attribute']:02x}"}
    return {**what, **{title: some(one[key]) for title, key in MADS}, "answer p50/p99": W.times(one["response_time"])}


def mads(where, lines, objects, heading, whole):
    """[fault] of the clients, and of the attributes they ask for, queries of the SA first."""
    said = {key for _, key in MADS} | UNSAID | {"client", "class", "class_name", "attribute", "attribute_name", "first_frame",
                                                "last_frame", "response_time", "client_node", "agent"}
    numbers = {*(title for title, _ in MADS), "answer p50/p99"}
    for kind, title in (("mad_client", "MAD clients, worst first"),
                        ("mad_attribute", "MADs by attribute, queries of the SA first")):
        client, rows = kind == "mad_client", objects.get(kind, [])
        for key in {key for row in rows[:1] for key in row} - said:
            yield f"{where}: {kind}: key {key} is not known here: MADS of text_tables.py has them"
        order = sorted(rows, key=lambda one: (not client and one["class"] != SUBN_ADM, -one["unanswered"], -one["requests"],
                                              one["place"], one.get("attribute", 0), one["class"]))
        columns = [*(("client", "class") if client else ("class", "attribute")), *(title for title, _ in MADS), "answer p50/p99"]
        yield from text_lines.table(f"{where}: {kind}", lines, f"{heading}: {title}", columns, numbers,
                                    [mad_row(one, client) for one in order], whole, "MADS of text_tables.py")


def upper_row(one):
    times = one["time"]
    answered = [W.time(min(times[key], times["max"])) for key in ("p50", "p99", "p999")] if times["count"] else []
    return {"connection": plain(one["connection"]), "queue": plain("" if one["queue"] is None else one["queue"] or "admin"), "operation": one["operation"],
            **{title: some(one[key]) for title, key in UPPER}, "data": W.size(one["bytes"]) if one["bytes"] else "",
            "answer p50/p99/p99.9": " / ".join(answered),
            "slowest": f"{W.time(times['max'])}, frame {times['frame']}" if answered else ""}


UPPER = (("commands", "count"), ("failed", "errors"), ("not answered", "open"), ("open at most", "open_max"))


PROTOCOLS = ("NVMe-oF", "iSER", "SRP", "RPC-over-RDMA", "SMB Direct")


def upper(where, lines, rows, heading, whole):
    """[fault] of what queues of upper layers were asked to do: a table of each upper layer, the slowest first."""
    said = {key for _, key in UPPER} | UNSAID | {"connection", "protocol", "evidence", "queue", "operation", "bytes", "time", "subsystem", "target"}
    for key in {key for row in rows[:1] for key in row} - said:
        yield f"{where}: upper: key {key} is not known here: UPPER of text_tables.py has them"
    columns = ["connection", "queue", "operation", "commands", "failed", "not answered", "open at most", "data",
               "answer p50/p99/p99.9", "slowest"]
    yield from (f"{where}: upper: {name} is not known here: PROTOCOLS of text_tables.py"
                for name in {row["protocol"] for row in rows} - {*PROTOCOLS})
    for protocol in PROTOCOLS:
        of, by = [row for row in rows if row["protocol"] == protocol], "queue and operation" if protocol == "NVMe-oF" else "operation"
        if of or protocol == "NVMe-oF":
            yield from text_lines.table(f"{where}: upper", lines, f"{heading}: {protocol} commands by {by}, slowest first", columns,
                                        {"connection", *(title for title, _ in UPPER), "data", "answer p50/p99/p99.9"},
                                        [upper_row(one) for one in sorted(of, key=lambda one: -one["time"]["max"])], whole,
                                        "UPPER of text_tables.py")
