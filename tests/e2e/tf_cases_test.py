#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs graphs of TensorFlow (tests/models/tensorflow/operators, shared/data/tf-cases) through the
command line.

A case is a folder with graph.pb, inputs.npz, outputs.npz (made by TensorFlow.js and NumPy) and
meta.json. The graph, cut at the case's inputs and fetches, is run by the interpreter; it is
converted to ONNX and that file is run, too; with --native, the generated C++ program is run. Cases
that are expected to fail stand in tf_cases_expected.txt with a reason; one that passes nevertheless
is an error as well. Of shared/data a sample is run, drawn by a hash of the case's name, unless --all
is given or DRAGOMAN_ALL is set.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

import native_programs
from commands import DRAGOMAN, complaint, dragoman
from run_outputs import compare, read_outputs
from torch_cases_test import in_sample, read_expected

TIMEOUT_S = 120
OWN = pathlib.Path("tests/models/tensorflow/operators")
HERE = pathlib.Path(__file__).parent
# TensorFlow.js has no wider numbers: what it gives for these is narrowed.
NARROWED = {"int32": ("int64", "uint8", "int8", "int16", "uint16", "uint32"),
            "float32": ("float64", "float16")}


def as_found(wanted, dtype):
    """A recorded array as one of element type `dtype`, where that is only another spelling."""
    if wanted.dtype.kind in "OSU":
        texts = [value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
                 for value in wanted.reshape(-1)]
        return np.array(texts).reshape(wanted.shape), "str"
    if dtype == "bfloat16" and wanted.dtype == np.uint16:
        return wanted, dtype
    if dtype in NARROWED.get(str(wanted.dtype), ()):
        wanted = wanted.astype(dtype)
    return wanted, str(wanted.dtype)


class Case:
    def __init__(self, folder, work):
        self.folder = folder
        self.work = work
        self.meta = json.loads((folder / "meta.json").read_text())
        outputs = np.load(folder / "outputs.npz", allow_pickle=True)
        self.expected = [outputs[f"o{i}"] for i in range(len(self.meta["fetches"]))]
        inputs = np.load(folder / "inputs.npz", allow_pickle=True)
        self.files = []
        self.sizes = []  # for graphs that do not state the ranks of their inputs
        for i, name in enumerate(self.meta["inputs"]):
            file = work / f"in-{i}.npy"
            np.save(file, inputs[name])
            self.files.append((name, file))
            self.sizes += ["--shape", f"{name}={','.join(map(str, inputs[name].shape))}"]

    def cut(self):
        return ["--cut-outputs", ",".join(self.meta["fetches"])]

    def inputs(self, by_name):
        arguments = []
        for i, (name, file) in enumerate(self.files):
            arguments += ["--input", f"{name if by_name else i}={file}"]
        return arguments

    def check_outputs(self, folder):
        found = read_outputs(folder)
        expected = [as_found(wanted, dtype) for (_, dtype), wanted in zip(found, self.expected)]
        return compare(found, expected)

    def run_model(self, model, arguments):
        out = self.work / f"out-{len(list(self.work.glob('out-*')))}"
        done = dragoman("run", model, "--output-dir", out, *arguments, timeout=TIMEOUT_S)
        return complaint(done) or self.check_outputs(out)

    def check(self):
        """An empty string if the case passes, else the stage and what went wrong."""
        graph = self.folder / "graph.pb"
        for target in ("model.dgm", "model.onnx"):
            model = self.work / target
            # Other readers of ONNX do not know operators of our own.
            ours = ["--allow-domain", "dragoman"] if target == "model.onnx" else []
            done = dragoman("convert", graph, "-o", model, "--level", "common", *self.cut(), *ours,
                            timeout=TIMEOUT_S, checked=self.meta.get("onnx", True))
            problem = complaint(done)
            problem = problem or self.run_model(model, self.inputs(True))
            if problem:
                return f"{target}: {problem}"
        return ""

    def generate(self, program, folder):
        return native_programs.generate(self.folder / "graph.pb", program, folder,
                                        self.cut() + self.sizes)

    def run_program(self, program, folder):
        out = self.work / "out-native"
        arguments = ["--output-dir", out, *self.inputs(False)]
        done = native_programs.run(program, folder, arguments)
        return complaint(done) or self.check_outputs(out)


def check_natively(made, problems, folder, jobs):
    """Adds to `problems` what programs of the other cases do wrong."""
    folder.mkdir(parents=True, exist_ok=True)

    def each(work_on):
        left = [name for name in made if not problems.get(name)]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            done = pool.map(lambda name: work_on(made[name], native_programs.identifier(name)), left)
            problems.update({name: problem for name, problem in zip(left, done) if problem})

    each(lambda case, program: case.generate(program, folder))
    programs = {native_programs.identifier(name): name for name in made if not problems.get(name)}
    failed = native_programs.build(list(programs), folder, jobs)
    problems.update({programs[program]: problem for program, problem in failed.items()})
    each(lambda case, program: case.run_program(program, folder))


def check_case(case):
    try:
        return case.check()
    except (KeyError, ValueError, OSError) as error:
        return f"driver: {error!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data/tf-cases"))
    parser.add_argument("--own", type=pathlib.Path, default=OWN, help="cases of which all are run")
    parser.add_argument("--all", action="store_true", default=bool(os.environ.get("DRAGOMAN_ALL")))
    parser.add_argument("--only", help="a regular expression that names must match")
    parser.add_argument("--percent", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--native", action="store_true", help="generated C++ programs, too")
    parser.add_argument("--folder", type=pathlib.Path, help="where programs are built; kept")
    options = parser.parse_args()
    expected = read_expected(HERE / "tf_cases_expected.txt")
    own = {path.parent.name: path.parent for path in sorted(options.own.glob("*/meta.json"))}
    folders = own | {path.parent.name: path.parent
                     for path in sorted(options.data.glob("*/meta.json"))}
    names = [name for name in folders
             if (re.search(options.only, name) if options.only
                 else options.all or name in own or in_sample(name, options.percent))]
    with tempfile.TemporaryDirectory() as work:
        made = {}
        for name in names:
            place = pathlib.Path(work) / name
            place.mkdir()
            made[name] = Case(folders[name], place)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            problems = dict(zip(made, pool.map(check_case, made.values())))
        if options.native:
            folder = options.folder or pathlib.Path(DRAGOMAN).absolute().parent / "tf_cases"
            check_natively(made, problems, folder, options.jobs)
    bad = 0
    for name, problem in problems.items():
        if bool(problem) != (name in expected):
            bad += 1
            print(f"{name}: {problem or 'passes, though expected to fail: ' + expected[name]}")
    print(f"{sum(not problem for problem in problems.values())} of {len(problems)} pass")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
