#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An unrolled recurrence whose cell is none of ONNX's becomes one Scan a layer and direction.

Usage: rolled_chains_test.py [--seed S] [--rounds N]

Draws cells, directions, layers and outputs (the seed is printed), converts with `dragoman`
($DRAGOMAN_BINARY) and checks the number of Scans, that the number of nodes does not depend on the
number of steps, and the outputs: those of the graph as it was, in NumPy (onnx_eval.py).
"""

import pathlib
import sys
import tempfile

import numpy as np
import onnx

import onnx_eval
import recurrent_spellings as spellings
from onnx_graph import GraphWriter
from random_seeds import parse_rounds
from recurrent_spellings_test import census, check_numbers, convert

BATCH, INPUTS, HIDDEN = 2, 3, 4
STEPS, MORE_STEPS = 10, 40


def sine(g, w, x, h):
    total = g.op("Add", g.op("MatMul", x, g.const(w["W"])), g.op("MatMul", h, g.const(w["R"])))
    return g.op("Add", g.op("Mul", h, g.const(0.3)), g.op("Tanh", g.op("Neg", g.op("Abs", total))))


def independent(g, w, x, h):
    """Each feature sees its own past only."""
    total = g.op("Gemm", x, g.const(w["W"]), g.const(w["b"]))
    return g.op("Relu", g.op("Add", total, g.op("Mul", h, g.const(w["b"]))))


def minimal_gated(g, w, x, h):
    """One gate, which also resets."""
    both = g.op("Concat", x, h, axis=1)
    f = g.op("Sigmoid", g.op("MatMul", both, g.const(np.concatenate([w["W"], w["R"]]))))
    kept = g.op("Mul", g.op("Abs", f), g.op("MatMul", h, g.const(w["Q"])))
    n = g.op("Softsign", g.op("Add", g.op("MatMul", x, g.const(w["V"])), kept))
    return g.op("Add", h, g.op("Mul", f, g.op("Sub", n, h)))


def gated_by_split(g, w, x, h):
    """A product of both, split in three, with a gate more than a GRU has."""
    wide = np.concatenate([np.concatenate([w[n], w[m]]) for n, m in ("WR", "VQ", "UP")], axis=1)
    a, b, c = g.op("Split", g.op("MatMul", g.op("Concat", x, h, axis=1), g.const(wide)), axis=1,
                   outputs=3)
    new = g.op("Mul", g.op("Sigmoid", a), g.op("Exp", g.op("Neg", g.op("Abs", b))))
    return g.op("Add", g.op("Mul", new, g.op("Tanh", c)), g.op("Mul", h, g.const(0.5)))


CELLS = (sine, independent, minimal_gated, gated_by_split)


class Chain:
    """One drawn model; `write` gives it for any number of steps."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.seed, self.cell = seed, CELLS[seed % len(CELLS)]
        self.directions = ((False,), (True,), (False, True))[rng.integers(3)]
        self.layers = int(rng.integers(1, 3))
        self.outputs = (("y",), ("last",), ("y", "last"))[rng.integers(3)]
        self.take = ("gather", "slice", "split")[rng.integers(3)]
        self.own = (None, "embedding", "scale", "number", "mask")[rng.integers(5)]
        self.positions = rng.uniform(0.2, 1, (MORE_STEPS, INPUTS)).astype(np.float32)
        self.weights, size = [], INPUTS
        for _ in range(self.layers):
            self.weights.append([self.draw(rng, size) for _ in self.directions])
            size = HIDDEN * len(self.directions)

    @staticmethod
    def draw(rng, size):
        def uniform(*shape):
            return rng.uniform(-0.6, 0.6, shape).astype(np.float32)
        weights = {name: uniform(size, HIDDEN) for name in "WVU"}
        return weights | {name: uniform(HIDDEN, HIDDEN) for name in "RQP"} | {"b": uniform(HIDDEN)}

    def parts(self, g, xs, steps):
        if self.take == "split":
            return [g.op("Squeeze", part, g.ints(0))
                    for part in g.op("Split", xs, outputs=steps, axis=0)]
        if self.take == "gather":
            return [g.op("Gather", xs, g.const(t, np.int64), axis=0) for t in range(steps)]
        return [g.op("Squeeze", g.op("Slice", xs, g.ints(t), g.ints(t + 1), g.ints(0)), g.ints(0))
                for t in range(steps)]

    def with_own(self, g, t, x, h):
        """What step t reads, where each step has a constant of its own."""
        if self.own == "embedding":
            x = g.op("Add", x, g.const(np.resize(self.positions[t], self.width)))
        elif self.own == "scale":
            h = g.op("Mul", h, g.const(self.positions[t, 0]))
        elif self.own == "number":  # not 1: that division is removed, and the step another one
            h = g.op("Div", h, g.op("Cast", g.const(t + 2, np.int64), to=onnx.TensorProto.FLOAT))
        elif self.own == "mask":
            goes_on = g.op("Less", g.const(t, np.int64), "lengths")
            h = g.op("Mul", h, g.op("Unsqueeze", g.op("Cast", goes_on, to=onnx.TensorProto.FLOAT),
                                    g.ints(1)))
        return x, h

    def write(self, steps):
        g = GraphWriter()
        xs = g.input("x", np.float32, [steps, BATCH, INPUTS])
        g.input("h0", np.float32, [BATCH, HIDDEN])
        if self.own == "mask":
            g.input("lengths", np.int64, [BATCH])
        lasts = []
        for weights in self.weights:
            ys, self.width = [], len(weights[0]["W"])
            for backwards, own in zip(self.directions, weights):
                parts, h, hs = self.parts(g, xs, steps), "h0", [None] * steps
                for t in reversed(range(steps)) if backwards else range(steps):
                    h = hs[t] = self.cell(g, own, *self.with_own(g, t, parts[t], h))
                ys.append(g.op("Concat", *[g.op("Unsqueeze", h, g.ints(0)) for h in hs], axis=0))
                lasts.append(h)
            xs = ys[0] if len(ys) == 1 else g.op("Concat", *ys, axis=2)
        if "y" in self.outputs:
            g.output(xs, "y")
        if "last" in self.outputs:
            for i, last in enumerate(lasts):
                g.output(last, f"last_{i}")
        return g.model()

    def describe(self):
        return (f"{self.cell.__name__}, {self.layers} layers, {len(self.directions)} directions, "
                f"{self.take}, {'+'.join(self.outputs)}, each step's own {self.own}")


