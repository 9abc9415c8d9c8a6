#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows what Dragoman does, from nothing: installs what is missing, builds, then takes a small model
# to Relax text, to ONNX and to a C++ program, runs that program and compares it with torch.
# Everything that it writes lies in out/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# step TEXT COMMAND...: says what the command is for, prints it, and runs it.
step() {
  printf '\n# %s\n$ %s\n' "$1" "${*:2}"
  "${@:2}"
}

# differs COMMAND...: like the command, but the answer "no" (exit code 1) is the one expected.
differs() {
  local status=0
  "$@" || status=$?
  [ "$status" -eq 1 ] || { echo "try.sh: expected exit code 1, found $status" >&2; exit 1; }
}

# compare_arrays FOUND EXPECTED: two .npy files, within 1e-4 relative.
compare_arrays() {
  /usr/bin/python3 -c 'import sys, numpy
found, expected = (numpy.load(path) for path in sys.argv[1:])
print("torch:   ", expected.round(4), "\ndragoman:", found.round(4))
print("largest difference:", abs(found - expected).max())
numpy.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)' "$@"
}

scripts/install-deps.sh
export CCACHE_BASEDIR=$PWD
step "Build Dragoman." cmake --preset release
cmake --build --preset release --target dragoman --parallel "$(nproc)"
PATH=$PWD/build/release:$PATH
model=tests/models/mlp
rm -rf out
mkdir out

step "What is in the model?" dragoman inspect $model/model.onnx
step "Write it as a Relax module, weights beside it." \
  dragoman convert $model/model.onnx -o out/mlp.py
step "The module:" cat out/mlp.py
step "Rewrite it and write ONNX again." \
  dragoman convert $model/model.onnx -o out/mlp.onnx --passes default
step "The rewritten model computes what torch recorded." \
  dragoman verify out/mlp.onnx --data $model/test_data_set_0
step "Write a C++ program on oneDNN." \
  dragoman codegen $model/model.onnx --name mlp -o out/mlp_cpp
step "Build it: it needs nothing of Dragoman." cmake -S out/mlp_cpp -B out/mlp_build
cmake --build out/mlp_build --parallel "$(nproc)"
step "Run it on a recorded input." \
  out/mlp_build/infer --input x=$model/x.npy --output-dir out/mlp_result
step "Its output is the one that torch recorded." \
  compare_arrays out/mlp_result/y.npy $model/y.npy
step "Copy the model through another format." \
  dragoman convert $model/model.onnx -o out/copy.dgm
step "The copy is the same graph." dragoman diff $model/model.onnx out/copy.dgm
step "Another model is not; diff names the first difference." \
  differs dragoman diff $model/model.onnx tests/models/mlp_dynamic/model.onnx
printf '\nDone: the files are in out/.\n'
