#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy 14 with the checks of .clang-tidy; a finding is an error.
#
#   scripts/tidy.sh              the lines that the last commit and the working tree change; of
#                                headers, those that a changed source includes
#   scripts/tidy.sh REV          the lines that differ from REV
#   scripts/tidy.sh --all        all lines of every source file (hours of processor time)
#
# LIMIT bounds the number of files; it prints how many were left. Exit codes: 0 clean, 1 findings,
# 77 clang-tidy is not installed, or REV is not in this checkout.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
  echo "tidy.sh: $*" >&2
  exit 77
}

command -v clang-tidy-14 >/dev/null && command -v clang++-14 >/dev/null ||
  skip "clang-tidy-14 or clang++-14 is not installed"

# changed_lines REV: the lines of sources and headers that differ, as -line-filter takes them.
changed_lines() {
  git diff -U0 --no-color --no-ext-diff --src-prefix=a/ --dst-prefix=b/ --diff-filter=d "$1" -- '*.cc' '*.h' | awk '
    /^\+\+\+ b\// { file = substr($2, 3); next }
    /^@@ / {
      split(substr($3, 2), lines, ",")
      count = lines[2] == "" ? 1 : lines[2]
      if (count == 0) next
      if (file != last) printf "%s{\"name\":\"%s\",\"lines\":[", last == "" ? "[" : "]},", file
      else printf ","
      printf "[%d,%d]", lines[1], lines[1] + count - 1
      last = file
    }
    END { print last == "" ? "[]" : "]}]" }'
}

rev=${1:-HEAD~1}
filter=()
if [ "$rev" = --all ]; then
  files=$(git ls-files '*.cc')
else
  git rev-parse --quiet --verify "$rev^{commit}" >/dev/null ||
    skip "there is no commit $rev to compare with"
  files=$(git diff --name-only --diff-filter=d "$rev" -- '*.cc')
  lines=$(changed_lines "$rev")
  [ "$lines" != '[]' ] || exit 0  # clang-tidy takes an empty filter for none
  filter=("-line-filter=$lines")
fi
[ -n "$files" ] || exit 0

# Clang cannot read what g++ precompiles, and findings belong to one file, so that files are not
# compiled together: a build folder of its own, in which nothing but generated headers is built.
build=build/tidy
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
ninja -C $build -t targets all | sed -n 's/^\(generated\/.*\.h\): CUSTOM_COMMAND$/\1/p' |
  xargs -r ninja -C $build >/dev/null

# Sources that no target compiles, such as those of examples, have no command to check them by.
compiled=$(for file in $files; do
  if grep -q "\"file\": \"$PWD/$file\"" $build/compile_commands.json; then echo "$file"; fi
done)
count=$(grep -c . <<<"$compiled" || true)
limit=${LIMIT:-$count}
status=0
head -n "$limit" <<<"$compiled" |
  xargs -r -P "${JOBS:-$(nproc)}" -n 1 clang-tidy-14 -p $build --quiet --warnings-as-errors='*' \
    ${filter[@]+"${filter[@]}"} ||
  status=1
if [ "$count" -gt "$limit" ]; then
  echo "tidy.sh: checked $limit files of $count; scripts/tidy.sh ${1:-} without LIMIT checks all"
fi
exit $status
