#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the format of every C++ file that git tracks against .clang-format. Version 14 decides:
# others differ in details. Exits 77, "skipped", where the tools are missing.
#
#   tests/check_format.sh [--fix]      --fix formats the files instead
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

formatter=$(command -v clang-format-14 || true)
if [ -z "$formatter" ] || ! command -v git >/dev/null; then
  echo "skipped: clang-format-14 and git are needed"
  exit 77
fi
if ! tracked=$(git -c safe.directory='*' ls-files -- '*.h' '*.cc'); then
  echo "skipped: not a git checkout"
  exit 77
fi
files=()
while read -r file; do
  [ ! -f "$file" ] || files+=("$file")
done <<<"$tracked"
[ ${#files[@]} -gt 0 ] || exit 0

if [ "${1:-}" = --fix ]; then
  "$formatter" -i "${files[@]}"
else
  "$formatter" --dry-run -Werror "${files[@]}"
fi
