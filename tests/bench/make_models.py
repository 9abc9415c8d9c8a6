# SPDX-License-Identifier: Apache-2.0
"""Writes the models of the benchmark as ONNX files, with seeded random weights.

usage: make_models.py FOLDER [NAME...]

Vision models are torchvision's, transformers are written out here, recurrent ones are torch.nn's,
ensembles of trees are drawn.
Every folder FOLDER/NAME gets model.onnx; inputs are drawn by the benchmark.
"""

import math
import os
import sys
import warnings

import numpy as np
import onnx
import torch
import torchvision
from onnx import helper, numpy_helper
from torch import nn
from torch.ao.quantization import QConfigMapping, disable_observer, get_default_qat_qconfig
from torch.ao.quantization.quantize_fx import prepare_qat_fx
from torch.fx.experimental.optimization import fuse

warnings.filterwarnings("ignore")


class Attention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads = heads
        self.causal = causal
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x):
        batch, length, width = x.shape
        query, key, value = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)
        if self.causal:
            scores = scores + torch.full((length, length), -1e9).triu(1)
        mixed = torch.softmax(scores, -1) @ value
        return self.out(mixed.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """One transformer layer; the normalisation stands before the sublayers or after them."""

    def __init__(self, width, heads, causal=False, norm_first=False, tanh=False):
        super().__init__()
        self.attention = Attention(width, heads, causal)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.norm_first = norm_first
        self.tanh = tanh

    def gelu(self, x):
        if not self.tanh:
            return nn.functional.gelu(x)
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
        return 0.5 * x * (1.0 + torch.tanh(inner))

    def feed(self, x):
        return self.down(self.gelu(self.up(x)))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attention(self.norm1(x))
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed(x))


class Bert(nn.Module):
    def __init__(self, length=128, width=768, heads=12, layers=12, words=30522):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.02)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(*(Block(width, heads) for _ in range(layers)))

    def forward(self, ids):
        return self.layers(self.norm(self.words(ids) + self.places))


class Gpt(nn.Module):
    def __init__(self, length=64, width=768, heads=12, layers=12, words=50257):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width) * 0.02)
        self.layers = nn.Sequential(
            *(Block(width, heads, causal=True, norm_first=True, tanh=True) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        x = self.norm(self.layers(self.words(ids) + self.places))
        return x @ self.words.weight.t()


class Vit(nn.Module):
    def __init__(self, width=768, heads=12, layers=12):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 197, width) * 0.02)
        self.layers = nn.Sequential(
            *(Block(width, heads, norm_first=True) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 1000)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.token, x], 1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


class Recurrent(nn.Module):
    def __init__(self, kind, layers=1, both=False):
        super().__init__()
        self.cell = kind(128, 256, layers, bidirectional=both)

    def forward(self, x):
        return self.cell(x)[0]


