# SPDX-License-Identifier: Apache-2.0
"""Evaluates ONNX models on NumPy, for tests where there is no other runtime.

Only ai.onnx, model-local functions and the operators listed here. Nothing is shared with Dragoman:
the meaning of each operator is that of ONNX's documentation, written down on its own.
"""

import numpy as np
from onnx import helper, numpy_helper

import onnx_recurrent_eval

OPS = {}


class Refused(Exception):
    """An operator that this evaluator does not know."""


def op(*names):
    def register(function):
        OPS.update((name, function) for name in names)
        return function
    return register


def simple(name, function):
    OPS[name] = lambda node, *operands, **_: function(*operands)


for _name, _function in {
        "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "MatMul": np.matmul,
        "Neg": np.negative, "Exp": np.exp, "Tanh": np.tanh, "Sqrt": np.sqrt, "Abs": np.abs,
        "Atan": np.arctan, "Reciprocal": np.reciprocal,
        "Less": np.less, "LessOrEqual": np.less_equal, "Greater": np.greater,
        "GreaterOrEqual": np.greater_equal,
        "Equal": np.equal, "And": np.logical_and, "Not": np.logical_not, "Where": np.where,
        "Min": np.minimum, "Max": np.maximum,
        "Identity": lambda x: x, "Relu": lambda x: np.maximum(x, 0),
        "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Softsign": lambda x: x / (1 + np.abs(x)),
        "Expand": lambda x, shape: x * np.ones(shape, x.dtype),
        "Tile": np.tile, "Range": np.arange,
        "Clip": lambda x, low=None, high=None: np.clip(x, low, high),
        "Div": lambda a, b: a // b if a.dtype.kind == "i" else a / b}.items():
    simple(_name, _function)


@op("HardSigmoid")
def hard_sigmoid(_, x, alpha=0.2, beta=0.5):
    return np.clip(x.dtype.type(alpha) * x + x.dtype.type(beta), 0, 1)


@op("Gemm")
def gemm(_, a, b, c=0, alpha=1.0, beta=1.0, transA=0, transB=0):
    product = (a.T if transA else a) @ (b.T if transB else b)
    return (alpha * product + beta * c).astype(a.dtype)


@op("Einsum")
def einsum(_, *operands, equation):
    return np.einsum(equation.decode(), *operands)


@op("Conv")
def pointwise_conv(_, x, weight, bias=None, group=1, **attributes):
    """With kernels of one element."""
    assert set(weight.shape[2:]) == {1} and group == 1
    assert not any(attributes.get("pads", ())) and set(attributes.get("strides", [1])) == {1}
    y = np.moveaxis(np.tensordot(weight.reshape(weight.shape[:2]), x, ([1], [1])), 0, 1)
    return y if bias is None else y + bias.reshape(-1, *[1] * (x.ndim - 2))


@op("Constant")
def constant(_, **attributes):
    (name, value), = attributes.items()
    if name == "value":
        return numpy_helper.to_array(value)
    return np.asarray(value, np.int64 if "int" in name else np.float32)


@op("ConstantOfShape")
def constant_of_shape(_, shape, value=None):
    filler = np.zeros(1, np.float32) if value is None else numpy_helper.to_array(value)
    return np.full(shape, filler[0], filler.dtype)


@op("Cast")
def cast(_, x, to=1):
    return x.astype(helper.mapping.TENSOR_TYPE_TO_NP_TYPE[to])


@op("Concat")
def concat(_, *operands, axis):
    return np.concatenate(operands, axis)


@op("Split")
def split(node, x, sizes=None, axis=0, num_outputs=None):
    parts = len(node.output) if sizes is None else np.cumsum(sizes)[:-1]
    return np.split(x, parts, axis)


@op("Pad")
def pad(_, x, pads, value=None, axes=None, mode=b"constant"):
    assert mode in (b"constant", b"wrap")
    axes = range(x.ndim) if axes is None else axes
    widths = [(0, 0)] * x.ndim
    for i, axis in enumerate(axes):
        widths[axis] = (pads[i], pads[len(axes) + i])
    if mode == b"wrap":
        return np.pad(x, widths, mode="wrap")
    return np.pad(x, widths, constant_values=0 if value is None else value)


@op("Slice")
def slice_(_, x, starts, ends, axes=None, steps=None):
    axes = range(len(starts)) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    index = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps):
        size = x.shape[axis]
        beyond = step < 0 and end < -size
        index[axis] = slice(int(start), None if beyond else int(end), int(step))
    return x[tuple(index)]


@op("ReduceMax", "ReduceMean", "ReduceSum")
def reduce(node, x, axes, keepdims=1):
    function = {"ReduceMax": np.max, "ReduceMean": np.mean, "ReduceSum": np.sum}[node.op_type]
    return function(x, tuple(int(a) for a in axes), keepdims=bool(keepdims))


