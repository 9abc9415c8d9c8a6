#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of float64, written to ONNX as formulas: NumPy's numbers, to the last digits."""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs

SELU = np.float32([1.67326319217681884765625, 1.05070102214813232421875]).astype(float)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


FUNCTIONS = {
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atanh": np.arctanh,
    "Cosh": np.cosh,
    "Elu": lambda x: elu(x, 1),
    "HardSigmoid": lambda x: np.clip(float(np.float32(0.2)) * x + 0.5, 0, 1),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "LeakyRelu": lambda x: np.where(x > 0, x, float(np.float32(0.01)) * x),
    "Mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "PRelu": lambda x: np.where(x > 0, x, 0.3 * x),
    "Selu": lambda x: SELU[1] * elu(x, SELU[0]),
    "Sinh": np.sinh,
    "Softplus": lambda x: np.logaddexp(0, x),
    "Softsign": lambda x: x / (1 + abs(x)),
    "Tan": np.tan,
    "ThresholdedRelu": lambda x: np.where(x > 1, x, 0),
}


class Doubles(CommandCase):
    def outputs(self, signature, nodes, names, **inputs):
        """Those of the ONNX file, below operator set 14, that becomes of the nodes."""
        model, written = self.out / "model.dgt", self.out / "model.onnx"
        model.write_text(f'dragoman 1 common onnx\nopset "" 22\n\nentry main({signature}) -> ('
                         + ", ".join(f"%{name}" for name in names) + ") {\n" + nodes + "}\n")
        self.done("convert", model, "--opset", 13, "-o", written)
        np.savez(self.out / "inputs.npz", **inputs)
        self.done("run", written, "--inputs", self.out / "inputs.npz", "--output-dir",
                  self.out / "outputs")
        return {name: found for name, (found, _) in zip(names, read_outputs(self.out / "outputs"))}

    def test_formulas_keep_their_digits(self):
        nodes = "".join(f"  %{op} = onnx.{op}(%x{', %slope' if op == 'PRelu' else ''})\n"
                        for op in FUNCTIONS)
        x = np.array([0, 1e-9, -1e-9, -1e-17, 1e-310, 0.5, -0.5, 0.9, 1, -1, 1 - 1e-9, 1 + 1e-9, 2.9,
                      -2.9, 40, -40, 700, -700, 710, -710, 1e300, -1e300, np.inf, -np.inf, np.nan])
        found = self.outputs("%x: f64[n], %slope: f64[]", nodes, FUNCTIONS, x=x, slope=0.3)
        for op, wanted in FUNCTIONS.items():
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(found[op], wanted(x), rtol=1e-14, atol=1e-322,
                                           err_msg=op)

    def test_pools_and_normalisations_keep_their_digits(self):
        ops = ("GlobalAveragePool", "GlobalMaxPool", "MeanVarianceNormalization")
        x = np.random.default_rng(7).normal(size=(2, 5, 3, 4))
        found = self.outputs("%x: f64[n, 5, h, w]", "".join(
            f"  %{op} = onnx.{op}(%x)\n" for op in ops), ops, x=x)
        places = {"axis": (2, 3), "keepdims": True}
        centred = x - x.mean((0, 2, 3), keepdims=True)
        spread = np.sqrt((centred ** 2).mean((0, 2, 3), keepdims=True))
        for op, wanted in zip(ops, (x.mean(**places), x.max(**places), centred / (spread + 1e-9))):
            np.testing.assert_allclose(found[op], wanted, rtol=1e-13, err_msg=op)


if __name__ == "__main__":
    unittest.main()
