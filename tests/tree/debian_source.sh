#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# debian_source.sh DIR PACKAGE - download the source of a Debian package into DIR and print the name
# of its upstream archive.
#
# A machine may have no deb-src lines. So apt is given sources of our own, made from the machine's:
# the same mirrors, suites, components and keys. Nothing outside DIR is written, and nobody needs to
# be root. Status 77: this machine has no apt. Status 1: no mirror has it or can be reached.

set -euo pipefail
mkdir -p "$1"
dir=$(realpath "$1")
package=$2
command -v apt-get >/dev/null || {
	echo "no apt-get, so no source of $package" >&2
	exit 77
}

# Each file of the machine's sources (deb822 or one-line), with every deb a deb-src.
mkdir -p "$dir"/apt/{sources,lists/partial,cache/archives/partial} "$dir/apt/download"
rm -f "$dir"/apt/sources/*
list='' parts=''
eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
for file in "$list" "$parts"/*.list "$parts"/*.sources; do
	[[ -r $file ]] || continue
	sed -E -e '/^[ \t]*deb-src[ \t]/d' -e 's/^[ \t]*deb([ \t])/deb-src\1/' \
		-e 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$dir/apt/sources/${file##*/}"
done
options=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$dir/apt/sources"
	-o "Dir::State::lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache"
	-o Acquire::Retries=3 -o "APT::Sandbox::User=$(id -un)")

# One mirror that is away does not matter while another has the package.
download()
{
	apt-get "${options[@]}" update || true
	(cd "$dir/apt/download" && apt-get "${options[@]}" source --download-only "$package")
}

for wait in 0 10 30; do
	sleep "$wait"
	if download >"$dir/apt/log" 2>&1; then
		find "$dir/apt/download" -name "${package}_*.orig.tar.*" ! -name '*.asc' | sort -V | tail -n 1 | grep .
		exit
	fi
done
tail -n 20 "$dir/apt/log" >&2
echo "the source of $package cannot be had from $(sed '/^#/d' "$dir"/apt/sources/* |
	grep -oE '[a-z+]+:/[^] ]*' | sort -u | xargs)" >&2
exit 1
