#!/usr/bin/env python3
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
VECTORISED = re.compile(r":(\d+):\d+: optimized: loop vectorized using 32 byte vectors")


def marked_loops(source):
    lines = source.read_text().splitlines()
    return {number + 2 for number, line in enumerate(lines)
            if line.strip() == "DRAGOMAN_RT_INDEPENDENT"}


def vectorised_loops(source):
    said = subprocess.run([*COMPILE, source], check=True, capture_output=True, text=True).stderr
    return {int(match[1]) for line in said.splitlines() if line.startswith(str(source))
            if (match := VECTORISED.search(line))}


def main():
    if platform.machine() != "x86_64":
        print("loops are compiled for several instruction sets on x86-64 only")
        return 77
    scalar = []
    count = 0
    for source in sorted(pathlib.Path("runtime/fast").glob("*.cc")):
        if loops := marked_loops(source):
            count += len(loops)
            scalar += [f"{source}:{line}: the loop is not vectorised"
                       for line in sorted(loops - vectorised_loops(source))]
    print("\n".join(scalar) or f"{count} loops are vectorised")
    return 1 if scalar else 0


if __name__ == "__main__":
    sys.exit(main())
