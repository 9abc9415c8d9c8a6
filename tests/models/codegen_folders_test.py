#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated folders stand alone: their own CMakeLists.txt builds them, without a warning.

One folder for each kind of operators, so that most of the runtime is compiled; with g++ and
clang++ in turn, for each costs as many seconds as it has sources.
"""

import shutil
import unittest

import numpy as np
import onnx

from command_case import CommandCase
from onnx_graph import GraphWriter


def weights(g, *shape):
    return g.const(np.random.default_rng(sum(shape)).standard_normal(shape) * 0.1)


def images():
    """Convolutions, pools and sizes of images, of floats and of 8-bit integers."""
    g = GraphWriter()
    x = g.input("x", np.float32, [1, 8, 12, 12])
    conv = g.op("Relu", g.op("Conv", x, weights(g, 16, 8, 3, 3), weights(g, 16), pads=[1] * 4))
    pooled = g.op("MaxPool", conv, kernel_shape=[2, 2], strides=[2, 2])
    wide = g.op("ConvTranspose", pooled, weights(g, 16, 16, 2, 2), strides=[2, 2])
    both = g.op("Concat", conv, wide, axis=1)
    scale, zero = g.const(0.05), g.const(7, np.uint8)
    kernel = g.const(np.ones((8, 32, 3, 3)), np.int8)
    q = g.op("QuantizeLinear", both, scale, zero)
    q = g.op("QLinearConv", q, scale, zero, kernel, scale, g.const(0, np.int8), scale, zero)
    q = g.op("MaxPool", q, kernel_shape=[2, 2])
    d = g.op("DequantizeLinear", q, scale, zero)
    d = g.op("Resize", d, "", g.const([1, 1, 2, 2]), mode="linear")
    g.output(g.op("Softmax", g.op("GlobalAveragePool", d), axis=1), "y")
    return g


def sequences():
    """Recurrences, attention, normalisations and loops."""
    g = GraphWriter()
    x = g.input("x", np.float32, [6, 1, 16])
    y, _ = g.op("LSTM", x, weights(g, 1, 64, 16), weights(g, 1, 64, 16), outputs=2, hidden_size=16)
    y = g.op("Squeeze", y, g.ints(1))
    y, _ = g.op("GRU", y, weights(g, 1, 48, 16), weights(g, 1, 48, 16), outputs=2, hidden_size=16)
    rows = g.op("Squeeze", y, g.ints(1, 2))
    query, key, value = (g.op("MatMul", rows, weights(g, 16, 16 + i)) for i in (0, 0, 1))
    scores = g.op("Div", g.op("MatMul", query, g.op("Transpose", key, perm=[1, 0])), g.const(4.0))
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), value)
    normal = g.op("LayerNormalization", mixed, weights(g, 17), weights(g, 17))
    body = GraphWriter(g)
    body.input("turn", np.int64, [])
    running = body.input("running", np.bool_, [])
    state = body.input("state", np.float32, [6, 17])
    body.output(body.op("Identity", running), dtype=np.bool_)
    body.output(body.op("Tanh", body.op("Add", state, normal)))
    turns = g.input("turns", np.int64, [])
    g.output(g.op("Loop", turns, "", normal, body=body.graph()), "y")
    return g


def data():
    """Sizes that the data tell, sequences and branches: no operator of oneDNN."""
    g = GraphWriter()
    x = g.input("x", np.float32, ["n", 4])
    places = g.op("NonZero", g.op("Greater", x, g.const(0.0)))
    rows = g.op("Gather", x, g.op("Gather", places, g.const(0, np.int64)), axis=0)
    _, best = g.op("TopK", g.op("ReduceSum", rows, g.ints(1), keepdims=0), g.ints(2), outputs=2)
    parts = g.op("SequenceConstruct", g.op("Gather", rows, best, axis=0), rows)
    then, other = GraphWriter(g), GraphWriter(g)
    then.output(then.op("CumSum", rows, then.const(0, np.int64)))
    other.output(other.op("Pad", rows, other.ints(1, 0, 0, 0)))
    has_many = g.op("Greater", g.op("Size", rows), g.const(8, np.int64))
    g.output(g.op("If", has_many, then_branch=then.graph(), else_branch=other.graph()), "y")
    g.output(g.op("ConcatFromSequence", parts, axis=0), "z")
    return g


def products():
    """Products of one row, and two activations."""
    g = GraphWriter()
    x = g.input("x", np.float32, [1, 24])
    y = g.op("Sigmoid", g.op("Gemm", x, weights(g, 24, 40), weights(g, 40)))
    g.output(g.op("Relu", g.op("Gemm", y, weights(g, 40, 5), weights(g, 5))), "y")
    return g


def few_outputs():
    """Convolutions of sixteen outputs and of two."""
    g = GraphWriter()
    x = g.input("x", np.float32, [1, 8, 12, 12])
    y = g.op("Tanh", g.op("Conv", x, weights(g, 16, 8, 3, 3), weights(g, 16), strides=[2, 2]))
    g.output(g.op("Relu", g.op("Conv", y, weights(g, 2, 16, 3, 3))), "y")
    return g


class Folders(CommandCase):
    def check(self, make, compiler):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        onnx.save(make().model(opset=17), self.out / "model.onnx")
        self.done("codegen", self.out / "model.onnx", "-o", self.out / "made", "-q")
        folder, build = self.out / "elsewhere", self.out / "build"
        (self.out / "made").rename(folder)
        self.succeed("cmake", "-S", folder, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
                     "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-O0 -g0 -Werror")
        self.succeed("cmake", "--build", build, "-j2")
        self.assertIn("--input", self.succeed(build / "infer", "--help"))
        return folder, build

    def check_result(self, make):
        """The program gives what the interpreter gives; returns the files that it is made of."""
        folder, build = self.check(make, "g++")
        shape = [d.dim_value for d in onnx.load(self.out / "model.onnx").graph.input[0].type.
                 tensor_type.shape.dim]
        np.save(self.out / "x.npy", np.random.default_rng(3).standard_normal(shape, np.float32))
        given = ["--input", f"x={self.out / 'x.npy'}", "--output-dir"]
        self.done("run", self.out / "model.onnx", *given, self.out / "expected")
        self.succeed(build / "infer", *given, self.out / "found", "--expect",
                     f"y={self.out / 'expected' / 'y.npy'}")
        return folder / "runtime" / "fast"

    def test_what_a_program_does_not_use_is_not_compiled(self):
        used = (self.check_result(products) / "used.h").read_text()
        self.assertIn("FusedActivation::kSigmoid", used)
        self.assertNotIn("FusedActivation::kTanh", used)
        self.assertIn("kUsedTileRows = 1;", used)

    def test_convolutions_of_few_outputs_bring_their_own_loops(self):
        fast = self.check_result(few_outputs)
        self.assertIn("kUsedTileRows = 8;", (fast / "used.h").read_text())
        self.assertTrue((fast / "tap_product.cc").exists())

    def test_images_by_clang(self):
        folder, _ = self.check(images, "clang++")
        self.assertFalse((folder / "runtime" / "fast" / "few_outputs.cc").exists())

    def test_sequences_by_gcc(self):
        self.check(sequences, "g++")

    def test_data_by_gcc(self):
        self.check(data, "g++")


if __name__ == "__main__":
    unittest.main()
