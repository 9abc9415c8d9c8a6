# SPDX-License-Identifier: Apache-2.0
"""One step of an LSTM, GRU or RNN as nodes, in a style that is drawn choice by choice."""

import numpy as np

# Every choice that a cell's spelling has; draw_style takes one of each.
CHOICES = {
    "product": ("concat", "sum", "per_gate", "per_gate_concat", "stacked"),
    "dense": ("matmul", "gemm", "gemm_in_out", "transposed", "conv", "einsum"),
    "bias_in": ("gemm", "add"),
    "split": ("split", "split_sizes", "slice", "slice_from_end", "reshape"),
    "swap": (False, True),
    "update": ("weighted", "one_minus_last", "difference", "other_difference", "twice", "lerp"),
    "one_minus": ("sub", "neg_add"),
    "sigmoid": ("op", "op", "exp", "reciprocal", "tanh"),
    "hard_sigmoid": ("op", "clip", "min_max", "relu6"),
    "tanh": ("op", "op", "op", "sigmoid"),
    "softsign": ("op", "quotient"),
    "bound": ("clip", "max_min", "min_max"),
}


def draw_style(layer, rng, fixed=()):
    style = {name: options[rng.integers(len(options))] for name, options in CHOICES.items()}
    style["order"] = "".join(rng.permutation(list(layer.gates)))
    style.update(fixed)
    return style


