#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs each fuzz target on its seed corpus and on changes of it.

Usage: targets_test.py FOLDER     with the targets
"""

import pathlib
import subprocess
import sys
import tempfile

# Changes of each seed: few archives, many small texts.
RUNS = {"onnx_model": 15, "onnx_syntax": 2000, "torchscript_archive": 40, "torchscript_unpickler": 60,
        "torchscript_language": 60, "tensorflow_graph": 60, "tensorflow_checkpoint": 200,
        "tensorflow_chunks": 2000, "pt2_archive": 200, "pt2_text": 2000, "relax_module": 200, "relay_text": 1000,
        "containers": 300, "arrays": 1000, "rules": 1000, "program_files": 2000}


def main():
    targets = pathlib.Path(sys.argv[1])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        maker = pathlib.Path(__file__).with_name("make_corpus.py")
        subprocess.run([sys.executable, maker, folder], check=True)
        for name, runs in RUNS.items():
            if not any((pathlib.Path(folder) / name).iterdir()):
                continue
            command = [targets / f"fuzz_{name}", f"-runs={runs}", pathlib.Path(folder) / name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
            print(f"{name}: exit {done.returncode}: {done.stdout.strip()}{done.stderr[-2000:]}")
            failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
