#!/usr/bin/env python3
"""Every model of this folder gives torch's recorded outputs.

Usage: models_test.py [ENGINE]     interpreter (the default) or native

Runs `dragoman verify` ($DRAGOMAN_BINARY) on each model and its test-data sets.
"""

import os
import pathlib
import subprocess
import sys


def main():
    engine = sys.argv[1] if len(sys.argv) > 1 else "interpreter"
    dragoman = os.environ["DRAGOMAN_BINARY"]
    models = sorted(pathlib.Path(__file__).parent.glob("*/model.onnx"))
    failures = 0
    for model in models:
        command = [dragoman, "verify", model, "--data", model.parent, "--engine", engine]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            failures += 1
            print(f"{model.parent.name}: exit code {result.returncode}")
            print(result.stdout + result.stderr)
    print(f"{len(models) - failures} of {len(models)} models agree with torch ({engine})")
    return 1 if failures or not models else 0


if __name__ == "__main__":
    sys.exit(main())
