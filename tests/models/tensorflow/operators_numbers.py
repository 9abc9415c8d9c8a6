# SPDX-License-Identifier: Apache-2.0
"""Special functions, parts of tensors that are replaced, matrices, images of other sizes."""

import math

import numpy as np

from operator_cases import DRAW, FLOAT, Group, f32, i32
from operators_sparse import numpy_case


def each(function, *arrays):
    return np.vectorize(function)(*(array.astype(float) for array in arrays)).astype(np.float32)


def inverse(function, low, high):
    """Of an ascending function, by halves."""
    def found(y):
        a, b = low, high
        for _ in range(80):
            middle = (a + b) / 2
            a, b = (middle, b) if function(middle) < y else (a, middle)
        return a
    return found


def lower_gamma(a, x):
    total = term = 1 / a
    for n in range(1, 400):
        term *= x / (a + n)
        total += term
    return total * math.exp(a * math.log(x) - x - math.lgamma(a))


def zeta(s, q):
    """The first terms, and an integral in place of the rest."""
    terms = 20000
    end = q + terms
    return float(np.sum((q + np.arange(terms)) ** -s)) + end ** (1 - s) / (s - 1) + end ** -s / 2


def make_special():
    x = f32(3, 4)
    positive = np.abs(x) * 3 + np.float32(0.1)
    share = DRAW.random((3, 4)).astype(np.float32) * np.float32(0.98) + np.float32(0.01)
    for name, operand, wanted in (
            ("Lgamma", positive, each(math.lgamma, positive)),
            ("Digamma", positive, each(lambda v: (math.lgamma(v + 1e-5) - math.lgamma(v - 1e-5)) / 2e-5,
                                       positive)),
            ("Erfinv", share, each(inverse(math.erf, -6, 6), share)),
            ("Ndtri", share, each(inverse(lambda v: (1 + math.erf(v / 2 ** 0.5)) / 2, -8, 8), share)),
            ("BesselI0", x, np.i0(x).astype(np.float32)),
            ("BesselI0e", x, (np.i0(x) * np.exp(-np.abs(x))).astype(np.float32))):
        numpy_case(f"special_{name}", name, [operand], reference=[wanted], **FLOAT)
    a, limit = np.abs(f32(3, 4)) * 2 + np.float32(0.3), np.abs(f32(4)) * 3 + np.float32(0.1)
    below = each(lower_gamma, a, np.broadcast_to(limit, a.shape))
    numpy_case("special_Igamma", "Igamma", [a, limit], reference=[below], **FLOAT)
    numpy_case("special_Igammac", "Igammac", [a, limit], reference=[1 - below], **FLOAT)
    power, start = np.abs(f32(4)) + np.float32(2.5), np.abs(f32(4)) + np.float32(0.5)
    numpy_case("special_Zeta", "Zeta", [power, start], reference=[each(zeta, power, start)], **FLOAT)
    here = np.float32([0, 1, 1, -2, 8, np.inf, 1e-45, -1e-45, 3, np.nan])
    there = np.float32([-1, 2, 0, -3, 0, 0, -1, 1, 3, 1])
    numpy_case("special_NextAfter", "NextAfter", [here, there],
               reference=[np.nextafter(here, there)], T="dt:float")
    numpy_case("special_Polygamma", "Polygamma", [(np.float32(2),), start],
               reference=[each(lambda q: -2 * zeta(3, q), start)], **FLOAT)
    wanted = np.log(np.cumsum(np.exp(x.astype(float)), 1)).astype(np.float32)
    numpy_case("cumulative_logsumexp", "CumulativeLogsumexp", [x, (np.int32(1),)],
               reference=[wanted], exclusive=False, reverse=False, Tidx="dt:int32", **FLOAT)
    # No numbers at all, or none but minus infinity: minus infinity.
    x = np.float32([[-np.inf, 1, -2, 3], [0.5, -np.inf, 2, -1]])
    sums = np.logaddexp.accumulate(x[:, ::-1].astype(float), 1)[:, ::-1]
    wanted = np.concatenate([sums[:, 1:], np.full((2, 1), -np.inf)], 1).astype(np.float32)
    numpy_case("cumulative_logsumexp_of_none", "CumulativeLogsumexp", [x, (np.int32(1),)],
               reference=[wanted], exclusive=True, reverse=True, Tidx="dt:int32", **FLOAT)
    # The least number is one.
    x[1, 0] = np.finfo(np.float32).min
    wanted = np.logaddexp.accumulate(x.astype(float), 1).astype(np.float32)
    numpy_case("cumulative_logsumexp_of_infinity", "CumulativeLogsumexp", [x, (np.int32(1),)],
               reference=[wanted], exclusive=False, reverse=False, Tidx="dt:int32", **FLOAT)


