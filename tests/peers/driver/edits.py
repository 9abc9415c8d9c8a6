# SPDX-License-Identifier: Apache-2.0
"""Small edits of ONNX files, each of which changes what the model computes."""

import math
import random

import numpy
import onnx
from onnx import numpy_helper

EDITS = ("weight", "factor", "mask", "operands", "attribute")

LEAST_OF_MASK = -1e30  # what hides a score; -inf in most masks
ORDERED = ("Sub", "Div", "Pow", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
EPSILONS = ("LayerNormalization", "RMSNormalization", "GroupNormalization", "BatchNormalization",
            "InstanceNormalization")


class Constants:
    """The constants of a model that nodes read: initializers, and what Constant nodes hold."""

    def __init__(self, graph):
        read = {name for node in graph.node for name in node.input}
        self.protos = {tensor.name: tensor for tensor in graph.initializer if tensor.name in read}
        for node in graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                self.protos[node.output[0]] = node.attribute[0].t
        self.arrays = {name: numpy_helper.to_array(proto) for name, proto in self.protos.items()}

    def change(self, name, index, number):
        array = self.arrays[name].copy()
        array[index] = number
        self.protos[name].CopyFrom(numpy_helper.from_array(array, self.protos[name].name))
        return f"{name}{list(map(int, index))} = {number}"


def is_float(array):
    return array.dtype in (numpy.float32, numpy.float64, numpy.float16)


def change_weight(graph, draw):
    """The largest element of a matrix, by 1 %."""
    constants = Constants(graph)
    names = [name for name, array in constants.arrays.items()
             if is_float(array) and array.ndim >= 2 and array.size >= 16 and
             0 < numpy.abs(array).max() < -LEAST_OF_MASK]
    if not names:
        return None
    name = draw.choice(names)
    array = constants.arrays[name]
    index = numpy.unravel_index(numpy.abs(array).argmax(), array.shape)
    return constants.change(name, index, array[index] * 1.01)


def change_factor(graph, draw):
    """A number that something is multiplied or divided by, by 1 %."""
    constants = Constants(graph)
    factors = {name for node in graph.node if node.op_type in ("Mul", "Div") for name in node.input}
    names = [name for name, array in constants.arrays.items()
             if name in factors and array.size == 1 and is_float(array) and
             0 < abs(array.item()) < math.inf]
    if not names:
        return None
    name = draw.choice(names)
    array = constants.arrays[name]
    return constants.change(name, (0,) * array.ndim, array.item() * 1.01)


def change_mask(graph, draw):
    """One element of a constant mask: hidden, if it was not, or shown."""
    constants = Constants(graph)
    names = [name for name, array in constants.arrays.items() if array.ndim >= 2 and array.size > 1 and
             (array.dtype == bool or (is_float(array) and array.min() <= LEAST_OF_MASK))]
    if not names:
        return None
    name = draw.choice(names)
    array = constants.arrays[name]
    index = tuple(draw.randrange(size) for size in array.shape)
    if array.dtype == bool:
        return constants.change(name, index, not array[index])
    return constants.change(name, index, array.min() if array[index] == 0 else 0)


def swap_operands(graph, draw):
    """Those of an operator for which their order counts."""
    places = [(node, 0) for node in graph.node if node.op_type in ORDERED]
    places += [(node, 1) for node in graph.node if node.op_type == "Where"]
    places = [(node, i) for node, i in places if node.input[i] != node.input[i + 1]]
    if not places:
        return None
    node, i = draw.choice(places)
    node.input[i], node.input[i + 1] = node.input[i + 1], node.input[i]
    return f"operands of {node.op_type} {node.name}"


def change_attribute(graph, draw):
    """An epsilon, the axis of a Softmax, the form of a Gelu, the dilation of a convolution."""
    arrays = Constants(graph).arrays
    attributes = []
    for node in graph.node:
        for attribute in node.attribute:
            counts = (attribute.name == "epsilon" and node.op_type in EPSILONS or
                    attribute.name == "axis" and node.op_type == "Softmax" or
                    attribute.name == "approximate" and node.op_type == "Gelu" or
                    attribute.name == "dilations" and node.op_type == "Conv" and
                    node.input[1] in arrays and arrays[node.input[1]].shape[2] > 1)
            if counts:
                attributes.append((node, attribute))
    if not attributes:
        return None
    node, attribute = draw.choice(attributes)
    if attribute.name == "epsilon":
        attribute.f *= 10
    elif attribute.name == "axis":
        attribute.i -= 1
    elif attribute.name == "dilations":
        attribute.ints[0] += 1
    else:
        attribute.s = b"none" if attribute.s == b"tanh" else b"tanh"
    return f"{attribute.name} of {node.op_type} {node.name}"


CHANGES = dict(zip(EDITS, (change_weight, change_factor, change_mask, swap_operands,
                           change_attribute)))


def outputs(path):
    """What a model computes for drawn inputs; None where ONNX Runtime does not run it."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    draw = numpy.random.default_rng(1)
    try:
        session = onnxruntime.InferenceSession(str(path), options,
                                               providers=["CPUExecutionProvider"])
        inputs = {}
        for given in session.get_inputs():
            if given.type == "tensor(float)":
                inputs[given.name] = draw.standard_normal(given.shape).astype(numpy.float32)
            else:
                inputs[given.name] = draw.integers(0, 2, given.shape).astype(numpy.int64)
        return session.run(None, inputs)
    except Exception:  # ONNX Runtime raises what it likes
        return None


def has_effect(path, changed):
    """Whether an edit changes what a model computes, or whether it can be run."""
    before, after = outputs(path), outputs(changed)
    if before is None or after is None:
        return True
    return not all(numpy.array_equal(a, b, equal_nan=True) for a, b in zip(before, after))


def edited(path, edit, changed):
    """Writes the model at `path` with one edit; what that is, or None where there is none."""
    model = onnx.load(path)
    what = CHANGES[edit](model.graph, random.Random(f"{path.parent.name} {edit}"))
    if what is not None:
        onnx.save(model, changed)
    return what
