#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators that ONNX Runtime's tools write, against what it computes itself.

They are copied losslessly, run by the interpreter and as one C++ program, and written as a model of
ai.onnx alone.
"""

import math
import pathlib
import unittest

import numpy as np
import onnx

import onnxruntime_case
import onnxruntime_cases
from command_case import CommandCase
from run_outputs import read_outputs

EXPECTED = pathlib.Path(__file__).with_name("onnxruntime_expected.npz")
TOLERANCE = 1e-4
# Products of rounded factors may lie between two integers: by spelling, either is right.
QUANTIZED_TOLERANCE = 1


def problem_of(found, expected):
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"{found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}"
    if expected.dtype.kind == "f":
        equal = np.allclose(found, expected, TOLERANCE, TOLERANCE)
    else:
        most = QUANTIZED_TOLERANCE if expected.itemsize == 1 else 0
        equal = np.abs(found.astype(int) - expected.astype(int)).max(initial=0) <= most
    return "" if equal else f"{found.ravel()[:4]}, expected {expected.ravel()[:4]}"


class OperatorsTest(CommandCase):
    ml = 3  # operator set of ai.onnx.ml

    @classmethod
    def setUpClass(cls):
        cls.cases = [case for case in onnxruntime_cases.all_cases() if case.ml == cls.ml]
        with np.load(EXPECTED) as file:
            cls.expected = dict(file)

    def setUp(self):
        super().setUp()
        self.model = self.out / "cases.onnx"
        self.bytes = onnxruntime_case.model_of(self.cases).SerializeToString()
        self.model.write_bytes(self.bytes)
        np.savez(self.out / "inputs.npz",
                 **{name: operand for case in self.cases for name, operand in case.feeds().items()})

    def check(self, model, *arguments):
        folder = self.out / "results"
        self.done("run", model, "--inputs", self.out / "inputs.npz", "--output-dir", folder, "-q",
                  *arguments)
        names = [name for case in self.cases for name in case.result_names() if name]
        problems = [f"{name}: {problem}"
                    for name, (found, _) in zip(names, read_outputs(folder))
                    if (problem := problem_of(found, self.expected[name]))]
        self.assertEqual(problems, [])

    def test_interpreter(self):
        self.check(self.model)

    def test_native(self):
        self.check(self.model, "--engine", "native")

    def test_written_without_the_domain(self):
        plain = self.out / "plain.onnx"
        self.done("convert", self.model, "-o", plain, "--passes", "default", "-q")
        domains = {node.domain for node in onnx.load(plain).graph.node}
        self.assertNotIn("com.microsoft", domains)
        self.check(plain)

    def test_copied_losslessly(self):
        copy = self.out / "copy.onnx"
        self.done("convert", self.model, "-o", copy, "-q")
        self.assertEqual(copy.read_bytes(), self.bytes)


class NewestLearnersTest(OperatorsTest):
    ml = 5


def gelu(x):
    return x * np.vectorize(math.erf)(x / math.sqrt(2)) / 2 + x / 2


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def group_norm(x, scale, bias, groups, epsilon):
    """Of channels last, with SiLU after."""
    apart = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    centred = apart - apart.mean((1, 3), keepdims=True)
    deviation = np.sqrt((centred**2).mean((1, 3), keepdims=True) + epsilon)
    y = (centred / deviation).reshape(x.shape) * scale + bias
    return y / (1 + np.exp(-y))


class DocumentedTest(CommandCase):
    """Operators that ONNX Runtime has not on the CPU, against what its documentation says."""

    def check(self, op, operands, attributes, *expected):
        case = onnxruntime_case.Case("node", op, operands, attributes,
                                     wanted=tuple(range(len(expected))))
        model = self.out / "model.onnx"
        model.write_bytes(onnxruntime_case.model_of([case]).SerializeToString())
        np.savez(self.out / "inputs.npz", **case.feeds())
        self.done("run", model, "--inputs", self.out / "inputs.npz", "--output-dir",
                  self.out / op, "-q")
        for (found, _), y in zip(read_outputs(self.out / op), expected):
            np.testing.assert_allclose(found, y, TOLERANCE, TOLERANCE)

    def test_formulas(self):
        draw = onnxruntime_case.Draws("documented")
        x, bias = draw.real(2, 3, 8), draw.real(8)
        left, right = np.split(x + bias, 2, -1)
        self.check("BiasSplitGelu", [x, bias], {}, left * gelu(right))
        mask = draw.real(2, 1, 8)
        self.check("BiasSoftmax", [x, mask], {"axis": 2, "is_inner_broadcast": 1},
                   softmax(x + mask))
        self.check("BiasAdd", [x, bias, x], {}, x + bias + x)
        a, scale, skip = draw.real(2, 3, 4, 8), draw.real(8), draw.real(2, 8)
        attributes = {"groups": 2, "activation": 1, "epsilon": 0.1}
        self.check("GroupNorm", [a, scale, bias], attributes,
                   group_norm(a, scale, bias, 2, 0.1))
        total = a + skip[:, None, None] + bias
        self.check("SkipGroupNorm", [a, scale, bias, skip, bias], attributes,
                   group_norm(total, scale, bias, 2, 0.1), total)


class RefusalsTest(CommandCase):
    def refused(self, case, code=4):
        model = self.out / "model.onnx"
        model.write_bytes(onnxruntime_case.model_of([case]).SerializeToString())
        return self.fails(code, "codegen", model, "-o", self.out / "program")

    def test_parts_of_operators(self):
        draw = onnxruntime_case.Draws("refused")
        x, weights, bias = draw.real(2, 3, 6), draw.real(6, 24), draw.real(24)
        rotated = onnxruntime_case.Case("node", "Attention", [x, weights, bias],
                                        {"num_heads": 2, "do_rotary": 1})
        self.assertIn("error: do_rotary", self.refused(rotated))
        unknown = onnxruntime_case.Case("node", "Gelu", [x], {"approximation": 1})
        self.assertIn("attribute 'approximation' is not known", self.refused(unknown))
        apart = onnxruntime_case.Case("node", "MultiHeadAttention",
                                      [x, draw.real(2, 4, 6), draw.real(2, 4, 6)],
                                      {"num_heads": 2, "unidirectional": 1})
        self.assertIn("error: unidirectional", self.refused(apart))
        quantized = [draw.quantized(onnxruntime_case.U8, 1, 2, 5, 5), np.float32(0.1),
                     np.uint8(3), np.float32(0.1), np.uint8(3)]
        behind = onnxruntime_case.Case("node", "QLinearAveragePool",
                                       [np.asarray(x) for x in quantized],
                                       {"kernel_shape": [2, 2], "strides": [2, 2],
                                        "ceil_mode": 1, "count_include_pad": 1})
        self.assertIn("beyond the padding", self.refused(behind))
        missing = onnxruntime_case.Case("node", "SkipLayerNormalization", [x, None, bias], {})
        self.assertIn("operand 1 is missing", self.refused(missing, 2))
        hashed = onnxruntime_case.Case("node", "MurmurHash3", [draw.ints(0, 9, 3)], {})
        self.assertIn("com.microsoft.MurmurHash3", self.refused(hashed))

    def test_layouts_of_one_processor(self):
        case = onnxruntime_case.Case("node", "ReorderInput",
                                     [onnxruntime_case.Draws("x").real(1, 8, 4, 4)], {},
                                     domain="com.microsoft.nchwc")
        self.assertIn("at the level 'extended'", self.refused(case))


if __name__ == "__main__":
    unittest.main()
