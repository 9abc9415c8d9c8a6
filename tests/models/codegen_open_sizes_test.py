#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of sizes known at run time only: what is prepared once serves calls of any sizes.

Programs of recurrences, products and transposed convolutions, of attention, and of pools, resizes
and quantised operators, are called with sizes that grow and shrink, by two objects in turn. Every output is the
interpreter's, no step calls a reference kernel for these operators, and where all loops are our own
sizes that occurred before allocate nothing.
"""

import subprocess
import unittest

import numpy as np
import onnx

from command_case import CommandCase
from onnx_graph import GraphWriter

INPUTS, HIDDEN, CHANNELS = 20, 24, 6
SIZES = [(3, 2), (1, 1), (9, 5), (0, 2), (4, 0), (9, 1), (2, 5)]  # steps, batch
# glibc's own functions stand after those that count.
CALLS = r"""
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>
#include "opened.h"

static long allocations = 0;
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}

static void Write(const std::string& name, const opened::rt::Tensor<float>& y) {
  std::FILE* file = std::fopen(name.c_str(), "wb");
  const auto view = y.view();
  std::fwrite(view.data, sizeof(float), static_cast<std::size_t>(view.size()), file);
  std::fclose(file);
}

// Arguments: two sizes for each call.
int main(int argc, char** argv) {
  opened::Options options;
  options.weights = "opened.weights";
  opened::Opened model(options);
  const std::unique_ptr<opened::Opened> fork = model.Fork();
  opened::rt::Tensor<float> states, image;
  std::vector<float> x(100000), h(100000);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 37 % 101) / 101.0f - 0.5f;
    h[i] = static_cast<float>(i * 53 % 97) / 97.0f - 0.5f;
  }
  for (int round = 0; round < 2; ++round) {
    const long before = allocations;
    for (int i = 1; i + 1 < argc; i += 2) {
      const long a = std::atol(argv[i]), b = std::atol(argv[i + 1]);
      opened::Opened& object = i / 2 % 2 == round ? model : *fork;
      const auto status = object.run(ARGUMENTS, states, image);
      if (!status.ok()) return std::puts(status.message()), 1;
      if (round == 1) continue;
      Write("states_" + std::to_string(i / 2), states);
      Write("image_" + std::to_string(i / 2), image);
    }
    // Both objects have met all sizes after two rounds.
    if (round == 1) {
      const long grown = allocations;
      for (int i = 1; i + 1 < argc; i += 2) {
        const long a = std::atol(argv[i]), b = std::atol(argv[i + 1]);
        if (!model.run(ARGUMENTS, states, image).ok()) return 1;
      }
      std::printf("%ld allocations, %d\n", allocations - grown, before > 0);
    }
  }
}
"""


def open_model():
    """Bidirectional LSTM, GRU and RNN, one of them of sequences that end early, products with a
    residual sum, transposed convolutions."""
    rng = np.random.default_rng(3)
    g = GraphWriter()

    def weights(*shape):
        scale = 1 / np.sqrt(shape[-1])
        return g.const((rng.standard_normal(shape) * scale).astype(np.float32))

    g.input("x", np.float32, ["steps", "batch", INPUTS])
    g.input("h", np.float32, [2, "batch", HIDDEN])

    def recurrence(kind, value, gates, inputs, lengths="", **attributes):
        bias = weights(2, 2 * gates * HIDDEN)
        y, y_h = g.op(kind, value, weights(2, gates * HIDDEN, inputs),
                      weights(2, gates * HIDDEN, HIDDEN), bias, lengths, "h", outputs=2,
                      hidden_size=HIDDEN, direction="bidirectional", **attributes)
        joined = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(0, 0, 2 * HIDDEN))
        return joined, y_h

    y, _ = recurrence("LSTM", "x", 4, INPUTS)
    y, _ = recurrence("GRU", y, 3, 2 * HIDDEN, linear_before_reset=1)
    steps, batch = (g.op("Shape", "x", start=i, end=i + 1) for i in (0, 1))
    rows = g.op("Range", *(g.op("Squeeze", v) for v in (g.ints(0), batch, g.ints(1))))
    lengths = g.op("Cast", g.op("Min", rows, steps), to=onnx.TensorProto.INT32)
    y, _ = recurrence("GRU", y, 3, 2 * HIDDEN, lengths, clip=0.5,
                      activations=["HardSigmoid", "Tanh"] * 2)
    y, states = recurrence("RNN", y, 1, 2 * HIDDEN)
    wide = g.op("Relu", g.op("Add", g.op("MatMul", y, weights(2 * HIDDEN, 70)), weights(70)))
    y = g.op("Add", g.op("MatMul", wide, weights(70, 2 * HIDDEN)), y)
    rows = g.op("Gemm", g.op("Reshape", y, g.ints(-1, 2 * HIDDEN)), weights(CHANNELS, 2 * HIDDEN),
                weights(CHANNELS), transB=1)
    sizes = g.op("Shape", "x", start=0, end=2)
    image = g.op("Reshape", rows, g.op("Concat", sizes, g.ints(CHANNELS), axis=0), allowzero=1)
    # Images have a column at least.
    image = g.op("Pad", g.op("Transpose", image, perm=[1, 2, 0]), g.ints(0, 0, 0, 0, 0, 1))
    image = g.op("Relu", g.op("ConvTranspose", image, weights(CHANNELS, 12, 4), weights(12),
                              strides=[2], pads=[1, 1]))
    image = g.op("ConvTranspose", g.op("Unsqueeze", image, g.ints(3)), weights(12, 3, 3, 2),
                 strides=[1, 2], pads=[1, 0, 1, 0])
    g.output(states, "states", shape=[2, "batch", HIDDEN])
    g.output(image, "image", shape=["batch", 3, "height", 2])
    return g.model(opset=17)


def image_model():
    """Pools whose last window may reach beyond, resizes to twice the size and to that of another
    image, a residual block and a product of 8-bit integers. No scale makes sums that lie in the
    middle of two integers, which the interpreter's sums of f32 may round otherwise."""
    rng = np.random.default_rng(4)
    g = GraphWriter()

    def grid(zero, dtype, scale):
        return g.const(np.float32(scale)), g.const(np.array(zero, dtype), dtype)

    def integers(*shape):
        return g.const(rng.integers(-100, 100, shape).astype(np.int8), np.int8)

    def through_bytes(value, scale, zero):
        quantised = g.op("QuantizeLinear", value, *grid(zero, np.uint8, scale))
        return g.op("DequantizeLinear", quantised, *grid(zero, np.uint8, scale))

    g.input("x", np.float32, ["batch", CHANNELS, "height", 9])
    x = through_bytes("x", 0.004123, 128)
    w = g.op("DequantizeLinear", integers(CHANNELS, CHANNELS, 3, 3), *grid(0, np.int8, 0.002071))
    y = through_bytes(g.op("Relu", g.op("Conv", x, w, pads=[1, 1, 1, 1])), 0.010337, 0)
    y = through_bytes(g.op("Add", g.op("Conv", y, w, pads=[1, 1, 1, 1]), x), 0.010337, 100)
    last = g.op("Transpose", y, perm=[0, 2, 3, 1])
    q, scale, zero = g.op("DynamicQuantizeLinear", last, outputs=3)
    sums = g.op("MatMulInteger", q, integers(CHANNELS, 11), zero)
    product = g.op("Mul", g.op("Cast", sums, to=1), g.op("Mul", scale, g.const(np.float32(0.01))))
    g.output(product, "states", shape=["batch", "height", 9, 11])
    small = g.op("MaxPool", y, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1,
                 pads=[1, 0, 1, 0])
    small = g.op("AveragePool", small, kernel_shape=[3, 3], strides=[2, 1], auto_pad="SAME_UPPER")
    twice = g.op("Resize", small, "", g.const([1, 1, 2, 2]), mode="linear")
    wide = g.op("Resize", twice, "", "", g.op("Shape", "x"), mode="cubic")
    g.output(wide, "image", shape=["batch", CHANNELS, "height", 9])
    return g.model(opset=19)


