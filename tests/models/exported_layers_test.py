#!/usr/bin/env python3
"""Layers of torch.nn as TorchScript and, decomposed, as archives of torch.export: both compute the
same, and common graphs of those that decompose into themselves are the same. The archives are made
by traced_programs.py. Skipped where torch is not installed."""

import pathlib
import re
import sys
import unittest
import warnings

from commands import complaint, dragoman
from command_case import CommandCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
try:
    import torch
    from torch import nn
    from traced_programs import exported
except ImportError:
    torch = None


def same_layers():
    x, image, line = torch.randn(2, 3), torch.randn(2, 4, 6, 6), torch.randn(2, 3, 4)
    steps = torch.randn(5, 2, 3)
    yield from (
        ("lstm", nn.LSTM(3, 4), [steps]), ("gru", nn.GRU(3, 4, bias=False), [steps]),
        ("lstms_both_ways", nn.LSTM(3, 4, 2, bidirectional=True), [steps]),
        ("grus_both_ways", nn.GRU(3, 4, 2, bidirectional=True), [steps]),
        ("linear", nn.Linear(3, 4), [x]), ("conv1d", nn.Conv1d(3, 4, 3, padding=1), [line]),
        ("conv2d", nn.Conv2d(4, 2, 3, stride=2), [image]),
        ("conv_transpose2d", nn.ConvTranspose2d(4, 2, 3, stride=2), [image]),
        ("batch_norm", nn.BatchNorm2d(4), [image]), ("layer_norm", nn.LayerNorm(4), [line]),
        ("group_norm", nn.GroupNorm(2, 4), [image]), ("max_pool2d", nn.MaxPool2d(2), [image]),
        ("avg_pool2d", nn.AvgPool2d(2), [image]), ("relu", nn.ReLU(), [x]), ("gelu", nn.GELU(), [x]),
        ("silu", nn.SiLU(), [x]), ("elu", nn.ELU(), [x]), ("leaky_relu", nn.LeakyReLU(), [x]),
        ("hardswish", nn.Hardswish(), [x]), ("softplus", nn.Softplus(), [x]),
        ("softmax", nn.Softmax(-1), [x]), ("log_softmax", nn.LogSoftmax(-1), [x]),
        ("tanh", nn.Tanh(), [x]), ("prelu", nn.PReLU(), [x]), ("mish", nn.Mish(), [x]),
        ("embedding", nn.Embedding(5, 3), [torch.tensor([[1, 2], [0, 4]])]),
        ("lstm_cell", nn.LSTMCell(3, 4), [x]), ("gru_cell", nn.GRUCell(3, 4), [x]),
        ("upsample", nn.Upsample(scale_factor=2), [image]), ("flatten", nn.Flatten(), [line]),
        ("pad", nn.ReflectionPad2d(1), [image]), ("pixel_shuffle", nn.PixelShuffle(2), [image]),
        ("perceptron", nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), [x]))


def other_layers():
    """With the number of recurrent operators that they become."""
    x, image = torch.randn(5, 2, 3), torch.randn(2, 4, 6, 6)
    tokens = [torch.randn(3, 1, 8) for _ in range(3)]
    yield from (
        ("lstm_twice", nn.LSTM(3, 4, 2), [x], 2),
        ("gru", nn.GRU(3, 4, 2), [x], 2), ("rnn", nn.RNN(3, 4), [x], 1),
        ("batch_first", nn.LSTM(3, 4, 2, batch_first=True), [x], 2),
        ("attention", nn.MultiheadAttention(8, 2), tokens, 0),
        ("selu", nn.SELU(), [x], 0), ("instance_norm", nn.InstanceNorm2d(4), [image], 0),
        ("adaptive", nn.AdaptiveAvgPool2d(1), [image], 0),
        ("bilinear", nn.Bilinear(3, 3, 5), [x, x.flip(0)], 0))


@unittest.skipIf(torch is None, "torch is not installed")
class Layers(CommandCase):
    def forms(self, name, module, inputs):
        """The common graphs of both."""
        module.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.jit.save(torch.jit.trace(module, inputs), str(self.out / f"{name}.pt"))
        exported(module, inputs).save(self.out / f"{name}.pt2")
        kinds = {torch.float32: "f32", torch.int64: "i64"}
        facts = []
        for i, tensor in enumerate(inputs):
            facts += ["--shape", f"{i}={kinds[tensor.dtype]}:{','.join(map(str, tensor.shape))}"]
        common = []
        for suffix, options in (("pt", facts), ("pt2", [])):
            common.append(self.out / f"{name}_{suffix}.dgm")
            self.done("convert", self.out / f"{name}.{suffix}", "-o", common[-1], "--level",
                      "common", "--passes", "default", *options)
        return common

    def test_the_same_graph(self):
        torch.manual_seed(1)
        for name, module, inputs in same_layers():
            with self.subTest(name):
                forms = self.forms(name, module, inputs)
                self.done("diff", *forms)
                self.assertEqual(complaint(dragoman("verify", forms[0], "--against", forms[1])), "")

    def test_the_same_numbers(self):
        torch.manual_seed(2)
        for name, module, inputs, count in other_layers():
            with self.subTest(name):
                forms = self.forms(name, module, inputs)
                self.assertEqual(complaint(dragoman("verify", forms[0], "--against", forms[1])), "")
                listing = self.done("convert", forms[1], "-o", "-", "--to", "text")
                self.assertEqual(len(re.findall(r"= onnx\.(?:LSTM|GRU|RNN)\(", listing)), count)


if __name__ == "__main__":
    unittest.main()
