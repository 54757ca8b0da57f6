# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""What --decode shows of an upper layer in a packet, taken out: whoever asks for the transport has the payload as that carries it."""

NAMES = {"nvme", "nvmf", "srp", "iser", "iscsi", "scsi", "rpc", "rpcrdma", "smb", "smb2", "rds"}


def is_upper(layer):
    """Not of private data of the CM, which has headers of the same upper layers."""
    return layer["name"].partition("_")[0] in NAMES


def without(packet):
    """The packet of a line of JSON, its payload that of the transport."""
    if any(layer["name"] == "mad" for layer in packet["layers"]) or not packet.get("payload"):
        return packet
    first = next((layer["offset"] for layer in packet["layers"] if is_upper(layer)), None)
    if first is None:
        return packet
    end = packet["payload"]["offset"] + packet["payload"]["length"]
    return {**packet, "layers": [layer for layer in packet["layers"] if not is_upper(layer)],
            "payload": {"offset": first, "length": end - first}}
