#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what ONNX Runtime gives for the cases of tests/support/onnxruntime_cases.py.

Models as it optimises them are written beside.

    PYTHONPATH=tests/support python3 tests/tools/record_onnxruntime.py FOLDER

FOLDER holds node_modules with onnxruntime-node (npm install onnxruntime-node).
"""

import pathlib
import sys
import tempfile

import numpy as np

import onnxruntime_case
import onnxruntime_cases
from onnxruntime_peer import OnnxRuntime

TESTS = pathlib.Path(__file__).resolve().parent.parent
EXPECTED = TESTS / "e2e" / "onnxruntime_expected.npz"
OPTIMIZED = TESTS / "e2e" / "onnxruntime_models"


def optimize(runtime):
    """Writes models of real numbers, and one whose operators stand between QuantizeLinear and
    DequantizeLinear, which the optimiser joins."""
    for name in ("bert", "mobilenet", "resnet"):
        model = TESTS / "models" / name / "model.onnx"
        save = OPTIMIZED / f"{name}_optimized.onnx"
        save_optimized(runtime, model, "extended", save)
    quantized = OPTIMIZED / "quantized.onnx"
    for level in ("extended", "all"):
        save = OPTIMIZED / f"quantized_{level}.onnx"
        save_optimized(runtime, quantized, level, save)


def save_optimized(runtime, model, level, save):
    answer = runtime.answer({"model": str(model), "level": level, "save": str(save)})
    if "error" in answer:
        sys.exit(f"{model}: {answer['error']}")


def recorded(case, runtime):
    with tempfile.TemporaryDirectory() as work:
        model = pathlib.Path(work) / "model.onnx"
        model.write_bytes(onnxruntime_case.model_of([case]).SerializeToString())
        outputs, refusal = runtime.run(model, case.feeds(), model.parent)
        if refusal:
            sys.exit(f"{case.name}: {refusal}")
        return outputs


def main():
    runtime = OnnxRuntime(sys.argv[1])
    arrays = {}
    for case in onnxruntime_cases.all_cases():
        arrays.update(recorded(case, runtime))
    optimize(runtime)
    runtime.close()
    np.savez_compressed(EXPECTED, **arrays)
    print(f"{len(arrays)} arrays")


if __name__ == "__main__":
    main()
