# SPDX-License-Identifier: Apache-2.0
"""Sizes, movement of elements, their places, and what is kept of them."""

import numpy as np

import operator_cases
from operator_cases import FLOAT, Group, f32, i32
from operators_elements import drawn, types_of

INDEX = {"Tindices": "dt:int32"}


def whole(*sizes):
    return drawn("int32", *sizes)


def make_sizes():
    group = Group("sizes")
    x, row = f32(2, 1, 3), f32(4)
    for out_type, kind in (("int32", np.int32), ("int64", np.int64)):
        told = {"out_type": f"dt:{out_type}"}
        group.call("Shape", x, wanted=np.array(x.shape, kind), **told)
        group.call("ShapeN", x, row, wanted=[np.array(x.shape, kind), np.array([4], kind)], N=2, **told)
        group.call("Size", x, wanted=kind(6), **told)
    group.call("Rank", x, wanted=np.int32(3))
    group.call("BroadcastArgs", i32(2, 1, 3), i32(4, 1), wanted=i32(2, 4, 3))
    group.call("BroadcastTo", x, (i32(4, 2, 5, 3),), wanted=np.broadcast_to(x, (4, 2, 5, 3)),
               Tidx="dt:int32")
    for a, b, axes in (((2, 1, 3), (4, 1), ((1,), (0, 2))), ((1, 3), (1, 3), ((), ())),
                       ((1, 2), (1, 1, 1), ((0, 1), (0, 1, 2)))):
        group.call("BroadcastGradientArgs", (i32(*a),), (i32(*b),),
                   wanted=[i32(*part) for part in axes])
    group.call("ConcatOffset", (np.int32(1),), i32(2, 3), i32(2, 5), i32(2, 1),
               wanted=[i32(0, 0), i32(0, 3), i32(0, 8)], N=3)
    group.call("EnsureShape", x, wanted=x, shape=(2, -1, 3))
    group.call("Fill", i32(2, 3), np.float32(7), wanted=np.full((2, 3), 7, np.float32), T="dt:float",
               index_type="dt:int32")
    group.call("Empty", (i32(2, 3),), wanted=np.zeros((2, 3), np.float32), dtype="dt:float", init=True)
    group.call("ExpandDims", x, (np.int32(-1),), wanted=x[..., None], Tdim="dt:int32")
    group.call("Squeeze", x, wanted=x[:, 0], squeeze_dims=[])
    group.call("Squeeze", x, wanted=x[:, 0], squeeze_dims=[-2])
    group.call("Tile", x, (i32(2, 3, 1),), wanted=np.tile(x, (2, 3, 1)), Tmultiples="dt:int32")
    for kind, name in ((np.float32, "float"), (np.int64, "int64"), (np.float64, "double")):
        group.call("Range", kind(2), kind(9), kind(3), wanted=np.arange(2, 9, 3, kind), Tidx=f"dt:{name}")
        group.call("Range", kind(5), kind(-2), kind(-2), wanted=np.arange(5, -2, -2, kind),
                   Tidx=f"dt:{name}")
    for kind, name in ((np.float32, "float"), (np.float64, "double")):
        for ends in ((0, 0.3, 0.1), (1, 8, 0.7), (0.5, -2, -0.1), (0, 1, 0.05)):
            start, limit, delta = (kind(end) for end in ends)
            elements = [start]
            while len(elements) < np.ceil(np.abs(kind(kind(limit - start) / delta))):
                elements.append(kind(elements[-1] + delta))
            for operands in ((start, limit, delta), ((start,), (limit,), (delta,))):
                group.call("Range", *operands, wanted=np.array(elements, kind), Tidx=f"dt:{name}")
    for count in (1, 5):
        group.call("LinSpace", np.float32(2), np.float32(-3), (np.int32(count),),
                   wanted=np.linspace(2, -3, count, dtype=np.float32), Tidx="dt:int32")
    group.save()


