# SPDX-License-Identifier: Apache-2.0
"""Functions of single elements, each of all element types that NumPy and TensorFlow share."""

import math
import re

import numpy as np

import operator_cases
from operator_cases import DRAW, Group, f32, i32, sigmoid, tfkit

TYPES = ("half", "float", "double", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32",
         "int64", "bool", "complex64", "complex128")
WHOLE = 5  # a value of integers to draw at most


def types_of(op, attribute="T"):
    """Those of TYPES that TensorFlow's registry allows."""
    if f"{attribute}:type" not in tfkit.OPS[op][2]:
        return [name for name in TYPES if name == tfkit.OPS[op][0][0][1]]
    allowed = re.search(rf"\b{attribute}:type(?:=\w+)?\{{([^}}]*)\}}", tfkit.OPS[op][2])
    return [name for name in TYPES if allowed is None or name in allowed[1].split(",")]


def numpy_type(name):
    return np.dtype({"half": "float16", "float": "float32", "double": "float64"}.get(name, name))


def drawn(name, *sizes, least=-WHOLE, most=WHOLE):
    """Numbers of an element type between the ends, as far as it has them."""
    kind = numpy_type(name)
    if kind.kind == "c":
        return (DRAW.uniform(least, most, sizes) + 1j * DRAW.uniform(least, most, sizes)).astype(kind)
    if kind.kind == "f":
        return DRAW.uniform(least, most, sizes).astype(kind)
    if kind.kind == "b":
        return DRAW.random(sizes) < 0.5
    return DRAW.integers(max(least, 0) if kind.kind == "u" else least, most + 1, sizes).astype(kind)


def computed(function, *arrays):
    """In wider numbers, as the type of the first."""
    kind = arrays[0].dtype
    wide = {"f": np.float64, "c": np.complex128}.get(kind.kind)
    with np.errstate(all="ignore"):
        result = np.asarray(function(*(array.astype(wide) if wide else array for array in arrays)))
    return result.astype(kind) if result.dtype != bool else result


def vectorized(function):
    return np.vectorize(function, otypes=[np.float64])


def signs(x):
    return x / np.abs(x) if x.dtype.kind == "c" else np.sign(x)


# Operator: what it computes of float64, and the ends of its operand.
UNARY = {
    "Abs": (np.abs, -5, 5), "Acos": (np.arccos, -1, 1), "Acosh": (np.arccosh, 1, 9),
    "Asin": (np.arcsin, -1, 1), "Asinh": (np.arcsinh, -9, 9), "Atan": (np.arctan, -9, 9),
    "Atanh": (np.arctanh, -1, 1), "Ceil": (np.ceil, -5, 5), "Cos": (np.cos, -9, 9),
    "Cosh": (np.cosh, -4, 4), "Elu": (lambda x: np.where(x < 0, np.expm1(x), x), -4, 4),
    "Erf": (vectorized(math.erf), -3, 3), "Erfc": (vectorized(math.erfc), -3, 5),
    "Exp": (np.exp, -5, 5), "Expm1": (np.expm1, -3, 3), "Floor": (np.floor, -5, 5),
    "Inv": (np.reciprocal, 1, 5), "Invert": (np.invert, -100, 100), "IsFinite": (np.isfinite, -5, 5),
    "IsInf": (np.isinf, -5, 5), "IsNan": (np.isnan, -5, 5), "Log": (np.log, 0.01, 9),
    "Log1p": (np.log1p, -0.9, 9), "LogicalNot": (np.logical_not, 0, 1), "Neg": (np.negative, -5, 5),
    "OnesLike": (np.ones_like, -5, 5), "Reciprocal": (np.reciprocal, 1, 5),
    "Relu": (lambda x: np.maximum(x, 0), -5, 5), "Relu6": (lambda x: np.clip(x, 0, 6), -9, 9),
    "Rint": (np.rint, -5, 5), "Round": (np.rint, -5, 5), "Rsqrt": (lambda x: x ** -0.5, 0.1, 9),
    "Selu": (lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x), -4, 4),
    "Sigmoid": (sigmoid, -9, 9), "Sign": (signs, -5, 5), "Sin": (np.sin, -9, 9),
    "Sinh": (np.sinh, -4, 4), "Softplus": (lambda x: np.log1p(np.exp(x)), -9, 9),
    "Softsign": (lambda x: x / (1 + np.abs(x)), -9, 9), "Sqrt": (np.sqrt, 0, 9),
    "Square": (np.square, -9, 9), "Tan": (np.tan, -1.4, 1.4), "Tanh": (np.tanh, -3, 3),
    "ZerosLike": (np.zeros_like, -5, 5)}
# Kinds of types that the registry allows, but TensorFlow has no kernels for.
WITHOUT = {"Inv": "iu", "Reciprocal": "iu", "Round": "c", "Rint": "c", "TruncateDiv": "fc",
           "FloorDiv": "c"}
# Halves, and numbers without a value.
EDGES = {"Round": [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], "Rint": [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5],
         "Sign": [-0.0, 0, np.nan, -np.inf], "IsFinite": [np.nan, np.inf, -np.inf],
         "IsInf": [np.nan, np.inf, -np.inf], "IsNan": [np.nan, np.inf, -np.inf],
         "Relu": [-np.inf, np.inf], "Relu6": [-np.inf, np.inf], "Sigmoid": [-200, 200],
         "Softplus": [-200, 200], "Expm1": [1e-6, -1e-6, -200], "Log1p": [1e-6, -1e-6],
         "Tanh": [-200, 200]}


