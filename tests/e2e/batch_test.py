#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`convert --batch`: a model for another number of samples gives for each what it gave for one.

Each model is run on one, two and three batches of its own size, and what is written on all of them
at once: by the interpreter, and by ONNX Runtime where its environment has been made.
"""

import json
import pathlib
import re
import unittest

import numpy as np

from command_case import CommandCase
from commands import call, dragoman
from onnxruntime_python import SCRIPT, peer_python


def written_out(text):
    """Constants that are `drawn`, or `filled` with a number, with all their elements."""
    random = np.random.default_rng(7)

    def elements(match):
        sizes = [int(size) for size in match[1].split(",")]
        values = (random.uniform(-0.5, 0.5, sizes).round(3) if match[2] == "drawn" else
                  np.full(sizes, float(match[2].split()[1])))
        return f"f32[{match[1]}] = {values.tolist()}"

    return re.sub(r"f32\[([0-9, ]+)\] = (drawn|filled [0-9.]+)", elements, text)


CONSTANT_SHAPE = """graph main(%x: f32[1, 2, 6]) -> (%y) {
  const %flat: i64[2] = [1, -1]
  const %w: f32[12, 4] = drawn
  const %parts: i64[4] = [1, 2, 1, 2]
  %r = onnx.Reshape(%x, %flat)
  %m = onnx.MatMul(%r, %w)
  %y = onnx.Reshape(%m, %parts)
}"""
TOKENS = """graph main(%x: f32[1, 5, 6]) -> (%y) {
  const %cls: f32[1, 1, 6] = drawn
  const %position: f32[1, 6, 6] = drawn
  const %w: f32[6, 6] = drawn
  const %heads: i64[4] = [1, 6, 2, 3]
  const %rows: i64[2] = [6, 6]
  const %back: i64[3] = [1, 6, 6]
  const %first: i64[] = 0
  %c = onnx.Concat(%cls, %x) {axis = 1}
  %p = onnx.Add(%c, %position)
  %h = onnx.Reshape(%p, %heads)
  %q = onnx.Transpose(%h) {perm = [0, 2, 1, 3]}
  %k = onnx.Transpose(%h) {perm = [0, 2, 3, 1]}
  %s = onnx.MatMul(%q, %k)
  %a = onnx.Softmax(%s) {axis = -1}
  %v = onnx.MatMul(%a, %q)
  %t = onnx.Transpose(%v) {perm = [0, 2, 1, 3]}
  %f = onnx.Reshape(%t, %rows)
  %g = onnx.Gemm(%f, %w)
  %b = onnx.Reshape(%g, %back)
  %y = onnx.Gather(%b, %first) {axis = 1}
}"""
# As torch.nn.MultiheadAttention has it: time first, heads beside the samples.
TIME_FIRST = """graph main(%x: f32[5, 1, 6]) -> (%y) {
  const %heads: i64[3] = [5, 2, 3]
  const %rows: i64[2] = [5, 6]
  const %back: i64[3] = [5, 1, 6]
  const %w: f32[6, 6] = drawn
  %h = onnx.Reshape(%x, %heads)
  %q = onnx.Transpose(%h) {perm = [1, 0, 2]}
  %k = onnx.Transpose(%h) {perm = [1, 2, 0]}
  %s = onnx.MatMul(%q, %k)
  %a = onnx.Softmax(%s) {axis = 2}
  %v = onnx.MatMul(%a, %q)
  %t = onnx.Transpose(%v) {perm = [1, 0, 2]}
  %f = onnx.Reshape(%t, %rows)
  %g = onnx.Gemm(%f, %w)
  %y = onnx.Reshape(%g, %back)
}"""
RECURRENT = """graph main(%x: f32[3, 2, 4], %h0: f32[1, 2, 5]) -> (%y, %h) {
  const %w: f32[1, 15, 4] = drawn
  const %r: f32[1, 15, 5] = drawn
  const %axes: i64[1] = [1]
  %s, %h = onnx.GRU(%x, %w, %r, _, _, %h0) {hidden_size = 5}
  %y = onnx.Squeeze(%s, %axes)
}"""
CONSTANT_STATE = """graph main(%x: f32[3, 2, 4]) -> (%y) {
  const %w: f32[1, 15, 4] = drawn
  const %r: f32[1, 15, 5] = drawn
  const %h0: f32[1, 2, 5] = filled 0.5
  const %axes: i64[1] = [1]
  %s, %h = onnx.GRU(%x, %w, %r, _, _, %h0) {hidden_size = 5}
  %y = onnx.Squeeze(%s, %axes)
}"""
FILLED = """graph main(%x: f32[1, 4]) -> (%y, %z) {
  const %sizes: i64[2] = [1, 4]
  const %start: i64[1] = [0]
  const %end: i64[1] = [1]
  %f = onnx.ConstantOfShape(%sizes) {value = f32[1] [2.0]}
  %j = onnx.Concat(%x, %f) {axis = 1}
  %y = onnx.Slice(%j, %start, %end)
  %u = onnx.Shape(%x)
  %g = onnx.ConstantOfShape(%u) {value = f32[1] [3.0]}
  %z = onnx.Add(%x, %g)
}"""
LOOP = """graph main(%x: f32[1, 4]) -> (%y, %all) {
  const %turns: i64[] = 3
  const %go: bool[] = true
  const %zero: f32[1, 4] = filled 0.0
  %y, %all = onnx.Loop(%turns, %go, %zero) {body = graph(%i: i64[], %c: bool[], %s: f32[1, 4]) -> (%c2, %n, %o) {
    %c2 = onnx.Identity(%c)
    %n = onnx.Add(%s, %x)
    %o = onnx.Tanh(%n)
  }}
}"""
IMAGE = """graph main(%x: f32[1, 3, 8, 8], %scale: f32[3, 1, 1]) -> (%y) {
  const %w: f32[4, 3, 3, 3] = drawn
  const %sizes: i64[4] = [1, 4, 12, 12]
  const %flat: i64[2] = [1, 576]
  const %v: f32[576, 5] = drawn
  %m = onnx.Mul(%x, %scale)
  %c = onnx.Conv(%m, %w) {pads = [1, 1, 1, 1]}
  %r = onnx.Resize(%c, _, _, %sizes) {mode = "nearest"}
  %f = onnx.Reshape(%r, %flat)
  %g = onnx.Gemm(%f, %v)
  %y = onnx.Softmax(%g) {axis = 1}
}"""

# What does not keep samples apart, with the words of the node and the reason.
REFUSED = {
    "softmax over samples": ("%y = onnx.Softmax(%x) {axis = 0}", "onnx.Softmax", "axis of the samples"),
    "sum over samples": ("const %a: i64[1] = [0]\n  %y = onnx.ReduceSum(%x, %a) {keepdims = 0}",
                         "onnx.ReduceSum", "reduces over the samples"),
    "running sum": ("const %a: i64[] = 0\n  %y = onnx.CumSum(%x, %a)", "onnx.CumSum",
                    "axis of the samples"),
    "one row": ("const %i: i64[1] = [0]\n  const %e: i64[1] = [1]\n  %y = onnx.Slice(%x, %i, %e)",
                "onnx.Slice", "a part of the samples"),
    "samples times samples": ("%t = onnx.Transpose(%x)\n  %y = onnx.MatMul(%x, %t)", "onnx.MatMul",
                              "samples"),
    "rows that differ": ("const %c: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]\n  %y = onnx.Add(%x, %c)",
                         "onnx.Add", "differs from one sample to the next"),
    "number as a number": ("%s = onnx.Shape(%x)\n  %f = onnx.Cast(%s) {to = 1}\n"
                           "  %y = onnx.Add(%x, %f)", "onnx.Cast", "number of samples"),
    "number among numbers": ("const %i: i64[] = 0\n  %s = onnx.Shape(%x)\n"
                             "  %n = onnx.Gather(%s, %i)\n  %t = onnx.Cast(%x) {to = 7}\n"
                             "  %y = onnx.Mul(%t, %n)", "onnx.Mul", "number of samples"),
    "whole range": ("%y, %s, %z = onnx.DynamicQuantizeLinear(%x)", "onnx.DynamicQuantizeLinear",
                    "not known"),
}


class Batch(CommandCase):
    def model(self, text):
        path = self.out / "model.dgt"
        path.write_text(written_out(text))
        return path

    def run_model(self, model, feeds):
        np.savez(self.out / "in.npz", **feeds)
        self.done("run", model, "-q", "--inputs", self.out / "in.npz", "--output-dir",
                  self.out / "y")
        index = json.loads((self.out / "y" / "index.json").read_text(encoding="utf-8"))
        return {o["name"]: np.load(self.out / "y" / o["file"]) for o in index["outputs"]}

    def run_steps(self, model, x):
        np.save(self.out / "x.npy", x)
        self.done("run", model, "-q", "--input", f"x={self.out / 'x.npy'}", "--steps", len(x),
                  "--output-dir", self.out / "y")
        return np.load(self.out / "y" / "y.npy")

    def run_elsewhere(self, model, feeds):
        """What ONNX Runtime gives; None if it is not there."""
        python = peer_python("onnx")
        if python is None:
            return None
        np.savez(self.out / "in.npz", **feeds)
        done = call([python, SCRIPT, model, self.out / "in.npz", self.out / "out.npz"])
        self.assertEqual(done.returncode, 0, done.stderr)
        with np.load(self.out / "out.npz") as arrays:
            return dict(arrays)

    def assert_same_for_each(self, model, written, feeds, report):
        """feeds(seed) draws a batch of the size that the model has."""
        inputs = {v["name"]: v["axis"] for v in report["inputs"]}
        outputs = {v["name"]: v["axis"] for v in report["outputs"]}
        for count in (1, 2, 3):
            batches = [feeds(seed) for seed in range(count)]
            for name, axis in inputs.items():
                if axis is None:
                    batches = [{**batch, name: batches[0][name]} for batch in batches]
            expected = [self.run_model(model, batch) for batch in batches]
            joined = {name: batches[0][name] if axis is None else
                      np.concatenate([batch[name] for batch in batches], axis)
                      for name, axis in inputs.items()}
            for found in (self.run_model(written, joined), self.run_elsewhere(written, joined)):
                for name, axis in outputs.items() if found is not None else ():
                    wanted = (expected[0][name] if axis is None else
                              np.concatenate([one[name] for one in expected], axis))
                    np.testing.assert_allclose(found[name], wanted, 1e-4, 1e-5, err_msg=name)

    def resized(self, text, *options):
        model, written = self.model(text), self.out / "written.onnx"
        said = self.done("convert", model, "-o", written, "--json", *options)
        return model, written, json.loads(said)["batch"]

    def check(self, text, shapes, *options):
        model, written, report = self.resized(text, "--batch", "n", *options)

        def feeds(seed):
            random = np.random.default_rng(seed)
            return {name: random.standard_normal(shape).astype(np.float32)
                    for name, shape in shapes.items()}

        self.assert_same_for_each(model, written, feeds, report)
        return report

    def test_sizes_that_constants_state(self):
        report = self.check(CONSTANT_SHAPE, {"x": (1, 2, 6)})
        self.assertEqual(len(report["rewritten"]), 2, report)

    def test_tokens_with_constant_parts(self):
        self.check(TOKENS, {"x": (1, 5, 6)})

    def test_attention_with_time_first(self):
        report = self.check(TIME_FIRST, {"x": (5, 1, 6)}, "--batch-axis", "x=1")
        self.assertEqual(report["outputs"], [{"name": "y", "axis": 1}])

    def test_initial_states_follow(self):
        report = self.check(RECURRENT, {"x": (3, 2, 4), "h0": (1, 2, 5)}, "--batch-axis", "x=1")
        self.assertEqual(report["inputs"][1], {"name": "h0", "axis": 1})
        self.check(CONSTANT_STATE, {"x": (3, 2, 4)}, "--batch-axis", "x=1")

    def test_filled_tensors(self):
        self.check(FILLED, {"x": (1, 4)})

    def test_loops(self):
        report = self.check(LOOP, {"x": (1, 4)})
        self.assertEqual(report["outputs"][1], {"name": "all", "axis": 1})

    def test_images_with_an_input_for_all(self):
        report = self.check(IMAGE, {"x": (1, 3, 8, 8), "scale": (3, 1, 1)})
        self.assertEqual(report["inputs"][1], {"name": "scale", "axis": None})

    def test_a_number(self):
        written = self.resized(CONSTANT_SHAPE, "--batch", "4")[1]
        said = self.done("inspect", written)
        self.assertIn("f32[4, 2, 6]", said)
        self.assertIn("f32[4, 2, 1, 2]", said)
        x = np.ones((4, 2, 6), np.float32)
        self.assertEqual(self.run_model(written, {"x": x})["y"].shape, (4, 2, 1, 2))

    def test_shapes_that_state_another_batch(self):
        model, written = self.model(TOKENS), self.out / "written.onnx"
        self.done("convert", model, "-o", written, "--shape", "x=n,5,6")
        x = np.random.default_rng(3).standard_normal((3, 5, 6)).astype(np.float32)
        expected = [self.run_model(model, {"x": x[i:i + 1]})["y"] for i in range(3)]
        np.testing.assert_allclose(self.run_model(written, {"x": x})["y"],
                                   np.concatenate(expected), 1e-4, 1e-5)

    def test_states_follow(self):
        model = self.model("""dragoman 1 common onnx
