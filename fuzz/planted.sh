#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# planted.sh CORPUS [EMULATOR...] PROGRAM: passes if the program is caught, by a signal or a
# sanitizer.
set -u
corpus=$1
shift
"$@" "$corpus" >/dev/null 2>&1
status=$?
# 139: SIGSEGV at the unmapped page; 1: a sanitizer; under qemu-user 139 too.
[[ $status -eq 139 || $status -eq 1 ]] && exit 0
echo "the planted over-read was not caught: status $status"
exit 1
