#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# quality.sh {clang-tidy|cppcheck} BUILD: run the checker over every C file BUILD compiles. What is
# left out of the checks stands in .clang-tidy and, for cppcheck, below; each with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$1 database=$2/compile_commands.json
command -v "$tool" >/dev/null || { echo "$tool is not there"; exit 77; }

mapfile -t files < <(python3 -c '
import json, os, sys
root = os.getcwd() + "/"
names = {os.path.join(e["directory"], e["file"]) for e in json.load(open(sys.argv[1]))}
print("\n".join(sorted(n[len(root):] for n in names if n.startswith(root))))' "$database")
((${#files[@]})) || { echo "no files in $database"; exit 1; }

case $tool in
clang-tidy)
	# Warning options of gcc that clang does not know are not the question here.
	printf '%s\0' "${files[@]}" |
		xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet -p "$2" \
			--extra-arg=-Wno-unknown-warning-option 2> >(grep -v 'warnings generated' >&2)
	;;
cppcheck)
	# missingIncludeSystem, unmatchedSuppression: about cppcheck, not about us.
	# unusedStructMember: the members of a value struct are for whoever includes it.
	# invalidFunctionArg in guard.h: cppcheck 2.10 does not know mmap(..., MAP_ANONYMOUS, -1, 0).
	cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 -j "$(nproc)" --max-configs=4 -Iinclude -Idissector \
		--suppress=missingIncludeSystem --suppress=unmatchedSuppression \
		--suppress=unusedStructMember --suppress=invalidFunctionArg:tests/guard.h -D__BYTE_ORDER__=1234 -D__ORDER_LITTLE_ENDIAN__=1234 \
		--library=gnu --library=posix "${files[@]}"
	;;
*)
	echo "quality.sh: which checker is $tool?"
	exit 2
	;;
esac
echo "$tool: ${#files[@]} files, no finding"
