#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that drawn_torch_views.py draws give what NumPy gives, or are refused since it is not
known which tensors share elements.

usage: drawn_torch_views_test.py [--seed S] [--rounds N] [--torch]

Every other program is lowered with sizes that are not known. At most REFUSED of those whose sizes
are known may be refused. With --torch, an installed torch is asked too.
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np

from commands import dragoman
from drawn_torch_views import draw
from run_outputs import read_outputs
from script_archive import write_script

REFUSED = 0.15
REASON = "whether they share elements is not known"


def ask_torch(path, program):
    import torch
    operands = [torch.from_numpy(program.inputs["x"].copy()), torch.tensor(
        bool(program.inputs["flag"])), int(program.inputs["n"])]
    return [result.numpy() for result in torch.jit.load(str(path))(*operands)]


def check(seed, folder, with_torch):
    """What is wrong; "refused", or "" if nothing is."""
    program = draw(seed)
    path = folder / "model.pt"
    write_script(path, program.methods)
    if with_torch:
        for k, (a, b) in enumerate(zip(ask_torch(path, program), program.outputs)):
            if not np.array_equal(a, b):
                return f"NumPy differs from torch in result {k}"
    np.savez(folder / "in.npz", **program.inputs)
    sizes = []
    if seed % 2:
        symbols = ",".join(f"s{k}" for k in range(program.inputs["x"].ndim))
        sizes = ["--shape", f"x=float32:{symbols}"]
    result = dragoman("run", path, "--inputs", folder / "in.npz", "--output-dir", folder / "out",
                      "-q", *sizes)
    if result.returncode == 4 and (REASON in result.stderr or seed % 2):
        return "refused"
    if result.returncode != 0:
        return f"exit code {result.returncode}: {result.stderr}"
    for k, ((found, _), wanted) in enumerate(zip(read_outputs(folder / "out"), program.outputs)):
        if not np.array_equal(found, wanted):
            return f"result {k} is\n{found}\nexpected\n{wanted}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--torch", action="store_true")
    options = parser.parse_args()
    refused = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.rounds):
            verdict = check(seed, pathlib.Path(folder), options.torch)
            if verdict == "refused":
                refused += seed % 2 == 0
            elif verdict:
                wrong += 1
                print(f"seed {seed}: {verdict}\n{draw(seed).methods}")
    print(f"{options.rounds} programs, {wrong} wrong; {refused} with known sizes refused")
    return 1 if wrong or refused > REFUSED * options.rounds / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
