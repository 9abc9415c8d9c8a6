#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recurrences of torch as TorchScript: cells traced and scripted, layers with all options.

Usage: recurrent_torch_test.py [NAME...]

Each model is converted to ONNX with `dragoman` ($DRAGOMAN_BINARY) for two lengths; it must hold one
sequence node a layer, equally many nodes for both lengths, and give what torch gives, evaluated by
onnx_eval.py. Skipped where torch is not installed.
"""

import unittest

from recurrent_torch_case import TorchCase

try:
    import torch
    from torch import nn

    import recurrent_torch_modules as modules
    from recurrent_torch_modules import HIDDEN, INPUTS
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch is not installed")
class TorchRecurrences(TorchCase):
    def test_traced_cells(self):
        for cell in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
            with self.subTest(cell.__name__):
                self.check(lambda: modules.CellLoop(cell(INPUTS, HIDDEN)), 1)

    def test_traced_cell_with_a_head_in_each_step(self):
        self.check(lambda: modules.CellLoop(nn.GRUCell(INPUTS, HIDDEN), head=True), 1)

    def test_layers_called_step_by_step(self):
        for name, num_layers in (("LSTM", 1), ("GRU", 1), ("RNN", 1), ("LSTM", 2), ("GRU", 3)):
            with self.subTest(name, num_layers=num_layers):
                self.check(lambda: modules.StepwiseLayer(name, num_layers), num_layers)

    def test_other_recurrences_become_one_scan(self):
        for kind in ("cell", "layer"):
            with self.subTest(kind):
                counts = [self.count(modules.Feedback(kind), steps) for steps in (8, 20)]
                self.assertEqual(counts[0]["Scan"], 1)
                self.assertEqual(counts[0], counts[1])

    def test_steps_with_any_mask(self):
        self.check(lambda: modules.Feedback("mask"), 1)

    def test_rnn_transducer(self):
        self.check(modules.Transducer, 3)

    def check_scripted(self, base, nodes, sizes):
        """Each of the modules that derive from `base`, for each of `sizes`."""
        for kind in base.__subclasses__():
            module = torch.jit.script(kind().eval())
            for size in sizes:
                with self.subTest(kind.__name__, size=size):
                    self.check(lambda: module, nodes, size)

    def test_scripted_loops(self):
        self.check_scripted(modules.ScriptedLoop, 1, (None, "T"))

    def test_loops_over_layers(self):
        self.check_scripted(modules.LayeredLoop, 2, ("T",))

    def test_features_along_other_axes(self):
        self.check_scripted(modules.PlacedLoop, 1, (None, "T"))

    def test_loops_that_collect_results(self):
        self.check_scripted(modules.CollectingLoop, 1, (None, "T"))

    def test_masked_loops(self):
        self.check_scripted(modules.MaskedLoop, 1, ("T",))

    def test_layers(self):
        for name, options, nodes in (
                ("LSTM", {}, 1), ("LSTM", {"num_layers": 2, "bidirectional": True}, 2),
                ("LSTM", {"proj_size": 2}, 1), ("GRU", {"bias": False}, 1),
                ("GRU", {"num_layers": 2}, 2), ("RNN", {"nonlinearity": "relu"}, 1)):
            with self.subTest(name, **options):
                self.check(lambda: modules.Layer(name, **options), nodes)


if __name__ == "__main__":
    unittest.main()
