#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What ./dev promises without building anything: its help names every command, a wrong one is
# status 2, and where packages may not be installed it names them all and stops with status 2.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp dev "$work"
chmod 755 "$work"

fail()
{
	echo "failed: $*"
	exit 1
}

# Ends with the status of ./dev, run by nobody in particular; its output in $out.
nobody()
{
	local drop=()
	((EUID != 0)) || drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	status=0
	out=$("${drop[@]}" env PATH="$work/bin:$PATH" "$work/dev" "$@" 2>&1) || status=$?
}

nobody help
((status == 0)) || fail "help: status $status"
while read -r command; do
	grep -q "^	\./dev $command\b" <<<"$out" || fail "help does not name $command"
done < <(sed -n 's/^cmd_\([a-z]*\)()$/\1/p' dev)

for words in nonsense "test nonsense" "format nonsense" "fuzz" "fuzz nonsense 1"; do
	# shellcheck disable=SC2086 # words
	nobody $words
	((status == 2)) || fail "$words: status $status, wanted 2"
done

# A system on which nothing is installed, and nobody may change that.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' | tee "$work/bin/dpkg-query" "$work/bin/sudo" >"$work/bin/apt-get"
chmod -R 755 "$work/bin"
mkdir "$work/fuzz"
touch "$work/fuzz/walk.c"
nobody deps --list
lists=$out
for words in lint test "test all" bench "fuzz walk 1" format; do
	# shellcheck disable=SC2086 # words
	nobody $words
	((status == 2)) || fail "$words without packages: status $status, wanted 2"
	name=${words/test all/test-all}
	read -ra packages < <(sed -n "s/^${name%% *}: //p" <<<"$lists")
	((${#packages[@]})) || fail "deps --list does not know $words"
	for package in "${packages[@]}"; do
		grep -q -- " $package\( \|$\)" <<<"$out" || fail "$words: does not name $package"
	done
done
[[ ! -e $work/build ]] || fail "something was begun"
echo "dev keeps its promises"
