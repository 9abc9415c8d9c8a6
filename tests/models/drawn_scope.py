# SPDX-License-Identifier: Apache-2.0
"""A graph that is being drawn: values with what is known of their numbers, nodes, constants.

Sums and products of small multiples of a power of two are exact in floating point, in every order:
only of such values may operators be drawn that jump (comparisons, rounding, TopK), else results
that differ in the last bit would decide. All other values stay within a bound, so that one
tolerance serves for all.
"""

import dataclasses
import math

import numpy as np
from onnx import TensorProto, helper, numpy_helper

N = "n"  # the size that a model leaves open
TURNS = "turns"  # the size of lists that a loop makes
BOUND = 32.0
HIDDEN = 1e6  # the bound of what only the pattern that made it may read
EXACT_BITS = {"float16": 10, "float32": 22, "float64": 50}
ONNX_TYPES = {"float16": TensorProto.FLOAT16, "float32": TensorProto.FLOAT,
              "float64": TensorProto.DOUBLE, "int64": TensorProto.INT64,
              "int32": TensorProto.INT32, "bool": TensorProto.BOOL, "int8": TensorProto.INT8,
              "uint8": TensorProto.UINT8}


class Declined(Exception):
    """What was to be drawn does not fit the values that there are."""


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    dtype: str
    shape: tuple  # of sizes and N
    bound: float  # of the magnitude of elements
    step: float = 0.0  # elements are multiples of it; 0: of nothing

    @property
    def rank(self):
        return len(self.shape)

    @property
    def is_float(self):
        return self.dtype.startswith("float")

    @property
    def is_exact(self):
        if not self.is_float:
            return True
        return self.step > 0 and self.bound / self.step < 1 << EXACT_BITS[self.dtype]

    def info(self):
        if self.dtype == "sequence":
            return helper.make_tensor_sequence_value_info(self.name, TensorProto.FLOAT, None)
        return helper.make_tensor_value_info(self.name, ONNX_TYPES[self.dtype], self.shape)


class Scope:
    """A graph and its constants. A body sees the values of the graphs around it."""

    def __init__(self, rng, opset, outer=None):
        self.rng = rng
        self.opset = opset
        self.functions = outer.functions if outer else []
        self.kinds = outer.kinds if outer else None  # lists of functions that draw
        self.outer = outer
        self.depth = outer.depth + 1 if outer else 0
        self.values = []  # that later nodes may read
        self.own = []  # results of nodes
        self.loose = []  # results of unknown sizes
        self.nodes = []
        self.constants = {}  # name to array
        self.made = 0
        self.size = outer.size if outer else {}  # runs of an open size, by name

    # --- chance

    def chance(self, probability):
        return self.rng.random() < probability

    def choose(self, options):
        return options[int(self.rng.integers(len(options)))]

    def array(self, shape, low=-8, high=9, unit=0.125, dtype="float32"):
        return (self.rng.integers(low, high, shape) * unit).astype(dtype)

    # --- values

    def visible(self):
        return self.values + (self.outer.visible() if self.outer else [])

    def pick(self, wanted=lambda v: v.is_float):
        """A value, one of the newest, or the one that all others may read, more likely."""
        found = [v for v in self.visible() if wanted(v)]
        if not found:
            raise Declined
        if self.chance(0.15):
            return found[-1]  # of the outermost graph
        recent = [v for v in found if v in self.values[-4:]]
        return self.choose(recent if recent and self.chance(0.5) else found)

    def fresh(self, kind="v"):
        # Bodies beside one another use the same names, as exporters' files do.
        self.made += 1
        return f"{kind}{self.made}" + "_in" * self.depth

    def constant(self, array, shared=True):
        """A constant of this graph or one around it, perhaps one that is used already: if `shared`,
        one of other numbers of this magnitude, too."""
        array = np.asarray(array)
        place = self
        while place.outer and self.chance(0.5):
            place = place.outer
        for name, known in place.constants.items():
            if known.shape == array.shape and known.dtype == array.dtype and (
                    np.array_equal(known, array) or shared and array.size > 4
                    and array.dtype.kind == "f" and np.abs(known).max() <= np.abs(array).max()
                    and self.chance(0.3)):
                return self.value_of(name, known)
        name = place.fresh("k")
        place.constants[name] = array
        return self.value_of(name, array)

    @staticmethod
    def value_of(name, array):
        bound = float(np.abs(array.astype(np.float64)).max()) if array.size else 0.0
        unit = 0.0
        if array.dtype.kind == "f":
            unit = next((u for u in (1.0, 0.125, 2.0 ** -6) if np.all(array % u == 0)), 0.0)
        return Value(name, array.dtype.name, array.shape, bound, unit)

    def number(self, x, dtype="float32"):
        return self.constant(np.array(x, dtype))

    def integers(self, *numbers):
        return self.constant(np.array(numbers, np.int64))

    # --- nodes

    def add_all(self, op, operands, results, **attributes):
        """A node; `results` are Values without name, or None for what is left out."""
        results = [r and dataclasses.replace(r, name=self.fresh()) for r in results]
        self.nodes.append(helper.make_node(
            op, [x.name if x else "" for x in operands], [r.name if r else "" for r in results],
            **attributes))
        of_known_size = [r for r in results if r and TURNS not in r.shape]
        self.own += of_known_size
        for result in of_known_size:
            if result.bound <= BOUND and self.chance(0.1):
                self.values.append(result)  # something else will read in between
        return results

    def add(self, op, operands, like=None, *, dtype=None, shape=None, bound=None, step=None,
            **attributes):
        """A node of one result, of the type and numbers of `like` where nothing else is said."""
        like = like or operands[0]
        result = Value("", dtype or like.dtype, like.shape if shape is None else tuple(shape),
                       like.bound if bound is None else bound,
                       like.step if step is None else step)
        if self.chance(0.05):
            self.add_all(op, operands, [result], **attributes)  # once more: to be merged, or dead
        return self.add_all(op, operands, [result], **attributes)[0]

    def settle(self, value):
        """A value that others may read: `value`, or what brings it within the bound."""
        if value.is_float and value.bound > BOUND:
            kind = self.choose(["Tanh", "Clip", "Mul"])
            if kind == "Tanh":
                value = self.add("Tanh", [value], bound=1.0, step=0.0)
            elif kind == "Clip":
                value = self.add("Clip", [value, self.number(-4, value.dtype),
                                          self.number(4, value.dtype)], bound=4.0)
            else:
                factor = 2.0 ** -math.ceil(math.log2(value.bound) - 2)
                value = self.add("Mul", [value, self.number(factor, value.dtype)],
                                 bound=value.bound * factor, step=value.step * factor)
        self.values.append(value)
        return value

    def average(self, x):
        """A 0-d float of the values of x."""
        axes = list(range(x.rank))
        if self.opset >= 18:
            return self.add("ReduceMean", [x, self.integers(*axes)] if axes else [x], x, shape=(),
                            step=0.0, keepdims=0)
        return self.add("ReduceMean", [x], shape=(), step=0.0, keepdims=0,
                        **({"axes": axes} if axes else {}))

    # --- the whole

    def graph(self, name, inputs, outputs):
        constants = [numpy_helper.from_array(array, key) for key, array in self.constants.items()]
        if self.depth and self.constants and self.chance(0.5):
            nodes = [helper.make_node("Constant", [], [tensor.name], value=tensor)
                     for tensor in constants]
            return helper.make_graph(nodes + self.nodes, name, inputs, outputs)
        return helper.make_graph(self.nodes, name, inputs, outputs, constants)
