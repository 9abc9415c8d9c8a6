#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the small models of this folder: torch modules, exported to ONNX, with recorded data.

Usage: make_models.py [DIR]         the small models, into DIR (default: this folder)
       make_models.py --full DIR    ResNet-18, MobileNet-v3 and BERT-base at full size, into DIR

Needs Debian's python3-torch (1.13) and python3-onnx; --full also python3-torchvision. Weights and
inputs come from fixed seeds. Each model is a folder with model.onnx and ONNX test-data sets
(test_data_set_N/input_M.pb, output_M.pb); the outputs are torch's. mlp has the first set's arrays
as .npy files too, for scripts/try.sh.
"""

import argparse
import dataclasses
import pathlib
from typing import Callable
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
import torch
from torch import nn
from torch.nn import functional as F

SEED = 20240131
DATA_SETS = 2


class Mlp(nn.Sequential):

    def __init__(self):
        super().__init__(nn.Linear(41, 64), nn.ReLU(), nn.Linear(64, 10))


class ResidualBlock(nn.Module):

    def __init__(self, channels_in, channels, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)
        self.shortcut = nn.Identity()
        if stride != 1 or channels_in != channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels, 1, stride, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        return F.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """ResNet-18: a stem, four stages of two residual blocks, a classifier."""

    def __init__(self, widths, classes):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, widths[0], 7, 2, 3, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(),
            nn.MaxPool2d(3, 2, 1))
        blocks = []
        for stage, width in enumerate(widths):
            before = widths[max(stage - 1, 0)]
            blocks += [ResidualBlock(before, width, 1 if stage == 0 else 2),
                       ResidualBlock(width, width, 1)]
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x):
        return self.head(torch.flatten(F.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1), 1))


class SqueezeExcite(nn.Module):

    def __init__(self, channels):
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 2, 1)
        self.expand = nn.Conv2d(channels // 2, channels, 1)

    def forward(self, x):
        scale = F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1)))
        return x * F.hardsigmoid(self.expand(scale))


class InvertedResidual(nn.Module):
    """Expand, depthwise, squeeze and excite, project."""

    def __init__(self, channels_in, hidden, channels, kernel, stride):
        super().__init__()
        self.has_shortcut = stride == 1 and channels_in == channels
        self.layers = nn.Sequential(
            nn.Conv2d(channels_in, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.Hardswish(),
            nn.Conv2d(hidden, hidden, kernel, stride, kernel // 2, groups=hidden, bias=False),
            nn.BatchNorm2d(hidden), nn.Hardswish(),
            SqueezeExcite(hidden),
            nn.Conv2d(hidden, channels, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        y = self.layers(x)
        return x + y if self.has_shortcut else y


class MobileNet(nn.Sequential):

    def __init__(self):
        super().__init__(
            nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish(),
            InvertedResidual(8, 16, 8, 3, 1), InvertedResidual(8, 24, 12, 5, 2),
            InvertedResidual(12, 24, 12, 3, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(12, 20), nn.Hardswish(), nn.Linear(20, 10))


class BertLayer(nn.Module):

    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.project = nn.Linear(hidden, hidden)
        self.norm1 = nn.LayerNorm(hidden)
        self.up = nn.Linear(hidden, 4 * hidden)
        self.down = nn.Linear(4 * hidden, hidden)
        self.norm2 = nn.LayerNorm(hidden)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, bias):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(
            self.value(x))
        scores = query @ key.transpose(-1, -2) / (query.size(-1)**0.5) + bias
        context = (scores.softmax(-1) @ value).permute(0, 2, 1, 3).flatten(2)
        x = self.norm1(x + self.project(context))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    """Token and position embeddings, encoder layers, a pooled output."""

    def __init__(self, vocabulary, positions, hidden, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, hidden)
        self.positions = nn.Embedding(positions, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.layers = nn.ModuleList(BertLayer(hidden, heads) for _ in range(layers))
        self.pool = nn.Linear(hidden, hidden)

    def forward(self, ids, mask):
        index = torch.arange(ids.size(1), device=ids.device).unsqueeze(0)
        x = self.norm(self.tokens(ids) + self.positions(index))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


class Lstm(nn.Module):

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(7, 5, num_layers=2, bidirectional=True)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return y, h, c


def normals(*shape):
    return lambda rng, _: (torch.from_numpy(rng.standard_normal(shape, dtype=np.float32)),)


def batches(features):
    """A batch whose size grows with the number of the data set."""
    return lambda rng, n: normals(3 + 2 * n, features)(rng, n)


def gru_inputs(rng, _):
    return normals(6, 2, 7)(rng, 0) + normals(2, 2, 5)(rng, 0)


def tokens(vocabulary, batch, length, growth=0):
    """Token ids, and a mask that hides the end of each row but the first."""

    def make(rng, n):
        b, t = batch + growth * n, length + 2 * growth * n
        ids = rng.integers(0, vocabulary, (b, t))
        lengths = [t] + [int(k) for k in rng.integers(2, t, b - 1)]
        mask = (np.arange(t)[None, :] < np.array(lengths)[:, None]).astype(np.int64)
        return torch.from_numpy(ids), torch.from_numpy(mask)

    return make


@dataclasses.dataclass
class Case:
    name: str
    make: Callable[[], nn.Module]
    inputs: Callable  # (generator, number of the data set) -> tuple of tensors
    input_names: tuple = ("x",)
    output_names: tuple = ("y",)
    opset: int = 13
    dynamic_axes: dict = None
    keep_batch_norm: bool = False  # the exporter otherwise merges it into the convolution
    npy: bool = False


_BERT_NAMES = dict(input_names=("ids", "mask"), output_names=("hidden", "pooled"))
_BERT_AXES = {name: {0: "batch", 1: "sequence"} for name in ("ids", "mask", "hidden")}
_BERT_AXES["pooled"] = {0: "batch"}

SMALL = [
    Case("linear", lambda: nn.Linear(10, 7), normals(1, 3, 10, 10)),
    Case("linear_nobias", lambda: nn.Linear(10, 7, bias=False), normals(1, 3, 10, 10)),
    Case("mlp", Mlp, normals(1, 41), npy=True),
    Case("mlp_dynamic", Mlp, batches(41), dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}}),
    Case("resnet", lambda: ResNet((4, 6, 8, 12), 10), normals(2, 3, 32, 32)),
    Case("resnet_bn", lambda: ResNet((4, 6, 8, 12), 10), normals(1, 3, 32, 32), opset=15,
         keep_batch_norm=True),
    Case("mobilenet", MobileNet, normals(1, 3, 32, 32), opset=14),
    Case("bert", lambda: Bert(50, 16, 32, 4, 2), tokens(50, 2, 9), opset=14, **_BERT_NAMES),
    Case("bert_dynamic", lambda: Bert(50, 16, 32, 4, 2), tokens(50, 2, 9, growth=1), opset=17,
         dynamic_axes=_BERT_AXES, **_BERT_NAMES),
    Case("lstm", Lstm, normals(6, 2, 7), output_names=("y", "h", "c"), opset=14),
    Case("gru", lambda: nn.GRU(7, 5, bidirectional=True), gru_inputs, input_names=("x", "h0"),
         output_names=("y", "h"), opset=16),
]


def full_cases():
    from torchvision import models

    return [
        Case("resnet18", lambda: models.resnet18(weights=None), normals(1, 3, 224, 224)),
        Case("mobilenet_v3", lambda: models.mobilenet_v3_large(weights=None),
             normals(1, 3, 224, 224), opset=14),
        Case("bert_base", lambda: Bert(30522, 512, 768, 12, 12), tokens(30522, 2, 128), opset=17,
             dynamic_axes=_BERT_AXES, **_BERT_NAMES),
    ]


def calibrate(module, inputs):
    """Gives each batch normalisation the statistics of real activations, weights that vary."""
    norms = [m for m in module.modules() if isinstance(m, nn.BatchNorm2d)]
    for norm in norms:
        nn.init.uniform_(norm.weight, 0.5, 1.5)
        nn.init.normal_(norm.bias, std=0.2)
        norm.momentum = None
    if norms:
        module.train()
        with torch.no_grad():
            for x in inputs:
                module(torch.cat([x, torch.randn(7, *x.shape[1:])]))
    module.eval()


def save_tensor(tensor, name, path):
    path.write_bytes(numpy_helper.from_array(tensor.numpy(), name).SerializeToString())


def write_case(case, folder):
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    module = case.make()
    data = [case.inputs(rng, n) for n in range(DATA_SETS)]
    calibrate(module, [inputs[0] for inputs in data])
    folder.mkdir(parents=True, exist_ok=True)
    training = torch.onnx.TrainingMode
    torch.onnx.export(
        module, data[0], str(folder / "model.onnx"), opset_version=case.opset,
        input_names=list(case.input_names), output_names=list(case.output_names),
        dynamic_axes=case.dynamic_axes,
        training=training.PRESERVE if case.keep_batch_norm else training.EVAL)
    onnx.checker.check_model(str(folder / "model.onnx"))

    first_outputs = []
    for n, inputs in enumerate(data):
        with torch.no_grad():
            outputs = module(*inputs)
        outputs = (outputs,) if isinstance(outputs, torch.Tensor) else outputs
        first_outputs.append(outputs[0])
        data_set = folder / f"test_data_set_{n}"
        data_set.mkdir(exist_ok=True)
        for kind, names, tensors in (("input", case.input_names, inputs),
                                     ("output", case.output_names, outputs)):
            for i, (name, tensor) in enumerate(zip(names, tensors)):
                save_tensor(tensor, name, data_set / f"{kind}_{i}.pb")
                if case.npy and n == 0:
                    np.save(folder / f"{name}.npy", tensor.numpy())
    assert not torch.equal(*(y.flatten()[:2] for y in first_outputs)), "outputs do not vary"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent)
    parser.add_argument("--full", action="store_true", help="the models at full size")
    args = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", UserWarning)  # the exporter's advice on other uses
    for case in full_cases() if args.full else SMALL:
        write_case(case, args.dir / case.name)
        size = (args.dir / case.name / "model.onnx").stat().st_size
        print(f"{case.name}: {size} bytes")


if __name__ == "__main__":
    main()
