# SPDX-License-Identifier: Apache-2.0
"""Single operators, and short chains of operators on sizes, for drawn graphs.

Each function draws one into a Scope and gives its results.
"""

import math

import numpy as np
from onnx import numpy_helper

from drawn_scope import HIDDEN, N, ONNX_TYPES, Declined, Value

# Operator: attributes, the bound of its results (None: that of the operand).
UNARY = {
    "Tanh": ({}, 1), "Sigmoid": ({}, 1), "Relu": ({}, None), "LeakyRelu": ({"alpha": 0.25}, None),
    "Elu": ({"alpha": 0.5}, None), "Softplus": ({}, None), "Erf": ({}, 1), "Sin": ({}, 1),
    "Cos": ({}, 1), "HardSigmoid": ({"alpha": 0.25}, 1), 
    "Softsign": ({}, 1), "Celu": ({}, None), "Selu": ({}, None), "Identity": ({}, None),
    "Atan": ({}, 2),
}
KEEP_STEP = {"Relu", "Identity", "Neg", "Abs", "Dropout"}


def last_static(v):
    return v.is_float and v.rank >= 1 and v.shape[-1] != N and v.shape[-1] > 0


def is_static(v):
    return N not in v.shape


def same_type(like):
    return lambda v: v.dtype == like.dtype and v.shape == like.shape


def broadcasts(a, b):
    """The shape of a and b together; None if they do not fit."""
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b))
    shape = []
    for x, y in pairs:
        if x != y and 1 not in (x, y):
            return None
        shape.append(y if x == 1 else x)
    return tuple(shape)


def reduce(g, op, x, axes, keepdims, **numbers):
    """A reduction, whose axes are an operand or an attribute."""
    axes = sorted(axes)
    shape = [1 if i in axes else size for i, size in enumerate(x.shape)
             if keepdims or i not in axes]
    if g.chance(0.3):
        axes = [a - x.rank for a in axes]
    if op == "ReduceSum" or g.opset >= 18:
        return g.add(op, [x, g.integers(*axes)], shape=shape, keepdims=keepdims, **numbers)
    return g.add(op, [x], shape=shape, keepdims=keepdims, axes=axes, **numbers)


def transpose(g, x, order=None):
    order = [int(i) for i in (g.rng.permutation(x.rank) if order is None else order)]
    return g.add("Transpose", [x], shape=[x.shape[i] for i in order], perm=order)


def unary(g):
    x = g.pick()
    op = g.choose(list(UNARY))
    attributes, bound = UNARY[op]
    if x.dtype != "float32" and op not in ("Tanh", "Sigmoid", "Relu", "Identity"):
        raise Declined
    return g.add(op, [x], bound=(x.bound + 1 if bound is None else bound),
                 step=x.step if op in KEEP_STEP else 0.0, **attributes)


def negate(g):
    x = g.pick(lambda v: v.is_float or v.dtype == "int64")
    return g.add(g.choose(["Neg", "Abs"]), [x])


def positive(g):
    """Operators of positive numbers."""
    x = g.pick()
    x = g.add("Abs", [x])
    x = g.add("Add", [x, g.number(1, x.dtype)], bound=x.bound + 1, step=0.0)
    op = g.choose(["Sqrt", "Log", "Reciprocal"])
    return g.add(op, [x], bound=x.bound)


def partner(g, x):
    """A value or constant that broadcasts with x, and the shape of both."""
    if g.chance(0.5):
        y = g.pick(lambda v: v.dtype == x.dtype and broadcasts(x.shape, v.shape) is not None)
    else:
        shape = [s if s != N and g.chance(0.6) else 1 for s in x.shape]
        shape = shape[int(g.rng.integers(len(shape) + 1)):]
        y = g.constant(g.array(shape).astype(x.dtype))
    return y, broadcasts(x.shape, y.shape)


