# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""siw.py: the captures of two siw ports: those of pcaps/siw, and those of tests/data/siw.tar.xz, unpacked once per process."""
import pathlib
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MORE = ROOT / "tests/data/siw.tar.xz"
UNPACKED = []


def own():
    return sorted((ROOT / "pcaps/siw").glob("*.pcap"))


def more():
    if not UNPACKED:
        UNPACKED.append(tempfile.TemporaryDirectory())
        with tarfile.open(MORE) as archive:
            archive.extractall(UNPACKED[0].name)
    return sorted(pathlib.Path(UNPACKED[0].name).glob("*.pcap"))


def path_of(name):
    path = ROOT / f"pcaps/siw/{name}.pcap"
    return path if path.exists() else pathlib.Path(more()[0].parent / f"{name}.pcap")
