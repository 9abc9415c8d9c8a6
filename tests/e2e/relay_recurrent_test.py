#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks as importers of Relay wrote them: unrolled cells, recursion over lists, loops.

Every form becomes one operator a layer, which computes what NumPy does.
"""

import unittest

import numpy as np

from relay_case import RelayCase, draw, sigmoid, tensor
from tvm_arrays import metadata

STEPS, INPUTS, HIDDEN = 5, 3, 4
ENGINES = ("interpreter",)

LIST = """type List[A] {
  Cons(A, List[A]),
  Nil,
}

"""


class Weights:
    def __init__(self, inputs=INPUTS, hidden=HIDDEN, gates=4):
        self.w, self.r = draw(gates * hidden, inputs), draw(gates * hidden, hidden)
        self.bias = draw(gates * hidden)

    def constants(self):
        return [self.w, self.r, self.bias]


def lstm_step(weights, x, h, c):
    i, f, g, o = np.split(x @ weights.w.T + h @ weights.r.T + weights.bias, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def lstm(weights, x, h, c):
    rows = []
    for row in x:
        h, c = lstm_step(weights, row, h, c)
        rows.append(h)
    return np.stack(rows), h, c


def gru(weights, x, h):
    rows = []
    for row in x:
        r, z, n = np.split(row @ weights.w.T + weights.bias, 3, axis=-1)
        hr, hz, hn = np.split(h @ weights.r.T, 3, axis=-1)
        r, z = sigmoid(r + hr), sigmoid(z + hz)
        n = np.tanh(n + r * hn)
        h = (1 - z) * n + z * h
        rows.append(h)
    return np.stack(rows), h


def tensor_of(*sizes):
    return f"Tensor[({', '.join(map(str, sizes))}), float32]"


ROW, STATE = tensor_of(1, INPUTS), tensor_of(1, HIDDEN)
# A cell as a function of the module: (h, c) of a row and the states before.
CELL = f"""def @cell(%x: {ROW}, %h: {STATE}, %c: {STATE}) -> ({STATE}, {STATE}) {{
  %0 = nn.dense(%x, meta[relay.Constant][0], units={4 * HIDDEN});
  %1 = nn.dense(%h, meta[relay.Constant][1], units={4 * HIDDEN});
  %2 = add(%0, %1);
  %3 = nn.bias_add(%2, meta[relay.Constant][2]);
  %4 = split(%3, indices_or_sections=4, axis=-1);
  %5 = sigmoid(%4.1);
  %6 = multiply(%5, %c);
  %7 = sigmoid(%4.0);
  %8 = tanh(%4.2);
  %9 = multiply(%7, %8);
  %10 = add(%6, %9);
  %11 = sigmoid(%4.3);
  %12 = tanh(%10);
  %13 = multiply(%11, %12);
  (%13, %10)
}}

