#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What ./dev promises without building anything: its help names every command, a wrong one is
# status 2, and where packages may not be installed it names them all and stops with status 2. A test
# that skips is a failure unless it is listed; the last line has the counts; a full run has a limit.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset IBW_SKIPS # what this run itself was told is not for those tried here
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
	out=$("${drop[@]}" env PATH="$work/bin:$PATH" SECONDS="${SECONDS_BEFORE-0}" "$work/dev" "$@" 2>&1) || status=$?
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
for words in lint wireshark test "test all" mutants bench "fuzz walk 1" format; do
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

# A system on which all is installed and built, and ctest says what results holds.
# shellcheck disable=SC2016 # for sh to expand
printf '#!/bin/sh\nshift 3; for p; do echo "$p installed"; done\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\n' >"$work/bin/cmake"
cat >"$work/bin/ctest" <<-'CTEST'
	#!/bin/bash
	while [[ $1 != --output-junit ]]; do
		shift
	done
	count=$(grep -c testcase "$RESULTS")
	{
		printf '<testsuite name="x"\n\ttests="%s"\n' "$count"
		printf '\tfailures="%s"\n' "$(grep -c '"fail"' "$RESULTS")"
		printf '\tdisabled="0"\n\tskipped="%s"\n>\n' "$(grep -c '"notrun"' "$RESULTS")"
		cat "$RESULTS"
	} >"$2"
	! grep -q '"fail"' "$RESULTS"
CTEST
mkdir "$work/tests" "$work/build"
printf 'release\tmay\tits reason\n' >"$work/tests/skips.txt"
chmod -R a+rwX "$work"
chmod 755 "$work"/bin/*

# run STATUS LAST-LINE ARGUMENT...: what ctest is to say, each NAME:STATUS, is in $results.
run()
{
	local want=$1 last=$2 result i=0
	shift 2

	for result in "${results[@]}"; do
		i=$((i + 1))
		printf '\t<testcase name="%s" classname="x" time="%d.5" status="%s">\n' "${result%:*}" "$i" "${result#*:}"
	done >"$work/results"
	RESULTS=$work/results nobody "$@"
	((status == want)) || fail "$*: ${results[*]}: status $status, wanted $want: $out"
	[[ ${out##*$'\n'} == "$last" ]] || fail "$*: ${results[*]}: ends with ${out##*$'\n'}, wanted $last: $out"
}

results=(one:run two:run)
run 0 "8 passed, 0 failed, 0 skipped" "test"
results=(one:run two:fail)
run 1 "4 passed, 4 failed, 0 skipped" "test"
results=(one:run other:notrun)
run 1 "4 passed, 4 failed, 0 skipped" "test"
grep -q "other: skipped" <<<"$out" || fail "does not say what was skipped"
results=(one:run may:notrun) # listed for release only
run 1 "4 passed, 3 failed, 1 skipped" "test"
IBW_SKIPS=none run 1 "4 passed, 4 failed, 0 skipped" "test"
mapfile -t results < <(printf '%s:run\n' t{1..25})
run 0 "150 passed, 0 failed, 0 skipped" "test" "all"
slow=$(sed -n '/^the slowest/,$p' <<<"$out" | grep -c '^ .*\.5 ')
((slow == 20)) || fail "test all lists $slow slow tests, not 20"
grep -q '^[0-9]* min [0-9]* s$' <<<"$out" || fail "test all does not say its time"
SECONDS_BEFORE=4501 run 1 "150 passed, 1 failed, 0 skipped" "test" "all"
SECONDS_BEFORE=4501 run 0 "100 passed, 0 failed, 0 skipped" "test"
echo "dev keeps its promises"
