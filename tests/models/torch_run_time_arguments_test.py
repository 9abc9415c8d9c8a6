#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arguments of torch's operators that are known only at run time: torch.roll takes them, and where one
must be known the refusal names it, with exit code 4. Skipped where torch is not installed."""

import itertools
import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs

try:
    import torch
except ImportError:
    torch = None

SOURCE = """import torch
class Call(torch.nn.Module):
    def forward(self, x, n):
        k = int(n)
        return {call}
"""
ROLLS = ("torch.roll(x, k)", "torch.roll(x, k, 1)", "torch.roll(x, [k, 3], [0, -1])",
         "torch.roll(x, [k, 2 - k], [1, 0])", "torch.roll(x, [5, k, k], [1, 1, 0])")
REFUSED = ("torch.rot90(x, 1, [k, 1])", "torch.flip(x, [k])", "torch.roll(x, 1, k)",
           "torch.roll(x, [1, 2], [k, 0])", "x.permute([k, 1])", "torch.diagonal(x, 0, k, 1)")


@unittest.skipIf(torch is None, "torch is not installed")
class RunTimeArguments(CommandCase):
    def script(self, call):
        path = self.out / f"call_{len(list(self.out.glob('call_*')))}.py"
        path.write_text(SOURCE.format(call=call), encoding="utf-8")
        scope = {"__name__": path.stem}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), scope)
        return torch.jit.script(scope["Call"]())

    def run_model(self, model, x, n, *facts):
        np.save(self.out / "x.npy", x)
        np.save(self.out / "n.npy", n)
        self.done("run", model, "--input", f"x={self.out}/x.npy", "--input", f"n={self.out}/n.npy",
                  "--output-dir", self.out / "results", *facts)
        (array, _), = read_outputs(self.out / "results")
        return array

    def test_roll(self):
        shifts = (0, 1, -1, 7, -12, (1 << 63) - 1, -(1 << 62))
        for call, sizes in itertools.product(ROLLS, ("2,5", "A,B")):
            with self.subTest(call, sizes=sizes):
                module = self.script(call)
                model, written = self.out / "m.pt", self.out / "m.onnx"
                module.save(str(model))
                facts = ("--shape", f"x=f32:{sizes}", "--shape", "n=int64:")
                self.done("convert", model, "-q", "-o", written, *facts)
                shapes = [(2, 5)] if sizes == "2,5" else [(2, 5), (1, 4), (3, 0)]
                for shape, shift in itertools.product(shapes, shifts):
                    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
                    if "2 - k" in call and abs(shift) > 100:  # the difference overflows
                        continue
                    wanted = module(torch.from_numpy(x), torch.tensor(shift)).numpy()
                    n = np.array(shift, np.int64)
                    np.testing.assert_array_equal(self.run_model(written, x, n), wanted)
                    if shape == (2, 5) and shift == 7:
                        np.testing.assert_array_equal(self.run_model(model, x, n, *facts), wanted)

    def test_what_must_be_known_is_named(self):
        for call in REFUSED:
            with self.subTest(call):
                model = self.out / "m.pt"
                self.script(call).save(str(model))
                said = self.fails(4, "convert", model, "-o", self.out / "m.onnx",
                                  "--shape", "x=f32:2,5", "--shape", "n=int64:")
                self.assertIn("must be known at conversion", said)


if __name__ == "__main__":
    unittest.main()
