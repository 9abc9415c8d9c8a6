#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relay text: what it computes, compared with NumPy; what is kept; what is refused, and where.

tests/models/relay holds texts as TVM's front ends and printer write them; others are made here.
"""

import base64
import os
import pathlib
import random
import re
import unittest

import numpy as np

from command_case import small_stack
from commands import dragoman
from relay_case import HEAD, RelayCase, draw, sigmoid, tensor
from tvm_arrays import metadata, nd_array, params

MODELS = pathlib.Path("tests/models/relay")
ENGINES = ("interpreter", "native")


class Linear(RelayCase):
    """nn.Linear through Relay's nine calls to Relax, without losing one attribute."""

    CALLS = [("broadcast_to", "{shape = [1, 3, 10, 10], dtype = \"\"}"),
             ("transpose", "{axes = [1, 0]}"),
             ("broadcast_to", "{shape = [1, 3, 10, 7], dtype = \"\"}"),
             ("reshape", "{newshape = [-1, 10, 10], allowzero = false}"),
             ("reshape", "{newshape = [-1, 10, 7], allowzero = false}"),
             (":nn.batch_matmul",
              "{out_dtype = \"\", transpose_a = false, transpose_b = false}"),
             ("reshape", "{newshape = [1, 3, 10, 7], allowzero = false}"),
             ("squeeze", "{axis = ints []}"),
             (":nn.bias_add", "{axis = -1}")]

    def test_every_call_and_attribute_is_an_origin(self):
        text = self.common(MODELS / "linear.relay")
        origins = text[text.index("origins {"):]
        place = 0
        for line, (op, attributes) in enumerate(self.CALLS, 3):
            op = op if op.startswith(":") else "." + op
            column = 3 if op == ":nn.bias_add" else 8
            said = (f'"relay{op}" @"aten::linear_0:0:0" at "line {line}:{column}" {attributes}')
            self.assertIn(said, origins[place:])
            place = origins.index(said, place)
        product = [line for line in text.splitlines() if "onnx.MatMul" in line]
        self.assertEqual(len(product), 1)
        number = product[0].split("!")[-1]
        self.assertEqual(origins.split(f"!{number} = ")[1].split("\n")[0].count("!"), 8)

    def test_relax_is_transpose_product_and_sum(self):
        out = self.out / "linear.py"
        self.convert(MODELS / "linear.relay", "-o", out)
        calls = [line.split(" = ")[1] for line in out.read_text().splitlines() if " = R." in line]
        self.assertEqual(calls, ["R.permute_dims(weight, axes=[1, 0])",
                                 "R.matmul(input0, lv, out_dtype=None)", "R.add(lv1, bias)"])

    def test_parameters_make_it_one_operator(self):
        weight, bias, x = draw(7, 10), draw(7), draw(1, 3, 10, 10)
        model = self.write((MODELS / "linear.relay").read_text())
        model.with_suffix(".params").write_bytes(params({"weight": weight, "bias": bias}))
        text = self.common(model)
        self.assertIn("dragoman.Linear", text)
        self.assertIn("%input0: f32[1, 3, 10, 10]) ->", text)
        self.agrees(model, [x @ weight.T + bias], engines=ENGINES, input0=x)

    @staticmethod
    def spelled(number):
        """The nine calls, or eight without a bias, of drawn sizes; how many there are; its bias."""
        draws = random.Random(number)
        rank, stated, lets = draws.randint(3, 5), draws.random() < 0.5, draws.random() < 0.5
        lead = [draws.randint(1, 4) for _ in range(rank - 2)]
        rows, inner, outer = (draws.randint(2, 9) for _ in range(3))
        bias = draws.choice(["", "nn.bias_add(%{}, %bias, axis=-1)", "add(%{}, %bias)",
                             f"nn.bias_add(%{{}}, %bias, axis={rank - 1})"])

        def call(op, operands, required, default=""):
            attributes = required + (default if stated else "")
            return f"{op}({operands}, {attributes})" if attributes else f"{op}({operands})"

        calls = [call("broadcast_to", "%x", f"shape={lead + [rows, inner]}", ', dtype=""'),
                 call("transpose", "%w", "axes=[1, 0]"),
                 call("broadcast_to", "%{1}", f"shape={lead + [inner, outer]}", ', dtype=""'),
                 call("reshape", "%{0}", f"newshape=[-1, {rows}, {inner}]", ", allowzero=False"),
                 call("reshape", "%{2}", f"newshape=[-1, {inner}, {outer}]", ", allowzero=False"),
                 call("nn.batch_matmul", "%{3}, %{4}", "transpose_a=False",
                      ', out_dtype="", transpose_b=False'),
                 call("reshape", "%{5}", f"newshape={lead + [rows, outer]}", ", allowzero=False"),
                 "squeeze(%{6}, axis=[])"] + ([bias.replace("{}", "{7}")] if bias else [])
        names = [f"t{i}" if lets else str(i) for i in range(len(calls))]
        spans = draws.random() < 0.5
        lines = [f"  {'let ' if lets else ''}%{name} = {call.format(*names)}"
                 f"{' /* span=aten::linear_0:0:0 */' if spans else ''};"
                 for name, call in zip(names, calls)]
        parameters = [f"%x: Tensor[({', '.join(map(str, lead + [rows, inner]))}), float32]",
                      f"%w: Tensor[({outer}, {inner}), float32]"]
        parameters += [f"%bias: Tensor[({outer}), float32]"] if bias else []
        text = f"def @main({', '.join(parameters)}) {{\n" + "\n".join(lines)
        return text + f"\n  %{names[-1]}\n}}\n", len(calls), bool(bias)

    def test_drawn_sizes_and_spellings_become_the_same_calls(self):
        for number in range(50 if os.environ.get("DRAGOMAN_ALL") else 8):
            with self.subTest(number=number):
                text, count, bias = self.spelled(number)
                model, relax = self.write(text), self.out / "linear.py"
                self.convert(model, "-o", relax)
                calls = [line.split(" = ")[1] for line in relax.read_text().splitlines()
                         if " = R." in line]
                self.assertEqual(calls, ["R.permute_dims(w, axes=[1, 0])",
                                         "R.matmul(x, lv, out_dtype=None)"] +
                                 ["R.add(lv1, bias)"] * bias, text)
                origins = self.common(model).split("origins {")[1]
                self.assertEqual(origins.count('= "relay'), count, origins)
                back, again = self.out / "back.relay", self.out / "again.py"
                self.convert(relax, "-o", back)
                self.convert(back, "-o", again)
                same = dragoman("diff", relax, again, "--passes", "default")
                self.assertEqual(same.returncode, 0, same.stdout)

    def test_other_sizes_are_not_taken_for_one(self):
        # The product is over a weight that differs by row of the batch.
        a, w = draw(2, 3, 4, 5), draw(6, 5, 4)
        self.computes("""  %0 = reshape(%a, newshape=[-1, 4, 5]);
  %1 = nn.batch_matmul(%0, %w);
  %2 = reshape(%1, newshape=[2, 3, 4, 4]);
  squeeze(%2, axis=[])""", (a.reshape(6, 4, 5) @ w).reshape(2, 3, 4, 4), a=a, w=w)


