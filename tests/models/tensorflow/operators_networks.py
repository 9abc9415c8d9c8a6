# SPDX-License-Identifier: Apache-2.0
"""Layers of networks beside windows: normalisations, blocks, images, boxes that are selected."""

import colorsys

import numpy as np

import operator_cases
from operator_cases import DRAW, FLOAT, Group, f32, i32
from operators_elements import drawn
from operators_windows import convolved, depthwise, first_channels


def normalized(x, scale, offset, mean, variance, epsilon):
    return ((x - mean) / np.sqrt(variance + epsilon) * scale + offset).astype(np.float32)


def make_normalized():
    group = Group("normalizations")
    scale, offset, mean, variance = f32(3), f32(3), f32(3), np.abs(f32(3)) + np.float32(0.1)
    for op in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
        types = {} if op == "FusedBatchNorm" else {"U": "dt:float"}
        for layout in ("NHWC", "NCHW"):
            x = f32(2, 4, 5, 3)
            turn = first_channels if layout == "NCHW" else np.asarray
            told = {"data_format": layout, "epsilon": 0.01, **types}
            group.call(op, turn(x), (scale,), (offset,), (mean,), (variance,), is_training=False,
                       wanted=turn(normalized(x, scale, offset, mean, variance, 0.01)), **told)
            own, spread = x.mean((0, 1, 2)), x.var((0, 1, 2))
            none = (np.zeros(0, np.float32),)
            group.call(op, turn(x), (scale,), (offset,), none, none, is_training=True, wanted=[
                turn(normalized(x, scale, offset, own, spread, 0.01)), own, spread * np.float32(40 / 39)],
                **told)
    x = drawn("half", 2, 4, 5, 3)
    group.call("FusedBatchNormV3", x, (scale,), (offset,), (mean,), (variance,), is_training=False,
               wanted=normalized(x, scale, offset, mean, variance, 0.01).astype(np.float16),
               data_format="NHWC", epsilon=0.01, U="dt:float")
    x, side = f32(2, 4, 5, 3), f32(2, 4, 5, 3)
    wanted = np.maximum(normalized(x, scale, offset, mean, variance, 0.01) + side, 0)
    group.call("_FusedBatchNormEx", x, (scale,), (offset,), (mean,), (variance,), side, wanted=wanted,
               is_training=False, data_format="NHWC", epsilon=0.01, U="dt:float", num_side_inputs=1,
               activation_mode="Relu")
    x = f32(1, 2, 3, 7)
    total = sum(np.pad(x * x, [(0, 0)] * 3 + [(2, 2)])[..., i:i + 7] for i in range(5))
    group.call("LRN", x, wanted=x / (1.5 + 0.3 * total) ** np.float32(0.7), depth_radius=2, bias=1.5,
               alpha=0.3, beta=0.7)
    for layout, turn in (("NHWC", np.asarray), ("NCHW", first_channels)):
        x = f32(2, 4, 5, 3)
        group.call("BiasAdd", turn(x), (offset,), wanted=turn(x + offset), data_format=layout)
    group.call("BiasAddV1", x, (offset,), wanted=x + offset)
    group.save()


