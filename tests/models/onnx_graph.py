# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX graphs node by node, as test generators need it."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

DTYPES = {np.dtype(np.float16): TensorProto.FLOAT16, np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int64): TensorProto.INT64,
          np.dtype(np.uint64): TensorProto.UINT64, np.dtype(np.bool_): TensorProto.BOOL,
          np.dtype(np.int32): TensorProto.INT32, np.dtype(np.uint8): TensorProto.UINT8}


class GraphWriter:
    """Nodes and constants of one graph; values are names. A body shares its owner's names."""

    def __init__(self, outer=None):
        self.outer = outer
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []
        self.constants = {}
        self.count = 0

    def fresh(self, hint):
        root = self
        while root.outer is not None:
            root = root.outer
        root.count += 1
        return f"{hint}_{root.count}"

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, DTYPES[np.dtype(dtype)], shape))
        return name

    def output(self, value, name=None, dtype=np.float32, shape=None):
        """Gives `value` out, under `name` if that is given."""
        if name is not None:
            value = self.op("Identity", value, name=name)
        self.outputs.append(helper.make_tensor_value_info(value, DTYPES[np.dtype(dtype)], shape))

    def const(self, value, dtype=np.float32):
        """A constant; equal ones are one, as exporters share weights between steps."""
        array = np.asarray(value, dtype)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self.constants:
            self.constants[key] = self.fresh("const")
            self.initializers.append(numpy_helper.from_array(array, self.constants[key]))
        return self.constants[key]

    def ints(self, *values):
        return self.const(values, np.int64)

    def op(self, op_type, *operands, outputs=1, name=None, **attributes):
        """Appends a node; gives the name of its output, or a list of `outputs` names."""
        names = [name] if name else [self.fresh(op_type.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op_type, list(operands), names, **attributes))
        return names[0] if len(names) == 1 else names

    def graph(self, name="body"):
        return helper.make_graph(self.nodes, name, self.inputs, self.outputs, self.initializers)

    def model(self, opset=13):
        model = helper.make_model(self.graph("main"),
                                  opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = 8
        return model
