#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Activations of float64 whose numbers have more digits than an attribute of float32.

They are compared with torch, and skipped where it is not installed.
"""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs

try:
    import torch
except ImportError:
    torch = None


def activations(x):
    f = torch.nn.functional
    return (f.elu(x, 0.3), f.celu(x, 0.3), f.selu(x), f.hardsigmoid(x), f.leaky_relu(x, 0.3),
            f.rrelu(x), f.elu(x))


@unittest.skipUnless(torch, "torch is not installed")
class Activations(CommandCase):
    def test_have_the_digits_of_float64(self):
        x = torch.linspace(-30, 30, 101, dtype=torch.float64)
        torch.jit.trace(activations, x).save(str(self.out / "model.pt"))
        np.save(self.out / "x.npy", x.numpy())
        self.done("run", self.out / "model.pt", "--input", f"0={self.out / 'x.npy'}", "--output-dir",
                  self.out / "outputs")
        found = read_outputs(self.out / "outputs")
        self.assertEqual(len(found), 7)
        for (array, _), wanted in zip(found, activations(x)):
            np.testing.assert_allclose(array, wanted.numpy(), rtol=1e-14, atol=1e-16)


if __name__ == "__main__":
    unittest.main()
