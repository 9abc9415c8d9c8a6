# SPDX-License-Identifier: Apache-2.0
"""If, Loop, Scan and functions for drawn graphs: in their bodies all is drawn that graphs have."""

import numpy as np
from onnx import helper, numpy_helper

from drawn_operators import OPERATORS, broadcasts, reduce, same_type
from drawn_patterns import PATTERNS, cell, cell_weights, first_state, is_sequence
from drawn_scope import BOUND, HIDDEN, N, TURNS, Declined, Scope, Value

MAX_DEPTH = 2
STATE_BOUND = 8.0


def draw_kinds(rng):
    """What a graph is made of: all there is, or few things which meet one another often."""
    if rng.random() < 0.4:
        return [OPERATORS, OPERATORS, PATTERNS]
    few = [OPERATORS[i] for i in rng.integers(len(OPERATORS), size=6)]
    return [few, [PATTERNS[i] for i in rng.integers(len(PATTERNS), size=3)]]


def draw_nodes(g, count):
    """Calls drawing functions until `count` of them found what they need."""
    for _ in range(6 * count):
        kinds = g.kinds
        if g.depth < MAX_DEPTH and len(g.nodes) > 2 and g.chance(0.4):
            kinds = [BODIES]
        try:
            drawn = g.choose(g.choose(kinds))(g)
        except Declined:
            continue
        for value in drawn if isinstance(drawn, list) else [drawn]:
            g.settle(value)
        count -= 1
        if count == 0:
            return


def blend(g, like, taken=()):
    """A value of the type of `like` that this graph computes, none of `taken`.

    ONNX Runtime 1.30 gives wrong numbers where a body gives one value twice.
    """
    own = [v for v in g.own if same_type(like)(v) and v.bound <= BOUND and v not in taken]
    if own and g.chance(0.6):
        return g.choose(own[-3:])
    if g.chance(0.15) and N not in like.shape:
        y = g.constant(g.array(like.shape).astype(like.dtype))
        return y if y.name in g.constants and y not in taken else g.add("Identity", [y])
    if g.chance(0.3):
        return g.add("Identity", [like])
    fits = [v for v in g.own if v.dtype == like.dtype and v.is_float and v.bound <= BOUND
            and 0 not in v.shape]
    if not fits:
        return g.add(g.choose(["Neg", "Identity"]), [like])
    x = g.choose(fits[-4:])
    if broadcasts(like.shape, x.shape) != like.shape:
        x = g.average(x)
    return g.add(g.choose(["Add", "Mul"]), [like, x], bound=like.bound * x.bound + x.bound
                 + like.bound, step=0.0)


def condition(g):
    """A 0-d bool, known or not."""
    if g.chance(0.1):
        return g.constant(np.array(g.chance(0.5)))
    given = [v for v in g.visible() if v.dtype == "bool" and v.shape == ()]
    if given and g.chance(0.7):
        return g.choose(given)
    x = g.pick(lambda v: v.dtype == "float32" and v.is_exact and N not in v.shape)
    total = reduce(g, "ReduceSum", x, range(x.rank), 0, bound=HIDDEN)
    return g.add("Greater", [total, g.number(0)], dtype="bool", shape=(), bound=1)


def if_(g):
    templates = [g.pick(lambda v: v.is_float) for _ in range(g.choose([1, 1, 2]))]
    choice = condition(g)
    branches, bounds = [], [0.0] * len(templates)
    seeds = g.rng.integers(1 << 31, size=2)
    if g.chance(0.3):
        seeds[1] = seeds[0]  # branches alike
    for name, seed in zip(("then_branch", "else_branch"), seeds):
        body = Scope(np.random.default_rng(seed), g.opset, g)
        draw_nodes(body, g.choose([1, 2, 4, 6]))
        results = []
        for like in templates:
            results.append(blend(body, like, results))
        bounds = [max(b, r.bound) for b, r in zip(bounds, results)]
        branches.append(body.graph(name, [], [r.info() for r in results]))
    results = [Value("", t.dtype, t.shape, b) for t, b in zip(templates, bounds)]
    return g.add_all("If", [choice], results, then_branch=branches[0], else_branch=branches[1])


def bounded(g, x):
    if g.chance(0.5):
        return g.add("Tanh", [x], bound=1, step=0.0)
    return g.add("Clip", [x, g.number(-4, x.dtype), g.number(4, x.dtype)], bound=4, step=0.0)


def last_states(states):
    return [Value("", s.dtype, s.shape, STATE_BOUND) for s in states]


def state_inputs(body, states):
    inside = [Value(body.fresh("s"), s.dtype, s.shape, STATE_BOUND) for s in states]
    body.values += inside
    return inside


