#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules for older releases of TVM, and modules with packed functions: linted by what the release has,
evaluated on NumPy, and read back."""
import sys

import numpy as np

from relax_graphs import Case, f32, i64, run_cases

CASES = {}
RELEASES = ("0.17", "0.19", "0.21", "0.25")


def case(name, graph, *runs, releases=RELEASES, options=(), **rest):
    for release in releases:
        CASES[f"{name}, {release}"] = Case(graph, runs, options=("--relax-version", release, *options),
                                           **rest)


case("gathers and sizes", """
graph main(%x: f32[2, n], %i: i64[3]) -> (%y, %size, %rows) {
  %y = onnx.Gather(%x, %i) {axis = 1}
  %size = onnx.Size(%x)
  %rows = onnx.Mod(%i, %i)
}""", [f32(2, 4), i64([0, -1, 2])], releases=("0.17", "0.19", "0.21"), lacks=["mode=", "R.size("])
case("numbers that are none", """
graph main(%x: f32[6]) -> (%nan, %inf, %up) {
  %nan = onnx.IsNaN(%x)
  %inf = onnx.IsInf(%x)
  %up = onnx.IsInf(%x) {detect_negative = 0}
}""", [np.array([0, 1, np.inf, -np.inf, np.nan, -3], np.float32)], releases=("0.17", "0.19", "0.21"),
     lacks=["R.isnan(", "R.isinf("])
case("rounding towards zero", """
graph main(%x: i32[2, 3]) -> (%y) {
  const %axes: i64[1] = [1]
  %y = onnx.ReduceMean(%x, %axes)
}""", [np.array([[1, 2, 5], [-1, -3, -4]], np.int32)])
case("stacks, identities and remainders", """
graph main(%x: f32[3, 4], %a: i64[4], %b: i64[4], %s: f32[1, n, 1]) -> (%eye, %y, %m) {
  %eye = onnx.EyeLike(%x) {k = 1}
  %y = onnx.DFT(%s)
  %m = onnx.Mod(%a, %b)
}""", [f32(3, 4), i64([5, -5, 7, -7]), i64([3, 3, -4, -4]), f32(1, 5, 1)])
case("sequences that are reversed", """
graph main(%x: f32[t, b, 2], %lengths: i64[b]) -> (%y, %z) {
  %y = onnx.ReverseSequence(%x, %lengths)
  %t = onnx.Transpose(%x) {perm = [1, 0, 2]}
  %z = onnx.ReverseSequence(%t, %lengths) {batch_axis = 0, time_axis = 1}
}""", [f32(4, 3, 2), i64([4, 1, 2])], lacks=["R.reverse_sequence("])
case("normalisation in inference", """
graph main(%x: f32[2, 3, n]) -> (%y) {
  const %scale: f32[3] = [1.0, 2.0, 0.5]
  const %bias: f32[3] = [0.0, 1.0, -1.0]
  const %mean: f32[3] = [0.1, 0.2, 0.3]
  const %variance: f32[3] = [1.0, 0.5, 2.0]
  %y = onnx.BatchNormalization(%x, %scale, %bias, %mean, %variance)
}""", [f32(2, 3, 4)], releases=("0.17", "0.19"), lacks=["R.nn.batch_norm("])
case("pads by reflection", """
graph main(%x: f32[2, 5]) -> (%y) {
  const %pads: i64[4] = [0, 2, 0, 1]
  %y = onnx.Pad(%x, %pads) {mode = "reflect"}
}""", [f32(2, 5)], releases=("0.17", "0.19"), lacks=["pad_mode=\"reflect\""])

# Packed functions.

case("operators that 0.17 lacks", """
graph main(%x: f32[3, n], %i: i64[3, 2], %t: i64[k, 2], %u: f32[k], %a: u8[4], %b: u8[4]) -> (%g, %e, %s, %l, %r) {
  %g = onnx.GatherND(%x, %t)
  %e = onnx.GatherElements(%x, %i) {axis = 1}
  %s = onnx.ScatterND(%x, %t, %u) {reduction = "add"}
  %l = onnx.BitShift(%a, %b) {direction = "LEFT"}
  %r = onnx.BitShift(%a, %b) {direction = "RIGHT"}
}""", [f32(3, 4), i64([[0, -1], [1, 2], [-4, 3]]), i64([[0, 1], [-1, -2]]), f32(2),
       np.array([1, 200, 7, 255], np.uint8), np.array([3, 1, 0, 7], np.uint8)],
     releases=("0.17",), options=("--packed",),
     holds=["R.call_pure_packed(\"dragoman.GatherND\"", "sinfo_args="])
case("regions of images", """
graph main(%x: f32[2, 3, 8, 9], %rois: f32[r, 4], %image: i64[r], %five: f32[r, 5]) -> (%y, %z, %m) {
  %y = onnx.RoiAlign(%x, %rois, %image) {output_height = 2, output_width = 3, spatial_scale = 0.5}
  %z = onnx.RoiAlign(%x, %rois, %image) {coordinate_transformation_mode = "output_half_pixel", mode = "max", output_height = 2, output_width = 2, sampling_ratio = 2}
  %m = onnx.MaxRoiPool(%x, %five) {pooled_shape = [2, 2], spatial_scale = 0.5}
}""", [f32(2, 3, 8, 9), np.array([[0, 1, 6, 7], [2.5, 0, 12, 9], [-1, -2, 3, 3]], np.float32),
       i64([0, 1, 1]), np.array([[0, 1, 1, 7, 9], [1, 0, 3, 15, 5]], np.float32)[[0, 1, 1]]],
     releases=("0.17", "0.19", "0.21"), options=("--packed",), holds=["dragoman.MaxRoiPool"])
case("boxes", """
graph main(%boxes: f32[1, n, 4], %scores: f32[1, 2, n]) -> (%y) {
  const %limit: i64[] = 2
  const %overlap: f32[] = 0.5
  %y = onnx.NonMaxSuppression(%boxes, %scores, %limit, %overlap)
}""", [np.array([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3], [5, 5, 6, 6]]], np.float32),
       f32(1, 2, 4)], options=("--packed",))
CASES["values and vectors of matrices"] = Case("""
graph main(%x: f32[2, n, n]) -> (%values, %s) {
  %t = onnx.Transpose(%x) {perm = [0, 2, 1]}
  %y = onnx.Add(%x, %t)
  %values, %vectors = dragoman.SymmetricEigen(%y)
  %u, %s, %vh = dragoman.Svd(%x)
}""", ([f32(2, 4, 4)],), holds=("ty_args=R.Tuple(",), options=("--packed",))
CASES["values of matrices by loops"] = Case("""
graph main(%x: f32[2, n, n]) -> (%values, %s) {
  %t = onnx.Transpose(%x) {perm = [0, 2, 1]}
  %y = onnx.Add(%x, %t)
  %values = dragoman.SymmetricEigen(%y)
  %u, %s, %vh = dragoman.Svd(%x)
}""", ([f32(2, 5, 5)],), holds=("cls.loop(",), lacks=("call_pure_packed",))

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
