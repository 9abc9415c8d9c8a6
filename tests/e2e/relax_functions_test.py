#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of Relax modules: loops by recursion, branches, local functions, closures; compared with
NumPy."""

import unittest

import numpy as np
import onnx

import relax_module
from commands import dragoman
from relax_case import RelaxCase, draw, function, random, sigmoid

I64 = 'R.Tensor((), dtype="int64")'
F32 = 'R.Tensor((3,), dtype="float32")'
PRIVATE = "@R.function(private=True)"
UNSUPPORTED = 4


def i64(n):
    return np.array(n, np.int64)


class Loops(RelaxCase):
    def test_call_of_itself_at_the_end_of_a_branch(self):
        main = function(f"cls = Module\nr = cls.loop(n, x)\nreturn r[1]", n=I64, x=F32)
        loop = function("""
cls = Module
more = R.greater(k, R.const(0, "int64"))
if more:
    rest = R.subtract(k, R.const(1, "int64"))
    t = R.tanh(s)
    r = cls.loop(rest, t)
else:
    r = (k, s)
return r""", "loop", PRIVATE, k=I64, s=F32)
        model, x = self.write(main, loop), draw(3)
        for n in (0, 1, 50):
            expected = x
            for _ in range(n):
                expected = np.tanh(expected)
            self.agrees(model, [expected], n=i64(n), x=x)
        self.assertIn("onnx.Loop", self.common(model))

    def test_end_in_the_first_branch_and_a_state_that_grows(self):
        main = function('cls = Module\nr = cls.loop(x)\nreturn r', x='R.Tensor(("n",), dtype="float32")')
        loop = function("""
cls = Module
m = T.int64()
done = R.greater(R.sum(y), R.const(10.0, "float32"))
if done:
    r = R.negative(y)
else:
    twice = R.concat((y, y), axis=0)
    r = cls.loop(twice)
return r""", "loop", PRIVATE, y='R.Tensor(("m",), dtype="float32")')
        model = self.write(main, loop)
        self.agrees(model, [-np.ones(12, np.float32)], x=np.ones(3, np.float32))
        self.agrees(model, [-np.full(2, 9, np.float32)], x=np.full(2, 9, np.float32))

    def test_bounds_that_importers_state_of_sizes(self):
        model = self.write(function("""
k = T.int64()
least: T.bool = k >= 0
most: T.bool = k * 2 <= 100
r = R.negative(x)
return r""", x='R.Tensor(("k",), dtype="float32")'))
        self.agrees(model, [-np.ones(5, np.float32)], x=np.ones(5, np.float32))

    def test_local_function_that_calls_itself_and_sees_what_is_around_it(self):
        model = self.write(function("""
w = R.exp(x)
@R.function
def loop(i: R.Tensor((), dtype="int64"), s: R.Tensor((3,), dtype="float32")):
    c = R.less(i, n)
    if c:
        j = R.add(i, R.const(1, "int64"))
        t = R.multiply(s, w)
        r = loop(j, t)
    else:
        r = s
    return r
y = loop(R.const(0, "int64"), x)
return y""", n=I64, x=F32))
        x = draw(3) / 4
        self.agrees(model, [x * np.exp(x) ** 3], n=i64(3), x=x)

    def test_count_that_is_known_needs_no_loop(self):
        main = function('cls = Module\nr = cls.loop(R.const(2, "int64"), x)\nreturn r', x=F32)
        loop = function("""
cls = Module
more = R.greater(k, R.const(0, "int64"))
if more:
    rest = R.subtract(k, R.const(1, "int64"))
    r = cls.loop(rest, R.tanh(s))
else:
    r = s
return r""", "loop", PRIVATE, k=I64, s=F32)
        model, x = self.write(main, loop), draw(3)
        self.agrees(model, [np.tanh(np.tanh(x))], x=x)
        self.assertNotIn("Loop", self.common(model))

    def test_loops_by_halves_are_loops(self):
        """What `convert` writes of a Loop over an unknown count comes back as one."""
        text = """dragoman 1 common onnx
opset "" 22

