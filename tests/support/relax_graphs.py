# SPDX-License-Identifier: Apache-2.0
"""Graphs as Relax modules: written, linted, evaluated on NumPy, and compared with what `dragoman run`
gives of the graph, and of the module."""
import dataclasses
import pathlib
import sys
import tempfile

import numpy as np

import relax_eval
import relax_lint
import relax_module
from commands import complaint, dragoman
from run_outputs import array_differences, read_outputs

RTOL, ATOL = 1e-4, 1e-5


@dataclasses.dataclass
class Case:
    graph: str           # in the text form (docs/text-form.md)
    runs: tuple = ()     # inputs of one or more
    holds: tuple = ()    # what the module's text has
    lacks: tuple = ()    # what it has not
    options: tuple = ()  # of convert
    pairs: bool = False  # complex numbers are pairs in the module

    @property
    def release(self):
        at = self.options.index("--relax-version") if "--relax-version" in self.options else None
        return "latest" if at is None else self.options[at + 1]


def f32(*sizes):
    """Small numbers, the same in every run."""
    return np.random.default_rng(sum(sizes)).standard_normal(sizes).astype(np.float32)


def scalar(value):
    return np.array(value, np.float32)


def i64(value):
    return np.array(value, np.int64)


def run_file(model, inputs, folder):
    """The outputs of `dragoman run`; None if it fails."""
    out = folder / f"out_{model.name}"
    arguments = ["--output-dir", out]
    for i, array in enumerate(inputs):
        file = folder / f"{i}.npy"
        np.save(file, array)
        arguments += ["--input", f"{i}={file}"]
    if dragoman("run", model, *arguments).returncode != 0:
        return None
    return [array for array, _ in read_outputs(out)]


def as_pairs(arrays):
    return None if arrays is None else [
        np.stack([a.real, a.imag], -1) if a.dtype.kind == "c" else a for a in arrays]


def run_module(path, inputs):
    """The module's results; None if an assertion fails."""
    try:
        results = relax_module.Module(path)(*inputs)
    except relax_eval.AssertionFailed:
        return None
    return [result.view(np.uint8) if result.dtype.names else result for result in results]


def differences(what, actual, expected):
    if actual is None or expected is None:
        return [] if actual is expected else [f"{what}: one fails, the other does not"]
    named = {f"{what}, result {i}": array for i, array in enumerate(expected)}
    return array_differences(actual, named, RTOL, ATOL)


def check(case, folder):
    """What is wrong, a line each."""
    source, module = folder / "model.dgt", folder / "model.py"
    source.write_text(case.graph, encoding="utf-8")
    if problem := complaint(dragoman("convert", source, "-o", module, *case.options)):
        return [problem]
    findings = relax_lint.lint(module, case.release)
    text = module.read_text(encoding="utf-8")
    findings += [f"the text lacks {part}" for part in case.holds if part not in text]
    findings += [f"the text has {part}" for part in case.lacks if part in text]
    for inputs in case.runs if not findings else []:
        expected = run_file(source, inputs, folder)
        paired, given = (as_pairs(inputs), as_pairs(expected)) if case.pairs else (inputs, expected)
        findings += differences("module", run_module(module, paired), given)
        findings += differences("read back", run_file(module, inputs, folder), expected)
    return findings


def run_cases(cases):
    """The exit code; the program's first argument chooses cases by a part of their name."""
    wrong = 0
    for name, case in cases.items():
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            findings = check(case, pathlib.Path(folder))
        wrong += bool(findings)
        for finding in findings:
            print(f"{name}: {finding}")
    print(f"{len(cases)} graphs, {wrong} wrong")
    return 1 if wrong else 0
