# SPDX-License-Identifier: Apache-2.0
"""Networks of torchvision as TensorFlow writes them: GraphDefs with channels last, with the weights of
the module that they are made of.

Strides with padding become Pad and a valid convolution, as in Keras's applications; a batch
normalisation stays FusedBatchNormV3. Needs protoc, which makes the messages from our schema.
"""

import importlib
import operator
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch import fx, nn
from torchvision.ops import StochasticDepth
from torchvision.ops.stochastic_depth import stochastic_depth

SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "proto/tensorflow/tensorflow.proto"


def messages():
    """The schema as a Python module."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={SCHEMA.parent}", f"--python_out={folder}",
                        SCHEMA.name], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("tensorflow_pb2")
        finally:
            sys.path.remove(folder)


class Graph:
    def __init__(self, pb):
        self.pb = pb
        self.graph = pb.GraphDef()
        self.graph.versions.producer = 1395

    def op(self, op, *inputs, of_floats=True, **attributes):
        node = self.graph.node.add(op=op, name=f"{op}_{len(self.graph.node)}", input=inputs)
        if of_floats:
            node.attr["T"].type = self.pb.DT_FLOAT
        for name, value in attributes.items():
            self.fill(node.attr[name], value)
        return node.name

    def fill(self, attribute, value):
        if isinstance(value, bool):
            attribute.b = value
        elif isinstance(value, float):
            attribute.f = value
        elif isinstance(value, str):
            attribute.s = value.encode()
        elif isinstance(value, list):
            attribute.list.i.extend(value)
        elif isinstance(value, self.pb.TensorProto):
            attribute.tensor.CopyFrom(value)
        elif isinstance(value, self.pb.TensorShapeProto):
            attribute.shape.CopyFrom(value)
        else:
            attribute.type = value

    def sizes(self, sizes):
        return self.pb.TensorShapeProto(dim=[{"size": size} for size in sizes])

    def placeholder(self, *sizes):
        return self.op("Placeholder", of_floats=False, dtype=self.pb.DT_FLOAT, shape=self.sizes(sizes))

    def const(self, array):
        array = np.asarray(array)
        dtype = self.pb.DT_FLOAT if array.dtype == np.float32 else self.pb.DT_INT32
        tensor = self.pb.TensorProto(dtype=dtype, tensor_shape=self.sizes(array.shape),
                                     tensor_content=array.tobytes())
        return self.op("Const", of_floats=False, dtype=dtype, value=tensor)

    def ints(self, values):
        return self.const(np.array(values, np.int32))


def weights(parameter, *axes):
    array = parameter.detach().numpy()
    return np.ascontiguousarray(array.transpose(axes) if axes else array)


def write_convolution(g, layer, x):
    (stride, _), (pad, _) = layer.stride, layer.padding
    padding = "SAME" if stride == 1 and pad else "VALID"
    if pad and stride > 1:
        x = g.op("Pad", x, g.ints([[0, 0], [pad, pad], [pad, pad], [0, 0]]),
                 Tpaddings=g.pb.DT_INT32)
    options = {"strides": [1, stride, stride, 1], "padding": padding}
    if layer.groups == 1:
        y = g.op("Conv2D", x, g.const(weights(layer.weight, 2, 3, 1, 0)), **options)
    else:  # one channel a group: filters H W C 1
        y = g.op("DepthwiseConv2dNative", x, g.const(weights(layer.weight, 2, 3, 0, 1)), **options)
    return y if layer.bias is None else g.op("BiasAdd", y, g.const(weights(layer.bias)))


def write_norm(g, layer, x):
    parameters = (layer.weight, layer.bias, layer.running_mean, layer.running_var)
    return g.op("FusedBatchNormV3", x, *(g.const(weights(p)) for p in parameters),
                U=g.pb.DT_FLOAT, is_training=False, epsilon=layer.eps)


def write_linear(g, layer, x):
    product = g.op("MatMul", x, g.const(weights(layer.weight, 1, 0)))
    return g.op("BiasAdd", product, g.const(weights(layer.bias)))


def write_mean(g, x):
    return g.op("Mean", x, g.ints([1, 2]), keep_dims=True, Tidx=g.pb.DT_INT32)


LAYERS = {
    nn.Conv2d: write_convolution,
    nn.BatchNorm2d: write_norm,
    nn.Linear: write_linear,
    nn.ReLU6: lambda g, layer, x: g.op("Relu6", x),
    nn.Sigmoid: lambda g, layer, x: g.op("Sigmoid", x),
    nn.SiLU: lambda g, layer, x: g.op("Mul", x, g.op("Sigmoid", x)),
    nn.AdaptiveAvgPool2d: lambda g, layer, x: write_mean(g, x),
    nn.Dropout: lambda g, layer, x: x,
    StochasticDepth: lambda g, layer, x: x,
}
FUNCTIONS = {
    operator.add: lambda g, x, y: g.op("AddV2", x, y),
    operator.mul: lambda g, x, y: g.op("Mul", x, y),
    nn.functional.adaptive_avg_pool2d: lambda g, x, sizes: write_mean(g, x),
    torch.flatten: lambda g, x, axis: g.op("Squeeze", x, squeeze_dims=[1, 2]),
    stochastic_depth: lambda g, x, *rest: x,
}


def graph_def(module, size):
    """The bytes of a GraphDef that computes what `module` does of one image of `size` x `size`."""
    g = Graph(messages())
    traced = fx.symbolic_trace(module)
    made = {}
    for node in traced.graph.nodes:
        arguments = fx.map_arg(node.args, lambda argument: made[argument])
        if node.op == "placeholder":
            made[node] = g.placeholder(1, size, size, 3)
        elif node.op == "call_module":
            layer = traced.get_submodule(node.target)
            made[node] = LAYERS[type(layer)](g, layer, *arguments)
        elif node.op == "call_function":
            made[node] = FUNCTIONS[node.target](g, *arguments)
    return g.graph.SerializeToString(deterministic=True)
