# SPDX-License-Identifier: Apache-2.0
"""Operators whose diagonals, pads, sizes or ranks are known only at run time."""

import numpy as np

from operator_cases import FLOAT, G, Group, f32, i32, save
from operators_matrices import band_of, with_band
from operators_windows import average_pool, max_pool, windows


def make_run_time_diagonals():
    group = Group("diagonals_at_run_time")
    x, seven, free = f32(2, 4, 6), (np.float32(7),), i32(-1)[0]
    for lowest, highest, align in ((-1, 2, "RIGHT_LEFT"), (1, 3, "LEFT_RIGHT"), (2, 2, "LEFT_LEFT")):
        k = i32(lowest) if lowest == highest else i32(lowest, highest)
        band = band_of(x, lowest, highest, align, np.float32(7))
        group.call("MatrixDiagPartV3", x, k, seven, wanted=band, align=align)
        group.call("MatrixSetDiagV3", x, band + 1, k, wanted=with_band(x, band + 1, lowest, highest, align),
                   align=align)
        made = with_band(np.full((2, 4, 6), 7, np.float32), band, lowest, highest, align)
        group.call("MatrixDiagV3", band, k, i32(4)[0], i32(6)[0], seven, wanted=made, align=align)
    square = f32(3, 3)
    group.call("MatrixDiagV3", square, i32(-1, 1), free, free, seven, align="LEFT_LEFT",
               wanted=with_band(np.full((3, 3), 7, np.float32), square, -1, 1, "LEFT_LEFT"))
    group.save()


def crops(image, size):
    """Of the boxes (0, 0, 1, 1) and (0.25, 0.5, 0.75, 1.25) of image 0, 9 where nothing is."""
    found = []
    for box in ((0, 0, 1, 1), (0.25, 0.5, 0.75, 1.25)):
        places = []
        for low, high, count, end in ((box[0], box[2], size[0], image.shape[1] - 1),
                                      (box[1], box[3], size[1], image.shape[2] - 1)):
            places.append(np.linspace(low, high, count) * end if count > 1 else [(low + high) / 2 * end])
        crop = np.full((*size, image.shape[3]), 9, np.float32)
        for i, y in enumerate(places[0]):
            for j, x in enumerate(places[1]):
                if not (0 <= y <= image.shape[1] - 1 and 0 <= x <= image.shape[2] - 1):
                    continue
                y0, x0 = int(y), int(x)
                y1, x1 = int(np.ceil(y)), int(np.ceil(x))
                top = image[0, y0, x0] * (1 - (x - x0)) + image[0, y0, x1] * (x - x0)
                low = image[0, y1, x0] * (1 - (x - x0)) + image[0, y1, x1] * (x - x0)
                crop[i, j] = top * (1 - (y - y0)) + low * (y - y0)
        found.append(crop)
    return np.array(found)


def make_run_time_images():
    group = Group("crops_and_mirrors_at_run_time")
    image = f32(1, 5, 7, 2)
    boxes = np.array([[0, 0, 1, 1], [0.25, 0.5, 0.75, 1.25]], np.float32)
    for size in (i32(3, 4), i32(1, 2)):
        group.call("CropAndResize", image, boxes, i32(0, 0), size, wanted=crops(image, size),
                   extrapolation_value=9.0)
    x = f32(3, 4)
    for mode, numpy_mode in (("SYMMETRIC", "symmetric"), ("REFLECT", "reflect")):
        for pads in (i32(1, 2, 0, 3).reshape(2, 2), i32(0, 0, 2, 1).reshape(2, 2)):
            group.call("MirrorPad", x, pads, wanted=np.pad(x, pads, mode=numpy_mode), mode=mode,
                       Tpaddings="dt:int32")
    group.save()


def unknown(name, inputs, op, wanted, **attributes):
    """`op` on inputs (name, element type, shape that the graph tells, array)."""
    graph = G()
    for key, dtype, shape, _ in inputs:
        graph.ph(key, dtype, shape)
    graph.op(op, *[entry[0] for entry in inputs], name="y", **attributes)
    fetches = ["y"] + [f"y:{i}" for i in range(1, len(wanted))]
    save(name, graph, {entry[0]: entry[3] for entry in inputs}, fetches, wanted, oracle=False)


