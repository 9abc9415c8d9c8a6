#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What loops of torch around a cell do with its states beside passing them on.

Usage: recurrent_results_test.py [NAME...]

Skipped where torch is not installed.
"""

import unittest

from recurrent_spellings_test import dragoman_convert
from recurrent_torch_case import BATCH, TorchCase, drawn

try:
    import torch

    import recurrent_result_modules as modules
except ImportError:
    torch = None


def ways_to_stack():
    """Every way to put the states of all steps together, by name: from (batch, hidden) each."""
    return {
        "stacked": lambda hs: tuple(torch.stack(hs, axis) for axis in range(3)),
        "joined": lambda hs: (torch.cat(hs, 0), torch.cat(hs, 1)),
        "transposed": lambda hs: tuple(torch.stack([h.t() for h in hs], axis)
                                       for axis in range(3)),
        "transposed and joined": lambda hs: (torch.cat([h.t() for h in hs], 0),
                                             torch.cat([h.t() for h in hs], 1)),
        "backwards": lambda hs: (torch.stack(hs[::-1], 2), torch.cat(hs[::-1], 1)),
        "in part": lambda hs: (torch.stack([h[:, 1:3] for h in hs], 2),),
    }


@unittest.skipIf(torch is None, "torch is not installed")
class Results(TorchCase):
    def test_states_put_together(self):
        for name, join in ways_to_stack().items():
            with self.subTest(name):
                self.check(lambda: modules.Stacked(join), 1)

    def test_layers_under_one_mask(self):
        def draw(steps):
            return *drawn(steps), steps - 2 * torch.arange(BATCH)

        self.check(modules.MaskedLayers, 2, draw=draw)
        self.count(modules.MaskedLayers(apart=True), 6, draw=draw)

    def test_weighed_states_stay_a_loop_that_is_explained(self):
        def draw(steps):
            return *drawn(steps), torch.rand(steps, BATCH)

        for module, size, loop in ((modules.Weighed(), None, "Scan"),
                                   (torch.jit.script(modules.Weighed().eval()), "T", "Loop")):
            counts = [self.count(module, steps, size, draw) for steps in (6, 15)]
            self.assertEqual(counts[0][loop], 1)
            self.assertTrue(any(name.startswith("Fused") for name in counts[0]))
            self.assertEqual(counts[0], counts[1])
            done = dragoman_convert(self.out / "model", self.out / "explained.onnx", "--shape",
                                    f"x={size or 15},{BATCH},3", "--shape",
                                    f"weights={size or 15},{BATCH}", "--explain")
            self.assertIn("%weights, which is not known to be 0 or 1, mixes new and old states",
                          done.stderr)

    def check_scripted(self, *kinds):
        for kind in kinds:
            module = torch.jit.script(kind().eval())
            for size in (None, "T"):
                with self.subTest(kind.__name__, size=size):
                    self.check(lambda: module, 1, size)

    def test_sums_beside_the_states(self):
        self.check_scripted(modules.Sum, modules.Mean, modules.Largest, modules.Pooled)

    def test_one_unit(self):
        self.check_scripted(modules.OneUnit)

    def test_lists(self):
        self.check_scripted(modules.Unbound, modules.Reversed, modules.BothWays, modules.TurnedList,
                            modules.Indexed)


if __name__ == "__main__":
    unittest.main()
