#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Spellings of Relax modules that TVM's printers, its tests and people use, beside those that this
program writes: each computes what a NumPy formula says, and its text is a fixed point of reading and
writing.

A case is the text of a module, its inputs, and what `main` returns.
"""
import unittest

import numpy as np

from command_case import small_stack
from relax_case import RelaxCase, draw

A, B = draw(2, 3), draw(2, 3)
SQUARE = draw(3, 3)
CASES = {}

HEAD = "@I.ir_module\nclass Module:\n"
PARAMETERS = 'a: R.Tensor((2, 3), dtype="float32"), b: R.Tensor((2, 3), dtype="float32")'


def module(name, text, *expected, **inputs):
    CASES[name] = (text, expected, inputs or {"a": A, "b": B})


def indented(lines, depth=8):
    return "".join(" " * depth + line + "\n" if line else "\n" for line in lines.split("\n"))


def main(name, body, *expected, parameters=PARAMETERS, others="", **inputs):
    """A module whose main has these statements."""
    text = f"{HEAD}    @R.function\n    def main({parameters}):\n{indented(body)}{others}"
    module(name, text, *expected, **inputs)


# Expressions.

for _sign, _function in {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
                         "**": lambda x, y: np.abs(x) ** y, ">": np.greater, "<": np.less,
                         ">=": np.greater_equal, "<=": np.less_equal}.items():
    _left = "R.abs(a)" if _sign == "**" else "a"
    main(f"operator {_sign}", f"return {_left} {_sign} b", _function(A, B))
main("operators bind as in Python", "return a + b * a - b / (a + b)", A + B * A - B / (A + B))
main("unary minus", "return -a * b", -A * B)
main("floor division and remainder", "return (a // b, a % b)", np.floor(A / B),
     A - np.floor(A / B) * B)
main("nested calls", "return R.add(R.exp(R.negative(a)), R.multiply(R.abs(b), a))",
     np.exp(-A) + np.abs(B) * A)
main("operands by keyword", "return R.subtract(x2=a, x1=b)", B - A)
main("attributes by position", "return R.sum(a, [1], True)", A.sum(1, keepdims=True))
main("attributes as tuples", "return R.permute_dims(R.expand_dims(a, (0,)), axes=(2, 1, 0))",
     A[None].transpose(2, 1, 0))
main("a negative axis", "return R.concat((a, b), axis=-1)", np.concatenate((A, B), -1))
main("operands in a list", "return R.concat([a, b, a], 1)", np.concatenate((A, B, A), 1))
main("R.tuple", "t = R.tuple(a, b)\nreturn R.add(t[0], t[1])", A + B)
main("a name for a tuple", "t = (a, (b, a))\nu = t[1]\nreturn u[0] - u[1]", B - A)
main("several targets", "s, t = R.split(a, 3, axis=1)[0], b\nreturn R.multiply(s, t)", A[:, :1] * B)
main("constants", 'return (a + R.const(2.5), a * R.const(-1, "float32"), '
     'R.maximum(a, R.const([[0.0], [1.0]], "float32")))',
     A + np.float32(2.5), -A, np.maximum(A, np.array([[0.0], [1.0]], np.float32)))
main("infinity as TVM prints it", 'return (R.minimum(a, R.const("inf", "float32")), '
     'R.maximum(b, R.const("-inf", "float32")))', A, B)
main("infinity as Python has it", 'return R.minimum(a, R.const(float("inf"), "float32"))', A)
main("numbers with exponents", 'return a * R.const(1e-2, "float32") + R.const(1.5E+1, "float32")',
     A * np.float32(1e-2) + np.float32(15))
main("single quotes", "return R.astype(R.greater(a, b), dtype='int32')", (A > B).astype(np.int32))
main("prim_value", "return R.clip(a, R.prim_value(-0.25), R.prim_value(T.float32(0.5)))",
     np.clip(A, -0.25, 0.5).astype(np.float32))
main("an attribute as a value", "return R.cumsum(a, axis=R.prim_value(1), exclusive=R.prim_value(False))",
     np.cumsum(A, 1, dtype=np.float32))
main("functions of sizes", "n = T.int64()\n"
     "return R.reshape(a, R.shape([T.floordiv(n, T.int64(2)), T.floormod(n, 4) * 3]))",
     A.reshape(1, 6), parameters='a: R.Tensor(("n", 3), dtype="float32")', a=A)
main("numbers of other types", "return R.clip(a, R.prim_value(T.float64(-0.5)), R.prim_value(T.float16(0.5)))",
     np.clip(A, -0.5, 0.5).astype(np.float32))
main("numbers as attributes", "return (R.nn.leakyrelu(a, alpha=T.float64(0.5)), R.sum(a, axis=[T.int64(1)]))",
     np.where(A > 0, A, A / 2).astype(np.float32), A.sum(1))
main("devices", 'return R.hint_on_device(R.to_vdevice(a, "llvm:0"), R.device(1, 0))', A)
main("a shape as a tuple", "return R.reshape(a, (3, -1))", A.reshape(3, 2))
main("a shape with a name", "s = R.shape([6])\nreturn R.reshape(a, s)", A.reshape(6))
main("the shape of another", "return R.reshape(R.flatten(a), R.shape_of(b))", A)
main("permute_dims without axes", "return R.permute_dims(a)", A.T)
main("an element of a call", "return R.split(a, [1], axis=1)[1]", A[:, 1:])

# Statements.

main("names that are bound again", "x = R.exp(a)\nx = R.add(x, b)\nx = R.negative(x)\nreturn x",
     -(np.exp(A) + B))
main("an annotation without a value of use", 'x: R.Tensor = R.exp(a)\nreturn x', np.exp(A))
main("an unknown rank", 'x: R.Tensor(dtype="float32") = R.exp(a)\nreturn x', np.exp(A))
main("a rank alone", 'x: R.Tensor(ndim=2, dtype="float32") = R.exp(a)\nreturn x', np.exp(A))
main("sizes in a list", 'x: R.Tensor([2, 3], "float32") = R.exp(a)\nreturn x', np.exp(A))
main("several blocks", """with R.dataflow():
    x = R.exp(a)
    y = R.add(x, b)
    R.output(x, y)
