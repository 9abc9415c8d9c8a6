# SPDX-License-Identifier: Apache-2.0
"""Cells of Keras and TensorFlow 1: the nodes of one step, and the same step in NumPy.

A cell has `weights`, by name; `step(g, x, states, weights)` adds nodes and gives the output and the
next states; `turn(x, states)` gives the same arrays. The output is the first of the states.
"""

import numpy as np

from operator_cases import FLOAT, f32, sigmoid


def node(g, op, *inputs, **attributes):
    return g.op(op, *inputs, **FLOAT, **attributes)


def dense(g, x, matrix, bias=None):
    product = node(g, "MatMul", x, matrix)
    return product if bias is None else node(g, "BiasAdd", product, bias)


def split(g, x, count, axis=1):
    name = node(g, "Split", g.const(np.int32(axis)), x, num_split=count)
    return [name] + [f"{name}:{i}" for i in range(1, count)]


def joined(g, *values):
    return node(g, "ConcatV2", *values, g.const(np.int32(1)), N=len(values), Tidx="dt:int32")


def one_minus(g, x):
    return node(g, "Sub", g.const(np.float32(1)), x)


def blend(g, gate, old, new):
    """gate * old + (1 - gate) * new"""
    return node(g, "AddV2", node(g, "Mul", gate, old), node(g, "Mul", one_minus(g, gate), new))


class Cell:
    states = 1

    def __init__(self, features=3, hidden=4):
        self.features, self.hidden = features, hidden
        self.weights = self.draw()

    def run(self, x, states, running=None, zero_output=False):
        """Of x (steps, batch, features): all outputs and the last states. running (steps, batch): which
        states change; the others keep theirs, and give the last output again, or zeros."""
        output, outputs = np.zeros_like(states[0]), []
        for t, row in enumerate(x):
            next_states = self.turn(row, states)
            output = next_states[0] if running is None else np.where(
                running[t][:, None], next_states[0], 0 if zero_output else output)
            states = next_states if running is None else [
                np.where(running[t][:, None], new, old) for new, old in zip(next_states, states)]
            outputs.append(output)
        return np.stack(outputs).astype(np.float32), [s.astype(np.float32) for s in states]


# --- Keras

class KerasLstm(Cell):
    """Gates in the order i, f, c, o; one product for all of them."""
    operator, states = "LSTM", 2

    def draw(self):
        return {"kernel": f32(self.features, 4 * self.hidden),
                "recurrent_kernel": f32(self.hidden, 4 * self.hidden), "bias": f32(4 * self.hidden)}

    def step(self, g, x, states, w):
        h, c = states
        z = node(g, "AddV2", dense(g, x, w["kernel"]), dense(g, h, w["recurrent_kernel"]))
        i, f, candidate, o = split(g, node(g, "BiasAdd", z, w["bias"]), 4)
        return self.combine(g, i, f, candidate, o, c)

    def gate(self, g, x):
        return node(g, "Sigmoid", x)

    def combine(self, g, i, f, candidate, o, c):
        i, f = self.gate(g, i), self.gate(g, f)
        c = node(g, "AddV2", node(g, "Mul", f, c), node(g, "Mul", i, node(g, "Tanh", candidate)))
        h = node(g, "Mul", self.gate(g, o), node(g, "Tanh", c))
        return h, [h, c]

    def turn(self, x, states):
        h, c = states
        w = self.weights
        z = x @ w["kernel"] + h @ w["recurrent_kernel"] + w["bias"]
        i, f, candidate, o = np.split(z, 4, 1)
        c = self.gated(f) * c + self.gated(i) * np.tanh(candidate)
        return [self.gated(o) * np.tanh(c), c]

    gated = staticmethod(sigmoid)


class KerasLstmOfGates(KerasLstm):
    """implementation=1: a product for each gate, and gates that are straight lines."""

    def gate(self, g, x):
        line = node(g, "AddV2", node(g, "Mul", x, g.const(np.float32(0.2))), g.const(np.float32(0.5)))
        return node(g, "ClipByValue", line, g.const(np.float32(0)), g.const(np.float32(1)))

    @staticmethod
    def gated(x):
        return np.clip(x * 0.2 + 0.5, 0, 1)

    def step(self, g, x, states, w):
        h, c = states
        kernels, biases = split(g, w["kernel"], 4), split(g, w["bias"], 4, axis=0)
        gates = [dense(g, x, kernel, bias) for kernel, bias in zip(kernels, biases)]
        recurrent = split_by_slices(g, w["recurrent_kernel"], 4, self.hidden)
        gates = [node(g, "AddV2", gate, dense(g, h, matrix)) for gate, matrix in zip(gates, recurrent)]
        return self.combine(g, *gates, c)


