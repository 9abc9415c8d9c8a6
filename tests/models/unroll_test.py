#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`convert --unroll` makes cells of LSTM, GRU and RNN, in every case that rnn_cases.py enumerates.

Usage: unroll_test.py [--every N]

Converts every N-th of the models, checks that no sequence operator is left and that the outputs are
the reference's. Then: what was unrolled becomes one operator again; a number of steps that is not
known is refused by name.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx

from commands import complaint, dragoman
from onnx_graph import GraphWriter
from recurrent_spellings_test import SEQUENCE, census, convert, verify

MAKER = pathlib.Path(__file__).with_name("rnn_cases.py")
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
UNSUPPORTED = 4


def unroll(source, target):
    return complaint(dragoman("convert", source, "-o", target, "--unroll"))


def check_cases(folder, every):
    subprocess.run([sys.executable, MAKER, folder, "--all-outputs", "--per-model", "8"],
                   check=True, capture_output=True)
    models = sorted(folder.glob("*/model.onnx"))[::every]
    complaints = []
    for model in models:
        target = model.with_name("unrolled.onnx")
        problem = unroll(model, target)
        if not problem and SEQUENCE & set(census(onnx.load(target))):
            problem = "a sequence operator is left"
        problem = problem or verify(target, model.parent)
        if problem:
            complaints.append(f"{model.parent.name}: {problem}")
    print(f"{len(models) - len(complaints)} of {len(models)} models unrolled")
    return complaints


def sequence_model(op, direction, steps):
    """One operator with weights, its states from outside, and all of its outputs."""
    rng = np.random.default_rng(7)
    g = GraphWriter()
    rows = GATES[op] * 5

    def weight(*shape):
        return g.const(rng.uniform(-0.6, 0.6, (1, *shape)))

    x = g.input("x", np.float32, [steps, 2, 3])
    states = [g.input(name, np.float32, [1, 2, 5]) for name in ("h0", "c0")[:1 + (op == "LSTM")]]
    outputs = g.op(op, x, weight(rows, 3), weight(rows, 5), weight(2 * rows), "", *states,
                   outputs=2, hidden_size=5, direction=direction)
    g.output(outputs[0], "y")
    g.output(outputs[1], "last")
    return g.model(14)


def check_round_trip(folder):
    complaints = []
    for op in sorted(GATES):
        for direction in ("forward", "reverse"):
            model = folder / f"{op}_{direction}.onnx"
            onnx.save(sequence_model(op, direction, 6), model)
            unrolled, again = model.with_suffix(".unrolled.onnx"), model.with_suffix(".again.onnx")
            problem = unroll(model, unrolled) or convert(unrolled, again)
            if not problem and sum(census(onnx.load(again))[name] for name in SEQUENCE) != 1:
                problem = f"comes back as {dict(census(onnx.load(again)))}"
            problem = problem or complaint(
                dragoman("verify", model, "--against", again, "--random", 2))
            if problem:
                complaints.append(f"{op} {direction}: {problem}")
    return complaints


def check_refusal(folder):
    model = folder / "unknown.onnx"
    onnx.save(sequence_model("GRU", "forward", "T"), model)
    result = dragoman("convert", model, "-o", folder / "out.onnx", "--unroll")
    refused = result.returncode == UNSUPPORTED and "GRU" in result.stderr and "T" in result.stderr
    known = complaint(
        dragoman("convert", model, "-o", folder / "out.onnx", "--unroll", "--dim", "T=4"))
    complaints = [] if refused else [f"exit {result.returncode}, not refused: {result.stderr}"]
    return complaints + ([known] if known else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--every", type=int, default=4)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        complaints = (check_cases(folder / "cases", args.every) + check_round_trip(folder) +
                      check_refusal(folder))
    print(*complaints, sep="\n")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