def make_function_ends():
    """Where probabilities are nearly 0 or 1, and where functions have their limits."""
    group = Group("function_ends")
    tiny = np.float32([1e-30, 1e-18, 1e-9, 1e-4, 0.13, 0.14, 0.5, 0.99, 1 - 1e-6, 0, 1, -0.5, np.nan])
    quantile = inverse(lambda v: math.erfc(-v / math.sqrt(2)) / 2, -14, 8)
    wanted = each(quantile, tiny[:9])
    group.call("Ndtri", tiny, wanted=np.append(wanted, np.float32([-np.inf, np.inf, np.nan, np.nan])))
    near_one = np.array([1 - 1e-12, -1 + 1e-9, 0.999, -0.7, 1e-12])
    group.call("Erfinv", near_one, wanted=np.array([
        math.copysign(-quantile(abs(1 - abs(y)) / 2) / math.sqrt(2), y) if abs(y) > 0.1
        else y * math.sqrt(math.pi) / 2 for y in near_one]))
    for x in (np.float32([1e-30, 1e-12, 0, -2]), np.array([1e-200, 2e-9, -0.0, -1e-3])):
        inside = np.maximum(x.astype(float), 0)
        with np.errstate(divide="ignore"):
            limits = {0: -np.log(inside / 2) - np.euler_gamma, 1: 1 / inside}
            for order, wanted in limits.items():
                for op in (f"BesselK{order}", f"BesselK{order}e"):
                    group.call(op, x, wanted=wanted.astype(x.dtype))
                group.call(f"BesselY{order}", x, wanted=(wanted * -2 / np.pi).astype(x.dtype))
    group.save()


