# SPDX-License-Identifier: Apache-2.0
"""Draws modules of torch that call cells step by step, as Python source, which TorchScript reads.

Any subset of steps may be odd: it keeps other states, changes them, uses another cell, or reads
something else. Loops over a run-time length test the number of the step for that.
"""

import dataclasses

import numpy as np

from recurrent_spellings import pick

MOST_STEPS = 6

HEAD = """import torch
from torch import nn


"""
MODULE = """class Case{seed}(nn.Module):
    def __init__(self):
        super().__init__()
        {made}

    def forward(self, {arguments}):
        {body}


"""
GROUP = """class Group(nn.Module):
    def __init__(self):
        super().__init__()
        {made}

    def forward(self, {arguments}):
        {body}
"""
CELLS = {"lstm": "nn.LSTMCell({i}, {h}, bias={bias})", "gru": "nn.GRUCell({i}, {h}, bias={bias})",
         "rnn": "nn.RNNCell({i}, {h}, bias={bias}, nonlinearity='{function}')"}
# How states are chosen by a mask (batch, 1): `new` where it holds, else `old`.
CHOICES = ("torch.where({m}, {new}, {old})", "torch.where(~{m}, {old}, {new})",
           "{m}.float() * {new} + (1 - {m}.float()) * {old}",
           "{old} + {m}.float() * ({new} - {old})",
           "torch.where({m}.expand_as({new}), {new}, {old})",
           "{new} * {m} + {old} * (~{m})")


@dataclasses.dataclass
class Drawn:
    seed: int
    scripted: bool    # or traced
    source: str
    arguments: dict   # name -> array
    outputs: int
    regular: bool
    layers: int
    description: str

    @property
    def name(self):
        return f"case{self.seed}"


