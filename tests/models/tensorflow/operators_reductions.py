# SPDX-License-Identifier: Apache-2.0
"""Sums, extremes and places along axes; classes and their scores."""

import numpy as np

import operator_cases
from operator_cases import DRAW, FLOAT, Group, f32, i32
from operators_elements import drawn, types_of


def product(x, axes, keep):
    return np.prod(x, axes, keepdims=keep, dtype=x.dtype)


def mean(x, axes, keep):
    """That of integers is cut off."""
    if x.dtype.kind in "fc":
        return np.mean(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64), axes,
                       keepdims=keep).astype(x.dtype)
    total = np.sum(x.astype(np.int64), axes, keepdims=keep)
    count = x.size // total.size
    return (np.sign(total) * (np.abs(total) // count)).astype(x.dtype)


def norm(x, axes, keep):
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    return np.sqrt(np.sum(np.abs(wide) ** 2, axes, keepdims=keep)).astype(x.dtype)


REDUCTIONS = {
    "Sum": lambda x, axes, keep: np.sum(x, axes, keepdims=keep, dtype=x.dtype), "Prod": product,
    "Mean": mean, "EuclideanNorm": norm,
    "Max": lambda x, axes, keep: np.max(x, axes, keepdims=keep),
    "Min": lambda x, axes, keep: np.min(x, axes, keepdims=keep),
    "All": lambda x, axes, keep: np.all(x, axes, keepdims=keep),
    "Any": lambda x, axes, keep: np.any(x, axes, keepdims=keep)}


def make_large_means():
    """Means of integers whose sum has more bits than they have."""
    group = Group("means_of_large_integers")
    for kind in ("uint8", "int8", "int16", "uint16", "int32", "uint32"):
        ends = np.iinfo(kind)
        x = np.array([[ends.max, ends.max - 4, ends.max // 2], [ends.min, 3, ends.max]], kind)
        group.call("Mean", x, (i32(1),), wanted=mean(x, (1,), False), keep_dims=False,
                   Tidx="dt:int32")
    group.save()


def make_reduced():
    group = Group("reductions")
    for op, function in REDUCTIONS.items():
        for kind in types_of(op):
            x = drawn(kind, 2, 3, 4, least=0 if op == "EuclideanNorm" else -3, most=3)
            for axes, keep in (((1,), False), ((0, -1), True), ((), False)):
                axes_of = tuple(axis % 3 for axis in axes)
                # Over no axes, the norm of each element; all others leave them.
                wanted = function(x, axes_of, keep) if axes or op == "EuclideanNorm" else x
                group.call(op, x, (i32(*axes),), wanted=wanted, keep_dims=keep, Tidx="dt:int32")
    x = f32(2, 3, 4)
    for op, function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
        for kind in types_of(op):
            if kind.startswith("complex"):
                continue
            x = drawn(kind, 3, 4)
            group.call(op, x, (np.int32(-1),), wanted=function(x, 1), Tidx="dt:int32",
                       output_type="dt:int64")
            group.call(op, x, (np.int32(0),), wanted=function(x, 0).astype(np.int32), Tidx="dt:int32",
                       output_type="dt:int32")
    for kind in types_of("L2Loss"):
        x = drawn(kind, 3, 4)
        group.call("L2Loss", x, wanted=np.asarray((x.astype(float) ** 2).sum() / 2).astype(x.dtype))
    group.save()


def run(x, axis, exclusive, reverse, function, start):
    x = np.moveaxis(x[::1], axis, 0)
    x = x[::-1] if reverse else x
    whole = function.accumulate(x, 0, dtype=x.dtype)
    if exclusive:
        whole = np.concatenate([np.full_like(x[:1], start), whole[:-1]])
    return np.moveaxis(whole[::-1] if reverse else whole, 0, axis)


def make_sums_so_far():
    group = Group("sums_so_far")
    for op, function, start in (("Cumsum", np.add, 0), ("Cumprod", np.multiply, 1)):
        for kind in types_of(op):
            x = drawn(kind, 2, 4, least=-3, most=3)
            for exclusive, reverse in ((False, False), (True, True)):
                group.call(op, x, (np.int32(-1),), wanted=run(x, 1, exclusive, reverse, function, start),
                           exclusive=exclusive, reverse=reverse, Tidx="dt:int32")
    for kind in types_of("CumulativeLogsumexp"):
        x = drawn(kind, 3, 4)
        wanted = np.log(run(np.exp(x.astype(float)), 0, False, True, np.add, 0)).astype(x.dtype)
        group.call("CumulativeLogsumexp", x, (np.int32(0),), wanted=wanted, exclusive=False, reverse=True,
                   Tidx="dt:int32")
    group.save()


def log_softmax(x):
    wide = x.astype(np.float64) - x.max(-1, keepdims=True)
    return wide - np.log(np.exp(wide).sum(-1, keepdims=True))


def make_classes():
    group = Group("classes")
    for kind in types_of("Softmax"):
        x = drawn(kind, 3, 5)
        logs = log_softmax(x)
        group.call("Softmax", x, wanted=np.exp(logs).astype(x.dtype))
        group.call("LogSoftmax", x, wanted=logs.astype(x.dtype))
        labels = DRAW.random((3, 5)).astype(x.dtype)
        group.call("SoftmaxCrossEntropyWithLogits", x, labels, wanted=[
            -(labels * logs).sum(1).astype(x.dtype), (np.exp(logs) - labels).astype(x.dtype)])
        chosen = i32(4, 0, 2)
        group.call("SparseSoftmaxCrossEntropyWithLogits", x, chosen, Tlabels="dt:int32", wanted=[
            -logs[range(3), chosen].astype(x.dtype),
            (np.exp(logs) - np.eye(5)[chosen]).astype(x.dtype)])
    scores = np.array([[5, 1, 4, 2, 3], [3, 3, 3, 1, 2], [1, np.inf, 2, 0, 3], [np.nan, 1, 2, 3, 4],
                       [1, 2, 3, 4, 5], [1, 2, 3, 4, 5]], np.float32)
    targets = i32(3, 2, 2, 4, 9, -1)
    for k, wanted in ((1, [0, 1, 0, 0, 0, 0]), (4, [1, 1, 0, 0, 0, 0])):
        group.call("InTopK", scores, targets, wanted=np.array(wanted, bool), k=k, T="dt:int32")
        group.call("InTopKV2", scores, targets, (np.int32(k),), wanted=np.array(wanted, bool),
                   T="dt:int32")
    for kind in types_of("TopKV2"):
        x = drawn(kind, 3, 7, most=3)
        order = np.argsort(-x.astype(np.float64), 1, kind="stable")[:, :4].astype(np.int32)
        wanted = [np.take_along_axis(x, order, 1), order]
        group.call("TopK", x, wanted=wanted, k=4, sorted=True)
        group.call("TopKV2", x, (np.int32(4),), wanted=wanted, sorted=True)
    group.save()


def make_counted():
    group = Group("counted")
    x = i32(3, 0, 3, 7, 1)
    for kind in ("int32", "int64", "float", "double"):
        weights = drawn(kind, 5)
        wanted = np.zeros(5, weights.dtype)
        np.add.at(wanted, x[x < 5], weights[x < 5])
        group.call("Bincount", x, (np.int32(5),), weights, wanted=wanted, T=f"dt:{kind}")
        none = np.zeros(0, weights.dtype)
        group.call("Bincount", x, (np.int32(5),), (none,), T=f"dt:{kind}",
                   wanted=np.bincount(x[x < 5], minlength=5).astype(weights.dtype))
    values = np.array([-1, 0, 1.5, 2, 5, 15, 4.999], np.float32)
    group.call("HistogramFixedWidth", values, (np.array([0, 5], np.float32),), (np.int32(5),),
               wanted=i32(2, 1, 1, 0, 3), dtype="dt:int32", **FLOAT)
    for kind in ("int32", "float"):
        x = drawn(kind, 3, 5)
        for reverse in (False, True):
            wanted = np.sort(x, 1)[:, ::-1 if reverse else 1][:, 2]
            group.call("NthElement", x, (np.int32(2),), wanted=wanted, reverse=reverse)
    at = i32(22, 41, 37)
    group.call("UnravelIndex", at, (i32(7, 6),), wanted=np.stack(np.unravel_index(at, (7, 6))).astype(np.int32),
               Tidx="dt:int32")
    group.save()


def make_reductions():
    make_large_means()
    operator_cases.seed(34)
    make_reduced()
    make_sums_so_far()
    make_classes()
    make_counted()
