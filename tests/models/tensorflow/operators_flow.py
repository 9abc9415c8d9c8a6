"""Conditions and loops of version 1 in one another."""

import numpy as np

from operator_cases import FLOAT, G, f32, i32, save
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
    """A turn that changes nothing, if the first value has a sum below 6."""
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
