#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records tests/models/exported_by_torch.tar.xz, which tests/e2e/pt2_cases_test.py runs.

    record_exported.py FOLDER        needs PyTorch 2.9 or later; then, in FOLDER:
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=2026-11-26 -c . | xz -9e

A case is a folder with model.pt2, as torch.export.save writes it, inputs.npz, outputs.npz of eager
PyTorch and meta.json, as shared/data/pt2-cases has them. Each program is saved as it was exported
and once more after its decompositions (NAME_d); those that are recorded for several inputs, or
sizes, have a folder for each (NAME_s0, NAME_s1, …).
"""

import copy
import json
import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim
from torch.nn import functional as F
from torch.utils import _pytree as pytree

try:
    from torch._higher_order_ops.map import map as map_rows
except ImportError:
    from functorch.experimental.control_flow import map as map_rows


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *arguments):
        return self.function(*arguments)


def describe(value, prefix, arrays):
    """What meta.json says of an argument or a result, whose tensors go to `arrays`."""
    if isinstance(value, torch.Tensor):
        key = f"{prefix}{len(arrays)}"
        arrays[key] = value.detach().numpy()
        return {"kind": "tensor", "key": key, "dtype": str(value.dtype).removeprefix("torch."),
                "shape": list(value.shape)}
    if isinstance(value, dict):
        return {"kind": "dict", "items": [[{"kind": "str", "value": name},
                                           describe(part, prefix, arrays)]
                                          for name, part in value.items()]}
    kind = "tuple" if isinstance(value, tuple) else "list"
    return {"kind": kind, "items": [describe(part, prefix, arrays) for part in value]}


def cloned(value):
    return pytree.tree_map(torch.clone, value)


def record(folder, name, module, *calls, dynamic=None):
    """`calls`: the arguments of each; the module is exported with the first ones."""
    module = (module if isinstance(module, nn.Module) else Function(module)).eval()
    with torch.no_grad():
        program = torch.export.export(copy.deepcopy(module), cloned(calls[0]),
                                      dynamic_shapes=dynamic, strict=False)
        for form, suffix in ((program, ""), (program.run_decompositions(), "_d")):
            for i, arguments in enumerate(calls):
                case = folder / f"{name}{suffix}{f'_s{i}' if len(calls) > 1 else ''}"
                case.mkdir(parents=True)
                inputs, outputs = {}, {}
                meta = {"name": name, "calls": 1,
                        "inputs": [describe(argument, "i", inputs) for argument in arguments],
                        "outputs": describe(copy.deepcopy(module)(*cloned(arguments)), "o", outputs)}
                torch.export.save(form, str(case / "model.pt2"))
                np.savez(case / "inputs.npz", **inputs)
                np.savez(case / "outputs.npz", **outputs)
                (case / "meta.json").write_text(json.dumps(meta))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.register_buffer("calls", torch.tensor(3))

    def forward(self, x):
        self.total.add_(x.sum(0))
        self.calls += 1
        self.total[0] = self.calls.float()
        return x * self.total, self.calls * 2


class Cache(nn.Module):
    """Attention of one step to the keys of the steps before."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(2, 8, 4))
        self.query = nn.Linear(4, 4)
        self.key = nn.Linear(4, 4)

    def forward(self, x, position):
        self.keys.index_copy_(1, position, self.key(x))
        scores = self.query(x) @ self.keys.transpose(1, 2)
        known = torch.arange(8) <= position[-1]
        return torch.softmax(scores.masked_fill(~known, float("-inf")), -1) @ self.keys


