# SPDX-License-Identifier: Apache-2.0
"""The modules of torch.nn with their sample inputs, and programs with what exporters find hard:
control flow, buffers that change, views that are written to, open sizes, half types."""

import torch
from torch import nn
from torch.nn import functional
from torch.testing._internal.common_modules import module_db

from producers import torch_forms
from producers.torch_forms import DECOMPOSED, DYNAMO, LEGACY, PT2, SCRIPTED, TRACED
from producers.torch_operators import is_drawn
from shared.cases import Refused
from shared.produce import serve_producer

FORMS = (PT2, DECOMPOSED, TRACED, SCRIPTED, DYNAMO, LEGACY)
EXPORTED = (PT2, DECOMPOSED, DYNAMO)


class Wrapped1(nn.Module):
    """A module whose inputs are x0, x1, …, written out, as scripting needs the source."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x0):
        return self.module(x0)


class Wrapped2(Wrapped1):
    def forward(self, x0, x1):
        return self.module(x0, x1)


class Wrapped3(Wrapped1):
    def forward(self, x0, x1, x2):
        return self.module(x0, x1, x2)


WRAPPED = {1: Wrapped1, 2: Wrapped2, 3: Wrapped3}


def elements(tensors):
    return sum(tensor.numel() for tensor in tensors)


def sample_module(info):
    """The module with the largest of its sample inputs that are tensors only."""
    def make():
        samples = []
        for sample in info.module_inputs_func(info, device="cpu", dtype=torch.float32,
                                              requires_grad=False, training=False):
            arguments = sample.forward_input.args
            tensors = all(isinstance(leaf, torch.Tensor) for leaf in arguments)
            if tensors and not sample.forward_input.kwargs and len(arguments) in WRAPPED:
                samples.append((sample.constructor_input, arguments))
        if not samples:
            raise Refused("has no sample of one to three tensors")
        construct, arguments = max(samples, key=lambda sample: elements(sample[1]))
        module = WRAPPED[len(arguments)](info.module_cls(*construct.args, **construct.kwargs))
        return module, [{f"x{place}": tensor for place, tensor in enumerate(arguments)}], ()
    return make


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("mean", torch.zeros(5))

    def forward(self, x):
        self.calls += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean, self.calls.clone()


class Branches(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() * 2, lambda x: x.exp().clamp(max=9), (x,))


class ScriptedBranches(nn.Module):
    def forward(self, x, steps: int = 3):
        total = torch.zeros_like(x)
        for step in range(steps):
            if bool((x.sum() + step) > 0):
                total = total + x * step
            else:
                total = total - x.abs()
        while bool(total.abs().max() > 4.0):
            total = total / 2
        return total


class WhileLoop(nn.Module):
    def forward(self, x):
        def holds(step, value):
            return (step < 4) & (value.abs().max() < 100)

        def body(step, value):
            return step + 1, value * 1.5 + step

        return torch.while_loop(holds, body, (torch.tensor(0), x))


class ScanSum(nn.Module):
    def forward(self, x):
        from torch._higher_order_ops import scan
        return scan(lambda carry, row: (carry * 0.5 + row, (carry + row).tanh()),
                    torch.zeros_like(x[0]), x, dim=0)


class Views(nn.Module):
    def forward(self, x):
        x = x.clone()
        x[:, 1:3] = x[:, 0:1] * 2
        x.t()[0].add_(5)
        x.view(-1)[::3].neg_()
        x.diagonal().fill_(0.5)
        return x, x[x > 0.25].sum()


class Masks(nn.Module):
    def forward(self, x):
        kept = torch.where(x > 0, x, torch.tensor(-1.0))
        order = kept.argsort(dim=1, descending=True, stable=True)
        return kept.gather(1, order), kept.cumsum(1), functional.pad(kept, (1, 2), value=3.0)


class OpenSizes(nn.Module):
    def forward(self, x):
        rows, width = x.shape
        halves = x.reshape(rows, width // 2, 2).flip(-1).reshape(rows, -1)
        places = torch.arange(width, dtype=torch.float32) / width
        return torch.cat([halves, x * places], dim=1), x.new_zeros(width, 2) + rows


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(12, 36)

    def forward(self, x, mask):
        q, k, v = (part.reshape(x.shape[0], x.shape[1], 3, 4).transpose(1, 2)
                   for part in self.project(x).chunk(3, -1))
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = kind(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.read = nn.Linear(10, 3)

    def forward(self, x):
        return self.read(self.cells(x)[0])


class Halves(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(7, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
        self.to(dtype)

    def forward(self, x):
        return self.net(x).softmax(-1)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.SiLU(),
            nn.ConvTranspose2d(8, 6, 3, stride=2, output_padding=1), nn.GroupNorm(3, 6), nn.ELU(),
            nn.AvgPool2d(3, 2, ceil_mode=True, count_include_pad=False),
            nn.AdaptiveMaxPool2d((3, 2)))

    def forward(self, x):
        return self.net(x), functional.interpolate(x, scale_factor=1.7, mode="bilinear")


def rows(*sizes, dtype=torch.float32):
    return (torch.randn(*sizes) * 2).to(dtype)


def fixed(make, *sizes, dtype=torch.float32):
    return lambda: (make(), [{"x": rows(*sizes, dtype=dtype)}], ())


def opened(make, sizes, axes):
    """Runs at several sizes, a batch of 1 among them."""
    return lambda: (make(), [{"x": rows(*size)} for size in sizes], [("x", axis) for axis in axes])


def masked():
    draws = []
    for batch, length in ((2, 7), (1, 4), (3, 5)):
        mask = torch.ones(batch, length, dtype=torch.bool)
        mask[-1, length // 2:] = False
        draws.append({"x": rows(batch, length, 12), "mask": mask})
    return Attention(), draws, [("x", 0), ("x", 1), ("mask", 0), ("mask", 1)]


SEQUENCES = ((2, 7, 6), (1, 4, 6), (3, 9, 6))
PROGRAMS = {
    "views": fixed(Views, 5, 6),
    "masks": fixed(Masks, 4, 7),
    "convolutions": opened(Convolutions, ((2, 3, 20, 17), (1, 3, 20, 17), (3, 3, 20, 17)), (0,)),
    "open sizes": opened(OpenSizes, ((3, 8), (1, 8), (2, 8)), (0,)),
    "masked attention": masked,
    "lstm": opened(lambda: Recurrent(nn.LSTM), SEQUENCES, (0, 1)),
    "gru": opened(lambda: Recurrent(nn.GRU), SEQUENCES, (0, 1)),
    "rnn": opened(lambda: Recurrent(nn.RNN), SEQUENCES, (0, 1)),
    "half": fixed(lambda: Halves(torch.float16), 3, 7, dtype=torch.float16),
    "bfloat16": fixed(lambda: Halves(torch.bfloat16), 3, 7, dtype=torch.bfloat16),
    "double": fixed(lambda: Halves(torch.float64), 3, 7, dtype=torch.float64),
}
CONTROL_FLOW = {
    "changed buffers": fixed(Counter, 4, 5),
    "cond": fixed(Branches, 3, 4),
    "while_loop": fixed(WhileLoop, 2, 3),
    "scan": fixed(ScanSum, 6, 3),
}
SCRIPTS = {"loops and branches": fixed(ScriptedBranches, 3, 4)}


def cases():
    modules = {info.name: sample_module(info) for info in module_db
               if not is_drawn(info.name.lower()) and "Lazy" not in info.name}
    return (torch_forms.cases_of(FORMS, modules | PROGRAMS) |
            torch_forms.cases_of(EXPORTED, CONTROL_FLOW) |
            torch_forms.cases_of((SCRIPTED,), SCRIPTS))


if __name__ == "__main__":
    serve_producer(cases(), f"PyTorch {torch.__version__}", torch_forms.load)
