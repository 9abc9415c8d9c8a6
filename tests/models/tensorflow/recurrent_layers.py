# SPDX-License-Identifier: Apache-2.0
"""Layers around a cell, as Keras (keras.backend.rnn) and TensorFlow 1 write them."""

import numpy as np

from operator_cases import FLOAT, i32
from recurrent_cells import node

SWAPPED = [1, 0, 2]


def const(g, *values, dtype=np.int32):
    return g.const(np.array(values, dtype))


def number(g, value):
    return g.const(np.int32(value))


def transposed(g, x, order=SWAPPED, kind="float"):
    return g.op("Transpose", x, const(g, *order), T=f"dt:{kind}", Tperm="dt:int32")


def reversed_rows(g, x, axis=0, kind="float"):
    return g.op("ReverseV2", x, const(g, axis), T=f"dt:{kind}", Tidx="dt:int32")


def size_of(g, x, axis):
    sizes = g.op("Shape", x, out_type="dt:int32", **FLOAT)
    return g.op("StridedSlice", sizes, const(g, axis), const(g, axis + 1), const(g, 1),
                shrink_axis_mask=1, T="dt:int32", Index="dt:int32")


def row_of(g, x, row):
    """x[row]"""
    end = 0 if row == -1 else row + 1
    return node(g, "StridedSlice", x, const(g, row), const(g, end), const(g, 1), shrink_axis_mask=1,
                end_mask=int(row == -1), Index="dt:int32")


def zeros(g, x, axis, hidden):
    """As many rows as x has along the axis."""
    sizes = g.op("Pack", size_of(g, x, axis), number(g, hidden), N=2, axis=0, T="dt:int32")
    return g.op("Fill", sizes, g.const(np.float32(0)), index_type="dt:int32", **FLOAT)


def one_more(g, value):
    return g.op("AddV2", value, number(g, 1), T="dt:int32")


# --- Keras: a function with a While over TensorLists

