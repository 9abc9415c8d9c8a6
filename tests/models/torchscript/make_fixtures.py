#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the TorchScript models of this folder, with recorded inputs and outputs.

Usage: make_fixtures.py [NAME…]     into this folder; default: all

Needs Debian's python3-torch (1.13) and python3-torchaudio. Each fixture is a folder with model.pt, inputs.npz (by
argument; structured ones x.0, x.key) and outputs.npz (flat, in order); both are what the *saved*
file takes and gives when torch loads it again. A file `steps` says how often which method is
called, in the form of `dragoman run --steps`; arrays then have one more leading axis. A file
`shapes` holds facts for a conversion without data, and the folders other_sizes_0, … further inputs
and outputs. Seeds are fixed.
"""

import argparse
import dataclasses
import os
import pathlib
import sys
import types
from typing import Callable, Dict, List, Optional, Tuple
import warnings

import torch
import torchaudio
from torch import Tensor, nn
from torch.nn import functional as F

from fixture_files import write

# Archives say which file their source is from: run again under a name without a folder, so that
# none gets into the repository.
NAME = "make_fixtures.py"
if sys._getframe().f_code.co_filename != NAME:
    os.chdir(pathlib.Path(__file__).parent)
    __file__ = NAME
    exec(compile(pathlib.Path(NAME).read_text(), NAME, "exec"), globals())
    sys.exit()

SEED = 20240131


@dataclasses.dataclass
class Fixture:
    make: Callable[[], torch.jit.ScriptModule]
    inputs: Dict[str, object] = dataclasses.field(default_factory=dict)  # argument -> value
    steps: str = ""  # "forward*3,reset*1": see `dragoman run --steps`
    shapes: str = ""  # "x=n,3 y=n": see `dragoman convert --shape`
    others: List[Dict[str, object]] = dataclasses.field(default_factory=list)  # further inputs


FIXTURES = {}


def fixture(name, steps="", trace=False, shapes="", others=(), **inputs):
    """Registers a module class: scripted, or traced with its inputs."""

    def register(cls):

        def make():
            torch.manual_seed(SEED)
            module = cls().eval()
            return (torch.jit.trace(module, tuple(inputs.values()), check_trace=False)
                    if trace else torch.jit.script(module))

        FIXTURES[name] = Fixture(make, inputs, steps, shapes, list(others))
        return cls

    return register


def rand(*sizes):
    generator = torch.Generator().manual_seed(sum(sizes) + len(sizes))
    return torch.randn(*sizes, generator=generator)


# Readers: what an archive can hold.


@fixture("stored_views", x=rand(2, 3))
class StoredViews(nn.Module):
    """Tensors that share a storage, transposed, expanded, channels last; a parameter's alias."""

    def __init__(self):
        super().__init__()
        base = torch.arange(24, dtype=torch.float32)
        self.register_buffer("matrix", base[:6].view(3, 2).t())
        self.register_buffer("row", base[6:9])
        self.register_buffer("expanded", base[9:10].expand(2, 3))
        self.register_buffer("image", base[:24].view(1, 2, 3, 4).contiguous(
            memory_format=torch.channels_last))
        self.weight = nn.Parameter(base[12:18].view(2, 3).clone())
        self.tied = self.weight

    def forward(self, x):
        scaled = x * self.matrix + self.row + self.expanded
        return scaled, F.linear(scaled, self.weight) + F.linear(x, self.tied), self.image.sum(2)


@fixture("stored_dtypes", x=torch.tensor(2))
class StoredDtypes(nn.Module):

    def __init__(self):
        super().__init__()
        for name in ("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64",
                     "bfloat16", "bool"):
            self.register_buffer(f"{name}_", torch.tensor([0, 1, 3]).to(getattr(torch, name)))

    def forward(self, x):
        return (self.uint8_ + x, self.int8_ + x, self.int16_ + x, self.int32_ + x, self.int64_ + x,
                self.float16_.float(), self.float32_ + x, self.float64_ + x,
                self.bfloat16_.float(), self.bool_)


