#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recurrences that drawn_recurrences.py draws give the same numbers however they are rewritten.

usage: drawn_recurrences_test.py [--seed S] [--rounds N] [--native N] [--alone]

What is expected is NumPy's; drawn_files.py tells who must give it, too. Of the recurrences in which
nothing is odd, a share of at least FUSED must become one operator a layer.
"""

import sys

import onnx

import drawn_files
from drawn_recurrences import write
from drawn_steps import draw

FUSED = 0.95


def make(seeds, folder):
    drawn = {seed: draw(seed) for seed in seeds}
    model, feeds, wanted = write({f"s{seed}_": case for seed, case in drawn.items()})
    onnx.save(model, folder / "model.onnx")
    names = list(wanted)
    cases = {}
    for seed, case in drawn.items():
        own = [i for i, name in enumerate(names) if name.startswith(f"s{seed}_")]
        cases[seed] = drawn_files.DrawnCase(case.describe(), range(own[0], own[-1] + 1),
                                            len(case.layers) if case.regular else 0)
    return drawn_files.DrawnFile(folder / "model.onnx", feeds, wanted, cases)


if __name__ == "__main__":
    sys.exit(drawn_files.main(__doc__, make, FUSED))
