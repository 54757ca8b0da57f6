#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# checkers.sh DIR - Wireshark's own checkers of dissectors, checkAPIs.pl and checkfiltername.pl, have
# nothing to say of the plugin, but of a mistake that is planted. Fields made when the plugin
# registers they cannot see; fields.py can.
#
# They are in tools/ of Wireshark's sources and in no binary package: from $WIRESHARK_TOOLS, or from
# Debian's source package, once, kept in DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
dir=$(realpath "$1")
tools=${WIRESHARK_TOOLS-$dir/tools}

if [[ ! -e $tools/checkAPIs.pl || ! -e $tools/checkfiltername.pl ]]; then
	[[ ! ${WIRESHARK_TOOLS-} ]] || { echo "no checkers in WIRESHARK_TOOLS=$tools"; exit 1; }
	archive=$("$here/../tree/debian_source.sh" "$dir" wireshark)
	tar -xf "$archive" -C "$dir" --strip-components=1 --wildcards '*/tools/check*.pl'
	basename "$archive" >"$dir/version"
	rm -r "$dir/apt"
fi
echo "checkers of ${WIRESHARK_TOOLS-$(cat "$dir/version")}"
cd "$here/../../dissector/wireshark"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
mkdir "$work/wrong"

mapfile -t files < <(find . -name "*.c" | sort)
perl "$tools/checkAPIs.pl" -M "${files[@]}" || status=1
echo 'void wrong(char *to) { strcpy(to, "x"); }' >"$work/wrong/packet-wrong.c"
out=$(perl "$tools/checkAPIs.pl" -M "$work/wrong/packet-wrong.c" 2>&1) || true
[[ $out == *prohibited*strcpy* ]] || { echo "checkAPIs.pl does not see strcpy(): $out"; status=1; }

# It goes by the name of the one file of a dissector.
cat "${files[@]}" >"$work/packet-ibwire.c"
out=$(perl "$tools/checkfiltername.pl" "$work/packet-ibwire.c" 2>&1) || true
[[ -z $out ]] || { echo "$out"; status=1; }
printf '%s\n' 'proto_register_protocol("Right", "right", "right");' 'static hf_register_info hf[] = {' \
	'	{ &hf_one,' '		{ "One", "wrong.one",' '		FT_NONE, 0, NULL, 0, NULL, HFILL }' '	}' '};' \
	>"$work/wrong/packet-right.c"
out=$(perl "$tools/checkfiltername.pl" "$work/wrong/packet-right.c" 2>&1) || true
[[ $out == *wrong.one* ]] || { echo "checkfiltername.pl does not see a wrong name: $out"; status=1; }
echo "${#files[@]} files"
exit "$status"
