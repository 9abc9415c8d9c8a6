# SPDX-License-Identifier: Apache-2.0
"""Relax operators of neural networks on NumPy, as TVM defines them.

Normalisation, windows, sizes, detection, quantisation.
"""
import itertools
import math

import numpy as np

from relax_ops import OPS, op, range_of, same_dtype


# Normalisation.

def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + np.asarray(epsilon, x.dtype))


@op("nn.batch_norm")
def batch_norm(x, gamma, beta, mean, variance, axis, epsilon=1e-5, center=True, scale=True,
               momentum=0.1, training=True):
    assert not training and center and scale
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    unit = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + np.float32(epsilon))
    out = unit * gamma.reshape(shape) + beta.reshape(shape)
    return out.astype(x.dtype), mean, variance


@op("nn.layer_norm")
def layer_norm(x, gamma, beta, axes, epsilon=1e-5, center=True, scale=True):
    assert gamma.shape == beta.shape == tuple(x.shape[a] for a in axes)
    return normalized(x, tuple(axes), epsilon) * gamma + beta


@op("nn.rms_norm")
def rms_norm(x, weight, axes, epsilon=1e-5):
    square = np.mean(x * x, tuple(axes), keepdims=True)
    return (x / np.sqrt(square + np.asarray(epsilon, x.dtype)) * weight).astype(x.dtype)


@op("nn.group_norm")
def group_norm(x, gamma, beta, num_groups, channel_axis, axes, epsilon=1e-5, center=True,
               scale=True):
    assert channel_axis == 1 and gamma.ndim == 1
    groups = x.reshape((x.shape[0], num_groups, -1))
    unit = normalized(groups, 2, epsilon).reshape(x.shape)
    shape = [1, -1] + [1] * len(axes)
    return unit * gamma.reshape(shape) + beta.reshape(shape)


# Windows.

