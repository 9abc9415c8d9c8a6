#!/usr/bin/env python3
"""Runs each fuzz target on its seed corpus and on changes of it.

Usage: targets_test.py FOLDER     with the targets
"""

import pathlib
import subprocess
import sys
import tempfile

# Changes of each seed: few archives, many small texts.
RUNS = {"archive": 40, "unpickler": 60, "language": 60}


def main():
    targets = pathlib.Path(sys.argv[1])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        maker = pathlib.Path(__file__).with_name("make_corpus.py")
        subprocess.run([sys.executable, maker, folder], check=True)
        for name, runs in RUNS.items():
            command = [targets / f"fuzz_torchscript_{name}", f"-runs={runs}",
                       pathlib.Path(folder) / name]
            done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
            print(f"{name}: exit {done.returncode}: {done.stdout.strip()}{done.stderr[-2000:]}")
            failures += done.returncode != 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
