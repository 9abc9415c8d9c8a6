# SPDX-License-Identifier: Apache-2.0
"""Sparse and ragged tensors."""

import numpy as np

from operator_cases import DRAW, FLOAT, Group, case, f32, i32


def sparse(dense):
    """Indices, values and sizes."""
    indices = np.argwhere(dense != 0).astype(np.int64)
    return [indices, dense[tuple(indices.T)], np.array(dense.shape, np.int64)]


def thin(*sizes):
    return f32(*sizes) * (DRAW.random(sizes) < 0.5)


def numpy_case(*arguments, **more):
    case(*arguments, oracle=False, **more)


def make_sparse_tensors():
    dense, other = thin(3, 5), thin(3, 5)
    indices, values, sizes = sparse(dense)
    shuffled = DRAW.permutation(len(values))
    numpy_case("sparse_reorder", "SparseReorder", [indices[shuffled], values[shuffled], sizes],
               results=2, reference=[indices, values], **FLOAT)
    numpy_case("sparse_slice", "SparseSlice",
               [indices, values, sizes, np.array([1, 1]), np.array([9, 4])], results=3,
               reference=sparse(dense[1:, 1:]), **FLOAT)
    halves = [sparse(part) for part in (dense[:, :3], dense[:, 3:])]
    numpy_case("sparse_split", "SparseSplit", [(np.int64(1),), indices, values, sizes], results=6,
               reference=[half[i] for i in range(3) for half in halves], num_split=2, **FLOAT)
    more = thin(2, 5)
    numpy_case("sparse_concat", "SparseConcat",
               [part for pair in zip(sparse(dense), sparse(more)) for part in pair], results=3,
               reference=sparse(np.concatenate([dense, more])), concat_dim=0, N=2, **FLOAT)
    total = dense + other
    kept = (np.abs(total) >= 0.5) & ((dense != 0) | (other != 0))
    numpy_case("sparse_add", "SparseAdd", [*sparse(dense), *sparse(other), (np.float32(0.5),)],
               results=3, reference=[np.argwhere(kept), total[kept], sizes], Treal="dt:float",
               **FLOAT)


def make_reduced_sparse():
    dense = thin(3, 5)
    told = sparse(dense)
    for keep in (False, True):
        numpy_case(f"sparse_reduce_sum_{keep}", "SparseReduceSum", [*told, (i32(1),)],
                   reference=[dense.sum(1, keepdims=keep)], keep_dims=keep, **FLOAT)
    most = np.where((dense != 0).any(0), np.where(dense != 0, dense, -np.inf).max(0), 0)
    numpy_case("sparse_reduce_max", "SparseReduceMax", [*told, (i32(0),)],
               reference=[most.astype(np.float32)], keep_dims=False, **FLOAT)
    numpy_case("sparse_reduce_max_all", "SparseReduceMax", [*told, (i32(0, 1),)],
               reference=[told[1].max()], keep_dims=False, **FLOAT)
    powers = np.where(dense != 0, np.exp(dense), 0)
    shares = powers / np.maximum(powers.sum(1, keepdims=True), 1e-9)
    places = tuple(told[0].T)
    numpy_case("sparse_softmax", "SparseSoftmax", told, reference=[shares[places]], **FLOAT)
    full, row = f32(3, 5), f32(5)
    numpy_case("sparse_dense_add", "SparseTensorDenseAdd", [*told, full], reference=[dense + full],
               Tindices="dt:int64", **FLOAT)
    for name, function in (("Add", np.add), ("Mul", np.multiply), ("Div", np.divide)):
        numpy_case(f"sparse_dense_{name}", f"SparseDenseCwise{name}", [*told, row],
                   reference=[function(told[1], np.broadcast_to(row, (3, 5))[places])], **FLOAT)