@op("Squeeze")
def squeeze(_, x, axes=None):
    return np.squeeze(x, None if axes is None else tuple(int(a) for a in axes))


@op("Unsqueeze")
def unsqueeze(_, x, axes):
    return np.expand_dims(x, tuple(int(a) for a in axes))


@op("Transpose")
def transpose(_, x, perm=None):
    return np.transpose(x, perm)


@op("Reshape")
def reshape(_, x, shape, allowzero=0):
    return x.reshape([x.shape[i] if s == 0 and not allowzero else s for i, s in enumerate(shape)])


@op("Gather")
def gather(_, x, indices, axis=0):
    return np.take(x, indices, axis)


@op("GatherElements")
def gather_elements(_, x, indices, axis=0):
    return np.take_along_axis(x, indices, axis)


@op("CumSum")
def cumulative_sum(_, x, axis, **attributes):
    assert not any(attributes.values())
    return np.cumsum(x, int(axis), dtype=x.dtype)


@op("TopK")
def top_k(_, x, k, axis=-1, largest=1, sorted=1):  # pylint: disable=redefined-builtin
    """Of the smallest, the lower place first among equals."""
    assert not largest and sorted
    order = np.argsort(x, axis, kind="stable").take(np.arange(int(k[0])), axis)
    return [np.take_along_axis(x, order, axis), order]


@op("Shape")
def shape_of(_, x, start=0, end=None):
    return np.array(x.shape[start:end], np.int64)


@op("LSTM", "GRU", "RNN")
def recurrent(node, *operands, **attributes):
    return onnx_recurrent_eval.run(node.op_type, operands, attributes)


class Graph:
    """Runs a graph or the body of a function; `outer` are the values around a body."""

    def __init__(self, graph, functions, outer=None):
        self.graph, self.functions, self.values = graph, functions, dict(outer or {})
        for initializer in getattr(graph, "initializer", ()):
            self.values[initializer.name] = numpy_helper.to_array(initializer)

    def run(self, inputs):
        names = [getattr(value, "name", value) for value in self.graph.input]
        self.values.update(zip(names, inputs))
        for node in self.graph.node:
            self.values.update(zip(node.output, self.run_node(node)))
        return [self.values[getattr(value, "name", value)] for value in self.graph.output]

    def run_node(self, node):
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        operands = [self.values[name] if name else None for name in node.input]
        function = self.functions.get((node.domain, node.op_type))
        if function is not None:
            return Graph(function, self.functions).run(operands)
        if node.domain not in ("", "ai.onnx"):
            raise Refused(f"{node.domain}.{node.op_type}")
        if node.op_type in ("If", "Loop", "Scan"):
            return getattr(self, "run_" + node.op_type.lower())(operands, **attributes)
        if node.op_type not in OPS:
            raise Refused(node.op_type)
        result = OPS[node.op_type](node, *operands, **attributes)
        return result if isinstance(result, (list, tuple)) else [np.asarray(result)]

    def body(self, graph):
        return Graph(graph, self.functions, self.values)

    def run_if(self, operands, then_branch, else_branch):
        return self.body(then_branch if operands[0] else else_branch).run([])

    def run_loop(self, operands, body):
        limit, running, *carried = operands
        stacked, turn = [], 0
        while (limit is None or turn < limit) and (running is None or running):
            running, *outputs = self.body(body).run(
                [np.array(turn), np.array(True), *carried])
            carried, turn = outputs[:len(carried)], turn + 1
            stacked.append(outputs[len(carried):])
        return [*carried, *map(np.stack, zip(*stacked))]

    def run_scan(self, operands, body, num_scan_inputs, scan_input_axes=None,
                 scan_output_axes=None, scan_input_directions=None, scan_output_directions=None):
        count = len(operands) - num_scan_inputs
        states, sources = operands[:count], []
        for i, source in enumerate(operands[count:]):
            source = np.moveaxis(source, scan_input_axes[i] if scan_input_axes else 0, 0)
            reverse = scan_input_directions and scan_input_directions[i]
            sources.append(source[::-1] if reverse else source)
        stacked = []
        for slices in zip(*sources):
            outputs = self.body(body).run([*states, *slices])
            states = outputs[:count]
            stacked.append(outputs[count:])
        wholes = []
        for i, parts in enumerate(zip(*stacked)):
            reverse = scan_output_directions and scan_output_directions[i]
            whole = np.stack(parts[::-1] if reverse else parts)
            wholes.append(np.moveaxis(whole, 0, scan_output_axes[i] if scan_output_axes else 0))
        return [*states, *wholes]


def evaluate(model, inputs):
    """Outputs by name, from inputs by name."""
    functions = {(f.domain, f.name): f for f in model.functions}
    values = Graph(model.graph, functions).run([inputs[i.name] for i in model.graph.input])
    return {output.name: value for output, value in zip(model.graph.output, values)}
