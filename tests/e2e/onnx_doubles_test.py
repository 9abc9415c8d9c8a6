#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions, windows and steps of float64, written to ONNX as formulas: NumPy's numbers, to the last
digits."""

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


def taps(x, kernel, strides, dilations, pads, fill=0.0):
    """(tap, N, C, height, width): what each tap of the windows reads of images."""
    x = np.pad(x, [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])], constant_values=fill)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    places = [(size - r) // s + 1 for size, r, s in zip(x.shape[2:], reach, strides)]
    return np.stack([
        x[:, :, i * dilations[0]:, j * dilations[1]:][:, :, ::strides[0], ::strides[1]]
        [:, :, :places[0], :places[1]] for i in range(kernel[0]) for j in range(kernel[1])])


def convolved(x, w, b, groups, **window):
    parts = [np.einsum("tnchw,mct->nmhw", taps(of_x, w.shape[2:], **window),
                       of_w.reshape(*of_w.shape[:2], -1))
             for of_x, of_w in zip(np.split(x, groups, 1), np.split(w, groups))]
    return np.concatenate(parts, 1) + b[:, None, None]


def spread(x, w, b, strides, extra):
    """A transposed convolution without pads."""
    height, width = ((n - 1) * s + k + e for n, s, k, e in zip(x.shape[2:], strides, w.shape[2:], extra))
    y = np.zeros((x.shape[0], w.shape[1], height, width)) + b[:, None, None]
    for i, j in np.ndindex(*x.shape[2:]):
        y[:, :, i * strides[0]:i * strides[0] + w.shape[2],
          j * strides[1]:j * strides[1] + w.shape[3]] += np.einsum("nc,cmhw->nmhw", x[:, :, i, j], w)
    return y


def gru(x, w, r, h):
    """(T, B, H): the reset gate before the product."""
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))
    size, states = h.shape[1], []
    for x_t in x:
        z = sigmoid(x_t @ w[:size].T + h @ r[:size].T)
        reset = sigmoid(x_t @ w[size:2 * size].T + h @ r[size:2 * size].T)
        new = np.tanh(x_t @ w[2 * size:].T + (reset * h) @ r[2 * size:].T)
        h = (1 - z) * new + z * h
        states.append(h)
    return np.stack(states)


class Doubles(CommandCase):
    def outputs(self, signature, nodes, names, **inputs):
        """Those of the ONNX file, below operator set 14, that becomes of the nodes."""
        model, written = self.out / "model.dgt", self.out / "model.onnx"
        model.write_text(f'dragoman 1 common onnx\nopset "" 22\n\nentry main({signature}) -> ('
                         + ", ".join(f"%{name}" for name in names) + ") {\n" + nodes + "}\n")
        self.done("convert", model, "--opset", 13, "-o", written)
        np.savez(self.out / "inputs.npz", **inputs)
        self.assertNotRegex(self.done("inspect", written), r"onnx\.(Conv|GRU|AveragePool|Instance|Mean)")
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

    def test_windows_keep_their_digits(self):
        """Those of open sizes, too."""
        draw = np.random.default_rng(8)
        x, w, b = draw.normal(size=(2, 4, 7, 6)), draw.normal(size=(6, 2, 3, 2)), draw.normal(size=6)
        narrow, back = draw.normal(size=(2, 4, 3, 5)), draw.normal(size=(4, 3, 3, 2))
        window = {"strides": (2, 1), "dilations": (1, 2), "pads": (1, 0, 2, 1)}
        listed = ", ".join(f"{name} = {list(values)}" for name, values in window.items())
        pads = "pads = [1, 0, 1, 2]"
        nodes = f"""
  %conv = onnx.Conv(%x, %w, %b) {{group = 2, {listed}}}
  %same = onnx.Conv(%narrow, %w, %b) {{group = 2, auto_pad = "SAME_LOWER", strides = [2, 2]}}
  %back = onnx.ConvTranspose(%narrow, %v, %c) {{strides = [2, 3], output_padding = [1, 0]}}
  %cut = onnx.ConvTranspose(%narrow, %v, %c) {{strides = [2, 3], {pads}}}
  %within = onnx.AveragePool(%x) {{kernel_shape = [3, 4], strides = [2, 1], {pads}}}
  %padded = onnx.AveragePool(%x) {{kernel_shape = [3, 4], count_include_pad = 1, {pads}}}
