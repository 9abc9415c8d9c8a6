# SPDX-License-Identifier: Apache-2.0
"""Products of all types and sums of several tensors; images of other sizes."""

import numpy as np

import operator_cases
from operator_cases import FLOAT, Group, f32, i32
from operators_elements import drawn, types_of


def adjoint(x):
    return x.swapaxes(-1, -2).conj()


def exact(a, b, kind):
    wide = {"f": np.float64, "c": np.complex128}.get(kind.kind, np.int64)
    return (a.astype(wide) @ b.astype(wide)).astype(kind)


def make_matrix_products():
    group = Group("products")
    for kind in types_of("MatMul"):
        a, b = drawn(kind, 2, 3), drawn(kind, 3, 4)
        group.call("MatMul", a, b, wanted=exact(a, b, a.dtype))
        group.call("MatMul", a.T, b.T, wanted=exact(a, b, a.dtype), transpose_a=True, transpose_b=True)
    for op in ("BatchMatMul", "BatchMatMulV2"):
        for kind in types_of(op):
            a, b = drawn(kind, 2, 2, 3), drawn(kind, 2, 3, 4)
            group.call(op, a, b, wanted=exact(a, b, a.dtype))
            group.call(op, adjoint(a), adjoint(b), wanted=exact(a, b, a.dtype), adj_x=True, adj_y=True)
    a, b = f32(4, 1, 2, 3), f32(2, 3, 5)
    group.call("BatchMatMulV2", a, b, wanted=a @ b)
    for left, right, out in (("float", "float", "float"), ("int8", "int8", "int32"),
                             ("uint8", "int8", "int32"), ("int32", "int32", "int32")):
        a, b = drawn(left, 2, 2, 3, least=-100, most=100), drawn(right, 3, 4, least=-100, most=100)
        group.call("BatchMatMulV3", a, b, Ta=f"dt:{left}", Tb=f"dt:{right}", Tout=f"dt:{out}",
                   wanted=exact(a, b, np.dtype(out if out != "float" else "float32")))
    group.save()


