#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the calls of tests/models/torchscript/operators by generated C++ programs.

Each file becomes one program, its calls the methods of one class; every method is run on the
recorded arguments. A sample of the files, or all of them if DRAGOMAN_ALL is set, or those that are
named.
"""

import json
import os
import pathlib
import sys
import tempfile

import numpy as np

import native_programs
from commands import DRAGOMAN, complaint, dragoman
from run_outputs import compare, read_outputs

FIXTURES = pathlib.Path(__file__).parent.parent / "models" / "torchscript" / "operators"
SAMPLE = ("fourier", "losses")
# Calls that programs refuse, and why.
EXPECTED = {}


def chosen_files():
    if sys.argv[1:]:
        return sys.argv[1:]
    return sorted(path.stem for path in FIXTURES.glob("*.pt")) if os.environ.get(
        "DRAGOMAN_ALL") else SAMPLE


def arguments_of(model):
    """The names of all arguments of the model's methods."""
    entries = json.loads(dragoman("inspect", model, "--json").stdout)["entries"]
    return sorted({given["name"] for entry in entries for given in entry["inputs"]})


def shapes(names, pool):
    facts = []
    for name in names:
        if name in pool:
            sizes = ",".join(map(str, pool[name].shape))
            facts += ["--shape", f"{name}={pool[name].dtype}:{sizes}"]
    return facts


def check_call(program, folder, call, expected):
    """An empty string, or what is wrong with the outputs."""
    with tempfile.TemporaryDirectory() as work:
        out = pathlib.Path(work) / "out"
        done = native_programs.run(program, folder, [
            "--inputs", folder / "pool.npz", "--steps", call, "--output-dir", out])
        if problem := complaint(done):
            return problem
        outputs = [(array[0], dtype) for array, dtype in read_outputs(out)]
    return compare(outputs, [(array, str(array.dtype)) for array in expected])


def calls_of(recorded):
    """Method to its outputs, in order."""
    calls = {}
    for name in recorded.files:
        calls.setdefault(name.rpartition(".")[0], []).append(recorded[name])
    return calls


def check_files(names, folder):
    """Call to what is wrong with it, an empty string if nothing is."""
    pool = np.load(FIXTURES / "pool.npz")
    np.savez(folder / "pool.npz", **pool)  # programs read what is not compressed
    programs = {native_programs.identifier(name): name for name in names}
    for program, name in programs.items():
        model = FIXTURES / f"{name}.pt"
        problem = native_programs.generate(model, program, folder,
                                           shapes(arguments_of(model), pool))
        if problem:
            sys.exit(f"{name}: {problem}")
    for program, problem in native_programs.build(list(programs), folder).items():
        sys.exit(f"{programs[program]}: {problem}")
    problems = {}
    for program, name in programs.items():
        for call, outputs in calls_of(np.load(FIXTURES / f"{name}.npz")).items():
            problems[f"{name}/{call}"] = check_call(program, folder, call, outputs)
    return problems


def main():
    folder = pathlib.Path(DRAGOMAN).absolute().parent / "operator_fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    problems = check_files(chosen_files(), folder)
    bad = 0
    for name, problem in problems.items():
        if bool(problem) != (name in EXPECTED):
            bad += 1
            print(f"{name}: {problem or 'passes, though expected to fail: ' + EXPECTED[name]}")
    passed = sum(not problem for problem in problems.values())
    print(f"{passed} of {len(problems)} calls pass")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
