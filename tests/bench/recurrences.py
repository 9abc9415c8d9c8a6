#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What finding recurrences gains: an unrolled LSTM or GRU before and after, and others beside it.

Usage: recurrences.py [--kinds K,…] [--steps T,…] [--batch B,…] [--layers N] [--repeat R]
                      [--unfused T] [--work FOLDER] | --scaling

Prints a table in Markdown. Before / after is with `--passes none` and with the default: nodes of
the graph, seconds of `dragoman codegen` and of compiling program and runtime on one core,
milliseconds of the least of R calls of the program, one thread. Beside it ONNX Runtime on the graph
after (npm's onnxruntime-node, where FOLDER/node_modules has it; run.py installs it) and torch's
nn.LSTM or nn.GRU of the same sizes, where torch is installed. More than --unfused steps are not
compiled as they are.

--scaling measures the processor time of `dragoman convert` on 2,000 and on 4,000 steps of two
layers: equal ones, with one weight of one step changed, with two sets of weights in turn, and with
an activation that no known cell has. Needs $DRAGOMAN_BINARY.
"""

import argparse
import copy
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "models"))
from onnx_graph import GraphWriter  # noqa: E402
from recurrent_cells import CellWriter, draw_style  # noqa: E402
from recurrent_reference import Layer, draw_weights  # noqa: E402

INPUTS, HIDDEN = 64, 64
STYLE = {"product": "sum", "dense": "gemm", "split": "split", "bias_in": "gemm", "swap": False,
         "sigmoid": "op", "tanh": "op"}


def unrolled(steps, layers, batch, odd_steps=(), hidden=HIDDEN, activation="tanh", kind="lstm"):
    """An unrolled recurrence; at `odd_steps` the first layer has other weights."""
    rng = np.random.default_rng(1)
    g, xs, size = GraphWriter(), "x", INPUTS
    g.input("x", np.float32, [steps, batch, INPUTS])
    values = [g.op("Gather", xs, g.const(t, np.int64), axis=0) for t in range(steps)]
    for number in range(layers):
        layer = Layer(kind, size, hidden, ("forward",), activation=activation)
        draw_weights(layer, rng)
        cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng, STYLE), ("wb", "rb"))
        other = copy.deepcopy(layer.weights[0])
        other[layer.gates[0]]["R"] *= -1
        odd = CellWriter(layer, other, cell.style, ("wb", "rb"))
        state = {name: g.const(np.zeros((batch, hidden))) for name in layer.states}
        for t in range(steps):
            is_odd = number == 0 and t in odd_steps
            state = (odd if is_odd else cell).step(g, values[t], state)
            values[t] = state["h"]
        size = hidden
    g.output(g.op("Concat", *[g.op("Unsqueeze", v, g.ints(0)) for v in values], axis=0), "y")
    return g.model()


def seconds(*command):
    start = time.perf_counter()
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                            check=False)
    if result.returncode:
        sys.exit(f"{command}: {result.stderr}")
    return time.perf_counter() - start, result.stdout


def least_ms(text):
    return json.loads(text.strip().splitlines()[-1])["min"] / 1000


class Case:
    """One unrolled model, in a folder of its own."""

    def __init__(self, kind, steps, batch, args, folder):
        self.kind, self.steps, self.batch, self.args, self.folder = kind, steps, batch, args, folder
        onnx.save(unrolled(steps, args.layers, batch, kind=kind.lower()), folder / "model.onnx")
        x = np.random.default_rng(2).uniform(-1, 1, (steps, batch, INPUTS)).astype(np.float32)
        np.save(folder / "x.npy", x)
        x.tofile(folder / "x.bin")

    def nodes(self, passes):
        common = self.folder / f"{passes}.onnx"
        seconds(os.environ["DRAGOMAN_BINARY"], "convert", self.folder / "model.onnx", "-o", common,
                "--passes", passes)
        return len(onnx.load(common).graph.node)

    def program(self, passes):
        """Seconds of codegen and of compiling, milliseconds a run."""
        program = self.folder / f"program_{passes}"
        generate, _ = seconds(os.environ["DRAGOMAN_BINARY"], "codegen", self.folder / "model.onnx",
                              "-o", program, "--passes", passes)
        configure, _ = seconds("cmake", "-S", program, "-B", program / "build",
                               "-DCMAKE_BUILD_TYPE=Release")
        build, _ = seconds("cmake", "--build", program / "build")
        _, text = seconds(program / "build" / "infer", "--input", f"x={self.folder / 'x.npy'}",
                          "--output-dir", self.folder / "out", "--repeat", self.args.repeat)
        return f"{generate:.2f}", f"{configure + build:.0f}", f"{least_ms(text):.3f}"

    def onnx_runtime_ms(self):
        """Of the graph with the default passes, which nodes("default") has written."""
        if not (self.args.work / "node_modules").exists():
            return "-"
        peer = pathlib.Path(__file__).resolve().with_name("peer.js")
        shutil.copy(peer, self.args.work)
        _, text = seconds("node", self.args.work / peer.name, self.folder / "default.onnx", 1,
                          self.args.repeat, self.folder, self.folder / "x.bin")
        return f"{min(json.loads(text.strip().splitlines()[-1])['calls']):.3f}"

    def torch_ms(self):
        try:
            import torch
        except ImportError:
            return "-"
        torch.set_num_threads(1)
        module = getattr(torch.nn, self.kind)(INPUTS, HIDDEN, self.args.layers).eval()
        x, times = torch.from_numpy(np.load(self.folder / "x.npy")), []
        with torch.no_grad():
            for _ in range(self.args.repeat):
                start = time.perf_counter()
                module(x)
                times.append(time.perf_counter() - start)
        return f"{1000 * min(times):.3f}"

    def row(self):
        nodes = f"{self.nodes('none'):,} / {self.nodes('default')}"
        is_compiled = self.steps <= self.args.unfused
        before = self.program("none") if is_compiled else ("-", "-", "-")
        both = [f"{b} / {a}" for b, a in zip(before, self.program("default"))]
        return [self.kind, self.steps, self.batch, nodes, *both, self.onnx_runtime_ms(),
                self.torch_ms()]


def report_runs(args):
    columns = ["layer", "steps", "batch", "nodes", "codegen s", "compile s", "run ms", "ORT ms",
               "torch ms"]
    print("| " + " | ".join(columns) + " |")
    print("| --- " * len(columns) + "|", flush=True)
    for kind in args.kinds:
        for steps in args.steps:
            for batch in args.batch:
                with tempfile.TemporaryDirectory() as scratch:
                    row = Case(kind, steps, batch, args, pathlib.Path(scratch)).row()
                print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


STEPS = (2000, 4000)
ROUNDS = 5

# name -> the steps of odd weights among so many, the activation
SCALED = {
    "equal steps": (lambda steps: (), "tanh"),
    "one weight differs": (lambda steps: (steps // 2,), "tanh"),
    "no neighbours are equal": (lambda steps: range(1, steps, 2), "tanh"),
    "no known cell": (lambda steps: (), "sin"),
}


def convert_seconds(name, lengths, rounds):
    """For each number of steps the least processor time of `dragoman convert` on two layers; the
    lengths take turns."""
    odd_steps, activation = SCALED[name]
    times = {steps: [] for steps in lengths}
    with tempfile.TemporaryDirectory() as scratch:
        for steps in lengths:
            model = unrolled(steps, 2, 1, odd_steps(steps), hidden=8, activation=activation)
            onnx.save(model, pathlib.Path(scratch) / f"{steps}.onnx")
        for steps in lengths * rounds:
            times[steps].append(processor_seconds(
                os.environ["DRAGOMAN_BINARY"], "convert", pathlib.Path(scratch) / f"{steps}.onnx",
                "-o", pathlib.Path(scratch) / "out.onnx", "--passes", "default"))
    return [min(times[steps]) for steps in lengths]


def report_scaling():
    for name in SCALED:
        few, many = convert_seconds(name, STEPS, ROUNDS)
        print(f"{name}: {few:.2f} s for {STEPS[0]:,} steps, {many:.2f} s for {STEPS[1]:,}: "
              f"{many / few:.2f} times", flush=True)


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=["LSTM", "GRU"])
    parser.add_argument("--steps", type=numbers, default=[10, 100, 1000])
    parser.add_argument("--batch", type=numbers, default=[1, 8])
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--unfused", type=int, default=100)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench"))
    parser.add_argument("--scaling", action="store_true")
    args = parser.parse_args()
    if args.scaling:
        report_scaling()
    else:
        report_runs(args)


if __name__ == "__main__":
    main()