entry main @m(%n: i64[], %x: f32[3]) -> (%y, %rows) {
  %y: f32[3], %rows: f32[k, 3] = onnx.Loop(%n, _, %x) {body = graph(%i: i64[], %c: bool[], %s: f32[3]) -> (%c, %t, %row) {
    %t: f32[3] = onnx.Tanh(%s)
    %row: f32[3] = onnx.Neg(%t)
  }}
}
"""
        (self.out / "loop.dgt").write_text(text)
        model = self.out / "model.py"
        self.done("convert", self.out / "loop.dgt", "-o", model)
        self.assertIn("Any number of iterations", model.read_text())
        x = draw(3)
        for n in (0, 1, 5):
            states, s = [], x
            for _ in range(n):
                s = np.tanh(s)
                states.append(-s)
            rows = np.array(states, np.float32).reshape(n, 3)
            self.agrees(model, [s, rows], n=i64(n), x=x)
        self.done("diff", self.out / "loop.dgt", model)

    def test_recursion_that_is_no_loop_is_refused(self):
        main = function("cls = Module\nr = cls.f(x)\nreturn r", x=F32)
        f = function("cls = Module\na = cls.f(x)\nr = R.exp(a)\nreturn r", "f", PRIVATE, x=F32)
        done = dragoman("convert", self.write(main, f), "-o", self.out / "m.onnx")
        self.assertEqual(done.returncode, UNSUPPORTED)
        self.assertIn("the function 'f' calls itself other than at the end of one side", done.stderr)


class Calls(RelaxCase):
    def test_if_of_run_time(self):
        model = self.write(function("""
if c:
    a = R.exp(x)
    r = (a, x)
else:
    b = R.abs(x)
    r = (x, b)
return r""", c='R.Tensor((), dtype="bool")', x=F32))
        x = draw(3)
        self.agrees(model, [np.exp(x), x], c=np.array(True), x=x)
        self.agrees(model, [x, np.abs(x)], c=np.array(False), x=x)

    def test_function_as_a_value(self):
        main = function("cls = Module\nf = cls.twice\nr = f(x)\nreturn r", x=F32)
        twice = function("r = R.add(x, x)\nreturn r", "twice", PRIVATE, x=F32)
        x = draw(3)
        self.agrees(self.write(main, twice), [x + x], x=x)

    def test_closure_binds_its_last_arguments(self):
        main = function("""
cls = Module
c = R.make_closure(cls.less, (y,))
r = R.invoke_pure_closure(c, (x,), sinfo_args=(R.Tensor((3,), dtype="float32"),))
return r""", x=F32, y=F32)
        less = function("r = R.subtract(a, b)\nreturn r", "less", PRIVATE, a=F32, b=F32)
        x, y = draw(3), draw(3)
        self.agrees(self.write(main, less), [x - y], x=x, y=y)

    def test_sizes_are_arguments(self):
        main = function("""
cls = Module
n = T.int64()
r = cls.flat(x, R.shape([n * 2]))
return r""", x='R.Tensor(("n", 2), dtype="float32")')
        flat = function("k = T.int64()\nr = R.reshape(x, R.shape([k]))\nreturn r", "flat", PRIVATE,
                        x='R.Tensor(("m", 2), dtype="float32")', s='R.Shape(["k"])')
        x = draw(5, 2)
        self.agrees(self.write(main, flat), [x.reshape(10)], x=x)

    def test_recurrent_cell_in_a_loop_of_its_own(self):
        """A gated cell by recursion over the rows of x."""
        main = function("""
cls = Module
h0 = R.zeros(R.shape([1, 4]), dtype="float32")
r = cls.loop(R.const(0, "int64"), h0, x, w)
return r""", x='R.Tensor((6, 1, 4), dtype="float32")', w='R.Tensor((4, 4), dtype="float32")')
        loop = function("""
cls = Module
c = R.less(t, R.const(6, "int64"))
if c:
    x_t = R.take(x, t, axis=0, mode="fast")
    g = R.sigmoid(R.add(x_t, R.matmul(h, w)))
    n = R.add(R.multiply(g, h), R.multiply(R.subtract(R.const(1.0, "float32"), g), R.tanh(x_t)))
    r = cls.loop(R.add(t, R.const(1, "int64")), n, x, w)
else:
    r = h
