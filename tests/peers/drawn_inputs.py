# SPDX-License-Identifier: Apache-2.0
"""Drawn models, made harder, with inputs; and inputs for what is left of such a model."""

import json
import re

import numpy as np
import onnx

from commands import DRAGOMAN, call
from drawn_graphs import draw

DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bool": "bool", "i8": "int8",
          "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
          "u32": "uint32", "u64": "uint64"}
EDGES = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0)
SPELLINGS = ("a b", "a.b", "a/b", "a-b", "a:b", "a_b", "a__b", "_a_b", "a b ", "class", "1", "!")


def drawn_model(seed, rng, path):
    """Writes the model of a seed; arrays of its inputs by name."""
    model, feeds = draw(seed)
    if rng.random() < 0.2:
        feeds = dict(zip(collide(model), feeds.values()))
    if rng.random() < 0.2:
        feeds = resized(model, feeds, int(rng.integers(2)))
    if rng.random() < 0.1:
        feeds = {name: with_edges(rng, array) for name, array in feeds.items()}
    onnx.save(model, path)
    return feeds


def resized(model, feeds, size):
    """The feeds with another open size."""
    for value in model.graph.input:
        for axis, dim in enumerate(value.type.tensor_type.shape.dim):
            if not dim.HasField("dim_value"):
                feeds[value.name] = np.take(feeds[value.name], range(size), axis)
    return feeds


def with_edges(rng, array):
    if array.dtype.kind != "f":
        return array
    edges = np.asarray(rng.choice(EDGES, array.shape), array.dtype)
    return np.where(rng.random(array.shape) < 0.2, edges, array)


def graphs_in(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs_in(attribute.g)


def collide(model):
    """Gives values names that differ in what identifiers cannot hold; the new names of inputs."""
    new = {"": ""}

    def rename(name):
        if name not in new:
            place = len(new) - 1
            new[name] = SPELLINGS[place % len(SPELLINGS)] + "!" * 2 * (place // len(SPELLINGS))
        return new[name]

    for graph in graphs_in(model.graph):
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            value.name = rename(value.name)
        for node in graph.node:
            node.input[:] = [rename(name) for name in node.input]
            node.output[:] = [rename(name) for name in node.output]
    return [value.name for value in model.graph.input]


def inputs_of(model):
    """The types of a model's inputs by name, as `inspect` prints them."""
    done = call([DRAGOMAN, "inspect", model, "--json"])
    if done.returncode != 0:
        return {}
    return {entry["name"]: entry["type"]
            for entry in json.loads(done.stdout)["entries"][0]["inputs"]}


def fitting(types, feeds):
    """Arrays of such types, from those that are there."""
    return {name: fitted(kind, feeds.get(name, np.zeros(()))) for name, kind in types.items()}


def fitted(kind, array):
    parsed = re.fullmatch(r"(\w+)\[(.*)\]", kind)
    if parsed is None:
        return array
    sizes = [size.strip() for size in parsed[2].split(",") if size.strip()]
    shape = [int(size) if size.isdigit() else array.shape[axis] if axis < array.ndim else 1
             for axis, size in enumerate(sizes)]
    return np.resize(array, shape).astype(DTYPES.get(parsed[1], array.dtype))
