#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# consumer.sh BUILD: install the library from BUILD into a fresh directory, move it away, and build
# tests/tree/consumer/main.c against it by pkg-config and by CMake, static and shared, as C and as C++;
# the same with this tree inside another project; then the example of README.md, whose output must be
# what README.md shows. The driver of README.md must be the one that is compiled.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Said before every step, so that the last line names the one that failed.
about()
{
	what=$*
	echo "$what"
}
trap 'echo "failed: $what"' ERR

about install
cmake --install "$build" --prefix "$work/first" --component library >/dev/null
mv first installed # nothing may remember where it was first
lib=$(dirname "$(find installed -name ibwire.pc)")/..
lib=$(cd "$lib" && pwd)

about exported names
so=$lib/libibwire.so
[[ $(objdump -p "$so" | awk '$1 == "SONAME" { print $2 }') == libibwire.so.0.1 ]]
exported=$(nm -D --defined-only "$so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
[[ $exported ]]
! grep -v '^ibw_' <<<"$exported" || false

export PKG_CONFIG_PATH=$lib/pkgconfig
run()
{
	about "run $*"
	diff "$here/consumer/expected" <("$@")
}

read -ra shared < <(pkg-config --cflags --libs ibwire)
# pkg-config has no word for "static for this one only": name the archive.
read -ra private < <(pkg-config --libs-only-l --static ibwire)
static=("$(pkg-config --cflags ibwire)" "$lib/libibwire.a" "${private[@]/#-libwire/}")

about pkg-config, shared
gcc -std=c11 -Wall -Werror "$here/consumer/main.c" "${shared[@]}" -o pc-shared
run env LD_LIBRARY_PATH="$lib" ./pc-shared
about pkg-config, static
# shellcheck disable=SC2068 # an empty word goes away
gcc -std=c11 -Wall -Werror "$here/consumer/main.c" ${static[@]} -o pc-static
run ./pc-static
about pkg-config, C++
g++ -std=c++17 -Wall -Werror -xc++ "$here/consumer/main.c" -xnone "${shared[@]}" -o pc-c++
run env LD_LIBRARY_PATH="$lib" ./pc-c++

about versions of pkg-config
pkg-config --exists 'ibwire >= 0.1' 'ibwire < 0.2'
! pkg-config --exists 'ibwire >= 0.2' || false
! pkg-config --exists 'ibwire < 0.1' || false
about man page
[[ -s $(find installed -name ibwire.7) ]]
if command -v groff >/dev/null; then
	said=$(groff -man -ww -Tutf8 -z "$(find installed -name ibwire.7)" 2>&1)
	[[ ! $said ]] || { echo "$said"; false; }
fi

about find_package
cmake -G Ninja -S "$here/consumer" -B cmake -DCMAKE_PREFIX_PATH="$work/installed" >cmake.log 2>&1 ||
	{ cat cmake.log; false; }
cmake --build cmake >>cmake.log 2>&1 || { cat cmake.log; false; }
run cmake/consumer-static
run cmake/consumer-shared

about add_subdirectory
# The library alone: its sources, the two libraries, the two programs, and two links to the shared one.
cmake -G Ninja -S "$here/consumer/sub" -B sub -DIBWIRE="$here/../.." -DCMAKE_BUILD_TYPE=Debug >sub.log 2>&1 ||
	{ cat sub.log; false; }
steps=$(ninja -C sub -n | grep -c '^\[[0-9]')
sources=$(sed -n '/^set(codec_sources/,/^)/p' "$here/../../codec/CMakeLists.txt" | grep -c '\.c$')
echo "$steps steps for $sources sources"
((steps > sources && steps <= sources + 7))
cmake --build sub -j2 >>sub.log 2>&1 || { cat sub.log; false; }
run sub/parent-static
run sub/parent-shared

about the example of README.md
# The first block of C after the mark, and the first block after that: what it prints.
awk '/^<!-- example/ { on = 1 } on && /^```/ { n++; next } on && n == 1 { print > "example.c" }
	on && n == 3 { print > "example.out" } n == 4 { exit }' "$here/../../README.md"
gcc -std=c11 -Wall -Wextra -Werror example.c "${shared[@]}" -o example
diff example.out <(LD_LIBRARY_PATH="$lib" ./example)

about the driver of README.md
# Compiled in the kernel as tests/codec/kernel/example.c: by tests/codec/kernel.sh.
awk '/^<!-- driver/ { on = 1 } on && /^```/ { n++; next } on && n == 1 { print } n == 2 { exit }' \
	"$here/../../README.md" >driver.c
[[ -s driver.c ]]
diff <(sed -n '/^\/\* Returns/,$p' "$here/../codec/kernel/example.c") driver.c
trap - ERR
echo "all built and ran"