return r""", "loop", PRIVATE, t=I64, h='R.Tensor((1, 4), dtype="float32")',
                        x='R.Tensor((6, 1, 4), dtype="float32")',
                        w='R.Tensor((4, 4), dtype="float32")')
        x, w = draw(6, 1, 4), draw(4, 4)
        h = np.zeros((1, 4), np.float32)
        for x_t in x:
            g = sigmoid(x_t + h @ w)
            h = g * h + (1 - g) * np.tanh(x_t)
        self.agrees(self.write(main, loop), [h], x=x, w=w)


class Groups(RelaxCase):
    """What another library computes in one call."""

    def test_group_comes_back_with_its_name_and_attributes(self):
        x, w, b = draw(4, 3), draw(5, 3), draw(5)
        group = function("""
R.func_attr({"Composite": "msc.linear_bias", "Primitive": True, "unique": "fc1", "layers": ["a", "b"]})
t = R.permute_dims(w)
y = R.matmul(x, t)
r = R.add(y, b)
return r""", "linear_bias", PRIVATE, x=x, w=w, b=b)
        main = function("cls = Module\ny = cls.linear_bias(x, w, b)\nreturn R.nn.relu(y)", x=x, w=w, b=b)
        model = self.write(main, group)
        expected = np.maximum(x @ w.T + b, 0)
        self.agrees(model, [expected], x=x, w=w, b=b)
        again = self.out / "again.py"
        self.done("convert", model, "-o", again, "--passes", "default")
        self.agrees(again, [expected], x=x, w=w, b=b)
        text = again.read_text()
        self.assertIn("cls.linear_bias(", text)
        self.assertIn('R.func_attr({"Composite": "msc.linear_bias", "Primitive": True, "unique": "fc1", '
                      '"layers": ["a", "b"], "members": [', text)
        self.assertIn("relax.matmul", text)  # what the members came from
        self.done("diff", model, again, "--level", "common")
        self.agrees(self.converted(model, "onnx"), [expected], x=x, w=w, b=b)

    def converted(self, model, suffix):
        path = self.out / f"model.{suffix}"
        self.done("convert", model, "-o", path)
        return path

    def test_groups_of_several_results(self):
        x = draw(3)
        group = function("""
R.func_attr({"Composite": "dnnl.both"})
r = (R.exp(x), R.negative(x))
return r""", "both", PRIVATE, x=x)
        main = function("cls = Module\nt = cls.both(x)\nreturn (t[1], t[0])", x=x)
        self.agrees(self.write(main, group), [-x, np.exp(x)], x=x)


class Drawn(RelaxCase):
    """Random numbers are inputs of a module, and nodes again when it is read."""

    GRAPH = """
graph main(%x: f32[n, 4], %p: f32[2, 3]) -> (%noise, %mask, %choice, %y) {
  %noise = onnx.RandomNormalLike(%x) {mean = 1.0, scale = 2.0}
  %mask = onnx.Bernoulli(%p) {dtype = 6}
  %choice = onnx.Multinomial(%p) {dtype = 7, sample_size = 5}
  %u = onnx.RandomUniform() {high = 3.0, low = -1.0, seed = 7.0, shape = [2]}
  %y = onnx.Neg(%u)
}"""

    def test_inputs_stand_for_what_is_drawn(self):
        graph, model = self.out / "model.dgt", self.out / "model.py"
        graph.write_text(self.GRAPH)
        self.done("convert", graph, "-o", model)
        module = relax_module.Module(model)
        normal, chance, place, uniform = module.attributes()["random"]
        self.assertEqual(normal, [2, "normal", 1.0, 2.0])
        self.assertEqual((chance[1:], place[1:]), (["uniform", 0.0, 1.0], ["uniform", 0.0, 1.0]))
        self.assertEqual(uniform, [5, "uniform", -1.0, 3.0, 7.0])
        p = np.array([[0.2, 0.5, 0.9], [0.0, 1.0, 0.5]], np.float32)
        noise, a, b = draw(2, 4), random.random((2, 3), np.float32), random.random((2, 5), np.float32)
        u = random.random(2, np.float32)
        given, mask, choice, y = module(draw(2, 4), p, noise, a, b, u)
        np.testing.assert_array_equal(given, noise)
        np.testing.assert_array_equal(mask, (a < p).astype(np.int32))
        ends = np.cumsum(np.exp(p.astype(np.float64)), 1)
        places = b[:, :, None] * ends[:, None, -1:]
        np.testing.assert_array_equal(choice, (places >= ends[:, None]).sum(2))
        np.testing.assert_array_equal(y, -u)

    def test_nodes_draw_again(self):
        graph, model = self.out / "model.dgt", self.out / "model.py"
        graph.write_text("""
