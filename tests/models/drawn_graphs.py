#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws ONNX models in which patterns, nested bodies and captured values meet.

usage: drawn_graphs.py SEED MODEL.onnx     inputs of it lie in MODEL.npz
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import helper

from drawn_bodies import draw_kinds, draw_nodes, graph_inputs
from drawn_scope import N, Scope


def draw(seed):
    """(model, arrays of its inputs by name) of a seed."""
    rng = np.random.default_rng(seed)
    g = Scope(rng, int(rng.integers(13, 22)))
    g.kinds = draw_kinds(rng)
    inputs = graph_inputs(g)
    draw_nodes(g, int(rng.integers(3, 16)))
    outputs = choose_outputs(g, inputs)
    graph = g.graph("drawn", [v.info() for v in inputs], [v.info() for v in outputs])
    opsets = [helper.make_opsetid("", g.opset)]
    if g.functions:
        opsets.append(helper.make_opsetid("drawn", 1))
    model = helper.make_model(graph, opset_imports=opsets, functions=g.functions)
    model.ir_version = 8
    forget_sizes(g, model.graph)
    return model, {v.name: feed(g, v) for v in inputs}


def choose_outputs(g, inputs):
    """Results that nothing reads, most of them, and some others; seldom an input or a constant."""
    read = {name for node in g.nodes for name in node.input}
    found = [v for v in g.own if v in g.values and (
        g.chance(0.8) if v.name not in read else g.chance(0.08))]
    if g.chance(0.1):
        found.append(g.choose(inputs))
    if g.chance(0.1) and g.constants:
        name = g.choose(list(g.constants))
        found.append(g.value_of(name, g.constants[name]))
    found = list(dict.fromkeys(found + g.loose)) or [g.add("Identity", [inputs[0]])]
    g.rng.shuffle(found)
    return found


def forget_sizes(g, graph, owner=""):
    """Leaves out what files may leave out: sizes of results, the open size's name."""
    optional = [] if owner == "Scan" else list(graph.output)
    if owner == "Loop":
        optional = list(graph.input[2:]) + optional[1:]
    for value in optional:
        if value.type.HasField("tensor_type") and g.chance(0.2):
            value.type.tensor_type.ClearField("shape")
    unnamed = g.chance(0.15)
    for value in [*graph.input, *graph.output] if unnamed else []:
        if value.type.HasField("tensor_type"):
            for size in value.type.tensor_type.shape.dim:
                if size.dim_param:
                    size.Clear()
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                forget_sizes(g, attribute.g, node.op_type)


def feed(g, value):
    g.size.setdefault(N, int(g.rng.integers(1, 4)))
    shape = tuple(g.size[N] if s == N else s for s in value.shape)
    if value.dtype == "bool":
        return g.rng.integers(0, 2, shape).astype(bool)
    if value.dtype == "int64":
        return np.asarray(g.rng.integers(0, 4, shape), np.int64)
    return g.array(shape, -16, 17).astype(value.dtype)


def main():
    model, feeds = draw(int(sys.argv[1]))
    path = pathlib.Path(sys.argv[2])
    onnx.save(model, path)
    np.savez(path.with_suffix(".npz"), **feeds)


if __name__ == "__main__":
    main()
