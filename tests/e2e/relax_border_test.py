#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Relax has no word for, in modules: axes that run time knows, 8-bit floats, factorisations,
complex numbers, lists. Each module is linted, evaluated on NumPy, and read back."""
import sys

import numpy as np

from relax_graphs import Case, f32, i64, run_cases

CASES = {}


def case(name, graph, *runs, **rest):
    CASES[name] = Case(graph, runs, **rest)


# Axes that run time knows.

for _op in ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare"):
    case(f"Reduce{_op} along axes that run time knows", f"""
graph main(%x: f32[2, 3, n], %axes: i64[2]) -> (%kept, %dropped) {{
  %a = onnx.Abs(%x)
  %kept = onnx.Reduce{_op}(%a, %axes)
  %dropped = onnx.Reduce{_op}(%a, %axes) {{keepdims = 0}}
}}""", [f32(2, 3, 4), i64([0, 2])], [f32(2, 3, 4), i64([-2, 0])], [f32(2, 3, 1), i64([1, -1])])
case("a reduction along none of them, or all", """
graph main(%x: f32[2, 3], %axes: i64[k]) -> (%all, %none) {
  %all = onnx.ReduceSum(%x, %axes)
  %none = onnx.ReduceSum(%x, %axes) {noop_with_empty_axes = 1}
}""", [f32(2, 3), i64([])], [f32(2, 3), i64([1])])
case("sums of integers along an axis that run time knows", """
graph main(%x: i32[2, 3], %axes: i64[1]) -> (%y) {
  %y = onnx.ReduceSum(%x, %axes) {keepdims = 0}
}""", [np.arange(6, dtype=np.int32).reshape(2, 3), i64([0])],
     [np.arange(6, dtype=np.int32).reshape(2, 3), i64([-1])])
case("reductions of each element alone", """
graph main(%x: f32[2, 3], %n: i32[2, 3]) -> (%a, %b, %c, %d, %e) {
  const %none: i64[0] = []
  %p = onnx.Abs(%x)
  %a = onnx.ReduceL2(%x, %none) {noop_with_empty_axes = 1}
  %b = onnx.ReduceSumSquare(%x, %none) {keepdims = 0, noop_with_empty_axes = 1}
  %c = onnx.ReduceLogSum(%p, %none) {noop_with_empty_axes = 1}
  %d = onnx.ReduceLogSumExp(%x, %none) {keepdims = 0, noop_with_empty_axes = 1}
  %e = onnx.ReduceL1(%n, %none) {noop_with_empty_axes = 1}
}""", [f32(2, 3), np.array([[1, -2, 3], [-4, 5, 0]], np.int32)])
case("weights of less than a byte, whole and by block", """
graph main(%x: f32[2, 4], %s: f32[2, 3], %t: f32[]) -> (%y, %z) {
  const %w: i4[4, 3] = [[1, -8, 7], [0, 2, -3], [4, 5, -6], [-1, -2, 3]]
  const %zero: i4[2, 3] = [[0, 1, 2], [0, -1, 0]]
  const %u: u4[3, 4] = [[0, 15, 8, 1], [7, 2, 3, 4], [5, 6, 9, 10]]
  %d = onnx.DequantizeLinear(%w, %s, %zero) {axis = 0, block_size = 2}
  %y = onnx.MatMul(%x, %d)
  %turned = onnx.Transpose(%u) {perm = [1, 0]}
  %e = onnx.DequantizeLinear(%turned, %t)
  %z = onnx.MatMul(%x, %e)
}""", [f32(2, 4), f32(2, 3), np.array(0.25, np.float32)])
case("signs of unsigned numbers", """
graph main(%x: u8[4]) -> (%y, %z) {
  %y = onnx.Neg(%x)
  %z = onnx.Sign(%x)
}""", [np.array([0, 1, 200, 255], np.uint8)])
case("axes that come and go", """
graph main(%x: f32[2, 1, n, 1], %axes: i64[2], %new: i64[2]) -> (%y, %z) {
  %y = onnx.Squeeze(%x, %axes)
  %z = onnx.Unsqueeze(%x, %new)
}""", [f32(2, 1, 3, 1), i64([1, 3]), i64([0, 5])], [f32(2, 1, 3, 1), i64([-1, 1]), i64([-2, 1])])
case("sums up to each element along an axis that run time knows", """
graph main(%x: f32[2, 3], %axis: i32[]) -> (%y) {
  %y = onnx.CumSum(%x, %axis) {exclusive = 1, reverse = 1}
}""", [f32(2, 3), np.array(0, np.int32)], [f32(2, 3), np.array(-1, np.int32)])
case("slices by steps along axes that run time knows", """
graph main(%x: f32[5, 3, 6], %starts: i64[2], %ends: i64[2], %axes: i64[2], %steps: i64[2]) -> (%y) {
  %y = onnx.Slice(%x, %starts, %ends, %axes, %steps)
}""", [f32(5, 3, 6), i64([4, 0]), i64([-9, 6]), i64([0, -1]), i64([-2, 3])],
     [f32(5, 3, 6), i64([1, -2]), i64([99, -9]), i64([2, 0]), i64([1, -1])])
case("a transform along an axis that run time knows, and one of another length", """
graph main(%x: f32[2, n, 3, 1], %axis: i64[]) -> (%y, %z) {
  const %length: i64[] = 4
  const %one: i64[] = 1
  %y = onnx.DFT(%x, _, %axis)
  %z = onnx.DFT(%x, %length, %one)
}""", [f32(2, 5, 3, 1), i64(1)], [f32(2, 3, 3, 1), i64(-2)])
case("convolutions of integers", """
graph main(%x: u8[1, 2, 5, 5], %w: i8[3, 2, 3, 3], %zero: u8[]) -> (%y) {
  %y = onnx.ConvInteger(%x, %w, %zero) {pads = [1, 1, 1, 1]}
}""", [np.arange(50, dtype=np.uint8).reshape(1, 2, 5, 5) * 5,
       (np.arange(54, dtype=np.int64) * 7 % 256 - 128).astype(np.int8).reshape(3, 2, 3, 3),
       np.array(7, np.uint8)])
case("slices and pads along axes that run time knows", """
graph main(%x: f32[3, n, 4], %axes: i64[2], %pads: i64[4]) -> (%y, %z) {
  const %starts: i64[2] = [1, -2]
  const %ends: i64[2] = [3, 9]
  %y = onnx.Slice(%x, %starts, %ends, %axes)
  %z = onnx.Pad(%x, %pads, _, %axes)
}""", [f32(3, 5, 4), i64([0, 2]), i64([1, 0, 0, 2])], [f32(3, 5, 4), i64([-2, 0]), i64([0, 1, 1, 0])])

# 8-bit floats. Not -0.0, of which TVM's own cast makes 0.

EDGES = np.array([0.0, 1e-9, -1e-9, 0.0009765625, 0.00146484375, 0.0029296875, 1.0625, 1.1875, -1.3,
                  447.9, 448, 464, 464.1, 480, -1e6, np.inf, -np.inf, np.nan, 57344, 61440, 61439,
                  7.62939453125e-06, 1.1e-5, 2.2888e-05, 3.3], np.float32)
for _type in ("f8e4m3fn", "f8e5m2"):
    _number = {"f8e4m3fn": 17, "f8e5m2": 19}[_type]
    for _saturate in (0, 1):
        case(f"casts to {_type} and back, saturate {_saturate}", f"""
