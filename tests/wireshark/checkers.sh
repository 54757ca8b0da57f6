#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Wireshark's own checkers of dissectors have nothing to say of the plugin: checkAPIs.pl and
# checkfiltername.pl, from the directory $WIRESHARK_TOOLS (tools/ of Wireshark's sources, which no
# package has). Fields made when the plugin registers they cannot see; fields.py can.
set -euo pipefail
cd "$(dirname "$0")/../../dissector/wireshark"
tools=${WIRESHARK_TOOLS-}
for name in checkAPIs.pl checkfiltername.pl; do
	[[ -e $tools/$name ]] || { echo "no $name in \$WIRESHARK_TOOLS"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

perl "$tools/checkAPIs.pl" -M ./*.c || status=1

# It goes by the name of the one file of a dissector.
mkdir "$work/wrong"
cat ./*.c >"$work/packet-ibwire.c"
out=$(perl "$tools/checkfiltername.pl" "$work/packet-ibwire.c") || true
[[ -z $out ]] || { echo "$out"; status=1; }
printf '%s\n' 'proto_register_protocol("Right", "right", "right");' 'static hf_register_info hf[] = {' \
	'	{ &hf_one,' '		{ "One", "wrong.one",' '		FT_NONE, 0, NULL, 0, NULL, HFILL }' '	}' '};' \
	>"$work/wrong/packet-right.c"
out=$(perl "$tools/checkfiltername.pl" "$work/wrong/packet-right.c") || true
[[ $out == *wrong.one* ]] || { echo "checkfiltername.pl does not see a wrong name"; status=1; }
exit "$status"
