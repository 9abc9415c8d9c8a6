#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generated programs with oneDNN 3.2 from the Python index instead of Debian's.
#
#   scripts/onednn3.sh                   programs of the models of tests/models give torch's outputs
#   scripts/onednn3.sh COMMAND...        runs a command, such as tests/bench/run.py, for which
#                                        $DRAGOMAN_BINARY compiles with it, and CMake finds it
#
# The dragoman of build/release, or DRAGOMAN_BINARY, writes the programs. Exits 77, "skipped", where
# the packages cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=${DRAGOMAN_BINARY:-$PWD/build/release/dragoman}
environment=$(scripts/peers.sh onednn3) || exit $?
[ -e "$environment/lib/libdnnl.so.3" ] || {
  echo "onednn3.sh: $environment has no lib/libdnnl.so.3" >&2
  exit 2
}
[ -x "$binary" ] || { echo "onednn3.sh: $binary is missing: build it first" >&2; exit 2; }

# As a wheel lies: programs are compiled with what stands in onednn/ beside bin/.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
cp "$binary" "$folder/bin/dragoman"
ln -s "$environment" "$folder/onednn"
export DRAGOMAN_BINARY=$folder/bin/dragoman
export CMAKE_PREFIX_PATH=$environment
export PYTHONPATH=$PWD/tests/support:$PWD/tests/models${PYTHONPATH:+:$PYTHONPATH}

[ $# -gt 0 ] || set -- /usr/bin/python3 tests/models/models_test.py native
"$@"