class CellWriter:
    """Writes steps of one direction of `layer` into a graph; `biases` names those in use."""

    def __init__(self, layer, weights, style, biases):
        self.layer, self.weights, self.style, self.biases = layer, weights, style, biases

    # Weights -----------------------------------------------------------------------------------

    def ordered(self, gates):
        return [gate for gate in self.style["order"] if gate in gates]

    def matrix(self, name, gates):
        return np.concatenate([self.weights[gate][name] for gate in self.ordered(gates)])

    def bias(self, names, gates):
        names = [name for name in names if name in self.biases]
        return sum(self.matrix(name, gates) for name in names) if names else None

    # Arithmetic --------------------------------------------------------------------------------

    def add(self, g, a, b):
        return g.op("Add", b, a) if self.style["swap"] else g.op("Add", a, b)

    def mul(self, g, a, b):
        return g.op("Mul", b, a) if self.style["swap"] else g.op("Mul", a, b)

    def one_minus(self, g, value):
        if self.style["one_minus"] == "sub":
            return g.op("Sub", g.const(1.0), value)
        return g.op("Add", g.op("Neg", value), g.const(1.0))

    def function(self, g, name, value):
        spelling = self.style.get(name, "op")
        if spelling != "op":
            return getattr(self, f"{name}_by_{spelling}")(g, value)
        if name == "hard_sigmoid":
            return g.op("HardSigmoid", value, alpha=0.2, beta=0.5)
        return g.op({"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu",
                     "softsign": "Softsign", "sin": "Sin"}[name], value)

    def sigmoid_by_exp(self, g, value):
        total = self.add(g, g.const(1.0), g.op("Exp", g.op("Neg", value)))
        return g.op("Div", g.const(1.0), total)

    def sigmoid_by_reciprocal(self, g, value):
        return g.op("Reciprocal", self.add(g, g.op("Exp", self.mul(g, g.const(-1.0), value)),
                                           g.const(1.0)))

    def sigmoid_by_tanh(self, g, value):
        half = g.const(0.5)
        return self.add(g, self.mul(g, half, g.op("Tanh", self.mul(g, value, half))), half)

    def tanh_by_sigmoid(self, g, value):
        two = g.const(2.0)
        twice = self.mul(g, two, g.op("Sigmoid", self.mul(g, value, two)))
        return g.op("Sub", twice, g.const(1.0))

    def softsign_by_quotient(self, g, value):
        return g.op("Div", value, self.add(g, g.const(1.0), g.op("Abs", value)))

    def hard_sigmoid_by_clip(self, g, value):
        line = self.add(g, self.mul(g, value, g.const(0.2)), g.const(0.5))
        return g.op("Clip", line, g.const(0.0), g.const(1.0))

    def hard_sigmoid_by_min_max(self, g, value):
        line = self.add(g, self.mul(g, value, g.const(0.2)), g.const(0.5))
        return g.op("Max", g.op("Min", line, g.const(1.0)), g.const(0.0))

    def hard_sigmoid_by_relu6(self, g, value):
        shifted = g.op("Clip", self.add(g, value, g.const(2.5)), g.const(0.0), g.const(5.0))
        return g.op("Div", shifted, g.const(5.0))

    def gate(self, g, value):
        return self.function(g, self.layer.gate, value)

    def activation(self, g, value):
        return self.function(g, self.layer.activation, value)

    def dense(self, g, x, matrix, bias, is_matrix=True):
        """x times the transpose of `matrix` (out, in)."""
        form = self.style["dense"]
        if form.startswith("gemm") and is_matrix:
            in_gemm = bias is not None and self.style["bias_in"] == "gemm"
            operands = [x, g.const(matrix if form == "gemm" else matrix.T)]
            y = g.op("Gemm", *operands, *([g.const(bias)] if in_gemm else []),
                     transB=int(form == "gemm"))
            bias = None if in_gemm else bias
        elif form == "conv" and is_matrix:
            in_conv = bias is not None and self.style["bias_in"] == "gemm"
            operands = [g.op("Unsqueeze", x, g.ints(2)), g.const(matrix[:, :, None])]
            y = g.op("Conv", *operands, *([g.const(bias)] if in_conv else []), kernel_shape=[1])
            y, bias = g.op("Squeeze", y, g.ints(2)), None if in_conv else bias
        elif form == "einsum" and is_matrix:
            y = g.op("Einsum", x, g.const(matrix.T), equation="bi,io->bo")
        elif form == "transposed":
            y = g.op("MatMul", x, g.op("Transpose", g.const(matrix), perm=[1, 0]))
        else:
            y = g.op("MatMul", x, g.const(matrix.T))
        return y if bias is None else self.add(g, y, g.const(bias))

    def split(self, g, value, gates):
        """The gates of a merged value, in this style's order, by name."""
        ordered, size, form = self.ordered(gates), self.layer.hidden, self.style["split"]
        if len(ordered) == 1:
            return {ordered[0]: value}
        if form.startswith("split"):
            sizes = [g.ints(*[size] * len(ordered))] if form == "split_sizes" else []
            return dict(zip(ordered, g.op("Split", value, *sizes, outputs=len(ordered), axis=1)))
        if form == "reshape":
            value = g.op("Reshape", value, g.ints(-1, len(ordered), size))
            return {gate: g.op("Gather", value, g.const(i, np.int64), axis=1)
                    for i, gate in enumerate(ordered)}
        parts = {}
        for i, gate in enumerate(ordered):
            last = i == len(ordered) - 1 and form == "slice_from_end"
            end = np.iinfo(np.int64).max if last else (i + 1) * size
            axis = -1 if form == "slice_from_end" else 1
            parts[gate] = g.op("Slice", value, g.ints(i * size), g.ints(end), g.ints(axis))
        return parts

    # Products ----------------------------------------------------------------------------------

    def hoist(self, g, xs):
        """The products of all steps' inputs (…, I) at once: (…, gates * H)."""
        gates = self.layer.gates
        return self.dense(g, xs, self.matrix("W", gates), self.bias(["wb"], gates),
                          is_matrix=False)

    def from_x(self, g, x, gates, hoisted):
        """The inputs' part of each gate."""
        if hoisted:
            parts = self.split(g, x, self.layer.gates)
            return {gate: parts[gate] for gate in gates}
        return self.products(g, x, gates, "W", "wb")

    def stacked(self, g, value, gates, name, bias):
        """One matrix a gate, in one product: (gates, batch, H)."""
        ordered = self.ordered(gates)
        matrices = np.stack([self.weights[gate][name].T for gate in ordered])
        if self.style["dense"] == "einsum":
            y = g.op("Einsum", value, g.const(matrices), equation="bi,gih->gbh")
        else:
            y = g.op("MatMul", g.op("Unsqueeze", value, g.ints(0)), g.const(matrices))
        bias = self.bias([bias], gates)
        return y if bias is None else self.add(g, y, g.const(bias.reshape(len(ordered), 1, -1)))

    def unstack(self, g, value, gates):
        ordered = self.ordered(gates)
        if self.style["split"].startswith("split"):
            parts = g.op("Split", value, axis=0, outputs=len(ordered))
            return {gate: g.op("Squeeze", part, g.ints(0)) for gate, part in zip(ordered, parts)}
        return {gate: g.op("Gather", value, g.const(i, np.int64), axis=0)
                for i, gate in enumerate(ordered)}

    def products(self, g, value, gates, name, bias):
        if self.style["product"] == "stacked" and len(gates) > 1:
            return self.unstack(g, self.stacked(g, value, gates, name, bias), gates)
        if self.style["product"].startswith("per_gate"):
            return {gate: self.dense(g, value, self.weights[gate][name], self.bias([bias], gate))
                    for gate in gates}
        merged = self.dense(g, value, self.matrix(name, gates), self.bias([bias], gates))
        return self.split(g, merged, gates)

    def sums(self, g, x, h, gates, hoisted):
        """What goes into each gate's function: products of x and h with the bias."""
        product = self.style["product"]
        if hoisted and product == "sum" and gates == self.layer.gates:
            total = self.dense(g, h, self.matrix("R", gates), self.bias(["rb"], gates))
            return self.split(g, self.add(g, x, total), gates)
        if hoisted or product == "per_gate":
            xs = self.from_x(g, x, gates, hoisted)
            hs = self.products(g, h, gates, "R", "rb")
            return {gate: self.add(g, xs[gate], hs[gate]) for gate in gates}
        if product == "stacked" and len(gates) > 1:
            total = self.add(g, self.stacked(g, x, gates, "W", "wb"),
                             self.stacked(g, h, gates, "R", "rb"))
            return self.unstack(g, total, gates)
        if product in ("sum", "stacked"):
            total = self.add(g, self.dense(g, x, self.matrix("W", gates), self.bias(["wb"], gates)),
                             self.dense(g, h, self.matrix("R", gates), self.bias(["rb"], gates)))
            return self.split(g, total, gates)
        both = g.op("Concat", x, h, axis=1)

        def total_of(some):
            matrix = np.concatenate([self.matrix("W", some), self.matrix("R", some)], axis=1)
            return self.dense(g, both, matrix, self.bias(["wb", "rb"], some))

        if product == "concat":
            return self.split(g, total_of(gates), gates)
        return {gate: total_of(gate) for gate in gates}

    # Cells -------------------------------------------------------------------------------------

    def step(self, g, x, state, hoisted=False):
        """The next state. `x` is the step's input, or its part of the hoisted product."""
        return getattr(self, "step_" + self.layer.kind)(g, x, state, hoisted)

    def first_step(self, g, x, hoisted=False):
        """The state after a first step whose own state is zero, as constant folding leaves it."""
        sums = self.from_x(g, x, self.layer.gates, hoisted)
        after_reset = self.layer.kind == "gru" and self.layer.reset_after
        if "rb" in self.biases:
            for gate in self.layer.gates:
                if not (after_reset and gate == "n"):
                    sums[gate] = self.add(g, sums[gate], g.const(self.weights[gate]["rb"]))
        return getattr(self, f"first_{self.layer.kind}")(g, sums)

    def first_rnn(self, g, sums):
        return {"h": self.activation(g, sums["n"])}

    def first_gru(self, g, sums):
        n = sums["n"]
        if self.layer.reset_after and "rb" in self.biases:
            reset = self.gate(g, sums["r"])
            n = self.add(g, n, self.mul(g, reset, g.const(self.weights["n"]["rb"])))
        share = self.gate(g, sums["z"])
        if not self.layer.update_new:
            share = self.one_minus(g, share)
        return {"h": self.mul(g, share, self.activation(g, n))}

    def first_lstm(self, g, sums):
        c = self.mul(g, self.gate(g, sums["i"]), self.activation(g, sums["g"]))
        return self.hidden(g, sums["o"], c)

    def bounded(self, g, value, bound):
        if not bound:
            return value
        low, high, form = g.const(-bound), g.const(bound), self.style["bound"]
        if form == "clip":
            return g.op("Clip", value, low, high)
        inner, outer = (("Max", low), ("Min", high))[::1 if form == "max_min" else -1]
        return g.op(outer[0], g.op(inner[0], value, inner[1]), outer[1])

    def hidden(self, g, total, c):
        c = self.bounded(g, c, self.layer.cell_clip)
        o = self.gate(g, self.with_peephole(g, total, "o", c))
        h = self.mul(g, o, self.activation(g, c))
        if self.layer.projection:
            h = self.dense(g, h, self.weights["projection"], None)
        return {"h": self.bounded(g, h, self.layer.output_clip), "c": c}

    def step_rnn(self, g, x, state, hoisted):
        return {"h": self.activation(g, self.sums(g, x, state["h"], "n", hoisted)["n"])}

    def step_gru(self, g, x, state, hoisted):
        h = state["h"]
        if self.layer.reset_after:
            xs = self.from_x(g, x, "zrn", hoisted)
            hs = self.products(g, h, "zrn", "R", "rb")
            z, r = (self.gate(g, self.add(g, xs[name], hs[name])) for name in "zr")
            n = self.add(g, xs["n"], self.mul(g, r, hs["n"]))
        else:
            sums = self.sums(g, x, h, "zr", hoisted)
            z, r = self.gate(g, sums["z"]), self.gate(g, sums["r"])
            n = self.sums(g, x, self.mul(g, r, h), "n", hoisted)["n"]
        return {"h": self.update(g, z, self.activation(g, n), h)}

    def update(self, g, z, n, h):
        """z of one and 1 - z of the other."""
        kept, new = (n, h) if self.layer.update_new else (h, n)
        form = self.style["update"]
        if form == "difference":
            return self.add(g, new, self.mul(g, z, g.op("Sub", kept, new)))
        if form == "other_difference":
            change = g.op("Sub", new, kept)
            return self.add(g, kept, self.mul(g, self.one_minus(g, z), change))
        if form == "twice":
            return g.op("Sub", new, g.op("Sub", self.mul(g, z, new), self.mul(g, z, kept)))
        if form == "lerp":
            return self.lerp(g, new, kept, z)
        terms = [self.mul(g, z, kept), self.mul(g, self.one_minus(g, z), new)]
        return self.add(g, *(terms if form == "weighted" else terms[::-1]))

    def lerp(self, g, start, end, weight):
        """As torch computes and exports it."""
        change = g.op("Sub", end, start)
        near = self.add(g, start, self.mul(g, weight, change))
        far = g.op("Sub", end, self.mul(g, change, self.one_minus(g, weight)))
        return g.op("Where", g.op("Less", weight, g.const(0.5)), near, far)

    def step_lstm(self, g, x, state, hoisted):
        sums = self.sums(g, x, state["h"], self.layer.gates, hoisted)
        c = state["c"]
        i = self.gate(g, self.with_peephole(g, sums["i"], "i", c))
        new = self.activation(g, sums["g"])
        if self.layer.coupled and self.style["update"] == "lerp":
            c = self.lerp(g, c, new, i)
        else:
            f = self.one_minus(g, i) if self.layer.coupled else self.forget(g, sums["f"], c)
            c = self.add(g, self.mul(g, f, c), self.mul(g, i, new))
        return self.hidden(g, sums["o"], c)

    def forget(self, g, total, c):
        if self.layer.forget_bias:
            total = self.add(g, total, g.const(self.layer.forget_bias))
        return self.gate(g, self.with_peephole(g, total, "f", c))

    def with_peephole(self, g, total, gate, c):
        if not self.layer.peepholes:
            return total
        return self.add(g, total, self.mul(g, c, g.const(self.weights["peephole"][gate])))
