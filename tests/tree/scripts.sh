#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# No script has a finding of shellcheck, every Python file parses, and what begins with "#!" can be run. A script and a
# Python file with a mistake are planted, which have to be found.
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

# Those that begin with "#!" and cannot be run.
not_run()
{
	find "$@" -type f \( -name '*.py' -o -name '*.sh' \) ! -perm -u+x -exec grep -l -m1 -E '^#!' {} + || true
}

# shellcheck disable=SC2016 # not to be expanded
printf '#!/bin/bash\nrm $1\n' >"$work/planted.sh"
printf 'def planted(:\n' >"$work/planted.py"
! shellcheck "$work/planted.sh" >/dev/null || { echo "shellcheck finds nothing"; exit 1; }
! parse "$work/planted.py" 2>/dev/null || { echo "Python takes anything"; exit 1; }
[[ $(not_run "$work") == "$work/planted.sh" ]] || { echo "a script that cannot be run is not found"; exit 1; }

mapfile -t files < <(grep -rlE '^#!/(bin/|usr/bin/env )(ba)?sh' dev .ci codec dissector fuzz pcaps tests \
	--include=dev --include=run --include='*.sh')
mapfile -t modules < <(find codec dissector fuzz pcaps tests -name '*.py')
((${#files[@]} > 2 && ${#modules[@]})) || { echo "no scripts"; exit 1; }
shellcheck "${files[@]}"
parse "${modules[@]}"
mapfile -t still < <(not_run codec dissector fuzz pcaps tests)
((${#still[@]} == 0)) || { printf 'not executable: %s\n' "${still[@]}"; exit 1; }
echo "${#files[@]} scripts and ${#modules[@]} Python files, no finding"