"""
HEAD = f"%x: {tensor_of(STEPS, 1, INPUTS)}, %h: {STATE}, %c: {STATE}"


def rows_as_list(steps=STEPS, name="%rows"):
    """`%x` cut into rows, as a list."""
    lines = [f"  %s = split(%x, indices_or_sections={steps}, axis=0);".replace("%s", "%100")]
    before = "Nil"
    for step in reversed(range(steps)):
        lines.append(f"  let %row{step} = squeeze(%100.{step}, axis=[0]);")
        lines.append(f"  let {name}{step} = Cons(%row{step}, {before});")
        before = f"{name}{step}"
    return "\n".join(lines) + "\n", before


class Lstm(RelayCase):
    """LSTM/RNN-T from PyTorch without expression blow-up."""

    def setUp(self):
        super().setUp()
        self.weights = Weights()
        self.x, self.h, self.c = draw(STEPS, 1, INPUTS), draw(1, HIDDEN), draw(1, HIDDEN)

    def is_one_lstm(self, text, which=(0, 1, 2), constants=None, count=1):
        model = self.write(text + metadata(constants or self.weights.constants()))
        results = lstm(self.weights, self.x, self.h, self.c)
        self.agrees(model, [results[i] for i in which], engines=ENGINES, x=self.x, h=self.h,
                    c=self.c)
        common = self.common(model)
        self.assertEqual(common.count("= onnx.LSTM("), count, common)
        self.assertNotIn("onnx.Loop", common)

    def test_unrolled_cells_of_the_torch_importer(self):
        lines, name, state, cell, outputs = [], 0, "%h", "%c", []

        def add(expression):
            nonlocal name
            lines.append(f"  %{name} = {expression};")
            name += 1
            return f"%{name - 1}"

        steps = add(f"split(%x, indices_or_sections={STEPS}, axis=0)")
        for step in range(STEPS):
            row = add(f"squeeze({add(f'{steps}.{step}')}, axis=[0])")
            joined = add(f"concatenate({add(f'({row}, {state})')}, axis=1)")
            weights = add("(meta[relay.Constant][0], meta[relay.Constant][1])")
            weight = add(f"concatenate({weights}, axis=1)")
            dense = add(f"nn.dense({joined}, {weight}, units=None)")
            once = add(f"add({dense}, meta[relay.Constant][2])")
            twice = add(f"add({once}, meta[relay.Constant][3])")
            gates = add(f"split({twice}, indices_or_sections=4, axis=-1)")
            i, f, g, o = [add(f"{gates}.{n}") for n in range(4)]
            i, f, o = (add(f"sigmoid({gate})") for gate in (i, f, o))
            g = add(f"tanh({g})")
            kept, new = add(f"multiply({f}, {cell})"), add(f"multiply({i}, {g})")
            cell = add(f"add({kept}, {new})")
            state = add(f"multiply({o}, {add(f'tanh({cell})')})")
            outputs.append(state)
        stacked = add(f"stack({add('(' + ', '.join(outputs) + ')')}, axis=0)")
        half = self.weights.bias / 2
        self.is_one_lstm(f"def @main({HEAD}) {{\n" + "\n".join(lines) +
                         f"\n  ({stacked}, {state}, {cell})\n}}\n",
                         constants=[self.weights.w, self.weights.r, half, half])

    def test_a_recursive_function_over_a_list(self):
        rows, first = rows_as_list()
        self.is_one_lstm(LIST + CELL + f"""
def @run(%l: List[{ROW}], %h: {STATE}, %c: {STATE}) -> ({STATE}, {STATE}) {{
  match (%l) {{
    Cons(%x: {ROW}, %rest: List[{ROW}]) => {{
      %0 = @cell(%x, %h, %c);
      @run(%rest, %0.0, %0.1)
    }},
    Nil => {{ (%h, %c) }},
  }}
}}

def @main({HEAD}) {{
{rows}  @run({first}, %h, %c)
}}
""", which=(1, 2))

    def test_a_recursive_function_that_gives_a_list(self):
        rows, first = rows_as_list()
        self.is_one_lstm(LIST + CELL + f"""
def @run(%l: List[{ROW}], %h: {STATE}, %c: {STATE}) -> List[{STATE}] {{
  match (%l) {{
    Cons(%x: {ROW}, %rest: List[{ROW}]) => {{
      %0 = @cell(%x, %h, %c);
      %1 = @run(%rest, %0.0, %0.1);
      Cons(%0.0, %1)
    }},
    Nil => {{ Nil }},
  }}
}}

def @stacked(%l: List[{STATE}]) {{
  match? (%l) {{
    Cons(%y, Nil) => {{ expand_dims(%y, axis=0) }},
    Cons(%y, %rest) => {{
      %2 = (expand_dims(%y, axis=0), @stacked(%rest));
      concatenate(%2, axis=0)
    }},
  }}
}}

