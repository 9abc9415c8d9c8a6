# SPDX-License-Identifier: Apache-2.0
"""Relax operators on NumPy, as TVM defines them: elementwise, shapes, indices, reductions.

Nothing is shared with the emitter.
"""
import math

import numpy as np

OPS = {}


class Refused(Exception):
    """An operator or form that this evaluator does not know."""


def op(name):
    def register(function):
        OPS[name] = function
        return function
    return register


# Elementwise.

def same_dtype(x, y):
    assert x.dtype == y.dtype, f"operands of {x.dtype} and {y.dtype}"


def binary(name, function, dtype=None):
    def run(x1, x2):
        same_dtype(x1, x2)
        with np.errstate(all="ignore"):
            return function(x1, x2).astype(dtype or x1.dtype)
    OPS[name] = run


def truncated_divide(x, y):
    if x.dtype.kind == "f":
        return x / y
    return (x - np.fmod(x, y)) // y


for _name, _function in {
        "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": truncated_divide,
        "power": np.power, "maximum": np.maximum, "minimum": np.minimum, "mod": np.fmod,
        "floor_mod": np.mod, "floor_divide": np.floor_divide, "bitwise_and": np.bitwise_and,
        "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift,
        "right_shift": np.right_shift}.items():
    binary(_name, _function)
for _name, _function in {
        "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
        "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
        "logical_or": np.logical_or, "logical_xor": np.logical_xor}.items():
    binary(_name, _function, np.bool_)


def unary(name, function, floats=True, dtype=None):
    def run(x):
        assert not floats or x.dtype.kind == "f", f"{name} of {x.dtype}"
        with np.errstate(all="ignore"):
            return np.asarray(function(x)).astype(dtype or x.dtype)
    OPS[name] = run


for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil",
              "trunc", "square"):
    unary(_name, getattr(np, _name))
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    unary("a" + _name, getattr(np, "arc" + _name))
unary("round", np.rint)
unary("erf", np.vectorize(math.erf, otypes=[np.float64]))
unary("rsqrt", lambda x: 1 / np.sqrt(x))
unary("sigmoid", lambda x: 1 / (1 + np.exp(-x)))
unary("abs", np.abs, floats=False)
unary("negative", np.negative, floats=False)
unary("sign", np.sign, floats=False)
unary("bitwise_not", np.invert, floats=False)
unary("logical_not", np.logical_not, floats=False, dtype=np.bool_)
for _name in ("isnan", "isinf", "isfinite"):
    unary(_name, getattr(np, _name), dtype=np.bool_)
unary("nn.relu", lambda x: np.maximum(x, 0), floats=False)
unary("nn.gelu", lambda x: x * 0.5 * (1 + OPS["erf"](x / np.sqrt(2))))
unary("nn.gelu_tanh",
      lambda x: x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))
unary("nn.silu", lambda x: x / (1 + np.exp(-x)))


@op("nn.leakyrelu")
def leakyrelu(x, alpha=0.01):
    return np.where(x > 0, x, x * np.asarray(alpha, x.dtype))


@op("where")
def where(condition, x1, x2):
    assert condition.dtype == np.bool_
    same_dtype(x1, x2)
    return np.where(condition, x1, x2)


# Floats that NumPy lacks, by their bits: nothing but casts and movement takes them.
RAW = {name: np.dtype([(name, np.uint8)]) for name in ("float8_e4m3fn", "float8_e5m2")}


def float8_values(mantissa, exponent):
    """What each code becomes in TVM, which shifts bits: infinities and NaN are further numbers."""
    bias = 2 ** (exponent - 1) - 1
    values = []
    for code in range(128):
        field, fraction = code >> mantissa, code % 2 ** mantissa / 2 ** mantissa
        values.append(fraction * 2.0 ** (1 - bias) if field == 0
                      else (1 + fraction) * 2.0 ** (field - bias))
    return np.array(values + [-value for value in values], np.float32)


FLOAT8 = {"float8_e4m3fn": float8_values(3, 4), "float8_e5m2": float8_values(2, 5)}


def float8_codes(x, dtype):
    """TVM does not round to these as others do: what is not such a number is an error here."""
    values = FLOAT8[dtype]
    codes = np.abs(values[:128][:, None] - np.abs(x).ravel()).argmin(0)
    codes = (codes + 128 * np.signbit(x.ravel())).astype(np.uint8)
    assert np.array_equal(values[codes], x.ravel()), f"not a number of {dtype}"
    return codes.reshape(x.shape).view(RAW[dtype])


