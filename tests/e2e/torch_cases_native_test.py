#!/usr/bin/env python3
"""Runs cases of TorchScript (shared/data/torch-cases) by generated C++ programs.

Every case that the interpreter passes (torch_cases_test.py) is generated; all programs are compiled
into one executable, over a runtime that is compiled once and without optimisation, and run on the
recorded inputs. Those that fail nevertheless stand in torch_cases_native_expected.txt with a reason.

A sample is run, drawn by a hash of the case's name, unless --all is given or DRAGOMAN_ALL is set.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

import numpy as np

import native_programs
import torch_cases_test as cases

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
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.strip()}"
    return cases.compare(cases.read_outputs(out), case.expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dragoman",
                        default=os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman"))
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path("../shared/data/torch-cases"))
    parser.add_argument("--all", action="store_true", default=bool(os.environ.get("DRAGOMAN_ALL")))
    parser.add_argument("--only", help="a regular expression that names must match")
    parser.add_argument("--percent", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=pathlib.Path, help="where programs are built; kept")
    options = parser.parse_args()
    if not options.data.is_dir():
        print(f"{options.data} is not there: skipped")
        return 77
    interpreted = cases.read_expected(FOLDER / "torch_cases_expected.txt")
    expected = cases.read_expected(FOLDER / "torch_cases_native_expected.txt")
    folder = options.folder or pathlib.Path(options.dragoman).absolute().parent / "torch_cases"
    folder.mkdir(parents=True, exist_ok=True)
    problems = run_cases(options, interpreted, folder)
    return report(problems, interpreted, expected)


def chosen_cases(options):
    """Name to folder."""
    folders = sorted(path.parent for path in options.data.glob("*/*/meta.json"))
    names = {f"{folder.parent.name}/{folder.name}": folder for folder in folders}
    if options.only:
        return {name: names[name] for name in names if re.search(options.only, name)}
    return {name: names[name] for name in names
            if options.all or cases.in_sample(name, options.percent)}


def run_cases(options, interpreted, folder):
    """Case to what is wrong with it, an empty string if nothing is."""
    chosen = chosen_cases(options)
    problems = {name: "the interpreter fails" for name in chosen if name in interpreted}
    with tempfile.TemporaryDirectory() as work:
        made = {}
        for name in chosen:
            if name in problems:
                continue
            place = pathlib.Path(work) / name
            place.mkdir(parents=True)
            made[name] = cases.Case(chosen[name], options.dragoman, place)

        def each(work_on):
            left = [name for name in made if name not in problems]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                done = pool.map(
                    lambda name: work_on(made[name], native_programs.identifier(name)), left)
                problems.update((name, problem) for name, problem in zip(left, done) if problem)

        each(lambda case, program: native_programs.generate(
            options.dragoman, case.folder / "model.pt", program, folder, case.shapes()))
        programs = {native_programs.identifier(name): name
                    for name in made if name not in problems}
        failed = native_programs.build(list(programs), folder, options.jobs)
        problems.update((programs[program], problem) for program, problem in failed.items())
        each(lambda case, program: run_program(case, program, folder))
    return {name: problems.get(name, "") for name in chosen}


def report(problems, interpreted, expected):
    bad = 0
    passed = {}
    for name, problem in problems.items():
        suite = passed.setdefault(name.split("/")[0], [0, 0])
        suite[0] += not problem
        suite[1] += 1
        if name not in interpreted and bool(problem) != (name in expected):
            bad += 1
            print(f"{name}: {problem or 'passes, though expected to fail: ' + expected[name]}")
    for suite, (good, count) in sorted(passed.items()):
        print(f"{suite}: {good} of {count} pass")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
