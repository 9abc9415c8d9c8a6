#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives of torch.export made by exported_programs.py, each run by the interpreter, as exported
ONNX and written again, and compared with what NumPy computes; and archives that are refused."""

import json
import pathlib
import sys
import unittest

import numpy as np

from commands import complaint, dragoman

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Bool, Float, Int, LEAF, Program, Raw, save_records, tree

RANDOM = np.random.default_rng(7)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, axes, eps=1e-5):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + eps)


class Arguments(ExportedPrograms):
    def test_numbers_stand_for_tensors(self):
        p = Program()
        x = p.input("x", [2, 3])
        y = p.aten("add.Tensor", x, 1, names=["self", "other"], alpha=2)
        z = p.aten("mul.Tensor", y, 0.5)
        k = p.input("k", [2], "int64")
        self.save(p.output(z, p.aten("add.Tensor", k, 1), p.aten("mul.Tensor", k, 0.5)))
        a, b = draw(2, 3), np.array([3, -4])
        self.expect([a, b], [(a + 2) * np.float32(0.5), b + 1, (b * 0.5).astype(np.float32)])

    def test_element_types_layouts_and_devices(self):
        p = Program()
        x = p.input("x", [3])
        half = p.aten("_to_copy.default", x, dtype=Raw(as_scalar_type=6))
        ints = p.aten("_to_copy.default", x, dtype=Raw(as_scalar_type=5))
        ones = p.aten("full.default", [2, 2], 1.5, dtype=Raw(as_scalar_type=8),
                      layout=Raw(as_layout=7), device=Raw(as_device={"type": "cpu", "index": None}),
                      pin_memory=False)
        copy = p.aten("clone.default", x, memory_format=Raw(as_memory_format=1))
        self.save(p.output(half, ints, ones, copy))
        a = np.array([1.5, -2.25, 3.75], np.float32)
        self.expect([a], [a.astype(np.float16), a.astype(np.int64), np.full((2, 2), 1.5), a])

    def test_lists_optionals_and_words(self):
        p = Program()
        x = p.input("x", [2, 3])
        i = p.input("i", [2], "int64")
        low = p.aten("clamp.default", x, None, 0.5)
        picked = p.aten("index.Tensor", x, [None, i])
        joined = p.aten("cat.default", [x, low], 1)
        outer = p.aten("einsum.default", "ij,kj->ik", [x, low])
        padded = p.aten("constant_pad_nd.default", x, [1, 0], -float("inf"))
        self.save(p.output(low, picked, joined, outer, padded))
        a, at = draw(2, 3), np.array([2, 0])
        b = np.minimum(a, np.float32(0.5))
        self.expect([a, at], [b, a[:, at], np.concatenate([a, b], 1), a @ b.T,
                              np.pad(a, ((0, 0), (1, 0)), constant_values=-np.inf)])

    def test_optional_tensors_complex_numbers_and_lists_of_run_time(self):
        p = Program()
        x, y, i = p.input("x", ["s0", 2]), p.input("y", ["s0", 2]), p.input("i", [3], "int64")
        n = p.aten("sym_size.int", x, 0, kind=Int)
        bounded = p.aten("clamp.Tensor", x, Raw(as_optional_tensor={"as_none": True}),
                         Raw(as_optional_tensor={"as_tensor": {"name": y}}))
        columns = p.aten("index.Tensor", x, Raw(as_optional_tensors=[
            {"as_none": True}, {"as_tensor": {"name": i}}]))
        turned = p.aten("mul.Scalar", p.aten("view_as_complex.default", x), 2 - 1j)
        row = p.aten("view.default", x, Raw(as_sym_ints=[{"as_int": 1}, {"as_int": 2},
                                                         {"as_name": n}]))
        doubled = p.aten("upsample_nearest1d.vec", row, None,
                         Raw(as_sym_floats=[{"as_float": 2.0}]))
        self.save(p.output(bounded, columns, p.aten("view_as_real.default", turned), doubled))
        for count in (1, 2, 5):
            a, b, at = draw(count, 2), draw(count, 2), np.array([1, 0, 1])
            c = (a[:, 0] + 1j * a[:, 1]) * (2 - 1j)
            self.expect([a, b, at], [np.minimum(a, b), a[:, at], np.float32(np.stack([c.real, c.imag], -1)),
                                     np.repeat(a.reshape(1, 2, count), 2, 2)])

    def test_every_kind_is_kept(self):
        """Where no operator of torch has it, a program is refused, and written as it was."""
        word = {"as_string": "x"}
        kinds = [Raw(as_bools=[True, False]), Raw(as_strings=["a", "b"]), Raw(as_floats=[1.5, "NaN"]),
                 Raw(as_sym_bool={"as_bool": True}), Raw(as_sym_bools=[{"as_bool": False}]),
                 Raw(as_sym_float={"as_float": 0.5}), Raw(as_nested_tensors=[[{"name": "x"}], []]),
                 Raw(as_int_lists=[[1, 2], []]), Raw(as_float_lists=[[0.5], [1.0, 2.0]]),
                 Raw(as_string_to_argument={"k": {"as_tensor": {"name": "x"}}, "w": word}),
                 Raw(as_operator="torch.ops.mine.other.default"), Raw(as_complex={"real": 1.0, "imag": 2.0}),
                 Raw(as_device={"type": "cpu", "index": 0})]
        p = Program()
        x = p.input("x", [2])
        p.inputs.append({"as_custom_obj": {"name": "obj_lut", "class_fqn": "__torch__.torch.classes.mine.Lut"}})
        p.input_specs.append({"custom_obj": {"arg": {"name": "obj_lut", "class_fqn":
                                                     "__torch__.torch.classes.mine.Lut"},
                                             "custom_obj_name": "lut"}})
        kinds.append(Raw(as_custom_obj={"name": "obj_lut",
                                        "class_fqn": "__torch__.torch.classes.mine.Lut"}))
        self.save(p.output(p.call("torch.ops.mine.special.default", x, *kinds)))
        self.expect_written_again()
        done = dragoman("convert", self.model, "-o", self.work / "net.onnx")
        self.assertEqual(done.returncode, 4, done.stderr)

    def test_lists_of_results(self):
        p = Program()
        x = p.input("x", [3, 4])
        left, right = p.aten("split_with_sizes.default", x, [1, 3], 1, results=[2])
        values, places = p.aten("topk.default", x, 2, results=2)
        self.save(p.output(right, left, values, places))
        a = draw(3, 4)
        order = np.argsort(-a, 1)[:, :2]
        self.expect([a], [a[:, 1:], a[:, :1], np.take_along_axis(a, order, 1), order])

    def test_literals_in_and_nested_results_out(self):
        p = Program()
        p.literal("n", 4)
        x = p.input("x", [2])
        p.literal("s", "mean")
        y = p.aten("mul.Tensor", x, 4)
        nested = tree("dict", LEAF, tree("list", LEAF, tree("tuple", LEAF, LEAF, LEAF)),
                      keys=["sum", "more"])
        self.save(p.output(y, x, None, 3, True, out_tree=nested))
        a = draw(2)
        self.expect([a], [a * 4, a, np.int64(3), np.bool_(True)])
        listing = dragoman("convert", self.model, "--level", "common", "-o", "-").stdout
        for name in ("output.sum", "output.more.0", "output.more.1.1"):
            self.assertIn(name, listing)


class Decomposed(ExportedPrograms):
    """Overloads that decomposed graphs have."""

    def test_layers(self):
        p = Program()
        w, b = draw(4, 3), draw(4)
        weight, bias = p.weight("fc.weight", w), p.weight("fc.bias", b)
        x = p.input("x", [2, 3])
        turned = p.aten("permute.default", weight, [1, 0])
        y = p.aten("addmm.default", bias, x, turned)
        norm, _, _ = p.aten("native_layer_norm.default", y, [4], None, None, 1e-5, results=3)
        probabilities = p.aten("_softmax.default", norm, -1, False)
        logs = p.aten("_log_softmax.default", norm, 1, False)
        self.save(p.output(probabilities, logs))
        a = draw(2, 3)
        n = normalized(a @ w.T + b, 1)
        soft = np.exp(n) / np.exp(n).sum(1, keepdims=True)
        self.expect([a], [soft, np.log(soft)])

    def test_images(self):
        p = Program()
        w, mean, var = draw(2, 3, 3, 3), draw(2), np.abs(draw(2)) + 1
        weight = p.weight("conv.weight", w)
        running = [p.weight(f"bn.{name}", array, "buffer")
                   for name, array in (("running_mean", mean), ("running_var", var))]
        x = p.input("x", [1, 3, 5, 5])
        y = p.aten("convolution.default", x, weight, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
        z, _, _ = p.aten("_native_batch_norm_legit_no_training.default", y, None, None, *running,
                         0.1, 1e-5, results=3)
        pooled, _ = p.aten("max_pool2d_with_indices.default", z, [3, 3], results=2)
        groups, _, _ = p.aten("native_group_norm.default", x, None, None, 1, 3, 25, 1, 1e-5, results=3)
        self.save(p.output(pooled, groups))
        a = draw(1, 3, 5, 5)
        windows = np.lib.stride_tricks.sliding_window_view(a[0], (3, 3), (1, 2))
        c = np.einsum("oijk,iyxjk->oyx", w, windows)
        n = (c - mean[:, None, None]) / np.sqrt(var[:, None, None] + 1e-5)
        self.expect([a], [n.max((1, 2)).reshape(1, 2, 1, 1).astype(np.float32),
                          normalized(a, (1, 2, 3))])

    def test_attention(self):
        p = Program()
        q, k, v = (p.input(name, [1, 2, 3, 4]) for name in "qkv")
        y, _ = p.aten("_scaled_dot_product_flash_attention_for_cpu.default", q, k, v, 0.0, False,
                      results=2, scale=0.5)
        self.save(p.output(y))
        a, b, c = (draw(1, 2, 3, 4) for _ in range(3))
        scores = np.exp(a @ b.swapaxes(2, 3) * np.float32(0.5))
        self.expect([a, b, c], [scores / scores.sum(3, keepdims=True) @ c])

    def test_attention_to_nothing(self):
        """A query whose mask hides all keys gets zeros, as torch from 2.5 on gives."""
        p = Program()
        q, k, v = (p.input(name, [1, 2, 3, 4]) for name in "qkv")
        mask = p.input("mask", [3, 3])
        self.save(p.output(p.aten("scaled_dot_product_attention.default", q, k, v, mask)))
        a, b, c = (draw(1, 2, 3, 4) for _ in range(3))
        hidden = np.float32([[0, 1, -np.inf], [-np.inf] * 3, [-2, 0, 0]])
        scores = np.exp(a @ b.swapaxes(2, 3) / np.float32(2) + hidden)
        sums = scores.sum(3, keepdims=True)
        self.expect([a, b, c, hidden], [scores / np.where(sums == 0, 1, sums) @ c])

    def test_quantised_models(self):
        p = Program()
        w = p.weight("w", np.int8([[10, -20], [127, -127]]))
        scales = p.weight("scales", np.float32([0.5, 0.25]))
        zeros = p.weight("zeros", np.int64([0, 0]))
        x = p.input("x", [2, 2])
        byte, short = Raw(as_scalar_type=1), Raw(as_scalar_type=2)
        target = "torch.ops.quantized_decomposed."
        stored = p.call(target + "quantize_per_tensor.default", x, 0.5, 100, 0, 200, byte)
        read = p.call(target + "dequantize_per_tensor.default", stored, 0.5, 100, 0, 200, byte)
        rows = p.call(target + "dequantize_per_channel.default", w, scales, zeros, 0, -127, 127,
                      short)
        self.save(p.output(stored, read, rows, p.aten("relu.default", read)))
        a = np.float32([[1.2, -3.4], [80, -80]])
        q = np.clip(np.round(a / np.float32(0.5)) + 100, 0, 200).astype(np.uint8)
        y = (q.astype(np.float32) - 100) * np.float32(0.5)
        self.expect([a], [q, y, np.float32([[5, -10], [31.75, -31.75]]), np.maximum(y, 0)])

    def test_moved_elements(self):
        p = Program()
        x = p.input("x", [4, 3])
        i = p.input("i", [2], "int64")
        part = p.aten("slice.Tensor", x, 0, 1, 9223372036854775807, 2)
        written = p.aten("slice_scatter.default", x, p.aten("mul.Tensor", part, 2), 0, 1,
                         9223372036854775807, 2)
        picked = p.aten("_unsafe_index.Tensor", x, [i])
        row = p.aten("select_scatter.default", x, p.aten("select.int", x, 0, 1), 0, 0)
        fresh = p.aten("lift_fresh_copy.default", x)
        self.save(p.output(written, picked, row, p.aten("alias.default", fresh)))
        a, at = draw(4, 3), np.array([3, 1])
        b, c = a.copy(), a.copy()
        b[1::2] *= 2
        c[0] = a[1]
        self.expect([a, at], [b, a[at], c, a])


    def test_indices_of_rows_and_columns(self):
        """Also those that do not choose along axes of their own, in order."""
        rows, columns = [[2], [-1], [0]], [1, 0, -2, 1]
        x = draw(2, 4, 5)
        for name, (i, j) in {"apart": (rows, columns), "wide": (rows, [columns]),
                             "swapped": ([columns], rows), "together": (columns, columns),
                             "overlapping": (rows, [[1, 0]] * 3)}.items():
            with self.subTest(name):
                p = Program()
                a = p.input("a", ["s0", 4, 5])
                indices = [p.input(f"i{k}", list(np.shape(at)), "int64")
                           for k, at in enumerate((i, j))]
                after = p.aten("index.Tensor", a, [None, *indices])
                first = p.aten("_unsafe_index.Tensor", p.aten("permute.default", a, [1, 2, 0]),
                               indices)
                self.save(p.output(after, first))
                i, j = np.int64(i), np.int64(j)
                self.expect([x, i, j], [x[:, i, j], x.transpose(1, 2, 0)[i, j]])

class Sizes(ExportedPrograms):
    def test_symbols_at_three_sizes(self):
        p = Program()
        p.ranges = {"s0": (1, 8)}
        x = p.input("x", ["s0", 3])
        y = p.input("y", ["Mul(Integer(2), Symbol('s0', positive=True, integer=True))"])
        n = p.aten("sym_size.int", x, 0, kind=Int)
        twice = p.call("_operator.mul", n, 2, kind=Int)
        total = p.call("_operator.mul", n, 3, kind=Int)
        flat = p.aten("view.default", x, [total])
        rows = p.aten("expand.default", p.aten("unsqueeze.default", y, 0), [n, twice])
        counted = p.aten("arange.start_step", 0, twice, 2, dtype=Raw(as_scalar_type=5))
        self.save(p.output(flat, rows, counted, p.aten("full.default", [n, 2], 1.0)))
        for count in (1, 2, 5):
            a, b = draw(count, 3), draw(2 * count)
            self.expect([a, b], [a.reshape(-1), np.tile(b, (count, 1)), np.arange(0, 2 * count, 2),
                                 np.ones((count, 2), np.float32)], onnx=count == 5)

    def test_a_lower_bound_of_2_is_none(self):
        """Every open size has it, as torch specialises 0 and 1; torch runs both."""
        for low, sizes in ((2, (0, 1, 2, 5)), (3, (3, 5))):
            p = Program()
            p.ranges = {"s0": (low, None)}
            self.save(p.output(p.aten("neg.default", p.input("x", ["s0", 3]))))
            for count in sizes:
                a = draw(count, 3)
                self.expect([a], [-a])
        self.expect_refused(2, "size 2 where the program was exported for s0 from 3 to any",
                            [draw(2, 3)])

    def test_sizes_that_contradict_the_file(self):
        p = Program()
        p.ranges = {"s0": (2, 4)}
        x = p.input("x", ["s0", 3])
        y = p.input("y", ["Add(Symbol('s0', positive=True, integer=True), Integer(1))"])
        self.save(p.output(p.aten("relu.default", x), p.aten("relu.default", y)))
        self.expect_refused(2, "size 5 where the program was exported for s0 from 2 to 4",
                            [draw(5, 3), draw(6)])
        self.expect_refused(2, "input 'y' has size 3 on axis 0, expected 4", [draw(3, 3), draw(3)])
        self.expect_refused(2, "input 'x' is given sizes [3, 2], expected f32[s0, 3]",
                            [draw(3, 2), draw(4)])

    def test_parts_and_axes_that_the_file_counts(self):
        p = Program()
        x, y = p.input("x", ["s0", 1, 4]), p.input("y", [1, "s0"])
        squeezed = p.aten("squeeze.default", x)
        p.declare(squeezed, "float32", ["s0", 4])
        kept = p.aten("squeeze.dim", y, 1)
        p.declare(kept, "float32", [1, "s0"])
        self.save(p.output(squeezed, kept, *p.aten("chunk.default", x, 3, results=[3]),
                           *p.aten("split.Tensor", y, 2, 1, results=[3])))
        for count in (5, 6):
            a, b = draw(count, 1, 4), draw(1, count)
            self.expect([a, b], [a[:, 0], b, a[:2], a[2:4], a[4:], b[:, :2], b[:, 2:4], b[:, 4:]])
        self.expect_refused(4, "the program was exported for 3 parts", [draw(7, 1, 4), draw(1, 7)])

    def test_sizes_that_break_a_guard(self):
        p = Program()
        p.guards = ["L['x'].size()[0] == (1 + L['d']['k'].size()[0])",
                    "(L['x'].size()[0] % 2) == 0", "L['x'].size()[0] <= 8", "is_even(L['x'])"]
        x, y = p.input("x", ["s0"]), p.input("d_k", ["s1"])
        self.save(p.output(p.aten("neg.default", x), p.aten("neg.default", y)))
        a, b = draw(4), draw(3)
        self.expect([a, b], [-a, -b])
        for sizes, guard in (((4, 4), 0), ((3, 2), 1), ((10, 9), 2)):
            self.expect_refused(2, f"break what the program was exported for: {p.guards[guard]}",
                                [draw(size) for size in sizes])

    def test_numbers_of_run_time(self):
        p = Program()
        x = p.input("x", [3])
        n = p.number("n")
        half = p.call("_operator.floordiv", n, 2, kind=Int)
        rest = p.call("_operator.mod", n, 2, kind=Int)
        large = p.call("torch.sym_max", half, rest, kind=Int)
        odd = p.call("_operator.eq", rest, 1, kind=Bool)
        chosen = p.call("torch.sym_ite", odd, large, 100, kind=Int)
        as_float = p.call("torch.sym_float", chosen, kind=Float)
        self.save(p.output(p.aten("mul.Tensor", x, as_float), p.aten("full.default", [half], 1.0)))
        a = draw(3)
        self.expect([a, np.int64(7)], [a * 3, np.ones(3, np.float32)])
        self.expect([a, np.int64(8)], [a * 100, np.ones(4, np.float32)])

    def test_sizes_that_data_tell(self):
        p = Program()
        x = p.input("x", [6])
        found = p.aten("nonzero.default", p.aten("gt.Scalar", x, 0))
        n = p.aten("sym_size.int", found, 0, kind=Int)
        for op, bound in (("ge", 0), ("le", 6)):
            holds = p.call(f"_operator.{op}", n, bound, kind=Bool)
            p.aten("_assert_scalar.default", holds, f"u0 {op} {bound}", results=0)
        p.aten("sym_constrain_range_for_size.default", n, results=0, min=0, max=6)
        item = p.aten("item.default", p.aten("sum.default", found), kind=Int)
        self.save(p.output(p.aten("view.default", found, [n]), p.aten("add.Tensor", x, item)))
        a = np.array([1, -1, 2, -2, 3, 0], np.float32)
        self.expect([a], [np.array([0, 2, 4]), a + 6])

    def test_assertions_that_fail(self):
        p = Program()
        x = p.input("x", [2])
        n = p.aten("item.default", p.aten("_to_copy.default", p.aten("sum.default", x),
                                          dtype=Raw(as_scalar_type=5)), kind=Int)
        p.aten("_assert_scalar.default", p.call("_operator.ge", n, 4, kind=Bool), "sum is small",
               results=0)
        self.save(p.output(p.aten("add.Tensor", x, n)))
        self.expect([np.float32([2, 3])], [np.float32([7, 8])], onnx=False)
        done, _ = self.run_on(self.model, [np.float32([1, 1])])
        self.assertIn("sum is small", done.stderr)
        self.assertNotEqual(done.returncode, 0)


class Mutations(ExportedPrograms):
    def test_buffers_written_in_place(self):
        p = Program("TRAINING")
        h = p.weight("layer.h", np.zeros(3, np.float32), "buffer")
        x = p.input("x", [3])
        first = p.aten("select.int", h, 0, 0)
        p.aten("add_.Tensor", h, x)
        p.aten("fill_.Scalar", first, 9)
        self.save(p.output(p.aten("mul.Tensor", h, 2)))
        a = np.float32([1, 2, 3])
        self.expect([a], [np.float32([[18, 4, 6], [18, 8, 12], [18, 12, 18]])], "--steps", "3",
                    onnx=False)
        listing = dragoman("convert", self.model, "--level", "common", "-o", "-").stdout
        self.assertIn("state layer.h: f32[3]", listing)

    def test_reshaped_columns_are_views(self):
        p = Program("TRAINING")
        x = p.input("x", [2, 6])
        y = p.aten("clone.default", x)
        column = p.aten("reshape.default", p.aten("select.int", y, 1, 5), [-1])
        parted = p.aten("reshape.default", p.aten("slice.Tensor", y, 1, 0, 4), [2, 1, 2, 2])
        copied = p.aten("reshape.default", p.aten("slice.Tensor", y, 1, 0, 4), [8])
        for part in (column, parted, copied):
            p.aten("mul_.Scalar", part, 2)
        self.save(p.output(y, copied))
        a = draw(2, 6)
        b = a.copy()
        b[:, 5] *= 2
        b[:, :4] *= 2
        self.expect([a], [b, a[:, :4].reshape(8) * 2])

    def test_buffers_that_outputs_replace(self):
        p = Program()
        h = p.weight("layer.h", np.zeros(3, np.float32), "buffer")
        n = p.weight("n", np.int64(5), "buffer", persistent=False)
        x = p.input("x", [3])
        new = p.aten("add.Tensor", h, x)
        p.mutate("buffer", "layer.h", new)
        p.mutate("buffer", "n", p.aten("add.Tensor", n, 1))
        self.save(p.output(p.aten("mul.Tensor", new, n), h))
        a = once = np.float32([1, 2, 3])
        self.expect([a], [np.stack([once * 5, once * 12, once * 21]),
                          np.stack([once * 0, once, once * 2])], "--steps", "3", onnx=False)


class Weights(ExportedPrograms):
    def test_tied_strided_and_narrow_ones(self):
        p = Program()
        w = draw(2, 3)
        whole = p.weight("a.weight", w, record="weight_0")
        tied = p.weight("b.weight", w, record="weight_0")
        turned = p.weight("c.weight", w, record="weight_0", sizes=[3, 2], strides=[1, 3])
        part = p.weight("d.weight", w, record="weight_0", sizes=[2], strides=[3], offset=1)
        empty = p.weight("e.weight", np.zeros((0, 3), np.float32))
        bits = (np.float32([1.5, -2]).view(np.uint32) >> 16).astype(np.uint16)
        narrow = p.weight("f.weight", bits, dtype="bfloat16")
        constant = p.weight("lifted_0", np.int64([4, 5]), "tensor_constant")
        x = p.input("x", [2, 3])
        y = p.aten("add.Tensor", p.aten("mul.Tensor", x, whole), tied)
        z = p.aten("mm.default", x, turned)
        self.save(p.output(y, z, p.aten("mul.Tensor", part, 2),
                           p.aten("cat.default", [x, empty]),
                           p.aten("_to_copy.default", narrow, dtype=Raw(as_scalar_type=7)),
                           p.aten("add.Tensor", constant, 1)))
        a = draw(2, 3)
        self.expect([a], [a * w + w, a @ w.T, w[:, 1] * 2, a, np.float32([1.5, -2]),
                          np.int64([5, 6])])

    def test_edits_are_written(self):
        p = Program()
        w = p.weight("w", np.float32([1, 2]))
        x = p.input("x", [2])
        self.save(p.output(p.aten("mul.Tensor", x, w)))
        text = self.work / "net.dgt"
        self.assertEqual(complaint(dragoman("convert", self.model, "-o", text)), "")
        edited = text.read_text().replace("aten.mul.Tensor", "aten.sub.Tensor")
        text.write_text(edited)
        self.assertEqual(complaint(dragoman("convert", text, "-o", self.model)), "")
        a = draw(2)
        self.expect([a], [a - np.float32([1, 2])])


class Origins(ExportedPrograms):
    def test_they_tell_module_place_and_function(self):
        p = Program()
        y = p.aten("neg.default", p.input("x", [2]))
        p.nodes[-1]["metadata"]["stack_trace"] = (
            'File "/home/me/train.py", line 3, in main\n    net(x)\n'
            'File "<eval_with_key>.1", line 2, in forward\n    made by torch\n'
            'File "/home/me/net.py", line 10, in forward\n    y = -x')
        self.save(p.output(p.aten("relu.default", y)))
        listing = dragoman("convert", self.model, "--level", "common", "-o", "-").stdout
        self.assertIn('!0 = "aten.neg.default" @neg_main_0 scope "layer.0" at "net.py:10" '
                      '{source_line = "    y = -x", '
                      'called_from = ["train.py:3"], '
                      'nn_module_stack = ["Net", "layer.0: torch.nn.Layer"], torch_fn = "neg_main_0;f"}', listing)


class Refused(ExportedPrograms):
    def plain(self):
        p = Program()
        x = p.input("x", [2])
        return p.output(p.aten("neg.default", x))

    def test_operators_are_told_with_their_source_line(self):
        p = Program()
        x = p.input("x", [2])
        y = p.aten("special_thing.default", x)
        self.save(p.output(p.aten("other_thing.default", y)))
        done, _ = self.run_on(self.model, [draw(2)])
        self.assertEqual(done.returncode, 4)
        for line, name in ((10, "special"), (11, "other")):
            self.assertIn(f"net.py:{line}: error: operator aten.{name}_thing.default is not supported",
                          done.stderr)

    def test_operators_of_libraries_are_kept(self):
        p = Program()
        x = p.input("x", ["s0", 3])
        y = p.call("torch.ops.mine.special.default", p.aten("relu.default", x), 3, True, 0.5, [1, 2],
                   None, names=["a", "n", "flag", "scale", "dims", "further"])
        p.declare(y, "float32", ["s0", 6])
        self.save(p.output(p.aten("neg.default", y)))
        self.expect_refused(4, "onnx:mine.special", [draw(2, 3)])
        self.expect_written_again()
        converted = self.work / "net.onnx"
        done = dragoman("convert", self.model, "-o", converted, "--dim", "s0=4")
        self.assertIn("operator mine::special is not known, and kept as it is", done.stderr)
        text = dragoman("convert", converted, "-o", "-", "--to", "text").stdout
        self.assertIn('opset "mine" 1', text)
        self.assertIn("f32[4, 6] = onnx:mine.special(%Relu) {n = 3, flag = 1, scale = 0.5, dims = [1, 2]}",
                      text)

    def test_other_archives(self):
        records = self.plain().all_records()
        program = records.pop("models/model.json")
        compiled = {**records, "data/aotinductor/model/x.so": b"ELF"}
        cases = [
            (4, "AOTInductor", compiled, "net/"),
            (4, "2 programs", {**records, "models/a.json": program, "models/b.json": program}, "net/"),
            (2, "no program", records, "net/"),
            (4, "format \"pt3\"", {**records, "archive_format": b"pt3"}, "net/"),
        ]
        for code, message, changed, top in cases:
            with self.subTest(message):
                save_records(self.model, changed, top)
                self.expect_refused(code, message, [draw(2)])

    def test_programs_that_do_not_follow_the_schema(self):
        def changed(change):
            program = self.plain().program_json()
            change(program, program["graph_module"]["graph"])
            return program

        deep = "[" * 100000 + "]" * 100000
        cases = [
            ("malformed JSON", "{"),
            ("nest", deep),
            ("twice", '{"a": 1, "a": 2}'),
            ("schema version", changed(lambda p, g: p["schema_version"].update(major=9))),
            ("before its use", changed(lambda p, g: g["nodes"][0]["inputs"][0]["arg"].update(
                as_tensor={"name": "nowhere"}))),
            ("another number of inputs", changed(lambda p, g: g["inputs"].pop())),
            ("the name \"x\"", changed(lambda p, g: g["nodes"][0]["outputs"][0]["as_tensor"].update(
                name="x"))),
            ("a union with one member", changed(lambda p, g: g["nodes"][0]["inputs"][0].update(
                arg={}))),
            ("the expression of a size", changed(lambda p, g: g["tensor_values"]["x"].update(
                sizes=[{"as_expr": {"expr_str": "__import__('os').system('x')"}}]))),
            ("lacks its argument", changed(lambda p, g: g["nodes"][0].update(inputs=[]))),
        ]
        for message, program in cases:
            with self.subTest(message):
                records = self.plain().all_records()
                text = program if isinstance(program, str) else json.dumps(program)
                save_records(self.model, {**records, "models/model.json": text.encode()})
                done, _ = self.run_on(self.model, [draw(2)])
                self.assertIn(message, done.stderr)
                self.assertIn(done.returncode, (2, 4))

    def test_weights_that_do_not_fit(self):
        cases = [("reaches element 5", {"sizes": [6], "strides": [1]}),
                 ("reaches element", {"sizes": [2, 2], "strides": [2 ** 62, 2 ** 62]}),
                 ("element type has number 99", {"dtype": 99}),
                 ("layout has number 2", {"layout": 2})]
        for message, changes in cases:
            with self.subTest(message):
                p = Program()
                w = p.weight("w", np.float32([1, 2, 3, 4, 5]))
                described = p.configs["weights"]["w"]["tensor_meta"]
                for key, value in changes.items():
                    described[key] = ([{"as_int": v} for v in value] if isinstance(value, list)
                                      else value)
                self.save(p.output(p.aten("neg.default", w)))
                done, _ = self.run_on(self.model, [])
                self.assertIn(done.returncode, (2, 4), done.stderr)

    def test_damage(self):
        p = Program()
        w = p.weight("w", draw(2, 2))
        x = p.input("x", [2, 2])
        self.save(p.output(p.aten("mm.default", x, w)))
        whole = self.model.read_bytes()
        for i in range(40):
            at = int(RANDOM.integers(len(whole)))
            damaged = bytearray(whole[:at]) if i % 2 else bytearray(whole)
            if not i % 2:
                damaged[at] ^= 1 << int(RANDOM.integers(8))
            self.model.write_bytes(bytes(damaged))
            done = dragoman("inspect", self.model)
            self.assertIn(done.returncode, (0, 2, 4), f"byte {at}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
