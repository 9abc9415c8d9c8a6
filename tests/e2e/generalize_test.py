#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`generalize`: two exports of one model at two sizes give one model, which computes at others, too."""

import json
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command_case import CommandCase

WEIGHTS = np.random.default_rng(0).standard_normal((6, 6)).astype(np.float32)
POSITIONS = np.random.default_rng(1).standard_normal((1, 8, 6)).astype(np.float32)


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def export(path, batch, length):
    """Attention of two heads as an exporter that knows all sizes writes it."""
    mask = np.triu(np.full((length, length), -1e4, np.float32), 1)[None, None]
    nodes = [
        helper.make_node("Add", ["x", "positions"], ["p"]),
        helper.make_node("MatMul", ["p", "w"], ["v"]),
        helper.make_node("Reshape", ["v", "heads"], ["h"], "split_heads"),
        helper.make_node("Transpose", ["h"], ["q"], perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["h"], ["k"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["q", "k"], ["scores"]),
        helper.make_node("Add", ["scores", "mask"], ["masked"]),
        helper.make_node("Softmax", ["masked"], ["a"], axis=-1),
        helper.make_node("MatMul", ["a", "q"], ["o"]),
        helper.make_node("Transpose", ["o"], ["t"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["t", "joined"], ["j"], "join_heads"),
        helper.make_node("Mul", ["j", "twos"], ["m"]),
        helper.make_node("Slice", ["m", "begin", "end", "axis"], ["last"]),
        helper.make_node("Reshape", ["last", "flat"], ["y"], "flatten"),
    ]
    constants = [
        constant("positions", POSITIONS[:, :length]), constant("w", WEIGHTS),
        constant("heads", [batch, length, 2, 3]), constant("mask", mask),
        constant("joined", [batch, length, 6]),
        constant("twos", np.full((batch, length, 6), 2, np.float32)),
        constant("begin", [length - 2]), constant("end", [length]), constant("axis", [1]),
        constant("flat", [batch, 12])]
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, length, 6])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 12])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


class Generalize(CommandCase):
    def test_sizes_that_neither_export_has(self):
        a = export(self.out / "a.onnx", 2, 4)
        b = export(self.out / "b.onnx", 3, 7)
        made = self.out / "made.onnx"
        said = self.done("generalize", a, b, "-o", made, "--names", "x=n,length,6", "--verbose")
        self.assertIn("n: 2 and 3: axis 0 of x\nlength: 4 and 7: axis 1 of x\n", said)
        self.assertIn("node 'split_heads' (onnx.Reshape)", said)
        said = json.loads(self.done("generalize", a, b, "-o", made, "--names", "x=n,length,6",
                                    "--json"))
        self.assertEqual(said["sizes"][1], {"symbol": "length", "a": 4, "b": 7,
                                            "places": ["axis 1 of x"]})
        onnx.checker.check_model(onnx.load(made), full_check=True)
        sizes = [d.dim_param or d.dim_value
                 for d in onnx.load(made).graph.input[0].type.tensor_type.shape.dim]
        self.assertEqual(sizes, ["n", "length", 6])
        for batch, length in ((1, 2), (2, 4), (5, 5), (3, 7)):
            with self.subTest(batch=batch, length=length):
                other = export(self.out / "other.onnx", batch, length)
                self.done("verify", other, "--against", made, "--random", 2)

    def test_parts_of_two_exports(self):
        a = export(self.out / "a.onnx", 2, 4)
        b = export(self.out / "b.onnx", 3, 7)
        made = self.out / "made.onnx"
        self.done("generalize", a, b, "-o", made, "--names", "x=n,length,6", "--cut-outputs", "j")
        self.assertEqual([o.name for o in onnx.load(made).graph.output], ["j"])
        part = self.out / "part.onnx"
        self.done("extract", export(self.out / "other.onnx", 5, 3), "-o", part, "--inputs", "x",
                  "--outputs", "j")
        self.done("verify", part, "--against", made, "--random", 2)

    def test_what_is_not_one_model_is_refused(self):
        a = export(self.out / "a.onnx", 2, 4)
        out = self.out / "made.onnx"
        self.assertIn("no size", self.fails(2, "generalize", a, a, "-o", out))
        other = onnx.load(export(self.out / "b.onnx", 3, 7))
        other.graph.node[7].op_type = "LogSoftmax"
        onnx.save(other, self.out / "b.onnx")
        self.assertIn("differ in more than sizes",
                      self.fails(2, "generalize", a, self.out / "b.onnx", "-o", out))
        changed = onnx.load(export(self.out / "c.onnx", 3, 7))
        changed.graph.initializer[1].CopyFrom(numpy_helper.from_array(WEIGHTS + 1, "w"))
        onnx.save(changed, self.out / "c.onnx")
        said = self.fails(4, "generalize", a, self.out / "c.onnx", "-o", out)
        self.assertIn("not an expression of their sizes", said)
        self.assertIn("(onnx.MatMul)", said)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main()
