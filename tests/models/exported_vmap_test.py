#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torch.vmap in programs of torch.export that are not decomposed, in archives made by
exported_programs.py, and compared with what NumPy computes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Int, Program

RANDOM = np.random.default_rng(12)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


class VmapProgram(Program):
    """A program with regions of vmap, which nest."""

    level = 0

    def functorch(self, name, /, *arguments, results=1):
        return self.call("torch._functorch.predispatch." + name, *arguments, results=results)

    def enter(self, batch, randomness="error"):
        self.level += 1
        self.functorch("lazy_load_decompositions", results=0)
        self.functorch("_vmap_increment_nesting", batch, randomness, results=0)

    def slice(self, value, axis):
        return self.functorch("_add_batch_dim", value, axis, self.level)

    def stack(self, value, batch, axis):
        return self.functorch("_remove_batch_dim", value, self.level, batch, axis)

    def leave_vmap(self):
        self.level -= 1
        self.functorch("_vmap_decrement_nesting", results=0)


class Vmap(ExportedPrograms):
    def test_rows_and_columns(self):
        p = VmapProgram("TRAINING")
        x, y, w = p.input("x", ["s0", 3]), p.input("y", [3, "s0"]), p.input("w", [3])
        batch = p.aten("sym_size.int", x, 0, kind=Int)
        p.enter(batch)
        row, column = p.slice(x, 0), p.slice(y, 1)
        weighted = p.aten("mul.Tensor", row, p.aten("neg.default", w))
        product = p.aten("mul.Tensor", weighted, column)
        results = [p.stack(product, batch, -1), p.stack(p.aten("sum.default", product), batch, 0)]
        p.leave_vmap()
        self.save(p.output(*results))
        for batch in (1, 4):
            a, b, w = draw(batch, 3), draw(3, batch), draw(3)
            product = a * -w * b.T
            self.expect([a, b, w], [product.T, product.sum(1)])

    def test_a_slice_that_is_the_same_for_all(self):
        p = VmapProgram("TRAINING")
        x, w = p.input("x", [2, 3]), p.input("w", [4])
        p.enter(2)
        row = p.slice(x, 0)
        same = p.aten("exp.default", w)
        results = [p.stack(same, 2, 0), p.stack(row, 2, 1)]
        p.aten("unsqueeze.default", results[0], 0)
        p.leave_vmap()
        self.save(p.output(*results))
        a, w = draw(2, 3), draw(4)
        self.expect([a, w], [np.stack([np.exp(w)] * 2), a.T])

    def test_within_another(self):
        p = VmapProgram("TRAINING")
        x, y = p.input("x", [2, 3, 4]), p.input("y", [4, 2])
        p.enter(2)
        rows, column = p.slice(x, 0), p.slice(y, 1)
        p.enter(3)
        product = p.aten("mul.Tensor", p.slice(rows, 0), column)
        inner = p.stack(p.aten("cumsum.default", product, 0), 3, 1)
        p.leave_vmap()
        outer = p.stack(p.aten("neg.default", inner), 2, 0)
        p.leave_vmap()
        self.save(p.output(outer))
        a, b = draw(2, 3, 4), draw(4, 2)
        self.expect([a, b], [-np.cumsum(a * b.T[:, None], -1).transpose(0, 2, 1)])

    def test_what_no_loop_over_the_batch_is(self):
        def program(randomness="error", leaves=True, escapes=False):
            p = VmapProgram("TRAINING")
            x = p.input("x", [2, 3])
            p.enter(2, randomness)
            y = p.aten("neg.default", p.slice(x, 0))
            z = p.stack(y, 2, 0)
            if leaves:
                p.leave_vmap()
            self.save(p.output(y if escapes else z))

        program(randomness="different")
        self.expect_refused(4, "other random numbers for each slice", [draw(2, 3)])
        program(leaves=False)
        self.expect_refused(2, "a region of vmap has no end", [draw(2, 3)])
        program(escapes=True)
        self.expect_refused(4, "a slice is read after it", [draw(2, 3)])


if __name__ == "__main__":
    unittest.main()