"""
        names = ("conv", "same", "back", "cut", "within", "padded")
        found = self.outputs(
            "%x: f64[n, 4, h, w], %narrow: f64[n, 4, 3, 5], %w: f64[6, 2, 3, 2], %b: f64[6], "
            "%v: f64[4, 3, 3, 2], %c: f64[3]", nodes, names, x=x, narrow=narrow, w=w, b=b, v=back, c=b[:3])
        whole = spread(narrow, back, b[:3], (2, 3), (1, 0))
        plain = {"dilations": (1, 1), "pads": (1, 0, 1, 2)}
        pool = taps(x, (3, 4), strides=(2, 1), **plain)
        inside = taps(np.ones_like(x), (3, 4), strides=(2, 1), **plain)
        for name, wanted in (
                ("conv", convolved(x, w, b, 2, **window)),
                ("same", convolved(narrow, w, b, 2, strides=(2, 2), dilations=(1, 1), pads=(1, 1, 1, 0))),
                ("back", whole), ("cut", whole[:, :, 1:-2, :-2]),
                ("within", pool.sum(0) / inside.sum(0)),
                ("padded", taps(x, (3, 4), strides=(1, 1), **plain).mean(0))):
            np.testing.assert_allclose(found[name], wanted, rtol=1e-12, atol=1e-14, err_msg=name)

    def test_a_kernel_of_very_many_elements_stays(self):
        """Here 2 to the power of 64, which no integer holds."""
        model, written = self.out / "model.dgt", self.out / "model.onnx"
        model.write_text("""dragoman 1 common onnx
opset "" 22

entry main(%x: f64[1, 1, 70000, 70000, 70000, 70000], %w: f64[1, 1, 65536, 65536, 65536, 65536]) -> (%y) {
  %y = onnx.Conv(%x, %w)
}
""")
        self.done("convert", model, "-o", written)
        self.assertIn("1 onnx.Conv", self.done("inspect", written))

    def test_steps_and_means_keep_their_digits(self):
        draw = np.random.default_rng(9)
        x, h = draw.normal(size=(5, 2, 3)), draw.normal(size=(1, 2, 4))
        w, r = draw.normal(size=(1, 12, 3)), draw.normal(size=(1, 12, 4))
        images, scale, bias = draw.normal(size=(2, 3, 4, 5)), draw.normal(size=3), draw.normal(size=3)
        nodes = """
  %states, _ = onnx.GRU(%x, %w, %r, _, _, %h) {hidden_size = 4}
  %normal = onnx.InstanceNormalization(%images, %scale, %bias) {epsilon = 0.25}
  %mean = onnx.Mean(%scale, %bias, %bias)
"""
        found = self.outputs(
            "%x: f64[t, n, 3], %h: f64[1, n, 4], %w: f64[1, 12, 3], %r: f64[1, 12, 4], "
            "%images: f64[n, 3, p, q], %scale: f64[3], %bias: f64[3]", nodes,
            ("states", "normal", "mean"), x=x, h=h, w=w, r=r, images=images, scale=scale, bias=bias)
        places = {"axis": (2, 3), "keepdims": True}
        centred = images - images.mean(**places)
        normal = centred / np.sqrt((centred ** 2).mean(**places) + 0.25)
        for name, wanted in (("states", gru(x, w[0], r[0], h[0])[:, None]),
                             ("normal", normal * scale[:, None, None] + bias[:, None, None]),
                             ("mean", (scale + 2 * bias) / 3)):
            np.testing.assert_allclose(found[name], wanted, rtol=1e-12, err_msg=name)


if __name__ == "__main__":
    unittest.main()
