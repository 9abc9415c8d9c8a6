#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN as exporters and people spell them, drawn as products of independent choices.

Usage: recurrent_spellings.py DIR [--seed S] [--count N] [--steps T] [--family F]

Writes DIR/<family>_<seed>/model.onnx with its ONNX test-data set; the outputs are NumPy's. A
family fixes the choices that make a source recognisable (TF1's BasicLSTMCell, Keras, torch, Relay,
…); all others are free. The same seed writes the same weights and spelling for any number of steps.
"""

import argparse
import dataclasses
import pathlib

import numpy as np
from onnx import numpy_helper

from onnx_graph import GraphWriter
from onnx_simplify import simplify
from random_seeds import first_seed
from recurrent_cells import CellWriter, draw_style
from recurrent_reference import Layer, draw_weights, run

# family -> what it fixes: of the layer, of the cell's style, of the whole.
FAMILIES = {
    "torch_cell": ({"kind": ("lstm", "gru", "rnn"), "reset_after": (True,)},
                   {"product": "sum", "dense": "gemm", "split": "split"}, {}),
    "tf1_basic_lstm": ({"kind": ("lstm",), "forget_bias": (1.0,)},
                       {"product": "concat", "dense": "matmul", "order": "igfo", "split": "split"},
                       {"biases": ("wb",), "time": "unrolled"}),
    "tf1_lstm_cell": ({"kind": ("lstm",), "forget_bias": (1.0, 0.5), "peepholes": (True, False),
                       "projection": (0, 2, 3)},
                      {"product": "concat", "dense": "matmul", "order": "igfo"},
                      {"biases": ("wb",)}),
    "clipped": ({"kind": ("lstm",), "cell_clip": (0.0, 0.15), "output_clip": (0.0, 0.1),
                 "peepholes": (True, False), "projection": (0, 3)}, {}, {}),
    "tf1_gru_cell": ({"kind": ("gru",), "reset_after": (False,), "update_new": (False,)},
                     {"product": "concat", "dense": "matmul"}, {"biases": ("wb",)}),
    "keras_1": ({"kind": ("lstm", "gru", "rnn"), "gate": ("hard_sigmoid", "sigmoid")},
                {"product": "per_gate", "dense": "matmul"}, {"biases": ("wb",)}),
    "keras_2": ({"kind": ("lstm", "gru"), "reset_after": (True,)},
                {"product": "sum", "dense": "matmul", "split": "slice"}, {"batch_first": True}),
    "relay": ({"kind": ("lstm", "gru", "rnn")},
              {"product": "sum", "dense": "gemm", "bias_in": "add", "split": "split_sizes"},
              {"time": "unrolled"}),
    "coupled": ({"kind": ("lstm",), "coupled": (True,)}, {}, {}),
    "activations": ({"activation": ("relu", "softsign", "tanh"),
                     "gate": ("hard_sigmoid", "sigmoid")}, {}, {}),
    "projected": ({"kind": ("lstm",), "projection": (2, 3, 5)}, {}, {}),
    "scan": ({}, {}, {"time": "scan"}),
    "loop": ({}, {}, {"time": "loop"}),
    "numpy": ({}, {"split": "slice", "dense": "matmul"}, {"time": "unrolled"}),
    "free": ({}, {}, {}),
}

LAYER_CHOICES = {
    "kind": ("lstm", "gru", "rnn"),
    "reset_after": (False, True),
    "update_new": (False, True),
    "directions": (("forward",), ("forward",), ("backward",), ("forward", "backward")),
}
CHOICES = {
    "time": ("unrolled", "unrolled", "loop", "scan"),
    "layers": (1, 1, 2),
    "batch_first": (False, True),
    "hoist": (False, False, True),
    "take": ("slice", "gather", "split"),           # how a step's input is taken, unrolled
    "stack": ("unsqueeze", "reshape"),              # how outputs are put together, unrolled
    "initial": ("zeros", "constant", "input", "fill", "folded"),
    "outputs": (("y",), ("last",), ("y", "last")),
    "biases": ((), ("wb",), ("wb", "rb")),
    "before": ("none", "none", "none", "abs"),     # what a step does with its input first
    "behind": ("none", "none", "none", "atan"),     # what it does with its output last
    "mask": ("none", "none", "none", "none", "less", "ended", "tensor"),  # for lengths
    "select": ("where", "numbers", "negated", "change", "fill"),  # how masks choose
    "given": ("zero", "zero", "held"),              # what a step gives beyond the length
    "batch": (1, 2, 5),
    "dynamic_batch": (False, False, True),
    "simplified": (False, False, True),             # as optimisers of files leave it, unrolled
}


@dataclasses.dataclass
class Spelling:
    family: str
    choices: dict
    layers: list    # of Layer
    styles: list    # of dicts, one per layer
    states: list    # initial ones: one list a layer of one dict a direction


def pick(rng, options):
    return options[int(rng.integers(len(options)))]


def draw(family, seed):
    rng = np.random.default_rng(seed)
    of_layer, of_style, of_whole = FAMILIES[family]
    choices = {name: pick(rng, options) for name, options in CHOICES.items()}
    choices.update(of_whole)
    choices["dynamic_batch"] &= choices["initial"] == "input"
    choices["hoist"] &= choices["before"] == "none"
    choices["simplified"] &= choices["time"] == "unrolled" and choices["initial"] != "constant"
    if choices["mask"] != "none":
        choices["mask"] = "tensor" if choices["time"] == "scan" else choices["mask"]
        choices["initial"] = choices["initial"].replace("folded", "zeros")
    drawn = {name: pick(rng, options) for name, options in {**LAYER_CHOICES, **of_layer}.items()}
    spelling = Spelling(family, choices, [], [], [])
    inputs = int(rng.integers(2, 6))
    for _ in range(choices["layers"]):
        layer = Layer(inputs=inputs, hidden=int(rng.integers(3, 7)), **drawn)
        layer.projection *= layer.kind == "lstm"
        draw_weights(layer, rng, choices["biases"])
        style = draw_style(layer, rng, of_style)
        shape = choices["batch"]
        zero = choices["initial"] in ("zeros", "fill", "folded")
        spelling.layers.append(layer)
        spelling.styles.append(style)
        spelling.states.append([
            {s: (rng.uniform(-0.8, 0.8, (shape, layer.size_of(s))) * (not zero)).astype(np.float32)
             for s in layer.states} for _ in layer.directions])
        inputs = layer.h_size * len(layer.directions)
    return spelling


class SequenceWriter:
    """Writes one spelling as a graph over `steps` steps."""

    def __init__(self, spelling, steps):
        self.s, self.steps, self.choices = spelling, steps, spelling.choices
        self.g = GraphWriter()
        self.time_axis = 1 if self.choices["batch_first"] else 0
        self.batch = "N" if self.choices["dynamic_batch"] else self.choices["batch"]
        self.inputs = {}  # data by name
        self.sizes = {}   # of the states of the layer at hand
        self.lengths = self.masks = None

    def sequence_shape(self, features):
        sizes = [self.batch, self.steps] if self.time_axis else [self.steps, self.batch]
        return [*sizes, features]

    def write(self, x, lengths):
        g = self.g
        value = self.input("x", x.swapaxes(0, 1) if self.time_axis else x,
                           self.sequence_shape(self.s.layers[0].inputs))
        self.write_lengths(lengths)
        for number, layer in enumerate(self.s.layers):
            value, lasts = self.write_layer(number, layer, value)
            last_layer = number == len(self.s.layers) - 1
            if last_layer and "y" in self.choices["outputs"]:
                g.output(value, "y")
            if "last" not in self.choices["outputs"]:
                continue
            for direction, state in zip(layer.directions, lasts):
                for name in layer.states:
                    g.output(state[name], f"last_{name}_{number}_{direction}")
        return g.model()

    def input(self, name, data, shape):
        """An input of the graph, and what goes into it."""
        self.inputs[name] = data
        return self.g.input(name, data.dtype, shape)

    def initial_state(self, number, direction, name):
        data = self.s.states[number][direction][name]
        kind = self.choices["initial"]
        if kind == "input":
            return self.input(f"{name}0_{number}_{direction}", data,
                              [self.batch, data.shape[1]])
        if kind == "fill":
            return self.g.op("Expand", self.g.const(0.0), self.g.ints(*data.shape))
        return self.g.const(data)

    def begin(self, number, d):
        """The cell and the initial states of direction `d` of a layer."""
        layer = self.s.layers[number]
        self.sizes = {name: layer.size_of(name) for name in layer.states}
        cell = CellWriter(layer, layer.weights[d], self.s.styles[number], self.choices["biases"])
        return cell, {name: self.initial_state(number, d, name) for name in layer.states}

    def write_layer(self, number, layer, xs):
        outputs, lasts = [], []
        for d, direction in enumerate(layer.directions):
            cell, state = self.begin(number, d)
            hoist = self.choices["hoist"] and cell.style["product"] in ("sum", "per_gate")
            source = cell.hoist(self.g, xs) if hoist else xs
            how = getattr(self, "write_" + self.choices["time"])
            y, state = how(cell, source, state, direction == "backward", hoist)
            outputs.append(y)
            lasts.append(state)
        y = outputs[0] if len(outputs) == 1 else self.g.op("Concat", *outputs, axis=2)
        return y, lasts

    def before(self, g, x):
        """Of a step's input what the cell reads; not of one that was multiplied already."""
        return x if self.choices["before"] == "none" else g.op("Abs", x)

    def behind(self, g, h):
        """Of a step's hidden state what the layer gives out."""
        return h if self.choices["behind"] == "none" else g.op("Atan", h)

    # Masks -------------------------------------------------------------------------------------

    def write_lengths(self, lengths):
        """The input for lengths, and what masks are read from."""
        if self.choices["mask"] == "none":
            return
        self.lengths = self.input("lengths", lengths, [self.batch])
        if self.choices["mask"] == "tensor":
            axis = self.time_axis
            steps = self.g.const(np.arange(self.steps).reshape((1, -1) if axis else (-1, 1)),
                                 np.int64)
            self.masks = self.g.op("Less", steps, self.g.op("Unsqueeze", self.lengths,
                                                            self.g.ints(axis)))

    def masked(self, g, t, old, new):
        """The state to keep and the hidden state to give at step `t`, a value."""
        kind = self.choices["mask"]
        if kind == "none":
            return new, new["h"]
        if kind == "tensor":
            mask = t if self.choices["time"] == "scan" else g.op("Gather", self.masks, t,
                                                                 axis=self.time_axis)
        else:
            mask = g.op("Less" if kind == "less" else "GreaterOrEqual", t, self.lengths)
        mask = g.op("Unsqueeze", mask, g.ints(1))

        def where(fresh, other, size):
            holds, else_ = (other, fresh) if kind == "ended" else (fresh, other)
            return self.select(g, mask, holds, else_, size)

        kept = {name: where(new[name], old[name], self.sizes[name]) for name in new}
        return kept, (kept["h"] if self.choices["given"] == "held" else
                      where(new["h"], None, self.sizes["h"]))

    def select(self, g, mask, holds, else_, size):
        """`holds` where the mask (batch, 1) does, else `else_`, of `size` features; None: zeros."""
        select = self.choices["select"]
        zeros = [1 if self.choices["dynamic_batch"] else self.choices["batch"], size]
        if select == "where" or (select == "fill" and None in (holds, else_)):
            return g.op("Where", mask, *(g.const(np.zeros(zeros)) if x is None else x
                                         for x in (holds, else_)))
        if select == "fill":
            return g.op("Add", g.op("Where", mask, holds, g.const(0.0)),
                        g.op("Where", g.op("Not", mask), else_, g.const(0.0)))
        number = g.op("Cast", mask, to=1)
        if select == "change" and None not in (holds, else_):
            return g.op("Add", else_, g.op("Mul", g.op("Sub", holds, else_), number))
        rest = (g.op("Sub", g.const(1.0), number) if select == "numbers" else
                g.op("Add", g.op("Neg", number), g.const(1.0)))
        terms = [g.op("Mul", factor, x) for factor, x in ((number, holds), (rest, else_))
                 if x is not None]
        return terms[0] if len(terms) == 1 else g.op("Add", *terms)

    # Unrolled ----------------------------------------------------------------------------------

    def steps_of(self, xs):
        g, axis = self.g, self.time_axis
        take = self.choices["take"]
        if take == "split" and self.steps > 1:
            parts = g.op("Split", xs, outputs=self.steps, axis=axis)
            return [g.op("Squeeze", part, g.ints(axis)) for part in parts]
        if take == "gather":
            return [g.op("Gather", xs, g.const(t, np.int64), axis=axis) for t in range(self.steps)]
        return [g.op("Squeeze", g.op("Slice", xs, g.ints(t), g.ints(t + 1), g.ints(axis)),
                     g.ints(axis)) for t in range(self.steps)]

    def write_unrolled(self, cell, xs, state, backwards, hoisted):
        g = self.g
        parts = self.steps_of(xs)
        hs = [None] * self.steps
        order = range(self.steps)[::-1] if backwards else range(self.steps)
        for t in order:
            x = self.before(g, parts[t])
            is_folded = self.choices["initial"] == "folded" and t == order[0]
            new = cell.first_step(g, x, hoisted) if is_folded else cell.step(g, x, state, hoisted)
            state, given = self.masked(g, g.const(t, np.int64), state, new)
            hs[t] = self.behind(g, given)
        return self.stacked(hs, cell.layer.h_size), state

    def stacked(self, hs, size):
        g, axis = self.g, self.time_axis
        if self.choices["stack"] == "reshape" and not self.choices["dynamic_batch"]:
            sizes = self.sequence_shape(size)
            sizes[axis] = 1
            wide = [g.op("Reshape", h, g.ints(*sizes)) for h in hs]
        else:
            wide = [g.op("Unsqueeze", h, g.ints(axis)) for h in hs]
        return g.op("Concat", *wide, axis=axis)

    # Loop --------------------------------------------------------------------------------------

    def write_loop(self, cell, xs, state, backwards, hoisted):
        g, names = self.g, list(state)
        body = GraphWriter(g)
        turn = body.input(g.fresh("turn"), np.int64, [])
        body.output(body.op("Identity", body.input(g.fresh("running"), np.bool_, [])),
                    dtype=np.bool_, shape=[])
        inner = {name: body.input(g.fresh(name), np.float32, [None, cell.layer.size_of(name)])
                 for name in names}
        if backwards:
            turn = body.op("Sub", body.const(self.steps - 1, np.int64), turn)
        x = body.op("Gather", xs, turn, axis=self.time_axis)
        new = cell.step(body, self.before(body, x), inner, hoisted)
        inner, given = self.masked(body, turn, inner, new)
        for name in names:
            body.output(inner[name])
        body.output(body.op("Identity", self.behind(body, given)))
        results = g.op("Loop", g.const(self.steps, np.int64), g.const(True, np.bool_),
                       *state.values(), outputs=len(names) + 1, body=body.graph())
        y = self.reversed(results[-1]) if backwards else results[-1]
        if self.time_axis:
            y = g.op("Transpose", y, perm=[1, 0, 2])
        return y, dict(zip(names, results))

    def reversed(self, y):
        ends = self.g.ints(-1), self.g.ints(np.iinfo(np.int64).min), self.g.ints(0)
        return self.g.op("Slice", y, *ends, self.g.ints(-1))

    # Scan --------------------------------------------------------------------------------------

    def write_scan(self, cell, xs, state, backwards, hoisted):
        g, names = self.g, list(state)
        body = GraphWriter(g)
        inner = {name: body.input(g.fresh(name), np.float32, [None, cell.layer.size_of(name)])
                 for name in names}
        x = body.input(g.fresh("x"), np.float32, None)
        scanned = [xs] + ([self.masks] if self.choices["mask"] != "none" else [])
        mask = body.input(g.fresh("mask"), np.bool_, None) if len(scanned) == 2 else None
        new = cell.step(body, self.before(body, x), inner, hoisted)
        inner, given = self.masked(body, mask, inner, new)
        for name in names:
            body.output(inner[name])
        body.output(body.op("Identity", self.behind(body, given)))
        direction, axis = [int(backwards)], [self.time_axis]
        results = g.op("Scan", *state.values(), *scanned, outputs=len(names) + 1,
                       body=body.graph(), num_scan_inputs=len(scanned),
                       scan_input_axes=axis * len(scanned), scan_output_axes=axis,
                       scan_input_directions=direction * len(scanned),
                       scan_output_directions=direction)
        return results[-1], dict(zip(names, results))