class Programs(RelayCase):
    def test_gates_are_one_function(self):
        x, w = draw(1, 10), draw(30, 10)
        parts = np.split(x @ w.T, 3, axis=1)
        expected = sigmoid(parts[0]) + np.tanh(parts[1]) * np.exp(parts[2])
        self.agrees(MODELS / "gates.relay", [expected], engines=ENGINES, X=x, W=w)
        text = self.common(MODELS / "gates.relay")
        for op in ("MatMul", "Split", "Sigmoid", "Tanh", "Exp"):
            self.assertEqual(text.count(f"= onnx.{op}("), 1, text)

    def test_sizes_and_a_condition_on_one(self):
        data = draw(3, 2)
        for channels in (1, 3):
            image = draw(2, 4, 5, channels)
            expected = image if channels == 3 else np.concatenate([image[..., :1]] * 3, axis=3)
            self.agrees(MODELS / "sizes.relay", [np.arange(3), expected], engines=ENGINES,
                        data=data, img=image)

    def test_sizes_that_int32_counts_are_those_of_relax(self):
        model = self.write("""def @main(%x: Tensor[(?, 3), float32]) {
  %0 = shape_of(%x, dtype="int32");
  %1 = dyn.zeros(%0, shape=[], dtype="float32");
  add(%1, 1f)
}
""")
        relax = self.out / "sizes.py"
        self.convert(model, "-o", relax)
        done = dragoman("diff", model, relax)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_recursion_is_a_loop(self):
        x = draw(3, 4)
        for turns in (0, 1, 5):
            expected = x
            for _ in range(turns):
                expected = np.tanh(expected)
            self.agrees(MODELS / "loop.relay", [expected], engines=ENGINES,
                        n=np.array(turns, np.int32), x=x)
        self.assertIn("onnx.Loop", self.common(MODELS / "loop.relay"))

    def test_lists_of_the_prelude_leave_nothing(self):
        a, b = draw(2, 3), draw(2, 3)
        self.agrees(MODELS / "lists.relay", [4 * a + 2 * b], engines=ENGINES, a=a, b=b)

    def test_every_kind_of_expression(self):
        x, w = draw(3, 4), draw(8, 4)
        dense = x @ w.T
        first = np.tanh(dense[:, :4] * 0.5)
        self.agrees(MODELS / "module.relay",
                    [np.concatenate([first, dense[:, 4:]], axis=1), np.array(0, np.int32)],
                    x=x, w=w)

    def test_references_and_nested_lets(self):
        x = draw(2)
        lets = "\n".join(f"  let %x{i} = add(%x{i - 1 if i else ''}, 1f);" for i in range(200))
        self.computes(f"""  let %r = ref(%x);
  let %_ = ref_write(%r, multiply(%x, 3f));
  let %y = ref_read(%r);
{lets}
  add(%y, %x199)""", x * 3 + x + 200, x=x)

    def test_names_that_nobody_sanitised(self):
        x = draw(2, 2)
        model = self.write("""def @main(%aten::linear_0.weight: Tensor[(2, 2), float32]) {
  %0 = (%aten::linear_0.weight, exp(%aten::linear_0.weight));
  add(%0.1, %aten::linear_0.weight)
}
""")
        self.agrees(model, [np.exp(x) + x], **{"aten::linear_0.weight": x})

    def test_attributes_in_the_metadata_section(self):
        x = draw(4, 6)
        constant = np.arange(6, dtype=np.float32)
        text = """def @main(%x: Tensor[(4, 6), float32]) {
  %0 = add(%x, meta[relay.Constant][0]);
  %1 = split(%0, indices_or_sections=meta[runtime.BoxInt][0], axis=1);
  %1.2
}
"""
        self.agrees(self.write(text + metadata([constant], [3])), [(x + constant)[:, 4:]], x=x)

    def test_unrolled_lstm_is_one_operator(self):
        steps, inputs, hidden = 4, 3, 5
        x, h, c = draw(steps, 1, inputs), draw(1, hidden), draw(1, hidden)
        w, r, b = draw(4 * hidden, inputs), draw(4 * hidden, hidden), draw(4 * hidden)
        text = f"""def @main(%x: {tensor(x)}, %h: {tensor(h)}, %c: {tensor(c)}) {{
  %0 = split(%x, indices_or_sections={steps}, axis=0);
"""
        name, state, cell, outputs = 1, "%h", "%c", []

        def add(expression):
            nonlocal text, name
            text += f"  %{name} = {expression};\n"
            name += 1
            return f"%{name - 1}"

        for step in range(steps):
            part = add(f"%0.{step}")
            row = add(f"squeeze({part}, axis=[0])")
            both = add(f"({row}, {state})")
            joined = add(f"concatenate({both}, axis=1)")
            weights = add("(meta[relay.Constant][0], meta[relay.Constant][1])")
            weight = add(f"concatenate({weights}, axis=1)")
            dense = add(f"nn.dense({joined}, {weight}, units={4 * hidden})")
            biased = add(f"add({dense}, meta[relay.Constant][2])")
            gates = add(f"split({biased}, indices_or_sections=4, axis=-1)")
            i, f, g, o = [add(f"{gates}.{n}") for n in range(4)]
            i, f, g, o = (add(f"sigmoid({i})"), add(f"sigmoid({f})"), add(f"tanh({g})"),
                          add(f"sigmoid({o})"))
            cell = add(f"add({add(f'multiply({f}, {cell})')}, {add(f'multiply({i}, {g})')})")
            state = add(f"multiply({o}, {add(f'tanh({cell})')})")
            outputs.append(state)
        stacked = add(f"({', '.join(outputs)})")
        text += f"  %{name} = stack({stacked}, axis=0);\n  (%{name}, {state}, {cell})\n}}\n"
        model = self.write(text + metadata([w, r, b]))
        expected, states, cells = [], h, c
        for row in x:
            i, f, g, o = np.split(row @ w.T + states @ r.T + b, 4, axis=1)
            cells = sigmoid(f) * cells + sigmoid(i) * np.tanh(g)
            states = sigmoid(o) * np.tanh(cells)
            expected.append(states)
        self.agrees(model, [np.stack(expected), states, cells], engines=ENGINES, x=x, h=h, c=c)
        self.assertEqual(self.common(model).count("= onnx.LSTM("), 1)


