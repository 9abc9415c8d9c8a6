#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of torch where sizes are open, in archives made by exported_programs.py, at several sizes
and compared with what NumPy computes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from commands import complaint, dragoman
from exported_case import ExportedPrograms
from exported_programs import Int, Program

RANDOM = np.random.default_rng(11)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


def ctc_loss(log_probs, labels, blank=0):
    """Of one sequence, (time, class): the sum over all alignments, one after the other."""
    total = 0
    for path in np.ndindex(*[log_probs.shape[1]] * len(log_probs)):
        merged = [label for i, label in enumerate(path) if i == 0 or path[i - 1] != label]
        if [label for label in merged if label != blank] == list(labels):
            total += np.exp(sum(log_probs[t, label] for t, label in enumerate(path)))
    return -np.log(total)


class OpenSizes(ExportedPrograms):
    def test_windows_put_back_where_sizes_are_open(self):
        """Each element is added up as often as windows reach it."""
        p = Program()
        x = p.input("x", [2, 3, "s0", "s1"])
        sizes = [p.aten("sym_size.int", x, axis, kind=Int) for axis in (2, 3)]
        windows = [[2, 3], [1, 1], [1, 0], [3, 2]]
        columns = p.aten("im2col.default", x, *windows)
        self.save(p.output(p.aten("col2im.default", columns, sizes, *windows)))

        def times(size, window, padding, stride):
            counts = np.zeros(size + 2 * padding, np.float32)
            for start in range(0, len(counts) - window + 1, stride):
                counts[start:start + window] += 1
            return counts[padding:padding + size]

        for rows, columns in ((5, 8), (3, 4), (4, 3)):
            a = draw(2, 3, rows, columns)
            self.expect([a], [a * times(rows, 2, 1, 3)[:, None] * times(columns, 3, 0, 2)])

    def test_diagonals_of_blocks_of_open_sizes(self):
        p = Program()
        x, y, z = p.input("x", ["s0", 3]), p.input("y", ["s1"]), p.input("z", [2, "s2"])
        self.save(p.output(p.aten("block_diag.default", [x, y, z])))
        for m, n, k in ((2, 3, 1), (1, 1, 4), (4, 2, 2)):
            a, b, c = draw(m, 3), draw(n), draw(2, k)
            expected = np.zeros((m + 3, 3 + n + k), np.float32)
            expected[:m, :3], expected[m, 3:3 + n], expected[m + 1:, 3 + n:] = a, b, c
            self.expect([a, b, c], [expected])

    def test_alignments_with_any_number_of_steps(self):
        p = Program()
        x = p.input("x", ["s0", 2, 3])
        labels, lengths = p.input("labels", [2, 2], "int64"), p.input("lengths", [2], "int64")
        counts = p.input("counts", [2], "int64")
        self.save(p.output(p.aten("ctc_loss.Tensor", x, labels, lengths, counts, 0, 0)))
        targets, target_lengths = np.int64([[1, 2], [2, 2]]), np.int64([2, 1])
        for steps in (5, 2, 3):
            a = draw(steps, 2, 3)
            a -= np.log(np.exp(a).sum(2, keepdims=True))
            input_lengths = np.int64([steps, 2])
            expected = [ctc_loss(a[:input_lengths[i], i], targets[i, :target_lengths[i]])
                        for i in range(2)]
            self.expect([a, targets, input_lengths, target_lengths], [np.float32(expected)])

    def test_sums_of_windows_that_reach_beyond_pads(self):
        """By one operator, whose pads are shorter than a window, as runtimes want them."""
        p = Program()
        x = p.input("x", ["s0", 2, 5, 6])
        self.save(p.output(p.aten("avg_pool2d.default", x, [2, 3], [2, 2], [1, 1], True, True, 5)))
        common = dragoman("convert", self.model, "-o", "-", "--to", "text", "--passes", "default")
        self.assertEqual(complaint(common), "")
        self.assertIn("onnx.AveragePool(%x)", common.stdout)
        for batch in (2, 1):
            a = draw(batch, 2, 5, 6)
            padded = np.pad(a, [(0, 0), (0, 0), (1, 3), (1, 3)])
            sums = [[padded[:, :, i:i + 2, j:j + 3].sum((2, 3)) for j in (0, 2, 4, 6)]
                    for i in (0, 2, 4)]
            self.expect([a], [np.moveaxis(np.float32(sums), (0, 1), (2, 3)) / 5])


if __name__ == "__main__":
    unittest.main()
