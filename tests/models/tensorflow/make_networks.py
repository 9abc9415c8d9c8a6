#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes networks/: small convolution networks with the structure of well-known ones, channels last.

Usage: make_networks.py ORACLE [NAME]      (in the root of the project; operator_cases.py)

meta.json tells how many transposes their layout takes: one where an image comes in, one where one
goes out.
"""

import numpy as np

import operator_cases
from operator_cases import FLOAT, G, f32, i32, save


class Network:
    def __init__(self):
        self.g = G()
        self.count = 0

    def op(self, op, *inputs, **attributes):
        return self.g.op(op, *inputs, **FLOAT, **attributes)

    def const(self, array):
        self.count += 1
        return self.g.const(np.asarray(array), name=f"k{self.count}")

    def conv(self, x, inputs, outputs, size=1, stride=1, padding="SAME"):
        weights = f32(size, size, inputs, outputs) / np.float32(size * np.sqrt(inputs))
        return self.op("Conv2D", x, self.const(weights), strides=[1, stride, stride, 1], padding=padding)

    def depthwise(self, x, channels, size=3, stride=1, padding="SAME"):
        weights = f32(size, size, channels, 1) / np.float32(size)
        return self.op("DepthwiseConv2dNative", x, self.const(weights), padding=padding,
                       strides=[1, stride, stride, 1])

    def normed(self, x, channels):
        mean, scale, offset = f32(channels), f32(channels), f32(channels)
        return self.g.op("FusedBatchNormV3", x, self.const(scale), self.const(offset), self.const(mean),
                         self.const(np.abs(f32(channels)) + np.float32(0.5)), epsilon=0.001,
                         is_training=False, U="dt:float", **FLOAT)

    def padded(self, x):
        """ZeroPadding2D before a stride of 2."""
        return self.op("Pad", x, self.const(i32(0, 0, 0, 1, 0, 1, 0, 0).reshape(4, 2)),
                       Tpaddings="dt:int32")

    def bias(self, x, channels):
        return self.op("BiasAdd", x, self.const(f32(channels)))

    def relu6(self, x):
        return self.op("Relu6", x)

    def swish(self, x):
        return self.op("Mul", x, self.op("Sigmoid", x))

    def mean(self, x, keep=False):
        return self.op("Mean", x, self.const(i32(1, 2)), keep_dims=keep, Tidx="dt:int32")

    def head(self, x, channels, classes):
        x = self.op("MatMul", self.mean(x), self.const(f32(channels, classes)))
        return self.op("Softmax", self.bias(x, classes))


def mobilenet():
    """MobileNetV2: inverted residuals."""
    net = Network()
    net.g.ph("x", "float", (-1, 16, 16, 3))
    x = net.relu6(net.normed(net.conv(net.padded("x"), 3, 8, 3, 2, "VALID"), 8))
    for stride in (1, 2, 1):
        wide = net.relu6(net.normed(net.conv(x, 8, 16), 16))
        if stride == 2:
            wide = net.depthwise(net.padded(wide), 16, stride=2, padding="VALID")
        else:
            wide = net.depthwise(wide, 16)
        narrow = net.normed(net.conv(net.relu6(net.normed(wide, 16)), 16, 8), 8)
        x = net.op("AddV2", x, narrow) if stride == 1 else narrow
    return net, net.head(x, 8, 5), 1


def efficientnet():
    """EfficientNet: rescaled images, swish, squeeze and excitation."""
    net = Network()
    net.g.ph("x", "float", (-1, 16, 16, 3))
    x = net.op("Mul", "x", net.const(np.float32(1 / 255)))
    x = net.op("Sub", x, net.const(f32(1, 1, 1, 3)))
    x = net.op("RealDiv", x, net.const(np.abs(f32(1, 1, 1, 3)) + 1))
    x = net.swish(net.normed(net.conv(net.padded(x), 3, 8, 3, 2, "VALID"), 8))
    for stride in (1, 2):
        wide = net.swish(net.normed(net.depthwise(net.conv(x, 8, 16), 16, 5, stride), 16))
        sizes = net.g.op("Shape", wide, out_type="dt:int32", **FLOAT)
        batch = net.g.op("StridedSlice", sizes, net.const(i32(0)), net.const(i32(1)), net.const(i32(1)),
                         shrink_axis_mask=1, T="dt:int32", Index="dt:int32")
        shape = net.g.op("Pack", batch, net.const(i32(1)[0]), net.const(i32(1)[0]),
                         net.const(i32(16)[0]), N=4, axis=0, T="dt:int32")
        squeezed = net.op("Reshape", net.mean(wide), shape, Tshape="dt:int32")
        squeezed = net.swish(net.bias(net.conv(squeezed, 16, 4), 4))
        weight = net.op("Sigmoid", net.bias(net.conv(squeezed, 4, 16), 16))
        narrow = net.normed(net.conv(net.op("Mul", wide, weight), 16, 8), 8)
        x = net.op("AddV2", narrow, x) if stride == 1 else narrow
    return net, net.head(x, 8, 5), 1


def unet():
    """U-Net: pooled and enlarged maps, joined with those of the way down; a map goes out."""
    net = Network()
    net.g.ph("x", "float", (-1, 16, 16, 3))
    first = net.op("Relu", net.bias(net.conv("x", 3, 8, 3), 8))
    down = net.op("MaxPool", first, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    down = net.op("LeakyRelu", net.bias(net.conv(down, 8, 16, 3), 16), alpha=0.1)
    up = net.op("ResizeNearestNeighbor", down, net.const(i32(16, 16)), half_pixel_centers=True)
    joined = net.op("ConcatV2", up, first, net.const(i32(3)[0]), N=2, Tidx="dt:int32")
    x = net.op("Relu", net.bias(net.conv(joined, 24, 8, 3), 8))
    return net, net.op("Sigmoid", net.bias(net.conv(x, 8, 2), 2)), 2


if __name__ == "__main__":
    operator_cases.seed(22)
    for make in (mobilenet, efficientnet, unet):
        made, result, transposes = make()
        save(make.__name__, made.g, {"x": f32(2, 16, 16, 3)}, [result], place="networks",
             transposes=transposes)
