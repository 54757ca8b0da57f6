#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# bench.sh BUILD: every measurement there is, one after the other, on this machine.
set -euo pipefail
build=$1
for program in "$build"/tests/bench-*; do
	[[ -x $program ]] || continue
	echo
	echo "== ${program##*/}"
	"$program"
done
echo
echo "== instructions of pack, unpack and getters"
tests/bench/instructions.py
echo
echo "== instructions of a packet, by stage"
tests/bench/stages.py "$build"/tests/capture-bench "$build"/dissector/pcap-lint/pcap-lint
echo
echo "== captures"
tests/bench/bench_lint.py "$build"
echo
echo "== captures made to be slow"
tests/bench/flood.py "$build"/tests/flood-make "$build"/dissector/pcap-lint/pcap-lint
if [[ -e $build/dissector/wireshark/ibwire.so ]]; then
	echo
	echo "== tshark with the plugin"
	tests/bench/bench_wireshark.py "$build"
fi
