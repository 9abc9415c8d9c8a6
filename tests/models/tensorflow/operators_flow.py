# SPDX-License-Identifier: Apache-2.0
"""Conditions and loops of version 1 in one another."""

import numpy as np

from operator_cases import FLOAT, G, Lib, f32, i32, save, words
from operators_lists import counted_loop
from recurrent_layers import Frame, one_more


def switched(g, predicate, values):
    """Each value as (where it does not hold, where it does)."""
    names = [g.op("Switch", value, predicate, **FLOAT) for value in values]
    return [(name, f"{name}:1") for name in names]


def merged(g, pairs):
    return [g.op("Merge", *pair, N=2, **FLOAT) for pair in pairs]


def sum_of(g, x, anchor=None):
    axis = g.const(i32(0))
    if anchor:
        g.nodes[axis].input.append(f"^{anchor}")
    return g.op("Sum", x, axis, Tidx="dt:int32", keep_dims=False, **FLOAT)


def idle_loop(g, values, pivot):
    """An iteration that changes nothing, if the first value has a sum below 6."""
    ends = [g.const(np.int32(number)) for number in (1, 0)]
    for end in ends:
        g.nodes[end].input.append(f"^{pivot}")
    loop = Frame(g, "idle", [ends[1], *values], ["int32"] + ["float"] * len(values))
    limit = loop.enter(ends[0], "int32", True)
    most = g.const(np.float32(6))
    g.nodes[most].input.append(f"^{loop.merged[0]}")
    low = g.op("Less", sum_of(g, loop.merged[1], loop.merged[0]), most, **FLOAT)
    count, *inside = loop.begin(g.op("LogicalAnd", g.op("Less", loop.merged[0], limit, T="dt:int32"), low))
    return loop.end([one_more(loop, count), *inside])[1:]


def make_loop_in_branch():
    g, x = G(), [f32(3) for _ in range(3)]
    names = [g.ph(f"x{i}", "float", (3,)) for i in range(3)]
    holds = g.op("Greater", sum_of(g, names[0]), g.const(np.float32(-1.21)), **FLOAT)
    pivot = g.op("Identity", g.op("Switch", holds, holds, T="dt:bool"), T="dt:bool")
    sides = switched(g, holds, names)
    idle = idle_loop(g, [side[0] for side in sides], pivot)
    first, second, third = merged(g, zip(idle, [side[1] for side in sides]))
    second = g.op("Maximum", second, third, **FLOAT)
    third = g.op("Tanh", third, **FLOAT)
    again = g.op("Greater", sum_of(g, third), g.const(np.float32(-1.26)), **FLOAT)
    results = merged(g, switched(g, again, [first, second, third]))
    fetches = [g.op("Identity", result, name=f"y{i}", **FLOAT) for i, result in enumerate(results)]
    save("loop_in_branch", g, dict(zip(names, x)), fetches,
         [x[0], np.maximum(x[1], x[2]), np.tanh(x[2])])


def first_array(g, version, size):
    """A TensorArray of version 1 or 2, and its flow: a number that hangs on it."""
    array = g.op(f"TensorArray{version}", size, dtype="dt:float", element_shape=(2,))
    flow = g.const(np.float32(0))
    g.nodes[flow].input.append(f"^{array}")
    return array, flow