def make_einsums():
    group = Group("einsums")
    for equation, *sizes in (("ij,jk->ik", (2, 3), (3, 4)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
                             ("...ij,...jk->...ik", (2, 2, 3), (2, 3, 2)), ("ij->ji", (2, 3)),
                             ("ii->i", (3, 3)), ("ii->", (3, 3)), ("ij->", (2, 3)), ("i,j->ij", (2,), (3,)),
                             ("abcd,cde->abe", (2, 3, 2, 2), (2, 2, 4)), ("bh...,h->b...", (2, 3, 4), (3,)),
                             ("ij,j->i...", (2, 3), (3,)), ("i...,i...->...", (3, 2), (3, 2))):
        operands = [f32(*size) for size in sizes]
        group.call("Einsum", *operands, wanted=np.einsum(equation, *operands), equation=equation,
                   N=len(operands), **FLOAT)
    for kind in ("int32", "int64", "double", "half", "complex64"):
        a, b = drawn(kind, 2, 3), drawn(kind, 4, 3)
        group.call("Einsum", a, b, wanted=exact(a, b.T, a.dtype), equation="ij,kj->ik", N=2)
    group.save()
    group = Group("einsum_that_repeats")
    a, b = f32(2, 1, 2, 3), f32(3, 3, 2)
    group.call("Einsum", a, b, wanted=a @ b, equation="...ij,...jk->...ik", N=2, **FLOAT)
    group.save(onnx=False)


def make_totals():
    group = Group("totals")
    for kind in types_of("AddN"):
        parts = [drawn(kind, 2, 3) for _ in range(3)]
        total = (parts[0] + parts[1] + parts[2]).astype(parts[0].dtype)
        group.call("AddN", *parts, wanted=total, N=3)
        group.call("AddN", parts[0], wanted=parts[0], N=1)
        group.call("AccumulateNV2", *parts, wanted=total, N=3, shape=(2, 3))
    x, dy = f32(2, 3), f32(2, 3)
    for op in ("ReciprocalGrad", "InvGrad"):
        group.call(op, x, dy, wanted=-dy * x * x)
    data = [f32(2, 2), f32(3, 2)]
    group.call("ParallelDynamicStitch", (i32(4, 1),), (i32(0, 2, 3),), *data, N=2, **FLOAT,
               wanted=np.stack([data[1][0], data[0][1], data[1][1], data[1][2], data[0][0]]))
    for kind in ("float", "double"):
        x = drawn(kind, 2, 3, 3)
        factors = [factored(matrix.astype(np.float64)) for matrix in x]
        group.call("Lu", x, output_idx_type="dt:int32", wanted=[
            np.stack([factor[0] for factor in factors]).astype(x.dtype),
            np.stack([factor[1] for factor in factors])])
    x = drawn("double", 3, 3)
    x += x.T
    values, vectors = np.linalg.eigh(x)
    size = group.add("Abs", group.add("SelfAdjointEig", x), T="dt:double")
    group.fetch(size, np.abs(np.concatenate([values[None], vectors])))
    group.save()


def factored(x):
    """Both factors in one matrix, and the order of its rows."""
    order = list(range(len(x)))
    for k in range(len(x)):
        best = k + np.abs(x[k:, k]).argmax()
        x[[k, best]] = x[[best, k]]
        order[k], order[best] = order[best], order[k]
        x[k + 1:, k] /= x[k, k]
        x[k + 1:, k + 1:] -= np.outer(x[k + 1:, k], x[k, k + 1:])
    return x, i32(*order)


def places_of(size, wanted, corners, middles):
    """Where the pixels of the result lie in the operand, in float32."""
    scale = np.float32(size - 1) / np.float32(wanted - 1) if corners and wanted > 1 else (
        np.float32(size) / np.float32(wanted))
    place = np.arange(wanted, dtype=np.float32)
    return (place + np.float32(0.5)) * scale - np.float32(0.5) if middles else place * scale


def along(x, places, axis):
    """Between the two pixels at each place."""
    low = np.clip(np.floor(places).astype(int), 0, x.shape[axis] - 1)
    high = np.clip(np.ceil(places).astype(int), 0, x.shape[axis] - 1)
    share = (places - np.floor(places)).reshape([-1 if i == axis else 1 for i in range(4)])
    return np.take(x, low, axis) * (1 - share) + np.take(x, high, axis) * share


def nearest(size, wanted, corners, middles):
    if middles:
        scale = np.float32(size) / np.float32(wanted)
        place = np.floor((np.arange(wanted, dtype=np.float32) + np.float32(0.5)) * scale)
    else:
        place = places_of(size, wanted, corners, False)
        place = np.floor(place.astype(np.float64) + 0.5 if corners else place)
    return np.clip(place.astype(int), 0, size - 1)


# Sizes of which TensorFlow, in float32, takes other pixels than fractions tell, in one way or another.
PIXELS = ((14, 46), (26, 22), (26, 11), (12, 37), (9, 25), (11, 61), (16, 4), (4, 16))


def make_resized():
    for corners, middles in ((False, False), (True, False), (False, True)):
        group = Group(f"resized_{'corners' if corners else 'middles' if middles else 'plain'}")
        attrs = {"align_corners": corners, "half_pixel_centers": middles}
        for kind in ("float", "uint8", "int32", "half"):
            x = drawn(kind, 2, 4, 5, 3, least=-100, most=100)
            for height, width in ((4, 5), (9, 3), (2, 11), (1, 1)):
                wanted = x.astype(np.float64)
                for axis, count in ((1, height), (2, width)):
                    wanted = along(wanted, places_of(x.shape[axis], count, corners, middles), axis)
                group.call("ResizeBilinear", x, (i32(height, width),), wanted=wanted.astype(np.float32),
                           **attrs)
                rows = x[:, nearest(4, height, corners, middles)]
                group.call("ResizeNearestNeighbor", x, (i32(height, width),), **attrs,
                           wanted=rows[:, :, nearest(5, width, corners, middles)])
        for size, wanted in PIXELS:
            x = drawn("float", 1, size, size, 1)
            pixels = nearest(size, wanted, corners, middles)
            group.call("ResizeNearestNeighbor", x, (i32(wanted, wanted),), **attrs,
                       wanted=x[:, pixels][:, :, pixels])
        group.save()


def transposed_of(function, dy, sizes):
    """The gradient of what a linear function of one image of a channel gives."""
    basis = np.eye(sizes[0] * sizes[1]).reshape(-1, *sizes, 1)
    weights = function(basis).reshape(len(basis), -1)
    flat = np.moveaxis(dy, 3, 1).reshape(dy.shape[0], dy.shape[3], -1)
    return np.moveaxis((flat @ weights.T).reshape(*flat.shape[:2], *sizes), 1, 3)


def make_resize_gradients():
    group, draw = Group("resize_gradients"), np.random.default_rng(39)
    for corners, middles in ((False, False), (True, False), (False, True)):
        attrs = {"align_corners": corners, "half_pixel_centers": middles}
        for sizes, resized in (((4, 5), (9, 3)), ((4, 5), (2, 11)), ((26, 4), (11, 1))):
            dy = draw.normal(size=(2, *resized, 3)).astype(np.float32)

            def blended(x):
                for axis in (1, 2):
                    places = places_of(x.shape[axis], resized[axis - 1], corners, middles)
                    x = along(x, places, axis)
                return x

            def taken(x):
                rows, columns = (nearest(x.shape[axis], resized[axis - 1], corners, middles) for axis in (1, 2))
                return x[:, rows][:, :, columns]
            group.call("ResizeBilinearGrad", dy, np.zeros((2, *sizes, 3), np.float32), **attrs,
                       wanted=transposed_of(blended, dy, sizes).astype(np.float32))
            group.call("ResizeNearestNeighborGrad", dy, (i32(*sizes),), **attrs,
                       wanted=transposed_of(taken, dy, sizes).astype(np.float32))
    # NaN stays with the pixels that it comes from.
    dy = np.float32([np.nan, 1, 2, 3, 4, 5]).reshape(1, 1, 6, 1)
    attrs = {"align_corners": False, "half_pixel_centers": False}
    group.call("ResizeBilinearGrad", dy, np.zeros((1, 1, 3, 1), np.float32), **attrs,
               wanted=np.float32([np.nan, 4, 10.5]).reshape(1, 1, 3, 1))
    group.call("ResizeNearestNeighborGrad", dy, (i32(1, 3),), **attrs,
               wanted=np.float32([np.nan, 5, 9]).reshape(1, 1, 3, 1))
    group.save()


def make_products():
    operator_cases.seed(38)
    make_matrix_products()
    make_einsums()
    make_totals()
    make_resized()