class Writer:
    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        self.seed, self.oddities = seed, []
        self.kind = pick(rng, ("lstm", "gru", "rnn"))
        if rng.random() < 0.3:
            self.steps = self.batch = self.inputs = self.hidden = int(rng.integers(2, 5))
        else:
            self.steps = int(rng.integers(1, MOST_STEPS + 1))
            others = [n for n in range(2, MOST_STEPS + 2) if n != self.steps]
            self.batch, self.inputs, self.hidden = (int(n) for n in rng.permutation(others)[:3])
        self.loops = rng.random() < 0.35
        self.layers = pick(rng, (1, 1, 1, 2))
        self.backwards = rng.random() < 0.2
        self.batch_first = rng.random() < 0.3
        self.states = ("h", "c") if self.kind == "lstm" else ("h",)
        self.cells = {}      # name -> how it is made
        self.mask = self.draw_mask() if rng.random() < 0.45 else None
        self.given_states = rng.random() < 0.4
        self.function = pick(rng, ("tanh", "relu"))
        self.bias = bool(rng.random() < 0.8)
        self.scripted = bool(rng.random() < 0.5)

    # Oddities: each gives lines for some steps of a layer, or None ------------------------------

    def draw_mask(self):
        shift = pick(self.rng, (0, 0, 0, 1, -1))
        number = {0: "{t}", 1: "{t} + 1", -1: "{t} - 1"}[shift]
        test = pick(self.rng, ("({n} < lengths)", "(lengths > {n})", "(~({n} >= lengths))",
                               "torch.gt(lengths, {n})"))
        return test.format(n=number) + ".unsqueeze(1)"

    def oddity(self, layer):
        """(description, lines before the mask, mask or None, whether it has a mask of its own)."""
        rng = self.rng
        state = pick(rng, self.states)
        kind = pick(rng, ("mask", "mask", "inverse", "other", "other", "part", "free", "features",
                          "clamp", "clamp", "weights", "weights", "linear", "scale", "older",
                          "relu", "input"))
        own, before = None, []
        mask = self.mask or self.draw_mask()
        if kind == "mask":
            own = "none" if self.mask and rng.random() < 0.5 else (self.draw_mask(), "old")
        elif kind == "inverse":
            own = (f"(~{mask})", "old")
        elif kind == "other":
            own = (mask, pick(rng, ("zeros", "zeros", "start", "constant")))
        elif kind == "part":
            own = (mask, "old", state)
        elif kind == "free":
            own = ("free[{t}].unsqueeze(1)", "old")
        elif kind == "features":
            if self.batch != self.hidden:
                return None
            own = (mask.replace("unsqueeze(1)", "unsqueeze(0)"), "old")
        elif kind == "clamp":
            bound = pick(rng, ("-0.1, 0.1", "min=-0.1", "max=0.1"))
            before = [f"n{state} = torch.clamp(n{state}, {bound})"]
        elif kind == "linear":
            self.cells[f"linear{layer}"] = f"nn.Linear({self.hidden}, {self.hidden}, bias=False)"
            before = [f"n{state} = self.linear{layer}(n{state})"]
        elif kind == "scale":
            before = [f"n{state} = n{state} * 0.5"]
        elif kind == "relu":
            before = [f"n{state} = torch.relu(n{state})"]
        return kind, before, own

    # Source ------------------------------------------------------------------------------------

    def subset(self):
        steps = list(range(self.steps))
        cut = int(self.rng.integers(self.steps))
        return pick(self.rng, (steps[:cut + 1], steps[cut:], [cut], steps[cut % 2::2],
                               [t for t in steps if t != cut])) or [0]

    def condition(self, subset):
        """A test of `t` that holds for these steps alone."""
        if subset == list(range(subset[0], self.steps)):
            return f"t >= {subset[0]}"
        if subset == list(range(len(subset))):
            return f"t < {len(subset)}"
        return " or ".join(f"t == {t}" for t in subset)

    def cell(self, layer, other=False):
        size = self.inputs if layer == 0 else self.hidden
        name = f"other{layer}" if other else f"cell{layer}"
        self.cells[name] = CELLS[self.kind].format(i=size, h=self.hidden, bias=self.bias,
                                                   function=self.function)
        return f"self.{name}"

    def call(self, layer, x, other=False, prefix=""):
        states = [prefix + s + str(layer) for s in self.states]
        old = f"({', '.join(states)})" if len(states) == 2 else states[0]
        return f"{', '.join('n' + s for s in self.states)} = {self.cell(layer, other)}({x}, {old})"

    def choose(self, layer, mask):
        """Lines that apply a mask, (test, other branch[, the only state])."""
        lines = ["m = " + mask[0]]
        for state in self.states:
            if len(mask) == 3 and mask[2] != state:
                continue
            old = {"old": f"{state}{layer}", "zeros": f"torch.zeros_like(n{state})",
                   "start": f"start_{state}{layer}",
                   "constant": f"torch.full_like(n{state}, 0.25)"}[mask[1]]
            lines.append(f"n{state} = " + self.spelled.format(m="m", new="n" + state, old=old))
        return lines

    def step(self, layer, x, odd):
        """Lines of a step of a layer, without conditions; `odd` are its oddities."""
        other = any(kind == "weights" for kind, *_ in odd)
        older = any(kind == "older" for kind, *_ in odd)
        if any(kind == "input" for kind, *_ in odd):
            x = f"{x} * 0.5"
        lines = [self.call(layer, x, other, "older_" if older else "")]
        mask = (self.mask, "old") if self.mask else None
        for _, before, own in odd:
            lines += before
            mask = None if own == "none" else own or mask
        if mask:
            lines += self.choose(layer, mask)
        return lines

    def pass_on(self, layer):
        lines = []
        for state in self.states:
            if self.has_older:
                lines.append(f"older_{state}{layer} = {state}{layer}")
            lines.append(f"{state}{layer} = n{state}")
        return lines

    def draw(self):
        rng = self.rng
        self.spelled = pick(rng, CHOICES)
        plan = {}  # (layer, step) -> oddities
        conditional = {}  # layer -> (subset, oddity), in loops
        for _ in range(pick(rng, (0, 0, 1, 1, 2))):
            layer, subset = int(rng.integers(self.layers)), self.subset()
            odd = self.oddity(layer)
            if odd is None or self.loops and layer in conditional:
                continue
            if odd[0] == "older" and self.loops:
                continue
            self.oddities.append(f"layer {layer}, steps {subset}: {odd}")
            conditional[layer] = (subset, odd)
            for t in subset:
                plan.setdefault((layer, t), []).append(odd)
        self.has_older = any(odd[0] == "older" for odds in plan.values() for odd in odds)
        lines = self.begin()
        lines += self.looped(conditional) if self.loops else self.unrolled(plan)
        results = self.results()
        lines.append("return " + (f"({', '.join(results)})" if len(results) > 1 else results[0]))
        return self.finish(lines, results)

    def begin(self):
        lines = []
        for layer in range(self.layers):
            for state in self.states:
                zeros = pick(self.rng, (f"torch.zeros({self.batch}, {self.hidden})",
                                        f"x.new_zeros(x.size({int(not self.batch_first)}), "
                                        f"{self.hidden})"))
                start = f"{state}_given" if self.given_states else zeros
                name = f"{state}{layer}"
                lines += [f"start_{name} = {start}", f"{name} = start_{name}"]
                if self.has_older:
                    lines.append(f"older_{name} = start_{name}")
        return [*lines, "outputs = []"]

    def at(self, t):
        last = f"{self.steps - 1} - " if self.backwards else ""
        return f"x[:, {last}{t}]" if self.batch_first else f"x[{last}{t}]"

    def unrolled(self, plan):
        lines = []
        for t in range(self.steps):
            x = self.at(t)
            for layer in range(self.layers):
                step = self.step(layer, x, plan.get((layer, t), []))
                lines += [line.replace("{t}", str(t)) for line in [*step, *self.pass_on(layer)]]
                x = f"h{layer}"
            lines.append(f"outputs.append({x})")
        return lines

    def looped(self, conditional):
        count = f"x.size({int(self.batch_first)})"
        lines, x = [f"for t in range({pick(self.rng, (count, self.steps))}):"], self.at("t")
        for layer in range(self.layers):
            plain = self.step(layer, x, [])
            if layer in conditional:
                subset, odd = conditional[layer]
                step = [f"if {self.condition(subset)}:",
                        *("    " + line for line in self.step(layer, x, [odd])), "else:",
                        *("    " + line for line in plain)]
            else:
                step = plain
            lines += ["    " + line.replace("{t}", "t") for line in [*step, *self.pass_on(layer)]]
            x = f"h{layer}"
        return [*lines, f"    outputs.append({x})"]

    def results(self):
        read = pick(self.rng, ("all", "all", "reversed", "some", "last", "cat", "each"))
        steps = range(self.steps)
        if self.loops and read != "last":
            read = "all"
        some = ", ".join(f"outputs[{t}]" for t in steps[::-2][::-1])
        results = {"all": ["torch.stack(outputs)"], "last": ["outputs[-1]"],
                   "reversed": ["torch.stack(outputs[::-1])"], "some": [f"torch.stack([{some}])"],
                   "cat": ["torch.cat(outputs, 1)"],
                   "each": [f"outputs[{t}]" for t in steps]}[read]
        if self.rng.random() < 0.5:
            results += [f"{state}{self.layers - 1}" for state in self.states]
        return results

    def finish(self, lines, results):
        rng, text = self.rng, "\n".join(lines)
        sizes = [self.batch, self.steps] if self.batch_first else [self.steps, self.batch]
        pool = {"x": rng.uniform(-1, 1, (*sizes, self.inputs)).astype(np.float32),
                "lengths": rng.integers(0, self.steps + 2, self.batch),
                "free": rng.integers(0, 2, (self.steps, self.batch)).astype(bool)}
        for state in self.states:
            pool[f"{state}_given"] = rng.uniform(
                -0.8, 0.8, (self.batch, self.hidden)).astype(np.float32)
        used = {name: array for name, array in pool.items() if name in text}
        made = "\n        ".join(f"self.{name} = {how}" for name, how in self.cells.items())
        source = MODULE.format(seed=self.seed, made=made, body="\n        ".join(lines),
                               arguments=", ".join(f"{name}: torch.Tensor" for name in used))
        how = "scripted" if self.scripted else "traced"
        description = (f"{how}, {self.layers} {self.kind}; {'; '.join(self.oddities) or 'regular'}"
                       f"\n{source}")
        return Drawn(self.seed, self.scripted, source, used, len(results),
                     not self.oddities and self.steps > 1, self.layers, description)


def draw(seed):
    return Writer(seed).draw()


def group(cases):
    """Source of a module `Group` that calls the modules of all cases, and its arguments by name."""
    made = [f"self.{case.name} = Case{case.seed}()" for case in cases]
    arguments, body, results = {}, [], []
    for case in cases:
        own = {f"{name}_{case.seed}": array for name, array in case.arguments.items()}
        arguments.update(own)
        parts = [f"y{i}_{case.seed}" for i in range(case.outputs)]
        body.append(f"{', '.join(parts)} = self.{case.name}({', '.join(own)})")
        results += parts
    body.append(f"return {', '.join(results)}{',' if len(results) == 1 else ''}")
    indent = "\n        "
    return HEAD + "".join(case.source for case in cases) + GROUP.format(
        made=indent.join(made), body=indent.join(body),
        arguments=", ".join(f"{name}: torch.Tensor" for name in arguments)), arguments
