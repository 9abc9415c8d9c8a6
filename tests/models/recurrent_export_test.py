#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted recurrences of torch, as TorchScript and as torch exports them to ONNX.

Usage: recurrent_export_test.py [NAME...]

Each model must hold one sequence node a layer, whichever file it comes from, and give what torch
gives (recurrent_torch_case.py). Skipped where torch is not installed.
"""

import unittest

from recurrent_torch_case import TorchCase, drawn

try:
    import torch

    import recurrent_export_modules as modules
except ImportError:
    torch = None

OPSETS = (None, 11, 16)  # None: TorchScript


def drawn_with_lengths(steps):
    x, = drawn(steps)
    return x, steps - 2 * torch.arange(x.shape[1])


def drawn_with_context(steps):
    x, = drawn(steps)
    return x, torch.randn(x.shape[1:])


@unittest.skipIf(torch is None, "torch is not installed")
class ExportedLoops(TorchCase):
    def check_all(self, base, nodes, draw=drawn, opsets=OPSETS):
        for kind in base.__subclasses__():
            module = torch.jit.script(kind().eval())
            for opset in opsets:
                with self.subTest(kind.__name__, opset=opset):
                    self.check(lambda: module, nodes, "T", draw, opset)

    def test_masked_loops(self):
        self.check_all(modules.Masked, 1, drawn_with_lengths)

    def test_states_in_lists(self):
        self.check_all(modules.StateLists, 2)

    def test_states_at_the_end_of_a_list(self):
        # torch exports no valid parts of lists.
        self.check_all(modules.GrowingLists, 1, opsets=(None,))

    def test_gates_in_one_tensor(self):
        self.check_all(modules.GatesTogether, 1)

    def test_contexts_that_all_steps_read(self):
        self.check_all(modules.Contexts, 1, drawn_with_context)

    def test_steps_in_other_order(self):
        self.check_all(modules.Strided, 1)


if __name__ == "__main__":
    unittest.main()
