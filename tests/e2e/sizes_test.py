#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--shape` with other sizes of images and other lengths: constants that stood for them follow.

Each model is written at several sizes, as an exporter would; what `--shape` makes of the first gives
what the others give.
"""

import unittest

import numpy as np

from command_case import CommandCase
from commands import dragoman

# A shuffle of channels, and pixels as a list and back.
SHUFFLE = """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 4, {h}, {w}]) -> (%y: f32[*]) {{
  const %k: f32[6, 4, 1, 1] = [{weights}]
  const %groups: i64[5] = [1, 2, 3, {h2}, {w2}]
  const %joined: i64[4] = [1, 6, {h2}, {w2}]
  const %list: i64[3] = [1, 6, {pixels}]
  const %map: i64[4] = [1, {h2}, {w2}, 6]
  %c = onnx.Conv(%x, %k) {{strides = [2, 2]}}
  %g = onnx.Reshape(%c, %groups)
  %t = onnx.Transpose(%g) {{perm = [0, 2, 1, 3, 4]}}
  %j = onnx.Reshape(%t, %joined)
  %l = onnx.Reshape(%j, %list)
  %p = onnx.Transpose(%l) {{perm = [0, 2, 1]}}
  %y = onnx.Reshape(%p, %map)
}}"""
# Positions, a mask that hides later ones, another that hides nothing.
TOKENS = """dragoman 1 source onnx
opset "" 17

entry main(%x: i64[1, {n}]) -> (%y: f32[*]) {{
  const %words: f32[9, 4] = [{words}]
  const %places: f32[32, 4] = [{places}]
  const %index: i64[1, {n}] = [{index}]
  const %heads: i64[4] = [1, {n}, 2, 2]
  const %back: i64[3] = [1, {n}, 4]
  const %all: f32[1, 1, 1, {n}] = [{zeros}]
  const %later: bool[1, 1, {n}, {n}] = [{later}]
  const %low: f32[] = -1e9
  %w = onnx.Gather(%words, %x)
  %p = onnx.Gather(%places, %index)
  %s = onnx.Add(%w, %p)
  %h = onnx.Reshape(%s, %heads)
  %q = onnx.Transpose(%h) {{perm = [0, 2, 1, 3]}}
  %k = onnx.Transpose(%h) {{perm = [0, 2, 3, 1]}}
  %m = onnx.MatMul(%q, %k)
  %a = onnx.Add(%m, %all)
  %b = onnx.Where(%later, %low, %a)
  %e = onnx.Softmax(%b) {{axis = -1}}
  %v = onnx.MatMul(%e, %q)
  %t = onnx.Transpose(%v) {{perm = [0, 2, 1, 3]}}
  %y = onnx.Reshape(%t, %back)
}}"""
# A map of half the size is resized to another, and the result to the size of the image.
SEGMENTS = """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 4, {h}, {w}]) -> (%y: f32[*]) {{
  const %k: f32[6, 4, 1, 1] = [{weights}]
  const %to_half: i64[4] = [1, 6, {h2}, {w2}]
  const %to_image: i64[4] = [1, 6, {h}, {w}]
  %half = onnx.Conv(%x, %k) {{strides = [2, 2]}}
  %low = onnx.Conv(%x, %k) {{strides = [4, 4]}}
  %up = onnx.Resize(%low, _, _, %to_half) {{mode = "nearest"}}
  %r = onnx.Relu(%up)
  %sum = onnx.Add(%half, %r)
  %y = onnx.Resize(%sum, _, _, %to_image) {{mode = "linear"}}
}}"""

# Rows of a table from the fourth on, and words that are not hidden by a length that is computed.
PADDED = """dragoman 1 source onnx
opset "" 17

