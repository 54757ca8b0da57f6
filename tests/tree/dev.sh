#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What ./dev promises, without building anything: its help names every command, a wrong one is status 2, and
# where packages may not be installed it names them all and stops with status 2. Then with stand-ins for cmake,
# ctest, git and the programs that were built, which note how they are called: each tier asks for the tests of
# its labels, in every build, in that order; a test that skips or is not found is a failure, unless it is
# listed by its whole name; what failed is named with the command that repeats it; .ci/run is the tier ci.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset IBW_SKIPS IBW_SAMPLE IBW_PART IBW_CACHE # what this run itself was told is not for those tried here
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/.ci" "$work/bin" "$work/home"
cp dev "$work"
cp .ci/run "$work/.ci"
chmod -R 755 "$work"

fail()
{
	echo "failed: $*"
	exit 1
}

# Ends with the status of a command, run by nobody in particular; its output in $out.
nobody()
{
	local drop=()
	((EUID != 0)) || drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	status=0
	out=$("${drop[@]}" env PATH="$work/bin:$PATH" HOME="$work/home" LOG="$work/log" RESULTS="$work/results" \
		SECONDS="${SECONDS_BEFORE-0}" "$@" 2>&1) || status=$?
}

dev()
{
	nobody "$work/dev" "$@"
}

dev -h
help=$out
dev --help
[[ $out == "$help" ]] || fail "--help says something else than -h"
dev help
[[ $status == 0 && $out == "$help" ]] || fail "help: status $status, or not what -h says"
while read -r command; do
	grep -q "^	\./dev $command\b" <<<"$out" || fail "help does not name $command"
done < <(sed -n 's/^cmd_\([a-z]*\)()$/\1/p' dev)
for word in NAME again changed ci deep; do
	grep -q "^	\./dev test $word\b" <<<"$out" || fail "help does not name test $word"
done

for words in nonsense "test quick more" "test ci more" "test changed HEAD more" "format nonsense" "fuzz" \
	"fuzz nonsense 1"; do
	# shellcheck disable=SC2086 # words
	dev $words
	((status == 2)) || fail "$words: status $status, wanted 2"
done

# A system on which nothing is installed, and nobody may change that.
printf '#!/bin/sh\nexit 1\n' | tee "$work/bin/dpkg-query" "$work/bin/sudo" >"$work/bin/apt-get"
chmod -R 755 "$work/bin"
mkdir "$work/fuzz"
touch "$work/fuzz/walk.c"
dev deps --list
lists=$out
for words in lint wireshark test "test ci" "test deep" "test changed" "test walk" accept mutants bench \
	"fuzz walk 1" format; do
	# shellcheck disable=SC2086 # words
	dev $words
	((status == 2)) || fail "$words without packages: status $status, wanted 2"
	case $words in
	test\ * | accept) name=test-all ;;
	*) name=${words%% *} ;;
	esac
	read -ra packages < <(sed -n "s/^$name: //p" <<<"$lists")
	((${#packages[@]})) || fail "deps --list does not know $words"
	# Sanitizers and libFuzzer are a package of their own.
	[[ " ${packages[*]} " != *" clang "* || " ${packages[*]} " == *" libclang-rt-dev "* ]] || fail "$words: clang without its libraries"
	for package in "${packages[@]}"; do
		grep -q -- " $package\( \|$\)" <<<"$out" || fail "$words: does not name $package"
	done
done
dev deps
[[ $status == 2 && $out == *" ccache "* ]] || fail "deps that cannot be installed: status $status: $out"
[[ ! -e $work/build ]] || fail "something was begun"

# stand_in NAME: a program of that name, which notes its arguments; what else it does is read from stdin.
stand_in()
{
	{
		# shellcheck disable=SC2016 # for the stand-in to expand
		printf '#!/bin/bash\necho "%s $*" >>"$LOG"\n' "${1##*/}"
		cat
	} >"$1"
	chmod 755 "$1"
}

# A system on which all is installed and built, and ctest says what results holds.
# shellcheck disable=SC2016 # for sh to expand
printf '#!/bin/sh\n[ ! -d "$IBW_CACHE/ccache" ] || touch "$IBW_CACHE/early"\nshift 3; for p; do echo "$p installed"; done\n' \
	>"$work/bin/dpkg-query"
rm "$work/bin/sudo" "$work/bin/apt-get"
mkdir -p "$work"/tests/tree "$work"/build/release/dissector/pcap-lint "$work"/pcaps/rxe
stand_in "$work/bin/cmake" <<-'END'
	[[ $* != *"${CMAKE_FAILS-nothing}"* ]] || { seq -f "line %g of what failed" 60; exit 1; }
END
stand_in "$work/bin/git" <<-'END'
	case $* in
	*status*) printf '%s' "${GIT_STATUS-}" ;;
	*rev-parse\ -q*nowhere*) exit 1 ;;
	*rev-parse*) echo 000000b ;;
	esac
