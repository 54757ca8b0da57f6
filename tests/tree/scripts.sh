#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No script has a finding of shellcheck, and every Python file parses. A script and a Python file
# with a mistake are planted, which have to be found.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v shellcheck >/dev/null || { echo "shellcheck is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

parse()
{
	python3 -c 'import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name).read(), name)' "$@"
}

# shellcheck disable=SC2016 # not to be expanded
printf '#!/bin/bash\nrm $1\n' >"$work/planted.sh"
printf 'def planted(:\n' >"$work/planted.py"
! shellcheck "$work/planted.sh" >/dev/null || { echo "shellcheck finds nothing"; exit 1; }
! parse "$work/planted.py" 2>/dev/null || { echo "Python takes anything"; exit 1; }

mapfile -t files < <(grep -rlE '^#!/(bin/|usr/bin/env )(ba)?sh' dev .ci codec dissector fuzz pcaps tests \
	--include=dev --include=run --include='*.sh')
mapfile -t modules < <(find codec dissector fuzz pcaps tests -name '*.py')
((${#files[@]} > 2 && ${#modules[@]})) || { echo "no scripts"; exit 1; }
shellcheck "${files[@]}"
parse "${modules[@]}"
echo "${#files[@]} scripts and ${#modules[@]} Python files, no finding"
