#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`simplify`: a smaller model that computes the same, and is never larger than what others make."""

import pathlib
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command_case import CommandCase
from commands import call, dragoman
from onnxruntime_python import peer_python

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
SIZES = """dragoman 1 source onnx
opset "" 13

entry main(%x: f32[n, 4]) -> (%y: f32[n, 8]) {
  const %minus: i64[1] = [-1]
  const %zero: i64[] = 0
  const %axis: i64[1] = [0]
  %s = onnx.Shape(%x)
  %n = onnx.Gather(%s, %zero)
  %u = onnx.Unsqueeze(%n, %axis)
  %t = onnx.Concat(%u, %minus) {axis = 0}
  %j = onnx.Concat(%x, %x) {axis = 1}
  %i = onnx.Identity(%j)
  %y = onnx.Reshape(%i, %t)
}"""
# Prints how many nodes onnxsim and ONNX Runtime's basic level leave of each file that is named.
OTHERS = """
import sys, onnx, onnxruntime, onnxsim
for path in sys.argv[2:]:
    counts = []
    try:
        counts.append(len(onnxsim.simplify(onnx.load(path))[0].graph.node))
    except Exception:
        pass
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = sys.argv[1]
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        counts.append(len(onnx.load(sys.argv[1]).graph.node))
    except Exception:
        pass
    print(*counts)
"""