def to_blocks(x, size):
    batch, height, width, channels = x.shape
    x = x.reshape(batch, height // size, size, width // size, size, channels)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height // size, width // size, -1)


def make_blocks():
    group = Group("blocks")
    for layout, turn in (("NHWC", np.asarray), ("NCHW", first_channels)):
        x = f32(2, 4, 6, 3)
        group.call("SpaceToDepth", turn(x), wanted=turn(to_blocks(x, 2)), block_size=2, data_format=layout)
        group.call("DepthToSpace", turn(to_blocks(x, 2)), wanted=turn(x), block_size=2, data_format=layout)
    x = f32(1, 3, 5, 2)
    padded = np.pad(x, [(0, 0), (1, 0), (0, 1), (0, 0)])
    images = np.concatenate([padded[:, i::2, j::2] for i in (0, 1) for j in (0, 1)])
    edges = i32(1, 0, 0, 1).reshape(2, 2)
    group.call("SpaceToBatch", x, (edges,), wanted=images, block_size=2, Tpaddings="dt:int32")
    group.call("BatchToSpace", images, (edges,), wanted=x, block_size=2, Tidx="dt:int32")
    group.save()


def resized(x, height, width, corners=False):
    """Bilinear, from the first pixel on; `corners`: to the last one."""
    rows, columns = (np.arange(n) * ((size - 1) / (n - 1) if corners else size / n)
                     for n, size in ((height, x.shape[1]), (width, x.shape[2])))

    def along(x, places, axis):
        low = np.floor(places + 1e-9).astype(int)
        high = np.minimum(low + 1, x.shape[axis] - 1)
        share = (places - low).reshape([-1 if i == axis else 1 for i in range(4)])
        return np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share
    return along(along(x, rows, 1), columns, 2).astype(np.float32)


def make_fused_windows():
    group = Group("fused_windows")
    x, w, bias = f32(1, 6, 5, 3), f32(2, 3, 3, 2), f32(6)
    wanted = np.maximum(depthwise(x, w, [1, 1], "SAME") + bias, 0)
    group.call("_FusedDepthwiseConv2dNative", x, (w,), (bias,), wanted=wanted, num_args=1,
               fused_ops=["BiasAdd", "Relu"], strides=[1, 1, 1, 1], padding="SAME", data_format="NHWC")
    w, pads = f32(3, 2, 3, 4), i32(0, 0, 1, 2, 2, 0, 0, 0).reshape(4, 2)
    wanted = convolved(np.pad(resized(x, 9, 7), pads, mode="reflect"), w, [2, 1], "VALID")
    group.call("FusedResizeAndPadConv2D", x, (i32(9, 7),), (pads,), (w,), wanted=wanted, mode="REFLECT",
               strides=[1, 2, 1, 1], padding="VALID", resize_align_corners=False)
    group.save()


def each_pixel(function, x):
    return np.array([function(*pixel) for pixel in x.reshape(-1, 3).astype(float)]).reshape(
        x.shape).astype(np.float32)


def make_colours():
    group = Group("colours")
    x = DRAW.random((2, 3, 4, 3)).astype(np.float32)
    x[0, 0, 0] = 0.5
    for delta in (0.3, -0.7):
        def turned(r, g, b, delta=delta):
            hue, saturation, value = colorsys.rgb_to_hsv(r, g, b)
            return colorsys.hsv_to_rgb((hue + delta) % 1, saturation, value)
        group.call("AdjustHue", x, (np.float32(delta),), wanted=each_pixel(turned, x))
        group.call("AdjustHue", x - 1, (np.float32(delta),), wanted=each_pixel(turned, x) - 1)
    for scale in (0.4, 3):
        def stretched(r, g, b, scale=scale):
            hue, saturation, value = colorsys.rgb_to_hsv(r, g, b)
            return colorsys.hsv_to_rgb(hue, min(saturation * scale, 1), value)
        group.call("AdjustSaturation", x, (np.float32(scale),), wanted=each_pixel(stretched, x))
    group.save()


def kept_boxes(boxes, scores, most, overlap, least=-np.inf):
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area, kept = (high - low).prod(1), []
    for i in np.argsort(-scores, kind="stable"):
        shared = [np.maximum(np.minimum(high[i], high[k]) - np.maximum(low[i], low[k]), 0).prod() for k in kept]
        parts = [part / (area[i] + area[k] - part) for part, k in zip(shared, kept)]
        if scores[i] > least and len(kept) < most and all(part <= overlap for part in parts):
            kept.append(i)
    return i32(*kept)


def make_selected():
    group = Group("selected_boxes")
    corner = DRAW.random((12, 2)).astype(np.float32)
    boxes = np.concatenate([corner, corner + np.float32(0.5)], 1)
    boxes[::3] = boxes[::3, [2, 3, 0, 1]]
    scores = DRAW.random(12).astype(np.float32)
    most, overlap, least = (np.int32(9),), (np.float32(0.4),), (np.float32(0.2),)
    few, some = kept_boxes(boxes, scores, 9, 0.4), kept_boxes(boxes, scores, 9, 0.4, 0.2)
    group.call("NonMaxSuppression", boxes, scores, most, wanted=few, iou_threshold=0.4)
    group.call("NonMaxSuppressionV2", boxes, scores, most, overlap, wanted=few, **FLOAT)
    group.call("NonMaxSuppressionV3", boxes, scores, most, overlap, least, wanted=some, **FLOAT)
    count = np.int32(len(some))
    padded = np.concatenate([some, np.zeros(9 - count, np.int32)])
    for pads, wanted in ((False, some), (True, padded)):
        group.call("NonMaxSuppressionV4", boxes, scores, most, overlap, least, wanted=[wanted, count],
                   pad_to_max_output_size=pads, **FLOAT)
    group.save()


def make_networks():
    operator_cases.seed(35)
    make_normalized()
    make_blocks()
    make_fused_windows()
    make_colours()
    make_selected()
