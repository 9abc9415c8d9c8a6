#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models with what ONNX is strict about: the files that Dragoman writes of them, lowered and
rewritten, are ones that others accept (tests/support/onnx_checks.py), and compute the same."""

import itertools
import unittest

import numpy as np

import onnx_checks
from command_case import CommandCase

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    onnx = None

OPSET = 17


def info(name, shape, kind=1):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, values, shape, kind=1):
    return helper.make_tensor(name, kind, shape, values)


@unittest.skipIf(onnx is None, "onnx is not installed")
class AcceptedFiles(CommandCase):
    def save(self, nodes, inputs, outputs, initializers=(), domains=()):
        graph = helper.make_graph(nodes, "main", inputs, outputs, initializers)
        imports = [helper.make_opsetid("", OPSET), *(helper.make_opsetid(d, 1) for d in domains)]
        path = self.out / "source.onnx"
        onnx.save(helper.make_model(graph, opset_imports=imports, ir_version=8), path)
        return path

    def convert(self, source, *options):
        """The lowered file, after the checks of others."""
        target = self.out / "target.onnx"
        self.done("convert", source, "-q", "-o", target, "--level", "common", *options)
        self.assertEqual(onnx_checks.problem(target), "")  # also where the source is refused
        return target

    def run_both(self, source, target, **feeds):
        arguments = []
        for name, array in feeds.items():
            np.save(self.out / f"{name}.npy", array)
            arguments += ["--input", f"{name}={self.out / name}.npy"]
        found = []
        for model in (source, target):
            folder = self.out / model.stem
            self.done("run", model, *arguments, "--output-dir", folder)
            found.append([np.load(path) for path in sorted(folder.glob("*.npy"))])
        self.assertEqual(len(found[0]), len(found[1]))
        for a, b in zip(*found):
            np.testing.assert_array_equal(a, b)

    def test_batch_normalization_in_training_mode_has_three_results(self):
        used = [wanted for count in range(4) for wanted in itertools.combinations("ymv", count)
                if wanted]
        for wanted, passes in itertools.product(used, ("default", "none")):
            with self.subTest("".join(wanted), passes=passes):
                node = helper.make_node("BatchNormalization", ["x", "s", "b", "rm", "rv"],
                                        ["y", "m", "v"], training_mode=1)
                nodes = [node, *(helper.make_node("Neg", [name], [name + "_out"])
                                 for name in wanted)]
                outputs = [info(name + "_out", [2, 3, 4] if name == "y" else [3])
                           for name in wanted]
                vectors = [constant(name, [1.0, 2.0, 3.0], [3]) for name in ("s", "b", "rm", "rv")]
                source = self.save(nodes, [info("x", [2, 3, 4])], outputs, vectors)
                target = self.convert(source, "--passes", passes)
                (made,) = [node for node in onnx.load(target).graph.node
                           if node.op_type == "BatchNormalization"]
                self.assertEqual(len(made.output), 3)
                x = np.random.default_rng(1).standard_normal((2, 3, 4)).astype(np.float32)
                self.run_both(source, target, x=x)

    def test_squeeze_may_name_an_axis_twice(self):
        nodes = [helper.make_node("Squeeze", ["x", "axes"], ["y"]),
                 helper.make_node("Squeeze", ["x", "given"], ["z"])]
        source = self.save(nodes, [info("x", [1, 2, 1]), info("given", [3], 7)],
                           [info("y", [2]), info("z", None)], [constant("axes", [0, 2, -3], [3], 7)])
        x = np.array([[[3.0], [4.0]]], np.float32)
        for name, array in (("x", x), ("given", np.array([0, 0, -3]))):
            np.save(self.out / f"{name}.npy", array)
        self.done("run", source, "--input", f"x={self.out / 'x.npy'}", "--input",
                  f"given={self.out / 'given.npy'}", "--output-dir", self.out / "out")
        self.assertEqual(np.load(self.out / "out" / "y.npy").tolist(), [3, 4])
        self.assertEqual(np.load(self.out / "out" / "z.npy").tolist(), [[3], [4]])

    def loop(self, condition_shape, limit_shape, first_shape):
        """Adds x until the sum is above 10, at most n times; with these sizes of what steers it."""
        shape = [int(size) for size in condition_shape]
        body = helper.make_graph(
            [helper.make_node("Add", ["sum", "x"], ["next"]),
             helper.make_node("ReduceMax", ["next"], ["largest"], keepdims=0),
             helper.make_node("Less", ["largest", "ten"], ["low"]),
             helper.make_node("Reshape", ["low", "shape"], ["more"])],
            "turn", [info("i", [], TensorProto.INT64), info("go", [], TensorProto.BOOL),
                     info("sum", [2])],
            [info("more", shape, TensorProto.BOOL), info("next", [2])],
            [constant("ten", [10.0], []), constant("shape", shape, [len(shape)], 7)])
        return self.save(
            [helper.make_node("Loop", ["n", "start", "x"], ["y"], body=body)],
            [info("x", [2]), info("n", limit_shape, TensorProto.INT64)], [info("y", [2])],
            [constant("start", [True], first_shape, TensorProto.BOOL)])

    def test_what_steers_a_loop_has_no_axes(self):
        for shapes in itertools.product(([], [1]), repeat=3):
            with self.subTest(shapes):
                source = self.loop(*shapes)
                target = self.convert(source)
                x = np.array([1.5, 3.0], np.float32)
                self.run_both(source, target, x=x, n=np.full(shapes[1], 7, np.int64))

    def test_the_condition_of_an_if_has_no_axes(self):
        branches = {}
        for name, op in (("then_branch", "Neg"), ("else_branch", "Exp")):
            branches[name] = helper.make_graph([helper.make_node(op, ["x"], [op])], name, [],
                                               [info(op, [2])])
        source = self.save([helper.make_node("If", ["c"], ["y"], **branches)],
                           [info("x", [2]), info("c", [1], TensorProto.BOOL)], [info("y", [2])])
        target = self.convert(source)
        for c in (True, False):
            self.run_both(source, target, x=np.ones(2, np.float32), c=np.array([c]))

    def test_values_of_unknown_element_type_have_no_type(self):
        # What a foreign operator gives is not known; neither is what is computed of it.
        nodes = [helper.make_node("Strange", ["x"], ["a"], domain="foreign"),
                 helper.make_node("Relu", ["a"], ["b"]),
                 helper.make_node("Identity", ["b"], ["y"])]
        source = self.save(nodes, [info("x", [2])], [info("y", [2])], domains=["foreign"])
        target = self.out / "target.onnx"
        for options in ((), ("--shape", "x=f32:2")):
            self.done("convert", source, "-q", "-o", target, *options)
            graph = onnx.load(target).graph
            for value in (*graph.value_info, *graph.output):
                if value.type.WhichOneof("value") == "tensor_type":
                    self.assertNotEqual(value.type.tensor_type.elem_type, 0, value.name)


if __name__ == "__main__":
    unittest.main()