class KerasLayer:
    """mask: "mask" (batch, steps), bool, or "lengths" (batch), int32, an argument of the layer."""

    def __init__(self, library, cell, name="lstm", mask=None, backwards=False, zero_output=False,
                 whole=True):
        self.library, self.cell, self.name, self.mask = library, cell, name, mask
        self.backwards, self.zero_output, self.whole = backwards, zero_output, whole
        kinds = {"counter": "int32", "maximum": "int32", "time": "int32", "outputs": "variant"}
        if mask:
            kinds["previous"] = "float"
        kinds |= {f"state_{i}": "float" for i in range(cell.states)}
        self.changed = len(kinds)
        kinds |= {"steps": "int32", "inputs": "variant"}
        kinds |= {"mask": {"mask": "variant", "lengths": "int32"}[mask]} if mask else {}
        self.kinds = kinds | {name: "float" for name in cell.weights}
        self.define()

    def define(self):
        arguments, library = list(self.kinds.items()), self.library
        library.function(f"{self.name}_while_body", arguments, self.body,
                         [(f"{name}_out", kind) for name, kind in arguments])
        library.function(f"{self.name}_while_cond", arguments, self.condition, [("less", "bool")])
        kinds = {"inputs": "float"} | {f"state_{i}": "float" for i in range(self.cell.states)}
        kinds |= {name: "float" for name in self.cell.weights}
        kinds |= {self.mask: {"mask": "bool", "lengths": "int32"}[self.mask]} if self.mask else {}
        results = ["last", "outputs", *(f"last_{i}" for i in range(self.cell.states)), "runtime"]
        self.function = library.function(
            f"__inference_standard_{self.name}_1", list(kinds.items()), self.layer,
            [(result, "float") for result in results], api_implements=f"{self.name}_0000",
            api_preferred_device="CPU")

    def condition(self, g, *arguments):
        at = dict(zip(self.kinds, arguments))
        return [g.op("Less", at["time"], at["steps"], T="dt:int32")]

    def body(self, g, *arguments):
        at = dict(zip(self.kinds, arguments))
        x = g.op("TensorListGetItem", at["inputs"], at["time"], const(g, -1, self.cell.features),
                 element_dtype="dt:float")
        states = [at[f"state_{i}"] for i in range(self.cell.states)]
        output, next_states = self.cell.step(g, x, states, at)
        if self.mask:
            runs = self.running(g, at)
            kept = node(g, "ZerosLike", at["previous"]) if self.zero_output else at["previous"]
            output = node(g, "SelectV2", runs, output, kept)
            next_states = [node(g, "SelectV2", runs, new, old)
                           for new, old in zip(next_states, states)]
        place = at["time"] if self.whole else number(g, 0)
        at["outputs"] = g.op("TensorListSetItem", at["outputs"], place, output,
                             element_dtype="dt:float")
        at |= {f"state_{i}": state for i, state in enumerate(next_states)} | {"previous": output}
        at |= {name: one_more(g, at[name]) for name in ("counter", "time")}
        return [at[name] for name in self.kinds]

    def running(self, g, at):
        """Whether each row of the batch takes this step, as often as a row has elements."""
        if self.mask == "mask":
            now = g.op("TensorListGetItem", at["mask"], at["time"], const(g, -1, 1),
                       element_dtype="dt:bool")
            return g.op("Tile", now, const(g, 1, self.cell.hidden), T="dt:bool",
                        Tmultiples="dt:int32")
        op = ("Less", "Greater")[not self.backwards]
        now = g.op(op, at["mask"], at["time"], T="dt:int32")
        return g.op("ExpandDims", now, number(g, 1), T="dt:bool", Tdim="dt:int32")

    def layer(self, g, *arguments):
        cell = self.cell
        x, states = transposed(g, arguments[0]), list(arguments[1:1 + cell.states])
        weights = list(arguments[1 + cell.states:1 + cell.states + len(cell.weights)])
        steps = size_of(g, x, 0)
        x = reversed_rows(g, x) if self.backwards else x
        listed = g.op("TensorListFromTensor", x, const(g, -1, cell.features),
                      element_dtype="dt:float", shape_type="dt:int32")
        # keras.backend.rnn takes a step besides, for the sizes of the output.
        first, _ = cell.step(g, row_of(g, x, 0), states, dict(zip(cell.weights, weights)))
        reserved = g.op("TensorListReserve", const(g, -1, cell.hidden),
                        steps if self.whole else number(g, 1), element_dtype="dt:float",
                        shape_type="dt:int32")
        captured = [self.mask_of(g, arguments[-1])] if self.mask else []
        previous = [node(g, "ZerosLike", first)] if self.mask else []
        loop = g.op("While", number(g, 0), number(g, -1), number(g, 0), reserved, *previous, *states,
                    steps, listed, *captured, *weights, name="while",
                    T=[f"dt:{kind}" for kind in self.kinds.values()],
                    cond=f"fn:{self.name}_while_cond", body=f"fn:{self.name}_while_body",
                    parallel_iterations=32)
        stack = g.op("TensorListStack", f"{loop}:3", const(g, -1, cell.hidden),
                     element_dtype="dt:float", num_elements=-1 if self.whole else 1)
        first_state = self.changed - cell.states
        last_states = [node(g, "Identity", f"{loop}:{first_state + i}") for i in range(cell.states)]
        return [row_of(g, stack, -1), transposed(g, stack), *last_states, g.const(np.float32(1))]

    def mask_of(self, g, mask):
        if self.mask == "mask":
            last = g.op("ExpandDims", mask, number(g, -1), T="dt:bool", Tdim="dt:int32")
            rows = transposed(g, last, kind="bool")
            rows = reversed_rows(g, rows, kind="bool") if self.backwards else rows
            return g.op("TensorListFromTensor", rows, const(g, -1, 1), element_dtype="dt:bool",
                        shape_type="dt:int32")
        if not self.backwards:
            return mask
        most = g.op("Max", mask, const(g, 0), T="dt:int32", Tidx="dt:int32")
        most = g.op("Sub", most, number(g, 1), T="dt:int32")
        return g.op("Sub", most, mask, T="dt:int32")

    def call(self, g, x, mask=None, states=None):
        """last, outputs, last states, runtime"""
        states = states or [zeros(g, x, 0, self.cell.hidden) for _ in range(self.cell.states)]
        weights = [g.const(array, name=f"{self.name}/{key}")
                   for key, array in self.cell.weights.items()]
        operands = [x, *states, *weights, *([mask] if mask else [])]
        kinds = ["dt:float"] * (len(operands) - bool(mask))
        kinds += [{"mask": "dt:bool", "lengths": "dt:int32"}[self.mask]] if mask else []
        call = g.op("PartitionedCall", *operands, name=f"{self.name}/PartitionedCall", Tin=kinds,
                    Tout=["dt:float"] * (3 + self.cell.states), f=f"fn:{self.function}")
        return [call] + [f"{call}:{i}" for i in range(1, 2 + self.cell.states)]