END
stand_in "$work/tests/tree/choose.py" <<-'END'
	case "$1 $2" in
	"sampled build/release") echo alone; echo convert ;;
	"settled build/release") echo abi; echo kernel ;;
	"drawn build/asan") echo tunnels ;;
	"passed "*) cat >"${LOG%log}passed" ;;
	"fitting "*) shift 3; printf '%s\n' "$@" ;;
	"named "*) [[ " $* " != *" missing "* ]] ;;
	"needs "*) echo some/target ;;
	"changed "*) echo rules; echo format ;;
	"files "*) echo codec/crc32.c ;;
	"accepts "*) echo golden; echo numbers ;;
	esac
END
stand_in "$work/tests/tree/quality.py" <<<"exit \${QUALITY-0}"
stand_in "$work/build/release/dissector/pcap-lint/pcap-lint" <<<"exit \${LINT-0}"
stand_in "$work/bin/ccache" <<<"exit 0"
stand_in "$work/bin/npm" <<<"exit \${NPM-0}"
stand_in "$work/bin/ctest" <<-'CTEST'
	echo "$2 part ${IBW_PART-whole} sample ${IBW_SAMPLE-whole}" >>"${LOG%log}parts"
	while [[ $1 != --output-junit ]]; do
		shift
	done
	count=$(grep -c '<testcase ' "$RESULTS")
	{
		printf '<testsuite name="x"\n\ttests="%s"\n' "$count"
		printf '\tfailures="%s"\n' "$(grep -c '"fail"' "$RESULTS")"
		printf '\tdisabled="0"\n\tskipped="%s"\n>\n' "$(grep -c '"notrun"' "$RESULTS")"
		cat "$RESULTS"
	} >"$2"
	((count)) && ! grep -q '"fail"' "$RESULTS"