def @main({HEAD}) {{
{rows}  @stacked(@run({first}, %h, %c))
}}
""", which=(0,))

    def test_folds_of_the_prelude_with_and_without_their_definitions(self):
        rows, first = rows_as_list()
        fold = """def @foldl[A, B](%f: fn (A, B) -> A, %acc: A, %xs: List[B]) -> A {
  match (%xs) {
    Cons(%x: B, %rest: List[B]) => {
      %0 = %f(%acc, %x);
      @foldl(%f, %0, %rest)
    },
    Nil => { %acc },
  }
}

"""
        for definitions in (LIST + fold, ""):
            with self.subTest(definitions=bool(definitions)):
                self.is_one_lstm(definitions + CELL + f"""
def @main({HEAD}) {{
{rows}  let %step = fn (%s: ({STATE}, {STATE}), %x: {ROW}) {{
    %1 = %s.0;
    %2 = %s.1;
    @cell(%x, %1, %2)
  }};
  @foldl(%step, (%h, %c), {first})
}}
""", which=(1, 2))

    def test_a_map_that_carries_states(self):
        rows, first = rows_as_list()
        self.is_one_lstm(CELL + f"""
def @main({HEAD}) {{
{rows}  let %step = fn (%s, %x) {{
    %1 = %s.0;
    %2 = %s.1;
    let %next = @cell(%x, %1, %2);
    (%next, %next.0)
  }};
  let %result = @map_accuml(%step, (%h, %c), {first});
  %10 = %result.1;
  %11 = @rev(%10);
  %12 = @map(fn (%y) {{ expand_dims(%y, axis=0) }}, %11);
  %13 = @foldr1(fn (%a, %b) {{ concatenate((%a, %b), axis=0) }}, %12);
  %13
}}
""", which=(0,))

    def test_a_loop_over_a_tuple_of_states(self):
        for turns in (STEPS, "%n"):
            with self.subTest(turns=turns):
                parameter = ", %n: int32" if turns == "%n" else ""
                text = CELL + f"""
def @main({HEAD}{parameter}) {{
  let %while_loop = fn (%s: (int32, {STATE}, {STATE}, {tensor_of('?', 1, HIDDEN)})) {{
    %0 = %s.0;
    %1 = less(%0, {turns});
    if (%1) {{
      %2 = take(%x, %0, axis=0, mode="wrap");
      %3 = %s.1;
      %4 = %s.2;
      %5 = @cell(%2, %3, %4);
      %6 = %5.0;
      %7 = (%s.3, expand_dims(%6, axis=0));
      %8 = concatenate(%7, axis=0);
      %9 = add(%0, 1);
      %while_loop((%9, %6, %5.1, %8))
    }} else {{
      %s
    }}
  }};
  %20 = %while_loop((0, %h, %c, meta[relay.Constant][3]));
  (%20.3, %20.1, %20.2)
}}
"""
                constants = self.weights.constants() + [np.zeros((0, 1, HIDDEN), np.float32)]
                if turns == STEPS:
                    self.is_one_lstm(text, constants=constants)
                    continue
                model = self.write(text + metadata(constants))
                self.agrees(model, lstm(self.weights, self.x, self.h, self.c), engines=ENGINES,
                            x=self.x, h=self.h, c=self.c, n=np.array(STEPS, np.int32))

    def test_a_sequence_of_any_length_is_a_loop_of_one_cell(self):
        text = CELL + f"""
def @main(%x: {tensor_of('?', 1, INPUTS)}, %h: {STATE}, %c: {STATE}) {{
  %30 = shape_of(%x, dtype="int32");
  %31 = take(%30, 0, axis=0);
  let %while_loop = fn (%i: int32, %h1: {STATE}, %c1: {STATE}, %y: {tensor_of('?', 1, HIDDEN)}) {{
    %0 = less(%i, %31);
    if (%0) {{
      %2 = take(%x, %i, axis=0);
      %5 = @cell(%2, %h1, %c1);
      %6 = %5.0;
      %7 = (%y, expand_dims(%6, axis=0));
      %8 = concatenate(%7, axis=0);
      %9 = add(%i, 1);
      %while_loop(%9, %6, %5.1, %8)
    }} else {{
      (%i, %h1, %c1, %y)
    }}
  }};
  %20 = %while_loop(0, %h, %c, meta[relay.Constant][3]);
  (%20.3, %20.1, %20.2)
}}
"""
        self.is_one_lstm(text, constants=self.weights.constants() +
                         [np.zeros((0, 1, HIDDEN), np.float32)])

    def test_a_long_list(self):
        steps = 400
        self.x = draw(steps, 1, INPUTS)
        rows, first = rows_as_list(steps)
        self.is_one_lstm(CELL + f"""