@op("astype")
def astype(x, dtype):
    if x.dtype.names:
        assert dtype == "float32", "8-bit floats are cast to float32 only"
        return FLOAT8[x.dtype.names[0]][x.view(np.uint8)]
    if dtype in RAW:
        return float8_codes(x, dtype)
    with np.errstate(all="ignore"):
        return x.astype(dtype)


# Making and moving.

@op("const")
def const(value, dtype):
    return np.array(value, dtype)


OPS["str"] = lambda value: value
OPS["shape"] = lambda value: [int(v) for v in value]
OPS["shape_of"] = lambda x: list(x.shape)
OPS["shape_to_tensor"] = lambda x: np.array(x, np.int64).reshape(len(x))
OPS["tensor_to_shape"] = lambda x: [int(v) for v in x]
OPS["size"] = lambda x: np.array(x.size, np.int64)
OPS["tuple"] = lambda *elements: elements
OPS["zeros"] = np.zeros
OPS["ones"] = np.ones
OPS["zeros_like"] = np.zeros_like
OPS["ones_like"] = np.ones_like
OPS["repeat"] = lambda x, repeats, axis=None: np.repeat(x, repeats, axis)
OPS["flatten"] = lambda x: x.reshape(-1)
OPS["permute_dims"] = lambda x, axes=None: np.transpose(x, axes)
OPS["triu"] = np.triu
OPS["tril"] = np.tril
OPS["flip"] = np.flip
OPS["expand_dims"] = lambda x, axis: np.expand_dims(x, tuple(axis))
OPS["squeeze"] = lambda x, axis=None: np.squeeze(x, None if axis is None else tuple(axis))
OPS["arange"] = lambda start, end, step, dtype: np.arange(start, end, step, dtype)
OPS["eye"] = lambda n, m, k, dtype: np.eye(n, m, k, dtype)
OPS["match_cast"] = lambda x, type: x
OPS["nonzero"] = lambda x: np.stack(np.nonzero(x)).astype(np.int64)


