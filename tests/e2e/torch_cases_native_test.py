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
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import torch_cases_test as cases

FOLDER = pathlib.Path(__file__).parent
# Programs of one source file: the headers that they share are parsed once for all of them.
PROGRAMS_PER_FILE = 15
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(programs LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS "-O0 -fno-strict-aliasing")
file(GLOB_RECURSE runtime "${CMAKE_CURRENT_SOURCE_DIR}/runtime/*.cc")
add_library(runtime STATIC ${runtime})
target_include_directories(runtime PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(runtime PUBLIC dnnl pthread)
file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs_*.cc")
add_executable(programs main.cc ${programs})
target_compile_options(programs PRIVATE -Wall -Wextra -Werror)
target_compile_definitions(programs PRIVATE MODEL_WEIGHTS="")
target_link_libraries(programs PRIVATE runtime)
"""


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def generate(case, name, folder):
    """An empty string, or why there is no program."""
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work) / "program"
        done = cases.run([case.dragoman, "codegen", str(case.folder / "model.pt"), "-q", "-o",
                          str(program), "--name", name, *case.shapes()])
        if done.returncode != 0:
            return f"exit {done.returncode}: {done.stderr.strip()}"
        for path in sorted(program.rglob("*")):
            place = folder / path.relative_to(program)
            if path.name == "infer.cc":
                place = folder / f"{name}_infer.cc"
            if path.suffix == ".weights":
                shutil.copy(path, place)
            elif path.suffix in (".h", ".cc"):
                write_if_changed(place, path.read_text())
    return ""


def include(name, folder):
    """The source text of one program, whose main() becomes a function."""
    parts = sorted(path.name for path in folder.glob(f"{name}*.cc"))
    parts = [part for part in parts if re.fullmatch(f"{name}(_[0-9]+|_infer)?\\.cc", part)]
    lines = "".join(f'#include "{part}"\n' for part in parts)
    return f"#define main {name}_main\n{lines}#undef main\n"


def write_build(names, folder):
    for old in folder.glob("programs_*.cc"):
        if int(old.stem[len("programs_"):]) * PROGRAMS_PER_FILE >= len(names):
            old.unlink()
    for start in range(0, len(names), PROGRAMS_PER_FILE):
        text = "".join(include(name, folder) for name in names[start:start + PROGRAMS_PER_FILE])
        write_if_changed(folder / f"programs_{start // PROGRAMS_PER_FILE}.cc", text)
    calls = "".join(f'  if (name == "{name}") return {name}_main(argc - 1, argv + 1);\n'
                    for name in names)
    declared = "".join(f"int {name}_main(int, char**);\n" for name in names)
    write_if_changed(folder / "main.cc",
                     f"#include <string>\n\n{declared}\nint main(int argc, char** argv) {{\n"
                     f"  const std::string name = argv[1];\n{calls}  return 3;\n}}\n")
    write_if_changed(folder / "CMakeLists.txt", CMAKE)


def compile_problems(output):
    """Program to the first error that the compiler tells of it."""
    problems = {}
    program = None
    for line in output.splitlines():
        place = re.search(r"\b(c_[A-Za-z0-9_]+?)(_[0-9]+|_infer)?\.(cc|h)[:,]", line)
        program = place[1] if place else program
        if "error: " in line and program:
            problems.setdefault(program, "does not compile: " + line.split("error: ")[1])
    return problems


def build(names, folder, jobs):
    """Program to why it does not compile, of those that do not; all others are built."""
    problems = {}
    while True:
        write_build([name for name in names if name not in problems], folder)
        for command in (["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"],
                        ["cmake", "--build", folder / "build", "--", "-k", "0", f"-j{jobs}"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return problems
        found = compile_problems(done.stdout)
        if not found or found.keys() <= problems.keys():
            sys.exit("the programs do not compile:\n" + done.stdout[-4000:] + done.stderr[-2000:])
        problems.update(found)


def run_program(case, name, folder):
    """An empty string, or what is wrong with the outputs."""
    out = case.work / "out"
    command = [str(folder / "build" / "programs"), name, "--weights",
               str(folder / f"{name}.weights"), "--output-dir", str(out)]
    for i, (_, array, _) in enumerate(case.inputs):
        file = case.work / f"in-{i}.npy"
        np.save(file, array)
        command += ["--input", f"{i}={file}"]
    if case.meta["calls"] > 1:
        command += ["--steps", str(case.meta["calls"])]
    done = cases.run(command)
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


def run_cases(options, interpreted, folder):
    """Case to what is wrong with it, an empty string if nothing is."""
    chosen = {}
    for path in sorted(options.data.glob("*/*/meta.json")):
        name = f"{path.parent.parent.name}/{path.parent.name}"
        if options.only and not re.search(options.only, name):
            continue
        if not options.only and not options.all and not cases.in_sample(name, options.percent):
            continue
        chosen[name] = path.parent
    problems = {name: "the interpreter fails" for name in chosen if name in interpreted}
    with tempfile.TemporaryDirectory() as work:
        made = {}
        for name in chosen:
            if name in problems:
                continue
            place = pathlib.Path(work) / name
            place.mkdir(parents=True)
            made[name] = cases.Case(chosen[name], options.dragoman, place)

        def identifier(name):
            return "c_" + re.sub("[^A-Za-z0-9]+", "_", name)

        def each(work_on):
            left = [name for name in made if name not in problems]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                done = pool.map(lambda name: work_on(made[name], identifier(name), folder), left)
                problems.update((name, problem) for name, problem in zip(left, done) if problem)

        each(generate)
        programs = {identifier(name): name for name in made if name not in problems}
        failed = build(list(programs), folder, options.jobs)
        problems.update((programs[program], problem) for program, problem in failed.items())
        each(run_program)
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