graph main(%x: f32[2]) -> (%y: f32[2]) {
  %a: f32[2] = onnx.RandomNormal() {mean = 1.0, scale = 2.0, seed = 3.0, shape = [2]}
  %b: f64[2] = onnx.RandomUniform() {dtype = 11, high = 3.0, shape = [2]}
  %c: f32[2] = onnx.Cast(%b) {to = 1}
  %s: f32[2] = onnx.Add(%a, %c)
  %y = onnx.Mul(%s, %x)
}""")
        self.done("convert", graph, "-o", model)
        self.done("diff", graph, model, "--level", "common")

    def test_dropout_in_training_keeps_by_numbers(self):
        graph, model = self.out / "model.dgt", self.out / "model.py"
        graph.write_text("""
graph main(%x: f32[3, 4], %training: bool[]) -> (%y, %mask) {
  const %ratio: f32[] = 0.25
  %y, %mask = onnx.Dropout(%x, %ratio, %training)
}""")
        self.done("convert", graph, "-o", model)
        x, u = draw(3, 4), random.random((3, 4), np.float32)
        y, mask = relax_module.Module(model)(x, np.array(True), u)
        np.testing.assert_array_equal(mask, u >= 0.25)
        np.testing.assert_allclose(y, np.where(mask, x / 0.75, 0), rtol=1e-6)
        y, mask = relax_module.Module(model)(x, np.array(False), u)
        np.testing.assert_array_equal(y, x)
        self.assertTrue(mask.all())


class Foreign(RelaxCase):
    def test_foreign_code_is_kept_and_refused_by_name(self):
        model = self.write(function("""
cls = Module
a = R.call_tir(cls.kernel, (x,), out_sinfo=R.Tensor((3,), dtype="float32"))
b = R.call_dps_packed("my.kernel", (x,), out_sinfo=R.Tensor((3,), dtype="float32"))
c = R.call_pure_packed("my.function", x, sinfo_args=(R.Tensor((3,), dtype="float32"),))
d = R.call_inplace_packed("my.place", x, inplace_indices=[0], sinfo_args=(R.Tensor((3,), dtype="float32"),))
return (a, b, c, d)""", x=F32), """    @T.prim_func
    def kernel(a: T.handle, b: T.handle):
        T.evaluate(0)
""")
        copy = self.out / "copy.py"
        self.done("convert", model, "-o", copy)
        self.assertEqual(copy.read_text(), model.read_text())
        error = self.fails(UNSUPPORTED, "convert", model, "-o", self.out / "m.onnx")
        for name in ("'my.kernel'", "'my.function'", "'my.place'"):
            self.assertIn(name, error)

    def test_prim_funcs_are_calls_of_foreign_operators(self):
        model = self.write(function("""
cls = Module
a = R.call_tir(cls.kernel, (x, x), out_sinfo=R.Tensor((3,), dtype="float32"))
b = R.call_tir(cls.two, (a,), out_ty=[R.Tensor((3,), dtype="float32"), R.Tensor((1,), dtype="int32")])
return (R.add(b[0], x), b[1])""", x=F32))
        self.assertIn("= onnx:tvm.kernel(%x, %x)", self.common(model))
        self.done("convert", model, "-o", self.out / "m.onnx")
        nodes = onnx.load(self.out / "m.onnx").graph.node
        self.assertEqual([(n.domain, n.op_type, len(n.output)) for n in nodes],
                         [("tvm", "kernel", 1), ("tvm", "two", 2), ("", "Add", 1)])
        np.save(self.out / "x.npy", np.zeros(3, np.float32))
        self.fails(UNSUPPORTED, "run", model, "--input", f"x={self.out}/x.npy", "--output-dir",
                   self.out / "results")


if __name__ == "__main__":
    unittest.main()
