# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN in NumPy (float64), from weights that are kept gate by gate.

A layer's weights are a list of one dict a direction: gate -> W (H, I), R (H, P), wb (H), rb (H);
and "peephole" -> gate -> (H), "projection" (P, H) where the layer has them. P, the size of h, is H
where it has not.
"""

import dataclasses

import numpy as np

GATES = {"lstm": "ifgo", "gru": "zrn", "rnn": "n"}


@dataclasses.dataclass
class Layer:
    kind: str
    inputs: int
    hidden: int
    directions: tuple  # of "forward", "backward"
    peepholes: bool = False
    coupled: bool = False       # f = 1 - i
    projection: int = 0         # size of h; 0: none
    reset_after: bool = False   # GRU: the reset gate scales the product
    update_new: bool = False    # GRU: z is the share of the new value, not of the old state
    forget_bias: float = 0.0    # added to the forget gate's bias
    cell_clip: float = 0.0      # bound of the new cell state, before it is read
    output_clip: float = 0.0    # bound of h, after any projection
    gate: str = "sigmoid"
    activation: str = "tanh"
    weights: list = dataclasses.field(default_factory=list)

    @property
    def gates(self):
        return GATES[self.kind].replace("f" if self.coupled else "-", "")

    @property
    def h_size(self):
        return self.projection or self.hidden

    @property
    def states(self):
        return ("h", "c") if self.kind == "lstm" else ("h",)

    def size_of(self, state):
        return self.h_size if state == "h" else self.hidden


def draw_weights(layer, rng, biases=("wb", "rb")):
    """Weights so that no gate saturates and each of them counts; other biases are zero."""
    def uniform(*shape):
        return rng.uniform(-0.6, 0.6, shape).astype(np.float32)

    def draw_gate():
        weights = {"W": uniform(layer.hidden, layer.inputs),
                   "R": uniform(layer.hidden, layer.h_size)}
        for name in ("wb", "rb"):
            weights[name] = uniform(layer.hidden) * (name in biases)
        return weights

    for _ in layer.directions:
        weights = {gate: draw_gate() for gate in layer.gates}
        if layer.peepholes:
            weights["peephole"] = {g: uniform(layer.hidden) for g in layer.gates if g != "g"}
        if layer.projection:
            weights["projection"] = uniform(layer.projection, layer.hidden)
        layer.weights.append(weights)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "sigmoid": sigmoid,
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "softsign": lambda x: x / (1 + np.abs(x)),
}


def bounded(x, bound):
    return np.clip(x, -bound, bound) if bound else x


def step(layer, weights, x, h, c):
    gate, activation = FUNCTIONS[layer.gate], FUNCTIONS[layer.activation]

    def pre(name):
        w = weights[name]
        return x @ w["W"].T + h @ w["R"].T + w["wb"] + w["rb"]

    def peephole(name, state):
        return weights["peephole"][name] * state if layer.peepholes else 0

    if layer.kind == "rnn":
        return activation(pre("n")), None
    if layer.kind == "gru":
        z, r, w = gate(pre("z")), gate(pre("r")), weights["n"]
        if layer.reset_after:
            n = x @ w["W"].T + w["wb"] + r * (h @ w["R"].T + w["rb"])
        else:
            n = x @ w["W"].T + w["wb"] + (r * h) @ w["R"].T + w["rb"]
        n = activation(n)
        return (z * n + (1 - z) * h if layer.update_new else (1 - z) * n + z * h), None
    i = gate(pre("i") + peephole("i", c))
    f = 1 - i if layer.coupled else gate(pre("f") + layer.forget_bias + peephole("f", c))
    c = bounded(f * c + i * activation(pre("g")), layer.cell_clip)
    h = gate(pre("o") + peephole("o", c)) * activation(c)
    return bounded(h @ weights["projection"].T if layer.projection else h, layer.output_clip), c


def run(layer, x, initial, lengths=None, holds=False):
    """x (T, B, I), initial: one dict of states a direction -> y (T, B, D * P), last states.

    From step lengths[b] on, sequence b keeps its state and gives zeros, or its state if `holds`.
    """
    ys, lasts = [], []
    for direction, weights, state in zip(layer.directions, layer.weights, initial):
        h, c = state["h"].astype(np.float64), state.get("c")
        order = range(len(x)) if direction == "forward" else range(len(x) - 1, -1, -1)
        y = [None] * len(x)
        for t in order:
            new_h, new_c = step(layer, weights, x[t], h, c)
            goes_on = np.full((x.shape[1], 1), True) if lengths is None else t < lengths[:, None]
            y[t] = np.where(goes_on, new_h, h if holds else 0)
            h = np.where(goes_on, new_h, h)
            c = None if new_c is None else np.where(goes_on, new_c, c)
        ys.append(np.stack(y))
        lasts.append({"h": h, "c": c})
    return np.concatenate(ys, axis=2), lasts
