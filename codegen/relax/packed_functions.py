# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that R.call_pure_packed calls in the module beside this file, on NumPy.

    import model_packed
    model_packed.register()    # before the module runs

The name of each is "dragoman." and that of an operator of ONNX or of Dragoman, and it computes what
that operator does. It takes the operands that are there, then one string: a Python dictionary of
the attributes, in which "absent" lists the places of operands that are not there. It gives an array,
or as many as the operator has results.
"""
import ast
import itertools
import math

import numpy as np


def BitShift(x, y, direction):
    bits = 8 * x.dtype.itemsize
    shifted = np.left_shift(x, y) if direction == "LEFT" else np.right_shift(x, y)
    return np.where(y < bits, shifted, 0).astype(x.dtype)


def Mod(a, b, fmod=0):
    return np.fmod(a, b) if fmod else np.mod(a, b)


def counted_from_end(indices, size):
    return np.where(indices < 0, indices + size, indices)


def GatherElements(data, indices, axis=0):
    places = np.indices(indices.shape)
    places[axis] = counted_from_end(indices, data.shape[axis])
    return data[tuple(places)]


def GatherND(data, indices, batch_dims=0):
    depth = indices.shape[-1]
    sizes = np.array(data.shape[batch_dims:batch_dims + depth])
    tuples = counted_from_end(indices, sizes)
    batch = np.indices(indices.shape[:-1])[:batch_dims]
    return data[(*batch, *np.moveaxis(tuples, -1, 0))]


REDUCERS = {"none": None, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


def reduced_at(data, places, updates, reduction):
    result = data.copy()
    if REDUCERS[reduction] is None:
        result[places] = updates
    else:
        REDUCERS[reduction].at(result, places, updates)
    return result


def ScatterND(data, indices, updates, reduction="none"):
    sizes = np.array(data.shape[:indices.shape[-1]])
    tuples = counted_from_end(indices, sizes)
    return reduced_at(data, tuple(np.moveaxis(tuples, -1, 0)), updates, reduction)


def TopK(x, k, axis=-1, largest=1, sorted=1):
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(object)
    order = np.argsort(-wide if largest else wide, axis, kind="stable")
    order = np.take(order, np.arange(int(k.ravel()[0])), axis)
    return np.take_along_axis(x, order, axis), order


def Svd(x):
    u, s, vh = np.linalg.svd(x.astype(np.float64), full_matrices=False)
    return u.astype(x.dtype), s.astype(x.dtype), vh.astype(x.dtype)


def SymmetricEigen(x):
    values, vectors = np.linalg.eigh(x.astype(np.float64), "L")
    return values.astype(x.dtype), vectors.astype(x.dtype)


def Eigen(x, complex=0):
    values, vectors = np.linalg.eig(x[..., 0] + 1j * x[..., 1] if complex else x)
    return tuple(np.stack([part.real, part.imag], -1).astype(x.dtype) for part in (values, vectors))


def corners(box, center_point_box):
    """Top, left, bottom and right."""
    if center_point_box:
        x, y, width, height = box
        return y - height / 2, x - width / 2, y + height / 2, x + width / 2
    return min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])


def overlap(a, b):
    """The intersection of two boxes over their union."""
    height = min(a[2], b[2]) - max(a[0], b[0])
    width = min(a[3], b[3]) - max(a[1], b[1])
    if not (height > 0 and width > 0):
        return 0
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - height * width
    return height * width / union


def number(array, absent):
    return absent if array is None or array.size == 0 else array.ravel()[0]


def NonMaxSuppression(boxes, scores, max_output_boxes_per_class=None, iou_threshold=None,
                      score_threshold=None, center_point_box=0):
    limit = number(max_output_boxes_per_class, 0)
    most, least = number(iou_threshold, 0), number(score_threshold, -math.inf)
    rows = []
    for batch, label in itertools.product(range(scores.shape[0]), range(scores.shape[1])):
        score, chosen = scores[batch, label], []
        for i in np.argsort(-score, kind="stable"):
            box = corners(boxes[batch, i], center_point_box)
            if len(chosen) >= limit or score[i] <= least or any(
                    overlap(box, corners(boxes[batch, j], center_point_box)) > most
                    for j in chosen):
                continue
            chosen.append(i)
            rows.append([batch, label, i])
    return np.array(rows, np.int64).reshape(-1, 3)


def sample_points(low, high, bins, half_pixel, spatial_scale, sampling_ratio):
    """Places along one axis of a region, by bin and sample."""
    offset = 0.5 if half_pixel else 0.0
    start, length = low * spatial_scale - offset, (high - low) * spatial_scale
    step = (length if half_pixel else max(length, 1.0)) / bins
    samples = sampling_ratio or math.ceil(step)
    within = (np.arange(samples) + 0.5) / max(samples, 1)
    return start + step * (np.arange(bins)[:, None] + within)


def taps(points, size):
    """The neighbours of each point with their weights, which are 0 more than a pixel outside."""
    inside = (points >= -1) & (points <= size)
    at = np.clip(points, 0, size - 1)
    low = np.floor(at).astype(int)
    share = at - low
    return ((low, inside * (1 - share)), (np.minimum(low + 1, size - 1), inside * share))


def RoiAlign(x, rois, batch_indices, mode="avg", output_height=1, output_width=1, sampling_ratio=0,
             spatial_scale=1.0, coordinate_transformation_mode="half_pixel"):
    half_pixel = coordinate_transformation_mode == "half_pixel"
    result = np.zeros((len(rois), x.shape[1], output_height, output_width), x.dtype)
    for r, (left, top, right, bottom) in enumerate(rois.astype(np.float64)):
        rows = sample_points(top, bottom, output_height, half_pixel, spatial_scale, sampling_ratio)
        columns = sample_points(left, right, output_width, half_pixel, spatial_scale,
                                sampling_ratio)
        image = x[batch_indices[r]].astype(np.float64)
        terms = []
        for (i, down), (j, along) in itertools.product(taps(rows, x.shape[2]),
                                                       taps(columns, x.shape[3])):
            weights = down[:, :, None, None] * along[None, None]
            terms.append(image[:, i[:, :, None, None], j[None, None]] * weights)
        terms = np.array(terms)  # (4, channels, rows, samples, columns, samples)
        if mode == "max":
            result[r] = terms.max((0, 3, 5))
        elif terms.shape[3] * terms.shape[5] > 0:
            result[r] = terms.sum(0).mean((2, 4))
    return result


def halves_up(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x).astype(int)


def MaxRoiPool(x, rois, pooled_shape, spatial_scale=1.0):
    height, width = x.shape[2:]
    result = np.zeros((len(rois), x.shape[1], *pooled_shape), x.dtype)
    for r, roi in enumerate(rois):
        left, top, right, bottom = halves_up(roi[1:] * spatial_scale)
        lengths = max(bottom - top + 1, 1), max(right - left + 1, 1)
        spans = [length / bins for length, bins in zip(lengths, pooled_shape)]
        for place in np.ndindex(*pooled_shape):
            low = [np.clip(math.floor(i * span) + start, 0, size) for i, span, start, size
                   in zip(place, spans, (top, left), (height, width))]
            high = [np.clip(math.ceil((i + 1) * span) + start, 0, size) for i, span, start, size
                    in zip(place, spans, (top, left), (height, width))]
            part = x[int(roi[0]), :, low[0]:high[0], low[1]:high[1]]
            if part[0].size:
                result[(r, slice(None), *place)] = part.max((1, 2))
    return result


OPERATORS = (BitShift, Eigen, GatherElements, GatherND, MaxRoiPool, Mod, NonMaxSuppression, RoiAlign,
             ScatterND, Svd, SymmetricEigen, TopK)


def call(operator, *arguments):
    """The results of `operator`, of the operands that are there and of the string of attributes."""
    *operands, text = arguments
    attributes = ast.literal_eval(str(text))
    for place in attributes.pop("absent", []):
        operands.insert(place, None)
    results = operator(*operands, **attributes)
    if isinstance(results, tuple):
        return tuple(np.ascontiguousarray(result) for result in results)
    return np.asarray(results)


FUNCTIONS = {f"dragoman.{operator.__name__}": operator for operator in OPERATORS}


def register():
    """Makes the functions known to TVM."""
    import tvm  # pylint: disable=import-outside-toplevel

    add = getattr(tvm, "register_global_func", None) or tvm.register_func
    tensor = getattr(tvm.runtime, "tensor", None) or tvm.nd.array

    def packed(operator):
        def run(*arguments):
            *operands, text = arguments
            results = call(operator, *(operand.numpy() for operand in operands), text)
            if isinstance(results, tuple):
                return [tensor(result) for result in results]
            return tensor(results)
        return run

    for name, operator in FUNCTIONS.items():
        add(name, packed(operator), override=True)
