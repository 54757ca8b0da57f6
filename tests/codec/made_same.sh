#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# made_same.sh {native|cross REFERENCE} MAKE...: what pcaps/make writes is the same on every run and
# every machine. Where MAKE runs through an emulator (cross), a make of the machine itself must agree: that of
# the build REFERENCE, or, where there is none or it is older than the sources, one that is built here.
set -euo pipefail
cd "$(dirname "$0")/../.."
how=$1
shift
if [[ $how == cross ]]; then
	make=$1/pcaps/make
	shift
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/1" "$tmp/2" "$tmp/native"

"$@" "$tmp/1" pcaps/streams
TZ=Asia/Tokyo LC_ALL=C "$@" "$tmp/2" pcaps/streams
diff -r "$tmp/1" "$tmp/2"
files=("$tmp"/1/*)
((${#files[@]} > 50))
compgen -G "$tmp/1/streams-*.pcap" >/dev/null
if [[ $how == cross ]]; then
	if [[ ! -x $make || $(find codec include pcaps -newer "$make" -name '*.[chd]*' -print -quit) ]]; then
		make=$tmp/make
		for source in "$PWD"/codec/*.c; do
			(cd "$tmp" && cc -std=c11 -O1 -I"$OLDPWD/include" -c "$source")
		done
		ar rcs "$tmp/libibwire.a" "$tmp"/*.o
		cc -std=c11 -D_GNU_SOURCE -O1 -Iinclude pcaps/make*.c "$tmp/libibwire.a" -o "$tmp/make"
	fi
	"$make" "$tmp/native" pcaps/streams
	diff -r "$tmp/1" "$tmp/native"
fi
echo "${#files[@]} files, the same each time ($how)"