def make_unary():
    with np.errstate(all="ignore"):
        for type_name in TYPES:
            group = Group(f"unary_{type_name}")
            for op, (function, least, most) in UNARY.items():
                if type_name not in types_of(op) or numpy_type(type_name).kind in WITHOUT.get(op, ""):
                    continue
                x = drawn(type_name, 8, least=least, most=most)
                if x.dtype.kind == "f":
                    x = np.concatenate([x, np.array(EDGES.get(op, []), x.dtype)])
                group.call(op, x, wanted=computed(function, x))
            if group.fetches:
                group.save()


def truncated(a, b):
    return np.trunc(a / b) if a.dtype.kind in "fc" else (np.sign(a) * np.sign(b) * (
        np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64))) if a.dtype.kind == "i" else a // b)


def no_nan(function):
    """0 where the second operand is."""
    return lambda a, b: np.where(b == 0, 0, function(a, b))


def zero_first(function):
    return lambda a, b: np.where(a == 0, 0, function(a, b))


BINARY = {
    "Add": np.add, "AddV2": np.add, "Sub": np.subtract, "Mul": np.multiply,
    "Div": lambda a, b: truncated(a, b) if a.dtype.kind in "iu" else a / b,
    "RealDiv": lambda a, b: truncated(a, b) if a.dtype.kind in "iu" else a / b,
    "TruncateDiv": truncated, "FloorDiv": np.floor_divide, "FloorMod": np.mod, "Mod": np.fmod,
    "TruncateMod": np.fmod, "DivNoNan": no_nan(np.divide), "MulNoNan": no_nan(np.multiply),
    "Xdivy": zero_first(np.divide), "Xlogy": zero_first(lambda a, b: a * np.log(b)),
    "Xlog1py": zero_first(lambda a, b: a * np.log1p(b)), "Atan2": np.arctan2, "Pow": np.power,
    "Maximum": np.maximum, "Minimum": np.minimum, "SquaredDifference": lambda a, b: np.abs(a - b) ** 2,
    "Equal": np.equal, "NotEqual": np.not_equal, "Less": np.less, "LessEqual": np.less_equal,
    "Greater": np.greater, "GreaterEqual": np.greater_equal, "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or, "BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
    "ApproximateEqual": lambda a, b: np.abs(a - b) < 1}
# Operators of which the second operand is not 0, and of which neither is below it.
DIVIDING = ("Div", "RealDiv", "TruncateDiv", "FloorDiv", "FloorMod", "Mod", "TruncateMod")
POSITIVE = ("Xlogy", "Xlog1py", "Pow")
# Pairs of real numbers beside those that are drawn.
PAIRS = {"MulNoNan": ([np.nan, np.inf, 2], [0, 0, np.nan]), "DivNoNan": ([1, 0, np.inf], [0, 0, 2]),
         "Xdivy": ([0, 0, 1], [0, np.nan, 2]), "Xlogy": ([0, 0, 2], [0, np.nan, 3]),
         "Xlog1py": ([0, 0, 2], [-1, np.nan, 3]), "FloorMod": ([5.5, -5.5, -4], [-3, 3, 2]),
         "FloorDiv": ([5.5, -5.5, -4], [-3, 3, 2]), "Mod": ([5.5, -5.5, -4], [-3, 3, 2]),
         "Maximum": ([np.nan, 1], [1, np.nan]), "Minimum": ([np.nan, 1], [1, np.nan]),
         "Equal": ([np.nan, 0], [np.nan, -0.0]), "NotEqual": ([np.nan, 0], [np.nan, -0.0]),
         "Atan2": ([0, 0, -1, 1], [1, -1, 0, 0]), "Pow": ([-2, -2, 0, 4], [3, 2, 0, 0.5])}


def operands_of(op, type_name):
    """(rows, columns) and (columns), so that the second is repeated for each row."""
    a, b = drawn(type_name, 3, 4), drawn(type_name, 4)
    if op in POSITIVE:
        a, b = drawn(type_name, 3, 4, least=0, most=3), drawn(type_name, 4, least=1, most=3)
    if op in DIVIDING:
        b = np.where(b == 0, np.array(3, b.dtype), b)
    return a, b


def make_binary():
    for type_name in TYPES:
        group = Group(f"binary_{type_name}")
        for op, function in BINARY.items():
            if type_name not in types_of(op) or numpy_type(type_name).kind in WITHOUT.get(op, ""):
                continue
            a, b = operands_of(op, type_name)
            group.call(op, a, b, wanted=computed(function, a, b),
                       **({"tolerance": 1.0} if op == "ApproximateEqual" else {}))
            if a.dtype.kind == "f" and op in PAIRS:
                a, b = (np.array(part, a.dtype) for part in PAIRS[op])
                group.call(op, a, b, wanted=computed(function, a, b))
        group.save()


def bfloat16_bits(x):
    """The upper halves of float32, rounded to even."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def make_bfloat16():
    """NumPy has no such numbers: they are made in the graph."""
    group = Group("elements_bfloat16")
    ends = {**{op: (1, *row) for op, row in UNARY.items()},
            **{op: (2, function, 0.5, 3) for op, function in BINARY.items()}}
    for op, (count, function, least, most) in ends.items():
        if "bfloat16" not in tfkit.OPS[op][2].partition("T:type")[2]:
            continue
        numbers = [(bfloat16_bits(drawn("float", 4, least=least, most=most)).astype(np.uint32)
                    << 16).view(np.float32) for _ in range(count)]
        operands = [group.add("Cast", x, SrcT="dt:float", DstT="dt:bfloat16") for x in numbers]
        wanted = computed(function, *numbers)
        group.call(op, *operands, wanted=wanted if wanted.dtype == bool else bfloat16_bits(wanted),
                   T="dt:bfloat16", **({"tolerance": 1.0} if op == "ApproximateEqual" else {}))
    group.save()


def make_elements():
    operator_cases.seed(31)
    make_unary()
    make_binary()
    make_bfloat16()
