# SPDX-License-Identifier: Apache-2.0
"""Calls of one operator each, of which ONNX Runtime records the results, and a model of them."""

import dataclasses
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 17
F32, I32, I64, U8, I8 = np.float32, np.int32, np.int64, np.uint8, np.int8


@dataclasses.dataclass
class Case:
    """One node. `wanted` are the indices of the results that it names."""
    name: str
    op: str
    operands: list
    attributes: dict
    wanted: tuple = (0,)
    constants: tuple = ()  # indices of operands that the file holds
    domain: str = "com.microsoft"
    ml: int = 3  # the operator set of ai.onnx.ml that it needs

    def operand_name(self, i):
        return "" if self.operands[i] is None else f"{self.name}_x{i}"

    def result_names(self):
        return [f"{self.name}_y{i}" if i in self.wanted else ""
                for i in range(max(self.wanted) + 1)]

    def feeds(self):
        return {self.operand_name(i): operand for i, operand in enumerate(self.operands)
                if operand is not None and i not in self.constants}

    def node(self):
        return helper.make_node(self.op, [self.operand_name(i) for i in range(len(self.operands))],
                                self.result_names(), name=self.name, domain=self.domain,
                                **self.attributes)


def model_of(cases):
    """One model of all nodes; its outputs are of types that readers infer."""
    inputs, constants, outputs = [], [], []
    for case in cases:
        for i, operand in enumerate(case.operands):
            if operand is None:
                continue
            if i in case.constants:
                constants.append(numpy_helper.from_array(operand, case.operand_name(i)))
            else:
                kind = helper.np_dtype_to_tensor_dtype(operand.dtype) if hasattr(
                    helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[
                        operand.dtype]
                inputs.append(helper.make_tensor_value_info(case.operand_name(i), kind,
                                                            operand.shape))
        outputs += [onnx.ValueInfoProto(name=name) for name in case.result_names() if name]
    graph = helper.make_graph([case.node() for case in cases], "cases", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1),
              helper.make_opsetid("ai.onnx.ml", max(case.ml for case in cases))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Draws:
    """Operands of one case, seeded by its name."""

    def __init__(self, name):
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def real(self, *sizes):
        return self.random.standard_normal(sizes).astype(F32)

    def ints(self, low, high, *sizes, dtype=I32):
        return self.random.integers(low, high, sizes).astype(dtype)

    def quantized(self, dtype, *sizes):
        return self.ints(*((0, 120) if dtype == U8 else (-60, 60)), *sizes, dtype=dtype)


def scalar(value, dtype=F32):
    return np.array(value, dtype)
