#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted programs that hold what cannot be translated, or is decided by what the program reaches:
operators without a schema, a tuple that a loop's variable indexes, a step that run time knows."""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs
from script_archive import write_script

# An operator of a library that is not known, by its arguments reached or not.
UNKNOWN = """  def forward(self: __torch__.M,
    x: Tensor,
    mode: str="plain") -> Tensor:
    if torch.eq(mode, "plain"):
      y = torch.relu(x)
    else:
      z = ops.mine.rotated(x, 2, threshold=0.5)
      y = torch.neg(z)
    return y
"""
REACHED = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    return torch.neg(ops.mine.rotated(x, 2))
"""
# It is taken for a tensor, which a pair is not.
PAIR = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    y, z, = ops.mine.halves(x)
    return torch.add(y, z)
"""
TUPLE = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    sizes = (2, 3, 5)
    y = x
    for i in range(3):
      y = torch.add(torch.mul(y, 10), {})
    return y
"""
MIXED = """  def forward(self: __torch__.M,
    x: Tensor,
    i: int) -> Tensor:
    pair = (1, x)
    return torch.add(x, pair[i])
"""
STEP = """  def forward(self: __torch__.M,
    x: Tensor,
    n: int) -> Tensor:
    return torch.slice(x, 0, 1, None, torch.floordiv(n, 2))
"""


class Reached(CommandCase):
    def write(self, methods):
        write_script(self.out / "m.pt", methods)

    def arguments(self, *values):
        given = []
        for i, value in enumerate(values):
            np.save(self.out / f"{i}.npy", value)
            given += ["--input", f"{i}={self.out}/{i}.npy"]
        return given

    def run_on(self, *values):
        self.done("run", self.out / "m.pt", *self.arguments(*values), "--output-dir",
                  self.out / "results")
        return [array for array, _ in read_outputs(self.out / "results")]

    def refused(self, code, *values):
        """What a run on them, which must end with `code`, says of it."""
        return self.fails(code, "run", self.out / "m.pt", *self.arguments(*values), "--output-dir",
                          self.out / "results")

    def test_an_operator_that_is_not_reached(self):
        self.write(UNKNOWN)
        x = np.array([1, -2], np.float32)
        np.testing.assert_array_equal(self.run_on(x), [np.maximum(x, 0)])

    def test_an_operator_that_is_reached(self):
        x = np.array([1, -2], np.float32)
        self.write(REACHED)
        self.assertIn("mine.rotated is not supported", self.refused(4, x))
        self.write(PAIR)
        self.assertIn("operator mine::halves is not known", self.refused(4, x))

    def test_a_tuple_that_a_loop_indexes(self):
        x = np.array([0, 1], np.int64)
        for index, expected in (("sizes[i]", 235), ("sizes[torch.sub(i, 3)]", 235)):
            self.write(TUPLE.format(index))
            np.testing.assert_array_equal(self.run_on(x), [x * 1000 + expected])
        self.write(TUPLE.format("sizes[torch.add(i, 1)]"))
        self.assertIn("index beyond the tuple", self.refused(2, x))
        self.write(MIXED)
        self.assertIn("into a tuple of several types",
                      self.refused(2, x, np.int64(1)))

    def test_a_step_that_run_time_knows(self):
        self.write(STEP)
        x = np.arange(7, dtype=np.float32)
        for n in (2, 4, 7, 30):
            np.testing.assert_array_equal(self.run_on(x, np.int64(n)), [x[1::n // 2]])
        self.assertIn("the step of a slice must be positive",
                      self.refused(2, x, np.int64(1)))


if __name__ == "__main__":
    unittest.main()