class Settings(nn.Module):

    def __init__(self):
        super().__init__()
        self.sizes: List[int] = [2, 3]
        self.scales: Dict[str, float] = {"a": 0.5, "b": 2.0}
        self.pair: Tuple[int, str] = (7, "b")
        self.missing: Optional[Tensor] = None
        self.names: List[str] = ["a", "b"]

    def forward(self, x):
        missing = self.missing
        if missing is not None:
            x = x + missing
        total = x * self.scales[self.pair[1]]
        for name in self.names:
            total = total + self.scales[name]
        return total.reshape(self.sizes) + self.pair[0]


fixture("stored_containers", x=rand(6))(Settings)


@fixture("stored_quantized", x=rand(3, 4))
class StoredQuantized(nn.Module):

    def __init__(self):
        super().__init__()
        weight = rand(3, 4)
        self.register_buffer("tensor", torch.quantize_per_tensor(weight, 0.05, 3, torch.quint8))
        self.register_buffer("channels", torch.quantize_per_channel(
            weight, torch.tensor([0.1, 0.02, 0.05]), torch.tensor([0, 1, 2]), 0, torch.qint8))

    def forward(self, x):
        return x + self.tensor.dequantize(), x * self.channels.dequantize()


@fixture("traced_linear", trace=True, x=rand(1, 3, 10, 10))
class TracedLinear(nn.Module):

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(10, 7)

    def forward(self, x):
        return self.linear(x)


# Recurrent operators: every variant in one module.


def variants(kind, **more):
    """Layers, directions and bias in all combinations, each with either place of the batch axis."""
    return nn.ModuleList(
        kind(3, 4, num_layers=layers, bidirectional=both, bias=bias, batch_first=bias != both,
             dropout=0.5 if layers > 1 else 0.0, **more)
        for layers in (1, 2) for both in (False, True) for bias in (False, True))


class RecurrentVariants(nn.Module):

    def __init__(self, kind, **more):
        super().__init__()
        self.variants = variants(kind, **more)

    def forward(self, x):
        outputs: List[Tensor] = []
        for variant in self.variants:
            y, h = variant(x)
            outputs.append(y)
            outputs.append(h)
        return outputs


class LstmVariants(nn.Module):

    def __init__(self, **more):
        super().__init__()
        self.variants = variants(nn.LSTM, **more)

    def forward(self, x):
        outputs: List[Tensor] = []
        for variant in self.variants:
            y, (h, c) = variant(x)
            outputs.append(y)
            outputs.append(h)
            outputs.append(c)
        return outputs


fixture("gru_variants", x=rand(3, 3, 3))(lambda: RecurrentVariants(nn.GRU))
fixture("rnn_tanh_variants", x=rand(3, 3, 3))(lambda: RecurrentVariants(nn.RNN))
fixture("rnn_relu_variants", x=rand(3, 3, 3))(
    lambda: RecurrentVariants(nn.RNN, nonlinearity="relu"))
fixture("lstm_variants", x=rand(3, 3, 3))(LstmVariants)
fixture("lstm_projected", x=rand(3, 3, 3))(lambda: LstmVariants(proj_size=2))


