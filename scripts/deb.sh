#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages dragoman and libdragoman-dev.
#
#   scripts/deb.sh [FOLDER]      where they are written; default: dist
#
# JOBS sets the number of parallel jobs. Needs what scripts/install-deps.sh installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$(realpath -m "${1:-dist}")
for tool in dpkg-shlibdeps file; do
  command -v "$tool" >/dev/null || { echo "deb.sh: $tool is missing; see scripts/install-deps.sh" >&2; exit 1; }
done
export CCACHE_BASEDIR=$PWD
cmake --preset release >/dev/null
cmake --build --preset release --parallel "${JOBS:-$(nproc)}" --target dragoman libdragoman
mkdir -p "$target"
cd build/release
umask 022
cpack -G DEB -B "$target" >/dev/null
rm -rf "$target/_CPack_Packages"
ls -1 "$target"/*.deb