def binary(g):
    x = g.pick(lambda v: v.is_float or v.dtype == "int64")
    y, shape = partner(g, x)
    op = g.choose(["Add", "Sub", "Mul", "Min", "Max", "Add", "Mul"])
    exact = min(x.step, y.step)
    if op == "Mul":
        bound, step = x.bound * y.bound, x.step * y.step
    else:
        bound = x.bound + y.bound if op in ("Add", "Sub") else max(x.bound, y.bound)
        step = exact
    operands = [x, y] if g.chance(0.7) or op == "Sub" else [y, x]
    if x.dtype == "int64" and bound > 1e6:
        raise Declined
    return g.add(op, operands, x, shape=shape, bound=bound, step=step)


def divide(g):
    x = g.pick()
    y, shape = partner(g, x)
    y = g.add("Add", [g.add("Mul", [y, y], bound=y.bound ** 2), g.number(1, x.dtype)],
              bound=y.bound ** 2 + 1)
    return g.add("Div", [x, y], shape=shape, step=0.0)


def power(g):
    x = g.pick(lambda v: v.is_float and v.bound <= 8)
    exponent = g.choose([2, 3])
    return g.add("Pow", [x, g.number(exponent, x.dtype)], bound=x.bound ** exponent,
                 step=x.step ** exponent)


def of_many(g):
    """Sum, Max, Mean of several."""
    x = g.pick(lambda v: v.dtype == "float32")
    others = [g.pick(lambda v: v.dtype == x.dtype and broadcasts(x.shape, v.shape) == x.shape)
              for _ in range(g.choose([0, 1, 2]))]
    op = g.choose(["Sum", "Max", "Mean", "Min"])
    return g.add(op, [x, *others], bound=x.bound + sum(o.bound for o in others), step=0.0)


def compare(g):
    x = g.pick(lambda v: v.dtype != "bool" and v.is_exact)
    y, shape = partner(g, x)
    if not y.is_exact:
        raise Declined
    op = g.choose(["Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual"])
    return g.add(op, [x, y], dtype="bool", shape=shape, bound=1)


def logical(g):
    x = g.pick(lambda v: v.dtype == "bool")
    if g.chance(0.3):
        return g.add("Not", [x])
    y = g.pick(lambda v: v.dtype == "bool" and broadcasts(x.shape, v.shape) is not None)
    return g.add(g.choose(["And", "Or", "Xor"]), [x, y], shape=broadcasts(x.shape, y.shape))


def where(g):
    condition = g.pick(lambda v: v.dtype == "bool")
    x = g.pick(lambda v: v.dtype != "bool" and broadcasts(condition.shape, v.shape) is not None)
    shape = broadcasts(condition.shape, x.shape)
    y, _ = partner(g, x)
    shape = broadcasts(shape, y.shape)
    if shape is None:
        raise Declined
    return g.add("Where", [condition, x, y], x, shape=shape, bound=max(x.bound, y.bound),
                 step=min(x.step, y.step))


def cast(g):
    x = g.pick(lambda v: v.is_exact)
    to = g.choose(["float32", "float64", "int64", "bool", "float32", "float16"])
    if to == x.dtype:
        raise Declined
    step = {"bool": 0.0, "int64": 1.0}.get(to, x.step if x.is_float else 1.0)
    y = g.add("Cast", [x], dtype=to, bound=1 if to == "bool" else x.bound, step=step,
              to=ONNX_TYPES[to])
    if to == "float16" and g.chance(0.7):
        y = g.add("Cast", [y], dtype="float32", step=0.0, to=ONNX_TYPES["float32"])
    return y


def round_off(g):
    x = g.pick(lambda v: v.is_float and v.is_exact and v.dtype != "float16")
    return g.add(g.choose(["Floor", "Ceil", "Round", "Sign"]), [x], bound=x.bound + 1, step=1.0)


def clip(g):
    x = g.pick()
    low = g.number(-1, x.dtype) if g.chance(0.8) else None
    high = g.number(g.choose([1, 6]), x.dtype) if g.chance(0.8) else None
    return g.add("Clip", [x, low, high])


