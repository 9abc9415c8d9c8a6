#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TorchScript models as Relax modules: linted, evaluated on NumPy, compared with torch's outputs.

Models: the fixtures of tests/models/torchscript that have recorded arrays, converted for the sizes
of these, or for the symbolic sizes of their file `shapes`, and then evaluated for several. Steps of
models with states are calls of the module's functions one after the other.
"""
import pathlib
import re
import sys
import tempfile

import numpy as np

import relax_lint
import relax_module
from commands import complaint, dragoman
from run_outputs import array_differences

FOLDER = pathlib.Path(__file__).parent.parent / "models" / "torchscript"
RTOL, ATOL = 1e-4, 1e-5
# Sizes that stay symbolic where a fixture has no file for it.
SYMBOLIC = {"control_flow": "x=n,4 n=int64:", "dynamic_arange": "x=n,2"}
# What the text of a module must hold.
HOLDS = {
    "counter": ['"states": {"count": '],
    "checked_sizes": ["R.assert_op(", "@R.function(pure=False)", "        if lv"],
    "control_flow": ["        if lv", "cls.loop("],
    "dynamic_arange": ["R.arange(0, n, 1, dtype=\"int64\")"],
    "traced_linear": [
        '        with R.dataflow():\n'
        '            lv: R.Tensor((10, 7), dtype="float32") = '
        'R.permute_dims(linear_weight, axes=[1, 0])\n'
        '            lv1: R.Tensor((1, 3, 10, 7), dtype="float32") = '
        'R.matmul(x, lv, out_dtype=None)\n'
        '            gv: R.Tensor((1, 3, 10, 7), dtype="float32") = R.add(lv1, linear_bias)\n'
        '            R.output(gv)\n'
        '        return gv\n'],
}


def calls_of(folder):
    """The methods that `steps` names, one after the other."""
    steps = folder / "steps"
    calls = []
    for step in steps.read_text(encoding="utf-8").strip().split(",") if steps.exists() else []:
        method, _, count = step.partition("*")
        calls += ["forward"] * int(method) if method.isdigit() else [method] * int(count or 1)
    return calls


def arrays(path):
    with np.load(path) as stored:
        return dict(stored.items())


def shapes(folder):
    """What is known when the model is converted."""
    stated = folder / "shapes"
    if stated.exists() or folder.name in SYMBOLIC:
        facts = (SYMBOLIC.get(folder.name) or stated.read_text(encoding="utf-8")).split()
    else:
        once = slice(1 if calls_of(folder) else 0, None)
        facts = [f"{name}={array.dtype}:{','.join(map(str, array.shape[once]))}"
                 for name, array in arrays(folder / "inputs.npz").items()]
    return [argument for fact in facts for argument in ("--shape", fact)]


def single_call(path, inputs):
    return relax_module.Module(path)(*inputs.values())


def many_calls(path, inputs, calls):
    """Outputs of each method, stacked."""
    methods = {name: relax_module.Module(path, "main" if name == "forward" else name)
               for name in dict.fromkeys(calls)}
    states = methods["forward"].states
    turns = {name: 0 for name in methods}
    outputs = {name: [] for name in methods}
    for name in calls:
        method = methods[name]
        method.states = states
        given = [inputs[p][turns[name]] for p in method.main.parameters if p in inputs]
        turns[name] += 1
        outputs[name].append(method(*given))
    return [np.stack(leaf) for leaves in outputs.values() for leaf in zip(*leaves)]


def check(folder, work):
    """What is wrong, a line each."""
    name = folder.name
    module = pathlib.Path(work) / "model.py"
    done = dragoman("convert", folder / "model.pt", "-o", module, *shapes(folder))
    if problem := complaint(done):
        return [problem]
    findings = relax_lint.lint(module)
    text = module.read_text(encoding="utf-8")
    findings += [f"the text lacks {part}" for part in HOLDS.get(name, []) if part not in text]
    for data in [folder, *sorted(folder.glob("other_sizes_*"))] if not findings else []:
        inputs, expected = arrays(data / "inputs.npz"), arrays(data / "outputs.npz")
        calls = calls_of(folder)
        try:
            actual = many_calls(module, inputs, calls) if calls else single_call(module, inputs)
        except Exception as error:  # a module that does not run is a finding like any other
            return [f"{data.name}: {type(error).__name__}: {error}"]
        findings += array_differences(actual, expected, RTOL, ATOL)
    return findings


def main():
    count = wrong = 0
    for model in sorted(FOLDER.glob("*/model.pt")):
        if len(sys.argv) > 1 and not re.search(sys.argv[1], model.parent.name):
            continue
        with tempfile.TemporaryDirectory() as work:
            findings = check(model.parent, work)
        count += 1
        wrong += bool(findings)
        for finding in findings:
            print(f"{model.parent.name}: {finding}")
    print(f"{count} models, {wrong} wrong")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
