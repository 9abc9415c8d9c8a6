#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of dialect prims, and grids of wide integers, in archives made by exported_programs.py
and compared with what NumPy computes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Int, Program, Raw

RANDOM = np.random.default_rng(12)
FLOAT, HALF, LONG = (Raw(as_scalar_type=number) for number in (7, 6, 5))
CPU = Raw(as_device={"type": "cpu", "index": None})


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


def primitive(program, name, names, *arguments, **keywords):
    return program.call(f"torch.ops.prims.{name}.default", *arguments, names=names.split(),
                        **keywords)


class Primitives(ExportedPrograms):
    def test_elementwise(self):
        p = Program()
        x, k = p.input("x", [2, 3]), p.input("k", [2, 3], "int64")
        pair = "self other"
        self.save(p.output(
            primitive(p, "exp", "self", x), primitive(p, "erf_inv", "self", x),
            primitive(p, "mul", pair, x, x), primitive(p, "maximum", pair, x, x),
            primitive(p, "pow", pair, x, x), primitive(p, "div", pair, k, k),
            primitive(p, "shift_left", pair, k, k),
            primitive(p, "convert_element_type", "a dtype", k, HALF),
            primitive(p, "where", "pred a b", primitive(p, "gt", pair, x, x), x, x)))
        a, i = np.float32([[0.1, 0.5, 0.9], [0.2, 0.3, 0.4]]), np.int64([[1, 2, 3], [4, 5, 6]])
        self.expect([a, i], [
            np.exp(a), np.float32([[0.08885599, 0.47693628, 1.1630871],
                                   [0.17914345, 0.27246271, 0.37080716]]),
            a * a, a, a ** a, np.ones_like(i), i << i, i.astype(np.float16), a])

    def test_sizes(self):
        p = Program()
        x = p.input("x", ["s0", 6])
        size = p.aten("sym_size.int", x, 0, kind=Int)
        row = primitive(p, "slice_in_dim", "a start_index limit_index stride axis", x, 1, 6, 2, 1)
        split = primitive(p, "split_dim", "a dim outer_length", x, 1, 2)
        self.save(p.output(
            row, split, primitive(p, "collapse_view", "a start end", split, 0, 1),
            primitive(p, "broadcast_in_dim", "a shape broadcast_dimensions", x, [size, 2, 6], [0, 2]),
            primitive(p, "slice", "a start_indices limit_indices strides", x, [0, 1], [1, 6], [1, 2]),
            primitive(p, "iota", "length", size, start=2, step=3, dtype=LONG, device=CPU,
                      requires_grad=False),
            primitive(p, "transpose", "a permutation", split, [2, 0, 1]),
            primitive(p, "rev", "a dims", x, [1])))
        a = draw(3, 6)
        self.expect([a], [
            a[:, 1:6:2], a.reshape(3, 2, 3), a.reshape(6, 3), np.stack([a, a], 1), a[:1, 1:6:2],
            np.int64([2, 5, 8]), a.reshape(3, 2, 3).transpose(2, 0, 1), a[:, ::-1]])

    def test_reductions_and_new_tensors(self):
        p = Program()
        x = p.input("x", [2, 3, 4])
        self.save(p.output(
            primitive(p, "sum", "inp dims", x, [0, 2]), primitive(p, "amax", "inp dims", x, [1]),
            primitive(p, "prod", "inp dims", x, [0, 1]),
            primitive(p, "var", "inp dims", x, [2], correction=1),
            primitive(p, "full", "shape fill_value", [2], 1.5, dtype=FLOAT, device=CPU,
                      requires_grad=False),
            primitive(p, "full_like", "a fill_value", x, 2, dtype=LONG, device=CPU,
                      requires_grad=False)))
        a = draw(2, 3, 4)
        self.expect([a], [a.sum((0, 2)), a.max(1), a.prod((0, 1)), a.var(2, ddof=1),
                          np.float32([1.5, 1.5]), np.full((2, 3, 4), 2, np.int64)])

    def test_others_are_named(self):
        p = Program()
        self.save(p.output(primitive(p, "svd", "A", p.input("x", [2, 2]), full_matrices=False)))
        self.expect_refused(4, "prims.svd", [draw(2, 2)])


