# SPDX-License-Identifier: Apache-2.0
"""Diagonals, bits, what TensorFlow has of matrices beside products; bounds beyond both ends."""

import numpy as np

from operator_cases import DRAW, FLOAT, case, f32, i32


def numpy_case(*arguments, **more):
    case(*arguments, oracle=False, **more)


def diagonal_length(rows, columns, d):
    return min(rows + min(d, 0), columns - max(d, 0))


def cells(rows, columns, lowest, highest, align):
    """For each place (row, column) of a matrix that lies in the band: where TensorFlow's table of
    diagonals, the highest first, has it."""
    upper, lower = align.split("_")
    longest = max(diagonal_length(rows, columns, d) for d in range(lowest, highest + 1))
    for d in range(highest, lowest - 1, -1):
        length = diagonal_length(rows, columns, d)
        left = (d >= 0 and upper == "LEFT") or (d <= 0 and lower == "LEFT")
        for i in range(length):
            place = i if left else i + longest - length
            yield (i - min(d, 0), i + max(d, 0)), (highest - d, place)


def longest_diagonal(rows, columns, lowest, highest):
    return max(diagonal_length(rows, columns, d) for d in range(lowest, highest + 1))


def band_of(x, lowest, highest, align, padding):
    rows, columns = x.shape[-2:]
    found = np.full(x.shape[:-2] + (highest - lowest + 1,
                                    longest_diagonal(rows, columns, lowest, highest)), padding, x.dtype)
    for place, at in cells(rows, columns, lowest, highest, align):
        found[(..., *at)] = x[(..., *place)]
    return found[..., 0, :] if lowest == highest else found


def with_band(x, band, lowest, highest, align):
    result = x.copy()
    if lowest == highest:
        band = band[..., None, :]
    for place, at in cells(*x.shape[-2:], lowest, highest, align):
        result[(..., *place)] = band[(..., *at)]
    return result


def make_diagonals():
    x = f32(2, 4, 6)
    for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for lowest, highest in ((-1, 2), (2, 2)):
            name, k = f"{align.lower()}_{lowest}", i32(lowest, highest)
            band = band_of(x, lowest, highest, align, np.float32(7))
            numpy_case(f"matrix_diag_part_{name}", "MatrixDiagPartV3", [x, (k,), (np.float32(7),)],
                       reference=[band], align=align, **FLOAT)
            numpy_case(f"matrix_set_diag_{name}", "MatrixSetDiagV3", [x, band + 1, (k,)],
                       reference=[with_band(x, band + 1, lowest, highest, align)], align=align, **FLOAT)
            made = with_band(np.full((2, 4, 6), -1, np.float32), band, lowest, highest, align)
            numpy_case(f"matrix_diag_{name}", "MatrixDiagV3",
                       [band, (k,), (i32(4)[0],), (i32(6)[0],), (np.float32(-1),)], reference=[made],
                       align=align, **FLOAT)
    band = f32(3, 3)
    numpy_case("matrix_diag_square", "MatrixDiagV2",
               [band, (i32(-1, 1),), (i32(-1)[0],), (i32(-1)[0],), (np.float32(0),)],
               reference=[with_band(np.zeros((3, 3), np.float32), band, -1, 1, "LEFT_LEFT")], **FLOAT)
    whole = f32(2, 3)
    numpy_case("diag_of_matrix", "Diag", [whole],
               reference=[np.diag(whole.reshape(-1)).reshape(2, 3, 2, 3)], **FLOAT)
    axes = f32(2, 3, 2, 3)
    numpy_case("diag_part_of_four_axes", "DiagPart", [axes],
               reference=[np.diag(axes.reshape(6, 6)).reshape(2, 3)], **FLOAT)


def make_bits():
    numbers = DRAW.integers(-2**31, 2**31, (2, 3), dtype=np.int64).astype(np.int32)
    numpy_case("bitcast_split", "Bitcast", [numbers], reference=[numbers.view(np.uint8).reshape(2, 3, 4)],
               T="dt:int32", type="dt:uint8")
    words = DRAW.integers(-2**15, 2**15, (3, 2)).astype(np.int16)
    numpy_case("bitcast_join", "Bitcast", [words], reference=[words.view(np.int32).reshape(3)],
               T="dt:int16", type="dt:int32")
    numpy_case("bitcast_sign", "Bitcast", [numbers], reference=[numbers.view(np.uint32)],
               T="dt:int32", type="dt:uint32")
    ones = np.vectorize(lambda n: bin(int(n) & 0xffffffff).count("1"))(numbers).astype(np.uint8)
    numpy_case("population_count", "PopulationCount", [numbers], reference=[ones], T="dt:int32")


def make_shifts():
    """Of signed integers; what is beyond the width counts as the width less 1."""
    for kind in (np.int8, np.int32, np.int64):
        info = np.iinfo(kind)
        x = DRAW.integers(info.min, info.max, 6, kind, endpoint=True)
        by = np.array([0, 1, 3, info.bits - 1, info.bits, info.bits + 5], kind)
        within = np.minimum(by, info.bits - 1)
        for op, wanted in (("LeftShift", x << within), ("RightShift", x >> within)):
            numpy_case(f"{op.lower()}_{kind.__name__}", op, [x, by], reference=[wanted],
                       T=f"dt:{kind.__name__}")


