#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every model of this folder gives torch's recorded outputs.

Usage: models_test.py [ENGINE [MODEL...]]     interpreter (the default) or native; these models, or all

Runs `dragoman verify` ($DRAGOMAN_BINARY) on each ONNX model with its test-data sets, and on each
TorchScript model of torchscript/ with its arrays; natively, on those of NATIVE.
"""

import pathlib
import sys

from commands import complaint, dragoman

FOLDER = pathlib.Path(__file__).parent
# TorchScript models that are compiled: methods that share states, branches and loops, lists,
# dicts.
NATIVE = ("control_flow", "counter", "list_mutation", "lstm_policy", "run_time_dicts",
          "several_entries")


def commands(engine):
    """(name, arguments of verify) of each model."""
    for model in sorted(FOLDER.glob("*/model.onnx")):
        yield model.parent.name, [model, "--data", model.parent]
    for model in sorted(FOLDER.glob("torchscript/*/model.pt")):
        name = model.parent.name
        if engine == "native" and name not in NATIVE:
            continue
        steps = model.parent / "steps"
        more = ["--steps", steps.read_text(encoding="utf-8").strip()] if steps.exists() else []
        yield f"torchscript/{name}", [model, "--data", model.parent, *more]


def main():
    engine = sys.argv[1] if len(sys.argv) > 1 else "interpreter"
    models = dict(commands(engine))
    wanted = sys.argv[2:] or models
    if unknown := [name for name in wanted if name not in models]:
        sys.exit(f"models_test.py: no model {', '.join(unknown)} ({engine})")
    failures = 0
    for name in wanted:
        if problem := complaint(dragoman("verify", *models[name], "--engine", engine)):
            failures += 1
            print(f"{name}: {problem}")
    print(f"{len(wanted) - failures} of {len(wanted)} models agree with torch ({engine})")
    return 1 if failures or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
