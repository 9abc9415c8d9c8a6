#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relax modules: every one that `dragoman convert` writes is linted and evaluated on NumPy.

Models: those of tests/models, and ONNX's backend node suite where it is installed. What the emitter
refuses must say so (exit code 4). A case that is refused because an operand is known at run time
only is tried again with that operand known. Of the node suite at least LEAST_WRITTEN cases are
written; what its manifest expects to fail may.
"""
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import onnx
from onnx import numpy_helper

import relax_eval
import relax_lint
import relax_module
from commands import complaint, dragoman
from run_outputs import array_difference

SUITE = "/usr/share/libonnx-testdata/data/node"
MODELS = "tests/models"
MANIFEST = "tests/conformance/node_manifest.txt"
LEAST_WRITTEN = 885
UNSUPPORTED = 4
SMALL = 64
RTOL, ATOL = 1e-3, 1e-5
RTOL_HALF, ATOL_HALF = 1e-2, 1e-2


def read_pb(path):
    tensor = onnx.TensorProto()
    with open(path, "rb") as file:
        tensor.ParseFromString(file.read())
    return numpy_helper.to_array(tensor)


def recorded(folder):
    """Inputs and outputs of the first data set; None if they are not tensors."""
    data = os.path.join(folder, "test_data_set_0")
    try:
        return [[read_pb(os.path.join(data, f"{kind}_{i}.pb"))
                 for i in range(sum(name.startswith(kind) for name in os.listdir(data)))]
                for kind in ("input", "output")]
    except Exception:  # sequences and optionals do not parse as tensors
        return None


def with_known_operands(model, data, folder):
    """A copy whose small operands after the first are constants, and the data left."""
    inputs, outputs = data
    copy = onnx.load(model)
    given = list(copy.graph.input)
    kept = []
    for i, (value, array) in enumerate(zip(given, inputs)):
        if i > 0 and array.size <= SMALL:
            copy.graph.initializer.append(numpy_helper.from_array(array, value.name))
            copy.graph.input.remove(value)
        else:
            kept.append(array)
    path = os.path.join(folder, os.path.basename(os.path.dirname(model)) + "_known.onnx")
    onnx.save(copy, path)
    return path, (kept, outputs)


def difference(actual, expected):
    tolerances = (RTOL_HALF, ATOL_HALF) if expected.dtype == np.float16 else (RTOL, ATOL)
    return array_difference(actual, expected, *tolerances)


def evaluate(path, data):
    """What is wrong with the module's results; None if nothing."""
    inputs, outputs = data
    results = relax_module.Module(path)(*inputs)
    for i, (actual, expected) in enumerate(zip(results, outputs)):
        if what := difference(actual, expected):
            return f"output {i}: {what}"
    return None if len(results) == len(outputs) else "another number of outputs"


def convert(model, data, folder):
    """('written' | 'refused' | 'failed', what)"""
    name = os.path.basename(os.path.dirname(model)) + os.path.basename(model)
    path = os.path.join(folder, name.replace(".onnx", ".py"))
    done = dragoman("convert", model, "-o", path)
    if done.returncode == UNSUPPORTED:
        return "refused", done.stderr.strip()
    if problem := complaint(done):
        return "failed", problem
    findings = relax_lint.lint(path)
    if findings:
        return "failed", findings[0]
    try:
        wrong = evaluate(path, data) if data else None
    except relax_eval.Refused as refused:
        return "not evaluated", str(refused)
    except Exception as error:  # a module that does not run is a finding like any other
        wrong = f"{type(error).__name__}: {error}"
    return ("failed", wrong) if wrong else ("written", "")


def check(model, data, folder):
    """The same; a model that is refused is tried again with known operands."""
    outcome, what = convert(model, data, folder)
    if outcome != "refused" or not data or "known at run time" not in what:
        return outcome, what
    return convert(*with_known_operands(model, data, folder), folder)


def cases():
    for name in sorted(os.listdir(MODELS)):
        model = os.path.join(MODELS, name, "model.onnx")
        if os.path.exists(model):
            yield model, recorded(os.path.dirname(model))
    for name in sorted(os.listdir(SUITE)) if os.path.isdir(SUITE) else []:
        folder = os.path.join(SUITE, name)
        yield os.path.join(folder, "model.onnx"), recorded(folder)


def expected_to_fail():
    """Names of cases of any release of ONNX."""
    with open(MANIFEST, encoding="utf-8") as file:
        return {line.split(":")[0].split("/")[-1] for line in file if not line.startswith("#")}


def main():
    counts = {"written": 0, "not evaluated": 0, "refused": 0, "failed": 0, "failed as expected": 0}
    expected = expected_to_fail()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        jobs = [(model, pool.submit(check, model, data, folder)) for model, data in cases()]
        for model, job in jobs:
            outcome, what = job.result()
            if outcome == "failed" and os.path.basename(os.path.dirname(model)) in expected:
                outcome = "failed as expected"
            counts[outcome] += 1
            if outcome == "failed" or (outcome != "written" and "-v" in sys.argv):
                print(f"{model}: {outcome}: {what}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    enough = not os.path.isdir(SUITE) or counts["written"] >= LEAST_WRITTEN
    return 0 if counts["failed"] == 0 and enough else 1


if __name__ == "__main__":
    sys.exit(main())
