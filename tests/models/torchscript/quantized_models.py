# SPDX-License-Identifier: Apache-2.0
"""Quantised models: part of make_fixtures.py.

Debian's torch has no fbgemm; its engine onednn rounds as fbgemm does.
"""

import typing

from torch.ao.quantization import quantize_dynamic, quantize_fx
from torch.ao.quantization import get_default_qconfig_mapping

torch.backends.quantized.engine = "onednn"


def quantized(model, x):
    """Of static ranges, those that x has."""
    torch.manual_seed(SEED)
    prepared = quantize_fx.prepare_fx(model().eval(), get_default_qconfig_mapping("fbgemm"), (x,))
    prepared(x)
    return torch.jit.script(quantize_fx.convert_fx(prepared))


class Layers(nn.Module):

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.depthwise = nn.Conv2d(8, 8, 3, groups=8, padding=1)
        self.leaky = nn.LeakyReLU(0.2)
        self.up = nn.ConvTranspose2d(8, 4, 2, 2)
        self.linear = nn.Linear(4, 6)
        self.elu = nn.ELU()

    def forward(self, x):
        x = F.relu(self.norm(self.conv(x)))
        y = self.leaky(self.depthwise(x))
        x = F.avg_pool2d(x + y, 2)
        x = torch.cat([x, x * y[:, :, ::2, ::2]], 0)
        x = torch.sigmoid(self.up(F.hardswish(x)))
        x = F.interpolate(x, scale_factor=2.0, mode="nearest")
        return self.elu(self.linear(x.mean([2, 3])))


class Sequences(nn.Module):

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(3, 8, 3)
        self.linear = nn.Linear(8, 6)

    def forward(self, x):
        x = F.hardtanh(F.relu(self.conv(x)), 0.0, 1.0).transpose(1, 2)
        x = torch.tanh(self.linear(x))
        return F.softmax((F.hardsigmoid(x) * x + 0.5) * 2.0, -1)


def register_quantized(name, model, x, freeze=False):

    def make():
        module = quantized(model, x)
        return torch.jit.freeze(module) if freeze else module

    FIXTURES[name] = Fixture(make, {"x": x})


register_quantized("quantized_layers", Layers, rand(2, 3, 8, 8))
register_quantized("quantized_frozen", Sequences, rand(2, 3, 8), freeze=True)


@fixture("quantized_queries", x=rand(2, 4))
class Queries(nn.Module):
    """What a program asks of a quantised tensor, and tensors that share its numbers."""

    def forward(self, x):
        q = torch.quantize_per_tensor(x, 0.05, 10, torch.quint8)
        pooled = F.adaptive_avg_pool1d(q.unsqueeze(0), 2)
        joined = torch.cat([F.relu(q), torch.clamp(q, -0.3, 0.4)])
        return (q.transpose(0, 1).int_repr(), q.q_scale(), q.q_zero_point(), q.is_quantized,
                pooled.dequantize(), joined.dequantize())


class Recurrent(nn.Module):

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, bidirectional=True)
        self.gru = nn.GRU(10, 3, batch_first=True)
        self.lstm_cell = nn.LSTMCell(4, 5)
        self.gru_cell = nn.GRUCell(4, 5)
        self.rnn_cell = nn.RNNCell(4, 5, nonlinearity="relu")

    def forward(self, x, state: typing.Tuple[Tensor, Tensor]):
        y, (h, c) = self.lstm(x, state)
        z, last = self.gru(y)
        cells = self.lstm_cell(x[0]), self.gru_cell(x[0]), self.rnn_cell(x[0])
        return z, h, c, last, cells


def recurrent():
    torch.manual_seed(SEED)
    kinds = {nn.LSTM, nn.GRU, nn.LSTMCell, nn.GRUCell, nn.RNNCell}
    return torch.jit.script(quantize_dynamic(Recurrent().eval(), kinds, dtype=torch.qint8))


FIXTURES["quantized_recurrent"] = Fixture(
    recurrent, {"x": rand(6, 3, 4), "state": (rand(4, 3, 5), rand(4, 5, 3).transpose(1, 2))})