def split_by_slices(g, matrix, count, size):
    """matrix[:, i * size:(i + 1) * size], as Keras writes it."""
    step = g.const(np.array([1, 1], np.int32))
    return [node(g, "StridedSlice", matrix, g.const(np.array([0, i * size], np.int32)),
                 g.const(np.array([0, (i + 1) * size], np.int32)), step, Index="dt:int32",
                 begin_mask=1, end_mask=1) for i in range(count)]


class KerasGru(Cell):
    """reset_after=True: gates z, r, h; two rows of biases."""
    operator = "GRU"

    def draw(self):
        return {"kernel": f32(self.features, 3 * self.hidden),
                "recurrent_kernel": f32(self.hidden, 3 * self.hidden), "bias": f32(2, 3 * self.hidden)}

    def step(self, g, x, states, w):
        h, = states
        biases = node(g, "Unpack", w["bias"], num=2, axis=0)
        x_z, x_r, x_h = split(g, dense(g, x, w["kernel"], biases), 3)
        h_z, h_r, h_h = split(g, dense(g, h, w["recurrent_kernel"], f"{biases}:1"), 3)
        z = node(g, "Sigmoid", node(g, "AddV2", x_z, h_z))
        r = node(g, "Sigmoid", node(g, "AddV2", x_r, h_r))
        candidate = node(g, "Tanh", node(g, "AddV2", x_h, node(g, "Mul", r, h_h)))
        h = blend(g, z, h, candidate)
        return h, [h]

    def turn(self, x, states):
        h, = states
        w, n = self.weights, self.hidden
        a = x @ w["kernel"] + w["bias"][0]
        b = h @ w["recurrent_kernel"] + w["bias"][1]
        z, r = sigmoid(a[:, :n] + b[:, :n]), sigmoid(a[:, n:2 * n] + b[:, n:2 * n])
        return [z * h + (1 - z) * np.tanh(a[:, 2 * n:] + r * b[:, 2 * n:])]


class KerasGruBefore(KerasGru):
    """reset_after=False: the state is reset before its product."""

    def draw(self):
        return super().draw() | {"bias": f32(3 * self.hidden)}

    def step(self, g, x, states, w):
        h, = states
        x_z, x_r, x_h = split(g, dense(g, x, w["kernel"], w["bias"]), 3)
        r_z, r_r, r_h = split_by_slices(g, w["recurrent_kernel"], 3, self.hidden)
        z = node(g, "Sigmoid", node(g, "AddV2", x_z, dense(g, h, r_z)))
        r = node(g, "Sigmoid", node(g, "AddV2", x_r, dense(g, h, r_r)))
        candidate = node(g, "Tanh", node(g, "AddV2", x_h, dense(g, node(g, "Mul", r, h), r_h)))
        h = blend(g, z, h, candidate)
        return h, [h]

    def turn(self, x, states):
        h, = states
        w, n = self.weights, self.hidden
        a, u = x @ w["kernel"] + w["bias"], w["recurrent_kernel"]
        z, r = sigmoid(a[:, :n] + h @ u[:, :n]), sigmoid(a[:, n:2 * n] + h @ u[:, n:2 * n])
        return [z * h + (1 - z) * np.tanh(a[:, 2 * n:] + (r * h) @ u[:, 2 * n:])]


class KerasSimple(Cell):
    operator = "RNN"

    def draw(self):
        return {"kernel": f32(self.features, self.hidden), "bias": f32(self.hidden),
                "recurrent_kernel": f32(self.hidden, self.hidden)}

    def step(self, g, x, states, w):
        h = node(g, "Tanh", node(g, "AddV2", dense(g, x, w["kernel"], w["bias"]),
                                 dense(g, states[0], w["recurrent_kernel"])))
        return h, [h]

    def turn(self, x, states):
        w = self.weights
        return [np.tanh(x @ w["kernel"] + w["bias"] + states[0] @ w["recurrent_kernel"])]


# --- TensorFlow 1

class BasicLstm(Cell):
    """Gates in the order i, candidate, f, o of one product with the input beside the state."""
    operator, states, forget_bias = "LSTM", 2, 1.0

    def draw(self):
        return {"kernel": f32(self.features + self.hidden, 4 * self.hidden),
                "bias": f32(4 * self.hidden)}

    def step(self, g, x, states, w):
        h, c = states
        i, candidate, f, o = split(g, dense(g, joined(g, x, h), w["kernel"], w["bias"]), 4)
        f = node(g, "Sigmoid", node(g, "Add", f, g.const(np.float32(self.forget_bias))))
        kept = node(g, "Mul", c, f)
        c = node(g, "Add", kept, node(g, "Mul", node(g, "Sigmoid", i), node(g, "Tanh", candidate)))
        h = node(g, "Mul", node(g, "Tanh", c), node(g, "Sigmoid", o))
        return h, [h, c]

    def turn(self, x, states):
        h, c = states
        z = np.concatenate([x, h], 1) @ self.weights["kernel"] + self.weights["bias"]
        i, candidate, f, o = np.split(z, 4, 1)
        c = c * sigmoid(f + self.forget_bias) + sigmoid(i) * np.tanh(candidate)
        return [np.tanh(c) * sigmoid(o), c]


