# SPDX-License-Identifier: Apache-2.0
"""Attributes that other cases leave as they are."""

import numpy as np

import operator_cases
from operator_cases import DRAW, FLOAT, Group, f32, i32, words
from operators_elements import drawn
from operators_images import best_boxes
from operators_networks import normalized, resized
from operators_products import adjoint
from operators_quantized import kinds
from operators_sparse import sparse, thin
from operators_windows import convolved, first_channels, max_pool, of_axes, spread, windows

LAYOUTS = ((np.asarray, "NHWC", "NDHWC"), (first_channels, "NCHW", "NCDHW"))


def make_layouts(group):
    x = f32(2, 3, 4, 5)
    group.call("BiasAddGrad", x, wanted=x.sum((0, 2, 3)), data_format="NCHW")
    scale, offset, mean, variance = f32(3), f32(3), f32(3), np.abs(f32(3)) + np.float32(0.1)
    volume, w, dw = f32(2, 3, 4, 2, 3), f32(2, 3, 2, 3, 4), f32(3, 2, 3, 2)
    none = (np.zeros(0, np.float32),)
    for turn, image_layout, layout in LAYOUTS:
        told = {"data_format": layout, "epsilon": 0.01, "U": "dt:float"}
        group.call("FusedBatchNormV3", turn(volume), (scale,), (offset,), (mean,), (variance,),
                   is_training=False, wanted=turn(normalized(volume, scale, offset, mean, variance, 0.01)),
                   **told)
        own, around = volume.mean((0, 1, 2, 3)), volume.var((0, 1, 2, 3))
        group.call("FusedBatchNormV3", turn(volume), (scale,), (offset,), none, none, is_training=True,
                   wanted=turn(normalized(volume, scale, offset, own, around, 0.01)), **told)
        sizes = (3, 5, 4)
        places = windows(np.zeros((1, *sizes, 1)), w.shape[:3], [1, 2, 2], "SAME").shape
        dy = f32(1, *places[1:4], 4)
        whole = [1, *sizes, 3] if turn is np.asarray else [1, 3, *sizes]
        group.call("Conv3DBackpropInputV2", (i32(*whole),), (w,), turn(dy), T="dt:float", padding="SAME",
                   wanted=turn(spread(dy, w, sizes, [1, 2, 2], "SAME")), strides=of_axes([1, 2, 2], layout),
                   dilations=[1] * 5, data_format=layout, Tshape="dt:int32")
        # A convolution of each channel is one of all whose other weights are 0.
        full = np.zeros((3, 2, 3, 6), np.float32)
        for channel in range(3):
            full[:, :, channel, 2 * channel:2 * channel + 2] = dw[:, :, channel]
        dy = f32(1, 4, 3, 6)
        whole = [1, 7, 6, 3] if turn is np.asarray else [1, 3, 7, 6]
        group.call("DepthwiseConv2dNativeBackpropInput", (i32(*whole),), (dw,), turn(dy), T="dt:float",
                   wanted=turn(spread(dy, full, (7, 6), [2, 2], "SAME")), padding="SAME",
                   strides=of_axes([2, 2], image_layout), dilations=[1] * 4, data_format=image_layout)
        x = f32(1, 5, 6, 2)
        group.call("MaxPoolV2", turn(x), (i32(*of_axes([2, 3], image_layout)),), (i32(*of_axes(
            [1, 2], image_layout)),), wanted=turn(max_pool(x, [2, 3], [1, 2], "SAME")), padding="SAME",
            data_format=image_layout)