def make_bands():
    """Numbers of diagonals that are known at run time only."""
    rows, columns = np.indices((3, 4))
    for lower, upper in ((1, -1), (-1, 0), (0, 2)):
        x = f32(2, 3, 4)
        kept = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
        numpy_case(f"band_{lower}_{upper}", "MatrixBandPart", [x, np.int64(lower), np.int64(upper)],
                   reference=[np.where(kept, x, 0)], Tindex="dt:int64", **FLOAT)



def make_matrices():
    a, b = f32(2, 5, 3), f32(2, 5, 2)
    regularizer = np.float64(0.25)
    for name, tall in (("tall", a), ("wide", np.swapaxes(a, 1, 2).copy())):
        right = b if name == "tall" else f32(2, 3, 2)
        turned = np.swapaxes(tall, 1, 2)
        inner = turned @ tall + regularizer * np.eye(tall.shape[2])
        numpy_case(f"matrix_solve_ls_{name}", "MatrixSolveLs", [tall, right, (regularizer,)],
                   reference=[np.linalg.solve(inner, turned @ right).astype(np.float32)], fast=True,
                   **FLOAT)
    upper, main, lower, right = f32(1, 4), f32(1, 4), f32(1, 4), f32(4, 3)
    matrix = np.diag(main[0]) + np.diag(upper[0, :-1], 1) + np.diag(lower[0, 1:], -1)
    numpy_case("tridiagonal_matmul", "TridiagonalMatMul", [upper, main, lower, right],
               reference=[matrix @ right], **FLOAT)
    x = f32(4, 2)
    rows = np.zeros((4, 2), np.float32)
    np.add.at(rows, [0, 0, 2, 2], x)
    numpy_case("segment_sum_numbered", "SegmentSumV2", [x, (i32(0, 0, 2, 2),), (i32(4)[0],)],
               reference=[rows], Tindices="dt:int32", **FLOAT)
    left = f32(4, 2)
    numpy_case("sparse_matmul", "SparseMatMul", [left, right], reference=[left.T @ right],
               transpose_a=True, Ta="dt:float", Tb="dt:float")
    x = f32(3, 6)
    numpy_case("approx_top_k", "ApproxTopK", [x], results=2,
               reference=[np.sort(x, 1)[:, :3], np.argsort(x, 1)[:, :3].astype(np.int32)], k=3,
               is_max_k=False, **FLOAT)
    grid = f32(8) * 3
    numpy_case("quantize_and_dequantize", "QuantizeAndDequantize", [grid],
               reference=[np.clip(np.round(grid * 127 / 2), -128, 127).astype(np.float32) * np.float32(2 / 127)],
               range_given=True, input_min=-2.0, input_max=2.0, **FLOAT)


def make_bounds():
    """Backwards from before the first element, which gives none, and from after the last."""
    x = f32(4, 3)
    for name, begin, wanted in (("before", i32(-6, 9), x[:0, ::-1]), ("behind", i32(9, -3), x[::-1, :1])):
        for known in (True, False):
            bounds = begin if not known else (begin,)
            numpy_case(f"strided_slice_{name}_{known}", "StridedSlice",
                       [x, bounds, (i32(0, 0),), (i32(-1, -1),)], reference=[wanted], end_mask=3,
                       Index="dt:int32", **FLOAT)
    numpy_case("roll_shifts", "Roll", [x, i32(5, -1), (i32(0, 1),)], reference=[np.roll(x, (5, -1), (0, 1))],
               Tshift="dt:int32", Taxis="dt:int32", **FLOAT)


def make_qr():
    for whole in (False, True):
        x = f32(2, 4, 3)
        mode = "complete" if whole else "reduced"
        parts = [np.linalg.qr(matrix, mode) for matrix in x]
        numpy_case(f"qr_{mode}", "Qr", [x], results=2, full_matrices=whole, **FLOAT,
                   reference=[np.stack(part) for part in zip(*parts)])


def make_tridiagonal():
    """The first row has no element below, the last none above; one pivot is 0."""
    draw = np.random.default_rng(40)
    diagonals, right = draw.normal(size=(2, 3, 5)), draw.normal(size=(2, 5, 2))
    diagonals[1, 1, 0] = 0
    matrices = np.stack([np.diag(main) + np.diag(above[:-1], 1) + np.diag(below[1:], -1)
                         for above, main, below in diagonals])
    numpy_case("tridiagonal_solve", "TridiagonalSolve", [diagonals, right], T="dt:double",
               reference=[np.linalg.solve(matrices, right)])


def make_triangular_bands():
    """Diagonals of triangular matrices: the main one is the first of lower, the last of upper ones."""
    draw = np.random.default_rng(41)
    for lower, adjoint in ((True, False), (False, False), (False, True)):
        bands, right = draw.normal(size=(2, 3, 5)), draw.normal(size=(2, 5, 2))
        bands[:, 0 if lower else 2] += 3
        matrices = np.zeros((2, 5, 5))
        for d in range(3):
            for row in range(d if lower else 0, 5 if lower else 5 - d):
                column = row - d if lower else row + d
                matrices[:, row, column] = bands[:, d if lower else 2 - d, row]
        if adjoint:
            matrices = matrices.swapaxes(1, 2)
        name = ("lower" if lower else "upper") + ("_adjoint" if adjoint else "")
        numpy_case(f"banded_triangular_solve_{name}", "BandedTriangularSolve", [bands, right],
                   T="dt:double", lower=lower, adjoint=adjoint,
                   reference=[np.linalg.solve(matrices, right)])
