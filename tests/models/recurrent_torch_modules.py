# SPDX-License-Identifier: Apache-2.0
"""Recurrent modules of torch for recurrent_torch_test.py: first those that are traced, then those
that are scripted, whose loops have a run-time length. All take one tensor (steps, batch, INPUTS).

The 4 in scripted loops is HIDDEN: TorchScript sees no names of the module around them.
"""

import torch
from torch import nn

INPUTS, HIDDEN = 3, 4


class CellLoop(nn.Module):
    """Runs `cell` over the steps of its input, one by one."""

    def __init__(self, cell, head=False):
        super().__init__()
        self.cell = cell
        self.head = nn.Linear(HIDDEN, 2) if head else nn.Identity()

    def forward(self, x):
        is_lstm = isinstance(self.cell, nn.LSTMCell)
        state = x.new_zeros(x.shape[1], HIDDEN)
        state = (state, state) if is_lstm else state
        outputs = []
        for step in x.unbind(0):
            state = self.cell(step, state)
            outputs.append(self.head(state[0] if is_lstm else state))
        return torch.stack(outputs)


class Layer(nn.Module):
    """One call of the layer that torch calls `name`."""

    def __init__(self, name, **options):
        super().__init__()
        self.layer = getattr(nn, name)(INPUTS, HIDDEN, **options)

    def forward(self, x):
        return self.layer(x)


class StepwiseLayer(nn.Module):
    """A layer of which each call gets one step and the states that the call before gave."""

    def __init__(self, name, num_layers):
        super().__init__()
        self.num_layers = num_layers
        self.layer = getattr(nn, name)(INPUTS, HIDDEN, num_layers)

    def forward(self, x):
        zeros = x.new_zeros(self.num_layers, x.shape[1], HIDDEN)
        state = (zeros, zeros) if isinstance(self.layer, nn.LSTM) else zeros
        outputs = []
        for t in range(x.shape[0]):
            y, state = self.layer(x[t:t + 1], state)
            outputs.append(y[0])
        return torch.stack(outputs), state


class Feedback(nn.Module):
    """Steps that no sequence operator computes: each reads what the one before gave out, or keeps
    states where a mask says so."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.cell = nn.LSTMCell(INPUTS, HIDDEN)
        self.layer = nn.LSTM(INPUTS, HIDDEN)
        self.head = nn.Linear(HIDDEN, INPUTS)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[1], HIDDEN)
        state = (h[None], c[None])
        mask = x[:, :, :1] > -0.5
        y, outputs = x[0], []
        for t in range(x.shape[0]):
            if self.kind == "cell":
                h, c = self.cell(y, (h, c))
                y = self.head(h)
            elif self.kind == "layer":
                h, state = self.layer(y[None], state)
                y = self.head(h)[0]
            else:
                new_h, new_c = self.cell(x[t], (h, c))
                h, c = torch.where(mask[t], new_h, h), torch.where(mask[t], new_c, c)
                y = h
            outputs.append(y)
        return torch.stack(outputs)


class Transducer(nn.Module):
    """Two layers over frames, one over labels, joined for every pair."""

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


class ScriptedLoop(nn.Module):
    """Loops over a run-time length, in the ways that Python has of writing them."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(INPUTS, HIDDEN)
        self.gru = nn.GRUCell(INPUTS, HIDDEN)
        self.layer = nn.LSTM(INPUTS, HIDDEN)


class Counting(ScriptedLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            outputs.append(h)
        return torch.stack(outputs), h, c


class CountingDown(ScriptedLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0) - 1, -1, -1):
            h = self.gru(x[t], h)
            outputs.insert(0, h)
        return torch.stack(outputs), h


