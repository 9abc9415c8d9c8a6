#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `dragoman diff` on ONNX graphs of many nodes.

Usage: diff.py [--nodes N] [--work FOLDER]

Prints a table in Markdown: seconds and peak resident megabytes for a graph beside its copy, and
beside one that has another operator at one node. Needs $DRAGOMAN_BINARY, python3-onnx and time(1).
"""

import argparse
import os
import subprocess
import tempfile

import onnx
from onnx import TensorProto, helper

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
PLACE_OF_CHANGE = 0.7


def chain(i):
    return [f"v{i}"]


def comb(i):
    return [f"v{i}", "v0"]


def diamond(i):
    return [f"v{i}", f"v{i}"]


def sibling(_):
    return ["v0"]


def outputs_of(shape, nodes):
    return range(1, nodes + 1) if shape is sibling else [nodes]


def make(shape, nodes, changed):
    """The graph, with another operator at node `changed`."""
    model = helper.make_model(helper.make_graph([], "graph", [info("v0")], []))
    for i in range(nodes):
        node = model.graph.node.add()
        node.input.extend(shape(i))
        node.output.append(f"v{i + 1}")
        usual, other = ("Relu", "Abs") if len(node.input) == 1 else ("Add", "Mul")
        node.op_type = other if i == changed else usual
    model.graph.output.extend(info(f"v{i}") for i in outputs_of(shape, nodes))
    return model


def info(name):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])


def measured(a, b, equal):
    """Seconds and megabytes."""
    with tempfile.NamedTemporaryFile("r") as report:
        command = ["/usr/bin/time", "-q", "-f", "%e %M", "-o", report.name, DRAGOMAN, "diff", a, b]
        code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if code != (0 if equal else 1):
            raise SystemExit(f"{a}, {b}: exit code {code}")
        seconds, kilobytes = report.read().split()
    return f"{float(seconds):.1f} s, {int(kilobytes) // 1024} MB"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--work", default="build/bench/diff")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    print("| graph | equal | one change |\n| --- | --- | --- |")
    for shape in (chain, comb, diamond, sibling):
        files = {}
        for name, changed in (("a", -1), ("b", int(options.nodes * PLACE_OF_CHANGE))):
            files[name] = os.path.join(options.work, f"{shape.__name__}_{name}.onnx")
            onnx.save(make(shape, options.nodes, changed), files[name])
        cells = [measured(files["a"], files[name], name == "a") for name in ("a", "b")]
        print(f"| {shape.__name__} | {cells[0]} | {cells[1]} |", flush=True)


if __name__ == "__main__":
    main()
