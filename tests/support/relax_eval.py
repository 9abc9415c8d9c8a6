# SPDX-License-Identifier: Apache-2.0
"""Evaluates Relax modules on NumPy, for tests where there is no TVM.

The meaning of each operator is that of TVM, written down in relax_ops and relax_nn_ops on its own:
nothing is shared with the emitter. Annotations are checked against what is computed: element types,
sizes, symbolic sizes.
"""
import ast

import numpy as np

import relax_nn_ops  # noqa: F401  (adds its operators)
from relax_lint import dotted
from relax_ops import OPS, RAW, Refused


class AssertionFailed(Exception):
    """R.assert_op of a condition that does not hold."""


def sizes_of(node):
    """The sizes in an annotation, as expressions."""
    return [ast.parse(size.value, mode="eval").body
            if isinstance(size, ast.Constant) and isinstance(size.value, str) else size
            for size in node.args[0].elts]


class Function:
    """Function `name` of a module's text. It takes all its parameters, in order.

    What R.print wrote stands in `printed`. `packed` calls a packed function: its name, arguments.
    """

    def __init__(self, text, name="main", packed=None):
        functions = {f.name: f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef)}
        self.printed = []
        self.enter(functions, name, self.printed, packed)

    def enter(self, functions, name, printed, packed):
        self.functions = functions
        self.packed = packed
        self.definition = functions[name]
        self.parameters = [a.arg for a in self.definition.args.args]
        self.printed = printed
        self.names = {}

    def __call__(self, *arguments):
        result = self.call(*arguments)
        return result if isinstance(result, tuple) else (result,)

    def call(self, *arguments):
        assert len(arguments) == len(self.parameters), f"{self.definition.name}: arguments"
        given = list(zip(self.definition.args.args, arguments))
        self.names = {parameter.arg: value for parameter, value in given}
        for parameter, value in given:  # sizes may be given by a later one than names them
            self.learn_sizes(parameter.annotation, value)
        for parameter, value in given:
            self.check_type(parameter.annotation, value)
        result = self.run_block(self.definition.body)
        self.check_type(self.definition.returns, result)
        return result

    def call_other(self, name, arguments):
        other = Function.__new__(Function)
        other.enter(self.functions, name, self.printed, self.packed)
        return other.call(*arguments)

    def learn_sizes(self, node, value):
        """Enters the sizes of an annotation that are new names."""
        if dotted(node) == "Tuple" or not node.args:
            return
        if dotted(node.func) == "Tuple":
            for part, element in zip(node.args, value):
                self.learn_sizes(part, element)
            return
        shape = value if isinstance(value, list) else np.shape(value)
        for size, actual in zip(sizes_of(node), shape):
            if isinstance(size, ast.Name):
                self.names.setdefault(size.id, actual)

    def check_type(self, node, value):
        """That a value has its annotated type; sizes that are new names are learnt."""
        if dotted(node) == "Tuple":
            assert value == (), "a tuple of nothing"
            return
        call = dotted(node.func)
        if call == "Tuple":
            assert len(node.args) == len(value), ast.unparse(node)
            for part, element in zip(node.args, value):
                self.check_type(part, element)
            return
        if call == "Shape":
            assert isinstance(value, list), ast.unparse(node)
            if node.args:
                self.check_sizes(node, value)
            return
        assert call == "Tensor" and isinstance(value, np.ndarray), ast.unparse(node)
        keywords = {k.arg: ast.literal_eval(k.value) for k in node.keywords}
        if keywords.get("dtype") == "bfloat16":
            raise Refused("bfloat16")
        if "dtype" in keywords:
            dtype = RAW.get(keywords["dtype"], keywords["dtype"])
            assert value.dtype == dtype, f"{value.dtype}: {ast.unparse(node)}"
        if "ndim" in keywords:
            assert value.ndim == keywords["ndim"], f"{value.shape}: {ast.unparse(node)}"
        if node.args:
            self.check_sizes(node, value.shape)

    def check_sizes(self, node, shape):
        sizes = sizes_of(node)
        assert len(sizes) == len(shape), f"{shape}: {ast.unparse(node)}"
        self.learn_sizes(node, list(shape))
        for size, actual in zip(sizes, shape):
            assert self.evaluate(size) == actual, f"{shape}: {ast.unparse(node)}"

    def evaluate(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(map(self.evaluate, node.elts)) if isinstance(node, ast.Tuple) else [
                self.evaluate(e) for e in node.elts]
        if isinstance(node, ast.Subscript):
            return self.evaluate(node.value)[self.evaluate(node.slice)]
        if isinstance(node, ast.UnaryOp):
            return -self.evaluate(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            return {ast.Add: lambda: left + right, ast.Sub: lambda: left - right,
                    ast.Mult: lambda: left * right, ast.FloorDiv: lambda: left // right,
                    ast.Mod: lambda: left % right}[type(node.op)]()
        return self.evaluate_call(node)

    def evaluate_call(self, node):
        name = dotted(node.func)
        if name is None:
            called = ast.unparse(node.func)
            if called.startswith("cls."):
                return self.call_other(called[4:], map(self.evaluate, node.args))
            function = {"T.min": min, "T.max": max, "float": float}[called]
            return function(*map(self.evaluate, node.args))
        if name == "match_cast":
            value = self.evaluate(node.args[0])
            self.check_type(node.args[1], value)
            return value
        if name == "call_pure_packed":
            result = self.packed(*map(self.evaluate, node.args))
            self.check_type(node.keywords[0].value, result)
            return result
        if name not in OPS:
            raise Refused(f"R.{name}")
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords}
        if "bfloat16" in keywords.values():
            raise Refused("bfloat16")
        result = OPS[name](*map(self.evaluate, node.args), **keywords)
        return np.asarray(result) if isinstance(result, np.generic) else result

    def run_block(self, statements):
        for node in statements:
            if isinstance(node, ast.Return):
                return self.evaluate(node.value)
            if isinstance(node, ast.With):
                self.run_block(node.body)
            elif isinstance(node, ast.If):
                test = self.evaluate(node.test)
                assert test.dtype == np.bool_ and test.ndim == 0, "a condition is a 0-d bool"
                self.run_block(node.body if test else node.orelse)
            elif isinstance(node, ast.Expr):
                self.run_effect(node.value)
            elif isinstance(node, ast.AnnAssign):
                self.names[node.target.id] = self.evaluate(node.value)
                self.check_type(node.annotation, self.names[node.target.id])
            elif isinstance(node, ast.Assign) and ast.unparse(node.value) not in (
                    "T.int64()", "Module"):
                self.names[node.targets[0].id] = self.evaluate(node.value)
        return None

    def run_effect(self, node):
        """R.print(x, format="…") and R.assert_op(condition, [x], format="…"); R.func_attr."""
        name = dotted(node.func)
        if name not in ("print", "assert_op"):
            return
        values = [self.evaluate(a) for a in node.args]
        message = next((self.evaluate(k.value) for k in node.keywords if k.arg == "format"), "")
        if name == "print":
            self.printed.append(message.format(*values))
        elif not values[0]:
            raise AssertionFailed(message.format(*values[1]))
