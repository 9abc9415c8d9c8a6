#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every way to call ONNX's LSTM, GRU and RNN, with the outputs of a reference in NumPy.

Usage: rnn_cases.py DIR [--per-model N] [--opset 14|22] [--op LSTM|GRU|RNN] [--all-outputs]

The product of direction, layout, initial state, sequence_lens, peepholes, clip, activations,
linear_before_reset, bias, input_forget and the set of outputs in use is enumerated in full. N nodes
(32) share one model, DIR/<op>_<number>/model.onnx, with its ONNX test-data set beside it; each node
has its own inputs and its name says which case it is. --all-outputs leaves out the cases that
differ in the set of outputs only. The same call writes the same bytes.

The reference is onnx_recurrent_eval.py in float64. Where the documentation leaves room:
- clip bounds the input of every activation, that of LSTM's h too; the cell state stays as it is;
- activation_alpha and activation_beta are consumed by the functions that have such a parameter;
- the reverse direction reads each row backwards from its own sequence_lens; Y is 0 beyond it, and
  Y_h, Y_c are the state after the last step that counts;
- with input_forget, f = 1 - i.
"""

import argparse
import itertools
import pathlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import onnx_recurrent_eval
from onnx_recurrent_eval import DEFAULTS, FUNCTIONS

SEED = 20240207
TIME, BATCH, INPUT, HIDDEN = 5, 3, 4, 6
LENGTHS = (5, 2, 4)
CLIP = 0.5
LARGEST_OUTPUT = 8.0  # unbounded activations as gates may explode: such draws are made anew
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
OUTPUTS = {"LSTM": ("Y", "Y_h", "Y_c"), "GRU": ("Y", "Y_h"), "RNN": ("Y", "Y_h")}
OPERANDS = ("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P")
# The functions that have no ONNX operator have no documented default either.
WITHOUT_DEFAULTS = ("Affine", "ScaledTanh")


def product_of(op, all_outputs):
    """Yields one dict a case, in a fixed order."""
    names = OUTPUTS[op]
    subsets = [s for n in range(len(names), 0, -1) for s in itertools.combinations(names, n)]
    axes = {
        "direction": ("forward", "reverse", "bidirectional"),
        "layout": (0, 1),
        "initial": (False, True),
        "lengths": (False, True),
        "clip": (False, True),
        "activations": (False, True),
        "bias": (False, True),
        "peepholes": (False, True) if op == "LSTM" else (False,),
        "input_forget": (False, True) if op == "LSTM" else (False,),
        "linear_before_reset": (False, True) if op == "GRU" else (False,),
        "outputs": subsets[:1] if all_outputs else subsets,
    }
    for values in itertools.product(*axes.values()):
        yield dict(zip(axes, values), op=op)


def name_of(case):
    words = [case["op"].lower(), case["direction"], f"layout{case['layout']}"]
    words += [key for key, value in case.items() if value is True]
    return "_".join(words + list(case["outputs"]))


def run_case(case, tensors, attributes):
    """tensors by the operator's input names, in the case's layout -> outputs by name."""
    operands = [value if name == "sequence_lens" or value is None else value.astype(np.float64)
                for name, value in ((name, tensors.get(name)) for name in OPERANDS)]
    outputs = dict(zip(OUTPUTS["LSTM"], onnx_recurrent_eval.run(case["op"], operands, attributes)))
    return {name: outputs[name].astype(np.float32) for name in case["outputs"]}


def count_directions(case):
    return 2 if case["direction"] == "bidirectional" else 1


def draw_functions(case, number, rng):
    """The attributes that say which activation functions there are, and their parameters."""
    if not case["activations"]:
        return {}
    with_parameters = number % 3 != 0
    pool = [n for n in FUNCTIONS if with_parameters or n not in WITHOUT_DEFAULTS]
    count = count_directions(case) * len(DEFAULTS[case["op"]])
    names = [str(rng.choice(pool)) for _ in range(count)]
    alphas, betas = [], []
    for _, alpha, beta in (FUNCTIONS[name] for name in names):
        for parameters, default in (alphas, alpha), (betas, beta):
            if with_parameters and default is not None:
                parameters.append(float(np.float32(rng.uniform(0.2, 0.9))))
    parameters = {"activation_alpha": alphas, "activation_beta": betas}
    return {"activations": names, **{name: value for name, value in parameters.items() if value}}


def draw_tensors(case, rng):
    """The operator's inputs by name, in the order in which it takes them; None where absent."""
    directions = count_directions(case)
    rows = GATES[case["op"]] * HIDDEN

    def uniform(*shape):
        return rng.uniform(-1, 1, shape).astype(np.float32)

    def layout(array):
        return np.ascontiguousarray(array.swapaxes(0, 1)) if case["layout"] == 1 else array

    tensors = {
        "X": layout(uniform(TIME, BATCH, INPUT)),
        "W": uniform(directions, rows, INPUT),
        "R": uniform(directions, rows, HIDDEN),
        "B": uniform(directions, 2 * rows) if case["bias"] else None,
        "sequence_lens": np.array(LENGTHS, np.int32) if case["lengths"] else None,
        "initial_h": layout(uniform(directions, BATCH, HIDDEN)) if case["initial"] else None,
    }
    if case["op"] == "LSTM":
        state = layout(uniform(directions, BATCH, HIDDEN))
        tensors["initial_c"] = state if case["initial"] else None
        tensors["P"] = uniform(directions, 3 * HIDDEN) if case["peepholes"] else None
    return tensors


