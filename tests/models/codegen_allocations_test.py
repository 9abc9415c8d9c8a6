#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program whose sizes are known allocates nothing in 1,000 runs: malloc is counted."""

import subprocess
import unittest

import numpy as np
import onnx

from command_case import CommandCase
from onnx_graph import GraphWriter

# glibc's own functions stand after those that count.
COUNTER = r"""
#include <cstddef>
#include <cstdio>
#include "policy.h"

static bool counting = false;
static long allocations = 0;
extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void* malloc(std::size_t size) {
  allocations += counting;
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  allocations += counting;
  return __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  allocations += counting;
  return __libc_realloc(old, size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations += counting;
  return __libc_memalign(alignment, size);
}

int main() {
  static float x[41], y[10];
  for (int i = 0; i < 41; ++i) x[i] = 0.1f * static_cast<float>(i % 7);
  policy::Options options;
  options.weights = "policy.weights";
  policy::Policy model(options);
  counting = true;
  for (int i = 0; i < 1000; ++i) {
    if (!model.run({x, {1, 41}}, {y, {1, 10}}).ok()) return 1;
  }
  counting = false;
  std::printf("%ld allocations\n", allocations);
}
"""


def policy():
    """Products, a recurrence, loops, a softmax; weights that are computed of constants."""
    rng = np.random.default_rng(2)
    g = GraphWriter()

    def weights(*shape):
        return g.const((rng.standard_normal(shape) * 0.2).astype(np.float32))

    g.input("x", np.float32, [1, 41])
    h = g.op("Elu", g.op("Gemm", "x", weights(64, 41), weights(64), transB=1))
    h = g.op("Unsqueeze", h, g.ints(0))
    bias = g.op("Add", weights(1, 256), weights(1, 256))
    h = g.op("LSTM", h, weights(1, 128, 64), weights(1, 128, 32), bias, hidden_size=32)
    h = g.op("LayerNormalization", g.op("Reshape", h, g.ints(1, 32)), weights(32), weights(32))
    g.output(g.op("Softmax", g.op("Gemm", h, weights(10, 32), transB=1), axis=-1), "y")
    return g.model(opset=17)


class Allocations(CommandCase):
    def test_nothing_is_allocated_while_it_runs(self):
        onnx.save(policy(), self.out / "policy.onnx")
        program = self.out / "policy"
        self.done("codegen", self.out / "policy.onnx", "-o", program, "-q")
        (program / "count.cc").write_text(COUNTER)
        sources = [path for path in program.rglob("*.cc") if path.name != "infer.cc"]
        subprocess.run(["c++", "-std=c++17", "-O0", "-fno-strict-aliasing", "-w",
                        '-DMODEL_WEIGHTS=""', f"-I{program}", *sources, "-ldnnl", "-o",
                        self.out / "count"], check=True)
        counted = subprocess.run([self.out / "count"], cwd=program, check=True,
                                 capture_output=True, text=True)
        self.assertEqual(counted.stdout, "0 allocations\n")


if __name__ == "__main__":
    unittest.main()
