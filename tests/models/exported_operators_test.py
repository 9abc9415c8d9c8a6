#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators that decomposed programs of torch.export have in the place of a user's, in archives made
by exported_programs.py, and compared with what NumPy computes."""

import pathlib
import sys
import unittest

import numpy as np

from commands import complaint
from run_outputs import compare, read_outputs

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Int, Program, Raw

RANDOM = np.random.default_rng(10)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + np.float32(1e-5))


class DecomposedOperators(ExportedPrograms):
    def test_activations(self):
        p = Program()
        x, slope = p.input("x", [2, 3]), p.input("slope", [1, 3])
        logs, _ = p.aten("log_sigmoid_forward.default", x, results=2)
        kept, mask = p.aten("native_dropout.default", x, 0.5, False, results=2)
        self.save(p.output(logs, kept, mask, p.aten("_prelu_kernel.default", x, slope)))
        a, s = draw(2, 3) * 30, draw(1, 3)
        self.expect([a, s], [-np.logaddexp(0, -a), a, np.ones((2, 3), bool),
                             np.where(a > 0, a, s * a)])

    def test_normalisations(self):
        p = Program()
        x, w = p.input("x", [2, 3, 4]), p.weight("w", draw(4))
        mean, var = (p.weight(name, np.abs(draw(3)), "buffer") for name in ("mean", "var"))
        rms, _ = p.aten("_fused_rms_norm.default", x, [4], w, 1e-5, results=2)
        y, batch_mean, inverse, new_mean, new_var = p.aten(
            "_native_batch_norm_legit_functional.default", x, None, None, mean, var, True, 0.25,
            1e-5, results=5)
        p.mutate("buffer", "mean", new_mean)
        p.mutate("buffer", "var", new_var)
        still = p.aten("_native_batch_norm_legit_functional.default", x, None, None, mean, var,
                       False, 0.25, 1e-5, results=5)
        self.save(p.output(rms, y, batch_mean, inverse, still[0], still[3]))
        a = draw(2, 3, 4)
        weight, m, v = (np.frombuffer(p.records[f"data/weights/weight_{i}"], np.float32)
                        for i in range(3))
        mu, sigma = a.mean((0, 2)), a.var((0, 2))
        expected = [a / np.sqrt((a * a).mean(2, keepdims=True) + 1e-5) * weight,
                    (a - mu[:, None]) / np.sqrt(sigma[:, None] + 1e-5), mu,
                    1 / np.sqrt(sigma + 1e-5),
                    (a - m[:, None]) / np.sqrt(v[:, None] + 1e-5), m]
        expected = [np.float32(e) for e in expected]
        # The second step finds what the first one has left.
        m2, v2 = 0.75 * m + 0.25 * mu, 0.75 * v + 0.25 * sigma * 8 / 7
        second = [*expected[:4], np.float32((a - m2[:, None]) / np.sqrt(v2[:, None] + 1e-5)),
                  np.float32(m2)]
        self.expect([a], [np.stack(pair) for pair in zip(expected, second)], "--steps", "2",
                    onnx=False)

    def test_batch_norm_with_a_reserve(self):
        p = Program()
        x, mean, var = p.input("x", [2, 3, 4]), p.input("mean", [3]), p.input("var", [3])
        still = p.aten("_batch_norm_no_update.default", x, None, None, mean, var, 0.25, 1e-5,
                       results=4)
        moved = p.aten("_batch_norm_with_update_functional.default", x, None, None, mean, var, 0.25,
                       1e-5, results=6)
        self.save(p.output(still[0], moved[0], *moved[4:]))
        a, m, v = draw(2, 3, 4), draw(3), np.abs(draw(3))
        mu, sigma = a.mean((0, 2)), a.var((0, 2))
        self.expect([a, m, v], [(a - m[:, None]) / np.sqrt(v[:, None] + np.float32(1e-5)),
                                normalized(a, (0, 2)), 0.75 * m + 0.25 * mu,
                                np.float32(0.75 * v + 0.25 * sigma * 8 / 7)])

    def test_fused_cells(self):
        p = Program()
        gates = [p.input(name, [2, size]) for name, size in (("a", 12), ("b", 12), ("c", 9), ("d", 9))]
        before, bias = p.input("before", [2, 3]), p.input("bias", [12])
        h, c, _ = p.aten("_thnn_fused_lstm_cell.default", *gates[:2], before, bias, None, results=3)
        g, _ = p.aten("_thnn_fused_gru_cell.default", *gates[2:], before, results=2)
        self.save(p.output(h, c, g))
        arrays = [draw(2, size) for size in (12, 12, 9, 9)] + [draw(2, 3), draw(12)]
        i, f, n, o = np.split(arrays[0] + arrays[1] + arrays[5], 4, 1)
        cell = sigmoid(f) * arrays[4] + sigmoid(i) * np.tanh(n)
        x, y = (np.split(array, 3, 1) for array in arrays[2:4])
        update, fresh = sigmoid(x[1] + y[1]), np.tanh(x[2] + sigmoid(x[0] + y[0]) * y[2])
        self.expect(arrays, [sigmoid(o) * np.tanh(cell), cell, fresh + update * (arrays[4] - fresh)])

    def test_groups_of_rows_times_their_matrices(self):
        p = Program()
        x, w, ends = p.input("x", [7, 3]), p.input("w", [3, 3, 2]), p.input("ends", [3], "int32")
        self.save(p.output(p.aten("_grouped_mm.default", x, w, ends, names=["self", "mat2", "offs"])))
        a, b = draw(7, 3), draw(3, 3, 2)
        self.expect([a, b, np.int32([2, 2, 7])], [np.concatenate([a[:2] @ b[0], a[2:] @ b[2]])])

    def test_groups_of_rows_as_transformers_has_them(self):
        """Rows after the last group are zeros."""
        p = Program()
        x, w, ends = p.input("x", [7, 3]), p.input("w", [2, 3, 2]), p.input("ends", [2], "int64")
        self.save(p.output(p.call("torch.ops.transformers.grouped_mm_fallback.default", x, w, ends,
                                  names=["input", "weight", "offs"])))
        a, b = draw(7, 3), draw(2, 3, 2)
        self.expect([a, b, np.int64([4, 6])],
                    [np.concatenate([a[:4] @ b[0], a[4:6] @ b[1], np.zeros((1, 2), np.float32)])])

    def test_short_forms(self):
        p = Program()
        x, y, b = p.input("x", [3, 4]), p.input("y", [3, 4]), p.input("b", [3], "bool")
        slopes = p.aten("rrelu_with_noise_functional.default", x, y, 0.25, 0.5, False, results=2)
        self.save(p.output(
            p.aten("_add_relu.Tensor", x, y, alpha=2), *p.aten("_aminmax.default", x, results=2),
            *p.aten("_aminmax.dim", x, 1, True, results=2), p.aten("_is_all_true.default", b),
            p.aten("_is_any_true.default", b), p.aten("_logcumsumexp.default", x, 1),
            p.aten("_euclidean_dist.default", x, y), p.aten("norm_except_dim.default", x, 2, 0),
            *slopes))
        a, c = draw(3, 4), draw(3, 4)
        self.expect([a, c, np.array([True, False, True])], [
            np.maximum(a + 2 * c, 0), a.min(), a.max(), a.min(1, keepdims=True),
            a.max(1, keepdims=True), np.bool_(False), np.bool_(True), np.logaddexp.accumulate(a, 1),
            np.sqrt(((a[:, None] - c) ** 2).sum(2)), np.linalg.norm(a, axis=1, keepdims=True),
            np.where(a > 0, a, a * np.float32(0.375)), c])

    def test_losses_and_rounding(self):
        p = Program()
        x, k = p.input("x", [3, 4]), p.input("k", [3], "int64")
        loss, _ = p.aten("nll_loss_forward.default", x, k, None, 1, -100, results=2)
        whole, _ = p.aten("fake_quantize_per_tensor_affine_cachemask.default", x, 0.5, 3, 0, 15,
                          results=2)
        scale, zero = p.input("scale", [3]), p.input("zero", [3], "int32")
        rows, _ = p.aten("fake_quantize_per_channel_affine_cachemask.default", x, scale, zero, 0,
                         -8, 7, results=2)
        self.save(p.output(loss, whole, rows))
        a, i, s = draw(3, 4) * 4, np.array([3, 0, 2]), np.float32([0.25, 0.5, 1])
        z = np.int32([0, 1, -2])
        self.expect([a, i, s, z], [
            -a[range(3), i].mean(), np.float32((np.clip(np.round(a * 2) + 3, 0, 15) - 3) / 2),
            np.float32((np.clip(np.round(a / s[:, None]) + z[:, None], -8, 7) - z[:, None])
                       * s[:, None])])

    def test_products(self):
        p = Program()
        a, b, c = p.input("a", [2, 3]), p.input("b", [3, 4]), p.input("c", [4])
        active = p.aten("_addmm_activation.default", c, a, b, beta=2)
        i, j = p.input("i", [2, 3], "int8"), p.input("j", [3, 4], "int8")
        w, scales = p.input("w", [5, 3], "int8"), p.input("scales", [5])
        u, v = p.input("u", [2, 3]), p.input("v", [2, 4])
        m = p.input("m", [5, 3, 4])
        three = p.aten("_trilinear.default", u, m, v, [1, 3], [0], [1, 2], [2, 3])
        self.save(p.output(active, p.aten("_int_mm.default", i, j),
                           p.aten("_weight_int8pack_mm.default", a, w, scales), three))
        x, y, z = draw(2, 3), draw(3, 4), draw(4)
        n, k, t = (RANDOM.integers(-128, 128, size).astype(np.int8)
                   for size in ((2, 3), (3, 4), (5, 3)))
        s, left, right, middle = draw(5), draw(2, 3), draw(2, 4), draw(5, 3, 4)
        self.expect([x, y, z, n, k, t, s, left, right, middle],
                    [np.maximum(2 * z + x @ y, 0), n.astype(np.int32) @ k.astype(np.int32),
                     x @ t.astype(np.float32).T * s,
                     np.einsum("bi,kij,bj->bk", left, middle, right)])

    def test_distances_and_bags(self):
        p = Program()
        x, y = p.input("x", [3, 4]), p.input("y", [2, 4])
        table = p.weight("table", draw(5, 2))
        i, starts = p.input("i", [4], "int64"), p.input("starts", [2], "int64")
        bags = p.aten("_embedding_bag.default", table, i, starts, False, 1, results=4)
        only = p.aten("_embedding_bag_forward_only.default", table, i, starts, False, 0, False,
                      None, False, 4, results=4)
        self.save(p.output(p.aten("_cdist_forward.default", x, y, 2.0, None),
                           p.aten("_pdist_forward.default", x, 1.0), bags[0], only[0]))
        a, b = draw(3, 4), draw(2, 4)
        at, offsets = np.array([4, 0, 4, 2]), np.array([0, 1])
        rows = np.frombuffer(p.records["data/weights/weight_0"], np.float32).reshape(5, 2)[at]
        counted = rows * (at != 4)[:, None]
        pairs = [np.abs(a[i] - a[j]).sum() for i in range(3) for j in range(i + 1, 3)]
        self.expect([a, b, at, offsets],
                    [np.sqrt(((a[:, None] - b) ** 2).sum(2)), np.float32(pairs),
                     np.stack([rows[0], rows[1:].mean(0)]),
                     np.stack([counted[0], counted[1:].sum(0)])])

    def test_spectra(self):
        p = Program()
        x = p.input("x", [3, 6])
        half = p.aten("_fft_r2c.default", x, [1], 0, True)
        whole = p.aten("_fft_r2c.default", x, [0, 1], 1, False)
        parts = [p.aten("view_as_real.default", spectrum) for spectrum in (
            half, whole, p.aten("_fft_c2c.default", whole, [0], 2, True),
            p.aten("_fft_c2c.default", whole, [0, 1], 2, False))]
        self.save(p.output(*parts, p.aten("_fft_c2r.default", half, [1], 2, 6)))
        a = draw(3, 6)
        full = np.fft.fft2(a, norm="ortho")
        spectra = [np.fft.rfft(a), full, np.fft.fft(full, axis=0, norm="forward"),
                   np.fft.ifft2(full)]
        self.expect([a], [np.float32(np.stack([s.real, s.imag], -1)) for s in spectra] + [a])

    def test_matrices(self):
        p = Program()
        x, y = p.input("x", [2, 3, 3]), p.input("y", [2, 3, 2])
        info = p.aten("linalg_inv_ex.default", x, results=2)
        p.aten("_linalg_check_errors.default", info[1], "linalg.inv", results=0, is_matrix=False)
        solved = p.aten("_linalg_solve_ex.default", x, y, results=4)
        signs = p.aten("_linalg_slogdet.default", x, results=4)
        symmetric = p.aten("add.Tensor", x, p.aten("transpose.int", x, 1, 2))
        spectrum = p.aten("_linalg_eigh.default", symmetric, "L", True, results=2)
        parts = p.aten("_linalg_svd.default", x, False, True, results=3)
        determinant = p.aten("_linalg_det.default", x, results=3)
        self.save(p.output(info[0], solved[0], solved[3], *signs[:2], spectrum[0], parts[1],
                           determinant[0]))
        a, b = draw(2, 3, 3) + 2 * np.eye(3, dtype=np.float32), draw(2, 3, 2)
        sign, size = np.linalg.slogdet(a)
        self.expect([a, b], [np.linalg.inv(a), np.linalg.solve(a, b), np.zeros(2, np.int32), sign,
                             size, np.linalg.eigvalsh(a + a.swapaxes(1, 2)),
                             np.linalg.svd(a, compute_uv=False), np.linalg.det(a)])

    def test_full_singular_vectors(self):
        p = Program()
        x = p.input("x", [2, 5, 3])
        u, values, vh = p.aten("_linalg_svd.default", x, True, True, results=3)
        scaled = p.aten("mul.Tensor", p.aten("slice.Tensor", u, 2, 0, 3),
                        p.aten("unsqueeze.default", values, 1))
        self.save(p.output(p.aten("matmul.default", scaled, vh),
                           p.aten("matmul.default", p.aten("transpose.int", u, 1, 2), u)))
        a = draw(2, 5, 3)
        a[1, :, 2] = a[1, :, 0]  # of two equal columns one has no vector of its own
        self.expect([a], [a, np.broadcast_to(np.eye(5, dtype=np.float32), (2, 5, 5))])

    def test_histograms_of_one_value(self):
        p = Program()
        x = p.input("x", [3])
        counts, edges = p.aten("histogram.bin_ct", x, 2, results=2)
        self.save(p.output(counts, edges, p.aten("histc.default", x, 2)))
        a = np.full(3, 7, np.float32)
        self.expect([a], [np.float32([0, 3]), np.float32([6.5, 7, 7.5]), np.float32([0, 3])])

    def test_one_layer_of_lstm(self):
        p = Program()
        x, h, c = p.input("x", [4, 2, 3]), p.input("h", [1, 2, 5]), p.input("c", [1, 2, 5])
        weights = [p.weight(name, draw(*size)) for name, size in (
            ("w", (20, 3)), ("r", (20, 5)), ("b", (20,)), ("s", (20,)))]
        results = []
        for reverse in (False, True):
            y, hn, cn, _ = p.aten("mkldnn_rnn_layer.default", x, *weights, h, c, reverse, [], 2, 5,
                                  1, True, False, False, False, results=4)
            results += [y, hn, cn]
        self.save(p.output(*results))
        a, h0, c0 = draw(4, 2, 3), draw(1, 2, 5), draw(1, 2, 5)
        w, r, b, s = (np.frombuffer(p.records[f"data/weights/weight_{i}"], np.float32)
                      for i in range(4))
        expected = []
        for order in (range(4), range(3, -1, -1)):
            hidden, cell, ys = h0[0], c0[0], np.zeros((4, 2, 5), np.float32)
            for t in order:
                gates = a[t] @ w.reshape(20, 3).T + b + hidden @ r.reshape(20, 5).T + s
                i, f, g, o = np.split(gates, 4, 1)
                cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
                ys[t] = hidden = sigmoid(o) * np.tanh(cell)
            expected += [ys, hidden[None], cell[None]]
        self.expect([a, h0, c0], expected)

    def test_arithmetic_of_sizes(self):
        p = Program()
        x = p.input("x", ["s0", "s1"])
        n, m = (p.aten("sym_size.int", x, axis, kind=Int) for axis in (0, 1))
        total = p.call("torch.sym_sum", [n, m, 3], kind=Int)
        shifted = p.call("_operator.lshift", total, 2, kind=Int)
        half = p.call("_operator.rshift", shifted, 1, kind=Int)
        self.save(p.output(p.aten("full.default", [half], 1.0)))
        for sizes in ((1, 2), (2, 2), (4, 3)):
            self.expect([draw(*sizes)], [np.ones(2 * (sum(sizes) + 3), np.float32)])

    def test_dynamically_quantised_layers(self):
        p = Program()
        x = p.input("x", ["s0", 3])
        target = "torch.ops.quantized_decomposed."
        byte = Raw(as_scalar_type=2)
        scale, zero = p.call(target + "choose_qparams.tensor", x, -128, 127, 1e-8, byte, results=2)
        stored = p.call(target + "quantize_per_tensor.tensor", x, scale, zero, -128, 127, byte)
        read = p.call(target + "dequantize_per_tensor.tensor", stored, scale, zero, -128, 127, byte)
        self.save(p.output(scale, zero, stored, read))
        for count in (1, 2, 5):
            a = draw(count, 3)
            low, high = min(a.min(), np.float32(0)), max(a.max(), np.float32(0))
            s = np.float64(np.float32(high - low) / np.float32(255))
            z = int(np.clip(-128 - np.round(low / np.float32(s)), -128, 127))
            q = np.clip(np.round(a / np.float32(s)) + z, -128, 127).astype(np.int8)
            self.expect([a], [np.float64([s]), np.int64([z]), q,
                              (q.astype(np.float32) - z) * np.float32(s)])

    def test_least_squares_and_correlations_of_complex_matrices(self):
        p = Program()

        def complex_input(name, sizes):
            return p.aten("view_as_complex.default", p.input(name, [*sizes, 2]), typed="complex64")

        x, y = complex_input("x", [5, 3]), complex_input("y", [5, 2])
        found = p.aten("linalg_lstsq.default", x, y, None, driver="gelsd", results=4)
        pairs = [p.aten("view_as_real.default", value) for value in
                 (found[0], p.aten("corrcoef.default", x))]
        self.save(p.output(*found[1:], *pairs))
        a, b = (draw(5, size) + 1j * draw(5, size) for size in (3, 2))
        solution, residuals, rank, values = np.linalg.lstsq(a, b, rcond=None)
        given = [np.stack([z.real, z.imag], -1).astype(np.float32)
                 for z in (a, b, solution, np.corrcoef(a))]
        self.expect(given[:2], [np.float32(residuals), np.int64(rank), np.float32(values),
                                *given[2:]])

    def test_factors_of_complex_matrices(self):
        """Those that are not unique are multiplied; an eigenvalue is there twice."""
        p = Program()
        x = p.input("x", [2, 3, 3, 2])

        def call(name, *arguments, results=1):
            return p.aten(name, *arguments, results=results, typed="complex64")

        def product(a, *factors):
            for factor in factors:
                a = call("matmul.default", a, factor)
            return a

        z = call("view_as_complex.default", x)
        hermitian = call("add.Tensor", z, call("conj_physical.default", call("mT.default", z)))
        values, vectors = call("linalg_eigh.default", hermitian, results=2)
        u, s, vh = call("linalg_svd.default", z, False, results=3)
        sign, size = call("linalg_slogdet.default", z, results=2)
        scaled_u = call("mul.Tensor", u, p.aten("unsqueeze.default", s, 1))
        scaled = call("mul.Tensor", vectors, p.aten("unsqueeze.default", values, 1))
        found = [call("linalg_det.default", z), sign, *call("linalg_qr.default", z, results=2),
                 product(*call("linalg_lu.default", z, results=3)), product(scaled_u, vh),
                 product(hermitian, vectors), scaled]
        self.save(p.output(size, values, s, *(p.aten("view_as_real.default", y) for y in found)))
        a = RANDOM.standard_normal((2, 3, 3)) + 1j * RANDOM.standard_normal((2, 3, 3))
        unit = np.linalg.qr(a[0])[0]
        a[0] = unit @ np.diag([1, 1, 2]) @ unit.conj().T
        a = a.astype(np.complex64)
        h = a + a.conj().swapaxes(1, 2)
        given = np.stack([a.real, a.imag], -1)
        sign, size = np.linalg.slogdet(a)
        expected = [np.linalg.det(a), sign, *np.linalg.qr(a), a, a]
        expected = [size, np.linalg.eigvalsh(h), np.linalg.svd(a, compute_uv=False),
                    *(np.stack([y.real, y.imag], -1) for y in expected)]
        done, out = self.run_on(self.model, [given])
        self.assertEqual(complaint(done), "")
        outputs = read_outputs(out)
        wanted = [(y.astype(np.float32), "float32") for y in expected]
        self.assertEqual(compare(outputs[:-2], wanted), "")
        self.assertEqual(compare(outputs[-2:-1], outputs[-1:]), "")

    def test_quantised_halves(self):
        """They are divided by the scale in float32."""
        target, byte = "torch.ops.quantized_decomposed.", Raw(as_scalar_type=2)
        p = Program()
        x, scales = p.input("x", [4, 3], "float16"), p.input("scales", [3])
        whole = p.call(target + "quantize_per_tensor.default", x, 0.03, 5, -128, 127, byte)
        columns = p.call(target + "quantize_per_channel.default", x, scales,
                         p.weight("zeros", np.zeros(3, np.int64)), 1, -127, 127, byte)
        self.save(p.output(whole, columns))
        a, s = np.float16(draw(4, 3) * 3), np.float32([0.1, 0.02, 3])
        wide = a.astype(np.float32)
        self.expect([a, s], [
            np.clip(np.round(wide / np.float32(0.03)) + 5, -128, 127).astype(np.int8),
            np.clip(np.round(wide / s), -127, 127).astype(np.int8)])

    def test_chosen_wide_grids(self):
        target = "torch.ops.quantized_decomposed."
        a = draw(4, 3) + 1
        most = np.abs(a).max()
        for number, low, high, middle in ((3, -32768, 32767, 0), (28, 0, 65535, 32768),
                                          (4, -2**31, 2**31 - 1, 0)):
            p = Program()
            x = p.input("x", [4, 3])
            results = []
            for kind in ("", "_symmetric"):
                results += p.call(f"{target}choose_qparams{kind}.tensor", x, low, high, 1e-12,
                                  Raw(as_scalar_type=number), results=2)
            self.save(p.output(*results))
            s = (a.max() - min(a.min(), np.float32(0))) / np.float32(high - low)
            z = low - int(np.round(min(a.min(), np.float32(0)) / s))
            self.expect([a], [np.float64([s]), np.int64([z]),
                              np.float64([most / np.float32((high - low) / 2)]), np.int64([middle])])

    def test_grids_of_tokens(self):
        p = Program()
        x = p.input("x", [2, 3, 8])
        target, byte, single = ("torch.ops.quantized_decomposed.", Raw(as_scalar_type=2),
                                Raw(as_scalar_type=7))
        results = []
        for kind in ("_asymmetric", ""):
            scales, zeros = p.call(f"{target}choose_qparams_per_token{kind}.default", x, byte,
                                   results=2)
            stored = p.call(target + "quantize_per_token.default", x, scales, zeros, -128, 127, byte)
            results += [scales, zeros, stored,
                        p.call(target + "dequantize_per_token.default", stored, scales, zeros, -128,
                               127, byte, single)]
        self.save(p.output(*results))
        a = draw(2, 3, 8)
        low, high = (np.minimum(a.min(2, keepdims=True), 0), np.maximum(a.max(2, keepdims=True), 0))
        scale = (high - low) / np.float32(255)
        below, above = -128 - low / scale, 127 - high / scale
        zero = np.round(np.clip(np.where(low / scale - 128 + high / scale + 127 > 0, below, above),
                                -128, 127))
        around = np.abs(a).max(2, keepdims=True) / np.float32(127)
        expected = []
        for s, z in ((scale, zero), (around, np.zeros_like(around))):
            s, z = s.astype(np.float64), z.astype(np.int64)
            q = np.clip(np.round(a * (1 / s) + z), -128, 127).astype(np.int8)
            expected += [s, z, q, ((q.astype(np.int64) - z) * s).astype(np.float32)]
        self.expect([a], expected)

    def test_grids_of_groups(self):
        p = Program()
        w, s, z = p.input("w", [4, 8]), p.input("s", [4, 2]), p.input("z", [4, 2])
        target, byte = "torch.ops.quantized_decomposed.", Raw(as_scalar_type=2)
        stored = p.call(target + "quantize_per_channel_group.default", w, s, z, -8, 7, byte, 4)
        read = p.call(target + "dequantize_per_channel_group.default", stored, s, None, -8, 7, byte,
                      4, Raw(as_scalar_type=7))
        self.save(p.output(stored, read))
        a, scale = draw(4, 8), RANDOM.choice(np.float32([0.125, 0.25, 0.5]), (4, 2))
        zero = RANDOM.integers(-2, 3, (4, 2)).astype(np.float32)
        groups, column = a.reshape(8, 4), scale.reshape(8, 1)
        q = np.clip(np.round(groups / column + zero.reshape(8, 1)), -8, 7).astype(np.int8)
        self.expect([a, scale, zero], [q.reshape(4, 8), (q * column).reshape(4, 8)])

    def test_weights_of_given_length(self):
        p = Program()
        v, g = p.weight("v", draw(3, 4)), p.weight("g", draw(3, 1))
        y, _ = p.aten("_weight_norm_interface.default", v, g, results=2)
        self.save(p.output(y))
        rows, lengths = (np.frombuffer(p.records[f"data/weights/weight_{i}"], np.float32)
                         .reshape(3, -1) for i in range(2))
        self.expect([], [rows * lengths / np.linalg.norm(rows, axis=1, keepdims=True)])

    def test_blocks_take_their_common_type(self):
        p = Program()
        x, n = p.input("x", [1, 2], "float64"), p.input("n", [2, 1], "int64")
        self.save(p.output(p.aten("block_diag.default", [x, n])))
        self.expect([np.float64([[0.5, 2]]), np.int64([[3], [4]])],
                    [np.float64([[0.5, 2, 0], [0, 0, 3], [0, 0, 4]])])

    def test_products_that_sum(self):
        p = Program()
        x, y, n = p.input("x", [1, 2, 3]), p.input("y", [4, 2, 5]), p.input("n", [3], "uint8")
        dot = p.aten("tensordot.default", x, y, [0, 1], [0, 1])
        total = p.aten("einsum.default", "i->", [n])  # torch adds integers as int64
        same = p.aten("einsum.default", "i->i", [n])
        powers = p.aten("linalg_vander.default", p.input("z", []))
        self.save(p.output(dot, total, same, powers))
        a, b, c, z = draw(1, 2, 3), draw(4, 2, 5), np.uint8([200, 100, 7]), np.float32(3)
        self.expect([a, b, c, z], [np.einsum("zik,wij->kj", a, b), np.int64(307), c,
                                   np.float32([[1]])])

    def test_images_of_bytes_are_resized_in_integers(self):
        # Recorded from PyTorch 2.11 on x86, which rounds along each axis.
        image = np.frombuffer(bytes.fromhex(
        "05010605060402050509030104020302060802020802000409020109020209040407020508060607"
        "01050201070403000706090303090001020907080603040805010506040209030509070909040908"
        "07040502080808080404020309010207020805070809020903040902060207090802080406010707"
        "01020302010207040706010801080106090305050601050900080601000904090502070606070107"
        "05040400050608000208080807060001090004080306020307080607070208050702020105040306"), np.uint8)
        self.resize("_upsample_bilinear2d_aa.default", image.reshape(10, 20), False,
                    [[4, 5, 5], [5, 5, 5], [4, 5, 4]])
        self.resize("upsample_bilinear2d.default", np.uint8([[5, 1, 6, 5], [6, 4, 2, 5], [5, 9, 3, 1], [4, 2, 3, 2]]),
                    True, [[5, 4, 5], [6, 5, 3], [4, 3, 2]])

    def resize(self, target, image, align_corners, expected):
        p = Program()
        x = p.input("x", [1, 1, *image.shape], "uint8")
        self.save(p.output(p.aten(target, x, list(np.shape(expected)), align_corners)))
        self.expect([image[None, None]], [np.uint8(expected)[None, None]])

    def test_huber_losses_are_of_the_type_of_what_is_compared(self):
        p = Program()
        x, y = p.input("x", [4, 3], "float16"), p.input("y", [4, 3])
        self.save(p.output(p.aten("huber_loss.default", x, y, 0, 0.5),
                           p.aten("huber_loss.default", y, x, 0, 0.5)))
        a, b = np.float16(draw(4, 3)), draw(4, 3)
        distance = np.abs(a.astype(np.float32) - b)
        losses = np.where(distance < 0.5, distance * distance / 2, distance / 2 - np.float32(0.125))
        self.expect([a, b], [losses.astype(np.float16), losses])

    def test_quantised_numbers_that_no_grid_holds(self):
        """As torch on x86-64 has them: a channel casts what lies beyond int64 to its least number."""
        p = Program()
        x, scale, zero = p.input("x", [2, 4]), p.input("scale", [2]), p.input("zero", [2], "int32")
        whole, _ = p.aten("fake_quantize_per_tensor_affine_cachemask.default", x, 0.5, 2, 0, 255,
                          results=2)
        rows, _ = p.aten("fake_quantize_per_channel_affine_cachemask.default", x, scale, zero, 0,
                         0, 255, results=2)
        self.save(p.output(whole, rows))
        a = np.float32([[np.nan, np.inf, -np.inf, 3], [1e30, -1e30, 1e15, np.nan]])
        self.expect([a, np.float32([0.5, 0.5]), np.int32([2, 2])], [
            np.float32([[-1, 126.5, -1, 3], [126.5, -1, 126.5, -1]]),
            np.float32([[-1, -1, -1, 3], [-1, -1, 126.5, -1]])])

    def test_weights_of_eight_bits(self):
        """The bytes of 1, 2 and 0.5 in each format, and of -1 where it has signs."""
        formats = {"float8_e4m3fn": [0x38, 0x40, 0x30, 0xb8], "float8_e5m2": [0x3c, 0x40, 0x38, 0xbc],
                   "float8_e4m3fnuz": [0x40, 0x48, 0x38, 0xc0],
                   "float8_e5m2fnuz": [0x40, 0x44, 0x3c, 0xc0], "float8_e8m0fnu": [127, 128, 126]}
        p = Program()
        x = p.input("x", [1])
        wide = [p.aten("_to_copy.default", p.weight(name, np.uint8(stored), "buffer", dtype=name),
                       dtype=Raw(as_scalar_type=7)) for name, stored in formats.items()]
        self.save(p.output(*(p.aten("mul.Tensor", x, scale) for scale in wide)))
        numbers = np.float32([1, 2, 0.5, -1])
        self.expect([np.float32([3])], [3 * numbers[:len(stored)] for stored in formats.values()])

    def test_places_of_views_in_their_storage(self):
        p = Program("TRAINING")
        x = p.input("x", [3, 4])
        rows = p.aten("slice.Tensor", x, 0, 1, 3)
        views = [x, rows, p.aten("select.int", p.aten("t.default", rows), 0, 2),
                 p.aten("diagonal.default", x, 1), p.aten("mul.Tensor", rows, 2)]
        places = [p.aten("sym_storage_offset.default", view, kind=Int) for view in views]
        self.save(p.output(*(p.aten("scalar_tensor.default", place, dtype=Raw(as_scalar_type=5))
                             for place in places)))
        self.expect([draw(3, 4)], [np.int64(place) for place in (0, 4, 6, 1, 0)])

    def test_spectra_of_any_matrices(self):
        """V · diag(w) · V^-1 is the matrix, also of real ones; the squares of w are those of its
        square."""
        p = Program()
        x = p.input("x", [2, 4, 4, 2])

        def call(name, *arguments, results=1):
            return p.aten(name, *arguments, results=results, typed="complex64")

        def product(matrix):
            values, vectors = call("linalg_eig.default", matrix, results=2)
            scaled = call("mul.Tensor", vectors, call("unsqueeze.default", values, 1))
            return call("matmul.default", scaled, call("linalg_inv.default", vectors))

        z = call("view_as_complex.default", x)
        alone = call("_linalg_eigvals.default", z)
        squares = call("sum.dim_IntList", call("mul.Tensor", alone, alone), [1])
        found = [product(z), product(p.aten("real.default", z)), squares]
        self.save(p.output(*(p.aten("view_as_real.default", y) for y in found)))
        a = RANDOM.standard_normal((2, 4, 4)) + 1j * RANDOM.standard_normal((2, 4, 4))
        pairs = [np.stack([y.real, y.imag], -1).astype(np.float32)
                 for y in (a, a.real + 0j, np.trace(a @ a, axis1=1, axis2=2))]
        self.expect(pairs[:1], pairs)

    def test_spectrum_of_no_rows(self):
        p = Program()
        x = p.input("x", [0, 0], "complex64")
        sizes, vectors = p.aten("_linalg_eigh.default", x, "L", True, results=2)
        self.save(p.output(sizes, vectors))
        empty = np.zeros((0, 0), np.complex64)
        self.expect([empty], [np.zeros(0, np.float32), empty], onnx=False)


if __name__ == "__main__":
    unittest.main()
