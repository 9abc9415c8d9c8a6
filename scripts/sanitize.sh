#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the unit tests of what a change touches under AddressSanitizer and UndefinedBehaviorSanitizer,
# and the tests of the Python module, if it does, under ThreadSanitizer too.
# All tests: scripts/test.sh asan.
#
#   scripts/sanitize.sh          what the last commit and the working tree change
#   scripts/sanitize.sh REV      what differs from REV
#
# Programs are built from the lowest layer up for at most SECONDS_LIMIT seconds (180 by default); it
# prints the names of those that were left. Exit codes: 0 no fault found, 1 faults,
# or the preset cannot be configured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
deadline=$((SECONDS + ${SECONDS_LIMIT:-180}))
rev=${1:-HEAD~1}
build=build/asan

# The unit test programs, from the lowest layer up, without their prefix "unit_".
layers=$(sed -n 's/^dragoman_test(unit_\([a-z_]*\) .*/\1/p' tests/CMakeLists.txt)

# changed_layers: the names of the layers of the files that the change touches.
changed_layers() {
  git diff --name-only "$rev" -- '*.cc' '*.h' |
    sed -E 's#^(core|importers|tests/unit)/##; s#/.*##
            s#^torch$#torchscript#; s#^(onnx|native|json|text)$#importers#'
}

# within COMMAND...: runs the command until the deadline; exit code 124 where that passed.
within() {
  local left=$((deadline - SECONDS))
  [ "$left" -gt 0 ] || return 124
  timeout "$left" "$@"
}

# check LAYER: builds and runs its program.
check() {
  local program=unit_$1 status=0
  within cmake --build $build --target "$program" --parallel "$jobs" >$build/sanitize.log 2>&1 ||
    status=$?
  [ $status -eq 0 ] || { [ $status -eq 124 ] || cat $build/sanitize.log; return $status; }
  within "${plain_addresses[@]}" $build/tests/"$program" --gtest_brief=1 >$build/sanitize.log 2>&1 ||
    status=$?
  # GCC 12's library cannot place its shadow memory on some kernels: no fault of the program.
  if grep -q 'Shadow memory range interleaves' $build/sanitize.log; then status=124; fi
  [ $status -eq 124 ] || cat $build/sanitize.log
  return $status
}

# Without random addresses, where that may be asked for: see check.
plain_addresses=()
if setarch -R true 2>/dev/null; then plain_addresses=(setarch -R); fi

if git rev-parse --quiet --verify "$rev^{commit}" >/dev/null; then
  changed=$(changed_layers)
else
  echo "sanitize.sh: there is no commit $rev to compare with: checking the lowest layers"
  changed=$'support\nir'
  rev=
fi

export CCACHE_BASEDIR=$PWD
status=0
within cmake --preset asan >/dev/null || status=$?
if [ $status -eq 124 ]; then
  echo "sanitize.sh: not configured within the time; scripts/test.sh asan runs all tests"
  exit 0
fi
[ $status -eq 0 ] || exit 1
left=()
faults=0
for layer in $layers; do
  grep -qx "$layer" <<<"$changed" || continue
  status=0
  check "$layer" || status=$?
  case $status in
    0) echo "sanitize.sh: unit_$layer: no fault" ;;
    124) left+=("unit_$layer") ;;
    *) echo "sanitize.sh: unit_$layer: exit code $status" >&2; faults=1 ;;
  esac
done
# The Python module, against the library of the preset release.
if [ -n "$rev" ] && ! git diff --quiet "$rev" -- python tests/python && [ -e build/release/libdragoman.so ]; then
  for sanitizer in address thread; do
    status=0
    DRAGOMAN_BINARY=build/release/dragoman \
      within "${plain_addresses[@]}" /usr/bin/python3 tests/python/run.py --sanitize $sanitizer ||
      status=$?
    case $status in
      0 | 77) ;;
      124) left+=("the Python module ($sanitizer)") ;;
      *) faults=1 ;;
    esac
  done
fi
if [ ${#left[@]} -gt 0 ]; then
  echo "sanitize.sh: not checked within the time: ${left[*]}; scripts/test.sh asan runs all tests"
fi
exit $faults
