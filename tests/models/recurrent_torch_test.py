#!/usr/bin/env python3
"""Recurrences of torch as TorchScript: cells traced and scripted, layers with all options.

Usage: recurrent_torch_test.py [NAME...]

Each model is converted to ONNX with `dragoman` ($DRAGOMAN_BINARY) for two lengths; it must hold one
sequence node a layer, equally many nodes for both lengths, and give what torch gives, evaluated by
onnx_eval.py. Skipped where torch is not installed.
"""

import unittest
import warnings

import onnx

import onnx_eval
from command_case import CommandCase
from recurrent_spellings_test import SEQUENCE, census, convert, differs

try:
    import torch
    from torch import nn

    import recurrent_torch_modules as modules
    from recurrent_torch_modules import HIDDEN, INPUTS
except ImportError:
    torch = None

BATCH = 2


@unittest.skipIf(torch is None, "torch is not installed")
class TorchRecurrences(CommandCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(7)
        warnings.simplefilter("ignore")  # of tracing, about checks of sizes

    def count(self, module, steps, size=None):
        """Operators of the module converted for `size` steps, which must agree with torch."""
        x = torch.randn(steps, BATCH, INPUTS)
        if not isinstance(module, torch.jit.ScriptModule):
            module = torch.jit.trace(module.eval(), (x,))
        source, target = self.out / "model.pt", self.out / "model.onnx"
        module.save(str(source))
        shape = ["--shape", f"x={size or steps},{BATCH},{INPUTS}"]
        self.assertEqual(convert(source, target, *shape), "")
        model = onnx.load(target)
        with torch.no_grad():
            wanted = module(x)
        found = onnx_eval.evaluate(model, {model.graph.input[0].name: x.numpy()})
        for info, value in zip(model.graph.output, torch_leaves(wanted)):
            self.assertFalse(differs(found[info.name], value.numpy()), info.name)
        return census(model)

    def check(self, make, nodes, size=None):
        counts = [self.count(make(), steps, size) for steps in (6, 15)]
        self.assertEqual(sum(counts[0][name] for name in SEQUENCE), nodes, counts[0])
        for left in ("Loop", "Scan", "Sigmoid", "Tanh"):
            self.assertEqual(counts[0][left], 0, left)
        self.assertEqual(counts[0], counts[1])

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
        for kind in ("cell", "layer", "mask"):
            with self.subTest(kind):
                counts = [self.count(modules.Feedback(kind), steps) for steps in (8, 20)]
                self.assertEqual(counts[0]["Scan"], 1)
                self.assertEqual(counts[0], counts[1])

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


def torch_leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
        return
    for part in value:
        yield from torch_leaves(part)


if __name__ == "__main__":
    unittest.main()
