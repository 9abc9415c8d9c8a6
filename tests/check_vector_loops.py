#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loops of the runtime that are marked DRAGOMAN_RT_INDEPENDENT become vector code, and so does rt::Map of a large function.

The compiler says so, given the options of a generated program. A loop that it leaves scalar still
computes the right numbers, up to nine times as slowly, so no other test sees it.
"""

import pathlib
import platform
import re
import subprocess
import sys
import tempfile

COMPILE = ["g++", "-std=c++17", "-fno-strict-aliasing", "-fno-math-errno",
           "-fno-trapping-math", "-fopt-info-vec-optimized", "-I.", "-S", "-o", "/dev/null"]
MAP = pathlib.Path("runtime/fast/map.h")
VECTORISED = re.compile(r":(\d+):\d+: optimized: loop vectorized using (\d+) byte vectors")
AS_BUILT, WITH_O2 = ["-O3"], ["-O2", "-ftree-vectorize", "-fvect-cost-model=dynamic"]
# The gates of an LSTM's cell and an encoding of positions, as generated programs have them.
HEAD = """
#include "runtime/fast/map.h"
#include "runtime/fast/math.h"

namespace rt = dragoman::rt;
"""
SAMPLES = {"gates": HEAD + """
constexpr auto kGates = [](float i, float f, float o, float g, float c, float& cell, float& hidden) {
  cell = rt::fast::Sigmoid(f) * c + rt::fast::Sigmoid(i) * rt::fast::Tanh(g);
  hidden = rt::fast::Sigmoid(o) * rt::fast::Tanh(cell);
};

void Cell(rt::TensorView<const float> x, rt::TensorView<float> cell, rt::TensorView<float> hidden) {
  rt::Map(kGates, rt::Operands(x, x, x, x, x), rt::Results(cell, hidden));
}
""", "waves": HEAD + """
constexpr auto kWaves = [](float x, float& sine, float& both) {
  sine = rt::fast::Sin(x);
  both = rt::fast::Cos(x) + rt::fast::Log(x);
};

void Waves(rt::TensorView<const float> x, rt::TensorView<float> sine, rt::TensorView<float> both) {
  rt::Map(kWaves, rt::Operands(x), rt::Results(sine, both));
}
"""}
GATHERS = re.compile(r"\w\[\w+\[")  # x[index[i]]
# Of some vectors. Newer compilers gather no more at once, since processors do it slowly.
LEAST_BYTES, LEAST_GATHERED = 32, 16


def marked_loops(source):
    """{line of the loop: least bytes of its vectors}"""
    lines = source.read_text().splitlines()
    return {number + 2: LEAST_GATHERED if GATHERS.search(lines[number + 2]) else LEAST_BYTES
            for number, line in enumerate(lines) if line.strip() == "DRAGOMAN_RT_INDEPENDENT"}


def vectorised_loops(source, compiled, options):
    """{line of a loop in `source`: bytes of its widest vectors}, where `compiled` is compiled"""
    said = subprocess.run([*COMPILE, *options, compiled], check=True, capture_output=True, text=True).stderr
    widest = {}
    for line in said.splitlines():
        if pathlib.Path(line.split(":")[0]) == source and (match := VECTORISED.search(line)):
            widest[int(match[1])] = max(widest.get(int(match[1]), 0), int(match[2]))
    return widest


def scalar_loops(source, loops, compiled, options=AS_BUILT):
    widest = vectorised_loops(source, compiled, options)
    return [f"{source}:{line}: the loop is not vectorised"
            for line, least in sorted(loops.items()) if widest.get(line, 0) < least]


def main():
    if platform.machine() != "x86_64":
        print("loops are compiled for several instruction sets on x86-64 only")
        return 77
    scalar = []
    count = 0
    for source in sorted(pathlib.Path("runtime/fast").glob("*.cc")):
        if loops := marked_loops(source):
            count += len(loops)
            scalar += scalar_loops(source, loops, source)
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("gates", AS_BUILT), ("waves", AS_BUILT), ("gates", WITH_O2),
                              ("waves", WITH_O2)):
            sample = pathlib.Path(folder) / f"{name}.cc"
            sample.write_text(SAMPLES[name])
            scalar += scalar_loops(MAP, marked_loops(MAP), sample, options)
    print("\n".join(scalar) or f"{count} loops are vectorised")
    return 1 if scalar else 0


if __name__ == "__main__":
    sys.exit(main())
