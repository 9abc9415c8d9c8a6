#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What takes longer than continuous integration allows: the matrix of tests/peers, as far as HOURS
# (8) reach, with older releases of the consumers of ONNX; in a tenth of that time, paths of drawn
# models. Needs a build of the preset release.
#
#   scripts/nightly.sh [RESULTS]     collects verdicts in RESULTS, build/peers.jsonl by default
#
# Cases come in an order drawn by the commit, so that every night sees others. The page
# docs/compatibility.md is written anew from all verdicts in RESULTS.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

results=${1:-build/peers.jsonl}
minutes=$((${HOURS:-8} * 60))
older="ONNX Runtime 1.22.1,ONNX Runtime 1.19.2,ONNX Runtime 1.19.2 --opset 21"
older+=",OpenVINO 2025.4.1,OpenVINO 2024.6.0,OpenVINO 2024.6.0 --opset 18"

status=0
judge=(/usr/bin/python3 tests/peers/run.py --seed commit --results "$results")
"${judge[@]}" --minutes $((minutes * 13 / 20)) || status=$?
"${judge[@]}" --minutes $((minutes / 4)) --consumers "$older" \
  --producers onnx_nodes,torch_models,keras_models,tree_models \
  --document docs/compatibility.md || status=$?
/usr/bin/python3 tests/peers/paths.py --minutes $((minutes / 10)) || status=$?
exit $status