# --- TensorFlow 1: frames and TensorArrays

class Frame:
    """Nodes of a loop of version 1: constants are anchored in it, other tensors enter it."""

    def __init__(self, g, name, variables, kinds):
        self.g, self.name, self.kinds = g, name, kinds
        self.merged = [
            g.op("Merge", self.enter(value, kind), f"{name}/NextIteration_{i}", name=f"{name}/Merge_{i}",
                 N=2, T=f"dt:{kind}") for i, (value, kind) in enumerate(zip(variables, kinds))]
        self.pivot = None

    def enter(self, value, kind="float", constant=False):
        return self.g.op("Enter", value, frame_name=f"{self.name}/while_context", is_constant=constant,
                         parallel_iterations=32, T=f"dt:{kind}")

    def begin(self, condition):
        """The variables in the body."""
        cond = self.g.op("LoopCond", condition, name=f"{self.name}/LoopCond")
        self.switches = [self.g.op("Switch", merged, cond, name=f"{self.name}/Switch_{i}", T=f"dt:{kind}")
                         for i, (merged, kind) in enumerate(zip(self.merged, self.kinds))]
        inside = [self.g.op("Identity", f"{switch}:1", name=f"{self.name}/Identity_{i}", T=f"dt:{kind}")
                  for i, (switch, kind) in enumerate(zip(self.switches, self.kinds))]
        self.pivot = inside[0]
        return inside

    def op(self, *inputs, **attributes):
        return self.g.op(*inputs, **attributes)

    def const(self, value, name=None):
        made = self.g.const(value, name=name)
        if self.pivot:
            self.g.nodes[made].input.append(f"^{self.pivot}")
        return made

    def end(self, values):
        """The variables after the loop."""
        for i, (value, kind) in enumerate(zip(values, self.kinds)):
            self.g.op("NextIteration", value, name=f"{self.name}/NextIteration_{i}", T=f"dt:{kind}")
        return [self.g.op("Exit", switch, name=f"{self.name}/Exit_{i}", T=f"dt:{kind}")
                for i, (switch, kind) in enumerate(zip(self.switches, self.kinds))]


