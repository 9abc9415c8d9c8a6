# SPDX-License-Identifier: Apache-2.0
"""Segments, sparse and ragged tensors, products, matrices."""

import itertools

import numpy as np

from operator_cases import DRAW, FLOAT, Group, case, f32, i32


def make_segments():
    x = f32(5, 3)
    numbers = i32(2, 0, -1, 2, 5)
    for op, fold, start in (("Max", np.maximum, np.finfo(np.float32).min),
                            ("Min", np.minimum, np.finfo(np.float32).max),
                            ("Prod", np.multiply, 1)):
        wanted = np.full((6, 3), start, np.float32)
        for row, number in zip(x, numbers):
            if number >= 0:
                wanted[number] = fold(wanted[number], row)
        case(f"unsorted_segment_{op}".lower(), f"UnsortedSegment{op}",
             [x, (numbers,), (np.int32(6),)], oracle=False, reference=[wanted], **FLOAT)
        wanted = np.full((4, 3), 1 if op == "Prod" else 0, np.float32)
        for number in (0, 1, 3):
            wanted[number] = fold.reduce(x[i32(0, 0, 1, 3, 3) == number])
        case(f"segment_{op}".lower(), f"Segment{op}", [x, (i32(0, 0, 1, 3, 3),)], oracle=False,
             reference=[wanted], **FLOAT)
    case("sparse_to_dense", "SparseToDense",
         [(i32(0, 1, 2, 3).reshape(2, 2),), (i32(3, 4),), f32(2), (np.float32(-1),)],
         Tindices="dt:int32", **FLOAT)
    case("sparse_to_dense_scalar", "SparseToDense",
         [(i32(1, 3),), (i32(5),), (np.float32(2),), f32()], Tindices="dt:int32", **FLOAT)
    dense = np.zeros((3, 4), np.float32)
    values, b = f32(3), f32(4, 2)
    dense[[0, 1, 2], [3, 0, 1]] = values
    case("sparse_dense_mat_mul", "SparseTensorDenseMatMul",
         [(np.array([[0, 3], [1, 0], [2, 1]]),), values, (np.array([3, 4]),), b], oracle=False,
         reference=[dense @ b], Tindices="dt:int64", **FLOAT)
    case("bucketize", "Bucketize", [i32(-5, 10, 150, 10, 100)], oracle=False,
         reference=[i32(0, 2, 3, 2, 3)], T="dt:int32", boundaries=[0.0, 10.0, 100.0])
    rows = np.sort(DRAW.integers(0, 9, (2, 6)).astype(np.int32))
    for bound in ("Lower", "Upper"):
        case(f"{bound}_bound".lower(), f"{bound}Bound", [rows, DRAW.integers(0, 9, (2, 4)).astype(np.int32)],
             T="dt:int32", out_type="dt:int32")
    weights = np.zeros(0, np.float32)
    for binary in (False, True):
        case(f"dense_bincount_{binary}", "DenseBincount",
             [DRAW.integers(0, 5, (2, 7)).astype(np.int32), (np.int32(4),), (weights,)],
             binary_output=binary, Tidx="dt:int32", **FLOAT)
    case("dense_bincount_weights", "DenseBincount",
         [i32(0, 3, 3, 1, 9), (np.int32(4),), f32(5)], binary_output=False, Tidx="dt:int32", **FLOAT)
    case("list_diff", "ListDiff", [i32(1, 2, 3, 4, 5, 6, 2), i32(2, 4, 9)], 2, T="dt:int32",
         out_idx="dt:int32")
    first, second = f32(2, 3), f32(2, 3)
    case("dynamic_stitch", "DynamicStitch", [(i32(3, 0),), (i32(1, 2),), first, second],
         oracle=False, reference=[np.stack([first[1], *second, first[0]])], N=2, **FLOAT)
    case("dynamic_stitch_run_time", "DynamicStitch", [i32(3, 0), i32(1, 3), first, second],
         oracle=False, reference=[np.stack([first[1], second[0], 0 * first[0], second[1]])], N=2,
         **FLOAT)
    data = f32(5, 2)
    parts = i32(1, 0, 1, 1, 0)
    case("dynamic_partition", "DynamicPartition", [data, parts], 2, oracle=False,
         reference=[data[parts == 0], data[parts == 1]], num_partitions=2, **FLOAT)