def make_unknown_sizes():
    x, filters = f32(2, 6, 5, 3), f32(3, 2, 3, 4)
    for padding, pad, stride in (("VALID", ((0, 0), (0, 0)), 1), ("SAME", ((1, 1), (0, 1)), 1),
                                 ("SAME", ((0, 1), (0, 1)), 2)):
        padded = np.pad(x, ((0, 0), *pad, (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 2), (1, 2))
        wanted = np.einsum("nhwcij,ijco->nhwo", windows[:, ::stride, ::stride], filters)
        unknown(f"conv_filter_at_run_time_{padding}_{stride}",
                [("x", "float", x.shape, x), ("filter", "float", (-1, -1, -1, -1), filters)], "Conv2D",
                [wanted], strides=[1, stride, stride, 1], padding=padding, **FLOAT)
    rows, numbers = f32(4, 3, 2), i32(0, 0, 1, 3)
    sums = np.array([rows[:2].sum(0), rows[2], np.zeros((3, 2)), rows[3]], np.float32)
    most = np.array([rows[:2].max(0), rows[2], np.zeros((3, 2)), rows[3]], np.float32)
    for op, wanted in (("SegmentSum", sums), ("SegmentMax", most)):
        unknown(f"{op.lower()}_of_unknown_rank",
                [("x", "float", (None,), rows), ("n", "int32", (-1,), numbers)], op, [wanted],
                Tindices="dt:int32", **FLOAT)
    places = np.array([[0, 0, 1], [1, 2, 0], [1, 2, 1]])
    flat = places @ np.array([6, 2, 1])
    unknown("sparse_reshape_of_unknown_rank",
            [("indices", "int64", (-1, -1), places), ("sizes", "int64", (-1,), np.array([2, 3, 2])),
             ("to", "int64", (-1,), np.array([4, -1]))], "SparseReshape",
            [np.stack([flat // 3, flat % 3], 1), np.array([4, 3])])


def make_pools_apart():
    """Windows that end before the next begins, of sizes that the graph does not say."""
    draw = np.random.default_rng(44)
    for rows in (9, 11):
        x = draw.normal(size=(2, rows, 7, 3)).astype(np.float32)
        kernel, strides, open_sizes = [3, 2], [5, 3], (-1, -1, -1, 3)
        attributes = {"ksize": [1, *kernel, 1], "strides": [1, *strides, 1], "padding": "SAME"}
        for op, pool in (("MaxPool", max_pool), ("AvgPool", average_pool)):
            unknown(f"{op.lower()}_apart_{rows}", [("x", "float", open_sizes, x)], op,
                    [pool(x, kernel, strides, "SAME")], **attributes, **FLOAT)
        numbers = np.broadcast_to(np.arange(rows * 21).reshape(rows, 7, 3), x.shape)
        largest = windows(x, kernel, strides, "SAME", fill=-np.inf)
        flat = largest.reshape(*largest.shape[:3], 6, 3).argmax(3)
        places = windows(numbers, kernel, strides, "SAME").reshape(*largest.shape[:3], 6, 3)
        places = np.take_along_axis(places, flat[:, :, :, None], 3)[:, :, :, 0]
        unknown(f"maxpoolwithargmax_apart_{rows}", [("x", "float", open_sizes, x)],
                "MaxPoolWithArgmax", [max_pool(x, kernel, strides, "SAME"), places],
                Targmax="dt:int64", **attributes, **FLOAT)
    # Of equal elements the first, not what pads are.
    dark = np.zeros((1, 11, 7, 1), np.uint8)
    places = np.add.outer([0, 28, 63], [0, 3, 6]).reshape(1, 3, 3, 1)
    unknown("maxpoolwithargmax_apart_dark", [("x", "uint8", open_sizes[:3] + (1,), dark)],
            "MaxPoolWithArgmax", [dark[:, :3, :3], places], Targmax="dt:int64", T="dt:uint8",
            **attributes)


def make_xla_slices():
    """Starts that lie too far behind or in front are moved."""
    group = Group("xla_slices")
    x, update, sizes = f32(4, 5), f32(2, 3), (i32(2, 3),)
    for row, column, starts in ((1, 2, i32(1, 2)), (2, 0, i32(9, -4))):
        part = np.s_[row:row + 2, column:column + 3]
        wanted = x.copy()
        wanted[part] = update
        for given in (starts, (starts,)):
            group.call("XlaDynamicUpdateSlice", x, update, given, wanted=wanted, Tindices="dt:int32",
                       **FLOAT)
            group.call("XlaDynamicSlice", x, given, sizes, wanted=x[part], Tindices="dt:int32", **FLOAT)
    group.save()


def make_depthwise_at_run_time():
    x, filters = f32(1, 6, 5, 2), f32(3, 2, 2, 2)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 2), (1, 2))
    wanted = np.einsum("nhwcij,ijcm->nhwcm", windows, filters).reshape(1, 4, 4, 4)
    unknown("depthwise_filter_at_run_time",
            [("x", "float", x.shape, x), ("filter", "float", (-1, -1, 2, 2), filters)],
            "DepthwiseConv2dNative", [wanted], strides=[1, 1, 1, 1], padding="VALID", **FLOAT)


def make_ragged_floats():
    starts, limits, deltas = (np.array(values, np.float32)
                              for values in ((0, 1, 5), (1, 1, 3.1), (0.25, 0.5, -0.5)))
    rows = [np.arange(*row, dtype=np.float32) for row in zip(starts, limits, deltas)]
    group = Group("ragged_range_of_floats")
    group.call("RaggedRange", starts, limits, deltas, Tsplits="dt:int64",
               wanted=[np.cumsum([0] + [len(row) for row in rows]), np.concatenate(rows)])
    group.save()