def @main(%x: {tensor(self.x)}, %h: {STATE}, %c: {STATE}) {{
{rows}  @foldl(fn (%s, %x1) {{ @cell(%x1, %s.0, %s.1) }}, (%h, %c), {first})
}}
""", which=(1, 2))


class Gru(RelayCase):
    def test_unrolled_cells_are_one_operator(self):
        weights = Weights(gates=3)
        x, h = draw(STEPS, 1, INPUTS), draw(1, HIDDEN)
        lines = [f"  %0 = split(%x, indices_or_sections={STEPS}, axis=0);"]
        state, outputs = "%h", []
        for step in range(STEPS):
            lines.append(f"""  let %x{step} = squeeze(%0.{step}, axis=[0]);
  let %i{step} = split(nn.bias_add(nn.dense(%x{step}, meta[relay.Constant][0], units=None), meta[relay.Constant][2]), indices_or_sections=3, axis=1);
  let %j{step} = split(nn.dense({state}, meta[relay.Constant][1], units=None), indices_or_sections=3, axis=1);
  let %r{step} = sigmoid(%i{step}.0 + %j{step}.0);
  let %z{step} = sigmoid(%i{step}.1 + %j{step}.1);
  let %n{step} = tanh(%i{step}.2 + %r{step} * %j{step}.2);
  let %h{step} = (1f - %z{step}) * %n{step} + %z{step} * {state};""")
            state = f"%h{step}"
            outputs.append(state)
        text = (f"def @main(%x: {tensor(x)}, %h: {tensor(h)}) {{\n" + "\n".join(lines) +
                f"\n  (stack(({', '.join(outputs)}), axis=0), {state})\n}}\n")
        model = self.write(text + metadata(weights.constants()))
        self.agrees(model, gru(weights, x, h), engines=ENGINES, x=x, h=h)
        self.assertEqual(self.common(model).count("= onnx.GRU("), 1)


class Transducer(RelayCase):
    """RNN-T: an encoder, a prediction network and a joint network, and greedy decoding with them."""

    CLASSES, EMBEDDED, MOST = 6, 2, 3

    def setUp(self):
        super().setUp()
        self.encoder, self.predictor = Weights(), Weights(inputs=self.EMBEDDED)
        self.embedding = draw(self.CLASSES, self.EMBEDDED)
        self.joint, self.result = draw(7, 2 * HIDDEN), draw(self.CLASSES, 7) * 2
        self.x = draw(STEPS, 1, INPUTS)

    def decode(self):
        """As the reference of RNN-T decodes; class 0 is the blank."""
        zero = np.zeros((1, HIDDEN), np.float32)
        features, _, _ = lstm(self.encoder, self.x, zero, zero)
        labels, last, state = [], 0, (zero, zero)
        for feature in features:
            for _ in range(self.MOST):
                after = lstm_step(self.predictor, self.embedding[[last]], *state)
                both = np.concatenate([feature, after[0]], axis=1)
                k = int((np.maximum(both @ self.joint.T, 0) @ self.result.T).argmax())
                if k == 0:
                    break
                labels.append(k)
                last, state = k, after
        return np.array(labels, np.int32)

    def text(self):
        labels = "Tensor[(?), int32]"
        cell = CELL.replace("@cell", "@predict").replace(ROW, tensor_of(1, self.EMBEDDED))
        for old, new in ((2, 5), (1, 4), (0, 3)):
            cell = cell.replace(f"Constant][{old}]", f"Constant][{new}]")
        cells = []
        state, memory = "meta[relay.Constant][9]", "meta[relay.Constant][9]"
        for step in range(STEPS):
            cells.append(f"""  let %e{step} = @cell(squeeze(%50.{step}, axis=[0]), {state}, {memory});""")
            cells.append(f"  let %f{step} = %e{step}.0;\n  let %m{step} = %e{step}.1;")
            state, memory = f"%f{step}", f"%m{step}"
        features = ", ".join(f"%f{step}" for step in range(STEPS))
        return CELL + cell + f"""