def make_sparse():
    x = f32(6, 3)
    chosen, segments = i32(4, 0, 0, 5, 2), i32(0, 0, 1, 1, 3)
    for kind, over in (("Sum", lambda n: 1), ("Mean", lambda n: max(n, 1)),
                       ("SqrtN", lambda n: max(n, 1) ** 0.5)):
        wanted = [x[chosen[segments == i]].sum(0) / over((segments == i).sum()) for i in range(4)]
        case(f"sparse_segment_{kind}".lower(), f"SparseSegment{kind}", [x, chosen, (segments,)],
             oracle=False, reference=[np.array(wanted, np.float32)], **FLOAT)
    indices = np.array([[0, 1], [0, 3], [2, 0], [3, 2]])
    for new in ((2, -1), (4, 2, 2), (16,)):
        flat = np.ravel_multi_index(tuple(indices.T), (4, 4))
        sizes = np.zeros(16).reshape(new).shape
        case(f"sparse_reshape_{len(new)}", "SparseReshape",
             [indices, (np.array([4, 4]),), (np.array(new),)], 2, oracle=False,
             reference=[np.stack(np.unravel_index(flat, sizes), 1), np.array(sizes)])
    case("sparse_fill_empty_rows", "SparseFillEmptyRows",
         [np.array([[3, 1], [0, 3], [0, 1], [5, 0]])[[1, 2, 0, 3]], f32(4), (np.array([6, 4]),),
          (np.float32(9),)], 4, **FLOAT)


def make_products():
    for exclusive in (False, True):
        for reverse in (False, True):
            case(f"cumprod_{exclusive}_{reverse}", "Cumprod", [f32(2, 4, 3), (np.int32(1),)],
                 exclusive=exclusive, reverse=reverse, Tidx="dt:int32", **FLOAT)
    a, b = f32(2, 3), f32(2, 3)
    case("cross", "Cross", [a, b], oracle=False, reference=[np.cross(a, b)], **FLOAT)
    for sizes in ((3, 3), (2, 4), (4, 2)):
        x, diagonal = f32(2, *sizes), f32(2, min(sizes))
        wanted = x.copy()
        for i in range(min(sizes)):
            wanted[:, i, i] = diagonal[:, i]
        case(f"matrix_set_diag_{sizes[0]}", "MatrixSetDiagV3", [x, diagonal, (np.int32(0),)],
             oracle=False, reference=[wanted], **FLOAT)


def make_ragged():
    values, filler = f32(6, 2), np.float32(-1)
    rows = [values[:3], values[:0], values[3:4], values[4:]]

    def padded(count, width):
        result = np.full((count, width, 2), filler, np.float32)
        for i, row in enumerate(rows[:count]):
            result[i, :len(row)] = row[:width]
        return result
    splits = (np.array([0, 3, 3, 4, 6]),)
    for name, sizes, wanted in (("free", [-1, -1, 2], padded(4, 3)), ("less", [3, 2, 2], padded(3, 2)),
                                ("more", [5, 4, 2], padded(5, 4))):
        case(f"ragged_to_tensor_{name}", "RaggedTensorToTensor",
             [(np.array(sizes),), values, (filler,), splits[0]], oracle=False, reference=[wanted],
             Tindex="dt:int64", Tshape="dt:int64", num_row_partition_tensors=1,
             row_partition_types=["ROW_SPLITS"], **FLOAT)
    # Rows of rows: [[0, 1], []], [[2, 3, 4]]
    x = np.arange(5, dtype=np.float32)
    deep = np.array([[[0, 1, 9], [9, 9, 9]], [[2, 3, 4], [9, 9, 9]]], np.float32)
    case("ragged_to_tensor_deep", "RaggedTensorToTensor",
         [(np.array(-1),), x, (np.float32(9),), np.array([0, 2, 3]), np.array([0, 2, 2, 5])],
         oracle=False, reference=[deep], Tindex="dt:int64", Tshape="dt:int64",
         num_row_partition_tensors=2, row_partition_types=["ROW_SPLITS", "ROW_SPLITS"], **FLOAT)
    starts, limits, deltas = i32(2, 5, 8), i32(7, 5, 1), i32(2, 1, -3)
    parts = [np.arange(*row) for row in zip(starts, limits, deltas)]
    case("ragged_range", "RaggedRange", [starts, limits, deltas], 2, oracle=False, reference=[
        np.cumsum([0] + [len(part) for part in parts]), np.concatenate(parts).astype(np.int32)],
        T="dt:int32", Tsplits="dt:int64")