def make_replaced():
    x, part = f32(3, 4), f32(2, 2)
    none = {f"{name}_mask": 0 for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    wanted = x.copy()
    wanted[0:2, 1:4:2] = part
    numpy_case("strided_slice_update", "TensorStridedSliceUpdate",
               [x, (i32(0, 1),), (i32(2, 4),), (i32(1, 2),), part], reference=[wanted],
               Index="dt:int32", **FLOAT, **none)
    wanted = x.copy()
    wanted[-1] = 7
    numpy_case("strided_slice_update_row", "TensorStridedSliceUpdate",
               [x, (i32(-1),), (i32(0),), (i32(1),), (np.float32(7),)], reference=[wanted],
               Index="dt:int32", **FLOAT, **none | {"end_mask": 1, "shrink_axis_mask": 1})
    dy = np.arange(1, 5, dtype=np.float32).reshape(2, 1, 2)
    wanted = np.zeros((3, 4), np.float32)
    wanted[-1:0:-1, 1:4:2] = dy[:, 0]
    numpy_case("strided_slice_grad", "StridedSliceGrad",
               [(i32(3, 4),), (i32(-1, 0, 1),), (i32(0, 0, 4),), (i32(-1, 1, 2),), dy],
               reference=[wanted], Index="dt:int32", **FLOAT, **none | {"new_axis_mask": 2})
    rows = f32(2, 4)
    wanted = x.copy()
    wanted[[2, 0]] += rows
    numpy_case("inplace_add", "InplaceAdd", [x, i32(2, 0), rows], reference=[wanted], **FLOAT)


def make_spectra_of_matrices():
    x = f32(2, 4, 4)
    sign, logarithm = np.linalg.slogdet(x.astype(float))
    numpy_case("log_matrix_determinant", "LogMatrixDeterminant", [x], results=2,
               reference=[sign.astype(np.float32), logarithm.astype(np.float32)], **FLOAT)
    symmetric = x + x.transpose(0, 2, 1)
    numpy_case("self_adjoint_eigenvalues", "SelfAdjointEigV2", [symmetric],
               reference=[np.linalg.eigvalsh(symmetric.astype(float)).astype(np.float32)],
               compute_v=True, **FLOAT)
    numpy_case("singular_values", "Svd", [x],
               reference=[np.linalg.svd(x.astype(float))[1].astype(np.float32)], compute_uv=True,
               full_matrices=False, **FLOAT)


def lanczos(radius):
    def weight(v):
        angle = math.pi * v
        return 1 if abs(v) <= 1e-3 else radius * math.sin(angle) * math.sin(angle / radius) / angle ** 2
    return radius, weight


KERNELS = {
    "lanczos3": lanczos(3), "triangle": (1, lambda v: 1 - abs(v)),
    "box": (1, lambda v: (abs(v) < 0.5) + (abs(v) == 0.5) / 2),
    "gaussian": (1.5, lambda v: math.exp(-2 * v * v)),
    "keyscubic": (2, lambda v: ((-.5 * v + 2.5) * v - 4) * v + 2 if v > 1 else
                  (1.5 * v - 2.5) * v * v + 1),
    "mitchellcubic": (2, lambda v: ((-7 / 18 * v + 2) * v - 10 / 3) * v + 16 / 9 if v > 1 else
                      (7 / 6 * v - 2) * v * v + 8 / 9)}


def weights(kernel, count, wanted, scale, move, antialias):
    radius, weight = KERNELS[kernel]
    wide = max(1 / scale, 1) if antialias else 1
    matrix = np.zeros((wanted, count))
    for i in range(wanted):
        sample = (i + 0.5 - move) / scale
        for j in range(count):
            distance = abs(j + 0.5 - sample) / wide
            if 0 <= sample <= count and distance < radius:
                matrix[i, j] = weight(distance)
    sums = matrix.sum(1, keepdims=True)
    return np.divide(matrix, sums, out=np.zeros_like(matrix), where=np.abs(sums) > 1e-30)


def make_resampled():
    image = f32(2, 7, 9, 2)
    for kernel in KERNELS:
        for antialias, height, width in ((True, 3, 5), (False, 13, 4)):
            scale, move = np.array([height / 7, width / 9], np.float32), np.array([0, 0.3], np.float32)
            rows = weights(kernel, 7, height, float(scale[0]), 0, antialias)
            columns = weights(kernel, 9, width, float(scale[1]), float(move[1]), antialias)
            numpy_case(f"scale_and_translate_{kernel}_{antialias}", "ScaleAndTranslate",
                       [image, (i32(height, width),), scale, move],
                       reference=[np.einsum("om,bmnc,pn->bopc", rows, image, columns).astype(np.float32)],
                       kernel_type=kernel, antialias=antialias, **FLOAT)


def make_gaussian_edge():
    """Pixels 2 and 5 lie just as far from sample 2 as the kernel reaches: they do not count."""
    image = f32(1, 8, 3, 1)
    rows, columns = (weights("gaussian", *sizes, 0, False) for sizes in ((8, 5, 0.625), (3, 3, 1)))
    assert rows[2, 2] == rows[2, 5] == 0 < rows[2, 3]
    numpy_case("scale_and_translate_gaussian_edge", "ScaleAndTranslate",
               [image, (i32(5, 3),), (np.array([0.625, 1], np.float32),), (np.zeros(2, np.float32),)],
               reference=[np.einsum("om,bmnc,pn->bopc", rows, image, columns).astype(np.float32)],
               kernel_type="gaussian", antialias=False, **FLOAT)


def integral(function, a, b, count=20000):
    """By the middles of equal parts."""
    middles = a + (np.arange(count) + 0.5) * (b - a) / count
    return float(np.sum(function(middles))) * (b - a) / count


def incomplete_beta(a, b, x):
    """With t = s^8, which takes the edge off the ends."""
    def part(u, v, end):
        return integral(lambda s: 8 * s ** (8 * u - 1) * (1 - s ** 8) ** (v - 1), 0, end ** 0.125)
    left, right = part(a, b, x), part(b, a, 1 - x)
    return left / (left + right)


def make_integrals():
    """Inside, at the ends, and where TensorFlow gives NaN."""
    group = Group("integrals")
    x = np.float32([1e-20, 1e-8, 1e-3, 0.2, 0.5, 0.7, 1, 1.4, 1.6, 2, 3, 5.5, 17, 60])
    outside = np.float32([-1, np.inf, np.nan])

    def call(op, wanted, at_zero, *ends):
        operand = np.concatenate([x, outside, np.float32([0])])
        group.call(op, operand, wanted=np.concatenate([each(wanted, x), np.float32([*ends, np.nan, at_zero])]))

    call("Expint", lambda v: np.euler_gamma + math.log(v) + integral(
        lambda s: np.expm1(v * s) / s, 0, 1), -np.inf, np.nan, np.nan)
    call("Spence", lambda v: -integral(lambda s: s * np.log1p((v - 1) * s * s) * 2 / s ** 2, 0, 1),
         np.pi ** 2 / 6, np.nan, np.nan)
    call("Dawsn", lambda v: integral(lambda s: v * np.exp((s * s - 1) * v * v), 0, 1), 0, -0.5380795069, 0)
    a, b = np.float32([0.5, 2, 50, 300, 1, 7]), np.float32([0.5, 3, 10, 300, 1, 0.5])
    for share in (0.001, 0.3, 0.49, 0.9):
        limit = np.full(6, share, np.float32)
        group.call("Betainc", a, b, limit, wanted=each(incomplete_beta, a, b, limit))
    ends = np.float32([0, 1, -0.5, 1.5, np.nan])
    group.call("Betainc", np.float32(2), np.float32(3), ends, wanted=np.float32([0, 1, np.nan, np.nan, np.nan]))
    # A half by symmetry; the powers of 1/2 in the integral are 0 in float64.
    group.call("Betainc", np.float32([2e4]), np.float32([2e4]), np.float32(0.5), wanted=np.float32([0.5]))
    group.call("Betainc", np.float32([0, 1, -1]), np.float32([1, 0, 2]), np.float32(0.5),
               wanted=np.full(3, np.nan, np.float32))
    # Far below `a` the part below is next to nothing, and NaN is none of the parts.
    a, limit = np.float32([0.5, 1, 10, 2000]), np.float32([1e-20, 1e-8, 0.1, 1])
    below = each(lower_gamma, a, limit)
    ends = np.float32([0, np.nan, np.nan, np.nan])
    operands = (np.append(a, np.float32([np.inf, np.inf, np.nan, 1])),
                np.append(limit, np.float32([3, np.inf, 1, np.nan])))
    group.call("Igamma", *operands, wanted=np.append(below, ends))
    group.call("Igammac", *operands, wanted=np.append(1 - below, 1 - ends))
    group.save()


def make_complements():
    """Small values of erfc have as many right digits as large ones."""
    x = np.append(np.linspace(-4, 9, 27), [np.inf, -np.inf, np.nan]).astype(np.float32)
    numpy_case("erfc_tails", "Erfc", [x], reference=[np.array([math.erfc(v) for v in x], np.float32)],
               **FLOAT)


def convolved(x, kernel, stride):
    height, width = kernel.shape[:2]
    windows = np.lib.stride_tricks.sliding_window_view(x, (height, width), (1, 2))
    return np.einsum("bhwcij,ijcd->bhwd", windows[:, ::stride, ::stride], kernel).astype(np.float32)


def make_convolved():
    image, kernel = f32(2, 7, 9, 2), f32(3, 3, 2, 4)
    pads = i32(0, 0, 1, 2, 2, 1, 0, 0).reshape(4, 2)
    for mode in ("REFLECT", "SYMMETRIC"):
        wanted = convolved(np.pad(image, pads, mode=mode.lower()), kernel, 2)
        numpy_case(f"fused_pad_convolution_{mode}", "FusedPadConv2D", [image, (pads,), (kernel,)],
                   reference=[wanted], mode=mode, strides=[1, 2, 2, 1], padding="VALID", **FLOAT)
    kernel, x = f32(3, 3, 2, 3), f32(1, 4, 4, 6)
    wanted = np.zeros((1, 9, 9, 2))
    for row, column in np.ndindex(4, 4):
        values = x[0, row, column].reshape(2, 3)
        wanted[0, 2 * row:2 * row + 3, 2 * column:2 * column + 3] += np.einsum(
            "hwcm,cm->hwc", kernel, values)
    numpy_case("depthwise_backprop", "DepthwiseConv2dNativeBackpropInput",
               [(i32(1, 9, 9, 2),), (kernel,), x], reference=[wanted.astype(np.float32)],
               strides=[1, 2, 2, 1], padding="VALID", data_format="NHWC", dilations=[1, 1, 1, 1],
               **FLOAT)
