#!/usr/bin/env python3
"""TorchScript models converted once, for symbolic sizes, give torch's outputs at all sizes.

A model of torchscript/ that has a file `shapes` is converted with these facts, without data, to
ONNX and to a common graph; both run on each of its recordings ($DRAGOMAN_BINARY verify).
"""

import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "torchscript"


def dragoman(*arguments):
    command = [os.environ["DRAGOMAN_BINARY"], *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def problems(model, work):
    """What went wrong, a line each."""
    facts = [word for fact in (model.parent / "shapes").read_text().split()
             for word in ("--shape", fact)]
    for suffix, level in (("onnx", ()), ("dgm", ("--level", "common"))):
        converted = work / f"{model.parent.name}.{suffix}"
        done = dragoman("convert", model, "-o", converted, *facts, *level)
        if done.returncode:
            yield f"convert to {suffix}: exit code {done.returncode}: {done.stderr}"
            continue
        for data in (model.parent, *sorted(model.parent.glob("other_sizes_*"))):
            done = dragoman("verify", converted, "--data", data)
            if done.returncode:
                yield f"{suffix} on {data.name}: {done.stdout}{done.stderr}"


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