graph main(%x: f32[n]) -> (%y, %z) {{
  %y = onnx.Cast(%x) {{to = {_number}, saturate = {_saturate}}}
  %z = onnx.Cast(%y) {{to = 1}}
}}""", [EDGES], [f32(100) * 100], [f32(100) * 0.01])
    case(f"quantisation to {_type}", f"""
graph main(%x: f32[4, 5], %scale: f32[5]) -> (%y, %z) {{
  %y = onnx.QuantizeLinear(%x, %scale) {{axis = 1, output_dtype = {_number}}}
  %z = onnx.DequantizeLinear(%y, %scale) {{axis = 1}}
}}""", [f32(4, 5) * 100, np.abs(f32(5)) + np.float32(0.1)])

# Factorisations of matrices.

case("matrices of a symbolic size", """
graph main(%x: f32[2, n, n], %b: f32[2, n, 3]) -> (%det, %lu, %pivots, %rows, %solved) {
  %det = onnx.Det(%x)
  %lu, %pivots, %rows = dragoman.LuFactor(%x)
  %solved = dragoman.TriangularSolve(%x, %b) {upper = 1}
}""", [f32(2, 4, 4), f32(2, 4, 3)], [f32(2, 1, 1), f32(2, 1, 3)])
case("a large matrix", """
graph main(%x: f32[20, 20]) -> (%det) {
  %det = onnx.Det(%x)
}""", [f32(20, 20) * 0.5])
case("roots of matrices", """
graph main(%x: f32[n, n]) -> (%l, %info) {
  %t = onnx.Transpose(%x)
  %s = onnx.MatMul(%x, %t)
  %l, %info = dragoman.Cholesky(%s)
}""", [f32(5, 5)])
case("matrices that have no root", """
graph main(%x: f32[2, n, n]) -> (%l, %info) {
  %l, %info = dragoman.Cholesky(%x)
}""", [-np.abs(f32(2, 3, 3))])
case("reflections", """
graph main(%x: f32[2, m, 3]) -> (%factors, %tau, %q) {
  %factors, %tau = dragoman.HouseholderQr(%x)
  %q = dragoman.HouseholderProduct(%factors, %tau)
}""", [f32(2, 5, 3)], [f32(2, 3, 3)])

# Sizes of which one may be 1.

case("elementwise on sizes that may be 1", """
graph main(%x: f32[n, 3], %y: f32[m, 1], %z: f32[k, n]) -> (%sum, %chosen, %more) {
  %sum = onnx.Add(%x, %y)
  %greater = onnx.Greater(%x, %y)
  %chosen = onnx.Where(%greater, %x, %sum)
  %more = onnx.Max(%sum, %x, %y)
}""", [f32(2, 3), f32(2, 1), f32(1, 2)], [f32(2, 3), f32(1, 1), f32(1, 2)],
     [f32(1, 3), f32(4, 1), f32(1, 1)], holds=["R.match_cast("])
case("parts whose sizes run time knows to be equal", """
graph main(%x: f32[2, n], %y: f32[2, m], %z: f32[2, n]) -> (%all) {
  %all = onnx.Concat(%x, %y, %z) {axis = 0}
}""", [f32(2, 3), f32(2, 3), f32(2, 3)], holds=["R.match_cast("])
case("an expansion of a size that may be 1", """
graph main(%x: f32[n, 3], %sizes: i64[2]) -> (%y) {
  %y = onnx.Expand(%x, %sizes)
}""", [f32(1, 3), i64([4, 3])], [f32(4, 3), i64([1, 1])], [f32(4, 3), i64([4, 3])])

# Complex numbers and lists at the border of a function.

case("complex numbers", """
graph main(%x: c64[2, n]) -> (%y) {
  %p = dragoman.ComplexToReal(%x)
  %q = onnx.Neg(%p)
  %y = dragoman.RealToComplex(%q)
}""", [f32(2, 3) + 1j * f32(3, 2).reshape(2, 3)], holds=['"complex": [[0], [0]]'], pairs=True)
case("a list as an output", """
graph main(%x: f32[5, 2], %z: f32[2]) -> (%parts, %y) {
  const %sizes: i64[2] = [2, 3]
  %parts = onnx.SplitToSequence(%x, %sizes)
  %y = onnx.Neg(%z)
}""", holds=['"lists": [[0, 2, "sequence"]]'])

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
