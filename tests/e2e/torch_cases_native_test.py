#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases of TorchScript (shared/data/torch-cases) by generated C++ programs.

Every case that the interpreter passes (torch_cases_test.py) is generated; all programs are compiled
into one executable, over a runtime that is compiled once and without optimisation, and run on the
recorded inputs. Those that fail nevertheless stand in torch_cases_native_expected.txt with a
reason.

A sample is run, drawn by a hash of the case's name, unless --all is given or DRAGOMAN_ALL is set.
"""

import concurrent.futures
import pathlib
import sys
import tempfile

import numpy as np

import native_programs
import torch_cases_test as cases
from commands import DRAGOMAN, complaint
from run_outputs import compare, read_outputs

FOLDER = pathlib.Path(__file__).parent


def run_program(case, program, folder):
    """An empty string, or what is wrong with the outputs."""
    out = case.work / "out"
    arguments = ["--output-dir", out]
    for i, (_, array, _) in enumerate(case.inputs):
        file = case.work / f"in-{i}.npy"
        np.save(file, array)
        arguments += ["--input", f"{i}={file}"]
    if case.meta["calls"] > 1:
        arguments += ["--steps", case.meta["calls"]]
    done = native_programs.run(program, folder, arguments)
    return complaint(done) or compare(read_outputs(out), case.expected)


def main():
    parser = cases.argument_parser(__doc__, percent=1)
    parser.add_argument("--folder", type=pathlib.Path, help="where programs are built; kept")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data} is not there: skipped")
        return 77
    interpreted = cases.read_expected(FOLDER / "torch_cases_expected.txt")
    expected = cases.read_expected(FOLDER / "torch_cases_native_expected.txt")
    folder = options.folder or pathlib.Path(DRAGOMAN).absolute().parent / "torch_cases"
    folder.mkdir(parents=True, exist_ok=True)
    return cases.report(run_cases(options, interpreted, folder), {**interpreted, **expected})


def run_cases(options, interpreted, folder):
    """Case to what is wrong with it, an empty string if nothing is."""
    chosen = cases.chosen_cases(options)
    problems = {name: "the interpreter fails" for name in chosen if name in interpreted}
    with tempfile.TemporaryDirectory() as work:
        made = {}
        for name in chosen:
            if name in problems:
                continue
            place = pathlib.Path(work) / name
            place.mkdir(parents=True)
            made[name] = cases.Case(chosen[name], place)

        def each(work_on):
            left = [name for name in made if name not in problems]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                done = pool.map(
                    lambda name: work_on(made[name], native_programs.identifier(name)), left)
                problems.update((name, problem) for name, problem in zip(left, done) if problem)

        each(lambda case, program: native_programs.generate(
            case.folder / "model.pt", program, folder, case.shapes()))
        programs = {native_programs.identifier(name): name
                    for name in made if name not in problems}
        failed = native_programs.build(list(programs), folder, options.jobs)
        problems.update((programs[program], problem) for program, problem in failed.items())
        each(lambda case, program: run_program(case, program, folder))
    return {name: problems.get(name, "") for name in chosen}


if __name__ == "__main__":
    sys.exit(main())
