# SPDX-License-Identifier: Apache-2.0
"""Runs ONNX files in OpenVINO, on the CPU."""

import openvino

from shared.cases import Refused, in_order
from shared.consume import serve_consumer

CORE = openvino.Core()
# With AMX it would compute in bfloat16.
PROPERTIES = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def load(path):
    compiled = CORE.compile_model(CORE.read_model(path), "CPU", PROPERTIES)
    names = [port.get_any_name() for port in compiled.inputs]

    def call(inputs):
        values = in_order(inputs, names)
        if any(value is None or isinstance(value, list) for value in values):
            raise Refused("a sequence or an optional as input")
        results = compiled(dict(enumerate(values)))
        return [results[port] for port in compiled.outputs]

    return call


if __name__ == "__main__":
    serve_consumer(load, f"OpenVINO {openvino.__version__.split('-')[0]}")