def matmul(g):
    """A product with a constant weight, perhaps transposed at run time, perhaps with a bias."""
    x = g.pick(lambda v: last_static(v) and v.rank >= 2)
    size, columns = x.shape[-1], g.choose([x.shape[-1], 4, 6])
    if g.chance(0.3):
        weight = transpose(g, g.constant(g.array((columns, size)).astype(x.dtype)), (1, 0))
    else:
        weight = g.constant(g.array((size, columns)).astype(x.dtype))
    y = g.add("MatMul", [x, weight], shape=(*x.shape[:-1], columns),
              bound=x.bound * size * weight.bound, step=x.step * weight.step)
    if g.chance(0.6):
        bias = g.constant(g.array((columns,)).astype(x.dtype))
        y = g.add("Add", [y, bias] if g.chance(0.7) else [bias, y], y, bound=y.bound + bias.bound,
                  step=min(y.step, bias.step))
    return y


def run_time_product(g):
    x = g.pick(lambda v: last_static(v) and v.rank >= 2)
    y = g.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape)
    order = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
    return g.add("MatMul", [x, transpose(g, y, order)], shape=(*x.shape[:-1], x.shape[-2]),
                 bound=x.bound * y.bound * x.shape[-1], step=x.step * y.step)


def gemm(g):
    x = g.pick(lambda v: v.is_float and v.rank == 2 and last_static(v) and v.dtype != "float16")
    size, columns = x.shape[1], g.choose([x.shape[1], 4, 6])
    trans = int(g.chance(0.5))
    weight = g.constant(g.array((columns, size) if trans else (size, columns)).astype(x.dtype))
    alpha, beta = g.choose([1.0, 0.5]), g.choose([1.0, 2.0])
    bias = None
    if g.chance(0.7):
        bias = g.constant(g.array(g.choose([(columns,), (1, columns), (1,), ()])).astype(x.dtype))
        if g.chance(0.2):
            bias = g.pick(lambda v: v.dtype == x.dtype
                          and broadcasts((x.shape[0], columns), v.shape) == (x.shape[0], columns))
    bound = x.bound * weight.bound * size + (2 * bias.bound if bias else 0)
    return g.add("Gemm", [x, weight, bias], shape=(x.shape[0], columns), bound=bound, step=0.0,
                 alpha=alpha, beta=beta, transB=trans)


def einsum(g):
    x = g.pick(lambda v: last_static(v) and v.rank == 3 and v.dtype != "float16")
    weight = g.constant(g.array((x.shape[-1], 4)).astype(x.dtype))
    equation, shape = g.choose([("bik,km->bim", (*x.shape[:2], 4)),
                                ("bik,km->bmi", (x.shape[0], 4, x.shape[1]))])
    return g.add("Einsum", [x, weight], shape=shape, bound=x.bound * weight.bound * x.shape[-1],
                 step=x.step * weight.step, equation=equation)


def softmax(g):
    x = g.pick(last_static)
    axis = g.choose([-1, x.rank - 1])
    op = g.choose(["Softmax", "Softmax", "LogSoftmax"])
    return g.add(op, [x], bound=1 if op == "Softmax" else 2 * x.bound + 4, step=0.0, axis=axis)


def reduction(g):
    x = g.pick(lambda v: v.is_float and v.rank >= 1 and v.dtype != "float16")
    axes = [i for i, size in enumerate(x.shape) if size not in (N, 0) and g.chance(0.5)]
    if not axes:
        raise Declined
    count = math.prod(x.shape[i] for i in axes)
    op = g.choose(["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2", "ReduceL1",
                   "ReduceSumSquare", "ReduceLogSumExp"])
    bound, step = {"ReduceSum": (x.bound * count, x.step), "ReduceL1": (x.bound * count, x.step),
                   "ReduceMax": (x.bound, x.step), "ReduceMin": (x.bound, x.step),
                   "ReduceSumSquare": (x.bound ** 2 * count, x.step ** 2)}.get(
                       op, (x.bound * count + 4, 0.0))
    return reduce(g, op, x, axes, g.choose([0, 1]), bound=bound, step=step)


def arg_max(g):
    x = g.pick(lambda v: last_static(v) and v.is_exact and v.dtype != "float16")
    keep = g.choose([0, 1])
    shape = (*x.shape[:-1], 1) if keep else x.shape[:-1]
    return g.add("ArgMax", [x], dtype="int64", shape=shape, bound=x.shape[-1], step=1.0, axis=-1,
                 keepdims=keep)


