#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# kernel.sh build|vm DIR KHEADER [PEER] - the headers of include/ibwire in the Linux kernel.
#
#	build	compile tests/codec/kernel/ as modules against Debian's kernel headers, W=1 and
#		sparse, and with them all that KHEADER (ibwire-kheader) prints; a warning
#		about a file that is not the kernel's own is a failure
#	vm	start Debian's kernel in QEMU (emulated, no KVM, no root) with those modules
#		in an initramfs of our own, and read from its console what they found; then
#		PEER (vm-peer, tests/codec/vm) sets up connections with rxe, RDMA CM and ib_mad there
#
# DIR is made and filled; nothing outside it is written. Status 77 (skipped): the kernel
# headers, or for vm the kernel or the emulator, are not there and cannot be had.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command=$1
dir=$2
kheader=$3
peer=${4-}
# What rxe and the module at its end need, in the order they are loaded in.
modules=(ib_core tun udp_tunnel ip6_udp_tunnel configfs crc32_generic ib_uverbs ib_cm iw_cm rdma_cm rdma_rxe)
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
	cp "$root"/tests/codec/kernel/* modules
	cp -r "$root/include" "$root/codec" modules
	all_headers >modules/headers_ibwire.h
	"$kheader" --prefix kh all >modules/printed_all.h # as it is
	[[ -s modules/printed_all.h ]] || fail "$kheader prints nothing"
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
		"$(grep -c '^struct kh_.*_wire {' modules/printed_all.h) printed structures," \
		"$(grep -c '^  CHECK ' modules.log) files, kernel $version, W=1 and sparse: no warning"
	report_sites
}

# Bytes of code and of stack of a function of ibwire-ud.ko.
code_and_stack()
{
	local code stack

	code=$(nm -S modules/ibwire-ud.ko | awk -v name="$1" '$4 == name { print $2 }')
	stack=$(awk -v name=":$1" 'index($1, name) && $1 ~ name "$" { print $2 }' modules/site_*.su)
	[[ $code && $stack ]] || fail "no size of $1"
	echo "$((16#$code)) bytes, $stack of stack"
}

# What each site of a driver takes: tests/codec/kernel/site.h. On ib_ud_header_init(), what that and
# ib_ud_header_pack() take comes to it; out of line, what ibw_build_headers() takes.
report_sites()
{
	local name

	for name in mlx4 bnxt_re qedr; do
		echo "site $name: $(code_and_stack site_$name); out of line" \
			"$(code_and_stack site_${name}_extern); by ib_ud_header_init" \
			"$(code_and_stack site_${name}_pack)"
	done
	for name in ibw_build_headers ibw_build_check ibw_build_put_net; do
		echo "$name: $(code_and_stack $name)"
	done
}

# Files of the modules in the directory $1, one a line.
module_files()
{
	local name

	for name in "${modules[@]}"; do
		find "$1" -name "$name.ko" | grep . || return
	done
}

# The image of just that kernel, unpacked and not installed: boot/ and the modules.
get_kernel()
{
	local version=$1 package=linux-image-$1 installed files=()

	mkdir -p kernel
	module_files kernel >/dev/null && return
	if [[ -r /boot/vmlinuz-$version ]] && installed=$(module_files "/lib/modules/$version/kernel"); then
		mkdir -p kernel/boot
		cp "/boot/vmlinuz-$version" kernel/boot
		xargs -d '\n' cp -t kernel <<<"$installed"
		return
	fi
	mapfile -t files < <(printf '*/%s.ko\n' "${modules[@]}")
	(cd kernel && apt-get -q download "$package") >download.log 2>&1 ||
		skip "no $package to be downloaded"
	dpkg-deb --fsys-tarfile kernel/"$package"_*.deb |
		tar -x -C kernel --wildcards './boot/vmlinuz*' "${files[@]}"
	rm kernel/"$package"_*.deb
	module_files kernel >/dev/null || fail "$package has not all of ${modules[*]}"
}

