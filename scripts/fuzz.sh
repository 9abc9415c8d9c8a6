#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every reader, and what comes after it, under AddressSanitizer and
# UndefinedBehaviorSanitizer.
#
#   scripts/fuzz.sh MINUTES [TARGET...]     of tests/fuzz, all by default
#
# The targets run one after the other and share MINUTES by the clock; those of binary containers get
# four times the share of the others. Inputs that reach new code are kept in build/fuzz/corpus; what
# fails, and the smallest input that a minute of shortening leads to, in build/fuzz/found; the
# seconds that each target has run in build/fuzz/seconds. Needs clang and its runtime (Debian: clang,
# libclang-rt-14-dev). Exit codes: 0 nothing was found, 1 something was, or the targets cannot be
# built, 2 wrong use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || { sed -n '3,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
minutes=$1
shift
build=build/fuzz
containers=" onnx_model torchscript_unpickler torchscript_archive pt2_archive tensorflow_graph tensorflow_checkpoint "

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/targets/*.cc; do
    grep -q 'LLVMFuzzerTestOneInput.*{' "$file" && targets+=("$(basename "$file" .cc)")
  done
fi

# share TARGET: its part of the time, in units.
share() {
  case $containers in *" $1 "*) echo 4 ;; *) echo 1 ;; esac
}

# CMake forgets all settings where the compiler is not spelled as it has noted it: by its path.
compiler=$(command -v "${CXX:-clang++}" || echo "${CXX:-clang++}")
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  "$compiler" -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null || {
  echo "$0: $compiler cannot link a fuzz target: install clang and libclang-rt-14-dev" >&2
  exit 1
}

export CCACHE_BASEDIR=$PWD
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1 -D_GLIBCXX_ASSERTIONS" -DDRAGOMAN_UNITY=ON -DDRAGOMAN_SANITIZE=ON \
  -DDRAGOMAN_FUZZERS=ON >/dev/null
cmake --build $build --parallel "${JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"
mkdir -p $build/found
tests/fuzz/make_corpus.py $build/seeds

export UBSAN_OPTIONS=print_stacktrace=1
limits=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=2048)

# shorten TARGET INPUT: the smallest that fails as well, beside it; what is too slow stays as it is.
shorten() {
  case $2 in *-crash-* | *-oom-*) ;; *) return 0 ;; esac
  timeout 60 "$build/tests/fuzz/fuzz_$1" -minimize_crash=1 -max_total_time=60 "${limits[@]}" \
    -exact_artifact_path="$2.short" "$2" >"$2.log" 2>&1 || true
}

units=0
for target in "${targets[@]}"; do units=$((units + $(share "$target"))); done
status=0
for target in "${targets[@]}"; do
  seconds=$((minutes * 60 * $(share "$target") / units))
  log=$build/found/$target.log
  mkdir -p "$build/corpus/$target"
  begin=$SECONDS
  failed=0
  # No time at all would be time without end.
  "$build/tests/fuzz/fuzz_$target" -max_total_time=$((seconds > 0 ? seconds : 1)) "${limits[@]}" \
    -print_final_stats=1 -artifact_prefix="$build/found/$target-" "$build/corpus/$target" \
    "$build/seeds/$target" >"$log" 2>&1 || failed=1
  echo "$target $((SECONDS - begin)) $(git rev-parse --short HEAD)" >>$build/seconds
  sed -n "s/^stat::number_of_executed_units: */$target: inputs: /p; s/^SUMMARY: /$target: /p" "$log"
  [ $failed -eq 0 ] && continue
  status=1
  found=$(sed -n 's/.*Test unit written to //p' "$log")
  echo "$target: ${found:-$log}"
  [ -z "$found" ] || shorten "$target" "$found"
done
echo "minutes so far:"
awk '{ seconds[$1] += $2 } END { for (target in seconds) printf "  %-22s %6.1f\n", target, seconds[target] / 60 }' \
  $build/seconds | sort
exit $status