class WideGrids(ExportedPrograms):
    NAMES = ["input", "scale", "zero_point", "quant_min", "quant_max", "dtype"]

    def grid(self, program, name, *arguments, names=NAMES):
        return program.call(f"torch.ops.quantized_decomposed.{name}", *arguments, names=names)

    def test_one_scale(self):
        for number, dtype, low, high in ((3, np.int16, -500, 32767), (4, np.int32, -10**6, 10**6)):
            with self.subTest(dtype):
                p = Program()
                x = p.input("x", [3, 4])
                stored = self.grid(p, "quantize_per_tensor.default", x, 0.03, -7, low, high,
                                   Raw(as_scalar_type=number))
                self.save(p.output(stored, self.grid(
                    p, "dequantize_per_tensor.default", stored, 0.03, -7, low, high,
                    Raw(as_scalar_type=number))))
                a = draw(3, 4) * 40
                q = np.clip(np.round(a * np.float32(1 / 0.03)) - 7, low, high)
                self.expect([a], [q.astype(dtype), np.float32(q + 7) * np.float32(0.03)])

    def test_scales_of_channels(self):
        p = Program()
        names = ["input", "scales", "zero_points", "axis", *self.NAMES[3:]]
        x, scales = p.input("x", [3, 4]), p.input("scales", [4])
        zeros = p.input("zeros", [4], "int64")
        grid = [1, -32768, 32767, Raw(as_scalar_type=3)]
        stored = self.grid(p, "quantize_per_channel.default", x, scales, zeros, *grid, names=names)
        self.save(p.output(stored, self.grid(p, "dequantize_per_channel.default", stored, scales,
                                             zeros, *grid, names=names)))
        a, s, z = draw(3, 4) * 40, np.float32([0.1, 0.02, 3, 0.5]), np.int64([0, 5, -2, 100])
        q = np.clip(np.round(a * (np.float32(1) / s)) + z.astype(np.float32), -32768, 32767)
        self.expect([a, s, z], [q.astype(np.int16), (q - z.astype(np.float32)) * s])

    def test_bits_of_integers(self):
        p = Program()
        x = p.input("x", [3], "int8")
        self.save(p.output(p.aten("view.dtype", x, Raw(as_scalar_type=1))))
        self.expect([np.int8([-1, 0, 127])], [np.uint8([255, 0, 127])])

    def test_bits_of_floats(self):
        """Elements of another size share the last axis; writes are seen."""
        a = draw(2, 3)
        for number, dtype in ((4, np.int32), (3, np.int16), (5, np.int64)):
            p = Program()
            x = p.input("x", [2, 4])
            self.save(p.output(p.aten("view.dtype", x, Raw(as_scalar_type=number))))
            b = np.concatenate([a, -a[:, :1]], 1)
            self.expect([b], [b.view(dtype)])
        p = Program("TRAINING")
        y = p.aten("neg.default", p.input("x", [2, 3]))
        p.aten("bitwise_and_.Scalar", p.aten("view.dtype", y, Raw(as_scalar_type=4)), 0x7F800000)
        self.save(p.output(y))
        self.expect([a], [(np.float32(a).view(np.int32) & 0x7F800000).view(np.float32)])


class Memory(ExportedPrograms):
    def test_written_tensors_have_elements_of_their_own(self):
        elements = np.arange(6, dtype=np.float32)
        p = Program("TRAINING")
        x = p.input("x", [3])
        first = p.weight("a", elements, "buffer", record="weight_0", sizes=[3])
        second = p.weight("b", elements, "buffer", record="weight_0", sizes=[3], offset=3)
        p.aten("add_.Tensor", first, x)
        self.save(p.output(p.aten("add.Tensor", first, second)))
        a = draw(3)
        self.expect([a], [elements[:3] + a + elements[3:]])

    def test_other_sizes_in_place(self):
        """The first elements stay; one that shares its elements is refused."""
        a = draw(3, 4)
        p = Program("TRAINING")
        y = p.aten("clone.default", p.input("x", [3, 4]))
        p.aten("resize_.default", y, [2, 5])
        self.save(p.output(p.aten("neg.default", y)))
        self.expect([a], [-a.ravel()[:10].reshape(2, 5)])
        p = Program("TRAINING")
        y = p.aten("clone.default", p.input("x", [3, 4]))
        row = p.aten("select.int", y, 0, 0)
        p.aten("resize_.default", y, [2, 5])
        self.save(p.output(row))
        self.expect_refused(4, "shares its elements with another one", [a])

    def test_other_axes_in_place(self):
        """What shares the elements sees what is written to either, each in its own axes."""
        p = Program("TRAINING")
        y = p.aten("clone.default", p.input("x", [3, 4]))
        flat = p.aten("view.default", y, [-1])
        turned = p.aten("unsqueeze_.default", p.aten("t_.default", y), 1)
        p.aten("add_.Tensor", flat, 1)
        p.aten("mul_.Scalar", p.aten("select.int", turned, 0, 2), 2)
        turned = p.aten("transpose_.default", p.aten("squeeze_.dim", turned, 1), 0, 1)
        self.save(p.output(turned, flat))
        a = draw(3, 4)
        b = a + 1
        b[:, 2] *= 2
        self.expect([a], [b, b.ravel()])

    def test_bits_in_place(self):
        a, b = np.array([5, 12, 9], np.int32), np.array([3, 10, 1], np.int32)
        p = Program("TRAINING")
        x, y = p.input("x", [3], "int32"), p.input("y", [3], "int32")
        written = [p.aten("clone.default", x) for _ in range(5)]
        for value, name, operand in zip(written, ("iand", "ior", "ixor", "ilshift", "irshift"),
                                        (y, y, y, 2, 1)):
            p.aten(f"__{name}__.{'Tensor' if operand is y else 'Scalar'}", value, operand)
        self.save(p.output(*written))
        self.expect([a, b], [a & b, a | b, a ^ b, a << 2, a >> 1])
        p = Program("TRAINING")
        mask = p.aten("clone.default", p.input("x", [3], "bool"))
        p.aten("__iand__.Tensor", mask, p.input("y", [3], "bool"))
        self.save(p.output(mask))
        self.expect([a > 5, b > 5], [(a > 5) & (b > 5)])

    def test_results_of_backward_passes_are_refused(self):
        p = Program()
        _, kept = p.aten("log_sigmoid_forward.default", p.input("x", [2]), results=2)
        self.save(p.output(kept))
        self.expect_refused(4, "only a backward pass reads", [draw(2)])


if __name__ == "__main__":
    unittest.main()
