#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers of torch.nn as TorchScript, as ONNX and, decomposed, as archives of torch.export: all compute
the same, and the common graphs of most are the same. The archives are made by traced_programs.py.
Skipped where torch is not installed."""

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


def products():
    x, line = torch.randn(2, 3), torch.randn(2, 3, 4)
    image, volume = torch.randn(2, 4, 6, 6), torch.randn(1, 2, 4, 4, 4)
    yield from (
        ("linear", nn.Linear(3, 4), [x]), ("linear_of_lines", nn.Linear(4, 5), [line]),
        ("linear_of_one", nn.Linear(3, 2, bias=False), [x[0]]),
        ("perceptron", nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), [x]),
        ("conv1d", nn.Conv1d(3, 4, 3, padding=1), [line]),
        ("conv2d", nn.Conv2d(4, 2, 3, stride=2), [image]),
        ("conv2d_groups", nn.Conv2d(4, 4, 3, groups=2, dilation=2, bias=False), [image]),
        ("conv2d_reflect", nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), [image]),
        ("conv3d", nn.Conv3d(2, 3, 2), [volume]),
        ("conv_transpose1d", nn.ConvTranspose1d(3, 2, 3, 2, output_padding=1), [line]),
        ("conv_transpose2d", nn.ConvTranspose2d(4, 2, 3, stride=2), [image]),
        ("conv_transpose3d", nn.ConvTranspose3d(2, 3, 2), [volume]),
        ("embedding", nn.Embedding(5, 3), [torch.tensor([[1, 2], [0, 4]])]))


def windows_and_norms():
    line, image = torch.randn(2, 3, 4), torch.randn(2, 4, 6, 6)
    yield from (
        ("batch_norm1d", nn.BatchNorm1d(3), [line]), ("batch_norm2d", nn.BatchNorm2d(4), [image]),
        ("layer_norm", nn.LayerNorm(4), [line]),
        ("layer_norm_of_planes", nn.LayerNorm([3, 4]), [line]),
        ("layer_norm_alone", nn.LayerNorm(4, elementwise_affine=False), [line]),
        ("max_pool1d", nn.MaxPool1d(2), [line]), ("max_pool2d", nn.MaxPool2d(3, 2, 1), [image]),
        ("avg_pool1d", nn.AvgPool1d(2), [line]), ("avg_pool2d", nn.AvgPool2d(3, 2, 1), [image]),
        ("avg_pool_inside", nn.AvgPool2d(3, 2, 1, count_include_pad=False), [image]),
        ("avg_pool_ceil", nn.AvgPool2d(4, 4, ceil_mode=True), [image]),
        ("adaptive_mean", nn.AdaptiveAvgPool2d(1), [image]),
        ("adaptive_parts", nn.AdaptiveAvgPool2d(3), [image]),
        ("adaptive_maximum", nn.AdaptiveMaxPool2d(1), [image]),
        ("upsample", nn.Upsample(scale_factor=2), [image]),
        ("upsample_bilinear", nn.Upsample(scale_factor=2, mode="bilinear"), [image]),
        ("upsample_cubic", nn.Upsample(size=(9, 7), mode="bicubic"), [image]),
        ("flatten", nn.Flatten(), [line]), ("pixel_shuffle", nn.PixelShuffle(2), [image]),
        ("pad_reflect", nn.ReflectionPad2d(1), [image]),
        ("pad_constant", nn.ConstantPad2d((1, 2, 0, 1), 3.0), [image]),
        ("pad_edge", nn.ReplicationPad2d(1), [image]))


def activations():
    x, image = torch.randn(2, 3), torch.randn(2, 4, 6, 6)
    yield from ((type(layer).__name__, layer, [x]) for layer in (
        nn.ReLU(), nn.ReLU6(), nn.GELU(), nn.SiLU(), nn.ELU(0.5), nn.LeakyReLU(), nn.Hardswish(),
        nn.Hardsigmoid(), nn.Hardtanh(-0.5, 0.7), nn.Softplus(), nn.Softsign(), nn.Softmax(-1),
        nn.LogSoftmax(0), nn.Tanh(), nn.Sigmoid(), nn.PReLU(), nn.Mish()))
    yield from (("gelu_tanh", nn.GELU("tanh"), [x]), ("softplus_of_half", nn.Softplus(0.5), [x]),
                ("softmax_of_channels", nn.Softmax(1), [image]),
                ("glu", nn.GLU(1), [image]))


def recurrent_layers():
    steps, x = torch.randn(5, 2, 3), torch.randn(2, 3)
    for kind in (nn.LSTM, nn.GRU, nn.RNN):
        for name, options in (
                ("", {}), ("_without_bias", {"bias": False}), ("_twice", {"num_layers": 2}),
                ("_batch_first", {"batch_first": True}), ("_both_ways", {"bidirectional": True}),
                ("_of_all_options", {"num_layers": 2, "batch_first": True, "bidirectional": True})):
            yield kind.__name__ + name, kind(3, 4, **options), [steps]
        yield kind.__name__ + "_of_one", kind(3, 4), [steps[:, 0]]
    yield from (
        ("lstm_cell", nn.LSTMCell(3, 4), [x]), ("gru_cell", nn.GRUCell(3, 4), [x]),
        ("gru_from_state", nn.GRU(3, 4, 2), [steps, torch.randn(2, 2, 4)]),
        ("relu_rnn", nn.RNN(3, 4, 2, nonlinearity="relu"), [steps]))


def norms_of_channels():
    line, image = torch.randn(2, 3, 4), torch.randn(2, 4, 6, 6)
    factors = torch.nn.Sequential(nn.InstanceNorm2d(4, affine=True), nn.GroupNorm(2, 4))
    for parameter in factors.parameters():
        nn.init.uniform_(parameter)
    yield from (
        ("instance_norm1d", nn.InstanceNorm1d(3), [line]),
        ("instance_norm2d", nn.InstanceNorm2d(4), [image]),
        ("instance_norm3d", nn.InstanceNorm3d(4, affine=True), [image[:, :, None]]),
        ("instance_norm_of_one", nn.InstanceNorm2d(4), [image[:1]]),
        ("factors_of_channels", factors, [image]),
        ("group_norm", nn.GroupNorm(2, 4), [image]),
        ("group_norm_of_all", nn.GroupNorm(1, 4, affine=False), [image]),
        ("group_norm_of_each", nn.GroupNorm(3, 3), [line]))


def attention():
    x, other = torch.randn(3, 2, 8), torch.randn(4, 2, 8)
    yield from (
        ("attention", nn.MultiheadAttention(8, 2), [x, x.flip(0), x * 2]),
        ("attention_of_other_sizes", nn.MultiheadAttention(8, 2, kdim=5, vdim=6),
         [x, torch.randn(4, 2, 5), torch.randn(4, 2, 6)]),
        ("encoder_layer", nn.TransformerEncoderLayer(8, 2, 16), [x]),
        ("encoder_layer_norm_first",
         nn.TransformerEncoderLayer(8, 2, 16, norm_first=True, activation="gelu"), [x]),
        ("decoder_layer", nn.TransformerDecoderLayer(8, 2, 16), [x, other]),
        ("transformer", nn.Transformer(8, 2, 1, 1, 16), [x, other]))


def more_layers():
    x, line, image = torch.randn(2, 3), torch.randn(2, 3, 4), torch.randn(2, 4, 6, 6)
    probabilities, classes = torch.rand(2, 3), torch.tensor([1, 0])
    yield from (
        ("selu", nn.SELU(), [x]), ("celu", nn.CELU(0.5), [x]), ("unfold", nn.Unfold(2), [image]),
        ("upsample_by_halves", nn.Upsample(scale_factor=1.5, mode="bilinear"), [image]),
        ("mean_of_lines", nn.AdaptiveAvgPool1d(1), [line]),
        ("softmin", nn.Softmin(1), [x]), ("tanhshrink", nn.Tanhshrink(), [x]),
        ("local_response", nn.LocalResponseNorm(3), [image]),
        ("pad_zero", nn.ZeroPad2d(1), [image]),
        ("cross_entropy", nn.CrossEntropyLoss(), [x, classes]),
        ("likelihood", nn.NLLLoss(reduction="sum"), [x.log_softmax(1), classes]),
        ("pixel_unshuffle", nn.PixelUnshuffle(2), [image]))
    yield from ((type(loss).__name__, loss, [x, y]) for loss, y in (
        (nn.L1Loss(), x.flip(0)), (nn.MSELoss(), x.flip(0)), (nn.SmoothL1Loss(), x.flip(0)),
        (nn.HuberLoss(), x.flip(0)), (nn.BCEWithLogitsLoss(), probabilities),
        (nn.KLDivLoss(reduction="batchmean"), probabilities)))
    yield "BCELoss", nn.BCELoss(), [probabilities, probabilities.flip(0)]


def wrapped_and_folded():
    """Without equal ONNX files."""
    line, image, volume = torch.randn(2, 3, 4), torch.randn(2, 4, 6, 6), torch.randn(1, 2, 4, 4, 4)
    x = torch.randn(2, 3)
    yield from (
        ("circular1d", nn.Conv1d(3, 4, 3, padding=1, padding_mode="circular"), [line]),
        ("circular2d", nn.Conv2d(4, 2, 3, padding=(1, 2), padding_mode="circular"), [image]),
        ("circular3d", nn.Conv3d(2, 2, 3, padding=1, padding_mode="circular"), [volume]),
        ("bilinear", nn.Bilinear(3, 3, 5), [x, x.flip(0)]),
        ("same_padding", nn.Conv2d(4, 2, (2, 4), padding="same"), [image]),
        ("unflatten", nn.Unflatten(1, (2, 2)), [image]),
        ("channel_shuffle", nn.ChannelShuffle(2), [image]),
        ("fold", nn.Fold((4, 4), (2, 2)), [torch.randn(1, 8, 9)]),
        ("embedding_bag", nn.EmbeddingBag(5, 3), [torch.tensor([[1, 2], [0, 4]])]))


# Of these ONNX files of torch 1.13 hold another formula, or there are none.
WITHOUT_ONNX = {"L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss", "KLDivLoss",
                "BCELoss"}


def same_layers():
    for family in (products, windows_and_norms, norms_of_channels, activations, recurrent_layers,
                   attention, more_layers, wrapped_and_folded):
        yield from family()


def other_layers():
    """With the number of recurrent operators that they become."""
    x = torch.randn(5, 2, 3)
    yield from (
        ("cosine", nn.CosineSimilarity(), [x, x.flip(0)], 0),
        ("hinge", nn.HingeEmbeddingLoss(), [x, torch.sign(x.flip(0))], 0))


@unittest.skipIf(torch is None, "torch is not installed")
class Layers(CommandCase):
    def forms(self, name, module, inputs, suffixes=("pt", "pt2", "onnx")):
        """The common graphs of TorchScript, .pt2 and ONNX."""
        module.eval()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.jit.save(torch.jit.trace(module, inputs), str(self.out / f"{name}.pt"))
            if "onnx" in suffixes:
                torch.onnx.export(module, tuple(inputs), str(self.out / f"{name}.onnx"),
                                  opset_version=13)
        exported(module, inputs).save(self.out / f"{name}.pt2")
        kinds = {torch.float32: "f32", torch.int64: "i64"}
        facts = []
        for i, tensor in enumerate(inputs):
            facts += ["--shape", f"{i}={kinds[tensor.dtype]}:{','.join(map(str, tensor.shape))}"]
        common = []
        for suffix in suffixes:
            common.append(self.out / f"{name}_{suffix}.dgm")
            self.done("convert", self.out / f"{name}.{suffix}", "-o", common[-1], "--level",
                      "common", "--passes", "default",
                      *(facts if suffix == "pt" else []))
        return common

    def test_the_same_graph(self):
        torch.manual_seed(1)
        without_onnx = WITHOUT_ONNX | {name for name, *_ in wrapped_and_folded()}
        for name, module, inputs in same_layers():
            with self.subTest(name):
                kinds = ["pt", "pt2"] + (["onnx"] if name not in without_onnx else [])
                script, *others = self.forms(name, module, inputs, kinds)
                for other in others:
                    self.done("diff", script, other)
                    self.assertEqual(complaint(dragoman("verify", script, "--against", other)), "")

    def test_the_same_numbers(self):
        torch.manual_seed(2)
        for name, module, inputs, count in other_layers():
            with self.subTest(name):
                script, archive = self.forms(name, module, inputs, ["pt", "pt2"])
                self.assertEqual(complaint(dragoman("verify", script, "--against", archive)), "")
                listing = self.done("convert", archive, "-o", "-", "--to", "text")
                self.assertEqual(len(re.findall(r"= onnx\.(?:LSTM|GRU|RNN)\(", listing)), count)


if __name__ == "__main__":
    unittest.main()
