#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loops of the runtime that are marked DRAGOMAN_RT_INDEPENDENT become vector code.

The compiler tells so, given the options of a generated program. A loop that it leaves scalar still
computes the right numbers, up to nine times as slowly, so no other test sees it.
"""

import pathlib
import platform
import re
import subprocess
import sys

COMPILE = ["g++", "-std=c++17", "-O3", "-fno-strict-aliasing", "-fno-math-errno",
           "-fno-trapping-math", "-fopt-info-vec-optimized", "-I.", "-S", "-o", "/dev/null"]
VECTORISED = re.compile(r":(\d+):\d+: optimized: loop vectorized using (\d+) byte vectors")
GATHERS = re.compile(r"\w\[\w+\[")  # x[index[i]]
# Of some vectors. Newer compilers gather no more at once, since processors do it slowly.
LEAST_BYTES, LEAST_GATHERED = 32, 16


def marked_loops(source):
    """{line of the loop: least bytes of its vectors}"""
    lines = source.read_text().splitlines()
    return {number + 2: LEAST_GATHERED if GATHERS.search(lines[number + 2]) else LEAST_BYTES
            for number, line in enumerate(lines) if line.strip() == "DRAGOMAN_RT_INDEPENDENT"}


def vectorised_loops(source):
    """{line of the loop: bytes of its widest vectors}"""
    said = subprocess.run([*COMPILE, source], check=True, capture_output=True, text=True).stderr
    widest = {}
    for line in said.splitlines():
        if line.startswith(str(source)) and (match := VECTORISED.search(line)):
            widest[int(match[1])] = max(widest.get(int(match[1]), 0), int(match[2]))
    return widest


def main():
    if platform.machine() != "x86_64":
        print("loops are compiled for several instruction sets on x86-64 only")
        return 77
    scalar = []
    count = 0
    for source in sorted(pathlib.Path("runtime/fast").glob("*.cc")):
        if loops := marked_loops(source):
            count += len(loops)
            widest = vectorised_loops(source)
            scalar += [f"{source}:{line}: the loop is not vectorised"
                       for line, least in sorted(loops.items()) if widest.get(line, 0) < least]
    print("\n".join(scalar) or f"{count} loops are vectorised")
    return 1 if scalar else 0


if __name__ == "__main__":
    sys.exit(main())
