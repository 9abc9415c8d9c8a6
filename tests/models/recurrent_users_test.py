#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recurrent models that users brought up, each by name.

Usage: recurrent_users_test.py [NAME...]

Each case writes a model, converts it with `dragoman` ($DRAGOMAN_BINARY) and checks what is in it
and the outputs, which NumPy computed.
"""

import unittest

import numpy as np
import onnx

import recurrent_reference as reference
import recurrent_spellings as spellings
from command_case import CommandCase
from onnx_graph import GraphWriter
from recurrent_cells import CellWriter, draw_style
from recurrent_reference import Layer, draw_weights
from recurrent_spellings_test import (SEQUENCE, census, check_numbers, convert, dragoman_convert,
                                      verify)

BATCH, BIASES = 2, ("wb", "rb")


def make_layer(kind, inputs, hidden, rng, **options):
    layer = Layer(kind, inputs, hidden, ("forward",), **options)
    draw_weights(layer, rng)
    return layer


def zeros(layer):
    return {name: np.zeros((BATCH, layer.size_of(name)), np.float32) for name in layer.states}


def uniform(rng, *shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


class Users(CommandCase):
    def fused_census(self, model, inputs, outputs, name="model"):
        """Converts, checks the numbers, and counts operators."""
        place = self.out / name
        spellings.save(place, model, inputs, outputs)
        self.assertEqual(convert(place / "model.onnx", place / "fused.onnx"), "")
        self.assertEqual(check_numbers(place / "fused.onnx", place, inputs, outputs), [])
        return census(onnx.load(place / "fused.onnx"))

    def sequence_nodes(self, counts):
        return sum(counts[name] for name in SEQUENCE)

    # A transducer: two layers over frames, one over labels, joined for every pair. Unrolled.
    def test_rnn_transducer_has_three_recurrent_nodes(self):
        counts = [self.fused_census(*self.transducer(steps), f"transducer_{steps}")
                  for steps in (8, 32)]
        self.assertEqual(self.sequence_nodes(counts[0]), 3)
        self.assertEqual(counts[0], counts[1])

    def transducer(self, steps):
        rng = np.random.default_rng(11)
        layers = [make_layer("lstm", 5, 6, rng), make_layer("lstm", 6, 6, rng),
                  make_layer("lstm", 4, 6, rng)]
        frames, labels = uniform(rng, steps, BATCH, 5), uniform(rng, steps // 2, BATCH, 4)
        g = GraphWriter()
        g.input("frames", np.float32, frames.shape)
        g.input("labels", np.float32, labels.shape)
        ends, values = [], []
        parts = (("frames", frames, layers[:2]), ("labels", labels, layers[2:]))
        for source, data, chosen in parts:
            value, xs = data.astype(np.float64), source
            for layer in chosen:
                xs = self.unrolled(g, layer, xs, len(data), rng)
                value = reference.run(layer, value, [zeros(layer)])[0]
            ends.append(xs)
            values.append(value)
        joint = g.op("Tanh", g.op("Add", g.op("Unsqueeze", ends[0], g.ints(1)),
                                  g.op("Unsqueeze", ends[1], g.ints(0))))
        g.output(g.op("Identity", joint), "joint")
        wanted = np.tanh(values[0][:, None] + values[1][None]).astype(np.float32)
        return g.model(), {"frames": frames, "labels": labels}, {"joint": wanted}

    def unrolled(self, g, layer, xs, steps, rng):
        cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng), BIASES)
        state = {name: g.const(value) for name, value in zeros(layer).items()}
        hs = []
        for t in range(steps):
            state = cell.step(g, g.op("Gather", xs, g.const(t, np.int64), axis=0), state)
            hs.append(g.op("Unsqueeze", state["h"], g.ints(0)))
        return g.op("Concat", *hs, axis=0)

    # Relay's fuser splits this at `split` (apache/tvm#2890).
    def test_dense_split_gates_is_one_function(self):
        rng = np.random.default_rng(3)
        g = GraphWriter()
        weight, x, h = uniform(rng, 12, 3), uniform(rng, BATCH, 3), uniform(rng, BATCH, 4)
        g.input("x", np.float32, x.shape)
        g.input("h", np.float32, h.shape)
        p, q, r = g.op("Split", g.op("Gemm", "x", g.const(weight), transB=1), axis=1, outputs=3)
        gate = g.op("Sigmoid", p)
        new = g.op("Mul", g.op("Tanh", q), g.op("Relu", r))
        g.output(g.op("Add", g.op("Mul", gate, "h"), new), "y")
        place = self.out / "gates"
        spellings.save(place, g.model(), {"x": x, "h": h}, {})
        self.assertEqual(convert(place / "model.onnx", place / "gates.py"), "")
        text = (place / "gates.py").read_text()
        self.assertEqual(text.count("private=True"), 1)
        main = text[:text.index("private=True")]
        self.assertIn("cls.fused", main)
        for operator in ("R.matmul", "R.split", "R.sigmoid", "R.tanh", "R.add"):
            self.assertNotIn(operator, main)

    # The last states go out and come in again with the next call.
    def test_stateful_lstm_keeps_its_states(self):
        rng = np.random.default_rng(5)
        layer = make_layer("lstm", 3, 4, rng)
        x, h, c = (uniform(rng, *shape) for shape in ((6, BATCH, 3), (BATCH, 4), (BATCH, 4)))
        g = GraphWriter()
        for name, value in (("x", x), ("h", h), ("c", c)):
            g.input(name, np.float32, value.shape)
        cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng), BIASES)
        state = {"h": "h", "c": "c"}
        for t in range(len(x)):
            state = cell.step(g, g.op("Gather", "x", g.const(t, np.int64), axis=0), state)
        g.output(state["h"], "next_h")
        g.output(state["c"], "next_c")
        _, (last,) = reference.run(layer, x.astype(np.float64), [{"h": h, "c": c}])
        wanted = {f"next_{name}": last[name].astype(np.float32) for name in "hc"}
        counts = self.fused_census(g.model(), {"x": x, "h": h, "c": c}, wanted)
        self.assertEqual(self.sequence_nodes(counts), 1)

    # for t in range(x.shape[0]): h, c = cell(x[t], (h, c))
    def test_scripted_cell_in_a_loop_over_a_run_time_length(self):
        rng = np.random.default_rng(9)
        layer = make_layer("lstm", 3, 4, rng)
        x = uniform(rng, 7, BATCH, 3)
        g = GraphWriter()
        g.input("x", np.float32, ["T", BATCH, 3])
        steps = g.op("Gather", g.op("Shape", "x"), g.const(0, np.int64), axis=0)
        body = GraphWriter(g)
        turn = body.input("turn", np.int64, [])
        body.output(body.op("Identity", body.input("running", np.bool_, [])), dtype=np.bool_)
        state = {name: body.input(name + "_in", np.float32, [BATCH, 4]) for name in "hc"}
        cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng), BIASES)
        state = cell.step(body, body.op("Gather", "x", turn, axis=0), state)
        for name in "hch":
            body.output(body.op("Identity", state[name]))
        start = g.const(np.zeros((BATCH, 4)))
        _, _, y = g.op("Loop", steps, g.const(True, np.bool_), start, start, outputs=3,
                       body=body.graph())
        g.output(y, "y")
        wanted = reference.run(layer, x.astype(np.float64), [zeros(layer)])[0].astype(np.float32)
        counts = self.fused_census(g.model(), {"x": x}, {"y": wanted})
        self.assertEqual(self.sequence_nodes(counts), 1)
        self.assertEqual(counts["Loop"], 0)

    # ONNX's operator gives the last cell state only.
    def test_cell_states_of_all_steps_are_those_of_a_second_operator(self):
        rng = np.random.default_rng(23)
        layer = make_layer("lstm", 3, 4, rng, peepholes=True)
        x, h, c = (uniform(rng, *shape) for shape in ((7, BATCH, 3), (BATCH, 4), (BATCH, 4)))
        state, wanted = (h, c), {"y": [], "states": []}
        for step in x:
            state = reference.step(layer, layer.weights[0], step, *state)
            wanted["y"].append(state[0])
            wanted["states"].append(state[1])
        wanted = {name: np.stack(values).astype(np.float32) for name, values in wanted.items()}
        for write in (self.unrolled_with_cell_states, self.scan_with_cell_states):
            with self.subTest(write.__name__):
                cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng), BIASES)
                g = GraphWriter()
                for name, value in (("x", x), ("h", h), ("c", c)):
                    g.input(name, np.float32, value.shape)
                for name, value in zip(wanted, write(g, cell, len(x))):
                    g.output(value, name)
                counts = self.fused_census(g.model(), {"x": x, "h": h, "c": c}, wanted,
                                           write.__name__)
                self.assertEqual((self.sequence_nodes(counts), counts["Scan"]), (2, 0))

    def unrolled_with_cell_states(self, g, cell, steps):
        state, given = {"h": "h", "c": "c"}, {"h": [], "c": []}
        for t in range(steps):
            state = cell.step(g, g.op("Gather", "x", g.const(t, np.int64), axis=0), state)
            for name, values in given.items():
                values.append(g.op("Unsqueeze", state[name], g.ints(0)))
        return [g.op("Concat", *values, axis=0) for values in given.values()]

    def scan_with_cell_states(self, g, cell, steps):
        body = GraphWriter(g)
        state = {name: body.input(name + "_in", np.float32, [BATCH, 4]) for name in "hc"}
        state = cell.step(body, body.input("step", np.float32, [BATCH, 3]), state)
        for name in "hchc":
            body.output(body.op("Identity", state[name]))
        return g.op("Scan", "h", "c", "x", outputs=4, body=body.graph(), num_scan_inputs=1)[2:]

    # A body that calls an operator for one step.
    def test_loop_around_an_operator_of_one_step(self):
        rng = np.random.default_rng(13)
        layer = make_layer("lstm", 3, 4, rng)
        x = uniform(rng, 7, BATCH, 3)
        for kind in ("Loop", "Scan"):
            with self.subTest(kind):
                model = self.loop_around_operator(kind, layer)
                wanted, (last,) = reference.run(layer, x.astype(np.float64), [zeros(layer)])
                counts = self.fused_census(model, {"x": x}, {
                    "y": wanted.astype(np.float32), "last": last["c"].astype(np.float32)}, kind)
                self.assertEqual(self.sequence_nodes(counts), 1)
                self.assertEqual(counts[kind], 0)

    def loop_around_operator(self, kind, layer):
        g = GraphWriter()
        g.input("x", np.float32, ["T", BATCH, 3])
        weights = layer.weights[0]
        operands = [np.stack([weights[gate][name] for gate in "iofg"])
                    for name in ("W", "R", "wb", "rb")]
        w, r = (g.const(part.reshape(1, 16, -1)) for part in operands[:2])
        b = g.const(np.concatenate([part.reshape(-1) for part in operands[2:]])[None])
        body = GraphWriter(g)
        if kind == "Loop":
            turn = body.input("turn", np.int64, [])
            body.output(body.op("Identity", body.input("running", np.bool_, [])), dtype=np.bool_)
        state = [body.input(name, np.float32, [1, BATCH, 4]) for name in ("h_in", "c_in")]
        if kind == "Loop":
            step = body.op("Gather", "x", body.op("Reshape", turn, body.ints(1)), axis=0)
        else:
            step = body.op("Unsqueeze", body.input("step", np.float32, [BATCH, 3]), body.ints(0))
        y, h, c = body.op("LSTM", step, w, r, b, "", *state, outputs=3, hidden_size=4)
        for value in (h, c, body.op("Squeeze", y, body.ints(0, 1))):
            body.output(value)
        start = g.const(np.zeros((1, BATCH, 4)))
        if kind == "Loop":
            steps = g.op("Gather", g.op("Shape", "x"), g.const(0, np.int64), axis=0)
            results = g.op("Loop", steps, g.const(True, np.bool_), start, start, outputs=3,
                           body=body.graph())
        else:
            results = g.op("Scan", start, start, "x", outputs=3, body=body.graph(),
                           num_scan_inputs=1)
        g.output(results[2], "y")
        g.output(g.op("Squeeze", results[1], g.ints(0)), "last")
        return g.model()

    # torch.flip before and after one of two layers, as hand-written bidirectional models have it.
    def test_reversed_sequences_become_one_bidirectional_node(self):
        rng = np.random.default_rng(5)
        layer = Layer("gru", 3, 4, ("forward", "backward"), reset_after=True)
        draw_weights(layer, rng)
        x = uniform(rng, 8, BATCH, 3)
        g = GraphWriter()
        g.input("x", np.float32, x.shape)
        ends = g.ints(-1), g.ints(np.iinfo(np.int64).min), g.ints(0), g.ints(-1)
        ys = []
        for direction, weights in zip(layer.directions, layer.weights):
            flips = direction == "backward"
            cell = CellWriter(layer, weights, draw_style(layer, rng), BIASES)
            steps = g.op("Slice", "x", *ends) if flips else "x"
            state, given = {"h": g.const(np.zeros((BATCH, 4)))}, []
            for t in range(len(x)):
                state = cell.step(g, g.op("Gather", steps, g.const(t, np.int64), axis=0), state)
                given.append(g.op("Unsqueeze", state["h"], g.ints(0)))
            y = g.op("Concat", *given, axis=0)
            ys.append(g.op("Slice", y, *ends) if flips else y)
        g.output(g.op("Concat", *ys, axis=2), "y")
        initial = [{"h": np.zeros((BATCH, 4))}] * 2
        wanted = reference.run(layer, x, initial)[0].astype(np.float32)
        counts = self.fused_census(g.model(), {"x": x}, {"y": wanted})
        self.assertEqual((counts["GRU"], self.sequence_nodes(counts)), (1, 1))

    # As bidirectional_dynamic_rnn of TensorFlow 1: each sequence is reversed as far as it goes.
    def test_sequences_reversed_within_lengths_become_one_bidirectional_node(self):
        rng = np.random.default_rng(21)
        layer = Layer("gru", 3, 4, ("forward", "backward"), reset_after=True)
        draw_weights(layer, rng)
        x, lengths = uniform(rng, BATCH, 6, 3), np.array([6, 2])
        g = GraphWriter()
        g.input("x", np.float32, x.shape)
        g.input("lengths", np.int64, lengths.shape)
        limits, zero = g.op("Unsqueeze", "lengths", g.ints(1)), g.const(np.zeros((BATCH, 4)))
        ys = []
        for direction, weights in zip(layer.directions, layer.weights):
            def turned(value):
                if direction == "forward":
                    return value
                return g.op("ReverseSequence", value, "lengths", batch_axis=0, time_axis=1)
            cell = CellWriter(layer, weights, draw_style(layer, rng), BIASES)
            steps, h, given = turned("x"), zero, []
            for t in range(x.shape[1]):
                step = g.op("Gather", steps, g.const(t, np.int64), axis=1)
                new = cell.step(g, step, {"h": h})["h"]
                goes_on = g.op("Less", g.const(t, np.int64), limits)
                h = g.op("Where", goes_on, new, h)
                given.append(g.op("Unsqueeze", g.op("Where", goes_on, new, zero), g.ints(1)))
            ys.append(turned(g.op("Concat", *given, axis=1)))
            g.output(g.op("Identity", h), f"last_{direction}")
        g.output(g.op("Concat", *ys, axis=2), "y")
        initial = [{"h": np.zeros((BATCH, 4))}] * 2
        y, lasts = reference.run(layer, x.swapaxes(0, 1), initial, lengths)
        wanted = {f"last_{direction}": last["h"].astype(np.float32)
                  for direction, last in zip(layer.directions, lasts)}
        wanted["y"] = y.swapaxes(0, 1).astype(np.float32)
        counts = self.fused_census(g.model(), {"x": x, "lengths": lengths}, wanted)
        self.assertEqual((counts["GRU"], self.sequence_nodes(counts)), (1, 1))
        self.assertEqual(counts["ReverseSequence"], 0)

    # Their gates see neighbours in space, which no operator has: one loop around one group.
    def test_convolutional_cells_are_one_scan_around_one_group(self):
        for step, products in ((self.convolutional_lstm, 1), (self.convolutional_gru, 2),
                               (self.convolutional_gru_gate_by_gate, 3)):
            counts = []
            for steps in (6, 20):
                model, inputs, outputs = self.convolutional(step, steps)
                place = self.out / f"{step.__name__}_{steps}"
                spellings.save(place, model, inputs, outputs)
                self.assertEqual(convert(place / "model.onnx", place / "rolled.onnx"), "")
                self.assertEqual(verify(place / "rolled.onnx", place), "")
                counts.append(census(onnx.load(place / "rolled.onnx")))
            self.assertEqual([counts[0][name] for name in ("Scan", "Conv")], [1, products])
            self.assertEqual(counts[0], counts[1])

    def convolutional(self, step, steps):
        rng = np.random.default_rng(19)
        x, kernel, bias = uniform(rng, steps, BATCH, 3, 5), uniform(rng, 16, 7, 3), uniform(rng, 16)
        g = GraphWriter()
        g.input("x", np.float32, x.shape)
        state, ys = {name: g.const(np.zeros((BATCH, 4, 5))) for name in "hc"}, []
        value, wanted = {name: np.zeros((BATCH, 4, 5)) for name in "hc"}, []
        for t in range(steps):
            read = g.op("Gather", "x", g.const(t, np.int64), axis=0)
            state, value = step(g, kernel, bias, (read, x[t]), state, value)
            ys.append(g.op("Unsqueeze", state["h"], g.ints(0)))
            wanted.append(value["h"])
        g.output(g.op("Concat", *ys, axis=0), "y")
        return g.model(), {"x": x}, {"y": np.stack(wanted).astype(np.float32)}

    def convolve(self, g, kernel, bias, names, values):
        """The convolution of what is put together of both, as a node and as numbers."""
        node = g.op("Conv", g.op("Concat", *names, axis=1), g.const(kernel), g.const(bias),
                    kernel_shape=[3], pads=[1, 1])
        read = np.pad(np.concatenate(values, 1), ((0, 0), (0, 0), (1, 1)))
        return node, bias[:, None] + sum(
            np.einsum("oi,bit->bot", kernel[:, :, k], read[:, :, k:k + 5]) for k in range(3))

    def convolutional_lstm(self, g, kernel, bias, x, state, value):
        sums, numbers = self.convolve(g, kernel, bias, (x[0], state["h"]), (x[1], value["h"]))
        i, f, o, n = g.op("Split", sums, axis=1, outputs=4)
        c = g.op("Add", g.op("Mul", g.op("Sigmoid", f), state["c"]),
                 g.op("Mul", g.op("Sigmoid", i), g.op("Tanh", n)))
        h = g.op("Mul", g.op("Sigmoid", o), g.op("Tanh", c))
        i, f, o, n = np.split(numbers, 4, 1)
        of_c = reference.sigmoid(f) * value["c"] + reference.sigmoid(i) * np.tanh(n)
        return {"h": h, "c": c}, {"h": reference.sigmoid(o) * np.tanh(of_c), "c": of_c}

    def convolutional_gru(self, g, kernel, bias, x, state, value):
        sums, numbers = self.convolve(g, kernel[:8], bias[:8], (x[0], state["h"]),
                                      (x[1], value["h"]))
        gates = g.op("Split", g.op("Sigmoid", sums), axis=1, outputs=2)
        return self.reset_and_update(g, kernel, bias, x, state, value, gates,
                                     np.split(reference.sigmoid(numbers), 2, 1))

    def convolutional_gru_gate_by_gate(self, g, kernel, bias, x, state, value):
        gates, of_gates = [], []
        for part in (slice(0, 4), slice(4, 8)):
            total, numbers = self.convolve(g, kernel[part], bias[part], (x[0], state["h"]),
                                           (x[1], value["h"]))
            gates.append(g.op("Sigmoid", total))
            of_gates.append(reference.sigmoid(numbers))
        return self.reset_and_update(g, kernel, bias, x, state, value, gates, of_gates)

    def reset_and_update(self, g, kernel, bias, x, state, value, gates, of_gates):
        """The rest of a GRU's step, from its gates r and z as nodes and as numbers."""
        (r, z), (of_r, of_z), h, of_h = gates, of_gates, state["h"], value["h"]
        new, numbers = self.convolve(g, kernel[8:12], bias[8:12], (x[0], g.op("Mul", r, h)),
                                     (x[1], of_r * of_h))
        kept = g.op("Mul", g.op("Sub", g.const(1.0), z), h)
        h = g.op("Add", kept, g.op("Mul", z, g.op("Tanh", new)))
        return {"h": h}, {"h": (1 - of_z) * of_h + of_z * np.tanh(numbers)}

    # Bounds that are not [-b, b] no operator has: that stays a loop, and is told.
    def test_hidden_states_with_other_bounds_become_one_scan(self):
        counts = [self.fused_census(*self.clipped(steps), str(steps)) for steps in (6, 20)]
        self.assertEqual(self.sequence_nodes(counts[0]), 0)
        self.assertEqual(counts[0]["Scan"], 1)
        self.assertEqual(counts[0], counts[1])
        place = self.out / "6"
        explained = dragoman_convert(place / "model.onnx", place / "explained.onnx", "--explain")
        self.assertIn("6 steps of LSTM are not fused, since their hidden state is clipped",
                      explained.stderr)

    def clipped(self, steps):
        rng = np.random.default_rng(17)
        x, kernel = uniform(rng, steps, BATCH, 3), uniform(rng, 7, 16)
        g = GraphWriter()
        g.input("x", np.float32, x.shape)
        c, h = g.const(np.zeros((BATCH, 4))), g.const(np.zeros((BATCH, 4)))
        values, ys, wanted = [np.zeros((BATCH, 4)), np.zeros((BATCH, 4))], [], []
        low, high = g.const(-0.2), g.const(0.3)
        for t in range(steps):
            read = g.op("Concat", g.op("Gather", "x", g.const(t, np.int64), axis=0), h, axis=1)
            i, n, f, o = g.op("Split", g.op("MatMul", read, g.const(kernel)), axis=1, outputs=4)
            c = g.op("Add", g.op("Mul", g.op("Sigmoid", f), c),
                     g.op("Mul", g.op("Sigmoid", i), g.op("Tanh", n)))
            h = g.op("Mul", g.op("Sigmoid", o), g.op("Tanh", c))
            h = g.op("Clip", h, low, high)
            ys.append(g.op("Unsqueeze", h, g.ints(0)))
            i, n, f, o = np.split(np.concatenate([x[t], values[1]], 1) @ kernel, 4, 1)
            values[0] = (reference.sigmoid(f) * values[0] + reference.sigmoid(i) * np.tanh(n))
            values[1] = np.clip(reference.sigmoid(o) * np.tanh(values[0]), -0.2, 0.3)
            wanted.append(values[1])
        g.output(g.op("Concat", *ys, axis=0), "y")
        return g.model(), {"x": x}, {"y": np.stack(wanted).astype(np.float32)}


if __name__ == "__main__":
    unittest.main()