def attributes_of(case):
    attributes = {"hidden_size": HIDDEN, "direction": case["direction"], "layout": case["layout"]}
    if case["clip"]:
        attributes["clip"] = CLIP
    for flag in ("input_forget", "linear_before_reset"):
        if case[flag]:
            attributes[flag] = 1
    return attributes


def draw_case(case, number):
    """The operator's inputs, its outputs and its attributes."""
    rng = np.random.default_rng([SEED, sorted(GATES).index(case["op"]), number])
    while True:
        attributes = {**attributes_of(case), **draw_functions(case, number, rng)}
        tensors = draw_tensors(case, rng)
        with np.errstate(over="ignore", invalid="ignore"):
            results = run_case(case, tensors, attributes)
        if all(np.all(np.abs(value) <= LARGEST_OUTPUT) for value in results.values()):
            return tensors, results, attributes


def trimmed(names):
    while names and not names[-1]:
        names.pop()
    return names


class ModelWriter:
    """Collects the nodes of one model with their data and writes both."""

    def __init__(self, folder, opset):
        self.folder, self.opset = folder, opset
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []

    def add(self, case, number):
        tensors, results, attributes = draw_case(case, number)
        given = {name: value for name, value in tensors.items() if value is not None}
        prefix = name_of(case)
        weights_are_inputs = number % 5 == 0
        for name, value in given.items():
            is_input = weights_are_inputs or name not in ("W", "R", "B", "P")
            (self.inputs if is_input else self.initializers).append((f"{prefix}.{name}", value))
        self.outputs += [(f"{prefix}.{name}", value) for name, value in results.items()]
        self.nodes.append(helper.make_node(
            case["op"],
            trimmed([f"{prefix}.{name}" if name in given else "" for name in tensors]),
            trimmed([f"{prefix}.{n}" if n in results else "" for n in OUTPUTS[case["op"]]]),
            name=prefix, **attributes))

    def write(self):
        def infos(pairs):
            return [helper.make_tensor_value_info(
                name, TensorProto.INT32 if value.dtype == np.int32 else TensorProto.FLOAT,
                value.shape) for name, value in pairs]

        graph = helper.make_graph(self.nodes, self.folder.name, infos(self.inputs),
                                  infos(self.outputs),
                                  [numpy_helper.from_array(v, n) for n, v in self.initializers])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)],
                                  producer_name="rnn_cases",
                                  ir_version=8 if self.opset < 19 else 10)
        data_set = self.folder / "test_data_set_0"
        data_set.mkdir(parents=True, exist_ok=True)
        (self.folder / "model.onnx").write_bytes(model.SerializeToString())
        for kind, pairs in (("input", self.inputs), ("output", self.outputs)):
            for i, (name, value) in enumerate(pairs):
                tensor = numpy_helper.from_array(value, name)
                (data_set / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString())


def write_op(op, args):
    cases = list(enumerate(product_of(op, args.all_outputs)))
    models = range(0, len(cases), args.per_model)
    for number, start in enumerate(models):
        writer = ModelWriter(args.dir / f"{op.lower()}_{number:03d}", args.opset)
        for index, case in cases[start:start + args.per_model]:
            writer.add(case, index)
        writer.write()
    print(f"{op}: {len(cases)} cases in {len(models)} models")
    return len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--per-model", type=int, default=32, help="nodes a model (32)")
    parser.add_argument("--opset", type=int, choices=(14, 22), default=14)
    parser.add_argument("--op", choices=sorted(GATES), action="append")
    parser.add_argument("--all-outputs", action="store_true",
                        help="only the cases in which every output is in use")
    args = parser.parse_args()
    total = sum(write_op(op, args) for op in args.op or sorted(GATES))
    print(f"{total} cases")


if __name__ == "__main__":
    main()
