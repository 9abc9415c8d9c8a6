# SPDX-License-Identifier: Apache-2.0
"""What models are made of, spelled as exporters do, for drawn graphs: each function draws one."""

import math

import numpy as np

from drawn_operators import last_static, matmul, reduce, same_type, transpose
from drawn_scope import HIDDEN, N, Declined, Value


def is_image(v):
    return v.dtype == "float32" and v.rank == 4 and all(s not in (N, 0) for s in v.shape[1:])


def is_sequence(v):
    """(batch, time, features), of known time."""
    return v.dtype == "float32" and v.rank == 3 and all(s not in (N, 0) for s in v.shape[1:])


def weights(g, *shape):
    return g.constant(g.array(shape))


def convolution(g):
    """Conv, perhaps with BatchNormalization and an activation after it."""
    x = g.pick(is_image)
    channels, kernel = g.choose([2, 4]), g.choose([1, 3])
    groups = g.choose([1, 1, 2, x.shape[1]])
    if x.shape[1] % groups or channels % groups:
        groups = 1
    weight = weights(g, channels, x.shape[1] // groups, kernel, kernel)
    bias = weights(g, channels) if g.chance(0.5) else None
    reach = x.shape[1] // groups * kernel ** 2
    y = g.add("Conv", [x, weight, bias], shape=(x.shape[0], channels, *x.shape[2:]), group=groups,
              pads=[kernel // 2] * 4, bound=x.bound * weight.bound * reach + 1,
              step=min(x.step * weight.step, 0.125))
    if g.chance(0.6):
        y = normalized_batch(g, y)
    return g.add("Relu", [y]) if g.chance(0.5) else y


def normalized_batch(g, x):
    channels = x.shape[1]
    variance = g.constant(g.array(channels, 4, 12), shared=False)
    operands = [x, weights(g, channels), weights(g, channels), weights(g, channels), variance]
    return g.add("BatchNormalization", operands, bound=2 * x.bound + 4, step=0.0, epsilon=1e-3)


def batch_normalization(g):
    x = g.pick(lambda v: v.dtype == "float32" and v.rank in (2, 3, 4)
               and v.shape[1] not in (N, 0))
    return normalized_batch(g, x)


def linear_and_batch_normalization(g):
    y = matmul(g)
    if y.rank != 2 or y.dtype != "float32":
        raise Declined
    return normalized_batch(g, y)


def pooling(g):
    x = g.pick(is_image)
    if min(x.shape[2:]) < 2:
        raise Declined
    if g.chance(0.3):
        return g.add("GlobalAveragePool", [x], shape=(*x.shape[:2], 1, 1), step=0.0)
    op = g.choose(["MaxPool", "AveragePool"])
    shape = (*x.shape[:2], x.shape[2] // 2, x.shape[3] // 2)
    return g.add(op, [x], shape=shape, step=x.step if op == "MaxPool" else 0.0,
                 kernel_shape=[2, 2], strides=[2, 2])


def layer_norm(g):
    """Normalisation of the last axis, spelled out, with scale and bias or without."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32" and v.shape[-1] > 1)
    last = [x.rank - 1]
    centred = x
    if g.chance(0.7):
        mean = reduce(g, "ReduceMean", x, last, 1, step=0.0)
        centred = g.add("Sub", [x, mean], bound=2 * x.bound, step=0.0)
    if g.chance(0.5):
        square = g.add("Pow", [centred, g.number(2)], bound=centred.bound ** 2, step=0.0)
    else:
        square = g.add("Mul", [centred, centred], bound=centred.bound ** 2, step=0.0)
    variance = reduce(g, "ReduceMean", square, last, 1)
    raised = g.add("Add", [variance, g.number(0.0625)], bound=variance.bound + 1)
    root = g.add("Sqrt", [raised])
    bound = math.sqrt(x.shape[-1]) + 1
    if g.chance(0.5):
        y = g.add("Div", [centred, root], bound=bound)
    else:
        y = g.add("Mul", [centred, g.add("Reciprocal", [root], bound=4)], bound=bound)
    if g.chance(0.7):
        y = g.add("Mul", [y, weights(g, x.shape[-1])])
        y = g.add("Add", [y, weights(g, x.shape[-1])], bound=bound + 1)
    return y


def activation(g):
    """Swish or the error function's unit, spelled out."""
    x = g.pick(lambda v: v.dtype == "float32")
    if g.chance(0.5):
        return g.add("Mul", [x, g.add("Sigmoid", [x], bound=1, step=0.0)], step=0.0)
    half = g.add("Mul", [x, g.number(0.5)], step=0.0)
    erf = g.add("Erf", [g.add("Div", [x, g.number(math.sqrt(2))], step=0.0)], bound=1)
    return g.add("Mul", [half, g.add("Add", [erf, g.number(1)], bound=2)])


def parts(g, x, count):
    """Equal parts of the last axis, by Split or by Slices."""
    size = x.shape[-1] // count
    like = Value("", x.dtype, (*x.shape[:-1], size), x.bound, x.step)
    if g.chance(0.5):
        return g.add_all("Split", [x, g.integers(*[size] * count)], [like] * count, axis=-1)
    return [g.add("Slice", [x, g.integers(i * size), g.integers((i + 1) * size), g.integers(-1)],
                  like) for i in range(count)]


def dense(g, x, columns):
    """A product with a weight and a bias, as Gemm or as MatMul and Add."""
    bound = x.bound * x.shape[-1] + 1
    shape = (*x.shape[:-1], columns)
    if x.rank == 2 and g.chance(0.5):
        return g.add("Gemm", [x, weights(g, columns, x.shape[-1]), weights(g, columns)], transB=1,
                     shape=shape, bound=bound, step=0.0)
    y = g.add("MatMul", [x, weights(g, x.shape[-1], columns)], shape=shape, bound=bound, step=0.0)
    return g.add("Add", [y, weights(g, columns)])


def gates(g):
    """A product that is split into gates, of which a state is made."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32" and v.rank in (2, 3))
    count = g.choose([2, 3, 4])
    opened = parts(g, dense(g, x, 4 * count), count)
    opened = [g.add(g.choose(["Sigmoid", "Tanh"]), [part], bound=1) for part in opened]
    y = opened[0]
    for part in opened[1:]:
        y = g.add(g.choose(["Mul", "Add"]), [y, part], bound=len(opened))
    return [y, opened[-1]] if g.chance(0.3) else y


def products_of_one(g):
    """Several products of one value, and what is computed of them."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32" and v.rank in (2, 3))
    ys = [g.add(g.choose(["Sigmoid", "Tanh", "Relu"]), [dense(g, x, 4)], step=0.0)
          for _ in range(g.choose([2, 3]))]
    y = ys[0]
    for other in ys[1:]:
        y = g.add(g.choose(["Mul", "Add"]), [y, other], bound=y.bound * other.bound + y.bound)
    return y


def attention(g):
    x = g.pick(lambda v: is_sequence(v) and v.shape[2] % 2 == 0 and v.bound <= 16)
    time, width = x.shape[1:]
    heads = 2

    def of_heads(name):
        y = dense(g, x, width)
        y = g.add("Reshape", [y, g.integers(0, time, heads, width // heads)],
                  shape=(x.shape[0], time, heads, width // heads))
        return transpose(g, y, (0, 2, 3, 1) if name == "key" else (0, 2, 1, 3))

    query, key, value = (of_heads(name) for name in ("query", "key", "value"))
    shape = (x.shape[0], heads, time, time)
    scores = g.add("MatMul", [query, key], shape=shape, bound=64, step=0.0)
    scores = g.add("Mul", [scores, g.number(0.0625)], bound=8)
    if g.chance(0.5):
        mask = np.triu(np.full((time, time), -100.0, np.float32), 1)
        scores = g.add("Add", [scores, g.constant(mask, shared=False)], bound=8)
    scores = g.add("Softmax", [scores], bound=1, axis=-1)
    y = g.add("MatMul", [scores, value], query, bound=value.bound)
    y = transpose(g, y, (0, 2, 1, 3))
    y = g.add("Reshape", [y, g.integers(0, 0, width)], shape=x.shape)
    return dense(g, y, width) if g.chance(0.5) else y


def recurrent(g):
    """LSTM, GRU or RNN, of which some results are left out."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank == 3 and v.bound <= 16
               and v.shape[0] not in (N, 0) and v.shape[2] not in (N, 0))
    op, count = g.choose([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    direction, d = g.choose([("forward", 1), ("reverse", 1), ("bidirectional", 2)])
    hidden = 4
    operands = [x, weights(g, d, count * hidden, x.shape[2]), weights(g, d, count * hidden, hidden)]
    if g.chance(0.6):
        operands.append(weights(g, d, 2 * count * hidden))
    y = Value("", "float32", (x.shape[0], d, x.shape[1], hidden), 1.0)
    last = Value("", "float32", (d, x.shape[1], hidden), 1.0)
    cell = Value("", "float32", (d, x.shape[1], hidden), 16.0)
    results = [y, last, cell] if op == "LSTM" else [y, last]
    kept = g.choose([(0,), (1,), (0, 1), tuple(range(len(results)))])
    results = g.add_all(op, operands, [r if i in kept else None for i, r in enumerate(results)],
                        hidden_size=hidden, direction=direction)
    found = [r for r in results if r]
    if found[0].rank == 4 and d == 1 and g.chance(0.7):
        found[0] = g.add("Squeeze", [found[0], g.integers(1)], shape=(x.shape[0], *last.shape[1:]))
    return found


def cell_weights(g, size, hidden):
    return [weights(g, size + hidden, 2 * hidden), weights(g, 2 * hidden)]


def cell(g, x, h, shared):
    """The state that a gated cell gives for an input and a state."""
    joined = g.add("Concat", [x, h], shape=(*x.shape[:-1], x.shape[-1] + h.shape[-1]), axis=-1,
                   step=0.0, bound=max(x.bound, h.bound))
    y = g.add("Gemm", [joined, *shared], shape=(*x.shape[:-1], 2 * h.shape[-1]), bound=HIDDEN,
              step=0.0)
    gate, new = parts(g, y, 2)
    gate = g.add("Sigmoid", [gate], bound=1)
    new = g.add("Tanh", [new], bound=1)
    kept = g.add("Mul", [gate, h], bound=1)
    rest = g.add("Sub", [g.number(1), gate], gate)
    return g.add("Add", [kept, g.add("Mul", [rest, new])], bound=1)


def first_state(g, x, hidden):
    """A state that a layer makes of the first step of x, (batch, time, features)."""
    h = g.add("Slice", [x, *(g.integers(i) for i in (0, 1, 1))], shape=(x.shape[0], 1, x.shape[2]))
    h = g.add("Squeeze", [h, g.integers(1)], shape=(x.shape[0], x.shape[2]))
    return g.add("Tanh", [dense(g, h, hidden)], bound=1)


def unrolled(g):
    """Equal steps of one cell along the time axis, as tracing leaves them."""
    x = g.pick(lambda v: is_sequence(v) and 2 <= v.shape[1] <= 5 and v.bound <= 16)
    hidden = 4
    shared = cell_weights(g, x.shape[2], hidden)
    h = first_state(g, x, hidden)
    states = []
    for t in range(x.shape[1]):
        step = g.add("Gather", [x, g.constant(np.array(t, np.int64))], axis=1,
                     shape=(x.shape[0], x.shape[2]))
        h = cell(g, step, h, shared)
        states.append(h)
    if g.chance(0.5):
        return h
    lifted = [g.add("Unsqueeze", [s, g.integers(1)], shape=(s.shape[0], 1, hidden)) for s in states]
    return g.add("Concat", lifted, shape=(x.shape[0], len(lifted), hidden), axis=1)


def chain(g):
    """The same layer over and over, with the same weights or with others."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32" and v.rank in (2, 3))
    size = x.shape[-1]
    shared = (weights(g, size, size), weights(g, size)) if g.chance(0.5) else None
    for _ in range(g.choose([3, 4, 6])):
        weight, bias = shared or (weights(g, size, size), weights(g, size))
        y = g.add("MatMul", [x, weight], bound=HIDDEN, step=0.0)
        y = g.add("Tanh", [g.add("Add", [y, bias])], bound=1)
        x = g.add("Add", [x, y], bound=x.bound + 1, step=0.0) if g.chance(0.3) else y
    return x


def quantized(g, x, moved=True):
    """x through 8 bits, by scales that are powers of two."""
    scale = g.number(g.choose([0.125, 0.0625]))
    kind = g.choose(["int8", "uint8"])
    zero = g.constant(np.array(0 if kind == "int8" else 128, kind))
    q = g.add("QuantizeLinear", [x, scale, zero], dtype=kind, bound=255, step=1.0)
    if moved and g.chance(0.3) and x.rank >= 2:
        q = transpose(g, q)
    return g.add("DequantizeLinear", [q, scale, zero], dtype="float32", step=scale.bound,
                 bound=255 * scale.bound)


def quantized_island(g):
    """An operator between QuantizeLinear and DequantizeLinear."""
    x = g.pick(lambda v: v.dtype == "float32" and v.is_exact and v.rank >= 1)
    y = quantized(g, x)
    kind = g.choose(["Relu", "MatMul", "Reshape", "none"])
    if kind == "Relu":
        y = g.add("Relu", [y])
    if kind == "MatMul" and last_static(y) and y.rank >= 2:
        numbers = g.constant(g.rng.integers(-8, 8, (y.shape[-1], 4)).astype(np.int8), shared=False)
        weight = g.add("DequantizeLinear", [numbers, g.number(0.125)], dtype="float32", bound=1,
                       step=0.125)
        y = g.add("MatMul", [y, weight], y, shape=(*y.shape[:-1], 4),
                  bound=y.bound * y.shape[-1], step=y.step * 0.125)
    if kind == "Reshape" and N not in y.shape:
        y = g.add("Reshape", [y, g.integers(-1)], shape=(math.prod(y.shape),))
    return quantized(g, y) if y.is_exact and g.chance(0.7) else y


def quantized_convolution(g):
    """Conv between quantised tensors, its weight of one scale or one per channel."""
    x = g.pick(lambda v: is_image(v) and v.is_exact)
    channels = 4
    numbers = g.constant(g.rng.integers(-8, 8, (channels, x.shape[1], 3, 3)).astype(np.int8),
                         shared=False)
    if g.chance(0.5):
        scale = g.constant(np.array([0.125, 0.25, 0.125, 0.5], np.float32), shared=False)
        zero = g.constant(np.zeros(4, np.int8))
        operands = [numbers, scale, zero]
    else:
        operands = [numbers, g.number(0.125)]
    weight = g.add("DequantizeLinear", operands, dtype="float32", bound=4, step=0.125, **(
        {"axis": 0} if len(operands) == 3 else {}))
    y = g.add("Conv", [quantized(g, x, moved=False), weight], shape=(x.shape[0], 4, *x.shape[2:]),
              pads=[1] * 4, bound=HIDDEN, step=0.0625 * 0.125)
    y = g.add("Clip", [y, g.number(-8), g.number(8)], bound=8)
    return quantized(g, y) if y.is_exact and g.chance(0.7) else y


def residual(g):
    """What a layer makes of x, added to x."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32" and v.rank in (2, 3))
    y = g.add("Relu", [dense(g, x, 8)])
    y = dense(g, y, x.shape[-1])
    return g.add("Add", [x, y], bound=x.bound + y.bound, step=0.0)


def merged_paths(g):
    """Two values of one type, joined, read in parts again."""
    x = g.pick(lambda v: last_static(v) and v.dtype == "float32")
    y = g.pick(same_type(x))
    joined = g.add("Concat", [x, y], shape=(*x.shape[:-1], 2 * x.shape[-1]), axis=-1,
                   bound=max(x.bound, y.bound), step=min(x.step, y.step))
    if g.chance(0.5):
        joined = g.add("Relu", [joined])
    return parts(g, joined, 2)


def elements_of_list(g):
    """Parts as a sequence, of which some are read."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 2 and v.shape[0] not in (N, 0))
    rest = x.shape[1:]
    elements = g.add("SplitToSequence", [x], shape=rest, bound=HIDDEN, axis=0, keepdims=0)
    places = [g.choose(range(-x.shape[0], x.shape[0])) for _ in range(2)]
    found = [g.add("SequenceAt", [elements, g.constant(np.array(i, np.int64))], x, shape=rest)
             for i in places]
    return g.add("Sub", found, bound=2 * x.bound)


def rows_apart(g):
    """Rows of x, each on its own, put together again."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 2 and v.shape[0] not in (N, 0, 1))
    op = g.choose(["Tanh", "Relu", "Neg"])
    rows = []
    for i in range(x.shape[0]):
        row = g.add("Gather", [x, g.constant(np.array(i, np.int64))], axis=0, shape=x.shape[1:])
        row = g.add(op, [row], step=0.0)
        rows.append(g.add("Unsqueeze", [row, g.integers(0)], shape=(1, *row.shape)))
    if g.chance(0.3):
        g.rng.shuffle(rows)
    return g.add("Concat", rows, shape=x.shape, axis=0)


def convolution_of_rows(g):
    """Conv along the time of a sequence, with Transposes around it."""
    x = g.pick(is_sequence)
    columns = transpose(g, x, (0, 2, 1))
    weight = weights(g, 4, x.shape[2], 1)
    y = g.add("Conv", [columns, weight, weights(g, 4)], shape=(x.shape[0], 4, x.shape[1]),
              bound=HIDDEN, step=0.0)
    y = g.add("Tanh", [y], bound=1)
    return transpose(g, y, (0, 2, 1)) if g.chance(0.7) else y


PATTERNS = (convolution, convolution, batch_normalization, linear_and_batch_normalization, pooling,
            layer_norm, activation, gates, gates, products_of_one, attention, recurrent, unrolled,
            chain, quantized_island, quantized_convolution, residual, rows_apart,
            convolution_of_rows, merged_paths, elements_of_list)