def make_joined():
    group = Group("joined")
    a, b, c = f32(2, 3), f32(2, 1), f32(2, 2)
    joined = np.concatenate([a, b, c], 1)
    group.call("Concat", (np.int32(1),), a, b, c, wanted=joined, N=3, **FLOAT)
    group.call("ConcatV2", a, b, c, (np.int32(-1),), wanted=joined, N=3, Tidx="dt:int32")
    group.call("ParallelConcat", a[:1], a[1:], wanted=a, N=2, shape=(2, 3))
    for axis in (0, 1, -1):
        group.call("Pack", a, a + 1, wanted=np.stack([a, a + 1], axis), N=2, axis=axis)
        group.call("Unpack", c, wanted=[np.take(c, i, axis) for i in range(2)], num=2, axis=axis)
    group.call("Split", (np.int32(-1),), a, wanted=np.split(a, 3, 1), num_split=3, **FLOAT)
    group.call("SplitV", a, (i32(1, -1),), (np.int32(1),), wanted=[a[:, :1], a[:, 1:]], num_split=2,
               Tlen="dt:int32")
    pads = i32(1, 2, 0, 1).reshape(2, 2)
    group.call("Pad", a, (pads,), wanted=np.pad(a, pads), Tpaddings="dt:int32")
    group.call("PadV2", a, (pads,), np.float32(5), wanted=np.pad(a, pads, constant_values=5),
               Tpaddings="dt:int32")
    image = whole(3, 4, 3)
    pads = i32(1, 2, 0, 3, 1, 0).reshape(3, 2)
    for mode in ("REFLECT", "SYMMETRIC"):
        group.call("MirrorPad", image, (pads,), wanted=np.pad(image, pads, mode=mode.lower()), mode=mode,
                   Tpaddings="dt:int32")
    group.call("Reverse", image, (np.array([True, False, True]),), wanted=image[::-1, :, ::-1])
    group.call("ReverseV2", image, (i32(-2),), wanted=image[:, ::-1], Tidx="dt:int32")
    group.call("Roll", image, (i32(1, -2),), (i32(0, -1),), wanted=np.roll(image, (1, -2), (0, 2)),
               Tshift="dt:int32", Taxis="dt:int32")
    group.call("Transpose", image, (i32(2, 0, 1),), wanted=image.transpose(2, 0, 1), Tperm="dt:int32")
    group.save()


def make_gathered():
    group = Group("gathered")
    x, at = f32(4, 3, 2), i32(3, 0, 0, 1).reshape(2, 2)
    told = {"Tparams": "dt:float", **INDEX}
    group.call("Gather", x, at, wanted=x[at], **told)
    group.call("GatherV2", x, at % 3, (np.int32(-2),), wanted=x[:, at % 3], Taxis="dt:int32", **told)
    batched = np.stack([row[places % 3] for row, places in zip(x[:2], at)])
    group.call("GatherV2", x[:2], at % 3, (np.int32(1),), wanted=batched, Taxis="dt:int32", batch_dims=1,
               **told)
    group.call("GatherNd", x, i32(3, 1, 0, 2).reshape(2, 2), wanted=x[[3, 0], [1, 2]], **told)
    group.call("GatherNd", x, i32(2, 0).reshape(2, 1), wanted=x[[2, 0]], **told)
    group.call("InvertPermutation", i32(3, 0, 2, 1), wanted=i32(1, 3, 2, 0))
    for axis in (-1, 0, 1):
        wanted = np.where(np.arange(3) == np.array([2, 5, -1, 0])[:, None], np.float32(4), np.float32(-1))
        group.call("OneHot", i32(2, 5, -1, 0), (np.int32(3),), np.float32(4), np.float32(-1),
                   wanted=wanted.T if axis == 0 else wanted, axis=axis, TI="dt:int32", **FLOAT)
    for kind in types_of("Where"):
        x = drawn(kind, 3, 4, least=0, most=1)
        group.call("Where", x, wanted=np.argwhere(x))
    group.save()


def make_scattered():
    group = Group("scattered")
    places, rows = i32(3, 1, 3).reshape(3, 1), f32(3, 2)
    wanted = np.zeros((4, 2), np.float32)
    np.add.at(wanted, places[:, 0], rows)
    group.call("ScatterNd", places, rows, (i32(4, 2),), wanted=wanted, **INDEX, **FLOAT)
    combined = {"Add": np.add, "Sub": np.subtract, "Max": np.maximum, "Min": np.minimum}
    for kind, name in ((np.float32, "float"), (np.int32, "int32"), (np.int64, "int64")):
        x, rows = drawn(name, 4, 2), drawn(name, 3, 2)
        for suffix, function in combined.items():
            wanted = x.copy()
            function.at(wanted, places[:, 0], rows)
            group.call(f"TensorScatter{suffix}", x, places, rows, wanted=wanted, **INDEX)
        wanted = x.copy()
        np.add.at(wanted, places[:, 0], rows)
        group.call("ScatterNdNonAliasingAdd", x, places, rows, wanted=wanted, **INDEX)
        wanted = x.copy()
        wanted[[2, 0]] = rows[:2]
        group.call("TensorScatterUpdate", x, i32(2, 0).reshape(2, 1), rows[:2], wanted=wanted, **INDEX)
        group.call("InplaceUpdate", x, i32(2, 0), rows[:2], wanted=wanted)
        wanted = x.copy()
        wanted[[2, 0]] -= rows[:2]
        group.call("InplaceSub", x, i32(2, 0), rows[:2], wanted=wanted)
    group.save()