def make_first_arrays():
    """Rows are read from one array and written to another in a loop of version 1."""
    for version, pack, unpack in (("", "TensorArrayPack", "TensorArrayUnpack"), ("V2", None, None)):
        g, x = G(), f32(3, 2)
        g.ph("x", "float", x.shape)
        steps = g.const(np.int32(3))
        every = g.op("Range", g.const(np.int32(0)), steps, g.const(np.int32(1)), Tidx="dt:int32")
        given, flow = first_array(g, version, steps)
        made, written = first_array(g, version, steps)
        if unpack:
            flow = g.op(unpack, given, "x", flow, **FLOAT)
        else:
            flow = g.op("TensorArrayScatterV2", given, every, "x", flow, **FLOAT)
        loop = Frame(g, "turns", [g.const(np.int32(0)), written], ["int32", "float"])
        arrays = [loop.enter(array, "string", True) for array in (given, made)]
        inputs, limit = loop.enter(flow, "float", True), loop.enter(steps, "int32", True)
        at, flow = loop.begin(g.op("Less", loop.merged[0], limit, T="dt:int32"))
        row = g.op(f"TensorArrayRead{version}", arrays[0], at, inputs, dtype="dt:float")
        flow = g.op(f"TensorArrayWrite{version}", arrays[1], at, g.op("Tanh", row, **FLOAT), flow, **FLOAT)
        end = loop.end([one_more(loop, at), flow])[1]
        if pack:
            g.op(pack, made, end, name="y", dtype="dt:float")
        else:
            g.op("TensorArrayGatherV2", made, every, end, name="y", dtype="dt:float")
        size = g.op(f"TensorArraySize{version}", made, end)
        save(f"first_array_{version or 'V1'}", g, {"x": x}, ["y", size], [np.tanh(x), np.int32(3)],
             oracle=False)


INT = {"T": "dt:int32"}


def grown_by_resize(library, g, held, at):
    """As TensorFlow up to 2.8 makes room for an element."""
    arguments = [("held", "variant"), ("at", "int32")]
    longer = library.function(
        "longer", arguments, lambda b, held, at: [b.op("TensorListResize", held, b.op(
            "AddV2", at, b.const(np.int32(1)), **INT))], [("out", "variant")])
    same = library.function("same", arguments, lambda b, held, at: [b.op(
        "Identity", held, T="dt:variant")], [("out", "variant")])
    beyond = g.op("GreaterEqual", at, g.op("TensorListLength", held), **INT)
    return g.op("StatelessIf", beyond, held, at, then_branch=f"fn:{longer}", else_branch=f"fn:{same}",
                Tcond="dt:bool", Tin=["dt:variant", "dt:int32"], Tout=["dt:variant"])


def growing_list(name, sizes, length, resized):
    """tf.TensorArray(size=length, dynamic_size=True) that a tf.while_loop writes to."""
    g, library, x, count = G(), Lib(), f32(4, 3), np.int32(4)
    element = {"element_dtype": "dt:float"}
    g.ph("x", "float", (-1, 3))
    g.ph("count", "int32", ())
    held = g.op("TensorListReserve", g.const(sizes), g.const(np.int32(length)), shape_type="dt:int32",
                **element)
    kinds = ["int32", "int32", "float", "variant"]
    arguments = [(f"in{i}", kind) for i, kind in enumerate(kinds)]
    results = [(f"out{i}", kind) for i, kind in enumerate(kinds)]

    def turn(b, at, count, x, held):
        row = b.op("GatherV2", x, at, b.const(np.int32(0)), Tparams="dt:float", Tindices="dt:int32",
                   Taxis="dt:int32")
        if resized:
            held = grown_by_resize(library, b, held, at)
        held = b.op("TensorListSetItem", held, at, b.op("Tanh", row, **FLOAT), **element,
                    **({} if resized else {"resize_if_index_out_of_bounds": True}))
        one = b.const(np.int32(1))
        return [b.op("AddV2", at, one, **INT), b.op("Identity", count, **INT),
                b.op("Identity", x, **FLOAT), b.op("Identity", held, T="dt:variant")]
    goes_on = library.function("goes_on", arguments, lambda b, at, count, x, held: [
        b.op("Less", at, count, **INT)], [("out", "bool")])
    body = library.function("turn", arguments, turn, results)
    loop = g.op("StatelessWhile", g.const(np.int32(0)), "count", "x", held, cond=f"fn:{goes_on}",
                body=f"fn:{body}", T=[f"dt:{kind}" for kind in kinds])
    g.op("TensorListStack", f"{loop}:3", g.const(sizes), name="y", num_elements=-1, **element)
    save(name, g, {"x": x, "count": count}, ["y"], [np.tanh(x)], oracle=False, library=library)


