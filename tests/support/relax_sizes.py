# SPDX-License-Identifier: Apache-2.0
"""Sizes of Relax tensors as polynomials over names: what TVM proves equal is equal here."""
import ast


class Size:
    """A sum of products of names, and of what is not a polynomial, by its text."""

    def __init__(self, terms):
        self.terms = {key: factor for key, factor in terms.items() if factor}

    @staticmethod
    def of(value):
        return Size({(): value}) if isinstance(value, int) else Size({(value,): 1})

    def number(self):
        """The size if it is a number, else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 and () in self.terms else None

    def __eq__(self, other):
        return isinstance(other, Size) and self.terms == other.terms

    def __hash__(self):
        return hash(tuple(sorted(self.terms.items())))

    def __add__(self, other):
        terms = dict(self.terms)
        for key, factor in other.terms.items():
            terms[key] = terms.get(key, 0) + factor
        return Size(terms)

    def __mul__(self, other):
        terms = {}
        for a, x in self.terms.items():
            for b, y in other.terms.items():
                key = tuple(sorted(a + b))
                terms[key] = terms.get(key, 0) + x * y
        return Size(terms)

    def __sub__(self, other):
        return self + Size.of(-1) * other

    def __str__(self):
        return " + ".join("*".join([str(factor), *key]) for key, factor in
                          sorted(self.terms.items())) or "0"

    def apply(self, sign, other):
        """`sign` is "//", "%", "min" or "max"."""
        a, b = self.number(), other.number()
        if a is not None and b is not None:
            return Size.of({"//": lambda: a // b, "%": lambda: a % b, "min": lambda: min(a, b),
                            "max": lambda: max(a, b)}[sign]())
        return self if self == other and sign in ("min", "max") else Size.of(
            f"({self} {sign} {other})")


ONE = Size.of(1)
SIGNS = {ast.FloorDiv: "//", ast.Mod: "%"}


def read_size(node, names):
    """The size that an expression of the text means; `names` maps names of sizes. None: a name
    means none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return read_size(ast.parse(node.value, mode="eval").body, names)
    if isinstance(node, ast.Constant):
        return Size.of(int(node.value))
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.UnaryOp):
        operand = read_size(node.operand, names)
        return None if operand is None else Size.of(-1) * operand
    parts = node.args if isinstance(node, ast.Call) else [node.left, node.right]
    values = [read_size(part, names) for part in parts]
    if any(value is None for value in values):
        return None
    if isinstance(node, ast.Call):
        sign = ast.unparse(node.func).split(".")[-1]
        return values[0].apply(sign, values[1]) if sign in ("min", "max") else values[0]
    a, b = values
    if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        return a + b if isinstance(node.op, ast.Add) else a - b if isinstance(
            node.op, ast.Sub) else a * b
    return a.apply(SIGNS[type(node.op)], b)


def broadcast(shapes):
    """The common sizes of some shapes; None where TVM cannot prove that they fit."""
    rank = max(map(len, shapes))
    result = []
    for axis in range(rank):
        sizes = {shape[axis - rank] for shape in shapes if axis - rank >= -len(shape)} - {ONE}
        if len(sizes) > 1:
            return None
        result.append(sizes.pop() if sizes else ONE)
    return result