def attention_model():
    """Causal attention with rotary embeddings and a cache, two heads of which share keys; a second
    one masked by what is read, whose heads are copied; products of two computed matrices."""
    rng = np.random.default_rng(5)
    heads, size = 4, 6
    g = GraphWriter()

    def project(value, outputs):
        inputs = heads * size
        weights = rng.standard_normal((inputs, outputs)) / np.sqrt(inputs)
        return g.op("Add", g.op("MatMul", value, g.const(weights.astype(np.float32))),
                    g.const(rng.standard_normal(outputs).astype(np.float32)))

    def split(value, count):
        return g.op("Transpose", g.op("Reshape", value, g.ints(0, 0, count, size)),
                    perm=[0, 2, 1, 3])

    def join(value):
        return g.op("Reshape", g.op("Transpose", value, perm=[0, 2, 1, 3]),
                    g.ints(0, 0, heads * size))

    def turn(value, cos, sin):
        low = g.op("Slice", value, g.ints(0), g.ints(size // 2), g.ints(3))
        high = g.op("Slice", value, g.ints(size // 2), g.ints(size), g.ints(3))
        turned = g.op("Concat", g.op("Neg", high), low, axis=3)
        return g.op("Add", g.op("Mul", value, cos), g.op("Mul", turned, sin))

    def share(value):
        wide = g.op("Expand", g.op("Unsqueeze", value, g.ints(2)),
                    g.op("Concat", batch, g.ints(heads // 2, 2), keys, g.ints(size), axis=0))
        return g.op("Reshape", wide, g.op("Concat", batch, g.ints(heads), keys, g.ints(size),
                                          axis=0), allowzero=1)

    g.input("x", np.float32, ["batch", "steps", heads * size])
    g.input("h", np.float32, ["batch", heads // 2, "past", size])
    zero, one, scale = (g.const(n, dtype) for n, dtype in
                        ((0, np.int64), (1, np.int64), (size ** -0.5, np.float32)))
    past = g.op("Squeeze", g.op("Shape", "h", start=2, end=3))
    steps = g.op("Squeeze", g.op("Shape", "x", start=1, end=2))
    end = g.op("Add", past, steps)
    places = g.op("Range", past, end, one)
    angles = g.op("MatMul", g.op("Unsqueeze", g.op("Cast", places, to=1), g.ints(1)),
                  g.const(np.tile(10.0 ** -np.arange(size // 2), 2)[None]))
    cos, sin = g.op("Cos", angles), g.op("Sin", angles)
    q = turn(split(project("x", heads * size), heads), cos, sin)
    k = turn(split(project("x", heads * size // 2), heads // 2), cos, sin)
    v = split(project("x", heads * size // 2), heads // 2)
    k, v = (g.op("Concat", "h", new, axis=2) for new in (k, v))
    g.output(k, "states", shape=["batch", heads // 2, "keys", size])
    batch, keys = g.op("Shape", "x", end=1), g.op("Unsqueeze", end, g.ints(0))
    k, v = share(k), share(v)
    seen = g.op("LessOrEqual", g.op("Unsqueeze", g.op("Range", zero, end, one), g.ints(0)),
                g.op("Unsqueeze", places, g.ints(1)))
    scores = g.op("Mul", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), scale)
    scores = g.op("Where", seen, scores, g.const(-np.inf))
    y = join(g.op("MatMul", g.op("Softmax", scores, axis=-1), v))
    y = g.op("Add", project(y, heads * size), "x")

    q, k, v = (split(project(y, heads * size), heads) for _ in range(3))
    scores = g.op("Div", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), g.const(2))
    first = g.op("Slice", y, g.ints(0), g.ints(1), g.ints(2))
    mask = g.op("Unsqueeze", g.op("Transpose", first, perm=[0, 2, 1]), g.ints(1))
    y = join(g.op("MatMul", g.op("Softmax", g.op("Add", scores, mask), axis=-1), v))
    # Not normalised: products of their own.
    y = g.op("MatMul", g.op("MatMul", y, g.op("Transpose", y, perm=[0, 2, 1])), y)
    g.output(y, "image", shape=["batch", "steps", heads * size])
    return g.model(opset=18)


def drawn(factor, modulus, *sizes):
    i = np.arange(100000, dtype=np.int64)
    values = (i * factor % modulus).astype(np.float32) / np.float32(modulus) - np.float32(0.5)
    return values[:int(np.prod(sizes))].reshape(sizes)


class OpenSizes(CommandCase):
    def expected(self, **inputs):
        words = []
        for name, array in inputs.items():
            np.save(self.out / f"{name}.npy", array)
            words += ["--input", f"{name}={self.out / name}.npy"]
        out = self.out / "expected"
        self.done("run", self.out / "open.onnx", *words, "-o", out)
        return {name: np.load(out / f"{name}.npy") for name in ("states", "image")}

    def calls(self, model, arguments, all_sizes):
        """What the program's calls of such sizes print; their outputs are files in its folder."""
        onnx.save(model, self.out / "open.onnx")
        program = self.out / "program"
        self.done("codegen", self.out / "open.onnx", "-o", program, "-q", "--name", "opened",
                  "--no-reference")
        (program / "calls.cc").write_text(CALLS.replace("ARGUMENTS", arguments))
        sources = [path for path in program.rglob("*.cc") if path.name != "infer.cc"]
        subprocess.run(["c++", "-std=c++17", "-O0", "-fno-strict-aliasing", "-w",
                        '-DMODEL_WEIGHTS=""', f"-I{program}", *sources, "-ldnnl", "-o",
                        self.out / "calls"], check=True)
        numbers = [str(n) for sizes in all_sizes for n in sizes]
        made = subprocess.run([self.out / "calls", *numbers], cwd=program, check=False,
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        return made.stdout

    def compare(self, i, expected):
        for name, wanted in expected.items():
            with self.subTest(output=name, call=i):
                found = np.fromfile(self.out / "program" / f"{name}_{i}", np.float32)
                np.testing.assert_allclose(found, wanted.ravel(), rtol=1e-4, atol=1e-5)

    def test_sequences_of_any_sizes_are_the_interpreters(self):
        arguments = "{x.data(), a, b, 20}, {h.data(), 2, b, 24}"
        self.assertEqual(self.calls(open_model(), arguments, SIZES), "0 allocations, 1\n")
        for i, (steps, batch) in enumerate(SIZES):
            self.compare(i, self.expected(x=drawn(37, 101, steps, batch, INPUTS),
                                          h=drawn(53, 97, 2, batch, HIDDEN)))

    def test_attention_of_any_sizes_is_the_interpreters(self):
        sizes = [(2, 5), (1, 1), (3, 17), (0, 4), (2, 0), (1, 40), (17, 3), (2, 5)]
        sizes += [tuple(np.random.default_rng(6).integers(1, 12, 2)) for _ in range(6)]
        self.calls(attention_model(), "{x.data(), a, b, 24}, {h.data(), a, 2, b / 3, 6}", sizes)
        program = (self.out / "program" / "opened.cc").read_text()
        for kind, count in (("DynamicAttention", 2), ("DynamicRotary", 2), ("PackedLinear", 5)):
            self.assertEqual(program.count(f"  rt::{kind} "), count, kind)
        for i, (batch, steps) in enumerate(sizes):
            self.compare(i, self.expected(x=drawn(37, 101, batch, steps, 24),
                                          h=drawn(53, 97, batch, 2, steps // 3, 6)))

    def test_images_of_any_sizes_are_the_interpreters(self):
        sizes = [(1, 7), (3, 12), (2, 5), (0, 9), (3, 4), (1, 1), (1, 7)]
        self.calls(image_model(), "{x.data(), a, 6, b, 9}", sizes)
        for i, (batch, height) in enumerate(sizes):
            self.compare(i, self.expected(x=drawn(37, 101, batch, CHANNELS, height, 9)))


if __name__ == "__main__":
    unittest.main()