def make_growing_lists():
    for resized in (False, True):
        kind = "resized" if resized else "set"
        growing_list(f"growing_list_{kind}", i32(3), 0, resized)
        growing_list(f"growing_list_{kind}_unknown", np.int32(-1), 0, resized)
        growing_list(f"growing_list_{kind}_longer", i32(3), 2, resized)


def make_text_conditions():
    """A text counts as true if it has characters."""
    x = f32(2)
    for text in ("", "no"):
        g, library = G(), Lib()
        g.ph("text", "string", ())
        g.ph("x", "float", x.shape)
        sides = [library.function(name, [("x", "float")], lambda b, x, op=op: [b.op(op, x, **FLOAT)],
                                  [("out", "float")]) for name, op in (("then", "Neg"), ("other", "Tanh"))]
        g.op("StatelessIf", "text", "x", name="y", then_branch=f"fn:{sides[0]}",
             else_branch=f"fn:{sides[1]}", Tcond="dt:string", Tin=["dt:float"], Tout=["dt:float"])
        save(f"text_condition_{len(text)}", g, {"text": np.array(text.encode()), "x": x}, ["y"],
             [-x if text else np.tanh(x)], oracle=False, library=library, onnx=False)


def make_text_map():
    """tf.map_fn over strings: a loop sets elements of a list that it reserved; the last stays empty."""
    g, library = G(), Lib()
    texts = words("First", "SECOND", "third")
    g.ph("texts", "string", (None,))
    g.ph("count", "int32", ())
    element = {"element_dtype": "dt:string"}
    held = g.op("TensorListReserve", g.const(i32()), g.const(np.int32(3)), shape_type="dt:int32", **element)

    def turn(b, at, count, texts, held):
        text = b.op("GatherV2", texts, at, b.const(np.int32(0)), Tparams="dt:string", Tindices="dt:int32",
                    Taxis="dt:int32")
        return [b.op("AddV2", at, b.const(np.int32(1)), T="dt:int32"), count, texts,
                b.op("TensorListSetItem", held, at, b.op("StringLower", text), **element)]
    loop = counted_loop(g, library, 0, held, turn, x="texts", kind="string")
    g.op("TensorListStack", f"{loop}:3", g.const(i32()), name="y", num_elements=-1, **element)
    save("text_map", g, {"texts": texts.astype("S"), "count": np.int32(2)}, ["y"],
         [words("first", "second", "").astype("S")], oracle=False, library=library, onnx=False)


def make_calls():
    """Functions that are called, chosen by a number, or given a batch."""
    g, library, x = G(), Lib(), f32(3)
    g.ph("x", "float", (3,))
    sides = [library.function(f"of_{op.lower()}", [("x", "float")], lambda b, x, op=op: [b.op(op, x, **FLOAT)],
                              [("out", "float")]) for op in ("Neg", "Square", "Tanh")]
    g.op("PartitionedCall", "x", name="called", f=f"fn:{sides[0]}", Tin=["dt:float"], Tout=["dt:float"])
    g.op("StatefulPartitionedCall", "x", name="stateful", f=f"fn:{sides[1]}", Tin=["dt:float"],
         Tout=["dt:float"])
    g.op("BatchFunction", "x", name="batched", f=f"fn:{sides[2]}", Tin=["dt:float"], Tcaptured=[],
         Tout=["dt:float"], num_batch_threads=1, max_batch_size=8, batch_timeout_micros=0)
    fetches, wanted = ["called", "stateful", "batched"], [-x, x * x, np.tanh(x)]
    told = {"Tin": ["dt:float"], "Tout": ["dt:float"]}
    for number, result in ((0, -x), (1, x * x), (2, np.tanh(x)), (9, np.tanh(x)), (-1, np.tanh(x))):
        for op in ("Case", "StatelessCase"):
            at = g.ph(f"{op}{number}", "int32", ())
            g.op(op, at, "x", name=f"of_{at}", output_shapes=[], **told)
            branches = g.nodes[f"of_{at}"].attr["branches"].list
            for side in sides:
                branches.func.add().name = side
            fetches.append(f"of_{at}")
            wanted.append(result)
    g.op("If", g.ph("holds", "bool", ()), "x", name="either", then_branch=f"fn:{sides[0]}",
         else_branch=f"fn:{sides[1]}", Tcond="dt:bool", **told)
    g.op("PlaceholderV2", name="second", dtype="dt:float", shape=(3,))
    g.op("Neg", "second", name="of_second", **FLOAT)
    feeds = {"x": x, **{f"{op}{number}": np.int32(number) for number in (0, 1, 2, 9, -1)
                        for op in ("Case", "StatelessCase")}, "holds": np.array(True), "second": x + 1}
    save("calls", g, feeds, [*fetches, "either", "of_second"], [*wanted, -x, -x - 1], oracle=False,
         library=library)


