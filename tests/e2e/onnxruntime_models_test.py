#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models as ONNX Runtime's optimiser wrote them compute what the original ones do."""

import pathlib
import unittest

import onnx

from command_case import CommandCase

OPTIMIZED = pathlib.Path(__file__).with_name("onnxruntime_models")
MODELS = pathlib.Path(__file__).parent.parent / "models"


def contrib_operators(model):
    return {node.op_type for node in onnx.load(model).graph.node if node.domain == "com.microsoft"}


class OptimizedModelsTest(CommandCase):
    def check(self, optimized, original, operators):
        self.assertLessEqual(operators, contrib_operators(optimized))
        self.done("verify", optimized, "--against", original, "--random", 2, "--seed", 5, "-q")

    def test_real_numbers(self):
        for name, operators in (("bert", {"SkipLayerNormalization", "Gelu", "FusedMatMul"}),
                                ("mobilenet", {"FusedConv"}), ("resnet", {"FusedConv"})):
            with self.subTest(name):
                self.check(OPTIMIZED / f"{name}_optimized.onnx", MODELS / name / "model.onnx",
                           operators)

    def test_quantized(self):
        for level, operators in (("extended", {"QLinearAdd", "QLinearGlobalAveragePool", "QGemm"}),
                                 ("all", {"QLinearConv", "QLinearMul"})):
            with self.subTest(level):
                self.check(OPTIMIZED / f"quantized_{level}.onnx", OPTIMIZED / "quantized.onnx",
                           operators)


if __name__ == "__main__":
    unittest.main()