CTEST
printf 'release\tmay\tits reason\n' >"$work/tests/skips.txt"
printf 'Last %s: commit 1234567, 2020-01-01.\n' passed checked >"$work/tests/deep.md"
printf '# build, test, commit\nrelease\told\t7654321\n' >"$work/tests/passed.txt"
chmod -R a+rwX "$work"
chmod 755 "$work"/bin/*

# run STATUS LAST-LINE COMMAND...: what ctest is to say, each NAME:STATUS, is in $results; the calls in $work/log.
run()
{
	local want=$1 last=$2 result i=0
	shift 2

	: >"$work/results"
	for result in "${results[@]}"; do
		i=$((i + 1))
		printf '\t<testcase name="%s" classname="x" time="%d.5" status="%s">\n' "${result%:*}" "$i" "${result#*:}"
		printf '\t\t<system-out>%s begins\nit wants &lt;%d&gt; &amp; more\n</system-out>\n\t</testcase>\n' "${result%:*}" "$i"
	done >>"$work/results"
	rm -f "$work/log"
	nobody "$@"
	((status == want)) || fail "$*: ${results[*]}: status $status, wanted $want: $out"
	[[ ${out##*$'\n'} == "$last" ]] || fail "$*: ${results[*]}: ends with ${out##*$'\n'}, wanted $last: $out"
}

# The calls so far are those on stdin: "#" for the number of cores, "W" for the directory.
calls()
{
	local want said

	want=$(sed "s/#/$(nproc)/g; s|W/|$work/|g")
	said=$(sed -E 's/^(choose.py fitting build\/[a-z]+) [0-9]+/\1 SECONDS/' "$work/log")
	[[ $said == "$want" ]] || fail "$1 calls"$'\n'"$said"$'\n'"wanted:"$'\n'"$want"
}

with=" -DIBW_LINT=ON -DIBW_WIRESHARK=ON -DIBW_ISAL=ON"
# tested PRESET TIER OPTION...: the calls of a build and of its tests.
tested()
{
	local preset=$1 tier=$2 options=$with
	shift 2

	[[ $preset != s390x ]] || options=
	printf '%s\n' "cmake --preset $preset$options" "cmake --build --preset $preset -j # -t all"
	asked "$preset" "$tier" "$@"
}

asked()
{
	local preset=$1 tier=$2
	shift 2

	echo "ctest --test-dir build/$preset $*${1+ }-j # --no-tests=error --output-on-failure" \
		"--output-junit W/build/$preset-$tier.xml"
}

every()
{
	local preset

	for preset in release asan clang s390x; do
		tested "$preset" "$@"
	done
}

# fits PRESET "NAME...": what is asked before a sample is run, by the seconds that are left and the cores.
fits()
{
	echo "choose.py fitting build/$1 SECONDS $2"
}

of_ci()
{
	local preset

	for preset in release asan clang s390x; do
		tested "$preset" ci | sed '$d'
		printf '%s\n' "git -C ${work} rev-parse --short=7 HEAD" "choose.py settled build/$preset"
		case $preset in
		release) asked "$preset" ci -L '^(quick|ci)$' -E '^(abi|kernel)$' ;;
		*) asked "$preset" ci -L '^(quick|ci)$' ;;
		esac
	done
	for preset in release asan clang s390x; do
		printf '%s\n' "git -C ${work} rev-parse --short=7 HEAD" "choose.py sampled build/$preset" \
			"choose.py drawn build/$preset 3/8"
		case $preset in
		release) fits release "alone convert" && asked release sample -R '^(alone|convert)$' ;;
		asan) fits asan tunnels && asked asan sample -R '^(tunnels)$' ;;
		esac
	done
}

results=(one:run two:run)
run 0 "8 passed, 0 failed, 0 skipped" "$work/dev" test
! grep -v 'part whole sample whole' "$work/parts" || fail "test: a part of the tests alone"
calls test < <(every quick -L '^quick$')
[[ -d $work/home/.cache/ibwire/ccache ]] || fail "test: no cache"
for words in test "test ci" "test walk" "test changed"; do
	# shellcheck disable=SC2086 # words
	nobody env "IBW_CACHE=$work/cache.${words##* }" "$work/dev" $words
	[[ -d $work/cache.${words##* }/ccache ]] || fail "$words: no cache"
	[[ ! -e $work/cache.${words##* }/early ]] || fail "$words: looks for ccache before it is installed"
done
run 0 "8 passed, 0 failed, 0 skipped" env IBW_CACHE=/proc/nowhere "$work/dev" test
results=()
run 1 "0 passed, 4 failed, 0 skipped" "$work/dev" test # no test found
results=(one:run)
CMAKE_FAILS="--build --preset asan" run 1 "3 passed, 1 failed, 0 skipped" env "CMAKE_FAILS=--build --preset asan" \
	"$work/dev" test
results=(one:run two:fail)
run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test
for preset in release asan clang s390x; do
	grep -q "again: ./dev test $preset:two$" <<<"$out" || fail "does not say how to repeat two of $preset"
done
grep -qx "	| it wants <2> & more" <<<"$out" || fail "does not say what two printed: $out"
! grep -q "one begins" <<<"$out" || fail "says what one printed, which passed"
run 1 "0 passed, 4 failed, 0 skipped" env CMAKE_FAILS=--build "$work/dev" test
run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test again # of the run before, as that one had no test
calls "test again" < <(for preset in release asan clang s390x; do
	options=$with
	[[ $preset != s390x ]] || options=
	printf '%s\n' "cmake --preset $preset$options" "choose.py named build/$preset two" "choose.py tools build/$preset two" \
		"choose.py needs build/$preset two" \
		"cmake --build --preset $preset -j # -t some/target"
	asked "$preset" named -R '^(two)$'
done)
results=(one:run other:notrun)
run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test
grep -q "other: skipped" <<<"$out" || fail "does not say what was skipped"
results=(one:run mayor:notrun) # its name begins with that of another
run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test
results=(one:run ma:notrun)
run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test
results=(one:run may:notrun) # listed for release only
run 1 "4 passed, 3 failed, 1 skipped" "$work/dev" test
IBW_SKIPS=none run 1 "4 passed, 4 failed, 0 skipped" "$work/dev" test

results=(one:run two:run)
run 0 "4 passed, 0 failed, 0 skipped" "$work/dev" test one asan:two
calls "test one asan:two" < <(for words in "release one" "asan two"; do
	preset=${words% *}
	printf '%s\n' "cmake --preset $preset$with" "choose.py named build/$preset ${words#* }" \
		"choose.py tools build/$preset ${words#* }" \
		"choose.py needs build/$preset ${words#* }" \
		"cmake --build --preset $preset -j # -t some/target"
	asked "$preset" named -R "^(${words#* })\$"
done)
for words in missing asan:missing nobuild:one; do
	dev test "$words"
	((status == 2)) || fail "test $words: status $status, wanted 2: $out"
done
CMAKE_FAILS="--preset release" run 1 "0 passed, 1 failed, 0 skipped" env "CMAKE_FAILS=--preset release" "$work/dev" test one
calls "test one, not configured" <<<"cmake --preset release$with"
[[ $(grep -c "^line .* of what failed" <<<"$out") == 40 && $out == *"line 60 of"* ]] ||
	fail "a step that failed does not show the end of its log: $out"
CMAKE_FAILS=--build run 1 "0 passed, 1 failed, 0 skipped" env CMAKE_FAILS=--build "$work/dev" test one
dev test again
((status == 2)) || fail "test again, with nothing that failed: status $status, wanted 2: $out"

run 0 "4 passed, 0 failed, 0 skipped" "$work/dev" test changed
grep -q "^choose.py changed build/release HEAD~1$" "$work/log" || fail "changed: not since the last commit"
grep -q "^quality.py clang-tidy build/release codec/crc32.c$" "$work/log" || fail "changed: no clang-tidy"
grep -q "^quality.py cppcheck build/release codec/crc32.c$" "$work/log" || fail "changed: no cppcheck"
grep -q "^ctest --test-dir build/release -R ^(rules|format)\\$ " "$work/log" || fail "changed: other tests"
run 1 "2 passed, 2 failed, 0 skipped" env QUALITY=1 "$work/dev" test changed
run 0 "4 passed, 0 failed, 0 skipped" env GIT_STATUS="M dev" "$work/dev" test changed
grep -q "^choose.py changed build/release HEAD$" "$work/log" || fail "changed: not since HEAD"
run 0 "4 passed, 0 failed, 0 skipped" "$work/dev" test changed v1
grep -q "^choose.py changed build/release v1$" "$work/log" || fail "changed: not since v1"
dev test changed nowhere
((status == 2)) || fail "test changed nowhere: status $status, wanted 2"

rm "$work/parts"
run 0 "12 passed, 0 failed, 0 skipped" "$work/dev" test ci
printf 'build/%s part 3/4 sample whole\n' release asan clang s390x >"$work/want"
printf 'build/%s part whole sample 3/8\n' release asan >>"$work/want"
diff "$work/want" "$work/parts" || fail "test ci: other parts of the tests"
calls "test ci" < <(of_ci)
left=$(sed -n 's/^choose.py fitting build.release \([0-9]*\) .*/\1/p' "$work/log")
((left > 1720 * $(nproc) && left <= 1920 * $(nproc))) || fail "a sample has $left seconds"
SECONDS_BEFORE=4801 run 1 "12 passed, 1 failed, 0 skipped" "$work/dev" test ci
SECONDS_BEFORE=4801 run 0 "8 passed, 0 failed, 0 skipped" "$work/dev" test
results=(one:run two:fail)
run 1 "6 passed, 6 failed, 0 skipped" "$work/dev" test ci
grep -q "again: IBW_SAMPLE=3/8 ./dev test release:two$" <<<"$out" || fail "does not say how to repeat a sample"
mapfile -t results < <(printf '%s:run\n' t{1..25})
run 0 "150 passed, 0 failed, 0 skipped" "$work/dev" test ci
slow=$(sed -n '/^the slowest/,$p' <<<"$out" | sed -n 's/^ *\([0-9]*\.5\) .*/\1/p')
[[ $slow == "$(for i in {25..23}; do printf "$i.5\n%.0s" {1..6}; done)
22.5
22.5" ]] || fail "test ci lists as the slowest: $slow"
grep -q '^[0-9]* min [0-9]* s$' <<<"$out" || fail "test ci does not say its time"

results=(one:run may:notrun)
run 1 "6 passed, 6 failed, 0 skipped" "$work/.ci/run"
calls .ci/run < <(of_ci)

results=(one:run)
run 0 "4 passed, 0 failed, 0 skipped" "$work/dev" test deep
npm="npm install --prefix $work/build/tools --no-audit --no-fund --ignore-scripts --save-exact"
pages="axe-core@4.14.1 puppeteer-core@24.43.1 vnu-jar@26.9.27"
calls "test deep" < <(echo "$npm @microsoft/jest-sarif@1.0.0-beta.0 @microsoft/sarif-multitool-linux@5.7.0 $pages"
	every deep
	printf '%s\n' "git -C $work rev-parse --short=10 HEAD" "git -C $work status --porcelain")
[[ $(cat "$work/tests/deep.md") == "Last passed: commit 000000b, $(date -u +%F).
Last checked: commit 000000b, $(date -u +%F)." ]] || fail "deep.md: $(cat "$work/tests/deep.md")"
[[ $(cat "$work/tests/passed.txt") == "# build, test, commit" ]] || fail "passed.txt: $(cat "$work/tests/passed.txt")"
# Without tools, then with those of other versions, and with all
NPM=1 run 0 "4 passed, 0 failed, 0 skipped" env NPM=1 "$work/dev" test deep
grep -q "not there: @microsoft/jest-sarif@1.0.0-beta.0 @microsoft/sarif-multitool" <<<"$out" || fail "tools that npm does not have: $out"
for version in 5.70.0 5.7.0; do
	mkdir -p "$work/build/tools/node_modules/@microsoft"/{jest-sarif,sarif-multitool-linux}
	echo '"version": "1.0.0-beta.0"' >"$work/build/tools/node_modules/@microsoft/jest-sarif/package.json"
	echo "\"version\": \"$version\"" >"$work/build/tools/node_modules/@microsoft/sarif-multitool-linux/package.json"
	for tool in $pages; do
		mkdir -p "$work/build/tools/node_modules/${tool%@*}"
		echo "\"version\": \"${tool##*@}\"" >"$work/build/tools/node_modules/${tool%@*}/package.json"
	done
	chmod -R a+rwX "$work/build"
	run 0 "4 passed, 0 failed, 0 skipped" "$work/dev" test deep
	[[ $(grep "^npm" "$work/log") == "$([[ $version == 5.7.0 ]] || echo "$npm @microsoft/sarif-multitool-linux@5.7.0")" ]] || fail "tools: $(cat "$work/log")"
done
printf 'Last passed: commit 1234567, 2020-01-01.\n' >"$work/tests/deep.md"
SECONDS_BEFORE=9999 run 0 "4 passed, 0 failed, 0 skipped" env GIT_STATUS="M dev" "$work/dev" test all
results=(one:run)
run 0 "2 passed, 0 failed, 0 skipped" "$work/dev" test deep one asan:two
grep -q "^choose.py passed build 000000b$" "$work/log" || fail "test deep one asan:two notes nothing"
[[ $(xargs <"$work/passed") == "1.5 release one 1.5 asan one" ]] || fail "test deep one asan:two notes $(cat "$work/passed")"
run 0 "2 passed, 0 failed, 0 skipped" env GIT_STATUS="M dev" "$work/dev" test deep one asan:two
! grep -q "^choose.py passed" "$work/log" || fail "test deep one: notes what is not committed"
results=(may:notrun)
run 0 "0 passed, 0 failed, 1 skipped" "$work/dev" test deep one
! grep -q "^choose.py passed" "$work/log" || fail "test deep one: notes what was skipped"
results=(one:fail)
run 1 "0 passed, 1 failed, 0 skipped" "$work/dev" test deep one
! grep -q "^choose.py passed" "$work/log" || fail "test deep one: notes what failed"
run 1 "0 passed, 4 failed, 0 skipped" "$work/dev" test deep
grep -q 1234567 "$work/tests/deep.md" || fail "deep.md was changed by a run that failed, or of what is not committed"

: >"$work/log"
dev accept numbers
((status == 0)) || fail "accept numbers: status $status: $out"
calls "accept numbers" <<-END
	cmake --preset release$with
	choose.py accepts build/release
	choose.py needs build/release numbers
	cmake --build --preset release -j # -t some/target
	git -C $work stash create
	choose.py accept build/release numbers
	git -C $work --no-pager diff --stat HEAD --
	git -C $work --no-pager diff HEAD --
END
: >"$work/log"
dev accept
for word in "accept build/release golden" "accept build/release numbers" "costs build"; do
	grep -q "^choose.py $word$" "$work/log" || fail "accept: did not ask for $word"
done
dev accept nonsense
((status == 2)) || fail "accept nonsense: status $status, wanted 2"

# What other commands call, whole.
mkdir -p "$work"/tests/bench "$work"/build/fuzz/fuzz
stand_in "$work/tests/bench/bench.sh" <<<"exit 0"
# shellcheck disable=SC2016 # for the stand-in to expand
stand_in "$work/build/fuzz/fuzz/fuzz-walk" <<<'echo "in $PWD" >>"$LOG"'
stand_in "$work/bin/clang-format" <<<"exit 0"
stand_in "$work/tests/tree/mutants.py" <<<"exit 0"
chmod -R a+rwX "$work/build"
one()
{
	: >"$work/log"
	# shellcheck disable=SC2086 # words
	dev $1
	((status == 0)) || fail "$1: status $status: $out"
	calls "$1"
}

one bench <<-END
	cmake --preset release$with
	cmake --build --preset release -j # -t all
	bench.sh build/release
END
one "fuzz walk 3" <<-END
	cmake --preset fuzz
	cmake --build --preset fuzz -j # -t fuzz-walk
	fuzz-walk -detect_leaks=1 -max_total_time=3 -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 -dict=W/build/fuzz/fuzz/ibwire.dict -max_len=4096 corpus W/build/fuzz/fuzz/seeds/walk W/build/fuzz/fuzz/found/walk
	in W/build/fuzz/run-walk
END
# Merging keeps what adds to the seeds, of every target, and no seed.
mkdir -p "$work"/build/fuzz/fuzz/{seeds,found}/walk
touch "$work/build/fuzz/fuzz/seeds/walk/seed"
stand_in "$work/build/fuzz/fuzz/fuzz-walk" <<<"touch \"\$4/more\""
chmod -R a+rwX "$work/build"
for words in bench "fuzz walk 3" "fuzz --merge"; do
	: >"$work/log"
	# shellcheck disable=SC2086 # words
	nobody env CMAKE_FAILS=--build "$work/dev" $words
	((status == 1)) || fail "$words that is not built: status $status, wanted 1"
	grep -qv "^cmake " "$work/log" && fail "$words that is not built: goes on: $(cat "$work/log")"
done
dev fuzz --merge
((status == 0)) || fail "fuzz --merge: status $status: $out"
[[ $(tar -tf "$work/fuzz/found.tar.xz" | xargs) == "./ ./walk/ ./walk/more" ]] ||
	fail "fuzz --merge keeps $(tar -tf "$work/fuzz/found.tar.xz" | xargs)"
[[ ${out##*$'\n'} == "walk: 1 inputs" ]] || fail "fuzz --merge says $out"
grep -q "^fuzz-walk -merge=1 -rss_limit_mb=2048 -timeout=30 .*/all/walk .*/found/walk $work/build/fuzz/run-walk/corpus$" "$work/log" ||
	fail "fuzz --merge: $(cat "$work/log")"
one "mutants codec" <<<"mutants.py codec"
mkdir -p "$work"/{include,codec,dissector,pcaps,tests}
one format <<<"clang-format -i fuzz/walk.c"
one "format --check" <<<"clang-format --dry-run -Werror fuzz/walk.c"
rm "$work/fuzz/walk.c"
dev format
((status == 2)) || fail "format without a file: status $status, wanted 2"

# Another version of Wireshark, in a root of its own, made once. Nobody is root there who is not in a namespace, where that
# is allowed, and nothing is installed.
as_root=(/usr/bin/unshare --user --map-root-user)
((EUID != 0)) || as_root=(setpriv --reuid=65534 --regid=65534 --clear-groups "${as_root[@]}")
if "${as_root[@]}" true 2>/dev/null; then
	printf '#!/bin/sh\necho "'"'http://deb.test/debian/dists/%s/InRelease'"' x"\n' \
		"$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" >"$work/bin/apt-get"
	# shellcheck disable=SC2016 # for the stand-in to expand
	stand_in "$work/bin/debootstrap" <<<'mkdir -p "$3"/usr/sbin "$3"/etc/dpkg/dpkg.cfg.d "$3"/etc/apt/apt.conf.d'
	# shellcheck disable=SC2016
	stand_in "$work/bin/rsync" <<<'exit "${RSYNC-0}"'
	# --mount sh -c SCRIPT DIR env -i PATH LC_ALL HOME COMMAND...
	cat >"$work/bin/unshare" <<-'END'
		#!/bin/bash
		[[ "$1 $2 $3 $6 $7" == "--mount sh -c /usr/bin/env -i" ]] || exit 3
		cd "$5" && shift 10 || exit 3
		echo "in ${PWD##*/}: $*" >>"$LOG"
		case $* in
		"dpkg-query -W -f \${Version} tshark") echo "$TSHARK" ;;
		ctest*) mkdir -p build && cd build && "$@" ;;
		esac
	END
	chmod -R a+rwX "$work"
	chmod 755 "$work"/bin/*
	newer()
	{
		local want=$1 last=$2
		shift 2

		run "$want" "$last" /usr/bin/unshare --user --map-root-user env "$@" "$work/dev" test wireshark-4.4
		sed -i -E 's/^(in wireshark-4.4: (dpkg-query -W|env .* install .*--no-install-recommends)) [a-z].*/\1 PACKAGES/' "$work/log"
	}
	results=(ws_one:run)
	newer_built()
	{
		# shellcheck disable=SC2016 # as it is called
		echo 'in wireshark-4.4: dpkg-query -W -f ${Version} tshark'
		echo "rsync -rlpgoD --checksum --delete --exclude=/build --exclude=/.git --exclude=__pycache__ W/ W/build/roots/wireshark-4.4/src/"
	}
	newer_tested()
	{
		newer_built
		cat <<-END
			in wireshark-4.4: cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DIBW_WERROR=ON -DIBW_CHECKS=OFF -DIBW_BUILD=release -DIBW_LINT=ON -DIBW_WIRESHARK=ON
			in wireshark-4.4: cmake --build /build -j # -t wireshark-tests
			in wireshark-4.4: ctest --test-dir /build -R ^ws_ -j # --no-tests=error --output-on-failure --output-junit wireshark.xml
			ctest --test-dir /build -R ^ws_ -j # --no-tests=error --output-on-failure --output-junit wireshark.xml
		END
	}
	newer 0 "1 passed, 0 failed, 0 skipped" TSHARK=4.4.9-1
	calls "test wireshark-4.4" < <(
		cat <<-END
			debootstrap --variant=minbase trixie W/build/roots/wireshark-4.4 http://deb.test/debian
			in wireshark-4.4: dpkg-query -W PACKAGES
			in wireshark-4.4: apt-get update
			in wireshark-4.4: env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends PACKAGES
			in wireshark-4.4: apt-get clean
		END
		newer_tested
	)
	results=(ws_one:fail)
	newer 1 "0 passed, 1 failed, 0 skipped" TSHARK=4.4.10
	calls "test wireshark-4.4, made before" < <(echo "in wireshark-4.4: dpkg-query -W PACKAGES" && newer_tested)
	newer 1 "0 passed, 1 failed, 0 skipped" TSHARK=4.4.9-1 RSYNC=1
	calls "test wireshark-4.4, not copied" < <(echo "in wireshark-4.4: dpkg-query -W PACKAGES" && newer_built)
	newer 2 "dev: test wireshark-4.4: that is not 4.4" TSHARK=4.40.0
fi

# Not Debian: packages are taken to be there, and standard output is pcap-lint's alone.
mkdir "$work/other"
ln -s /usr/bin/* "$work/other"
rm -f "$work/other/dpkg-query" "$work/other/cmake"
cp "$work/bin/cmake" "$work/other"
# shellcheck disable=SC2016 # for bash to expand
nobody env PATH="$work/other" bash -c '"$0" lint "$0" 2>"$0.err"' "$work/dev"
[[ $status == 0 && ! $out ]] || fail "lint without dpkg-query: status $status: $out"
grep -q "^dev: not Debian, .* gcc " "$work/dev.err" || fail "not Debian: $(cat "$work/dev.err")"

touch "$work/a.pcap"
for lint in 0 1 2; do
	nobody env "LINT=$lint" "$work/dev" lint --severity note "$work/a.pcap"
	((status == lint)) || fail "lint: status $status, pcap-lint's was $lint"
	grep -qx "pcap-lint --severity note $work/a.pcap" "$work/log" || fail "lint: other arguments"
done
nobody env LINT=1 "$work/dev" lint
((status == 0)) || fail "lint of the bundled captures, which have findings: status $status, wanted 0"
(($(grep -c '^pcap-lint pcaps/rxe/' "$work/log") == 2)) || fail "lint of the bundled captures: not both"
nobody env LINT=2 "$work/dev" lint
((status == 2)) || fail "lint of captures that are not there: status $status, wanted 2"
nobody env CMAKE_FAILS=--build "$work/dev" lint "$work/a.pcap"
((status == 2)) || fail "lint that is not built: status $status, wanted 2"
echo "dev keeps its promises"
