#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of torch.export that write to their arguments, before decomposition in place and after it
by outputs: both have the new values as further outputs, `x_out` for `x`."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from commands import complaint, dragoman
from exported_case import ExportedPrograms
from exported_programs import LEAF, Program, tree

A, B = np.float32([1, -2]), np.float32([[3, 4], [5, 6]])


def in_place():
    """y[1] += x; x.mul_(2); z is read only."""
    p = Program("TRAINING")
    x, y, z = p.input("x", [2]), p.input("y", [2, 2]), p.input("z", [2])
    p.aten("add_.Tensor", p.aten("select.int", y, 0, 1), x)
    p.aten("mul_.Tensor", x, 2)
    return p.output(p.aten("add.Tensor", x, z))


def by_outputs():
    """The same after decomposition."""
    p = Program()
    x, y, z = p.input("x", [2]), p.input("y", [2, 2]), p.input("z", [2])
    row = p.aten("add.Tensor", p.aten("select.int", y, 0, 1), x)
    new_y = p.aten("select_scatter.default", y, row, 0, 1)
    new_x = p.aten("mul.Tensor", x, 2)
    p.mutate("user_input", "x", new_x)
    p.mutate("user_input", "y", new_y)
    return p.output(p.aten("add.Tensor", new_x, z))


class Arguments(ExportedPrograms):
    def test_both_forms_have_one_interface(self):
        written = B + np.float32([[0, 0], A])
        for program in (in_place(), by_outputs()):
            self.save(program)
            self.expect([A, B, A], [3 * A, 2 * A, written])
            text = dragoman("convert", self.model, "-o", "-", "--to", "text", "--level", "common")
            self.assertEqual(complaint(text), "")
            self.assertRegex(text.stdout, r"-> \(%output: f32\[2\], %x_out: .*, %y_out: ")
            self.assertIn('"dragoman.mutated_inputs" = "x: x_out, y: y_out"', text.stdout)

    def test_a_result_that_is_an_argument(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        p.aten("add_.Tensor", x, 1)
        self.save(p.output(x, p.aten("mul.Tensor", x, 3)))
        self.expect([A], [A + 1, (A + 1) * 3, A + 1])

    def test_results_that_nest(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        zeroed = np.float32([1, 0])
        y = p.aten("neg.default", x)
        p.aten("zero_.default", p.aten("slice.Tensor", x, 0, 1, 2))
        self.save(p.output(y, x, out_tree=tree("dict", LEAF, LEAF, keys=["a", "b"])))
        self.expect([A], [-A, zeroed, zeroed])

    def test_what_is_only_read_is_no_result(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        y = p.aten("clone.default", x)
        p.aten("add_.Tensor", y, 1)
        self.save(p.output(y))
        self.expect([A], [A + 1])


if __name__ == "__main__":
    unittest.main()