class Groups(RelayCase):
    """Functions that group what one operator of another library computes."""

    TEXT = """def @main(%x: Tensor[(2, 4), float32], %w: Tensor[(3, 4), float32]) {
  %4 = fn (%p0: Tensor[(2, 4), float32], %p1: Tensor[(3, 4), float32], PartitionedFromPattern="nn.dense_add_nn.relu_", Composite="dnnl.dense_relu") -> Tensor[(2, 3), float32] {
    %0 = nn.dense(%p0, %p1, units=None) /* span=fc:0:0 */;
    %1 = add(%0, meta[relay.Constant][0]);
    nn.relu(%1)
  };
  %5 = %4(%x, %w);
  tanh(%5)
}
"""

    def setUp(self):
        super().setUp()
        self.bias, self.x, self.w = draw(3), draw(2, 4), draw(3, 4)
        self.model = self.write(self.TEXT + metadata([self.bias]))

    def test_they_compute_what_their_members_do(self):
        expected = np.tanh(np.maximum(self.x @ self.w.T + self.bias, 0))
        self.agrees(self.model, [expected], engines=ENGINES, x=self.x, w=self.w)

    def test_they_come_back_with_their_attributes_and_tell_their_members(self):
        onnx, dgt, back = self.out / "m.onnx", self.out / "m.dgt", self.out / "back.relay"
        self.convert(self.model, "-o", dgt, "--level", "common")
        self.convert(dgt, "-o", back)
        text = back.read_text()
        self.assertEqual(text.count('Composite="dnnl.dense_relu"'), 1, text)
        self.assertIn('PartitionedFromPattern="nn.dense_add_nn.relu_"', text)
        for member in ("from relay:nn.dense", "from relay.add", "from relay:nn.relu"):
            self.assertIn(member, text)
        again = dragoman("diff", self.model, back, "--level", "common")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.convert(self.model, "-o", onnx)

    def test_what_gives_no_tensors_is_run_in_place(self):
        x = draw(3)
        self.computes("""  let %f = fn (%p, Composite="x.y") { fn (%q) { add(%p, %q) } };
  let %g = %f(%x);
  %g(%x)""", x + x, x=x)