def first_places(rows):
    """Rows that differ, in the order in which they come; which of them each is; how often each."""
    found, numbers = [], []
    for row in rows:
        same = [i for i, other in enumerate(found) if np.array_equal(row, other)]
        numbers.append(same[0] if same else len(found))
        if not same:
            found.append(row)
    return np.stack(found), i32(*numbers), np.bincount(numbers).astype(np.int32)


def make_unique():
    group = Group("unique")
    for name in ("float", "double", "uint8", "int8", "int16", "int32", "int64"):
        x = drawn(name, 9, most=3).round()
        values, numbers, counts = first_places(x)
        group.call("Unique", x, wanted=[values, numbers], out_idx="dt:int32")
        group.call("UniqueWithCounts", x, wanted=[part.astype(np.int64) if i else part for i, part in
                                                  enumerate((values, numbers, counts))],
                   out_idx="dt:int64")
    x = drawn("int32", 3, 6, least=0, most=1)
    for axis in (0, 1):
        values, numbers, counts = first_places(np.moveaxis(x, axis, 0))
        values = np.moveaxis(values, 0, axis)
        told = {"Taxis": "dt:int64", "out_idx": "dt:int32"}
        group.call("UniqueV2", x, (np.array([axis]),), wanted=[values, numbers], **told)
        group.call("UniqueWithCountsV2", x, (np.array([axis]),), wanted=[values, numbers, counts], **told)
    group.save()


SEGMENTS = {"Sum": (np.add, 0, 0), "Prod": (np.multiply, 1, 1), "Max": (np.maximum, None, 0),
            "Min": (np.minimum, None, 0)}


def extreme(kind, largest):
    ends = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
    return ends.max if largest else ends.min


def combined(x, numbers, count, function, start):
    wanted = np.full((count, *x.shape[1:]), start, x.dtype)
    for row, number in zip(x, numbers):
        if number >= 0:
            wanted[number] = function(wanted[number], row)
    return wanted


def make_all_segments():
    """Rows with equal numbers, of which some have none."""
    for name in types_of("SegmentMax"):
        group = Group(f"segments_{name}")
        x, numbers, loose = drawn(name, 5, 3, most=3), i32(0, 0, 2, 2, 4), i32(4, -1, 0, 4, 2)
        if x.dtype.kind == "f":
            x[0] = x[1] = -np.inf, np.inf, 0
        for suffix, (function, start, missing) in SEGMENTS.items():
            if start is None:
                start = extreme(x.dtype, suffix == "Min")
            wanted = combined(x, loose, 6, function, start)
            group.call(f"UnsortedSegment{suffix}", x, loose, (np.int32(6),), wanted=wanted,
                       Tnumsegments="dt:int32", **INDEX)
            wanted = np.full((5, 3), missing, x.dtype)
            for number in (0, 2, 4):
                wanted[number] = function.reduce(x[numbers == number])
            group.call(f"Segment{suffix}", x, numbers, wanted=wanted, **INDEX)
            group.call(f"Segment{suffix}V2", x, numbers, (np.int32(6),), Tnumsegments="dt:int32",
                       wanted=combined(x, numbers, 6, function, start), **INDEX)
        if x.dtype.kind == "f":
            x = drawn(name, 5, 3)
            wanted = np.stack([x[numbers == i].mean(0) if i in numbers else 0 * x[0] for i in range(5)])
            group.call("SegmentMean", x, numbers, wanted=wanted.astype(x.dtype), **INDEX)
        group.save()
    group = Group("sparse_segments")
    x, chosen, numbers = f32(6, 3), i32(4, 0, 0, 5, 2), i32(0, 0, 1, 1, 3)
    for kind, over in (("Sum", lambda n: 1), ("Mean", lambda n: max(n, 1)),
                       ("SqrtN", lambda n: max(n, 1) ** 0.5)):
        wanted = [x[chosen[numbers == i]].sum(0) / over((numbers == i).sum()) for i in range(6)]
        group.call(f"SparseSegment{kind}WithNumSegments", x, chosen, numbers, (np.int32(6),),
                   wanted=np.array(wanted, np.float32), Tidx="dt:int32", Tnumsegments="dt:int32",
                   Tsegmentids="dt:int32")
    group.save()


def make_shapes():
    operator_cases.seed(32)
    make_sizes()
    make_joined()
    make_gathered()
    make_scattered()
    make_unique()
    make_all_segments()