def make_decoder():
    """CTCGreedyDecoder, by the definition: the last class is the blank."""
    scores = f32(6, 3, 4)
    scores[1] = scores[0]  # so that classes repeat
    scores[:, 2, 3] = 9  # nothing but blanks
    lengths = i32(6, 4, 5)
    for merged in (False, True):
        texts, totals = [], []
        for b, length in enumerate(lengths):
            best = scores[:length, b].argmax(1).tolist()
            kept = [k for t, k in enumerate(best)
                    if k != 3 and not (merged and t > 0 and best[t - 1] == k)]
            texts.append(kept)
            totals.append([-scores[:length, b].max(1).sum()])
        indices = [(b, i) for b, text in enumerate(texts) for i in range(len(text))]
        case(f"ctc_greedy_{merged}", "CTCGreedyDecoder", [scores, lengths], 4, oracle=False, reference=[
            np.array(indices, np.int64), np.array(sum(texts, [])), np.array([3, max(map(len, texts))]),
            np.array(totals, np.float32)], merge_repeated=merged, **FLOAT)


def make_beam_search():
    """Against the probabilities of all label sequences, summed over all ways to spell them."""
    steps, batch, classes = 4, 2, 3
    x, lengths = f32(steps, batch, classes) * 2, i32(4, 3)
    results = {"indices": [], "values": [], "sizes": []}
    scores = np.zeros((batch, 2), np.float32)
    found = [label_sequences(x[:length, row]) for row, length in enumerate(lengths)]
    for path in range(2):
        best = [sequences[path] for sequences in found]
        results["indices"].append(np.array([(row, i) for row, (labels, _) in enumerate(best)
                                            for i in range(len(labels))]).reshape(-1, 2))
        results["values"].append(np.array([label for labels, _ in best for label in labels], np.int64))
        results["sizes"].append(np.array([batch, max(len(labels) for labels, _ in best)]))
        scores[:, path] = [score for _, score in best]
    case("ctc_beam_search", "CTCBeamSearchDecoder", [x, lengths], results=7, oracle=False,
         reference=[*results["indices"], *results["values"], *results["sizes"], scores],
         beam_width=100, top_paths=2, merge_repeated=False, **FLOAT)


def label_sequences(x):
    """All label sequences, the likeliest first, and the logarithms of their probabilities."""
    shares = np.exp(x.astype(float))
    shares /= shares.sum(1, keepdims=True)
    blank, sums = x.shape[1] - 1, {}
    for spelled in itertools.product(range(x.shape[1]), repeat=len(x)):
        labels = tuple(label for i, label in enumerate(spelled)
                       if label != blank and (i == 0 or label != spelled[i - 1]))
        share = np.prod([shares[t, label] for t, label in enumerate(spelled)])
        sums[labels] = sums.get(labels, 0) + share
    return [(labels, np.log(share)) for labels, share in sorted(sums.items(), key=lambda item: -item[1])]


def make_linalg():
    a = f32(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)
    b = f32(2, 3, 2)
    definite = (a @ a.swapaxes(1, 2)).astype(np.float32)
    case("matrix_determinant", "MatrixDeterminant", [a], oracle=False, reference=[np.linalg.det(a)],
         **FLOAT)
    case("matrix_inverse", "MatrixInverse", [a], oracle=False, reference=[np.linalg.inv(a)], **FLOAT)
    case("matrix_solve_adjoint", "MatrixSolve", [a, b], oracle=False,
         reference=[np.linalg.solve(a.swapaxes(1, 2), b)], adjoint=True, **FLOAT)
    case("cholesky", "Cholesky", [definite], oracle=False, reference=[np.linalg.cholesky(definite)],
         **FLOAT)
    for lower in (False, True):
        half = np.tril(a) if lower else np.triu(a)
        case(f"matrix_triangular_solve_{lower}", "MatrixTriangularSolve", [a, b], oracle=False,
             reference=[np.linalg.solve(half, b)], lower=lower, **FLOAT)


