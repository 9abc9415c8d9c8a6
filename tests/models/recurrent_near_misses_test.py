#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unrolled recurrences that are almost regular stay right, and --explain tells what is in the way.

Usage: recurrent_near_misses_test.py [--seed S] [--rounds N]

In each round every near miss is drawn anew (the seed is printed), converted with `dragoman`
($DRAGOMAN_BINARY), and compared with NumPy by `dragoman verify` and onnx_eval.py.
"""

import copy
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import recurrent_reference as reference
import recurrent_spellings as spellings
from onnx_graph import GraphWriter
from random_seeds import parse_rounds
from recurrent_cells import CellWriter, draw_style
from recurrent_reference import Layer, draw_weights
from recurrent_spellings_test import SEQUENCE, census, check_numbers, dragoman_convert

STEPS, BATCH, INPUTS, HIDDEN = 100, 2, 3, 4


class NearMiss:
    """An unrolled layer of which step `self.step` differs."""

    def __init__(self, kind, rng):
        self.rng, self.step = rng, int(rng.integers(5, STEPS - 5))
        self.layer = Layer(kind, INPUTS, HIDDEN, ("forward",))
        draw_weights(self.layer, rng)
        self.style = draw_style(self.layer, rng)
        self.other_layer, self.other_weights = self.layer, copy.deepcopy(self.layer.weights[0])
        self.other_style = self.style
        self.order = list(range(STEPS))  # which input each step reads
        self.inner = False               # whether something else reads step's state c or h
        self.apart = False               # whether each step has an input of its own
        self.above = None                # a second layer, written step by step with the first

    def write(self):
        g, rng = GraphWriter(), self.rng
        x = rng.uniform(-1, 1, (STEPS, BATCH, INPUTS)).astype(np.float32)
        inputs = {f"x{t}": x[t] for t in range(STEPS)} if self.apart else {"x": x}
        for name, value in inputs.items():
            g.input(name, np.float32, value.shape)
        state = {name: rng.uniform(-0.8, 0.8, (BATCH, HIDDEN)).astype(np.float32)
                 for name in self.layer.states}
        names = {name: g.const(value) for name, value in state.items()}
        values = {name: value.astype(np.float64) for name, value in state.items()}
        outputs, ys = {}, []
        above = Above(self.above, rng, g) if self.above else None
        for t in range(STEPS):
            odd = t == self.step
            layer = self.other_layer if odd else self.layer
            weights = self.other_weights if odd else self.layer.weights[0]
            cell = CellWriter(layer, weights, self.other_style if odd else self.style, ("wb", "rb"))
            source = self.order[t]
            step = f"x{source}" if self.apart else g.op("Gather", "x", g.const(source, np.int64),
                                                        axis=0)
            names = cell.step(g, step, names)
            h, c = reference.step(layer, weights, x[source].astype(np.float64), values["h"],
                                  values.get("c"))
            values = {"h": h, "c": c}
            ys.append(above.step(g, names["h"], h) if above else (names["h"], h))
            if odd and self.inner:
                name = self.layer.states[-1]
                g.output(names[name], "inner")
                outputs["inner"] = values[name]
        g.output(g.op("Concat", *[g.op("Unsqueeze", y, g.ints(0)) for y, _ in ys], axis=0), "y")
        outputs["y"] = np.stack([h for _, h in ys])
        return g.model(), inputs, {name: value.astype(np.float32)
                                   for name, value in outputs.items()}


class Above:
    """A layer over that of a near miss, from zeros."""

    def __init__(self, layer, rng, g):
        draw_weights(layer, rng)
        self.layer = layer
        self.cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng), ("wb", "rb"))
        zeros = np.zeros((BATCH, HIDDEN))
        self.names = {name: g.const(zeros) for name in layer.states}
        self.values = {name: zeros for name in layer.states}

    def step(self, g, x, value):
        self.names = self.cell.step(g, x, self.names)
        h, c = reference.step(self.layer, self.layer.weights[0], value, self.values["h"],
                              self.values.get("c"))
        self.values = {"h": h, "c": c}
        return self.names["h"], h


GATES = {"lstm": ("f", "forget"), "gru": ("r", "reset"), "rnn": ("n", "hidden")}


def other_weight(rng):
    """One weight of one gate is another one. Around it the cell is found, twice."""
    case = NearMiss(str(rng.choice(list(GATES))), rng)
    gate, name = GATES[case.layer.kind]
    case.other_weights[gate]["R"][0, 0] += 0.5
    return case, 2, f" uses another {name}-gate weight"


def other_weight_below_a_layer(rng):
    """The layer above reads two sequences and the step between them: it is found as a whole."""
    case, nodes, gate = other_weight(rng)
    case.above = Layer(str(rng.choice(list(GATES))), HIDDEN, HIDDEN, ("forward",))
    return case, nodes + 1, gate


def inputs_apart(rng):
    case = NearMiss(str(rng.choice(list(GATES))), rng)
    case.apart = True
    return case, 1, None


def swapped_gates(rng):
    case = NearMiss("lstm", rng)
    weights = case.other_weights
    weights["i"], weights["f"] = weights["f"], weights["i"]
    return case, 2, " uses another input-gate weight"


def other_activation(rng):
    case = NearMiss(str(rng.choice(list(GATES))), rng)
    case.other_layer = copy.copy(case.layer)
    case.other_layer.activation = "softsign"
    gate = "cell" if case.layer.kind == "lstm" else "hidden"
    return case, 2, f" uses another {gate}-gate activation"


def cell_state_used_elsewhere(rng):
    """The run ends where the cell state is read, which no operator gives of steps between."""
    case = NearMiss("lstm", rng)
    case.inner = True
    return case, 2, ": the cell state"


def hidden_state_used_elsewhere(rng):
    case = NearMiss("gru", rng)
    case.inner = True
    return case, 1, None


def other_order(rng):
    case = NearMiss(str(rng.choice(list(GATES))), rng)
    k = case.step
    case.order[k], case.order[k + 1] = k + 1, k
    return case, 1, None


# Each gives the case, how many sequence nodes there are, and what is said of the step, if anything.
CASES = (other_weight, other_weight_below_a_layer, inputs_apart, swapped_gates, other_activation,
         cell_state_used_elsewhere, hidden_state_used_elsewhere, other_order)


def check(make, seed, folder):
    case, nodes, gate = make(np.random.default_rng(seed))
    model, inputs, outputs = case.write()
    spellings.save(folder, model, inputs, outputs)
    result = dragoman_convert(folder / "model.onnx", folder / "fused.onnx", "--explain")
    if result.returncode:
        return ["convert: " + result.stderr.strip()]
    complaints = check_numbers(folder / "fused.onnx", folder, inputs, outputs)
    counts = census(onnx.load(folder / "fused.onnx"))
    found = sum(counts[name] for name in SEQUENCE)
    if nodes is not None and found != nodes:
        complaints.append(f"{found} sequence nodes, expected {nodes}")
    if gate is not None and f"step {case.step}{gate}" not in result.stderr:
        complaints.append(f"--explain does not say 'step {case.step}{gate}'")
    return complaints


def main():
    seeds = parse_rounds(__doc__, rounds=3)
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in seeds:
            for make in CASES:
                complaints = check(make, seed, pathlib.Path(scratch) / f"{make.__name__}_{seed}")
                failed += bool(complaints)
                for complaint in complaints:
                    print(f"{make.__name__} --seed {seed} --rounds 1: {complaint}")
    count = len(seeds) * len(CASES)
    print(f"{count - failed} of {count} near misses are right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