def stacked(body, count, results):
    """Values of the body whose rows are put together, and the Values that hold these."""
    fits = [v for v in body.own if v.dtype == "float32" and v.bound <= BOUND and v not in results]
    taken = [body.choose(fits)] if fits and body.chance(0.6) else []
    return taken, [Value("", v.dtype, (count, *v.shape), v.bound) for v in taken]


def next_states(body, inside):
    results = []
    for state in inside:
        new = bounded(body, blend(body, state, results))
        results.append(new)
    if len(results) == 2 and same_type(inside[0])(inside[1]) and body.chance(0.2):
        results.reverse()  # states that change places
    return results


def loop_body(g, states):
    """The body of a Loop, the number of its iteration, whether it goes on, and its states."""
    body = Scope(g.rng, g.opset, g)
    turn = Value(body.fresh("i"), "int64", (), STATE_BOUND, 1.0)
    going = Value(body.fresh("c"), "bool", (), 1)
    inside = state_inputs(body, states)
    body.values.append(turn)
    return body, turn, going, inside


def add_loop(g, count, start, states, body, inputs, results, lists):
    graph = body.graph("body", [v.info() for v in inputs], [v.info() for v in results])
    return g.add_all("Loop", [count, start, *states], [*last_states(states), *lists], body=graph)


def loop(g):
    """A Loop with a count, known or not, which may end before."""
    states = [bounded(g, g.pick()) for _ in range(g.choose([1, 1, 2]))]
    known, ends = g.chance(0.6), g.chance(0.3)
    trips = int(g.rng.integers(0 if g.chance(0.2) else 1, 5))
    count = g.constant(np.array(trips, np.int64)) if known else g.pick(lambda v: v.name == "count")
    body, turn, going, inside = loop_body(g, states)
    draw_nodes(body, g.choose([1, 2, 4, 6]))
    results = next_states(body, inside)
    rows, lists = stacked(body, trips if known and not ends else TURNS, results)
    if ends:
        go_on = body.add("Less", [turn, body.constant(np.array(2, np.int64))], dtype="bool",
                         shape=(), bound=1)
    else:
        go_on = body.add("Identity", [going])
    start = g.choose([None, g.constant(np.array(True))])
    found = add_loop(g, count, start, states, body, [turn, going, *inside],
                     [go_on, *results, *rows], lists)
    if known and not ends:
        return found
    g.loose += found[len(states):]
    return found[:len(states)]


def while_loop(g):
    """A Loop without count, which a condition of its state ends."""
    states = [g.add("Identity", [g.number(0)], step=1.0), bounded(g, g.pick())]
    body, turn, going, inside = loop_body(g, states)
    draw_nodes(body, g.choose([1, 2, 4, 6]))
    more = body.add("Add", [inside[0], body.number(1)], step=1.0)
    go_on = body.add("Less", [more, body.number(int(g.rng.integers(1, 5)))], dtype="bool",
                     shape=(), bound=1)
    new = bounded(body, blend(body, inside[1], [more]))
    return add_loop(g, None, g.constant(np.array(True)), states, body, [turn, going, *inside],
                    [go_on, more, new], [])


def recurrence(g):
    """A gated cell in a Loop over the steps of a sequence, whose states are collected."""
    x = g.pick(lambda v: is_sequence(v) and v.bound <= 16)
    shared = cell_weights(g, x.shape[2], 4)
    start = first_state(g, x, 4)
    body, turn, going, inside = loop_body(g, [start])
    step = turn
    if g.chance(0.3):  # from the last one on
        last = body.constant(np.array(x.shape[1] - 1, np.int64))
        step = body.add("Sub", [last, turn])
    row = body.add("Gather", [x, step], axis=1, shape=(x.shape[0], x.shape[2]))
    h = cell(body, row, inside[0], shared)
    draw_nodes(body, g.choose([0, 0, 1, 2]))
    go_on = body.add("Identity", [going])
    rows = [body.add("Identity", [h])] if g.chance(0.7) else []
    lists = [Value("", "float32", (x.shape[1], *h.shape), 1.0) for _ in rows]
    count = g.constant(np.array(x.shape[1], np.int64))
    return add_loop(g, count, None, [start], body, [turn, going, *inside], [go_on, h, *rows], lists)


