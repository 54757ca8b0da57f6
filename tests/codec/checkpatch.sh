#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# checkpatch.sh DIR KHEADER - the Linux kernel's own style checker, --strict, finds nothing in
# what ibwire-kheader prints of each family of headers, nor in tests/codec/kernel/.
#
# checkpatch.pl comes with the kernel's sources, not with its headers. It is looked for in
# $CHECKPATCH, in the PATH, in source trees where distributions put them, and in the archive
# of Debian's package linux-source-*, which `./dev test ci` installs. Status 77 (skipped): there is
# none.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$1"
dir=$(realpath "$1")
kheader=$(realpath "$2")
cd "$dir"

# From an archive, for half a minute of work: once, kept in DIR.
from_archive()
{
	local top

	top=$(basename "$1" .tar.xz)
	[[ -e complete ]] ||
		tar -xf "$1" --strip-components=1 --occurrence=1 \
			"$top"/scripts/{checkpatch.pl,spelling.txt,const_structs.checkpatch} &&
		touch complete
	echo "$dir/scripts/checkpatch.pl"
}

find_checkpatch()
{
	local candidate

	for candidate in "${CHECKPATCH-}" "$(command -v checkpatch.pl || true)" \
		/usr/src/linux-*/scripts/checkpatch.pl /lib/modules/*/build/scripts/checkpatch.pl; do
		if [[ -r $candidate ]]; then
			echo "$candidate"
			return
		fi
	done
	for candidate in /usr/src/linux-source-*.tar.xz; do
		[[ -r $candidate ]] || continue
		from_archive "$candidate"
		return
	done
	echo "skipped: no checkpatch.pl; name it in CHECKPATCH, or install linux-source" >&2
	exit 77
}

checkpatch=$(find_checkpatch)
command -v perl >/dev/null || {
	echo "skipped: no perl"
	exit 77
}

# Whether it finds nothing. No commit, no tree, and no file of its own to be looked for in.
clean()
{
	perl "$checkpatch" --strict --no-tree --terse --show-types -f "$1"
}

# One that finds nothing anywhere would please us too.
printf '/* SPDX-License-Identifier: GPL-2.0 */\ntypedef int planted;\n' >planted.h
if clean planted.h >/dev/null; then
	echo "FAILED: $checkpatch finds no fault with a typedef"
	exit 1
fi

mapfile -t families < <("$kheader" --list | cut -d ' ' -f 1 | sort -u)
((${#families[@]} > 5)) || exit 1
rm -f -- *.h
failed=0
for family in "${families[@]}"; do
	"$kheader" "$family" >"${family#@}.h"
	clean "${family#@}.h" || failed=1
done
for file in "$root"/tests/codec/kernel/*.[ch]; do
	clean "$file" || failed=1
done
echo "${#families[@]} families, $(cat -- *.h | wc -l) lines"
exit "$failed"