def top_k(g):
    x = g.pick(lambda v: last_static(v) and v.is_exact and v.dtype != "float16")
    count = int(g.rng.integers(1, x.shape[-1] + 1))
    shape = (*x.shape[:-1], count)
    results = [Value("", x.dtype, shape, x.bound, x.step),
               Value("", "int64", shape, x.shape[-1], 1.0)]
    results = g.add_all("TopK", [x, g.integers(count)], results, axis=-1, largest=g.choose([0, 1]))
    return g.choose([results, results[:1], results[1:]])


def transposes(g):
    x = g.pick(lambda v: v.rank >= 2)
    for _ in range(g.choose([1, 2, 3])):
        x = transpose(g, x)
        if g.chance(0.3) and x.is_float:
            x = g.add(g.choose(["Relu", "Neg"]), [x])
    return x


def concat(g):
    x = g.pick(lambda v: v.rank >= 1)
    axis = int(g.rng.integers(x.rank))
    if x.shape[axis] == N:
        raise Declined

    def fits(v):
        return (v.dtype == x.dtype and v.rank == x.rank and v.shape[axis] != N and all(
            a == b for i, (a, b) in enumerate(zip(x.shape, v.shape)) if i != axis))

    parts = [x] + [g.pick(fits) for _ in range(g.choose([0, 1, 1, 2]))]
    if g.chance(0.3):
        g.rng.shuffle(parts)
    shape = [*x.shape[:axis], sum(p.shape[axis] for p in parts), *x.shape[axis + 1:]]
    return g.add("Concat", parts, shape=shape, bound=max(p.bound for p in parts),
                 step=min(p.step for p in parts), axis=axis - g.choose([0, x.rank]))