class Scanned(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        def step(state, row):
            state = self.cell(row, state)
            return state, (state[0] if isinstance(state, tuple) else state).clone()

        is_pair = isinstance(self.cell, nn.LSTMCell)
        state = (torch.zeros(2, 4), torch.zeros(2, 4)) if is_pair else torch.zeros(2, 4)
        return scan(step, state, x)


class Unrolled(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        state = torch.zeros(2, 6)
        if isinstance(self.cell, nn.LSTMCell):
            state = (state, state)
        outputs = []
        for row in x:
            state = self.cell(row, state)
            outputs.append(state[0] if isinstance(state, tuple) else state)
        return torch.stack(outputs), state


class Masked(nn.Module):
    """Sequences of their own lengths."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(5, 6)

    def forward(self, x, lengths):
        h, c, outputs = torch.zeros(3, 6), torch.zeros(3, 6), []
        for t in range(6):
            new_h, new_c = self.cell(x[t], (h, c))
            goes_on = (t < lengths).unsqueeze(1)
            h, c = torch.where(goes_on, new_h, h), torch.where(goes_on, new_c, c)
            outputs.append(torch.where(goes_on, new_h, 0.0))
        return torch.stack(outputs), h, c


class Sized(nn.Module):
    """A program of [batch, steps, 4], and layers for it."""

    def __init__(self, program):
        super().__init__()
        self.program = program
        self.linear = nn.Linear(4, 4)
        self.convolution = nn.Conv1d(4, 4, 3, padding=1)
        self.attention = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        return self.program(self, x)


def written_views(x):
    y = x.clone()
    y.view(-1)[::2].add_(1)
    y.t()[1].zero_()
    y.narrow(1, 1, 2).mul_(3)
    return y


def record_states(folder):
    record(folder, "counter", Counter(), (torch.ones(3, 2),))
    record(folder, "cache", Cache(), (torch.randn(2, 1, 4), torch.tensor([3])))
    record(folder, "written_views", written_views, (torch.randn(4, 6),))
    record(folder, "structures", lambda d, l: {"a": d["x"] + l[0], "b": [l[1] * 2, (d["y"], l[0])]},
           ({"x": torch.randn(2), "y": torch.randn(3)}, [torch.randn(2), torch.randn(2)]))


def record_control(folder):
    ones, yes, no = torch.ones(5), torch.tensor(True), torch.tensor(False)
    record(folder, "cond", lambda x: torch.cond(x.sum() > 0, lambda x: (x.sin(), x + 1),
                                                lambda x: (x.cos(), x - 1), (x,)),
           (ones,), (-ones,))
    record(folder, "nested_cond",
           lambda x, p: torch.cond(
               p, lambda x: torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x * 3, (x,)),
               lambda x: x - x.mean(), (x,)),
           (ones, yes), (-ones, yes), (ones, no))
    record(folder, "while", lambda x, n: while_loop(lambda i, y: i < n,
                                                    lambda i, y: (i + 1, y * 1.1 + i),
                                                    (torch.tensor(0), x)),
           (torch.randn(3), torch.tensor(4)))
    record(folder, "scan_back", lambda h, xs: scan(lambda c, x: (c + x, c * x), h, xs, reverse=True),
           (torch.randn(4), torch.randn(5, 4)))
    record(folder, "scan_columns", lambda h, xs: scan(lambda c, x: (c * 0.5 + x, c.exp()), h, xs,
                                                      dim=1),
           (torch.randn(3, 4), torch.randn(3, 5, 4)))
    record(folder, "map", lambda xs, y: map_rows(lambda x, y: (x * y).sum() + y, xs, y),
           (torch.randn(5, 3), torch.randn(3)))


def record_recurrences(folder):
    for kind in (nn.LSTMCell, nn.GRUCell, nn.RNNCell):
        record(folder, f"scan_{kind.__name__}", Scanned(kind(3, 4)), (torch.randn(5, 2, 3),))
        for steps in (1, 4):
            record(folder, f"unrolled_{kind.__name__}_{steps}", Unrolled(kind(5, 6)),
                   (torch.randn(steps, 2, 5),))
    record(folder, "masked", Masked(), (torch.randn(6, 3, 5), torch.tensor([6, 2, 4])))
    record(folder, "gru", nn.GRU(5, 7, num_layers=2, bidirectional=True), (torch.randn(4, 3, 5),))


def record_layers(folder):
    """Layers whose two forms are one common graph."""
    for name, layer, *sizes in (
            ("CELU", nn.CELU(2.0), 5, 6), ("ELU", nn.ELU(), 5, 6),
            ("Hardsigmoid", nn.Hardsigmoid(), 5, 6), ("Hardswish", nn.Hardswish(), 5, 6),
            ("Mish", nn.Mish(), 5, 6), ("PReLU", nn.PReLU(4), 5, 6),
            ("Softplus", nn.Softplus(), 5, 6), ("PixelShuffle", nn.PixelShuffle(2), 5, 6),
            ("RMSNorm", nn.RMSNorm([5, 6]), 5, 6),
            ("InstanceNorm", nn.InstanceNorm2d(4, affine=True, track_running_stats=True),
             8, 9),
            ("ReflectionPad", nn.ReflectionPad2d(2), 8, 9),
            ("ReplicationPad", nn.ReplicationPad3d((1, 0, 1, 0, 0, 1)), 6, 5, 7),
            ("Conv", nn.Conv2d(4, 6, 3, padding=1, padding_mode="reflect"), 8, 9)):
        record(folder, f"layer_{name}", layer, (torch.randn(2, 4, *sizes),))
    x, state = torch.randn(3, 5), torch.randn(3, 7)
    record(folder, "layer_LSTMCell", nn.LSTMCell(5, 7), (x, (state, state.cos())))
    record(folder, "layer_GRUCell", nn.GRUCell(5, 7), (x, state))
    record(folder, "layer_RNNCell", nn.RNNCell(5, 7), (x, state))


def record_operators(folder):
    """Of complex numbers, and of tensors without axes, which ONNX's operators do not take."""
    def numbers(*sizes):
        return torch.randn(*sizes, dtype=torch.complex64)

    record(folder, "complex_logsumexp", lambda x: torch.logsumexp(x, 1, keepdim=True),
           (numbers(5, 5),))
    record(folder, "complex_logaddexp", torch.logaddexp, (numbers(5), numbers()))
    record(folder, "complex_rms_norm", lambda x, w: F.rms_norm(x, (2, 3), w, -0.5),
           (numbers(2, 2, 3), numbers(2, 3)))
    record(folder, "complex_conv2d", lambda x, w, b: F.conv2d(x, w, b, 2, 2),
           (numbers(3, 4, 4), numbers(3, 3, 3, 3), numbers(3)))
    record(folder, "places_of_number", lambda x: torch.nonzero_static(x, size=0),
           (torch.randn(()),))
    record(folder, "one_hot_number", lambda x: F.one_hot(x, 10), (torch.tensor(4),))


def record_sizes(folder):
    """Both sizes are open; each program is recorded at three of them."""
    programs = {
        "linear": lambda m, x: m.linear(x).reshape(-1, 2),
        "convolution": lambda m, x: m.convolution(x.transpose(1, 2)).mean(-1),
        "attention": lambda m, x: m.attention(x, x, x)[0],
        "arange": lambda m, x: x + torch.arange(x.shape[1]).unsqueeze(-1),
        "pad": lambda m, x: F.pad(x, (0, 0, 1, 2)),
        "arithmetic": lambda m, x: x.new_full((x.shape[0],), x.shape[1] * 2 + x.shape[0] ** 2),
        "triangle": lambda m, x: torch.tril(torch.ones(x.shape[1], x.shape[1])) @ x,
        "causal": lambda m, x: F.scaled_dot_product_attention(x, x, x, is_causal=True),
        "repeat": lambda m, x: x.repeat(2, 1, 1).expand(2 * x.shape[0], x.shape[1], 4),
        "chosen": lambda m, x: x[x > 0].sum() + x.nonzero().shape[0],
    }
    sizes = {"x": {0: Dim("batch", min=1, max=64), 1: Dim("steps", min=2, max=64)}}
    for name, program in programs.items():
        calls = ((torch.randn(batch, steps, 4),) for batch, steps in ((3, 5), (2, 7), (4, 2)))
        record(folder, f"sizes_{name}", Sized(program), *calls, dynamic=sizes)


def main():
    torch.manual_seed(1)
    folder = pathlib.Path(sys.argv[1])
    for part in (record_states, record_control, record_recurrences, record_layers,
                 record_operators, record_sizes):
        part(folder)


if __name__ == "__main__":
    main()
