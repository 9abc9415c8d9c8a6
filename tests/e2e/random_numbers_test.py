#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that draw random numbers: both engines draw the same ones, by the seed that is given."""

import unittest

import numpy as np
from onnx import TensorProto, helper

from command_case import CommandCase
from run_outputs import read_outputs

ROWS, COLUMNS = 40, 50
F32 = TensorProto.FLOAT


def loop_body():
    """A sum to which each iteration adds numbers of its own."""
    value = lambda name, kind, shape: helper.make_tensor_value_info(name, kind, shape)
    nodes = [helper.make_node("RandomNormal", [], ["step"], shape=[3]),
             helper.make_node("Add", ["sum", "step"], ["next"]),
             helper.make_node("Identity", ["again"], ["more"])]
    return helper.make_graph(
        nodes, "body",
        [value("i", TensorProto.INT64, []), value("again", TensorProto.BOOL, []),
         value("sum", F32, [3])],
        [value("more", TensorProto.BOOL, []), value("next", F32, [3])])


def model():
    constants = [helper.make_tensor("turns", TensorProto.INT64, [], [4]),
                 helper.make_tensor("yes", TensorProto.BOOL, [], [True]),
                 helper.make_tensor("ratio", F32, [], [0.25]),
                 helper.make_tensor("zeros", F32, [3], [0, 0, 0])]
    nodes = [
        helper.make_node("RandomNormalLike", ["x"], ["normal"], mean=1.0, scale=2.0),
        helper.make_node("RandomUniformLike", ["x"], ["uniform"], low=-1.0, high=1.0),
        helper.make_node("RandomUniform", [], ["seeded"], shape=[5], seed=3.0),
        helper.make_node("Abs", ["uniform"], ["p"]),
        helper.make_node("Bernoulli", ["p"], ["flips"], dtype=TensorProto.INT64),
        helper.make_node("Multinomial", ["x"], ["classes"], sample_size=200),
        helper.make_node("Dropout", ["normal", "ratio", "yes"], ["dropped", "mask"]),
        helper.make_node("Loop", ["turns", "yes", "zeros"], ["sum"], body=loop_body()),
    ]
    outputs = {"normal": F32, "uniform": F32, "seeded": F32, "flips": TensorProto.INT64,
               "classes": TensorProto.INT32, "dropped": F32, "mask": TensorProto.BOOL, "sum": F32}
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", F32, ["rows", COLUMNS])],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), list(outputs)


class RandomNumbersTest(CommandCase):
    def setUp(self):
        super().setUp()
        made, self.names = model()
        self.model = self.out / "model.onnx"
        self.model.write_bytes(made.SerializeToString())
        np.save(self.out / "x.npy", np.zeros((ROWS, COLUMNS), np.float32))

    def outputs(self, *arguments):
        folder = self.out / "results"
        self.done("run", self.model, "--input", f"x={self.out / 'x.npy'}", "--output-dir", folder,
                  "-q", *arguments)
        return dict(zip(self.names, (array for array, _ in read_outputs(folder))))

    def assert_same(self, first, second):
        for name in self.names:
            if first[name].dtype.kind == "f":
                np.testing.assert_allclose(first[name], second[name], 1e-6, 1e-6, err_msg=name)
            else:
                np.testing.assert_array_equal(first[name], second[name], err_msg=name)

    def test_engines_draw_the_same_numbers(self):
        for seed in ([], ["--seed", "12345678901"]):
            self.assert_same(self.outputs(*seed), self.outputs(*seed, "--engine", "native"))

    def test_seeds(self):
        first, again, other = (self.outputs("--seed", seed) for seed in ("1", "1", "2"))
        self.assert_same(first, again)
        for name in self.names:
            same = np.array_equal(first[name], other[name])
            self.assertEqual(same, name == "seeded", name)

    def test_distributions(self):
        found = self.outputs()
        self.assertAlmostEqual(found["normal"].mean(), 1, delta=0.2)
        self.assertAlmostEqual(found["normal"].std(), 2, delta=0.2)
        self.assertAlmostEqual(found["uniform"].mean(), 0, delta=0.1)
        self.assertAlmostEqual(found["flips"].mean(), 0.5, delta=0.1)
        self.assertEqual(found["classes"].shape, (ROWS, 200))
        self.assertAlmostEqual(found["classes"].mean(), (COLUMNS - 1) / 2, delta=1)
        np.testing.assert_allclose(found["dropped"],
                                   np.where(found["mask"], found["normal"] / 0.75, 0), 1e-6)
        self.assertAlmostEqual(found["mask"].mean(), 0.75, delta=0.05)
        self.assertEqual(len(set(found["sum"])), 3)


if __name__ == "__main__":
    unittest.main()