class Containers(RelayCase):
    def test_graph_text_keeps_everything(self):
        for model in sorted(MODELS.glob("*.relay")):
            with self.subTest(model=model.name):
                text, again = self.out / "model.dgt", self.out / "again.dgt"
                self.convert(model, "-o", text)
                self.convert(text, "-o", again)
                self.assertEqual(text.read_text(), again.read_text())
                self.assertEqual(self.common(text), self.common(model))


class Written(RelayCase):
    def test_parameters_of_another_module_are_not_taken(self):
        (self.out / "plain.params").write_bytes(params({"x": draw(2)}))
        model = self.write("def @main(%x: Tensor[(2), float32]) { tanh(%x) }\n")
        done = dragoman("convert", model, "-o", self.out / "plain.relay")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("choose another name", done.stderr)
        self.assertFalse((self.out / "plain.relay").exists())

    def test_weights_of_less_than_a_byte_by_block(self):
        model = self.out / "small.dgt"
        model.write_text("""dragoman 1 common onnx
opset "" 22

entry main @main(%x: f32[2, 4], %s: f32[2, 3]) -> (%y) {
  const %w: i4[4, 3] = [[1, -8, 7], [0, 2, -3], [4, 5, -6], [-1, -2, 3]]
  const %zero: i4[2, 3] = [[0, 1, 2], [0, -1, 0]]
  %d = onnx.DequantizeLinear(%w, %s, %zero) {axis = 0, block_size = 2}
  %y = onnx.MatMul(%x, %d)
}
""")
        self.convert(model, "-o", self.out / "small.relay")
        weight = np.array([[1, -8, 7], [0, 2, -3], [4, 5, -6], [-1, -2, 3]], np.float32)
        zero = np.array([[0, 1, 2], [0, -1, 0]], np.float32)
        x, s = draw(2, 4), draw(2, 3)
        expected = x @ ((weight - zero.repeat(2, 0)) * s.repeat(2, 0))
        self.agrees(self.out / "small.relay", [expected], x=x, s=s)

    def test_resizing_that_no_operator_of_relay_does(self):
        """Along each axis a product with weights, or a take."""
        x = draw(2, 6, 5)

        def triangles(count, size):
            """Antialiasing: a triangle as wide as the elements of the result are apart."""
            y = np.zeros((count, size), np.float32)
            for i, place in np.ndindex(count, 3 * size):
                distance = abs((i + .5) * size / count - .5 - (place - size)) * min(count / size, 1)
                y[i, min(max(place - size, 0), size - 1)] += max(1 - distance, 0)
            return y / y.sum(1, keepdims=True)

        def near(count, size):
            return np.clip(np.floor((np.arange(count) + .5) * size / count), 0, size - 1).astype(int)

        for attributes, expected in (
                ('mode = "linear", antialias = 1, axes = [1, 2]',
                 triangles(3, 6) @ x @ triangles(4, 5).T),
                ('nearest_mode = "round_prefer_ceil", axes = [2, 1]', x[:, near(4, 6)][:, :, near(3, 5)])):
            model, written = self.out / "resize.dgt", self.out / "resize.relay"
            model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                             "entry main @main(%x: f32[n, 6, 5]) -> (%y) {\n"
                             "  const %s: i64[2] = [3, 4]\n"
                             f"  %y = onnx.Resize(%x, _, _, %s) {{{attributes}}}\n}}\n")
            self.convert(model, "-o", written)
            written.write_text(re.sub(r', composed=\[".*"\]', "", written.read_text()))
            self.agrees(written, [expected], x=x)

    def test_resizing_by_weights_that_only_sizes_ask_for(self):
        """A file of a few bytes makes no matrix of gigabytes."""
        model = self.out / "large.dgt"
        model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                         "entry main @main(%x: f32[2, 100000]) -> (%y) {\n"
                         "  const %s: i64[1] = [50000]\n"
                         '  %y = onnx.Resize(%x, _, _, %s) {mode = "linear", antialias = 1, axes = [1]}\n}\n')
        done = dragoman("convert", model, "-o", self.out / "large.relay")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("a resize of axis 1, which takes too many weights", done.stderr)

    def test_sizes_of_run_time(self):
        """An axis that becomes two of unknown sizes, rows of a size that only the weight states,
        steps of an unknown batch that a loop collects, a part without elements."""
        weight = draw(3, 8)
        model, written = self.out / "sizes.dgt", self.out / "sizes.relay"
        body = "graph body(%i: i64[], %c: bool[], %h: f32[n, 3]) -> (%c, %g, %g)"
        model.write_text(f"""dragoman 1 common onnx
opset "" 22

entry main @main(%x: f32[n, t, k]) -> (%y, %last, %steps, %joined) {{
  const %w: f32[3, 8] = {weight.tolist()}
  const %wide: i64[1] = [3]
  const %first: i64[1] = [0]
  const %after: i64[1] = [2]
  const %turns: i64[] = 4
  const %mean: i64[1] = [1]
  const %none: f32[0, 7] = f32[0, 7] []
  %size: i64[2] = onnx.Shape(%x) {{end = 2}}
  %sizes: i64[3] = onnx.Concat(%size, %wide) {{axis = 0}}
  %p = dragoman.Linear(%x, %w)
  %rows: f32[n*t, 3] = onnx.Reshape(%p, %flat)
  const %flat: i64[2] = [-1, 3]
  %square = onnx.Mul(%rows, %rows)
  %y = onnx.Reshape(%square, %sizes) {{allowzero = 1}}
  %h0: f32[n, 3] = onnx.ReduceMean(%y, %mean) {{keepdims = 0}}
  %last, %steps = onnx.Loop(%turns, _, %h0) {{body = {body} {{
    %g: f32[n, 3] = onnx.Tanh(%h)
  }}}}
  %joined = onnx.Concat(%none, %h0) {{axis = 0}}
}}
""")
        self.convert(model, "-o", written)
        for n, t in ((2, 5), (1, 1)):
            x = draw(n, t, 8)
            y = (x @ weight.T) ** 2
            steps = [y.mean(1)]
            while len(steps) < 5:
                steps.append(np.tanh(steps[-1]))
            self.agrees(written, [y, steps[-1], np.stack(steps[1:]), steps[0]], x=x)

    def test_integer_products_of_any_rank(self):
        numbers = np.random.default_rng(3)
        cases = [  # sizes of both operands and of their zero points
            ((4, 3, 5), (5, 2), (), ()), ((4, 3, 5), (4, 5, 2), (), ()), ((2, 1, 3, 5), (4, 5, 2), (1,), ()),
            ((3, 5), (4, 5, 2), (3,), (2,)), ((3, 5), (5, 2), (3,), (2,)), ((5,), (5, 2), (), ()),
            ((4, 3, 5), (5,), (), (1,)), ((2, 3, 5), (2, 5, 2), (2, 3, 1), (2, 1, 2))]
        for sizes in cases:
            with self.subTest(sizes=sizes):
                dtypes = (np.uint8, np.int8, np.uint8, np.int8)
                a, b, p, q = (numbers.integers(np.iinfo(t).min, np.iinfo(t).max + 1, s).astype(t)
                              for t, s in zip(dtypes, sizes))
                model, written = self.out / "product.dgt", self.out / "product.relay"
                inputs = {"a": a, "b": b, "p": p, "q": q}
                short = {np.uint8: "u8", np.int8: "i8"}
                types = ", ".join(f"%{n}: {short[x.dtype.type]}{list(x.shape)}" for n, x in inputs.items())
                model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                                 f"entry main @main({types}) -> (%y) {{\n"
                                 "  %y = onnx.MatMulInteger(%a, %b, %p, %q)\n}\n")
                by_row = p[:, None] if p.ndim == 1 and p.size > 1 else p
                expected = (a.astype(np.int32) - by_row) @ (b.astype(np.int32) - q)
                self.convert(model, "-o", written)
                self.assertIn("MatMulInteger", self.common(written))
                # The calls by themselves, without the remark that says what they compute.
                written.write_text(re.sub(r", composed=\[.*?\]", "", written.read_text()))
                self.agrees(written, [expected], **inputs)


