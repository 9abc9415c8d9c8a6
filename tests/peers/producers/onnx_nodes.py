# SPDX-License-Identifier: Apache-2.0
"""The node cases of the package onnx, with the outputs that its own Python code computed."""

import numpy
import onnx
from onnx.backend.test.loader import load_node_model_tests
from onnx import numpy_helper

from shared.cases import write_case
from shared.produce import serve_producer

FORM = "ONNX node cases"
# Outputs that are drawn.
RANDOM = ("test_bernoulli", "test_training_dropout")


def value_of(item):
    """A recorded input or output as a value of a case."""
    if item is None or isinstance(item, numpy.ndarray):
        return item
    if isinstance(item, (list, tuple)):
        return [value_of(part) for part in item]
    if isinstance(item, onnx.TensorProto):
        return numpy_helper.to_array(item)
    if isinstance(item, onnx.SequenceProto):
        return [value_of(part) for part in numpy_helper.to_list(item)]
    if isinstance(item, onnx.OptionalProto):
        part = value_of(numpy_helper.to_optional(item))
        return None if part is None else [part]
    return numpy.asarray(item)


def write(test, folder):
    onnx.save(test.model, folder / "model.onnx")
    graph = test.model.graph
    names = [entry.name for entry in graph.input]
    results = [entry.name for entry in graph.output]
    runs = [(dict(zip(names, map(value_of, inputs))), dict(zip(results, map(value_of, outputs))))
            for inputs, outputs in test.data_sets]
    write_case(folder, "model.onnx", runs, rtol=test.rtol,
               random=test.name.startswith(RANDOM))


def cases():
    return {f"{FORM}/{test.name.removeprefix('test_')}": lambda folder, test=test:
            write(test, folder) for test in load_node_model_tests()}


if __name__ == "__main__":
    serve_producer(cases(), f"onnx {onnx.__version__}")