def @main(%x: {tensor(self.x)}) {{
  %50 = split(%x, indices_or_sections={STEPS}, axis=0);
{chr(10).join(cells)}
  let %features = stack(({features}), axis=0);
  let %frames = fn (%t: int32, %l: {labels}, %last: int32, %h: {STATE}, %c: {STATE}) {{
    %0 = less(%t, {STEPS});
    if (%0) {{
      %1 = take(%features, %t, axis=0);
      let %symbols = fn (%go: bool, %n: int32, %l1: {labels}, %last1: int32, %h1: {STATE}, %c1: {STATE}) {{
        %2 = less(%n, {self.MOST});
        %3 = logical_and(%go, %2);
        if (%3) {{
          %4 = expand_dims(%last1, axis=0);
          %5 = take(meta[relay.Constant][6], %4, axis=0);
          %6 = @predict(%5, %h1, %c1);
          %7 = (%1, %6.0);
          %8 = concatenate(%7, axis=1);
          %9 = nn.dense(%8, meta[relay.Constant][7], units=7);
          %10 = nn.relu(%9);
          %11 = nn.dense(%10, meta[relay.Constant][8], units={self.CLASSES});
          %12 = argmax(%11, axis=[1]);
          %13 = equal(%12, 0);
          %14 = squeeze(%13, axis=[0]);
          if (%14) {{
            %symbols(False, %n, %l1, %last1, %h1, %c1)
          }} else {{
            %15 = (%l1, %12);
            %16 = concatenate(%15, axis=0);
            %17 = squeeze(%12, axis=[0]);
            %symbols(True, add(%n, 1), %16, %17, %6.0, %6.1)
          }}
        }} else {{
          (%go, %n, %l1, %last1, %h1, %c1)
        }}
      }};
      %20 = %symbols(True, 0, %l, %last, %h, %c);
      %frames(add(%t, 1), %20.2, %20.3, %20.4, %20.5)
    }} else {{
      (%t, %l, %last, %h, %c)
    }}
  }};
  %30 = %frames(0, meta[relay.Constant][10], 0, meta[relay.Constant][9], meta[relay.Constant][9]);
  %30.1
}}
"""

    def test_greedy_decoding(self):
        self.decodes(self.text(), engines=("interpreter", "native"))

    def test_cells_in_composite_functions(self):
        text = self.text()
        head = f"%c: {STATE}) ->"
        self.assertEqual(text.count(head), 2)
        self.decodes(text.replace(head, f'%c: {STATE}, Composite="library.cell") ->'), ENGINES)

    def decodes(self, text, engines):
        constants = (self.encoder.constants() + self.predictor.constants() +
                     [self.embedding, self.joint, self.result, np.zeros((1, HIDDEN), np.float32),
                      np.zeros(0, np.int32)])
        model = self.write(text + metadata(constants))
        expected = self.decode()
        self.assertGreater(len(expected), 2)
        self.agrees(model, [expected], engines=engines, x=self.x)
        common = self.common(model)
        # One layer of the encoder, and one step of it in the loop over symbols of every frame.
        self.assertEqual(common.count("= onnx.LSTM("), 1 + STEPS, common)
        self.assertEqual(common.count("= onnx.Loop("), STEPS, common)
        self.assertEqual(common.count("= dragoman.Fused("), 0, common)


if __name__ == "__main__":
    unittest.main()