def make_counts():
    indices, _, sizes = sparse(thin(3, 5))
    numbers, weights = DRAW.integers(0, 6, len(indices)).astype(np.int32), f32(len(indices))
    wanted = np.zeros((3, 5), np.float32)
    np.add.at(wanted, (indices[numbers < 5][:, 0], numbers[numbers < 5]), weights[numbers < 5])
    numpy_case("sparse_bincount", "SparseBincount",
               [indices, numbers, sizes, (np.int32(5),), weights], reference=[wanted],
               binary_output=False, Tidx="dt:int32", **FLOAT)
    splits, numbers = np.array([0, 2, 2, 5, 6]), i32(1, 3, 0, 3, 9, 2)
    wanted = np.stack([np.bincount(numbers[a:b], minlength=10)[:4]
                       for a, b in zip(splits, splits[1:])]).astype(np.float32)
    numpy_case("ragged_bincount", "RaggedBincount",
               [splits, numbers, (np.int32(4),), (np.zeros(0, np.float32),)], reference=[wanted],
               binary_output=False, Tidx="dt:int32", **FLOAT)
    values = f32(50) * 2
    bins = np.minimum((np.maximum(values, -2) + 2) / (5 / 7), 6).astype(int)
    numpy_case("histogram", "HistogramFixedWidth",
               [values, (np.array([-2, 3], np.float32),), (np.int32(7),)],
               reference=[np.bincount(bins, minlength=7).astype(np.int32)], dtype="dt:int32",
               **FLOAT)
    x = f32(3, 4)
    numpy_case("nth_element", "NthElement", [x, (np.int32(2),)], reference=[np.sort(x)[:, 2]],
               reverse=False, **FLOAT)
    numpy_case("nth_largest", "NthElement", [x, (np.int32(1),)], reference=[-np.sort(-x)[:, 1]],
               reverse=True, **FLOAT)
    places = i32(22, 41, 37, 0)
    numpy_case("unravel_index", "UnravelIndex", [places, (i32(7, 6),)],
               reference=[np.array(np.unravel_index(places, (7, 6)), np.int32)], Tidx="dt:int32")


def counted(rows, weights, least=-1, most=-1, binary=False, is_vector=False):
    """Each number of each row once, in order, with the sum of its weights."""
    found = []
    for at, (row, each) in enumerate(zip(rows, weights)):
        for number in np.unique([n for n in row if n >= 0 and (most <= 0 or n < most)]).astype(int):
            found.append((at, number, 1 if binary else each[np.asarray(row) == number].sum()))
    size = most if most >= 0 else max([number + 1 for _, number, _ in found] + [1, least])
    indices = [(number,) if is_vector else (at, number) for at, number, _ in found]
    sizes = [size] if is_vector else [len(rows), size]
    return [np.array(indices), np.array([value for *_, value in found], np.float32), np.array(sizes)]


def make_sparse_counts():
    none = (np.zeros(0, np.float32),)
    kinds = {"T": "dt:int32", "output_type": "dt:float"}
    x, weights = DRAW.integers(0, 5, (3, 4)).astype(np.int32), f32(3, 4)
    numpy_case("dense_count", "DenseCountSparseOutput", [x, weights], results=3,
               reference=counted(x, weights, least=7), minlength=7, maxlength=-1, binary_output=False,
               **kinds)
    numpy_case("dense_count_of_vector", "DenseCountSparseOutput", [x[0], none], results=3,
               reference=counted(x[:1], np.ones((1, 4)), most=3, is_vector=True), maxlength=3,
               binary_output=False, **kinds)
    indices, _, sizes = sparse(thin(3, 5))
    numbers = DRAW.integers(0, 4, len(indices)).astype(np.int32)
    rows = [numbers[indices[:, 0] == row] for row in range(3)]
    numpy_case("sparse_count", "SparseCountSparseOutput", [indices, numbers, sizes, none], results=3,
               reference=counted(rows, [np.ones(len(row)) for row in rows], binary=True),
               binary_output=True, **kinds)
    splits, numbers, weights = np.array([0, 2, 2, 5, 6]), i32(1, 3, 0, 3, 0, 2), f32(6)
    cut = list(zip(splits, splits[1:]))
    numpy_case("ragged_count", "RaggedCountSparseOutput", [splits, numbers, weights], results=3,
               reference=counted([numbers[a:b] for a, b in cut], [weights[a:b] for a, b in cut]),
               binary_output=False, **kinds)


def make_ragged_rows():
    splits, outer = np.array([0, 2, 2, 5, 6]), np.array([0, 1, 1, 4])
    kinds = {"Tsplits": "dt:int64", **FLOAT}
    places = [(row, column) for row, (a, b) in enumerate(zip(splits, splits[1:]))
              for column in range(b - a)]
    values = f32(6)
    numpy_case("ragged_to_sparse", "RaggedTensorToSparse", [splits, values], results=3,
               reference=[np.array(places), values, np.array([4, 3])], RAGGED_RANK=1, **kinds)
    pairs = f32(6, 2)
    wanted = [(*place, i) for place in places for i in range(2)]
    numpy_case("ragged_to_sparse_of_pairs", "RaggedTensorToSparse", [splits, pairs], results=3,
               reference=[np.array(wanted), pairs.reshape(-1), np.array([4, 3, 2])], RAGGED_RANK=1,
               **kinds)
    group = {row: (number, row - a) for number, (a, b) in enumerate(zip(outer, outer[1:]))
             for row in range(a, b)}
    numpy_case("ragged_to_sparse_nested", "RaggedTensorToSparse", [outer, splits, values], results=3,
               reference=[np.array([(*group[row], column) for row, column in places]), values,
                          np.array([3, 3, 3])], RAGGED_RANK=2, **kinds)
    chosen = np.array([2, 0, 3, 1, 2])
    rows = [values[splits[k]:splits[k + 1]] for k in chosen]
    numpy_case("ragged_gather", "RaggedGather", [splits, values, chosen], results=2,
               reference=[np.cumsum([0] + [len(row) for row in rows]), np.concatenate(rows)],
               PARAMS_RAGGED_RANK=1, OUTPUT_RAGGED_RANK=1, Tvalues="dt:float", Tindices="dt:int64",
               Tsplits="dt:int64")


