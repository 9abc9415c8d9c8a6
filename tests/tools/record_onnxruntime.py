#!/usr/bin/env python3
"""Records what ONNX Runtime gives for the cases of tests/support/onnxruntime_cases.py.

Models as it optimises them are written beside.

    PYTHONPATH=tests/support python3 tests/tools/record_onnxruntime.py FOLDER

FOLDER holds node_modules with onnxruntime-node (npm install onnxruntime-node).
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import onnxruntime_cases

TESTS = pathlib.Path(__file__).resolve().parent.parent
EXPECTED = TESTS / "e2e" / "onnxruntime_expected.npz"
OPTIMIZED = TESTS / "e2e" / "onnxruntime_models"


def call_of(case, folder):
    """Writes the model and its inputs, and tells them as a call of onnxruntime.js."""
    model = folder / "model.onnx"
    model.write_bytes(onnxruntime_cases.model_of([case]).SerializeToString())
    inputs = []
    for i, (name, operand) in enumerate(case.feeds().items()):
        path = folder / f"input_{i}.bin"
        path.write_bytes(np.ascontiguousarray(operand).tobytes())
        inputs.append({"name": name, "dtype": operand.dtype.name, "shape": operand.shape,
                       "file": str(path)})
    return {"model": str(model), "inputs": inputs, "folder": str(folder)}


def answer_of(peer, call):
    print(json.dumps(call), file=peer.stdin, flush=True)
    answer = json.loads(peer.stdout.readline())
    if "error" in answer:
        sys.exit(f"{call['model']}: {answer['error']}")
    return answer


def optimize(peer):
    """Writes models of real numbers, and one whose operators stand between QuantizeLinear and
    DequantizeLinear, which the optimiser joins."""
    for name in ("bert", "mobilenet", "resnet"):
        model = TESTS / "models" / name / "model.onnx"
        save = OPTIMIZED / f"{name}_optimized.onnx"
        answer_of(peer, {"model": str(model), "level": "extended", "save": str(save)})
    quantized = OPTIMIZED / "quantized.onnx"
    for level in ("extended", "all"):
        save = OPTIMIZED / f"quantized_{level}.onnx"
        answer_of(peer, {"model": str(quantized), "level": level, "save": str(save)})


def recorded(case, peer):
    with tempfile.TemporaryDirectory() as work:
        answer = answer_of(peer, call_of(case, pathlib.Path(work)))
        return {output["name"]: np.fromfile(output["file"], output["dtype"]).reshape(
            output["shape"]) for output in answer["outputs"]}


def main():
    script = pathlib.Path(sys.argv[1]) / "onnxruntime.js"
    shutil.copy(TESTS / "tools" / script.name, script)
    arrays = {}
    with subprocess.Popen(["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as peer:
        for case in onnxruntime_cases.all_cases():
            arrays.update(recorded(case, peer))
        optimize(peer)
        peer.stdin.close()
    np.savez_compressed(EXPECTED, **arrays)
    print(f"{len(arrays)} arrays")


if __name__ == "__main__":
    main()
