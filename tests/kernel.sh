#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kernel.sh build|vm DIR - the headers of include/ibwire in the Linux kernel.
#
#	build	compile tests/kernel/ as modules against Debian's kernel headers, W=1 and
#		sparse; a warning about a file that is not the kernel's own is a failure
#	vm	start Debian's kernel in QEMU (emulated, no KVM, no root) with those modules
#		in an initramfs of our own, and read from its console what they found
#
# DIR is made and filled; nothing outside it is written. Status 77 (skipped): the kernel
# headers, or for vm the kernel or the emulator, are not there and cannot be had.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
command=$1
dir=$2
mkdir -p "$dir"
cd "$dir"

skip()
{
	echo "skipped: $*"
	exit 77
}

fail()
{
	echo "FAILED: $*"
	exit 1
}

# The newest kernel there are headers of: "6.1.0-56-amd64".
kernel_version()
{
	local headers

	headers=$(find /usr/src -maxdepth 1 -name 'linux-headers-*-amd64' | sort -V | tail -n 1)
	[[ $headers ]] || skip "no linux-headers-*-amd64 in /usr/src"
	echo "${headers#/usr/src/linux-headers-}"
}

# Every header of include/ibwire but the templates that others include.
all_headers()
{
	local header

	for header in "$root"/include/ibwire/*.h; do
		case $header in
		*/expand*.h) ;;
		*) echo "#include <ibwire/$(basename "$header")>" ;;
		esac
	done
}

build_modules()
{
	local version=$1 warnings

	command -v sparse >/dev/null || skip "no sparse"
	rm -rf modules
	mkdir modules
	cp "$root"/tests/kernel/* modules
	cp -r "$root/include" modules
	all_headers >modules/headers_ibwire.h
	make -C "/usr/src/linux-headers-$version" M="$PWD/modules" W=1 C=2 \
		CHECK="sparse -Wsparse-all" modules >modules.log 2>&1 || {
		tail -n 40 modules.log
		fail "the modules do not build"
	}
	# -Wsparse-all finds fault with the kernel's own headers too; those are not ours to mend.
	warnings=$(grep -E '(warning|error):' modules.log | grep -v '^/usr/src/' || true)
	[[ -z $warnings ]] || {
		echo "$warnings"
		fail "warnings"
	}
	grep -c '^  CHECK ' modules.log >/dev/null || fail "sparse did not run"
	echo "$(grep -c include modules/headers_ibwire.h) headers," \
		"$(grep -c '^  CHECK ' modules.log) files, kernel $version, W=1 and sparse: no warning"
}

version=$(kernel_version)
case $command in
build) build_modules "$version" ;;
*) fail "unknown command $command" ;;
esac
