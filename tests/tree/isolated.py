#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""isolated.py BUILD: a test sees the plugin, profile, library, home, locale and settings it was given, and nothing of the machine.

In a mount namespace, so as root, there is planted what would end or mislead whoever sees it: a plugin ibwire.so where
Wireshark has those of everybody, and in the home directory; preferences, a profile RDMA and disabled protocols in
both; a .pcap-lint.conf; libraries on LD_LIBRARY_PATH, a package ibwire for CMake, another locale. It does where nothing
keeps it away, and the tests below, one or more of each room, pass nevertheless. All tests have the same environment,
and no script starts a program of Wireshark but by tests/lib/bare.py.
"""
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import bare  # noqa: E402
import machine  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHOSEN = ("capture_pcapng check_self consumer crc fuzz_planted golden instructions made_tshark readme streams track_events"
          " ws_alias ws_install ws_profile ws_readme").split()
GIVEN = {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "LC_ALL", "LANGUAGE", "LD_LIBRARY_PATH",
         "CMAKE_PREFIX_PATH", "VALGRIND_OPTS", "NO_COLOR"}
UNDIVIDED = {"IBW_SAMPLE=", "IBW_PART="}  # whether a test is divided is its own
STARTS = re.compile(r'(?:run|Popen|check_output|which)\(\[?"(?:tshark|sharkd|editcap|capinfos|mergecap|wireshark)"')
BY_HAND = {"bench/bench_lint.py": "a measurement of what there is"}
TRAP = r"""
#include <unistd.h>
__attribute__((constructor)) static void trap(void)
{
	if (write(2, "planted\n", 8) > 0)
		_exit(99);
}
"""
SETTINGS = {"preferences": 'gui.column.format: "Planted", "%p"\n', "wireshark.conf": 'gui.column.format: "Planted", "%p"\n',
            "disabled_protos": "infiniband\nip\n",
            "profiles/RDMA/colorfilters": "@planted@frame@[0,0,0][65535,65535,65535]\n",
            "profiles/RDMA/preferences": 'gui.column.format: "Planted", "%p"\n'}


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def plant(scratch):
    """The environment that leads to what is planted."""
    version = bare.Wireshark().version
    trap = scratch / "trap.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", trap], input=TRAP, text=True, check=True)
    shared = next(path for path in pathlib.Path("/usr/lib").glob("*/wireshark/plugins"))
    data, home = pathlib.Path("/usr/share/wireshark"), pathlib.Path(pwd.getpwuid(os.geteuid()).pw_dir)
    for place in (shared, data, home):
        machine.overlay(place, scratch)
    chosen, libraries = scratch / "home", scratch / "lib"
    for where in (shared, *(top / ".local/lib/wireshark/plugins" for top in (home, chosen))):
        (where / version / "epan").mkdir(parents=True, exist_ok=True)
        shutil.copy(trap, where / version / "epan/ibwire.so")
    for where in (data, *(top / ".config/wireshark" for top in (home, chosen))):
        for name, text in SETTINGS.items():
            put(where / name, text)
    for top in (home, chosen):
        put(top / ".pcap-lint.conf", "[pcap-lint]\nplanted = 1\n")
    libraries.mkdir()
    for name in ("libibwire.so.0.1", "libglib-2.0.so.0"):
        shutil.copy(trap, libraries / name)
    put(scratch / "cmake/ibwire/ibwireConfig.cmake", 'message(FATAL_ERROR "planted")\n')
    return {"HOME": str(chosen), "XDG_CONFIG_HOME": str(chosen / ".config"), "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de",
            "LD_LIBRARY_PATH": str(libraries), "CMAKE_PREFIX_PATH": str(scratch / "cmake"),
            "WIRESHARK_CONFIG_DIR": str(chosen / ".config/wireshark")}


def in_effect(lint, planted):
    """What is planted and does not show."""
    asked = {
        "the plugin of everybody": ({}, ["tshark", "-G", "plugins"]),
        "the libraries": ({"LD_LIBRARY_PATH"}, [lint, "--version"]),
        "the config file": ({"HOME"}, [lint, "-"]),
        "the config file of who has no HOME": ({}, ["env", "-u", "HOME", lint, "-"]),
    }
    for what, (names, command) in asked.items():
        env = os.environ | {name: planted[name] for name in names}
        run = subprocess.run(command, env=env, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        # A library without the functions of the real one may end a program before it can say so.
        missing = "LD_LIBRARY_PATH" in names and "undefined symbol: g_" in run.stderr
        if run.returncode == 0 or not ("planted" in run.stdout + run.stderr or missing):
            yield f"{what} has no effect: status {run.returncode} {run.stderr[:300]}"


def environments(build):
    """({test: its room}, faults): each has the whole environment, and it is the same one."""
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    data, rooms, seen = json.loads(text), {}, {}
    nodes = data["backtraceGraph"]
    for test in data["tests"]:
        node = nodes["nodes"][test["backtrace"]]
        while pathlib.Path(nodes["files"][node["file"]]).name == "ibw_test.cmake":
            node = nodes["nodes"][node["parent"]]
        rooms[test["name"]] = pathlib.Path(nodes["files"][node["file"]]).parent.name
        words = next((one["value"] for one in test["properties"] if one["name"] == "ENVIRONMENT"), [])
        seen.setdefault(tuple(sorted(set(words) - UNDIVIDED)), []).append(test["name"])
    faults = [f"{tests[:5]} and {len(tests)} in all have the environment {words}" for words, tests in seen.items()
              if len(seen) > 1 or not GIVEN <= {word.partition("=")[0] for word in words}]
    return rooms, faults


def starts():
    """Scripts that start a program of Wireshark with what the machine has."""
    for path in sorted((ROOT / "tests").glob("*/*.py")):
        name = str(path.relative_to(ROOT / "tests"))
        found = STARTS.search(path.read_text())
        if found and name not in BY_HAND:
            yield f"{name}: {found[0]}, not by tests/lib/bare.py"


def main():
    scratch = machine.enter()
    build = pathlib.Path(sys.argv[1]).resolve()
    rooms, faults = environments(build)
    faults += starts()
    chosen = [name for name in CHOSEN if name in rooms]
    faults += [f"no test of the room {room}" for room in sorted(set(rooms.values()) - {rooms[name] for name in chosen})]
    planted = plant(scratch)
    faults += in_effect(build / "dissector/pcap-lint/pcap-lint", planted)
    run = subprocess.run(["ctest", "--test-dir", build, "-R", f"^({'|'.join(chosen)})$", "-j", str(os.cpu_count()),
                          "--no-tests=error", "--output-on-failure"], env=os.environ | planted, check=False,
                         capture_output=True, text=True)
    if run.returncode:
        faults.append(run.stdout[-6000:])
    print("\n".join([*faults, f"{len(rooms)} tests, {len(chosen)} of them with everything planted, {len(faults)} faults"]))
    return 1 if faults or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