def make_patches(group):
    x = f32(1, 6, 5, 2)
    every = windows(x, [2, 3], [2, 1], "SAME", [2, 1])
    group.call("ExtractImagePatches", x, wanted=every.reshape(*every.shape[:3], -1), ksizes=[1, 2, 3, 1],
               strides=[1, 2, 1, 1], rates=[1, 2, 1, 1], padding="SAME")
    w, pads = f32(3, 2, 2, 4), i32(0, 0, 1, 0, 2, 1, 0, 0).reshape(4, 2)
    mirrored = np.pad(x, pads, mode="symmetric")
    group.call("FusedPadConv2D", x, (pads,), (w,), wanted=convolved(mirrored, w, [1, 2], "SAME"),
               mode="SYMMETRIC", strides=[1, 1, 2, 1], padding="SAME")
    larger = np.pad(resized(x, 8, 9, True), pads, mode="symmetric")
    group.call("FusedResizeAndPadConv2D", x, (i32(8, 9),), (pads,), (w,), mode="SYMMETRIC", padding="SAME",
               wanted=convolved(larger, w, [1, 2], "SAME"), strides=[1, 1, 2, 1], resize_align_corners=True)


def make_products(group):
    a, b = f32(2, 2, 3), f32(3, 4)
    group.call("BatchMatMulV3", adjoint(a), adjoint(b), wanted=a @ b, adj_x=True, adj_y=True, Ta="dt:float",
               Tb="dt:float", Tout="dt:float")
    group.call("SparseMatMul", a[0], b.T, wanted=a[0] @ b, transpose_b=True, a_is_sparse=True,
               b_is_sparse=True, Ta="dt:float", Tb="dt:float")
    dense, b = thin(3, 4), f32(3, 5)
    indices, values, sizes = sparse(dense)
    group.call("SparseTensorDenseMatMul", indices, values, sizes, b, wanted=dense.T @ b, adjoint_a=True,
               Tindices="dt:int64", **FLOAT)
    group.call("SparseTensorDenseMatMul", *sparse(dense.T), np.ascontiguousarray(b.T), adjoint_b=True,
               wanted=dense.T @ b, Tindices="dt:int64", **FLOAT)
    square, right = f32(2, 3, 3) + 3 * np.eye(3, dtype=np.float32), f32(2, 3, 2)
    turned = square.swapaxes(1, 2)
    for prefix in ("", "Batch"):
        group.call(f"{prefix}MatrixInverse", square, wanted=np.linalg.inv(turned), adjoint=True)
        group.call(f"{prefix}MatrixSolve", square, right, wanted=np.linalg.solve(turned, right), adjoint=True)
        for lower in (False, True):
            half = np.tril(square) if lower else np.triu(square)
            group.call(f"{prefix}MatrixTriangularSolve", square, right, adjoint=True, lower=lower,
                       wanted=np.linalg.solve(half.swapaxes(1, 2), right))
    x = f32(2, 4)
    sums = np.log(np.cumsum(np.exp(x), 1))
    none = np.full((2, 1), -np.inf, np.float32)
    group.call("CumulativeLogsumexp", x, (np.int32(1),), exclusive=True, Tidx="dt:int32",
               wanted=np.concatenate([none, sums[:, :-1]], 1))


def make_boxes(group):
    corner = DRAW.uniform(size=(1, 8, 1, 2)).astype(np.float32)
    boxes = np.concatenate([corner, corner + 0.4], 3).astype(np.float32)
    scores = DRAW.uniform(size=(1, 8, 3)).astype(np.float32)
    most, overlap, least = (np.int32(2),), (np.float32(0.3),), (np.float32(0.25),)
    for total, padded in ((20, True), (4, True), (9, False)):
        size = min(total, 2 * 3) if padded else total
        best = best_boxes(boxes[0], scores[0], 2, total, 0.3, 0.25)
        rows = [np.zeros((1, size, 4)), np.zeros((1, size)), np.zeros((1, size))]
        for i, (score, number, box) in enumerate(best):
            rows[0][0, i], rows[1][0, i], rows[2][0, i] = box, score, number
        group.call("CombinedNonMaxSuppression", boxes, scores, most, (np.int32(total),), overlap, least,
                   wanted=[*(row.astype(np.float32) for row in rows), i32(len(best))],
                   pad_per_class=padded, clip_boxes=False)