def make_run_time_axes():
    """Axes and strides that are operands of the run."""
    x = f32(3, 4, 2)
    for name, begin, end, strides, masked, wanted in (
            ("forwards", (0, 1), (3, 4), (2, 2), 0, x[0:3:2, 1:4:2]),
            ("backwards", (-1, -5), (-9, 2), (-1, -1), 0, x[-1:-9:-1, -5:2:-1]),
            ("masked", (1, 0), (2, 0), (1, -3), 2, x[1:2, ::-3])):
        case(f"strided_slice_of_run_{name}", "StridedSlice",
             [x, i32(*begin), i32(*end), i32(*strides)], oracle=False, reference=[wanted],
             begin_mask=masked, end_mask=masked, ellipsis_mask=0, new_axis_mask=0,
             shrink_axis_mask=0, Index="dt:int32", **FLOAT)
    axis = i32(-2)[0]
    case("cumsum_of_run", "Cumsum", [x, axis], oracle=False, reference=[np.cumsum(x, -2)],
         exclusive=False, reverse=False, Tidx="dt:int32", **FLOAT)
    case("expand_dims_of_run", "ExpandDims", [x, axis], oracle=False,
         reference=[np.expand_dims(x, -2)], Tdim="dt:int32", **FLOAT)
    case("reverse_of_run", "ReverseV2", [x, i32(-1, 0)], oracle=False, reference=[x[::-1, :, ::-1]],
         Tidx="dt:int32", **FLOAT)


def make_other_run_time_axes():
    """Operators along each axis, which an operand of the run states."""
    group, x = Group("axes_of_run"), f32(2, 3, 4)
    group.call("Transpose", x, i32(2, -3, 1), wanted=x.transpose(2, 0, 1), Tperm="dt:int32")
    group.call("ConjugateTranspose", x + 1j * x, i32(1, 2, 0), wanted=(x - 1j * x).transpose(1, 2, 0),
               T="dt:complex64", Tperm="dt:int32")
    group.call("Transpose", x[0, 0], i32(0), wanted=x[0, 0], Tperm="dt:int32")
    at = i32(1, 0, 1, 1).reshape(2, 2)
    for axis in (0, 1, 2, -1, -3):
        run, index = i32(axis)[0], {"Tidx": "dt:int32"}
        group.call("ConcatV2", x, x + 1, x * 2, run, wanted=np.concatenate([x, x + 1, x * 2], axis), N=3,
                   **index)
        group.call("Concat", run, x, x + 1, wanted=np.concatenate([x, x + 1], axis), N=2, **FLOAT)
        group.call("GatherV2", x, at, run, wanted=np.take(x, at, axis), Taxis="dt:int32",
                   Tparams="dt:float", Tindices="dt:int32")
        group.call("GatherV2", x, i32(1)[0], run, wanted=np.take(x, 1, axis), Taxis="dt:int32",
                   Tparams="dt:float", Tindices="dt:int32")
        group.call("ArgMax", x, run, wanted=x.argmax(axis), output_type="dt:int64", **index)
        group.call("Cumprod", x, run, wanted=np.cumprod(x, axis), exclusive=False, reverse=False, **index)
        group.call("ConcatOffset", run, i32(2, 3, 4), i32(2, 3, 4), wanted=[
            i32(0, 0, 0), i32(*(size * (i == axis % 3) for i, size in enumerate(x.shape)))], N=2)
        even = np.concatenate([x, x], axis)
        group.call("Split", run, even, wanted=np.split(even, 2, axis), num_split=2, **FLOAT)
        group.call("SplitV", even, (np.array([1, -1]),), run, wanted=np.split(even, [1], axis), num_split=2,
                   Tlen="dt:int64")
        group.call("SplitV", even, np.array([2, -1]), run, wanted=np.split(even, [2], axis), num_split=2,
                   Tlen="dt:int64")
    texts = np.array([[b"a", b"b", b"c"], [b"d", b"e", b"f"]], object)
    turned = Group("text_axes_of_run")
    turned.call("Transpose", texts, i32(1, 0), wanted=texts.T.astype("S"), Tperm="dt:int32")
    turned.save(onnx=False)
    group.save()
