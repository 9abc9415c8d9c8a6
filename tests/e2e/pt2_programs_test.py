#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Higher-order operators of torch.export, as source text that is run on data."""

import unittest

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

# y[i] = y[i - 1] · x[i]; sum[i] = sum[i - 1] + b[i] · scale
SCANS = """dragoman 1 source pt2
opset "aten" 10

entry forward(%x: f32[s0, 3], %b: f32[s0], %scale: f32[]) -> (%y, %sum) {
  extra {pt2.outputs = list [{arg = @0, spec = {user_output = {}}}, {arg = @1, spec = {user_output = {}}}]}
  %y, %sum = higher_order.associative_scan(%x, %b, %scale) {"0" = graph join(%x0: f32[3], %b0: f32[], %x1: f32[3], %b1: f32[], %k: f32[]) -> (%m, %n) {
    %m = aten.mul.Tensor(%x0, %x1) {self = @0, other = @1}
    %t = aten.mul.Tensor(%b1, %k) {self = @0, other = @1}
    %n = aten.add.Tensor(%b0, %t) {self = @0, other = @1}
  }, "1" = {as_tensors = list [@0, @1]}, "2" = {as_tensors = list [@2]}}
}
"""


class HigherOrder(CommandCase):
    def test_associative_scan(self):
        source, model = self.out / "source.dgt", self.out / "model.dgm"
        source.write_text(SCANS, encoding="utf-8")
        self.done("convert", source, "-o", model, "--level", "common", "--passes", "default")
        generator = np.random.default_rng(5)
        for size in (1, 4):
            for engine in ("interpreter", "native"):
                with self.subTest(size=size, engine=engine):
                    arrays = {"x": generator.normal(size=(size, 3)), "b": generator.normal(size=size),
                              "scale": np.array(0.5)}
                    given = []
                    for name, array in arrays.items():
                        np.save(self.out / f"{name}.npy", array.astype(np.float32))
                        given += ["--input", f"{name}={self.out / name}.npy"]
                    out = self.out / f"out-{engine}-{size}"
                    done = dragoman("run", model, *given, "--engine", engine, "--output-dir", out)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    product, total = [array for array, _ in read_outputs(out)]
                    np.testing.assert_allclose(product, np.cumprod(arrays["x"], 0), rtol=1e-5)
                    terms = arrays["b"] * np.where(np.arange(size) > 0, 0.5, 1)
                    np.testing.assert_allclose(total, np.cumsum(terms), rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
