# SPDX-License-Identifier: Apache-2.0
"""Walking a graph and changing it."""

import gc
import unittest

import numpy

import dragoman

MLP = "tests/models/mlp/model.onnx"

TEXT = b"""dragoman 1 common onnx
opset "" 22

entry main @g(%x: f32[2, 3]) -> (%y: f32[2, 3]) {
  const %c: f32[] = 2.0
  %m = onnx.Mul(%x, %c) @double
  %y = onnx.Relu(%m) @relu
}
"""


def x():
    return numpy.array([[-1, 2, -3], [4, -5, 6]], numpy.float32)


class WalkTest(unittest.TestCase):

    def test_nodes_values_and_attributes(self):
        graph = dragoman.load(MLP).graph
        gemm, relu, _ = graph.nodes
        self.assertEqual((gemm.op, gemm.op_type, gemm.dialect, gemm.name),
                         ("onnx.Gemm", "Gemm", "onnx", "/0/Gemm"))
        self.assertEqual(gemm.attributes, {"alpha": 1.0, "beta": 1.0, "transB": 1})
        self.assertEqual([value.name for value in gemm.inputs], ["x", "0.weight", "0.bias"])
        self.assertEqual(gemm.outputs[0].uses, [(relu, 0)])
        self.assertEqual(relu.inputs[0].producer, gemm)
        self.assertEqual(graph.outputs[0].uses, [(None, 0)])
        self.assertEqual(len(graph), 3)

    def test_types(self):
        model = dragoman.load(MLP, shapes={"x": ("2 * n", 41)}).lower()
        kind = model.inputs[0].type
        self.assertEqual((kind.kind, kind.dtype, kind.shape), ("tensor", "float32", ("2*n", 41)))
        self.assertEqual(str(kind), "f32[2*n, 41]")
        self.assertEqual(kind, dragoman.Type.tensor("float32", ["2*n", 41]))

    def test_origins_name_the_source(self):
        linear = dragoman.load(MLP).optimize().graph.nodes[0]
        self.assertEqual([(origin.op, origin.name) for origin in linear.origins],
                         [("onnx.Gemm", "/0/Gemm")])

    def test_a_part_keeps_the_model_alive(self):
        weight = dragoman.load(MLP).graph.constants[0]
        array = weight.constant
        del weight
        gc.collect()
        self.assertEqual(array.shape, (64, 41))
        self.assertFalse(array.flags.writeable)
        self.assertTrue(numpy.isfinite(array).all())

    def test_equal_parts_are_equal(self):
        model = dragoman.load(MLP)
        self.assertEqual(model.graph.nodes[0], model.graph.nodes[0])
        self.assertEqual(len({model.graph.nodes[0], model.graph.nodes[0]}), 1)
        self.assertNotEqual(model.graph.nodes[0], model.copy().graph.nodes[0])


class ChangeTest(unittest.TestCase):

    def setUp(self):
        self.model = dragoman.load(TEXT)
        self.graph = self.model.graph

    def test_replace_a_node(self):
        relu = self.graph.nodes[1]
        negated = self.graph.insert("Neg", relu.inputs, ["n"], before=relu)
        relu.set_input(0, negated.outputs[0])
        self.assertEqual([node.op for node in self.graph.nodes],
                         ["onnx.Mul", "onnx.Neg", "onnx.Relu"])
        found = self.model.optimize().run({"x": x()})["y"]
        numpy.testing.assert_array_equal(found, numpy.maximum(-2 * x(), 0))

    def test_erase_a_node(self):
        relu, mul = self.graph.nodes[1], self.graph.nodes[0]
        with self.assertRaisesRegex(dragoman.Invalid, "result 0 is used"):
            relu.erase()
        result = relu.outputs[0]
        result.replace_all_uses(mul.outputs[0])
        relu.erase()
        for part in (relu, result):
            self.assertIn("erased", repr(part))
            with self.assertRaises(ReferenceError):
                part.name
        numpy.testing.assert_array_equal(self.model.run({"x": x()})["m"], 2 * x())

    def test_constants_and_attributes(self):
        relu = self.graph.nodes[1]
        slope = self.graph.insert("LeakyRelu", relu.inputs, ["leaky"], {"alpha": 0.5})
        bias = self.graph.add_constant("bias", numpy.ones(3, numpy.float32))
        total = self.graph.insert("Add", [slope.outputs[0], bias], ["total"])
        self.graph.set_output(0, total.outputs[0])
        slope.set_attribute("alpha", 0.25)
        doubled = 2 * x()
        numpy.testing.assert_array_equal(self.model.run({"x": x()})["total"],
                                         numpy.where(doubled < 0, 0.25 * doubled, doubled) + 1)

    def test_what_is_wrong_is_refused(self):
        mul, relu = self.graph.nodes
        with self.assertRaisesRegex(dragoman.Invalid, "taken"):
            self.graph.insert("Neg", relu.inputs, ["y"])
        with self.assertRaises(ValueError):
            self.graph.insert("Neg", dragoman.load(TEXT).graph.inputs, ["n"])
        mul.set_input(0, relu.outputs[0])  # a cycle
        for use in (self.model.check, self.model.optimize, self.model.session,
                    lambda: self.model.save("/tmp/never.onnx"),
                    lambda: dragoman.diff(self.model, self.model)):
            with self.assertRaises(dragoman.Invalid):
                use()

    def test_a_copy_is_apart(self):
        copy = self.model.copy()
        self.graph.nodes[1].outputs[0].replace_all_uses(self.graph.nodes[0].outputs[0])
        self.graph.nodes[1].erase()
        self.assertEqual(len(copy.graph), 2)
        self.assertTrue(dragoman.diff(copy, self.model))


if __name__ == "__main__":
    unittest.main()