def dynamic_rnn(g, cell, x, lengths=None, name="rnn"):
    """tf.compat.v1.nn.dynamic_rnn of x (steps, batch, features): outputs, last states."""
    steps, hidden = size_of(g, x, 0), cell.hidden
    states = [zeros(g, x, 1, hidden) for _ in range(cell.states)]
    rest = zeros(g, x, 1, hidden) if lengths else None
    arrays = {}
    for end, element in (("input", (-1, cell.features)), ("output", (-1, hidden))):
        arrays[end] = g.op("TensorArrayV3", steps, name=f"{name}/{end}", dtype="dt:float",
                           element_shape=element, identical_element_shapes=True)
    every = g.op("Range", number(g, 0), steps, number(g, 1), Tidx="dt:int32")
    flow = node(g, "TensorArrayScatterV3", arrays["input"], every, x, f"{arrays['input']}:1")
    kinds = ["int32", "int32", "float"] + ["float"] * cell.states
    loop = Frame(g, f"{name}/while", [number(g, 0), number(g, 0), f"{arrays['output']}:1", *states], kinds)
    limit = loop.enter(steps, "int32", True)
    inside = loop.begin(g.op(
        "LogicalAnd", g.op("Less", loop.merged[0], limit, T="dt:int32"),
        g.op("Less", loop.merged[1], limit, T="dt:int32")))
    counter, time, written, *old = inside
    row = node(g, "TensorArrayReadV3", loop.enter(arrays["input"], "resource", True), time,
               loop.enter(flow, "float", True), dtype="dt:float")
    weights = {key: loop.enter(node(g, "Identity", g.const(array, name=f"{name}/{key}")), "float", True)
               for key, array in cell.weights.items()}
    output, new = cell.step(loop, row, old, weights)
    if lengths:
        done = g.op("GreaterEqual", time, loop.enter(lengths, "int32", True), T="dt:int32")
        output = node(g, "Select", done, loop.enter(rest, "float", True), output)
        new = [node(g, "Select", done, before, after) for before, after in zip(old, new)]
    flow = node(g, "TensorArrayWriteV3", loop.enter(arrays["output"], "resource", True), time, output,
                written)
    ends = loop.end([one_more(loop, counter), one_more(loop, time), flow, *new])
    size = g.op("TensorArraySizeV3", arrays["output"], ends[2])
    every = g.op("Range", number(g, 0), size, number(g, 1), Tidx="dt:int32")
    outputs = g.op("TensorArrayGatherV3", arrays["output"], every, ends[2], dtype="dt:float",
                   element_shape=(-1, hidden))
    return outputs, ends[3:]


def keras_steps(g, cell, x, steps, mask=None):
    """unroll=True of x (batch, steps, features): outputs and last states. Steps that the mask (batch,
    steps) leaves out give the last output again."""
    rows = node(g, "Unpack", transposed(g, x), num=steps, axis=0)
    states = [zeros(g, x, 0, cell.hidden) for _ in range(cell.states)]
    weights = {key: g.const(array, name=key) for key, array in cell.weights.items()}
    masks = None
    if mask:
        last = g.op("ExpandDims", mask, number(g, -1), T="dt:bool", Tdim="dt:int32")
        masks = g.op("Unpack", transposed(g, last, kind="bool"), num=steps, axis=0, T="dt:bool")
    outputs = []
    for t in range(steps):
        output, new = cell.step(g, f"{rows}:{t}" if t else rows, states, weights)
        if mask:
            runs = [g.op("Tile", f"{masks}:{t}" if t else masks, const(g, 1, cell.hidden), T="dt:bool",
                         Tmultiples="dt:int32") for _ in range(1 + cell.states)]
            before = outputs[-1] if outputs else node(g, "ZerosLike", output)
            output = node(g, "SelectV2", runs[0], output, before)
            new = [node(g, "SelectV2", runs[1 + i], *pair) for i, pair in enumerate(zip(new, states))]
        outputs.append(output)
        states = new
    return transposed(g, node(g, "Pack", *outputs, N=steps, axis=0)), states


def block_fused(g, cell, x):
    """tf.contrib.rnn.LSTMBlockFusedCell of x (steps, batch, features): outputs and last states."""
    length = g.op("Cast", size_of(g, x, 0), SrcT="dt:int32", DstT="dt:int64")
    rest = [zeros(g, x, 1, cell.hidden) for _ in range(2)]
    none = g.const(np.zeros(cell.hidden, np.float32))
    all_steps = node(g, "BlockLSTM", length, x, *rest, g.const(cell.weights["kernel"], name="kernel"),
                     none, none, none, g.const(cell.weights["bias"], name="bias"),
                     forget_bias=cell.forget_bias, cell_clip=-1.0, use_peephole=False)
    return f"{all_steps}:6", [row_of(g, f"{all_steps}:6", -1), row_of(g, f"{all_steps}:1", -1)]


class Branch:
    """Nodes of one side of a cond of version 1: constants are anchored in it."""

    def __init__(self, g, pivot):
        self.g, self.pivot, self.op = g, pivot, g.op

    def const(self, value, name=None):
        made = self.g.const(value, name=name)
        self.g.nodes[made].input.append(f"^{self.pivot}")
        return made