class Simplify(CommandCase):
    def nodes(self, path):
        return [node.op_type for node in onnx.load(path).graph.node]

    def test_sizes_and_copies_go(self):
        model = self.out / "model.dgt"
        model.write_text(SIZES)
        self.done("convert", model, "-o", self.out / "model.onnx")
        done = dragoman("simplify", self.out / "model.onnx", "-o", self.out / "small.onnx",
                        "--check", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.nodes(self.out / "small.onnx"), ["Concat"])
        self.assertIn("check: equal on 3 random inputs", done.stderr)
        self.assertRegex(done.stderr, r"nodes +7 +1")

    def test_bytes_are_those_of_all_files(self):
        outside, small = self.out / "outside.onnx", self.out / "small.onnx"
        self.done("convert", MLP, "-o", outside, "--external-data", "0")
        done = dragoman("simplify", outside, "-o", small)
        self.assertEqual(done.returncode, 0, done.stderr)
        sizes = [sum(path.stat().st_size for path in self.out.glob(name))
                 for name in ("outside.onnx*", "small.onnx*")]
        self.assertRegex(done.stderr, r"bytes +{:,} +{:,}\n".format(*sizes))
        self.assertGreater(min(sizes), 13000)

    def test_large_constants_are_folded(self):
        random = np.random.default_rng(5)
        graph = helper.make_graph(
            [helper.make_node("ReduceL2", ["v"], ["norm"], axes=[1, 2, 3], keepdims=1),
             helper.make_node("Div", ["v", "norm"], ["unit"]),
             helper.make_node("Mul", ["unit", "g"], ["w"]),
             helper.make_node("Conv", ["x", "w"], ["c"]),
             helper.make_node("ConstantOfShape", ["sizes"], ["filled"],
                              value=numpy_helper.from_array(np.float32([0.25]))),
             helper.make_node("Mul", ["c", "factors"], ["scaled"]),
             helper.make_node("Conv", ["scaled", "filled"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 5, 5])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(values.astype(np.float32), name) for name, values in (
                ("v", random.normal(size=(64, 64, 3, 3))), ("g", np.ones((64, 1, 1, 1))),
                ("factors", random.normal(size=(64, 1, 1))))]
            + [numpy_helper.from_array(np.int64([32, 64, 3, 3]), "sizes")])
        model, small = self.out / "norm.onnx", self.out / "small.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), model)
        self.done("simplify", model, "-o", small, "--check", "2")
        self.assertEqual(self.nodes(small), ["Conv", "Conv"])
        self.done("simplify", model, "-o", small, "--passes", "default")
        self.assertIn("ConstantOfShape", self.nodes(small))

    def test_opset_and_names_stay(self):
        small = self.out / "small.onnx"
        self.done("simplify", MLP, "-o", small)
        before, after = onnx.load(MLP), onnx.load(small)
        self.assertEqual(before.opset_import[0].version, after.opset_import[0].version)
        self.assertEqual([v.name for v in before.graph.output], [v.name for v in after.graph.output])

    def test_other_values_get_another_name(self):
        """Whoever replaces a weight by its name must not replace what was made of it unseen."""
        for made, size, keeps in (
                ("Transpose", 4, False), ("Transpose", 5, True), ("Softmax", 4, False), ("Exp", 4, False),
                ("Identity", 4, True), ("Flatten", 4, True)):
            with self.subTest(made=made, size=size):
                weight = np.random.default_rng(1).normal(size=(4, size)).astype(np.float32)
                graph = helper.make_graph(
                    [helper.make_node(made, ["fc.weight"], ["made"]),
                     helper.make_node("Mul", ["x", "made"], ["y"])], "g",
                    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 1, 1])],
                    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                    [numpy_helper.from_array(weight, "fc.weight")])
                model, small = self.out / "model.onnx", self.out / "small.onnx"
                onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), model)
                self.done("simplify", model, "-o", small, "--check", "2")
                names = [tensor.name for tensor in onnx.load(small).graph.initializer]
                self.assertEqual(names, ["fc.weight" if keeps else "made"])

    def test_sizes_that_are_stated(self):
        small = self.out / "small.onnx"
        self.done("simplify", MODELS / "mlp_dynamic" / "model.onnx", "-o", small, "--shape",
                  "x=3,41")
        output = onnx.load(small).graph.output[0].type.tensor_type.shape.dim
        self.assertEqual(output[0].dim_value, 3)

    def test_never_larger(self):
        model, small = self.out / "trees.onnx", self.out / "small.onnx"
        onnx.save(helper.make_model(helper.make_graph(
            [helper.make_node("LinearClassifier", ["x"], ["label", "scores"],
                              domain="ai.onnx.ml", coefficients=[1.0, 2.0, -1.0, 0.5],
                              intercepts=[0.0, 0.5], classlabels_ints=[0, 1],
                              post_transform="SOFTMAX")], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
            [helper.make_tensor_value_info("label", TensorProto.INT64, ["n"]),
             helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["n", 2])]),
            opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 1)]),
            model)
        done = dragoman("simplify", model, "-o", small, "--check", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("copied as it is", done.stderr)
        self.assertEqual(self.nodes(small), ["LinearClassifier"])

    def test_what_is_checked_must_be_readable(self):
        done = dragoman("simplify", MLP, "-o", self.out / "small.dot", "--check", "1")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertFalse((self.out / "small.dot").exists())

    def test_nothing_is_written_that_its_check_refuses(self):
        for before in (None, b"older"):
            for name in ("small.onnx", "small.pt2"):
                small = self.out / name
                if before:
                    small.write_bytes(before)
                rules = self.out / "wrong.rules"
                rules.write_text("rule r: Relu($x) => Tanh($x)\n")
                done = dragoman("simplify", MLP, "-o", small, "--rules", rules, "--check", "1")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"{name} is not written", done.stderr)
                self.assertEqual(small.read_bytes() if small.exists() else None, before)

    def test_files_that_belong_together_are_checked(self):
        done = dragoman("convert", MLP, "-o", self.out / "new" / "mlp.py", "--check", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("check: equal on 2 random inputs", done.stderr)
        self.assertEqual(sorted(path.name for path in (self.out / "new").iterdir()),
                         ["mlp.npz", "mlp.py"])

    def test_never_more_nodes_than_others_leave(self):
        python = peer_python("onnxsim")
        if python is None:
            self.skipTest("run scripts/peers.sh onnxsim")
        files = [MODELS / name / "model.onnx" for name in
                 ("gru", "linear", "lstm", "mlp", "mobilenet")]
        counted = call([python, "-c", OTHERS, self.out / "ort.onnx", *files])
        self.assertEqual(counted.returncode, 0, counted.stderr)
        for path, line in zip(files, counted.stdout.splitlines()):
            self.done("simplify", path, "-q", "-o", self.out / "small.onnx")
            with self.subTest(path.parent.name):
                ours = len(self.nodes(self.out / "small.onnx"))
                self.assertTrue(line, "neither simplifies it")
                self.assertLessEqual(ours, min(map(int, line.split())))


if __name__ == "__main__":
    unittest.main()
