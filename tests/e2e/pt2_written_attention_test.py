#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention in archives of torch.export: one operator, or the formula where that differs."""

import unittest

import numpy as np

from commands import dragoman
from pt2_archive import program_of
from pt2_written_case import MODELS, WrittenCase


class AttentionTest(WrittenCase):
    def test_attention_is_one_operator(self):
        for name in ("bert", "bert_dynamic"):
            with self.subTest(name):
                archive = self.convert(MODELS / name / "model.onnx")
                targets = self.targets(archive)
                self.assertEqual(targets.count("aten.scaled_dot_product_attention.default"), 2)
                self.assertNotIn("aten.softmax.int", targets)

    def test_a_mask_that_may_be_infinite_keeps_the_formula(self):
        # A row of -inf is NaN by the formula, and 0 by PyTorch's operator.
        archive = self.convert_text("""entry main(%q: f32[1, 2, 3, 4], %k: f32[1, 2, 4, 5],
    %v: f32[1, 2, 5, 4], %mask: f32[3, 5]) -> (%y) {
  %s: f32[1, 2, 3, 5] = onnx.MatMul(%q, %k)
  %m: f32[1, 2, 3, 5] = onnx.Add(%s, %mask)
  %p: f32[1, 2, 3, 5] = onnx.Softmax(%m)
  %y: f32[1, 2, 3, 4] = onnx.MatMul(%p, %v)
}
""")
        self.assertIn("aten.softmax.int", self.targets(archive))

    def test_a_safe_softmax_is_attention_with_a_mask_of_bool(self):
        archive = self.convert_text("""entry main(%q: f32[b, 2, 3, 4], %k: f32[b, 2, 4, 5],
    %v: f32[b, 2, 5, 4], %visible: bool[3, 5]) -> (%y) {
  const %factor: f32[] = 0.5
  const %none: f32[] = 0.0
  const %far: f32[] = -inf
  const %last: i64[1] = [-1]
  %scaled = onnx.Mul(%q, %factor)
  %s = onnx.MatMul(%scaled, %k)
  %mask = onnx.Where(%visible, %none, %far)
  %m = onnx.Add(%s, %mask)
  %p = onnx.Softmax(%m)
  %most = onnx.ReduceMax(%m, %last)
  %hidden = onnx.Equal(%most, %far)
  %w = onnx.Where(%hidden, %none, %p)
  %y = onnx.MatMul(%w, %v)
}
""")
        program, _ = program_of(archive)
        attention = program["graph_module"]["graph"]["nodes"][-1]
        self.assertIn("scaled_dot_product_attention", attention["target"])
        given = {argument["name"]: argument["arg"] for argument in attention["inputs"]}
        self.assertEqual(given["attn_mask"], {"as_tensor": {"name": "visible"}})
        self.assertNotIn("scale", given)  # 1 / sqrt(4)
        visible = np.ones((3, 5), bool)
        visible[1] = False
        drawn = np.random.default_rng(0)
        y, = self.run_outputs(archive, q=drawn.normal(size=(1, 2, 3, 4)).astype("f4"),
                              k=drawn.normal(size=(1, 2, 4, 5)).astype("f4"),
                              v=np.ones((1, 2, 5, 4), "f4"), visible=visible)
        np.testing.assert_allclose(y[0, 0, :, 0], [1, 0, 1], rtol=1e-6)
        done = dragoman("diff", self.work / "model.dgt", archive)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_mask_has_the_axes_that_pytorch_wants(self):
        archive = self.convert_text("""entry main(%q: f32[2, 3, 4], %k: f32[2, 4, 5],
    %v: f32[2, 5, 4]) -> (%y) {
  const %bias: f32[5] = [0.5, 1.0, -2.0, 0.0, 3.0]
  %s: f32[2, 3, 5] = onnx.MatMul(%q, %k)
  %m: f32[2, 3, 5] = onnx.Add(%s, %bias)
  %p: f32[2, 3, 5] = onnx.Softmax(%m)
  %y: f32[2, 3, 4] = onnx.MatMul(%p, %v)
}
""")
        program, _ = program_of(archive)
        attention = program["graph_module"]["graph"]["nodes"][-1]
        self.assertIn("scaled_dot_product_attention", attention["target"])
        mask = next(given["arg"] for given in attention["inputs"] if given["name"] == "attn_mask")
        values = program["graph_module"]["graph"]["tensor_values"]
        self.assertEqual([size["as_int"] for size in values[mask["as_tensor"]["name"]]["sizes"]],
                         [1, 5])

    def test_a_mask_that_stretches_the_scores_keeps_the_formula(self):
        # PyTorch takes the sizes of the result from queries and keys.
        archive = self.convert_text("""entry main(%q: f32[2, 1, 4], %k: f32[2, 4, 5],
    %v: f32[2, 5, 4], %mask: bool[3, 5]) -> (%y) {
  const %none: f32[] = 0.0
  const %far: f32[] = -9.0
  %masked: f32[3, 5] = onnx.Where(%mask, %none, %far)
  %s: f32[2, 1, 5] = onnx.MatMul(%q, %k)
  %m: f32[2, 3, 5] = onnx.Add(%s, %masked)
  %p: f32[2, 3, 5] = onnx.Softmax(%m)
  %y: f32[2, 3, 4] = onnx.MatMul(%p, %v)
}
""")
        self.assertIn("aten.softmax.int", self.targets(archive))


if __name__ == "__main__":
    unittest.main()