def cond(g, predicate, outer, then, otherwise):
    """tf.compat.v1.cond: each side is given its branch and its own names of the `outer` values, a dict
    of name to (value, type)."""
    switch = g.op("Switch", predicate, predicate, T="dt:bool")
    sides = []
    for make, end in ((otherwise, ""), (then, ":1")):
        branch = Branch(g, g.op("Identity", switch + end, T="dt:bool"))
        values = {key: g.op("Switch", value, predicate, T=f"dt:{kind}") + end
                  for key, (value, kind) in outer.items()}
        sides.append(make(branch, values))
    return [node(g, "Merge", *pair, N=2) for pair in zip(*sides)]


def limited_step(g, cell, t, x, states, weights, lengths, rest):
    """_rnn_step of static_rnn: beyond the longest sequence nothing is computed, up to the shortest one
    nothing is masked."""
    outer = {"x": (x, "float"), "rest": (rest, "float"), "lengths": (lengths["each"], "int32"),
             "least": (lengths["least"], "int32")}
    outer |= {f"state_{i}": (state, "float") for i, state in enumerate(states)}
    outer |= {key: (value, "float") for key, value in weights.items()}

    def old_of(at):
        return [at[f"state_{i}"] for i in range(cell.states)]

    def masked(branch, at):
        done = branch.op("GreaterEqual", branch.const(np.int32(t)), at["lengths"], T="dt:int32")
        pairs = [(at["rest"], at["output"])]
        pairs += [(at[f"state_{i}"], at[f"new_{i}"]) for i in range(cell.states)]
        return [node(branch, "Select", done, *pair) for pair in pairs]

    def step(branch, at):
        output, new = cell.step(branch, at["x"], old_of(at), at)
        inner = {"lengths": (at["lengths"], "int32"), "rest": (at["rest"], "float"),
                 "output": (output, "float")}
        inner |= {f"state_{i}": (state, "float") for i, state in enumerate(old_of(at))}
        inner |= {f"new_{i}": (state, "float") for i, state in enumerate(new)}
        short = branch.op("Less", branch.const(np.int32(t)), at["least"], T="dt:int32")
        return cond(g, short, inner, lambda _, own: [own["output"]] + [
            own[f"new_{i}"] for i in range(cell.states)], masked)

    beyond = g.op("GreaterEqual", number(g, t), lengths["most"], T="dt:int32")
    return cond(g, beyond, outer, lambda _, at: [at["rest"], *old_of(at)], step)


def static_rnn(g, cell, x, steps, name="rnn", lengths=None):
    """tf.compat.v1.nn.static_rnn: step after step."""
    rows = node(g, "Unpack", x, num=steps, axis=0)
    states = [zeros(g, rows, 0, cell.hidden) for _ in range(cell.states)]
    weights = {key: node(g, "Identity", g.const(array, name=f"{name}/{key}"))
               for key, array in cell.weights.items()}
    if lengths:
        rest, whole = zeros(g, rows, 0, cell.hidden), const(g, 0)
        lengths = {"each": lengths} | {key: g.op(op, lengths, whole, T="dt:int32", Tidx="dt:int32",
                                                 keep_dims=False)
                                       for key, op in (("least", "Min"), ("most", "Max"))}
    outputs = []
    for t in range(steps):
        row = f"{rows}:{t}" if t else rows
        if lengths:
            output, *states = limited_step(g, cell, t, row, states, weights, lengths, rest)
        else:
            output, states = cell.step(g, row, states, weights)
        outputs.append(output)
    return node(g, "Pack", *outputs, N=steps, axis=0), states


def reverse_sequence(g, x, lengths):
    return node(g, "ReverseSequence", x, lengths, seq_dim=0, batch_dim=1, Tlen="dt:int32")


def positions(steps, lengths, backwards=False):
    """(steps, batch): which steps each row of the batch takes."""
    at = np.arange(steps)[:, None]
    return at >= max(lengths) - np.array(lengths) if backwards else at < np.array(lengths)


assert positions(3, i32(2, 3)).tolist() == [[True, True], [True, True], [False, True]]
