# SPDX-License-Identifier: Apache-2.0
"""Modules of torch for recurrent_results_test.py, loops around a cell with more than the cell's
states, most of them scripted. They take one tensor (steps, batch, INPUTS).

The 4 in them is HIDDEN: TorchScript sees no names of the module around them.
"""

from typing import List

import torch
from torch import Tensor, nn

from recurrent_torch_modules import HIDDEN, INPUTS


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.back = nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(INPUTS, HIDDEN)
        self.gru, self.score = nn.GRUCell(INPUTS, HIDDEN), nn.Linear(HIDDEN, 1)


class Stacked(nn.Module):
    """Traced: gives what `join` makes of the states of all steps."""

    def __init__(self, join):
        super().__init__()
        self.cell, self.join = nn.GRUCell(INPUTS, HIDDEN), join

    def forward(self, x):
        h, hs = x.new_zeros(x.shape[1], HIDDEN), []
        for step in x.unbind(0):
            h = self.cell(step, h)
            hs.append(h)
        return self.join(hs)


class MaskedLayers(nn.Module):
    """Traced: layers of which one mask keeps all states at the end of each step. `apart`: what the
    upper layer gives is read without the mask, too. Takes lengths (batch) as well."""

    def __init__(self, apart=False):
        super().__init__()
        self.lower, self.upper = nn.GRUCell(INPUTS, HIDDEN), nn.LSTMCell(HIDDEN, HIDDEN)
        self.apart = apart

    def forward(self, x, lengths):
        h = k = c = x.new_zeros(x.shape[1], HIDDEN)
        outputs = []
        for t in range(x.shape[0]):
            mask = (t < lengths).unsqueeze(1)
            new_h = self.lower(x[t], h)
            new_k, new_c = self.upper(new_h, (k, c))
            h, k = torch.where(mask, new_h, h), torch.where(mask, new_k, k)
            c = torch.where(mask, new_c, c)
            outputs.append(new_k if self.apart else k * mask)
        return torch.stack(outputs), h, k, c


class Weighed(nn.Module):
    """Traced or scripted: new and old states mixed by numbers that come with the sequence."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(INPUTS, HIDDEN)

    def forward(self, x, weights):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        for t in range(x.size(0)):
            new_h, new_c = self.cell(x[t], (h, c))
            weight = weights[t].unsqueeze(1)
            h, c = weight * new_h + (1 - weight) * h, weight * new_c + (1 - weight) * c
        return h, c


class OneUnit(nn.Module):
    """A state of one number, which looks like what is the same for all units."""

    def __init__(self):
        super().__init__()
        self.gru = nn.GRUCell(INPUTS, 1)

    def forward(self, x):
        h = torch.zeros(x.size(1), 1)
        outputs: List[Tensor] = []
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            outputs.append(h)
        return torch.stack(outputs, 1)


class Sum(Cells):
    """Adds up the states."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        total = torch.zeros(x.size(1), 4)
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            total = total + h
        return total, h


class Mean(Cells):
    """In place, from a start that is not zero."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        total = torch.ones(x.size(1), 4)
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            total += h
        return total / x.size(0)


class Largest(Cells):
    """Takes the largest of each unit, and lists the states too."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        most = torch.full((x.size(1), 4), -1.0)
        outputs = []
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            most = torch.max(most, h)
            outputs.append(h)
        return most, torch.cat(outputs, 1), torch.stack(outputs, 2)


class Pooled(Cells):
    """Weighs the states by what is computed from them."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        total = torch.zeros(x.size(1), 4)
        weights = torch.zeros(x.size(1), 1)
        for t in range(x.size(0)):
            h = self.gru(x[t], h)
            weight = torch.exp(self.score(h))
            total, weights = total + weight * h, weights + weight
        return total / weights


class Unbound(Cells):
    """Loops over a list of run-time length, as torch's benchmarks do."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs: List[Tensor] = []
        steps = x.unbind(0)
        for i in range(len(steps)):
            h, c = self.cell(steps[i], (h, c))
            outputs += [h]
        return torch.stack(outputs), h, c


class Reversed(Cells):
    """Puts a list together before, and its results in front of each other."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        steps: List[Tensor] = []
        for i in range(x.size(0)):
            steps.append(x[x.size(0) - 1 - i])
        outputs: List[Tensor] = []
        for step in steps:
            h, c = self.cell(step, (h, c))
            outputs = [h] + outputs
        return torch.stack(outputs), h, c


class BothWays(Cells):
    """Two loops, and one that reads what both gave."""

    def forward(self, x):
        zeros = torch.zeros(x.size(1), 4)
        h, c, k, d = zeros, zeros, zeros, zeros
        there: List[Tensor] = []
        back: List[Tensor] = []
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            there.append(h)
        for t in range(x.size(0)):
            k, d = self.back(x[x.size(0) - 1 - t], (k, d))
            back.append(k)
        outputs: List[Tensor] = []
        for t in range(x.size(0)):
            outputs.append(torch.cat([there[t], back[x.size(0) - 1 - t]], 1))
        return torch.stack(outputs)


class TurnedList(Cells):
    """Turns the list of what a loop from the end gave."""

    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        outputs: List[Tensor] = []
        for t in range(x.size(0)):
            h = self.gru(x[x.size(0) - 1 - t], h)
            outputs.append(h)
        outputs = outputs[::-1]
        return torch.stack(outputs)


class Indexed(Cells):
    """Turns the sequence by index_select."""

    def forward(self, x):
        zeros = torch.zeros(x.size(1), 4)
        h, c, k, d = zeros, zeros, zeros, zeros
        there: List[Tensor] = []
        back: List[Tensor] = []
        backwards = torch.arange(x.size(0) - 1, -1, -1)
        turned = x.index_select(0, backwards)
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            k, d = self.back(turned[t], (k, d))
            there.append(h)
            back.append(k)
        return torch.cat([torch.stack(there), torch.stack(back).index_select(0, backwards)], 2)