class While(ScriptedLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs = []
        t = 0
        while t < x.size(0):
            h = self.gru(x[t], h)
            outputs.append(h)
            t += 1
        return torch.stack(outputs), h


class LayerCalledStepwise(ScriptedLoop):
    def forward(self, x):
        h = torch.zeros(1, x.size(1), 4)
        c = torch.zeros(1, x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            y, (h, c) = self.layer(x[t:t + 1], (h, c))
            outputs.append(y[0])
        return torch.stack(outputs), h, c


class Lerp(ScriptedLoop):
    """A GRU of its equations, from a first state that is not zero."""

    def forward(self, x):
        h = torch.full((x.size(1), 4), 0.25) - 0.5
        outputs = []
        for t in range(x.size(0)):
            gru = self.gru
            xr, xz, xn = nn.functional.linear(x[t], gru.weight_ih, gru.bias_ih).chunk(3, 1)
            hr, hz, hn = nn.functional.linear(h, gru.weight_hh, gru.bias_hh).chunk(3, 1)
            n = torch.tanh(xn + torch.sigmoid(xr + hr) * hn)
            h = torch.lerp(n, h, torch.sigmoid(xz + hz))
            outputs.append(h)
        return torch.stack(outputs), h


class LayeredLoop(nn.Module):
    """Loops over two layers whose states pass from iteration to iteration in one tensor."""

    def __init__(self):
        super().__init__()
        self.lower, self.upper = nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(HIDDEN, HIDDEN)
        self.gru, self.gru2 = nn.GRUCell(INPUTS, HIDDEN), nn.GRUCell(HIDDEN, HIDDEN)
        self.layers = nn.LSTM(INPUTS, HIDDEN, 2)


class StackedStates(LayeredLoop):
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


class StatesInPlace(LayeredLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 2, 4)
        outputs = torch.zeros(x.size(1), x.size(0), 4)
        for t in range(x.size(0)):
            h[:, 0] = self.gru(x[t], h[:, 0])
            h[:, 1] = self.gru2(h[:, 0], h[:, 1])
            outputs[:, t] = h[:, 1]
        return outputs, h


class StatesSideBySide(LayeredLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 8)
        outputs = []
        for t in range(x.size(0)):
            h0 = self.gru(x[t], h[:, :4])
            h = torch.cat([h0, self.gru2(h0, h[:, 4:])], 1)
            outputs.append(h[:, 4:])
        return torch.stack(outputs), h


class LayersCalledStepwise(LayeredLoop):
    def forward(self, x):
        h = torch.zeros(2, x.size(1), 4)
        c = torch.zeros(2, x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            y, (h, c) = self.layers(x[t:t + 1], (h, c))
            outputs.append(y[0])
        return torch.stack(outputs), h, c


class MaskedLayers(LayeredLoop):
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


class MaskedLoop(nn.Module):
    """Loops that keep the states of sequences that have ended, in the ways one can select."""

    def __init__(self):
        super().__init__()
        self.cell, self.gru = nn.LSTMCell(INPUTS, HIDDEN), nn.GRUCell(INPUTS, HIDDEN)


class MaskAsFactor(MaskedLoop):
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


class MaskOfIntegers(MaskedLoop):
    def forward(self, x):
        lengths = x.size(0) - torch.arange(x.size(1))
        h = torch.zeros(x.size(1), 4)
        for t in range(x.size(0)):
            mask = (t < lengths).int().unsqueeze(-1)
            h = mask * self.gru(x[t], h) + (1 - mask) * h
        return h


class MaskedChange(MaskedLoop):
    def forward(self, x):
        lengths = x.size(0) - torch.arange(x.size(1))
        mask = (torch.arange(x.size(0))[:, None] < lengths).float().unsqueeze(2)
        h = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            h = h + mask[t] * (self.gru(x[t], h) - h)
            outputs.append(h)
        return torch.stack(outputs), h


class MaskedFill(MaskedLoop):
    def forward(self, x):
        lengths = x.size(0) - torch.arange(x.size(1))
        ended = torch.arange(x.size(0))[:, None] >= lengths
        h = torch.zeros(x.size(1), 4)
        for t in range(x.size(0)):
            mask = ended[t].unsqueeze(1)
            h = self.gru(x[t], h).masked_fill(mask, 0.0) + h.masked_fill(~mask, 0.0)
        return h


class PlacedLoop(nn.Module):
    """Loops whose features do not lie along the last of two axes."""

    def __init__(self):
        super().__init__()
        self.pixels = nn.Conv2d(INPUTS + HIDDEN, 4 * HIDDEN, 1)
        self.cell = nn.LSTMCell(INPUTS, HIDDEN)

    def gates(self, sums, c):
        i, f, o, n = sums.chunk(4, sums.dim() - 3 if sums.dim() > 3 else 0)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
        return torch.sigmoid(o) * torch.tanh(c), c


class Pixels(PlacedLoop):
    def forward(self, x):
        images = torch.stack([x, -x], 3).unsqueeze(4)
        h = torch.zeros(x.size(1), 4, 2, 1)
        c = torch.zeros(x.size(1), 4, 2, 1)
        outputs = []
        for t in range(x.size(0)):
            h, c = self.gates(self.pixels(torch.cat([images[t], h], 1)), c)
            outputs.append(h)
        return torch.stack(outputs), h, c


class Columns(PlacedLoop):
    def forward(self, x):
        h = torch.zeros(4, x.size(1))
        c = torch.zeros(4, x.size(1))
        outputs = []
        for t in range(x.size(0)):
            sums = self.cell.weight_ih @ x[t].t() + self.cell.weight_hh @ h
            h, c = self.gates(sums + self.cell.bias_ih.unsqueeze(1), c)
            outputs.append(h)
        return torch.stack(outputs), h, c


class OneSequence(PlacedLoop):
    def forward(self, x):
        h = torch.zeros(4)
        c = torch.zeros(4)
        outputs = []
        for t in range(x.size(0)):
            h, c = self.cell(x[t, 1], (h, c))
            outputs.append(h)
        return torch.stack(outputs), h, c


class CollectingLoop(nn.Module):
    """Loops that put their results together iteration by iteration."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRUCell(INPUTS, HIDDEN)


class Growing(CollectingLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs = torch.zeros(0, x.size(1), 4)
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            outputs = torch.cat([outputs, h.unsqueeze(0)], 0)
        return outputs


class GrowingInFront(CollectingLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs = torch.zeros(x.size(1), 0, 4)
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            outputs = torch.cat([torch.relu(h).unsqueeze(1), outputs], 1)
        return outputs, h


class Backwards(CollectingLoop):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs = torch.zeros(x.size(0), x.size(1), 4)
        for k in range(x.size(0)):
            t = x.size(0) - 1 - k
            h = self.gru(x[t], h)
            outputs[t] = h
        return outputs
