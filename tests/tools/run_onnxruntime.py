#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an ONNX file by ONNX Runtime, after the checker of package onnx has seen it.

Usage: run_onnxruntime.py MODEL INPUTS.npz OUTPUTS.npz

For the environment that `scripts/peers.sh onnx` makes. INPUTS.npz holds the inputs by name.
"""

import sys

import numpy as np
import onnx
import onnxruntime


def main(model, inputs, outputs):
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    with np.load(inputs) as arrays:
        results = session.run(names, dict(arrays))
    np.savez(outputs, **dict(zip(names, results)))


if __name__ == "__main__":
    main(*sys.argv[1:])
