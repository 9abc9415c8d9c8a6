#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TorchScript models converted once, for symbolic sizes, give torch's outputs at all sizes.

A model of torchscript/ that has a file `shapes` is converted with these facts, without data, to
ONNX and to a common graph; both run on each of its recordings ($DRAGOMAN_BINARY verify).
"""

import pathlib
import sys
import tempfile

from commands import complaint, dragoman

FOLDER = pathlib.Path(__file__).parent / "torchscript"


def problems(model, work):
    """What went wrong, a line each."""
    facts = [word for fact in (model.parent / "shapes").read_text().split()
             for word in ("--shape", fact)]
    for suffix, level in (("onnx", ()), ("dgm", ("--level", "common"))):
        converted = work / f"{model.parent.name}.{suffix}"
        problem = complaint(dragoman("convert", model, "-o", converted, *facts, *level))
        if problem:
            yield f"convert to {suffix}: {problem}"
            continue
        for data in (model.parent, *sorted(model.parent.glob("other_sizes_*"))):
            if problem := complaint(dragoman("verify", converted, "--data", data)):
                yield f"{suffix} on {data.name}: {problem}"


def main():
    models = sorted(path.with_name("model.pt") for path in FOLDER.glob("*/shapes"))
    failures = 0
    with tempfile.TemporaryDirectory() as work:
        for model in models:
            for problem in problems(model, pathlib.Path(work)):
                failures += 1
                print(f"{model.parent.name}: {problem}")
    print(f"{len(models)} models, {failures} failures")
    return 1 if failures or not models else 0


if __name__ == "__main__":
    sys.exit(main())
