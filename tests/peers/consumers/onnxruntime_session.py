# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX files in ONNX Runtime."""

import ctypes
import math

import numpy
import onnxruntime
from onnxruntime import OrtValue

from shared.cases import BITS, SMALL_INTEGERS, Refused, in_order, restored
from shared.consume import serve_consumer


def session_options():
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    # Runtimes replace operators by faster, less exact ones; what is judged is the file.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        import onnxruntime_extensions
        options.register_custom_ops_library(onnxruntime_extensions.get_library_path())
    except ImportError:  # older releases are tried without
        pass
    return options


def onnx_type(name):
    """The number of an element type in TensorProto, for those that NumPy lacks."""
    return {"bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19,
            "float8_e5m2fnuz": 20, "uint4": 21, "int4": 22}.get(name)


def given(value):
    """An input as the session takes it."""
    if not isinstance(value, numpy.ndarray):
        return value
    number = onnx_type(value.dtype.name)
    if number is None:
        return value
    if value.dtype.name in SMALL_INTEGERS:
        raise Refused("an input of 4 bits an element, of which a byte holds two")
    return OrtValue.ortvalue_from_numpy_with_onnx_type(value.view("uint16" if number == 16
                                                                  else "uint8"), number)


def plain(value):
    """An output as an array, or as a list of arrays."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def array_of(value):
    """The elements of an OrtValue, which gives no array of floats that NumPy lacks."""
    name = next((name for name in BITS if onnx_type(name) == value.element_type()), None)
    if name is None:
        return value.numpy()
    bits = numpy.dtype(BITS[name])
    memory = ctypes.string_at(value.data_ptr(), math.prod(value.shape()) * bits.itemsize)
    return restored(numpy.frombuffer(memory, bits).reshape(value.shape()), name)


def load(path):
    session = onnxruntime.InferenceSession(path, session_options(),
                                           providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_inputs()]
    lacks = any("float8" in entry.type or "bfloat16" in entry.type
                for entry in session.get_outputs())

    def call(inputs):
        feeds = dict(zip(names, map(given, in_order(inputs, names))))
        feeds = {name: value for name, value in feeds.items() if value is not None}
        if lacks or any(isinstance(value, OrtValue) for value in feeds.values()):
            feeds = {name: value if isinstance(value, OrtValue) else
                     OrtValue.ortvalue_from_numpy(value) for name, value in feeds.items()}
            return [array_of(value) for value in session.run_with_ort_values(None, feeds)]
        return [plain(value) for value in session.run(None, feeds)]

    return call


if __name__ == "__main__":
    serve_consumer(load, f"ONNX Runtime {onnxruntime.__version__}")
