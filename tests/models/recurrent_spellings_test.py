#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""However an LSTM, GRU or RNN is spelled, it becomes one sequence node a layer.

Usage: recurrent_spellings_test.py [--seed S] [--count N] [--family F] [--keep DIR]

Draws N spellings (recurrent_spellings.py), with a fresh seed that is printed, converts each with
`dragoman` ($DRAGOMAN_BINARY) and checks: one LSTM, GRU or RNN a layer; no gate arithmetic in the
graph, its bodies and functions; as many nodes for 10 steps as for 200; the reference's outputs to
1e-5, by `dragoman verify` and by an evaluator that shares nothing with it (onnx_eval.py).
"""

import argparse
import collections
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import onnx_eval
import recurrent_spellings as spellings
from commands import complaint, dragoman
from random_seeds import first_seed

STEPS, MORE_STEPS = 10, 200
TOLERANCE = 1e-5
SEQUENCE = {"LSTM", "GRU", "RNN"}
PRODUCTS = {"MatMul", "Gemm", "Conv", "Einsum"}
ARITHMETIC = {"Sigmoid", "Tanh", "HardSigmoid", "Softsign", "Relu", "Clip", "Exp", "Div", "Mul",
              "Max", "Min", "Where", "Loop", "Scan"} | PRODUCTS


def is_sequence(domain, name):
    """Whether a function of that name stands for dragoman.LSTM."""
    return domain == "dragoman" and name.startswith("LSTM_")


def graphs_of(model):
    """Every graph: the main one, those of functions, and bodies; not the functions that stand for
    dragoman.LSTM, which are for other readers."""
    functions = [f for f in model.functions if not is_sequence(f.domain, f.name)]
    open_graphs = [model.graph, *functions]
    while open_graphs:
        graph = open_graphs.pop()
        yield graph
        open_graphs += [a.g for node in graph.node for a in node.attribute if a.HasField("g")]


def census(model):
    """How many nodes of each type there are."""
    return collections.Counter(
        "LSTM" if is_sequence(node.domain, node.op_type) else node.op_type
        for graph in graphs_of(model) for node in graph.node)


def dragoman_convert(source, target, *options):
    return dragoman("convert", source, "-o", target, "--passes", "default", *options)


def convert(source, target, *options):
    """An empty string, or what `dragoman convert` has to complain about."""
    return complaint(dragoman_convert(source, target, *options))


def verify(model, data):
    return complaint(dragoman("verify", model, "--data", data, "--rtol", TOLERANCE, "--atol",
                              TOLERANCE))


def differs(actual, expected):
    return actual.shape != expected.shape or not np.allclose(actual, expected, TOLERANCE, TOLERANCE)


def check_numbers(model, folder, inputs, outputs):
    """Complaints about the model's outputs; `folder` has the data."""
    problem = verify(model, folder)
    if problem:
        return ["dragoman verify: " + problem]
    try:
        results = onnx_eval.evaluate(onnx.load(model), inputs)
    except onnx_eval.Refused as refused:
        return [f"onnx_eval does not know {refused}"]
    return [f"{name} differs from the reference" for name, expected in outputs.items()
            if differs(results[name], expected)]


def check(family, seed, folder):
    """What is wrong with one spelling's outputs, and what was not recognised in it."""
    spelling = spellings.draw(family, seed)
    counts, converted = [], []
    for steps in (STEPS, MORE_STEPS):
        model, inputs, outputs = spellings.write(spelling, steps, seed)
        place = folder / f"{family}_{seed}_{steps}"
        spellings.save(place, model, inputs, outputs)
        problem = convert(place / "model.onnx", place / "fused.onnx")
        if problem:
            return ["convert: " + problem], []
        counts.append(census(onnx.load(place / "fused.onnx")))
        converted.append((place / "fused.onnx", place, inputs, outputs))
    return check_numbers(*converted[0]), unrecognised(spelling, *counts)


def expected_arithmetic(spelling):
    """What is no part of a sequence node: projections, and the bounds of lengths."""
    projects = any(layer.projection for layer in spelling.layers)
    masked = spelling.choices["mask"] != "none"
    return (PRODUCTS if projects else set()) | ({"Clip", "Where"} if masked else set())


def unrecognised(spelling, few, many):
    """Complaints, from what is in the graph of few steps and in that of many."""
    found, expected = sum(few[name] for name in SEQUENCE), len(spelling.layers)
    complaints = [f"{found} sequence nodes, expected {expected}"] if found != expected else []
    left = sorted((ARITHMETIC - expected_arithmetic(spelling)) & set(few))
    if left:
        complaints.append(f"gate arithmetic is left: {', '.join(left)}")
    if few != many:
        complaints.append(f"{few.total()} nodes for {STEPS} steps, {many.total()} for {MORE_STEPS}")
    return complaints


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=3 * len(spellings.FAMILIES))
    parser.add_argument("--family", choices=spellings.FAMILIES)
    parser.add_argument("--keep", type=pathlib.Path, help="where the models are left")
    return parser.parse_args()


def main():
    args = arguments()
    first = first_seed(args.seed)
    families = [args.family] if args.family else list(spellings.FAMILIES)
    wrong = missed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, first + args.count):
            family = families[seed % len(families)]
            errors, left = check(family, seed, args.keep or pathlib.Path(scratch))
            wrong += bool(errors)
            missed += bool(left)
            for problem in errors + left:
                print(f"--family {family} --seed {seed} --count 1: {problem}")
    print(f"{args.count - missed} of {args.count} spellings are one sequence node a layer; the "
          f"outputs of {wrong} are wrong")
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
