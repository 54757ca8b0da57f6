#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# made_same.sh {native|cross} MAKE...: what pcaps/make writes is the same on every run and every
# machine. Where MAKE runs through an emulator (cross), a make of the machine itself is built here
# from the same sources, and the two must agree.
set -euo pipefail
cd "$(dirname "$0")/.."
how=$1
shift
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
	for source in "$PWD"/codec/*.c; do
		(cd "$tmp" && cc -std=c11 -O1 -I"$OLDPWD/include" -c "$source")
	done
	ar rcs "$tmp/libibwire.a" "$tmp"/*.o
	cc -std=c11 -D_GNU_SOURCE -O1 -Iinclude pcaps/make*.c "$tmp/libibwire.a" -o "$tmp/make"
	"$tmp/make" "$tmp/native" pcaps/streams
	diff -r "$tmp/1" "$tmp/native"
fi
echo "${#files[@]} files, the same each time ($how)"
