#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes every reader, and what comes after it, under AddressSanitizer and
# UndefinedBehaviorSanitizer.
#
#   scripts/fuzz.sh MINUTES [TARGET...]     of tests/fuzz, all by default
#
# The targets share MINUTES of one processor; those of binary containers get four times the share of
# the others. Inputs that reach new code are kept in build/fuzz/corpus, what fails in
# build/fuzz/found, the time that each target has run in build/fuzz/seconds. Needs clang and its
# runtime (Debian: libclang-rt-14-dev). Exit codes: 0 nothing was found, 1 something was, or the
# targets cannot be built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ ${1:-} =~ ^[0-9]+$ ]] || { sed -n '3,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
minutes=$1
shift
build=build/fuzz
containers=" onnx_model torchscript_unpickler torchscript_archive pt2_archive tensorflow_graph tensorflow_checkpoint "

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for file in tests/fuzz/targets/*.cc; do
    grep -q LLVMFuzzerTestOneInput.*{ "$file" && targets+=("$(basename "$file" .cc)")
  done
fi

# share TARGET: its part of the time, in units.
share() {
  case $containers in *" $1 "*) echo 4 ;; *) echo 1 ;; esac
}

export CCACHE_BASEDIR=$PWD
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER="${CXX:-clang++}" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1 -D_GLIBCXX_ASSERTIONS" -DDRAGOMAN_UNITY=ON -DDRAGOMAN_SANITIZE=ON \
  -DDRAGOMAN_FUZZERS=ON >/dev/null
cmake --build $build --parallel "${JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"
mkdir -p $build/found
tests/fuzz/make_corpus.py $build/seeds

units=0
for target in "${targets[@]}"; do units=$((units + $(share "$target"))); done
status=0
for target in "${targets[@]}"; do
  seconds=$((minutes * 60 * $(share "$target") / units))
  mkdir -p "$build/corpus/$target"
  begin=$SECONDS
  "$build/tests/fuzz/fuzz_$target" -max_total_time=$seconds -timeout=20 -rss_limit_mb=2048 \
    -malloc_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/found/$target-" \
    "$build/corpus/$target" "$build/seeds/$target" >"$build/found/$target.log" 2>&1 || status=1
  echo "$target $((SECONDS - begin)) $(git rev-parse --short HEAD)" >>$build/seconds
  tail -n 1 "$build/found/$target.log" | sed "s/^/$target: /"
done
find $build/found -type f ! -name '*.log'
exit $status
