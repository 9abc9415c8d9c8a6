# SPDX-License-Identifier: Apache-2.0
"""Recurrent modules of torch for recurrent_export_test.py: loops over a run-time length that are
scripted, then taken as TorchScript and as torch.onnx.export writes them. They take one tensor
(steps, batch, INPUTS); the masked ones lengths, too.

The 4 in them is HIDDEN: TorchScript sees no names of the module around them.
"""

from typing import List

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from recurrent_torch_modules import HIDDEN, INPUTS


class Exported(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.wide = nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(2 * INPUTS, HIDDEN)
        self.cells = nn.ModuleList([nn.LSTMCell(INPUTS, HIDDEN), nn.LSTMCell(HIDDEN, HIDDEN)])
        self.lstm, self.gru = nn.LSTM(INPUTS, HIDDEN), nn.GRU(INPUTS, HIDDEN)
        self.rnn = nn.RNN(INPUTS, HIDDEN)


class Masked(Exported):
    """Keep the states of sequences that have ended."""


class ChosenStates(Masked):
    def forward(self, x, lengths):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            new_h, new_c = self.cell(x[t], (h, c))
            mask = (t < lengths).unsqueeze(1)
            h, c = torch.where(mask, new_h, h), torch.where(mask, new_c, c)
            outputs.append(h)
        return torch.stack(outputs), h, c


class MaskOfAllSteps(Masked):
    def forward(self, x, lengths):
        masks = (torch.arange(x.size(0)).unsqueeze(1) < lengths.unsqueeze(0)).float()
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            new_h, new_c = self.cell(x[t], (h, c))
            mask = masks[t].unsqueeze(1)
            h, c = new_h * mask + h * (1 - mask), new_c * mask + c * (1 - mask)
            outputs.append(h * mask)
        return torch.stack(outputs), h, c


class MaskedLayer(Masked):
    def forward(self, x, lengths):
        h = torch.zeros(1, x.size(1), 4)
        c = torch.zeros(1, x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            y, (new_h, new_c) = self.lstm(x[t:t + 1], (h, c))
            mask = (t < lengths).view(1, -1, 1)
            h, c = torch.where(mask, new_h, h), torch.where(mask, new_c, c)
            outputs.append(torch.where(mask, y, torch.zeros_like(y))[0])
        return torch.stack(outputs), h, c


class MaskedGru(Masked):
    def forward(self, x, lengths):
        h = torch.zeros(1, x.size(1), 4)
        for t in range(x.size(0)):
            new = self.gru(x[t:t + 1], h)[1]
            mask = (t < lengths).float().view(1, -1, 1)
            h = mask * new + (1 - mask) * h
        return h


class StateLists(Exported):
    """Keep the states of two layers in lists."""


class ReplacedElements(StateLists):
    def forward(self, x):
        hs = [torch.zeros(x.size(1), 4) for _ in range(2)]
        cs = [torch.zeros(x.size(1), 4) for _ in range(2)]
        outputs: List[Tensor] = []
        for t in range(x.size(0)):
            step = x[t]
            for i, cell in enumerate(self.cells):
                hs[i], cs[i] = cell(step, (hs[i], cs[i]))
                step = hs[i]
            outputs.append(step)
        return torch.stack(outputs), torch.stack(hs), torch.stack(cs)


class NewLists(StateLists):
    def forward(self, x):
        hs: List[Tensor] = []
        cs: List[Tensor] = []
        for i in range(2):
            hs.append(torch.zeros(x.size(1), 4))
            cs.append(torch.zeros(x.size(1), 4))
        outputs: List[Tensor] = []
        for t in range(x.size(0)):
            step = x[t]
            new_hs: List[Tensor] = []
            new_cs: List[Tensor] = []
            for i, cell in enumerate(self.cells):
                step, c = cell(step, (hs[i], cs[i]))
                new_hs.append(step)
                new_cs.append(c)
            hs, cs = new_hs, new_cs
            outputs.append(step)
        return torch.stack(outputs), hs[0], cs[1]


class GrowingLists(Exported):
    """Read the old state at the end of the list of all states."""


class LastElements(GrowingLists):
    def forward(self, x):
        hs = [torch.zeros(x.size(1), 4)]
        cs = [torch.zeros(x.size(1), 4)]
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (hs[-1], cs[-1]))
            hs.append(h)
            cs.append(c)
        return torch.stack(hs[1:]), cs[-1]


class NewestElement(GrowingLists):
    def forward(self, x):
        outputs = [torch.zeros(1, x.size(1), 4)]
        for t in range(x.size(0)):
            outputs.append(self.gru(x[t:t + 1], outputs[t])[1])
        return torch.stack(outputs)


class GatesTogether(Exported):
    """Compute the gates as one tensor, and take it apart."""


class Interleaved(GatesTogether):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        for t in range(x.size(0)):
            sums = linear(x[t], self.cell.weight_ih, self.cell.bias_ih)
            gates = (sums + linear(h, self.cell.weight_hh)).view(-1, 4, 4)
            i, f, o = gates[:, :, 0].sigmoid(), gates[:, :, 1].sigmoid(), gates[:, :, 3].sigmoid()
            c = f * c + i * gates[:, :, 2].tanh()
            h = o * c.tanh()
        return h, c


class EveryFourth(GatesTogether):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        hoisted = linear(x, self.cell.weight_ih)
        for t in range(x.size(0)):
            gates = hoisted[t] + linear(h, self.cell.weight_hh, self.cell.bias_hh)
            i, f, o = gates[:, ::4].sigmoid(), gates[:, 1::4].sigmoid(), gates[:, 3::4].sigmoid()
            c = f * c + i * gates[:, 2::4].tanh()
            h = o * c.tanh()
        return h, c


class OneSigmoid(GatesTogether):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            sums = linear(x[t], self.cell.weight_ih, self.cell.bias_ih)
            gates = (sums + linear(h, self.cell.weight_hh)).view(-1, 4, 4)
            chosen = torch.sigmoid(gates[:, 1:])
            c = chosen[:, 1] * c + chosen[:, 0] * torch.tanh(gates[:, 0])
            h = chosen[:, 2] * c.tanh()
            outputs.append(h)
        return torch.stack(outputs)


class Contexts(Exported):
    """Read a value beside each step that is the same for all."""


class JoinedContext(Contexts):
    def forward(self, x, context):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0)):
            h, c = self.wide(torch.cat([x[t], context], 1), (h, c))
            outputs.append(h)
        return torch.stack(outputs), c