class PeepholeLstm(BasicLstm):
    """LSTMCell(use_peepholes=True)."""

    def draw(self):
        return super().draw() | {f"w_{gate}_diag": f32(self.hidden) for gate in "ifo"}

    def step(self, g, x, states, w):
        h, c = states
        i, candidate, f, o = split(g, dense(g, joined(g, x, h), w["kernel"], w["bias"]), 4)
        f = node(g, "Add", f, g.const(np.float32(self.forget_bias)))
        f = node(g, "Sigmoid", node(g, "Add", f, node(g, "Mul", w["w_f_diag"], c)))
        i = node(g, "Sigmoid", node(g, "Add", i, node(g, "Mul", w["w_i_diag"], c)))
        c = node(g, "Add", node(g, "Mul", f, c), node(g, "Mul", i, node(g, "Tanh", candidate)))
        o = node(g, "Sigmoid", node(g, "Add", o, node(g, "Mul", w["w_o_diag"], c)))
        h = node(g, "Mul", o, node(g, "Tanh", c))
        return h, [h, c]

    def turn(self, x, states):
        h, c = states
        w = self.weights
        i, candidate, f, o = np.split(np.concatenate([x, h], 1) @ w["kernel"] + w["bias"], 4, 1)
        f = sigmoid(f + self.forget_bias + w["w_f_diag"] * c)
        c = f * c + sigmoid(i + w["w_i_diag"] * c) * np.tanh(candidate)
        return [sigmoid(o + w["w_o_diag"] * c) * np.tanh(c), c]


class BlockLstmCell(BasicLstm):
    """LSTMBlockCell: the same in one node."""

    def step(self, g, x, states, w):
        h, c = states
        none = g.const(np.zeros(self.hidden, np.float32))
        cell = node(g, "LSTMBlockCell", x, c, h, w["kernel"], none, none, none, w["bias"],
                    forget_bias=self.forget_bias, cell_clip=-1.0, use_peephole=False)
        return f"{cell}:6", [f"{cell}:6", f"{cell}:1"]


class BasicGru(Cell):
    """GRUCell: gates r, u; the state is reset before its product."""
    operator = "GRU"

    def draw(self):
        n = self.hidden
        return {"gates/kernel": f32(self.features + n, 2 * n), "gates/bias": f32(2 * n),
                "candidate/kernel": f32(self.features + n, n), "candidate/bias": f32(n)}

    def step(self, g, x, states, w):
        h, = states
        both = dense(g, joined(g, x, h), w["gates/kernel"], w["gates/bias"])
        r, u = split(g, node(g, "Sigmoid", both), 2)
        candidate = node(g, "Tanh", dense(g, joined(g, x, node(g, "Mul", r, h)), w["candidate/kernel"],
                                          w["candidate/bias"]))
        h = blend(g, u, h, candidate)
        return h, [h]

    def turn(self, x, states):
        h, = states
        w = self.weights
        both = np.concatenate([x, h], 1) @ w["gates/kernel"] + w["gates/bias"]
        r, u = np.split(sigmoid(both), 2, 1)
        candidate = np.concatenate([x, r * h], 1) @ w["candidate/kernel"] + w["candidate/bias"]
        return [u * h + (1 - u) * np.tanh(candidate)]


class GruBlockCell(BasicGru):
    def step(self, g, x, states, w):
        cell = node(g, "GRUBlockCell", x, *states, w["gates/kernel"], w["candidate/kernel"],
                    w["gates/bias"], w["candidate/bias"])
        return f"{cell}:3", [f"{cell}:3"]


class BasicRnn(Cell):
    operator = "RNN"

    def draw(self):
        return {"kernel": f32(self.features + self.hidden, self.hidden), "bias": f32(self.hidden)}

    def step(self, g, x, states, w):
        h = node(g, "Tanh", dense(g, joined(g, x, *states), w["kernel"], w["bias"]))
        return h, [h]

    def turn(self, x, states):
        both = np.concatenate([x, states[0]], 1) @ self.weights["kernel"] + self.weights["bias"]
        return [np.tanh(both)]
