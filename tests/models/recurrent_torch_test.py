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
except ImportError:
    torch = None

BATCH, INPUTS, HIDDEN = 2, 3, 4


def cell_loop(cell, is_lstm, head=False):
    """A module that runs `cell` over the steps of its input, one by one."""
    class Loop(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = cell
            self.head = nn.Linear(HIDDEN, 2) if head else nn.Identity()

        def forward(self, x):
            state = x.new_zeros(x.shape[1], HIDDEN)
            state = (state, state) if is_lstm else state
            outputs = []
            for step in x.unbind(0):
                state = self.cell(step, state)
                outputs.append(self.head(state[0] if is_lstm else state))
            return torch.stack(outputs)

    return Loop().eval()


def layer(name, **options):
    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = getattr(nn, name)(INPUTS, HIDDEN, **options)

        def forward(self, x):
            return self.layer(x)

    return Wrapped().eval()


def stepwise(name, num_layers=1):
    """A layer of which each call gets one step and the states that the call before gave."""
    class Stepwise(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = getattr(nn, name)(INPUTS, HIDDEN, num_layers)

        def forward(self, x):
            zeros = x.new_zeros(num_layers, x.shape[1], HIDDEN)
            state = (zeros, zeros) if name == "LSTM" else zeros
            outputs = []
            for t in range(x.shape[0]):
                y, state = self.layer(x[t:t + 1], state)
                outputs.append(y[0])
            return torch.stack(outputs), state

    return Stepwise().eval()


def feedback(kind):
    """Steps that no sequence operator computes: each reads what the one before gave out, or keeps
    states where a mask says so."""
    class Feedback(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(INPUTS, HIDDEN)
            self.layer = nn.LSTM(INPUTS, HIDDEN)
            self.head = nn.Linear(HIDDEN, INPUTS)

        def forward(self, x):
            h = c = x.new_zeros(x.shape[1], HIDDEN)
            state = (h[None], c[None])
            mask = x[:, :, :1] > -0.5
            y, outputs = x[0], []
            for t in range(x.shape[0]):
                if kind == "cell":
                    h, c = self.cell(y, (h, c))
                    y = self.head(h)
                elif kind == "layer":
                    h, state = self.layer(y[None], state)
                    y = self.head(h)[0]
                else:
                    new_h, new_c = self.cell(x[t], (h, c))
                    h, c = torch.where(mask[t], new_h, h), torch.where(mask[t], new_c, c)
                    y = h
                outputs.append(y)
            return torch.stack(outputs)

    return Feedback().eval()


def transducer():
    """Two layers over frames, one over labels, joined for every pair."""
    class Transducer(nn.Module):
        def __init__(self):
            super().__init__()
            self.cells = nn.ModuleList([nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(HIDDEN, HIDDEN),
                                        nn.LSTMCell(INPUTS, HIDDEN)])
            self.join = nn.Linear(HIDDEN, 3)

        def run(self, cell, steps):
            h = c = steps[0].new_zeros(steps[0].shape[0], HIDDEN)
            outputs = []
            for step in steps:
                h, c = cell(step, (h, c))
                outputs.append(h)
            return outputs

        def forward(self, x):
            frames = self.run(self.cells[1], self.run(self.cells[0], x.unbind(0)))
            labels = self.run(self.cells[2], x[::3].unbind(0))
            pairs = torch.stack(frames)[:, None] + torch.stack(labels)[None]
            return self.join(torch.relu(pairs))

    return Transducer().eval()


def scripted_loops():
    """Loops over a run-time length, in the ways that Python has of writing them."""
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(INPUTS, HIDDEN)
            self.gru = nn.GRUCell(INPUTS, HIDDEN)
            self.layer = nn.LSTM(INPUTS, HIDDEN)

    class Counting(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            c = torch.zeros(x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                h, c = self.cell(x[t], (h, c))
                outputs.append(h)
            return torch.stack(outputs), h, c

    class CountingDown(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            outputs = []
            for t in range(x.size(0) - 1, -1, -1):
                h = self.gru(x[t], h)
                outputs.insert(0, h)
            return torch.stack(outputs), h

    class While(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            outputs = []
            t = 0
            while t < x.size(0):
                h = self.gru(x[t], h)
                outputs.append(h)
                t += 1
            return torch.stack(outputs), h

    class Stepwise(Base):
        def forward(self, x):
            h = torch.zeros(1, x.size(1), 4)
            c = torch.zeros(1, x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                y, (h, c) = self.layer(x[t:t + 1], (h, c))
                outputs.append(y[0])
            return torch.stack(outputs), h, c

    return [torch.jit.script(kind().eval()) for kind in (Counting, CountingDown, While, Stepwise)]


def layered_loops():
    """Loops over two layers whose states pass from turn to turn in one tensor."""
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.lower, self.upper = nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(HIDDEN, HIDDEN)
            self.gru, self.gru2 = nn.GRUCell(INPUTS, HIDDEN), nn.GRUCell(HIDDEN, HIDDEN)
            self.layers = nn.LSTM(INPUTS, HIDDEN, 2)

    class Stacked(Base):
        def forward(self, x):
            h = torch.zeros(2, x.size(1), 4)
            c = torch.zeros(2, x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                h0, c0 = self.lower(x[t], (h[0], c[0]))
                h1, c1 = self.upper(h0, (h[1], c[1]))
                h, c = torch.stack([h0, h1]), torch.stack([c0, c1])
                outputs.append(h1)
            return torch.stack(outputs), h, c

    class InPlace(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 2, 4)
            outputs = torch.zeros(x.size(1), x.size(0), 4)
            for t in range(x.size(0)):
                h[:, 0] = self.gru(x[t], h[:, 0])
                h[:, 1] = self.gru2(h[:, 0], h[:, 1])
                outputs[:, t] = h[:, 1]
            return outputs, h

    class SideBySide(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 8)
            outputs = []
            for t in range(x.size(0)):
                h0 = self.gru(x[t], h[:, :4])
                h = torch.cat([h0, self.gru2(h0, h[:, 4:])], 1)
                outputs.append(h[:, 4:])
            return torch.stack(outputs), h

    class Stepwise(Base):
        def forward(self, x):
            h = torch.zeros(2, x.size(1), 4)
            c = torch.zeros(2, x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                y, (h, c) = self.layers(x[t:t + 1], (h, c))
                outputs.append(y[0])
            return torch.stack(outputs), h, c

    class Masked(Base):
        def forward(self, x):
            lengths = x.size(0) - torch.arange(x.size(1))
            h = torch.zeros(2, x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                h0 = self.gru(x[t], h[0])
                mask = (t < lengths).float().unsqueeze(1)
                h = mask * torch.stack([h0, self.gru2(h0, h[1])]) + (1 - mask) * h
                outputs.append(h[1])
            return torch.stack(outputs), h

    kinds = Stacked, InPlace, SideBySide, Stepwise, Masked
    return [torch.jit.script(kind().eval()) for kind in kinds]


def masked_loops():
    """Loops that keep the states of sequences that have ended, in the ways one can select."""
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.gru = nn.LSTMCell(INPUTS, HIDDEN), nn.GRUCell(INPUTS, HIDDEN)

    class Factors(Base):
        def forward(self, x):
            lengths = x.size(0) - torch.arange(x.size(1))
            h = torch.zeros(x.size(1), 4)
            c = torch.zeros(x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                new_h, new_c = self.cell(x[t], (h, c))
                mask = (lengths > t).to(x.dtype)[:, None]
                h, c = new_h * mask + h * (1 - mask), mask * new_c + (1 - mask) * c
                outputs.append(h * mask)
            return torch.stack(outputs), h, c

    class Integers(Base):
        def forward(self, x):
            lengths = x.size(0) - torch.arange(x.size(1))
            h = torch.zeros(x.size(1), 4)
            for t in range(x.size(0)):
                mask = (t < lengths).int().unsqueeze(-1)
                h = mask * self.gru(x[t], h) + (1 - mask) * h
            return h

    class Changes(Base):
        def forward(self, x):
            lengths = x.size(0) - torch.arange(x.size(1))
            mask = (torch.arange(x.size(0))[:, None] < lengths).float().unsqueeze(2)
            h = torch.zeros(x.size(1), 4)
            outputs = []
            for t in range(x.size(0)):
                h = h + mask[t] * (self.gru(x[t], h) - h)
                outputs.append(h)
            return torch.stack(outputs), h

    class Filled(Base):
        def forward(self, x):
            lengths = x.size(0) - torch.arange(x.size(1))
            ended = torch.arange(x.size(0))[:, None] >= lengths
            h = torch.zeros(x.size(1), 4)
            for t in range(x.size(0)):
                mask = ended[t].unsqueeze(1)
                h = self.gru(x[t], h).masked_fill(mask, 0.0) + h.masked_fill(~mask, 0.0)
            return h

    return [torch.jit.script(kind().eval()) for kind in (Factors, Integers, Changes, Filled)]


def placed_features():
    """Loops whose features do not lie along the last of two axes."""
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.pixels = nn.Conv2d(INPUTS + HIDDEN, 4 * HIDDEN, 1)
            self.cell = nn.LSTMCell(INPUTS, HIDDEN)

        def gates(self, sums, c):
            i, f, o, n = sums.chunk(4, sums.dim() - 3 if sums.dim() > 3 else 0)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
            return torch.sigmoid(o) * torch.tanh(c), c

    class Pixels(Base):
        def forward(self, x):
            images = torch.stack([x, -x], 3).unsqueeze(4)
            h = torch.zeros(x.size(1), 4, 2, 1)
            c = torch.zeros(x.size(1), 4, 2, 1)
            outputs = []
            for t in range(x.size(0)):
                h, c = self.gates(self.pixels(torch.cat([images[t], h], 1)), c)
                outputs.append(h)
            return torch.stack(outputs), h, c

    class Columns(Base):
        def forward(self, x):
            h = torch.zeros(4, x.size(1))
            c = torch.zeros(4, x.size(1))
            outputs = []
            for t in range(x.size(0)):
                sums = self.cell.weight_ih @ x[t].t() + self.cell.weight_hh @ h
                h, c = self.gates(sums + self.cell.bias_ih.unsqueeze(1), c)
                outputs.append(h)
            return torch.stack(outputs), h, c

    class Vector(Base):
        def forward(self, x):
            h = torch.zeros(4)
            c = torch.zeros(4)
            outputs = []
            for t in range(x.size(0)):
                h, c = self.cell(x[t, 1], (h, c))
                outputs.append(h)
            return torch.stack(outputs), h, c

    return [torch.jit.script(kind().eval()) for kind in (Pixels, Columns, Vector)]


def collecting_loops():
    """Loops that put their results together turn by turn."""
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRUCell(INPUTS, HIDDEN)

    class Growing(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            outputs = torch.zeros(0, x.size(1), 4)
            for t in range(x.size(0)):
                h = self.gru(x[t], h)
                outputs = torch.cat([outputs, h.unsqueeze(0)], 0)
            return outputs

    class GrowingInFront(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            outputs = torch.zeros(x.size(1), 0, 4)
            for t in range(x.size(0)):
                h = self.gru(x[t], h)
                outputs = torch.cat([torch.relu(h).unsqueeze(1), outputs], 1)
            return outputs, h

    class Backwards(Base):
        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            outputs = torch.zeros(x.size(0), x.size(1), 4)
            for k in range(x.size(0)):
                t = x.size(0) - 1 - k
                h = self.gru(x[t], h)
                outputs[t] = h
            return outputs

    kinds = Growing, GrowingInFront, Backwards
    return [torch.jit.script(kind().eval()) for kind in kinds]


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
            module = torch.jit.trace(module, (x,))
        source, target = self.out / "model.pt", self.out / "model.onnx"
        module.save(str(source))
        shape = ["--shape", f"x={size or steps},{BATCH},{INPUTS}"]
        self.assertEqual(convert(source, target, *shape), "")
        model = onnx.load(target)
        with torch.no_grad():
            wanted = module(x)
        wanted = [value for value in torch_leaves(wanted)]
        found = onnx_eval.evaluate(model, {model.graph.input[0].name: x.numpy()})
        for info, value in zip(model.graph.output, wanted):
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
                is_lstm = cell is nn.LSTMCell
                self.check(lambda: cell_loop(cell(INPUTS, HIDDEN), is_lstm), 1)

    def test_traced_cell_with_a_head_in_each_step(self):
        self.check(lambda: cell_loop(nn.GRUCell(INPUTS, HIDDEN), False, head=True), 1)

    def test_layers_called_step_by_step(self):
        for name, num_layers in (("LSTM", 1), ("GRU", 1), ("RNN", 1), ("LSTM", 2), ("GRU", 3)):
            with self.subTest(name, num_layers=num_layers):
                self.check(lambda: stepwise(name, num_layers), num_layers)

    def test_other_recurrences_become_one_scan(self):
        for kind in ("cell", "layer", "mask"):
            with self.subTest(kind):
                counts = [self.count(feedback(kind), steps) for steps in (8, 20)]
                self.assertEqual(counts[0]["Scan"], 1)
                self.assertEqual(counts[0], counts[1])

    def test_rnn_transducer(self):
        self.check(transducer, 3)

    def test_scripted_loops(self):
        for module in scripted_loops():
            for size in (None, "T"):
                with self.subTest(module.original_name, size=size):
                    self.check(lambda: module, 1, size)

    def test_loops_over_layers(self):
        for module in layered_loops():
            with self.subTest(module.original_name):
                self.check(lambda: module, 2, "T")

    def test_features_along_other_axes(self):
        for module in placed_features():
            for size in (None, "T"):
                with self.subTest(module.original_name, size=size):
                    self.check(lambda: module, 1, size)

    def test_loops_that_collect_results(self):
        for module in collecting_loops():
            for size in (None, "T"):
                with self.subTest(module.original_name, size=size):
                    self.check(lambda: module, 1, size)

    def test_masked_loops(self):
        for module in masked_loops():
            with self.subTest(module.original_name):
                self.check(lambda: module, 1, "T")

    def test_layers(self):
        for name, options, nodes in (
                ("LSTM", {}, 1), ("LSTM", {"num_layers": 2, "bidirectional": True}, 2),
                ("LSTM", {"proj_size": 2}, 1), ("GRU", {"bias": False}, 1),
                ("GRU", {"num_layers": 2}, 2), ("RNN", {"nonlinearity": "relu"}, 1)):
            with self.subTest(name, **options):
                self.check(lambda: layer(name, **options), nodes)


def torch_leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
        return
    for part in value:
        yield from torch_leaves(part)


if __name__ == "__main__":
    unittest.main()