@fixture("lstm_state", x=rand(5, 2, 3), h=rand(4, 2, 4), c=rand(4, 2, 4), u=rand(5, 3))
class LstmState(nn.Module):
    """Initial states; an input without a batch axis."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(3, 4)

    def forward(self, x, h, c, u):
        y, (h1, c1) = self.lstm(x, (h, c))
        z, h2 = self.gru(u)
        return y, h1, c1, z, h2


@fixture("audio_filters", x=rand(2, 50) * 0.7)
class AudioFilters(nn.Module):
    """Filters of torchaudio (Debian's python3-torchaudio), whose loops are operators of its own."""

    def forward(self, x):
        filtering = torchaudio.functional
        a = torch.tensor([[1.0, -0.5, 0.2], [2.0, 0.3, -0.4]])
        b = torch.tensor([[0.3, 0.2, 0.1], [1.0, 0.0, -1.0]])
        padded = torch.zeros(1, 2, 52)
        torch.ops.torchaudio._lfilter_core_loop(x[None], a.flip([1]), padded)
        return (filtering.lfilter(x, a[0], b[0]), filtering.lfilter(x, a, b, False),
                filtering.lfilter(x, a[:, :1], b[:, :1]), filtering.overdrive(x, 10.0, 30.0),
                filtering.highpass_biquad(x, 16000, 300.0), padded)


@fixture("packed_sequences", x=rand(5, 3, 3), lengths=torch.tensor([5, 3, 2]))
class PackedSequences(nn.Module):

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, bidirectional=True)
        self.gru = nn.GRU(3, 4, num_layers=2)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths)
        y, (h, c) = self.lstm(packed)
        padded, sizes = nn.utils.rnn.pad_packed_sequence(y)
        z, h2 = self.gru(packed)
        padded2, _ = nn.utils.rnn.pad_packed_sequence(z, batch_first=True)
        return padded, sizes, h, c, padded2, h2


@fixture("recurrent_cells", x=rand(4, 2, 3))
class RecurrentCells(nn.Module):

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(3, 4)
        self.gru = nn.GRUCell(4, 4)
        self.tanh = nn.RNNCell(4, 4, bias=False)
        self.relu = nn.RNNCell(4, 4, nonlinearity="relu")

    def forward(self, x):
        h = torch.zeros(x.shape[1], 4)
        c = torch.zeros(x.shape[1], 4)
        g = torch.zeros(x.shape[1], 4)
        for i in range(x.shape[0]):
            h, c = self.lstm(x[i], (h, c))
            g = self.gru(h, g)
        t = self.tanh(g)
        return h, c, g, t, self.relu(t)


# Mutation.


@fixture("writes_through_views", x=rand(3, 4), v=rand(3))
class WritesThroughViews(nn.Module):

    def forward(self, x, v):
        y = x.clone()
        y[:, 0] = v
        y[1:, 1:3] += 1
        row = y[2]
        row.mul_(2)
        y.t()[3].fill_(7.0)
        y.view(-1)[5:7].zero_()
        y[0, torch.tensor([1, 3])] = v[:2]
        z = torch.zeros_like(x)
        z.copy_(v.unsqueeze(1))
        z[x > 0] = -1.0
        z.index_put_((torch.tensor([0, 0]), torch.tensor([1, 1])), v[:2], accumulate=True)
        return y, z, row


@fixture("list_mutation", x=rand(4, 3))
class ListMutation(nn.Module):

    def forward(self, x):
        rows: List[Tensor] = []
        for i in range(x.size(0)):
            rows.append(x[i] * i)
        rows[1] = rows[0] + 1
        rows.insert(0, x[0])
        last = rows.pop()
        names: Dict[str, Tensor] = {"last": last}
        names["sum"] = torch.stack(rows).sum(0)
        return torch.stack(rows), names["last"], names["sum"], len(rows)


# Control flow.


@fixture("dynamic_arange", x=rand(5, 2))
class DynamicArange(nn.Module):

    def forward(self, x):
        positions = torch.arange(x.shape[0])
        return positions, x + positions.unsqueeze(1), torch.arange(1, x.size(0) + 1, 2)


@fixture("control_flow", x=rand(3, 4), n=4)
class ControlFlow(nn.Module):

    def forward(self, x, n: int):
        y = x
        if bool(x.sum() > 0):
            y = y * 2
        else:
            y = y - 1
        for i in range(n):
            y = y + i * x
        steps = 0
        while bool(y.abs().max() > 1) and steps < 10:
            y = y / 2
            steps += 1
        found = -1
        for i in range(x.size(0)):
            if bool(x[i].min() > 0):
                found = i
                break
        return y, steps, found