@op("reshape")
def reshape(x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


@op("broadcast_to")
def broadcast_to(x, shape):
    return np.broadcast_to(x, shape).copy()


@op("concat")
def concat(tensors, axis=0):
    assert len({(t.dtype, t.ndim) for t in tensors}) == 1
    return np.concatenate(tensors, axis)


@op("stack")
def stack(tensors, axis=0):
    return np.stack(tensors, axis)


@op("split")
def split(x, indices_or_sections, axis=0):
    assert indices_or_sections, "no cut gives no tuple"
    return tuple(np.split(x, indices_or_sections, axis))


@op("tile")
def tile(x, repeats):
    return np.tile(x, repeats)


@op("strided_slice")
def strided_slice(x, axes, begin, end, strides=None, assume_inbound=False):
    slices = [slice(None)] * x.ndim
    for axis, b, e, s in zip(axes, begin, end, strides or [1] * len(axes)):
        n = x.shape[axis]
        low, high = (0, n) if s > 0 else (-1, n - 1)
        b = min(max(b + n if b < 0 else b, low), high)
        e = min(max(e + n if e < 0 else e, low), high)
        length = -((b - e) // s) if s > 0 else -((e - b) // -s)
        assert length >= 0, "a slice of negative size"
        slices[axis] = [b + i * s for i in range(length)]
    for axis, places in enumerate(slices):
        if isinstance(places, list):
            x = np.take(x, np.array(places, np.int64), axis)
    return x


@op("dynamic_strided_slice")
def dynamic_strided_slice(x, begin, end, strides):
    return strided_slice(x, list(range(x.ndim)), begin, end, list(strides))


@op("nn.pad")
def pad(x, pad_width, pad_mode="constant", pad_value=0.0):
    pairs = list(zip(pad_width[::2], pad_width[1::2]))
    if pad_mode in ("reflect", "replicate", "circular"):
        mode = {"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode)
        return np.pad(x, pairs, mode)
    return np.pad(x, pairs, "constant", constant_values=np.asarray(pad_value).astype(x.dtype))


@op("reverse_sequence")
def reverse_sequence(x, seq_lengths, seq_axis=1, batch_axis=0):
    out = x.copy()
    for b, length in enumerate(seq_lengths):
        index = [slice(None)] * x.ndim
        index[batch_axis] = b
        source, target = list(index), list(index)
        for t in range(int(length)):
            target[seq_axis], source[seq_axis] = t, int(length) - 1 - t
            out[tuple(target)] = x[tuple(source)]
    return out


# Indexing.

@op("take")
def take(x, indices, axis=None, mode="fast"):
    assert axis is not None or x.ndim == 1
    size = x.shape[axis or 0]
    assert ((indices >= 0) & (indices < size)).all(), "take: index out of range"
    return np.take(x, indices, axis or 0)


@op("gather_elements")
def gather_elements(x, indices, axis=0):
    assert (indices >= 0).all()
    out = np.empty(indices.shape, x.dtype)
    for place in np.ndindex(*indices.shape):
        source = list(place)
        source[axis] = indices[place]
        out[place] = x[tuple(source)]
    return out


@op("gather_nd")
def gather_nd(x, indices, batch_dims=0):
    assert indices.dtype == np.int64 and (indices >= 0).all()
    rows = [x[place[:batch_dims] + tuple(indices[place])]
            for place in np.ndindex(*indices.shape[:-1])]
    return np.array(rows, x.dtype).reshape(
        indices.shape[:-1] + x.shape[batch_dims + indices.shape[-1]:])


REDUCERS = {"update": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum,
            "max": np.maximum}


@op("scatter_elements")
def scatter_elements(x, indices, updates, axis=0, reduction="update"):
    out = x.copy()
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        out[tuple(target)] = REDUCERS[reduction](out[tuple(target)], updates[place])
    return out


@op("scatter_nd")
def scatter_nd(x, indices, updates, reduction="update"):
    assert (indices >= 0).all()
    out = x.copy()
    for place in np.ndindex(*indices.shape[:-1]):
        target = tuple(indices[place])
        out[target] = REDUCERS[reduction](out[target], updates[place])
    return out


@op("topk")
def topk(x, k=1, axis=-1, ret_type="both", largest=True, dtype="int32"):
    order = np.argsort(-x.astype(np.float64) if largest else x, axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order.astype(dtype)


@op("argsort")
def argsort(x, axis=-1, descending=False, dtype="int32"):
    return np.argsort(-x if descending else x, axis, kind="stable").astype(dtype)


# Reductions and products.

def reduction(name, function):
    def run(x, axis=None, keepdims=False):
        assert axis != [], f"{name} over no axes"
        assert x.dtype != np.bool_, f"{name} of bool"
        axes = None if axis is None else tuple(axis)
        with np.errstate(all="ignore"):
            return np.asarray(function(x, axis=axes, keepdims=keepdims)).astype(x.dtype)
    OPS[name] = run


for _name, _function in {"sum": np.sum, "mean": np.mean, "prod": np.prod,
                         "variance": np.var}.items():
    reduction(_name, _function)


def range_of(dtype):
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


# TVM starts with the lowest finite number, and at the place -1: elements that are not above it leave
# both.
reduction("max", lambda x, **along: np.max(x, initial=range_of(x.dtype).min, **along))
reduction("min", lambda x, **along: np.min(x, initial=range_of(x.dtype).max, **along))


def arg_reduction(name, function):
    def run(x, axis=None, keepdims=False):
        index = np.expand_dims(function(x, axis), axis)
        lowest = range_of(x.dtype).min if name == "argmax" else range_of(x.dtype).max
        best = np.take_along_axis(x, index, axis)
        is_above = best > lowest if name == "argmax" else best < lowest
        index = np.where(is_above | np.isnan(best), index, -1)
        return (index if keepdims else np.squeeze(index, axis)).astype(np.int64)
    OPS[name] = run


arg_reduction("argmax", np.argmax)
arg_reduction("argmin", np.argmin)


@op("cumsum")
def cumsum(x, axis=None, dtype=None, exclusive=False):
    total = np.cumsum(x, axis, dtype=dtype)
    return total - x if exclusive else total


@op("matmul")
def matmul(x1, x2, out_dtype=None):
    assert out_dtype is None and x1.ndim and x2.ndim
    same_dtype(x1, x2)
    return np.matmul(x1, x2)


@op("einsum")
def einsum(operands, subscripts):
    return np.einsum(subscripts, *operands)


@op("nn.softmax")
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@op("nn.log_softmax")
def log_softmax(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