entry main(%x: i64[2, {n}]) -> (%y: f32[*]) {{
  const %words: f32[9, 4] = [{words}]
  const %places: f32[34, 4] = [{places}]
  const %index: i64[1, {n}, 1] = [{index}]
  const %count: i64[{n}] = [{count}]
  const %last: i64[1] = [-1]
  const %zero: i64[] = 0
  %w = onnx.Gather(%words, %x)
  %p = onnx.GatherND(%places, %index)
  %s = onnx.Add(%w, %p)
  %is_word = onnx.Greater(%x, %zero)
  %ones = onnx.Cast(%is_word) {{to = 7}}
  %length = onnx.ReduceSum(%ones, %last)
  %is_seen = onnx.Less(%count, %length)
  %column = onnx.Unsqueeze(%is_seen, %last)
  %factor = onnx.Cast(%column) {{to = 1}}
  %y = onnx.Mul(%s, %factor)
}}"""


def nested(values):
    return str(np.asarray(values).tolist()).replace("True", "true").replace("False", "false")[1:-1]


class Sizes(CommandCase):
    def opened(self, model, shape, *options):
        """Where the model for other sizes is, and what is said of it."""
        path = self.out / "opened.onnx"
        done = dragoman("convert", model, "-o", path, "--shape", f"x={shape}", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, done.stderr

    def write(self, name, text):
        path = self.out / f"{name}.dgt"
        path.write_text(text)
        self.done("convert", path, "-o", self.out / f"{name}.onnx")
        return self.out / f"{name}.onnx"

    def image(self, text, h, w):
        weights = np.random.default_rng(3).uniform(-1, 1, (6, 4, 1, 1)).round(3)
        return self.write(f"m{h}x{w}", text.format(
            h=h, w=w, h2=h // 2, w2=w // 2, pixels=h * w // 4, weights=nested(weights)))

    def tokens(self, n):
        random = np.random.default_rng(3)
        words, places = (random.uniform(-1, 1, (rows, 4)).round(3) for rows in (9, 32))
        later = np.triu(np.ones((n, n), bool), 1)
        return self.write(f"t{n}", TOKENS.format(
            n=n, words=nested(words), places=nested(places), index=nested([range(n)]),
            zeros=nested(np.zeros((1, 1, 1, n))), later=nested(later[None, None])))

    def padded(self, n, begin=3):
        random = np.random.default_rng(3)
        words, places = (random.uniform(-1, 1, (rows, 4)).round(3) for rows in (9, 34))
        return self.write(f"p{n}", PADDED.format(
            n=n, words=nested(words), places=nested(places),
            index=nested([[[begin + i] for i in range(n)]]), count=nested(range(n))))

    def output(self, model, x):
        np.save(self.out / "x.npy", x)
        self.done("run", model, "--input", f"x={self.out / 'x.npy'}", "-o", self.out / "y")
        return np.load(self.out / "y" / "y.npy")

    def assert_equal_at(self, opened, models):
        for x, model in models:
            expected, found = self.output(model, x), self.output(opened, x)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)

    def images(self, text, sizes):
        random = np.random.default_rng(1)
        return [(random.normal(size=(1, 4, *size)).astype(np.float32), self.image(text, *size))
                for size in sizes]

    def test_sizes_of_images(self):
        models = self.images(SHUFFLE, [(8, 12), (12, 8), (20, 16)])
        opened, _ = self.opened(models[0][1], "1,4,h,w")
        self.assert_equal_at(opened, models)

    def test_square_images(self):
        models = self.images(SHUFFLE, [(8, 8), (12, 8), (8, 20)])
        opened, _ = self.opened(models[0][1], "1,4,h,w")
        self.assert_equal_at(opened, models)

    def test_numbers(self):
        models = self.images(SHUFFLE, [(8, 12), (12, 16)])
        opened, _ = self.opened(models[0][1], "1,4,12,16")
        self.assert_equal_at(opened, models[1:])

    def test_one_symbol_for_two_sizes(self):
        models = self.images(SHUFFLE, [(8, 12), (16, 16)])
        opened, _ = self.opened(models[0][1], "1,4,s,s")
        self.assert_equal_at(opened, models[1:])

    def test_a_resize_follows_what_it_meets(self):
        models = self.images(SEGMENTS, [(16, 24), (24, 16), (8, 8)])
        opened, said = self.opened(models[0][1], "1,4,h,w")
        self.assertIn("its result is of the sizes of input 'x', as it was", said)
        self.assert_equal_at(opened, models)

    def test_lengths(self):
        random = np.random.default_rng(1)
        models = [(random.integers(0, 9, (1, n)), self.tokens(n)) for n in (6, 9, 32)]
        opened, _ = self.opened(models[0][1], "1,n")
        self.assert_equal_at(opened, models)

    def test_lengths_through_computed_masks(self):
        random = np.random.default_rng(1)
        models = [(random.integers(0, 9, (2, n)), self.padded(n)) for n in (6, 9, 29)]
        opened, said = self.opened(models[0][1], "2,n")
        self.assertNotIn("warning", said)
        self.assert_equal_at(opened, models)

    def test_tables_of_each_sample_and_nodes_without_inputs(self):
        def model(n, s):
            return self.write(f"e{n}x{s}", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: i64[{n}, {s}]) -> (%y: f32[*]) {{
  const %rows: f32[{n}, 4] = [{nested(np.tile([0.5, 2.0, -1.0, 0.25], (n, 1)))}]
  const %zero: i64[] = 0
  const %one: i64[] = 1
  const %end: f32[] = {s}.0
  %stop = onnx.Cast(%end) {{to = 7}}
  %count: i64[{s}] = onnx.Range(%zero, %stop, %one)
  %all = onnx.GatherElements(%rows, %x) {{axis = 1}}
  %places = onnx.Cast(%count) {{to = 1}}
  %y = onnx.Add(%all, %places)
}}""")

        random = np.random.default_rng(1)
        opened, _ = self.opened(model(2, 6), "n,s")
        self.assert_equal_at(opened, [(random.integers(0, 4, (n, s)), model(n, s))
                                      for n, s in [(2, 6), (1, 9), (3, 4)]])

    def test_counts_that_begin_at_a_size_are_told(self):
        _, said = self.opened(self.padded(6, begin=2), "n,s")
        self.assertIn("'index' counts from 2, which may stand for size n, and is kept", said)

    def test_windows_that_a_mask_may_have_are_told(self):
        _, said = self.opened(self.tokens(6), "1,n")
        self.assertIn("'later' hides what comes later; it would be the same if it hid what is 6 or "
                      "more before, too", said)

    def list_model(self, n, h, w):
        return self.write(f"l{n}x{h}x{w}", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[{n}, 3, {h}, {w}]) -> (%y: f32[*]) {{
  const %list: i64[3] = [{n}, 3, {h * w}]
  %r = onnx.Reshape(%x, %list)
  %y = onnx.Softmax(%r) {{axis = -1}}
}}""")

    def test_samples_and_sizes_at_once(self):
        random = np.random.default_rng(1)
        models = [(random.normal(size=(n, 3, h, w)).astype(np.float32), self.list_model(n, h, w))
                  for n, h, w in [(2, 6, 4), (1, 8, 6), (5, 7, 9)]]
        for shape in ["n,3,h,w", "?,3,?,?", "float32:n,3,h,w"]:
            opened, _ = self.opened(self.list_model(1, 8, 6), shape)
            self.assert_equal_at(opened, models)

    def test_an_unknown_number_of_samples(self):
        random = np.random.default_rng(1)
        opened, _ = self.opened(self.list_model(1, 8, 6), "?,3,8,6")
        self.assert_equal_at(opened, [(random.normal(size=(n, 3, 8, 6)).astype(np.float32),
                                       self.list_model(n, 8, 6)) for n in (1, 4)])

    def test_open_samples_stay_open(self):
        random = np.random.default_rng(1)
        models = [(random.normal(size=(n, 3, h, w)).astype(np.float32), self.list_model(n, h, w))
                  for n, h, w in [(2, 6, 4), (1, 8, 6), (5, 7, 9)]]
        batched, _ = self.opened(self.list_model(1, 8, 6), "n,3,8,6")
        batched = batched.rename(self.out / "batched.onnx")
        for shape in ["n,3,h,w", "_,3,h,w", "k,3,?,?"]:
            opened, _ = self.opened(batched, shape)
            self.assert_equal_at(opened, models)
        opened, _ = self.opened(batched, "5,3,7,9")
        self.assert_equal_at(opened, models[2:])

    def kept(self, sizes, body):
        return self.write("kept", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[{sizes}]) -> (%y: f32[*]) {{
  {body}
}}""")

    def test_open_sizes_that_have_to_be_even(self):
        """A skip connection meets what was halved and doubled again."""
        text = """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 4, h, {w}]) -> (%y: f32[*]) {{
  const %scales: f32[4] = [1.0, 1.0, 2.0, 2.0]
  const %rows: i64[4] = [1, 8, -1, {w}]
  %low = onnx.MaxPool(%x) {{kernel_shape = [2, 2], strides = [2, 2]}}
  %up = onnx.Resize(%low, _, %scales) {{coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}}
  %c = onnx.Concat(%x, %up) {{axis = 1}}
  %y = onnx.Reshape(%c, %rows)
}}"""
        models = [self.write(f"skip{w}", text.format(w=w)) for w in (12, 18)]
        opened, _ = self.opened(models[0], "1,4,_,w")
        random = np.random.default_rng(1)
        for h in (2, 6):
            for w, model in zip((12, 18), models):
                x = random.normal(size=(1, 4, h, w)).astype(np.float32)
                np.testing.assert_array_equal(self.output(opened, x), self.output(model, x))

    def test_constants_equal_to_what_stands_for_an_open_size_stay(self):
        for size in [11, 22, 67, 131, 134, 197, 262]:
            with self.subTest(size=size):
                model = self.kept(f"n, {size}, 4, 6", f"const %k: i64[3] = [-1, {4 * size}, 6]\n"
                                  "  %y = onnx.Reshape(%x, %k)")
                opened, _ = self.opened(model, f"n,{size},4,w")
                x = np.random.default_rng(1).normal(size=(5, size, 4, 6)).astype(np.float32)
                np.testing.assert_array_equal(self.output(opened, x), self.output(model, x))

    def test_constants_that_look_like_an_open_size_are_not_taken_for_it(self):
        unread = "%s = onnx.Transpose(%x) {perm = [1, 0, 2]}"
        for size in [11, 12, 66, 67, 131, 197]:
            for read, constant in [("x", f"{size}, -1, 6"), ("s", f"-1, {size * 6}")]:
                with self.subTest(size=size, constant=constant):
                    model = self.kept(f"n, {size}, 6", f"const %k: i64[{constant.count(',') + 1}] = "
                                      f"[{constant}]\n  {unread}\n  %y = onnx.Reshape(%{read}, %k)")
                    said = self.fails(4, "convert", model, "-o", self.out / "no.onnx",
                                      "--shape", f"x=n,{size},w" if read == "x" else "x=n,h,6")
                    self.assertIn("does not show what it makes of sizes", said)

    def test_a_size_made_by_strides_is_not_taken_for_another(self):
        weights = "const %w: f32[6, 6, 1] = [" + nested(np.eye(6)[..., None]) + "]"
        for stride in (2, 12, 13, 23):
            with self.subTest(stride=stride):
                model = self.kept("1, 6, n, 8", f"{weights}\n  const %list: i64[3] = [1, 6, -1]\n"
                                  "  const %k: i64[3] = [1, -1, 6]\n"
                                  "  %l = onnx.Reshape(%x, %list)\n"
                                  f"  %c = onnx.Conv(%l, %w) {{strides = [{8 * stride}]}}\n"
                                  "  %y = onnx.Reshape(%c, %k)")
                opened, _ = self.opened(model, "1,6,n,w")
                x = np.random.default_rng(1).normal(size=(1, 6, 50, 8)).astype(np.float32)
                np.testing.assert_array_equal(self.output(opened, x), self.output(model, x))

    def test_many_open_sizes(self):
        names = "abcdefghijkl"
        inputs = ", ".join(f"%{name}: f32[{name}]" for name in names)
        joined = ", ".join(f"%{name}" for name in names)
        model = self.write("many", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[2, 3], {inputs}) -> (%y: f32[*], %z: f32[*]) {{
  %y = onnx.Relu(%x)
  %z = onnx.Concat({joined}) {{axis = 0}}
}}""")
        opened, _ = self.opened(model, "2,w")
        self.assertRegex(self.done("inspect", opened), r"x\b.*f32\[2, ?w\]")

    def test_a_real_size_is_told_whatever_stands_for_open_ones(self):
        for size in [11, 67, 131]:
            with self.subTest(size=size):
                model = self.kept(f"n, 2, {size}", f"const %k: f32[] = {1 / size}\n"
                                  "  const %axes: i64[1] = [2]\n"
                                  "  %s = onnx.ReduceSum(%x, %axes)\n  %y = onnx.Mul(%s, %k)")
                _, said = self.opened(model, "n,2,h")
                self.assertIn("its constant 'k', which may stand for size h, is kept", said)

    def test_two_axes_of_one_element_that_are_independent(self):
        def model(n, m):
            return self.write(f"two{n}x{m}", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[{n}, {m}, 4]) -> (%y: f32[*]) {{
  const %split: i64[4] = [{n}, {m}, 2, 2]
  %r = onnx.Reshape(%x, %split)
  %y = onnx.Softmax(%r) {{axis = -1}}
}}""")

        opened, _ = self.opened(model(1, 1), "n,m,4")
        random = np.random.default_rng(1)
        self.assert_equal_at(opened, [(random.normal(size=(n, m, 4)).astype(np.float32),
                                       model(n, m)) for n, m in [(1, 1), (2, 3), (3, 2)]])

    def test_numbers_that_are_no_sizes_are_not_told(self):
        model = self.write("chance", """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 2, 8, 6]) -> (%y: f32[*]) {
  const %half: f32[] = 0.5
  const %eleven: f32[] = 11.0
  const %eighth: f32[] = 0.125
  %a = onnx.Mul(%x, %half)
  %b = onnx.Add(%a, %eleven)
  %y = onnx.Mul(%b, %eighth)
}""")
        _, said = self.opened(model, "n,2,h,w")
        self.assertNotIn("warning", said)

    def test_sizes_with_an_element_type(self):
        models = [(np.ones((1, 3, h, w), np.float32), self.list_model(1, h, w))
                  for h, w in [(8, 6), (6, 4)]]
        opened, _ = self.opened(models[0][1], "float32:1,3,h,w")
        self.assert_equal_at(opened, models)

    def test_sizes_put_together_in_two_orders(self):
        def model(h, w):
            return self.write(f"o{h}x{w}", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[2, 3, {h}, {w}]) -> (%z: f32[*], %y: f32[*]) {{
  const %list: i64[3] = [2, 3, {h * w}]
  const %rows: i64[4] = [2, 3, {h}, {w}]
  const %columns: i64[4] = [2, 3, {w}, {h}]
  %a = onnx.Reshape(%x, %list)
  %b = onnx.Exp(%a)
  %z = onnx.Reshape(%b, %rows)
  %t = onnx.Transpose(%x) {{perm = [0, 1, 3, 2]}}
  %f = onnx.Flatten(%t) {{axis = 2}}
  %e = onnx.Exp(%f)
  %y = onnx.Reshape(%e, %columns)
}}""")

        random = np.random.default_rng(1)
        models = [(random.normal(size=(2, 3, *size)).astype(np.float32), model(*size))
                  for size in [(8, 8), (4, 6)]]
        opened, _ = self.opened(models[0][1], "2,3,h,w")
        self.assert_equal_at(opened, models)

    def test_a_size_of_one_that_is_no_batch_is_told(self):
        model = self.write("one", """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 4]) -> (%y: f32[*]) {
  %y = onnx.Softmax(%x) {axis = 0}
}""")
        _, said = self.opened(model, "n,4")
        self.assertIn("input 'x' is for a size of 1, and the model does not keep samples apart",
                      said)

    def test_constants_that_follow_are_counted_and_listed(self):
        _, said = self.opened(self.tokens(6), "1,n")
        self.assertRegex(said, r"\d+ constants follow the sizes \(-v lists them\)")
        _, said = self.opened(self.tokens(6), "1,n", "-v")
        self.assertIn("operand 1, 'p', follows its other operands", said)
        _, said = self.opened(self.list_model(1, 8, 6), "n,3,8,6", "-v")
        self.assertIn("[1, 3, 48]", said)

    def test_a_constant_that_follows_in_two_ways_is_one_line(self):
        model = self.write("both", """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 2, 12]) -> (%y: f32[*]) {
  const %k: i64[2] = [1, 24]
  %y = onnx.Reshape(%x, %k)
}""")
        for shape, sizes in [("3,2,6", "3, 12"), ("n,2,w", "n, 2*w")]:
            _, said = self.opened(model, shape, "-v")
            self.assertIn("1 constant follows the sizes\n"
                          f"  node 'y' (onnx.Reshape): its sizes are [{sizes}] in place of [1, 24]\n",
                          said)

    def test_a_model_is_run_at_other_sizes(self):
        models = self.images(SHUFFLE, [(8, 12), (12, 16)])
        x, expected = models[1]
        np.save(self.out / "x.npy", x)
        self.done("run", models[0][1], "--shape", "x=1,4,12,16", "--input",
                  f"x={self.out / 'x.npy'}", "-o", self.out / "resized")
        np.testing.assert_allclose(np.load(self.out / "resized" / "y.npy"),
                                   self.output(expected, x), rtol=1e-5, atol=1e-5)
        self.done("verify", models[0][1], "--engine", "native", "--shape", "x=1,4,12,16")
        self.done("verify", models[0][1], "--against", expected, "--shape", "x=1,4,12,16")

    def test_sizes_that_do_not_fit_are_refused_by_run(self):
        model = self.write("table", """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 3]) -> (%y: f32[*]) {
  const %table: f32[1, 3] = [[0.5, 0.25, 2.0]]
  %y = onnx.Add(%x, %table)
}""")
        error = self.fails(2, "run", model, "--shape", "x=1,5", "--random")
        self.assertIn("node 'y' (onnx.Add): error: sizes 5 and 3 cannot be broadcast", error)

    def refused(self, text, shape):
        model = self.write("refused", text)
        error = self.fails(4, "convert", model, "-o", self.out / "no.onnx", "--shape", shape)
        self.assertFalse((self.out / "no.onnx").exists())
        return error

    def test_windows_of_pixels_are_refused(self):
        error = self.refused("""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 8, 6]) -> (%y: f32[*]) {
  const %parts: i64[4] = [1, 4, 2, 6]
  %y = onnx.Reshape(%x, %parts)
}""", "x=1,n,6")
        self.assertIn("(onnx.Reshape): error: its constant [1, 4, 2, 6] does not show what it makes",
                      error)

    def test_what_almost_counts_or_hides_is_refused(self):
        tables = {"f32[6]": [[0, 1, 2, 3, 4, 6], [5, 4, 3, 2, 1, 0], [0, 2, 4, 6, 8, 10],
                             [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], [-1, 0, 1, 2, 3, 4]],
                  "f32[6, 6]": [np.triu(np.ones((6, 6)), -1), np.tril(np.ones((6, 6)), 1),
                                np.tril(np.ones((6, 6))) - np.tril(np.ones((6, 6)), -4),
                                np.tril(np.ones((6, 6))) + np.eye(6)]}
        for kind, several in tables.items():
            for table in several:
                error = self.refused(f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[2, 6, 6]) -> (%y: f32[*]) {{
  const %table: {kind} = [{nested(np.asarray(table, float))}]
  %y = onnx.Add(%x, %table)
}}""", "x=2,n,n")
                self.assertIn("elements do not determine those of other sizes: dynamic_shapes of "
                              "its exporter keeps the axis open", error)

    def test_what_only_an_input_states_is_refused(self):
        error = self.refused("""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[2, 6], %table: f32[6]) -> (%y: f32[*]) {
  %other = onnx.Exp(%table)
  %y = onnx.Add(%x, %other)
}""", "x=2,n")
        self.assertIn("operand 1, 'other', is of size 6 along axis 0, where another is of n", error)
        self.assertNotIn("dynamic_shapes", error)

    def test_one_of_several_entries_is_to_be_named(self):
        model = self.out / "two.dgt"
        model.write_text("""dragoman 1 source onnx
opset "" 17

entry one(%x: f32[1, 8]) -> (%y: f32[*]) {
  %y = onnx.Relu(%x)
}

entry two(%x: f32[1, 8]) -> (%y: f32[*]) {
  %y = onnx.Exp(%x)
}
""")
        error = self.fails(4, "run", model, "--shape", "x=1,5", "--random")
        self.assertIn("the model has several entries; state one by --entry", error)
        self.done("run", model, "--shape", "x=1,5", "--random", "--entry", "two")

    def test_tables_that_do_not_count_are_refused(self):
        error = self.refused("""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 3]) -> (%y: f32[*]) {
  const %table: f32[1, 3] = [[0.5, 0.25, 2.0]]
  %y = onnx.Add(%x, %table)
}""", "x=1,n")
        self.assertIn("operand 1, 'table', is of size 3 along axis 1, where another is of n", error)

    def test_bounds_are_kept_and_told(self):
        model = self.write("bounds", """dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 8]) -> (%y: f32[*]) {
  const %begin: i64[1] = [0]
  const %end: i64[1] = [4]
  const %axis: i64[1] = [1]
  %y = onnx.Slice(%x, %begin, %end, %axis)
}""")
        _, said = self.opened(model, "1,n")
        self.assertIn("its bounds along axis 1, which is of size n, are kept", said)

    def told(self, constants, body, what):
        model = self.write("told", f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 8, 3]) -> (%y: f32[*]) {{
  {constants}
  {body}
}}""")
        for shape in ["1,n,3", "1,11,3"]:
            self.assertIn(what, self.opened(model, shape)[1])

    def test_positions_and_numbers_are_kept_and_told(self):
        self.told("const %last: i64[] = 7", "%y = onnx.Gather(%x, %last) {axis = 1}",
                  "its constant 'last', beside an axis of an open size, is kept")
        self.told("const %all: i64[1] = [8]", "%y, %i = onnx.TopK(%x, %all) {axis = 1}",
                  "its constant 'all', beside an axis of an open size, is kept")
        for number in ["8.0", "0.125"]:
            self.told(f"const %c: f32[] = {number}",
                      "%s = onnx.Cos(%x)\n  %r = onnx.ReduceSum(%s)\n  %y = onnx.Mul(%r, %c)",
                      "which may stand for size")

    def test_a_full_reverse_is_told(self):
        self.told("const %b: i64[1] = [7]\n  const %e: i64[1] = [-100]\n"
                  "  const %a: i64[1] = [1]\n  const %s: i64[1] = [-1]",
                  "%y = onnx.Slice(%x, %b, %e, %a, %s)", "its bounds along axis 1")

    def test_sizes_of_a_split_are_refused(self):
        error = self.refused("""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 8, 3]) -> (%y: f32[*], %z: f32[*]) {
  const %parts: i64[2] = [6, 2]
  %y, %z = onnx.Split(%x, %parts) {axis = 1}
}""", "x=1,n,3")
        self.assertIn("its constant sizes are not those of an axis of n", error)

    def test_a_resize_behind_a_transpose_is_refused(self):
        error = self.refused("""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[1, 3, 8, 8], %f: f32[1, 3, 4, 4]) -> (%y: f32[*]) {
  const %sizes: i64[4] = [1, 3, 8, 8]
  %r = onnx.Resize(%f, _, _, %sizes) {mode = "nearest"}
  %t = onnx.Transpose(%r) {perm = [0, 1, 3, 2]}
  %y = onnx.Add(%x, %t)
}""", "x=1,3,h,w")
        self.assertIn("is of size 8 along axis 2, where another is of h", error)


if __name__ == "__main__":
    unittest.main()
