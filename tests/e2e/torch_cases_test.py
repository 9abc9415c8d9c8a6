#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases of TorchScript (shared/data/torch-cases) through the command line.

A case is a folder with model.pt, inputs.npz, outputs.npz and meta.json. The model is run on its
inputs by the interpreter; it is converted to ONNX for the sizes of the inputs and that file is run,
too; with --native, the generated C++ program is run. Outputs are compared here, with NumPy.

Cases that are expected to fail stand in torch_cases_expected.txt with a reason; one that passes
nevertheless is an error as well. A sample is run, drawn by a hash of the case's name, unless --all
is given or DRAGOMAN_ALL is set.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import sys

import numpy as np

from commands import complaint, dragoman
from run_outputs import compare, outcome_of, read_outputs

SCALARS = {"bool": np.bool_, "int": np.int64, "float": np.float64, "complex": np.complex128}
TIMEOUT_S = 120


def flat_inputs(meta, arrays):
    """(path by position, array, element type) of every leaf that is given."""
    leaves = []

    def walk(path, item):
        kind = item["kind"]
        if kind == "tensor":
            leaves.append((path, arrays[item["key"]], item["dtype"]))
        elif kind in ("tuple", "list", "namedtuple"):
            for i, part in enumerate(item["items"]):
                walk(f"{path}.{i}", part)
        elif kind == "dict":
            for key, part in item["items"]:
                walk(f"{path}.{key['value']}", part)
        elif kind == "str":
            leaves.append((path, np.array(item["value"]), "string"))
        elif kind != "none":
            leaves.append((path, np.array(item["value"], SCALARS[kind]), kind_name(kind)))

    # Tuples are taken apart in counting positions, all else counts once.
    position = 0

    def count(item):
        return sum(map(count, item["items"])) if item["kind"] == "tuple" else 1

    for i, item in enumerate(meta["inputs"]):
        walk(str(i) if item["kind"] in ("tuple", "list", "dict") else str(position), item)
        position += count(item)
    return leaves


def kind_name(kind):
    return {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}[kind]


def flat_outputs(item, arrays):
    """(array, element type) of every leaf, in order."""
    kind = item["kind"]
    if kind == "tensor":
        return [(arrays[item["key"]], item["dtype"])]
    if kind in ("tuple", "list", "namedtuple"):
        return [leaf for part in item["items"] for leaf in flat_outputs(part, arrays)]
    if kind == "dict":
        return [leaf for _, part in item["items"] for leaf in flat_outputs(part, arrays)]
    if kind == "str":
        return [(np.array(item["value"]), "str")]
    if kind == "none":
        return []
    value = complex(*item["value"]) if kind == "complex" else item["value"]
    return [(np.array(value, SCALARS[kind]), kind_name(kind))]


def expected_outputs(meta, arrays):
    if meta["calls"] == 1:
        return flat_outputs(meta["outputs"], arrays)
    calls = [flat_outputs(call, arrays) for call in meta["outputs"]["items"]]
    return [(np.stack([leaf[0] for leaf in leaves]), leaves[0][1]) for leaves in zip(*calls)]


class Case:
    def __init__(self, folder, work):
        self.folder = folder
        self.name = f"{folder.parent.name}/{folder.name}"
        self.work = work
        self.meta = json.loads((folder / "meta.json").read_text())
        self.expected = expected_outputs(self.meta, np.load(folder / "outputs.npz"))
        self.inputs = flat_inputs(self.meta, np.load(folder / "inputs.npz"))

    def run_model(self, model, names, extra=()):
        out = self.work / f"out-{len(list(self.work.glob('out-*')))}"
        arguments = ["--output-dir", out, *extra]
        for i, (name, (_, array, _)) in enumerate(zip(names, self.inputs)):
            file = self.work / f"in-{i}.npy"
            np.save(file, array)
            arguments += ["--input", f"{name}={file}"]
        if self.meta["calls"] > 1:
            arguments += ["--steps", self.meta["calls"]]
        done = dragoman("run", model, *arguments, timeout=TIMEOUT_S)
        return complaint(done) or compare(read_outputs(out), self.expected)

    def shapes(self):
        facts = []
        for path, array, dtype in self.inputs:
            sizes = ",".join(str(d) for d in array.shape)
            facts += ["--shape", f"{path}={dtype}:{sizes}"]
        return facts

    def check(self, native):
        """An empty string if the case passes, else the stage and what went wrong."""
        paths = [path for path, _, _ in self.inputs]
        shapes = self.shapes()
        model = self.folder / "model.pt"
        problem = self.run_model(model, paths, shapes)
        if problem:
            return "run: " + problem
        onnx = self.work / "model.onnx"
        problem = complaint(dragoman("convert", model, "-o", onnx, *shapes, "--allow-domain",
                                     "dragoman", timeout=TIMEOUT_S))
        if problem:
            return "convert: " + problem
        problem = self.run_model(onnx, [str(i) for i in range(len(paths))])
        if problem:
            return "onnx: " + problem
        if native:
            problem = self.run_model(model, paths, [*shapes, "--engine", "native"])
            if problem:
                return "native: " + problem
        return ""


def check_case(folder, native):
    return outcome_of(lambda work: Case(folder, work).check(native))


def read_expected(path):
    """Case to reason, of lines "suite/case: reason"."""
    expected = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            case, _, reason = line.partition(": ")
            expected[case] = reason
    return expected


def in_sample(name, percent):
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 100 < percent


def argument_parser(description, percent):
    """The options that all drivers of these cases have; a sample is `percent` of the cases."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path("../shared/data/torch-cases"))
    parser.add_argument("--all", action="store_true", default=bool(os.environ.get("DRAGOMAN_ALL")))
    parser.add_argument("--only", help="a regular expression that names must match")
    parser.add_argument("--percent", type=int, default=percent)
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def chosen_cases(options):
    """Name ("suite/case") to folder."""
    folders = sorted(path.parent for path in options.data.glob("*/*/meta.json"))
    names = {f"{folder.parent.name}/{folder.name}": folder for folder in folders}
    if options.only:
        return {name: names[name] for name in names if re.search(options.only, name)}
    return {name: names[name] for name in names
            if options.all or in_sample(name, options.percent)}


def report(problems, expected):
    """Prints what is not as expected, and how many pass of each suite; gives the exit code."""
    bad = 0
    passed = {}
    for name, problem in problems.items():
        suite = passed.setdefault(name.split("/")[0], [0, 0])
        suite[0] += not problem
        suite[1] += 1
        if bool(problem) != (name in expected):
            bad += 1
            print(f"{name}: {problem or 'passes, though expected to fail: ' + expected[name]}")
    for suite, (good, count) in sorted(passed.items()):
        print(f"{suite}: {good} of {count} pass")
    return 1 if bad else 0


def main():
    parser = argument_parser(__doc__, percent=6)
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--report", type=pathlib.Path, help="gets a line for each failure")
    parser.add_argument("--expected", type=pathlib.Path,
                        default=pathlib.Path(__file__).with_name("torch_cases_expected.txt"))
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data} is not there: skipped")
        return 77
    chosen = chosen_cases(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda folder: check_case(folder, options.native), chosen.values())
        problems = dict(zip(chosen, found))
    if options.report:
        lines = [f"{name}: {problem}" for name, problem in problems.items() if problem]
        options.report.write_text("\n".join(lines) + "\n")
    return report(problems, read_expected(options.expected))


if __name__ == "__main__":
    sys.exit(main())
