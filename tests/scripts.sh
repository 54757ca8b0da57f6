#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No script has a finding of shellcheck, and every Python file parses.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v shellcheck >/dev/null || { echo "shellcheck is not there"; exit 77; }
mapfile -t files < <(grep -rlE '^#!/bin/(ba)?sh' dev .ci codec dissector fuzz pcaps tests \
	--include=dev --include=run --include='*.sh')
shellcheck "${files[@]}"
while read -r name; do
	python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$name"
done < <(find codec dissector fuzz pcaps tests -name '*.py')
echo "${#files[@]} scripts, no finding"
