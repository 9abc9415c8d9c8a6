#!/usr/bin/env python3
"""What finding recurrences gains: an unrolled LSTM before and after, and torch beside it.

Usage: recurrences.py [--steps T,…] [--layers N] [--batch B,…] [--repeat R] [--scaling]

For each number of steps: nodes, seconds of `dragoman codegen` and of compiling, milliseconds a run
of the C++ program (the median), with `--passes none` and with the default; then torch's nn.LSTM of
the same sizes, where torch is installed. --scaling measures the processor time of `dragoman convert`
on 2,000 and on 4,000 steps of two layers: equal ones, with one weight of one step changed, with two
sets of weights in turn, and with an activation that no known cell has. Needs $DRAGOMAN_BINARY.
"""

import argparse
import copy
import json
import os
import pathlib
import resource
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


def unrolled(steps, layers, batch, odd_steps=(), hidden=HIDDEN, activation="tanh"):
    """An unrolled LSTM; at `odd_steps` the first layer has other weights."""
    rng = np.random.default_rng(1)
    g, xs, size = GraphWriter(), "x", INPUTS
    g.input("x", np.float32, [steps, batch, INPUTS])
    values = [g.op("Gather", xs, g.const(t, np.int64), axis=0) for t in range(steps)]
    for number in range(layers):
        layer = Layer("lstm", size, hidden, ("forward",), activation=activation)
        draw_weights(layer, rng)
        cell = CellWriter(layer, layer.weights[0], draw_style(layer, rng, STYLE), ("wb", "rb"))
        other = copy.deepcopy(layer.weights[0])
        other["i"]["R"] *= -1
        odd = CellWriter(layer, other, cell.style, ("wb", "rb"))
        state = {name: g.const(np.zeros((batch, hidden))) for name in "hc"}
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


def measure(folder, model, passes, batch, steps, repeat):
    """Nodes, seconds of codegen and of compiling, milliseconds a run."""
    binary = os.environ["DRAGOMAN_BINARY"]
    common, program = folder / f"{passes}.onnx", folder / f"program_{passes}"
    seconds(binary, "convert", model, "-o", common, "--passes", passes)
    nodes = len(onnx.load(common).graph.node)
    generate, _ = seconds(binary, "codegen", model, "-o", program, "--passes", passes)
    configure, _ = seconds("cmake", "-S", program, "-B", program / "build",
                           "-DCMAKE_BUILD_TYPE=Release")
    build, _ = seconds("cmake", "--build", program / "build")
    np.save(folder / "x.npy", np.zeros((steps, batch, INPUTS), np.float32))
    _, text = seconds(program / "build" / "infer", "--input", f"x={folder / 'x.npy'}",
                      "--output-dir", folder / "out", "--repeat", repeat, "--json")
    microseconds = json.loads(text.strip().splitlines()[-1])["median"]
    return nodes, generate, configure + build, microseconds / 1000


def torch_ms(kind, steps, layers, batch, repeat):
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    module = getattr(torch.nn, kind)(INPUTS, HIDDEN, layers).eval()
    x, times = torch.zeros(steps, batch, INPUTS), []
    with torch.no_grad():
        for _ in range(repeat):
            start = time.perf_counter()
            module(x)
            times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def report_runs(args):
    print(f"{'steps':>6} {'batch':>5} {'passes':>8} {'nodes':>7} {'codegen s':>10} "
          f"{'compile s':>10} {'run ms':>9}")
    for steps in args.steps:
        for batch in args.batch:
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                onnx.save(unrolled(steps, args.layers, batch), folder / "model.onnx")
                for passes in ("none", "default"):
                    row = measure(folder, folder / "model.onnx", passes, batch, steps, args.repeat)
                    print(f"{steps:6} {batch:5} {passes:>8} {row[0]:7} {row[1]:10.2f} "
                          f"{row[2]:10.2f} {row[3]:9.3f}", flush=True)
            beside = torch_ms("LSTM", steps, args.layers, batch, args.repeat)
            if beside is not None:
                print(f"{steps:6} {batch:5} {'torch':>8} {'':7} {'':10} {'':10} {beside:9.3f}")


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# name -> the steps of odd weights among so many, the activation
SCALED = {
    "equal steps": (lambda steps: (), "tanh"),
    "one weight differs": (lambda steps: (steps // 2,), "tanh"),
    "no neighbours are equal": (lambda steps: range(1, steps, 2), "tanh"),
    "no known cell": (lambda steps: (), "sin"),
}


def convert_seconds(name, steps):
    """Processor time of `dragoman convert` on two layers."""
    odd_steps, activation = SCALED[name]
    with tempfile.TemporaryDirectory() as scratch:
        model = pathlib.Path(scratch) / "model.onnx"
        onnx.save(unrolled(steps, 2, 1, odd_steps(steps), hidden=8, activation=activation), model)
        return processor_seconds(os.environ["DRAGOMAN_BINARY"], "convert", model, "-o",
                                 model.with_name("out.onnx"), "--passes", "default")


def report_scaling():
    for name in SCALED:
        times = [convert_seconds(name, steps) for steps in (2000, 4000)]
        print(f"{name}: {times[0]:.2f} s for 2,000 steps, {times[1]:.2f} s for 4,000: "
              f"{times[1] / times[0]:.2f} times", flush=True)


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=numbers, default=[10, 100, 1000])
    parser.add_argument("--batch", type=numbers, default=[1, 8])
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--scaling", action="store_true")
    args = parser.parse_args()
    if args.scaling:
        report_scaling()
    else:
        report_runs(args)


if __name__ == "__main__":
    main()
