#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same models as ONNX, Relay and Relax: their common graphs, in the normal form, are equal.

Of ONNX's node suite at least so many cases are equal for each pair, where both texts are written.
What differs must be a difference that `diff` can name (exit code 1), or a module that one side
cannot read (exit code 4).
"""
import os
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from commands import dragoman

SUITE = "/usr/share/libonnx-testdata/data/node"
LEAST_EQUAL = {"onnx relay": 843, "onnx relax": 875, "relay relax": 843}
EQUAL, DIFFERENT, UNSUPPORTED = 0, 1, 4


def compare(name, folder):
    """[(pair, exit code, what diff says)]"""
    files = {"onnx": os.path.join(SUITE, name, "model.onnx")}
    for form, suffix in (("relay", "relay"), ("relax", "py")):
        path = os.path.join(folder, f"{name}.{suffix}")
        if dragoman("convert", files["onnx"], "-o", path).returncode == 0:
            files[form] = path
    found = []
    for pair in LEAST_EQUAL:
        a, b = pair.split()
        if a in files and b in files:
            done = dragoman("diff", files[a], files[b], "--passes", "default")
            found.append((pair, done.returncode, (done.stdout + done.stderr).split("\n")[0]))
    return found


def main():
    if not os.path.isdir(SUITE):
        print("skipped: ONNX's node suite is not installed")
        return 0
    counts = {pair: Counter() for pair in LEAST_EQUAL}
    failed = False
    names = sorted(os.listdir(SUITE))
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        for name, found in zip(names, pool.map(compare, names, [folder] * len(names))):
            for pair, code, said in found:
                counts[pair][code] += 1
                failed = failed or code not in (EQUAL, DIFFERENT, UNSUPPORTED)
                if code not in (EQUAL, DIFFERENT, UNSUPPORTED) or "-v" in sys.argv[1:] and code:
                    print(f"{name}: {pair}: {said}")
    for pair, least in LEAST_EQUAL.items():
        equal, others = counts[pair][EQUAL], sum(counts[pair].values()) - counts[pair][EQUAL]
        print(f"{pair}: {equal} equal, {others} not, at least {least} are asked for")
        failed = failed or equal < least
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