def make_rows_of_ragged():
    """A ragged tensor as a vector of variants, and back."""
    group = Group("rows_of_ragged")
    values = np.arange(10, dtype=np.float32).reshape(5, 2)
    kinds = dict(Tvalues="dt:float", Tsplits="dt:int64")
    rows = group.add("RaggedTensorToVariant", np.array([0, 2, 2, 5]), values, RAGGED_RANK=1,
                     batched_input=True, **kinds)
    group.fetch(group.add("Shape", rows, T="dt:variant", out_type="dt:int32"),
                np.array([3], np.int32))
    back = group.add("RaggedTensorFromVariant", rows, input_ragged_rank=0, output_ragged_rank=1,
                     **kinds)
    group.fetch(back, np.array([0, 2, 2, 5]))
    group.fetch(f"{back}:1", values)
    listed = group.add("TensorListFromTensor", rows, group.graph.const(np.int32([])),
                       element_dtype="dt:variant", shape_type="dt:int32")
    item = group.add("TensorListGetItem", listed, np.int32(2), group.graph.const(np.int32([])),
                     element_dtype="dt:variant")
    row = group.add("RaggedTensorFromVariant", item, input_ragged_rank=0, output_ragged_rank=0,
                    **kinds)
    group.fetch(row, values[2:])
    group.save()


SETS = {"a-b": set.difference, "b-a": lambda a, b: b - a, "intersection": set.intersection,
        "union": set.union}


def numbers_or_texts(kind, values):
    array = np.asarray(values)
    if kind != "text":
        return array.astype(kind)
    texts = [f"t{value}".encode() for value in array.reshape(-1).tolist()]
    return np.array(texts, object).reshape(array.shape)


def sparse_sets(kind, rows):
    """Rows of two rows of lists each, as a sparse tensor of rank 3."""
    flat = [(i, j, k, value) for i, pair in enumerate(rows) for j, row in enumerate(pair)
            for k, value in enumerate(row)]
    values = numbers_or_texts(kind, [value for *_, value in flat])
    return [np.array([place for *place, _ in flat]), values, np.array([len(rows), 2, 4])]


def set_case(group, kind, name, operands, operation, first, second):
    combine = SETS[operation]
    found = [(i, j, sorted(combine(set(first[i][j]), set(second[i][j])), key=lambda value: numbers_or_texts(
        kind, value).item())) for i in range(3) for j in range(2)]
    places = np.array([(i, j, k) for i, j, row in found for k in range(len(row))], np.int64).reshape(-1, 3)
    values = numbers_or_texts(kind, [value for *_, row in found for value in row])
    group.call(f"{name}SetOperation", *operands, wanted=[
        places, values.astype("S") if kind == "text" else values,
        np.array([3, 2, max(len(row) for *_, row in found)])], set_operation=operation,
        T="dt:string" if kind == "text" else f"dt:{kind}", validate_indices=True)


def make_sets():
    """What is in one set, the other or both; a set for each row, whose elements may come twice."""
    few = [[[5, 1, 1], []], [[], [2, -3]], [[0], [4, 4, 4, -1]]]
    more = [[[1], [7, 7]], [[], []], [[0, 3], [4, -2]]]
    for kind in ("int8", "int32", "int64", "text"):
        group = Group(f"sets_{kind}")
        a, b = DRAW.integers(-4, 5, (3, 2, 4)), DRAW.integers(-4, 5, (3, 2, 5))
        dense = [numbers_or_texts(kind, x) for x in (a, b)]
        sparse_few, sparse_more = sparse_sets(kind, few), sparse_sets(kind, more)
        for operation in SETS:
            set_case(group, kind, "DenseToDense", dense, operation, a.tolist(), b.tolist())
            set_case(group, kind, "DenseToSparse", [dense[0], *sparse_few], operation, a.tolist(), few)
            set_case(group, kind, "SparseToSparse", [*sparse_few, *sparse_more], operation, few, more)
        group.call("SetSize", *sparse_few, validate_indices=True, T="dt:string" if kind == "text" else
                   f"dt:{kind}", wanted=np.array([[len(set(row)) for row in pair] for pair in few], np.int32))
        group.save(onnx=kind != "text")