def make_steps(group):
    stored = np.array([-128, -127, -1, 0, 5, 127], np.int8)
    for low, high in ((-1.3, 1), (-0.5, 2.5)):
        for narrow in (False, True):
            step = max(low / (-127 if narrow else -128), high / 127)
            group.call("Dequantize", stored, (np.float32(low),), (np.float32(high),), mode="SCALED",
                       wanted=(stored * step).astype(np.float32), narrow_range=narrow, **kinds(T=np.int8))
    x = np.append(f32(12), [7, -9]).astype(np.float32)
    low, high = np.float32(-1.4), np.float32(1.2)
    scale = min(-127 / low, 127 / high)
    ends = np.float32(-127 / scale), np.float32(127 / scale)
    group.call("QuantizeV2", x, (low,), (high,), mode="SCALED", round_mode="HALF_TO_EVEN", narrow_range=True,
               wanted=[np.rint(np.clip(x, *ends) * scale).astype(np.int8), *ends], axis=-1,
               ensure_minimum_range=0.01, **kinds(T=np.int8))
    for bits, is_signed, narrow, up in ((8, True, False, True), (8, False, False, True), (6, True, True, True),
                                        (8, False, True, False), (7, False, False, False)):
        most = 2 ** (bits - is_signed) - 1
        least = (-most - 1 if is_signed else 0) + narrow
        low, high = np.float32(-1.1 if is_signed else 0), np.float32(1.9)
        step = high / most if low * least <= 0 or high / most > low / least else low / least
        place = np.clip(x / step, least, most)
        wanted = (np.floor(place + 0.5) if up else np.rint(place)) * step
        for ends in (((low,), (high,)), (low, high)):
            for op in ("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV4"):
                group.call(op, x, *ends, num_bits=bits, signed_input=is_signed, range_given=True,
                           narrow_range=narrow, round_mode="HALF_UP" if up else "HALF_TO_EVEN", axis=-1,
                           wanted=wanted.astype(np.float32))


def make_counts(group):
    numbers, splits = i32(1, 1, 4, 0, 7, 1), np.array([0, 3, 3, 6])
    weights = np.zeros(0, np.float32)
    wanted = np.array([[0, 1, 0, 0, 1], [0] * 5, [1, 1, 0, 0, 0]], np.float32)
    group.call("RaggedBincount", splits, numbers, (np.int32(5),), (weights,), wanted=wanted,
               binary_output=True, Tidx="dt:int32", **FLOAT)
    places = np.array([[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 2]])
    group.call("SparseBincount", places, numbers, np.array([3, 3]), (np.int32(5),), (weights,), wanted=wanted,
               binary_output=True, Tidx="dt:int32", **FLOAT)
    dense = thin(3, 5)
    most = np.where((dense != 0).any(1), np.where(dense != 0, dense, -np.inf).max(1), 0)
    group.call("SparseReduceMax", *sparse(dense), (i32(1),), wanted=most.astype(np.float32)[:, None],
               keep_dims=True, **FLOAT)
    for kind in ("half", "double", "uint8", "int16", "int64"):
        dense = drawn(kind, 3, 5, most=3)
        told = np.where(dense != 0, dense, 0 if kind == "uint8" else -100)
        most = np.where((dense != 0).any(1), told.max(1), 0).astype(dense.dtype)
        group.call("SparseReduceMax", *sparse(dense), (i32(1),), wanted=most, keep_dims=False, T=f"dt:{kind}")


def make_options():
    operator_cases.seed(40)
    for name, make in (("layouts", make_layouts), ("patches", make_patches), ("products", make_products),
                       ("boxes", make_boxes), ("steps", make_steps), ("counts", make_counts)):
        group = Group(f"options_of_{name}")
        make(group)
        group.save()
    group = Group("options_of_texts")
    x = words("hello", "abab", "")
    group.call("StaticRegexReplace", x, wanted=words("hEllo", "Ebab", "").astype("S"), pattern="[ae]",
               rewrite="E", replace_global=False)
    group.save(onnx=False)
