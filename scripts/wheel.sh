#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of the Python module, with the command line and all libraries inside, into dist/,
# and writes SHA256SUMS there. The same commit gives the same bytes on the same system.
#
#   scripts/wheel.sh [PYTHON]     for that Python; /usr/bin/python3 unless stated
#
# Exits 77, "skipped", where its tools cannot be installed, as without a network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What a wheel may need of the system: the C library of Debian 12.
platform=manylinux_2_36_x86_64
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export CCACHE_BASEDIR=$PWD

tools=$(DRAGOMAN_PEERS_PYTHON=${1:-/usr/bin/python3} scripts/peers.sh wheel)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$tools/bin/python" -m pip wheel --quiet --no-deps --no-build-isolation -w "$scratch" .
# oneDNN stays a library of its own, which compiled programs are linked with.
PATH="$tools/bin:$PATH" LD_LIBRARY_PATH= "$tools/bin/auditwheel" repair --plat "$platform" \
  --exclude "libdnnl.so.*" -w dist "$scratch"/*.whl
cd dist
(sha256sum -- *.whl *.tar.gz 2>/dev/null || true) | tee SHA256SUMS
