#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""auto.py: a Wireshark that the plugin does not compile with is a message of AUTO, not the end of the build.

The Wireshark of this machine under the number of one that does not exist: what compat.h takes from newer headers is not there.
With AUTO CMake leaves the plugin out and says where the errors are; with ON the plugin is built, whatever comes of it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).absolute().parents[2]
NUMBER = 4, 99, 0
CONFIG = """include("{real}/WiresharkConfig.cmake")
set(Wireshark_MAJOR_VERSION {v[0]})
set(Wireshark_MINOR_VERSION {v[1]})
set(Wireshark_VERSION "{v[0]}.{v[1]}.{v[2]}")
set(Wireshark_INCLUDE_DIR "{headers}" ${{Wireshark_INCLUDE_DIR}})
"""
HEADER = "#define WIRESHARK_VERSION_MAJOR {v[0]}\n#define WIRESHARK_VERSION_MINOR {v[1]}\n#define WIRESHARK_VERSION_MICRO {v[2]}\n"


def real():
    """Where the package of this machine is."""
    with tempfile.TemporaryDirectory() as where:
        (pathlib.Path(where) / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.18)\nproject(where C)\nfind_package(Wireshark 4.0 CONFIG REQUIRED)\nmessage(\"AT=${Wireshark_DIR}\")\n")
        text = subprocess.run(["cmake", "-S", where, "-B", f"{where}/build"], check=True, capture_output=True, text=True).stderr
        return re.search("AT=(.*)", text)[1]


def configured(where, *options):
    run = subprocess.run(["cmake", "-S", ROOT, "-B", where / "build", "-DIBW_TESTS=OFF", "-DIBW_LINT=OFF", f"-DWireshark_DIR={where}", *options],
                         check=False, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def main():
    faults = []
    with tempfile.TemporaryDirectory() as name:
        where = pathlib.Path(name)
        (where / "headers").mkdir()
        (where / "headers/ws_version.h").write_text(HEADER.format(v=NUMBER))
        (where / "WiresharkConfig.cmake").write_text(CONFIG.format(real=real(), v=NUMBER, headers=where / "headers"))
        (where / "WiresharkConfigVersion.cmake").write_text('set(PACKAGE_VERSION "4.99.0")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n')
        status, text = configured(where)
        log = where / "build/wireshark-tried.log"
        if status or "does not compile with Wireshark 4.99.0" not in text or "IBW_WIRESHARK: OFF" not in text:
            faults.append(f"AUTO: status {status}: {text[-1500:]}")
        if not log.exists() or "error:" not in log.read_text():
            faults.append("the log has no error")
        status, text = configured(where, "-DIBW_WIRESHARK=ON")
        if status or "IBW_WIRESHARK: ON" not in text:
            faults.append(f"ON: status {status}: {text[-1500:]}")
    print("\n".join([*faults, f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
