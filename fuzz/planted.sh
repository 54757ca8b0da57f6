#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# planted.sh CORPUS [EMULATOR...] PROGRAM: passes if the program replays an input without what
# it stumbles over, and is caught by a check of its target, the unmapped page or a sanitizer when it replays CORPUS.
set -eu
corpus=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Three bytes before a packet that is not there.
printf '\0\0\0' >"$work/harmless"
said=$("$@" "$work/harmless") || {
	echo "it fails without the planted mistake: status $?: $said"
	exit 1
}
[[ $said == "1 inputs" ]] || {
	echo "this is no replay: it says \"$said\""
	exit 1
}

status=0
said=$("$@" "$corpus" 2>&1) || status=$?
# 139: SIGSEGV at the unmapped page, under qemu-user too; 1: a sanitizer, which says so; 134: SIGABRT of
# FUZZ_CHECK(), which says so.
((status == 139)) || { ((status == 1)) && [[ $said == *Sanitizer:* ]]; } ||
	{ ((status == 134)) && [[ $said == *fuzz/*.c:*:\ * ]]; } || {
	echo "the planted mistake was not caught: status $status: ${said:0:1000}"
	exit 1
}
