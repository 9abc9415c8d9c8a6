#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of torch at the edges of what they take - sizes of 0, numbers in the place of vectors,
bools - in archives made by exported_programs.py. Where NumPy has no such operator, what PyTorch 2.14
gives is stated."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Program, Raw

RANDOM = np.random.default_rng(13)
BOOL = Raw(as_scalar_type=12)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


class NoElements(ExportedPrograms):
    """A batch of 0, beside sizes that are known."""

    def test_layers(self):
        p = Program("TRAINING")
        x = p.input("x", [0, 4, 3, 3])
        w, b = p.weight("w", draw(4)), p.weight("b", draw(4))
        norm, mean, _ = p.aten("native_group_norm.default", x, w, b, 0, 4, 9, 2, 1e-5, results=3)
        self.save(p.output(norm, mean, p.aten("group_norm.default", x, 2, w, b),
                           p.aten("channel_shuffle.default", x, 2),
                           p.aten("flatten.using_ints", x, 1),
                           p.aten("adaptive_max_pool2d.default", x, [2, 2], results=2)[0]))
        shape = (0, 4, 3, 3)
        self.expect([np.zeros(shape, np.float32)],
                    [np.zeros(sizes, np.float32)
                     for sizes in (shape, (0, 2), shape, shape, (0, 36), (0, 4, 2, 2))], onnx=False)

    def test_attention(self):
        p = Program("TRAINING")
        x = p.input("x", [0, 3, 4])
        weights = [p.weight(f"w{i}", draw(*sizes))
                   for i, sizes in enumerate(((12, 4), (12,), (4, 4), (4,)))]
        y, scores = p.aten("_native_multi_head_attention.default", x, x, x, 4, 2, *weights,
                           results=2)
        self.save(p.output(y, scores))
        self.expect([np.zeros((0, 3, 4), np.float32)],
                    [np.zeros((0, 3, 4), np.float32), np.zeros((0, 3, 3), np.float32)], onnx=False)

    def test_both_directions(self):
        p = Program("TRAINING")
        x, h = p.input("x", [3, 0, 4]), p.input("h", [2, 0, 5])
        weights = [p.weight(f"w{i}{j}", draw(*sizes)) for i in range(2)
                   for j, sizes in enumerate(((15, 4), (15, 5), (15,), (15,)))]
        y, last = p.aten("gru.input", x, h, weights, True, 1, 0.0, False, True, False, results=2)
        self.save(p.output(y, last))
        self.expect([np.zeros((3, 0, 4), np.float32), np.zeros((2, 0, 5), np.float32)],
                    [np.zeros((3, 0, 10), np.float32), np.zeros((2, 0, 5), np.float32)], onnx=False)


class OtherTypes(ExportedPrograms):
    def test_float_masks_of_fused_attention(self):
        """They hide where they are not 0, as encoder layers of torch pass a padding mask."""
        p = Program("TRAINING")
        x = p.input("x", [1, 2, 2])
        eye = np.eye(2, dtype=np.float32)
        same = np.concatenate([np.zeros((4, 2), np.float32), eye])
        weights = [p.weight("w", same), p.weight("b", np.zeros(6, np.float32)),
                   p.weight("out", eye), p.weight("c", np.zeros(2, np.float32))]
        mask = p.weight("mask", np.array([[0, -np.inf]], np.float32), "tensor_constant")
        y, _ = p.aten("_native_multi_head_attention.default", x, x, x, 2, 1, *weights, mask,
                      True, True, 1, results=2)
        self.save(p.output(y))
        a = np.array([[[1, 2], [3, 4]]], np.float32)
        self.expect([a], [np.array([[[1, 2], [1, 2]]], np.float32)])

    def test_sums_and_products_of_bools(self):
        p = Program()
        x = p.input("x", [2, 3])
        self.save(p.output(p.aten("prod.default", x, dtype=BOOL), p.aten("prod.dim_int", x, 1, dtype=BOOL),
                           p.aten("sum.dim_IntList", x, [0], dtype=BOOL)))
        a = np.array([[0.5, 0, 2], [3, 0, -1]], np.float32)
        self.expect([a], [np.array(False), np.array([False, False]), np.array([True, False, True])])

    def test_bools_are_added_at_places(self):
        p = Program()
        x, y = p.input("x", [3], "bool"), p.input("y", [2], "bool")
        at = p.weight("at", np.array([2, 0]), "tensor_constant")
        self.save(p.output(*(p.aten("index_add.default", x, 0, at, y, alpha=alpha)
                             for alpha in (True, False, 2))))
        a, b = np.array([False, False, True]), np.array([False, True])
        added = np.array([True, False, True])
        self.expect([a, b], [added, a, added])

    def test_indices_that_are_none(self):
        p = Program()
        x, at = p.input("x", [3, 2]), p.input("at", [0, 2], "uint8")
        self.save(p.output(p.aten("gather.default", x, 0, at)))
        self.expect([draw(3, 2), np.zeros((0, 2), np.uint8)], [np.zeros((0, 2), np.float32)])


class OtherRanks(ExportedPrograms):
    def test_numbers_as_vectors(self):
        p = Program("TRAINING")
        x, y = p.input("x", []), p.input("y", [])
        self.save(p.output(p.aten("cosine_similarity.default", x, y, 0)))
        self.expect([np.float32(2), np.float32(-3)], [np.float32(-1)])

    def test_runs_of_equal_slices(self):
        p = Program()
        x = p.input("x", [4, 2])
        rows = p.aten("unique_consecutive.default", x, True, True, 0, results=3)
        columns = p.aten("unique_consecutive.default", x, True, True, -1, results=3)
        self.save(p.output(*rows, *columns))
        a = np.array([[1, 2], [1, 2], [2, 2], [1, 2]], np.float32)
        self.expect([a], [a[[0, 2, 3]], np.array([0, 0, 1, 2]), np.array([2, 1, 1]),
                          a, np.array([0, 1]), np.array([1, 1])], onnx=False)

    def test_a_signal_of_complex_numbers(self):
        """Frames of 4 elements at every second one, and a window of ones."""
        p = Program("TRAINING")
        x = p.input("x", [4, 3], "complex64")
        self.save(p.output(p.aten("istft.default", x, 4, 2, None, None, False, False, False, None,
                                  True)))
        signal = (draw(8) + 1j * draw(8)).astype(np.complex64)
        frames = np.stack([signal[i:i + 4] for i in (0, 2, 4)], 1)
        self.expect([np.fft.fft(frames, axis=0).astype(np.complex64)], [signal], onnx=False)


if __name__ == "__main__":
    unittest.main()