class LstmPolicy(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(41, 64)
        self.head = nn.Linear(64, 10)

    def forward(self, x, h, c):
        y, (h, c) = self.cell(x, (h, c))
        return self.head(y[0]), h, c


def mlp_policy():
    return nn.Sequential(nn.Linear(41, 128), nn.ELU(), nn.Linear(128, 64), nn.ELU(),
                         nn.Linear(64, 10))


def image(size=224):
    return lambda: (torch.randn(1, 3, size, size),)


def vision(name, **options):
    return lambda: getattr(torchvision.models, name)(**options)


def vgg11():
    """VGG-11 with a narrow classifier: 100 MB of weights."""
    model = torchvision.models.vgg11(num_classes=1000)
    model.classifier = nn.Sequential(nn.Linear(512 * 7 * 7, 600), nn.ReLU(), nn.Linear(600, 1000))
    return model


def make_scales_scalars(path):
    """Torch writes scales and zero points as vectors of one element, which ONNX Runtime refuses."""
    model = onnx.load(path)
    nodes = model.graph.node
    copied = {node.output[0]: node.input[0] for node in nodes if node.op_type == "Identity"}
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    tensors |= {node.output[0]: node.attribute[0].t for node in nodes if node.op_type == "Constant"}
    for node in nodes:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        for name in node.input[1:]:
            while name in copied:
                name = copied[name]
            if list(tensors[name].dims) == [1]:
                tensors[name].ClearField("dims")
    del model.graph.value_info[:]
    onnx.save(model, path)


def quantised(make):
    """8-bit integers from one drawn input's extremes, as QuantizeLinear and DequantizeLinear."""
    def convert():
        model = fuse(settle(make()))
        config = QConfigMapping().set_global(get_default_qat_qconfig("qnnpack", version=0))
        drawn = image()()
        model = prepare_qat_fx(model.train(), config, drawn).eval()
        with torch.no_grad():
            model(*drawn)
        return model.apply(disable_observer)
    return convert


MODELS = {
    "vgg11": (vgg11, image()),
    "resnet18": (vision("resnet18"), image()),
    "resnet18_int8": (quantised(vision("resnet18")), image()),
    "resnet50": (vision("resnet50"), image()),
    "mobilenet_v2": (vision("mobilenet_v2"), image()),
    "mobilenet_v3": (vision("mobilenet_v3_large"), image()),
    "efficientnet_b0": (vision("efficientnet_b0"), image()),
    "densenet121": (vision("densenet121"), image()),
    "squeezenet": (vision("squeezenet1_1"), image()),
    "inception_v3": (vision("inception_v3", aux_logits=True, init_weights=False), image(299)),
    "bert": (Bert, lambda: (torch.randint(0, 30522, (1, 128)),)),
    "gpt2": (Gpt, lambda: (torch.randint(0, 50257, (1, 64)),)),
    "vit": (Vit, image()),
    "lstm_1": (lambda: Recurrent(nn.LSTM), lambda: (torch.randn(100, 1, 128),)),
    "lstm_8": (lambda: Recurrent(nn.LSTM), lambda: (torch.randn(100, 8, 128),)),
    "gru_1": (lambda: Recurrent(nn.GRU), lambda: (torch.randn(100, 1, 128),)),
    "gru_8": (lambda: Recurrent(nn.GRU), lambda: (torch.randn(100, 8, 128),)),
    "lstm_2_layers": (lambda: Recurrent(nn.LSTM, 2), lambda: (torch.randn(100, 1, 128),)),
    "lstm_both_ways": (lambda: Recurrent(nn.LSTM, 1, True), lambda: (torch.randn(100, 1, 128),)),
    "mlp_policy": (mlp_policy, lambda: (torch.randn(1, 41),)),
    "lstm_policy": (LstmPolicy, lambda: (torch.randn(1, 1, 41), torch.zeros(1, 1, 64),
                                         torch.zeros(1, 1, 64))),
}


# Examples of a call of 100 trees of depth 8.
FORESTS = {"forest_1": 1, "forest_1000": 1000}


def forest(examples, trees=100, depth=8, features=32):
    """A regression forest of complete trees, as gradient boosting writes it."""
    random = np.random.default_rng(7)
    inner, count = 2 ** depth - 1, 2 ** (depth + 1) - 1
    of_tree = np.arange(count)
    is_leaf = of_tree >= inner
    nodes = {
        "treeids": np.repeat(np.arange(trees), count), "nodeids": np.tile(of_tree, trees),
        "truenodeids": np.tile(np.where(is_leaf, 0, 2 * of_tree + 1), trees),
        "falsenodeids": np.tile(np.where(is_leaf, 0, 2 * of_tree + 2), trees),
        "featureids": np.where(np.tile(is_leaf, trees), 0,
                               random.integers(0, features, trees * count)),
        "values": random.standard_normal(trees * count).astype(np.float32)}
    leaves = {
        "treeids": np.repeat(np.arange(trees), count - inner),
        "nodeids": np.tile(of_tree[is_leaf], trees),
        "ids": np.zeros(trees * (count - inner), np.int64),
        "weights": random.standard_normal(trees * (count - inner)).astype(np.float32)}
    attributes = {f"nodes_{key}": values.tolist() for key, values in nodes.items()}
    attributes |= {f"target_{key}": values.tolist() for key, values in leaves.items()}
    modes = (["BRANCH_LEQ"] * inner + ["LEAF"] * (count - inner)) * trees
    node = helper.make_node("TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml",
                            nodes_modes=modes, n_targets=1, **attributes)
    tensor = helper.make_tensor_value_info
    graph = helper.make_graph([node], "forest",
                              [tensor("x", onnx.TensorProto.FLOAT, [examples, features])],
                              [tensor("y", onnx.TensorProto.FLOAT, [examples, 1])])
    opsets = [helper.make_opsetid("", 14), helper.make_opsetid("ai.onnx.ml", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


# Rows of a call of a product by a matrix of 4 bits.
BLOCK_PRODUCTS = {"product_4_bits_1": 1, "product_4_bits_64": 64}


def block_product(rows, size=2048, block=32):
    """A layer of a language model with its weights in 4 bits, as ONNX Runtime's tools write it."""
    random = np.random.default_rng(7)
    blocks = size // block
    constants = {
        "weight": random.integers(0, 256, (size, blocks, block // 2)).astype(np.uint8),
        "scales": random.uniform(0.001, 0.003, size * blocks).astype(np.float32),
        "zeros": random.integers(0, 256, size * blocks // 2).astype(np.uint8)}
    node = helper.make_node("MatMulNBits", ["x", *constants], ["y"], domain="com.microsoft",
                            K=size, N=size, bits=4, block_size=block)
    tensor = helper.make_tensor_value_info
    graph = helper.make_graph([node], "product",
                              [tensor("x", onnx.TensorProto.FLOAT, [rows, size])],
                              [tensor("y", onnx.TensorProto.FLOAT, [rows, size])],
                              [numpy_helper.from_array(array, name)
                               for name, array in constants.items()])
    opsets = [helper.make_opsetid("", 14), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


# Models that are written by hand: what makes them, and its argument.
WRITTEN = {**{name: (forest, examples) for name, examples in FORESTS.items()},
           **{name: (block_product, rows) for name, rows in BLOCK_PRODUCTS.items()}}


class SmallCnn(nn.Module):
    """Of images of 32 x 32 in ten classes."""

    def __init__(self, channels=(32, 64, 64)):
        super().__init__()
        layers = []
        for before, after in zip((3, *channels), channels):
            layers += [nn.Conv2d(before, after, 3, 2 if before == 3 else 1, 1),
                       nn.BatchNorm2d(after), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(channels[-1], 10)

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


def trained_cnn():
    """Learns from noise which of ten random features is the strongest: answers vary, and are not
    ties, as those of random weights are."""
    teacher = nn.Sequential(nn.Conv2d(3, 10, 5), nn.Softplus(4), nn.AdaptiveAvgPool2d(1),
                            nn.Flatten(), nn.BatchNorm1d(10, affine=False))
    student = SmallCnn()
    optimizer = torch.optim.Adam(student.parameters(), 3e-3)
    for _ in range(400):
        images = torch.randn(64, 3, 32, 32)
        with torch.no_grad():
            classes = teacher(images).argmax(1)
        loss = nn.functional.cross_entropy(student(images), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return student.eval()


# For precision.py; run.py measures those above.
TRAINED = {"trained_cnn": (trained_cnn, image(32))}


def settle(model):
    """Random statistics, so that batch normalisation does something that folding must get right."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
    return model.eval()


def main():
    folder = sys.argv[1]
    for name in sys.argv[2:] or [*MODELS, *WRITTEN]:
        target = os.path.join(folder, name)
        if os.path.exists(os.path.join(target, "model.onnx")):
            continue
        os.makedirs(target, exist_ok=True)
        if name in WRITTEN:
            write, argument = WRITTEN[name]
            onnx.save(write(argument), os.path.join(target, "model.onnx"))
            continue
        make, inputs = {**MODELS, **TRAINED}[name]
        torch.manual_seed(7)
        model = make() if name in TRAINED else settle(make())
        with torch.no_grad():
            torch.onnx.export(model, inputs(), os.path.join(target, "model.onnx"), opset_version=14)
        if name.endswith("_int8"):
            make_scales_scalars(os.path.join(target, "model.onnx"))


if __name__ == "__main__":
    main()