# Modules, a shell to load them, and power off; with PEER, rxe and it in between.
make_initramfs()
{
	rm -rf initramfs
	mkdir -p initramfs/{bin,dev,proc,sys}
	cp /bin/busybox initramfs/bin
	module_files kernel | xargs -d '\n' cp -t initramfs
	cp modules/*.ko initramfs
	cat >initramfs/init <<-'INIT'
		#!/bin/busybox sh
		/bin/busybox mount -t proc proc /proc
		/bin/busybox insmod /ib_core.ko
		/bin/busybox insmod /ibwire-headers.ko && echo "headers module: loaded"
		/bin/busybox insmod /ibwire-ud.ko $(/bin/busybox cat /parameters)
		[ ! -e /vm-peer ] || /bin/busybox sh /rxe.sh $(/bin/busybox cat /rxe_modules)
		/bin/busybox poweroff -f
	INIT
	chmod +x initramfs/init
	echo "$1" >initramfs/parameters
	if (($# > 1)); then
		echo "${modules[@]:1}" ibwire-echo >initramfs/rxe_modules
		cp "$2" initramfs/vm-peer
		cp "$root/tests/codec/vm/rxe.sh" initramfs
	fi
	(cd initramfs && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >initramfs.gz
}

# boot SECONDS QEMU_OPTION...: the console in console.log; /dev/kvm may hang, so never KVM.
boot()
{
	local seconds=$1
	shift

	timeout "$seconds" qemu-system-x86_64 -accel tcg "$@" -machine q35 -cpu max -m 512 \
		-nodefaults -nographic -no-reboot -serial stdio -kernel kernel/boot/vmlinuz-* \
		-initrd initramfs.gz -append "console=ttyS0 panic=-1 quiet loglevel=7" \
		</dev/null >console.log 2>&1 || fail "the emulator ended with status $?"
	sed -i 's/\r//; s/\x1b[^a-zA-Z]*[a-zA-Z]//g' console.log
}

# Ours may take a third of the kernel's instructions in every framing and at every site of a driver,
# and out of line half of them.
check_cost()
{
	local name=$1

	grep -oE "$name: (cost of|site) .*" console.log | sed "s/^$name: //"
	awk -v name="$name:" '$0 ~ name " (cost of|site)" {
		theirs = ours = outside = ""
		for (i = 1; i <= NF; i++) {
			if ($i != "by")
				continue
			if ($(i + 1) != "ours")
				theirs = $(i - 1)
			else if ($(i + 2) == "out")
				outside = $(i - 1)
			else
				ours = $(i - 1)
		}
		if (theirs == "" || ours == "" || ours * 3 > theirs || outside * 2 > theirs)
			bad++
		lines[$0 ~ " site " ? "site" : "cost"]++
	}
	END { exit lines["cost"] != 8 || lines["site"] != 20 || bad }' console.log ||
		fail "more than a third of the instructions, or half of them out of line"
}

# What rxe, RDMA CM and ib_mad made of our packets, and we of theirs, over IPv4 and IPv6.
check_peer()
{
	local line
	local -A times=(
		["ibwire_echo: REQ from QP 0x[0-9a-f]*, private data 69 62 77 69 72 65"]=2
		["ibwire_echo: ESTABLISHED"]=2
		["ibwire_echo: DISCONNECTED"]=2
		["ibwire_echo: table of [0-9]* bytes back: success, RMPP status 0"]=5
		["ibwire_echo: table of 500 bytes back: operation aborted, RMPP status 118"]=1
		["ibwire_echo: table of 500 bytes back: operation aborted, RMPP status 1\$"]=1
		["^peer: 15 SENDs acknowledged and back, none with a wrong ICRC"]=2
		["^peer: DREP"]=2
		["^peer: another version: given up by ib_mad, status 125"]=2
		["^peer: no type: given up by ib_mad, status 121"]=2
		["^peer: ICRC of [0-9]* packets of rxe right, [0-9]* flipped bits seen"]=1
		["^peer: PASS"]=1
		["^rxe.sh: removed"]=1
	)

	grep '^peer:' console.log || fail "nothing of the peer"
	for line in "${!times[@]}"; do
		[[ $(grep -c -- "$line" console.log) -eq ${times[$line]} ]] ||
			fail "not ${times[$line]} times: $line"
	done
	diff <(grep -o 'peer: table of .*' console.log | cut -d ' ' -f 2-) \
		<(grep -o 'ibwire_echo: table of .*, CRC .*' console.log | cut -d ' ' -f 2-) ||
		fail "ib_mad did not get the tables that were sent"
}

run_vm()
{
	local name=ibwire_ud

	for program in qemu-system-x86_64 busybox dpkg-deb; do
		command -v "$program" >/dev/null || skip "no $program"
	done
	build_modules "$1"
	get_kernel "$1"
	make_initramfs count=1000000 "$peer"
	boot 300
	grep -o "$name: .*" console.log | sed "s/^$name: //" || tail -n 40 console.log
	grep -q "headers module: loaded" console.log || fail "the headers module was not loaded"
	grep -q "$name: [0-9]* headers byte-equal, .*, PASS" console.log || fail "no PASS"
	[[ $(grep -c "$name: site [a-z0-9_]*: [0-9]* headers byte-equal" console.log) -eq 3 ]] ||
		fail "not every site of a driver"
	"$root/tests/codec/kernel_example.py" --console console.log || fail "the driver of README.md"
	check_peer
	# Once more with an instruction a nanosecond, and so a tick: what a header costs.
	make_initramfs measure=1000
	boot 300 -icount shift=0,sleep=off
	check_cost "$name"
}

version=$(kernel_version)
case $command in
build) build_modules "$version" ;;
vm) run_vm "$version" ;;
*) fail "unknown command $command" ;;
esac
