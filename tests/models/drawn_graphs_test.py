#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models that drawn_graphs.py draws give the same numbers in every form and in every engine.

usage: drawn_graphs_test.py [--seed S] [--rounds N] [--native N]

The interpreter runs each as it is written. The same must come from the common graph after all
passes, the ONNX file that it becomes, the Relax module on NumPy, and of the first N models the
generated program; text must give the model back. With $DRAGOMAN_ONNXRUNTIME, a folder with
node_modules in which onnxruntime-node is, ONNX Runtime runs the model and what it becomes, too.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import numpy as np
import onnx

import relax_lint
from checked_model import CheckedModel
from commands import complaint, dragoman
from drawn_graphs import draw
from onnxruntime_peer import OnnxRuntime
from random_seeds import first_seed
from relax_module import Module
from relax_ops import Refused
from run_outputs import array_difference

FIXED_SEEDS = range(8)
TOLERANCES = {"float16": 5e-2}
TOLERANCE = 2e-3  # of numbers up to 32, after some dozen operators


def difference(found, expected):
    """How outputs differ, dicts of arrays in order; an empty string if they do not."""
    if list(found) != list(expected):
        return f"outputs {list(found)}, expected {list(expected)}"
    for name, array in expected.items():
        # ONNX Runtime takes sizes that it does not know as 0 where nothing was computed.
        if array.size == 0 and found[name].size == 0:
            continue
        tolerance = TOLERANCES.get(array.dtype.name, TOLERANCE)
        if line := array_difference(found[name], array, tolerance, tolerance):
            return f"{name}: {line}"
    return ""


class Case(CheckedModel):
    """One drawn model."""

    def __init__(self, seed, folder, runtime):
        model, feeds = draw(seed)
        super().__init__(folder, folder / "model.onnx", feeds)
        onnx.save(model, self.model)
        self.runtime = runtime
        self.expected = None

    def compare(self, what, found):
        if found is not None:
            self.complain(what, difference(found, self.expected))

    def check(self, native):
        self.expected = self.outputs(self.model)
        self.check_text(self.model)
        self.done("inspect", self.model)
        if self.expected is None:
            return
        known = self.check_runtime(self.model)
        self.check_passes(known)
        self.check_relax()
        if native:
            self.compare("native", self.outputs(self.model, "--engine", "native"))

    def check_runtime(self, model):
        """Whether ONNX Runtime is there and runs the model; it refuses some that are valid."""
        if self.runtime is None:
            return False
        found, refusal = self.runtime.run(model, self.feeds, self.folder / "runtime")
        if model != self.model:
            self.complain("ONNX Runtime", refusal)
        self.compare("ONNX Runtime", found)
        return found is not None

    def check_text(self, model):
        text = model.with_suffix(".dgt")
        if self.done("convert", model, "-q", "-o", text):
            self.done("diff", text, model)

    def check_passes(self, runtime_knows):
        common = self.folder / "common.dgm"
        if self.done("convert", self.model, "-q", "--passes", "default", "--level", "common",
                     "-o", common):
            self.compare("passes", self.outputs(common))
            self.check_text(common)
        written = self.folder / "written.onnx"
        if self.done("convert", self.model, "-q", "--passes", "default", "--opset", 21, "-o",
                     written):
            self.compare("ONNX file", self.outputs(written))
            if runtime_knows:
                self.check_runtime(written)

    def check_relax(self):
        module = self.folder / "module.py"
        done = dragoman("convert", self.model, "-q", "-o", module)
        if done.returncode == 4:  # what Relax has not
            return
        if not self.complain("convert to Relax", complaint(done)):
            return
        self.complain("Relax module", "; ".join(relax_lint.lint(module)))
        try:
            with np.errstate(all="ignore"):
                results = Module(module)(*self.feeds.values())
        except Refused:
            return
        self.compare("Relax", dict(zip(self.expected, map(np.asarray, results))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--native", type=int, default=1)
    args = parser.parse_args()
    first = first_seed(args.seed)
    seeds = [*([] if args.seed is not None else FIXED_SEEDS), *range(first, first + args.rounds)]
    place = os.environ.get("DRAGOMAN_ONNXRUNTIME")
    runtime = OnnxRuntime(place) if place else None
    failures = 0
    for i, seed in enumerate(seeds):
        with tempfile.TemporaryDirectory() as folder:
            case = Case(seed, pathlib.Path(folder), runtime)
            case.check(native=i < args.native)
        failures += bool(case.complaints)
        for line in case.complaints:
            print(f"--seed {seed} --rounds 1: {line}", flush=True)
    if runtime:
        runtime.close()
    print(f"{len(seeds) - failures} of {len(seeds)} models agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