opset "" 22

state s: f32[1, 4] = f32[1, 4] [[0.5, 0.25, 1.0, 2.0]]

entry main(%x: f32[1, 4], %s: f32[1, 4]) -> (%y: f32[1, 4], %n: f32[1, 4])
    state 0 input 1 -> output 1 {
  %y: f32[1, 4] = onnx.Add(%x, %s)
  %n: f32[1, 4] = onnx.Tanh(%y)
}
""")
        written = self.out / "written.onnx"
        self.assertIn("state", self.fails(2, "convert", model, "-o", written, "--batch", "n"))
        self.done("convert", model, "-o", written, "--batch", "2")
        x = np.arange(24, dtype=np.float32).reshape(3, 2, 4) / 24
        both = self.run_steps(written, x)
        for i in range(2):
            np.testing.assert_allclose(both[:, i:i + 1], self.run_steps(model, x[:, i:i + 1]))

    def test_what_does_not_keep_samples_apart(self):
        for what, (nodes, node, why) in REFUSED.items():
            model = self.model(f"graph main(%x: f32[2, 2]) -> (%y) {{\n  {nodes}\n}}")
            said = self.fails(4, "convert", model, "-o", self.out / "w.onnx", "--batch", "n")
            with self.subTest(what):
                self.assertIn(node, said)
                self.assertIn(why, said)
                self.assertFalse((self.out / "w.onnx").exists())

    def test_operands_of_unknown_rank(self):
        for node in ('onnx.Einsum(%x, %z) {equation = "ij, jk -> ik"}', "onnx.MatMul(%x, %z)",
                     "onnx.Add(%x, %z)", "onnx.Concat(%x, %z) {axis = 1}", "onnx.Reshape(%x, %z)"):
            for kind in ("", ": f32[*]" if "Reshape" not in node else ": i64[*]"):
                model = self.model(f"graph main(%x: f32[2, 2], %z{kind}) -> (%y: f32[2, 2]) {{\n"
                                   f"  %y = {node}\n}}")
                with self.subTest(node + kind):
                    said = self.fails(4, "convert", model, "-o", self.out / "w.onnx", "--batch", "n",
                                      "--batch-axis", "x=0")
                    self.assertIn("not known", said)

    def test_all_that_is_in_the_way_is_listed(self):
        model = self.model("graph main(%x: f32[2, 2]) -> (%y, %z) {\n"
                           "  %y = onnx.Softmax(%x) {axis = 0}\n"
                           "  %z = onnx.LogSoftmax(%x) {axis = 0}\n}")
        said = self.fails(4, "convert", model, "-o", self.out / "w.onnx", "--batch", "n")
        self.assertIn("'y' (onnx.Softmax)", said)
        self.assertIn("'z' (onnx.LogSoftmax)", said)

    def test_open_sizes_are_batches_only_if_samples_stay_apart(self):
        text = """graph main(%x: f32[n, 4]) -> (%y) {{
  const %axis: i64[] = {axis}
  %y = onnx.CumSum(%x, %axis)
}}"""
        said = self.fails(4, "convert", self.model(text.format(axis=0)), "-o",
                          self.out / "w.onnx", "--batch", "4")
        self.assertIn("onnx.CumSum", said)
        model, written, report = self.resized(text.format(axis=1), "--batch", "b")
        self.assert_same_for_each(
            model, written, lambda seed: {"x": np.full((1, 4), seed + 1, np.float32)}, report)

    def test_products_before_are_those_of_the_file(self):
        mlp = pathlib.Path(__file__).resolve().parent.parent / "models" / "mlp" / "model.onnx"
        for options in (("--batch", "4"), ("--shape", "x=4,41")):
            done = dragoman("simplify", mlp, "-o", self.out / "w.onnx", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, "multiply-adds +3,264 +13,056\n")

    def test_calls_that_are_wrong(self):
        model = self.model(RECURRENT)
        out = ("convert", model, "-o", self.out / "w.onnx")
        for options, why in ((("--batch", "0"), "not a number from 1 on, and no symbol"),
                             (("--batch", "2*n"), "not a number from 1 on, and no symbol"),
                             (("--batch-axis", "x=1"), "goes with --batch"),
                             (("--batch", "n", "--batch-axis", "x"), "is not INPUT=AXIS"),
                             (("--batch", "n", "--batch-axis", "z=1"), "does not exist"),
                             (("--batch", "n", "--batch-axis", "x=7"), "f32[3, 2, 4]")):
            with self.subTest(options):
                self.assertIn(why, self.fails(2, *out, *options))


if __name__ == "__main__":
    unittest.main()