class Refused(RelayCase):
    ONES = np.ones((2, 3), np.float32)
    MAIN = "def @main(%x: Tensor[(2, 3), float32]) {\n"

    def test_elements_of_no_known_type(self):
        model = self.out / "unknown.dgt"
        model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                         "entry main @main(%x: f32[4, 3], %i: i64[2, 3]) -> (%y) {\n"
                         "  %u = onnx:mine.Unknown(%x)\n  %y = onnx.ScatterElements(%x, %u, %u)\n}\n")
        done = dragoman("convert", model, "-o", self.out / "unknown.relay")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("node 'y' (onnx.ScatterElements): Relay cannot express it: "
                      "an element type is not known", done.stderr)

    def test_all_operators_that_are_not_supported_at_once(self):
        self.refused(self.MAIN + "  %0 = nn.bitpack(%x, bits=1);\n  nn.bitserial_dense(%x, %0)\n}\n",
                     4, ":3:8:", "nn.bitpack is not supported",
                     ":4:3:", "nn.bitserial_dense is not supported")

    def test_an_attribute_that_nobody_knows(self):
        self.refused(self.MAIN + "  nn.dense(%x, %x, units=2, sparsity=3)\n}\n", 4, ":3:3:",
                     "attribute sparsity is not supported")

    def test_what_a_common_operator_refuses_has_a_place(self):
        self.refused("""def @main(%x: Tensor[(1, 2, 3, 4), float32], %g: Tensor[(1, 2, 3, 4), float32]) {
  image.grid_sample(%x, %g, method="bi")
}
""", 2, ":3:3:", "'bi'")

    def test_text_that_is_damaged(self):
        for body, place, message in (
                ("  add(%x, %y)\n}", ":3:11:", "%y is not defined"),
                ("  add(%x\n}", ":4:1:", "expected ')'"),
                ("  add(%x, 1..2f)\n}", ":3:11:", "'1..2f' is not a number"),
                ('  cast(%x, dtype="int32)\n}', ":3:18:", "a string does not end"),
                ("  let %a = add(%a, 1f);\n  %a\n}", ":3:7:", "in its own value"),
                ("  meta[relay.Constant][0]\n}", ":3:3:", "no metadata section"),
                ("  %0 = exp(%x);\n  %0 = exp(%x);\n  %0\n}", ":4:3:", "defined twice"),
                ("  /* exp(%x)\n}", ":5:1:", "does not end")):
            with self.subTest(body=body):
                self.refused(self.MAIN + body + "\n", 2, place, message)

    def test_calls_nest_as_deep_as_they_like(self):
        x, depth = draw(2), 10000
        for open_, close in (("negative(", ")"), ("(0f + ", ")"), ("(", ",).0")):
            with self.subTest(open=open_):
                self.computes(open_ * depth + " %x" + close * depth, x, x=x)

    def test_no_depth_of_the_text_exhausts_the_stack(self):
        for open_, close in (("(", ")"), ("exp(", ")"), ("{", "}"), ("-", ""),
                             ("if (True) {", "} else { %x }"), ("fn () {", "}()")):
            with self.subTest(open=open_):
                self.refused(self.MAIN + open_ * 200000 + " %x" + close * 200000 + "\n}\n", 2,
                             "nest too deep")
        self.refused(f"def @main(%x: {'(' * 100000}float32) {{ %x }}\n", 2, "nest too deep")
        self.refused(self.MAIN + f"  full(%x, shape={'[' * 100000}1{']' * 100000})\n}}\n", 2,
                     "nest too deep")
        self.refused(self.MAIN + "if (True) {" * 100 + " %x" + "} else { %x }" * 100 + "\n}\n", 4,
                     "nest over 64 deep")

    def test_many_lets_are_read(self):
        lets = "".join(f"let %a{i} = %x;\n" for i in range(100000))
        done = dragoman("convert", self.write(self.MAIN + lets + "%x\n}\n"), "-o",
                        self.out / "lets.onnx")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_result_of_another_type_than_is_declared(self):
        for declared in ("Tensor[(1, 5), float32]", "Tensor[(1, 4), int32]", "Tensor[(4), float32]"):
            self.refused(f"def @main(%x: Tensor[(1, 4), float32]) -> {declared} {{ nn.relu(%x) }}\n",
                         2, "function @main", "but is f32[1, 4]")
        self.refused("def @f(%x: Tensor[(?, 4), float32]) -> Tensor[(?, 5), float32] { nn.relu(%x) }\n"
                     "def @main(%x: Tensor[(1, 4), float32]) { @f(%x) }\n", 2, ":3:", "@f")

    def test_a_declared_result_may_leave_sizes_open(self):
        self.computes("%x", self.ONES, x=self.ONES)
        model = self.write("def @main(%x: Tensor[(2, 3), float32]) -> (Tensor[(?, 3), float32],) {\n"
                           "  (nn.relu(%x),)\n}\n")
        self.agrees(model, [self.ONES], x=self.ONES)

    def test_a_reference_that_holds_itself(self):
        for write in ("ref_write(%r, %r)", "ref_write(%r, (%r, %r))"):
            self.refused(self.MAIN + f"  let %r = ref(%x);\n  {write};\n  ref_read(%r)\n}}\n", 2,
                         ":4:", "would hold itself")

    def test_recursion_without_a_known_end(self):
        self.refused("def @f(%n: int32) { if (less(%n, 3)) { 0 } else { add(@f(add(%n, -1)), 1) } }\n"
                     "def @main(%n: int32) { @f(%n) }\n", 4, "nest too deep")

    def test_other_files_of_tvm_say_what_to_do(self):
        graph = '{"nodes": [{"op": "null", "name": "x", "inputs": []}], "arg_nodes": [0], "heads": ' \
                '[[0, 0, 0]], "attrs": {}, "node_row_ptr": [0, 1]}'
        self.refused(graph, 4, "the graph of a library that TVM has compiled",
                     "convert the Relay or Relax module that it was made from")
        self.refused("#[version = \"0.0.1\"]\n", 4, "version 0.0.1", "0.0.4 and 0.0.5")

    def test_arrays_that_are_damaged(self):
        weight = draw(3, 3)
        model = self.write("def @main(%x: Tensor[(2, 3), float32], %w: Tensor[(3, 3), float32]) {\n"
                           "  nn.dense(%x, %w, units=3)\n}\n")
        whole = params({"w": weight})
        for cut in range(0, len(whole), 3):
            model.with_suffix(".params").write_bytes(whole[:cut])
            done = dragoman("convert", model, "-o", self.out / "cut.onnx")
            self.assertEqual(done.returncode, 2, (cut, done.stderr))
        for arrays, message in (({"w": draw(2, 2)}, "but %w is declared as f32[3, 3]"),
                                ({"v": weight}, "could be %w")):
            model.with_suffix(".params").write_bytes(params(arrays))
            done = dragoman("convert", model, "-o", self.out / "other.onnx")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
        model.with_suffix(".params").unlink()
        encoded = base64.b64encode(nd_array(weight)).decode()
        text = "def @main(%x: Tensor[(2, 3), float32]) {\n  nn.dense(%x, meta[relay.Constant][0], " \
               "units=3)\n}\n" + metadata([weight])
        self.refused(text.replace(encoded, encoded[:-8]), 2, ":3:16:")
        self.refused(text.replace(encoded, "?"), 2, "not base64")
        self.refused(text.replace('"data": "0"', '"data": "7"'), 2, "array 7")
        self.refused(text[:-40], 2, "is no JSON")

    def test_tuples_within_each_other(self):
        x, deep = draw(2, 3), 9000
        with small_stack():
            self.computes("(" * deep + "%x" + ",)" * deep, x, x=x)
            ways = [f"{{ {'(' * deep}{op}(%x){',)' * deep} }}" for op in ("tanh", "exp")]
            self.computes(f"if (%c) {ways[0]} else {ways[1]}", np.tanh(x), c=np.array(True), x=x)
        # Each holds the one before it twice, so that the last has 2^60 parts.
        begin = "def @main(%c: bool, %x: Tensor[(2, 3), float32]) {\n"
        doubled = ["".join(f"  %{first + i + 1} = (%{first + i}, %{first + i});\n" for i in range(60))
                   for first in (0, 100)]
        tuples = f"  %0 = tanh(%x);\n{doubled[0]}  %100 = exp(%x);\n{doubled[1]}"
        parts = "".join(f"  %{i + 201} = %{i + 200}.0;\n" for i in range(60)) + "  %260\n}\n"
        same = "  %200 = if (%c) { %60 } else { %60 };\n"
        self.agrees(self.write(begin + tuples + same + parts), [np.tanh(x)], c=np.array(True), x=x)
        self.refused(begin + tuples + same.replace("else { %60", "else { %160") + parts, 4,
                     "too many parts where two ways meet")

    def test_cut_anywhere(self):
        for name in ("module", "lists", "loop"):
            text = (MODELS / f"{name}.relay").read_text()
            for cut in range(1, len(text), 17):
                done = dragoman("convert", self.write(HEAD + text[len(HEAD):cut]), "-o",
                                self.out / "cut.onnx")
                self.assertIn(done.returncode, (0, 2, 4), (name, cut, done.stderr))


if __name__ == "__main__":
    unittest.main()