def growing_list(g):
    """A Loop that puts a value a turn into a sequence, whose elements are joined."""
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 1 and v.shape[0] not in (N, 0)
               and 0 not in v.shape)
    state = bounded(g, g.pick(lambda v: v.dtype == "float32"))
    empty = g.add("SequenceEmpty", [], Value("", "sequence", (), HIDDEN))
    body, turn, going, inside = loop_body(g, [state])
    draw_nodes(body, g.choose([1, 2, 4, 6]))
    seen = Value(body.fresh("l"), "sequence", (), HIDDEN)
    new = bounded(body, blend(body, inside[0]))
    row = body.add("Gather", [x, turn], x, axis=0, shape=x.shape[1:])
    grown = body.add("SequenceInsert", [seen, row], seen)
    go_on = body.add("Identity", [going])
    graph = body.graph("body", [v.info() for v in (turn, going, *inside, seen)],
                       [v.info() for v in (go_on, new, grown)])
    count = g.constant(np.array(x.shape[0], np.int64))
    last, rows = g.add_all("Loop", [count, None, state, empty], [*last_states([state]), seen],
                           body=graph)
    return [last, g.add("ConcatFromSequence", [rows], x, axis=0, new_axis=1)]


def function(g):
    """A call or two of a function of the model, whose nodes are drawn."""
    x = g.pick(lambda v: v.dtype == "float32" and v.bound <= 8)
    body = Scope(g.rng, g.opset)
    body.kinds = g.kinds
    body.values = [Value("x", x.dtype, x.shape, 8.0)]
    body.depth = MAX_DEPTH  # no Loop in it
    draw_nodes(body, 3)
    result = blend(body, body.values[0])
    constants = [helper.make_node("Constant", [], [key], value=numpy_helper.from_array(array))
                 for key, array in body.constants.items()]
    name = f"function{len(g.functions)}"
    g.functions.append(helper.make_function(
        "drawn", name, ["x"], [result.name], constants + body.nodes,
        [helper.make_opsetid("", g.opset)]))
    return [g.add(name, [x], bound=result.bound, step=0.0, domain="drawn")
            for _ in range(g.choose([1, 2]))]


def scan(g):
    x = g.pick(lambda v: v.dtype == "float32" and v.rank >= 2 and v.shape[0] != 0)
    axis = 1 if x.rank >= 3 and x.shape[1] not in (N, 0) and g.chance(0.3) else 0
    states = [bounded(g, g.pick()) for _ in range(g.choose([0, 1, 1, 2]))]
    body = Scope(g.rng, g.opset, g)
    inside = state_inputs(body, states)
    sequences = [x]
    if g.chance(0.3):
        sequences.append(g.pick(lambda v: v.dtype == "float32" and v.rank > axis
                                and v.shape[axis] == x.shape[axis]))
    rows_in = [Value(body.fresh("x"), v.dtype, (*v.shape[:axis], *v.shape[axis + 1:]), v.bound,
                     v.step) for v in sequences]
    body.values += rows_in
    draw_nodes(body, g.choose([1, 2, 4, 6]))
    results = next_states(body, inside)
    rows, lists = stacked(body, x.shape[axis], results)
    if not results and not rows:
        raise Declined
    graph = body.graph("body", [v.info() for v in (*inside, *rows_in)],
                       [v.info() for v in (*results, *rows)])
    backwards = [int(g.chance(0.3)) for _ in sequences]
    return g.add_all("Scan", [*states, *sequences], [*last_states(states), *lists], body=graph,
                     num_scan_inputs=len(sequences), scan_input_axes=[axis] * len(sequences),
                     scan_input_directions=backwards,
                     **({"scan_output_directions": [int(g.chance(0.3))]} if lists else {}))


BODIES = (if_, if_, if_, loop, loop, loop, scan, scan, while_loop, recurrence, growing_list,
          function)


def graph_inputs(g):
    """Inputs of the whole: of one batch, of images, sequences, rows; a choice; a count."""
    rows = g.choose([N, N, 1, 2, 3])
    width, time, channels = g.choose([4, 6, 8]), g.choose([1, 2, 3, 4]), g.choose([2, 4])
    dtype = "float64" if g.chance(0.08) else "float32"
    shapes = [(rows, width), (rows, time, width), (rows, channels, 4, 4), (time, 2, width),
              (width,), (2, 2 * width)]
    if g.chance(0.06):
        shapes.append((0, width))
    count = int(g.rng.integers(2, 5))
    chosen = [shapes[int(i)] for i in g.rng.permutation(len(shapes))[:count]]
    values = [Value(g.fresh("x"), dtype, shape, 2.0, 0.125) for shape in chosen]
    values.append(Value("choice", "bool", (), 1))
    values.append(Value("count", "int64", (), 4, 1.0))
    if g.chance(0.3):
        values.append(Value("ids", "int64", (rows,), 3, 1.0))
    g.values += values
    return values
