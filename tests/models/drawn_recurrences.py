#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes recurrences that drawn_steps.py draws as ONNX.

usage: drawn_recurrences.py SEED MODEL.onnx     inputs of it lie in MODEL.npz

The outputs that are expected are NumPy's (recurrent_reference.py).
"""

import pathlib
import sys

import numpy as np
import onnx

import recurrent_reference as reference
from drawn_steps import CONSTANT, draw
from onnx_graph import GraphWriter
from recurrent_cells import CellWriter
from recurrent_spellings import SequenceWriter


class RecurrenceWriter(SequenceWriter):
    """Writes a recurrence into a graph; the names of its inputs and outputs begin with `prefix`."""

    def __init__(self, case, g, prefix):
        super().__init__(case, case.steps)
        self.g, self.prefix = g, prefix
        if self.choices["dynamic_batch"]:
            self.batch = prefix + self.batch
        self.free = None
        self.place = self.chain = self.start = None  # of the direction of a layer at hand

    def input(self, name, data, shape):
        self.inputs[self.prefix + name] = data
        return self.g.input(self.prefix + name, data.dtype, shape)

    def write(self, x):
        case, turned = self.s, self.time_axis == 1
        value = self.input("x", x.swapaxes(0, 1) if turned else x,
                           self.sequence_shape(x.shape[2]))
        masks = [step.mask for layer in case.chains for chain in layer for step in chain
                 if step.mask]
        if any(mask.spelling != "free" for mask in masks):
            self.lengths = self.input("lengths", case.lengths, [self.batch])
        if any(mask.spelling == "free" for mask in masks):
            self.free = self.input("free", case.free.T if turned else case.free,
                                   self.sequence_shape(1)[:2])
        for number, layer in enumerate(case.layers):
            value, lasts = self.write_layer(number, layer, value)
            if self.choices["lasts"]:
                for direction, state in zip(layer.directions, lasts):
                    for name, last in state.items():
                        self.g.output(last, f"{self.prefix}last_{name}_{number}_{direction}")
        self.write_reads(value)

    def write_reads(self, value):
        if self.choices["read"] == "each":
            if self.choices["time"] != "unrolled":
                for t, part in enumerate(self.steps_of(value)):
                    self.g.output(part, f"{self.prefix}y{t}")
            return
        if self.choices["time"] != "unrolled" and self.wanted != list(range(self.steps)):
            value = self.g.op("Gather", value, self.g.ints(*self.wanted), axis=self.time_axis)
        self.g.output(value, f"{self.prefix}y")

    @property
    def wanted(self):
        """The steps of the layer at hand that are stacked."""
        return self.s.wanted if self.is_last else list(range(self.steps))

    @property
    def is_last(self):
        return self.place[0] + 1 == len(self.s.layers)

    def begin(self, number, d):
        _, self.start = super().begin(number, d)
        self.place, self.chain = (number, d), self.s.chains[number][d]
        first = self.chain[0]
        self.choices["mask"] = "tensor" if first.mask else "none"
        if self.choices["time"] == "scan" and first.mask:
            self.masks = self.masks_of(first.mask)
        return self.cell_of(first), self.start

    def cell_of(self, step):
        return CellWriter(step.layer, step.weights, step.style, self.choices["biases"])

    # Masks -------------------------------------------------------------------------------------

    def numbers(self, g, t, shift):
        return t if not shift else g.op("Add", t, g.const(shift, np.int64))

    def masks_of(self, mask):
        """Of all steps: (steps, batch), or (batch, steps)."""
        if mask.spelling == "free":
            return self.free
        shape = (1, -1) if self.time_axis else (-1, 1)
        steps = self.g.const((np.arange(self.steps) + mask.shift).reshape(shape), np.int64)
        return self.g.op("Less", steps, self.g.op("Unsqueeze", self.lengths_of(self.g, mask),
                                                  self.g.ints(self.time_axis)))

    def lengths_of(self, g, mask):
        if mask.layout != "shared":
            return self.lengths
        return g.op("Slice", self.lengths, g.ints(0), g.ints(1), g.ints(0))

    def mask_at(self, g, t, mask):
        """The mask of step `t`, a value, and whether states are new where it holds."""
        holds = True
        if self.choices["time"] == "scan":
            value = t  # is scanned
        elif mask.spelling in ("tensor", "free"):
            value = g.op("Gather", self.masks_of(mask), t, axis=self.time_axis)
        else:
            lengths = self.lengths_of(g, mask)
            shift = mask.shift + (mask.spelling == "or_equal")
            number = self.numbers(g, t, shift)
            holds = mask.spelling != "ended"
            value = {"less": lambda: g.op("Less", number, lengths),
                     "or_equal": lambda: g.op("LessOrEqual", number, lengths),
                     "greater": lambda: g.op("Greater", lengths, number),
                     "ended": lambda: g.op("GreaterOrEqual", number, lengths)}[mask.spelling]()
        axis = 0 if mask.layout == "features" else 1
        return g.op("Unsqueeze", value, g.ints(axis)), holds != mask.inverse

    def other_state(self, g, name, mask, old):
        if mask.other == "zeros":
            return None
        if mask.other == "constant":
            return g.const(np.full((1, self.sizes[name]), CONSTANT))
        return self.start[name] if mask.other == "initial" else old[name]

    def pass_on(self, g, t, step, old, new):
        """The states after a step, and what it gives."""
        new = {name: self.bounded(g, value, step.bounds.get(name)) for name, value in new.items()}
        if step.mask is None:
            return new, new["h"]
        mask, fresh_first = self.mask_at(g, t, step.mask)

        def where(fresh, other, name):
            chosen = (fresh, other) if fresh_first else (other, fresh)
            return self.select(g, mask, *chosen, self.sizes[name])

        kept = {name: where(new[name], self.other_state(g, name, step.mask, old), name)
                if name in step.mask.states else new[name] for name in new}
        given = {"kept": lambda: kept["h"], "fresh": lambda: new["h"],
                 "zeroed": lambda: where(new["h"], None, "h")}[step.given]()
        return kept, given

    def masked(self, g, t, old, new):
        return self.pass_on(g, t, self.chain[0], old, new)

    @staticmethod
    def bounded(g, value, how):
        if how is None:
            return value
        spelling, limit = how
        if spelling == "clip":
            return g.op("Clip", value, g.const(-limit), g.const(limit))
        return g.op("Min" if spelling == "min" else "Max", value,
                    g.const(limit if spelling == "min" else -limit))

    # Unrolled ----------------------------------------------------------------------------------

    def write_unrolled(self, cell, xs, state, backwards, hoisted):
        parts, history, hs = self.steps_of(xs), [state], [None] * self.steps
        for k, t in enumerate(range(self.steps)[::-1] if backwards else range(self.steps)):
            step = self.chain[k]
            cell = self.cell_of(step)
            old = history[max(0, len(history) - step.back)]
            if k == 0 and self.choices["initial"] == "folded":
                new = cell.first_step(self.g, parts[step.source], hoisted)
            else:
                new = cell.step(self.g, parts[step.source], old, hoisted)
            kept, hs[t] = self.pass_on(self.g, self.g.const(t, np.int64), step, old, new)
            history.append(kept)
            for layer, d, tapped, name in self.s.taps:
                if (layer, d, tapped) == (*self.place, t):
                    self.g.output(kept[name], f"{self.prefix}tap_{name}_{t}")
        if self.choices["read"] == "each" and self.is_last:
            for t, h in enumerate(hs):
                self.g.output(h, f"{self.prefix}h{t}_{self.place[1]}")
        return self.stacked([hs[t] for t in self.wanted], self.sizes["h"]), history[-1]


# Reference ---------------------------------------------------------------------------------------


def goes_on(case, t, mask):
    """Where states are new, to be broadcast."""
    if mask.spelling == "free":
        holds = case.free[t]
    else:
        lengths = case.lengths[:1] if mask.layout == "shared" else case.lengths
        holds = t + mask.shift < lengths
    return np.expand_dims(holds, 0 if mask.layout == "features" else 1) != mask.inverse


def bounded(value, how):
    spelling, limit = how or ("none", np.inf)
    return np.clip(value, -limit if spelling in ("max", "clip") else None,
                   limit if spelling in ("min", "clip") else np.inf)


def run_chain(case, chain, x, initial, backwards):
    """What each step gives, by time, and the states before and after all steps."""
    history, ys = [initial], [None] * case.steps
    for k, t in enumerate(range(case.steps)[::-1] if backwards else range(case.steps)):
        step = chain[k]
        old = history[max(0, len(history) - step.back)]
        h, c = reference.step(step.layer, step.weights, x[step.source], old["h"], old.get("c"))
        new = {name: bounded(value, step.bounds.get(name))
               for name, value in (("h", h), ("c", c)) if name in initial}
        kept, ys[t] = new, new["h"]
        if step.mask:
            fresh = goes_on(case, t, step.mask)
            others = {"old": old, "initial": initial, "zeros": dict.fromkeys(new, 0),
                      "constant": dict.fromkeys(new, CONSTANT)}[step.mask.other]
            kept = {name: np.where(fresh, new[name], others[name]) if name in step.mask.states
                    else new[name] for name in new}
            ys[t] = {"kept": kept["h"], "fresh": new["h"],
                     "zeroed": np.where(fresh, new["h"], 0)}[step.given]
        history.append(kept)
    return ys, history


def expected(case, x):
    """Outputs by name."""
    outputs, value, turned = {}, x.astype(np.float64), case.choices["batch_first"]
    for number, (layer, chains) in enumerate(zip(case.layers, case.chains)):
        sides = []
        for d, direction in enumerate(layer.directions):
            backwards = direction == "backward"
            initial = {name: state.astype(np.float64)
                       for name, state in case.states[number][d].items()}
            ys, history = run_chain(case, chains[d], value, initial, backwards)
            sides.append(np.stack(ys))
            outputs.update((f"h{t}_{d}", y) for t, y in enumerate(ys))
            for name, last in history[-1].items():
                outputs[f"last_{name}_{number}_{direction}"] = last
            for at, side, t, name in case.taps:
                if (at, side) == (number, d):
                    k = case.steps - 1 - t if backwards else t
                    outputs[f"tap_{name}_{t}"] = history[k + 1][name]
        value = np.concatenate(sides, axis=2)
    outputs.update((f"y{t}", value[t]) for t in range(case.steps))
    y = value[case.wanted]
    outputs["y"] = y.swapaxes(0, 1) if turned else y
    return outputs


def write(cases):
    """One model of all recurrences, by prefix of the names of their inputs and outputs; its inputs
    and outputs by name."""
    g, feeds, wanted = GraphWriter(), {}, {}
    for prefix, case in cases.items():
        rng = np.random.default_rng([case.steps, *case.lengths])
        x = rng.uniform(-1, 1, (case.steps, case.choices["batch"], case.layers[0].inputs))
        x = x.astype(np.float32)
        writer = RecurrenceWriter(case, g, prefix)
        before = len(g.outputs)
        writer.write(x)
        outputs = expected(case, x)
        feeds.update(writer.inputs)
        for info in g.outputs[before:]:
            wanted[info.name] = outputs[info.name.removeprefix(prefix)].astype(np.float32)
    return g.model(), feeds, wanted


def main():
    case = draw(int(sys.argv[1]))
    print(case.describe())
    model, feeds, _ = write({"": case})
    path = pathlib.Path(sys.argv[2])
    onnx.save(model, path)
    np.savez(path.with_suffix(".npz"), **feeds)


if __name__ == "__main__":
    main()