def check(chain, folder):
    counts = []
    for steps in (STEPS, MORE_STEPS):
        model = chain.write(steps)
        rng = np.random.default_rng([chain.seed, steps])
        inputs = {"x": rng.uniform(-1, 1, (steps, BATCH, INPUTS)).astype(np.float32),
                  "h0": rng.uniform(-1, 1, (BATCH, HIDDEN)).astype(np.float32)}
        if chain.own == "mask":
            inputs["lengths"] = rng.integers(1, steps, BATCH)
        outputs = onnx_eval.evaluate(model, inputs)
        place = folder / f"{chain.seed}_{steps}"
        spellings.save(place, model, inputs, outputs)
        complaint = convert(place / "model.onnx", place / "rolled.onnx")
        if complaint:
            return ["convert: " + complaint]
        complaints = check_numbers(place / "rolled.onnx", place, inputs, outputs)
        if complaints:
            return complaints
        counts.append(census(onnx.load(place / "rolled.onnx")))
    if counts[0] != counts[1]:
        complaints.append(f"{counts[0].total()} nodes for {STEPS} steps, {counts[1].total()} for "
                          f"{MORE_STEPS}")
    return complaints


def main():
    seeds = parse_rounds(__doc__, rounds=6 * len(CELLS))
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in seeds:
            chain = Chain(seed)
            complaints = check(chain, pathlib.Path(scratch))
            failed += bool(complaints)
            for complaint in complaints:
                print(f"--seed {seed} --rounds 1 ({chain.describe()}): {complaint}")
    print(f"{len(seeds) - failed} of {len(seeds)} chains are rolled")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