def windows(x, kernel, strides, padding, dilation, ceil_mode=False, fill=0):
    """(padded x windows: N, C, out..., kernel...) and the same of a mask of true elements."""
    n = len(kernel)
    before, after = padding[:n], padding[n:]
    outs, pairs = [], [(0, 0), (0, 0)]
    for i in range(n):
        span = (kernel[i] - 1) * dilation[i] + 1
        moves = x.shape[2 + i] + before[i] + after[i] - span
        out = (-(-moves // strides[i]) if ceil_mode else moves // strides[i]) + 1
        if ceil_mode and (out - 1) * strides[i] >= x.shape[2 + i] + before[i]:
            out -= 1
        outs.append(out)
        reach = (out - 1) * strides[i] + span - x.shape[2 + i] - before[i]
        pairs.append((before[i], max(after[i], reach)))
    padded = np.pad(x, pairs, constant_values=fill)
    mask = np.pad(np.ones_like(x, bool), pairs)
    index = [np.arange(outs[i])[:, None] * strides[i] + np.arange(kernel[i]) * dilation[i]
             for i in range(n)]
    grid = []
    for i, places in enumerate(index):
        shape = [1] * (2 * n)
        shape[i], shape[n + i] = places.shape
        grid.append(places.reshape(shape))
    select = (slice(None), slice(None)) + tuple(grid)
    return padded[select], mask[select]


def pool(name, spatial):
    def run(x, pool_size, strides, padding, dilation, ceil_mode=False, count_include_pad=False,
            layout=None, out_layout=None):
        axes = tuple(range(2 + spatial, 2 + 2 * spatial))
        if name == "max":
            low = range_of(x.dtype).min  # with which TVM starts too
            values, _ = windows(x, pool_size, strides, padding, dilation, ceil_mode, low)
            return values.max(axes, initial=low)
        assert not ceil_mode
        values, mask = windows(x, pool_size, strides, padding, dilation)
        count = math.prod(pool_size) if count_include_pad else mask.sum(axes)
        return (values.sum(axes) / count).astype(x.dtype)
    OPS[f"nn.{name}_pool{spatial}d"] = run


def convolution(spatial):
    def run(x, weight, strides, padding, dilation, groups, data_layout, kernel_layout, out_layout,
            out_dtype):
        assert data_layout == out_layout and out_dtype is None and kernel_layout.startswith("OI")
        same_dtype(x, weight)
        values, _ = windows(x, weight.shape[2:], strides, padding, dilation)
        outputs = []
        for g in range(groups):
            inputs = np.split(values, groups, 1)[g]
            kernel = np.split(weight, groups, 0)[g]
            over = tuple(range(2 + spatial, 2 + 2 * spatial))
            out = np.tensordot(inputs, kernel, ((1,) + over, (1,) + tuple(range(2, 2 + spatial))))
            outputs.append(np.moveaxis(out, -1, 1))
        return np.concatenate(outputs, 1).astype(x.dtype)
    OPS[f"nn.conv{spatial}d"] = run


def transposed_convolution(spatial):
    def run(x, weight, strides, padding, output_padding, dilation, groups, data_layout,
            kernel_layout, out_layout, out_dtype):
        assert data_layout == out_layout and out_dtype is None and kernel_layout.startswith("IO")
        kernel = weight.shape[2:]
        full = [(x.shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilation[i] + 1 +
                output_padding[i] for i in range(spatial)]
        out = np.zeros([x.shape[0], weight.shape[1] * groups] + full, x.dtype)
        parts = zip(np.split(x, groups, 1), np.split(weight, groups, 0))
        for g, (inputs, taps) in enumerate(parts):
            channels = slice(g * weight.shape[1], (g + 1) * weight.shape[1])
            for tap in itertools.product(*map(range, kernel)):
                product = np.moveaxis(np.tensordot(inputs, taps[(...,) + tap], (1, 0)), -1, 1)
                area = tuple(
                    slice(tap[i] * dilation[i],
                          tap[i] * dilation[i] + (x.shape[2 + i] - 1) * strides[i] + 1, strides[i])
                    for i in range(spatial))
                out[(slice(None), channels) + area] += product
        crop = tuple(slice(padding[i], full[i] - padding[spatial + i]) for i in range(spatial))
        return out[(slice(None), slice(None)) + crop]
    OPS[f"nn.conv{spatial}d_transpose"] = run


for _spatial in (1, 2, 3):
    pool("max", _spatial)
    pool("avg", _spatial)
    convolution(_spatial)
    transposed_convolution(_spatial)


def cubic_weights(t, a):
    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.array([far(1 + t), near(t), near(1 - t), far(2 - t)])


def resize_matrix(size, out, method, coordinates, rounding, alpha, exclude):
    """out × size: how each element of the result is made of those of one axis."""
    scale = (size - 1) / (out - 1) if coordinates == "align_corners" else size / out
    matrix = np.zeros((out, size))
    for o in range(out):
        half = coordinates in ("half_pixel", "pytorch_half_pixel")
        place = (o + 0.5) * scale - 0.5 if half else o * scale
        if method == "nearest_neighbor":
            index = {"round_prefer_floor": math.ceil(place - 0.5),
                     "round_prefer_ceil": math.floor(place + 0.5),
                     "floor": math.floor(place + 1e-5),
                     "ceil": math.ceil(place - 1e-5)}[rounding]
            matrix[o, min(max(index, 0), size - 1)] = 1
            continue
        low = math.floor(place)
        t = place - low
        if method == "linear":
            taps, weights = range(low, low + 2), np.array([1 - t, t])
        else:
            taps, weights = range(low - 1, low + 3), cubic_weights(t, alpha)
            if exclude:
                weights = weights * [0 <= tap < size for tap in taps]
                weights = weights / weights.sum()
        for tap, weight in zip(taps, weights):
            matrix[o, min(max(tap, 0), size - 1)] += weight
    return matrix


@op("image.resize2d")
def resize2d(x, size, layout, method, coordinate_transformation_mode, rounding_method,
             cubic_alpha=-0.75, cubic_exclude=0):
    assert layout == "NCHW"
    rows, columns = [
        resize_matrix(x.shape[2 + i], size[i], method, coordinate_transformation_mode,
                      rounding_method, cubic_alpha, cubic_exclude) for i in range(2)]
    return np.einsum("nchw,oh,pw->ncop", x, rows, columns).astype(x.dtype)


# Detection.

def sample(image, y, x):
    """(C,) between the pixels of (C, H, W); 0 further than a pixel outside."""
    height, width = image.shape[1:]
    if not (-1 <= y <= height and -1 <= x <= width):
        return np.zeros(image.shape[0])
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    upper = image[:, top, left] * (1 - x + left) + image[:, top, right] * (x - left)
    lower = image[:, bottom, left] * (1 - x + left) + image[:, bottom, right] * (x - left)
    return upper * (1 - y + top) + lower * (y - top)


@op("vision.roi_align")
def roi_align(x, rois, pooled_size, spatial_scale, sample_ratio=-1, aligned=False, layout="NCHW",
              mode="avg"):
    assert layout == "NCHW" and mode == "avg" and rois.shape[1] == 5
    same_dtype(x, rois)
    out = np.empty((len(rois), x.shape[1], *pooled_size), x.dtype)
    for r, (batch, *corners) in enumerate(rois):
        left, top, right, bottom = np.array(corners) * spatial_scale
        sizes = np.array([bottom - top, right - left])
        bins = (sizes if aligned else np.maximum(sizes, 1)) / pooled_size
        counts = [sample_ratio] * 2 if sample_ratio > 0 else np.ceil(bins).astype(int)
        for i, j in np.ndindex(*pooled_size):
            samples = [sample(x[int(batch)], top + (i + (p + 0.5) / counts[0]) * bins[0],
                              left + (j + (q + 0.5) / counts[1]) * bins[1])
                       for p, q in np.ndindex(*counts)]
            out[r, :, i, j] = np.mean(samples, 0) if samples else 0
    return out


@op("vision.roi_pool")
def roi_pool(x, rois, pooled_size, spatial_scale, layout="NCHW"):
    assert layout == "NCHW" and rois.shape[1] == 5
    same_dtype(x, rois)
    out = np.zeros((len(rois), x.shape[1], *pooled_size), x.dtype)
    for r, (batch, *corners) in enumerate(rois):
        left, top, right, bottom = np.rint(np.array(corners) * spatial_scale)
        bins = np.maximum([bottom - top + 1, right - left + 1], 1) / pooled_size
        for i, j in np.ndindex(*pooled_size):
            low = np.floor(np.array([i, j]) * bins) + [top, left]
            high = np.ceil(np.array([i + 1, j + 1]) * bins) + [top, left]
            (a, c), (b, d) = (np.clip(e, 0, x.shape[2:]).astype(int) for e in (low, high))
            if a < b and c < d:
                out[r, :, i, j] = x[int(batch), :, a:b, c:d].max((1, 2))
    return out


def overlap(a, b):
    """Intersection over union of boxes by two corners, in any order."""
    (top, left), (bottom, right) = np.minimum(a[:2], a[2:]), np.maximum(a[:2], a[2:])
    (upper, west), (lower, east) = np.minimum(b[:2], b[2:]), np.maximum(b[:2], b[2:])
    common = (max(min(bottom, lower) - max(top, upper), 0) *
              max(min(right, east) - max(left, west), 0))
    union = (bottom - top) * (right - left) + (lower - upper) * (east - west) - common
    return common / union if union > 0 else 0


@op("vision.all_class_non_max_suppression")
def all_class_non_max_suppression(boxes, scores, max_output_boxes_per_class, iou_threshold,
                                  score_threshold, output_format="onnx"):
    """Rows for as many boxes as there might be, of which the first count."""
    assert output_format == "onnx"
    rows = []
    for b, c in np.ndindex(*scores.shape[:2]):
        chosen = []
        for i in np.argsort(-scores[b, c], kind="stable"):
            if scores[b, c, i] > score_threshold and len(chosen) < max_output_boxes_per_class and \
                    all(overlap(boxes[b, i], boxes[b, k]) <= iou_threshold for k in chosen):
                chosen.append(i)
        rows += [(b, c, i) for i in chosen]
    all_rows = np.full((scores.size, 3), -1, np.int64)
    all_rows[:len(rows)] = np.array(rows, np.int64).reshape(-1, 3)
    return all_rows, np.array([len(rows)], np.int64)


# Quantisation.

def along(x, vector, axis):
    if vector.ndim == 0:
        return vector
    return vector.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


@op("quantize")
def quantize(x, scale, zero_point, axis=-1, out_dtype="int8"):
    limits = np.iinfo(out_dtype)
    shifted = np.rint(x / along(x, scale, axis)) + along(x, zero_point, axis)
    return np.clip(shifted, limits.min, limits.max).astype(out_dtype)


@op("dequantize")
def dequantize(x, scale, zero_point, axis=-1, out_dtype="float32"):
    shifted = x.astype(np.int32) - along(x, zero_point, axis).astype(np.int32)
    return (shifted.astype(out_dtype) * along(x, scale, axis)).astype(out_dtype)