class ContextBackwards(Contexts):
    def forward(self, x, context):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        for t in range(x.size(0) - 1, -1, -1):
            h, c = self.wide(torch.cat([context.abs(), x[t]], 1), (h, c))
        return h, c


class Strided(Exported):
    """Read every second step, or the steps in another order."""


class EvenSteps(Strided):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(0, x.size(0), 2):
            h, c = self.cell(x[t], (h, c))
            outputs.append(h - h.mean(1, keepdim=True))
        return torch.stack(outputs), h, c


class OddSteps(Strided):
    def forward(self, x):
        x = x.transpose(0, 1)
        h = torch.zeros(1, x.size(0), 4)
        outputs = []
        for t in range(x.size(1) // 2):
            y, h = self.rnn(x[:, 2 * t + 1].unsqueeze(0), h)
            outputs.append(y[0])
        return torch.stack(outputs, 1), h


class Pairs(Strided):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0) // 2):
            h, c = self.wide(torch.cat([x[2 * t], x[2 * t + 1]], 1), (h, c))
            outputs.append(h)
        return torch.stack(outputs), h, c


class CountingDown(Strided):
    def forward(self, x):
        h = torch.zeros(x.size(1), 4)
        c = torch.zeros(x.size(1), 4)
        outputs = []
        for t in range(x.size(0) - 1, -1, -1):
            h, c = self.cell(x[t], (h, c))
            outputs.insert(0, h)
        return torch.stack(outputs), h, c
