#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network whose input holds NaN: its program gives NaN where the interpreter does.

A layer that finds NaN marks it for those after it, which do not look for it themselves: the next call,
without NaN, must not remember it.
"""

import unittest

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

from command_case import CommandCase
from run_outputs import read_outputs

CHANNELS = 16


def network():
    """Two convolutions and a pool by images of 12 x 12, then a product by rows."""
    random = np.random.default_rng(5)

    def weights(name, *sizes):
        values = random.standard_normal(sizes) / np.sqrt(np.prod(sizes[1:]))
        return numpy_helper.from_array(values.astype(np.float32), name)

    constants = [weights("w1", CHANNELS, 3, 3, 3), weights("w2", CHANNELS, CHANNELS, 3, 3),
                 weights("w3", 10, CHANNELS), numpy_helper.from_array(np.float32(0), "low"),
                 numpy_helper.from_array(np.float32(6), "high")]
    nodes = [helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1] * 4),
             helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Conv", ["b", "w2"], ["c"], pads=[1] * 4),
             helper.make_node("Clip", ["c", "low", "high"], ["image"]),
             helper.make_node("MaxPool", ["image"], ["d"], kernel_shape=[12, 12]),
             helper.make_node("Flatten", ["d"], ["e"]),
             helper.make_node("Gemm", ["e", "w3"], ["f"], transB=1),
             helper.make_node("Relu", ["f"], ["row"])]
    graph = helper.make_graph(
        nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 12, 12])],
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, [2, CHANNELS, 12, 12]),
         helper.make_tensor_value_info("row", TensorProto.FLOAT, [2, 10])], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    checker.check_model(model)
    return model


class Nan(CommandCase):
    def outputs(self, engine):
        folder = self.out / engine
        self.done("run", self.out / "network.onnx", "--input", f"x={self.out / 'x.npy'}", "--steps",
                  "2", "--engine", engine, "--output-dir", folder)
        return [array for array, _ in read_outputs(folder)]

    def test_passes_through_activations_and_pools(self):
        save(network(), self.out / "network.onnx")
        x = np.random.default_rng(6).standard_normal((2, 2, 3, 12, 12)).astype(np.float32)
        x[0, 1, 2, 4, 4] = np.nan
        np.save(self.out / "x.npy", x)
        expected, found = self.outputs("interpreter"), self.outputs("native")
        self.assertEqual(np.isnan(expected[0]).sum(), CHANNELS * 5 * 5)
        for wanted, array in zip(expected, found, strict=True):
            # Winograd's algorithm spreads it over its tiles.
            self.assertTrue(np.isnan(array[np.isnan(wanted)]).all())
            numbers = ~np.isnan(array)
            np.testing.assert_allclose(array[numbers], wanted[numbers], rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(np.isnan(found[1]).all(axis=2),
                                      [[False, True], [False, False]])
        self.assertFalse(np.isnan(found[0][1]).any())


if __name__ == "__main__":
    unittest.main()