@fixture("early_returns", x=rand(4))
class EarlyReturns(nn.Module):

    def classify(self, x) -> int:
        for i in range(x.numel()):
            value = float(x[i])
            if value > 1.0:
                return i
            if value < -1.0:
                continue
        return -1

    def forward(self, x):
        if x.dim() > 1:
            return x.sum(), 0
        return x * 2, self.classify(x)


# States.


@fixture("counter", steps="4", x=rand(4, 3))
class Counter(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))
        self.calls = 0

    def forward(self, x):
        self.count += 1
        self.calls += 2
        return x * self.count, self.calls


@fixture("lstm_policy", steps="forward*5,reset_memory,forward*5",
         x=torch.cat([rand(5, 1, 6)] * 2))
class LstmPolicy(nn.Module):
    """A control policy that keeps its hidden state; reset_memory makes it start anew."""

    def __init__(self):
        super().__init__()
        self.memory = nn.LSTM(6, 8)
        self.actor = nn.Sequential(nn.Linear(8, 4), nn.ELU(), nn.Linear(4, 3))
        self.register_buffer("hidden_state", torch.zeros(1, 1, 8))
        self.register_buffer("cell_state", torch.zeros(1, 1, 8))

    def forward(self, x):
        out, (h, c) = self.memory(x.unsqueeze(0), (self.hidden_state, self.cell_state))
        self.hidden_state[:] = h
        self.cell_state[:] = c
        return self.actor(out.squeeze(0))

    @torch.jit.export
    def reset_memory(self):
        self.hidden_state[:] = 0.0
        self.cell_state[:] = 0.0


@fixture("restored_state", x=rand(2, 4))
class RestoredState(nn.Module):
    """What it computes with is made of what the file stores when it is loaded: by operators, in
    loops and branches, in lists and dicts."""
    bias: Optional[Tensor]

    def __init__(self):
        super().__init__()
        self.packed = torch.randint(-127, 127, (3, 4)).to(torch.int8)
        self.scales = torch.rand(3) + 0.1
        self.bias = None
        self.steps = [torch.randn(3, 3) for _ in range(3)]
        self.table = {"shift": torch.randn(3)}
        self.factor = 0.5

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, Tensor, Optional[Tensor], List[Tensor],
                                    Dict[str, Tensor], float, bool]:
        return (self.packed, self.scales, self.bias, self.steps, self.table, self.factor,
                self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, Tensor, Optional[Tensor], List[Tensor],
                                        Dict[str, Tensor], float, bool]):
        self.scales = state[1]
        self.packed = state[0].to(torch.float32) * state[1].unsqueeze(1)
        if state[2] is None:
            self.bias = torch.zeros([state[0].size(0)])
        else:
            self.bias = state[2]
        steps: List[Tensor] = []
        for i in range(len(state[3])):
            step = state[3][i]
            if i % 2 == 0:
                step = step.t().contiguous() / (step.norm() + 1e-3)
            steps.append(step)
        self.steps = steps
        self.table = {"shift": state[4]["shift"].exp()}
        turns = 0
        while turns < 3:
            turns += 1
        self.factor = state[5] * turns + int(state[0].size(1))
        self.training = state[6]

    def forward(self, x):
        y = F.linear(x, self.packed, self.bias)
        for step in self.steps:
            y = torch.mm(y, step)
        return y * self.factor + self.table["shift"]


# An RNN transducer: encoder, prediction network, joint; and its greedy decoding.


class Transducer(nn.Module):

    def __init__(self):
        super().__init__()
        self.encoder = nn.LSTM(5, 8, num_layers=2)
        self.embedding = nn.Embedding(6, 4)
        self.prediction = nn.LSTM(4, 8)
        self.joint = nn.Sequential(nn.Tanh(), nn.Linear(8, 6))

    def encode(self, x):
        return self.encoder(x)[0]

    def predict(self, label, state: Tuple[Tensor, Tensor]):
        return self.prediction(self.embedding(label), state)


