#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every test.
#
#   scripts/test.sh [PRESET...]      presets: release (the default), debug, asan
#
# JOBS sets the number of parallel jobs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jobs=${JOBS:-$(nproc)}
presets=("$@")
[ ${#presets[@]} -gt 0 ] || presets=(release)

scripts/install-deps.sh
export CCACHE_BASEDIR=$PWD
for preset in "${presets[@]}"; do
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$jobs"
done
status=0
for preset in "${presets[@]}"; do
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error || status=1
done
exit $status
