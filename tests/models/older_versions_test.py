#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators whose meaning or form older operator sets have otherwise, against NumPy.

Each case is a model of one node, in an operator set below that of its row in
importers/onnx/ops/lowerings.cc; each row has a case, and a line of docs/onnx-domains.md.
"""

import itertools
import pathlib
import re
import unittest

import numpy as np
import onnx
from onnx import helper, numpy_helper

from command_case import CommandCase

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r'\{"(\w+)", (\d+), Lower\w+\}')
RANDOM = np.random.default_rng(7)
X = RANDOM.standard_normal((2, 3, 4)).astype(np.float32)
IMAGE = RANDOM.standard_normal((1, 2, 4, 4)).astype(np.float32)
PAIR = (np.arange(24).reshape(2, 3, 4) % 2 == 0, np.arange(24).reshape(2, 3, 4) % 3 == 0)
CHANNELS = np.array([0.5, 1.5, -2], np.float32)


def case(op, opset, operands, expected, **attributes):
    return op, opset, operands, expected, attributes


def broadcasting():
    """From the axis that an attribute names, and only on request."""
    y = CHANNELS[:, None]
    for op, function in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply),
                         ("Div", np.divide)):
        yield case(op, 6, [X, CHANNELS], function(X, y), broadcast=1, axis=1)
    base = np.abs(X) + np.float32(0.5)
    yield case("Pow", 6, [base, CHANNELS], base**y, broadcast=1, axis=1)
    for op, function in (("Less", np.less), ("Greater", np.greater)):
        yield case(op, 6, [X, CHANNELS], function(X, y), broadcast=1, axis=1)
    whole = np.arange(24, dtype=np.int64).reshape(2, 3, 4) % 3
    yield case("Equal", 6, [whole, np.array([0, 1, 2])], whole == np.array([0, 1, 2])[:, None],
               broadcast=1, axis=1)
    for op, function in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
        few = PAIR[1][0, :, 0]
        yield case(op, 6, [PAIR[0], few], function(PAIR[0], few[:, None]), broadcast=1, axis=1)
    yield case("PRelu", 6, [X, CHANNELS], np.where(X < 0, X * y, X))
    yield case("Gemm", 6, [X[0], X[1].T, CHANNELS], X[0] @ X[1].T + CHANNELS, broadcast=1)


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def flattened():
    """Along all axes from `axis` on."""
    rows = X.reshape(2, 12)
    yield case("Softmax", 11, [X], softmax(rows).reshape(X.shape))
    yield case("LogSoftmax", 11, [X], np.log(softmax(rows)).reshape(X.shape))
    hit = np.arange(12) == rows.argmax(1)[:, None]
    yield case("Hardmax", 11, [X], hit.reshape(X.shape).astype(np.float32))


def reductions():
    """Axes are an attribute."""
    for op, function in (("ReduceSum", np.sum), ("ReduceMean", np.mean), ("ReduceMax", np.max),
                         ("ReduceMin", np.min), ("ReduceProd", np.prod)):
        yield case(op, 11, [X], function(X, (0, 2)), axes=[0, -1], keepdims=0)
    composed = {"ReduceL1": lambda x: np.abs(x).sum(1), "ReduceSumSquare": lambda x: (x**2).sum(1),
                "ReduceL2": lambda x: np.sqrt((x**2).sum(1)),
                "ReduceLogSumExp": lambda x: np.log(np.exp(x).sum(1))}
    for op, function in composed.items():
        yield case(op, 13, [X], function(X), axes=[1], keepdims=0)
    yield case("ReduceLogSum", 13, [np.abs(X)], np.log(np.abs(X).sum(1)), axes=[1], keepdims=0)


def movement():
    """What later are operands are attributes."""
    yield case("Clip", 6, [X], np.clip(X, -0.5, 0.25), min=-0.5, max=0.25)
    yield case("Concat", 1, [X, X], np.concatenate([X, X], 1))
    padded = np.pad(X, ((0, 0), (1, 0), (0, 2)), constant_values=1.5)
    yield case("Pad", 1, [X], padded, paddings=[0, 1, 0, 0, 0, 2], value=1.5)
    yield case("Pad", 2, [X], padded, pads=[0, 1, 0, 0, 0, 2], value=1.5)
    yield case("Reshape", 1, [X], X.reshape(2, 12), shape=[0, -1])
    yield case("Slice", 1, [X], X[:, 1:, :-1], axes=[1, 2], starts=[1, 0], ends=[1000, -1])
    yield case("Split", 2, [X], [X[..., :3], X[..., 3:]], axis=2, split=[3, 1])
    yield case("Split", 13, [X], [X[..., :2], X[..., 2:]], axis=-1)
    yield case("Squeeze", 1, [X[:, :1]], X[:, 0], axes=[1])
    yield case("Unsqueeze", 11, [X], X[:, None, ..., None], axes=[1, -1])
    yield case("Tile", 1, [X, np.float32([2]), np.float32([1])], np.tile(X, (1, 2, 1)))
    order = np.argsort(-X, -1)[..., :2]
    yield case("TopK", 1, [X], [np.take_along_axis(X, order, -1), order], k=2)
    yield case("Dropout", 7, [X], X, ratio=0.5)


def spectrum():
    pairs = RANDOM.standard_normal((2, 3, 5, 2)).astype(np.float32)
    y = np.fft.fft(pairs[..., 0] + 1j * pairs[..., 1], axis=1)
    yield case("DFT", 17, [pairs], np.stack([y.real, y.imag], -1), axis=1)


def layers():
    scale, bias, mean, variance = CHANNELS, -CHANNELS, CHANNELS / 2, np.abs(CHANNELS)
    column = lambda v: v[:, None]
    y = (X - column(mean)) / np.sqrt(column(variance) + 1e-5) * column(scale) + column(bias)
    yield case("BatchNormalization", 9, [X, scale, bias, mean, variance], y)
    groups = IMAGE.reshape(1, 2, -1)
    normal = (groups - groups.mean(-1, keepdims=True)) / np.sqrt(
        groups.var(-1, keepdims=True) + 1e-5)
    yield case("GroupNormalization", 18, [IMAGE, CHANNELS[:2], CHANNELS[1:]],
               (normal * CHANNELS[:2, None] + CHANNELS[1:, None]).reshape(IMAGE.shape),
               num_groups=2)
    yield case("Selu", 1, [X], 1.0507 * np.where(X > 0, X, 1.6732 * np.expm1(X)))
    yield case("GlobalLpPool", 1, [IMAGE], np.sqrt((IMAGE**2).sum((2, 3), keepdims=True)), p=2.0)
    yield case("LpPool", 1, [IMAGE],
               np.abs(IMAGE).reshape(1, 2, 2, 2, 2, 2).sum((3, 5)), p=1.0,
               kernel_shape=[2, 2], strides=[2, 2])
    yield case("LpNormalization", 1, [X], X / np.abs(X).sum(1, keepdims=True), axis=1, p=1)
    for across, divides in itertools.product((0, 1), (0, 1)):
        axes = (0, 1, 2, 3) if across else (0, 2, 3)
        centred = IMAGE - IMAGE.mean(axes, keepdims=True)
        y = centred / IMAGE.std(axes, keepdims=True) if divides else centred
        yield case("MeanVarianceNormalization", 1, [IMAGE], y, across_channels=across,
                   normalize_variance=divides)
    halves = np.array([0.5, 1.5, 2.5, -9], np.float32)
    whole = np.array([5, 15, 25, -90], np.int32)
    for x, step in ((halves, 1), (whole, 10)):
        yield case("QuantizeLinear", 13, [x, np.float32(step), np.uint8(3)],
                   np.array([3, 5, 5, 0], np.uint8))
    # Everywhere a plane: what is sampled between points tells where.
    plane = np.add.outer(10 * np.arange(6), np.arange(6)).astype(np.float32)[None, None]
    yield case("RoiAlign", 10, [plane, np.float32([[1, 1, 3, 3]]), np.array([0])],
               np.full((1, 1, 1, 1), 22, np.float32), sampling_ratio=2)
    yield case("Resize", 10, [IMAGE, np.float32([1, 1, 2, 2])],
               np.repeat(np.repeat(IMAGE, 2, 2), 2, 3))
    grid = np.float32([[[[-1, -1], [1, 1], [0, 0]]]])
    middle = IMAGE[:, :, 1:3, 1:3].mean((2, 3))
    yield case("GridSample", 16, [IMAGE, grid],
               np.stack([IMAGE[..., 0, 0], IMAGE[..., 3, 3], middle], -1)[:, :, None],
               mode="bilinear", align_corners=1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def recurrences():
    """One step from zeros; an attribute that only the first operator sets have."""
    steps = X[:1]
    draw = lambda gates: (RANDOM.standard_normal((1, gates * 2, 4)).astype(np.float32),
                          RANDOM.standard_normal((1, gates * 2, 2)).astype(np.float32))
    w, r = draw(1)
    yield case("RNN", 1, [steps, w, r], np.tanh(steps @ w[0].T)[:, None], hidden_size=2,
               output_sequence=1)
    w, r = draw(3)
    update, _, new = np.split(steps @ w[0].T, 3, -1)
    yield case("GRU", 1, [steps, w, r], ((1 - sigmoid(update)) * np.tanh(new))[:, None],
               hidden_size=2, output_sequence=1)
    w, r = draw(4)
    enter, leave, _, cell = np.split(steps @ w[0].T, 4, -1)
    yield case("LSTM", 1, [steps, w, r],
               (sigmoid(leave) * np.tanh(sigmoid(enter) * np.tanh(cell)))[:, None],
               hidden_size=2, output_sequence=1)


def batched_scan():
    """Running sums of sequences of other lengths, forwards and from their last elements on."""
    tensors = {name: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])
               for name in ("before", "element", "after", "shown")}
    body = helper.make_graph([helper.make_node("Add", ["before", "element"], ["after"]),
                              helper.make_node("Identity", ["after"], ["shown"])], "step",
                             [tensors["before"], tensors["element"]],
                             [tensors["after"], tensors["shown"]])
    start, lengths = X[:, 0] * 2, np.array([3, 1])
    for backwards in (0, 1):
        sums = np.zeros_like(X)
        for row, length in enumerate(lengths):
            elements = X[row, :length][::-1] if backwards else X[row, :length]
            sums[row, :length] = start[row] + np.cumsum(elements, 0)
        last = np.stack([sums[row, length - 1] for row, length in enumerate(lengths)])
        yield case("Scan", 8, [lengths, start, X], [last, sums], body=body, num_scan_inputs=1,
                   directions=[backwards])


def all_cases():
    return [one for group in (broadcasting, flattened, reductions, movement, spectrum, layers,
                              recurrences, batched_scan) for one in group()]


class OlderVersionsTest(CommandCase):
    checked = False  # checkers of files know the newer sets only

    def compute(self, op, opset, operands, expected, attributes, sizes_known=True):
        expected = expected if isinstance(expected, list) else [expected]
        kinds = [helper.np_dtype_to_tensor_dtype(x.dtype) if hasattr(
            helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[x.dtype]
                 for x in operands]
        inputs = [helper.make_tensor_value_info(
            f"x{i}", kind, x.shape if sizes_known else [None] * x.ndim)
                  for i, (x, kind) in enumerate(zip(operands, kinds))]
        constants = []
        if op == "Tile":  # which asks for constants
            constants = [numpy_helper.from_array(x, f"x{i}") for i, x in enumerate(operands)][1:]
            inputs = inputs[:1]
        names = [f"y{i}" for i in range(len(expected))]
        node = helper.make_node(op, [f"x{i}" for i in range(len(operands))], names, **attributes)
        graph = helper.make_graph([node], "g", inputs,
                                  [onnx.ValueInfoProto(name=name) for name in names], constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                  ir_version=8)
        (self.out / "model.onnx").write_bytes(model.SerializeToString())
        np.savez(self.out / "inputs.npz", **{f"x{i}": x for i, x in enumerate(operands)
                                             if i < len(inputs)})
        exact = [y.astype(np.float32) if y.dtype == np.float64 else y for y in expected]
        np.savez(self.out / "outputs.npz", **dict(zip(names, exact)))
        self.done("verify", self.out / "model.onnx", "--data", self.out)

    def test_each_is_computed_as_its_operator_set_has_it(self):
        for op, opset, operands, expected, attributes in all_cases():
            with self.subTest(op=op, opset=opset):
                self.compute(op, opset, operands, expected, attributes)

    def test_sizes_that_only_the_run_knows(self):
        for op, opset, operands, expected, attributes in all_cases():
            if op in ("GroupNormalization", "Scan"):
                self.compute(op, opset, operands, expected, attributes, sizes_known=False)

    def test_softmax_of_nothing(self):
        for opset in (11, 13):
            nothing = np.zeros((2, 0, 3), np.float32)
            self.compute("Softmax", opset, [nothing], nothing, {"axis": 1})
            self.done("convert", self.out / "model.onnx", "-o", self.out / "written.onnx",
                      "--passes", "default", "--strict", "-q")

    def test_each_lowering_of_an_older_form_has_a_case_and_a_line(self):
        rows = ROW.findall((ROOT / "importers/onnx/ops/lowerings.cc").read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 40)
        cases = {}
        for op, opset, *_ in all_cases():
            cases.setdefault(op, []).append(opset)
        told = {}
        page = (ROOT / "docs/onnx-domains.md").read_text(encoding="utf-8")
        for operators, opset in re.findall(r"^\| ([\w, ]+) \| (\d+) \|", page, re.MULTILINE):
            told.update((op, int(opset)) for op in operators.split(", "))
        for op, before in rows:
            with self.subTest(op=op):
                self.assertTrue(any(opset < int(before) for opset in cases.get(op, [])))
                self.assertEqual(told.get(op), int(before))


if __name__ == "__main__":
    unittest.main()
