# SPDX-License-Identifier: Apache-2.0
"""Generated C++ programs of many models in one executable, compiled without optimisation.

The headers that programs share are parsed once for several of them, and the runtime is compiled
once.
"""

import pathlib
import re
import shutil
import sys
import tempfile

from commands import call, complaint, dragoman

PROGRAMS_PER_FILE = 15
RUNTIME = pathlib.Path(__file__).parents[2] / "runtime"
TIMEOUT_S = 120  # of one call
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(programs LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS "-fno-strict-aliasing")
file(GLOB_RECURSE runtime "${CMAKE_CURRENT_SOURCE_DIR}/runtime/*.cc")
add_library(runtime STATIC ${runtime})
include(runtime/images/libraries.cmake OPTIONAL)
if(COMMAND dragoman_link_image_libraries)
  dragoman_link_image_libraries(runtime)
endif()
target_include_directories(runtime PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(runtime PUBLIC dnnl pthread)
file(GLOB programs CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs_*.cc")
add_executable(programs main.cc ${programs})
target_compile_options(programs PRIVATE -Wall -Wextra -Werror)
target_compile_definitions(programs PRIVATE MODEL_WEIGHTS="")
target_link_libraries(programs PRIVATE runtime)
"""


def identifier(name):
    """What a model's program is called."""
    return "c_" + re.sub("[^A-Za-z0-9]+", "_", name)


def generate(model, program, folder, arguments=()):
    """Writes the program of a model. An empty string, or why there is none."""
    with tempfile.TemporaryDirectory() as work:
        made = pathlib.Path(work) / "program"
        done = dragoman("codegen", model, "-q", "-o", made, "--name", program, *arguments,
                        timeout=TIMEOUT_S)
        if problem := complaint(done):
            return f"codegen: {problem}"
        for path in sorted(made.rglob("*")):
            place = folder / path.relative_to(made)
            if path.name == "infer.cc":
                place = folder / f"{program}_infer.cc"
            if path.suffix == ".weights":
                shutil.copy(path, place)
            elif path.suffix in (".h", ".cc") or path.name == "libraries.cmake":
                # The namespace that a program gives its copy of the runtime; here all share one.
                write_if_changed(place, path.read_text().replace(f" of_{program} ", " of_all "))
    # Each program has loops of its own in this file; the runtime of all has all of them.
    write_if_changed(folder / "runtime/fast/used.h", (RUNTIME / "fast/used.h").read_text())
    return ""


def build(programs, folder, jobs=2):
    """Program to why it does not compile, of those that do not; all others are built."""
    problems = {}
    while len(problems) < len(programs):
        write_build([program for program in programs if program not in problems], folder)
        done = call(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"], timeout=None)
        if done.returncode == 0:
            done = call(["cmake", "--build", folder / "build", "--", "-k", "0", f"-j{jobs}"],
                        timeout=None)
        if done.returncode == 0:
            return problems
        found = compile_problems(done.stdout, programs)
        if not found or found.keys() <= problems.keys():
            sys.exit("the programs do not compile:\n" + done.stdout[-4000:] + done.stderr[-2000:])
        problems.update(found)
    return problems


def run(program, folder, arguments):
    """Runs a program that was built, with options of `dragoman run`."""
    return call([folder / "build" / "programs", program, "--weights",
                 folder / f"{program}.weights", *arguments], TIMEOUT_S)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def include(program, folder):
    """The source text of one program, whose main() becomes a function."""
    parts = [path.name for path in sorted(folder.glob(f"{program}_*.cc"))
             if path.stem == f"{program}_infer" or re.fullmatch(f"{program}_[0-9]+", path.stem)
             and not path.with_suffix(".h").exists()]
    lines = "".join(f'#include "{part}"\n' for part in [f"{program}.cc", *parts])
    return f"#define main {program}_main\n{lines}#undef main\n"


def write_build(programs, folder):
    for old in folder.glob("programs_*.cc"):
        if int(old.stem[len("programs_"):]) * PROGRAMS_PER_FILE >= len(programs):
            old.unlink()
    for start in range(0, len(programs), PROGRAMS_PER_FILE):
        text = "".join(include(program, folder)
                       for program in programs[start:start + PROGRAMS_PER_FILE])
        write_if_changed(folder / f"programs_{start // PROGRAMS_PER_FILE}.cc", text)
    calls = "".join(f'  if (name == "{program}") return {program}_main(argc - 1, argv + 1);\n'
                    for program in programs)
    declared = "".join(f"int {program}_main(int, char**);\n" for program in programs)
    write_if_changed(folder / "main.cc",
                     f"#include <string>\n\n{declared}\nint main(int argc, char** argv) {{\n"
                     f"  const std::string name = argv[1];\n{calls}  return 3;\n}}\n")
    write_if_changed(folder / "CMakeLists.txt", CMAKE)


def compile_problems(output, programs):
    """Program to the first error that the compiler reports of it."""
    problems = {}
    program = None
    for line in output.splitlines():
        for stem in re.findall(r"\b(c_[A-Za-z0-9_]+)\.(?:cc|h)[:,]", line):
            whole = stem if stem in programs else stem.rpartition("_")[0]
            program = whole if whole in programs else program
        if "error: " in line and program:
            problems.setdefault(program, "does not compile: " + line.split("error: ")[1])
    return problems