def make_switches():
    """As freezing writes tf.switch_case: a number out of range means the last way."""
    g, x = G(), f32(3)
    g.ph("x", "float", (3,))
    kind, feeds, fetches, wanted = {"T": "dt:float"}, {"x": x}, [], []
    for number, result in ((0, x), (1, -x), (2, x * x), (9, x * x), (-1, x * x)):
        at = g.ph(f"at{number}", "int32", ())
        feeds[at] = np.int32(number)
        ways = g.op("_SwitchN", "x", at, name=f"ways_of_{at}", num_outs=3, **kind)
        negated = g.op("Neg", f"{ways}:1", **kind)
        squared = g.op("Square", f"{ways}:2", **kind)
        fetches.append(g.op("Merge", ways, negated, squared, N=3, **kind))
        wanted.append(result)
    save("switches", g, feeds, fetches, wanted, oracle=False)


def make_references():
    """A condition and a loop over a variable of version 1: what flows are references to it."""
    g, x = G(), f32(3)
    g.ph("x", "float", (3,))
    kind = {"T": "dt:float"}
    variable = g.op("VariableV2", dtype="dt:float", shape=(3,), shared_name="v")
    assigned = g.op("Assign", variable, "x", **kind)
    holds = g.ph("holds", "bool", ())
    sides = g.op("RefSwitch", assigned, holds, **kind)
    taken = g.op("RefIdentity", f"{sides}:1", **kind)
    merged = g.op("RefMerge", sides, taken, N=2, **kind)
    g.op("Identity", merged, name="y", **kind)
    entered = g.op("RefEnter", merged, frame_name="turns", is_constant=False, **kind)
    count = g.op("Enter", g.const(np.int32(0)), frame_name="turns", is_constant=False, T="dt:int32")
    for name, of in (("held", entered), ("at", count)):
        g.op("RefMerge" if name == "held" else "Merge", of, f"{name}_next", name=name, N=2,
             T="dt:float" if name == "held" else "dt:int32")
    limit = g.op("Enter", g.const(np.int32(3)), frame_name="turns", is_constant=True, T="dt:int32")
    more = g.op("LoopCond", g.op("Less", "at", limit, T="dt:int32"))
    g.op("RefSwitch", "held", more, name="held_switch", **kind)
    g.op("Switch", "at", more, name="at_switch", T="dt:int32")
    one = g.op("Enter", g.const(np.int32(1)), frame_name="turns", is_constant=True, T="dt:int32")
    g.op("NextIteration", g.op("AddV2", "at_switch:1", one, T="dt:int32"), name="at_next", T="dt:int32")
    g.op("RefNextIteration", "held_switch:1", name="held_next", **kind)
    g.op("Identity", g.op("RefExit", "held_switch", **kind), name="z", **kind)
    save("references", g, {"x": x, "holds": np.array(True)}, ["y", "z"], [x, x], oracle=False)