with R.dataflow():
    z = R.subtract(y, x)
    R.output(z)
return z""", np.exp(A) + B - np.exp(A))
main("a call over several lines", """x = R.add(
    R.exp(
        a,  # inside
    ),
    b,
)
return x""", np.exp(A) + B)
main("a line that goes on", "x = R.exp(a) + \\\n    b\nreturn x", np.exp(A) + B)
main("comments", "# first\n\nx = R.exp(a)  # after\n# last\nreturn x", np.exp(A))
main("a docstring", '"""What it does."""\nreturn R.exp(a)', np.exp(A))
main("match_cast", 'x = R.match_cast(a, R.Tensor((2, 3), "float32"))\nreturn R.exp(x)', np.exp(A))
main("a condition", """c = R.greater(R.sum(a), R.const(0.0, "float32"))
if c:
    r = R.exp(a)
else:
    r = R.negative(a)
return r""", np.exp(A) if A.sum() > 0 else -A)
main("elif", """if R.greater(R.max(a), R.const(100.0, "float32")):
    r = a
elif R.less(R.min(a), R.const(0.0, "float32")):
    r = R.negative(a)
else:
    r = b
return r""", -A if A.min() < 0 else B)
main("an element by its name", "t = (a, b)\nreturn R.add(R.TupleGetItem(t, 0), R.TupleGetItem(t, 1))", A + B)
main("a type as a value", 't = R.dtype("float64")\nreturn R.astype(R.astype(a, t), R.dtype("float32"))', A)
module("an object that nothing reads", f"{HEAD}    @R.function\n    def main({PARAMETERS}, "
       "state: R.Object):\n        return R.add(a, b)\n", A + B)
main("a local function", """@R.function
def square(x: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
    return R.multiply(x, x)
return R.add(square(a), square(b))""", A * A + B * B)
main("a result that is a tuple of tuples", "return (a, (b, R.exp(a)))", A, B, np.exp(A))

# Functions and heads.

for _name, _head in {
        "imports on top": "import tvm\nfrom tvm.script import ir as I, relax as R, tir as T\n",
        "imports in comments": "# from tvm.script import ir as I\n# from tvm.script import relax as R\n\n",
        "annotations of the future": "from __future__ import annotations\n\n"}.items():
    module(_name, f"{_head}{HEAD}    @R.function\n    def main({PARAMETERS}):\n"
           "        return R.add(a, b)\n", A + B)
module("a class of another name", f"@I.ir_module\nclass Net:\n    @R.function\n    def main({PARAMETERS}):\n"
       "        cls = Net\n        return cls.f(a, b)\n\n    @R.function(private=True)\n"
       f"    def f({PARAMETERS}):\n        return R.add(a, b)\n", A + B)
module("a class with a base", f"@I.ir_module\nclass Module(BasePyModule):\n    @R.function\n"
       f"    def main({PARAMETERS}):\n        return R.add(a, b)\n", A + B)
for _decorator in ("tvm.script.ir_module", "ir_module", "tvm.script.ir.ir_module"):
    module(f"a module of @{_decorator}", f"import tvm\n\n@{_decorator}\nclass Module:\n    @R.function\n"
           f"    def main({PARAMETERS}):\n        return R.add(a, b)\n", A + B)
module("decorators with arguments", f"@I.ir_module(check_well_formed=False)\nclass Module:\n"
       f"    @R.function(pure=True, private=False)\n    def main({PARAMETERS}):\n"
       "        return R.add(a, b)\n", A + B)
module("attributes of the module", f'{HEAD}    I.module_attrs({{"version": 3}})\n'
       f"    @R.function\n    def main({PARAMETERS}):\n        return R.add(a, b)\n", A + B)
module("virtual devices", f'{HEAD}    I.module_global_infos({{"vdevice": [I.vdevice("llvm", 0)]}})\n'
       '    @R.function\n    def main(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0"), '
       'b: R.Tensor((2, 3), "float32", "llvm:0")):\n        return R.add(a, b)\n', A + B)
module("a function that calls functions", f"{HEAD}    @R.function\n    def main({PARAMETERS}):\n"
       '        cls = Module\n        t: R.Tuple(R.Tensor((2, 3), dtype="float32"), '
       'R.Tensor((2, 3), dtype="float32")) = cls.both(a, b)\n'
       "        return R.multiply(t[0], t[1])\n\n    @R.function(private=True)\n"
       f"    def both({PARAMETERS}) -> R.Tuple(R.Tensor((2, 3), dtype=\"float32\"), "
       'R.Tensor((2, 3), dtype="float32")):\n        return (R.exp(a), R.abs(b))\n',
       np.exp(A) * np.abs(B))
module("a tuple as a parameter", f"{HEAD}    @R.function\n    def main({PARAMETERS}):\n"
       "        cls = Module\n        return cls.f((a, b))\n\n    @R.function(private=True)\n"
       '    def f(t: R.Tuple(R.Tensor((2, 3), "float32"), R.Tensor((2, 3), "float32"))):\n'
       "        return R.subtract(t[0], t[1])\n", A - B)
main("a tuple that the caller gives", "u = t[1]\nreturn t[0] - u[0]", A - B,
     parameters='t: R.Tuple(R.Tensor((2, 3), "float32"), R.Tuple(R.Tensor((2, 3), "float32")))',
     **{"t.0": A, "t.1.0": B})
main("a shape that the caller gives", "m, n = T.int64(), T.int64()\nreturn R.ones(R.shape([m, n + 1]), "
     'dtype="float32")', np.ones((2, 4), np.float32), parameters='s: R.Shape(["m", "n"])',
     **{"s.0": np.array(2), "s.1": np.array(3)})
module("types of another year", f"{HEAD}    @R.function\n    def main({PARAMETERS}):\n"
       "        cls = Module\n        f: R.Object = R.make_closure(cls.f, (b,))\n"
       '        return R.invoke_pure_closure(f, (a,), sinfo_args=R.Tensor((2, 3), dtype="float32"))\n\n'
       f"    @R.function(private=True)\n    def f({PARAMETERS}):\n        return R.add(a, b)\n", A + B)
module("types of this year", f"{HEAD}    @R.function\n    def main({PARAMETERS}):\n"
       "        cls = Module\n        f: R.Any = R.make_closure(cls.f, (b,))\n"
       '        return R.invoke_pure_closure(f, (a,), ty_args=R.Tensor((2, 3), dtype="float32"))\n\n'
       f"    @R.function(private=True)\n    def f({PARAMETERS}):\n        return R.add(a, b)\n", A + B)

# Sizes.

SIZED = 'a: R.Tensor(("n", 3), dtype="float32")'
main("a symbolic size", "n = T.int64()\nreturn R.reshape(a, R.shape([n * 3]))", A.reshape(6),
     parameters=SIZED, a=A)
main("a size with an attribute", "n = T.int64(is_size_var=True)\nreturn R.reshape(a, (n * 3,))",
     A.reshape(6), parameters=SIZED, a=A)
main("a size by T.var", 'n = T.var("int64")\nreturn R.reshape(a, (n * 3,))', A.reshape(6),
     parameters=SIZED, a=A)
main("arithmetic on sizes", "n = T.int64()\n"
     'x: R.Tensor(((n + 1) // 2, 3), dtype="float32") = R.strided_slice(a, axes=[0], begin=[0], '
     "end=[(n + 1) // 2])\nreturn R.reshape(x, R.shape([T.min(n, 1) * 3]))", A[:1].reshape(3),
     parameters=SIZED, a=A)
main("a range of a symbolic size", 'n = T.int64()\nreturn R.arange(0, n * T.int64(2), 1, dtype="int64")',
     np.arange(4), parameters=SIZED, a=A)
main("a size that depends on data", """k = T.int64()
found = R.nonzero(R.greater(a, R.const(0.0, "float32")))
x = R.match_cast(found, R.Tensor((2, k), dtype="int64"))
return x""", np.stack(np.nonzero(A > 0)).astype(np.int64), parameters=SIZED, a=A)
module("a head with type parameters", f"{HEAD}    @R.function\n"
       '    def main[n: int](a: R.Tensor((n, 3), dtype="float32")) -> R.Tensor((n * 3,), dtype="float32"):\n'
       "        return R.reshape(a, R.shape([n * 3]))\n", A.reshape(6), a=A)
module("a type variable", "from typing import TypeVar\n\nn = TypeVar(\"n\")\n\n" + HEAD +
       '    @R.function\n    def main(a: R.Tensor((n, 3), dtype="float32")):\n'
       "        return R.reshape(a, R.shape([n * 3]))\n", A.reshape(6), a=A)
module("a size that a caller passes", f"{HEAD}    @R.function\n    def main({SIZED}):\n"
       "        n = T.int64()\n        cls = Module\n        return cls.f(a, R.shape([n * 3]))\n\n"
       '    @R.function(private=True)\n    def f(a: R.Tensor(("n", 3), "float32"), s: R.Shape(["m"])):\n'
       "        m = T.int64()\n        n = T.int64()\n        return R.reshape(a, R.shape([m]))\n",
       A.reshape(6), a=A)


# What nobody understands is kept.

FOREIGN = {
    "a PrimFunc and its callers": """    @T.prim_func
    def scale(A: T.Buffer((T.int64(2), T.int64(3)), "float32"), B: T.Buffer((T.int64(2), T.int64(3)), "float32")):
        T.func_attr({"op_pattern": 0, "tir.noalias": True})
        # with T.block("root"):
        for i, j in T.grid(T.int64(2), T.int64(3)):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)

    @R.function
    def main(a: R.Tensor((2, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.scale, (a,), out_ty=R.Tensor((2, 3), dtype="float32"))
            lv1 = R.call_tir_inplace(cls.scale, (lv,), inplace_indices=[0], out_ty=R.Tensor((2, 3), dtype="float32"))
            gv = R.call_tir(cls.scale, (lv1,), out_sinfo=[R.Tensor((2, 3), dtype="float32")], tir_vars=R.shape([3]))
            R.output(gv)
        return gv
""",
    "packed functions": """    @R.function(pure=False)
    def main(a: R.Tensor(("n", 3), dtype="float32")) -> R.Object:
        n = T.int64()
        x = R.call_packed("vm.builtin.copy", a, R.prim_value(0), R.str("global"), sinfo_args=(R.Tensor((n, 3), dtype="float32"),))
        y = R.call_dps_packed("my.kernel", (x, R.shape([n])), out_sinfo=R.Tensor((n, 3), dtype="float32"))
        f: R.Object = R.call_builtin_with_ctx("vm.builtin.make_closure", (y,), ty_args=(R.Object,))
        z: R.Tuple = R.call_packed("vm.builtin.done", sinfo_args=(R.Tuple,))
        return f
""",
    "external functions and callables": """    @R.function
    def main(a: R.Tensor((2, 3), dtype="float32"), f: R.Callable((R.Tensor((2, 3), dtype="float32"),), R.Tensor((2, 3), dtype="float32"), True)) -> R.Any:
        g = R.ExternFunc("my.function", R.Callable(derive_func="infer"))
        x = f(a)
        y: R.Any = g(x)
        return y
""",
    "operators of no release": """    @R.function
    def main(a: R.Tensor((2, 3), dtype="float32")):
        with R.dataflow():
            lv = R.nn.sparse_mixture(a, experts=[1, 2], gate={"kind": "top", "k": 2}, noise=None, scale=-0.5)
            gv: R.Tensor(ndim=2) = R.contrib.fold(lv, mode="a\\nb", shape=R.shape([2, 3]), dtype=R.dtype("float32"))
            R.output(gv)
        return gv
""",
    "devices": """    I.module_attrs({"device_num": 2, "names": ["a", "b"]})

    I.module_global_infos({"vdevice": [I.vdevice({"kind": "llvm", "mcpu": "skylake"}, 0, "global")], "mesh": [R.device_mesh((2, 2), I.Range(0, 4))]})

    @R.function
    def main(a: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0")) -> R.Tensor((2, 3), dtype="float32", vdevice="llvm:0"):
        b: R.Tensor((2, 3), dtype="float32", vdevice="llvm:0") = R.to_vdevice(a, dst_vdevice="llvm:0")
        return b
""",
    "constants in metadata": """    @R.function
    def main(a: R.Tensor((2, 3), dtype="float32")):
        b = R.add(a, metadata["relax.expr.Constant"][0])
        return b
""",
}


class Spellings(RelaxCase):
    def test_what_nobody_understands_is_a_fixed_point(self):
        for name, functions in FOREIGN.items():
            with self.subTest(case=name):
                path = self.out / "model.py"
                path.write_text(HEAD + functions)
                self.assertEqual(self.done("convert", path, "-o", "-", "--to", "relax"),
                                 path.read_text())
                for container in ("dgt", "dgm", "json"):
                    kept = self.out / f"model.{container}"
                    self.done("convert", path, "-o", kept)
                    self.assertEqual(self.done("convert", kept, "-o", "-", "--to", "relax"),
                                     path.read_text(), container)

    def test_each_computes_and_is_written_the_same(self):
        for name, (text, expected, inputs) in CASES.items():
            with self.subTest(case=name):
                path = self.out / "model.py"
                path.write_text(text)
                self.agrees(path, expected, **inputs)
                first = self.done("convert", path, "-o", "-", "--to", "relax")
                path.write_text(first)
                self.assertEqual(self.done("convert", path, "-o", "-", "--to", "relax"), first)
                if first != text:
                    self.agrees(path, expected, **inputs)

    def test_depth_takes_no_stack(self):
        one = 'R.const(1, "float32")'
        deep = 10000
        bodies = {
            "calls": f"return {'R.add(' * deep}a{f', {one})' * deep}",
            "a chain of signs": f"return a{f' + {one}' * deep}",
            "signs in brackets": f"return {f'{one} - (' * deep}a{')' * deep}",
            "tuples": f"t = {'(' * deep}a{',)' * deep}\nreturn t{'[0]' * deep}",
            "tuples of the same twice": "t0 = (a, a)\n"
                                        + "".join(f"t{i + 1} = (t{i}, t{i})\n" for i in range(deep - 1))
                                        + f"return t{deep - 1}{'[1]' * deep}",
            "results within each other": f"return {'[' * deep}a{']' * deep}",
        }
        expected = dict.fromkeys(bodies, A)
        expected["calls"] = expected["a chain of signs"] = A + np.float32(deep)
        path = self.out / "model.py"
        for name, body in bodies.items():
            with self.subTest(case=name), small_stack():
                path.write_text(f"{HEAD}    @R.function\n    def main({PARAMETERS}):\n{indented(body)}")
                outputs = self.outputs(path, a=A, b=B)
                np.testing.assert_allclose(outputs[0], expected[name], rtol=1e-3)
                self.done("convert", path, "-o", self.out / "model.onnx")


if __name__ == "__main__":
    unittest.main()
