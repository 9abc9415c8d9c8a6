#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Modules of torch that drawn_torch_recurrences.py draws give what torch gives, however rewritten.

usage: drawn_torch_recurrences_test.py [--seed S] [--rounds N] [--native N] [--alone]

Some modules are traced, others scripted; drawn_files.py tells who must give what torch gives. Of
the recurrences in which nothing is odd, a share of at least FUSED must become one operator a layer.
Skipped where torch is not installed.
"""

import importlib.util
import sys
import warnings

import drawn_files
from drawn_torch_recurrences import draw, group

try:
    import torch
except ImportError:
    torch = None

FUSED = 0.9
PER_FILE = 10
SKIPPED = 77


def load(source, folder):
    """The module `Group` of a source text; TorchScript wants its file."""
    path = folder / "drawn.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("drawn", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Group().eval()


def make(seeds, folder):
    torch.manual_seed(seeds[0])
    drawn = [draw(seed) for seed in seeds]
    source, arguments = group(drawn)
    module = load(source, folder)
    operands = tuple(torch.from_numpy(array) for array in arguments.values())
    with torch.no_grad():
        results = [result.numpy() for result in module(*operands)]
    for case in drawn:
        if case.scripted:
            setattr(module, case.name, torch.jit.script(getattr(module, case.name)))
    script = torch.jit.trace(module, operands, check_trace=False)
    script.save(str(folder / "model.pt"))
    facts, cases, at = [], {}, 0
    for name, array in arguments.items():
        sizes = ",".join(map(str, array.shape))
        facts += ["--shape", f"{name}={array.dtype}:{sizes}"]
    for case in drawn:
        cases[case.seed] = drawn_files.DrawnCase(case.description, range(at, at + case.outputs),
                                                 case.layers if case.regular else 0)
        at += case.outputs
    wanted = {f"output {i}": result for i, result in enumerate(results)}
    return drawn_files.DrawnFile(folder / "model.pt", arguments, wanted, cases, facts)


if __name__ == "__main__":
    if torch is None:
        print("torch is not installed")
        sys.exit(SKIPPED)
    warnings.simplefilter("ignore")  # of tracing, about checks of sizes
    torch.set_num_threads(1)
    sys.exit(drawn_files.main(__doc__, make, FUSED, PER_FILE))
