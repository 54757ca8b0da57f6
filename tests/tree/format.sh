#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every C file is formatted as .clang-format says, by the release of the tool it was written for:
# others differ in details. A file that is not is planted, which has to be found.
set -euo pipefail
cd "$(dirname "$0")/../.."
clang-format --version 2>/dev/null | grep -q 'version 14\.' || { echo "no clang-format 14"; exit 77; }
[[ $(clang-format --assume-filename=codec/planted.c <<<'int  planted ;') == 'int planted;' ]] ||
	{ echo "clang-format formats nothing"; exit 1; }
exec ./dev format --check