@fixture("rnnt", x=rand(7, 1, 5), labels=torch.tensor([[1], [4], [2]]))
class Rnnt(Transducer):

    def forward(self, x, labels):
        encoded = self.encode(x)
        predicted, _ = self.predict(labels, (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8)))
        return self.joint(encoded.unsqueeze(1) + predicted.unsqueeze(0)).log_softmax(-1)


@fixture("rnnt_greedy", x=rand(7, 1, 5))
class RnntGreedy(Transducer):
    """At most three labels a frame; label 0 is blank."""

    def forward(self, x):
        encoded = self.encode(x)
        state = (torch.zeros(1, 1, 8), torch.zeros(1, 1, 8))
        predicted, state = self.predict(torch.zeros(1, 1, dtype=torch.int64), state)
        labels: List[int] = []
        for t in range(encoded.size(0)):
            emitted = 0
            while emitted < 3:
                label = int(self.joint(encoded[t] + predicted[0]).argmax())
                if label == 0:
                    break
                labels.append(label)
                emitted += 1
                predicted, state = self.predict(torch.tensor([[label]]), state)
        return torch.tensor(labels), state[0]


@fixture("traced_numbers", trace=True, x=torch.tensor([-3, 2, 7]),
         y=torch.tensor([True, False, True]))
class TracedNumbers(nn.Module):
    """Numbers that the trace stores as 0-d tensors: x * 2.5 is f32, floor_divide's result f64."""

    def forward(self, x, y):
        return x * 2.5, x + 0.5, x - 1.5, x / 2, y * 1.5, x // 2.0, x * torch.tensor([2.0]).double()


@fixture("packed_unsorted", x=rand(5, 3, 4), lengths=torch.tensor([2, 5, 4]))
class PackedUnsorted(nn.Module):

    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 6, bidirectional=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False)
        steps, last = self.gru(packed)
        return nn.utils.rnn.pad_packed_sequence(steps), last


@fixture("collected_steps", x=rand(5, 2, 4))
class CollectedSteps(nn.Module):
    """A loop over a run-time length that appends what two cells put out to a list."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTMCell(4, 6)
        self.gru = nn.GRUCell(6, 3)

    def forward(self, x):
        h, c = torch.zeros(x.size(1), 6), torch.zeros(x.size(1), 6)
        g = torch.zeros(x.size(1), 3)
        steps = []
        for t in range(x.size(0)):
            h, c = self.lstm(x[t], (h, c))
            g = self.gru(h, g)
            steps.append(g)
        return torch.stack(steps), h


@fixture("several_entries", steps="forward*2,query,reset,forward*2,query", x=rand(4, 2),
         points=rand(2, 3, 2))
class SeveralEntries(nn.Module):
    """Methods with arguments and results of their own share what forward keeps."""

    def __init__(self):
        super().__init__()
        self.register_buffer("center", torch.zeros(2))

    def forward(self, x):
        self.center += x
        return self.center + 1

    @torch.jit.export
    def query(self, points):
        offsets = points - self.center
        return offsets, offsets.abs().sum(1)

    @torch.jit.export
    def reset(self):
        self.center.zero_()


# Modules of their own, since TorchScript looks for the source of classes in the file of their module.
for part in ("dynamic_models", "quantized_models"):
    more = sys.modules[part] = types.ModuleType(part)
    more.__dict__.update(globals(), __name__=part, __file__=f"{part}.py")
    exec(compile(pathlib.Path(more.__file__).read_text(), more.__file__, "exec"), more.__dict__)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*")
    names = parser.parse_args().names or FIXTURES
    warnings.simplefilter("ignore")
    for name in names:
        write(pathlib.Path(__file__).parent / name, FIXTURES[name])


if __name__ == "__main__":
    main()