def split(g):
    x = g.pick(lambda v: last_static(v) and v.shape[-1] >= 2)
    size = x.shape[-1]
    cut = int(g.rng.integers(1, size))
    sizes = [cut, size - cut] if g.chance(0.5) or size % 2 else [size // 2] * 2
    results = [Value("", x.dtype, (*x.shape[:-1], s), x.bound, x.step) for s in sizes]
    return g.add_all("Split", [x, g.integers(*sizes)], results, axis=g.choose([-1, x.rank - 1]))


def slice_(g):
    x = g.pick(lambda v: any(s not in (N, 0) for s in v.shape))
    axis = g.choose([i for i, s in enumerate(x.shape) if s not in (N, 0)])
    size = x.shape[axis]
    start, stop = sorted(int(i) for i in g.rng.integers(0, size + 1, 2))
    stop, step = max(stop, start + 1), 1
    if g.chance(0.2):  # backwards
        start, stop, step = size - 1, -size - 1, g.choose([-1, -2])
    length = len(range(size)[start:stop if stop > -size else None:step])
    if length == 0:
        raise Declined
    shape = [*x.shape[:axis], length, *x.shape[axis + 1:]]
    bounds = [start - size if g.chance(0.3) and step > 0 else start,
              2 ** 31 - 1 if stop == size and g.chance(0.5) else stop]
    return g.add("Slice", [x, *(g.integers(i) for i in (*bounds, axis, step))], shape=shape)


def gather(g):
    x = g.pick(lambda v: any(s not in (N, 0) for s in v.shape) and v.dtype != "float16")
    axis = g.choose([i for i, s in enumerate(x.shape) if s not in (N, 0)])
    shape = g.choose([(), (1,), (3,), (2, 2)])
    indices = g.rng.integers(-x.shape[axis], x.shape[axis], shape).astype(np.int64)
    return g.add("Gather", [x, g.constant(indices)], axis=axis,
                 shape=[*x.shape[:axis], *shape, *x.shape[axis + 1:]])


def scatter(g):
    x = g.pick(lambda v: v.is_float and v.rank >= 2 and v.shape[0] not in (N, 0)
               and v.dtype != "float16")
    update = g.pick(lambda v: v.dtype == x.dtype and v.shape == x.shape[1:])
    index = g.constant(np.array([[int(g.rng.integers(x.shape[0]))]], np.int64))
    update = g.add("Unsqueeze", [update, g.integers(0)], shape=(1, *update.shape))
    return g.add("ScatterND", [x, index, update], shape=x.shape, bound=max(x.bound, update.bound),
                 step=min(x.step, update.step))


def squeeze(g):
    x = g.pick(lambda v: v.rank <= 3)
    axis = int(g.rng.integers(x.rank + 1))
    y = g.add("Unsqueeze", [x, g.integers(axis)], shape=(*x.shape[:axis], 1, *x.shape[axis:]))
    if g.chance(0.5):
        return y
    op = g.choose(["Relu", "Neg", "Identity"]) if y.is_float else "Identity"
    y = g.add(op, [y])
    return g.add("Squeeze", [y, g.integers(axis)], shape=x.shape)


def pad(g):
    x = g.pick(lambda v: v.is_float and v.rank >= 1 and v.dtype != "float16")
    sizes = [(0, 0) if s in (N, 0) else tuple(int(i) for i in g.rng.integers(0, 2, 2))
             for s in x.shape]
    mode = g.choose(["constant", "constant", "edge", "reflect"])
    if mode == "reflect" and any(s in (1,) and any(p) for s, p in zip(x.shape, sizes)):
        raise Declined
    shape = [s if s == N else s + a + b for s, (a, b) in zip(x.shape, sizes)]
    amounts = g.integers(*(a for a, _ in sizes), *(b for _, b in sizes))
    operands = [x, amounts]
    if mode == "constant" and g.chance(0.5):
        operands.append(g.number(0.5, x.dtype))
    return g.add("Pad", operands, shape=shape, step=0.0, bound=max(x.bound, 1), mode=mode)


def resize(g):
    x = g.pick(lambda v: v.dtype == "float32" and v.rank == 4 and all(
        s not in (N, 0) for s in v.shape[1:]))
    mode = g.choose([{"mode": "nearest", "coordinate_transformation_mode": "asymmetric",
                      "nearest_mode": "floor"},
                     {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}])
    scales = g.constant(np.array([1, 1, 2, 2], np.float32))
    shape = (*x.shape[:2], 2 * x.shape[2], 2 * x.shape[3])
    if math.prod(shape[1:]) > 1024:
        raise Declined
    return g.add("Resize", [x, None, scales], shape=shape, step=0.0, **mode)


def cumulative(g):
    x = g.pick(lambda v: last_static(v) and v.dtype != "float16")
    return g.add("CumSum", [x, g.constant(np.array(x.rank - 1, np.int64))],
                 bound=x.bound * x.shape[-1], exclusive=g.choose([0, 1]), reverse=g.choose([0, 1]))


def tile(g):
    x = g.pick(lambda v: v.rank >= 1 and v.shape[-1] not in (N, 0) and v.shape[-1] <= 8
               and v.dtype != "float16")
    return g.add("Tile", [x, g.integers(*[1] * (x.rank - 1), 2)],
                 shape=(*x.shape[:-1], 2 * x.shape[-1]))


# --- operators on sizes

def size_of(g, x, axis):
    """The size of x along an axis: 1-d, computed."""
    if g.opset >= 15 and g.chance(0.3):
        return g.add("Shape", [x], dtype="int64", shape=(1,), bound=64, step=1.0, start=axis,
                     end=axis + 1)
    sizes = g.add("Shape", [x], dtype="int64", shape=(x.rank,), bound=64, step=1.0)
    if g.chance(0.5):
        return g.add("Gather", [sizes, g.integers(axis)], shape=(1,))
    if g.chance(0.5):
        return g.add("Slice", [sizes, g.integers(axis), g.integers(axis + 1), g.integers(0)],
                     shape=(1,))
    one = g.add("Gather", [sizes, g.constant(np.array(axis, np.int64))], shape=())
    return g.add("Unsqueeze", [one, g.integers(0)], shape=(1,))


def sizes_as_operand(g, like, sizes):
    """`sizes`, of which N is read from `like`, put together."""
    parts = [size_of(g, like, like.shape.index(N)) if s == N
             else size_of(g, like, like.shape.index(s)) if s in like.shape and g.chance(0.3)
             else g.integers(s) for s in sizes]
    return g.add("Concat", parts, parts[0], shape=(len(parts),), bound=64, axis=0)


def reshape(g):
    """Axes merged or split, with sizes that are constant or read from the operand."""
    x = g.pick(lambda v: v.rank >= 2 and v.shape.count(N) <= 1 and 0 not in v.shape)
    static = [i for i in range(x.rank - 1) if N not in x.shape[i:i + 2]]
    if static and g.chance(0.7):
        i = g.choose(static)
        sizes = [*x.shape[:i], x.shape[i] * x.shape[i + 1], *x.shape[i + 2:]]
    else:
        even = [i for i, s in enumerate(x.shape) if s != N and s % 2 == 0]
        if not even or x.rank > 3:
            raise Declined
        i = g.choose(even)
        sizes = [*x.shape[:i], 2, x.shape[i] // 2, *x.shape[i + 1:]]
    if g.chance(0.4):
        target = sizes_as_operand(g, x, sizes)
    else:
        target = g.integers(*(-1 if s == N else s for s in sizes))
    return g.add("Reshape", [x, target], shape=sizes)


def flatten(g):
    x = g.pick(lambda v: v.rank >= 2 and N not in v.shape[1:] and v.dtype != "float16")
    return g.add("Flatten", [x], shape=(x.shape[0], math.prod(x.shape[1:])), axis=1)


def expand(g):
    like = g.pick(lambda v: v.rank >= 1 and v.shape.count(N) <= 1)
    x = g.pick(lambda v: broadcasts(v.shape, like.shape) == like.shape and v.dtype != "float16")
    return g.add("Expand", [x, sizes_as_operand(g, like, like.shape)], shape=like.shape)


def filled(g):
    """A constant of computed sizes, added to what told them."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 1 and v.shape.count(N) <= 1)
    value = numpy_helper.from_array(np.array([g.choose([0.0, 0.5])], np.float32))
    y = g.add("ConstantOfShape", [sizes_as_operand(g, x, x.shape)], x, shape=x.shape, bound=0.5,
              step=0.5, value=value)
    return g.add("Add", [x, y], bound=x.bound + 0.5, step=min(x.step, 0.5))


def positions(g):
    """0, 1, … along an axis, as floats, added to a value."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 1)
    size = g.add("Squeeze", [size_of(g, x, x.rank - 1), g.integers(0)], shape=())
    count = g.add("Range", [g.constant(np.array(0, np.int64)), size,
                            g.constant(np.array(1, np.int64))], size, shape=(x.shape[-1],))
    count = g.add("Cast", [count], dtype="float32", to=ONNX_TYPES["float32"])
    count = g.add("Mul", [count, g.number(0.125)], bound=8, step=0.125)
    return g.add("Add", [x, count], bound=x.bound + 8, step=min(x.step, 0.125))


def non_zero(g):
    """Rows that data choose, summed: a size that data decide."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank == 2 and v.is_exact)
    flat = g.add("Reshape", [x, g.integers(-1)], shape=(N,), bound=HIDDEN)
    flat = g.add("Concat", [flat, g.constant(np.ones(1, np.float32))], axis=0)
    places = g.add("NonZero", [flat], dtype="int64", shape=(1, N), bound=HIDDEN, step=1.0)
    places = g.add("Squeeze", [places, g.integers(0)], shape=(N,))
    found = g.add("Gather", [flat, places], shape=(N,), axis=0)
    return reduce(g, "ReduceSum", found, [0], 1, bound=x.bound * 64)


OPERATORS = (unary, unary, negate, positive, binary, binary, binary, divide, power, of_many,
             compare, logical, where, cast, round_off, clip, matmul, matmul, run_time_product, gemm,
             gemm, einsum, softmax, reduction, arg_max, top_k, transposes, transposes, concat,
             split, slice_, slice_, gather, scatter, squeeze, pad, resize, cumulative, tile,
             reshape, reshape, flatten, expand, filled, positions, non_zero)