def write(spelling, steps, seed=0):
    """The model, its input data and the outputs of the reference, by name."""
    rng = np.random.default_rng([seed, steps])
    writer = SequenceWriter(spelling, steps)
    x = rng.uniform(-1, 1, (steps, spelling.choices["batch"], spelling.layers[0].inputs))
    x = x.astype(np.float32)
    lengths = rng.integers(0, steps + 1, spelling.choices["batch"])
    model = writer.write(x, lengths)
    lengths = None if spelling.choices["mask"] == "none" else lengths
    outputs, value, choices = {}, x.astype(np.float64), spelling.choices
    for number, (layer, initial) in enumerate(zip(spelling.layers, spelling.states)):
        value = np.abs(value) if choices["before"] == "abs" else value
        value, lasts = run(layer, value, initial, lengths, choices["given"] == "held")
        if choices["behind"] == "atan":
            value = np.arctan(value)
        for direction, state in zip(layer.directions, lasts):
            for name in layer.states:
                outputs[f"last_{name}_{number}_{direction}"] = state[name]
    outputs["y"] = value.swapaxes(0, 1) if writer.time_axis else value
    if choices["simplified"]:
        simplify(model)
    inputs = {info.name: writer.inputs[info.name] for info in model.graph.input}
    wanted = {info.name: outputs[info.name].astype(np.float32) for info in model.graph.output}
    return model, inputs, wanted


def save(folder, model, inputs, outputs):
    data_set = folder / "test_data_set_0"
    data_set.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for kind, data in (("input", inputs), ("output", outputs)):
        for i, (name, value) in enumerate(data.items()):
            tensor = numpy_helper.from_array(np.ascontiguousarray(value), name)
            (data_set / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--family", choices=FAMILIES)
    args = parser.parse_args()
    first = first_seed(args.seed)
    for seed in range(first, first + args.count):
        family = args.family or list(FAMILIES)[seed % len(FAMILIES)]
        save(args.dir / f"{family}_{seed}", *write(draw(family, seed), args.steps, seed))


if __name__ == "__main__":
    main()
