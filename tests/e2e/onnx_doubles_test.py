#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Activations of float64, written to ONNX as formulas: NumPy's numbers, to the last digits."""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs

SELU = np.float32([1.67326319217681884765625, 1.05070102214813232421875]).astype(float)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


ACTIVATIONS = {
    "Elu": lambda x: elu(x, 1),
    "HardSigmoid": lambda x: np.clip(float(np.float32(0.2)) * x + 0.5, 0, 1),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "LeakyRelu": lambda x: np.where(x > 0, x, float(np.float32(0.01)) * x),
    "Mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "Selu": lambda x: SELU[1] * elu(x, SELU[0]),
    "Softplus": lambda x: np.logaddexp(0, x),
    "Softsign": lambda x: x / (1 + abs(x)),
}


class Doubles(CommandCase):
    def test_formulas_keep_their_digits(self):
        nodes = "".join(f"  %{op} = onnx.{op}(%x)\n" for op in ACTIVATIONS)
        model, written = self.out / "model.dgt", self.out / "model.onnx"
        model.write_text('dragoman 1 common onnx\nopset "" 22\n\nentry main(%x: f64[n]) -> ('
                         + ", ".join(f"%{op}" for op in ACTIVATIONS) + ") {\n" + nodes + "}\n")
        self.done("convert", model, "-o", written)
        x = np.array([0, 1e-9, -1e-9, -1e-17, 0.5, -0.5, 2.9, -2.9, 40, -40, 700, -700, 1e300])
        np.save(self.out / "x.npy", x)
        self.done("run", written, "--input", f"x={self.out / 'x.npy'}", "--output-dir",
                  self.out / "outputs")
        for (op, wanted), (found, _) in zip(ACTIVATIONS.items(), read_outputs(self.out / "outputs")):
            np.testing.assert_allclose(found, wanted(x), rtol=1e-14, atol=0, err_msg=op)


if __name__ == "__main__":
    unittest.main()
